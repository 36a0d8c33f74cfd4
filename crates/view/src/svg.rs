//! SVG from a Scene: a picture that stands alone, with title, axes, ticks and legend. Every text is escaped; what XML
//! cannot hold is replaced.

use std::fmt::Write as _;

use crate::format::text_width;
use crate::palette::{Colour, Theme};
use crate::scene::{Align, Area, LinkKind, Scene, Shape, Strip, flag};
use crate::ticks::{Tick, ticks};

const MARGIN: f32 = 16.0;
const TITLE: f32 = 26.0;
const LEGEND_LINE: f32 = 18.0;
/// Narrower pictures are made as wide as a line of legend needs.
const LEAST_WIDTH: f32 = 320.0;

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
    let _ = writeln!(out, "<g transform=\"translate({} {})\">", number(MARGIN), number(MARGIN + TITLE));
    let mut writer = Writer { out, theme };
    writer.body(scene);
    let mut out = writer.out;
    out.push_str("</g>\n");
    let mut y = foot + MARGIN + 6.0;
    for line in legend {
        for (x, fill, words) in line {
            let _ = writeln!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"10\" height=\"10\" rx=\"2\" fill=\"{}\"/>",
                number(MARGIN + x),
                number(y - 9.0),
                theme.slot(fill).hex()
            );
            text(&mut out, (MARGIN + x + 14.0, y), Align::Start, theme.text, words, "");
        }
        y += LEGEND_LINE;
    }
    if let Some(note) = &scene.note {
        text(&mut out, (MARGIN, y), Align::Start, theme.faint, note, "");
    }
    out.push_str("</svg>\n");
    out
}

/// The legend broken into lines: x, slot, text.
fn legend_lines(scene: &Scene, width: f32) -> Vec<Vec<(f32, u16, &str)>> {
    let mut lines: Vec<Vec<(f32, u16, &str)>> = Vec::new();
    let mut x = f32::INFINITY;
    for item in &scene.legend {
        let need = 14.0 + text_width(&item.text) + 14.0;
        if x + need > width {
            lines.push(Vec::new());
            x = 0.0;
        }
        if let Some(line) = lines.last_mut() {
            line.push((x, item.fill, &item.text));
        }
        x += need;
    }
    lines
}

/// A triangle at the end of a dependence: it points at what needs the other.
fn arrowhead((x0, y0): (f32, f32), (x1, y1): (f32, f32)) -> String {
    const LENGTH: f32 = 8.0;
    let (dx, dy) = (x1 - x0, y1 - y0);
    let length = dx.hypot(dy);
    if length < 1.0 {
        return String::new();
    }
    let head = LENGTH.min(length);
    let (ux, uy) = (dx / length * head, dy / length * head);
    let (left, right) = ((x1 - ux - uy / 2.0, y1 - uy + ux / 2.0), (x1 - ux + uy / 2.0, y1 - uy - ux / 2.0));
    let point = |(x, y): (f32, f32)| format!("{} {}", number(x), number(y));
    format!("M{}L{}L{}Z", point((x1, y1)), point(left), point(right))
}

/// At most two decimals, no trailing zeros.
fn number(value: f32) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.2}");
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
            c if c < ' ' || matches!(c, '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}') => {
                out.push('\u{fffd}')
            }
            // Marks that turn the direction of what follows them could make a name read as another.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => out.push('\u{fffd}'),
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
}

