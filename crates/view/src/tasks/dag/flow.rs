//! Bottom-up: the shapes that each part could take. DAGViz gives a node one bounding box, made of three sub-layouts
//! (inside; left: the created task; right: the continuation). Here the members of an open node flow like text, which
//! keeps that order and needs no staircase: the spine runs along a line from left to right, every created task hangs
//! below its create, and the line breaks at a width.
//!
//! ```text
//!   c──────────c──────────w        c, w: create and wait on the spine
//!   │          │          │
//! ┌─┴───┐    ┌─┴───┐      │        created tasks, left of the continuation
//! └─┬───┘    └─┬───┘      │
//!   ├──────────┴──────────┘        the join at the section's foot
//!   e
//! ```
//!
//! Every break gives another bounding box. A part keeps a handful of those that no other beats in both width and
//! height, as in slicing floorplans, and the root takes what fits a screen best. Linear in what is visible.

use crosscut_tasks::schema::Kind;

use super::parts::{Part, What, members};

/// Lengths in pixels.
pub mod size {
    /// Width of a leaf.
    pub const LEAF_W: f32 = 14.0;
    /// Height of a leaf.
    pub const LEAF_H: f32 = 12.0;
    /// From the left edge of a leaf or a closed node to where edges enter and leave.
    pub const ANCHOR: f32 = 7.0;
    /// From the top of a line to the spine that runs along it.
    pub const LANE: f32 = 6.0;
    /// Between two cells of a line.
    pub const GAP: f32 = 8.0;
    /// Between a create and its task.
    pub const DROP: f32 = 6.0;
    /// Between two lines, and above a join.
    pub const LINE: f32 = 6.0;
    /// For a lane of edges between two lines, and between the lines and a rail beside them.
    pub const RAIL: f32 = 5.0;
    /// Width over height of the picture that is aimed at.
    pub const ASPECT: f32 = 1.6;
}

/// Inner margins of an open node.
#[derive(Clone, Copy, Debug)]
pub struct Margin {
    /// Above, with room for the title.
    pub top: f32,
    /// Left and right.
    pub side: f32,
    /// Below.
    pub bottom: f32,
}

/// Inner margins by kind: a task carries its title.
pub fn margin(kind: Kind) -> Margin {
    match kind {
        Kind::Task => Margin { top: 17.0, side: 5.0, bottom: 4.0 },
        _ => Margin { top: 3.0, side: 3.0, bottom: 3.0 },
    }
}

/// How members choose among their own shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pick {
    /// The one that needs the smallest screen.
    Compact,
    /// The narrowest that is not higher than this, so that the members of a line are alike in height.
    Within(f32),
}

/// A bounding box that a part could take, and what it takes to lay it out so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Width.
    pub w: f32,
    /// Height.
    pub h: f32,
    /// Where edges enter, from the left.
    pub enter: f32,
    /// Where edges leave, from the left; never left of `enter`.
    pub leave: f32,
    /// From its top down to the top of its first visible part.
    pub above: f32,
    /// From where its last edge begins down to its bottom.
    pub below: f32,
    /// Lines break here.
    pub budget: f32,
    /// Members choose by this.
    pub pick: Pick,
}

/// The screen that a box needs, as a height.
fn screen(shape: &Shape) -> f32 {
    (shape.w / size::ASPECT).max(shape.h)
}

/// Shapes of all parts in one array.
#[derive(Debug, Default)]
pub struct Shapes {
    all: Vec<Shape>,
    first: Vec<(u32, u8)>,
}

impl Shapes {
    /// At most this many shapes are kept of one part.
    const KEPT: usize = 14;

    /// The shapes of a part, narrowest first.
    pub fn of(&self, part: usize) -> &[Shape] {
        let (first, count) = self.first[part];
        &self.all[first as usize..first as usize + count as usize]
    }

    /// The shape that a part takes when it may be `budget` wide.
    pub fn choose(&self, part: usize, budget: f32, pick: Pick) -> Shape {
        let shapes = self.of(part);
        let narrowest = shapes[0];
        let mut fitting = shapes.iter().take_while(|s| s.w <= budget);
        let best = match pick {
            Pick::Within(height) => {
                let lowest = fitting.clone().last();
                fitting.find(|s| s.h <= height).or(lowest)
            }
            Pick::Compact => fitting.min_by(|a, b| screen(a).total_cmp(&screen(b))),
        };
        best.copied().unwrap_or(narrowest)
    }

