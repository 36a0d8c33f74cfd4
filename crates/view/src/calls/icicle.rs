//! The icicle, or flame graph from above: each call path as wide as what was spent in it, below its caller, the heaviest first.
//!
//! Paths narrower than [`LEAST`] pixels are drawn as one mark for all of a caller, so a picture costs what it shows and not
//! the size of the tree. Of two profiles, or of some places beside the others, colour is the difference.

use std::collections::HashMap;
use std::sync::Arc;

use crosscut_calls::Likeness;
use crosscut_scene::format::{count, fit_end, many, percent, text_width};
use crosscut_scene::palette::{Ramp, slot};
use crosscut_scene::{Camera, Label, LegendItem, Mark, Plot, Rect, Scene};
use crosscut_tree::NodeId;
use crosscut_workbench::{Against, Domain, Drawn, Job, Look, Nodes, Refusal};

use super::domain::CallsDomain;
use super::info;
use super::opened::Opened;
use super::styles::{self, NAME, ON, ON_END, role};
use super::values::Values;

/// Height of a row, and what of it stays free.
const ROW: f32 = 19.0;
const GAP: f32 = 1.0;
/// Narrower ones are drawn together.
const LEAST: f32 = 3.0;
/// A text needs so much.
const TEXT: f32 = 26.0;
/// Rows above what is looked at: the nearest callers.
const ABOVE: usize = 6;
/// Call paths that are drawn at most.
const MOST: usize = 12_000;
/// Left and right of the rows.
const SIDE: f32 = 12.0;
/// Above the rows.
const HEAD: f32 = 26.0;
/// Modules in the legend.
const LEGEND: usize = 8;

/// Draws a look.
pub fn draw(opened: &Opened, look: &Look, with: &[&dyn Domain], job: &Job<'_>) -> Result<Drawn, Refusal> {
    let calls = &*opened.calls;
    let tree = calls.tree();
    let values = Values::of(calls, look, "metric")?;
    let root = match look.option("root") {
        Some(text) if !text.is_empty() => {
            let nodes = Nodes::try_from(text.to_owned()).map_err(Refusal::new)?;
            nodes.first().filter(|&node| tree.contains(node)).unwrap_or(NodeId::ROOT)
        }
        _ => NodeId::ROOT,
    };
    let size = look.size.sound();
    let mut icicle = Icicle {
        opened,
        beside: Beside::of(&values, look, with)?,
        whole: values.inclusive(NodeId::ROOT),
        shaded: look.option("shade") == Some("itself"),
        values,
        drawn: 0,
        merged: 0,
        scene: Scene {
            title: format!("{} · call paths", calls.run().name()),
            width: size.w,
            height: size.h,
            ..Scene::default()
        },
    };
    icicle.head(root);
    let rows = icicle.rows(root, size.w, size.h, job)?;
    icicle.legend();
    icicle.scene.note = Some(icicle.said(root, rows));
    Ok(Drawn::scene(icicle.scene, icicle.drawn))
}

/// What widths are compared with: the same call paths elsewhere.
enum Beside<'a> {
    Nothing,
    Values(Values<'a>),
}

impl<'a> Beside<'a> {
    fn of(values: &Values<'a>, look: &Look, with: &[&'a dyn Domain]) -> Result<Self, Refusal> {
        match &look.against {
            None => Ok(Beside::Nothing),
            Some(Against::Rest) => Ok(values.rest().map_or(Beside::Nothing, Beside::Values)),
            Some(Against::Runs(_)) => {
                let other = with.first().and_then(|other| CallsDomain::of(*other));
                let other = other.ok_or_else(|| Refusal::new("the other run holds no calls"))?;
                let other = values.in_other(other.calls()).ok_or_else(|| {
                    Refusal::new(format!("the other run has no metric `{}`", values.measured.name))
                })?;
                Ok(Beside::Values(other))
            }
        }
    }
}

struct Icicle<'a> {
    opened: &'a Opened,
    values: Values<'a>,
    beside: Beside<'a>,
    /// Of the whole program.
    whole: i64,
    shaded: bool,
    drawn: usize,
    merged: usize,
    scene: Scene,
}

