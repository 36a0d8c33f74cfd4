//! Call profiles: totals that are known, for every file; values of all nodes add up to those of the roots.

use crate::profile;

use std::path::Path;
use std::sync::Arc;

use crosscut_calls::{Calls, Kind, flat};
use crosscut_import::{Options, Quiet, import};
use crosscut_tree::NodeId;

use profile::{beside, check, fixture, named, read, top};

#[test]
fn caliper_records() {
    let (_work, calls) = read(&fixture("a.cali"));
    // Nanoseconds: the file has digits below a microsecond.
    check(&calls, 4, 1, 140_740_992);
    assert_eq!(top(&calls, 3), named(&[("leaf", 140_178_100), ("(outside)", 315_599), ("mid", 247_293)]));
    assert_eq!(calls.summary().metrics[0].name, "time");
}

#[test]
fn caliper_json() {
    let (_work, calls) = read(&fixture("a.json"));
    check(&calls, 4, 1, 140_782_000);
    assert_eq!(top(&calls, 3), named(&[("leaf", 140_258_000), ("(outside)", 284_000), ("mid", 240_000)]));
}

#[test]
fn folded_stacks() {
    let (_work, calls) = read(&fixture("pyspy.folded"));
    check(&calls, 4, 1, 75);
    assert_eq!(top(&calls, 2), named(&[("f.<locals>.<genexpr>", 44), ("f", 31)]));
    assert_eq!(calls.frame(NodeId(1)).map(|frame| frame.line), Some(6));
}

/// Two columns: of the run before and of the one after. A name that ends in a number is no column where others have none.
#[test]
fn folded_stacks_of_two_runs() {
    let (_work, calls) = profile::read_text("main;f 3 5\nmain;g 4 0\n").unwrap();
    check(&calls, 3, 1, 5);
    assert_eq!(calls.inclusive(1, NodeId::ROOT), 7);
    let (_work, calls) = profile::read_text("main;f 3 5\nmain;g 4\n").unwrap();
    check(&calls, 3, 1, 9);
    assert_eq!(top(&calls, 1), named(&[("f 3", 5)]));
}

#[test]
fn perf_script() {
    let (_work, calls) = read(&fixture("perf.script"));
    assert_eq!(calls.inclusive(0, NodeId::ROOT), 120 * 1_001_001);
    let main = flat(&calls, 0).into_iter().find(|row| calls.frames()[row.frame as usize].name == "main");
    assert!(main.is_some_and(|main| main.own == 0 && main.inclusive > 0));
}

/// Without `-g`: the only frame of a sample stands in its line. Names of programs may have blanks.
#[test]
fn perf_script_without_stacks() {
    let text = "\
        my prog 12/13 [001] 10.000001:     250000 cpu-clock:u:      55d0c0de1139 dot+0x9 (/bin/my prog)\n\
        my prog 12/13 [001] 10.000251:     250000 cpu-clock:u:      55d0c0de1200 _ZN2ns3addEi+0x1 (/bin/my prog)\n\
        my prog 12/12 [000] 10.000300:     250000 cpu-clock:u:  ffffffff81000000 [unknown] ([kernel.kallsyms])\n";
    let (_work, calls) = profile::read_text(text).unwrap();
    check(&calls, 3, 2, 750_000);
    assert_eq!(top(&calls, 3), named(&[("dot", 250_000), ("ns::add", 250_000), ("[unknown]", 250_000)]));
    assert_eq!(calls.frames()[0].module, "/bin/my prog");
}

#[test]
fn perf_script_whole() {
    let Some(path) = beside("made/profiles/perf.script") else { return };
    let (_work, calls) = read(&path);
    check(&calls, 34, 1, 1_435_435_434);
    let names = [
        ("__sin_fma", 872_872_872),
        ("__cos_fma", 500_500_500),
        ("leaf", 51_051_051),
        ("sin@plt", 4_004_004),
    ];
    assert_eq!(top(&calls, 4), named(&names));
}

#[test]
fn caliper_example() {
    let Some(path) = beside("public/cct/caliper-example-cali/example-profile.cali") else { return };
    let (_work, calls) = read(&path);
    let summary = calls.summary();
    assert_eq!((summary.nodes, summary.places), (25, 1), "{summary:?}");
    assert_eq!((calls.inclusive(0, NodeId::ROOT) + 500) / 1000, 303_039);
    let first: Vec<(String, i64)> =
        top(&calls, 2).into_iter().map(|(name, own)| (name, (own + 500) / 1000)).collect();
    assert_eq!(
        first,
        named(&[("CalcFBHourglassForceForElems", 66_653), ("CalcHourglassControlForElems", 54_400)])
    );
}

