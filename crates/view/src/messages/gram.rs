//! The picture of phases and groups. Above, all phases: what repeats, a curve that jumps where the groups change, a strip of
//! lettered cells. Below, the phases that are looked at as columns: groups of ranks, and bands of what they sent each other.

mod bands;
mod columns;
mod groups;
mod heat;
mod top;

use std::sync::Arc;

use crosscut_scene::{LegendItem, Scene, Unit};
use crosscut_tree::Cut;
use crosscut_workbench::{Drawn, Forest, Job, Look, Refusal, Size, Span, TreeKey, TreeRef};

use super::communities::CommunityForest;
use super::phases::{self, PhaseForest};
use super::styles;
use crate::format::quantity;
use crosscut_messages::patterns::name;

pub use columns::{Column, Columns};

/// Left of everything, for names.
pub const LEFT: f32 = 92.0;
/// Right of everything.
pub const RIGHT: f32 = 16.0;
/// Below the columns.
const FOOT: f32 = 22.0;

/// What a look shows.
pub struct Shown<'a> {
    /// The phases.
    pub forest: &'a PhaseForest,
    /// What is unfolded of them.
    pub cut: Cut,
    /// The window of time, where it is not the whole run.
    pub window: Option<Span>,
    /// The pane.
    pub size: Size,
    /// One scale for all bands.
    pub bytes: bool,
}

/// Draws a look.
pub fn draw(look: &Look, job: &Job<'_>) -> Result<Drawn, Refusal> {
    let state = look.tree(phases::TREE);
    let made = PhaseForest::of(job, &state.with)?;
    let forest = phases_of(&made)?;
    let cut = match state.cut.as_str() {
        "" => forest.first_cut(0),
        text => Cut::from_text(forest.tree(), text).map_err(|error| Refusal::new(error.to_string()))?,
    };
    let elapsed = forest.opened.messages.summary().elapsed as f64;
    let window = look.scope.time.filter(|span| span.0 > 0.0 || span.1 < elapsed);
    let size = look.size.sound();
    let bytes = look.option("bands") == Some("bytes");
    let shown = Shown { forest, cut, window, size, bytes };
    let columns = Columns::of(&shown);
    let mut keys: Vec<TreeKey> = columns.list.iter().filter_map(|column| column.key.clone()).collect();
    keys.extend(heat::keys(forest, &columns));
    keys.sort();
    keys.dedup();
    let mut groups = Vec::new();
    for key in &keys {
        let made = job.forest(&TreeRef { key: key.clone(), with: Default::default() })?;
        let forest = communities_of(&made)?;
        let text = look.trees.get(key).map_or("", |state| state.cut.as_str());
        let cut = match text {
            "" => forest.first_cut(0),
            text => Cut::from_text(forest.tree(), text).map_err(|error| Refusal::new(error.to_string()))?,
        };
        groups.push((made, cut));
    }
    let mut scene = scene(&shown, &columns, &keys, &groups)?;
    scene.title = format!("{} · messages", forest.opened.messages.run().name());
    let mut drawn = Drawn::scene(scene, columns.list.len());
    drawn.settled.insert("k".to_owned(), forest.gram.phases.len().to_string());
    drawn.trees = keys;
    Ok(drawn)
}

/// A forest as what it is.
pub fn phases_of(made: &Arc<dyn Forest>) -> Result<&PhaseForest, Refusal> {
    made.as_any().downcast_ref().ok_or_else(|| Refusal::new("these are no phases"))
}

fn communities_of(made: &Arc<dyn Forest>) -> Result<&CommunityForest, Refusal> {
    made.as_any().downcast_ref().ok_or_else(|| Refusal::new("these are no groups"))
}

fn scene(
    shown: &Shown<'_>,
    columns: &Columns,
    keys: &[TreeKey],
    made: &[(Arc<dyn Forest>, Cut)],
) -> Result<Scene, Refusal> {
    let mut scene = Scene { width: shown.size.w, height: shown.size.h, ..Scene::default() };
    let gram = &shown.forest.gram;
    if gram.phases.is_empty() {
        scene.note = Some("no messages to show".to_owned());
        return Ok(scene);
    }
    let below = top::draw(shown, columns, &mut scene);
    let room = (below, (shown.size.h - FOOT).max(below + 1.0));
    let groups = arranged(columns, keys, made, room)?;
    let heat = heat::Heat::of(shown, columns);
    let mut notes = bands::draw(shown, columns, keys, &groups, room, &heat, &mut scene);
    heat::others(shown, columns, keys, &groups, room, &heat, &mut scene);
    heat::raster(shown, columns, room, &mut scene);
    scene.end();
    heat.legend(&mut scene);
    for pattern in 0..gram.patterns.len().min(8) {
        scene.legend.push(LegendItem::new(styles::pattern(pattern), format!("pattern {}", name(pattern))));
    }
    notes.extend(columns.note.clone());
    notes.extend(shown.forest.timed.key.words(&shown.forest.opened));
    notes.extend(shown.forest.warning());
    let collectives: i64 =
        gram.phases.iter().map(|phase| phase.collective_bytes).fold(0, i64::saturating_add);
    if collectives > 0 {
        notes.push(format!(
            "bands are messages; collectives carry {} besides",
            quantity(collectives as f64, Unit::Bytes)
        ));
    }
    scene.note = (!notes.is_empty()).then(|| notes.join(" · "));
    Ok(scene)
}

/// The groups of all trees. Those of a pattern stand in one order wherever it is shown: the one behind the column that it first follows.
fn arranged<'a>(
    columns: &Columns,
    keys: &[TreeKey],
    made: &'a [(Arc<dyn Forest>, Cut)],
    room: (f32, f32),
) -> Result<Vec<groups::Groups<'a>>, Refusal> {
    let place = |at: usize, before: Option<&groups::Groups<'_>>| {
        let (made, cut) = made.get(at).ok_or_else(|| Refusal::new("a tree of groups is missing"))?;
        // The numbers of the view's own trees come first.
        Ok::<_, Refusal>(groups::Groups::of(communities_of(made)?, cut, room, (at + TREES) as u8, before))
    };
    let mut placed: Vec<Option<groups::Groups<'a>>> = keys.iter().map(|_| None).collect();
    let mut before = None;
    for column in &columns.list {
        let at = column.key.as_ref().and_then(|key| keys.iter().position(|other| other == key));
        if let Some(at) = at.filter(|&at| placed[at].is_none()) {
            let left = before.filter(|_| column.regroup > 0.0).and_then(|left: usize| placed[left].as_ref());
            placed[at] = Some(place(at, left)?);
        }
        before = at;
    }
    let whole = placed.into_iter().enumerate();
    whole.map(|(at, groups)| groups.map_or_else(|| place(at, None), Ok)).collect()
}

/// Trees of the view that have no parameter.
const TREES: usize = 2;
