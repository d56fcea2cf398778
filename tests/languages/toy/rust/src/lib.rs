//! The mean of numbers and its standard error.

use std::fmt;

/// Input that cannot be used.
#[derive(Debug)]
pub enum Refused {
    /// There is nothing to calculate with.
    ValueError(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refused::ValueError(text) = self;
        f.write_str(text)
    }
}

impl std::error::Error for Refused {}

/// The mean.
///
/// # Errors
/// Refuses an empty slice.
pub fn mean(x: &[f64]) -> Result<f64, Refused> {
    if x.is_empty() {
        return Err(Refused::ValueError("no numbers".to_string()));
    }
    Ok(x.iter().sum::<f64>() / x.len() as f64)
}

/// The standard error of the mean.
///
/// # Errors
/// Refuses an empty slice.
pub fn standard_error(x: &[f64]) -> Result<f64, Refused> {
    let (m, n) = (mean(x)?, x.len() as f64);
    Ok((x.iter().map(|v| (v - m) * (v - m)).sum::<f64>() / (n - 1.0) / n).sqrt())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_mean_of_two_numbers() {
        assert_eq!(super::mean(&[1.0, 3.0]).unwrap(), 2.0);
    }
}
