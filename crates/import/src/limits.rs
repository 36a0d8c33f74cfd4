//! What no file needs, and what a run could not hold.

/// No machine has more: each worker is a row of the timeline, and each pair of workers is counted.
pub const MAX_WORKERS: i64 = 4096;
/// Larger times and counts cannot be added up in 64 bits.
pub const MAX_VALUE: u64 = 1 << 62;
