//! Marks and texts of laid out parts.

use std::collections::BTreeMap;

use crosscut_scene::{Align, Ink, Label, LegendItem, Mark, Plate, Plot, Scene, Style, TextStyle};
use crosscut_tasks::grain::GrainKind;
use crosscut_tree::{Fold, NodeId};

use super::parts::{Part, What, members};
use super::place::{Critical, Pair, Placement, Rect, size};
use super::shown::Totals;
use super::{GrainOptions, Seen};
use crate::format::{count, fit_end, short_count, text_width, three, time};
use crate::tasks::colour::Painter;
use crate::tasks::dag::Scale;
use crate::tasks::styles::{self, Group, Lens, LinkKind, role};
use crosscut_scene::palette::slot;

/// With more boxes than this, each gets less room.
const DENSE: usize = 160;
/// Room for the sign in the corner of an open group.
const CLOSES: f32 = 20.0;
/// Dependences at most.
const MOST_DEPENDS: usize = 4096;

/// Room for grains and for groups.
struct Room {
    grain: (f32, f32),
    group: (f32, f32),
}

const WIDE: Room = Room { grain: (84.0, 30.0), group: (148.0, 48.0) };
const TIGHT: Room = Room { grain: (18.0, 14.0), group: (104.0, 42.0) };

/// Sizes of visible parts; whole pixels, so that edges are sharp.
pub fn set_sizes(seen: &Seen<'_>, parts: &mut [Part], scale: Scale) {
    let boxes = parts.iter().filter(|part| part.what != What::Open).count();
    let room = if boxes > DENSE { TIGHT } else { WIDE };
    let elapsed = |part: &Part| seen.grains.critical_path(part.node).max(0);
    let grains = || parts.iter().filter(|part| part.what == What::Grain);
    let longest = grains().map(elapsed).max().unwrap_or(0).max(1);
    // Grains that have the problem keep the room for their texts as long as they are few.
    let flagged = |part: &Part| seen.lens.is_some() && part.whole.problems > 0;
    let few = grains().filter(|part| flagged(part)).count() <= DENSE;
    // A power of two: the scale stays when a group of much the same grains is opened.
    let full = (longest as u64).next_power_of_two() as f64;
    for part in parts.iter_mut() {
        if part.what != What::Grain {
            (part.w, part.h) = room.group;
            continue;
        }
        let (w, even) = if few && flagged(part) { WIDE.grain } else { room.grain };
        let time = elapsed(part) as f64;
        part.w = w;
        part.h = match scale {
            Scale::Even => even,
            Scale::Log => (even / 2.0 + 9.0 * (1.0 + time).log10() as f32).round(),
            Scale::Linear | Scale::Group => ((320.0 * time / full) as f32).round().max(4.0),
        };
    }
    if scale == Scale::Group {
        compare_members(seen, parts);
    }
}

/// The height of the longest grain of a group, least and most.
const FULL: (f32, f32) = (30.0, 190.0);
/// The height of a grain at least.
const SLIVER: f32 = 3.0;

/// Grains of one group on a scale of their own, linear and from zero: siblings are compared exactly, groups only roughly, by
/// the square root of their longest grain.
fn compare_members(seen: &Seen<'_>, parts: &mut [Part]) {
    let elapsed = |part: &Part| seen.grains.critical_path(part.node).max(0);
    let is_grain = |part: &Part| part.what == What::Grain;
    let most = parts.iter().filter(|part| is_grain(part)).map(elapsed).max().unwrap_or(0).max(1);
    for open in 0..parts.len() {
        if parts[open].what != What::Open {
            continue;
        }
        let grains: Vec<usize> = members(parts, open).filter(|&member| is_grain(&parts[member])).collect();
        let longest = grains.iter().map(|&member| elapsed(&parts[member])).max().unwrap_or(0).max(1);
        let high = (FULL.1 * (longest as f32 / most as f32).sqrt()).round().clamp(FULL.0, FULL.1);
        for &member in &grains {
            let part = &mut parts[member];
            let time = elapsed(part) as f32;
            (part.full, part.longest) = (high, longest);
            part.h = (high * time / longest as f32).round().max(SLIVER);
        }
        if grains.len() > 1 && parts[open].is_parallel() {
            (parts[open].full, parts[open].longest) = (high, longest);
        }
    }
}

