//! The part that each interval plays, when it became ready, and how long tasks and chunks of each line are: one pass over
//! the nodes in their order, and one over the children of every node. Nothing recurses.

use crosscut_run::NO_SITE;
use crosscut_tree::NodeId;
use foldhash::{HashMap, HashMapExt};

use super::cutoff::Depths;
use super::groups::{Group, Groups, Key, Lengths, NOBODY, Role};
use super::phases::Phase;
use crate::dag::Dag;
use crate::schema::{Kind, Mark};
use crate::tasks::Tasks;

/// A task that creates at least so many in one section can be what all others wait for.
const MANY: u32 = 4;
/// What a task runs before it creates the first of many is no part of creating them if it is so many times as long as what it runs
/// between the next ones, of so many children of the section.
const BEFORE: i64 = 4;
const NEXT: usize = 16;
/// In the high bit of what is known of a node: something in its task, or in its section, creates others.
const MAKES: u32 = 1 << 31;

/// What is known of all intervals.
#[derive(Debug)]
pub struct Roles {
    /// By node: the group that is to blame while the interval runs.
    pub run: Vec<Group>,
    /// By node: the group that is to blame while the interval is ready and does not run.
    pub hand: Vec<Group>,
    /// By node: when the interval became ready.
    pub ready: Vec<i64>,
    pub groups: Groups,
    /// Tasks by the line that creates them: how long they are, without what they wait for.
    pub tasks: HashMap<u32, Lengths>,
    /// By the line that creates tasks: how long a creator takes to go on.
    pub creations: HashMap<u32, Lengths>,
    /// By the line that creates tasks: what a creator runs from one to the next in the same section. Where the runtime
    /// does not say when a task is created, that includes creating the one before.
    pub between: HashMap<u32, Lengths>,
    /// Tasks by the line that creates them, and by how many are around them.
    pub depths: Depths,
    /// Chunks by the line of their loop.
    pub chunks: HashMap<u32, Lengths>,
    /// By the line of a region: all steps of its teams, from one barrier to the next.
    pub steps: HashMap<u32, Steps>,
    /// Teams that share work, in the order of the tree.
    pub phases: Vec<Phase>,
    /// First intervals of members that have nothing to do while another one works, ascending.
    pub idle: Vec<u32>,
    made: Vec<u32>,
}

/// The steps of all teams of a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    pub count: u64,
    /// From when they could begin until all was done.
    pub time: i64,
}

/// A task, a member of a team or the program, whose own nodes are being looked at.
#[derive(Clone, Copy)]
struct Frame {
    node: u32,
    end: u32,
    /// Own code that is neither creating nor a chunk of its own line: of a member, of a task that creates nothing.
    own: Group,
    /// One of many that share work.
    shares: bool,
    /// The only one of them that creates tasks.
    makes_alone: bool,
    /// Of a task that the program created: the line that did.
    line: Option<u32>,
    /// Tasks that the program created around what it runs, itself included, and the line of the innermost.
    depth: u32,
    around: Option<u32>,
    /// The only member of its team, which runs for what is around it.
    is_alone: bool,
    work: i64,
}

/// What runs beside a task for less than this part of its time is nothing worth the name.
const BESIDE: i64 = 20;

/// A section that is being looked at.
#[derive(Clone, Copy)]
struct Section {
    end: u32,
    direct: u32,
    /// Of a team: the group of its members if they share work.
    team: Option<Group>,
    /// Of a narrow one: the line of its wait.
    wait: Option<u32>,
    is_bare: bool,
    counted: bool,
    /// Of one that creates a few tasks: the line of its first, once that is created.
    beside: Option<u32>,
    /// Whether the members of a team are one.
    is_alone: bool,
    /// Members of a team that share work and create tasks, or start teams of their own.
    makers: u32,
}

