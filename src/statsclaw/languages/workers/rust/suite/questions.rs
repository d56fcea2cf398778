//! The data of the suite: what is asked, and values that expectations are about.

use crate::asking::Worker;
use crate::numbers::{
    chosen, covariance, diagonal, each, eigenvalues, in_rows, largest, matmul, mean, pairs,
    quantile, reduced, solved, transposed, truth, undressed, variance, within, Found, Numbers,
};
use crate::wire::{Array, Elements, Value};
use std::collections::HashMap;
use std::rc::Rc;

/// `answered`: what was answered, by chain and call.
pub struct Questions {
    pub data: Rc<Value>,
    worker: Worker,
    answered: HashMap<i64, HashMap<i64, Value>>,
}

pub fn whole(value: Option<&Value>) -> Found<i64> {
    match value {
        Some(Value::Whole(whole)) => Ok(*whole),
        _ => Err("there is no such number in questions.json".into()),
    }
}

pub fn part<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.get(name).unwrap_or(&Value::Nothing)
}

impl Questions {
    pub fn new(data: Value, worker: Worker) -> Questions {
        Questions {
            data: Rc::new(data),
            worker,
            answered: HashMap::new(),
        }
    }

    fn call<'a>(&self, data: &'a Value, id: i64) -> Found<&'a Value> {
        let calls = part(data, "calls").as_list();
        let found = calls
            .iter()
            .find(|row| row.get("id") == Some(&Value::Whole(id)));
        found.ok_or_else(|| format!("there is no call {id}"))
    }

    /// It is asked for together with its whole chain: calls that follow each other.
    pub fn answer(&mut self, id: i64) -> Found<Value> {
        let data = self.data.clone();
        let chain = whole(self.call(&data, id)?.get("chain"))?;
        if !self.answered.contains_key(&chain) {
            let found = self.chain(chain)?;
            self.answered.insert(chain, found);
        }
        Ok(self.answered[&chain]
            .get(&id)
            .cloned()
            .unwrap_or(Value::Nothing))
    }

    pub fn again(&mut self, id: i64) -> Found<Value> {
        let data = self.data.clone();
        let chain = whole(self.call(&data, id)?.get("chain"))?;
        Ok(self.chain(chain)?.remove(&id).unwrap_or(Value::Nothing))
    }

    fn chain(&mut self, number: i64) -> Found<HashMap<i64, Value>> {
        let (data, mut found) = (self.data.clone(), HashMap::new());
        self.worker.forget();
        for row in part(&data, "calls").as_list() {
            if row.get("chain") != Some(&Value::Whole(number)) {
                continue;
            }
            self.class(row)?;
            let mut request = vec![("measured".to_string(), Value::Truth(false))];
            for name in ["id", "what", "function", "seed", "fields"] {
                request.extend(row.get(name).map(|part| (name.to_string(), part.clone())));
            }
            for name in ["arguments", "on"] {
                request.push((name.into(), self.made(part(row, name), false)?));
            }
            let named = Value::Names(vec![("dict".into(), part(row, "named").clone())]);
            request.push(("named".into(), self.made(&named, false)?));
            found.insert(
                whole(row.get("id"))?,
                self.worker.answer(&Value::Names(request)),
            );
        }
        Ok(found)
    }

    /// The class of what a call returns. Only what the interface declares is ever called.
    fn class(&self, row: &Value) -> Found<Value> {
        if !["call", "signature"].contains(&part(row, "what").as_text().unwrap_or_default()) {
            return Ok(Value::Nothing);
        }
        let data = self.data.clone();
        let mut table = part(&data, "functions");
        if let Some(on) = row.get("on") {
            let cls = self.class(self.call(&data, whole(on.get("answer"))?)?)?;
            table = part(part(&data, "methods"), cls.as_text().unwrap_or_default());
        }
        let name = part(row, "function").as_text().unwrap_or_default();
        table
            .get(name)
            .cloned()
            .ok_or_else(|| format!("the interface does not declare {name}"))
    }

    /// A value as it is written in questions.json. `seen`: answers stand for what they hold.
    fn made(&mut self, node: &Value, seen: bool) -> Found<Value> {
        let (kind, inner) = match node {
            Value::List(parts) => {
                let made = parts
                    .iter()
                    .map(|part| self.made(part, seen))
                    .collect::<Found<Vec<_>>>()?;
                let reals: Option<Vec<f64>> = made
                    .iter()
                    .map(|part| {
                        if let Value::Number(x) = part {
                            Some(*x)
                        } else {
                            None
                        }
                    })
                    .collect();
                let is_vector = !made.is_empty() && reals.is_some();
                return Ok(if is_vector {
                    Value::vector(reals.unwrap_or_default())
                } else {
                    Value::List(made)
                });
            }
            Value::Names(parts) if !parts.is_empty() => (parts[0].0.as_str(), &parts[0].1),
            _ => return Ok(node.clone()),
        };
        let renamed = |name: &str| {
            let own = [
                (name.to_string(), inner.clone()),
                ("path".into(), part(node, "path").clone()),
            ];
            let rest = node
                .get("name")
                .map(|text| ("name".to_string(), text.clone()));
            Value::further(kind, Value::Names(own.into_iter().chain(rest).collect()))
        };
        match kind {
            "do" => self.calculated(inner.as_text().unwrap_or_default(), node),
            "answer" if seen => self.seen(node),
            "answer" => Ok(renamed("call")),
            "generator" => Ok(renamed("seed")),
            "data" => {
                let data = self.data.clone();
                self.made(
                    part(part(&data, "data"), inner.as_text().unwrap_or_default()),
                    seen,
                )
            }
            "array" => array(node, inner),
            "dict" => match inner {
                Value::Names(parts) => {
                    let one =
                        |(name, part): &(String, Value)| Ok((name.clone(), self.made(part, seen)?));
                    Ok(Value::Names(parts.iter().map(one).collect::<Found<_>>()?))
                }
                _ => Ok(Value::Names(vec![])),
            },
            "masked" => {
                let parts = inner
                    .as_list()
                    .iter()
                    .map(|part| self.made(part, seen))
                    .collect::<Found<Vec<_>>>()?;
                let shown = |value, is_missing| if is_missing == 0.0 { value } else { f64::NAN };
                Ok(pairs(&parts[0], &parts[1], shown)?.value())
            }
            _ => Ok(Value::further(kind, self.made(inner, seen)?)),
        }
    }

    /// What an expectation is about: an answer, a part of one, or what is calculated from them.
    pub fn value(&mut self, node: &Value) -> Found<Value> {
        self.made(node, true)
    }

    fn seen(&mut self, node: &Value) -> Found<Value> {
        let id = whole(node.get("answer"))?;
        let answer = self.answer(id)?;
        if let Some(error) = answer.get("error") {
            let data = self.data.clone();
            let name = part(self.call(&data, id)?, "function")
                .as_text()
                .unwrap_or_default();
            return Err(format!("{name} raised {}", said(error)));
        }
        let path = part(node, "path").as_list();
        path.iter()
            .try_fold(part(&answer, "value").clone(), |value, step| {
                part_of(&value, step)
            })
    }

    fn calculated(&mut self, name: &str, node: &Value) -> Found<Value> {
        let operands = part(node, "of").as_list();
        let of = operands
            .iter()
            .map(|operand| self.value(operand))
            .collect::<Found<Vec<_>>>()?;
        let settings = part(node, "with");
        let (first, second, axis) = (
            &of[0],
            of.get(1).unwrap_or(&Value::Nothing),
            part(settings, "axis"),
        );
        let divisor = settings.get("divisor").map_or(Ok(1.0), number)?;
        let is_equal = |a: f64, b: f64| truth((a == b) == (name == "equal"));
        let found = match name {
            "part" => return element(first, part(settings, "at").as_list()),
            "length" => Numbers::one(length(first)? as f64),
            "shape" => {
                let sizes = Numbers::of(first)?.sizes;
                Numbers::vector(sizes.into_iter().map(|size| size as f64).collect())
            }
            "names" => {
                let rows = names_and_values(first);
                let list = |rows: Vec<(String, Value)>| {
                    rows.into_iter()
                        .map(|(name, _)| Value::text(name))
                        .collect()
                };
                return Ok(rows.map_or(Value::Nothing, |rows| Value::List(list(rows))));
            }
            "equal" | "different" => match (undressed(first), undressed(second)) {
                (a @ Value::Text(_), b) | (a, b @ Value::Text(_)) => {
                    return Ok(Value::Truth((a == b) == (name == "equal")))
                }
                _ => pairs(first, second, is_equal)?,
            },
            "mean" => reduced(first, axis, mean)?,
            "total" => reduced(first, axis, |data| data.iter().sum())?,
            "median" => reduced(first, axis, |data| quantile(data, 0.5))?,
            "smallest" => reduced(first, axis, |data| largest(data, -1.0))?,
            "largest" => reduced(first, axis, |data| largest(data, 1.0))?,
            "sd" => reduced(first, axis, |data| variance(data, divisor).sqrt())?,
            "var" => reduced(first, axis, |data| variance(data, divisor))?,
            "quantile" => {
                let wanted = Numbers::reals(&self.value(part(settings, "probability"))?)?;
                let one = |p: &f64| reduced(first, axis, |data| quantile(data, *p));
                let mut parts = wanted.data.iter().map(one).collect::<Found<Vec<_>>>()?;
                if wanted.sizes.is_empty() {
                    parts.remove(0)
                } else {
                    in_rows(parts)?
                }
            }
            "cov" | "cor" => covariance(first, name == "cor")?,
            "sorted" => {
                let mut data = Numbers::reals(first)?.data;
                data.sort_by(f64::total_cmp);
                Numbers::vector(data)
            }
            "transposed" => transposed(first)?,
            "diag" => diagonal(first)?,
            "abs" => each(first, f64::abs)?,
            "sqrt" => each(first, f64::sqrt)?,
            "exp" => each(first, f64::exp)?,
            "log" => each(first, f64::ln)?,
            "plus" => pairs(first, second, |a, b| a + b)?,
            "minus" => pairs(first, second, |a, b| a - b)?,
            "times" => pairs(first, second, |a, b| a * b)?,
            "over" => pairs(first, second, |a, b| a / b)?,
            "power" => pairs(first, second, f64::powf)?,
            "below" => pairs(first, second, |a, b| truth(a < b))?,
            "at most" => pairs(first, second, |a, b| truth(a <= b))?,
            "matmul" => matmul(first, second)?,
            "solve" => solved(first, second)?,
            "eigenvalues" => eigenvalues(first)?,
            _ => return Err(format!("nothing is known of {name}")),
        };
        Ok(found.value())
    }
}

