//! Programs that use MPI, recorded as somebody would: through the launcher, with Open MPI and MPICH. What they sent they count
//! themselves.

use crate::common;

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{crosscut, example};
use crosscut_messages::{Messages, NONE};
use crosscut_run::Run;
use tempfile::TempDir;

/// Both build all of `examples/mpi`.
const MPIS: [&str; 2] = ["openmpi", "mpich"];

/// Ranks may be more than cores, and the tests may run as root.
fn with_mpi(command: &mut Command) -> &mut Command {
    command
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env("OMP_NUM_THREADS", "2")
}

/// `crosscut record -o run.crosscut -- mpirun -n RANKS NAME ARGUMENTS…`
fn record(folder: &Path, mpi: &str, ranks: u32, name: &str, arguments: &[&OsStr]) -> Output {
    let mut command = crosscut(folder);
    command.args(["record", "-o", "run.crosscut", "--"]).arg(format!("mpirun.{mpi}"));
    command.args(["-n", &ranks.to_string()]).arg(example(mpi, name)).args(arguments);
    let output = with_mpi(&mut command).output().unwrap();
    assert!(output.status.success(), "{mpi} {name}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn open(folder: &Path) -> Messages {
    Messages::open(Arc::new(Run::open(&folder.join("run.crosscut")).unwrap())).unwrap()
}

/// "NAME: N messages, B bytes", as the program counted them.
fn counted(output: &Output) -> (u64, i64) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let numbers: Vec<i64> = text.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
    (numbers[0] as u64, numbers[1])
}

/// All messages are there, with all their bytes, and nothing else.
fn is_as_counted(messages: &Messages, output: &Output, what: &str) {
    let summary = messages.summary();
    assert_eq!((summary.messages, summary.bytes), counted(output), "{what}");
    assert_eq!(summary.unmatched, 0, "{what}: {:?}", summary.why_unmatched);
    assert_eq!(summary.backwards, 0, "{what}: ranks of one machine have one clock");
    assert!(messages.run().manifest().partial.is_none(), "{what}: {:?}", messages.run().manifest().partial);
}

/// Calls of a function, over all ranks.
fn calls(messages: &Messages, name: &str) -> Vec<usize> {
    let is_it = |&call: &usize| {
        let function = usize::from(messages.calls.function[call]);
        messages.functions()[function].name == name
    };
    (0..messages.calls.function.len()).filter(is_it).collect()
}

#[test]
fn every_way_to_send() {
    for mpi in MPIS {
        let folder = TempDir::new().unwrap();
        let output = record(folder.path(), mpi, 4, "traffic", &[]);
        let messages = open(folder.path());
        is_as_counted(&messages, &output, mpi);
        assert_eq!(messages.summary().ranks, 4);
        // Three hundred begun at once, and completed by one call.
        assert_eq!(calls(&messages, "MPI_Irecv").len(), 4 * (7 * 2 + 300 + 1) + 3);
        // From anybody to rank 0: each other rank sent twice.
        let to_first = (0..messages.len()).filter(|&row| messages.destination.at(row) == 0);
        let wild = to_first.filter(|&row| (40..50).contains(&messages.tag[row]));
        let mut from: Vec<u32> = wild.map(|row| messages.source.at(row)).collect();
        from.sort_unstable();
        assert_eq!(from, [1, 2, 3], "{mpi}");
        // A test in vain is no event of its own: there are far fewer calls than were made.
        for row in 0..messages.len() {
            assert!(messages.send_start[row] <= messages.receive_end[row], "{mpi}");
        }
    }
}

