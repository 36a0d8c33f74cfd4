//! What the events of a location mean: calls of MPI, sends, receives, collectives. It is walked through twice: first calls are counted, then
//! they are written.

use crosscut_messages::{
    Call, Collective as Kind, Done, Joined, MessagesError, Mode, NONE, RankWriter, Receive, Send,
};
use foldhash::{HashMap, HashMapExt};

use super::definitions::Definitions;
use super::events::{Collective, Event, PointToPoint};
use super::local::{COMM, CONTEXT, Local, REGION, WINDOW};
use super::ranks::Ranks;

/// A region that is not a call of MPI.
pub const NOT_A_CALL: u16 = u16::MAX;
/// What was cancelled, or never completed so that nothing is known of it: it is taken out in the end.
const CANCELLED: u32 = u32::MAX - 1;
/// Kinds of collectives from here on make or free things.
const MAKES: u8 = 17;

/// What all locations share.
pub struct Shared<'a> {
    /// The definitions.
    pub definitions: &'a Definitions,
    /// Ranks and communicators.
    pub ranks: &'a Ranks,
    /// By number of a region: its function in the run.
    pub functions: &'a [u16],
    /// The function of an event that is in no call.
    pub outside: u16,
}

impl Shared<'_> {
    /// The function of a region, by a location's number.
    #[inline]
    fn function(&self, local: &Local, region: u32) -> u16 {
        self.functions.get(local.global(REGION, region) as usize).copied().unwrap_or(NOT_A_CALL)
    }

    /// The function of a calling context, by a location's number: that of its region.
    fn function_of_context(&self, local: &Local, context: u32) -> u16 {
        let region = self.definitions.contexts.get(&local.global(CONTEXT, context)).map(|known| known.0);
        let function = region.and_then(|region| self.functions.get(region as usize));
        function.copied().unwrap_or(NOT_A_CALL)
    }

    /// What an event enters or leaves: true where it enters, and the function.
    #[inline]
    fn border(&self, local: &Local, event: Event) -> Option<(bool, u16)> {
        match event {
            Event::Enter(region) => Some((true, self.function(local, region))),
            Event::Leave(region) => Some((false, self.function(local, region))),
            Event::ContextEnter(context) => Some((true, self.function_of_context(local, context))),
            Event::ContextLeave(context) => Some((false, self.function_of_context(local, context))),
            _ => None,
        }
    }

    /// The function that stands for a trace being written, and the one for not being traced.
    fn no_calls(&self) -> (u16, u16) {
        (self.outside.saturating_sub(2), self.outside.saturating_sub(1))
    }

    /// Nanoseconds since the first time.
    #[inline]
    pub fn nanoseconds(&self, ticks: u64) -> i64 {
        let since = ticks.wrapping_sub(self.definitions.first) as i64;
        match self.definitions.ticks {
            1_000_000_000 => since,
            ticks => (i128::from(since) * 1_000_000_000 / i128::from(ticks)).clamp(MIN, MAX) as i64,
        }
    }
}

/// Larger times cannot be added up in 64 bits.
const MAX: i128 = 1 << 61;
const MIN: i128 = -MAX;

/// Events that were not used, by code, and what else there is to say.
#[derive(Clone, Debug)]
pub struct Unused {
    /// By code.
    pub events: [u64; 256],
    /// Events of messages that are in no call.
    pub outside: u64,
    /// All events.
    pub all: u64,
    /// How often what was recorded was written to disk, and how long that took.
    pub flushes: (u64, i64),
}

impl Default for Unused {
    fn default() -> Self {
        Unused { events: [0; 256], outside: 0, all: 0, flushes: (0, 0) }
    }
}

impl Unused {
    /// Adds those of another location.
    pub fn add(&mut self, other: &Unused) {
        self.events.iter_mut().zip(&other.events).for_each(|(sum, count)| *sum += count);
        self.outside += other.outside;
        self.all += other.all;
        self.flushes = (self.flushes.0 + other.flushes.0, self.flushes.1.saturating_add(other.flushes.1));
    }
}

