//! Formats are recognised by content; what cannot be imported is refused with a clear message and leaves nothing behind.

use crate::dag_writer;
use crate::samples;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crosscut_import::{
    ImportError, Inputs, Options, Progress, Quiet, READERS, Watch, detect, import, import_set,
};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    fn target(&self) -> PathBuf {
        self.0.path().join("out").join("run.crosscut")
    }

    /// Imports, and checks that a failure leaves nothing where the run would have been.
    fn import(&self, input: &Path, options: &Options) -> Result<(), ImportError> {
        let result = import(input, &self.target(), options, &Quiet).map(|_| ());
        if result.is_err() {
            self.assert_nothing_left();
        }
        result
    }

    fn assert_nothing_left(&self) {
        let left: Vec<_> = match fs::read_dir(self.target().parent().unwrap()) {
            Ok(entries) => entries.map(|entry| entry.unwrap().file_name()).collect(),
            Err(_) => Vec::new(),
        };
        assert!(left.is_empty(), "left behind: {left:?}");
    }
}

fn by_name(name: &str) -> Options {
    Options { format: Some(name.to_owned()), ..Options::default() }
}

#[test]
fn dag_files_are_recognised() {
    for (_, path) in samples::present() {
        let found = detect(&path).unwrap();
        assert_eq!(found[0].0.name(), "dag-recorder");
        assert_eq!(found[0].1.value(), 100);
    }
    // The name does not matter.
    let folder = Folder::new();
    let bytes = fs::read(samples::path("depchain.dag").unwrap()).unwrap();
    assert_eq!(detect(&folder.file("something.txt", &bytes)).unwrap().len(), 1);
}

#[test]
fn grain_graphs_are_recognised() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/grains");
    for (name, format) in [("small.csv", "mir"), ("small.graphml", "graphml")] {
        let found = detect(&Path::new(folder).join(name)).unwrap();
        assert_eq!((found[0].0.name(), found[0].1.value(), found.len()), (format, 100, 1));
    }
    let folder = Folder::new();
    // A column is missing: reading it will say which.
    let found = detect(&folder.file("stats", b"# R\n\"task\",\"parent\",\"joins_at\"\n1,0,0\n")).unwrap();
    assert_eq!((found[0].0.name(), found[0].1.value()), ("mir", 50));
    let found = detect(&folder.file("graph", b"<?xml version='1.0'?><graphml><graph/></graphml>")).unwrap();
    assert_eq!((found[0].0.name(), found[0].1.value()), ("graphml", 60));
}

