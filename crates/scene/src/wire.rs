//! A Scene as bytes: a head in JSON and the columns behind it, as `docs/api.md` describes them. The page's decoder
//! (`ui/src/scene.ts`) reads the order of columns from a file that is generated from [`LAYOUT`].
//!
//! ```text
//! u32   n, length of the head, padded with spaces so that 4 + n is a multiple of 4
//! n     the head: JSON
//! …     columns, little-endian, each padded with zeros to a multiple of 4
//! ```
//!
//! A column whose values are all the same is not there: the head has the value.

use std::collections::BTreeMap;

use serde::Serialize;
use ts_rs::TS;

use crate::marks::{Cells, NONE, Show};
use crate::plot::Plot;
use crate::scene::{LegendItem, Scene};
use crate::style::Style;
use crate::text::TextStyle;

/// Type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// 32 bits, floating point.
    F32,
    /// 32 bits.
    U32,
    /// 16 bits.
    U16,
    /// 8 bits.
    U8,
}

impl Type {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Type::F32 => "f32",
            Type::U32 => "u32",
            Type::U16 => "u16",
            Type::U8 => "u8",
        }
    }
}

/// The columns that every kind of mark has after its own.
const KEYS: [(&str, Type); 7] = [
    ("tree", Type::U8),
    ("node", Type::U32),
    ("to", Type::U32),
    ("role", Type::U8),
    ("style", Type::U16),
    ("fill", Type::U16),
    ("id", Type::U32),
];

/// Kinds of marks in the order in which their columns follow, with their own columns.
pub const LAYOUT: [(&str, &[(&str, Type)]); 6] = [
    ("boxes", &[("x", Type::F32), ("y", Type::F32), ("w", Type::F32), ("h", Type::F32)]),
    ("links", &[("x0", Type::F32), ("y0", Type::F32), ("x1", Type::F32), ("y1", Type::F32)]),
    ("points", &[("x", Type::F32), ("y", Type::F32), ("r", Type::F32)]),
    (
        "ribbons",
        &[
            ("x0", Type::F32),
            ("top0", Type::F32),
            ("bottom0", Type::F32),
            ("x1", Type::F32),
            ("top1", Type::F32),
            ("bottom1", Type::F32),
        ],
    ),
    ("polygons", &[("end", Type::U32)]),
    ("labels", &[("x", Type::F32), ("y", Type::F32), ("w", Type::F32)]),
];

/// All columns of a kind of mark. Texts have no second end and no id.
pub fn columns_of(kind: &str) -> Vec<(&'static str, Type)> {
    let own = LAYOUT.iter().find(|(name, _)| *name == kind).map_or(&[][..], |(_, own)| *own);
    let keys = KEYS.iter().filter(|(name, _)| kind != "labels" || !["to", "id", "fill"].contains(name));
    own.iter().chain(keys).copied().collect()
}

/// A kind of mark in the head: how many, and the columns that are constant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct MarksHead {
    /// How many.
    pub n: usize,
    /// Columns of which all values are the same.
    #[ts(type = "Record<string, number>")]
    pub same: BTreeMap<&'static str, f64>,
}

/// A filled curve without its cells.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct AreaHead {
    /// Name of the layer.
    pub name: String,
    /// Tree of its node.
    pub tree: u8,
    /// The node, 2³² − 1 for none.
    pub node: u32,
    /// The other end, 2³² − 1 for none.
    pub to: u32,
    /// Tells apart marks of the same node.
    pub role: u8,
    /// Number of its style in the table.
    pub style: u16,
    /// Palette slot.
    pub fill: u16,
    /// A name that stays, 2³² − 1 for none.
    pub id: u32,
    /// Left edge of the first cell.
    pub x: f32,
    /// Width of a cell.
    pub cell: f32,
    /// Number of cells. Columns: `y0` and `y1`, f32.
    pub n: usize,
}

/// What the cells of a grid stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum CellsHead {
    /// What the grid stands for.
    None,
    /// A node each: a column of u32, one for each cell.
    Each,
    /// Node of the row, and as the other end that of the column: two columns of u32.
    Lines,
}

/// Equal cells without their levels.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct GridHead {
    /// Tree of its nodes.
    pub tree: u8,
    /// The node, 2³² − 1 for none.
    pub node: u32,
    /// The other end, 2³² − 1 for none.
    pub to: u32,
    /// Tells apart marks of the same node.
    pub role: u8,
    /// Number of its style in the table.
    pub style: u16,
    /// Palette slot; of a ramp the first.
    pub fill: u16,
    /// A name that stays, 2³² − 1 for none.
    pub id: u32,
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width.
    pub w: f32,
    /// Height.
    pub h: f32,
    /// Columns of cells.
    pub nx: u32,
    /// Rows of cells.
    pub ny: u32,
    /// Kept free at the right of each cell.
    pub gap_x: f32,
    /// Kept free below each cell.
    pub gap_y: f32,
    /// What a level looks like.
    pub show: Show,
    /// Steps of the ramp.
    pub steps: u16,
    /// Whether cells have slots of their own: a column of u8 after the levels, which are u8, too.
    pub fills: bool,
    /// What cells stand for.
    pub cells: CellsHead,
}

