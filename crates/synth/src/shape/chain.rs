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

use super::{Child, Code, Shape, code, nearest_count, step};

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
pub enum Plan {
    Main,
    Pair { is_first: bool },
    Left,
    Right,
}

impl Shape for Chain {
    type Plan = Plan;
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

    fn root(&self) -> Plan {
        Plan::Main
    }

    fn is_task(&self, plan: Plan) -> bool {
        !matches!(plan, Plan::Pair { .. })
    }

    fn size(&self, plan: Plan) -> u32 {
        match plan {
            Plan::Main => 2 + 8 * self.sections,
            Plan::Pair { .. } => 8,
            Plan::Left | Plan::Right => 2,
        }
    }

    fn child(&self, plan: Plan, number: u32, _left: u32) -> Child<Plan> {
        match (plan, number) {
            (Plan::Main, n) if n < self.sections => Child::Section(Plan::Pair { is_first: n == 0 }),
            (Plan::Main, _) => Child::Close(step(10, 3)),
            (Plan::Pair { is_first }, 0) => Child::Spawn(step(15, if is_first { 6 } else { 0 }), Plan::Left),
            (Plan::Pair { .. }, 1) => Child::Spawn(step(5, 1), Plan::Right),
            (Plan::Pair { .. }, _) => Child::Close(step(5, 2)),
            (Plan::Left, _) => Child::Close(step(100, 4)),
            (Plan::Right, _) => Child::Close(step(100, 5)),
        }
    }
}
