//! From a file's clock to the run's.

use crate::limits::MAX_VALUE;

/// Makes times of ticks: nanoseconds when the frequency is known.
#[derive(Clone, Copy, Debug)]
pub struct Ticks {
    /// Thousandths of ticks per second.
    millihertz: Option<u64>,
}

impl Ticks {
    /// For this many ticks per second, from 1 to 10¹⁵.
    pub fn new(hz: Option<f64>) -> Self {
        Ticks { millihertz: hz.map(|hz| (hz * 1000.0).round() as u64) }
    }

    /// Rounded to the nearest; `None` when it is too large to calculate with.
    pub fn time(self, ticks: u64) -> Option<i64> {
        if ticks > MAX_VALUE {
            return None;
        }
        let Some(millihertz) = self.millihertz else { return Some(ticks as i64) };
        // 10⁹ ns/s · 10³ mHz/Hz; at most 2⁶² · 2⁴⁰.
        let scaled = i128::from(ticks) * 1_000_000_000_000;
        let time = (scaled + i128::from(millihertz / 2)) / i128::from(millihertz);
        i64::try_from(time).ok().filter(|&time| time as u64 <= MAX_VALUE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_the_nearest_nanosecond() {
        assert_eq!(Ticks::new(None).time(7), Some(7));
        assert_eq!(Ticks::new(Some(1e9)).time(123), Some(123));
        assert_eq!(Ticks::new(Some(3e9)).time(1), Some(0));
        assert_eq!(Ticks::new(Some(3e9)).time(2), Some(1));
        assert_eq!(Ticks::new(Some(2e9)).time(1), Some(1), "a half goes up");
        assert_eq!(Ticks::new(Some(2.5e9)).time(10_000_000_007), Some(4_000_000_003));
        assert_eq!(Ticks::new(None).time(MAX_VALUE + 1), None);
        assert_eq!(Ticks::new(Some(1.0)).time(MAX_VALUE), None, "2⁶² seconds are too many nanoseconds");
    }
}
