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

/// Places by how much they have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// Where the first bin begins.
    pub from: f64,
    /// Where the last one ends; it holds its end.
    pub to: f64,
    /// By bin: its places, ascending.
    pub bins: Vec<Vec<u32>>,
}

impl Histogram {
    /// The bin of a value between the ends.
    pub fn bin(&self, value: f64) -> usize {
        let width = (self.to - self.from) / self.bins.len() as f64;
        let at = if width > 0.0 { ((value - self.from) / width).floor() } else { 0.0 };
        (at.max(0.0) as usize).min(self.bins.len().saturating_sub(1))
    }
}

/// How many bins so many places have: each its own up to 16, then 2√P, between 8 and 28.
pub fn usual_bins(places: usize) -> usize {
    match places {
        0..=16 => places.max(1),
        _ => ((2.0 * (places as f64).sqrt()) as usize).clamp(8, 28),
    }
}

/// Places by how much they have, from the smallest value or 0.6 of the mean, whichever is less, to the largest.
pub fn histogram(values: &[i64], bins: usize) -> Option<Histogram> {
    let least = *values.iter().min()? as f64;
    let most = *values.iter().max()? as f64;
    let mean = values.iter().map(|&value| value as f64).sum::<f64>() / values.len() as f64;
    let from = least.min(0.6 * mean);
    let mut out = Histogram { from, to: most, bins: vec![Vec::new(); bins.max(1)] };
    for (place, &value) in values.iter().enumerate() {
        let bin = out.bin(value as f64);
        out.bins[bin].push(place as u32);
    }
    Some(out)
}
