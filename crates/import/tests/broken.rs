//! Broken inputs: never a panic, never more memory than a small multiple of the file, and an error that names the file and
//! the byte. A damaged file whose contents still make sense may be imported.

mod dag_writer;
mod samples;

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use crosscut_import::{ImportError, Options, Quiet, import};
use crosscut_tasks::Tasks;
use dag_writer::{CREATE, END, NODE_BYTES, NODES_AT, Node, OTHER, SECTION, TASK, WAIT};

/// Counts what is allocated.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test at a time, so that the memory that is counted is its own.
static ALONE: Mutex<()> = Mutex::new(());

struct Bench {
    _alone: MutexGuard<'static, ()>,
    folder: tempfile::TempDir,
    input: PathBuf,
    /// Broken files that were refused, and those that made sense all the same.
    refused: usize,
    accepted: usize,
}

impl Bench {
    fn new() -> Self {
        let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        // In memory where that is possible: thousands of runs are made here, and each is made durable.
        let memory = std::path::Path::new("/dev/shm");
        let folder = match memory.is_dir() {
            true => tempfile::tempdir_in(memory),
            false => tempfile::tempdir(),
        };
        let folder = folder.unwrap();
        let input = folder.path().join("input.dag");
        Bench { _alone, folder, input, refused: 0, accepted: 0 }
    }

    /// Imports these bytes and checks what is promised of any bytes.
    fn import(&mut self, bytes: &[u8], what: &str) -> Result<(), ImportError> {
        fs::write(&self.input, bytes).unwrap();
        let target = self.folder.path().join("run.crosscut");
        let before = NOW.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        let options = Options { format: None, clock_hz: None };
        let result = std::panic::catch_unwind(AssertUnwindSafe(|| {
            import(&self.input, &target, &options, &Quiet).map(|run| {
                let tasks = Tasks::open(run).expect("a run that was made can be opened");
                let elapsed = tasks.summary().elapsed;
                tasks.profile(0, elapsed, 100);
                tasks.timeline(0, elapsed, 100, 5);
                tasks.causes();
            })
        }));
        let peak = PEAK.load(Ordering::Relaxed) - before;
        let bound = (16 << 20) + 8 * bytes.len();
        let Ok(result) = result else { panic!("{what}: panicked") };
        assert!(peak <= bound, "{what}: {peak} bytes of memory for a file of {}", bytes.len());
        match &result {
            Ok(()) => {
                self.accepted += 1;
                fs::remove_dir_all(&target).unwrap();
            }
            Err(error) => {
                self.refused += 1;
                assert_eq!(error.path(), Some(&*self.input), "{what}: {error}");
                let offset = error.offset().unwrap_or_else(|| panic!("{what}: no offset: {error}"));
                assert!(offset <= bytes.len() as u64, "{what}: {error}");
                let left = fs::read_dir(self.folder.path()).unwrap().count();
                assert_eq!(left, 1, "{what}: only the input is left");
            }
        }
        result
    }

    /// Imports what must be refused; the error must be at this byte and say this.
    fn refuse(&mut self, bytes: &[u8], offset: usize, says: &str) {
        let error = match self.import(bytes, says) {
            Ok(()) => panic!("accepted, though: {says}"),
            Err(error) => error,
        };
        assert!(error.to_string().contains(says), "`{error}` does not say `{says}`");
        assert_eq!(error.offset(), Some(offset as u64), "{error}");
    }
}

fn sample(name: &str) -> Vec<u8> {
    fs::read(samples::path(name).expect("a file of the repository")).unwrap()
}

fn word(bytes: &[u8], at: usize) -> i64 {
    i64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// The same file with other bytes at one place.
fn patched(bytes: &[u8], at: usize, patch: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + patch.len()].copy_from_slice(patch);
    bytes
}

/// Where a field of a node stands.
fn field(node: usize, field: usize) -> usize {
    NODES_AT + node * NODE_BYTES + field
}

#[test]
fn every_truncation_is_refused() {
    let mut bench = Bench::new();
    let bytes = sample("depchain.dag");
    for end in 0..bytes.len() {
        let error = bench.import(&bytes[..end], &format!("truncated at {end}")).unwrap_err();
        if end >= 4 {
            assert!(matches!(error, ImportError::Broken { .. }), "truncated at {end}: {error}");
        }
    }
    bench.import(&bytes, "whole").unwrap();
    let longer = [&bytes[..], b"more"].concat();
    let strings_at = NODES_AT + NODE_BYTES * 16 + 24 * 13;
    bench.refuse(&longer, strings_at + 8, "a string table of 52 bytes, but 56 bytes remain in the file");
}

