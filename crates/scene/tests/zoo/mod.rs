//! A scene with every kind of mark, every shape, fill, dash, border, plate, axis and ramp: what a writer must be able to draw.

use crosscut_scene::palette::{Ramp, slot};
use crosscut_scene::{
    Align, Area, Axis, Brush, Camera, Cells, Curve, Dash, Fill, Grid, Ink, Inner, Label, LegendItem, Mark,
    Plate, Plot, Press, Rect, Scene, Shape, Show, Side, Stop, Stroke, Style, TextStyle, Unit, rank,
};

const FAINT: TextStyle = TextStyle { size: 10.0, ink: Ink::Slot(slot::FAINT), ..TextStyle::PLAIN };

fn put(scene: &mut Scene, rect: [f32; 4], style: &Style, fill: u16, node: u32) {
    let style = scene.styles.put(style);
    scene.boxes.push(rect, Mark::of(node).looks(style, fill));
}

fn name(scene: &mut Scene, at: (f32, f32), text: impl Into<String>) {
    scene.labels.push(Label::new(at, 120.0, text, FAINT));
}

/// The zoo.
pub fn zoo() -> Scene {
    let mut scene =
        Scene { title: "zoo · every mark".to_owned(), width: 1000.0, height: 900.0, ..Scene::default() };
    shapes(&mut scene);
    fills(&mut scene);
    lines(&mut scene);
    bands(&mut scene);
    cells(&mut scene);
    curves(&mut scene);
    texts(&mut scene);
    scene.end();
    let hatch = scene.styles.put(&Style { fill: Fill::Rising, ..Style::BOX });
    let edge = scene.styles.put(&Style { arrow: true, width: 2.0, ..Style::LINK });
    scene.legend.push(LegendItem::new(0, "a swatch"));
    scene.legend.push(LegendItem::of(hatch, 1, "a hatch"));
    scene.legend.push(LegendItem::of(edge, 0, "an edge"));
    for (word, ramp) in Ramp::ALL {
        scene.legend.push(LegendItem::ramp(ramp, ("0".to_owned(), "70.9 ms".to_owned()), word));
    }
    scene.note = Some("118 of 242 flows, the rest is 15 %".to_owned());
    scene
}

/// Shapes of boxes and of points, with all kinds of borders. A graph: one plot with a camera.
fn shapes(scene: &mut Scene) {
    let rect = Rect { x: 0.0, y: 0.0, w: 1000.0, h: 190.0 };
    scene.begin(Plot { rect, title: "shapes".to_owned(), ..Plot::default() });
    let envelope = Style {
        shape: Shape::Envelope,
        stroke: Stroke::Slot(slot::LINE),
        rank: rank::BACK,
        press: Press::Close,
        meaning: "open".into(),
        ..Style::BOX
    };
    put(scene, [2.0, 2.0, 990.0, 180.0], &envelope, slot::ENVELOPE, 500);
    scene.labels.push(Label::new((8.0, 14.0), 200.0, "shapes, on an envelope", TextStyle::PLAIN).of(500, 0));
    for (i, shape) in Shape::ALL.into_iter().filter(|shape| *shape != Shape::Envelope).enumerate() {
        let x = 14.0 + i as f32 * 64.0;
        let style = Style { shape, stroke: Stroke::Own, ..Style::BOX };
        put(scene, [x, 24.0, 44.0, 30.0], &style, (i % 24) as u16, i as u32);
        let point = Style { shape, stroke: Stroke::Slot(slot::TEXT), width: 1.5, ..Style::POINT };
        let point = scene.styles.put(&point);
        scene.points.push([x + 10.0, 76.0, 8.0], Mark::of(100 + i as u32).looks(point, (i % 24) as u16));
        scene.points.push([x + 32.0, 76.0, 4.0], Mark::of(200 + i as u32).looks(point, Ramp::MORE.slot(0.6)));
        name(scene, (x, 98.0), format!("{shape:?}").to_lowercase());
    }
    let edge = Stroke::Slot(slot::EDGE);
    let red = Stroke::Slot(slot::RED);
    let borders = [
        (
            "double",
            Style {
                fill: Fill::Tint,
                stroke: Stroke::Own,
                inner: Inner::Line,
                shape: Shape::Round,
                ..Style::BOX
            },
        ),
        (
            "dots",
            Style {
                fill: Fill::Tint,
                stroke: Stroke::Own,
                inner: Inner::Dots,
                shape: Shape::Soft,
                ..Style::BOX
            },
        ),
        ("rim", Style { stroke: red, width: 3.0, inner: Inner::Light, ..Style::BOX }),
        ("foot", Style { stroke: Stroke::Own, foot: true, shape: Shape::Soft, ..Style::BOX }),
        ("sheets", Style { stroke: edge, dash: Dash::Dashed, sheets: 2, shape: Shape::Round, ..Style::BOX }),
        ("dotted", Style { stroke: edge, dash: Dash::Dotted, fill: Fill::None, ..Style::BOX }),
        (
            "fine",
            Style { stroke: edge, dash: Dash::Fine, fill: Fill::Surface, shape: Shape::Round, ..Style::BOX },
        ),
        ("half", Style { opacity: 0.5, ..Style::BOX }),
        ("live", Style { shape: Shape::Minus, stroke: edge, live: true, press: Press::Close, ..Style::BOX }),
    ];
    for (i, (word, style)) in borders.iter().enumerate() {
        let x = 14.0 + i as f32 * 80.0;
        let node = 300 + i as u32;
        put(scene, [x, 112.0, 60.0, 34.0], style, (i + 3) as u16, node);
        scene.labels.push(Label::new((x + 5.0, 128.0), 50.0, *word, TextStyle::PLAIN).of(node, 0));
        let part = scene.styles.put(&Style::PART);
        let bar = Mark::of(node).role(8).looks(part, slot::SEVERAL);
        scene.boxes.push([x + 4.0, 138.0, 40.0, 3.0], bar);
    }
    put(scene, [750.0, 116.0, 2.0, 2.0], &borders[2].1, 3, 320);
    put(scene, [758.0, 116.0, 5.0, 5.0], &borders[0].1, 3, 321);
}

