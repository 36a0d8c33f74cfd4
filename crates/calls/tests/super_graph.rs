//! Super graphs beside ones that are made call path by call path: totals are kept by all that is done to them.

use crate::made;

use std::collections::{BTreeMap, BTreeSet};

use crosscut_calls::graph::{Filter, MOST_COPIES, Split, SplitBy};
use crosscut_calls::{By, ByCall, Calls, Frame, Given, Making, Map, NONE, SuperGraph, Unit, flat};
use crosscut_tree::NodeId;
use made::{sampled, samples, written};
use proptest::prelude::*;

fn all(calls: &Calls) -> impl Iterator<Item = NodeId> + use<> {
    (0..calls.node_count() as u32).map(NodeId)
}

/// Label and copy of the super node of each call path: paths one by one, heaviest first, and a search for each edge.
fn naive(calls: &Calls, map: &Map, filtered: &[bool]) -> Vec<(u32, usize)> {
    let labels = map.labels(calls.frames());
    let mut order: Vec<NodeId> = all(calls).skip(1).collect();
    order.sort_by_key(|&node| (std::cmp::Reverse(calls.inclusive(0, node)), node));
    let mut of: Vec<(u32, usize)> = vec![(NONE, 0); calls.node_count()];
    let mut made: BTreeMap<u32, usize> = BTreeMap::from([(NONE, 1)]);
    let mut edges: BTreeSet<[(u32, usize); 2]> = BTreeSet::new();
    for node in order {
        let from = of[calls.tree().parent(node).unwrap().index()];
        let frame = calls.frame_number(node) as usize;
        let label = if filtered[frame] { NONE } else { labels.of[frame] };
        if label == NONE || label == from.0 {
            of[node.index()] = from;
            continue;
        }
        let count = made.get(&label).copied().unwrap_or(0);
        let to = (0..count).map(|copy| (label, copy)).find(|&to| !reaches(&edges, to, from));
        let to = to.unwrap_or_else(|| {
            made.insert(label, count + 1);
            (label, count)
        });
        edges.insert([from, to]);
        of[node.index()] = to;
    }
    of
}

fn reaches(edges: &BTreeSet<[(u32, usize); 2]>, from: (u32, usize), goal: (u32, usize)) -> bool {
    let mut open = vec![from];
    let mut seen = BTreeSet::from([from]);
    while let Some(node) = open.pop() {
        if node == goal {
            return true;
        }
        open.extend(
            edges.iter().filter(|edge| edge[0] == node).map(|edge| edge[1]).filter(|&to| seen.insert(to)),
        );
    }
    false
}

