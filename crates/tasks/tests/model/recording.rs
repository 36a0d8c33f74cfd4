//! What a recorder keeps of a run: the tree with its intervals, parts of it perhaps collapsed to exact aggregates, written
//! through [`TaskWriter`] and [`finish`] and opened again.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crosscut_run::{NO_SITE, Place, Places, Run, RunWriter, SEVERAL, Source, Sources, SourcesBuilder};
use crosscut_tasks::schema::{Beside, Chunk, Collapsed, Depend, Edge, Kind, Mark, TaskWriter};
use crosscut_tasks::{Tasks, finish};
use tempfile::TempDir;

use super::reference::longest;
use super::{Chance, Program, Schedule};

/// What is collapsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folding {
    None,
    /// Subtrees that one worker ran, as the recorder does.
    OneWorker,
    /// Those, and now and then one that several ran.
    Several,
}

/// A node that was kept.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// The node of the program.
    pub model: usize,
    pub len: usize,
    pub parent: usize,
    pub collapsed: bool,
}

/// A kept interval or collapsed node, as the definitions see it.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its number among the kept nodes.
    pub node: usize,
    pub row: usize,
    pub start: i64,
    pub end: i64,
    pub work: i64,
    pub ready: i64,
    pub last_start: i64,
    /// Ready time inside by edge.
    pub waited: [i64; 5],
}

