//! Blocks as plain text, for a terminal. Pictures are left out there.

use std::borrow::Cow;

use serde_json::Map;

use crate::domain::{Compared, Told, Topic};
use crate::error::Refusal;
use crate::sheet::{Block, Cell, Fact, Finding, Table, Tone};
use crosscut_scene::format::share;
use crosscut_scene::printable::printable;

/// A name and what is said of it, in a column of this width; a longer name pushes its text to the right.
pub fn fact(fact: &Fact, width: usize) -> String {
    format!("  {:<width$} {}", printable(&fact.name), printable(&fact.value.plain()))
}

/// What a domain says that has nothing else to say on a terminal: the overview, without its pictures.
pub fn told(word: &str, overview: &[Block], topic: Topic) -> Told {
    let mut told = Told { line: word.to_owned(), ..Told::default() };
    let mut rest = Vec::new();
    for block in overview {
        match block {
            Block::Text { text, tone: Tone::Headline } => told.line.clone_from(text),
            Block::Facts { rows } => told.facts.extend(rows.iter().cloned()),
            other => rest.push(other),
        }
    }
    if topic == Topic::Report {
        told.lines = rest.into_iter().flat_map(lines).collect();
    }
    told
}

/// What a domain says of two runs that has nothing else to say on a terminal. Scripts get the blocks, below its word.
pub fn compared(word: &str, blocks: &[Block]) -> Result<Compared, Refusal> {
    let json = serde_json::to_value(blocks).map_err(|error| Refusal::new(error.to_string()))?;
    let mut compared = Compared {
        json: Map::from_iter([(word.to_owned(), json)]),
        no_baseline: Some(format!("{word} have no use for a baseline")),
        ..Compared::default()
    };
    for block in blocks {
        match block {
            Block::Facts { rows } => compared.differences.extend(rows.iter().cloned()),
            other => compared.lines.extend(lines(other)),
        }
    }
    Ok(compared)
}

/// The lines of a block.
pub fn lines(block: &Block) -> Vec<String> {
    match block {
        Block::Head { text } | Block::Text { text, .. } => vec![text.clone()],
        Block::Facts { rows } => rows.iter().map(|row| fact(row, WIDTH)).collect(),
        Block::Finding(found) => finding(found, None),
        Block::Table { table } => columns(&cells(table)),
        Block::Show { .. } => Vec::new(),
        Block::Code(code) => {
            let line = |(text, number): (&String, u32)| format!("  {number:>5} {text}");
            code.lines.iter().zip(code.first..).map(line).collect()
        }
    }
}

/// The column that names of facts have as a rule.
pub const WIDTH: usize = 13;

/// A finding in two or three lines; with its share where it is known what all places could have done.
pub fn finding(found: &Finding, capacity: Option<f64>) -> Vec<String> {
    let part = capacity.map(|capacity| format!("{}, ", share(cost(found), capacity)));
    let mut lines = vec![format!(
        "{:>2}. {} ({}{}) {}: {}",
        found.number,
        found.cost.plain(),
        part.unwrap_or_default(),
        found.severity.word(),
        found.id,
        found.what
    )];
    lines.extend(found.line.as_ref().map(|line| match line.between() {
        Some(_) => format!("    {}", line.place()),
        None => format!("    at {}", line.place()),
    }));
    if !found.evidence.is_empty() {
        lines.push(format!("    {}", found.evidence));
    }
    lines.push(format!("    {}", found.advice));
    if let Some(without) = &found.without {
        let how = if found.bound { "at most" } else { "replay" };
        lines.push(format!("    {} without it ({how})", without.plain()));
    }
    lines
}

/// What a finding costs.
pub fn cost(found: &Finding) -> f64 {
    found.cost.number().unwrap_or(0.0)
}

fn cells(table: &Table) -> Vec<Vec<String>> {
    let head = table.columns.iter().map(|column| column.title.clone()).collect();
    let rows = table.rows.iter().map(|row| {
        let mut cells: Vec<String> = row.cells.iter().map(Cell::plain).collect();
        if let Some(first) = cells.first_mut() {
            *first = format!("{}{first}", "  ".repeat(row.depth as usize));
        }
        cells
    });
    std::iter::once(head).chain(rows).collect()
}

/// Rows of cells with columns as wide as their widest cell.
pub fn columns(rows: &[Vec<String>]) -> Vec<String> {
    // What is written out takes more room.
    let rows: Vec<Vec<Cow<'_, str>>> =
        rows.iter().map(|row| row.iter().map(|cell| printable(cell)).collect()).collect();
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|row| row.get(c)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..count).map(|c| width(c).unwrap_or(0)).collect();
    let line = |row: &Vec<Cow<'_, str>>| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_not_glued_to_its_value() {
        let said = |name: &str, text: &str| fact(&Fact::new(name, Cell::text(text)), WIDTH);
        assert_eq!(said("work", "1 ms"), "  work          1 ms");
        assert_eq!(said("stalled-cycles-backend", "12"), "  stalled-cycles-backend 12");
    }

    #[test]
    fn columns_line_up() {
        let rows = [["a", "long"], ["µµµ", "b"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(columns(&rows), ["a    long", "µµµ  b"]);
    }
}
