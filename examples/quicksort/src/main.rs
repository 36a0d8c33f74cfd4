//! Quicksort with Rayon's join through crosscut-rayon: a program to record.
//!
//! `quicksort [ELEMENTS [CUTOFF]]` sorts that many pseudo-random numbers; parts of at most CUTOFF are sorted serially. It
//! prints how many tasks it created, which depends on the arguments only. RAYON_NUM_THREADS sets the number of workers.

use std::process::ExitCode;

use crosscut_rayon::join;

const USAGE: &str = "usage: quicksort [ELEMENTS [CUTOFF]]   (default: 1000000 2000)";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match numbers(&arguments) {
        Ok((elements, cutoff)) => sort_and_tell(elements, cutoff),
        Err(error) => {
            eprintln!("quicksort: {error}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn numbers(arguments: &[String]) -> Result<(usize, usize), String> {
    let number = |at: usize, default: usize| match arguments.get(at) {
        None => Ok(default),
        Some(text) => text.parse().map_err(|_| format!("not a number: {text}")),
    };
    if arguments.len() > 2 {
        return Err(format!("{} arguments, at most 2 are known", arguments.len()));
    }
    Ok((number(0, 1_000_000)?, number(1, 2_000)?))
}

fn sort_and_tell(elements: usize, cutoff: usize) -> ExitCode {
    let mut values = random(elements);
    let tasks = quicksort(&mut values, cutoff);
    let sorted = values.is_sorted();
    println!("elements {elements}");
    println!("sorted {}", if sorted { "yes" } else { "no" });
    println!("tasks {tasks}");
    if sorted { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The same numbers every time (xorshift64).
fn random(elements: usize) -> Vec<u64> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..elements).map(|_| next()).collect()
}

/// Sorts, and returns the number of joins: each creates one task.
fn quicksort(values: &mut [u64], cutoff: usize) -> u64 {
    if values.len() <= cutoff.max(1) {
        values.sort_unstable();
        return 0;
    }
    let (below, above) = partition(values);
    let (left, right) = join(|| quicksort(below, cutoff), || quicksort(above, cutoff));
    left + right + 1
}

/// Moves what is less than the pivot, the median of three, before it; returns what lies before and after the pivot.
fn partition(values: &mut [u64]) -> (&mut [u64], &mut [u64]) {
    let last = values.len() - 1;
    let mut ends_and_middle = [0, last / 2, last];
    ends_and_middle.sort_unstable_by_key(|&at| values[at]);
    values.swap(ends_and_middle[1], last);
    let pivot = values[last];
    let mut border = 0;
    for at in 0..last {
        if values[at] < pivot {
            values.swap(at, border);
            border += 1;
        }
    }
    values.swap(border, last);
    let (below, rest) = values.split_at_mut(border);
    (below, &mut rest[1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_whatever_the_cutoff() {
        for elements in [0, 1, 2, 3, 100, 10_000] {
            let mut expected = random(elements);
            expected.sort_unstable();
            for cutoff in [0, 1, 7, 100_000] {
                let mut values = random(elements);
                quicksort(&mut values, cutoff);
                assert_eq!(values, expected, "{elements} elements, cut off at {cutoff}");
            }
        }
    }

    #[test]
    fn counts_its_joins() {
        assert_eq!(quicksort(&mut [5, 4], 1), 1);
        assert_eq!(quicksort(&mut [3, 2, 1], 1), 1);
        assert_eq!(quicksort(&mut random(1000), 1000), 0);
    }

    #[test]
    fn arguments() {
        let parsed = |text: &str| numbers(&text.split_whitespace().map(String::from).collect::<Vec<_>>());
        assert_eq!(parsed(""), Ok((1_000_000, 2_000)));
        assert_eq!(parsed("10 3"), Ok((10, 3)));
        assert!(parsed("x").is_err() && parsed("1 -2").is_err() && parsed("1 2 3").is_err());
    }
}
