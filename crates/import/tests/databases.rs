//! Databases of HPCToolkit and profiles of Score-P: totals that are known; values of all nodes add up to those of the roots.

use crate::harmed;
use crate::profile;

use std::collections::BTreeMap;
use std::path::Path;

use crosscut_calls::{Calls, Kind};
use crosscut_import::{Options, Quiet, import};
use crosscut_tree::NodeId;
use harmed::{harm, harm_part};
use profile::{adds_up, beside, check, fixture, named, read, read_bytes};

/// Own values by the names of functions, whatever lines they were spent in; the largest first.
fn by_function(calls: &Calls, count: usize) -> Vec<(String, i64)> {
    let mut sums: BTreeMap<&str, i64> = BTreeMap::new();
    for node in (1..calls.node_count() as u32).map(NodeId) {
        *sums.entry(&calls.frame(node).unwrap().name).or_default() += calls.own(0, node);
    }
    let mut list: Vec<(String, i64)> =
        sums.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    list.sort_by_key(|(_, value)| -value);
    list.truncate(count);
    list
}

/// Nodes of a kind.
fn of_kind(calls: &Calls, kind: Kind) -> usize {
    let nodes = (1..calls.node_count() as u32).map(NodeId);
    nodes.filter(|&node| calls.frame(node).is_some_and(|frame| frame.kind == kind)).count()
}

#[test]
fn three_of_four_ranks() {
    let Some(path) = beside("public/cct/hpctoolkit-cpi-database") else { return };
    let (_work, calls) = read(&path);
    check(&calls, 34, 4, 3_998_242_000);
    assert_eq!((of_kind(&calls, Kind::Function), of_kind(&calls, Kind::Line)), (26, 8));
    let top = by_function(&calls, 2);
    assert_eq!(top, named(&[("<unknown procedure>", 3_962_262_000), ("__GI_sched_yield", 35_980_000)]));
}

#[test]
fn three_of_ten_ranks_with_two_threads() {
    let Some(path) = beside("public/cct/hpctoolkit-allgather-database") else { return };
    let (_work, calls) = read(&path);
    check(&calls, 1474, 20, 26_158_368_000);
    let kinds = [Kind::Function, Kind::Loop, Kind::Line].map(|kind| of_kind(&calls, kind));
    assert_eq!(kinds, [905, 7, 562]);
    assert_eq!(calls.tree().children(NodeId::ROOT).count(), 3);
    let top = by_function(&calls, 5);
    let values: Vec<i64> = top.iter().map(|(_, value)| value / 1000).collect();
    assert_eq!(values, [8_462_784, 4_127_545, 1_543_427, 1_085_948, 873_768], "{top:?}");
    // The file itself, and the folder, are the same.
    let (_work, again) = read(&path.join("experiment.xml"));
    check(&again, 1474, 20, 26_158_368_000);
}

#[test]
fn four() {
    let Some(path) = beside("public/cct/hpctoolkit-cpi-v4-database") else { return };
    let (_work, calls) = read(&path);
    let summary = calls.summary();
    assert_eq!((summary.nodes, summary.places, summary.used_places), (205, 16, 8), "{summary:?}");
    let kinds = [Kind::Entry, Kind::Function, Kind::Loop, Kind::Line, Kind::Instruction];
    assert_eq!(kinds.map(|kind| of_kind(&calls, kind)), [2, 71, 29, 74, 29]);
    let micro = |value: i64| (value + 500) / 1000;
    assert_eq!(micro(calls.inclusive(0, NodeId::ROOT)), 325_975);
    let roots: Vec<i64> =
        calls.tree().children(NodeId::ROOT).map(|root| micro(calls.inclusive(0, root))).collect();
    assert_eq!(roots, [44_155, 281_820]);
    adds_up(&calls);
}

