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
        let mut sent: Vec<(u32, u32, i64)> = messages
            .map(|message| {
                let row = message as usize;
                (self.source.at(row), self.destination.at(row), self.bytes[row])
            })
            .collect();
        by_sender(&mut sent, self.summary().ranks as usize);
        sent.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
            .map(|same| Flow {
                from: same[0].0,
                to: same[0].1,
                messages: same.len() as u64,
                bytes: same.iter().fold(0, |sum, sent| sum.saturating_add(sent.2)),
            })
            .collect()
    }

    /// What a collective implies: a star around the root, or everybody with everybody; nothing for a barrier.
    ///
    /// Everybody with everybody would be the square of the members in edges. Among messages, each is joined to those 1, 2, 4, …
    /// places further instead, all bytes shared out evenly. By itself that falls into communities which nobody made, so where
    /// collectives are `alone` all are joined to the first one: then the members are one community.
    pub fn implied(&self, collective: usize, alone: bool, edges: &mut Vec<Edge>) {
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
        let hub = if kind.is_rooted() && root != NONE { Some(root) } else { members.first().copied() };
        if let Some(hub) = hub.filter(|_| alone || kind.is_rooted() && root != NONE) {
            edges.extend(members.iter().map(|&member| Edge { a: hub, b: member, weight: 1.0 }));
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

/// Sorts by sender and receiver. Senders are counted first where they are few beside messages: what each sent is then short.
fn by_sender(sent: &mut Vec<(u32, u32, i64)>, ranks: usize) {
    if sent.len() < ranks || sent.iter().any(|one| one.0 as usize >= ranks) {
        sent.sort_unstable_by_key(|one| (one.0, one.1));
        return;
    }
    let mut next = vec![0usize; ranks + 1];
    sent.iter().for_each(|one| next[one.0 as usize + 1] += 1);
    for rank in 0..ranks {
        next[rank + 1] += next[rank];
    }
    let mut sorted = vec![(0, 0, 0); sent.len()];
    for &one in &*sent {
        let at = &mut next[one.0 as usize];
        sorted[*at] = one;
        *at += 1;
    }
    sorted.chunk_by_mut(|a, b| a.0 == b.0).for_each(|of_sender| of_sender.sort_unstable_by_key(|one| one.1));
    *sent = sorted;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crosscut_chance::Chance;

    #[test]
    fn messages_by_sender_are_sorted_whether_they_are_few_or_many() {
        let mut chance = Chance::new(43);
        for round in 0..200 {
            let ranks = 1 + chance.index(40);
            let mut sent: Vec<(u32, u32, i64)> = (0..chance.index(120))
                .map(|number| (chance.index(ranks) as u32, chance.index(ranks) as u32, number as i64))
                .collect();
            if round % 10 == 0 {
                // A damaged run may name anybody.
                sent.push((u32::MAX, 0, 1));
            }
            let mut plain = sent.clone();
            plain.sort_unstable();
            by_sender(&mut sent, ranks);
            assert!(sent.is_sorted_by_key(|one| (one.0, one.1)));
            sent.sort_unstable();
            assert_eq!(sent, plain);
        }
    }
}
