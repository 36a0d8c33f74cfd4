//! Walking through a file of events, from its beginning or from any event whose position is known. Damage ends the walk
//! with an error; it never reads outside of the file.

use crate::header::{CHUNK_BYTES, ChunkHeader, FILE_MAGIC, FileHeader, HEADER_BYTES, MAX_COUNTERS, VERSION};
use crate::kind::EventKind;

const CHUNK_WORDS: usize = CHUNK_BYTES / 8;

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// Where its head stands, in words of the file.
    pub position: usize,
    /// When, in ticks from the base.
    pub ticks: u64,
    /// What.
    pub kind: EventKind,
    /// The words of its kind.
    pub payload: &'a [u64],
}

impl Event<'_> {
    /// The first payload word, 0 when there is none.
    #[inline]
    pub fn word(&self) -> u64 {
        self.payload.first().copied().unwrap_or(0)
    }
}

/// Why a file is not one of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// It was never begun: its thread was stopped before it could write anything.
    Empty,
    /// It begins with something else.
    NotEvents,
    /// A newer or older recorder wrote it.
    Version(u32),
    /// A field has no possible value; its name.
    Field(&'static str),
}

impl std::fmt::Display for HeaderError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            HeaderError::Empty => write!(f, "nothing was written to it"),
            HeaderError::NotEvents => write!(f, "it is not a file of events"),
            HeaderError::Version(found) => {
                write!(f, "it was written by a recorder of version {found}, this is version {VERSION}")
            }
            HeaderError::Field(name) => write!(f, "its header is damaged ({name})"),
        }
    }
}

impl std::error::Error for HeaderError {}

/// A word that is no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamError {
    /// Where it stands, in words of the file.
    pub position: usize,
}

impl std::fmt::Display for StreamError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "byte {} is not the beginning of an event", self.position * 8)
    }
}

impl std::error::Error for StreamError {}

/// The events of one thread.
#[derive(Clone, Copy, Debug)]
pub struct Events<'a> {
    words: &'a [u64],
    /// What the header says.
    pub header: &'a FileHeader,
    counters: usize,
    /// Where the next head is looked for; 0 at the end.
    position: usize,
    /// Full chunks behind the window.
    archived: usize,
    /// No event of the window stands here or later; its begin when it is stale.
    window_end: usize,
    /// The event in the journal comes after the last one.
    journal: bool,
}

/// Where the window begins, in words of the file.
const WINDOW: usize = HEADER_BYTES / 8;
/// Where the first full chunk begins.
const ARCHIVE: usize = WINDOW + CHUNK_WORDS;

/// The kind and payload words of an event by the last byte of its head; none where that depends on the file.
const PLAIN: [Option<(EventKind, u8)>; 256] = {
    let mut plain = [None; 256];
    let mut at = 0;
    while at < EventKind::ALL.len() {
        let kind = EventKind::ALL[at];
        if !matches!(kind, EventKind::Count) {
            plain[kind as usize] = Some((kind, kind.payload(0) as u8));
        }
        at += 1;
    }
    plain
};

impl<'a> Events<'a> {
    /// The words of the whole file, as far as it goes.
    pub fn new(words: &'a [u64]) -> Result<Self, HeaderError> {
        let header = FileHeader::from_words(words).ok_or(HeaderError::Empty)?;
        match header.magic {
            0 => return Err(HeaderError::Empty),
            FILE_MAGIC => {}
            _ => return Err(HeaderError::NotEvents),
        }
        if header.version != VERSION {
            return Err(HeaderError::Version(header.version));
        }
        if header.counters as usize > MAX_COUNTERS {
            return Err(HeaderError::Field("counters"));
        }
        if header.chunk_bytes as usize != CHUNK_BYTES {
            return Err(HeaderError::Field("chunk_bytes"));
        }
        let whole = words.len().saturating_sub(ARCHIVE).div_ceil(CHUNK_WORDS) as u64;
        let archived = header.archived.min(whole) as usize;
        let number = words.get(WINDOW).copied().unwrap_or(0);
        let is_live = number > header.archived;
        let journal = is_live && header.journal[1] != 0;
        let window_end = match (is_live, journal) {
            (false, _) => WINDOW,
            (true, false) => words.len().min(ARCHIVE),
            (true, true) => words.len().min(ARCHIVE).min(header.journal[0] as usize),
        };
        let counters = header.counters as usize;
        let mut events = Events { words, header, counters, position: 0, archived, window_end, journal };
        events.position = events.chunk_after(None);
        Ok(events)
    }

    /// Where the events of the chunk begin that comes after the one that begins there; 0 when it was the last. First come
    /// the full ones, then the window.
    fn chunk_after(&self, chunk: Option<usize>) -> usize {
        let next = match chunk {
            None => ARCHIVE,
            Some(WINDOW) => return 0,
            Some(chunk) => chunk + CHUNK_WORDS,
        };
        if next < ARCHIVE + self.archived * CHUNK_WORDS {
            return next + ChunkHeader::WORDS;
        }
        if self.window_end > WINDOW { WINDOW + ChunkHeader::WORDS } else { 0 }
    }

