//! Runs from strangers: files that are no plain files, tables that claim to hold more than there is, columns that are cut
//! while they are open. Refused in words, with no more memory than the files account for.

mod made;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray};
use crosscut_run::{BLOCK, BlockCheck, Run, RunWriter};
use made::fresh_dir;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

/// What this process has had at most, in bytes.
fn most_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("linux");
    let line = status.lines().find(|line| line.starts_with("VmHWM")).expect("a line");
    1024 * line.split_whitespace().nth(1).expect("a number").parse::<u64>().expect("a number")
}

/// Puts a table of another content in the place of `places`, with a manifest that agrees.
fn with_places(path: &Path, write: impl FnOnce(fs::File)) {
    let file = path.join("places.parquet");
    write(fs::File::create(&file).expect("a file"));
    let bytes = fs::read(&file).expect("a file");
    let text = fs::read_to_string(path.join("manifest.json")).expect("a manifest");
    let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    json["parts"]["places"]["bytes"] = bytes.len().into();
    json["parts"]["places"]["hash"] = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&bytes)).into();
    json.as_object_mut().expect("an object").remove("checksum");
    fs::write(path.join("manifest.json"), json.to_string()).expect("written");
}

fn properties() -> WriterProperties {
    WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build()
}

/// Thirty million equal numbers in a few kilobytes: 720 MB when they are unpacked.
fn equal_numbers(file: fs::File) {
    let column = || Arc::new(Int64Array::from(vec![7i64; 1 << 20])) as ArrayRef;
    let rows = RecordBatch::try_from_iter([("process", column()), ("worker", column()), ("core", column())]);
    let rows = rows.expect("rows");
    let mut writer = ArrowWriter::try_new(file, rows.schema(), Some(properties())).expect("a writer");
    for _ in 0..30 {
        writer.write(&rows).expect("written");
    }
    writer.close().expect("written");
}

/// A long word, sixty thousand times: a gigabyte when it is unpacked.
fn long_words(file: fs::File) {
    let words = StringArray::from(vec!["a".repeat(1 << 14)]);
    let rows = DictionaryArray::<Int32Type>::try_new(Int32Array::from(vec![0; 60_000]), Arc::new(words));
    let rows =
        RecordBatch::try_from_iter([("file", Arc::new(rows.expect("words")) as ArrayRef)]).expect("rows");
    let mut writer = ArrowWriter::try_new(file, rows.schema(), Some(properties())).expect("a writer");
    writer.write(&rows).expect("written");
    writer.close().expect("written");
}

#[test]
fn a_small_table_takes_little_memory() {
    let dir = fresh_dir();
    type Write = fn(fs::File);
    for (name, write) in [("numbers", equal_numbers as Write), ("words", long_words as Write)] {
        let path = dir.path().join(format!("{name}.crosscut"));
        made::write(&path);
        with_places(&path, write);
        let size = fs::metadata(path.join("places.parquet")).expect("a table").len();
        assert!(size < 400_000, "{name}: {size} bytes");
        let before = most_memory();
        let error = Run::open(&path).expect("a run").table("places").expect_err(name).to_string();
        assert!(error.contains("places.parquet") && error.contains("more than"), "{error}");
        let taken = most_memory() - before;
        // Other tests run beside this one.
        assert!(taken < 400 << 20, "{name} took {taken} bytes");
    }
}

/// Any byte of a table replaced, with a manifest that agrees: read or refused, never a panic out of it, never much memory.
#[test]
fn a_changed_table_takes_little_memory() {
    let dir = fresh_dir();
    let path = dir.path().join("t.crosscut");
    made::write(&path);
    let sound = fs::read(path.join("places.parquet")).expect("a table");
    let before = most_memory();
    let mut read = 0;
    for at in 0..sound.len() {
        for byte in [0, 0x7f, 0xff, sound[at] ^ 1, sound[at].wrapping_add(16)] {
            let mut bytes = sound.clone();
            bytes[at] = byte;
            with_places(&path, |mut file| std::io::Write::write_all(&mut file, &bytes).expect("written"));
            read += u32::from(Run::open(&path).expect("a run").places().is_ok());
        }
    }
    assert!(read > 0, "some bytes do not matter");
    let taken = most_memory() - before;
    assert!(taken < 200 << 20, "{taken} bytes");
}

