//! The second walk through the file of a rank: its calls go into the run, its sends, receives and collectives are kept to be matched.

use crosscut_messages::communicators::{Local, NO_COMM, Resolved};
use crosscut_messages::{Call, Collective, Done, Joined, Mode, NONE, RankWriter, Receive, Send};
use foldhash::{HashMap, HashMapExt};

use super::decode::{Decoded, Offsets, Status, Time, Version};
use super::file::{About, walk};
use super::handles::Handles;
use super::records::{IDS, RECORDS, Record};
use super::types::Types;
use crate::error::ImportError;
use crate::input::Input;

/// No message is sent or received.
const PROC_NULL: i64 = -2;
/// No request.
const NULL_REQUEST: i32 = 1;
/// A send or receive that was cancelled: it is taken out in the end.
const CANCELLED: u32 = u32::MAX - 1;
/// Seconds after which the file's clock begins again.
const WRAP: i64 = 1 << 16;
/// A century: a file whose clock began again more often is damaged, and times still have to fit.
const MOST_WRAPPED: i64 = 1 << 32;

/// A request that is not done.
#[derive(Clone, Copy, Debug)]
enum Request {
    /// Of a send, by its number.
    Send(usize),
    /// Of a receive, by its number.
    Receive(usize),
    /// Prepared: what it sends each time, and the number of what is under way.
    Sends(Send, Option<usize>),
    /// Prepared: what it receives each time, and the number of what is under way.
    Receives(Receive, Option<usize>),
}

/// A rank on its way.
struct Rank<'a, 'w> {
    rank: u32,
    resolved: &'a Resolved,
    writer: RankWriter<'w>,
    done: Done,
    handles: Handles,
    types: Types,
    requests: HashMap<i32, Request>,
    /// Requests that were asked to be cancelled.
    cancelling: HashMap<i32, ()>,
    /// Communicators of windows and files.
    windows: HashMap<i64, u32>,
    files: HashMap<i64, u32>,
    clock: Clock,
}

/// The file's clock, which begins again after 65,536 seconds.
#[derive(Default)]
struct Clock {
    last: i64,
    wrapped: i64,
}

impl Clock {
    fn at(&mut self, time: Time, offset: i32) -> i64 {
        let sec = i64::from(time.sec);
        if sec + WRAP / 2 < self.last {
            self.wrapped = (self.wrapped + WRAP).min(MOST_WRAPPED);
        } else if sec > self.last + WRAP / 2 {
            self.wrapped = (self.wrapped - WRAP).max(0);
        }
        self.last = sec;
        (sec + self.wrapped + i64::from(offset)) * 1_000_000_000 + i64::from(time.nsec)
    }
}

/// By the number of a record: its number among the functions of the run.
pub struct Functions([u16; IDS]);

impl Functions {
    /// All of them, in the order of [`RECORDS`].
    pub fn new() -> Self {
        let mut numbers = [0; IDS];
        for (number, record) in RECORDS.iter().enumerate() {
            if let Some(entry) = numbers.get_mut(usize::from(record.id)) {
                *entry = number as u16;
            }
        }
        Functions(numbers)
    }
}

/// Walks through the file of a rank and fills what it did.
pub fn fill(
    input: &Input<'_>,
    (about, version): (&About, Version),
    rank: u32,
    resolved: &Resolved,
    writer: RankWriter<'_>,
) -> Result<Done, ImportError> {
    let functions = Functions::new();
    let mut state = Rank {
        rank,
        resolved,
        writer,
        done: Done::default(),
        handles: Handles::new(),
        types: Types::new(&about.sizes),
        requests: HashMap::new(),
        cancelling: HashMap::new(),
        windows: HashMap::new(),
        files: HashMap::new(),
        clock: Clock::default(),
    };
    walk(input, about, version, |record, decoded, offsets, _| {
        let function = functions.0[usize::from(record.id)];
        state.record(record, decoded, offsets, function)?;
        Ok(())
    })?;
    let mut done = state.done;
    done.sends.retain(|send| send.comm != CANCELLED);
    done.receives.retain(|receive| receive.comm != CANCELLED);
    Ok(done)
}

