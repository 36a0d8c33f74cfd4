//! The events of a process that tell of MPI, by time: of one thread as they stand, of several as they happened.

use crosscut_events::{Event, Events};

/// Calls with every event that tells of MPI, and the number of its thread. Where a file is damaged its events end.
pub fn walk<'a>(threads: &[Events<'a>], mut take: impl FnMut(usize, &Event<'a>)) {
    let mut streams: Vec<Events<'a>> = threads.to_vec();
    let mut heads: Vec<Option<Event<'a>>> = streams.iter_mut().map(next).collect();
    loop {
        let first = heads.iter().enumerate().filter_map(|(at, head)| Some((head.as_ref()?.ticks, at))).min();
        let Some((_, at)) = first else { return };
        if let Some(event) = heads[at].take() {
            take(at, &event);
        }
        heads[at] = next(&mut streams[at]);
    }
}

fn next<'a>(stream: &mut Events<'a>) -> Option<Event<'a>> {
    loop {
        let event = stream.step().ok().flatten()?;
        if event.kind.is_mpi() {
            return Some(event);
        }
    }
}
