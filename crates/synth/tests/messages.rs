//! Runs of messages: the same as a run and as files, and what is planted is found.

use std::sync::Arc;

use crosscut_import::{Options, Quiet, import};
use crosscut_messages::Messages;
use crosscut_messages::causes::{Cause, Causes, Finding};
use crosscut_messages::gram::{Clock, Grams, Time};
use crosscut_messages::lateness::Lateness;
use crosscut_messages::waits::Waits;
use crosscut_synth::{Exchange, Late, MessageOptions, dumpi, exchanges, messages};

fn made(options: &MessageOptions) -> Messages {
    let folder = tempfile::tempdir().unwrap();
    let run = messages(&folder.path().join("a.crosscut"), options, &|_, _| {}).unwrap();
    Messages::open(Arc::new(run)).unwrap()
}

/// Everything that a run says of its messages.
fn told(messages: &Messages) -> Vec<Vec<i64>> {
    let wide = |column: &[u32]| column.iter().map(|&value| i64::from(value)).collect::<Vec<i64>>();
    let ids =
        |ids: &crosscut_run::Ids| (0..ids.len()).map(|row| i64::from(ids.at(row))).collect::<Vec<i64>>();
    let calls = &messages.calls;
    vec![
        ids(&messages.source),
        ids(&messages.destination),
        messages.bytes.to_vec(),
        wide(&messages.tag),
        wide(&messages.comm),
        messages.send_start.to_vec(),
        messages.send_end.to_vec(),
        messages.receive_start.to_vec(),
        messages.receive_end.to_vec(),
        wide(&messages.send_call),
        wide(&messages.send_done),
        wide(&messages.receive_call),
        wide(&messages.receive_done),
        calls.first.to_vec(),
        calls.start.to_vec(),
        calls.end.to_vec(),
        calls.bytes.to_vec(),
        ids(&calls.peer),
        ids(&calls.comm),
        wide(&calls.request),
        messages.collectives.kind.iter().map(|&kind| kind.into()).collect(),
        wide(&messages.collectives.root),
        messages.collectives.bytes.to_vec(),
        messages.collectives.start.to_vec(),
        messages.collectives.end.to_vec(),
        wide(&messages.collectives.call),
    ]
}

fn functions(messages: &Messages) -> Vec<&str> {
    let name = |&number: &u16| messages.functions()[usize::from(number)].name.as_str();
    messages.calls.function.iter().map(name).collect()
}

#[test]
fn files_of_dumpi_come_back_as_the_same_run() {
    let all =
        exchanges("halo*2,butterfly,radix-3,all-to-all,master-worker,ring,random,allreduce,barrier").unwrap();
    for (ranks, skew) in [(2, 0), (5, 0), (24, 0), (24, 3_000_000)] {
        let options = MessageOptions {
            exchanges: all.clone(),
            ranks,
            steps: 25,
            skew,
            hosts_of: 4,
            late: vec![Late { rank: 1, step: Some(3), by: 400_000 }],
            ..MessageOptions::default()
        };
        let run = made(&options);
        let folder = tempfile::tempdir().unwrap();
        dumpi(&folder.path().join("trace"), &options, &|_, _| {}).unwrap();
        let target = folder.path().join("b.crosscut");
        let read = import(&folder.path().join("trace"), &target, &Options::default(), &Quiet).unwrap();
        assert_eq!(read.manifest().partial, None);
        let read = Messages::open(Arc::new(read)).unwrap();
        assert_eq!(read.summary(), run.summary());
        assert_eq!(read.summary().unmatched, 0);
        assert_eq!(functions(&read), functions(&run));
        for (number, (there, here)) in told(&read).iter().zip(&told(&run)).enumerate() {
            assert_eq!(there, here, "column {number} of {ranks} ranks");
        }
        assert_eq!(run.summary().backwards > 0, skew > 0, "clocks that are wrong show");
        assert_eq!(run.summary().backwards_left, 0, "{:?}", run.summary());
    }
}

fn causes(messages: &Messages) -> (Waits, Lateness, Causes) {
    let waits = Waits::of(messages);
    let lateness = Lateness::of(messages, &waits);
    let causes = Causes::of(messages, &waits, &lateness);
    (waits, lateness, causes)
}