#[test]
fn any_byte_of_header_and_strings_may_be_wrong() {
    let mut bench = Bench::new();
    let bytes = sample("nested_sections.dag");
    let strings_at = NODES_AT + NODE_BYTES * 28 + 24 * 22;
    for at in (0..NODES_AT).chain(strings_at..bytes.len()) {
        let wrong = (0..8).map(|bit| bytes[at] ^ 1 << bit).chain([0, 0xff]);
        for value in wrong.filter(|&value| value != bytes[at]) {
            let _ = bench.import(&patched(&bytes, at, &[value]), &format!("byte {at} = {value:#x}"));
        }
    }
    println!("{} refused, {} accepted", bench.refused, bench.accepted);
    assert!(bench.refused > 700 && bench.accepted > 100);
}

#[test]
fn any_field_of_any_node_may_be_wrong() {
    let mut bench = Bench::new();
    let bytes = sample("nested_sections.dag");
    // One of each kind: root, section, end, create, nested section, wait, created task.
    for node in [0, 1, 3, 4, 5, 7, 8] {
        for at in (0..NODE_BYTES).step_by(8) {
            let at = field(node, at);
            for value in
                [0, 1, -1, i64::MAX, 1 << 62, 1 << 40, word(&bytes, at) ^ 1, word(&bytes, at) ^ 1 << 33]
            {
                let what = format!("node {node}, byte {at} = {value:#x}");
                let _ = bench.import(&patched(&bytes, at, &value.to_le_bytes()), &what);
            }
        }
    }
    println!("{} refused, {} accepted", bench.refused, bench.accepted);
    assert!(bench.refused > 200 && bench.accepted > 1000);
}

#[test]
fn any_byte_of_a_collapsed_node_may_be_wrong() {
    let mut bench = Bench::new();
    let bytes = sample("fib25_mth4.dag");
    let nodes = word(&bytes, 45) as usize;
    let is_collapsed = |&node: &usize| {
        word(&bytes, field(node, 416)) == word(&bytes, field(node, 424)) && bytes[field(node, 328)] >= SECTION
    };
    let node = (0..nodes).find(is_collapsed).expect("it has collapsed nodes");
    for at in field(node, 0)..field(node, 432) {
        for value in [0, 0xff, bytes[at] ^ 1, bytes[at] ^ 0x80] {
            let _ = bench.import(&patched(&bytes, at, &[value]), &format!("byte {at} = {value:#x}"));
        }
    }
    println!("{} refused, {} accepted", bench.refused, bench.accepted);
}

#[test]
fn wrong_versions_are_named() {
    let mut bench = Bench::new();
    let bytes = sample("nested_sections.dag");
    bench.refuse(
        &patched(&bytes, 31, b"3"),
        27,
        "version `1.34 2014/09/18`, but this program reads version 1.24",
    );
    bench.refuse(&patched(&bytes, 27, b"\n"), 27, "version ``");
    bench.refuse(&patched(&bytes, 44, b" "), 27, "version `1.24 2014/09/18 ");
    bench.refuse(b"DAG_RECORDER FORMAT VERSION 2.0\n", 27, "version `2.0`");
    bench.refuse(&bytes[..20], 20, "the file ends within its first line");
    bench.refuse(&bytes[..40], 40, "the file ends within its first line");
    bench.refuse(&patched(&bytes, 0, b"d"), 0, "unknown content; it begins with \"dAG_RECORDER FOR\"");
}