pub fn number(value: &Value) -> Found<f64> {
    Ok(Numbers::reals(value)?.data[0])
}

pub fn said(condition: &Value) -> String {
    let class = part(condition, "classes")
        .as_list()
        .first()
        .and_then(Value::as_text);
    let message = part(condition, "message").as_text().unwrap_or_default();
    format!("{}: {message}", class.unwrap_or_default())
}

/// An array with the type that it has in a run.
fn array(node: &Value, inner: &Value) -> Found<Value> {
    let kind = part(node, "dtype").as_text().unwrap_or_default();
    if kind == "str" || kind == "object" {
        return Ok(inner.clone());
    }
    let found = Numbers::reals(inner)?;
    let sizes = match node.get("shape") {
        Some(sizes) => Numbers::reals(sizes)?
            .data
            .into_iter()
            .map(|size| size as usize)
            .collect(),
        None => found.sizes,
    };
    let elements = if kind.starts_with("complex") {
        Elements::Complex(
            found
                .data
                .chunks(2)
                .map(|pair| [pair[0], pair[1]])
                .collect(),
        )
    } else if kind == "bool" {
        Elements::Truths(found.data.iter().map(|one| *one as u8).collect())
    } else if kind.starts_with("int") || kind.starts_with("uint") {
        let mut data = vec![];
        if !wholes(inner, &mut data) {
            return Ok(inner.clone()); // one of them is too large
        }
        Elements::Longs(data)
    } else {
        Elements::Doubles(found.data)
    };
    Ok(Value::Array(Array {
        shape: sizes,
        elements,
    }))
}