#[test]
fn score_p() {
    let Some(path) = beside("public/cct/scorep-cpi-cubex/profile.cubex") else { return };
    let (_work, calls) = read(&path);
    let summary = calls.summary();
    assert_eq!((summary.nodes, summary.places), (11, 4), "{summary:?}");
    assert_eq!(summary.metrics[0].name, "time");
    assert_eq!((calls.inclusive(0, NodeId::ROOT) + 500) / 1000, 20_222_508);
    let top: Vec<(String, i64)> =
        by_function(&calls, 5).into_iter().map(|(name, value)| (name, (value + 500) / 1000)).collect();
    let known = [
        ("MPI_Bcast", 8_665_663),
        ("MPI_Reduce", 8_009_222),
        ("MPI_Init", 2_026_071),
        ("iteration", 1_480_530),
        ("MPI_Finalize", 17_531),
    ];
    assert_eq!(top, named(&known));
    let visits = summary.metrics.iter().position(|metric| metric.name == "visits").unwrap();
    assert_eq!(calls.inclusive(visits, NodeId::ROOT), 1_200_973);
    adds_up(&calls);
}

/// What a node spent itself at one place, and what its frame spent in its own statements but not directly below it, which some
/// readers count a second time.
fn at_first_place(calls: &Calls) -> (Vec<i64>, Vec<i64>) {
    let own: Vec<i64> = calls.by_place(0).unwrap().place(0).to_vec();
    let mut twice = own.clone();
    let tree = calls.tree();
    let kind = |node: NodeId| calls.frame(node).map(|frame| frame.kind);
    for node in (1..calls.node_count() as u32).map(NodeId).filter(|&node| kind(node) == Some(Kind::Line)) {
        let mut above = tree.parent(node).unwrap();
        if kind(above) == Some(Kind::Loop) {
            while kind(above) == Some(Kind::Loop) {
                above = tree.parent(above).unwrap();
            }
            twice[above.index()] += own[node.index()];
        }
    }
    (own, twice)
}

/// Kept nodes, outliers and surrogates, counted the slow way: values that are not zero and lie 1.5 times the middle half beyond it
/// are outliers; they and what they are in are kept; what else a kept node has below it is one surrogate.
fn pruned(calls: &Calls, values: &[i64]) -> (usize, usize, usize) {
    let mut sorted: Vec<f64> =
        values.iter().filter(|value| **value != 0).map(|&value| value as f64).collect();
    sorted.sort_by(f64::total_cmp);
    let quartile = |part: f64| {
        let at = part * (sorted.len() - 1) as f64;
        let (low, rest) = (at.floor() as usize, at.fract());
        sorted[low] + rest * (sorted[(low + 1).min(sorted.len() - 1)] - sorted[low])
    };
    let (q1, q3) = (quartile(0.25), quartile(0.75));
    let (low, high) = (q1 - 1.5 * (q3 - q1), q3 + 1.5 * (q3 - q1));
    let is_outlier = |value: i64| value != 0 && (value as f64 >= high || value as f64 <= low);
    let tree = calls.tree();
    let mut kept = vec![false; values.len()];
    for node in (1..values.len() as u32).map(NodeId).filter(|node| is_outlier(values[node.index()])) {
        let mut next = Some(node);
        while let Some(node) = next {
            kept[node.index()] = true;
            next = tree.parent(node);
        }
    }
    let has_hidden =
        |node: NodeId| kept[node.index()] && tree.children(node).any(|child| !kept[child.index()]);
    let surrogates = (0..values.len() as u32).map(NodeId).filter(|&node| has_hidden(node)).count();
    let outliers = values.iter().filter(|value| is_outlier(**value)).count();
    (kept.iter().skip(1).filter(|kept| **kept).count(), outliers, surrogates)
}

#[test]
fn pruning_of_the_allgather_profile() {
    let Some(path) = beside("public/cct/hpctoolkit-allgather-database") else { return };
    let (_work, calls) = read(&path);
    let (exact, twice) = at_first_place(&calls);
    // With exact values, one of the surrogates below the added root.
    assert_eq!(pruned(&calls, &exact), (107, 20, 38));
    // With values as Hatchet has them, in which statements of loops count twice; it has no root above all.
    let (kept, outliers, surrogates) = pruned(&calls, &twice);
    assert_eq!((kept, outliers, surrogates - 1), (107, 21, 37));
}

