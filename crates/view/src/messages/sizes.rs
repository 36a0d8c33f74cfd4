//! How large messages are: how many of each size, and how many bytes those carry. And what each rank sent and received.

use crosscut_scene::palette::slot;
use crosscut_scene::{Axis, Brush, Label, LegendItem, Mark, Plot, Rect, Scene, Side, Stop, Unit};
use crosscut_workbench::{Drawn, Job, Look, Refusal};

use super::opened::{ClockKey, Opened};
use super::over::{self, LEFT, RIGHT};
use super::phases;
use super::styles::{self, FAINT, NAME};
use crate::format::{count, percent, quantity};

/// Below this size a message is small: its own cost is more than that of its bytes.
const SMALL: i64 = 4096;

/// Draws a look.
pub fn draw(opened: &Opened, look: &Look, _: &Job<'_>) -> Result<Drawn, Refusal> {
    let messages = &opened.messages;
    let key = ClockKey::of(&look.tree(phases::TREE).with)?;
    let window = over::window(messages, look.scope.time)?;
    let size = look.size.sound();
    let mut sums = vec![(0u64, 0.0f64); 64];
    let (mut small, mut all) = ((0u64, 0i64), (0u64, 0i64));
    for row in over::rows(messages, &key, window) {
        let bytes = messages.bytes[row].max(0);
        let bin = &mut sums[bin(bytes)];
        (bin.0, bin.1) = (bin.0 + 1, bin.1 + bytes as f64);
        all = (all.0 + 1, all.1.saturating_add(bytes));
        if bytes < SMALL {
            small = (small.0 + 1, small.1.saturating_add(bytes));
        }
    }
    let mut scene = Scene {
        title: format!("{} · sizes of messages", messages.run().name()),
        width: size.w,
        height: size.h,
        ..Scene::default()
    };
    let used: Vec<usize> = (0..sums.len()).filter(|&at| sums[at].0 > 0).collect();
    let (Some(&first), Some(&last)) = (used.first(), used.last()) else {
        let left_out = over::left_out(messages, &key, window).map(|left_out| format!("; {left_out}"));
        scene.note = Some(format!("no messages to show{}", left_out.unwrap_or_default()));
        return Ok(Drawn::scene(scene, 0));
    };
    let half = (size.h / 2.0).max(60.0);
    let bins = &sums[first..=last];
    let rect = Rect { x: LEFT, y: 30.0, w: size.w - LEFT - RIGHT, h: half - 64.0 };
    histogram(bins, first, rect, &mut scene);
    by_rank(opened, &key, window, Rect { y: half + 30.0, h: half - 64.0, ..rect }, &mut scene);
    let left_out = over::left_out(messages, &key, window).map(|left_out| format!(" · {left_out}"));
    scene.note = Some(format!(
        "{} of {} messages are under {} and carry {} of {}{}",
        percent(small.0 as f64, all.0 as f64),
        count(all.0 as i64),
        quantity(SMALL as f64, Unit::Bytes),
        percent(small.1 as f64, all.1.max(1) as f64),
        quantity(all.1 as f64, Unit::Bytes),
        left_out.unwrap_or_default(),
    ));
    Ok(Drawn::scene(scene, bins.len()))
}

/// 0 for nothing, else one more than the power of two below.
fn bin(bytes: i64) -> usize {
    (64 - bytes.max(0).leading_zeros() as usize).min(63)
}

/// The least size of a bin.
fn least(bin: usize) -> f64 {
    if bin == 0 { 0.0 } else { (bin as f64 - 1.0).exp2() }
}

