//! Numbers, and what is calculated from them.

use crate::asking::factor;
use crate::wire::{Array, Elements, Value};

/// Row by row, with their dimensions. `imaginary`: empty where all are real.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    pub sizes: Vec<usize>,
    pub data: Vec<f64>,
    pub imaginary: Vec<f64>,
}

/// Why there is nothing to compare, in place of it.
pub type Found<T> = Result<T, String>;

fn misfit<T>() -> Found<T> {
    Err("shapes that do not fit".into())
}

pub fn truth(value: bool) -> f64 {
    f64::from(u8::from(value))
}

/// A value without what only other languages tell apart.
pub fn undressed(value: &Value) -> Value {
    let part = |inner: &Value, name: &str| undressed(inner.get(name).unwrap_or(&Value::Nothing));
    match value {
        Value::Array(array) if array.shape.is_empty() => single(&array.elements),
        Value::Further(kind, inner) => match kind.as_str() {
            "tuple" | "set" | "frozenset" | "fortran" | "readonly" | "scalar" | "logical"
            | "formula" => undressed(inner),
            "named" => part(inner, "value"),
            "series" => part(inner, "values"),
            "table" => part(inner, "columns"),
            "factor" => factor(inner),
            "bytes" | "bytearray" => crate::asking::bytes(inner.as_text().unwrap_or_default()),
            _ => value.clone(),
        },
        _ => value.clone(),
    }
}

fn single(elements: &Elements) -> Value {
    match elements {
        Elements::Doubles(x) => Value::Number(x[0]),
        Elements::Floats(x) => Value::Number(x[0].into()),
        Elements::Longs(x) => Value::Whole(x[0]),
        Elements::Ints(x) => Value::Whole(x[0].into()),
        Elements::Truths(x) if x[0] > 1 => Value::Nothing,
        Elements::Truths(x) => Value::Truth(x[0] == 1),
        Elements::Complex(x) => Value::further("complex", Value::vector(x[0].to_vec())),
        Elements::Texts(x) => Value::Text(x[0].clone()),
    }
}

impl Numbers {
    pub fn one(value: f64) -> Numbers {
        Numbers {
            data: vec![value],
            ..Numbers::default()
        }
    }

    pub fn vector(data: Vec<f64>) -> Numbers {
        Numbers {
            sizes: vec![data.len()],
            data,
            imaginary: vec![],
        }
    }

    pub fn value(self) -> Value {
        let elements = if self.imaginary.is_empty() {
            Elements::Doubles(self.data)
        } else {
            Elements::Complex(
                self.data
                    .into_iter()
                    .zip(self.imaginary)
                    .map(|(a, b)| [a, b])
                    .collect(),
            )
        };
        undressed(&Value::Array(Array {
            shape: self.sizes,
            elements,
        }))
    }

    pub fn of(value: &Value) -> Found<Numbers> {
        match undressed(value) {
            Value::Truth(value) => Ok(Numbers::one(truth(value))),
            Value::Whole(value) => Ok(Numbers::one(value as f64)),
            Value::Number(value) => Ok(Numbers::one(value)),
            Value::Array(array) => Numbers::of_array(&array),
            Value::List(parts) => in_rows(parts.iter().map(Numbers::of).collect::<Found<_>>()?),
            Value::Further(kind, inner) if kind == "complex" => {
                let parts = Numbers::of(&inner)?.data;
                Ok(Numbers {
                    sizes: vec![],
                    data: vec![parts[0]],
                    imaginary: vec![parts[1]],
                })
            }
            Value::Further(kind, inner) if kind == "integer" => {
                let text = inner.as_text().unwrap_or_default();
                let digits =
                    u128::from_str_radix(text.trim_start_matches('-').trim_start_matches("0x"), 16);
                let found =
                    digits.map_err(|_| "a whole number that is too large".to_string())? as f64;
                Ok(Numbers::one(if text.starts_with('-') {
                    -found
                } else {
                    found
                }))
            }
            Value::Further(kind, _) => Err(format!(
                "a value of the kind {kind} where numbers are expected"
            )),
            Value::Text(_) => Err("text where numbers are expected".into()),
            Value::Names(_) => Err("names and values where numbers are expected".into()),
            Value::Nothing => Err("nothing where numbers are expected".into()),
        }
    }

