//! Functions that are entered and left in OTF2 archives: a call tree beside the messages, in the same run; archives packed by zlib.

use crate::profile;
use crate::traces;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crosscut_calls::{Calls, Row, flat};
use crosscut_import::{Options, Quiet, import};
use crosscut_messages::Messages;
use crosscut_tree::NodeId;

fn open(folder: &Path) -> (Calls, Messages) {
    let target = folder.join("out.crosscut");
    let _ = fs::remove_dir_all(&target);
    let run = Arc::new(import(folder, &target, &Options::default(), &Quiet).unwrap());
    assert_eq!(run.check(), []);
    let calls = Calls::open(run.clone()).unwrap();
    calls.sound().unwrap();
    (calls, Messages::open(run).unwrap())
}

/// How often each function of MPI was called and how long, as the messages have it.
fn of_messages(messages: &Messages) -> BTreeMap<String, (i64, i64)> {
    let mut sums: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    let calls = &messages.calls;
    for call in 0..calls.start.len() {
        let name = &messages.functions()[usize::from(calls.function[call])].name;
        let sum = sums.entry(name.clone()).or_default();
        *sum = (sum.0 + 1, sum.1 + calls.end[call] - calls.start[call]);
    }
    sums
}

#[test]
fn call_trees_agree_with_the_calls_of_mpi() {
    for name in traces::present("otf2", &traces::OTF2) {
        let folder = traces::unpacked("otf2", name);
        let (calls, messages) = open(folder.path());
        profile::adds_up(&calls);
        assert_eq!(calls.place_count(), messages.summary().ranks as usize, "{name}");
        let visits = flat(&calls, 1);
        let times = flat(&calls, 0);
        let of = |rows: &[Row], name: &str| {
            let row = rows.iter().find(|row| calls.frames()[row.frame as usize].name == name);
            row.map_or((0, 0), |row| (row.own, row.inclusive))
        };
        let known = of_messages(&messages);
        assert!(known.len() > 2, "{name}");
        for (function, (count, time)) in known {
            assert_eq!(
                (of(&visits, &function).0, of(&times, &function).1),
                (count, time),
                "{name}: {function}"
            );
        }
        assert_eq!(calls.summary().notes, Vec::<String>::new(), "{name}");
    }
}

/// Packs the files of an archive as OTF2 before 3.0 did. Writers left as many bytes for a chunk as it has unpacked.
fn pack(folder: &Path, pad: bool) {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    for path in files {
        let bytes = fs::read(&path).unwrap();
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("otf2") => {
                let mut bytes = bytes;
                bytes[29] = 2;
                fs::write(&path, bytes).unwrap();
            }
            Some(ending @ ("evt" | "def")) => {
                fs::write(&path, packed(&bytes, ending == "evt", folder, pad)).unwrap()
            }
            _ => {}
        }
    }
}

fn packed(bytes: &[u8], is_events: bool, folder: &Path, pad: bool) -> Vec<u8> {
    let anchor = fs::read(folder.join("coll16/traces.otf2")).unwrap();
    let at = if is_events { 12 } else { 20 };
    let size = u64::from_le_bytes(anchor[at..at + 8].try_into().unwrap()) as usize;
    let (mut out, mut before) = (Vec::new(), 0u32);
    for chunk in bytes.chunks(size) {
        let mut packed = Vec::with_capacity(chunk.len() + 1024);
        let mut stream = flate2::Compress::new(flate2::Compression::default(), true);
        stream.compress_vec(chunk, &mut packed, flate2::FlushCompress::Full).unwrap();
        assert_eq!(stream.total_in() as usize, chunk.len());
        out.extend_from_slice(&0xffff_ffffu64.to_le_bytes());
        for number in [packed.len() as u32, chunk.len() as u32, before] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        before = packed.len() as u32;
        if pad {
            packed.resize(packed.len().max(chunk.len()), 0);
        }
        out.extend(packed);
    }
    out
}

#[test]
fn packed_archives_are_the_same() {
    let folder = traces::unpacked("otf2", "coll16");
    let (calls, messages) = open(folder.path());
    let of = |calls: &Calls, messages: &Messages| {
        let total = calls.inclusive(0, NodeId::ROOT);
        (total, calls.node_count(), of_messages(messages), messages.summary().clone())
    };
    let plain = of(&calls, &messages);
    for pad in [false, true] {
        let folder = traces::unpacked("otf2", "coll16");
        pack(folder.path(), pad);
        let (calls, messages) = open(folder.path());
        assert_eq!(of(&calls, &messages), plain);
        // Damage is found where the chunk is.
        let file = folder.path().join("coll16/traces/0.evt");
        let mut bytes = fs::read(&file).unwrap();
        bytes[25] ^= 0xff;
        fs::write(&file, &bytes).unwrap();
        let error = import(folder.path(), &folder.path().join("x.crosscut"), &Options::default(), &Quiet)
            .unwrap_err();
        assert_eq!((error.path(), error.offset()), (Some(file.as_path()), Some(20)), "{error}");
    }
}
