//! Manifests that are not what they should be: a clear error, never a panic and never a large allocation.

mod made;

use std::path::Path;

use crosscut_run::{Clock, FORMAT, Pick, Run, RunError};
use made::fresh_dir;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A sound run, its manifest as JSON, and a way to try another.
struct Trial {
    dir: tempfile::TempDir,
    sound: Value,
}

impl Trial {
    fn new() -> Self {
        let dir = fresh_dir();
        made::write(&dir.path().join("m.crosscut"));
        let text = std::fs::read_to_string(dir.path().join("m.crosscut/manifest.json")).expect("a manifest");
        let mut sound: Value = serde_json::from_str(&text).expect("JSON");
        // What is changed here on purpose does not fit its checksum.
        sound.as_object_mut().expect("an object").remove("checksum");
        Trial { dir, sound }
    }

    fn path(&self) -> std::path::PathBuf {
        self.dir.path().join("m.crosscut")
    }

    fn open(&self, manifest: &[u8]) -> Result<Run, RunError> {
        std::fs::write(self.path().join("manifest.json"), manifest).expect("written");
        Run::open(&self.path())
    }

    fn change(&self, change: impl FnOnce(&mut Value)) -> Result<Run, RunError> {
        let mut manifest = self.sound.clone();
        change(&mut manifest);
        self.open(manifest.to_string().as_bytes())
    }
}

