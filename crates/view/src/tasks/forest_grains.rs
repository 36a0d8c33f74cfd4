//! The tree of grains and groups, the aggregated grain graph, as the workbench asks about it. Its lenses are the problems
//! of grains.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crosscut_scene::format::count;
use crosscut_tasks::Tasks;
use crosscut_tasks::grain::{GrainPath, Grains, Problem, Thresholds};
use crosscut_tree::{Cut, Fold, Folds, Metric, NodeId, Part, Rule, Tree, Unit, Worse, open};
use crosscut_workbench::{
    Cell, Chosen, Fact, Forest, Hits, Job, LensDecl, LensSpec, Look, Nodes, Reach, Refusal, RowState, Scope,
    Selection, Sheet, Title, TreeKey,
};

use super::grains::Seen;
use super::grains::shown::{GrainFolds, first_grain};
use super::known::{GrainRun, Known};
use super::opened::Opened;
use super::{about_grain, find, search, words};

/// Its name.
pub const TREE: &str = "grains";

/// The tree of grains of a run.
#[derive(Clone, Debug)]
pub struct GrainForest {
    opened: Arc<Opened>,
    metrics: Vec<Metric>,
}

/// What stands in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Figure {
    Work,
    Path,
    Benefit,
    Balance,
    Scatter,
    Parallelism,
    Deviation,
    Grains,
    Start,
    Core,
}

/// What the path of grains is.
pub const PATH: &str = "Critical path of the grain graph: each grain does all its work before its first fork, and work \
     outside of grains is left out. So it differs from T∞ of the task tree.";

impl Figure {
    const ALL: [Figure; 10] = [
        Figure::Work,
        Figure::Path,
        Figure::Benefit,
        Figure::Balance,
        Figure::Scatter,
        Figure::Parallelism,
        Figure::Deviation,
        Figure::Grains,
        Figure::Start,
        Figure::Core,
    ];

    fn metric(self, clock: Unit) -> Metric {
        let named = |name: &str, title: &str, unit: Unit, rule: Rule, about: &str| {
            Metric::new(name, unit, rule).titled(title).about(about)
        };
        match self {
            Figure::Work => named("work", "work", clock, Rule::Sum, "Time in the grains' own code."),
            Figure::Path => named("path", "path of grains", clock, Rule::Span, PATH).worse(Worse::High),
            Figure::Benefit => {
                let about = "Work / (creation + sync): below 1 it is cheaper to run it inline. Of a group the smallest.";
                named("benefit", "parallel benefit", Unit::Ratio, Rule::Min, about).worse(Worse::Low)
            }
            Figure::Balance => {
                let about = "Largest work / mean work among the grains of one join (of one loop for chunks). Of a group \
                             the largest.";
                named("balance", "work balance", Unit::Ratio, Rule::Max, about).worse(Worse::High)
            }
            Figure::Scatter => {
                let about = "Median distance between the cores that ran the grains of one join. Of a group the largest.";
                named("scatter", "sibling scatter", Unit::Cores, Rule::Max, about).worse(Worse::High)
            }
            Figure::Parallelism => {
                let about = "Grains in progress beside it when everything starts as early as it can (instantaneous \
                             parallelism): the median. Of a group the smallest.";
                named("parallelism", "parallelism", Unit::Ratio, Rule::Min, about).worse(Worse::Low)
            }
            Figure::Deviation => {
                let about = "Work against the work of the same grain in the baseline run.";
                named("deviation", "work deviation", Unit::Ratio, Rule::Max, about).worse(Worse::High)
            }
            Figure::Grains => named("grains", "grains", Unit::Count, Rule::Sum, "Grains in it."),
            Figure::Start => {
                named("start", "start", clock, Rule::Min, "When it began, from the start of the run.")
            }
            Figure::Core => {
                let about = "The core that it began on, or its worker where cores are not known.";
                named("core", "core", Unit::Number, Rule::Own, about)
            }
        }
    }
}

/// Whether a look folds groups that are alike.
pub fn folds_alike(look: &Look) -> bool {
    look.option("alike") == Some("true")
}

/// The grains of some nodes, which are whole subtrees that follow one another, by number.
fn grain_numbers(grains: &Grains, nodes: Range<usize>) -> Range<usize> {
    first_grain(grains, nodes.start)..first_grain(grains, nodes.end)
}

