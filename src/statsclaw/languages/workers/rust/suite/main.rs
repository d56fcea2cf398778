//! Asks the package the questions and compares the answers: program QUESTIONS RESULTS FIRST
//!
//! The test beside this folder compiles it with the package, and begins it again behind a case in which it ended.

#![allow(dead_code)] // what is used depends on the interface

mod asking;
mod given;
mod interface;
mod json;
mod numbers;
mod process;
mod questions;
mod told;
mod wire;

use asking::{Row, Worker};
use numbers::{each, imagined, pairs, truth, undressed, Found, Numbers};
use questions::{names_and_values, number, part, said, whole, Questions};
use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::Write;
use wire::{Elements, Value};

fn main() -> Result<(), Box<dyn Error>> {
    let places: Vec<String> = std::env::args().collect();
    let text = fs::read_to_string(&places[1])?;
    let mut results = OpenOptions::new()
        .append(true)
        .create(true)
        .open(&places[2])?;
    let mut questions = Questions::new(json::read(&text)?, Worker::new()?);
    for (at, case) in cases(&questions.data).into_iter().enumerate() {
        if at >= places[3].parse()? {
            writeln!(results, "begin")?;
            let wrong = wrong(&mut questions, &case).unwrap_or_else(|why| why);
            writeln!(results, "end {}", wrong.replace(['\n', '\r'], " "))?;
        }
    }
    Ok(())
}

/// What is claimed of a criterion in one case.
struct Case {
    key: [Value; 4],
    claims: Vec<Value>,
}

fn cases(data: &Value) -> Vec<Case> {
    let mut found: Vec<Case> = Vec::new();
    for claim in part(data, "claims").as_list() {
        let key =
            ["scenario", "case", "criterion", "left_out"].map(|name| part(claim, name).clone());
        match found.iter_mut().find(|case| case.key == key) {
            Some(case) => case.claims.push(claim.clone()),
            None => found.push(Case {
                key,
                claims: vec![claim.clone()],
            }),
        }
    }
    found
}

fn wrong(questions: &mut Questions, case: &Case) -> Found<String> {
    let [_, name, criterion, left_out] = &case.key;
    if let Some(why) = left_out.as_text() {
        return Ok(format!("it is left out: {why}"));
    }
    let (name, criterion) = (
        name.as_text().unwrap_or_default(),
        criterion.as_text().unwrap_or_default(),
    );
    let data = questions.data.clone();
    let rule = part(part(&data, "criteria"), criterion);
    let mut found = vec![];
    for claim in &case.claims {
        let problem = problem(questions, claim, rule).unwrap_or_else(|why| why);
        found.extend(Some(problem).filter(|problem| !problem.is_empty()));
    }
    let quantity = part(rule, "quantity").as_text().unwrap_or_default();
    let told = format!("{name}-{criterion}: {quantity}: {}", found.join("; "));
    Ok(if found.is_empty() {
        String::new()
    } else {
        told
    })
}

fn otherwise(held: bool, why: impl Fn() -> String) -> Found<String> {
    Ok(if held { String::new() } else { why() })
}

fn everywhere(found: &Numbers) -> bool {
    !found.data.is_empty() && found.data.iter().all(|one| *one != 0.0)
}

/// What is wrong, in words; nothing where the claim is true.
fn problem(questions: &mut Questions, claim: &Value, rule: &Value) -> Found<String> {
    if let Some(call) = claim.get("call") {
        return about_call(questions, whole(Some(call))?, claim, rule);
    }
    let observed = questions.value(part(claim, "observed"))?;
    let expected = questions.value(part(claim, "expected"))?;
    let at_most = |a: f64, b: f64| truth(a <= b);
    match part(claim, "rule").as_text().unwrap_or_default() {
        "close" => far_off(&observed, &expected, rule),
        "value" => {
            let low = rule.get("low").map_or(Ok(f64::NEG_INFINITY), number)?;
            let high = rule.get("high").map_or(Ok(f64::INFINITY), number)?;
            let held = each(&observed, |one| {
                truth(one.is_finite() && one >= low && one <= high)
            })?;
            otherwise(everywhere(&held), || {
                format!("out of bounds: {}", shown(&observed))
            })
        }
        "between" => {
            let bounds = list(&expected)
                .filter(|bounds| bounds.len() == 2)
                .ok_or("there are not two bounds")?;
            let above = pairs(&bounds[0], &observed, at_most)?;
            let below = pairs(&observed, &bounds[1], at_most)?;
            let held = everywhere(&above) && everywhere(&below);
            otherwise(held, || format!("not between: {}", shown(&observed)))
        }
        "less" => {
            let held = pairs(&observed, &expected, |a, b| truth(a < b))?;
            otherwise(everywhere(&held), || {
                format!("not less: {}", shown(&observed))
            })
        }
        "contains" => {
            let wanted = expected.as_text().unwrap_or_default();
            let held = match undressed(&observed) {
                Value::Text(Some(text)) => text.contains(wanted),
                other => list(&other)
                    .is_some_and(|parts| parts.iter().any(|part| identical(part, &expected))),
            };
            otherwise(held, || {
                format!("{} does not contain {}", shown(&observed), shown(&expected))
            })
        }
        "finite" => {
            let found = all_numbers(&observed)?;
            let held = !found.is_empty() && found.iter().all(|one| one.is_finite());
            otherwise(held, || format!("not finite: {}", shown(&observed)))
        }
        _ => otherwise(identical(&observed, &expected), || {
            format!("{} is not {}", shown(&observed), shown(&expected))
        }),
    }
}

