//! Where workers × elapsed went, as one bar: work by source line, solid; then what was lost by cause, hatched, with the
//! numbers of the findings.

use std::borrow::Cow;

use crosscut_scene::format::{quantity, text_width};
use crosscut_scene::palette::slot;
use crosscut_scene::{
    Align, Fill, Ink, Label, LegendItem, Mark, Plot, Rect, Scene, Stroke, Style, TextStyle, rank,
};
use crosscut_workbench::{Found, Size, line_nodes};

use super::{note, within};
use crate::tasks::colour::source_slots;
use crate::tasks::opened::Opened;
use crate::tasks::overview::capacity;
use crate::tasks::styles::{self, role};
use crate::tasks::words::{share, unit};

/// Above the bar, for the brackets; below it, for the names of causes.
const HEAD: f32 = 22.0;
const NAMES: f32 = 32.0;
/// Source lines below this share of the whole are one part.
const LEAST: f64 = 0.01;

/// Draws it, without causes as long as what was found is not known; the bar ends before the right border if `wide`, the time that the width stands for, is more than there was.
pub fn draw(opened: &Opened, found: Option<&Found>, wide: f64, size: Size) -> Scene {
    let tasks = &opened.tasks;
    let summary = tasks.summary();
    let whole = capacity(summary).max(1.0);
    let room = within(size.w, size.h, [0.0, HEAD, 1.0, NAMES]);
    let rect = Rect { w: (f64::from(room.w) * (whole / wide.max(whole))) as f32, ..room };
    let title = format!("{} · where the time of all workers went", tasks.run().name());
    let mut scene = Scene { title, width: size.w, height: size.h, ..Scene::default() };
    scene.begin(Plot { rect: Rect { y: 0.0, h: size.h, ..rect }, ..Plot::default() });
    let mut bar = Bar { scene, rect, whole, at: 0.0, unit: unit(tasks.clock()) };
    let account = found.map(|_| opened.causes().account);
    work(opened, account.map_or(summary.work, |account| account.work) as f64, &mut bar);
    let shared = account.map_or(0.0, |account| account.shared as f64).min(whole - bar.at).max(0.0);
    let lost = whole - bar.at - shared;
    bar.bracket("work", 0.0, bar.at);
    bar.bracket("lost", bar.at, whole - shared);
    let Some(found) = found else {
        bar.plain(whole - bar.at, "not looked into yet", Fill::Faint);
        return bar.scene;
    };
    // Costs that are bounds may claim more than there was.
    let claimed: f64 = found.lost.iter().map(|lost| lost.cost).sum();
    let fits = if claimed > lost { (lost / claimed).max(0.0) } else { 1.0 };
    for lost in &found.lost {
        let style = bar.scene.styles.put(&styles::lost(lost));
        let from = bar.at;
        let at = bar.part(lost.cost * fits, Mark::none().role(role::LOST).looks(style, lost.hatch.1));
        styles::number(&mut bar.scene, lost, at);
        bar.name(&lost.what, from);
        bar.scene.legend.push(LegendItem::of(style, lost.hatch.1, lost.what.clone()));
    }
    bar.plain(shared, "more workers than processors", Fill::Tint);
    bar.plain(whole - bar.at, "not explained", Fill::Faint);
    bar.scene
}

/// Lines that worked most first, then all others together.
fn work(opened: &Opened, all: f64, bar: &mut Bar) {
    let tasks = &opened.tasks;
    let lines = opened.lines();
    let (slots, nodes) = (source_slots(tasks.sources()), line_nodes(tasks.sources()));
    let mut parts: Vec<(usize, i64)> =
        lines.lines.iter().map(|line| line.work).enumerate().filter(|part| part.1 > 0).collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.1));
    // What a worker does without a processor is no work, whatever the line.
    let worked = all / (tasks.summary().work.max(1) as f64);
    let least = LEAST * bar.whole;
    for &(source, work) in parts.iter().take_while(|part| part.1 as f64 >= least) {
        let Some(source_line) = tasks.sources().get(source as u32) else { continue };
        let meaning = format!("work: {source_line}");
        let style = Style { meaning: Cow::Owned(meaning), stroke: Stroke::Slot(slot::SURFACE), ..Style::BOX };
        let style = bar.scene.styles.put(&style);
        let (x, y, w, h) =
            bar.part(work as f64 * worked, Mark::of(nodes[source]).looks(style, slots[source]));
        let texts =
            [format!(":{} {}", source_line.line, source_line.function), format!(":{}", source_line.line)];
        if let Some(text) = texts.into_iter().find(|text| text_width(text) <= w - 10.0) {
            let label = Label::new((x + 6.0, y + h / 2.0 + 4.0), w - 10.0, text, TextStyle::PLAIN);
            bar.scene.labels.push(label.of(nodes[source], role::OWN));
        }
        bar.scene.legend.push(LegendItem::of(style, slots[source], source_line.short()));
    }
    let rest = all - bar.at;
    if rest > 0.0 {
        let style = Style { meaning: Cow::Borrowed("work: other lines"), ..Style::BOX };
        let style = bar.scene.styles.put(&style);
        bar.part(rest, Mark::none().looks(style, slot::SEVERAL));
    }
}

