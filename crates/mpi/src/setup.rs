//! When MPI begins and when it ends: who this process is, and how far its clock is from that of rank 0.
//!
//! Processes of one host have one clock. The first rank of every other host exchanges a few messages with rank 0; of those the
//! fastest tells best what time it was there. Twice, so that clocks that drift apart are known by a line.

use std::ffi::{CStr, c_char, c_int};
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::comms;
use crate::kinds::kind;
use crate::real::ask;
use crate::recorder::Recorder;
use crate::room::Room;

unsafe extern "C" {
    fn gethostname(name: *mut c_char, length: usize) -> c_int;
}

/// A line of text, cut short where it is too long.
struct Line {
    bytes: [u8; 512],
    length: usize,
}

impl Line {
    const fn new() -> Line {
        Line { bytes: [0; 512], length: 0 }
    }

    fn text(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for byte in text.bytes().take(self.bytes.len() - self.length) {
            self.bytes[self.length] = byte;
            self.length += 1;
        }
        Ok(())
    }
}

/// Tells a number, or a few.
macro_rules! tell {
    ($recorder:expr, $key:literal, $($format:tt)*) => {{
        let mut line = Line::new();
        let _ = write!(line, $($format)*);
        $recorder.note($key, line.text());
    }};
}

/// MPI has begun.
pub fn begin(recorder: Recorder) {
    let (rank, size) = rank_and_size();
    tell!(recorder, "mpi-rank", "{rank}");
    tell!(recorder, "mpi-size", "{size}");
    tell!(recorder, "mpi", "{}", kind().name);
    tell_version(recorder);
    let mut host = [0u8; 256];
    // SAFETY: the name fits, or is cut; the last byte stays zero.
    unsafe { gethostname(host.as_mut_ptr().cast(), host.len() - 1) };
    let name = CStr::from_bytes_until_nul(&host).unwrap_or_default();
    recorder.note("host", name.to_bytes());
    // The world has a number of its own: the same ranks may be there more than once in a recording.
    let mut world = (u64::from(std::process::id()) << 32) ^ recorder.nanos();
    ask!(c"PMPI_Bcast"(&raw mut world, 8usize, byte(), 0usize, kind().world));
    tell!(recorder, "mpi-world", "{world:x}");
    comms::tell(recorder, kind().world as u64, 0, kind().world as u64);
    comms::tell(recorder, kind().itself as u64, 0, kind().itself as u64);
    compare_clocks(recorder, rank, size);
}

/// MPI will end.
pub fn end(recorder: Recorder) {
    let (rank, size) = rank_and_size();
    compare_clocks(recorder, rank, size);
}

fn byte() -> usize {
    kind().byte
}

fn rank_and_size() -> (c_int, c_int) {
    let (mut rank, mut size): (c_int, c_int) = (0, 1);
    ask!(c"PMPI_Comm_rank"(kind().world, &raw mut rank));
    ask!(c"PMPI_Comm_size"(kind().world, &raw mut size));
    (rank, size)
}

fn tell_version(recorder: Recorder) {
    let mut text = Room::new();
    /// The longest that any MPI has.
    const MOST: usize = 8192;
    let Some(words) = text.take(MOST / 8 + 1) else { return };
    let mut length: c_int = 0;
    let bytes: *mut u8 = words.as_mut_ptr().cast();
    ask!(c"PMPI_Get_library_version"(bytes, &raw mut length));
    let length = (length.max(0) as usize).min(MOST);
    // SAFETY: so many bytes were stored there.
    let text = unsafe { std::slice::from_raw_parts(bytes, length) };
    // The first line says it all.
    let first = text.split(|&byte| byte == b'\n' || byte == 0).next().unwrap_or_default();
    recorder.note("mpi-version", &first[..first.len().min(200)]);
}

/// A number for this host: ranks that have the same share a clock.
fn host_number() -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |bytes: &[u8]| {
        for &byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    };
    let mut host = [0u8; 256];
    // SAFETY: as in `begin`.
    unsafe { gethostname(host.as_mut_ptr().cast(), host.len() - 1) };
    add(&host);
    add(&std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default());
    hash
}

const ROUNDS: usize = 16;
/// No program has its messages of this tag under way when MPI begins or ends.
const TAG: usize = 32_000;

/// All ranks are on one host, so there is nothing to compare.
static ONE_HOST: AtomicBool = AtomicBool::new(false);

fn compare_clocks(recorder: Recorder, rank: c_int, size: c_int) {
    if ONE_HOST.load(Ordering::Relaxed) {
        return;
    }
    let (rank, size) = (rank.max(0) as usize, size.max(1) as usize);
    let mut room = Room::new();
    let Some(hosts) = room.take(size) else { return };
    let mut own = host_number();
    let all = hosts.as_mut_ptr();
    let gathered = ask!(c"PMPI_Allgather"(&raw mut own, 8usize, byte(), all, 8usize, byte(), kind().world));
    if gathered != Some(0) {
        return;
    }
    ONE_HOST.store(hosts.iter().all(|host| *host == hosts[0]), Ordering::Relaxed);
    // The first rank of each host but that of rank 0.
    for other in 1..size {
        if hosts[..other].contains(&hosts[other]) {
            continue;
        }
        match rank {
            0 => answer(recorder, other),
            rank if rank == other => ask_time(recorder),
            _ => {}
        }
    }
}

/// Rank 0 says what time it is, as often as it is asked.
fn answer(recorder: Recorder, other: usize) {
    for _ in 0..ROUNDS {
        let mut nothing = 0u64;
        receive(&mut nothing, other);
        let mut time = recorder.nanos();
        send(&mut time, other);
    }
}

/// Asks rank 0 for the time, and tells how much later it is there.
fn ask_time(recorder: Recorder) {
    let mut best: Option<(u64, u64, i64)> = None;
    for _ in 0..ROUNDS {
        let before = recorder.nanos();
        let mut time = 0u64;
        send(&mut time, 0);
        receive(&mut time, 0);
        let after = recorder.nanos();
        let took = after.saturating_sub(before);
        let middle = before + took / 2;
        if best.is_none_or(|(least, _, _)| took < least) {
            best = Some((took, middle, time.wrapping_sub(middle) as i64));
        }
    }
    if let Some((took, middle, later)) = best {
        tell!(recorder, "mpi-clock", "{middle} {later} {took}");
    }
}

fn send(word: &mut u64, to: usize) {
    ask!(c"PMPI_Send"(std::ptr::from_mut(word), 8usize, byte(), to, TAG, kind().world));
}

fn receive(word: &mut u64, from: usize) {
    ask!(c"PMPI_Recv"(std::ptr::from_mut(word), 8usize, byte(), from, TAG, kind().world, kind().ignore));
}