    /// The shape of the whole picture.
    pub fn root(&self) -> Shape {
        self.choose(0, f32::INFINITY, Pick::Compact)
    }

    fn keep(&mut self, part: usize, mut found: Vec<Shape>) {
        found.sort_by(|a, b| a.w.total_cmp(&b.w).then(a.h.total_cmp(&b.h)));
        let mut lowest = f32::INFINITY;
        found.retain(|shape| {
            let better = shape.h < lowest;
            lowest = lowest.min(shape.h);
            better
        });
        self.first[part] = (self.all.len() as u32, 0);
        if part == 0 {
            // Nobody chooses after the root: the best may be any.
            found.sort_by(|a, b| screen(a).total_cmp(&screen(b)));
            found.truncate(1);
        }
        let narrowest = found[0].w;
        let steps = (found[found.len() - 1].w / narrowest).ln() / (Self::KEPT - 1) as f32;
        let step_of = |shape: &Shape| ((shape.w / narrowest).ln() / steps).round() as usize;
        // Of shapes that are about as wide, the one with the least area.
        for group in found.chunk_by(|a, b| step_of(a) == step_of(b)) {
            if let Some(best) = group.iter().min_by(|a, b| (a.w * a.h).total_cmp(&(b.w * b.h))) {
                self.all.push(*best);
                self.first[part].1 += 1;
            }
        }
    }
}

/// A place on the spine with what hangs below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// A part on the spine; none when a created task has no create before it.
    pub head: Option<usize>,
    /// A created task.
    pub hang: Option<usize>,
    /// Stands below what is before it, and what follows stands below it.
    pub alone: bool,
    /// Edges enter it from above rather than from the left.
    pub from_above: bool,
    /// The head stands for folded tasks too, so it leads to the join as they would.
    pub joins: bool,
}

/// Closed nodes on the spine flow along a line when so many follow each other; fewer stand below each other.
const RUN: usize = 4;

/// The members of an open part as cells.
pub fn cells(parts: &[Part], open: usize, cells: &mut Vec<Cell>) {
    cells.clear();
    for member in members(parts, open) {
        let part = &parts[member];
        if part.beside {
            match cells.last_mut() {
                Some(cell @ Cell { alone: false, hang: None, joins: false, .. }) => cell.hang = Some(member),
                _ => cells.push(Cell {
                    head: None,
                    hang: Some(member),
                    alone: false,
                    from_above: true,
                    joins: false,
                }),
            }
        } else {
            // In a section everything on the spine flows; a task's sections stand below each other.
            let flows = part.what == What::Closed && parts[open].kind == Kind::Section;
            let alone = matches!(part.what, What::Closed | What::Open) && !flows;
            let from_above = part.what == What::Open;
            let joins = part.what == What::Gap && part.kind == Kind::Section;
            cells.push(Cell { head: Some(member), hang: None, alone, from_above, joins });
        }
    }
    // Long runs of closed nodes flow.
    let mut at = 0;
    while at < cells.len() {
        let closed =
            |cell: &Cell| cell.alone && cell.head.is_some_and(|head| parts[head].what == What::Closed);
        let run = cells[at..].iter().take_while(|cell| closed(cell)).count();
        if run >= RUN {
            for cell in &mut cells[at..at + run] {
                cell.alone = false;
            }
        }
        at += run.max(1);
    }
}

/// A cell in its line.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// The cell.
    pub cell: Cell,
    /// Where the anchor is, from the anchor of the line's first cell.
    pub x: f32,
    /// Shape of its head.
    pub head: Shape,
    /// Top of the head, from the top of the line.
    pub head_y: f32,
    /// Shape of what hangs.
    pub hang: Shape,
    /// Top of what hangs, from the top of the line.
    pub hang_y: f32,
}

/// How the spine leaves a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Exit {
    /// Down from the bottom of the last head, at this x from the line's anchor.
    Down(f32),
    /// To the right, then down beside the line, at this x from the line's anchor.
    Beside(f32),
}

impl Exit {
    /// Its x.
    pub fn x(self) -> f32 {
        match self {
            Exit::Down(x) | Exit::Beside(x) => x,
        }
    }
}

