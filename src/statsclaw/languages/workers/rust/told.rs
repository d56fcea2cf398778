//! What is returned: as values, as objects with declared fields, as errors.

use crate::wire::{Array, Elements, Value};
use std::any::{type_name, Any};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::convert::Infallible;
use std::fmt::{Debug, Display};
use std::rc::Rc;
use std::sync::Arc;

const LONGEST_TEXT: usize = 4000;

// --- types that are values ----------------------------------------------------------------------

pub trait Tell {
    fn tell(&self) -> Value;

    fn many(items: &[Self]) -> Value
    where
        Self: Sized,
    {
        stacked(items.iter().map(Self::tell).collect())
    }

    /// What stands in a vector for an element that is not there.
    fn missing() -> Value
    where
        Self: Sized,
    {
        Value::Nothing
    }
}

/// One array of parts of the same shape; else a list.
fn stacked(parts: Vec<Value>) -> Value {
    let Some(Value::Array(first)) = parts.first() else {
        return Value::List(parts);
    };
    let (inner, mut elements) = (first.shape.clone(), first.elements.slice(0, 0));
    for part in &parts {
        match part {
            Value::Array(array) if array.shape == inner && elements.append(&array.elements) => {}
            _ => return Value::List(parts),
        }
    }
    let shape = [vec![parts.len()], inner].concat();
    Value::Array(Array { shape, elements })
}

fn array_of(elements: Elements) -> Value {
    Value::Array(Array {
        shape: vec![elements.len()],
        elements,
    })
}

macro_rules! tell_number {
    ($($kind:ty, $single:expr, $many:expr;)*) => {$(
        impl Tell for $kind {
            fn tell(&self) -> Value {
                $single(*self)
            }
            fn many(items: &[Self]) -> Value {
                array_of($many(items))
            }
        }
    )*};
}

fn longs<T: Copy + Into<i64>>(items: &[T]) -> Elements {
    Elements::Longs(items.iter().map(|item| (*item).into()).collect())
}

tell_number! {
    bool, Value::Truth, |items: &[bool]| Elements::Truths(items.iter().map(|item| u8::from(*item)).collect());
    i8, |x: i8| Value::Whole(x.into()), longs;
    i16, |x: i16| Value::Whole(x.into()), longs;
    i32, |x: i32| Value::Whole(x.into()), longs;
    i64, Value::Whole, longs;
    u8, |x: u8| Value::Whole(x.into()), longs;
    u16, |x: u16| Value::Whole(x.into()), longs;
    u32, |x: u32| Value::Whole(x.into()), longs;
}

impl Tell for f64 {
    fn tell(&self) -> Value {
        Value::Number(*self)
    }
    fn many(items: &[Self]) -> Value {
        Value::vector(items.to_vec())
    }
    fn missing() -> Value {
        Value::Number(f64::NAN)
    }
}

impl Tell for f32 {
    fn tell(&self) -> Value {
        Value::Number((*self).into())
    }
    fn many(items: &[Self]) -> Value {
        array_of(Elements::Floats(items.to_vec()))
    }
    fn missing() -> Value {
        Value::Number(f64::NAN)
    }
}

/// Whole numbers that may be larger than what the format holds.
macro_rules! tell_large {
    ($($kind:ty)*) => {$(
        impl Tell for $kind {
            fn tell(&self) -> Value {
                match i64::try_from(*self) {
                    Ok(whole) => Value::Whole(whole),
                    Err(_) => {
                        let sign = if self.to_string().starts_with('-') { "-" } else { "" };
                        let digits = format!("{sign}{:#x}", (*self as i128).unsigned_abs());
                        Value::further("integer", Value::text(digits))
                    }
                }
            }
            fn many(items: &[Self]) -> Value {
                let found: Result<Vec<i64>, _> = items.iter().map(|item| i64::try_from(*item)).collect();
                match found {
                    Ok(found) => array_of(Elements::Longs(found)),
                    Err(_) => Value::List(items.iter().map(Self::tell).collect()),
                }
            }
        }
    )*};
}
tell_large!(u64 usize isize i128);