impl Roles {
    pub fn of(tasks: &Tasks) -> Self {
        let nodes = tasks.tree().node_count();
        let mut pass = Pass {
            tasks,
            dag: tasks.dag(),
            sites: Sites::new(tasks),
            made: made(tasks),
            needed: needed(tasks),
            frames: Vec::new(),
            sections: Vec::new(),
            roles: Roles {
                run: vec![NOBODY; nodes],
                hand: vec![NOBODY; nodes],
                ready: vec![i64::MAX; nodes],
                groups: Groups::new(),
                tasks: HashMap::new(),
                creations: HashMap::new(),
                between: HashMap::new(),
                depths: Depths::new(),
                chunks: HashMap::new(),
                steps: HashMap::new(),
                phases: Vec::new(),
                idle: Vec::new(),
                made: Vec::new(),
            },
        };
        for node in 0..nodes {
            pass.visit(node);
        }
        pass.close(usize::MAX);
        pass.begin_ready();
        pass.roles.idle.sort_unstable();
        Roles { made: pass.made, ..pass.roles }
    }

    /// Whether an interval is the first of a member of a team that has nothing to do while another one works.
    pub fn is_idle(&self, node: u32) -> bool {
        let hand = self.hand.get(node as usize).copied().unwrap_or(NOBODY);
        self.groups.role(hand) == Some(Role::HandTeam) && self.idle.binary_search(&node).is_ok()
    }

    /// Tasks created directly in a section.
    pub fn made_in(&self, section: NodeId) -> u32 {
        self.made.get(section.index()).map_or(0, |made| made & !MAKES)
    }
}

/// Sources by site.
pub struct Sites(Vec<(u32, u32)>);

impl Sites {
    pub fn new(tasks: &Tasks) -> Self {
        let sources = tasks.sources();
        let site =
            |id: usize| sources.site(id as u32).map_or((NO_SITE, NO_SITE), |site| (site.from, site.to));
        Sites((0..sources.site_count()).map(site).collect())
    }

    /// Where an interval began.
    #[inline]
    pub fn from(&self, site: u32) -> u32 {
        self.0.get(site as usize).map_or(NO_SITE, |site| site.0)
    }

    /// Where it ended.
    #[inline]
    pub fn to(&self, site: u32) -> u32 {
        self.0.get(site as usize).map_or(NO_SITE, |site| site.1)
    }
}

/// The line of the construct that made a task: where the interval before it ended.
pub fn made_at(tasks: &Tasks, sites: &Sites, task: usize) -> u32 {
    let create = task.saturating_sub(1);
    match sites.to(tasks.site(NodeId(create as u32))) {
        NO_SITE => sites.from(tasks.site(NodeId(task as u32))),
        line => line,
    }
}

/// By node: tasks created directly in a section, and whether a section or a task creates any.
fn made(tasks: &Tasks) -> Vec<u32> {
    let (tree, mark) = (tasks.tree(), tasks.marks());
    let parent = tree.parents();
    let mut made = vec![0u32; parent.len()];
    for node in (1..parent.len()).rev() {
        let above = parent[node] as usize;
        match Mark(mark[node]).kind() {
            Kind::Task => made[above] = ((made[above] & !MAKES) + 1).min(MAKES - 1) | MAKES,
            // The only member of a team runs as if it were a part of what is around it.
            Kind::Section if is_team_of_one(mark, &made, node) => made[above] |= made[node + 2] & MAKES,
            Kind::Section if made[node] != 0 => made[above] |= MAKES,
            _ => {}
        }
    }
    made
}

/// Whether a section is a fork, its only member and their end.
fn is_team_of_one(mark: &[u8], made: &[u32], section: usize) -> bool {
    let kind = |at: usize| mark.get(at).map(|&mark| Mark(mark).kind());
    made[section] & !MAKES == 1
        && kind(section + 1) == Some(Kind::Fork)
        && kind(section + 2) == Some(Kind::Task)
}

/// Tasks that others depend on, ascending.
fn needed(tasks: &Tasks) -> Vec<u32> {
    let mut needed = tasks.depends().from.to_vec();
    needed.sort_unstable();
    needed.dedup();
    needed
}

struct Pass<'a> {
    tasks: &'a Tasks,
    dag: Dag<'a>,
    sites: Sites,
    made: Vec<u32>,
    needed: Vec<u32>,
    frames: Vec<Frame>,
    sections: Vec<Section>,
    roles: Roles,
}

