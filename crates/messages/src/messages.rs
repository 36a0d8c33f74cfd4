//! The messages of an open run. Columns are mapped and read like slices; all of the same kind have the same length, which is checked when
//! they are opened.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt8Type};
use crosscut_run::{Column, Ids, Run};

use crate::communicators::{Comm, Comms};
use crate::error::MessagesError;
use crate::schema::{Class, Function, Mode, NO_CALLS, Summary};

/// The messages of a run.
#[derive(Debug)]
pub struct Messages {
    run: Arc<Run>,
    summary: Summary,
    comms: Comms,
    functions: Vec<Function>,
    /// World ranks of senders.
    pub source: Ids,
    /// World ranks of receivers.
    pub destination: Ids,
    /// Sizes.
    pub bytes: Column<i64>,
    /// Tags.
    pub tag: Column<u32>,
    /// Communicators.
    pub comm: Column<u32>,
    /// When the send was begun; messages are in this order.
    pub send_start: Column<i64>,
    /// When the call that completed the send was left.
    pub send_end: Column<i64>,
    /// When the receive was posted.
    pub receive_start: Column<i64>,
    /// When the call that completed the receive was left.
    pub receive_end: Column<i64>,
    /// The call that began the send.
    pub send_call: Column<u32>,
    /// The call that completed the send.
    pub send_done: Column<u32>,
    /// The call that posted the receive.
    pub receive_call: Column<u32>,
    /// The call that completed the receive.
    pub receive_done: Column<u32>,
    /// How sends behave; all as MPI likes where it is not there.
    modes: Option<Column<u8>>,
    /// The calls of all ranks.
    pub calls: Calls,
    /// The collectives.
    pub collectives: Collectives,
    /// By rank: its place in the run; ranks are places where there is none.
    places: Option<Ids>,
}

/// The calls of all ranks, rank by rank.
#[derive(Debug)]
pub struct Calls {
    /// Where the calls of each rank begin, and where the last one's end.
    pub first: Column<i64>,
    /// Functions.
    pub function: Column<u16>,
    /// When they were entered.
    pub start: Column<i64>,
    /// When they were left.
    pub end: Column<i64>,
    /// What they moved.
    pub bytes: Column<i64>,
    /// The other rank, or the root.
    pub peer: Ids,
    /// The communicator.
    pub comm: Ids,
    /// The request.
    pub request: Column<u32>,
    /// Source lines, by their ids in the run's sources; none where nothing recorded them.
    pub lines: Option<Ids>,
    /// The functions of [`NO_CALLS`], where there are such.
    no_calls: Vec<u16>,
}

/// The collectives of a run.
#[derive(Debug)]
pub struct Collectives {
    /// [`crate::Collective`].
    pub kind: Column<u8>,
    /// Communicators; their members took part.
    pub comm: Column<u32>,
    /// World rank of the root.
    pub root: Column<u32>,
    /// Bytes of all calls.
    pub bytes: Column<i64>,
    /// When the first rank entered.
    pub start: Column<i64>,
    /// When the last rank left.
    pub end: Column<i64>,
    /// Where the calls of each begin, and where the last one's end.
    pub first: Column<i64>,
    /// Calls, in the order of the communicator's ranks; [`crate::NONE`] where a rank did not take part.
    pub call: Column<u32>,
    /// The calls that completed them, where some of them were begun only.
    pub done: Option<Column<u32>>,
}

impl Messages {
    /// Whether a run has messages.
    pub fn is_in(run: &Run) -> bool {
        run.has("messages/source")
    }

