//! Everything about grains and groups: one, several, two ends of an edge, or the graph as a whole.

use crosscut_scene::format::count;
use crosscut_tasks::Tasks;
use crosscut_tasks::grain::{GrainKind, Grains, Problem};
use crosscut_tasks::schema::Kind;
use crosscut_tree::{NodeId, Unit};
use crosscut_workbench::sheet::{Crumb, Offer, Tone};
use crosscut_workbench::{Block, Cell, Chosen, Fact, Found, Nodes, Refusal, Row, Selection, Sheet, Span};

use super::about_task::short_title;
use super::forest_grains::{OnPath, PATH, TREE, in_words, meaning};
use super::known::GrainRun;
use super::opened::Opened;
use super::sheets::{self, counted, head, offer, row, table, text, wordy};
use super::{find, forest_tasks, words};

/// Members that are listed.
const MEMBERS: usize = 64;
/// Members of a very wide group among which those with most work are looked for.
const LOOKED_AT: usize = 4096;

/// The sheet of a selection.
pub fn about(
    opened: &Opened,
    found: Option<&Found>,
    selection: &Selection,
    lens: Option<&Chosen>,
) -> Result<Sheet, Refusal> {
    let page = Page { tasks: &opened.tasks, graph: opened.grains(), lens, selection };
    if selection.nodes.is_empty() {
        return Ok(page.whole(opened));
    }
    let tree = page.graph.grains.tree();
    let node = selection.existing(tree)?;
    if let Some(to) = &selection.to {
        let other = Selection { nodes: to.clone(), to: None, ..selection.clone() };
        return Ok(page.edge(node, other.existing(tree)?));
    }
    Ok(match selection.nodes.single() {
        Some(node) => page.one(opened, found, node),
        None => page.several(),
    })
}

/// One line that names a node: "fork-join group sort.c:12".
pub fn title(tasks: &Tasks, grains: &Grains, node: NodeId) -> String {
    let kind = grains.kind(node).word();
    match tasks.sources().from(tasks.site(grains.task(node))) {
        Some(source) => format!("{kind} {}", source.short()),
        None => format!("{kind} {}", words::grain_id(node)),
    }
}

/// Figures of the whole graph.
pub fn whole_facts(opened: &Opened) -> Vec<Fact> {
    let (graph, tasks) = (opened.grains(), &opened.tasks);
    let (grains, whole) = (&graph.grains, graph.whole());
    let counted = |name: &str, value: usize, about: &str| {
        words::fact(name, words::number(value as f64, Unit::Count), about)
    };
    vec![
        counted("grains", grains.grain_count(), "Tasks, lanes and chunks: what can run beside each other."),
        counted("fork-joins", grains.fork_joins(), "A fork with its members and its join."),
        counted("nodes", grains.raw_nodes(), "Nodes of the graph before it is folded."),
        counted("groups", grains.group_count(), "Groups that it is folded into."),
        counted("depth", whole.depth, "Largest depth of groups in groups."),
        counted(
            "in sight at most",
            whole.theta.most as usize,
            "Nodes in sight when the groups on the way to a grain are open, at most (θ max).",
        ),
        words::fact(
            "kept out of sight",
            Cell::text(words::savings(whole.theta.savings(grains.raw_nodes()))),
            "How much less that is than the whole graph (savings: 1 − θ max / nodes).",
        ),
        words::fact(
            "work in no grain",
            words::time(grains.outside(), tasks.clock()),
            "What the program and members of teams ran that create no tasks.",
        ),
    ]
}

/// What a sheet is made from.
struct Page<'a> {
    tasks: &'a Tasks,
    graph: &'a GrainRun,
    lens: Option<&'a Chosen>,
    selection: &'a Selection,
}

