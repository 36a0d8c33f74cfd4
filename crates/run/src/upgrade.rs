//! Reading manifests of every version: a step per version brings an old manifest to the present form. A fixture of each
//! version lies in `crates/run/tests/versions`.

use std::path::Path;

use serde_json::{Map, Value};

use crate::error::RunError;
use crate::manifest::{FORMAT, Manifest};

/// Brings a manifest of one version to the next.
type Step = fn(Value) -> Value;

/// `STEPS[v]` upgrades format v to v + 1.
const STEPS: [Step; FORMAT as usize] = [from_0, from_1];

/// Format 0 was the trial form, which kept the clock's unit as `unit`.
fn from_0(mut manifest: Value) -> Value {
    if let Some(map) = manifest.as_object_mut() {
        let unit = map.remove("unit").unwrap_or_else(|| "ns".into());
        map.entry("clock").or_insert(unit);
        map.insert("format".into(), 1.into());
    }
    manifest
}

/// Format 1 listed the parts of all domains together, and did not say when a run began and ended: times began at 0, and the
/// summary of a domain said how long it took.
fn from_1(mut manifest: Value) -> Value {
    let Some(map) = manifest.as_object_mut() else { return manifest };
    if let Some(parts) = map.get_mut("parts").and_then(Value::as_object_mut) {
        let mut domains = Map::new();
        for (name, part) in std::mem::take(parts) {
            // Names that lead out of the run stay where they are, to be refused.
            match name.split_once('/').filter(|_| is_plain(&name)) {
                Some((domain, own)) => {
                    let parts = domains.entry(domain).or_insert_with(|| Map::new().into());
                    parts[own] = part;
                }
                None => drop(parts.insert(name, part)),
            }
        }
        map.insert("domains".into(), domains.into());
    }
    let facts = map.get("facts").and_then(Value::as_object);
    let elapsed =
        facts.into_iter().flat_map(Map::values).filter_map(|fact| fact.get("elapsed")?.as_i64()).max();
    if let Some(last) = elapsed {
        map.insert("time".into(), serde_json::json!({ "first": 0, "last": last }));
    }
    map.insert("format".into(), 2.into());
    manifest
}

/// Reads a manifest of any version up to the present one.
pub fn read_manifest(run: &Path, text: &[u8]) -> Result<Manifest, RunError> {
    let damaged = |why: String| RunError::damaged(&run.join("manifest.json"), "manifest", why);
    let mut manifest: Value = serde_json::from_slice(text).map_err(|e| damaged(e.to_string()))?;
    let found = manifest.get("format").and_then(Value::as_u64).ok_or_else(|| RunError::NotARun {
        path: run.to_owned(),
        why: "manifest.json names no format".into(),
    })?;
    if found > u64::from(FORMAT) {
        return Err(RunError::TooNew { path: run.to_owned(), found: found.min(u64::from(u32::MAX)) as u32 });
    }
    for step in &STEPS[found as usize..] {
        manifest = step(manifest);
    }
    let manifest: Manifest = serde_json::from_value(manifest).map_err(|e| damaged(e.to_string()))?;
    if !manifest.fits(text) {
        return Err(damaged("its checksum does not match: the content changed".into()));
    }
    if let Some((name, _)) = manifest.all_parts().find(|(name, _)| !is_plain(name)) {
        return Err(damaged(format!("part name {name:?} leaves the run's directory")));
    }
    Ok(manifest)
}

/// A part's name is words joined by slashes: it cannot lead out of the run.
pub fn is_plain(name: &str) -> bool {
    name.split('/').all(|word| {
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    })
}