/// Everything that must hold of a super graph, from what each call path is said to belong to.
fn sound(calls: &Calls, graph: &SuperGraph) {
    let of = |node: NodeId| graph.node_of(node).unwrap();
    let n = graph.nodes().len();
    let names: BTreeSet<String> = graph.nodes().iter().map(|node| node.name()).collect();
    assert_eq!(names.len(), n, "{names:?}");
    for metric in 0..2 {
        let places = calls.place_count();
        let (mut own, mut inclusive) = (vec![vec![0i64; places]; n], vec![vec![0i64; places]; n]);
        let mut flow: BTreeMap<(u32, u32), Vec<i64>> = BTreeMap::new();
        for node in all(calls) {
            let add = |to: &mut Vec<i64>, values: Vec<i64>| {
                to.iter_mut().zip(values).for_each(|(to, value)| *to += value);
            };
            add(&mut own[of(node) as usize], calls.at_places(metric, node.index()..node.index() + 1));
            let from = calls.tree().parent(node).map(of);
            if from != Some(of(node)) {
                let whole = calls.at_places(metric, calls.subtree(node));
                add(&mut inclusive[of(node) as usize], whole.clone());
                if let Some(from) = from {
                    add(flow.entry((from, of(node))).or_insert_with(|| vec![0; places]), whole);
                }
            }
        }
        let sums = |rows: &[Vec<i64>]| -> Vec<i64> { rows.iter().map(|row| row.iter().sum()).collect() };
        assert_eq!(graph.own(metric), sums(&own));
        assert_eq!(graph.inclusive(metric), sums(&inclusive));
        assert_eq!(graph.own(metric).iter().sum::<i64>(), calls.inclusive(metric, NodeId::ROOT));
        assert_eq!(graph.inclusive(metric)[0], calls.inclusive(metric, NodeId::ROOT));
        let columns = graph.columns(calls, metric);
        let (by_call, by_frame) = (ByCall::of(calls, metric), ByCall::up_to(calls, metric, 0));
        let (by_place, places) = (graph.own_by_place(calls, metric, &by_call), calls.place_count());
        assert_eq!(by_place, graph.own_by_place(calls, metric, &by_frame));
        for node in 0..n {
            assert_eq!(by_place[node * places..(node + 1) * places], own[node]);
            assert_eq!(columns.own(node as u32), own[node]);
            assert_eq!(columns.inclusive(node as u32), inclusive[node]);
        }
        assert_eq!(graph.edges().len(), flow.len());
        let mut through = graph.own(metric).to_vec();
        for (at, edge) in graph.edges().iter().enumerate() {
            assert_eq!(columns.flow(at as u32), flow[&(edge.from, edge.to)]);
            assert_eq!(graph.flow(metric)[at], flow[&(edge.from, edge.to)].iter().sum::<i64>());
            through[edge.from as usize] += graph.flow(metric)[at];
        }
        assert_eq!(through, graph.inclusive(metric));
        for node in 1..n as u32 {
            let entries = graph.entries(calls, metric, node);
            assert_eq!(
                entries.iter().map(|entry| entry.inclusive).sum::<i64>(),
                graph.inclusive(metric)[node as usize]
            );
        }
        let functions = graph.functions(calls, metric);
        for node in 0..n as u32 {
            let of = functions.iter().filter(|(to, _)| *to == node);
            let own = of.map(|(_, function)| function.inclusive).sum::<i64>();
            let root = if node == 0 { calls.own(metric, NodeId::ROOT) } else { 0 };
            assert_eq!(own + root, graph.own(metric)[node as usize]);
        }
    }
    acyclic(graph);
}

fn acyclic(graph: &SuperGraph) {
    let mut into = vec![0; graph.nodes().len()];
    graph.edges().iter().for_each(|edge| into[edge.to as usize] += 1);
    let mut open: Vec<u32> = (0..into.len() as u32).filter(|&node| into[node as usize] == 0).collect();
    let mut done = 0;
    while let Some(node) = open.pop() {
        done += 1;
        for edge in graph.edges().iter().filter(|edge| edge.from == node) {
            into[edge.to as usize] -= 1;
            if into[edge.to as usize] == 0 {
                open.push(edge.to);
            }
        }
    }
    assert_eq!(done, into.len());
}

fn making(by: By, share: f64) -> Making {
    Making { map: by.into(), filter: Filter { share, back: Vec::new() }, ..Making::default() }
}

/// Super nodes above a call path, itself counted.
fn chain(calls: &Calls, graph: &SuperGraph, node: NodeId) -> Vec<u32> {
    let mut chain = vec![graph.node_of(node).unwrap()];
    for above in calls.tree().ancestors(node) {
        let to = graph.node_of(above).unwrap();
        if chain.last() != Some(&to) {
            chain.push(to);
        }
    }
    chain
}

