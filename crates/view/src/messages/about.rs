//! Everything about a phase, a group or a pair of groups: what the inspector and the tooltip say.

use crosscut_messages::flows::Flow;
use crosscut_messages::patterns::name;
use crosscut_messages::{Collective, NONE};
use crosscut_tree::{NodeId, Unit};
use crosscut_workbench::sheet::Tone;
use crosscut_workbench::{
    Block, Cell, Column, Fact, Job, Nodes, Refusal, Row, RowState, Selection, Sheet, Span, Table, TreeKey,
};

use super::communities::CommunityForest;
use super::figures::node_of;
use super::opened::{Opened, Timed};
use super::phases::{Kind, Node, PhaseForest};
use crate::format::{count, exact, many, percent, quantity};

/// Pairs that are listed.
const PAIRS: usize = 8;

/// What there is to say of all phases.
pub fn facts(forest: &PhaseForest) -> Vec<Fact> {
    let gram = &forest.gram;
    let mut facts = vec![
        Fact::new("phases", Cell::text(count(gram.phases.len() as i64))),
        Fact::new("what repeats", Cell::text(gram.expression.to_string())),
        Fact::new("patterns", Cell::text(count(gram.patterns.len() as i64))),
    ];
    facts.extend(forest.timed.key.words(&forest.opened).map(|words| Fact::new("filter", Cell::text(words))));
    facts
}

/// Everything about a phase.
pub fn phase(forest: &PhaseForest, selection: &Selection, _: &Job<'_>) -> Result<Sheet, Refusal> {
    let tree = forest.figures().tree.view();
    let id = selection.existing(tree)?;
    let node = forest.node(id).ok_or_else(|| Refusal::new("there is no such phase"))?;
    let totals = forest.totals[id.index()];
    let mut rows = forest.figures().facts(id);
    rows.extend(pattern_fact(forest, node));
    rows.extend(waiting_facts(forest, node));
    rows.extend(collectives_fact(&forest.opened, &forest.timed, node));
    let mut blocks = vec![Block::Facts { rows }];
    if node.kind == Kind::Run {
        blocks.insert(0, Block::Facts { rows: facts(forest) });
        blocks.extend(forest.warning().map(|text| Block::Text { text, tone: Tone::Note }));
    }
    let few = node.phases.len() <= 1;
    if few {
        let flows = forest.timed.flows(&node.points);
        let time = Some(Span(totals.span.0 as f64, totals.span.1 as f64));
        blocks.extend(pairs(&forest.opened, selection.run, &flows, time));
    }
    Ok(Sheet {
        title: title(node),
        kind: node.kind.word().to_owned(),
        crumbs: forest.figures().crumbs(selection, id, |node| forest.name(node)),
        selection: Some(selection.clone()),
        time: (totals.span.0 <= totals.span.1).then_some(Span(totals.span.0 as f64, totals.span.1 as f64)),
        siblings: forest.figures().siblings(selection, id),
        blocks,
        ..Sheet::default()
    })
}

fn title(node: &Node) -> String {
    match node.kind {
        Kind::Run => "All phases".to_owned(),
        Kind::Phase => format!("{}, phase {}", node.name, node.phases.start + 1),
        _ => node.name.clone(),
    }
}

fn pattern_fact(forest: &PhaseForest, node: &Node) -> Option<Fact> {
    let pattern = forest.pattern(node)?;
    let groups = forest.gram.patterns.get(pattern)?.communities();
    let phases = forest.gram.phases.iter().filter(|phase| phase.pattern == pattern).count();
    let text =
        format!("{}: {}, {} with it", name(pattern), many(groups as usize, "group"), many(phases, "phase"));
    Some(Fact::new("pattern", Cell::text(text)))
}

/// How long a rank waited on average, what is usual, and who was late.
fn waiting_facts(forest: &PhaseForest, node: &Node) -> Vec<Fact> {
    let (waiting, at) = (&forest.waiting, node.phases.start);
    let (Some(&mean), Some(&usual), true) =
        (waiting.mean.get(at), waiting.usual.get(at), node.kind == Kind::Phase)
    else {
        return Vec::new();
    };
    let mut facts = vec![
        Fact::new("wait of a rank", plain(mean, Unit::Ns)),
        Fact::new("usual for its pattern", plain(usual, Unit::Ns)),
    ];
    if let Some((rank, time)) = waiting.late.get(at).copied().flatten() {
        let text = format!("rank {rank}, by {}", quantity(time as f64, Unit::Ns));
        facts.push(Fact::new("latest by itself", Cell::text(text)));
    }
    facts
}

/// Which collectives, and how many ranks take part in them.
fn collectives_fact(opened: &Opened, timed: &Timed, node: &Node) -> Vec<Fact> {
    let Some(words) = collective_words(opened, timed, &node.points) else { return Vec::new() };
    let all = &opened.messages.collectives.bytes;
    let sum = timed.clock.collectives(node.points.clone()).map(|number| all[number]);
    let sum = sum.fold(0, i64::saturating_add);
    vec![Fact::new("which collectives", Cell::text(words)), Fact::new("bytes of collectives", bytes(sum))]
}

