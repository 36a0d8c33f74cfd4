//! Parallel regions: the block that libgomp hands to the threads of a team is a [`Region`] on the stack of the call that
//! started it.

use std::ffi::{c_long, c_uint, c_void};

use crosscut_events::{TaskId, WaitKind};

use super::work::{DYNAMIC, GUIDED, Lap, OTHER, STATIC};
use super::{Body, Scope, ask, entries, entry, find, real, slot, stub, with};
use crate::thread;

entries! {
    GOMP_parallel(4) => parallel;
    GOMP_parallel_reductions(4) => parallel_reductions;
    GOMP_parallel_sections(5) => parallel_sections;
    GOMP_teams_reg(5) => teams;
}

/// What all lanes of a region share.
#[repr(C)]
pub(super) struct Region {
    /// What libgomp reads itself, the first word of the program's block.
    first: usize,
    body: Body,
    data: *mut c_void,
    team: TaskId,
    /// The loop that the region is.
    lap: Option<Lap>,
}

/// What runs on the thread that starts a region, and goes on afterwards.
#[derive(Clone, Copy)]
pub(super) struct Around {
    task: TaskId,
    ended: TaskId,
}

impl Region {
    /// A team is started.
    pub(super) fn begin(
        body: Body,
        data: *mut c_void,
        threads: c_uint,
        lap: Option<Lap>,
    ) -> Option<(Self, Around)> {
        with(|thread| {
            let around = Around { task: thread.current, ended: thread.gomp.ended };
            let team = thread.fork(entry(body), threads);
            (Region { first: 0, body, data, team, lap }, around)
        })
    }

    /// A lane begins here; what ran before comes back.
    pub(super) fn enter(&self) -> Option<Scope> {
        let number = ask!(omp_get_thread_num, self.body as usize);
        thread::with(|thread| {
            // A thread that waited for work since its last lane.
            super::leave(thread);
            let outer = thread.gomp.scope;
            thread.lane(self.team, number as u32);
            let code = entry(self.body);
            thread.gomp.scope = Scope { code, in_team: true, ..Scope::default() };
            if let Some(lap) = self.lap {
                lap.enter(thread, code);
            }
            outer
        })
    }
}

/// The lane has come to the barrier at the end of its team. Tasks may still run here.
pub(super) fn leave(outer: Option<Scope>) {
    let Some(outer) = outer else { return };
    thread::with(|thread| {
        Lap::leave(thread);
        thread.wait(WaitKind::LastBarrier, thread.gomp.scope.code);
        thread.gomp.ended = thread.current;
        thread.gomp.scope = outer;
    });
}

impl Around {
    /// The team has ended; what started it returns to the caller.
    pub(super) fn end(self, caller: usize) {
        thread::with(|thread| {
            thread.lane_end();
            thread.gomp.ended = self.ended;
            thread.join(self.task, goes_on_at(caller));
        });
    }
}

/// The code at which the program goes on, 0 where it is none of its own.
fn goes_on_at(caller: usize) -> u64 {
    if find::is_own(caller) { 0 } else { caller as u64 }
}

/// Runs a lane.
pub(super) unsafe extern "C-unwind" fn run(region: *mut c_void) {
    // SAFETY: libgomp got it from one of the calls below, which has not returned.
    let region = unsafe { &*region.cast::<Region>() };
    let outer = region.enter();
    // SAFETY: the program's own body and block.
    unsafe { (region.body)(region.data) };
    leave(outer);
}

/// Makes a call that runs a region: with a trampoline and a region, or with what the program gave.
fn region<R>(
    (body, data, threads): (Body, *mut c_void, c_uint),
    lap: Option<Lap>,
    (is_quiet, caller): (bool, usize),
    call: impl FnOnce(Body, *mut c_void) -> R,
) -> R {
    let begun = if is_quiet { None } else { Region::begin(body, data, threads, lap) };
    let Some((mut region, around)) = begun else { return call(body, data) };
    let result = call(run, (&raw mut region).cast());
    around.end(caller);
    result
}

/// A parallel region.
unsafe extern "C-unwind" fn parallel(
    body: Body,
    data: *mut c_void,
    threads: c_uint,
    bits: c_uint,
    caller: usize,
) {
    type Parallel = unsafe extern "C-unwind" fn(Body, *mut c_void, c_uint, c_uint);
    let real = real!(GOMP_parallel, body as usize);
    region((body, data, threads), None, (real.is_quiet(), caller), |body, data| {
        // SAFETY: that is its type; the caller's own call.
        unsafe { real.function::<Parallel>()(body, data, threads, bits) }
    })
}

/// A parallel region with task reductions, which libgomp finds through the first word of the program's block.
unsafe extern "C-unwind" fn parallel_reductions(
    body: Body,
    data: *mut c_void,
    threads: c_uint,
    bits: c_uint,
    caller: usize,
) -> c_uint {
    type Parallel = unsafe extern "C-unwind" fn(Body, *mut c_void, c_uint, c_uint) -> c_uint;
    let real = real!(GOMP_parallel_reductions, body as usize);
    // SAFETY: that is its type.
    let call: Parallel = unsafe { real.function() };
    let begun = if real.is_quiet() { None } else { Region::begin(body, data, threads, None) };
    // SAFETY: the caller's own call; the program's block begins with that word.
    unsafe {
        let Some((mut region, around)) = begun else { return call(body, data, threads, bits) };
        region.first = data.cast::<usize>().read();
        let result = call(run, (&raw mut region).cast(), threads, bits);
        around.end(caller);
        result
    }
}

