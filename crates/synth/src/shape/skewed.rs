//! Every section has four tasks, of which the last is much larger than its siblings together: a search tree in a bad
//! order. Each sibling gets a sixteenth of the calls.
//!
//! ```c
//!  8  void search(node *s) {
//!  9    if (is_leaf(s)) return;
//! 10    for (int i = 0; i < 4; i++) {
//! 11      #pragma omp task
//! 12      search(s->child[i]);
//! 13    }
//! 14    #pragma omp taskwait
//! 15  }
//! ```

use super::{Child, Code, Shape, code, nearest_count, step};

/// A search with this many tasks that are not leaves.
pub struct Skewed {
    calls: u32,
}

impl Skewed {
    /// A call is 8 nodes besides its four tasks, and a leaf 2; c calls have 3 c + 1 leaves: 14 c + 2 in all.
    pub fn nearest(nodes: u64) -> Self {
        Skewed { calls: nearest_count(nodes, 2, 14) }
    }
}

/// A task with this many calls in it, its own included, or its section.
#[derive(Clone, Copy)]
pub enum Plan {
    Search(u32),
    Section(u32),
}

impl Shape for Skewed {
    type Plan = Plan;
    const FILE: &'static str = "skewed.c";
    const CODE: &'static [Code] = &[
        code("search", 8, 9),
        code("search", 8, 11),
        code("search", 11, 11),
        code("search", 11, 14),
        code("search", 14, 15),
    ];

    fn root(&self) -> Plan {
        Plan::Search(self.calls)
    }

    fn is_task(&self, plan: Plan) -> bool {
        matches!(plan, Plan::Search(_))
    }

    fn size(&self, plan: Plan) -> u32 {
        match plan {
            Plan::Search(n) => 2 + 14 * n,
            Plan::Section(n) => 14 * n,
        }
    }

    fn child(&self, plan: Plan, number: u32, _left: u32) -> Child<Plan> {
        match (plan, number) {
            (Plan::Search(0), _) => Child::Close(step(100, 0)),
            (Plan::Search(n), 0) => Child::Section(Plan::Section(n)),
            (Plan::Search(_), _) => Child::Close(step(10, 4)),
            (Plan::Section(n), 0) => Child::Spawn(step(15, 1), Plan::Search(n / 16)),
            (Plan::Section(n), 1 | 2) => Child::Spawn(step(5, 2), Plan::Search(n / 16)),
            (Plan::Section(n), 3) => Child::Spawn(step(5, 2), Plan::Search(n - 1 - 3 * (n / 16))),
            (Plan::Section(_), _) => Child::Close(step(5, 3)),
        }
    }
}