    fn of_array(array: &Array) -> Found<Numbers> {
        let mut imaginary = vec![];
        let data = match &array.elements {
            Elements::Doubles(x) => x.clone(),
            Elements::Floats(x) => x.iter().map(|x| (*x).into()).collect(),
            Elements::Longs(x) => x.iter().map(|x| *x as f64).collect(),
            Elements::Ints(x) => x.iter().map(|x| (*x).into()).collect(),
            Elements::Truths(x) => x
                .iter()
                .map(|x| if *x > 1 { f64::NAN } else { (*x).into() })
                .collect(),
            Elements::Complex(x) => {
                imaginary = x.iter().map(|x| x[1]).collect();
                x.iter().map(|x| x[0]).collect()
            }
            Elements::Texts(_) => return Err("text where numbers are expected".into()),
        };
        Ok(Numbers {
            sizes: array.shape.clone(),
            data,
            imaginary,
        })
    }

    /// Numbers that have an order.
    pub fn reals(value: &Value) -> Found<Numbers> {
        let found = Numbers::of(value)?;
        if found.imaginary.is_empty() {
            Ok(found)
        } else {
            Err("complex numbers can only be compared".into())
        }
    }

    fn row(&self, place: usize) -> Numbers {
        let width: usize = self.sizes[1..].iter().product();
        let data = self.data[place * width..(place + 1) * width].to_vec();
        Numbers {
            sizes: self.sizes[1..].to_vec(),
            data,
            imaginary: vec![],
        }
    }

    pub fn rows(&self) -> Found<Vec<Vec<f64>>> {
        if self.sizes.len() != 2 {
            return Err("no matrix".into());
        }
        Ok((0..self.sizes[0]).map(|k| self.row(k).data).collect())
    }

    /// Elements: by a number, several of them, truth values, a range, or a new dimension.
    pub fn at(&self, places: &[Value]) -> Found<Numbers> {
        let Some((place, rest)) = places.split_first() else {
            return Ok(self.clone());
        };
        if *place == Value::Nothing {
            return in_rows(vec![self.at(rest)?]);
        }
        let size = *self.sizes.first().ok_or("more places than dimensions")?;
        if let Value::Whole(number) = place {
            return self.row(within(*number, size)?).at(rest);
        }
        let rows = chosen(place, size)?;
        in_rows(
            rows.into_iter()
                .map(|k| self.row(k).at(rest))
                .collect::<Found<_>>()?,
        )
    }
}

pub fn within(place: i64, size: usize) -> Found<usize> {
    let at = if place < 0 {
        place + size as i64
    } else {
        place
    };
    let found = usize::try_from(at).ok().filter(|at| *at < size);
    found.ok_or_else(|| format!("there is no place {place}"))
}

pub fn chosen(place: &Value, size: usize) -> Found<Vec<usize>> {
    if let Value::List(places) = place {
        let mut found = vec![];
        for (k, one) in places.iter().enumerate() {
            match one {
                Value::Truth(true) if k < size => found.push(k),
                Value::Whole(number) => found.push(within(*number, size)?),
                _ => {}
            }
        }
        return Ok(found);
    }
    let ends = place.get("slice").map_or(&[][..], Value::as_list);
    let end = |at: usize| match ends.get(at) {
        Some(Value::Whole(end)) => Some(*end),
        _ => None,
    };
    let (by, size) = (end(2).unwrap_or(1), size as i64);
    let (lowest, highest) = if by < 0 { (-1, size - 1) } else { (0, size) };
    let limit = |given: Option<i64>, usual: i64| {
        given.map_or(usual, |at| {
            (if at < 0 { at + size } else { at }).clamp(lowest, highest.max(lowest))
        })
    };
    let (first, last) = if by < 0 {
        (highest, lowest)
    } else {
        (lowest, highest)
    };
    let (mut k, to, mut found) = (limit(end(0), first), limit(end(1), last), vec![]);
    while (by > 0 && k < to) || (by < 0 && k > to) {
        found.push(k as usize);
        k += by;
    }
    Ok(found)
}

pub fn in_rows(parts: Vec<Numbers>) -> Found<Numbers> {
    let mut found = Numbers {
        sizes: vec![parts.len()],
        ..Numbers::default()
    };
    let is_complex = parts.iter().any(|part| !part.imaginary.is_empty());
    if let Some(first) = parts.first() {
        found.sizes.extend(&first.sizes);
        if parts.iter().any(|part| part.sizes != first.sizes) {
            return Err("a ragged list where numbers are expected".into());
        }
    }
    for part in parts {
        if is_complex {
            found.imaginary.extend(imagined(&part));
        }
        found.data.extend(part.data);
    }
    Ok(found)
}

pub fn imagined(of: &Numbers) -> Vec<f64> {
    if of.imaginary.is_empty() {
        vec![0.0; of.data.len()]
    } else {
        of.imaginary.clone()
    }
}

