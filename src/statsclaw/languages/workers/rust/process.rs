//! What the process prints, how long it takes and how much memory it has in use.

use crate::wire::Value;
use std::ffi::{c_int, c_void};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::time::Instant;

const LONGEST_PRINTED: usize = 4000;
const O_APPEND: c_int = 0o2000;
const O_TMPFILE: c_int = 0o20_200_000;

unsafe extern "C" {
    fn dup2(from: c_int, to: c_int) -> c_int;
    fn fflush(stream: *mut c_void) -> c_int;
}

/// Standard output and error, also of what native code prints.
pub struct Printed(File);

impl Printed {
    pub fn redirected() -> io::Result<Printed> {
        let folder = std::env::var("TMPDIR").unwrap_or_else(|_| "/tmp".into());
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(O_TMPFILE | O_APPEND)
            .open(folder)?;
        flush();
        for stream in [1, 2] {
            if unsafe { dup2(file.as_raw_fd(), stream) } < 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(Printed(file))
    }

    fn size(&self) -> u64 {
        self.0.metadata().map_or(0, |found| found.len())
    }

    pub fn empty(&mut self) {
        flush();
        if self.size() > 0 {
            let _ = self.0.set_len(0);
        }
    }

    pub fn text(&self) -> String {
        flush();
        let mut found = vec![0; 4 * LONGEST_PRINTED];
        let size = self.0.read_at(&mut found, 0).unwrap_or(0);
        String::from_utf8_lossy(&found[..size])
            .chars()
            .take(LONGEST_PRINTED)
            .collect()
    }
}

fn flush() {
    let _ = io::stdout().flush();
    unsafe { fflush(std::ptr::null_mut()) };
}

/// Of one call: from its begin until its declared fields are read.
pub struct Clock {
    measured: bool,
    begun: Instant,
    seconds: Option<f64>,
    resting: Option<i64>,
    peak: Option<i64>,
}

impl Clock {
    pub fn new(measured: bool) -> Clock {
        Clock {
            measured,
            begun: Instant::now(),
            seconds: None,
            resting: None,
            peak: None,
        }
    }

    pub fn start(&mut self) {
        self.resting = if self.measured { reset_peak() } else { None };
        self.begun = Instant::now();
    }

    pub fn stop(&mut self) {
        if self.seconds.is_none() {
            self.seconds = Some(self.begun.elapsed().as_secs_f64());
            self.peak = self.resting.and_then(|resting| Some(peak()? - resting));
        }
    }

    pub fn told(&self, has_answered: bool) -> Vec<(String, Value)> {
        let seconds = self
            .seconds
            .unwrap_or_else(|| self.begun.elapsed().as_secs_f64());
        let peak = self
            .peak
            .filter(|_| has_answered)
            .map(|peak| ("peak".into(), Value::Whole(peak)));
        [("seconds".into(), Value::Number(seconds))]
            .into_iter()
            .chain(peak)
            .collect()
    }
}

/// From here on the peak counts anew, where the kernel can do that. What is in use now, in bytes.
fn reset_peak() -> Option<i64> {
    let file = OpenOptions::new().write(true).open("/proc/self/clear_refs");
    let anew = file.and_then(|mut file| file.write_all(b"5"));
    if anew.is_ok() {
        peak()
    } else {
        Some(0)
    }
}

fn peak() -> Option<i64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace()
        .next()?
        .parse::<i64>()
        .ok()
        .map(|kilobytes| kilobytes * 1024)
}