/// "allreduce · all ranks"; none where there is no collective.
pub fn collective_words(opened: &Opened, timed: &Timed, points: &std::ops::Range<usize>) -> Option<String> {
    let run = &opened.messages;
    let mut words: Vec<&'static str> = Vec::new();
    let mut most = 0;
    for number in timed.clock.collectives(points.clone()) {
        let word = Collective(run.collectives.kind[number]).word();
        if !words.contains(&word) {
            words.push(word);
        }
        most = most.max(run.collectives.calls(number).iter().filter(|&&call| call != NONE).count());
    }
    let others = words.len().saturating_sub(2);
    words.truncate(2);
    let who = match most {
        0 => return None,
        most if most == opened.ranks() as usize => "all ranks".to_owned(),
        most => many(most, "rank"),
    };
    let more = if others > 0 { format!(" and {others} more") } else { String::new() };
    Some(format!("{}{more} · {who}", words.join(", ")))
}

/// Everything about a group, a rank, or what one group sent to another.
pub fn community(forest: &CommunityForest, selection: &Selection, _: &Job<'_>) -> Result<Sheet, Refusal> {
    let tree = forest.figures().tree.view();
    let id = selection.existing(tree)?;
    let name = |node: NodeId| forest.name(node);
    let time = Some(Span(forest.span.0 as f64, forest.span.1 as f64));
    let mut sheet = Sheet {
        title: forest.name(id),
        kind: if tree.is_leaf(id) { "rank" } else { "group" }.to_owned(),
        crumbs: forest.figures().crumbs(selection, id, name),
        selection: Some(selection.clone()),
        time,
        siblings: forest.figures().siblings(selection, id),
        ..Sheet::default()
    };
    let within = Within::new(forest);
    if let Some(to) = selection.to.as_ref().and_then(Nodes::first).filter(|&to| tree.contains(to)) {
        sheet.title = format!("{} → {}", forest.name(id), forest.name(to));
        sheet.kind = "flow".to_owned();
        let (there, back) = (within.sum(id, Some(to)), within.sum(to, Some(id)));
        let all: i64 = forest.flows.iter().map(|flow| flow.bytes).sum();
        let rows = vec![
            Fact::new("sent", bytes(there.bytes)),
            Fact::new("messages", plain(there.messages as f64, Unit::Count)),
            Fact::new("share of the phase", Cell::text(percent(there.bytes as f64, all as f64))),
            Fact::new("the other way", bytes(back.bytes)),
        ];
        sheet.blocks.push(Block::Facts { rows });
        let flows: Vec<Flow> = within.flows(id, Some(to)).copied().collect();
        sheet.blocks.extend(pairs(&forest.opened, selection.run, &flows, time));
        return Ok(sheet);
    }
    sheet.blocks.push(Block::Facts { rows: forest.figures().facts(id) });
    sheet.blocks.extend(partners(forest, &within, selection, id));
    let flows: Vec<Flow> = within.flows(id, None).copied().collect();
    sheet.blocks.extend(pairs(&forest.opened, selection.run, &flows, time));
    Ok(sheet)
}

/// What a rank sent to another, or to whom it sent most: for places that are selected.
pub fn places(opened: &Opened, selection: &Selection) -> Vec<Block> {
    let rank = |node: NodeId| opened.places.iter().position(|&own| own == node.0);
    let Some(from) = selection.nodes.first().and_then(rank) else { return Vec::new() };
    let run = &opened.messages;
    let to = selection.to.as_ref().and_then(Nodes::first).and_then(rank);
    let sent = |row: &u32| run.source.at(*row as usize) as usize == from;
    let meant = |row: &u32| match to {
        Some(to) => {
            let ends = (run.source.at(*row as usize) as usize, run.destination.at(*row as usize) as usize);
            ends == (from, to) || ends == (to, from)
        }
        None => sent(row),
    };
    let time = selection
        .time
        .map_or((i64::MIN, i64::MAX), |span| (span.0 as i64, (span.1 as i64).saturating_add(1)));
    let rows = super::over::sent_in(run, time);
    let flows = run.flows(rows.map(|row| row as u32).filter(meant));
    let Some(to) = to else {
        return pairs(opened, selection.run, &flows, selection.time).into_iter().collect();
    };
    let mut facts = Vec::new();
    for (a, b) in [(from, to), (to, from)] {
        let of = flows.iter().find(|flow| (flow.from as usize, flow.to as usize) == (a, b));
        let (messages, sum) = of.map_or((0, 0), |flow| (flow.messages, flow.bytes));
        facts.push(Fact::new(format!("rank {a} → {b}"), bytes(sum)));
        facts.push(Fact::new("in messages", plain(messages as f64, Unit::Count)));
    }
    vec![Block::Facts { rows: facts }]
}

