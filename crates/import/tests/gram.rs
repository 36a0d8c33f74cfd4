//! Traces of real programs become the phases, patterns and communities that the programs were written with.

use crate::traces;

use std::path::Path;
use std::sync::Arc;

use crosscut_import::{Options, Quiet, import};
use crosscut_messages::Messages;
use crosscut_messages::communities::Communities;
use crosscut_messages::flows::edges;
use crosscut_messages::gram::{Clock, Gram, Grams, Time};
use crosscut_messages::partition::Partition;

fn open(path: &Path, folder: &Path) -> Messages {
    let run = import(path, &folder.join("out.crosscut"), &Options::default(), &Quiet).unwrap();
    Messages::open(Arc::new(run)).unwrap()
}

fn cut(messages: &Messages, time: Time, phases: usize) -> Gram {
    let clock = Clock::of(messages, time);
    Grams::new(messages, &clock).cut(clock.all(), phases)
}

fn bytes(gram: &Gram) -> Vec<i64> {
    gram.phases.iter().map(|phase| phase.bytes).collect()
}

/// What the numbers of phases that are worth a look show, the best first.
fn proposed(messages: &Messages, time: Time) -> (usize, String) {
    let clock = Clock::of(messages, time);
    let proposals = Grams::new(messages, &clock).proposals(clock.all());
    (proposals[0].phases, proposals[0].expression.to_string())
}

/// Three times eight halo exchanges and one compositing of several stages.
#[test]
fn iterations_show_as_what_repeats() {
    for (name, stages) in [("integ16", 36), ("integ64", 42)] {
        if traces::path("dumpi", &format!("{name}.tar.gz")).is_none() {
            println!("SKIPPED: dumpi/{name}.tar.gz is not on this machine");
            continue;
        }
        let folder = traces::unpacked("dumpi", name);
        let messages = open(folder.path(), folder.path());
        let gram = cut(&messages, Time::Wall, 27);
        assert_eq!(gram.expression.to_string(), "(A×8 B)×3", "{name}");
        assert_eq!(proposed(&messages, Time::Wall), (27, "(A×8 B)×3".to_owned()), "{name}");
        // The curve is flat inside, and jumps once at each border.
        for (at, phase) in gram.phases.iter().enumerate() {
            let (is_b, jumps) = (at % 9 == 8, at % 9 == 8 || at % 9 == 0 && at > 0);
            assert_eq!((phase.height > 0.1, phase.change > 0.1), (is_b, jumps), "{name}: {at}");
            assert!(is_b || phase.height == 0.0);
        }
        // At the cut into stages each stage is a phase, whichever clock: all iterations are alike.
        for time in [Time::Wall, Time::Logical] {
            let sizes = bytes(&cut(&messages, time, stages));
            let one = &sizes[..stages / 3];
            assert_eq!(sizes, [one, one, one].concat(), "{name}: {time:?}");
            assert!(one[8..].windows(2).all(|pair| pair[0] == 2 * pair[1]), "{name}: {one:?}");
        }
    }
}

#[test]
fn a_binary_swap_halves_what_it_exchanges() {
    let folder = traces::unpacked("dumpi", "bswap16");
    let messages = open(folder.path(), folder.path());
    const MIB: i64 = 1 << 20;
    let logical = cut(&messages, Time::Logical, 4);
    assert_eq!(bytes(&logical), [8 * MIB, 4 * MIB, 2 * MIB, MIB]);
    assert_eq!(proposed(&messages, Time::Logical).0, 4);
    // By the wall two messages of the second stage fall into the first phase: those were exchanged early.
    let wall = cut(&messages, Time::Wall, 4);
    assert_eq!(bytes(&wall), [17 * MIB / 2, 7 * MIB / 2, 2 * MIB, MIB]);
    let clock = Clock::of(&messages, Time::Wall);
    let early = messages.flows(clock.messages(wall.phases[0].points.clone()));
    let of = |from: u32, to: u32| early.iter().find(|flow| (flow.from, flow.to) == (from, to));
    assert!(of(9, 11).is_some() && of(11, 9).is_some(), "{early:?}");
    assert_eq!(early.len(), 16 + 2);

    let all = messages.flows(0..messages.len() as u32);
    let communities = Communities::of(16, &edges(&all));
    for stage in 1..=4 {
        let butterfly = Partition::new((0..16u32).map(|rank| rank >> stage));
        assert_eq!(communities.cut(16 >> stage), butterfly, "{:?}", communities.merges());
    }
}
