//! Values of one metric at the places that count: what pictures are drawn from.

use std::ops::Range;
use std::sync::Arc;

use crosscut_calls::{Calls, Each, Measured, Peers};
use crosscut_scene::Unit;
use crosscut_scene::format::quantity;
use crosscut_tree::NodeId;
use crosscut_workbench::{Look, Nodes, Refusal};

use super::info;

/// One metric at some places.
#[derive(Clone, Debug)]
pub struct Values<'a> {
    /// Of these calls.
    pub calls: &'a Calls,
    /// Number of the metric.
    pub metric: usize,
    /// The metric.
    pub measured: &'a Measured,
    /// Without what was called.
    pub itself: bool,
    /// Who is compared: ranks, or single places.
    pub peers: Arc<Peers>,
    /// Places that count; all where there are none.
    places: Option<Vec<u32>>,
}

impl<'a> Values<'a> {
    /// The metric that an option names, at the places of the look's scope.
    pub fn of(calls: &'a Calls, look: &Look, option: &str) -> Result<Self, Refusal> {
        let asked = look.option(option).filter(|&name| name != "auto");
        let metrics = &calls.summary().metrics;
        let own = |metric: &Measured| format!("{}, itself", metric.name);
        let (metric, itself) = match asked {
            None => (0, false),
            Some(name) => {
                let at = metrics.iter().position(|metric| metric.name == name || own(metric) == name);
                let at = at.ok_or_else(|| {
                    let name: String = name.chars().take(40).collect();
                    Refusal::new(format!("the profile has no metric `{name}`"))
                })?;
                (at, metrics[at].name != name)
            }
        };
        let measured = metrics.get(metric).ok_or_else(|| Refusal::new("the profile has no metric"))?;
        let places = look.scope.places.as_ref().map(|nodes| listed(nodes, calls.place_count()));
        let places = places.filter(|places| !places.is_empty() && places.len() < calls.place_count());
        let peers = Arc::new(Peers::of(calls, metric, asked_each(look)));
        Ok(Values { calls, metric, measured, itself, peers, places })
    }

    /// The same at all places.
    pub fn everywhere(&self) -> Self {
        Values { places: None, ..self.clone() }
    }

    /// The same at one place.
    pub fn at(&self, place: u32) -> Self {
        Values { places: Some(vec![place]), ..self.clone() }
    }

    /// The same at the other places; none where all count.
    pub fn rest(&self) -> Option<Self> {
        let places = self.places.as_ref()?;
        let others =
            (0..self.calls.place_count() as u32).filter(|place| places.binary_search(place).is_err());
        Some(Values { places: Some(others.collect()), ..self.clone() })
    }

    /// The same metric of another profile, at all its places; none where it does not have it.
    pub fn in_other<'b>(&self, calls: &'b Calls) -> Option<Values<'b>> {
        let metrics = &calls.summary().metrics;
        let metric = metrics.iter().position(|metric| metric.name == self.measured.name)?;
        let peers = Arc::new(Peers::of(calls, metric, Some(self.peers.each())));
        Some(Values { calls, metric, measured: &metrics[metric], itself: self.itself, peers, places: None })
    }

    /// Places that count, by number.
    pub fn places(&self) -> Vec<u32> {
        self.places.clone().unwrap_or_else(|| (0..self.calls.place_count() as u32).collect())
    }

    /// How many of those that are compared count: what a mean is over.
    pub fn peer_count(&self) -> usize {
        self.places.as_ref().map_or(self.peers.len(), |places| self.peers.count_in(places)).max(1)
    }

    /// Whether one of those that are compared has a place that was chosen; none where nothing was.
    pub fn is_chosen(&self, peer: usize) -> Option<bool> {
        let places = self.places.as_ref()?;
        Some(self.peers.places(peer).iter().any(|place| places.binary_search(place).is_ok()))
    }

    /// Whether not all places count.
    pub fn is_scoped(&self) -> bool {
        self.places.is_some()
    }

    /// What was spent in some nodes.
    pub fn sum(&self, nodes: Range<usize>) -> i64 {
        let Some(places) = &self.places else { return self.calls.sum(self.metric, nodes) };
        let Some(own) = self.calls.by_place(self.metric) else { return 0 };
        places.iter().fold(0, |sum: i64, &place| sum.saturating_add(own.sum(nodes.clone(), place)))
    }

    /// What was spent in a node and in all that it called.
    pub fn inclusive(&self, node: NodeId) -> i64 {
        self.sum(self.calls.subtree(node))
    }

    /// What was spent in a node itself.
    pub fn own(&self, node: NodeId) -> i64 {
        self.sum(node.index()..node.index() + 1)
    }

    /// With callees or without, as the metric was chosen.
    pub fn chosen(&self, node: NodeId) -> Range<usize> {
        if self.itself { node.index()..node.index() + 1 } else { self.calls.subtree(node) }
    }

    /// A value as text.
    pub fn text(&self, value: i64) -> String {
        info::text(self.measured, value)
    }

    /// A value that need not be whole, as text.
    pub fn fine(&self, value: f64) -> String {
        let one = info::value(self.measured, 1_000_000).0 / 1e6;
        quantity(value * one, self.unit())
    }

    /// A value as the number to show.
    pub fn number(&self, value: i64) -> f64 {
        info::value(self.measured, value).0
    }

    /// What values are measured in.
    pub fn unit(&self) -> Unit {
        info::value(self.measured, 0).1
    }
}

/// What the option "each" of a view says.
pub fn asked_each(look: &Look) -> Option<Each> {
    match look.option("each") {
        Some("rank") => Some(Each::Rank),
        Some("place") => Some(Each::Place),
        _ => None,
    }
}

fn listed(nodes: &Nodes, count: usize) -> Vec<u32> {
    let last = count as u32;
    (0..last).filter(|&place| nodes.contains(NodeId(place))).collect()
}
