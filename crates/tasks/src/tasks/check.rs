//! Whether the columns of a task tree are what [`crate::finish`] would have written: the structure, not only the bytes. One
//! pass over each column; what is looked up beside it is bounds-checked, so that the check itself stands any column.

use crosscut_run::{NO_SITE, SEVERAL};
use crosscut_tree::{BLOCK, NodeId};
use rayon::prelude::*;

use super::Tasks;
use crate::complete::check_depends;
use crate::error::TasksError;
use crate::order::{REACH, Rows};
use crate::pass::{COLLAPSED, broken};
use crate::schema::{Depend, Edge, Kind, Mark};
use crate::sums::mix_block;
use crate::timeline::NONE;

/// Nodes that one thread looks at in a stretch.
const STRETCH: usize = 1 << 16;

fn fails(what: impl Into<String>) -> TasksError {
    TasksError::Broken(what.into())
}

fn ensure(holds: bool, what: &str) -> Result<(), TasksError> {
    if holds { Ok(()) } else { Err(fails(what)) }
}

impl Tasks {
    /// Checks the structure: lengths nest and parents come before children, times lie within those of the parent, the order
    /// in time is a permutation of the blocks, indexes and sums say what the nodes say, and totals agree with the facts of
    /// the manifest. Looks at every value, once; the first thing that is wrong is named.
    ///
    /// What goes through all nodes anyway asks for this first, and needs no care of its own. What looks at a few nodes of a
    /// run that was not checked takes every value as it comes.
    pub fn check(&self) -> Result<(), TasksError> {
        let checked = self.checked.get_or_init(|| self.check_now().map_err(|error| error.to_string()));
        checked.clone().map_err(TasksError::Checked)
    }

    /// Whether the structure is sound.
    pub fn is_sound(&self) -> bool {
        self.check().is_ok()
    }

    fn check_now(&self) -> Result<(), TasksError> {
        self.tree().check()?;
        self.check_nodes()?;
        self.check_lists()?;
        self.check_order()?;
        self.check_sums()?;
        self.check_grids()?;
        self.check_totals()
    }

    /// Each node by itself, and against its parent.
    fn check_nodes(&self) -> Result<(), TasksError> {
        let n = self.len.len();
        let found = (0..n).into_par_iter().with_min_len(STRETCH).find_map_first(|i| self.wrong_node(i));
        match found {
            Some(what) => Err(what),
            None => {
                ensure(self.end[0] == self.summary.elapsed, "the facts tell another time of the last end")
            }
        }
    }

    fn wrong_node(&self, i: usize) -> Option<TasksError> {
        let wrong = |what: &str| Some(broken(i, what));
        let (mark, place, site) = (Mark(self.mark[i]), self.place.at(i), self.site[i]);
        let (start, end, span) = (self.start[i], self.end[i], self.span[i]);
        let parent = self.parent[i] as usize;
        if usize::from(mark.0 >> 3 & 7) >= Edge::ALL.len() {
            return wrong("was made ready by an edge of no kind");
        }
        let is_inner = self.len[i] > 1;
        if is_inner && !mark.kind().is_collective() {
            return wrong("is an interval, but has children");
        }
        if mark.is_collapsed() && (is_inner || !mark.kind().is_collective()) {
            return wrong(COLLAPSED);
        }
        if place != SEVERAL && place as usize >= self.places.len() {
            return wrong("ran at a place that is not in the list");
        }
        if site != NO_SITE && site as usize >= self.sources.site_count() {
            return wrong("has a site that is not in the list");
        }
        if start < 0 || end < start {
            return wrong("ends before it starts, or starts before the run");
        }
        if self.start.get(parent).is_none_or(|&s| s > start) || self.end.get(parent).is_none_or(|&e| e < end)
        {
            return wrong("is not within the time of its parent");
        }
        if span < 0 || self.tail.as_ref().is_some_and(|tail| tail[i] < 0) {
            return wrong("has a critical path of negative length");
        }
        None
    }

