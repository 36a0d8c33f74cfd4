//! Names from files that nobody here wrote: what moves a cursor, ends a line or turns the direction of reading never
//! reaches a terminal, a log, a picture or the name of a file, whichever command is used.

use crate::support;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use support::{crosscut, folder, names};

/// Clears the screen, sets a title, C1's form of the same, turns the direction, begins a line of its own, goes back to the
/// beginning of the line.
const HOSTILE: &str =
    "ev\u{1b}[2J\u{1b}]0;il\u{7}\u{9b}31m\u{202e}lla\u{2066}\u{200f}x\ncrosscut: fine\r\u{7f}\u{2028}{}%";

/// The same for the name of a file.
const NAME: &str = "na\u{1b}[31m\u{202e}me{bar}\nnext";

fn is_hostile(c: char) -> bool {
    c != '\n' && (c.is_control() || "\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}\u{200e}\u{200f}\u{2028}\u{2029}".contains(c))
}

/// Nothing in it acts, and no line begins with what a name says.
fn harmless(what: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let found = text.chars().find(|&c| is_hostile(c));
    assert_eq!(found, None, "{what}: {:?}", text.escape_debug().to_string());
    for line in text.lines() {
        assert!(
            line.trim() != "crosscut: fine" && !line.starts_with("next"),
            "{what}: a line of its own: {text}"
        );
    }
}

/// Runs a command; whatever it does, what it prints is harmless.
fn run(path: &Path, args: &[&str]) -> (String, String, bool) {
    let output = crosscut(path, args);
    harmless(&format!("{args:?}"), &output.stdout);
    harmless(&format!("{args:?}, errors"), &output.stderr);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.success())
}

fn well(path: &Path, args: &[&str]) -> String {
    let (said, errors, well) = run(path, args);
    assert!(well, "{args:?}: {errors}");
    said
}

/// A table of tasks whose functions and tags are hostile, and a run of it with a hostile name and a hostile manifest.
fn hostile_run(path: &Path) -> String {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/grains/small.csv");
    let text = fs::read_to_string(fixture).unwrap();
    let function = format!("\"{}\"", HOSTILE.replace(['\n', '\r'], " "));
    let text = text.replace(",walk,", &format!(",{function},")).replace(",main,", &format!(",{function},"));
    assert!(text.contains('\u{1b}'));
    fs::write(path.join("plain.csv"), &text).unwrap();
    fs::write(path.join(format!("{NAME}.csv")), text).unwrap();
    let target = format!("{NAME}.crosscut");
    well(path, &["import", "plain.csv", "-o", &target]);
    edit(&path.join(&target).join("manifest.json"), |manifest| {
        manifest["partial"] = HOSTILE.into();
        manifest["origin"]["command"] = serde_json::json!([HOSTILE, "x"]);
        manifest["origin"]["tools"] = serde_json::json!({ "openmp": HOSTILE });
    });
    target
}

fn edit(file: &Path, change: impl FnOnce(&mut Value)) {
    let mut json: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    change(&mut json);
    // Whoever changes a manifest can also leave its checksum out.
    json.as_object_mut().unwrap().remove("checksum");
    fs::write(file, json.to_string()).unwrap();
}

#[test]
fn in_every_command() {
    let folder = folder();
    let path = folder.path();
    let run_name = &hostile_run(path);
    let info = well(path, &["info", run_name]);
    assert!(info.contains("\\x1b[2J") && info.contains("\\u{202e}"), "written out: {info}");
    let report = well(path, &["report", run_name]);
    assert!(report.contains("\\x1b[2J"), "{report}");
    for args in [&["info", run_name, "--check"][..], &["whatif", run_name], &["compare", run_name, run_name]]
    {
        run(path, args);
    }
    // Values in JSON stay what they are.
    for args in
        [&["info", run_name, "--json"][..], &["report", run_name, "--json"], &["whatif", run_name, "--json"]]
    {
        let json: Value = serde_json::from_str(&well(path, args)).unwrap();
        assert!(json.is_object(), "{args:?}");
    }
    let compared = well(path, &["compare", run_name, run_name, "--json"]);
    serde_json::from_str::<Value>(&compared).unwrap();
    let other = well(path, &["synth", "fib", "--size", "400", "-o", "fib"]);
    assert!(other.starts_with("fib: "), "{other}");
    run(path, &["baseline", "fib", run_name]);
    run(path, &["baseline", run_name]);
    run(path, &["baseline", run_name, "--forget"]);
    run(path, &["compare", "fib", run_name]);
}