/// A call path that is to be drawn.
#[derive(Clone)]
struct Placed {
    node: NodeId,
    /// The same path in what is compared with; none where nothing is.
    twins: Option<Arc<Twins>>,
    value: i64,
    x: f64,
    w: f64,
    row: usize,
}

/// Call paths that are alike, here and in what is compared with: a function may be there several times, with other lines.
#[derive(Default)]
struct Twins {
    here: Vec<NodeId>,
    there: Vec<NodeId>,
}

impl Twins {
    fn same(node: NodeId) -> Self {
        Twins { here: vec![node], there: vec![node] }
    }
}

impl Icicle<'_> {
    fn head(&mut self, root: NodeId) {
        let peers = &self.values.peers;
        let all = many(peers.len(), peers.each().word());
        let mut text = format!(
            "{} in {}",
            self.values.measured.name,
            match root {
                NodeId::ROOT => "all call paths".to_owned(),
                root => info::name(self.values.calls.frame(root)),
            }
        );
        if self.values.is_scoped() {
            text.push_str(&format!(" · {} of {all}", count(self.values.peer_count() as i64)));
        }
        if !self.opened.part.is_empty() {
            text.push_str(&format!(" · {}", self.opened.part));
        }
        let style = NAME;
        self.scene.labels.push(Label::new((SIDE, 17.0), self.scene.width - 2.0 * SIDE, text, style));
    }

    /// Callers, then everything below; says how many rows.
    fn rows(&mut self, root: NodeId, width: f32, height: f32, job: &Job<'_>) -> Result<usize, Refusal> {
        let tree = self.values.calls.tree();
        let room = f64::from((width - 2.0 * SIDE).max(8.0));
        let rect = Rect { x: 0.0, y: HEAD, w: width, h: (height - HEAD).max(ROW) };
        let title = "call paths".to_owned();
        self.scene.begin(Plot { rect, title, camera: Camera::None, ..Plot::default() });
        let mut above: Vec<NodeId> = tree.ancestors(root).take(ABOVE).collect();
        above.reverse();
        for (row, &node) in above.iter().enumerate() {
            self.caller(node, row, room as f32);
        }
        let twins = self.twins_of(root);
        let value = self.values.inclusive(root);
        let first = Placed { node: root, twins, value, x: 0.0, w: room, row: above.len() };
        let mut rows = above.len() + 1;
        // Row by row, so that what is left out where there is too much is what lies deepest.
        let mut now = vec![first];
        while !now.is_empty() {
            job.check()?;
            let mut next = Vec::new();
            for placed in now {
                self.path(&placed);
                rows = rows.max(placed.row + 1);
                self.children(&placed, &mut next);
            }
            now = next;
            if self.drawn + now.len() > MOST {
                self.merged += now.len();
                break;
            }
        }
        self.scene.end();
        let content = rows as f32 * ROW;
        if let Some(plot) = self.scene.plots.last_mut()
            && content > plot.rect.h
        {
            plot.scroll = Some(content);
        }
        Ok(rows)
    }

    /// What is like a node, found from the program down.
    fn twins_of(&self, root: NodeId) -> Option<Arc<Twins>> {
        let tree = self.values.calls.tree();
        let mut path: Vec<NodeId> = std::iter::once(root).chain(tree.ancestors(root)).collect();
        path.reverse();
        let mut twins = Arc::new(Twins::same(NodeId::ROOT));
        for &node in path.iter().skip(1) {
            twins = self.twins_below(&twins, &[node]).pop()?;
        }
        matches!(self.beside, Beside::Values(_)).then_some(twins)
    }

    /// For each of some callees of call paths that are alike: what is like it.
    fn twins_below(&self, above: &Twins, nodes: &[NodeId]) -> Vec<Arc<Twins>> {
        let calls = self.values.calls;
        let other = match &self.beside {
            Beside::Values(other) if !std::ptr::eq(other.calls, calls) => other.calls,
            _ => return nodes.iter().map(|&node| Arc::new(Twins::same(node))).collect(),
        };
        let likeness = |node: &NodeId| calls.frame(*node).map(|frame| frame.likeness());
        let mut all: HashMap<Option<Likeness<'_>>, Twins> =
            nodes.iter().map(|node| (likeness(node), Twins::default())).collect();
        for child in above.here.iter().flat_map(|&node| calls.tree().children(node)) {
            if let Some(twins) = all.get_mut(&likeness(&child)) {
                twins.here.push(child);
            }
        }
        for child in above.there.iter().flat_map(|&node| other.tree().children(node)) {
            if let Some(twins) = all.get_mut(&other.frame(child).map(|frame| frame.likeness())) {
                twins.there.push(child);
            }
        }
        let all: HashMap<_, Arc<Twins>> =
            all.into_iter().map(|(key, twins)| (key, Arc::new(twins))).collect();
        nodes.iter().filter_map(|node| all.get(&likeness(node)).cloned()).collect()
    }

    fn children(&mut self, of: &Placed, next: &mut Vec<Placed>) {
        if of.value <= 0 {
            return;
        }
        let calls = self.values.calls;
        let per = of.w / of.value as f64;
        let least = f64::from(LEAST) / per;
        let (mut wide, mut narrow, mut first) = (Vec::new(), 0usize, None);
        for child in calls.tree().children(of.node) {
            // Whole sums are at hand; those of some places are added up only where they can be wide enough.
            let value = match calls.inclusive(self.values.metric, child) as f64 >= least {
                true => self.values.inclusive(child),
                false => 0,
            };
            if value as f64 >= least {
                wide.push((value, child));
            } else {
                narrow += 1;
                first.get_or_insert(child);
            }
        }
        wide.sort_by_key(|&(value, child)| (std::cmp::Reverse(value), child));
        let nodes: Vec<NodeId> = wide.iter().map(|&(_, node)| node).collect();
        let twins = of.twins.as_ref().map(|twins| self.twins_below(twins, &nodes));
        let mut x = of.x;
        for (at, &(value, node)) in wide.iter().enumerate() {
            let w = value as f64 * per;
            let twins = twins.as_ref().and_then(|twins| twins.get(at)).cloned();
            next.push(Placed { node, twins, value, x, w, row: of.row + 1 });
            x += w;
        }
        let shown = wide.iter().fold(self.values.own(of.node), |sum, &(value, _)| sum.saturating_add(value));
        let rest = of.value.saturating_sub(shown);
        let w = rest.max(0) as f64 * per;
        if let Some(first) = first.filter(|_| w >= 1.0) {
            self.merged += narrow;
            let style = self.scene.styles.put(&styles::others(narrow));
            let mark = Mark::of(first.0).role(role::OTHERS).looks(style, slot::EDGE);
            let y = HEAD + (of.row + 1) as f32 * ROW;
            let w = (w as f32 - GAP).max(1.0);
            self.scene.boxes.push([SIDE + x as f32, y, w, ROW - GAP], mark);
        }
    }

    /// A caller of what is looked at, as wide as the picture.
    fn caller(&mut self, node: NodeId, row: usize, room: f32) {
        let style = self.scene.styles.put(&styles::CALLER);
        let fill = self.opened.modules().slot(self.values.calls.frame_number(node));
        let mark = Mark::of(node.0).role(role::ABOVE).looks(style, fill);
        let y = HEAD + row as f32 * ROW;
        self.scene.boxes.push([SIDE, y, room, ROW - GAP], mark);
        let name = info::name(self.values.calls.frame(node));
        self.text(node, role::ABOVE, (SIDE, y, room), &name, None);
    }

    fn path(&mut self, placed: &Placed) {
        self.drawn += 1;
        let own = self.values.own(placed.node);
        let share = if placed.value > 0 { own as f64 / placed.value as f64 } else { 0.0 };
        let difference = self.difference(placed);
        let (style, fill) = match difference {
            Some((_, share)) => (styles::SHADED, Ramp::DIFFERENCE.slot(0.5 + share / 2.0)),
            None if self.shaded => (styles::SHADED, Ramp::MORE.slot(share.max(0.0).sqrt())),
            None => {
                let frame = self.values.calls.frame_number(placed.node);
                (styles::path(share >= 0.5), self.opened.modules().slot(frame))
            }
        };
        let style = self.scene.styles.put(&style);
        let (x, w) = (SIDE + placed.x as f32, (placed.w as f32 - GAP).max(1.0));
        let y = HEAD + placed.row as f32 * ROW;
        let mark = Mark::of(placed.node.0).role(role::OWN).looks(style, fill);
        self.scene.boxes.push([x, y, w, ROW - GAP], mark);
        if w < TEXT {
            return;
        }
        let name = info::name(self.values.calls.frame(placed.node));
        let value = match difference {
            Some((difference, _)) => signed(&self.values, difference),
            None => percent(placed.value as f64, self.whole as f64),
        };
        self.text(placed.node, role::OWN, (x, y, w), &name, Some(value));
    }

    /// The name, its end where there is no room for all of it, and the value where there is room for both.
    fn text(
        &mut self,
        node: NodeId,
        role: u8,
        (x, y, w): (f32, f32, f32),
        name: &str,
        value: Option<String>,
    ) {
        let room = w - 8.0;
        let beside = value.map(|value| (text_width(&value), value));
        let fits = beside.filter(|(width, _)| text_width(name) + width + 14.0 <= room);
        if let Some((width, value)) = fits {
            let label = Label::new((x + w - 4.0, y + 13.0), width + 4.0, value, ON_END);
            self.scene.labels.push(label.of(node.0, role));
        }
        if let Some(name) = fit_end(name, room) {
            self.scene.labels.push(Label::new((x + 4.0, y + 13.0), room, name, ON).of(node.0, role));
        }
    }

    /// For each rank: how much more than in what is compared with, and as a share of 0.12 of a rank's time at most ±1, by
    /// its root.
    fn difference(&self, placed: &Placed) -> Option<(f64, f64)> {
        let Beside::Values(other) = &self.beside else { return None };
        let per = |value: i64, values: &Values<'_>| value as f64 / values.peer_count() as f64;
        let sum = |nodes: &[NodeId], values: &Values<'_>| {
            nodes.iter().fold(0i64, |sum, &node| sum.saturating_add(values.inclusive(node)))
        };
        // What several paths here are compared with is shared as they are themselves, so that differences add up.
        let share = |twins: &Twins| match twins.here.len() {
            0 | 1 => 1.0,
            _ => placed.value as f64 / (sum(&twins.here, &self.values) as f64).max(1.0),
        };
        let there = placed.twins.as_ref();
        let there = there.map_or(0.0, |twins| per(sum(&twins.there, other), other) * share(twins));
        let difference = per(placed.value, &self.values) - there;
        let whole = per(self.whole, &self.values).max(1.0);
        let share = (difference.abs() / whole / CLIP).min(1.0).sqrt().copysign(difference);
        Some((difference, share))
    }

    fn legend(&mut self) {
        if let Beside::Values(_) = self.beside {
            let most = self.values.fine(self.whole as f64 / self.values.peer_count() as f64 * CLIP);
            let ends = (format!("−{most}"), format!("+{most}"));
            self.scene.legend.push(LegendItem::ramp(
                Ramp::DIFFERENCE,
                ends,
                format!("difference for each {}", self.values.peers.each().word()),
            ));
            return;
        }
        if self.shaded {
            let ends = ("0".to_owned(), "100 %".to_owned());
            self.scene.legend.push(LegendItem::ramp(
                Ramp::MORE,
                ends,
                "share that a call path spends itself",
            ));
            return;
        }
        let modules = self.opened.modules();
        for (name, slot) in modules.all().take(LEGEND) {
            self.scene.legend.push(LegendItem::new(slot, name));
        }
    }

    fn said(&self, root: NodeId, rows: usize) -> String {
        // The program is no call path.
        let program = usize::from(root == NodeId::ROOT);
        let all = self.values.calls.subtree(root).len().saturating_sub(program);
        let mut said = format!(
            "{} of {} drawn, {} deep; 100 % are {}",
            count(self.drawn.saturating_sub(program) as i64),
            many(all, "call path"),
            rows,
            self.values.text(self.whole)
        );
        if self.merged > 0 {
            said.push_str(&format!(
                "; paths narrower than {LEAST} px are hatched: double click looks closer"
            ));
        }
        said
    }
}

/// Where the colour of a difference ends, as a share of a rank's time.
const CLIP: f64 = 0.12;

fn signed(values: &Values<'_>, difference: f64) -> String {
    let text = values.fine(difference.abs());
    if difference < 0.0 { format!("−{text}") } else { format!("+{text}") }
}
