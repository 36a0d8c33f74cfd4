//! The disk is full while a program is recorded: the program does not notice, and what is lost is told.

use crate::common;

use std::path::Path;
use std::process::Command;

use common::{COMPILERS, crosscut, example, info, number_after, recorder};

/// How to get a file system of our own, if that is possible here.
fn namespace() -> Option<Vec<&'static str>> {
    let ways = [vec!["unshare", "--mount"], vec!["unshare", "--user", "--map-root-user", "--mount"]];
    let mut why = String::new();
    for way in ways {
        let script = "mount -t tmpfs -o size=64k none /tmp";
        match Command::new(way[0]).args(&way[1..]).args(["sh", "-c", script]).output() {
            Ok(output) if output.status.success() => return Some(way),
            Ok(output) => why += &String::from_utf8_lossy(&output.stderr),
            Err(error) => why += &error.to_string(),
        }
    }
    println!("not tested: there is no way to mount a small disk here: {why}");
    None
}

/// Runs a script with a small disk at `small`, in a folder that stays.
fn with_small_disk(size: &str, folder: &Path, script: &str) -> Option<(i32, String, String)> {
    with_small_disk_for("clang", size, folder, script)
}

/// The same with examples of a compiler; `size` may be more options of the file system.
fn with_small_disk_for(
    compiler: &str,
    size: &str,
    folder: &Path,
    script: &str,
) -> Option<(i32, String, String)> {
    let way = namespace()?;
    std::fs::create_dir_all(folder.join("small")).unwrap();
    let script = format!("mount -t tmpfs -o size={size} none small || exit 99\n{script}");
    let mut command = Command::new(way[0]);
    command.args(&way[1..]).args(["sh", "-c", &script]).current_dir(folder);
    command.env("CROSSCUT", crosscut(folder).get_program()).env("CROSSCUT_RECORDER", recorder());
    command.env("PROGRAM", example(compiler, "nqueens")).env("FIB", example(compiler, "fib"));
    command.env("OMP_NUM_THREADS", "2").env_remove("LD_PRELOAD");
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Some((output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr)))
}

/// The recorder alone, then a run of what it could store.
const RECORDER_ONLY: &str = r#"
LD_PRELOAD="$CROSSCUT_RECORDER" CROSSCUT_EVENTS="$PWD/small/events" OMP_TOOL=enabled "$PROGRAM" 12 6
echo "exit $?"
"$CROSSCUT" import small/events -o run.crosscut >import.out 2>import.err
echo "import $?"
"#;

#[test]
fn a_program_goes_on_when_the_disk_is_full() {
    // Room for the header of a file, for one chunk, for one chunk of each thread, for several.
    for (size, makes_a_run) in [("16k", false), ("300k", true), ("640k", true), ("1200k", true), ("2m", true)]
    {
        let folder = tempfile::tempdir().unwrap();
        let Some((_, said, errors)) = with_small_disk(size, folder.path(), RECORDER_ONLY) else { return };
        let import = std::fs::read_to_string(folder.path().join("import.err")).unwrap_or_default();
        let what = format!("{size}: {said}{errors}{import}");
        assert!(said.starts_with("nqueens(12) = 14200, tasks 74666\nexit 0\n"), "{what}");
        assert_eq!(errors, "", "the recorder says nothing: {what}");
        assert!(!import.contains("panicked"), "{what}");
        if !makes_a_run {
            println!("{what}");
            continue;
        }
        assert!(said.ends_with("import 0\n"), "{what}");
        let info = info(&folder.path().join("run.crosscut"));
        assert!(info.is_partial(), "{what}{}", info.text());
        let dropped = info.number("dropped_events");
        assert!(dropped > 0, "{what}{}", info.text());
        let said: i64 = import.lines().filter_map(|line| number_after(line, "lost")).sum();
        assert_eq!(said, dropped, "{what}");
        assert!(import.contains("No space left on device"), "{what}");
        assert!(info.number("tasks") < 74_666, "{what}");
    }
}

#[test]
fn a_run_that_finds_no_room_keeps_the_events() {
    let script = r#"
"$CROSSCUT" record -o small/run.crosscut -- "$FIB" 2>record.err
echo "exit $?"
ls small >left
events=$(ls -d small/run.events-* 2>/dev/null)
test -n "$events" && "$CROSSCUT" import "$events" -o elsewhere.crosscut 2>import.err >/dev/null
echo "import $?"
"#;
    let folder = tempfile::tempdir().unwrap();
    let Some((_, said, errors)) = with_small_disk("600k", folder.path(), script) else { return };
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    let what = format!("{said}{errors}{}{}{}", read("record.err"), read("left"), read("import.err"));
    // The program ended well, but not the recording.
    assert!(said.starts_with("fib(27) = 196418, tasks 510\nexit 2\nimport 0\n"), "{what}");
    let said = read("record.err");
    assert!(said.contains("No space left on device") && said.contains("crosscut import"), "{what}");
    assert!(!said.contains("panicked"), "{what}");
    assert!(!read("left").contains("run.crosscut"), "{what}");
    let info = info(&folder.path().join("elsewhere.crosscut"));
    assert_eq!(info.number("tasks"), 510, "{what}");
    assert_eq!(info.number("dropped_events"), 0, "{what}");
}

