//! Ticks of a linear axis: steps of 1, 2 or 5 times a power of ten, with one unit for the whole axis.

use crate::format::{THIN, Unit, count};
use crate::plot::{Axis, Stop};

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

/// Ticks at least `room` pixels apart; none where the axis is folded.
pub fn ticks(axis: &Axis, room: f32) -> Vec<Tick> {
    let unit = unit(axis);
    let mut all: Vec<Tick> = Vec::new();
    for pair in axis.stops.windows(2).filter(|pair| !pair[0].folded) {
        let here = if axis.log { powers(axis.unit, pair, room) } else { linear(axis, pair, room, unit) };
        // Where two stretches meet, or are near because of a fold, the ticks of the second give way.
        let last = all.last().map_or(f32::NEG_INFINITY, |tick| tick.at);
        all.extend(here.into_iter().filter(|tick| tick.at - last >= room * 0.6 || last - tick.at > room));
    }
    all
}

/// Steps of 1, 2 or 5 times a power of ten on one stretch, which may fall.
fn linear(axis: &Axis, pair: &[Stop], room: f32, (unit, scale): (&str, f64)) -> Vec<Tick> {
    let (a, b) = (pair[0], pair[1]);
    let (from, to) = (a.value.min(b.value), a.value.max(b.value));
    let (span, length) = (to - from, b.at - a.at);
    if !(span.is_finite() && span > 0.0) {
        return Vec::new();
    }
    let most = (length / room.max(1.0)).floor().max(1.0);
    // In the unit that is written: steps of bytes are round in KiB.
    let mut step = nice_step(span / f64::from(most) / scale) * scale;
    let is_whole = matches!(axis.unit, Unit::Count | Unit::Ticks | Unit::Number | Unit::Bytes);
    if is_whole || axis.unit == Unit::Ns && to.abs() < 1e3 {
        step = step.max(1.0);
    }
    let decimals = (-(step / scale).log10().floor()).clamp(0.0, 9.0) as usize;
    let first = (from / step).ceil();
    let last = (to / step * (1.0 + 1e-12)).floor();
    let mut all = Vec::new();
    let mut k = first;
    while k <= last && all.len() < 1000 {
        let value = k * step;
        let share = ((value - a.value) / (b.value - a.value)) as f32;
        all.push(Tick { at: a.at + share * length, text: number(value / scale, decimals, unit) });
        k += 1.0;
    }
    all
}

