//! Teams whose members share work: what each of them works from one barrier to the next.

use crosscut_run::NO_SITE;
use crosscut_tree::NodeId;
use foldhash::{HashMap, HashMapExt};

use super::roles::Sites;
use crate::schema::{Kind, Mark};
use crate::tasks::Tasks;

/// Children of a member that are looked at to find its loop.
const NEAR: usize = 64;
/// Below this share of the longest, the others do nothing worth the name.
const NOTHING: f64 = 0.01;

/// The members of a team from one barrier to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// The section that holds them.
    pub node: NodeId,
    /// The loop of the longest member, or the region, or where it goes on behind a barrier.
    pub line: u32,
    /// The region.
    pub region: u32,
    pub is_loop: bool,
    pub members: u32,
    pub sum: i64,
    pub longest: i64,
    /// The longest, and its worker.
    member: NodeId,
    pub worker: u32,
    /// The longest chunk of it: its first iteration, and how long it works.
    part: Option<(i64, i64)>,
    /// The line of the team that the region is in, if it is in one.
    pub around: Option<u32>,
}

impl Phase {
    /// Of a section that holds members of a team.
    pub fn of(tasks: &Tasks, sites: &Sites, section: NodeId) -> Option<Self> {
        let (mut members, mut sum, mut longest) = (0, 0i64, (-1, NodeId::ROOT));
        for (member, work) in works(tasks, section) {
            members += 1;
            sum = sum.saturating_add(work);
            if work > longest.0 {
                longest = (work, member);
            }
        }
        let (longest, member) = longest;
        if members == 0 {
            return None;
        }
        let chunk = tasks.tree().children(member).take(NEAR).find(|&child| is_chunk(tasks, child));
        let first = tasks.dag().first_block(member);
        let region = sites.from(tasks.site(section));
        let line = match (chunk, sites.from(tasks.site(first))) {
            (Some(chunk), _) => sites.from(tasks.site(chunk)),
            (None, line) if line != NO_SITE && is_another(tasks, sites, section) => line,
            (None, _) => region,
        };
        let worker = tasks.worker(first).map_or(u32::MAX, |worker| worker as u32);
        Some(Phase {
            node: section,
            line,
            region,
            is_loop: chunk.is_some(),
            members,
            sum,
            longest,
            member,
            worker,
            part: chunk.and_then(|_| longest_chunk(tasks, member)),
            around: None,
        })
    }

    /// Whether members share work: more than one of them works, or what one works alone is a loop that was to be shared out.
    pub fn is_shared(&self, tasks: &Tasks) -> bool {
        let others = self.sum.saturating_sub(self.longest);
        others as f64 > NOTHING * self.longest as f64 || self.is_loop && self.is_mostly_chunks(tasks)
    }

    /// The member that works longest.
    pub fn longest_member(&self) -> NodeId {
        self.member
    }

    /// The first intervals of all members but the longest.
    pub fn others<'a>(&self, tasks: &'a Tasks) -> impl Iterator<Item = NodeId> + use<'a> {
        let longest = self.member;
        let others = works(tasks, self.node).filter(move |&(member, _)| member != longest);
        others.map(|(member, _)| tasks.dag().first_block(member))
    }

    /// Whether the longest member works mostly in chunks of loops.
    fn is_mostly_chunks(&self, tasks: &Tasks) -> bool {
        let children = tasks.tree().children(self.member).filter(|&child| is_chunk(tasks, child));
        let chunks = children.fold(0i64, |sum, chunk| sum.saturating_add(tasks.work(chunk)));
        chunks > self.longest / 2
    }
}

/// Whether a node is a chunk of a loop, or one with what it created.
fn is_chunk(tasks: &Tasks, node: NodeId) -> bool {
    let mark = tasks.marks().get(node.index()).map(|&mark| Mark(mark));
    mark.is_some_and(|mark| mark.kind() == Kind::Chunk || mark.is_chunk_section())
}

/// The longest chunk that a member of a team runs: its first iteration, and how long it works.
fn longest_chunk(tasks: &Tasks, member: NodeId) -> Option<(i64, i64)> {
    let chunks = tasks.tree().children(member).filter(|&child| is_chunk(tasks, child));
    let (chunk, work) = chunks.map(|chunk| (chunk, tasks.work(chunk))).max_by_key(|&(_, work)| work)?;
    // One with what it created ends with the interval that is the chunk.
    Some((tasks.chunk(tasks.dag().last_block(chunk))?.0, work))
}

/// The members of a team with what each works.
pub fn works(tasks: &Tasks, section: NodeId) -> impl Iterator<Item = (NodeId, i64)> + '_ {
    let lanes = tasks.tree().children(section).filter(|&child| tasks.is_lane(child));
    lanes.map(|lane| (lane, tasks.work(lane)))
}

/// All teams of one line.
#[derive(Clone, Debug)]
pub struct Team {
    pub steps: u64,
    pub members: u32,
    pub is_loop: bool,
    /// How often the longest member works a tenth more than the mean.
    pub uneven: u64,
    /// The one in which most is lost.
    pub worst: Phase,
    /// Where members of it wait.
    pub barrier: u32,
    /// The line of the team around it.
    pub around: Option<u32>,
    /// What members wait for the longest, summed over all.
    pub lost: i64,
    /// What the longest member works, summed over all.
    longest: i64,
    /// What members work on average, summed over all.
    mean: i64,
    /// By worker, what it works.
    workers: HashMap<u32, i64>,
    /// By its first iteration, what the longest chunk of the longest member works.
    parts: HashMap<i64, i64>,
    /// Changes of the worker that works longest.
    pub changes: u64,
}

