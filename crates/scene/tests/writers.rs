//! SVG, PNG and the wire form accept every kind of mark, in any shape and with any numbers.

mod zoo;

use std::path::Path;

use crosscut_scene::palette::{SLOTS, Theme};
use crosscut_scene::png::png;
use crosscut_scene::svg::svg;
use crosscut_scene::wire::{self, Found};
use crosscut_scene::{
    Align, Area, Axis, Camera, Cells, Dash, Fill, Grid, Ink, Inner, Label, Mark, Plate, Plot, Rect, Scene,
    Shape, Show, Stroke, Style, TextStyle, Unit,
};
use proptest::prelude::*;
use resvg::usvg;
use zoo::zoo;

fn well_formed(document: &str) {
    assert!(usvg::roxmltree::Document::parse(document).is_ok(), "{document}");
    usvg::Tree::from_str(document, &usvg::Options::default()).unwrap();
}

#[test]
fn the_zoo_is_drawn() {
    let scene = zoo();
    for (name, theme) in [("light", Theme::LIGHT), ("dark", Theme::DARK)] {
        let document = svg(&scene, &theme);
        well_formed(&document);
        let used = document.matches("<pattern ").count();
        assert!(used >= Fill::HATCHES.len(), "{used} patterns");
        let picture = png(&scene, &theme, 1.5).unwrap();
        // To be looked at.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(folder.join(format!("zoo-{name}.svg")), document).unwrap();
        std::fs::write(folder.join(format!("zoo-{name}.png")), picture).unwrap();
    }
}

/// What can only be pressed is not in a picture.
#[test]
fn signs_to_press_are_left_out() {
    let mut scene = Scene { width: 100.0, height: 100.0, ..Scene::default() };
    let style = Style { live: true, ..Style::BOX };
    let style = scene.styles.put(&style);
    scene.boxes.push([1.0, 2.0, 33.0, 44.0], Mark::of(1).looks(style, 0));
    assert!(!svg(&scene, &Theme::LIGHT).contains("width=\"33\""));
}

#[test]
fn hatches_are_flat_where_they_are_small() {
    let mut scene = Scene { width: 100.0, height: 100.0, ..Scene::default() };
    let style = scene.styles.put(&Style { fill: Fill::Dots, ..Style::BOX });
    scene.boxes.push([0.0, 0.0, 50.0, 7.9], Mark::of(1).looks(style, 3));
    assert!(!svg(&scene, &Theme::LIGHT).contains("url("));
    scene.boxes.push([0.0, 20.0, 50.0, 8.0], Mark::of(2).looks(style, 3));
    assert_eq!(svg(&scene, &Theme::LIGHT).matches("url(#dots-3)").count(), 1);
}

/// Lower ranks are drawn first, whatever the order in which they were pushed.
#[test]
fn ranks_decide_the_order() {
    let mut scene = Scene { width: 100.0, height: 100.0, ..Scene::default() };
    let above = scene.styles.put(&Style { rank: crosscut_scene::rank::RIM, ..Style::BOX });
    let below = scene.styles.put(&Style { rank: crosscut_scene::rank::BACK, ..Style::BOX });
    let link = scene.styles.put(&Style::LINK);
    scene.boxes.push([0.0, 0.0, 11.0, 11.0], Mark::of(1).looks(above, 0));
    scene.boxes.push([0.0, 0.0, 22.0, 22.0], Mark::of(2).looks(below, 0));
    scene.links.push([1.0, 2.0, 3.0, 4.0], Mark::pair(1, 2).looks(link, 0));
    let document = svg(&scene, &Theme::LIGHT);
    let at = |what: &str| document.find(what).unwrap();
    assert!(at("width=\"22\"") < at("M1 2L3 4") && at("M1 2L3 4") < at("width=\"11\""));
}

#[test]
fn scenes_are_put_together() {
    let (one, two) = (zoo(), zoo());
    let (height, plots, labels) = (one.height, one.plots.len(), one.labels.len());
    let styles = one.styles.all().len();
    let both = one.clone().stack(two, 10.0);
    assert_eq!(both.height, 2.0 * height + 10.0);
    assert_eq!(both.plots.len(), 2 * plots);
    assert_eq!(both.styles.all().len(), styles, "each style is there once");
    for plot in 0..plots {
        let (a, b) = (both.ranges(plot), both.ranges(plots + plot));
        assert_eq!(b.boxes.1 - b.boxes.0, a.boxes.1 - a.boxes.0);
        assert_eq!(b.boxes.0, a.boxes.0 + one.boxes.len() as u32);
        let (above, below) = (&both.plots[plot], &both.plots[plots + plot]);
        assert_eq!(below.rect.y, above.rect.y + height + 10.0);
    }
    assert_eq!(both.labels[labels].y, both.labels[0].y + height + 10.0);
    let last = both.polygons.len() - 1;
    let shifted: Vec<(f32, f32)> = one.polygons.points(1).map(|(x, y)| (x, y + height + 10.0)).collect();
    assert_eq!(both.polygons.points(last).collect::<Vec<_>>(), shifted);
    well_formed(&svg(&both, &Theme::DARK));
}

