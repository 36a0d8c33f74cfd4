//! One super node becomes several: by the functions that enter it, or by who calls it. Only its own call paths change hands, and
//! names of others stay. Parts of a super node never call each other, so no cycle can come of it.

use crosscut_tree::NodeId;
use foldhash::{HashMap, HashMapExt};

use super::{SuperGraph, SuperNode};
use crate::paths::Paths;

/// How a super node is split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SplitBy {
    /// By its entry functions: each becomes a super node of its own; or only the one that is named, and the rest stays.
    Entry(Option<String>),
    /// By the super nodes that call it: each has its own.
    Caller,
}

/// A split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The name of the super node.
    pub node: String,
    /// How.
    pub by: SplitBy,
}

impl Split {
    /// As text: `entry NAME`, `entry NAME > FUNCTION` or `caller NAME`.
    pub fn to_text(&self) -> String {
        match &self.by {
            SplitBy::Entry(None) => format!("entry {}", escaped(&self.node)),
            SplitBy::Entry(Some(function)) => {
                format!("entry {} > {}", escaped(&self.node), escaped(function))
            }
            SplitBy::Caller => format!("caller {}", escaped(&self.node)),
        }
    }

    /// From text.
    pub fn from_text(text: &str) -> Option<Self> {
        let (how, rest) = text.trim().split_once(' ')?;
        let mut parts = pieces(rest, '>').into_iter().map(|part| part.trim().to_owned());
        let node = parts.next().filter(|name| !name.is_empty())?;
        let function = parts.next();
        let by = match (how, function) {
            ("entry", function) => SplitBy::Entry(function),
            ("caller", None) => SplitBy::Caller,
            _ => return None,
        };
        parts.next().is_none().then_some(Split { node, by })
    }

    /// Several, with `|` between them.
    pub fn list_to_text(splits: &[Split]) -> String {
        splits.iter().map(Split::to_text).collect::<Vec<_>>().join("|")
    }

    /// Several from text; or the one that is none.
    pub fn list_from_text(text: &str) -> Result<Vec<Split>, String> {
        let parts = raw_pieces(text, '|').into_iter().filter(|part| !part.trim().is_empty());
        parts.map(|part| Split::from_text(&part).ok_or(part)).collect()
    }
}

/// `\`, `|` and `>` stand for themselves after a `\`.
fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for letter in name.chars() {
        if matches!(letter, '\\' | '|' | '>') {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

/// What stands between separators that have no `\` before them; escapes stay.
fn raw_pieces(text: &str, separator: char) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter == separator {
            pieces.push(String::new());
            continue;
        }
        if let Some(last) = pieces.last_mut() {
            last.push(letter);
            if letter == '\\' {
                last.extend(letters.next());
            }
        }
    }
    pieces
}

fn pieces(text: &str, separator: char) -> Vec<String> {
    let plain = |piece: String| {
        let mut out = String::with_capacity(piece.len());
        let mut letters = piece.chars();
        while let Some(letter) = letters.next() {
            out.push(if letter == '\\' { letters.next().unwrap_or(letter) } else { letter });
        }
        out
    };
    raw_pieces(text, separator).into_iter().map(plain).collect()
}

impl SuperGraph {
    /// Splits a super node; says whether there was anything to split. Its first part keeps its number, the others come last.
    pub fn split(&mut self, paths: &impl Paths, split: &Split) -> bool {
        let named = self.named(&split.node).filter(|&node| node > 0);
        let parts = named.and_then(|node| match &split.by {
            SplitBy::Entry(only) => self.parts_by_entry(paths, node, only.as_deref()),
            SplitBy::Caller => self.parts_by_caller(node),
        });
        let (Some(node), Some(parts)) = (named, parts) else {
            self.idle.push(split.clone());
            return false;
        };
        for (at, part) in parts.of {
            self.heads[at].to = part;
        }
        if let Some(first) = self.nodes.get_mut(node as usize) {
            *first = parts.first;
        }
        self.nodes.extend(parts.others);
        self.fill(paths);
        true
    }

    /// Splits that changed nothing: no super node has this name, or there is one part of it.
    pub fn idle_splits(&self) -> &[Split] {
        &self.idle
    }

    fn parts_by_entry(&self, paths: &impl Paths, node: u32, only: Option<&str>) -> Option<Parts> {
        let named = |head: usize| {
            let frame = paths.frame_of(NodeId(self.heads[head].node));
            frame.map(|frame| frame.name.clone()).unwrap_or_default()
        };
        let old = &self.nodes[node as usize];
        let part = |name: &String| SuperNode {
            entry: Some(match &old.entry {
                Some(entry) if entry != name => format!("{entry}-{name}"),
                _ => name.clone(),
            }),
            ..old.clone()
        };
        let key = |name: &String| only.is_none_or(|only| only == name).then(|| name.clone());
        self.parts(node, |head| key(&named(head)), |key| key.as_ref().map_or_else(|| old.clone(), part))
    }

    fn parts_by_caller(&self, node: u32) -> Option<Parts> {
        let old = &self.nodes[node as usize];
        let caller = |head: usize| self.heads[self.heads[head].up as usize].to;
        let part =
            |caller: &u32| SuperNode { caller: Some(self.nodes[*caller as usize].name()), ..old.clone() };
        self.parts(node, caller, part)
    }

    /// Heads of a super node by a key, keys in the order in which they come; nothing where there is but one.
    fn parts<K: Eq + std::hash::Hash + Clone>(
        &self,
        node: u32,
        key: impl Fn(usize) -> K,
        part: impl Fn(&K) -> SuperNode,
    ) -> Option<Parts> {
        let mut numbers: HashMap<K, u32> = HashMap::new();
        let mut nodes: Vec<SuperNode> = Vec::new();
        let mut of = Vec::new();
        for at in (0..self.heads.len()).filter(|&at| self.heads[at].to == node) {
            let key = key(at);
            let number = *numbers.entry(key.clone()).or_insert_with(|| {
                nodes.push(part(&key));
                nodes.len() as u32 - 1
            });
            let number = if number == 0 { node } else { self.nodes.len() as u32 + number - 1 };
            of.push((at, number));
        }
        let mut nodes = nodes.into_iter();
        let first = nodes.next()?;
        let others: Vec<SuperNode> = nodes.collect();
        (!others.is_empty()).then_some(Parts { first, others, of })
    }
}

struct Parts {
    first: SuperNode,
    others: Vec<SuperNode>,
    /// Heads, and the super nodes that they go to.
    of: Vec<(usize, u32)>,
}
