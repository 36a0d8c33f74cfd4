//! What a run would take without what cost time, by replays of its tasks: without each finding alone, and without the
//! first, the first two, and so on. A cost alone is a bound: workers that were free need not all have had something to do.
//!
//! A replay counts only where it tells the truth of the run as it is: about as long as the run took, on workers that had a
//! processor each. It never gains more than the bound. What has no replay keeps its bound.

use crosscut_run::NO_SITE;
use crosscut_tree::NodeId;
use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

use super::blame::Blame;
use super::cutoff::Cutoff;
use super::judge::{Judged, judge, part_of};
use super::phases::works;
use super::roles::{Roles, Sites, made_at};
use super::{Cause, Causes, Finding};
use crate::schema::{Kind, NO_SOURCE};
use crate::tasks::Tasks;
use crate::whatif::{Change, WhatIf, Without};

/// Nodes that are replayed, all replays together: about a second of one core.
const BUDGET: usize = 16_000_000;
/// A replay of the run as it is may miss what was recorded by so much of it.
const NEAR: f64 = 0.15;

/// How long a run would take without what cost time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gains {
    /// By finding: without it alone, as a replay shows; none where only the bound is known.
    pub alone: Vec<Option<i64>>,
    /// The same, as the replay has it: a greedy schedule of a changed program may gain more than the bound, or lose.
    pub raw: Vec<Option<i64>>,
    /// Findings in the order of what is gained, and how long the run takes without all of them up to here.
    pub ladder: Vec<(usize, Option<i64>)>,
    /// Why nothing was replayed, where it was not.
    pub not_replayed: Option<&'static str>,
}

impl Tasks {
    /// Replays the run without its findings, as far as it is small enough for that; `goes_on` is asked before each replay,
    /// and nothing comes of it when that says no.
    pub fn gains(
        &self,
        causes: &Causes,
        baseline: Option<&Tasks>,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Option<Gains> {
        let count = causes.findings.len();
        let none = |why: Option<&'static str>| {
            let (alone, raw) = (vec![None; count], vec![None; count]);
            Some(Gains { alone, raw, ladder: Vec::new(), not_replayed: why })
        };
        let workers = self.summary().workers;
        let nodes = self.tree().node_count().max(1);
        // One replay of the run as it is, one for each finding and one for each rung.
        let most = (BUDGET / nodes).saturating_sub(1) / 2;
        if causes.findings.is_empty() {
            return none(None);
        }
        if !self.is_sound() {
            return none(Some("the tree of the run is broken"));
        }
        if causes.workers != i64::from(workers) {
            return none(Some("there are more workers than processors"));
        }
        if most == 0 {
            return none(Some("the run is too large"));
        }
        const FAR: Option<&str> = Some("a replay of the run as it is takes another time than the run did");
        let whatif = WhatIf::new(self);
        let Ok(base) = whatif.replay(workers, &Change::default()).map(|replay| replay.elapsed) else {
            return none(FAR);
        };
        let elapsed = self.summary().elapsed;
        if (base - elapsed).abs() as f64 > NEAR * elapsed as f64 {
            return none(FAR);
        }
        let remedies = Remedies::of(self, baseline, &whatif);
        let worth = causes.worth().count().min(most);
        let without: Vec<Option<Without>> =
            causes.findings.iter().take(worth).map(|finding| remedies.of_finding(finding)).collect();
        let lab = Lab { whatif, base, elapsed, workers, goes_on };
        lab.gains(causes, &without)
    }
}

/// What is needed to replay.
struct Lab<'a> {
    whatif: WhatIf<'a>,
    base: i64,
    elapsed: i64,
    workers: u32,
    goes_on: &'a (dyn Fn() -> bool + Sync),
}

