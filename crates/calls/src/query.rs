//! Path queries: call paths by what they are and what they are called by.
//!
//! ```text
//! ("*", p) -> (q) where p.module = "solver" and q.name ~ "^MPI_" and q.time > 1e9
//! ```
//!
//! A query is a path of steps down the tree, from a caller to what it calls. A step takes one node, or with `"*"` any number of them,
//! with `"+"` at least one, with a number so many. What it gives are all nodes of all stretches of call paths that match. Queries
//! in braces are joined by `and`, `or`, `xor`, `not` (∧ ∨ ⊕ ¬).
//!
//! Matching is one pass down and one up: which steps can have been taken when a node is reached, and which of them can be
//! completed below it. A node is in a match if both hold for one step.

mod lex;
mod parse;

use crosscut_tree::{NodeId, NodeSet, Tree};
use regex::Regex;

use crate::paths::Paths;

/// Steps of a path at most: they are bits of a word.
pub const MOST_STEPS: usize = 64;

/// What is wrong with a query, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {why}")]
pub struct QueryError {
    /// Which letter, from 1.
    pub column: usize,
    /// What is wrong there.
    pub why: String,
}

/// A query.
#[derive(Clone, Debug)]
pub struct Query(Join);

#[derive(Clone, Debug)]
enum Join {
    Path(Path),
    Not(Box<Join>),
    Both(Op, Box<Join>, Box<Join>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    And,
    Or,
    Xor,
}

/// Steps, each with the nodes that it takes.
#[derive(Clone, Debug, Default)]
struct Path {
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
struct Step {
    /// It may be taken again.
    again: bool,
    /// It may be left out.
    optional: bool,
    /// What its nodes must be; anything where there is none.
    test: Option<Test>,
}

/// What a node must be.
#[derive(Clone, Debug)]
enum Test {
    Is { field: Field, column: usize, how: How },
    Not(Box<Test>),
    Both(Op, Box<Test>, Box<Test>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Field {
    Name,
    Module,
    File,
    Kind,
    Line,
    Depth,
    /// A metric by name; itself, or with callees.
    Metric(String, bool),
}

#[derive(Clone, Debug)]
enum How {
    Text(TextTest, String),
    Matches(Regex),
    Number(std::cmp::Ordering, bool, f64),
    NumberIs(bool, f64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextTest {
    Is,
    IsNot,
    Has,
}

impl Query {
    /// Reads a query.
    ///
    /// ```
    /// use crosscut_calls::Query;
    /// assert!(Query::parse(r#"("*", p) -> (q) where q.name = "main""#).is_ok());
    /// assert_eq!(Query::parse("(q) where q.name =").unwrap_err().to_string(), "column 19: a text or a number is missing");
    /// ```
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        parse::query(text).map(Query)
    }

    /// The nodes of all matches. A metric that the profile has not is an error.
    pub fn nodes(&self, paths: &(impl Paths + ?Sized)) -> Result<NodeSet, QueryError> {
        joined(&self.0, paths)
    }
}

/// Joins are nested as deep as the text's braces, of which there are few.
fn joined(join: &Join, paths: &(impl Paths + ?Sized)) -> Result<NodeSet, QueryError> {
    let n = paths.node_count();
    match join {
        Join::Path(path) => matched(path, paths),
        Join::Not(of) => {
            let of = joined(of, paths)?;
            Ok(NodeSet::from_fn(n, |node| !of.contains(node)))
        }
        Join::Both(op, a, b) => {
            let (a, b) = (joined(a, paths)?, joined(b, paths)?);
            Ok(match op {
                Op::And => a.and(&b),
                Op::Or => a.or(&b),
                Op::Xor => a.minus(&b).or(&b.minus(&a)),
            })
        }
    }
}

fn matched(path: &Path, paths: &(impl Paths + ?Sized)) -> Result<NodeSet, QueryError> {
    let takes = takes(path, paths)?;
    let tree = paths.tree();
    let moves = Moves::new(path);
    let n = takes.len();
    // Down: steps that can have taken each node. A match may begin anywhere.
    let mut taken = vec![0u64; n];
    for (node, &parent) in tree.parents().iter().enumerate() {
        let above = if node == 0 { 0 } else { taken[parent as usize] };
        taken[node] = (moves.first | moves.after(above)) & takes[node];
    }
    // Up: steps from which a match can be completed at or below each node.
    let mut ends = vec![moves.last; n];
    for node in (1..n).rev() {
        let parent = tree.parents()[node] as usize;
        ends[parent] |= moves.before(ends[node] & takes[node]);
    }
    Ok(NodeSet::from_fn(n, |node| taken[node.index()] & ends[node.index()] != 0))
}

/// Which step can follow which.
struct Moves {
    first: u64,
    last: u64,
    next: Vec<u64>,
    from: Vec<u64>,
}

impl Moves {
    fn new(path: &Path) -> Self {
        let steps = &path.steps;
        // From before a step: it and those after it, up to the first that must be taken.
        let reach = |from: usize| {
            let mut bits = 0u64;
            for (at, step) in steps.iter().enumerate().skip(from) {
                bits |= 1 << at;
                if !step.optional {
                    break;
                }
            }
            bits
        };
        let next: Vec<u64> = (steps.iter().enumerate())
            .map(|(at, step)| reach(at + 1) | if step.again { 1 << at } else { 0 })
            .collect();
        let mut from = vec![0u64; steps.len()];
        for (at, &next) in next.iter().enumerate() {
            for (to, from) in from.iter_mut().enumerate() {
                *from |= (next >> to & 1) << at;
            }
        }
        let mut last = 0u64;
        for (at, step) in steps.iter().enumerate().rev() {
            last |= 1 << at;
            if !step.optional {
                break;
            }
        }
        Moves { first: reach(0), last, next, from }
    }

    fn after(&self, steps: u64) -> u64 {
        gathered(steps, &self.next)
    }

    fn before(&self, steps: u64) -> u64 {
        gathered(steps, &self.from)
    }
}

fn gathered(mut steps: u64, of: &[u64]) -> u64 {
    let mut out = 0;
    while steps != 0 {
        out |= of[steps.trailing_zeros() as usize];
        steps &= steps - 1;
    }
    out
}

/// By node: the steps that can take it.
fn takes(path: &Path, paths: &(impl Paths + ?Sized)) -> Result<Vec<u64>, QueryError> {
    let n = paths.node_count();
    let mut takes = vec![0u64; n];
    for (at, step) in path.steps.iter().enumerate() {
        match &step.test {
            None => takes.iter_mut().for_each(|bits| *bits |= 1 << at),
            Some(test) => {
                let set = tested(test, paths)?;
                set.iter().for_each(|node| takes[node.index()] |= 1 << at);
            }
        }
    }
    Ok(takes)
}

/// Tests are nested as deep as the text's brackets, of which there are few.
fn tested(test: &Test, paths: &(impl Paths + ?Sized)) -> Result<NodeSet, QueryError> {
    let n = paths.node_count();
    match test {
        Test::Not(of) => {
            let of = tested(of, paths)?;
            Ok(NodeSet::from_fn(n, |node| !of.contains(node)))
        }
        Test::Both(op, a, b) => {
            let (a, b) = (tested(a, paths)?, tested(b, paths)?);
            Ok(match op {
                Op::And => a.and(&b),
                Op::Or => a.or(&b),
                Op::Xor => a.minus(&b).or(&b.minus(&a)),
            })
        }
        Test::Is { field, column, how } => is(paths, field, *column, how),
    }
}

fn is(paths: &(impl Paths + ?Sized), field: &Field, column: usize, how: &How) -> Result<NodeSet, QueryError> {
    let n = paths.node_count();
    // What a frame says is asked once of each frame.
    let by_frame = |test: &dyn Fn(&crate::Frame) -> bool| {
        let wanted: Vec<bool> = paths.frames().iter().map(test).collect();
        NodeSet::from_fn(n, |node| wanted.get(paths.number(node) as usize) == Some(&true))
    };
    Ok(match field {
        Field::Name => by_frame(&|frame| how.text(&frame.name)),
        Field::Module => by_frame(&|frame| how.text(&frame.module) || how.text(last_part(&frame.module))),
        Field::File => by_frame(&|frame| how.text(&frame.file) || how.text(last_part(&frame.file))),
        Field::Kind => by_frame(&|frame| how.text(frame.kind.word())),
        Field::Line => by_frame(&|frame| how.number(frame.line as f64)),
        Field::Depth => {
            let depth = depths(paths.tree());
            NodeSet::from_fn(n, |node| how.number(f64::from(depth[node.index()])))
        }
        Field::Metric(name, own) => {
            let names = paths.metric_names();
            let metric = names.iter().position(|known| known == name).ok_or_else(|| QueryError {
                column,
                why: format!(
                    "there is no `{name}`: name, module, file, line, kind, depth, {}",
                    names.join(", ")
                ),
            })?;
            let value = |node: NodeId| match own {
                true => paths.sum(metric, node.index()..node.index() + 1),
                false => paths.with_callees(metric, node),
            };
            NodeSet::from_fn(n, |node| how.number(value(node) as f64))
        }
    })
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

fn depths(tree: Tree<'_>) -> Vec<u32> {
    let mut depth = vec![0u32; tree.node_count()];
    for (node, &parent) in tree.parents().iter().enumerate().skip(1) {
        depth[node] = depth[parent as usize] + 1;
    }
    depth
}

impl How {
    fn text(&self, text: &str) -> bool {
        match self {
            How::Text(TextTest::Is, wanted) => text == wanted,
            How::Text(TextTest::IsNot, wanted) => text != wanted,
            How::Text(TextTest::Has, wanted) => text.contains(wanted.as_str()),
            How::Matches(pattern) => pattern.is_match(text),
            How::Number(..) | How::NumberIs(..) => false,
        }
    }

    fn number(&self, number: f64) -> bool {
        match self {
            How::Number(side, or_equal, wanted) => {
                let order = number.partial_cmp(wanted);
                order == Some(*side) || (*or_equal && order == Some(std::cmp::Ordering::Equal))
            }
            How::NumberIs(is, wanted) => (number == *wanted) == *is,
            How::Text(..) | How::Matches(_) => false,
        }
    }
}
