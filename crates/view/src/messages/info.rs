//! What is inside a run, as text and for scripts: messages, collectives, what has no other side, clocks that did not agree.

use crosscut_messages::Summary;
use crosscut_scene::format::{count, many, quantity};
use crosscut_tree::Unit;
use crosscut_workbench::{Cell, Fact, Refusal, Told, object};
use serde::Serialize;
use serde_json::{Map, Value};

/// What messages add to `crosscut info --json`.
#[derive(Debug, Serialize)]
struct Info<'a> {
    messages: Figures<'a>,
}

#[derive(Debug, Serialize)]
struct Figures<'a> {
    ranks: u32,
    messages: u64,
    bytes: i64,
    unmatched: u64,
    collectives: u64,
    collective_operations: u64,
    communicators: u64,
    calls: u64,
    elapsed_ns: i64,
    /// Messages that ended before they began, by the clocks of their ranks, before and after these were corrected.
    backwards: u64,
    backwards_left: u64,
    corrected_ranks: u32,
    notes: &'a [String],
}

/// For scripts.
pub fn json(summary: &Summary) -> Result<Map<String, Value>, Refusal> {
    object(&Info {
        messages: Figures {
            ranks: summary.ranks,
            messages: summary.messages,
            bytes: summary.bytes,
            unmatched: summary.unmatched,
            collectives: summary.collectives,
            collective_operations: summary.collective_operations,
            communicators: summary.communicators,
            calls: summary.calls,
            elapsed_ns: summary.elapsed,
            backwards: summary.backwards,
            backwards_left: summary.backwards_left,
            corrected_ranks: summary.corrected,
            notes: &summary.notes,
        },
    })
}

/// What `crosscut info` says of messages.
pub fn told(summary: &Summary) -> Told {
    let line = format!(
        "{} between {}, {}, {} elapsed",
        many(summary.messages as usize, "message"),
        many(summary.ranks as usize, "rank"),
        quantity(summary.bytes as f64, Unit::Bytes),
        quantity(summary.elapsed as f64, Unit::Ns),
    );
    Told { line, facts: facts(summary), lines: Vec::new() }
}

/// The facts of a run.
pub fn facts(summary: &Summary) -> Vec<Fact> {
    let fact = |name: &str, text: String| Fact::new(name, Cell::text(text));
    let mut facts = vec![
        fact("ranks", count(summary.ranks.into())),
        fact(
            "messages",
            format!("{}, {}", count(summary.messages as i64), quantity(summary.bytes as f64, Unit::Bytes)),
        ),
        fact("unmatched", unmatched(summary)),
        fact(
            "collectives",
            format!(
                "{} on {}, {} of ranks",
                count(summary.collective_operations as i64),
                many(summary.communicators as usize, "communicator"),
                many(summary.collectives as usize, "call"),
            ),
        ),
        fact("calls", count(summary.calls as i64)),
        fact("elapsed", quantity(summary.elapsed as f64, Unit::Ns)),
    ];
    facts.extend(clocks(summary).map(|text| fact("clocks", text)));
    facts.extend(summary.notes.iter().map(|note| fact("note", note.clone())));
    facts
}

fn unmatched(summary: &Summary) -> String {
    if summary.unmatched == 0 {
        return "none: every send has its receive".to_owned();
    }
    let why: Vec<String> = summary
        .why_unmatched
        .iter()
        .map(|(why, number)| format!("{} {why}", count(*number as i64)))
        .collect();
    format!("{}: {}", count(summary.unmatched as i64), why.join("; "))
}

/// What was done about clocks that did not agree.
fn clocks(summary: &Summary) -> Option<String> {
    if summary.backwards == 0 {
        return None;
    }
    let found = format!(
        "{} ended before they began; the clocks of {} were corrected by up to {}",
        many(summary.backwards as usize, "message"),
        many(summary.corrected as usize, "rank"),
        quantity(summary.largest_correction as f64, Unit::Ns),
    );
    Some(match summary.backwards_left {
        0 => found,
        left => format!("{found}; {} still do", count(left as i64)),
    })
}