/// A Scene without its columns.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct SceneHead {
    /// What it shows.
    pub title: String,
    /// Extent to the right.
    pub width: f32,
    /// Extent down.
    pub height: f32,
    /// How marks look.
    pub styles: Vec<Style>,
    /// How texts are set; `style` of a label is a number in this table.
    pub texts: Vec<TextStyle>,
    /// Plots.
    pub plots: Vec<Plot>,
    /// Rectangles.
    pub boxes: MarksHead,
    /// Edges.
    pub links: MarksHead,
    /// Points.
    pub points: MarksHead,
    /// Bands.
    pub ribbons: MarksHead,
    /// Outlines; after their columns follow `x` and `y` of all their points, f32, as many as the last `end`.
    pub polygons: MarksHead,
    /// Texts.
    pub labels: MarksHead,
    /// What they say.
    pub words: Vec<String>,
    /// Filled curves, after the marks.
    pub areas: Vec<AreaHead>,
    /// Cells, after the areas.
    pub grids: Vec<GridHead>,
    /// What colours and styles say.
    pub legend: Vec<LegendItem>,
    /// What was left out or merged, in words.
    pub note: Option<String>,
}

/// A column that is about to be sent.
enum Values<'a> {
    F32(&'a [f32]),
    U32(&'a [u32]),
    U16(&'a [u16]),
    U8(&'a [u8]),
}

impl Values<'_> {
    /// The value that all have, if they do. What is no number is sent as it is.
    fn same(&self) -> Option<f64> {
        fn all<T: Copy + PartialEq + Into<f64>>(values: &[T]) -> Option<f64> {
            let &first = values.first()?;
            let value: f64 = first.into();
            (value.is_finite() && values.iter().all(|&value| value == first)).then_some(value)
        }
        match self {
            Values::F32(values) => all(values),
            Values::U32(values) => all(values),
            Values::U16(values) => all(values),
            Values::U8(values) => all(values),
        }
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        match self {
            Values::F32(values) => values.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes())),
            Values::U32(values) => values.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes())),
            Values::U16(values) => values.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes())),
            Values::U8(values) => bytes.extend_from_slice(values),
        }
        while !bytes.len().is_multiple_of(4) {
            bytes.push(0);
        }
    }
}

/// The columns of one kind of mark, in the order of [`columns_of`].
fn columns_in<'a>(scene: &'a Scene, labels: &'a Texts, kind: &str) -> Vec<Values<'a>> {
    macro_rules! list {
        ($marks:expr; $($own:ident)*) => {{
            let marks = &$marks;
            vec![
                $(Values::F32(&marks.$own),)*
                Values::U8(&marks.tree),
                Values::U32(&marks.node),
                Values::U32(&marks.to),
                Values::U8(&marks.role),
                Values::U16(&marks.style),
                Values::U16(&marks.fill),
                Values::U32(&marks.id),
            ]
        }};
    }
    match kind {
        "boxes" => list!(scene.boxes; x y w h),
        "links" => list!(scene.links; x0 y0 x1 y1),
        "points" => list!(scene.points; x y r),
        "ribbons" => list!(scene.ribbons; x0 top0 bottom0 x1 top1 bottom1),
        "polygons" => {
            let mut all = list!(scene.polygons;);
            all.insert(0, Values::U32(&scene.polygons.end));
            all
        }
        _ => vec![
            Values::F32(&labels.x),
            Values::F32(&labels.y),
            Values::F32(&labels.w),
            Values::U8(&labels.tree),
            Values::U32(&labels.node),
            Values::U8(&labels.role),
            Values::U16(&labels.style),
        ],
    }
}

/// Labels as columns.
#[derive(Default)]
struct Texts {
    x: Vec<f32>,
    y: Vec<f32>,
    w: Vec<f32>,
    tree: Vec<u8>,
    node: Vec<u32>,
    role: Vec<u8>,
    style: Vec<u16>,
    styles: Vec<TextStyle>,
}

