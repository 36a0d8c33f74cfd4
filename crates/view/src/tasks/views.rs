//! What the domain of tasks declares: its trees, its views, their options and acts.

use crosscut_tasks::schema::Edge;
use crosscut_tree::Unit;
use crosscut_workbench::{Act, Compares, On, Opt, OptKind, Pane, TreeDecl, View};

use super::{forest_grains, forest_tasks, losses};

/// The trees.
pub const TREES: &[TreeDecl] = &[
    TreeDecl {
        name: forest_tasks::TREE,
        title: "Tasks",
        node: ("task", "tasks"),
        sign: "#",
        parameter: false,
        options: &[],
        slow: false,
    },
    TreeDecl {
        name: forest_grains::TREE,
        title: "Grains",
        node: ("grain", "grains"),
        sign: "g",
        parameter: false,
        options: &[],
        slow: true,
    },
];

const COLOURS: OptKind = OptKind::Choice {
    values: &[("worker", "Worker"), ("kind", "Kind"), ("source", "Source line"), ("core", "Core")],
};

const fn colour(usual: &'static str) -> Opt {
    Opt { name: "colour", title: "Colour", kind: COLOURS, usual, auto: false, when: None, key: None }
}

const SCALES: [(&str, &str); 4] = [
    ("group", "Time, linear in a group"),
    ("log", "Time, logarithmic"),
    ("linear", "Time, linear"),
    ("even", "Even"),
];

const fn height(values: &'static [(&'static str, &'static str)], usual: &'static str) -> Opt {
    let kind = OptKind::Choice { values };
    Opt { name: "scale", title: "Height", kind, usual, auto: false, when: None, key: None }
}

/// The height of a box of the DAG, and that of a grain: only grains are compared within their group.
const HEIGHT: Opt = height(SCALES.split_at(1).1, "log");
const GRAIN_HEIGHT: Opt = height(&SCALES, "group");

const fn flag(name: &'static str, title: &'static str, key: &'static str) -> Opt {
    Opt { name, title, kind: OptKind::Flag, usual: "false", auto: false, when: None, key: Some(key) }
}

const fn nodes(name: &'static str, title: &'static str, tree: &'static str) -> Opt {
    Opt { name, title, kind: OptKind::Nodes { tree }, usual: "", auto: false, when: None, key: None }
}

const CRITICAL: Opt = flag("critical", "Critical path", "C");

const OPEN_CRITICAL: Act =
    Act { name: "critical", title: "Open along the critical path", key: Some("Shift+C"), on: On::View };

/// A factor for predictions: as the slider and the command line have it.
pub const FASTER: (f64, f64) = (0.001, 1e6);

/// Kinds of transfers, and all of them.
const EDGES: OptKind = OptKind::Choice {
    values: &[
        ("all", "all"),
        ("create", "to a created task"),
        ("create-cont", "after a create"),
        ("wait-cont", "after a wait"),
        ("end", "from the last task of a section"),
        ("other-cont", "after another interval"),
    ],
};

/// What made an interval ready, in plain words.
pub fn edge_words(edge: Edge) -> &'static str {
    match edge {
        Edge::End => "the end of the last task of a section",
        Edge::Create => "its creation",
        Edge::CreateCont => "a create, after which its own task went on",
        Edge::WaitCont => "a wait",
        Edge::OtherCont => "the interval before",
    }
}

/// What was ready and did not run, in plain words; the papers name the edge that made it ready.
pub fn ready_words(edge: Edge) -> &'static str {
    match edge {
        Edge::End => "the last task of a section ended",
        Edge::Create => "just created",
        Edge::CreateCont => "after a create",
        Edge::WaitCont => "after a wait",
        Edge::OtherCont => "after another interval",
    }
}

/// A time that decides the scale of a picture, so that two of them can be compared; 0 is the run's own.
const fn scale_of(name: &'static str, title: &'static str) -> Opt {
    let kind = OptKind::Number { least: 0.0, most: 1e19, log: false, unit: Unit::Ns };
    Opt { name, title, kind, usual: "0", auto: false, when: None, key: None }
}

/// Which loss a picture is about; 0 is none.
const LOSS: Opt = Opt {
    name: losses::LOSS,
    title: "Number of a loss",
    kind: OptKind::Number { least: 0.0, most: 1e6, log: false, unit: Unit::Count },
    usual: "0",
    auto: false,
    when: None,
    key: None,
};

/// What is alike in all views of tasks.
const TASKS: View = View {
    name: "",
    title: "",
    section: "Tasks",
    icon: "",
    about: "",
    trees: &[forest_tasks::TREE],
    pane: Pane::Plots,
    options: &[],
    acts: &[],
    compares: Compares::No,
    slow: false,
    hidden: false,
    follows: false,
    without: &[],
};

