//! The tree of groups of a phase: communities, the communities inside of them, ranks. What is inside of a group is clustered
//! again by what its own ranks exchanged: the merge tree of the whole phase would only split off single ranks.

use std::any::Any;
use std::ops::{Deref, Range};
use std::sync::Arc;

use crosscut_messages::communities::{Communities, Edge};
use crosscut_messages::flows::Flow;
use crosscut_messages::gram::Phase;
use crosscut_tree::{Builder, Cut, Metric, NodeId, Part, Rule, Tree, TreeError, Unit};
use crosscut_workbench::{
    Chosen, Forest, Hits, Job, Nodes, Reach, Refusal, Scope, Selection, Sheet, Span, Title, TreeKey,
};

use super::about;
use super::figures::Figures;
use super::opened::{ClockKey, Opened, Timed};
use super::order::{Band, order};
use crate::format::count;

/// Its name; the parameter says which messages it is made of.
pub const TREE: &str = "communities";

/// Groups that a group is split into at most.
pub const MOST_GROUPS: usize = 18;
/// A group of so many ranks is split into ranks.
pub const ROWS: usize = 64;
/// Up to so many ranks with so many flows are shown one by one, in their order.
const FEW: (u32, usize) = (32, 96);
/// How deep groups are nested at most; what is left is ranks.
const DEEP: usize = 12;

/// The groups of a phase.
#[derive(Debug)]
pub struct CommunityForest {
    /// The run.
    pub opened: Arc<Opened>,
    /// Messages by the clock.
    pub timed: Arc<Timed>,
    /// Its points.
    pub points: Range<usize>,
    /// From its first send to its last receive.
    pub span: (i64, i64),
    groups: Arc<Grouped>,
}

/// The groups of phases that exchange the same.
#[derive(Debug)]
pub struct Grouped {
    /// Who exchanged how much with whom.
    pub edges: Arc<Vec<Edge>>,
    /// Who sent how much to whom.
    pub flows: Arc<Vec<Flow>>,
    /// By node: where its ranks begin and end in `ranks`.
    pub members: Vec<Range<usize>>,
    /// All ranks in the order of the tree.
    pub ranks: Vec<u32>,
    /// By place in that order: the leaf.
    pub leaves: Vec<NodeId>,
    /// Ranks are shown one by one.
    pub few: bool,
    figures: Figures,
}

/// The clock and the points that a parameter names.
fn named(parameter: &str) -> Option<(ClockKey, Range<usize>)> {
    let mut parts = parameter.rsplitn(3, '-');
    let (to, from) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    (from < to).then_some((ClockKey::from_text(parts.next()?)?, from..to))
}

/// Whether ranks are shown one by one: they are few, and so are their flows.
pub fn is_few(ranks: u32, flows: &[Flow]) -> bool {
    ranks <= FEW.0 && flows.len() <= FEW.1
}

impl CommunityForest {
    /// The groups of what a key names.
    pub fn new(opened: &Arc<Opened>, key: &TreeKey, job: &Job<'_>) -> Result<Self, Refusal> {
        let parameter = key.parameter.as_deref().unwrap_or_default();
        let unknown = || {
            let short: String = parameter.chars().take(40).collect();
            Refusal::new(format!("there is no phase `{short}`"))
        };
        let (clock, points) = named(parameter).ok_or_else(unknown)?;
        job.progress(0.0, "looking for groups")?;
        let timed = opened.timed(clock);
        if points.end > timed.clock.all().end {
            return Err(unknown());
        }
        let phase = timed.phase(points.clone()).phases.into_iter().next().ok_or_else(unknown)?;
        let groups = timed.groups(&phase)?;
        Ok(CommunityForest { opened: opened.clone(), timed, points, span: phase.span, groups })
    }

    /// The name of a node: its first rank, and how many others.
    pub fn name(&self, node: NodeId) -> String {
        match self.ranks_of(node) {
            [] => String::new(),
            [rank] => format!("rank {rank}"),
            ranks if node == NodeId::ROOT => format!("{} ranks", count(ranks.len() as i64)),
            ranks => short(ranks),
        }
    }
}