#[test]
fn what_was_lost_is_told_by_record() {
    // The events are on a small disk, which the program itself puts there; the run is not.
    let script = r#"
"$CROSSCUT" record -o run.crosscut -- \
    sh -c 'mount -t tmpfs -o size=1m none "$CROSSCUT_EVENTS" && exec "$PROGRAM" 12 6' 2>record.err
echo "exit $?"
"#;
    let folder = tempfile::tempdir().unwrap();
    let Some((_, said, errors)) = with_small_disk("64k", folder.path(), script) else { return };
    let record = std::fs::read_to_string(folder.path().join("record.err")).unwrap();
    assert!(said.starts_with("nqueens(12) = 14200, tasks 74666\nexit 0\n"), "{said}{errors}{record}");
    let info = info(&folder.path().join("run.crosscut"));
    let dropped = info.number("dropped_events");
    assert!(dropped > 0 && info.is_partial(), "{record}{}", info.text());
    assert!(record.contains(&format!("{dropped} events could not be stored")), "{record}");
    assert!(record.contains("partial: ") && !record.contains("panicked"), "{record}");
}

#[test]
fn a_disk_without_any_room_is_told() {
    let script = r#"
"$CROSSCUT" record -o run.crosscut -- \
    sh -c 'mount -t tmpfs -o size=4k none "$CROSSCUT_EVENTS" && exec "$PROGRAM" 12 6' 2>record.err
echo "exit $?"
"#;
    let folder = tempfile::tempdir().unwrap();
    let Some((_, said, errors)) = with_small_disk("64k", folder.path(), script) else { return };
    let record = std::fs::read_to_string(folder.path().join("record.err")).unwrap();
    assert!(said.starts_with("nqueens(12) = 14200, tasks 74666\n"), "{said}{errors}{record}");
    // It has tasks; what it had not is room.
    assert!(record.contains("room") || record.contains("No space left on device"), "{record}");
}

/// Everything on the small disk: events and run.
const ALL_SMALL: &str = r#"
"$CROSSCUT" record -o small/run.crosscut -- "$PROGRAM" 12 6 2>record.err
echo "exit $?"
ls small >left
test -d small/run.crosscut && "$CROSSCUT" info --check small/run.crosscut >info.out 2>&1
true
"#;

#[test]
fn a_full_disk_leaves_room_for_the_run() {
    for compiler in COMPILERS {
        let folder = tempfile::tempdir().unwrap();
        let Some((_, said, errors)) = with_small_disk_for(compiler, "4m", folder.path(), ALL_SMALL) else {
            return;
        };
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
        let what =
            format!("{compiler}: {said}{errors}{}{}{}", read("record.err"), read("left"), read("info.out"));
        assert_eq!(said, "nqueens(12) = 14200, tasks 74666\nexit 0\n", "{what}");
        assert_eq!(read("left"), "run.crosscut\n", "{what}");
        for text in [read("record.err"), read("info.out")] {
            assert!(text.contains("the recording ended") && text.contains("the program went on"), "{what}");
            assert!(text.contains("No space left on device"), "{what}");
        }
    }
}

#[test]
fn a_disk_too_small_for_most_runs_is_told() {
    for compiler in COMPILERS {
        let folder = tempfile::tempdir().unwrap();
        let Some((_, said, errors)) = with_small_disk_for(compiler, "1m", folder.path(), ALL_SMALL) else {
            return;
        };
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
        let (record, left) = (read("record.err"), read("left"));
        let what = format!("{compiler}: {said}{errors}{record}{left}");
        // As the program printed it. A run of what two windows hold fits or not, by a few pages; then the events are kept.
        let exit = said.strip_prefix("nqueens(12) = 14200, tasks 74666\nexit ").expect(&what);
        match exit.trim() {
            "0" => assert_eq!(left, "run.crosscut\n", "{what}"),
            code => assert!(code == "2" && record.contains("crosscut import"), "{what}"),
        }
        assert!(record.contains("the recording ended") && record.contains("the program went on"), "{what}");
        assert!(record.contains("No space left on device"), "{what}");
    }
}

#[test]
fn a_disk_without_inodes_is_told() {
    for compiler in COMPILERS {
        // The disk itself, a folder and a page of `crosscut record`; then what the recorder makes, one after the other.
        for inodes in ["3", "4", "5", "6", "7"] {
            let folder = tempfile::tempdir().unwrap();
            let options = format!("8m,nr_inodes={inodes}");
            let small = with_small_disk_for(compiler, &options, folder.path(), ALL_SMALL);
            let Some((_, said, errors)) = small else { return };
            let record = std::fs::read_to_string(folder.path().join("record.err")).unwrap();
            let what = format!("{compiler}, {inodes} inodes: {said}{errors}{record}");
            assert!(record.contains("No space left on device"), "{what}");
            assert!(!record.contains("panicked"), "{what}");
            // It is not begun, or goes on.
            if inodes == "3" && said == "exit 2\n" {
                continue;
            }
            assert!(said.starts_with("nqueens(12) = 14200, tasks 74666\nexit "), "{what}");
            assert!(record.contains("the program went on") || record.contains("crosscut import"), "{what}");
        }
    }
}
