//! Where parts lie: boxes bottom-up, coordinates top-down. A linear group stacks its members on one axis. A fork-join has
//! its fork, its members side by side below, and its join, all on one axis; a row that would be too long is broken, and a
//! rail on the left leads to the rows below, one on the right from them to the join. So no edge crosses another.

use super::parts::{Part, What, members};
pub use crate::tasks::dag::place::Stroke;
use crate::tasks::room::Room;
use crate::tasks::styles::LinkKind;

/// Sizes in pixels.
pub mod size {
    /// Room between a group's border and its members.
    pub const SIDE: f32 = 6.0;
    /// Room for the title of a linear group.
    pub const TITLE: f32 = 18.0;
    /// Between members beside one another.
    pub const GAP: f32 = 10.0;
    /// Between members one after the other.
    pub const STEP: f32 = 14.0;
    /// Side of a fork or join node.
    pub const NODE: f32 = 12.0;
    /// Between the border of a group and its fork or join.
    pub const EDGE: f32 = 6.0;
    /// Between a node or a row and the lane of its edges.
    pub const LANE: f32 = 9.0;
    /// Left of the members of a fork-join, for the ruler of their scale.
    pub const RULER: f32 = 58.0;
    /// Rows are not broken up to this width.
    pub const ROW: f32 = 1400.0;
    /// Wider pictures are broken such that they are about this much wider than high.
    pub const ASPECT: f32 = 1.8;

    /// Room on both sides of the axis that an open group takes at least: one that stands for others says for how many, of
    /// what, and how much is in it.
    pub fn least(group: &super::Part) -> f32 {
        if group.count > 1 { 104.0 } else { 0.0 }
    }
}

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
    /// Where edges enter and leave, from the left.
    pub axis: f32,
    /// From the top to where edges really end.
    pub above: f32,
    /// From where edges really begin to the foot.
    pub below: f32,
}

impl Rect {
    /// Where edges enter.
    pub fn entry(&self) -> (f32, f32) {
        (self.x + self.axis, self.y + self.above)
    }

    /// Where edges leave.
    pub fn exit(&self) -> (f32, f32) {
        (self.x + self.axis, self.y + self.h - self.below)
    }
}

/// Which parts lie on the critical path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Critical {
    /// The path goes through the part.
    pub through: Vec<bool>,
    /// In a fork-join: the path comes from the fork.
    pub begins: Vec<bool>,
    /// In a fork-join: the path goes on to the join.
    pub ends: Vec<bool>,
}

impl Critical {
    /// None of so many parts.
    pub fn none(parts: usize) -> Self {
        Critical { through: vec![false; parts], begins: vec![false; parts], ends: vec![false; parts] }
    }
}

/// A laid out cut.
#[derive(Debug, Default)]
pub struct Placement {
    /// Where each part lies.
    pub rects: Vec<Rect>,
    /// Edges.
    pub strokes: Vec<Stroke>,
    /// Fork and join of each open fork-join.
    pub ends: Vec<Pair>,
    /// Where the ruler of an open fork-join begins, if it has one: the part, and its upper end.
    pub rulers: Vec<(usize, (f32, f32))>,
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
        for pair in &mut self.ends {
            pair.fork.1 = room.top(pair.fork.1);
            pair.join.1 = room.top(pair.join.1);
        }
        for (_, ruler) in &mut self.rulers {
            ruler.1 = room.top(ruler.1);
        }
    }
}

/// The fork and the join of an open fork-join.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The part.
    pub part: usize,
    /// Centre of the fork.
    pub fork: (f32, f32),
    /// Centre of the join.
    pub join: (f32, f32),
}

/// The members of an open fork-join in rows.
#[derive(Debug, Default)]
struct Rows {
    /// Members, and the x of each from the left of the group.
    cells: Vec<(usize, f32)>,
    /// Where each row ends in `cells`.
    ends: Vec<usize>,
    /// The y of the lane above each row and of the one below, from the top of the group.
    lanes: Vec<(f32, f32)>,
}

