//! The source lines whose grains cost most because of a problem, each with the group where most of that is: where to look
//! first is a line or a group, not the one grain that stands out.

use crosscut_tree::NodeId;
use foldhash::{HashMap, HashMapExt};

use super::table::Slot;
use super::{Deviation, Grains, Problem, ProblemSet};
use crate::schema::NO_SOURCE;
use crate::tasks::Tasks;

/// A line whose grains have a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorstLine {
    /// The smallest group that holds half of what they cost, or the one grain that does; lines have different ones.
    pub node: NodeId,
    /// The line, as a number of a source; [`NO_SOURCE`] where that is not known.
    pub source: u32,
    /// How many grains.
    pub grains: usize,
    /// What they cost, or their work where that is not available.
    pub cost: i64,
}

impl Grains {
    /// What a grain costs because of a problem; where that is not its own, its work.
    pub(super) fn cost_in(&self, set: &ProblemSet, node: NodeId, deviation: Option<&Deviation>) -> i64 {
        let Slot::Grain(grain) = self.slot(node) else { return 0 };
        match set.problem {
            Problem::SiblingImbalance | Problem::ChunkImbalance | Problem::SiblingScatter => {
                self.grains.work[grain as usize]
            }
            problem => self.lost(problem, grain as usize, deviation) as i64,
        }
    }

    /// The grains that have a problem, each with its line and what it costs. What costs nothing counts as one, so that lines
    /// of which nothing costs have a middle, too.
    fn priced<'a>(
        &'a self,
        tasks: &'a Tasks,
        set: &'a ProblemSet,
        deviation: Option<&'a Deviation>,
    ) -> impl Iterator<Item = (NodeId, u32, i64)> + 'a {
        set.lens.chosen().iter().map(move |node| {
            let site = tasks.sources().site(tasks.site(self.task(node)));
            (node, site.map_or(NO_SOURCE, |site| site.from), self.cost_in(set, node, deviation).max(1))
        })
    }

    /// The lines that cost most, most costly first: three passes over the grains that have the problem.
    pub fn worst_lines(
        &self,
        tasks: &Tasks,
        set: &ProblemSet,
        deviation: Option<&Deviation>,
        most: usize,
    ) -> Vec<WorstLine> {
        let mut lines: HashMap<u32, WorstLine> = HashMap::new();
        for (node, source, cost) in self.priced(tasks, set, deviation) {
            let line = lines.entry(source).or_insert(WorstLine { node, source, grains: 0, cost: 0 });
            line.grains += 1;
            line.cost = line.cost.saturating_add(cost);
        }
        let mut lines: Vec<WorstLine> = lines.into_values().collect();
        lines.sort_by_key(|line| (std::cmp::Reverse(line.cost), line.source));
        lines.truncate(most);
        self.to_middles(&mut lines, self.priced(tasks, set, deviation));
        let ways = self.ways(&lines, self.priced(tasks, set, deviation));
        let mut taken: Vec<NodeId> = Vec::new();
        for (line, way) in lines.iter_mut().zip(ways) {
            let half = smallest_half(&way, line.cost);
            let free = way.iter().skip(half).map(|step| step.0).find(|node| !taken.contains(node));
            line.node = free.unwrap_or(line.node);
            taken.push(line.node);
        }
        lines
    }

    /// Leads each line to the grain in the middle of its cost: whatever holds more than half of it holds that grain.
    fn to_middles(&self, lines: &mut [WorstLine], grains: impl Iterator<Item = (NodeId, u32, i64)>) {
        let mut before = vec![0i64; lines.len()];
        for (node, source, cost) in grains {
            let Some(at) = lines.iter().position(|line| line.source == source) else { continue };
            if before[at] <= lines[at].cost / 2 {
                lines[at].node = node;
            }
            before[at] = before[at].saturating_add(cost);
        }
    }

    /// For each line the way from the root to its grain, with what of the cost lies at each step and not further down.
    fn ways(
        &self,
        lines: &[WorstLine],
        grains: impl Iterator<Item = (NodeId, u32, i64)>,
    ) -> Vec<Vec<(NodeId, i64)>> {
        let tree = self.tree();
        let way = |line: &WorstLine| {
            let mut way: Vec<(NodeId, i64)> = vec![(line.node, 0)];
            way.extend(tree.ancestors(line.node).map(|node| (node, 0)));
            way.reverse();
            way
        };
        let mut ways: Vec<Vec<(NodeId, i64)>> = lines.iter().map(way).collect();
        for (node, source, cost) in grains {
            let Some(at) = lines.iter().position(|line| line.source == source) else { continue };
            let holds = |&(above, _): &(NodeId, i64)| tree.range(above).contains(&node.index());
            let deepest = ways[at].partition_point(holds).saturating_sub(1);
            if let Some(step) = ways[at].get_mut(deepest) {
                step.1 = step.1.saturating_add(cost);
            }
        }
        ways
    }
}

/// The last step of a way at which half of the cost, or more, lies there or further down.
fn smallest_half(way: &[(NodeId, i64)], cost: i64) -> usize {
    let mut below = 0i64;
    for (depth, step) in way.iter().enumerate().rev() {
        below = below.saturating_add(step.1);
        if below >= cost - cost / 2 {
            return depth;
        }
    }
    0
}
