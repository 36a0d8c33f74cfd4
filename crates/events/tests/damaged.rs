//! Files of events that no recorder wrote. Walking through them ends, whatever the words are, and never leaves the file.

use crosscut_chance::Chance;
use crosscut_events::{
    CHUNK_BYTES, ClockKind, ENTRY, EventKind, Events, FILE_MAGIC, FileHeader, Folded, HEADER_BYTES,
    HeaderError, MAX_COUNTERS, StreamError, TaskId, VERSION, WaitKind, code_of, tag_of, with_tag,
};

const FIRST: usize = HEADER_BYTES / 8;
const CHUNK: usize = CHUNK_BYTES / 8;
/// Where the first full chunk begins: behind the window.
const FULL: usize = FIRST + CHUNK;
const ARCHIVED: usize = std::mem::offset_of!(FileHeader, archived) / 8;

/// A file with a full chunk of three events, and two events in the window, which stands before it.
fn whole() -> Vec<u64> {
    let mut words = vec![0; FIRST + 2 * CHUNK];
    words[0] = FILE_MAGIC;
    words[1] = u64::from(VERSION) | (ClockKind::Monotonic as u64) << 32;
    words[5] = CHUNK_BYTES as u64;
    words[ARCHIVED] = 1;
    let window = [2, 0, 0, 2, (4 << 8) | EventKind::WaitEnd as u64, (5 << 8) | EventKind::EndTo as u64, 1];
    words[FIRST..][..window.len()].copy_from_slice(&window);
    let events: [(u64, EventKind, &[u64]); 3] = [
        (1, EventKind::Root, &[7]),
        (2, EventKind::Create, &[with_tag(9, 1), TaskId::new(0, 2).0]),
        (3, EventKind::Begin, &[TaskId::new(0, 2).0]),
    ];
    let mut at = FULL;
    words[at..at + 4].copy_from_slice(&[1, 0, 0, 0]);
    at += 4;
    for (ticks, kind, payload) in events {
        words[at] = ticks << 8 | kind as u64;
        words[at + 1..][..payload.len()].copy_from_slice(payload);
        at += 1 + payload.len();
    }
    words
}

/// All events from a point on; they are in order, within the file, and no more than it has words.
fn walk(words: &[u64], mut events: Events<'_>) -> (Vec<EventKind>, Option<StreamError>) {
    let mut kinds = Vec::new();
    let mut last = (0, 0);
    loop {
        match events.step() {
            Ok(Some(event)) => {
                // Full chunks, then the window, then the journal in the header.
                let place = match event.position {
                    full if full >= FULL => (0, full),
                    window if window >= FIRST => (1, window),
                    journal => (2, journal),
                };
                assert!(place > last, "{place:?} after {last:?}");
                last = place;
                assert!(event.position + event.payload.len() < words.len());
                kinds.push(event.kind);
                assert!(kinds.len() <= words.len());
            }
            Ok(None) => {
                assert_eq!(events.step(), Ok(None), "an end is an end");
                return (kinds, None);
            }
            Err(error) => {
                assert!(error.position <= words.len());
                return (kinds, Some(error));
            }
        }
    }
}

fn kinds(words: &[u64]) -> (Vec<EventKind>, Option<StreamError>) {
    walk(words, Events::new(words).unwrap())
}

const ALL: [EventKind; 5] =
    [EventKind::Root, EventKind::Create, EventKind::Begin, EventKind::WaitEnd, EventKind::EndTo];

#[test]
fn an_undamaged_file() {
    let words = whole();
    assert_eq!(kinds(&words), (ALL.to_vec(), None));
    let events = Events::new(&words).unwrap();
    let chunks: Vec<_> = events.chunks().map(|(at, chunk)| (at, chunk.number)).collect();
    assert_eq!(chunks, [(FULL + 4, 1), (FIRST + 4, 2)]);
    assert_eq!(walk(&words, events.from(FIRST + 4)).0, ALL[3..]);
    assert_eq!(walk(&words, events.from(0)).0, []);
}

