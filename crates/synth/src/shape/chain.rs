//! One task with very many small sections, one after the other: time steps with a barrier after each.
//!
//! ```c
//! 30  int main() {
//! 31    for (long t = 0; t < n; t++) {
//! 32      #pragma omp task
//! 33      left(t);
//! 34      #pragma omp task
//! 35      right(t);
//! 36      #pragma omp taskwait
//! 37    }
//! 38    return 0;
//! ```

use super::{Code, Item, Shape, code, nearest_count, step};

/// A loop of this many fork-joins.
pub struct Chain {
    sections: u32,
}

impl Chain {
    /// A section of two tasks is 8 nodes.
    pub fn nearest(nodes: u64) -> Self {
        Chain { sections: nearest_count(nodes, 2, 8) }
    }
}

/// The program, one section, or one of its tasks.
#[derive(Clone, Copy)]
pub enum Part {
    Main,
    Pair { is_first: bool },
    Left,
    Right,
}

impl Shape for Chain {
    type Part = Part;
    const FILE: &'static str = "chain.c";
    const CODE: &'static [Code] = &[
        code("main", 36, 32),
        code("main", 32, 34),
        code("main", 34, 36),
        code("main", 36, 38),
        code("left", 5, 9),
        code("right", 12, 16),
        code("main", 30, 32),
    ];

    fn root(&self) -> Part {
        Part::Main
    }

    fn is_task(&self, part: Part) -> bool {
        !matches!(part, Part::Pair { .. })
    }

    fn size(&self, part: Part) -> u32 {
        match part {
            Part::Main => 2 + 8 * self.sections,
            Part::Pair { .. } => 8,
            Part::Left | Part::Right => 2,
        }
    }

    fn item(&self, part: Part, number: u32, _left: u32) -> Item<Part> {
        match (part, number) {
            (Part::Main, n) if n < self.sections => Item::Section(Part::Pair { is_first: n == 0 }),
            (Part::Main, _) => Item::Close(step(10, 3)),
            (Part::Pair { is_first }, 0) => Item::Spawn(step(15, if is_first { 6 } else { 0 }), Part::Left),
            (Part::Pair { .. }, 1) => Item::Spawn(step(5, 1), Part::Right),
            (Part::Pair { .. }, _) => Item::Close(step(5, 2)),
            (Part::Left, _) => Item::Close(step(100, 4)),
            (Part::Right, _) => Item::Close(step(100, 5)),
        }
    }
}
