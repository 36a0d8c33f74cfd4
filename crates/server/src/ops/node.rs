//! Everything about one node.

use crosscut_run::Source;
use crosscut_tasks::Tasks;
use crosscut_tasks::schema::Kind;
use crosscut_tree::NodeId;
use crosscut_view::colour::worker_slot;
use crosscut_view::palette::slot;

use super::overview::{fact, ratio};
use super::{existing, long_source, short_source};
use crate::answer::Refusal;
use crate::protocol::{Crumb, Fact, MixPart, NodeAnswer};

/// Ancestors that are named at both ends of a long path.
const CRUMBS: usize = 32;

/// Answers [`crate::protocol::Op::Node`].
pub fn node(tasks: &Tasks, node: u32) -> Result<NodeAnswer, Refusal> {
    let id = existing(tasks, node)?;
    let tree = tasks.tree();
    let place = |source: Option<&Source>| source.map(long_source);
    let (from, to) = tasks.source(id);
    Ok(NodeAnswer {
        node,
        kind: tasks.word(id).to_owned(),
        title: tasks.title(id),
        path: path(tasks, id),
        facts: facts(tasks, id),
        time: (tasks.start(id) as f64, tasks.end(id) as f64),
        source: (place(from), place(to)),
        mix: mix(tasks, id),
        children: tree.child_count(id) as u32,
        collapsed: tasks.is_collapsed(id),
        critical: tasks.is_critical(id),
        siblings: (tree.previous_sibling(id).map(|n| n.0), tree.next_sibling(id).map(|n| n.0)),
    })
}

fn path(tasks: &Tasks, node: NodeId) -> Vec<Crumb> {
    let mut nodes: Vec<NodeId> = tasks.tree().ancestors(node).collect();
    nodes.reverse();
    if nodes.len() > 2 * CRUMBS {
        nodes.drain(CRUMBS..nodes.len() - CRUMBS);
    }
    let title = |node: NodeId| {
        let source = short_source(tasks, node);
        let kind = tasks.word(node);
        if source.is_empty() { format!("{kind} #{}", node.0) } else { format!("{kind} {source}") }
    };
    nodes.into_iter().map(|node| Crumb { node: node.0, title: title(node) }).collect()
}

fn facts(tasks: &Tasks, node: NodeId) -> Vec<Fact> {
    let clock = tasks.clock().unit();
    let mut facts = vec![fact("elapsed", tasks.elapsed(node) as f64, clock)];
    if tasks.kind(node).is_collective() {
        let (work, span) = (tasks.work(node), tasks.critical_path(node));
        facts.push(fact("work", work as f64, clock));
        facts.push(fact("T∞", span as f64, clock));
        facts.push(fact("parallelism (work / T∞)", ratio(work, span), "ratio"));
        facts.push(fact("speed-up (work / elapsed)", ratio(work, tasks.elapsed(node)), "ratio"));
        let count = |kind: Kind| tasks.count(tasks.tree().range(node), kind);
        let (lanes, chunks) = (count(Kind::Fork), count(Kind::Chunk));
        let inside = count(Kind::End) - lanes - i64::from(tasks.kind(node) == Kind::Task);
        facts.push(fact("tasks inside", inside.max(0) as f64, ""));
        let intervals: i64 = tasks.counts(tasks.tree().range(node)).iter().sum();
        facts.push(fact("intervals inside", intervals as f64, ""));
        for (name, count) in [("lanes inside", lanes), ("chunks inside", chunks)] {
            if count > 0 {
                facts.push(fact(name, count as f64, ""));
            }
        }
    }
    for (name, value) in tasks.counters(tasks.tree().range(node)) {
        facts.push(fact(name, value as f64, if name == "task-clock" { "ns" } else { "" }));
    }
    if let Some((first, count)) = tasks.chunk(node) {
        facts.push(fact("first iteration", first as f64, "number"));
        facts.push(fact("iterations", count as f64, ""));
    }
    let needed = tasks.depends_on(node).len();
    if needed > 0 {
        facts.push(fact("depends on tasks", needed as f64, ""));
    }
    facts.push(fact("depth", tasks.tree().depth(node) as f64, ""));
    if let Some(core) = tasks.core(node) {
        facts.push(fact("core", core as f64, "number"));
    }
    facts
}

/// Largest share first; "several" holds what the recorder collapsed over workers.
fn mix(tasks: &Tasks, node: NodeId) -> Vec<MixPart> {
    let part = |(worker, time): (usize, i64)| {
        let known = worker < tasks.workers();
        MixPart {
            fill: if known { worker_slot(worker) } else { slot::SEVERAL },
            name: if known { format!("worker {worker}") } else { "several".to_owned() },
            time: time as f64,
        }
    };
    let mix = tasks.mix(tasks.tree().range(node));
    let mut shares: Vec<(usize, i64)> = mix.into_iter().enumerate().filter(|&(_, time)| time > 0).collect();
    shares.sort_by_key(|&(worker, time)| (std::cmp::Reverse(time), worker));
    shares.into_iter().map(part).collect()
}
