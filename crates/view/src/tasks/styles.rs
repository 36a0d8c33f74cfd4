//! The styles of task DAGs, grain graphs and timelines: what is told by form, and in which words. Layouts put those they
//! use into the scene's table.

use std::borrow::Cow;

use crosscut_scene::format::text_width;
use crosscut_scene::palette::slot;
use crosscut_scene::{
    Align, Dash, Fill, Ink, Inner, Label, Mark, Plate, Press, Scene, Shape, Stroke, Style, TextStyle, rank,
};
use crosscut_tasks::schema::Kind;
use crosscut_workbench::Lost;

/// Roles of marks: they tell apart several marks of one node.
pub mod role {
    /// The node itself.
    pub const OWN: u8 = 0;
    /// Folded siblings, told apart by their order.
    pub const FOLD: u8 = 1;
    /// Where the members of a fork-join begin.
    pub const FORK: u8 = 2;
    /// Where they end.
    pub const JOIN: u8 = 3;
    /// The sign that closes an open group.
    pub const SHUT: u8 = 4;
    /// The bar of the critical path.
    pub const SPINE: u8 = 5;
    /// A sign: the problem is inside, or is not.
    pub const SIGN: u8 = 6;
    /// What lies behind a row.
    pub const ROW: u8 = 7;
    /// The first of the other parts.
    pub const PART: u8 = 8;
    /// Time that was lost.
    pub const LOST: u8 = 9;
    /// A link of a chain.
    pub const LINK: u8 = 10;
}

/// What an edge says; also its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum LinkKind {
    /// create → first interval of the child.
    Create = 0,
    /// The same task goes on.
    Continue = 1,
    /// Last interval of a child → the interval after the wait.
    Sync = 2,
    /// A dependence between tasks that the tree does not hold.
    Depend = 3,
}

/// Stands at the end of what a mark on the critical path is.
pub const CRITICAL: &str = "on the critical path";
/// Stands at the end of what a mark with the problem that is looked at is.
pub const PROBLEM: &str = "with the problem";
/// Stands at the end of what a mark without it is.
pub const WITHOUT: &str = "without the problem";

const RED: Stroke = Stroke::Slot(slot::RED);
const EDGE: Stroke = Stroke::Slot(slot::EDGE);

/// What it is, then what is to be said about it; without a copy, since every mark asks for it.
macro_rules! said {
    ($what:literal, $lens:expr, $critical:expr) => {
        Cow::Borrowed(match ($lens, $critical) {
            (Lens::None, false) => $what,
            (Lens::None, true) => concat!($what, ", on the critical path"),
            (Lens::Has, false) => concat!($what, ", with the problem"),
            (Lens::Has, true) => concat!($what, ", with the problem, on the critical path"),
            (Lens::Not, false) => concat!($what, ", without the problem"),
            (Lens::Not, true) => concat!($what, ", without the problem, on the critical path"),
        })
    };
    ($what:literal, $critical:expr) => {
        said!($what, Lens::None, $critical)
    };
}

/// The same with a red border, if it lies on the critical path.
fn on_path(style: Style, critical: bool) -> Style {
    if critical { Style { stroke: RED, width: 2.0, dash: Dash::Solid, ..style } } else { style }
}

/// An interval of the DAG: its end is told by its shape.
pub fn leaf(kind: Kind, critical: bool) -> Style {
    let shape = match kind {
        Kind::Create | Kind::Fork => Shape::Notch,
        Kind::Wait => Shape::Funnel,
        Kind::End => Shape::Soft,
        Kind::Chunk => Shape::Slant,
        _ => Shape::Rect,
    };
    let meaning = match kind {
        Kind::Create => said!("create", critical),
        Kind::Fork => said!("fork", critical),
        Kind::Wait => said!("wait", critical),
        Kind::End => said!("end", critical),
        Kind::Chunk => said!("chunk", critical),
        _ => said!("other", critical),
    };
    on_path(Style { shape, stroke: Stroke::Own, foot: kind == Kind::End, meaning, ..Style::BOX }, critical)
}

/// A task or section whose inside is not shown; `inside` says whether there is any.
pub fn closed(kind: Kind, inside: bool, collapsed: bool, critical: bool) -> Style {
    let shape = if kind == Kind::Task { Shape::Round } else { Shape::Soft };
    let (inner, press) = match (collapsed, inside) {
        (true, _) => (Inner::Dots, Press::None),
        (_, true) => (Inner::Line, Press::Open),
        _ => (Inner::None, Press::None),
    };
    let meaning = match (kind == Kind::Task, collapsed) {
        (true, false) => said!("closed task", critical),
        (false, false) => said!("closed section", critical),
        (true, true) => said!("closed task, collapsed while recording", critical),
        (false, true) => said!("closed section, collapsed while recording", critical),
    };
    let style = Style { shape, fill: Fill::Tint, stroke: Stroke::Own, inner, press, meaning, ..Style::BOX };
    on_path(style, critical)
}