/// The bytes of the zoo are what the page's decoder is tested on: written again when they change.
#[test]
fn the_page_has_the_same_bytes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/testdata/zoo.scene");
    let bytes = wire::encode(&zoo()).unwrap();
    let stale = std::fs::read(&path).unwrap_or_default() != bytes;
    if stale {
        std::fs::write(&path, &bytes).unwrap();
    }
    assert!(!stale, "ui/src/testdata/zoo.scene did not fit the code, and was written again");
}

/// The head and the columns of an encoded scene.
fn decoded(bytes: &[u8]) -> (serde_json::Value, &[u8]) {
    let n = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    assert_eq!(n % 4, 0);
    (serde_json::from_slice(&bytes[4..4 + n]).unwrap(), &bytes[4 + n..])
}

fn same<T: Copy + Into<f64>>(found: &Found, columns: &[u8], values: &[T]) -> bool {
    let fits = |(i, &value): (usize, &T)| {
        let (value, read): (f64, f64) = (value.into(), found.get(columns, i).unwrap());
        value == read || value.is_nan() && read.is_nan()
    };
    found.n == values.len() && values.iter().enumerate().all(fits)
}

fn check_wire(scene: &Scene) {
    let bytes = wire::encode(scene).unwrap();
    let (head, columns) = decoded(&bytes);
    let (found, total) = wire::find(&head, columns).unwrap();
    assert_eq!(total, columns.len());
    let has = |name: &str| &found[name];
    assert!(same(has("boxes.x"), columns, &scene.boxes.x));
    assert!(same(has("boxes.h"), columns, &scene.boxes.h));
    assert!(same(has("boxes.node"), columns, &scene.boxes.node));
    assert!(same(has("boxes.style"), columns, &scene.boxes.style));
    assert!(same(has("links.y1"), columns, &scene.links.y1));
    assert!(same(has("links.to"), columns, &scene.links.to));
    assert!(same(has("points.r"), columns, &scene.points.r));
    assert!(same(has("points.id"), columns, &scene.points.id));
    assert!(same(has("ribbons.bottom1"), columns, &scene.ribbons.bottom1));
    assert!(same(has("ribbons.fill"), columns, &scene.ribbons.fill));
    assert!(same(has("polygons.end"), columns, &scene.polygons.end));
    assert!(same(has("polygons.y"), columns, &scene.polygons.y));
    let roles: Vec<u8> = scene.labels.iter().map(|label| label.role).collect();
    assert!(same(has("labels.role"), columns, &roles));
    for (i, area) in scene.areas.iter().enumerate() {
        let n = area.y0.len().min(area.y1.len());
        assert!(same(has(&format!("areas.{i}.y1")), columns, &area.y1[..n]));
    }
    for (i, grid) in scene.grids.iter().enumerate() {
        assert_eq!(has(&format!("grids.{i}.level")).n, (grid.nx * grid.ny) as usize);
    }
}

#[test]
fn what_is_constant_is_sent_once() {
    let mut scene = Scene::default();
    for i in 0..100 {
        scene.boxes.push([i as f32, 5.0, 1.0, 1.0], Mark::of(i).looks(0, 7));
    }
    let head = wire::head(&scene);
    let names: Vec<&str> = head.boxes.same.keys().copied().collect();
    assert_eq!(names, ["fill", "h", "id", "role", "style", "to", "tree", "w", "y"]);
    let mut columns = Vec::new();
    wire::columns(&mut columns, &scene);
    assert_eq!(columns.len(), 2 * 400);
    check_wire(&scene);
    check_wire(&zoo());
}

fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        8 => -50.0f32..900.0,
        1 => Just(0.0f32),
        1 => prop_oneof![Just(f32::NAN), Just(f32::INFINITY), Just(-1e30f32), Just(1e-30f32)],
    ]
}

