//! Arguments: of each parameter's own type, from what was sent or from an earlier answer.

use crate::told::{short_name, Failure, NameDebug, Seen, Tell};
use crate::wire::{Array, Elements, Value};
use std::any::{type_name, Any, TypeId};
use std::collections::{BTreeMap, HashMap};
use std::fmt::{Debug, Display};
use std::marker::PhantomData;
use std::rc::Rc;
use std::str::FromStr;

/// Why an argument cannot be made. `Own`: the package's own conversion refuses it.
pub enum Fault {
    Wanted(String),
    Own(Failure),
}

impl Fault {
    fn of<E: Debug + Display>(error: E) -> Fault {
        let seen = Seen(&error);
        Fault::Own(Failure::returned(
            (&seen).variant(),
            short_name(&error),
            Some(error.to_string()),
        ))
    }

    /// With the place where it lies.
    pub fn at(self, place: impl Display) -> Fault {
        match self {
            Fault::Wanted(why) => Fault::Wanted(format!("{place}: {why}")),
            own => own,
        }
    }

    pub fn failure(self) -> Failure {
        match self {
            Fault::Wanted(why) => Failure::new("ArgumentError", why),
            Fault::Own(failure) => failure,
        }
    }
}

fn fault<T>(why: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Wanted(why.into()))
}

fn wanted<T>(what: &str, value: &Value) -> Result<T, Fault> {
    fault(format!("{what} is wanted, {} is given", shown(value)))
}

fn shown(value: &Value) -> String {
    match value {
        Value::Nothing => "nothing".into(),
        Value::Truth(truth) => truth.to_string(),
        Value::Whole(whole) => whole.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Text(None) => "a missing text".into(),
        Value::Text(_) => "a text".into(),
        Value::Array(array) => {
            let sizes: Vec<String> = array.shape.iter().map(usize::to_string).collect();
            format!("an array of {}", sizes.join(" x "))
        }
        Value::List(items) => format!("a list of {}", items.len()),
        Value::Names(_) => "names and values".into(),
        Value::Further(kind, _) => format!("a value of the kind {kind}"),
    }
}

// --- types that are made of values --------------------------------------------------------------

pub trait Make: Sized + 'static {
    fn make(value: &Value) -> Result<Self, Fault>;

    /// As an element of a vector: there one number is no vector of one.
    fn element(value: &Value) -> Result<Self, Fault> {
        Self::make(value)
    }

    /// A whole vector at once, where that is quicker.
    fn vector(_: &Array) -> Option<Vec<Self>> {
        None
    }
}

/// The only element of an array without dimensions.
fn single(value: &Value) -> Option<Value> {
    match value {
        Value::Array(array) if array.shape.is_empty() => Some(element(&array.elements, 0)),
        _ => None,
    }
}

fn element(elements: &Elements, at: usize) -> Value {
    match elements {
        Elements::Doubles(items) => Value::Number(items[at]),
        Elements::Floats(items) => Value::Number(items[at].into()),
        Elements::Longs(items) => Value::Whole(items[at]),
        Elements::Ints(items) if items[at] == i32::MIN => Value::Nothing,
        Elements::Ints(items) => Value::Whole(items[at].into()),
        Elements::Truths(items) if items[at] > 1 => Value::Nothing,
        Elements::Truths(items) => Value::Truth(items[at] == 1),
        Elements::Complex(items) => Value::further("complex", Value::vector(items[at].to_vec())),
        Elements::Texts(items) => Value::Text(items[at].clone()),
    }
}

/// The elements of a vector, the rows of a matrix.
fn rows(array: &Array) -> Vec<Value> {
    let inner = &array.shape[1..];
    let size: usize = inner.iter().product();
    let row = |at: usize| {
        let elements = array.elements.slice(at * size, (at + 1) * size);
        Value::Array(Array {
            shape: inner.to_vec(),
            elements,
        })
    };
    match inner {
        [] => (0..array.shape[0])
            .map(|at| element(&array.elements, at))
            .collect(),
        _ => (0..array.shape[0]).map(row).collect(),
    }
}

impl Make for f64 {
    fn make(value: &Value) -> Result<Self, Fault> {
        match single(value).as_ref().unwrap_or(value) {
            Value::Number(number) => Ok(*number),
            Value::Whole(whole) => Ok(*whole as f64),
            other => wanted("a number", other),
        }
    }

