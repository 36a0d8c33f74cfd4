//! Groups of events of which one is sampled and all are read (`perf record -e '{a,b}:S'`): a sample stands for what each counter
//! has counted since the sample before it.

use foldhash::HashMap;

use super::attr::Attrs;
use super::file::Record;
use super::sample::Sample;
use crate::error::ImportError;
use crate::limits::MAX_VALUE;

/// What counters had counted when they were last read.
#[derive(Default)]
pub struct Counters {
    /// By number, and by thread where each has a counter of its own. All samples of a number are of one buffer, in which they
    /// are in order.
    before: HashMap<(u64, u32), u64>,
    /// Of events that nothing is known of.
    pub unknown: u64,
}

impl Counters {
    /// What a sample stands for: events, each with its weight.
    pub fn weights(
        &mut self,
        record: &Record<'_>,
        sample: &Sample,
        attrs: &Attrs,
    ) -> Result<Vec<(usize, i64)>, ImportError> {
        if sample.counters.is_empty() {
            return Ok(vec![(sample.attr, sample.weight)]);
        }
        let mut weights = Vec::with_capacity(sample.counters.len());
        for &(id, value) in &sample.counters {
            let Some((number, attr)) = attrs.get(Some(id)).and_then(|at| Some((at, attrs.list.get(at)?)))
            else {
                self.unknown += 1;
                continue;
            };
            let thread = if attr.is_inherited() { sample.tid } else { 0 };
            let before = self.before.insert((id, thread), value).unwrap_or(0);
            // A counter that says less than before was set back.
            let weight = value.checked_sub(before).unwrap_or(value);
            let weight = i64::try_from(weight).ok().filter(|_| weight < MAX_VALUE);
            weights.push((number, weight.ok_or_else(|| record.broken("a counter that is too large"))?));
        }
        Ok(weights)
    }
}