#[test]
fn a_window_that_was_written_and_not_emptied() {
    // Killed in between: the window's chunk is behind it already, and counts once.
    let mut words = whole();
    let window = words[FIRST..FULL].to_vec();
    words.extend(window);
    assert_eq!(kinds(&words), (ALL.to_vec(), None), "not counted yet");
    words[ARCHIVED] = 2;
    assert_eq!(kinds(&words), (ALL.to_vec(), None), "counted");
    // The next chunk has begun.
    words[FIRST..FULL].fill(0);
    assert_eq!(kinds(&words), (ALL.to_vec(), None), "emptied");
    words[FIRST] = 3;
    words[FIRST + 4] = (9 << 8) | EventKind::LaneEnd as u64;
    assert_eq!(kinds(&words).0.last(), Some(&EventKind::LaneEnd));
    // More is counted than is there.
    for archived in [3, 7, 1 << 40, u64::MAX] {
        words[ARCHIVED] = archived;
        let (found, error) = kinds(&words);
        assert!(ALL.starts_with(&found) && error.is_none(), "{archived}: {found:?}");
    }
}

#[test]
fn cut_off_anywhere() {
    let words = whole();
    let ends = [0, 1, 6, 25, FIRST - 1, FIRST, FULL - 1];
    for length in ends.into_iter().chain(FIRST..FIRST + 16).chain(FULL..FULL + 16) {
        match Events::new(&words[..length]) {
            Ok(events) => {
                let (found, error) = walk(&words[..length], events);
                let mut all = ALL.iter();
                assert!(found.iter().all(|kind| all.any(|one| one == kind)), "cut at {length}: {found:?}");
                // A cut within an event is told.
                assert!(error.is_none_or(|error| error.position < length), "cut at {length}");
            }
            Err(error) => {
                assert_eq!(error, HeaderError::Empty);
                assert!(length < size_of::<FileHeader>() / 8);
            }
        }
    }
}

#[test]
fn headers() {
    let with = |at: usize, value: u64| {
        let mut words = whole();
        words[at] = value;
        Events::new(&words).map(|events| events.header.thread)
    };
    assert_eq!(with(0, 0), Err(HeaderError::Empty));
    assert_eq!(with(0, 1), Err(HeaderError::NotEvents));
    assert_eq!(with(0, FILE_MAGIC.swap_bytes()), Err(HeaderError::NotEvents));
    assert_eq!(with(1, u64::from(VERSION + 1)), Err(HeaderError::Version(VERSION + 1)));
    assert_eq!(with(5, CHUNK_BYTES as u64 + 8), Err(HeaderError::Field("chunk_bytes")));
    assert_eq!(with(5, 0), Err(HeaderError::Field("chunk_bytes")));
    for counters in [MAX_COUNTERS as u64 + 1, u64::from(u32::MAX)] {
        assert_eq!(with(5, CHUNK_BYTES as u64 | counters << 32), Err(HeaderError::Field("counters")));
    }
    assert_eq!(with(2, u64::MAX), Ok(u32::MAX));
    // Names of counters that are not even text.
    let mut words = whole();
    words[5] |= (MAX_COUNTERS as u64) << 32;
    words[6..18].fill(u64::MAX);
    assert_eq!(Events::new(&words).unwrap().header.counter_names().len(), MAX_COUNTERS);
}

