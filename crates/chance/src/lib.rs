//! Random numbers that can be repeated (SplitMix64): a number from a number, and a stream of numbers from a seed. What is
//! made from them, a synthetic run or the input of a test, is the same on every machine. They are no secret.
//!
//! ```
//! use crosscut_chance::Chance;
//!
//! let mut chance = Chance::new(7);
//! let die = 1 + chance.below(6);
//! assert!((1..=6).contains(&die));
//! assert_eq!(1 + Chance::new(7).below(6), die);
//! ```

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
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Self {
        Chance(seed)
    }

    /// The next number, any.
    #[inline]
    pub fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// The next number, in `0..below`; 0 when nothing is below.
    #[inline]
    pub fn below(&mut self, below: u64) -> u64 {
        scale(self.any(), below)
    }

    /// The next number as an index of so many things; 0 when there are none.
    #[inline]
    pub fn index(&mut self, count: usize) -> usize {
        self.below(count as u64) as usize
    }

    /// The next number, from `first` to `last`, both included.
    #[inline]
    pub fn within(&mut self, first: i64, last: i64) -> i64 {
        first + self.below(last.abs_diff(first).saturating_add(1)) as i64
    }

    /// True in `tenths` of ten cases.
    #[inline]
    pub fn tenths(&mut self, tenths: u8) -> bool {
        self.below(10) < u64::from(tenths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the reference implementation for the seed 0 are those of `mix` at multiples of its step.
    #[test]
    fn the_known_sequence() {
        let first: Vec<u64> = (0..3u64).map(|k| mix(k.wrapping_mul(STEP))).collect();
        assert_eq!(first, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
    }

    #[test]
    fn numbers_stay_in_their_range_and_fill_it() {
        let mut chance = Chance::new(1);
        let mut seen = [0; 6];
        (0..6000).for_each(|_| seen[chance.index(6)] += 1);
        assert!(seen.iter().all(|&count| (850..1150).contains(&count)), "{seen:?}");
        assert!((0..1000).all(|_| (-3..=4).contains(&chance.within(-3, 4))));
        assert_eq!((chance.below(0), chance.index(0), chance.within(5, 5)), (0, 0, 5));
        let tenths = (0..10_000).filter(|_| chance.tenths(3)).count();
        assert!((2700..3300).contains(&tenths), "{tenths}");
        assert!(!chance.tenths(0) && chance.tenths(10));
    }

    #[test]
    fn equal_seeds_give_equal_numbers() {
        let (mut a, mut b, mut c) = (Chance::new(7), Chance::new(7), Chance::new(8));
        let same = (0..100).filter(|_| a.any() == b.any()).count();
        assert_eq!(same, 100);
        assert_ne!(a.any(), c.any());
    }
}
