//! What costs time in profiles with a known cause.

use crate::made;

use crosscut_calls::causes::{Kind, causes, is_waiting};
use crosscut_calls::{Calls, Frame, Given, Unit};
use made::written;

/// Ranks that solve and meet in a barrier; `solve` takes longer on some of them.
fn program(ranks: i64, slow: &[i64]) -> (tempfile::TempDir, Calls) {
    written(|builder| {
        let metric = builder.metric("time", Unit::Ns, Given::Own);
        let at = |module: &str, name: &str| Frame { module: module.to_owned(), ..Frame::function(name) };
        let frames = [
            at("app", "main"),
            at("libeos", "solve"),
            at("libmpi", "MPI_Barrier"),
            at("libpsm2", "poll_all"),
        ];
        let [main, solve, barrier, poll] = frames.map(|frame| builder.frame(frame));
        let main = builder.node(0, main).unwrap();
        let solve = builder.node(main, solve).unwrap();
        let barrier = builder.node(main, barrier).unwrap();
        let poll = builder.node(barrier, poll).unwrap();
        let most = if slow.is_empty() { 1000 } else { 3000 };
        for rank in 0..ranks {
            let place = builder.place(rank, 0);
            let work = if slow.contains(&rank) { 3000 } else { 1000 };
            for (node, value) in [(main, 500), (solve, work), (poll, most - work), (barrier, 10)] {
                builder.add(metric, place, node, value * 1_000_000);
            }
        }
    })
}

#[test]
fn slow_ranks_are_named_and_waiting_is_their_effect() {
    let (_work, calls) = program(16, &[4, 5, 11]);
    let all = causes(&calls);
    assert_eq!(all[0].kind, Kind::RankImbalance);
    assert_eq!((all[0].module.as_str(), all[0].ranks.as_slice()), ("libeos", &[4, 5, 11][..]));
    assert_eq!(calls.frames()[all[0].frame as usize].name, "solve");
    // The others wait 13 × 2 s: that is the cost, and nothing of it is charged again.
    assert_eq!(all[0].cost, 26_000_000_000);
    assert!(all.iter().all(|cause| cause.kind != Kind::Waiting), "{all:?}");
    let hot = all.iter().find(|cause| cause.kind == Kind::HotFunction).unwrap();
    assert_eq!(calls.frames()[hot.frame as usize].name, "solve");
}

#[test]
fn equal_ranks_have_no_imbalance() {
    let (_work, calls) = program(8, &[]);
    assert!(causes(&calls).iter().all(|cause| cause.kind == Kind::HotFunction));
}

#[test]
fn waiting_without_a_cause_is_told() {
    let (_work, calls) = written(|builder| {
        let metric = builder.metric("time", Unit::Ns, Given::Own);
        let frames = ["main", "pthread_mutex_lock", "work"].map(|name| builder.frame(Frame::function(name)));
        let main = builder.node(0, frames[0]).unwrap();
        let nodes = [frames[1], frames[2]].map(|frame| builder.node(main, frame).unwrap());
        for thread in 0..4 {
            let place = builder.place(0, thread);
            builder.add(metric, place, nodes[0], 400);
            builder.add(metric, place, nodes[1], 600);
        }
    });
    let all = causes(&calls);
    let waiting = all.iter().find(|cause| cause.kind == Kind::Waiting).unwrap();
    assert_eq!((waiting.cost, waiting.total), (1600, 1600));
    assert_eq!(calls.frames()[waiting.frame as usize].name, "pthread_mutex_lock");
}

#[test]
fn samples_are_no_time() {
    let (_work, calls) = written(|builder| {
        let metric = builder.metric("samples", Unit::Count, Given::Own);
        let frame = builder.frame(Frame::function("main"));
        let node = builder.node(0, frame).unwrap();
        let place = builder.place(0, 0);
        builder.add(metric, place, node, 400);
    });
    assert!(causes(&calls).is_empty());
}

#[test]
fn known_libraries_wait_and_others_do_not() {
    for name in [
        "MPI_Waitall",
        "PMPI_Barrier",
        "mpi_allreduce_",
        "opal_progress",
        "ucp_worker_progress",
        "GOMP_barrier",
        "gomp_team_barrier_wait_end",
        "__kmpc_barrier",
        "pthread_cond_wait@@GLIBC_2.3.2",
        "__lll_lock_wait",
        "epoll_wait",
        "psm2_mq_ipeek_poll",
        "futex_wait",
        "sched_yield",
        "__sched_yield",
        "ompi_sync_wait_mt",
        "mca_pml_base_progress",
        "omp_set_lock",
        "omp_set_nest_lock_",
        "GOMP_critical_name_start",
        "GOMP_taskgroup_end",
        "__kmp_acquire_queuing_lock",
        "__kmpc_end_taskgroup",
        "__clock_nanosleep",
        "!$omp barrier @solve.c:12",
        "!$omp implicit barrier @solve.c:40",
        "!$omp critical @solve.c:7",
        "!$omp ordered @solve.c:8",
        "!$omp taskwait @solve.c:9",
        "<omp idle>",
        "<omp barrier wait>",
        "<omp critical wait>",
    ] {
        assert!(is_waiting(name), "{name}");
    }
    for name in [
        "main",
        "MPI_Send",
        "MPI_Isend",
        "solve",
        "await_results",
        "lock_free_push",
        "barrier_height",
        "poll_all",
        "!$omp critical sblock @solve.c:7",
        "!$omp parallel @solve.c:3",
        "!$omp for @solve.c:4",
        "<omp work>",
    ] {
        assert!(!is_waiting(name), "{name}");
    }
}

