//! The recorder's sample files: what a run says of them equals what the recorder itself says, at every node, in total, and
//! at every depth of folding.

use crate::samples;

use std::collections::HashMap;
use std::path::Path;

use crosscut_import::{Options, Quiet, import};
use crosscut_run::Clock;
use crosscut_tasks::Tasks;
use crosscut_tasks::schema::{Edge, Kind};
use crosscut_tree::{Cut, Members, NodeId, Plain, fold, open};
use samples::{Sample, Stat};

fn open(path: &Path, options: &Options) -> (tempfile::TempDir, Tasks) {
    let folder = tempfile::tempdir().unwrap();
    let run = import(path, &folder.path().join("sample.crosscut"), options, &Quiet)
        .unwrap_or_else(|error| panic!("{error}"));
    let tasks = Tasks::open(run).unwrap();
    (folder, tasks)
}

fn each_sample(mut test: impl FnMut(&str, &Sample, &Tasks)) {
    for (name, path) in samples::present() {
        let (_folder, tasks) = open(&path, &Options::default());
        test(name, &Sample::read(&path), &tasks);
    }
}

#[test]
fn totals_equal_the_recorder_s() {
    each_sample(|name, sample, tasks| {
        let stat = Stat::read(&samples::path(&format!("{name}.stat")).unwrap());
        let summary = tasks.summary();
        let ours = [
            ("create_task", summary.counts[0]),
            ("wait_tasks", summary.counts[1]),
            ("end_task", summary.counts[3]),
            ("work (T1)", summary.work),
            ("delay", summary.delay),
            ("no_work", summary.no_work),
            ("critical_path (T_inf)", summary.span),
            ("n_workers (P)", i64::from(summary.workers)),
            ("elapsed", summary.elapsed),
            ("dag nodes", summary.dag_nodes),
            ("materialized nodes", i64::from(summary.nodes)),
        ];
        for (key, value) in ours {
            assert_eq!(value, stat.get(key), "{name}: {key}");
        }
        assert_eq!(summary.tasks, summary.counts[0], "{name}");
        assert_eq!(summary.intervals, summary.counts.iter().sum::<i64>(), "{name}");
        assert_eq!(summary.counts[..4], sample.nodes[0].nodes, "{name}: logical intervals by kind");
        assert_eq!(summary.ready, sample.nodes[0].ready, "{name}: time ready by edge");
        assert_eq!(summary.depth as usize, *sample.depth.iter().max().unwrap(), "{name}");
        assert_eq!(
            summary.work + summary.delay + summary.no_work,
            i64::from(summary.workers) * summary.elapsed,
            "{name}: P × elapsed is accounted for"
        );
        assert_eq!(tasks.clock(), Clock::Ticks);
    });
}

/// The recorder's matrices have one fault: the end edges of tasks that were created directly in a collapsed section are
/// counted nowhere (the section leaves them to its parent, which takes them from the children it still has). They join
/// intervals inside the section, so they belong on its worker's diagonal. The other fault, that no other-continuation
/// inside a collapsed node is counted, is one of the stored counts, so both sides have it.
#[test]
fn edges_between_workers_equal_the_recorder_s() {
    each_sample(|name, sample, tasks| {
        let mut stat = Stat::read(&samples::path(&format!("{name}.stat")).unwrap());
        let side = sample.workers as usize + 1;
        let index = |worker: i32| if worker < 0 { side - 1 } else { worker as usize };
        for section in sample.nodes.iter().filter(|node| node.is_collapsed() && node.kind == 4) {
            let lost = section.nodes[0] - section.edges[Edge::End as usize];
            stat.edges[Edge::End as usize][index(section.worker) * (side + 1)] += lost;
        }
        let rows = tasks.workers() + 1;
        for edge in Edge::ALL {
            let mut ours = vec![0; side * side];
            for found in &tasks.summary().migrations {
                // Our rows may be more than the recorder's: it counts the workers it saw, whatever their numbers.
                let fold = |row: u32| if row as usize == rows - 1 { side - 1 } else { row as usize };
                let count = found.counts[edge as usize];
                if count != 0 {
                    ours[fold(found.from) * side + fold(found.to)] += count;
                }
            }
            assert_eq!(ours, stat.edges[edge as usize], "{name}: {} edges", edge.word());
            assert_eq!(
                tasks.summary().edges[edge as usize],
                stat.edges[edge as usize].iter().sum::<i64>(),
                "{name}: {} edges in all",
                edge.word()
            );
        }
    });
}

