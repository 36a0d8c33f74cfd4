//! Functions: frames of one name in one library, wherever in it they are. Loops, lines and instructions are none: what was spent in
//! them belongs to the function that they are in.

use foldhash::{HashMap, HashMapExt};

use crate::paths::Paths;
use crate::schema::{Frame, NONE};

/// Which frames are the same function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Functions {
    /// By frame: its function; [`NONE`] of what belongs to what it is in.
    pub of: Vec<u32>,
    /// By function: the first of its frames.
    pub frame: Vec<u32>,
}

impl Functions {
    /// The functions of some frames, in the order in which they come.
    pub fn of(frames: &[Frame]) -> Self {
        let mut numbers: HashMap<(&str, &str), u32> = HashMap::new();
        let mut first = Vec::new();
        let mut of = Vec::with_capacity(frames.len());
        for (at, frame) in frames.iter().enumerate() {
            if frame.kind.is_inner() {
                of.push(NONE);
                continue;
            }
            of.push(*numbers.entry((&frame.name, &frame.module)).or_insert_with(|| {
                first.push(at as u32);
                first.len() as u32 - 1
            }));
        }
        Functions { of, frame: first }
    }

    /// Number of functions.
    pub fn len(&self) -> usize {
        self.frame.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.frame.is_empty()
    }

    /// By call path: the nearest one that is a function, itself or around it; 0, the program, where there is none.
    pub fn around(&self, paths: &(impl Paths + ?Sized)) -> Vec<u32> {
        let tree = paths.tree();
        let mut around = vec![0u32; paths.node_count()];
        let nodes = paths.frame_numbers().iter().zip(tree.parents());
        for (node, (&frame, &parent)) in nodes.enumerate().skip(1) {
            let is = self.of.get(frame as usize).is_some_and(|&function| function != NONE);
            around[node] = if is { node as u32 } else { around[parent as usize] };
        }
        around
    }

    /// The function of a frame.
    pub fn of_frame(&self, frame: u32) -> Option<u32> {
        self.of.get(frame as usize).copied().filter(|&function| function != NONE)
    }
}
