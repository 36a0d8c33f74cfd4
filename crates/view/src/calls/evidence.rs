//! The small picture that proves a finding: of a module that takes longer on some ranks, and of waiting, a bar for each rank with
//! the mean of all; of a hot function, those that take most beside it.

use crosscut_calls::causes::{Cause, Kind};
use crosscut_scene::format::{count, fit_end, many, percent, quantity, text_width};
use crosscut_scene::palette::slot;
use crosscut_scene::{Align, Label, Mark, Plot, Rect, Scene, TextStyle, Unit};
use crosscut_tree::NodeId;
use crosscut_workbench::{Look, Size};

use super::opened::Opened;
use super::styles::{self, FAINT, FAINT_HALO};
use super::{info, losses};

/// The option that names a loss by its number among all causes of the run, from 1 on.
pub const LOSS: &str = "loss";
/// What it is where nothing is said.
pub const FIRST: &str = "1";
/// Left and right of the bars.
const SIDE: f32 = 6.0;
/// Above the bars, so that the name of the mean has room over the highest one.
const HEAD: f32 = 14.0;
/// Below them, for who they are.
const FOOT: f32 = 16.0;
/// No bar is narrower: where there are more ranks, several share one.
const NARROW: f32 = 2.0;
/// From this width on there is a gap between bars.
const WIDE: f32 = 4.0;
/// Names of functions are at most this part of the picture.
const NAMES: f32 = 0.5;

/// The picture of a cause.
pub fn look(at: usize, run: usize) -> Look {
    let mut look = Look::of("calls.evidence", run);
    look.options.insert(LOSS.to_owned(), (at + 1).to_string());
    look.size = Size { w: 400.0, h: 118.0 };
    look
}

/// The cause that a picture is to prove.
pub fn meant<'a>(causes: &'a [Cause], look: &Look) -> Option<&'a Cause> {
    causes.get(look.option(LOSS).unwrap_or(FIRST).parse::<usize>().ok()?.checked_sub(1)?)
}

/// Draws it.
pub fn draw(opened: &Opened, cause: Option<&Cause>, size: Size) -> Scene {
    let title = format!("{} · what shows it", opened.calls.run().name());
    let mut scene = Scene { title, width: size.w, height: size.h, ..Scene::default() };
    match cause.filter(|cause| cause.shows.iter().any(|&(_, value)| value > 0)) {
        None => scene.note = Some("nothing to show".to_owned()),
        Some(cause) if cause.kind == Kind::HotFunction => functions(opened, cause, size, &mut scene),
        Some(cause) => ranks(opened, cause, size, &mut scene),
    }
    scene
}

fn time(value: f64) -> String {
    quantity(value, Unit::Ns)
}

/// Some ranks in a row that share a bar.
struct Bar {
    first: u32,
    last: u32,
    /// The most of one of them.
    most: i64,
    /// One of them has too much.
    is_red: bool,
}

/// As many bars as fit: each is of one rank, or of several in a row.
fn bars(cause: &Cause, width: f32) -> Vec<Bar> {
    let all = &cause.shows;
    let fit = ((width / NARROW) as usize).clamp(1, all.len().max(1));
    // The same that the finding names, and those for which it has no room.
    let is_much =
        |value: i64| cause.kind == Kind::RankImbalance && value as f64 > (cause.most + cause.mean) / 2.0;
    let bar = |at: usize| {
        let some = all.get(at * all.len() / fit..(at + 1) * all.len() / fit).unwrap_or_default();
        Some(Bar {
            first: some.first()?.0,
            last: some.last()?.0,
            most: some.iter().map(|&(_, value)| value).max()?,
            is_red: some.iter().any(|&(_, value)| is_much(value)),
        })
    };
    (0..fit).filter_map(bar).collect()
}

