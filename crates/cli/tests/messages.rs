//! Traces of MPI programs on the command line: what `import` makes of them, and what `info` says.

use crate::support;

use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{fails, folder, names, ok};

#[path = "../../import/tests/traces/mod.rs"]
mod traces;

fn trace(kind: &str, name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = folder();
    let inside = folder.path().join("trace");
    traces::unpack(kind, name, &inside);
    (folder, inside)
}

fn info(folder: &Path, run: &str) -> Value {
    serde_json::from_str(&ok(folder, &["info", run, "--json"])).unwrap()
}

#[test]
fn a_trace_becomes_a_run_that_says_what_is_inside() {
    for (kind, input) in [("dumpi", "trace"), ("otf2", "trace/coll16/traces.otf2")] {
        let (folder, _) = trace(kind, "coll16");
        let line = ok(folder.path(), &["import", input, "-o", "a.crosscut"]);
        assert!(line.contains("143 messages between 16 ranks"), "{line}");
        let json = info(folder.path(), "a.crosscut");
        let messages = &json["messages"];
        let figures =
            ["ranks", "messages", "bytes", "unmatched", "collectives"].map(|key| messages[key].as_i64());
        assert_eq!(figures, [16, 143, 47_780, 0, 248].map(Some), "{kind}");
        assert_eq!((json["places"].as_i64(), json["partial"].as_bool()), (Some(16), Some(false)));
        let text = ok(folder.path(), &["info", "a.crosscut", "--check"]);
        assert!(
            text.contains("every send has its receive") && text.contains("as they were written"),
            "{text}"
        );
    }
}

fn report(folder: &Path, args: &[&str]) -> Value {
    let all: Vec<&str> = ["report", "--json"].iter().chain(args).copied().collect();
    serde_json::from_str(&ok(folder, &all)).unwrap()
}

/// A generated run in which one rank is late once: who it is comes first, and the phases are those that repeat.
#[test]
fn a_late_rank_is_the_first_finding() {
    let folder = folder();
    let make = ["synth", "messages", "halo*8,radix-4,allreduce", "--ranks", "64", "--steps", "30", "-o"];
    let late = ["--late", "41", "--late-by", "3000000", "--late-in", "8"];
    ok(folder.path(), &[&make[..], &["a.crosscut"], &late].concat());
    let json = report(folder.path(), &["a.crosscut", "--time", "logical"]);
    let first = &json["findings"][0];
    assert_eq!(first["ranks"].to_string(), "[41]");
    assert_eq!((first["id"].as_str(), first["where"].is_null()), (Some("late-sender"), true));
    assert_eq!(json["messages"]["expression"], "(A×8 B C)×3");
    assert_eq!(first["what"], "Rank 41 sends late in phase 9");
    let states = json["messages"]["wait_states"].as_array().unwrap();
    let sum: i64 = states.iter().map(|state| state["ns"].as_i64().unwrap()).sum();
    assert_eq!(Some(sum), json["messages"]["waiting_ns"].as_i64());
    let phases = json["messages"]["phases"].as_array().unwrap();
    let sum: i64 = phases.iter().map(|phase| phase["wait_ns"].as_i64().unwrap()).sum();
    assert_eq!(Some(sum), json["messages"]["waiting_ns"].as_i64());
    // Every third of the run ends with a collective of 64 KiB of each rank.
    let collective: Vec<i64> =
        phases.iter().map(|phase| phase["collective_bytes"].as_i64().unwrap()).collect();
    assert_eq!(collective, [[0; 9].as_slice(), &[64 * 65_536]].concat().repeat(3));
    let path = &json["messages"]["critical_path"];
    let longest = path["stretches"].as_array().unwrap();
    let long = |stretch: &Value| stretch["t1_ns"].as_i64().unwrap() - stretch["t0_ns"].as_i64().unwrap();
    let late = longest.iter().max_by_key(|stretch| long(stretch)).unwrap();
    assert_eq!((late["rank"].as_i64(), longest.len()), (Some(41), 10));
    assert!(long(late) >= 3_000_000 && longest.iter().map(long).sum::<i64>() <= path["ns"].as_i64().unwrap());
    assert_eq!(json["messages"]["worst_ranks"][0]["rank"], 41);
    let text = ok(folder.path(), &["report", "a.crosscut", "--time", "logical"]);
    assert!(text.contains("what costs most: rank 41 sends late in phase 9"), "{text}");
    let cut = report(folder.path(), &["a.crosscut", "--phases", "3", "--communities", "2"]);
    let phases = cut["messages"]["phases"].as_array().unwrap();
    assert_eq!(phases.len(), 3);
    let groups = phases[0]["communities"].as_array().unwrap();
    let mut ranks: Vec<u64> = groups
        .iter()
        .flat_map(|group| group.as_array().unwrap())
        .map(|rank| rank.as_u64().unwrap())
        .collect();
    ranks.sort_unstable();
    assert_eq!((groups.len(), ranks), (2, (0..64).collect()));
}