/// One line.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// Its cells: a range of [`Flow::placed`].
    pub first: usize,
    /// End of that range.
    pub end: usize,
    /// Top, from the top of the first line.
    pub y: f32,
    /// Height.
    pub h: f32,
    /// Extent left of the anchor.
    pub left: f32,
    /// Extent right of the anchor.
    pub right: f32,
    /// Something in it leads to the join.
    pub hangs: bool,
    /// How the spine leaves it.
    pub exit: Option<Exit>,
}

/// The members of one open part, laid out.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// All cells.
    pub placed: Vec<Placed>,
    /// The lines.
    pub lines: Vec<Line>,
    /// From the left inner margin to the lines' common anchor.
    pub anchor: f32,
    /// There are created tasks, so the spine goes on from a join.
    pub joins: bool,
    /// Tasks of upper lines come down along a rail left of the lines.
    pub rail: bool,
    /// Inner width.
    pub w: f32,
    /// Inner height, join included.
    pub h: f32,
}

impl Flow {
    /// Lays the cells out in lines of at most `budget`, as far as their members allow.
    pub fn lay(&mut self, cells: &[Cell], shapes: &Shapes, budget: f32, pick: Pick) {
        self.placed.clear();
        self.lines.clear();
        for &cell in cells {
            self.add(cell, shapes, budget, pick);
        }
        self.stack();
    }

    fn add(&mut self, cell: Cell, shapes: &Shapes, budget: f32, pick: Pick) {
        let choose = |part: Option<usize>| part.map(|part| shapes.choose(part, budget, pick));
        let (head, hang) = (choose(cell.head), choose(cell.hang));
        let none =
            Shape { w: 0.0, h: size::LANE, enter: 0.0, leave: 0.0, above: 0.0, below: 0.0, budget, pick };
        let left = head.map_or(0.0, |s| s.enter).max(hang.map_or(0.0, |s| s.enter));
        let right = head.map_or(0.0, |s| s.w - s.enter).max(hang.map_or(0.0, |s| s.w - s.enter));
        let fits = self.lines.last().is_some_and(|line| {
            let x = line.right + size::GAP + left;
            let before = &self.placed[self.placed.len() - 1].cell;
            // A node on the spine that opens a level stands beside tasks that run meanwhile, else below.
            !before.alone && (!cell.alone || line.hangs) && line.left + x + right <= budget
        });
        if !fits {
            let first = self.placed.len();
            self.lines.push(Line { first, end: first, left, ..Line::default() });
        }
        let Some(line) = self.lines.last_mut() else { return };
        let x = if fits { line.right + size::GAP + left } else { 0.0 };
        let head_y =
            if fits && cell.from_above && cell.head.is_some() { size::LANE + size::DROP } else { 0.0 };
        let head = head.unwrap_or(none);
        let hang_y = head_y + head.h + size::DROP;
        line.hangs |= hang.is_some() || cell.joins;
        line.right = x + right;
        line.h = line.h.max(head_y + head.h).max(hang.map_or(0.0, |s| hang_y + s.h));
        line.end += 1;
        line.exit = Some(if cell.hang.is_some() || cell.joins {
            Exit::Beside(line.right + size::RAIL)
        } else {
            Exit::Down(x + head.leave - head.enter)
        });
        self.placed.push(Placed { cell, x, head, head_y, hang: hang.unwrap_or(none), hang_y });
    }

    /// Puts the lines below each other, with room for the edges between them.
    fn stack(&mut self) {
        self.joins = self.lines.iter().any(|line| line.hangs);
        let count = self.lines.len();
        self.rail = self.lines[..count.saturating_sub(1)].iter().any(|line| line.hangs);
        self.anchor = self.lines.iter().map(|line| line.left).fold(0.0, f32::max);
        if self.rail {
            self.anchor += size::RAIL;
        }
        let mut y = 0.0;
        self.w = 0.0;
        for (i, line) in self.lines.iter_mut().enumerate() {
            line.y = y;
            y += line.h;
            let mut right = line.right;
            if let Some(Exit::Beside(x)) = line.exit {
                right = right.max(x);
            }
            self.w = self.w.max(self.anchor + right);
            if i + 1 < count {
                y += size::LINE;
                if line.hangs {
                    y += size::RAIL;
                }
                if !matches!(line.exit, Some(Exit::Down(0.0)) | None) {
                    y += size::RAIL;
                }
            } else if self.joins {
                y += size::LINE;
            }
        }
        self.h = y;
    }

