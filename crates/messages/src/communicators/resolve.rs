//! Putting together what all ranks say of their communicators.

use foldhash::{HashMap, HashMapExt};

use super::groups::GroupSource;
use super::{Comm, Comms, FIRST_MADE, How, Local, NO_COMM, SELF, Step, WORLD};

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// All communicators.
    pub comms: Comms,
    /// By rank: the communicator of each that it made, in order; [`NO_COMM`] where it is not a member.
    pub made: Vec<Vec<u32>>,
    /// What did not fit together.
    pub notes: Vec<String>,
}

impl Resolved {
    /// The communicator that a rank knows by this number.
    pub fn comm(&self, rank: usize, local: Local) -> u32 {
        match local {
            WORLD | SELF => local,
            _ => {
                let made = self.made.get(rank).and_then(|made| made.get((local - FIRST_MADE) as usize));
                made.copied().unwrap_or(NO_COMM)
            }
        }
    }
}

/// A rank's part in making a communicator.
#[derive(Clone, Debug)]
struct Part {
    rank: u32,
    /// Which of the rank's own.
    made: usize,
    member: bool,
    how: How,
    /// The group of [`How::Create`].
    group: Option<Vec<u32>>,
    /// The leaders of [`How::Inter`].
    leaders: Option<(u32, u32)>,
}

/// How far a rank is.
#[derive(Default)]
struct Walk {
    at: usize,
    /// What it made; none while it is not known.
    made: Vec<Option<u32>>,
    groups: Vec<Option<Vec<u32>>>,
    /// How many it made of each parent.
    count: HashMap<u32, u32>,
}

/// Finds the communicators of a run from what each rank says, in the order of ranks.
pub fn resolve(ranks: &[Vec<Step>]) -> Resolved {
    let mut work = Work {
        comms: Comms { list: vec![Comm::world(ranks.len()), Comm::of_itself()] },
        walks: ranks.iter().map(|_| Walk::default()).collect(),
        waiting: HashMap::new(),
        sides: Vec::new(),
        notes: Vec::new(),
    };
    loop {
        let mut moved = false;
        for (rank, steps) in ranks.iter().enumerate() {
            moved |= work.walk(rank, steps);
        }
        moved |= work.settle(false);
        if moved {
            continue;
        }
        // Nobody can go on: what is there is all there will be.
        if !work.settle(true) {
            break;
        }
    }
    work.use_known_ranks(ranks);
    let made = work.walks.into_iter().map(|walk| walk.made);
    let made = made.map(|made| made.into_iter().map(|comm| comm.unwrap_or(NO_COMM)).collect()).collect();
    Resolved { comms: work.comms, made, notes: work.notes }
}

struct Work {
    comms: Comms,
    walks: Vec<Walk>,
    /// Acts of making, by parent and number: who took part so far.
    waiting: HashMap<(u32, u32), Vec<Part>>,
    /// One side of a communicator between two groups, which waits for the other: its leaders, its parent, its parts.
    sides: Vec<((u32, u32), u32, Vec<Part>)>,
    notes: Vec<String>,
}

impl Work {
    /// Takes a rank as far as it goes. Says whether it moved.
    fn walk(&mut self, rank: usize, steps: &[Step]) -> bool {
        let from = self.walks[rank].at;
        while let Some(step) = steps.get(self.walks[rank].at) {
            let is_done = match step {
                Step::Make { parent, how, member } => self.make(rank, *parent, how, *member),
                Step::Group(step) => {
                    let walk = &self.walks[rank];
                    let asked = match step {
                        super::GroupStep::Of(GroupSource::Comm(comm) | GroupSource::Remote(comm)) => {
                            self.known(rank, *comm)
                        }
                        _ => Some(NO_COMM),
                    };
                    let Some(comm) = asked else { break };
                    let me = rank as u32;
                    let members = step.members(&walk.groups, |source| self.side(source, comm, me));
                    self.walks[rank].groups.push(members);
                    true
                }
                Step::Rank { .. } => true,
            };
            if !is_done {
                break;
            }
            self.walks[rank].at += 1;
        }
        self.walks[rank].at > from
    }

    /// The communicator that a rank knows by this number; none while it is not known.
    fn known(&self, rank: usize, local: Local) -> Option<u32> {
        match local {
            WORLD | SELF => Some(local),
            _ => match self.walks[rank].made.get((local - FIRST_MADE) as usize) {
                Some(made) => *made,
                None => Some(NO_COMM),
            },
        }
    }

    fn side(&self, source: GroupSource, comm: u32, me: u32) -> Option<Vec<u32>> {
        if comm == SELF {
            return Some(vec![me]);
        }
        let comm = self.comms.list.get(comm as usize)?;
        let is_first = comm.others.is_empty() || !comm.others.contains(&me);
        let first = matches!(source, GroupSource::Comm(_)) == is_first;
        Some(if first { comm.members.clone() } else { comm.others.clone() })
    }

