//! What the domain of messages declares: its trees, its views, their options and acts.

use crosscut_messages::gram::MOST_PHASES;
use crosscut_tree::Unit;
use crosscut_workbench::{Compares, Opt, OptKind, Pane, TreeDecl, View};

use super::{communities, phases};

const ALL: OptKind = OptKind::Choice { values: &[("all", "all")] };

/// The trees.
pub const TREES: &[TreeDecl] = &[
    TreeDecl {
        name: phases::TREE,
        title: "Phases",
        node: ("phase", "phases"),
        sign: "p",
        parameter: false,
        options: &[
            Opt {
                auto: true,
                ..Opt::new(
                    "k",
                    "Phases",
                    OptKind::Number { least: 1.0, most: MOST_PHASES as f64, log: true, unit: Unit::Count },
                    "auto",
                )
            },
            Opt::new(
                "clock",
                "Clock",
                OptKind::Choice { values: &[("wall", "wall"), ("logical", "logical")] },
                "wall",
            ),
            Opt::new("comm", "Comm", ALL, "all"),
            Opt::new("tag", "Tag", ALL, "all"),
            Opt::new("call", "Call", ALL, "all"),
            Opt::new(
                "size",
                "From size",
                OptKind::Number { least: 0.0, most: 1e12, log: true, unit: Unit::Bytes },
                "0",
            ),
        ],
        slow: true,
    },
    TreeDecl {
        name: communities::TREE,
        title: "Groups",
        node: ("group", "groups"),
        sign: "c",
        parameter: true,
        options: &[],
        slow: false,
    },
];

/// What is alike in all views of messages.
const MESSAGES: View = View {
    name: "",
    title: "",
    section: "Messages",
    icon: "",
    about: "",
    trees: &[phases::TREE, "places"],
    pane: Pane::Plots,
    options: &[],
    acts: &[],
    compares: Compares::No,
    slow: false,
    hidden: false,
};

/// The views, in the order to list them.
pub const VIEWS: &[View] = &[View {
    name: "messages.gram",
    title: "Messages",
    icon: "M1.5 3.5h2v9h-2zM12.5 3.5h2v9h-2zM3.5 5c4.5 0 4.5 6 9 6M3.5 11c4.5 0 4.5-6 9-6",
    about: "Phases that repeat, the groups that ranks form in each, and what they send each other.",
    trees: &[phases::TREE, "places", "communities/*"],
    options: &[Opt::new(
        "bands",
        "Width of bands",
        OptKind::Choice { values: &[("share", "share of the pattern"), ("bytes", "bytes, one scale")] },
        "share",
    )],
    ..MESSAGES
}];
