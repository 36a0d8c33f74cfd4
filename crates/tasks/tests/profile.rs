//! The parallelism profile: the exact steps equal the naive ones, and every cell of every level is the mean of the exact
//! profile over it.

use crate::model;

use crosscut_tasks::{Profile, Tasks};
use model::{Chance, Moment, Recording, any_run, cases, integral, profile};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

fn close(a: f64, b: f64, within: f64) -> bool {
    (a - b).abs() <= within + 1e-9 * a.abs().max(b.abs())
}

/// The exact profile in the form of the naive one.
fn exact(tasks: &Tasks) -> Vec<Moment> {
    let layers = |s: &crosscut_tasks::ProfileStep| {
        let r = s.ready;
        [s.running, r[0], r[1], r[2], r[3], r[4]]
    };
    tasks.exact_profile().iter().map(|s| Moment { t: s.t, layers: layers(s) }).collect()
}

fn layer(profile: &Profile, layer: usize) -> &[f64] {
    if layer == 0 { &profile.running } else { &profile.ready[layer - 1] }
}

fn check_cells(recording: &Recording, found: &Profile, naive: &[Moment]) -> Result<(), TestCaseError> {
    let elapsed = recording.elapsed();
    // Without collapsed nodes all integrals are whole numbers; with them a cell is rounded to one.
    let exact = recording.kept.iter().all(|k| !k.collapsed);
    for l in 0..6 {
        for (k, &mean) in layer(found, l).iter().enumerate() {
            let left = found.from + k as i64 * found.cell;
            let width = found.cell.min(elapsed - left).max(1);
            let expected = integral(naive, l, left, left + found.cell);
            let within = if exact { 1e-6 } else { 1.001 };
            prop_assert!(
                close(mean * width as f64, expected, within),
                "layer {} cell {} of {}: {} but {}",
                l,
                k,
                found.cell,
                mean * width as f64,
                expected
            );
            prop_assert!(mean >= 0.0);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn exact_steps_equal_the_definition(case in any_run()) {
        let recording = case.record();
        let opened = recording.open();
        let (found, naive) = (exact(&opened.tasks), profile(&recording.blocks()));
        prop_assert!(found.windows(2).all(|w| w[0].t < w[1].t), "one step per moment, in order");
        for moment in &naive {
            let at = found.partition_point(|f| f.t <= moment.t);
            let state = if at == 0 { [0.0; 6] } else { found[at - 1].layers };
            for (l, (a, b)) in state.iter().zip(&moment.layers).enumerate() {
                prop_assert!(close(*a, *b, 1e-9), "layer {} at {}: {} but {}", l, moment.t, a, b);
            }
        }
        let end = recording.elapsed();
        prop_assert!(close(integral(&found, 0, 0, end), recording.work(0) as f64, 1e-3));
        for (edge, waited) in recording.waited(0).into_iter().enumerate() {
            prop_assert!(close(integral(&found, 1 + edge, 0, end), waited as f64, 1e-3));
        }
    }

    #[test]
    fn cells_are_means_of_the_exact_profile(case in any_run()) {
        let recording = case.record();
        let opened = recording.open();
        let naive = profile(&recording.blocks());
        let elapsed = recording.elapsed();
        let mut chance = Chance::new(case.seed ^ 2);
        // All levels over the whole run, then random windows.
        for shift in 0..11 {
            let found = opened.tasks.profile(0, elapsed, 1 << shift);
            prop_assert_eq!(found.from, 0);
            prop_assert!(found.running.len() <= 2 << shift, "{} cells", found.running.len());
            check_cells(&recording, &found, &naive)?;
            let sum: f64 = (0..found.running.len())
                .map(|k| {
                    let width = found.cell.min(elapsed - k as i64 * found.cell).max(1);
                    found.running[k] * width as f64
                })
                .sum();
            prop_assert!(close(sum, recording.work(0) as f64, 1e-3), "∫ running {} is the work", sum);
        }
        for _ in 0..5 {
            let from = chance.within(0, elapsed);
            let to = from + chance.within(0, elapsed);
            let found = opened.tasks.profile(from, to, 1 + chance.index(700));
            prop_assert!(found.from <= from.min((elapsed - 1).max(0)));
            check_cells(&recording, &found, &naive)?;
        }
        // Finer than what the run keeps.
        for _ in 0..5 {
            let from = chance.within(0, elapsed);
            let found = opened.tasks.profile(from, from + 1 + elapsed / 5000, 1 + chance.index(40));
            check_cells(&recording, &found, &naive)?;
        }
    }
}

/// In a run with very many intervals, what is running is exact in the finest cells, and what is ready is a mean.
#[test]
fn fine_cells_of_a_large_run() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let case = model::full().new_tree(&mut runner).unwrap().current();
    let manners = model::Manners { longest: 100_000, ..case.manners };
    let recording = model::Case { size: 3 * Tasks::EXACT, workers: 3, manners, ..case }.record();
    let opened = recording.open();
    let tasks = &opened.tasks;
    let steps = exact(tasks);
    let elapsed = tasks.summary().elapsed;
    for k in 1..20 {
        let from = elapsed / 20 * k;
        let found = tasks.profile(from, from + elapsed / 1_000_000, 50);
        assert!(found.cell < tasks.summary().bins.cell, "finer than the run keeps");
        for (cell, mean) in found.running.iter().enumerate() {
            let left = found.from + cell as i64 * found.cell;
            let expected = integral(&steps, 0, left, left + found.cell) / found.cell as f64;
            assert!(close(*mean, expected, 1e-6), "at {left}: {mean} but {expected}");
        }
        assert!(found.ready.iter().all(|layer| layer.len() == found.running.len()));
    }
}