    /// Notes a rank's part in making a communicator. Says whether its parent is known.
    fn make(&mut self, rank: usize, parent: Local, how: &How, member: bool) -> bool {
        let Some(parent) = self.known(rank, parent) else { return false };
        let peer = match how {
            How::Inter { peer, .. } => self.known(rank, *peer),
            _ => Some(NO_COMM),
        };
        let Some(peer) = peer else { return false };
        let leaders = match how {
            How::Inter { leader, remote, .. } => {
                let of = |comm: u32, r: u32| self.comms.world_rank(comm, r, rank as u32);
                of(parent, *leader).zip(of(peer, *remote))
            }
            _ => None,
        };
        let group = match how {
            How::Create { group } => self.walks[rank].groups.get(*group as usize).cloned().flatten(),
            _ => None,
        };
        let walk = &mut self.walks[rank];
        let made = walk.made.len();
        let part = Part { rank: rank as u32, made, member, how: how.clone(), group, leaders };
        if parent == NO_COMM || matches!(how, How::Outside) {
            let comm = self.comms.list.len() as u32;
            let name = "to processes outside".to_owned();
            self.comms.list.push(Comm { name, outside: true, ..Comm::default() });
            walk.made.push(Some(comm));
            return true;
        }
        walk.made.push(None);
        if parent == SELF {
            self.form(SELF, vec![part]);
            return true;
        }
        let number = walk.count.entry(parent).or_default();
        self.waiting.entry((parent, *number)).or_default().push(part);
        *number += 1;
        true
    }

    /// Forms the communicators whose members have all said their part, or all that are waiting.
    fn settle(&mut self, all: bool) -> bool {
        let is_whole = |work: &Work, (parent, _): &(u32, u32), parts: &Vec<Part>| {
            parts.len() >= work.comms.size(*parent)
        };
        let mut ready: Vec<(u32, u32)> = self
            .waiting
            .iter()
            .filter(|(key, parts)| all || is_whole(self, key, parts))
            .map(|(key, _)| *key)
            .collect();
        ready.sort_unstable();
        // One at a time when something is missing: what it brings may make others whole.
        ready.truncate(if all { 1 } else { usize::MAX });
        for key in &ready {
            let Some(mut parts) = self.waiting.remove(key) else { continue };
            parts.sort_by_key(|part| part.rank);
            if parts.len() < self.comms.size(key.0) {
                let name = &self.comms.list[key.0 as usize].name;
                let (found, size) = (parts.len(), self.comms.size(key.0));
                self.notes.push(format!("only {found} of {size} ranks of {name} made a communicator of it"));
            }
            self.form(key.0, parts);
        }
        !ready.is_empty()
    }

    /// Forms the communicators of one act.
    fn form(&mut self, parent: u32, parts: Vec<Part>) {
        let Some(first) = parts.first() else { return };
        if let Some(leaders) = first.leaders.or_else(|| parts.iter().find_map(|part| part.leaders)) {
            return self.form_inter(parent, leaders, parts);
        }
        if matches!(first.how, How::Inter { .. }) {
            self.notes.push("the leaders of a communicator between two groups are not known".into());
            return self.give(&parts, NO_COMM);
        }
        let mut by_color: std::collections::BTreeMap<Vec<i64>, Vec<Part>> = std::collections::BTreeMap::new();
        for part in parts {
            match part.member {
                true => by_color.entry(self.color(parent, &part)).or_default().push(part),
                false => self.walks[part.rank as usize].made[part.made] = Some(NO_COMM),
            }
        }
        for parts in by_color.into_values() {
            self.form_one(parent, parts);
        }
    }

    /// What parts the members of one act.
    fn color(&self, parent: u32, part: &Part) -> Vec<i64> {
        match &part.how {
            How::Split { color, .. } => vec![*color],
            How::Create { .. } => part.group.iter().flatten().map(|&rank| i64::from(rank)).collect(),
            How::CartSub { remain } => {
                let comm = &self.comms.list[parent as usize];
                let rank = comm.members.iter().position(|&member| member == part.rank).unwrap_or(0);
                let kept = |d: usize| remain.get(d).copied().unwrap_or(false);
                let at = coordinates(&comm.dims, rank as u64);
                at.into_iter().enumerate().filter(|(d, _)| !kept(*d)).map(|(_, c)| c as i64).collect()
            }
            _ => Vec::new(),
        }
    }

