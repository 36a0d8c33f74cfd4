//! What was spent in each node itself at each place: as the run has it, or as it is made of a part of the run.

use std::ops::Range;

use crosscut_run::ByPlace;

/// Values by node and place.
#[derive(Debug)]
pub enum Own {
    /// Of the whole run.
    Mapped(ByPlace<i64>),
    /// Of a part of it.
    Made(Made),
}

/// Values in memory, place by place, with running sums over the nodes.
#[derive(Debug)]
pub struct Made {
    values: Vec<i64>,
    /// One more for each place than it has nodes.
    sums: Vec<i64>,
    nodes: usize,
    places: usize,
}

impl Made {
    /// Of values for all nodes at the first place, then at the next.
    pub fn new(values: Vec<i64>, nodes: usize, places: usize) -> Self {
        let mut sums = Vec::with_capacity((nodes + 1) * places);
        for of_place in values.chunks(nodes.max(1)) {
            let mut sum = 0i64;
            sums.push(0);
            sums.extend(of_place.iter().map(|&value| {
                sum = sum.wrapping_add(value);
                sum
            }));
        }
        Made { values, sums, nodes, places }
    }

    fn slice<'a>(&self, all: &'a [i64], place: u32, per_place: usize) -> &'a [i64] {
        let from = (place as usize).saturating_mul(per_place);
        all.get(from..from.saturating_add(per_place)).unwrap_or_default()
    }

    fn sum(&self, nodes: Range<usize>, place: u32) -> i64 {
        let sums = self.slice(&self.sums, place, self.nodes + 1);
        let to = nodes.end.min(self.nodes);
        match (sums.get(nodes.start.min(to)), sums.get(to)) {
            (Some(&from), Some(&to)) => to.wrapping_sub(from),
            _ => 0,
        }
    }
}

impl Own {
    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        match self {
            Own::Mapped(own) => own.node_count(),
            Own::Made(own) => own.nodes,
        }
    }

    /// Number of places.
    pub fn place_count(&self) -> usize {
        match self {
            Own::Mapped(own) => own.place_count(),
            Own::Made(own) => own.places,
        }
    }

    /// The values of all nodes at a place; none where there is no such place.
    pub fn place(&self, place: u32) -> &[i64] {
        match self {
            Own::Mapped(own) => own.place(place),
            Own::Made(own) => own.slice(&own.values, place, own.nodes),
        }
    }

    /// What a range of nodes, such as a subtree, adds up to at a place. Nodes that are not there add nothing.
    pub fn sum(&self, nodes: Range<usize>, place: u32) -> i64 {
        match self {
            Own::Mapped(own) => own.sum(nodes, place),
            Own::Made(own) => own.sum(nodes, place),
        }
    }

    /// The same at each of some places.
    pub fn sums(&self, nodes: Range<usize>, places: Range<u32>, out: &mut [i64]) {
        for (place, out) in places.zip(out) {
            *out = self.sum(nodes.clone(), place);
        }
    }
}

/// Values that are running sums over the nodes: as the run has them, or made.
#[derive(Debug)]
pub(crate) enum Sums {
    Mapped(crosscut_run::Column<i64>),
    Made(Vec<i64>),
}

impl std::ops::Deref for Sums {
    type Target = [i64];

    fn deref(&self) -> &[i64] {
        match self {
            Sums::Mapped(sums) => sums,
            Sums::Made(sums) => sums,
        }
    }
}
