//! Top-down: coordinates of every part, and the edges between them as upright and level strokes. An edge with bends
//! is several strokes; strokes that several edges would share (a join, a rail) are drawn once.

use super::flow::{Cell, Exit, Flow, Line, Placed, Shape, Shapes, cells, margin, size};
use super::parts::{Part, What, doors, members};
use crate::tasks::room::Room;
use crate::tasks::styles::LinkKind;

/// Where a part lies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left.
    pub x: f32,
    /// Top.
    pub y: f32,
    /// Width.
    pub w: f32,
    /// Height.
    pub h: f32,
    /// Where edges enter, from the left.
    pub enter: f32,
}

/// One stroke of an edge, of the DAG and of the grain graph. An open fork-join stands for its fork and its join there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Start.
    pub a: (f32, f32),
    /// End, never above the start.
    pub b: (f32, f32),
    /// Part that the edge leaves.
    pub from: usize,
    /// Part that the edge enters.
    pub to: usize,
    /// Kind of edge.
    pub kind: LinkKind,
    /// On the critical path.
    pub critical: bool,
}

/// A laid out cut.
#[derive(Debug, Default)]
pub struct Placement {
    /// Where each part lies.
    pub rects: Vec<Rect>,
    /// Edges.
    pub strokes: Vec<Stroke>,
}

impl Placement {
    /// Makes room.
    pub fn make(&mut self, room: &Room) {
        for rect in &mut self.rects {
            let foot = room.foot(rect.y + rect.h);
            rect.y = room.top(rect.y);
            rect.h = foot - rect.y;
        }
        for stroke in &mut self.strokes {
            stroke.a.1 = room.foot(stroke.a.1);
            stroke.b.1 = room.top(stroke.b.1);
        }
    }
}

/// Which parts lie on the critical path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Critical {
    /// The path goes through the part.
    pub through: Vec<bool>,
    /// The path goes on along the spine after the part.
    pub goes_on: Vec<bool>,
    /// The path goes from the part to the join of what holds it.
    pub joins: Vec<bool>,
}

impl Critical {
    /// None of so many parts.
    pub fn none(parts: usize) -> Self {
        Critical { through: vec![false; parts], goes_on: vec![false; parts], joins: vec![false; parts] }
    }
}

/// Coordinates for all parts.
pub fn place(parts: &[Part], shapes: &Shapes, critical: &Critical) -> Placement {
    let Some(_) = parts.first() else { return Placement::default() };
    let (first, last) = doors(parts);
    let follow = follow(parts, &first);
    let mut placer = Placer {
        parts,
        critical,
        first,
        last,
        follow,
        chosen: vec![None; parts.len()],
        out: Placement { rects: vec![Rect::default(); parts.len()], strokes: Vec::new() },
    };
    placer.put(0, 0.0, 0.0, shapes.root());
    let mut list = Vec::new();
    let mut flow = Flow::default();
    for i in 0..parts.len() {
        let Some(shape) = placer.chosen[i].filter(|_| parts[i].what == What::Open) else { continue };
        cells(parts, i, &mut list);
        flow.lay(&list, shapes, shape.budget, shape.pick);
        placer.members(i, &flow);
    }
    placer.out
}

/// What each part's edges lead to: the next part on the spine, for created tasks that of their section.
fn follow(parts: &[Part], first: &[usize]) -> Vec<usize> {
    let mut follow: Vec<usize> = (0..parts.len()).collect();
    for i in 0..parts.len() {
        if parts[i].what != What::Open {
            continue;
        }
        let mut before: Option<usize> = None;
        for member in members(parts, i) {
            follow[member] = follow[i];
            if !parts[member].beside {
                if let Some(before) = before {
                    follow[before] = first[member];
                }
                before = Some(member);
            }
        }
    }
    follow
}

struct Placer<'a> {
    parts: &'a [Part],
    critical: &'a Critical,
    first: Vec<usize>,
    last: Vec<usize>,
    follow: Vec<usize>,
    chosen: Vec<Option<Shape>>,
    out: Placement,
}

/// Where the spine is: a point, the part that it comes from, and the member of the open node that it left last.
#[derive(Clone, Copy)]
struct Pen {
    at: (f32, f32),
    from: usize,
    member: usize,
}

