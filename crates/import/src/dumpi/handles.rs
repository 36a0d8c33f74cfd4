//! Communicators and groups of a rank: from its handles to what it says of them, in order.

use crosscut_messages::communicators::{FIRST_MADE, GroupSource, GroupStep, How, Local, SELF, Step, WORLD};
use foldhash::{HashMap, HashMapExt};

use super::decode::Decoded;

/// A communicator that this rank is not in.
const NULL: i64 = 1;
/// A group nobody knows.
const UNKNOWN: u32 = u32::MAX;

/// The handles of a rank as they are now.
pub struct Handles {
    comms: HashMap<i64, Local>,
    groups: HashMap<i64, u32>,
    made: Local,
    made_groups: u32,
}

impl Handles {
    /// The two that every rank has.
    pub fn new() -> Self {
        let comms = [(2, WORLD), (3, SELF)].into_iter().collect();
        Handles { comms, groups: HashMap::new(), made: FIRST_MADE, made_groups: 0 }
    }

    /// The communicator that a handle stands for now; none where nobody said so.
    #[inline]
    pub fn comm(&self, handle: i64) -> Option<Local> {
        match handle {
            2 => Some(WORLD),
            _ => self.comms.get(&handle).copied(),
        }
    }

    fn group(&self, handle: i64) -> u32 {
        self.groups.get(&handle).copied().unwrap_or(UNKNOWN)
    }

    /// What a record says of communicators and groups.
    pub fn step(&mut self, record: &Decoded) -> Option<Step> {
        let int = |field: usize| record.int(field);
        match record.id {
            84 => self.make(int(0), int(1), How::Dup),
            85 => {
                let group = self.group(int(1));
                self.make(int(0), int(2), How::Create { group })
            }
            86 => self.make(int(0), int(3), How::Split { color: int(1), key: int(2) }),
            91 => {
                let peer = self.comm(int(2)).unwrap_or(UNKNOWN);
                let how = How::Inter { leader: rank(int(1)), peer, remote: rank(int(3)) };
                self.make(int(0), int(5), how)
            }
            92 => self.make(int(0), int(2), How::Merge { high: int(1) != 0 }),
            99 => self.make(int(0), int(5), How::Cart { dims: ranks(record.ints(2)) }),
            101 => self.make(int(1), int(6), How::Graph { nodes: rank(int(2)) }),
            111 => {
                let remain = record.ints(2).iter().map(|&kept| kept != 0).collect();
                self.make(int(1), int(3), How::CartSub { remain })
            }
            130 | 131 => self.make(int(3), int(4), How::Outside),
            133 => self.make(2, int(0), How::Outside),
            134 => self.make(3, int(1), How::Outside),
            135 => self.make(int(2), int(3), How::Outside),
            136 => self.make(int(3), int(4), How::Outside),
            87 | 132 => {
                if int(0) > 3 {
                    self.comms.remove(&int(0));
                }
                None
            }
            82 => {
                let comm = self.comm(int(0)).filter(|&comm| comm >= FIRST_MADE)?;
                Some(Step::Rank { comm, rank: rank(int(1)) })
            }
            80 => {
                self.groups.remove(&int(0));
                None
            }
            _ => self.group_step(record),
        }
    }

    fn group_step(&mut self, record: &Decoded) -> Option<Step> {
        let int = |field: usize| record.int(field);
        let two = |handles: &Handles| (handles.group(int(0)), handles.group(int(1)));
        let (new, step) = match record.id {
            72 => (int(1), GroupStep::Of(GroupSource::Comm(self.comm(int(0)).unwrap_or(UNKNOWN)))),
            90 => (int(1), GroupStep::Of(GroupSource::Remote(self.comm(int(0)).unwrap_or(UNKNOWN)))),
            73 => {
                let (a, b) = two(self);
                (int(2), GroupStep::Union(a, b))
            }
            74 => {
                let (a, b) = two(self);
                (int(2), GroupStep::Intersection(a, b))
            }
            75 => {
                let (a, b) = two(self);
                (int(2), GroupStep::Difference(a, b))
            }
            76 => (int(3), GroupStep::Include(self.group(int(0)), ranks(record.ints(2)))),
            77 => (int(3), GroupStep::Exclude(self.group(int(0)), ranks(record.ints(2)))),
            78 => (int(3), GroupStep::Include(self.group(int(0)), ranges(record.ints(2)))),
            79 => (int(3), GroupStep::Exclude(self.group(int(0)), ranges(record.ints(2)))),
            148 | 236 => (int(1), GroupStep::Unknown),
            _ => return None,
        };
        self.groups.insert(new, self.made_groups);
        self.made_groups += 1;
        Some(Step::Group(step))
    }

    fn make(&mut self, parent: i64, new: i64, how: How) -> Option<Step> {
        let member = new != NULL && new != 0;
        let parent = self.comm(parent).unwrap_or(UNKNOWN);
        if member {
            self.comms.insert(new, self.made);
        }
        self.made += 1;
        Some(Step::Make { parent, how, member })
    }
}

fn rank(value: i64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn ranks(values: &[i32]) -> Vec<u32> {
    values.iter().map(|&value| rank(value.into())).collect()
}

/// Ranges of ranks: first, last and stride of each. A range with more ranks than a world may have stands for none.
fn ranges(values: &[i32]) -> Vec<u32> {
    let mut all = Vec::new();
    for range in values.chunks_exact(3) {
        if all.len() > super::MOST_RANKS as usize {
            break;
        }
        let (first, last, stride) = (i64::from(range[0]), i64::from(range[1]), i64::from(range[2]));
        if stride == 0 || (last - first) / stride > super::MOST_RANKS as i64 {
            continue;
        }
        let count = (last - first) / stride;
        all.extend((0..=count).map(|n| rank(first + n * stride)));
    }
    all
}
