//! Functions that call each other in a circle: the strongly connected parts of a graph (Tarjan's method, with a list instead of
//! recursion).

/// The parts of a graph.
pub struct Circles {
    /// The part of each function.
    pub of: Vec<u32>,
    /// The functions of each part, in order. A part comes after all those that it calls.
    pub members: Vec<Vec<u32>>,
}

const UNSEEN: u32 = u32::MAX;

/// Finds them. Calls are from one function to another, both less than `count`.
pub fn circles(count: usize, calls: &[(u32, u32)]) -> Circles {
    let mut begin = vec![0usize; count + 1];
    for &(from, _) in calls {
        begin[from as usize + 1] += 1;
    }
    for at in 0..count {
        begin[at + 1] += begin[at];
    }
    let (mut next, mut callees) = (begin.clone(), vec![0u32; calls.len()]);
    for &(from, to) in calls {
        callees[next[from as usize]] = to;
        next[from as usize] += 1;
    }
    let mut next = begin.clone();
    let (mut seen, mut low, mut of) = (vec![UNSEEN; count], vec![0u32; count], vec![UNSEEN; count]);
    let (mut members, mut path, mut waiting, mut number) = (Vec::new(), Vec::new(), Vec::new(), 0u32);
    for root in 0..count {
        if seen[root] == UNSEEN {
            path.push(root);
        }
        while let Some(&at) = path.last() {
            if seen[at] == UNSEEN {
                (seen[at], low[at]) = (number, number);
                number += 1;
                waiting.push(at);
            }
            if next[at] < begin[at + 1] {
                let callee = callees[next[at]] as usize;
                next[at] += 1;
                if seen[callee] == UNSEEN {
                    path.push(callee);
                } else if of[callee] == UNSEEN {
                    low[at] = low[at].min(seen[callee]);
                }
                continue;
            }
            path.pop();
            if let Some(&above) = path.last() {
                low[above] = low[above].min(low[at]);
            }
            if low[at] == seen[at] {
                let first = waiting.iter().rposition(|&member| member == at).unwrap_or(0);
                let mut part: Vec<u32> = waiting.drain(first..).map(|member| member as u32).collect();
                part.sort_unstable();
                for &member in &part {
                    of[member as usize] = members.len() as u32;
                }
                members.push(part);
            }
        }
    }
    Circles { of, members }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::circles;

    proptest! {
        /// Two functions are of one part if each is reached from the other; what is called comes first.
        #[test]
        fn as_by_reaching(calls in prop::collection::vec((0u32..9, 0u32..9), 0..30)) {
            let all: Vec<(usize, usize)> = (0..9).flat_map(|from| (0..9).map(move |to| (from, to))).collect();
            let mut reaches: HashSet<(usize, usize)> = (0..9).map(|function| (function, function)).collect();
            reaches.extend(calls.iter().map(|&(from, to)| (from as usize, to as usize)));
            for by in 0..9 {
                for &(from, to) in &all {
                    if reaches.contains(&(from, by)) && reaches.contains(&(by, to)) {
                        reaches.insert((from, to));
                    }
                }
            }
            let found = circles(9, &calls);
            for &(a, b) in &all {
                let (there, back) = (reaches.contains(&(a, b)), reaches.contains(&(b, a)));
                prop_assert_eq!(found.of[a] == found.of[b], there && back);
                prop_assert!(!there || found.of[b] <= found.of[a]);
            }
            let count: usize = found.members.iter().map(Vec::len).sum();
            prop_assert_eq!(count, 9);
        }
    }
}
