//! A domain of its own, for tests: a stand of timber, whose trunks are cut into logs. A tree, two metrics, a lens, two
//! views, a finding; nothing outside of this file knows it but who registers [`ENTRY`].

#![allow(dead_code)] // Each test uses its part of it.

use std::any::Any;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use crosscut_run::{Places, Run, RunWriter, Source, SourcesBuilder};
use crosscut_scene::marks::{Area, Grid, Mark, NONE};
use crosscut_scene::palette::{Ramp, slot};
use crosscut_scene::plot::{Axis, Brush, Camera, Plot, Rect};
use crosscut_scene::scene::LegendItem;
use crosscut_scene::style::{Inner, Press, Stroke, Style, rank};
use crosscut_scene::text::{Label, TextStyle};
use crosscut_scene::{Scene, Unit};
use crosscut_tree::{
    Cut, Lens, Metric, NodeId, NodeSet, Part, Rule, Tree, TreeBuf, Worse, from_parents, propagate,
};
use crosscut_workbench::sheet::{Crumb, Tone};
use crosscut_workbench::{
    Act, ActCall, Block, Cell, Chosen, Column, Compares, Did, Domain, Drawn, Entry, Export, Exported, Fact,
    Forest, Found, Hits, How, Job, LensDecl, LensSpec, Look, Loss, Nodes, On, Opt, OptKind, Pane, Reach,
    Refusal, RowState, Scope, Selection, Settings, Shared, SharedColumn, Sheet, Span, Title, Topic, TreeDecl,
    TreeRef, View,
};

/// The line of the registry.
pub const ENTRY: Entry = Entry { word: "timber", views: VIEWS, thresholds: &[], exports: EXPORTS, open };

const EXPORTS: &[Export] = &[Export { word: "bill", about: "The volume of each trunk, a line each" }];

const TREES: &[TreeDecl] = &[TreeDecl {
    name: "logs",
    title: "Logs",
    node: ("log", "logs"),
    sign: "L",
    parameter: false,
    options: &[],
    slow: false,
}];

const COLOUR: Opt = Opt::new(
    "colour",
    "Colour",
    OptKind::Choice { values: &[("trunk", "by trunk"), ("rot", "by rot")] },
    "trunk",
);

const VIEWS: &[View] = &[
    View {
        name: "timber.stand",
        title: "Stand",
        section: "Timber",
        icon: "M8 1l5 7h-3v6H6V8H3z",
        about: "Trunks and the logs they are cut into.",
        trees: &["logs"],
        pane: Pane::Graph,
        options: &[COLOUR],
        acts: &[Act { name: "largest", title: "Open the largest trunk", key: Some("l"), on: On::View }],
        compares: Compares::No,
        slow: false,
        hidden: false,
        follows: false,
        without: &[],
    },
    View {
        name: "timber.rings",
        title: "Rings",
        section: "Timber",
        icon: "M8 2a6 6 0 100 12A6 6 0 008 2z",
        about: "Volume by trunk, and everything that can be drawn.",
        trees: &["logs"],
        pane: Pane::Plots,
        options: &[],
        acts: &[],
        compares: Compares::Two,
        slow: false,
        hidden: false,
        follows: false,
        without: &[],
    },
    View {
        name: "timber.growth",
        title: "Growth",
        section: "Timber",
        icon: "M2 14L8 2l6 12z",
        about: "What the stand would be in some years; takes its time.",
        trees: &["logs"],
        pane: Pane::Plots,
        options: &[Opt::new(
            "years",
            "Years",
            OptKind::Number { least: 1.0, most: 1e6, log: true, unit: Unit::Count },
            "10",
        )],
        acts: &[],
        compares: Compares::No,
        slow: true,
        hidden: false,
        follows: false,
        without: &[],
    },
];

/// Writes a run that holds a stand of so many trunks.
pub fn write(path: &Path, trunks: u32) {
    let mut writer = RunWriter::create(path).unwrap();
    let mut sources = SourcesBuilder::new();
    for trunk in 0..trunks.min(8) {
        let function = format!("fell{trunk}");
        sources.source(Source { file: "saw.c".to_owned(), line: 10 + i64::from(trunk), function });
    }
    writer.put_places(&Places::workers(4).unwrap()).unwrap();
    writer.put_sources(&sources.finish()).unwrap();
    writer.manifest().facts.insert("timber".to_owned(), trunks.into());
    writer.finish().unwrap();
}

