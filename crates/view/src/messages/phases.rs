//! The tree of phases: the run, its periods, what repeats in them, phases, sub-phases. Which phases there are is decided
//! by the options: the clock, how many, which messages.

use std::any::Any;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crosscut_messages::gram::{Gram, MOST_PHASES, Phase};
use crosscut_messages::patterns::{Folded, name};
use crosscut_tree::{Builder, Cut, Metric, NodeId, Part, Rule, Tree, TreeBuf, TreeError, Unit, Worse};
use crosscut_workbench::{
    Choice, Chosen, Fact, Forest, Hits, Job, Nodes, Options, Reach, Refusal, Scope, Selection, Sheet, Span,
    Title, TreeKey, TreeRef,
};
use rayon::prelude::*;

use super::about;
use super::figures::Figures;
use super::opened::{ClockKey, Opened, Timed, Totals, sends};
use super::waiting::Waiting;
use crate::format::count;

/// Its name.
pub const TREE: &str = "phases";

/// How deep sub-phases go below a phase.
const DEEP: usize = 2;
/// So many sub-phases altogether at most.
const MOST_PARTS: usize = 20_000;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All phases.
    Run,
    /// What repeats, once.
    Period,
    /// The same again and again.
    Repeat,
    /// One phase.
    Phase,
    /// A part of a phase.
    Part,
}

impl Kind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Run => "run",
            Kind::Period => "iteration",
            Kind::Repeat => "repetition",
            Kind::Phase => "phase",
            Kind::Part => "sub-phase",
        }
    }
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// The phases that it is made of; of a sub-phase the phase around it.
    pub phases: Range<usize>,
    /// Its points by the clock.
    pub points: Range<usize>,
    /// Its name.
    pub name: String,
}

/// The phases of a run under some options.
#[derive(Debug)]
pub struct PhaseForest {
    /// The run.
    pub opened: Arc<Opened>,
    /// Messages by the clock.
    pub timed: Arc<Timed>,
    /// The phases.
    pub gram: Arc<Gram>,
    /// By node.
    pub nodes: Vec<Node>,
    /// By phase: its node.
    pub of_phase: Vec<NodeId>,
    /// By node: sums.
    pub totals: Vec<Totals>,
    /// How long ranks waited.
    pub waiting: Waiting,
    /// The children of the root are periods.
    pub has_periods: bool,
    figures: Figures,
    patterns: OnceLock<Vec<u16>>,
}

/// A figure of sums.
type Of = fn(&Totals) -> f64;

/// Nodes in pre-order, in the making.
#[derive(Default)]
struct Making {
    builder: Builder,
    nodes: Vec<Node>,
    next: usize,
    parts: usize,
}

impl Making {
    fn add(&mut self, kind: Kind, name: String) -> usize {
        self.nodes.push(Node { kind, phases: 0..0, points: 0..0, name });
        self.nodes.len() - 1
    }
}

impl PhaseForest {
    /// Of an open run, under the options of the tree.
    pub fn new(opened: &Arc<Opened>, with: &Options, job: &Job<'_>) -> Result<Self, Refusal> {
        let k = wanted(with)?;
        let key = ClockKey::of(with)?;
        job.progress(0.0, "putting messages in order")?;
        let timed = opened.timed(key);
        job.progress(0.3, "looking for phases")?;
        let gram = timed.cut(k);
        job.check()?;
        if k.is_none() {
            // Whoever looks at the run as it is proposed will turn the number of phases next.
            know(&timed);
            job.check()?;
        }
        let broken = |error: TreeError| Refusal::new(error.to_string());
        let (tree, nodes, has_periods) = nodes(&gram, &timed).map_err(broken)?;
        let mut of_phase = vec![NodeId::ROOT; gram.phases.len()];
        for (at, node) in nodes.iter().enumerate().filter(|(_, node)| node.kind == Kind::Phase) {
            of_phase[node.phases.start] = NodeId(at as u32);
        }
        job.progress(0.8, "looking for who waited")?;
        let waiting = Waiting::of(&opened.messages, (opened.waited(), opened.late()), &timed.clock, &gram);
        let totals = nodes.iter().map(|node| totals(node, &gram.phases, &timed)).collect();
        let mut forest = PhaseForest {
            opened: opened.clone(),
            timed,
            gram,
            nodes,
            of_phase,
            totals,
            waiting,
            has_periods,
            figures: Figures { tree, metrics: Vec::new(), values: Vec::new() },
            patterns: OnceLock::new(),
        };
        forest.fill();
        Ok(forest)
    }