impl Rows {
    fn row(&self, r: usize) -> &[(usize, f32)] {
        &self.cells[if r == 0 { 0 } else { self.ends[r - 1] }..self.ends[r]]
    }
}

/// Coordinates for all parts. `level` tells for each part which row of its fork-join it must not be above: members that
/// depend on others stand below them.
pub fn place(parts: &[Part], level: &[u32], critical: &Critical) -> Placement {
    let (mut rects, mut rows) = lay(parts, level, f32::INFINITY);
    if let Some(root) = rects.first().filter(|root| root.w > size::ROW) {
        let budget = (size::ASPECT * root.w * root.h).sqrt().max(size::ROW);
        (rects, rows) = lay(parts, level, budget);
    }
    let mut placer = Placer { parts, critical, out: Placement { rects, ..Placement::default() } };
    for (i, laid) in rows.iter().enumerate() {
        match (parts[i].what, laid) {
            (What::Open, Some(laid)) => placer.join(i, laid),
            (What::Open, None) => placer.line(i),
            _ => {}
        }
    }
    placer.out
}

/// The sizes of all parts, and the rows of open fork-joins, none of them wider than `budget` where that can be.
fn lay(parts: &[Part], level: &[u32], budget: f32) -> (Vec<Rect>, Vec<Option<Rows>>) {
    let mut rects = vec![Rect::default(); parts.len()];
    let mut rows: Vec<Option<Rows>> = Vec::new();
    rows.resize_with(parts.len(), || None);
    for i in (0..parts.len()).rev() {
        let part = &parts[i];
        rects[i] = match part.what {
            What::Open if part.is_parallel() => {
                let (rect, laid) = lay_rows(parts, level, &rects, i, budget);
                rows[i] = Some(laid);
                rect
            }
            What::Open => lay_line(parts, &rects, i),
            _ => Rect { w: part.w, h: part.h.max(part.full), axis: part.w / 2.0, ..Rect::default() },
        };
    }
    (rects, rows)
}

/// The size of an open linear group.
fn lay_line(parts: &[Part], rects: &[Rect], open: usize) -> Rect {
    let mut rect = Rect { above: size::TITLE, below: size::SIDE, ..Rect::default() };
    let least = size::least(&parts[open]);
    let (mut left, mut right, mut h) = (least, least, 0f32);
    let mut first = true;
    for member in members(parts, open) {
        let m = rects[member];
        left = left.max(m.axis);
        right = right.max(m.w - m.axis);
        if first {
            rect.above = size::TITLE + m.above;
        } else {
            h += size::STEP;
        }
        first = false;
        h += m.h;
        rect.below = size::SIDE + m.below;
    }
    rect.axis = size::SIDE + left;
    rect.w = rect.axis + right + size::SIDE;
    rect.h = size::TITLE + h + size::SIDE;
    rect
}

