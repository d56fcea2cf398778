//! Calls of what the interface names, and their answers.

use crate::given::Slot;
use crate::interface;
use crate::process::{Clock, Printed};
use crate::told::{Failure, Given, Kept};
use crate::wire::{Array, Elements, Value};
use std::any::Any;
use std::collections::HashMap;
use std::io;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::rc::Rc;

/// A function, a constructor or a method of the interface. `owner`: of a method, the class it belongs to.
pub struct Row {
    pub name: &'static str,
    pub owner: &'static str,
    pub arguments: &'static [&'static str],
    pub defaults: &'static [Option<&'static str>],
    pub ask: fn(&mut [Slot], &Given, &mut Clock) -> Result<Kept, Failure>,
    /// Of each parameter, whether it may be left out.
    pub optional: fn() -> Vec<bool>,
}

pub struct Worker {
    kept: HashMap<i64, Kept>,
    printed: Printed,
}

impl Worker {
    /// Standard output and error are its own from here on.
    pub fn new() -> io::Result<Worker> {
        Ok(Worker {
            kept: HashMap::new(),
            printed: Printed::redirected()?,
        })
    }

    pub fn forget(&mut self) {
        self.kept.clear();
    }

    pub fn answer(&mut self, request: &Value) -> Value {
        self.printed.empty();
        let mut clock = Clock::new(request.get("measured") != Some(&Value::Truth(false)));
        let mut changed = Vec::new();
        let done = catch_unwind(AssertUnwindSafe(|| {
            self.perform(request, &mut clock, &mut changed)
        }));
        let (key, value) = match done.unwrap_or_else(|panic| Err(panicked(&*panic))) {
            Ok(value) => ("value", value),
            Err(failure) => ("error", failure.value()),
        };
        let mut reply = vec![(
            "id".to_string(),
            request.get("id").cloned().unwrap_or(Value::Nothing),
        )];
        reply.extend(clock.told(key == "value"));
        reply.push((key.into(), value));
        reply.push(("warnings".into(), Value::List(vec![])));
        reply.push(("printed".into(), Value::text(self.printed.text())));
        reply.push(("changed".into(), Value::List(changed)));
        Value::Names(reply)
    }

    fn perform(
        &mut self,
        request: &Value,
        clock: &mut Clock,
        changed: &mut Vec<Value>,
    ) -> Result<Value, Failure> {
        let function = request
            .get("function")
            .and_then(Value::as_text)
            .unwrap_or_default();
        match request
            .get("what")
            .and_then(Value::as_text)
            .unwrap_or("call")
        {
            "call" => self.call(function, request, clock, changed),
            "exports" => Ok(Value::List(
                interface::EXPORTS.lines().map(Value::text).collect(),
            )),
            "signature" => Ok(signature(self.row(function, "")?)),
            "text" => self.shown(request),
            other => Err(Failure::new(
                "ArgumentError",
                format!("nobody knows how to do {other}"),
            )),
        }
    }