/// Names of functions, metrics, libraries, files and communicators.
#[test]
fn of_calls_and_messages() {
    let folder = folder();
    let path = folder.path();
    let json = serde_json::json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "name": HOSTILE,
        "shared": {"frames": [{"name": HOSTILE, "file": HOSTILE, "line": 3}, {"name": format!("inner {HOSTILE}")}]},
        "profiles": [{
            "type": "sampled", "name": HOSTILE, "unit": "seconds", "startValue": 0, "endValue": 2,
            "samples": [[0], [0, 1]], "weights": [1, 1],
        }],
    });
    fs::write(path.join("calls.json"), json.to_string()).unwrap();
    well(path, &["import", "calls.json", "-o", "calls"]);
    well(path, &["synth", "messages", "halo", "--ranks", "4", "--steps", "3", "-o", "messages"]);
    edit(&path.join("messages/manifest.json"), |manifest| {
        manifest["partial"] = HOSTILE.into();
        manifest["facts"]["messages"]["notes"] = serde_json::json!([HOSTILE]);
    });
    let report = well(path, &["report", "calls"]);
    assert!(report.contains("\\x1b[2J"), "{report}");
    let info = well(path, &["info", "messages"]);
    assert!(info.contains("\\x1b[2J"), "{info}");
    for run_name in ["calls", "messages"] {
        for args in [
            &["info", run_name][..],
            &["info", run_name, "--check"],
            &["info", run_name, "--json"],
            &["report", run_name],
            &["report", run_name, "--json"],
            &["whatif", run_name],
            &["compare", run_name, run_name],
            &["compare", run_name, run_name, "--json"],
            &["baseline", run_name, run_name],
            &["render", run_name, "--view", "nothing\u{1b}[2J", "-o", "no.svg"],
            &["export", run_name, "--to", "nothing\u{202e}"],
        ] {
            run(path, args);
        }
        for view in ["icicle", "tree", "flow", "ranks", "lines", "overview", "matrix", "gram"] {
            let (_, errors, _) = run(path, &["render", run_name, "--view", view, "-o", "out.svg"]);
            match fs::read(path.join("out.svg")) {
                Ok(svg) => harmless(view, &svg),
                Err(_) => assert!(!errors.is_empty(), "{view}"),
            }
            let _ = fs::remove_file(path.join("out.svg"));
        }
    }
}

#[test]
fn in_pictures_and_graphs() {
    let folder = folder();
    let path = folder.path();
    let run_name = &hostile_run(path);
    for form in ["graphml", "plain-graphml", "dot"] {
        well(path, &["export", run_name, "--to", form]);
        let file = format!("out.{form}");
        well(path, &["export", run_name, "--to", form, "-o", &file]);
        harmless(form, &fs::read(path.join(file)).unwrap());
    }
    for view in ["grains", "dag", "timeline", "lines"] {
        let (_, errors, _) = run(path, &["render", run_name, "--view", view, "-o", "out.svg"]);
        match fs::read(path.join("out.svg")) {
            Ok(svg) => harmless(view, &svg),
            Err(_) => assert!(!errors.is_empty(), "{view}"),
        }
        let _ = fs::remove_file(path.join("out.svg"));
    }
}

