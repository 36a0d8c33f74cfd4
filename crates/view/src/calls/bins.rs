//! Bins of a value over places, and how places are told in words.

use crosscut_calls::Calls;

/// Equal bins.
#[derive(Clone, Debug, PartialEq)]
pub struct Bins {
    /// Where the first begins.
    pub from: f64,
    /// Where the last ends.
    pub to: f64,
    /// By place: its bin.
    pub of: Vec<u32>,
    /// Places in each.
    pub count: Vec<usize>,
}

impl Bins {
    /// Bins of values: as many as places where these are few, else about 2√places, 28 at most.
    pub fn new(values: &[f64]) -> Self {
        let places = values.len();
        let mean = values.iter().sum::<f64>() / places.max(1) as f64;
        let least = values.iter().copied().fold(f64::INFINITY, f64::min).min(0.6 * mean);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (from, to) = match (least.is_finite() && most.is_finite(), most > least) {
            (true, true) => (least, most),
            (true, false) => (least - 1.0, least + 1.0),
            _ => (0.0, 1.0),
        };
        let number = match places {
            0..=16 => places.max(1),
            _ => (2.0 * (places as f64).sqrt()).clamp(8.0, 28.0) as usize,
        };
        let mut bins = Bins { from, to, of: Vec::with_capacity(places), count: vec![0; number] };
        for &value in values {
            let bin = bins.bin(value);
            bins.count[bin] += 1;
            bins.of.push(bin as u32);
        }
        bins
    }

    /// The bin of a value.
    pub fn bin(&self, value: f64) -> usize {
        let share = (value - self.from) / (self.to - self.from);
        ((share * self.count.len() as f64).max(0.0) as usize).min(self.count.len() - 1)
    }

    /// Where a bin begins and ends.
    pub fn ends(&self, bin: usize) -> (f64, f64) {
        let width = (self.to - self.from) / self.count.len() as f64;
        (self.from + bin as f64 * width, self.from + (bin + 1) as f64 * width)
    }

    /// Places whose bin a stretch of values touches.
    pub fn touched(&self, low: f64, high: f64) -> Vec<u32> {
        if high < self.from || low > self.to {
            return Vec::new();
        }
        let (low, high) = (self.bin(low) as u32, self.bin(high) as u32);
        let meant = self.of.iter().enumerate().filter(|(_, bin)| (low..=high).contains(*bin));
        meant.map(|(place, _)| place as u32).collect()
    }
}

/// Stretches of places that are told at most.
const TOLD: usize = 6;

/// Places in words: stretches of those that follow one another.
pub fn told(calls: &Calls, places: &[u32]) -> String {
    let stretches: Vec<&[u32]> = places.chunk_by(|a, b| a + 1 == *b).collect();
    let one = |stretch: &&[u32]| match stretch {
        [first, .., last] => {
            let (first, last) = (calls.place_title(*first as usize), calls.place_title(*last as usize));
            match (first.strip_prefix("rank "), last.strip_prefix("rank ")) {
                (Some(a), Some(b)) if !a.contains(',') && !b.contains(',') => format!("ranks {a}–{b}"),
                _ => format!("{first} – {last}"),
            }
        }
        [only] => calls.place_title(*only as usize).to_owned(),
        [] => String::new(),
    };
    let mut words: Vec<String> = stretches.iter().take(TOLD).map(one).collect();
    if stretches.len() > TOLD {
        let more: usize = stretches.iter().skip(TOLD).map(|stretch| stretch.len()).sum();
        words.push(format!("{more} more"));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_in_the_bin_of_its_value() {
        let values: Vec<f64> = (0..256).map(|n| f64::from(n * 37 % 101)).collect();
        let bins = Bins::new(&values);
        assert_eq!(bins.count.len(), 28);
        assert_eq!(bins.count.iter().sum::<usize>(), 256);
        for (&value, &bin) in values.iter().zip(&bins.of) {
            let (from, to) = bins.ends(bin as usize);
            assert!(value >= from - 1e-9 && value <= to + 1e-9, "{value} in {from}…{to}");
        }
        assert_eq!(bins.touched(bins.from, bins.to).len(), 256);
        let high = bins.touched(95.0, 1e9);
        assert!(!high.is_empty() && high.iter().all(|&place| values[place as usize] > 90.0));
        assert!(bins.touched(200.0, 300.0).is_empty());
    }

    #[test]
    fn equal_and_no_values_have_bins() {
        assert_eq!(Bins::new(&[5.0; 4]).count.iter().sum::<usize>(), 4);
        assert_eq!(Bins::new(&[]).count, [0]);
    }
}
