//! Profiles that are call graphs: callgrind, gprof, cProfile. Values of functions are exact; call paths are estimated.

use crate::profile;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use crosscut_calls::{Calls, Unit, flat};
use crosscut_import::{Options, Quiet, belong_together, import, import_set};
use crosscut_tree::NodeId;
use profile::{adds_up, beside, check, children, fixture, named, read, read_text, refused, top};
use proptest::prelude::*;

/// Inclusive values by name; a function that calls itself counts once.
fn inclusive(calls: &Calls, name: &str) -> i64 {
    let is_named = |frame: u32| calls.frames()[frame as usize].name == name;
    flat(calls, 0).into_iter().filter(|row| is_named(row.frame)).map(|row| row.inclusive).sum()
}

fn own_of(calls: &Calls, name: &str) -> i64 {
    let is_named = |frame: u32| calls.frames()[frame as usize].name == name;
    flat(calls, 0).into_iter().filter(|row| is_named(row.frame)).map(|row| row.own).sum()
}

fn count(calls: &Calls, name: &str) -> i64 {
    let metric = calls.summary().metrics.iter().position(|metric| metric.name == "calls").unwrap();
    let is_named = |frame: u32| calls.frames()[frame as usize].name == name;
    flat(calls, metric).into_iter().filter(|row| is_named(row.frame)).map(|row| row.own).sum()
}

#[test]
fn callgrind() {
    let (_work, calls) = read(&fixture("cg.out"));
    assert_eq!(calls.inclusive(0, NodeId::ROOT), 114_883_873);
    assert_eq!((calls.summary().frames, calls.summary().places), (284, 1));
    adds_up(&calls);
    let first = [
        ("__cos_fma", 53_604_728),
        ("__sin_fma", 51_324_860),
        ("leaf", 9_798_568),
        ("do_lookup_x", 29_109),
        ("_dl_relocate_object", 25_637),
    ];
    assert_eq!(top(&calls, 5), named(&first));
    for (name, value) in
        [("main", 114_738_674), ("leaf", 114_729_427), ("rec", 80_989_978), ("mid", 33_743_781)]
    {
        assert_eq!(inclusive(&calls, name), value, "{name}");
    }
    assert_eq!(calls.summary().metrics[0].name, "Ir");
    assert!(calls.summary().notes.iter().any(|note| note.contains("estimated")));
    assert!(!calls.summary().notes.iter().any(|note| note.contains("add up to") || note.contains("rare")));
}

#[test]
fn gprof() {
    let (_work, calls) = read(&fixture("gprof.txt"));
    check(&calls, 6, 1, 30_000_000);
    assert_eq!(top(&calls, 2), named(&[("leaf", 20_000_000), ("_init", 10_000_000)]));
    assert_eq!((count(&calls, "leaf"), count(&calls, "mid"), count(&calls, "rec")), (32_800, 200, 25_400));
    assert_eq!(inclusive(&calls, "main"), 20_000_000);
    let roots = children(&calls, NodeId::ROOT);
    assert_eq!(roots, named(&[("main", 20_000_000), ("_init", 10_000_000)]));
}

#[test]
fn cprofile() {
    let (_work, calls) = read(&fixture("small.pstats"));
    assert_eq!(calls.inclusive(0, NodeId::ROOT), 77_249_999);
    adds_up(&calls);
    assert_eq!(top(&calls, 1)[0].0, "leaf");
    assert_eq!((count(&calls, "leaf"), count(&calls, "rec"), count(&calls, "even")), (530, 630, 50));
    assert!(calls.summary().notes.iter().any(|note| note.contains("2 functions call each other")));
    let roots: Vec<String> = children(&calls, NodeId::ROOT).into_iter().map(|(name, _)| name).collect();
    assert!(roots.iter().any(|name| name == "work") && roots.len() <= 2, "{roots:?}");
}