    fn row(&self, name: &str, owner: &str) -> Result<&'static Row, Failure> {
        let found = interface::TABLE
            .iter()
            .find(|row| row.name == name && row.owner == owner);
        found.ok_or_else(|| {
            Failure::new(
                "NoSuchFunction",
                format!("the interface names no {name} here"),
            )
        })
    }

    fn call(
        &mut self,
        function: &str,
        request: &Value,
        clock: &mut Clock,
        changed: &mut Vec<Value>,
    ) -> Result<Value, Failure> {
        let on = request.get("on").filter(|on| **on != Value::Nothing);
        let owner = on.map_or(Ok(""), |on| self.class(on))?;
        let row = self.row(function, owner)?;
        let (mut slots, places) = self.slots(row, on, request)?;
        let given: Given = Rc::new(
            slots
                .iter()
                .map(|slot| (slot.name.clone(), self.content(slot)))
                .collect(),
        );
        for slot in &slots {
            if let Some((id, _)) = slot.answer {
                self.kept.get_mut(&id).expect("it is known").value = None; // so that a call may change it
            }
        }
        let done = catch_unwind(AssertUnwindSafe(|| {
            let kept = (row.ask)(&mut slots, &given, clock)?;
            let told = told_fields(kept.described(), request.get("fields"));
            clock.stop();
            Ok((kept, told))
        }));
        clock.stop();
        for slot in &slots {
            if let Some((id, answer)) = &slot.answer {
                self.kept.get_mut(id).expect("it is known").value = Some(answer.clone());
            }
        }
        for (slot, (_, before)) in slots.iter().zip(given.iter()) {
            let is_other = |id: &i64| self.kept[id].described().encoded() != before.encoded();
            let moved = slot.answer.as_ref().is_some_and(|(id, _)| is_other(id));
            if let (Some(place), true) = (places.get(&slot.name), moved || slot.is_changed()) {
                changed.push(Value::text(place));
            }
        }
        let (kept, told) = done.unwrap_or_else(|panic| Err(panicked(&*panic)))?;
        if let Some(Value::Whole(id)) = request.get("id") {
            self.kept.insert(*id, kept);
        }
        Ok(told)
    }

    /// One for each parameter, and where each was given: its place or its name.
    fn slots(
        &self,
        row: &Row,
        on: Option<&Value>,
        request: &Value,
    ) -> Result<(Vec<Slot>, HashMap<String, String>), Failure> {
        let refuse = |why: String| Failure::new("ArgumentError", why);
        let placed = request.get("arguments").map_or(vec![], Value::items);
        if placed.len() > row.arguments.len() {
            let most = row.arguments.len();
            return Err(refuse(format!(
                "{} takes {most} arguments, {} are given",
                row.name,
                placed.len()
            )));
        }
        let mut sent: Vec<(&str, String, &Value)> = Vec::new();
        for (at, value) in placed.iter().enumerate() {
            sent.push((row.arguments[at], at.to_string(), value));
        }
        if let Some(Value::Names(parts)) = request.get("named") {
            for (name, value) in parts {
                let known = row.arguments.iter().find(|known| *known == name);
                let known =
                    known.ok_or_else(|| refuse(format!("{} has no argument {name}", row.name)))?;
                if sent.iter().any(|(other, ..)| other == known) {
                    return Err(refuse(format!("{name} is given twice")));
                }
                sent.push((known, name.clone(), value));
            }
        }
        let mut slots = Vec::new();
        if let Some(on) = on {
            slots.push(self.slot("self", Some(on))?);
        }
        for name in row.arguments {
            let found = sent
                .iter()
                .find(|(known, ..)| known == name)
                .map(|(.., value)| *value);
            slots.push(self.slot(name, found)?);
        }
        for at in 2..slots.len() {
            slots[at - 2].is_flat = is_flat(&slots[at - 2..=at]);
        }
        Ok((
            slots,
            sent.into_iter()
                .map(|(name, place, _)| (name.to_string(), place))
                .collect(),
        ))
    }

    fn slot(&self, name: &str, sent: Option<&Value>) -> Result<Slot, Failure> {
        let mut slot = Slot::default();
        slot.name = name.to_string();
        match sent {
            Some(value @ Value::Further(kind, inner)) if kind == "answer" => {
                let kept = self.kept(value)?;
                if path(value).is_empty() {
                    let Some(Value::Whole(id)) = inner.get("call") else {
                        unreachable!()
                    };
                    slot.answer = kept.value.clone().map(|value| (*id, value));
                }
                slot.value = Some(self.plain(value)?).filter(|value| !is_opaque(value));
            }
            Some(value) => slot.value = Some(self.plain(value)?),
            None => {}
        }
        Ok(slot)
    }

    fn kept(&self, answer: &Value) -> Result<&Kept, Failure> {
        let id = match answer {
            Value::Further(_, inner) => inner.get("call"),
            _ => None,
        };
        let found = if let Some(Value::Whole(id)) = id {
            self.kept.get(id)
        } else {
            None
        };
        found.ok_or_else(|| Failure::new("ArgumentError", "the earlier call has no answer"))
    }

    fn class(&self, on: &Value) -> Result<&'static str, Failure> {
        let kept = self.kept(on)?;
        if path(on).is_empty() {
            Ok(kept.class)
        } else {
            Err(Failure::new(
                "ArgumentError",
                "a method of a part of an answer cannot be asked",
            ))
        }
    }

    /// What an argument holds: of an earlier answer, its declared fields.
    fn content(&self, slot: &Slot) -> Value {
        match &slot.answer {
            Some((id, _)) => self.kept[id].described(),
            None => slot.value.clone().unwrap_or(Value::Nothing),
        }
    }

    fn shown(&self, request: &Value) -> Result<Value, Failure> {
        let first = request
            .get("arguments")
            .and_then(|list| list.as_list().first());
        let kept = self.kept(first.unwrap_or(&Value::Nothing))?;
        let no_text = || Failure::new("ArgumentError", "its type is neither Display nor Debug");
        kept.shown().map(Value::text).ok_or_else(no_text)
    }

    /// A value without what is only its dress in other languages.
    fn plain(&self, value: &Value) -> Result<Value, Failure> {
        let all = |items: &[Value]| {
            items
                .iter()
                .map(|item| self.plain(item))
                .collect::<Result<Vec<_>, _>>()
        };
        let inside =
            |inner: &Value, name: &str| self.plain(inner.get(name).unwrap_or(&Value::Nothing));
        Ok(match value {
            Value::List(items) => Value::List(all(items)?),
            Value::Names(parts) => {
                let one = |(name, part): &(String, Value)| Ok((name.clone(), self.plain(part)?));
                Value::Names(parts.iter().map(one).collect::<Result<_, Failure>>()?)
            }
            Value::Further(kind, inner) => match kind.as_str() {
                "answer" => path(value)
                    .iter()
                    .try_fold(self.kept(value)?.described(), part)?,
                "tuple" | "scalar" | "fortran" | "readonly" | "set" | "frozenset" | "logical" => {
                    self.plain(inner)?
                }
                "formula" => (**inner).clone(),
                "named" => inside(inner, "value")?,
                "series" => inside(inner, "values")?,
                "table" => inside(inner, "columns")?,
                "generator" if inner.get("name").is_none_or(|name| *name == Value::Nothing) => {
                    inside(inner, "seed")?
                }
                "factor" => factor(inner),
                "bytes" | "bytearray" => bytes(inner.as_text().unwrap_or_default()),
                _ => value.clone(),
            },
            _ => value.clone(),
        })
    }
}

