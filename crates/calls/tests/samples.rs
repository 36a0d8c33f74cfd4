//! Samples one by one: what was spent in some stretches is what a look at every sample says.

use std::sync::Arc;

use crosscut_calls::{Builder, Calls, Frame, Given, Stretch, Unit};
use crosscut_run::RunWriter;
use crosscut_tree::NodeId;
use proptest::collection::vec;
use proptest::prelude::*;

/// Place, time, function, value.
type Put = (u32, i64, u32, i64);

fn name(number: u32) -> String {
    format!("f{number}")
}

/// A profile of samples, each in a function at its own depth.
fn made(folder: &std::path::Path, all: &[Put]) -> Calls {
    let mut builder = Builder::new("made");
    builder.metric("time", Unit::Ns, Given::Own);
    builder.metric("samples", Unit::Count, Given::Own);
    let places: Vec<u32> = (0..3).map(|place| builder.place(place, 0)).collect();
    for &(place, time, function, value) in all {
        let mut node = 0;
        for number in 0..=function {
            let frame = builder.frame(Frame::function(name(number)));
            node = builder.node(node, frame).unwrap();
        }
        builder.sample(places[place as usize], time, node, [value, 1]);
    }
    let mut run = RunWriter::create(&folder.join("run.crosscut")).unwrap();
    builder.finish(&mut run).unwrap();
    let calls = Calls::open(Arc::new(run.finish().unwrap())).unwrap();
    calls.sound().unwrap();
    calls
}

proptest! {
    // Each case writes a run.
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn stretches_count_what_is_in_them(
        all in vec((0u32..3, 0i64..1000, 0u32..7, 0i64..50), 1..300),
        stretches in vec((0u32..4, 0i64..1000, -20i64..280), 0..6),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let calls = made(folder.path(), &all);
        let stretch = |&(place, from, length): &(u32, i64, i64)| Stretch { place, from, to: from + length };
        let stretches: Vec<Stretch> = stretches.iter().map(stretch).collect();
        let part = calls.within(&stretches).unwrap().unwrap();
        part.sound().unwrap();
        let counts = |put: &&Put| {
            let inside = |s: &Stretch| s.place == put.0 && (s.from..s.to).contains(&put.1);
            stretches.iter().any(inside)
        };
        for node in (1..calls.node_count() as u32).map(NodeId) {
            let frame = calls.frame(node).unwrap();
            let own: Vec<&Put> = all.iter().filter(counts).filter(|put| name(put.2) == frame.name).collect();
            assert_eq!(part.own(0, node), own.iter().map(|put| put.3).sum::<i64>());
            assert_eq!(part.own(1, node), own.len() as i64);
            for place in 0..3 {
                let at = own.iter().filter(|put| put.0 == place);
                let by_place = part.by_place(0).unwrap();
                assert_eq!(by_place.place(place)[node.index()], at.map(|put| put.3).sum::<i64>());
                assert_eq!(by_place.sum(node.index()..node.index() + 1, place), by_place.place(place)[node.index()]);
            }
        }
        let all: i64 = all.iter().filter(counts).map(|put| put.3).sum();
        assert_eq!(part.inclusive(0, NodeId::ROOT), all);
    }
}