    /// The tree of a look.
    pub fn of(job: &Job<'_>, with: &Options) -> Result<Arc<dyn Forest>, Refusal> {
        job.forest(&TreeRef { key: TreeKey::named(TREE), with: with.clone() })
    }

    fn fill(&mut self) {
        let metric = |name: &str, unit, rule, about: &str| Metric::new(name, unit, rule).about(about);
        let columns: [(Metric, Of); 5] = [
            (metric("bytes", Unit::Bytes, Rule::Sum, "Bytes of its messages."), |of| of.bytes as f64),
            (metric("messages", Unit::Count, Rule::Sum, "Its messages."), |of| of.messages as f64),
            (metric("collectives", Unit::Count, Rule::Sum, "Its collectives, without barriers."), |of| {
                of.collectives as f64
            }),
            (metric("elapsed", Unit::Ns, Rule::Own, "From its first send to its last receive."), |of| {
                of.span.1.saturating_sub(of.span.0).max(0) as f64
            }),
            (metric("start", Unit::Ns, Rule::Min, "When its first message was sent."), |of| of.span.0 as f64),
        ];
        for (metric, of) in columns {
            self.figures.metrics.push(metric);
            self.figures.values.push(self.totals.iter().map(of).collect());
        }
        let wait = |node: &Node| match node.kind {
            Kind::Part => f64::NAN,
            _ => self.waiting.total(node.phases.clone()),
        };
        let about = "How long its ranks waited for others, all ranks together.";
        self.figures.metrics.insert(0, metric("wait", Unit::Ns, Rule::Sum, about).worse(Worse::High));
        self.figures.values.insert(0, self.nodes.iter().map(wait).collect());
        let change = |node: &Node| match node.kind {
            Kind::Phase => self.gram.phases[node.phases.start].change,
            _ => f64::NAN,
        };
        let about = "The share of ranks that change their group from the phase before to this one.";
        self.figures.metrics.push(metric("change", Unit::Ratio, Rule::Own, about));
        self.figures.values.push(self.nodes.iter().map(change).collect());
    }

    /// A node.
    pub fn node(&self, node: NodeId) -> Option<&Node> {
        self.nodes.get(node.index())
    }

    /// The name of a node.
    pub fn name(&self, node: NodeId) -> String {
        self.node(node).map(|node| node.name.clone()).unwrap_or_default()
    }

    /// The tree with its columns.
    pub fn figures(&self) -> &Figures {
        &self.figures
    }

    /// The pattern of a node; none where its phases differ.
    pub fn pattern(&self, node: &Node) -> Option<usize> {
        let phases = self.gram.phases.get(node.phases.clone())?;
        let first = phases.first()?.pattern;
        phases.iter().all(|phase| phase.pattern == first).then_some(first)
    }

    /// The phase in which a pattern was seen first: its groups are those of the pattern.
    pub fn first_of(&self, pattern: usize) -> Option<&Phase> {
        self.gram.phases.iter().find(|phase| phase.pattern == pattern)
    }

    /// The tree of groups of some points.
    pub fn communities(&self, points: &Range<usize>) -> TreeKey {
        let parameter = format!("{}-{}-{}", self.timed.key.text(), points.start, points.end);
        TreeKey { name: super::communities::TREE.to_owned(), parameter: Some(parameter) }
    }

    /// The period that the picture opens with: that with the most waiting, the first of several.
    pub fn focus(&self) -> Option<NodeId> {
        if !self.has_periods {
            return None;
        }
        let tree = self.figures.tree.view();
        let most = |best: NodeId, next: NodeId| {
            let waited = |node: NodeId| self.waiting.total(self.nodes[node.index()].phases.clone());
            if waited(next) > waited(best) { next } else { best }
        };
        tree.children(NodeId::ROOT).reduce(most)
    }