impl Lab<'_> {
    fn gains(&self, causes: &Causes, without: &[Option<Without>]) -> Option<Gains> {
        let replays: Vec<Option<Option<i64>>> = without
            .par_iter()
            .map(|without| match without {
                Some(without) => self.replay(without).map(Some),
                None => Some(None),
            })
            .collect();
        let mut raw: Vec<Option<i64>> = replays.into_iter().collect::<Option<_>>()?;
        raw.resize(causes.findings.len(), None);
        let within =
            |(raw, finding): (&Option<i64>, &Finding)| raw.map(|raw| self.within(raw, finding.without));
        let alone: Vec<Option<i64>> = raw.iter().zip(&causes.findings).map(within).collect();
        let ladder = self.ladder(causes, without, &alone)?;
        Some(Gains { alone, raw, ladder, not_replayed: None })
    }

    /// How long the run takes; nothing when it is given up.
    fn replay(&self, without: &Without) -> Option<i64> {
        (self.goes_on)().then(|| self.elapsed - (self.base - self.whatif.without(self.workers, without)))
    }

    /// At least as long as the bound says, and never longer than it took.
    fn within(&self, time: i64, bound: i64) -> i64 {
        time.max(bound).min(self.elapsed)
    }

    /// One after the other, what gains most first, until there is one that was not replayed.
    fn ladder(
        &self,
        causes: &Causes,
        without: &[Option<Without>],
        alone: &[Option<i64>],
    ) -> Option<Vec<(usize, Option<i64>)>> {
        let mut order: Vec<usize> = (0..without.len()).collect();
        order.sort_by_key(|&at| {
            let finding = &causes.findings[at];
            (
                finding.behind,
                std::cmp::Reverse(self.weight(finding, alone[at])),
                std::cmp::Reverse(finding.cost),
            )
        });
        let mut ladder: Vec<(usize, Option<i64>)> = Vec::with_capacity(order.len());
        let (mut all, mut least, mut before) = (Without::default(), self.elapsed, Some(self.elapsed));
        for at in order {
            let finding = &causes.findings[at];
            least = least.saturating_sub(self.elapsed - finding.without).max(0);
            before = match (&without[at], before) {
                (Some(without), Some(before)) => {
                    if ladder.is_empty() {
                        all = without.clone();
                    } else {
                        all.and(without);
                    }
                    let floor = least.max(causes.account.work / causes.workers.max(1));
                    let time = match ladder.is_empty() {
                        true => alone[at]?,
                        false => self.within(self.replay(&all)?, floor),
                    };
                    Some(time.min(before))
                }
                _ => None,
            };
            ladder.push((at, before));
        }
        Some(ladder)
    }

    /// By how much a finding is worse than others: what all workers gain where that is known, else what they lost.
    fn weight(&self, finding: &Finding, replayed: Option<i64>) -> i64 {
        replayed.map_or(finding.cost, |time| (self.elapsed - time).saturating_mul(self.workers.into()))
    }
}

/// What a run without a cause would be.
struct Remedies<'a> {
    tasks: &'a Tasks,
    whatif: &'a WhatIf<'a>,
    roles: Roles,
    judged: Judged,
    /// Intervals of code that runs alone, and what each is to blame for.
    serial: Vec<(u32, i64)>,
    sites: Sites,
    workers: i64,
}

impl<'a> Remedies<'a> {
    fn of(tasks: &'a Tasks, baseline: Option<&Tasks>, whatif: &'a WhatIf<'a>) -> Self {
        let mut roles = Roles::of(tasks);
        let blame = Blame::of(tasks, &mut roles);
        let judged = judge(tasks, &roles, &blame, baseline.filter(|baseline| baseline.is_sound()));
        let workers = blame.workers.max(1);
        Remedies { tasks, whatif, roles, judged, serial: blame.serial, sites: Sites::new(tasks), workers }
    }

    /// What is different without a finding; nothing where no replay can show it.
    fn of_finding(&self, finding: &Finding) -> Option<Without> {
        let line = finding.source.unwrap_or(NO_SITE);
        let mut without = Without::nothing(self.tasks);
        match finding.cause {
            Cause::SerialPart => self.share_out(&mut without, line),
            Cause::SerialSpawn => self.hand_on(&mut without, line),
            Cause::Imbalance => self.even(&mut without, line)?,
            Cause::Lock => self.no_waiting(&mut without, line),
            Cause::SmallTasks => self.fewer(&mut without, line)?,
            Cause::DependenceChain => self.no_dependences(&mut without, line),
            Cause::WorkInflation => self.no_growth(&mut without, line),
            _ => return None,
        }
        (!without.is_nothing()).then_some(without)
    }

    fn length(&self, node: usize) -> i64 {
        self.tasks.ends()[node].saturating_sub(self.tasks.starts()[node]).max(0)
    }

