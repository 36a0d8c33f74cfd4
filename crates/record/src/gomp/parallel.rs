//! Parallel regions: the block that libgomp hands to the threads of a team is a [`Region`] on the stack of the call that
//! started it.

use std::ffi::{c_int, c_uint, c_void};

use crosscut_events::{TaskId, WaitKind};

use super::{Body, Scope, entry, real, with};
use crate::thread;

/// What all lanes of a region share.
#[repr(C)]
pub(super) struct Region {
    /// What libgomp reads itself, the first word of the program's block.
    first: usize,
    body: Body,
    data: *mut c_void,
    team: TaskId,
}

/// What runs on the thread that starts a region, and goes on afterwards.
#[derive(Clone, Copy)]
pub(super) struct Around {
    task: TaskId,
    ended: TaskId,
}

impl Region {
    /// A team is started.
    fn begin(body: Body, data: *mut c_void, threads: c_uint) -> Option<(Self, Around)> {
        with(|thread| {
            let around = Around { task: thread.current, ended: thread.gomp.ended };
            let team = thread.fork(entry(body), threads);
            (Region { first: 0, body, data, team }, around)
        })
    }
}

impl Around {
    /// The team has ended.
    fn end(self) {
        thread::with(|thread| {
            thread.lane_end();
            thread.gomp.ended = self.ended;
            thread.join(self.task);
        });
    }
}

/// Runs a lane.
unsafe extern "C-unwind" fn run(region: *mut c_void) {
    // SAFETY: libgomp got it from one of the calls below, which has not returned.
    let region = unsafe { &*region.cast::<Region>() };
    let real = real!(omp_get_thread_num, region.body as usize);
    // SAFETY: that is its type.
    let number: unsafe extern "C-unwind" fn() -> c_int = unsafe { real.function() };
    // SAFETY: a question.
    let number = unsafe { number() };
    let outer = begin(region, number as u32);
    // SAFETY: the program's own body and block.
    unsafe { (region.body)(region.data) };
    end(outer);
}

/// A lane begins here; what ran before comes back.
fn begin(region: &Region, number: u32) -> Option<Scope> {
    thread::with(|thread| {
        if thread.current != TaskId::NONE && thread.current == thread.gomp.ended {
            // A thread that waited for work since its last lane.
            thread.lane_end();
        }
        let outer = thread.gomp.scope;
        thread.lane(region.team, number);
        thread.gomp.scope = Scope { code: entry(region.body), is_final: false, in_team: true };
        outer
    })
}

/// The lane has come to the barrier at the end of its team. Tasks may still run here.
fn end(outer: Option<Scope>) {
    let Some(outer) = outer else { return };
    thread::with(|thread| {
        thread.wait(WaitKind::LastBarrier, thread.gomp.scope.code);
        thread.gomp.ended = thread.current;
        thread.gomp.scope = outer;
    });
}

/// A parallel region.
///
/// # Safety
/// Called by GCC's code.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn GOMP_parallel(body: Body, data: *mut c_void, threads: c_uint, bits: c_uint) {
    type Parallel = unsafe extern "C-unwind" fn(Body, *mut c_void, c_uint, c_uint);
    let real = real!(GOMP_parallel, body as usize);
    // SAFETY: that is its type.
    let call: Parallel = unsafe { real.function() };
    let begun = if real.is_quiet() { None } else { Region::begin(body, data, threads) };
    // SAFETY: the caller's own call; the region lives until it returns.
    unsafe {
        match begun {
            Some((mut region, around)) => {
                call(run, (&raw mut region).cast(), threads, bits);
                around.end();
            }
            None => call(body, data, threads, bits),
        }
    }
}
