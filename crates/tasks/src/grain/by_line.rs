//! What the grains of each source line work, and what creating and joining them cost.

use rayon::prelude::*;

use super::{GrainKind, Grains};
use crate::tasks::Tasks;

/// Grains that one thread looks at before it takes the next ones.
const BLOCK: usize = 1 << 16;

/// The tasks and chunks that begin at one line. What the recorder folded is not in it: its cost is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineGrains {
    /// How many.
    pub grains: usize,
    /// Their work.
    pub work: i64,
    /// What creating and joining them cost.
    pub cost: i64,
}

impl LineGrains {
    /// Both together.
    pub fn and(self, other: LineGrains) -> LineGrains {
        LineGrains {
            grains: self.grains + other.grains,
            work: self.work.saturating_add(other.work),
            cost: self.cost.saturating_add(other.cost),
        }
    }

    /// The parallel benefit of all of them together: work / cost; none where they cost nothing.
    pub fn benefit(self) -> Option<f64> {
        (self.cost > 0).then(|| self.work as f64 / self.cost as f64)
    }
}

impl Grains {
    /// By source: the grains that begin there.
    pub fn by_line(&self, tasks: &Tasks) -> Vec<LineGrains> {
        let (count, lines) = (self.grain_count(), tasks.sources().source_count());
        let add = |all: &mut LineGrains, more: LineGrains| *all = all.and(more);
        (0..count.div_ceil(BLOCK))
            .into_par_iter()
            .fold(
                || vec![LineGrains::default(); lines],
                |mut of_lines, block| {
                    for grain in block * BLOCK..((block + 1) * BLOCK).min(count) {
                        let row = &self.grains.row[grain];
                        let site = tasks.sources().site(tasks.site(crosscut_tree::NodeId(row.task)));
                        let line = site.and_then(|site| of_lines.get_mut(site.from as usize));
                        if let (GrainKind::Task | GrainKind::Chunk, Some(line)) = (row.kind, line) {
                            let (work, cost) = (self.grains.work[grain], self.grains.cost(grain));
                            add(line, LineGrains { grains: 1, work, cost });
                        }
                    }
                    of_lines
                },
            )
            .reduce(
                || vec![LineGrains::default(); lines],
                |mut all, more| {
                    all.iter_mut().zip(more).for_each(|(all, more)| add(all, more));
                    all
                },
            )
    }
}
