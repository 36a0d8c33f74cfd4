//! Communities of processes: who exchanges most with whom, at any level of detail.
//!
//! The processes are the nodes of an undirected graph whose edges weigh what was sent both ways. Greedy agglomeration by
//! modularity (Clauset, Newman, Moore 2004) merges the two communities that gain most, and goes on when nothing is
//! gained any more, so that the whole merge tree is kept and any number of communities can be cut. It ends at connected
//! components; these are joined by a fixed rule: silent processes first, into one idle class, then the two smallest.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::partition::{Partition, Sets};

/// What two processes exchanged; both ways are one edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// One process.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// Bytes, or messages.
    pub weight: f64,
}

/// One merge: `gone` becomes part of `kept`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Merge {
    /// The process that stands for the community from now on.
    pub kept: u32,
    /// The process that stood for the community that joins it.
    pub gone: u32,
    /// What modularity gains by it; it may be a loss.
    pub gain: f64,
}

/// The whole merge tree over the processes.
#[derive(Clone, Debug, PartialEq)]
pub struct Communities {
    processes: u32,
    /// From single processes to one community: one merge less than processes.
    merges: Vec<Merge>,
    /// The modularity of all processes each by itself.
    single: f64,
}

impl Communities {
    /// Clusters `processes` by what they exchanged. Edges of a process with itself, of no weight and of unknown
    /// processes are left out; several edges of a pair count together.
    pub fn of(processes: u32, edges: &[Edge]) -> Communities {
        let mut agglomeration = Agglomeration::new(processes, edges);
        let single = -agglomeration.share.iter().map(|share| share * share).sum::<f64>();
        agglomeration.run();
        agglomeration.join_components();
        Communities { processes, merges: agglomeration.merges, single }
    }

    /// How many processes there are.
    pub fn processes(&self) -> u32 {
        self.processes
    }

    /// All merges, the first first.
    pub fn merges(&self) -> &[Merge] {
        &self.merges
    }

    /// The number of communities with the highest modularity (the fewest of several), and that modularity.
    pub fn best(&self) -> (u32, f64) {
        let mut modularity = self.single;
        let mut best = (self.processes, modularity);
        for (done, merge) in self.merges.iter().enumerate() {
            modularity += merge.gain;
            if modularity >= best.1 {
                best = (self.processes - 1 - done as u32, modularity);
            }
        }
        best
    }

    /// So many communities: the first merges done, the others not.
    pub fn cut(&self, communities: u32) -> Partition {
        let communities = communities.clamp(1, self.processes.max(1));
        let mut joined = Sets::new(self.processes);
        for merge in self.merges.iter().take((self.processes - communities.min(self.processes)) as usize) {
            joined.join(merge.kept, merge.gone);
        }
        Partition::new((0..self.processes).map(|process| joined.root(process)))
    }

    /// The processes in an order in which every community of every cut is contiguous.
    pub fn order(&self) -> Vec<u32> {
        const NONE: u32 = u32::MAX;
        let mut next = vec![NONE; self.processes as usize];
        let mut last: Vec<u32> = (0..self.processes).collect();
        for merge in &self.merges {
            next[last[merge.kept as usize] as usize] = merge.gone;
            last[merge.kept as usize] = last[merge.gone as usize];
        }
        let first = self.merges.last().map_or(0, |merge| merge.kept);
        let mut order = Vec::with_capacity(self.processes as usize);
        let mut at = if self.processes == 0 { NONE } else { first };
        while at != NONE {
            order.push(at);
            at = next[at as usize];
        }
        order
    }
}

/// The modularity of a partition of a graph: how much more of the weight is inside communities than chance would put
/// there.
pub fn modularity(edges: &[Edge], partition: &Partition) -> f64 {
    let of = partition.of();
    let mut total = 0.0;
    let mut inside = 0.0;
    let mut ends = vec![0.0; partition.communities() as usize];
    for edge in edges {
        let (Some(&a), Some(&b)) = (of.get(edge.a as usize), of.get(edge.b as usize)) else { continue };
        if edge.a == edge.b || edge.weight <= 0.0 {
            continue;
        }
        total += edge.weight;
        ends[a as usize] += edge.weight;
        ends[b as usize] += edge.weight;
        if a == b {
            inside += edge.weight;
        }
    }
    if total <= 0.0 {
        return 0.0;
    }
    inside / total - ends.iter().map(|end| (end / (2.0 * total)).powi(2)).sum::<f64>()
}

/// Which merge of a community looked best when it was looked at last.
#[derive(Clone, Copy, Debug)]
struct Offer {
    gain: f64,
    from: u32,
    to: u32,
    /// How often `from` and `to` had been merged then: the offer holds as long as neither changes.
    ages: (u32, u32),
}

impl Ord for Offer {
    fn cmp(&self, other: &Offer) -> Ordering {
        // Of equal gains, that of the lowest processes.
        let names = |offer: &Offer| (offer.from.min(offer.to), offer.from.max(offer.to), offer.from);
        self.gain.total_cmp(&other.gain).then_with(|| names(other).cmp(&names(self)))
    }
}

impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Offer) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Offer {
    fn eq(&self, other: &Offer) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Offer {}

/// The agglomeration under way.
///
/// Every community has at most one offer that counts. An offer is never less than what the community can gain with any
/// neighbour that did not change since: when two communities are merged, the new one looks at all its neighbours at
/// once, and the neighbours keep their old offers, which can only be too high or name somebody who is gone. They look
/// again when their offer comes up. So the highest offer that still holds is the best merge of all, and a merge touches
/// nothing but the two lists that it joins.
struct Agglomeration {
    /// The neighbours of a community with their share of all weight, by the process that stood for them when they were
    /// last looked at.
    near: Vec<Vec<(u32, f64)>>,
    /// The share of all ends of edges that a community has.
    share: Vec<f64>,
    joined: Sets,
    /// How often a community was merged; `GONE` when it is part of another.
    age: Vec<u32>,
    offers: BinaryHeap<Offer>,
    merges: Vec<Merge>,
    /// For the list at hand: where a neighbour stands in it.
    place: Vec<u32>,
}

const GONE: u32 = u32::MAX;

impl Agglomeration {
    fn new(processes: u32, edges: &[Edge]) -> Agglomeration {
        let counts = |edge: &&Edge| {
            edge.a != edge.b
                && edge.a < processes
                && edge.b < processes
                && edge.weight > 0.0
                && edge.weight.is_finite()
        };
        let total: f64 = edges.iter().filter(counts).map(|edge| edge.weight).sum();
        let mut near = vec![Vec::new(); processes as usize];
        let mut share = vec![0.0; processes as usize];
        for edge in edges.iter().filter(counts) {
            let half = edge.weight / total / 2.0;
            near[edge.a as usize].push((edge.b, half));
            near[edge.b as usize].push((edge.a, half));
            share[edge.a as usize] += half;
            share[edge.b as usize] += half;
        }
        Agglomeration {
            near,
            share,
            joined: Sets::new(processes),
            age: vec![0; processes as usize],
            offers: BinaryHeap::new(),
            merges: Vec::with_capacity(processes.saturating_sub(1) as usize),
            place: vec![GONE; processes as usize],
        }
    }

    fn run(&mut self) {
        (0..self.near.len() as u32).for_each(|community| self.look(community));
        while let Some(offer) = self.offers.pop() {
            let (from, to) = (self.age[offer.from as usize], self.age[offer.to as usize]);
            if (from, to) == offer.ages {
                self.merge(offer.from, offer.to, offer.gain);
            } else if from == offer.ages.0 {
                self.look(offer.from);
            }
        }
    }

    /// Looks at all neighbours of a community, joins entries of the same one, and makes an offer to the best.
    fn look(&mut self, community: u32) {
        let mut near = std::mem::take(&mut self.near[community as usize]);
        let mut kept = 0;
        for at in 0..near.len() {
            let (name, weight) = near[at];
            let name = self.joined.root(name);
            if name == community {
                continue;
            }
            let place = self.place[name as usize] as usize;
            if place < kept {
                near[place].1 += weight;
            } else {
                self.place[name as usize] = kept as u32;
                near[kept] = (name, weight);
                kept += 1;
            }
        }
        near.truncate(kept);
        let share = self.share[community as usize];
        let mut best: Option<(f64, u32)> = None;
        for &(name, weight) in &near {
            self.place[name as usize] = GONE;
            let gain = 2.0 * (weight - share * self.share[name as usize]);
            if best.is_none_or(|best| gain > best.0 || gain == best.0 && name < best.1) {
                best = Some((gain, name));
            }
        }
        self.near[community as usize] = near;
        if let Some((gain, to)) = best {
            let ages = (self.age[community as usize], self.age[to as usize]);
            self.offers.push(Offer { gain, from: community, to, ages });
        }
    }

    /// The community with the shorter list joins the other.
    fn merge(&mut self, a: u32, b: u32, gain: f64) {
        let longer = |a: u32, b: u32| {
            let key = |c: u32| (self.near[c as usize].len(), Reverse(c));
            if key(a) > key(b) { (a, b) } else { (b, a) }
        };
        let (kept, gone) = longer(a, b);
        let list = std::mem::take(&mut self.near[gone as usize]);
        self.near[kept as usize].extend(list);
        self.share[kept as usize] += self.share[gone as usize];
        self.join(kept, gone, gain);
        self.age[kept as usize] += 1;
        self.look(kept);
    }

    fn join(&mut self, kept: u32, gone: u32, gain: f64) {
        self.age[gone as usize] = GONE;
        self.joined.join(kept, gone);
        self.merges.push(Merge { kept, gone, gain });
    }

    /// Joins what no message connects: silent processes into one idle class, then the two smallest, again and again.
    fn join_components(&mut self) {
        let mut size = vec![0u32; self.near.len()];
        (0..self.near.len() as u32).for_each(|process| size[self.joined.root(process) as usize] += 1);
        let standing = |silent: bool| {
            let of = |&c: &u32| self.age[c as usize] != GONE && (self.share[c as usize] == 0.0) == silent;
            (0..self.near.len() as u32).filter(of).collect::<Vec<u32>>()
        };
        let (silent, loud) = (standing(true), standing(false));
        if let [idle, others @ ..] = &silent[..] {
            for &other in others {
                self.join(*idle, other, 0.0);
                size[*idle as usize] += 1;
            }
        }
        let mut smallest: BinaryHeap<Reverse<(u32, u32)>> =
            loud.into_iter().chain(silent.first().copied()).map(|c| Reverse((size[c as usize], c))).collect();
        while let (Some(Reverse((few, a))), Some(Reverse((more, b)))) = (smallest.pop(), smallest.pop()) {
            let gain = -2.0 * self.share[a as usize] * self.share[b as usize];
            let (kept, gone) = (a.min(b), a.max(b));
            self.share[kept as usize] += self.share[gone as usize];
            self.join(kept, gone, gain);
            smallest.push(Reverse((few + more, kept)));
        }
    }
}
