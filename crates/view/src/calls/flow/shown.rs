//! Which super nodes and bands a flow shows, and their values: of all places, of some places and the rest, or of several runs.
//!
//! Small super nodes are folded into their callers; what passes through them to a shown one is drawn from the nearest shown
//! caller. So with callees = itself + folded + bands that leave, for each bar.

use std::collections::HashMap;
use std::sync::Arc;

use crosscut_calls::graph::Folded;
use crosscut_calls::{Calls, Peers, SuperGraph};
use crosscut_scene::format::many;
use crosscut_workbench::{Against, Look};

use super::super::merged::SuperForest;
use super::super::opened::Opened;
use super::super::values::asked_each;
use super::fit;
use super::levels::{Flow, Graph};

/// Super nodes below this share of the program are folded.
const LEAST: f64 = 0.004;
/// Bands below it are not drawn.
const THIN: f64 = 0.0015;
/// A bar that spends less than this share of the program itself and passes so much of what it has on to one other only leads
/// there.
const NOTHING: f64 = 0.005;
const PASSES: f64 = 0.95;
/// Between the names of bars that are drawn as one.
const THROUGH: &str = " › ";

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
    /// Its super node; none where only another run has it.
    pub node: Option<u32>,
    /// A name that stays.
    pub name: String,
    /// Names of those that it leads through, which are drawn as part of it.
    pub through: Vec<String>,
    /// It was split off by an entry function, or is named by a path: the end of its name tells most.
    pub by_end: bool,
    /// It is one of several copies.
    pub copied: bool,
    /// Super nodes that are folded into it.
    pub folded: u32,
}

/// Values of all bars and bands: for each rank where there are several sides, else of all.
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
    /// The part of the run that counts, in words; "" for all of it.
    pub part: String,
    /// Who is compared.
    pub peers: Peers,
    /// Super nodes in all.
    pub of: usize,
    /// Bars of all sides in one layout: the largest of each.
    pub graph: Graph,
    /// By band of this list: its number among those of the folded super graph; none where only another run has it.
    pub folded_edge: Vec<Option<usize>>,
    /// What is shown of the super graph.
    pub fold: Vec<bool>,
}