    /// Opens the messages of a run.
    pub fn open(run: Arc<Run>) -> Result<Self, MessagesError> {
        let summary = run.manifest().facts.get("messages").cloned().unwrap_or_default();
        let summary: Summary = serde_json::from_value(summary)
            .map_err(|e| MessagesError::Broken(format!("its totals are not readable: {e}")))?;
        let functions = read_functions(&run)?;
        let is_none = |function: &Function| NO_CALLS.contains(&function.name.as_str());
        let no_calls = (0u16..).zip(&functions).filter(|(_, function)| is_none(function));
        let no_calls = no_calls.map(|(number, _)| number).collect();
        let messages = Messages {
            summary,
            comms: read_comms(&run)?,
            functions,
            source: run.ids("messages/source")?,
            destination: run.ids("messages/destination")?,
            bytes: run.column("messages/bytes")?,
            tag: run.column("messages/tag")?,
            comm: run.column("messages/comm")?,
            send_start: run.column("messages/send_start")?,
            send_end: run.column("messages/send_end")?,
            receive_start: run.column("messages/receive_start")?,
            receive_end: run.column("messages/receive_end")?,
            send_call: run.column("messages/send_call")?,
            send_done: run.column("messages/send_done")?,
            receive_call: run.column("messages/receive_call")?,
            receive_done: run.column("messages/receive_done")?,
            modes: match run.has("messages/send_mode") {
                true => Some(run.column("messages/send_mode")?),
                false => None,
            },
            calls: Calls::open(&run, no_calls)?,
            collectives: Collectives::open(&run)?,
            places: optional(&run, "messages/rank_place")?,
            run,
        };
        messages.check()?;
        Ok(messages)
    }

    /// Refuses columns that do not fit together, or that name ranks and calls which are not there.
    fn check(&self) -> Result<(), MessagesError> {
        let n = self.len();
        let long = [&self.bytes, &self.send_start, &self.send_end, &self.receive_start, &self.receive_end];
        let short = [&self.send_call, &self.send_done, &self.receive_call, &self.receive_done];
        let calls = self.calls.start.len() as u32;
        let fits = self.source.len() == n
            && self.destination.len() == n
            && long.iter().all(|column| column.len() == n)
            && [&self.tag, &self.comm].iter().all(|column| column.len() == n)
            && self.modes.as_ref().is_none_or(|modes| modes.len() == n)
            && short.iter().all(|column| column.len() == n && column.iter().all(|&call| call < calls));
        let ranks = self.summary.ranks;
        let known = (0..n).all(|row| self.source.at(row) < ranks && self.destination.at(row) < ranks);
        let c = &self.calls;
        let whole = is_borders(&c.first, ranks as usize, c.start.len()) && c.is_even();
        let placed = self.places.as_ref().is_none_or(|places| places.len() == ranks as usize);
        let g = &self.collectives;
        let grouped = is_borders(&g.first, g.kind.len(), g.call.len()) && g.is_even();
        match fits && known && whole && placed && grouped {
            true => Ok(()),
            false => Err(MessagesError::Broken("its columns do not fit together".into())),
        }
    }

    /// Number of messages.
    pub fn len(&self) -> usize {
        self.send_start.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How the send of a message behaves.
    pub fn mode(&self, row: usize) -> Mode {
        let mode = self.modes.as_ref().and_then(|modes| modes.get(row));
        mode.map_or(Mode::Standard, |&mode| Mode::from_number(mode))
    }

    /// Totals.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The run.
    pub fn run(&self) -> &Arc<Run> {
        &self.run
    }

    /// The place of a rank in the run: of the first thread of its process.
    pub fn place(&self, rank: u32) -> u32 {
        match &self.places {
            Some(places) if (rank as usize) < places.len() => places.at(rank as usize),
            _ => rank,
        }
    }

    /// From when to when a rank was there: from its first call to the end of its last one, or of the run if it ended as it should.
    /// None of a rank without calls.
    pub fn presence(&self, rank: u32) -> Option<(i64, i64)> {
        let calls = &self.calls;
        let of = calls.of(rank);
        let last = of.clone().next_back()?;
        let function = self.functions.get(usize::from(calls.function[last]));
        let end = match function.is_some_and(|function| function.name == "MPI_Finalize") {
            true => self.summary.elapsed,
            false => of.clone().map(|call| calls.end[call]).max()?,
        };
        let start = of.map(|call| calls.start[call]).min()?;
        Some((start, end.max(start)))
    }

    /// How long a rank was there, and how much of that outside of calls. None of a rank without calls.
    pub fn worked(&self, rank: u32) -> Option<(i64, i64)> {
        let (from, to) = self.presence(rank)?;
        let there = to.saturating_sub(from);
        Some((there, there.saturating_sub(self.calls.inside(rank)).max(0)))
    }

    /// Communicators.
    pub fn comms(&self) -> &Comms {
        &self.comms
    }

    /// Functions, by the number that calls have.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }
}

/// Whether these are ascending borders of so many parts, from 0 to the end.
fn is_borders(first: &[i64], parts: usize, end: usize) -> bool {
    first.len() == parts + 1 && first[0] == 0 && first[parts] == end as i64 && first.is_sorted()
}

impl Calls {
    fn open(run: &Run, no_calls: Vec<u16>) -> Result<Self, MessagesError> {
        Ok(Calls {
            no_calls,
            first: run.column("messages/call_first")?,
            function: run.column("messages/call_function")?,
            start: run.column("messages/call_start")?,
            end: run.column("messages/call_end")?,
            bytes: run.column("messages/call_bytes")?,
            peer: run.ids("messages/call_peer")?,
            comm: run.ids("messages/call_comm")?,
            request: run.column("messages/call_request")?,
            lines: optional(run, "messages/call_source")?,
        })
    }

