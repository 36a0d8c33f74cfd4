//! Dependences between tasks, which the tree does not hold: extra links between the visible parts that stand for their
//! ends. Gathered for what is visible only, so the cost does not grow with the dependences of the run.

use std::collections::BTreeMap;

use crosscut_scene::{Mark, Scene};
use crosscut_tasks::Tasks;
use crosscut_tree::NodeId;

use super::parts::{Part, What};
use super::place::{Placement, Rect};
use crate::tasks::styles::{self, LinkKind};
use crosscut_scene::palette::slot;

/// A closed section or folded siblings with more dependences than this into them show none.
const FEW: usize = 256;
/// Links at most.
const MOST: usize = 4096;

/// A dependence between two visible parts; of several between the same parts the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Part that stands for the task needed.
    pub from_part: usize,
    /// Part that stands for what needed it.
    pub to_part: usize,
    /// The task needed.
    pub from: NodeId,
    /// The task or wait that needed it.
    pub to: NodeId,
    /// On the critical path.
    pub critical: bool,
}

/// The dependences between visible parts, in the order of the parts that they lead to.
pub fn links(tasks: &Tasks, parts: &[Part]) -> Vec<Link> {
    let mut found: BTreeMap<(usize, usize), Link> = BTreeMap::new();
    for (to_part, part) in parts.iter().enumerate() {
        // What is inside of a closed task depends on its neighbours there; sections and gaps hold both.
        let itself = part.nodes.start..part.nodes.start + 1;
        let whole = tasks.depends_into(part.nodes.clone()).len();
        let nodes = match part.what {
            What::Closed | What::Gap if whole <= FEW && !part.beside => part.nodes.clone(),
            What::Gap => continue,
            _ => itself,
        };
        for (to, from) in tasks.depends_into(nodes) {
            let from_part = parts.partition_point(|p| p.nodes.start <= from.index()).saturating_sub(1);
            if from_part != to_part && found.len() < MOST {
                let link = Link { from_part, to_part, from, to, critical: false };
                found.entry((to_part, from_part)).or_insert(link);
            }
        }
    }
    found.into_values().collect()
}

/// Draws them from the foot of one part to the head of the other: straight, since nothing keeps a lane free for them.
pub fn draw(parts: &[Part], placement: &Placement, links: &[Link], scene: &mut Scene) {
    let x = |rect: &Rect| rect.x + rect.enter;
    for link in links {
        let (from, to) = (&placement.rects[link.from_part], &placement.rects[link.to_part]);
        let style = scene.styles.put(&styles::link(LinkKind::Depend, link.critical));
        let mark = Mark::pair(parts[link.from_part].node.0, parts[link.to_part].node.0);
        let line = [x(from), from.y + from.h, x(to), to.y];
        scene.links.push(line, mark.role(LinkKind::Depend as u8).looks(style, slot::EDGE));
    }
}