/// Dependences between members of one fork-join, in the order of those that need the others.
pub fn depends(seen: &Seen<'_>, parts: &[Part]) -> Vec<(usize, usize)> {
    let tasks = seen.tasks;
    let mut found = Vec::new();
    if tasks.depends_into(0..tasks.tree().node_count()).len() == 0 {
        return found;
    }
    for open in 0..parts.len() {
        if parts[open].what != What::Open || !parts[open].is_parallel() {
            continue;
        }
        let mut by_task: BTreeMap<u32, usize> = BTreeMap::new();
        for member in members(parts, open).filter(|&m| !matches!(parts[m].what, What::Folded(_))) {
            let task = seen.grains.task(parts[member].node);
            for from in tasks.depends_on(task) {
                if let Some(&from) = by_task.get(from)
                    && found.len() < MOST_DEPENDS
                {
                    found.push((from, member));
                }
            }
            by_task.insert(task.0, member);
        }
    }
    found
}

/// Marks, edges and texts.
pub fn draw(
    seen: &Seen<'_>,
    parts: &[Part],
    placement: &Placement,
    critical: &Critical,
    depends: &[(usize, usize)],
    options: &GrainOptions,
) -> Scene {
    let mut scene = Scene::default();
    if let Some(root) = placement.rects.first() {
        (scene.width, scene.height) = (root.w, root.y + root.h);
    }
    scene.begin(Plot::graph(scene.width, scene.height));
    let closed = parts.iter().filter(|part| !matches!(part.what, What::Open | What::Grain));
    let most = closed.map(|part| part.whole.work).max().unwrap_or(0).max(1);
    let roomy = parts.iter().filter(|part| part.what != What::Open).count() <= DENSE;
    let painter = Painter::new(seen.tasks, options.colour);
    let mut pen = Pen { seen, painter, most, roomy, scene };
    for (i, part) in parts.iter().enumerate() {
        pen.part(part, placement.rects[i], critical.through[i]);
    }
    for &(open, at) in &placement.rulers {
        pen.ruler(&parts[open], at);
    }
    for &Pair { part: open, fork, join } in &placement.ends {
        for ((x, y), role) in [(fork, role::FORK), (join, role::JOIN)] {
            let fill = if critical.through[open] { slot::RED } else { slot::EDGE };
            let half = size::NODE / 2.0;
            let rect = Rect { x: x - half, y: y - half, w: size::NODE, h: size::NODE, ..Rect::default() };
            pen.push(rect, parts[open].node, fill, &styles::joint(role == role::FORK), role);
        }
    }
    let mut scene = pen.scene;
    let mut link = |a: (f32, f32), b: (f32, f32), from: usize, to: usize, kind: LinkKind, critical: bool| {
        let mark = Mark::pair(parts[from].node.0, parts[to].node.0).role(kind as u8);
        let style = scene.styles.put(&styles::grain_link(kind, critical));
        scene.links.push([a.0, a.1, b.0, b.1], mark.looks(style, slot::EDGE));
    };
    for stroke in &placement.strokes {
        link(stroke.a, stroke.b, stroke.from, stroke.to, stroke.kind, stroke.critical);
    }
    for &(from, to) in depends {
        // Beside the axis, on which the edges from the fork and to the join run.
        let beside = |part: usize, (x, y): (f32, f32)| match parts[part].what {
            What::Open => (x, y),
            _ => (x + placement.rects[part].w / 4.0, y),
        };
        let a = beside(from, placement.rects[from].exit());
        let b = beside(to, placement.rects[to].entry());
        link(a, b, from, to, LinkKind::Depend, critical.through[from] && critical.through[to]);
    }
    scene.title = format!("{} · grain graph", seen.tasks.run().name());
    scene.legend = legend(seen, pen.painter.legend());
    scene.note = note(seen, parts);
    scene
}

