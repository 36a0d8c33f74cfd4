//! Totals are the same at every cut: whatever is open, what is visible adds up to the run.

use crate::model;

use crosscut_tasks::Tasks;
use crosscut_tasks::schema::Kind;
use crosscut_tree::fold::{open_nodes, visible};
use crosscut_tree::{Cut, Members, NodeId, Part, Plain, Tree, Window, open};
use model::{Chance, cases, nested};
use proptest::prelude::*;

/// All nodes that a part stands for.
fn nodes(tree: Tree<'_>, part: &Part) -> std::ops::Range<usize> {
    match &part.members {
        Members::Run(nodes) => nodes.clone(),
        _ => tree.range(part.node),
    }
}

fn check_totals(tasks: &Tasks, cut: &Cut) -> Result<(), TestCaseError> {
    let tree = tasks.tree();
    let (mut work, mut counts, mut mix) = (0, [0; Kind::LEAVES.len()], vec![0; tasks.workers() + 1]);
    for part in visible(&Plain(tree), cut) {
        let nodes = nodes(tree, &part);
        work += tasks.work_of(nodes.clone());
        for (sum, count) in counts.iter_mut().zip(tasks.counts(nodes.clone())) {
            *sum += count;
        }
        for (sum, part) in mix.iter_mut().zip(tasks.mix(nodes)) {
            *sum += part;
        }
    }
    let s = tasks.summary();
    prop_assert_eq!(work, s.work);
    prop_assert_eq!(counts, s.counts);
    prop_assert_eq!(&mix[..tasks.workers()], &s.busy[..]);
    prop_assert_eq!(span_at(tasks, tree, cut), s.span);
    Ok(())
}

/// T∞ from the visible nodes alone, by the rule of the critical path; folded siblings count one by one.
fn span_at(tasks: &Tasks, tree: Tree<'_>, cut: &Cut) -> i64 {
    let mut rest = vec![0; tree.node_count()];
    let mut seen: Vec<NodeId> = open_nodes(&Plain(tree), cut).collect();
    for part in visible(&Plain(tree), cut) {
        let siblings = std::iter::successors(Some(part.node), |&node| tree.next_sibling(node));
        for node in siblings.take(part.count as usize) {
            rest[node.index()] = tasks.span(node);
            seen.push(node);
        }
    }
    seen.sort();
    for &node in seen.iter().rev() {
        let Some(parent) = tree.parent(node) else { continue };
        let (own, after) = (rest[node.index()], rest[parent.index()]);
        rest[parent.index()] = if tasks.kind(node) == Kind::Task { after.max(own) } else { after + own };
    }
    rest[0]
}

proptest! {
    #![proptest_config(cases(80))]

    #[test]
    fn totals_are_the_same_at_every_cut(case in nested()) {
        let recording = case.record();
        let opened = recording.open();
        let tasks = &opened.tasks;
        let tree = tasks.tree();
        for depth in 0..=tasks.summary().depth as usize {
            check_totals(tasks, &open::to_depth(&Plain(tree), depth, usize::MAX).0)?;
        }
        let mut chance = Chance::new(case.seed ^ 4);
        let mut cut = Cut::closed();
        for _ in 0..30 {
            let node = NodeId(chance.index(tree.node_count()) as u32);
            match chance.index(8) {
                0 => cut.close(tree, node),
                1 => {
                    open::below(&Plain(tree), &mut cut, node, chance.index(100));
                }
                2 => {
                    open::reveal(&Plain(tree), &mut cut, node, usize::MAX);
                }
                3 => cut.set_window(node, Window { first: chance.index(50) as u32, count: chance.index(9) as u32 }),
                _ => cut.open(tree, node),
            }
            check_totals(tasks, &cut)?;
        }
    }
}