/// Counts the calls of a location.
pub struct Counting<'a> {
    shared: &'a Shared<'a>,
    local: &'a Local,
    depth: usize,
    /// Recording is switched off.
    off: bool,
    /// Calls so far.
    pub calls: usize,
    /// What is not used.
    pub unused: Unused,
}

impl<'a> Counting<'a> {
    /// Of a location.
    pub fn new(shared: &'a Shared<'a>, local: &'a Local) -> Self {
        Counting { shared, local, depth: 0, off: false, calls: 0, unused: Unused::default() }
    }

    /// Counts what an event makes; the time is as it is stored.
    #[inline]
    pub fn event(&mut self, ticks: u64, event: Event) {
        self.unused.all += 1;
        if let Some((enters, function)) = self.shared.border(self.local, event) {
            match (enters, function) {
                (_, NOT_A_CALL) => {}
                (true, _) => {
                    self.depth += 1;
                    self.calls += 1;
                }
                (false, _) => self.depth = self.depth.saturating_sub(1),
            }
            return;
        }
        match event {
            Event::Flush(until) => {
                let time = |ticks: u64| self.shared.nanoseconds(self.local.time(ticks));
                let (count, took) = self.unused.flushes;
                let more = time(until).saturating_sub(time(ticks)).max(0);
                self.unused.flushes = (count + 1, took.saturating_add(more));
                self.calls += 1;
            }
            Event::Recording(on) => {
                self.calls += usize::from(!on && !self.off);
                self.off = !on;
            }
            // Of the call tree.
            Event::Sample(_) | Event::Switch(_) => {}
            // The begin of a collective says nothing that its end does not say.
            Event::Other(22) => {}
            Event::Other(code) => self.unused.events[usize::from(code)] += 1,
            _ if self.depth == 0 => {
                self.calls += 1;
                self.unused.outside += 1;
            }
            _ => {}
        }
    }
}

/// Something that was begun and has a number of its own.
#[derive(Clone, Copy, Debug)]
enum Request {
    Send(usize),
    Receive(usize),
    Collective(usize),
}

/// A location of a rank on its way.
struct Thread<'a> {
    local: &'a Local,
    open: Vec<u32>,
    requests: HashMap<u64, Request>,
    /// The call that stands for not being traced, while that is so.
    off: Option<u32>,
    last: i64,
}

/// A rank on its way.
pub struct Filling<'a, 'w> {
    shared: &'a Shared<'a>,
    rank: u32,
    writer: RankWriter<'w>,
    done: Done,
    threads: Vec<Thread<'a>>,
    /// Whose event it is.
    now: usize,
    /// What could not be written.
    failed: Option<MessagesError>,
}

impl<'a, 'w> Filling<'a, 'w> {
    /// Of a rank with its locations.
    pub fn new(shared: &'a Shared<'a>, locals: &[&'a Local], rank: u32, writer: RankWriter<'w>) -> Self {
        let thread = |&local: &&'a Local| Thread {
            local,
            open: Vec::new(),
            requests: HashMap::new(),
            off: None,
            last: 0,
        };
        let threads = locals.iter().map(thread).collect();
        Filling { shared, rank, writer, done: Done::default(), threads, now: 0, failed: None }
    }

    /// Whether an event says anything of calls.
    pub fn is_of_calls(&self, at: usize, event: Event) -> bool {
        match (self.shared.border(self.threads[at].local, event), event) {
            (Some((_, function)), _) => function != NOT_A_CALL,
            (None, Event::Sample(_) | Event::Switch(_) | Event::Other(_)) => false,
            _ => true,
        }
    }

    /// Ends calls that were never left.
    fn close(&mut self) {
        for thread in &mut self.threads {
            let last = thread.last;
            for call in thread.open.drain(..).chain(thread.off.take()) {
                self.writer.change(call, |call| call.end = last.max(call.start));
            }
        }
    }

