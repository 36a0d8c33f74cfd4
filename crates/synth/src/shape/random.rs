//! Everything that the model allows, by chance: tasks with several sections, sections in sections, intervals that end
//! otherwise, few children and many, shallow and deep. Every number of nodes from 2 on is possible: a plan knows how many
//! nodes it has, and chance decides child by child how many of those that are left the next one gets.

use super::{Child, Code, Shape, code, step};
use crosscut_chance::{mix, scale};

/// A random program.
pub struct Random {
    nodes: u32,
    seed: u64,
}

impl Random {
    /// With this many nodes.
    pub fn nearest(nodes: u64, seed: u64) -> Self {
        Random { nodes: nodes.clamp(2, u64::from(u32::MAX) - 1) as u32, seed: mix(seed) }
    }
}

/// A task or section with this many nodes.
#[derive(Clone, Copy)]
pub struct Plan {
    is_task: bool,
    nodes: u32,
    seed: u64,
}

/// The smallest task: itself and its end.
const TASK: u32 = 2;
/// The smallest section: itself, a create with the smallest task, a wait.
const SECTION: u32 = 5;

impl Plan {
    /// How many nodes an inner plan gets: about `nodes` over a number of children that is the same for the whole plan.
    fn share(self, chance: u64, least: u32, most: u32) -> u32 {
        let choice = mix(self.seed);
        // Most plans have few children, one in 32 has many.
        let children = if choice.is_multiple_of(32) { 8 << (choice >> 8 & 7) } else { 1 + (choice >> 8) % 6 };
        let mean = u64::from(self.nodes) / children;
        (mean / 4 + scale(chance, mean * 3 / 2 + 1)).clamp(u64::from(least), u64::from(most)) as u32
    }

    /// Percent of the grain for an interval: mostly little, sometimes much.
    fn work(chance: u64) -> u32 {
        let wide = 1 + (chance & 127) as u32;
        if chance >> 8 & 15 == 0 { wide * 8 } else { wide }
    }
}

impl Shape for Random {
    type Plan = Plan;
    const FILE: &'static str = "random.c";
    const CODE: &'static [Code] = &[
        code("work", 10, 14),
        code("work", 14, 20),
        code("work", 20, 23),
        code("work", 23, 31),
        code("walk", 40, 46),
        code("walk", 46, 52),
        code("walk", 52, 58),
        code("walk", 58, 61),
    ];

    fn root(&self) -> Plan {
        Plan { is_task: true, nodes: self.nodes, seed: self.seed }
    }

    fn is_task(&self, plan: Plan) -> bool {
        plan.is_task
    }

    fn size(&self, plan: Plan) -> u32 {
        plan.nodes
    }

    fn child(&self, plan: Plan, number: u32, left: u32) -> Child<Plan> {
        let seed = mix(plan.seed ^ u64::from(number));
        let chance = mix(seed);
        let function = if plan.seed & 1 == 0 { 0 } else { 4 };
        let other = Child::Other(step(Plan::work(chance), function + 1));
        if left == 1 {
            return Child::Close(step(Plan::work(chance), function + 3));
        }
        let inner = left - 1; // one node is for the close
        let section = |least| {
            let nodes = plan.share(mix(chance), least, inner);
            Child::Section(Plan { is_task: false, nodes, seed })
        };
        let roll = chance >> 32 & 15;
        if plan.is_task {
            return if inner < SECTION || roll < 2 { other } else { section(SECTION) };
        }
        // A section begins with a task, whatever chance says.
        if number == 0 || (inner > TASK && roll < 12) {
            let nodes = plan.share(mix(chance), TASK, inner - 1);
            return Child::Spawn(step(Plan::work(chance), function), Plan { is_task: true, nodes, seed });
        }
        if inner >= SECTION && roll < 14 { section(SECTION) } else { other }
    }
}
