//! How many tasks there are at each depth of creation, and where to stop creating them: the deepest level down to which all
//! tasks together cost little of their work, or, where tasks create none themselves, how many to join in one.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// A cut-off is good when tasks cost at most this part of the work: one in so many.
pub const GOOD: i64 = 20;
/// So many tasks for each worker are enough to keep all busy.
const FEED: u64 = 4;
/// Levels that are told apart; what lies deeper counts to the last. No program has a cut-off that deep.
const LEVELS: usize = 64;

/// The tasks at one depth of creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level {
    pub tasks: u64,
    /// Their work, with that of all tasks created below them.
    pub work: i64,
}

/// Tasks by the line that creates them and by depth: a task that no other task created has depth 1.
#[derive(Debug, Default)]
pub struct Depths {
    by_line: HashMap<u32, Vec<Level>>,
    /// Lines of which one creates tasks in tasks of the other.
    nested: HashSet<(u32, u32)>,
    /// Whether some of them were folded by the recorder: what they created is not known.
    pub is_folded: bool,
}

impl Depths {
    pub fn new() -> Self {
        Depths { by_line: HashMap::new(), nested: HashSet::new(), is_folded: false }
    }

    /// A task, the line of the task that created it, its depth, and the work of its subtree.
    #[inline]
    pub fn add(&mut self, line: u32, around: Option<u32>, depth: u32, work: i64) {
        let levels = self.by_line.entry(line).or_default();
        let at = (depth as usize).clamp(1, LEVELS) - 1;
        if levels.len() <= at {
            levels.resize(at + 1, Level::default());
        }
        levels[at].tasks += 1;
        levels[at].work = levels[at].work.saturating_add(work);
        if let Some(around) = around.filter(|&around| around != line) {
            self.nested.insert((line, around));
        }
    }

    /// A line and all lines whose tasks are in its tasks or around them, ascending.
    pub fn family(&self, line: u32) -> Vec<u32> {
        let mut family = vec![line];
        let mut at = 0;
        while let Some(&one) = family.get(at) {
            for &(a, b) in &self.nested {
                for (from, to) in [(a, b), (b, a)] {
                    if from == one && !family.contains(&to) {
                        family.push(to);
                    }
                }
            }
            at += 1;
        }
        family.sort_unstable();
        family
    }

    /// The levels of some lines together.
    fn levels(&self, lines: &[u32]) -> Vec<Level> {
        let mut all: Vec<Level> = Vec::new();
        for levels in lines.iter().filter_map(|line| self.by_line.get(line)) {
            all.resize(all.len().max(levels.len()), Level::default());
            for (sum, level) in all.iter_mut().zip(levels) {
                sum.tasks += level.tasks;
                sum.work = sum.work.saturating_add(level.work);
            }
        }
        all
    }

    /// Where to stop creating tasks of a line and of those that nest with it. What each costs, as a rule, is told by line, and
    /// the share of its time in which a task had a processor; none where that is not known, or what folded tasks created is not.
    pub fn cutoff(&self, line: u32, cost: impl Fn(u32) -> i64, (workers, on): (i64, f64)) -> Option<Cutoff> {
        let family = self.family(line);
        let levels = self.levels(&family);
        let of_line = |line: &u32| {
            let levels = self.by_line.get(line).map_or(&[][..], Vec::as_slice);
            cost(*line) as f64 * levels.iter().map(|level| level.tasks).sum::<u64>() as f64
        };
        let tasks: u64 = levels.iter().map(|level| level.tasks).sum();
        let each = family.iter().map(of_line).sum::<f64>() / tasks.max(1) as f64;
        let work = on * levels.first().map_or(0, |level| level.work) as f64;
        if self.is_folded || each <= 0.0 || work <= 0.0 {
            return None;
        }
        let enough = FEED * workers.max(1) as u64;
        if let [_] = levels[..] {
            let good = (GOOD as f64 * each * tasks as f64 / work).ceil() as u64;
            let together = good.min(tasks / enough).max(2);
            let kept = tasks.div_ceil(together);
            return Some(Cutoff::Join { together, kept, tasks, each: (work / kept as f64) as i64 });
        }
        let mut kept = 0;
        let mut deepest = Cutoff::Size { least: (GOOD as f64 * each) as i64 };
        for (depth, level) in (1..).zip(&levels[..levels.len() - 1]) {
            kept += level.tasks;
            if level.tasks >= enough && GOOD as f64 * kept as f64 * each <= work {
                let each = (on * level.work as f64 / level.tasks as f64) as i64;
                deepest = Cutoff::Depth { depth, kept, tasks, each, is_one_line: family.len() == 1 };
            }
        }
        Some(deepest)
    }
}

/// Where to stop creating tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cutoff {
    /// Tasks below this depth run in the one that would create them: so many are left of all, and each at this depth has so
    /// much work, with that below. Whether one line creates all of them.
    Depth { depth: u32, kept: u64, tasks: u64, each: i64, is_one_line: bool },
    /// Tasks with less work than that, all below them included, run in the one that would create them.
    Size { least: i64 },
    /// So many tasks in a row are one: so many are left of all, and each has so much work.
    Join { together: u64, kept: u64, tasks: u64, each: i64 },
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two lines that create in tasks of one another, one alone: families, and what each level has.
    #[test]
    fn lines_that_nest_are_one_family() {
        let mut depths = Depths::new();
        depths.add(7, None, 1, 1000);
        depths.add(8, Some(7), 2, 400);
        depths.add(7, Some(8), 3, 100);
        depths.add(9, None, 1, 50);
        assert_eq!((depths.family(7), depths.family(8), depths.family(9)), (vec![7, 8], vec![7, 8], vec![9]));
        let level = |tasks, work| Level { tasks, work };
        assert_eq!(depths.levels(&[7, 8]), [level(1, 1000), level(1, 400), level(1, 100)]);
    }

    /// A binary tree of ten levels whose 512 last tasks work 100 each; a task costs 10. All work is 51 200: one in twenty of
    /// that is 256 tasks, and down to depth 8 there are 255.
    #[test]
    fn the_deepest_level_at_which_tasks_cost_little() {
        let mut depths = Depths::new();
        for depth in 1..=10 {
            for _ in 0..1 << (depth - 1) {
                depths.add(7, (depth > 1).then_some(7), depth, 51_200 >> (depth - 1));
            }
        }
        let deepest =
            |depth, kept, each| Some(Cutoff::Depth { depth, kept, tasks: 1023, each, is_one_line: true });
        assert_eq!(depths.cutoff(7, |_| 10, (4, 1.0)), deepest(8, 255, 400));
        // Half of the time is that of others.
        assert_eq!(depths.cutoff(7, |_| 10, (4, 0.5)), deepest(7, 127, 400));
        // Forty workers need more than 128 tasks, and more than that cost too much: by size.
        assert_eq!(depths.cutoff(7, |_| 10, (40, 1.0)), Some(Cutoff::Size { least: 200 }));
        depths.is_folded = true;
        assert_eq!(depths.cutoff(7, |_| 10, (4, 1.0)), None);
    }

    /// Tasks of 10 that cost 10: twenty together, unless that leaves too few.
    #[test]
    fn tasks_that_create_none_are_joined() {
        let mut depths = Depths::new();
        (0..1000).for_each(|_| depths.add(7, None, 1, 10));
        let join = |together, kept, each| Some(Cutoff::Join { together, kept, tasks: 1000, each });
        assert_eq!(depths.cutoff(7, |_| 10, (2, 1.0)), join(20, 50, 200));
        assert_eq!(depths.cutoff(7, |_| 10, (25, 1.0)), join(10, 100, 100));
    }
}
