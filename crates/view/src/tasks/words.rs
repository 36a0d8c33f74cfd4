//! Words and cells around numbers: one grain and two grains, shares that are never rounded to nothing or to all, cells of
//! tables and facts with their text.

use crosscut_run::{Clock, Source};
use crosscut_scene::Scene;
use crosscut_scene::format::{THIN, count, exact, quantity, three};
pub use crosscut_scene::format::{many, share};
use crosscut_tree::{NodeId, Unit};
use crosscut_workbench::sheet::Share;
use crosscut_workbench::{Cell, Fact};

pub use crate::format::unit;

/// Says something more of what was left out of a picture.
pub fn add_note(scene: &mut Scene, more: Option<String>) {
    if let Some(more) = more {
        scene.note = Some(scene.note.take().map_or(more.clone(), |note| format!("{note} · {more}")));
    }
}

/// A number with its text; not available where it is none.
pub fn number(value: f64, unit: Unit) -> Cell {
    if !value.is_finite() {
        return Cell::None;
    }
    Cell::Number { value, text: quantity(value, unit), exact: exact(value, unit), share: None }
}

/// A number with its share of something, which is drawn behind it.
pub fn part(value: f64, unit: Unit, whole: f64) -> Cell {
    let mut cell = number(value, unit);
    if let Cell::Number { share, .. } = &mut cell
        && whole > 0.0
    {
        *share = Some((value / whole).clamp(0.0, 1.0) as f32);
    }
    cell
}

/// A time.
pub fn time(value: i64, clock: Clock) -> Cell {
    number(value as f64, unit(clock))
}

/// A time in words.
pub fn time_text(value: i64, clock: Clock) -> String {
    crate::format::time(value as f64, clock)
}

/// A source line.
pub fn line(source: &Source) -> Cell {
    Cell::Line {
        text: source.short(),
        file: source.file.clone(),
        line: u32::try_from(source.line).unwrap_or(0),
        function: Some(source.function.clone()).filter(|function| !function.is_empty()),
        after: None,
    }
}

/// A fact with what it means.
pub fn fact(name: &str, value: Cell, about: &str) -> Fact {
    Fact { name: name.to_owned(), value, about: about.to_owned() }
}

/// A number that is a fact.
pub fn figure(name: &str, value: f64, unit: Unit) -> Fact {
    Fact::new(name, number(value, unit))
}

/// a / b, and nothing where there is nothing to divide by.
pub fn ratio(a: i64, b: i64) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}

/// Parts of a whole, largest first; after the first sixteen the others are one. Each comes with its slot and name.
pub fn shares(mut parts: Vec<(u16, String, i64)>, clock: Clock, rest: u16) -> Cell {
    const NAMED: usize = 16;
    let total: i64 = parts.iter().map(|part| part.2).fold(0, i64::saturating_add);
    if parts.len() > NAMED {
        let others = parts.split_off(NAMED - 1);
        let time = others.iter().map(|part| part.2).fold(0, i64::saturating_add);
        parts.push((rest, format!("{} others", count(others.len() as i64)), time));
    }
    let part = |(fill, name, time): (u16, String, i64)| {
        let whole = total.max(1) as f64;
        Share {
            fill,
            share: (time as f64 / whole) as f32,
            name,
            text: format!("{} · {}", share(time as f64, whole), time_text(time, clock)),
        }
    };
    Cell::Shares { parts: parts.into_iter().map(part).collect() }
}

/// What folding saves: what is not all is not said to be all.
pub fn savings(part: f64) -> String {
    let percents = 100.0 * part;
    format!("{:.2}{THIN}%", if part < 1.0 { percents.min(99.99) } else { percents })
}

/// How alike two graphs are. Those that are not the same are never said to be alike by 1.
pub fn similarity(same: bool, value: f64) -> String {
    if same { three(value) } else { format!("{:.3}", (value * 1000.0).floor().clamp(0.0, 999.0) / 1000.0) }
}

/// How fast something is beside something else.
pub fn speed(ratio: f64) -> String {
    match (three(ratio).as_str(), three(1.0 / ratio).as_str()) {
        ("1.00", _) | (_, "1.00") => "as fast".to_owned(),
        (_, slower) if ratio > 0.0 && ratio < 1.0 => format!("{slower} times slower"),
        (faster, _) => format!("{faster} times as fast"),
    }
}

/// By how much one time differs from another.
pub fn difference(from: i64, to: i64) -> String {
    let share = share((to - from).abs() as f64, from as f64);
    match to.cmp(&from) {
        std::cmp::Ordering::Less => format!("{share} less"),
        std::cmp::Ordering::Equal => "the same".to_owned(),
        std::cmp::Ordering::Greater => format!("{share} more"),
    }
}

/// The id of a grain or a group, as reports print it.
pub fn grain_id(node: NodeId) -> String {
    format!("g{}", node.0)
}

/// Reads the id of a grain or a group: `g22`, or its number alone.
pub fn parse_grain(text: &str) -> Option<NodeId> {
    let text = text.trim();
    let digits = text.strip_prefix('g').unwrap_or(text);
    // `parse` would also take a sign.
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok().map(NodeId)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn not_all_is_not_said_to_be_all() {
        assert_eq!(savings(1.0 - 40.0 / 50.0), "20.00\u{2009}%");
        assert_eq!(savings(0.999_999), "99.99\u{2009}%");
        assert_eq!(savings(0.998_83), "99.88\u{2009}%");
    }

    #[test]
    fn what_is_not_the_same_is_not_alike_by_one() {
        assert_eq!(similarity(true, 1.0), "1.00");
        assert_eq!(similarity(false, 1.0), "0.999");
        assert_eq!(similarity(false, 0.99996), "0.999");
        assert_eq!(similarity(false, 0.1239), "0.123");
        assert_eq!(similarity(false, 0.0), "0.000");
    }

    #[test]
    fn fast_and_slow() {
        assert_eq!(speed(6.68), "6.68 times as fast");
        assert_eq!(speed(0.045), "22.2 times slower");
        assert_eq!(speed(1.001), "as fast");
        assert_eq!(speed(0.999), "as fast");
    }

    #[test]
    fn ids_of_grains() {
        assert_eq!(parse_grain("g22"), Some(NodeId(22)));
        assert_eq!(parse_grain(" 7 "), Some(NodeId(7)));
        for wrong in ["", "g", "gg1", "g-1", "+1", "n22", "4294967296"] {
            assert_eq!(parse_grain(wrong), None, "{wrong}");
        }
    }
}
