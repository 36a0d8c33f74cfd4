//! Reduction and normalisation: from the task tree to the aggregation tree in one pass, without recursion.
//!
//! A task with its joins becomes a linear group: the grain, then a fork-join group for each wait that had tasks, in the
//! order of the waits. A task without any is a grain alone. So the innermost patterns are folded first and no linear
//! group lies directly in another: what greedy reduction and normalisation would end with.
//!
//! A wait for descendants (`taskgroup`, a barrier) joins tasks that their own parents left behind. These are placed among
//! the tasks that the wait joins; the task tree still knows who created them. A section of a member of a team, or of the
//! program, joins all that was created in it, at the next barrier if it has no wait of its own.

use crosscut_run::prefetch;
use crosscut_run::tasks::{Kind, Mark};
use crosscut_tree::{NodeId, TreeBuf, WideBuf};

use super::GrainKind;
use super::measure;
use super::table::{GrainRow, GrainTable, GroupRow, Packed, Slot, room};
use crate::dag::{Dag, Join, join};
use crate::tasks::Tasks;

/// No such node.
const NONE: u32 = u32::MAX;

/// What the pass makes.
pub struct Reduced {
    pub tree: TreeBuf,
    pub slot: Vec<Packed>,
    pub grains: GrainTable,
    pub groups: Vec<GroupRow>,
    pub fork_joins: usize,
    pub outside: i64,
}

/// Runs the pass.
pub fn reduce(tasks: &Tasks) -> Reduced {
    let mut pass = Pass::new(tasks);
    pass.begin_root();
    while let Some(level) = pass.levels.last() {
        match level {
            Level::Frame(_) => pass.step_frame(),
            Level::Section(_) => pass.step_section(),
        }
    }
    let inside = pass.grains.work.iter().fold(0i64, |sum, &work| sum.saturating_add(work));
    Reduced {
        tree: TreeBuf { wide: WideBuf::build(&pass.len, &pass.parent), len: pass.len, parent: pass.parent },
        slot: pass.slot,
        grains: pass.grains,
        groups: pass.groups,
        fork_joins: pass.fork_joins,
        outside: tasks.work(NodeId::ROOT).saturating_sub(inside),
    }
}

/// A task that is being walked through: its own nodes.
struct Frame {
    task: u32,
    at: u32,
    end: u32,
    /// Its linear group, if it has one.
    group: u32,
    /// The number of its grain, if it is one.
    grain: u32,
    work: i64,
    /// Fork-join groups so far.
    joins: u32,
    /// Its sections join whatever was created in them: a member of a team, or the program.
    gathers: bool,
    chunks: u32,
}

/// A section that is being walked through: first to see what it holds, then to put its tasks into its group.
struct Section {
    node: u32,
    at: u32,
    end: u32,
    /// The level of its task.
    frame: u32,
    tasks: u32,
    /// When the last of what it waits for ended.
    released: i64,
    /// Its fork-join group, once it has one.
    group: u32,
    sync: i64,
    /// Joins the tasks created in it.
    joins: bool,
    /// Also joins what its tasks leave behind.
    gathers: bool,
    costs: u32,
    next_cost: u32,
    left: u32,
    next_left: u32,
    seen_left: u32,
}

enum Level {
    Frame(Frame),
    Section(Section),
}

/// A task that waits for its place.
#[derive(Clone, Copy)]
struct Left {
    task: u32,
    creation: i64,
}

struct Pass<'a> {
    tasks: &'a Tasks,
    dag: Dag<'a>,
    lens: &'a [u32],
    parents: &'a [u32],
    mark: &'a [u8],
    start: &'a [i64],
    end: &'a [i64],
    worker: measure::Places<'a>,
    levels: Vec<Level>,
    /// What the creation of each task cost, for the sections that are open.
    costs: Vec<i64>,
    left: Vec<Left>,
    chunks: Vec<u32>,
    len: Vec<u32>,
    parent: Vec<u32>,
    slot: Vec<Packed>,
    grains: GrainTable,
    groups: Vec<GroupRow>,
    fork_joins: usize,
    /// The group that new nodes belong to.
    open: u32,
    siblings: measure::Siblings,
}