/// Every fill, in large and in small.
fn fills(scene: &mut Scene) {
    let rect = Rect { x: 0.0, y: 196.0, w: 1000.0, h: 80.0 };
    scene.begin(Plot { rect, title: "fills".to_owned(), ..Plot::default() });
    for (i, fill) in Fill::ALL.into_iter().enumerate() {
        let x = 10.0 + i as f32 * 75.0;
        let style = Style { fill, stroke: Stroke::Own, ..Style::BOX };
        let slot = [0, 1, 2, 3, 8][i % 5];
        put(scene, [x, 204.0, 56.0, 36.0], &style, slot, 600 + i as u32);
        put(scene, [x, 246.0, 56.0, 6.0], &style, slot, 620 + i as u32);
        name(scene, (x, 266.0), format!("{fill:?}").to_lowercase());
    }
}

/// Links: dashes, widths, arrows, curves; lines through points.
fn lines(scene: &mut Scene) {
    let rect = Rect { x: 0.0, y: 284.0, w: 480.0, h: 120.0 };
    scene.begin(Plot { rect, title: "lines".to_owned(), ..Plot::default() });
    for (i, dash) in Dash::ALL.into_iter().enumerate() {
        let y = 296.0 + i as f32 * 12.0;
        for (k, (width, curve, arrow)) in
            [(1.0, Curve::Straight, false), (2.5, Curve::Straight, true), (1.5, Curve::Smooth, true)]
                .into_iter()
                .enumerate()
        {
            let x = 10.0 + k as f32 * 80.0;
            let style = Style { dash, width, curve, arrow, ..Style::LINK };
            let style = scene.styles.put(&style);
            let drop = if k == 2 { 40.0 } else { 0.0 };
            scene.links.push([x, y, x + 70.0, y + drop], Mark::pair(i as u32, k as u32).looks(style, 0));
        }
    }
    let own = scene.styles.put(&Style { stroke: Stroke::Own, width: 2.0, ..Style::LINK });
    scene.links.push([10.0, 390.0, 80.0, 350.0], Mark::pair(1, 2).looks(own, 6));
    let line = Style {
        shape: Shape::Line,
        stroke: Stroke::Slot(slot::RED),
        width: 2.0,
        fill: Fill::None,
        ..Style::BOX
    };
    let line = scene.styles.put(&line);
    let steps =
        [(270.0, 390.0), (300.0, 390.0), (300.0, 310.0), (340.0, 310.0), (340.0, 360.0), (380.0, 360.0)];
    scene.polygons.push(steps, Mark::of(7).looks(line, 0));
    let shape = Style { fill: Fill::Tint, stroke: Stroke::Own, ..Style::GROUND };
    let shape = scene.styles.put(&shape);
    scene
        .polygons
        .push([(400.0, 300.0), (470.0, 320.0), (450.0, 390.0), (410.0, 380.0)], Mark::of(8).looks(shape, 3));
}

