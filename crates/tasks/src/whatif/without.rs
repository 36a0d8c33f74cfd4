//! A replay without something that cost time: some intervals take less, some tasks need not wait for others, some run in the
//! task that would create them.

use crosscut_tree::NodeId;

use super::cost::{Cost, Recorded};
use super::links::Links;
use super::{Change, WhatIf, replay};
use crate::dag::Depends;
use crate::frame::Columns;
use crate::schema::{Edge, Kind, Mark};
use crate::tasks::Tasks;

/// What is different.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Without {
    /// By node: what is taken off an interval, or off what waiting for a task costs; below 0 it takes longer.
    pub less: Vec<i64>,
    /// Tasks whose dependences are gone, ascending.
    pub free: Vec<u32>,
    /// Tasks that are none any more, ascending: whoever would create them runs what they do, there and then.
    pub inline: Vec<u32>,
}

impl Without {
    /// Nothing is different yet.
    pub fn nothing(tasks: &Tasks) -> Self {
        Without { less: vec![0; tasks.tree().node_count()], free: Vec::new(), inline: Vec::new() }
    }

    pub fn is_nothing(&self) -> bool {
        self.free.is_empty() && self.inline.is_empty() && self.less.iter().all(|&less| less == 0)
    }

    /// Without that, too.
    pub fn and(&mut self, other: &Without) {
        self.less.iter_mut().zip(&other.less).for_each(|(less, more)| *less = less.saturating_add(*more));
        for (all, more) in [(&mut self.free, &other.free), (&mut self.inline, &other.inline)] {
            all.extend(more);
            all.sort_unstable();
            all.dedup();
        }
    }
}

/// The recorded lengths, less what is taken off.
struct Spared<'a> {
    recorded: Recorded<'a>,
    less: &'a [i64],
}

impl Spared<'_> {
    fn left(&self, node: usize, length: i64) -> i64 {
        length.saturating_sub(self.less.get(node).copied().unwrap_or(0)).max(0)
    }
}

impl Cost for Spared<'_> {
    fn length(&self, node: usize) -> i64 {
        self.left(node, self.recorded.length(node))
    }

    fn block(&self, node: usize) -> (i64, i64) {
        self.recorded.block(node)
    }

    fn sync(&self, task: usize) -> i64 {
        self.left(task, self.recorded.sync(task))
    }
}

impl WhatIf<'_> {
    /// How long the run takes on these workers when something is different.
    pub(crate) fn without(&self, workers: u32, without: &Without) -> i64 {
        let spared = Spared { recorded: self.cost(&Change::default()), less: &without.less };
        let links = (!without.free.is_empty()).then(|| self.links_without(&without.free));
        let links = links.as_ref().unwrap_or(&self.links);
        let columns = self.columns();
        let marks = (!without.inline.is_empty()).then(|| inlined(columns.mark, &without.inline));
        let columns = Columns { mark: marks.as_deref().unwrap_or(columns.mark), ..columns };
        replay::replay(&columns, links, &spared, workers, |_| ()).elapsed
    }

    /// The dependences but those of some tasks.
    fn links_without(&self, free: &[u32]) -> Links {
        let depends = self.tasks.dag().depends;
        let all = depends.to.iter().copied().zip(depends.from.iter().copied());
        let (to, from): (Vec<u32>, Vec<u32>) = all.filter(|(to, _)| free.binary_search(to).is_err()).unzip();
        Links::new(Depends { to: &to, from: &from })
    }

    /// What a task costs when it is created, and when it is waited for, by the nodes that pay it.
    pub(crate) fn overhead_of(&self, task: usize) -> [(usize, i64); 2] {
        let create = task.saturating_sub(1);
        let is_created =
            self.tasks.marks().get(create).is_some_and(|&mark| Mark(mark).kind() == Kind::Create)
                && self.tasks.tree().parent(NodeId(create as u32))
                    == self.tasks.tree().parent(NodeId(task as u32));
        let overhead = self.overhead;
        if is_created { [(create, overhead.create), (task, overhead.sync)] } else { [(create, 0), (task, 0)] }
    }
}

/// The marks of a tree in which some tasks are sections that nobody waits for: their nodes follow what was before them.
fn inlined(mark: &[u8], tasks: &[u32]) -> Vec<u8> {
    let mut marks = mark.to_vec();
    for &task in tasks {
        if let Some(mark) = marks.get_mut(task as usize) {
            *mark = Mark::new(Kind::Section, Edge::OtherCont, Mark(*mark).is_collapsed()).0;
        }
    }
    marks
}
