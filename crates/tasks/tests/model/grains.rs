//! The grain graph by its definition: an explicit graph of grains, forks and joins, reduced by matching patterns one at a
//! time, then normalised and separated by building new trees. Small programs only.

use crosscut_tasks::schema::Kind;

use super::{Program, Schedule};

/// A tree of groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Group {
    Grain(usize),
    Linear(Vec<Group>),
    ForkJoin(Vec<Group>),
    /// What separation puts aside.
    Aside(Vec<Group>),
}

/// One after the other: grains, and joins with what each of their members does.
type Chain = Vec<Element>;

#[derive(Clone, Debug)]
enum Element {
    Grain(usize),
    Join(Vec<Chain>),
}

/// A program seen as grains.
pub struct GrainModel<'a> {
    program: &'a Program,
    /// By task: the section that joins it.
    join: Vec<Option<usize>>,
}

impl<'a> GrainModel<'a> {
    pub fn new(program: &'a Program) -> Self {
        let mut model = GrainModel { program, join: Vec::new() };
        let join = (0..program.nodes.len()).map(|n| model.join_of(n)).collect();
        model.join = join;
        model
    }

    fn kind(&self, node: usize) -> Kind {
        self.program.nodes[node].kind
    }

    /// The task or the chunk to which a node belongs.
    fn frame(&self, node: usize) -> usize {
        let mut around = self.program.ancestors(node);
        around.find(|&n| self.kind(n) == Kind::Task || self.is_chunk(n)).expect("the root is a task")
    }

    /// A chunk that holds sections.
    fn is_chunk(&self, node: usize) -> bool {
        self.program.is_chunk_section(node)
    }

    /// Whether what is left behind in the sections of a task or chunk is joined there.
    fn gathers(&self, frame: usize) -> bool {
        frame == 0 || self.is_lane(frame) || self.is_chunk(frame)
    }

    /// Whether a member of a team has chunks that hold sections, and tasks.
    fn has_busy_chunks(&self, lane: usize) -> bool {
        let creates = self.program.below(lane).iter().any(|&n| self.kind(n) == Kind::Create);
        creates && self.own(lane).iter().any(|&n| self.is_chunk(n))
    }

    pub fn is_lane(&self, task: usize) -> bool {
        task > 0
            && self.kind(task) == Kind::Task
            && self.kind(task - 1) == Kind::Fork
            && self.program.nodes[task].parent == self.program.nodes[task - 1].parent
    }

    /// The nodes that belong to a task itself.
    fn own(&self, task: usize) -> Vec<usize> {
        (task + 1..self.program.nodes.len()).filter(|&n| self.frame_of(n) == Some(task)).collect()
    }

    fn frame_of(&self, node: usize) -> Option<usize> {
        (self.kind(node) != Kind::Task).then(|| self.frame(node))
    }

    /// Whether a task is a grain.
    fn is_grain(&self, task: usize) -> bool {
        let own = self.own(task);
        let lanes = (1..self.program.nodes.len()).filter(|&n| self.is_lane(n) && self.frame(n) == task);
        let creates = own.iter().any(|&n| self.kind(n) == Kind::Create)
            || lanes.into_iter().any(|lane| self.has_busy_chunks(lane));
        if task == 0 {
            let chunks = own.iter().any(|&n| self.kind(n) == Kind::Chunk || self.is_chunk(n));
            return creates || chunks || !self.has_grains(0);
        }
        creates || !self.is_lane(task)
    }

    fn has_grains(&self, node: usize) -> bool {
        self.program.below(node).iter().any(|&n| matches!(self.kind(n), Kind::Create | Kind::Chunk))
    }