/// Calls that no caller has count, too: of what was running when the profiler began.
#[test]
fn all_calls_count() {
    let all = |calls: &Calls| {
        let metric = calls.summary().metrics.iter().position(|metric| metric.name == "calls").unwrap();
        calls.inclusive(metric, NodeId::ROOT)
    };
    let (_work, calls) = read(&fixture("small.pstats"));
    assert_eq!(all(&calls), 1292);
    // A circle in which no tick of the clock fell, and a function that nobody is known to have called, which calls another.
    let text = "Call graph\n\n\nindex % time    self  children    called     name\n\
                                                 <spontaneous>\n\
        [1]    100.0    0.02    0.00                 main [1]\n\
                        0.00    0.00       5/5           even <cycle 1> [3]\n\
        -----------------------------------------------\n\
        [2]      0.0    0.00    0.00       5+50      <cycle 1 as a whole> [2]\n\
                        0.00    0.00      30             even <cycle 1> [3]\n\
                        0.00    0.00      25             odd <cycle 1> [4]\n\
        -----------------------------------------------\n\
                                          25             odd <cycle 1> [4]\n\
                        0.00    0.00       5/5           main [1]\n\
        [3]      0.0    0.00    0.00      30         even <cycle 1> [3]\n\
                                          25             odd <cycle 1> [4]\n\
        -----------------------------------------------\n\
                                          25             even <cycle 1> [3]\n\
        [4]      0.0    0.00    0.00      25         odd <cycle 1> [4]\n\
                                          25             even <cycle 1> [3]\n\
        -----------------------------------------------\n\
                                                         <spontaneous>\n\
        [5]      0.0    0.00    0.00       7         handler [5]\n\
                        0.00    0.00       4/4           tick [6]\n\
        -----------------------------------------------\n\
                        0.00    0.00       4/4           handler [5]\n\
        [6]      0.0    0.00    0.00       4         tick [6]\n\
        -----------------------------------------------\n\n";
    let (_work, calls) = read_text(text).unwrap();
    assert_eq!((count(&calls, "even"), count(&calls, "odd"), count(&calls, "handler")), (30, 25, 7));
    assert_eq!((all(&calls), calls.inclusive(0, NodeId::ROOT)), (66, 20_000_000));
}

/// `python -m profile` writes the code of the program in place of a name: code is written another way by each version.
#[test]
fn profiles_with_code() {
    for (version, all) in [("2.7", 493), ("3.7", 490), ("3.8", 490), ("3.11", 490), ("3.13", 370)] {
        let (_work, calls) = read(&fixture(&format!("profile-{version}.pstats")));
        assert_eq!(calls.inclusive(1, NodeId::ROOT), all, "{version}");
        assert_eq!((count(&calls, "outer"), count(&calls, "leaf")), (3, 120), "{version}");
        let code = calls.frames().iter().find(|frame| frame.name == "<module>" && frame.file == "profile");
        assert!(code.is_some(), "{version}: {:?}", calls.frames());
    }
}

#[test]
fn cprofile_of_both_pythons() {
    let folder = "public/cct/cprofile-hatchet-pstats/";
    let Some(path) = beside(&format!("{folder}cprofile-cycle.pstats")) else { return };
    let (_work, calls) = read(&path);
    assert_eq!((calls.summary().frames, calls.summary().places), (9, 1));
    assert_eq!((calls.inclusive(0, NodeId::ROOT) + 500) / 1000, 23_045_403);
    let micro = |(name, value): (String, i64)| (name, (value + 500) / 1000);
    let first: Vec<(String, i64)> = top(&calls, 3).into_iter().map(micro).collect();
    assert_eq!(first, named(&[("recursive", 22_738_800), ("g", 257_369), ("f", 48_894)]));
    let Some(path) = beside(&format!("{folder}cprofile-cycle-py2.pstats")) else { return };
    let (_work, calls) = read(&path);
    assert_eq!((calls.summary().frames, calls.summary().places), (9, 1));
    assert_eq!((calls.inclusive(0, NodeId::ROOT) + 500) / 1000, 2_361_709);
    let first: Vec<(String, i64)> = top(&calls, 3).into_iter().map(micro).collect();
    assert_eq!(first, named(&[("recursive", 2_297_906), ("f", 33_695), ("g", 23_394)]));
}

