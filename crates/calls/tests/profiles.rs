//! What is built from call paths in any order, beside sums that are made path by path.

use std::collections::BTreeMap;
use std::sync::Arc;

use crosscut_calls::{Builder, Calls, Frame, Given, Unit, flat, hot_path};
use crosscut_run::{Places, RunWriter, SourcesBuilder};
use crosscut_tree::NodeId;
use proptest::prelude::*;

/// A sample: place, call path of functions by number, value.
type Sample = (u32, Vec<u8>, i64);

fn name(function: u8) -> String {
    format!("f{function}")
}

fn written(fill: impl FnOnce(&mut Builder)) -> (tempfile::TempDir, Calls) {
    let work = tempfile::tempdir().unwrap();
    let path = work.path().join("calls.crosscut");
    let mut run = RunWriter::create(&path).unwrap();
    let mut builder = Builder::new("samples");
    fill(&mut builder);
    builder.finish(&mut run).unwrap();
    let run = run.finish().unwrap();
    (work, Calls::open(Arc::new(run)).unwrap())
}

fn sampled(samples: &[Sample]) -> (tempfile::TempDir, Calls) {
    written(|builder| {
        let metric = builder.metric("time", Unit::Ns, Given::Own);
        for (place, path, value) in samples {
            let place = builder.place(i64::from(*place), 0);
            let mut node = 0;
            for &function in path {
                let frame = builder.frame(Frame::function(name(function)));
                node = builder.node(node, frame).unwrap();
            }
            builder.add(metric, place, node, *value);
        }
    })
}

fn path_of(calls: &Calls, node: NodeId) -> Vec<String> {
    let mut path = Vec::new();
    let mut next = Some(node);
    while let Some(node) = next {
        path.extend(calls.frame(node).map(|frame| frame.name.clone()));
        next = calls.tree().parent(node);
    }
    path.reverse();
    path
}

fn samples() -> impl Strategy<Value = Vec<Sample>> {
    let sample = (0u32..4, prop::collection::vec(0u8..5, 0..7), 1i64..1000);
    prop::collection::vec(sample, 1..60)
}

proptest! {
    // Each case writes a run.
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn values_are_those_of_the_paths(samples in samples()) {
        let (_work, calls) = sampled(&samples);
        calls.sound().unwrap();
        let mut own: BTreeMap<Vec<String>, i64> = BTreeMap::new();
        for (_, path, value) in &samples {
            *own.entry(path.iter().copied().map(name).collect()).or_default() += value;
        }
        let begins = |path: &[String]| -> i64 {
            own.iter().filter(|(other, _)| other.starts_with(path)).map(|(_, value)| value).sum()
        };
        for node in (0..calls.node_count() as u32).map(NodeId) {
            let path = path_of(&calls, node);
            prop_assert_eq!(calls.own(0, node), own.get(&path).copied().unwrap_or(0));
            prop_assert_eq!(calls.inclusive(0, node), begins(&path));
            let by_place = calls.at_places(0, calls.subtree(node));
            prop_assert_eq!(by_place.iter().sum::<i64>(), begins(&path));
        }
        // A function that calls itself is counted once in each path.
        for row in flat(&calls, 0) {
            let name = &calls.frames()[row.frame as usize].name;
            let with: i64 = own.iter().filter(|(path, _)| path.contains(name)).map(|(_, value)| value).sum();
            let at_end: i64 = own.iter().filter(|(path, _)| path.last() == Some(name)).map(|(_, v)| v).sum();
            prop_assert_eq!((row.own, row.inclusive), (at_end, with));
        }
        let path = hot_path(&calls, 0, NodeId::ROOT);
        let most = |node: NodeId| calls.tree().children(node).map(|child| calls.inclusive(0, child)).max();
        for pair in path.windows(2) {
            prop_assert_eq!(Some(calls.inclusive(0, pair[1])), most(pair[0]));
            // It begins where most begins, though that may be less than half.
            let is_half = 2 * calls.inclusive(0, pair[1]) >= calls.inclusive(0, pair[0]);
            prop_assert!(is_half || pair[0] == NodeId::ROOT);
        }
        let end = *path.last().unwrap();
        let goes_on = |most: i64| most > 0 && (end == NodeId::ROOT || 2 * most >= calls.inclusive(0, end));
        prop_assert!(!most(end).is_some_and(goes_on), "it ends too early");
    }

    #[test]
    fn inclusive_values_give_the_same_profile(samples in samples()) {
        let (_work, calls) = sampled(&samples);
        let (_other_work, other) = written(|builder| {
            let metric = builder.metric("time", Unit::Ns, Given::Inclusive);
            let mut nodes = vec![0u32];
            for node in (1..calls.node_count() as u32).map(NodeId) {
                let frame = builder.frame(calls.frame(node).unwrap().clone());
                let parent = nodes[calls.tree().parent(node).unwrap().index()];
                nodes.push(builder.node(parent, frame).unwrap());
            }
            for place in 0..calls.place_count() as u32 {
                let rank = calls.place_title(place as usize)["rank ".len()..].parse().unwrap();
                let number = builder.place(rank, 0);
                for (node, &other) in nodes.iter().enumerate() {
                    let value = calls.at_places(0, calls.subtree(NodeId(node as u32)))[place as usize];
                    builder.add(metric, number, other, value);
                }
            }
        });
        for node in (0..calls.node_count() as u32).map(NodeId) {
            prop_assert_eq!(calls.own(0, node), other.own(0, node));
            prop_assert_eq!(
                calls.at_places(0, calls.subtree(node)),
                other.at_places(0, other.subtree(node))
            );
        }
    }
}