/// What ranks wait more because one is late is what is charged to it.
#[test]
fn a_late_rank_is_charged_what_it_costs() {
    let plan = "halo*4,radix-4,allreduce";
    for (rank, step) in [(7, 1), (30, 2), (0, 8), (63, 3)] {
        let plain = MessageOptions {
            exchanges: exchanges(plan).unwrap(),
            ranks: 64,
            steps: 18,
            ..MessageOptions::default()
        };
        let late = Late { rank, step: Some(step), by: 5_000_000 };
        let usual = Waits::of(&made(&plain)).total();
        let run = made(&MessageOptions { late: vec![late], ..plain });
        let (waits, _, causes) = causes(&run);
        let first = &causes.findings[0];
        assert_eq!(first.ranks, [rank], "{:?}", first.cause);
        let more = (waits.total() - usual) as f64;
        let charged = first.cost as f64 / more;
        assert!((0.8..1.1).contains(&charged), "rank {rank} costs {more}, charged {charged} of it");
        // The work before the call in question is that of the step in which it was late.
        let worst = first.worst.unwrap();
        assert_eq!(run.calls.rank(worst.origin), rank);
        let origin = worst.origin as usize;
        assert!(run.calls.start[origin] - run.calls.end[origin - 1] > 5_000_000);
    }
}

/// Who is named caused it: chance makes everybody late now and then, and where there are many, somebody always waits for it.
#[test]
fn only_those_are_named_who_are_late() {
    let plain = |ranks| MessageOptions {
        exchanges: exchanges("halo*8,radix-4").unwrap(),
        ranks,
        steps: 27,
        ..MessageOptions::default()
    };
    // Who is named in what costs at least a hundredth of what costs most.
    let named = |options: &MessageOptions| {
        let findings = causes(&made(options)).2.findings;
        let counts = |finding: &&Finding| finding.cost >= findings[0].cost / 100;
        findings.iter().filter(counts).map(|finding| finding.ranks.clone()).collect::<Vec<_>>()
    };
    let late = |rank, step, by| Late { rank, step: Some(step), by };
    for ranks in [64, 900] {
        let one = named(&MessageOptions { late: vec![late(33, 5, 4_000_000)], ..plain(ranks) });
        assert_eq!(one[0], [33], "of {ranks} ranks");
        assert_eq!(one.concat(), [33], "of {ranks} ranks");
        // Two of unequal size: who waits for the one longer does not wait for the other.
        let far = ranks - 20;
        let both = vec![late(7, 5, 6_000_000), late(far, 5, 5_000_000)];
        let two = named(&MessageOptions { late: both, ..plain(ranks) });
        assert_eq!(two[0][0], 7, "of {ranks} ranks");
        assert_eq!(two.concat(), [7, far], "of {ranks} ranks");
        // Late in every step, before three kinds of calls: one cause is told once where no line tells them apart.
        let always = Late { rank: 37, step: None, by: 500_000 };
        let exchanges = exchanges("halo*8,radix-4,allreduce").unwrap();
        let options = MessageOptions { exchanges, late: vec![always], ..plain(ranks) };
        let causes = causes(&made(&options)).2.findings;
        let mut late: Vec<Cause> = causes.iter().filter(|f| f.ranks == [37]).map(|f| f.cause).collect();
        late.sort_unstable();
        assert!(late.windows(2).all(|pair| pair[0] != pair[1]), "{late:?}");
        let nobody = named(&plain(ranks));
        assert!(nobody[0].is_empty(), "{nobody:?} of {ranks} ranks");
    }
}

#[test]
fn what_is_lost_is_told_once() {
    let options = MessageOptions {
        exchanges: exchanges("halo*3,ring,allreduce,barrier,random").unwrap(),
        ranks: 27,
        steps: 21,
        noise: 60,
        ..MessageOptions::default()
    };
    let run = made(&options);
    let (waits, lateness, causes) = causes(&run);
    assert_eq!(lateness.waits.len(), waits.lost.iter().filter(|&&lost| lost > 0).count());
    assert!(lateness.waits.iter().all(|wait| (0..=waits.lost[wait.call as usize]).contains(&wait.cost)));
    let mut all: Vec<(u32, i64, i64)> =
        causes.findings.iter().flat_map(|finding| finding.stretches.clone()).collect();
    let total: i64 = all.iter().map(|(_, from, to)| to - from).sum();
    let cost: i64 = causes.findings.iter().map(|finding| finding.cost).sum();
    assert_eq!(total, cost);
    all.sort_unstable();
    assert!(all.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[0].2 <= pair[1].1), "told twice");
    let account = causes.account;
    assert_eq!(account.work + account.waiting + account.inside, account.capacity);
    assert!(cost <= account.waiting + account.inside);
}

