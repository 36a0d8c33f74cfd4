//! From the ticks of a process to nanoseconds of the run.

use crosscut_events::{ClockKind, Events};

use crate::files::Process;

/// Nanoseconds of one process.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Nanoseconds for each tick, times 2³².
    rate: u64,
    /// When the process began, in nanoseconds of the run.
    begin: i64,
}

/// Nanoseconds after which two readings tell the speed of a clock to a hundred-thousandth.
const LONG: u64 = 100_000_000;

/// A moment in both clocks.
type Pair = (u64, u64);

/// A process's own view of its clock.
#[derive(Clone, Copy, Debug)]
struct Own {
    base: Pair,
    rate: u64,
    by_processor: bool,
}

/// Nanoseconds by which two readings of one moment may be apart: the process may have lost its core between them.
const APART: i128 = 50_000_000;

/// The clocks of all processes of a run, which begins when the first of them did. Processes of one machine count the same ticks,
/// so they have one clock; that of another machine is put right by what the processes found out about each other.
pub fn clocks(processes: &[&Process], threads: &[Vec<Events<'_>>]) -> Vec<Clock> {
    let own: Vec<Own> =
        processes.iter().zip(threads).map(|(process, threads)| Own::new(process, threads)).collect();
    let machine = |at: usize| (processes[at].get("boot"), processes[at].get("host"));
    // When each process began, in nanoseconds of the first machine.
    let mut begins: Vec<i128> = own.iter().map(|own| i128::from(own.base.1)).collect();
    let mut rates: Vec<u64> = own.iter().map(|own| own.rate).collect();
    for at in 0..own.len() {
        let mates =
            || (0..own.len()).filter(|&other| machine(other) == machine(at) && own[other].by_processor);
        if own[at].by_processor && machine(at).0.is_some() {
            // The longest of them knows best how fast ticks are.
            let best = mates().min_by_key(|&other| own[other].base.1).unwrap_or(at);
            let apart =
                |other: usize| i128::from(own[other].base.1) - length(own[best].rate, own[other].base.0);
            let mut all: Vec<i128> = mates().map(apart).collect();
            all.sort_unstable();
            let middle = all[all.len() / 2];
            if (apart(at) - middle).abs() < APART {
                begins[at] = middle + length(own[best].rate, own[at].base.0);
                rates[at] = own[best].rate;
            }
        }
        let line = (0..own.len())
            .filter(|&other| machine(other) == machine(at))
            .find_map(|o| Line::of(processes[o]));
        if let Some(line) = line {
            begins[at] = line.at(begins[at]);
            rates[at] = (rates[at] as f64 * (1.0 + line.drift)).round() as u64;
        }
    }
    let zero = begins.iter().copied().min().unwrap_or(0);
    let begin = |begin: i128| (begin - zero).clamp(0, 1 << 60) as i64;
    begins.into_iter().zip(rates).map(|(at, rate)| Clock { rate, begin: begin(at) }).collect()
}

fn length(rate: u64, ticks: u64) -> i128 {
    ((u128::from(ticks) * u128::from(rate)) >> 32) as i128
}

/// How much later it is at rank 0 than here: at a moment, and how that changes.
#[derive(Clone, Copy, Debug)]
struct Line {
    from: i128,
    later: i128,
    drift: f64,
}

impl Line {
    /// What a process found out: "NANOS LATER TOOK", when MPI began and when it ended.
    fn of(process: &Process) -> Option<Line> {
        let read = |text: &str| -> Option<[i128; 3]> {
            let mut words = text.split(' ').map(|word| word.parse::<i64>().ok().map(i128::from));
            Some([words.next()??, words.next()??, words.next()??])
        };
        let found: Vec<[i128; 3]> = process.all("mpi-clock").filter_map(read).collect();
        let (&[from, later, took], &[to, then, took_then]) = (found.first()?, found.last()?);
        // Each is known to half of the time that the message took there and back: less than that is no drift.
        if to > from && (then - later).abs() > (took + took_then) / 2 {
            return Some(Line { from, later, drift: (then - later) as f64 / (to - from) as f64 });
        }
        let later = if took_then < took { then } else { later };
        Some(Line { from, later, drift: 0.0 })
    }

    fn at(&self, nanos: i128) -> i128 {
        nanos + self.later + (self.drift * (nanos - self.from) as f64).round() as i128
    }
}

impl Own {
    fn new(process: &Process, threads: &[Events<'_>]) -> Own {
        let none = Own { base: (0, 0), rate: 1 << 32, by_processor: false };
        let Some(first) = threads.first().map(|thread| &thread.header) else { return none };
        let base = (first.base_ticks, first.base_nanos);
        if first.clock != ClockKind::Processor as u32 {
            return Own { base, ..none };
        }
        // The longer apart, the better known: until now, when this is the machine that recorded and it was not restarted.
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let here = process.get("boot") == Some(boot.trim());
        let now = if here { now() } else { None };
        let ended = process.get("ended").and_then(pair);
        let chunks =
            threads.iter().flat_map(|thread| thread.chunks().map(|(_, chunk)| (chunk.ticks, chunk.nanos)));
        // The machine may have slept since, so what the process itself saw comes first, if that was long enough.
        let long = ended.filter(|&(_, nanos)| nanos.saturating_sub(base.1) > LONG);
        let known = [long, now, ended, chunks.max()].into_iter().flatten();
        let rate = known.filter_map(|last| rate(base, last)).next().unwrap_or(1 << 32);
        Own { base, rate, by_processor: true }
    }
}

impl Clock {
    /// The time of an event.
    #[inline(always)]
    pub fn time(&self, ticks: u64) -> i64 {
        self.begin + self.length(ticks)
    }

    /// A length in ticks as nanoseconds.
    #[inline(always)]
    pub fn length(&self, ticks: u64) -> i64 {
        // Heads have 56 bits for ticks; a rate of 2³² stands for 1 GHz.
        ((u128::from(ticks) * u128::from(self.rate)) >> 32).min(1 << 60) as i64
    }
}

fn rate((from_ticks, from_nanos): Pair, (to_ticks, to_nanos): Pair) -> Option<u64> {
    let ticks = to_ticks.checked_sub(from_ticks).filter(|&ticks| ticks > 0)?;
    let nanos = to_nanos.checked_sub(from_nanos).filter(|&nanos| nanos > 0)?;
    u64::try_from((u128::from(nanos) << 32) / u128::from(ticks)).ok().filter(|&rate| rate > 0)
}

/// "TICKS NANOS"
fn pair(text: &str) -> Option<Pair> {
    let (ticks, nanos) = text.split_once(' ')?;
    Some((ticks.parse().ok()?, nanos.parse().ok()?))
}

/// This moment in both clocks, where the processor has such a counter.
fn now() -> Option<Pair> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it fills in the struct that we own.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    let nanos = time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64;
    ticks().filter(|_| failed == 0).map(|ticks| (ticks, nanos))
}

#[cfg(target_arch = "x86_64")]
fn ticks() -> Option<u64> {
    // SAFETY: every x86-64 processor has it.
    Some(unsafe { std::arch::x86_64::_rdtsc() })
}

#[cfg(not(target_arch = "x86_64"))]
fn ticks() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::Line;
    use crate::files::Process;

    fn line(said: &[&str]) -> Option<Line> {
        let lines = said.iter().map(|said| ("mpi-clock".to_owned(), (*said).to_owned())).collect();
        Line::of(&Process {
            folder: "".into(),
            lines,
            maps: String::new(),
            threads: Vec::new(),
            samples: Vec::new(),
            empty: 0,
        })
    }

    #[test]
    fn clocks_of_other_machines() {
        assert!(line(&[]).is_none());
        assert!(line(&["1000 5"]).is_none(), "damaged");
        // One comparison: the killed.
        assert_eq!(line(&["1000 -70 10"]).unwrap().at(5000), 4930);
        // It drifts by a hundredth: far more than the messages took.
        let drifts = line(&["0 1000 10", "1000000 11000 20"]).unwrap();
        assert_eq!((drifts.at(0), drifts.at(1_000_000), drifts.at(500_000)), (1000, 1_011_000, 506_000));
        // The difference is within what is not known: the better comparison counts.
        let steady = line(&["0 1000 4000", "1000000 2000 10"]).unwrap();
        assert_eq!((steady.at(0), steady.at(1_000_000)), (2000, 1_002_000));
    }
}
