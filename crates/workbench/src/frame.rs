//! Tables for scripts, as Arrow columns: pandas, Polars and DuckDB take them as they are. Columns that a run has on disk are
//! handed over where they are mapped; others are made only when they are asked for.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::UInt32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, ListArray, RecordBatch, StringArray, UInt32Array,
};
use arrow_schema::{ArrowError, Field, Schema};
use crosscut_run::Sources;
use crosscut_tree::{NodeId, Part, Tree};

use crate::bench::Workbench;
use crate::domain::{Domain, Forest, TreeRef};
use crate::error::Refusal;
use crate::job::Job;
use crate::look::{LensSpec, Scope, TreeLook};
use crate::selection::TreeKey;
use crate::sheet::{Cell, Finding};
use crate::text;

/// A table that a domain has for scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameDecl {
    /// Its name, such as "tasks".
    pub name: &'static str,
    /// What a row is, in a sentence.
    pub about: &'static str,
}

/// What costs time, a row for each finding.
pub const FINDINGS: FrameDecl =
    FrameDecl { name: "findings", about: "What costs time, worst first: a row for each finding." };

/// Which nodes of a tree a table has.
#[derive(Clone, Debug, PartialEq)]
pub enum Which {
    /// All of them.
    All,
    /// Those that a lens chooses.
    Lens(LensSpec),
    /// These, in this order.
    These(Vec<NodeId>),
}

/// A table that is being put together: only columns that somebody wants are made.
pub struct Frame<'a> {
    wanted: Option<&'a [String]>,
    known: Vec<String>,
    columns: Vec<(Field, ArrayRef)>,
}

impl<'a> Frame<'a> {
    /// With these columns only, or with all.
    pub fn of(wanted: Option<&'a [String]>) -> Self {
        Frame { wanted, known: Vec::new(), columns: Vec::new() }
    }

    /// Adds a column, if it is wanted.
    pub fn put(&mut self, name: &str, make: impl FnOnce() -> ArrayRef) {
        self.known.push(name.to_owned());
        if self.wanted.is_none_or(|wanted| wanted.iter().any(|wanted| wanted == name)) {
            let array = make();
            self.columns.push((Field::new(name, array.data_type().clone(), true), array));
        }
    }

    /// The table, with columns in the order in which they were wanted; one that is not known is refused.
    pub fn finish(mut self) -> Result<RecordBatch, Refusal> {
        if let Some(wanted) = self.wanted {
            if let Some(unknown) = wanted.iter().find(|wanted| !self.known.contains(wanted)) {
                let known = self.known.join(", ");
                return Err(Refusal::new(format!("there is no column `{unknown}`; there are {known}")));
            }
            self.columns.sort_by_key(|(field, _)| wanted.iter().position(|name| name == field.name()));
        }
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = self.columns.into_iter().unzip();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(refused)
    }
}

fn refused(error: ArrowError) -> Refusal {
    Refusal::new(error.to_string())
}

/// A column of source lines, by their numbers in the run.
pub fn lines(sources: &Sources, numbers: impl Iterator<Item = Option<u32>>) -> ArrayRef {
    let all = (0..sources.source_count() as u32).filter_map(|number| sources.get(number));
    named(all.map(ToString::to_string), numbers)
}

/// A column of words, by their numbers in a list. Words that are there twice become one: pandas takes no others.
pub fn named(
    words: impl Iterator<Item = impl AsRef<str>>,
    numbers: impl Iterator<Item = Option<u32>>,
) -> ArrayRef {
    let mut known: HashMap<String, u32> = HashMap::new();
    let mut unlike: Vec<String> = Vec::new();
    let of: Vec<u32> = words
        .map(|word| {
            *known.entry(word.as_ref().to_owned()).or_insert_with_key(|word| {
                unlike.push(word.clone());
                unlike.len() as u32 - 1
            })
        })
        .collect();
    let keys: UInt32Array = numbers.map(|at| of.get(at? as usize).copied()).collect();
    Arc::new(DictionaryArray::<UInt32Type>::new(keys, Arc::new(StringArray::from(unlike))))
}

impl Workbench {
    /// The tables of a run for scripts.
    pub fn frames(&self, run: usize) -> Result<Vec<FrameDecl>, Refusal> {
        let own = self.run(run)?.domains.iter().flat_map(|domain| domain.frames().iter().copied());
        Ok(own.chain([FINDINGS]).collect())
    }

    /// A table by its name, with some columns or with all.
    pub fn frame(&self, run: usize, name: &str, columns: Option<&[String]>) -> Result<RecordBatch, Refusal> {
        let mut frame = Frame::of(columns);
        if name == FINDINGS.name {
            put_findings(&self.found(run)?.findings, &mut frame);
            return frame.finish();
        }
        let has = |domain: &&Arc<dyn Domain>| domain.frames().iter().any(|decl| decl.name == name);
        let Some(domain) = self.run(run)?.domains.iter().find(has) else {
            let names: Vec<&str> = self.frames(run)?.iter().map(|decl| decl.name).collect();
            return Err(Refusal::new(format!("there is no table `{name}`; there are {}", names.join(", "))));
        };
        self.job(run, |job| domain.frame(name, &mut frame, job))?;
        frame.finish()
    }

    /// Nodes of any tree as a table, in pre-order, with all its metrics.
    pub fn tree_frame(
        &self,
        run: usize,
        tree: &TreeRef,
        which: &Which,
        scope: &Scope,
        columns: Option<&[String]>,
    ) -> Result<RecordBatch, Refusal> {
        self.tree_frame_of(run, tree, which, (scope, &BTreeMap::new()), columns)
    }

