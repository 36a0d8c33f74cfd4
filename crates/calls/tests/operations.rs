//! Queries, squashing, sums, groups, unions and arithmetic, beside what is made node by node.

use crate::made;

use std::collections::BTreeMap;
use std::sync::Arc;

use crosscut_calls::{
    Arithmetic, Builder, By, Calls, Frame, Given, Kind, LeftOut, Making, NONE, Paths, Query, SuperGraph,
    Union, Unit, combine, ensemble, group, join, squash, subtree_sums,
};
use crosscut_run::RunWriter;
use crosscut_tree::{NodeId, NodeSet};
use made::{sampled, samples, written};
use proptest::prelude::*;

fn all(paths: &dyn Paths) -> Vec<NodeId> {
    (0..paths.node_count() as u32).map(NodeId).collect()
}

fn path(paths: &dyn Paths, node: NodeId) -> Vec<String> {
    let nodes = std::iter::once(node).chain(paths.tree().ancestors(node));
    let mut path: Vec<String> =
        nodes.filter_map(|node| paths.frame_of(node)).map(|f| f.name.clone()).collect();
    path.reverse();
    path
}

/// Steps as (how often, functions that it takes; none is any).
type Steps = Vec<(char, Vec<u8>)>;

fn text(steps: &Steps) -> String {
    let step = |(at, (times, _)): (usize, &(char, Vec<u8>))| format!("(\"{times}\", s{at})");
    let wanted = steps.iter().enumerate().filter(|(_, (_, of))| !of.is_empty()).map(|(at, (_, of))| {
        let one = of.iter().map(|f| format!("s{at}.name = \"f{f}\"")).collect::<Vec<_>>().join(" or ");
        format!("({one})")
    });
    let wanted: Vec<String> = wanted.collect();
    let tests = if wanted.is_empty() { String::new() } else { format!(" where {}", wanted.join(" and ")) };
    format!("{}{tests}", steps.iter().enumerate().map(step).collect::<Vec<_>>().join(" -> "))
}

/// Whether names, one by one, are taken by the steps: every way is tried.
fn matches(steps: &[(char, Vec<u8>)], names: &[Option<String>]) -> bool {
    let Some(((times, of), rest)) = steps.split_first() else { return names.is_empty() };
    let takes = |name: &Option<String>| of.is_empty() || of.iter().any(|f| *name == Some(format!("f{f}")));
    let (least, most) = match times {
        '.' => (1, 1),
        '+' => (1, names.len()),
        '*' => (0, names.len()),
        n => (n.to_digit(10).unwrap() as usize, n.to_digit(10).unwrap() as usize),
    };
    (least..=most.min(names.len()))
        .any(|count| names[..count].iter().all(takes) && matches(rest, &names[count..]))
}

/// All nodes of all stretches that match.
fn naive(calls: &Calls, steps: &Steps) -> Vec<bool> {
    let mut found = vec![false; calls.node_count()];
    for node in all(calls) {
        let mut line: Vec<NodeId> = std::iter::once(node).chain(calls.tree().ancestors(node)).collect();
        line.reverse();
        let names: Vec<Option<String>> =
            line.iter().map(|&n| calls.frame(n).map(|f| f.name.clone())).collect();
        for from in 0..line.len() {
            if matches(steps, &names[from..]) {
                line[from..].iter().for_each(|node| found[node.index()] = true);
            }
        }
    }
    found
}

fn steps() -> impl Strategy<Value = Steps> {
    let step = (prop::sample::select(vec!['.', '*', '+', '2', '3']), prop::collection::vec(0u8..9, 0..4));
    prop::collection::vec(step, 1..5)
}