proptest! {
    // Each case writes a run.
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn call_paths_go_where_they_go_one_by_one(samples in samples(), small in prop_oneof![Just(0.0), 0.0..0.5]) {
        let (_work, calls) = sampled(&samples);
        for by in By::ALL {
            let making = making(by, small);
            let graph = SuperGraph::of(&calls, &making);
            let labels = making.map.labels(calls.frames());
            for (at, (label, copy)) in naive(&calls, &making.map, graph.filtered()).into_iter().enumerate() {
                let node = &graph.nodes()[graph.node_of(NodeId(at as u32)).unwrap() as usize];
                let name = labels.names.get(label as usize).map_or("program", String::as_str);
                prop_assert_eq!((node.label.as_str(), node.copy as usize), (name, copy));
            }
            sound(&calls, &graph);
        }
    }

    #[test]
    fn small_functions_stay_in_their_callers(samples in samples(), share in 0.0..0.6) {
        let (_work, calls) = sampled(&samples);
        let whole = calls.inclusive(0, NodeId::ROOT) as f64;
        let plain = SuperGraph::of(&calls, &making(By::Function, share));
        for row in flat(&calls, 0) {
            let small = share > 0.0 && (row.inclusive as f64) < share * whole;
            prop_assert_eq!(plain.filtered()[row.frame as usize], small);
            let name = &calls.frames()[row.frame as usize].name;
            prop_assert!(!small || plain.nodes().iter().all(|node| node.label != *name));
        }
        let mut back = making(By::Function, share);
        back.filter.back = vec!["f0".to_owned()];
        let graph = SuperGraph::of(&calls, &back);
        let there = calls.frames().iter().any(|frame| frame.name == "f0");
        prop_assert_eq!(graph.nodes().iter().any(|node| node.label == "f0"), there);
        sound(&calls, &graph);
    }

    #[test]
    fn splits_move_only_what_is_split(samples in samples(), by_caller: bool, pick in 1usize..6, only: bool) {
        let (_work, calls) = sampled(&samples);
        let mut graph = SuperGraph::of(&calls, &making(By::Module, 0.0));
        let before = graph.clone();
        prop_assume!(pick < graph.nodes().len());
        let name = graph.nodes()[pick].name();
        let entry = graph.entries(&calls, 0, pick as u32).first().map(|entry| entry.frame);
        let entry = entry.map(|frame| calls.frames()[frame as usize].name.clone());
        let by = if by_caller { SplitBy::Caller } else { SplitBy::Entry(entry.filter(|_| only)) };
        let split = Split { node: name, by };
        prop_assert_eq!(&Split::from_text(&split.to_text()).unwrap(), &split);
        // The call path at which a stretch of the super node begins says which part it is.
        let parts: BTreeMap<NodeId, Option<String>> = all(&calls)
            .filter(|&node| before.node_of(node) == Some(pick as u32))
            .map(|node| {
                let inside = |above: &NodeId| before.node_of(*above) == Some(pick as u32);
                let head = std::iter::once(node).chain(calls.tree().ancestors(node)).take_while(inside).last().unwrap();
                let part = match &split.by {
                    SplitBy::Caller => {
                        let caller = before.node_of(calls.tree().parent(head).unwrap()).unwrap();
                        Some(before.nodes()[caller as usize].name())
                    }
                    SplitBy::Entry(only) => {
                        let name = calls.frame(head).unwrap().name.clone();
                        (only.is_none() || *only == Some(name.clone())).then_some(name)
                    }
                };
                (node, part)
            })
            .collect();
        let several = parts.values().collect::<BTreeSet<_>>().len() > 1;
        prop_assert_eq!(graph.split(&calls, &split), several);
        sound(&calls, &graph);
        for node in all(&calls) {
            let (old, new) = (before.node_of(node).unwrap(), graph.node_of(node).unwrap());
            let part = &graph.nodes()[new as usize];
            match parts.get(&node).filter(|_| several) {
                Some(name) if by_caller => prop_assert_eq!(&part.caller, name),
                Some(name) => prop_assert_eq!(&part.entry, name),
                None => prop_assert_eq!(&before.nodes()[old as usize], part),
            }
        }
    }

    #[test]
    fn folded_and_traced_flows_are_those_of_the_call_paths(samples in samples(), shown: u16, of in 0usize..6) {
        let (_work, calls) = sampled(&samples);
        let graph = SuperGraph::of(&calls, &making(By::Module, 0.0));
        let n = graph.nodes().len();
        let shown: Vec<bool> = (0..n).map(|node| node == 0 || shown >> (node % 16) & 1 == 1).collect();
        let folded = graph.folded(&calls, 0, &shown);
        let (mut own, mut stub) = (vec![0; n], vec![0; n]);
        let mut flow: BTreeMap<(u32, u32), i64> = BTreeMap::new();
        let traced = graph.trace(&calls, 0, of as u32);
        let (mut up, mut down) = (BTreeMap::new(), BTreeMap::new());
        for node in all(&calls) {
            let value = calls.own(0, node);
            let full = chain(&calls, &graph, node);
            let seen: Vec<u32> = full.iter().copied().filter(|&node| shown[node as usize]).collect();
            match seen[0] == full[0] {
                true => own[seen[0] as usize] += value,
                false => stub[seen[0] as usize] += value,
            }
            for pair in seen.windows(2) {
                *flow.entry((pair[1], pair[0])).or_default() += value;
            }
            let at = full.iter().position(|&node| node as usize == of);
            for (step, pair) in full.windows(2).enumerate() {
                let side = at.map(|at| if step < at { &mut down } else { &mut up });
                if let Some(side) = side {
                    *side.entry((pair[1], pair[0])).or_insert(0i64) += value;
                }
            }
        }
        prop_assert_eq!(&folded.own, &own);
        prop_assert_eq!(&folded.folded, &stub);
        let mut through: Vec<i64> = own.iter().zip(&stub).map(|(own, stub)| own + stub).collect();
        for (edge, &value) in folded.edges.iter().zip(&folded.flow) {
            prop_assert_eq!(value, flow[&(edge.from, edge.to)]);
            through[edge.from as usize] += value;
        }
        prop_assert_eq!(&folded.inclusive, &through);
        for (at, edge) in graph.edges().iter().enumerate() {
            let side = |side: &BTreeMap<(u32, u32), i64>| side.get(&(edge.from, edge.to)).copied().unwrap_or(0);
            prop_assert_eq!((traced.upstream[at], traced.downstream[at]), (side(&up), side(&down)));
        }
        let same = graph.folded(&calls, 0, &vec![true; n]);
        let again = graph.trace_folded(&calls, 0, of as u32, &same);
        prop_assert_eq!(again, traced);
    }
}

