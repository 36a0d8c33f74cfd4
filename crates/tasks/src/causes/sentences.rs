//! Losses as findings: for each cause a name, a sentence that proves it and an advice that follows from its numbers. No
//! sentence says what a recorder does not know.

use crosscut_run::NO_SITE;
use crosscut_tree::NodeId;

use super::blame::Blame;
use super::cutoff::{Cutoff, GOOD};
use super::groups::Lengths;
use super::judge::{FETCH, FINE, Facts, Judged, Loss, WORTH_IT, part_of, step, task_of};
use super::locks::Waits;
use super::phases::Team;
use super::roles::Roles;
use super::words::{amount, grouped, many, percent, three};
use super::{Account, Cause, Causes, Finding, Sizes};
use crate::schema::Kind;
use crate::tasks::Tasks;

/// The part of the time that the program had from which on what it can change is told before what it cannot.
const MATTERS: i64 = 20;
/// What lies outside of the program comes first all the same where it costs so many times as much.
const DWARFED: i64 = 8;
/// Waiting at barriers on crowded processors so many times as long as something else costs comes first all the same.
const CROWDED: i64 = 4;

/// All losses, worst first, and where the time went.
pub fn tell(tasks: &Tasks, roles: &Roles, blame: &Blame, judged: &Judged) -> Causes {
    let summary = tasks.summary();
    let capacity = i64::from(summary.workers).saturating_mul(summary.elapsed);
    let work = summary.work.saturating_sub(judged.inside);
    let teller = Teller { tasks, roles, blame, facts: &judged.facts, work };
    let mut findings: Vec<(usize, Finding)> = judged
        .losses
        .iter()
        .enumerate()
        .filter(|(_, loss)| loss.cost > 0)
        .map(|(at, loss)| (at, teller.finding(loss)))
        .collect();
    let more = shared(tasks, blame) + judged.shared;
    // Worst first, but what the program can change comes before what it cannot, where it matters at all.
    let outside: i64 = judged
        .losses
        .iter()
        .filter(|loss| loss.cause.is_outside())
        .map(|loss| loss.cost)
        .fold(0, i64::saturating_add);
    let least =
        (capacity.saturating_sub(outside).saturating_sub(more).max(0) / MATTERS).max(outside / DWARFED);
    for (_, finding) in &mut findings {
        finding.behind = finding.cause.is_outside() || finding.cost < least;
    }
    if i64::from(summary.workers) > blame.workers {
        crowded(&mut findings);
    }
    findings.sort_by_key(|(_, finding)| (finding.behind, std::cmp::Reverse(finding.cost), finding.cause));
    keep_within(capacity, &mut findings);
    super::stretches::add(tasks, roles, blame, judged, &mut findings);
    let findings: Vec<Finding> = findings.into_iter().map(|(_, finding)| finding).collect();
    let lost = findings.iter().map(|finding| finding.cost).fold(0, i64::saturating_add);
    let account = Account::of(capacity, work, lost, more);
    let others = blame.idle.map(|_| blame.taken(summary.elapsed));
    Causes { findings, account, workers: blame.workers, others, blocked: blame.blocked() }
}

/// With more workers than processors it is the kernel's doing who is last at a barrier and how long it takes until all have
/// started: what the program does itself comes first, where it is not little against that.
fn crowded(findings: &mut [(usize, Finding)]) {
    let is_own = |finding: &Finding| !finding.behind && finding.cause != Cause::BarrierWait;
    let own = findings.iter().filter(|(_, finding)| is_own(finding)).map(|(_, finding)| finding.cost).max();
    for (_, finding) in findings.iter_mut().filter(|(_, finding)| finding.cause == Cause::BarrierWait) {
        finding.behind |= own.is_some_and(|own| own.saturating_mul(CROWDED) >= finding.cost);
    }
}

/// Shares are rounded: there is not more lost than the workers had. The least findings give up what is too much.
fn keep_within(capacity: i64, findings: &mut Vec<(usize, Finding)>) {
    let mut left = capacity.max(0);
    for (_, finding) in findings.iter_mut() {
        finding.cost = finding.cost.min(left);
        left -= finding.cost;
    }
    findings.retain(|(_, finding)| finding.cost > 0);
}

