//! Profiles made of samples, for tests.
#![allow(dead_code, reason = "each test uses some of it")]

use std::sync::Arc;

use crosscut_calls::{Builder, Calls, Frame, Given, Unit};
use crosscut_run::RunWriter;
use proptest::prelude::*;

/// A sample: place, call path of functions by number, value.
pub type Sample = (u32, Vec<u8>, i64);

/// What a builder was filled with, as an open profile.
pub fn written(fill: impl FnOnce(&mut Builder)) -> (tempfile::TempDir, Calls) {
    let work = tempfile::tempdir().unwrap();
    let path = work.path().join("calls.crosscut");
    let mut run = RunWriter::create(&path).unwrap();
    let mut builder = Builder::new("samples");
    fill(&mut builder);
    builder.finish(&mut run).unwrap();
    let run = run.finish().unwrap();
    (work, Calls::open(Arc::new(run)).unwrap())
}

/// Functions f0, f1, … of which three are in each library; every fifth is a loop.
pub fn frame(function: u8) -> Frame {
    let kind = if function % 5 == 4 { crosscut_calls::Kind::Loop } else { crosscut_calls::Kind::Function };
    let library = format!("/lib/m{}", function / 3);
    Frame {
        kind,
        module: library,
        file: format!("f{}.c", function / 2),
        ..Frame::function(format!("f{function}"))
    }
}

/// A profile of two metrics: the values, and the number of samples.
pub fn sampled(samples: &[Sample]) -> (tempfile::TempDir, Calls) {
    written(|builder| {
        let metric = builder.metric("time", Unit::Ns, Given::Own);
        let hits = builder.metric("samples", Unit::Count, Given::Own);
        for (place, path, value) in samples {
            let place = builder.place(i64::from(*place), 0);
            let mut node = 0;
            for &function in path {
                let frame = builder.frame(frame(function));
                node = builder.node(node, frame).unwrap();
            }
            builder.add(metric, place, node, *value);
            builder.add(hits, place, node, 1);
        }
    })
}

/// Samples at four places of call paths with recursion and callbacks.
pub fn samples() -> impl Strategy<Value = Vec<Sample>> {
    let sample = (0u32..4, prop::collection::vec(0u8..9, 0..9), prop_oneof![1i64..1000, Just(0), Just(7)]);
    prop::collection::vec(sample, 1..60)
}
