//! Flows: what went from which process to which, of any choice of messages and collectives; and the same as the edges of
//! the graph that is clustered.

use crate::communities::Edge;
use crate::messages::Messages;
use crate::schema::{Collective, NONE};

/// What one process sent to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// How many messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: i64,
}

impl Messages {
    /// The flows of some messages, by sender, then by receiver.
    pub fn flows(&self, messages: impl Iterator<Item = u32>) -> Vec<Flow> {
        // Pairs are few beside messages: they are looked up, and only pairs are sorted.
        let mut numbers: foldhash::HashMap<u64, u32> = foldhash::HashMap::default();
        let mut flows: Vec<Flow> = Vec::new();
        for message in messages {
            let row = message as usize;
            let (from, to) = (self.source.at(row), self.destination.at(row));
            let number = *numbers.entry(u64::from(from) << 32 | u64::from(to)).or_insert_with(|| {
                flows.push(Flow { from, to, messages: 0, bytes: 0 });
                flows.len() as u32 - 1
            });
            let flow = &mut flows[number as usize];
            flow.messages += 1;
            flow.bytes = flow.bytes.saturating_add(self.bytes[row]);
        }
        flows.sort_unstable_by_key(|flow| (flow.from, flow.to));
        flows
    }

    /// What a collective implies: a star around the root, or everybody with everybody; nothing for a barrier.
    ///
    /// Everybody with everybody would be the square of the members in edges. Each is joined to those 1, 2, 4, … places
    /// further instead, all bytes shared out evenly: as dense, so it ends in one community just as well.
    pub fn implied(&self, collective: usize, edges: &mut Vec<Edge>) {
        let kind = Collective(self.collectives.kind[collective]);
        if kind == Collective::BARRIER {
            return;
        }
        let members: Vec<u32> = (self.collectives.calls(collective).iter())
            .filter(|call| **call != NONE)
            .map(|&call| self.calls.rank(call))
            .collect();
        let root = self.collectives.root[collective];
        let first = edges.len();
        if kind.is_rooted() && root != NONE {
            edges.extend(members.iter().map(|&member| Edge { a: root, b: member, weight: 1.0 }));
        } else {
            let count = members.len();
            for (at, &a) in members.iter().enumerate() {
                let ahead = (0..).map(|power| 1usize << power).take_while(|&far| far < count);
                edges.extend(ahead.map(|far| Edge { a, b: members[(at + far) % count], weight: 1.0 }));
            }
        }
        let each = self.collectives.bytes[collective].max(1) as f64 / (edges.len() - first).max(1) as f64;
        edges[first..].iter_mut().for_each(|edge| edge.weight = each);
    }
}

/// The graph of some flows: both ways are one edge. A message without bytes weighs as one of one byte.
pub fn edges(flows: &[Flow]) -> Vec<Edge> {
    let edge = |flow: &Flow| {
        let weight = flow.bytes.max(flow.messages as i64) as f64;
        Edge { a: flow.from.min(flow.to), b: flow.from.max(flow.to), weight }
    };
    merged(flows.iter().map(edge).collect())
}

/// Edges of the same pair become one.
pub(crate) fn merged(mut edges: Vec<Edge>) -> Vec<Edge> {
    edges.retain(|edge| edge.a != edge.b);
    edges.iter_mut().filter(|edge| edge.a > edge.b).for_each(|edge| std::mem::swap(&mut edge.a, &mut edge.b));
    edges.sort_by_key(|edge| (edge.a, edge.b));
    edges.dedup_by(|next, kept| {
        let same = (next.a, next.b) == (kept.a, kept.b);
        if same {
            kept.weight += next.weight;
        }
        same
    });
    edges
}
