//! What recorders say when they had to stop while their program went on: a page that `crosscut record` makes before the
//! program starts and that each of them has mapped, so that saying it needs no room, no descriptor and no memory.

/// The file in the folder of events, beside the processes.
pub const FAILURES: &str = "failures";

/// Bytes of the file.
pub const FAILURES_BYTES: usize = 4096;

/// In place of an error number: a run cannot hold more threads.
pub const TOO_MANY_THREADS: u32 = u32::MAX;

/// In place of an error number: there is room, but what is left is for the run that is made of the events, and for the
/// program.
pub const NEARLY_FULL: u32 = u32::MAX - 1;

/// The end of a process's recording. All zeros are none.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// The number of the process.
    pub process: u64,
    /// Nanoseconds of `CLOCK_MONOTONIC` at that moment.
    pub nanos: u64,
    /// Threads that began later, or could not begin.
    pub threads: u64,
    /// The number of the error.
    pub error: u32,
    /// Nothing.
    pub unused: u32,
}

impl Failure {
    /// How many fit on the page.
    pub const SLOTS: usize = FAILURES_BYTES / size_of::<Failure>();

    /// Those in the bytes of a file.
    pub fn all(bytes: &[u8]) -> impl Iterator<Item = Failure> + use<'_> {
        let slots = bytes.chunks_exact(size_of::<Failure>()).take(Self::SLOTS);
        slots.map(Failure::read).filter(|failure| failure.process != 0 && failure.error != 0)
    }

    fn read(slot: &[u8]) -> Failure {
        let mut words = slot.chunks_exact(8).map(|word| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(word);
            u64::from_ne_bytes(bytes)
        });
        let mut next = || words.next().unwrap_or_default();
        let (process, nanos, threads) = (next(), next(), next());
        // The two halves of the last word, in the order of memory.
        let mut error = [0; 4];
        error.copy_from_slice(&next().to_ne_bytes()[..4]);
        Failure { process, nanos, threads, error: u32::from_ne_bytes(error), unused: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::{FAILURES_BYTES, Failure};

    #[test]
    fn read_as_stored() {
        let mut page = [0u8; FAILURES_BYTES];
        assert_eq!(Failure::all(&page).count(), 0);
        let failure = Failure { process: 7, nanos: 1 << 40, threads: 3, error: 28, unused: 0 };
        // SAFETY: it consists of words.
        let bytes: [u8; size_of::<Failure>()] = unsafe { std::mem::transmute(failure) };
        page[64..96].copy_from_slice(&bytes);
        assert_eq!(Failure::all(&page).collect::<Vec<_>>(), [failure]);
        // Cut short: whole ones are read.
        assert_eq!(Failure::all(&page[..95]).count(), 0);
        assert_eq!(Failure::all(&page[..97]).count(), 1);
    }
}