#[test]
fn profile_equals_the_recorder_s() {
    each_sample(|name, sample, tasks| {
        let steps = tasks.exact_profile();
        assert!(steps.is_sorted_by(|a, b| a.t < b.t), "{name}: one step per moment");
        let mut integrals = [0.0; 6];
        for pair in steps.windows(2) {
            let width = (pair[1].t - pair[0].t) as f64;
            integrals[0] += pair[0].running * width;
            for (integral, ready) in integrals[1..].iter_mut().zip(&pair[0].ready) {
                *integral += ready * width;
            }
        }
        let root = &sample.nodes[0];
        let expected: Vec<i64> = [root.t_1].into_iter().chain(root.ready).collect();
        for (layer, (integral, expected)) in integrals.iter().zip(expected).enumerate() {
            let off = (integral - expected as f64).abs();
            assert!(off <= 1e-9 * expected as f64 + 1e-3, "{name}: layer {layer}: {integral} for {expected}");
        }
        let Some(path) = samples::path(&format!("{name}.gpl.gz")) else {
            println!("{name}: the recorder's profile is not there; only the integrals were compared");
            return;
        };
        for point in samples::read_gpl(&path) {
            let at = steps.partition_point(|step| step.t <= point.t);
            let step = steps[at.checked_sub(1).expect("the first step is at time 0")];
            let mut sum = 0.0;
            for (layer, (value, upto)) in [step.running].iter().chain(&step.ready).zip(point.upto).enumerate()
            {
                sum += value;
                let off = (sum - upto).abs();
                assert!(off < 1e-6, "{name}: t {}, up to layer {layer}: {sum}, not {upto}", point.t);
            }
        }
    });
}

#[test]
fn every_node_is_as_the_file_says() {
    each_sample(|name, sample, tasks| {
        let tree = tasks.tree();
        tree.check().unwrap();
        assert_eq!(tree.node_count(), sample.nodes.len());
        for (i, node) in sample.nodes.iter().enumerate() {
            let id = NodeId(i as u32);
            let here = format!("{name}, node {i}");
            assert_eq!(tasks.kind(id), Kind::ALL[node.kind as usize], "{here}");
            assert_eq!(tasks.edge(id), Edge::ALL[node.in_edge as usize], "{here}");
            assert_eq!(tasks.is_collapsed(id), node.is_collapsed(), "{here}");
            let children: Vec<usize> = tree.children(id).map(NodeId::index).collect();
            assert_eq!(children, sample.children[i], "{here}");
            assert_eq!(tree.parent(id).map_or(0, NodeId::index), sample.parent[i], "{here}");

            assert_eq!(tasks.work(id), node.t_1, "{here}: work");
            assert_eq!(tasks.span(id), node.t_inf, "{here}: critical path");
            assert_eq!(tasks.start(id), node.start, "{here}: start");
            assert_eq!(tasks.end(id), node.end, "{here}: end");
            assert_eq!(tasks.counts(tree.range(id))[..4], node.nodes, "{here}: intervals by kind");
            assert_eq!(tasks.worker(id), usize::try_from(node.worker).ok(), "{here}: worker");
            assert_eq!(tasks.mix(tree.range(id)).iter().sum::<i64>(), node.t_1, "{here}: work by worker");
            // The recorder does not count other-continuations.
            assert_eq!(tasks.edges(id)[..4], node.edges[..4], "{here}: edges inside");
            if let (Some(from), Some(to)) = tasks.source(id) {
                assert_eq!((from.line, to.line), node.lines, "{here}: source lines");
            } else {
                panic!("{here}: no source position");
            }
            if let Some(inside) = tasks.collapsed(id) {
                assert_eq!(inside.first_ready, node.first_ready, "{here}");
                assert_eq!(inside.last_start, node.last_start, "{here}");
                assert_eq!(inside.ready, node.ready, "{here}");
                assert_eq!(inside.edges, node.edges, "{here}");
            } else if node.is_block() {
                assert_eq!(tasks.ready(id), node.first_ready, "{here}: when it became ready");
            }
        }
    });
}