impl Tell for () {
    fn tell(&self) -> Value {
        Value::Nothing
    }
}

impl Tell for str {
    fn tell(&self) -> Value {
        Value::text(self)
    }
}

impl Tell for String {
    fn tell(&self) -> Value {
        Value::text(self)
    }
}

impl Tell for char {
    fn tell(&self) -> Value {
        Value::text(*self)
    }
}

impl<T: Tell> Tell for Option<T> {
    fn tell(&self) -> Value {
        self.as_ref().map_or(Value::Nothing, T::tell)
    }

    fn many(items: &[Self]) -> Value {
        let parts: Vec<Value> = items
            .iter()
            .map(|item| item.as_ref().map_or_else(T::missing, T::tell))
            .collect();
        let numbers = parts.iter().map(|part| {
            if let Value::Number(x) = part {
                Some(*x)
            } else {
                None
            }
        });
        numbers
            .collect::<Option<Vec<f64>>>()
            .map_or(Value::List(parts), Value::vector)
    }
}

impl<T: Tell> Tell for [T] {
    fn tell(&self) -> Value {
        T::many(self)
    }
}

macro_rules! tell_vector {
    ([$($generic:tt)*] $kind:ty) => {
        impl<$($generic)*> Tell for $kind {
            fn tell(&self) -> Value {
                T::many(&self[..])
            }
            fn many(items: &[Self]) -> Value {
                if !items.is_empty() {
                    return stacked(items.iter().map(Self::tell).collect());
                }
                match T::many(&[]) {
                    Value::Array(Array { shape, elements }) => {
                        Value::Array(Array { shape: [vec![0], shape].concat(), elements })
                    }
                    other => other,
                }
            }
        }
    };
}
tell_vector!([T: Tell] Vec<T>);
tell_vector!([T: Tell] Box<[T]>);
tell_vector!([T: Tell, const N: usize] [T; N]);

macro_rules! tell_inner {
    ($($kind:ty)*) => {$(
        impl<T: Tell + ?Sized> Tell for $kind {
            fn tell(&self) -> Value {
                T::tell(&**self)
            }
        }
    )*};
}
tell_inner!(&T Rc<T> Arc<T>);

impl<T: Tell> Tell for Box<T> {
    fn tell(&self) -> Value {
        T::tell(self)
    }
}

impl<T: Tell + ToOwned + ?Sized> Tell for Cow<'_, T> {
    fn tell(&self) -> Value {
        T::tell(self)
    }
}

macro_rules! tell_tuple {
    ($($kind:ident $at:tt)*) => {
        impl<$($kind: Tell),*> Tell for ($($kind,)*) {
            fn tell(&self) -> Value {
                Value::further("tuple", Value::List(vec![$(self.$at.tell()),*]))
            }
        }
    };
}
tell_tuple!(A 0 B 1);
tell_tuple!(A 0 B 1 C 2);
tell_tuple!(A 0 B 1 C 2 D 3);
tell_tuple!(A 0 B 1 C 2 D 3 E 4);
tell_tuple!(A 0 B 1 C 2 D 3 E 4 F 5);

impl<K: AsRef<str>, T: Tell> Tell for BTreeMap<K, T> {
    fn tell(&self) -> Value {
        Value::Names(
            self.iter()
                .map(|(name, part)| (name.as_ref().to_string(), part.tell()))
                .collect(),
        )
    }
}

impl<K: AsRef<str>, T: Tell, S> Tell for HashMap<K, T, S> {
    fn tell(&self) -> Value {
        let mut parts: Vec<_> = self
            .iter()
            .map(|(name, part)| (name.as_ref().to_string(), part.tell()))
            .collect();
        parts.sort_by(|a, b| a.0.cmp(&b.0));
        Value::Names(parts)
    }
}

impl<T: Tell> Tell for BTreeSet<T> {
    fn tell(&self) -> Value {
        Value::further("set", Value::List(self.iter().map(T::tell).collect()))
    }
}

