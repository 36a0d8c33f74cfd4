//! Which super nodes and bands a flow shows, and their values: of all places, of some places and the rest, or of several runs.
//!
//! Small super nodes are folded into their callers; what passes through them to a shown one is drawn from the nearest shown
//! caller. So with callees = itself + folded + bands that leave, for each bar.

use std::collections::HashMap;
use std::sync::Arc;

use crosscut_calls::graph::Folded;
use crosscut_calls::{Calls, SuperGraph};
use crosscut_workbench::{Against, Look};

use super::super::merged::SuperForest;
use super::super::scoped::Scoped;
use super::levels::{Flow, Graph};

/// Super nodes below this share of the program are folded.
const LEAST: f64 = 0.004;
/// Bands below it are not drawn.
const THIN: f64 = 0.0015;

/// Another run.
#[derive(Debug)]
pub struct Other {
    /// Its name.
    pub name: String,
    /// Its calls.
    pub calls: Arc<Calls>,
    /// Made by the same rules.
    pub graph: SuperGraph,
    /// Number of the metric there.
    pub metric: usize,
}

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Its super node.
    pub node: u32,
    /// A name that stays.
    pub name: String,
    /// It is one of several copies.
    pub copied: bool,
    /// Super nodes that are folded into it.
    pub folded: u32,
}

/// Values of all bars and bands: for each place where there are several sides, else of all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// What it is.
    pub title: String,
    /// Itself, by bar.
    pub own: Vec<f64>,
    /// With callees, by bar.
    pub inclusive: Vec<f64>,
    /// In folded callees, by bar.
    pub folded: Vec<f64>,
    /// By band.
    pub flow: Vec<f64>,
}

/// What a flow shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    /// The bars; the first is the program.
    pub bars: Vec<Bar>,
    /// Bands: from which bar to which.
    pub bands: Vec<(usize, usize)>,
    /// One; or chosen places and the rest; or the runs.
    pub sides: Vec<Side>,
    /// Sides are runs.
    pub runs: bool,
    /// Super nodes in all.
    pub of: usize,
    /// Bars of all sides in one layout: the largest of each.
    pub graph: Graph,
    /// By band of this list: its number among those of the folded super graph.
    pub folded_edge: Vec<usize>,
    /// What is shown of the super graph.
    pub fold: Vec<bool>,
}

impl Shown {
    /// What a look shows of a super graph, beside other runs.
    pub fn of(forest: &SuperForest, look: &Look, others: &[Other]) -> Self {
        let (graph, metric) = (&forest.graph, forest.making.metric);
        let shown = chosen(graph, metric, limit(look));
        let calls = &**forest.calls();
        let mut sides = Vec::new();
        let places = look.scope.places.as_ref().map(|nodes| {
            let all = 0..calls.place_count() as u32;
            let (these, rest): (Vec<u32>, Vec<u32>) =
                all.partition(|&place| nodes.contains(crosscut_tree::NodeId(place)));
            (these, rest)
        });
        let places = places.filter(|(these, rest)| !these.is_empty() && !rest.is_empty());
        let title = |places: &[u32], what: &str| format!("{what}, mean of {}", places.len());
        let base = graph.folded(calls, metric, &shown);
        let of = |side: &dyn Fn() -> Folded, title: String, per: f64| values(&side(), title, per);
        match (&look.against, places) {
            (Some(Against::Rest), Some((these, rest))) => {
                let side = |places: &[u32]| graph.folded(&Scoped::new(calls, metric, places), metric, &shown);
                sides.push(of(&|| side(&these), title(&these, "chosen places"), these.len() as f64));
                sides.push(of(&|| side(&rest), title(&rest, "the rest"), rest.len() as f64));
            }
            (_, Some((these, _))) => {
                let side = graph.folded(&Scoped::new(calls, metric, &these), metric, &shown);
                sides.push(values(&side, String::new(), 1.0));
            }
            _ => sides.push(values(&base, calls.run().name(), 1.0)),
        }
        let mut made = Shown { of: graph.nodes().len(), fold: shown.clone(), ..Shown::default() };
        let number = made.put_bars(graph, &base, &shown);
        made.put_bands(&base, &number, sides);
        if !others.is_empty() {
            made.beside(calls, others);
        }
        made.weigh();
        made
    }

