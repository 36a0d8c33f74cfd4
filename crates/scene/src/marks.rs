//! The kinds of marks, one entry per column per mark. Every mark says what it stands for ([`Mark`]) beside its own
//! coordinates. Columns that are constant are sent once (see [`crate::wire`]), so a layout just pushes.

use serde::Serialize;
use ts_rs::TS;

/// No node, no second end, no id.
pub const NONE: u32 = u32::MAX;

/// What a mark stands for, and its looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Which of the view's trees the nodes are of.
    pub tree: u8,
    /// The node, or [`NONE`].
    pub node: u32,
    /// The other end of an edge, ribbon or cell, or [`NONE`].
    pub to: u32,
    /// Tells apart several marks of the same node: the layout's own numbers.
    pub role: u8,
    /// Number of its style in the scene's table.
    pub style: u16,
    /// Palette slot.
    pub fill: u16,
    /// A name that stays where node numbers do not, or [`NONE`].
    pub id: u32,
}

impl Default for Mark {
    fn default() -> Self {
        Mark::none()
    }
}

impl Mark {
    /// Stands for nothing.
    pub const fn none() -> Self {
        Mark { tree: 0, node: NONE, to: NONE, role: 0, style: 0, fill: 0, id: NONE }
    }

    /// Stands for a node of the first tree.
    pub const fn of(node: u32) -> Self {
        Mark { node, ..Mark::none() }
    }

    /// Stands for a pair of nodes of the first tree.
    pub const fn pair(node: u32, to: u32) -> Self {
        Mark { node, to, ..Mark::none() }
    }

    /// In another tree.
    pub const fn tree(self, tree: u8) -> Self {
        Mark { tree, ..self }
    }

    /// In another role.
    pub const fn role(self, role: u8) -> Self {
        Mark { role, ..self }
    }

    /// With this style and palette slot.
    pub const fn looks(self, style: u16, fill: u16) -> Self {
        Mark { style, fill, ..self }
    }

    /// With a name of its own.
    pub const fn id(self, id: u32) -> Self {
        Mark { id, ..self }
    }
}

macro_rules! columns {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $column:ident),+ }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[$of])* pub $column: Vec<f32>,)+
            /// Tree of the nodes.
            pub tree: Vec<u8>,
            /// The node it stands for, or [`NONE`].
            pub node: Vec<u32>,
            /// The other end, or [`NONE`].
            pub to: Vec<u32>,
            /// Tells apart marks of the same node.
            pub role: Vec<u8>,
            /// Number of its style in the table.
            pub style: Vec<u16>,
            /// Palette slot.
            pub fill: Vec<u16>,
            /// A name that stays, or [`NONE`].
            pub id: Vec<u32>,
        }

        impl $name {
            /// Appends one mark.
            pub fn push(&mut self, [$($column),+]: [f32; columns!(@count $($column)+)], mark: Mark) {
                $(self.$column.push($column);)+
                self.keys(mark);
            }
        }

        columns!(@keys $name);
    };
    (@keys $name:ident) => {
        impl $name {
            fn keys(&mut self, mark: Mark) {
                self.tree.push(mark.tree);
                self.node.push(mark.node);
                self.to.push(mark.to);
                self.role.push(mark.role);
                self.style.push(mark.style);
                self.fill.push(mark.fill);
                self.id.push(mark.id);
            }

            /// Number of marks.
            pub fn len(&self) -> usize {
                self.node.len()
            }

            /// Whether there are none.
            pub fn is_empty(&self) -> bool {
                self.node.is_empty()
            }

            /// What a mark stands for.
            pub fn mark(&self, i: usize) -> Mark {
                Mark {
                    tree: self.tree[i],
                    node: self.node[i],
                    to: self.to[i],
                    role: self.role[i],
                    style: self.style[i],
                    fill: self.fill[i],
                    id: self.id[i],
                }
            }
        }
    };
    (@count) => { 0 };
    (@count $first:ident $($rest:ident)*) => { 1 + columns!(@count $($rest)*) };
}

columns! {
    /// Rectangular marks.
    Boxes {
        /// Left edge.
        x,
        /// Top edge.
        y,
        /// Width.
        w,
        /// Height.
        h
    }
}

columns! {
    /// Strokes. An edge with bends is several strokes with the same nodes; a stretch that edges share is one stroke of one
    /// of them.
    Links {
        /// Start x.
        x0,
        /// Start y.
        y0,
        /// End x.
        x1,
        /// End y.
        y1
    }
}

columns! {
    /// Marks around a point.
    Points {
        /// Middle.
        x,
        /// Middle.
        y,
        /// Radius.
        r
    }
}

