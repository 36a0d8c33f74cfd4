//! The table form of the grain view: what is visible, or every grain that has a problem, as rows.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crosscut_tasks::grain::{GrainKind, GrainPath, Problem};
use crosscut_tree::{Cut, Fold, NodeId};
use crosscut_view::format::count;
use crosscut_view::grain::Look;
use crosscut_view::grain::parts::{Part, What};

use super::grain_scene::visible_parts;
use super::short_source;
use super::table::Order;
use crate::answer::Refusal;
use crate::protocol::{GrainRow, GrainTableAnswer};

/// Rows that are sent at most.
const MOST_ROWS: usize = 2000;
/// Grains that are sorted at most.
const MOST_GRAINS: usize = 100_000;

/// Which rows.
#[derive(Clone, Copy, Debug)]
pub enum Rows<'a> {
    /// What a cut shows.
    Visible(&'a Cut),
    /// Every grain that has the problem that is looked at.
    All,
}

/// Answers [`crate::protocol::Op::GrainTable`].
pub fn grain_table(
    look: &Look<'_>,
    rows: Rows<'_>,
    order: Order<'_>,
    filter: &str,
    range: Range<usize>,
) -> Result<GrainTableAnswer, Refusal> {
    let compare = column(order.sort)?;
    let words: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
    let matches = |kind: &str, source: &str| {
        let text = format!("{kind} {source}").to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    };
    let (mut all, total) = match rows {
        Rows::Visible(cut) => {
            let mut rows = visible(look, cut)?;
            rows.retain(|row| matches(&row.kind, &row.source));
            let total = rows.len();
            (rows, total)
        }
        Rows::All => every(look, matches)?,
    };
    let by_depth = |row: &mut GrainRow| row.depth = look.grains.tree().depth(NodeId(row.node)) as u32;
    let depth_is_missing = matches!(rows, Rows::All);
    if depth_is_missing && order.sort == "depth" {
        all.iter_mut().for_each(by_depth);
    }
    match compare {
        By::Tree if order.descending => all.reverse(),
        By::Tree => {}
        By::Plain(compare) => {
            all.sort_by(|a, b| if order.descending { compare(b, a) } else { compare(a, b) });
        }
        By::Value(value) => all.sort_by(|a, b| known_first(value(a), value(b), order.descending)),
    }
    let start = range.start.min(all.len());
    let end = range.end.clamp(start, all.len()).min(start + MOST_ROWS);
    let mut rows: Vec<GrainRow> = all.drain(start..end).collect();
    if depth_is_missing {
        rows.iter_mut().for_each(by_depth);
    }
    let mut path = OnPath { look, takes: HashMap::new(), known: HashMap::from([(NodeId::ROOT, true)]) };
    for row in rows.iter_mut().filter(|row| row.path.is_some()) {
        row.critical = path.has(NodeId(row.node));
    }
    Ok(GrainTableAnswer { total, rows })
}

/// Which nodes lie on the critical path of the run; each group is looked into once.
struct OnPath<'a> {
    look: &'a Look<'a>,
    /// Of a group the members that its path takes; all where there is no set.
    takes: HashMap<NodeId, Option<HashSet<NodeId>>>,
    known: HashMap<NodeId, bool>,
}

impl OnPath<'_> {
    fn has(&mut self, node: NodeId) -> bool {
        let tree = self.look.grains.tree();
        let mut way = vec![node];
        let mut found = loop {
            let at = way[way.len() - 1];
            match (self.known.get(&at), tree.parent(at)) {
                (Some(&known), _) => break known,
                (None, Some(parent)) => way.push(parent),
                (None, None) => break true,
            }
        };
        way.reverse();
        for step in way.windows(2) {
            found = found && self.takes(step[0], step[1]);
            self.known.insert(step[1], found);
        }
        found
    }

    fn takes(&mut self, group: NodeId, member: NodeId) -> bool {
        let look = self.look;
        let takes = self.takes.entry(group).or_insert_with(|| match &*look.path(group) {
            GrainPath::All => None,
            GrainPath::Some(members) => Some(members.iter().copied().collect()),
        });
        takes.as_ref().is_none_or(|takes| takes.contains(&member))
    }
}

fn visible(look: &Look<'_>, cut: &Cut) -> Result<Vec<GrainRow>, Refusal> {
    let parts = visible_parts(look, cut)?;
    // What an open group that is alike to others stands for beyond itself is a row of its own: totals stay whole.
    let has_row = |part: &&Part| part.is_item() || part.count > 1;
    Ok(parts.iter().filter(has_row).map(|part| row_of(look, part)).collect())
}