/// Regions that are a loop, with a size of chunks.
macro_rules! loops {
    ($($name:ident $schedule:ident;)*) => {$(slot!($name); const _: () = {
        stub!($name(8) => inner);
        #[allow(clippy::too_many_arguments)]
        unsafe extern "C-unwind" fn inner(
            body: Body, data: *mut c_void, threads: c_uint, from: c_long, to: c_long, step: c_long, chunk: c_long,
            bits: c_uint, caller: usize,
        ) {
            type Parallel = unsafe extern "C-unwind" fn(
                Body, *mut c_void, c_uint, c_long, c_long, c_long, c_long, c_uint,
            );
            let real = real!($name, body as usize);
            let lap = Some(Lap::signed(from, to, step, $schedule));
            region((body, data, threads), lap, (real.is_quiet(), caller), |body, data| {
                // SAFETY: that is its type; the caller's own call.
                unsafe { real.function::<Parallel>()(body, data, threads, from, to, step, chunk, bits) }
            })
        }
    };)*};
}

loops! {
    GOMP_parallel_loop_static STATIC;
    GOMP_parallel_loop_dynamic DYNAMIC;
    GOMP_parallel_loop_guided GUIDED;
    GOMP_parallel_loop_nonmonotonic_dynamic DYNAMIC;
    GOMP_parallel_loop_nonmonotonic_guided GUIDED;
}

/// Regions that are a loop, without a size of chunks.
macro_rules! unchunked {
    ($($name:ident)*) => {$(slot!($name); const _: () = {
        stub!($name(7) => inner);
        #[allow(clippy::too_many_arguments)]
        unsafe extern "C-unwind" fn inner(
            body: Body, data: *mut c_void, threads: c_uint, from: c_long, to: c_long, step: c_long, bits: c_uint,
            caller: usize,
        ) {
            type Parallel = unsafe extern "C-unwind" fn(Body, *mut c_void, c_uint, c_long, c_long, c_long, c_uint);
            let real = real!($name, body as usize);
            let lap = Some(Lap::signed(from, to, step, OTHER));
            region((body, data, threads), lap, (real.is_quiet(), caller), |body, data| {
                // SAFETY: that is its type; the caller's own call.
                unsafe { real.function::<Parallel>()(body, data, threads, from, to, step, bits) }
            })
        }
    };)*};
}

unchunked! {
    GOMP_parallel_loop_runtime
    GOMP_parallel_loop_nonmonotonic_runtime
    GOMP_parallel_loop_maybe_nonmonotonic_runtime
}

/// Parallel sections.
unsafe extern "C-unwind" fn parallel_sections(
    body: Body,
    data: *mut c_void,
    threads: c_uint,
    count: c_uint,
    bits: c_uint,
    caller: usize,
) {
    type Parallel = unsafe extern "C-unwind" fn(Body, *mut c_void, c_uint, c_uint, c_uint);
    let real = real!(GOMP_parallel_sections, body as usize);
    region((body, data, threads), Some(Lap::sections(count)), (real.is_quiet(), caller), |body, data| {
        // SAFETY: that is its type; the caller's own call.
        unsafe { real.function::<Parallel>()(body, data, threads, count, bits) }
    })
}

/// A league of teams. They run one after the other on this thread, but the program lets them run side by side.
unsafe extern "C-unwind" fn teams(
    body: Body,
    data: *mut c_void,
    teams: c_uint,
    limit: c_uint,
    bits: c_uint,
    caller: usize,
) {
    type Teams = unsafe extern "C-unwind" fn(Body, *mut c_void, c_uint, c_uint, c_uint);
    let real = real!(GOMP_teams_reg, body as usize);
    // SAFETY: that is its type.
    let call: Teams = unsafe { real.function() };
    let begun = if real.is_quiet() { None } else { Region::begin(body, data, teams, None) };
    // SAFETY: the caller's own call; the region lives until it returns.
    unsafe {
        let Some((mut region, around)) = begun else { return call(body, data, teams, limit, bits) };
        call(run_team, (&raw mut region).cast(), teams, limit, bits);
        thread::with(|thread| thread.join(around.task, goes_on_at(caller)));
    }
}

/// Runs the only thread of a team.
unsafe extern "C-unwind" fn run_team(region: *mut c_void) {
    // SAFETY: libgomp got it from the call above, which has not returned.
    let region = unsafe { &*region.cast::<Region>() };
    let number = ask!(omp_get_team_num, region.body as usize);
    let outer = thread::with(|thread| {
        thread.lane(region.team, number as u32);
        let scope = Scope { code: entry(region.body), ..Scope::default() };
        std::mem::replace(&mut thread.gomp.scope, scope)
    });
    // SAFETY: the program's own body and block.
    unsafe { (region.body)(region.data) };
    if let Some(outer) = outer {
        thread::with(|thread| {
            Lap::leave(thread);
            thread.lane_end();
            thread.gomp.scope = outer;
        });
    }
}