impl GrainForest {
    /// The tree of an open run; makes the grain graph if nobody did.
    pub fn new(opened: Arc<Opened>) -> Self {
        opened.grains();
        let clock = words::unit(opened.tasks.clock());
        let metrics = Figure::ALL.into_iter().map(|figure| figure.metric(clock)).collect();
        GrainForest { opened, metrics }
    }

    fn tasks(&self) -> &Tasks {
        &self.opened.tasks
    }

    fn graph(&self) -> &GrainRun {
        self.opened.grains()
    }

    fn grains(&self) -> &Grains {
        &self.graph().grains
    }

    /// What can be summed over all that a part stands for. What an open group that is alike to others stands for beyond
    /// itself is its own: totals stay whole.
    fn sum(&self, part: &Part, of: impl Fn(Range<usize>) -> i64) -> f64 {
        let tree = self.tree();
        let all = part.sum(tree, &of);
        let own = if part.open && part.count > 1 { of(tree.range(part.node)) } else { 0 };
        (all - own) as f64
    }

    fn value(&self, figure: Figure, part: &Part) -> f64 {
        let (grains, tasks) = (self.grains(), self.tasks());
        let node = part.node;
        let deviation = self.graph().deviation.as_ref();
        let group = grains.kind(node).is_group();
        let value = |problem| grains.problem_value(problem, node, deviation);
        let metrics = || grains.metrics(tasks, node);
        let known = match figure {
            Figure::Work => {
                return self.sum(part, |nodes| grains.work_of(grain_numbers(grains, nodes)));
            }
            Figure::Grains => return self.sum(part, |nodes| grain_numbers(grains, nodes).len() as i64),
            Figure::Start => return tasks.start(grains.begins(tasks, node)) as f64,
            // The rest would be that of the first of them only.
            _ if part.count > 1 => return f64::NAN,
            Figure::Path => return grains.critical_path(node) as f64,
            Figure::Core => grains.core(node).map(f64::from),
            Figure::Benefit if group => metrics().benefit,
            Figure::Balance if group => metrics().balance,
            Figure::Scatter if group => metrics().scatter,
            Figure::Parallelism if group => metrics().parallelism,
            Figure::Deviation if group => None,
            Figure::Benefit => value(Problem::LowParallelBenefit),
            Figure::Balance => value(Problem::SiblingImbalance).or_else(|| value(Problem::ChunkImbalance)),
            Figure::Scatter => value(Problem::SiblingScatter),
            Figure::Parallelism => value(Problem::LowParallelism),
            Figure::Deviation => value(Problem::WorkDeviation),
        };
        known.filter(|value| value.is_finite()).unwrap_or(f64::NAN)
    }

    fn title(&self, part: &Part, state: RowState) -> Title {
        let (grains, tasks) = (self.grains(), self.tasks());
        let (folded, word) = match part.fold {
            Some(Fold::Rest) => (part.count, "others"),
            Some(Fold::Gap) => (part.count, "more"),
            Some(Fold::Alike) => (part.count - u32::from(part.open), "alike"),
            None => {
                let source = tasks.sources().from(tasks.site(grains.task(part.node)));
                return Title {
                    kind: grains.kind(part.node).word().to_owned(),
                    name: source.map_or_else(|| words::grain_id(part.node), |source| source.short()),
                    line: source.map(words::line),
                    state,
                };
            }
        };
        let name = format!("× {} {word}", count(i64::from(folded)));
        Title { kind: word.to_owned(), name, line: None, state }
    }

    /// What a lens says of itself.
    fn chosen(&self, known: &Known) -> Chosen {
        let (grains, graph) = (self.grains(), self.graph());
        let cost = known.cost(self.tasks(), graph);
        let all = grains.grain_count() as f64;
        let raw = grains.raw_nodes();
        let savings = if cost.theta.most == 0 { 1.0 } else { cost.theta.savings(raw) };
        let work = grains.work(NodeId::ROOT).max(1) as f64;
        let lost =
            if cost.time_lost == 0 { Cell::None } else { words::time(cost.time_lost, self.tasks().clock()) };
        let facts = vec![
            words::fact(
                "grains with it",
                words::part(known.set.grains as f64, Unit::Count, all),
                &format!("Of {} grains.", count(all as i64)),
            ),
            words::fact(
                "share of the work",
                words::number(100.0 * cost.work as f64 / work, Unit::Percent),
                "Work of these grains, of the work of all grains.",
            ),
            words::fact(
                "time lost",
                lost,
                "Estimate of what this problem alone costs, summed over workers. Problems overlap: their times do not \
                 add up.",
            ),
            words::fact(
                "in sight at most",
                words::number(cost.theta.most as f64, Unit::Count),
                "Nodes in sight when the groups on the way to such a grain are open, at most (θ max).",
            ),
            words::fact(
                "kept out of sight",
                Cell::text(words::savings(savings)),
                "How much less that is than the whole graph (savings: 1 − θ max / nodes).",
            ),
        ];
        Chosen {
            name: known.set.problem.word().to_owned(),
            lens: known.set.lens.clone(),
            value: known.set.threshold,
            facts,
            cost: cost.time_lost as f64,
            advice: known.set.problem.advice().to_owned(),
            worst: cost.worst.first().map(|&(node, _)| node),
        }
    }
}

