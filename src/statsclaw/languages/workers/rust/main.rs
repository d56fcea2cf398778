//! Holds the package and answers calls: worker INPUT OUTPUT SITE PACKAGE
//!
//! What is asked and answered is in docs/reference/worker-protocol.md.

#![allow(dead_code)] // what is used depends on the interface

mod asking;
mod given;
mod interface;
mod process;
mod told;
mod wire;

use asking::{Row, Worker};
use std::fs::{File, OpenOptions};
use std::io;
use wire::Value;

fn talk(incoming: &str, outgoing: &str) -> io::Result<()> {
    let mut questions = File::open(incoming)?;
    let mut answers = OpenOptions::new().write(true).open(outgoing)?;
    let mut worker = Worker::new()?;
    while let Some(request) = wire::receive(&mut questions)? {
        match request.get("do").and_then(Value::as_text) {
            Some("call") => wire::send(&mut answers, &worker.answer(&request))?,
            Some("forget") => worker.forget(),
            Some("end") => break,
            _ => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "nobody knows how to do that",
                ))
            }
        }
    }
    Ok(())
}

fn main() {
    let places: Vec<String> = std::env::args().collect();
    let ended = match &places[..] {
        [_, incoming, outgoing, ..] => talk(incoming, outgoing),
        _ => Err(io::Error::other("worker INPUT OUTPUT SITE PACKAGE")),
    };
    std::process::exit(i32::from(ended.is_err()));
}