impl<'a> Pass<'a> {
    fn new(tasks: &'a Tasks) -> Self {
        let tree = tasks.tree();
        let all = tree.range(NodeId::ROOT);
        let count = |kind| tasks.count(all.clone(), kind).clamp(0, all.len() as i64) as usize;
        // Upper bounds of most runs; pages that are not needed are never touched.
        let grains = count(Kind::Create) + count(Kind::Fork) + count(Kind::Chunk) + 1;
        let groups = 2 * count(Kind::Wait) + 1;
        Pass {
            tasks,
            dag: tasks.dag(),
            lens: tree.lens(),
            parents: tree.parents(),
            mark: tasks.marks(),
            start: tasks.starts(),
            end: tasks.ends(),
            worker: measure::Places::new(tasks),
            levels: Vec::new(),
            costs: Vec::new(),
            left: Vec::new(),
            chunks: Vec::new(),
            len: room(grains + groups),
            parent: room(grains + groups),
            slot: room(grains + groups),
            grains: GrainTable::with_capacity(grains),
            groups: room(groups),
            fork_joins: 0,
            open: NONE,
            siblings: measure::Siblings::default(),
        }
    }

    #[inline]
    fn mark(&self, node: u32) -> Mark {
        Mark(self.mark[node as usize])
    }

    /// One past the subtree.
    #[inline]
    fn after(&self, node: u32) -> u32 {
        let end = node as usize + self.lens[node as usize].max(1) as usize;
        end.min(self.lens.len()) as u32
    }

    /// How long an interval took.
    #[inline]
    fn length(&self, interval: usize) -> i64 {
        self.end[interval].saturating_sub(self.start[interval]).max(0)
    }

    /// The interval with which a task begins.
    #[inline]
    fn first_block(&self, task: u32) -> usize {
        let mut at = task as usize;
        while self.lens[at] > 1 && at + 1 < self.lens.len() {
            at += 1;
        }
        at
    }

    fn begin_root(&mut self) {
        if self.lens.is_empty() {
            return;
        }
        if self.mark(0).is_collapsed() || self.lens[0] == 1 {
            self.push_grain(0, GrainKind::Root, self.tasks.own_work(0), 0);
            return;
        }
        let inside = self.look_into(0);
        let nothing_else = inside.joins == 0;
        self.begin_frame(0, 0, GrainKind::Root, inside.creates || nothing_else, inside.joins);
    }

    /// What a member of a team, or the program, holds in its own nodes.
    fn look_into(&self, task: u32) -> Inside {
        let mut inside = Inside::default();
        let (mut at, end) = (task + 1, self.after(task));
        let mut joining: Vec<u32> = Vec::new(); // sections around whose joins were counted
        while at < end {
            let mark = self.mark(at);
            match mark.kind() {
                Kind::Create => inside.creates = true,
                Kind::Task => {
                    let section = self.parents[at as usize];
                    joining.retain(|&section| self.after(section) > at);
                    if !joining.contains(&section) && self.has_grains(at) {
                        inside.joins += 1;
                        joining.push(section);
                    }
                    at = self.after(at);
                    continue;
                }
                Kind::Chunk if task == 0 => inside.creates = true,
                Kind::Section if mark.is_collapsed() && self.has_grains(at) => inside.creates = true,
                _ => {}
            }
            if inside.creates {
                return inside;
            }
            at += 1;
        }
        inside
    }

    /// Whether there are grains in a member of a team or a collapsed node.
    fn has_grains(&self, node: u32) -> bool {
        let range = node as usize..self.after(node) as usize;
        self.tasks.count(range.clone(), Kind::Create) > 0 || self.tasks.count(range, Kind::Chunk) > 0
    }

    fn is_lane(&self, task: u32) -> bool {
        task > 0
            && self.mark(task - 1).kind() == Kind::Fork
            && self.parents[task as usize] == self.parents[task as usize - 1]
    }

    /// Puts a task into the open group: at once when it has no sections, else by walking through it.
    fn begin_task(&mut self, task: u32, creation: i64) {
        let size = self.lens[task as usize];
        let lane = self.is_lane(task);
        if size == 2 && !lane && self.mark(task + 1).kind() != Kind::Chunk {
            let leaf = task as usize + 1;
            return self.push_grain(task, GrainKind::Task, self.length(leaf), creation);
        }
        if size <= 1 {
            let kind = self.folded(task, if lane { GrainKind::Lane } else { GrainKind::Task });
            return self.push_grain(task, kind, self.tasks.own_work(task as usize), creation);
        }
        if !lane {
            return self.begin_frame(task, creation, GrainKind::Task, true, 0);
        }
        let inside = self.look_into(task);
        self.begin_frame(task, creation, GrainKind::Lane, inside.creates, inside.joins);
    }

    /// A collapsed node is a grain like others unless tasks are folded into it.
    fn folded(&self, task: u32, alone: GrainKind) -> GrainKind {
        match self.tasks.collapsed(NodeId(task)) {
            Some(collapsed) if collapsed.nodes[Kind::Create as usize] > 0 => GrainKind::Folded,
            _ => alone,
        }
    }

