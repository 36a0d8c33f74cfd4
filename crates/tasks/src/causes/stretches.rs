//! Who lost time when: the gaps of each worker, given to the loss that costs most at that time.
//!
//! Gaps are exact; which loss one belongs to is decided by cell of time. Gaps of one worker that lie in one cell are put
//! together, so that a run of any length has a few thousand stretches, and their sum is the time that was lost.

use super::Finding;
use super::blame::{Blame, CELLS, Parts};
use super::groups::{NOBODY, Role};
use super::judge::Judged;
use super::roles::Roles;
use crate::tasks::Tasks;

/// No loss.
const NONE: usize = usize::MAX;

/// Adds stretches to findings, which come with the number of their loss.
pub fn add(tasks: &Tasks, roles: &Roles, blame: &Blame, judged: &Judged, findings: &mut [(usize, Finding)]) {
    let by_cell = most(tasks, roles, blame, judged);
    let mut slot = vec![NONE; judged.losses.len()];
    for (at, (loss, _)) in findings.iter().enumerate() {
        slot[*loss] = at;
    }
    // Threads that ran nothing, beside as many workers as there are, are none of them.
    let ran = |&worker: &usize| !tasks.blocks().row(worker).is_empty();
    let idle = (tasks.summary().workers as usize).saturating_sub((0..tasks.workers()).filter(ran).count());
    let others = (0..tasks.workers()).filter(|worker| !ran(worker)).take(idle);
    let mut workers: Vec<usize> = (0..tasks.workers()).filter(ran).chain(others).collect();
    workers.sort_unstable();
    for worker in workers {
        for (from, to) in gaps(tasks, worker) {
            split(blame.cell, from, to, |cell, from, to| {
                let loss = by_cell.get(cell).copied().unwrap_or(NONE);
                if let Some(&at) = slot.get(loss)
                    && let Some((_, finding)) = findings.get_mut(at)
                {
                    put(&mut finding.stretches, (worker as u32, from, to), blame.cell);
                }
            });
        }
    }
}

/// Cuts a gap at the borders of cells.
fn split(cell: i64, from: i64, to: i64, mut piece: impl FnMut(usize, i64, i64)) {
    let mut at = from;
    while at < to {
        let number = at / cell;
        let end = to.min((number + 1) * cell);
        piece(number as usize, at, end);
        at = end;
    }
}

/// Adds a stretch: to the one before where they touch, or where both lie in one cell.
fn put(stretches: &mut Vec<(u32, i64, i64)>, (worker, from, to): (u32, i64, i64), cell: i64) {
    if let Some(last) = stretches.last_mut()
        && last.0 == worker
        && (last.2 == from || (last.2 - 1) / cell == from / cell)
    {
        last.2 += to - from;
        return;
    }
    stretches.push((worker, from, to));
}

/// The gaps of a worker, in order.
fn gaps(tasks: &Tasks, worker: usize) -> impl Iterator<Item = (i64, i64)> + '_ {
    let (start, end) = (tasks.starts(), tasks.ends());
    let elapsed = tasks.summary().elapsed;
    let row = tasks.blocks().row(worker);
    let mut until = 0;
    let blocks = row.iter().map(move |&block| (start[block as usize], end[block as usize]));
    blocks.chain(std::iter::once((elapsed, elapsed))).filter_map(move |(start, end)| {
        let gap = (until, start.min(elapsed));
        until = until.max(end);
        (gap.0 < gap.1).then_some(gap)
    })
}

/// By cell of time: the loss that most of the time of free workers goes to.
fn most(tasks: &Tasks, roles: &Roles, blame: &Blame, judged: &Judged) -> Vec<usize> {
    let count = judged.losses.len();
    let mut weight = vec![0f64; CELLS * count];
    let mut add = |group: u32, from: i64, to: i64, part: fn(&Parts) -> f64| {
        let Some(Some(loss)) = judged.of_group.get(group as usize) else { return };
        split(blame.cell, from.max(0), to, |cell, from, to| {
            if let Some(parts) = blame.cells.get(cell) {
                weight[cell * count + loss] += part(parts) * (to - from) as f64;
            }
        });
    };
    let (start, end) = (tasks.starts(), tasks.ends());
    for node in 0..roles.run.len() {
        let group = roles.run[node];
        if group == NOBODY {
            continue;
        }
        match roles.groups.role(group) {
            Some(Role::Spawn) => add(group, start[node], end[node], |parts| parts.spawn),
            _ => add(group, start[node], end[node], |parts| parts.run),
        }
        if roles.ready[node] < start[node] {
            let part: fn(&Parts) -> f64 = match roles.is_idle(node as u32) {
                true => |parts| parts.idle_ready + parts.idle_held,
                false => |parts| parts.ready + parts.held,
            };
            add(roles.hand[node], roles.ready[node], start[node], part);
        }
    }
    let cells = weight.chunks(count.max(1)).take(if count == 0 { 0 } else { CELLS });
    cells.map(heaviest).collect()
}

fn heaviest(weights: &[f64]) -> usize {
    let most = weights.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
    most.filter(|(_, weight)| **weight > 0.0).map_or(NONE, |(at, _)| at)
}
