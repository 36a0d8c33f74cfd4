//! Runs from strangers: columns, tables and manifests with any content.

use std::fs;
use std::path::{Path, PathBuf};

use crosscut_run::Run;
use crosscut_view::REGISTRY;
use crosscut_workbench::{OpenRun, Settings};

use super::{Started, readers};
use crate::stranger;

/// Of all that can be asked of a run, one question in so many is asked of each input.
const ASKED: usize = 16;

/// The first bytes say which column, from which row on the rest stands in place of its values, and what is asked then.
pub fn columns(make: fn(&Path) -> PathBuf) -> Started {
    let work = readers::work();
    let whole = make(work.path());
    let run = Run::open(&whole).expect("the sample");
    let columns: Vec<(PathBuf, Vec<u8>)> = run
        .manifest()
        .all_parts()
        .filter(|(_, part)| part.value.is_some() && part.rows > 0)
        .map(|(name, part)| whole.join(part.file(&name)))
        .filter_map(|file| Some((file.clone(), fs::read(file).ok()?)))
        .collect();
    let seed = |(number, (_, bytes)): (usize, &(PathBuf, Vec<u8>))| {
        let values = &bytes[stranger::BODY..];
        [&[number as u8, 0, number as u8][..], &values[..values.len().min(400)]].concat()
    };
    let seeds = columns.iter().enumerate().map(seed).collect();
    let run = move |bytes: &[u8]| {
        let [number, from, asked, rest @ ..] = bytes else { return };
        let (file, sound) = &columns[usize::from(*number) % columns.len()];
        let mut spoiled = sound.clone();
        let from = stranger::BODY + 8 * usize::from(*from);
        for (slot, &byte) in spoiled.iter_mut().skip(from).zip(rest) {
            *slot = byte;
        }
        let _ = fs::write(file, spoiled);
        if let Ok(bench) = stranger::open(&whole) {
            let mut turn = usize::from(*asked) % ASKED;
            stranger::ask_everything(&bench, &mut |_, ask| {
                turn = (turn + 1) % ASKED;
                if turn == 0 {
                    ask();
                }
            });
        }
        let _ = fs::write(file, sound);
        let _ = &work;
    };
    (seeds, Box::new(run))
}

/// The bytes of a table, with a manifest that agrees.
pub fn tables() -> Started {
    let work = readers::work();
    let whole = stranger::whole(work.path());
    let file = whole.join("places.parquet");
    let seeds =
        vec![fs::read(&file).expect("a table"), fs::read(whole.join("sources.parquet")).expect("a table")];
    let text = fs::read(whole.join("manifest.json")).expect("a manifest");
    let sound: serde_json::Value = serde_json::from_slice(&text).expect("a manifest");
    let run = move |bytes: &[u8]| {
        let mut manifest = sound.clone();
        manifest["parts"]["places"]["bytes"] = bytes.len().into();
        manifest["parts"]["places"]["hash"] = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(bytes)).into();
        if let Some(fields) = manifest.as_object_mut() {
            fields.remove("checksum");
        }
        let _ = fs::write(&file, bytes);
        let _ = fs::write(whole.join("manifest.json"), manifest.to_string());
        let _ = Run::open(&whole).and_then(|run| run.places());
        let _ = &work;
    };
    (seeds, Box::new(run))
}

/// The text of a manifest.
pub fn manifest() -> Started {
    let work = readers::work();
    let whole = stranger::whole(work.path());
    let file = whole.join("manifest.json");
    let mut manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(&file).expect("a manifest")).expect("a manifest");
    // With a checksum, every change is refused at once.
    if let Some(fields) = manifest.as_object_mut() {
        fields.remove("checksum");
    }
    let seeds = vec![manifest.to_string().into_bytes()];
    let run = move |bytes: &[u8]| {
        let _ = fs::write(&file, bytes);
        let settings = Settings::from([("check".to_owned(), "later".to_owned())]);
        if let Ok(run) = Run::open(&whole)
            && let Ok(open) = OpenRun::open(run, REGISTRY, &settings)
        {
            let bench = crosscut_workbench::Workbench::new(vec![open], "");
            let _ = bench.info(0);
            let _ = bench.report(0);
        }
        let _ = &work;
    };
    (seeds, Box::new(run))
}
