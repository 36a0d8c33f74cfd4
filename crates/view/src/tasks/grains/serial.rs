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
use crate::tasks::styles::{self, LinkKind, role};

/// Number of the tree of tasks in the view.
const TASKS: u8 = 1;
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
pub fn insert(seen: &Seen<'_>, parts: &[Part], placement: &mut Placement) -> Vec<Plate> {
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
    let Some(&axis) = placement.rects.first() else { return plates };
    let axis = axis.x + axis.axis;
    let cuts: Vec<f32> = plates.iter().map(|plate| top_of(placement, plate)).collect();
    for (i, plate) in plates.iter_mut().enumerate() {
        let w = text_width(&says(seen.tasks, &plate.part, f32::INFINITY)) * 1.05 + 40.0;
        let w = w.max(WIDE).min(placement.rects[0].w.max(WIDE) - 2.0 * size::SIDE);
        let y = cuts[i] + i as f32 * (HIGH + size::STEP);
        // Behind the last member it stands below what joins there.
        let y = if plate.between.1.is_none() { y + size::STEP } else { y };
        plate.rect = Rect { x: axis - w / 2.0, y, w, h: HIGH, ..Rect::default() };
    }
    shift(placement, &cuts);
    plates
}

/// The parts that take long enough to be drawn.
fn worth<'a>(seen: &Seen<'a>) -> impl Iterator<Item = SerialPart> + 'a {
    let least = (seen.tasks.summary().elapsed as f64 * LEAST) as i64;
    seen.serial.iter().copied().filter(move |part| part.end - part.start >= least.max(1))
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

/// Moves everything at or below each cut down by a plate; what begins above and ends below becomes longer.
fn shift(placement: &mut Placement, cuts: &[f32]) {
    let down = |y: f32| y + cuts.partition_point(|&cut| cut <= y) as f32 * (HIGH + size::STEP);
    for rect in &mut placement.rects {
        let foot = rect.y + rect.h;
        rect.y = down(rect.y);
        // A border lies outside of its last member.
        rect.h = down(foot - 0.5) + 0.5 - rect.y;
    }
    for stroke in &mut placement.strokes {
        stroke.a.1 = down(stroke.a.1 - 0.5) + 0.5;
        stroke.b.1 = down(stroke.b.1);
    }
    for pair in &mut placement.ends {
        pair.fork.1 = down(pair.fork.1);
        pair.join.1 = down(pair.join.1);
    }
    for ruler in &mut placement.rulers {
        ruler.1.1 = down(ruler.1.1);
    }
}

/// Draws the plates.
pub fn draw(seen: &Seen<'_>, plates: &[Plate], placement: &Placement, scene: &mut Scene) {
    for plate in plates {
        let rect = plate.rect;
        let style = scene.styles.put(&styles::serial());
        let mark = Mark::of(plate.part.first.0).tree(TASKS).role(role::LOST).looks(style, slot::LOST);
        scene.boxes.push([rect.x, rect.y, rect.w, rect.h], mark);
        let middle = rect.x + rect.w / 2.0;
        let text = TextStyle {
            align: Align::Middle,
            ink: Ink::Slot(slot::TEXT),
            plate: Behind::Plain,
            ..TextStyle::PLAIN
        };
        let said = says(seen.tasks, &plate.part, rect.w - 16.0);
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

/// "serial part · between solve.c:12 and solve.c:20, in `setup` · 8.4 ms", or as much of it as fits.
fn says(tasks: &Tasks, part: &SerialPart, room: f32) -> String {
    let long = time((part.end - part.start) as f64, tasks.clock());
    let function = tasks.serial_function(part);
    let texts = [
        format!("serial part · {} · {long}", tasks.serial_name(part)),
        function.map_or_else(String::new, |function| format!("serial part · {function} · {long}")),
        format!("serial part · {long}"),
    ];
    let last = texts.len() - 1;
    let fits = |text: &&String| !text.is_empty() && text_width(text) * 1.05 <= room;
    texts.iter().find(fits).unwrap_or(&texts[last]).clone()
}
