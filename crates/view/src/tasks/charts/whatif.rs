//! How long the run would take on other numbers of workers, or if a part of it were faster: the predicted curve with its
//! bounds and the run itself, and the answer in words. Predictions are compared with predictions, never with the
//! recording: a greedy schedule is not the one that ran.

use std::sync::Arc;

use crosscut_scene::format::{count, three};
use crosscut_scene::palette::slot;
use crosscut_scene::{Align, Dash, Rect, Scene};
use crosscut_tasks::{Bounds, Point, Tasks};
use crosscut_workbench::{Drawn, Job, Look, Refusal, Size, line_nodes};

use super::note;
use super::speedup::{self, Bound, chart};
use crate::tasks::draw::node_option;
use crate::tasks::find::topmost;
use crate::tasks::opened::Opened;
use crate::tasks::predict::{Changed, Curve};
use crate::tasks::views::FASTER;
use crate::tasks::words::{difference, many, time_text};

/// Height of a line of text.
const LINE: f32 = 16.0;
/// As good as nothing left of it.
const GONE: f64 = 1e6;
/// Parts that can be faster at once.
const MOST_PARTS: usize = 1000;

/// What is asked.
struct Question {
    what: Changed,
    faster: f64,
}

/// What is known so far.
#[derive(Default)]
struct Answer {
    before: Option<Arc<Curve>>,
    after: Option<Arc<Curve>>,
    gone: Option<Arc<Curve>>,
}

/// Draws it; drafts as points become known.
pub fn draw(opened: &Opened, look: &Look, job: &Job<'_>) -> Result<Drawn, Refusal> {
    let (tasks, known) = (&opened.tasks, &opened.predictions);
    let question = question(tasks, look)?;
    let size = look.size.sound();
    // Replays of the run as it is, of the faster part, and of the part gone.
    let steps = if question.what.is_empty() { 1.0 } else { 3.0 };
    let mut answer = Answer::default();
    let far = |step: f32, curve: &Curve, points: usize| {
        let share = (step + curve.points.len() as f32 / points.max(1) as f32) / steps;
        job.progress(share.min(1.0), "replaying the run")
    };
    let before = known.before(tasks, &mut |curve, points| {
        far(0.0, curve, points)?;
        if curve.points.len() > 1 && curve.points.len() < points {
            let so_far = Answer { before: Some(Arc::new(curve.clone())), ..Answer::default() };
            job.draft(Drawn::scene(picture(tasks, &question, &so_far, size), 0));
        }
        Ok(())
    })?;
    answer.before = Some(before);
    if !question.what.is_empty() {
        let after = known
            .after(tasks, &question.what, question.faster, &mut |curve, points| far(1.0, curve, points))?;
        answer.after = Some(after);
        job.draft(Drawn::scene(picture(tasks, &question, &answer, size), 0));
        let gone = known.after(tasks, &question.what, GONE, &mut |curve, points| far(2.0, curve, points))?;
        answer.gone = Some(gone);
    }
    Ok(Drawn::scene(picture(tasks, &question, &answer, size), 0))
}

fn question(tasks: &Tasks, look: &Look) -> Result<Question, Refusal> {
    let asked = node_option(look, "nodes")?;
    let nodes = topmost(tasks.tree(), &asked);
    if let Some(wrong) = asked.iter().find(|&node| !tasks.tree().contains(node)) {
        let nodes = count(tasks.tree().node_count() as i64);
        return Err(Refusal::new(format!("there is no node {}: the run has {nodes} nodes", wrong.0)));
    }
    if nodes.len() > MOST_PARTS {
        return Err(Refusal::new(format!(
            "at most {} parts can be faster at once",
            count(MOST_PARTS as i64)
        )));
    }
    let text = look.option("faster").unwrap_or("2");
    let faster = text.trim().parse().ok().filter(|k| (FASTER.0..=FASTER.1).contains(k));
    let faster = faster.ok_or_else(|| {
        let text: String = text.chars().take(40).collect();
        Refusal::new(format!(
            "`{text}` is no number from 0.001 to 1 000 000: 2 is twice as fast, 0.5 half as fast"
        ))
    })?;
    Ok(Question { what: Changed { nodes, lines: lines(tasks, look)? }, faster })
}

/// The sources of the lines that are asked for.
fn lines(tasks: &Tasks, look: &Look) -> Result<Vec<u32>, Refusal> {
    let asked = node_option(look, "lines")?;
    let nodes = line_nodes(tasks.sources());
    let is = |id: &u32| asked.iter().any(|node| nodes[*id as usize] == node.0);
    let found: Vec<u32> = (0..nodes.len() as u32).filter(is).collect();
    match asked.first() {
        Some(node) if found.is_empty() => {
            Err(Refusal::new(format!("there is no source line {} in this run", node.0)))
        }
        _ => Ok(found),
    }
}

/// The prediction for the run's own workers.
fn own(tasks: &Tasks, curve: &Curve) -> Option<Point> {
    curve.points.iter().copied().find(|point| point.workers as usize == tasks.workers())
}