#[test]
fn rules_come_first_and_name_what_is_wrong() {
    let map = Map::with_rules(By::Module, "^MPI_(\\w+) => mpi $1\n\nlibrary:psm2 => network\n").unwrap();
    assert_eq!(map.label(&Frame::function("MPI_Wait")), "mpi Wait");
    let in_library = Frame { module: "/usr/lib/libpsm2.so.2".to_owned(), ..Frame::function("poll") };
    assert_eq!(map.label(&in_library), "network");
    assert_eq!(map.label(&Frame::function("hypre::solve(std::vector)")), "hypre");
    assert_eq!(map.label(&Frame::function("sort(std::vector)")), "sort(std::vector)");
    let error = Map::with_rules(By::Module, "a => b\nc").unwrap_err();
    assert_eq!(error.to_string(), "rule 2: write PATTERN => LABEL");
    assert_eq!(Map::with_rules(By::Module, "( => b").unwrap_err().rule, 1);
}

#[test]
fn names_with_signs_survive_as_text() {
    let splits = vec![
        Split { node: "a|b \\ c".to_owned(), by: SplitBy::Entry(Some("operator>(int)".to_owned())) },
        Split { node: "x > y".to_owned(), by: SplitBy::Caller },
    ];
    assert_eq!(Split::list_from_text(&Split::list_to_text(&splits)).unwrap(), splits);
    assert_eq!(Split::list_from_text("caller a|wrong").unwrap_err(), "wrong");
}

/// Two libraries that call each other thousands of levels deep: copies end, and the time is still all there.
#[test]
fn deep_callbacks_end_in_their_caller() {
    let (_work, calls) = written(|builder| {
        let metric = builder.metric("time", Unit::Ns, Given::Own);
        builder.metric("samples", Unit::Count, Given::Own);
        let place = builder.place(0, 0);
        let frames = [0, 3].map(|function| builder.frame(made::frame(function)));
        let mut node = 0;
        for level in 0..5000 {
            node = builder.node(node, frames[level % 2]).unwrap();
            builder.add(metric, place, node, 1);
        }
    });
    let graph = SuperGraph::of(&calls, &making(By::Module, 0.0));
    assert_eq!(graph.nodes().len(), 1 + 2 * MOST_COPIES);
    assert!(graph.stayed() > 0);
    sound(&calls, &graph);
}