    fn form_one(&mut self, parent: u32, parts: Vec<Part>) {
        let whole = &self.comms.list[parent as usize];
        let place: HashMap<u32, usize> = match parent {
            SELF => parts.iter().map(|part| (part.rank, 0)).collect(),
            _ => whole.members.iter().chain(&whole.others).enumerate().map(|(i, &m)| (m, i)).collect(),
        };
        let at = |rank: u32| place.get(&rank).copied().unwrap_or(usize::MAX);
        let mut sorted: Vec<&Part> = parts.iter().collect();
        sorted.sort_by_key(|part| match &part.how {
            How::Split { key, .. } => (*key, at(part.rank)),
            How::Merge { high } => (i64::from(*high), at(part.rank)),
            How::Create { .. } => {
                let among = part.group.iter().flatten().position(|&rank| rank == part.rank);
                (among.map_or(i64::MAX, |i| i as i64), at(part.rank))
            }
            _ => (0, at(part.rank)),
        });
        let members: Vec<u32> = match &sorted[0].how {
            // The group names also those whose own files are missing.
            How::Create { .. } if sorted[0].group.is_some() => sorted[0].group.clone().unwrap_or_default(),
            _ => sorted.iter().map(|part| part.rank).collect(),
        };
        let (word, dims) = match &sorted[0].how {
            How::Dup => ("copy", whole.dims.clone()),
            How::Split { .. } | How::CartSub { .. } => ("part", remaining(&sorted[0].how, &whole.dims)),
            How::Cart { dims } => ("grid", dims.clone()),
            How::Graph { .. } => ("graph", Vec::new()),
            How::Merge { .. } => ("both sides", Vec::new()),
            _ => ("group", Vec::new()),
        };
        let others = match &sorted[0].how {
            How::Dup => whole.others.clone(),
            _ => Vec::new(),
        };
        let members = match others.is_empty() {
            true => members,
            false => whole.members.clone(),
        };
        let number = self.comms.list.len();
        let name = format!("{word} of {} ({number})", whole.name);
        self.comms.list.push(Comm { name, parent: Some(parent), members, others, dims, outside: false });
        self.give(&parts, number as u32);
    }

    /// One side of a communicator between two groups: waits for the other, which names the same leaders.
    fn form_inter(&mut self, parent: u32, (leader, remote): (u32, u32), parts: Vec<Part>) {
        let other = self.sides.iter().position(|(leaders, ..)| *leaders == (remote, leader));
        let Some(other) = other else {
            self.sides.push(((leader, remote), parent, parts));
            return;
        };
        let (_, first, mut all) = self.sides.remove(other);
        let members = |comm: u32| self.comms.list[comm as usize].members.clone();
        let (members, others) = (members(first), members(parent));
        let number = self.comms.list.len() as u32;
        let name = format!("between two groups ({number})");
        let comm = Comm { name, parent: Some(first), members, others, dims: Vec::new(), outside: false };
        self.comms.list.push(comm);
        all.extend(parts);
        self.give(&all, number);
    }

    fn give(&mut self, parts: &[Part], comm: u32) {
        for part in parts {
            self.walks[part.rank as usize].made[part.made] = Some(if part.member { comm } else { NO_COMM });
        }
    }

    /// A grid may be reordered: where ranks asked for their own number, that is what counts.
    fn use_known_ranks(&mut self, ranks: &[Vec<Step>]) {
        let mut known: std::collections::BTreeMap<u32, Vec<(u32, u32)>> = std::collections::BTreeMap::new();
        for (rank, steps) in ranks.iter().enumerate() {
            for step in steps {
                if let Step::Rank { comm, rank: own } = step
                    && let Some(comm @ 2..) = self.known(rank, *comm).filter(|&comm| comm != NO_COMM)
                {
                    known.entry(comm).or_default().push((*own, rank as u32));
                }
            }
        }
        for (comm, known) in known {
            let comm = &mut self.comms.list[comm as usize];
            if comm.others.is_empty() && !comm.outside {
                reorder(comm, &known, &mut self.notes);
            }
        }
    }
}

/// Puts members where they said they are; the others keep their order in what is left.
fn reorder(comm: &mut Comm, known: &[(u32, u32)], notes: &mut Vec<String>) {
    let fits = |&(own, rank): &(u32, u32)| comm.members.get(own as usize) == Some(&rank);
    if known.iter().all(fits) {
        return;
    }
    let mut places: Vec<Option<u32>> = vec![None; comm.members.len()];
    for &(own, rank) in known {
        match places.get_mut(own as usize) {
            Some(place) if place.is_none_or(|there| there == rank) && comm.members.contains(&rank) => {
                *place = Some(rank);
            }
            _ => {
                notes.push(format!("ranks of {} contradict each other", comm.name));
                return;
            }
        }
    }
    let mut left = comm.members.iter().filter(|member| !places.contains(&Some(**member))).copied();
    let members: Vec<u32> = places.iter().filter_map(|place| place.or_else(|| left.next())).collect();
    comm.members = members;
}

/// Where a rank stands in a grid, the last dimension varying fastest.
fn coordinates(dims: &[u32], rank: u64) -> Vec<u64> {
    let mut rest = rank;
    let mut at: Vec<u64> = dims
        .iter()
        .rev()
        .map(|&dim| {
            let dim = u64::from(dim.max(1));
            let here = rest % dim;
            rest /= dim;
            here
        })
        .collect();
    at.reverse();
    at
}

fn remaining(how: &How, dims: &[u32]) -> Vec<u32> {
    match how {
        How::CartSub { remain } => {
            dims.iter().zip(remain).filter(|(_, kept)| **kept).map(|(dim, _)| *dim).collect()
        }
        _ => Vec::new(),
    }
}
