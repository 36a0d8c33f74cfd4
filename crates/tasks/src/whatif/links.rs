//! The dependences beside the tree, prepared to be followed from a task that ends to what waits for it.

use std::ops::Range;

use crate::dag::Depends;

/// Dependences in both directions. 16 bytes for each.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Tasks that others depend on, ascending.
    needed: Vec<u32>,
    /// Where the followers of each begin, and of one more.
    first: Vec<u32>,
    /// Places in `waiting`.
    followers: Vec<u32>,
    /// What depends on something, ascending.
    waiting: Vec<u32>,
    /// On how many tasks each of those depends.
    counts: Vec<u32>,
}

impl Links {
    /// From the columns of a run.
    pub fn new(depends: Depends<'_>) -> Self {
        let mut links = Links::default();
        let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(depends.to.len());
        for (&to, &from) in depends.to.iter().zip(depends.from) {
            // Only what comes later may wait: a damaged run must not wait for itself.
            if from >= to {
                continue;
            }
            if links.waiting.last() != Some(&to) {
                links.waiting.push(to);
                links.counts.push(0);
            }
            if let Some(count) = links.counts.last_mut() {
                *count += 1;
            }
            pairs.push((from, links.waiting.len() as u32 - 1));
        }
        pairs.sort_unstable();
        for (at, (from, follower)) in pairs.into_iter().enumerate() {
            if links.needed.last() != Some(&from) {
                links.needed.push(from);
                links.first.push(at as u32);
            }
            links.followers.push(follower);
        }
        links.first.push(links.followers.len() as u32);
        links
    }

    /// The tasks in a range of nodes that others depend on.
    pub fn needed_in(&self, nodes: Range<usize>) -> &[u32] {
        let first = self.needed.partition_point(|&task| (task as usize) < nodes.start);
        let last = self.needed.partition_point(|&task| (task as usize) < nodes.end);
        &self.needed[first..last.max(first)]
    }

    /// Whether something in a range of nodes depends on a task.
    pub fn waits_in(&self, nodes: Range<usize>) -> bool {
        let first = self.waiting.partition_point(|&node| (node as usize) < nodes.start);
        self.waiting.get(first).is_some_and(|&node| (node as usize) < nodes.end)
    }

    /// The number of a node among those that wait.
    #[inline]
    pub fn number(&self, node: usize) -> Option<usize> {
        if self.waiting.is_empty() { None } else { self.waiting.binary_search(&(node as u32)).ok() }
    }

    /// On how many tasks each of those that wait depends.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// What depends on a task: places among those that wait.
    #[inline]
    pub fn followers(&self, task: usize) -> &[u32] {
        if self.needed.is_empty() {
            return &[];
        }
        match self.needed.binary_search(&(task as u32)) {
            Ok(at) => &self.followers[self.first[at] as usize..self.first[at + 1] as usize],
            Err(_) => &[],
        }
    }
}