    /// All words.
    pub fn words(&self) -> &'a [u64] {
        self.words
    }

    /// The headers of the chunks, with where their events begin, in order.
    pub fn chunks(&self) -> impl Iterator<Item = (usize, ChunkHeader)> + use<'a> {
        let events = *self;
        let mut next = events.chunk_after(None);
        std::iter::from_fn(move || {
            let at = next;
            let chunk = at.checked_sub(ChunkHeader::WORDS)?;
            next = events.chunk_after(Some(chunk));
            Some((at, ChunkHeader::from_words(events.words.get(chunk..)?)?))
        })
    }

    /// The same file, to be walked from an event on.
    #[inline]
    pub fn from(&self, position: usize) -> Self {
        // Behind the journal's event there is nothing.
        Events { position, journal: self.journal && position != 0, ..*self }
    }

    /// A number for a position that grows along the stream: the window stands first in the file and comes last.
    #[inline]
    pub fn rank(position: usize) -> usize {
        match position {
            0 => usize::MAX,
            window if window < ARCHIVE => window + usize::MAX / 2,
            full => full,
        }
    }

    /// Where the next event is looked for.
    #[inline]
    pub fn position(&self) -> usize {
        self.position
    }

    /// The event whose head stands there.
    #[inline]
    fn read(&self, position: usize, limit: usize) -> Result<Event<'a>, StreamError> {
        let error = StreamError { position };
        let head = *self.words.get(position).ok_or(error)?;
        let kind = EventKind::from_number(head as u8).ok_or(error)?;
        let first = position + 1;
        let last = first + kind.payload(self.counters);
        let payload = self.words.get(first..last).filter(|_| last <= limit).ok_or(error)?;
        Ok(Event { position, ticks: head >> 8, kind, payload })
    }

    /// The event whose head stands there, when all of it lies plainly in a full chunk: that is nearly every one.
    #[inline(always)]
    fn plain(&self, position: usize) -> Option<Event<'a>> {
        let head = *self.words.get(position)?;
        let (kind, words) = PLAIN[usize::from(head as u8)]?;
        let words = usize::from(words);
        let in_chunk = position.wrapping_sub(WINDOW) % CHUNK_WORDS;
        // One comparison for both ends: what is in the header of its chunk comes out large.
        let is_inside = in_chunk.wrapping_sub(ChunkHeader::WORDS) < CHUNK_WORDS - ChunkHeader::WORDS - words;
        if position < ARCHIVE || !is_inside {
            return None;
        }
        let payload = self.words.get(position + 1..position + 1 + words)?;
        Some(Event { position, ticks: head >> 8, kind, payload })
    }

    /// The next event, or the end.
    #[inline(always)]
    pub fn step(&mut self) -> Result<Option<Event<'a>>, StreamError> {
        match self.plain(self.position) {
            Some(event) => {
                self.position += 1 + event.payload.len();
                Ok(Some(event))
            }
            None => self.step_over(),
        }
    }

    /// The event that is found from a position on, and where the next is looked for. None at the end, and where the file is
    /// damaged.
    #[inline(always)]
    pub fn at(&self, position: usize) -> Option<(Event<'a>, usize)> {
        match self.plain(position) {
            Some(event) => Some((event, position + 1 + event.payload.len())),
            None => {
                let mut events = self.from(position);
                let event = events.step_over().ok().flatten()?;
                Some((event, events.position))
            }
        }
    }

    /// The next event, over the borders of chunks.
    #[inline(never)]
    fn step_over(&mut self) -> Result<Option<Event<'a>>, StreamError> {
        loop {
            if self.position <= WINDOW {
                return self.last();
            }
            let in_chunk = (self.position - WINDOW) % CHUNK_WORDS;
            let chunk = self.position - in_chunk;
            let end = if chunk == WINDOW { self.window_end } else { chunk + CHUNK_WORDS };
            let head = self.words.get(self.position).copied().unwrap_or(0);
            if in_chunk < ChunkHeader::WORDS || self.position >= end || head == 0 {
                // An event that ends with its chunk leaves the position at the begin of the one behind it.
                let chunk = if in_chunk == 0 { chunk - CHUNK_WORDS } else { chunk };
                self.position = self.chunk_after(Some(chunk));
                continue;
            }
            let event = self.read(self.position, end)?;
            self.position += 1 + event.payload.len();
            return Ok(Some(event));
        }
    }

    #[cold]
    fn last(&mut self) -> Result<Option<Event<'a>>, StreamError> {
        if !std::mem::take(&mut self.journal) {
            return Ok(None);
        }
        // Behind it there is nothing.
        self.position = 0;
        let at = FileHeader::JOURNAL_AT + 1;
        self.read(at, at + self.header.journal.len() - 1).map(Some)
    }
}