    fn join_of(&self, task: usize) -> Option<usize> {
        if self.kind(task) != Kind::Task || task == 0 {
            return None;
        }
        let own = self.program.nodes[task].parent?;
        let sections =
            self.program.ancestors(task).filter(|&n| self.kind(n) == Kind::Section && !self.is_chunk(n));
        for section in sections {
            let wait = self.program.wait(section);
            let deep = wait.is_some_and(|wait| self.program.nodes[wait].deep);
            if deep || self.gathers(self.frame(section)) || (section == own && wait.is_some()) {
                return Some(section);
            }
        }
        None
    }

    /// A task as a chain; chunks of a member of a team run beside it.
    fn chain(&self, task: usize) -> Chain {
        let mut chain = Vec::new();
        if self.is_grain(task) {
            chain.push(Element::Grain(task));
        }
        self.joins(task, &mut chain);
        if !self.is_lane(task) {
            let chunks = self.chunks(task);
            if !chunks.is_empty() {
                chain.push(Element::Join(chunks));
            }
        }
        chain
    }

    /// The chunks of a task, or of the sections in a chunk. Those that hold sections join what was created there.
    fn chunks(&self, frame: usize) -> Vec<Chain> {
        let mut chunks = Vec::new();
        for n in self.own(frame) {
            if self.is_chunk(n) {
                let last = *self.program.nodes[n].children.last().expect("the chunk itself");
                let mut chain = vec![Element::Grain(last)];
                self.joins(n, &mut chain);
                let inside = self.chunks(n);
                if !inside.is_empty() {
                    chain.push(Element::Join(inside));
                }
                chunks.push(chain);
            } else if self.kind(n) == Kind::Chunk && self.program.nodes[n].parent != Some(frame)
                || self.kind(n) == Kind::Chunk && !self.is_chunk(frame)
            {
                chunks.push(vec![Element::Grain(n)]);
            }
        }
        chunks
    }

    fn has_sections(&self, frame: usize) -> bool {
        self.own(frame).iter().any(|&n| self.is_chunk(n))
    }

    /// From which node on the sections in a section stand beside its tasks: the first that follows a task which takes part
    /// in its join.
    fn beside(&self, section: usize) -> usize {
        let joins = self.program.wait(section).is_some() || self.gathers(self.frame(section));
        let mut children = self.program.nodes[section].children.iter().copied();
        let takes_part = |&c: &usize| self.kind(c) == Kind::Task && (!self.is_lane(c) || self.has_grains(c));
        let first = children.find(takes_part).filter(|_| joins);
        let next = first.and_then(|_| children.find(|&c| self.kind(c) == Kind::Section && !self.is_chunk(c)));
        next.unwrap_or(usize::MAX)
    }

    /// The joins of the sections below a node of a task's own, in the order of their waits.
    fn joins(&self, node: usize, chain: &mut Chain) {
        self.inner(node, 0..usize::MAX, chain);
    }

    /// The same of the sections among some of its nodes.
    fn inner(&self, node: usize, among: std::ops::Range<usize>, chain: &mut Chain) {
        for &section in self.program.nodes[node].children.iter().filter(|&&c| self.kind(c) == Kind::Section) {
            if self.is_chunk(section) || !among.contains(&section) {
                continue;
            }
            let beside = self.beside(section);
            self.inner(section, 0..beside, chain);
            let mut inside = Chain::new();
            self.inner(section, beside..usize::MAX, &mut inside);
            let mut members: Vec<Chain> = Vec::new();
            let (mut chunks, mut is_busy) = (Vec::new(), false);
            for joined in (1..self.program.nodes.len()).filter(|&t| self.join[t] == Some(section)) {
                if joined > beside && !inside.is_empty() {
                    members.push(std::mem::take(&mut inside));
                }
                let member = self.chain(joined);
                if !member.is_empty() {
                    members.push(member);
                }
                if self.is_lane(joined) {
                    chunks.extend(self.chunks(joined));
                    is_busy |= self.has_sections(joined);
                }
            }
            if !inside.is_empty() {
                members.push(inside);
            }
            // A loop whose chunks hold sections is a join of its own. All chunks here are of one loop.
            if is_busy {
                members.push(vec![Element::Join(chunks)]);
            } else {
                members.extend(chunks);
            }
            if !members.is_empty() {
                chain.push(Element::Join(members));
            }
        }
    }