    /// Whether what an interval is to blame for is charged to this.
    fn is_charged(&self, node: usize, cause: Cause, line: u32) -> bool {
        let group = self.roles.run.get(node).map_or(usize::MAX, |&group| group as usize);
        let loss = self.judged.of_group.get(group).copied().flatten();
        loss.and_then(|loss| self.judged.losses.get(loss))
            .is_some_and(|loss| (loss.cause, loss.line) == (cause, line))
    }

    /// The intervals that a loss is charged to.
    fn charged(&self, cause: Cause, line: u32) -> impl Iterator<Item = usize> + '_ {
        (0..self.roles.run.len()).filter(move |&node| self.is_charged(node, cause, line))
    }

    /// Code that runs alone: all workers have an equal part of it. While others worked beside it, there was nobody to take a
    /// part, so it gets shorter by what free workers could have done, and no more.
    fn share_out(&self, without: &mut Without, line: u32) {
        for &(node, cost) in &self.serial {
            let node = node as usize;
            if self.is_charged(node, Cause::SerialPart, line) {
                let length = self.length(node);
                without.less[node] = (cost / self.workers).min(length - length / self.workers);
            }
        }
    }

    /// What one task does before it creates each of the others, each of those does itself.
    fn hand_on(&self, without: &mut Without, line: u32) {
        for create in self.charged(Cause::SerialSpawn, line) {
            let first = NodeId(create as u32 + 1);
            if first.index() < without.less.len() && self.tasks.kind(first) == Kind::Task {
                let first = self.tasks.dag().first_block(first).index();
                without.less[create] = self.length(create);
                without.less[first] -= self.length(create);
            }
        }
    }

    /// Members of a team, or tasks of a section, have equal work. Where there are fewer tasks than workers, that does not
    /// help: they would have to be split, and no replay knows how.
    fn even(&self, without: &mut Without, line: u32) -> Option<()> {
        let mut by_section: HashMap<NodeId, HashMap<NodeId, Vec<usize>>> = HashMap::new();
        for node in self.charged(Cause::Imbalance, line) {
            let Some(task) = part_of(self.tasks, node as u32) else { continue };
            let Some(section) = self.tasks.tree().parent(task) else { continue };
            by_section.entry(section).or_default().entry(task).or_default().push(node);
        }
        for (section, mut members) in by_section {
            if members.keys().any(|&task| self.tasks.is_lane(task)) {
                // A member that does nothing gets its share too: at the end of what it has.
                for (lane, _) in works(self.tasks, section) {
                    let last = self.tasks.dag().last_block(lane).index();
                    members.entry(lane).or_insert_with(|| vec![last]);
                }
            } else if (members.len() as i64) < self.workers {
                return None;
            }
            self.even_out(without, &members);
        }
        Some(())
    }

    fn even_out(&self, without: &mut Without, members: &HashMap<NodeId, Vec<usize>>) {
        let sum = |nodes: &[usize]| nodes.iter().map(|&node| self.length(node)).fold(0, i64::saturating_add);
        let all = members.values().map(|nodes| sum(nodes)).fold(0, i64::saturating_add);
        let mean = all / members.len().max(1) as i64;
        for nodes in members.values() {
            let own = sum(nodes);
            // The first one that has something to do is longer or shorter by all of the difference, as far as that goes.
            let mut more = mean - own;
            for &node in nodes {
                let change = more.max(-self.length(node));
                without.less[node] = -change;
                more -= change;
            }
        }
    }

    /// Nobody waits for the lock at this line.
    fn no_waiting(&self, without: &mut Without, line: u32) {
        let source = if line == NO_SITE { NO_SOURCE } else { line };
        for wait in self.tasks.lock_waits(0..self.tasks.tree().node_count()) {
            if let (true, Some(less)) = (wait.source == source, without.less.get_mut(wait.node as usize)) {
                *less = less.saturating_add(wait.got.saturating_sub(wait.asked).max(0));
            }
        }
    }

    /// Tasks are created down to the cut-off that the finding proposes.
    fn fewer(&self, without: &mut Without, line: u32) -> Option<()> {
        let cutoff = self.judged.facts.cutoff(&self.roles, line, self.workers)?;
        let family = self.roles.depths.family(line);
        let made_at = |task: usize| made_at(self.tasks, &self.sites, task);
        let depends = self.tasks.depends();
        // A task that others wait for, or that waits for others, has to stay one.
        if depends
            .to
            .iter()
            .chain(depends.from)
            .any(|&task| family.binary_search(&made_at(task as usize)).is_ok())
        {
            return None;
        }
        match cutoff {
            Cutoff::Join { together, .. } => self.join(without, line, together as usize)?,
            Cutoff::Depth { depth, .. } => self.run_inline(without, &family, |_, at| at > depth),
            Cutoff::Size { least } => {
                self.run_inline(without, &family, |task, _| self.tasks.work(NodeId(task as u32)) < least);
            }
        }
        Some(())
    }

    /// Tasks of these lines that are chosen, by themselves and their depth, run in the one that would create them.
    fn run_inline(&self, without: &mut Without, family: &[u32], chosen: impl Fn(usize, u32) -> bool) {
        // Where the tasks around what is looked at end.
        let mut around: Vec<usize> = Vec::new();
        for task in 1..self.tasks.tree().node_count() {
            if !task_node(self.tasks, task) {
                continue;
            }
            while around.pop_if(|end| *end <= task).is_some() {}
            around.push(self.tasks.tree().range(NodeId(task as u32)).end);
            let line = made_at(self.tasks, &self.sites, task);
            if family.binary_search(&line).is_ok() && chosen(task, around.len() as u32) {
                without.inline.push(task as u32);
                self.spare(without, task, line);
            }
        }
    }

    /// What creating a task takes off its creator, and waiting for it.
    fn spare(&self, without: &mut Without, task: usize, line: u32) {
        for (node, less) in self.whatif.overhead_of(task) {
            without.less[node] = without.less[node].saturating_add(less);
        }
        let create = NodeId(task as u32 - 1);
        let before = self.tasks.tree().previous_sibling(create);
        if before.is_some_and(|before| self.tasks.kind(before) == Kind::Task) {
            let within = self.judged.facts.cost_within(line).min(self.length(create.index()));
            without.less[create.index()] = without.less[create.index()].saturating_add(within);
        }
    }

    /// So many tasks of a line in a row are one: the first does what the others would do.
    fn join(&self, without: &mut Without, line: u32, together: usize) -> Option<()> {
        let tree = self.tasks.tree();
        // By section: how many the last one has, and its last interval.
        let mut last: HashMap<u32, (usize, usize)> = HashMap::new();
        for task in (1..tree.node_count()).filter(|&task| task_node(self.tasks, task)) {
            let range = tree.range(NodeId(task as u32));
            if made_at(self.tasks, &self.sites, task) != line {
                continue;
            }
            if self.tasks.count(range.clone(), Kind::Fork) > 0 {
                // It has workers of its own.
                return None;
            }
            let section = tree.parents()[task];
            match last.get_mut(&section).filter(|(count, _)| *count < together) {
                None => drop(last.insert(section, (1, range.end - 1))),
                Some((count, first)) => {
                    *count += 1;
                    let first = *first;
                    for node in range.filter(|&node| tree.is_leaf(NodeId(node as u32))) {
                        let length = self.length(node);
                        without.less[node] = without.less[node].saturating_add(length);
                        without.less[first] = without.less[first].saturating_sub(length);
                    }
                    self.spare(without, task, line);
                }
            }
        }
        Some(())
    }

    /// Tasks of this line wait for no other.
    fn no_dependences(&self, without: &mut Without, line: u32) {
        let depends = self.tasks.depends();
        let mut free = depends.to.to_vec();
        free.dedup();
        let is_of_line = |&task: &u32| made_at(self.tasks, &self.sites, task as usize) == line;
        without.free = free.into_iter().filter(is_of_line).collect();
    }

    /// Intervals of this line take what they took with one worker.
    fn no_growth(&self, without: &mut Without, line: u32) {
        let Some(grown) = self.judged.facts.grown.iter().find(|grown| grown.line == line) else { return };
        let share = 1.0 - 1.0 / grown.ratio().max(1.0);
        for node in 0..without.less.len() {
            if self.tasks.own_work(node) > 0 && self.sites.from(self.tasks.site(NodeId(node as u32))) == line
            {
                without.less[node] = (self.length(node) as f64 * share) as i64;
            }
        }
    }
}

/// A task that the program created.
fn task_node(tasks: &Tasks, node: usize) -> bool {
    let node = NodeId(node as u32);
    tasks.kind(node) == Kind::Task && !tasks.is_lane(node)
}
