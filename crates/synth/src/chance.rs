//! Chance that can be repeated: a number from a number, and a stream of numbers from a seed (SplitMix64).

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A number that looks random and depends on `x` alone.
#[inline]
pub fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(STEP);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Scales a random number to `0..below`.
#[inline]
pub fn scale(random: u64, below: u64) -> u64 {
    ((u128::from(random) * u128::from(below)) >> 64) as u64
}

/// A stream of random numbers.
#[derive(Debug)]
pub struct Chance(u64);

impl Chance {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Self {
        Chance(seed)
    }

    /// The next number, in `0..below`.
    #[inline]
    pub fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        scale(mix(self.0), below)
    }
}