/// Powers of ten on one stretch (of two for bytes), as many of them as there is room for, each in its own unit.
fn powers(of: Unit, pair: &[Stop], room: f32) -> Vec<Tick> {
    let (a, b) = (pair[0], pair[1]);
    let base = if of == Unit::Bytes { 2f64 } else { 10.0 };
    let (from, to) = (a.value.log(base), b.value.log(base));
    let (low, high) = (from.min(to), from.max(to));
    if !(low.is_finite() && high.is_finite() && high > low) {
        return Vec::new();
    }
    let length = f64::from(b.at - a.at);
    let every = (f64::from(room) / (length / (high - low))).ceil().max(1.0);
    // Whole units of bytes lie ten powers apart.
    let every = if of == Unit::Bytes { nice_step(every) } else { every };
    let mut all = Vec::new();
    let mut power = ((low - 1e-9) / every).ceil() * every;
    while power <= high + 1e-9 && all.len() < 1000 {
        let at = a.at + ((power - from) / (to - from) * length) as f32;
        let value = base.powf(power);
        let (unit, scale) = unit_of(of, value);
        let decimals = if value < scale { (-(value / scale).log10()).ceil().min(9.0) as usize } else { 0 };
        all.push(Tick { at, text: number(value / scale, decimals, unit) });
        power += every;
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
    unit_of(axis.unit, axis.to().abs().max(axis.from().abs()))
}

/// The same for a value of this size.
fn unit_of(unit: Unit, size: f64) -> (&'static str, f64) {
    let largest = |units: &[(&'static str, f64)]| {
        units
            .iter()
            .copied()
            .find(|&(_, scale)| size >= scale * (1.0 - 1e-12))
            .unwrap_or(units[units.len() - 1])
    };
    const KIB: f64 = 1024.0;
    match unit {
        Unit::Ns => largest(&[("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0)]),
        Unit::Ticks => largest(&[("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1.0)]),
        Unit::Bytes => largest(&[
            ("TiB", KIB * KIB * KIB * KIB),
            ("GiB", KIB * KIB * KIB),
            ("MiB", KIB * KIB),
            ("KiB", KIB),
            ("B", 1.0),
        ]),
        Unit::Percent => ("%", 1.0),
        Unit::Count | Unit::Ratio | Unit::Cores | Unit::Number => ("", 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(from: f64, to: f64, unit: Unit) -> Axis {
        Axis::linear((from, to), 10.0, 400.0, unit, "")
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
        assert_eq!(texts(&axis(0.0, 1.0e9, Unit::Ns)), ["0", "0.2 s", "0.4 s", "0.6 s", "0.8 s", "1.0 s"]);
        assert_eq!(texts(&axis(0.0, 45_000.0, Unit::Ns)), ["0", "10 µs", "20 µs", "30 µs", "40 µs"]);
        assert_eq!(texts(&axis(0.0, 3.0, Unit::Ns)), ["0", "1 ns", "2 ns", "3 ns"]);
        assert_eq!(texts(&axis(0.0, 4.0, Unit::Count)), ["0", "1", "2", "3", "4"]);
        assert_eq!(texts(&axis(1e9, 1e9 + 1000.0, Unit::Ticks)).len(), 6);
    }

    #[test]
    fn deep_zoom_keeps_ticks_apart() {
        let all = ticks(&axis(1.5e9, 1.5e9 + 400.0, Unit::Ns), 80.0);
        assert!(all.len() >= 3);
        assert!(all.windows(2).all(|pair| pair[0].text != pair[1].text && pair[1].at - pair[0].at >= 79.0));
    }

    #[test]
    fn an_axis_that_falls() {
        let texts: Vec<(String, f32)> =
            ticks(&axis(4.0, 0.0, Unit::Count), 80.0).into_iter().map(|t| (t.text, t.at)).collect();
        assert_eq!(texts[0], ("0".to_owned(), 410.0));
        assert_eq!(texts[4], ("4".to_owned(), 10.0));
    }

    #[test]
    fn powers_of_ten() {
        let mut axis = axis(10.0, 1e6, Unit::Ns);
        axis.log = true;
        let texts: Vec<String> = ticks(&axis, 60.0).into_iter().map(|t| t.text.replace(THIN, " ")).collect();
        assert_eq!(texts, ["10 ns", "100 ns", "1 µs", "10 µs", "100 µs", "1 ms"]);
        let mut sizes = self::axis(1.0, 1024.0 * 1024.0 * 1024.0, Unit::Bytes);
        sizes.log = true;
        let texts: Vec<String> = ticks(&sizes, 90.0).into_iter().map(|t| t.text.replace(THIN, " ")).collect();
        assert_eq!(texts, ["1 B", "1 KiB", "1 MiB", "1 GiB"]);
    }

    #[test]
    fn nothing_stands_where_time_is_folded() {
        let stop = |value: f64, at: f32, folded: bool| Stop { value, at, folded };
        let mut axis = axis(0.0, 1.0, Unit::Ns);
        axis.stops = vec![
            stop(0.0, 0.0, false),
            stop(100.0, 200.0, true),
            stop(900.0, 230.0, false),
            stop(1000.0, 430.0, false),
        ];
        let all = ticks(&axis, 60.0);
        assert!(all.len() >= 4 && all.iter().all(|tick| tick.at <= 200.0 || tick.at >= 230.0), "{all:?}");
        assert_eq!(axis.pixel(500.0), 215.0);
        assert_eq!(axis.value(330.0), 950.0);
    }

    #[test]
    fn an_axis_without_extent_has_none() {
        assert!(ticks(&axis(1.0, 1.0, Unit::Ns), 80.0).is_empty());
        assert!(ticks(&axis(f64::NAN, 1.0, Unit::Ns), 80.0).is_empty());
    }
}
