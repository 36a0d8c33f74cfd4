//! Regions as GCC before 4.9 calls them: one call starts the team, the program runs the body of the first lane itself, and
//! another call ends the team.

use std::ffi::{c_long, c_uint, c_void};

use super::parallel::{Around, Region, leave, run};
use super::work::{DYNAMIC, GUIDED, Lap, OTHER, STATIC};
use super::{Body, Scope, entries, origin, real, slot, stub};
use crate::thread;

entries! {
    GOMP_parallel_end(0) => parallel_end;
    GOMP_parallel_start(=) => parallel_start;
    GOMP_parallel_sections_start(=) => parallel_sections_start;
    GOMP_parallel_loop_runtime_start(=) => parallel_loop_runtime_start;
}

/// A region that was started.
pub struct Started {
    region: Region,
    around: Around,
    outer: Option<Scope>,
}

/// Makes a call that starts a region.
fn start(
    (body, data, threads): (Body, *mut c_void, c_uint),
    lap: Option<Lap>,
    is_quiet: bool,
    call: impl FnOnce(Body, *mut c_void),
) {
    let begun = if is_quiet { None } else { Region::begin(body, data, threads, lap) };
    let Some((region, around)) = begun else { return call(body, data) };
    let mut started = Box::new(Started { region, around, outer: None });
    call(run, (&raw mut started.region).cast());
    started.outer = started.region.enter();
    thread::with(|thread| thread.gomp.started.push(started));
}

/// A team is started.
unsafe extern "C-unwind" fn parallel_start(body: Body, data: *mut c_void, threads: c_uint) {
    type Start = unsafe extern "C-unwind" fn(Body, *mut c_void, c_uint);
    let real = real!(GOMP_parallel_start, body as usize);
    start((body, data, threads), None, real.is_quiet(), |body, data| {
        // SAFETY: that is its type; the caller's own call.
        unsafe { real.function::<Start>()(body, data, threads) }
    })
}

/// A team is started for sections.
unsafe extern "C-unwind" fn parallel_sections_start(
    body: Body,
    data: *mut c_void,
    threads: c_uint,
    count: c_uint,
) {
    type Start = unsafe extern "C-unwind" fn(Body, *mut c_void, c_uint, c_uint);
    let real = real!(GOMP_parallel_sections_start, body as usize);
    start((body, data, threads), Some(Lap::sections(count)), real.is_quiet(), |body, data| {
        // SAFETY: that is its type; the caller's own call.
        unsafe { real.function::<Start>()(body, data, threads, count) }
    })
}

macro_rules! loops {
    ($($name:ident $schedule:ident;)*) => {$(slot!($name); const _: () = {
        stub!($name(=) => inner);
        unsafe extern "C-unwind" fn inner(
            body: Body, data: *mut c_void, threads: c_uint, from: c_long, to: c_long, step: c_long, chunk: c_long,
        ) {
            type Start = unsafe extern "C-unwind" fn(Body, *mut c_void, c_uint, c_long, c_long, c_long, c_long);
            let real = real!($name, body as usize);
            let lap = Some(Lap::signed(from, to, step, $schedule));
            start((body, data, threads), lap, real.is_quiet(), |body, data| {
                // SAFETY: that is its type; the caller's own call.
                unsafe { real.function::<Start>()(body, data, threads, from, to, step, chunk) }
            })
        }
    };)*};
}

loops! {
    GOMP_parallel_loop_static_start STATIC;
    GOMP_parallel_loop_dynamic_start DYNAMIC;
    GOMP_parallel_loop_guided_start GUIDED;
}

/// A team is started for a loop whose schedule is chosen when it runs.
unsafe extern "C-unwind" fn parallel_loop_runtime_start(
    body: Body,
    data: *mut c_void,
    threads: c_uint,
    from: c_long,
    to: c_long,
    step: c_long,
) {
    type Start = unsafe extern "C-unwind" fn(Body, *mut c_void, c_uint, c_long, c_long, c_long);
    let real = real!(GOMP_parallel_loop_runtime_start, body as usize);
    let lap = Some(Lap::signed(from, to, step, OTHER));
    start((body, data, threads), lap, real.is_quiet(), |body, data| {
        // SAFETY: that is its type; the caller's own call.
        unsafe { real.function::<Start>()(body, data, threads, from, to, step) }
    })
}

/// The program has run the body of the first lane, and the team ends.
unsafe extern "C-unwind" fn parallel_end(caller: usize) {
    let real = real!(GOMP_parallel_end, origin(caller));
    // SAFETY: that is its type.
    let call: unsafe extern "C-unwind" fn() = unsafe { real.function() };
    let started =
        if real.is_quiet() { None } else { thread::with(|thread| thread.gomp.started.pop()).flatten() };
    if let Some(started) = &started {
        leave(started.outer);
    }
    // SAFETY: the caller's own call.
    unsafe { call() };
    if let Some(started) = started {
        started.around.end(caller);
    }
}