/// A trace with messages and a call profile of the same calls: waiting in them is told by messages alone, with its cause.
#[test]
fn a_loss_is_told_once_where_there_is_a_profile_too() {
    let folder = folder();
    traces::unpack("otf2", "coll16", &folder.path().join("trace"));
    ok(folder.path(), &["import", "trace/coll16/traces.otf2", "-o", "a.crosscut"]);
    let json = report(folder.path(), &["a.crosscut"]);
    let findings = json["findings"].as_array().unwrap();
    let all: Vec<String> = findings.iter().map(|f| format!("{} {}", f["id"], f["what"])).collect();
    assert!(all.iter().any(|told| told.starts_with("\"late-rank\"")), "{all:#?}");
    assert!(!all.iter().any(|told| told.contains("MPI_")), "{all:#?}");
    let of = |id: &str| findings.iter().filter(|finding| finding["id"] == id).count();
    assert!(of("rank-imbalance") < 2 && of("waiting") == 0, "{all:#?}");
}

#[test]
fn healthy_ranks_have_no_finding_above_low() {
    let folder = folder();
    for exchange in ["halo", "ring", "butterfly", "random", "allreduce", "all-to-all", "radix-4"] {
        let run = format!("{exchange}.crosscut");
        ok(folder.path(), &["synth", "messages", exchange, "--ranks", "16", "-o", &run]);
        for finding in report(folder.path(), &[&run])["findings"].as_array().unwrap() {
            assert_eq!(finding["severity"], "low", "{exchange}: {finding}");
        }
    }
}

/// Everybody does what is usual, and still ranks wait for each other: that is no moving of data, and nobody is to blame.
#[test]
fn ranks_that_depend_on_each_other_wait_in_a_chain() {
    let folder = folder();
    for exchange in ["pipeline", "master-worker"] {
        let run = format!("{exchange}.crosscut");
        ok(folder.path(), &["synth", "messages", exchange, "--ranks", "16", "-o", &run]);
        let json = report(folder.path(), &[&run]);
        let findings = json["findings"].as_array().unwrap();
        let most = findings.iter().max_by_key(|finding| finding["cost_ns"].as_i64().unwrap()).unwrap();
        // Who caused it is left out where nobody did.
        assert_eq!((most["id"].as_str(), most["ranks"].is_null()), (Some("late-sender"), true), "{most}");
        let evidence = most["evidence"].as_str().unwrap();
        assert!(evidence.contains("each waits for work that is usual: a chain of dependences"), "{evidence}");
        if exchange == "pipeline" {
            assert_eq!((most, most["severity"] != "low"), (&findings[0], true));
        }
        for moving in findings.iter().filter(|f| f["id"] == "transfer") {
            assert_eq!(moving["severity"], "low", "{exchange}: {moving}");
        }
    }
}

#[test]
fn generated_traces_are_read_as_the_generated_run() {
    let folder = folder();
    let make =
        ["synth", "messages", "halo,ring,allreduce", "--ranks", "9", "--skew", "2000000", "--per-host", "3"];
    ok(folder.path(), &[&make[..], &["-o", "a.crosscut"]].concat());
    ok(folder.path(), &[&make[..], &["--dumpi", "trace"]].concat());
    ok(folder.path(), &["import", "trace", "-o", "b.crosscut"]);
    let [a, b] = ["a.crosscut", "b.crosscut"].map(|run| info(folder.path(), run));
    assert_eq!(a["messages"], b["messages"]);
    assert!(ok(folder.path(), &["info", "--check", "b.crosscut"]).contains("fit together"));
    for wrong in [&["circle"][..], &["halo*0"], &["halo", "--ranks", "1"], &["halo", "--late", "3"]] {
        fails(folder.path(), &[&["synth", "messages"], wrong].concat());
    }
    let error = fails(folder.path(), &["report", "a.crosscut", "--phases", "0"]);
    assert!(error.contains("from 1 on"), "{error}");
}

#[test]
fn the_files_of_all_ranks_make_one_run() {
    let (folder, inside) = trace("dumpi", "bswap8");
    let mut files: Vec<String> = names(&inside).into_iter().filter(|name| name.ends_with(".bin")).collect();
    files.iter_mut().for_each(|name| *name = format!("trace/{name}"));
    let mut args = vec!["import"];
    args.extend(files.iter().map(String::as_str));
    args.extend(["-o", "a.crosscut"]);
    assert!(ok(folder.path(), &args).contains("24 messages between 8 ranks"));
}

#[test]
fn a_damaged_trace_is_named() {
    let (folder, inside) = trace("dumpi", "bswap8");
    let file = names(&inside).into_iter().find(|name| name.ends_with("-0002.bin")).unwrap();
    let whole = std::fs::read(inside.join(&file)).unwrap();
    std::fs::write(inside.join(&file), &whole[..200]).unwrap();
    let output = support::crosscut(folder.path(), &["import", "trace", "-o", "a.crosscut"]);
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("this run is partial: ") && said.contains("-0002.bin ends at byte"), "{said}");
    let text = ok(folder.path(), &["info", "a.crosscut"]);
    assert!(text.contains("partial") && text.contains("-0002.bin ends at byte"), "{text}");
    // What is missing of a rank is no work of it.
    let json = report(folder.path(), &["a.crosscut"]);
    let messages = &json["messages"];
    assert_ne!(messages["imbalance"]["rank"], 2, "{}", messages["imbalance"]);
    assert!(messages["absent_ns"].as_i64().unwrap() > 0);
    let mut bytes = whole;
    bytes[16] = 0xee;
    std::fs::write(inside.join(&file), &bytes).unwrap();
    let error = fails(folder.path(), &["import", "trace", "-o", "b.crosscut"]);
    assert!(error.contains("-0002.bin: byte 16"), "{error}");
    assert!(!folder.path().join("b.crosscut").exists());
}
