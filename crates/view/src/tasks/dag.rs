//! The task DAG at a cut: closed nodes and intervals as boxes, open nodes as envelopes behind their members, edges by
//! kind. Comes in: a task tree, a cut. Goes out: a Scene. See [`flow`] for the layout.

pub mod depend;
pub mod flow;
pub mod parts;
pub mod place;

use crosscut_scene::{Label, Mark, Plot, Scene, Style, TextStyle};
use crosscut_tasks::schema::Kind;
use crosscut_tasks::{Inside, Tasks};
use crosscut_tree::{Cut, NodeId, Plain, fold};

use crate::format::{count, fit_end, short_count, text_width, time};
use crate::tasks::chain::{self, Strip};
use crate::tasks::colour::{ColourBy, Painter, worker_slot};
use crate::tasks::room;
use crate::tasks::styles::{self, role};
use crate::tasks::words::add_note;
use crosscut_scene::palette::slot;

use flow::{shapes, size};
use parts::{Part, What};
use place::{Critical, Placement, Rect, place};

/// What decides the height of a box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// All boxes of a kind alike.
    #[default]
    Even,
    /// The logarithm of the elapsed time.
    Log,
    /// The elapsed time.
    Linear,
    /// The elapsed time, on a scale of its own for the members of each group.
    Group,
}

/// How to draw the DAG.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DagOptions {
    /// What decides colour.
    pub colour: ColourBy,
    /// What decides height.
    pub scale: Scale,
    /// Mark the critical path.
    pub critical: bool,
}

/// With more closed nodes than this, each gets less room.
const DENSE: usize = 120;

/// Size of closed nodes and repeats.
#[derive(Clone, Copy)]
struct Room {
    w: f32,
    h: f32,
}

const WIDE: Room = Room { w: 120.0, h: 38.0 };
const TIGHT: Room = Room { w: 82.0, h: 31.0 };

/// Draws what the cut shows.
pub fn dag(tasks: &Tasks, cut: &Cut, options: &DagOptions) -> Scene {
    let shown = fold::parts(&Plain(tasks.tree()), cut, usize::MAX).unwrap_or_default();
    scene(tasks, &shown, options)
}

/// Draws what the fold shows.
pub fn scene(tasks: &Tasks, shown: &[fold::Part], options: &DagOptions) -> Scene {
    let mut parts = parts::laid(tasks, shown);
    let boxes = parts.iter().filter(|p| matches!(p.what, What::Closed | What::Gap)).count();
    let room = if boxes > DENSE { TIGHT } else { WIDE };
    set_sizes(tasks, &mut parts, options.scale, room);
    let mut depends = depend::links(tasks, &parts);
    let critical = if options.critical {
        critical_parts(tasks, &parts, &mut depends)
    } else {
        Critical::none(parts.len())
    };
    let mut placement = place(&parts, &shapes(&parts), &critical);
    let strips = chains(tasks, &parts, &mut placement);
    let mut scene = draw(tasks, &parts, &placement, &critical, options);
    depend::draw(&parts, &placement, &depends, &mut scene);
    let mut painter = Painter::new(tasks, options.colour);
    strips.iter().for_each(|strip| chain::draw(tasks, strip, &Some, &mut painter, &mut scene));
    let left_out = chain::left_out(tasks, open_sections(&parts).map(|(_, part)| part.nodes.clone()));
    add_note(&mut scene, left_out);
    scene
}

/// Open sections, innermost first.
fn open_sections(parts: &[Part]) -> impl Iterator<Item = (usize, &Part)> {
    let open = |part: &Part| part.what == What::Open && part.kind == Kind::Section;
    parts.iter().enumerate().rev().filter(move |(_, part)| open(part))
}

