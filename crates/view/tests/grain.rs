//! The grain view on random aggregation trees: whatever is open, looked at or folded, what is visible stands for the whole;
//! separation agrees with a plain one; nothing overlaps, sticks out or crosses; and a million members cost what is shown.

use std::collections::BTreeMap;
use std::ops::Range;

use crosscut_tasks::grain::GrainKind;
use crosscut_tree::fold::{self, shown};
use crosscut_tree::open::{below, reveal, spread, to_depth};
use crosscut_tree::{Builder, Cut, Fold, Folds, NodeId, NodeSet, Tree, TreeBuf, Window};
use crosscut_view::tasks::grains::parts::{Part, What, parts};
use crosscut_view::tasks::grains::place::{Critical, Placement, Rect, Stroke, place};
use crosscut_view::tasks::grains::shown::{MANY, Nodes, Totals};
use crosscut_view::tasks::styles::LinkKind;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

struct Made {
    tree: TreeBuf,
    kinds: Vec<GrainKind>,
    shapes: Vec<u64>,
    /// Grains before each node, and their work.
    grains: Vec<usize>,
    work: Vec<i64>,
    chosen: Option<NodeSet>,
    alike: bool,
}

impl Folds for Made {
    fn tree(&self) -> Tree<'_> {
        self.tree.view()
    }

    fn is_parallel(&self, node: NodeId) -> bool {
        self.kinds[node.index()] == GrainKind::ForkJoin
    }

    fn shape(&self, node: NodeId) -> u64 {
        self.shapes[node.index()]
    }

    fn chosen(&self) -> Option<&NodeSet> {
        self.chosen.as_ref()
    }

    fn gathers(&self) -> bool {
        self.alike
    }

    fn many(&self) -> usize {
        MANY
    }
}

impl Nodes for Made {
    fn kind(&self, node: NodeId) -> GrainKind {
        self.kinds[node.index()]
    }

    fn first_grain(&self, node: usize) -> usize {
        self.grains[node]
    }

    fn work(&self, grains: Range<usize>) -> i64 {
        self.work[grains.end] - self.work[grains.start]
    }
}

impl Made {
    /// From a tree and the kinds of its nodes.
    fn new(tree: TreeBuf, kinds: Vec<GrainKind>) -> Self {
        let view = tree.view();
        let mut grains = vec![0];
        let mut work = vec![0i64];
        for (i, kind) in kinds.iter().enumerate() {
            let is_grain = !kind.is_group();
            grains.push(grains[i] + usize::from(is_grain));
            if is_grain {
                work.push(work[work.len() - 1] + (i as i64 * 37) % 101);
            }
        }
        let mut shapes = vec![1u64; kinds.len()];
        for i in (0..kinds.len()).rev().filter(|&i| kinds[i].is_group()) {
            let mut members: Vec<u64> = view.children(NodeId(i as u32)).map(|m| shapes[m.index()]).collect();
            if kinds[i] == GrainKind::ForkJoin {
                members.sort_unstable();
            }
            shapes[i] = members
                .iter()
                .fold(kinds[i] as u64 + 7, |hash, m| hash.wrapping_mul(1_000_003).wrapping_add(*m));
        }
        Made { tree, kinds, shapes, grains, work, chosen: None, alike: false }
    }

