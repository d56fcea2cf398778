use crate::WlsError;

/// The means of all windows of `window` numbers that stand side by side.
///
/// # Errors
///
/// [`WlsError::Window`] where the window holds nothing, or more than there is.
pub fn moving_mean(x: &[f64], window: usize) -> Result<Vec<f64>, WlsError> {
    let length = x.len();
    if window == 0 || window > length {
        return Err(WlsError::Window { window, length });
    }
    Ok((0..=length - window)
        .map(|t| x[t..t + window].iter().sum::<f64>() / window as f64)
        .collect())
}