#[test]
fn what_is_not_a_run_says_why() {
    let dir = fresh_dir();
    let file = dir.path().join("trace.dag");
    std::fs::write(&file, "x").expect("written");
    for (path, why) in [
        (dir.path().join("nothing"), "no such directory"),
        (file, "it is a file"),
        (dir.path().to_owned(), "manifest.json"),
    ] {
        let error = Run::open(&path).expect_err("not a run");
        assert!(matches!(error, RunError::NotARun { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains(why) && text.contains(&*path.to_string_lossy()), "{text}");
    }
}

#[test]
fn garbage_is_refused() {
    let trial = Trial::new();
    let deep = "[".repeat(100_000);
    let text = trial.sound.to_string();
    let garbage: [&[u8]; 9] = [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\"format\"",
        b"{\"format\": \"one\"}",
        b"\xff\xfe\x00",
        deep.as_bytes(),
        &text.as_bytes()[..text.len() / 2],
    ];
    for bytes in garbage {
        let error = trial.open(bytes).expect_err("garbage").to_string();
        assert!(error.contains("manifest"), "{error}");
    }
}

#[test]
fn missing_and_wrong_fields_are_named() {
    let trial = Trial::new();
    for field in ["crosscut", "origin", "clock", "parts"] {
        let error = trial.change(|m| drop(m.as_object_mut().expect("an object").remove(field)));
        let error = error.expect_err(field).to_string();
        assert!(error.contains(field) && error.contains("manifest.json"), "{error}");
        let error = trial.change(|m| m[field] = json!(-1)).expect_err(field).to_string();
        assert!(error.contains("manifest.json"), "{error}");
    }
    for field in ["kind", "rows", "bytes", "hash"] {
        let error = trial.change(|m| {
            drop(m["domains"]["tree"]["len"].as_object_mut().expect("an object").remove(field));
        });
        assert!(error.expect_err(field).to_string().contains(field));
    }
    let error = trial.change(|m| drop(m.as_object_mut().expect("an object").remove("format")));
    assert!(error.expect_err("format").to_string().contains("names no format"));
    let error = trial.change(|m| m["format"] = json!(-1)).expect_err("negative").to_string();
    assert!(error.contains("format"), "{error}");
}

/// What a later program may add is kept out of the way; what is optional may be missing.
#[test]
fn unknown_and_optional_fields_are_no_matter() {
    let trial = Trial::new();
    assert!(trial.change(|m| m["later"] = json!({"a": 1})).is_ok());
    let run = trial.change(|m| drop(m.as_object_mut().expect("an object").remove("facts"))).expect("a run");
    assert!(run.manifest().facts.is_empty() && run.manifest().partial.is_none());
}

#[test]
fn a_newer_format_says_so() {
    let trial = Trial::new();
    for found in [u64::from(FORMAT) + 1, 99, u64::from(u32::MAX) + 5, u64::MAX] {
        let error = trial.change(|m| m["format"] = json!(found)).expect_err("newer");
        assert!(matches!(error, RunError::TooNew { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains(&format!("up to {FORMAT}")) && text.contains("newer crosscut"), "{text}");
    }
}

#[test]
fn a_part_cannot_lead_out_of_the_run() {
    let trial = Trial::new();
    std::fs::copy(trial.path().join("tree/len.arrow"), trial.dir.path().join("out.arrow")).expect("copied");
    let absolute = trial.dir.path().join("out");
    let absolute = absolute.to_string_lossy();
    for name in
        ["../out", "tree/../../out", "..", ".", "", "/", "tree//len", &absolute, "a\\b", "a\0b", "a.b"]
    {
        let result = trial.change(|m| {
            let part = m["domains"]["tree"]["len"].clone();
            m["parts"][name] = part;
        });
        let error = result.expect_err(name).to_string();
        assert!(error.contains("leaves the run's directory"), "{error}");
        // The same below a domain, as a domain, and in a manifest of format 1.
        for change in [
            |m: &mut Value, name: &str, part: Value| m["domains"]["tree"][name] = part,
            |m: &mut Value, name: &str, part: Value| m["domains"][name] = json!({ "len": part }),
            |m: &mut Value, name: &str, part: Value| {
                m["format"] = json!(1);
                m["parts"][name] = part;
            },
        ] {
            let result = trial.change(|m| change(m, name, m["domains"]["tree"]["len"].clone()));
            let error = result.expect_err(name).to_string();
            assert!(error.contains("leaves the run's directory"), "{error}");
        }
    }
}

/// Rows and sizes that no file has.
#[test]
fn absurd_sizes_are_refused() {
    let trial = Trial::new();
    for rows in [1 << 20, 1 << 40, u64::MAX / 8 + 1, u64::MAX / 4, u64::MAX - 1, u64::MAX] {
        for name in ["tree/len", "tree/start", "tree/mark", "places"] {
            let change = |m: &mut Value| match name.split_once('/') {
                Some((domain, own)) => m["domains"][domain][own]["rows"] = json!(rows),
                None => m["parts"][name]["rows"] = json!(rows),
            };
            let run = trial.change(change).expect("opens");
            let result = match name {
                "tree/len" => run.column::<u32>(name).map(|c| c.len()),
                "tree/start" => run.column::<i64>(name).map(|c| c.len()),
                "tree/mark" => run.column::<u8>(name).map(|c| c.len()),
                _ => run.table(name).map(|t| t.num_rows()),
            };
            match result {
                Ok(found) => panic!("{name}: {found} rows of {rows}"),
                Err(error) => assert!(error.to_string().contains(&format!("`{name}`")), "{error}"),
            }
        }
    }
    for bytes in [0, 1, u64::MAX] {
        let run = trial.change(|m| m["domains"]["tree"]["len"]["bytes"] = json!(bytes)).expect("opens");
        let error = run.column::<u32>("tree/len").expect_err("another size").to_string();
        assert!(error.contains("`tree/len`") && error.contains("the manifest says"), "{error}");
        assert_eq!(run.check().len(), 1);
        assert!(run.bytes() >= bytes);
    }
    let run = trial.change(|m| m["domains"]["tree"]["len"]["value"] = json!("f32")).expect("opens");
    assert!(run.column::<u32>("tree/len").is_err());
    let run = trial.change(|m| m["domains"]["tree"]["len"]["kind"] = json!("table")).expect("opens");
    assert!(run.table("tree/len").is_err());
}

#[test]
fn provenance_is_kept() {
    let dir = fresh_dir();
    let mut run = crosscut_run::RunWriter::create(&dir.path().join("o.crosscut")).expect("a new run");
    run.manifest().clock = Clock::Ticks;
    run.manifest().partial = Some("the last 3 of 10 nodes".into());
    run.manifest().origin.inputs.push(("a.dag".into(), 77));
    let run = run.finish().expect("a run");
    let manifest = Run::open(run.path()).expect("a run").manifest().clone();
    assert_eq!((manifest.format, manifest.clock), (FORMAT, Clock::Ticks));
    assert_eq!(manifest.partial.as_deref(), Some("the last 3 of 10 nodes"));
    assert_eq!(manifest.origin.inputs, [("a.dag".to_owned(), 77)]);
    assert!(!manifest.origin.command.is_empty() && !manifest.origin.host.is_empty());
    assert!(manifest.origin.time > 1_600_000_000);
    assert_eq!(manifest.origin.tools.get("crosscut"), Some(&manifest.crosscut));
}

fn try_all(path: &Path) {
    if let Ok(run) = Run::open(path) {
        run.check();
        let _ = (run.places(), run.sources(), run.bytes(), run.name());
        for (name, _) in run.manifest().all_parts() {
            let _ = (run.column::<u8>(&name), run.column::<i64>(&name), run.table(&name), run.ids(&name));
            let _ = run.by_place::<f64>(&name);
            if let Ok(table) = run.rows(&name) {
                table.read(Pick::default()).for_each(drop);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// One byte of the manifest replaced by any other: whatever happens, it is no panic.
    #[test]
    fn a_changed_manifest_never_panics(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        thread_local!(static TRIAL: Trial = Trial::new());
        TRIAL.with(|trial| {
            let mut bytes = trial.sound.to_string().into_bytes();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            std::fs::write(trial.path().join("manifest.json"), bytes).expect("written");
            try_all(&trial.path());
        });
    }
}
