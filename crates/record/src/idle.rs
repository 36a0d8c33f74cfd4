//! How long the processors of a program did nothing, as the kernel counts it: what neither its workers had nor nobody, others
//! have taken.

use std::fs;
use std::sync::OnceLock;

/// The kernel counts in hundredths of a second, on every Linux of 64 bits.
const TICK: u64 = 10_000_000;

/// The processors that were to be used when somebody first asked. Later a runtime may have bound this thread to one of them.
static PROCESSORS: OnceLock<Option<String>> = OnceLock::new();

/// Nanoseconds since the machine began that the processors this process may use were idle, all together; none where the
/// kernel does not say.
pub fn nanos() -> Option<u64> {
    let list = PROCESSORS.get_or_init(|| allowed(&fs::read_to_string("/proc/self/status").ok()?)).as_ref()?;
    idle_of(&fs::read_to_string("/proc/stat").ok()?, list)
}

/// The list of processors in what the kernel says of a process.
fn allowed(status: &str) -> Option<String> {
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some(list.trim().to_owned())
}

fn idle_of(stat: &str, list: &str) -> Option<u64> {
    let idle = stat.lines().filter_map(|line| processor(line).filter(|&(number, _)| is_in(list, number)));
    let mut idle = idle.map(|(_, ticks)| ticks.saturating_mul(TICK)).peekable();
    idle.peek().is_some().then(|| idle.fold(0, u64::saturating_add))
}

/// `cpu3 user nice system idle iowait …`: its number, and the time in which nothing ran, also while a disk was waited for.
fn processor(line: &str) -> Option<(u32, u64)> {
    let mut words = line.strip_prefix("cpu")?.split_ascii_whitespace();
    let number = words.next()?.parse().ok()?;
    let mut ticks = words.skip(3).map(str::parse::<u64>);
    Some((number, ticks.next()?.ok()?.saturating_add(ticks.next()?.ok()?)))
}

/// Whether a list such as `0-3,8` has a number.
fn is_in(list: &str, number: u32) -> bool {
    list.split(',').any(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let ends = first.parse().ok().zip(last.parse().ok());
        ends.is_some_and(|(first, last): (u32, u32)| (first..=last).contains(&number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  30 2 4 600 9 0 0 0 0 0\ncpu0 10 1 2 100 3 0 0 0 0 0\ncpu1 10 1 2 200 4 0 0 0 0 0\n\
                        cpu10 10 0 0 300 2 0 0 0 0 0\nintr 5 0 0\n";

    #[test]
    fn only_processors_that_may_be_used_count() {
        assert_eq!(idle_of(STAT, "0-1,10"), Some(609 * TICK));
        assert_eq!(idle_of(STAT, "1"), Some(204 * TICK));
        assert_eq!(idle_of(STAT, "2-9"), None);
        assert_eq!(idle_of("cpu0 1 2 3", "0"), None);
    }

    #[test]
    fn this_machine_says_it() {
        let before = nanos().unwrap();
        assert!(nanos().unwrap() >= before);
    }

    /// A thread that was bound meanwhile asks for the same processors as before.
    #[test]
    fn processors_are_those_of_the_first_reading() {
        assert_eq!(allowed("Name:\tx\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n").as_deref(), Some("0-1"));
        assert_eq!(allowed("Name:\tx\n"), None);
        nanos().unwrap();
        let first = PROCESSORS.get().cloned().flatten().unwrap();
        let set = |numbers: &[usize]| {
            let mut mask = [0u64; 16];
            numbers.iter().for_each(|number| mask[number / 64] |= 1 << (number % 64));
            // SAFETY: the mask is as long as is said; 0 is this thread.
            unsafe { sched_setaffinity(0, size_of_val(&mask), mask.as_ptr()) }
        };
        let own = |number: &u32| is_in(&first, *number);
        let all: Vec<usize> = (0..1024u32).filter(own).map(|number| number as usize).collect();
        assert_eq!(set(&all[..1]), 0);
        nanos().unwrap();
        assert_eq!(PROCESSORS.get().cloned().flatten().unwrap(), first);
        assert_eq!(set(&all), 0);
    }

    unsafe extern "C" {
        fn sched_setaffinity(pid: i32, size: usize, mask: *const u64) -> i32;
    }
}
