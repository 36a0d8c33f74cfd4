//! Ticks of a linear axis: steps of 1, 2 or 5 times a power of ten, with one unit for the whole axis.

use crate::format::{THIN, count};
use crate::scene::Axis;

/// A tick: where, and what stands there.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Pixel along the axis.
    pub at: f32,
    /// The text, with its unit at the last tick only when `unit_at_end`.
    pub text: String,
}

/// Smallest step of the form {1, 2, 5} × 10^k that is not below `least`.
pub fn nice_step(least: f64) -> f64 {
    if !(least.is_finite() && least > 0.0) {
        return 1.0;
    }
    let power = 10f64.powf(least.log10().floor());
    for factor in [1.0, 2.0, 5.0, 10.0] {
        // The logarithm may have rounded: allow for the last bits.
        if factor * power >= least * (1.0 - 1e-12) {
            return factor * power;
        }
    }
    10.0 * power
}

/// Ticks at least `room` pixels apart.
pub fn ticks(axis: &Axis, room: f32) -> Vec<Tick> {
    let span = axis.to - axis.from;
    let most = (axis.length / room.max(1.0)).floor().max(1.0);
    if !(span.is_finite() && span > 0.0) {
        return Vec::new();
    }
    let mut step = nice_step(span / f64::from(most));
    if axis.unit != "ns" || axis.to.abs() < 1e3 {
        step = step.max(1.0); // counts, ticks and nanoseconds are whole
    }
    let (unit, scale) = unit(axis);
    let decimals = (-(step / scale).log10().floor()).clamp(0.0, 9.0) as usize;
    let first = (axis.from / step).ceil();
    let last = (axis.to / step * (1.0 + 1e-12)).floor();
    let mut all = Vec::new();
    let mut k = first;
    while k <= last && all.len() < 1000 {
        let value = k * step;
        let at = axis.start + ((value - axis.from) / span) as f32 * axis.length;
        all.push(Tick { at, text: number(value / scale, decimals, unit) });
        k += 1.0;
    }
    all
}

fn number(value: f64, decimals: usize, unit: &str) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let text = if decimals == 0 {
        count(value.round() as i64)
    } else {
        format!("{value:.decimals$}").replace('-', "−")
    };
    if unit.is_empty() { text } else { format!("{text}{THIN}{unit}") }
}

/// The unit in which the axis is written, and how many of the axis' own units it holds.
fn unit(axis: &Axis) -> (&'static str, f64) {
    let size = axis.to.abs().max(axis.from.abs());
    match axis.unit.as_str() {
        "ns" => match size {
            s if s >= 1e9 => ("s", 1e9),
            s if s >= 1e6 => ("ms", 1e6),
            s if s >= 1e3 => ("µs", 1e3),
            _ => ("ns", 1.0),
        },
        "ticks" => match size {
            s if s >= 1e9 => ("G", 1e9),
            s if s >= 1e6 => ("M", 1e6),
            s if s >= 1e3 => ("k", 1e3),
            _ => ("", 1.0),
        },
        _ => ("", 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(from: f64, to: f64, unit: &str) -> Axis {
        Axis { from, to, start: 10.0, length: 400.0, unit: unit.to_owned(), title: String::new() }
    }

    fn texts(axis: &Axis) -> Vec<String> {
        ticks(axis, 80.0).into_iter().map(|t| t.text.replace(THIN, " ")).collect()
    }

    #[test]
    fn steps_are_nice() {
        for (least, step) in [(0.3, 0.5), (1.0, 1.0), (1.1, 2.0), (2.1, 5.0), (5.1, 10.0), (1000.0, 1000.0)] {
            assert!((nice_step(least) - step).abs() < 1e-9, "{least}");
        }
        assert_eq!(nice_step(f64::NAN), 1.0);
    }

    #[test]
    fn one_unit_per_axis() {
        assert_eq!(texts(&axis(0.0, 1.0e9, "ns")), ["0", "0.2 s", "0.4 s", "0.6 s", "0.8 s", "1.0 s"]);
        assert_eq!(texts(&axis(0.0, 45_000.0, "ns")), ["0", "10 µs", "20 µs", "30 µs", "40 µs"]);
        assert_eq!(texts(&axis(0.0, 3.0, "ns")), ["0", "1 ns", "2 ns", "3 ns"]);
        assert_eq!(texts(&axis(0.0, 4.0, "")), ["0", "1", "2", "3", "4"]);
        assert_eq!(texts(&axis(1e9, 1e9 + 1000.0, "ticks")).len(), 6);
    }

    #[test]
    fn deep_zoom_keeps_ticks_apart() {
        let all = ticks(&axis(1.5e9, 1.5e9 + 400.0, "ns"), 80.0);
        assert!(all.len() >= 3);
        assert!(all.windows(2).all(|pair| pair[0].text != pair[1].text && pair[1].at - pair[0].at >= 79.0));
    }

    #[test]
    fn an_axis_without_extent_has_none() {
        assert!(ticks(&axis(1.0, 1.0, "ns"), 80.0).is_empty());
        assert!(ticks(&axis(f64::NAN, 1.0, "ns"), 80.0).is_empty());
    }
}