    /// The graph, reduced to one group and normalised.
    pub fn reduced(&self) -> (Graph, Group) {
        let graph = Graph::new(&self.chain(0));
        let group = normal(graph.clone().reduce());
        (graph, group)
    }

    /// Work of a grain.
    pub fn work(&self, node: usize) -> i64 {
        let around = self.program.nodes[node].parent.filter(|&around| self.is_chunk(around));
        if self.kind(node) == Kind::Chunk {
            let own = around.map_or(Vec::new(), |section| self.own(section));
            let intervals =
                own.into_iter().filter(|&n| self.program.is_leaf(n) && self.kind(n) != Kind::Chunk);
            return self.program.nodes[node].length
                + intervals.map(|n| self.program.nodes[n].length).sum::<i64>();
        }
        let own =
            self.own(node).into_iter().filter(|&n| self.program.is_leaf(n) && self.kind(n) != Kind::Chunk);
        own.map(|n| self.program.nodes[n].length).sum()
    }

    /// Longest way through a group.
    pub fn path(&self, group: &Group) -> i64 {
        match group {
            Group::Grain(node) => self.work(*node),
            Group::Linear(members) | Group::Aside(members) => members.iter().map(|m| self.path(m)).sum(),
            Group::ForkJoin(members) => {
                self.starts(members).iter().zip(members).map(|(at, m)| at + self.path(m)).max().unwrap_or(0)
            }
        }
    }

    /// When the members of a join start at the earliest.
    fn starts(&self, members: &[Group]) -> Vec<i64> {
        let mut ended: Vec<(usize, i64)> = Vec::new();
        let mut starts = vec![0; members.len()];
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by_key(|&m| first(&members[m]));
        for m in order {
            let task = self.task(&members[m]);
            let needs = |&(to, from): &(usize, usize)| (Some(to) == task).then_some(from);
            let needed: Vec<usize> = self.program.depends.iter().filter_map(needs).collect();
            let ends = ended.iter().filter(|(task, _)| needed.contains(task)).map(|end| end.1);
            starts[m] = ends.max().unwrap_or(0);
            if let Some(task) = task {
                ended.push((task, starts[m] + self.path(&members[m])));
            }
        }
        starts
    }

    /// The task that a member of a join stands for: a member of a team that is no grain stands for itself all the same.
    fn task(&self, group: &Group) -> Option<usize> {
        match group {
            Group::Grain(node) => (self.kind(*node) == Kind::Task).then_some(*node),
            Group::Linear(members) => match members.first() {
                Some(Group::Grain(node)) => Some(*node),
                _ => None,
            },
            _ => None,
        }
    }

    /// Every grain with its earliest start.
    pub fn earliest(&self, group: &Group, start: i64, out: &mut Vec<(usize, i64)>) {
        match group {
            Group::Grain(node) => out.push((*node, start)),
            Group::Linear(members) | Group::Aside(members) => {
                let mut now = start;
                for member in members {
                    self.earliest(member, now, out);
                    now += self.path(member);
                }
            }
            Group::ForkJoin(members) => {
                for (at, member) in self.starts(members).into_iter().zip(members) {
                    self.earliest(member, start + at, out);
                }
            }
        }
    }

    /// What it cost to create a task.
    fn creation(&self, task: usize, schedule: &Schedule) -> i64 {
        let program = self.program;
        let create = task - 1;
        let created = schedule.end[create];
        let next = self.next_on_spine(task);
        let goes_on = next.map_or(created, |next| schedule.start[next]);
        let first = program.leaves(task)[0];
        let ran_first = schedule.start[first] < goes_on && schedule.worker[first] == schedule.worker[create];
        (if ran_first { schedule.start[first] } else { goes_on } - created).max(0)
    }