/// The critical path of the root, from the visible nodes alone.
fn span_of_cut(tasks: &Tasks, cut: &Cut) -> i64 {
    let tree = tasks.tree();
    let open: Vec<NodeId> = fold::open_nodes(&Plain(tree), cut).collect();
    let mut spans: HashMap<NodeId, i64> = HashMap::new();
    for &node in open.iter().rev() {
        let (mut spine, mut longest) = (0, 0);
        // Folded siblings count one by one: a gap is a range of nodes, and their spans are known.
        for child in tree.children(node) {
            let span = spans.get(&child).copied().unwrap_or_else(|| tasks.span(child));
            match tasks.kind(child) {
                Kind::Task => longest = longest.max(spine + span),
                _ => spine += span,
            }
        }
        spans.insert(node, longest.max(spine));
    }
    spans.get(&NodeId::ROOT).copied().unwrap_or_else(|| tasks.span(NodeId::ROOT))
}

#[test]
fn totals_are_the_same_at_every_depth() {
    each_sample(|name, sample, tasks| {
        let tree = tasks.tree();
        let root = &sample.nodes[0];
        let deepest = *sample.depth.iter().max().unwrap();
        for depth in 0..=deepest {
            let (cut, reached) = open::to_depth(&Plain(tree), depth, usize::MAX);
            // Nothing below a gap is opened, so a tree of wide nodes may end earlier.
            assert!(reached <= depth);
            let mut work = 0;
            let mut counts = [0; 4];
            let mut mix = vec![0; tasks.workers() + 1];
            let mut nodes = fold::open_nodes(&Plain(tree), &cut).count();
            for part in fold::visible(&Plain(tree), &cut) {
                let range = match &part.members {
                    Members::Run(nodes) => nodes.clone(),
                    _ => tree.range(part.node),
                };
                nodes += range.len();
                work += tasks.work_of(range.clone());
                for (sum, count) in counts.iter_mut().zip(tasks.counts(range.clone())) {
                    *sum += count;
                }
                for (sum, part) in mix.iter_mut().zip(tasks.mix(range)) {
                    *sum += part;
                }
                assert!(depth > 0 || part.node == NodeId::ROOT);
            }
            assert_eq!(nodes, sample.nodes.len(), "{name}, depth {depth}: every node once");
            assert_eq!(work, root.t_1, "{name}, depth {depth}: work");
            assert_eq!(counts, root.nodes, "{name}, depth {depth}: intervals by kind");
            assert_eq!(mix[..tasks.workers()], tasks.summary().busy, "{name}, depth {depth}: by worker");
            assert_eq!(span_of_cut(tasks, &cut), root.t_inf, "{name}, depth {depth}: critical path");
        }
    });
}

#[test]
fn a_known_clock_gives_nanoseconds() {
    let path = samples::path("sort_mth4.dag").expect("a file of the repository");
    let sample = Sample::read(&path);
    let (_folder, tasks) = open(&path, &Options { clock_hz: Some(2.5e9), ..Options::default() });
    assert_eq!(tasks.clock(), Clock::Ns);
    let nanos = |ticks: i64| (ticks * 2 + 2) / 5;
    for (i, node) in sample.nodes.iter().enumerate() {
        assert_eq!(tasks.start(NodeId(i as u32)), nanos(node.start));
        assert_eq!(tasks.end(NodeId(i as u32)), nanos(node.end));
    }
    let off = (tasks.summary().work - nanos(sample.nodes[0].t_1)).abs();
    assert!(off <= sample.nodes.len() as i64, "each interval is rounded once");
    assert_eq!(tasks.run().manifest().facts["clock_hz"], 2.5e9);
}

#[test]
fn the_run_says_where_it_came_from() {
    let path = samples::path("depchain.dag").expect("a file of the repository");
    let (_folder, tasks) = open(&path, &Options::default());
    let manifest = tasks.run().manifest();
    assert_eq!(manifest.origin.inputs, [(path.display().to_string(), 7353)]);
    assert_eq!(manifest.origin.tools["DAG Recorder"], "1.24");
    assert!(manifest.origin.tools.contains_key("crosscut"));
    assert_eq!(manifest.facts["workers"], 1, "as the file says, though the only worker has number 1");
    assert_eq!(tasks.workers(), 2);
    assert_eq!(tasks.title(NodeId(0)).split(':').next(), Some("task depchain.cc"));
}