fn open(run: &Arc<Run>, _settings: &Settings) -> Result<Option<Arc<dyn Domain>>, Refusal> {
    let Some(trunks) = run.manifest().facts.get("timber").and_then(|fact| fact.as_u64()) else {
        return Ok(None);
    };
    let forest = Arc::new(Logs::new(trunks as u32)?);
    Ok(Some(Arc::new(Timber { forest, name: run.name() })))
}

/// The domain.
pub struct Timber {
    forest: Arc<Logs>,
    name: String,
}

/// Its tree.
pub struct Logs {
    tree: TreeBuf,
    volume: Vec<i64>,
    rot: Vec<f64>,
    metrics: Vec<Metric>,
}

impl Logs {
    fn new(trunks: u32) -> Result<Self, Refusal> {
        let mut parents: Vec<Option<u32>> = vec![None];
        let (mut volume, mut rot) = (vec![0], vec![0.0]);
        for trunk in 0..trunks {
            let above = parents.len() as u32;
            parents.push(Some(0));
            volume.push(0);
            rot.push(0.0);
            // The third trunk is wide, so that some of its logs are folded.
            let logs = if trunk == 2 { 100 } else { 2 + trunk % 5 };
            for log in 0..logs {
                parents.push(Some(above));
                volume.push(i64::from(10 + (trunk * 7 + log * 3) % 40));
                rot.push(f64::from((trunk * 13 + log * 29) % 100) / 100.0);
            }
        }
        let tree = from_parents(&parents).map_err(|error| Refusal::new(error.to_string()))?.tree;
        propagate(tree.view(), Rule::Sum, &mut volume, |_| false);
        for i in (1..rot.len()).rev() {
            let above = tree.parent[i] as usize;
            rot[above] = rot[above].max(rot[i]);
        }
        let metrics = vec![
            Metric::new("volume", Unit::Count, Rule::Sum).titled("Volume").about("Cubic feet of wood."),
            Metric::new("rot", Unit::Ratio, Rule::Max)
                .titled("Rot")
                .worse(Worse::High)
                .about("Share that is rotten."),
        ];
        Ok(Logs { tree, volume, rot, metrics })
    }

    fn name(&self, node: NodeId) -> String {
        match self.tree.view().depth(node) {
            0 => "stand".to_owned(),
            1 => format!("trunk {}", self.tree.view().child_index(node)),
            _ => format!("log {}", node.0),
        }
    }

    fn kind(&self, node: NodeId) -> &'static str {
        ["stand", "trunk", "log"][self.tree.view().depth(node).min(2)]
    }
}

