//! What was spent in each frame itself at each place, over all its call paths: small beside values by call path, and what most
//! questions about places need.

use rayon::prelude::*;

use crate::paths::Paths;

/// Values by place and frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByFrame {
    frames: usize,
    /// Those of the first place, then those of the next.
    values: Vec<i64>,
}

impl ByFrame {
    /// Looks once at every value. Sums wrap like those of runs.
    pub fn of(paths: &(impl Paths + ?Sized), metric: usize) -> Self {
        let (frames, numbers) = (paths.frames().len(), paths.frame_numbers());
        let mut values = vec![0i64; frames * paths.column_count()];
        values.par_chunks_mut(frames.max(1)).enumerate().for_each(|(place, sums)| {
            for (&value, &frame) in paths.column(metric, place).iter().zip(numbers) {
                if let Some(sum) = sums.get_mut(frame as usize) {
                    *sum = sum.wrapping_add(value);
                }
            }
        });
        ByFrame { frames, values }
    }

    /// The values of all frames at a place.
    pub fn place(&self, place: usize) -> &[i64] {
        self.values.get(place * self.frames..(place + 1) * self.frames).unwrap_or_default()
    }
}
