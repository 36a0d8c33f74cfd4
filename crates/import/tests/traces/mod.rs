//! Traces of MPI programs, unpacked where a test wants them, and what the programs themselves logged.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// All DUMPI traces.
pub const DUMPI: [&str; 7] = ["bswap8", "bswap16", "coll16", "halo27", "integ16", "integ64", "swap23_27"];
/// Those that there are as OTF2 too.
pub const OTF2: [&str; 4] = ["bswap16", "coll16", "integ16", "integ64"];

/// Where a sample is: in the repository, or beside it.
pub fn path(kind: &str, name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    ["fixtures/messages", "../shared/data/made"]
        .iter()
        .map(|folder| root.join(folder).join(kind).join(name))
        .find(|path| path.is_file())
}

/// Those of the samples that are on this machine; says which are not.
pub fn present(kind: &str, names: &[&'static str]) -> Vec<&'static str> {
    let is_there = |name: &&&str| path(kind, &format!("{name}.tar.gz")).is_some();
    for name in names.iter().filter(|name| !is_there(name)) {
        println!("SKIPPED: {kind}/{name}.tar.gz is neither in fixtures/messages nor in ../shared/data/made");
    }
    let found: Vec<&'static str> = names.iter().filter(is_there).copied().collect();
    assert!(found.len() >= 2, "two samples of each kind belong to the repository");
    found
}

/// The text of a compressed file.
pub fn text(path: &Path) -> String {
    let mut text = String::new();
    flate2::read::GzDecoder::new(fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

/// Unpacks a sample into a folder.
pub fn unpack(kind: &str, name: &str, folder: &Path) {
    let path = path(kind, &format!("{name}.tar.gz")).unwrap();
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(fs::File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    let mut at = 0;
    while let Some(header) = bytes.get(at..at + 512).filter(|header| header[0] != 0) {
        let until_nul = |field: &[u8]| {
            let end = field.iter().position(|&byte| byte == 0).unwrap_or(field.len());
            String::from_utf8(field[..end].to_vec()).unwrap()
        };
        let name = until_nul(&header[..100]);
        let size = usize::from_str_radix(until_nul(&header[124..136]).trim(), 8).unwrap();
        let target = folder.join(name.trim_start_matches("./"));
        match header[156] {
            b'5' => fs::create_dir_all(&target).unwrap(),
            b'0' | 0 => {
                fs::create_dir_all(target.parent().unwrap()).unwrap();
                fs::write(&target, &bytes[at + 512..at + 512 + size]).unwrap();
            }
            kind => panic!("{name}: an entry of kind {kind}"),
        }
        at += 512 + size.next_multiple_of(512);
    }
}

/// A DUMPI trace in a folder of its own.
pub fn unpacked(kind: &str, name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    unpack(kind, name, folder.path());
    folder
}

/// A line of what a program logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    pub kind: String,
    pub source: u32,
    /// The receiver or the root; −1 where there is none.
    pub to: i64,
    pub bytes: i64,
    pub tag: u32,
}

/// What the ranks of a program logged, in the order of ranks and of their logs.
pub fn logged(folder: &Path) -> Vec<Logged> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "csv"));
    files.sort();
    assert!(!files.is_empty());
    let lines = files.iter().flat_map(|path| {
        let text = fs::read_to_string(path).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    lines
        .map(|line| {
            let field: Vec<&str> = line.split(',').collect();
            Logged {
                kind: field[2].to_owned(),
                source: field[3].parse().unwrap(),
                to: field[4].parse().unwrap(),
                bytes: field[5].parse().unwrap(),
                tag: field[6].parse().unwrap(),
            }
        })
        .collect()
}

/// Messages as counts by source, destination, tag and bytes.
pub type Counts = BTreeMap<(u32, u32, u32, i64), usize>;

/// The messages that a program logged.
pub fn logged_messages(logged: &[Logged]) -> Counts {
    let mut counts = Counts::new();
    for line in logged.iter().filter(|line| line.kind == "p2p") {
        *counts.entry((line.source, line.to as u32, line.tag, line.bytes)).or_default() += 1;
    }
    counts
}