/// An opened node, drawn behind its members.
pub fn open(what: &'static str) -> Style {
    Style {
        shape: Shape::Envelope,
        stroke: Stroke::Slot(slot::LINE),
        press: Press::Close,
        rank: rank::BACK,
        meaning: Cow::Borrowed(what),
        ..Style::BOX
    }
}

/// An opened group; `several` says that it stands for others alike to it, too.
pub fn open_group(several: bool) -> Style {
    if several {
        Style { sheets: 2, ..open("open group, stands for others alike") }
    } else {
        open("open group")
    }
}

/// Folded siblings.
pub fn fold(lens: Lens, critical: bool) -> Style {
    let meaning = said!("folded siblings", lens, critical);
    let style = Style {
        shape: Shape::Round,
        stroke: EDGE,
        dash: Dash::Dashed,
        sheets: 2,
        press: Press::Spread,
        meaning,
        ..Style::BOX
    };
    match lens {
        Lens::Has => rim(style, 2),
        _ => on_path(style, critical && lens == Lens::None),
    }
}

/// A part of a closed node: a share of its mix, a bar.
pub const PART: Style = Style::PART;

/// An edge; those of the critical path lie above the others.
pub fn link(kind: LinkKind, critical: bool) -> Style {
    let (width, dash, above, meaning) = match kind {
        LinkKind::Sync => (1.0, Dash::Fine, 0, said!("waits for", critical)),
        LinkKind::Continue => (1.0, Dash::Solid, 1, said!("goes on", critical)),
        LinkKind::Create => (1.0, Dash::Solid, 2, said!("creates", critical)),
        LinkKind::Depend => (2.0, Dash::Solid, 3, said!("is needed by", critical)),
    };
    let style = Style {
        width,
        dash,
        arrow: kind == LinkKind::Depend,
        rank: rank::LINK + above + if critical { 4 } else { 0 },
        meaning,
        ..Style::LINK
    };
    if critical { Style { stroke: RED, width: 2.0, ..style } } else { style }
}

/// An edge of the grain graph: one after the other stands out against what forks and joins.
pub fn grain_link(kind: LinkKind, critical: bool) -> Style {
    let style = link(kind, critical);
    if kind == LinkKind::Continue && !critical { Style { width: 2.0, ..style } } else { style }
}

/// What a problem that is looked at says about a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lens {
    /// No problem is looked at.
    None,
    /// It has the problem, or holds grains that have it.
    Has,
    /// It has nothing of it.
    Not,
}

/// The worse, the thicker.
const RIMS: [f32; 3] = [1.5, 2.0, 3.0];

/// A border that tells how far beyond its threshold something is (0, 1, 2).
fn rim(style: Style, bad: u16) -> Style {
    let bad = bad.min(2);
    Style {
        stroke: Stroke::Slot(slot::PROBLEM + bad),
        width: RIMS[usize::from(bad)],
        dash: Dash::Solid,
        inner: Inner::Light,
        ..style
    }
}

/// A grain, or several alike; `bad` tells how far beyond the threshold it is.
pub fn grain(lens: Lens, bad: u16, folded: bool, several: bool, critical: bool) -> Style {
    let meaning = match (several, folded) {
        (true, _) => said!("grains alike", lens, critical),
        (_, true) => said!("grain, folded while recording", lens, critical),
        _ => said!("grain", lens, critical),
    };
    let mut style = Style { shape: Shape::Soft, stroke: Stroke::Own, meaning, ..Style::BOX };
    if several {
        (style.sheets, style.press, style.stroke, style.dash) = (2, Press::Spread, EDGE, Dash::Dashed);
    }
    match lens {
        Lens::None => on_path(style, critical),
        Lens::Has => rim(style, bad),
        Lens::Not => Style { fill: Fill::Faint, stroke: Stroke::Slot(slot::LINE), ..style },
    }
}

/// A closed group, several alike, or others folded together: no fill, its border tells whether it holds the problem.
pub fn group(what: Group, lens: Lens, critical: bool) -> Style {
    let (meaning, press, sheets, dash) = match what {
        Group::Closed => (said!("closed group", lens, critical), Press::Open, 0, Dash::Solid),
        Group::Alike => (said!("closed groups alike", lens, critical), Press::Open, 2, Dash::Solid),
        Group::Others => (said!("folded members", lens, critical), Press::Spread, 0, Dash::Dashed),
    };
    let (stroke, width) = match lens {
        Lens::Has => (RED, 2.25),
        Lens::Not => (Stroke::Slot(slot::GOOD), 1.25),
        Lens::None if critical => (RED, 2.25),
        Lens::None => (EDGE, 1.25),
    };
    Style {
        shape: Shape::Round,
        fill: Fill::Surface,
        stroke,
        width,
        dash,
        sheets,
        press,
        meaning,
        ..Style::BOX
    }
}

/// What a mark without a fill stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// One closed group.
    Closed,
    /// Several groups that are alike.
    Alike,
    /// Members that were folded together.
    Others,
}

/// The critical path while borders belong to a lens: a red bar at the left.
pub fn spine() -> Style {
    Style { rank: rank::RIM, meaning: Cow::Borrowed(CRITICAL), ..Style::PART }
}

