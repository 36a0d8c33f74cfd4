//! Everything about one node of the grain graph.

use std::path::Path;

use crosscut_run::Source;
use crosscut_tasks::Tasks;
use crosscut_tasks::grain::{GrainKind, Grains, Problem};
use crosscut_tasks::schema::Kind;
use crosscut_tree::NodeId;
use crosscut_view::colour::worker_slot;
use crosscut_view::format::count;
use crosscut_view::palette::slot;

use super::grain_scene::look;
use super::overview::fact;
use super::{existing, long_source, short_source};
use crate::OpenRun;
use crate::answer::Refusal;
use crate::grains::GrainRun;
use crate::protocol::{Alike, Code, Crumb, Fact, GrainAnswer, LensRequest, Member, MixPart, ProblemValue};

/// Groups that are named at both ends of a long path.
const CRUMBS: usize = 32;
/// Members that are listed.
const MEMBERS: usize = 64;
/// Members of a very wide group among which those with most work are looked for.
const LOOKED_AT: usize = 4096;

/// A node of the grain graph that exists.
pub fn existing_grain(grains: &Grains, node: u32) -> Result<NodeId, Refusal> {
    let id = NodeId(node);
    if grains.tree().contains(id) {
        Ok(id)
    } else {
        let nodes = count(grains.tree().node_count() as i64);
        Err(format!("there is no node {node} in the grain graph: it has {nodes} nodes"))
    }
}

/// One line that names a node: "fork-join group sort.c:12".
pub fn title(run: &OpenRun, node: NodeId) -> String {
    let grains = &run.grain_run().grains;
    let (kind, task) = (grains.kind(node).word(), grains.task(node));
    let source = short_source(&run.tasks, task);
    if source.is_empty() { format!("{kind} g{}", node.0) } else { format!("{kind} {source}") }
}

/// "file:line" of where a node began.
pub fn place(run: &OpenRun, node: NodeId) -> Option<String> {
    run.tasks.source(run.grain_run().grains.task(node)).0.map(long_source)
}

/// Answers [`crate::protocol::Op::Grain`].
pub fn grain(
    run: &OpenRun,
    node: u32,
    lens: Option<&LensRequest>,
    of_task: bool,
) -> Result<GrainAnswer, Refusal> {
    let (tasks, graph) = (&run.tasks, run.grain_run());
    let grains = &graph.grains;
    let node =
        if of_task { graph.of_task(tasks, existing(tasks, node)?) } else { existing_grain(grains, node)? };
    let lens = graph.lens(lens)?;
    let (tree, task, kind) = (grains.tree(), grains.task(node), grains.kind(node));
    let (from, to) = tasks.source(task);
    let (same, of) = grains.siblings_alike(node);
    let holds = |node: NodeId| lens.as_ref().is_some_and(|known| known.set.lens.inside(tree, node) > 0);
    Ok(GrainAnswer {
        node: node.0,
        task: task.0,
        kind: kind.word().to_owned(),
        title: title(run, node),
        path: path(run, node),
        facts: facts(tasks, graph, node),
        problems: problems(
            tasks,
            graph,
            node,
            lens.as_deref().map(|known| (known.set.problem, known.set.threshold)),
        ),
        members: members(run, node, holds),
        member_count: tree.child_count(node) as f64,
        alike: Alike {
            siblings: (same as f64, of as f64),
            groups: if kind.is_group() { grains.alike(node, 0).1 as f64 } else { 0.0 },
        },
        includes: includes(tasks, task),
        creator: creator(tasks, grains, node),
        after: after(run, node),
        source: (from.map(long_source), to.map(long_source)),
        code: from.and_then(code),
        time: (tasks.start(task) as f64, tasks.end(task) as f64),
        mix: mix(tasks, task, kind),
        critical: is_critical(run, node),
        siblings: (tree.previous_sibling(node).map(|n| n.0), tree.next_sibling(node).map(|n| n.0)),
        collapsed: kind == GrainKind::Folded,
    })
}

/// Whether a node lies on the critical path of the run; paths of wide groups are remembered.
fn is_critical(run: &OpenRun, node: NodeId) -> bool {
    let (look, tree) = (look(run, None, false), run.grain_run().grains.tree());
    let above = tree.ancestors(node).zip(std::iter::once(node).chain(tree.ancestors(node)));
    above.into_iter().all(|(group, member)| look.path(group).takes(member))
}

fn path(run: &OpenRun, node: NodeId) -> Vec<Crumb> {
    let tree = run.grain_run().grains.tree();
    let mut nodes: Vec<NodeId> = tree.ancestors(node).collect();
    nodes.reverse();
    if nodes.len() > 2 * CRUMBS {
        nodes.drain(CRUMBS..nodes.len() - CRUMBS);
    }
    nodes.into_iter().map(|node| Crumb { node: node.0, title: title(run, node) }).collect()
}