    /// A linear group of a grain and fork-joins of grains and such groups, steered by random bytes.
    fn random(bytes: &[u8]) -> Self {
        let mut builder = Builder::new();
        let mut kinds = Vec::new();
        let mut open: Vec<(GrainKind, usize)> = Vec::new();
        let mut bytes = bytes.iter().copied();
        builder.open().unwrap();
        kinds.push(GrainKind::Linear);
        builder.leaf().unwrap();
        kinds.push(GrainKind::Root);
        open.push((GrainKind::Linear, 1));
        while let Some(byte) = bytes.next() {
            let (inside, members) = open.last_mut().unwrap();
            *members += 1;
            match (*inside, byte % 16) {
                (GrainKind::Linear, 0..=9) => {
                    builder.open().unwrap();
                    kinds.push(GrainKind::ForkJoin);
                    open.push((GrainKind::ForkJoin, 0));
                }
                (GrainKind::ForkJoin, 0..=3) => {
                    builder.open().unwrap();
                    kinds.push(GrainKind::Linear);
                    builder.leaf().unwrap();
                    kinds.push(GrainKind::Task);
                    open.push((GrainKind::Linear, 1));
                }
                // Many at once, so that some groups are wide.
                (GrainKind::ForkJoin, 4) => {
                    for _ in 0..bytes.next().unwrap_or(0) {
                        builder.leaf().unwrap();
                        kinds.push(GrainKind::Chunk);
                    }
                }
                (_, 14..) if open.len() > 1 => close(&mut builder, &mut kinds, &mut open),
                _ => {
                    builder.leaf().unwrap();
                    kinds.push(GrainKind::Task);
                }
            }
        }
        while !open.is_empty() {
            close(&mut builder, &mut kinds, &mut open);
        }
        Made::new(builder.finish().unwrap(), kinds)
    }

    /// Looks at a problem that every grain has whose number the seed picks.
    fn with_lens(mut self, pick: Option<u8>) -> Self {
        self.chosen = pick.map(|pick| {
            let has = |node: NodeId| {
                let i = node.index();
                !self.kinds[i].is_group()
                    && (i * 31 + usize::from(pick)).is_multiple_of(2 + usize::from(pick % 40))
            };
            NodeSet::from_fn(self.kinds.len(), has)
        });
        self
    }
}

fn close(builder: &mut Builder, kinds: &mut Vec<GrainKind>, open: &mut Vec<(GrainKind, usize)>) {
    if kinds.last().is_some_and(|kind| kind.is_group()) {
        builder.leaf().unwrap(); // no group is empty
        kinds.push(GrainKind::Task);
    }
    open.pop();
    builder.close().unwrap();
}

/// A fork-join of very many grains, alone in the root.
fn million(members: usize) -> Made {
    let mut builder = Builder::new();
    let mut kinds = vec![GrainKind::Linear, GrainKind::Root, GrainKind::ForkJoin];
    builder.open().unwrap();
    builder.leaf().unwrap();
    builder.open().unwrap();
    for _ in 0..members {
        builder.leaf().unwrap();
    }
    kinds.resize(3 + members, GrainKind::Task);
    builder.close().unwrap();
    builder.close().unwrap();
    Made::new(builder.finish().unwrap(), kinds)
}

/// Opens, spreads and scrolls at random.
fn random_cut(made: &Made, steps: &[(Index, u8)]) -> Cut {
    let tree = made.tree();
    let mut cut = Cut::closed();
    cut.open(tree, NodeId::ROOT);
    for (index, what) in steps {
        let node = NodeId(index.index(tree.node_count()) as u32);
        match what % 8 {
            0..=3 => cut.open(tree, node),
            4 => {
                reveal(made, &mut cut, node, usize::MAX);
            }
            5 => spread(made, &mut cut, node),
            6 => cut
                .set_window(tree.parent(node).unwrap_or(node), Window { first: u32::from(*what), count: 20 }),
            _ => {
                below(made, &mut cut, node, 300);
            }
        }
    }
    cut
}

fn cases() -> impl Strategy<Value = (Made, Cut)> {
    (
        vec(any::<u8>(), 0..240),
        prop::option::of(any::<u8>()),
        any::<bool>(),
        vec((any::<Index>(), any::<u8>()), 0..30),
    )
        .prop_map(|(bytes, pick, alike, steps)| {
            let mut made = Made::random(&bytes).with_lens(pick);
            made.alike = alike;
            let cut = random_cut(&made, &steps);
            (made, cut)
        })
}

impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} nodes, lens {:?}, alike {}",
            self.kinds.len(),
            self.chosen.as_ref().map(NodeSet::len),
            self.alike
        )
    }
}

fn sum(parts: &[Part]) -> Totals {
    let mut sum = Totals::default();
    parts.iter().for_each(|part| sum += part.totals);
    sum
}

