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
    let seeds = samples.filter_map(|path| fs::read(path).ok()).filter(|bytes| bytes.len() < 1 << 19).collect();
    let work = work();
    let input = work.path().join(format!("input.{ending}"));
    let run = move |bytes: &[u8]| {
        if fs::write(&input, bytes).is_ok() {
            imported(&input, work.path(), format);
        }
    };
    (seeds, Box::new(run))
}

/// A reader of several files: the first byte says which of them is replaced by the rest.
pub fn folder(format: &'static str, folder: &str) -> Started {
    let from = fixtures().join(folder);
    let all = files(&from);
    let seed = |(number, path): (usize, &PathBuf)| Some([&[number as u8][..], &fs::read(path).ok()?].concat());
    let seeds = all.iter().enumerate().filter_map(seed).filter(|bytes| bytes.len() < 1 << 19).collect();
    let work = work();
    let run = move |bytes: &[u8]| {
        let Some((&number, rest)) = bytes.split_first() else { return };
        let input = work.path().join("input");
        let _ = fs::remove_dir_all(&input);
        for (other, path) in all.iter().enumerate() {
            let Ok(name) = path.strip_prefix(&from) else { continue };
            let target = input.join(name);
            let _ = target.parent().map(fs::create_dir_all);
            let is_replaced = other == usize::from(number) % all.len();
            let _ = if is_replaced { fs::write(target, rest) } else { fs::copy(path, target).map(drop) };
        }
        // A folder of several traces: the one of the file that was changed.
        let changed = all[usize::from(number) % all.len()].strip_prefix(&from).ok();
        let trace = changed.and_then(Path::parent).map_or(input.clone(), |trace| input.join(trace));
        imported(&trace, work.path(), format);
    };
    (seeds, Box::new(run))
}

/// Where files of a target lie: in memory where the system has such a folder.
pub fn work() -> TempDir {
    let shared = Path::new("/dev/shm");
    let made = if shared.is_dir() { tempfile::tempdir_in(shared) } else { tempfile::tempdir() };
    made.expect("a folder for the inputs")
}

/// Imports, and tells of what became of it.
pub fn imported(input: &Path, work: &Path, format: &str) {
    let target = work.join("target.crosscut");
    let _ = fs::remove_dir_all(&target);
    let options = Options { format: Some(format.to_owned()), ..Options::default() };
    if import(input, &target, &options, &Quiet).is_ok() {
        told(&target);
    }
}

/// What `info` and `report` do.
pub fn told(path: &Path) {
    let Ok(run) = Run::open(path) else { return };
    let Ok(open) = OpenRun::open(run, REGISTRY, &Settings::new()) else { return };
    let bench = Workbench::new(vec![open], "");
    let _ = bench.info(0);
    let _ = bench.report(0);
}
