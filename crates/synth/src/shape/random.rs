//! Everything that the model allows, by chance: tasks with several sections, sections in sections, intervals that end
//! otherwise, few children and many, shallow and deep. Every number of nodes from 2 on is possible: a part knows how many
//! nodes it has, and chance decides item by item how many of those that are left the next one gets.

use super::{Code, Item, Shape, code, step};
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
pub struct Part {
    is_task: bool,
    nodes: u32,
    seed: u64,
}

/// The smallest task: itself and its end.
const TASK: u32 = 2;
/// The smallest section: itself, a create with the smallest task, a wait.
const SECTION: u32 = 5;

impl Part {
    /// How many nodes an inner part gets: about `nodes` over a number of children that is the same for the whole part.
    fn share(self, chance: u64, least: u32, most: u32) -> u32 {
        let choice = mix(self.seed);
        // Most parts have few children, one in 32 has many.
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
    type Part = Part;
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

    fn root(&self) -> Part {
        Part { is_task: true, nodes: self.nodes, seed: self.seed }
    }

    fn is_task(&self, part: Part) -> bool {
        part.is_task
    }

    fn size(&self, part: Part) -> u32 {
        part.nodes
    }

    fn item(&self, part: Part, number: u32, left: u32) -> Item<Part> {
        let seed = mix(part.seed ^ u64::from(number));
        let chance = mix(seed);
        let function = if part.seed & 1 == 0 { 0 } else { 4 };
        let other = Item::Other(step(Part::work(chance), function + 1));
        if left == 1 {
            return Item::Close(step(Part::work(chance), function + 3));
        }
        let inner = left - 1; // one node is for the close
        let section = |least| {
            let nodes = part.share(mix(chance), least, inner);
            Item::Section(Part { is_task: false, nodes, seed })
        };
        let roll = chance >> 32 & 15;
        if part.is_task {
            return if inner < SECTION || roll < 2 { other } else { section(SECTION) };
        }
        // A section begins with a task, whatever chance says.
        if number == 0 || (inner > TASK && roll < 12) {
            let nodes = part.share(mix(chance), TASK, inner - 1);
            return Item::Spawn(step(Part::work(chance), function), Part { is_task: true, nodes, seed });
        }
        if inner >= SECTION && roll < 14 { section(SECTION) } else { other }
    }
}
