//! Finding nodes by kind and source. Sites are few: words are matched against them once, and the scan over the nodes then
//! only looks up a bit.

use crosscut_run::Source;
use crosscut_tasks::Tasks;
use crosscut_tasks::grain::{GrainKind, Grains};
use crosscut_tasks::schema::Kind;
use crosscut_tree::{NodeId, Tree};
use crosscut_workbench::Hits;

/// Hits that are listed at most.
const MOST_HITS: usize = 1000;
/// Hits that are counted at most.
const MOST_COUNTED: usize = 100_000;

/// Kinds of grains in the order of their numbers.
const GRAIN_KINDS: [GrainKind; 7] = [
    GrainKind::Task,
    GrainKind::Lane,
    GrainKind::Root,
    GrainKind::Chunk,
    GrainKind::Folded,
    GrainKind::Linear,
    GrainKind::ForkJoin,
];

/// Nodes of the task tree: by number after `#`, or by words.
pub fn tasks(tasks: &Tasks, text: &str, limit: usize) -> Hits {
    let text = text.trim();
    if let Some(number) = text.strip_prefix('#') {
        return by_number(tasks.tree(), number);
    }
    let words: Vec<&'static str> = Kind::ALL.into_iter().map(Kind::word).collect();
    let Some(wanted) = Wanted::new(tasks, text, &words) else { return Hits::default() };
    found(tasks.tree(), limit, |node| wanted.matches(tasks.site(node), tasks.kind(node) as usize))
}

/// Nodes of the grain graph: by number after `g`, or by words.
pub fn grains(tasks: &Tasks, grains: &Grains, text: &str, limit: usize) -> Hits {
    let text = text.trim();
    if let Some(number) = text.strip_prefix(['g', 'G'])
        && number.trim().parse::<u32>().is_ok()
    {
        return by_number(grains.tree(), number);
    }
    let words = GRAIN_KINDS.map(GrainKind::word);
    let Some(wanted) = Wanted::new(tasks, text, &words) else { return Hits::default() };
    found(grains.tree(), limit, |node| {
        wanted.matches(tasks.site(grains.task(node)), grains.kind(node) as usize)
    })
}

fn by_number(tree: Tree<'_>, number: &str) -> Hits {
    let node = number.trim().parse().ok().map(NodeId).filter(|&node| tree.contains(node));
    let nodes: Vec<NodeId> = node.into_iter().collect();
    Hits { total: nodes.len(), nodes, more: false }
}

fn found(tree: Tree<'_>, limit: usize, test: impl Fn(NodeId) -> bool + Sync) -> Hits {
    let (mut nodes, more) = tree.search(NodeId::ROOT, MOST_COUNTED, test);
    let total = nodes.len();
    nodes.truncate(limit.min(MOST_HITS));
    Hits { nodes, total, more }
}

/// Which kinds of nodes at which sites match: a bit per kind, for each site and for "no site".
struct Wanted {
    sites: Vec<u8>,
    elsewhere: u8,
}

impl Wanted {
    /// None when no node can match. A word is that of a kind, or a part of one that has several, or a part of a source.
    fn new(tasks: &Tasks, text: &str, kinds: &[&str]) -> Option<Wanted> {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return None;
        }
        let sources = tasks.sources();
        let is_kind = |kind: &str, word: &str| kind.split(' ').any(|part| part == word);
        let kinds_at = |place: &str| {
            let bit = |(number, kind): (usize, &&str)| {
                let all = words.iter().all(|word| is_kind(kind, word) || place.contains(word.as_str()));
                u8::from(all) << number
            };
            kinds.iter().enumerate().map(bit).fold(0, |bits, bit| bits | bit)
        };
        let place = |site: u32| {
            let words = |source: Option<&Source>| source.map_or_else(String::new, ToString::to_string);
            format!("{}\n{}", words(sources.from(site)), words(sources.to(site))).to_lowercase()
        };
        let sites: Vec<u8> = (0..sources.site_count() as u32).map(|site| kinds_at(&place(site))).collect();
        let elsewhere = kinds_at("");
        (elsewhere != 0 || sites.iter().any(|&kinds| kinds != 0)).then_some(Wanted { sites, elsewhere })
    }

    fn matches(&self, site: u32, kind: usize) -> bool {
        self.sites.get(site as usize).copied().unwrap_or(self.elsewhere) >> kind & 1 == 1
    }
}
