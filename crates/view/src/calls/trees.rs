//! The trees of calls, and the options that make their nodes.

use crosscut_calls::graph::{Filter, Split};
use crosscut_calls::{By, Calls, Making, Map, Query};
use crosscut_tree::{NodeSet, Unit};
use crosscut_workbench::{Opt, OptKind, Options, Refusal, TreeDecl};

use super::{callers, forest, merged};

/// The share of the program below which functions stay in their callers, in percent.
const USUAL_FILTER: &str = "0.1";

const METRIC: Opt =
    Opt { auto: true, ..Opt::new("metric", "Metric", OptKind::Metric { tree: forest::TREE }, "auto") };

/// The trees.
pub const TREES: &[TreeDecl] = &[
    TreeDecl {
        name: forest::TREE,
        title: "Calls",
        node: ("call path", "call paths"),
        sign: "c",
        parameter: false,
        options: &[
            Opt::new("query", "Query", OptKind::Text, ""),
            Opt::new("place", "At place", OptKind::Text, ""),
        ],
        slow: false,
    },
    TreeDecl {
        name: callers::TREE,
        title: "Callers",
        node: ("function", "functions"),
        sign: "f",
        parameter: false,
        options: &[],
        slow: true,
    },
    TreeDecl {
        name: merged::TREE,
        title: "Super graph",
        node: ("super node", "super nodes"),
        sign: "m",
        parameter: true,
        options: &[
            METRIC,
            Opt::new(
                "filter",
                "Functions from",
                OptKind::Number { least: 0.0, most: 50.0, log: true, unit: Unit::Percent },
                USUAL_FILTER,
            ),
            Opt::new("back", "Brought back", OptKind::Text, ""),
            Opt::new("split", "Split", OptKind::Text, ""),
            Opt::new("rules", "Rules", OptKind::Text, ""),
        ],
        slow: false,
    },
];

/// The number of a metric by its name, with or without callees; the first one for "auto".
pub fn metric(calls: &Calls, name: Option<&str>) -> Result<usize, Refusal> {
    let Some(name) = name.filter(|name| *name != "auto") else { return Ok(0) };
    let metrics = &calls.summary().metrics;
    let is = |known: &str| name == known || name.strip_suffix(", itself") == Some(known);
    metrics.iter().position(|metric| is(&metric.name)).ok_or_else(|| {
        let names: Vec<&str> = metrics.iter().map(|metric| metric.name.as_str()).collect();
        Refusal::new(format!("metric: `{}` is none of {}", short(name), names.join(", ")))
    })
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// The nodes that a tree of calls is asked about by its options.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Call paths that a query finds, and the query.
    pub query: Option<(String, NodeSet)>,
    /// The one place whose values decide what stands out.
    pub place: Option<u32>,
}

impl Asked {
    /// Reads the options.
    pub fn of(calls: &Calls, with: &Options) -> Result<Self, Refusal> {
        let option = |name: &str| with.get(name).map(|text| text.trim()).filter(|text| !text.is_empty());
        let found = |text: &str| {
            let nodes = Query::parse(text).and_then(|query| query.nodes(calls));
            let nodes = nodes.map_err(|error| Refusal::new(format!("query: {error}")))?;
            Ok::<_, Refusal>((text.to_owned(), nodes))
        };
        let place = |text: &str| {
            let count = calls.place_count();
            let known = text.parse::<u32>().ok().filter(|&place| (place as usize) < count);
            known
                .or_else(|| {
                    (0..count).find(|&place| calls.place_title(place) == text).map(|place| place as u32)
                })
                .ok_or_else(|| {
                    let last = count.saturating_sub(1);
                    Refusal::new(format!(
                        "place: `{}` is no place; they are numbered 0 to {last}",
                        short(text)
                    ))
                })
        };
        Ok(Asked {
            query: option("query").map(found).transpose()?,
            place: option("place").map(place).transpose()?,
        })
    }
}

/// Names with `|` between them.
fn names(text: &str) -> Vec<String> {
    text.split('|').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// What a super graph is made by: the map is the parameter of its key.
pub fn making(calls: &Calls, map: &str, with: &Options) -> Result<Making, Refusal> {
    let option = |name: &str| with.get(name).map(String::as_str);
    let words = || By::ALL.map(By::word).join(", ");
    let by = By::from_word(map).ok_or_else(|| {
        Refusal::new(format!("call paths are merged by {}, not by `{}`", words(), short(map)))
    })?;
    let rules = option("rules").unwrap_or_default();
    let map = Map::with_rules(by, rules).map_err(|error| Refusal::new(error.to_string()))?;
    let percent: f64 = option("filter").unwrap_or(USUAL_FILTER).parse().unwrap_or(0.0);
    let splits = Split::list_from_text(option("split").unwrap_or_default()).map_err(|wrong| {
        Refusal::new(format!(
            "split: write `caller NAME`, `entry NAME` or `entry NAME > FUNCTION`, with | between them, not `{}`",
            short(&wrong)
        ))
    })?;
    Ok(Making {
        metric: metric(calls, option("metric"))?,
        map,
        filter: Filter { share: percent / 100.0, back: names(option("back").unwrap_or_default()) },
        splits,
    })
}
