//! Traces of MPI programs on the command line: what `import` makes of them, and what `info` says.

mod support;

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

/// Nobody looked for losses in messages: a report does not say that there are none.
#[test]
fn a_report_says_what_was_not_looked_for() {
    let (folder, _) = trace("dumpi", "bswap8");
    ok(folder.path(), &["import", "trace", "-o", "swap.crosscut"]);
    let report = ok(folder.path(), &["report", "swap.crosscut"]);
    assert!(report.contains("lost time is not looked for"), "{report}");
    assert!(!report.contains("no finding"), "{report}");
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
    let mut bytes = whole;
    bytes[16] = 0xee;
    std::fs::write(inside.join(&file), &bytes).unwrap();
    let error = fails(folder.path(), &["import", "trace", "-o", "b.crosscut"]);
    assert!(error.contains("-0002.bin: byte 16"), "{error}");
    assert!(!folder.path().join("b.crosscut").exists());
}