/// The edge that strokes belong to.
#[derive(Clone, Copy)]
struct Ends {
    from: usize,
    to: usize,
    kind: LinkKind,
    critical: bool,
}

impl Placer<'_> {
    fn put(&mut self, part: usize, x: f32, y: f32, shape: Shape) {
        self.out.rects[part] = Rect { x, y, w: shape.w, h: shape.h, enter: shape.enter };
        self.chosen[part] = Some(shape);
    }

    /// Whether the path goes along the spine from this member.
    fn goes_on(&self, member: usize) -> bool {
        self.critical.through[member] && self.critical.goes_on[member]
    }

    /// Whether the path goes from this member to the join.
    fn joins(&self, member: usize) -> bool {
        self.critical.joins[member]
    }

    fn stroke(&mut self, a: (f32, f32), b: (f32, f32), ends: Ends) {
        if a != b {
            let Ends { from, to, kind, critical } = ends;
            self.out.strokes.push(Stroke { a, b, from, to, kind, critical });
        }
    }

    fn members(&mut self, open: usize, flow: &Flow) {
        let rect = self.out.rects[open];
        let margin = margin(self.parts[open].kind);
        let (left, top) = (rect.x + margin.side, rect.y + margin.top);
        let anchor = left + flow.anchor;
        let mut pen: Option<Pen> = None;
        for (l, line) in flow.lines.iter().enumerate() {
            let y = top + line.y;
            for (k, placed) in flow.placed[line.first..line.end].iter().enumerate() {
                self.cell(placed, anchor + placed.x, y, k == 0, &mut pen);
            }
            let next = flow.lines.get(l + 1).map(|next| flow.placed[next.first].cell);
            self.leave_line(flow, l, (anchor, top), next, open, &mut pen);
        }
        // The tasks of an open section run on: no edge leads from them to what follows it.
        if flow.joins && self.parts[open].joins {
            self.join(flow, (left, top), open);
        }
    }

    /// Puts a cell's head and what hangs below it, with the edges that enter them.
    fn cell(&mut self, placed: &Placed, x: f32, y: f32, starts_line: bool, pen: &mut Option<Pen>) {
        let lane = y + size::LANE;
        if let Some(head) = placed.cell.head {
            let (hx, hy) = (x - placed.head.enter, y + placed.head_y);
            self.put(head, hx, hy, placed.head);
            if let Some(p) = *pen {
                let critical = self.goes_on(p.member) && self.critical.through[head];
                let ends = Ends { from: p.from, to: self.first[head], kind: LinkKind::Continue, critical };
                if starts_line || placed.cell.from_above {
                    self.corner(p.at, (x, hy + placed.head.above), starts_line, lane, ends);
                } else {
                    self.stroke(p.at, (hx, lane), ends);
                }
            }
            *pen = Some(Pen { at: (hx + placed.head.w, lane), from: self.last[head], member: head });
        }
        if let Some(hang) = placed.cell.hang {
            let gy = y + placed.hang_y;
            self.put(hang, x - placed.hang.enter, gy, placed.hang);
            if let Some(p) = *pen {
                let created = self.critical.through[p.member] && !self.critical.goes_on[p.member];
                let critical = self.critical.through[hang] && created;
                let ends = Ends { from: p.from, to: self.first[hang], kind: LinkKind::Create, critical };
                let to = (x, gy + placed.hang.above);
                match placed.cell.head {
                    Some(_) => self.stroke((x, y + placed.head_y + placed.head.h), to, ends),
                    None => {
                        self.corner(p.at, to, starts_line, lane, ends);
                        // The spine goes on from the lane, above the task.
                        *pen = Some(Pen { at: (x, lane), ..p });
                    }
                }
            }
        }
    }

    /// To a point below: straight down at the start of a line, else along the lane and then down.
    fn corner(&mut self, from: (f32, f32), to: (f32, f32), straight: bool, lane: f32, ends: Ends) {
        if straight {
            self.stroke(from, to, ends);
        } else {
            self.stroke(from, (to.0, lane), ends);
            self.stroke((to.0, lane), to, ends);
        }
    }

    /// Brings the spine from the end of a line to the start of the next one, or to the join.
    fn leave_line(
        &mut self,
        flow: &Flow,
        l: usize,
        (anchor, top): (f32, f32),
        next: Option<Cell>,
        open: usize,
        pen: &mut Option<Pen>,
    ) {
        let line = &flow.lines[l];
        let (Some(p), Some(exit), Some(last)) = (*pen, line.exit, flow.placed[..line.end].last()) else {
            return;
        };
        let next_head = next.and_then(|cell| cell.head);
        let (to, target) = match next {
            Some(cell) => match cell.head.or(cell.hang) {
                Some(part) => (self.first[part], top + flow.return_y(l)),
                None => return,
            },
            None if flow.joins => (self.follow[open], top + flow.h),
            None => return,
        };
        let on_path = next_head.is_none_or(|head| self.critical.through[head]);
        let ends =
            Ends { from: p.from, to, kind: LinkKind::Continue, critical: self.goes_on(p.member) && on_path };
        let x = anchor + exit.x();
        let from = match exit {
            Exit::Down(_) => (x, top + line.y + last.head_y + last.head.h - last.head.below),
            Exit::Beside(_) => {
                self.stroke(p.at, (x, p.at.1), ends);
                (x, p.at.1)
            }
        };
        if exit == Exit::Down(0.0) && next.is_some() {
            *pen = Some(Pen { at: from, ..p });
            return;
        }
        self.stroke(from, (x, target), ends);
        if next.is_some() || !self.parts[open].joins {
            self.stroke((x, target), (anchor, target), ends);
        } else {
            // The last stretch of the join: from here to the task before.
            let before = self.leaves(flow, line, anchor).last().map_or(anchor, |(x, ..)| *x);
            self.stroke((x, target), (before, target), ends);
        }
        *pen = Some(Pen { at: (anchor, target), ..p });
    }

    /// Where the tasks of a line leave, and the folded ones: x, y, part; from left to right.
    fn leaves(&self, flow: &Flow, line: &Line, anchor: f32) -> Vec<(f32, f32, usize)> {
        let placed = &flow.placed[line.first..line.end];
        placed
            .iter()
            .filter_map(|p| match p.cell {
                Cell { hang: Some(hang), .. } => {
                    let x = anchor + p.x - p.hang.enter + p.hang.leave;
                    Some((x, p.hang_y + p.hang.h - p.hang.below, hang))
                }
                Cell { head: Some(gap), joins: true, .. } => Some((anchor + p.x, p.head_y + p.head.h, gap)),
                _ => None,
            })
            .collect()
    }

    /// Brings the created tasks to the join at the foot.
    fn join(&mut self, flow: &Flow, (left, top): (f32, f32), open: usize) {
        let anchor = left + flow.anchor;
        let rail = left + 1.0;
        let foot = top + flow.h;
        let mut railed: Option<(f32, Ends)> = None; // where the rail has come to, and for whom
        for (l, line) in flow.lines.iter().enumerate().filter(|(_, line)| line.hangs) {
            let is_last = l + 1 == flow.lines.len();
            let (end, y) = if is_last { (anchor, foot) } else { (rail, top + flow.collect_y(l)) };
            let leaves = self.leaves(flow, line, anchor);
            let mut before = end;
            let mut ends_here = None;
            for (k, &(x, leave, hang)) in leaves.iter().enumerate() {
                let own = self.joins(hang);
                let ends = Ends {
                    from: self.last[hang],
                    to: self.follow[open],
                    kind: LinkKind::Sync,
                    critical: own,
                };
                self.stroke((x, top + line.y + leave), (x, y), ends);
                // Tasks further right share the stretch to the left of this one.
                let shared = own || leaves[k..].iter().any(|&(.., other)| self.joins(other));
                let ends = Ends { critical: shared, ..ends };
                self.stroke((x, y), (before, y), ends);
                ends_here.get_or_insert(ends);
                before = x;
            }
            if is_last {
                continue;
            }
            let (Some(ends), previous) = (ends_here, railed) else { continue };
            if let Some((from, before)) = previous {
                self.stroke((rail, from), (rail, y), before);
            }
            let critical = ends.critical || previous.is_some_and(|(_, before)| before.critical);
            railed = Some((y, Ends { critical, ..ends }));
        }
        if let Some((from, ends)) = railed {
            self.stroke((rail, from), (rail, foot), ends);
            self.stroke((rail, foot), (anchor, foot), ends);
        }
    }
}