impl Shown {
    /// What a look shows of a super graph, beside other runs.
    /// Where only a part of the run counts, bars and bands are those of all of it, with the values of the part.
    pub fn of(forest: &SuperForest, look: &Look, others: &[Other], part: Option<&Opened>) -> Self {
        let (graph, metric) = (&forest.graph, forest.making.metric);
        let beside = matches!(look.against, Some(Against::Rest)) || others.len() == 1;
        let Chosen { mut shown, elsewhere } = Chosen::of(graph, metric, others, limit(look, beside));
        let calls = &**forest.calls();
        let mut sides = Vec::new();
        let places = look.scope.places.as_ref().map(|nodes| {
            let all = 0..calls.place_count() as u32;
            let (these, rest): (Vec<u32>, Vec<u32>) =
                all.partition(|&place| nodes.contains(crosscut_tree::NodeId(place)));
            (these, rest)
        });
        let places = places.filter(|(these, rest)| !these.is_empty() && !rest.is_empty());
        let peers = Peers::of(calls, metric, asked_each(look));
        let word = peers.each().word();
        let count = |places: &[u32]| peers.count_in(places).max(1);
        let title = |places: &[u32], what: &str| format!("{what}, mean of {}", many(count(places), word));
        let mut base = forest.folded(&shown);
        // Nobody said how many bars there should be, so there are as many as have room for their names.
        if look.option("limit").is_none_or(|limit| limit == "auto") && others.is_empty() {
            let width =
                look.size.sound().w / if beside && look.size.sound().w >= super::TWO { 2.0 } else { 1.0 };
            let thin = THIN * base.inclusive.first().copied().unwrap_or(0) as f64;
            let of = (&base.edges[..], &base.flow[..], &base.inclusive[..]);
            if let Some(fewer) =
                fit::fitting(of, &shown, thin, fit::room(width), |node| is_split(graph, node))
            {
                base = forest.folded(&fewer);
                shown = fewer;
            }
        }
        let lead = lead_in(graph, &base, others);
        if !lead.is_empty() {
            for &node in &lead {
                shown[node as usize] = false;
            }
            base = forest.folded(&shown);
        }
        let scoped = |places: &[u32]| match part {
            Some(part) => part.scoped(metric, places),
            None => forest.scoped(places),
        };
        let of = |side: &dyn Fn() -> Folded, title: String, per: f64| values(&side(), title, per);
        match (&look.against, places) {
            (Some(Against::Rest), Some((these, rest))) => {
                let side = |places: &[u32]| graph.folded(&*scoped(places), metric, &shown);
                sides.push(of(
                    &|| side(&these),
                    title(&these, &format!("chosen {word}s")),
                    count(&these) as f64,
                ));
                sides.push(of(&|| side(&rest), title(&rest, "the rest"), count(&rest) as f64));
            }
            (_, Some((these, _))) => {
                let side = graph.folded(&*scoped(&these), metric, &shown);
                sides.push(values(&side, String::new(), 1.0));
            }
            _ => match part {
                Some(part) => {
                    sides.push(values(&graph.folded(&*part.calls, metric, &shown), calls.run().name(), 1.0));
                }
                None => sides.push(values(&base, calls.run().name(), 1.0)),
            },
        }
        let mut made = Shown { of: graph.nodes().len(), fold: shown.clone(), peers, ..Shown::default() };
        made.part = part.map(|part| part.part.clone()).unwrap_or_default();
        let number = made.put_bars(graph, &base, &shown);
        if let Some(program) = made.bars.first_mut() {
            program.folded = program.folded.saturating_sub(lead.len() as u32);
            let name = |node: &u32| graph.nodes().get(*node as usize).map(|node| node.name());
            program.through = lead.iter().filter_map(name).collect();
        }
        made.put_bands(&base, &number, sides);
        if !others.is_empty() {
            made.put_elsewhere(elsewhere);
            made.beside(others);
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
                node: Some(at as u32),
                name: node.name(),
                through: Vec::new(),
                by_end: node.entry.is_some() || node.label.contains('/'),
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
                self.folded_edge.push(Some(at));
            } else {
                thin.push((from, at));
            }
        }
        for side in sides {
            let at = |of: &[f64], node: Option<u32>| node.and_then(|node| of.get(node as usize)).copied();
            let pick = |of: &[f64]| {
                self.bars.iter().map(|bar| at(of, bar.node).unwrap_or(0.0)).collect::<Vec<f64>>()
            };
            let mut folded = pick(&side.folded);
            for &(from, edge) in &thin {
                folded[from] += side.flow[edge];
            }
            self.sides.push(Side {
                own: pick(&side.own),
                inclusive: pick(&side.inclusive),
                folded,
                flow: self.folded_edge.iter().map(|&edge| edge.map_or(0.0, |edge| side.flow[edge])).collect(),
                title: side.title,
            });
        }
    }

    /// Bars of super nodes that only other runs have: nothing of them is here.
    fn put_elsewhere(&mut self, names: Vec<String>) {
        for name in names {
            let by_end = name.contains('/');
            let through = Vec::new();
            self.bars.push(Bar { node: None, name, through, by_end, copied: false, folded: 0 });
        }
        let bars = self.bars.len();
        for side in &mut self.sides {
            [&mut side.own, &mut side.inclusive, &mut side.folded]
                .into_iter()
                .for_each(|values| values.resize(bars, 0.0));
        }
    }

    /// The same bars and bands in other runs, all for each rank, and bands that only those have.
    fn beside(&mut self, others: &[Other]) {
        self.runs = true;
        let here = self.peers.len().max(1) as f64;
        for side in &mut self.sides {
            for values in [&mut side.own, &mut side.inclusive, &mut side.folded, &mut side.flow] {
                values.iter_mut().for_each(|value| *value /= here);
            }
        }
        for other in others {
            let named: Vec<Option<u32>> = self.bars.iter().map(|bar| other.graph.named(&bar.name)).collect();
            let mut shown = vec![false; other.graph.nodes().len()];
            for &node in named.iter().flatten() {
                shown[node as usize] = true;
            }
            let folded = other.graph.folded(&*other.calls, other.metric, &shown);
            let there = Peers::of(&other.calls, other.metric, Some(self.peers.each()));
            let side = values(&folded, other.name.clone(), there.len() as f64);
            let pick = |of: &[f64]| -> Vec<f64> {
                let at = |node: &Option<u32>| node.and_then(|node| of.get(node as usize)).copied();
                named.iter().map(|node| at(node).unwrap_or(0.0)).collect()
            };
            let inclusive = pick(&side.inclusive);
            let bar: HashMap<u32, usize> = named
                .iter()
                .enumerate()
                .filter_map(|(bar, node)| Some((node.as_ref().copied()?, bar)))
                .collect();
            let mut wanted: Vec<(f64, usize, usize)> = (folded.edges.iter().zip(&side.flow))
                .filter_map(|(edge, &value)| Some((value, *bar.get(&edge.from)?, *bar.get(&edge.to)?)))
                .collect();
            // The widest first: a band that would close a cycle is left out, and that should be a narrow one.
            wanted.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
            let mut rest = pick(&side.folded);
            let mut flow = vec![0.0; self.bands.len()];
            let mut entered = vec![false; self.bars.len()];
            self.bands.iter().for_each(|&(_, to)| entered[to] = true);
            for (value, from, to) in wanted {
                let wide = value >= THIN * inclusive.first().copied().unwrap_or(0.0) || !entered[to];
                let at = self.bands.iter().position(|&band| band == (from, to));
                match at.or_else(|| (wide && self.put_band(from, to)).then(|| self.bands.len() - 1)) {
                    Some(at) => {
                        flow.resize(self.bands.len(), 0.0);
                        flow[at] += value;
                        entered[to] = true;
                    }
                    None => rest[from] += value,
                }
            }
            self.sides.push(Side { own: pick(&side.own), inclusive, folded: rest, flow, title: side.title });
        }
    }

    /// A band that no side has so far; none where it would close a cycle.
    fn put_band(&mut self, from: usize, to: usize) -> bool {
        let mut open = vec![to];
        let mut seen = vec![false; self.bars.len()];
        while let Some(bar) = open.pop() {
            if bar == from {
                return false;
            }
            if !std::mem::replace(&mut seen[bar], true) {
                open.extend(self.bands.iter().filter(|band| band.0 == bar).map(|band| band.1));
            }
        }
        self.bands.push((from, to));
        self.folded_edge.push(None);
        let bands = self.bands.len();
        self.sides.iter_mut().for_each(|side| side.flow.resize(bands, 0.0));
        true
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

/// Bars at most for a width; two flows beside each other have half of it each.
fn limit(look: &Look, beside: bool) -> usize {
    let asked = look.option("limit").and_then(|text| text.parse::<f64>().ok());
    let usual = f64::from(look.size.sound().w) / if beside { 64.0 } else { 42.0 };
    asked.unwrap_or(usual).clamp(4.0, 60.0) as usize
}

impl Bar {
    /// Its name, with those that it leads through.
    pub fn title(&self) -> String {
        let through = self.through.iter().map(String::as_str);
        std::iter::once(self.name.as_str()).chain(through).collect::<Vec<_>>().join(THROUGH)
    }
}

/// Super nodes between the program and where it really begins: each has nothing of its own, here and in other runs, and passes
/// nearly all that it has on to one other. Drawn one by one they would be bars of the same height in a row.
fn lead_in(graph: &SuperGraph, base: &Folded, others: &[Other]) -> Vec<u32> {
    let at = |of: &[i64], node: u32| of.get(node as usize).copied().unwrap_or(0);
    let whole = at(&base.inclusive, 0) as f64;
    // Whom a super node passes nearly everything on to.
    let only = |node: u32| {
        let flows = base.edges.iter().zip(&base.flow).filter(|(edge, _)| edge.from == node);
        let (edge, &flow) = flows.max_by_key(|(_, flow)| **flow)?;
        let is_all = flow as f64 >= PASSES * at(&base.inclusive, node) as f64;
        (is_all && at(&base.own, node) as f64 <= NOTHING * whole).then_some(edge.to)
    };
    let is_empty_in = |other: &Other, name: &str| {
        let (own, all) = (other.graph.own(other.metric), other.graph.inclusive(other.metric));
        let share = |node: u32| at(own, node) as f64 <= NOTHING * at(all, 0) as f64;
        other.graph.named(name).is_none_or(share)
    };
    let mut lead = Vec::new();
    let mut next = only(0);
    while let Some(node) = next.filter(|node| !lead.contains(node)) {
        next = only(node);
        let name = graph.nodes().get(node as usize).map(|node| node.name()).unwrap_or_default();
        let passes = next.is_some() && !is_split(graph, node as usize);
        if !passes || !others.iter().all(|other| is_empty_in(other, &name)) {
            break;
        }
        lead.push(node);
    }
    lead
}

/// Whether a super node was split off another one.
fn is_split(graph: &SuperGraph, node: usize) -> bool {
    graph.nodes().get(node).is_some_and(|node| node.entry.is_some() || node.caller.is_some())
}

/// The heaviest super nodes.
struct Chosen {
    /// Of this run's.
    shown: Vec<bool>,
    /// Names of those that only other runs have.
    elsewhere: Vec<String>,
}

impl Chosen {
    /// So many of those that are heavy in any of the runs.
    fn of(graph: &SuperGraph, metric: usize, others: &[Other], most: usize) -> Self {
        let share = |of: &[i64], node: usize| {
            let whole = of.first().copied().unwrap_or(0) as f64;
            if whole > 0.0 { of.get(node).copied().unwrap_or(0) as f64 / whole } else { 0.0 }
        };
        let inclusive = graph.inclusive(metric);
        let mut shares: Vec<f64> = (0..inclusive.len()).map(|node| share(inclusive, node)).collect();
        let mut elsewhere: Vec<(String, f64)> = Vec::new();
        for other in others {
            let theirs = other.graph.inclusive(other.metric);
            for (at, node) in other.graph.nodes().iter().enumerate().skip(1) {
                let (name, there) = (node.name(), share(theirs, at));
                match graph.named(&name).and_then(|node| shares.get_mut(node as usize)) {
                    Some(here) => *here = here.max(there),
                    None => match elsewhere.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, known)) => *known = known.max(there),
                        None => elsewhere.push((name, there)),
                    },
                }
            }
        }
        let mut order: Vec<(f64, usize)> = shares.iter().copied().zip(0..).skip(1).collect();
        let here = shares.len();
        order.extend(elsewhere.iter().enumerate().map(|(at, (_, share))| (*share, here + at)));
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut chosen = vec![false; here + elsewhere.len()];
        for &(_, node) in order.iter().filter(|(share, _)| *share >= LEAST).take(most) {
            chosen[node] = true;
        }
        // What was split is looked at, however small it is.
        let split = order.iter().filter(|&&(share, node)| share >= LEAST / 8.0 && is_split(graph, node));
        split.take(most).for_each(|&(_, node)| chosen[node] = true);
        if let Some(program) = chosen.first_mut() {
            *program = true;
        }
        let there = chosen.split_off(here);
        let named = elsewhere.into_iter().zip(there).filter(|(_, chosen)| *chosen).map(|((name, _), _)| name);
        Chosen { shown: chosen, elsewhere: named.collect() }
    }
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
    let folded = forest.folded(&shown.fold);
    let traced = graph.trace_folded(calls, metric, node, &folded);
    let share = |edge: &Option<usize>| {
        let Some(edge) = *edge else { return 0.0 };
        let of = |values: &[i64]| values.get(edge).copied().unwrap_or(0);
        let (part, all) = (of(&traced.upstream).max(of(&traced.downstream)), of(&folded.flow));
        if all > 0 { (part as f64 / all as f64).clamp(0.0, 1.0) } else { 0.0 }
    };
    shown.folded_edge.iter().map(share).collect()
}
