//! The events of a location, from bytes to what they say.

use super::bytes::{Bytes, Wrong};
use super::chunks::{END_OF_CHUNK, END_OF_FILE, Next};

/// A send or receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointToPoint {
    /// The other rank, in the communicator.
    pub peer: u32,
    /// The communicator, by the location's own number.
    pub comm: u32,
    /// The tag.
    pub tag: u32,
    /// The size.
    pub bytes: u64,
    /// The request; 0 where there is none.
    pub request: u64,
}

/// A rank's part in a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collective {
    /// Which.
    pub op: u8,
    /// The communicator, by the location's own number.
    pub comm: u32,
    /// The root, in the communicator.
    pub root: u32,
    /// Bytes that it sent.
    pub sent: u64,
    /// Bytes that it received.
    pub received: u64,
    /// The request; 0 where there is none.
    pub request: u64,
}

/// A task: what tells it from others. What every thread begins with is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Task {
    /// Its number, or the thread that created it.
    pub first: u64,
    /// Which one of that thread.
    pub second: u64,
}

/// An event that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A region is entered.
    Enter(u32),
    /// A region is left.
    Leave(u32),
    /// A calling context is entered.
    ContextEnter(u32),
    /// A calling context is left.
    ContextLeave(u32),
    /// The program was interrupted in a calling context.
    Sample(u32),
    /// The thread goes on with another task.
    Switch(Task),
    /// Sends, at once.
    Send(PointToPoint),
    /// Begins to send.
    Isend(PointToPoint),
    /// A send was completed.
    Sent(u64),
    /// A receive was posted.
    Posted(u64),
    /// Received, at once.
    Receive(PointToPoint),
    /// A receive was completed.
    Received(PointToPoint),
    /// A request was cancelled.
    Cancelled(u64),
    /// Took part in a collective.
    Collective(Collective),
    /// Began to take part in a collective.
    Joining(u64),
    /// Took part in a collective that was begun before.
    Joined(Collective),
    /// Reached into the memory of another rank.
    OneSided {
        /// The window, by the location's own number.
        window: u32,
        /// The other rank.
        peer: u32,
        /// Bytes that were moved.
        bytes: u64,
    },
    /// Read or wrote a file.
    File(u64),
    /// What was recorded is written to disk, until a time as it is stored.
    Flush(u64),
    /// Recording is switched on, or off.
    Recording(bool),
    /// Something else, by its code.
    Other(u8),
}

/// Reads the records of a chunk; `each` gets the time, as it is stored, and the event.
#[inline]
pub fn records(
    bytes: &mut Bytes<'_>,
    time: &mut u64,
    mut each: impl FnMut(u64, Event),
) -> Result<Next, Wrong> {
    loop {
        let at = bytes.at();
        let event = match bytes.u8()? {
            END_OF_CHUNK => return Ok(Next::Chunk),
            END_OF_FILE => return Ok(Next::Nothing),
            5 => {
                *time = bytes.u64()?;
                continue;
            }
            6 => {
                bytes.body()?;
                continue;
            }
            12 => Event::Enter(bytes.short()?),
            13 => Event::Leave(bytes.short()?),
            16 => Event::Sent(bytes.long()?),
            17 => Event::Posted(bytes.long()?),
            21 => Event::Cancelled(bytes.long()?),
            29 => Event::Switch(Task { first: bytes.long()?, second: 0 }),
            code @ (20 | 24 | 28 | 30) => {
                bytes.long()?;
                Event::Other(code)
            }
            code @ (0..=9) => return Err(Wrong { at, what: format!("{code} is no event") }),
            code => {
                let mut body = bytes.body()?;
                let named = |wrong: Wrong| Wrong { at, what: format!("{}: {}", name(code), wrong.what) };
                with_length(code, &mut body).map_err(named)?
            }
        };
        each(*time, event);
    }
}

