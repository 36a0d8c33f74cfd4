//! What the domain of calls declares to be looked at: its views, their options and acts.

use crosscut_workbench::{Act, Compares, On, Opt, OptKind, Pane, View};

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
};

const fn metric(name: &'static str, title: &'static str) -> Opt {
    Opt { auto: true, ..Opt::new(name, title, OptKind::Metric { tree: TREE }, "auto") }
}

const FOCUS: Act =
    Act { name: "focus", title: "Look at this call path alone", key: Some("E"), on: On::Selection };

/// The views, in the order to list them.
pub const VIEWS: &[View] = &[View {
    name: "calls.icicle",
    title: "Flame",
    icon: "M1.5 2.5h13v3h-13zM1.5 6.5h8v3h-8zM10.5 6.5h4v3h-4zM1.5 10.5h4v3h-4zM6.5 10.5h3v3h-3z",
    about: "Every call path as wide as what was spent in it, below the one that called it.",
    options: &[
        metric("metric", "Metric"),
        Opt::new(
            "colour",
            "Colour",
            OptKind::Choice { values: &[("module", "module"), ("itself", "spent itself")] },
            "module",
        ),
        Opt::new("root", "Only", OptKind::Nodes { tree: TREE }, ""),
    ],
    acts: &[FOCUS],
    compares: Compares::Two,
    ..CALLS
}];
