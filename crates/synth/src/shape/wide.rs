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

use super::{Child, Code, Shape, code, nearest_count, step};

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
pub enum Plan {
    Main,
    Loop,
    Visit,
}

impl Shape for Wide {
    type Plan = Plan;
    const FILE: &'static str = "wide.c";
    const CODE: &'static [Code] = &[
        code("main", 20, 22),
        code("main", 22, 22),
        code("main", 22, 25),
        code("main", 25, 26),
        code("visit", 5, 12),
    ];

    fn root(&self) -> Plan {
        Plan::Main
    }

    fn is_task(&self, plan: Plan) -> bool {
        !matches!(plan, Plan::Loop)
    }

    fn size(&self, plan: Plan) -> u32 {
        match plan {
            Plan::Main => 4 + 3 * self.tasks,
            Plan::Loop => 2 + 3 * self.tasks,
            Plan::Visit => 2,
        }
    }

    fn child(&self, plan: Plan, number: u32, _left: u32) -> Child<Plan> {
        match (plan, number) {
            (Plan::Main, 0) => Child::Section(Plan::Loop),
            (Plan::Main, _) => Child::Close(step(10, 3)),
            (Plan::Loop, 0) => Child::Spawn(step(10, 0), Plan::Visit),
            (Plan::Loop, n) if n < self.tasks => Child::Spawn(step(10, 1), Plan::Visit),
            (Plan::Loop, _) => Child::Close(step(5, 2)),
            (Plan::Visit, _) => Child::Close(step(100, 4)),
        }
    }
}
