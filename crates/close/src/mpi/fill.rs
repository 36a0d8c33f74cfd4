//! The second walk through the events of a rank: its calls go into the run, its sends, receives and collectives are kept to be
//! matched.

use std::collections::VecDeque;

use crosscut_events::mpi::{ANY, CANCELLED, FUNCTIONS, Function, NOBODY, ROOT, Shape, peer_of};
use crosscut_events::{Event, EventKind, code_of, tag_of};
use crosscut_messages::communicators::NO_COMM;
use crosscut_messages::{
    Call, Collective, Done, Joined, MessagesError, Mode, NONE, RankWriter, Receive, Send,
};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::comms::Known;
use super::walk::walk;
use crate::build::Recorded;
use crate::error::CloseError;

/// A send or receive that was cancelled: it is taken out in the end.
const TAKEN_OUT: u32 = u32::MAX - 1;

/// What a request stands for.
#[derive(Clone, Copy, Debug, Default)]
struct Request {
    /// The rank's own number for it.
    number: u32,
    /// What it sends and receives each time it is begun; prepared requests stay when they are done.
    prepared: Option<(Option<Send>, Option<Receive>, Option<Joined>)>,
    /// What is under way, by its number among the sends, the receives and the collectives.
    send: Option<usize>,
    receive: Option<usize>,
    joined: Option<usize>,
}

/// A call that has not returned.
#[derive(Clone, Copy, Debug)]
struct Open {
    number: u32,
    shape: Shape,
    /// Made by it: a send and a receive whose request is not known yet.
    made: Request,
    /// A handle that it was given, such as a message that was taken.
    taken: Option<u64>,
}

/// A rank on its way.
struct Filling<'a, 'w> {
    process: &'a Recorded<'a>,
    rank: u32,
    known: &'a Known,
    sources: &'a HashMap<u64, u32>,
    writer: RankWriter<'w>,
    done: Done,
    /// What handles stand for now.
    comms: HashMap<u64, u32>,
    /// Windows and files, by the communicator that they were opened on.
    opened: HashMap<u64, u32>,
    /// A handle may be used again before the thread that waited for it says so.
    requests: HashMap<u64, VecDeque<Request>>,
    cancelling: HashSet<u64>,
    /// Messages that a probe took: communicator, sender, tag.
    taken: HashMap<u64, (u32, u32, i32)>,
    /// Communicators that were told of so far.
    told: usize,
    numbered: u32,
    /// By thread.
    open: Vec<Option<Open>>,
    last: i64,
    failed: Option<MessagesError>,
}

/// Fills what a rank did.
pub fn fill(
    process: &Recorded<'_>,
    rank: u32,
    known: &Known,
    sources: &HashMap<u64, u32>,
    writer: RankWriter<'_>,
) -> Result<Done, CloseError> {
    let mut filling = Filling {
        process,
        rank,
        known,
        sources,
        writer,
        done: Done::default(),
        comms: HashMap::new(),
        opened: HashMap::new(),
        requests: HashMap::new(),
        cancelling: HashSet::new(),
        taken: HashMap::new(),
        told: 0,
        numbered: 0,
        open: vec![None; process.threads.len()],
        last: 0,
        failed: None,
    };
    walk(&process.threads, |thread, event| filling.event(thread, event));
    filling.finish()
}

impl Filling<'_, '_> {
    fn finish(mut self) -> Result<Done, CloseError> {
        // Calls that never returned, as in a process that was killed, end with it.
        let last = self.last;
        for open in self.open.iter().flatten() {
            self.writer.change(open.number, |call| call.end = last.max(call.start));
            // It was not over, so it says nothing of when others were there.
            self.done.collectives.retain(|joined| joined.call != open.number);
        }
        if let Some(error) = self.failed {
            return Err(error.into());
        }
        self.done.sends.retain(|send| send.comm != TAKEN_OUT);
        self.done.receives.retain(|receive| receive.comm != TAKEN_OUT);
        Ok(self.done)
    }