// --- what else there is -------------------------------------------------------------------------

/// A reference whose type the compiler looks at: of the impls below it takes the first whose bounds hold, the one with
/// the most `&` first.
pub struct Seen<'a, T: ?Sized>(pub &'a T);

pub trait TellPlain {
    fn told(&self) -> Value;
}
impl<T: Tell + ?Sized> TellPlain for &&&Seen<'_, T> {
    fn told(&self) -> Value {
        self.0.tell()
    }
}

pub trait TellRows {
    fn told(&self) -> Value;
}
impl<T: Clone + Into<Vec<Vec<f64>>>> TellRows for &&Seen<'_, T> {
    fn told(&self) -> Value {
        self.0.clone().into().tell()
    }
}

pub trait TellVector {
    fn told(&self) -> Value;
}
impl<T: Clone + Into<Vec<f64>>> TellVector for &Seen<'_, T> {
    fn told(&self) -> Value {
        self.0.clone().into().tell()
    }
}

pub trait TellKind {
    fn told(&self) -> Value;
}
impl<T: ?Sized> TellKind for Seen<'_, T> {
    fn told(&self) -> Value {
        Value::further("opaque", Value::text(type_name::<T>()))
    }
}

pub trait ShowPlain {
    fn shown(&self) -> Option<String>;
}
impl<T: Display + ?Sized> ShowPlain for &&Seen<'_, T> {
    fn shown(&self) -> Option<String> {
        Some(self.0.to_string())
    }
}

pub trait ShowDebug {
    fn shown(&self) -> Option<String>;
}
impl<T: Debug + ?Sized> ShowDebug for &Seen<'_, T> {
    fn shown(&self) -> Option<String> {
        Some(format!("{:?}", self.0))
    }
}

pub trait ShowNothing {
    fn shown(&self) -> Option<String>;
}
impl<T: ?Sized> ShowNothing for Seen<'_, T> {
    fn shown(&self) -> Option<String> {
        None
    }
}

/// The leading name of the Debug form: of an enum its variant.
pub trait NameDebug {
    fn variant(&self) -> Option<String>;
}
impl<T: Debug + ?Sized> NameDebug for &Seen<'_, T> {
    fn variant(&self) -> Option<String> {
        let shown = format!("{:?}", self.0);
        let name: String = shown
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        name.starts_with(|c: char| c.is_alphabetic())
            .then_some(name)
    }
}

pub trait NameNothing {
    fn variant(&self) -> Option<String>;
}
impl<T: ?Sized> NameNothing for Seen<'_, T> {
    fn variant(&self) -> Option<String> {
        None
    }
}

/// What may be absent, without its Option.
pub trait OpenOption<'a> {
    type Inner;
    fn opened(&self) -> Option<&'a Self::Inner>;
}
impl<'a, T> OpenOption<'a> for &Seen<'a, Option<T>> {
    type Inner = T;
    fn opened(&self) -> Option<&'a T> {
        self.0.as_ref()
    }
}

pub trait OpenPlain<'a> {
    type Inner: ?Sized;
    fn opened(&self) -> Option<&'a Self::Inner>;
}
impl<'a, T: ?Sized> OpenPlain<'a> for Seen<'a, T> {
    type Inner = T;
    fn opened(&self) -> Option<&'a T> {
        Some(self.0)
    }
}

/// The last name of a type's path, without what stands in angle brackets.
pub fn short_name<T: ?Sized>(_: &T) -> String {
    let name = type_name::<T>()
        .trim_start_matches(['&', '['])
        .trim_start_matches("mut ");
    let plain = name.split('<').next().unwrap_or(name);
    plain.rsplit("::").next().unwrap_or(plain).to_string()
}

// --- what a function returned -------------------------------------------------------------------

/// A value that is taken out once, by whichever impl fits its type.
pub struct Found<R>(Cell<Option<R>>);