/// Tables and manifests of a size that nobody has paid for on disk, or that none ever has.
#[test]
fn what_is_not_on_disk_takes_no_memory() {
    let dir = fresh_dir();
    let path = dir.path().join("t.crosscut");
    made::write(&path);
    let grow = |name: &str, len: u64| {
        fs::File::options().write(true).open(path.join(name)).expect("a file").set_len(len).expect("longer");
    };
    // As long as no machine's memory.
    const LEN: u64 = 1 << 40;
    grow("places.parquet", LEN);
    let text = fs::read_to_string(path.join("manifest.json")).expect("a manifest");
    let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    json["parts"]["places"]["bytes"] = LEN.into();
    json.as_object_mut().expect("an object").remove("checksum");
    fs::write(path.join("manifest.json"), json.to_string()).expect("written");
    let error = Run::open(&path).expect("a run").table("places").expect_err("a table").to_string();
    assert!(error.contains("nearly nothing of its file is on disk"), "{error}");
    grow("manifest.json", LEN);
    let error = Run::open(&path).expect_err("a manifest").to_string();
    assert!(error.contains("manifest.json: more than 16777216 bytes"), "{error}");
}

#[test]
fn only_plain_files_inside_the_run_are_read() {
    let dir = fresh_dir();
    let outside = dir.path().join("outside.crosscut");
    let run = made::write(&outside);
    let (column, about) =
        run.manifest().all_parts().find(|(_, part)| part.value.is_some()).expect("a column");
    let file = about.file(&column);
    let expect = |case: &str, change: &dyn Fn(&Path), part: &str| {
        let path = dir.path().join(format!("{case}.crosscut"));
        made::write(&path);
        change(&path);
        let error = match Run::open(&path) {
            Err(error) => error.to_string(),
            Ok(run) => match part {
                "places" => run.places().expect_err(case).to_string(),
                _ => run.check().into_iter().next().map(|damage| damage.why).expect(case),
            },
        };
        assert!(error.contains("link") || error.contains("regular file"), "{case}: {error}");
    };
    let replace = |path: &Path, with: &dyn Fn(&Path)| {
        fs::remove_file(path).expect("removed");
        with(path);
    };
    let link = |to: &Path, at: &Path| std::os::unix::fs::symlink(to, at).expect("a link");
    expect("link", &|run| replace(&run.join(&file), &|at| link(&outside.join(&file), at)), &column);
    expect(
        "device",
        &|run| replace(&run.join("places.parquet"), &|at| link(Path::new("/dev/zero"), at)),
        "places",
    );
    expect(
        "manifest",
        &|run| replace(&run.join("manifest.json"), &|at| link(Path::new("/dev/zero"), at)),
        "",
    );
    // A pipe: opening it would wait for somebody who writes.
    let pipe = |at: &Path| assert!(Command::new("mkfifo").arg(at).status().expect("mkfifo").success());
    expect("pipe", &|run| replace(&run.join("places.parquet"), &pipe), "places");
    expect("pipe column", &|run| replace(&run.join(&file), &pipe), &column);
    let folder = Path::new(&file).parent().expect("a folder").to_owned();
    let linked = |run: &Path| {
        fs::remove_dir_all(run.join(&folder)).expect("removed");
        link(&outside.join(&folder), &run.join(&folder));
    };
    expect("folder", &linked, &column);
}

#[test]
fn a_changed_manifest_is_noticed() {
    let dir = fresh_dir();
    let path = dir.path().join("m.crosscut");
    made::write(&path);
    let file = path.join("manifest.json");
    let text = fs::read_to_string(&file).expect("a manifest");
    assert!(text.starts_with("{\n  \"checksum\": \""), "{text}");
    assert!(Run::open(&path).is_ok());
    let host = text.find("\"host\"").expect("a host");
    for at in [host + 1, text.len() / 2, 20] {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1;
        fs::write(&file, bytes).expect("written");
        assert!(Run::open(&path).is_err(), "byte {at}");
    }
    let changed = text.replacen("\"time\"", "\"timd\"", 1);
    fs::write(&file, changed).expect("written");
    let error = Run::open(&path).expect_err("changed").to_string();
    assert!(error.contains("manifest.json"), "{error}");
}

/// A run with a column of ten blocks.
fn large(path: &Path) -> Run {
    let mut run = RunWriter::create(path).expect("a new run");
    let rows = 10 * BLOCK as usize / 8 - 1000;
    let mut column = run.column::<i64>("calls/cost", rows).expect("a column");
    column.iter_mut().enumerate().for_each(|(i, value)| *value = i as i64);
    run.put(column).expect("put");
    run.finish().expect("a run")
}

