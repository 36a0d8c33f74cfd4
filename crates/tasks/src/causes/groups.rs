//! Intervals that play the same part at the same line, and what is known of them together.

use crosscut_run::NO_SITE;
use foldhash::{HashMap, HashMapExt};

/// The part that an interval plays while others have nothing to run, or while it waits itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Code of a task, a member or the program that creates others before or after it.
    Serial,
    /// Creates one task of many.
    Spawn,
    /// A member of a team that shares work with the others.
    Lane,
    /// A task that its creator waits for at once: `other` is the line of the wait.
    Narrow,
    /// A task that others wait for, or that had to wait for others.
    Depend,
    /// Any other task.
    Task,
    /// Starting a task, going on after creating it, or after waiting for it.
    HandTask,
    /// Starting a member of a team, or going on after the team.
    HandTeam,
    /// Getting the next chunk of a loop.
    HandChunk,
    /// Going on after something else.
    HandOther,
    /// Whatever had no processor.
    Off,
}

/// What makes intervals alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub role: Role,
    /// The construct, by number of its source.
    pub line: u32,
    /// The line of the wait, where the role has one.
    pub other: u32,
}

/// The number of a group.
pub type Group = u32;
/// No group: a node that holds others.
pub const NOBODY: Group = u32::MAX;

/// What is known of all intervals of a group.
#[derive(Clone, Debug)]
pub struct Known {
    pub key: Key,
    /// Time of free workers that it is to blame for.
    pub cost: i64,
    /// The interval that is to blame for most, with how much.
    pub worst: (i64, u32),
    /// Intervals that are to blame for anything.
    pub blamed: u64,
    /// Their time.
    pub time: i64,
    /// Of narrow sections: how many, and in how many tasks.
    pub sections: u64,
    pub frames: u64,
    last_frame: u32,
    /// And how many of them are one task that is waited for at once.
    pub bare: u64,
}

/// Lengths of the tasks or chunks of one line, by powers of two.
#[derive(Clone, Debug)]
pub struct Lengths {
    pub count: u64,
    pub sum: i64,
    pub longest: i64,
    bins: [u64; 64],
    sums: [i64; 64],
}

impl Default for Lengths {
    fn default() -> Self {
        Lengths { count: 0, sum: 0, longest: 0, bins: [0; 64], sums: [0; 64] }
    }
}

impl Lengths {
    #[inline]
    pub fn add(&mut self, length: i64) {
        self.add_many(length, 1);
    }

    /// So many that take so long together.
    pub fn add_many(&mut self, sum: i64, count: u64) {
        let (sum, count) = (sum.max(0), count.max(1));
        let length = sum / i64::try_from(count).unwrap_or(i64::MAX);
        let bin = 63 - (length as u64 | 1).leading_zeros() as usize;
        self.count = self.count.saturating_add(count);
        self.sum = self.sum.saturating_add(sum);
        self.longest = self.longest.max(length);
        self.bins[bin] = self.bins[bin].saturating_add(count);
        self.sums[bin] = self.sums[bin].saturating_add(sum);
    }

    /// The median, about: the mean of the power of two that it lies in.
    pub fn median(&self) -> i64 {
        self.part(2)
    }

    /// A quarter is not longer, about.
    pub fn quartile(&self) -> i64 {
        self.part(4)
    }

    /// The length that one of so many is not longer than.
    fn part(&self, of: u64) -> i64 {
        let mut seen = 0;
        for (count, sum) in self.bins.iter().zip(self.sums) {
            seen = count.saturating_add(seen);
            if seen >= self.count.div_ceil(of) && *count > 0 {
                return sum / i64::try_from(*count).unwrap_or(i64::MAX);
            }
        }
        0
    }

    /// How many of each power of two, without the empty ones at both ends.
    pub fn bins(&self) -> Vec<(i64, u64)> {
        let filled = |&(_, count): &(i64, u64)| count > 0;
        let mut bins: Vec<(i64, u64)> =
            self.bins.iter().enumerate().map(|(bin, &count)| (1i64 << bin.min(62), count)).collect();
        while bins.pop_if(|bin| !filled(bin)).is_some() {}
        let first = bins.iter().position(filled).unwrap_or(0);
        bins.split_off(first)
    }

    /// The share of those that are shorter than a length, about.
    pub fn below(&self, length: i64) -> f64 {
        let mut below = 0.0;
        for (bin, &count) in self.bins.iter().enumerate() {
            let (low, high) = (1i64 << bin.min(62), 1i64 << (bin + 1).min(62));
            let share = (length - low) as f64 / (high - low).max(1) as f64;
            below += count as f64 * share.clamp(0.0, 1.0);
        }
        below / self.count.max(1) as f64
    }
}

/// All groups of a run.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    pub known: Vec<Known>,
    by_key: HashMap<Key, Group>,
    /// The last one that was asked for: as a rule the next one too.
    last: Option<(Key, Group)>,
}

impl Groups {
    pub fn new() -> Self {
        Groups { known: Vec::new(), by_key: HashMap::new(), last: None }
    }

    /// The group of a part at a line.
    #[inline]
    pub fn of(&mut self, role: Role, line: u32) -> Group {
        self.with(Key { role, line, other: NO_SITE })
    }

    #[inline]
    pub fn with(&mut self, key: Key) -> Group {
        if let Some((last, group)) = self.last
            && last == key
        {
            return group;
        }
        let known = &mut self.known;
        let group = *self.by_key.entry(key).or_insert_with(|| {
            known.push(Known {
                key,
                cost: 0,
                worst: (0, u32::MAX),
                blamed: 0,
                time: 0,
                sections: 0,
                frames: 0,
                last_frame: u32::MAX,
                bare: 0,
            });
            known.len() as Group - 1
        });
        self.last = Some((key, group));
        group
    }

    /// A narrow section of a task; a bare one is a single task that is waited for at once.
    pub fn section(&mut self, group: Group, frame: u32, is_bare: bool) {
        if let Some(known) = self.known.get_mut(group as usize) {
            known.sections += 1;
            known.bare += u64::from(is_bare);
            known.frames += u64::from(known.last_frame != frame);
            known.last_frame = frame;
        }
    }

    /// An interval is to blame.
    #[inline]
    pub fn blame(&mut self, group: Group, node: u32, cost: i64, time: i64) {
        if cost > 0
            && let Some(known) = self.known.get_mut(group as usize)
        {
            known.cost = known.cost.saturating_add(cost);
            known.blamed += 1;
            known.time = known.time.saturating_add(time);
            if cost > known.worst.0 {
                known.worst = (cost, node);
            }
        }
    }

    /// The group of a part at a line, if there is one.
    pub fn find(&self, role: Role, line: u32) -> Option<&Known> {
        let group = *self.by_key.get(&Key { role, line, other: NO_SITE })?;
        self.known.get(group as usize)
    }

    /// The part that a group plays.
    pub fn role(&self, group: Group) -> Option<Role> {
        self.known.get(group as usize).map(|known| known.key.role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_lengths_is_near() {
        let mut lengths = Lengths::default();
        (1..=1000).for_each(|length| lengths.add(length));
        assert!((256..=512).contains(&lengths.median()), "{}", lengths.median());
        assert!((128..=256).contains(&lengths.quartile()), "{}", lengths.quartile());
        assert!((lengths.below(512) - 0.511).abs() < 0.01, "{}", lengths.below(512));
        let bins = lengths.bins();
        assert_eq!((bins[0], bins[9], bins.len()), ((1, 1), (512, 489), 10));
        assert_eq!((lengths.count, lengths.sum, lengths.longest), (1000, 500_500, 1000));
    }
}