fn wholes(value: &Value, found: &mut Vec<i64>) -> bool {
    match value {
        Value::List(parts) => parts.iter().all(|part| wholes(part, found)),
        Value::Whole(whole) => {
            found.push(*whole);
            true
        }
        _ => false,
    }
}

/// The parts of what has names.
pub fn names_and_values(value: &Value) -> Option<Vec<(String, Value)>> {
    match value {
        Value::Further(kind, inner) if kind == "object" => names_and_values(inner.get("fields")?),
        _ => match undressed(value) {
            Value::Names(parts) => Some(parts),
            _ => None,
        },
    }
}

fn part_of(value: &Value, step: &Value) -> Found<Value> {
    if let (Some(name), Some(parts)) = (step.as_text(), names_and_values(value)) {
        if let Some((_, found)) = parts.into_iter().find(|(known, _)| known == name) {
            return Ok(found);
        }
    }
    if let (Value::Whole(place), Value::List(parts)) = (step, undressed(value)) {
        return Ok(parts[within(*place, parts.len())?].clone());
    }
    Err(format!("the answer has no {step:?}"))
}

fn element(value: &Value, places: &[Value]) -> Found<Value> {
    if let [place] = places {
        if place.as_text().is_some() {
            return part_of(value, place);
        }
        if let Value::List(parts) = undressed(value) {
            if let Value::Whole(_) = place {
                return part_of(value, place);
            }
            let rows = chosen(place, parts.len())?;
            return Ok(Value::List(
                rows.into_iter().map(|k| parts[k].clone()).collect(),
            ));
        }
    }
    Ok(Numbers::reals(value)?.at(places)?.value())
}

fn length(value: &Value) -> Found<usize> {
    if let Some(parts) = names_and_values(value) {
        return Ok(parts.len());
    }
    match undressed(value) {
        Value::List(parts) => Ok(parts.len()),
        Value::Text(Some(text)) => Ok(text.chars().count()),
        Value::Array(array) => Ok(array.shape[0]),
        other => Numbers::of(&other).map(|_| 1),
    }
}