/// Makes room for the chains of open sections at their feet, and says where they are.
fn chains(tasks: &Tasks, parts: &[Part], placement: &mut Placement) -> Vec<Strip> {
    const SIDE: f32 = 10.0;
    let mut found = chain::of_sections(tasks, open_sections(parts).map(|(i, part)| (i, part.nodes.clone())));
    let foot = |section: usize| placement.rects[section].y + placement.rects[section].h - SIDE / 2.0;
    found.sort_by(|a, b| foot(a.0).total_cmp(&foot(b.0)));
    let room = room::Room::at(found.iter().map(|(section, _)| (foot(*section), chain::HIGH)));
    let strip = |(section, chain): (usize, chain::Chain)| {
        let (rect, foot) = (placement.rects[section], foot(section));
        let at = (rect.x + SIDE, room.top(foot) - chain::HIGH, rect.w - 2.0 * SIDE);
        Strip { chain, at }
    };
    let strips = found.into_iter().map(strip).collect();
    placement.make(&room);
    strips
}

/// Heights of visible parts; a whole number of pixels, so that edges are sharp.
fn set_sizes(tasks: &Tasks, parts: &mut [Part], scale: Scale, room: Room) {
    let elapsed = |part: &Part| match part.what {
        What::Gap => tasks.work_of(part.nodes.clone()),
        _ => tasks.elapsed(part.node),
    };
    let longest = parts.iter().filter(|p| p.what != What::Open).map(elapsed).max().unwrap_or(0).max(1);
    // A power of two: the scale stays when a node of much the same length is opened.
    let full = (longest as u64).next_power_of_two() as f64;
    for part in parts.iter_mut() {
        let even = match part.what {
            What::Leaf => Room { w: size::LEAF_W, h: size::LEAF_H },
            _ => room,
        };
        let time = elapsed(part).max(0) as f64;
        part.w = even.w;
        part.h = match scale {
            Scale::Even => even.h,
            _ if part.what == What::Gap => even.h,
            Scale::Log => (size::LEAF_H / 2.0 + 9.0 * (1.0 + time).log10() as f32).round(),
            Scale::Linear | Scale::Group => ((320.0 * time / full) as f32).round().max(4.0),
        };
    }
}

/// Which parts lie on the critical path: a part does when what holds it does and the path takes it. Marks the dependences
/// that it takes.
fn critical_parts(tasks: &Tasks, parts: &[Part], depends: &mut [depend::Link]) -> Critical {
    let mut critical = Critical::none(parts.len());
    let mut depends = depends.iter_mut().peekable();
    // Open parts, and the path inside of those that it goes through.
    let mut open: Vec<(usize, Option<Inside<'_>>)> = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        while open.last().is_some_and(|&(above, _)| parts[above].end <= i) {
            open.pop();
        }
        let holder = open.last().and_then(|(_, inside)| inside.as_ref());
        let way = match holder {
            None => (i == 0).then(|| tasks.critical_root()),
            Some(inside) if part.what == What::Open => inside.way(part.node),
            Some(_) => None,
        };
        critical.through[i] = holder.map_or(i == 0, |inside| inside.passes(&part.nodes));
        critical.goes_on[i] = critical.through[i] && holder.is_none_or(|inside| inside.goes_on(&part.nodes));
        critical.joins[i] = critical.through[i] && holder.is_some_and(|inside| inside.joins(&part.nodes));
        while let Some(link) = depends.next_if(|link| link.to_part == i) {
            link.critical = holder.is_some_and(|inside| inside.depends(link.from, link.to));
        }
        if part.what == What::Open {
            open.push((i, way.map(|way| tasks.critical_inside(part.node, &way))));
        }
    }
    critical
}