    fn event(&mut self, thread: usize, event: &Event<'_>) {
        let now = self.process.clock.time(event.ticks);
        self.last = self.last.max(now);
        match (event.kind, event.payload) {
            (EventKind::MpiCall, &[word]) => {
                self.begin(thread, word, now, None);
            }
            (EventKind::MpiCallOn, &[word, on, peer, bytes]) => {
                self.begin(thread, word, now, Some((on, peer, bytes.min(i64::MAX as u64) as i64)));
            }
            (EventKind::MpiReturn, _) => {
                if let Some(open) = self.open.get_mut(thread).and_then(Option::take) {
                    self.writer.change(open.number, |call| call.end = now.max(call.start));
                }
            }
            (EventKind::MpiHandle, &[handle]) => self.handle(thread, handle),
            (EventKind::MpiDone, &[handle, peer, bytes]) => self.completed(thread, handle, peer, bytes),
            (EventKind::MpiFrom, &[peer]) => self.also_from(thread, peer),
            (EventKind::MpiComm, &[handle, _]) => {
                let told = self.known.of_rank.get(self.rank as usize).and_then(|own| own.get(self.told));
                self.comms.insert(handle, told.copied().unwrap_or(NO_COMM));
                self.told += 1;
            }
            (EventKind::MpiPolled, &[word, _, end]) => {
                let end = self.process.clock.time(end).max(now);
                self.last = self.last.max(end);
                let call = self.new_call(word, now, end);
                self.put(call);
            }
            _ => {}
        }
    }

    fn new_call(&self, word: u64, start: i64, end: i64) -> Call {
        let source = self.sources.get(&code_of(word)).copied().unwrap_or(NONE);
        // A function that nobody knows is of a damaged file.
        let function = tag_of(word).min(FUNCTIONS.len() as u16 - 1);
        Call { source, ..Call::new(function, start, end) }
    }

    fn put(&mut self, call: Call) -> u32 {
        match self.writer.call(call) {
            Ok(number) => number,
            Err(error) => {
                self.failed.get_or_insert(error);
                NONE
            }
        }
    }

    fn comm(&self, handle: u64) -> u32 {
        self.comms.get(&handle).copied().unwrap_or(NO_COMM)
    }

    /// The rank of the world; none where there is no message. One that is not known is [`NONE`].
    fn world(&self, comm: u32, rank: u32) -> Option<u32> {
        match rank {
            NOBODY => None,
            ROOT => Some(self.rank),
            rank => Some(self.known.comms.world_rank(comm, rank, self.rank).unwrap_or(NONE)),
        }
    }

    /// A call begins, perhaps on something: its handle, the other rank and the tag, bytes.
    fn begin(&mut self, thread: usize, word: u64, now: i64, on: Option<(u64, u64, i64)>) {
        let mut call = self.new_call(word, now, now);
        let number = self.writer.next_call();
        let function = &FUNCTIONS[usize::from(call.function)];
        let mut made = Request::default();
        if let Some((handle, peer, bytes)) = on {
            let (rank, tag) = peer_of(peer);
            call.comm = match function.shape {
                Shape::Reach { .. } | Shape::File { .. } => {
                    self.opened.get(&handle).copied().unwrap_or(NO_COMM)
                }
                _ => self.comm(handle),
            };
            let other = self.world(call.comm, rank);
            (call.bytes, call.peer) = (bytes, other.unwrap_or(NONE));
            self.message(function, number, &call, (other, rank, tag), &mut made);
            self.collective(function.shape, function.plain_name(), number, &call, &mut made);
        }
        self.put(call);
        if let Some(open) = self.open.get_mut(thread) {
            *open = Some(Open { number, shape: function.shape, made, taken: None });
        }
    }