impl Pass<'_> {
    fn kind(&self, node: usize) -> Kind {
        Mark(self.dag.mark[node]).kind()
    }

    fn begins(&self, node: usize) -> u32 {
        self.sites.from(self.tasks.site(NodeId(node as u32)))
    }

    fn made_at(&self, task: usize) -> u32 {
        made_at(self.tasks, &self.sites, task)
    }

    fn close(&mut self, node: usize) {
        while self.sections.last().is_some_and(|section| section.end as usize <= node) {
            self.sections.pop();
        }
        while let Some(frame) = self.frames.pop_if(|frame| frame.end as usize <= node) {
            if let Some(line) = frame.line {
                self.roles.tasks.entry(line).or_default().add(frame.work);
            }
            if let Some(around) = self.frames.last_mut().filter(|_| frame.is_alone) {
                around.work = around.work.saturating_add(frame.work);
            }
        }
    }

    fn visit(&mut self, node: usize) {
        self.close(node);
        let (kind, len) = (self.kind(node), self.dag.tree.lens()[node].max(1));
        let end = node as u32 + len;
        if kind == Kind::Task || self.frames.is_empty() {
            self.begin_task(node, end);
        }
        if len > 1 {
            if kind == Kind::Section {
                self.begin_section(node, end);
            }
            self.ready_inside(node);
            return;
        }
        self.roles.depths.is_folded |= Mark(self.dag.mark[node]).is_collapsed();
        let work = self.tasks.own_work(node);
        let group = self.group_of(node, kind);
        self.roles.run[node] = group;
        if let Some(frame) = self.frames.last_mut() {
            frame.work = frame.work.saturating_add(work);
        }
        if kind == Kind::Create && self.is_after_task(node) {
            let line = self.sites.to(self.tasks.site(NodeId(node as u32)));
            self.roles.between.entry(line).or_default().add(work);
        }
        if kind == Kind::Chunk {
            let line = self.begins(node);
            let count =
                self.tasks.joined(NodeId(node as u32)).map_or(1, |joined| joined.chunks.max(1) as u64);
            self.roles.chunks.entry(line).or_default().add_many(work, count);
        }
    }

    /// Whether the creator of a task creates the next one in the same section.
    fn is_after_task(&self, node: usize) -> bool {
        let before = self.dag.tree.previous_sibling(NodeId(node as u32));
        before.is_some_and(|before| self.kind(before.index()) == Kind::Task)
    }

    fn begin_task(&mut self, node: usize, end: u32) {
        let makes = self.made[node] != 0;
        let mut frame = Frame {
            node: node as u32,
            end,
            own: NOBODY,
            shares: false,
            makes_alone: false,
            line: None,
            depth: self.frames.last().map_or(0, |frame| frame.depth),
            around: self.frames.last().and_then(|frame| frame.around),
            is_alone: false,
            work: 0,
        };
        let is_lane = self.tasks.is_lane(NodeId(node as u32));
        if node > 0 && is_lane {
            let section = self.sections.last();
            frame.is_alone = section.is_some_and(|section| section.is_alone);
            if let Some(team) = section.and_then(|section| section.team) {
                (frame.own, frame.shares) = (team, true);
                frame.makes_alone = makes && section.is_some_and(|section| section.makers == 1);
            } else if let Some(around) = self.frames.last().filter(|_| frame.is_alone) {
                (frame.own, frame.shares, frame.makes_alone) =
                    (around.own, around.shares, around.makes_alone);
            }
        } else if node > 0 {
            let line = self.made_at(node);
            frame.line = Some(line);
            frame.depth += 1;
            self.roles.depths.add(line, frame.around, frame.depth, self.tasks.work(NodeId(node as u32)));
            frame.around = Some(line);
            frame.own = if makes { NOBODY } else { self.group_of_task(node, line) };
            if let Some(section) = self.sections.last_mut().filter(|section| section.direct < MANY) {
                section.beside.get_or_insert(line);
            }
        }
        self.frames.push(frame);
    }

    /// The part of a task that creates nothing.
    fn group_of_task(&mut self, node: usize, line: u32) -> Group {
        let depends = !self.tasks.depends_on(NodeId(node as u32)).is_empty()
            || self.needed.binary_search(&(node as u32)).is_ok();
        if depends {
            return self.roles.groups.of(Role::Depend, line);
        }
        let creator = self.frames.last().map_or(0, |frame| frame.node);
        let Some(Section { wait: Some(wait), is_bare, counted, .. }) = self.sections.last_mut() else {
            return self.roles.groups.of(Role::Task, line);
        };
        let group = self.roles.groups.with(Key { role: Role::Narrow, line, other: *wait });
        if !std::mem::replace(counted, true) {
            self.roles.groups.section(group, creator, *is_bare);
        }
        group
    }

    fn begin_section(&mut self, node: usize, end: u32) {
        let direct = self.made[node] & !MAKES;
        let is_alone = is_team_of_one(self.dag.mark, &self.made, node);
        let mut section = Section {
            end,
            direct,
            team: None,
            wait: None,
            is_bare: false,
            counted: false,
            beside: None,
            is_alone,
            makers: 0,
        };
        if direct > 0 && self.kind(node + 1) == Kind::Fork {
            section.team = self.begin_team(node);
            if section.team.is_some() {
                let children = self.dag.tree.children(NodeId(node as u32));
                let makers =
                    children.filter(|&child| self.tasks.is_lane(child) && self.made[child.index()] != 0);
                section.makers = makers.count() as u32;
            }
        } else if direct > 0 && direct < self.tasks.summary().workers {
            let last = self.dag.last_block(NodeId(node as u32));
            if self.kind(last.index()) == Kind::Wait
                && self.dag.tree.parent(last) == Some(NodeId(node as u32))
            {
                section.wait = Some(self.sites.to(self.tasks.site(last)));
                section.is_bare = self.is_bare(NodeId(node as u32), last);
            }
        }
        self.sections.push(section);
    }

    /// Whether a section is one task and its wait, and nothing worth the name runs beside the task: it might as well not have been
    /// created.
    fn is_bare(&self, section: NodeId, wait: NodeId) -> bool {
        let is_one = self.dag.tree.children(section).take(4).count() == 3;
        is_one && self.tasks.own_work(wait.index()).saturating_mul(BESIDE) < self.tasks.elapsed(section)
    }

    /// Members that share work are a group of their own; where one works alone, it is code like any other.
    fn begin_team(&mut self, node: usize) -> Option<Group> {
        let mut phase = Phase::of(self.tasks, &self.sites, NodeId(node as u32))?;
        let line = self.begins(node);
        let steps = self.roles.steps.entry(line).or_default();
        steps.count += 1;
        steps.time = steps.time.saturating_add(self.tasks.elapsed(NodeId(node as u32)).max(0));
        let around = self.sections.iter().rev().find_map(|section| section.team);
        phase.around =
            around.and_then(|group| self.roles.groups.known.get(group as usize)).map(|known| known.key.line);
        if !phase.is_shared(self.tasks) {
            // Where the one creates tasks, the others would run them.
            if self.made[phase.longest_member().index()] == 0 {
                self.roles.idle.extend(phase.others(self.tasks).map(|block| block.0));
            }
            return None;
        }
        let group = self.roles.groups.of(Role::Lane, phase.line);
        self.roles.phases.push(phase);
        Some(group)
    }

    /// What an interval is to blame for while it runs.
    fn group_of(&mut self, node: usize, kind: Kind) -> Group {
        let Some(frame) = self.frames.last().copied() else { return NOBODY };
        let many = kind == Kind::Create && self.sections.last().is_some_and(|section| section.direct >= MANY);
        let is_one = !frame.shares || frame.makes_alone;
        if many && is_one && self.is_before_all(node) {
            let line = self.begins(node);
            return self.roles.groups.of(Role::Serial, line);
        }
        if many && is_one {
            let line = self.sites.to(self.tasks.site(NodeId(node as u32)));
            return self.roles.groups.of(Role::Spawn, line);
        }
        if frame.own != NOBODY {
            return frame.own;
        }
        if let Some(group) = self.group_beside(node, kind) {
            return group;
        }
        let line = self.begins(node);
        self.roles.groups.of(Role::Serial, line)
    }

    /// Whether an interval that ends with the first task of a section is code that stands before all of them, rather than a part of
    /// creating: it is much longer than what is between the next ones.
    fn is_before_all(&self, node: usize) -> bool {
        let Some(section) = self.dag.tree.parent(NodeId(node as u32)) else { return false };
        let near = self.dag.tree.children(section).take(NEXT).map(NodeId::index);
        let mut creates = near.filter(|&child| self.kind(child) == Kind::Create);
        if creates.next() != Some(node) {
            return false;
        }
        let longest = creates.map(|create| self.tasks.own_work(create)).max();
        longest.is_some_and(|longest| self.tasks.own_work(node) > BEFORE.saturating_mul(longest))
    }

    /// What the creator of a few tasks runs itself before it waits for them: it runs beside them, as one of them would.
    fn group_beside(&mut self, node: usize, kind: Kind) -> Option<Group> {
        let parent = self.dag.tree.parents()[node] as usize;
        if !matches!(kind, Kind::Wait | Kind::Other) || self.kind(parent) != Kind::Section {
            return None;
        }
        let section = self.sections.last()?;
        let line = section.beside?;
        Some(match section.wait {
            Some(wait) => self.roles.groups.with(Key { role: Role::Narrow, line, other: wait }),
            None => self.roles.groups.of(Role::Task, line),
        })
    }
}

