//! Times, counts and shares as people read them.

use crosscut_run::Clock;

/// A time with its unit, to three digits.
pub fn amount(value: f64, clock: Clock) -> String {
    let steps: &[(f64, &str)] = match clock {
        Clock::Ns => &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")],
        Clock::Ticks => &[(1e9, "G ticks"), (1e6, "M ticks"), (1e3, "k ticks"), (1.0, "ticks")],
    };
    let &(scale, unit) = steps.iter().find(|(scale, _)| value >= *scale).unwrap_or(&steps[3]);
    format!("{} {unit}", three(value / scale))
}

/// Three digits.
pub fn three(value: f64) -> String {
    let digits = match value {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.digits$}")
}

/// A whole number with thin spaces between groups of three digits, as everywhere on the screen.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(2 * digits.len());
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

/// A number with the word for what is counted.
pub fn many(number: u64, word: &str) -> String {
    let ending = if word.ends_with('x') || word.ends_with("ch") { "es" } else { "s" };
    if number == 1 { format!("1 {word}") } else { format!("{} {word}{ending}", grouped(number)) }
}

/// A share in percent.
pub fn percent(part: f64, whole: f64) -> String {
    let share = 100.0 * part / whole.max(f64::MIN_POSITIVE);
    if share >= 9.95 { format!("{share:.0} %") } else { format!("{share:.1} %") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(amount(1_234_567.0, Clock::Ns), "1.23 ms");
        assert_eq!(amount(0.0, Clock::Ticks), "0.00 ticks");
        assert_eq!(amount(12_345.0, Clock::Ticks), "12.3 k ticks");
        assert_eq!(grouped(1_234_567), "1\u{2009}234\u{2009}567");
        assert_eq!(percent(1.0, 3.0), "33 %");
        assert_eq!(percent(1.0, 30.0), "3.3 %");
        assert_eq!(many(1, "task"), "1 task");
        assert_eq!((many(2, "task"), many(3, "mutex")), ("2 tasks".to_owned(), "3 mutexes".to_owned()));
    }
}
