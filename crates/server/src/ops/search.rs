//! Finding nodes by number (`#12` of the task tree, `g12` of the grain graph), kind or source. Sites are few: words are matched against them once, and the scan over the
//! nodes then only looks up a bit.

use crosscut_run::Source;
use crosscut_tasks::Tasks;
use crosscut_tasks::schema::Kind;
use crosscut_tree::NodeId;

use crate::OpenRun;
use crate::ops::grain;
use crate::protocol::{Hit, SearchAnswer};

/// Hits that are sent at most.
const MOST_HITS: usize = 1000;
/// Hits that are counted at most.
const MOST_COUNTED: usize = 100_000;

/// Answers [`crate::protocol::Op::Search`].
pub fn search(run: &OpenRun, text: &str, limit: usize) -> SearchAnswer {
    let tasks = &run.tasks;
    let limit = limit.min(MOST_HITS);
    let text = text.trim();
    if let Some(number) = text.strip_prefix(['g', 'G']).and_then(|number| number.parse().ok()) {
        let grains = &run.grain_run().grains;
        let node = Some(NodeId(number)).filter(|&node| grains.tree().contains(node));
        let hits: Vec<Hit> = node.into_iter().map(|node| grain_hit(run, node)).collect();
        return SearchAnswer { total: hits.len(), hits, more: false };
    }
    if let Some(number) = text.strip_prefix('#') {
        let node = number.trim().parse().ok().map(NodeId).filter(|&node| tasks.tree().contains(node));
        let hits: Vec<Hit> = node.into_iter().map(|node| hit(tasks, node)).collect();
        return SearchAnswer { total: hits.len(), hits, more: false };
    }
    let Some(wanted) = Wanted::new(tasks, text) else {
        return SearchAnswer { hits: Vec::new(), total: 0, more: false };
    };
    let matches = |node| wanted.matches(tasks.site(node), tasks.kind(node));
    let (found, more) = tasks.tree().search(NodeId::ROOT, MOST_COUNTED, matches);
    let hits = found.iter().take(limit).map(|&node| hit(tasks, node)).collect();
    SearchAnswer { hits, total: found.len(), more }
}

fn hit(tasks: &Tasks, node: NodeId) -> Hit {
    Hit { node: node.0, title: tasks.title(node), work: tasks.work(node) as f64, grain: None }
}

fn grain_hit(run: &OpenRun, node: NodeId) -> Hit {
    let grains = &run.grain_run().grains;
    Hit {
        node: grains.task(node).0,
        title: grain::title(run, node),
        work: grains.work(node) as f64,
        grain: Some(node.0),
    }
}

/// Which kinds of nodes at which sites match: a bit per kind, for each site and for "no site".
struct Wanted {
    sites: Vec<u8>,
    elsewhere: u8,
}

impl Wanted {
    /// None when no node can match.
    fn new(tasks: &Tasks, text: &str) -> Option<Wanted> {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return None;
        }
        let sources = tasks.sources();
        let kinds_at = |place: &str| {
            let bit = |kind: Kind| {
                let all = words.iter().all(|word| kind.word() == word || place.contains(word.as_str()));
                u8::from(all) << kind as u8
            };
            Kind::ALL.into_iter().map(bit).fold(0, |bits, bit| bits | bit)
        };
        let place = |site: u32| {
            let words = |source: Option<&Source>| source.map_or_else(String::new, ToString::to_string);
            format!("{}\n{}", words(sources.from(site)), words(sources.to(site))).to_lowercase()
        };
        let sites: Vec<u8> = (0..sources.site_count() as u32).map(|site| kinds_at(&place(site))).collect();
        let elsewhere = kinds_at("");
        (elsewhere != 0 || sites.iter().any(|&kinds| kinds != 0)).then_some(Wanted { sites, elsewhere })
    }

    fn matches(&self, site: u32, kind: Kind) -> bool {
        self.sites.get(site as usize).copied().unwrap_or(self.elsewhere) >> kind as u8 & 1 == 1
    }
}