const HIDDEN: View = View { hidden: true, ..TASKS };

/// The views, in the order to list them.
pub const VIEWS: &[View] = &[
    View {
        name: "tasks.dag",
        title: "Task DAG",
        icon: "M6 1.5h4v3H6zM1.5 7h4v3h-4zM10.5 7h4v3h-4zM7 4.5 3.5 7M9 4.5 12.5 7M3.5 10 7 13M12.5 10 9 13M6 14h4",
        about: "Who created and waited for whom, and what the critical path takes.",
        pane: Pane::Graph,
        options: &[colour("worker"), HEIGHT, CRITICAL],
        acts: &[OPEN_CRITICAL],
        ..TASKS
    },
    View {
        name: "tasks.grains",
        title: "Grain graph",
        icon: "M8 1 10.5 4h-5zM8 15l2.5-3h-5zM1.5 6h3v4h-3zM6.5 6h3v4h-3zM11.5 6h3v4h-3z",
        about: "Tasks and chunks folded into groups; a lens shows those that have a problem.",
        trees: &[forest_grains::TREE],
        pane: Pane::Graph,
        options: &[
            colour("source"),
            GRAIN_HEIGHT,
            flag("alike", "Fold groups that are alike", "Shift+E"),
            CRITICAL,
            nodes("path", "Critical path of", forest_grains::TREE),
        ],
        acts: &[
            Act { name: "worst", title: "Open to the worst line", key: Some("Shift+W"), on: On::View },
            Act {
                name: "alike",
                title: "Open what is alike in the same way",
                key: Some("E"),
                on: On::Selection,
            },
            Act {
                name: "path",
                title: "Open along its own critical path",
                key: Some("Shift+L"),
                on: On::Selection,
            },
            OPEN_CRITICAL,
        ],
        ..TASKS
    },
    View {
        name: "tasks.timeline",
        title: "Timeline",
        icon: "M1.5 4h6M9 4h5.5M1.5 8h3M6 8h6M1.5 12h8M11 12h3.5",
        about: "How many ran and were ready, what each worker ran, and what it lost, over time.",
        trees: &[forest_tasks::TREE, "places"],
        options: &[colour("source")],
        ..TASKS
    },
    View {
        name: "tasks.profile",
        title: "Parallelism",
        icon: "M1.5 13.5h13M2 11l3-5 3 3 3-6 3 4",
        about: "How many intervals ran, and how many were ready and did not run, over time.",
        ..TASKS
    },
    View {
        name: "tasks.whatif",
        title: "What if",
        icon: "M2 14V2M2 14h12.5M3 12c3-1 4-6 6-7s4-1 5-1M3 9l3-3M11 12.5v.1M11 10c0-1.4 2-1.2 2-2.6 0-1.6-3-1.6-3 0",
        about: "How long the run would take on other numbers of workers, or if a part of it were faster.",
        options: &[
            Opt {
                name: "faster",
                title: "Times as fast",
                kind: OptKind::Number { least: FASTER.0, most: FASTER.1, log: true, unit: Unit::Ratio },
                usual: "2",
                auto: false,
                when: None,
                key: None,
            },
            nodes("nodes", "What is faster", forest_tasks::TREE),
            nodes("lines", "Lines that are faster", "lines"),
        ],
        slow: true,
        ..TASKS
    },
    View {
        name: "tasks.account",
        title: "Where the time went",
        trees: &["lines"],
        options: &[scale_of("whole", "Time that is as wide as the bar")],
        ..HIDDEN
    },
    View {
        name: "tasks.evidence",
        title: "What shows it",
        trees: &[forest_tasks::TREE, "places"],
        options: &[LOSS],
        ..HIDDEN
    },
    View { name: "tasks.lengths", title: "How long tasks and chunks are", options: &[LOSS], ..HIDDEN },
    View { name: "tasks.ladder", title: "Without what costs most", ..HIDDEN },
    View { name: "tasks.workers", title: "Workers", trees: &["places"], ..HIDDEN },
    View { name: "tasks.speedup", title: "Speed-up by number of workers", ..HIDDEN },
    View {
        name: "tasks.migrations",
        title: "Migrations",
        trees: &["places"],
        options: &[Opt {
            name: "edge",
            title: "Kind",
            kind: EDGES,
            usual: "all",
            auto: false,
            when: None,
            key: None,
        }],
        ..HIDDEN
    },
    View { name: "tasks.gaps", title: "Gaps between intervals", ..HIDDEN },
    View {
        name: "tasks.strip",
        title: "What all workers did",
        options: &[scale_of("until", "End of the axis of time")],
        ..HIDDEN
    },
];
