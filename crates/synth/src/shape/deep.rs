//! Every task creates one task and waits for it: a tree that is as deep as its size allows, two levels for five nodes.
//! All tasks are in flight at once, so this is the one shape whose simulation needs memory in proportion to its size.
//!
//! ```c
//!  5  void descend(long n) {
//!  6    if (n == 0) return;
//!  7    #pragma omp task
//!  8    descend(n - 1);
//!  9    #pragma omp taskwait
//! 10  }
//! ```

use super::{Code, Item, Shape, code, nearest_count, step};

/// A descent by this many levels.
pub struct Deep {
    levels: u32,
}

impl Deep {
    /// A level is a task, a section, a create, a wait and an end.
    pub fn nearest(nodes: u64) -> Self {
        Deep { levels: nearest_count(nodes, 2, 5) }
    }
}

/// A task with this many levels below it, or its section.
#[derive(Clone, Copy)]
pub enum Part {
    Descend(u32),
    Section(u32),
}

impl Shape for Deep {
    type Part = Part;
    const FILE: &'static str = "deep.c";
    const CODE: &'static [Code] =
        &[code("descend", 5, 6), code("descend", 5, 7), code("descend", 7, 9), code("descend", 9, 10)];

    fn root(&self) -> Part {
        Part::Descend(self.levels)
    }

    fn is_task(&self, part: Part) -> bool {
        matches!(part, Part::Descend(_))
    }

    fn size(&self, part: Part) -> u32 {
        match part {
            Part::Descend(n) => 2 + 5 * n,
            Part::Section(n) => 5 * n,
        }
    }

    fn item(&self, part: Part, number: u32, _left: u32) -> Item<Part> {
        match (part, number) {
            (Part::Descend(0), _) => Item::Close(step(100, 0)),
            (Part::Descend(n), 0) => Item::Section(Part::Section(n)),
            (Part::Descend(_), _) => Item::Close(step(20, 3)),
            (Part::Section(n), 0) => Item::Spawn(step(20, 1), Part::Descend(n - 1)),
            (Part::Section(_), _) => Item::Close(step(20, 2)),
        }
    }
}
