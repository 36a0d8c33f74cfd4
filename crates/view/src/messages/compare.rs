//! Two runs of messages beside each other: which phases take longer or wait longer, which pairs of ranks send more or less, what
//! costs more, the largest difference first. Phases are compared by their number: both runs are cut into as many.

use std::collections::BTreeMap;

use crosscut_messages::causes::Cause;
use crosscut_messages::patterns;
use crosscut_scene::format::{many, quantity, three};
use crosscut_tree::Unit;
use crosscut_workbench::sheet::Tone;
use crosscut_workbench::{Block, Cell, Fact, Row, RowState, Table};

use super::judged::Judged;
use super::opened::{ClockKey, Opened};
use crate::tasks::compare::beside;
use crate::tasks::sheets::{counted, head, table, text, wordy};
use crate::tasks::words::number;

/// Phases and pairs that are listed at most; how many there are more is told.
const LISTED: usize = 12;

/// A run with what is known of its waits.
pub type Side<'a> = (&'a Opened, &'a Judged);

/// The blocks: a sentence, what costs more, phases, pairs, then figures.
pub fn blocks(here: Side<'_>, there: Side<'_>, (key, phases): (ClockKey, Option<usize>)) -> Vec<Block> {
    let (a, b) = (here.0.messages.summary(), there.0.messages.summary());
    let mut blocks = vec![text(headline(here, there), Tone::Headline)];
    if a.ranks != b.ranks {
        let note = format!("{} here, {} there: ranks are compared by their number", a.ranks, b.ranks);
        blocks.push(text(note, Tone::Warning));
    }
    blocks.push(head("What costs ranks' time, largest difference first"));
    blocks.push(Block::Table { table: costs(here, there) });
    let phases = ByPhase::of(here, there, key, phases);
    for (what, told) in [("How long phases take", Told::Takes), ("How long ranks wait in them", Told::Waits)]
    {
        let (rows, more) = phases.table(told);
        blocks.push(head(format!("{what}, largest difference first{}", left_out(more))));
        blocks.push(Block::Table { table: rows });
    }
    let (rows, more) = by_pair(here.0, there.0);
    blocks.push(head(match rows.rows.is_empty() {
        true => "Every rank sends every other the same".to_owned(),
        false => format!("Pairs of ranks, largest difference first{}", left_out(more)),
    }));
    if !rows.rows.is_empty() {
        blocks.push(Block::Table { table: rows });
    }
    blocks.push(head("Figures"));
    blocks.push(Block::Facts { rows: figures(here, there) });
    blocks
}

fn left_out(more: usize) -> String {
    if more == 0 { String::new() } else { format!("; {more} more differ less") }
}

fn headline((here, judged): Side<'_>, (there, other): Side<'_>) -> String {
    let (a, b) = (here.messages.summary(), there.messages.summary());
    let waits = |judged: &Judged, opened: &Opened| judged.causes(&opened.messages).account.waiting as f64;
    format!(
        "{} takes {} against {} of {} (× {}); its ranks wait {} against {}",
        here.messages.run().name(),
        quantity(a.elapsed as f64, Unit::Ns),
        quantity(b.elapsed as f64, Unit::Ns),
        there.messages.run().name(),
        three(a.elapsed as f64 / (b.elapsed as f64).max(1.0)),
        quantity(waits(judged, here), Unit::Ns),
        quantity(waits(other, there), Unit::Ns),
    )
}

fn figures((here, judged): Side<'_>, (there, other): Side<'_>) -> Vec<Fact> {
    let (a, b) = (here.messages.summary(), there.messages.summary());
    let (x, y) = (judged.causes(&here.messages).account, other.causes(&there.messages).account);
    let time = |name: &str, here: i64, there: i64| beside(name, here as f64, there as f64, Unit::Ns);
    let count = |name: &str, here: u64, there: u64| beside(name, here as f64, there as f64, Unit::Count);
    vec![
        time("elapsed", a.elapsed, b.elapsed),
        time("work", x.work, y.work),
        time("waiting", x.waiting, y.waiting),
        time("in calls", x.inside, y.inside),
        count("ranks", a.ranks.into(), b.ranks.into()),
        count("messages", a.messages, b.messages),
        beside("bytes", a.bytes as f64, b.bytes as f64, Unit::Bytes),
        count("collectives", a.collective_operations, b.collective_operations),
    ]
}

/// The cells of a value here and there, and how much more it is here.
fn both(here: f64, there: f64, unit: Unit) -> [Cell; 3] {
    let change = here - there;
    let sign = if change > 0.0 { "+" } else { "" };
    let text = format!("{sign}{}", quantity(change, unit));
    [number(here, unit), number(there, unit), Cell::Difference { here, there, text }]
}

fn row(cells: Vec<Cell>) -> Row {
    Row { cells, selection: None, depth: 0, state: RowState::default() }
}

/// What each cause costs.
fn costs((here, judged): Side<'_>, (there, other): Side<'_>) -> Table {
    let mut causes: BTreeMap<Cause, (i64, i64)> = BTreeMap::new();
    for finding in &judged.causes(&here.messages).findings {
        let cost = &mut causes.entry(finding.cause).or_default().0;
        *cost = cost.saturating_add(finding.cost);
    }
    for finding in &other.causes(&there.messages).findings {
        let cost = &mut causes.entry(finding.cause).or_default().1;
        *cost = cost.saturating_add(finding.cost);
    }
    let mut causes: Vec<(Cause, (i64, i64))> = causes.into_iter().collect();
    causes.sort_by_key(|(cause, (here, there))| (std::cmp::Reverse(here.abs_diff(*there)), *cause));
    let columns = vec![
        wordy("cause"),
        counted("here", Unit::Ns, "Time of ranks that it costs here."),
        counted("there", Unit::Ns, "Time of ranks that it costs there."),
        counted("change", Unit::Ns, "How much more it costs here."),
    ];
    let cells = |(cause, (here, there)): (Cause, (i64, i64))| {
        let mut cells = vec![Cell::text(cause.id())];
        cells.extend(both(here as f64, there as f64, Unit::Ns));
        row(cells)
    };
    table(columns, causes.into_iter().map(cells).collect())
}

