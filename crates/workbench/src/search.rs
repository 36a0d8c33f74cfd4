//! Finding things by name in all trees of a run: lines first, since a person knows the source.

use crosscut_tree::{NodeId, Part};

use crate::acts::Looked;
use crate::bench::Workbench;
use crate::declare::TreeDecl;
use crate::domain::{Hits, TreeRef};
use crate::error::Refusal;
use crate::job::Job;
use crate::lines;
use crate::look::{Look, Scope};
use crate::question::{Hit, SearchAnswer, TreeHits};
use crate::rows::number;
use crate::selection::TreeKey;

/// Hits of a tree that are sent at most.
const MOST_HITS: usize = 1000;

/// Answers [`crate::question::Ask::Search`].
pub fn search(
    bench: &Workbench,
    run: usize,
    words: &str,
    limit: usize,
    job: &Job<'_>,
) -> Result<SearchAnswer, Refusal> {
    let words = words.trim();
    let mut trees = bench.run(run)?.trees();
    trees.sort_by_key(|tree| tree.name != lines::DECLARATION.name);
    let mut answer = SearchAnswer { trees: Vec::new() };
    if words.is_empty() {
        return Ok(answer);
    }
    let numbered = trees.iter().find_map(|tree| Some((tree.name, number_of(tree, words)?)));
    for tree in trees {
        if tree.parameter {
            continue; // which one is meant nobody said
        }
        let reference = TreeRef::named(tree.name);
        let asked = numbered.is_some_and(|(name, _)| name == tree.name);
        if tree.slow && !asked && !bench.has_forest(run, &reference) {
            continue; // a search for words never waits for what takes long
        }
        job.check()?;
        let looked = Looked::new(bench, &Look::of("", run), &TreeKey::named(tree.name), job)?;
        let hits = match numbered {
            Some((name, number)) if name == tree.name => exactly(&looked, number),
            Some(_) => continue,
            None => looked.forest.search(words, limit.min(MOST_HITS), job),
        };
        if hits.total > 0 {
            answer.trees.push(named(&looked, &tree, run, hits));
        }
    }
    Ok(answer)
}

/// The number behind the sign of a tree: "#12".
fn number_of(tree: &TreeDecl, words: &str) -> Option<u32> {
    if tree.sign.is_empty() {
        return None;
    }
    let (sign, number) = (words.get(..tree.sign.len())?, words.get(tree.sign.len()..)?);
    if sign.eq_ignore_ascii_case(tree.sign) { number.trim().parse().ok() } else { None }
}

fn exactly(looked: &Looked, number: u32) -> Hits {
    let node = Some(NodeId(number)).filter(|&node| looked.forest.tree().contains(node));
    Hits { nodes: node.into_iter().collect(), total: usize::from(node.is_some()), more: false }
}

fn named(looked: &Looked, tree: &TreeDecl, run: usize, hits: Hits) -> TreeHits {
    let forest = &*looked.forest;
    let parts: Vec<Part> = hits.nodes.iter().map(|&node| Part::one(node)).collect();
    let titles = forest.titles(&parts, None);
    let mut values = vec![f64::NAN; parts.len()];
    let metric = forest.metrics().first();
    if metric.is_some() {
        forest.values(0, &parts, &Scope::default(), &mut values);
    }
    let hit = |((part, title), value): ((&Part, crate::domain::Title), f64)| {
        let line =
            title.line.as_ref().map(|line| line.plain()).filter(|line| !title.name.contains(line.as_str()));
        let words = [title.kind, title.name, line.unwrap_or_default()];
        let title: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
        Hit {
            selection: looked.selection(run, part.node),
            title: title.join(" "),
            value: metric.map_or(crate::sheet::Cell::None, |metric| number(value, metric)),
        }
    };
    TreeHits {
        tree: looked.tree.key.clone(),
        title: tree.title.to_owned(),
        hits: parts.iter().zip(titles).zip(values).map(hit).collect(),
        total: hits.total,
        more: hits.more,
    }
}
