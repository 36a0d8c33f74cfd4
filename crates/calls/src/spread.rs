//! How values are spread over places: how uneven they are, how two metrics go together, how many places have how much.

/// How uneven values are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Imbalance {
    /// The mean of all.
    pub mean: f64,
    /// The largest.
    pub most: f64,
    /// Where it is; the first of equal ones.
    pub at: usize,
    /// Largest ÷ mean; 1 where the mean is not above zero.
    pub ratio: f64,
}

/// How uneven values over places are; nothing where there are none.
pub fn imbalance(values: &[i64]) -> Option<Imbalance> {
    let mean = values.iter().map(|&value| value as f64).sum::<f64>() / values.len() as f64;
    let (at, &most) = values.iter().enumerate().rev().max_by_key(|(_, value)| **value)?;
    let ratio = if mean > 0.0 { most as f64 / mean } else { 1.0 };
    Some(Imbalance { mean, most: most as f64, at, ratio })
}

/// The line of least squares through points, and how well it fits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fit {
    /// Points.
    pub n: usize,
    /// y = slope · x + start.
    pub slope: f64,
    /// Where it meets x = 0.
    pub start: f64,
    /// Pearson's correlation, −1…1; 0 where either value is the same everywhere.
    pub r: f64,
    /// The share of the variance of y that the line explains: r².
    pub r2: f64,
    /// The standard error of the slope; 0 with fewer than three points.
    pub error: f64,
}

/// Fits a line; nothing where there are fewer than two points or all have one x.
pub fn fit(x: &[f64], y: &[f64]) -> Option<Fit> {
    let n = x.len().min(y.len());
    let (x, y) = (x.get(..n)?, y.get(..n)?);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / n as f64;
    let (mx, my) = (mean(x), mean(y));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        let (dx, dy) = (x - mx, y - my);
        (xx, xy, yy) = (xx + dx * dx, xy + dx * dy, yy + dy * dy);
    }
    if n < 2 || xx <= 0.0 || !xx.is_finite() || !yy.is_finite() {
        return None;
    }
    let slope = xy / xx;
    let r = if yy > 0.0 { (xy / (xx.sqrt() * yy.sqrt())).clamp(-1.0, 1.0) } else { 0.0 };
    let rest = (yy - slope * xy).max(0.0);
    let error = if n > 2 { (rest / (n - 2) as f64 / xx).sqrt() } else { 0.0 };
    Some(Fit { n, slope, start: my - slope * mx, r, r2: r * r, error })
}