/// "low-parallel-benefit" in words.
pub fn in_words(problem: Problem) -> String {
    problem.word().replace('-', " ")
}

/// What a problem is, with the words of the papers.
pub fn meaning(problem: Problem) -> &'static str {
    match problem {
        Problem::LowParallelBenefit => {
            "Parallel benefit, work / (creation + sync), is low: it is hardly worth a grain of its own. Time lost: \
             creation + sync of these grains."
        }
        Problem::WorkDeviation => {
            "Work deviation, work here / work in the baseline run, is high: the same code works longer. Time lost: what it \
             works longer."
        }
        Problem::MemoryStall => {
            "Memory stall share, stalled cycles / cycles, is high: it waits for memory. Time lost: work × share."
        }
        Problem::LowParallelism => {
            "Instantaneous parallelism, grains in progress beside it in the ideal schedule, is low: workers have nothing to \
             do beside it. Time lost: its share of the workers that have nothing to do."
        }
        Problem::SiblingImbalance => {
            "Sibling work balance, largest work / mean work of a join, is high: the others wait for one grain. Time lost: \
             what workers wait for the longest when the others share the rest."
        }
        Problem::SiblingScatter => {
            "Sibling scatter, the median distance of the cores that ran the grains of a join, is high: they ran far from \
             each other. What that costs is not available."
        }
        Problem::ChunkImbalance => {
            "Chunk work balance, largest work / mean work of a loop's chunks, is high: the others wait for one chunk. Time \
             lost: what workers wait for the longest when the others share the rest."
        }
    }
}

/// Ends of a slider: where the problem would begin without anybody's wish lies well between them.
fn range(graph: &GrainRun, problem: Problem) -> (f64, f64) {
    let usual = Thresholds::default().of(problem, &graph.grains);
    let own = graph.threshold(problem);
    let (low, high): (f64, f64) = match problem {
        Problem::LowParallelBenefit => (0.0, 10.0),
        Problem::WorkDeviation | Problem::SiblingImbalance | Problem::ChunkImbalance => (1.0, 8.0),
        Problem::MemoryStall => (0.0, 1.0),
        Problem::LowParallelism => (1.0, 2.0 * usual),
        Problem::SiblingScatter => (0.0, f64::from(graph.grains.cores()).max(1.0)),
    };
    (low.min(own), high.max(own))
}

/// Which nodes lie on the critical path of the grain graph; each group is looked into once.
pub struct OnPath<'a> {
    seen: Seen<'a>,
    /// Of a group the members that its path takes; all where there is no set.
    takes: HashMap<NodeId, Option<HashSet<NodeId>>>,
    known: HashMap<NodeId, bool>,
}

impl<'a> OnPath<'a> {
    /// Nothing known yet.
    pub fn new(tasks: &'a Tasks, graph: &'a GrainRun) -> Self {
        let seen = Seen { run: Some(graph), ..Seen::plain(tasks, &graph.grains) };
        OnPath { seen, takes: HashMap::new(), known: HashMap::from([(NodeId::ROOT, true)]) }
    }

    /// Whether a node lies on it.
    pub fn has(&mut self, node: NodeId) -> bool {
        let tree = self.seen.grains.tree();
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
        let seen = &self.seen;
        let takes = self.takes.entry(group).or_insert_with(|| match &*seen.path(group) {
            GrainPath::All => None,
            GrainPath::Some(members) => Some(members.iter().copied().collect()),
        });
        takes.as_ref().is_none_or(|takes| takes.contains(&member))
    }
}