fn about_call(questions: &mut Questions, call: i64, claim: &Value, rule: &Value) -> Found<String> {
    let answer = questions.answer(call)?;
    let (kind, error) = (
        part(claim, "rule").as_text().unwrap_or_default(),
        answer.get("error"),
    );
    match (kind, error) {
        ("raises", _) => Ok(as_told(claim, rule, error)),
        ("repeatable", _) => {
            let again = questions.again(call)?;
            let same = |name: &str| part(&answer, name).encoded() == part(&again, name).encoded();
            otherwise(same("value") && same("error"), || {
                "asked again, it answers something else".into()
            })
        }
        (_, Some(error)) => {
            let stated = part(claim, "refusals").as_list().iter().any(|row| {
                let row = row.as_list();
                is_condition(
                    error,
                    row[0].as_text().unwrap_or_default(),
                    row[1].as_text().unwrap_or_default(),
                )
            });
            otherwise(stated, || format!("it raised {}", said(error)))
        }
        ("warns", None) => Ok(as_told(claim, rule, None)), // the language has none
        ("untouched", None) => {
            let changed = part(&answer, "changed").as_list();
            otherwise(changed.is_empty(), || "an argument was changed".into())
        }
        ("silent", None) => {
            let printed = part(&answer, "printed")
                .as_text()
                .unwrap_or_default()
                .trim();
            otherwise(printed.is_empty(), || format!("it said {printed}"))
        }
        _ => Ok(String::new()),
    }
}

fn as_told(claim: &Value, rule: &Value, came: Option<&Value>) -> String {
    let own = claim.get("error").is_some() || claim.get("message").is_some();
    let text = |of: &Value, name: &str| part(of, name).as_text().unwrap_or_default().to_string();
    let error = text(
        if claim.get("error").is_some() {
            claim
        } else {
            rule
        },
        "error",
    );
    let message = text(if own { claim } else { rule }, "message");
    if came.is_some_and(|came| is_condition(came, &error, &message)) {
        return String::new();
    }
    let what = came.map_or("nothing".to_string(), said);
    format!("{what} came where {error} with {message:?} is expected")
}

fn is_condition(condition: &Value, class: &str, message: &str) -> bool {
    let own = part(condition, "classes")
        .as_list()
        .first()
        .and_then(Value::as_text);
    let words = part(condition, "message").as_text().unwrap_or_default();
    (class.is_empty() || own == Some(class)) && words.contains(message)
}

// --- comparing

/// The parts of a list, or of an array along its first dimension.
fn list(value: &Value) -> Option<Vec<Value>> {
    match undressed(value) {
        Value::List(parts) => Some(parts),
        Value::Array(array) => {
            if let Elements::Texts(texts) = array.elements {
                return Some(texts.into_iter().map(Value::Text).collect());
            }
            let found = Numbers::of(&Value::Array(array)).ok()?;
            (0..found.sizes[0])
                .map(|k| found.at(&[Value::Whole(k as i64)]).ok().map(Numbers::value))
                .collect()
        }
        _ => None,
    }
}