fn draw(
    tasks: &Tasks,
    parts: &[Part],
    placement: &Placement,
    critical: &Critical,
    options: &DagOptions,
) -> Scene {
    let mut scene = Scene::default();
    let mut painter = Painter::new(tasks, options.colour);
    if let Some(root) = placement.rects.first() {
        scene.width = root.w;
        scene.height = root.h;
    }
    scene.begin(Plot::graph(scene.width, scene.height));
    for (i, part) in parts.iter().enumerate() {
        let rect = placement.rects[i];
        let red = critical.through[i];
        match part.what {
            What::Open => {
                // The path is told by what it goes through; all that encloses it in red would drown it.
                let what = if part.kind == Kind::Task { "open task" } else { "open section" };
                push(&mut scene, rect, part.node, slot::ENVELOPE, &styles::open(what), role::OWN);
                title(tasks, part, rect, &mut scene);
            }
            What::Gap => {
                push(
                    &mut scene,
                    rect,
                    part.node,
                    slot::REPEAT,
                    &styles::fold(styles::Lens::None, red),
                    role::FOLD,
                );
                repeat_labels(tasks, part, rect, &mut scene);
            }
            What::Leaf => {
                let fill = painter.paint(part.node, 1);
                push(&mut scene, rect, part.node, fill, &styles::leaf(part.kind, red), role::OWN);
            }
            What::Closed => {
                let fill = painter.paint(part.node, 1);
                let inside = !tasks.tree().is_leaf(part.node);
                let style = styles::closed(part.kind, inside, tasks.is_collapsed(part.node), red);
                push(&mut scene, rect, part.node, fill, &style, role::OWN);
                if tasks.worker(part.node).is_none() {
                    mix_bar(tasks, part, rect, &mut scene);
                }
                closed_labels(tasks, part, rect, &mut scene);
            }
        }
    }
    for stroke in &placement.strokes {
        let mark = Mark::pair(parts[stroke.from].node.0, parts[stroke.to].node.0).role(stroke.kind as u8);
        let style = scene.styles.put(&styles::link(stroke.kind, stroke.critical));
        scene.links.push([stroke.a.0, stroke.a.1, stroke.b.0, stroke.b.1], mark.looks(style, slot::EDGE));
    }
    scene.title = format!("{} · task DAG", tasks.run().name());
    scene.legend = painter.legend();
    scene.note = note(parts);
    scene
}

fn push(scene: &mut Scene, rect: Rect, node: NodeId, fill: u16, style: &Style, role: u8) {
    let style = scene.styles.put(style);
    scene.boxes.push([rect.x, rect.y, rect.w, rect.h], Mark::of(node.0).role(role).looks(style, fill));
}

/// "sort.c:120", or the node's number when its source is not known.
fn source(tasks: &Tasks, node: NodeId) -> String {
    match tasks.sources().from(tasks.site(node)) {
        Some(source) => source.short(),
        None => format!("#{}", node.0),
    }
}

/// The title of an open task, right of where the edge enters.
fn title(tasks: &Tasks, part: &Part, rect: Rect, scene: &mut Scene) {
    if part.kind != Kind::Task {
        return;
    }
    let x = rect.x + rect.enter + 5.0;
    let w = rect.x + rect.w - 4.0 - x;
    let work = time(tasks.work(part.node) as f64, tasks.clock());
    let full = format!("{} {} · {work}", tasks.word(part.node), source(tasks, part.node));
    let texts = [full, source(tasks, part.node)];
    if let Some(text) = texts.into_iter().find(|text| text_width(text) <= w) {
        label(scene, (x, rect.y + 13.0), w, text, (part.node, role::OWN));
    }
}

fn label(scene: &mut Scene, at: (f32, f32), w: f32, text: String, (node, role): (NodeId, u8)) {
    scene.labels.push(Label::new(at, w, text, TextStyle::PLAIN).of(node.0, role));
}

/// Up to two lines in a closed node: what it is, and how much is inside.
fn closed_labels(tasks: &Tasks, part: &Part, rect: Rect, scene: &mut Scene) {
    const SIDE: f32 = 6.0;
    let room = rect.w - 2.0 * SIDE;
    let source = source(tasks, part.node);
    let named = format!("{} {source}", tasks.word(part.node));
    let first = if text_width(&named) <= room { Some(named) } else { fit_end(&source, room) };
    let work = time(tasks.work(part.node) as f64, tasks.clock());
    let inside = match (task_count(tasks, part), part.kind) {
        (0, _) | (1, Kind::Task) => String::new(),
        (1, _) => " · 1 task".to_owned(),
        (n, _) => format!(" · {} tasks", short_count(n)),
    };
    let second = format!("{work}{inside}");
    let second = if text_width(&second) <= room { second } else { work };
    lines(scene, rect, SIDE, [first, Some(second)], (part.node, role::OWN));
}