impl Team {
    /// What is lost because the same worker is last each time, or whoever has the same part of the loop.
    pub fn systematic(&self) -> i64 {
        self.same() - self.mean
    }

    /// What is lost because another one is.
    pub fn rotating(&self) -> i64 {
        self.longest - self.same()
    }

    /// What the worker works that works most of all, or, where that is more, the part of the loop that is the longest one for most of the time.
    fn same(&self) -> i64 {
        let part = self.parts.values().copied().max().unwrap_or(0);
        self.busiest().1.max(part)
    }

    /// The worker that works most of all.
    pub fn busiest(&self) -> (u32, i64) {
        let most = self.workers.iter().max_by_key(|&(&worker, &work)| (work, std::cmp::Reverse(worker)));
        most.map_or((0, 0), |(&worker, &work)| (worker, work))
    }

    /// What all steps would be shorter by if their members had equal work.
    pub fn excess(&self) -> i64 {
        self.longest - self.mean
    }

    /// What a step takes, on average.
    pub fn step(&self) -> i64 {
        self.longest / self.steps.max(1) as i64
    }

    /// What a member waits in a step, on average.
    pub fn wait(&self) -> i64 {
        (self.longest - self.mean) / self.steps.max(1) as i64
    }

    /// Whether a worker with a higher number works longer, in the worst step.
    pub fn grows(&self, tasks: &Tasks) -> bool {
        let works: Vec<i64> = works(tasks, self.worst.node).map(|(_, work)| work).collect();
        works.len() > 1 && works.windows(2).all(|pair| pair[1] * 20 >= pair[0] * 19)
    }
}

/// Teams by line.
#[derive(Debug, Default)]
pub struct Teams {
    by_line: HashMap<u32, Team>,
}

fn lost(phase: &Phase) -> i64 {
    phase.longest * i64::from(phase.members) - phase.sum
}

impl Teams {
    /// One pass over the members of all teams.
    pub fn of(tasks: &Tasks, phases: &[Phase]) -> Self {
        let sites = Sites::new(tasks);
        let mut by_line: HashMap<u32, Team> = HashMap::new();
        let mut last: HashMap<u32, u32> = HashMap::new();
        for phase in phases {
            let team = by_line.entry(phase.line).or_insert_with(|| Team {
                steps: 0,
                members: phase.members,
                is_loop: phase.is_loop,
                uneven: 0,
                worst: *phase,
                barrier: barrier(tasks, &sites, phase.node).unwrap_or(phase.line),
                around: phase.around,
                lost: 0,
                longest: 0,
                mean: 0,
                workers: HashMap::new(),
                parts: HashMap::new(),
                changes: 0,
            });
            let mean = phase.sum / i64::from(phase.members.max(1));
            team.steps += 1;
            team.uneven += u64::from(10 * phase.longest > 11 * mean);
            team.lost = team.lost.saturating_add(lost(phase));
            team.longest += phase.longest;
            team.mean += mean;
            team.members = team.members.max(phase.members);
            team.changes +=
                u64::from(last.insert(phase.line, phase.worker).is_some_and(|worker| worker != phase.worker));
            if lost(phase) > lost(&team.worst) {
                team.worst = *phase;
            }
            if let Some((first, work)) = phase.part {
                let part = team.parts.entry(first).or_default();
                *part = part.saturating_add(work);
            }
            for (member, work) in works(tasks, phase.node) {
                let worker =
                    tasks.worker(tasks.dag().first_block(member)).map_or(u32::MAX, |worker| worker as u32);
                *team.workers.entry(worker).or_default() += work;
            }
        }
        Teams { by_line }
    }

    pub fn of_line(&self, line: u32) -> Option<&Team> {
        self.by_line.get(&line)
    }

    /// The teams of a region: those of its own line first, then those of what it does behind its barriers, by line.
    pub fn of_region(&self, region: u32) -> impl Iterator<Item = &Team> {
        let own = self.by_line.get(&region);
        let mut others: Vec<&Team> = self
            .by_line
            .values()
            .filter(|team| team.worst.region == region && team.worst.line != region && !team.is_loop)
            .collect();
        others.sort_by_key(|team| team.worst.line);
        own.into_iter().chain(others)
    }
}

/// Where the members of a team wait: the end of the last interval of one of them.
fn barrier(tasks: &Tasks, sites: &Sites, section: NodeId) -> Option<u32> {
    let member = works(tasks, section).next().map(|(member, _)| tasks.dag().last_block(member))?;
    Some(sites.to(tasks.site(member))).filter(|&line| line != NO_SITE)
}

/// Whether the members of a team go on behind a barrier with something else than before it: they come to another barrier. The
/// line of the region does not say which of its parts that is.
fn is_another(tasks: &Tasks, sites: &Sites, section: NodeId) -> bool {
    let before = tasks.tree().previous_sibling(section).and_then(|before| barrier(tasks, sites, before));
    before.is_some_and(|before| barrier(tasks, sites, section) != Some(before))
}
