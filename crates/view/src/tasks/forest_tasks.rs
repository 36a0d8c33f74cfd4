//! The tree of tasks, sections and intervals, as the workbench asks about it.

use std::any::Any;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crosscut_scene::format::count;
use crosscut_tasks::schema::Kind;
use crosscut_tasks::{Inside, Tasks, Way};
use crosscut_tree::{Metric, NodeId, Part, Rule, Tree, Unit, Worse};
use crosscut_workbench::{
    Cell, Chosen, Column, Forest, Hits, Job, LensDecl, LensSpec, Nodes, Reach, Refusal, RowState, Scope,
    Selection, Sheet, Title, TreeKey,
};

use super::opened::Opened;
use super::{about_task, find, search, words};

/// Its name.
pub const TREE: &str = "tasks";

/// The tree of tasks of a run.
#[derive(Clone, Debug)]
pub struct TaskForest {
    opened: Arc<Opened>,
    metrics: Vec<Metric>,
}

/// What stands in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Figure {
    Work,
    Elapsed,
    Path,
    Tasks,
    Start,
}

impl Figure {
    const ALL: [Figure; 5] = [Figure::Work, Figure::Elapsed, Figure::Path, Figure::Tasks, Figure::Start];

    fn metric(self, clock: Unit) -> Metric {
        let named = |name: &str, title: &str, unit: Unit, rule: Rule, about: &str| {
            Metric::new(name, unit, rule).titled(title).about(about)
        };
        match self {
            Figure::Work => named(
                "work",
                "work",
                clock,
                Rule::Sum,
                "Time in the program's own code, of everything in it.",
            ),
            Figure::Elapsed => {
                named("elapsed", "elapsed", clock, Rule::Own, "From its first start to its last end.")
            }
            Figure::Path => {
                named("span", "critical path", clock, Rule::Span, CRITICAL_PATH).worse(Worse::High)
            }
            Figure::Tasks => named("tasks", "tasks", Unit::Count, Rule::Sum, "Tasks created inside of it."),
            Figure::Start => {
                named("start", "start", clock, Rule::Min, "When it began, from the start of the run.")
            }
        }
    }
}

/// What the critical path of the task tree is.
pub const CRITICAL_PATH: &str = "T∞: how long it would take on any number of workers, without overhead. What a task does \
     between creating tasks and waiting for them runs beside them.";

impl TaskForest {
    /// The tree of an open run.
    pub fn new(opened: Arc<Opened>) -> Self {
        let clock = words::unit(opened.tasks.clock());
        let metrics = Figure::ALL.into_iter().map(|figure| figure.metric(clock)).collect();
        TaskForest { opened, metrics }
    }

    fn tasks(&self) -> &Tasks {
        &self.opened.tasks
    }

    fn value(&self, figure: Figure, part: &Part) -> f64 {
        let (tasks, tree) = (self.tasks(), self.tree());
        let alone = part.count == 1;
        match figure {
            Figure::Work => part.sum(tree, |nodes| tasks.work_of(nodes)) as f64,
            Figure::Tasks if alone => created(tasks, part.node) as f64,
            Figure::Tasks => part.sum(tree, |nodes| ended(tasks, nodes)) as f64,
            Figure::Start => tasks.start(part.node) as f64,
            // Of folded siblings only sums can be given.
            Figure::Elapsed if alone => tasks.elapsed(part.node) as f64,
            Figure::Path if alone => tasks.critical_path(part.node) as f64,
            Figure::Elapsed | Figure::Path => f64::NAN,
        }
    }

    fn title(&self, part: &Part, state: RowState) -> Title {
        let tasks = self.tasks();
        if part.fold.is_some() {
            let name = format!("× {} more", count(i64::from(part.count)));
            return Title { kind: "folded".to_owned(), name, line: None, state };
        }
        let source = tasks.sources().from(tasks.site(part.node));
        Title {
            kind: tasks.word(part.node).to_owned(),
            name: source.map_or_else(|| format!("#{}", part.node.0), |source| source.short()),
            line: source.map(words::line),
            state,
        }
    }
}

/// Tasks that ended in a range of nodes. Members of teams end like tasks, but no program created them.
fn ended(tasks: &Tasks, nodes: Range<usize>) -> i64 {
    tasks.count(nodes.clone(), Kind::End) - tasks.count(nodes, Kind::Fork)
}

/// Tasks created inside of a node.
pub fn created(tasks: &Tasks, node: NodeId) -> i64 {
    if !tasks.kind(node).is_collective() {
        return 0;
    }
    (ended(tasks, tasks.tree().range(node)) - i64::from(tasks.kind(node) == Kind::Task)).max(0)
}

/// "worker 3", or "several".
pub fn worker_name(tasks: &Tasks, node: NodeId) -> String {
    tasks.worker(node).map_or_else(|| "several".to_owned(), |worker| format!("worker {worker}"))
}