pub fn of_rows(rows: Vec<Vec<f64>>) -> Found<Numbers> {
    in_rows(rows.into_iter().map(Numbers::vector).collect())
}

pub fn each(value: &Value, function: impl Fn(f64) -> f64) -> Found<Numbers> {
    let mut found = Numbers::reals(value)?;
    found.data.iter_mut().for_each(|one| *one = function(*one));
    Ok(found)
}

/// As numpy does: dimensions of one are repeated.
pub fn pairs(left: &Value, right: &Value, function: impl Fn(f64, f64) -> f64) -> Found<Numbers> {
    let (one, other) = (Numbers::reals(left)?, Numbers::reals(right)?);
    let depth = one.sizes.len().max(other.sizes.len());
    let full = |of: &Numbers| [vec![1; depth - of.sizes.len()], of.sizes.clone()].concat();
    let (first, second) = (full(&one), full(&other));
    let mut sizes = vec![];
    for (a, b) in first.iter().zip(&second) {
        if a != b && *a != 1 && *b != 1 {
            return misfit();
        }
        sizes.push(if *a == 1 { *b } else { *a });
    }
    let place = |own: &[usize], at: &[usize]| {
        own.iter().zip(at).fold(0, |sum, (size, at)| {
            sum * size + if *size == 1 { 0 } else { *at }
        })
    };
    let (mut data, mut at) = (vec![], vec![0; depth]);
    for number in 0..sizes.iter().product() {
        let mut rest: usize = number;
        for k in (0..depth).rev() {
            at[k] = rest % sizes[k];
            rest /= sizes[k];
        }
        data.push(function(
            one.data[place(&first, &at)],
            other.data[place(&second, &at)],
        ));
    }
    Ok(Numbers {
        sizes,
        data,
        imaginary: vec![],
    })
}

/// Of all numbers, or along an axis.
pub fn reduced(value: &Value, axis: &Value, function: impl Fn(&[f64]) -> f64) -> Found<Numbers> {
    let of = Numbers::reals(value)?;
    if of.data.is_empty() {
        return Err("there are no numbers to reduce".into());
    }
    let Value::Whole(axis) = axis else {
        return Ok(Numbers::one(function(&of.data)));
    };
    let at = within(*axis, of.sizes.len()).map_err(|_| "there is no such axis")?;
    let (inner, size): (usize, usize) = (of.sizes[at + 1..].iter().product(), of.sizes[at]);
    let mut rest = of.sizes.clone();
    rest.remove(at);
    let along = |k: usize| -> Vec<f64> {
        (0..size)
            .map(|m| of.data[k / inner * inner * size + k % inner + m * inner])
            .collect()
    };
    let data = (0..rest.iter().product())
        .map(|k| function(&along(k)))
        .collect();
    Ok(Numbers {
        sizes: rest,
        data,
        imaginary: vec![],
    })
}

pub fn mean(data: &[f64]) -> f64 {
    data.iter().sum::<f64>() / data.len() as f64
}

pub fn variance(data: &[f64], divisor: f64) -> f64 {
    let centre = mean(data);
    data.iter().map(|one| (one - centre).powi(2)).sum::<f64>() / (data.len() as f64 - divisor)
}

pub fn quantile(data: &[f64], probability: f64) -> f64 {
    if data.iter().any(|one| one.is_nan()) {
        return f64::NAN;
    }
    let mut sorted = data.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (sorted.len() - 1) as f64 * probability;
    let low = sorted[at.floor() as usize];
    low + (sorted[at.ceil() as usize] - low) * at.fract()
}

pub fn largest(data: &[f64], sign: f64) -> f64 {
    let more = |found: f64, one: f64| {
        if found.is_nan() || sign * found >= sign * one {
            found
        } else {
            one
        }
    };
    data.iter().copied().fold(data[0], more)
}

pub fn transposed(value: &Value) -> Found<Numbers> {
    let of = Numbers::reals(value)?;
    if of.sizes.len() < 2 {
        return Ok(of);
    }
    let rows = of.rows()?;
    of_rows(
        (0..of.sizes[1])
            .map(|j| rows.iter().map(|row| row[j]).collect())
            .collect(),
    )
}