/// Ribbons, smooth and straight, crossing.
fn bands(scene: &mut Scene) {
    let rect = Rect { x: 500.0, y: 284.0, w: 490.0, h: 120.0 };
    scene.begin(Plot { rect, title: "bands".to_owned(), brush: Brush::Nodes, ..Plot::default() });
    let solid = Style { opacity: 0.6, ..Style::RIBBON };
    let bordered =
        Style { stroke: Stroke::Slot(slot::SURFACE), width: 0.8, curve: Curve::Straight, ..Style::RIBBON };
    let hatched = Style { fill: Fill::Falling, ..Style::RIBBON };
    for (k, style) in [solid, bordered, hatched].iter().enumerate() {
        let style = scene.styles.put(style);
        let x = 510.0 + k as f32 * 160.0;
        let ends = [(290.0, 310.0, 340.0, 360.0), (315.0, 350.0, 290.0, 325.0), (360.0, 361.0, 395.0, 396.0)];
        for (i, (a, b, c, d)) in ends.into_iter().enumerate() {
            let mark = Mark::pair(i as u32, k as u32).looks(style, [0, 1, 3][i]);
            scene.ribbons.push([x, a, b, x + 140.0, c, d], mark);
        }
    }
}

/// Grids: bars, ramps and slots, with nodes of cells, of rows and columns, and with gaps.
fn cells(scene: &mut Scene) {
    let rect = Rect { x: 60.0, y: 420.0, w: 420.0, h: 150.0 };
    let stops = [(0.0, 60.0, false), (100.0, 220.0, true), (900.0, 250.0, false), (1000.0, 480.0, false)];
    let stops = stops.map(|(value, at, folded)| Stop { value: value * 1e6, at, folded }).to_vec();
    let x = Axis { stops, ..Axis::linear((0.0, 1.0), 0.0, 1.0, Unit::Ns, "time") };
    scene.begin(Plot {
        rect,
        title: "cells".to_owned(),
        x: Some(x),
        camera: Camera::X,
        brush: Brush::Time,
        wheel: Some("groups".to_owned()),
        scroll: Some(150.0),
        ..Plot::default()
    });
    let style = scene.styles.put(&Style::GROUND);
    let wave = |i: u32, n: u32| ((f64::from(i) / f64::from(n) * 9.0).sin() * 120.0 + 130.0) as u8;
    let mut bars = Grid::new([60.0, 420.0, 420.0, 60.0], 60, 3, Mark::none().looks(style, 0));
    bars.gap_y = 3.0;
    bars.level = (0..180).map(|i| wave(i, 60)).collect();
    bars.fill = (0..180).map(|i| (i / 15 % 24) as u8).collect();
    bars.cells = Cells::Each((0..180).collect());
    scene.grids.push(bars);
    for (k, (_, ramp)) in Ramp::ALL.into_iter().enumerate() {
        let at = [60.0 + k as f32 * 140.0, 490.0, 130.0, 60.0];
        let mut heat = Grid::new(at, 16, 8, Mark::none().looks(style, 0)).ramp(ramp);
        heat.level = (0..128).map(|i| (i * 2) as u8).collect();
        let (rows, columns) = ((0..8).collect(), (8..24).collect());
        heat.cells = Cells::Lines { rows, columns };
        if k == 1 {
            (heat.gap_x, heat.gap_y) = (1.0, 1.0);
        }
        scene.grids.push(heat);
    }
    let mut slots = Grid::new([60.0, 554.0, 420.0, 12.0], 40, 1, Mark::of(9).looks(style, 3));
    slots.show = Show::Solid;
    slots.level = (0..40).map(|i| if i % 5 == 4 { 0 } else { 1 }).collect();
    scene.grids.push(slots);
}