impl Forest for GrainForest {
    fn tree(&self) -> Tree<'_> {
        self.opened.grains().grains.tree()
    }

    fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    fn lenses(&self) -> Vec<LensDecl> {
        let graph = self.graph();
        let declare = |problem: Problem| LensDecl {
            name: problem.word().to_owned(),
            title: in_words(problem),
            metric: problem.metric().to_owned(),
            unit: Unit::Ratio,
            below: problem.is_below(),
            usual: graph.threshold(problem),
            range: range(graph, problem),
            missing: graph.missing(problem).map(str::to_owned),
            about: meaning(problem).to_owned(),
        };
        Problem::ALL.into_iter().map(declare).collect()
    }

    fn lens(&self, lens: &LensSpec, job: &Job<'_>) -> Result<Chosen, Refusal> {
        job.check()?;
        let known = self.graph().lens(lens)?;
        Ok(self.chosen(&known))
    }

    fn first_cut(&self, most: usize) -> Cut {
        let folds = GrainFolds { grains: self.grains(), chosen: None, alike: false };
        open::fitting(&folds, most)
    }

    fn folds<'a>(&'a self, look: &Look, lens: Option<&'a Chosen>) -> Box<dyn Folds + 'a> {
        let chosen = lens.map(|lens| lens.lens.chosen());
        Box::new(GrainFolds { grains: self.grains(), chosen, alike: folds_alike(look) })
    }

    fn titles(&self, parts: &[Part], lens: Option<&Chosen>) -> Vec<Title> {
        let (tree, grains) = (self.tree(), self.grains());
        let mut path = OnPath::new(self.tasks(), self.graph());
        let lit = |part: &Part| {
            lens.is_some_and(|lens| self.sum(part, |nodes| lens.lens.chosen().count_in(nodes) as i64) > 0.0)
        };
        let mut title = |part: &Part| {
            let state = RowState {
                lit: lit(part),
                critical: part.count == 1 && path.has(part.node),
                open: part.open,
                holds: matches!(part.fold, None | Some(Fold::Alike)) && grains.kind(part.node).is_group(),
            };
            self.title(part, state)
        };
        debug_assert!(parts.iter().all(|part| tree.contains(part.node)));
        parts.iter().map(&mut title).collect()
    }

    fn values(&self, metric: usize, parts: &[Part], _scope: &Scope, out: &mut [f64]) {
        let Some(&figure) = Figure::ALL.get(metric) else { return out.fill(f64::NAN) };
        for (part, out) in parts.iter().zip(out) {
            *out = self.value(figure, part);
        }
    }

    fn search(&self, words: &str, limit: usize, _job: &Job<'_>) -> Hits {
        search::grains(self.tasks(), self.grains(), words, limit)
    }

    fn about(
        &self,
        selection: &Selection,
        lens: Option<&Chosen>,
        _scope: &Scope,
        job: &Job<'_>,
    ) -> Result<Sheet, Refusal> {
        about_grain::about(&self.opened, job.found_already().as_deref(), selection, lens)
    }

    fn facts(&self, _job: &Job<'_>) -> Vec<Fact> {
        about_grain::whole_facts(&self.opened)
    }

    fn reach(&self, selection: &Selection) -> Reach {
        let grains = self.grains();
        let tasks = || find::nodes(self.tree(), &selection.nodes).map(|node| grains.task(node));
        Reach {
            same: vec![
                (TreeKey::named(TREE), selection.nodes.clone()),
                (TreeKey::named(super::forest_tasks::TREE), tasks().collect()),
            ],
            ..find::reach(self.tasks(), tasks())
        }
    }

    fn find(&self, reach: &Reach, job: &Job<'_>) -> Nodes {
        let is = |name: &str| reach.same.iter().find(|(tree, _)| tree.name == name).map(|(_, nodes)| nodes);
        if let Some(own) = is(TREE) {
            return own.clone();
        }
        let (tasks, graph) = (self.tasks(), self.graph());
        let found;
        let nodes = match is(super::forest_tasks::TREE) {
            Some(nodes) => nodes,
            None => {
                found = find::tasks(tasks, reach, job);
                &found
            }
        };
        find::nodes(tasks.tree(), nodes).map(|node| graph.of_task(tasks, node)).collect()
    }

    fn keys(&self, nodes: &[NodeId]) -> Vec<u64> {
        find::keys(self.tree(), nodes)
    }

    fn bytes(&self) -> usize {
        self.grains().bytes()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
