//! What the domain of calls declares to be looked at: its views, their options and acts.

use crosscut_tree::Unit;
use crosscut_workbench::{Act, Compares, On, Opt, OptKind, Pane, View};

use super::evidence;
use super::forest::TREE;

/// What is alike in all views of calls.
const CALLS: View = View {
    name: "",
    title: "",
    section: "Calls",
    icon: "",
    about: "",
    trees: &[TREE, "places"],
    pane: Pane::Plots,
    options: &[],
    acts: &[],
    compares: Compares::No,
    slow: false,
    hidden: false,
    follows: false,
    // What a query finds and what stands out at a place are looked at as a tree, or in the table.
    without: &["query", "place"],
};

const fn metric(name: &'static str, title: &'static str) -> Opt {
    Opt { auto: true, ..Opt::new(name, title, OptKind::Metric { tree: TREE }, "auto") }
}

const FOCUS: Act =
    Act { name: "focus", title: "Look at this call path alone", key: Some("E"), on: On::Selection };

const PART: Opt = Opt {
    auto: true,
    ..Opt::new(
        "part",
        "Part",
        OptKind::Choice { values: &[("itself", "itself"), ("all", "with callees")] },
        "auto",
    )
};

/// Who is compared: ranks where there are several.
const EACH: Opt = Opt {
    auto: true,
    ..Opt::new("each", "Each", OptKind::Choice { values: &[("rank", "rank"), ("place", "place")] }, "auto")
};

const BRUSH: &[Act] = &[
    Act { name: "brush", title: "Choose places by value", key: None, on: On::View },
    Act { name: "all", title: "All places count", key: Some("Shift+A"), on: On::View },
];

/// The views, in the order to list them.
pub const VIEWS: &[View] = &[
    View {
        name: "calls.flow",
        title: "Flow",
        icon: "M1.5 2v12M14.5 2v5M14.5 9v5M1.5 3c7 0 6 1 13 0M1.5 8c7 0 6 4 13 4",
        about: "Modules as bars, what one calls of another as bands; itself solid, who is uneven over ranks marked.",
        trees: &[TREE, "places", "super/*"],
        options: &[
            Opt::new(
                "map",
                "Merged by",
                OptKind::Choice {
                    values: &[
                        ("module", "module"),
                        ("library", "library"),
                        ("file", "file"),
                        ("function", "function"),
                    ],
                },
                "module",
            ),
            Opt {
                auto: true,
                ..Opt::new(
                    "limit",
                    "Bars",
                    OptKind::Number { least: 4.0, most: 60.0, log: false, unit: Unit::Count },
                    "auto",
                )
            },
            EACH,
        ],
        acts: &[
            Act { name: "split", title: "Split by entry function", key: Some("E"), on: On::Selection },
            Act { name: "split-caller", title: "Split by caller", key: Some("Shift+E"), on: On::Selection },
            Act { name: "merge", title: "Merge what was split last", key: Some("Shift+M"), on: On::View },
        ],
        compares: Compares::Many,
        follows: true,
        ..CALLS
    },
    View {
        name: "calls.icicle",
        title: "Flame",
        icon: "M1.5 2.5h13v3h-13zM1.5 6.5h8v3h-8zM10.5 6.5h4v3h-4zM1.5 10.5h4v3h-4zM6.5 10.5h3v3h-3z",
        about: "Every call path as wide as what was spent in it, below the one that called it.",
        options: &[
            metric("metric", "Metric"),
            Opt::new(
                "shade",
                "Colour",
                OptKind::Choice { values: &[("module", "module"), ("itself", "spent itself")] },
                "module",
            ),
            Opt::new("root", "Only", OptKind::Nodes { tree: TREE }, ""),
            EACH,
        ],
        acts: &[FOCUS],
        compares: Compares::Two,
        ..CALLS
    },
    View {
        name: "calls.tree",
        title: "Tree",
        icon: "M2 3h4M6 3v10M6 8h4M6 13h4M11 8h.01M11 13h.01M7 3h5",
        about: "Call paths that stand out, with their callers; what else those call is one mark.",
        options: &[
            metric("metric", "Metric"),
            metric("size", "Size"),
            Opt {
                auto: true,
                ..Opt::new(
                    "k",
                    "k",
                    OptKind::Number { least: 0.5, most: 100_000.0, log: true, unit: Unit::Ratio },
                    "auto",
                )
            },
            EACH,
        ],
        without: &[],
        ..CALLS
    },
    View {
        name: "calls.places",
        title: "Places",
        icon: "M2 9V6h2v3zM6 9V2h2v7zM10 9V5h2v4zM1.5 9h13M3 9c0 3 8 1 8 4M7 9c0 2-4 2-4 4M1.5 13.5h13",
        about: "How many ranks spent how much in the selection, and which ones. Drag over bins to choose them.",
        trees: &[TREE, "places", "super/*"],
        options: &[metric("metric", "Metric"), PART, EACH],
        acts: BRUSH,
        follows: true,
        ..CALLS
    },
    View {
        name: "calls.scatter",
        title: "Correlation",
        icon: "M2 2v12h12M5 11h.01M7 9h.01M8 10h.01M10 6h.01M12 5h.01M9 7h.01M4 12l9-8",
        about: "One point for each rank: what was spent in the selection beside a second value, with the line that fits best.",
        trees: &[TREE, "places", "super/*"],
        options: &[
            metric("metric", "Along x"),
            PART,
            metric("second", "Along y"),
            Opt::new("beside", "Beside", OptKind::Nodes { tree: TREE }, ""),
            EACH,
        ],
        acts: BRUSH,
        follows: true,
        ..CALLS
    },
    View { name: "calls.account", title: "Where the time went", hidden: true, ..CALLS },
    View { name: "calls.strip", title: "Places", hidden: true, ..CALLS },
    View {
        name: "calls.evidence",
        title: "What shows it",
        options: &[Opt::new(
            evidence::LOSS,
            "Loss",
            OptKind::Number { least: 1.0, most: 1e6, log: false, unit: Unit::Count },
            evidence::FIRST,
        )],
        hidden: true,
        ..CALLS
    },
];