fn legend(seen: &Seen<'_>, mut legend: Vec<LegendItem>) -> Vec<LegendItem> {
    if let Some(set) = seen.lens {
        let sign = if set.problem.is_below() { '<' } else { '>' };
        let what = format!("{} {sign} {}", set.problem.metric(), three(set.threshold));
        for (k, how) in ["", ", clearly", ", by far"].into_iter().enumerate() {
            legend.push(LegendItem::new(slot::PROBLEM + k as u16, format!("{what}{how}")));
        }
        legend.push(LegendItem::new(slot::GOOD, "no such grain inside"));
    }
    legend
}

fn note(seen: &Seen<'_>, parts: &[Part]) -> Option<String> {
    let mut said: Vec<String> = Vec::new();
    if let Some(set) = seen.lens {
        said.push(match set.grains {
            0 => format!("no grain has the problem {}", set.problem),
            1 => format!("1 grain has the problem {}", set.problem),
            n => format!("{} grains have the problem {}", count(n as i64), set.problem),
        });
    }
    let folded: i64 = parts
        .iter()
        .filter(|part| matches!(part.what, What::Folded(_)))
        .map(|part| i64::from(part.count))
        .sum();
    if folded > 0 {
        said.push(format!("{} members are folded into \"× n\" marks", count(folded)));
    }
    (!said.is_empty()).then(|| said.join("; "))
}

/// How far beyond its threshold a value is: 0, 1 or 2.
pub fn severity(value: f64, threshold: f64, below: bool) -> u16 {
    let (bad, good) = if below { (threshold, value) } else { (value, threshold) };
    let times = if good > 0.0 { bad / good } else { f64::INFINITY };
    match times {
        t if t < 1.5 => 0,
        t if t < 4.0 => 1,
        _ => 2,
    }
}

struct Pen<'a> {
    seen: &'a Seen<'a>,
    painter: Painter<'a>,
    /// Most work of a mark that stands for several grains.
    most: i64,
    /// There is room for what only helps.
    roomy: bool,
    scene: Scene,
}

