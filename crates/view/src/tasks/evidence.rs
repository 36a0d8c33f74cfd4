//! The small picture that proves a finding: what the workers did then, with a red outline around the mark that shows it.

mod proof;

use std::borrow::Cow;

use crosscut_scene::palette::slot;
use crosscut_scene::{Mark, Scene, Style};
use crosscut_tasks::{Cause, Finding, Tasks};
use crosscut_workbench::{Found, Size, Span};

use super::colour::ColourBy;
use super::losses;
use super::styles::{self, role};
use super::timeline::{TimelineOptions, bar, frame, timeline};
use proof::{is_waiting, long_wait, proof};

/// Of what repeats, a part is shown: so many times as long as what shows it.
const REPEATS: i64 = 16;
/// Of what repeats from one barrier or wait to the next, so many times.
const STEPS: i64 = 7;
/// An outline is at least so wide.
const NARROW: f32 = 4.0;

/// Draws it; without a finding only what the workers did.
pub fn draw(
    tasks: &Tasks,
    window: (i64, i64),
    size: Size,
    found: &Found,
    finding: Option<&Finding>,
) -> Scene {
    let options = TimelineOptions { width: size.w, height: size.h, colour: ColourBy::Source, small: true };
    let mut scene = timeline(tasks, window, &options, Some(found));
    let Some(proof) = finding.and_then(|finding| proof(tasks, window, found, finding)) else { return scene };
    let (axis, pitch) = frame(tasks, window, &options);
    let (left, right) = (axis.start(), axis.start() + axis.length());
    let style = scene.styles.put(&styles::PROOF);
    // What was lost inside of an interval is drawn on it.
    let hatch = finding.map(|finding| losses::hatch(finding.cause.id())).filter(|_| proof.inside);
    let meaning = Cow::Borrowed("lost inside of it");
    let rank = styles::PROOF.rank;
    let inside = hatch.map(|(fill, of)| (scene.styles.put(&Style { fill, meaning, rank, ..Style::BOX }), of));
    for &(row, Span(from, to)) in &proof.marks {
        let (from, to) = (axis.pixel(from).clamp(left, right), axis.pixel(to).clamp(left, right));
        let more = ((NARROW - (to - from)) / 2.0).max(0.0);
        let at =
            [from - more + 1.0, row as f32 * pitch + 1.0, to - from + 2.0 * more - 2.0, bar(pitch) - 2.0];
        if let Some((style, of)) = inside {
            scene.boxes.push(at, Mark::none().role(role::LOST).looks(style, of));
        }
        scene.boxes.push(at, Mark::none().role(role::SIGN).looks(style, slot::RED));
    }
    scene.note = Some(proof.says);
    scene
}

/// The time that proves a finding best: what repeats is shown in part, what is lost here and there where most of it is.
pub fn window(tasks: &Tasks, finding: &Finding) -> (i64, i64) {
    let whole = finding.window.unwrap_or((0, tasks.summary().elapsed));
    let part = |(from, to): (i64, i64), times: i64| {
        let (middle, half) = (from.midpoint(to), (to - from).max(1).saturating_mul(times) / 2);
        (middle.saturating_sub(half).max(0), middle.saturating_add(half).min(tasks.summary().elapsed))
    };
    if let Some(wait) = long_wait(tasks, finding) {
        return part(wait, STEPS);
    }
    match finding.cause {
        cause if is_waiting(cause) => {
            let longest = finding.stretches.iter().max_by_key(|(_, from, to)| to - from);
            longest.map_or((0, tasks.summary().elapsed), |&(_, from, to)| part((from, to), 3))
        }
        // The window of the finding holds it once; what matters is that it repeats.
        Cause::WaitInLoop | Cause::BarrierWait => part(whole, STEPS),
        Cause::DependenceChain | Cause::SerialSpawn => {
            let Some(node) = finding.node else { return whole };
            let (from, to) = part((tasks.start(node), tasks.end(node)), REPEATS);
            if to - from < whole.1 - whole.0 { (from, to) } else { whole }
        }
        _ => whole,
    }
}
