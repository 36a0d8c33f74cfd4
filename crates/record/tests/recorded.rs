//! Real programs, recorded by the library itself and closed: the lines that things carry, chunks that were joined, locks,
//! and processor time.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crosscut_events::{FOLDER_VARIABLE, OPTIONS_VARIABLE};
use crosscut_run::Source;
use crosscut_tasks::Tasks;
use crosscut_tasks::grain::Grains;
use crosscut_tasks::schema::{Kind, LockKind};
use crosscut_tree::NodeId;
use tempfile::TempDir;

/// A recorded program, and what was made of it.
struct Recorded {
    tasks: Tasks,
    _folder: TempDir,
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name)
}

/// Compiles a program, runs it with the recorder inside, and closes what it left.
fn record(compiler: &str, flags: &[&str], name: &str, arguments: &[&str], options: &str) -> Recorded {
    let recorder =
        std::env::var_os("CROSSCUT_RECORDER").expect("CROSSCUT_RECORDER: use `cargo xtask test rust`");
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    let mut compile = Command::new(compiler);
    compile.args(["-g", "-fopenmp", "-pthread"]).args(flags).arg(source(name)).arg("-o").arg(&program);
    assert!(compile.status().expect("a compiler").success(), "{compile:?}");
    let events = folder.path().join("events");
    fs::create_dir(&events).unwrap();
    let output = Command::new(&program)
        .args(arguments)
        .env("LD_PRELOAD", recorder)
        .env(FOLDER_VARIABLE, &events)
        .env(OPTIONS_VARIABLE, options)
        .env("OMP_TOOL", "enabled")
        .env("OMP_NUM_THREADS", "2")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let target = folder.path().join("run.crosscut");
    let closed =
        crosscut_close::close(&events, &target, &Default::default(), &crosscut_close::Quiet).unwrap();
    assert_eq!(closed.run.manifest().partial, None);
    Recorded { tasks: Tasks::open(closed.run).unwrap(), _folder: folder }
}

/// The line of `lines.c` with this name.
fn line(name: &str) -> i64 {
    line_of("lines.c", name)
}

/// The line of a program with this name.
fn line_of(program: &str, name: &str) -> i64 {
    let text = fs::read_to_string(source(program)).unwrap();
    let has = |line: &str| {
        let names = line.split_once("LINE: ").map_or("", |(_, names)| names.trim_end_matches("*/"));
        names.split(',').any(|one| one.trim() == name)
    };
    text.lines().position(has).unwrap_or_else(|| panic!("no line is called {name}")) as i64 + 1
}

impl Recorded {
    fn nodes(&self, is: impl Fn(&Tasks, NodeId) -> bool) -> Vec<NodeId> {
        (0..self.tasks.summary().nodes).map(NodeId).filter(|&node| is(&self.tasks, node)).collect()
    }

    fn from(&self, node: NodeId) -> i64 {
        self.tasks.sources().from(self.tasks.site(node)).map_or(0, |source| source.line)
    }

    fn to(&self, node: NodeId) -> i64 {
        self.tasks.sources().to(self.tasks.site(node)).map_or(0, |source| source.line)
    }

    /// The regions, in order: sections of the program itself.
    fn regions(&self) -> Vec<NodeId> {
        let children = self.tasks.tree().children(NodeId(0));
        children.filter(|&node| self.tasks.kind(node) == Kind::Section).collect()
    }

    fn source(&self, number: u32) -> &Source {
        self.tasks.sources().get(number).expect("a source")
    }
}

/// How programs are built.
const BUILDS: [(&str, &str); 4] = [("clang-19", "-O0"), ("clang-19", "-O2"), ("gcc", "-O0"), ("gcc", "-O2")];

/// A loop that is one with its region stands in the line of either.
fn is_loop(found: i64, name: &str) -> bool {
    found == line(name) || found == line(name) + 1
}