/// The way to a part of an earlier answer.
fn path(answer: &Value) -> &[Value] {
    match answer {
        Value::Further(_, inner) => inner.get("path").map_or(&[], Value::as_list),
        _ => &[],
    }
}

fn is_opaque(value: &Value) -> bool {
    matches!(value, Value::Further(kind, _) if kind == "opaque" || kind == "object")
}

/// A matrix, and behind it the numbers of its rows and columns.
fn is_flat(slots: &[Slot]) -> bool {
    let is = |slot: &Slot, size: usize| match slot.value {
        Some(Value::Whole(whole)) => usize::try_from(whole) == Ok(size),
        Some(Value::Number(number)) => number == size as f64,
        _ => false,
    };
    match &slots[0].value {
        Some(Value::Array(Array { shape, .. })) if shape.len() == 2 => {
            is(&slots[1], shape[0]) && is(&slots[2], shape[1])
        }
        _ => false,
    }
}

fn part(value: Value, step: &Value) -> Result<Value, Failure> {
    let absent = || Failure::new("ArgumentError", "the earlier answer has no such part");
    let found = match (&value, step) {
        (Value::Further(kind, inner), Value::Text(Some(name))) if kind == "object" => {
            inner.get("fields").and_then(|fields| fields.get(name))
        }
        (Value::Further(kind, inner), Value::Text(Some(name))) if kind == "table" => {
            inner.get("columns").and_then(|columns| columns.get(name))
        }
        (Value::Names(_), Value::Text(Some(name))) => value.get(name),
        (Value::Further(kind, inner), Value::Whole(at)) if kind == "tuple" => usize::try_from(*at)
            .ok()
            .and_then(|at| inner.as_list().get(at)),
        (Value::List(items), Value::Whole(at)) => {
            usize::try_from(*at).ok().and_then(|at| items.get(at))
        }
        _ => None,
    };
    found.cloned().ok_or_else(absent)
}