impl Rank<'_, '_> {
    fn record(
        &mut self,
        record: &'static Record,
        decoded: &Decoded,
        offsets: Offsets,
        function: u16,
    ) -> Result<(), ImportError> {
        let start = self.clock.at(decoded.wall[0], offsets.wall);
        let end = self.clock.at(decoded.wall[1], offsets.wall).max(start);
        let mut call = Call::new(function, start, end);
        let number = self.writer.next_call();
        self.types.note(decoded);
        let int = |field: usize| decoded.int(field);
        match record.id {
            0 | 3..=5 => {
                let send = self.send(decoded, number, number, &mut call);
                self.done.sends.extend(send);
            }
            8..=11 => {
                let request = int(5) as i32;
                let send = self.send(decoded, number, NONE, &mut call);
                let begun = send.map(|send| Request::Send(push(&mut self.done.sends, send)));
                self.begin(request, begun, &mut call);
            }
            1 => {
                let mut receive = self.receive(decoded, number, number, &mut call);
                if let (Some(receive), Some(status)) = (&mut receive, decoded.statuses(5).first()) {
                    self.came(receive, status);
                    call.peer = receive.from;
                    call.bytes = i64::from(status.bytes.max(0));
                }
                self.done.receives.extend(receive);
            }
            12 => {
                let receive = self.receive(decoded, number, NONE, &mut call);
                let request = receive.map(|receive| Request::Receive(push(&mut self.done.receives, receive)));
                self.begin(int(5) as i32, request, &mut call);
            }
            26..=29 => {
                let send = self.send(decoded, NONE, NONE, &mut call);
                let send = send.map(|send| Send { mode: Mode::of(record.name), ..send });
                self.begin(int(5) as i32, send.map(|send| Request::Sends(send, None)), &mut call);
            }
            30 => {
                let receive = self.receive(decoded, NONE, NONE, &mut call);
                self.begin(int(5) as i32, receive.map(|receive| Request::Receives(receive, None)), &mut call);
            }
            31 => self.start(int(0) as i32, number, &mut call),
            32 => decoded.ints(1).iter().for_each(|&request| self.start(request, number, &mut call)),
            33 | 34 => self.both(decoded, number, &mut call),
            13..=21 | 24 => self.complete(decoded, number, &mut call),
            _ => self.other(record, decoded, number, &mut call),
        }
        self.handles.step(decoded);
        self.writer.call(call)?;
        Ok(())
    }

    fn comm(&self, handle: i64) -> u32 {
        let local: Option<Local> = self.handles.comm(handle);
        local.map_or(NO_COMM, |local| self.resolved.comm(self.rank as usize, local))
    }

    /// The world rank; none where there is no message. One that is not known is [`NONE`].
    fn world(&self, comm: u32, rank: i64) -> Option<u32> {
        if rank == PROC_NULL {
            return None;
        }
        let rank = u32::try_from(rank).ok();
        Some(rank.and_then(|rank| self.resolved.comms.world_rank(comm, rank, self.rank)).unwrap_or(NONE))
    }

    /// The send of a record that begins with count, type, receiver, tag and communicator.
    fn send(&self, record: &Decoded, number: u32, done: u32, call: &mut Call) -> Option<Send> {
        let comm = self.comm(record.int(4));
        let bytes = self.types.bytes(record.int(0), record.int(1));
        (call.comm, call.bytes) = (comm, bytes);
        let to = self.world(comm, record.int(2))?;
        call.peer = to;
        Some(Send { comm, to, tag: record.int(3) as i32, call: number, done, bytes, mode: Mode::Standard })
    }

    /// The receive of a record that begins with count, type, sender, tag and communicator.
    fn receive(&self, record: &Decoded, number: u32, done: u32, call: &mut Call) -> Option<Receive> {
        let comm = self.comm(record.int(4));
        (call.comm, call.bytes) = (comm, self.types.bytes(record.int(0), record.int(1)));
        let from = self.world(comm, record.int(2))?;
        call.peer = from;
        Some(Receive { comm, from, tag: record.int(3) as i32, call: number, done })
    }

    /// A receive turned out to be from somebody.
    fn came(&self, receive: &mut Receive, status: &Status) {
        if let Some(from) = self.world(receive.comm, status.source.into()).filter(|&from| from != NONE) {
            receive.from = from;
            if status.tag >= 0 {
                receive.tag = status.tag;
            }
        }
        if status.cancelled != 0 {
            receive.comm = CANCELLED;
        }
    }

    fn begin(&mut self, handle: i32, request: Option<Request>, call: &mut Call) {
        call.request = handle as u32;
        match request {
            Some(request) => self.requests.insert(handle, request),
            None => self.requests.remove(&handle),
        };
    }