/// The size of an open fork-join and the rows of its members.
fn lay_rows(parts: &[Part], level: &[u32], rects: &[Rect], open: usize, budget: f32) -> (Rect, Rows) {
    let mut list: Vec<usize> = members(parts, open).collect();
    list.sort_by_key(|&member| level[member]);
    let width = |row: &[usize]| {
        row.iter().map(|&m| rects[m].w).sum::<f32>() + size::GAP * row.len().saturating_sub(1) as f32
    };
    let mut rows: Vec<Vec<usize>> = Vec::new();
    let mut row_width = 0.0;
    for member in list {
        let more = size::GAP + rects[member].w;
        match rows.last_mut() {
            Some(row) if level[row[0]] == level[member] && row_width + more <= budget => {
                row.push(member);
                row_width += more;
            }
            _ => {
                rows.push(vec![member]);
                row_width = rects[member].w;
            }
        }
    }
    let several = rows.len() > 1;
    let rail = if several { size::GAP } else { 0.0 };
    let ruler = if parts[open].full > 0.0 { size::RULER } else { 0.0 };
    let least = size::NODE.max(2.0 * size::least(&parts[open]));
    let inner = rows.iter().map(|row| width(row)).fold(least, f32::max);
    let mut laid = Rows::default();
    let w = ruler + inner + 2.0 * (size::SIDE + rail);
    let mut y = size::EDGE + size::NODE + size::LANE;
    for row in &rows {
        let above = y;
        let mut x = ruler + size::SIDE + rail + ((inner - width(row)) / 2.0).round();
        let mut h = 0f32;
        for &member in row {
            laid.cells.push((member, x));
            x += rects[member].w + size::GAP;
            h = h.max(rects[member].h);
        }
        laid.ends.push(laid.cells.len());
        let below = above + 2.0 * size::LANE + h;
        laid.lanes.push((above, below));
        y = below + size::LANE;
    }
    let h = y + size::NODE + size::EDGE;
    // One member alone stands under its fork; a row stands under its middle.
    let axis = match &laid.cells[..] {
        [(member, x)] => x + rects[*member].axis,
        _ => ((w + ruler) / 2.0).round(),
    };
    (Rect { x: 0.0, y: 0.0, w, h, axis, above: size::EDGE, below: size::EDGE }, laid)
}