/// Which ranks are below which node.
struct Within<'a> {
    forest: &'a CommunityForest,
    /// By rank: its place in the order of the tree.
    place: Vec<usize>,
}

impl<'a> Within<'a> {
    fn new(forest: &'a CommunityForest) -> Self {
        let mut place = vec![usize::MAX; forest.ranks.len()];
        for (at, &rank) in forest.ranks.iter().enumerate() {
            if let Some(place) = place.get_mut(rank as usize) {
                *place = at;
            }
        }
        Within { forest, place }
    }

    fn has(&self, node: NodeId, rank: u32) -> bool {
        let at = self.place.get(rank as usize);
        at.is_some_and(|at| self.forest.members.get(node.index()).is_some_and(|range| range.contains(at)))
    }

    /// What ranks of a node sent, to ranks of another or to anybody.
    fn flows(&self, from: NodeId, to: Option<NodeId>) -> impl Iterator<Item = &'a Flow> + '_ {
        let meant =
            move |flow: &&Flow| self.has(from, flow.from) && to.is_none_or(|to| self.has(to, flow.to));
        self.forest.flows.iter().filter(meant)
    }

    fn sum(&self, from: NodeId, to: Option<NodeId>) -> Flow {
        let none = Flow { from: 0, to: 0, messages: 0, bytes: 0 };
        self.flows(from, to).fold(none, |sum, flow| Flow {
            messages: sum.messages + flow.messages,
            bytes: sum.bytes.saturating_add(flow.bytes),
            ..sum
        })
    }
}

/// The siblings that a node sent most to.
fn partners(forest: &CommunityForest, within: &Within<'_>, of: &Selection, id: NodeId) -> Option<Block> {
    let tree = forest.figures().tree.view();
    let others: Vec<NodeId> = tree.children(tree.parent(id)?).filter(|&other| other != id).collect();
    let mut sent: Vec<(NodeId, Flow)> =
        others.into_iter().map(|other| (other, within.sum(id, Some(other)))).collect();
    sent.retain(|(_, flow)| flow.messages > 0);
    sent.sort_by_key(|(node, flow)| (std::cmp::Reverse(flow.bytes), node.0));
    sent.truncate(PAIRS);
    let row = |(node, flow): (NodeId, Flow)| Row {
        cells: vec![
            Cell::text(forest.name(node)),
            bytes(flow.bytes),
            plain(flow.messages as f64, Unit::Count),
        ],
        selection: Some(Selection { to: Some(Nodes::one(node)), ..node_of(of.run, &of.tree, id) }),
        depth: 0,
        state: RowState::default(),
    };
    let columns = [("to", None), ("bytes", Some(Unit::Bytes)), ("messages", Some(Unit::Count))];
    table(&columns, sent.into_iter().map(row).collect())
}

/// The pairs of ranks that exchanged most.
pub fn pairs(opened: &Opened, run: usize, flows: &[Flow], time: Option<Span>) -> Option<Block> {
    let mut most: Vec<&Flow> = flows.iter().collect();
    let key = |flow: &&Flow| (std::cmp::Reverse(flow.bytes), flow.from, flow.to);
    if most.len() > PAIRS {
        most.select_nth_unstable_by_key(PAIRS, key);
        most.truncate(PAIRS);
    }
    most.sort_by_key(key);
    let node = |rank: u32| opened.places.get(rank as usize).map(|&node| NodeId(node));
    let row = |flow: &Flow| Row {
        cells: vec![
            Cell::text(format!("rank {} → {}", flow.from, flow.to)),
            bytes(flow.bytes),
            plain(flow.messages as f64, Unit::Count),
        ],
        selection: node(flow.from).map(|from| Selection {
            to: node(flow.to).map(Nodes::one),
            time,
            ..node_of(run, &TreeKey::named("places"), from)
        }),
        depth: 0,
        state: RowState::default(),
    };
    let columns = [("pair", None), ("bytes", Some(Unit::Bytes)), ("messages", Some(Unit::Count))];
    table(&columns, most.into_iter().map(row).collect())
}

fn table(columns: &[(&str, Option<Unit>)], rows: Vec<Row>) -> Option<Block> {
    let column = |(name, unit): &(&str, Option<Unit>)| Column {
        name: (*name).to_owned(),
        title: (*name).to_owned(),
        about: String::new(),
        unit: *unit,
        sorts: false,
    };
    let total = rows.len();
    let table = Table { columns: columns.iter().map(column).collect(), rows, total, more: false };
    (total > 0).then_some(Block::Table { table })
}

fn bytes(value: i64) -> Cell {
    plain(value as f64, Unit::Bytes)
}

fn plain(value: f64, unit: Unit) -> Cell {
    Cell::Number { value, text: quantity(value, unit), exact: exact(value, unit), share: None }
}