#[test]
fn an_event_does_not_reach_into_the_next_chunk() {
    // Each chunk is full of small events up to its last word, where a larger one begins.
    for (chunk, used, others) in [(FULL, 4 + 2 + 3 + 2, 3 + 2), (FIRST, 4 + 1 + 2, 3 + 2)] {
        let mut words = whole();
        let last = chunk + CHUNK - 1;
        words[chunk + used..=last].fill((6 << 8) | EventKind::WaitEnd as u64);
        let (found, error) = kinds(&words);
        assert_eq!((found.len(), error), (others + CHUNK - used, None));
        for kind in EventKind::ALL.into_iter().filter(|kind| kind.payload(0) > 0) {
            words[last] = (6 << 8) | kind as u64;
            let (_, error) = kinds(&words);
            assert_eq!(error, Some(StreamError { position: last }), "{kind:?}");
        }
    }
}

#[test]
fn journals_anywhere() {
    let near = (0..FIRST + 24).chain(FULL - 2..FULL + 12).map(|at| at as u64);
    for at in near.chain([1 << 40, u64::MAX]) {
        for head in (1..=21).chain([255, u64::MAX, !0xff]) {
            let mut words = whole();
            words[FileHeader::JOURNAL_AT] = at;
            words[FileHeader::JOURNAL_AT + 1] = head;
            let (found, error) = kinds(&words);
            // What the journal replaces begins at an event; anywhere else it cuts one in two, and that is told.
            if error.is_none()
                && let Some((last, before)) = found.split_last()
            {
                assert!(ALL.starts_with(before), "{at} {head}: {found:?}");
                // In front of the window there is nothing to replace.
                assert!(
                    at <= FIRST as u64 || EventKind::from_number(head as u8) == Some(*last),
                    "{at} {head}"
                );
            }
        }
    }
}

#[test]
fn walks_from_anywhere() {
    let words = whole();
    let events = Events::new(&words).unwrap();
    // As far as a point of `crosscut-close` can lie.
    for position in (0..FIRST + 40).chain(FULL - 8..FULL + 40).chain([words.len(), words.len() + 1, 1 << 36])
    {
        walk(&words, events.from(position));
    }
}

#[test]
fn random_words() {
    let mut chance = Chance::new(1);
    let mut next = || chance.any();
    let base = whole();
    let mut damaged = 0;
    for _ in 0..5_000 {
        let mut words = base.clone();
        for _ in 0..1 + next() % 6 {
            let from = [6, FIRST, FULL][next() as usize % 3];
            let at = from + next() as usize % 64;
            words[at] = match next() % 5 {
                0 => next(),
                1 => next() % 22,
                2 => u64::MAX,
                3 => (next() << 8) | (next() % 22),
                _ => words[next() as usize % 64 + FULL],
            };
        }
        let cut = if next() % 4 == 0 { next() as usize % words.len() } else { words.len() };
        let Ok(events) = Events::new(&words[..cut]) else { continue };
        damaged += usize::from(walk(&words[..cut], events).1.is_some());
        let from = next() as usize % (cut + 10);
        walk(&words[..cut], events.from(from));
        assert!(events.chunks().count() <= 2);
        let _ = events.header.counter_names();
    }
    assert!(damaged > 100);
}

#[test]
fn numbers_that_mean_nothing() {
    assert_eq!((0..=255).filter_map(EventKind::from_number).collect::<Vec<_>>(), EventKind::ALL);
    assert_eq!((0..=u16::MAX).filter_map(WaitKind::from_number).count(), 6);
    assert_eq!(Folded::from_words(&[0; Folded::WORDS - 1]), None);
    assert_eq!(Folded::from_words(&[0; Folded::WORDS + 1]), None);
    let mut words = [0; Folded::WORDS];
    words.iter_mut().zip(1..).for_each(|(word, value)| *word = value);
    assert_eq!(Folded::from_words(&words).unwrap().words(), words);
    // A number too large for its place does not change the thread.
    let id = TaskId::new(3, u64::MAX);
    assert_eq!((id.thread(), id.count()), (3, (1 << 40) - 1));
    assert_eq!((code_of(with_tag(u64::MAX, 5)), tag_of(with_tag(u64::MAX, 5))), (((1 << 48) - 1) | ENTRY, 5));
}
