use crate::WlsError;
use std::str::FromStr;

/// Which covariance matrix of the coefficients is estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The same variance, but for the weights.
    Classical,
    /// White's.
    HC0,
    /// White's times n / (n - p).
    HC1,
}

impl FromStr for Kind {
    type Err = WlsError;

    fn from_str(name: &str) -> Result<Self, WlsError> {
        match name {
            "classical" => Ok(Kind::Classical),
            "HC0" => Ok(Kind::HC0),
            "HC1" => Ok(Kind::HC1),
            other => Err(WlsError::Kind(other.to_string())),
        }
    }
}

/// A fitted model.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The p coefficients.
    pub coef: Vec<f64>,
    /// Their standard errors.
    pub se: Vec<f64>,
    /// The square root of the residual variance.
    pub sigma: f64,
    /// The p x p covariance matrix of the coefficients.
    pub cov: Vec<Vec<f64>>,
    /// The n x p weighted scores, row by row.
    pub scores: Vec<f64>,
    /// The n residuals.
    pub residuals: Vec<f64>,
    /// n - p.
    pub df: usize,
}

/// Weighted least squares of `y` on the rows of `x`.
///
/// The coefficients are `(X'WX)^-1 X'Wy`. Without `weights` each is 1, without `kind` it is [`Kind::HC1`].
/// A weight of zero is refused, like a negative one.
///
/// # Errors
///
/// [`WlsError::TooFew`], [`WlsError::Shape`], [`WlsError::Weight`] and [`WlsError::Singular`], in this order.
pub fn fit(
    y: &[f64],
    x: &[Vec<f64>],
    weights: Option<&[f64]>,
    kind: Option<Kind>,
) -> Result<Fit, WlsError> {
    let n = y.len();
    let p = x.first().map_or(0, Vec::len);
    if p == 0 || n <= p {
        return Err(WlsError::TooFew);
    }
    if x.len() != n || x.iter().any(|row| row.len() != p) {
        return Err(WlsError::Shape("x".into()));
    }
    let ones = vec![1.0; n];
    let w = weights.unwrap_or(&ones);
    if w.len() != n {
        return Err(WlsError::Shape("weights".into()));
    }
    if let Some(at) = w.iter().position(|v| !v.is_finite() || *v <= 0.0) {
        return Err(WlsError::Weight(at));
    }
    let mut gram = vec![vec![0.0; p]; p];
    let mut right = vec![0.0; p];
    for (i, row) in x.iter().enumerate() {
        for a in 0..p {
            right[a] += w[i] * row[a] * y[i];
            for b in 0..p {
                gram[a][b] += w[i] * row[a] * row[b];
            }
        }
    }
    let bread = inverse(gram)?;
    let coef: Vec<f64> = bread.iter().map(|row| dot(row, &right)).collect();
    let residuals: Vec<f64> = (0..n).map(|i| y[i] - dot(&x[i], &coef)).collect();
    let mut scores = Vec::with_capacity(n * p);
    for (row, (weight, residual)) in x.iter().zip(w.iter().zip(&residuals)) {
        scores.extend(row.iter().map(|v| weight * residual * v));
    }
    let df = n - p;
    let weighted: f64 = (0..n).map(|i| w[i] * residuals[i] * residuals[i]).sum();
    let variance = weighted / df as f64;
    let cov = match kind.unwrap_or(Kind::HC1) {
        Kind::Classical => scaled(&bread, variance),
        Kind::HC0 => sandwich(&bread, &scores, p),
        Kind::HC1 => scaled(&sandwich(&bread, &scores, p), n as f64 / df as f64),
    };
    let se = (0..p).map(|a| cov[a][a].sqrt()).collect();
    let sigma = variance.sqrt();
    Ok(Fit {
        coef,
        se,
        sigma,
        cov,
        scores,
        residuals,
        df,
    })
}

impl Fit {
    /// The fitted values for the rows of `x`.
    ///
    /// # Errors
    ///
    /// [`WlsError::Shape`] where a row has not one number for each coefficient.
    pub fn predict(&self, x: &[Vec<f64>]) -> Result<Vec<f64>, WlsError> {
        if x.iter().any(|row| row.len() != self.coef.len()) {
            return Err(WlsError::Shape("x".into()));
        }
        Ok(x.iter().map(|row| dot(row, &self.coef)).collect())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(u, v)| u * v).sum()
}

fn scaled(matrix: &[Vec<f64>], factor: f64) -> Vec<Vec<f64>> {
    matrix
        .iter()
        .map(|row| row.iter().map(|v| v * factor).collect())
        .collect()
}

fn sandwich(bread: &[Vec<f64>], scores: &[f64], p: usize) -> Vec<Vec<f64>> {
    let half: Vec<Vec<f64>> = scores
        .chunks(p)
        .map(|score| bread.iter().map(|row| dot(row, score)).collect())
        .collect();
    let entry = |a: usize, b: usize| half.iter().map(|h| h[a] * h[b]).sum();
    (0..p)
        .map(|a| (0..p).map(|b| entry(a, b)).collect())
        .collect()
}

/// Of a symmetric positive definite matrix, by its Cholesky factor.
fn inverse(mut a: Vec<Vec<f64>>) -> Result<Vec<Vec<f64>>, WlsError> {
    let p = a.len();
    for j in 0..p {
        let largest = a[j][j];
        let left = largest - (0..j).map(|k| a[j][k] * a[j][k]).sum::<f64>();
        if left.is_nan() || left <= 1e-12 * largest {
            return Err(WlsError::Singular);
        }
        a[j][j] = left.sqrt();
        for i in j + 1..p {
            let inner: f64 = (0..j).map(|k| a[i][k] * a[j][k]).sum();
            a[i][j] = (a[i][j] - inner) / a[j][j];
        }
    }
    let mut columns = Vec::with_capacity(p);
    for at in 0..p {
        let mut z = vec![0.0; p];
        z[at] = 1.0;
        for i in 0..p {
            z[i] = (z[i] - (0..i).map(|k| a[i][k] * z[k]).sum::<f64>()) / a[i][i];
        }
        for i in (0..p).rev() {
            z[i] = (z[i] - (i + 1..p).map(|k| a[k][i] * z[k]).sum::<f64>()) / a[i][i];
        }
        columns.push(z);
    }
    Ok(columns)
}