    fn start(&mut self, handle: i32, number: u32, call: &mut Call) {
        call.request = handle as u32;
        match self.requests.get_mut(&handle) {
            Some(Request::Sends(send, active)) => {
                call.bytes = call.bytes.saturating_add(send.bytes);
                (call.peer, call.comm) = (send.to, send.comm);
                *active = Some(push(&mut self.done.sends, Send { call: number, ..*send }));
            }
            Some(Request::Receives(receive, active)) => {
                *active = Some(push(&mut self.done.receives, Receive { call: number, ..*receive }));
            }
            _ => {}
        }
    }

    /// Sends and receives in one call.
    fn both(&mut self, record: &Decoded, number: u32, call: &mut Call) {
        let int = |field: usize| record.int(field);
        let (source, tag, comm, status) = if record.id == 33 { (6, 7, 8, 9) } else { (4, 5, 6, 7) };
        let comm = self.comm(int(comm));
        let bytes = self.types.bytes(int(0), int(1));
        (call.comm, call.bytes) = (comm, bytes);
        if let Some(to) = self.world(comm, int(2)) {
            call.peer = to;
            let (tag, mode) = (int(3) as i32, Mode::Standard);
            self.done.sends.push(Send { comm, to, tag, call: number, done: number, bytes, mode });
        }
        if let Some(from) = self.world(comm, int(source)) {
            let mut receive = Receive { comm, from, tag: int(tag) as i32, call: number, done: number };
            if let Some(status) = record.statuses(status).first() {
                self.came(&mut receive, status);
            }
            self.done.receives.push(receive);
        }
    }

    /// Waits, tests, frees and cancels.
    fn complete(&mut self, record: &Decoded, number: u32, call: &mut Call) {
        let (int, ints) = (|field: usize| record.int(field), |field: usize| record.ints(field));
        match record.id {
            13 => self.completed(int(0) as i32, record.statuses(1).first(), number, call),
            14 if int(1) != 0 => self.completed(int(0) as i32, record.statuses(2).first(), number, call),
            15 => {
                self.requests.remove(&(int(0) as i32));
            }
            16 => self.completed_one(ints(1), int(2), record.statuses(3).first(), number, call),
            17 if int(3) != 0 => {
                self.completed_one(ints(1), int(2), record.statuses(4).first(), number, call)
            }
            18 => self.completed_all(ints(1), record.statuses(2), number, call),
            19 if int(2) != 0 => self.completed_all(ints(1), record.statuses(3), number, call),
            20 | 21 => {
                for (nth, &index) in ints(3).iter().enumerate() {
                    self.completed_one(ints(1), index.into(), record.statuses(4).get(nth), number, call);
                }
            }
            24 => {
                self.cancelling.insert(int(0) as i32, ());
            }
            _ => {}
        }
    }

    fn completed_one(&mut self, all: &[i32], at: i64, status: Option<&Status>, number: u32, call: &mut Call) {
        let request = usize::try_from(at).ok().and_then(|at| all.get(at));
        if let Some(&request) = request {
            self.completed(request, status, number, call);
        }
    }

    fn completed_all(&mut self, all: &[i32], statuses: &[Status], number: u32, call: &mut Call) {
        for (nth, &request) in all.iter().enumerate() {
            self.completed(request, statuses.get(nth), number, call);
        }
    }

    fn completed(&mut self, handle: i32, status: Option<&Status>, number: u32, call: &mut Call) {
        if handle == NULL_REQUEST {
            return;
        }
        call.request = handle as u32;
        let was_cancelling = self.cancelling.remove(&handle).is_some();
        let is_cancelled = status.map_or(was_cancelling, |status| status.cancelled != 0);
        let active = match self.requests.get_mut(&handle) {
            None => return,
            Some(Request::Sends(_, active)) => active.take().map(Request::Send),
            Some(Request::Receives(_, active)) => active.take().map(Request::Receive),
            Some(_) => self.requests.remove(&handle),
        };
        match active {
            Some(Request::Send(at)) => {
                if let Some(send) = self.done.sends.get_mut(at) {
                    send.done = number;
                    if is_cancelled {
                        send.comm = CANCELLED;
                    }
                }
            }
            Some(Request::Receive(at)) => {
                let Some(mut receive) = self.done.receives.get(at).copied() else { return };
                receive.done = number;
                match status {
                    Some(status) => {
                        self.came(&mut receive, status);
                        let (from, bytes) = (receive.from, i64::from(status.bytes.max(0)));
                        self.writer.change(receive.call, |call| (call.peer, call.bytes) = (from, bytes));
                    }
                    None if is_cancelled => receive.comm = CANCELLED,
                    None => {}
                }
                self.done.receives[at] = receive;
            }
            _ => {}
        }
    }

