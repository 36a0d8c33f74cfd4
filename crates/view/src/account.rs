//! Where the time of all workers or ranks went, as one bar, the same for every domain: work, solid, in the colour of what was
//! worked on; then what was lost by cause, hatched, with the numbers of the findings.

use std::borrow::Cow;

use crosscut_scene::format::{quantity, share, text_width};
use crosscut_scene::palette::slot;
use crosscut_scene::{
    Align, Fill, Ink, Label, LegendItem, Mark, Plot, Rect, Scene, Stroke, Style, TextStyle, rank,
};
use crosscut_tree::Unit;
use crosscut_workbench::{Found, Size};

use crate::tasks::charts::{note, within};
use crate::tasks::styles::{self, role};

/// How high a sheet shows it.
pub const HEIGHT: f32 = 84.0;
/// Above the bar, for the brackets; below it, for the names of causes.
const HEAD: f32 = 22.0;
const NAMES: f32 = 32.0;
/// Work below this share of the whole is one part with the rest.
const LEAST: f64 = 0.01;

/// All time that there was, and what it was spent on.
pub struct Account {
    /// The title of the picture.
    pub title: String,
    /// Workers or ranks × elapsed, or all time that was measured.
    pub whole: f64,
    /// The time that the width stands for, where that is more.
    pub wide: f64,
    /// The clock's.
    pub unit: Unit,
    /// All work.
    pub work: f64,
    /// What it consists of; what is missing is shown as others.
    pub parts: Vec<Part>,
    /// What is neither work nor lost, and its name.
    pub apart: (f64, &'static str),
    /// What to call time that nothing explains.
    pub rest: &'static str,
}

/// A part of the work.
pub struct Part {
    /// How much.
    pub time: f64,
    /// What it is, in the legend.
    pub name: String,
    /// The same in full.
    pub said: String,
    /// What may be written on it, the longest first.
    pub labels: Vec<String>,
    /// Its colour.
    pub slot: u16,
    /// The node it stands for, in the first tree of the view.
    pub mark: Mark,
}

/// Draws it, without causes as long as what was found is not known; the bar ends before the right border if the width stands for
/// more than there was.
pub fn draw(account: &Account, found: Option<&Found>, size: Size) -> Scene {
    let whole = account.whole.max(1.0);
    let room = within(size.w, size.h, [0.0, HEAD, 1.0, NAMES]);
    let rect = Rect { w: (f64::from(room.w) * (whole / account.wide.max(whole))) as f32, ..room };
    let mut scene = Scene { title: account.title.clone(), width: size.w, height: size.h, ..Scene::default() };
    scene.begin(Plot { rect: Rect { y: 0.0, h: size.h, ..rect }, ..Plot::default() });
    let mut bar = Bar { scene, rect, whole, at: 0.0, unit: account.unit };
    bar.work(account);
    let apart = account.apart.0.min(whole - bar.at).max(0.0);
    let lost = whole - bar.at - apart;
    bar.bracket("work", 0.0, bar.at);
    bar.bracket("lost", bar.at, whole - apart);
    let Some(found) = found else {
        bar.plain(whole - bar.at, "not looked into yet", Fill::Faint);
        return bar.scene;
    };
    // Costs that are bounds may claim more than there was.
    let all = || found.lost.iter().filter(|lost| !lost.spent);
    let claimed: f64 = all().map(|lost| lost.cost).sum();
    let fits = if claimed > lost { (lost / claimed).max(0.0) } else { 1.0 };
    for lost in all() {
        let style = bar.scene.styles.put(&styles::lost(lost));
        let from = bar.at;
        let at = bar.part(lost.cost * fits, Mark::none().role(role::LOST).looks(style, lost.hatch.1));
        styles::number(&mut bar.scene, lost, at);
        bar.name(&lost.what, from);
        bar.scene.legend.push(LegendItem::of(style, lost.hatch.1, lost.what.clone()));
    }
    bar.plain(apart, account.apart.1, Fill::Tint);
    bar.plain(whole - bar.at, account.rest, Fill::Faint);
    bar.scene
}

struct Bar {
    scene: Scene,
    rect: Rect,
    whole: f64,
    /// Where the next part begins, as time.
    at: f64,
    unit: Unit,
}

impl Bar {
    fn x(&self, time: f64) -> f32 {
        self.rect.x + (f64::from(self.rect.w) * (time / self.whole).clamp(0.0, 1.0)) as f32
    }

    /// What was worked on most first, then all others together.
    fn work(&mut self, account: &Account) {
        let least = LEAST * self.whole;
        let mut parts: Vec<&Part> = account.parts.iter().filter(|part| part.time >= least).collect();
        parts.sort_by(|a, b| b.time.total_cmp(&a.time).then_with(|| a.name.cmp(&b.name)));
        for part in parts {
            let meaning = format!("work: {}", part.said);
            let stroke = Stroke::Slot(slot::SURFACE);
            let style = self.scene.styles.put(&Style { meaning: Cow::Owned(meaning), stroke, ..Style::BOX });
            let (x, y, w, h) = self.part(part.time, part.mark.looks(style, part.slot));
            if let Some(text) = part.labels.iter().find(|text| text_width(text) <= w - 10.0) {
                let at = (x + 6.0, y + h / 2.0 + 4.0);
                let label = Label::new(at, w - 10.0, text.as_str(), TextStyle::PLAIN);
                self.scene.labels.push(label.of(part.mark.node, role::OWN));
            }
            self.scene.legend.push(LegendItem::of(style, part.slot, part.name.clone()));
        }
        let rest = account.work - self.at;
        if rest > 0.0 {
            let style = Style { meaning: Cow::Borrowed("other work"), ..Style::BOX };
            let style = self.scene.styles.put(&style);
            self.part(rest, Mark::none().looks(style, slot::SEVERAL));
        }
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