    /// What came of it, and how many collectives were begun and not completed.
    pub fn finish(mut self) -> Result<(Done, usize), MessagesError> {
        self.close();
        if let Some(error) = self.failed {
            return Err(error);
        }
        self.done.sends.retain(|send| send.comm != CANCELLED);
        self.done.receives.retain(|receive| receive.comm != CANCELLED);
        let begun = self.done.collectives.len();
        self.done.collectives.retain(|joined| joined.comm != CANCELLED);
        let open = begun - self.done.collectives.len();
        Ok((self.done, open))
    }

    fn thread(&mut self) -> &mut Thread<'a> {
        &mut self.threads[self.now]
    }

    /// Takes an event of a location; the time is as it is stored.
    #[inline]
    pub fn event(&mut self, at: usize, ticks: u64, event: Event) {
        self.now = at;
        let local = self.threads[at].local;
        let now = self.shared.nanoseconds(local.time(ticks));
        self.threads[at].last = now;
        if let Some((enters, function)) = self.shared.border(local, event) {
            return self.border(enters, function, now);
        }
        match event {
            Event::Send(message) => {
                let call = self.inside(now);
                let send = self.send(message, call, call);
                self.done.sends.push(send);
            }
            Event::Isend(message) => {
                let call = self.inside(now);
                let send = self.send(message, call, NONE);
                self.done.sends.push(send);
                let begun = Request::Send(self.done.sends.len() - 1);
                self.thread().requests.insert(message.request, begun);
            }
            Event::Sent(request) => {
                let call = self.inside(now);
                if let Some(Request::Send(at)) = self.thread().requests.remove(&request) {
                    self.done.sends[at].done = call;
                }
            }
            Event::Posted(request) => {
                let call = self.inside(now);
                self.done.receives.push(Receive { comm: 0, from: NONE, tag: -1, call, done: NONE });
                let begun = Request::Receive(self.done.receives.len() - 1);
                self.thread().requests.insert(request, begun);
                self.writer.change(call, |call| call.request = request as u32);
            }
            Event::Receive(message) => {
                let call = self.inside(now);
                let receive = self.receive(message, call, call);
                self.done.receives.push(receive);
            }
            Event::Received(message) => self.received(message, now),
            Event::Cancelled(request) => {
                self.inside(now);
                match self.thread().requests.remove(&request) {
                    Some(Request::Send(at)) => self.done.sends[at].comm = CANCELLED,
                    Some(Request::Receive(at)) => self.done.receives[at].comm = CANCELLED,
                    _ => {}
                }
            }
            Event::Collective(part) => {
                let call = self.inside(now);
                if let Some(joined) = self.joined(part, call) {
                    self.done.collectives.push(joined);
                }
            }
            Event::Joining(request) => {
                let call = self.inside(now);
                let kind = Kind(u8::MAX);
                self.done.collectives.push(Joined { comm: CANCELLED, call, done: NONE, root: NONE, kind });
                let begun = Request::Collective(self.done.collectives.len() - 1);
                self.thread().requests.insert(request, begun);
            }
            Event::Joined(part) => {
                let call = self.inside(now);
                let begun = match self.thread().requests.remove(&part.request) {
                    Some(Request::Collective(at)) => Some(at),
                    _ => None,
                };
                let at_call = begun.map_or(call, |at| self.done.collectives[at].call);
                let joined = self.joined(part, at_call).map(|joined| Joined { done: call, ..joined });
                match (joined, begun) {
                    (Some(joined), Some(at)) => self.done.collectives[at] = joined,
                    (Some(joined), None) => self.done.collectives.push(joined),
                    (None, _) => {}
                }
            }
            Event::OneSided { window, peer, bytes } => {
                let call = self.inside(now);
                let window = local.global(WINDOW, window);
                let comm = self.shared.definitions.windows.get(&window).copied().unwrap_or(NONE);
                let (peer, comm) =
                    (self.shared.ranks.world(comm, peer, self.rank), self.shared.ranks.comm(comm));
                self.writer.change(call, |call| {
                    (call.peer, call.comm) = (peer, comm);
                    call.bytes = call.bytes.saturating_add(size(bytes));
                });
            }
            Event::File(bytes) => {
                let call = self.inside(now);
                self.writer.change(call, |call| call.bytes = call.bytes.saturating_add(size(bytes)));
            }
            Event::Flush(until) => {
                let until = self.shared.nanoseconds(local.time(until));
                self.call(Call::new(self.shared.no_calls().0, now, until.max(now)));
            }
            Event::Recording(on) => self.recording(on, now),
            _ => {}
        }
    }

    /// A function is entered or left.
    #[inline]
    fn border(&mut self, enters: bool, function: u16, now: i64) {
        if function == NOT_A_CALL {
            return;
        }
        if enters {
            let call = self.call(Call::new(function, now, now));
            self.thread().open.push(call);
        } else if let Some(call) = self.thread().open.pop() {
            self.writer.change(call, |call| call.end = now.max(call.start));
        }
    }

    /// Recording is switched on or off.
    fn recording(&mut self, on: bool, now: i64) {
        match (on, self.thread().off) {
            (false, None) => {
                let call = self.call(Call::new(self.shared.no_calls().1, now, now));
                self.thread().off = Some(call);
            }
            (true, Some(call)) => {
                self.thread().off = None;
                self.writer.change(call, |call| call.end = now.max(call.start));
            }
            _ => {}
        }
    }

    fn call(&mut self, call: Call) -> u32 {
        match self.writer.call(call) {
            Ok(number) => number,
            Err(error) => {
                self.failed.get_or_insert(error);
                NONE
            }
        }
    }

    /// The call that an event is in; one without a length where it is in none.
    fn inside(&mut self, now: i64) -> u32 {
        match self.threads[self.now].open.last() {
            Some(&call) => call,
            None => self.call(Call::new(self.shared.outside, now, now)),
        }
    }

    fn send(&mut self, message: PointToPoint, call: u32, done: u32) -> Send {
        let number = self.threads[self.now].local.global(COMM, message.comm);
        let (comm, to) =
            (self.shared.ranks.comm(number), self.shared.ranks.world(number, message.peer, self.rank));
        let bytes = size(message.bytes);
        self.writer.change(call, |call| {
            (call.comm, call.peer, call.request) = (comm, to, request_of(&message));
            call.bytes = call.bytes.saturating_add(bytes);
        });
        Send { comm, to, tag: message.tag as i32, call, done, bytes, mode: Mode::Standard }
    }

    fn receive(&mut self, message: PointToPoint, call: u32, done: u32) -> Receive {
        let number = self.threads[self.now].local.global(COMM, message.comm);
        let (comm, from) =
            (self.shared.ranks.comm(number), self.shared.ranks.world(number, message.peer, self.rank));
        let bytes = size(message.bytes);
        self.writer.change(call, |call| {
            if call.bytes == 0 {
                (call.comm, call.peer, call.bytes) = (comm, from, bytes);
            }
        });
        Receive { comm, from, tag: message.tag as i32, call, done }
    }

    fn received(&mut self, message: PointToPoint, now: i64) {
        let done = self.inside(now);
        match self.thread().requests.remove(&message.request) {
            Some(Request::Receive(at)) => {
                let posted = self.done.receives[at].call;
                self.done.receives[at] = self.receive(message, posted, done);
            }
            // Nobody saw it posted.
            _ => {
                let receive = self.receive(message, done, done);
                self.done.receives.push(receive);
            }
        }
    }

    /// A part in a collective; none of what makes or frees communicators and windows.
    fn joined(&mut self, part: Collective, call: u32) -> Option<Joined> {
        let number = self.threads[self.now].local.global(COMM, part.comm);
        let (comm, root) =
            (self.shared.ranks.comm(number), self.shared.ranks.world(number, part.root, self.rank));
        let bytes = size(if part.sent > 0 { part.sent } else { part.received });
        self.writer.change(call, |call| {
            (call.comm, call.peer) = (comm, root);
            call.bytes = call.bytes.saturating_add(bytes);
        });
        (part.op < MAKES).then_some(Joined { comm, call, done: call, root, kind: Kind(part.op) })
    }
}

fn request_of(message: &PointToPoint) -> u32 {
    if message.request == 0 { NONE } else { message.request as u32 }
}

fn size(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