impl Forest for Logs {
    fn tree(&self) -> Tree<'_> {
        self.tree.view()
    }

    fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    fn lenses(&self) -> Vec<LensDecl> {
        vec![LensDecl {
            name: "rotten".to_owned(),
            title: "Rotten".to_owned(),
            metric: "rot".to_owned(),
            unit: Unit::Ratio,
            below: false,
            usual: 0.9,
            range: (0.0, 1.0),
            missing: None,
            about: "Logs of which too much is rotten.".to_owned(),
        }]
    }

    fn lens(&self, lens: &LensSpec, _job: &Job<'_>) -> Result<Chosen, Refusal> {
        if lens.name != "rotten" {
            return Err(Refusal::new(format!("there is no lens `{}`; there is rotten", lens.name)));
        }
        let value = lens.value.unwrap_or(0.9);
        let tree = self.tree.view();
        let is = |node: NodeId| tree.is_leaf(node) && self.rot[node.index()] > value;
        let chosen = NodeSet::from_fn(tree.node_count(), is);
        let lost: i64 = chosen.iter().map(|node| self.volume[node.index()]).sum();
        let worst = chosen.iter().max_by_key(|node| self.volume[node.index()]);
        let facts = vec![Fact::new("logs", Cell::text(chosen.len().to_string()))];
        Ok(Chosen {
            name: lens.name.clone(),
            lens: Arc::new(Lens::new(chosen)),
            value,
            facts,
            cost: lost as f64,
            advice: "fell earlier".to_owned(),
            worst,
        })
    }

    /// Trunks, closed.
    fn first_cut(&self, _most: usize) -> Cut {
        let mut cut = Cut::closed();
        cut.open(self.tree.view(), NodeId::ROOT);
        cut
    }

    fn titles(&self, parts: &[Part], lens: Option<&Chosen>) -> Vec<Title> {
        let title = |part: &Part| {
            let name = self.name(part.node);
            Title {
                kind: self.kind(part.node).to_owned(),
                name: if part.count > 1 { format!("× {} from {name}", part.count) } else { name },
                line: None,
                state: RowState {
                    lit: lens.is_some_and(|lens| lens.lens.keeps(self.tree.view(), part.node)),
                    holds: !self.tree.view().is_leaf(part.node),
                    ..RowState::default()
                },
            }
        };
        parts.iter().map(title).collect()
    }

    fn values(&self, metric: usize, parts: &[Part], _scope: &Scope, out: &mut [f64]) {
        let tree = self.tree.view();
        for (part, out) in parts.iter().zip(out) {
            *out = match metric {
                0 => part.sum(tree, |range| {
                    range.filter(|&i| tree.is_leaf(NodeId(i as u32))).map(|i| self.volume[i]).sum::<i64>()
                }) as f64,
                _ if part.count == 1 => self.rot[part.node.index()],
                _ => f64::NAN,
            };
        }
    }

    fn words(&self, parts: &[Part]) -> Vec<(Column, Vec<Cell>)> {
        let column = Column {
            name: "sound".to_owned(),
            title: "Sound".to_owned(),
            about: "Whether it can be sold.".to_owned(),
            unit: None,
            sorts: true,
        };
        let sound = |part: &Part| Cell::text(if self.rot[part.node.index()] > 0.9 { "no" } else { "yes" });
        vec![(column, parts.iter().map(sound).collect())]
    }

    fn search(&self, words: &str, limit: usize, _job: &Job<'_>) -> Hits {
        let words = words.to_lowercase();
        let all = (0..self.tree.view().node_count() as u32).map(NodeId);
        let found: Vec<NodeId> = all.filter(|&node| self.name(node).contains(&words)).collect();
        Hits { total: found.len(), nodes: found.into_iter().take(limit).collect(), more: false }
    }

    fn about(
        &self,
        selection: &Selection,
        lens: Option<&Chosen>,
        _scope: &Scope,
        _job: &Job<'_>,
    ) -> Result<Sheet, Refusal> {
        let tree = self.tree.view();
        let node = selection.existing(tree)?;
        let to = |node: NodeId| Selection::node(selection.run, "logs", node);
        let mut crumbs: Vec<Crumb> = tree
            .ancestors(node)
            .map(|above| Crumb { title: self.name(above), selection: to(above) })
            .collect();
        crumbs.reverse();
        let mut blocks = vec![Block::Facts {
            rows: vec![Fact::new("Volume", Cell::text(self.volume[node.index()].to_string()))],
        }];
        if lens.is_some_and(|lens| lens.lens.chosen().contains(node)) {
            blocks.push(Block::Text { text: "This log is rotten.".to_owned(), tone: Tone::Warning });
        }
        Ok(Sheet {
            title: self.name(node),
            kind: self.kind(node).to_owned(),
            crumbs,
            selection: Some(selection.clone()),
            siblings: (tree.previous_sibling(node).map(to), tree.next_sibling(node).map(to)),
            blocks,
            ..Sheet::default()
        })
    }

    /// A trunk was felled at a line: trunk k at the k-th.
    fn reach(&self, selection: &Selection) -> Reach {
        let tree = self.tree.view();
        let trunk = |node: NodeId| {
            let above = tree.ancestors(node).find(|&above| tree.depth(above) == 1);
            let trunk = if tree.depth(node) == 1 { Some(node) } else { above };
            trunk.map(|trunk| tree.child_index(trunk) as u32)
        };
        let known = selection.nodes.iter().filter(|&node| tree.contains(node));
        Reach { lines: known.filter_map(trunk).collect(), ..Reach::default() }
    }

    fn find(&self, reach: &Reach, _job: &Job<'_>) -> Nodes {
        let tree = self.tree.view();
        reach.lines.iter().filter_map(|&line| tree.child(NodeId::ROOT, line as usize)).collect()
    }

    fn keys(&self, nodes: &[NodeId]) -> Vec<u64> {
        nodes.iter().map(|node| u64::from(node.0)).collect()
    }

    fn bytes(&self) -> usize {
        self.volume.len() * 24
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Timber {
    /// Boxes in rows: trunks, open ones as envelopes around their logs.
    fn stand(&self, look: &Look, job: &Job<'_>) -> Result<Drawn, Refusal> {
        let state = look.tree("logs");
        let tree = self.forest.tree();
        let cut = match state.cut.as_str() {
            "" => self.forest.first_cut(60),
            text => Cut::from_text(tree, text).map_err(|error| Refusal::new(error.to_string()))?,
        };
        let lens = state.lens.as_ref().map(|lens| job.lens(&TreeRef::named("logs"), lens)).transpose()?;
        let parts = self.forest.parts(look, &cut, lens.as_deref(), 20_000);
        let parts = parts.ok_or_else(|| Refusal::new("too many logs"))?;
        let mut scene = Scene { title: format!("{} · stand", self.name), ..Scene::default() };
        let visible = parts.iter().filter(|part| !part.open).count();
        let rows = visible.div_ceil(12).max(1);
        scene.begin(Plot::graph(12.0 * 110.0, rows as f32 * 50.0 + 30.0));
        (scene.width, scene.height) = (12.0 * 110.0, rows as f32 * 50.0 + 30.0);
        let titles = self.forest.titles(&parts, lens.as_deref());
        let mut at = 0;
        for (part, title) in parts.iter().zip(&titles) {
            let lit = lens.as_ref().is_some_and(|lens| lens.lens.keeps(tree, part.node));
            let style = Style {
                press: if part.open { Press::Close } else { Press::Open },
                inner: if title.state.holds { Inner::Line } else { Inner::None },
                stroke: if lit { Stroke::Slot(slot::RED) } else { Stroke::Own },
                sheets: if part.count > 1 { 2 } else { 0 },
                rank: if part.open { rank::BACK } else { rank::MARK },
                meaning: title.kind.clone().into(),
                ..Style::BOX
            };
            let style = scene.styles.put(&style);
            let fill = match look.option("colour") {
                Some("rot") => Ramp::MORE.first + (self.forest.rot[part.node.index()] * 15.0) as u16,
                _ => (part.node.0 % 24) as u16,
            };
            let role = if part.fold.is_some() { 1 } else { 0 };
            let mark = Mark { node: part.node.0, style, fill, role, ..Mark::default() };
            let (x, y) = ((at % 12) as f32 * 110.0, (at / 12) as f32 * 50.0 + 30.0);
            if part.open {
                scene.boxes.push([x, y - 12.0, 100.0, 10.0], mark);
                continue;
            }
            scene.boxes.push([x, y, 100.0, 40.0], mark);
            let text = Label::new((x + 6.0, y + 16.0), 88.0, title.name.clone(), TextStyle::default());
            scene.labels.push(text.of(part.node.0, role));
            at += 1;
        }
        scene.end();
        scene.legend.push(LegendItem::new(0, "trunk 0"));
        Ok(Drawn::scene(scene, visible))
    }

    /// Every kind of mark, over the trunks.
    fn rings(&self, look: &Look, with: &[&dyn Domain]) -> Drawn {
        let tree = self.forest.tree();
        let (w, h) = (look.size.w, look.size.h);
        let mut scene =
            Scene { title: format!("{} · rings", self.name), width: w, height: h, ..Scene::default() };
        let trunks: Vec<NodeId> = tree.children(NodeId::ROOT).collect();
        let most = trunks.iter().map(|t| self.forest.volume[t.index()]).max().unwrap_or(1).max(1) as f64;
        let x = Axis::linear((0.0, trunks.len() as f64), 60.0, w - 80.0, Unit::Count, "trunk");
        let y = Axis::linear((most, 0.0), 20.0, h / 2.0 - 40.0, Unit::Count, "volume");
        let rect = Rect { x: 60.0, y: 20.0, w: w - 80.0, h: h / 2.0 - 40.0 };
        scene.begin(Plot {
            rect,
            title: "Volume".to_owned(),
            x: Some(x.clone()),
            y: Some(y.clone()),
            camera: Camera::None,
            brush: Brush::Nodes,
            ..Plot::default()
        });
        let boxes = scene.styles.put(&Style { meaning: "volume of a trunk".into(), ..Style::BOX });
        let dots = scene.styles.put(&Style { meaning: "rot of a trunk".into(), ..Style::POINT });
        let band = scene.styles.put(&Style { meaning: "from trunk to trunk".into(), ..Style::RIBBON });
        let ground = scene.styles.put(&Style { meaning: "all trunks".into(), ..Style::GROUND });
        let line = scene.styles.put(&Style { meaning: "neighbours".into(), ..Style::LINK });
        let other = |at: usize| -> Option<f64> {
            let other = with.first()?.as_any().downcast_ref::<Timber>()?;
            let trunk = other.forest.tree().child(NodeId::ROOT, at)?;
            Some(other.forest.volume[trunk.index()] as f64)
        };
        let mark = |node: NodeId, style, fill| Mark { node: node.0, style, fill, ..Mark::default() };
        for (i, &trunk) in trunks.iter().enumerate() {
            let (left, right) = (x.pixel(i as f64), x.pixel(i as f64 + 0.8));
            let top = y.pixel(self.forest.volume[trunk.index()] as f64);
            scene
                .boxes
                .push([left, top, right - left, y.pixel(0.0) - top], mark(trunk, boxes, (i % 24) as u16));
            let rot = y.pixel(self.forest.rot[trunk.index()] * most);
            scene.points.push([(left + right) / 2.0, rot, 4.0], mark(trunk, dots, slot::MUTED));
            if let Some(there) = other(i) {
                let level = y.pixel(there.min(most));
                scene.links.push([left, level, right, level], mark(trunk, line, slot::MUTED));
            }
            if let Some(&next) = trunks.get(i + 1) {
                let pair = Mark { to: next.0, ..mark(trunk, band, (i % 24) as u16) };
                let (from, to) = (y.pixel(0.0), y.pixel(0.0));
                scene.ribbons.push([right, from - 8.0, from, x.pixel(i as f64 + 1.0), to - 8.0, to], pair);
            }
        }
        scene.end();
        let below = Rect { x: 60.0, y: h / 2.0 + 10.0, w: w - 80.0, h: h / 2.0 - 30.0 };
        scene.begin(Plot { rect: below, title: "Rot".to_owned(), ..Plot::default() });
        let cells = trunks.len().max(1) as u32;
        let mut grid = Grid::new([below.x, below.y, below.w, 24.0], cells, 1, mark(NodeId(NONE), ground, 0));
        grid.level = trunks.iter().map(|t| (self.forest.rot[t.index()] * 255.0) as u8).collect();
        scene.grids.push(grid.ramp(Ramp::MORE));
        let half = below.y + below.h / 2.0;
        scene.polygons.push(
            [(below.x, half), (below.x + 40.0, half + 20.0), (below.x, half + 40.0)],
            mark(NodeId::ROOT, ground, 3),
        );
        scene.areas.push(Area {
            name: "rot".to_owned(),
            mark: mark(NodeId::ROOT, ground, 5),
            x: below.x,
            cell: below.w / cells as f32,
            y0: vec![below.y + below.h; cells as usize],
            y1: trunks
                .iter()
                .map(|t| below.y + below.h * (1.0 - self.forest.rot[t.index()] as f32 / 3.0))
                .collect(),
        });
        scene.end();
        scene.legend.push(LegendItem::of(boxes, 0, "volume"));
        Drawn::scene(scene, trunks.len())
    }

    /// Grows year by year, tells how far it is, and shows a draft halfway.
    fn growth(&self, look: &Look, job: &Job<'_>) -> Result<Drawn, Refusal> {
        let years = look.option("years").and_then(|text| text.parse::<f64>().ok()).unwrap_or(10.0) as usize;
        let mut volume = self.forest.volume[0] as f64;
        for year in 0..years {
            job.progress(year as f32 / years as f32, "growing")?;
            if year == years / 2 {
                job.draft(self.rings(look, &[]));
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
            volume *= 1.01;
        }
        let mut drawn = self.rings(look, &[]);
        if let crosscut_workbench::Shown::Scene(scene) = &mut drawn.shown {
            scene.note = Some(format!("{volume:.0} after {years} years"));
        }
        Ok(drawn)
    }
}

impl Domain for Timber {
    fn word(&self) -> &'static str {
        ENTRY.word
    }

    fn time(&self) -> Option<Span> {
        Some(Span(0.0, 1000.0))
    }

    fn places(&self) -> usize {
        4
    }

    fn trees(&self) -> &[TreeDecl] {
        TREES
    }

    fn forest(&self, tree: &TreeRef, _job: &Job<'_>) -> Result<Arc<dyn Forest>, Refusal> {
        match tree.key.name.as_str() {
            "logs" => Ok(self.forest.clone()),
            other => Err(Refusal::new(format!("there is no tree {other}"))),
        }
    }

    fn views(&self) -> &[View] {
        VIEWS
    }

    fn draw(&self, look: &Look, with: &[&dyn Domain], job: &Job<'_>) -> Result<Drawn, Refusal> {
        match look.view.as_str() {
            "timber.stand" => self.stand(look, job),
            "timber.growth" => self.growth(look, job),
            _ => Ok(self.rings(look, with)),
        }
    }

    fn act(&self, call: &ActCall, look: &mut Look, _job: &Job<'_>) -> Result<Did, Refusal> {
        let tree = self.forest.tree();
        let largest = tree.children(NodeId::ROOT).max_by_key(|trunk| self.forest.volume[trunk.index()]);
        let largest = largest.filter(|_| call.name == "largest").ok_or_else(|| Refusal::new("no trunk"))?;
        let mut cut = Cut::closed();
        cut.open(tree, NodeId::ROOT);
        cut.open(tree, largest);
        look.trees.entry(crosscut_workbench::TreeKey::named("logs")).or_default().cut = cut.to_text();
        Ok(Did { select: Some(Selection::node(look.run, "logs", largest)), ..Did::default() })
    }

    fn losses(&self, _scope: &Scope, job: &Job<'_>) -> Result<Vec<Loss>, Refusal> {
        let rotten =
            job.lens(&TreeRef::named("logs"), &LensSpec { name: "rotten".to_owned(), value: None })?;
        let mut show = Look::of("timber.stand", job.run);
        show.selected = rotten.worst.map(|node| Selection::node(job.run, "logs", node));
        Ok(vec![Loss {
            cause: "rot",
            claim: 1,
            line: None,
            cost: rotten.cost,
            without: None,
            how: How::Bound,
            behind: false,
            hatch: (crosscut_scene::Fill::Rings, 0),
            stretches: Vec::new(),
            ranks: Vec::new(),
            what: format!("{} logs are rotten", rotten.lens.chosen().len()),
            evidence: "More than nine tenths of each cannot be sold.".to_owned(),
            advice: rotten.advice.clone(),
            picture: Some(Look::of("timber.rings", job.run)),
            show,
        }])
    }

    fn account(&self, _found: Option<&Found>, job: &Job<'_>) -> Result<Vec<Block>, Refusal> {
        let text = format!("A stand of {} trunks", self.forest.tree().child_count(NodeId::ROOT));
        let look = Box::new(Look::of("timber.rings", job.run));
        Ok(vec![
            Block::Text { text, tone: Tone::Headline },
            Block::Show { title: "Rings".to_owned(), look, height: 160.0, slow: false },
        ])
    }

    fn overview(&self, _found: Option<&Found>, _job: &Job<'_>) -> Result<Vec<Block>, Refusal> {
        Ok(Vec::new())
    }

    fn compare(&self, with: &dyn Domain, _job: &Job<'_>) -> Result<Vec<Block>, Refusal> {
        let other =
            with.as_any().downcast_ref::<Timber>().ok_or_else(|| Refusal::new("another kind of domain"))?;
        let (here, there) = (self.forest.volume[0], other.forest.volume[0]);
        let cell = Cell::Difference {
            here: here as f64,
            there: there as f64,
            text: format!("{here} against {there}"),
        };
        Ok(vec![Block::Facts { rows: vec![Fact::new("Volume", cell)] }])
    }

    fn columns(&self, of: Shared, sets: &[Vec<u32>], _job: &Job<'_>) -> Vec<SharedColumn> {
        let tree = self.forest.tree();
        let trunks = tree.children(NodeId::ROOT).take(8);
        let values: Vec<f64> = match of {
            Shared::Lines => trunks.map(|trunk| self.forest.volume[trunk.index()] as f64).collect(),
            Shared::Places => vec![1.0, 2.0, 3.0, 4.0],
        };
        let felled = Metric::new("felled", Unit::Count, Rule::Sum).titled("Felled");
        vec![SharedColumn::sums(felled, &values, sets)]
    }

    fn json(
        &self,
        topic: Topic,
        _job: &Job<'_>,
    ) -> Result<serde_json::Map<String, serde_json::Value>, Refusal> {
        let mut map = serde_json::Map::new();
        if topic == Topic::Info {
            map.insert("timber".to_owned(), self.forest.volume[0].into());
        }
        Ok(map)
    }

    fn export(&self, form: &str, lens: Option<&LensSpec>) -> Result<Exported<'_>, Refusal> {
        if form != "bill" {
            return Err(Refusal::new(format!("there is no form {form}")));
        }
        let notes = lens.map(|lens| format!("{} is not marked on a bill", lens.name)).into_iter().collect();
        let write = |out: &mut dyn Write| {
            let tree = self.forest.tree();
            tree.children(NodeId::ROOT).try_for_each(|trunk| {
                writeln!(out, "{} {}", self.forest.name(trunk), self.forest.volume[trunk.index()])
            })
        };
        Ok(Exported { notes, write: Box::new(write) })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
