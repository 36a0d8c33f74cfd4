//! The flow: super nodes as bars from left to right, what one calls of another as bands between them.
//!
//! A bar is as high as what was spent in it with callees; its lower, solid part is itself. Comes in: a look; goes out: a scene.
//! [`shown`] says which bars and bands there are, [`fit`] how many there is room for, [`levels`] how deep they stand, [`order`] in which order, [`place`] where,
//! [`paint`] draws them.

pub mod fit;
pub mod laid;
pub mod levels;
pub mod order;
pub mod paint;
pub mod place;
pub mod shown;

use std::sync::Arc;

use crosscut_calls::graph::Split;
use crosscut_workbench::{Against, Domain, Drawn, Forest, Job, Look, Options, Refusal, TreeKey, TreeRef};

use super::domain::CallsDomain;
use super::merged::{self, FOLLOWED, SuperForest};
use super::opened::Opened;
use laid::Laid;
use paint::AtPlaces;
use shown::Shown;

/// From this width on two flows stand beside each other.
const TWO: f32 = 1000.0;

/// The tree of a look: what is merged is an option of the view.
pub fn key(look: &Look) -> TreeKey {
    let map = look.option("map").unwrap_or("module");
    TreeKey { name: merged::TREE.to_owned(), parameter: Some(map.to_owned()) }
}

/// The super graph of a look, with these options.
pub fn forest(look: &Look, with: &Options, job: &Job<'_>) -> Result<Arc<dyn Forest>, Refusal> {
    job.forest(&TreeRef { key: key(look), with: with.clone() })
}

/// The super graph behind a forest.
pub fn super_forest(forest: &Arc<dyn Forest>) -> Result<&SuperForest, Refusal> {
    forest.as_any().downcast_ref().ok_or_else(|| Refusal::new("this tree is no super graph"))
}

/// Draws a look.
pub fn draw(
    opened: &Opened,
    part: Option<&Opened>,
    look: &Look,
    with: &[&dyn Domain],
    job: &Job<'_>,
) -> Result<Drawn, Refusal> {
    let options = look.trees.get(&key(look)).map(|state| state.with.clone()).unwrap_or_default();
    let (shown, laid) = laid_out((look, part), &options, with, job, FOLLOWED)?;
    let made = forest(look, &options, job)?;
    let forest = super_forest(&made)?;
    let bars = shown.bars.len();
    if paint::tells_of_places(&shown) && !forest.is_quick_at_places() {
        job.draft(Drawn::scene(paint::paint(opened, look, forest, &shown, &laid, AtPlaces::Later), bars));
        job.check()?;
    }
    let scene = paint::paint(opened, look, forest, &shown, &laid, AtPlaces::Drawn);
    Ok(Drawn { trees: vec![key(look)], ..Drawn::scene(scene, bars) })
}

/// What is shown of a look, and where. A split is laid out from where everything stood without it.
fn laid_out(
    (look, part): (&Look, Option<&Opened>),
    options: &Options,
    with: &[&dyn Domain],
    job: &Job<'_>,
    follow: usize,
) -> Result<(Shown, Laid), Refusal> {
    job.check()?;
    let made = forest(look, options, job)?;
    let forest = super_forest(&made)?;
    let others = others(look, with, forest)?;
    let shown = Shown::of(forest, look, &others, part);
    let room = laid::Page::of(look, &shown, sides_beside(look, &shown));
    let splits = Split::list_from_text(options.get("split").map_or("", String::as_str)).unwrap_or_default();
    let before = match splits.split_last() {
        Some((_, before)) if follow > 0 => {
            let mut options = options.clone();
            options.insert("split".to_owned(), Split::list_to_text(before));
            if before.is_empty() {
                options.remove("split");
            }
            Some(laid_out((look, part), &options, with, job, follow - 1)?)
        }
        _ => None,
    };
    let laid = Laid::of(&shown, room, before.as_ref().map(|(shown, laid)| (shown, laid)));
    Ok((shown, laid))
}

/// How many flows stand beside each other.
pub fn sides_beside(look: &Look, shown: &Shown) -> usize {
    if shown.sides.len() == 2 && look.size.sound().w >= TWO { 2 } else { 1 }
}

/// Super graphs of other runs, made by the same rules.
fn others(look: &Look, with: &[&dyn Domain], forest: &SuperForest) -> Result<Vec<shown::Other>, Refusal> {
    let Some(Against::Runs(_)) = &look.against else { return Ok(Vec::new()) };
    let metric = forest.calls().summary().metrics.get(forest.making.metric).map(|metric| metric.name.clone());
    with.iter()
        .map(|other| {
            let domain =
                CallsDomain::of(*other).ok_or_else(|| Refusal::new("the other run holds no calls"))?;
            let calls = domain.calls().clone();
            let at = calls.summary().metrics.iter().position(|known| Some(&known.name) == metric.as_ref());
            let at = at.ok_or_else(|| Refusal::new("the other run does not have this metric"))?;
            let mut making = forest.making.clone();
            making.metric = at;
            let graph = crosscut_calls::SuperGraph::of(&*calls, &making);
            Ok(shown::Other { name: calls.run().name(), calls, graph, metric: at })
        })
        .collect()
}
