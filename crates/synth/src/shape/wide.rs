//! One section with very many tasks: a serial spawn loop.
//!
//! ```c
//! 20  int main() {
//! 21    for (long i = 0; i < n; i++) {
//! 22      #pragma omp task
//! 23      visit(i);
//! 24    }
//! 25    #pragma omp taskwait
//! 26    return 0;
//! ```

use super::{Code, Item, Shape, code, nearest_count, step};

/// A loop that creates this many tasks.
pub struct Wide {
    tasks: u32,
}

impl Wide {
    /// A task is three nodes: its create, itself and its end.
    pub fn nearest(nodes: u64) -> Self {
        Wide { tasks: nearest_count(nodes, 4, 3).max(1) }
    }
}

/// The program, its loop, or one task.
#[derive(Clone, Copy)]
pub enum Part {
    Main,
    Loop,
    Visit,
}

impl Shape for Wide {
    type Part = Part;
    const FILE: &'static str = "wide.c";
    const CODE: &'static [Code] = &[
        code("main", 20, 22),
        code("main", 22, 22),
        code("main", 22, 25),
        code("main", 25, 26),
        code("visit", 5, 12),
    ];

    fn root(&self) -> Part {
        Part::Main
    }

    fn is_task(&self, part: Part) -> bool {
        !matches!(part, Part::Loop)
    }

    fn size(&self, part: Part) -> u32 {
        match part {
            Part::Main => 4 + 3 * self.tasks,
            Part::Loop => 2 + 3 * self.tasks,
            Part::Visit => 2,
        }
    }

    fn item(&self, part: Part, number: u32, _left: u32) -> Item<Part> {
        match (part, number) {
            (Part::Main, 0) => Item::Section(Part::Loop),
            (Part::Main, _) => Item::Close(step(10, 3)),
            (Part::Loop, 0) => Item::Spawn(step(10, 0), Part::Visit),
            (Part::Loop, n) if n < self.tasks => Item::Spawn(step(10, 1), Part::Visit),
            (Part::Loop, _) => Item::Close(step(5, 2)),
            (Part::Visit, _) => Item::Close(step(100, 4)),
        }
    }
}