    fn is_even(&self) -> bool {
        let n = self.start.len();
        [self.function.len(), self.end.len(), self.bytes.len(), self.peer.len()].iter().all(|&len| len == n)
            && self.comm.len() == n
            && self.request.len() == n
            && self.lines.as_ref().is_none_or(|lines| lines.len() == n)
    }

    /// The source line of a call, by its id in the run's sources; [`crate::NONE`] where it is not known.
    pub fn source(&self, call: usize) -> u32 {
        self.lines.as_ref().map_or(crate::NONE, |lines| lines.at(call))
    }

    /// Whether this is no call of the program: what a rank does then is neither work nor any of MPI.
    pub fn is_none(&self, call: usize) -> bool {
        !self.no_calls.is_empty()
            && self.function.get(call).is_some_and(|function| self.no_calls.contains(function))
    }

    /// The call of MPI before another one, of a rank whose first call is `first`.
    pub fn before(&self, call: usize, first: usize) -> Option<usize> {
        (first..call).rev().find(|&at| !self.is_none(at))
    }

    /// How long a rank worked since the call before: without the time in which it was not traced.
    pub fn work_before(&self, call: usize, first: usize) -> i64 {
        let Some(before) = self.before(call, first).filter(|_| !self.is_none(call)) else { return 0 };
        let (from, to) = (self.end[before], self.start[call]);
        let outside = |at: usize| self.end[at].min(to).saturating_sub(self.start[at].max(from)).max(0);
        let outside = (before + 1..call).map(outside).fold(0, i64::saturating_add);
        to.saturating_sub(from).saturating_sub(outside).max(0)
    }

    /// The time of a rank inside of calls; those inside of others count once.
    pub fn inside(&self, rank: u32) -> i64 {
        let mut done = i64::MIN;
        let mut sum = 0i64;
        for call in self.of(rank) {
            sum = sum.saturating_add(self.end[call].saturating_sub(self.start[call].max(done)).max(0));
            done = done.max(self.end[call]);
        }
        sum
    }

    /// The calls of a rank; none where there is no such rank.
    pub fn of(&self, rank: u32) -> std::ops::Range<usize> {
        match (self.first.get(rank as usize), self.first.get(rank as usize + 1)) {
            (Some(&from), Some(&to)) => from as usize..to as usize,
            _ => 0..0,
        }
    }