/// Time of workers that could not have had a processor, because there are more of them than processors.
fn shared(tasks: &Tasks, blame: &Blame) -> i64 {
    let summary = tasks.summary();
    let more = (i64::from(summary.workers) - blame.workers).max(0).saturating_mul(summary.elapsed);
    // Intervals that shared a processor, as far as nobody measured it, count as work.
    (more - (blame.over - blame.off()).max(0)).max(0)
}

struct Teller<'a> {
    tasks: &'a Tasks,
    roles: &'a Roles,
    blame: &'a Blame,
    facts: &'a Facts,
    work: i64,
}

/// Name, evidence, advice.
type Told = (String, String, String);

impl Teller<'_> {
    fn finding(&self, loss: &Loss) -> Finding {
        let (what, evidence, advice) = self.told(loss);
        let elapsed = self.tasks.summary().elapsed;
        let node = (loss.worst.1 != u32::MAX).then_some(NodeId(loss.worst.1));
        Finding {
            cause: loss.cause,
            cost: loss.cost,
            without: self.without(loss.cost),
            what,
            evidence,
            advice,
            source: (loss.line != NO_SITE).then_some(loss.line),
            node,
            window: node
                .and_then(|node| self.window(loss, node))
                .filter(|window| window.1.saturating_sub(window.0) < elapsed),
            behind: false,
            stretches: Vec::new(),
            sizes: self.sizes(loss),
        }
    }

    /// No schedule of the same work without this loss is shorter.
    fn without(&self, cost: i64) -> i64 {
        let workers = self.blame.workers;
        (self.tasks.summary().elapsed - cost / workers).max(self.work / workers).max(0)
    }

    /// How long those are that a loss calls too small.
    fn sizes(&self, loss: &Loss) -> Option<Sizes> {
        let (lengths, needed) = match loss.cause {
            Cause::SmallTasks => (
                self.roles.tasks.get(&loss.line)?,
                WORTH_IT.saturating_mul(self.facts.cost_of_task(loss.line)),
            ),
            Cause::FineChunks => (self.roles.chunks.get(&loss.line)?, FINE * FETCH),
            _ => return None,
        };
        Some(Sizes { bins: lengths.bins(), needed, below: lengths.below(needed) })
    }

    fn told(&self, loss: &Loss) -> Told {
        match loss.cause {
            Cause::SerialPart => self.serial_part(loss),
            Cause::SerialSpawn => self.serial_spawn(loss),
            Cause::Imbalance => match self.facts.teams.of_line(loss.line) {
                Some(team) if self.is_member(loss) => self.imbalance(loss, team),
                _ => self.uneven_tasks(loss),
            },
            Cause::BarrierWait => match self.facts.teams.of_line(loss.about) {
                _ if let Some(handed) = self.handed(loss) => handed,
                Some(team) => self.barrier_wait(team),
                None => self.runtime_delay(loss),
            },
            Cause::DependenceChain if self.facts.is_ordered(self.tasks, loss.line) => self.turns(loss),
            Cause::DependenceChain => self.chain(loss),
            Cause::WaitInLoop => self.wait_in_loop(loss),
            Cause::LateTask => self.late_task(loss),
            Cause::SmallTasks => self.small_tasks(loss),
            Cause::FineChunks => self.fine_chunks(loss),
            Cause::Preempted => self.preempted(loss),
            Cause::Lock => self.lock(loss),
            Cause::WorkInflation => self.inflation(loss),
            Cause::RuntimeDelay => self.runtime_delay(loss),
        }
    }

    fn time(&self, value: i64) -> String {
        amount(value as f64, self.tasks.clock())
    }

    /// With more workers than processors it is processors that have nothing to run.
    fn others(&self) -> String {
        let is_shared = i64::from(self.tasks.summary().workers) > self.blame.workers;
        let who = if is_shared { "processor" } else { "worker" };
        match self.blame.workers - 1 {
            1 => format!("the other {who} has"),
            others => format!("{} {who}s have", grouped(others.max(0) as u64)),
        }
    }

    fn place(&self, source: u32) -> String {
        self.tasks.sources().get(source).map_or_else(|| "?".to_owned(), |source| source.short())
    }

    fn function(&self, source: u32) -> String {
        let named = self.tasks.sources().get(source).filter(|source| !source.function.is_empty());
        named.map_or_else(String::new, |source| format!(", in {}", source.function))
    }

    /// Whether the interval that costs most belongs to a member of a team.
    fn is_member(&self, loss: &Loss) -> bool {
        task_of(self.tasks, loss.worst.1).is_some_and(|task| self.tasks.is_lane(task))
    }

    /// The time that shows it: the team, the section of the tasks, or the interval itself.
    fn window(&self, loss: &Loss, node: NodeId) -> Option<(i64, i64)> {
        let shown = match loss.cause {
            Cause::SerialPart | Cause::RuntimeDelay => node,
            _ => part_of(self.tasks, node.0).and_then(|task| self.tasks.tree().parent(task)).unwrap_or(node),
        };
        Some((self.tasks.start(shown), self.tasks.end(shown)))
    }
}

