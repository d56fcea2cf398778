//! Weighted least squares with robust standard errors, and moving means.
//!
//! ```
//! let x = vec![vec![1.0, 0.0], vec![1.0, 1.0], vec![1.0, 2.0], vec![1.0, 3.0]];
//! let fit = wls::fit(&[1.0, 3.0, 4.0, 7.0], &x, None, None)?;
//! assert!((fit.coef[1] - 1.9).abs() < 1e-12);
//! # Ok::<(), wls::WlsError>(())
//! ```

mod linear;
mod moving;

pub use linear::{fit, Fit, Kind};
pub use moving::moving_mean;

use std::fmt;

/// Why nothing was computed.
#[derive(Clone, Debug, PartialEq)]
pub enum WlsError {
    /// There are no observations, or not more than coefficients.
    TooFew,
    /// Lengths that must be the same differ.
    Shape(String),
    /// The columns of the design depend on each other.
    Singular,
    /// A weight is negative or no number.
    Weight(usize),
    /// The window holds nothing, or more than there is.
    Window { window: usize, length: usize },
    /// Nobody knows this kind of standard error.
    Kind(String),
}

impl fmt::Display for WlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WlsError::TooFew => write!(f, "more observations than coefficients are needed"),
            WlsError::Shape(what) => write!(f, "{what} has another length"),
            WlsError::Singular => write!(f, "the design matrix has not full rank"),
            WlsError::Weight(at) => write!(f, "the weight at {at} is not a positive number"),
            WlsError::Window { window, length } => {
                write!(f, "a window of {window} does not fit into {length} numbers")
            }
            WlsError::Kind(name) => write!(f, "unknown kind of standard errors: {name}"),
        }
    }
}

impl std::error::Error for WlsError {}
