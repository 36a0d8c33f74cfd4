//! The serial parts of the program in the grain graph: a plate between the groups that it starts one after the other, on the
//! same axis. What lies below a plate moves down to make room for it.

use crosscut_scene::palette::slot;
use crosscut_scene::{Align, Ink, Label, Mark, Plate as Behind, Scene, TextStyle};
use crosscut_tasks::{SerialPart, Tasks};
use crosscut_tree::{Members, NodeId};

use super::Seen;
use super::parts::{Part, What, members};
use super::place::{Placement, Rect, size};
use crate::format::{text_width, time};
use crate::tasks::chain::Strip;
use crate::tasks::room::Room;
use crate::tasks::styles::{self, LinkKind, role};
use crate::tasks::words::many;

/// Height of a plate, and its width at least.
const HIGH: f32 = 24.0;
const WIDE: f32 = 120.0;
/// Parts below this share of the run are not drawn.
const LEAST: f64 = 0.001;

/// A serial part that is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plate {
    /// Which one.
    pub part: SerialPart,
    /// Where.
    pub rect: Rect,
    /// The member before it, and the one after it.
    between: (Option<usize>, Option<usize>),
}

/// Makes room for the serial parts that can be seen at this cut, and says where they are.
pub fn insert(
    seen: &Seen<'_>,
    parts: &[Part],
    placement: &mut Placement,
    strips: &mut [Strip],
) -> Vec<Plate> {
    let Some(root) = parts.first() else { return Vec::new() };
    let top: Vec<usize> = match root.what {
        What::Open if !root.is_parallel() => members(parts, 0).collect(),
        _ => vec![0],
    };
    let mut plates: Vec<Plate> = Vec::new();
    for part in worth(seen) {
        let Some(at) = gap(seen, parts, &top, &part) else { continue };
        let between = (at.checked_sub(1).and_then(|i| top.get(i)).copied(), top.get(at).copied());
        match plates.last_mut() {
            // Two that nothing visible parts are one: what the program started between them is folded away.
            Some(last) if last.between == between => last.part.end = part.end,
            _ => plates.push(Plate { part, rect: Rect::default(), between }),
        }
    }
    let room = Room::at(plates.iter().map(|plate| (top_of(placement, plate), HIGH + size::STEP)));
    for plate in &mut plates {
        let w = text_width(&says(seen.tasks, &plate.part)) * 1.05 + 40.0;
        let y = room.top(top_of(placement, plate)) - HIGH - size::STEP;
        // Behind the last member it stands below what joins there.
        let y = if plate.between.1.is_none() { y + size::STEP } else { y };
        plate.rect = Rect { y, w: w.max(WIDE), h: HIGH, ..Rect::default() };
    }
    placement.make(&room);
    strips.iter_mut().for_each(|strip| strip.at.1 = room.top(strip.at.1));
    widen(placement, strips, &plates);
    let axis = placement.rects.first().map_or(0.0, |root| root.x + root.axis);
    plates.iter_mut().for_each(|plate| plate.rect.x = axis - plate.rect.w / 2.0);
    plates
}

/// Widens the root on both sides where a plate would stand out of it.
fn widen(placement: &mut Placement, strips: &mut [Strip], plates: &[Plate]) {
    let widest = plates.iter().map(|plate| plate.rect.w).fold(0.0, f32::max) / 2.0 + size::SIDE;
    let Some(&root) = placement.rects.first() else { return };
    let (left, right) = ((widest - root.axis).max(0.0), (widest - (root.w - root.axis)).max(0.0));
    if plates.is_empty() || left + right == 0.0 {
        return;
    }
    placement.rects.iter_mut().for_each(|rect| rect.x += left);
    for stroke in &mut placement.strokes {
        stroke.a.0 += left;
        stroke.b.0 += left;
    }
    for pair in &mut placement.ends {
        pair.fork.0 += left;
        pair.join.0 += left;
    }
    placement.rulers.iter_mut().for_each(|(_, at)| at.0 += left);
    strips.iter_mut().for_each(|strip| strip.at.0 += left);
    let root = &mut placement.rects[0];
    (root.x, root.w, root.axis) = (0.0, root.w + left + right, root.axis + left);
}