impl Writer<'_> {
    fn body(&mut self, scene: &Scene) {
        self.axes(scene);
        let envelope = |&i: &usize| scene.boxes.shape[i] == Shape::Envelope as u8;
        let all = 0..scene.boxes.len();
        all.clone().filter(envelope).for_each(|i| self.mark(scene, i));
        self.links(scene);
        if let Some(axis) = &scene.x_axis {
            // Cells at the borders of the window may stick out by less than one cell.
            let _ = writeln!(
                self.out,
                "<clipPath id=\"plot\"><rect x=\"{}\" y=\"0\" width=\"{}\" height=\"{}\"/></clipPath>\n<g clip-path=\"url(#plot)\">",
                number(axis.start),
                number(axis.length),
                number(scene.height)
            );
        }
        scene.areas.iter().for_each(|area| self.area(area));
        scene.strips.iter().for_each(|strip| self.strip(strip));
        all.filter(|i| !envelope(i)).for_each(|i| self.mark(scene, i));
        if scene.x_axis.is_some() {
            self.out.push_str("</g>\n");
        }
        self.labels(scene);
    }

    fn line(&mut self, a: (f32, f32), b: (f32, f32), colour: Colour, width: &str) {
        let _ = writeln!(
            self.out,
            "<path d=\"M{} {}L{} {}\" stroke=\"{}\" stroke-width=\"{width}\"/>",
            number(a.0),
            number(a.1),
            number(b.0),
            number(b.1),
            colour.hex()
        );
    }

    fn axes(&mut self, scene: &Scene) {
        let theme = self.theme;
        let grid = theme.surface.towards(theme.line, 0.6);
        if let Some(axis) = &scene.y_axis {
            let x = scene.x_axis.as_ref().map_or((0.0, scene.width), |x| (x.start, x.start + x.length));
            for Tick { at, text: words } in ticks_of_values(axis) {
                self.line((x.0, at), (x.1, at), grid, "1");
                text(&mut self.out, (x.0 - 6.0, at + 4.0), Align::End, theme.faint, &words, "");
            }
        }
        if let Some(axis) = &scene.x_axis {
            let y = scene.height - crate::timeline::FOOT;
            for Tick { at, text: words } in ticks(axis, 90.0) {
                self.line((at, 0.0), (at, y + 4.0), grid, "1");
                text(&mut self.out, (at, y + 16.0), Align::Middle, theme.faint, &words, "");
            }
            self.line((axis.start, y), (axis.start + axis.length, y), theme.line, "1");
            if axis.unit == "ticks" {
                text(&mut self.out, (0.0, y + 16.0), Align::Start, theme.faint, "ticks", "");
            }
        }
    }

    fn links(&mut self, scene: &Scene) {
        let links = &scene.links;
        let groups = [
            (LinkKind::Sync, false),
            (LinkKind::Continue, false),
            (LinkKind::Create, false),
            (LinkKind::Depend, false),
        ];
        let critical = groups.map(|(kind, _)| (kind, true));
        for (kind, is_critical) in groups.into_iter().chain(critical) {
            let chosen = |&i: &usize| {
                links.kind[i] == kind as u8 && (links.flags[i] & flag::CRITICAL != 0) == is_critical
            };
            let (mut d, mut heads) = (String::new(), String::new());
            for i in (0..links.len()).filter(chosen) {
                let (from, to) = ((links.x0[i], links.y0[i]), (links.x1[i], links.y1[i]));
                let (x0, y0, x1, y1) = (number(from.0), number(from.1), number(to.0), number(to.1));
                let _ = write!(d, "M{x0} {y0}L{x1} {y1}");
                if kind == LinkKind::Depend {
                    heads.push_str(&arrowhead(from, to));
                }
            }
            if d.is_empty() {
                continue;
            }
            let colour = if is_critical { self.theme.red } else { self.theme.edge };
            let width = if is_critical || kind == LinkKind::Depend { "2" } else { "1" };
            let dash = if kind == LinkKind::Sync { " stroke-dasharray=\"3 2\"" } else { "" };
            let _ = writeln!(
                self.out,
                "<path d=\"{d}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"{dash}/>",
                colour.hex()
            );
            if !heads.is_empty() {
                let _ = writeln!(self.out, "<path d=\"{heads}\" fill=\"{}\"/>", colour.hex());
            }
        }
    }

    fn mark(&mut self, scene: &Scene, i: usize) {
        let b = &scene.boxes;
        let (x, y, w, h) = (b.x[i], b.y[i], b.w[i], b.h[i]);
        let theme = self.theme;
        let solid = theme.slot(b.fill[i]);
        let flags = b.flags[i];
        let border = if flags & flag::CRITICAL != 0 { theme.red } else { solid.towards(theme.text, 0.35) };
        let thick = if flags & flag::CRITICAL != 0 { "2" } else { "1" };
        let tint = theme.surface.towards(solid, 0.28);
        let edge = format!("stroke=\"{}\" stroke-width=\"{thick}\"", border.hex());
        let shape = b.shape[i];
        let _ = match shape {
            s if s == Shape::Envelope as u8 => {
                let paint = format!("fill=\"{}\" stroke=\"{}\"", solid.hex(), theme.line.hex());
                self.rect((x, y, w, h), 5.0, &paint)
            }
            s if s == Shape::Plain as u8 => {
                self.rect((x, y, w, h), 0.0, &format!("fill=\"{}\"", solid.hex()))
            }
            s if s == Shape::Wait as u8 => {
                let d = polygon(&[(x, y), (x + w, y), (x + w * 0.72, y + h), (x + w * 0.28, y + h)]);
                writeln!(self.out, "<path d=\"{d}\" fill=\"{}\" {edge}/>", solid.hex())
            }
            s if s == Shape::Chunk as u8 => {
                let d = polygon(&[(x + w * 0.28, y), (x + w, y), (x + w * 0.72, y + h), (x, y + h)]);
                writeln!(self.out, "<path d=\"{d}\" fill=\"{}\" {edge}/>", solid.hex())
            }
            s if s == Shape::Create as u8 || s == Shape::Fork as u8 => {
                let foot = y + h;
                let d = polygon(&[
                    (x, y),
                    (x + w, y),
                    (x + w, foot - 3.0),
                    (x + w / 2.0 + 3.0, foot - 3.0),
                    (x + w / 2.0, foot),
                    (x + w / 2.0 - 3.0, foot - 3.0),
                    (x, foot - 3.0),
                ]);
                writeln!(
                    self.out,
                    "<path d=\"{d}\" fill=\"{}\" {edge} stroke-linejoin=\"round\"/>",
                    solid.hex()
                )
            }
            s if s == Shape::End as u8 => {
                let _ = self.rect((x, y, w, h), 1.0, &format!("fill=\"{}\" {edge}", solid.hex()));
                self.rect((x - 1.0, y + h - 2.0, w + 2.0, 2.0), 0.0, &format!("fill=\"{}\"", border.hex()))
            }
            s if s == Shape::Other as u8 => {
                self.rect((x, y, w, h), 0.0, &format!("fill=\"{}\" {edge}", solid.hex()))
            }
            s if s == Shape::Grain as u8 => self.grain(scene, i),
            s if s == Shape::Group as u8 => self.group(scene, i),
            s if s == Shape::ForkNode as u8 || s == Shape::JoinNode as u8 => {
                let d = if s == Shape::ForkNode as u8 {
                    polygon(&[(x, y), (x + w, y), (x + w / 2.0, y + h)])
                } else {
                    polygon(&[(x + w / 2.0, y), (x + w, y + h), (x, y + h)])
                };
                let colour = if flags & flag::CRITICAL != 0 { theme.red } else { theme.edge };
                writeln!(self.out, "<path d=\"{d}\" fill=\"{}\"/>", colour.hex())
            }
            s if s == Shape::Repeat as u8 => {
                let paint = format!("fill=\"{}\" {edge} stroke-dasharray=\"4 2\"", solid.hex());
                self.rect((x, y, w, h), 3.0, &paint)
            }
            _ => {
                let round = if shape == Shape::Task as u8 { 7.0 } else { 1.0 };
                let _ = self.rect((x, y, w, h), round, &format!("fill=\"{}\" {edge}", tint.hex()));
                if flags & flag::COLLAPSED != 0 || w < 8.0 || h < 8.0 {
                    Ok(())
                } else {
                    // The second border says that there is something inside.
                    let line = theme.surface.towards(solid, 0.7).hex();
                    let inner = (x + 2.0, y + 2.0, w - 4.0, h - 4.0);
                    self.rect(inner, (round - 2.0).max(0.0), &format!("fill=\"none\" stroke=\"{line}\""))
                }
            }
        };
    }

    /// A grain: faint when it has nothing of the problem that is looked at, with a red rim when it has it.
    fn grain(&mut self, scene: &Scene, i: usize) -> std::fmt::Result {
        let b = &scene.boxes;
        let (x, y, w, h, flags) = (b.x[i], b.y[i], b.w[i], b.h[i], b.flags[i]);
        let theme = self.theme;
        let solid = theme.slot(b.fill[i]);
        let dimmed = flags & flag::DIMMED != 0;
        let (fill, border) = if dimmed {
            (theme.surface.towards(solid, 0.2), theme.surface.towards(theme.edge, 0.5))
        } else {
            (theme.surface.towards(solid, 0.45), solid.towards(theme.text, 0.2))
        };
        let red = flags & (flag::PROBLEM | flag::CRITICAL) != 0;
        let (colour, width) = if red { (theme.red, 2) } else { (border, 1) };
        let paint = |fill: Colour, colour: Colour, width: u8| {
            format!("fill=\"{}\" stroke=\"{}\" stroke-width=\"{width}\"", fill.hex(), colour.hex())
        };
        if flags & flag::MERGED != 0 {
            self.rect((x + 3.0, y + 3.0, w, h), 2.0, &paint(fill, border, 1))?;
        }
        self.rect((x, y, w, h), 2.0, &paint(fill, colour, width))
    }

    /// A closed group has no fill; its border tells whether it holds the problem. Folds are dashed, groups alike a stack.
    fn group(&mut self, scene: &Scene, i: usize) -> std::fmt::Result {
        let b = &scene.boxes;
        let (x, y, w, h, flags) = (b.x[i], b.y[i], b.w[i], b.h[i], b.flags[i]);
        let theme = self.theme;
        let problem = flags & flag::PROBLEM != 0;
        let (colour, width) = match flags {
            f if f & flag::CRITICAL != 0 => (theme.red, "2"),
            _ if problem => (theme.red, "1.5"),
            f if f & flag::DIMMED != 0 => (theme.slot(crate::palette::slot::GOOD), "1"),
            _ => (theme.edge, "1"),
        };
        let closed = flags & flag::CLOSED != 0;
        let dash = if closed { "" } else { " stroke-dasharray=\"4 2\"" };
        let surface = theme.surface.hex();
        let paint = format!("fill=\"{surface}\" stroke=\"{}\" stroke-width=\"{width}\"{dash}", colour.hex());
        if closed && flags & flag::MERGED != 0 {
            self.rect((x + 3.0, y + 3.0, w, h), 8.0, &paint)?;
        }
        self.rect((x, y, w, h), 8.0, &paint)
    }

    fn rect(&mut self, (x, y, w, h): (f32, f32, f32, f32), round: f32, paint: &str) -> std::fmt::Result {
        let round = if round > 0.0 { format!(" rx=\"{}\"", number(round)) } else { String::new() };
        writeln!(
            self.out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{round} {paint}/>",
            number(x),
            number(y),
            number(w.max(0.0)),
            number(h.max(0.0))
        )
    }

    /// Cells of one colour that follow each other are one rectangle.
    fn strip(&mut self, strip: &Strip) {
        let n = strip.full.len().min(strip.fill.len());
        let mut from = 0;
        while from < n {
            let key = (strip.full[from], strip.fill[from]);
            let same = |&i: &usize| (strip.full[i], strip.fill[i]) == key;
            let run = (from..n).take_while(same).count();
            if key.0 > 0 {
                let fill = self.theme.slot(u16::from(key.1));
                // Whole pixels: borders between them would let the surface shine through.
                let x = |i: usize| (strip.x + i as f32 * strip.cell).round();
                let h = (strip.h * f32::from(key.0) / 255.0).max(1.0);
                let paint = format!("fill=\"{}\" shape-rendering=\"crispEdges\"", fill.hex());
                let _ = self.rect((x(from), strip.y + strip.h - h, x(from + run) - x(from), h), 0.0, &paint);
            }
            from += run;
        }
    }

    /// The upper border from left to right, the lower one back.
    fn area(&mut self, area: &Area) {
        let n = area.y0.len().min(area.y1.len());
        if n == 0 {
            return;
        }
        let mut d = String::new();
        let x = |i: usize| area.x + i as f32 * area.cell;
        for i in 0..n {
            let (command, y) = (if i == 0 { 'M' } else { 'L' }, number(area.y1[i]));
            let _ = write!(d, "{command}{} {y}H{}", number(x(i)), number(x(i + 1)));
        }
        for i in (0..n).rev() {
            let y = number(area.y0[i]);
            let _ = write!(d, "L{} {y}H{}", number(x(i + 1)), number(x(i)));
        }
        let _ = writeln!(self.out, "<path d=\"{d}Z\" fill=\"{}\"/>", self.theme.slot(area.fill).hex());
    }

    fn labels(&mut self, scene: &Scene) {
        for label in &scene.labels {
            // Text in a solid mark must stand out from it; closed nodes are only tinted.
            let on = label.node.filter(|_| scene.x_axis.is_some());
            let fill = on.and_then(|node| scene.boxes.node.iter().position(|&n| n == node));
            let colour = match fill {
                Some(i) => self.theme.text_on(self.theme.slot(scene.boxes.fill[i])),
                None => self.theme.text,
            };
            text(&mut self.out, (label.x, label.y), label.align, colour, &label.text, "");
        }
    }
}

/// Ticks of an axis of counts that runs from top to bottom.
fn ticks_of_values(axis: &crate::scene::Axis) -> Vec<Tick> {
    if axis.from <= axis.to {
        return ticks(axis, 24.0);
    }
    let turned = crate::scene::Axis { from: axis.to, to: axis.from, ..axis.clone() };
    let mut all = ticks(&turned, 24.0);
    for tick in &mut all {
        tick.at = 2.0 * axis.start + axis.length - tick.at;
    }
    all
}

fn polygon(points: &[(f32, f32)]) -> String {
    let mut d = String::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let _ = write!(d, "{}{} {}", if i == 0 { 'M' } else { 'L' }, number(*x), number(*y));
    }
    d.push('Z');
    d
}