fn histogram(bins: &[(u64, f64)], first: usize, rect: Rect, scene: &mut Scene) {
    scene.labels.push(Label::new((rect.x, 18.0), 300.0, "Sizes of messages", NAME));
    let each = rect.w / bins.len() as f32;
    let most = bins.iter().map(|bin| bin.0).max().unwrap_or(1).max(1) as f64;
    let heavy = bins.iter().map(|bin| bin.1).fold(1.0, f64::max);
    let mut y = Axis::linear((most, 0.0), rect.y, rect.h, Unit::Count, "messages");
    y.side = Side::Start;
    scene.begin(Plot { rect, title: "sizes of messages".to_owned(), y: Some(y), ..Plot::default() });
    let mut texts = Vec::new();
    for (at, &(number, bytes)) in bins.iter().enumerate() {
        let x = rect.x + at as f32 * each;
        let low = quantity(least(first + at), Unit::Bytes);
        let said =
            format!("{} messages from {low} on, {}", count(number as i64), quantity(bytes, Unit::Bytes));
        let style = scene.styles.put(&styles::bar(said));
        for (share, at, fill) in
            [(number as f64 / most, 0.1, slot::SEVERAL), (bytes / heavy, 0.5, styles::pattern(0))]
        {
            let h = share as f32 * rect.h;
            let mark = Mark::none().looks(style, fill);
            scene.boxes.push([x + at * each, rect.y + rect.h - h, each * 0.38, h], mark);
        }
        texts.push((x + each / 2.0, low));
    }
    scene.end();
    let every = (64.0 / each).ceil().max(1.0) as usize;
    for (x, text) in texts.into_iter().step_by(every) {
        let style = crosscut_scene::TextStyle { align: crosscut_scene::Align::Middle, ..FAINT };
        scene.labels.push(Label::new((x, rect.y + rect.h + 15.0), 70.0, text, style));
    }
    scene.legend.push(LegendItem::new(slot::SEVERAL, "messages, received"));
    scene.legend.push(LegendItem::new(styles::pattern(0), "bytes, sent"));
}

/// What ranks sent, upwards, and received, downwards.
fn by_rank(opened: &Opened, key: &ClockKey, window: (i64, i64), rect: Rect, scene: &mut Scene) {
    let messages = &opened.messages;
    let ranks = opened.ranks() as usize;
    let (mut sent, mut received) = (vec![0.0f64; ranks], vec![0.0f64; ranks]);
    for row in over::rows(messages, key, window) {
        let (from, to) = (messages.source.at(row) as usize, messages.destination.at(row) as usize);
        let bytes = messages.bytes[row].max(0) as f64;
        if let (Some(sent), Some(received)) = (sent.get_mut(from), received.get_mut(to)) {
            *sent += bytes;
            *received += bytes;
        }
    }
    let most = sent.iter().chain(&received).copied().fold(1.0, f64::max);
    let text = format!("Sent ↑ and received ↓ by rank, {} at most", quantity(most, Unit::Bytes));
    scene.labels.push(Label::new((rect.x, rect.y - 12.0), rect.w, text, NAME));
    let cells = ranks.min(rect.w as usize).max(1);
    let stop = |value: f64, at: f32| Stop { value, at, folded: false };
    let x = Axis {
        stops: vec![stop(0.0, rect.x), stop(ranks as f64, rect.x + rect.w)],
        log: false,
        unit: Unit::Count,
        title: "rank".to_owned(),
        side: Side::End,
        grid: false,
    };
    scene.begin(Plot {
        rect,
        title: "by rank".to_owned(),
        x: Some(x),
        brush: Brush::Places,
        ..Plot::default()
    });
    let middle = rect.y + rect.h / 2.0;
    let (sends, receives) = (scene.styles.put(&styles::SENT), scene.styles.put(&styles::RECEIVED));
    let w = rect.w / cells as f32;
    for at in 0..cells {
        let of = at * ranks / cells..((at + 1) * ranks / cells).max(at * ranks / cells + 1);
        let largest =
            |values: &[f64]| values.get(of.clone()).unwrap_or_default().iter().copied().fold(0.0, f64::max);
        let node = opened.places.get(of.start).copied().unwrap_or(crosscut_scene::NONE);
        let (up, down) = (largest(&sent), largest(&received));
        let gap = if w > 3.0 { 1.0 } else { 0.0 };
        let x = rect.x + at as f32 * w;
        let h = (up / most) as f32 * rect.h / 2.0;
        let mark = Mark::of(node).tree(PLACES);
        scene.boxes.push([x, middle - h, w - gap, h], mark.looks(sends, styles::pattern(0)));
        let h = (down / most) as f32 * rect.h / 2.0;
        scene.boxes.push([x, middle + 1.0, w - gap, h], mark.role(1).looks(receives, slot::SEVERAL));
    }
    scene.end();
}

/// Number of the tree of places in the view.
const PLACES: u8 = 1;