struct Placer<'a> {
    parts: &'a [Part],
    critical: &'a Critical,
    out: Placement,
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
    fn stroke(&mut self, a: (f32, f32), b: (f32, f32), ends: Ends) {
        if a != b {
            let Ends { from, to, kind, critical } = ends;
            self.out.strokes.push(Stroke { a, b, from, to, kind, critical });
        }
    }

    fn line(&mut self, open: usize) {
        let group = self.out.rects[open];
        let mut y = group.y + size::TITLE;
        let mut before: Option<usize> = None;
        let parts = self.parts;
        for member in members(parts, open) {
            let rect = &mut self.out.rects[member];
            rect.x = group.x + group.axis - rect.axis;
            rect.y = y;
            y += rect.h + size::STEP;
            if let Some(before) = before {
                let critical = self.critical.through[before] && self.critical.through[member];
                let ends = Ends { from: before, to: member, kind: LinkKind::Continue, critical };
                let (a, b) = (self.out.rects[before].exit(), self.out.rects[member].entry());
                self.stroke(a, b, ends);
            }
            before = Some(member);
        }
    }

    fn join(&mut self, open: usize, rows: &Rows) {
        let group = self.out.rects[open];
        let axis = group.x + group.axis;
        let half = size::NODE / 2.0;
        let fork = (axis, group.y + size::EDGE + half);
        let join = (axis, group.y + group.h - size::EDGE - half);
        self.out.ends.push(Pair { part: open, fork, join });
        for (r, &(above, _)) in rows.lanes.iter().enumerate() {
            for &(member, x) in rows.row(r) {
                let rect = &mut self.out.rects[member];
                rect.x = group.x + x;
                rect.y = group.y + above + size::LANE;
            }
        }
        if self.parts[open].full > 0.0
            && let (Some(&(_, x)), Some(&(above, _))) = (rows.cells.first(), rows.lanes.first())
        {
            self.out.rulers.push((open, (group.x + x - 8.0, group.y + above + size::LANE)));
        }
        self.create(open, rows, (axis, fork.1 + half));
        self.sync(open, rows, (axis, join.1 - half));
    }

    /// From the fork to every member.
    fn create(&mut self, open: usize, rows: &Rows, fork: (f32, f32)) {
        let group = self.out.rects[open];
        let rail = group.x + size::SIDE;
        let begins = |member: &(usize, f32)| self.critical.begins[member.0];
        let later: Vec<bool> = (0..rows.ends.len()).map(|r| rows.row(r).iter().any(begins)).collect();
        let ends = |to: usize, critical: bool| Ends { from: open, to, kind: LinkKind::Create, critical };
        let Some(&(first, _)) = rows.cells.first() else { return };
        let any = |from: usize| later[from.min(later.len())..].iter().any(|&critical| critical);
        self.stroke(fork, (fork.0, group.y + rows.lanes[0].0), ends(first, any(0)));
        for r in 0..rows.ends.len() {
            let y = group.y + rows.lanes[r].0;
            let from = if r == 0 { fork.0 } else { rail };
            let mut targets: Vec<(f32, usize, bool)> = Vec::new();
            for &(member, _) in rows.row(r) {
                let (x, entry) = self.out.rects[member].entry();
                let critical = self.critical.begins[member];
                targets.push((x, member, critical));
                self.stroke((x, y), (x, entry), ends(member, critical));
            }
            if r == 0
                && let Some(&(next, _)) = rows.cells.get(rows.ends[0])
            {
                targets.push((rail, next, any(1)));
            }
            for (a, b, member, critical) in stretches(from, targets) {
                self.stroke((a, y), (b, y), ends(member, critical));
            }
            if let Some(&(above, _)) = rows.lanes.get(r.wrapping_sub(1)).filter(|_| r > 0) {
                let (member, _) = rows.row(r)[0];
                self.stroke((rail, group.y + above), (rail, y), ends(member, any(r)));
            }
        }
    }

    /// From every member to the join.
    fn sync(&mut self, open: usize, rows: &Rows, join: (f32, f32)) {
        let group = self.out.rects[open];
        let rail = group.x + group.w - size::SIDE;
        let ends_here = |member: &(usize, f32)| self.critical.ends[member.0];
        let earlier: Vec<bool> = (0..rows.ends.len()).map(|r| rows.row(r).iter().any(ends_here)).collect();
        let ends = |from: usize, critical: bool| Ends { from, to: open, kind: LinkKind::Sync, critical };
        let any = |to: usize| earlier[..to].iter().any(|&critical| critical);
        let last = rows.ends.len().saturating_sub(1);
        for r in 0..rows.ends.len() {
            let y = group.y + rows.lanes[r].1;
            let to = if r == last { join.0 } else { rail };
            let mut sources: Vec<(f32, usize, bool)> = Vec::new();
            for &(member, _) in rows.row(r) {
                let (x, exit) = self.out.rects[member].exit();
                let critical = self.critical.ends[member];
                sources.push((x, member, critical));
                self.stroke((x, exit), (x, y), ends(member, critical));
            }
            if r == last && r > 0 {
                sources.push((rail, rows.row(r - 1)[0].0, any(r)));
            }
            for (a, b, member, critical) in stretches(to, sources) {
                self.stroke((b, y), (a, y), ends(member, critical));
            }
            if r < last {
                let (member, _) = rows.row(r)[0];
                let next = group.y + rows.lanes[r + 1].1;
                self.stroke((rail, y), (rail, next), ends(member, any(r + 1)));
            }
        }
        if let Some(&(member, _)) = rows.cells.last() {
            let y = group.y + rows.lanes[last].1;
            self.stroke((join.0, y), join, ends(member, any(rows.ends.len())));
        }
    }
}

/// A lane from one point to several, each stretch once: from, to, whose it is, and whether any that is reached through it
/// is critical.
fn stretches(from: f32, mut targets: Vec<(f32, usize, bool)>) -> Vec<(f32, f32, usize, bool)> {
    targets.sort_by(|a, b| a.0.total_cmp(&b.0));
    let split = targets.partition_point(|target| target.0 <= from);
    let (left, right) = targets.split_at(split);
    let mut out = Vec::with_capacity(targets.len());
    for side in [&left.iter().rev().copied().collect::<Vec<_>>()[..], right] {
        let mut reached =
            side.iter().map(|target| target.2).rev().fold(Vec::new(), |mut so_far, critical| {
                let beyond = so_far.last().copied().unwrap_or(false);
                so_far.push(beyond || critical);
                so_far
            });
        reached.reverse();
        let mut at = from;
        for (target, critical) in side.iter().zip(reached) {
            out.push((at, target.0, target.1, critical));
            at = target.0;
        }
    }
    out
}
