//! Asks this crate the questions of its validation, and compares what it answers.
//!
//! They were made from the frozen criteria of the crate's specification; all numbers stand in validation/questions.json.
//! A change of the crate that breaks a test here changes results. It needs Rust 1.82 or newer and a shell:
//!
//!     cargo test --test validation

#![allow(non_snake_case)]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

include!("validation/cases.rs");

/// Of each case what is wrong, or nothing.
static RESULTS: OnceLock<Result<Vec<String>, String>> = OnceLock::new();

fn check(number: usize) {
    match RESULTS.get_or_init(|| results().map_err(|why| why.to_string())) {
        Ok(rows) => assert!(rows[number].is_empty(), "{}", rows[number]),
        Err(why) => panic!("{why}"),
    }
}

/// The program is begun again behind a case in which it ended.
fn results() -> Result<Vec<String>, Box<dyn Error>> {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("validation");
    let program = built(&place)?;
    let questions = root().join("tests/validation/questions.json");
    let written = place.join(format!("results-{}", std::process::id()));
    let mut rows = Vec::new();
    loop {
        let asked = Command::new(&program)
            .args([&questions, &written])
            .arg(rows.len().to_string())
            .output()?;
        let text = fs::read_to_string(&written).unwrap_or_default();
        let begun = rows.len();
        rows.extend(
            text.lines()
                .filter_map(|line| line.strip_prefix("end "))
                .map(String::from),
        );
        let is_over = text.lines().last().is_some_and(|line| line != "begin");
        let _ = fs::remove_file(&written);
        if asked.status.success() && (is_over || text.is_empty()) {
            return Ok(rows);
        }
        if is_over || (text.is_empty() && rows.len() == begun) {
            let said = String::from_utf8_lossy(&asked.stderr);
            return Err(format!("the crate could not be asked: {} {said}", asked.status).into());
        }
        rows.push(format!("its process ended: {}", asked.status));
    }
}

/// A program of this crate and of the files in validation/program.
fn built(place: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let (source, name) = (
        root().join("tests/validation/program"),
        env!("CARGO_PKG_NAME"),
    );
    fs::create_dir_all(place.join("src"))?;
    for row in fs::read_dir(&source)? {
        let row = row?;
        keep(
            &place.join("src").join(row.file_name()),
            &fs::read_to_string(row.path())?,
        )?;
    }
    keep(&place.join("src/reads.rs"), &reads(&source)?)?;
    if let Ok(lock) = fs::read_to_string(root().join("Cargo.lock")) {
        keep(&place.join("Cargo.lock"), &lock)?;
    }
    let path = root().display().to_string();
    let manifest = format!(
        "[package]\nname = \"asking\"\nversion = \"0.0.0\"\nedition = \"2021\"\npublish = false\n\n\
         [[bin]]\nname = \"worker\"\npath = \"src/main.rs\"\n\n\
         [dependencies]\nasked = {{ package = {name:?}, path = {path:?} }}\n\n[workspace]\n"
    );
    keep(&place.join("Cargo.toml"), &manifest)?;
    let target = place.join("target");
    let done = Command::new("sh")
        .arg(source.join("build.sh"))
        .args([&target, place])
        .args([name, LIBRARY])
        .env("CARGO_TARGET_DIR", &target)
        .env_remove("CARGO_BUILD_TARGET")
        .output()?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        return Err(format!("the crate could not be made ready to be asked:\n{said}").into());
    }
    Ok(place.join("worker"))
}

/// How each declared field is read: as a field, or by a method of that name.
fn reads(source: &Path) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    gather(&root().join("src"), &mut text)?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let mut made = String::new();
    for line in fs::read_to_string(source.join("fields"))?.lines() {
        let (name, word) = line.split_once(' ').ok_or("a line without a name")?;
        let is_getter =
            !text.contains(&format!("pub {word}:")) && text.contains(&format!("fn {word}(&self)"));
        let call = if is_getter { "()" } else { "" };
        made +=
            &format!("macro_rules! read_{name} {{ ($from:expr) => {{ $from.{word}{call} }}; }}\n");
    }
    Ok(made)
}

fn gather(folder: &Path, text: &mut String) -> Result<(), Box<dyn Error>> {
    for row in fs::read_dir(folder)? {
        let path = row?.path();
        if path.is_dir() {
            gather(&path, text)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            *text += &fs::read_to_string(&path)?;
        }
    }
    Ok(())
}

/// What has not changed keeps its time, so that little is compiled again.
fn keep(path: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    Ok(fs::write(path, text)?)
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