/// Which nodes lie on the critical path of the run; each node on the way is looked into once.
struct OnPath<'a> {
    tasks: &'a Tasks,
    inside: HashMap<NodeId, Option<Inside<'a>>>,
}

impl<'a> OnPath<'a> {
    fn new(tasks: &'a Tasks) -> Self {
        OnPath { tasks, inside: HashMap::new() }
    }

    fn has(&mut self, node: NodeId) -> bool {
        let tree = self.tasks.tree();
        let mut above: Vec<NodeId> =
            tree.ancestors(node).take_while(|above| !self.inside.contains_key(above)).collect();
        while let Some(at) = above.pop() {
            let inside = self.way(at).map(|way| self.tasks.critical_inside(at, &way));
            self.inside.insert(at, inside);
        }
        self.way(node).is_some()
    }

    /// How the path goes through a node whose ancestors are known.
    fn way(&self, node: NodeId) -> Option<Way> {
        match self.tasks.tree().parent(node) {
            None => Some(self.tasks.critical_root()),
            Some(parent) => self.inside.get(&parent)?.as_ref()?.way(node),
        }
    }
}

impl Forest for TaskForest {
    fn tree(&self) -> Tree<'_> {
        self.opened.tasks.tree()
    }

    fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    fn lenses(&self) -> Vec<LensDecl> {
        Vec::new()
    }

    fn lens(&self, lens: &LensSpec, _job: &Job<'_>) -> Result<Chosen, Refusal> {
        let name: String = lens.name.chars().take(40).collect();
        Err(Refusal::new(format!("the tree of tasks has no lens `{name}`; the tree of grains has some")))
    }

    fn titles(&self, parts: &[Part], _lens: Option<&Chosen>) -> Vec<Title> {
        let mut path = OnPath::new(self.tasks());
        let tree = self.tree();
        let mut title = |part: &Part| {
            let state = RowState {
                lit: false,
                critical: part.fold.is_none() && path.has(part.node),
                open: part.open,
                holds: part.fold.is_none() && !tree.is_leaf(part.node),
            };
            self.title(part, state)
        };
        parts.iter().map(&mut title).collect()
    }

    fn values(&self, metric: usize, parts: &[Part], _scope: &Scope, out: &mut [f64]) {
        let Some(&figure) = Figure::ALL.get(metric) else { return out.fill(f64::NAN) };
        for (part, out) in parts.iter().zip(out) {
            *out = self.value(figure, part);
        }
    }

    fn words(&self, parts: &[Part]) -> Vec<(Column, Vec<Cell>)> {
        let worker = |part: &Part| {
            let folded = part.fold.is_some();
            Cell::text(if folded { "several".to_owned() } else { worker_name(self.tasks(), part.node) })
        };
        let column = Column {
            name: "worker".to_owned(),
            title: "worker".to_owned(),
            about: "The worker that ran all of it.".to_owned(),
            unit: None,
            sorts: true,
        };
        vec![(column, parts.iter().map(worker).collect())]
    }

    fn search(&self, words: &str, limit: usize, _job: &Job<'_>) -> Hits {
        search::tasks(self.tasks(), words, limit)
    }

    fn about(
        &self,
        selection: &Selection,
        _lens: Option<&Chosen>,
        _scope: &Scope,
        job: &Job<'_>,
    ) -> Result<Sheet, Refusal> {
        about_task::about(&self.opened, job.found_already().as_deref(), selection)
    }

    fn reach(&self, selection: &Selection) -> Reach {
        let grains = self.opened.grains();
        let same = find::nodes(self.tree(), &selection.nodes).map(|node| grains.of_task(self.tasks(), node));
        Reach {
            same: vec![
                (TreeKey::named(TREE), selection.nodes.clone()),
                (TreeKey::named(super::forest_grains::TREE), same.collect()),
            ],
            ..find::reach(self.tasks(), find::nodes(self.tree(), &selection.nodes))
        }
    }

    fn find(&self, reach: &Reach, job: &Job<'_>) -> Nodes {
        let is = |name: &str| reach.same.iter().find(|(tree, _)| tree.name == name).map(|(_, nodes)| nodes);
        if let Some(own) = is(TREE) {
            return own.clone();
        }
        if let Some(grains) = is(super::forest_grains::TREE) {
            let graph = &self.opened.grains().grains;
            return find::nodes(graph.tree(), grains).map(|node| graph.task(node)).collect();
        }
        find::tasks(self.tasks(), reach, job)
    }

    fn keys(&self, nodes: &[NodeId]) -> Vec<u64> {
        find::keys(self.tree(), nodes)
    }

    fn bytes(&self) -> usize {
        // Its columns are mapped: the system takes them back when it must.
        size_of::<Opened>()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