#[test]
fn every_construct_has_its_own_line() {
    for (compiler, level) in BUILDS {
        let flags = format!("{compiler} {level}");
        let recorded = record(compiler, &[level], "lines.c", &[], "");
        let regions = recorded.regions();
        let found: Vec<i64> = regions.iter().map(|&region| recorded.from(region)).collect();
        let names = ["setup region", "solve region", "lock region", "last region", "tail region"];
        assert_eq!(found, names.map(line), "{flags}");

        let inside = |region: NodeId, kind: Kind| {
            recorded.nodes(|tasks, node| {
                tasks.tree().range(region).contains(&node.index()) && tasks.kind(node) == kind
            })
        };
        for (region, name) in [(regions[0], "setup loop"), (regions[1], "solve loop")] {
            let chunks = inside(region, Kind::Chunk);
            assert!(!chunks.is_empty());
            for chunk in chunks {
                assert!(is_loop(recorded.from(chunk), name), "{flags}: {name} at {}", recorded.from(chunk));
            }
        }
        let creates = inside(regions[1], Kind::Create);
        assert_eq!(creates.len(), 4);
        assert!(creates.iter().all(|&create| recorded.to(create) == line("task")), "{flags}");
        let tasks = recorded.nodes(|tasks, node| {
            tasks.kind(node) == Kind::Task && node.0 > 0 && tasks.kind(NodeId(node.0 - 1)) == Kind::Create
        });
        assert!(tasks.iter().all(|&task| recorded.from(task) == line("task")), "{flags}");
        let waits = inside(regions[1], Kind::Wait);
        assert!(waits.iter().any(|&wait| recorded.to(wait) == line("taskwait")), "{flags}");
        // The lanes of the second phase begin behind the barrier.
        let lanes = recorded.nodes(|tasks, node| {
            tasks.is_lane(node) && tasks.tree().range(regions[1]).contains(&node.index())
        });
        // What lanes do behind the last barrier of a region is seen, though the runtime does not report it.
        let tail = recorded.nodes(|tasks, node| {
            tasks.is_lane(node) && tasks.tree().range(regions[4]).contains(&node.index())
        });
        let behind: Vec<i64> = tail
            .iter()
            .filter(|&&lane| recorded.from(lane) == line("tail behind"))
            .map(|&lane| recorded.tasks.elapsed(lane))
            .collect();
        assert!(behind.len() == 2 && behind.iter().all(|&time| time > 1_000_000), "{flags}: {behind:?}");
        let begins: BTreeSet<i64> = lanes.iter().map(|&lane| recorded.from(lane)).collect();
        assert!(begins.contains(&line("solve region")) && begins.contains(&line("behind")), "{begins:?}");
        let ends = recorded.nodes(|tasks, node| {
            tasks.tree().range(regions[1]).contains(&node.index()) && tasks.kind(node) == Kind::End
        });
        assert!(ends.iter().any(|&end| recorded.to(end) == line("barrier")), "{flags}");
    }
}

#[test]
fn the_serial_parts_have_names() {
    for (compiler, level) in BUILDS {
        let flags = format!("{compiler} {level}");
        let recorded = record(compiler, &[level], "lines.c", &[], "");
        let tasks = &recorded.tasks;
        let names: Vec<String> = tasks.serial_parts().iter().map(|part| tasks.serial_name(part)).collect();
        let names_of = ["setup region", "solve region", "lock region", "last region", "tail region"];
        let [a, b, c, d, e] = names_of.map(line);
        let expected = [
            format!("before lines.c:{a}, in `setup`"),
            format!("between lines.c:{a} and lines.c:{b}, in `solve`"),
            format!("between lines.c:{b} and lines.c:{c}, in `solve`"),
            format!("between lines.c:{c} and lines.c:{d}, in `main`"),
            format!("between lines.c:{d} and lines.c:{e}, in `main`"),
            format!("after lines.c:{e}, in `main`"),
        ];
        assert_eq!(names, expected, "{flags}");
        let parts = tasks.serial_parts();
        assert!(parts.windows(2).all(|pair| pair[0].end <= pair[1].start));
    }
}

#[test]
fn locks_are_counted_by_line() {
    for (compiler, level) in BUILDS {
        let flags = format!("{compiler} {level}");
        let recorded = record(compiler, &[level], "lines.c", &[], "");
        let tasks = &recorded.tasks;
        for (name, kind) in [("critical", LockKind::Critical), ("set_lock", LockKind::Lock)] {
            let uses: Vec<_> = tasks
                .lock_uses()
                .filter(|used| used.source != u32::MAX && recorded.source(used.source).line == line(name))
                .collect();
            assert!(uses.iter().all(|used| tasks.lock(used.lock).unwrap().kind == kind), "{flags}: {uses:?}");
            assert_eq!(uses.iter().map(|used| used.count).sum::<i64>(), 100, "{flags}: {name}");
            // LLVM's runtime keeps its locks somewhere else, and tells their addresses there.
            let is_named = kind == LockKind::Critical && compiler == "gcc";
            assert_eq!(tasks.lock_name(uses[0].lock), is_named.then_some("total"), "{flags}");
            // Both workers hold it, one after the other, for as long as they run.
            let held: i64 = uses.iter().map(|used| used.held).sum();
            assert!(0 < held && held <= tasks.summary().elapsed, "{flags}: {uses:?}");
        }
        for wait in tasks.lock_waits(0..tasks.summary().nodes as usize) {
            assert!(wait.asked <= wait.got && wait.got <= wait.freed, "{wait:?}");
            assert_eq!(tasks.worker(NodeId(wait.node)), Some(wait.worker as usize), "{wait:?}");
            let node = NodeId(wait.node);
            assert!(tasks.start(node) <= wait.asked && wait.freed <= tasks.end(node), "{wait:?}");
            assert_eq!(wait.source, wait.holder, "one line takes each lock");
        }
    }
}