#[test]
fn in_errors() {
    let folder = folder();
    let path = folder.path();
    let run_name = &hostile_run(path);
    let broken = format!("{NAME}.broken");
    fs::write(path.join(&broken), format!("task,parent\n{HOSTILE},0\n")).unwrap();
    fs::write(path.join("limits"), format!("{HOSTILE} = 1\n")).unwrap();
    fs::write(path.join("dag"), format!("DAG Recorder {HOSTILE}\n")).unwrap();
    fs::write(path.join("xml.graphml"), format!("<graphml><node id=\"{HOSTILE}\"></graphml>")).unwrap();
    let damaged = format!("{NAME}.damaged");
    copy(&path.join(run_name), &path.join(&damaged));
    edit(&path.join(&damaged).join("manifest.json"), |manifest| manifest["origin"] = HOSTILE.into());
    let missing = format!("missing {HOSTILE}");
    for args in [
        &["info", &missing][..],
        &["info", &damaged],
        &["report", &missing],
        &["compare", run_name, &missing],
        &["baseline", run_name, &missing],
        &["baseline", run_name, run_name],
        &["whatif", &missing],
        &["whatif", run_name, "--faster", &format!("{HOSTILE}=2")],
        &["whatif", run_name, "--workers", HOSTILE],
        &["export", &missing, "--to", "dot"],
        &["export", run_name, "--to", HOSTILE],
        &["export", run_name, "--to", "dot", "--problem", HOSTILE],
        &["export", run_name, "--to", "dot", "-o", &format!("no{HOSTILE}/file")],
        &["render", run_name, "--view", HOSTILE, "-o", "out.svg"],
        &["render", &missing, "-o", "out.svg"],
        &["report", run_name, "--threshold", HOSTILE],
        &["report", run_name, "--thresholds", "limits"],
        &["import", &broken],
        &["import", "dag", "-o", "run"],
        &["import", "xml.graphml", "-o", "run"],
        &["import", &missing],
        &["import", &broken, "--format", HOSTILE],
        &["synth", HOSTILE, "-o", "run"],
        &["view", &missing, "--no-open"],
        &["record", "--", &missing],
        &["record", "--counters", HOSTILE, "--", "true"],
        &["record", "--runtime", HOSTILE, "--", "true"],
        &[HOSTILE],
    ] {
        let (said, errors, well) = run(path, args);
        assert!(!well && !errors.is_empty(), "{args:?}: {said}{errors}");
    }
    // Damaged parts are a list, a line each.
    let column = path.join(run_name).join("tasks/order.arrow");
    assert!(column.is_file(), "{:?}", names(&path.join(run_name).join("tasks")));
    fs::write(column, "x").unwrap();
    let (_, errors, well) = run(path, &["info", run_name, "--check"]);
    assert!(!well && errors.contains("order"), "{errors}");
}

fn copy(from: &Path, to: &Path) {
    let done = Command::new("cp").arg("-r").arg(from).arg(to).status().unwrap();
    assert!(done.success());
}

#[test]
fn in_names_of_files() {
    let folder = folder();
    let path = folder.path();
    hostile_run(path);
    let before = names(path);
    well(path, &["import", &format!("{NAME}.csv")]);
    let new: Vec<String> = names(path).into_iter().filter(|name| !before.contains(name)).collect();
    assert_eq!(new, ["na_[31m_me{bar}_next.crosscut"]);
}

#[test]
fn of_a_recorded_program() {
    let Some(recorder) = std::env::var_os("CROSSCUT_RECORDER") else {
        panic!("CROSSCUT_RECORDER is not set: run `cargo xtask test rust`")
    };
    let folder = folder();
    let path = folder.path();
    let source = "int main(void)\n{\n#pragma omp parallel num_threads(2)\n    ;\n    return 0;\n}\n";
    fs::write(path.join(format!("{NAME}.c")), source).unwrap();
    let program: PathBuf = path.join(NAME);
    let built = Command::new("gcc")
        .args(["-g", "-fopenmp"])
        .arg(path.join(format!("{NAME}.c")))
        .arg("-o")
        .arg(&program)
        .status();
    assert!(built.unwrap().success());
    let record = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crosscut"));
        command.current_dir(path).stdin(Stdio::null()).env("CROSSCUT_RECORDER", &recorder);
        let output =
            command.arg("record").args(options).arg("--").arg(&program).arg(HOSTILE).output().unwrap();
        harmless("record", &output.stdout);
        harmless("record, errors", &output.stderr);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    record(&[]);
    record(&["--keep-events", "-o", "run"]);
    let new: Vec<PathBuf> = names(path).iter().map(PathBuf::from).collect();
    assert!(
        new.iter().any(|name| name.as_os_str() == OsStr::new("na_[31m_me{bar}_next.crosscut")),
        "{new:?}"
    );
    for run_name in ["run", "na_[31m_me{bar}_next.crosscut"] {
        for command in ["info", "report"] {
            well(path, &[command, run_name]);
        }
    }
}
