//! Samples one by one, where a profile has them: when each was taken, where, and in which node. They say what ran in a part of the
//! run: a window of time, a task, a phase.

use crosscut_run::{Column, Run, RunWriter};

use crate::build::Sample;
use crate::error::CallsError;
use crate::own::Made;

/// Part of the run: a place, and a time from and to, which is not part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stretch {
    /// The place.
    pub place: u32,
    /// From.
    pub from: i64,
    /// To.
    pub to: i64,
}

/// The samples of a run: those of the first place by time, then those of the next.
#[derive(Debug)]
pub struct Samples {
    /// Where those of each place begin, and where the last end.
    first: Column<u32>,
    time: Column<i64>,
    node: Column<u32>,
    /// For each metric.
    values: Vec<Column<i64>>,
}

fn broken(what: &str) -> CallsError {
    CallsError::Broken(what.to_owned())
}

impl Samples {
    /// Those of a run, if it has any.
    pub(crate) fn open(
        run: &Run,
        metrics: usize,
        places: usize,
        nodes: usize,
    ) -> Result<Option<Self>, CallsError> {
        if !run.has("calls/sample-time") {
            return Ok(None);
        }
        let values = (0..metrics).map(|metric| run.column(&format!("calls/sample-{metric}")));
        let samples = Samples {
            first: run.column("calls/sample-first")?,
            time: run.column("calls/sample-time")?,
            node: run.column("calls/sample-node")?,
            values: values.collect::<Result<_, _>>()?,
        };
        let count = samples.time.len();
        if samples.node.len() != count || samples.values.iter().any(|values| values.len() != count) {
            return Err(broken("its samples have columns of different lengths"));
        }
        let first = &samples.first;
        let fits = first.len() == places + 1
            && first.first() == Some(&0)
            && first.last().map(|&last| last as usize) == Some(count)
            && first.windows(2).all(|pair| pair[0] <= pair[1]);
        if !fits || samples.node.iter().any(|&node| node as usize >= nodes) {
            return Err(broken("it has samples of other nodes or places than there are"));
        }
        Ok(Some(samples))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.time.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.time.is_empty()
    }

    /// From the first sample to behind the last.
    pub fn span(&self) -> Option<(i64, i64)> {
        Some((*self.time.iter().min()?, self.time.iter().max()?.saturating_add(1)))
    }

    /// The nodes of some samples.
    pub fn nodes(&self, samples: std::ops::Range<usize>) -> &[u32] {
        self.node.get(samples).unwrap_or_default()
    }

    /// When some samples were taken.
    pub fn times(&self, samples: std::ops::Range<usize>) -> &[i64] {
        self.time.get(samples).unwrap_or_default()
    }

    /// The numbers of the samples in some stretches, each once.
    pub fn within<'s>(
        &'s self,
        stretches: &[Stretch],
    ) -> impl Iterator<Item = (u32, std::ops::Range<usize>)> + use<'s> {
        joined(stretches).into_iter().filter_map(|stretch| {
            let at = stretch.place as usize;
            let (from, to) = (*self.first.get(at)? as usize, *self.first.get(at + 1)? as usize);
            let times = self.time.get(from..to)?;
            let begin = from + times.partition_point(|&time| time < stretch.from);
            let end = from + times.partition_point(|&time| time < stretch.to);
            (begin < end).then_some((stretch.place, begin..end))
        })
    }

    /// What was spent in each node itself in some stretches, of one metric.
    pub(crate) fn own(&self, metric: usize, stretches: &[Stretch], nodes: usize, places: usize) -> Made {
        let mut own = vec![0i64; nodes.saturating_mul(places)];
        for (place, samples) in self.within(stretches) {
            let of_place = own.get_mut(place as usize * nodes..).unwrap_or_default();
            let values =
                self.values.get(metric).and_then(|values| values.get(samples.clone())).unwrap_or_default();
            for (&node, &value) in self.nodes(samples).iter().zip(values) {
                if let Some(sum) = of_place.get_mut(node as usize) {
                    *sum = sum.saturating_add(value);
                }
            }
        }
        Made::new(own, nodes, places)
    }
}

/// Stretches in order, none of which meets another.
fn joined(stretches: &[Stretch]) -> Vec<Stretch> {
    let mut sorted: Vec<Stretch> =
        stretches.iter().copied().filter(|stretch| stretch.from < stretch.to).collect();
    sorted.sort_unstable();
    let mut out: Vec<Stretch> = Vec::with_capacity(sorted.len());
    for stretch in sorted {
        match out.last_mut() {
            Some(before) if before.place == stretch.place && stretch.from <= before.to => {
                before.to = before.to.max(stretch.to);
            }
            _ => out.push(stretch),
        }
    }
    out
}

/// Puts samples into a run; `at` says where each node stands in the tree.
pub(crate) fn put(
    run: &mut RunWriter,
    samples: &mut [Sample],
    metrics: usize,
    places: usize,
    at: &[u32],
) -> Result<(), CallsError> {
    if samples.is_empty() {
        return Ok(());
    }
    // In the order in which they came where times are the same.
    samples.sort_by_key(|sample| (sample.place, sample.time));
    let count = samples.len();
    let mut first = run.column::<u32>("calls/sample-first", places + 1)?;
    for (place, first) in first.iter_mut().enumerate() {
        *first = samples.partition_point(|sample| (sample.place as usize) < place) as u32;
    }
    run.put(first)?;
    let mut time = run.column::<i64>("calls/sample-time", count)?;
    let mut node = run.column::<u32>("calls/sample-node", count)?;
    for (row, sample) in samples.iter().enumerate() {
        time[row] = sample.time;
        node[row] = at.get(sample.node as usize).copied().unwrap_or(0);
    }
    run.put(time)?;
    run.put(node)?;
    for metric in 0..metrics {
        let mut values = run.column::<i64>(&format!("calls/sample-{metric}"), count)?;
        for (row, sample) in samples.iter().enumerate() {
            values[row] = sample.values.get(metric).copied().unwrap_or(0);
        }
        run.put(values)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_joined() {
        let stretch = |place, from, to| Stretch { place, from, to };
        let all =
            [stretch(1, 5, 9), stretch(0, 0, 3), stretch(1, 8, 12), stretch(1, 12, 13), stretch(0, 7, 7)];
        assert_eq!(joined(&all), [stretch(0, 0, 3), stretch(1, 5, 13)]);
        assert_eq!(joined(&[]), []);
    }
}
