//! Readers of foreign files. What was imported is opened and told of, as `info` and `report` do.

use std::fs;
use std::path::{Path, PathBuf};

use crosscut_import::{Options, Quiet, import};
use crosscut_run::Run;
use crosscut_view::REGISTRY;
use crosscut_workbench::{OpenRun, Settings, Workbench};
use tempfile::TempDir;

use super::{Started, files, fixtures};

/// A reader of one file: seeds are the fixtures in a folder with this ending.
pub fn file(format: &'static str, folder: &str, ending: &str) -> Started {
    let is_sample = |path: &PathBuf| path.extension().is_some_and(|other| other == ending);
    let samples = files(&fixtures().join(folder)).into_iter().filter(is_sample);
    let seeds: Vec<Vec<u8>> =
        samples.filter_map(|path| fs::read(path).ok()).filter(|bytes| bytes.len() < 1 << 19).collect();
    let work = work();
    let input = work.path().join(format!("input.{ending}"));
    let is_read = |seed: &Vec<u8>| fs::write(&input, seed).is_ok() && imported(&input, work.path(), format);
    assert!(seeds.iter().any(is_read), "a sample of {format} is read");
    let run = move |bytes: &[u8]| {
        if fs::write(&input, bytes).is_ok() {
            imported(&input, work.path(), format);
        }
    };
    (seeds, Box::new(run))
}

/// A reader of several files, kept as an archive: the first byte says which of them is replaced by the rest.
pub fn trace(format: &'static str, archive: &str) -> Started {
    let from = work();
    let bytes = fs::File::open(fixtures().join(archive)).expect("an archive");
    tar::Archive::new(flate2::read::GzDecoder::new(bytes)).unpack(from.path()).expect("its files");
    several(format, from)
}

/// The same for the files of a folder.
pub fn folder(format: &'static str, folder: &str) -> Started {
    let from = work();
    for path in files(&fixtures().join(folder)) {
        let name = path.file_name().expect("a name");
        fs::copy(&path, from.path().join(name)).expect("a copy of a sample");
    }
    several(format, from)
}

fn several(format: &'static str, from: TempDir) -> Started {
    let all = files(from.path());
    assert!(imported(from.path(), work().path(), format), "the sample of {format} is read");
    let seed =
        |(number, path): (usize, &PathBuf)| Some([&[number as u8][..], &fs::read(path).ok()?].concat());
    let seeds = all.iter().enumerate().filter_map(seed).collect();
    let work = work();
    let run = move |bytes: &[u8]| {
        let Some((&number, rest)) = bytes.split_first() else { return };
        let changed = &all[usize::from(number) % all.len()];
        let Ok(whole) = fs::read(changed) else { return };
        if fs::write(changed, rest).is_ok() {
            imported(from.path(), work.path(), format);
        }
        fs::write(changed, whole).expect("the file as it was");
    };
    (seeds, Box::new(run))
}

/// Where files of a target lie: in memory where the system has such a folder.
pub fn work() -> TempDir {
    let shared = Path::new("/dev/shm");
    let made = if shared.is_dir() { tempfile::tempdir_in(shared) } else { tempfile::tempdir() };
    made.expect("a folder for the inputs")
}

/// Imports, and tells of what became of it. Says whether it could be read.
pub fn imported(input: &Path, work: &Path, format: &str) -> bool {
    let target = work.join("target.crosscut");
    let _ = fs::remove_dir_all(&target);
    let options = Options { format: Some(format.to_owned()), ..Options::default() };
    let is_read = import(input, &target, &options, &Quiet).is_ok();
    if is_read {
        told(&target);
    }
    is_read
}

/// What `info` and `report` do.
pub fn told(path: &Path) {
    let Ok(run) = Run::open(path) else { return };
    let Ok(open) = OpenRun::open(run, REGISTRY, &Settings::new()) else { return };
    let bench = Workbench::new(vec![open], "");
    let _ = bench.info(0);
    let _ = bench.report(0);
}