    fn vector(array: &Array) -> Option<Vec<Self>> {
        match &array.elements {
            Elements::Doubles(items) if array.shape.len() == 1 => Some(items.clone()),
            _ => None,
        }
    }
}

impl Make for f32 {
    fn make(value: &Value) -> Result<Self, Fault> {
        f64::make(value).map(|number| number as f32)
    }
}

/// Beyond this a double no longer tells whole numbers apart.
const LARGEST_DOUBLE: f64 = 9_007_199_254_740_992.0;

fn whole(value: &Value) -> Option<i128> {
    match single(value).as_ref().unwrap_or(value) {
        Value::Whole(whole) => Some((*whole).into()),
        Value::Number(x) if x.fract() == 0.0 && x.abs() <= LARGEST_DOUBLE => Some(*x as i128),
        Value::Further(kind, digits) if kind == "integer" => {
            let text = digits.as_text()?;
            let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
            Some(sign * i128::from_str_radix(digits.strip_prefix("0x")?, 16).ok()?)
        }
        _ => None,
    }
}

macro_rules! make_whole {
    ($($kind:ty)*) => {$(
        impl Make for $kind {
            fn make(value: &Value) -> Result<Self, Fault> {
                match whole(value) {
                    Some(found) => <$kind>::try_from(found).map_err(|_| {
                        let (least, most) = (<$kind>::MIN, <$kind>::MAX);
                        Fault::Wanted(format!("a whole number from {least} to {most} is wanted, {found} is given"))
                    }),
                    None => wanted("a whole number", value),
                }
            }
        }
    )*};
}
make_whole!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

impl Make for bool {
    fn make(value: &Value) -> Result<Self, Fault> {
        match single(value).as_ref().unwrap_or(value) {
            Value::Truth(truth) => Ok(*truth),
            other => wanted("a truth value", other),
        }
    }
}

impl Make for String {
    fn make(value: &Value) -> Result<Self, Fault> {
        match single(value).as_ref().unwrap_or(value) {
            Value::Text(Some(text)) => Ok(text.clone()),
            other => wanted("a text", other),
        }
    }
}

impl Make for char {
    fn make(value: &Value) -> Result<Self, Fault> {
        match value
            .as_text()
            .map(|text| text.chars().collect::<Vec<_>>())
            .as_deref()
        {
            Some([one]) => Ok(*one),
            _ => wanted("a text of one character", value),
        }
    }
}

impl Make for () {
    fn make(value: &Value) -> Result<Self, Fault> {
        if *value == Value::Nothing {
            Ok(())
        } else {
            wanted("nothing", value)
        }
    }
}

impl<T: Make> Make for Option<T> {
    fn make(value: &Value) -> Result<Self, Fault> {
        match single(value).as_ref().unwrap_or(value) {
            Value::Nothing | Value::Text(None) => Ok(None),
            Value::Number(x) if is_missing(*x) => Ok(None),
            other => T::make(other).map(Some),
        }
    }
}

/// A missing number of R.
fn is_missing(x: f64) -> bool {
    x.is_nan() && x.to_bits() as u32 == 1954
}

impl<T: Make> Make for Vec<T> {
    fn make(value: &Value) -> Result<Self, Fault> {
        match value {
            Value::Truth(_) | Value::Whole(_) | Value::Number(_) | Value::Text(Some(_)) => {
                Ok(vec![T::element(value)?])
            }
            _ => Self::element(value),
        }
    }

    fn element(value: &Value) -> Result<Self, Fault> {
        let items = match value {
            Value::Array(array) if !array.shape.is_empty() => match T::vector(array) {
                Some(found) => return Ok(found),
                None => &rows(array),
            },
            Value::List(items) => items,
            other => return wanted("a vector", other),
        };
        let made = |(at, item)| T::element(item).map_err(|fault| fault.at(format!("element {at}")));
        items.iter().enumerate().map(made).collect()
    }
}

impl<T: Make, const N: usize> Make for [T; N] {
    fn make(value: &Value) -> Result<Self, Fault> {
        let found: Result<Self, Vec<T>> = Vec::make(value)?.try_into();
        found.or_else(|items| {
            fault(format!(
                "{N} elements are wanted, {} are given",
                items.len()
            ))
        })
    }
}

impl<T: Make> Make for Box<[T]> {
    fn make(value: &Value) -> Result<Self, Fault> {
        Vec::make(value).map(Vec::into_boxed_slice)
    }
}