impl Page<'_> {
    fn grains(&self) -> &Grains {
        &self.graph.grains
    }

    fn select(&self, node: NodeId) -> Selection {
        Selection::node(self.selection.run, TREE, node)
    }

    fn title(&self, node: NodeId) -> String {
        title(self.tasks, self.grains(), node)
    }

    fn crumb(&self, node: NodeId) -> Crumb {
        Crumb { title: self.title(node), selection: self.select(node) }
    }

    fn one(&self, opened: &Opened, found: Option<&Found>, node: NodeId) -> Sheet {
        let (tasks, grains) = (self.tasks, self.grains());
        let (tree, task) = (grains.tree(), grains.task(node));
        let mut blocks: Vec<Block> =
            self.notes(node).into_iter().map(|note| text(note, Tone::Note)).collect();
        blocks.extend(self.problems(node));
        blocks.push(sheets::whatif(self.selection.run, "nodes", Nodes::one(task)));
        let includes = includes(tasks, task);
        if includes > 1 {
            let what = if grains.kind(node).is_group() { "group" } else { "task" };
            blocks.push(text(
                format!("This {what} with all below it: {} tasks, lanes and chunks.", count(includes)),
                Tone::Note,
            ));
        }
        blocks.push(head("Metrics"));
        blocks.push(Block::Facts { rows: self.facts(node) });
        blocks.extend(self.creator(node));
        blocks.extend(self.needs(node));
        blocks.extend(sheets::source(opened, found, task));
        blocks.extend(self.members(node));
        Sheet {
            title: self.title(node),
            kind: grains.kind(node).word().to_owned(),
            crumbs: sheets::crumbs(tree, node, |node| self.crumb(node)),
            selection: Some(self.selection.clone()),
            time: Some(Span(tasks.start(task) as f64, tasks.end(task) as f64)),
            siblings: sheets::siblings(tree, node, self.selection),
            blocks,
            offers: offers(),
        }
    }

    fn notes(&self, node: NodeId) -> Vec<String> {
        let grains = self.grains();
        let mut notes = Vec::new();
        if OnPath::new(self.tasks, self.graph).has(node) {
            notes.push("On the path of grains.".to_owned());
        }
        if grains.kind(node) == GrainKind::Folded {
            notes.push("Folded while recording: its totals were kept and its inside was dropped.".to_owned());
        }
        let (same, of) = grains.siblings_alike(node);
        if same > 1 {
            notes.push(format!("{} of {} siblings are alike.", count(same as i64), count(of as i64)));
        }
        if grains.kind(node).is_group() {
            let groups = grains.alike(node, 0).1;
            if groups > 1 {
                notes.push(format!("{} groups of the run are alike.", count(groups as i64)));
            }
        }
        notes
    }

    /// Every problem that is available, with its value against its threshold.
    fn problems(&self, node: NodeId) -> Vec<Block> {
        let group = self.grains().kind(node).is_group();
        let rows: Vec<Row> = self.graph.available().map(|problem| self.problem(problem, node)).collect();
        if rows.is_empty() {
            return Vec::new();
        }
        let value = if group { "The worst value inside." } else { "Its value." };
        let columns = vec![
            wordy("problem"),
            counted("value", Unit::Ratio, value),
            wordy("threshold"),
            counted("grains", Unit::Count, "Grains in it that have the problem."),
        ];
        vec![head("Problems"), Block::Table { table: table(columns, rows) }]
    }

    fn problem(&self, problem: Problem, node: NodeId) -> Row {
        let graph = self.graph;
        let threshold = match self.lens {
            Some(lens) if lens.name == problem.word() => lens.value,
            _ => graph.threshold(problem),
        };
        let inside = graph.known(problem, threshold).set.lens.inside(graph.grains.tree(), node);
        let sign = if problem.is_below() { "<" } else { ">" };
        let value = problem_value(self.tasks, graph, problem, node).unwrap_or(f64::NAN);
        let cells = vec![
            Cell::text(in_words(problem)),
            words::number(value, Unit::Ratio),
            Cell::text(format!("{sign} {}", crosscut_scene::format::three(threshold))),
            words::number(inside as f64, Unit::Count),
        ];
        row(cells, None, inside > 0)
    }

    fn facts(&self, node: NodeId) -> Vec<Fact> {
        let (tasks, grains, clock) = (self.tasks, self.grains(), self.tasks.clock());
        let metrics = grains.metrics(tasks, node);
        let (kind, task) = (grains.kind(node), grains.task(node));
        let group = kind.is_group();
        let mut facts = vec![
            Fact::new("node", Cell::text(words::grain_id(node))),
            Fact::new("work", words::time(metrics.work, clock)),
            words::fact("path of grains", words::time(metrics.critical_path, clock), PATH),
        ];
        if group {
            let range = grains.grain_range(node);
            facts.push(words::figure("grains", range.len() as f64, Unit::Count));
            facts.push(words::figure("groups", (grains.tree().size(node) - range.len()) as f64, Unit::Count));
        }
        let mut add = |name: &str, value: Option<f64>, unit: Unit, about: &str| {
            let known = value.filter(|value| value.is_finite());
            facts.extend(known.map(|value| words::fact(name, words::number(value, unit), about)));
        };
        let (time, ratio) = (words::unit(clock), Unit::Ratio);
        let cost = |cost: Option<i64>| cost.map(|cost| cost as f64);
        add("creation cost", cost(metrics.creation), time, "What it cost to create the grain.");
        add("sync cost", cost(metrics.sync), time, "What it cost to join the grain: its share of its join.");
        let benefit = if group { "least parallel benefit" } else { "parallel benefit" };
        add(benefit, metrics.benefit, ratio, meaning(Problem::LowParallelBenefit));
        let balance = match kind {
            GrainKind::Chunk => "chunk work balance",
            _ if group => "largest work balance",
            _ => "sibling work balance",
        };
        add(balance, metrics.balance, ratio, meaning(Problem::SiblingImbalance));
        let scatter = if group { "largest sibling scatter" } else { "sibling scatter" };
        add(scatter, metrics.scatter, Unit::Cores, meaning(Problem::SiblingScatter));
        let beside = meaning(Problem::LowParallelism);
        if group {
            add("least parallelism", metrics.parallelism, ratio, beside);
        } else {
            let progress = grains.in_progress(tasks, node);
            add("parallelism, least", Some(progress.least), ratio, beside);
            add("parallelism, median", Some(progress.median), ratio, beside);
            add("parallelism, most", Some(progress.most), ratio, beside);
            if kind == GrainKind::Folded {
                let inner = tasks.count(tasks.tree().range(task), Kind::End) as f64;
                let folded = "Tasks whose inside was dropped while recording.";
                add("tasks folded", tasks.collapsed(task).map(|_| inner), Unit::Count, folded);
            }
        }
        if let Some((first, iterations)) = tasks.chunk(task).filter(|_| kind == GrainKind::Chunk) {
            add("first iteration", Some(first as f64), Unit::Number, "");
            add("iterations", Some(iterations as f64), Unit::Count, "");
        }
        let value = |problem| grains.problem_value(problem, node, self.graph.deviation.as_ref());
        let most = |name: &str| if group { format!("largest {name}") } else { name.to_owned() };
        let deviation = meaning(Problem::WorkDeviation);
        add(&most("work deviation"), value(Problem::WorkDeviation), ratio, deviation);
        if let Some(stall) = value(Problem::MemoryStall) {
            add(&most("memory stall share"), Some(stall), ratio, meaning(Problem::MemoryStall));
            let used = (stall > 0.0 && !group).then(|| (1.0 - stall) / stall);
            add("memory utilisation", used, ratio, "Working cycles / stalled cycles.");
        }
        add("compute intensity", metrics.intensity, ratio, "Instructions / cache miss.");
        if !group {
            add("core", grains.core(node).map(f64::from), Unit::Number, "The core that it began on.");
        }
        facts.push(words::fact(
            "start",
            words::time(tasks.start(grains.begins(tasks, node)), clock),
            "From the start of the run.",
        ));
        facts.extend(sheets::mix(tasks, mix(tasks, task, kind)));
        facts
    }

    fn member(&self, node: NodeId) -> Row {
        let grains = self.grains();
        let inside = grains.grain_range(node).len();
        let holds = self.lens.is_some_and(|lens| lens.lens.inside(grains.tree(), node) > 0);
        let what =
            if inside > 1 { words::many(inside, "grain") } else { grains.kind(node).word().to_owned() };
        let cells = vec![
            Cell::text(self.title(node)),
            Cell::text(what),
            words::time(grains.work(node), self.tasks.clock()),
        ];
        row(cells, Some(self.select(node)), holds)
    }

    fn list(&self, nodes: impl IntoIterator<Item = NodeId>) -> Block {
        let columns =
            vec![wordy("node"), wordy("what"), counted("work", words::unit(self.tasks.clock()), "")];
        let rows = nodes.into_iter().map(|node| self.member(node)).collect();
        Block::Table { table: table(columns, rows) }
    }

    /// Its members, those with most work first.
    fn members(&self, node: NodeId) -> Vec<Block> {
        let grains = self.grains();
        let all = grains.tree().child_count(node);
        let looked_at = grains.tree().children(node).take(LOOKED_AT);
        let mut members: Vec<(NodeId, i64)> = looked_at.map(|member| (member, grains.work(member))).collect();
        if members.is_empty() {
            return Vec::new();
        }
        members.sort_by_key(|&(member, work)| (std::cmp::Reverse(work), member));
        members.truncate(MEMBERS);
        let which = if members.len() < all {
            format!("{} with most work", count(members.len() as i64))
        } else {
            "most work first".to_owned()
        };
        let title = format!("{}, {which}", words::many(all, "member"));
        vec![head(title), self.list(members.into_iter().map(|(member, _)| member))]
    }

    /// The task that created a grain, when it is drawn in the join of another one.
    fn creator(&self, node: NodeId) -> Vec<Block> {
        let Some(creator) = creator(self.tasks, self.grains(), node) else { return Vec::new() };
        let selection = Selection::node(self.selection.run, forest_tasks::TREE, creator);
        let cells = vec![Cell::text(short_title(self.tasks, creator))];
        let table = table(vec![wordy("created by")], vec![row(cells, Some(selection), false)]);
        vec![
            head("Created by"),
            text("It is drawn where it is waited for.", Tone::Note),
            Block::Table { table },
        ]
    }

    /// The grains or groups of the tasks that a task depends on, without what it waits for in the tree.
    fn needs(&self, node: NodeId) -> Vec<Block> {
        let needed = self.tasks.depends_on(self.grains().task(node));
        if needed.is_empty() {
            return Vec::new();
        }
        let nodes = needed.iter().take(MEMBERS).map(|&task| self.graph.of_task(self.tasks, NodeId(task)));
        let title = format!("Needs {}", words::many(needed.len(), "other"));
        vec![head(title), text("They had to end before this could begin.", Tone::Note), self.list(nodes)]
    }

    /// Sums over several nodes; what lies in another of them counts once.
    fn several(&self) -> Sheet {
        let (tasks, grains) = (self.tasks, self.grains());
        let top = find::topmost(grains.tree(), &self.selection.nodes);
        let task = |node: &NodeId| grains.task(*node);
        let first = top.iter().map(task).map(|task| tasks.start(task)).min().unwrap_or(0);
        let last = top.iter().map(task).map(|task| tasks.end(task)).max().unwrap_or(0);
        let work: i64 = top.iter().map(|&node| grains.work(node)).fold(0, i64::saturating_add);
        let inside: usize = top.iter().map(|&node| grains.grain_range(node).len()).sum();
        let mut rows = vec![
            words::figure("nodes", self.selection.nodes.len() as f64, Unit::Count),
            words::figure("grains", inside as f64, Unit::Count),
            Fact::new("work", words::time(work, tasks.clock())),
            Fact::new("from the first start to the last end", words::time(last - first, tasks.clock())),
        ];
        if let Some(lens) = self.lens {
            let has: usize = top.iter().map(|&node| lens.lens.inside(grains.tree(), node)).sum();
            rows.push(words::figure("grains with the problem", has as f64, Unit::Count));
        }
        let mut blocks = vec![Block::Facts { rows }];
        if top.len() <= MEMBERS {
            blocks.push(sheets::whatif(self.selection.run, "nodes", top.iter().map(task).collect()));
        }
        blocks.extend([head("The first of them"), self.list(top.iter().copied().take(MEMBERS))]);
        Sheet {
            title: words::many(self.selection.nodes.len(), "node"),
            kind: "selection".to_owned(),
            selection: Some(self.selection.clone()),
            time: Some(Span(first as f64, last as f64)),
            blocks,
            offers: offers(),
            ..Sheet::default()
        }
    }

    fn edge(&self, from: NodeId, to: NodeId) -> Sheet {
        let grains = self.grains();
        let depends = self.tasks.depends_on(grains.task(to)).contains(&grains.task(from).0);
        let what = if depends { "The second depends on the first." } else { "The second follows the first." };
        Sheet {
            title: format!("{} → {}", self.title(from), self.title(to)),
            kind: "edge".to_owned(),
            selection: Some(self.selection.clone()),
            blocks: vec![text(what, Tone::Plain), self.list([from, to])],
            ..Sheet::default()
        }
    }

    /// Nothing is selected: the graph as a whole, the worst grains under the lens, and what recurs.
    fn whole(&self, opened: &Opened) -> Sheet {
        let mut blocks = vec![Block::Facts { rows: whole_facts(opened) }];
        let lens = self.lens.and_then(|lens| Some((lens, lens.name.parse().ok()?)));
        if let Some((lens, problem)) = lens {
            blocks.extend(self.worst(problem, lens));
        }
        let classes: Vec<Row> = self
            .graph
            .whole()
            .classes
            .iter()
            .filter(|class| class.count > 1)
            .map(|class| {
                let cells =
                    vec![Cell::text(self.title(class.first)), words::number(class.count as f64, Unit::Count)];
                row(cells, Some(self.select(class.first)), false)
            })
            .collect();
        if !classes.is_empty() {
            blocks.push(head("What recurs"));
            blocks.push(text("Groups of one shape; the first of each.", Tone::Note));
            let columns = vec![wordy("group"), counted("groups", Unit::Count, "Groups of this shape.")];
            blocks.push(Block::Table { table: table(columns, classes) });
        }
        Sheet {
            title: "Grain graph".to_owned(),
            kind: "tree".to_owned(),
            selection: Some(self.select(NodeId::ROOT)),
            blocks,
            ..Sheet::default()
        }
    }

    fn worst(&self, problem: Problem, lens: &Chosen) -> Vec<Block> {
        let known = self.graph.known(problem, lens.value);
        let cost = known.cost(self.tasks, self.graph);
        if cost.worst.is_empty() {
            return vec![text(format!("No grain has the problem {}.", in_words(problem)), Tone::Plain)];
        }
        let amount = if is_by_work(problem) { "work" } else { "time lost" };
        let title = format!("Worst of {} by {amount}: {}", count(known.set.grains as i64), in_words(problem));
        let worst = |&(node, cost): &(NodeId, i64)| {
            let cells = vec![Cell::text(self.title(node)), words::time(cost, self.tasks.clock())];
            row(cells, Some(self.select(node)), true)
        };
        let columns = vec![wordy("grain"), counted(amount, words::unit(self.tasks.clock()), "")];
        let rows = cost.worst.iter().map(worst).collect();
        vec![head(title), text(problem.advice(), Tone::Note), Block::Table { table: table(columns, rows) }]
    }
}

