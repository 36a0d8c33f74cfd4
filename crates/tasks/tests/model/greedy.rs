//! A greedy scheduler over the explicit DAG, interval by interval, with lists that are searched from end to end. Workers
//! go on with their task while they can, then take their own newest, else the oldest of the next worker that has some.

use crosscut_tasks::schema::Edge;

use super::Program;

/// How an interval ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    pub worker: usize,
    pub start: i64,
    pub end: i64,
}

pub struct Greedy<'a> {
    program: &'a Program,
    /// By interval: what it takes, and what its task spends before on tasks that it waited for.
    pub length: Vec<i64>,
    pub before: Vec<i64>,
    after: Vec<Vec<(usize, Edge)>>,
    missing: Vec<usize>,
    ready: Vec<Vec<usize>>,
    /// By worker: what it runs, and until when.
    busy: Vec<Option<(usize, i64)>>,
    now: i64,
    ran: Vec<Option<Ran>>,
}

impl<'a> Greedy<'a> {
    pub fn new(program: &'a Program, workers: usize) -> Self {
        let n = program.nodes.len();
        let (mut after, mut missing) = (vec![Vec::new(); n], vec![0; n]);
        for (from, to, edge) in program.all_edges() {
            after[from].push((to, edge));
            missing[to] += 1;
        }
        Greedy {
            program,
            length: program.nodes.iter().map(|node| node.length).collect(),
            before: vec![0; n],
            after,
            missing,
            ready: vec![Vec::new(); workers],
            busy: vec![None; workers],
            now: 0,
            ran: vec![None; n],
        }
    }

    /// Adds what creating and waiting cost for each task that was created.
    pub fn add_overhead(&mut self, create: i64, sync: i64) {
        use crosscut_tasks::schema::Kind;
        let edges = self.program.edges();
        for (node, length) in self.length.iter_mut().enumerate() {
            if self.program.nodes[node].kind == Kind::Create {
                *length += create;
            }
        }
        for (section, tasks) in self.program.joined().iter().enumerate() {
            let created = |&&task: &&usize| self.program.nodes[task - 1].kind == Kind::Create;
            let cost = sync * tasks.iter().filter(created).count() as i64;
            if let Some(wait) = self.program.wait(section) {
                let next = edges.iter().find(|edge| edge.0 == wait && edge.2 == Edge::WaitCont);
                self.before[next.expect("something follows a wait").1] += cost;
            }
        }
    }

    pub fn work(&self) -> i64 {
        let leaves = self.program.leaves(0);
        leaves.iter().map(|&leaf| self.length[leaf] + self.before[leaf]).sum()
    }

    /// T∞: every interval starts as early as it may.
    pub fn span(&self) -> i64 {
        let leaves = self.program.leaves(0);
        let mut end = vec![0; self.program.nodes.len()];
        let mut ready = end.clone();
        for leaf in leaves {
            end[leaf] = ready[leaf] + self.before[leaf] + self.length[leaf];
            for &(to, _) in &self.after[leaf] {
                ready[to] = ready[to].max(end[leaf]);
            }
        }
        end.into_iter().max().unwrap_or(0)
    }

    /// How every interval runs, by node.
    pub fn run(mut self) -> Vec<Option<Ran>> {
        self.ready[0].push(self.program.first_leaf(0));
        let mut idle: Vec<usize> = (0..self.busy.len()).rev().collect();
        loop {
            while self.ready.iter().any(|list| !list.is_empty())
                && let Some(worker) = idle.pop()
            {
                if !self.take(worker) {
                    idle.push(worker);
                    break;
                }
            }
            let running = self.busy.iter().enumerate().filter_map(|(w, busy)| Some((busy.as_ref()?.1, w)));
            let Some((now, worker)) = running.min() else { return self.ran };
            self.now = now;
            let (leaf, _) = self.busy[worker].take().expect("it runs");
            let goes_on = self.end(leaf, worker).is_some_and(|next| self.begin(next, worker));
            if !goes_on && !self.take(worker) {
                idle.push(worker);
            }
        }
    }

    fn take(&mut self, worker: usize) -> bool {
        let workers = self.ready.len();
        loop {
            let leaf = match self.ready[worker].pop() {
                Some(leaf) => leaf,
                None => {
                    let others = (1..workers).map(|k| (worker + k) % workers);
                    let Some(victim) = others.into_iter().find(|&v| !self.ready[v].is_empty()) else {
                        return false;
                    };
                    self.ready[victim].remove(0)
                }
            };
            if self.begin(leaf, worker) {
                return true;
            }
        }
    }

    /// Runs a task from an interval on until time passes; whether it does.
    fn begin(&mut self, mut leaf: usize, worker: usize) -> bool {
        loop {
            let start = self.now + self.before[leaf];
            let end = start + self.length[leaf];
            assert!(self.ran[leaf].is_none(), "{leaf} runs twice");
            self.ran[leaf] = Some(Ran { worker, start, end });
            if end > self.now {
                self.busy[worker] = Some((leaf, end));
                return true;
            }
            match self.end(leaf, worker) {
                Some(next) => leaf = next,
                None => return false,
            }
        }
    }

    /// Ends an interval. Returns with what its task goes on at once.
    fn end(&mut self, leaf: usize, worker: usize) -> Option<usize> {
        let mut next = None;
        for (to, edge) in self.after[leaf].clone() {
            self.missing[to] -= 1;
            if self.missing[to] > 0 {
                continue;
            }
            match edge {
                Edge::Create | Edge::End => self.ready[worker].push(to),
                _ => next = Some(to),
            }
        }
        next
    }
}
