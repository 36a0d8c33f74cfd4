//! Everything about nodes of the task tree: one, several, or two ends of an edge.

use crosscut_tasks::Tasks;
use crosscut_tasks::schema::Kind;
use crosscut_tree::{NodeId, Unit};
use crosscut_workbench::sheet::{Crumb, Tone};
use crosscut_workbench::{Block, Cell, Fact, Found, Refusal, Row, Selection, Sheet, Span, TreeKey};

use super::forest_tasks::{CRITICAL_PATH, TREE, created};
use super::opened::Opened;
use super::sheets::{self, counted, head, offer, row, table, text, wordy};
use super::{find, words};

/// Nodes that are listed.
const LISTED: usize = 64;
/// Children among which those with most work are looked for.
const LOOKED_AT: usize = 4096;

/// The sheet of a selection.
pub fn about(opened: &Opened, found: Option<&Found>, selection: &Selection) -> Result<Sheet, Refusal> {
    let tasks = &opened.tasks;
    if selection.nodes.is_empty() {
        return Ok(whole(tasks, selection));
    }
    let node = selection.existing(tasks.tree())?;
    if let Some(to) = &selection.to {
        let other = Selection { nodes: to.clone(), to: None, ..selection.clone() };
        return Ok(edge(tasks, node, other.existing(tasks.tree())?, selection));
    }
    Ok(match selection.nodes.single() {
        Some(node) => one(opened, found, node, selection),
        None => several(tasks, selection),
    })
}

fn one(opened: &Opened, found: Option<&Found>, node: NodeId, selection: &Selection) -> Sheet {
    let tasks = &opened.tasks;
    let tree = tasks.tree();
    let mut blocks: Vec<Block> = notes(tasks, node).into_iter().map(|note| text(note, Tone::Note)).collect();
    blocks.push(Block::Facts { rows: facts(tasks, node) });
    blocks.push(sheets::whatif(selection.run, "nodes", selection.nodes.clone()));
    blocks.extend(depends(tasks, node, selection));
    blocks.extend(sheets::source(opened, found, node));
    blocks.extend(children(tasks, node, selection));
    Sheet {
        title: tasks.title(node),
        kind: tasks.word(node).to_owned(),
        crumbs: sheets::crumbs(tree, node, |node| crumb(tasks, node, selection)),
        selection: Some(selection.clone()),
        time: Some(Span(tasks.start(node) as f64, tasks.end(node) as f64)),
        siblings: sheets::siblings(tree, node, selection),
        blocks,
        offers: offers(),
    }
}

fn offers() -> Vec<crosscut_workbench::sheet::Offer> {
    vec![
        offer("In grains", "tasks.grains"),
        offer("In time", "tasks.timeline"),
        offer("In the DAG", "tasks.dag"),
    ]
}

fn crumb(tasks: &Tasks, node: NodeId, of: &Selection) -> Crumb {
    Crumb { title: short_title(tasks, node), selection: Selection::node(of.run, TREE, node) }
}

/// "task sort.c:120", or "task #12".
pub fn short_title(tasks: &Tasks, node: NodeId) -> String {
    let word = tasks.word(node);
    match tasks.sources().from(tasks.site(node)) {
        Some(source) => format!("{word} {}", source.short()),
        None => format!("{word} #{}", node.0),
    }
}

fn notes(tasks: &Tasks, node: NodeId) -> Vec<&'static str> {
    let mut notes = Vec::new();
    if tasks.is_critical(node) {
        notes.push("On the critical path.");
    }
    if tasks.is_collapsed(node) {
        notes.push("Folded while recording: it ran on one worker, so its totals were kept and its inside was dropped.");
    }
    notes
}

