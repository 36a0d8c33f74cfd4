//! The same run recorded whole and with parts collapsed: what does not depend on the inside is the same.

use crate::model;

use crosscut_tasks::schema::Kind;
use crosscut_tree::NodeId;
use model::{Chance, Folding, Recording, cases, full};
use proptest::prelude::*;

proptest! {
    #![proptest_config(cases(80))]

    #[test]
    fn collapsing_keeps_the_totals(case in full(), several in any::<bool>()) {
        let whole = case.record();
        let folding = if several { Folding::Several } else { Folding::OneWorker };
        let folded = Recording::new(
            whole.program.clone(),
            whole.schedule.clone(),
            whole.workers,
            folding,
            &mut Chance::new(case.seed ^ 5),
        );
        let (a, b) = (whole.open(), folded.open());
        let (s, t) = (a.tasks.summary(), b.tasks.summary());
        prop_assert_eq!((s.work, s.span, s.elapsed), (t.work, t.span, t.elapsed));
        prop_assert_eq!((s.tasks, s.intervals, s.dag_nodes), (t.tasks, t.intervals, t.dag_nodes));
        prop_assert_eq!((s.counts, s.edges, s.ready), (t.counts, t.edges, t.ready));
        if !several {
            prop_assert_eq!(&s.busy, &t.busy);
        }
        // Every node that both have.
        for (i, kept) in folded.kept.iter().enumerate() {
            let (there, here) = (NodeId(kept.model as u32), NodeId(i as u32));
            prop_assert_eq!(a.tasks.work(there), b.tasks.work(here));
            prop_assert_eq!(a.tasks.span(there), b.tasks.span(here));
            prop_assert_eq!(a.tasks.edges(there), b.tasks.edges(here));
            prop_assert_eq!(a.tasks.worker(there), b.tasks.worker(here));
            let counts = a.tasks.counts(a.tasks.tree().range(there));
            prop_assert_eq!(counts, b.tasks.counts(b.tasks.tree().range(here)));
        }
    }
}

/// A tree and a list of collapsed nodes that do not agree are refused, each with a word on what is wrong.
#[test]
fn collapsed_nodes_must_be_what_the_marks_say() {
    let mut program = model::Program::new();
    program.open(Kind::Section);
    program.spawn(1, 5);
    program.spawn(1, 5);
    program.close(1);
    program.close(1);
    let schedule = model::Schedule::greedy(&program, 1);
    let recording = Recording::whole(program, schedule, 1);
    let dir = model::fresh_dir();
    let attempt = |name: &str, change: &dyn Fn(&mut crosscut_tasks::schema::TaskWriter)| {
        let mut run = crosscut_run::RunWriter::create(&dir.path().join(name)).expect("a new run");
        let mut places = crosscut_run::Places::workers(1).expect("places");
        let mut tasks = recording.fill(&run, &mut places);
        change(&mut tasks);
        crosscut_tasks::finish(&mut run, tasks, &places).map_err(|e| e.to_string())
    };
    let collapsed = |node: u32| crosscut_tasks::schema::Collapsed { node, ..Default::default() };
    assert_eq!(attempt("right", &|_| ()), Ok(()));
    let errors = [
        attempt("marked, not listed", &|t| t.mark[3] |= 1 << 6),
        attempt("listed, not marked", &|t| t.collapsed.push(collapsed(3))),
        attempt("listed twice", &|t| {
            t.mark[3] |= 1 << 6;
            t.collapsed = vec![collapsed(3), collapsed(3)];
        }),
        attempt("listed outside", &|t| t.collapsed.push(collapsed(99))),
        attempt("has an inside", &|t| {
            t.mark[1] |= 1 << 6;
            t.collapsed.push(collapsed(1));
        }),
        attempt("ends before it starts", &|t| t.end[2] = t.start[2] - 1),
        attempt("not a tree", &|t| t.len[1] += 1),
        attempt("not a place", &|t| t.place[2] = 77),
    ];
    for error in errors {
        let text = error.expect_err("refused");
        assert!(text.starts_with("the task tree is broken: "), "{text}");
    }
}
