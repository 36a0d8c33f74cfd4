//! Sections in a section: what a task does between creating tasks and waiting for them, as in Rayon's `join` and Cilk's
//! `spawn`, where one branch is created and the other one runs on. Their joins stand beside the tasks that were created
//! before: a member of the fork-join of the section around them, and a linear group where there are several.
//!
//! A section that nobody waits for has no fork-join. Sections in it stand one after the other in their task, as do those
//! that were over before the first task was created.

use super::GrainKind;
use super::reduce::{Made, Pass};
use super::table::Packed;
use crate::dag::{Join, join};
use crate::schema::Kind;

/// Where the walk through the sections in a section is.
#[derive(Clone, Copy)]
pub struct Inner {
    at: u32,
    /// The node of their linear group.
    group: u32,
}

impl Made {
    /// Stands for the sections in a section, from this one on.
    pub(super) fn inner(section: u32) -> Self {
        Made { task: section, creation: -1, place: 0 }
    }

    #[inline]
    pub(super) fn is_inner(&self) -> bool {
        self.creation < 0
    }
}

impl Pass<'_> {
    /// Whether a section, in which tasks were created, has a fork-join that the section in it is a member of.
    pub(super) fn stands_beside_tasks(&self, inner: u32, section: u32) -> bool {
        let gathers = self.frames.last().is_some_and(|frame| frame.gathers());
        !self.mark(inner).is_chunk_section() && (gathers || self.join(section) != Join::None)
    }

    fn join(&self, section: u32) -> Join {
        join(self.lens, self.parents, self.mark, section as usize)
    }

    /// The sections in a section, whose group is open, from this one on.
    pub(super) fn begin_inner(&mut self, first: u32) {
        let Some(section) = self.sections.last() else { return };
        let end = section.end;
        if self.next_inner(self.after(first), end).is_none() && self.is_one_join(first) {
            return self.begin_section(first);
        }
        let group = self.open_group(first, GrainKind::Linear);
        if let Some(section) = self.sections.last_mut() {
            section.inner = Some(Inner { at: first, group });
        }
    }

    /// Goes on with the next of them, or closes their group.
    pub(super) fn step_inner(&mut self) {
        let Some(section) = self.sections.last() else { return };
        let (Some(inner), end) = (section.inner, section.end) else { return };
        let next = self.next_inner(inner.at, end);
        let after = next.map(|next| Inner { at: self.after(next), ..inner });
        if let Some(section) = self.sections.last_mut() {
            section.inner = after;
        }
        match next {
            Some(next) => self.begin_section(next),
            None => self.end_bare(inner.group),
        }
    }

    /// Ends a linear group that no grain heads. With fewer than two members it is none, and goes at the end.
    pub(super) fn end_bare(&mut self, node: u32) {
        let members = self.grouping.last().map_or(0, |open| open.members());
        if members >= 2 {
            let closed = self.grouping.end_linear(None);
            return self.close(closed);
        }
        let path = self.grouping.give_way();
        let at = node as usize;
        self.len[at] = (self.len.len() - at) as u32;
        self.groups[self.slot[at].number() as usize].path = path;
        self.empty.push(node);
    }

    /// The next section among the nodes of a section.
    fn next_inner(&self, mut at: u32, end: u32) -> Option<u32> {
        while at < end {
            let mark = self.mark(at);
            if mark.kind() == Kind::Section && !mark.is_chunk_section() {
                return Some(at);
            }
            at = self.after(at);
        }
        None
    }

    /// Whether it is clear at once that a section is one join: it begins with a task and waits.
    fn is_one_join(&self, section: u32) -> bool {
        let (create, task) = (section + 1, section + 2);
        task < self.after(section)
            && self.mark(create).kind() == Kind::Create
            && self.mark(task).kind() == Kind::Task
            && self.join(section) != Join::None
    }

    /// Takes groups of one member, or of none, out of the tree: the member stands in their place.
    pub(super) fn drop_empty(&mut self) {
        if self.empty.is_empty() {
            return;
        }
        self.empty.sort_unstable();
        let empty = std::mem::take(&mut self.empty);
        let before = |node: u32| empty.partition_point(|&gone| gone < node) as u32;
        let groups: Vec<u32> = empty.iter().map(|&node| self.slot[node as usize].number()).collect();
        let groups_before = |group: u32| groups.partition_point(|&gone| gone < group) as u32;
        // What stands around each of them and stays.
        let mut around: Vec<u32> = Vec::with_capacity(empty.len());
        for &node in &empty {
            let parent = self.parent[node as usize];
            // The root is its own parent: its only member is the root then.
            let above = empty.binary_search(&parent).ok().filter(|_| parent != node);
            around.push(above.map_or(parent, |at| around[at]));
        }
        let (mut to, mut gone) = (0usize, 0usize);
        for node in 0..self.len.len() {
            if empty.get(gone) == Some(&(node as u32)) {
                gone += 1;
                continue;
            }
            let (slot, parent) = (self.slot[node], self.parent[node]);
            let parent = empty.binary_search(&parent).map_or(parent, |at| around[at]);
            let inside = before(node as u32 + self.len[node]) - gone as u32;
            self.len[to] = self.len[node] - inside;
            self.parent[to] = parent - before(parent);
            self.slot[to] = match slot.is_group() {
                true => Packed::group(slot.number() - groups_before(slot.number()), slot.is_join()),
                false => slot,
            };
            to += 1;
        }
        self.len.truncate(to);
        self.parent.truncate(to);
        self.slot.truncate(to);
        for node in &mut self.wide {
            *node -= before(*node);
        }
        keep(&mut self.groups, &groups);
        keep(&mut self.group_task, &groups);
    }
}

/// Takes the elements with these numbers out of a list.
fn keep<T>(list: &mut Vec<T>, without: &[u32]) {
    let (mut at, mut gone) = (0u32, 0usize);
    list.retain(|_| {
        let drops = without.get(gone) == Some(&at);
        gone += usize::from(drops);
        at += 1;
        !drops
    });
}