proptest! {
    // Each case writes a run or two.
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn queries_find_what_every_way_finds(samples in samples(), a in steps(), b in steps()) {
        let (_work, calls) = sampled(&samples);
        let found = |text: &str| {
            let nodes = Query::parse(text).unwrap().nodes(&calls).unwrap();
            all(&calls).into_iter().map(|node| nodes.contains(node)).collect::<Vec<bool>>()
        };
        let (na, nb) = (naive(&calls, &a), naive(&calls, &b));
        let (ta, tb) = (text(&a), text(&b));
        prop_assert_eq!(&found(&ta), &na, "{}", ta);
        type Joins = [(&'static str, fn(bool, bool) -> bool); 4];
        let joins: Joins = [("and", |a, b| a & b), ("∨", |a, b| a | b), ("xor", |a, b| a ^ b), ("or not", |a, b| a | !b)];
        for (word, join) in joins {
            let expected: Vec<bool> = na.iter().zip(&nb).map(|(&a, &b)| join(a, b)).collect();
            let joined = format!("{{{ta}}} {word} {{{tb}}}");
            prop_assert_eq!(&found(&joined), &expected, "{}", joined);
        }
    }

    #[test]
    fn squashed_trees_keep_order_callers_and_totals(samples in samples(), keep: u64) {
        let (_work, calls) = sampled(&samples);
        let kept = |node: NodeId| node == NodeId::ROOT || keep >> (node.0 % 64) & 1 == 1;
        let set = NodeSet::from_fn(calls.node_count(), |node| keep >> (node.0 % 64) & 1 == 1);
        let nodes: Vec<NodeId> = all(&calls).into_iter().filter(|&node| kept(node)).collect();
        for left_out in [LeftOut::Stays, LeftOut::Goes] {
            let squashed = squash(&calls, &set, left_out);
            squashed.tree().check().unwrap();
            prop_assert_eq!(squashed.node_count(), nodes.len());
            for (at, &node) in nodes.iter().enumerate() {
                let caller = calls.tree().ancestors(node).find(|&above| kept(above));
                let expected = caller.map(|caller| nodes.iter().position(|&other| other == caller).unwrap());
                prop_assert_eq!(squashed.tree().parent(NodeId(at as u32)).map(|node| node.index()), expected);
                prop_assert_eq!(squashed.number(NodeId(at as u32)), calls.number(node));
                for place in 0..calls.place_count() {
                    let mine = |other: &NodeId| *other == node || (left_out == LeftOut::Stays && !kept(*other)
                        && calls.tree().ancestors(*other).find(|&above| kept(above)) == Some(node));
                    let value: i64 = all(&calls).iter().filter(|n| mine(n)).map(|n| calls.column(0, place)[n.index()]).sum();
                    prop_assert_eq!(squashed.column(0, place)[at], value);
                }
            }
            if left_out == LeftOut::Stays {
                prop_assert_eq!(squashed.with_callees(0, NodeId::ROOT), calls.inclusive(0, NodeId::ROOT));
            }
        }
    }

    #[test]
    fn unions_have_every_call_path_once(a in samples(), b in samples()) {
        let ((_work, a), (_other, b)) = (sampled(&a), sampled(&b));
        let both: [&dyn Paths; 2] = [&a, &b];
        let union = Union::of(&both).unwrap();
        let name = |node: NodeId| {
            let frames = std::iter::once(node).chain(union.tree.view().ancestors(node)).map(|n| union.frame[n.index()]);
            let mut names: Vec<String> =
                frames.filter(|&f| f != NONE).map(|f| union.frames[f as usize].name.clone()).collect();
            names.reverse();
            names
        };
        let nodes: Vec<NodeId> = (0..union.frame.len() as u32).map(NodeId).collect();
        let numbers: BTreeMap<Vec<String>, NodeId> = nodes.iter().map(|&node| (name(node), node)).collect();
        prop_assert_eq!(numbers.len(), nodes.len());
        let mut seen = vec![false; nodes.len()];
        for (of, profile) in both.iter().enumerate() {
            for node in all(*profile) {
                let here = numbers[&path(*profile, node)];
                prop_assert_eq!(union.into[of][node.index()], here.0);
                seen[here.index()] = true;
            }
        }
        prop_assert!(seen.iter().all(|&seen| seen));
        // Arithmetic, node by node: what one of them has not is 0.
        let value = |profile: &dyn Paths, wanted: &[String], inclusive: bool, place: usize| -> i64 {
            let is = |node: &NodeId| match path(profile, *node) {
                path if inclusive => path.starts_with(wanted),
                path => path == wanted,
            };
            let column = profile.column(0, place);
            all(profile).iter().filter(|n| is(n)).filter_map(|n| column.get(n.index())).sum()
        };
        for how in [Arithmetic::Plus, Arithmetic::Minus, Arithmetic::Times, Arithmetic::Divided] {
            let combined = combine(&a, &b, how).unwrap();
            prop_assert_eq!(&combined.metrics, &["time", "samples"]);
            for (wanted, node) in numbers.iter().take(12) {
                for place in 0..combined.columns {
                    for (inclusive, got) in [(false, &combined.own), (true, &combined.inclusive)] {
                        let (x, y) = (value(&a, wanted, inclusive, place), value(&b, wanted, inclusive, place));
                        let expected = match how {
                            Arithmetic::Plus => (x + y) as f64,
                            Arithmetic::Minus => (x - y) as f64,
                            Arithmetic::Times => x as f64 * y as f64,
                            Arithmetic::Divided => x as f64 / y as f64,
                        };
                        let got = got[place][node.index()];
                        prop_assert!(got == expected || (got.is_nan() && y == 0), "{} {}", got, expected);
                    }
                }
            }
        }
        // As a profile: the same nodes, whole numbers; one column where they have not as many places.
        for (minus, sign) in [(false, 1), (true, -1)] {
            let joined = join(&a, &b, minus).unwrap();
            prop_assert_eq!(joined.metrics(), &["time", "samples"]);
            let alike = a.place_count() == b.place_count();
            prop_assert_eq!(joined.column_count(), if alike { a.place_count() } else { 1 });
            for (wanted, node) in numbers.iter().take(12) {
                let whole = |of: &dyn Paths| -> i64 { (0..of.column_count()).map(|at| value(of, wanted, false, at)).sum() };
                for place in 0..joined.column_count() {
                    let of = |of: &dyn Paths| if alike { value(of, wanted, false, place) } else { whole(of) };
                    prop_assert_eq!(joined.column(0, place)[node.index()], of(&a) + sign * of(&b));
                }
            }
        }
        // An ensemble has a column for each run, and its super graph the totals of all.
        let many = ensemble(&both).unwrap();
        let graph = SuperGraph::of(&many, &Making { map: By::Module.into(), ..Making::default() });
        let columns = graph.columns(&many, 0);
        let totals = [a.inclusive(0, NodeId::ROOT), b.inclusive(0, NodeId::ROOT)];
        prop_assert_eq!(columns.inclusive(0), totals);
        prop_assert_eq!(graph.inclusive(0)[0], totals[0] + totals[1]);
    }

    #[test]
    fn groups_and_sums_are_those_of_the_nodes(samples in samples()) {
        let (_work, calls) = sampled(&samples);
        let groups = group(&calls, 0, calls.frames().len(), |node| calls.frame_number(node));
        for (frame, group) in groups.iter().enumerate() {
            let of = all(&calls).into_iter().filter(|&node| calls.frame_number(node) == frame as u32);
            let values: Vec<i64> = of.map(|node| calls.own(0, node)).collect();
            prop_assert_eq!((group.count as usize, group.sum), (values.len(), values.iter().sum::<i64>()));
            prop_assert_eq!((Some(&group.least), Some(&group.most)), (values.iter().min(), values.iter().max()));
        }
        for place in 0..calls.place_count() {
            let sums = subtree_sums(calls.tree(), calls.column(0, place));
            for node in all(&calls) {
                prop_assert_eq!(sums[node.index()], calls.at_places(0, calls.subtree(node))[place]);
            }
        }
    }
}

#[test]
fn metrics_depth_and_patterns_can_be_asked_for() {
    let (_work, calls) = written(|builder| {
        let metric = builder.metric("time", Unit::Ns, Given::Own);
        let place = builder.place(0, 0);
        let mut node = 0;
        for function in 0..4 {
            let frame = builder.frame(made::frame(function));
            node = builder.node(node, frame).unwrap();
            builder.add(metric, place, node, 10);
        }
    });
    let count = |text: &str| Query::parse(text).unwrap().nodes(&calls).unwrap().len();
    assert_eq!(count("(q) where q.time >= 20"), 4); // the program, f0, f1, f2
    assert_eq!(count("(q) where q.time.itself = 10"), 4);
    assert_eq!(count("(q) where q.depth > 1 and q.name ~ \"^f[12]$\""), 2);
    assert_eq!(count("match (p) -> (q) where p.name = \"f1\" and q.name has \"2\""), 2);
    assert_eq!(count("(q) where q.module = 'm1' or q.file = \"f0.c\""), 3);
    let error =
        |text: &str| Query::parse(text).and_then(|query| query.nodes(&calls)).unwrap_err().to_string();
    assert_eq!(
        error("(q) where q.speed > 1"),
        "column 13: there is no `speed`: name, module, file, line, kind, depth, time"
    );
    assert_eq!(error("(q) where p.time > 1"), "column 11: no step is named `p`");
    assert_eq!(error("(q) where q.name > 1"), "column 20: a text in quotes is missing");
    assert_eq!(error("(\"x\", q)"), "column 2: how often is \"*\", \"+\", \".\" or a number from 1 on");
    assert_eq!(error("(q) -> (q)"), "column 8: `q` stands for another step already");
    assert_eq!(error("(q"), "column 3: `)` is missing");
    assert_eq!(error("(q) where q.name = \"a"), "column 20: this quote is never closed");
    assert_eq!(error("(65)"), "column 1: more than 64 steps");
    assert!(error("(p) -> (q) where p.time > 1 or q.time > 1").contains("speaks of several steps"));
    assert!(error(&"(".repeat(2000)).contains("column"));
    assert!(error(&format!("{}(q)", "not ".repeat(100))).contains("brackets"));
}

/// Another build: every line moved by one, and one of two functions with the same name is gone.
#[test]
fn call_paths_of_two_builds_are_one_though_lines_move() {
    let build = |moved: i64, values: &[(i64, i64)]| {
        let frame = |name: &str, line: i64| Frame {
            module: format!("/builds/{moved}/app"),
            file: "a.c".to_owned(),
            line: line + moved,
            ..Frame::function(name)
        };
        let work = tempfile::tempdir().unwrap();
        let mut run = RunWriter::create(&work.path().join("made.crosscut")).unwrap();
        let mut builder = Builder::new("made");
        let (metric, place) = (builder.metric("time", Unit::Ns, Given::Own), builder.place(0, 0));
        let main = builder.frame(frame("main", 1));
        let main = builder.node(0, main).unwrap();
        for &(line, value) in values {
            let of = builder.frame(frame("work", line));
            let node = builder.node(main, of).unwrap();
            builder.add(metric, place, node, value);
            let inner = builder.frame(Frame { kind: Kind::Loop, ..frame("loop", line) });
            let node = builder.node(node, inner).unwrap();
            builder.add(metric, place, node, 1);
        }
        builder.finish(&mut run).unwrap();
        (work, Calls::open(Arc::new(run.finish().unwrap())).unwrap())
    };
    let ((_a, before), (_b, after)) = (build(0, &[(10, 300), (20, 100)]), build(1, &[(9, 250)]));
    let joined = join(&before, &after, true).unwrap();
    let frames: Vec<&Frame> =
        joined.frame_numbers().iter().skip(1).map(|&f| &joined.frames()[f as usize]).collect();
    let names: Vec<(&str, i64)> = frames.iter().map(|frame| (frame.name.as_str(), frame.line)).collect();
    // Loops are told apart by their lines: there are two, and the one that both builds have is at line 10.
    assert_eq!(names, [("main", 1), ("work", 10), ("loop", 10), ("loop", 20)]);
    assert_eq!(joined.column(0, 0), [0, 0, 150, 0, 1]);
}
