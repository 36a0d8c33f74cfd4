//! What a selection means in another tree: the same task, else who ran when, else the source line.

use std::collections::HashMap;

use crosscut_tasks::{Tasks, Timeline};
use crosscut_tree::{NodeId, Tree};
use crosscut_workbench::{Job, Nodes, Reach, Span};

/// Nodes of a selection that are looked at.
const MOST_NODES: usize = 10_000;
/// Intervals that a selection is told by; of more, each worker gets one stretch.
const MOST_STRETCHES: usize = 4096;
/// Nodes that are found at most.
const MOST_FOUND: usize = 100_000;
/// Cells of a stretch in which very many intervals ran.
const CELLS: usize = 512;

/// Those of the nodes that the tree has.
pub fn nodes<'a>(tree: Tree<'a>, nodes: &'a Nodes) -> impl Iterator<Item = NodeId> + 'a {
    nodes.iter().take(MOST_NODES).take_while(move |&node| tree.contains(node))
}

/// Who ran these nodes when, and where they began in the source.
pub fn reach(tasks: &Tasks, nodes: impl Iterator<Item = NodeId>) -> Reach {
    let mut reach = Reach::default();
    for node in nodes {
        let begins = tasks.sources().site(tasks.site(node)).map(|site| site.from);
        reach.lines.extend(begins.filter(|&line| (line as usize) < tasks.sources().source_count()));
        stretches(tasks, node, &mut reach.stretches);
    }
    reach.lines.sort_unstable();
    reach.lines.dedup();
    reach
}

/// The intervals of a node; of very many one stretch for each worker.
fn stretches(tasks: &Tasks, node: NodeId, out: &mut Vec<(u32, Span)>) {
    let range = tasks.tree().range(node);
    let span = |node: NodeId| Span(tasks.start(node) as f64, tasks.end(node) as f64);
    if range.len() <= 2 * MOST_STRETCHES {
        let leaves = range.map(|i| NodeId(i as u32)).filter(|&node| tasks.tree().is_leaf(node));
        let known = leaves.filter_map(|leaf| Some((tasks.worker(leaf)? as u32, span(leaf))));
        out.extend(known.take(MOST_STRETCHES.saturating_sub(out.len())));
        return;
    }
    let busy = tasks.mix(range).into_iter().take(tasks.workers()).enumerate();
    out.extend(busy.filter(|&(_, time)| time > 0).map(|(worker, _)| (worker as u32, span(node))));
}

/// Nodes of the task tree by who ran when; where nothing says that, by source line.
pub fn tasks(tasks: &Tasks, reach: &Reach, job: &Job<'_>) -> Nodes {
    if reach.stretches.is_empty() {
        by_line(tasks, &reach.lines)
    } else {
        by_time(tasks, &reach.stretches, job)
    }
}

fn by_time(tasks: &Tasks, stretches: &[(u32, Span)], job: &Job<'_>) -> Nodes {
    let mut found: Vec<NodeId> = Vec::new();
    let workers = tasks.workers();
    for &(place, Span(from, to)) in stretches {
        if job.is_cancelled() || found.len() >= MOST_FOUND || !from.is_finite() || !to.is_finite() {
            break;
        }
        // A worker on one core is a place of its own; what several workers ran has a row after all workers.
        let row = tasks.places().worker(place).unwrap_or(workers);
        match tasks.timeline(from.floor() as i64, to.ceil() as i64, CELLS, MOST_STRETCHES) {
            Timeline::Intervals(list) => {
                let here = list.iter().filter(|interval| interval.worker as usize == row);
                found.extend(here.map(|interval| interval.node));
            }
            Timeline::Cells(cells) => {
                let top = cells.top.get(row * cells.count..(row + 1) * cells.count).unwrap_or(&[]);
                found
                    .extend(top.iter().map(|&node| NodeId(node)).filter(|&node| tasks.tree().contains(node)));
            }
        }
    }
    found.truncate(MOST_FOUND);
    found.into_iter().collect()
}

/// Nodes that began at one of these lines.
fn by_line(tasks: &Tasks, lines: &[u32]) -> Nodes {
    let sources = tasks.sources();
    let begins = |site: u32| sources.site(site).is_some_and(|site| lines.contains(&site.from));
    let sites: Vec<bool> = (0..sources.site_count() as u32).map(begins).collect();
    if !sites.contains(&true) {
        return Nodes::none();
    }
    let has = |node: NodeId| sites.get(tasks.site(node) as usize).copied().unwrap_or(false);
    // The root is no hit of its own: it began where the program did.
    tasks.tree().search(NodeId(1), MOST_FOUND, has).0.into_iter().collect()
}

/// Names of nodes by lineage: the k-th child of the j-th child, and so on. The same in every run that has the same shape.
pub fn keys(tree: Tree<'_>, nodes: &[NodeId]) -> Vec<u64> {
    let mut known: HashMap<NodeId, u64> = HashMap::from([(NodeId::ROOT, 0x243f_6a88_85a3_08d3)]);
    let mut key = |node: NodeId| {
        let mut way = vec![node];
        way.extend(tree.ancestors(node));
        let from = way.iter().position(|node| known.contains_key(node)).unwrap_or(way.len() - 1);
        let mut key = known.get(&way[from]).copied().unwrap_or_default();
        for &step in way[..from].iter().rev() {
            key = mixed(key ^ (tree.child_index(step) as u64 + 1));
            known.insert(step, key);
        }
        key
    };
    nodes.iter().map(|&node| if tree.contains(node) { key(node) } else { 0 }).collect()
}

/// The finisher of splitmix64.
fn mixed(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Those of the nodes that do not lie below another of them, ascending.
pub fn topmost(tree: Tree<'_>, nodes: &Nodes) -> Vec<NodeId> {
    let mut top: Vec<NodeId> = Vec::new();
    for range in nodes.ranges() {
        let mut at = range.start;
        while at < range.end && top.len() < MOST_NODES {
            let node = NodeId(at as u32);
            if !tree.contains(node) {
                break;
            }
            let inside = top.last().is_some_and(|&last| tree.is_below(node, last));
            if inside {
                // Skip all of what lies in the last one.
                at = top.last().map_or(at + 1, |&last| tree.range(last).end);
                continue;
            }
            top.push(node);
            at = tree.range(node).end.max(at + 1);
        }
    }
    top
}
