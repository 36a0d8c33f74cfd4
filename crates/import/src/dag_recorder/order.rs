//! Pre-order: the walk from the root. A section's nodes come in their order, and each create is directly followed by the
//! task that it created, with all that is inside. The walk fails unless it meets every node of the file exactly once,
//! each where its kind may stand.

use crosscut_tasks::schema::{Kind, TaskWriter};

use crate::error::ImportError;
use crate::input::Input;

use super::decode::{Link, Table};
use super::format::{Fault, field};

/// Nodes between two looks at whether to stop.
const CHECK: usize = 1 << 16;

/// A node whose inside is being walked.
struct Open {
    /// Its number in pre-order.
    node: u32,
    kind: Kind,
    /// The next node inside and one past the last, by their numbers in the file.
    next: u32,
    end: u32,
}

/// Fills `len` and `parent` and says which node of the file stands at each position in pre-order.
pub fn walk(input: &Input<'_>, table: &mut Table, writer: &mut TaskWriter) -> Result<Vec<u32>, ImportError> {
    let mut walk = Walk {
        links: &mut table.links,
        len: &mut writer.len,
        parent: &mut writer.parent,
        order: Vec::new(),
        open: Vec::new(),
    };
    walk.order.reserve_exact(walk.links.len());
    let mut next_check = CHECK;
    walk.root().map_err(|fault| fault.at(input))?;
    while walk.step().map_err(|fault| fault.at(input))? {
        if walk.order.len() >= next_check {
            input.check_cancelled()?;
            next_check += CHECK;
        }
    }
    let Walk { order, links, .. } = walk;
    if let Some(lost) = links.iter().position(|link| link.mark & Link::SEEN == 0) {
        let what = "no other node leads to it from the root";
        return Err(Fault::new(lost, field::KIND, what).at(input));
    }
    Ok(order)
}

struct Walk<'a> {
    links: &'a mut [Link],
    len: &'a mut [u32],
    parent: &'a mut [u32],
    order: Vec<u32>,
    open: Vec<Open>,
}

impl Walk<'_> {
    fn root(&mut self) -> Result<(), Fault> {
        let link = self.visit(0, 0, 0)?;
        match link.mark().kind() {
            Kind::Task => Ok(()),
            kind => Err(Fault::new(0, field::KIND, format!("the root is a {}, not a task", kind.word()))),
        }
    }

    /// One more node inside what was opened last, or its close; false at the end.
    #[inline]
    fn step(&mut self) -> Result<bool, Fault> {
        let Some(open) = self.open.last_mut() else { return Ok(false) };
        if open.next == open.end {
            if let Some(len) = self.len.get_mut(open.node as usize) {
                *len = self.order.len() as u32 - open.node;
            }
            self.open.pop();
            return Ok(true);
        }
        let node = open.next;
        open.next += 1;
        let (parent, within, last) = (open.node, open.kind, open.next == open.end);
        let link = self.visit(node, parent, node)?;
        let kind = link.mark().kind();
        check_position(kind, within, last).map_err(|what| Fault::new(node as usize, field::KIND, what))?;
        if kind == Kind::Create {
            let task = self.visit(link.first, parent, node)?;
            if task.mark().kind() != Kind::Task {
                let what = format!("it creates node {}, which is not a task", link.first);
                return Err(Fault::new(node as usize, field::BEGIN, what));
            }
        }
        Ok(true)
    }

    /// Gives a node its position; opens it when there is something inside. `by` names it, for messages.
    #[inline]
    fn visit(&mut self, node: u32, parent: u32, by: u32) -> Result<Link, Fault> {
        let position = self.order.len();
        let (Some(link), Some(len), Some(above)) =
            (self.links.get_mut(node as usize), self.len.get_mut(position), self.parent.get_mut(position))
        else {
            return Err(Fault::new(by as usize, field::BEGIN, "it leads to more nodes than there are"));
        };
        if link.mark & Link::SEEN != 0 {
            let what = match by == node {
                true => "it stands in two places of the tree".to_owned(),
                false => format!("it creates node {node}, which already stands elsewhere in the tree"),
            };
            let field = if by == node { field::KIND } else { field::BEGIN };
            return Err(Fault::new(by as usize, field, what));
        }
        link.mark |= Link::SEEN;
        let link = *link;
        *len = 1;
        *above = parent;
        self.order.push(node);
        if link.is_open() {
            let (next, end) = (link.first, link.first.saturating_add(link.count));
            self.open.push(Open { node: position as u32, kind: link.mark().kind(), next, end });
        }
        Ok(link)
    }
}

/// Whether such a node may stand there: a section is creates, nested sections and other intervals, then a wait; a task
/// is sections and other intervals, then an end. A created task is reached through its create only.
fn check_position(kind: Kind, within: Kind, last: bool) -> Result<(), String> {
    let fits = match (kind, within) {
        (Kind::Wait, Kind::Section) | (Kind::End, Kind::Task) => last,
        (Kind::Section | Kind::Other, _) | (Kind::Create, Kind::Section) => !last,
        _ => false,
    };
    if fits {
        return Ok(());
    }
    let place = if last { "as the last node of" } else { "inside" };
    Err(format!("a node of kind {} cannot stand {place} a {}", kind.word(), within.word()))
}