fn picture(tasks: &Tasks, question: &Question, answer: &Answer, size: Size) -> Scene {
    let texts = texts(tasks, question, answer);
    let head = texts.len() as f32 * LINE + 4.0;
    let room = Rect { x: 0.0, y: head, w: size.w, h: (size.h - head).max(60.0) };
    let mut scene = chart(tasks, &bounds(tasks, answer), &curves(tasks, answer), room);
    scene.end();
    for (line, text) in texts.into_iter().enumerate() {
        note(&mut scene, (8.0, (line + 1) as f32 * LINE - 4.0), size.w - 16.0, text, Align::Start);
    }
    scene.title = format!("{} · what if", tasks.run().name());
    scene.note = remark(tasks, question, answer);
    scene
}

/// Every greedy schedule reaches `low` with the overhead that was measured; without a measurement, without any.
fn bounds(tasks: &Tasks, answer: &Answer) -> Vec<Bound> {
    let work = tasks.summary().work as f64;
    let mut bounds = speedup::bounds(tasks);
    for bound in &mut bounds {
        let points = answer.before.iter().flat_map(|curve| &curve.points);
        let known = points.into_iter().find(|point| point.workers == bound.workers && point.high > 0);
        if let Some(point) = known.filter(|_| work > 0.0) {
            bound.low = work / point.high as f64;
        }
    }
    bounds
}

fn curves<'a>(tasks: &Tasks, answer: &Answer) -> Vec<speedup::Curve<'a>> {
    // Speed-ups are of the recorded work, so that both curves can be compared.
    let work = tasks.summary().work as f64;
    let of = |curve: &Arc<Curve>, name, fill, dash| speedup::Curve {
        name,
        points: curve
            .points
            .iter()
            .filter(|point| point.elapsed > 0)
            .map(|point| (point.workers, work / point.elapsed as f64))
            .collect(),
        fill,
        dash,
    };
    let before = answer.before.iter().map(|curve| of(curve, "predicted", slot::RUNNING, Dash::Solid));
    let after = answer.after.iter().map(|curve| of(curve, "with the faster part", slot::ACCENT, Dash::Solid));
    before.chain(after).collect()
}

/// What the run would take, and what limits it.
fn texts(tasks: &Tasks, question: &Question, answer: &Answer) -> Vec<String> {
    let time = |value: i64| time_text(value, tasks.clock());
    let Some(before) = answer.before.as_ref().and_then(|curve| own(tasks, curve)) else { return Vec::new() };
    let on = format!("on {}", many(before.workers as usize, "worker"));
    let recorded = tasks.summary().elapsed;
    let mut texts = Vec::new();
    let Some(after) = answer.after.as_ref().and_then(|curve| own(tasks, curve)) else {
        let differs = difference(recorded, before.elapsed);
        texts.push(format!(
            "Recorded {on}: {}. Predicted for it as it is: {}, {differs}.",
            time(recorded),
            time(before.elapsed)
        ));
        return texts;
    };
    texts.push(sentence(tasks, question, before.elapsed, after.elapsed, &on));
    if let Some(gone) = answer.gone.as_ref().and_then(|curve| own(tasks, curve)) {
        let differs = difference(before.elapsed, gone.elapsed);
        texts.push(format!("If it took no time: {}, {differs}.", time(gone.elapsed)));
    }
    if let (Some(now), Some(then)) = (&answer.before, &answer.after) {
        let limit = |bounds: Bounds| three(bounds.work as f64 / bounds.span.max(1) as f64);
        texts.push(format!(
            "Critical path with overhead: {}, {}. Largest speed-up: {}×, now {}×.",
            time(then.bounds.span),
            difference(now.bounds.span, then.bounds.span),
            limit(then.bounds),
            limit(now.bounds),
        ));
    }
    texts
}

/// Times that look the same in three digits are told by their difference.
fn sentence(tasks: &Tasks, question: &Question, before: i64, after: i64, on: &str) -> String {
    let time = |value: i64| time_text(value, tasks.clock());
    let faster = match question.faster {
        2.0 => "twice as fast".to_owned(),
        0.5 => "half as fast".to_owned(),
        k => format!("{} times as fast", three(k)),
    };
    let (old, new) = (time(before), time(after));
    let told = match (after - before, old == new) {
        (0, _) => format!("the run would still take {old}"),
        (_, false) => format!("the run would take {new} instead of {old}, {}", difference(before, after)),
        (apart, true) => {
            let word = if apart < 0 { "less" } else { "more" };
            format!("the run would take {} {word} than {old}", time(apart.abs()))
        }
    };
    format!("If this were {faster}, {told}, {on}.")
}

fn remark(tasks: &Tasks, question: &Question, answer: &Answer) -> Option<String> {
    let before = answer.before.as_ref()?;
    let all = || before.points.iter().chain(answer.after.iter().flat_map(|curve| &curve.points));
    let mut said =
        vec!["predicted, not measured: a greedy schedule with this run's overhead per task".to_owned()];
    if all().any(|point| !point.exact) {
        said.push("an estimate: there is too much to replay every interval".to_owned());
    }
    if answer.after.as_ref().is_some_and(|curve| curve.points.len() == 1) {
        said.push(
            "of so large a run the faster part is only predicted on the workers that it had".to_owned(),
        );
    }
    if !question.what.is_empty() {
        said.push(format!("the recording took {}", time_text(tasks.summary().elapsed, tasks.clock())));
    }
    Some(said.join("; "))
}