    fn begin_frame(&mut self, task: u32, creation: i64, kind: GrainKind, is_grain: bool, joins: u32) {
        let group = if is_grain || joins > 1 { self.open_group(task, GrainKind::Linear) } else { NONE };
        let grain = if is_grain { self.grains.work.len() as u32 } else { NONE };
        if is_grain {
            self.push_grain(task, kind, 0, creation);
        }
        self.levels.push(Level::Frame(Frame {
            task,
            at: task + 1,
            end: self.after(task),
            group,
            grain,
            work: 0,
            joins: 0,
            gathers: kind != GrainKind::Task,
            chunks: self.chunks.len() as u32,
        }));
    }

    fn step_frame(&mut self) {
        let level = self.levels.len() - 1;
        let Some(Level::Frame(frame)) = self.levels.get_mut(level) else { return };
        while frame.at < frame.end {
            let node = frame.at as usize;
            frame.at += self.lens[node].max(1);
            match Mark(self.mark[node]).kind() {
                Kind::Section => return self.begin_section(node as u32, level as u32),
                Kind::Chunk => self.chunks.push(node as u32),
                Kind::Task => {}
                _ => {
                    let length = self.end[node].saturating_sub(self.start[node]).max(0);
                    frame.work = frame.work.saturating_add(length);
                }
            }
        }
        let (task, chunks) = (frame.task, frame.chunks);
        if self.chunks.len() > chunks as usize && !self.is_lane(task) {
            self.put_loop(level);
        } else {
            self.end_frame();
        }
    }

    /// Chunks that no team ran: a loop of their own.
    fn put_loop(&mut self, level: usize) {
        let Level::Frame(frame) = &mut self.levels[level] else { return };
        let (task, first) = (frame.task, frame.chunks as usize);
        frame.joins += 1;
        self.open_group(task, GrainKind::ForkJoin);
        self.put_chunks(first);
        self.close_join(0);
    }

    /// The chunks from the first on become grains of the open group.
    fn put_chunks(&mut self, first: usize) {
        for k in first..self.chunks.len() {
            let chunk = self.chunks[k];
            let cost = measure::chunk_cost(self.start, self.end, chunk);
            self.push_grain(chunk, GrainKind::Chunk, self.tasks.own_work(chunk as usize), cost);
        }
        self.chunks.truncate(first);
    }

    fn end_frame(&mut self) {
        let Some(Level::Frame(frame)) = self.levels.pop() else { return };
        if frame.grain != NONE {
            let grain = frame.grain as usize;
            self.grains.work[grain] = frame.work;
        }
        if frame.group != NONE {
            if frame.grain != NONE && frame.joins == 0 {
                self.leave_alone(frame.group);
            } else {
                self.close_linear();
            }
        }
        self.put_chunks(frame.chunks as usize);
    }

    /// A linear group that has only its grain is that grain.
    fn leave_alone(&mut self, group: u32) {
        let grain = self.slot[group as usize + 1];
        self.len.truncate(group as usize + 1);
        self.parent.truncate(group as usize + 1);
        self.slot.truncate(group as usize + 1);
        self.groups.pop();
        self.len[group as usize] = 1;
        self.slot[group as usize] = grain;
        self.leave_group(group);
    }

    fn begin_section(&mut self, node: u32, frame: u32) {
        if self.mark(node).is_collapsed() || self.lens[node as usize] <= 1 {
            return self.put_folded_section(node, frame);
        }
        self.read_ahead(node);
        let join = join(self.lens, self.parents, self.mark, node as usize);
        let frame_gathers = matches!(&self.levels[frame as usize], Level::Frame(f) if f.gathers);
        self.levels.push(Level::Section(Section {
            node,
            at: node + 1,
            end: self.after(node),
            frame,
            tasks: 0,
            released: i64::MIN,
            group: NONE,
            sync: 0,
            joins: join != Join::None || frame_gathers,
            gathers: join == Join::All || frame_gathers,
            costs: self.costs.len() as u32,
            next_cost: self.costs.len() as u32,
            left: self.left.len() as u32,
            next_left: self.left.len() as u32,
            seen_left: self.left.len() as u32,
        }));
    }

    /// Asks for what will be read soon. Sections are walked through twice and their ends are looked at first, which no
    /// processor foresees: without this, most of the time goes into waiting for memory.
    #[inline]
    fn read_ahead(&self, node: u32) {
        const AHEAD: usize = 512;
        let at = (node as usize + AHEAD).min(self.lens.len() - 1);
        prefetch(&self.start[at]);
        prefetch(&self.end[at]);
        prefetch(&self.lens[at]);
        prefetch(&self.parents[at]);
        prefetch(&self.mark[at]);
    }

