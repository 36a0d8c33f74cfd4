//! Communicators: each rank tells the members of those that it knows, as ranks of the world. Making one is an act of all its
//! members, and they do so in one order: so the n-th that a rank has with these members is the n-th of all of them.

use crosscut_events::EventKind;
use crosscut_events::mpi::{FUNCTIONS, UNKNOWN};
use crosscut_events::tag_of;
use crosscut_messages::communicators::{Comm, Comms, SELF, WORLD};
use foldhash::{HashMap, HashMapExt};

use super::walk::walk;
use crate::build::Recorded;
use crate::error::CloseError;

/// Members in a row: the first, how many, and the distance from one to the next.
type Row = (u32, u32, i32);

/// A communicator has no more members than there are ranks, or than this, of processes outside; a file that says so is damaged.
const OUTSIDE: usize = 1 << 16;

/// All communicators together may have so many, whatever the number of events: a row of a few bytes may stand for millions.
const MEMBERS: usize = 1 << 26;

/// A communicator as one rank knows it.
#[derive(Clone, Debug, Default)]
struct Told {
    handle: u64,
    parent: u64,
    own: Vec<Row>,
    others: Vec<Row>,
    /// The function that made it.
    function: usize,
}

/// What the first walk found.
#[derive(Clone, Debug, Default)]
pub struct Scanned {
    /// Calls.
    pub calls: usize,
    told: Vec<Told>,
}

/// The first walk through the events of a rank.
pub fn scan(process: &Recorded<'_>) -> Scanned {
    let mut scanned = Scanned::default();
    let mut function = 0;
    walk(&process.threads, |_, event| match (event.kind, event.payload) {
        (EventKind::MpiCall | EventKind::MpiCallOn | EventKind::MpiPolled, &[word, ..]) => {
            function = usize::from(tag_of(word));
            scanned.calls += 1;
        }
        (EventKind::MpiComm, &[handle, parent]) => {
            scanned.told.push(Told { handle, parent, function, ..Told::default() });
        }
        (EventKind::MpiMembers, &[run, distance]) => {
            if let Some(told) = scanned.told.last_mut() {
                let row = ((run >> 32) as u32, run as u32, (distance as i64 >> 1) as i32);
                if distance & 1 == 0 { &mut told.own } else { &mut told.others }.push(row);
            }
        }
        _ => {}
    });
    scanned
}

/// The communicators of all ranks.
#[derive(Debug, Default)]
pub struct Known {
    /// All of them.
    pub comms: Comms,
    /// By rank: those that it told of, in order.
    pub of_rank: Vec<Vec<u32>>,
}

/// Puts together what all ranks tell.
pub fn join(ranks: &[Scanned]) -> Result<Known, CloseError> {
    // Each member tells of a communicator itself, unless nothing was recorded of it.
    let told: usize = ranks.iter().map(|scanned| scanned.told.len()).sum();
    let limit = MEMBERS.saturating_add(told.saturating_mul(16));
    let mut left = limit;
    let most = ranks.len().max(OUTSIDE);
    let mut comms = Comms { list: vec![Comm::world(ranks.len()), Comm::of_itself()] };
    let mut numbers: HashMap<(Vec<Row>, Vec<Row>, u32), u32> = HashMap::new();
    let mut of_rank = Vec::with_capacity(ranks.len());
    for scanned in ranks {
        let mut handles: HashMap<u64, u32> = HashMap::new();
        let mut times: HashMap<(Vec<Row>, Vec<Row>), u32> = HashMap::new();
        let mut own = Vec::with_capacity(scanned.told.len());
        for (nth, told) in scanned.told.iter().enumerate() {
            // Both sides of one between two groups tell of the same one.
            let sides = match told.others.is_empty() || told.own <= told.others {
                true => (told.own.clone(), told.others.clone()),
                false => (told.others.clone(), told.own.clone()),
            };
            let time = times.entry(sides.clone()).or_default();
            *time += 1;
            let number = match nth {
                // MPI begins with these two.
                0 => WORLD,
                1 => SELF,
                _ => {
                    let key = (sides.0, sides.1, *time);
                    let next = comms.list.len() as u32;
                    let number = *numbers.entry(key).or_insert(next);
                    if number == next {
                        let members = count(&told.own, most).saturating_add(count(&told.others, most));
                        let too_many =
                            || CloseError::TooMany { what: "members of communicators", limit: limit as u64 };
                        left = left.checked_sub(members).ok_or_else(too_many)?;
                        let parent = handles.get(&told.parent).copied();
                        let new = made(told, parent, &comms, next, most);
                        comms.list.push(new);
                    }
                    number
                }
            };
            handles.insert(told.handle, number);
            own.push(number);
        }
        of_rank.push(own);
    }
    Ok(Known { comms, of_rank })
}

/// How many members rows have.
fn count(rows: &[Row], most: usize) -> usize {
    rows.iter().fold(0, |sum, row| (row.1 as usize).saturating_add(sum)).min(most)
}

/// A communicator that a rank told of first.
fn made(told: &Told, parent: Option<u32>, comms: &Comms, number: u32, most: usize) -> Comm {
    let (own, others) = match told.others.is_empty() || told.own <= told.others {
        true => (&told.own, &told.others),
        false => (&told.others, &told.own),
    };
    let (members, others) = (listed(own, most), listed(others, most));
    let is_outside = |ranks: &[u32]| ranks.contains(&UNKNOWN);
    let of = parent.and_then(|parent| comms.list.get(parent as usize)).map_or("MPI", |comm| &comm.name);
    let word = match FUNCTIONS.get(told.function).map_or("", |function| function.name) {
        name if name.contains("dup") => "copy",
        name if name.contains("split") || name == "MPI_Cart_sub" => "part",
        "MPI_Cart_create" => "grid",
        name if name.contains("raph") => "graph",
        "MPI_Intercomm_merge" => "both sides",
        _ => "group",
    };
    let outside = is_outside(&members) || is_outside(&others);
    let name = match (outside, others.is_empty()) {
        (true, _) => format!("to processes outside ({number})"),
        (false, false) => format!("between two groups ({number})"),
        (false, true) => format!("{word} of {of} ({number})"),
    };
    Comm { name, parent, members, others, dims: Vec::new(), outside }
}

/// The members of rows, up to so many.
fn listed(rows: &[Row], most: usize) -> Vec<u32> {
    let mut all = Vec::new();
    for &(first, count, distance) in rows {
        let count = (count as usize).min(most.saturating_sub(all.len()));
        let rank = |nth: usize| i64::from(first) + nth as i64 * i64::from(distance);
        all.extend((0..count).map(|nth| match first {
            UNKNOWN => UNKNOWN,
            _ => u32::try_from(rank(nth)).unwrap_or(UNKNOWN),
        }));
    }
    all
}