    /// By message: the pattern of its phase; the largest number where it is in none.
    pub fn pattern_of_messages(&self) -> &[u16] {
        self.patterns.get_or_init(|| {
            let mut of = vec![u16::MAX; self.opened.messages.len()];
            for phase in &self.gram.phases {
                let pattern = u16::try_from(phase.pattern).unwrap_or(u16::MAX - 1);
                for row in self.timed.clock.messages(phase.points.clone()) {
                    of[row as usize] = pattern;
                }
            }
            of
        })
    }

    /// What stands out of these phases and must be said.
    pub fn warning(&self) -> Option<String> {
        let mixed = self.gram.phases.windows(2).filter(|pair| pair[0].span.1 > pair[1].span.0).count();
        (mixed > 0 && self.timed.key.time == crosscut_messages::gram::Time::Wall).then(|| {
            format!(
                "{} of {} phases end after the next one begins: the logical clock keeps their steps apart",
                mixed,
                self.gram.phases.len()
            )
        })
    }
}

/// The number of phases that is asked for.
fn wanted(with: &Options) -> Result<Option<usize>, Refusal> {
    match with.get("k").map(String::as_str) {
        None | Some("auto") => Ok(None),
        Some(text) => {
            let number = text.parse::<f64>().ok().filter(|k| (1.0..=MOST_PHASES as f64).contains(k));
            let short: String = text.chars().take(40).collect();
            let wrong = || format!("k: `{short}` is no number from 1 to {MOST_PHASES}, nor auto");
            number.map(|k| Some(k.round() as usize)).ok_or_else(|| Refusal::new(wrong()))
        }
    }
}

fn totals(node: &Node, phases: &[Phase], timed: &Timed) -> Totals {
    if node.kind == Kind::Part {
        return timed.totals(&node.points);
    }
    let of = |phase: &Phase| Totals {
        span: phase.span,
        messages: phase.messages,
        bytes: phase.bytes,
        collectives: phase.collectives,
    };
    let phases = phases.get(node.phases.clone()).unwrap_or_default();
    phases.iter().map(of).reduce(Totals::and).unwrap_or(Totals { span: (0, 0), ..Totals::default() })
}

/// The tree of an expression; says whether the children of the root are periods.
fn nodes(gram: &Gram, timed: &Timed) -> Result<(TreeBuf, Vec<Node>, bool), TreeError> {
    let mut making = Making::default();
    making.builder.open()?;
    making.add(Kind::Run, "run".to_owned());
    let has_periods = match &gram.expression.parts[..] {
        [Folded::Repeat { times, of }] if of.len() > 1 => {
            periods(&mut making, *times, of, gram, timed)?;
            true
        }
        parts => {
            sequence(&mut making, parts, gram, timed)?;
            false
        }
    };
    making.builder.close()?;
    making.nodes[0].phases = 0..gram.phases.len();
    making.nodes[0].points = timed.clock.all();
    Ok((making.builder.finish()?, making.nodes, has_periods))
}

/// The same parts again and again. Expressions are nested as deep as the logarithm of their length at most.
fn periods(
    making: &mut Making,
    times: usize,
    of: &[Folded],
    gram: &Gram,
    timed: &Timed,
) -> Result<(), TreeError> {
    for time in 0..times {
        let first = making.next;
        making.builder.open()?;
        let at = making.add(Kind::Period, format!("iteration {}", time + 1));
        sequence(making, of, gram, timed)?;
        making.builder.close()?;
        close(making, at, first, gram);
    }
    Ok(())
}