#[test]
fn the_line_of_each_call() {
    let folder = TempDir::new().unwrap();
    record(folder.path(), "openmpi", 2, "late_sender", &[OsStr::new("3")]);
    let messages = open(folder.path());
    let sources = messages.run().sources().unwrap();
    let line_of = |marker: &str| {
        let text = common::source("mpi/late_sender.c");
        text.lines().position(|line| line.contains(marker)).unwrap() as i64 + 1
    };
    for (function, marker) in [("MPI_Send", "MPI_Send("), ("MPI_Recv", "MPI_Recv(")] {
        let calls = calls(&messages, function);
        assert_eq!(calls.len(), 3);
        for call in calls {
            let source = messages.calls.source(call);
            assert_ne!(source, NONE);
            let source = sources.get(source).unwrap();
            assert!(source.file.ends_with("late_sender.c"), "{source:?}");
            assert_eq!(source.line, line_of(marker), "{function}");
        }
    }
}

#[test]
fn communicators() {
    for mpi in MPIS {
        let folder = TempDir::new().unwrap();
        let output = record(folder.path(), mpi, 6, "groups", &[]);
        let messages = open(folder.path());
        is_as_counted(&messages, &output, mpi);
        let comms = messages.comms();
        let members = |word: &str| -> Vec<Vec<u32>> {
            comms.list.iter().filter(|c| c.name.starts_with(word)).map(|c| c.members.clone()).collect()
        };
        // In reverse order of ranks; and the rows of the grid.
        let parts = members("part of MPI_COMM_WORLD");
        assert!(parts.contains(&vec![4, 2, 0]) && parts.contains(&vec![5, 3, 1]), "{mpi}: {parts:?}");
        assert_eq!(members("group of MPI_COMM_WORLD"), [[5, 0], [5, 0]], "{mpi}");
        let between = comms.list.iter().find(|comm| !comm.others.is_empty()).unwrap();
        assert_eq!((&between.members[..], &between.others[..]), (&[4, 2, 0][..], &[5, 3, 1][..]), "{mpi}");
        // What was freed and made again is another one: two copies in a row, and one at the end.
        let copies = comms.list.iter().filter(|comm| comm.name.starts_with("copy of")).count();
        assert_eq!(copies, 3, "{mpi}");
        // On the reversed halves 5 sends to 3, 3 to 1, and 1 to 5; ranks are those of the world.
        let half =
            comms.list.iter().position(|comm| comm.members == [5, 3, 1] && comm.others.is_empty()).unwrap();
        let mut pairs: Vec<(u32, u32)> = (0..messages.len())
            .filter(|&row| messages.comm[row] as usize == half)
            .map(|row| (messages.source.at(row), messages.destination.at(row)))
            .collect();
        pairs.sort_unstable();
        assert_eq!(pairs, [(1, 5), (3, 1), (5, 3)], "{mpi}");
        let short = messages.summary().notes.iter().find(|note| note.contains("not all ranks"));
        assert_eq!(short, None, "{mpi}");
    }
}

#[test]
fn collectives_memory_and_files() {
    for mpi in MPIS {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("file");
        record(folder.path(), mpi, 4, "together", &[file.as_os_str()]);
        let messages = open(folder.path());
        let summary = messages.summary();
        assert_eq!((summary.messages, summary.collective_operations), (0, 18 + 4 + 1), "{mpi}");
        assert_eq!((summary.collectives, summary.backwards), (4 * 23, 0), "{mpi}");
        let bytes = |name: &str| -> Vec<i64> {
            calls(&messages, name).into_iter().map(|call| messages.calls.bytes[call]).collect()
        };
        // Sixteen numbers of four bytes, to or from each of four ranks.
        for (name, each) in [
            ("MPI_Bcast", vec![64; 4]),
            ("MPI_Gatherv", vec![64; 4]),
            ("MPI_Scatter", vec![64; 4]),
            ("MPI_Allgather", vec![64; 8]),
            ("MPI_Alltoall", vec![256; 4]),
            ("MPI_Alltoallv", vec![256; 4]),
            ("MPI_Allreduce", vec![64; 8]),
            ("MPI_Reduce_scatter", vec![16; 4]),
            ("MPI_Reduce_scatter_block", vec![16; 4]),
            ("MPI_Ialltoall", vec![16; 4]),
            ("MPI_Barrier", vec![0; 4]),
            ("MPI_Put", vec![64; 4]),
            ("MPI_Get", vec![8; 4]),
            ("MPI_File_write_at", vec![64; 4]),
            ("MPI_File_write_at_all", vec![64; 4]),
            ("MPI_File_read_at", vec![64; 4]),
        ] {
            assert_eq!(bytes(name), each, "{mpi} {name}");
        }
        // Windows and files are of the communicator that they were opened on.
        for name in ["MPI_Put", "MPI_Win_fence", "MPI_File_write_at"] {
            assert!(
                calls(&messages, name).into_iter().all(|call| messages.calls.comm.at(call) == 0),
                "{mpi} {name}"
            );
        }
        let put = calls(&messages, "MPI_Put");
        let peers: Vec<u32> = put.into_iter().map(|call| messages.calls.peer.at(call)).collect();
        assert_eq!(peers, [1, 2, 3, 0], "{mpi}");
    }
}