    /// The send or the receive of a call.
    fn message(
        &mut self,
        function: &Function,
        number: u32,
        call: &Call,
        (other, rank, tag): (Option<u32>, u32, i32),
        made: &mut Request,
    ) {
        let Some(other) = other else { return };
        let (comm, bytes) = (call.comm, call.bytes);
        let send = Send {
            comm,
            to: other,
            tag,
            call: number,
            done: NONE,
            bytes,
            mode: Mode::of(function.plain_name()),
        };
        // Whom it comes from and with which tag is told when it is there.
        let tag = if rank == ANY { -1 } else { tag };
        let receive = Receive { comm, from: other, tag, call: number, done: NONE };
        match function.shape {
            Shape::Send | Shape::Both { .. } => self.done.sends.push(Send { done: number, ..send }),
            Shape::BeginSend | Shape::BeginBoth { .. } => {
                made.send = Some(push(&mut self.done.sends, send));
            }
            Shape::PrepareSend => made.prepared = Some((Some(send), None, None)),
            Shape::Receive | Shape::BeginReceive => {
                made.receive = Some(push(&mut self.done.receives, receive))
            }
            Shape::PrepareReceive => made.prepared = Some((None, Some(receive), None)),
            _ => {}
        }
    }

    /// The part of a call in a collective.
    fn collective(&mut self, shape: Shape, name: &str, number: u32, call: &Call, made: &mut Request) {
        let is_prepared = match shape {
            Shape::Collective { .. } | Shape::BeginCollective { .. } => false,
            Shape::PrepareCollective { .. } => true,
            _ => return,
        };
        let Some(kind) = Collective::of(name.strip_suffix("_init").unwrap_or(name)) else { return };
        let done = if matches!(shape, Shape::Collective { .. }) { number } else { NONE };
        let joined = Joined { comm: call.comm, call: number, done, root: call.peer, kind };
        match is_prepared {
            true => made.prepared = Some((None, None, Some(joined))),
            false => made.joined = Some(push(&mut self.done.collectives, joined)),
        }
    }

    /// The receive of a call that sends, too.
    fn also_from(&mut self, thread: usize, peer: u64) {
        let Some(mut open) = self.open.get(thread).copied().flatten() else { return };
        let (rank, tag) = peer_of(peer);
        let mut comm = NO_COMM;
        self.writer.change(open.number, |call| comm = call.comm);
        let Some(from) = self.world(comm, rank) else { return };
        let tag = if rank == ANY { -1 } else { tag };
        let receive = Receive { comm, from, tag, call: open.number, done: NONE };
        open.made.receive = Some(push(&mut self.done.receives, receive));
        self.open[thread] = Some(open);
    }

    /// The call tells a handle: of what it made, of what it begins, frees or cancels.
    fn handle(&mut self, thread: usize, handle: u64) {
        let Some(open) = self.open.get(thread).copied().flatten() else { return };
        match open.shape {
            Shape::Open { .. } => {
                let mut comm = NO_COMM;
                self.writer.change(open.number, |call| comm = call.comm);
                self.opened.insert(handle, comm);
            }
            Shape::Start | Shape::StartAll => self.start(handle, open.number),
            Shape::Cancel => {
                self.cancelling.insert(handle);
            }
            Shape::Free => self.forget(handle),
            Shape::Drop => {
                let comm = self.comms.remove(&handle).unwrap_or(NO_COMM);
                self.writer.change(open.number, |call| call.comm = comm);
            }
            Shape::ReceiveTaken => self.receive_taken(thread, open, handle),
            Shape::BeginReceiveTaken if open.taken.is_none() => self.receive_taken(thread, open, handle),
            _ => {
                self.numbered = self.numbered.saturating_add(1);
                let number = self.numbered;
                self.requests.entry(handle).or_default().push_back(Request { number, ..open.made });
                self.writer.change(open.number, |call| call.request = number);
            }
        }
    }

    /// A message that a probe took is received.
    fn receive_taken(&mut self, thread: usize, mut open: Open, message: u64) {
        open.taken = Some(message);
        if let Some((comm, from, tag)) = self.taken.remove(&message) {
            let receive = Receive { comm, from, tag, call: open.number, done: NONE };
            open.made.receive = Some(push(&mut self.done.receives, receive));
            self.writer.change(open.number, |call| (call.comm, call.peer) = (comm, from));
        }
        self.open[thread] = Some(open);
    }