fn facts(tasks: &Tasks, node: NodeId) -> Vec<Fact> {
    let (tree, clock) = (tasks.tree(), tasks.clock());
    let range = tree.range(node);
    let mut facts = vec![
        Fact::new("node", Cell::text(format!("#{}", node.0))),
        Fact::new("elapsed", words::time(tasks.elapsed(node), clock)),
    ];
    let count = |name: &str, value: i64| words::figure(name, value as f64, Unit::Count);
    if tasks.kind(node).is_collective() {
        let (work, span, elapsed) = (tasks.work(node), tasks.critical_path(node), tasks.elapsed(node));
        facts.push(Fact::new("work", words::time(work, clock)));
        facts.push(words::fact("critical path", words::time(span, clock), CRITICAL_PATH));
        let ratio = |a: i64, b: i64| words::number(words::ratio(a, b), Unit::Ratio);
        facts.push(words::fact("parallelism", ratio(work, span), "Work / critical path (work / T∞)."));
        facts.push(words::fact("speed-up", ratio(work, elapsed), "Work / elapsed."));
        facts.push(count("tasks inside", created(tasks, node)));
        facts.push(count(
            "intervals inside",
            tasks.counts(range.clone()).into_iter().fold(0, i64::saturating_add),
        ));
        for (name, kind) in [("lanes inside", Kind::Fork), ("chunks inside", Kind::Chunk)] {
            let inside = tasks.count(range.clone(), kind);
            if inside > 0 {
                facts.push(count(name, inside));
            }
        }
    }
    for (name, value) in tasks.counters(range.clone()) {
        let unit = if name == "task-clock" { Unit::Ns } else { Unit::Count };
        facts.push(words::figure(name, value as f64, unit));
    }
    if let Some((first, iterations)) = tasks.chunk(node) {
        facts.push(words::figure("first iteration", first as f64, Unit::Number));
        facts.push(count("iterations", iterations));
    }
    let needed = tasks.depends_on(node).len();
    if needed > 0 {
        facts.push(count("depends on tasks", needed as i64));
    }
    facts.push(count("depth", tree.depth(node) as i64));
    if let Some(core) = tasks.core(node) {
        facts.push(words::figure("core", core as f64, Unit::Number));
    }
    facts.push(words::fact("start", words::time(tasks.start(node), clock), "From the start of the run."));
    let children = tree.child_count(node);
    if children > 0 {
        facts.push(count("children", children as i64));
    }
    facts.extend(sheets::workers(tasks, range));
    facts
}

fn listed(tasks: &Tasks, node: NodeId, of: &Selection) -> Row {
    let cells = vec![Cell::text(short_title(tasks, node)), words::time(tasks.work(node), tasks.clock())];
    row(cells, Some(Selection::node(of.run, TREE, node)), false)
}

fn list(tasks: &Tasks, nodes: &[NodeId], of: &Selection) -> Block {
    let columns = vec![wordy("node"), counted("work", words::unit(tasks.clock()), "")];
    let rows = nodes.iter().map(|&node| listed(tasks, node, of)).collect();
    Block::Table { table: table(columns, rows) }
}

/// Tasks that had to end before this one could begin.
fn depends(tasks: &Tasks, node: NodeId, of: &Selection) -> Vec<Block> {
    let needed: Vec<NodeId> = tasks.depends_on(node).iter().take(LISTED).map(|&node| NodeId(node)).collect();
    if needed.is_empty() {
        return Vec::new();
    }
    vec![head("Depends on"), list(tasks, &needed, of)]
}

/// Its children, those with most work first.
fn children(tasks: &Tasks, node: NodeId, of: &Selection) -> Vec<Block> {
    let count = tasks.tree().child_count(node);
    let mut nodes: Vec<NodeId> = tasks.tree().children(node).take(LOOKED_AT).collect();
    if nodes.is_empty() {
        return Vec::new();
    }
    nodes.sort_by_key(|&child| (std::cmp::Reverse(tasks.work(child)), child));
    nodes.truncate(LISTED);
    let which = if nodes.len() < count { "those with most work" } else { "most work first" };
    let word = if count == 1 { "child" } else { "children" };
    let title = format!("{} {word}, {which}", crosscut_scene::format::count(count as i64));
    vec![head(title), list(tasks, &nodes, of)]
}

