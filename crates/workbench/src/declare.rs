//! What a domain declares as plain data: its views, their options and acts, its trees, their lenses. The page makes
//! menus, sliders and keys of it, `render` its flags; neither knows any of them by name.

use crosscut_tree::Unit;
use serde::Serialize;
use ts_rs::TS;

use crate::error::Refusal;

/// How a view is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Pane {
    /// One plot with a free camera: boxes that are opened and closed.
    Graph,
    /// Plots with axes that fill the pane.
    Plots,
    /// Text, facts, tables and small pictures.
    Sheet,
    /// The rows of a tree.
    Table,
}

/// What a view can be compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Compares {
    /// Nothing: runs stand side by side.
    No,
    /// One other run, or the other places.
    Two,
    /// Many runs.
    Many,
}

/// One view.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct View {
    /// Its name, such as "tasks.dag": the domain's word, a dot, its own.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The heading it is listed under, such as "Tasks".
    pub section: &'static str,
    /// Outline on a grid of 16 × 16, as the path of an SVG.
    pub icon: &'static str,
    /// What it is good for, in a sentence.
    pub about: &'static str,
    /// The trees whose nodes its marks name, in the order of their numbers; the first one is that of table, keys and
    /// inspector.
    pub trees: &'static [&'static str],
    /// How it is shown.
    pub pane: Pane,
    /// How it can be drawn.
    pub options: &'static [Opt],
    /// What can be done in it beside the shared acts.
    pub acts: &'static [Act],
    /// What it can be compared with.
    pub compares: Compares,
    /// It takes longer than a click may: it is asked for on demand, with progress.
    pub slow: bool,
    /// It is not in the list of views: a small picture of a sheet.
    pub hidden: bool,
    /// It is about what is selected: another selection is another picture.
    pub follows: bool,
    /// Options of its trees that do nothing in it: its tools leave them out.
    pub without: &'static [&'static str],
}

impl View {
    /// Whether it shows any tree of this name, whatever its parameter.
    pub fn has_each(&self, tree: &crate::selection::TreeKey) -> bool {
        let each = |name: &&str| name.strip_suffix("/*") == Some(tree.name.as_str());
        tree.parameter.is_some() && self.trees.iter().any(each)
    }
}

/// An option of a tree or a view. Values travel as text.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Opt {
    /// Its name: a field of the URL and a flag of `render`.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What values it takes.
    pub kind: OptKind,
    /// The value when nobody says otherwise.
    pub usual: &'static str,
    /// "auto" is a value: the answer says what it became.
    pub auto: bool,
    /// Shown only while another option has this value.
    pub when: Option<(&'static str, &'static str)>,
    /// The key that steps through its values.
    pub key: Option<&'static str>,
}

impl Opt {
    /// An option that people call by its title, of this kind, with its usual value.
    pub const fn new(name: &'static str, title: &'static str, kind: OptKind, usual: &'static str) -> Self {
        Opt { name, title, kind, usual, auto: false, when: None, key: None }
    }

    /// Whether a text is a value of it.
    pub fn check(&self, value: &str) -> Result<(), Refusal> {
        if (self.auto && value == "auto") || value == self.usual {
            return Ok(());
        }
        let short: String = value.chars().take(40).collect();
        match &self.kind {
            OptKind::Choice { values } if !values.iter().any(|(word, _)| *word == value) => {
                let words: Vec<&str> = values.iter().map(|(word, _)| *word).collect();
                Err(Refusal::new(format!("{}: `{short}` is none of {}", self.name, words.join(", "))))
            }
            OptKind::Number { least, most, .. } => {
                let number = value.parse::<f64>().ok().filter(|n| n.is_finite() && n >= least && n <= most);
                let wrong = || format!("{}: `{short}` is no number from {least} to {most}", self.name);
                number.map(drop).ok_or_else(|| Refusal::new(wrong()))
            }
            OptKind::Flag if value != "true" && value != "false" => {
                Err(Refusal::new(format!("{}: write true or false, not `{short}`", self.name)))
            }
            OptKind::Nodes { .. } => {
                let nodes = crate::selection::Nodes::try_from(value.to_owned());
                nodes.map(drop).map_err(|error| Refusal::new(format!("{}: {error}", self.name)))
            }
            _ => Ok(()),
        }
    }
}

/// What values an option takes.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(tag = "is", rename_all = "lowercase")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum OptKind {
    /// One of these: (value, title).
    Choice {
        /// Value and title of each.
        values: &'static [(&'static str, &'static str)],
    },
    /// A number.
    Number {
        /// The least.
        least: f64,
        /// The most.
        most: f64,
        /// A slider moves by the logarithm.
        log: bool,
        /// What it is measured in.
        unit: Unit,
    },
    /// "true" or "false".
    Flag,
    /// Name of a metric of this tree.
    Metric {
        /// The tree.
        tree: &'static str,
    },
    /// Any text: what it means its tree or view says.
    Text,
    /// Nodes of this tree, as text; set from the selection.
    Nodes {
        /// The tree.
        tree: &'static str,
    },
}

/// What an act is done on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum On {
    /// The whole view.
    View,
    /// The selection.
    Selection,
}

/// Something that can be done: from a Look to a Look.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Act {
    /// Its name.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Its key.
    pub key: Option<&'static str>,
    /// What it is done on.
    pub on: On,
}

/// A tree that a domain can make.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct TreeDecl {
    /// Its name.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What one node is called, and several.
    pub node: (&'static str, &'static str),
    /// What stands before the number of a node, such as "#" or "g": search finds nodes by it.
    pub sign: &'static str,
    /// It has a parameter ("communities/PHASE").
    pub parameter: bool,
    /// Options that make its nodes.
    pub options: &'static [Opt],
    /// Making it takes longer than a click may.
    pub slow: bool,
}

/// A lens that a tree offers.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct LensDecl {
    /// Its word, such as "low-parallel-benefit".
    pub name: String,
    /// What people call it.
    pub title: String,
    /// What decides, in words.
    pub metric: String,
    /// What its value is measured in.
    pub unit: Unit,
    /// Small values are chosen.
    pub below: bool,
    /// The value when nobody says otherwise.
    pub usual: f64,
    /// Sensible ends for a slider.
    pub range: (f64, f64),
    /// Why it is not available in this run, and what to do; absent where it is.
    pub missing: Option<String>,
    /// The paper's words, or what it means, for a tooltip.
    pub about: String,
}
