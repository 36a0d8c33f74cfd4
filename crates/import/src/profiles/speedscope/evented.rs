//! A profile of calls that open and close: the time between two events belongs to the innermost open call.

use foldhash::HashMap;

use super::super::json::Json;
use super::{Paths, Scale};
use crate::error::ImportError;

/// A call that opens or closes.
pub struct Event {
    is_open: bool,
    frame: u32,
    at: f64,
    /// Where it stands in the file.
    offset: u64,
}

impl Event {
    pub fn read(json: &mut Json<'_, '_>) -> Result<Self, ImportError> {
        let offset = json.offset();
        let (mut kind, mut frame, mut at, mut key) = (None, None, None, String::new());
        if json.object()? {
            while json.key(&mut key)? {
                match key.as_str() {
                    "type" => kind = json.text()?,
                    "frame" => frame = json.whole()?.and_then(|frame| u32::try_from(frame).ok()),
                    "at" => at = json.number()?,
                    _ => json.skip()?,
                }
            }
        }
        let is_open = match kind.as_deref() {
            Some("O") => true,
            Some("C") => false,
            _ => return Err(json.broken_at(offset, "an event that neither opens (O) nor closes (C)")),
        };
        match (frame, at) {
            (Some(frame), Some(at)) => Ok(Event { is_open, frame, at, offset }),
            _ => Err(json.broken_at(offset, "an event without `frame` or `at`")),
        }
    }
}

/// What is open.
pub struct Evented {
    scale: Scale,
    /// Frames and their paths, innermost last.
    open: Vec<(u32, u32)>,
    last: Option<i64>,
}

impl Evented {
    pub fn new(scale: Scale) -> Self {
        Evented { scale, open: Vec::new(), last: None }
    }

    pub fn event(
        &mut self,
        json: &Json<'_, '_>,
        event: Event,
        paths: &mut Paths,
        own: &mut HashMap<u32, i64>,
    ) -> Result<(), ImportError> {
        let at = self.scale.unit.whole(event.at, self.scale.one);
        if self.last.is_some_and(|last| at < last) {
            return Err(json.broken_at(event.offset, format!("time goes back, to {}", event.at)));
        }
        self.pass(at, own);
        let frame = event.frame;
        if event.is_open {
            let parent = self.open.last().map_or(0, |&(_, path)| path);
            self.open.push((frame, paths.below(parent, frame, event.offset)));
            return Ok(());
        }
        match self.open.pop() {
            Some((top, _)) if top == frame => Ok(()),
            Some((top, _)) => {
                Err(json.broken_at(event.offset, format!("frame {frame} closes, but {top} is the innermost")))
            }
            None => Err(json.broken_at(event.offset, format!("frame {frame} closes, but nothing is open"))),
        }
    }

    /// What is still open closes at the profile's end. Says how many calls that are.
    pub fn end(
        mut self,
        json: &Json<'_, '_>,
        begin: u64,
        end: Option<f64>,
        own: &mut HashMap<u32, i64>,
    ) -> Result<usize, ImportError> {
        let (Some(last), false) = (self.last, self.open.is_empty()) else { return Ok(0) };
        let end = end.map_or(last, |end| self.scale.unit.whole(end, self.scale.one));
        if end < last {
            return Err(json.broken_at(begin, "a profile that ends before its last event"));
        }
        self.pass(end, own);
        Ok(self.open.len())
    }

    fn pass(&mut self, at: i64, own: &mut HashMap<u32, i64>) {
        if let (Some(last), Some(&(_, path))) = (self.last, self.open.last()) {
            let own = own.entry(path).or_insert(0);
            *own = own.saturating_add(at.saturating_sub(last));
        }
        self.last = Some(at);
    }
}