fn facts(tasks: &Tasks, graph: &GrainRun, node: NodeId) -> Vec<Fact> {
    let (grains, clock) = (&graph.grains, tasks.clock().unit());
    let metrics = grains.metrics(tasks, node);
    let (kind, task) = (grains.kind(node), grains.task(node));
    let mut facts = vec![
        fact("work", metrics.work as f64, clock),
        fact("path of grains", metrics.critical_path as f64, clock),
    ];
    let group = kind.is_group();
    if group {
        let range = grains.grain_range(node);
        facts.push(fact("grains", range.len() as f64, ""));
        facts.push(fact("groups", (grains.tree().size(node) - range.len()) as f64, ""));
    }
    let mut add = |name: &str, value: Option<f64>, unit: &str| {
        facts.extend(value.filter(|value| value.is_finite()).map(|value| fact(name, value, unit)));
    };
    add("creation cost", metrics.creation.map(|cost| cost as f64), clock);
    add("sync cost", metrics.sync.map(|cost| cost as f64), clock);
    add(if group { "least parallel benefit" } else { "parallel benefit" }, metrics.benefit, "ratio");
    let balance = match kind {
        GrainKind::Chunk => "chunk work balance",
        _ if group => "largest work balance",
        _ => "sibling work balance",
    };
    add(balance, metrics.balance, "ratio");
    add(if group { "largest sibling scatter" } else { "sibling scatter" }, metrics.scatter, "cores");
    if group {
        add("least parallelism", metrics.parallelism, "");
    } else {
        let beside = grains.in_progress(tasks, node);
        add("parallelism, least", Some(beside.least), "");
        add("parallelism, median", Some(beside.median), "");
        add("parallelism, most", Some(beside.most), "");
        if kind == GrainKind::Folded {
            add("tasks folded", tasks.collapsed(task).map(|_| inner_tasks(tasks, task) as f64), "");
        }
    }
    if let Some((first, iterations)) = tasks.chunk(task).filter(|_| kind == GrainKind::Chunk) {
        add("first iteration", Some(first as f64), "number");
        add("iterations", Some(iterations as f64), "");
    }
    let value = |problem| grains.problem_value(problem, node, graph.deviation.as_ref());
    let most = |name: &str| if group { format!("largest {name}") } else { name.to_owned() };
    add(&most("work deviation"), value(Problem::WorkDeviation), "ratio");
    if let Some(stall) = value(Problem::MemoryStall) {
        add(&most("memory stall share"), Some(stall), "ratio");
        let name = "memory utilisation (working / stalled cycles)";
        add(name, (stall > 0.0 && !group).then(|| (1.0 - stall) / stall), "ratio");
    }
    add("compute intensity (instructions / cache miss)", metrics.intensity, "ratio");
    if !group {
        add("core", grains.core(node).map(f64::from), "number");
    }
    facts
}

fn inner_tasks(tasks: &Tasks, task: NodeId) -> i64 {
    tasks.count(tasks.tree().range(task), Kind::End)
}

fn problems(
    tasks: &Tasks,
    graph: &GrainRun,
    node: NodeId,
    lens: Option<(Problem, f64)>,
) -> Vec<ProblemValue> {
    let has_chunks = graph.missing(Problem::ChunkImbalance).is_none();
    let value = |problem: Problem| match problem {
        // Without chunks, the balance of a group is at hand; else each grain must be asked.
        Problem::SiblingImbalance if !has_chunks => graph.grains.metrics(tasks, node).balance,
        _ => graph.grains.problem_value(problem, node, graph.deviation.as_ref()),
    };
    let tell = |problem: Problem| {
        let threshold =
            lens.filter(|lens| lens.0 == problem).map_or_else(|| graph.threshold(problem), |lens| lens.1);
        let known = graph.known(problem, threshold);
        let grains = known.set.lens.inside(graph.grains.tree(), node);
        ProblemValue {
            problem: problem.word().to_owned(),
            metric: problem.metric().to_owned(),
            value: value(problem).filter(|value| value.is_finite()),
            threshold,
            below: problem.is_below(),
            has: grains > 0,
            grains: grains as f64,
        }
    };
    Problem::ALL.into_iter().filter(|&problem| graph.missing(problem).is_none()).map(tell).collect()
}

fn members(run: &OpenRun, node: NodeId, holds: impl Fn(NodeId) -> bool) -> Vec<Member> {
    let grains = &run.grain_run().grains;
    let looked_at = grains.tree().children(node).take(LOOKED_AT);
    let mut members: Vec<(NodeId, i64)> = looked_at.map(|member| (member, grains.work(member))).collect();
    members.sort_by_key(|&(member, work)| (std::cmp::Reverse(work), member));
    members.truncate(MEMBERS);
    let member = |(member, work): (NodeId, i64)| Member {
        node: member.0,
        kind: grains.kind(member).word().to_owned(),
        title: title(run, member),
        work: work as f64,
        grains: grains.grain_range(member).len() as f64,
        problem: holds(member),
    };
    members.into_iter().map(member).collect()
}

