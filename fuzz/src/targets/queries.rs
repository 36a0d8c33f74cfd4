//! Queries for call paths, and the texts of splits and rules: each is read, and asked of a small profile.

use std::sync::Arc;

use crosscut_calls::graph::Split;
use crosscut_calls::{By, Calls, Map, Query};

use super::{Started, readers};

/// Queries of all kinds.
const SEEDS: &[&str] = &[
    r#"("*", p) -> (q) where p.module = "solver" and q.name ~ "^MPI_""#,
    r#"(3, a) -> ("+", b) -> (c) where not a.depth < 4 or b.time.itself >= 1e6 xor c.file has "x""#,
    r#"{(q) where q.line = 12} ∧ ¬{("*") -> (q) where q.kind != "loop"} ⊕ {(q)}"#,
    r"caller libmpi|entry solver > solve|entry a\|b\\ > c\>d",
    "library:^libm => maths\n^MPI_ => waiting",
];

/// Random texts asked of a profile of a few call paths.
pub fn start() -> Started {
    let work = readers::work();
    let file = work.path().join("stacks.folded");
    let stacks =
        "main;step;solve 40\nmain;step;exchange;MPI_Wait 30\nmain;dump;MPI_Wait 5\nmain;step;solve;solve 7\n";
    let target = work.path().join("profile.crosscut");
    let options = crosscut_import::Options::default();
    let run = std::fs::write(&file, stacks)
        .ok()
        .and_then(|()| crosscut_import::import(&file, &target, &options, &crosscut_import::Quiet).ok());
    let calls = run.and_then(|run| Calls::open(Arc::new(run)).ok());
    let read = move |bytes: &[u8]| {
        let _ = &work;
        let text = String::from_utf8_lossy(bytes);
        if let (Ok(query), Some(calls)) = (Query::parse(&text), &calls) {
            let _ = query.nodes(calls);
        }
        if let Ok(splits) = Split::list_from_text(&text) {
            let again = Split::list_from_text(&Split::list_to_text(&splits));
            assert_eq!(again.as_ref(), Ok(&splits), "what is written is what was read");
        }
        let _ = Map::with_rules(By::Module, &text);
    };
    (SEEDS.iter().map(|seed| seed.as_bytes().to_vec()).collect(), Box::new(read))
}