/// A tree of groups is that of its phase, and of all others that exchange the same.
impl Deref for CommunityForest {
    type Target = Grouped;

    fn deref(&self) -> &Grouped {
        &self.groups
    }
}

impl Grouped {
    /// Of a phase, with what was sent in it.
    pub fn new(all: u32, phase: &Phase, flows: Arc<Vec<Flow>>) -> Result<Self, Refusal> {
        let few = is_few(all, &flows);
        let mut making = Making { edges: &phase.edges, flows: &flows, ..Making::new(all) };
        let broken = |error: TreeError| Refusal::new(error.to_string());
        making.make(few, &phase.communities).map_err(broken)?;
        let Making { builder, members, ranks, .. } = making;
        let tree = builder.finish().map_err(broken)?;
        let mut groups = Grouped {
            edges: phase.edges.clone(),
            flows,
            members,
            ranks,
            leaves: Vec::new(),
            few,
            figures: Figures { tree, metrics: Vec::new(), values: Vec::new() },
        };
        groups.fill();
        Ok(groups)
    }

    /// Bytes that ranks below a node sent and received, and how much of it stayed inside.
    fn fill(&mut self) {
        let nodes = self.members.len();
        let mut place = vec![0usize; self.ranks.len()];
        for (at, &rank) in self.ranks.iter().enumerate() {
            if let Some(place) = place.get_mut(rank as usize) {
                *place = at;
            }
        }
        let tree = self.figures.tree.view();
        let mut leaf = vec![NodeId::ROOT; self.ranks.len()];
        for node in (0..nodes as u32).map(NodeId).filter(|&node| tree.is_leaf(node)) {
            if let Some(at) = leaf.get_mut(self.members[node.index()].start) {
                *at = node;
            }
        }
        let [mut sent, mut received, mut within] = [vec![0.0; nodes], vec![0.0; nodes], vec![0.0; nodes]];
        let at = |rank: u32| place.get(rank as usize).and_then(|&at| leaf.get(at)).copied();
        for flow in self.flows.iter() {
            let (Some(from), Some(to)) = (at(flow.from), at(flow.to)) else { continue };
            let bytes = flow.bytes as f64;
            sent[from.index()] += bytes;
            received[to.index()] += bytes;
            let around = tree.ancestors(from).find(|&above| tree.range(above).contains(&to.index()));
            within[around.unwrap_or(NodeId::ROOT).index()] += bytes;
        }
        for values in [&mut sent, &mut received, &mut within] {
            for node in (1..nodes).rev() {
                if let Some(above) = tree.parent(NodeId(node as u32)) {
                    values[above.index()] += values[node];
                }
            }
        }
        let share = within.iter().zip(&sent).map(|(within, sent)| 100.0 * within / sent).collect();
        let size = self.members.iter().map(|members| members.len() as f64).collect();
        let metric = |name: &str, unit, rule, about: &str| Metric::new(name, unit, rule).about(about);
        self.figures.metrics = vec![
            metric("ranks", Unit::Count, Rule::Sum, "Ranks in it."),
            metric("sent", Unit::Bytes, Rule::Sum, "Bytes that its ranks sent in this phase."),
            metric("received", Unit::Bytes, Rule::Sum, "Bytes that its ranks received in this phase."),
            metric(
                "inside",
                Unit::Percent,
                Rule::Own,
                "The share of what its ranks sent that they received.",
            ),
        ];
        self.figures.values = vec![size, sent, received, share];
        self.leaves = leaf;
    }

    /// The ranks of a node.
    pub fn ranks_of(&self, node: NodeId) -> &[u32] {
        self.members.get(node.index()).and_then(|range| self.ranks.get(range.clone())).unwrap_or_default()
    }

    /// The share of what a node sent that stayed inside of it, 0…1.
    pub fn inside(&self, node: NodeId) -> f64 {
        self.figures
            .values
            .get(3)
            .and_then(|share| share.get(node.index()))
            .map_or(0.0, |share| share / 100.0)
    }

    /// The tree with its columns.
    pub fn figures(&self) -> &Figures {
        &self.figures
    }
}