/// Parts one after the other. Phases of a pattern that is there more than once are numbered.
fn sequence(making: &mut Making, parts: &[Folded], gram: &Gram, timed: &Timed) -> Result<(), TreeError> {
    let mut seen: Vec<usize> = vec![0; gram.patterns.len()];
    let alone = |pattern: usize| {
        let of = |part: &&Folded| matches!(part, Folded::Phase(other) if *other == pattern);
        parts.iter().filter(of).count() == 1
    };
    for part in parts {
        match part {
            Folded::Phase(pattern) => {
                seen[*pattern] += 1;
                let number = if alone(*pattern) { String::new() } else { seen[*pattern].to_string() };
                phase(making, format!("{}{number}", name(*pattern)), gram, timed)?;
            }
            Folded::Repeat { times, of } => {
                let first = making.next;
                making.builder.open()?;
                let at = making.add(Kind::Repeat, String::new());
                match &of[..] {
                    [Folded::Phase(pattern)] => {
                        for time in 1..=*times {
                            phase(making, format!("{}{time}", name(*pattern)), gram, timed)?;
                        }
                    }
                    _ => periods(making, *times, of, gram, timed)?,
                }
                making.builder.close()?;
                let expression = crosscut_messages::patterns::Expression { parts: vec![part.clone()] };
                making.nodes[at].name = expression.to_string();
                close(making, at, first, gram);
            }
        }
    }
    Ok(())
}

/// Says what a node that is complete is made of.
fn close(making: &mut Making, at: usize, first: usize, gram: &Gram) {
    let phases = first..making.next.min(gram.phases.len());
    let points = match gram.phases.get(phases.clone()) {
        Some([only]) => only.points.clone(),
        Some([from, .., to]) => from.points.start..to.points.end,
        _ => 0..0,
    };
    making.nodes[at].points = points;
    making.nodes[at].phases = phases;
}

fn phase(making: &mut Making, name: String, gram: &Gram, timed: &Timed) -> Result<(), TreeError> {
    let first = making.next;
    making.next += 1;
    let Some(phase) = gram.phases.get(first) else { return Ok(()) };
    inside(making, (Kind::Phase, name), &phase.points, first, 0, timed)
}

/// A phase or a part of one, with the parts inside of it.
fn inside(
    making: &mut Making,
    (kind, name): (Kind, String),
    points: &Range<usize>,
    phase: usize,
    deep: usize,
    timed: &Timed,
) -> Result<(), TreeError> {
    let parts = match deep < DEEP && making.parts < MOST_PARTS {
        true => timed.parts(points),
        false => Arc::default(),
    };
    let node = Node { kind, phases: phase..phase + 1, points: points.clone(), name: name.clone() };
    making.nodes.push(node);
    if parts.len() < 2 {
        making.builder.leaf()?;
        return Ok(());
    }
    making.parts += parts.len();
    making.builder.open()?;
    for (number, part) in parts.iter().enumerate() {
        inside(making, (Kind::Part, format!("{name}.{}", number + 1)), part, phase, deep + 1, timed)?;
    }
    making.builder.close()?;
    Ok(())
}

/// Looks at everything that cuts into few phases are made of, beforehand.
fn know(timed: &Timed) {
    timed.known().par_iter().for_each(|points| {
        for part in timed.parts(points).iter() {
            timed.totals(part);
            for inner in timed.parts(part).iter() {
                timed.totals(inner);
            }
        }
    });
}