impl<R> Found<R> {
    pub fn new(found: R) -> Self {
        Found(Cell::new(Some(found)))
    }

    fn out(&self) -> R {
        self.0.take().expect("it is taken out once")
    }
}

pub trait SettleResult {
    type Value;
    type Error;
    fn settled(&self) -> Result<Self::Value, Self::Error>;
}
impl<T, E> SettleResult for &Found<Result<T, E>> {
    type Value = T;
    type Error = E;
    fn settled(&self) -> Result<T, E> {
        self.out()
    }
}

pub trait SettlePlain {
    type Value;
    fn settled(&self) -> Result<Self::Value, Infallible>;
}
impl<T> SettlePlain for Found<T> {
    type Value = T;
    fn settled(&self) -> Result<T, Infallible> {
        Ok(self.out())
    }
}

pub trait PresentOption {
    type Inner;
    fn present(&self) -> Option<Self::Inner>;
}
impl<T> PresentOption for &Found<Option<T>> {
    type Inner = T;
    fn present(&self) -> Option<T> {
        self.out()
    }
}

pub trait PresentPlain {
    type Inner;
    fn present(&self) -> Option<Self::Inner>;
}
impl<T> PresentPlain for Found<T> {
    type Inner = T;
    fn present(&self) -> Option<T> {
        Some(self.out())
    }
}

macro_rules! own {
    ($level:ident $found:ty, [$($generic:tt)*] $owned:ty, $value:ident => $body:expr) => {
        impl<$($generic)*> $level for $found {
            type Owned = $owned;
            fn owned(&self) -> $owned {
                let $value = self.out();
                $body
            }
        }
    };
}

macro_rules! owning {
    ($($level:ident)*) => {$(
        pub trait $level {
            type Owned;
            fn owned(&self) -> Self::Owned;
        }
    )*};
}
owning!(OwnOptional OwnReference OwnPlain);

own!(OwnOptional &&Found<Option<&T>>, [T: Clone] Option<T>, value => value.cloned());
own!(OwnOptional &&Found<Option<&[T]>>, [T: Clone] Option<Vec<T>>, value => value.map(<[T]>::to_vec));
own!(OwnOptional &&Found<Option<&str>>, [] Option<String>, value => value.map(str::to_string));
own!(OwnReference &Found<&T>, [T: Clone] T, value => value.clone());
own!(OwnReference &Found<&[T]>, [T: Clone] Vec<T>, value => value.to_vec());
own!(OwnReference &Found<Box<T>>, [T] T, value => *value);
own!(OwnReference &Found<&str>, [] String, value => value.to_string());
own!(OwnPlain Found<T>, [T] T, value => value);

pub struct Failure {
    pub classes: Vec<String>,
    pub message: String,
}

impl Failure {
    pub fn new(class: &str, message: impl Into<String>) -> Failure {
        Failure {
            classes: vec![class.to_string()],
            message: message.into(),
        }
    }

    pub fn returned(variant: Option<String>, kind: String, message: Option<String>) -> Failure {
        let mut classes: Vec<String> = variant.into_iter().chain([kind]).collect();
        classes.dedup();
        Failure {
            classes,
            message: message.unwrap_or_default(),
        }
    }

    pub fn value(&self) -> Value {
        let message: String = self.message.chars().take(LONGEST_TEXT).collect();
        let classes = self.classes.iter().map(|name| name.tell()).collect();
        Value::Names(vec![
            ("classes".into(), Value::List(classes)),
            ("message".into(), Value::text(message)),
        ])
    }
}

/// What a call has returned, for later calls on it. `class`: by which its methods are found.
pub struct Kept {
    pub value: Option<Rc<dyn Any>>,
    pub class: &'static str,
    describe: Box<dyn Fn(&dyn Any) -> Value>,
    show: Box<dyn Fn(&dyn Any) -> Option<String>>,
}

