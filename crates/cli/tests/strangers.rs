//! Every fixture cut short and with flipped bits, through import, info and report: refused in words or answered, never a
//! panic. The seeds are fixed; `cargo xtask fuzz` tries more.

use std::fs;
use std::path::{Path, PathBuf};

use crosscut_chance::Chance;
use crosscut_import::{Options, Quiet, import};
use crosscut_run::Run;
use crosscut_view::REGISTRY;
use crosscut_workbench::{OpenRun, Settings, Workbench};

/// Tries for each file.
const TRIES: u64 = 12;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { all.extend(files(&path)) } else { all.push(path) }
    }
    all.sort();
    all
}

/// Half of the tries cut the file, the others flip a few bits.
fn harmed(sound: &[u8], seed: u64) -> Vec<u8> {
    let mut chance = Chance::new(seed);
    let mut bytes = sound.to_vec();
    if seed.is_multiple_of(2) {
        bytes.truncate(chance.index(sound.len()));
    } else {
        for _ in 0..1 + chance.below(4) {
            let at = chance.index(bytes.len());
            bytes[at] ^= 1 << chance.below(8);
        }
    }
    bytes
}

/// Says what `info` and `report` say of a run, if it can be opened.
fn told(path: &Path, check: &str) -> Result<usize, String> {
    let run = Run::open(path).map_err(|error| error.to_string())?;
    let settings = Settings::from([("check".to_owned(), check.to_owned())]);
    let open = OpenRun::open(run, REGISTRY, &settings).map_err(|refusal| refusal.0)?;
    let bench = Workbench::new(vec![open], "");
    let info = bench.info(0).map_err(|refusal| refusal.0)?;
    let report = bench.report(0).map_err(|refusal| refusal.0)?;
    Ok(info.len() + report.len())
}

#[test]
fn harmed_inputs_are_refused_or_read() {
    let work = tempfile::tempdir().unwrap();
    let (mut refused, mut read) = (0, 0);
    let all = files(&fixtures());
    for (number, file) in all.iter().filter(|file| !file.starts_with(fixtures().join("runs"))).enumerate() {
        let sound = fs::read(file).unwrap();
        let target = work.path().join(format!("{number}.crosscut"));
        if import(file, &target, &Options::default(), &Quiet).is_err() {
            continue; // one of several files, or no sample
        }
        let input = work.path().join(file.file_name().unwrap());
        for seed in 0..TRIES {
            fs::write(&input, harmed(&sound, seed)).unwrap();
            let target = work.path().join(format!("{number}-{seed}.crosscut"));
            match import(&input, &target, &Options::default(), &Quiet) {
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    refused += 1;
                }
                Ok(_) => {
                    told(&target, "now").unwrap();
                    read += 1;
                    fs::remove_dir_all(&target).unwrap();
                }
            }
        }
    }
    assert!(refused > 40 && read > 0, "{refused} refused, {read} read");
}

/// A run of each domain: those that are kept, and two that are made.
fn a_run(name: &str, work: &Path) -> PathBuf {
    let run = work.join("run.crosscut");
    match name {
        "messages" => {
            let options = crosscut_synth::MessageOptions {
                exchanges: crosscut_synth::exchanges("halo,allreduce").unwrap(),
                ranks: 4,
                steps: 3,
                ..crosscut_synth::MessageOptions::default()
            };
            crosscut_synth::messages(&run, &options, &|_, _| {}).unwrap();
        }
        "calls" => {
            import(&fixtures().join("profiles/speedscope.json"), &run, &Options::default(), &Quiet).unwrap();
        }
        _ => {
            let kept = fixtures().join("runs/1").join(name);
            for file in files(&kept) {
                let target = run.join(file.strip_prefix(&kept).unwrap());
                fs::create_dir_all(target.parent().unwrap()).unwrap();
                fs::copy(&file, target).unwrap();
            }
        }
    }
    run
}

/// Small runs are checked when they are opened, whatever is in them: one bit of any part is noticed, and so are values that agree
/// with their checksums and make no sense.
#[test]
fn one_flipped_bit_is_noticed() {
    for (name, folder, sense) in [
        ("synth_random", "tasks", "tasks/len"),
        ("messages", "messages", "messages/call_end"),
        ("calls", "calls", "calls/sum-0"),
    ] {
        let work = tempfile::tempdir().unwrap();
        let run = a_run(name, work.path());
        told(&run, "now").unwrap();
        let parts = files(&run.join(folder));
        assert!(parts.len() > 3, "{name}");
        for file in parts {
            let sound = fs::read(&file).unwrap();
            let mut bytes = sound.clone();
            let at = bytes.len() - 1 - bytes.len() / 3;
            bytes[at] ^= 4;
            fs::write(&file, bytes).unwrap();
            let why = told(&run, "now").unwrap_err();
            assert!(why.contains("checksum") && why.contains(folder), "{}: {why}", file.display());
            // As large runs are opened: shown, or refused for what it says.
            let _ = told(&run, "later");
            fs::write(&file, sound).unwrap();
        }
        // The last value of a column, with a manifest that agrees.
        const BODY: usize = 1024;
        let opened = Run::open(&run).unwrap();
        let (part, file) = (
            opened.manifest().part(sense).unwrap(),
            run.join(opened.manifest().part(sense).unwrap().file(sense)),
        );
        let mut bytes = fs::read(&file).unwrap();
        // Of a time, some minutes more.
        let (width, byte) = if part.value.as_deref() == Some("u32") { (4, 0) } else { (8, 5) };
        bytes[BODY + (part.rows as usize - 1) * width + byte] ^= 0x10;
        fs::write(&file, &bytes).unwrap();
        let mut json: serde_json::Value =
            serde_json::from_slice(&fs::read(run.join("manifest.json")).unwrap()).unwrap();
        json.as_object_mut().unwrap().remove("checksum");
        let text =
            json.to_string().replace(&part.hash, &format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&bytes)));
        fs::write(run.join("manifest.json"), text).unwrap();
        assert_eq!(Run::open(&run).unwrap().check(), [], "{name}: its bytes agree");
        let why = told(&run, "now").unwrap_err();
        assert!(!why.contains("checksum"), "{name}: {why}");
    }
}

#[test]
fn harmed_runs_are_refused_or_shown() {
    let (mut refused, mut shown) = (0, 0);
    for name in ["nested_sections", "synth_random", "messages", "calls"] {
        let work = tempfile::tempdir().unwrap();
        let run = a_run(name, work.path());
        told(&run, "now").unwrap();
        for (number, file) in files(&run).into_iter().enumerate() {
            let sound = fs::read(&file).unwrap();
            for seed in 0..4 {
                fs::write(&file, harmed(&sound, seed + 100 * number as u64)).unwrap();
                // Small runs are checked; as a large run is opened, only sizes are.
                for check in ["now", "later"] {
                    match told(&run, check) {
                        Err(why) => {
                            assert!(!why.is_empty());
                            refused += 1;
                        }
                        Ok(_) => shown += 1,
                    }
                }
            }
            fs::write(&file, sound).unwrap();
        }
    }
    assert!(refused > 200 && shown > 20, "{refused} refused, {shown} shown");
}
