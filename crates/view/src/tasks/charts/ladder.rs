//! How long the run would take without what costs most; without that and the next; and so on. Gains do not add up, so they
//! are shown one on top of the other.

use std::borrow::Cow;

use crosscut_scene::format::{quantity, text_width};
use crosscut_scene::palette::slot;
use crosscut_scene::{Align, Fill, Ink, Label, Mark, Plot, Rect, Scene, Style, TextStyle};
use crosscut_workbench::{Found, Size};

use super::note;
use crate::tasks::losses;
use crate::tasks::opened::Opened;
use crate::tasks::words::unit;

/// Height of a rung, and of all that is not one.
const ROW: f32 = 24.0;
/// Left of the bars, for their names.
const LEFT: f32 = 128.0;
/// Rungs at most, the run as it is not counted; the last one is then without all.
const MOST: usize = 6;

/// One rung: what the run would take without the first findings.
#[derive(Clone, Debug, PartialEq)]
pub struct Rung {
    /// "without 1, 2".
    pub what: String,
    /// So long.
    pub time: f64,
    /// A replay took so long; else it takes at least that.
    pub replayed: bool,
}

/// The rungs. What is lost is regained at most by all workers alike, and the work itself takes its time: without a replay
/// that is how fast the run could be at best.
pub fn rungs(found: &Found, replayed: &[Option<f64>], elapsed: f64, work: f64, workers: f64) -> Vec<Rung> {
    let mut rungs: Vec<Rung> = Vec::new();
    let mut lost = 0.0;
    for (i, finding) in found.findings.iter().enumerate() {
        lost += finding.cost.number().unwrap_or(0.0);
        let best = (elapsed - lost / workers).max(work / workers).min(elapsed);
        let before = rungs.last().map_or(elapsed, |rung| rung.time);
        let rung = match replayed.get(i).copied().flatten() {
            Some(time) => Rung { what: named(i + 1), time, replayed: true },
            None => Rung { what: named(i + 1), time: best.min(before), replayed: false },
        };
        rungs.push(rung);
    }
    if rungs.len() > MOST {
        rungs.drain(MOST - 1..rungs.len() - 1);
    }
    rungs
}

/// What replays took without the first findings, as far as they left them out in this order.
fn replayed(opened: &Opened, found: &Found) -> Vec<Option<f64>> {
    let Some(gains) = opened.gained() else { return Vec::new() };
    let shown = found.findings.iter().map(|finding| finding.picture.as_deref().and_then(losses::number));
    let same = shown.zip(&gains.ladder).take_while(|(shown, rung)| *shown == Some(rung.0));
    same.map(|(_, rung)| rung.1.map(|time| time as f64)).collect()
}

fn named(count: usize) -> String {
    match count {
        0..=3 => {
            let numbers: Vec<String> = (1..=count).map(|number| number.to_string()).collect();
            format!("without {}", numbers.join(", "))
        }
        _ => format!("without 1 to {count}"),
    }
}

/// How high the picture of so many findings is.
pub fn height(findings: usize) -> f32 {
    (findings.min(MOST) + 1) as f32 * ROW
}

/// Draws it.
pub fn draw(opened: &Opened, found: &Found, size: Size) -> Scene {
    let tasks = &opened.tasks;
    let causes = opened.causes();
    let (elapsed, unit) = (tasks.summary().elapsed.max(1) as f64, unit(tasks.clock()));
    let replayed = replayed(opened, found);
    let rungs = rungs(found, &replayed, elapsed, causes.account.work as f64, causes.workers.max(1) as f64);
    let title = format!("{} · without what costs most", tasks.run().name());
    let mut scene = Scene { title, width: size.w, height: size.h, ..Scene::default() };
    scene.begin(Plot { rect: Rect { x: 0.0, y: 0.0, w: size.w, h: size.h }, ..Plot::default() });
    let longest = format!("{} (replay)", quantity(elapsed, unit));
    let room = (size.w - LEFT - text_width(&longest) * 1.1 - 12.0).max(20.0);
    let now = Rung { what: "now".to_owned(), time: elapsed, replayed: true };
    for (i, rung) in std::iter::once(&now).chain(&rungs).enumerate() {
        let (y, w) = (i as f32 * ROW, (f64::from(room) * rung.time / elapsed) as f32);
        let meaning = format!("{}: {}", rung.what, quantity(rung.time, unit));
        let fill = if i == 0 { Fill::Solid } else { Fill::Tint };
        let style = scene.styles.put(&Style { fill, meaning: Cow::Owned(meaning), ..Style::BOX });
        let mark = Mark::none().id(i as u32).looks(style, slot::RUNNING);
        scene.boxes.push([LEFT, y + 3.0, w.max(1.0), ROW - 6.0], mark);
        note(&mut scene, (LEFT - 8.0, y + ROW / 2.0 + 4.0), LEFT - 8.0, &*rung.what, Align::End);
        let time = quantity(rung.time, unit);
        let text = match (i, rung.replayed) {
            (0, _) => time,
            (_, true) => format!("{time} (replay)"),
            (_, false) => format!("{time} at best"),
        };
        let style = TextStyle { bold: i == rungs.len(), ink: Ink::Slot(slot::TEXT), ..TextStyle::PLAIN };
        let at = (LEFT + w + 6.0, y + ROW / 2.0 + 4.0);
        scene.labels.push(Label::new(at, (size.w - at.0).max(1.0), text, style));
    }
    scene
}

#[cfg(test)]
mod tests {
    use crosscut_workbench::{Cell, Finding, Look, Severity};

    use super::*;

    fn found(costs: &[f64]) -> Found {
        let number =
            |value: f64| Cell::Number { value, text: String::new(), exact: String::new(), share: None };
        let finding = |(i, &cost): (usize, &f64)| Finding {
            spent: false,
            number: i as u32 + 1,
            id: "lock".to_owned(),
            severity: Severity::Low,
            cost: number(cost),
            without: None,
            bound: true,
            line: None,
            ranks: Vec::new(),
            what: String::new(),
            evidence: String::new(),
            advice: String::new(),
            picture: None,
            show: Box::new(Look::of("x", 0)),
        };
        Found { findings: costs.iter().enumerate().map(finding).collect(), ..Found::default() }
    }

    #[test]
    fn each_rung_is_lower_until_only_work_is_left() {
        let ladder = rungs(&found(&[40.0, 20.0, 100.0]), &[], 100.0, 120.0, 2.0);
        let times: Vec<(&str, f64)> = ladder.iter().map(|rung| (rung.what.as_str(), rung.time)).collect();
        assert_eq!(times, [("without 1", 80.0), ("without 1, 2", 70.0), ("without 1, 2, 3", 60.0)]);
    }

    #[test]
    fn what_was_replayed_stands_as_it_is() {
        let ladder = rungs(&found(&[40.0, 20.0]), &[Some(85.0), None], 100.0, 50.0, 2.0);
        assert_eq!((ladder[0].time, ladder[0].replayed), (85.0, true));
        assert_eq!((ladder[1].time, ladder[1].replayed), (70.0, false));
    }

    #[test]
    fn many_findings_end_with_all_of_them() {
        let ladder = rungs(&found(&[1.0; 20]), &[], 100.0, 10.0, 2.0);
        assert_eq!(ladder.len(), MOST);
        assert_eq!((ladder[MOST - 1].what.as_str(), ladder[MOST - 1].time), ("without 1 to 20", 90.0));
    }
}
