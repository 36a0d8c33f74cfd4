//! The assignment problem on a table that is mostly empty: each row is given at most one column and each column to at most one
//! row, such that the gains of the cells that are taken add up to the most.
//!
//! The Hungarian method with shortest paths over the cells that there are. Each row and each column has a price; a cell's *slack* is what the
//! prices of its row and column are beyond its gain, never less than 0. Rows are assigned one by one, along the path of least slack to a column
//! that is free, or to a row that is better off without one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A cell that is not empty. There is at most one for each row and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its row.
    pub row: usize,
    /// Its column.
    pub column: usize,
    /// What taking it gains, more than 0.
    pub gain: i64,
}

/// No row, no column, no cell.
const NONE: usize = usize::MAX;

/// The cells to take, by their numbers.
pub fn heaviest(rows: usize, columns: usize, cells: &[Cell]) -> Vec<usize> {
    let mut search = Search::new(rows, columns, cells);
    for row in 0..rows {
        search.assign(row);
    }
    let mut taken: Vec<usize> = search.taken.into_iter().filter(|&cell| cell != NONE).collect();
    taken.sort_unstable();
    taken
}

struct Search<'a> {
    cells: &'a [Cell],
    /// Cells row by row: where those of each row begin, and their numbers.
    first: Vec<usize>,
    of_row: Vec<usize>,
    row_price: Vec<i64>,
    column_price: Vec<i64>,
    /// By column: the cell that is taken.
    taken: Vec<usize>,
    /// By column: the least slack on a way to it, and the last cell of that way.
    slack: Vec<i64>,
    way: Vec<usize>,
    /// Columns that were reached in this search.
    reached: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(rows: usize, columns: usize, cells: &'a [Cell]) -> Self {
        let mut first = vec![0; rows + 1];
        cells.iter().for_each(|cell| first[cell.row + 1] += 1);
        (0..rows).for_each(|row| first[row + 1] += first[row]);
        let mut next = first.clone();
        let (mut of_row, mut row_price) = (vec![0; cells.len()], vec![0; rows]);
        for (number, cell) in cells.iter().enumerate() {
            of_row[next[cell.row]] = number;
            next[cell.row] += 1;
            row_price[cell.row] = cell.gain.max(row_price[cell.row]);
        }
        let (column_price, taken) = (vec![0; columns], vec![NONE; columns]);
        let (slack, way) = (vec![i64::MAX; columns], vec![NONE; columns]);
        Search { cells, first, of_row, row_price, column_price, taken, slack, way, reached: Vec::new() }
    }

    fn assign(&mut self, start: usize) {
        let mut heap: BinaryHeap<Reverse<(i64, usize)>> = BinaryHeap::new();
        // Rows on the way, each with the slack at which it was reached.
        let mut rows = vec![(start, 0)];
        // The column at which it is best to end: one that is free, or one that its row does better without. None leaves the first row without.
        let (mut least, mut end) = (self.row_price[start], NONE);
        self.look(start, 0, &mut heap);
        while let Some(Reverse((slack, column))) = heap.pop() {
            if slack >= least {
                break;
            }
            if slack > self.slack[column] {
                continue;
            }
            match self.taken[column] {
                NONE => {
                    (least, end) = (slack, column);
                    break;
                }
                cell => {
                    let row = self.cells[cell].row;
                    rows.push((row, slack));
                    if slack + self.row_price[row] < least {
                        (least, end) = (slack + self.row_price[row], column);
                    }
                    self.look(row, slack, &mut heap);
                }
            }
        }
        for (row, slack) in rows {
            self.row_price[row] -= (least - slack).max(0);
        }
        for column in self.reached.drain(..) {
            self.column_price[column] += (least - self.slack[column]).max(0);
            self.slack[column] = i64::MAX;
        }
        if end != NONE {
            self.take(start, end);
        }
    }

    /// Goes from a row to its columns.
    fn look(&mut self, row: usize, slack: i64, heap: &mut BinaryHeap<Reverse<(i64, usize)>>) {
        for &number in &self.of_row[self.first[row]..self.first[row + 1]] {
            let cell = self.cells[number];
            let there = slack + self.row_price[row] + self.column_price[cell.column] - cell.gain;
            if there < self.slack[cell.column] {
                if self.slack[cell.column] == i64::MAX {
                    self.reached.push(cell.column);
                }
                (self.slack[cell.column], self.way[cell.column]) = (there, number);
                heap.push(Reverse((there, cell.column)));
            }
        }
    }

    /// Takes the cells of the way to a column, and gives up those between them.
    fn take(&mut self, start: usize, mut column: usize) {
        loop {
            let cell = self.way[column];
            let row = self.cells[cell].row;
            // The column that this row had is free for the row before it.
            let before = if row == start { NONE } else { self.column_of(row) };
            self.taken[column] = cell;
            if before == NONE {
                return;
            }
            column = before;
        }
    }

    /// The column that a row has.
    fn column_of(&self, row: usize) -> usize {
        let numbers = &self.of_row[self.first[row]..self.first[row + 1]];
        let has = |number: &&usize| self.taken[self.cells[**number].column] == **number;
        numbers.iter().find(has).map_or(NONE, |&number| self.cells[number].column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosscut_chance::Chance;
    use pathfinding::kuhn_munkres::kuhn_munkres;
    use pathfinding::matrix::Matrix;

    /// The whole table by another implementation; an empty cell gains nothing.
    fn of_table(rows: usize, columns: usize, cells: &[Cell]) -> i64 {
        let mut table = Matrix::new(rows.min(columns), rows.max(columns), 0i64);
        for cell in cells {
            let at = if rows <= columns { (cell.row, cell.column) } else { (cell.column, cell.row) };
            table[at] = cell.gain;
        }
        kuhn_munkres(&table).0
    }

    fn any(chance: &mut Chance, rows: usize, columns: usize, share: f64, most: u64) -> Vec<Cell> {
        let mut cells = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                if (chance.below(1000) as f64) < share * 1000.0 {
                    cells.push(Cell { row, column, gain: 1 + chance.below(most) as i64 });
                }
            }
        }
        // In any order.
        for at in (1..cells.len()).rev() {
            cells.swap(at, chance.index(at + 1));
        }
        cells
    }

    #[test]
    fn it_gains_as_much_as_the_whole_table() {
        let mut chance = Chance::new(31);
        for round in 0..600 {
            let (rows, columns) = (1 + chance.index(14), 1 + chance.index(14));
            // Few different gains make many ties.
            let most = if round % 2 == 0 { 3 } else { 1000 };
            let share = [0.15, 0.4, 1.0][round % 3];
            let cells = any(&mut chance, rows, columns, share, most);
            let taken = heaviest(rows, columns, &cells);
            let (mut row, mut column) = (vec![false; rows], vec![false; columns]);
            for &number in &taken {
                let cell = cells[number];
                assert!(!row[cell.row] && !column[cell.column], "twice: {cells:?} {taken:?}");
                (row[cell.row], column[cell.column]) = (true, true);
            }
            let gain: i64 = taken.iter().map(|&number| cells[number].gain).sum();
            assert_eq!(gain, of_table(rows, columns, &cells), "{rows}×{columns}: {cells:?}");
        }
    }

    #[test]
    fn large_tables_with_few_cells() {
        let mut chance = Chance::new(32);
        let cells = any(&mut chance, 120, 150, 0.03, 20);
        let gain: i64 = heaviest(120, 150, &cells).iter().map(|&number| cells[number].gain).sum();
        assert_eq!(gain, of_table(120, 150, &cells));
        assert_eq!(heaviest(0, 0, &[]), Vec::<usize>::new());
        assert_eq!(heaviest(3, 3, &[]), Vec::<usize>::new());
    }
}