    /// A prepared request is begun.
    fn start(&mut self, handle: u64, number: u32) {
        let Some(request) = self.requests.get_mut(&handle).and_then(VecDeque::front_mut) else { return };
        let Some((send, receive, joined)) = request.prepared else { return };
        let own = request.number;
        if let Some(send) = send {
            request.send = Some(push(&mut self.done.sends, Send { call: number, ..send }));
            self.writer.change(number, |call| {
                call.bytes = call.bytes.saturating_add(send.bytes);
                (call.peer, call.comm) = (send.to, send.comm);
            });
        }
        if let Some(receive) = receive {
            request.receive = Some(push(&mut self.done.receives, Receive { call: number, ..receive }));
        }
        if let Some(joined) = joined {
            request.joined = Some(push(&mut self.done.collectives, Joined { call: number, ..joined }));
            self.writer.change(number, |call| (call.comm, call.peer) = (joined.comm, joined.root));
        }
        self.writer.change(number, |call| call.request = own);
    }

    /// Takes a request that is done, or what is under way of a prepared one.
    fn pop(&mut self, handle: u64) -> Option<Request> {
        let request = self.requests.get_mut(&handle)?.front_mut()?;
        let taken = *request;
        match request.prepared {
            Some(_) => (request.send, request.receive, request.joined) = (None, None, None),
            None => self.forget(handle),
        }
        Some(taken)
    }

    /// A handle stands for nothing any more, or for what was made of it again.
    fn forget(&mut self, handle: u64) {
        if let Some(queue) = self.requests.get_mut(&handle) {
            queue.pop_front();
            if queue.is_empty() {
                self.requests.remove(&handle);
            }
        }
    }

    /// Something is done: a request, or what the call itself received.
    fn completed(&mut self, thread: usize, handle: u64, peer: u64, bytes: u64) {
        let Some(open) = self.open.get(thread).copied().flatten() else { return };
        let is_cancelled = bytes & CANCELLED != 0;
        let bytes = (bytes & !CANCELLED).min(i64::MAX as u64) as i64;
        if let Shape::TakeProbe | Shape::TryTakeProbe = open.shape {
            let mut comm = NO_COMM;
            self.writer.change(open.number, |call| comm = call.comm);
            let (rank, tag) = peer_of(peer);
            if let Some(from) = self.world(comm, rank) {
                self.taken.insert(handle, (comm, from, tag));
            }
            return;
        }
        if handle == 0 {
            return self.came(open.made.receive, open.number, peer, bytes, is_cancelled);
        }
        let asked = self.cancelling.remove(&handle);
        let Some(request) = self.pop(handle) else { return };
        self.writer.change(open.number, |call| call.request = request.number);
        if let Some(send) = request.send.and_then(|at| self.done.sends.get_mut(at)) {
            send.done = open.number;
            if asked && is_cancelled {
                send.comm = TAKEN_OUT;
            }
        }
        if let Some(joined) = request.joined.and_then(|at| self.done.collectives.get_mut(at)) {
            joined.done = open.number;
        }
        self.came(request.receive, open.number, peer, bytes, asked && is_cancelled);
    }

    /// A receive is done: from whom, and how much.
    fn came(&mut self, receive: Option<usize>, done: u32, peer: u64, bytes: i64, is_cancelled: bool) {
        let Some(mut receive_now) = receive.and_then(|at| self.done.receives.get(at)).copied() else {
            return;
        };
        let (rank, tag) = peer_of(peer);
        receive_now.done = done;
        if let Some(from) = self.world(receive_now.comm, rank).filter(|&from| from != NONE) {
            (receive_now.from, receive_now.tag) = (from, tag);
        }
        if is_cancelled {
            receive_now.comm = TAKEN_OUT;
        }
        let (from, call) = (receive_now.from, receive_now.call);
        self.writer.change(call, |call| {
            // What also sends tells of what it sent.
            let function = FUNCTIONS.get(usize::from(call.function)).map(|function| function.shape);
            if !matches!(function, Some(Shape::Both { .. } | Shape::BeginBoth { .. } | Shape::StartAll)) {
                (call.peer, call.bytes) = (from, bytes);
            }
        });
        if let Some(receive) = receive.and_then(|at| self.done.receives.get_mut(at)) {
            *receive = receive_now;
        }
    }
}

/// Adds something; returns its number.
fn push<T>(list: &mut Vec<T>, value: T) -> usize {
    list.push(value);
    list.len() - 1
}