#[test]
fn absurd_counts_allocate_nothing() {
    let mut bench = Bench::new();
    let bytes = sample("nested_sections.dag");
    let strings_at = NODES_AT + NODE_BYTES * 28 + 24 * 22;
    for count in [i64::MAX, i64::MIN, 1 << 40, -1, 31, 1 << 32, i64::MAX / 432, i64::MAX / 24, i64::MAX / 8] {
        let count_bytes = count.to_le_bytes();
        bench.refuse(&patched(&bytes, 45, &count_bytes), 45, &format!("{count} nodes of 432 bytes each"));
        if count != 31 {
            bench.refuse(&patched(&bytes, 53, &count_bytes), 53, &format!("{count} edges of 24 bytes each"));
            bench.refuse(&patched(&bytes, 69, &count_bytes), 69, &format!("{count} workers"));
        }
        bench.refuse(&patched(&bytes, strings_at, &count_bytes), strings_at, &format!("{count} strings"));
        bench.refuse(
            &patched(&bytes, strings_at + 8, &count_bytes),
            strings_at + 8,
            &format!("a string table of {count} bytes"),
        );
        bench.refuse(
            &patched(&bytes, strings_at + 32, &count_bytes),
            strings_at + 32,
            &format!("string 0: begins at {count}"),
        );
    }
    bench.refuse(&patched(&bytes, 45, &0i64.to_le_bytes()), 45, "no nodes");
    bench.refuse(&patched(&bytes, bytes.len() - 1, b"x"), strings_at + 32, "not ended by a zero byte");
}

/// A task with one section: a create with its task, a nested section, an other interval, the wait; then an end.
fn small() -> Vec<Node> {
    let leaf = |kind, edge, start, line| Node { kind, edge, start, end: start + 10, line, ..Node::default() };
    let open = |kind, edge, first, count| Node { kind, edge, first, count, ..Node::default() };
    vec![
        open(TASK, 1, 1, 2),                        // 0: 1, 2
        open(SECTION, 1, 2, 4),                     // 1: 3, 4, 5, 6
        leaf(END, 3, 100, 9),                       // 2
        Node { first: 4, ..leaf(CREATE, 1, 0, 1) }, // 3: creates 7
        open(SECTION, 2, 5, 1),                     // 4: 9
        leaf(OTHER, 3, 40, 4),                      // 5
        leaf(WAIT, 4, 60, 5),                       // 6
        open(TASK, 1, 1, 1),                        // 7: 8
        leaf(END, 1, 20, 2),                        // 8
        leaf(WAIT, 2, 15, 3),                       // 9
    ]
}

#[test]
fn offsets_must_make_a_tree() {
    let mut bench = Bench::new();
    let dag = |nodes: &[Node]| dag_writer::dag_bytes(2, nodes);
    let good = dag(&small());
    bench.import(&good, "the small file").unwrap();

    let offsets = |node: usize, from: i64, to: i64| {
        patched(&good, field(node, 416), &[from.to_le_bytes(), to.to_le_bytes()].concat())
    };
    let at = |node: usize| field(node, 416);
    // Backwards and outside.
    bench.refuse(
        &offsets(1, -1, 4),
        at(1),
        "node 1: its inside is node 0 to 4; expected nodes after 1 and up to 9",
    );
    bench.refuse(&offsets(1, 0, 4), at(1), "its inside is node 1 to 4");
    bench.refuse(&offsets(1, 5, 2), at(1), "its inside is node 6 to 2");
    bench.refuse(&offsets(1, 2, 10), at(1), "its inside is node 3 to 10");
    bench.refuse(&offsets(1, 2, i64::MAX), at(1), "its inside is node 3 to 9223372036854775807");
    bench.refuse(&offsets(1, 2, i64::MIN), at(1), "its inside is node 3 to -9223372036854775808");
    bench.refuse(&offsets(1, i64::MIN, i64::MAX), at(1), "its inside is node -9223372036854775807");
    for offset in [0, -3, 7, i64::MAX, i64::MIN] {
        let says = format!("node 3: the created task is node {}", 3 + i128::from(offset));
        bench.refuse(&offsets(3, offset, 0), at(3), &says);
    }
    // A cycle: the created task's inside is the section that created it.
    bench.refuse(&offsets(7, -6, -5), at(7), "its inside is node 1 to 1");
    // Shared: two nodes hold the same one.
    bench.refuse(&offsets(4, 4, 5), field(8, 328), "node 8: it is in the tree twice");
    bench.refuse(&offsets(0, 1, 10), field(2, 328), "node 2: a node of kind end cannot stand inside a task");
    bench.refuse(
        &offsets(1, 2, 5),
        field(5, 328),
        "a node of kind other cannot stand as the last node of a section",
    );
    // Not reached: a section that is said to be collapsed leaves its inside over.
    bench.refuse(&offsets(4, 0, 0), field(9, 328), "node 9: no other node leads to it from the root");
    // Not a task.
    bench.refuse(&offsets(3, 6, 0), at(3), "node 3: it creates node 9, which is not a task");
    let mut nodes = small();
    nodes.push(Node { first: 0, ..nodes[8] });
    bench.refuse(&dag(&nodes), field(10, 328), "node 10: no other node leads to it");
}

