//! Grain graphs as graphs for other tools: GraphML with nested groups that yEd opens folded, plain GraphML, and DOT.
//! Streamed: a writer holds the members of the groups around what it writes, nothing else.

mod dot;
mod nested;
mod plain;
mod xml;

use std::io::{self, Write};

use crosscut_run::tasks::Kind;
use crosscut_tasks::Tasks;
use crosscut_tasks::grain::{Deviation, GrainKind, GrainPath, Grains, Problem, ProblemSet};
use crosscut_tree::NodeId;

/// What is written.
#[derive(Clone, Copy)]
pub struct Graph<'a> {
    /// The task tree behind it.
    pub tasks: &'a Tasks,
    /// The grain graph.
    pub grains: &'a Grains,
    /// Problems to mark; the first one also separates the rest in the nested form.
    pub problems: &'a [ProblemSet],
    /// Work against another run.
    pub deviation: Option<&'a Deviation>,
}

/// A form that other tools read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// GraphML with a group for each group.
    Nested,
    /// GraphML of grains, forks and joins.
    Plain,
    /// DOT of grains, forks and joins.
    Dot,
}

impl Graph<'_> {
    /// Writes it.
    pub fn write(&self, form: Form, out: &mut dyn Write) -> io::Result<()> {
        match form {
            Form::Nested => nested::write(self, out),
            Form::Plain => walk(self, &mut plain::GraphMl { graph: self, out, edges: 0 }),
            Form::Dot => walk(self, &mut dot::Dot { graph: self, out }),
        }
    }

    /// The problems that a node has, or that grains in it have.
    fn problems_of(&self, node: NodeId) -> impl Iterator<Item = Problem> + '_ {
        let range = self.grains.tree().range(node);
        self.problems.iter().filter(move |set| set.inside(range.clone()) > 0).map(|set| set.problem)
    }

    fn source(&self, node: NodeId) -> Option<String> {
        self.tasks.source(self.grains.task(node)).0.map(|source| format!("{}:{}", source.file, source.line))
    }

    /// The data of a grain or a group: key and value.
    fn data(&self, node: NodeId) -> Vec<(&'static str, String)> {
        let metrics = self.grains.metrics(self.tasks, node);
        let task = self.grains.task(node);
        let kind = self.grains.kind(node);
        let mut data = vec![("v_kind", kind_word(kind).to_owned()), ("v_work", metrics.work.to_string())];
        let mut add = |key, value: Option<String>| data.extend(value.map(|value| (key, value)));
        add("v_critical_path", Some(metrics.critical_path.to_string()));
        add("v_creation", metrics.creation.map(|v| v.to_string()));
        add("v_sync", metrics.sync.map(|v| v.to_string()));
        add("v_parallel_benefit", metrics.benefit.map(|v| v.to_string()));
        add("v_balance", metrics.balance.map(|v| v.to_string()));
        add("v_scatter", metrics.scatter.map(|v| v.to_string()));
        add("v_parallelism", metrics.parallelism.map(|v| v.to_string()));
        let deviation = self.grains.problem_value(Problem::WorkDeviation, node, self.deviation);
        add("v_deviation", deviation.map(|v| v.to_string()));
        if kind.is_group() {
            add("v_grains", Some(self.grains.grain_range(node).len().to_string()));
        } else {
            let first = std::iter::successors(Some(task), |&n| Some(NodeId(n.0 + 1)))
                .find(|&n| self.tasks.tree().is_leaf(n))
                .unwrap_or(task);
            add("v_core", self.tasks.core(first).map(|core| core.to_string()));
            add("v_worker", self.tasks.worker(first).map(|worker| worker.to_string()));
            add("v_start", Some(self.tasks.start(task).to_string()));
        }
        if self.tasks.kind(task) == Kind::Chunk
            && let Some((first, count)) = self.tasks.chunk(task)
        {
            add("v_chunk_first", Some(first.to_string()));
            add("v_chunk_count", Some(count.to_string()));
        }
        add("v_source", self.source(node));
        let problems: Vec<&str> = self.problems_of(node).map(Problem::word).collect();
        add("v_problems", (!problems.is_empty()).then(|| problems.join(" ")));
        data
    }
}

