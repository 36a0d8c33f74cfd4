//! Properties of the DAG's layout on random trees and cuts: nothing overlaps, nothing sticks out, no edge goes up,
//! through a box or across another.

use crosscut_tasks::schema::Kind;
use crosscut_tree::{Builder, Cut, NodeId, Tree, TreeBuf};
use crosscut_view::tasks::dag::flow::shapes;
use crosscut_view::tasks::dag::parts::{Nodes, Part, What, parts};
use crosscut_view::tasks::dag::place::{Critical, Placement, Rect, Stroke, place};
use proptest::prelude::*;

struct Made {
    tree: TreeBuf,
    kinds: Vec<Kind>,
}

impl Nodes for Made {
    fn tree(&self) -> Tree<'_> {
        self.tree.view()
    }

    fn kind(&self, node: NodeId) -> Kind {
        self.kinds[node.index()]
    }

    fn joins(&self, node: NodeId) -> bool {
        let last = self.tree.view().range(node).end - 1;
        self.kinds[last] == Kind::Wait && self.tree.view().parent(NodeId(last as u32)) == Some(node)
    }
}

/// Makes a task tree as a recorder would, steered by random bytes.
struct Maker {
    builder: Builder,
    kinds: Vec<Kind>,
}

impl Maker {
    fn leaf(&mut self, kind: Kind) {
        self.builder.leaf().unwrap();
        self.kinds.push(kind);
    }

    fn open(&mut self, kind: Kind) {
        self.builder.open().unwrap();
        self.kinds.push(kind);
    }

    fn make(bytes: &[u8]) -> Made {
        let mut maker = Maker { builder: Builder::new(), kinds: Vec::new() };
        maker.open(Kind::Task);
        let mut open = vec![Kind::Task];
        for &byte in bytes {
            let inside = *open.last().unwrap();
            match (inside, byte % 8) {
                (Kind::Task, 0..=3) | (Kind::Section, 0) => {
                    maker.open(Kind::Section);
                    open.push(Kind::Section);
                }
                // Open sections: nobody waits for their tasks.
                (Kind::Section, 6) if byte >= 128 && maker.kinds.last() != Some(&Kind::Section) => {
                    open.pop();
                    maker.builder.close().unwrap();
                }
                (Kind::Section, 1..=4) => {
                    maker.leaf(if byte < 200 { Kind::Create } else { Kind::Fork });
                    maker.open(Kind::Task);
                    open.push(Kind::Task);
                }
                (_, 5) => maker.leaf(if byte < 128 { Kind::Other } else { Kind::Chunk }),
                _ if open.len() > 1 => maker.close(&mut open),
                _ => {}
            }
        }
        while !open.is_empty() {
            maker.close(&mut open);
        }
        Made { tree: maker.builder.finish().unwrap(), kinds: maker.kinds }
    }

    fn close(&mut self, open: &mut Vec<Kind>) {
        let kind = open.pop().unwrap();
        self.leaf(if kind == Kind::Task { Kind::End } else { Kind::Wait });
        self.builder.close().unwrap();
    }
}

fn lay(made: &Made, cut: &Cut, heights: &[u8]) -> (Vec<Part>, Placement) {
    let mut parts = parts(made, cut);
    for (i, part) in parts.iter_mut().enumerate() {
        (part.w, part.h) = if part.what == What::Leaf { (14.0, 12.0) } else { (120.0, 38.0) };
        if !heights.is_empty() {
            part.h = 4.0 + f32::from(heights[i % heights.len()]);
        }
    }
    let placement = place(&parts, &shapes(&parts), &Critical::none(parts.len()));
    (parts, placement)
}

fn random_cut(made: &Made, picks: &[u8]) -> Cut {
    let tree = made.tree.view();
    let mut cut = Cut::closed();
    cut.open(tree, NodeId::ROOT);
    for i in 0..tree.node_count() {
        if picks.is_empty() || !picks[i % picks.len()].is_multiple_of(4) {
            cut.open(tree, NodeId(i as u32));
        }
    }
    cut
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}

