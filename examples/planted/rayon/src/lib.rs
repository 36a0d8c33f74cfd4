//! The work of the planted programs: steps that no compiler can join, about 1.7 ns each.

/// Steps of about a microsecond.
pub const MICROSECOND: u64 = 600;

/// A number that depends on all steps before it.
pub fn work(seed: u64, steps: u64) -> u64 {
    let mut x = seed + 1;
    for _ in 0..steps {
        x = (x ^ (x >> 29)).wrapping_mul(6_364_136_223_846_793_005);
    }
    x
}