#[test]
fn small_databases() {
    let (_work, calls) = read(&fixture("hpctoolkit3"));
    check(&calls, 6, 2, 1_000_000);
    // Statements of a loop count once.
    assert_eq!(by_function(&calls, 2), named(&[("solve<double>", 900_000), ("main", 100_000)]));
    assert_eq!(calls.at_places(0, 0..calls.node_count()), [400_000, 600_000]);
    let (_work, calls) = read(&fixture("hpctoolkit4"));
    check(&calls, 11, 3, 1_500_000_000);
    assert_eq!((calls.summary().used_places, calls.summary().metrics.len()), (2, 2));
    assert_eq!(calls.inclusive(1, NodeId::ROOT), 7);
    // Code without a name has that of its module; an instruction that is not listed is part of its line.
    let known = [("solve", 1_250_000_000), ("0x105a [app]", 250_000_000)];
    assert_eq!(by_function(&calls, 2), named(&known));
}

/// Without the files of values, those for all places together are taken, and that is said.
#[test]
fn a_database_without_files_of_values() {
    let work = tempfile::tempdir().unwrap();
    let file = work.path().join("experiment.xml");
    std::fs::copy(fixture("hpctoolkit3/experiment.xml"), &file).unwrap();
    let (_work, calls) = read(&file);
    check(&calls, 6, 1, 1_000_000);
    assert!(calls.summary().notes.iter().any(|note| note.contains("six digits")));
}

#[test]
fn small_profiles_of_score_p() {
    for name in ["scorep.cubex", "packed.cubex"] {
        let (_work, calls) = read(&fixture(name));
        check(&calls, 4, 3, 10_000_000_000);
        let names: Vec<&str> = calls.summary().metrics.iter().map(|metric| &*metric.name).collect();
        assert_eq!(names, ["time", "visits", "inside"]);
        // 4 + 5 + 1, less 3 + 3.5 + 1 in solve and 0.5 + 1 in a send.
        let known = [("solve<double>", 6_500_000_000), ("MPI_Send", 2_500_000_000), ("main", 1_000_000_000)];
        assert_eq!(by_function(&calls, 3), named(&known));
        assert_eq!(calls.at_places(0, 0..5), [4_000_000_000, 1_000_000_000, 5_000_000_000]);
        assert_eq!((calls.inclusive(1, NodeId::ROOT), calls.inclusive(2, NodeId::ROOT)), (13, 1));
        adds_up(&calls);
        let notes = calls.summary().notes.join("; ");
        let said = "1 metrics have no values; metrics that were left out: max_time (MAXDOUBLE does not add up), \
                    rate (computed by a formula)";
        assert_eq!(notes, said);
    }
}

/// Statistics over places do not add up over call paths.
#[test]
fn statistics_of_hpctoolkit_are_left_out() {
    let work = tempfile::tempdir().unwrap();
    let file = work.path().join("experiment.xml");
    let text = std::fs::read_to_string(fixture("hpctoolkit3/experiment.xml")).unwrap();
    let more: String = ["Mean", "StdDev", "CfVar", "Min", "Max"]
        .iter()
        .enumerate()
        .map(|(at, word)| {
            format!("<Metric i=\"{}\" n=\"CPUTIME (usec):{word} (I)\" t=\"inclusive\"/>", 20 + at)
        })
        .collect();
    let (before, after) = text.split_once("<Metric ").unwrap();
    std::fs::write(&file, format!("{before}{more}<Metric {after}")).unwrap();
    let (_work, calls) = read(&file);
    check(&calls, 6, 1, 1_000_000);
    let names: Vec<&str> = calls.summary().metrics.iter().map(|metric| &*metric.name).collect();
    assert_eq!(names, ["CPUTIME (usec):Sum"]);
    let notes = calls.summary().notes.join("; ");
    assert!(notes.contains("do not add up: CPUTIME (usec):Mean, CPUTIME (usec):StdDev"), "{notes}");
}

