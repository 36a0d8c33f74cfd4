//! Where a program waits: in barriers, locks and progress loops of known libraries, and in all that is called there. Runtimes
//! of tasks run the program's own code while they wait: that is work again.

use std::sync::LazyLock;

use crosscut_tree::NodeId;
use regex::Regex;

use crate::Calls;
use crate::schema::Frame;

/// Functions in which a program waits, as far as libraries are known: MPI, threads, networks, the system.
static WAITS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    whole(&[
        r"P?MPI_(Wait|Barrier|Recv|Probe|Mprobe|Sendrecv|Allreduce|Reduce|Bcast|Alltoall|Allgather|Gather|Scatter|Scan|Test|Win_(fence|wait|lock|unlock))\w*",
        r"p?mpi_(wait|barrier|recv|probe|sendrecv|allreduce|reduce|bcast|alltoall|allgather|gather|scatter|test)\w*",
        r"opal_progress\w*|ompi_request_\w*wait\w*|ompi_sync_wait\w*|ompi_coll_\w*|mca_\w*progress\w*|MPI(DI?|R)_\w*[Pp]rogress\w*|MPIDI_CH3I_Progress",
        r"psm2?_\w*(poll|wait|progress)\w*|ips_ptl_poll|uc[pt]_\w*progress\w*|fi_cq_s?read\w*|ibv_poll_cq",
        r"_*pthread_(mutex_\w*lock|cond_\w*wait|join|barrier_wait|spin_lock|rwlock_\w*lock)\w*|cnd_(timed)?wait|mtx_(timed)?lock|__lll_lock_wait\w*|futex_\w*wait\w*|_*(new_)?sem_(timed|clock)?wait|_*sched_yield|__GI___?(futex|sched_yield)\w*",
        r"_*epoll_p?wait2?|_*p?poll|_*p?select|_*(clock_)?nanosleep|usleep|std::thread::park\w*|std::sync::\w*::wait\w*",
    ])
});

/// The same of OpenMP runtimes, which may run tasks meanwhile.
static OPENMP_WAITS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    whole(&[
        r"GOMP_(barrier|critical_(name_)?start|atomic_start|ordered_start|doacross_(ull_)?wait|taskwait|taskgroup_end|loop_end|sections_end|parallel_end)\w*",
        r"gomp_(team_|sem_|mutex_|barrier_|thread_)\w*(barrier|wait|lock)\w*|gomp_team_barrier_wait\w*|do_(spin|wait)",
        r"__kmpc?_\w*(barrier|wait|lock|taskwait|taskgroup|critical|ordered)\w*|kmp_flag\w*wait\w*|omp_set_(nest_)?lock_?",
    ])
});

fn whole(all: &[&str]) -> Option<Regex> {
    Regex::new(&format!("^(?:{})$", all.join("|"))).ok()
}

/// A function's name without versions and arguments of symbols.
fn plain(name: &str) -> &str {
    name.split(['(', '@', ' ', '.']).next().unwrap_or_default()
}

fn is(waits: &Option<Regex>, name: &str) -> bool {
    waits.as_ref().is_some_and(|waits| waits.is_match(plain(name)))
}

/// What regions of OpenMP begin with where Score-P names them: `!$omp implicit barrier @file.c:12`.
const REGION: &str = "!$omp ";

/// Whether a region of OpenMP is one in which threads wait for one another. What runs inside a critical region is a region
/// of its own in it: what is left is waiting.
fn is_waiting_region(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(REGION) else { return false };
    let what = rest.split('@').next().unwrap_or_default().trim();
    let what = what.strip_prefix("implicit ").unwrap_or(what);
    matches!(what, "barrier" | "critical" | "ordered" | "taskwait")
}

/// Whether HPCToolkit says that a thread of OpenMP has nothing to do or waits: `<omp idle>`, `<omp barrier wait>`.
fn is_waiting_state(name: &str) -> bool {
    let state = name.strip_prefix("<omp ").and_then(|rest| rest.strip_suffix('>'));
    state.is_some_and(|state| state == "idle" || state.ends_with(" wait"))
}

/// Whether a function is one in which a program waits.
pub fn is_waiting(name: &str) -> bool {
    is(&WAITS, name) || is(&OPENMP_WAITS, name) || is_waiting_region(name) || is_waiting_state(name)
}

/// What a frame is to somebody who looks for waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// It waits, and so does all that it calls.
    Waits,
    /// It waits in an OpenMP runtime.
    RuntimeWaits,
    /// A function of an OpenMP runtime without a name: most are stripped.
    RuntimeUnnamed,
    /// Another one, which does something for the program.
    RuntimeActs,
    /// Part of the system's libraries.
    System,
    /// The program, or what nobody knows.
    Program,
}

impl Role {
    fn of(frame: &Frame) -> Self {
        let module = frame.module.rsplit('/').next().unwrap_or_default();
        let begins = |all: &[&str]| all.iter().any(|begin| module.starts_with(begin));
        match () {
            () if is(&WAITS, &frame.name) => Role::Waits,
            () if is(&OPENMP_WAITS, &frame.name) || is_waiting_region(&frame.name) => Role::RuntimeWaits,
            () if is_waiting_state(&frame.name) => Role::Waits,
            // Tasks that run in a barrier, and what a critical region is for.
            () if frame.name.starts_with(REGION) => Role::Program,
            () if begins(&["libgomp", "libomp", "libiomp"]) => {
                // A region ends when all threads have come: what has no name there is that.
                let is_unnamed = frame.name.starts_with(['(', '[']) || frame.name.starts_with("0x");
                if is_unnamed { Role::RuntimeUnnamed } else { Role::RuntimeActs }
            }
            () if frame.kind.is_inner() || frame.name == "(kernel)" => Role::System,
            () if begins(&["libc.", "libc-", "libpthread", "ld-linux", "[", "linux-vdso"]) => Role::System,
            () if module.is_empty() => Role::System,
            () => Role::Program,
        }
    }
}

/// What a node passes on to what it calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Works,
    Waits,
    /// In a runtime that may run the program's code.
    RuntimeWaits,
    /// In a runtime that does what it was asked for.
    RuntimeActs,
}

/// By node: the program waits there, or in what it was called from.
pub fn waits(calls: &Calls) -> Vec<bool> {
    let roles: Vec<Role> = calls.frames().iter().map(Role::of).collect();
    let mut states = vec![State::Works; calls.node_count()];
    for (node, &parent) in calls.tree().parents().iter().enumerate().skip(1) {
        let role = roles.get(calls.frame_number(NodeId(node as u32)) as usize).copied();
        let above = states[parent as usize];
        let is_region = || {
            let caller = calls.frame(NodeId(parent));
            caller.is_some_and(|caller| plain(&caller.name).starts_with("GOMP_parallel"))
        };
        states[node] = match (role.unwrap_or(Role::Program), above) {
            (_, State::Waits) | (Role::Waits, _) => State::Waits,
            (Role::RuntimeWaits, _) => State::RuntimeWaits,
            (Role::RuntimeUnnamed, State::RuntimeActs) if !is_region() => State::RuntimeActs,
            (Role::RuntimeUnnamed, _) => State::RuntimeWaits,
            (Role::RuntimeActs, State::RuntimeWaits) => State::RuntimeWaits,
            (Role::RuntimeActs, _) => State::RuntimeActs,
            (Role::System, above) => above,
            (Role::Program, _) => State::Works,
        };
    }
    states.into_iter().map(|state| matches!(state, State::Waits | State::RuntimeWaits)).collect()
}
