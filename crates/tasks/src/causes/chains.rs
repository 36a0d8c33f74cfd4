//! Chains of tasks that wait for one another: the longest way through the dependences, by line.

use foldhash::{HashMap, HashMapExt};

use super::roles::{Sites, made_at};
use crate::tasks::Tasks;
use crosscut_tree::NodeId;

/// The longest chain that ends with a task of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// Tasks in it.
    pub tasks: u64,
    /// Their time.
    pub time: i64,
    /// The first one and the last one.
    pub first: u32,
    pub last: u32,
}

impl Chain {
    /// From when its first task starts until its last one ends.
    fn span(&self, tasks: &Tasks) -> i64 {
        tasks.end(NodeId(self.last)).saturating_sub(tasks.start(NodeId(self.first))).max(0)
    }

    /// Whether its tasks are what takes the time from its begin to its end. Tasks that depend on one another now and then,
    /// with long waits for something else in between, are no chain that anybody waits for.
    pub fn fills_its_span(&self, tasks: &Tasks) -> bool {
        self.time.saturating_mul(2) >= self.span(tasks)
    }
}

/// Chains by line.
#[derive(Debug, Default)]
pub struct Chains {
    by_line: HashMap<u32, Chain>,
}

impl Chains {
    /// One pass over the dependences: a task stands behind all that it depends on.
    pub fn of(tasks: &Tasks) -> Self {
        let depends = tasks.depends();
        let sites = Sites::new(tasks);
        let mut ending: HashMap<u32, Chain> = HashMap::new();
        let mut by_line: HashMap<u32, Chain> = HashMap::new();
        let alone =
            |task: u32| Chain { tasks: 1, time: tasks.elapsed(NodeId(task)), first: task, last: task };
        let mut at = 0;
        while at < depends.to.len() {
            let to = depends.to[at];
            let count = depends.to[at..].iter().take_while(|&&next| next == to).count();
            // Of those before it the one whose chain takes longest.
            let chains = depends.from[at..at + count]
                .iter()
                .map(|&from| *ending.entry(from).or_insert_with(|| alone(from)));
            let best = chains.max_by_key(|chain| chain.time).unwrap_or_default();
            let this = alone(to);
            let chain =
                Chain { tasks: best.tasks + 1, time: best.time.saturating_add(this.time), last: to, ..best };
            ending.insert(to, chain);
            let longest = by_line.entry(made_at(tasks, &sites, to as usize)).or_default();
            if chain.time > longest.time {
                *longest = chain;
            }
            at += count;
        }
        Chains { by_line }
    }

    pub fn of_line(&self, line: u32) -> Option<Chain> {
        self.by_line.get(&line).copied()
    }
}