/// A fork or a join: closes its group.
pub fn joint(fork: bool) -> Style {
    let (shape, what) = if fork { (Shape::TriangleDown, "fork") } else { (Shape::TriangleUp, "join") };
    Style { shape, press: Press::Close, rank: rank::PART, meaning: Cow::Borrowed(what), ..Style::BOX }
}

/// The sign in the corner of what is closed: whether it holds the problem.
pub fn sign(has: bool) -> Style {
    let style = Style { rank: rank::SIGN, ..Style::PART };
    if has {
        Style { shape: Shape::Alert, meaning: Cow::Borrowed("problem inside"), ..style }
    } else {
        let stroke = Stroke::Slot(slot::GOOD);
        let meaning = Cow::Borrowed("no problem inside");
        Style { shape: Shape::Check, fill: Fill::Surface, stroke, meaning, ..style }
    }
}

/// The sign in the corner of an open group: closes it.
pub fn shut() -> Style {
    Style {
        shape: Shape::Minus,
        fill: Fill::None,
        stroke: EDGE,
        hit: true,
        live: true,
        press: Press::Close,
        meaning: Cow::Borrowed("close"),
        ..Style::PART
    }
}

/// An interval of a timeline.
pub const INTERVAL: Style = Style { meaning: Cow::Borrowed("interval"), ..Style::BOX };

/// What lies behind a row of a timeline: only there to be pressed.
pub const ROW: Style =
    Style { fill: Fill::None, live: true, rank: rank::BACK, meaning: Cow::Borrowed("worker"), ..Style::BOX };

/// Cells of a timeline.
pub const CELLS: Style = Style { meaning: Cow::Borrowed("longest of several"), ..Style::GROUND };

/// A layer of the profile.
pub const LAYER: Style = Style::GROUND;

/// A line at a value.
pub const LEVEL: Style = Style {
    stroke: Stroke::Slot(slot::TEXT),
    dash: Dash::Dashed,
    opacity: 0.55,
    rank: rank::RIM,
    ..Style::LINK
};

/// What a grain lacks to the longest of its group.
pub fn unused() -> Style {
    Style { fill: Fill::Dots, opacity: 0.5, rank: rank::BAND, ..Style::PART }
}

/// Around the mark that proves a finding.
pub const PROOF: Style = Style {
    fill: Fill::None,
    stroke: RED,
    width: 2.0,
    hit: false,
    rank: rank::RIM,
    meaning: Cow::Borrowed("what shows it"),
    ..Style::BOX
};

/// A link of a chain of dependences, or several.
pub fn chained() -> Style {
    Style { rank: rank::PART, meaning: Cow::Borrowed("link of a chain"), ..Style::BOX }
}

/// A serial part of the program between groups of grains.
pub fn serial(meaning: String) -> Style {
    Style { shape: Shape::Round, fill: Fill::Level, stroke: EDGE, meaning: Cow::Owned(meaning), ..Style::BOX }
}

/// A ruler.
pub const RULER: Style = Style { rank: rank::LINK, ..Style::LINK };

/// Time that was lost, by its cause.
pub fn lost(lost: &Lost) -> Style {
    let meaning = match lost.number {
        Some(number) => format!("lost: {} (finding {number})", lost.what),
        None => format!("lost: {}", lost.what),
    };
    Style { fill: lost.hatch.0, rank: rank::BACK + 1, meaning: Cow::Owned(meaning), ..Style::BOX }
}

/// The disc with the number of a finding.
const BADGE: Style = Style { hit: false, rank: rank::SIGN, ..Style::POINT };

/// The number of a finding on its largest stretch, and what it is, where there is room.
pub fn badge(scene: &mut Scene, lost: &Lost, at: (f32, f32, f32, f32)) {
    let Some((x, y)) = number(scene, lost, at) else { return };
    let beside = at.0 + at.2 - x - 4.0;
    if text_width(&lost.what) <= beside {
        let plain = TextStyle { ink: Ink::Slot(slot::TEXT), plate: Plate::Plain, ..TextStyle::PLAIN };
        scene.labels.push(Label::new((x, y), beside, lost.what.clone(), plain));
    }
}

/// The number of a finding, where there is room; says where a text beside it begins.
pub fn number(scene: &mut Scene, lost: &Lost, (x, y, w, h): (f32, f32, f32, f32)) -> Option<(f32, f32)> {
    const RADIUS: f32 = 8.0;
    let number = lost.number?;
    if w < 2.5 * RADIUS || h < 2.0 * RADIUS {
        return None;
    }
    let style = scene.styles.put(&BADGE);
    let (cx, cy) = (x + RADIUS + 4.0, y + (h / 2.0).min(RADIUS + 6.0));
    scene.points.push([cx, cy, RADIUS], Mark::none().role(role::SIGN).looks(style, slot::RED));
    let text =
        TextStyle { align: Align::Middle, bold: true, ink: Ink::Slot(slot::SURFACE), ..TextStyle::PLAIN };
    scene.labels.push(Label::new((cx, cy + 4.0), 2.0 * RADIUS, number.to_string(), text));
    Some((cx + RADIUS + 6.0, cy + 4.0))
}
