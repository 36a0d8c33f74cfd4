//! The aggregated grain graph at a cut: grains as boxes whose height tells their time, closed groups, open groups as
//! envelopes behind their members, edges by kind. A problem may be looked at: grains that have it stand out, what has
//! nothing of it is folded or faint. Comes in: a grain graph, a cut, a problem. Goes out: a Scene.
//!
//! [`crosscut_tree::fold`] decides what an open group shows, [`parts`] lists what is visible, [`place`] lays it out,
//! [`draw`] makes marks of it, and [`open`] changes a cut.

pub mod draw;
pub mod open;
pub mod parts;
pub mod place;
pub mod serial;
pub mod shown;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crosscut_tasks::Tasks;
use crosscut_tasks::grain::{Deviation, GrainKind, GrainPath, Grains, ProblemSet};
use crosscut_tree::{Cut, Folds, Members, NodeId, NodeSet, Tree};

use crate::tasks::chain::{self, Strip};
use crate::tasks::colour::{ColourBy, Painter};
use crate::tasks::dag::Scale;
use crate::tasks::known::GrainRun;
use crate::tasks::room::Room;
use crate::tasks::words::add_note;
use crosscut_scene::Scene;

use parts::{Part, What};
use place::{Critical, Placement, place, size};
use shown::{GrainFolds, MANY, Nodes, first_grain};

/// What is looked at, and how.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The run.
    pub tasks: &'a Tasks,
    /// Its grain graph.
    pub grains: &'a Grains,
    /// The problem that is looked at.
    pub lens: Option<&'a ProblemSet>,
    /// What the work deviation is told from.
    pub deviation: Option<&'a Deviation>,
    /// Fold groups that are alike.
    pub alike: bool,
    /// What is known of the whole graph: critical paths of wide groups, serial parts of the program.
    pub run: Option<&'a GrainRun>,
}

/// Critical paths of wide groups: finding one looks at every member.
#[derive(Debug, Default)]
pub struct Paths {
    known: Mutex<HashMap<NodeId, Arc<GrainPath>>>,
}

/// Paths of groups with more members than this are remembered.
const WIDE: usize = 4096;

impl<'a> Seen<'a> {
    /// No problem, nothing folded.
    pub fn plain(tasks: &'a Tasks, grains: &'a Grains) -> Self {
        Seen { tasks, grains, lens: None, deviation: None, alike: false, run: None }
    }

    /// The way of a group's own critical path through its members.
    pub fn path(&self, group: NodeId) -> Arc<GrainPath> {
        let find = || Arc::new(self.grains.path(self.tasks, group));
        match self.run.map(|run| &run.paths) {
            Some(paths) if self.grains.tree().child_count(group) > WIDE => {
                let mut known = paths.known.lock().unwrap_or_else(PoisonError::into_inner);
                known.entry(group).or_insert_with(find).clone()
            }
            _ => find(),
        }
    }
}

impl Seen<'_> {
    /// What is folded of it.
    pub fn folds(&self) -> GrainFolds<'_> {
        GrainFolds { grains: self.grains, chosen: self.lens.map(|set| set.lens.chosen()), alike: self.alike }
    }
}

impl Folds for Seen<'_> {
    fn tree(&self) -> Tree<'_> {
        self.grains.tree()
    }

    fn chosen(&self) -> Option<&NodeSet> {
        self.lens.map(|set| set.lens.chosen())
    }

    fn is_parallel(&self, node: NodeId) -> bool {
        self.folds().is_parallel(node)
    }

    fn gathers(&self) -> bool {
        self.alike
    }

    fn shape(&self, node: NodeId) -> u64 {
        self.grains.shape(node)
    }

    fn many(&self) -> usize {
        MANY
    }
}

impl Nodes for Seen<'_> {
    fn kind(&self, node: NodeId) -> GrainKind {
        self.grains.kind(node)
    }

    fn first_grain(&self, node: usize) -> usize {
        first_grain(self.grains, node)
    }

    fn work(&self, grains: Range<usize>) -> i64 {
        self.grains.work_of(grains)
    }
}

/// How to draw the grain graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrainOptions {
    /// What decides colour.
    pub colour: ColourBy,
    /// What decides the height of a grain.
    pub scale: Scale,
    /// Mark the critical path of this group: of the root, that of the run.
    pub path_of: Option<NodeId>,
}

impl Default for GrainOptions {
    fn default() -> Self {
        GrainOptions { colour: ColourBy::Source, scale: Scale::Even, path_of: None }
    }
}

/// Draws what the cut shows; nothing when that is more than `most` things.
pub fn grain(seen: &Seen<'_>, cut: &Cut, most: usize, options: &GrainOptions) -> Option<Scene> {
    Some(scene(seen, parts::parts(seen, cut, most)?, options))
}