/// When intervals became ready, and what they waited for the runtime with.
impl Pass<'_> {
    /// The first interval of all is ready from the start.
    fn begin_ready(&mut self) {
        if !self.made.is_empty() {
            let first = self.dag.first_block(NodeId::ROOT).index();
            let line = self.begins(first);
            let hand = self.roles.groups.of(Role::HandOther, line);
            self.set_ready(first, 0, hand);
        }
    }

    /// The first intervals of all children of a node but the first.
    fn ready_inside(&mut self, node: usize) {
        let tree = self.dag.tree;
        let mut before: Option<NodeId> = None;
        for child in tree.children(NodeId(node as u32)) {
            let at = child.index();
            let first = self.dag.first_block(child).index();
            if self.kind(at) == Kind::Task {
                let ready = self.dag.startable(NodeId(child.0 - 1), child);
                let hand = self.hand_of_task(at);
                self.set_ready(first, ready, hand);
            } else {
                if let Some(before) = before {
                    let ready = self.dag.exit(before).at;
                    let hand = self.hand_after(before, first);
                    self.set_ready(first, ready, hand);
                    if self.kind(before.index()) == Kind::Create {
                        self.created(before, first);
                    }
                }
                before = Some(child);
            }
        }
    }

    /// The creator of a task goes on. Where another worker does, or the new task ran first, that says nothing of creating.
    fn created(&mut self, create: NodeId, next: usize) {
        let (start, end) = (self.tasks.starts(), self.dag.end[create.index()]);
        let task = create.index() + 1;
        let is_next = self.tasks.worker(create) == self.tasks.worker(NodeId(next as u32))
            && start.get(task).is_none_or(|&began| began < end || began >= start[next]);
        if is_next {
            let line = self.made_at(task);
            self.roles.creations.entry(line).or_default().add(start[next] - end);
        }
    }

    fn set_ready(&mut self, block: usize, ready: i64, hand: Group) {
        self.roles.ready[block] = ready;
        self.roles.hand[block] = hand;
    }

    fn hand_of_task(&mut self, task: usize) -> Group {
        match self.kind(task - 1) {
            Kind::Fork => {
                let section = self.dag.tree.parents()[task] as usize;
                let line = self.begins(section);
                self.roles.groups.of(Role::HandTeam, line)
            }
            _ => {
                let line = self.made_at(task);
                self.roles.groups.of(Role::HandTask, line)
            }
        }
    }

    /// Going on after an interval or a section.
    fn hand_after(&mut self, before: NodeId, block: usize) -> Group {
        let at = before.index();
        if self.kind(block) == Kind::Chunk && self.kind(at) == Kind::Chunk {
            let line = self.begins(block);
            return self.roles.groups.of(Role::HandChunk, line);
        }
        match self.kind(at) {
            Kind::Create | Kind::Fork if at + 1 < self.made.len() => self.hand_of_task(at + 1),
            Kind::Section if self.made[at] & !MAKES > 0 => {
                let tree = self.dag.tree;
                match tree.children(before).find(|&child| self.kind(child.index()) == Kind::Task) {
                    Some(task) => self.hand_of_task(task.index()),
                    None => NOBODY,
                }
            }
            _ => {
                let line = self.begins(block);
                self.roles.groups.of(Role::HandOther, line)
            }
        }
    }
}