impl Texts {
    fn of(scene: &Scene) -> Self {
        let mut texts = Texts::default();
        for label in &scene.labels {
            texts.x.push(label.x);
            texts.y.push(label.y);
            texts.w.push(label.w);
            texts.tree.push(label.tree);
            texts.node.push(label.node);
            texts.role.push(label.role);
            let known = texts.styles.iter().rposition(|style| *style == label.style);
            texts.style.push(known.unwrap_or(texts.styles.len()) as u16);
            if known.is_none() {
                texts.styles.push(label.style);
            }
        }
        texts
    }
}

/// A column of which the head has the value is not sent.
fn is_sent(column: &Values<'_>) -> bool {
    column.same().is_none()
}

/// The scene without its columns.
pub fn head(scene: &Scene) -> SceneHead {
    let texts = Texts::of(scene);
    let marks = |kind: &str, n: usize| {
        let columns = columns_of(kind).into_iter().zip(columns_in(scene, &texts, kind));
        let same = columns.filter_map(|((name, _), values)| values.same().map(|value| (name, value)));
        MarksHead { n, same: same.collect() }
    };
    let mut plots = scene.plots.clone();
    for (i, plot) in plots.iter_mut().enumerate() {
        plot.marks = scene.ranges(i);
    }
    SceneHead {
        title: scene.title.clone(),
        width: scene.width,
        height: scene.height,
        styles: scene.styles.all().to_vec(),
        plots,
        boxes: marks("boxes", scene.boxes.len()),
        links: marks("links", scene.links.len()),
        points: marks("points", scene.points.len()),
        ribbons: marks("ribbons", scene.ribbons.len()),
        polygons: marks("polygons", scene.polygons.len()),
        labels: marks("labels", scene.labels.len()),
        words: scene.labels.iter().map(|label| label.text.clone()).collect(),
        areas: scene.areas.iter().map(area_head).collect(),
        grids: scene.grids.iter().map(grid_head).collect(),
        legend: scene.legend.clone(),
        note: scene.note.clone(),
        texts: texts.styles,
    }
}

fn area_head(area: &crate::marks::Area) -> AreaHead {
    let mark = area.mark;
    AreaHead {
        name: area.name.clone(),
        tree: mark.tree,
        node: mark.node,
        to: mark.to,
        role: mark.role,
        style: mark.style,
        fill: mark.fill,
        id: mark.id,
        x: area.x,
        cell: area.cell,
        n: area.y0.len().min(area.y1.len()),
    }
}

fn grid_head(grid: &crate::marks::Grid) -> GridHead {
    let mark = grid.mark;
    GridHead {
        tree: mark.tree,
        node: mark.node,
        to: mark.to,
        role: mark.role,
        style: mark.style,
        fill: mark.fill,
        id: mark.id,
        x: grid.x,
        y: grid.y,
        w: grid.w,
        h: grid.h,
        nx: grid.nx,
        ny: grid.ny,
        gap_x: grid.gap_x,
        gap_y: grid.gap_y,
        show: grid.show,
        steps: grid.steps,
        fills: !grid.fill.is_empty(),
        cells: match grid.cells {
            Cells::None => CellsHead::None,
            Cells::Each(_) => CellsHead::Each,
            Cells::Lines { .. } => CellsHead::Lines,
        },
    }
}

/// Exactly `n` values: missing ones are `none`.
fn exactly<T: Copy>(values: &[T], n: usize, none: T) -> Vec<T> {
    let mut out = values[..n.min(values.len())].to_vec();
    out.resize(n, none);
    out
}

/// Appends the columns of a scene.
pub fn columns(bytes: &mut Vec<u8>, scene: &Scene) {
    let texts = Texts::of(scene);
    for (kind, _) in LAYOUT {
        for column in columns_in(scene, &texts, kind) {
            if is_sent(&column) {
                column.put(bytes);
            }
        }
        if kind == "polygons" {
            Values::F32(&scene.polygons.x).put(bytes);
            Values::F32(&scene.polygons.y).put(bytes);
        }
    }
    for area in &scene.areas {
        let n = area.y0.len().min(area.y1.len());
        Values::F32(&area.y0[..n]).put(bytes);
        Values::F32(&area.y1[..n]).put(bytes);
    }
    for grid in &scene.grids {
        let n = grid.nx as usize * grid.ny as usize;
        Values::U8(&exactly(&grid.level, n, 0)).put(bytes);
        if !grid.fill.is_empty() {
            Values::U8(&exactly(&grid.fill, n, 0)).put(bytes);
        }
        match &grid.cells {
            Cells::None => {}
            Cells::Each(nodes) => Values::U32(&exactly(nodes, n, NONE)).put(bytes),
            Cells::Lines { rows, columns } => {
                Values::U32(&exactly(rows, grid.ny as usize, NONE)).put(bytes);
                Values::U32(&exactly(columns, grid.nx as usize, NONE)).put(bytes);
            }
        }
    }
}