macro_rules! make_tuple {
    ($count:literal: $($kind:ident $at:tt)*) => {
        impl<$($kind: Make),*> Make for ($($kind,)*) {
            fn make(value: &Value) -> Result<Self, Fault> {
                let found: Vec<Value> = match value {
                    Value::Array(array) if !array.shape.is_empty() => rows(array),
                    other => other.as_list().to_vec(),
                };
                if found.len() != $count {
                    return wanted(concat!("a list of ", $count), value);
                }
                Ok(($($kind::make(&found[$at])?,)*))
            }
        }
    };
}
make_tuple!(2: A 0 B 1);
make_tuple!(3: A 0 B 1 C 2);
make_tuple!(4: A 0 B 1 C 2 D 3);

fn named<T: Make, M: FromIterator<(String, T)>>(value: &Value) -> Result<M, Fault> {
    let made = |(name, part): &(String, Value)| match T::make(part) {
        Ok(found) => Ok((name.clone(), found)),
        Err(fault) => Err(fault.at(name)),
    };
    match value {
        Value::Names(parts) => parts.iter().map(made).collect(),
        other => wanted("a table, or names and values", other),
    }
}

impl<T: Make> Make for HashMap<String, T> {
    fn make(value: &Value) -> Result<Self, Fault> {
        named(value)
    }
}

impl<T: Make> Make for BTreeMap<String, T> {
    fn make(value: &Value) -> Result<Self, Fault> {
        named(value)
    }
}

// --- slots --------------------------------------------------------------------------------------

fn holds_numbers<T: 'static>() -> bool {
    [TypeId::of::<Vec<f64>>(), TypeId::of::<Vec<f32>>()].contains(&TypeId::of::<T>())
}

/// The place of one argument. A parameter that is a reference borrows from it.
#[derive(Default)]
pub struct Slot {
    pub name: String,
    /// What was sent; nothing where the argument was left out.
    pub value: Option<Value>,
    /// The number of the earlier call, and what it returned.
    pub answer: Option<(i64, Rc<dyn Any>)>,
    /// A matrix, and the next two arguments are its numbers of rows and columns.
    pub is_flat: bool,
    own: Option<Box<dyn Any>>,
    before: Vec<u8>,
    look: Option<Box<dyn Fn(&dyn Any) -> Value>>,
}

impl Slot {
    pub fn is_nothing(&self) -> bool {
        match &self.value {
            Some(value) => matches!(value, Value::Nothing | Value::Text(None)),
            None => self.answer.is_none(),
        }
    }

    /// Makes what is lent, unless an answer of that very type is there.
    fn fill<T: 'static>(&mut self, ways: &Ways<T>) -> Result<(), Fault> {
        if self
            .answer
            .as_ref()
            .is_some_and(|(_, answer)| answer.is::<T>())
        {
            return Ok(());
        }
        let made = match &self.value {
            Some(Value::Array(array)) if self.is_flat && holds_numbers::<T>() => {
                let shape = vec![array.elements.len()];
                ways.make(&Value::Array(Array {
                    shape,
                    elements: array.elements.clone(),
                }))?
            }
            Some(value) => ways.make(value)?,
            None if self.answer.is_some() => {
                return fault(format!(
                    "a {} is wanted, another answer is given",
                    type_name::<T>()
                ));
            }
            None => return fault("it is left out, and its type is no Option"),
        };
        self.own = Some(Box::new(made));
        Ok(())
    }

    fn get<T: 'static>(&self) -> &T {
        let place = match &self.own {
            Some(own) => &**own,
            None => &*self.answer.as_ref().expect("it is filled").1,
        };
        place.downcast_ref().expect("it is filled with that type")
    }

    fn get_mut<T: 'static>(&mut self, ways: &Ways<T>) -> Result<&mut T, Fault> {
        if let (Some(own), Some(tell)) = (&self.own, ways.tell) {
            let look = move |own: &dyn Any| own.downcast_ref().map_or(Value::Nothing, tell);
            self.before = look(&**own).encoded();
            self.look = Some(Box::new(look));
        }
        let place = match (&mut self.own, &mut self.answer) {
            (Some(own), _) => Some(&mut **own),
            (None, Some((_, answer))) => Rc::get_mut(answer),
            _ => None,
        };
        let found = place.and_then(|place| place.downcast_mut());
        found.map_or_else(
            || fault("it is changed in the call, and given there twice"),
            Ok,
        )
    }

    fn take<T: 'static>(&mut self, ways: &Ways<T>) -> Result<T, Fault> {
        match (self.own.take(), ways.copy) {
            (Some(own), _) => Ok(*own.downcast().expect("it is filled with that type")),
            (None, Some(copy)) => Ok(copy(self.get())),
            (None, None) => fault(format!(
                "{} is taken by value and is not Clone",
                type_name::<T>()
            )),
        }
    }

    /// Whether what was sent has been changed where the function had it.
    pub fn is_changed(&self) -> bool {
        match (&self.look, &self.own) {
            (Some(look), Some(own)) => look(&**own).encoded() != self.before,
            _ => false,
        }
    }
}