/// The serial parts, and whether each takes long enough to be drawn.
fn judged<'a>(seen: &Seen<'a>) -> impl Iterator<Item = (SerialPart, bool)> + 'a {
    let least = ((seen.tasks.summary().elapsed as f64 * LEAST) as i64).max(1);
    let parts = seen.run.map_or(&[][..], |run| run.serial(seen.tasks));
    parts.iter().map(move |part| (*part, part.end - part.start >= least))
}

fn worth<'a>(seen: &Seen<'a>) -> impl Iterator<Item = SerialPart> + 'a {
    judged(seen).filter(|(_, is_worth)| *is_worth).map(|(part, _)| part)
}

/// Says how many are too short to be drawn, and what they take together.
pub fn left_out(seen: &Seen<'_>) -> Option<String> {
    let short: Vec<SerialPart> =
        judged(seen).filter(|(_, is_worth)| !is_worth).map(|(part, _)| part).collect();
    let sum = short.iter().map(|part| (part.end - part.start).max(0)).fold(0, i64::saturating_add);
    (sum > 0).then(|| {
        let parts = many(short.len(), "serial part");
        format!("{parts} below 0.1 % of the run not drawn, {} together", time(sum as f64, seen.tasks.clock()))
    })
}

/// Before which of the top members a part ran; none for one that lies between folded members.
fn gap(seen: &Seen<'_>, parts: &[Part], top: &[usize], serial: &SerialPart) -> Option<usize> {
    let task = |node: NodeId| seen.grains.task(node);
    let starts = |&i: &usize| seen.tasks.start(task(parts[i].node)) < serial.start;
    let at = top.partition_point(starts);
    let before = at.checked_sub(1).and_then(|before| top.get(before));
    let folded = before.and_then(|&i| match &parts[i].members {
        Members::Run(nodes) => nodes.end.checked_sub(1),
        Members::These(nodes) => nodes.last().map(|node| node.index()),
        _ => None,
    });
    let inside = folded.is_some_and(|last| seen.tasks.start(task(NodeId(last as u32))) > serial.start);
    (!inside).then_some(at)
}

/// What stands from there on moves down.
fn top_of(placement: &Placement, plate: &Plate) -> f32 {
    match plate.between {
        (_, Some(after)) => placement.rects[after].y,
        (Some(before), None) => placement.rects[before].y + placement.rects[before].h,
        (None, None) => 0.0,
    }
}

/// Draws the plates.
pub fn draw(seen: &Seen<'_>, plates: &[Plate], placement: &Placement, scene: &mut Scene) {
    for plate in plates {
        let rect = plate.rect;
        let meaning = format!("serial part, {}", seen.tasks.serial_name(&plate.part));
        let style = scene.styles.put(&styles::serial(meaning));
        let mark = Mark::none().role(role::LOST).looks(style, slot::LOST);
        scene.boxes.push([rect.x, rect.y, rect.w, rect.h], mark);
        let middle = rect.x + rect.w / 2.0;
        let text = TextStyle {
            align: Align::Middle,
            ink: Ink::Slot(slot::TEXT),
            plate: Behind::Plain,
            ..TextStyle::PLAIN
        };
        let said = says(seen.tasks, &plate.part);
        scene.labels.push(Label::new((middle, rect.y + HIGH / 2.0 + 4.0), rect.w - 8.0, said, text));
        let style = scene.styles.put(&styles::grain_link(LinkKind::Continue, false));
        let link = Mark::none().looks(style, slot::EDGE);
        match plate.between {
            (None, Some(after)) => {
                let (x, y) = placement.rects[after].entry();
                scene.links.push([x, rect.y + HIGH, x, y], link);
            }
            (Some(before), None) => {
                let (x, y) = placement.rects[before].exit();
                scene.links.push([x, y, x, rect.y], link);
            }
            _ => {}
        }
        scene.height = scene.height.max(rect.y + HIGH + size::SIDE);
    }
}

/// "serial part · setup · 8.4 ms".
fn says(tasks: &Tasks, part: &SerialPart) -> String {
    let long = time((part.end - part.start) as f64, tasks.clock());
    match tasks.serial_function(part) {
        Some(function) => format!("serial part · {function} · {long}"),
        None => format!("serial part · {long}"),
    }
}