/// The members that an item stands for, one by one.
fn held(made: &Made, group: NodeId, items: &[fold::Part]) -> Vec<Vec<NodeId>> {
    let members: Vec<NodeId> = made.tree().children(group).collect();
    items.iter().map(|item| members.iter().copied().filter(|&m| item.has(m)).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_visible_stands_for_the_whole((made, cut) in cases()) {
        let parts = parts(&made, &cut, usize::MAX).unwrap();
        prop_assert_eq!(sum(&parts), made.totals(made.tree().range(NodeId::ROOT)));
        let text = cut.to_text();
        prop_assert_eq!(Cut::from_text(made.tree(), &text).unwrap(), cut);
        prop_assert!(text.chars().all(|c| c.is_ascii_alphanumeric() || ".~-!".contains(c)));
    }

    #[test]
    fn items_are_the_members((made, cut) in cases()) {
        for (i, kind) in made.kinds.iter().enumerate() {
            if !kind.is_group() {
                continue;
            }
            let group = NodeId(i as u32);
            let items = shown(&made, &cut, group);
            let held = held(&made, group, &items);
            let mut all: Vec<NodeId> = held.iter().flatten().copied().collect();
            all.sort_unstable();
            let members: Vec<NodeId> = made.tree().children(group).collect();
            prop_assert_eq!(&all, &members, "every member once");
            for (item, members) in items.iter().zip(&held) {
                prop_assert_eq!(item.count as usize, members.len());
                prop_assert_eq!(Some(&item.node), members.first());
                prop_assert_eq!(item.fold.is_none(), members.len() == 1);
                let mut totals = Totals::default();
                members.iter().for_each(|&m| totals += made.totals(made.tree().range(m)));
                prop_assert_eq!(item.sum(made.tree(), |range| made.totals(range)), totals);
            }
            if cut.window(group).count == 0 {
                prop_assert!(items.len() <= MANY + 1, "{} items", items.len());
            }
        }
    }

    #[test]
    fn separation_is_that_of_the_lens((mut made, _) in cases()) {
        let Some(chosen) = made.chosen.clone() else { return Ok(()) };
        made.alike = false;
        let tree = made.tree();
        for (i, kind) in made.kinds.iter().enumerate() {
            let group = NodeId(i as u32);
            if !kind.is_group() || chosen.count_in(tree.range(group)) == 0 || tree.child_count(group) > MANY {
                continue;
            }
            let keeps = |node: &NodeId| chosen.count_in(tree.range(*node)) > 0;
            let members: Vec<NodeId> = tree.children(group).collect();
            let rest: Vec<NodeId> = members.iter().copied().filter(|node| !keeps(node)).collect();
            let expected: Vec<Vec<NodeId>> = match *kind {
                GrainKind::ForkJoin if rest.len() > 1 => {
                    let kept = members.into_iter().filter(keeps).map(|node| vec![node]);
                    kept.chain([rest]).collect()
                }
                GrainKind::ForkJoin => members.into_iter().map(|node| vec![node]).collect(),
                _ => members.chunk_by(|a, b| !keeps(a) && !keeps(b)).map(<[NodeId]>::to_vec).collect(),
            };
            let items = shown(&made, &Cut::closed(), group);
            prop_assert_eq!(held(&made, group, &items), expected);
        }
    }

    #[test]
    fn alike_means_one_shape_and_one_answer((mut made, _) in cases()) {
        made.alike = true;
        let tree = made.tree();
        let has = |node: NodeId| made.chosen.as_ref().is_some_and(|set| set.count_in(tree.range(node)) > 0);
        for (i, kind) in made.kinds.iter().enumerate().filter(|(_, kind)| kind.is_group()) {
            let group = NodeId(i as u32);
            let items = shown(&made, &Cut::closed(), group);
            let mut seen: BTreeMap<(u64, bool), usize> = BTreeMap::new();
            for (item, members) in items.iter().zip(held(&made, group, &items)) {
                let key = |&node: &NodeId| (made.shape(node), has(node));
                if item.fold == Some(Fold::Alike) {
                    prop_assert_eq!(*kind, GrainKind::ForkJoin);
                    prop_assert!(members.iter().all(|m| key(m) == key(&members[0])));
                }
                if matches!(item.fold, None | Some(Fold::Alike)) && *kind == GrainKind::ForkJoin {
                    *seen.entry(key(&item.node)).or_default() += 1;
                }
            }
            for ((shape, _), times) in seen {
                let few = if shape == 1 { 3 } else { 1 };
                prop_assert!(times <= few, "{} items of shape {}", times, shape);
            }
        }
    }

    #[test]
    fn a_revealed_node_is_visible((made, mut cut) in cases(), index in any::<Index>()) {
        let node = NodeId(index.index(made.tree().node_count()) as u32);
        reveal(&made, &mut cut, node, usize::MAX);
        let parts = parts(&made, &cut, usize::MAX).unwrap();
        let shows = |part: &Part| part.node == node && part.what != What::Folded(Fold::Gap) && part.what != What::Folded(Fold::Rest);
        prop_assert!(parts.iter().any(shows));
    }

    #[test]
    fn opening_to_a_depth_stays_within_its_limit((made, _) in cases(), depth in 0usize..12, limit in 1usize..400) {
        let (cut, _) = to_depth(&made, depth, limit);
        let parts = parts(&made, &cut, usize::MAX).unwrap();
        let items = parts.iter().filter(|part| part.is_item()).count();
        prop_assert!(items <= limit.max(1));
        prop_assert!(parts.iter().all(|part| part.depth as usize <= depth));
    }

    #[test]
    fn the_layout_is_clear((made, cut) in cases(), heights in vec(4u8..120, 1..9), wide in any::<bool>()) {
        let mut parts = parts(&made, &cut, usize::MAX).unwrap();
        prop_assume!(parts.len() < 600);
        for (i, part) in parts.iter_mut().enumerate() {
            part.w = if part.what == What::Grain { 18.0 } else { 92.0 } * if wide { 4.0 } else { 1.0 };
            part.h = f32::from(heights[i % heights.len()]);
        }
        let placement = place(&parts, &vec![0; parts.len()], &Critical::none(parts.len()));
        check_boxes(&parts, &placement)?;
        check_strokes(&parts, &placement)?;
    }
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}

fn inside(a: &Rect, b: &Rect) -> bool {
    a.x >= b.x && a.y >= b.y && a.x + a.w <= b.x + b.w && a.y + a.h <= b.y + b.h
}

/// Forks and joins as boxes of their own.
fn nodes(placement: &Placement) -> Vec<(usize, Rect)> {
    let node = |(x, y): (f32, f32)| Rect { x: x - 6.0, y: y - 6.0, w: 12.0, h: 12.0, ..Rect::default() };
    placement
        .ends
        .iter()
        .flat_map(|pair| [(pair.part, node(pair.fork)), (pair.part, node(pair.join))])
        .collect()
}

fn check_boxes(parts: &[Part], placement: &Placement) -> Result<(), TestCaseError> {
    let rects = &placement.rects;
    let mut open: Vec<usize> = Vec::new();
    for (i, _) in parts.iter().enumerate() {
        while open.last().is_some_and(|&above| parts[above].end <= i) {
            open.pop();
        }
        if let Some(&above) = open.last() {
            prop_assert!(inside(&rects[i], &rects[above]), "part {} sticks out of {}", i, above);
        }
        for j in 0..i {
            let holds = parts[j].what == What::Open && parts[j].end > i;
            prop_assert!(holds || !overlap(&rects[i], &rects[j]), "parts {} and {} overlap", j, i);
        }
        if parts[i].what == What::Open {
            open.push(i);
        }
    }
    for (part, node) in nodes(placement) {
        prop_assert!(inside(&node, &rects[part]));
        for (i, rect) in rects.iter().enumerate().filter(|(i, _)| parts[*i].what != What::Open) {
            prop_assert!(!overlap(&node, rect), "a fork or join of {} lies on {}", part, i);
        }
    }
    Ok(())
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

fn check_strokes(parts: &[Part], placement: &Placement) -> Result<(), TestCaseError> {
    let (rects, strokes) = (&placement.rects, &placement.strokes);
    for (i, stroke) in strokes.iter().enumerate() {
        prop_assert!(stroke.a.0 == stroke.b.0 || stroke.a.1 == stroke.b.1, "neither upright nor level");
        prop_assert!(stroke.a.1 <= stroke.b.1, "an edge goes up");
        for (part, rect) in rects.iter().enumerate().filter(|(part, _)| parts[*part].what != What::Open) {
            prop_assert!(!runs_through(stroke, rect), "stroke {} runs through part {}", i, part);
        }
        for (part, node) in nodes(placement) {
            prop_assert!(
                !runs_through(stroke, &node),
                "stroke {} runs through a fork or join of {}",
                i,
                part
            );
        }
        for other in &strokes[..i] {
            prop_assert!(!cross(stroke, other), "{:?} crosses {:?}", stroke, other);
        }
    }
    // Every member of an open group is reached: by the fork, or by the member before.
    for (open, part) in parts.iter().enumerate().filter(|(_, part)| part.what == What::Open) {
        let members: Vec<usize> = crosscut_view::tasks::grains::parts::members(parts, open).collect();
        for (k, &member) in members.iter().enumerate() {
            let entry = rects[member].entry();
            let exit = rects[member].exit();
            let into = |kind: LinkKind, from: usize| {
                strokes.iter().any(|s| s.kind == kind && s.from == from && s.to == member && s.b == entry)
            };
            if part.is_parallel() {
                prop_assert!(into(LinkKind::Create, open));
                let out =
                    |s: &Stroke| s.kind == LinkKind::Sync && s.from == member && s.to == open && s.a == exit;
                prop_assert!(strokes.iter().any(out));
            } else if k > 0 {
                prop_assert!(into(LinkKind::Continue, members[k - 1]));
            }
        }
    }
    Ok(())
}

#[test]
fn a_million_members_cost_what_is_shown() {
    for (pick, alike) in [(None, false), (None, true), (Some(0), false), (Some(38), true), (Some(39), false)]
    {
        let mut made = million(1_000_000).with_lens(pick);
        made.alike = alike;
        let tree = made.tree();
        let mut cut = Cut::closed();
        cut.open(tree, NodeId::ROOT);
        cut.open(tree, NodeId(2));
        reveal(&made, &mut cut, NodeId(700_000), usize::MAX);
        let mut parts = parts(&made, &cut, 20_000).unwrap();
        parts.iter_mut().for_each(|part| (part.w, part.h) = (80.0, 30.0));
        let placement = place(&parts, &vec![0; parts.len()], &Critical::none(parts.len()));
        assert!(parts.len() < 400 && placement.rects.len() == parts.len(), "{}", parts.len());
        assert!(parts.iter().any(|part| part.node == NodeId(700_000)));
        assert_eq!(sum(&parts), made.totals(tree.range(NodeId::ROOT)));
    }
}

#[test]
fn a_deep_nest_does_not_recurse() {
    const DEEP: usize = 100_000;
    let mut builder = Builder::new();
    let mut kinds = Vec::new();
    for level in 0..DEEP {
        builder.open().unwrap();
        kinds.push(if level % 2 == 0 { GrainKind::Linear } else { GrainKind::ForkJoin });
        builder.leaf().unwrap();
        kinds.push(GrainKind::Task);
    }
    for _ in 0..DEEP {
        builder.close().unwrap();
    }
    let made = Made::new(builder.finish().unwrap(), kinds);
    let mut cut = Cut::closed();
    reveal(&made, &mut cut, NodeId(2 * DEEP as u32 - 1), usize::MAX);
    assert!(parts(&made, &cut, 20_000).is_none());
    let mut near = Cut::closed();
    let reached = reveal(&made, &mut near, NodeId(2 * DEEP as u32 - 1), 1000);
    let visible = parts(&made, &near, 20_000).unwrap();
    assert!(
        visible.len() < 1100 && visible.iter().any(|part| part.node == reached && part.what == What::Closed)
    );
    let mut parts = parts(&made, &cut, usize::MAX).unwrap();
    assert_eq!(parts.len(), 2 * DEEP);
    parts.iter_mut().for_each(|part| (part.w, part.h) = (20.0, 20.0));
    let placement = place(&parts, &vec![0; parts.len()], &Critical::none(parts.len()));
    assert!(placement.rects.iter().all(|rect| rect.x.is_finite() && rect.y.is_finite()));
}
