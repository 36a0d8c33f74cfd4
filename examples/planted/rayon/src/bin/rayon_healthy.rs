//! Nothing planted: a tree of joins with leaves of a third of a millisecond.

use crosscut_rayon::join;
use planted::{MICROSECOND, work};

fn sum(seed: u64, depth: u32) -> u64 {
    if depth == 0 {
        return work(seed, 350 * MICROSECOND);
    }
    let (a, b) = join(|| sum(2 * seed, depth - 1), || sum(2 * seed + 1, depth - 1));
    a.wrapping_add(b)
}

fn main() {
    println!("rayon_healthy: sum {}", sum(1, 11));
}
