//! Making the messages part of a run. Ranks are filled in parallel, each its own calls; then sends and receives are matched, clocks
//! corrected and everything written.
//!
//! The number of calls of each rank is known before (readers walk through their files twice), so calls go straight into their
//! columns. What stays in memory until the end is 28 bytes for each send, 20 for each receive, 8 for each message and 20 for
//! each call of a collective.

use crosscut_run::{ColumnMut, RunWriter};

use crate::communicators::Comms;
use crate::error::MessagesError;
use crate::finish;
use crate::schema::{Call, Collective, Function, Mode, NONE};

/// A send, in the order of its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send {
    /// The communicator.
    pub comm: u32,
    /// The receiver, a world rank; [`NONE`] where it is not known.
    pub to: u32,
    /// The tag.
    pub tag: i32,
    /// The call that began it.
    pub call: u32,
    /// The call that completed it; [`NONE`] when nothing did.
    pub done: u32,
    /// Its size.
    pub bytes: i64,
    /// How it was prepared to behave; where it was not prepared, the function that began it says so.
    pub mode: Mode,
}

/// A receive, in the order in which they were posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receive {
    /// The communicator.
    pub comm: u32,
    /// The sender, a world rank; [`NONE`] where it is not known.
    pub from: u32,
    /// The tag; negative where it is not known.
    pub tag: i32,
    /// The call that posted it.
    pub call: u32,
    /// The call that completed it; [`NONE`] when nothing did.
    pub done: u32,
}

/// A rank's part in a collective, in the order of its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The communicator.
    pub comm: u32,
    /// The call, or the one that began it.
    pub call: u32,
    /// The call that completed it: the same, or the wait for what was begun; [`NONE`] when nothing did.
    pub done: u32,
    /// The root, a world rank; [`NONE`].
    pub root: u32,
    /// Which.
    pub kind: Collective,
}

/// What is known of a run as a whole when all ranks are filled.
#[derive(Clone, Debug, Default)]
pub struct Whole {
    /// All communicators.
    pub comms: Comms,
    /// All functions, by the number that calls have.
    pub functions: Vec<Function>,
    /// By rank: which clock it has; all different when empty.
    pub clocks: Vec<u32>,
    /// By rank: its place, where the run has its places and its clock from elsewhere. When empty, ranks are the places of the
    /// run, and the first call begins at 0.
    pub places: Vec<u32>,
    /// What is to be known of this run.
    pub notes: Vec<String>,
}

/// The columns of all calls.
#[derive(Debug)]
pub(crate) struct Calls {
    pub function: ColumnMut<u16>,
    pub start: ColumnMut<i64>,
    pub end: ColumnMut<i64>,
    pub bytes: ColumnMut<i64>,
    pub peer: ColumnMut<u32>,
    pub comm: ColumnMut<u32>,
    pub request: ColumnMut<u32>,
    /// Where it is known which line calls.
    pub source: Option<ColumnMut<u32>>,
}

/// What a rank did, beside its calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Its sends.
    pub sends: Vec<Send>,
    /// Its receives.
    pub receives: Vec<Receive>,
    /// Its parts in collectives.
    pub collectives: Vec<Joined>,
}

/// The messages part of a run, in the making.
#[derive(Debug)]
pub struct Builder {
    pub(crate) calls: Calls,
    /// Where the calls of each rank begin, and where the last one's end.
    pub(crate) first: Vec<usize>,
}

impl Builder {
    /// Makes room for so many calls of each rank.
    pub fn new(run: &RunWriter, calls: &[usize]) -> Result<Self, MessagesError> {
        let mut first = vec![0usize];
        let mut sum = 0usize;
        for &count in calls {
            sum = sum.saturating_add(count);
            first.push(sum);
        }
        if sum >= NONE as usize {
            let why = format!("{sum} calls; a run holds fewer than {NONE}");
            return Err(MessagesError::Broken(why));
        }
        let calls = Calls {
            function: run.column("messages/call_function", sum)?,
            start: run.column("messages/call_start", sum)?,
            end: run.column("messages/call_end", sum)?,
            bytes: run.column("messages/call_bytes", sum)?,
            peer: run.column("messages/call_peer", sum)?,
            comm: run.column("messages/call_comm", sum)?,
            request: run.column("messages/call_request", sum)?,
            source: None,
        };
        Ok(Builder { calls, first })
    }