fn any_style() -> impl Strategy<Value = Style> {
    let look = (0..Shape::ALL.len(), 0..Fill::ALL.len(), 0..5u16, 0..Dash::ALL.len());
    let more = (0.0f32..4.0, 0.0f32..1.0, any::<[bool; 5]>(), 0..4u8, 0..80u8);
    (look, more).prop_map(|((shape, fill, stroke, dash), (width, opacity, bits, sheets, rank))| Style {
        shape: Shape::ALL[shape],
        fill: Fill::ALL[fill],
        stroke: [Stroke::None, Stroke::Own, Stroke::Slot(50), Stroke::Slot(54), Stroke::Slot(999)]
            [usize::from(stroke)],
        width,
        dash: Dash::ALL[dash],
        opacity,
        inner: [Inner::None, Inner::Line, Inner::Dots, Inner::Light][usize::from(sheets)],
        foot: bits[0],
        sheets,
        arrow: bits[1],
        curve: if bits[2] { crosscut_scene::Curve::Smooth } else { crosscut_scene::Curve::Straight },
        moves: bits[3],
        live: bits[4],
        rank,
        ..Style::BOX
    })
}

fn any_mark() -> impl Strategy<Value = Mark> {
    (0..9u16, 0..SLOTS as u16 + 4, any::<u8>(), any::<u32>(), any::<u32>())
        .prop_map(|(style, fill, tree, node, to)| Mark::pair(node, to).tree(tree).looks(style, fill))
}

fn any_scene() -> impl Strategy<Value = Scene> {
    let marks = || proptest::collection::vec((proptest::array::uniform6(number()), any_mark()), 0..6);
    let words = proptest::collection::vec((any::<String>(), number(), any::<[bool; 4]>()), 0..4);
    let levels = proptest::collection::vec(any::<u8>(), 0..40);
    (proptest::collection::vec(any_style(), 1..8), marks(), marks(), marks(), words, levels).prop_map(
        |(styles, boxes, bands, points, words, levels)| {
            let mut scene =
                Scene { title: "any".to_owned(), width: 900.0, height: 400.0, ..Scene::default() };
            styles.iter().for_each(|style| {
                scene.styles.put(style);
            });
            let axis = Axis::linear((0.0, 1e6), 0.0, 900.0, Unit::Ns, "t");
            let rect = Rect { x: 0.0, y: 0.0, w: 900.0, h: 400.0 };
            scene.begin(Plot { rect, x: Some(axis), camera: Camera::X, ..Plot::default() });
            for ([a, b, c, d, e, f], mark) in boxes {
                scene.boxes.push([a, b, c, d], mark);
                scene.links.push([a, b, c, d], mark);
                scene.polygons.push([(a, b), (c, d), (e, f)].into_iter().take(mark.node as usize % 4), mark);
            }
            scene.end();
            for (ends, mark) in bands {
                scene.ribbons.push(ends, mark);
                let (y0, y1) = (ends[..4].to_vec(), ends[..3].to_vec());
                scene.areas.push(Area { name: "a".to_owned(), mark, x: ends[0], cell: ends[1], y0, y1 });
            }
            for ([x, y, r, ..], mark) in points {
                scene.points.push([x, y, r], mark);
                let mut grid = Grid::new([x, y, r, x], 5, 4, mark);
                grid.show = [Show::Height, Show::Ramp, Show::Solid][usize::from(mark.tree) % 3];
                grid.steps = mark.style;
                grid.level = levels.clone();
                grid.fill = levels.iter().take(3).copied().collect();
                grid.cells = match mark.node % 3 {
                    0 => Cells::None,
                    1 => Cells::Each(vec![1, 2]),
                    _ => Cells::Lines { rows: vec![1], columns: Vec::new() },
                };
                scene.grids.push(grid);
            }
            for (text, at, [bold, turned, on, framed]) in words {
                let ink = if on { Ink::On } else { Ink::Slot(52) };
                let plate = if framed { Plate::Frame } else { Plate::Halo };
                let style = TextStyle { align: Align::Middle, size: 12.0, bold, ink, plate, turned };
                scene.labels.push(Label::new((at, at), 100.0, text, style).of(1, 0));
            }
            scene
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_scene_is_written(scene in any_scene()) {
        for theme in [Theme::LIGHT, Theme::DARK] {
            well_formed(&svg(&scene, &theme));
        }
        prop_assert!(png(&scene, &Theme::LIGHT, 0.2).is_ok());
        check_wire(&scene);
    }
}