fn kind_word(kind: GrainKind) -> &'static str {
    match kind {
        GrainKind::Task => "task",
        GrainKind::Lane => "lane",
        GrainKind::Root => "root",
        GrainKind::Chunk => "chunk",
        GrainKind::Folded => "folded",
        GrainKind::Linear => "linear",
        GrainKind::ForkJoin => "fork-join",
    }
}

/// A node of the raw graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Raw {
    Start,
    End,
    Grain(NodeId),
    Fork(NodeId),
    Join(NodeId),
}

impl Raw {
    fn id(self) -> String {
        match self {
            Raw::Start => "start".to_owned(),
            Raw::End => "end".to_owned(),
            Raw::Grain(node) => format!("g{}", node.0),
            Raw::Fork(node) => format!("f{}", node.0),
            Raw::Join(node) => format!("j{}", node.0),
        }
    }

    /// The type of the edge from one node to another.
    fn edge(self, to: Raw) -> &'static str {
        match (self, to) {
            (Raw::Fork(_), _) => "create",
            (_, Raw::Join(_)) => "sync",
            _ => "continue",
        }
    }
}

/// Gets the raw graph piece by piece: every node before its edges.
trait Writer {
    fn begin(&mut self) -> io::Result<()>;
    fn node(&mut self, node: Raw) -> io::Result<()>;
    fn edge(&mut self, from: Raw, to: Raw, critical: bool) -> io::Result<()>;
    fn end(&mut self) -> io::Result<()>;
}

/// A group that is being written.
struct Level {
    group: NodeId,
    next: Option<NodeId>,
    parallel: bool,
    critical: bool,
    path: Option<GrainPath>,
    /// The last node of the member before, and whether the critical path goes on from there.
    before: (Raw, bool),
}

/// Walks through the raw graph in order.
fn walk(graph: &Graph<'_>, writer: &mut dyn Writer) -> io::Result<()> {
    let (grains, tree) = (graph.grains, graph.grains.tree());
    writer.begin()?;
    writer.node(Raw::Start)?;
    let mut levels: Vec<Level> = Vec::new();
    // What comes next, what it follows, and whether the critical path goes there.
    let mut now = Some((NodeId::ROOT, (Raw::Start, true), true));
    let mut done = (Raw::Start, true);
    loop {
        if let Some((node, before, critical)) = now.take() {
            let first = tree.children(node).next();
            match grains.kind(node) {
                GrainKind::Linear => {
                    levels.push(Level {
                        group: node,
                        next: first,
                        parallel: false,
                        critical,
                        path: None,
                        before,
                    });
                }
                GrainKind::ForkJoin => {
                    let fork = Raw::Fork(node);
                    writer.node(fork)?;
                    writer.edge(before.0, fork, critical && before.1)?;
                    writer.node(Raw::Join(node))?;
                    let path = critical.then(|| grains.path(graph.tasks, node));
                    levels.push(Level {
                        group: node,
                        next: first,
                        parallel: true,
                        critical,
                        path,
                        before: (fork, critical),
                    });
                }
                _ => {
                    writer.node(Raw::Grain(node))?;
                    writer.edge(before.0, Raw::Grain(node), critical && before.1)?;
                    done = (Raw::Grain(node), critical);
                    finish_member(writer, &mut levels, done)?;
                }
            }
        }
        let Some(level) = levels.last_mut() else { break };
        match level.next {
            Some(member) => {
                level.next = tree.next_sibling(member);
                let takes = level.path.as_ref().is_none_or(|path| path.takes(member));
                now = Some((member, level.before, level.critical && takes));
            }
            None => {
                done = if level.parallel { (Raw::Join(level.group), level.critical) } else { level.before };
                levels.pop();
                finish_member(writer, &mut levels, done)?;
            }
        }
    }
    writer.node(Raw::End)?;
    writer.edge(done.0, Raw::End, done.1)?;
    writer.end()
}

/// A member is written: in a fork-join it leads to the join, in a linear group to the next member.
fn finish_member(writer: &mut dyn Writer, levels: &mut [Level], last: (Raw, bool)) -> io::Result<()> {
    let Some(level) = levels.last_mut() else { return Ok(()) };
    if level.parallel {
        writer.edge(last.0, Raw::Join(level.group), last.1)
    } else {
        level.before = last;
        Ok(())
    }
}
