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

use super::{Code, Item, Shape, code, step};

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
pub enum Part {
    Sort(u32),
    Halves(u32),
    Merging(u32),
    Merge(u32),
    MergeHalves(u32),
}

impl Shape for Sort {
    type Part = Part;
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

    fn root(&self) -> Part {
        Part::Sort(self.blocks)
    }

    fn is_task(&self, part: Part) -> bool {
        matches!(part, Part::Sort(_) | Part::Merge(_))
    }

    fn size(&self, part: Part) -> u32 {
        match part {
            Part::Sort(n) => sort_size(n) as u32,
            Part::Halves(n) => 4 + (sort_size(n / 2) + sort_size(n - n / 2)) as u32,
            Part::Merging(n) => 3 + merge_size(n),
            Part::Merge(n) => merge_size(n),
            Part::MergeHalves(n) => merge_size(n) - 2,
        }
    }

    fn item(&self, part: Part, number: u32, _left: u32) -> Item<Part> {
        match (part, number) {
            (Part::Sort(1), _) => Item::Close(step(200, 0)),
            (Part::Sort(n), 0) => Item::Section(Part::Halves(n)),
            (Part::Sort(n), 1) => Item::Section(Part::Merging(n)),
            (Part::Sort(n), _) => Item::Close(step(n.saturating_mul(25), 6)), // the serial copy
            (Part::Halves(n), 0) => Item::Spawn(step(5, 1), Part::Sort(n / 2)),
            (Part::Halves(n), 1) => Item::Spawn(step(5, 2), Part::Sort(n - n / 2)),
            (Part::Halves(_), _) => Item::Close(step(5, 3)),
            (Part::Merging(n), 0) => Item::Spawn(step(5, 4), Part::Merge(n)),
            (Part::Merging(_), _) => Item::Close(step(5, 5)),
            (Part::Merge(1), _) => Item::Close(step(100, 7)),
            (Part::Merge(n), 0) => Item::Section(Part::MergeHalves(n)),
            (Part::Merge(_), _) => Item::Close(step(5, 11)),
            (Part::MergeHalves(n), 0) => Item::Spawn(step(10, 8), Part::Merge(n / 2)),
            (Part::MergeHalves(n), 1) => Item::Spawn(step(5, 9), Part::Merge(n - n / 2)),
            (Part::MergeHalves(_), _) => Item::Close(step(5, 10)),
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
