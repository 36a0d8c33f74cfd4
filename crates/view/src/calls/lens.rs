//! What can be looked for among call paths: what stands out, and functions that are large enough. The rest of the children of a node is
//! folded into one surrogate.

use std::ops::Range;
use std::sync::Arc;

use crosscut_calls::graph::{functions_under, totals};
use crosscut_calls::{Calls, Paths, USUAL_K, hot_path, prune};
use crosscut_scene::format::{count, many};
use crosscut_tree::{Lens, NodeId, NodeSet, Unit};
use crosscut_workbench::{Cell, Chosen, Fact, LensDecl, LensSpec, Refusal};
use rayon::prelude::*;

use super::scoped::Scoped;
use super::trees::Asked;

/// Call paths whose own value stands out.
const OUTLIERS: &str = "outliers";
/// Call paths of functions that are large enough.
const LARGE: &str = "large";

/// Call paths that the tree's query finds.
const QUERY: &str = "query";

/// The lenses; that of a query is there where the tree has one.
pub fn lenses(asked: &Asked) -> Vec<LensDecl> {
    let outliers = LensDecl {
        name: OUTLIERS.to_owned(),
        title: "What stands out".to_owned(),
        metric: "k".to_owned(),
        unit: Unit::Ratio,
        below: false,
        usual: USUAL_K,
        range: (0.0, 100.0),
        missing: None,
        about: "Call paths in which so much more is spent than in others, itself: beyond the quartiles by k times \
                their distance. Others are folded."
            .to_owned(),
    };
    let large = LensDecl {
        name: LARGE.to_owned(),
        title: "Large functions".to_owned(),
        metric: "share of the program".to_owned(),
        unit: Unit::Percent,
        below: false,
        usual: 1.0,
        range: (0.01, 50.0),
        missing: None,
        about: "Functions with at least so much of the program, with callees, in all their call paths. Others are folded."
            .to_owned(),
    };
    let query = asked.query.as_ref().map(|(query, _)| LensDecl {
        name: QUERY.to_owned(),
        title: "Found by the query".to_owned(),
        metric: "share of the program".to_owned(),
        unit: Unit::Percent,
        below: false,
        usual: 0.0,
        range: (0.0, 50.0),
        missing: None,
        about: format!("Call paths that {query} finds, with at least so much of the program, with callees. Others are folded."),
    });
    [outliers, large].into_iter().chain(query).collect()
}

/// Settles one of them, by a metric of the profile.
pub fn lens(calls: &Arc<Calls>, asked: &Asked, spec: &LensSpec) -> Result<Chosen, Refusal> {
    let usual = lenses(asked).into_iter().find(|lens| lens.name == spec.name);
    let usual = usual.map(|lens| lens.usual).ok_or_else(|| {
        let name: String = spec.name.chars().take(40).collect();
        Refusal::new(format!("calls have no lens `{name}`"))
    })?;
    let value = spec.value.filter(|value| value.is_finite() && *value >= 0.0).unwrap_or(usual);
    match (spec.name.as_str(), &asked.query) {
        (OUTLIERS, _) => Ok(outliers(calls, asked.place, value)),
        (QUERY, Some((_, nodes))) => Ok(found(calls, nodes, value)),
        _ => Ok(large(calls, value)),
    }
}

/// What stands out at all places together, or at one of them.
fn outliers(calls: &Arc<Calls>, place: Option<u32>, k: f64) -> Chosen {
    let scoped = place.map(|place| Scoped::new(calls, 0, &[place], &[]));
    let sum = |nodes: Range<usize>| match &scoped {
        Some(scoped) => scoped.sum(0, nodes) as f64,
        None => calls.sum(0, nodes) as f64,
    };
    let n = calls.node_count();
    let own: Vec<f64> = (0..n).into_par_iter().map(|at| sum(at..at + 1)).collect();
    let inclusive: Vec<f64> =
        (0..n as u32).into_par_iter().map(|at| sum(calls.subtree(NodeId(at)))).collect();
    let hot = || match &scoped {
        Some(scoped) => hot_path(scoped, 0, NodeId::ROOT),
        None => hot_path(&**calls, 0, NodeId::ROOT),
    };
    let pruned = prune(calls.tree(), &own, &inclusive, k, hot);
    let fact = |name: &str, text: String| Fact::new(name, Cell::text(text));
    let stand_out = match pruned.by_hot_path {
        true => "nothing: the hot path is shown".to_owned(),
        false => count(pruned.outliers.len() as i64),
    };
    let facts = vec![
        fact("stand out", stand_out),
        fact("kept", many(pruned.kept.len(), "call path")),
        fact("surrogates", count(pruned.surrogates.len() as i64)),
    ];
    chosen(calls, OUTLIERS, k, pruned.outliers, facts)
}

/// What a query finds, of those that are large enough.
fn found(calls: &Calls, nodes: &NodeSet, percent: f64) -> Chosen {
    let least = calls.inclusive(0, NodeId::ROOT) as f64 * percent / 100.0;
    let large = |node: &NodeId| calls.inclusive(0, *node) as f64 >= least;
    let large = NodeSet::from_nodes(calls.node_count(), nodes.iter().filter(large));
    let facts = vec![
        Fact::new("found", Cell::text(count(nodes.len() as i64))),
        Fact::new("call paths", Cell::text(count(large.len() as i64))),
    ];
    chosen(calls, QUERY, percent, large, facts)
}

fn large(calls: &Calls, percent: f64) -> Chosen {
    let small = functions_under(calls, 0, percent / 100.0, &totals(calls, 0));
    let is = |node: NodeId| small.get(calls.frame_number(node) as usize) == Some(&false);
    let nodes = NodeSet::from_fn(calls.node_count(), is);
    let facts = vec![Fact::new("call paths", Cell::text(count(nodes.len() as i64)))];
    chosen(calls, LARGE, percent, nodes, facts)
}

fn chosen(calls: &Calls, name: &str, value: f64, nodes: NodeSet, facts: Vec<Fact>) -> Chosen {
    let cost = nodes.iter().map(|node| calls.own(0, node) as f64).sum();
    let worst = nodes.iter().max_by_key(|&node| (calls.own(0, node), std::cmp::Reverse(node)));
    let lens = Arc::new(Lens::new(nodes));
    Chosen { name: name.to_owned(), lens, value, facts, cost, advice: String::new(), worst }
}
