//! Numbers for people: three significant digits, prefixes, thin separators, by the unit of what is measured. The page
//! formats axes and sliders the same way (`ui/src/format.ts`, tested on [`cases`]); exact values are shown on hover.

use serde::Serialize;

pub use crosscut_tree::Unit;

/// A value in its unit, with three significant digits: 1.23 ms, 45.6 KiB, 1 234, 12.3 %. Counts are exact.
pub fn quantity(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Ns => {
            let (scaled, unit) = scale_time(value);
            format!("{} {unit}", three(scaled))
        }
        Unit::Ticks => {
            let (scaled, prefix) = scale_up(value);
            let space = if prefix.is_empty() { "" } else { " " };
            format!("{}{space}{prefix} ticks", three(scaled))
        }
        Unit::Bytes => {
            let (scaled, unit) = scale_bytes(value);
            format!(
                "{} {unit}",
                if unit == "B" && whole(value) { count(value as i64) } else { three(scaled) }
            )
        }
        Unit::Count if whole(value) => count(value as i64),
        Unit::Count | Unit::Ratio => three(value),
        Unit::Percent => format!("{}{THIN}%", three(value)),
        Unit::Cores => format!("{} cores", three(value)),
        Unit::Number => plain(value),
    }
}

/// The same value in full, for hover: 1 234 567 ns.
pub fn exact(value: f64, unit: Unit) -> String {
    let text = match unit {
        Unit::Number => plain(value),
        _ if whole(value) => count(value as i64),
        _ => plain(value),
    };
    match unit.word() {
        "" => text,
        word => format!("{text} {word}"),
    }
}

/// Whether it is a number without a fraction that is exact.
fn whole(value: f64) -> bool {
    value.fract() == 0.0 && value.abs() < 9.007e15
}

fn plain(value: f64) -> String {
    if value.is_finite() { value.to_string().replace('-', "−") } else { "?".to_owned() }
}

/// A value, its unit, and how both forms of it are written: what the page's formatter is tested on.
#[derive(Clone, Debug, Serialize)]
pub struct Case {
    /// The value.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
    /// With three digits.
    pub text: String,
    /// In full.
    pub exact: String,
}

/// Values around every border of the formatter, in every unit.
pub fn cases() -> Vec<Case> {
    const VALUES: [f64; 34] = [
        0.0,
        0.001,
        0.0449,
        0.12345,
        0.5,
        0.9994,
        0.9996,
        1.0,
        1.234,
        7.0,
        9.994,
        9.996,
        12.0,
        45.6,
        99.94,
        99.96,
        123.4,
        512.0,
        999.0,
        999.4,
        999.6,
        1000.0,
        1023.0,
        1024.0,
        1536.0,
        12_345.0,
        999_499.0,
        999_600.0,
        1_048_576.0,
        4.56e7,
        1.5e9,
        2.2e10,
        1.5e13,
        -1234.0,
    ];
    let of = |unit: Unit| {
        VALUES.into_iter().map(move |value| {
            // A number that names something has no fraction.
            let value = if unit == Unit::Number { value.round() } else { value };
            Case { value, unit, text: quantity(value, unit), exact: exact(value, unit) }
        })
    };
    Unit::ALL.into_iter().flat_map(of).collect()
}

/// Between groups of three digits.
pub const THIN: char = '\u{2009}';

/// Three significant digits, without an exponent: 1.23, 12.3, 123, 1 230. Trailing zeros stay: they are digits.
pub fn three(value: f64) -> String {
    if !value.is_finite() {
        return "?".to_owned();
    }
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if size >= 999.5 {
        return count(value.round() as i64);
    }
    // Rounding may carry into the next power of ten (9.996 → 10.0), so the borders lie half a digit lower.
    let decimals = match size {
        s if s >= 99.95 => 0,
        s if s >= 9.995 => 1,
        s if s >= 0.9995 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

/// A whole number with thin separators: 1 234 567. Four digits are separated too, so that columns line up.
pub fn count(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    if value < 0 {
        text.push('−');
    }
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(THIN);
        }
        text.push(digit);
    }
    text
}