    /// The lists of what only few nodes have.
    fn check_lists(&self) -> Result<(), TasksError> {
        let n = self.len.len();
        let is_list = |list: &[u32]| {
            list.is_sorted_by(|a, b| a < b) && list.last().is_none_or(|&last| (last as usize) < n)
        };
        ensure(is_list(&self.collapsed_node), "collapsed nodes are not in order, or not among the nodes")?;
        ensure(is_list(&self.chunk_node), "chunks are not in order, or not among the nodes")?;
        let marked = self.mark.par_iter().filter(|&&mark| Mark(mark).is_collapsed()).count();
        let is_marked = |&node: &u32| Mark(self.mark[node as usize]).is_collapsed();
        let all_are_marked = self.collapsed_node.iter().all(is_marked);
        ensure(
            marked == self.collapsed_node.len() && all_are_marked,
            "nodes are marked as collapsed or listed so, but not both",
        )?;
        for &node in self.collapsed_node.iter() {
            self.check_collapsed(node)?;
        }
        let links = self.depend_to.iter().zip(self.depend_from.iter());
        let depends: Vec<Depend> = links.map(|(&to, &from)| Depend { to, from }).collect();
        let frames = check_depends((&self.len, &self.parent, &self.mark), &depends)?;
        ensure(
            frames == self.depend_frame[..],
            "the list of tasks with dependences is not that of their tasks",
        )?;
        self.beside.check(n)
    }

    /// What the recorder kept of a node is not below zero, and no more than its workers had time for.
    fn check_collapsed(&self, node: u32) -> Result<(), TasksError> {
        let Some(inside) = self.collapsed(NodeId(node)) else {
            return Err(broken(node as usize, "is collapsed, but nothing was kept of it"));
        };
        let counts = inside.nodes.iter().chain(&inside.edges).chain(&inside.ready);
        let workers = self.workers().max(1) as i128;
        let is_more = i128::from(inside.work) > i128::from(self.elapsed(NodeId(node))) * workers;
        if is_more || inside.work < 0 || counts.into_iter().any(|&count| count < 0) {
            return Err(broken(node as usize, "cannot have done what was kept of its inside"));
        }
        Ok(())
    }

    /// The order in time: all blocks, each once, by row, then start, then end.
    fn check_order(&self) -> Result<(), TasksError> {
        let is_block = |&mark: &u8| Mark(mark).is_collapsed() || !Mark(mark).kind().is_collective();
        let blocks = self.mark.par_iter().filter(|mark| is_block(mark)).count();
        let listed =
            self.order.par_iter().filter(|&&node| self.mark.get(node as usize).is_some_and(is_block));
        ensure(blocks == listed.count(), "the order in time does not list every interval once")?;
        let rows = Rows::new(&self.places);
        let key = |node: u32| -> Option<(i64, i64, u32)> {
            let i = node as usize;
            // A section or a task in which nothing was recorded may stand for itself.
            (*self.len.get(i)? == 1).then_some((self.start[i], self.end[i], node))
        };
        for row in 0..=self.workers() {
            let mut last = None;
            for &node in self.blocks().row(row) {
                let here = key(node).filter(|_| rows.of(self.place.at(node as usize)) == row);
                // Ascending without equals: none stands twice.
                if here.is_none() || here <= last {
                    return Err(fails(format!(
                        "the order in time is no permutation: row {row}, node {node}"
                    )));
                }
                last = here;
            }
        }
        let end = |&node: &u32| self.end.get(node as usize).copied().unwrap_or(0);
        let reach = self.order.chunks(REACH).map(|stretch| stretch.iter().map(end).max().unwrap_or(0));
        ensure(
            reach.eq(self.reach.iter().copied()),
            "the largest ends in the order are not those of its nodes",
        )
    }

    /// Cumulative sums against the nodes that they sum up.
    fn check_sums(&self) -> Result<(), TasksError> {
        let n = self.len.len();
        self.check_column(&self.sum_work, n, |i| self.own_work(i), "work")?;
        for (kind, sums) in Kind::LEAVES.into_iter().zip(&self.sum_counts) {
            self.check_column(sums, n, |i| self.own_count(i, kind), kind.word())?;
        }
        for counter in &self.counters {
            self.check_column(&counter.sum, n, |i| counter.value[i], &counter.name)?;
        }
        self.check_mix()
    }

    fn check_column(
        &self,
        sums: &[i64],
        n: usize,
        value: impl Fn(usize) -> i64 + Sync,
        what: &str,
    ) -> Result<(), TasksError> {
        let differs = |block: usize| {
            let nodes = block * BLOCK..((block + 1) * BLOCK).min(n);
            let own = nodes.fold(0i64, |sum, i| sum.wrapping_add(value(i)));
            sums[block].wrapping_add(own) != sums[block + 1]
        };
        let blocks = n.div_ceil(BLOCK);
        let holds = sums.len() == blocks + 1
            && sums[0] == 0
            && !(0..blocks).into_par_iter().with_min_len(STRETCH / BLOCK).any(differs);
        ensure(holds, &format!("the sums of {what} are not those of the nodes"))
    }

