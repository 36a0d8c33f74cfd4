//! Communicators: each rank tells the members of those that it knows, as ranks of the world. Making one is an act of all its
//! members, and they do so in one order: so the n-th that a rank has with these members is the n-th of all of them.

use crosscut_events::EventKind;
use crosscut_events::mpi::{FUNCTIONS, UNKNOWN};
use crosscut_events::tag_of;
use crosscut_messages::communicators::{Comm, Comms, SELF, WORLD};
use foldhash::{HashMap, HashMapExt};

use super::walk::walk;
use crate::build::Recorded;

/// Members in a row: the first, how many, and the distance from one to the next.
type Row = (u32, u32, i32);

/// No communicator has more members; a file that says so is damaged.
const MOST: usize = super::MOST_RANKS;

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
pub fn join(ranks: &[Scanned]) -> Known {
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
                        let parent = handles.get(&told.parent).copied();
                        let new = made(told, parent, &comms, next);
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
    Known { comms, of_rank }
}

/// A communicator that a rank told of first.
fn made(told: &Told, parent: Option<u32>, comms: &Comms, number: u32) -> Comm {
    let (own, others) = match told.others.is_empty() || told.own <= told.others {
        true => (&told.own, &told.others),
        false => (&told.others, &told.own),
    };
    let (members, others) = (listed(own), listed(others));
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

/// The members of rows.
fn listed(rows: &[Row]) -> Vec<u32> {
    let mut all = Vec::new();
    for &(first, count, distance) in rows {
        let count = (count as usize).min(MOST.saturating_sub(all.len()));
        let rank = |nth: usize| i64::from(first) + nth as i64 * i64::from(distance);
        all.extend((0..count).map(|nth| match first {
            UNKNOWN => UNKNOWN,
            _ => u32::try_from(rank(nth)).unwrap_or(UNKNOWN),
        }));
    }
    all
}
