//! SVG from a Scene: a picture that stands alone, with title, axes, ticks and legend. Every text is escaped; what XML
//! cannot hold is replaced.

mod axes;
mod marks;
mod outline;
mod texts;

use std::fmt::Write as _;

use crate::format::text_width;
use crate::marks::Boxes;
use crate::palette::{Colour, Theme};
use crate::plot::{Camera, Ranges};
use crate::printable::is_hidden;
use crate::scene::{LegendItem, Scene};
use crate::style::{Fill, HATCH_FROM, Style, rank, share};
use crate::text::Align;

const MARGIN: f32 = 16.0;
const TITLE: f32 = 26.0;
const LEGEND_LINE: f32 = 18.0;
/// Narrower pictures are made as wide as a line of legend needs.
const LEAST_WIDTH: f32 = 320.0;
/// Width of a step of a ramp in the legend.
const STEP: f32 = 4.0;

/// The scene as an SVG document.
pub fn svg(scene: &Scene, theme: &Theme) -> String {
    let width = scene.width.max(LEAST_WIDTH) + 2.0 * MARGIN;
    let legend = legend_lines(scene, width - 2.0 * MARGIN);
    let note = if scene.note.is_some() { LEGEND_LINE } else { 0.0 };
    let foot = MARGIN + TITLE + scene.height;
    let height = foot + MARGIN + legend.len() as f32 * LEGEND_LINE + note;
    let mut out = String::with_capacity(scene.boxes.len() * 120 + scene.links.len() * 60 + 4096);
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"11\">\n<title>{2}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"{3}\"/>\n",
        number(width),
        number(height),
        escape(&scene.title),
        theme.surface.hex(),
    );
    text(
        &mut out,
        (MARGIN, MARGIN + 10.0),
        Align::Start,
        theme.text,
        &scene.title,
        " font-size=\"13\" font-weight=\"600\"",
    );
    let mut writer = Writer { out, theme, scene };
    writer.patterns();
    let _ =
        writeln!(writer.out, "<g transform=\"translate({} {})\">", number(MARGIN), number(MARGIN + TITLE));
    writer.body();
    writer.out.push_str("</g>\n");
    let mut y = foot + MARGIN + 6.0;
    for line in legend {
        for (x, item) in line {
            writer.legend_item(item, MARGIN + x, y);
        }
        y += LEGEND_LINE;
    }
    let mut out = writer.out;
    if let Some(note) = &scene.note {
        text(&mut out, (MARGIN, y), Align::Start, theme.faint, note, "");
    }
    out.push_str("</svg>\n");
    out
}

/// Room that the sign of an entry takes.
fn sign_width(item: &LegendItem) -> f32 {
    match &item.ends {
        Some((from, to)) => text_width(from) + text_width(to) + 12.0 + f32::from(item.steps) * STEP,
        None if item.style.is_some() => 20.0,
        None => 14.0,
    }
}

/// The legend broken into lines.
fn legend_lines(scene: &Scene, width: f32) -> Vec<Vec<(f32, &LegendItem)>> {
    let mut lines: Vec<Vec<(f32, &LegendItem)>> = Vec::new();
    let mut x = f32::INFINITY;
    for item in &scene.legend {
        let need = sign_width(item) + text_width(&item.text) + 14.0;
        if x + need > width {
            lines.push(Vec::new());
            x = 0.0;
        }
        if let Some(line) = lines.last_mut() {
            line.push((x, item));
        }
        x += need;
    }
    lines
}

/// Coordinates beyond this are cut: who draws the SVG may count in fixed point.
const FAR: f32 = 4e6;

/// At most two decimals, no trailing zeros.
fn number(value: f32) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{:.2}", value.clamp(-FAR, FAR));
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text for XML: markup escaped, characters that XML 1.0 does not allow replaced.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            // What XML does not allow, and marks that could make a name read as another.
            c if is_hidden(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn text(out: &mut String, (x, y): (f32, f32), align: Align, fill: Colour, words: &str, more: &str) {
    let anchor = match align {
        Align::Start => "",
        Align::Middle => " text-anchor=\"middle\"",
        Align::End => " text-anchor=\"end\"",
    };
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" fill=\"{}\"{anchor}{more}>{}</text>",
        number(x),
        number(y),
        fill.hex(),
        escape(words)
    );
}

struct Writer<'a> {
    out: String,
    theme: &'a Theme,
    scene: &'a Scene,
}

/// The marks of one kind that are drawn together.
type Chosen = Vec<usize>;