#[test]
fn kinds_must_stand_where_they_may() {
    let mut bench = Bench::new();
    let good = dag_writer::dag_bytes(2, &small());
    let kind = |node: usize, kind: i32| patched(&good, field(node, 328), &kind.to_le_bytes());
    let at = |node: usize| field(node, 328);
    // Kinds 6 and 7 exist in a run, but not in a file of DAG Recorder.
    bench.refuse(&kind(5, 6), at(5), "node 5: kind 6; expected 0 to 5");
    bench.refuse(&kind(5, 7), at(5), "node 5: kind 7; expected 0 to 5");
    bench.refuse(&kind(5, -1), at(5), "kind -1");
    bench.refuse(&patched(&good, field(5, 332), &5i32.to_le_bytes()), field(5, 332), "kind of edge 5");
    bench.refuse(&kind(0, 4), at(0), "the root is a section, not a task");
    bench.refuse(&kind(5, 3), at(5), "a node of kind end cannot stand inside a section");
    bench.refuse(&kind(5, 5), at(5), "a node of kind task cannot stand inside a section");
    bench.refuse(&kind(6, 2), at(6), "a node of kind other cannot stand as the last node of a section");
    bench.refuse(&kind(2, 1), at(2), "a node of kind wait cannot stand as the last node of a task");
    bench.refuse(&kind(1, 5), at(1), "a node of kind task cannot stand inside a task");
}

#[test]
fn values_must_make_sense() {
    let mut bench = Bench::new();
    let good = dag_writer::dag_bytes(2, &small());
    let with = |node: usize, at: usize, value: i64| patched(&good, field(node, at), &value.to_le_bytes());
    let half = |node: usize, at: usize, value: i32| patched(&good, field(node, at), &value.to_le_bytes());
    bench.refuse(&with(5, 72, 39), field(5, 72), "node 5: ends at 39, before it starts at 40");
    bench.refuse(
        &with(5, 72, i64::MAX),
        field(5, 72),
        "node 5: a time of 9223372036854775807 ticks is too large",
    );
    let mut long = small();
    long[5].end = 1 << 62;
    bench.refuse(&dag_writer::dag_bytes(2, &long), field(0, 0), "their sum does not fit into 63 bits");
    bench.refuse(&with(5, 56, 1), field(5, 56), "node 5: source file 1, but there are 1 strings");
    bench.refuse(&with(5, 128, -1), field(5, 128), "source file -1");
    bench.refuse(&half(5, 320, -2), field(5, 320), "node 5: worker -2");
    bench.refuse(&half(5, 320, i32::MAX), field(5, 320), "worker 2147483647");
    bench.refuse(&half(5, 324, -2), field(5, 324), "node 5: core -2");
    bench.refuse(&with(5, 152, 7), field(5, 152), "node 5: an interval with work 7 that lasts 10");
    // Accepted: a worker beyond those counted, an unknown worker, an unknown line.
    bench.import(&half(5, 320, 9), "a worker beyond those counted").unwrap();
    bench.import(&half(5, 320, -1), "several workers").unwrap();
    bench.import(&with(5, 64, -7), "an unknown line").unwrap();
}

/// Forty tasks that all wait for 2⁶⁰ ticks: each time fits, their sum over all tasks does not.
#[test]
fn long_waits_do_not_overflow() {
    let mut bench = Bench::new();
    let far = 1u64 << 60;
    let tasks = 40u32;
    let mut nodes = vec![
        Node { kind: TASK, edge: 1, first: 1, count: 2, ..Node::default() },
        Node { kind: SECTION, edge: 1, first: 2, count: tasks + 1, ..Node::default() },
        Node { kind: END, edge: 3, start: far + 50, end: far + 60, ..Node::default() },
    ];
    for task in 0..tasks {
        let start = u64::from(task);
        // The creates and the wait stand together; then each task with its end.
        let first = tasks + 1 - task + 2 * task;
        nodes.push(Node { kind: CREATE, edge: 2, start, end: start + 1, first, ..Node::default() });
    }
    nodes.push(Node { kind: WAIT, edge: 2, start: 100, end: 110, ..Node::default() });
    for task in 0..tasks {
        nodes.push(Node { kind: TASK, edge: 1, first: 1, count: 1, ..Node::default() });
        let start = far + u64::from(task);
        nodes.push(Node { kind: END, edge: 1, start, end: start + 1, ..Node::default() });
    }
    bench.import(&dag_writer::dag_bytes(2, &nodes), "long waits").unwrap();
}

