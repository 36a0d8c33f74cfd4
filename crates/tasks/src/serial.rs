//! The serial parts of a program: stretches in which it runs by itself, before, between and after what it starts.

use crosscut_run::{NO_SITE, Source};
use crosscut_tree::NodeId;

use crate::schema::{Kind, NO_SOURCE};
use crate::tasks::Tasks;

/// A stretch in which a program runs by itself: from where it last waited for what it had started to where it starts
/// something again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SerialPart {
    /// Its first interval.
    pub first: NodeId,
    /// Its last interval.
    pub last: NodeId,
    /// When it began.
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// The line behind which it runs, as a number of a source; [`NO_SOURCE`] at the beginning of the program.
    pub after: u32,
    /// The line that ends it; [`NO_SOURCE`] at the end of the program.
    pub before: u32,
}

impl Tasks {
    /// The serial parts of the program, in the order of the tree; of each process where there are several. Only what took
    /// time is listed.
    pub fn serial_parts(&self) -> Vec<SerialPart> {
        let mut parts = Vec::new();
        for root in self.roots() {
            self.serial_parts_of(root, &mut parts);
        }
        parts.retain(|part| part.end > part.start);
        parts
    }

    /// The tasks that nobody created: the program itself, or the processes and threads that the run holds side by side.
    fn roots(&self) -> Vec<NodeId> {
        let (tree, root) = (self.tree(), NodeId(0));
        let section = tree.children(root).next().filter(|&node| self.kind(node) == Kind::Section);
        let first = section.and_then(|section| tree.children(section).next());
        let is_side_by_side = first.is_some_and(|fork| {
            self.kind(fork) == Kind::Fork && self.site(fork) == NO_SITE && self.elapsed(fork) == 0
        });
        match section.filter(|_| is_side_by_side) {
            Some(section) => tree.children(section).filter(|&node| self.kind(node) == Kind::Task).collect(),
            None => vec![root],
        }
    }

    fn serial_parts_of(&self, root: NodeId, parts: &mut Vec<SerialPart>) {
        let mut part: Option<SerialPart> = None;
        let mut after = NO_SOURCE;
        for child in self.tree().children(root) {
            let is_section = self.kind(child) == Kind::Section;
            // What opens a section is the last of the part before it.
            let leaf = if is_section { self.first_leaf(child) } else { child };
            let site = self.sources().site(self.site(leaf));
            if !self.is_collapsed(leaf) {
                let new = SerialPart {
                    first: leaf,
                    last: leaf,
                    start: self.start(leaf),
                    end: self.end(leaf),
                    after,
                    before: NO_SOURCE,
                };
                let open = part.get_or_insert(new);
                open.last = leaf;
                open.end = self.end(leaf);
            }
            if is_section {
                let opened = self.sources().site(self.site(child)).or(site);
                after = opened.map_or(NO_SOURCE, |site| site.to);
                let before = if self.is_collapsed(leaf) { after } else { site.map_or(NO_SOURCE, |s| s.to) };
                parts.extend(part.take().map(|part| SerialPart { before, ..part }));
            }
        }
        parts.extend(part);
    }

    /// The first interval of a node.
    fn first_leaf(&self, mut node: NodeId) -> NodeId {
        while let Some(child) = self.tree().children(node).next() {
            node = child;
        }
        node
    }

    /// The function that a serial part runs in, as far as known: the one with the line that ends it, else the one with the
    /// line behind which it runs.
    pub fn serial_function(&self, part: &SerialPart) -> Option<&str> {
        let sources = [part.before, part.after].map(|source| self.sources().get(source));
        let names = sources.into_iter().flatten().map(|source| source.function.as_str());
        names.into_iter().find(|name| !name.is_empty())
    }

    /// What a serial part is called: "between solve.c:12 and solve.c:20, in `setup`".
    pub fn serial_name(&self, part: &SerialPart) -> String {
        let line = |source: u32| self.sources().get(source).filter(|s| s.line > 0).map(Source::short);
        let place = match (line(part.after), line(part.before)) {
            (Some(after), Some(before)) => format!("between {after} and {before}"),
            (None, Some(before)) => format!("before {before}"),
            (Some(after), None) => format!("after {after}"),
            (None, None) => "the program itself".to_owned(),
        };
        match self.serial_function(part) {
            Some(function) => format!("{place}, in `{function}`"),
            None => place,
        }
    }
}
