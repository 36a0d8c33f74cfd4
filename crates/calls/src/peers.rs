//! Who is compared where values are spread over places: ranks, each with all its threads added up, or single places.
//!
//! MPI and other libraries have threads of their own that do nothing: a mean over places counts them, one over ranks does not.
//! Whoever has no value of the metric at all is left out.

use std::collections::BTreeMap;

use crate::Calls;
use crate::spread::{Imbalance, imbalance};

/// What is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Each {
    /// Ranks: the threads of one are added up.
    #[default]
    Rank,
    /// Single places.
    Place,
}

impl Each {
    /// The word for one of them.
    pub fn word(self) -> &'static str {
        match self {
            Each::Rank => "rank",
            Each::Place => "place",
        }
    }
}

/// One of those that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Peer {
    /// Of a rank its number, else that of the place.
    number: u32,
    title: String,
    places: Vec<u32>,
    /// What it spent in all.
    total: i64,
}

/// Those that are compared, by one metric, in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Peers {
    each: Each,
    all: Vec<Peer>,
    left_out: usize,
}

impl Peers {
    /// Of a profile; ranks where there are several, unless it is said what to compare.
    pub fn of(calls: &Calls, metric: usize, asked: Option<Each>) -> Self {
        let totals = calls.at_places(metric, 0..calls.node_count());
        let mut by_rank: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for place in 0..calls.place_count() as u32 {
            by_rank.entry(calls.rank(place as usize)).or_default().push(place);
        }
        let each = asked.unwrap_or(if by_rank.len() > 1 { Each::Rank } else { Each::Place });
        let total = |places: &[u32]| {
            let values = places.iter().filter_map(|&place| totals.get(place as usize));
            values.fold(0, |sum: i64, &value| sum.saturating_add(value))
        };
        let mut all: Vec<Peer> = match each {
            Each::Rank => (by_rank.into_iter())
                .map(|(rank, places)| Peer {
                    number: rank,
                    title: format!("rank {rank}"),
                    total: total(&places),
                    places,
                })
                .collect(),
            Each::Place => (0..calls.place_count() as u32)
                .map(|place| Peer {
                    number: place,
                    title: calls.place_title(place as usize).to_owned(),
                    total: total(&[place]),
                    places: vec![place],
                })
                .collect(),
        };
        let before = all.len();
        // Where nobody has a value there is nobody to leave out.
        if all.iter().any(|peer| peer.total != 0) {
            all.retain(|peer| peer.total != 0);
        }
        Peers { each, left_out: before - all.len(), all }
    }

    /// Only those with at least this share of what the largest has: a launcher or a shell is no rank beside those that it starts.
    pub fn from_share(mut self, share: f64) -> Self {
        let most = self.all.iter().map(|peer| peer.total).max().unwrap_or(0);
        let before = self.all.len();
        self.all.retain(|peer| peer.total as f64 >= share * most as f64);
        self.left_out += before - self.all.len();
        self
    }

    /// What they are.
    pub fn each(&self) -> Each {
        self.each
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// How many have no value and are not among them.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// The number of one: of its rank, or of its place.
    pub fn number(&self, peer: usize) -> u32 {
        self.all.get(peer).map_or(0, |peer| peer.number)
    }

    /// What one is called.
    pub fn title(&self, peer: usize) -> &str {
        self.all.get(peer).map_or("", |peer| &peer.title)
    }

    /// The places of one, in order.
    pub fn places(&self, peer: usize) -> &[u32] {
        self.all.get(peer).map_or(&[], |peer| &peer.places)
    }

    /// How many of them have any of some places, which are in order.
    pub fn count_in(&self, places: &[u32]) -> usize {
        let any = |peer: &&Peer| peer.places.iter().any(|place| places.binary_search(place).is_ok());
        self.all.iter().filter(any).count()
    }

    /// Values of places, added up for each of them.
    pub fn sums(&self, by_place: &[i64]) -> Vec<i64> {
        let sum = |peer: &Peer| {
            let values = peer.places.iter().filter_map(|&place| by_place.get(place as usize));
            values.fold(0, |sum: i64, &value| sum.saturating_add(value))
        };
        self.all.iter().map(sum).collect()
    }

    /// How uneven values of places are over them; [`Imbalance::at`] is one of them. Nothing where there is only one.
    pub fn imbalance(&self, by_place: &[i64]) -> Option<Imbalance> {
        imbalance(&self.sums(by_place)).filter(|_| self.len() > 1)
    }
}