/// A runtime that waits runs tasks meanwhile, and what has no name in it is the end of a region: the rest is the program's.
#[test]
fn tasks_that_run_in_a_wait_are_work() {
    let (_work, calls) = written(|builder| {
        let metric = builder.metric("time", Unit::Ns, Given::Own);
        let place = builder.place(0, 0);
        let mut path = |names: &[(&str, &str)], value: i64| {
            let mut node = 0;
            for &(module, name) in names {
                let frame = builder.frame(Frame { module: module.to_owned(), ..Frame::function(name) });
                node = builder.node(node, frame).unwrap();
            }
            builder.add(metric, place, node, value);
        };
        let (gomp, own) = ("libgomp.so.1", "(libgomp.so.1)");
        path(&[("app", "main"), (gomp, "GOMP_taskwait")], 1);
        path(&[("app", "main"), (gomp, "GOMP_taskwait"), (gomp, own), ("libc.so.6", "syscall")], 2);
        path(&[("app", "main"), (gomp, "GOMP_taskwait"), (gomp, own), ("app", "task")], 1000);
        path(&[("app", "main"), (gomp, "GOMP_task"), (gomp, own)], 4000);
        path(&[("app", "main"), (gomp, "GOMP_parallel"), (gomp, own)], 4);
        path(&[("app", "main"), (gomp, "GOMP_parallel"), ("app", "body")], 10_000);
        path(&[("libc.so.6", "start_thread"), (gomp, own)], 8);
        path(&[("libc.so.6", "start_thread"), (gomp, own), ("app", "body")], 20_000);
        path(&[("app", "main"), ("libmpi.so", "MPI_Wait"), ("libother.so", "poll_all")], 1600);
    });
    let waiting = causes(&calls).into_iter().find(|cause| cause.kind == Kind::Waiting).unwrap();
    assert_eq!(waiting.total, 1 + 2 + 4 + 8 + 1600);
    assert_eq!(calls.frames()[waiting.frame as usize].name, "MPI_Wait");
}

/// Regions of OpenMP as Score-P has them: what a critical region is for, and tasks that run in a barrier, are work.
#[test]
fn work_in_regions_of_openmp_is_no_waiting() {
    let (_work, calls) = written(|builder| {
        let metric = builder.metric("time", Unit::Ns, Given::Own);
        let place = builder.place(0, 0);
        let mut path = |names: &[&str], value: i64| {
            let mut node = 0;
            for &name in names {
                let frame = builder.frame(Frame::function(name));
                node = builder.node(node, frame).unwrap();
            }
            builder.add(metric, place, node, value);
        };
        let (region, barrier) = ("!$omp parallel @a.c:3", "!$omp implicit barrier @a.c:9");
        path(&["main", region], 10_000);
        path(&["main", region, barrier], 1000);
        path(&["main", region, barrier, "!$omp task @a.c:5", "f"], 20_000);
        path(&["main", region, "!$omp critical @a.c:6"], 2000);
        path(&["main", region, "!$omp critical @a.c:6", "!$omp critical sblock @a.c:6", "f"], 30_000);
        path(&["<omp idle>"], 4000);
    });
    let waiting = causes(&calls).into_iter().find(|cause| cause.kind == Kind::Waiting).unwrap();
    assert_eq!(waiting.total, 1000 + 2000 + 4000);
}

/// Two parts, each with nearly all of its time on one rank of many: what the others could have done meanwhile is more than a number
/// holds, and so is their sum. As a damaged trace has it, with times of a hundred years.
#[test]
fn costs_beyond_what_numbers_hold() {
    const LONG: i64 = 2_000_000_000_000_000_000;
    let (_work, calls) = written(|builder| {
        let metric = builder.metric("time", Unit::Ns, Given::Own);
        let frames = ["first", "second"]
            .map(|module| builder.frame(Frame { module: module.to_owned(), ..Frame::function(module) }));
        for rank in 0..16 {
            let place = builder.place(rank, 0);
            for (number, frame) in frames.into_iter().enumerate() {
                let node = builder.node(0, frame).unwrap();
                builder.add(metric, place, node, if rank == number as i64 { LONG } else { LONG / 20 });
            }
        }
    });
    let all = causes(&calls);
    let uneven: Vec<&str> =
        all.iter().filter(|cause| cause.kind == Kind::RankImbalance).map(|cause| &*cause.module).collect();
    assert_eq!(uneven, ["first", "second"]);
    assert!(all[0].cost == i64::MAX && all[1].cost == i64::MAX);
}