impl Kept {
    pub fn new<T: 'static>(
        class: &'static str,
        value: T,
        describe: impl Fn(&T) -> Value + 'static,
        show: impl Fn(&T) -> Option<String> + 'static,
    ) -> Kept {
        Kept {
            value: Some(Rc::new(value)),
            class,
            describe: Box::new(move |value| value.downcast_ref().map_or(Value::Nothing, &describe)),
            show: Box::new(move |value| value.downcast_ref().and_then(&show)),
        }
    }

    pub fn nothing() -> Kept {
        Kept::new("", (), Tell::tell, |_| None)
    }

    pub fn described(&self) -> Value {
        self.value
            .as_ref()
            .map_or(Value::Nothing, |value| (self.describe)(&**value))
    }

    pub fn shown(&self) -> Option<String> {
        self.value.as_ref().and_then(|value| (self.show)(&**value))
    }
}

// --- objects and their shapes -------------------------------------------------------------------

/// One length: of what has the name, or a number; `how` is rows, cols, length, distinct or nothing.
pub struct Length {
    pub how: &'static str,
    pub name: &'static str,
    pub more: i64,
}

/// The arguments of a call, as far as lengths are told by them.
pub type Given = Rc<Vec<(String, Value)>>;

impl Length {
    fn of(&self, fields: &[(String, Value)], given: &[(String, Value)]) -> Option<usize> {
        let named = |rows: &[(String, Value)]| {
            rows.iter()
                .find(|(name, _)| name == self.name)
                .map(|(_, value)| self.told_by(value))
        };
        let found = match self.name.parse::<i64>() {
            Ok(number) => Some(number),
            Err(_) => named(given).or_else(|| named(fields)).flatten(),
        };
        usize::try_from(found? + self.more).ok()
    }

    fn told_by(&self, value: &Value) -> Option<i64> {
        let shape = || shape_of(value);
        let found = match self.how {
            "rows" => *shape()?.first()?,
            "cols" => *shape()?.get(1)?,
            "length" => shape()?.first().copied().unwrap_or(1),
            "distinct" => distinct(value)?,
            _ => match value {
                Value::Whole(whole) => return Some(*whole),
                Value::Number(number) => return Some(*number as i64),
                _ => return None,
            },
        };
        i64::try_from(found).ok()
    }
}

pub fn shape_of(value: &Value) -> Option<Vec<usize>> {
    match value {
        Value::Truth(_) | Value::Whole(_) | Value::Number(_) => Some(vec![]),
        Value::Array(array) => Some(array.shape.clone()),
        Value::List(items) => match items.first() {
            Some(first) => Some([vec![items.len()], shape_of(first)?].concat()),
            None => Some(vec![0]),
        },
        Value::Names(columns) => Some(vec![
            *shape_of(&columns.first()?.1)?.first()?,
            columns.len(),
        ]),
        _ => None,
    }
}

fn distinct(value: &Value) -> Option<usize> {
    let Value::Array(array) = value else {
        return None;
    };
    let numbers: Vec<f64> = match &array.elements {
        Elements::Doubles(items) => items.clone(),
        Elements::Longs(items) => items.iter().map(|x| *x as f64).collect(),
        Elements::Ints(items) => items.iter().map(|x| f64::from(*x)).collect(),
        Elements::Truths(items) => items.iter().map(|x| f64::from(*x)).collect(),
        _ => return None,
    };
    let mut found: Vec<f64> = numbers
        .into_iter()
        .filter(|x| !x.is_nan())
        .map(|x| x + 0.0)
        .collect();
    found.sort_by(f64::total_cmp);
    found.dedup();
    Some(found.len())
}

/// A flat matrix gets the dimensions that are declared, where its length fits.
pub fn shaped(
    value: Value,
    shape: &[Length],
    fields: &[(String, Value)],
    given: &[(String, Value)],
) -> Value {
    match value {
        Value::Array(Array {
            shape: flat,
            elements,
        }) if flat.len() == 1 && shape.len() > 1 => {
            let sizes: Option<Vec<usize>> = shape
                .iter()
                .map(|length| length.of(fields, given))
                .collect();
            let fits = |sizes: &Vec<usize>| sizes.iter().product::<usize>() == elements.len();
            Value::Array(Array {
                shape: sizes.filter(fits).unwrap_or(flat),
                elements,
            })
        }
        other => other,
    }
}