/// Tasks, lanes and chunks in a node of the task tree, itself among them.
fn includes(tasks: &Tasks, task: NodeId) -> f64 {
    let count = |kind: Kind| tasks.count(tasks.tree().range(task), kind);
    (count(Kind::End) + count(Kind::Chunk)) as f64
}

/// The grains or groups of the tasks that a task depends on, without what it waits for in the tree.
fn after(run: &OpenRun, node: NodeId) -> Vec<Crumb> {
    let (tasks, graph) = (&run.tasks, run.grain_run());
    let needed = tasks.depends_on(graph.grains.task(node)).iter().take(MEMBERS);
    let crumb = |&task: &u32| {
        let node = graph.of_task(tasks, NodeId(task));
        Crumb { node: node.0, title: title(run, node) }
    };
    needed.map(crumb).collect()
}

/// The task that created a grain, when it is drawn in the join of another one.
fn creator(tasks: &Tasks, grains: &Grains, node: NodeId) -> Option<Crumb> {
    let (tree, drawn_in) = (tasks.tree(), grains.tree());
    let task = grains.task(node);
    if tasks.kind(task) != Kind::Task {
        return None;
    }
    let creator = tree.ancestors(task).find(|&above| tasks.kind(above) == Kind::Task)?;
    // The group of the task that joins it: above its own linear group and the fork-join.
    let holder = drawn_in
        .ancestors(node)
        .map(|group| grains.task(group))
        .find(|&above| above != task && tasks.kind(above) == Kind::Task && tree.is_below(task, above));
    if holder.is_none_or(|holder| holder == creator) {
        return None;
    }
    let source = short_source(tasks, creator);
    let word = tasks.word(creator);
    let title = if source.is_empty() { format!("{word} #{}", creator.0) } else { format!("{word} {source}") };
    Some(Crumb { node: creator.0, title })
}

/// Largest share first: of a group everything below its task, of a grain its own intervals.
fn mix(tasks: &Tasks, task: NodeId, kind: GrainKind) -> Vec<MixPart> {
    const INTERVALS: usize = 100_000;
    let own_only = !kind.is_group() && !tasks.is_collapsed(task) && !tasks.tree().is_leaf(task);
    let mix = if own_only {
        let mut mix = vec![0i64; tasks.workers() + 1];
        let range = tasks.tree().range(task);
        let (mut at, mut seen) = (range.start + 1, 0);
        while at < range.end && seen < INTERVALS {
            let node = NodeId(at as u32);
            seen += 1;
            if tasks.kind(node) == Kind::Task {
                at = tasks.tree().range(node).end;
                continue;
            }
            if tasks.tree().is_leaf(node) {
                let worker = tasks.worker(node).unwrap_or(tasks.workers()).min(tasks.workers());
                mix[worker] += tasks.elapsed(node);
            }
            at += 1;
        }
        mix
    } else {
        tasks.mix(tasks.tree().range(task))
    };
    let part = |(worker, time): (usize, i64)| {
        let known = worker < tasks.workers();
        MixPart {
            fill: if known { worker_slot(worker) } else { slot::SEVERAL },
            name: if known { format!("worker {worker}") } else { "several".to_owned() },
            time: time as f64,
        }
    };
    let mut shares: Vec<(usize, i64)> = mix.into_iter().enumerate().filter(|&(_, time)| time > 0).collect();
    shares.sort_by_key(|&(worker, time)| (std::cmp::Reverse(time), worker));
    shares.into_iter().map(part).collect()
}

/// Lines before and after the one that is meant.
const AROUND: usize = 4;
/// Files larger than this are not looked into.
const LARGEST: u64 = 4 << 20;
/// Longer lines are cut.
const LONGEST: usize = 200;

/// The lines around a source position, if the file is there and is text.
fn code(source: &Source) -> Option<Code> {
    let path = Path::new(&source.file);
    let about = std::fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > LARGEST {
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    let line = usize::try_from(source.line).ok().filter(|&line| line > 0)?;
    let first = line.saturating_sub(AROUND).max(1);
    let whole = |line: &str| line.trim_end().chars().take(LONGEST).collect::<String>();
    let lines: Vec<String> =
        text.lines().skip(first - 1).take(line + AROUND + 1 - first).map(whole).collect();
    // The file changed since: the line is past its end.
    (first + lines.len() > line).then(|| Code {
        file: source.file.clone(),
        first: first as u32,
        lines,
        mark: line as u32,
    })
}