    /// A section that the recorder folded: a join of one grain that stands for its tasks.
    fn put_folded_section(&mut self, node: u32, frame: u32) {
        let work = self.tasks.own_work(node as usize);
        let has_grains = self.has_grains(node);
        let Level::Frame(frame) = &mut self.levels[frame as usize] else { return };
        if !has_grains {
            frame.work = frame.work.saturating_add(work);
            return;
        }
        frame.joins += 1;
        self.open_group(node, GrainKind::ForkJoin);
        self.push_grain(node, GrainKind::Folded, work, 0);
        self.close_join(0);
    }

    fn step_section(&mut self) {
        let Some(Level::Section(section)) = self.levels.last() else { return };
        if section.group == NONE { self.look_through_section() } else { self.fill_section() }
    }

    /// First walk through a section: its intervals, the sections in it, what its tasks cost.
    fn look_through_section(&mut self) {
        let level = self.levels.len() - 1;
        let Some(Level::Section(section)) = self.levels.get_mut(level) else { return };
        let (node, frame, end) = (section.node, section.frame, section.end);
        let (mut at, mut tasks, mut released) = (section.at, section.tasks, section.released);
        let mut work = 0;
        let mut inner = NONE;
        while at < end {
            let i = at as usize;
            let next = self.after(at);
            match Mark(self.mark[i]).kind() {
                Kind::Task => {
                    let ended = self.end[next as usize - 1];
                    released = released.max(ended);
                    let creation = self.creation_cost(at, next, node, end);
                    self.costs.push(creation);
                    // A member of a team that has no grains is none.
                    let counts = !self.is_lane(at) || self.has_grains(at);
                    tasks += u32::from(counts);
                }
                Kind::Section => {
                    inner = at;
                    at = next;
                    break;
                }
                kind => {
                    match kind {
                        Kind::Chunk => self.chunks.push(at),
                        _ => work = self.length(i).saturating_add(work),
                    }
                    if next == end {
                        released = released.max(self.end[i]);
                    }
                }
            }
            at = next;
        }
        if let Level::Frame(frame) = &mut self.levels[frame as usize] {
            frame.work = frame.work.saturating_add(work);
        }
        let Some(Level::Section(section)) = self.levels.get_mut(level) else { return };
        (section.at, section.tasks, section.released) = (at, tasks, released);
        if inner != NONE { self.begin_section(inner, frame) } else { self.settle_section() }
    }

    /// All is known of a section: it becomes a group, or leaves its tasks to another one, or was empty.
    fn settle_section(&mut self) {
        let level = self.levels.len() - 1;
        let Some(Level::Section(section)) = self.levels.get(level) else { return };
        let (node, end, gathers, tasks) = (section.node, section.end, section.gathers, section.tasks);
        let (costs, left, frame) = (section.costs as usize, section.left as usize, section.frame as usize);
        let gathered = if gathers { self.left.len() - left } else { 0 };
        if !section.joins {
            self.leave_tasks(node, end, costs);
            self.left[left..].sort_unstable_by_key(|left| left.task);
            self.levels.pop();
            return;
        }
        if tasks as usize + gathered == 0 {
            self.costs.truncate(costs);
            self.levels.pop();
            return;
        }
        // A join of descendants too is over when the last of them has ended.
        let released = if gathers { self.end[node as usize] } else { section.released };
        let sync = self.sync_cost(node, released);
        let group = self.open_group(node, GrainKind::ForkJoin);
        if let Level::Frame(frame) = &mut self.levels[frame] {
            frame.joins += 1;
        }
        let Some(Level::Section(section)) = self.levels.get_mut(level) else { return };
        section.group = group;
        section.sync = sync;
        section.at = node + 1;
    }

    /// The tasks of an open section wait for the next join around them that takes them.
    fn leave_tasks(&mut self, node: u32, end: u32, costs: usize) {
        let mut at = node + 1;
        let mut cost = costs;
        while at < end {
            if self.mark(at).kind() == Kind::Task {
                if !self.is_lane(at) || self.has_grains(at) {
                    self.left.push(Left { task: at, creation: self.costs[cost] });
                }
                cost += 1;
            }
            at = self.after(at);
        }
        self.costs.truncate(costs);
    }

