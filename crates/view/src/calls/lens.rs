//! What can be looked for among call paths: what stands out, and functions that are large enough. The rest of the children of a node is
//! folded into one surrogate.

use std::sync::Arc;

use crosscut_calls::graph::functions_under;
use crosscut_calls::{Calls, USUAL_K, hot_path, prune};
use crosscut_scene::format::{count, many};
use crosscut_tree::{Lens, NodeId, NodeSet, Unit};
use crosscut_workbench::{Cell, Chosen, Fact, LensDecl, LensSpec, Refusal};

/// Call paths whose own value stands out.
const OUTLIERS: &str = "outliers";
/// Call paths of functions that are large enough.
const LARGE: &str = "large";

/// The lenses.
pub fn lenses() -> Vec<LensDecl> {
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
    vec![outliers, large]
}

/// Settles one of them, by a metric of the profile.
pub fn lens(calls: &Calls, spec: &LensSpec) -> Result<Chosen, Refusal> {
    let usual = lenses().into_iter().find(|lens| lens.name == spec.name);
    let usual = usual.map(|lens| lens.usual).ok_or_else(|| {
        let name: String = spec.name.chars().take(40).collect();
        Refusal::new(format!("calls have no lens `{name}`"))
    })?;
    let value = spec.value.filter(|value| value.is_finite() && *value >= 0.0).unwrap_or(usual);
    match spec.name.as_str() {
        OUTLIERS => Ok(outliers(calls, value)),
        _ => Ok(large(calls, value)),
    }
}

fn outliers(calls: &Calls, k: f64) -> Chosen {
    let nodes = || (0..calls.node_count() as u32).map(NodeId);
    let own: Vec<f64> = nodes().map(|node| calls.own(0, node) as f64).collect();
    let inclusive: Vec<f64> = nodes().map(|node| calls.inclusive(0, node) as f64).collect();
    let pruned = prune(calls.tree(), &own, &inclusive, k, || hot_path(calls, 0, NodeId::ROOT));
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

fn large(calls: &Calls, percent: f64) -> Chosen {
    let small = functions_under(calls, 0, percent / 100.0);
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