/// "0–7" of neighbours, "2172 +327" of others.
pub fn short(ranks: &[u32]) -> String {
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    match sorted[..] {
        [] => String::new(),
        [rank] => rank.to_string(),
        [first, .., last] if last - first + 1 == ranks.len() as u32 => format!("{first}–{last}"),
        [first, ..] => format!("{first} +{}", ranks.len() - 1),
    }
}

struct Making<'a> {
    builder: Builder,
    members: Vec<Range<usize>>,
    ranks: Vec<u32>,
    all: u32,
    edges: &'a [Edge],
    flows: &'a [Flow],
}

impl Making<'_> {
    fn new(all: u32) -> Self {
        let (members, ranks) = (Vec::new(), Vec::new());
        Making { builder: Builder::new(), members, ranks, all, edges: &[], flows: &[] }
    }

    fn make(&mut self, few: bool, communities: &Communities) -> Result<(), TreeError> {
        let all: Vec<u32> = (0..self.all).collect();
        if few || self.all < 2 {
            return self.rows(&all);
        }
        let best = (communities.best().0 as usize).clamp(2, MOST_GROUPS);
        let groups = grouped(&all, communities.cut(best as u32).of());
        self.open(&all)?;
        self.groups(groups, 1)?;
        self.close()
    }

    fn open(&mut self, ranks: &[u32]) -> Result<(), TreeError> {
        self.members.push(self.ranks.len()..self.ranks.len() + ranks.len());
        self.builder.open().map(drop)
    }

    fn close(&mut self) -> Result<(), TreeError> {
        self.builder.close().map(drop)
    }

    /// Ranks as leaves, in their order.
    fn rows(&mut self, ranks: &[u32]) -> Result<(), TreeError> {
        if let [rank] = *ranks {
            return self.leaf(rank);
        }
        self.open(ranks)?;
        ranks.iter().try_for_each(|&rank| self.leaf(rank))?;
        self.close()
    }

    fn leaf(&mut self, rank: u32) -> Result<(), TreeError> {
        self.members.push(self.ranks.len()..self.ranks.len() + 1);
        self.ranks.push(rank);
        self.builder.leaf().map(drop)
    }

    /// Groups in an order with few crossings. The depth is bounded, so this may recurse.
    fn groups(&mut self, groups: Vec<Vec<u32>>, deep: usize) -> Result<(), TreeError> {
        let mut group_of: Vec<usize> = vec![usize::MAX; self.all as usize];
        for (number, ranks) in groups.iter().enumerate() {
            for &rank in ranks {
                group_of[rank as usize] = number;
            }
        }
        for number in order(groups.len(), &bands(self.flows, &group_of, groups.len())) {
            self.group(&groups[number], deep)?;
        }
        Ok(())
    }

    fn group(&mut self, ranks: &[u32], deep: usize) -> Result<(), TreeError> {
        if ranks.len() <= ROWS || deep >= DEEP {
            return self.rows(ranks);
        }
        let parts = self.split(ranks);
        self.open(ranks)?;
        self.groups(parts, deep + 1)?;
        self.close()
    }

    /// The communities of the ranks of a group among themselves; always two at least.
    fn split(&self, ranks: &[u32]) -> Vec<Vec<u32>> {
        let mut number = vec![u32::MAX; self.all as usize];
        for (at, &rank) in ranks.iter().enumerate() {
            number[rank as usize] = at as u32;
        }
        let known = |rank: u32| number.get(rank as usize).copied().filter(|&at| at != u32::MAX);
        let own = self
            .edges
            .iter()
            .filter_map(|edge| Some(Edge { a: known(edge.a)?, b: known(edge.b)?, weight: edge.weight }));
        let communities = Communities::of(ranks.len() as u32, &own.collect::<Vec<_>>());
        let best = (communities.best().0 as usize).clamp(2, MOST_GROUPS);
        let parts = grouped(ranks, communities.cut(best as u32).of());
        // Silent ranks, and a group that splits off single ranks only: by their numbers.
        let largest = parts.iter().map(Vec::len).max().unwrap_or(0);
        if parts.len() < 2 || largest + parts.len() > ranks.len() {
            let each = ranks.len().div_ceil(MOST_GROUPS).max(ROWS.min(ranks.len() / 2));
            return ranks.chunks(each.max(1)).map(<[u32]>::to_vec).collect();
        }
        parts
    }
}

