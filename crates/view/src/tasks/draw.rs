//! From a look to a picture: options are read, the layout does the rest.

use std::sync::Arc;

use crosscut_scene::Scene;
use crosscut_tree::{Cut, Folds, NodeId, Plain, open};
use crosscut_workbench::{Drawn, FIRST_ITEMS, Found, Job, Look, MOST_ITEMS, Nodes, Refusal, Span};

use super::colour::ColourBy;
use super::dag::{self, DagOptions, Scale};
use super::grains::{self, GrainOptions, Seen};
use super::known::Known;
use super::opened::Opened;
use super::profile::{ProfileOptions, profile};
use super::timeline::{TimelineOptions, with_profile};
use super::{charts, evidence, forest_grains, forest_tasks, losses, views};
use crate::account;

/// Height of the profile above the rows of the timeline, as a share of the pane, and its ends.
const PROFILE: (f32, f32, f32) = (0.22, 72.0, 160.0);

/// Draws a look.
pub fn draw(opened: &Opened, look: &Look, job: &Job<'_>) -> Result<Drawn, Refusal> {
    let tasks = &opened.tasks;
    let size = look.size.sound();
    let plain = |scene: Scene| Ok(Drawn::scene(scene, 0));
    match look.view.as_str() {
        "tasks.dag" => dag(opened, look),
        "tasks.grains" => grains(opened, look),
        "tasks.timeline" => {
            let window = window(opened, look.scope.time)?;
            let colour = colour(look, ColourBy::Source)?;
            let options = TimelineOptions { width: size.w, height: size.h, colour, small: false };
            let above = (size.h * PROFILE.0).clamp(PROFILE.1, PROFILE.2);
            let found = found(job, || with_profile(tasks, window, &options, above, None))?;
            plain(with_profile(tasks, window, &options, above, Some(&found)))
        }
        "tasks.evidence" => {
            let window = window(opened, look.scope.time)?;
            let found = job.found()?;
            plain(evidence::draw(tasks, window, size, &found, losses::meant(opened, look)))
        }
        "tasks.profile" => {
            let (from, to) = window(opened, look.scope.time)?;
            plain(profile(tasks, from, to, &ProfileOptions { width: size.w, height: size.h, bare: false }))
        }
        "tasks.whatif" => charts::whatif::draw(opened, look, job),
        "tasks.account" => {
            let whole = number(look, "whole")?;
            let bar = |found| account::draw(&charts::account::account(opened, found, whole), found, size);
            let found = found(job, || bar(None))?;
            plain(bar(Some(&*found)))
        }
        "tasks.workers" => plain(charts::workers::draw(tasks, size)),
        "tasks.speedup" => plain(charts::speedup::draw(tasks, size)),
        "tasks.migrations" => {
            plain(charts::migrations::draw(tasks, look.option("edge").unwrap_or("all"), size)?)
        }
        "tasks.lengths" => {
            job.found()?;
            plain(charts::lengths::draw(opened, losses::meant(opened, look), size))
        }
        "tasks.ladder" => plain(charts::ladder::draw(opened, &*job.found()?, size)),
        "tasks.gaps" => plain(charts::gaps::draw(tasks, size)),
        "tasks.strip" => {
            let until = number(look, "until")?;
            let found = found(job, || charts::strip::draw(opened, None, until, size))?;
            plain(charts::strip::draw(opened, Some(&found), until, size))
        }
        view => {
            let view: String = view.chars().take(40).collect();
            let names: Vec<&str> = views::VIEWS.iter().map(|view| view.name).collect();
            Err(Refusal::new(format!("there is no view `{view}`; there are {}", names.join(", "))))
        }
    }
}

/// What was lost; while that is not known, the picture without it is shown.
pub fn found(job: &Job<'_>, without: impl FnOnce() -> Scene) -> Result<Arc<Found>, Refusal> {
    match job.found_already() {
        Some(found) => Ok(found),
        None => {
            job.draft(Drawn::scene(without(), 0));
            job.found()
        }
    }
}

/// The cut of a tree, without lens and other folds; the empty text is the cut that it opens with.
pub fn cut_of(look: &Look, tree: &str, folds: &dyn Folds) -> Result<Cut, Refusal> {
    let text = look.tree(tree).cut;
    if text.is_empty() {
        return Ok(open::fitting(folds, FIRST_ITEMS));
    }
    Cut::from_text(folds.tree(), &text).map_err(|error| Refusal::new(error.to_string()))
}

/// Why a cut is not drawn.
pub fn too_many() -> Refusal {
    let most = crosscut_scene::format::count(MOST_ITEMS as i64);
    Refusal::new(format!("more than {most} things would be visible: close some first"))
}

