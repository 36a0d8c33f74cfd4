//! Logical steps beside a walk through one order of all events, which real runs do not have.

use crosscut_chance::Chance;
use crosscut_messages::steps::{Order, Steps};

/// A program under construction: events happen one after the other, each belongs to a call of a rank.
#[derive(Default)]
struct Program {
    calls: Vec<u32>,
    messages: Vec<Message>,
    collectives: Vec<Vec<(usize, u32)>>,
}

/// The calls (rank and number on that rank) of a message, in the order send, send done, receive, receive done.
#[derive(Clone, Copy, Default)]
struct Message {
    calls: [(usize, u32); 4],
}

impl Program {
    fn new(ranks: usize) -> Program {
        Program { calls: vec![0; ranks], ..Program::default() }
    }

    fn call(&mut self, rank: usize) -> (usize, u32) {
        self.calls[rank] += 1;
        (rank, self.calls[rank] - 1)
    }

    fn message(&mut self, calls: [(usize, u32); 4]) {
        self.messages.push(Message { calls });
    }

    fn steps(&self) -> Steps {
        let mut first = vec![0i64];
        self.calls.iter().for_each(|calls| first.push(first[first.len() - 1] + i64::from(*calls)));
        let number = |(rank, call): (usize, u32)| first[rank] as u32 + call;
        let column = |at: usize| self.messages.iter().map(|m| number(m.calls[at])).collect::<Vec<u32>>();
        let mut collective_first = vec![0];
        let mut collective_call = Vec::new();
        for collective in &self.collectives {
            collective_call.extend(collective.iter().map(|call| number(*call)));
            collective_first.push(collective_call.len() as i64);
        }
        let sent: Vec<i64> = (0..self.messages.len() as i64).collect();
        Steps::of(&Order {
            first: &first,
            sent: &sent,
            send_call: &column(0),
            send_done: &column(1),
            receive_call: &column(2),
            receive_done: &column(3),
            collective_first: &collective_first,
            collective_call: &collective_call,
        })
    }
}

/// A random program and its steps, known while it is made: every event sees what ended before it in the one order.
fn random(chance: &mut Chance) -> (Program, Vec<u32>, Vec<u32>) {
    let ranks = 2 + chance.index(6);
    let mut program = Program::new(ranks);
    let mut level = vec![0u32; ranks];
    let (mut messages, mut collectives) = (Vec::new(), Vec::new());
    for _ in 0..chance.index(40) {
        match chance.index(4) {
            // A blocking pair.
            0 | 1 => {
                let a = chance.index(ranks);
                let b = (a + 1 + chance.index(ranks - 1)) % ranks;
                let (send, receive) = (program.call(a), program.call(b));
                program.message([send, send, receive, receive]);
                let step = 1 + level[a].max(level[b]);
                (level[a], level[b]) = (step, step);
                messages.push(step);
            }
            // Every rank begins an exchange with the next one, calls of another kind between, and one wait completes all.
            2 => {
                let sends: Vec<_> = (0..ranks).map(|rank| program.call(rank)).collect();
                let posts: Vec<_> = (0..ranks).map(|rank| program.call(rank)).collect();
                let waits: Vec<_> = (0..ranks).map(|rank| program.call(rank)).collect();
                let before = level.clone();
                for a in 0..ranks {
                    let b = (a + 1) % ranks;
                    program.message([sends[a], waits[a], posts[b], waits[b]]);
                    let step = 1 + before[a].max(before[b]);
                    level[a] = level[a].max(step);
                    level[b] = level[b].max(step);
                    messages.push(step);
                }
            }
            _ => {
                let members: Vec<usize> = (0..ranks).filter(|_| chance.tenths(7)).collect();
                let calls = members.iter().map(|&rank| program.call(rank)).collect();
                program.collectives.push(calls);
                let step = 1 + members.iter().map(|&rank| level[rank]).max().unwrap_or(0);
                members.iter().for_each(|&rank| level[rank] = step);
                collectives.push(if members.is_empty() { 0 } else { step });
            }
        }
    }
    (program, messages, collectives)
}

#[test]
fn the_walk_over_ranks_finds_the_steps_of_the_one_order() {
    let mut chance = Chance::new(51);
    for _ in 0..1000 {
        let (program, messages, collectives) = random(&mut chance);
        assert_eq!(program.steps(), Steps { messages, collectives, cut: 0 });
    }
}

#[test]
fn sends_that_end_early_may_overtake_each_other() {
    // Rank 0 sends x, then y; rank 1 receives y first: the step of each depends on that of the other.
    let mut program = Program::new(2);
    let (x, y) = (program.call(0), program.call(0));
    let (receive_y, receive_x) = (program.call(1), program.call(1));
    program.message([x, x, receive_x, receive_x]);
    program.message([y, y, receive_y, receive_y]);
    assert_eq!(program.steps(), Steps { messages: vec![1, 2], collectives: vec![], cut: 1 });
}

#[test]
fn collectives_entered_in_another_order_end_too() {
    let mut program = Program::new(2);
    let (a, b) = (program.call(0), program.call(0));
    let (c, d) = (program.call(1), program.call(1));
    program.collectives = vec![vec![a, d], vec![c, b]];
    // Rank 0 leaves the first alone, both leave the second, rank 1 comes to the first last.
    assert_eq!(program.steps().collectives, [3, 2]);
    let nothing = Program::new(0).steps();
    assert!(nothing.messages.is_empty() && nothing.collectives.is_empty());
}
