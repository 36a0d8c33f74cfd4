//! A circle as a tree, seen from the function that is entered: each other function below the one that brings it most.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use foldhash::{HashMap, HashSet};

/// A call between two functions of a circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inner {
    from: u32,
    to: u32,
    /// Of the first metric, with all that was called.
    cost: i64,
    count: i64,
}

impl Inner {
    /// Of a call with these costs.
    pub fn new(from: u32, to: u32, cost: &[i64], count: i64) -> Self {
        Inner { from, to, cost: cost.first().copied().unwrap_or(0), count }
    }
}

/// The members but the one that is entered, callers before those they call, each with the one that it stands below. The
/// heaviest call from what is reached to what is not comes first; of equal ones that with more calls, then smaller numbers.
pub fn unroll(members: &[u32], calls: &[Inner], entered: u32) -> Vec<(u32, u32)> {
    let mut leaving: HashMap<u32, Vec<Inner>> = HashMap::default();
    for call in calls {
        leaving.entry(call.from).or_default().push(*call);
    }
    let (mut reached, mut heap) = (HashSet::default(), BinaryHeap::new());
    let mut below = Vec::with_capacity(members.len().saturating_sub(1));
    let mut next = Some(entered);
    while let Some(from) = next {
        reached.insert(from);
        for call in leaving.remove(&from).unwrap_or_default() {
            heap.push((call.cost, call.count, Reverse((call.to, call.from))));
        }
        next = None;
        while let Some((_, _, Reverse((to, from)))) = heap.pop() {
            if !reached.contains(&to) {
                below.push((to, from));
                next = Some(to);
                break;
            }
        }
    }
    below
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever is entered stands above, and a heavy call is followed before a light one.
    #[test]
    fn heaviest_first() {
        let calls = [(1, 2, 9), (2, 3, 8), (1, 3, 2), (3, 1, 5)];
        let calls = calls.map(|(from, to, cost)| Inner::new(from, to, &[cost], 1));
        assert_eq!(unroll(&[1, 2, 3], &calls, 1), [(2, 1), (3, 2)]);
        assert_eq!(unroll(&[1, 2, 3], &calls, 3), [(1, 3), (2, 1)]);
        // Without costs, by how often.
        let calls = [(1, 2, 9), (2, 3, 1), (1, 3, 2), (3, 1, 5)];
        let calls = calls.map(|(from, to, count)| Inner::new(from, to, &[], count));
        assert_eq!(unroll(&[1, 2, 3], &calls, 1), [(2, 1), (3, 1)]);
    }
}