    /// Bars of what is shown; says which bar each super node is.
    fn put_bars(&mut self, graph: &SuperGraph, base: &Folded, shown: &[bool]) -> HashMap<u32, usize> {
        let mut number = HashMap::new();
        for (at, node) in graph.nodes().iter().enumerate() {
            if at > 0 && shown.get(at) != Some(&true) {
                continue;
            }
            number.insert(at as u32, self.bars.len());
            self.bars.push(Bar {
                node: at as u32,
                name: node.name(),
                copied: graph.is_duplicated(at as u32),
                folded: base.folded_count.get(at).copied().unwrap_or(0),
            });
        }
        number
    }

    /// Bands that are wide enough; what the others carry is put to what is folded.
    fn put_bands(&mut self, base: &Folded, number: &HashMap<u32, usize>, sides: Vec<Side>) {
        let whole = base.inclusive.first().copied().unwrap_or(0) as f64;
        let mut thin = Vec::new();
        for (at, edge) in base.edges.iter().enumerate() {
            let (Some(&from), Some(&to)) = (number.get(&edge.from), number.get(&edge.to)) else { continue };
            // A bar that nothing leads to would stand for itself: its widest band stays.
            let widest = base.edges.iter().zip(&base.flow).filter(|(other, _)| other.to == edge.to);
            let most = widest.map(|(_, &flow)| flow).max().unwrap_or(0);
            let flow = base.flow.get(at).copied().unwrap_or(0);
            if flow as f64 >= THIN * whole || flow == most {
                self.bands.push((from, to));
                self.folded_edge.push(at);
            } else {
                thin.push((from, at));
            }
        }
        for side in sides {
            let pick = |of: &[f64]| self.bars.iter().map(|bar| of[bar.node as usize]).collect::<Vec<f64>>();
            let mut folded = pick(&side.folded);
            for &(from, edge) in &thin {
                folded[from] += side.flow[edge];
            }
            self.sides.push(Side {
                own: pick(&side.own),
                inclusive: pick(&side.inclusive),
                folded,
                flow: self.folded_edge.iter().map(|&edge| side.flow[edge]).collect(),
                title: side.title,
            });
        }
    }

    /// The same bars and bands in other runs, all for each place. Bars that only another run has are folded there.
    fn beside(&mut self, calls: &Calls, others: &[Other]) {
        self.runs = true;
        let places = calls.place_count().max(1) as f64;
        for side in &mut self.sides {
            for values in [&mut side.own, &mut side.inclusive, &mut side.folded, &mut side.flow] {
                values.iter_mut().for_each(|value| *value /= places);
            }
        }
        for other in others {
            let named: Vec<Option<u32>> = self.bars.iter().map(|bar| other.graph.named(&bar.name)).collect();
            let mut shown = vec![false; other.graph.nodes().len()];
            for &node in named.iter().flatten() {
                shown[node as usize] = true;
            }
            let folded = other.graph.folded(&*other.calls, other.metric, &shown);
            let side = values(&folded, other.name.clone(), other.calls.place_count().max(1) as f64);
            let pick = |of: &[f64]| -> Vec<f64> {
                named
                    .iter()
                    .map(|node| node.and_then(|node| of.get(node as usize)).copied().unwrap_or(0.0))
                    .collect()
            };
            let mut rest = pick(&side.folded);
            let mut flow = vec![0.0; self.bands.len()];
            for (edge, &value) in folded.edges.iter().zip(&side.flow) {
                let bar = |of: u32| named.iter().position(|&node| node == Some(of));
                let (Some(from), Some(to)) = (bar(edge.from), bar(edge.to)) else { continue };
                match self.bands.iter().position(|&band| band == (from, to)) {
                    Some(at) => flow[at] += value,
                    None => rest[from] += value,
                }
            }
            let (own, inclusive) = (pick(&side.own), pick(&side.inclusive));
            self.sides.push(Side { own, inclusive, folded: rest, flow, title: side.title });
        }
    }

