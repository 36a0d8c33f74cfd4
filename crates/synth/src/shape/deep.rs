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

use super::{Child, Code, Shape, code, nearest_count, step};

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
pub enum Plan {
    Descend(u32),
    Section(u32),
}

impl Shape for Deep {
    type Plan = Plan;
    const FILE: &'static str = "deep.c";
    const CODE: &'static [Code] =
        &[code("descend", 5, 6), code("descend", 5, 7), code("descend", 7, 9), code("descend", 9, 10)];

    fn root(&self) -> Plan {
        Plan::Descend(self.levels)
    }

    fn is_task(&self, plan: Plan) -> bool {
        matches!(plan, Plan::Descend(_))
    }

    fn size(&self, plan: Plan) -> u32 {
        match plan {
            Plan::Descend(n) => 2 + 5 * n,
            Plan::Section(n) => 5 * n,
        }
    }

    fn child(&self, plan: Plan, number: u32, _left: u32) -> Child<Plan> {
        match (plan, number) {
            (Plan::Descend(0), _) => Child::Close(step(100, 0)),
            (Plan::Descend(n), 0) => Child::Section(Plan::Section(n)),
            (Plan::Descend(_), _) => Child::Close(step(20, 3)),
            (Plan::Section(n), 0) => Child::Spawn(step(20, 1), Plan::Descend(n - 1)),
            (Plan::Section(_), _) => Child::Close(step(20, 2)),
        }
    }
}