/// An index that lists no rows: all call paths have one, in their order, packed or not.
#[test]
fn all_rows_of_score_p_in_order() {
    for name in ["scorep.cubex", "packed.cubex"] {
        let mut bytes = std::fs::read(fixture(name)).unwrap();
        let begin = b"CUBEX.INDEX";
        let found: Vec<usize> =
            (0..bytes.len() - begin.len()).filter(|&at| bytes[at..].starts_with(begin)).collect();
        let mut dense = 0;
        for at in found {
            let number = |from: usize| u32::from_le_bytes(bytes[from..from + 4].try_into().unwrap());
            let rows = number(at + 18);
            let is_dense =
                bytes[at + 11] == 1 && (0..rows).all(|row| number(at + 22 + 4 * row as usize) == row);
            if is_dense && rows == 4 {
                bytes[at + 17] = 0;
                dense += 1;
            }
        }
        assert!(dense > 0, "{name} has no metric with all rows");
        let (_work, calls) = read_bytes(&bytes).unwrap();
        let (_known, known) = read(&fixture(name));
        assert_eq!(calls.summary(), known.summary(), "{name}");
        for metric in 0..known.summary().metrics.len() {
            assert_eq!(
                calls.inclusive(metric, NodeId::ROOT),
                known.inclusive(metric, NodeId::ROOT),
                "{name}"
            );
        }
    }
}

#[test]
fn harmed_databases_are_refused_or_read() {
    harm_part(&fixture("hpctoolkit3"), "experiment.xml", false);
    let values = "1.my-app-000000-000-a8c00471-152570-0.metric-db";
    harm_part(&fixture("hpctoolkit3"), values, true);
    harm_part(&fixture("hpctoolkit4"), "meta.db", true);
    harm_part(&fixture("hpctoolkit4"), "profile.db", true);
    harm_part(&fixture("tau"), "profile.0.0.0", false);
    harm(&fixture("scorep.cubex"), false);
    harm(&fixture("packed.cubex"), false);
}

/// A file and a byte, and what is wrong there.
#[test]
fn what_is_broken_is_said_with_its_place() {
    let work = tempfile::tempdir().unwrap();
    let copy = |name: &str, change: &dyn Fn(&mut Vec<u8>)| -> String {
        let folder = work.path().join("folder");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        let from = fixture(Path::new(name).parent().unwrap().to_str().unwrap());
        for entry in std::fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            std::fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
        }
        let file = folder.join(Path::new(name).file_name().unwrap());
        let mut bytes = std::fs::read(&file).unwrap();
        change(&mut bytes);
        std::fs::write(&file, bytes).unwrap();
        let error =
            import(&folder, &work.path().join("x.crosscut"), &Options::default(), &Quiet).unwrap_err();
        assert_eq!(error.path().map(Path::to_owned), Some(file));
        error
            .to_string()
            .rsplit_once(".db: ")
            .or(error.to_string().rsplit_once("-db: "))
            .unwrap()
            .1
            .to_owned()
    };
    let values = "hpctoolkit3/1.my-app-000000-000-a8c00471-152570-0.metric-db";
    let said = copy(values, &|bytes| bytes[27] = 9);
    assert_eq!(said, "byte 24: 9 rows of 2 values make 176 bytes, but the file has 160");
    let said = copy(values, &|bytes| bytes[32..40].copy_from_slice(&f64::NAN.to_be_bytes()));
    assert_eq!(said, "byte 32: a value of NaN");
    let said = copy("hpctoolkit4/meta.db", &|bytes| bytes[14] = 5);
    assert_eq!(said, "byte 14: version `5.0`, but this program reads version 4 only");
    let said = copy("hpctoolkit4/profile.db", &|bytes| bytes.truncate(900));
    assert_eq!(said, "byte 900: the file does not end as it should: it is cut short");
    // Four thousand million entries without a size would be read for minutes.
    let endless = |bytes: &mut Vec<u8>, at: usize| {
        bytes[at + 8..at + 12].fill(0xff);
        bytes[at + 12] = 0;
    };
    let said = copy("hpctoolkit4/meta.db", &|bytes| endless(bytes, 616));
    assert_eq!(said, "byte 552: a list of entries without a size");
    let said = copy("hpctoolkit4/profile.db", &|bytes| endless(bytes, 968));
    assert_eq!(said, "byte 776: a list of entries without a size");
}