/// Depth costs no stack: a chain of 10⁵ nested sections.
#[test]
fn depth_is_no_problem() {
    let mut bench = Bench::new();
    let depth = 100_000u32;
    let mut nodes = vec![Node { kind: TASK, edge: 1, first: 1, count: 2, ..Node::default() }];
    // Each section's two nodes stand right after its own block: [section, wait] [section, wait] …
    for level in 0..depth {
        let last = level == depth - 1;
        nodes.push(match level {
            _ if last => Node { kind: SECTION, edge: 1, first: 2, count: 1, ..Node::default() },
            _ => Node { kind: SECTION, edge: 1, first: 2, count: 2, ..Node::default() },
        });
        let time = 10 * u64::from(2 * depth - level);
        let kind = if level == 0 { END } else { WAIT };
        nodes.push(Node { kind, edge: 3, start: time, end: time + 10, ..Node::default() });
    }
    let time = 10 * u64::from(depth);
    nodes.push(Node { kind: WAIT, edge: 1, start: time, end: time + 10, ..Node::default() });
    bench.import(&dag_writer::dag_bytes(1, &nodes), "100,000 nested sections").unwrap();
}

fn grains(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/grains");
    fs::read(PathBuf::from(folder).join(name)).unwrap()
}

/// Text formats: cut off, with a byte changed, with a part missing or twice.
fn tear(bench: &mut Bench, bytes: &[u8]) {
    bench.import(bytes, "whole").unwrap();
    for end in 0..bytes.len() {
        let _ = bench.import(&bytes[..end], &format!("cut off at {end}"));
    }
    for at in 0..bytes.len() {
        let bits = [1, 2, 16, 128].map(|bit| bytes[at] ^ bit);
        let value = [b'"', b'\n', b',', b'<', b'9', 0, bits[at / 8 % 4], bits[at / 32 % 4]][at % 8];
        let _ = bench.import(&patched(bytes, at, &[value]), &format!("byte {at} = {value:#x}"));
    }
    for at in (0..bytes.len()).step_by(17) {
        let end = (at + 1 + at * 7 % 90).min(bytes.len());
        let (before, part, after) = (&bytes[..at], &bytes[at..end], &bytes[end..]);
        let _ = bench.import(&[before, after].concat(), &format!("{at}..{end} missing"));
        let _ = bench.import(&[before, part, part, after].concat(), &format!("{at}..{end} twice"));
        let _ = bench.import(&[before, &b"9".repeat(at % 23), after].concat(), &format!("{at}..{end} nines"));
    }
    println!("{} refused, {} accepted", bench.refused, bench.accepted);
    assert!(bench.refused > 100 && bench.accepted > 10);
}

#[test]
fn a_table_of_tasks_may_be_torn() {
    tear(&mut Bench::new(), &grains("small.csv"));
}

#[test]
fn a_grain_graph_may_be_torn() {
    tear(&mut Bench::new(), &grains("small.graphml"));
}

/// Numbers that fit one by one, but not together.
#[test]
fn sums_of_costs_do_not_overflow() {
    let mut bench = Bench::new();
    let far = 1u64 << 61;
    let row = |task: u32, cpu: u32| format!("{task},0,0,{cpu},{far},{far},{far},{far},{far}\n");
    let header = "task,parent,joins_at,cpu_id,exec_cycles,creation_cycles,overhead_cycles,create_instant,exec_end_instant\n";
    for rows in 2..5 {
        let rows: String = (1..=rows).map(|task| row(task, task)).collect();
        let second = header.len() + row(1, 1).len();
        bench.refuse(format!("{header}{rows}").as_bytes(), second, "their sum does not fit into 63 bits");
    }
    let many: String = (1..=5000).map(|task| format!("{task},0,0,{task},1,1,1,1,1\n")).collect();
    bench.refuse(format!("{header}{many}").as_bytes(), 0, "5000 workers; a run holds at most 4096");
}