    /// What the runtime took of the worker that stayed in a section, between what it ran there: own intervals, sections in it
    /// and tasks of it. 0 where it is not sure that nothing else ran in between.
    fn between(&self, join: usize, schedule: &Schedule) -> i64 {
        let program = self.program;
        let here = |leaf: usize| schedule.worker[leaf] == schedule.worker[program.leaves(join)[0]];
        let begin =
            |node: usize| program.leaves(node).into_iter().map(|leaf| schedule.start[leaf]).min().unwrap();
        let end =
            |node: usize| program.leaves(node).into_iter().map(|leaf| schedule.end[leaf]).max().unwrap();
        let children = &program.nodes[join].children;
        let mut ran: Vec<(i64, i64)> = Vec::new();
        let mut creations = 0;
        for (at, &child) in children.iter().enumerate() {
            match self.kind(child) {
                Kind::Task => {
                    let waits = program.depends.iter().any(|&(to, _)| to == child);
                    let ends = (here(program.leaves(child)[0]), here(program.last_leaf(child)));
                    if self.is_lane(child) || waits || ends.0 != ends.1 {
                        return 0;
                    }
                    creations += self.creation(child, schedule);
                    if ends.0 {
                        ran.push((begin(child), schedule.end[program.last_leaf(child)]));
                    }
                }
                Kind::Section => {
                    let next = children.get(at + 1).filter(|&&next| self.kind(next) != Kind::Task);
                    ran.push((begin(child), next.map_or(end(child), |&next| begin(next))));
                }
                _ if !here(child) => return 0,
                _ => ran.push((schedule.start[child], schedule.end[child])),
            }
        }
        let inside = program.below(join);
        let left_behind = inside.iter().any(|&task| {
            let is_left = self.join[task] != program.nodes[task].parent;
            let goes_out = self.join[task].is_none_or(|taken| taken == join || !inside.contains(&taken));
            self.kind(task) == Kind::Task
                && is_left
                && goes_out
                && (!self.is_lane(task) || self.has_grains(task))
        });
        if left_behind {
            return 0;
        }
        let last = ran.iter().map(|ran| ran.1).max().unwrap_or(0);
        let busy: i64 = ran.iter().map(|(from, to)| (to - from).max(0)).sum();
        (last - begin(join) - busy - creations).max(0)
    }

    /// What it cost to create and join a task.
    pub fn cost(&self, task: usize, schedule: &Schedule) -> i64 {
        let program = self.program;
        let join = self.join[task].expect("a task that is joined");
        let wait = program.wait(join);
        let around = self.frame(join);
        let gathers = self.gathers(around) || wait.is_some_and(|wait| program.nodes[wait].deep);
        // Of a plain wait the tasks of the section count, of others everything below.
        let waited_for = program.leaves(join).into_iter().filter(|&leaf| {
            let own = program.nodes[leaf].parent == Some(join) && Some(leaf) == wait;
            let last = program.nodes[join]
                .children
                .iter()
                .any(|&c| self.kind(c) == Kind::Task && program.last_leaf(c) == leaf);
            gathers || own || last
        });
        let released = waited_for.map(|leaf| schedule.end[leaf]).max().unwrap_or(i64::MIN);
        let members = (1..program.nodes.len()).filter(|&t| self.join[t] == Some(join) && self.is_grain(t));
        let members = members.count() as i64;
        let going_on = match self.next_on_spine(join) {
            Some(next) => (schedule.start[next] - released).max(0),
            None => 0,
        };
        self.creation(task, schedule) + (going_on + self.between(join, schedule)) / members
    }

    /// The first interval after a node on the spine that it stands on.
    fn next_on_spine(&self, node: usize) -> Option<usize> {
        let mut at = node;
        loop {
            let parent = self.program.nodes[at].parent?;
            let siblings = &self.program.nodes[parent].children;
            let after = siblings.iter().copied().find(|&s| s > at && self.kind(s) != Kind::Task);
            if let Some(after) = after {
                return Some(self.program.leaves(after)[0]);
            }
            if self.kind(parent) == Kind::Task {
                return None;
            }
            at = parent;
        }
    }
}