fn ranks(opened: &Opened, cause: &Cause, size: Size, scene: &mut Scene) {
    let word = if cause.threads { "thread" } else { "rank" };
    let rect =
        Rect { x: SIDE, y: HEAD, w: (size.w - 2.0 * SIDE).max(NARROW), h: (size.h - HEAD - FOOT).max(8.0) };
    let bars = bars(cause, rect.w);
    let most = bars.iter().map(|bar| bar.most).max().unwrap_or(0).max(1) as f64;
    let mean =
        cause.shows.iter().map(|&(_, value)| value as f64).sum::<f64>() / cause.shows.len().max(1) as f64;
    let height = |value: f64| (value / most).clamp(0.0, 1.0) as f32 * rect.h;
    scene.begin(Plot { rect, title: format!("{word}s"), ..Plot::default() });
    let pitch = rect.w / bars.len().max(1) as f32;
    let gap = if pitch >= WIDE { 1.0 } else { 0.0 };
    for (at, bar) in bars.iter().enumerate() {
        let who = match bar.first == bar.last {
            true => format!("{word} {}", bar.first),
            false => format!("{word}s {}–{}, the most of them", bar.first, bar.last),
        };
        let said = format!("{who}: {}", time(bar.most as f64));
        let style = scene.styles.put(&styles::said(said));
        let fill = if bar.is_red { slot::RED } else { slot::SEVERAL };
        let h = height(bar.most as f64).max(0.5);
        let mark = Mark::none().role(u8::from(bar.is_red)).looks(style, fill);
        scene.boxes.push([rect.x + at as f32 * pitch, rect.y + rect.h - h, pitch - gap, h], mark);
    }
    let y = rect.y + rect.h - height(mean);
    let style = scene.styles.put(&styles::MEAN);
    scene.links.push([rect.x, y, rect.x + rect.w, y], Mark::none().looks(style, slot::TEXT));
    scene.end();
    let text = format!("mean {}", time(mean));
    // Where the bars are lower than the mean it stands on nothing.
    let left = bars.first().is_some_and(|bar| (bar.most as f64) < mean);
    let (x, align) = if left { (rect.x + 2.0, Align::Start) } else { (rect.x + rect.w - 2.0, Align::End) };
    let style = TextStyle { align, ..FAINT_HALO };
    scene.labels.push(Label::new((x, y - 3.0), text_width(&text) + 4.0, text, style));
    let (first, last) = (cause.shows.first(), cause.shows.last());
    let who = |of: Option<&(u32, i64)>| of.map(|(number, _)| format!("{word} {number}")).unwrap_or_default();
    let y = rect.y + rect.h + 12.0;
    scene.labels.push(Label::new((rect.x, y), rect.w / 2.0, who(first), FAINT));
    if cause.shows.len() > 1 {
        let end = TextStyle { align: Align::End, ..FAINT };
        scene.labels.push(Label::new((rect.x + rect.w, y), rect.w / 2.0, who(last), end));
    }
    let all = many(cause.shows.len(), word);
    scene.note = Some(match cause.kind {
        Kind::RankImbalance => {
            let red =
                cause.shows.iter().filter(|&&(_, value)| value as f64 > (cause.most + cause.mean) / 2.0);
            format!(
                "spent in {} itself by {all}; red: {} with too much",
                cause.module,
                count(red.count() as i64)
            )
        }
        _ => format!("waiting of {all}, most in {}", losses::function(&opened.calls, cause.frame)),
    });
}

fn functions(opened: &Opened, cause: &Cause, size: Size, scene: &mut Scene) {
    let calls = &*opened.calls;
    let metric = crosscut_calls::causes::time_metric(calls).unwrap_or(0);
    let whole = calls.inclusive(metric, NodeId::ROOT) as f64;
    let names: Vec<String> =
        cause.shows.iter().map(|&(frame, _)| info::name(calls.frames().get(frame as usize))).collect();
    let widest = names.iter().map(|name| text_width(name)).fold(0.0, f32::max);
    let left = (widest + 2.0 * SIDE).min(size.w * NAMES);
    let room = text_width("100.0 %") + SIDE;
    let rect = Rect { x: left, y: 2.0, w: (size.w - left - room).max(8.0), h: (size.h - 4.0).max(8.0) };
    let pitch = (rect.h / cause.shows.len().max(1) as f32).min(24.0);
    let bar = (pitch * 0.62).max(3.0);
    let most = cause.shows.iter().map(|&(_, value)| value).max().unwrap_or(0).max(1) as f64;
    scene.begin(Plot { rect, title: "functions".to_owned(), ..Plot::default() });
    for (row, &(frame, value)) in cause.shows.iter().enumerate() {
        let is_it = frame == cause.frame;
        let said = format!("{}: {} itself", names[row], time(value as f64));
        let style = scene.styles.put(&styles::said(said));
        let fill = if is_it { slot::RED } else { slot::SEVERAL };
        let w = ((value as f64 / most) as f32 * rect.w).max(0.5);
        let y = rect.y + row as f32 * pitch + (pitch - bar) / 2.0;
        scene.boxes.push([rect.x, y, w, bar], Mark::none().role(u8::from(is_it)).looks(style, fill));
    }
    scene.end();
    for (row, (name, &(frame, value))) in names.iter().zip(&cause.shows).enumerate() {
        let y = rect.y + (row as f32 + 0.5) * pitch + 4.0;
        let style =
            if frame == cause.frame { styles::ON_END } else { TextStyle { align: Align::End, ..FAINT } };
        if let Some(name) = fit_end(name, left - SIDE) {
            scene.labels.push(Label::new((left - SIDE, y), left - SIDE, name, style));
        }
        let x = rect.x + ((value as f64 / most) as f32 * rect.w) + 4.0;
        scene.labels.push(Label::new((x, y), room, percent(value as f64, whole), FAINT));
    }
    scene.note =
        Some(format!("functions that take most themselves; red: {}", losses::function(calls, cause.frame)));
}
