//! Merge sort: two halves are sorted beside each other, then merged by a recursion of their own, and then copied back by
//! one worker alone. That copy is the flaw that DAGViz's case study finds in the `sort` of the Barcelona suite.
//!
//! ```c
//! 12  void merge(block *a, block *b, long n) {
//! 13    if (n == 1) { merge_block(a, b); return; }
//! 14    #pragma omp task
//! 15    merge(a, b, n / 2);
//! 16    #pragma omp task
//! 17    merge(a + n / 2, b + n / 2, n - n / 2);
//! 18    #pragma omp taskwait
//! 19  }
//! 30  void sort(block *a, block *b, long n) {
//! 31    if (n == 1) { sort_block(a); return; }
//! 32    #pragma omp task
//! 33    sort(a, b, n / 2);
//! 34    #pragma omp task
//! 35    sort(a + n / 2, b + n / 2, n - n / 2);
//! 36    #pragma omp taskwait
//! 37    #pragma omp task
//! 38    merge(a, b, n);
//! 39    #pragma omp taskwait
//! 40    memcpy(a, b, n);
//! 41  }
//! ```

use super::{Child, Code, Shape, code, step};

/// A sort of this many blocks.
pub struct Sort {
    blocks: u32,
}

impl Sort {
    /// The number of blocks whose sort has the nearest number of nodes.
    pub fn nearest(nodes: u64) -> Self {
        let (mut low, mut high) = (1u32, u32::MAX / 8); // sort_size(low) ≤ nodes, or low is 1
        while low + 1 < high {
            let middle = low.midpoint(high);
            if sort_size(middle) <= nodes { low = middle } else { high = middle }
        }
        let above = sort_size(low + 1);
        let is_above_nearer =
            above < u64::from(u32::MAX) && above.abs_diff(nodes) < sort_size(low).abs_diff(nodes);
        Sort { blocks: if is_above_nearer { low + 1 } else { low } }
    }
}

/// Nodes of a merge of n blocks: 6 for each of n − 1 inner tasks, 2 for each of n leaves.
fn merge_size(n: u32) -> u32 {
    8 * n - 6
}

/// Nodes of a sort of n blocks. A leaf is 2 nodes, each of the n − 1 other sorts is 9 and a merge of 8 m − 6 for its m
/// blocks. The sum of all m is the external path length of a balanced tree, n ⌊lg n⌋ + 2 (n − 2^⌊lg n⌋).
fn sort_size(n: u32) -> u64 {
    let log = n.ilog2();
    let n = u64::from(n);
    let path = n * u64::from(log) + 2 * (n - (1 << log));
    2 * n + (n - 1) * (9 - 6) + 8 * path
}

/// A task with this many blocks, or one of its sections.
#[derive(Clone, Copy)]
pub enum Plan {
    Sort(u32),
    Halves(u32),
    Merging(u32),
    Merge(u32),
    MergeHalves(u32),
}

impl Shape for Sort {
    type Plan = Plan;
    const FILE: &'static str = "sort.c";
    const CODE: &'static [Code] = &[
        code("sort", 30, 31),
        code("sort", 30, 32),
        code("sort", 32, 34),
        code("sort", 34, 36),
        code("sort", 36, 37),
        code("sort", 37, 39),
        code("sort", 39, 41),
        code("merge", 12, 13),
        code("merge", 12, 14),
        code("merge", 14, 16),
        code("merge", 16, 18),
        code("merge", 18, 19),
    ];

    fn root(&self) -> Plan {
        Plan::Sort(self.blocks)
    }

    fn is_task(&self, plan: Plan) -> bool {
        matches!(plan, Plan::Sort(_) | Plan::Merge(_))
    }

    fn size(&self, plan: Plan) -> u32 {
        match plan {
            Plan::Sort(n) => sort_size(n) as u32,
            Plan::Halves(n) => 4 + (sort_size(n / 2) + sort_size(n - n / 2)) as u32,
            Plan::Merging(n) => 3 + merge_size(n),
            Plan::Merge(n) => merge_size(n),
            Plan::MergeHalves(n) => merge_size(n) - 2,
        }
    }

    fn child(&self, plan: Plan, number: u32, _left: u32) -> Child<Plan> {
        match (plan, number) {
            (Plan::Sort(1), _) => Child::Close(step(200, 0)),
            (Plan::Sort(n), 0) => Child::Section(Plan::Halves(n)),
            (Plan::Sort(n), 1) => Child::Section(Plan::Merging(n)),
            (Plan::Sort(n), _) => Child::Close(step(n.saturating_mul(25), 6)), // the serial copy
            (Plan::Halves(n), 0) => Child::Spawn(step(5, 1), Plan::Sort(n / 2)),
            (Plan::Halves(n), 1) => Child::Spawn(step(5, 2), Plan::Sort(n - n / 2)),
            (Plan::Halves(_), _) => Child::Close(step(5, 3)),
            (Plan::Merging(n), 0) => Child::Spawn(step(5, 4), Plan::Merge(n)),
            (Plan::Merging(_), _) => Child::Close(step(5, 5)),
            (Plan::Merge(1), _) => Child::Close(step(100, 7)),
            (Plan::Merge(n), 0) => Child::Section(Plan::MergeHalves(n)),
            (Plan::Merge(_), _) => Child::Close(step(5, 11)),
            (Plan::MergeHalves(n), 0) => Child::Spawn(step(10, 8), Plan::Merge(n / 2)),
            (Plan::MergeHalves(n), 1) => Child::Spawn(step(5, 9), Plan::Merge(n - n / 2)),
            (Plan::MergeHalves(_), _) => Child::Close(step(5, 10)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula_is_the_recursion() {
        let mut size = vec![0, 2];
        for n in 2..5_000usize {
            size.push(9 + size[n / 2] + size[n - n / 2] + u64::from(merge_size(n as u32)));
        }
        for (n, &size) in size.iter().enumerate().skip(1) {
            assert_eq!(sort_size(n as u32), size, "{n} blocks");
        }
    }
}
