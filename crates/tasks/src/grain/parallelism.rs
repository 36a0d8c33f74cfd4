//! Instantaneous parallelism: how many grains are in progress at each moment when every grain starts as early as the
//! graph allows, on as many workers as it takes. Of each grain: the least, the median and the most while it runs.

use crosscut_tree::NodeId;
use foldhash::HashMap;

use super::Grains;
use super::table::{BLOCK, Extremes, Packed, room, zeros};
use crate::tasks::Tasks;

/// With more grains than this, time is cut into equal cells, and a cell has the mean over it.
const EXACT: usize = 1 << 12;
/// That many cells.
const CELLS: usize = 1 << 14;
/// A median over several of these cells is that of so many moments, evenly spread.
const MOMENTS: usize = 7;

/// Grains in progress beside a grain, itself included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InProgress {
    /// The least.
    pub least: f64,
    /// The median over time.
    pub median: f64,
    /// The most.
    pub most: f64,
}

/// Grains in progress over time: a value for each cell, cells border on each other.
#[derive(Debug, Default)]
pub struct Cells {
    /// Where cells begin; empty when all are equally wide.
    starts: Vec<i64>,
    /// Logarithm of their width to base 2, if all are equally wide.
    shift: u32,
    value: Vec<f32>,
    /// Least and most over 2, 4, 8, … neighbours.
    levels: Vec<Vec<(f32, f32)>>,
}

impl Cells {
    /// Exactly, from the times of all grains.
    fn exact(times: impl Iterator<Item = (i64, i64)>) -> Self {
        let mut steps: Vec<(i64, i32)> =
            times.filter(|(from, to)| to > from).flat_map(|(from, to)| [(from, 1), (to, -1)]).collect();
        steps.sort_unstable();
        let (mut starts, mut value) = (Vec::new(), Vec::new());
        let mut running = 0;
        for step in steps.chunk_by(|a, b| a.0 == b.0) {
            running += step.iter().map(|(_, by)| by).sum::<i32>();
            starts.push(step[0].0);
            value.push(running as f32);
        }
        Cells { starts, shift: 0, levels: levels(&value), value }
    }

    /// As means over equal cells, from the running integral of what begins and ends in each.
    fn equal(length: i64, grain: i64, times: impl Iterator<Item = (i64, i64)>) -> Self {
        // A power of two: finding the cell of a moment is no division. As wide as a grain is fine enough.
        let width = ((length / CELLS as i64).max(grain / 2) as u64 + 1).next_power_of_two() as i64 * 2;
        let shift = width.trailing_zeros();
        let count = (length >> shift) as usize + 1;
        let mut part = vec![0i64; count];
        let mut whole = vec![0i64; count + 1];
        for (from, to) in times {
            let (first, last) = ((from >> shift) as usize, ((to - 1) >> shift) as usize);
            if first == last {
                part[first] += to - from;
            } else {
                part[first] += (first as i64 + 1) * width - from;
                part[last] += to - last as i64 * width;
                whole[first + 1] += 1;
                whole[last] -= 1;
            }
        }
        let mut running = 0;
        let value: Vec<f32> = (0..count)
            .map(|i| {
                running += whole[i];
                let cell = width.min(length - i as i64 * width).max(1);
                (part[i] as f64 / cell as f64 + running as f64) as f32
            })
            .collect();
        Cells { starts: Vec::new(), shift, levels: levels(&value), value }
    }

    #[inline]
    fn cell(&self, time: i64) -> usize {
        let at = if self.starts.is_empty() {
            (time >> self.shift) as usize
        } else {
            self.starts.partition_point(|&start| start <= time).saturating_sub(1)
        };
        at.min(self.value.len().saturating_sub(1))
    }

    fn start(&self, cell: usize) -> i64 {
        self.starts.get(cell).copied().unwrap_or(i64::MAX)
    }

    /// The median over time; in equal cells that of some moments.
    #[inline]
    fn median(&self, from: i64, to: i64) -> f32 {
        if self.value.is_empty() {
            return f32::NAN;
        }
        let (first, last) = (self.cell(from), self.cell((to - 1).max(from)));
        if last - first < 2 && self.starts.is_empty() {
            self.value[first].min(self.value[last])
        } else {
            self.median_of(from, to, first, last)
        }
    }

