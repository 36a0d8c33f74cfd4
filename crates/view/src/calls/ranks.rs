//! The selection at all ranks, or at single places: how many spent how much, and which ones those are. Bands lead from each bin
//! down to its ranks in their order; below them a strip has the value of each. A drag over bins or over the strip chooses places.

use crosscut_scene::format::{count, many};
use crosscut_scene::palette::{Ramp, slot};
use crosscut_scene::{
    Align, Axis, Brush, Cells, Grid, Label, LegendItem, Mark, NONE, Plot, Rect, Scene, Side, Unit,
};
use crosscut_tree::NodeId;
use crosscut_workbench::{Drawn, Job, Look, Refusal};

use super::bins::{self, Bins, told};
use super::opened::Opened;
use super::styles::{self, FAINT, NAME};
use super::subject::Subject;
use super::values::Values;

/// Number of the tree of places in the views.
pub const PLACES: u8 = 1;
const SIDE: f32 = 56.0;
const RIGHT: f32 = 20.0;
const HEAD: f32 = 52.0;
/// Height of the bands, of the strip, and of the texts below it.
const BANDS: f32 = 64.0;
const STRIP: f32 = 12.0;
const FOOT: f32 = 34.0;
/// Values from so much of the mean on stand out.
pub const FAR: f64 = 1.25;
/// Room above the highest bar, for its number.
const ABOVE: f32 = 16.0;
/// Up to so many ranks bars say how many they are.
const FEW: usize = 64;

/// Draws a look.
pub fn draw(opened: &Opened, look: &Look, job: &Job<'_>) -> Result<Drawn, Refusal> {
    let values = Values::of(&opened.calls, look, "metric")?;
    let subject = Subject::of(opened, &values, look, job)?;
    let size = look.size.sound();
    let numbers = numbers(&values, &subject);
    let picture = Picture {
        opened,
        bins: Bins::new(&numbers),
        mean: numbers.iter().sum::<f64>() / numbers.len().max(1) as f64,
        numbers,
        values,
    };
    let mut scene = Scene {
        title: format!("{} · {} at each {}", opened.calls.run().name(), subject.title(), picture.word()),
        width: size.w,
        height: size.h,
        ..Scene::default()
    };
    let w = (size.w - SIDE - RIGHT).max(40.0);
    let h = (size.h - HEAD - BANDS - STRIP - FOOT).max(24.0);
    let rect = Rect { x: SIDE, y: HEAD, w, h };
    picture.head(&subject, &mut scene);
    picture.histogram(rect, &mut scene);
    picture.bands(Rect { y: HEAD + h, h: BANDS, ..rect }, &mut scene);
    picture.strip(Rect { y: HEAD + h + BANDS, h: STRIP, ..rect }, &mut scene);
    picture.legend(&mut scene);
    let mut drawn = Drawn::scene(scene, picture.bins.count.len());
    drawn.settled.insert("each".to_owned(), picture.word().to_owned());
    Ok(drawn)
}

/// By rank or place: what was spent.
fn numbers(values: &Values<'_>, subject: &Subject) -> Vec<f64> {
    values.peers.sums(&subject.values).into_iter().map(|value| values.number(value)).collect()
}

/// Places of the ranks whose bins a stretch of values touches, of the same picture; none where those are all or nobody.
pub fn brushed(
    opened: &Opened,
    look: &Look,
    job: &Job<'_>,
    ends: (f64, f64),
) -> Result<Option<Vec<u32>>, Refusal> {
    let values = Values::of(&opened.calls, look, "metric")?;
    let subject = Subject::of(opened, &values, look, job)?;
    let touched = Bins::new(&numbers(&values, &subject)).touched(ends.0, ends.1);
    if touched.is_empty() || touched.len() == values.peers.len() {
        return Ok(None);
    }
    let mut places: Vec<u32> = touched.iter().flat_map(|&peer| values.peers.places(peer)).copied().collect();
    places.sort_unstable();
    Ok(Some(places))
}

struct Picture<'a> {
    opened: &'a Opened,
    values: Values<'a>,
    bins: Bins,
    numbers: Vec<f64>,
    mean: f64,
}