const HEAD: &str = "# callgrind format\ncreator: callgrind-3.19.0\npositions: line\nevents: Ir Dr\n";

/// Every kind of line, with numbers counted by hand.
#[test]
fn lines_of_callgrind() {
    let text = format!(
        "{HEAD}\
         ob=(1) /bin/prog\nfl=(1) main.c\nfn=(1) main\n10 5 1\n+2 7\n\
         cfi=(2) solve.c\ncfn=(2) solve\ncalls=3 20\n* 30 3\n\
         jump=4 +8\n+1\n13 2 1\n\
         fl=(2)\nfn=(2)\n0x14 10 1\nfi=(3) inline.h\n-4 20 2\nfe=(2)\n\
         totals: 44 5\n"
    );
    let (_work, calls) = read_text(&text).unwrap();
    check(&calls, 2, 1, 44);
    assert_eq!(calls.inclusive(1, NodeId::ROOT), 5);
    assert_eq!(children(&calls, NodeId::ROOT), named(&[("main", 44)]));
    assert_eq!(children(&calls, NodeId(1)), named(&[("solve", 30)]));
    assert_eq!(count(&calls, "solve"), 3);
    let solve = calls.frame(NodeId(2)).unwrap();
    assert_eq!((solve.module.as_str(), solve.file.as_str()), ("/bin/prog", "solve.c"));
    assert!(!calls.summary().notes.iter().any(|note| note.contains("but it says")));
    let (_work, calls) = read_text(&text.replace("totals: 44 5", "totals: 45 5")).unwrap();
    assert!(calls.summary().notes.iter().any(|note| note.contains("add up to 44 5, but it says 45 5")));
}

/// Parts of one thread are added; threads are places.
#[test]
fn parts_and_threads_of_callgrind() {
    let part = |part: u32, thread: u32, cost: u32| {
        format!("pid: 9\npart: {part}\nthread: {thread}\nevents: Ir\nfn=(1) main\n1 {cost}\n")
    };
    let text = format!("# callgrind format\n{}{}{}", part(1, 1, 5), part(2, 1, 7), part(1, 2, 100));
    let (_work, calls) = read_text(&text).unwrap();
    check(&calls, 1, 2, 112);
    assert_eq!(calls.at_places(0, 0..2), [12, 100]);
}

/// A file of callgrind of one thread and part, as `--separate-threads=yes` and `--dump-every-bb` leave them.
fn part_of(part: u32, thread: u32, cost: u32) -> String {
    format!(
        "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 9\ncmd: ./prog 2\npart: {part}\n\
         thread: {thread}\n\npositions: line\nevents: Ir\nsummary: {cost}\n\nfn=(1) main\n1 {cost}\ntotals: {cost}\n"
    )
}

/// Files of the threads and parts of one program are one run, whatever they are called: alone, by name, or by their folder.
#[test]
fn files_of_threads_and_parts_of_callgrind() {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("out");
    std::fs::create_dir(&folder).unwrap();
    let file = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).unwrap();
        folder.join(name)
    };
    let base = file("prog.out", "");
    let threads = [file("prog.out-01", &part_of(3, 1, 5)), file("prog.out-02", &part_of(1, 2, 100))];
    let earlier = [file("prog.out.1-01", &part_of(1, 1, 4)), file("prog.out.2-01", &part_of(2, 1, 3))];
    let all = [&base, &threads[0], &threads[1], &earlier[0], &earlier[1]].map(|path| path.as_path());
    assert!(belong_together(&all, None).unwrap());
    let target = |name: &str| work.path().join(name);
    let read_set = |paths: &[&Path], name: &str| {
        let run = import_set(paths, &target(name), &Options::default(), &Quiet).unwrap();
        Calls::open(Arc::new(run)).unwrap()
    };
    for calls in [read_set(&all, "files.crosscut"), read_set(&[folder.as_path()], "folder.crosscut")] {
        check(&calls, 1, 2, 112);
        assert_eq!(calls.at_places(0, 0..2), [12, 100]);
        assert_eq!(calls.run().manifest().partial, None);
        assert!(!calls.summary().notes.iter().any(|note| note.contains("not in it")));
    }
    // The empty file says where the threads are, a part that it is one.
    let error =
        import(&base, &target("empty.crosscut"), &Options::default(), &Quiet).unwrap_err().to_string();
    assert!(error.contains("the file is empty; its threads are in prog.out-01"), "{error}");
    let calls = read_set(&[threads[0].as_path()], "part.crosscut");
    let note = calls.summary().notes.iter().find(|note| note.contains("not in it")).unwrap();
    assert!(note.contains("up to part 3") && note.contains("parts 1, 2 are not in it"), "{note}");
    // Another program is another run.
    let other = file("other.out", &part_of(1, 1, 3).replace("pid: 9", "pid: 10"));
    assert!(!belong_together(&[&threads[0], &other], None).unwrap());
}

