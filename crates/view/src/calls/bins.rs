//! Bins of a value over ranks or places, how those are told in words, and the axis along which they stand.

use crosscut_calls::{Each, Peers};
use crosscut_scene::{Align, Axis, Label, Rect, Scene, Side, Stop, TextStyle, Unit};

use super::styles::FAINT;

/// Equal bins.
#[derive(Clone, Debug, PartialEq)]
pub struct Bins {
    /// Where the first begins.
    pub from: f64,
    /// Where the last ends.
    pub to: f64,
    /// By rank or place: its bin.
    pub of: Vec<u32>,
    /// How many are in each.
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

    /// Those whose bin a stretch of values touches.
    pub fn touched(&self, low: f64, high: f64) -> Vec<usize> {
        if high < self.from || low > self.to {
            return Vec::new();
        }
        let (low, high) = (self.bin(low) as u32, self.bin(high) as u32);
        let meant = self.of.iter().enumerate().filter(|(_, bin)| (low..=high).contains(*bin));
        meant.map(|(peer, _)| peer).collect()
    }
}

/// Stretches that are told at most.
const TOLD: usize = 6;

/// Ranks or places in words: stretches of those that follow one another.
pub fn told(peers: &Peers, some: &[usize]) -> String {
    let stretches: Vec<&[usize]> = some.chunk_by(|a, b| a + 1 == *b).collect();
    let one = |stretch: &&[usize]| match stretch {
        [first, .., last] => {
            let (first, last) = (peers.title(*first), peers.title(*last));
            match (first.strip_prefix("rank "), last.strip_prefix("rank ")) {
                (Some(a), Some(b)) if !a.contains(',') && !b.contains(',') => format!("ranks {a}–{b}"),
                _ => format!("{first} – {last}"),
            }
        }
        [only] => peers.title(*only).to_owned(),
        [] => String::new(),
    };
    let mut words: Vec<String> = stretches.iter().take(TOLD).map(one).collect();
    if stretches.len() > TOLD {
        let more: usize = stretches.iter().skip(TOLD).map(|stretch| stretch.len()).sum();
        words.push(format!("{more} more"));
    }
    words.join(", ")
}

/// Who has no value and is left out, in words; nothing where nobody is.
pub fn left_out(peers: &Peers) -> Option<String> {
    let word = peers.each().word();
    match peers.left_out() {
        0 => None,
        1 => Some(format!("1 {word} without any value is left out")),
        many => Some(format!("{many} {word}s without any value are left out")),
    }
}

/// The axis along which ranks or places stand, each as wide as the others. Its values are numbers of places, because those are what
/// is chosen on it: a rank begins at its first place, and ends where the next one begins.
pub fn axis(peers: &Peers, places: usize, rect: Rect) -> Axis {
    let cell = rect.w / peers.len().max(1) as f32;
    let first = |peer: usize| peers.places(peer).first().map_or(0.0, |&place| f64::from(place));
    let stop = |value: f64, peer: usize| Stop { value, at: rect.x + peer as f32 * cell, folded: false };
    let mut stops = vec![stop(0.0, 0)];
    for peer in 1..peers.len() {
        // Stops only where ranks with another number of places begin.
        let before = first(peer) - if peer == 1 { 0.0 } else { first(peer - 1) };
        let after = if peer + 1 < peers.len() { first(peer + 1) } else { places as f64 } - first(peer);
        if before != after {
            stops.push(stop(first(peer), peer));
        }
    }
    stops.push(stop(places.max(1) as f64, peers.len().max(1)));
    let word = peers.each().word();
    Axis { stops, side: Side::None, grid: false, ..Axis::linear((0.0, 1.0), 0.0, 1.0, Unit::Count, word) }
}

/// Room of a number below the axis.
const NUMBER: f32 = 48.0;

/// Numbers below the axis, in round steps.
pub fn numbers(peers: &Peers, rect: Rect, scene: &mut Scene) {
    let cell = rect.w / peers.len().max(1) as f32;
    let steps = [1, 2, 5].into_iter().cycle().zip((0..).map(|n| 10usize.saturating_pow(n / 3)));
    let fits = |step: &usize| *step as f32 * cell >= NUMBER || *step >= peers.len();
    let Some(step) = steps.map(|(digit, scale)| digit * scale).find(fits) else { return };
    let style = TextStyle { align: Align::Middle, ..FAINT };
    for peer in (0..peers.len()).step_by(step.max(1)) {
        let number = peers.number(peer);
        let text = match (peer, peers.each()) {
            (0, Each::Rank) => format!("rank {number}"),
            (0, Each::Place) => format!("place {number}"),
            _ => number.to_string(),
        };
        let x =
            (rect.x + (peer as f32 + 0.5) * cell).max(rect.x + NUMBER / 2.0 * f32::from(u8::from(peer == 0)));
        scene.labels.push(Label::new((x, rect.y + rect.h + 13.0), NUMBER, text, style));
    }
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
        assert!(!high.is_empty() && high.iter().all(|&place| values[place] > 90.0));
        assert!(bins.touched(200.0, 300.0).is_empty());
    }

    #[test]
    fn equal_and_no_values_have_bins() {
        assert_eq!(Bins::new(&[5.0; 4]).count.iter().sum::<usize>(), 4);
        assert_eq!(Bins::new(&[]).count, [0]);
    }
}