fn inside(a: &Rect, b: &Rect) -> bool {
    a.x >= b.x && a.y >= b.y && a.x + a.w <= b.x + b.w && a.y + a.h <= b.y + b.h
}

/// The stroke as a rectangle without extent across it.
fn runs_through(stroke: &Stroke, rect: &Rect) -> bool {
    let (x0, x1) = (stroke.a.0.min(stroke.b.0), stroke.a.0.max(stroke.b.0));
    let (y0, y1) = (stroke.a.1.min(stroke.b.1), stroke.a.1.max(stroke.b.1));
    x0 < rect.x + rect.w - 0.5 && x1 > rect.x + 0.5 && y0 < rect.y + rect.h - 0.5 && y1 > rect.y + 0.5
}

/// A level and an upright stroke that cross, neither ending there.
fn cross(a: &Stroke, b: &Stroke) -> bool {
    let level = |s: &Stroke| s.a.1 == s.b.1;
    let (flat, upright) = match (level(a), level(b)) {
        (true, false) => (a, b),
        (false, true) => (b, a),
        _ => return false,
    };
    let (x0, x1) = (flat.a.0.min(flat.b.0), flat.a.0.max(flat.b.0));
    let (x, y) = (upright.a.0, flat.a.1);
    x0 + 0.1 < x && x < x1 - 0.1 && upright.a.1 + 0.1 < y && y < upright.b.1 - 0.1
}

fn check_boxes(parts: &[Part], placement: &Placement) -> Result<(), TestCaseError> {
    let rects = &placement.rects;
    let mut open: Vec<usize> = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        while open.last().is_some_and(|&above| parts[above].end <= i) {
            open.pop();
        }
        if let Some(&above) = open.last() {
            prop_assert!(inside(&rects[i], &rects[above]), "part {i} sticks out of {above}");
        }
        for j in 0..i {
            let holds = parts[j].what == What::Open && parts[j].end > i;
            prop_assert!(
                holds || !overlap(&rects[i], &rects[j]),
                "{i} and {j}: {:?} {:?}",
                rects[i],
                rects[j]
            );
        }
        if part.what == What::Open {
            open.push(i);
        }
    }
    Ok(())
}