/// Who writes what all lines add up to has it at the end: where that is missing, or is another number, the run is partial.
#[test]
fn callgrind_that_is_cut_short() {
    let partial = |text: &str| {
        let (_work, calls) = read_text(text).unwrap();
        calls.run().manifest().partial.clone().unwrap_or_default()
    };
    let whole = format!("{}{}", part_of(1, 1, 5), part_of(1, 2, 100));
    assert_eq!(partial(&whole), "");
    let missing = "the line `totals:` at its end is missing";
    assert!(partial(whole.strip_suffix("totals: 100\n").unwrap()).contains(missing));
    // Also in the middle: what follows may be of another file.
    assert!(partial(&whole.replacen("totals: 5\n", "", 1)).contains(missing));
    assert!(partial(&whole.replace("totals: 100", "totals: 101")).contains("add up to 100, but it says 101"));
    let xdebug = "version: 1\ncreator: xdebug 3.2.0\nevents: Time_(10ns)\n\nfl=(1) a.php\nfn=(1) main\n1 7\n";
    assert!(partial(xdebug).contains("the line `summary:` at its end is missing"));
    // It measures that once more: a little else.
    assert_eq!(partial(&format!("{xdebug}\nsummary: 8\n")), "");
    let cachegrind = "desc: I1 cache: 32768 B\ncmd: ./prog\nevents: Ir I1mr\nfl=a.c\nfn=main\n1 7 1\n";
    assert!(partial(cachegrind).contains("the line `summary:` at its end is missing"));
    assert_eq!(partial(&format!("{cachegrind}summary: 7 1\n")), "");
    assert!(partial(&format!("{cachegrind}summary: 9 1\n")).contains("add up to 7 1, but it says 9 1"));
    // Nobody else says it.
    assert_eq!(partial(&xdebug.replace("xdebug", "yappi")), "");
}

/// Times are times, wherever the file says so. A file without any calls has nothing to be said of them.
#[test]
fn units_of_callgrind() {
    let text = "version: 1\nevent: sysTime : sysTime (elapsed ns)\nevent: usphit :microseconds/hit\n\
                events: Ir sysTime microseconds usphit cpu(ms)\nfn=main\n1 1 2 3 4 5\n";
    let (_work, calls) = read_text(text).unwrap();
    let metrics: Vec<(&str, Unit, i64)> = calls.summary().metrics[..5]
        .iter()
        .enumerate()
        .map(|(at, metric)| (metric.name.as_str(), metric.unit, calls.inclusive(at, NodeId::ROOT)))
        .collect();
    let expected = [
        ("Ir", Unit::Count, 1),
        ("sysTime", Unit::Ns, 2),
        ("time", Unit::Ns, 3_000),
        ("usphit", Unit::Count, 4),
        ("cpu", Unit::Ns, 5_000_000),
    ];
    assert_eq!(metrics, expected);
    assert!(calls.summary().notes.is_empty(), "{:?}", calls.summary().notes);
}

