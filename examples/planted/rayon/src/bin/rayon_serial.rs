//! A tree of joins that has to be prepared first: that takes as long as all joins on two workers.

use crosscut_rayon::{join, scope};
use planted::{MICROSECOND, work};

fn sum(seed: u64, depth: u32) -> u64 {
    if depth == 0 {
        return work(seed, 250 * MICROSECOND);
    }
    let (a, b) = join(|| sum(2 * seed, depth - 1), || sum(2 * seed + 1, depth - 1));
    a.wrapping_add(b)
}

fn main() {
    let total = scope(|_| {
        let seed = work(1, 150_000 * MICROSECOND); // planted: serial-part
        sum(seed % 1000, 10)
    });
    println!("rayon_serial: sum {total}");
}
