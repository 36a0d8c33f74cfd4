//! The small picture that proves a finding: what the rank that was late and some that waited for it did then, with a red outline
//! around the work that took too long, or around the call.

use crosscut_messages::NONE;
use crosscut_messages::causes::{Cause, Causes, Finding};
use crosscut_messages::lateness::Part;
use crosscut_scene::format::{quantity, text_width};
use crosscut_scene::palette::{Ramp, slot};
use crosscut_scene::{Align, Axis, Label, Mark, Plot, Rect, Scene, Side, TextStyle, Unit};
use crosscut_workbench::{Look, Size};

use super::opened::Opened;
use super::over;
use super::styles::{self, FAINT, FAINT_END};
use crate::tasks::styles::PROOF;

/// The option that names a loss by its number among all causes of the run, from 1 on.
pub const LOSS: &str = "loss";
/// What it is where nothing is said.
pub const FIRST: &str = "1";
/// Ranks beside the one that was late at most.
const OTHERS: usize = 3;
/// Left of the rows, for names, at least; and right of them.
const SIDES: (f32, f32) = (52.0, 6.0);
/// Left and right of a name.
const BESIDE: f32 = 10.0;
/// Below the rows, for the time.
const FOOT: f32 = 16.0;
/// An outline is at least so wide.
const NARROW: f32 = 4.0;
/// Of what happens all the time, so many times as long as one of it is shown.
const REPEATS: i64 = 12;

/// The picture of a cause.
pub fn look(at: usize, run: usize) -> Look {
    let mut look = Look::of("messages.evidence", run);
    look.options.insert(LOSS.to_owned(), (at + 1).to_string());
    look.size = Size { w: 400.0, h: 118.0 };
    look
}

/// The finding that a picture is to prove.
pub fn meant<'a>(causes: &'a Causes, look: &Look) -> Option<&'a Finding> {
    causes.findings.get(look.option(LOSS).unwrap_or(FIRST).parse::<usize>().ok()?.checked_sub(1)?)
}

/// What is shown: the rank that the outline is on, when, what it is, and who else.
struct Proof {
    rank: u32,
    span: (i64, i64),
    says: String,
    others: Vec<u32>,
    window: (i64, i64),
}

/// What proves a finding: the work or the call in which lateness began with those who waited longest for it; where nobody
/// was late, the longest wait with whom it was for; else the longest stretch of it.
fn proof(opened: &Opened, finding: &Finding) -> Option<Proof> {
    if finding.cause == Cause::Transfer {
        return longest(opened, finding);
    }
    late(opened, finding).or_else(|| waiting(opened, finding)).or_else(|| longest(opened, finding))
}

fn late(opened: &Opened, finding: &Finding) -> Option<Proof> {
    let calls = &opened.messages.calls;
    let origin = finding.worst.map(|worst| worst.origin).filter(|&origin| origin != NONE)?;
    let rank = calls.rank(origin);
    let of = |wait: &&crosscut_messages::lateness::Explained| wait.origin.is_some_and(|o| o.call == origin);
    let mut waits: Vec<_> = opened.lateness().waits.iter().filter(of).collect();
    let part = waits.first()?.origin?.part;
    let at = origin as usize;
    let before = calls.before(at, calls.of(rank).start);
    let (span, what) = match (part, before) {
        (Part::Work, Some(before)) => ((calls.end[before], calls.start[at]), "computes"),
        _ => ((calls.start[at], calls.end[at]), "is in a call for"),
    };
    waits.sort_by_key(|wait| (std::cmp::Reverse(wait.cost), wait.call));
    let mut others: Vec<u32> = Vec::new();
    let mut until = span.1;
    for wait in waits {
        let other = calls.rank(wait.call);
        if others.len() < OTHERS && other != rank && !others.contains(&other) {
            others.push(other);
            until = until.max(calls.end[wait.call as usize]);
        }
    }
    let long = quantity(span.1.saturating_sub(span.0) as f64, Unit::Ns);
    let says = format!("outlined: rank {rank} {what} {long}");
    Some(Proof { rank, span, says, others, window: (span.0, until) })
}

fn waiting(opened: &Opened, finding: &Finding) -> Option<Proof> {
    let worst = finding.worst?;
    let wait = opened.waits().of_call(&opened.messages.calls, worst.call)?;
    let long = quantity(wait.span.1.saturating_sub(wait.span.0) as f64, Unit::Ns);
    let says = format!("outlined: rank {} waits {long} for rank {}", wait.rank, wait.culprit);
    let end = opened.messages.calls.end[worst.call as usize].max(wait.span.1);
    let others = vec![wait.culprit];
    Some(Proof { rank: wait.rank, span: wait.span, says, others, window: (wait.span.0, end) })
}

fn longest(opened: &Opened, finding: &Finding) -> Option<Proof> {
    let &(rank, from, to) = finding.stretches.iter().max_by_key(|(_, from, to)| to.saturating_sub(*from))?;
    let long = to.saturating_sub(from).max(1);
    let says = format!("outlined: rank {rank} is in a call for {}", quantity(long as f64, Unit::Ns));
    // Whom it sends to or receives from then.
    let messages = &opened.messages;
    let at = over::sent_in(messages, (from.saturating_sub(long), to.saturating_add(1)));
    let other = at.rev().find_map(|row| match (messages.source.at(row), messages.destination.at(row)) {
        (a, b) if a == rank => Some(b),
        (a, b) if b == rank => Some(a),
        _ => None,
    });
    let half = long.saturating_mul(REPEATS) / 2;
    let window = (from.saturating_sub(half), to.saturating_add(half));
    Some(Proof { rank, span: (from, to), says, others: other.into_iter().collect(), window })
}