impl Pen<'_> {
    fn push(&mut self, rect: Rect, node: NodeId, fill: u16, style: &Style, role: u8) {
        let mark = Mark::of(node.0).role(role).looks(self.scene.styles.put(style), fill);
        self.scene.boxes.push([rect.x, rect.y, rect.w, rect.h], mark);
    }

    fn bit(&mut self, (x, y, w, h): (f32, f32, f32, f32), node: NodeId, fill: u16) {
        let rect = Rect { x, y, w, h, ..Rect::default() };
        self.push(rect, node, fill, &styles::PART, role::PART);
    }

    fn label(&mut self, at: (f32, f32), w: f32, text: String, node: NodeId, role: u8) {
        self.scene.labels.push(Label::new(at, w, text, TextStyle::PLAIN).of(node.0, role));
    }

    /// While borders belong to a lens, a bar at the left tells the critical path.
    fn spine(&mut self, rect: Rect, node: NodeId) {
        let side = (rect.h / 4.0).min(4.0);
        let (w, h) = ((rect.w / 4.0).clamp(1.0, 3.5), (rect.h - 2.0 * side).max(1.0));
        let bar = Rect { x: rect.x - 1.0, y: rect.y + side, w, h, ..Rect::default() };
        self.push(bar, node, slot::RED, &styles::spine(), role::SPINE);
    }

    /// The sign in the corner that closes an open group.
    fn shut(&mut self, rect: Rect, node: NodeId) {
        if rect.w > CLOSES * 3.6 {
            let sign = Rect { x: rect.x + rect.w - 13.0, y: rect.y + 4.0, w: 9.0, h: 9.0, ..Rect::default() };
            self.push(sign, node, slot::EDGE, &styles::shut(), role::SHUT);
        }
    }

    fn part(&mut self, part: &Part, rect: Rect, critical: bool) {
        let lens = match self.seen.lens {
            None => Lens::None,
            Some(_) if part.whole.problems > 0 => Lens::Has,
            Some(_) => Lens::Not,
        };
        let (node, own) = (part.node, role::OWN);
        let task = self.seen.grains.task(part.node);
        match part.what {
            What::Open => {
                // The path is told by what it goes through; all that encloses it in red would drown it.
                self.push(rect, node, slot::ENVELOPE, &styles::open_group(part.count > 1), own);
                self.shut(rect, node);
                self.title(part, rect);
            }
            What::Grain => {
                let fill = self.painter.paint(task, 1);
                let folded = part.kind == GrainKind::Folded;
                let bad = self.severity(part);
                let slot = rect;
                let rect = Rect { h: part.h, ..rect };
                self.unused(slot, rect, node);
                self.push(
                    rect,
                    node,
                    fill,
                    &styles::grain(lens, bad.unwrap_or(0), folded, false, critical),
                    own,
                );
                let marked = bad.map_or(0.0, |bad| self.marks(part, rect, bad));
                if rect.h >= 28.0 || slot.h <= rect.h {
                    self.grain_labels(part, rect, marked);
                } else if self.roomy {
                    self.labels_below(part, slot, rect.h);
                }
            }
            What::Folded(Fold::Gap) => {
                self.push(rect, node, slot::REPEAT, &styles::fold(lens, critical), own);
                self.share(part, rect);
                self.group_labels(part, rect, "more");
            }
            What::Folded(fold) => {
                let group = part.kind.is_group();
                let alike = fold == Fold::Alike;
                let style = match (alike, group) {
                    (true, true) => styles::group(Group::Alike, lens, critical),
                    (true, false) => styles::grain(lens, 0, false, true, critical),
                    _ => styles::group(Group::Others, lens, critical),
                };
                let fill = if alike { self.painter.paint(task, 1) } else { slot::MUTED };
                self.push(rect, node, fill, &style, own);
                if alike && group {
                    self.strip(part, rect, fill);
                }
                self.share(part, rect);
                self.group_labels(part, rect, if alike { "alike" } else { "others" });
            }
            What::Closed => {
                let fill = self.painter.paint(task, 1);
                self.push(rect, node, fill, &styles::group(Group::Closed, lens, critical), own);
                self.strip(part, rect, fill);
                self.share(part, rect);
                self.group_labels(part, rect, "");
            }
        }
        if critical && lens != Lens::None && part.what != What::Open {
            self.spine(rect, node);
        }
    }

    /// What a grain lacks to the longest of its group.
    fn unused(&mut self, slot: Rect, rect: Rect, node: NodeId) {
        if slot.h > rect.h && self.roomy {
            let rest = Rect { y: rect.y + rect.h, h: slot.h - rect.h, ..slot };
            self.push(rest, node, slot::LOST, &styles::unused(), role::PART);
        }
    }

    /// Labels of a grain too short to hold them, below it.
    fn labels_below(&mut self, part: &Part, slot: Rect, high: f32) {
        let room = slot.w - 10.0;
        let style = TextStyle { ink: Ink::Slot(slot::TEXT), plate: Plate::Halo, ..TextStyle::PLAIN };
        let mut y = slot.y + high + 12.0;
        for text in [fit_end(&self.source(part), room), Some(self.time(part.whole.work))] {
            let Some(text) = text.filter(|text| text_width(text) <= room) else { continue };
            if y + 2.0 > slot.y + slot.h {
                break;
            }
            self.scene.labels.push(Label::new((slot.x + 6.0, y), room, text, style));
            y += 12.5;
        }
    }

    /// The scale of the members of an open fork-join: the height that its longest grain has, and what that is.
    fn ruler(&mut self, part: &Part, (x, y): (f32, f32)) {
        let style = self.scene.styles.put(&styles::RULER);
        let mark = Mark::of(part.node.0).role(role::PART).looks(style, slot::EDGE);
        for line in [
            [x, y, x, y + part.full],
            [x - 3.0, y, x + 3.0, y],
            [x - 3.0, y + part.full, x + 3.0, y + part.full],
        ] {
            self.scene.links.push(line, mark);
        }
        let text = TextStyle { align: Align::End, ink: Ink::Slot(slot::FAINT), ..TextStyle::PLAIN };
        let at = (x - 5.0, y + part.full / 2.0 + 4.0);
        self.scene.labels.push(Label::new(at, size::RULER - 8.0, self.time(part.longest), text));
    }

    /// The colour of a group, since it has no fill.
    fn strip(&mut self, part: &Part, rect: Rect, fill: u16) {
        self.bit((rect.x + 4.0, rect.y + 5.0, 3.0, rect.h - 10.0), part.node, fill);
    }

    /// A bar at the foot: how much of a group has the problem; without a lens its work against the most that one has.
    fn share(&mut self, part: &Part, rect: Rect) {
        let Totals { grains, problems, work } = part.whole;
        if grains == 0 {
            return;
        }
        let (x, y, w) = (rect.x + 11.0, rect.y + rect.h - 6.0, rect.w - 19.0);
        if self.seen.lens.is_none() {
            let full = (f64::from(w) * work.max(0) as f64 / self.most as f64) as f32;
            return self.bit((x, y, full.max(1.0), 3.0), part.node, slot::SEVERAL);
        }
        self.bit((x, y, w, 3.0), part.node, slot::MUTED);
        if problems > 0 {
            // A little is seen, too.
            let full = (f64::from(w) * problems as f64 / grains as f64) as f32;
            self.bit((x, y, full.max(2.0), 3.0), part.node, slot::PROBLEM + 2);
        }
    }

    /// Small squares in the lower corner of a grain that has the problem: more of them, and redder, the worse it is. Says how
    /// wide they are; the name of the grain, in the upper corner, keeps its room.
    fn marks(&mut self, part: &Part, rect: Rect, bad: u16) -> f32 {
        let side = if rect.w < 40.0 { 3.0 } else { 5.0 };
        if rect.h < side + 4.0 {
            return 0.0;
        }
        for k in 0..=bad {
            let x = rect.x + rect.w - 4.0 - side - f32::from(k) * (side + 1.0);
            self.bit((x, rect.y + rect.h - 4.0 - side, side, side), part.node, slot::PROBLEM + bad);
        }
        4.0 + f32::from(bad + 1) * (side + 1.0)
    }

    /// How far beyond the threshold a grain is that has the problem.
    fn severity(&self, part: &Part) -> Option<u16> {
        let set = self.seen.lens.filter(|_| part.whole.problems > 0)?;
        let value = self.seen.grains.problem_value(set.problem, part.node, self.seen.deviation);
        Some(severity(value.unwrap_or(set.threshold), set.threshold, set.problem.is_below()))
    }

    fn source(&self, part: &Part) -> String {
        let tasks = self.seen.tasks;
        match tasks.sources().from(tasks.site(self.seen.grains.task(part.node))) {
            Some(source) => source.short(),
            None => part.kind.word().to_owned(),
        }
    }

    fn time(&self, work: i64) -> String {
        time(work as f64, self.seen.tasks.clock())
    }

    /// As many lines as there is room for, each with its own room, the first ones first.
    fn lines(&mut self, rect: Rect, x: f32, lines: [(Option<String>, f32); 2], node: NodeId) {
        const LINE: f32 = 12.5;
        let mut y = rect.y + 13.0;
        for (text, w) in lines {
            let Some(text) = text.filter(|text| text_width(text) <= w) else { continue };
            if y + 2.0 > rect.y + rect.h {
                break;
            }
            self.label((x, y), w, text, node, role::OWN);
            y += LINE;
        }
    }

    fn grain_labels(&mut self, part: &Part, rect: Rect, marked: f32) {
        let room = rect.w - 10.0;
        let source = fit_end(&self.source(part), room);
        let work = self.time(part.whole.work);
        // A tall grain has its second line above the squares.
        let beside = if rect.h < 40.0 { marked } else { 0.0 };
        self.lines(rect, rect.x + 6.0, [(source, room), (Some(work), room - beside)], part.node);
    }

    fn group_labels(&mut self, part: &Part, rect: Rect, fold: &str) {
        let lens = self.seen.lens.is_some();
        let (x, room) = (rect.x + 11.0, rect.w - 17.0);
        let first_room = room - if lens { 10.0 } else { 0.0 };
        let first = if fold.is_empty() {
            fit_end(&self.source(part), first_room)
        } else {
            let (times, source) = (format!("× {}", count(i64::from(part.count))), self.source(part));
            let short = format!("{times} {fold}");
            let named = [format!("{short} · {source}"), format!("{times} · {source}")];
            let fits = named.into_iter().find(|text| fold == "alike" && text_width(text) <= first_room);
            Some(fits.unwrap_or(short))
        };
        let work = self.time(part.whole.work);
        let grains = match part.whole.grains {
            1 => "1 grain".to_owned(),
            n => format!("{} grains", short_count(n)),
        };
        let texts = [format!("{grains} · {work}"), grains, work];
        let second = texts.into_iter().find(|text| text_width(text) <= room);
        self.lines(rect, x, [(first, first_room), (second, room)], part.node);
        if lens && part.kind.is_group() | (part.count > 1) {
            let has = part.whole.problems > 0;
            let style = self.scene.styles.put(&styles::sign(has));
            let fill = if has { slot::RED } else { slot::GOOD };
            let mark = Mark::of(part.node.0).role(role::SIGN).looks(style, fill);
            self.scene.points.push([rect.x + rect.w - 11.0, rect.y + 11.0, 5.5], mark);
        }
    }

    /// The title of an open group, left of the axis, where no edge is.
    fn title(&mut self, part: &Part, rect: Rect) {
        let x = rect.x + 6.0;
        let room = rect.axis - 6.0 - size::NODE;
        let kind = if part.is_parallel() { "fork-join" } else { "linear" };
        let source = self.source(part);
        let grains = match part.whole.grains / i64::from(part.count.max(1)) {
            1 => "1 grain".to_owned(),
            n => format!("{} grains", short_count(n)),
        };
        let work = self.time(part.whole.work);
        let texts = if part.count > 1 {
            // That it stands for others is said even where there is hardly any room.
            let (times, few) = (count(i64::from(part.count)), short_count(i64::from(part.count)));
            let each = short_count(part.whole.grains / i64::from(part.count));
            vec![
                format!("× {times} alike · {kind} {source} · {grains} · {work}"),
                format!("× {times} alike · {kind} {source} · {grains}"),
                format!("× {times} alike · {source} · {grains}"),
                format!("× {few} · {source} · {grains}"),
                format!("× {few} · {source} · {each}"),
                format!("× {few} · {source}"),
                fit_end(&source, room - text_width(&format!("× {few} · ")))
                    .map_or_else(|| format!("× {few} · {grains}"), |end| format!("× {few} · {end}")),
                format!("× {few}"),
            ]
        } else {
            vec![
                format!("{kind} {source} · {grains} · {work}"),
                format!("{kind} {source} · {grains}"),
                format!("{source} · {grains}"),
                source.clone(),
                fit_end(&source, room).unwrap_or_else(|| grains.clone()),
            ]
        };
        let Some(text) = texts.into_iter().find(|text| text_width(text) <= room) else { return };
        // What did not fit left of the axis may stand right of it, before the sign that closes the group.
        let right = rect.x + rect.axis + size::NODE;
        let beside = rect.w - rect.axis - size::NODE - CLOSES;
        let told = text.contains(" grain");
        self.label((x, rect.y + 14.0), room, text, part.node, role::OWN);
        if !told && text_width(&grains) <= beside {
            self.label((right, rect.y + 14.0), beside, grains, part.node, role::OWN);
        }
    }
}