// --- how a parameter of a type gets its argument ------------------------------------------------

/// What the standard traits of a type allow. Of the package's own types: text by FromStr, matrices and vectors by
/// From or TryFrom.
pub struct Ways<T> {
    pub make: Option<fn(&Value) -> Result<T, Fault>>,
    pub parse: Option<fn(&str) -> Result<T, Fault>>,
    pub from_rows: Option<fn(Vec<Vec<f64>>) -> Result<T, Fault>>,
    pub from_vector: Option<fn(Vec<f64>) -> Result<T, Fault>>,
    pub copy: Option<fn(&T) -> T>,
    pub tell: Option<fn(&T) -> Value>,
}

impl<T> Ways<T> {
    fn make(&self, value: &Value) -> Result<T, Fault> {
        if let Some(make) = self.make {
            return make(value);
        }
        if let (Some(parse), Some(text)) = (self.parse, value.as_text()) {
            return parse(text);
        }
        if let (Some(make), Ok(rows)) = (self.from_rows, Vec::<Vec<f64>>::make(value)) {
            return make(rows);
        }
        if let (Some(make), Ok(numbers)) = (self.from_vector, Vec::<f64>::make(value)) {
            return make(numbers);
        }
        wanted(&self.names(), value)
    }

    fn names(&self) -> String {
        let ways = [
            ("a text", self.parse.is_some()),
            ("a matrix", self.from_rows.is_some()),
            ("a vector", self.from_vector.is_some()),
        ];
        let mut found: Vec<&str> = ways
            .iter()
            .filter(|(_, there)| *there)
            .map(|(name, _)| *name)
            .collect();
        let answer = format!("an answer of type {}", type_name::<T>());
        found.push(&answer);
        found.join(" or ")
    }
}

/// A type, to be found out by the compiler.
pub struct Want<P>(PhantomData<P>);

impl<P> Want<P> {
    pub fn new() -> Self {
        Want(PhantomData)
    }

    /// Never called: the call it stands in tells the compiler the type.
    pub fn value(&self) -> P {
        unreachable!()
    }

    pub fn is_optional(&self) -> bool {
        type_name::<P>().starts_with("core::option::Option<")
    }
}

// Of the impls below the compiler takes the first whose bounds hold: with `(&&Want<T>).way()`, `&Want<T>` comes before
// `Want<T>`.

macro_rules! way {
    ($there:ident $absent:ident $name:ident: $kind:ty, [$($bound:tt)*], [$($limit:tt)*], $found:expr) => {
        pub trait $there<T> {
            fn $name(&self) -> Option<$kind>;
        }
        impl<T: $($bound)*> $there<T> for &Want<T> $($limit)* {
            fn $name(&self) -> Option<$kind> {
                Some($found)
            }
        }
        pub trait $absent<T> {
            fn $name(&self) -> Option<$kind> {
                None
            }
        }
        impl<T> $absent<T> for Want<T> {}
    };
}

way!(Makes NotMakes make_way: fn(&Value) -> Result<T, Fault>, [Make], [], T::make);
way!(Parses NotParses parse_way: fn(&str) -> Result<T, Fault>, [FromStr], [where T::Err: Debug + Display],
    |text| text.parse().map_err(Fault::of::<T::Err>));
way!(FromRows NotFromRows rows_way: fn(Vec<Vec<f64>>) -> Result<T, Fault>, [TryFrom<Vec<Vec<f64>>>],
    [where T::Error: Debug + Display], |rows| T::try_from(rows).map_err(Fault::of));