#[test]
fn short_chunks_are_joined() {
    let recorded = record("clang-19", &["-O2"], "fine.c", &["200000"], "");
    let tasks = &recorded.tasks;
    let nodes = tasks.summary().nodes as usize;
    let chunks = recorded.nodes(|tasks, node| tasks.kind(node) == Kind::Chunk);
    // Each iteration is a chunk, and they are all there.
    let iterations: i64 = chunks.iter().map(|&node| tasks.chunk(node).unwrap().1).sum();
    let joined: i64 = tasks.joined_in(0..nodes).map(|joined| joined.chunks).sum();
    let single = chunks.iter().filter(|&&node| tasks.joined(node).is_none()).count() as i64;
    assert_eq!((iterations, joined + single), (200_000, 200_000));
    assert!(chunks.len() < 20_000, "{} nodes", chunks.len());
    for joined in tasks.joined_in(0..nodes) {
        let node = NodeId(joined.node);
        let (first, count) = tasks.chunk(node).unwrap();
        assert!(joined.chunks >= 2 && count == joined.chunks, "{joined:?}");
        assert!(first + count <= joined.past && joined.past <= 200_000, "{joined:?}");
        assert!(0 <= joined.least && joined.least <= joined.most, "{joined:?}");
        let elapsed = tasks.elapsed(node);
        // Each of these is rounded by itself.
        assert!(
            joined.most <= elapsed + 1 && joined.least * joined.chunks <= elapsed + joined.chunks,
            "{joined:?}"
        );
    }
}

#[test]
fn a_wait_after_a_loop_is_for_what_its_chunks_created() {
    for (compiler, level) in BUILDS {
        let what = format!("{compiler} {level}");
        let recorded = record(compiler, &[level], "chunks.c", &[], "");
        let tasks = &recorded.tasks;
        let tree = tasks.tree();
        let chunks = recorded.nodes(|tasks, node| tasks.kind(node) == Kind::Chunk);
        assert_eq!(chunks.len(), 3 * 8, "{what}");
        let graph = Grains::new(tasks);
        // The program, chunks and tasks; a team and a loop for each phase, and a join for each chunk.
        assert_eq!((graph.grain_count(), graph.fork_joins()), (1 + 24 + 24, 3 * 2 + 24), "{what}");
        // By member of the team: the tasks of its chunks of the first loop, and what its wait says it waits for.
        let lanes = recorded.nodes(|tasks, node| tasks.is_lane(node));
        let mut waited = 0;
        for lane in lanes {
            let created = |chunk: &NodeId| {
                let section = tasks.chunk_section(*chunk).expect("a chunk with tasks");
                let inner = tree.children(section).next().expect("a section");
                let is_left = tree.children(inner).last().is_some_and(|last| tasks.kind(last) != Kind::Wait);
                is_left.then(|| tree.children(inner).filter(|&task| tasks.kind(task) == Kind::Task))
            };
            let own = chunks.iter().filter(|&&chunk| tree.is_below(chunk, lane));
            let left: BTreeSet<u32> = own.filter_map(created).flatten().map(|task| task.0).collect();
            let waits = (lane.0..tree.range(lane).end as u32).map(NodeId);
            let from: BTreeSet<u32> = waits
                .filter(|&node| tasks.kind(node) == Kind::Wait)
                .flat_map(|wait| tasks.depends_on(wait).to_vec())
                .collect();
            assert_eq!(from, left, "{what}");
            waited += left.len();
        }
        assert_eq!(waited, 8, "{what}");
    }
}