    /// Bars and bands that have room for every side.
    fn weigh(&mut self) {
        let most = |of: &dyn Fn(&Side) -> f64| self.sides.iter().map(of).fold(0.0, f64::max);
        let flow = |at: usize| most(&|side: &Side| side.flow[at]);
        let flows: Vec<Flow> = self
            .bands
            .iter()
            .enumerate()
            .map(|(at, &(from, to))| Flow { from, to, weight: flow(at) })
            .collect();
        let weight = (0..self.bars.len())
            .map(|bar| {
                let ends = |end: fn(&Flow) -> usize| {
                    flows.iter().filter(|flow| end(flow) == bar).map(|flow| flow.weight).sum::<f64>()
                };
                most(&|side: &Side| side.inclusive[bar]).max(ends(|flow| flow.from)).max(ends(|flow| flow.to))
            })
            .collect();
        self.graph = Graph { weight, flows };
    }

    /// With callees of the whole program, of a side.
    pub fn whole(&self, side: usize) -> f64 {
        self.sides.get(side).and_then(|side| side.inclusive.first()).copied().unwrap_or(0.0)
    }
}

/// Bars at most for a width.
fn limit(look: &Look) -> usize {
    let asked = look.option("limit").and_then(|text| text.parse::<f64>().ok());
    let usual = f64::from(look.size.sound().w) / 42.0;
    asked.unwrap_or(usual).clamp(4.0, 60.0) as usize
}

/// The heaviest super nodes.
fn chosen(graph: &SuperGraph, metric: usize, most: usize) -> Vec<bool> {
    let inclusive = graph.inclusive(metric);
    let whole = inclusive.first().copied().unwrap_or(0) as f64;
    let mut order: Vec<usize> = (1..inclusive.len()).collect();
    order.sort_by_key(|&node| (std::cmp::Reverse(inclusive[node]), node));
    let mut shown = vec![false; inclusive.len()];
    // What was split is looked at, however small it is.
    let is_split = |node: usize| graph.nodes()[node].entry.is_some() || graph.nodes()[node].caller.is_some();
    let heavy = |node: &usize| inclusive[*node] as f64 >= LEAST * whole;
    for node in order.iter().copied().filter(|node| heavy(node)).take(most) {
        shown[node] = true;
    }
    for node in order
        .into_iter()
        .filter(|&node| is_split(node) && inclusive[node] as f64 >= LEAST / 8.0 * whole)
        .take(most)
    {
        shown[node] = true;
    }
    if let Some(program) = shown.first_mut() {
        *program = true;
    }
    shown
}

fn values(folded: &Folded, title: String, per: f64) -> Side {
    let per = per.max(1.0);
    let all = |of: &[i64]| of.iter().map(|&value| value.max(0) as f64 / per).collect();
    Side {
        own: all(&folded.own),
        inclusive: all(&folded.inclusive),
        folded: all(&folded.folded),
        flow: all(&folded.flow),
        title,
    }
}

/// The traced part of each band: what flows on into a super node, or came through it, as a share of the band.
pub fn traced(forest: &SuperForest, shown: &Shown, node: u32) -> Vec<f64> {
    let (graph, calls, metric) = (&forest.graph, &**forest.calls(), forest.making.metric);
    let folded = graph.folded(calls, metric, &shown.fold);
    let traced = graph.trace_folded(calls, metric, node, &folded);
    let share = |&edge: &usize| {
        let of = |values: &[i64]| values.get(edge).copied().unwrap_or(0);
        let (part, all) = (of(&traced.upstream).max(of(&traced.downstream)), of(&folded.flow));
        if all > 0 { (part as f64 / all as f64).clamp(0.0, 1.0) } else { 0.0 }
    };
    shown.folded_edge.iter().map(share).collect()
}