    /// Where the tasks of a line that is not the last are collected, from the top of the first line.
    pub fn collect_y(&self, line: usize) -> f32 {
        self.lines[line].y + self.lines[line].h + size::RAIL
    }

    /// Where the spine comes back to the left below a line, from the top of the first line.
    pub fn return_y(&self, line: usize) -> f32 {
        self.lines[line + 1].y - size::LINE / 2.0 - 1.0
    }

    /// The shape that this layout gives to its open part.
    fn shape(&self, kind: Kind, budget: f32, pick: Pick) -> Shape {
        let margin = margin(kind);
        let anchor = margin.side + self.anchor;
        let above = self.placed.first().map_or(0.0, |first| match first.cell.head {
            Some(_) => first.head_y + first.head.above,
            None => first.hang_y + first.hang.above,
        });
        let mut leave = anchor;
        let mut below = margin.bottom;
        if let (false, Some(line), Some(last)) = (self.joins, self.lines.last(), self.placed.last()) {
            leave += line.exit.map_or(0.0, Exit::x);
            below += line.h - last.head_y - last.head.h + last.head.below;
        }
        Shape {
            w: self.w + 2.0 * margin.side,
            h: self.h + margin.top + margin.bottom,
            enter: anchor,
            leave,
            above: margin.top + above,
            below,
            budget,
            pick,
        }
    }
}

/// Shapes of all parts, members before what holds them.
pub fn shapes(parts: &[Part]) -> Shapes {
    let mut shapes = Shapes { all: Vec::with_capacity(parts.len() * 2), first: vec![(0, 0); parts.len()] };
    let mut list = Vec::new();
    let mut flow = Flow::default();
    for (i, part) in parts.iter().enumerate().rev() {
        let mut found = Vec::new();
        if part.what == What::Open && part.end > i + 1 {
            cells(parts, i, &mut list);
            let picks = picks(&list, &shapes);
            for budget in budgets(&list, &shapes) {
                for &pick in &picks {
                    flow.lay(&list, &shapes, budget, pick);
                    found.push(flow.shape(part.kind, budget, pick));
                }
            }
        } else {
            let anchor = size::ANCHOR.min(part.w / 2.0);
            found.push(Shape {
                w: part.w,
                h: part.h,
                enter: anchor,
                leave: anchor,
                above: 0.0,
                below: 0.0,
                budget: 0.0,
                pick: Pick::Compact,
            });
        }
        shapes.keep(i, found);
    }
    shapes
}

/// Ways for members to choose that are worth trying: by themselves, or at the heights that they could have.
fn picks(cells: &[Cell], shapes: &Shapes) -> Vec<Pick> {
    // With few members each height matters; with many, lines even out.
    let steps = if cells.len() <= 4 { 12 } else { 5 };
    let several = |part: &usize| shapes.of(*part).len() > 1;
    let members = cells.iter().flat_map(|cell| cell.head.into_iter().chain(cell.hang)).filter(several);
    let mut heights: Vec<f32> = members.flat_map(|part| shapes.of(part)).map(|shape| shape.h).collect();
    heights.sort_by(f32::total_cmp);
    heights.dedup();
    let mut picks = vec![Pick::Compact];
    let n = heights.len();
    let taken = n.min(steps);
    picks.extend((0..taken).map(|k| Pick::Within(heights[k * (n - 1) / (taken - 1).max(1)])));
    picks
}

/// Line widths worth trying: from the widest member alone to all members in one line.
fn budgets(cells: &[Cell], shapes: &Shapes) -> Vec<f32> {
    const STEPS: usize = 9;
    if cells.len() == 1 {
        return vec![f32::INFINITY];
    }
    let mut least: f32 = 0.0;
    let mut most = 0.0;
    for part in cells.iter().flat_map(|cell| cell.head.into_iter().chain(cell.hang)) {
        let own = shapes.of(part);
        least = least.max(own[0].w);
        most += own[own.len() - 1].w + 2.0 * size::GAP;
    }
    let most = most.max(least + 1.0);
    (0..=STEPS).map(|k| (least * (most / least.max(1.0)).powf(k as f32 / STEPS as f32)).ceil()).collect()
}
