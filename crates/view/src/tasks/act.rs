//! What can be done in the views of tasks beside the acts that all views share.

use std::collections::VecDeque;

use crosscut_tasks::Tasks;
use crosscut_tree::{Cut, NodeId, Plain, fold, open};
use crosscut_workbench::{ActCall, Did, Look, MANY_ITEMS, MOST_ITEMS, Refusal, Selection};

use super::draw::{cut_of, seen};
use super::grains::{self, Seen};
use super::known::{GrainRun, Known};
use super::opened::Opened;
use super::{forest_grains, forest_tasks};

/// Does an act of a view.
pub fn act(opened: &Opened, call: &ActCall, look: &mut Look) -> Result<Did, Refusal> {
    match (look.view.as_str(), call.name.as_str()) {
        ("tasks.dag", "critical") => {
            let tasks = &opened.tasks;
            let mut cut = cut_of(look, forest_tasks::TREE, &Plain(tasks.tree()))?;
            let stopped = !open_critical(tasks, &mut cut);
            keep(look, forest_tasks::TREE, &cut);
            look.options.insert("critical".to_owned(), "true".to_owned());
            Ok(Did { stopped, ..Did::default() })
        }
        ("tasks.grains", "critical" | "path" | "alike" | "worst") => in_grains(opened, call, look),
        (view, name) => {
            let name: String = name.chars().take(40).collect();
            Err(Refusal::new(format!("{view} cannot do `{name}`")))
        }
    }
}

fn keep(look: &mut Look, tree: &str, cut: &Cut) {
    look.trees.entry(crosscut_workbench::TreeKey::named(tree)).or_default().cut = cut.to_text();
}

fn in_grains(opened: &Opened, call: &ActCall, look: &mut Look) -> Result<Did, Refusal> {
    let graph = opened.grains();
    let known = graph.lens_of(look.tree(forest_grains::TREE).lens.as_ref())?;
    let seen = seen(opened, look, known.as_deref());
    let mut cut = cut_of(look, forest_grains::TREE, &Seen { lens: None, alike: false, ..seen })?;
    let on = || -> Result<NodeId, Refusal> {
        let on =
            call.on.as_ref().or(look.selected.as_ref()).ok_or_else(|| Refusal::new("nothing is selected"))?;
        on.existing(graph.grains.tree())
    };
    let mut did = Did::default();
    let mut options: Vec<(&str, String)> = Vec::new();
    let shown = |cut: &Cut| fold::parts(&seen, cut, MOST_ITEMS).map_or(MOST_ITEMS, |parts| parts.len());
    let mut select = None;
    match call.name.as_str() {
        "critical" => {
            let now = shown(&cut);
            did.stopped = !grains::open::path(&seen, &mut cut, NodeId::ROOT, now, MANY_ITEMS);
            options.push(("critical", "true".to_owned()));
            options.push(("path", String::new()));
        }
        "path" => {
            let reached = open::reveal(&seen, &mut cut, on()?, MANY_ITEMS);
            let now = shown(&cut);
            did.stopped = !grains::open::path(&seen, &mut cut, reached, now, MANY_ITEMS);
            options.push(("path", reached.0.to_string()));
            select = Some(reached);
        }
        "alike" => {
            let node = on()?;
            let parts = grains::parts::parts(&seen, &cut, MOST_ITEMS).ok_or_else(super::draw::too_many)?;
            did.stopped = !grains::open::alike(&seen, &mut cut, node, &parts, MANY_ITEMS);
        }
        _ => {
            let step = if call.numbers.first().is_some_and(|&number| number < 0.0) { -1 } else { 1 };
            let worst = next_worst(&opened.tasks, graph, known.as_deref(), look.selected.as_ref(), step)?;
            // Very deep in the run, there is room only for the way to a group around it.
            select = Some(open::reveal(&seen, &mut cut, worst.node, MANY_ITEMS));
            did.notice = Some(worst.notice);
        }
    }
    did.select = select.map(|node| Selection::node(look.run, forest_grains::TREE, node));
    keep(look, forest_grains::TREE, &cut);
    for (name, value) in options {
        if value.is_empty() {
            look.options.remove(name);
        } else {
            look.options.insert(name.to_owned(), value);
        }
    }
    Ok(did)
}

/// One of the worst lines, as the group or grain where most of it is, with what to say of it.
struct Worst {
    node: NodeId,
    notice: String,
}

/// The line whose grains cost most under the lens, or the next one when one of the worst is selected; without a lens those of
/// the problem that costs most.
fn next_worst(
    tasks: &Tasks,
    graph: &GrainRun,
    lens: Option<&Known>,
    selected: Option<&Selection>,
    step: i32,
) -> Result<Worst, Refusal> {
    let all;
    let known = match lens {
        Some(known) => known,
        None => {
            all = graph.all_known();
            let costliest = all.iter().max_by_key(|known| known.cost(tasks, graph).time_lost);
            costliest.ok_or_else(|| Refusal::new("no problem is available in this run"))?
        }
    };
    let worst = &known.cost(tasks, graph).lines;
    let problem = known.set.problem;
    if worst.is_empty() {
        return Err(Refusal::new(match lens {
            Some(_) => format!("no grain has the problem {problem}: set its threshold nearer"),
            None => "no grain has a problem".to_owned(),
        }));
    }
    let of_grains = selected.filter(|selected| selected.tree.name == forest_grains::TREE);
    let now = of_grains.and_then(|selected| selected.nodes.single());
    let at = now.and_then(|node| worst.iter().position(|line| line.node == node));
    let next = match at {
        Some(at) => (at as i32 + step).rem_euclid(worst.len() as i32) as usize,
        None if step < 0 => worst.len() - 1,
        None => 0,
    };
    let line = worst[next];
    let amount = if super::about_grain::is_by_work(problem) { "of work" } else { "lost" };
    let source = tasks.sources().get(line.source);
    let notice = format!(
        "line {} of {}, worst first: {}, {} with {}, {} {amount}",
        next + 1,
        worst.len(),
        source.map_or_else(|| "source not known".to_owned(), |source| source.short()),
        super::words::many(line.grains, "grain"),
        forest_grains::in_words(problem),
        super::words::time_text(line.cost, tasks.clock()),
    );
    Ok(Worst { node: line.node, notice })
}

/// Opens every node of the critical path, the upper ones first, as long as there is room. Says whether all fitted.
fn open_critical(tasks: &Tasks, cut: &mut Cut) -> bool {
    let tree = tasks.tree();
    let folds = Plain(tree);
    let mut shown = fold::visible(&folds, cut).take(MANY_ITEMS).count();
    let mut queue = VecDeque::from([(NodeId::ROOT, tasks.critical_root())]);
    while let Some((node, way)) = queue.pop_front() {
        if tree.is_leaf(node) {
            continue;
        }
        let was_open = cut.is_open(node);
        cut.open(tree, node);
        let inside = tasks.critical_inside(node, &way);
        if let Some(child) = inside.leaves_by() {
            open::show(&folds, cut, node, child); // it may be one of very many
        }
        let parts = fold::shown(&folds, cut, node);
        if !was_open {
            shown += parts.len();
            if shown > MANY_ITEMS {
                cut.close(tree, node);
                return false;
            }
        }
        let alone = parts.iter().filter(|part| part.fold.is_none());
        queue.extend(alone.filter_map(|part| inside.way(part.node).map(|way| (part.node, way))));
    }
    true
}
