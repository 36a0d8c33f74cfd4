//! Clocks that were set wrong on purpose are set right again.

use crosscut_chance::Chance;
use crosscut_messages::clocks::{Bound, Corrected, correct};

/// How a clock is wrong: by so much at the beginning, and by so much more per second.
type Skew = (i64, f64);

const SECOND: i64 = 1_000_000_000;

/// Messages of a ring and its reverse over ten seconds, with latencies from 1 to 50 µs, as skewed clocks show them.
fn messages(skews: &[Skew], random: &mut Chance) -> Vec<Bound> {
    let ranks = skews.len() as u32;
    let shown = |rank: u32, time: i64| {
        let (offset, drift) = skews[rank as usize];
        time + offset + (drift * time as f64) as i64
    };
    let mut all = Vec::new();
    for step in 0..400 {
        for from in 0..ranks {
            let sent = step * SECOND / 40 + random.below(1_000_000) as i64;
            let latency = 1_000 + random.below(49_000) as i64;
            let to = if step % 2 == 0 { (from + 1) % ranks } else { (from + ranks - 1) % ranks };
            all.push(Bound { from, sent: shown(from, sent), to, received: shown(to, sent + latency) });
        }
    }
    all
}

fn corrected(skews: &[Skew], bounds: &[Bound]) -> Option<Corrected> {
    let first: Vec<i64> = skews.iter().map(|(offset, _)| *offset).collect();
    correct(&first, &|tell| bounds.iter().for_each(|bound| tell(*bound)))
}

/// How far two corrected clocks are apart in the worst case, now and then.
fn apart(skews: &[Skew], corrected: &Corrected) -> i64 {
    let mut worst = 0;
    for time in (0..=10).map(|second| second * SECOND) {
        let shown = skews
            .iter()
            .zip(&corrected.lines)
            .map(|((offset, drift), line)| line.at(time + offset + (drift * time as f64) as i64));
        let shown: Vec<i64> = shown.collect();
        worst = worst.max(shown.iter().max().unwrap() - shown.iter().min().unwrap());
    }
    worst
}

#[test]
fn clocks_that_agree_are_left_alone() {
    let mut random = Chance::new(1);
    let skews = [(0, 0.0); 8];
    assert_eq!(corrected(&skews, &messages(&skews, &mut random)), None);
}

#[test]
fn an_offset_is_found() {
    let mut random = Chance::new(2);
    let skews = [(0, 0.0), (0, 0.0), (5 * SECOND, 0.0), (0, 0.0), (-3_600 * SECOND, 0.0), (0, 0.0)];
    let found = corrected(&skews, &messages(&skews, &mut random)).unwrap();
    assert!(found.before > 100);
    assert_eq!(found.after, 0);
    // Those that are right and talk to each other stay as they are.
    let same: Vec<usize> = (0..6).filter(|&rank| found.lines[rank].is_nothing()).collect();
    assert_eq!(same, [0, 1, 5]);
    assert!(found.lines[3].offset.abs() < 100_000, "{:?}", found.lines[3]);
    assert!(apart(&skews, &found) < 100_000, "{}", apart(&skews, &found));
}

#[test]
fn clocks_that_drift_are_found() {
    for seed in 0..20 {
        let mut random = Chance::new(seed);
        let skews: Vec<Skew> = (0..8)
            .map(|_| {
                let offset = random.below(20 * SECOND as u64) as i64 - 10 * SECOND;
                (offset, (random.below(2_000) as f64 - 1_000.0) * 1e-7)
            })
            .collect();
        let found = corrected(&skews, &messages(&skews, &mut random)).unwrap();
        // The few that are left are off by a few microseconds: lines are not laid exactly.
        assert!(found.after * 100 < found.before, "seed {seed}: {} of {} left", found.after, found.before);
        // All of them may be off together, so they are compared with each other.
        assert!(apart(&skews, &found) < 50_000, "seed {seed}: {} apart", apart(&skews, &found));
    }
}

#[test]
fn what_no_line_can_cure_is_told() {
    // Each is received before it was sent, in both directions at once.
    let bounds = [
        Bound { from: 0, sent: 100, to: 1, received: 50 },
        Bound { from: 1, sent: 100, to: 0, received: 50 },
    ];
    let found = correct(&[0, 0], &|tell| bounds.iter().for_each(|bound| tell(*bound))).unwrap();
    assert_eq!(found.before, 2);
    assert!(found.after > 0);
}
