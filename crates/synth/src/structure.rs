//! The columns that do not depend on who ran what: subtree lengths, parents and sites, in one walk in pre-order.

use crate::shape::{Child, Shape};

/// Columns to be filled, one entry per node.
pub struct Structure<'a> {
    /// Nodes in the subtree.
    pub len: &'a mut [u32],
    /// Parent; the root is its own.
    pub parent: &'a mut [u32],
    /// Index into the shape's code, for leaves.
    pub site: &'a mut [u32],
}

/// A task or section whose children are being written.
struct Open<P> {
    plan: P,
    node: u32,
    end: u32,
    number: u32,
}

impl Structure<'_> {
    /// Writes all nodes of the shape.
    pub fn write<S: Shape>(mut self, shape: &S) {
        let root = shape.root();
        let mut open = vec![self.open(shape, root, 0, 0)];
        let mut next = 1;
        while let Some(top) = open.last_mut() {
            let node = top.node;
            let child = shape.child(top.plan, top.number, top.end - next);
            top.number += 1;
            match child {
                Child::Spawn(step, task) => {
                    self.leaf(next, node, step.code);
                    open.push(self.open(shape, task, next + 1, node));
                    next += 2;
                }
                Child::Section(section) => {
                    open.push(self.open(shape, section, next, node));
                    next += 1;
                }
                Child::Other(step) => {
                    self.leaf(next, node, step.code);
                    next += 1;
                }
                Child::Close(step) => {
                    self.leaf(next, node, step.code);
                    next += 1;
                    open.pop();
                }
            }
        }
    }

    fn open<S: Shape>(&mut self, shape: &S, plan: S::Plan, node: u32, parent: u32) -> Open<S::Plan> {
        let len = shape.size(plan);
        self.len[node as usize] = len;
        self.parent[node as usize] = parent;
        Open { plan, node, end: node + len, number: 0 }
    }

    fn leaf(&mut self, node: u32, parent: u32, code: u32) {
        self.len[node as usize] = 1;
        self.parent[node as usize] = parent;
        self.site[node as usize] = code;
    }
}
