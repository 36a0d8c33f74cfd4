//! Totals of a run by source line: how many intervals began there, and how long they worked. One pass over the run.

use crosscut_tasks::Tasks;
use crosscut_tree::NodeId;
use rayon::prelude::*;

/// Totals by source id.
#[derive(Debug, Default)]
pub struct Lines {
    /// Intervals that began there; those inside of what the recorder folded count where that began.
    pub intervals: Vec<i64>,
    /// Their work.
    pub work: Vec<i64>,
}

/// Nodes that one thread looks at before it takes the next ones.
const BLOCK: usize = 1 << 16;

impl Lines {
    /// Of all intervals of a run.
    pub fn of(tasks: &Tasks) -> Self {
        let sites = tasks.sources().site_count();
        let nodes = tasks.tree().node_count();
        let by_site = (0..nodes.div_ceil(BLOCK))
            .into_par_iter()
            .fold(
                || vec![(0i64, 0i64); sites],
                |mut totals, block| {
                    add(tasks, block * BLOCK..((block + 1) * BLOCK).min(nodes), &mut totals);
                    totals
                },
            )
            .reduce(|| vec![(0, 0); sites], merged);
        let count = tasks.sources().source_count();
        let mut lines = Lines { intervals: vec![0; count], work: vec![0; count] };
        for (site, (intervals, work)) in by_site.into_iter().enumerate() {
            if let Some(source) =
                tasks.sources().site(site as u32).map(|site| site.from as usize).filter(|&from| from < count)
            {
                lines.intervals[source] += intervals;
                lines.work[source] += work;
            }
        }
        lines
    }
}

fn add(tasks: &Tasks, nodes: std::ops::Range<usize>, totals: &mut [(i64, i64)]) {
    for node in nodes {
        let id = NodeId(node as u32);
        if !tasks.tree().is_leaf(id) {
            continue;
        }
        if let Some(total) = totals.get_mut(tasks.site(id) as usize) {
            let folded = || tasks.counts(node..node + 1).iter().sum::<i64>();
            total.0 += if tasks.is_collapsed(id) { folded() } else { 1 };
            total.1 += tasks.work(id);
        }
    }
}

fn merged(mut a: Vec<(i64, i64)>, b: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    for (a, b) in a.iter_mut().zip(b) {
        a.0 += b.0;
        a.1 += b.1;
    }
    a
}
