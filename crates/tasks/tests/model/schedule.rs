//! When and where each interval ran: any order that respects the edges of the DAG, on workers that do one thing at a time.

use crosscut_tasks::schema::Edge;

use super::{Chance, Program, Ran};

/// How a random schedule behaves.
#[derive(Clone, Copy, Debug)]
pub struct Manners {
    /// The longest interval.
    pub longest: i64,
    /// The longest pause before an interval starts.
    pub pause: i64,
    /// In how many of ten cases an interval runs where its predecessor ran.
    pub stay: u8,
    /// Cores per worker.
    pub cores: usize,
}

/// By node of the program; what is said of inner nodes has no meaning.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    pub start: Vec<i64>,
    pub end: Vec<i64>,
    pub worker: Vec<usize>,
    pub core: Vec<i64>,
    /// When all predecessors had ended, and the edge that was last.
    pub ready: Vec<i64>,
    pub edge: Vec<Edge>,
}

impl Schedule {
    fn nothing(n: usize) -> Self {
        Schedule {
            start: vec![0; n],
            end: vec![0; n],
            worker: vec![0; n],
            core: vec![-1; n],
            ready: vec![0; n],
            edge: vec![Edge::Create; n],
        }
    }

    /// Runs the program: `choose` picks one of the intervals that could run, `place` says for it the worker, the core and
    /// the pause before it starts.
    pub fn run(
        program: &Program,
        workers: usize,
        mut choose: impl FnMut(&[usize]) -> usize,
        mut place: impl FnMut(usize, Option<usize>) -> (usize, i64, i64),
    ) -> Self {
        let n = program.nodes.len();
        let mut made = Schedule::nothing(n);
        let mut after: Vec<Vec<(usize, Edge)>> = vec![Vec::new(); n];
        let mut before: Vec<Vec<(usize, Edge)>> = vec![Vec::new(); n];
        for (from, to, edge) in program.all_edges() {
            after[from].push((to, edge));
            before[to].push((from, edge));
        }
        let mut missing: Vec<usize> = before.iter().map(Vec::len).collect();
        let mut free = vec![0; workers];
        let mut pool = vec![program.first_leaf(0)];
        while !pool.is_empty() {
            let leaf = pool.remove(choose(&pool));
            // The edge that came last made it ready; of a section that ended with its wait, the wait.
            let wait_first = |edge: Edge| u8::from(edge != Edge::End);
            let last = before[leaf].iter().max_by_key(|(from, edge)| (made.end[*from], wait_first(*edge)));
            if let Some(&(from, edge)) = last {
                made.ready[leaf] = made.end[from];
                made.edge[leaf] = edge;
            }
            let (worker, core, pause) = place(leaf, last.map(|&(from, _)| made.worker[from]));
            made.start[leaf] = made.ready[leaf].max(free[worker]) + pause;
            made.end[leaf] = made.start[leaf] + program.nodes[leaf].length;
            (made.worker[leaf], made.core[leaf]) = (worker, core);
            free[worker] = made.end[leaf];
            for &(to, _) in &after[leaf] {
                missing[to] -= 1;
                if missing[to] == 0 {
                    pool.push(to);
                }
            }
        }
        made
    }

    pub fn random(program: &Program, chance: &mut Chance, workers: usize, manners: Manners) -> Self {
        let mut order = chance.clone();
        let lifo = order.tenths(3);
        let choose = |pool: &[usize]| if lifo { pool.len() - 1 } else { order.index(pool.len()) };
        let place = |_, near: Option<usize>| {
            let worker = match near {
                Some(near) if chance.tenths(manners.stay) => near,
                _ => chance.index(workers),
            };
            let core = if manners.cores == 1 {
                worker as i64
            } else {
                (worker + workers * chance.index(manners.cores)) as i64
            };
            let pause = if chance.tenths(3) { chance.within(0, manners.pause) } else { 0 };
            (worker, core, pause)
        };
        Schedule::run(program, workers, choose, place)
    }

    /// Whoever is free first takes what was ready first: as soon as possible, nothing lost.
    pub fn greedy(program: &Program, workers: usize) -> Self {
        let n = program.nodes.len();
        let mut made = Schedule::nothing(n);
        let (mut after, mut missing) = (vec![Vec::new(); n], vec![0; n]);
        for (from, to, edge) in program.all_edges() {
            after[from].push((to, edge));
            missing[to] += 1;
        }
        let mut free = vec![0i64; workers];
        // (ready, leaf): what is ready first goes first, in the program's order.
        let mut pool = std::collections::BTreeSet::from([(0i64, program.first_leaf(0))]);
        let mut wait_ended = vec![i64::MIN; n];
        while let Some((ready, leaf)) = pool.pop_first() {
            let worker = (0..workers).min_by_key(|&w| (free[w].max(ready), w)).expect("a worker");
            made.worker[leaf] = worker;
            made.ready[leaf] = ready;
            made.start[leaf] = free[worker].max(ready);
            made.end[leaf] = made.start[leaf] + program.nodes[leaf].length;
            free[worker] = made.end[leaf];
            for &(to, edge) in &after[leaf] {
                missing[to] -= 1;
                let end = made.end[leaf];
                if edge != Edge::End {
                    wait_ended[to] = end;
                    (made.ready[to], made.edge[to]) = (made.ready[to].max(end), edge);
                } else {
                    made.ready[to] = made.ready[to].max(end);
                }
                if missing[to] == 0 {
                    if made.ready[to] > wait_ended[to] {
                        made.edge[to] = Edge::End;
                    }
                    pool.insert((made.ready[to], to));
                }
            }
        }
        made
    }

    /// As a scheduler of workers that take their own newest first ran it.
    pub fn ran(program: &Program, ran: &[Option<Ran>]) -> Self {
        let mut made = Schedule::nothing(program.nodes.len());
        for (node, ran) in ran.iter().enumerate() {
            if let Some(ran) = ran {
                (made.start[node], made.end[node], made.worker[node]) = (ran.start, ran.end, ran.worker);
            }
        }
        for (from, to, edge) in program.all_edges() {
            let end = made.end[from];
            if end > made.ready[to] || end == made.ready[to] && edge != Edge::End {
                (made.ready[to], made.edge[to]) = (end, edge);
            }
        }
        made
    }

    /// Ends as late as any of these intervals, begins as early.
    pub fn hull(&self, leaves: &[usize]) -> (i64, i64) {
        let start = leaves.iter().map(|&l| self.start[l]).min().expect("an interval");
        let end = leaves.iter().map(|&l| self.end[l]).max().expect("an interval");
        (start, end)
    }
}