/// A phase of one run: its pattern, how long it takes, how long all ranks wait in it.
#[derive(Clone, Default)]
struct OfPhase {
    pattern: String,
    takes: i64,
    waits: i64,
}

/// What a table of phases is about. Each has few columns: it stands in half a window, too.
#[derive(Clone, Copy)]
enum Told {
    Takes,
    Waits,
}

/// The phases of both runs, by their number.
struct ByPhase {
    here: Vec<OfPhase>,
    there: Vec<OfPhase>,
}

impl ByPhase {
    fn of(here: Side<'_>, there: Side<'_>, key: ClockKey, phases: Option<usize>) -> ByPhase {
        let cut = |(opened, judged): Side<'_>, phases: Option<usize>| {
            let timed = opened.timed(key);
            let gram = timed.cut(phases);
            let spans: Vec<_> = gram.phases.iter().map(|phase| (phase.points.clone(), phase.span)).collect();
            let waits = judged.waits().by_phase(&opened.messages, &timed.clock, &spans);
            let each = gram.phases.iter().zip(&waits).map(|(phase, row)| OfPhase {
                pattern: patterns::name(phase.pattern),
                takes: phase.span.1.saturating_sub(phase.span.0),
                waits: row.iter().copied().fold(0, i64::saturating_add),
            });
            each.collect::<Vec<_>>()
        };
        let here = cut(here, phases);
        let there = cut(there, Some(here.len().max(1)));
        ByPhase { here, there }
    }

    /// The phases that differ most, and how many more differ less.
    fn table(&self, told: Told) -> (Table, usize) {
        let none = || OfPhase { pattern: "–".to_owned(), ..OfPhase::default() };
        let of = |side: &[OfPhase], at: usize| side.get(at).cloned().unwrap_or_else(none);
        let value = |phase: &OfPhase| match told {
            Told::Takes => phase.takes,
            Told::Waits => phase.waits,
        };
        let differs = |&at: &usize| value(&of(&self.here, at)).abs_diff(value(&of(&self.there, at)));
        let mut all: Vec<usize> = (0..self.here.len().max(self.there.len())).collect();
        all.sort_by_key(|at| (std::cmp::Reverse(differs(at)), *at));
        let changed = all.iter().filter(|at| differs(at) > 0).count();
        all.truncate(LISTED);
        let [own, other, more] = match told {
            Told::Takes => [
                "How long it takes here, from the first send to the last receive.",
                "The same there.",
                "How much longer it takes here.",
            ],
            Told::Waits => {
                ["How long all ranks wait in it here.", "The same there.", "How much longer they wait here."]
            }
        };
        let columns = vec![
            counted("phase", Unit::Count, "Its number, from 1 on."),
            wordy("pattern"),
            counted("here", Unit::Ns, own),
            counted("there", Unit::Ns, other),
            counted("change", Unit::Ns, more),
        ];
        let cells = |&at: &usize| {
            let (a, b) = (of(&self.here, at), of(&self.there, at));
            let (here, there) = (value(&a) as f64, value(&b) as f64);
            let pattern = if a.pattern == b.pattern {
                a.pattern
            } else {
                format!("{}, {} there", a.pattern, b.pattern)
            };
            let mut cells = vec![number(at as f64 + 1.0, Unit::Count), Cell::text(pattern)];
            cells.extend(both(here, there, Unit::Ns));
            row(cells)
        };
        (table(columns, all.iter().map(cells).collect()), changed.saturating_sub(all.len()))
    }
}

/// Pairs of ranks that send more or less, and how many more of them there are than those that are listed.
fn by_pair(here: &Opened, there: &Opened) -> (Table, usize) {
    type Sent = (u64, i64);
    let mut pairs: BTreeMap<(u32, u32), [Sent; 2]> = BTreeMap::new();
    for (side, opened) in [here, there].into_iter().enumerate() {
        for flow in opened.messages.flows(0..opened.messages.len() as u32) {
            pairs.entry((flow.from, flow.to)).or_default()[side] = (flow.messages, flow.bytes);
        }
    }
    let differs = |sent: &[Sent; 2]| sent[0].1.abs_diff(sent[1].1);
    let mut pairs: Vec<_> = pairs.into_iter().filter(|(_, sent)| sent[0] != sent[1]).collect();
    pairs.sort_by_key(|(pair, sent)| (std::cmp::Reverse(differs(sent)), *pair));
    let more = pairs.len().saturating_sub(LISTED);
    pairs.truncate(LISTED);
    let columns = vec![
        wordy("from and to"),
        wordy("messages"),
        counted("here", Unit::Bytes, "Bytes that it sent here."),
        counted("there", Unit::Bytes, "Bytes that it sent there."),
        counted("change", Unit::Bytes, "How much more it sent here."),
    ];
    let cells = |((from, to), [a, b]): ((u32, u32), [Sent; 2])| {
        let messages = match a.0 == b.0 {
            true => many(a.0 as usize, "message"),
            false => format!("{} against {}", a.0, b.0),
        };
        let mut cells = vec![Cell::text(format!("{from} → {to}")), Cell::text(messages)];
        cells.extend(both(a.1 as f64, b.1 as f64, Unit::Bytes));
        row(cells)
    };
    (table(columns, pairs.into_iter().map(cells).collect()), more)
}