/// Functions in a circle: the one that is entered stands above the others, and nothing counts twice.
#[test]
fn circles_of_callgrind() {
    let text = format!(
        "{HEAD}fn=(1) main\n1 1\ncfn=(2) even\ncalls=1 1\n1 60\n\
         fn=(2) even\n1 20\ncfn=(3) odd\ncalls=9 1\n1 400\n\
         fn=(3) odd\n1 30\ncfn=(2)\ncalls=8 1\n1 390\ncfn=(4) leaf\ncalls=2 1\n1 10\n\
         fn=(4) leaf\n1 10\n"
    );
    let (_work, calls) = read_text(&text).unwrap();
    check(&calls, 4, 1, 61);
    assert_eq!(children(&calls, NodeId(1)), named(&[("even", 60)]));
    assert_eq!(children(&calls, NodeId(2)), named(&[("odd", 40)]));
    assert_eq!(children(&calls, NodeId(3)), named(&[("leaf", 10)]));
    assert_eq!((count(&calls, "even"), count(&calls, "odd"), count(&calls, "leaf")), (9, 9, 2));
}

/// A program that imports a module: the interpreter's `exec` runs both, so that all stand in one circle. It begins where time
/// enters, not where most was spent, and each function stands below the one that brings it most.
#[test]
fn a_circle_begins_where_time_enters() {
    let text = format!(
        "{HEAD}fn=(1) load\n1 40\ncfn=(2) exec\ncalls=1 1\n1 12\n\
         fn=(2)\n1 2\ncfn=(3) program\ncalls=1 1\n1 1000\ncfn=(4) module\ncalls=1 1\n1 10\n\
         fn=(3)\n1 3\ncfn=(5) main\ncalls=1 1\n1 997\n\
         fn=(4)\n1 10\n\
         fn=(5)\n1 5\ncfn=(1)\ncalls=1 1\n1 52\ncfn=(6) work\ncalls=7 1\n1 940\n\
         fn=(6)\n1 940\n"
    );
    let (_work, calls) = read_text(&text).unwrap();
    check(&calls, 6, 1, 1000);
    let (mut path, mut node) = (Vec::new(), NodeId::ROOT);
    while let Some(child) = calls.tree().children(node).max_by_key(|&child| calls.inclusive(0, child)) {
        path.push((calls.frame(child).unwrap().name.as_str(), calls.inclusive(0, child)));
        node = child;
    }
    assert_eq!(path, [("exec", 1000), ("program", 988), ("main", 985), ("work", 940)]);
}

/// More call paths than anybody wants to see: the small ones stand together, and nothing is lost.
#[test]
fn a_graph_of_millions_of_paths() {
    let (layers, own) = (12, 400_000_000i64);
    let inclusive = |layer: i64| own * (layers - layer + 1);
    let mut text = format!("{HEAD}fn=main\n1 5\n");
    for layer in 0..=layers {
        for function in 0..4 {
            if layer > 0 {
                writeln!(text, "fn=f{layer}.{function}\n1 {own}").unwrap();
            }
            for called in (0..4).filter(|_| layer < layers) {
                let cost = inclusive(layer + 1) / if layer > 0 { 4 } else { 1 };
                writeln!(text, "cfn=f{}.{called}\ncalls=1 1\n1 {cost}", layer + 1).unwrap();
            }
            if layer == 0 {
                break;
            }
        }
    }
    let (_work, calls) = read_text(&text).unwrap();
    adds_up(&calls);
    assert_eq!(calls.inclusive(0, NodeId::ROOT), 5 + 4 * inclusive(1));
    let first: Vec<i64> = children(&calls, NodeId(1)).into_iter().map(|(_, value)| value).collect();
    assert_eq!(first, [inclusive(1); 4]);
    assert!((100_000..300_000).contains(&calls.summary().nodes), "{}", calls.summary().nodes);
    let note = calls.summary().notes.iter().find(|note| note.contains("too many and too small")).unwrap();
    let rare = own_of(&calls, "(rare call paths)");
    let said = format!("{:.2} %", rare as f64 * 100.0 / (5 + 4 * inclusive(1)) as f64);
    assert!(rare > 0 && note.starts_with(&said), "{note}: {said}");
}