pub fn factor(parts: &Value) -> Value {
    let levels = parts.get("levels").cloned().unwrap_or(Value::Nothing);
    let levels: Vec<Value> = match levels {
        Value::List(items) => items,
        Value::Array(Array {
            elements: Elements::Texts(items),
            ..
        }) => items.into_iter().map(Value::Text).collect(),
        _ => vec![],
    };
    let level = |code: i64| {
        usize::try_from(code - 1)
            .ok()
            .and_then(|at| levels.get(at))
            .cloned()
    };
    let codes: Vec<i64> = match parts.get("codes") {
        Some(Value::Array(Array {
            elements: Elements::Longs(codes),
            ..
        })) => codes.clone(),
        Some(Value::Array(Array {
            elements: Elements::Ints(codes),
            ..
        })) => codes.iter().map(|x| (*x).into()).collect(),
        Some(Value::Whole(code)) => vec![*code],
        _ => vec![],
    };
    Value::List(
        codes
            .into_iter()
            .map(|code| level(code).unwrap_or(Value::Nothing))
            .collect(),
    )
}

pub fn bytes(hex: &str) -> Value {
    let digit = |at: usize| u8::from_str_radix(hex.get(at..at + 2).unwrap_or("0"), 16).unwrap_or(0);
    let found: Vec<i64> = (0..hex.len() / 2).map(|at| digit(2 * at).into()).collect();
    Value::Array(Array {
        shape: vec![found.len()],
        elements: Elements::Longs(found),
    })
}

/// Of an object the fields that are asked for; without any, it cannot be handed over.
fn told_fields(value: Value, wanted: Option<&Value>) -> Value {
    let (classes, fields) = match &value {
        Value::Further(kind, inner) if kind == "object" => {
            (inner.get("classes"), inner.get("fields"))
        }
        _ => return value,
    };
    let (Some(classes), Some(Value::Names(fields))) = (classes, fields) else {
        return value;
    };
    let Some(Value::List(rows)) = wanted else {
        return Value::further(
            "opaque",
            classes.as_list().first().cloned().unwrap_or(Value::Nothing),
        );
    };
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for row in rows {
        let (name, inner) = (
            row.get("name").unwrap_or(row).as_text().unwrap_or_default(),
            row.get("fields"),
        );
        match fields.iter().find(|(known, _)| known == name) {
            _ if name == "*" => found.extend(fields.iter().cloned()),
            Some((_, part)) if inner.is_some() => {
                found.push((name.to_string(), told_fields(part.clone(), inner)))
            }
            Some((_, part)) => found.push((name.to_string(), part.clone())),
            None => missing.push(Value::text(name)),
        }
    }
    let parts = vec![
        ("classes".to_string(), classes.clone()),
        ("fields".to_string(), Value::Names(found)),
        ("missing".to_string(), Value::List(missing)),
    ];
    Value::further("object", Value::Names(parts))
}

/// A default that nobody may leave out is none.
fn signature(row: &Row) -> Value {
    let optional = (row.optional)();
    let one = |(at, name): (usize, &&str)| {
        let default = optional[at].then(|| Value::text(row.defaults[at].unwrap_or("None")));
        Value::Names(vec![
            ("name".into(), Value::text(*name)),
            ("default".into(), default.unwrap_or(Value::Nothing)),
            ("keyword_only".into(), Value::Truth(false)),
        ])
    };
    Value::List(row.arguments.iter().enumerate().map(one).collect())
}

fn panicked(panic: &(dyn Any + Send)) -> Failure {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_string());
    Failure::new(
        "panic",
        text.or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default(),
    )
}
