//! Values and frames, as docs/reference/worker-protocol.md has them.

use std::io::{self, Read, Write};

const LARGEST_FRAME: i64 = 1 << 31;
const DEEPEST: usize = 200;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Nothing,
    Truth(bool),
    Whole(i64),
    Number(f64),
    Text(Option<String>),
    Array(Array),
    List(Vec<Value>),
    Names(Vec<(String, Value)>),
    Further(String, Box<Value>),
}

/// Elements stand row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub shape: Vec<usize>,
    pub elements: Elements,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Elements {
    Doubles(Vec<f64>),
    Floats(Vec<f32>),
    Longs(Vec<i64>),
    Ints(Vec<i32>),
    Truths(Vec<u8>),
    Complex(Vec<[f64; 2]>),
    Texts(Vec<Option<String>>),
}

impl Value {
    pub fn text(text: impl Into<String>) -> Value {
        Value::Text(Some(text.into()))
    }

    pub fn vector(numbers: Vec<f64>) -> Value {
        let shape = vec![numbers.len()];
        Value::Array(Array {
            shape,
            elements: Elements::Doubles(numbers),
        })
    }

    pub fn further(kind: &str, value: Value) -> Value {
        Value::Further(kind.to_string(), Box::new(value))
    }

    /// A part of names and values.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Names(parts) => parts
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(Some(text)) => Some(text),
            _ => None,
        }
    }

    /// The parts of a list, which is an array where all of them are numbers.
    pub fn items(&self) -> Vec<Value> {
        match self {
            Value::Array(Array {
                elements: Elements::Doubles(items),
                ..
            }) => items.iter().map(|x| Value::Number(*x)).collect(),
            other => other.as_list().to_vec(),
        }
    }

    pub fn as_list(&self) -> &[Value] {
        match self {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub fn encoded(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write(&mut out, self);
        out
    }
}

macro_rules! each_kind {
    ($elements:expr, $items:ident => $body:expr) => {
        match $elements {
            Elements::Doubles($items) => $body,
            Elements::Floats($items) => $body,
            Elements::Longs($items) => $body,
            Elements::Ints($items) => $body,
            Elements::Truths($items) => $body,
            Elements::Complex($items) => $body,
            Elements::Texts($items) => $body,
        }
    };
}

impl Elements {
    pub fn len(&self) -> usize {
        each_kind!(self, items => items.len())
    }

    pub fn slice(&self, from: usize, to: usize) -> Elements {
        match self {
            Elements::Doubles(items) => Elements::Doubles(items[from..to].to_vec()),
            Elements::Floats(items) => Elements::Floats(items[from..to].to_vec()),
            Elements::Longs(items) => Elements::Longs(items[from..to].to_vec()),
            Elements::Ints(items) => Elements::Ints(items[from..to].to_vec()),
            Elements::Truths(items) => Elements::Truths(items[from..to].to_vec()),
            Elements::Complex(items) => Elements::Complex(items[from..to].to_vec()),
            Elements::Texts(items) => Elements::Texts(items[from..to].to_vec()),
        }
    }

    /// Whether the other kind was the same, so that its elements stand behind these now.
    pub fn append(&mut self, more: &Elements) -> bool {
        match (self, more) {
            (Elements::Doubles(all), Elements::Doubles(more)) => all.extend_from_slice(more),
            (Elements::Floats(all), Elements::Floats(more)) => all.extend_from_slice(more),
            (Elements::Longs(all), Elements::Longs(more)) => all.extend_from_slice(more),
            (Elements::Ints(all), Elements::Ints(more)) => all.extend_from_slice(more),
            (Elements::Truths(all), Elements::Truths(more)) => all.extend_from_slice(more),
            (Elements::Complex(all), Elements::Complex(more)) => all.extend_from_slice(more),
            (Elements::Texts(all), Elements::Texts(more)) => all.extend_from_slice(more),
            _ => return false,
        }
        true
    }
}

// --- frames -------------------------------------------------------------------------------------

pub fn send(stream: &mut impl Write, value: &Value) -> io::Result<()> {
    let mut out = vec![0; 8];
    write(&mut out, value);
    let size = (out.len() - 8) as i64;
    out[..8].copy_from_slice(&size.to_le_bytes());
    stream.write_all(&out)?;
    stream.flush()
}

/// Nothing where the other side has closed.
pub fn receive(stream: &mut impl Read) -> io::Result<Option<Value>> {
    let mut head = [0; 8];
    if let Err(error) = stream.read_exact(&mut head) {
        return if error.kind() == io::ErrorKind::UnexpectedEof {
            Ok(None)
        } else {
            Err(error)
        };
    }
    let size = i64::from_le_bytes(head);
    if !(0..=LARGEST_FRAME).contains(&size) {
        return Err(garbled("a frame of that size"));
    }
    let mut body = vec![0; size as usize];
    stream.read_exact(&mut body)?;
    let mut reader = Reader { data: &body, at: 0 };
    let value = reader.value(0)?;
    if reader.at == body.len() {
        Ok(Some(value))
    } else {
        Err(garbled("bytes are left over"))
    }
}

fn garbled(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

// --- writing ------------------------------------------------------------------------------------

fn write(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Nothing => out.push(b'n'),
        Value::Truth(truth) => out.push(if *truth { b't' } else { b'f' }),
        Value::Whole(whole) => {
            out.push(b'i');
            out.extend_from_slice(&whole.to_le_bytes());
        }
        Value::Number(number) => {
            out.push(b'd');
            out.extend_from_slice(&number.to_le_bytes());
        }
        Value::Text(text) => {
            out.push(b's');
            write_text(out, text.as_deref());
        }
        Value::Array(array) => write_array(out, array),
        Value::List(items) => {
            out.push(b'l');
            write_count(out, items.len());
            items.iter().for_each(|item| write(out, item));
        }
        Value::Names(parts) => {
            out.push(b'm');
            write_count(out, parts.len());
            for (name, part) in parts {
                write_text(out, Some(name));
                write(out, part);
            }
        }
        Value::Further(kind, inner) => {
            out.push(b'x');
            write_text(out, Some(kind));
            write(out, inner);
        }
    }
}

fn write_array(out: &mut Vec<u8>, array: &Array) {
    let letter = match array.elements {
        Elements::Doubles(_) => b'd',
        Elements::Floats(_) => b'f',
        Elements::Longs(_) => b'i',
        Elements::Ints(_) => b'j',
        Elements::Truths(_) => b'l',
        Elements::Complex(_) => b'z',
        Elements::Texts(_) => b's',
    };
    out.extend_from_slice(&[b'a', letter]);
    write_count(out, array.shape.len());
    array.shape.iter().for_each(|size| write_count(out, *size));
    match &array.elements {
        Elements::Doubles(items) => items
            .iter()
            .for_each(|x| out.extend_from_slice(&x.to_le_bytes())),
        Elements::Floats(items) => items
            .iter()
            .for_each(|x| out.extend_from_slice(&x.to_le_bytes())),
        Elements::Longs(items) => items
            .iter()
            .for_each(|x| out.extend_from_slice(&x.to_le_bytes())),
        Elements::Ints(items) => items
            .iter()
            .for_each(|x| out.extend_from_slice(&x.to_le_bytes())),
        Elements::Truths(items) => out.extend_from_slice(items),
        Elements::Complex(items) => {
            items
                .iter()
                .flatten()
                .for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
        }
        Elements::Texts(items) => items.iter().for_each(|x| write_text(out, x.as_deref())),
    }
}

fn write_count(out: &mut Vec<u8>, count: usize) {
    let count = i32::try_from(count).expect("no more than 2^31 parts");
    out.extend_from_slice(&count.to_le_bytes());
}

fn write_text(out: &mut Vec<u8>, text: Option<&str>) {
    match text {
        None => out.extend_from_slice(&(-1i32).to_le_bytes()),
        Some(text) => {
            write_count(out, text.len());
            out.extend_from_slice(text.as_bytes());
        }
    }
}

// --- reading ------------------------------------------------------------------------------------

struct Reader<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, size: usize) -> io::Result<&'a [u8]> {
        let rest = &self.data[self.at..];
        if size > rest.len() {
            return Err(garbled("it ends too early"));
        }
        self.at += size;
        Ok(&rest[..size])
    }

    fn eight(&mut self) -> io::Result<[u8; 8]> {
        Ok(self.take(8)?.try_into().expect("eight bytes"))
    }

    fn number(&mut self) -> io::Result<i32> {
        Ok(i32::from_le_bytes(
            self.take(4)?.try_into().expect("four bytes"),
        ))
    }

    /// A number of parts, each of which takes at least so many bytes.
    fn count(&mut self, least: usize) -> io::Result<usize> {
        let left = |reader: &Self| (reader.data.len() - reader.at) / least;
        match usize::try_from(self.number()?) {
            Ok(count) if count <= left(self) => Ok(count),
            _ => Err(garbled("it names more parts than there are bytes")),
        }
    }

    fn text(&mut self) -> io::Result<Option<String>> {
        let size = self.number()?;
        if size == -1 {
            return Ok(None);
        }
        let size = usize::try_from(size).map_err(|_| garbled("a text of a negative size"))?;
        let text = String::from_utf8(self.take(size)?.to_vec());
        Ok(Some(text.map_err(|_| garbled("a text that is not UTF-8"))?))
    }

    fn name(&mut self) -> io::Result<String> {
        self.text()?.ok_or_else(|| garbled("a name is missing"))
    }

    fn value(&mut self, depth: usize) -> io::Result<Value> {
        if depth > DEEPEST {
            return Err(garbled("it is nested too deeply"));
        }
        Ok(match self.take(1)?[0] {
            b'n' => Value::Nothing,
            b't' => Value::Truth(true),
            b'f' => Value::Truth(false),
            b'i' => Value::Whole(i64::from_le_bytes(self.eight()?)),
            b'd' => Value::Number(f64::from_le_bytes(self.eight()?)),
            b's' => Value::Text(self.text()?),
            b'v' => {
                let count = self.count(8)?;
                Value::vector(self.fixed(count, f64::from_le_bytes)?)
            }
            b'a' => Value::Array(self.array()?),
            b'l' => {
                let count = self.count(1)?;
                Value::List(
                    (0..count)
                        .map(|_| self.value(depth + 1))
                        .collect::<io::Result<_>>()?,
                )
            }
            b'm' => {
                let count = self.count(5)?;
                let part = |_| Ok((self.name()?, self.value(depth + 1)?));
                Value::Names((0..count).map(part).collect::<io::Result<_>>()?)
            }
            b'x' => Value::Further(self.name()?, Box::new(self.value(depth + 1)?)),
            _ => return Err(garbled("an unknown kind of value")),
        })
    }

    fn fixed<T, const N: usize>(
        &mut self,
        count: usize,
        read: fn([u8; N]) -> T,
    ) -> io::Result<Vec<T>> {
        let size = count
            .checked_mul(N)
            .ok_or_else(|| garbled("an array of that size"))?;
        let bytes = self.take(size)?;
        Ok(bytes
            .chunks_exact(N)
            .map(|part| read(part.try_into().expect("N bytes")))
            .collect())
    }

    fn array(&mut self) -> io::Result<Array> {
        let letter = self.take(1)?[0];
        let rank = self.number()?;
        if !(0..=32).contains(&rank) {
            return Err(garbled("an array of so many dimensions"));
        }
        let mut shape = Vec::new();
        let mut count = 1usize;
        for _ in 0..rank {
            let size = usize::try_from(self.number()?).map_err(|_| garbled("a negative size"))?;
            count = count
                .checked_mul(size)
                .ok_or_else(|| garbled("an array of that size"))?;
            shape.push(size);
        }
        let elements = match letter {
            b'd' => Elements::Doubles(self.fixed(count, f64::from_le_bytes)?),
            b'f' => Elements::Floats(self.fixed(count, f32::from_le_bytes)?),
            b'i' => Elements::Longs(self.fixed(count, i64::from_le_bytes)?),
            b'j' => Elements::Ints(self.fixed(count, i32::from_le_bytes)?),
            b'l' => Elements::Truths(self.take(count)?.to_vec()),
            b'z' => {
                let parts = self.fixed(count.saturating_mul(2), f64::from_le_bytes)?;
                Elements::Complex(
                    parts
                        .chunks_exact(2)
                        .map(|part| [part[0], part[1]])
                        .collect(),
                )
            }
            b's' if count <= (self.data.len() - self.at) / 4 => {
                Elements::Texts((0..count).map(|_| self.text()).collect::<io::Result<_>>()?)
            }
            _ => return Err(garbled("an unknown kind of array")),
        };
        Ok(Array { shape, elements })
    }
}
