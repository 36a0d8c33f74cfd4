//! The tree of call paths that stand out, with their callers; what else a caller calls is one surrogate.
//!
//! Lanes run from left to right: a caller stands on the row of its heaviest callee, so the hot path is a straight line. Points
//! are as large as what is spent itself, and as dark as it is uneven over places. With a second metric the size is of that one and
//! the shade of the first, and so it is of surrogates; a surrogate in which nothing is spent is three grey dots.

use crosscut_calls::{Paths, hot_path};
use std::ops::Range;

use crosscut_calls::{Pruned, Surrogate, USUAL_K, prune, prune_to};
use crosscut_scene::format::{count, fit_end, many, text_width};
use crosscut_scene::palette::{Ramp, slot};
use crosscut_scene::{Label, LegendItem, Mark, Plot, Rect, Scene};
use crosscut_tree::NodeId;
use crosscut_workbench::{Drawn, Job, Look, Refusal};
use rayon::prelude::*;

use super::opened::Opened;
use super::styles::{self, FAINT, NAME_BOLD, NAME_HALO, TINY, role};
use super::trees::Asked;
use super::values::Values;
use super::{forest, info};

const SIDE: f32 = 16.0;
const TOP: f32 = 26.0;
const ROW: f32 = 24.0;
const LOW: f32 = 17.0;
/// Room for the names of leaves.
const NAMES: f32 = 230.0;
/// Leaves at most, when nobody says otherwise.
const LEAVES: usize = 36;
/// Call paths that are drawn at most.
const MOST: usize = 4000;
/// A surrogate has a row from this share of the program on.
const MUCH: f64 = 0.01;

/// Draws a look.
pub fn draw(opened: &Opened, look: &Look, job: &Job<'_>) -> Result<Drawn, Refusal> {
    job.check()?;
    let calls = &*opened.calls;
    let asked = Asked::of(calls, &look.tree(forest::TREE).with)?;
    let values = Values::of(calls, look, "metric")?;
    let values = asked.place.map_or(values.clone(), |place| values.at(place));
    let size = look.size.sound();
    let n = calls.node_count();
    // Sums of some places are made for all nodes at once.
    let scoped = values.is_scoped().then(|| opened.scoped(values.metric, &values.places()));
    let sum = |nodes: Range<usize>| match &scoped {
        Some(scoped) => scoped.sum(values.metric, nodes),
        None => calls.sum(values.metric, nodes),
    };
    let own: Vec<f64> = (0..n).into_par_iter().map(|at| sum(at..at + 1) as f64).collect();
    let second = match look.option("size") {
        None | Some("auto") => None,
        Some(_) => {
            let values = Values::of(calls, look, "size")?;
            let values = asked.place.map_or(values.clone(), |place| values.at(place));
            let scoped = values.is_scoped().then(|| opened.scoped(values.metric, &values.places()));
            let own = |at: usize| match &scoped {
                Some(scoped) => scoped.sum(values.metric, at..at + 1),
                None => calls.sum(values.metric, at..at + 1),
            };
            let own: Vec<f64> = (0..n).into_par_iter().map(|at| own(at) as f64).collect();
            Some(Second { values, own })
        }
    };
    // Surrogates take rows, too: about one for two leaves.
    let rows = (((size.h - TOP - 16.0) / (ROW + LOW / 2.0)) as usize).clamp(4, LEAVES);
    let given = look.option("k").and_then(|text| text.parse::<f64>().ok());
    let k = given.unwrap_or_else(|| fitting(&own, rows));
    let inclusive: Vec<f64> =
        (0..n as u32).into_par_iter().map(|at| sum(calls.subtree(NodeId(at))) as f64).collect();
    let pruned = match &asked.query {
        Some((_, nodes)) => prune_to(calls.tree(), &own, &inclusive, nodes.clone()),
        None => prune(calls.tree(), &own, &inclusive, k, || match &scoped {
            Some(scoped) => hot_path(&**scoped, values.metric, NodeId::ROOT),
            None => hot_path(calls, values.metric, NodeId::ROOT),
        }),
    };
    if pruned.kept.len() > MOST {
        let kept = count(pruned.kept.len() as i64);
        return Err(Refusal::new(match &asked.query {
            Some(_) => format!(
                "the query and callers are {kept} call paths, {MOST} at most are drawn: ask for fewer"
            ),
            None => format!("{kept} call paths stand out at k = {k:.1}: raise k, or look at them as flames"),
        }));
    }
    let by_query = asked.query.as_ref().map(|(query, nodes)| (query.as_str(), nodes.len()));
    let lanes = Lanes::new(&values, &pruned, &inclusive, (&own, k), size.w);
    let mut lanes = Lanes { by_query, second: second.as_ref(), ..lanes };
    lanes.lay();
    let scene = lanes.paint(size.w, size.h);
    let mut drawn = Drawn::scene(scene, pruned.kept.len());
    drawn.settled.insert("k".to_owned(), format!("{k:.2}"));
    Ok(drawn)
}