#[derive(Clone, Debug)]
pub struct Recording {
    pub program: Program,
    pub schedule: Schedule,
    pub workers: usize,
    pub kept: Vec<Kept>,
    /// By node of the program: which kept node stands for it.
    pub kept_as: Vec<usize>,
    /// Locks and processor times, by numbers of kept nodes.
    pub beside: Beside,
    /// What else the recorder leaves in the manifest.
    pub facts: Vec<(&'static str, i64)>,
    /// What counters counted, by name and by number of kept node.
    pub counters: Vec<(&'static str, Vec<i64>)>,
    /// By chunk: its first iteration. Those that are not here have one of their own.
    pub firsts: BTreeMap<usize, i64>,
}

/// An opened run with the directory that holds it.
pub struct Opened {
    pub tasks: Tasks,
    pub dir: TempDir,
}

/// A directory in memory where there is one: making a run durable must not wait for a disk here.
pub fn fresh_dir() -> TempDir {
    let shm = Path::new("/dev/shm");
    let made = if shm.is_dir() { TempDir::new_in(shm) } else { TempDir::new() };
    made.expect("a temporary directory")
}

/// Whether a recorder could keep a node by its aggregates alone: whatever is created below it is waited for there.
fn closed(program: &Program, node: usize) -> bool {
    let below = program.below(node);
    let inside = |n: &usize| *n != node && below.contains(n);
    below.iter().all(|&n| match program.nodes[n].kind {
        Kind::Section => program.wait(n).is_some(),
        Kind::Fork | Kind::Chunk => false,
        Kind::Task => n == node || program.joiner(n).is_some_and(|section| below.contains(&section)),
        _ => true,
    }) && !program.depends.iter().any(|(to, from)| inside(to) || inside(from))
}

impl Recording {
    /// The same with every moment so many times as late.
    pub fn slowed(mut self, factor: i64) -> Self {
        self.program.nodes.iter_mut().for_each(|node| node.length *= factor);
        let Schedule { start, end, ready, .. } = &mut self.schedule;
        [start, end, ready].into_iter().flatten().for_each(|time| *time *= factor);
        self
    }

    pub fn new(
        program: Program,
        schedule: Schedule,
        workers: usize,
        folding: Folding,
        chance: &mut Chance,
    ) -> Self {
        let mut collapse = |node: usize| {
            if folding == Folding::None || program.is_leaf(node) {
                return false;
            }
            if !closed(&program, node) {
                return false;
            }
            let leaves = program.leaves(node);
            let alone = leaves.iter().all(|&l| schedule.worker[l] == schedule.worker[leaves[0]]);
            let often = if node == 0 { 1 } else { 6 };
            chance.tenths(if alone { often } else { u8::from(folding == Folding::Several) })
        };
        let mut kept: Vec<Kept> = Vec::new();
        let mut kept_as = vec![0; program.nodes.len()];
        for node in 0..program.nodes.len() {
            let above = program.nodes[node].parent.map(|p| kept_as[p]);
            if let Some(above) = above
                && kept[above].collapsed
            {
                kept_as[node] = above;
                continue;
            }
            kept_as[node] = kept.len();
            kept.push(Kept { model: node, len: 1, parent: above.unwrap_or(0), collapsed: collapse(node) });
        }
        for i in (1..kept.len()).rev() {
            let Kept { parent, len, .. } = kept[i];
            kept[parent].len += len;
        }
        Recording {
            program,
            schedule,
            workers,
            kept,
            kept_as,
            beside: Beside::default(),
            facts: Vec::new(),
            counters: Vec::new(),
            firsts: BTreeMap::new(),
        }
    }

    /// Everything is kept.
    pub fn whole(program: Program, schedule: Schedule, workers: usize) -> Self {
        Recording::new(program, schedule, workers, Folding::None, &mut Chance::new(0))
    }

    pub fn leaves(&self, node: usize) -> Vec<usize> {
        self.program.leaves(self.kept[node].model)
    }

    pub fn is_block(&self, node: usize) -> bool {
        self.kept[node].len == 1
    }

    pub fn elapsed(&self) -> i64 {
        *self.schedule.end.iter().max().expect("nodes")
    }

    /// Number and kinds of the intervals inside a kept node.
    pub fn counts(&self, node: usize) -> [i64; Kind::LEAVES.len()] {
        let mut counts = [0; Kind::LEAVES.len()];
        for leaf in self.leaves(node) {
            counts[self.program.nodes[leaf].kind.leaf().expect("an interval")] += 1;
        }
        counts
    }

    pub fn work(&self, node: usize) -> i64 {
        self.leaves(node).iter().map(|&l| self.program.nodes[l].length).sum()
    }

    /// Edges with both ends inside a kept node.
    pub fn edges(&self, node: usize, all: &[(usize, usize, Edge)]) -> [i64; 5] {
        let leaves = self.leaves(node);
        let inside = |leaf: &usize| leaves.binary_search(leaf).is_ok();
        let mut edges = [0; 5];
        for (_, _, edge) in all.iter().filter(|(from, to, _)| inside(from) && inside(to)) {
            edges[*edge as usize] += 1;
        }
        edges
    }

    /// Time that intervals inside waited, by edge.
    pub fn waited(&self, node: usize) -> [i64; 5] {
        let mut waited = [0; 5];
        for leaf in self.leaves(node) {
            let s = &self.schedule;
            waited[s.edge[leaf] as usize] += s.start[leaf] - s.ready[leaf];
        }
        waited
    }

    /// The worker that ran all of a kept node, and the core if it was one.
    pub fn place(&self, node: usize) -> (Option<usize>, Option<i64>) {
        let s = &self.schedule;
        let leaves = self.leaves(node);
        let same = |get: &dyn Fn(usize) -> i64| leaves.iter().all(|&l| get(l) == get(leaves[0]));
        if !same(&|l| s.worker[l] as i64) {
            return (None, None);
        }
        let core = same(&|l| s.core[l]).then_some(s.core[leaves[0]]).filter(|&core| core >= 0);
        (Some(s.worker[leaves[0]]), core)
    }

    pub fn block(&self, node: usize) -> Block {
        let leaves = self.leaves(node);
        let (start, end) = self.schedule.hull(&leaves);
        Block {
            node,
            row: self.place(node).0.unwrap_or(self.workers),
            start,
            end,
            work: self.work(node),
            ready: self.schedule.ready[leaves[0]],
            last_start: leaves.iter().map(|&l| self.schedule.start[l]).max().expect("an interval"),
            waited: self.waited(node),
        }
    }

    /// Intervals and collapsed nodes, in pre-order.
    pub fn blocks(&self) -> Vec<Block> {
        (0..self.kept.len()).filter(|&n| self.is_block(n)).map(|n| self.block(n)).collect()
    }

    /// Writes the run and opens it.
    pub fn open(&self) -> Opened {
        let dir = fresh_dir();
        let run = self.write(&dir.path().join("made.crosscut"));
        Opened { tasks: Tasks::open(run).expect("a sound task tree"), dir }
    }

    pub fn write(&self, target: &Path) -> Run {
        let mut run = RunWriter::create(target).expect("a new run");
        let mut places = Places::workers(self.workers).expect("few workers");
        let mut tasks = self.fill(&run, &mut places);
        for (counter, (name, values)) in self.counters.iter().enumerate() {
            tasks.add_counter(&run, name).expect("a column");
            for (node, value) in values.iter().enumerate() {
                tasks.counters[counter].1[node] = *value;
            }
        }
        if !self.program.lines.is_empty() {
            run.put_sources(&self.sources().0).expect("tables");
        }
        let facts = self.facts.iter().map(|&(name, number)| (name.to_owned(), number.into()));
        run.manifest().facts.extend(facts);
        finish(&mut run, tasks, &places).expect("finished");
        run.finish().expect("a run")
    }

    /// The lines of the program, source `n` being line `n` of `model.c`, and the site of each node that has lines.
    fn sources(&self) -> (Sources, HashMap<usize, u32>) {
        let mut builder = SourcesBuilder::new();
        let last = self.program.lines.values().map(|&(from, to)| from.max(to)).max().unwrap_or(0);
        for line in 0..=last {
            builder.source(Source { file: "model.c".into(), line: line.into(), function: "run".into() });
        }
        let sites =
            self.program.lines.iter().map(|(&node, &(from, to))| (node, builder.site(from, to))).collect();
        (builder.finish(), sites)
    }

    pub fn fill(&self, run: &RunWriter, places: &mut Places) -> TaskWriter {
        let mut tasks = TaskWriter::new(run, self.kept.len()).expect("columns");
        let all = if self.kept.iter().any(|k| k.collapsed) { self.program.edges() } else { Vec::new() };
        let mut first_leaf = vec![0; self.program.nodes.len()];
        let mut next = 0;
        for node in (0..first_leaf.len()).rev() {
            next = if self.program.is_leaf(node) { node } else { next };
            first_leaf[node] = next;
        }
        let sites = self.sources().1;
        for (i, kept) in self.kept.iter().enumerate() {
            let first = first_leaf[kept.model];
            tasks.len[i] = kept.len as u32;
            tasks.parent[i] = kept.parent as u32;
            let kind = self.program.nodes[kept.model].kind;
            let edge = self.schedule.edge[first];
            tasks.mark[i] = match (self.program.nodes[kept.model].deep, kind) {
                (true, Kind::Section) => Mark::chunk_section(edge).0,
                (true, _) => Mark::deep_wait(edge).0,
                (false, _) => Mark::new(kind, edge, kept.collapsed).0,
            };
            if kind == Kind::Chunk {
                let first = self.firsts.get(&self.kept[i].model).copied().unwrap_or(10 * i as i64);
                tasks.chunks.push(Chunk { node: i as u32, first, count: 1 + i as i64 });
            }
            tasks.site[i] = sites.get(&kept.model).copied().unwrap_or(NO_SITE);
            if !self.is_block(i) {
                continue;
            }
            if !kept.collapsed {
                tasks.start[i] = self.schedule.start[first];
                tasks.end[i] = self.schedule.end[first];
                let (worker, core) = (self.schedule.worker[first], self.schedule.core[first]);
                tasks.place[i] = places.intern(worker, core).expect("few places");
                continue;
            }
            let block = self.block(i);
            (tasks.start[i], tasks.end[i]) = (block.start, block.end);
            tasks.span[i] = longest(&self.program, &self.leaves(i), &all);
            tasks.place[i] = match self.place(i) {
                (Some(worker), core) => places.intern(worker, core.unwrap_or(-1)).expect("few places"),
                (None, _) => SEVERAL,
            };
            tasks.collapsed.push(Collapsed {
                node: i as u32,
                work: block.work,
                first_ready: block.ready,
                last_start: block.last_start,
                ready: block.waited,
                nodes: self.counts(i)[..4].try_into().expect("four kinds"),
                edges: self.edges(i, &all),
            });
        }
        for &(to, from) in &self.program.depends {
            tasks.depends.push(Depend { to: self.kept_as[to] as u32, from: self.kept_as[from] as u32 });
        }
        tasks.beside = self.beside.clone();
        tasks
    }

    /// The place of a worker on a core, as the run keeps it.
    pub fn place_of(worker: usize, core: i64) -> Place {
        Place { process: 0, worker: worker as i64, core }
    }

    pub fn kind(&self, node: usize) -> Kind {
        self.program.nodes[self.kept[node].model].kind
    }

    pub fn children(&self, node: usize) -> Vec<usize> {
        if self.is_block(node) {
            return Vec::new();
        }
        self.program.nodes[self.kept[node].model].children.iter().map(|&c| self.kept_as[c]).collect()
    }
}