fn check_edges(parts: &[Part], placement: &Placement) -> Result<(), TestCaseError> {
    let strokes = &placement.strokes;
    for (i, stroke) in strokes.iter().enumerate() {
        prop_assert!(stroke.b.1 >= stroke.a.1, "an edge goes up: {stroke:?}");
        prop_assert!(stroke.a.0 == stroke.b.0 || stroke.a.1 == stroke.b.1, "an edge is slanted: {stroke:?}");
        for (part, rect) in parts.iter().zip(&placement.rects) {
            let shown = part.what != What::Open;
            prop_assert!(!shown || !runs_through(stroke, rect), "{stroke:?} runs through {part:?} {rect:?}");
        }
        for other in &strokes[..i] {
            prop_assert!(!cross(stroke, other), "edges cross: {stroke:?} {other:?}");
        }
    }
    // The edges tell the whole order: everything but the first part is entered.
    let mut entered = vec![false; parts.len()];
    strokes.iter().for_each(|stroke| entered[stroke.to] = true);
    let mut shown = (0..parts.len()).filter(|&i| parts[i].what != What::Open);
    shown.next();
    for part in shown {
        prop_assert!(entered[part], "nothing leads to {:?}", parts[part]);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn recorded_trees(
        bytes in prop::collection::vec(any::<u8>(), 0..120),
        picks in prop::collection::vec(any::<u8>(), 0..8),
        heights in prop::collection::vec(any::<u8>(), 0..4),
    ) {
        let made = Maker::make(&bytes);
        let (parts, placement) = lay(&made, &random_cut(&made, &picks), &heights);
        check_boxes(&parts, &placement)?;
        check_edges(&parts, &placement)?;
        let again = lay(&made, &random_cut(&made, &picks), &heights);
        prop_assert_eq!(again.1.rects, placement.rects);
    }

    /// A serial spawn loop: many creates in one section, some of them folded, some tasks open.
    #[test]
    fn spawn_loops(creates in 0..80usize, nested in any::<bool>(), picks in prop::collection::vec(any::<u8>(), 0..8)) {
        let mut bytes = vec![0];
        for _ in 0..creates {
            bytes.extend(if nested { &[1u8, 0, 1, 7, 7, 7][..] } else { &[1, 7] });
        }
        let made = Maker::make(&bytes);
        let (parts, placement) = lay(&made, &random_cut(&made, &picks), &[]);
        check_boxes(&parts, &placement)?;
        check_edges(&parts, &placement)?;
    }

    /// Kinds that no recorder would write: the picture makes no sense, but it is a picture.
    #[test]
    fn any_kinds(bytes in prop::collection::vec(any::<u8>(), 0..80), kinds in prop::collection::vec(0..8usize, 1..50)) {
        let mut made = Maker::make(&bytes);
        for (i, kind) in made.kinds.iter_mut().enumerate() {
            *kind = Kind::ALL[kinds[i % kinds.len()]];
        }
        let (parts, placement) = lay(&made, &random_cut(&made, &[]), &[]);
        check_boxes(&parts, &placement)?;
        for stroke in &placement.strokes {
            prop_assert!(stroke.b.1 >= stroke.a.1, "an edge goes up: {:?}", stroke);
        }
    }
}

#[test]
fn a_very_deep_cut() {
    let depth = 100_000;
    let mut maker = Maker { builder: Builder::new(), kinds: Vec::new() };
    let mut open = Vec::new();
    for _ in 0..depth / 2 {
        maker.open(Kind::Task);
        open.push(Kind::Task);
        maker.open(Kind::Section);
        open.push(Kind::Section);
        maker.leaf(Kind::Create);
    }
    while !open.is_empty() {
        maker.close(&mut open);
    }
    let made = Made { tree: maker.builder.finish().unwrap(), kinds: maker.kinds };
    let (parts, placement) = lay(&made, &random_cut(&made, &[]), &[]);
    assert_eq!(parts.len(), made.kinds.len());
    assert!(placement.rects.iter().all(|r| r.x.is_finite() && r.y.is_finite()));
}

/// Every task creates two in one section, down to `levels`.
fn binary(levels: usize) -> Made {
    let mut maker = Maker { builder: Builder::new(), kinds: Vec::new() };
    maker.open(Kind::Task);
    let mut open = vec![Kind::Task];
    // Created tasks per open section; a task without one is to get its section next.
    let mut created: Vec<usize> = Vec::new();
    loop {
        let is_task = open.last() == Some(&Kind::Task);
        if is_task && created.len() < levels {
            maker.open(Kind::Section);
            open.push(Kind::Section);
            created.push(0);
        } else if is_task {
            maker.close(&mut open);
        }
        while open.last() == Some(&Kind::Section) && created.last() == Some(&2) {
            created.pop();
            maker.close(&mut open);
            maker.close(&mut open);
        }
        match created.last_mut() {
            Some(count) => *count += 1,
            None => break,
        }
        maker.leaf(Kind::Create);
        maker.open(Kind::Task);
        open.push(Kind::Task);
    }
    Made { tree: maker.builder.finish().unwrap(), kinds: maker.kinds }
}

#[test]
fn a_cut_of_500_fits_a_screen() {
    for limit in [60, 500, 2000] {
        let made = binary(9);
        let cut = Cut::fitting(made.tree.view(), limit);
        let (parts, placement) = lay(&made, &cut, &[]);
        let root = placement.rects[0];
        let aspect = root.w / root.h;
        assert!((0.8..3.2).contains(&aspect), "{limit}: {} × {}", root.w, root.h);
        // A leaf with its gaps takes about 500 square pixels, a closed task about 8,000.
        let area = root.w * root.h / parts.len() as f32;
        assert!(area < 12_000.0, "{limit}: {area} square pixels for each part");
    }
}