/// Areas under axes of counts, bytes and powers.
fn curves(scene: &mut Scene) {
    let rect = Rect { x: 560.0, y: 420.0, w: 380.0, h: 150.0 };
    let mut y = Axis::linear((64.0 * 1024.0 * 1024.0, 0.0), 420.0, 150.0, Unit::Bytes, "sizes");
    y.side = Side::Start;
    let mut x = Axis::linear((10.0, 1e7), 560.0, 380.0, Unit::Ns, "length");
    x.log = true;
    scene.begin(Plot { rect, title: "curves".to_owned(), x: Some(x), y: Some(y), ..Plot::default() });
    let mut low = vec![570.0; 38];
    for (k, fill) in [Fill::Solid, Fill::Tint, Fill::Rising].into_iter().enumerate() {
        let style = scene.styles.put(&Style { fill, stroke: Stroke::Own, ..Style::GROUND });
        let high: Vec<f32> =
            (0..38).map(|i| low[i] - 18.0 - ((i as f32 / 5.0 + k as f32).sin() * 14.0)).collect();
        let mark = Mark::of(k as u32).looks(style, [6, 1, 8][k]);
        let (name, y0, y1) = (format!("layer {k}"), low.clone(), high.clone());
        scene.areas.push(Area { name, mark, x: 560.0, cell: 10.0, y0, y1 });
        low = high;
    }
    let level = Style {
        stroke: Stroke::Slot(slot::TEXT),
        dash: Dash::Dashed,
        opacity: 0.55,
        rank: rank::RIM,
        ..Style::LINK
    };
    let level = scene.styles.put(&level);
    scene.links.push([560.0, 450.0, 940.0, 450.0], Mark::none().looks(level, slot::TEXT));
}

/// Texts with everything that can be behind them; and marks that belong to no plot.
fn texts(scene: &mut Scene) {
    scene.end();
    let ground = Style { fill: Fill::Cross, ..Style::GROUND };
    put(scene, [20.0, 620.0, 900.0, 60.0], &ground, 1, 700);
    let rows = [
        ("none", Plate::None, Ink::Slot(slot::TEXT), false),
        ("halo", Plate::Halo, Ink::Slot(slot::TEXT), false),
        ("plain", Plate::Plain, Ink::Slot(slot::FAINT), false),
        ("rank 2777 late by 58 ms", Plate::Frame, Ink::Slot(slot::RED), true),
        ("accent", Plate::Halo, Ink::Slot(slot::ACCENT), true),
    ];
    for (i, (text, plate, ink, bold)) in rows.into_iter().enumerate() {
        let style = TextStyle { plate, ink, bold, ..TextStyle::PLAIN };
        scene.labels.push(Label::new((40.0 + i as f32 * 170.0, 650.0), 160.0, text, style));
    }
    for (i, align) in [Align::Start, Align::Middle, Align::End].into_iter().enumerate() {
        let style = TextStyle { align, size: 11.0 + 4.0 * i as f32, ..TextStyle::PLAIN };
        scene.labels.push(Label::new((300.0, 710.0 + i as f32 * 20.0), 200.0, format!("{align:?}"), style));
    }
    let turned = TextStyle { turned: true, align: Align::Middle, ..TextStyle::PLAIN };
    scene.labels.push(Label::new((960.0, 700.0), 160.0, "allreduce · all ranks", turned));
    let mix = Style { stroke: Stroke::Own, ..Style::BOX };
    for (i, (_, ramp)) in Ramp::ALL.into_iter().enumerate() {
        for step in 0..ramp.steps {
            let at = [500.0 + f32::from(step) * 26.0, 700.0 + i as f32 * 24.0, 24.0, 20.0];
            put(scene, at, &mix, ramp.first + step, 800 + u32::from(ramp.first + step));
        }
    }
    for slot in 0..24u16 {
        put(scene, [20.0 + f32::from(slot) * 38.0, 790.0, 34.0, 20.0], &mix, slot, 900 + u32::from(slot));
        let label =
            Label::new((24.0 + f32::from(slot) * 38.0, 804.0), 30.0, slot.to_string(), TextStyle::PLAIN);
        scene.labels.push(label.of(900 + u32::from(slot), 0));
    }
    let alert = Style { shape: Shape::Alert, rank: rank::SIGN, ..Style::PART };
    let alert = scene.styles.put(&alert);
    scene.points.push([915.0, 625.0, 6.0], Mark::of(700).role(6).looks(alert, slot::RED).id(3));
}
