//! Where workers wait: time in which a worker has nothing to run while a task of its own stands at a wait, or while it is
//! done with its part of a team and the others are not, by the line of that wait.
//!
//! A worker whose task waits runs other tasks meanwhile: only what lies between them is waited. Of several waits that are
//! not over, one inside the other, the worker stands at the one that it came to last. One pass over each worker's intervals.

use crosscut_run::NO_SITE;
use crosscut_tree::NodeId;
use rayon::prelude::*;

use crate::dag::{Dag, Join};
use crate::schema::Kind;
use crate::tasks::Tasks;

/// A wait that is not over.
#[derive(Clone, Copy, Debug)]
struct Standing {
    /// Its line, by number of a source.
    line: u32,
    /// When what it waits for is there, or, of a task that goes on, when it does.
    until: i64,
}

impl Tasks {
    /// By source: how long workers stood at waits of this line with nothing to run, summed over all of them.
    pub fn waited_by_line(&self) -> Vec<i64> {
        let lines = self.sources().source_count();
        let add = |mut all: Vec<i64>, one: Vec<i64>| {
            all.iter_mut().zip(one).for_each(|(sum, waited)| *sum = sum.saturating_add(waited));
            all
        };
        let waits = Waits { tasks: self, dag: self.dag() };
        (0..self.workers())
            .into_par_iter()
            .fold(
                || vec![0; lines],
                |mut waited, worker| {
                    waits.of_worker(worker, &mut waited);
                    waited
                },
            )
            .reduce(|| vec![0; lines], add)
    }
}

struct Waits<'a> {
    tasks: &'a Tasks,
    dag: Dag<'a>,
}

impl Waits<'_> {
    /// Adds what one worker waited.
    fn of_worker(&self, worker: usize, waited: &mut [i64]) {
        let mut standing: Vec<Standing> = Vec::new();
        let mut free = 0;
        for &block in self.tasks.blocks().row(worker) {
            let block = NodeId(block);
            charge(&mut standing, free, self.tasks.start(block), waited);
            free = free.max(self.tasks.end(block));
            standing.extend(self.stands_at(block));
        }
        charge(&mut standing, free, self.tasks.summary().elapsed, waited);
    }

    /// The wait at which an interval ends: a task waits for a section, or a member of a team for the others.
    fn stands_at(&self, block: NodeId) -> Option<Standing> {
        let tree = self.tasks.tree();
        let above = tree.parent(block)?;
        let sources = self.tasks.sources();
        let line = |node: NodeId, ends: bool| {
            let site = sources.site(self.tasks.site(node));
            site.map_or(NO_SITE, |site| if ends { site.to } else { site.from })
        };
        match self.tasks.kind(block) {
            Kind::Wait if self.dag.join(above) != Join::None => {
                let follows = self.dag.follow(above).map(|next| self.tasks.start(self.dag.first_block(next)));
                let until = follows.unwrap_or_else(|| self.dag.released(above));
                Some(Standing { line: line(block, true), until })
            }
            Kind::End if self.tasks.is_lane(above) => {
                let team = tree.parent(above).filter(|&team| self.dag.join(team) != Join::None)?;
                let at = match line(block, true) {
                    NO_SITE => line(team, false),
                    at => at,
                };
                Some(Standing { line: at, until: self.dag.released(team) })
            }
            _ => None,
        }
    }
}

/// A worker has nothing to run: that goes to the wait that it came to last, until that is over, then to the one before.
fn charge(standing: &mut Vec<Standing>, from: i64, to: i64, waited: &mut [i64]) {
    let mut at = from;
    while at < to {
        while standing.pop_if(|wait| wait.until <= at).is_some() {}
        let Some(wait) = standing.last() else { return };
        let end = wait.until.min(to);
        if let Some(sum) = waited.get_mut(wait.line as usize) {
            *sum = sum.saturating_add(end.saturating_sub(at));
        }
        at = end;
    }
}
