//! Which part of the run counts in time: a window, or what is inside of a selection of any tree (a task, a wait, a phase), by who
//! ran when. Only profiles with a time for each sample have it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crosscut_calls::{Calls, Stretch};
use crosscut_scene::format::{many, quantity};
use crosscut_tree::NodeId;
use crosscut_workbench::sheet::Tone;
use crosscut_workbench::{
    Block, Job, Look, Nodes, Options, Reach, Refusal, Scope, Selection, Span, TreeKey, TreeLook, TreeRef,
};

use super::forest::MOST_REACHED;
use super::info;
use super::opened::Opened;

/// Height of the picture of functions in an inspector.
const HEIGHT: f32 = 220.0;

/// Options of trees, by which a selection is read.
pub type Trees = BTreeMap<TreeKey, TreeLook>;

/// The part of a run that a scope leaves; none where that is all of it, or nobody knows when something was spent.
pub fn part(
    opened: &Opened,
    scope: &Scope,
    trees: &Trees,
    job: &Job<'_>,
) -> Result<Option<Arc<Opened>>, Refusal> {
    let inside = scope.inside.as_ref().filter(|inside| inside.run == job.run);
    if opened.calls.samples().is_none() || (inside.is_none() && scope.time.is_none()) {
        return Ok(None);
    }
    let stretches = match inside {
        Some(inside) => inside_of(opened, inside, trees, job)?,
        None => Some(everywhere(&opened.calls, Span(f64::MIN, f64::MAX))),
    };
    let Some(mut stretches) = stretches else { return Ok(None) };
    if let Some(Span(from, to)) = scope.time {
        for (_, span) in &mut stretches {
            *span = Span(span.0.max(from), span.1.min(to));
        }
    }
    let title = match (inside, scope.time) {
        (Some(inside), _) => named(inside, trees, job),
        (None, Some(span)) => {
            let at = |time: f64| quantity(time, job.clock());
            format!("from {} to {}", at(span.0), at(span.1))
        }
        (None, None) => String::new(),
    };
    opened.within(&whole(&stretches), title).map(Some)
}

/// What is inside of a selection; none where nobody knows when that ran.
fn inside_of(
    opened: &Opened,
    inside: &Selection,
    trees: &Trees,
    job: &Job<'_>,
) -> Result<Option<Vec<(u32, Span)>>, Refusal> {
    let forest = job.forest(&tree_of(inside, trees))?;
    inside.existing(forest.tree())?;
    let reach = forest.reach(inside);
    Ok(match (reach.stretches.is_empty(), inside.time) {
        (false, _) => Some(reach.stretches),
        (true, Some(span)) => Some(everywhere(&opened.calls, span)),
        (true, None) => None,
    })
}

fn tree_of(selection: &Selection, trees: &Trees) -> TreeRef {
    let with = trees.get(&selection.tree).map(|state| state.with.clone()).unwrap_or_default();
    TreeRef { key: selection.tree.clone(), with }
}

fn everywhere(calls: &Calls, span: Span) -> Vec<(u32, Span)> {
    (0..calls.place_count() as u32).map(|place| (place, span)).collect()
}

/// In whole units of the clock; the last moment is part of it.
fn whole(stretches: &[(u32, Span)]) -> Vec<Stretch> {
    let stretch = |&(place, span): &(u32, Span)| Stretch {
        place,
        from: span.0.ceil() as i64,
        to: (span.1.floor() as i64).saturating_add(1),
    };
    stretches.iter().map(stretch).collect()
}

/// What a selection is called.
fn named(inside: &Selection, trees: &Trees, job: &Job<'_>) -> String {
    let forest = job.forest(&tree_of(inside, trees));
    let parts: Vec<_> = inside.nodes.iter().take(1).map(crosscut_tree::Part::one).collect();
    let title = forest.ok().and_then(|forest| forest.titles(&parts, None).into_iter().next());
    let title = title.map(|title| if title.name.is_empty() { title.kind } else { title.name });
    format!("in {}", title.unwrap_or_else(|| inside.tree.to_string()))
}

/// The call paths of the samples in some stretches.
pub fn nodes(calls: &Calls, stretches: &[(u32, Span)]) -> Nodes {
    let Some(samples) = calls.samples() else { return Nodes::none() };
    let within = samples.within(&whole(stretches));
    within.flat_map(|(_, range)| samples.nodes(range)).map(|&node| NodeId(node)).take(MOST_REACHED).collect()
}

/// The functions that ran in something that another domain knows, for its sheet.
pub fn ran(
    opened: &Opened,
    selection: &Selection,
    with: &Options,
    reach: &Reach,
    job: &Job<'_>,
) -> Result<Vec<Block>, Refusal> {
    if opened.calls.samples().is_none() || reach.stretches.is_empty() {
        return Ok(Vec::new());
    }
    job.check()?;
    let head = Block::Head { text: "Functions that ran in it".to_owned() };
    let part = opened.within(&whole(&reach.stretches), String::new())?;
    let samples = part.calls.inclusive(1, NodeId::ROOT);
    if samples == 0 {
        let text = "No sample was taken in it: too short, or it took no processor time.".to_owned();
        return Ok(vec![head, Block::Text { text, tone: Tone::Plain }]);
    }
    let time = info::line(&part);
    let text = format!("{time} ({})", many(samples as usize, "sample"));
    let mut look = Look::of("calls.icicle", selection.run);
    look.scope.inside = Some(selection.clone());
    look.selected = Some(selection.clone());
    if !with.is_empty() {
        let state = TreeLook { with: with.clone(), ..TreeLook::default() };
        look.trees.insert(selection.tree.clone(), state);
    }
    let title = "By call path".to_owned();
    let picture = Block::Show { title, look: Box::new(look), height: HEIGHT, slow: false };
    let mut blocks = vec![head, Block::Text { text, tone: Tone::Plain }];
    blocks.extend(info::top(&part, selection.run));
    blocks.push(picture);
    Ok(blocks)
}