    /// The rank of a call.
    pub fn rank(&self, call: u32) -> u32 {
        (self.first.partition_point(|&first| first <= i64::from(call)).saturating_sub(1)) as u32
    }
}

impl Collectives {
    fn open(run: &Run) -> Result<Self, MessagesError> {
        Ok(Collectives {
            kind: run.column("messages/collective_kind")?,
            comm: run.column("messages/collective_comm")?,
            root: run.column("messages/collective_root")?,
            bytes: run.column("messages/collective_bytes")?,
            start: run.column("messages/collective_start")?,
            end: run.column("messages/collective_end")?,
            first: run.column("messages/collective_first")?,
            call: run.column("messages/collective_call")?,
            done: match run.has("messages/collective_done") {
                true => Some(run.column("messages/collective_done")?),
                false => None,
            },
        })
    }

    fn is_even(&self) -> bool {
        let n = self.kind.len();
        let done = self.done.as_ref().is_none_or(|done| done.len() == self.call.len());
        let long = [self.bytes.len(), self.start.len(), self.end.len()];
        done && long.iter().all(|&len| len == n) && self.comm.len() == n && self.root.len() == n
    }

    /// The calls of one, in the order of the communicator's ranks.
    pub fn calls(&self, number: usize) -> &[u32] {
        match (self.first.get(number), self.first.get(number + 1)) {
            (Some(&from), Some(&to)) => self.call.get(from as usize..to as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    /// The calls that completed one, in the same order: the same, or waits for what was begun.
    pub fn done(&self, number: usize) -> &[u32] {
        match (&self.done, self.first.get(number), self.first.get(number + 1)) {
            (None, ..) => self.calls(number),
            (Some(done), Some(&from), Some(&to)) => done.get(from as usize..to as usize).unwrap_or_default(),
            _ => &[],
        }
    }
}

/// A column that not every run has.
fn optional(run: &Run, name: &str) -> Result<Option<Ids>, MessagesError> {
    Ok(if run.has(name) { Some(run.ids(name)?) } else { None })
}

fn not_a_table(name: &str) -> MessagesError {
    MessagesError::Broken(format!("messages/{name} is not such a table"))
}

fn read_comms(run: &Run) -> Result<Comms, MessagesError> {
    let table = run.table("messages/comms")?;
    let read = || -> Option<Vec<(String, i64, i64, u8)>> {
        let names = table.column_by_name("name")?.as_string_opt::<i32>()?;
        let parents = table.column_by_name("parent")?.as_primitive_opt::<Int64Type>()?.values();
        let sides = table.column_by_name("side")?.as_primitive_opt::<Int64Type>()?.values();
        let outside = table.column_by_name("outside")?.as_primitive_opt::<UInt8Type>()?.values();
        let row = |i: usize| (names.value(i).to_owned(), parents[i], sides[i], outside[i]);
        Some((0..table.num_rows()).map(row).collect())
    };
    let rows = read().ok_or_else(|| not_a_table("comms"))?;
    let (first, members) = (run.column::<i64>("messages/comm_first")?, run.ids("messages/comm_member")?);
    if !is_borders(&first, rows.len(), members.len()) {
        return Err(not_a_table("comms"));
    }
    let comm = |(number, (name, parent, side, outside)): (usize, (String, i64, i64, u8))| {
        let all: Vec<u32> = (first[number]..first[number + 1]).map(|at| members.at(at as usize)).collect();
        let side = usize::try_from(side).unwrap_or(0).min(all.len());
        let (members, others) = all.split_at(side);
        Comm {
            name,
            parent: u32::try_from(parent).ok(),
            members: members.to_vec(),
            others: others.to_vec(),
            dims: Vec::new(),
            outside: outside != 0,
        }
    };
    Ok(Comms { list: rows.into_iter().enumerate().map(comm).collect() })
}

fn read_functions(run: &Run) -> Result<Vec<Function>, MessagesError> {
    let table = run.table("messages/functions")?;
    let read = || -> Option<Vec<Function>> {
        let names = table.column_by_name("name")?.as_string_opt::<i32>()?;
        let classes = table.column_by_name("class")?.as_primitive_opt::<UInt8Type>()?.values();
        let row =
            |i: usize| Function { name: names.value(i).to_owned(), class: Class::from_number(classes[i]) };
        Some((0..table.num_rows()).map(row).collect())
    };
    read().ok_or_else(|| not_a_table("functions"))
}
