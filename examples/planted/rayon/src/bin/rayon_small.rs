//! A tree of joins down to leaves of a tenth of a microsecond.

use crosscut_rayon::join;
use planted::{MICROSECOND, work};

fn sum(seed: u64, depth: u32) -> u64 {
    if depth == 0 {
        return work(seed, MICROSECOND / 10);
    }
    let (a, b) = join(|| sum(2 * seed, depth - 1), || sum(2 * seed + 1, depth - 1)); // planted: small-tasks
    a.wrapping_add(b)
}

fn main() {
    println!("rayon_small: sum {}", sum(1, 19));
}
