// Further functions, one for each kind of argument and of what is returned. They stand at the end of src/lib.rs.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;

// Names that the worker has, too.
pub type Result<T> = std::result::Result<T, WlsError>;
pub struct Value;
pub fn parts() -> f64 {
    3.0
}

macro_rules! echo {
    ($($name:ident: $kind:ty;)*) => {$(
        pub fn $name(x: $kind) -> $kind {
            x
        }
    )*};
}

echo! {
    number: f64;
    single: f32;
    whole: i64;
    count: usize;
    byte: u8;
    large: u64;
    truth: bool;
    word: String;
    letter: char;
    numbers: Vec<f64>;
    wholes: Vec<i32>;
    truths: Vec<bool>;
    words: Vec<String>;
    rows: Vec<Vec<f64>>;
    cube: Vec<Vec<Vec<f64>>>;
    optional: Option<f64>;
    gaps: Vec<Option<f64>>;
    pair: (f64, String);
    three: [f64; 3];
    columns: BTreeMap<String, Vec<f64>>;
    listed: Vec<(String, Vec<f64>)>;
    labels: HashMap<String, f64>;
    kind: Kind;
}

pub fn lent<'a>(x: &'a [f64], name: &str) -> &'a [f64] {
    assert!(name.len() < 10, "{name} is too long");
    x
}

pub fn lent_word(x: &str) -> &str {
    x
}

pub fn lent_vector(x: &Vec<f64>) -> Option<&f64> {
    x.first()
}

pub fn maybe_word(x: Option<&str>) -> Option<String> {
    x.map(str::to_uppercase)
}

pub fn flat(x: &[f64], rows: usize, cols: usize) -> Vec<f64> {
    assert_eq!(x.len(), rows * cols);
    x.to_vec()
}

/// A matrix of its own, made of rows and handed over as rows.
#[derive(Clone, Debug)]
pub struct Matrix {
    data: Vec<f64>,
    cols: usize,
}

impl TryFrom<Vec<Vec<f64>>> for Matrix {
    type Error = WlsError;

    fn try_from(rows: Vec<Vec<f64>>) -> Result<Self> {
        let cols = rows.first().map_or(0, Vec::len);
        if rows.iter().any(|row| row.len() != cols) {
            return Err(WlsError::Shape("a row".into()));
        }
        Ok(Matrix { data: rows.concat(), cols })
    }
}

impl From<Matrix> for Vec<Vec<f64>> {
    fn from(matrix: Matrix) -> Self {
        matrix.data.chunks(matrix.cols).map(<[f64]>::to_vec).collect()
    }
}

pub fn transposed(x: &Matrix) -> Matrix {
    let n = x.data.len() / x.cols;
    let data = (0..x.cols).flat_map(|b| (0..n).map(move |a| x.data[a * x.cols + b])).collect();
    Matrix { data, cols: n }
}

pub fn ragged() -> Vec<Vec<f64>> {
    vec![vec![1.0], vec![1.0, 2.0]]
}

pub fn nothing() {}

pub fn opaque() -> std::time::Instant {
    std::time::Instant::now()
}

pub fn negate(x: &mut [f64], really: bool) {
    x.iter_mut().filter(|_| really).for_each(|v| *v = -*v);
}

pub fn scaled(x: f64, by: Option<f64>, plus: Option<f64>) -> f64 {
    x * by.unwrap_or(2.0) + plus.unwrap_or(0.0)
}

pub fn odd(x: f64, name: &[&str]) -> f64 {
    x + name.len() as f64
}

#[derive(Clone)]
pub struct Counter {
    pub total: usize,
    pub spread: Spread,
    pub absent: Option<Spread>,
    name: String,
}

#[derive(Clone)]
pub struct Spread {
    pub sigma: f64,
    pub grid: Vec<f64>,
}

impl Counter {
    pub fn new(total: usize) -> Self {
        let spread = Spread { sigma: 0.5, grid: (0..2 * total).map(|x| x as f64).collect() };
        Counter { total, spread, absent: None, name: format!("counter of {total}") }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn add(&mut self, by: Option<usize>) -> usize {
        self.total += by.unwrap_or(1);
        self.total
    }

    pub fn doubled(self) -> Counter {
        Counter { total: 2 * self.total, ..self }
    }
}

impl std::fmt::Display for Counter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<{}>", self.total)
    }
}

/// Its methods are asked as those of the type itself.
pub trait Named {
    fn title(&self, prefix: &str) -> String;
}

impl Named for Counter {
    fn title(&self, prefix: &str) -> String {
        format!("{prefix} {}", self.name)
    }
}

/// A class with a constructor.
#[derive(Debug)]
pub struct Tally {
    pub counts: Vec<u64>,
}

impl Tally {
    pub fn new(size: usize) -> Self {
        Tally { counts: vec![0; size] }
    }

    pub fn add(&mut self, at: usize) -> Result<u64> {
        let length = self.counts.len();
        let found = self.counts.get_mut(at).ok_or(WlsError::Window { window: at, length })?;
        *found += 1;
        Ok(*found)
    }
}

pub fn tallied(values: &[usize]) -> Tally {
    let mut tally = Tally::new(values.len());
    values.iter().for_each(|at| tally.counts[*at] += 1);
    tally
}

pub fn counted(total: usize) -> Option<Counter> {
    (total > 0).then(|| Counter::new(total))
}

pub fn merged(a: &Counter, b: &Counter) -> usize {
    a.total + b.total
}

pub fn moved(a: &mut Counter, b: &Counter) {
    a.total += b.total;
}

pub fn fails(how: &str) -> std::result::Result<f64, Box<dyn std::error::Error>> {
    match how {
        "text" => Err("plain text".into()),
        "typed" => Err(Box::new(WlsError::Weight(3))),
        _ => Ok(1.0),
    }
}

pub fn fails_as_text() -> std::result::Result<f64, String> {
    Err("only a text".into())
}

pub fn never_fails() -> std::result::Result<f64, Infallible> {
    Ok(1.0)
}

extern "C" {
    fn puts(text: *const std::ffi::c_char) -> std::ffi::c_int;
}

pub fn shout(times: usize) -> usize {
    for _ in 0..times {
        print!("out ");
        eprint!("err ");
    }
    unsafe { puts(c"native".as_ptr()) };
    times
}

pub fn explode(text: &str) -> f64 {
    panic!("it {text}")
}

/// What no package should do.
pub fn misbehave(how: &str) -> f64 {
    use std::io::Write;
    let answers = std::env::args().nth(2).unwrap_or_default();
    match how {
        "exit" => std::process::exit(0),
        "abort" => std::process::abort(),
        "recurse" => return (0..).map(|_| misbehave("recurse")).sum(),
        "hoard" => {
            let mut kept = Vec::new();
            loop {
                kept.push(vec![1u8; 1 << 26]);
            }
        }
        "sleep" => std::thread::sleep(std::time::Duration::from_secs(3600)),
        "garble" => {
            let mut pipe = std::fs::OpenOptions::new().write(true).open(answers).unwrap();
            pipe.write_all(&[255; 64]).unwrap();
        }
        "print" => print!("{}", "\u{1}garbage".repeat(10_000)),
        "write" => {
            for place in ["/verify/tree/x", "/verify/adapter/worker", "/verify/inside/x", "/etc/x", "/usr/x"] {
                assert!(std::fs::write(place, "x").is_err(), "{place} was written");
            }
        }
        _ => {}
    }
    1.0
}
