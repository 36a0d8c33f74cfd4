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
    pub header: FileHeader,
    counters: usize,
    /// Where the next head is looked for.
    position: usize,
    /// No event of a chunk stands here or later.
    end: usize,
    /// The event in the journal comes after the last one.
    journal: bool,
}

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
        let journal = header.journal[1] != 0;
        let end = if journal { words.len().min(header.journal[0] as usize) } else { words.len() };
        let counters = header.counters as usize;
        let position = HEADER_BYTES / 8;
        Ok(Events { words, header, counters, position, end, journal })
    }

    /// All words.
    pub fn words(&self) -> &'a [u64] {
        self.words
    }

    /// The headers of the chunks that were begun.
    pub fn chunks(&self) -> impl Iterator<Item = ChunkHeader> + 'a {
        let body = self.words.get(HEADER_BYTES / 8..).unwrap_or(&[]);
        body.chunks(CHUNK_WORDS).map_while(ChunkHeader::from_words).take_while(|chunk| chunk.number != 0)
    }

    /// The same file, to be walked from an event on.
    #[inline]
    pub fn from(&self, position: usize) -> Self {
        Events { position, journal: self.header.journal[1] != 0, ..*self }
    }

    /// The same file, to be walked from a chunk on, counted from 0.
    pub fn from_chunk(&self, chunk: usize) -> Self {
        self.from(HEADER_BYTES / 8 + chunk * CHUNK_WORDS)
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

    /// The next event, or the end.
    #[inline(always)]
    pub fn step(&mut self) -> Result<Option<Event<'a>>, StreamError> {
        const FIRST: usize = HEADER_BYTES / 8;
        loop {
            if self.position < FIRST {
                // The journal was the last.
                return Ok(None);
            }
            let in_chunk = (self.position - FIRST) % CHUNK_WORDS;
            if in_chunk == 0 {
                let begun = self.words.get(self.position).is_some_and(|&number| number != 0);
                if begun && self.position + ChunkHeader::WORDS <= self.end {
                    self.position += ChunkHeader::WORDS;
                    continue;
                }
                return self.last();
            }
            if self.position >= self.end {
                return self.last();
            }
            if self.words[self.position] == 0 {
                self.position += CHUNK_WORDS - in_chunk;
                continue;
            }
            let limit = self.end.min(self.position - in_chunk + CHUNK_WORDS);
            let event = self.read(self.position, limit)?;
            self.position += 1 + event.payload.len();
            return Ok(Some(event));
        }
    }

    #[cold]
    fn last(&mut self) -> Result<Option<Event<'a>>, StreamError> {
        self.position = 0;
        if !std::mem::take(&mut self.journal) {
            return Ok(None);
        }
        let at = FileHeader::JOURNAL_AT + 1;
        self.read(at, at + self.header.journal.len() - 1).map(Some)
    }
}