impl Picture<'_> {
    /// What one of those that are compared is.
    fn word(&self) -> &'static str {
        self.values.peers.each().word()
    }

    fn head(&self, subject: &Subject, scene: &mut Scene) {
        let room = scene.width - SIDE - RIGHT;
        let mut title = format!("{} · {}", subject.title(), many(self.numbers.len(), self.word()));
        if !self.opened.part.is_empty() {
            title.push_str(&format!(" · {}", self.opened.part));
        }
        scene.labels.push(Label::new((SIDE, 18.0), room, title, NAME));
        let most = self.numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let far = self.far();
        let said = match far.is_empty() || self.mean <= 0.0 {
            true => format!("no {} spends more than 1.25 × the mean", self.word()),
            false => {
                let ratio = most / self.mean;
                format!("most {ratio:.2} × mean; above 1.25 × mean: {}", told(&self.values.peers, &far))
            }
        };
        let said =
            bins::left_out(&self.values.peers).into_iter().fold(said, |said, out| format!("{said} · {out}"));
        scene.labels.push(Label::new((SIDE, 34.0), room, said, FAINT));
    }

    /// Those far above the mean.
    fn far(&self) -> Vec<usize> {
        (0..self.numbers.len()).filter(|&peer| self.is_far(peer)).collect()
    }

    fn is_far(&self, peer: usize) -> bool {
        self.mean > 0.0 && self.numbers[peer] > FAR * self.mean
    }

    /// Whether one stands out: it was chosen, or where none was, it is far above the mean.
    fn stands_out(&self, peer: usize) -> bool {
        self.values.is_chosen(peer).unwrap_or_else(|| self.is_far(peer))
    }

    fn axis(&self, rect: Rect) -> Axis {
        let mut axis = Axis::linear(
            (self.bins.from, self.bins.to),
            rect.x,
            rect.w,
            self.values.unit(),
            &self.values.measured.name,
        );
        axis.grid = false;
        axis.side = Side::None;
        axis
    }

    fn histogram(&self, rect: Rect, scene: &mut Scene) {
        let most = self.bins.count.iter().copied().max().unwrap_or(0).max(1);
        // The highest bar ends below the words on the mean: its number stands between them.
        let top = most as f64 * f64::from(rect.h / (rect.h - ABOVE).max(1.0));
        let y = Axis::linear((top, 0.0), rect.y, rect.h, Unit::Count, &format!("{}s", self.word()));
        let y = Axis { side: Side::Start, ..y };
        let title = format!("{}s by value", self.word());
        let x = self.axis(rect);
        scene.begin(Plot {
            rect,
            title,
            x: Some(x.clone()),
            y: Some(y.clone()),
            brush: Brush::Values,
            ..Plot::default()
        });
        let bar = rect.w / self.bins.count.len() as f32;
        let gap = if bar > 4.0 { 1.0 } else { 0.0 };
        for (bin, &all) in self.bins.count.iter().enumerate().filter(|(_, all)| **all > 0) {
            let inside: Vec<usize> =
                (0..self.bins.of.len()).filter(|&peer| self.bins.of[peer] == bin as u32).collect();
            let out = inside.iter().filter(|&&peer| self.stands_out(peer)).count();
            let (from, to) = self.bins.ends(bin);
            let range = format!("{} … {}", self.text(from), self.text(to));
            let said = format!("{}, {range}: {}", many(all, self.word()), told(&self.values.peers, &inside));
            let style = scene.styles.put(&styles::said(said));
            let bottom = rect.y + rect.h;
            let x = rect.x + bin as f32 * bar;
            let part = |number: usize| ((bottom - y.pixel(number as f64)).max(2.0), number);
            let (h, _) = part(all);
            let mark = Mark::none().tree(PLACES).looks(style, slot::EDGE);
            scene.boxes.push([x, bottom - h, bar - gap, h], mark);
            if out > 0 {
                let (h, _) = part(out);
                scene.boxes.push([x, bottom - h, bar - gap, h], mark.looks(style, slot::ACCENT));
            }
            if self.numbers.len() <= FEW {
                let style = crosscut_scene::TextStyle { align: Align::Middle, ..FAINT };
                scene.labels.push(Label::new(
                    (x + bar / 2.0, bottom - h - 4.0),
                    bar,
                    count(all as i64),
                    style,
                ));
            }
        }
        if self.mean > self.bins.from {
            let x = x.pixel(self.mean);
            let style = scene.styles.put(&styles::MEAN);
            scene.links.push([x, rect.y - 6.0, x, rect.y + rect.h], Mark::none().looks(style, slot::TEXT));
        }
        scene.end();
        self.ends(rect, scene);
    }

    /// What the ends of the axis and its mean are.
    fn ends(&self, rect: Rect, scene: &mut Scene) {
        let x = self.axis(rect);
        let at = x.pixel(self.mean);
        let text = format!("mean {}", self.text(self.mean));
        let left = at > rect.x + rect.w * 0.7;
        let align = if left { Align::End } else { Align::Start };
        let style = crosscut_scene::TextStyle { align, plate: crosscut_scene::Plate::Halo, ..FAINT };
        let at = (if left { at - 4.0 } else { at + 4.0 }, rect.y - 2.0);
        scene.labels.push(Label::new(at, rect.w, text, style));
    }

    fn text(&self, number: f64) -> String {
        crosscut_scene::format::quantity(number, self.values.unit())
    }

    /// Buckets of ranks for a width: at most one for two pixels. By bucket the rank that stands for it, the farthest from the
    /// mean.
    fn buckets(&self, w: f32) -> Vec<usize> {
        let places = self.numbers.len();
        let cells = places.min((w / 2.0) as usize).max(1);
        let farthest = |cell: usize| {
            let range = cell * places / cells..((cell + 1) * places / cells).max(cell * places / cells + 1);
            let far = |place: &usize| (self.numbers[*place] - self.mean).abs();
            range.filter(|&place| place < places).max_by(|a, b| far(a).total_cmp(&far(b)).then(b.cmp(a)))
        };
        (0..cells).filter_map(farthest).collect()
    }

    /// From each bin down to its ranks: one band for each stretch of ranks that follow one another.
    fn bands(&self, rect: Rect, scene: &mut Scene) {
        let buckets = self.buckets(rect.w);
        if buckets.is_empty() {
            return;
        }
        let bin_of = |bucket: usize| self.bins.of[buckets[bucket]];
        let out_of = |bucket: usize| self.stands_out(buckets[bucket]);
        let numbers: Vec<usize> = (0..buckets.len()).collect();
        let runs: Vec<&[usize]> =
            numbers.chunk_by(|&a, &b| bin_of(a) == bin_of(b) && out_of(a) == out_of(b)).collect();
        let mut used = vec![0usize; self.bins.count.len()];
        let mut all = vec![0usize; self.bins.count.len()];
        for bucket in 0..buckets.len() {
            all[bin_of(bucket) as usize] += 1;
        }
        let cell = rect.w / buckets.len() as f32;
        let bar = rect.w / self.bins.count.len() as f32;
        // Those that stand out are drawn last.
        let mut order: Vec<(bool, f32, f32, f32, f32)> = Vec::new();
        for run in &runs {
            let (Some(&first), Some(&last)) = (run.first(), run.last()) else { continue };
            let bin = bin_of(first) as usize;
            let share = bar / all[bin].max(1) as f32;
            let top = rect.x + bin as f32 * bar + used[bin] as f32 * share;
            used[bin] += run.len();
            let foot = rect.x + first as f32 * cell;
            let width = (last - first + 1) as f32 * cell;
            order.push((out_of(first), top, run.len() as f32 * share, foot, width));
        }
        order.sort_by_key(|band| band.0);
        for (out, top, wide, foot, width) in order {
            let style = scene.styles.put(&styles::band(out, runs.len()));
            let fill = if out { slot::ACCENT } else { slot::EDGE };
            let mark = Mark::none().looks(style, fill);
            scene.polygons.push(band((top, wide), (foot, width), rect), mark);
        }
    }

    fn strip(&self, rect: Rect, scene: &mut Scene) {
        let buckets = self.buckets(rect.w);
        let x = bins::axis(&self.values.peers, self.values.calls.place_count(), rect);
        let title = format!("by {}", self.word());
        scene.begin(Plot { rect, title, x: Some(x), brush: Brush::Places, ..Plot::default() });
        let style = scene.styles.put(&styles::AT_PLACE);
        let mark = Mark::none().tree(PLACES).looks(style, Ramp::MORE.first);
        let mut grid = Grid::new([rect.x, rect.y, rect.w, rect.h], buckets.len().max(1) as u32, 1, mark)
            .ramp(Ramp::MORE);
        let most = self.numbers.iter().copied().fold(0.0, f64::max);
        let level = |&place: &usize| {
            let share = if most > 0.0 { self.numbers[place] / most } else { 0.0 };
            (share * 254.0).clamp(0.0, 254.0) as u8 + 1
        };
        grid.level = buckets.iter().map(level).collect();
        let node = |&peer: &usize| self.opened.peer_node(&self.values.peers, peer).unwrap_or(NONE);
        grid.cells = Cells::Each(buckets.iter().map(node).collect());
        scene.grids.push(grid);
        scene.end();
        bins::numbers(&self.values.peers, rect, scene);
    }

    fn legend(&self, scene: &mut Scene) {
        let word = self.word();
        let far = match self.values.is_scoped() {
            true => format!("{word}s that count"),
            false => "above 1.25 × mean".to_owned(),
        };
        scene.legend.push(LegendItem::new(slot::ACCENT, far));
        scene.legend.push(LegendItem::new(slot::EDGE, format!("other {word}s")));
        let most = self.numbers.iter().copied().fold(0.0, f64::max);
        scene.legend.push(LegendItem::ramp(
            Ramp::MORE,
            ("0".to_owned(), self.text(most)),
            format!("at a {word}"),
        ));
        let total = self.values.calls.inclusive(self.values.metric, NodeId::ROOT);
        let sum: f64 = self.numbers.iter().sum();
        let share = crosscut_scene::format::percent(sum, self.values.number(total));
        scene.note = Some(format!(
            "{} in sum, {share} of the program; drag over bins to choose {word}s",
            self.text(sum)
        ));
    }
}

/// A band that leaves and arrives upright.
fn band((top, wide): (f32, f32), (foot, width): (f32, f32), rect: Rect) -> Vec<(f32, f32)> {
    const STEPS: usize = 10;
    let at = |from: f32, to: f32, step: usize| {
        let t = step as f32 / STEPS as f32;
        let smooth = t * t * (3.0 - 2.0 * t);
        (from + (to - from) * smooth, rect.y + rect.h * t)
    };
    let down = (0..=STEPS).map(|step| at(top, foot, step));
    let up = (0..=STEPS).rev().map(|step| at(top + wide.max(0.6), foot + width, step));
    down.chain(up).collect()
}