columns! {
    /// Bands between two upright ends.
    Ribbons {
        /// Where the first end is.
        x0,
        /// Its top.
        top0,
        /// Its bottom.
        bottom0,
        /// Where the second end is.
        x1,
        /// Its top.
        top1,
        /// Its bottom.
        bottom1
    }
}

/// Outlines of any form, or lines through points when their style's shape is a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygons {
    /// Points of all of them, one after the other.
    pub x: Vec<f32>,
    /// See `x`.
    pub y: Vec<f32>,
    /// Where the points of each end.
    pub end: Vec<u32>,
    /// Tree of the nodes.
    pub tree: Vec<u8>,
    /// The node it stands for, or [`NONE`].
    pub node: Vec<u32>,
    /// The other end, or [`NONE`].
    pub to: Vec<u32>,
    /// Tells apart marks of the same node.
    pub role: Vec<u8>,
    /// Number of its style in the table.
    pub style: Vec<u16>,
    /// Palette slot.
    pub fill: Vec<u16>,
    /// A name that stays, or [`NONE`].
    pub id: Vec<u32>,
}

columns!(@keys Polygons);

impl Polygons {
    /// Appends one mark.
    pub fn push(&mut self, points: impl IntoIterator<Item = (f32, f32)>, mark: Mark) {
        for (x, y) in points {
            self.x.push(x);
            self.y.push(y);
        }
        self.end.push(self.x.len() as u32);
        self.keys(mark);
    }

    /// Points of one mark.
    pub fn points(&self, i: usize) -> impl Iterator<Item = (f32, f32)> + '_ {
        let from = if i == 0 { 0 } else { self.end[i - 1] as usize };
        let range = from..self.end[i] as usize;
        self.x[range.clone()].iter().copied().zip(self.y[range].iter().copied())
    }
}

/// A filled step curve over equal cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Area {
    /// Name of the layer, as in the legend.
    pub name: String,
    /// What it stands for, and its looks.
    pub mark: Mark,
    /// Left edge of the first cell.
    pub x: f32,
    /// Width of one cell.
    pub cell: f32,
    /// Lower border of each cell.
    pub y0: Vec<f32>,
    /// Upper border of each cell.
    pub y1: Vec<f32>,
}

/// How the level of a cell is shown. A level of 0 is an empty cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Show {
    /// A bar from the foot of the cell, as high as the level.
    #[default]
    Height,
    /// The whole cell, in the steps of a ramp that begins with the slot of the grid.
    Ramp,
    /// The whole cell in its slot.
    Solid,
}

/// What the cells of a grid stand for.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cells {
    /// All of them for what the grid stands for.
    #[default]
    None,
    /// A node each, row by row ([`NONE`]: none).
    Each(Vec<u32>),
    /// The node of their row, and as the other end that of their column.
    Lines {
        /// Nodes of the rows.
        rows: Vec<u32>,
        /// Nodes of the columns.
        columns: Vec<u32>,
    },
}

/// Equal cells in rows and columns, for what is too dense to draw one by one.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width of all columns.
    pub w: f32,
    /// Height of all rows.
    pub h: f32,
    /// Number of columns.
    pub nx: u32,
    /// Number of rows.
    pub ny: u32,
    /// Kept free at the right of each cell.
    pub gap_x: f32,
    /// Kept free below each cell.
    pub gap_y: f32,
    /// What a level looks like.
    pub show: Show,
    /// Steps of the ramp.
    pub steps: u16,
    /// Tree, role, style and slot; and the node where cells have none.
    pub mark: Mark,
    /// Level of each cell, row by row.
    pub level: Vec<u8>,
    /// Slot of each cell; empty when all have that of the grid.
    pub fill: Vec<u8>,
    /// What the cells stand for.
    pub cells: Cells,
}

impl Grid {
    /// No cells yet.
    pub fn new([x, y, w, h]: [f32; 4], nx: u32, ny: u32, mark: Mark) -> Self {
        Grid {
            x,
            y,
            w,
            h,
            nx,
            ny,
            gap_x: 0.0,
            gap_y: 0.0,
            show: Show::Height,
            steps: 1,
            mark,
            level: Vec::new(),
            fill: Vec::new(),
            cells: Cells::None,
        }
    }

    /// In the steps of a ramp.
    pub fn ramp(mut self, ramp: crate::palette::Ramp) -> Self {
        self.show = Show::Ramp;
        self.mark.fill = ramp.first;
        self.steps = ramp.steps;
        self
    }

    /// Slot of a cell; none when it is empty.
    pub fn slot(&self, cell: usize) -> Option<u16> {
        let level = self.level.get(cell).copied().filter(|&level| level > 0)?;
        Some(match self.show {
            Show::Ramp => self.mark.fill + crate::palette::step(level, self.steps),
            _ => self.fill.get(cell).map_or(self.mark.fill, |&fill| u16::from(fill)),
        })
    }
}