    /// The same where the tree that the scope lies inside of was made with options: `trees` says them, as in a look.
    pub fn tree_frame_of(
        &self,
        run: usize,
        tree: &TreeRef,
        which: &Which,
        (scope, trees): (&Scope, &BTreeMap<TreeKey, TreeLook>),
        columns: Option<&[String]>,
    ) -> Result<RecordBatch, Refusal> {
        self.job(run, |job| {
            let forest = self.forest(tree, job)?;
            let forest = forest.scoped(scope, trees, job)?.unwrap_or(forest);
            let count = forest.tree().node_count();
            let nodes: Vec<NodeId> = match which {
                Which::All => (0..count as u32).map(NodeId).collect(),
                Which::Lens(lens) => self.lens(tree, lens, job)?.lens.chosen().iter().collect(),
                Which::These(nodes) => nodes.clone(),
            };
            if let Some(wrong) = nodes.iter().find(|node| node.index() >= count) {
                return Err(Refusal::new(format!(
                    "there is no node {} in {}: it has {count}",
                    wrong.0, tree.key
                )));
            }
            let mut frame = Frame::of(columns);
            put_nodes(&*forest, &nodes, scope, &mut frame, job)?;
            frame.finish()
        })
    }
}

/// Nodes whose parts are in memory at once.
const BATCH: usize = 1 << 16;

fn put_nodes(
    forest: &dyn Forest,
    nodes: &[NodeId],
    scope: &Scope,
    frame: &mut Frame<'_>,
    job: &Job<'_>,
) -> Result<(), Refusal> {
    let tree = forest.tree();
    frame.put("node", || Arc::new(UInt32Array::from_iter_values(nodes.iter().map(|node| node.0))));
    frame.put("parent", || {
        Arc::new(nodes.iter().map(|&node| tree.parent(node).map(|parent| parent.0)).collect::<UInt32Array>())
    });
    frame.put("depth", || {
        let depths = depths(tree);
        Arc::new(UInt32Array::from_iter_values(nodes.iter().map(|node| depths[node.index()])))
    });
    put_titles(forest, nodes, frame);
    for (number, metric) in forest.metrics().iter().enumerate() {
        job.check()?;
        frame.put(&metric.name, || {
            let mut values = vec![f64::NAN; nodes.len()];
            for (nodes, values) in nodes.chunks(BATCH).zip(values.chunks_mut(BATCH)) {
                forest.values(number, &parts(nodes), scope, values);
            }
            Arc::new(Float64Array::from(values))
        });
    }
    for (metric, values) in forest.late(job)? {
        frame.put(&metric.name, || {
            let value = |node: &NodeId| values.get(node.index()).copied().unwrap_or(f64::NAN);
            Arc::new(Float64Array::from_iter_values(nodes.iter().map(value)))
        });
    }
    Ok(())
}

fn parts(nodes: &[NodeId]) -> Vec<Part> {
    nodes.iter().map(|&node| Part::one(node)).collect()
}

/// How many nodes are around each one.
/// How deep each node is; the root is 0.
pub fn depths(tree: Tree<'_>) -> Vec<u32> {
    let mut depths = vec![0; tree.node_count()];
    for node in (1..tree.node_count()).map(|node| NodeId(node as u32)) {
        let around = tree.parent(node).map_or(0, |parent| depths[parent.index()] + 1);
        depths[node.index()] = around;
    }
    depths
}

/// What each node is called: made once for all three columns, and only if one of them is wanted.
fn put_titles(forest: &dyn Forest, nodes: &[NodeId], frame: &mut Frame<'_>) {
    let mut named: Option<[ArrayRef; 3]> = None;
    for (number, name) in ["kind", "name", "line"].into_iter().enumerate() {
        frame.put(name, || {
            let columns = named.get_or_insert_with(|| titles(forest, nodes));
            Arc::clone(&columns[number])
        });
    }
}

fn titles(forest: &dyn Forest, nodes: &[NodeId]) -> [ArrayRef; 3] {
    let mut columns: [StringDictionaryBuilder<UInt32Type>; 3] = Default::default();
    for nodes in nodes.chunks(BATCH) {
        for title in forest.titles(&parts(nodes), None) {
            let line = title.line.as_ref().map(Cell::position);
            for (column, text) in columns.iter_mut().zip([Some(title.kind), Some(title.name), line]) {
                column.append_option(text);
            }
        }
    }
    columns.map(|mut column| Arc::new(column.finish()) as ArrayRef)
}

fn put_findings(findings: &[Finding], frame: &mut Frame<'_>) {
    let words = |read: fn(&Finding) -> Option<String>| -> ArrayRef {
        Arc::new(findings.iter().map(read).collect::<StringArray>())
    };
    let number = |read: fn(&Finding) -> Option<f64>| -> ArrayRef {
        Arc::new(findings.iter().map(read).collect::<Float64Array>())
    };
    frame
        .put("number", || Arc::new(UInt32Array::from_iter_values(findings.iter().map(|found| found.number))));
    frame.put("id", || words(|found| Some(found.id.clone())));
    frame.put("severity", || words(|found| Some(found.severity.word().to_owned())));
    frame.put("where", || words(|found| found.line.as_ref().map(Cell::position)));
    frame.put("cost_ns", || number(|found| Some(text::cost(found))));
    frame.put("without_ns", || number(|found| found.without.as_ref().and_then(Cell::number)));
    frame.put("ranks", || {
        let ranks = findings.iter().map(|found| Some(found.ranks.iter().map(|&rank| Some(rank))));
        Arc::new(ListArray::from_iter_primitive::<UInt32Type, _, _>(ranks))
    });
    frame.put("what", || words(|found| Some(found.what.clone())));
    frame.put("evidence", || words(|found| Some(found.evidence.clone())));
    frame.put("do", || words(|found| Some(found.advice.clone())));
}