#[test]
fn tasks_and_messages_in_one_run() {
    for mpi in MPIS {
        let folder = TempDir::new().unwrap();
        record(folder.path(), mpi, 2, "hybrid", &[]);
        let messages = open(folder.path());
        assert_eq!((messages.summary().messages, messages.summary().bytes), (8, 64), "{mpi}");
        let run = messages.run();
        let tasks = crosscut_tasks::Tasks::open(Arc::clone(run)).unwrap();
        assert_eq!(tasks.summary().tasks, 64, "{mpi}");
        // One clock: every message lies between the tasks, not before or behind them.
        let time = run.manifest().time.unwrap();
        assert!((0..messages.len()).all(|row| messages.receive_end[row] <= time.last), "{mpi}");
        // One list of places: each rank is a process of it.
        let places = run.places().unwrap();
        for rank in 0..2 {
            let place = places.get(messages.place(rank)).unwrap();
            assert_eq!(place.process, i64::from(rank), "{mpi}");
        }
    }
}

#[test]
fn a_launcher_has_no_place_in_what_it_starts() {
    for mpi in MPIS {
        let folder = TempDir::new().unwrap();
        let mut command = crosscut(folder.path());
        command.args(["record", "--tasks", "--mpi", "--calls", "-o", "run.crosscut", "--"]);
        command.arg(format!("mpirun.{mpi}")).args(["-n", "2"]).arg(example(mpi, "hybrid"));
        assert!(with_mpi(&mut command).status().unwrap().success(), "{mpi}");
        let run = Arc::new(Run::open(&folder.path().join("run.crosscut")).unwrap());
        let tasks = crosscut_tasks::Tasks::open(Arc::clone(&run)).unwrap();
        assert_eq!(tasks.summary().workers, 4, "{mpi}: two of each rank");
        // Threads of the library itself have samples, and places beside the workers of their rank.
        let places = run.places().unwrap();
        let mut processes: Vec<i64> =
            (0..places.worker_count() as u32).filter_map(|place| Some(places.get(place)?.process)).collect();
        processes.dedup();
        assert_eq!(processes, [0, 1], "{mpi}: the ranks, and nobody else");
    }
}

#[test]
fn fortran() {
    for (mpi, name) in MPIS.into_iter().flat_map(|mpi| [(mpi, "fortran"), (mpi, "fortran08")]) {
        let folder = TempDir::new().unwrap();
        let output = record(folder.path(), mpi, 4, name, &[]);
        let messages = open(folder.path());
        is_as_counted(&messages, &output, mpi);
        // Each call is there once, whichever of the entry points calls which.
        assert_eq!(calls(&messages, "MPI_Init").len(), 4, "{mpi}");
        assert_eq!(calls(&messages, "MPI_Send").len(), 4 * 4, "{mpi}");
        assert_eq!(calls(&messages, "MPI_Waitall").len(), 4, "{mpi}");
        let reduced = calls(&messages, "MPI_Allreduce").into_iter().map(|call| messages.calls.bytes[call]);
        assert_eq!(reduced.collect::<Vec<_>>(), [400; 4], "{mpi}");
        // Lines of Fortran are lines, too.
        let sources = messages.run().sources().unwrap();
        let call = calls(&messages, "MPI_Startall")[0];
        assert!(
            sources.get(messages.calls.source(call)).unwrap().file.ends_with(&format!("{name}.f90")),
            "{mpi}"
        );
    }
}

