//! Who handed control to whom: a matrix of workers, darker for more. What stayed on the same worker does not set the scale,
//! since it would hide everything else.

use std::borrow::Cow;

use crosscut_scene::format::{count, short_count};
use crosscut_scene::palette::{Ramp, slot};
use crosscut_scene::{Align, Cells, Grid, LegendItem, Mark, Plot, Rect, Scene, Style};
use crosscut_tasks::Tasks;
use crosscut_tasks::schema::Edge;
use crosscut_workbench::{Refusal, Size, place_nodes};

use super::note;

/// With more workers than this, neighbours share a row of the matrix.
const MATRIX: usize = 64;
const LEFT: f32 = 64.0;
const TOP: f32 = 20.0;
/// Cells this wide have their number in them.
const WITH_NUMBER: f32 = 36.0;
/// Largest cell.
const CELL: f32 = 44.0;

/// Transfers between groups of neighbouring workers.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// Rows, and columns.
    pub rows: usize,
    /// Workers that share a row.
    pub share: usize,
    /// Row by row: from, to.
    pub count: Vec<i64>,
}

/// Transfers along one kind of edge, or along all. Between workers only: what several workers ran has no one row.
pub fn matrix(tasks: &Tasks, edge: Option<Edge>) -> Matrix {
    let workers = tasks.workers();
    let share = workers.div_ceil(MATRIX).max(1);
    let rows = workers.div_ceil(share);
    let mut matrix = Matrix { rows, share, count: vec![0; rows * rows] };
    for found in &tasks.summary().migrations {
        let (from, to) = (found.from as usize / share, found.to as usize / share);
        if (found.from.max(found.to) as usize) < workers {
            let count = match edge {
                Some(edge) => found.counts[edge as usize],
                None => found.counts.iter().copied().fold(0, i64::saturating_add),
            };
            let sum = &mut matrix.count[from * rows + to];
            *sum = sum.saturating_add(count);
        }
    }
    matrix
}

fn edge(word: &str) -> Result<Option<Edge>, Refusal> {
    if word == "all" {
        return Ok(None);
    }
    let found = Edge::ALL.into_iter().find(|edge| edge.word() == word);
    found.map(Some).ok_or_else(|| {
        let words: Vec<&str> = Edge::ALL.iter().map(|edge| edge.word()).collect();
        let word: String = word.chars().take(40).collect();
        Refusal::new(format!("`{word}` is no kind of edge; write all, {}", words.join(", ")))
    })
}

/// Draws it.
pub fn draw(tasks: &Tasks, word: &str, size: Size) -> Result<Scene, Refusal> {
    let matrix = matrix(tasks, edge(word)?);
    let n = matrix.rows;
    let room = (size.w - LEFT - 8.0).min(size.h - TOP - 8.0).max(8.0);
    let cell = (room / n.max(1) as f32).min(CELL);
    let side = cell * n as f32;
    let title = format!("{} · migrations", tasks.run().name());
    let mut scene = Scene { title, width: size.w, height: size.h, ..Scene::default() };
    scene.begin(Plot { rect: Rect { x: 0.0, y: 0.0, w: size.w, h: size.h }, ..Plot::default() });
    note(&mut scene, (LEFT, TOP - 6.0), side, "to →", Align::Start);
    note(&mut scene, (LEFT - 6.0, TOP - 6.0), LEFT - 8.0, "from ↓", Align::End);
    let most = (0..n * n).filter(|i| i / n != i % n).map(|i| matrix.count[i]).max().unwrap_or(0);
    cells(&mut scene, &matrix, &place_nodes(tasks.places()), cell, most);
    numbers(&mut scene, &matrix, cell);
    row_names(&mut scene, tasks, &matrix, cell);
    let ends = ("1".to_owned(), count(most.max(1)));
    scene.legend.push(LegendItem::ramp(Ramp::MORE, ends, "transfers to another worker"));
    let all = matrix.count.iter().copied().fold(0, i64::saturating_add);
    let stayed: i64 = (0..n).map(|i| matrix.count[i * n + i]).fold(0, i64::saturating_add);
    scene.note = Some(format!("{} of {} transfers went to another worker", count(all - stayed), count(all)));
    Ok(scene)
}

fn cells(scene: &mut Scene, matrix: &Matrix, places: &[u32], cell: f32, most: i64) {
    let n = matrix.rows;
    let style = Style {
        meaning: Cow::Borrowed("transfers from the worker of the row to that of the column"),
        ..Style::GROUND
    };
    let style = scene.styles.put(&style);
    let diagonal = scene.styles.put(&Style { hit: false, ..Style::BOX });
    let gap = if cell > 5.0 { 1.0 } else { 0.0 };
    for i in 0..n {
        let (x, y) = (LEFT + i as f32 * cell, TOP + i as f32 * cell);
        scene.boxes.push([x, y, cell - gap, cell - gap], Mark::none().looks(diagonal, slot::GRID));
    }
    let side = cell * n as f32;
    let mark = Mark::none().looks(style, slot::MUTED);
    let mut grid = Grid::new([LEFT, TOP, side, side], n as u32, n as u32, mark).ramp(Ramp::MORE);
    (grid.gap_x, grid.gap_y) = (gap, gap);
    grid.level = (0..n * n).map(|i| if i / n == i % n { 0 } else { level(matrix.count[i], most) }).collect();
    // Rows that several workers share stand for none of them.
    if matrix.share == 1 {
        let nodes: Vec<u32> = places.iter().copied().take(n).collect();
        grid.cells = Cells::Lines { rows: nodes.clone(), columns: nodes };
    }
    scene.grids.push(grid);
}

/// By the logarithm; anything at all is seen.
fn level(value: i64, most: i64) -> u8 {
    if value <= 0 {
        return 0;
    }
    let share = (value as f64).ln_1p() / (most.max(1) as f64).ln_1p();
    (share * 255.0).round().clamp(1.0, 255.0) as u8
}

fn numbers(scene: &mut Scene, matrix: &Matrix, cell: f32) {
    if cell < WITH_NUMBER {
        return;
    }
    let n = matrix.rows;
    for i in (0..n * n).filter(|i| i / n != i % n && matrix.count[*i] > 0) {
        let (x, y) = (LEFT + ((i % n) as f32 + 0.5) * cell, TOP + ((i / n) as f32 + 0.5) * cell + 4.0);
        let style = crosscut_scene::TextStyle {
            align: Align::Middle,
            ink: crosscut_scene::Ink::Slot(slot::TEXT),
            plate: crosscut_scene::Plate::Halo,
            ..crosscut_scene::TextStyle::PLAIN
        };
        let text = short_count(matrix.count[i]);
        scene.labels.push(crosscut_scene::Label::new((x, y), cell, text, style));
    }
}

fn row_names(scene: &mut Scene, tasks: &Tasks, matrix: &Matrix, cell: f32) {
    let every = (12.0 / cell.max(1.0)).ceil().max(1.0) as usize;
    for row in (0..matrix.rows).step_by(every) {
        let first = row * matrix.share;
        let last = (first + matrix.share).min(tasks.workers()).saturating_sub(1);
        let text = if first == last { format!("worker {first}") } else { format!("{first}–{last}") };
        let y = TOP + row as f32 * cell + (cell / 2.0 + 4.0).max(10.0);
        note(scene, (LEFT - 6.0, y), LEFT - 8.0, text, Align::End);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_seen() {
        assert_eq!((level(0, 10), level(1, 1_000_000_000), level(10, 10)), (0, 9, 255));
    }
}
