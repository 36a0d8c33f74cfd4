//! What the modules of a profile take: one row for each, for the overview and for scripts.

use crosscut_calls::{Measured, causes};
use crosscut_scene::format::{many, three};
use crosscut_tree::NodeId;
use crosscut_workbench::{Block, Cell, Row, RowState, Table};
use serde::Serialize;

use super::info;
use super::opened::Opened;

/// Modules that are listed.
const LISTED: usize = 12;
/// A module is uneven from so many times the mean on.
const UNEVEN: f64 = 1.25;

/// What a module takes, of the first metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// Spent in its functions.
    pub own: i64,
    /// With all that they call; where it is entered again from there, counted once.
    pub inclusive: i64,
    /// The most of a rank ÷ the mean of all, or of a place where there is one rank; none where nothing can be compared.
    pub imbalance: Option<f64>,
    /// The rank or place with the most.
    pub place: Option<String>,
}

/// All modules, the one that takes most itself first.
pub fn modules(opened: &Opened) -> Vec<Module> {
    let names = &opened.modules().names;
    let inclusive = with_callees(opened);
    let row = |(at, name): (usize, &String)| {
        let values = opened.by_module().get(at).map_or(&[][..], Vec::as_slice);
        let spread = opened.peers().imbalance(values).filter(|spread| spread.mean > 0.0);
        Module {
            name: name.clone(),
            own: values.iter().fold(0, |sum: i64, &value| sum.saturating_add(value)),
            inclusive: inclusive.get(at).copied().unwrap_or(0),
            imbalance: spread.map(|spread| spread.ratio),
            place: spread.map(|spread| opened.peers().title(spread.at).to_owned()),
        }
    };
    names.iter().enumerate().map(row).collect()
}

/// By module: the sum over its outermost call paths.
fn with_callees(opened: &Opened) -> Vec<i64> {
    let (calls, modules) = (&opened.calls, opened.modules());
    let mut sums = vec![0i64; modules.names.len()];
    // Up to which node each module is being counted: nodes are in pre-order.
    let mut counted = vec![0usize; sums.len()];
    for node in (1..calls.node_count() as u32).map(NodeId) {
        let Some(module) = modules.number(calls.frame_number(node)) else { continue };
        if node.index() >= counted[module] {
            sums[module] = sums[module].saturating_add(calls.inclusive(0, node));
            counted[module] = calls.subtree(node).end;
        }
    }
    sums
}

/// The module that is most uneven over ranks for what it takes: (most − mean) × ranks is largest. Modules in which the
/// program waits are effects of others.
pub fn telling(opened: &Opened) -> Option<usize> {
    let calls = &opened.calls;
    let waits = causes::waits(calls);
    let mut waiting = vec![0i64; opened.modules().names.len()];
    for node in (1..calls.node_count() as u32).map(NodeId).filter(|node| waits[node.index()]) {
        let module = opened.modules().number(calls.frame_number(node));
        if let Some(sum) = module.and_then(|module| waiting.get_mut(module)) {
            *sum = sum.saturating_add(calls.own(0, node));
        }
    }
    let cost = |(at, values): (usize, &Vec<i64>)| {
        let total = values.iter().fold(0, |sum: i64, &value| sum.saturating_add(value));
        let spread = opened.peers().imbalance(values).filter(|spread| spread.ratio >= UNEVEN)?;
        let much = waiting.get(at).is_some_and(|&waiting| waiting as f64 * 2.0 > total as f64);
        (!much).then_some((spread.mean * (spread.ratio - 1.0) * opened.peers().len() as f64, at))
    };
    let all = opened.by_module().iter().enumerate().filter_map(cost);
    all.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))).map(|(_, module)| module)
}

/// The table of modules.
pub fn table(opened: &Opened, metric: &Measured) -> Option<Block> {
    let all = modules(opened);
    let whole = opened.calls.inclusive(0, NodeId::ROOT);
    let places = opened.peers().len() > 1;
    let row = |module: &Module| {
        let mut cells = vec![
            Cell::text(module.name.clone()),
            info::cell(metric, module.own, whole),
            info::cell(metric, module.inclusive, whole),
        ];
        if places {
            let most = module.place.as_deref().zip(module.imbalance);
            let text = most.map(|(place, ratio)| format!("× {} at {place}", three(ratio)));
            cells.push(Cell::text(text.unwrap_or_default()));
        }
        Row { cells, selection: None, depth: 0, state: RowState::default() }
    };
    let rows: Vec<Row> = all.iter().take(LISTED).filter(|module| module.own > 0).map(row).collect();
    let unit = Some(info::value(metric, 0).1);
    let mut columns = vec![
        info::column(
            "name",
            "module",
            "The program or library, or where none is known name space or file.",
            None,
        ),
        info::column("own", "itself", "Spent in its functions.", unit),
        info::column("inclusive", "with callees", "With all that they call, counted once.", unit),
    ];
    if places {
        let about = format!(
            "The most of {} beside their mean, of what is spent itself.",
            many(opened.peers().len(), opened.peers().each().word())
        );
        columns.push(info::column("most", "most ÷ mean", &about, None));
    }
    let total = all.len();
    (!rows.is_empty()).then_some(Block::Table { table: Table { columns, rows, total, more: false } })
}