#[test]
fn sixteen_ranks() {
    for mpi in MPIS {
        let folder = TempDir::new().unwrap();
        let output = record(folder.path(), mpi, 16, "traffic", &[]);
        let messages = open(folder.path());
        is_as_counted(&messages, &output, mpi);
        assert_eq!(messages.summary().ranks, 16, "{mpi}");
    }
}

#[test]
fn started_by_a_launcher_one_by_one() {
    for mpi in MPIS {
        let folder = TempDir::new().unwrap();
        let record = crosscut(folder.path());
        let mut command = Command::new(format!("mpirun.{mpi}"));
        command
            .current_dir(folder.path())
            .env("CROSSCUT_RECORDER", common::recorder())
            .env_remove("LD_PRELOAD");
        command.args(["-n", "4"]).arg(record.get_program()).args(["record", "-o", "run.crosscut", "--"]);
        let output = with_mpi(command.arg(example(mpi, "traffic"))).output().unwrap();
        assert!(output.status.success(), "{mpi}: {}", String::from_utf8_lossy(&output.stderr));
        // The last rank to end made one run, and nothing else is left.
        is_as_counted(&open(folder.path()), &output, mpi);
        let left: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().flatten().map(|e| e.file_name()).collect();
        assert_eq!(left, ["run.crosscut"], "{mpi}");
    }
}

#[test]
fn events_of_ranks_are_imported() {
    let folder = TempDir::new().unwrap();
    let mut command = crosscut(folder.path());
    command.args(["record", "--keep-events", "-o", "first.crosscut", "--", "mpirun.mpich", "-n", "4"]);
    let output = with_mpi(command.arg(example("mpich", "traffic"))).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut kept = std::fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.path());
    let events = kept.find(|path| path.to_string_lossy().contains(".events-")).unwrap();
    // One rank left nothing.
    let process = |rank: u32| {
        let mut folders = std::fs::read_dir(&events).unwrap().flatten().map(|entry| entry.path());
        let says = |folder: &std::path::PathBuf| {
            let about = std::fs::read_to_string(folder.join("process")).unwrap_or_default();
            about.lines().any(|line| line == format!("mpi-rank {rank}"))
        };
        folders.find(says).unwrap()
    };
    std::fs::remove_dir_all(process(2)).unwrap();
    let mut import = crosscut(folder.path());
    let imported = import.arg("import").arg(&events).args(["-o", "run.crosscut"]).output().unwrap();
    assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
    let messages = open(folder.path());
    let summary = messages.summary();
    assert_eq!(summary.ranks, 4);
    assert!(summary.notes.iter().any(|note| note.contains("rank 2")), "{:?}", summary.notes);
    // What the others sent each other is there, what concerned rank 2 has no other side.
    let (all, _) = counted(&output);
    let involved = |row: usize| messages.source.at(row) == 2 || messages.destination.at(row) == 2;
    assert!(summary.messages > 0 && summary.messages < all && !(0..messages.len()).any(involved));
    assert!(summary.unmatched > 0);
}