#[test]
fn what_is_wrong_with_graphs() {
    let wrong: [(&str, &str); 9] = [
        ("fn=(1) main\n1 2 3 4\n", "more costs than there are events"),
        ("fn=(1) main\n1 x\n", "no cost: x"),
        ("fn=(1) main\nx 1\n", "a line that is none of callgrind's"),
        ("1 2\n", "a function that is not named"),
        ("fn=(1)\n1 2\n", "nothing is named (1)"),
        ("fn=(1) main\ncalls=1 2\n", "`cfn=` is missing"),
        ("fn=(1) main\ncfn=(2) f\ncalls=1 2\n", "ends before the cost of a call"),
        ("fn=(1) main\n1 -5\n", "a cost below zero"),
        ("fn=(1) main\n1 9223372036854775807\n1 9223372036854775807\n", "too large to be added up"),
    ];
    for (lines, expected) in wrong {
        let what = refused(format!("{HEAD}{lines}").as_bytes());
        assert!(what.starts_with("byte ") && what.contains(expected), "{what}");
    }
    let text = std::fs::read_to_string(fixture("gprof.txt")).unwrap();
    let what = refused(text.replace("32800         leaf", "3280O         leaf").as_bytes());
    assert!(what.contains("byte ") || what.contains("call graph"), "{what}");
    let cut = &text[..=text.find("\n-----").unwrap()];
    assert!(refused(cut.as_bytes()).contains("within the call graph"));
    let bytes = std::fs::read(fixture("small.pstats")).unwrap();
    assert!(refused(&bytes[..bytes.len() - 5]).contains("the file ends"));
    assert!(refused(&[&bytes[..], b"x"].concat()).contains("something follows"));
}

/// A call of the tree that a program made: its function, where it was called from, what it took itself.
type Made = Vec<(usize, usize, i64)>;