way!(FromVector NotFromVector vector_way: fn(Vec<f64>) -> Result<T, Fault>, [TryFrom<Vec<f64>>],
    [where T::Error: Debug + Display], |numbers| T::try_from(numbers).map_err(Fault::of));
way!(Copies NotCopies copy_way: fn(&T) -> T, [Clone], [], T::clone);
way!(Tells NotTells tell_way: fn(&T) -> Value, [Tell], [], T::tell);

/// How a parameter borrows from its slot. `Core`: the type that must lie there.
macro_rules! lend {
    ($level:ident for $($outer:tt)*) => {
        pub trait $level<'s> {
            type Core;
            type Lent;
            fn core(&self) -> Want<Self::Core> {
                Want::new()
            }
            fn lend(&self, slot: &'s mut Slot, ways: Ways<Self::Core>)
                -> Result<Self::Lent, Fault>;
        }
    };
}
lend!(LendOptional for);
lend!(LendReference for);
lend!(LendOwned for);

macro_rules! lent {
    ($level:ident $want:ty, [$($generic:tt)*] $core:ty, $lent:ty, $slot:ident $ways:ident => $body:expr) => {
        impl<'s, $($generic)*> $level<'s> for $want {
            type Core = $core;
            type Lent = $lent;
            fn lend(&self, $slot: &'s mut Slot, $ways: Ways<$core>) -> Result<$lent, Fault> {
                $slot.fill(&$ways)?;
                $body
            }
        }
    };
}

macro_rules! lent_optional {
    ([$($generic:tt)*] $core:ty, $lent:ty, $slot:ident => $body:expr) => {
        impl<'s, $($generic)*> LendOptional<'s> for &&Want<Option<$lent>> {
            type Core = $core;
            type Lent = Option<$lent>;
            fn lend(&self, $slot: &'s mut Slot, ways: Ways<$core>) -> Result<Self::Lent, Fault> {
                if $slot.is_nothing() {
                    return Ok(None);
                }
                $slot.fill(&ways)?;
                Ok(Some($body))
            }
        }
    };
}

lent_optional!([T: 'static] T, &'s T, slot => slot.get::<T>());
lent_optional!([T: 'static] Vec<T>, &'s [T], slot => slot.get::<Vec<T>>());
lent_optional!([] String, &'s str, slot => slot.get::<String>());
lent!(LendReference &Want<&'s T>, [T: 'static] T, &'s T, slot ways => Ok(slot.get()));
lent!(LendReference &Want<&'s [T]>, [T: 'static] Vec<T>, &'s [T], slot ways => Ok(slot.get::<Vec<T>>()));
lent!(LendReference &Want<&'s str>, [] String, &'s str, slot ways => Ok(slot.get::<String>()));
lent!(LendReference &Want<&'s mut T>, [T: 'static] T, &'s mut T, slot ways => slot.get_mut(&ways));
lent!(LendReference &Want<&'s mut [T]>, [T: 'static] Vec<T>, &'s mut [T],
    slot ways => Ok(slot.get_mut::<Vec<T>>(&ways)?));
lent!(LendOwned Want<T>, [T: 'static] T, T, slot ways => slot.take(&ways));

impl<'s, T: 'static> LendReference<'s> for &Want<Option<T>> {
    type Core = T;
    type Lent = Option<T>;
    fn lend(&self, slot: &'s mut Slot, ways: Ways<T>) -> Result<Option<T>, Fault> {
        if slot.is_nothing() {
            return Ok(None);
        }
        slot.fill(&ways)?;
        slot.take(&ways).map(Some)
    }
}

/// The argument for the parameter whose type is `$want`; a fault ends the function around it.
#[macro_export]
macro_rules! argument {
    ($want:ident, $slot:ident) => {{
        let core = (&&&$want).core();
        let ways = $crate::given::Ways {
            make: (&&core).make_way(),
            parse: (&&core).parse_way(),
            from_rows: (&&core).rows_way(),
            from_vector: (&&core).vector_way(),
            copy: (&&core).copy_way(),
            tell: (&&core).tell_way(),
        };
        let name = $slot.name.clone();
        match (&&&$want).lend($slot, ways) {
            ::core::result::Result::Ok(made) => made,
            ::core::result::Result::Err(fault) => {
                return ::core::result::Result::Err(fault.at(name).failure());
            }
        }
    }};
}