pub fn matmul(left: &Value, right: &Value) -> Found<Numbers> {
    let (a, b) = (Numbers::reals(left)?, Numbers::reals(right)?);
    if a.sizes.is_empty() || b.sizes.is_empty() {
        return misfit();
    }
    let rows = if a.sizes.len() > 1 {
        a.rows()?
    } else {
        vec![a.data.clone()]
    };
    let columns = if b.sizes.len() > 1 {
        transposed(right)?.rows()?
    } else {
        vec![b.data.clone()]
    };
    let mut data = vec![];
    for row in &rows {
        for column in &columns {
            if row.len() != column.len() {
                return misfit();
            }
            data.push(row.iter().zip(column).map(|(x, y)| x * y).sum());
        }
    }
    let sizes = [&a.sizes[..a.sizes.len() - 1], &b.sizes[1..]].concat();
    Ok(Numbers {
        sizes,
        data,
        imaginary: vec![],
    })
}

pub fn solved(left: &Value, right: &Value) -> Found<Numbers> {
    let (mut rows, wanted) = (Numbers::reals(left)?.rows()?, Numbers::reals(right)?);
    let is_vector = wanted.sizes.len() == 1;
    let mut found = if is_vector {
        wanted.data.iter().map(|one| vec![*one]).collect()
    } else {
        wanted.rows()?
    };
    if found.len() != rows.len() || rows.iter().any(|row| row.len() != found.len()) {
        return misfit();
    }
    for k in 0..rows.len() {
        let best = (k..rows.len()).max_by(|i, j| rows[*i][k].abs().total_cmp(&rows[*j][k].abs()));
        let best = best.unwrap_or(k);
        rows.swap(k, best);
        found.swap(k, best);
        if rows[k][k] == 0.0 {
            return Err("the matrix is singular".into());
        }
        let (pivot, own) = (rows[k].clone(), found[k].clone());
        for i in (0..rows.len()).filter(|i| *i != k) {
            let times = rows[i][k] / pivot[k];
            rows[i]
                .iter_mut()
                .zip(&pivot)
                .for_each(|(one, other)| *one -= times * other);
            found[i]
                .iter_mut()
                .zip(&own)
                .for_each(|(one, other)| *one -= times * other);
        }
    }
    for (k, row) in found.iter_mut().enumerate() {
        row.iter_mut().for_each(|one| *one /= rows[k][k]);
    }
    if is_vector {
        return Ok(Numbers::vector(found.concat()));
    }
    of_rows(found)
}

/// Of a symmetric matrix, by Jacobi's rotations; sorted.
pub fn eigenvalues(value: &Value) -> Found<Numbers> {
    let mut a = Numbers::reals(value)?.rows()?;
    for _ in 0..60 {
        for p in 0..a.len() {
            for q in p + 1..a.len() {
                if a[q][p] == 0.0 {
                    continue;
                }
                let (s, c) = (0.5 * (2.0 * a[q][p]).atan2(a[q][q] - a[p][p])).sin_cos();
                for row in &mut a {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                for k in 0..a.len() {
                    (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
                }
            }
        }
    }
    let mut found: Vec<f64> = (0..a.len()).map(|k| a[k][k]).collect();
    found.sort_by(f64::total_cmp);
    Ok(Numbers::vector(found))
}

pub fn covariance(value: &Value, is_scaled: bool) -> Found<Numbers> {
    let of = Numbers::reals(value)?;
    let columns = if of.sizes.len() > 1 {
        transposed(value)?.rows()?
    } else {
        vec![of.data]
    };
    let joint = |x: &[f64], y: &[f64]| {
        let (a, b) = (mean(x), mean(y));
        x.iter().zip(y).map(|(x, y)| (x - a) * (y - b)).sum::<f64>() / (x.len() as f64 - 1.0)
    };
    let scale = |x: &[f64]| if is_scaled { joint(x, x).sqrt() } else { 1.0 };
    let row = |x: &Vec<f64>| {
        columns
            .iter()
            .map(|y| joint(x, y) / (scale(x) * scale(y)))
            .collect()
    };
    let found: Vec<Vec<f64>> = columns.iter().map(row).collect();
    if found.len() == 1 {
        return Ok(Numbers::one(found[0][0]));
    }
    of_rows(found)
}

pub fn diagonal(value: &Value) -> Found<Numbers> {
    let of = Numbers::reals(value)?;
    if of.sizes.len() == 1 {
        let row = |k: usize| {
            (0..of.data.len())
                .map(|j| if j == k { of.data[k] } else { 0.0 })
                .collect()
        };
        return of_rows((0..of.data.len()).map(row).collect());
    }
    let rows = of.rows()?;
    Ok(Numbers::vector(
        rows.iter()
            .enumerate()
            .filter_map(|(k, row)| row.get(k).copied())
            .collect(),
    ))
}
