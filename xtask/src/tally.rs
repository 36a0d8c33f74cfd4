//! Counts of tests, read from the closing lines of the test runners: nextest, `cargo test`, `node --test`, vitest, pytest
//! and our own scripts.

use std::ops::AddAssign;

/// How many tests ended in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

impl Tally {
    /// One check, passed.
    pub const PASSED: Tally = Tally { passed: 1, failed: 0, skipped: 0 };

    /// Adds up every closing line in a runner's output. nextest shows what failed tests printed, and each of them ends with
    /// a closing line of its own: where there is a summary of nextest, that alone counts.
    pub fn read(output: &str) -> Tally {
        let lines: Vec<String> = output.lines().map(plain).collect();
        let summaries: Vec<Tally> = lines.iter().filter_map(|line| summary(line)).collect();
        let mut tally = Tally::default();
        if summaries.is_empty() {
            lines.iter().for_each(|line| tally += read_line(line));
        }
        summaries.into_iter().for_each(|summary| tally += summary);
        tally
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// nextest: `Summary [ 0.1s] 12 tests run: 11 passed (1 slow), 1 failed, 2 skipped`
fn summary(line: &str) -> Option<Tally> {
    let rest = line.trim().strip_prefix("Summary [")?;
    rest.split_once("run:").map(|(_, counts)| counted(counts, ','))
}

fn read_line(line: &str) -> Tally {
    let line = line.trim();
    // cargo test: `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; …`
    if let Some(rest) = line.strip_prefix("test result:") {
        return counted(rest.split_once('.').map_or(rest, |(_, counts)| counts), ';');
    }
    // scripts: `3 passed, 0 failed` alone on a line
    if line.starts_with(|first: char| first.is_ascii_digit()) && line.ends_with(" failed") {
        return counted(line, ',');
    }
    // pytest: `1 failed, 12 passed, 3 skipped, 1 error in 2.30s`, perhaps between `=` signs
    let counts = line.trim_matches(['=', ' ']).rsplit_once(" in ");
    if let Some((counts, _)) = counts.filter(|(counts, time)| {
        counts.starts_with(|first: char| first.is_ascii_digit())
            && time.starts_with(|first: char| first.is_ascii_digit())
    }) {
        return counted(counts, ',');
    }
    // vitest: `Tests  1 failed | 11 passed | 2 skipped (14)`
    if let Some(rest) = line.strip_prefix("Tests ") {
        return counted(rest, '|');
    }
    // node --test: `ℹ pass 3` or `# pass 3`, one line for each outcome
    if let Some(rest) = line.strip_prefix("ℹ ").or_else(|| line.strip_prefix("# ")) {
        return match rest.split_once(' ') {
            Some(("pass", n)) => Tally { passed: number(n), ..Tally::default() },
            Some(("fail" | "cancelled", n)) => Tally { failed: number(n), ..Tally::default() },
            Some(("skipped" | "todo", n)) => Tally { skipped: number(n), ..Tally::default() },
            _ => Tally::default(),
        };
    }
    Tally::default()
}

/// Reads a list such as `3 passed; 1 failed`.
fn counted(list: &str, separator: char) -> Tally {
    let mut tally = Tally::default();
    for item in list.split(separator) {
        let mut words = item.split_whitespace();
        let n = words.next().map_or(0, number);
        match words.next() {
            Some("passed") => tally.passed += n,
            Some("failed" | "timed" | "error" | "errors") => tally.failed += n,
            Some("skipped" | "ignored" | "todo") => tally.skipped += n,
            _ => {}
        }
    }
    tally
}

fn number(text: &str) -> u64 {
    text.trim().parse().unwrap_or(0)
}

/// The line without terminal colours (`ESC [ … letter`).
fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c == '\x1b' {
            chars.by_ref().skip(1).find(char::is_ascii_alphabetic);
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::Tally;

    fn tally(passed: u64, failed: u64, skipped: u64) -> Tally {
        Tally { passed, failed, skipped }
    }

    #[test]
    fn nextest() {
        let output =
            "     Summary [   0.123s] 13 tests run: 11 passed (1 slow), 1 failed, 1 timed out, 2 skipped";
        assert_eq!(Tally::read(output), tally(11, 2, 2));
        assert_eq!(Tally::read("Summary [ 0.1s] 1 test run: 1 passed, 0 skipped"), tally(1, 0, 0));
    }

    #[test]
    fn what_a_failed_test_printed_is_not_counted_again() {
        let output = "  stdout ───\n    test tally ... FAILED\n\n    test result: FAILED. 0 passed; 1 failed; 0 ignored\n\
                      \x1b[31m     Summary\x1b[0m [   0.1s] 3 tests run: 2 passed, 1 failed, 0 skipped\n";
        assert_eq!(Tally::read(output), tally(2, 1, 0));
    }

    #[test]
    fn cargo_test_of_several_crates() {
        let output = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
                      test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(Tally::read(output), tally(4, 2, 1));
    }

    #[test]
    fn node_and_vitest_in_colour() {
        assert_eq!(Tally::read("ℹ tests 5\nℹ pass 3\nℹ fail 1\nℹ cancelled 1\nℹ skipped 0"), tally(3, 2, 0));
        let vitest = "\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[31m1 failed\x1b[39m\x1b[22m | 11 passed (12)";
        assert_eq!(Tally::read(vitest), tally(11, 1, 0));
    }

    #[test]
    fn pytest() {
        assert_eq!(Tally::read("......  [100%]\n6 passed in 0.12s\n"), tally(6, 0, 0));
        let line = "===== 1 failed, 12 passed, 2 skipped, 3 warnings, 1 error in 62.30s (0:01:02) =====";
        assert_eq!(Tally::read(line), tally(12, 2, 2));
        assert_eq!(Tally::read("3 files in 2 folders\n"), tally(0, 0, 0));
    }

    #[test]
    fn scripts() {
        assert_eq!(Tally::read("times: 1000 compared, 0 differ\n2 passed, 1 failed\n"), tally(2, 1, 0));
    }

    #[test]
    fn other_lines_count_nothing() {
        assert_eq!(Tally::read("3 passed\nrunning 4 tests\nTest Files  2 passed (2)"), tally(0, 0, 0));
    }
}