fn first(group: &Group) -> usize {
    match group {
        Group::Grain(node) => *node,
        Group::Linear(members) | Group::ForkJoin(members) | Group::Aside(members) => first(&members[0]),
    }
}

/// The raw graph: what a node is, and what comes after it.
#[derive(Clone, Debug)]
pub struct Graph {
    what: Vec<What>,
    next: Vec<Vec<usize>>,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    Start,
    End,
    Fork,
    Join,
    Group(Group),
    Gone,
}

impl Graph {
    fn new(chain: &Chain) -> Self {
        let mut graph = Graph { what: Vec::new(), next: Vec::new() };
        let start = graph.add(What::Start);
        let last = graph.put(chain, start);
        let end = graph.add(What::End);
        graph.next[last].push(end);
        graph
    }

    fn add(&mut self, what: What) -> usize {
        self.what.push(what);
        self.next.push(Vec::new());
        self.what.len() - 1
    }

    fn put(&mut self, chain: &Chain, mut after: usize) -> usize {
        for element in chain {
            match element {
                Element::Grain(node) => {
                    let grain = self.add(What::Group(Group::Grain(*node)));
                    self.next[after].push(grain);
                    after = grain;
                }
                Element::Join(members) => {
                    let fork = self.add(What::Fork);
                    self.next[after].push(fork);
                    let ends: Vec<usize> = members.iter().map(|member| self.put(member, fork)).collect();
                    let join = self.add(What::Join);
                    for end in ends {
                        self.next[end].push(join);
                    }
                    after = join;
                }
            }
        }
        after
    }

    pub fn len(&self) -> usize {
        self.what.len()
    }

    pub fn grains(&self) -> usize {
        self.what.iter().filter(|what| matches!(what, What::Group(_))).count()
    }

    pub fn forks(&self) -> usize {
        self.what.iter().filter(|what| **what == What::Fork).count()
    }

    fn reduce(mut self) -> Group {
        let first = self.next[0][0];
        let last = self.try_reduce(first);
        assert_eq!(self.what[self.next[last][0]], What::End, "one group is left");
        match self.what[last].clone() {
            What::Group(group) => group,
            other => panic!("{other:?} is left"),
        }
    }

    /// Matches patterns from a node on; the group that is left of them.
    fn try_reduce(&mut self, mut at: usize) -> usize {
        loop {
            if self.what[at] == What::Fork {
                let members: Vec<usize> = self.next[at].clone();
                let members: Vec<usize> = members.into_iter().map(|m| self.try_reduce(m)).collect();
                let join = self.next[members[0]][0];
                assert_eq!(self.what[join], What::Join);
                let groups = members.iter().map(|&m| self.take(m)).collect();
                at = self.replace(at, join, Group::ForkJoin(groups));
                continue;
            }
            let next = self.next[at][0];
            let second = match self.what[next] {
                What::Group(_) => next,
                What::Fork => self.reduce_fork(next),
                _ => return at,
            };
            let groups = vec![self.take(at), self.take(second)];
            at = self.replace(at, second, Group::Linear(groups));
        }
    }

    /// Only the fork itself, not what follows its join.
    fn reduce_fork(&mut self, fork: usize) -> usize {
        let members: Vec<usize> = self.next[fork].clone();
        let members: Vec<usize> = members.into_iter().map(|m| self.try_reduce(m)).collect();
        let join = self.next[members[0]][0];
        let groups = members.iter().map(|&m| self.take(m)).collect();
        self.replace(fork, join, Group::ForkJoin(groups))
    }

    fn take(&mut self, node: usize) -> Group {
        match std::mem::replace(&mut self.what[node], What::Gone) {
            What::Group(group) => group,
            other => panic!("{other:?} is no group"),
        }
    }

