//! The slow, obvious side of every comparison. A [`Program`] is a task program as nested nodes with lengths; [`Schedule`]
//! says when and where each interval ran; [`Recording`] is what a recorder keeps of that, perhaps with parts collapsed.
//! References are computed from these by their definitions, never from the columns of the run.

#![allow(dead_code, unused_imports)] // each test file uses its own part

mod grains;
mod greedy;
mod program;
mod recording;
mod reference;
mod schedule;

pub use crosscut_chance::Chance;
pub use grains::{GrainModel, Graph, Group};
pub use greedy::{Greedy, Ran};
pub use program::{Node, Program};
pub use recording::{Block, Folding, Opened, Recording, fresh_dir};
pub use reference::{Account, Earliest, Moment, account, integral, longest, profile};
pub use schedule::{Manners, Schedule};

use proptest::prelude::*;

/// One random run: program, schedule and what is collapsed, all from one seed.
#[derive(Clone, Debug)]
pub struct Case {
    pub seed: u64,
    /// About how many intervals.
    pub size: usize,
    pub workers: usize,
    pub manners: Manners,
    pub folding: Folding,
    /// With tasks that outlive their section, teams, chunks and dependences.
    pub wild: bool,
}

impl Case {
    pub fn record(&self) -> Recording {
        let mut chance = Chance::new(self.seed);
        let program = Program::random(&mut chance, self.size, self.manners.longest, self.wild);
        let schedule = Schedule::random(&program, &mut chance, self.workers, self.manners);
        Recording::new(program, schedule, self.workers, self.folding, &mut chance)
    }
}

fn manners() -> impl Strategy<Value = Manners> {
    let longest = prop_oneof![Just(0i64), Just(1), Just(9), 1i64..200, 1000i64..1_000_000];
    (longest, 0i64..40, prop_oneof![0u8..=10, 8u8..=10], 1usize..4)
        .prop_map(|(longest, pause, stay, cores)| Manners { longest, pause, stay, cores })
}

/// Random runs in which nothing is collapsed.
pub fn full() -> impl Strategy<Value = Case> {
    (any::<u64>(), 1usize..160, 1usize..6, manners(), any::<bool>()).prop_map(
        |(seed, size, workers, manners, wild)| Case {
            seed,
            size,
            workers,
            manners,
            folding: Folding::None,
            wild,
        },
    )
}

/// Random runs in which every section waits for the tasks that it created, and nothing else does.
pub fn nested() -> impl Strategy<Value = Case> {
    any_run().prop_map(|case| Case { wild: false, ..case })
}

/// Random runs of which parts may be collapsed.
pub fn any_run() -> impl Strategy<Value = Case> {
    let folding = prop_oneof![
        2 => Just(Folding::None),
        3 => Just(Folding::OneWorker),
        1 => Just(Folding::Several),
    ];
    (full(), folding).prop_map(|(case, folding)| Case { folding, ..case })
}

/// This many random cases; a failing one is printed whole, so no file of past failures is kept.
pub fn cases(count: u32) -> ProptestConfig {
    ProptestConfig { cases: count, failure_persistence: None, ..ProptestConfig::default() }
}