/// Ranks by the number of their group, groups in the order in which they appear.
fn grouped(ranks: &[u32], group: &[u32]) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for (&rank, &group) in ranks.iter().zip(group) {
        if groups.len() <= group as usize {
            groups.resize_with(group as usize + 1, Vec::new);
        }
        groups[group as usize].push(rank);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// What groups sent each other.
pub fn bands(flows: &[Flow], group_of: &[usize], groups: usize) -> Vec<Band> {
    let mut sums = vec![0.0; groups * groups];
    let group = |rank: u32| group_of.get(rank as usize).copied().filter(|&group| group < groups);
    for flow in flows {
        if let (Some(from), Some(to)) = (group(flow.from), group(flow.to)) {
            sums[from * groups + to] += flow.bytes.max(flow.messages as i64) as f64;
        }
    }
    let cells = sums.into_iter().enumerate().filter(|(_, weight)| *weight > 0.0);
    cells.map(|(at, weight)| Band { from: at / groups, to: at % groups, weight }).collect()
}

impl Forest for CommunityForest {
    fn tree(&self) -> Tree<'_> {
        self.figures.tree.view()
    }

    fn metrics(&self) -> &[Metric] {
        &self.figures.metrics
    }

    /// The groups of the phase, closed.
    fn first_cut(&self, _: usize) -> Cut {
        let mut cut = Cut::closed();
        cut.open(self.tree(), NodeId::ROOT);
        cut
    }

    fn titles(&self, parts: &[Part], _: Option<&Chosen>) -> Vec<Title> {
        let tree = self.tree();
        let title = |part: &Part| {
            let kind = if tree.is_leaf(part.node) { "rank" } else { "group" };
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
        about::community(self, selection, job)
    }

    /// The ranks, while the phase lasted.
    fn reach(&self, selection: &Selection) -> Reach {
        let span = selection.time.unwrap_or(Span(self.span.0 as f64, self.span.1 as f64));
        let nodes = selection.nodes.iter().chain(selection.to.iter().flat_map(Nodes::iter));
        let mut meant = vec![false; self.opened.ranks() as usize];
        for rank in nodes.flat_map(|node| self.ranks_of(node)) {
            if let Some(meant) = meant.get_mut(*rank as usize) {
                *meant = true;
            }
        }
        let is_meant = |place: &u32| {
            self.opened.rank(*place).is_some_and(|rank| meant.get(rank as usize) == Some(&true))
        };
        let places = self.opened.places().filter(is_meant);
        Reach { stretches: places.map(|place| (place, span)).collect(), ..Reach::default() }
    }

    /// Ranks by their places, if the phase lasts then.
    fn find(&self, reach: &Reach, _: &Job<'_>) -> Nodes {
        let (from, to) = (self.span.0 as f64, self.span.1 as f64);
        let mut meant = vec![false; self.opened.ranks() as usize];
        for &(place, span) in &reach.stretches {
            let rank = self.opened.rank(place).filter(|_| span.0 <= to && span.1 >= from);
            if let Some(meant) = rank.and_then(|rank| meant.get_mut(rank as usize)) {
                *meant = true;
            }
        }
        if meant.iter().all(|&meant| meant) {
            return Nodes::none();
        }
        let tree = self.tree();
        let leaves = (0..tree.node_count() as u32).map(NodeId).filter(|&node| tree.is_leaf(node));
        let is = |node: &NodeId| {
            self.ranks_of(*node).first().is_some_and(|&rank| meant.get(rank as usize) == Some(&true))
        };
        leaves.filter(is).collect()
    }

    /// By their first rank and their number of ranks.
    fn keys(&self, nodes: &[NodeId]) -> Vec<u64> {
        let key = |node: &NodeId| {
            let ranks = self.ranks_of(*node);
            ranks.first().map_or(0, |&first| u64::from(first) << 32 | ranks.len() as u64)
        };
        nodes.iter().map(key).collect()
    }

    fn bytes(&self) -> usize {
        self.figures.bytes() + 32 * self.members.len() + 24 * self.flows.len()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