    fn median_of(&self, from: i64, to: i64, first: usize, last: usize) -> f32 {
        if !self.starts.is_empty() {
            return self.exact_median(from, to, first, last);
        }
        // Asked for every grain of a large graph: some moments, in order by insertion.
        let moments = (last - first + 1).min(MOMENTS);
        let step = (to - from) as f64 / moments as f64;
        let mut values = [0.0; MOMENTS];
        for k in 0..moments {
            let value = self.value[self.cell(from + (step * (k as f64 + 0.5)) as i64)];
            let mut at = k;
            while at > 0 && values[at - 1] > value {
                values[at] = values[at - 1];
                at -= 1;
            }
            values[at] = value;
        }
        values[(moments - 1) / 2]
    }

    fn exact_median(&self, from: i64, to: i64, first: usize, last: usize) -> f32 {
        let overlap = |c: usize| self.start(c + 1).min(to) - self.start(c).max(from);
        let mut parts: Vec<(f32, i64)> = (first..=last).map(|c| (self.value[c], overlap(c))).collect();
        parts.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut seen = 0i128;
        let median = parts.iter().find(|part| {
            seen += i128::from(part.1);
            2 * seen >= i128::from(to) - i128::from(from)
        });
        median.map_or(f32::NAN, |part| part.0)
    }

    /// Least and most over time.
    fn reach(&self, from: i64, to: i64) -> (f32, f32) {
        if self.value.is_empty() {
            return (f32::NAN, f32::NAN);
        }
        let (mut first, mut last) = (self.cell(from), self.cell((to - 1).max(from)) + 1);
        let mut reach = (f32::NAN, f32::NAN);
        let mut add = |(low, high): (f32, f32)| reach = (reach.0.min(low), reach.1.max(high));
        // Up the levels like in a segment tree: at each, the ends that have no neighbour to pair with.
        let mut level = 0;
        while first < last {
            let at = |i: usize| match level {
                0 => (self.value[i], self.value[i]),
                _ => self.levels[level - 1][i],
            };
            if first % 2 == 1 {
                add(at(first));
                first += 1;
            }
            if last % 2 == 1 {
                last -= 1;
                add(at(last));
            }
            first /= 2;
            last /= 2;
            level += 1;
        }
        reach
    }
}

fn levels(value: &[f32]) -> Vec<Vec<(f32, f32)>> {
    let mut levels: Vec<Vec<(f32, f32)>> = Vec::new();
    let mut below: Vec<(f32, f32)> = value.iter().map(|&v| (v, v)).collect();
    while below.len() > 1 {
        // One at the end without a neighbour is met by itself on the way up.
        let above: Vec<(f32, f32)> =
            below.chunks_exact(2).map(|pair| (pair[0].0.min(pair[1].0), pair[0].1.max(pair[1].1))).collect();
        levels.push(above.clone());
        below = above;
    }
    levels
}

impl Grains {
    /// Fills in when groups can begin, the parallelism of all grains, and the worst of all metrics.
    pub(super) fn measure_parallelism(&mut self, tasks: &Tasks) {
        let starts = self.earliest(tasks);
        let work = &self.grains.work;
        let times = || starts.iter().zip(work).map(|(&from, &work)| (from, from.saturating_add(work)));
        self.cells = if work.len() <= EXACT {
            Cells::exact(times())
        } else {
            let length = self.critical_path(NodeId::ROOT).max(1);
            let grain = self.work(NodeId::ROOT) / work.len() as i64;
            Cells::equal(length, grain, times().filter(|(from, to)| to > from))
        };
        self.grains.parallelism = room(work.len());
        let [mut benefit, mut balance, mut scatter, mut parallelism] =
            [false, true, true, false].map(|largest| Extremes::new(work.len(), largest));
        // Block by block, while what is read of grains is near.
        for first in (0..starts.len()).step_by(BLOCK) {
            let block = first..(first + BLOCK).min(starts.len());
            let works = &self.grains.work[block.clone()];
            let medians = starts[block.clone()]
                .iter()
                .zip(works)
                .map(|(&from, &work)| self.cells.median(from, from.saturating_add(work)));
            self.grains.parallelism.extend(medians);
            benefit.push(block.clone().map(|g| self.grains.benefit(g)));
            balance.push(self.grains.beside[block.clone()].iter().map(|beside| beside.balance));
            scatter.push(self.grains.beside[block.clone()].iter().map(|beside| beside.scatter));
            parallelism.push(self.grains.parallelism[block].iter().copied());
        }
        self.worst = [benefit, balance, scatter, parallelism];
    }