#[test]
fn processor_time_is_no_longer_than_the_time() {
    let recorded = record("clang-19", &["-O2"], "lines.c", &[], "");
    let tasks = &recorded.tasks;
    assert_eq!(tasks.summary().workers, 2);
    // What ran before the first event counts, too.
    assert_eq!(tasks.stretches(0).next().map(|stretch| stretch.from), Some(0));
    for worker in 0..tasks.workers() {
        let stretches: Vec<_> = tasks.stretches(worker).collect();
        assert!(stretches.len() > 2, "worker {worker}");
        assert!(stretches.windows(2).all(|pair| pair[0].to == pair[1].from), "worker {worker}");
        assert!(stretches.iter().all(|stretch| stretch.voluntary >= 0 && stretch.involuntary >= 0));
        let is_too_long = |time: i64, processor: i64| processor > time + time / 20 + 50_000;
        // The kernel accounts by its own clock, and the two clocks are not read at once: where the thread, or the virtual
        // processor below it, is stopped between them, a stretch has what belongs to the next.
        let shifted =
            stretches.iter().filter(|stretch| is_too_long(stretch.to - stretch.from, stretch.processor));
        assert!(shifted.count() <= 1 + stretches.len() / 10, "worker {worker}: {stretches:?}");
        let time: i64 = stretches.iter().map(|stretch| stretch.to - stretch.from).sum();
        let processor: i64 = stretches.iter().map(|stretch| stretch.processor).sum();
        assert!(processor > 0 && !is_too_long(time, processor), "worker {worker}: {processor} of {time}");
    }
}

#[test]
fn mutexes_are_recorded_when_they_are_asked_for() {
    let line = |name: &str| line_of("mutex.c", name);
    for (compiler, level) in BUILDS {
        let what = format!("{compiler} {level}");
        let recorded = record(compiler, &[level], "mutex.c", &[], "locks");
        let tasks = &recorded.tasks;
        let at = |source: u32| tasks.sources().get(source).map_or(0, |source| source.line);
        let used = |name: &str, kind: LockKind| -> i64 {
            let is =
                |lock: u32, source: u32| tasks.lock(lock).unwrap().kind == kind && at(source) == line(name);
            tasks.lock_uses().filter(|used| is(used.lock, used.source)).map(|used| used.count).sum()
        };
        assert_eq!(used("holds", LockKind::Mutex), 1, "{what}");
        assert_eq!(used("waits", LockKind::Mutex), 1, "{what}");
        assert_eq!(used("reads", LockKind::ReadLock), 20, "{what}");
        assert_eq!(used("writes", LockKind::WriteLock), 20, "{what}");
        let names: BTreeSet<_> =
            (0..tasks.lock_count() as u32).filter_map(|lock| tasks.lock_name(lock)).collect();
        assert_eq!(names, BTreeSet::from(["index_lock", "table"]), "{what}");
        let waits: Vec<_> = tasks.lock_waits(0..tasks.summary().nodes as usize).collect();
        let wait =
            waits.iter().find(|wait| at(wait.source) == line("waits")).unwrap_or_else(|| panic!("{what}"));
        assert_eq!(at(wait.holder), line("holds"), "{what}");
        assert!(waits.iter().all(|wait| at(wait.source) != line("condition")), "{what}: {waits:?}");
        let plain = record(compiler, &[level], "mutex.c", &[], "");
        assert_eq!(plain.tasks.lock_count(), 0, "{what}");
    }
}

/// A barrier ends when all tasks are done, not when the last thread has come: what follows is not ready before.
#[test]
fn what_follows_a_barrier_is_ready_when_its_tasks_are_done() {
    for (compiler, level) in [("clang-19", "-O2"), ("gcc", "-O2")] {
        let recorded = record(compiler, &[level], "phases.c", &[], "");
        let tasks = &recorded.tasks;
        let phases: Vec<NodeId> = {
            let region = recorded.regions()[0];
            let children = tasks.tree().children(region);
            children.filter(|&node| tasks.kind(node) == Kind::Section).collect()
        };
        let [first, second] = phases[..] else { panic!("{compiler}: {} phases", phases.len()) };
        assert!(tasks.count(tasks.tree().range(first), Kind::Create) >= 20, "{compiler}");
        let forks = tasks.tree().children(second).filter(|&node| tasks.kind(node) == Kind::Fork);
        let released: Vec<i64> = forks.map(|fork| tasks.start(fork)).collect();
        assert_eq!(released.len(), 2, "{compiler}");
        // The last task that was created in the first phase ends last: they are a chain.
        let created = |&node: &NodeId| tasks.kind(node) == Kind::Task && !tasks.is_lane(node);
        let inside = tasks.tree().range(first).map(|node| NodeId(node as u32));
        let last = inside.filter(created).map(|task| tasks.end(task)).max().unwrap();
        assert!(released.iter().all(|&at| at >= last), "{compiler}: {released:?}, {last}");
    }
}