    fn check_mix(&self) -> Result<(), TasksError> {
        let (n, rows) = (self.len.len(), self.workers() + 1);
        let block = mix_block(rows);
        let mut total = vec![0i64; rows];
        let of = Rows::new(&self.places);
        for (number, nodes) in (0..=n / block).map(|b| (b, b * block..((b + 1) * block).min(n))) {
            ensure(
                self.mix[number * rows..][..rows] == total[..],
                "the work by worker is not that of the nodes",
            )?;
            for i in nodes {
                let row = of.of(self.place.at(i)).min(rows - 1);
                total[row] = total[row].wrapping_add(self.own_work(i));
            }
        }
        ensure(
            total[..rows - 1] == self.summary.busy[..],
            "the facts tell other work by worker than the nodes",
        )
    }

    /// What is known by time: each level adds up to the one below, and the finest to the work.
    fn check_grids(&self) -> Result<(), TasksError> {
        let n = self.len.len();
        let is_node = |&node: &u32| node == NONE || (node as usize) < n;
        ensure(
            self.cell_top.par_iter().all(is_node),
            "a cell of the timeline shows a node that is not there",
        )?;
        let adds_up = |column: &[i64], grid: crate::summary::Grid| {
            (1..grid.levels).all(|level| {
                let (fine, coarse) = (grid.count(level - 1), grid.count(level));
                let below = column[grid.offset(level - 1)..].chunks(fine.max(1)).take(grid.rows as usize);
                let above = column[grid.offset(level)..].chunks(coarse.max(1)).take(grid.rows as usize);
                below.zip(above).all(|(below, above)| {
                    let sums =
                        below.chunks(2).map(|pair| pair.iter().fold(0i64, |sum, &v| sum.wrapping_add(v)));
                    sums.eq(above.iter().copied())
                })
            })
        };
        let s = &self.summary;
        ensure(adds_up(&self.cell_busy, s.cells), "the levels of the timeline do not add up")?;
        ensure(adds_up(&self.bins, s.bins), "the levels of the profile do not add up")?;
        let top = |column: &[i64], grid: crate::summary::Grid| {
            column[grid.offset(grid.levels - 1)..]
                .iter()
                .take(grid.rows as usize)
                .copied()
                .collect::<Vec<i64>>()
        };
        let busy = top(&self.cell_busy, s.cells);
        ensure(busy.iter().zip(&s.busy).all(|(a, b)| a == b), "the timeline has other work than the nodes")?;
        let bins = top(&self.bins, s.bins);
        // Rates of collapsed nodes are rounded, each by itself, and sums of times beyond all reason more: to a millionth.
        let rounded = 1 + self.collapsed_node.len() as u64;
        let near = |a: i64, b: i64| a.abs_diff(b) <= rounded + (a.unsigned_abs().max(b.unsigned_abs()) >> 20);
        let is_near = bins.first().is_some_and(|&running| near(running, s.work))
            && bins.iter().skip(1).zip(s.ready).all(|(&a, b)| near(a, b));
        ensure(is_near, "the profile has other work or ready time than the facts")
    }

    /// The facts of the manifest against the nodes, and against what is possible.
    fn check_totals(&self) -> Result<(), TasksError> {
        let s = &self.summary;
        let n = self.len.len();
        let counts = self.counts(0..n);
        let creates = counts[Kind::Create as usize];
        ensure(
            counts == s.counts && s.tasks == creates && s.intervals == counts.iter().sum::<i64>(),
            "the facts count other intervals than the nodes",
        )?;
        ensure(s.work == self.work_of(0..n), "the facts tell other work than the nodes")?;
        ensure(
            s.span == self.critical_path(NodeId::ROOT),
            "the facts tell another critical path than the root",
        )?;
        let by_row = (0..self.workers()).map(|row| self.blocks().row(row).len() as i64);
        ensure(by_row.eq(s.intervals_by_worker.iter().copied()), "the facts tell other intervals by worker")?;
        // What was cut short may end in a section without anything in it.
        let differs = (s.depth as usize).abs_diff(self.tree().max_depth());
        ensure(differs <= 1, "the facts tell another depth than the tree has")?;
        let mut edges = [0i64; 5];
        for migration in &s.migrations {
            edges.iter_mut().zip(migration.counts).for_each(|(sum, count)| *sum = sum.wrapping_add(count));
        }
        ensure(edges == s.edges, "the facts count other edges than the migrations")?;
        let beside = |&node: &u32| {
            let work = self.collapsed(NodeId(node)).map_or(0, |inside| inside.work);
            work.saturating_sub(self.elapsed(NodeId(node))).max(0)
        };
        let beside = self.collapsed_node.iter().map(beside).fold(0, i64::saturating_add);
        s.check_possible(self.workers(), beside).map_err(fails)
    }
}