/// The first grains that have the problem and match, and how many there are in all.
fn every(look: &Look<'_>, matches: impl Fn(&str, &str) -> bool) -> Result<(Vec<GrainRow>, usize), Refusal> {
    let Some(set) = look.lens else {
        return Err("choose a problem: the table of all grains shows those that have it".to_owned());
    };
    // Sites are few: each is matched once.
    let mut wanted: HashMap<(GrainKind, u32), bool> = HashMap::new();
    let (mut rows, mut total) = (Vec::new(), 0);
    for node in set.lens.chosen().iter() {
        let (kind, task) = (look.grains.kind(node), look.grains.task(node));
        let test = || matches(kind.word(), &short_source(look.tasks, task));
        if *wanted.entry((kind, look.tasks.site(task))).or_insert_with(test) {
            total += 1;
            if rows.len() < MOST_GRAINS {
                rows.push(row(look, node, 0));
            }
        }
    }
    Ok((rows, total))
}

fn row(look: &Look<'_>, node: NodeId, depth: u32) -> GrainRow {
    let (tasks, grains) = (look.tasks, look.grains);
    let task = grains.task(node);
    let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
    let mut row = GrainRow {
        node: node.0,
        depth,
        kind: grains.kind(node).word().to_owned(),
        source: short_source(tasks, task),
        core: grains.core(node).map(f64::from),
        start: tasks.start(task) as f64,
        work: grains.work(node) as f64,
        path: Some(grains.critical_path(node) as f64),
        benefit: None,
        balance: None,
        scatter: None,
        parallelism: None,
        deviation: None,
        grains: grains.grain_range(node).len() as f64,
        problem: look.lens.is_some_and(|set| set.lens.inside(grains.tree(), node) > 0),
        critical: false,
    };
    let value = |problem| finite(grains.problem_value(problem, node, look.deviation));
    if grains.kind(node).is_group() {
        let metrics = grains.metrics(tasks, node);
        row.benefit = finite(metrics.benefit);
        row.balance = finite(metrics.balance);
        row.scatter = finite(metrics.scatter);
        row.parallelism = finite(metrics.parallelism);
    } else {
        row.benefit = value(Problem::LowParallelBenefit);
        row.balance = value(Problem::SiblingImbalance).or_else(|| value(Problem::ChunkImbalance));
        row.scatter = value(Problem::SiblingScatter);
        row.parallelism = value(Problem::LowParallelism);
        row.deviation = value(Problem::WorkDeviation);
    }
    row
}

fn row_of(look: &Look<'_>, part: &Part) -> GrainRow {
    let mut row = row(look, part.node, part.depth);
    if matches!(part.what, What::Grain | What::Closed) {
        return row;
    }
    let (folded, word) = match part.what {
        What::Folded(Fold::Rest) => (part.count, "others"),
        What::Folded(Fold::Gap) => (part.count, "more"),
        What::Folded(Fold::Alike) => (part.count, "alike"),
        _ => (part.count.saturating_sub(1), "alike"),
    };
    // Totals are those of all members; the rest would be that of the first only.
    row.kind = word.to_owned();
    row.source = format!("× {} {word}", count(i64::from(folded)));
    row.work = part.totals.work as f64;
    row.grains = part.totals.grains as f64;
    row.problem = part.totals.problems > 0;
    row.core = None;
    row.path = None;
    row.benefit = None;
    row.balance = None;
    row.scatter = None;
    row.parallelism = None;
    row.deviation = None;
    row
}

/// What decides the order.
enum By {
    /// The order of the tree.
    Tree,
    /// What every row has.
    Plain(fn(&GrainRow, &GrainRow) -> Ordering),
    /// What may not be known of a row.
    Value(fn(&GrainRow) -> Option<f64>),
}

/// What is not known comes last, whether the smallest or the largest come first.
fn known_first(a: Option<f64>, b: Option<f64>, descending: bool) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) if descending => b.total_cmp(&a),
        (Some(a), Some(b)) => a.total_cmp(&b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

fn column(name: &str) -> Result<By, Refusal> {
    let value = |value: fn(&GrainRow) -> Option<f64>| Ok(By::Value(value));
    let compare: fn(&GrainRow, &GrainRow) -> Ordering = match name {
        "" => return Ok(By::Tree),
        "node" => |a, b| a.node.cmp(&b.node),
        "depth" => |a, b| a.depth.cmp(&b.depth),
        "kind" => |a, b| a.kind.cmp(&b.kind),
        "source" => |a, b| a.source.cmp(&b.source),
        "core" => return value(|row| row.core),
        "start" => |a, b| a.start.total_cmp(&b.start),
        "work" => |a, b| a.work.total_cmp(&b.work),
        "path" => return value(|row| row.path),
        "benefit" => return value(|row| row.benefit),
        "balance" => return value(|row| row.balance),
        "scatter" => return value(|row| row.scatter),
        "parallelism" => return value(|row| row.parallelism),
        "deviation" => return value(|row| row.deviation),
        "grains" => |a, b| a.grains.total_cmp(&b.grains),
        "problem" => |a, b| a.problem.cmp(&b.problem),
        _ => {
            let name: String = name.chars().take(40).collect();
            return Err(format!(
                "the table has no column `{name}`; it has node, depth, kind, source, core, start, work, path, benefit, balance, scatter, parallelism, deviation, grains, problem"
            ));
        }
    };
    Ok(By::Plain(compare))
}