fn offers() -> Vec<Offer> {
    vec![
        offer("In the DAG", "tasks.dag"),
        offer("In time", "tasks.timeline"),
        offer("In grains", "tasks.grains"),
    ]
}

/// Problems whose worst grains are those with most work: what such a grain costs by itself is not available.
pub fn is_by_work(problem: Problem) -> bool {
    matches!(problem, Problem::SiblingImbalance | Problem::ChunkImbalance | Problem::SiblingScatter)
}

/// The metric of a node that decides about a problem.
fn problem_value(tasks: &Tasks, graph: &GrainRun, problem: Problem, node: NodeId) -> Option<f64> {
    let has_chunks = graph.missing(Problem::ChunkImbalance).is_none();
    let value = match problem {
        // Without chunks, the balance of a group is at hand; else each grain must be asked.
        Problem::SiblingImbalance if !has_chunks => graph.grains.metrics(tasks, node).balance,
        _ => graph.grains.problem_value(problem, node, graph.deviation.as_ref()),
    };
    value.filter(|value| value.is_finite())
}

/// Tasks, lanes and chunks in a node of the task tree, itself among them: what a prediction for it includes.
fn includes(tasks: &Tasks, task: NodeId) -> i64 {
    let count = |kind: Kind| tasks.count(tasks.tree().range(task), kind);
    count(Kind::End) + count(Kind::Chunk)
}

/// The task that created a grain, when it is drawn in the join of another one.
fn creator(tasks: &Tasks, grains: &Grains, node: NodeId) -> Option<NodeId> {
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
    holder.filter(|&holder| holder != creator).map(|_| creator)
}

/// Time by worker: of a group of everything below its task, of a grain of its own intervals.
fn mix(tasks: &Tasks, task: NodeId, kind: GrainKind) -> Vec<i64> {
    const INTERVALS: usize = 100_000;
    let range = tasks.tree().range(task);
    if kind.is_group() || tasks.is_collapsed(task) || tasks.tree().is_leaf(task) {
        return tasks.mix(range);
    }
    let mut mix = vec![0i64; tasks.workers() + 1];
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
            mix[worker] = mix[worker].saturating_add(tasks.elapsed(node));
        }
        at += 1;
    }
    mix
}