/// Draws parts.
pub fn scene(seen: &Seen<'_>, mut parts: Vec<Part>, options: &GrainOptions) -> Scene {
    draw::set_sizes(seen, &mut parts, options.scale);
    let depends = draw::depends(seen, &parts);
    let level = levels(&parts, &depends);
    let critical = match options.path_of {
        Some(of) => critical_parts(seen, &parts, of),
        None => Critical::none(parts.len()),
    };
    let mut placement = place(&parts, &level, &critical);
    let mut strips = chains(seen, &parts, &mut placement);
    let plates = serial::insert(seen, &parts, &mut placement, &mut strips);
    let mut scene = draw::draw(seen, &parts, &placement, &critical, &depends, options);
    serial::draw(seen, &plates, &placement, &mut scene);
    let mut painter = Painter::new(seen.tasks, options.colour);
    let grain = |task: NodeId| seen.run.map(|run| run.of_task(seen.tasks, task));
    strips.iter().for_each(|strip| chain::draw(seen.tasks, strip, &grain, &mut painter, &mut scene));
    let chains = chain::left_out(seen.tasks, open_groups(seen, &parts).map(|(_, nodes)| nodes));
    add_note(&mut scene, chains);
    add_note(&mut scene, serial::left_out(seen));
    scene
}

/// Open fork-joins, innermost first, with their nodes of the task tree.
fn open_groups<'a>(seen: &Seen<'a>, parts: &'a [Part]) -> impl Iterator<Item = (usize, Range<usize>)> + 'a {
    let (tasks, grains) = (seen.tasks, seen.grains);
    let open = |part: &Part| part.what == What::Open && part.is_parallel();
    let groups = parts.iter().enumerate().rev().filter(move |(_, part)| open(part));
    groups.map(move |(i, part)| (i, tasks.tree().range(grains.task(part.node))))
}

/// Makes room for the chains of open fork-joins above their joins, and says where they are.
fn chains(seen: &Seen<'_>, parts: &[Part], placement: &mut Placement) -> Vec<Strip> {
    const SIDE: f32 = 14.0;
    let mut found = chain::of_sections(seen.tasks, open_groups(seen, parts));
    let foot = |group: usize| {
        let rect = placement.rects[group];
        rect.y + rect.h - size::EDGE - size::NODE - size::LANE / 2.0
    };
    found.sort_by(|a, b| foot(a.0).total_cmp(&foot(b.0)));
    let room = Room::at(found.iter().map(|(group, _)| (foot(*group), chain::HIGH)));
    let strip = |(group, chain): (usize, chain::Chain)| {
        let (rect, foot) = (placement.rects[group], foot(group));
        Strip { chain, at: (rect.x + SIDE, room.top(foot) - chain::HIGH, rect.w - 2.0 * SIDE) }
    };
    let strips = found.into_iter().map(strip).collect();
    placement.make(&room);
    strips
}

/// The row of each member that depends on others: below the lowest of those.
fn levels(parts: &[Part], depends: &[(usize, usize)]) -> Vec<u32> {
    let mut level = vec![0u32; parts.len()];
    for &(from, to) in depends {
        level[to] = level[to].max(level[from] + 1);
    }
    level
}

/// Which parts lie on the critical path of a group: a part does when what holds it does and the path takes it.
fn critical_parts(seen: &Seen<'_>, parts: &[Part], of: NodeId) -> Critical {
    let mut critical = Critical::none(parts.len());
    // Open parts, with the path of those that it goes through.
    let mut open: Vec<(usize, Option<Arc<GrainPath>>)> = Vec::new();
    let path_of = |part: &Part| seen.path(part.node);
    for (i, part) in parts.iter().enumerate() {
        while open.last().is_some_and(|&(above, _)| parts[above].end <= i) {
            open.pop();
        }
        let is_open = part.what == What::Open;
        let mut inside = None;
        if part.node == of && matches!(part.members, Members::One | Members::These(_)) {
            critical.through[i] = true;
            inside = is_open.then(|| path_of(part));
        } else {
            match open.last().and_then(|(_, path)| path.as_deref()) {
                Some(GrainPath::All) => {
                    critical.through[i] = true;
                    inside = is_open.then(|| path_of(part));
                }
                Some(GrainPath::Some(chain)) => {
                    let takes = |member: &NodeId| part.stands_for(*member);
                    let begins = chain.first().is_some_and(takes);
                    let ends = chain.last().is_some_and(takes);
                    critical.begins[i] = begins;
                    critical.ends[i] = ends;
                    critical.through[i] = begins || ends || chain.iter().any(takes);
                    if critical.through[i] && is_open && chain.contains(&part.node) {
                        inside = Some(path_of(part));
                    }
                }
                _ => {}
            }
        }
        if is_open {
            open.push((i, inside));
        }
    }
    critical
}