/// Draws it.
pub fn draw(opened: &Opened, finding: Option<&Finding>, size: Size) -> Scene {
    let messages = &opened.messages;
    let title = format!("{} · what shows it", messages.run().name());
    let mut scene = Scene { title, width: size.w, height: size.h, ..Scene::default() };
    let Some(proof) = finding.and_then(|finding| proof(opened, finding)) else {
        scene.note = Some("nothing to show".to_owned());
        return scene;
    };
    let elapsed = messages.summary().elapsed.max(1);
    let more = (proof.window.1.saturating_sub(proof.window.0) / 12).max(1);
    let from = proof.window.0.saturating_sub(more).clamp(0, elapsed - 1);
    let window = (from, proof.window.1.saturating_add(more).clamp(from + 1, elapsed));
    let mut ranks = proof.others.clone();
    ranks.push(proof.rank);
    ranks.sort_unstable();
    ranks.dedup();
    let names: Vec<String> = ranks.iter().map(|rank| format!("rank {rank}")).collect();
    let room = names.iter().map(|name| text_width(name) + BESIDE).fold(SIDES.0, f32::max);
    // Where it begins and ends is said below; times in between would stand in the way.
    let axis = Axis { side: Side::None, ..over::axis(window, size.w, (room, SIDES.1)) };
    let (left, right) = (axis.start(), axis.start() + axis.length());
    let pitch = ((size.h - FOOT) / ranks.len() as f32).min(34.0);
    let bar = (pitch * 0.6).max(4.0);
    let across = |from: i64, to: i64| {
        let x = axis.pixel(from as f64).clamp(left, right);
        (x, (axis.pixel(to as f64).clamp(left, right) - x).max(0.5))
    };
    scene.begin(Plot {
        rect: Rect { x: left, y: 0.0, w: axis.length(), h: pitch * ranks.len() as f32 },
        title: "ranks over time".to_owned(),
        x: Some(axis.clone()),
        ..Plot::default()
    });
    let ground = scene.styles.put(&styles::ROW);
    for (row, &rank) in ranks.iter().enumerate() {
        let y = row as f32 * pitch + (pitch - bar) / 2.0;
        let node = opened.places.get(rank as usize).copied().unwrap_or(NONE);
        scene.boxes.push([left, y, axis.length(), bar], Mark::of(node).looks(ground, slot::GRID));
        for (from, to, waited) in cells(opened, rank, window, axis.length()) {
            let style = scene.styles.put(&styles::call("call of MPI", waited.then_some("waits")));
            let fill = if waited { Ramp::GREY.slot(0.8) } else { slot::SEVERAL };
            let (x, w) = across(from, to);
            scene.boxes.push([x, y, w, bar], Mark::of(node).role(1 + u8::from(waited)).looks(style, fill));
        }
        if rank == proof.rank {
            let (x, w) = across(proof.span.0, proof.span.1);
            let more = ((NARROW - w) / 2.0).max(0.0);
            let style = scene.styles.put(&PROOF);
            let at = [x - more, y - 1.0, w + 2.0 * more, bar + 2.0];
            scene.boxes.push(at, Mark::none().role(3).looks(style, slot::RED));
        }
    }
    scene.end();
    for (row, name) in names.into_iter().enumerate() {
        let y = (row as f32 + 0.5) * pitch + 4.0;
        scene.labels.push(Label::new((left - 6.0, y), left - 8.0, name, FAINT_END));
    }
    let y = (pitch * ranks.len() as f32 + 12.0).min(size.h - 2.0);
    let ns = |time: i64| quantity(time as f64, Unit::Ns);
    let half = axis.length() / 2.0;
    scene.labels.push(Label::new((left, y), half, ns(window.0), TextStyle { align: Align::Start, ..FAINT }));
    scene.labels.push(Label::new((right, y), half, ns(window.1), FAINT_END));
    scene.note = Some(proof.says);
    scene
}

/// The calls of a rank in a window, and what it waited in them: from, to, whether it is waiting. What is narrower than a pixel is
/// joined with what follows, so that there are never more than two for each pixel.
fn cells(opened: &Opened, rank: u32, window: (i64, i64), width: f32) -> Vec<(i64, i64, bool)> {
    let calls = &opened.messages.calls;
    let of = calls.of(rank);
    let first = calls.end[of.clone()].partition_point(|&end| end < window.0);
    let last = calls.start[of.clone()].partition_point(|&start| start < window.1);
    let pixel = ((window.1 - window.0) as f64 / f64::from(width.max(1.0))) as i64;
    let mut cells: Vec<(i64, i64, bool)> = Vec::new();
    let mut add = |from: i64, to: i64, waited: bool| match cells.last_mut() {
        _ if to <= from => {}
        Some(before) if before.2 == waited && from.saturating_sub(before.1) < pixel => {
            before.1 = before.1.max(to)
        }
        _ => cells.push((from, to, waited)),
    };
    for call in of.start + first..of.start + last.max(first) {
        let (start, end) = (calls.start[call], calls.end[call]);
        let waited = start.saturating_add(opened.waits().lost[call]).min(end);
        add(start, waited, true);
        add(waited, end, false);
    }
    cells
}