/// Random call trees without recursion: functions call only those with higher numbers.
fn trees() -> impl Strategy<Value = Made> {
    prop::collection::vec((any::<prop::sample::Index>(), 1usize..4, 0i64..1000), 1..60).prop_map(|drawn| {
        let mut made: Made = vec![(0, 0, 1)];
        for (parent, up, own) in drawn {
            let parent = parent.index(made.len());
            made.push((made[parent].0 + up, parent, own));
        }
        made
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Of a graph that was made of a tree: own values, inclusive values and what each caller brought come back exactly.
    #[test]
    fn a_graph_gives_back_what_it_was_made_of(made in trees()) {
        let mut whole: Vec<i64> = made.iter().map(|call| call.2).collect();
        for at in (1..made.len()).rev() {
            let value = whole[at];
            whole[made[at].1] += value;
        }
        let (mut own, mut all) = (BTreeMap::new(), BTreeMap::new());
        let mut edges: BTreeMap<(usize, usize), (i64, i64)> = BTreeMap::new();
        for (at, &(function, parent, value)) in made.iter().enumerate() {
            *own.entry(function).or_insert(0) += value;
            *all.entry(function).or_insert(0) += whole[at];
            if at > 0 {
                let edge = edges.entry((made[parent].0, function)).or_insert((0, 0));
                *edge = (edge.0 + 1, edge.1 + whole[at]);
            }
        }
        let mut text = HEAD.to_owned();
        for (function, value) in &own {
            writeln!(text, "fn=f{function}\n1 {value} 1").unwrap();
            for ((_, to), (count, cost)) in edges.range((*function, 0)..(*function + 1, 0)) {
                writeln!(text, "cfn=f{to}\ncalls={count} 1\n1 {cost}").unwrap();
            }
        }
        let (_work, calls) = read_text(&text).unwrap();
        adds_up(&calls);
        prop_assert_eq!(calls.inclusive(0, NodeId::ROOT), whole[0]);
        let rows = flat(&calls, 0);
        for (function, value) in &own {
            let name = format!("f{function}");
            let row = rows.iter().find(|row| calls.frames()[row.frame as usize].name == name);
            prop_assert_eq!(row.map_or(0, |row| row.own), *value);
            prop_assert_eq!(row.map_or(0, |row| row.inclusive), all[function]);
        }
        let mut found: BTreeMap<(String, String), i64> = BTreeMap::new();
        for at in 1..calls.node_count() {
            let node = NodeId(at as u32);
            let name = |node| calls.frame(node).map(|frame| frame.name.clone()).unwrap_or_default();
            let parent = calls.tree().parent(node).map(name).unwrap_or_default();
            *found.entry((parent, name(node))).or_insert(0) += calls.inclusive(0, node);
        }
        for ((from, to), (_, cost)) in &edges {
            prop_assert_eq!(found.get(&(format!("f{from}"), format!("f{to}"))).copied().unwrap_or(0), *cost);
        }
    }

    /// Whatever the calls say, in circles and out of proportion: what was spent in functions is never lost or doubled.
    #[test]
    fn any_graph_keeps_its_own_values(
        own in prop::collection::vec(0i64..100, 6),
        edges in prop::collection::vec((0usize..6, 0usize..6, 1i64..5, 0i64..300), 0..20),
    ) {
        prop_assume!(own.iter().any(|&value| value > 0));
        let mut text = HEAD.to_owned();
        for (function, value) in own.iter().enumerate() {
            writeln!(text, "fn=f{function}\n1 {value}").unwrap();
            for (_, to, count, cost) in edges.iter().filter(|edge| edge.0 == function) {
                writeln!(text, "cfn=f{to}\ncalls={count} 1\n1 {cost}").unwrap();
            }
        }
        let (_work, calls) = read_text(&text).unwrap();
        adds_up(&calls);
        let rows = flat(&calls, 0);
        for (function, &value) in own.iter().enumerate() {
            let name = format!("f{function}");
            let found: i64 = rows.iter().filter(|row| calls.frames()[row.frame as usize].name == name).map(|row| row.own).sum();
            prop_assert_eq!(found, value, "{}", name);
        }
    }
}

/// A circle of as many functions as there are callers of it, each of which comes once around: a thousand million steps, if all of
/// the circle were gone through for each.
#[test]
fn large_circles_that_are_entered_often() {
    const MANY: usize = 30_000;
    let mut text = HEAD.to_owned();
    for number in 0..MANY {
        // The circle; what is spent in it is spent where it is entered.
        let own = if number == 0 { MANY } else { 0 };
        let next = (number + 1) % MANY;
        writeln!(text, "fn=(c{number}) c{number}\n1 {own} 0\ncfn=(c{next}) c{next}\ncalls=1 1\n1 {MANY} 0")
            .unwrap();
        writeln!(text, "fn=(f{number}) f{number}\n1 1 0\ncfn=(c0) c0\ncalls=1 1\n1 1 0").unwrap();
    }
    let (_work, calls) = read_text(&text).unwrap();
    assert_eq!(calls.inclusive(0, NodeId::ROOT), 2 * MANY as i64);
    assert!(
        calls.summary().notes.iter().any(|note| note.contains("(rare call paths)")),
        "{:?}",
        calls.summary().notes
    );
}

/// All functions of a circle lead out of it: which of them do is known once, and not looked for at each.
#[test]
fn large_circles_that_are_left_everywhere() {
    const MANY: usize = 50_000;
    let mut text = HEAD.to_owned();
    for number in 0..MANY {
        let next = (number + 1) % MANY;
        writeln!(text, "fn=(c{number}) c{number}\n1 1 0\ncfn=(c{next}) c{next}\ncalls=1 1\n1 {MANY} 0")
            .unwrap();
        writeln!(text, "cfn=(f{number}) f{number}\ncalls=1 1\n1 1 0\nfn=(f{number}) f{number}\n1 1 0")
            .unwrap();
    }
    let (_work, calls) = read_text(&text).unwrap();
    assert_eq!(calls.inclusive(0, NodeId::ROOT), 2 * MANY as i64);
    assert_eq!(calls.summary().nodes, 2 * MANY as u64);
}