/// Marks by kind.
#[derive(Default)]
struct Group {
    boxes: Chosen,
    links: Chosen,
    points: Chosen,
    ribbons: Chosen,
    polygons: Chosen,
    areas: Chosen,
    grids: Chosen,
}

impl Writer<'_> {
    /// Plots one after the other; what belongs to none behind them, borders and signs of that above.
    fn body(&mut self) {
        let scene = self.scene;
        let all: Vec<Ranges> = (0..scene.plots.len()).map(|plot| scene.ranges(plot)).collect();
        let loose = self.loose(&all);
        for plot in &scene.plots {
            self.axes(plot);
        }
        self.ranks(&loose, 0..rank::RIM);
        for (i, (plot, ranges)) in scene.plots.iter().zip(&all).enumerate() {
            let group = group_of(ranges);
            let clips = plot.camera != Camera::Xy;
            if clips {
                // Cells at the borders of the window may stick out by less than one cell.
                let rect = plot.rect;
                let _ = writeln!(
                    self.out,
                    "<clipPath id=\"plot{i}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n\
                     <g clip-path=\"url(#plot{i})\">",
                    number(rect.x),
                    number(rect.y),
                    number(rect.w.max(0.0)),
                    number(rect.h.max(plot.scroll.unwrap_or(0.0)).max(0.0)),
                );
            }
            self.ranks(&group, 0..u8::MAX);
            if clips {
                self.out.push_str("</g>\n");
            }
            self.folds(plot);
        }
        self.ranks(&loose, rank::RIM..u8::MAX);
        self.labels();
    }

    /// Marks that belong to no plot.
    fn loose(&self, plots: &[Ranges]) -> Group {
        let scene = self.scene;
        let outside = |n: usize, of: fn(&Ranges) -> (u32, u32)| -> Chosen {
            let inside =
                |i: &usize| plots.iter().map(of).any(|(from, to)| (from as usize..to as usize).contains(i));
            (0..n).filter(|i| !inside(i)).collect()
        };
        Group {
            boxes: outside(scene.boxes.len(), |r| r.boxes),
            links: outside(scene.links.len(), |r| r.links),
            points: outside(scene.points.len(), |r| r.points),
            ribbons: outside(scene.ribbons.len(), |r| r.ribbons),
            polygons: outside(scene.polygons.len(), |r| r.polygons),
            areas: outside(scene.areas.len(), |r| r.areas),
            grids: outside(scene.grids.len(), |r| r.grids),
        }
    }

    /// Lower ranks first.
    fn ranks(&mut self, group: &Group, ranks: std::ops::Range<u8>) {
        let scene = self.scene;
        let mut used: Vec<u8> = scene.styles.all().iter().map(|style| style.rank).collect();
        used.push(Style::BOX.rank);
        used.sort_unstable();
        used.dedup();
        for rank in used.into_iter().filter(|rank| ranks.contains(rank)) {
            let shown = |style: u16| {
                let style = scene.styles.at(style);
                style.rank == rank && !style.live
            };
            let of = |list: &Chosen, style: &dyn Fn(usize) -> u16| -> Chosen {
                list.iter().copied().filter(|&i| shown(style(i))).collect()
            };
            of(&group.grids, &|i| scene.grids[i].mark.style).iter().for_each(|&i| self.grid(&scene.grids[i]));
            of(&group.areas, &|i| scene.areas[i].mark.style).iter().for_each(|&i| self.area(&scene.areas[i]));
            of(&group.polygons, &|i| scene.polygons.style[i]).iter().for_each(|&i| self.polygon(i));
            of(&group.ribbons, &|i| scene.ribbons.style[i]).iter().for_each(|&i| self.ribbon(i));
            self.links(&of(&group.links, &|i| scene.links.style[i]));
            of(&group.boxes, &|i| scene.boxes.style[i]).iter().for_each(|&i| self.boxed(&scene.boxes, i));
            of(&group.points, &|i| scene.points.style[i]).iter().for_each(|&i| self.point(i));
        }
    }

    fn boxed(&mut self, b: &Boxes, i: usize) {
        let style = self.scene.styles.at(b.style[i]);
        self.outlined(style, b.fill[i], (b.x[i], b.y[i], b.w[i].max(0.0), b.h[i].max(0.0)));
    }

    /// The patterns of all hatches that are used.
    fn patterns(&mut self) {
        let scene = self.scene;
        let mut used: Vec<(Fill, u16)> = Vec::new();
        let mut note = |style: u16, slot: u16| {
            let fill = scene.styles.at(style).fill;
            if fill.is_hatch() && !used.contains(&(fill, slot)) {
                used.push((fill, slot));
            }
        };
        let columns = [
            (&scene.boxes.style, &scene.boxes.fill),
            (&scene.points.style, &scene.points.fill),
            (&scene.ribbons.style, &scene.ribbons.fill),
            (&scene.polygons.style, &scene.polygons.fill),
        ];
        columns.into_iter().for_each(|(style, fill)| style.iter().zip(fill).for_each(|(&s, &f)| note(s, f)));
        scene.areas.iter().for_each(|area| note(area.mark.style, area.mark.fill));
        let styled = scene.legend.iter().filter_map(|item| item.style.map(|style| (style, item.fill)));
        styled.for_each(|(style, fill)| note(style, fill));
        for (fill, slot) in used {
            let pattern = outline::pattern(fill, self.theme, slot);
            self.out.push_str(&pattern);
        }
    }

    /// What stands in `fill="…"`: a colour, a pattern or nothing. `least` is the shorter side of the mark.
    fn fill_of(&self, style: &Style, slot: u16, least: f32) -> String {
        let theme = self.theme;
        let solid = theme.slot(slot);
        match style.fill {
            Fill::Solid => solid.hex(),
            Fill::Tint => theme.surface.towards(solid, share::TINT).hex(),
            Fill::Faint => theme.surface.towards(solid, share::FAINT).hex(),
            Fill::Surface => theme.surface.hex(),
            Fill::None => "none".to_owned(),
            _ if least < HATCH_FROM => theme.surface.towards(solid, share::FLAT).hex(),
            hatch => format!("url(#{})", outline::pattern_name(hatch, slot)),
        }
    }

    fn legend_item(&mut self, item: &LegendItem, x: f32, y: f32) {
        let theme = self.theme;
        if let Some((from, to)) = &item.ends {
            text(&mut self.out, (x, y), Align::Start, theme.faint, from, "");
            let mut at = x + text_width(from) + 4.0;
            for step in 0..item.steps {
                let paint = format!("fill=\"{}\"", theme.slot(item.fill + step).hex());
                self.rect((at, y - 9.0, STEP, 10.0), 0.0, &paint);
                at += STEP;
            }
            text(&mut self.out, (at + 4.0, y), Align::Start, theme.faint, to, "");
        } else if let Some(style) = item.style {
            let style = self.scene.styles.at(style);
            let is_line = style.fill == Fill::None && style.stroke != crate::style::Stroke::None;
            match (
                is_line,
                style.rank == rank::LINK || style.arrow || style.shape == crate::style::Shape::Line,
            ) {
                (true, true) => self.sample(style, item.fill, (x, y - 4.0), (x + 16.0, y - 4.0)),
                _ => self.outlined(style, item.fill, (x, y - 10.0, 16.0, 11.0)),
            }
        } else {
            let paint = format!("fill=\"{}\"", theme.slot(item.fill).hex());
            self.rect((x, y - 9.0, 10.0, 10.0), 2.0, &paint);
        }
        let at = (x + sign_width(item), y);
        text(&mut self.out, at, Align::Start, theme.text, &item.text, "");
    }

    fn rect(&mut self, (x, y, w, h): (f32, f32, f32, f32), round: f32, paint: &str) {
        let round = if round > 0.0 { format!(" rx=\"{}\"", number(round)) } else { String::new() };
        let _ = writeln!(
            self.out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{round} {paint}/>",
            number(x),
            number(y),
            number(w.max(0.0)),
            number(h.max(0.0))
        );
    }

    fn path(&mut self, d: &str, paint: &str) {
        let _ = writeln!(self.out, "<path d=\"{d}\" {paint}/>");
    }
}

fn group_of(ranges: &Ranges) -> Group {
    let list = |(from, to): (u32, u32)| (from as usize..to as usize).collect();
    Group {
        boxes: list(ranges.boxes),
        links: list(ranges.links),
        points: list(ranges.points),
        ribbons: list(ranges.ribbons),
        polygons: list(ranges.polygons),
        areas: list(ranges.areas),
        grids: list(ranges.grids),
    }
}

fn polygon(points: impl IntoIterator<Item = (f32, f32)>, closed: bool) -> String {
    let mut d = String::new();
    for (i, (x, y)) in points.into_iter().enumerate() {
        let _ = write!(d, "{}{} {}", if i == 0 { 'M' } else { 'L' }, number(x), number(y));
    }
    if closed && !d.is_empty() {
        d.push('Z');
    }
    d
}