    /// Keeps which line each call comes from.
    pub fn with_sources(mut self, run: &RunWriter) -> Result<Self, MessagesError> {
        self.calls.source = Some(run.column("messages/call_source", self.calls.start.len())?);
        Ok(self)
    }

    /// A writer for each rank; they may be filled at the same time.
    pub fn ranks(&mut self) -> Vec<RankWriter<'_>> {
        let calls = &mut self.calls;
        let (mut function, mut start, mut end) =
            (&mut calls.function[..], &mut calls.start[..], &mut calls.end[..]);
        let (mut bytes, mut peer) = (&mut calls.bytes[..], &mut calls.peer[..]);
        let (mut comm, mut request) = (&mut calls.comm[..], &mut calls.request[..]);
        let mut source = calls.source.as_mut().map(|source| &mut source[..]);
        let mut writers = Vec::with_capacity(self.first.len() - 1);
        for border in self.first.windows(2) {
            let count = border[1] - border[0];
            writers.push(RankWriter {
                base: border[0],
                next: 0,
                function: take(&mut function, count),
                start: take(&mut start, count),
                end: take(&mut end, count),
                bytes: take(&mut bytes, count),
                peer: take(&mut peer, count),
                comm: take(&mut comm, count),
                request: take(&mut request, count),
                source: source.as_mut().map(|source| take(source, count)),
            });
        }
        writers
    }

    /// Matches, corrects and writes everything; `done` has an entry for each rank. Says why it may not be all of one run, if so.
    pub fn finish(
        self,
        run: &mut RunWriter,
        done: Vec<Done>,
        whole: Whole,
    ) -> Result<Option<String>, MessagesError> {
        finish::finish(self, run, done, whole)
    }
}

fn take<'a, T>(rest: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (taken, left) = std::mem::take(rest).split_at_mut(count);
    *rest = left;
    taken
}

/// The calls of one rank, in the making.
#[derive(Debug)]
pub struct RankWriter<'a> {
    base: usize,
    next: usize,
    function: &'a mut [u16],
    start: &'a mut [i64],
    end: &'a mut [i64],
    bytes: &'a mut [i64],
    peer: &'a mut [u32],
    comm: &'a mut [u32],
    request: &'a mut [u32],
    source: Option<&'a mut [u32]>,
}

impl RankWriter<'_> {
    /// Adds a call; returns its number within the run. More calls than there is room for are an error.
    pub fn call(&mut self, call: Call) -> Result<u32, MessagesError> {
        let at = self.next;
        if at >= self.function.len() {
            return Err(MessagesError::Broken("a rank has more calls than were counted".into()));
        }
        self.next += 1;
        self.set(at, call);
        Ok((self.base + at) as u32)
    }

    /// The number that the next call will have.
    pub fn next_call(&self) -> u32 {
        (self.base + self.next) as u32
    }

    /// Changes a call that was added before; a number that is not one of this rank changes nothing.
    pub fn change(&mut self, number: u32, change: impl FnOnce(&mut Call)) {
        let Some(at) = (number as usize).checked_sub(self.base).filter(|&at| at < self.next) else { return };
        let mut call = Call {
            function: self.function[at],
            start: self.start[at],
            end: self.end[at],
            bytes: self.bytes[at],
            peer: self.peer[at],
            comm: self.comm[at],
            request: self.request[at],
            source: self.source.as_ref().map_or(NONE, |source| source[at]),
        };
        change(&mut call);
        self.set(at, call);
    }

    fn set(&mut self, at: usize, call: Call) {
        self.function[at] = call.function;
        self.start[at] = call.start;
        self.end[at] = call.end;
        self.bytes[at] = call.bytes;
        self.peer[at] = call.peer;
        self.comm[at] = call.comm;
        self.request[at] = call.request;
        if let Some(source) = &mut self.source {
            source[at] = call.source;
        }
    }

    /// How many calls there is room for.
    pub fn room(&self) -> usize {
        self.function.len() - self.next
    }
}
