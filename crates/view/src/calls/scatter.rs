//! One point for each rank, or for each place: what was spent there in the selection, beside a second value. The line fits best by least squares.

use crosscut_calls::Peers;
use crosscut_calls::spread::{Fit, fit};
use crosscut_scene::format::{many, quantity};
use crosscut_scene::palette::slot;
use crosscut_scene::{Align, Axis, Brush, Label, Mark, NONE, Plot, Rect, Scene, Side};
use crosscut_tree::NodeId;
use crosscut_workbench::{Drawn, Job, Look, Nodes, Refusal};

use super::opened::Opened;
use super::ranks::{FAR, PLACES};
use super::styles::{self, FAINT, NAME};
use super::subject::Subject;
use super::values::Values;
use super::{bins, info};

const SIDE: f32 = 84.0;
const RIGHT: f32 = 24.0;
const HEAD: f32 = 42.0;
const FOOT: f32 = 40.0;
/// From so many ranks on points are small.
const MANY: usize = 600;
/// Points at most; of more ranks every n-th is drawn, and the note says so.
const MOST: usize = 8192;

/// Modules below this share of the program are not offered.
const LEAST: f64 = 0.01;
/// From this correlation on two values are taken to be the same thing.
const SAME: f64 = 0.995;

/// A line through points; none where a value is the same everywhere.
fn fitted(x: &[f64], y: &[f64]) -> Option<Fit> {
    fit(x, y).filter(|fit| fit.r != 0.0)
}

/// Draws a look.
pub fn draw(opened: &Opened, look: &Look, job: &Job<'_>) -> Result<Drawn, Refusal> {
    let values = Values::of(&opened.calls, look, "metric")?;
    let subject = Subject::of(opened, &values, look, job)?;
    let (other, others) = second(opened, look, &values, &subject)?;
    // Both by those that have a value of the first.
    let numbers = |in_unit: &Values<'_>, of: &Subject| {
        values.peers.sums(&of.values).into_iter().map(|value| in_unit.number(value)).collect::<Vec<f64>>()
    };
    let (x, y) = (numbers(&values, &subject), numbers(&others, &other));
    let word = values.peers.each().word();
    let size = look.size.sound();
    let mut scene = Scene {
        title: format!("{} · {word}s", opened.calls.run().name()),
        width: size.w,
        height: size.h,
        ..Scene::default()
    };
    let rect =
        Rect { x: SIDE, y: HEAD, w: (size.w - SIDE - RIGHT).max(40.0), h: (size.h - HEAD - FOOT).max(40.0) };
    let axis = |of: &[f64], start: f32, length: f32, values: &Values<'_>, turned: bool| {
        let (from, to) = ends(of);
        let ends = if turned { (to, from) } else { (from, to) };
        Axis::linear(ends, start, length, values.unit(), &values.measured.name)
    };
    let along = axis(&x, rect.x, rect.w, &values, false);
    let up = Axis { side: Side::Start, ..axis(&y, rect.y, rect.h, &others, true) };
    let title = format!("{word}s");
    scene.begin(Plot {
        rect,
        title,
        x: Some(along.clone()),
        y: Some(up.clone()),
        brush: Brush::Values,
        ..Plot::default()
    });
    let fitted = fitted(&x, &y);
    if let Some(fit) = fitted {
        line(&along, &up, fit, rect, &mut scene);
    }
    let every = x.len().div_ceil(MOST).max(1);
    points(opened, &values, (&x, &y), (&along, &up), every, &mut scene);
    scene.end();
    let (first, second) = (subject.title(), other.title());
    let name = format!("{second}, {}, over {first}, {}", others.measured.name, values.measured.name);
    scene.labels.push(Label::new((SIDE, 18.0), rect.w, name, NAME));
    let n = many(x.len(), word);
    let said = match fitted {
        Some(fit) => format!("r = {:.2} · slope {} · {n}", fit.r, slope(fit.slope)),
        None => format!("no line: one of the values is the same at all of {n}"),
    };
    let style = crosscut_scene::TextStyle { align: Align::End, ..FAINT };
    scene.labels.push(Label::new((rect.x + rect.w, 34.0), rect.w, said.clone(), style));
    scene.note = Some(match every {
        1 => format!("{said}; drag to choose {word}s"),
        every => format!("{said}; every {every}th {word} is drawn"),
    });
    let left_out = bins::left_out(&values.peers);
    scene.note = scene.note.map(|note| left_out.into_iter().fold(note, |note, out| format!("{note}; {out}")));
    let mut drawn = Drawn::scene(scene, x.len());
    drawn.settled.insert("each".to_owned(), word.to_owned());
    Ok(drawn)
}