/// Its parts with their shapes.
pub fn parts(
    found: Vec<(&str, Value)>,
    shapes: &[(&str, &[Length])],
    given: &Given,
) -> Vec<(String, Value)> {
    let plain: Vec<(String, Value)> = found
        .into_iter()
        .map(|(name, part)| (name.to_string(), part))
        .collect();
    let with_shape = |(name, part): &(String, Value)| {
        let shape = shapes
            .iter()
            .find(|(known, _)| known == name)
            .map_or(&[][..], |(_, shape)| *shape);
        (name.clone(), shaped(part.clone(), shape, &plain, given))
    };
    plain.iter().map(with_shape).collect()
}

pub fn object<T: ?Sized>(value: &T, fields: Vec<(String, Value)>) -> Value {
    Value::further(
        "object",
        Value::Names(vec![
            (
                "classes".into(),
                Value::List(vec![Value::text(short_name(value))]),
            ),
            ("fields".into(), Value::Names(fields)),
            ("missing".into(), Value::List(vec![])),
        ]),
    )
}

/// Names and columns, or a list of both.
pub fn table(columns: Value) -> Value {
    let pair = |row: &Value| match row {
        Value::Further(_, parts) => match parts.as_list() {
            [Value::Text(Some(name)), column] => Some((name.clone(), column.clone())),
            _ => None,
        },
        _ => None,
    };
    let columns = match &columns {
        Value::List(rows) => rows
            .iter()
            .map(pair)
            .collect::<Option<_>>()
            .map_or(columns, Value::Names),
        _ => columns,
    };
    match columns {
        Value::Names(_) => {
            let parts = vec![
                ("columns".into(), columns),
                ("index".into(), Value::Nothing),
            ];
            Value::further("table", Value::Names(parts))
        }
        other => other,
    }
}

#[macro_export]
macro_rules! told {
    ($value:expr) => {
        (&&&&$crate::told::Seen($value)).told()
    };
}

#[macro_export]
macro_rules! told_as_text {
    ($value:expr) => {{
        let value = $value;
        match (&&&&$crate::told::Seen(value)).told() {
            $crate::wire::Value::Further(..) => match (&&&$crate::told::Seen(value)).shown() {
                ::core::option::Option::Some(text) => $crate::wire::Value::text(text),
                ::core::option::Option::None => (&&&&$crate::told::Seen(value)).told(),
            },
            found => found,
        }
    }};
}

/// `$body` with what is there, nothing where it is absent.
#[macro_export]
macro_rules! within {
    ($value:expr, $part:ident => $body:expr) => {
        match (&&$crate::told::Seen($value)).opened() {
            ::core::option::Option::Some($part) => $body,
            ::core::option::Option::None => $crate::wire::Value::Nothing,
        }
    };
}

/// What is there of an object; an object that is absent ends the function around it.
#[macro_export]
macro_rules! present {
    ($found:expr) => {
        match (&&$crate::told::Found::new($found)).present() {
            ::core::option::Option::Some(found) => found,
            ::core::option::Option::None => {
                return ::core::result::Result::Ok($crate::told::Kept::nothing())
            }
        }
    };
}

/// What a function returned, without its Result and without references; an error ends the function around it.
#[macro_export]
macro_rules! returned {
    ($found:expr) => {
        match (&&$crate::told::Found::new($found)).settled() {
            ::core::result::Result::Ok(value) => (&&&$crate::told::Found::new(value)).owned(),
            ::core::result::Result::Err(error) => {
                return ::core::result::Result::Err($crate::told::Failure::returned(
                    (&&$crate::told::Seen(&error)).variant(),
                    $crate::told::short_name(&error),
                    (&&&$crate::told::Seen(&error)).shown(),
                ));
            }
        }
    };
}
