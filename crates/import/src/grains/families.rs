//! Who belongs to whom: the children of every grain in the order of its spine.

use super::{Grain, NONE};

/// The children of every grain, section by section.
#[derive(Debug)]
pub struct Families {
    /// Where the children of a grain begin; one more than there are grains.
    first: Vec<u32>,
    children: Vec<u32>,
}

impl Families {
    /// From the parents, which must be numbers of the list or [`NONE`].
    pub fn new(list: &[Grain]) -> Self {
        let mut first = vec![0u32; list.len() + 1];
        for grain in list.iter().filter(|grain| grain.parent != NONE) {
            first[grain.parent as usize + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let mut next = first.clone();
        let mut children = vec![0u32; first[list.len()] as usize];
        for (number, grain) in list.iter().enumerate().filter(|(_, grain)| grain.parent != NONE) {
            let slot = &mut next[grain.parent as usize];
            children[*slot as usize] = number as u32;
            *slot += 1;
        }
        let key = |&child: &u32| {
            let Grain { section, order, .. } = list[child as usize];
            (section, order, child)
        };
        for pair in first.windows(2) {
            children[pair[0] as usize..pair[1] as usize].sort_unstable_by_key(key);
        }
        Families { first, children }
    }

    /// The children of a grain.
    pub fn of(&self, grain: u32) -> &[u32] {
        let grain = grain as usize;
        &self.children[self.first[grain] as usize..self.first[grain + 1] as usize]
    }

    /// The same, to put those of one section into another order.
    pub fn of_mut(&mut self, grain: u32) -> &mut [u32] {
        let grain = grain as usize;
        &mut self.children[self.first[grain] as usize..self.first[grain + 1] as usize]
    }

    /// Grains from the root down, every parent before its children; fewer than there are when some hang together in a
    /// circle.
    pub fn downwards(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.first.len() - 1);
        order.push(0);
        let mut at = 0;
        while at < order.len() {
            order.extend_from_slice(self.of(order[at]));
            at += 1;
        }
        order
    }
}

/// Where the section ends to which the child at `from` belongs.
pub fn section_end(list: &[Grain], family: &[u32], from: usize) -> usize {
    let section = |at: usize| list[family[at] as usize].section;
    (from + 1..family.len()).find(|&at| section(at) != section(from)).unwrap_or(family.len())
}