fn slope(of: f64) -> String {
    let text = quantity(of.abs(), crosscut_scene::Unit::Ratio);
    if of < 0.0 { format!("−{text}") } else { text }
}

/// What stands along y: the call path that was chosen, else the module that goes with the selection or against it most.
fn second<'a>(
    opened: &'a Opened,
    look: &Look,
    values: &Values<'a>,
    subject: &Subject,
) -> Result<(Subject, Values<'a>), Refusal> {
    let others = match look.option("second").filter(|&name| name != "auto") {
        Some(_) => Values::of(&opened.calls, look, "second")?,
        None => values.clone(),
    };
    let with = look.option("beside").unwrap_or_default();
    let nodes = Nodes::try_from(with.to_owned()).map_err(Refusal::new)?;
    let known = nodes.first().filter(|&node| opened.calls.tree().contains(node));
    let itself = look.option("second").map(|name| name.ends_with(", itself"));
    if let Some(node) = known {
        let name = info::name(opened.calls.frame(node));
        return Ok((Subject::of_nodes(&others, name, &[node], itself), others));
    }
    let nearest = (others.metric == 0).then(|| follows(opened, &values.peers, subject)).flatten();
    let program = || Subject::of_nodes(&others, "program".to_owned(), &[NodeId::ROOT], itself);
    Ok((nearest.unwrap_or_else(program), others))
}

/// The module whose time itself goes with the subject most, or against it.
fn follows(opened: &Opened, peers: &Peers, subject: &Subject) -> Option<Subject> {
    let numbers =
        |values: &[i64]| peers.sums(values).into_iter().map(|value| value as f64).collect::<Vec<f64>>();
    let x = numbers(&subject.values);
    let total = |values: &[i64]| numbers(values).iter().sum::<f64>();
    let whole: f64 = opened.by_module().iter().map(|values| total(values)).sum();
    let fitting = |(module, values): (usize, &Vec<i64>)| {
        // Modules that spend next to nothing go with anything; the subject's own goes with it anyway.
        let much = total(values) >= LEAST * whole;
        let fit = fitted(&x, &numbers(values)).filter(|fit| much && fit.r < SAME)?;
        Some((fit.r.abs(), module))
    };
    let all = opened.by_module().iter().enumerate().filter_map(fitting);
    let (_, module) = all.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
    let name = opened.modules().names.get(module)?.clone();
    Some(Subject { name, itself: true, values: opened.by_module().get(module)?.clone() })
}

fn ends(of: &[f64]) -> (f64, f64) {
    let least = of.iter().copied().fold(f64::INFINITY, f64::min);
    let most = of.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !(least.is_finite() && most.is_finite()) {
        return (0.0, 1.0);
    }
    let room = ((most - least) * 0.06).max(most.abs() * 1e-6).max(1e-9);
    (least - room, most + room)
}

/// The line, cut off at the rectangle.
fn line(along: &Axis, up: &Axis, fit: Fit, rect: Rect, scene: &mut Scene) {
    let y = |x: f64| fit.start + fit.slope * x;
    let style = scene.styles.put(&styles::MEAN);
    let point = |x: f64| (along.pixel(x), up.pixel(y(x)).clamp(rect.y - 1e4, rect.y + rect.h + 1e4));
    let (a, b) = (point(along.from()), point(along.to()));
    scene.links.push([a.0, a.1, b.0, b.1], Mark::none().looks(style, slot::TEXT));
}

fn points(
    opened: &Opened,
    values: &Values<'_>,
    (x, y): (&[f64], &[f64]),
    (along, up): (&Axis, &Axis),
    every: usize,
    scene: &mut Scene,
) {
    let radius = if x.len() >= MANY { 1.6 } else { 3.2 };
    let style = scene.styles.put(&styles::POINT);
    let mean = x.iter().sum::<f64>() / x.len().max(1) as f64;
    for (peer, (&x, &y)) in x.iter().zip(y).enumerate().step_by(every) {
        let out = values.is_chosen(peer).unwrap_or(mean > 0.0 && x > FAR * mean);
        let fill = if out { slot::ACCENT } else { slot::EDGE };
        let node = opened.peer_node(&values.peers, peer).unwrap_or(NONE);
        let mark = Mark::of(node).tree(PLACES).looks(style, fill);
        scene.points.push([along.pixel(x), up.pixel(y), radius], mark);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_no_line() {
        assert_eq!(fitted(&[1.0, 1.0], &[1.0, 2.0]), None);
        assert_eq!(fitted(&[1.0, 2.0], &[1.0, 1.0]), None);
        assert_eq!(fitted(&[1.0], &[1.0]), None);
        // Roots are rounded.
        assert!(fitted(&[1.0, 2.0], &[2.0, 1.0]).is_some_and(|fit| (fit.r + 1.0).abs() < 1e-12));
    }
}
