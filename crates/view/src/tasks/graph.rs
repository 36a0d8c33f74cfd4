//! Grain graphs as graphs for other tools: GraphML with nested groups that yEd opens folded, plain GraphML, and DOT.
//! Streamed: a writer holds the members of the groups around what it writes, nothing else.

mod dot;
mod nested;
mod plain;
mod xml;

use std::collections::HashMap;
use std::io::{self, Write};

use crosscut_tasks::Tasks;
use crosscut_tasks::grain::{Deviation, GrainKind, GrainPath, Grains, Problem, ProblemSet};
use crosscut_tasks::schema::Kind;
use crosscut_tree::NodeId;

use crate::tasks::colour::{ColourBy, Painter};

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
            Form::Dot => walk(
                self,
                &mut dot::Dot { graph: self, paint: Painter::new(self.tasks, ColourBy::Source), out },
            ),
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
            let begins = self.grains.begins(self.tasks, node);
            let first = std::iter::successors(Some(begins), |&n| Some(NodeId(n.0 + 1)))
                .find(|&n| self.tasks.tree().is_leaf(n))
                .unwrap_or(task);
            add("v_core", self.tasks.core(first).map(|core| core.to_string()));
            add("v_worker", self.tasks.worker(first).map(|worker| worker.to_string()));
            add("v_start", Some(self.tasks.start(begins).to_string()));
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
}

/// An edge of the raw graph.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: Raw,
    to: Raw,
    /// A dependence between members of a fork-join.
    depend: bool,
    /// Whether the critical path takes it.
    critical: bool,
}

impl Edge {
    fn new(from: Raw, to: Raw, critical: bool) -> Self {
        Edge { from, to, depend: false, critical }
    }

    /// The one word for it.
    fn kind(&self) -> &'static str {
        match (self.from, self.to) {
            _ if self.depend => "depend",
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
    fn edge(&mut self, edge: Edge) -> io::Result<()>;
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
    /// The member that is being written.
    member: NodeId,
    /// In a fork-join of a run with dependences: of each member that is written its last node, by its task.
    ends: HashMap<u32, (Raw, NodeId)>,
}

impl Level {
    fn new(group: NodeId, next: Option<NodeId>, parallel: bool, critical: bool, before: (Raw, bool)) -> Self {
        let (path, ends) = (None, HashMap::default());
        Level { group, next, parallel, critical, path, before, member: group, ends }
    }

    /// Where a member stands on the way of the critical path through a fork-join, and how long that is. The way goes from
    /// member to member by dependences, in the order of the tree.
    fn on_path(&self, member: NodeId) -> Option<(usize, usize)> {
        match self.path.as_ref()? {
            GrainPath::All => Some((0, 1)),
            GrainPath::Some(members) => members.binary_search(&member).ok().map(|at| (at, members.len())),
        }
    }
}

/// Walks through the raw graph in order.
fn walk(graph: &Graph<'_>, writer: &mut dyn Writer) -> io::Result<()> {
    let (grains, tree) = (graph.grains, graph.grains.tree());
    let depends = graph.tasks.depends_into(0..graph.tasks.tree().node_count()).len() > 0;
    writer.begin()?;
    writer.node(Raw::Start)?;
    let mut levels: Vec<Level> = Vec::new();
    // What comes next, what it follows and whether the critical path comes from there, and whether it goes there at all.
    let mut now = Some((NodeId::ROOT, (Raw::Start, true), true));
    let mut done = (Raw::Start, true);
    loop {
        if let Some((node, before, critical)) = now.take() {
            let first = tree.children(node).next();
            match grains.kind(node) {
                GrainKind::Linear => levels.push(Level::new(node, first, false, critical, before)),
                GrainKind::ForkJoin => {
                    let fork = Raw::Fork(node);
                    writer.node(fork)?;
                    writer.edge(Edge::new(before.0, fork, critical && before.1))?;
                    writer.node(Raw::Join(node))?;
                    let mut level = Level::new(node, first, true, critical, (fork, critical));
                    level.path = critical.then(|| grains.path(graph.tasks, node));
                    levels.push(level);
                }
                _ => {
                    writer.node(Raw::Grain(node))?;
                    writer.edge(Edge::new(before.0, Raw::Grain(node), critical && before.1))?;
                    done = (Raw::Grain(node), critical);
                    finish_member(graph, writer, &mut levels, done, depends)?;
                }
            }
        }
        let Some(level) = levels.last_mut() else { break };
        match level.next {
            Some(member) => {
                level.next = tree.next_sibling(member);
                level.member = member;
                now = Some(if level.parallel {
                    let at = level.on_path(member);
                    // The path enters by its first member; to the others it comes from a member.
                    let (from, enters) = (level.before.0, at.is_some_and(|(at, _)| at == 0));
                    (member, (from, enters), at.is_some())
                } else {
                    (member, level.before, level.critical)
                });
            }
            None => {
                done = if level.parallel { (Raw::Join(level.group), level.critical) } else { level.before };
                levels.pop();
                finish_member(graph, writer, &mut levels, done, depends)?;
            }
        }
    }
    writer.node(Raw::End)?;
    writer.edge(Edge::new(done.0, Raw::End, done.1))?;
    writer.end()
}

/// A member is written: in a fork-join it leads to the join, in a linear group to the next member.
fn finish_member(
    graph: &Graph<'_>,
    writer: &mut dyn Writer,
    levels: &mut [Level],
    last: (Raw, bool),
    depends: bool,
) -> io::Result<()> {
    let Some(level) = levels.last_mut() else { return Ok(()) };
    if !level.parallel {
        level.before = last;
        return Ok(());
    }
    let member = level.member;
    let at = level.on_path(member);
    if depends {
        let task = graph.grains.task(member);
        for from in graph.tasks.depends_on(task) {
            let Some(&(end, other)) = level.ends.get(from) else { continue };
            let critical =
                at.zip(level.on_path(other)).is_some_and(|((at, _), (before, _))| at == before + 1);
            let to = first_node(graph.grains, member);
            writer.edge(Edge { from: end, to, depend: true, critical })?;
        }
        level.ends.insert(task.0, (last.0, member));
    }
    let leaves = at.is_some_and(|(at, length)| at + 1 == length);
    writer.edge(Edge::new(last.0, Raw::Join(level.group), leaves))
}

/// The node with which a member begins.
fn first_node(grains: &Grains, member: NodeId) -> Raw {
    let mut at = member;
    loop {
        match (grains.kind(at), grains.tree().children(at).next()) {
            (GrainKind::ForkJoin, _) => return Raw::Fork(at),
            (GrainKind::Linear, Some(first)) => at = first,
            _ => return Raw::Grain(at),
        }
    }
}
