//! An order of a growing graph in which every edge points forward, kept up to date edge by edge (Pearce and Kelly): an edge
//! that already points forward costs nothing, another one only what lies between its ends.

/// A graph without cycles.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// By node: its place in the order.
    at: Vec<u32>,
    out: Vec<Vec<u32>>,
    into: Vec<Vec<u32>>,
    /// When each node was last seen in a search.
    seen: Vec<u32>,
    search: u32,
}

impl Order {
    /// A node of its own, last in the order.
    pub fn add(&mut self) -> u32 {
        let node = self.at.len() as u32;
        self.at.push(node);
        self.out.push(Vec::new());
        self.into.push(Vec::new());
        self.seen.push(0);
        node
    }

    /// Adds an edge that is not there yet, unless it would close a cycle.
    pub fn connect(&mut self, from: u32, to: u32) -> bool {
        let (low, high) = (self.at[to as usize], self.at[from as usize]);
        if low <= high {
            let Some(after) = self.after(to, from, high) else { return false };
            let before = self.before(from, low);
            self.reorder(before, after);
        }
        self.out[from as usize].push(to);
        self.into[to as usize].push(from);
        true
    }

    /// What can be reached from a node up to some place in the order; nothing if the `goal` is among it.
    fn after(&mut self, node: u32, goal: u32, high: u32) -> Option<Vec<u32>> {
        self.search += 1;
        let mut found = vec![node];
        self.seen[node as usize] = self.search;
        let mut next = 0;
        while let Some(&node) = found.get(next) {
            if node == goal {
                return None;
            }
            next += 1;
            for &to in &self.out[node as usize] {
                if self.at[to as usize] <= high && self.seen[to as usize] != self.search {
                    self.seen[to as usize] = self.search;
                    found.push(to);
                }
            }
        }
        Some(found)
    }

    /// From where a node can be reached, down to some place in the order.
    fn before(&mut self, node: u32, low: u32) -> Vec<u32> {
        self.search += 1;
        let mut found = vec![node];
        self.seen[node as usize] = self.search;
        let mut next = 0;
        while let Some(&node) = found.get(next) {
            next += 1;
            for &from in &self.into[node as usize] {
                if self.at[from as usize] >= low && self.seen[from as usize] != self.search {
                    self.seen[from as usize] = self.search;
                    found.push(from);
                }
            }
        }
        found
    }

    /// What comes before an edge takes the first of the places that both sides have, what comes after it the others.
    fn reorder(&mut self, mut before: Vec<u32>, mut after: Vec<u32>) {
        before.sort_unstable_by_key(|&node| self.at[node as usize]);
        after.sort_unstable_by_key(|&node| self.at[node as usize]);
        let nodes: Vec<u32> = before.into_iter().chain(after).collect();
        let mut places: Vec<u32> = nodes.iter().map(|&node| self.at[node as usize]).collect();
        places.sort_unstable();
        for (node, place) in nodes.into_iter().zip(places) {
            self.at[node as usize] = place;
        }
    }
}
