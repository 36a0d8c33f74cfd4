//! Words around numbers: one grain and two grains, shares that are never rounded to nothing or to all, ids of grains.

use crosscut_tree::NodeId;
use crosscut_view::format::{THIN, count, percent, three};

/// So many of something: `1 grain`, `24 704 grains`.
pub fn many(number: usize, thing: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {thing}{s}", count(number as i64))
}

/// A share in percent. What is not nothing is not said to be 0 %, what is not all is not said to be 100 %.
pub fn share(part: f64, whole: f64) -> String {
    let percents = 100.0 * part / whole;
    match percents {
        p if p > 0.0 && p < 0.0005 => format!("less than 0.001{THIN}%"),
        p if (99.95..100.0).contains(&p) => format!("more than 99.9{THIN}%"),
        _ => percent(part, whole),
    }
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

/// The id of a grain or a group, as the reports print it.
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
    fn one_and_many() {
        assert_eq!(many(0, "grain"), "0 grains");
        assert_eq!(many(1, "fork-join"), "1 fork-join");
        assert_eq!(many(24_704, "grain"), "24\u{2009}704 grains");
    }

    #[test]
    fn shares_are_not_rounded_to_nothing_or_all() {
        assert_eq!(share(0.0, 8.0), "0\u{2009}%");
        assert_eq!(share(8.0, 8.0), "100\u{2009}%");
        assert_eq!(share(1.0, 1e6), "less than 0.001\u{2009}%");
        assert_eq!(share(1e6 - 1.0, 1e6), "more than 99.9\u{2009}%");
        assert_eq!(share(1.0, 8.0), "12.5\u{2009}%");
        assert_eq!(share(2.0, 1.0), "200\u{2009}%");
        assert_eq!(share(1.0, 0.0), "–");
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
