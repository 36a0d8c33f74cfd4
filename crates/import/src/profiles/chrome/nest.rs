//! Spans of one thread: beginnings and ends become spans, and spans stand inside those that contain them.

/// A beginning or an end.
#[derive(Clone, Copy, Debug)]
pub struct Begun {
    pub at: i64,
    /// None for an end that names nothing.
    pub name: Option<u32>,
    pub is_begin: bool,
    pub order: u32,
}

/// From when to when.
#[derive(Clone, Copy, Debug)]
struct Span {
    begin: i64,
    end: i64,
    name: u32,
    order: u32,
}

/// What a thread did.
#[derive(Debug, Default)]
pub struct Spans {
    marks: Vec<Begun>,
    spans: Vec<Span>,
    last: Option<i64>,
}

/// A span inside others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nested {
    pub parent: Option<usize>,
    pub name: u32,
    pub own: i64,
}

/// All of them, outer ones first, and what did not fit.
#[derive(Debug, Default)]
pub struct Nest {
    pub spans: Vec<Nested>,
    pub clipped: u64,
    pub unclosed: u64,
    pub unmatched: u64,
}

impl Spans {
    /// Something happened until then.
    pub fn seen(&mut self, at: i64) {
        self.last = Some(self.last.map_or(at, |last| last.max(at)));
    }

    pub fn whole(&mut self, begin: i64, end: i64, name: u32, order: u32) {
        self.spans.push(Span { begin, end, name, order });
    }

    pub fn mark(&mut self, mark: Begun) {
        self.marks.push(mark);
    }

    /// Puts them into each other. Spans that begin together: the longer one is outside; that also end together: the one that
    /// comes first in the file.
    pub fn nest(mut self) -> Nest {
        let mut nest = Nest::default();
        self.pair(&mut nest);
        self.spans.sort_by_key(|span| (span.begin, std::cmp::Reverse(span.end), span.order));
        // Each with its beginning and end.
        let mut open: Vec<(usize, i64, i64)> = Vec::new();
        for span in &self.spans {
            // What has ended by then is not around it; of moments, one may stand inside another.
            let is_moment = span.begin == span.end;
            let is_over = |&(_, begin, end): &(usize, i64, i64)| {
                end <= span.begin && !(is_moment && begin == span.begin)
            };
            while open.last().is_some_and(is_over) {
                open.pop();
            }
            let mut end = span.end;
            let parent = open.last().copied();
            if let Some((at, _, around)) = parent {
                if end > around {
                    nest.clipped += 1;
                    end = around;
                }
                if let Some(parent) = nest.spans.get_mut(at) {
                    parent.own = parent.own.saturating_sub(end.saturating_sub(span.begin));
                }
            }
            open.push((nest.spans.len(), span.begin, end));
            nest.spans.push(Nested {
                parent: parent.map(|(at, ..)| at),
                name: span.name,
                own: end.saturating_sub(span.begin),
            });
        }
        nest
    }

    /// Beginnings and ends become spans.
    fn pair(&mut self, nest: &mut Nest) {
        let mut marks = std::mem::take(&mut self.marks);
        marks.sort_by_key(|mark| mark.at);
        let mut open: Vec<(u32, i64, u32)> = Vec::new();
        for mark in marks {
            if mark.is_begin {
                open.push((mark.name.unwrap_or(0), mark.at, mark.order));
                continue;
            }
            let fits = |&(name, _, _): &(u32, i64, u32)| mark.name.is_none_or(|ended| ended == name);
            let Some(at) = open.iter().rposition(fits) else {
                nest.unmatched += 1;
                continue;
            };
            // What was left open inside it ends with it.
            nest.unmatched += u64::from(at + 1 < open.len());
            for (name, begin, order) in open.drain(at..) {
                self.spans.push(Span { begin, end: mark.at, name, order });
            }
        }
        let last = self.last.unwrap_or(0);
        nest.unclosed += open.len() as u64;
        for (name, begin, order) in open {
            self.spans.push(Span { begin, end: last.max(begin), name, order });
        }
    }
}