/// A count in little room: exact up to 9 999, then 12.3 k, 4.56 M.
pub fn short_count(value: i64) -> String {
    if value.abs() < 10_000 {
        return count(value);
    }
    let (scaled, prefix) = scale_up(value as f64);
    format!("{}{THIN}{prefix}", three(scaled))
}

/// A share of a whole, which the sentence around it must name: 12.3 %.
pub fn percent(part: f64, whole: f64) -> String {
    if whole == 0.0 { "–".to_owned() } else { format!("{}{THIN}%", three(100.0 * part / whole)) }
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

/// So many of something: `1 grain`, `24 704 grains`.
pub fn many(number: usize, thing: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {thing}{s}", count(number as i64))
}

/// The unit in which a number of nanoseconds has one to three digits before the point.
fn scale_time(ns: f64) -> (f64, &'static str) {
    let size = ns.abs();
    match size {
        s if s >= 0.9995e9 => (ns / 1e9, "s"),
        s if s >= 0.9995e6 => (ns / 1e6, "ms"),
        s if s >= 999.5 => (ns / 1e3, "µs"),
        _ => (ns, "ns"),
    }
}

/// The same for bytes.
fn scale_bytes(bytes: f64) -> (f64, &'static str) {
    const STEP: f64 = 1024.0;
    // A little below the border, since three digits of 1023.9 are a thousand of them.
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut scaled = bytes;
    let mut at = 0;
    while scaled.abs() >= 1023.5 && at + 1 < units.len() {
        scaled /= STEP;
        at += 1;
    }
    (scaled, units[at])
}

fn scale_up(value: f64) -> (f64, &'static str) {
    let size = value.abs();
    match size {
        s if s >= 0.9995e12 => (value / 1e12, "T"),
        s if s >= 0.9995e9 => (value / 1e9, "G"),
        s if s >= 0.9995e6 => (value / 1e6, "M"),
        s if s >= 999.5 => (value / 1e3, "k"),
        _ => (value, ""),
    }
}

/// Width of a text at 11 px in a common system font, rather too wide than too narrow. Pictures are laid out where
/// no font can be asked, and must not depend on one.
pub fn text_width(text: &str) -> f32 {
    text.chars()
        .map(|c| match c {
            'i' | 'j' | 'l' | '|' | '\'' | '.' | ',' | ':' | ';' | '!' | 'I' => 3.6,
            'f' | 't' | 'r' | ' ' | '(' | ')' | '-' | '/' => 4.6,
            THIN | '·' => 3.6,
            'm' | 'w' | 'M' | 'W' | '%' | '@' | '…' => 10.9,
            c if c.is_ascii_uppercase() => 7.8,
            c if c.is_ascii() => 7.0,
            _ => 9.2,
        })
        .sum()
}

/// The text, or its end after an ellipsis, such that it fits: in a path or a qualified name the end tells most.
pub fn fit_end(text: &str, width: f32) -> Option<String> {
    if text_width(text) <= width {
        return Some(text.to_owned());
    }
    let mut room = width - text_width("…");
    let mut from = text.len();
    let mut kept = 0;
    for (at, c) in text.char_indices().rev() {
        room -= text_width(c.encode_utf8(&mut [0; 4]));
        if room < 0.0 {
            break;
        }
        from = at;
        kept += 1;
    }
    (kept >= 3).then(|| format!("…{}", &text[from..]))
}

/// The text, or its beginning before an ellipsis, such that it fits: of plain names that tells most.
pub fn fit_start(text: &str, width: f32) -> Option<String> {
    if text_width(text) <= width {
        return Some(text.to_owned());
    }
    let mut room = width - text_width("…");
    let fits = |c: &char| {
        room -= text_width(c.encode_utf8(&mut [0; 4]));
        room >= 0.0
    };
    let kept: String = text.chars().take_while(fits).collect();
    (kept.chars().count() >= 3).then(|| format!("{kept}…"))
}

/// A file's own name without the folders before it.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1.00"),
            (1.234, "1.23"),
            (9.996, "10.0"),
            (99.96, "100"),
            (123.4, "123"),
            (999.6, "1\u{2009}000"),
            (-12.34, "-12.3"),
            (0.12345, "0.123"),
            (f64::NAN, "?"),
        ] {
            assert_eq!(three(value), text);
        }
    }

    #[test]
    fn times() {
        for (value, text) in [
            (0.0, "0 ns"),
            (999.0, "999 ns"),
            (999.9, "1.00 µs"),
            (1234.0, "1.23 µs"),
            (999_600.0, "1.00 ms"),
            (45.6e6, "45.6 ms"),
            (1.5e9, "1.50 s"),
            (1.5e13, "15\u{2009}000 s"),
        ] {
            assert_eq!(quantity(value, Unit::Ns), text);
        }
        assert_eq!(quantity(12.0, Unit::Ticks), "12.0 ticks");
        assert_eq!(quantity(1.25e9, Unit::Ticks), "1.25 G ticks");
    }

    #[test]
    fn every_unit() {
        for (value, unit, text, full) in [
            (1023.0, Unit::Bytes, "1\u{2009}023 B", "1\u{2009}023 bytes"),
            (1024.0, Unit::Bytes, "1.00 KiB", "1\u{2009}024 bytes"),
            (1_048_575.0, Unit::Bytes, "1.00 MiB", "1\u{2009}048\u{2009}575 bytes"),
            (
                1.75 * 1024.0 * 1024.0 * 1024.0,
                Unit::Bytes,
                "1.75 GiB",
                "1\u{2009}879\u{2009}048\u{2009}192 bytes",
            ),
            (12_345.0, Unit::Count, "12\u{2009}345", "12\u{2009}345"),
            (2.5, Unit::Count, "2.50", "2.5"),
            (1.0 / 3.0, Unit::Ratio, "0.333", "0.3333333333333333"),
            (12.34, Unit::Percent, "12.3\u{2009}%", "12.34 %"),
            (3.6, Unit::Cores, "3.60 cores", "3.6 cores"),
            (4096.0, Unit::Number, "4096", "4096"),
            (-1.5, Unit::Number, "−1.5", "−1.5"),
            (f64::NAN, Unit::Ns, "? ns", "? ns"),
        ] {
            assert_eq!(quantity(value, unit), text);
            assert_eq!(exact(value, unit), full);
        }
    }

    #[test]
    fn counts() {
        assert_eq!(count(0), "0");
        assert_eq!(count(-1234567), "−1\u{2009}234\u{2009}567");
        assert_eq!(count(i64::MIN), "−9\u{2009}223\u{2009}372\u{2009}036\u{2009}854\u{2009}775\u{2009}808");
        assert_eq!(short_count(4096), "4\u{2009}096");
        assert_eq!(short_count(123456), "123\u{2009}k");
        assert_eq!(percent(1.0, 8.0), "12.5\u{2009}%");
        assert_eq!(percent(1.0, 0.0), "–");
    }

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
    fn what_does_not_fit_keeps_its_end() {
        assert_eq!(fit_end("sort.c:120", 100.0).as_deref(), Some("sort.c:120"));
        let cut = fit_end("a_very_long_file_name.cc:120", 80.0).unwrap_or_default();
        assert!(cut.starts_with('…') && cut.ends_with(":120") && text_width(&cut) <= 80.0, "{cut}");
        assert_eq!(fit_end("abcdef", 5.0), None);
        let cut = fit_start("hydrodynamics of fluids", 80.0).unwrap_or_default();
        assert!(cut.starts_with("hydro") && cut.ends_with('…') && text_width(&cut) <= 80.0, "{cut}");
        assert_eq!(fit_start("sort", 100.0).as_deref(), Some("sort"));
        assert_eq!(fit_start("abcdef", 5.0), None);
        assert_eq!(file_name("/a/b/c.rs"), "c.rs");
        assert_eq!(file_name("c.rs"), "c.rs");
        assert_eq!(file_name("///"), "///");
    }
}