/// One function for each cause.
impl Teller<'_> {
    fn serial_part(&self, loss: &Loss) -> Told {
        let node = NodeId(loss.worst.1);
        let (from, to) = self.tasks.source(node);
        let between = match (from, to) {
            (Some(from), Some(to)) if from != to => format!("Between {} and {}", from.short(), to.short()),
            (Some(from), _) => format!("At {}", from.short()),
            _ => "Here".to_owned(),
        };
        let each = loss.time / loss.blamed.max(1) as i64;
        let evidence = format!(
            "{between}{}: {} × {} on {} while {} nothing to run.",
            self.function(loss.line),
            grouped(loss.blamed),
            self.time(each),
            self.worker(node),
            self.others(),
        );
        let advice =
            format!("Split it in {} parts, or run it beside other work.", grouped(self.blame.workers as u64));
        ("Serial part".to_owned(), evidence, advice)
    }

    fn worker(&self, node: NodeId) -> String {
        self.tasks
            .worker(node)
            .map_or_else(|| "several workers".to_owned(), |worker| format!("worker {worker}"))
    }

    fn serial_spawn(&self, loss: &Loss) -> Told {
        let lengths = self.lengths(loss.line);
        let node = NodeId(loss.worst.1);
        let section = self.tasks.tree().parent(node).unwrap_or(node);
        let created = self.roles.made_in(section).max(1);
        let creating: i64 = self.creating(section);
        let each = creating / i64::from(created);
        let feeds = lengths.sum as f64 / lengths.count.max(1) as f64 / each.max(1) as f64;
        let evidence = format!(
            "One task creates all {}, one per {}; a task lasts {}: that feeds {} of {} workers.",
            grouped(created.into()),
            self.time(each),
            self.time(lengths.median()),
            three(feeds),
            self.blame.workers,
        );
        let advice = "Create them from several tasks: split the range in two again and again, or let each task make its own \
                      input.";
        ("Tasks created by one".to_owned(), evidence, advice.to_owned())
    }

    /// Time in which a section creates its tasks.
    fn creating(&self, section: NodeId) -> i64 {
        let tree = self.tasks.tree();
        let last = tree.children_from(section, tree.child_count(section).saturating_sub(1)).next();
        let last = std::iter::successors(last, |&at| tree.previous_sibling(at))
            .take(64)
            .find(|&at| self.tasks.kind(at) == Kind::Create);
        last.map_or(0, |last| self.tasks.end(last) - self.tasks.start(section))
    }

    fn lengths(&self, line: u32) -> Lengths {
        self.roles.tasks.get(&line).cloned().unwrap_or_default()
    }

    /// A region that does not have all workers.
    fn few_members(&self, loss: &Loss, team: &Team) -> Told {
        let evidence = format!(
            "Only {} of {} workers take part in this region, for {} in all: the others have nothing to run.",
            grouped(team.members.into()),
            grouped(self.blame.workers.max(0) as u64),
            self.time(loss.cost / (self.blame.workers - i64::from(team.members)).max(1)),
        );
        let advice = "Let more threads take part (num_threads), or run it beside other work.";
        ("Region with few workers".to_owned(), evidence, advice.to_owned())
    }

    fn imbalance(&self, loss: &Loss, team: &Team) -> Told {
        let few = i64::from(team.members) < self.blame.workers && team.around.is_none();
        if few && team.lost.saturating_mul(2) < loss.cost {
            return self.few_members(loss, team);
        }
        let worst = &team.worst;
        let mean = worst.sum / i64::from(worst.members.max(1));
        let ratio = worst.longest as f64 / mean.max(1) as f64;
        let ratio = match worst.members {
            2 => format!("{} of at most 2", three(ratio)),
            _ => format!("{}×", three(ratio)),
        };
        let place = if team.is_loop { "this loop" } else { "this region" };
        let who = match worst.worker {
            u32::MAX => "One worker".to_owned(),
            worker => format!("Worker {worker}"),
        };
        let waits = match worst.members {
            2 => "the other one waits".to_owned(),
            members => format!("{} workers wait", grouped(u64::from(members) - 1)),
        };
        let often = if team.steps > 1 {
            format!(", {} of {} times", grouped(team.uneven), grouped(team.steps))
        } else {
            String::new()
        };
        let evidence = format!(
            "{who} works {} in {place}, the mean is {} ({ratio}): {waits} at its end{often}.",
            self.time(worst.longest),
            self.time(mean),
        );
        let trend = if team.grows(self.tasks) { "The later the worker, the longer: " } else { "" };
        let advice = match (self.longest_alone(team, mean), self.chunk(team)) {
            (Some(longest), _) => format!(
                "One of its parts takes {} alone, and no schedule is shorter: split that one.",
                self.time(longest)
            ),
            (None, Some(chunk)) if team.is_loop => {
                format!("{trend}schedule(dynamic, {chunk}) shares out the rest.")
            }
            _ => {
                format!("{trend}give each member the same work, or let them fetch parts until none is left.")
            }
        };
        (format!("Imbalance in a {}", if team.is_loop { "loop" } else { "region" }), evidence, advice)
    }

    /// What the members of the worst team did, part by part.
    fn parts(&self, team: &Team) -> impl Iterator<Item = NodeId> + '_ {
        let tree = self.tasks.tree();
        let members = tree.children(team.worst.node).filter(|&child| self.tasks.is_lane(child));
        members.flat_map(move |member| tree.children(member)).take(1 << 16)
    }

    /// One iteration, or one section, that takes longer than all would if they were equal.
    fn longest_alone(&self, team: &Team, mean: i64) -> Option<i64> {
        let alone = self.parts(team).filter(|&node| self.tasks.chunk(node).is_some_and(|chunk| chunk.1 == 1));
        alone.map(|node| self.tasks.elapsed(node)).max().filter(|&longest| longest > mean)
    }

    /// A chunk that leaves every worker sixteen of them.
    fn chunk(&self, team: &Team) -> Option<i64> {
        let chunks = self.parts(team).filter_map(|node| self.tasks.chunk(node));
        let iterations: i64 = chunks.map(|chunk| chunk.1).fold(0, i64::saturating_add);
        (iterations > 0).then(|| (iterations / (16 * self.blame.workers)).max(1))
    }

    fn barrier_wait(&self, team: &Team) -> Told {
        let evidence = format!(
            "{} barriers, another worker last {} times: the mean wait is {} of a step of {}.",
            grouped(team.steps),
            grouped(team.changes),
            percent(team.wait() as f64, team.step() as f64),
            self.time(team.step()),
        );
        let advice = "Join steps, or drop the barrier (nowait) where the next step does not need the others.";
        ("Waiting at barriers".to_owned(), evidence, advice.to_owned())
    }

    /// Many short steps, each of which has to be started and ended.
    fn handed(&self, loss: &Loss) -> Option<Told> {
        let &(region, cost) = self.facts.handed.get(&loss.line)?;
        let steps = *self.roles.steps.get(&region)?;
        if cost.saturating_mul(2) < loss.cost {
            return None;
        }
        let evidence = format!(
            "{} × {} to start and end a step of {}.",
            grouped(steps.count),
            self.time(cost / self.blame.workers.max(1) / steps.count.max(1) as i64),
            self.time(step(steps)),
        );
        let advice = "One region around the loop, or join steps: each has to do more than starting and ending it costs.";
        Some(("Short steps".to_owned(), evidence, advice.to_owned()))
    }

    /// Iterations of a loop that wait for their turn.
    fn turns(&self, loss: &Loss) -> Told {
        let waits = self.facts.locks.of_line(loss.line).unwrap_or_default();
        // In a chain of turns each of the others waits as long as a turn takes. Who waits for another iteration has no turn: nothing is
        // between having waited and going on.
        let workers = i64::from(self.tasks.summary().workers);
        if waits.held.saturating_mul(10 * workers) < loss.cost {
            let evidence = format!(
                "{} times an iteration needs an earlier one; {} of them had to wait for it, {} in all.",
                grouped(waits.count.max(0) as u64),
                grouped(waits.waits.max(0) as u64),
                self.time(loss.cost),
            );
            let advice = "Let an iteration need less of the one before, or let those run side by side that need nothing of each other (wavefronts, blocks).";
            return ("Chain of iterations".to_owned(), evidence, advice.to_owned());
        }
        let evidence = format!(
            "{} turns of {} in an ordered region, one after the other; {} of them had to wait for the one before, {} in all.",
            grouped(waits.count.max(0) as u64),
            self.time(waits.held / waits.count.max(1)),
            grouped(waits.waits.max(0) as u64),
            self.time(loss.cost),
        );
        let advice = "Move out of the ordered region what needs no order, or keep results and put them in order afterwards.";
        ("Chain of turns".to_owned(), evidence, advice.to_owned())
    }

    /// What a creator runs itself beside the few tasks that it creates.
    fn uneven_inline(&self, loss: &Loss, inline: i64) -> Told {
        let lengths = self.lengths(loss.line);
        let mean = lengths.sum / lengths.count.max(1) as i64;
        let evidence = format!(
            "What runs inline beside {} takes {}, their mean is {}: when they are done, {} nothing to run.",
            match lengths.count {
                1 => "the task".to_owned(),
                count => many(count, "task"),
            },
            self.time(inline),
            self.time(mean),
            self.others(),
        );
        let advice = "Split the long part, or create tasks in it too.";
        ("Imbalance between tasks".to_owned(), evidence, advice.to_owned())
    }

    fn uneven_tasks(&self, loss: &Loss) -> Told {
        let lengths = self.lengths(loss.line);
        let mean = lengths.sum / lengths.count.max(1) as i64;
        let part = part_of(self.tasks, loss.worst.1);
        if let Some(inline) = part.filter(|&part| self.tasks.kind(part) != Kind::Task) {
            return self.uneven_inline(loss, self.tasks.elapsed(inline));
        }
        let longest = part.map_or(0, |task| self.tasks.elapsed(task));
        let evidence = if lengths.count > 1 {
            format!(
                "A task takes {}, the mean of {} is {} ({}×): when the others are done, {} nothing to run.",
                self.time(longest),
                grouped(lengths.count),
                self.time(mean),
                three(longest as f64 / mean.max(1) as f64),
                self.others(),
            )
        } else {
            format!("A task takes {} while {} nothing to run.", self.time(longest), self.others())
        };
        ("Imbalance between tasks".to_owned(), evidence, "Split the long ones into more tasks.".to_owned())
    }

    fn chain(&self, loss: &Loss) -> Told {
        let chain = self.facts.chains.of_line(loss.line).unwrap_or_default();
        let elapsed = self.tasks.summary().elapsed;
        let evidence = format!(
            "{} tasks, each waits for the one before (depend, {}): {} in a row, {} of the run.",
            grouped(chain.tasks),
            self.place(loss.line),
            self.time(chain.time),
            percent(chain.time as f64, elapsed as f64),
        );
        let advice = "More workers cannot help: shorten the task, or cut the chain (a copy of what it updates for each group).";
        ("Chain of dependences".to_owned(), evidence, advice.to_owned())
    }

    fn wait_in_loop(&self, loss: &Loss) -> Told {
        let section = part_of(self.tasks, loss.worst.1).and_then(|task| self.tasks.tree().parent(task));
        let flight = section.map_or(1, |section| self.roles.made_in(section));
        let tasks = self.lengths(loss.about).count;
        let evidence = format!(
            "A wait after {} of {} tasks: never more than {} in flight while {} nothing to run.",
            if flight == 1 { "each".to_owned() } else { format!("every {flight}") },
            grouped(tasks),
            flight,
            self.others(),
        );
        let advice = "Create more tasks before each wait: wait behind the loop, or once behind all calls.";
        ("Wait after few tasks".to_owned(), evidence, advice.to_owned())
    }

    fn late_chunk(&self, block: NodeId) -> Told {
        let tree = self.tasks.tree();
        let section = task_of(self.tasks, block.0).and_then(|lane| tree.parent(lane)).unwrap_or(block);
        let others = self.tasks.count(tree.range(section), Kind::Chunk).max(1) as u64 - 1;
        let iteration =
            self.tasks.chunk(block).map_or_else(String::new, |chunk| format!(" (iteration {})", chunk.0));
        let evidence = format!(
            "A chunk of {}{iteration} starts when most of {} are done: the others wait for it.",
            self.time(self.tasks.elapsed(block)),
            many(others, "other"),
        );
        let advice = "Let the loop begin with it (largest first): the others fill in beside it.";
        ("Late chunk".to_owned(), evidence, advice.to_owned())
    }

    fn late_task(&self, loss: &Loss) -> Told {
        if self.tasks.kind(NodeId(loss.worst.1)) == Kind::Chunk {
            return self.late_chunk(NodeId(loss.worst.1));
        }
        let Some(task) = task_of(self.tasks, loss.worst.1) else { return self.runtime_delay(loss) };
        let section = self.tasks.tree().parent(task).unwrap_or(task);
        let others = self.roles.made_in(section).saturating_sub(1);
        let alone = loss.worst.0 / (self.blame.workers - 1).max(1);
        let evidence = format!(
            "A task of {} starts when most of {} are done: it runs alone for {}.",
            self.time(self.tasks.elapsed(task)),
            many(others.into(), "other"),
            self.time(alone.min(self.tasks.elapsed(task))),
        );
        let advice = "Create it first: the others fill in beside it.";
        ("Late task".to_owned(), evidence, advice.to_owned())
    }

    fn small_tasks(&self, loss: &Loss) -> Told {
        let lengths = self.lengths(loss.line);
        let cost = self.facts.cost_of_task(loss.line);
        let evidence = format!(
            "{}, median {}; creating and starting one costs {}: {} are shorter than that.",
            many(lengths.count, "task"),
            self.time(lengths.median()),
            self.time(cost),
            percent(lengths.below(cost), 1.0),
        );
        ("Small tasks".to_owned(), evidence, self.cut_off(loss.line, cost))
    }

    /// What to do about tasks that are too small: where to stop creating them.
    fn cut_off(&self, line: u32, cost: i64) -> String {
        let times = |work: i64| three(work as f64 / cost.max(1) as f64);
        match self.facts.cutoff(self.roles, line, self.blame.workers) {
            Some(Cutoff::Depth { depth, kept, tasks, each, is_one_line }) => {
                let taskloop = match is_one_line {
                    true => format!(
                        " In a taskloop: a grainsize {} times as large.",
                        grouped((tasks / kept.max(1)).max(2))
                    ),
                    false => String::new(),
                };
                format!(
                    "Create no tasks below depth {depth} (depth 1: created by no task), run that inline: {} of {} tasks are left, \
                     those at depth {depth} with {} of work each, {} × what one costs.{taskloop}",
                    grouped(kept),
                    grouped(tasks),
                    self.time(each),
                    times(each),
                )
            }
            Some(Cutoff::Join { together, kept, tasks, each }) => {
                format!(
                    "Let each task do what {together} do now (taskloop: a grainsize so many times as large): {} instead of {} tasks, \
                     with {} of work each, {} × what one costs.",
                    grouped(kept),
                    grouped(tasks),
                    self.time(each),
                    times(each),
                )
            }
            Some(Cutoff::Size { least }) => format!(
                "Create no tasks for less than {} of work, that below them included, and run it inline: then a task costs less than \
                 5 % on top.",
                self.time(least),
            ),
            None => format!(
                "Stop creating below {} of work: then tasks cost less than 5 % on top.",
                self.time(cost.saturating_mul(GOOD))
            ),
        }
    }

    fn fine_chunks(&self, loss: &Loss) -> Told {
        let lengths = self.roles.chunks.get(&loss.line).cloned().unwrap_or_default();
        let cost = FETCH;
        let each = (lengths.sum / lengths.count.max(1) as i64).max(1);
        let evidence = format!(
            "{} of {}, at least {} to fetch each: {} of the loop.",
            many(lengths.count, "chunk"),
            self.time(lengths.median()),
            self.time(cost),
            percent(cost.min(each) as f64, each as f64),
        );
        let together = (100 * cost / each + 1).max(2);
        let advice = format!(
            "Chunks of {together} times as many iterations: fetching falls below 1 %, imbalance stays below {}.",
            self.time(together * each),
        );
        ("Fine chunks".to_owned(), evidence, advice)
    }

    fn lock(&self, loss: &Loss) -> Told {
        let waits = self.facts.locks.of_line(loss.line).unwrap_or_default();
        let kind = self.tasks.lock(waits.lock).map_or("lock", |lock| lock.kind.word());
        let name = match (self.tasks.lock_name(waits.lock), waits.locks) {
            (_, 2..) => format!("{} here are", many(waits.locks, kind)),
            (Some(name), _) => format!("The {kind} {name} is"),
            (None, _) => format!("This {kind} is"),
        };
        let evidence = format!(
            "{name} held {}: {} × {}; {} of them had to wait, {} in all.",
            self.held(&waits),
            grouped(waits.count.max(0) as u64),
            self.time(waits.held / waits.count.max(1)),
            grouped(waits.waits.max(0) as u64),
            self.time(loss.cost),
        );
        let holder = match waits.holder {
            NO_SITE => String::new(),
            holder if holder == loss.line => String::new(),
            holder => format!("It is held by {}: ", self.place(holder)),
        };
        let advice = format!("{holder}Move out what need not be locked, or sum per worker.");
        ("Waiting for a lock".to_owned(), evidence, advice)
    }

    /// How much of the time locks are held: of that from the first wait to the last where all waits have times, else of the run.
    /// Several locks, and readers, may be held at once.
    fn held(&self, waits: &Waits) -> String {
        let elapsed = self.tasks.summary().elapsed.max(1);
        let share = |time: i64| percent(waits.held as f64, time as f64);
        match waits.window().filter(|&window| waits.held <= window) {
            _ if waits.held > elapsed => {
                format!("by {} workers at once, on average", three(waits.held as f64 / elapsed as f64))
            }
            _ if waits.locks > 1 => format!("{} of the run, one or another", share(elapsed)),
            Some(window) => format!("{} of the time by one worker after the other", share(window)),
            None => format!("{} of the run by one worker after the other", share(elapsed)),
        }
    }

    fn inflation(&self, loss: &Loss) -> Told {
        let Some(line) = self.facts.grown.iter().find(|grown| grown.line == loss.line) else {
            return self.runtime_delay(loss);
        };
        let evidence = match line.cycles {
            Some((alone, beside)) => format!(
                "An instruction takes {} cycles while most workers are busy, {} while this runs alone (×{}): {} of work that would \
                 be {}.",
                three(beside),
                three(alone),
                three(beside / alone.max(f64::MIN_POSITIVE)),
                self.time(line.work),
                self.time(line.before),
            ),
            None => format!(
                "The same code takes {} here and {} with one worker (×{}), the others ×{}.",
                self.time(line.work),
                self.time(line.before),
                three(line.ratio()),
                three(line.others),
            ),
        };
        let advice = "Look at what this line shares: memory that is far away, cache lines, atomics; counters show which.";
        ("Work inflation".to_owned(), evidence, advice.to_owned())
    }

    fn preempted(&self, loss: &Loss) -> Told {
        let summary = self.tasks.summary();
        let capacity = i64::from(summary.workers).saturating_mul(summary.elapsed);
        let switches: i64 =
            self.blame.shares.iter().map(|shares| shares.switches).fold(0, i64::saturating_add);
        let hit = self.blame.shares.iter().filter(|shares| shares.off > shares.known / 20).count();
        let who = match hit {
            0 => "Workers that were free had no processor when something was ready".to_owned(),
            hit => format!(
                "{} of {} workers had no processor while they had work, and others waited for them",
                grouped(hit as u64),
                summary.workers,
            ),
        };
        let evidence = format!(
            "{who}: {} of the time, {}.",
            percent(loss.cost as f64, capacity as f64),
            many(switches.max(0) as u64, "involuntary switch"),
        );
        let advice = "More runnable threads than processors: bind threads, stop what else runs, or use fewer workers. No \
                      change in the code of tasks.";
        ("Preempted workers".to_owned(), evidence, advice.to_owned())
    }

    fn runtime_delay(&self, loss: &Loss) -> Told {
        let most = match loss.line {
            NO_SITE => String::new(),
            line => format!(", most of it at {}", self.place(line)),
        };
        let evidence = format!(
            "Work was ready while workers were free for {}{most}; no other cause explains it.",
            self.time(loss.cost)
        );
        let advice = "Nothing to change yet: compare with another runtime, or record with --counters.";
        ("Delay in the runtime".to_owned(), evidence, advice.to_owned())
    }
}

impl Account {
    /// What is left when work and losses are known.
    pub(super) fn of(capacity: i64, work: i64, lost: i64, shared: i64) -> Self {
        let shared = shared.min(capacity.saturating_sub(work).saturating_sub(lost).max(0));
        // Rows of collapsed nodes may overlap: there is not more work than time.
        let rest = capacity.saturating_sub(lost).saturating_sub(shared);
        let work = work.min(rest);
        Account { capacity, work, lost, shared, unexplained: rest.saturating_sub(work) }
    }
}