#[test]
fn a_damaged_block_is_found_and_what_is_looked_at_comes_first() {
    let dir = fresh_dir();
    let run = large(&dir.path().join("large.crosscut"));
    let part = run.manifest().part("calls/cost").expect("a part").clone();
    assert_eq!(part.blocks.as_ref().map(String::len), Some(160));
    let through = |run: &Run| {
        let mut check = BlockCheck::new(run);
        while check.step() {}
        check.damages().to_vec()
    };
    assert_eq!(through(&run), []);
    let mut check = BlockCheck::new(&run);
    assert_eq!(check.upcoming(), Some(("calls/cost".to_owned(), 0)));
    let column = run.column::<i64>("calls/cost").expect("a column");
    let at = 15 * BLOCK as usize / 16; // in the middle: the kernel maps what lies beside it, too
    assert_eq!(column[at], at as i64);
    assert_eq!(check.upcoming(), Some(("calls/cost".to_owned(), 7)), "what was looked at");
    drop(column);
    let file = run.path().join("calls/cost.arrow");
    let mut bytes = fs::read(&file).expect("a column");
    bytes[3 * BLOCK as usize + 5] ^= 1;
    fs::write(&file, bytes).expect("written");
    let damages = through(&run);
    assert_eq!(damages.len(), 1, "{damages:?}");
    assert!(damages[0].why.contains(&format!("from byte {}", 3 * BLOCK)), "{damages:?}");
}

/// Set for the process that is to die.
const CUT: &str = "CROSSCUT_TEST_CUT";

/// A column that is cut while it is open: the program ends with its name, not without a word.
#[test]
fn a_column_that_is_cut_is_named() {
    if let Some(path) = std::env::var_os(CUT) {
        crosscut_run::tell_when_cut();
        let run = Run::open(Path::new(&path)).expect("a run");
        let column = run.column::<i64>("calls/cost").expect("a column");
        let file =
            fs::OpenOptions::new().write(true).open(run.path().join("calls/cost.arrow")).expect("a file");
        file.set_len(BLOCK).expect("cut");
        let sum = column.iter().fold(0i64, |sum, value| sum.wrapping_add(*value));
        println!("{sum}: read what is not there");
        return;
    }
    let dir = fresh_dir();
    let run = large(&dir.path().join("cut.crosscut"));
    let this = std::env::current_exe().expect("this test");
    let child = Command::new(this)
        .args(["--exact", "a_column_that_is_cut_is_named", "--nocapture"])
        .env(CUT, run.path())
        .output()
        .expect("a process");
    let said = String::from_utf8_lossy(&child.stderr);
    assert_eq!(child.status.code(), Some(2), "{said}");
    assert!(said.contains("cost.arrow: cut short"), "{said}");
}

/// Set in the process that notices.
const NOTICED: &str = "CROSSCUT_TEST_NOTICED";

/// A library goes on: what was read is refused, as long as the run is open, and nothing else is.
#[test]
fn what_is_cut_is_noticed() {
    if let Some(path) = std::env::var_os(NOTICED) {
        crosscut_run::notice_when_cut();
        let run = Run::open(Path::new(&path)).expect("a run");
        let column = run.column::<i64>("calls/cost").expect("a column");
        let sum = || column.iter().fold(0i64, |sum, value| sum.wrapping_add(*value));
        crosscut_run::noticed(sum).expect("a whole column");
        let file =
            fs::OpenOptions::new().write(true).open(run.path().join("calls/cost.arrow")).expect("a file");
        file.set_len(BLOCK).expect("cut");
        let refused = crosscut_run::noticed(sum).unwrap_err().to_string();
        assert!(refused.contains("cost.arrow: cut short"), "{refused}");
        assert!(crosscut_run::noticed(|| 1).is_err(), "it is still open");
        drop((column, run));
        assert_eq!(crosscut_run::noticed(|| 1), Ok(1));
        println!("went on");
        return;
    }
    let dir = fresh_dir();
    let run = large(&dir.path().join("cut.crosscut"));
    let child = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "what_is_cut_is_noticed", "--nocapture"])
        .env(NOTICED, run.path())
        .output()
        .expect("a process");
    let (said, out) = (String::from_utf8_lossy(&child.stderr), String::from_utf8_lossy(&child.stdout));
    assert!(child.status.success() && out.contains("went on"), "{said}{out}");
    assert_eq!(said.matches("cost.arrow: cut short").count(), 1, "{said}");
}