/// JSON with its length before it, padded such that what follows is aligned.
pub fn frame(json: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, json)?;
    while !bytes.len().is_multiple_of(4) {
        bytes.push(b' ');
    }
    let length = (bytes.len() - 4) as u32;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

/// A scene on its own: its head, framed, and its columns.
pub fn encode(scene: &Scene) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = frame(&head(scene))?;
    columns(&mut bytes, scene);
    Ok(bytes)
}

/// A column in the bytes that follow a head.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its values.
    pub values: FoundValues,
    /// How many.
    pub n: usize,
}

/// Where the values of a column are.
#[derive(Clone, Debug, PartialEq)]
pub enum FoundValues {
    /// All the same.
    Same(f64),
    /// From this byte on.
    At(usize, Type),
}

impl Found {
    /// A value.
    pub fn get(&self, bytes: &[u8], i: usize) -> Option<f64> {
        if i >= self.n {
            return None;
        }
        match self.values {
            FoundValues::Same(value) => Some(value),
            FoundValues::At(at, of) => {
                let read = |size: usize| bytes.get(at + i * size..at + (i + 1) * size);
                Some(match of {
                    Type::F32 => f64::from(f32::from_le_bytes(read(4)?.try_into().ok()?)),
                    Type::U32 => f64::from(u32::from_le_bytes(read(4)?.try_into().ok()?)),
                    Type::U16 => f64::from(u16::from_le_bytes(read(2)?.try_into().ok()?)),
                    Type::U8 => f64::from(*bytes.get(at + i)?),
                })
            }
        }
    }
}

/// The columns of a scene by kind and name, and how many bytes they take, from a head that came as JSON. Points of polygons
/// are `polygons.x` and `polygons.y`; areas and grids have their number in the name: `areas.0.y1`, `grids.2.level`.
pub fn find(head: &serde_json::Value, bytes: &[u8]) -> Option<(BTreeMap<String, Found>, usize)> {
    let mut all = BTreeMap::new();
    let mut at = 0;
    let mut take = |name: String, of: Type, n: usize, at: &mut usize| {
        let size = match of {
            Type::F32 | Type::U32 => 4,
            Type::U16 => 2,
            Type::U8 => 1,
        };
        all.insert(name, Found { values: FoundValues::At(*at, of), n });
        *at += (n * size).next_multiple_of(4);
    };
    let mut constant = Vec::new();
    for (kind, _) in LAYOUT {
        let n = head[kind]["n"].as_u64()? as usize;
        let mut corners = 0;
        for (name, of) in columns_of(kind) {
            let from = at;
            match head[kind]["same"].get(name) {
                Some(value) => {
                    let value = value.as_f64()?;
                    // The value of a 32-bit column, whatever JSON made of it.
                    let values =
                        FoundValues::Same(if of == Type::F32 { f64::from(value as f32) } else { value });
                    constant.push((format!("{kind}.{name}"), Found { values, n }));
                }
                None => take(format!("{kind}.{name}"), of, n, &mut at),
            }
            if name == "end" && n > 0 {
                corners = match head[kind]["same"].get(name) {
                    Some(value) => value.as_f64()? as usize,
                    None => Found { values: FoundValues::At(from, of), n }.get(bytes, n - 1)? as usize,
                };
            }
        }
        if kind == "polygons" {
            take("polygons.x".to_owned(), Type::F32, corners, &mut at);
            take("polygons.y".to_owned(), Type::F32, corners, &mut at);
        }
    }
    for (i, area) in head["areas"].as_array()?.iter().enumerate() {
        let n = area["n"].as_u64()? as usize;
        take(format!("areas.{i}.y0"), Type::F32, n, &mut at);
        take(format!("areas.{i}.y1"), Type::F32, n, &mut at);
    }
    for (i, grid) in head["grids"].as_array()?.iter().enumerate() {
        let (nx, ny) = (grid["nx"].as_u64()? as usize, grid["ny"].as_u64()? as usize);
        take(format!("grids.{i}.level"), Type::U8, nx * ny, &mut at);
        if grid["fills"].as_bool()? {
            take(format!("grids.{i}.fill"), Type::U8, nx * ny, &mut at);
        }
        match grid["cells"].as_str()? {
            "each" => take(format!("grids.{i}.nodes"), Type::U32, nx * ny, &mut at),
            "lines" => {
                take(format!("grids.{i}.rows"), Type::U32, ny, &mut at);
                take(format!("grids.{i}.columns"), Type::U32, nx, &mut at);
            }
            _ => {}
        }
    }
    all.extend(constant);
    Some((all, at))
}
