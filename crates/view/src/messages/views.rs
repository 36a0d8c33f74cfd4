//! What the domain of messages declares: its trees, its views, their options and acts.

use crosscut_messages::gram::MOST_PHASES;
use crosscut_tree::Unit;
use crosscut_workbench::{Act, Compares, On, Opt, OptKind, Pane, TreeDecl, View};

use super::{communities, evidence, phases};

const ALL: OptKind = OptKind::Choice { values: &[("all", "all")] };

/// An option of a filter: shown while there is one.
const fn filter(name: &'static str, title: &'static str, kind: OptKind, usual: &'static str) -> Opt {
    Opt { when: Some(("filter", "true")), ..Opt::new(name, title, kind, usual) }
}

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
            Opt::new("filter", "Filter", OptKind::Flag, "false"),
            filter("comm", "Comm", ALL, "all"),
            filter("tag", "Tag", ALL, "all"),
            filter("call", "Call", ALL, "all"),
            filter(
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
    follows: false,
    without: &[],
};

const fn flag(name: &'static str, title: &'static str) -> Opt {
    Opt::new(name, title, OptKind::Flag, "true")
}

const fn value(values: &'static [(&'static str, &'static str)]) -> Opt {
    Opt::new("value", "Value", OptKind::Choice { values }, "bytes")
}

const ORDER: Opt = Opt::new(
    "order",
    "Order",
    OptKind::Choice { values: &[("rank", "by rank"), ("groups", "by groups")] },
    "rank",
);

/// The views, in the order to list them.
pub const VIEWS: &[View] = &[
    View {
        name: "messages.gram",
        title: "Messages",
        icon: "M1.5 3.5h2v9h-2zM12.5 3.5h2v9h-2zM3.5 5c4.5 0 4.5 6 9 6M3.5 11c4.5 0 4.5-6 9-6",
        about: "Phases that repeat, the groups that ranks form in each, what they send each other, who waits.",
        trees: &[phases::TREE, "places", "communities/*"],
        options: &[Opt::new(
            "bands",
            "Width of bands",
            OptKind::Choice { values: &[("share", "share of the pattern"), ("bytes", "bytes, one scale")] },
            "share",
        )],
        acts: &[
            Act { name: "worst", title: "Next phase that waits", key: Some("Shift+W"), on: On::View },
            Act { name: "focus", title: "Look at this iteration alone", key: Some("E"), on: On::Selection },
        ],
        ..MESSAGES
    },
    View {
        name: "messages.ranks",
        title: "Ranks",
        icon: "M1.5 3h5M8 3h6.5M1.5 8h9M12 8h2.5M1.5 13h3M6 13h8.5M6.5 3l4 5M4.5 13l6-5",
        about: "What each rank did over time: calls, waiting, lines for messages, and the critical path.",
        options: &[
            ORDER,
            flag("messages", "Lines"),
            flag("gaps", "Fold gaps"),
            flag("path", "Critical path"),
        ],
        ..MESSAGES
    },
    View {
        name: "messages.matrix",
        title: "Matrix",
        icon: "M2 2h3v3H2zM6.5 6.5h3v3h-3zM11 11h3v3h-3zM11 2h3v3h-3zM2 11h3v3H2z",
        about: "Who sent how much to whom, by rank.",
        options: &[ORDER, value(&[("bytes", "bytes"), ("messages", "messages"), ("time", "time under way")])],
        ..MESSAGES
    },
    View {
        name: "messages.volume",
        title: "Volume",
        icon: "M1.5 13.5h13M2 12l3-6 2 3 3-7 4 8",
        about: "How much was under way between ranks over time.",
        options: &[value(&[("bytes", "bytes"), ("messages", "messages")])],
        ..MESSAGES
    },
    View {
        name: "messages.sizes",
        title: "Sizes",
        icon: "M2 14V9h2v5zM6 14V5h2v9zM10 14V2h2v12zM1.5 14h13",
        about: "How large messages are, and what each rank sent and received.",
        ..MESSAGES
    },
    View {
        name: "messages.evidence",
        title: "What shows it",
        trees: &["places"],
        options: &[Opt::new(
            evidence::LOSS,
            "Loss",
            OptKind::Number { least: 1.0, most: 1e6, log: false, unit: Unit::Count },
            evidence::FIRST,
        )],
        hidden: true,
        ..MESSAGES
    },
    View {
        name: "messages.account",
        title: "Where the time went",
        trees: &["lines"],
        hidden: true,
        ..MESSAGES
    },
    View { name: "messages.strip", title: "Volume over time", hidden: true, ..MESSAGES },
];