/// The k with which at most so many values stand out; never less than the usual one.
fn fitting(own: &[f64], most: usize) -> f64 {
    let mut values: Vec<f64> = own.iter().copied().filter(|&value| value != 0.0).collect();
    if values.len() <= most {
        return USUAL_K;
    }
    let quantile = |values: &mut Vec<f64>, share: f64| {
        let at = ((values.len() - 1) as f64 * share) as usize;
        *values.select_nth_unstable_by(at, f64::total_cmp).1
    };
    let (low, high) = (quantile(&mut values, 0.25), quantile(&mut values, 0.75));
    let at = values.len() - 1 - most;
    let next = *values.select_nth_unstable_by(at, f64::total_cmp).1;
    let spread = high - low;
    // A little above the first value that is left out.
    if spread > 0.0 { ((next - high) / spread * 1.0001 + 1e-6).max(USUAL_K) } else { USUAL_K }
}

/// A call path that is drawn.
#[derive(Clone, Copy, Debug)]
struct Placed {
    node: NodeId,
    above: Option<usize>,
    x: f32,
    y: f32,
    leaf: bool,
    /// It begins a lane of its own.
    first: bool,
}

/// The metric that sizes are of, where it is another one than that of shades.
struct Second<'a> {
    values: Values<'a>,
    /// By node: what was spent in it itself.
    own: Vec<f64>,
}

