//! What a task cost beside its intervals, measured in the run itself.

use std::cell::Cell;

use crate::schema::Kind;
use crosscut_tree::NodeId;
use serde::Serialize;

use crate::dag::Join;
use crate::grain::{Places, between};
use crate::tasks::Tasks;

/// Overhead of one task, in the run's clock unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Overhead {
    /// Between the interval that created it and whatever its worker did next.
    pub create: i64,
    /// Between what a worker ran in a section that it stayed in, and between the end of the last task that the section waited
    /// for and what followed it, per task.
    pub sync: i64,
}

/// As many creates and as many sections are looked at, spread evenly over the run.
const SAMPLES: usize = 1 << 12;
/// So many nodes are looked at to find one of them.
const REACH: usize = 64;
/// In all, so many children of sections are looked at.
const CHILDREN: usize = 1 << 20;

impl Overhead {
    /// Measures it. Costs the same for every run beyond some thousand tasks.
    pub fn of(tasks: &Tasks) -> Self {
        let sampler = Sampler { tasks, places: Places::new(tasks), children: Cell::new(CHILDREN) };
        Overhead {
            create: midmean(sampler.sample(Kind::Create, |node| sampler.create(node))),
            sync: midmean(sampler.sample(Kind::Section, |node| sampler.sync(node))),
        }
    }
}

/// The mean of the middle half. Preempted threads, page faults and steals make the upper tail of such gaps a hundred times
/// as long as the rest, so a mean says nothing about tasks; the median takes a clock's steps (20 to 40 ns on many
/// machines) for the answer. Between the quartiles neither matters.
fn midmean(mut gaps: Vec<f64>) -> i64 {
    gaps.sort_unstable_by(f64::total_cmp);
    let cut = gaps.len() / 4;
    let middle = &gaps[cut..gaps.len() - cut];
    if middle.is_empty() { 0 } else { (middle.iter().sum::<f64>() / middle.len() as f64).round() as i64 }
}

struct Sampler<'a> {
    tasks: &'a Tasks,
    places: Places<'a>,
    /// How many more children may be looked at.
    children: Cell<usize>,
}

impl Sampler<'_> {
    /// The gaps at nodes of a kind: all of them, or the first within reach of evenly spread places.
    fn sample(&self, kind: Kind, gap: impl Fn(NodeId) -> Option<f64>) -> Vec<f64> {
        let nodes = self.tasks.tree().node_count();
        let stride = (nodes / SAMPLES).max(1);
        let mut gaps = Vec::new();
        for from in (0..nodes).step_by(stride) {
            let reach = from..(from + stride.min(REACH)).min(nodes);
            let found = reach.map(|i| NodeId(i as u32)).find(|&node| self.tasks.kind(node) == kind);
            gaps.extend(found.and_then(&gap));
        }
        gaps
    }

    /// From the end of a create to what its worker did next: the new task, or what follows in its own. A create after
    /// which the worker did neither first (its spine was stolen, or it ran something else) says nothing.
    fn create(&self, create: NodeId) -> Option<f64> {
        let (tasks, dag) = (self.tasks, self.tasks.dag());
        let worker = tasks.worker(create)?;
        let mine = |block: &NodeId| tasks.worker(*block) == Some(worker);
        let task = tasks.tree().next_sibling(create).filter(|&next| tasks.kind(next) == Kind::Task)?;
        let follows = dag.follow(create).map(|next| dag.first_block(next)).filter(mine);
        let started = Some(dag.first_block(task)).filter(mine);
        let next = follows.into_iter().chain(started).map(|block| tasks.start(block)).min()?;
        Some(next.saturating_sub(tasks.end(create)).max(0) as f64)
    }

    /// What the runtime took in a section, and from its release to what follows it, per task. Counts where the worker that
    /// released it (by the end of the wait, or of the last task) went on itself: elsewhere the gap is a steal or other work.
    fn sync(&self, section: NodeId) -> Option<f64> {
        let (tasks, tree, dag) = (self.tasks, self.tasks.tree(), self.tasks.dag());
        if tree.is_leaf(section) || dag.join(section) == Join::None {
            return None;
        }
        let next = dag.first_block(dag.follow(section)?);
        let wait = dag.last_block(section);
        let children = tree.child_count(section);
        self.children.set(self.children.get().checked_sub(children)?);
        let created = tree.children(section).filter(|&child| tasks.kind(child) == Kind::Create).count();
        let joined = tree.children(section).filter(|&child| tasks.kind(child) == Kind::Task);
        let last = joined.map(|task| dag.last_block(task)).chain([wait]).max_by_key(|&b| tasks.end(b))?;
        if created == 0 || tasks.worker(last).is_none() || tasks.worker(last) != tasks.worker(next) {
            return None;
        }
        let going_on = tasks.start(next).saturating_sub(dag.released(section)).max(0);
        Some(going_on.saturating_add(between(tasks, &self.places, section)) as f64 / created as f64)
    }
}