impl Forest for PhaseForest {
    fn tree(&self) -> Tree<'_> {
        self.figures.tree.view()
    }

    fn metrics(&self) -> &[Metric] {
        &self.figures.metrics
    }

    /// Periods, and what is in one of them.
    fn first_cut(&self, _: usize) -> Cut {
        let mut cut = Cut::closed();
        cut.open(self.tree(), NodeId::ROOT);
        if let Some(focus) = self.focus() {
            cut.open(self.tree(), focus);
        }
        cut
    }

    fn titles(&self, parts: &[Part], _: Option<&Chosen>) -> Vec<Title> {
        let title = |part: &Part| {
            let kind = self.node(part.node).map_or("", |node| node.kind.word());
            let name = match part.fold {
                Some(_) => format!("× {} from {}", count(i64::from(part.count)), self.name(part.node)),
                None => self.name(part.node),
            };
            Title { kind: kind.to_owned(), name, line: None, state: self.figures.state(part) }
        };
        parts.iter().map(title).collect()
    }

    fn values(&self, metric: usize, parts: &[Part], _: &Scope, out: &mut [f64]) {
        for (part, out) in parts.iter().zip(out) {
            *out = self.figures.value(metric, part);
        }
    }

    fn search(&self, words: &str, limit: usize, _: &Job<'_>) -> Hits {
        self.figures.search(words, limit, |node| self.name(node))
    }

    fn about(
        &self,
        selection: &Selection,
        _: Option<&Chosen>,
        _: &Scope,
        job: &Job<'_>,
    ) -> Result<Sheet, Refusal> {
        about::phase(self, selection, job)
    }

    fn facts(&self, _: &Job<'_>) -> Vec<Fact> {
        about::facts(self)
    }

    fn choices(&self, _: &Job<'_>) -> Vec<Choice> {
        let opened = &self.opened;
        let choice =
            |option: &str, value: String, title: String| Choice { option: option.to_owned(), value, title };
        let mut all: Vec<Choice> = (self.timed.proposals().iter())
            .map(|one| choice("k", one.phases.to_string(), format!("{}: {}", one.phases, one.expression)))
            .collect();
        let kinds = opened.kinds();
        let counted = |name: String, messages: u64| format!("{name} · {} messages", count(messages as i64));
        let comms = kinds.comms.iter().take(MOST_CHOICES);
        all.extend(comms.map(|&(of, n)| choice("comm", of.to_string(), counted(opened.comm(of), n))));
        let tags = kinds.tags.iter().take(MOST_CHOICES);
        all.extend(tags.map(|&(of, n)| choice("tag", of.to_string(), counted(format!("tag {of}"), n))));
        let functions = opened.messages.functions();
        let is_send = |of: u32| functions.get(of as usize).is_some_and(|function| sends(function.class));
        let calls = kinds.calls.iter().filter(|(of, _)| is_send(*of)).take(MOST_CHOICES);
        all.extend(calls.map(|&(of, n)| choice("call", of.to_string(), counted(opened.function(of), n))));
        all
    }

    fn reach(&self, selection: &Selection) -> Reach {
        let mut stretches = Vec::new();
        for node in selection.nodes.iter().take(MOST_REACHED) {
            let Some(totals) = self.totals.get(node.index()) else { continue };
            let span = Span(totals.span.0 as f64, totals.span.1 as f64);
            stretches.extend(self.opened.places().map(|place| (place, span)));
        }
        Reach { stretches, ..Reach::default() }
    }

    /// The phases at some times.
    fn find(&self, reach: &Reach, _: &Job<'_>) -> Nodes {
        let spans = reach.stretches.iter().take(MOST_REACHED).map(|stretch| stretch.1);
        let Some(Span(from, to)) = spans.reduce(|a, b| Span(a.0.min(b.0), a.1.max(b.1))) else {
            return Nodes::none();
        };
        let meets = |phase: &Phase| phase.span.0 as f64 <= to && phase.span.1 as f64 >= from;
        let found = self.gram.phases.iter().zip(&self.of_phase).filter(|(phase, _)| meets(phase));
        found.map(|(_, &node)| node).collect()
    }

    /// By their points: the same messages by the same clock have the same key, whatever the number of phases.
    fn keys(&self, nodes: &[NodeId]) -> Vec<u64> {
        let key = |node: &NodeId| {
            self.node(*node).map_or(0, |node| {
                let mut hasher = std::hash::DefaultHasher::new();
                (self.timed.key, node.points.start, node.points.end).hash(&mut hasher);
                hasher.finish()
            })
        };
        nodes.iter().map(key).collect()
    }

    fn bytes(&self) -> usize {
        let edges: usize = self.gram.phases.iter().map(|phase| phase.edges.len()).sum();
        let waits = self.waiting.by_phase.len() * self.opened.ranks() as usize;
        self.figures.bytes() + 96 * self.nodes.len() + 16 * edges + 8 * waits
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Values of a filter that are offered at most.
const MOST_CHOICES: usize = 24;
/// Stretches and nodes of a selection that are looked at.
const MOST_REACHED: usize = 10_000;
