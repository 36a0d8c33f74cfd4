//! Communicators: from what each rank says of its own handles to communicators that all ranks share.
//!
//! A rank knows its communicators by handles of its own. It says, in order, which it made of which parent ([`Step`]). Making one
//! is collective over the parent, so the n-th that was made of a parent is the same act on all of its ranks; `color` parts the
//! members of one act. Members are world ranks, in the order of their ranks in the communicator.

mod groups;
mod resolve;

pub use groups::{GroupSource, GroupStep};
pub use resolve::{Resolved, resolve};

/// The communicator of all ranks.
pub const WORLD: u32 = 0;
/// The communicators of each rank with itself: one for all of them.
pub const SELF: u32 = 1;
/// No communicator, or one of which nothing is known.
pub const NO_COMM: u32 = u32::MAX;

/// A communicator as one rank knows it: 0 is the world, 1 is itself, and from 2 on what it made, in order.
pub type Local = u32;

/// The first that a rank made.
pub const FIRST_MADE: Local = 2;

/// What a rank did with communicators and groups, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Made a communicator of a parent; its number is the next free one.
    Make {
        /// Of which.
        parent: Local,
        /// How.
        how: How,
        /// Whether this rank is in the new one.
        member: bool,
    },
    /// Made a group; its number is the next free one, from 0 on.
    Group(GroupStep),
    /// Asked for its own rank in a communicator.
    Rank {
        /// In which.
        comm: Local,
        /// The answer.
        rank: u32,
    },
}

/// How a communicator is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// With the same members.
    Dup,
    /// Of those with the same color, ordered by key.
    Split {
        /// Who belongs together.
        color: i64,
        /// The order.
        key: i64,
    },
    /// Of the members of a group, by its number.
    Create {
        /// The group.
        group: u32,
    },
    /// A grid: the first ranks of the parent.
    Cart {
        /// The size of each dimension.
        dims: Vec<u32>,
    },
    /// A part of a grid: some of its dimensions.
    CartSub {
        /// Which dimensions remain.
        remain: Vec<bool>,
    },
    /// A graph: the first ranks of the parent.
    Graph {
        /// How many.
        nodes: u32,
    },
    /// Between the parent, and another communicator whose leader is known by a rank of `peer`.
    Inter {
        /// The leader of this side, a rank of the parent.
        leader: u32,
        /// Where the leaders know each other.
        peer: Local,
        /// The other leader, a rank of `peer`.
        remote: u32,
    },
    /// Of both sides of the parent.
    Merge {
        /// Whether this side comes last.
        high: bool,
    },
    /// With processes that are not part of the recording.
    Outside,
}

/// A communicator that all ranks share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comm {
    /// What to call it.
    pub name: String,
    /// Of which it was made.
    pub parent: Option<u32>,
    /// World ranks, in the order of its own ranks; the first side of one between two groups.
    pub members: Vec<u32>,
    /// The second side of one between two groups.
    pub others: Vec<u32>,
    /// The size of each dimension of a grid.
    pub dims: Vec<u32>,
    /// Some of its members are not part of the recording.
    pub outside: bool,
}

impl Comm {
    /// The world of so many ranks.
    pub fn world(ranks: usize) -> Self {
        Comm { name: "MPI_COMM_WORLD".into(), members: (0..ranks as u32).collect(), ..Comm::default() }
    }

    /// Each rank with itself; no member is listed.
    pub fn of_itself() -> Self {
        Comm { name: "MPI_COMM_SELF".into(), ..Comm::default() }
    }
}

/// All communicators of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comms {
    /// By number: the world, that of each rank with itself, then the others.
    pub list: Vec<Comm>,
}

impl Comms {
    /// The world rank that a rank of a communicator stands for, as `me` sees it: the other side where there are two.
    #[inline]
    pub fn world_rank(&self, comm: u32, rank: u32, me: u32) -> Option<u32> {
        match comm {
            WORLD => self.list.first().filter(|world| (rank as usize) < world.members.len()).map(|_| rank),
            SELF => (rank == 0).then_some(me),
            _ => {
                let comm = self.list.get(comm as usize)?;
                let side = match comm.others.is_empty() || comm.others.contains(&me) {
                    true => &comm.members,
                    false => &comm.others,
                };
                side.get(rank as usize).copied()
            }
        }
    }

    /// Number of ranks that a collective on it takes.
    pub fn size(&self, comm: u32) -> usize {
        match comm {
            SELF => 1,
            _ => self.list.get(comm as usize).map_or(0, |comm| comm.members.len() + comm.others.len()),
        }
    }
}
