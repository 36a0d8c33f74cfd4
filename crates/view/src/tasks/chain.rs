//! A chain of dependences as a chain: the longest way through the dependences of a section, link by link in the order in
//! which they had to run, each as wide as its task is long. Stands at the foot of the open section.

use std::collections::HashMap;
use std::ops::Range;

use crosscut_scene::palette::slot;
use crosscut_scene::{Ink, Label, Mark, Plate, Scene, TextStyle};
use crosscut_tasks::Tasks;
use crosscut_tree::NodeId;

use super::colour::Painter;
use super::styles::{self, role};
use super::words::{share, time_text};
use crate::format::{count, text_width};

/// Fewer tasks in a row are no chain.
const LEAST: usize = 8;
/// Chains are not looked for among more dependences than this: a picture must not wait for them.
const MOST: usize = 200_000;
/// Height of the text and of the links, with what is around them.
const TEXT: f32 = 16.0;
const LINK: f32 = 20.0;
/// Height of a chain.
pub const HIGH: f32 = TEXT + LINK + 8.0;
/// A link is at least so wide, with the space behind it; several share one where they would have less room than that.
const NARROW: f32 = 3.0;
const BETWEEN: f32 = 1.0;
const ROOM: f32 = 8.0;

/// Tasks that had to run one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// In the order in which they ran.
    pub tasks: Vec<NodeId>,
    /// Their time.
    pub time: i64,
}

/// A chain, and where it is drawn: left, top, width.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// The chain.
    pub chain: Chain,
    /// Where.
    pub at: (f32, f32, f32),
}

/// The chain that takes longest among these nodes of the task tree.
pub fn longest(tasks: &Tasks, nodes: Range<usize>) -> Option<Chain> {
    let depends = tasks.depends_into(nodes.clone());
    if depends.len() + 1 < LEAST || depends.len() > MOST {
        return None;
    }
    // Of each task the time until its end, and the task before it; those that it needs come before it.
    let mut ending: HashMap<u32, (i64, Option<NodeId>)> = HashMap::new();
    let mut last: Option<(i64, NodeId)> = None;
    for (to, from) in depends.filter(|(_, from)| nodes.contains(&from.index())) {
        let before = ending.entry(from.0).or_insert_with(|| (tasks.elapsed(from), None)).0;
        let time = before.saturating_add(tasks.elapsed(to));
        let known = ending.entry(to.0).or_insert((i64::MIN, None));
        if time > known.0 {
            *known = (time, Some(from));
        }
        if last.is_none_or(|last| time > last.0) {
            last = Some((time, to));
        }
    }
    let (time, last) = last?;
    let before = |task: &NodeId| ending.get(&task.0).and_then(|known| known.1);
    // A damaged run may hold a circle.
    let mut chain: Vec<NodeId> = std::iter::successors(Some(last), before).take(ending.len()).collect();
    chain.reverse();
    Some(Chain { tasks: chain, time }).filter(|chain| chain.tasks.len() >= LEAST)
}

/// The chains of open sections, innermost first, each once: section, its nodes of the task tree.
pub fn of_sections(
    tasks: &Tasks,
    sections: impl Iterator<Item = (usize, Range<usize>)>,
) -> Vec<(usize, Chain)> {
    let mut found: Vec<(usize, Chain)> = Vec::new();
    if tasks.depends_into(0..tasks.tree().node_count()).len() + 1 < LEAST {
        return found;
    }
    for (section, nodes) in sections {
        let Some(chain) = longest(tasks, nodes) else { continue };
        let known = found.iter().any(|(_, other)| other.tasks.last() == chain.tasks.last());
        if !known {
            found.push((section, chain));
        }
    }
    found
}

/// Says that chains are not looked for in an open section, because it has too many dependences.
pub fn left_out(tasks: &Tasks, sections: impl Iterator<Item = Range<usize>>) -> Option<String> {
    let most = sections.map(|nodes| tasks.depends_into(nodes).len()).max()?;
    (most > MOST).then(|| {
        let (most, limit) = (count(most as i64), count(MOST as i64));
        format!("no chain is drawn of {most} dependences: they are looked for among {limit} at most")
    })
}

/// Draws a chain; `node` tells what stands for a task in the tree of the view.
pub fn draw(
    tasks: &Tasks,
    strip: &Strip,
    node: &dyn Fn(NodeId) -> Option<NodeId>,
    painter: &mut Painter<'_>,
    scene: &mut Scene,
) {
    let Strip { chain, at: (x, y, w) } = strip;
    let top = y + TEXT;
    let wire = scene.styles.put(&styles::RULER);
    let middle = top + LINK / 2.0;
    scene.links.push([*x, middle, x + w, middle], Mark::none().looks(wire, slot::EDGE));
    let each = (chain.tasks.len() as f32 * ROOM / w.max(ROOM)).ceil().max(1.0) as usize;
    let links: Vec<&[NodeId]> = chain.tasks.chunks(each).collect();
    let room = (w - links.len() as f32 * NARROW).max(0.0);
    let style = scene.styles.put(&styles::chained());
    let mut left = *x;
    for link in &links {
        let time: i64 = link.iter().map(|&task| tasks.elapsed(task)).sum();
        let wide = NARROW + room * (time as f64 / chain.time.max(1) as f64) as f32;
        let own = node(link[0]).map_or_else(Mark::none, |node| Mark::of(node.0));
        let mark = own.role(role::LINK).looks(style, painter.paint(link[0], 1));
        scene.boxes.push([left, top, (wide - BETWEEN).max(1.0), LINK], mark);
        left += wide;
    }
    let text = TextStyle { ink: Ink::Slot(slot::TEXT), plate: Plate::Plain, ..TextStyle::PLAIN };
    if let Some(said) = says(tasks, chain, each).into_iter().find(|said| text_width(said) * 1.05 <= *w) {
        scene.labels.push(Label::new((*x, y + 11.0), *w, said, text));
    }
}

/// What a chain is, as long as there is room and shorter.
fn says(tasks: &Tasks, chain: &Chain, each: usize) -> [String; 3] {
    let (number, time) = (count(chain.tasks.len() as i64), time_text(chain.time, tasks.clock()));
    let part = share(chain.time as f64, tasks.summary().elapsed as f64);
    let drawn = if each > 1 { format!(", {} for a link", count(each as i64)) } else { String::new() };
    [
        format!(
            "chain of {number} tasks, each waits for the one before: {time} in a row, {part} of the run{drawn}"
        ),
        format!("chain of {number}: {time} in a row, {part} of the run"),
        format!("chain of {number}: {time}"),
    ]
}