    /// When each grain can start at the earliest, by its number; also notes from when on each group takes no more.
    fn earliest(&mut self, tasks: &Tasks) -> Vec<i64> {
        let (grains, groups) = (self.grains.work.len(), self.groups.len());
        // A grain and a group more than there are: both are written at every node, one of them for good.
        let (mut starts, mut now) = (zeros(grains + 1), zeros(groups + 1));
        let depends = tasks.has_depends();
        // Where tasks depend on each other: the join of each member so far, and when the member ends.
        let mut ends: HashMap<u32, (u32, i64)> = HashMap::default();
        let (mut grain, mut group) = (0, 0);
        for (i, (&slot, &parent)) in self.slot.iter().zip(&self.tree.parent).enumerate() {
            let is_group = slot.is_group();
            let length = if is_group { self.groups[group].path } else { self.grains.work[grain] };
            let above = self.slot[parent as usize];
            let mut start = 0;
            if i > 0 {
                let next = &mut now[above.number() as usize];
                start = *next;
                // In a linear group, one after the other.
                *next = start.saturating_add(if above.is_join() { 0 } else { length });
            }
            if depends && above.is_join() && i > 0 {
                let task = self.task(NodeId(i as u32));
                let ended = |from: &u32| ends.get(from).filter(|end| end.0 == parent).map(|end| end.1);
                start = tasks.depends_on(task).iter().filter_map(ended).fold(start, i64::max);
                ends.insert(task.0, (parent, start.saturating_add(length)));
            }
            // Whether a node is a grain or a group is nothing that a processor foresees.
            starts[grain] = start;
            grain += usize::from(!is_group);
            now[group] = if is_group { start } else { now[group] };
            group += usize::from(is_group);
        }
        starts.truncate(grains);
        now.truncate(groups);
        self.reached = now;
        starts
    }

    /// When a node can start at the earliest.
    pub fn earliest_start(&self, tasks: &Tasks, node: NodeId) -> i64 {
        let of_group = |node: NodeId, slot: Packed| {
            let reached = self.reached[slot.number() as usize];
            if slot.is_join() { reached } else { reached.saturating_sub(self.critical_path(node)) }
        };
        let Some(&slot) = self.slot.get(node.index()) else { return 0 };
        if slot.is_group() {
            return of_group(node, slot);
        }
        let Some(parent) = self.tree().parent(node) else { return 0 };
        let above = self.slot[parent.index()];
        // A grain in a linear group stands first in it.
        let later = if above.is_join() { self.start_in_join(tasks, parent, node) } else { 0 };
        of_group(parent, above).saturating_add(later)
    }

    /// When a member of a fork-join can start, from its fork on.
    fn start_in_join(&self, tasks: &Tasks, group: NodeId, member: NodeId) -> i64 {
        if !tasks.has_depends() {
            return 0;
        }
        let mut ends: HashMap<u32, i64> = HashMap::default();
        for at in self.tree().children(group) {
            let task = self.task(at);
            let ended = tasks.depends_on(task).iter().filter_map(|from| ends.get(from).copied());
            let start = ended.max().unwrap_or(0);
            if at == member {
                return start;
            }
            ends.insert(task.0, start.saturating_add(self.critical_path(at)));
        }
        0
    }

    /// Grains in progress while a grain runs.
    pub fn in_progress(&self, tasks: &Tasks, grain: NodeId) -> InProgress {
        let from = self.earliest_start(tasks, grain);
        let to = from.saturating_add(self.critical_path(grain));
        let (least, most) = self.cells.reach(from, to);
        let median = self.cells.median(from, to);
        InProgress { least: least.into(), median: median.into(), most: most.into() }
    }
}