struct Lanes<'a> {
    values: &'a Values<'a>,
    second: Option<&'a Second<'a>>,
    pruned: &'a Pruned,
    inclusive: &'a [f64],
    own: &'a [f64],
    k: f64,
    /// The query that chose them, and how many it found; none where values did.
    by_query: Option<(&'a str, usize)>,
    pitch: f32,
    placed: Vec<Placed>,
    /// Surrogates with their places; those that are small hang under their caller.
    others: Vec<(&'a Surrogate, f32, f32, bool)>,
    bottom: f32,
}

impl<'a> Lanes<'a> {
    fn new(
        values: &'a Values<'a>,
        pruned: &'a Pruned,
        inclusive: &'a [f64],
        (own, k): (&'a [f64], f64),
        width: f32,
    ) -> Self {
        let tree = values.calls.tree();
        let depth = pruned.kept.iter().map(|&node| tree.depth(node)).max().unwrap_or(1).max(1);
        let pitch = ((width - NAMES - 2.0 * SIDE) / depth as f32).clamp(9.0, 64.0);
        Lanes {
            values,
            second: None,
            pruned,
            inclusive,
            own,
            k,
            by_query: None,
            pitch,
            placed: Vec::new(),
            others: Vec::new(),
            bottom: TOP,
        }
    }

    fn whole(&self) -> f64 {
        self.inclusive.first().copied().unwrap_or(0.0)
    }

    /// Places all: the heaviest callee on the row of its caller, the others on rows of their own below.
    fn lay(&mut self) {
        let tree = self.values.calls.tree();
        let kept: std::collections::HashSet<u32> = self.pruned.kept.iter().map(|node| node.0).collect();
        let surrogate: std::collections::HashMap<u32, &'a Surrogate> =
            self.pruned.surrogates.iter().map(|of| (of.of.0, of)).collect();
        // The last one pushed is placed next; a surrogate comes after all that its caller calls.
        enum Next<'a> {
            Path(NodeId, Option<usize>, usize, bool),
            Others(&'a Surrogate, usize),
        }
        let mut open = vec![Next::Path(NodeId::ROOT, None, 0, true)];
        let mut next_row = TOP + 14.0;
        while let Some(next) = open.pop() {
            let (node, above, depth, first) = match next {
                Next::Path(node, above, depth, first) => (node, above, depth, first),
                Next::Others(of, above) => {
                    let x = self.placed[above].x + self.pitch;
                    let much = of.own >= MUCH * self.whole();
                    let y = if much { next_row } else { self.placed[above].y };
                    if much {
                        next_row += LOW;
                    }
                    self.others.push((of, x, y, much));
                    continue;
                }
            };
            let y = match (first, above) {
                (false, Some(above)) => self.placed[above].y,
                _ => {
                    let y = next_row;
                    next_row += ROW;
                    y
                }
            };
            let mut children: Vec<NodeId> =
                tree.children(node).filter(|child| kept.contains(&child.0)).collect();
            let value = |node: &NodeId| self.inclusive.get(node.index()).copied().unwrap_or(0.0);
            children.sort_by(|a, b| value(b).total_cmp(&value(a)).then(a.cmp(b)));
            let at = self.placed.len();
            let x = SIDE + depth as f32 * self.pitch;
            self.placed.push(Placed { node, above, x, y, leaf: children.is_empty(), first });
            if let Some(of) = surrogate.get(&node.0) {
                open.push(Next::Others(of, at));
            }
            for (number, &child) in children.iter().enumerate().rev() {
                open.push(Next::Path(child, Some(at), depth + 1, number > 0));
            }
        }
        self.bottom = next_row;
    }

    fn paint(&self, w: f32, h: f32) -> Scene {
        let calls = self.values.calls;
        let title = format!("{} · call paths that stand out", calls.run().name());
        let mut scene = Scene { title, width: w, height: h, ..Scene::default() };
        let scroll = (self.bottom > h).then_some(self.bottom);
        let rect = Rect { x: 0.0, y: 0.0, w, h };
        scene.begin(Plot { rect, title: "call paths".to_owned(), scroll, ..Plot::default() });
        self.links(&mut scene);
        self.surrogates(&mut scene, w);
        self.points(&mut scene, w);
        scene.end();
        self.legend(&mut scene);
        scene
    }

    fn links(&self, scene: &mut Scene) {
        let whole = self.whole().max(1.0);
        for placed in &self.placed {
            let Some(above) = placed.above.and_then(|above| self.placed.get(above)) else { continue };
            let share = (self.inclusive[placed.node.index()] / whole).clamp(0.0, 1.0).sqrt();
            let style = scene.styles.put(&styles::lane(share));
            let mark = Mark::of(placed.node.0).role(role::LANE).looks(style, slot::EDGE);
            let elbow = above.x + self.pitch / 2.0;
            if placed.first {
                scene.links.push([elbow, above.y, elbow, placed.y], mark);
                scene.links.push([elbow, placed.y, placed.x, placed.y], mark);
            } else {
                scene.links.push([above.x, above.y, placed.x, placed.y], mark);
            }
        }
    }

    /// What sizes are of.
    fn sizes(&self) -> (&'a Values<'a>, &'a [f64]) {
        self.second.map_or((self.values, self.own), |second| (&second.values, &second.own))
    }

    /// The largest value of any call path in the metric of shades, and in that of sizes.
    fn most(&self) -> (f64, f64) {
        let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max).max(1.0);
        (most(self.own), most(self.sizes().1))
    }

    /// Shades say how uneven call paths are over places, unless they say how much was spent.
    fn shades_uneven(&self) -> bool {
        self.second.is_none() && self.values.peers.len() > 1
    }

    fn points(&self, scene: &mut Scene, width: f32) {
        let (most, largest) = self.most();
        let (_, sizes) = self.sizes();
        for (at, placed) in self.placed.iter().enumerate() {
            let own = self.own[placed.node.index()];
            let uneven = self.shades_uneven().then(|| self.uneven(placed.node)).flatten();
            let shade = uneven.map_or(part(own, most), |ratio| ((ratio - 1.0) / UNEVEN).clamp(0.0, 1.0));
            let out = self.pruned.outliers.contains(placed.node);
            let style = scene.styles.put(&styles::path_point(out));
            let r = 2.0 + 6.0 * part(sizes[placed.node.index()], largest) as f32;
            let mark = Mark::of(placed.node.0).looks(style, Ramp::MORE.slot(shade));
            scene.points.push([placed.x, placed.y, r], mark);
            let name = info::name(self.values.calls.frame(placed.node));
            if placed.leaf {
                self.leaf(placed, (r, &name, out), own, width, scene);
            } else if placed.first || at == 0 {
                let end = self.placed.get(at + 1).filter(|next| !next.first).map_or(placed.x, |next| next.x);
                let room = (end - placed.x).max(self.pitch * 2.0);
                if let Some(text) = fit_end(&name, room * 1.2) {
                    scene.labels.push(Label::new((placed.x + 2.0, placed.y - 9.0), room, text, TINY));
                }
            }
        }
    }

    fn leaf(
        &self,
        placed: &Placed,
        (r, name, out): (f32, &str, bool),
        own: f64,
        width: f32,
        scene: &mut Scene,
    ) {
        let x = placed.x + r + 5.0;
        let style = if out { NAME_BOLD } else { NAME_HALO };
        let value = self.values.fine(own);
        let room = (width - x - text_width(&value) - 12.0).max(20.0);
        let Some(text) = fit_end(name, room / 1.2) else { return };
        let wide = text_width(&text) * if out { 1.22 } else { 1.1 };
        scene.labels.push(Label::new((x, placed.y + 4.0), room, text, style));
        scene.labels.push(Label::new((x + wide + 6.0, placed.y + 4.0), 100.0, value, FAINT));
    }

    /// The largest over the mean of ranks.
    fn uneven(&self, node: NodeId) -> Option<f64> {
        let values = self.values.calls.at_places(self.values.metric, node.index()..node.index() + 1);
        self.values.peers.imbalance(&values).map(|imbalance| imbalance.ratio)
    }

    /// What was spent in all that a surrogate stands for, in the second metric.
    fn hidden(&self, of: &Surrogate, second: &Second<'_>) -> f64 {
        let tree = self.values.calls.tree();
        let is_kept = |child: &NodeId| self.pruned.kept.binary_search(child).is_ok();
        let hidden = tree.children(of.of).filter(|child| !is_kept(child));
        hidden.flat_map(|child| second.own.get(tree.range(child)).unwrap_or_default()).sum()
    }

    fn surrogates(&self, scene: &mut Scene, width: f32) {
        let (most, largest) = self.most();
        for &(of, x, y, much) in &self.others {
            let second = self.second.map(|second| (second, self.hidden(of, second)));
            let mut said = format!(
                "{}, {} of them below it: {} themselves",
                many(of.nodes, "other call path"),
                count(of.roots as i64),
                self.values.fine(of.own)
            );
            if let Some((second, hidden)) = second {
                said += &format!(", {} {}", second.values.measured.name, second.values.fine(hidden));
            }
            if of.own == 0.0 && second.is_none_or(|(_, hidden)| hidden == 0.0) {
                let style = scene.styles.put(&styles::nothing(said));
                let mark = Mark::of(of.of.0).role(role::OTHERS).looks(style, slot::FAINT);
                for dot in [-4.0, 0.0, 4.0] {
                    scene.points.push([x - self.pitch + dot, y + 9.0, 1.2], mark);
                }
                continue;
            }
            let (style, shade) = match self.second {
                None => (styles::surrogate(said), slot::EDGE),
                Some(_) => (styles::surrogate_shaded(said), Ramp::MORE.slot(part(of.own, most))),
            };
            let style = scene.styles.put(&style);
            let mark = Mark::of(of.of.0).role(role::OTHERS).looks(style, shade);
            // As wide as points are: what it stands for may be more than any one call path.
            let wide = second.map(|(_, hidden)| 4.0 + 12.0 * part(hidden, largest) as f32);
            if much {
                let elbow = x - self.pitch / 2.0;
                let lane = scene.styles.put(&styles::lane(0.0));
                let above =
                    self.placed.iter().find(|placed| placed.node == of.of).map_or(y, |placed| placed.y);
                scene.links.push([elbow, above, elbow, y], Mark::none().looks(lane, slot::EDGE));
                scene.links.push([elbow, y, x - 5.0, y], Mark::none().looks(lane, slot::EDGE));
                let wide = wide.unwrap_or(11.0);
                scene.boxes.push([x - 5.0, y - 4.0, wide, 8.0], mark);
                let text = format!("{}  {}", many(of.nodes, "other"), self.values.fine(of.own));
                let x = x + wide - 1.0;
                scene.labels.push(Label::new((x, y + 4.0), (width - x - 4.0).max(20.0), text, FAINT));
            } else {
                let wide = wide.unwrap_or(7.0);
                scene.boxes.push([x - self.pitch - wide / 2.0, y + 6.0, wide, 3.0], mark);
            }
        }
    }

    fn legend(&self, scene: &mut Scene) {
        let style = scene.styles.put(&styles::path_point(true));
        let word = if self.by_query.is_some() { "found" } else { "stands out" };
        let (sized, _) = self.sizes();
        let size = match self.second {
            None => "itself".to_owned(),
            Some(_) => format!("{} itself, up to {}", sized.measured.name, sized.fine(self.most().1)),
        };
        scene.legend.push(LegendItem::of(style, Ramp::MORE.slot(0.5), format!("{word}; size: {size}")));
        let (ends, what) = match self.shades_uneven() {
            true => {
                let what = format!("most ÷ mean of {}s", self.values.peers.each().word());
                (("×1".to_owned(), format!("×{}", 1.0 + UNEVEN)), what)
            }
            false => (
                ("0".to_owned(), self.values.fine(self.own.iter().copied().fold(0.0, f64::max))),
                self.second.map_or("itself".to_owned(), |_| format!("{} itself", self.values.measured.name)),
            ),
        };
        scene.legend.push(LegendItem::ramp(Ramp::MORE, ends, what));
        let outliers = self.placed.iter().filter(|placed| self.pruned.outliers.contains(placed.node)).count();
        let all = many(self.values.calls.node_count() - 1, "call path");
        let kept = count(self.pruned.kept.len() as i64 - 1);
        if let Some((query, found)) = self.by_query {
            let found = many(found, "call path");
            scene.note = Some(format!("{query}: {found} found, {kept} of {all} kept"));
            return;
        }
        scene.note = Some(match self.pruned.by_hot_path {
            true => format!("nothing stands out at k = {:.2}: the hot path, {kept} of {all}", self.k),
            false => format!("k = {:.2}: {outliers} stand out, {kept} of {all} kept", self.k),
        });
    }
}

/// What a value is of the largest, 0…1, so that areas are as values are.
fn part(value: f64, most: f64) -> f64 {
    (value / most).clamp(0.0, 1.0).sqrt()
}

/// So much above the mean is the darkest.
const UNEVEN: f64 = 1.5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k_is_raised_until_few_stand_out() {
        let own: Vec<f64> = (0..1000)
            .map(|n| 1.0 + f64::from(n % 10) + if n % 10 == 0 { f64::from(n) } else { 0.0 })
            .collect();
        for most in [5, 20, 36] {
            let k = fitting(&own, most);
            let out = crosscut_tree::Lens::outliers(&own, k).chosen().len();
            assert!(out <= most && out > 0, "{out} of {most} at k = {k}");
        }
        assert_eq!(fitting(&[1.0, 2.0], 10), USUAL_K);
    }
}
