//! A run of every format version lies in `versions/`: each opens, is whole, and holds the same values. They are made by
//! `crates/tasks/tests/versions.rs`, which also compares what they mean.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crosscut_run::{Clock, FORMAT, Run};

fn kept(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/versions/{version}/tiny"))
}

/// All values of all parts, as text.
fn values(run: &Run) -> BTreeMap<String, String> {
    let read = |name: &str| match run.manifest().part(name).expect("a part").value.as_deref() {
        Some("u8") => format!("{:?}", &run.column::<u8>(name).expect("a column")[..]),
        Some("u16") => format!("{:?}", &run.column::<u16>(name).expect("a column")[..]),
        Some("u32") => format!("{:?}", &run.column::<u32>(name).expect("a column")[..]),
        Some(_) => format!("{:?}", &run.column::<i64>(name).expect("a column")[..]),
        None => format!("{:?}", run.table(name).expect("a table")),
    };
    run.manifest().all_parts().map(|(name, _)| (name.clone(), read(&name))).collect()
}

#[test]
fn every_version_opens() {
    let present = Run::open(&kept(FORMAT)).expect("the present version");
    for version in 0..=FORMAT {
        let run = Run::open(&kept(version)).unwrap_or_else(|e| panic!("version {version}: {e}"));
        assert_eq!(run.manifest().format, FORMAT, "brought up to date");
        assert_eq!(run.manifest().clock, Clock::Ticks);
        assert_eq!(run.check(), [], "version {version}");
        assert_eq!(values(&run), values(&present), "version {version}");
        assert_eq!(run.manifest().time, present.manifest().time, "version {version}");
        assert_eq!(run.manifest().domains.keys().collect::<Vec<_>>(), ["tasks"]);
        assert!(
            run.sources().expect("sources").source_count() == 2 && run.places().expect("places").len() >= 2
        );
        assert!(run.bytes() < 60_000, "version {version} is small");
    }
}

/// On disk each really is of its version.
#[test]
fn every_version_is_what_it_says() {
    for version in 0..=FORMAT {
        let text = std::fs::read_to_string(kept(version).join("manifest.json")).expect("a manifest");
        let manifest: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(manifest["format"].as_u64(), Some(u64::from(version)));
        assert_eq!(manifest.get("unit").is_some(), version == 0);
        assert_eq!(manifest.get("clock").is_some(), version > 0);
        assert_eq!(manifest.get("time").is_some(), version > 1);
        assert_eq!(manifest["parts"].get("tasks/len").is_some(), version < 2);
        assert_eq!(manifest["domains"]["tasks"].get("len").is_some(), version > 1);
    }
}