fn identical(left: &Value, right: &Value) -> bool {
    if let (Some(one), Some(other)) = (names_and_values(left), names_and_values(right)) {
        let mut both = one.iter().zip(&other);
        return one.len() == other.len() && both.all(|((a, x), (b, y))| a == b && identical(x, y));
    }
    let (one, other) = (undressed(left), undressed(right));
    let is_atom = |value: &Value| matches!(value, Value::Nothing | Value::Text(_));
    if is_atom(&one) || is_atom(&other) {
        return one == other;
    }
    if let Ok((a, b)) = paired(&one, &other) {
        return a
            .iter()
            .zip(&b)
            .all(|(a, b)| a == b || (a.is_nan() && b.is_nan()));
    }
    if let (Value::Further(kind, inner), Value::Further(other_kind, other_inner)) = (&one, &other) {
        return kind == other_kind && identical(inner, other_inner);
    }
    match (list(&one), list(&other)) {
        (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| identical(a, b)),
        _ => false,
    }
}

/// All numbers of both sides, in one order; lists may hold parts of different shapes.
fn paired(left: &Value, right: &Value) -> Found<(Vec<f64>, Vec<f64>)> {
    let (one, other) = match (Numbers::of(left), Numbers::of(right)) {
        (Ok(one), Ok(other)) => (one, other),
        (Err(why), _) | (_, Err(why)) => {
            let (Some(parts), Some(others)) = (list(left), list(right)) else {
                return Err(why);
            };
            if parts.len() != others.len() {
                return Err(why);
            }
            let mut found = (vec![], vec![]);
            for (part, other) in parts.iter().zip(&others) {
                let (a, b) = paired(part, other)?;
                found.0.extend(a);
                found.1.extend(b);
            }
            return Ok(found);
        }
    };
    if one.sizes != other.sizes && !(one.data.len() == 1 && other.data.len() == 1) {
        return Err(format!(
            "its shape is {:?}, and {:?} is expected",
            one.sizes, other.sizes
        ));
    }
    if one.imaginary.is_empty() && other.imaginary.is_empty() {
        return Ok((one.data, other.data));
    }
    let all = |of: Numbers| [of.data.clone(), imagined(&of)].concat();
    Ok((all(one), all(other)))
}

fn far_off(observed: &Value, expected: &Value, rule: &Value) -> Found<String> {
    let (left, right) = paired(observed, expected)?;
    if left.is_empty() {
        return Ok("there is nothing to compare".into());
    }
    for (one, other) in left.into_iter().zip(right) {
        if !is_near(one, other, rule)? {
            return Ok(format!("{one} where {other} is expected"));
        }
    }
    Ok(String::new())
}

fn is_near(one: f64, other: f64, rule: &Value) -> Found<bool> {
    if one == other || (one.is_nan() && other.is_nan()) {
        return Ok(true);
    }
    if !one.is_finite() || !other.is_finite() {
        return Ok(false);
    }
    let gap = (one - other).abs();
    if let Some(digits) = rule.get("lre") {
        let scale = if other == 0.0 { 1.0 } else { other.abs() };
        return Ok((-(gap / scale).log10()).min(15.0) >= number(digits)?);
    }
    Ok(
        gap - number(part(rule, "absolute"))? - number(part(rule, "relative"))? * other.abs()
            <= 0.0,
    )
}

/// Of an object all the numbers in its fields, of a list those of its parts; of anything else itself.
fn all_numbers(value: &Value) -> Found<Vec<f64>> {
    if let Some(parts) = names_and_values(value) {
        return Ok(parts
            .iter()
            .filter_map(|(_, part)| all_numbers(part).ok())
            .flatten()
            .collect());
    }
    match undressed(value) {
        Value::List(parts) => Ok(parts
            .iter()
            .map(all_numbers)
            .collect::<Found<Vec<_>>>()?
            .concat()),
        other => Ok(Numbers::reals(&other)?.data),
    }
}

fn shown(value: &Value) -> String {
    if let Some(parts) = names_and_values(value) {
        let rows: Vec<String> = parts
            .iter()
            .map(|(name, part)| format!("{name}: {}", shown(part)))
            .collect();
        return format!("{{{}}}", rows.join(", "));
    }
    match (Numbers::of(value), undressed(value)) {
        (Ok(found), _) if found.sizes.is_empty() => format!("{:?}", found.data[0]),
        (Ok(found), _) => format!("{:?}", found.data),
        (_, Value::Text(Some(text))) => format!("{text:?}"),
        (_, Value::List(parts)) => format!(
            "[{}]",
            parts.iter().map(shown).collect::<Vec<_>>().join(", ")
        ),
        (_, other) => format!("{other:?}"),
    }
}