#[test]
fn a_rank_that_is_always_late_at_meetings() {
    let plain = MessageOptions { ranks: 8, steps: 12, ..MessageOptions::default() };
    let late = vec![Late { rank: 5, step: None, by: 3_000_000 }];
    for (exchange, cause) in [
        (Exchange::Barrier, Cause::LateRank),
        (Exchange::Allreduce, Cause::LateRank),
        (Exchange::Ring, Cause::LateSender),
    ] {
        let run = made(&MessageOptions { exchanges: vec![exchange], late: late.clone(), ..plain.clone() });
        let first = causes(&run).2.findings[0].clone();
        assert_eq!((first.cause, &first.ranks[..]), (cause, &[5][..]), "{exchange}");
        let often = if exchange == Exchange::Ring { 1 } else { 12 };
        assert!(first.cost > often * 2_500_000 * 7, "{exchange} costs {}", first.cost);
    }
}

#[test]
fn a_healthy_run_loses_little() {
    for exchange in [Exchange::Halo, Exchange::Ring, Exchange::Butterfly, Exchange::Allreduce] {
        let run = made(&MessageOptions { exchanges: vec![exchange], ranks: 16, ..MessageOptions::default() });
        let (_, _, causes) = causes(&run);
        for finding in &causes.findings {
            let share = finding.cost as f64 / causes.account.capacity as f64;
            assert!(share < 0.05, "{exchange}: {:?} costs {share}", finding.cause);
        }
    }
}

/// By logical time a late rank changes no phase, by however much it is late.
#[test]
fn a_late_rank_changes_no_phase_of_logical_time() {
    for (ranks, steps, rank, expression) in [(144, 30, 93, "(A×8 B C)×3"), (4_320, 10, 2_345, "A×8 B C")] {
        late_rank_changes_no_phase(ranks, steps, rank, expression);
    }
}

fn late_rank_changes_no_phase(ranks: u32, steps: u32, rank: u32, expression: &str) {
    let plain = MessageOptions {
        exchanges: exchanges("halo*8,radix-4,allreduce").unwrap(),
        ranks,
        steps,
        ..MessageOptions::default()
    };
    let late = Late { rank, step: Some(8), by: 2 * plain.work };
    let runs = [made(&plain), made(&MessageOptions { late: vec![late], ..plain })];
    let phases = runs.each_ref().map(|run| {
        let clock = Clock::of(run, Time::Logical);
        let gram = Grams::new(run, &clock).cut(clock.all(), steps as usize);
        let of = |phase: &crosscut_messages::gram::Phase| {
            let mut flows = run.flows(clock.messages(phase.points.clone()));
            flows.sort_unstable_by_key(|flow| (flow.from, flow.to));
            (phase.messages, phase.bytes, phase.collectives, flows)
        };
        (gram.phases.iter().map(of).collect::<Vec<_>>(), gram.expression.to_string())
    });
    assert!(phases[0] == phases[1]);
    assert_eq!(phases[0].1, expression);
    assert_eq!(causes(&runs[1]).2.findings[0].ranks, [rank]);
}

/// Everybody with everybody is one group, however many there are.
#[test]
fn a_phase_of_collectives_alone_is_one_group() {
    for ranks in [3, 16, 64, 200] {
        let exchanges = exchanges("halo*2,allreduce").unwrap();
        let run = made(&MessageOptions { exchanges, ranks, steps: 6, ..MessageOptions::default() });
        let clock = Clock::of(&run, Time::Logical);
        let gram = Grams::new(&run, &clock).cut(clock.all(), 6);
        let alone: Vec<_> = gram.phases.iter().filter(|phase| phase.messages == 0).collect();
        assert_eq!(alone.len(), 2);
        for phase in alone {
            assert_eq!((phase.collectives, phase.communities.best().0), (1, 1), "{ranks} ranks");
            assert_eq!(gram.patterns[phase.pattern].communities(), 1);
            assert_eq!(phase.collective_bytes, 65_536 * i64::from(ranks));
        }
    }
}