#[inline]
fn with_length(code: u8, body: &mut Bytes<'_>) -> Result<Event, Wrong> {
    Ok(match code {
        10 => Event::Flush(body.u64()?),
        11 => Event::Recording(body.u8()? == 1),
        14 => Event::Send(point_to_point(body, false)?),
        15 => Event::Isend(point_to_point(body, true)?),
        18 => Event::Receive(point_to_point(body, false)?),
        19 => Event::Received(point_to_point(body, true)?),
        23 => Event::Collective(collective(body, false)?),
        60 => {
            let (_team, thread, generation) = (body.short()?, body.short()?, body.short()?);
            // The first generation is what every thread begins with.
            let second = u64::from(generation);
            Event::Switch(Task { first: if second == 0 { 0 } else { u64::from(thread) }, second })
        }
        66 => Event::ContextEnter(body.short()?),
        67 => Event::ContextLeave(body.short()?),
        68 => Event::Sample(body.short()?),
        85 => Event::Joining(body.long()?),
        86 => Event::Joined(collective(body, true)?),
        46 | 47 => Event::OneSided { window: body.short()?, peer: body.short()?, bytes: body.long()? },
        48 => {
            let (window, peer, _kind) = (body.short()?, body.short()?, body.u8()?);
            let (sent, received) = (body.long()?, body.long()?);
            Event::OneSided { window, peer, bytes: sent.saturating_add(received) }
        }
        78 => {
            let _handle = body.short()?;
            Event::File(body.long()?)
        }
        code => Event::Other(code),
    })
}

fn point_to_point(body: &mut Bytes<'_>, begun: bool) -> Result<PointToPoint, Wrong> {
    let (peer, comm, tag, bytes) = (body.short()?, body.short()?, body.short()?, body.long()?);
    Ok(PointToPoint { peer, comm, tag, bytes, request: if begun { body.long()? } else { 0 } })
}

fn collective(body: &mut Bytes<'_>, begun: bool) -> Result<Collective, Wrong> {
    let (op, comm, root) = (body.u8()?, body.short()?, body.short()?);
    let (sent, received) = (body.long()?, body.long()?);
    Ok(Collective { op, comm, root, sent, received, request: if begun { body.long()? } else { 0 } })
}

/// Events by their codes, from 10 on.
const NAMES: [&str; 79] = [
    "BufferFlush",
    "MeasurementOnOff",
    "Enter",
    "Leave",
    "MpiSend",
    "MpiIsend",
    "MpiIsendComplete",
    "MpiIrecvRequest",
    "MpiRecv",
    "MpiIrecv",
    "MpiRequestTest",
    "MpiRequestCancelled",
    "MpiCollectiveBegin",
    "MpiCollectiveEnd",
    "OmpFork",
    "OmpJoin",
    "OmpAcquireLock",
    "OmpReleaseLock",
    "OmpTaskCreate",
    "OmpTaskSwitch",
    "OmpTaskComplete",
    "Metric",
    "ParameterString",
    "ParameterInt",
    "ParameterUnsignedInt",
    "RmaWinCreate",
    "RmaWinDestroy",
    "RmaCollectiveBegin",
    "RmaCollectiveEnd",
    "RmaGroupSync",
    "RmaRequestLock",
    "RmaAcquireLock",
    "RmaTryLock",
    "RmaReleaseLock",
    "RmaSync",
    "RmaWaitChange",
    "RmaPut",
    "RmaGet",
    "RmaAtomic",
    "RmaOpCompleteBlocking",
    "RmaOpCompleteNonBlocking",
    "RmaOpTest",
    "RmaOpCompleteRemote",
    "ThreadFork",
    "ThreadJoin",
    "ThreadTeamBegin",
    "ThreadTeamEnd",
    "ThreadAcquireLock",
    "ThreadReleaseLock",
    "ThreadTaskCreate",
    "ThreadTaskSwitch",
    "ThreadTaskComplete",
    "ThreadCreate",
    "ThreadBegin",
    "ThreadWait",
    "ThreadEnd",
    "CallingContextEnter",
    "CallingContextLeave",
    "CallingContextSample",
    "IoCreateHandle",
    "IoDestroyHandle",
    "IoDuplicateHandle",
    "IoSeek",
    "IoChangeStatusFlags",
    "IoDeleteFile",
    "IoOperationBegin",
    "IoOperationTest",
    "IoOperationIssued",
    "IoOperationComplete",
    "IoOperationCancelled",
    "IoAcquireLock",
    "IoReleaseLock",
    "IoTryLock",
    "ProgramBegin",
    "ProgramEnd",
    "NonBlockingCollectiveRequest",
    "NonBlockingCollectiveComplete",
    "CommCreate",
    "CommDestroy",
];

/// The name of an event.
pub fn name(code: u8) -> &'static str {
    code.checked_sub(10)
        .and_then(|at| NAMES.get(usize::from(at)))
        .copied()
        .unwrap_or("events that are not known")
}
