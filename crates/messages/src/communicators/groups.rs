//! Groups: lists of world ranks that a rank puts together to make communicators of.

use foldhash::{HashSet, HashSetExt};

use super::Local;

/// How a group is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupStep {
    /// The members of a communicator.
    Of(GroupSource),
    /// All of the first, then those of the second that are not in it.
    Union(u32, u32),
    /// Those of the first that are in the second.
    Intersection(u32, u32),
    /// Those of the first that are not in the second.
    Difference(u32, u32),
    /// These ranks of a group, in this order.
    Include(u32, Vec<u32>),
    /// All ranks of a group but these.
    Exclude(u32, Vec<u32>),
    /// Nobody knows who is in it.
    Unknown,
}

/// Where the members of a group come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupSource {
    /// The own side of a communicator.
    Comm(Local),
    /// The other side of a communicator between two groups.
    Remote(Local),
}

impl GroupStep {
    /// The world ranks, given those of the groups before; none where that is not known.
    pub(super) fn members(
        &self,
        before: &[Option<Vec<u32>>],
        of: impl Fn(GroupSource) -> Option<Vec<u32>>,
    ) -> Option<Vec<u32>> {
        let group = |number: u32| before.get(number as usize)?.clone();
        Some(match self {
            GroupStep::Of(source) => of(*source)?,
            GroupStep::Union(a, b) => {
                let (mut all, other) = (group(*a)?, group(*b)?);
                let known: HashSet<u32> = all.iter().copied().collect();
                all.extend(other.into_iter().filter(|rank| !known.contains(rank)));
                all
            }
            GroupStep::Intersection(a, b) => {
                let other: HashSet<u32> = group(*b)?.into_iter().collect();
                group(*a)?.into_iter().filter(|rank| other.contains(rank)).collect()
            }
            GroupStep::Difference(a, b) => {
                let other: HashSet<u32> = group(*b)?.into_iter().collect();
                group(*a)?.into_iter().filter(|rank| !other.contains(rank)).collect()
            }
            GroupStep::Include(of, ranks) => {
                let members = group(*of)?;
                ranks.iter().map(|&rank| members.get(rank as usize).copied()).collect::<Option<_>>()?
            }
            GroupStep::Exclude(of, ranks) => {
                let mut out = HashSet::with_capacity(ranks.len());
                out.extend(ranks.iter().map(|&rank| rank as usize));
                let kept = group(*of)?.into_iter().enumerate().filter(|(rank, _)| !out.contains(rank));
                kept.map(|(_, member)| member).collect()
            }
            GroupStep::Unknown => return None,
        })
    }
}