/// Waits until a file is there, and says what is in it.
fn wait_for(file: &Path) -> String {
    let start = Instant::now();
    loop {
        match std::fs::read_to_string(file) {
            Ok(text) if text.ends_with('\n') => return text,
            _ if start.elapsed() > Duration::from_secs(120) => panic!("{} never came", file.display()),
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

#[test]
fn one_rank_is_killed() {
    const RANKS: u32 = 16;
    for mpi in MPIS {
        let folder = TempDir::new().unwrap();
        let mut command = crosscut(folder.path());
        command.args(["record", "-o", "run.crosscut", "--"]).arg(format!("mpirun.{mpi}"));
        command.args(["-n", &RANKS.to_string()]).arg(example(mpi, "endless")).arg(folder.path().join("rank"));
        let mut recording = with_mpi(&mut command).spawn().unwrap();
        let pid = wait_for(&folder.path().join("rank-5"));
        (0..RANKS).for_each(|rank| {
            wait_for(&folder.path().join(format!("rank-{rank}")));
        });
        assert!(Command::new("kill").args(["-9", pid.trim()]).status().unwrap().success());
        assert!(!recording.wait().unwrap().success(), "the launcher says that a rank was killed");
        let messages = open(folder.path());
        let partial = messages.run().manifest().partial.clone().unwrap();
        assert!(partial.contains("did not exit normally"), "{mpi}: {partial}");
        assert_eq!(messages.summary().ranks, RANKS, "{mpi}");
        // All turns that a rank counted itself are there, of the killed one, too. It may have died in a call, or between a call
        // and counting it.
        let turned = calls(&messages, "MPI_Sendrecv");
        let turns = |rank: u32| {
            let file = folder.path().join(format!("rank-{rank}.turns"));
            std::fs::read(file).unwrap().try_into().map(i64::from_ne_bytes).unwrap() as usize
        };
        for rank in 0..RANKS {
            let own = messages.calls.of(rank);
            let recorded = turned.iter().filter(|call| own.contains(call)).count();
            let (turns, received) = (turns(rank), turns((rank + 1) % RANKS));
            assert!(
                turns >= 100 && (turns..=turns + 2).contains(&recorded),
                "{mpi}: {rank}: {recorded} of {turns}"
            );
            // So is what the next one received of it; more may have been under way.
            let sent = (0..messages.len()).filter(|&row| messages.source.at(row) == rank).count();
            assert!(sent >= received, "{mpi}: {sent} messages of rank {rank}, {received} were received");
        }
        assert_eq!(messages.summary().backwards, 0, "{mpi}");
    }
}

/// Two ranks run as on another host: under another name, with a clock that is an hour ahead. Linux lets root do that.
#[test]
fn clocks_of_two_hosts() {
    const ELSEWHERE: [&str; 5] = ["unshare", "--uts", "--time", "--monotonic=3600", "sh"];
    let is_allowed = Command::new(ELSEWHERE[0]).args(&ELSEWHERE[1..4]).arg("true").status();
    if !is_allowed.is_ok_and(|status| status.success()) {
        eprintln!("no namespaces of time here: nothing is tested");
        return;
    }
    for mpi in MPIS {
        let folder = TempDir::new().unwrap();
        let mut command = crosscut(folder.path());
        command.args(["record", "-o", "run.crosscut", "--"]).arg(format!("mpirun.{mpi}"));
        command.args(["-n", "2"]).arg(example(mpi, "traffic")).args([":", "-n", "2"]).args(ELSEWHERE);
        command.args(["-c", "hostname elsewhere; exec \"$0\""]).arg(example(mpi, "traffic"));
        let output = with_mpi(&mut command).output().unwrap();
        assert!(output.status.success(), "{mpi}: {}", String::from_utf8_lossy(&output.stderr));
        let messages = open(folder.path());
        let summary = messages.summary();
        assert_eq!((summary.messages, summary.bytes), counted(&output), "{mpi}");
        assert_eq!((summary.unmatched, summary.backwards_left), (0, 0), "{mpi}");
        // The hour is gone; what is left to correct is what one message takes.
        assert!(summary.elapsed < 600_000_000_000, "{mpi}: {} ns", summary.elapsed);
        assert!(summary.largest_correction.abs() < 1_000_000_000, "{mpi}: {}", summary.largest_correction);
        let clocks = messages.run().column::<u32>("messages/clock").unwrap();
        assert!(
            clocks[0] == clocks[1] && clocks[2] == clocks[3] && clocks[0] != clocks[2],
            "{mpi}: {clocks:?}"
        );
        for row in 0..messages.len() {
            assert!(messages.send_start[row] <= messages.receive_end[row], "{mpi}: message {row}");
        }
    }
}
