//! Ranks and communicators of an archive: from its groups to world ranks.

use crosscut_messages::communicators::{NO_COMM, SELF, WORLD};
use crosscut_messages::{Comm, Comms, NONE};
use foldhash::{HashMap, HashMapExt};

use super::definitions::{Definitions, Group, GroupKind, UNDEFINED};
use crate::limits::Budget;

/// Which location is which rank, and which communicator is which.
#[derive(Debug, Default)]
pub struct Ranks {
    /// By rank: its locations, the one that stands for it first.
    pub locations: Vec<Vec<u64>>,
    /// Locations that belong to no rank.
    pub others: Vec<u64>,
    /// By rank: the node of the machine.
    pub nodes: Vec<u32>,
    /// All communicators.
    pub comms: Comms,
    /// By number of the archive: the communicator, and whether events name world ranks.
    numbers: HashMap<u32, (u32, bool)>,
}

impl Ranks {
    /// From the definitions.
    pub fn of(definitions: &Definitions, budget: Budget) -> Result<Self, String> {
        let mut ranks = Ranks::default();
        let world = definitions.groups.values().find(|group| group.kind == GroupKind::World);
        let first: Vec<u64> = match world {
            Some(world) => world.members.clone(),
            // Without MPI, the first thread of each process.
            None => {
                let mut seen: HashMap<u32, ()> = HashMap::new();
                let mut firsts = definitions.locations.iter();
                firsts.by_ref().filter(|one| seen.insert(one.group, ()).is_none()).map(|one| one.id).collect()
            }
        };
        let process_of: HashMap<u64, u32> =
            definitions.locations.iter().map(|location| (location.id, location.group)).collect();
        let mut rank_of: HashMap<u32, usize> = HashMap::new();
        for (rank, location) in first.iter().enumerate() {
            let process = process_of.get(location).copied().unwrap_or(UNDEFINED);
            rank_of.entry(process).or_insert(rank);
            ranks.nodes.push(definitions.processes.get(&process).copied().unwrap_or(UNDEFINED));
            ranks.locations.push(vec![*location]);
        }
        let known: HashMap<u64, ()> = first.iter().map(|&location| (location, ())).collect();
        for location in definitions.locations.iter().filter(|location| !known.contains_key(&location.id)) {
            // What runs on an accelerator belongs to the process that uses it.
            let process = definitions.accelerators.get(&location.group).unwrap_or(&location.group);
            match rank_of.get(process) {
                Some(&rank) => ranks.locations[rank].push(location.id),
                None => ranks.others.push(location.id),
            }
        }
        if known.len() < first.len() {
            return Err("a location that is two ranks".to_owned());
        }
        ranks.add_comms(definitions, first.len(), budget)?;
        Ok(ranks)
    }

    fn add_comms(
        &mut self,
        definitions: &Definitions,
        ranks: usize,
        mut budget: Budget,
    ) -> Result<(), String> {
        self.comms.list = vec![Comm::world(ranks), Comm::of_itself()];
        let group = |number: u32| definitions.groups.get(&number);
        let list = |group: &Group| -> Vec<u32> {
            group.members.iter().map(|&member| u32::try_from(member).unwrap_or(NONE)).collect()
        };
        let mut has_world = false;
        for comm in &definitions.comms {
            let Some(first) = group(comm.group) else { continue };
            // Communicators share their groups.
            let others = comm.other.and_then(group).map_or(0, |others| others.members.len());
            budget.take(first.members.len() + others, 4, "members of communicators")?;
            let members = match first.kind {
                GroupKind::Itself => {
                    self.numbers.insert(comm.id, (SELF, false));
                    continue;
                }
                GroupKind::Ranks => list(first),
                _ => continue,
            };
            let others = comm.other.and_then(group).map(list).unwrap_or_default();
            if !has_world && others.is_empty() && members == self.comms.list[WORLD as usize].members {
                has_world = true;
                self.numbers.insert(comm.id, (WORLD, first.global));
                continue;
            }
            let number = self.comms.list.len() as u32;
            let text = definitions.text(comm.name);
            let name = if text.is_empty() { format!("communicator {}", comm.id) } else { text.to_owned() };
            let parent = self.numbers.get(&comm.parent).map(|(parent, _)| *parent);
            self.comms.list.push(Comm { name, parent, members, others, ..Comm::default() });
            self.numbers.insert(comm.id, (number, first.global));
        }
        Ok(())
    }

    /// The communicator of a global number; [`NO_COMM`] where it is none of MPI.
    #[inline]
    pub fn comm(&self, number: u32) -> u32 {
        self.numbers.get(&number).map_or(NO_COMM, |(comm, _)| *comm)
    }

    /// The world rank of a rank of a communicator; [`NONE`] where it is not known.
    #[inline]
    pub fn world(&self, number: u32, rank: u32, me: u32) -> u32 {
        match self.numbers.get(&number) {
            Some((_, true)) if (rank as usize) < self.locations.len() => rank,
            Some((comm, false)) => self.comms.world_rank(*comm, rank, me).unwrap_or(NONE),
            _ => NONE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::otf2::definitions::Comm as Defined;

    fn world(ranks: u64) -> Definitions {
        let mut definitions = Definitions::default();
        let group = |kind| Group { kind, members: (0..ranks).collect(), global: false };
        definitions.groups.insert(0, group(GroupKind::World));
        definitions.groups.insert(1, group(GroupKind::Ranks));
        definitions
    }

    #[test]
    fn communicators_that_share_a_group_are_counted() {
        let mut definitions = world(10_000);
        let comm = |id| Defined { id, name: 0, group: 1, other: None, parent: UNDEFINED };
        definitions.comms = (0..1000).map(comm).collect();
        assert_eq!(Ranks::of(&definitions, Budget::of(50_000)).unwrap().comms.list.len(), 1001);
        // Four gigabytes of members.
        definitions.comms = (0..100_000).map(comm).collect();
        let error = Ranks::of(&definitions, Budget::of(50_000)).unwrap_err();
        assert!(error.contains("more members of communicators"), "{error}");
    }

    #[test]
    fn a_location_is_one_rank() {
        let mut definitions = world(3);
        definitions.groups.insert(0, Group { kind: GroupKind::World, members: vec![0, 1, 0], global: false });
        assert!(Ranks::of(&definitions, Budget::of(100)).unwrap_err().contains("two ranks"));
    }
}