struct Bar {
    scene: Scene,
    rect: Rect,
    whole: f64,
    /// Where the next part begins, as time.
    at: f64,
    unit: crosscut_tree::Unit,
}

impl Bar {
    fn x(&self, time: f64) -> f32 {
        self.rect.x + (f64::from(self.rect.w) * (time / self.whole).clamp(0.0, 1.0)) as f32
    }

    /// The next part; says where it is.
    fn part(&mut self, time: f64, mark: Mark) -> (f32, f32, f32, f32) {
        let (x, end) = (self.x(self.at), self.x(self.at + time));
        self.at += time;
        let at = [x, self.rect.y, end - x, self.rect.h];
        if end > x {
            self.scene.boxes.push(at, mark);
        }
        (x, self.rect.y, end - x, self.rect.h)
    }

    /// A part that is no finding, with its name.
    fn plain(&mut self, time: f64, name: &'static str, fill: Fill) {
        if time <= 0.0 {
            return;
        }
        let style = self.scene.styles.put(&Style { fill, meaning: Cow::Borrowed(name), ..Style::BOX });
        let from = self.at;
        self.part(time, Mark::none().role(role::LOST).looks(style, slot::LOST));
        self.name(name, from);
    }

    /// The name of the last part, which began there, and how much it is, below it where there is room.
    fn name(&mut self, what: &str, from: f64) {
        let time = self.at - from;
        let (x, w) = (self.x(from), self.x(self.at) - self.x(from));
        let how_much = format!("{} · {}", share(time, self.whole), quantity(time, self.unit));
        let y = self.rect.y + self.rect.h;
        if text_width(what) <= w {
            let style = TextStyle { bold: true, ink: Ink::Slot(slot::TEXT), ..TextStyle::PLAIN };
            self.scene.labels.push(Label::new((x, y + 14.0), w, what, style));
        }
        if text_width(&how_much) <= w {
            note(&mut self.scene, (x, y + 28.0), w, how_much, Align::Start);
        }
    }

    /// A bracket above, with what it spans.
    fn bracket(&mut self, what: &str, from: f64, to: f64) {
        let (x, end) = (self.x(from), self.x(to));
        let time = to - from;
        let text = format!("{what} {} · {}", share(time, self.whole), quantity(time, self.unit));
        let style = Style { stroke: Stroke::Slot(slot::EDGE), rank: rank::RIM, ..Style::LINK };
        let style = self.scene.styles.put(&style);
        let (top, foot) = (self.rect.y - 12.0, self.rect.y - 5.0);
        let mark = Mark::none().looks(style, slot::EDGE);
        let room = end - x - 4.0;
        if room <= 0.0 {
            return;
        }
        let mut line = |ends: [f32; 4]| self.scene.links.push(ends, mark);
        line([x + 0.5, foot, x + 0.5, top]);
        line([end - 0.5, foot, end - 0.5, top]);
        let w = text_width(&text) * 1.08 + 8.0;
        let (left, right) = (x + 0.5, end - 0.5);
        if w + 14.0 <= room {
            line([left, top, left + 8.0, top]);
            line([left + 8.0 + w, top, right, top]);
            let style = TextStyle { bold: true, ink: Ink::Slot(slot::TEXT), ..TextStyle::PLAIN };
            self.scene.labels.push(Label::new((left + 12.0, top + 4.0), w, text, style));
        } else {
            line([left, top, right, top]);
        }
    }
}
