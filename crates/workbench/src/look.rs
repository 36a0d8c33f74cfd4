//! A Look: everything that decides one picture, as one value. A pane, a URL, the link of a finding, its small picture, a
//! saved figure and the flags of `render` are the same Look.
//!
//! Five kinds of state, one home each: what *makes* nodes is an option of the tree ([`TreeLook::with`]); what *folds*
//! them is the lens; what is *unfolded* is the cut; which data *counts* is the scope; how it is *drawn* is an option of
//! the view.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::selection::{Selection, Span, TreeKey};

/// Options by name, as text: their declaration says what the text means. What is usual is left out.
pub type Options = BTreeMap<String, String>;

/// Everything that decides one picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Look {
    /// Version of this shape.
    #[serde(default = "version")]
    pub v: u32,
    /// Name of the view, such as "tasks.dag".
    pub view: String,
    /// Index of the run.
    pub run: usize,
    /// What it is compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub against: Option<Against>,
    /// State of trees; of those that are not here, the usual one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(type = "Record<string, import(\"./TreeLook\").TreeLook>")]
    pub trees: BTreeMap<TreeKey, TreeLook>,
    /// Options of the view.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(type = "Record<string, string>")]
    pub options: Options,
    /// Which data counts.
    #[serde(default)]
    pub scope: Scope,
    /// What is selected, possibly in another run or tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub selected: Option<Selection>,
    /// Width and height of the pane in CSS pixels.
    #[serde(default)]
    pub size: Size,
}

/// The version of [`Look`] that this build writes.
pub const VERSION: u32 = 1;

fn version() -> u32 {
    VERSION
}

impl Look {
    /// The usual look of a view.
    pub fn of(view: &str, run: usize) -> Self {
        Look { v: VERSION, view: view.to_owned(), run, ..Look::default() }
    }

    /// The state of a tree.
    pub fn tree(&self, name: &str) -> TreeLook {
        self.trees.get(&TreeKey::named(name)).cloned().unwrap_or_default()
    }

    /// An option of the view, as text.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.get(name).map(String::as_str)
    }
}

/// Width and height of a pane in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Size {
    /// Width.
    pub w: f32,
    /// Height.
    pub h: f32,
}

impl Default for Size {
    fn default() -> Self {
        Size { w: 1200.0, h: 640.0 }
    }
}

impl Size {
    /// A size that can be drawn: a hostile one costs no memory.
    pub fn sound(self) -> Size {
        let sound = |side: f32, usual: f32| if side.is_finite() { side.clamp(32.0, 20_000.0) } else { usual };
        Size { w: sound(self.w, 1200.0), h: sound(self.h, 640.0) }
    }
}

/// What a look is compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub enum Against {
    /// The places of the scope against all others.
    Rest,
    /// Other runs: one to compare, several as an ensemble.
    Runs(Vec<usize>),
}

/// The state of one tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct TreeLook {
    /// Options that make its nodes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(type = "Record<string, string>")]
    pub with: Options,
    /// What is unfolded, as text; "" is the cut that the tree opens with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cut: String,
    /// What is folded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub lens: Option<LensSpec>,
}

/// A lens by its name and value; without a value its usual one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct LensSpec {
    /// Its word.
    pub name: String,
    /// Where it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub value: Option<f64>,
}

/// Which data counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct Scope {
    /// A window of time; the whole run when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub time: Option<Span>,
    /// Places by number, such as "0-31,64"; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub places: Option<crate::selection::Nodes>,
    /// Only inside of this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub inside: Option<Selection>,
}