/// Tasks that the program created, itself included: members of teams end like tasks, but were forked.
fn task_count(tasks: &Tasks, part: &Part) -> i64 {
    let lane = i64::from(part.what != What::Gap && tasks.is_lane(part.node));
    tasks.count(part.nodes.clone(), Kind::End) - tasks.count(part.nodes.clone(), Kind::Fork) - lane
}

/// As many lines as the box has room for, the first ones first.
fn lines(scene: &mut Scene, rect: Rect, side: f32, texts: [Option<String>; 2], of: (NodeId, u8)) {
    const LINE: f32 = 12.0;
    let mut y = rect.y + 13.0;
    for text in texts.into_iter().flatten() {
        if y + 3.0 > rect.y + rect.h || text_width(&text) > rect.w - 2.0 * side {
            break;
        }
        label(scene, (rect.x + side, y), rect.w - 2.0 * side, text, of);
        y += LINE;
    }
}

/// Folded children checked one by one up to this many; more are just "more".
const CHECKED: u32 = 256;

fn repeat_labels(tasks: &Tasks, part: &Part, rect: Rect, scene: &mut Scene) {
    let alike = part.folded <= CHECKED && are_alike(tasks, part);
    let first = format!("× {} {}", count(i64::from(part.folded)), if alike { "alike" } else { "more" });
    let ends = task_count(tasks, part);
    let work = time(tasks.work_of(part.nodes.clone()) as f64, tasks.clock());
    let long = format!("{work} · {} tasks", short_count(ends));
    let second = if ends > 0 && text_width(&long) <= rect.w - 12.0 { long } else { work };
    lines(scene, rect, 6.0, [Some(first), Some(second)], (part.node, role::FOLD));
}

/// Whether all folded children of one kind come from one place in the source.
fn are_alike(tasks: &Tasks, part: &Part) -> bool {
    let tree = tasks.tree();
    let mut sites = [None; Kind::ALL.len()];
    let mut at = part.nodes.start;
    while at < part.nodes.end {
        let node = NodeId(at as u32);
        let site = tasks.site(node);
        if *sites[tasks.kind(node) as usize].get_or_insert(site) != site {
            return false;
        }
        at = tree.range(node).end;
    }
    true
}

/// The workers that ran a closed node, largest share first.
fn mix_bar(tasks: &Tasks, part: &Part, rect: Rect, scene: &mut Scene) {
    const SHARES: usize = 6;
    const SIDE: f32 = 6.0;
    let (w, h) = (rect.w - 2.0 * SIDE, 3.0);
    if rect.h < 12.0 {
        return;
    }
    let mix = tasks.mix(part.nodes.clone());
    let total = mix.iter().copied().fold(0, i64::saturating_add);
    if total <= 0 {
        return;
    }
    let mut shares: Vec<(usize, i64)> = mix.into_iter().enumerate().filter(|&(_, time)| time > 0).collect();
    shares.sort_by_key(|&(worker, time)| (std::cmp::Reverse(time), worker));
    let mut x = rect.x + SIDE;
    let mut left = w;
    for (k, &(worker, time)) in shares.iter().enumerate() {
        let is_rest = k == SHARES || worker >= tasks.workers();
        let width = if k == SHARES { left } else { (w as f64 * time as f64 / total as f64) as f32 };
        let fill = if is_rest { slot::MUTED } else { worker_slot(worker) };
        let share = Rect { x, y: rect.y + rect.h - h - 2.0, w: width.min(left), h, enter: 0.0 };
        push(scene, share, part.node, fill, &styles::PART, role::PART);
        x += width;
        left -= width;
        if k == SHARES {
            break;
        }
    }
}

fn note(parts: &[Part]) -> Option<String> {
    let folded: i64 = parts.iter().map(|part| i64::from(part.folded)).sum();
    (folded > 0).then(|| format!("{} siblings are folded into \"× n\" marks", count(folded)))
}