#[test]
fn other_files_are_not() {
    let folder = Folder::new();
    let others: [&[u8]; 8] = [
        b"task,owner,due\n1,me,never\n",
        b"<?xml version='1.0'?><svg/>",
        b"{\"resourceSpans\": []}",
        b"\x7fELF\x02\x01\x01",
        b"DAG",
        b"dag_recorder format version  1.24 2014/09/18\n",
        b" DAG_RECORDER FORMAT VERSION  1.24 2014/09/18\n",
        &[0; 5000],
    ];
    for bytes in others {
        let path = folder.file("trace.dag", bytes);
        assert!(detect(&path).unwrap().is_empty(), "{}", bytes.escape_ascii());
        let error = folder.import(&path, &Options::default()).unwrap_err();
        assert!(matches!(error, ImportError::Unknown { .. }), "{error}");
        assert_eq!((error.path(), error.offset()), (Some(&*path), Some(0)));
    }
    let path = folder.file("program", b"\x7fELF\x02\x01\x01");
    let text = folder.import(&path, &Options::default()).unwrap_err().to_string();
    assert!(text.contains(r#"begins with "\x7fELF\x02\x01\x01" (7f 45 4c 46 02 01 01)"#), "{text}");
    assert!(text.contains("dag-recorder (DAG Recorder .dag, version 1.24)"), "{text}");
}

#[test]
fn a_format_can_be_asked_for() {
    let folder = Folder::new();
    let path = samples::path("depchain.dag").unwrap();
    let error = folder.import(&path, &by_name("vampir")).unwrap_err();
    assert!(matches!(error, ImportError::NoSuchFormat { .. }));
    assert!(error.to_string().contains("no format `vampir`. Formats known: events"), "{error}");
    let text =
        folder.file("text", b"DAG_RECORDED with something else, long enough to hold a header, but not one");
    let error = folder.import(&text, &by_name("dag-recorder")).unwrap_err();
    assert_eq!(error.offset(), Some(11), "{error}");
    folder.import(&path, &by_name("dag-recorder")).unwrap();
    for reader in READERS {
        assert!(!reader.name().contains(' ') && !reader.title().is_empty());
    }
}

#[test]
fn what_is_no_file_is_said_so() {
    let folder = Folder::new();
    let missing = folder.0.path().join("missing.dag");
    let error = folder.import(&missing, &Options::default()).unwrap_err();
    assert!(error.to_string().ends_with("missing.dag: no such file"), "{error}");
    let error = folder.import(folder.0.path(), &Options::default()).unwrap_err();
    assert!(error.to_string().contains("a directory, not a file"), "{error}");
    let empty = folder.file("empty.dag", b"");
    let error = folder.import(&empty, &Options::default()).unwrap_err();
    assert!(matches!(error, ImportError::Empty { .. }), "{error}");
    assert_eq!((error.path(), error.offset()), (Some(&*empty), Some(0)));
    let error = folder.import(Path::new("/dev/null"), &Options::default()).unwrap_err();
    assert!(error.to_string().contains("a device or pipe"), "{error}");

    let sample = samples::path("depchain.dag").unwrap();
    folder.import(&sample, &Options::default()).unwrap();
    let again = import(&sample, &folder.target(), &Options::default(), &Quiet).unwrap_err();
    assert!(again.to_string().contains("already exists"), "{again}");
    let error =
        import(&folder.target(), &folder.0.path().join("b"), &Options::default(), &Quiet).unwrap_err();
    assert!(error.to_string().contains("this is a run already"), "{error}");
}

/// A folder is a set of files: one that holds a single file is that file, one that no reader knows is refused.
#[test]
fn folders_are_sets_of_files() {
    let folder = Folder::new();
    let set = folder.0.path().join("set");
    fs::create_dir_all(set.join("deep/er")).unwrap();
    let bytes = fs::read(samples::path("depchain.dag").unwrap()).unwrap();
    fs::write(set.join("deep/er/rank.0"), &bytes).unwrap();
    std::os::unix::fs::symlink(&set, set.join("deep/circle")).unwrap();
    assert_eq!(detect(&set).unwrap()[0].0.name(), "dag-recorder");
    folder.import(&set, &Options::default()).unwrap();
    let run = crosscut_run::Run::open(&folder.target()).unwrap();
    assert_eq!(run.manifest().origin.inputs, [(set.display().to_string(), bytes.len() as u64)]);
    fs::remove_dir_all(folder.target()).unwrap();

    fs::write(set.join("rank.1"), b"").unwrap();
    assert!(detect(&set).unwrap().is_empty());
    for options in [Options::default(), by_name("dag-recorder"), by_name("mir")] {
        let error = folder.import(&set, &options).unwrap_err();
        assert!(error.to_string().contains("a directory, not a file; name the file inside"), "{error}");
    }
    let sample = samples::path("depchain.dag").unwrap();
    let error = folder.import(&sample, &by_name("events")).unwrap_err();
    assert!(error.to_string().contains("events are a folder"), "{error}");
}

/// The files of a set, in order, each of which can be opened; progress counts them together.
#[test]
fn a_set_can_be_read_file_by_file() {
    let folder = Folder::new();
    fs::create_dir(folder.0.path().join("ranks")).unwrap();
    let (most, total) = (AtomicU64::new(0), AtomicU64::new(0));
    for (name, text) in [("ranks/b", "second"), ("ranks/a", "one"), ("c", "the third")] {
        folder.file(name, text.as_bytes());
    }
    let progress = Watch {
        report: |done, of| {
            most.fetch_max(done, Ordering::Relaxed);
            total.store(of, Ordering::Relaxed);
        },
        cancel: &AtomicBool::new(false),
    };
    let (ranks, alone) = (folder.0.path().join("ranks"), folder.0.path().join("c"));
    let paths = [alone.as_path(), ranks.as_path()];
    let inputs = Inputs::find(&paths, &progress).unwrap();
    assert_eq!((inputs.bytes(), inputs.folder(), inputs.paths()), (18, None, &paths[..]));
    let mut read = Vec::new();
    for file in inputs.files() {
        let input = inputs.open(file).unwrap();
        read.push(String::from_utf8(input.head().unwrap()).unwrap());
        input.advance(input.size());
        input.advance(1);
    }
    assert_eq!(read, ["the third", "one", "second"]);
    assert_eq!((most.into_inner(), total.into_inner()), (18, 18));
    let error = import_set(&paths, &folder.target(), &Options::default(), &Quiet).unwrap_err();
    assert!(error.to_string().contains("several, not a file"), "{error}");
}

#[test]
fn a_clock_must_make_sense() {
    let folder = Folder::new();
    let path = samples::path("depchain.dag").unwrap();
    for hz in [0.0, -1.0, f64::NAN, f64::INFINITY, 0.5, 1e16] {
        let options = Options { clock_hz: Some(hz), ..Options::default() };
        let error = folder.import(&path, &options).unwrap_err();
        assert!(matches!(error, ImportError::Option(_)), "{hz}: {error}");
    }
}

#[test]
fn progress_reaches_the_end() {
    let folder = Folder::new();
    let path = samples::path("sort_mth4.dag").unwrap();
    let (most, calls) = (AtomicU64::new(0), AtomicUsize::new(0));
    let progress = Watch {
        report: |done, total| {
            assert_eq!(total, 286133);
            assert!(done <= total);
            most.fetch_max(done, Ordering::Relaxed);
            calls.fetch_add(1, Ordering::Relaxed);
        },
        cancel: &AtomicBool::new(false),
    };
    import(&path, &folder.target(), &Options::default(), &progress).unwrap();
    assert_eq!(most.into_inner(), 286133);
    assert!(calls.into_inner() >= 1);
}

/// Stops at the k-th question.
struct StopAt {
    at: usize,
    asked: AtomicUsize,
}

impl Progress for StopAt {
    fn advance(&self, _: u64, _: u64) {}

    fn is_cancelled(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.at
    }
}

#[test]
fn cancelled_at_any_moment_it_leaves_nothing() {
    let folder = Folder::new();
    let nodes = dag_writer::binary_tree(100_000, 2);
    let path = folder.file("big.dag", &dag_writer::dag_bytes(2, &nodes));
    let mut stops = 0;
    for at in 0.. {
        let progress = StopAt { at, asked: AtomicUsize::new(0) };
        match import(&path, &folder.target(), &Options::default(), &progress) {
            Err(ImportError::Cancelled { .. }) => stops += 1,
            Err(error) => panic!("{error}"),
            Ok(run) => {
                assert!(run.check().is_empty());
                break;
            }
        }
        folder.assert_nothing_left();
    }
    assert!(stops > 10, "asked only {stops} times for {} nodes", nodes.len());
}

/// Readers of text stop too, while they read and while they build the tree.
#[test]
fn text_is_cancelled_at_any_moment() {
    let folder = Folder::new();
    let rows: String = (1..40_000).map(|task| format!("{task},{},0,1\n", task / 2)).collect();
    let table = folder.file("stats.csv", format!("task,parent,joins_at,exec_cycles\n{rows}").as_bytes());
    let node =
        |id: usize, kind: &str| format!("<node id=\"{id}\"><data key=\"v_kind\">{kind}</data></node>\n");
    let edge = |from: usize, to: usize| format!("<edge source=\"{from}\" target=\"{to}\"/>\n");
    let tasks: String = (2..20_000).map(|id| node(id, "task") + &edge(0, id) + &edge(id, 1)).collect();
    let graph = format!("<graphml><graph>{}{}{tasks}</graph></graphml>", node(0, "fork"), node(1, "join"));
    let graph = folder.file("graph.graphml", graph.as_bytes());
    for path in [table, graph] {
        let mut stops = 0;
        for at in 0.. {
            let progress = StopAt { at, asked: AtomicUsize::new(0) };
            match import(&path, &folder.target(), &Options::default(), &progress) {
                Err(ImportError::Cancelled { .. }) => stops += 1,
                Err(error) => panic!("{error}"),
                Ok(run) => {
                    assert!(run.check().is_empty());
                    break;
                }
            }
            folder.assert_nothing_left();
        }
        assert!(stops > 5, "asked only {stops} times");
        fs::remove_dir_all(folder.target()).unwrap();
    }
}
