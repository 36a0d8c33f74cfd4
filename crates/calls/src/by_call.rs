//! What was spent in each frame itself at each place, apart by the frame that called it: small beside values by call path, and what most
//! questions about places need. Callers are kept apart because a function that is left in its callers counts with each of them.

use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

use crate::paths::Paths;
use crate::schema::NONE;

/// Values that are kept; where callers would make more, a frame is one whoever called it.
const MOST: usize = 1 << 24;

/// Values by place and call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByCall {
    /// By call: the frame that is called.
    frames: Vec<u32>,
    /// By node: its call.
    of: Vec<u32>,
    /// Those of the first place, then those of the next.
    values: Vec<i64>,
}

impl ByCall {
    /// Looks once at every value. Sums wrap like those of runs.
    pub fn of(paths: &(impl Paths + ?Sized), metric: usize) -> Self {
        ByCall::up_to(paths, metric, MOST)
    }

    /// The same with so many values at most, as long as frames alone do not have more.
    pub fn up_to(paths: &(impl Paths + ?Sized), metric: usize, most: usize) -> Self {
        let places = paths.column_count();
        let (frames, of) = called(paths, most / places.max(1)).unwrap_or_else(|| alone(paths));
        let mut values = vec![0i64; frames.len() * places];
        values.par_chunks_mut(frames.len().max(1)).enumerate().for_each(|(place, sums)| {
            for (&value, &call) in paths.column(metric, place).iter().zip(&of) {
                if let Some(sum) = sums.get_mut(call as usize) {
                    *sum = sum.wrapping_add(value);
                }
            }
        });
        ByCall { frames, of, values }
    }

    /// The frame that each call leads to.
    pub fn frames(&self) -> &[u32] {
        &self.frames
    }

    /// The call by which each node of the calling context tree is reached.
    pub fn numbers(&self) -> &[u32] {
        &self.of
    }

    /// The values of all calls at a place.
    pub fn place(&self, place: usize) -> &[i64] {
        let calls = self.frames.len();
        self.values.get(place * calls..(place + 1) * calls).unwrap_or_default()
    }
}

/// Frames of calls, and the call of each node, unless there are more than `most` calls.
fn called(paths: &(impl Paths + ?Sized), most: usize) -> Option<(Vec<u32>, Vec<u32>)> {
    let (numbers, tree) = (paths.frame_numbers(), paths.tree());
    let mut known: HashMap<(u32, u32), u32> = HashMap::new();
    let mut frames = Vec::new();
    let mut of = Vec::with_capacity(numbers.len());
    for (&frame, &parent) in numbers.iter().zip(tree.parents()) {
        let caller = numbers.get(parent as usize).copied().unwrap_or(NONE);
        let call = *known.entry((caller, frame)).or_insert_with(|| {
            frames.push(frame);
            frames.len() as u32 - 1
        });
        if frames.len() > most {
            return None;
        }
        of.push(call);
    }
    Some((frames, of))
}

/// The same without callers. The root, which has no frame, is a call of its own.
fn alone(paths: &(impl Paths + ?Sized)) -> (Vec<u32>, Vec<u32>) {
    let count = paths.frames().len() as u32;
    let of = paths.frame_numbers().iter().map(|&frame| frame.min(count)).collect();
    ((0..count).chain([NONE]).collect(), of)
}