#[test]
fn caliper_of_eight_ranks() {
    let Some(path) = beside("public/cct/caliper-lulesh-json/lulesh-annotation-profile.json") else { return };
    let (_work, calls) = read(&path);
    check(&calls, 25, 8, 47_247_337_000);
    let outside =
        flat(&calls, 0).into_iter().find(|row| calls.frames()[row.frame as usize].kind == Kind::Outside);
    assert_eq!(outside.map(|row| row.own), Some(128_125_000));
    assert_eq!(top(&calls, 1), named(&[("CalcFBHourglassForceForElems", 9_578_883_000)]));
}

#[test]
fn caliper_samples_of_call_paths() {
    let Some(path) = beside("public/cct/caliper-cpi-json/cpi-callpath-profile.json") else { return };
    let (_work, calls) = read(&path);
    let metric = calls.summary().metrics.iter().position(|metric| metric.name.contains("time")).unwrap();
    assert_eq!((calls.summary().nodes, calls.summary().places), (85, 4));
    assert_eq!(calls.inclusive(metric, NodeId::ROOT), 2_299_906_000);
}

#[test]
fn tau() {
    let Some(path) = beside("public/cct/tau-cpi-mpi") else { return };
    let (_work, calls) = read(&path);
    check(&calls, 12, 4, 214_047_000);
    let names =
        [("MPI_File_open()", 108_474_000), ("MPI_Init()", 78_474_000), ("MPI_Finalize()", 19_161_000)];
    assert_eq!(top(&calls, 3), named(&names));
}

#[test]
fn pyinstrument() {
    let Some(path) = beside("public/cct/pyinstrument-hatchet-json/pyinstrument-hatchet-profile.json") else {
        return;
    };
    let (_work, calls) = read(&path);
    assert_eq!((calls.summary().nodes, calls.summary().places), (111, 1));
    assert_eq!((calls.inclusive(0, NodeId::ROOT) + 500) / 1000, 478_150);
}

#[test]
fn timemory() {
    let Some(path) = beside("public/cct/timemory/wall.tree.json") else { return };
    let (_work, calls) = read(&path);
    assert_eq!((calls.summary().nodes, calls.summary().places), (14, 2));
    assert_eq!((calls.inclusive(0, NodeId::ROOT) + 500) / 1000, 113_816_802);
}

#[test]
fn small_ones() {
    let (_work, calls) = read(&fixture("pyinstrument.json"));
    check(&calls, 4, 1, 500_000_000);
    // What a frame did itself is no frame.
    assert_eq!(top(&calls, 2), named(&[("dot", 250_000_000), ("solve", 150_000_000)]));
    let (_work, calls) = read(&fixture("timemory.json"));
    check(&calls, 2, 2, 2_000_000_000);
    assert_eq!(calls.at_places(0, 0..3), [1_750_000_000, 250_000_000]);
    let (_work, calls) = read(&fixture("tau"));
    check(&calls, 3, 2, 2_001_000);
    assert_eq!(top(&calls, 1), named(&[("solve()", 1_400_000)]));
}

/// Cut anywhere, or with one byte changed, a profile is refused with its place, or read; it never panics.
#[test]
fn harmed_profiles_are_refused_or_read() {
    let work = tempfile::tempdir().unwrap();
    for name in [
        "a.cali",
        "a.json",
        "pyspy.folded",
        "pyinstrument.json",
        "timemory.json",
        "tau/profile.1.0.0",
        "gprof.txt",
        "small.pstats",
        "speedscope.json",
        "chrome.json",
        "firefox.json",
        "samply.json",
        "gecko.json",
        "hatchet.literal",
        "hatchet.json",
    ] {
        let sound = std::fs::read(fixture(name)).unwrap();
        let file = work.path().join(Path::new(name).file_name().unwrap());
        let harmed = |bytes: &[u8]| {
            std::fs::write(&file, bytes).unwrap();
            let target = work.path().join("harmed.crosscut");
            let _ = std::fs::remove_dir_all(&target);
            if let Ok(run) = import(&file, &target, &Options::default(), &Quiet)
                && Calls::is_in(&run)
            {
                Calls::open(Arc::new(run)).unwrap().sound().unwrap();
            }
        };
        for end in (0..sound.len()).step_by((sound.len() / 24).max(37)) {
            harmed(&sound[..end]);
        }
        for at in (0..sound.len()).step_by((sound.len() / 48).max(11) | 1) {
            let mut spoiled = sound.clone();
            spoiled[at] ^= 1 << (at % 8);
            harmed(&spoiled);
        }
    }
}