    /// Second walk through a section: its tasks become members of its group.
    fn fill_section(&mut self) {
        let level = self.levels.len() - 1;
        let Some(Level::Section(section)) = self.levels.get_mut(level) else { return };
        let (mut at, end) = (section.at, section.end);
        while at < end && Mark(self.mark[at as usize]).kind() != Kind::Task {
            at += self.lens[at as usize].max(1);
        }
        section.at = at;
        // Members stand in the order of their creation, so that what a task depends on stands before it.
        if section.gathers && section.seen_left as usize != self.left.len() {
            section.seen_left = self.left.len() as u32;
            self.left[section.next_left as usize..].sort_unstable_by_key(|left| left.task);
        }
        let waiting = if section.gathers { self.left.get(section.next_left as usize) } else { None };
        if let Some(&Left { task, creation }) = waiting.filter(|left| at >= end || left.task < at) {
            section.next_left += 1;
            return self.begin_task(task, creation);
        }
        if at >= end {
            return self.end_section();
        }
        section.at = at + self.lens[at as usize].max(1);
        let creation = self.costs[section.next_cost as usize];
        section.next_cost += 1;
        if !self.is_lane(at) || self.has_grains(at) {
            self.begin_task(at, creation);
        }
    }

    fn end_section(&mut self) {
        let Some(Level::Section(section)) = self.levels.pop() else { return };
        if section.gathers {
            self.left.truncate(section.left as usize);
        } else {
            self.left[section.left as usize..].sort_unstable_by_key(|left| left.task);
        }
        self.costs.truncate(section.costs as usize);
        self.close_join(section.sync);
    }

    /// From the end of the interval that created a task until its creator went on, or until the task itself ran in the
    /// creator's place.
    #[inline]
    fn creation_cost(&self, task: u32, next: u32, section: u32, end: u32) -> i64 {
        let create = task as usize - 1;
        let created = self.end[create];
        let goes_on = if next < end {
            self.start[next as usize]
        } else {
            self.dag.follow(NodeId(section)).map_or(created, |follow| self.start[follow.index()])
        };
        let began = self.start[task as usize];
        let first =
            if began < goes_on && self.worker.same(create, self.first_block(task)) { began } else { goes_on };
        first.saturating_sub(created).max(0)
    }

    /// From when a section could go on until it did.
    fn sync_cost(&self, section: u32, released: i64) -> i64 {
        let next = self.after(section);
        let around = self.parents[section as usize];
        let is_next = around < section && next < self.after(around) && self.mark(next).kind() != Kind::Task;
        let follow = if is_next { Some(next) } else { self.dag.follow(NodeId(section)).map(|node| node.0) };
        follow.map_or(0, |follow| self.start[follow as usize].saturating_sub(released).max(0))
    }

    fn push_node(&mut self, slot: Slot) -> u32 {
        let node = self.len.len() as u32;
        self.len.push(1);
        self.parent.push(if self.open == NONE { 0 } else { self.open });
        self.slot.push(Packed::new(slot));
        node
    }

    fn push_grain(&mut self, task: u32, kind: GrainKind, work: i64, cost: i64) {
        self.push_node(Slot::Grain(self.grains.work.len() as u32));
        let core = self.worker.core(self.first_block(task));
        let cost = u32::try_from(cost).unwrap_or(u32::MAX);
        self.grains.push(GrainRow { task, cost, core, kind }, work.max(0));
    }

    fn open_group(&mut self, task: u32, kind: GrainKind) -> u32 {
        let node = self.push_node(Slot::Group(self.groups.len() as u32));
        self.groups.push(GroupRow { path: 0, shape: 0, task, kind });
        self.fork_joins += usize::from(kind == GrainKind::ForkJoin);
        self.open = node;
        node
    }

    fn leave_group(&mut self, group: u32) {
        let parent = self.parent[group as usize];
        self.open = if parent == group { NONE } else { parent };
    }

    /// Closes the open linear group, with the metrics that its members give it.
    fn close_linear(&mut self) {
        let group = self.open;
        self.len[group as usize] = self.len.len() as u32 - group;
        measure::close_linear((&self.len, &self.slot), (&self.grains, &mut self.groups), group as usize);
        self.leave_group(group);
    }

    /// The same for a fork-join whose join cost `sync`.
    fn close_join(&mut self, sync: i64) {
        let group = self.open;
        self.len[group as usize] = self.len.len() as u32 - group;
        measure::close_join(
            &mut self.siblings,
            self.tasks,
            (&self.len, &self.slot),
            (&mut self.grains, &mut self.groups),
            (group as usize, sync),
        );
        self.leave_group(group);
    }
}

/// What a member of a team, or the program, holds.
#[derive(Default)]
struct Inside {
    /// It creates tasks: it is a grain.
    creates: bool,
    /// Its joins, if it creates none.
    joins: u32,
}