/// Sums over several nodes; what lies in another of them counts once.
fn several(tasks: &Tasks, selection: &Selection) -> Sheet {
    let (tree, clock) = (tasks.tree(), tasks.clock());
    let top = find::topmost(tree, &selection.nodes);
    let first = top.iter().map(|&node| tasks.start(node)).min().unwrap_or(0);
    let last = top.iter().map(|&node| tasks.end(node)).max().unwrap_or(0);
    let sum = |of: &dyn Fn(NodeId) -> i64| top.iter().map(|&node| of(node)).fold(0, i64::saturating_add);
    let mut mix = vec![0; tasks.workers() + 1];
    for &node in top.iter().take(LOOKED_AT) {
        tasks.mix(tree.range(node)).into_iter().zip(&mut mix).for_each(|(time, sum)| *sum += time);
    }
    let count = selection.nodes.len();
    let mut rows = vec![
        words::figure("nodes", count as f64, Unit::Count),
        Fact::new("work", words::time(sum(&|node| tasks.work(node)), clock)),
        Fact::new("from the first start to the last end", words::time(last - first, clock)),
        words::figure("tasks inside", sum(&|node| created(tasks, node)) as f64, Unit::Count),
    ];
    rows.extend(sheets::mix(tasks, mix));
    let shown = &top[..top.len().min(LISTED)];
    let mut blocks = vec![Block::Facts { rows }];
    if top.len() <= LISTED {
        blocks.push(sheets::whatif(selection.run, "nodes", top.iter().copied().collect()));
    }
    blocks.extend([head("The first of them"), list(tasks, shown, selection)]);
    Sheet {
        title: words::many(count, "node"),
        kind: "selection".to_owned(),
        selection: Some(selection.clone()),
        time: Some(Span(first as f64, last as f64)),
        blocks,
        offers: offers(),
        ..Sheet::default()
    }
}

/// Two nodes: how long after the end of the first the second began.
fn edge(tasks: &Tasks, from: NodeId, to: NodeId, selection: &Selection) -> Sheet {
    let clock = tasks.clock();
    let gap = tasks.start(to) - tasks.end(from);
    let worker = |node| super::forest_tasks::worker_name(tasks, node);
    let mut rows = vec![words::fact(
        if gap < 0 { "overlap" } else { "gap" },
        words::time(gap.abs(), clock),
        "From the end of the first to the start of the second.",
    )];
    if !tasks.kind(to).is_collective() {
        let kind = format!("{} edge", tasks.edge(to).word());
        rows.push(words::fact("made ready by", Cell::text(super::views::edge_words(tasks.edge(to))), &kind));
    }
    rows.push(Fact::new("ran on", Cell::text(format!("{}, then {}", worker(from), worker(to)))));
    Sheet {
        title: format!("{} → {}", short_title(tasks, from), short_title(tasks, to)),
        kind: "edge".to_owned(),
        selection: Some(selection.clone()),
        time: Some(Span(
            tasks.end(from).min(tasks.start(to)) as f64,
            tasks.end(from).max(tasks.start(to)) as f64,
        )),
        blocks: vec![Block::Facts { rows }, list(tasks, &[from, to], selection)],
        ..Sheet::default()
    }
}

/// Nothing is selected: the tree as a whole.
fn whole(tasks: &Tasks, selection: &Selection) -> Sheet {
    let root = Selection { tree: TreeKey::named(TREE), ..Selection::node(selection.run, TREE, NodeId::ROOT) };
    Sheet {
        title: "Tree of tasks".to_owned(),
        kind: "tree".to_owned(),
        selection: Some(root),
        blocks: vec![Block::Facts { rows: super::overview::facts(tasks) }],
        ..Sheet::default()
    }
}
