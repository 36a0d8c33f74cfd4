//! The one hierarchy type of Crosscut, and what is done with it.
//!
//! A [`Tree`] holds its nodes in pre-order as columns: the subtree of node `i` is the index range `i..i + len[i]`.
//! A subtree sum is a difference of two prefix sums ([`Sums`]), a child is found by skipping a range, a part of a tree
//! is a slice. Task trees, aggregated grain graphs, clusterings and calling context trees are all this one type.
//!
//! ```
//! use crosscut_tree::{Builder, NodeId};
//!
//! let mut builder = Builder::new();
//! let root = builder.open().unwrap();
//! let a = builder.leaf().unwrap();
//! let b = builder.open().unwrap();
//! let c = builder.leaf().unwrap();
//! builder.close().unwrap();
//! builder.close().unwrap();
//! let tree = builder.finish().unwrap();
//! let tree = tree.view();
//! assert_eq!(tree.children(root).collect::<Vec<_>>(), [a, b]);
//! assert_eq!(tree.ancestors(c).collect::<Vec<_>>(), [b, root]);
//! assert_eq!(tree.range(b), 2..4);
//! # let _: NodeId = c;
//! ```

mod build;
mod cut;
mod error;
pub mod fold;
mod lens;
mod metric;
pub mod open;
mod set;
mod sums;
mod tree;
mod wide;

pub use build::{Builder, Reordered, from_parents};
pub use cut::{Cut, Window};
pub use error::TreeError;
pub use fold::{Fold, Folds, Members, Part, Plain};
pub use lens::Lens;
pub use metric::{Metric, Rule, Unit, Worse, propagate, propagate_mean};
pub use set::NodeSet;
pub use sums::{BLOCK, Sums, block_sums};
pub use tree::{Children, NodeId, Tree, TreeBuf};
pub use wide::{WIDE, Wide, WideBuf};