#[test]
fn what_a_file_says_of_too_much_inside_is_noted() {
    let (_work, calls) = written(|builder| {
        let metric = builder.metric("time", Unit::Ns, Given::Inclusive);
        let place = builder.place(0, 0);
        let main = builder.frame(Frame::function("main"));
        let work = builder.frame(Frame::function("work"));
        let main = builder.node(0, main).unwrap();
        let work = builder.node(main, work).unwrap();
        builder.add(metric, place, main, 100);
        builder.add(metric, place, work, 150);
    });
    assert_eq!(calls.inclusive(0, NodeId::ROOT), 100);
    assert_eq!(calls.summary().metrics[0].negative, 1);
    assert!(calls.summary().notes[0].contains("below zero"), "{:?}", calls.summary().notes);
}

#[test]
fn ranks_keep_their_numbers() {
    let (_work, calls) = written(|builder| {
        let metric = builder.metric("time", Unit::Ns, Given::Own);
        let frame = builder.frame(Frame::function("main"));
        let node = builder.node(0, frame).unwrap();
        for (rank, thread, value) in [(7, 0, 1), (3, 1, 2), (3, 0, 4)] {
            let place = builder.place(rank, thread);
            builder.add(metric, place, node, value);
        }
    });
    let titles: Vec<&str> = (0..3).map(|place| calls.place_title(place)).collect();
    assert_eq!(titles, ["rank 3", "rank 3, thread 1", "rank 7"]);
    assert_eq!(calls.at_places(0, 0..2), [4, 2, 1]);
}

/// A run from a stranger may have other places in its table than in its values: what is made of both would take memory that no
/// disk backs.
#[test]
fn values_are_at_the_places_that_there_are() {
    let opened = |places: usize, frames: usize| {
        let work = tempfile::tempdir().unwrap();
        let mut run = RunWriter::create(&work.path().join("calls.crosscut")).unwrap();
        let mut builder = Builder::new("samples");
        let metric = builder.metric("time", Unit::Ns, Given::Own);
        for frame in 0..frames {
            builder.frame(Frame::function(format!("f{frame}")));
        }
        let node = builder.node(0, 0).unwrap();
        for rank in 0..2 {
            let place = builder.place(rank, 0);
            builder.add(metric, place, node, 1);
        }
        let mut sources = SourcesBuilder::new();
        builder.finish_beside(&mut run, &mut sources).unwrap();
        run.put_sources(&sources.finish()).unwrap();
        run.put_places(&Places::workers(places).unwrap()).unwrap();
        Calls::open(Arc::new(run.finish().unwrap()))
            .map(|calls| calls.place_count())
            .map_err(|e| e.to_string())
    };
    assert_eq!(opened(2, 3), Ok(2));
    for places in [1, 3, 1000] {
        let why = opened(places, 3).unwrap_err();
        assert!(why.contains("values at other places than there are"), "{why}");
    }
}

#[test]
fn threads_are_named_within_their_rank() {
    let (_work, calls) = written(|builder| {
        builder.metric("time", Unit::Ns, Given::Own);
        for (rank, thread) in [(0, 0), (0, 3), (0, 9), (2, 5), (2, 7), (3, 0)] {
            builder.place(rank, thread);
        }
    });
    let titles: Vec<&str> = (0..calls.place_count()).map(|place| calls.place_title(place)).collect();
    let expected = [
        "rank 0, thread 0",
        "rank 0, thread 3",
        "rank 0, thread 9",
        "rank 2, thread 5",
        "rank 2, thread 7",
        "rank 3",
    ];
    assert_eq!(titles, expected);
}