fn dag(opened: &Opened, look: &Look) -> Result<Drawn, Refusal> {
    let tasks = &opened.tasks;
    let folds = Plain(tasks.tree());
    let cut = cut_of(look, forest_tasks::TREE, &folds)?;
    let parts = crosscut_tree::fold::parts(&folds, &cut, MOST_ITEMS).ok_or_else(too_many)?;
    let options = DagOptions {
        colour: colour(look, ColourBy::Worker)?,
        scale: scale(look, Scale::Log)?,
        critical: flag(look, "critical")?,
    };
    let visible = parts.iter().filter(|part| !part.open).count();
    Ok(Drawn::scene(dag::scene(tasks, &parts, &options), visible))
}

/// What a look at the grain graph sees.
pub fn seen<'a>(opened: &'a Opened, look: &Look, known: Option<&'a Known>) -> Seen<'a> {
    let graph = opened.grains();
    Seen {
        lens: known.map(|known| &known.set),
        deviation: graph.deviation.as_ref(),
        alike: forest_grains::folds_alike(look),
        run: Some(graph),
        ..Seen::plain(&opened.tasks, &graph.grains)
    }
}

fn grains(opened: &Opened, look: &Look) -> Result<Drawn, Refusal> {
    let graph = opened.grains();
    let known = graph.lens_of(look.tree(forest_grains::TREE).lens.as_ref())?;
    flag(look, "alike")?;
    let seen = seen(opened, look, known.as_deref());
    let cut = cut_of(look, forest_grains::TREE, &Seen { lens: None, alike: false, ..seen })?;
    let parts = grains::parts::parts(&seen, &cut, MOST_ITEMS).ok_or_else(too_many)?;
    let options = GrainOptions {
        colour: colour(look, ColourBy::Source)?,
        scale: scale(look, Scale::Group)?,
        path_of: path_of(opened, look)?,
    };
    let visible = parts.iter().filter(|part| part.is_item()).count();
    Ok(Drawn::scene(grains::scene(&seen, parts, &options), visible))
}

/// Whose critical path is marked.
fn path_of(opened: &Opened, look: &Look) -> Result<Option<NodeId>, Refusal> {
    let tree = opened.grains().grains.tree();
    let asked = node_option(look, "path")?;
    match asked.first() {
        Some(node) if tree.contains(node) => Ok(Some(node)),
        Some(node) => Err(Refusal::new(format!("there is no node g{} in the grain graph", node.0))),
        None => Ok(flag(look, "critical")?.then_some(NodeId::ROOT)),
    }
}

/// Nodes that an option names.
pub fn node_option(look: &Look, name: &str) -> Result<Nodes, Refusal> {
    Nodes::try_from(look.option(name).unwrap_or("").to_owned()).map_err(Refusal::new)
}

fn wrong(option: &str, text: &str, right: &str) -> Refusal {
    let text: String = text.chars().take(40).collect();
    Refusal::new(format!("`{text}` is no {option}; write {right}"))
}

fn colour(look: &Look, usual: ColourBy) -> Result<ColourBy, Refusal> {
    Ok(match look.option("colour") {
        None => usual,
        Some("worker") => ColourBy::Worker,
        Some("kind") => ColourBy::Kind,
        Some("source") => ColourBy::Source,
        Some("core") => ColourBy::Core,
        Some(text) => return Err(wrong("colour", text, "worker, kind, source or core")),
    })
}

fn scale(look: &Look, usual: Scale) -> Result<Scale, Refusal> {
    Ok(match look.option("scale") {
        None => usual,
        Some("even") => Scale::Even,
        Some("log") => Scale::Log,
        Some("linear") => Scale::Linear,
        Some("group") => Scale::Group,
        Some(text) => return Err(wrong("scale", text, "even, log, linear or group")),
    })
}

fn number(look: &Look, name: &str) -> Result<f64, Refusal> {
    match look.option(name).unwrap_or("0").parse() {
        Ok(number) => Ok(number),
        Err(_) => Err(wrong(name, look.option(name).unwrap_or(""), "a number")),
    }
}

fn flag(look: &Look, name: &str) -> Result<bool, Refusal> {
    match look.option(name) {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(text) => Err(wrong(name, text, "true or false")),
    }
}

/// The asked window within the run; at least one unit of time wide.
fn window(opened: &Opened, asked: Option<Span>) -> Result<(i64, i64), Refusal> {
    let end = opened.tasks.summary().elapsed.max(1);
    let Some(Span(from, to)) = asked else { return Ok((0, end)) };
    if !from.is_finite() || !to.is_finite() {
        return Err(Refusal::new("the window must be two finite times"));
    }
    if from > to {
        return Err(Refusal::new(format!("the window ends at {to}, before it begins at {from}")));
    }
    let from = (from.floor() as i64).clamp(0, end - 1);
    let to = (to.ceil() as i64).clamp(from + 1, end);
    Ok((from, to))
}