    fn replace(&mut self, node: usize, last: usize, group: Group) -> usize {
        self.next[node] = self.next[last].clone();
        self.what[node] = What::Group(group);
        node
    }
}

/// Without linear groups in linear groups.
fn normal(group: Group) -> Group {
    match group {
        Group::Linear(members) => {
            let mut flat = Vec::new();
            for member in members.into_iter().map(normal) {
                match member {
                    Group::Linear(inner) => flat.extend(inner),
                    other => flat.push(other),
                }
            }
            Group::Linear(flat)
        }
        Group::ForkJoin(members) => Group::ForkJoin(members.into_iter().map(normal).collect()),
        other => other,
    }
}

impl Group {
    /// The same text for the same structure, whatever the order of the members of a join.
    pub fn text(&self, named: bool) -> String {
        let all = |members: &[Group]| members.iter().map(|m| m.text(named)).collect::<Vec<_>>();
        match self {
            Group::Grain(node) if named => node.to_string(),
            Group::Grain(_) => "g".into(),
            Group::Linear(members) => format!("({})", all(members).join(" ")),
            Group::ForkJoin(members) | Group::Aside(members) => {
                let mut texts = all(members);
                texts.sort();
                format!("[{}]", texts.join(" "))
            }
        }
    }

    pub fn depth(&self) -> usize {
        match self {
            Group::Grain(_) => 0,
            Group::Linear(m) | Group::ForkJoin(m) | Group::Aside(m) => {
                1 + m.iter().map(Group::depth).max().unwrap_or(0)
            }
        }
    }

    pub fn grains(&self, out: &mut Vec<usize>) {
        match self {
            Group::Grain(node) => out.push(*node),
            Group::Linear(m) | Group::ForkJoin(m) | Group::Aside(m) => m.iter().for_each(|m| m.grains(out)),
        }
    }

    fn has(&self, problem: &dyn Fn(usize) -> bool) -> bool {
        let mut grains = Vec::new();
        self.grains(&mut grains);
        grains.into_iter().any(problem)
    }

    /// Problems apart from the rest.
    pub fn separated(&self, problem: &dyn Fn(usize) -> bool) -> Group {
        let aside =
            |mut rest: Vec<Group>| if rest.len() == 1 { rest.pop() } else { Some(Group::Aside(rest)) };
        match self {
            Group::ForkJoin(members) => {
                let (mut kept, rest): (Vec<Group>, Vec<Group>) =
                    members.iter().map(|m| m.separated(problem)).partition(|m| m.has(problem));
                if !rest.is_empty() {
                    kept.extend(aside(rest));
                }
                Group::ForkJoin(kept)
            }
            Group::Linear(members) => {
                let members: Vec<Group> = members.iter().map(|m| m.separated(problem)).collect();
                let runs = members.chunk_by(|a, b| a.has(problem) == b.has(problem));
                let fold = |run: &[Group]| match run[0].has(problem) {
                    true => run.to_vec(),
                    false => aside(run.to_vec()).into_iter().collect(),
                };
                Group::Linear(runs.flat_map(fold).collect())
            }
            other => other.clone(),
        }
    }

    /// Largest visible node count of the grains that count.
    pub fn theta(&self, counts: &dyn Fn(usize) -> bool) -> u64 {
        self.theta_below(1, counts)
    }

    fn theta_below(&self, seen: u64, counts: &dyn Fn(usize) -> bool) -> u64 {
        let (members, more) = match self {
            Group::Grain(node) => return if counts(*node) { seen } else { 0 },
            Group::Linear(members) | Group::Aside(members) => (members, members.len() as u64 - 1),
            Group::ForkJoin(members) => (members, members.len() as u64 - 1 + 2),
        };
        members.iter().map(|m| m.theta_below(seen + more, counts)).max().unwrap_or(0)
    }
}