    /// Collectives, access to the memory of others, files.
    fn other(&mut self, record: &'static Record, decoded: &Decoded, number: u32, call: &mut Call) {
        let int = |field: usize| decoded.int(field);
        if let Some(at) = collective(record.id) {
            let comm = self.comm(int(at.comm));
            let sum =
                |field: usize| decoded.ints(field).iter().map(|&n| i64::from(n)).fold(0, i64::saturating_add);
            call.comm = comm;
            call.bytes = match record.id {
                52 => 0,
                60 => self.types.bytes(int(0), int(1)).saturating_mul(self.resolved.comms.size(comm) as i64),
                61 => self.types.bytes(sum(1), int(3)),
                66 => self.types.bytes(sum(1), int(2)),
                155 => {
                    let parts = decoded.ints(1).iter().zip(decoded.ints(3));
                    let bytes = parts.map(|(&count, &kind)| self.types.bytes(count.into(), kind.into()));
                    bytes.fold(0, i64::saturating_add)
                }
                _ => self.types.bytes(int(at.count), int(at.count + 1)),
            };
            let root = at.root.and_then(|root| self.world(comm, int(root))).unwrap_or(NONE);
            call.peer = root;
            let kind = Collective::of(record.name).unwrap_or(Collective(u8::MAX));
            self.done.collectives.push(Joined { comm, call: number, done: number, root, kind });
            return;
        }
        match record.id {
            141..=143 => {
                call.bytes = self.types.bytes(int(0), int(1));
                let window = record.index("win").unwrap_or(0);
                call.comm = self.windows.get(&int(window)).copied().unwrap_or(NONE);
                call.peer = self.world(call.comm, int(2)).unwrap_or(NONE);
            }
            145 => {
                call.comm = self.comm(int(3));
                self.windows.insert(int(4), call.comm);
            }
            230 => {
                call.comm = self.comm(int(0));
                self.files.insert(int(4), call.comm);
            }
            231..=281 => self.file(record, decoded, call),
            _ => {
                let of = |name: &str| record.index(name);
                if let Some(at) = of("comm").or_else(|| of("oldcomm")).or_else(|| of("localcomm")) {
                    call.comm = self.comm(int(at));
                } else if let Some(at) = of("win") {
                    call.comm = self.windows.get(&int(at)).copied().unwrap_or(NONE);
                }
            }
        }
    }

    fn file(&self, record: &'static Record, decoded: &Decoded, call: &mut Call) {
        if let Some(at) = record.index("file") {
            call.comm = self.files.get(&decoded.int(at)).copied().unwrap_or(NONE);
        }
        if let (Some(count), Some(kind)) = (record.index("count"), record.index("datatype")) {
            call.bytes = self.types.bytes(decoded.int(count), decoded.int(kind));
        }
        if let Some(at) = record.index("request") {
            call.request = decoded.int(at) as u32;
        }
    }
}

/// Where the fields of a collective stand.
struct At {
    comm: usize,
    /// How many this rank gives (or gets, of a scatter); the type follows.
    count: usize,
    root: Option<usize>,
}

fn collective(id: u16) -> Option<At> {
    let at = |count, comm, root| Some(At { comm, count, root });
    match id {
        52 => at(0, 0, None),
        53 => at(0, 3, Some(2)),
        54 => at(1, 4, Some(3)),
        55 => at(2, 5, Some(4)),
        56 => at(1, 4, Some(3)),
        57 => at(3, 6, Some(5)),
        58 => at(0, 4, None),
        59 => at(1, 6, None),
        60 => at(0, 4, None),
        61 => at(1, 7, None),
        62 => at(0, 4, Some(3)),
        65 => at(0, 3, None),
        66 => at(1, 4, None),
        67 => at(0, 3, None),
        155 => at(1, 7, None),
        156 => at(0, 3, None),
        _ => None,
    }
}

/// Adds something; returns its number.
fn push<T>(list: &mut Vec<T>, value: T) -> usize {
    list.push(value);
    list.len() - 1
}
