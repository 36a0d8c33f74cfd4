//! Random numbers that depend on a seed and nothing else (splitmix64).

#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Chance(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to `most`, both included.
    pub fn upto(&mut self, most: i64) -> i64 {
        (self.next() % (most as u64 + 1)) as i64
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// True in `tenths` of ten cases.
    pub fn tenths(&mut self, tenths: u8) -> bool {
        self.next() % 10 < u64::from(tenths)
    }
}
