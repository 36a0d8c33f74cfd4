//! Threads that the program starts, when their stacks are to be sampled: the preloaded library comes first, so `pthread_create`
//! is ours, and calls the real one. The new thread comes by here on its way to the program's function. So do libraries on
//! their way out, while it is still known where their code was.

use std::ffi::{c_int, c_void};

use crate::{samples, sys};

type Start = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;
type Create = unsafe extern "C" fn(*mut c_void, *const c_void, Start, *mut c_void) -> c_int;

/// Where a thread was to begin.
struct Begin {
    start: Start,
    argument: *mut c_void,
}

/// The program starts a thread.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_create(
    thread: *mut c_void,
    attributes: *const c_void,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    const NO_FUNCTION: c_int = 38;
    let real = sys::next_symbol(c"pthread_create");
    // SAFETY: null or a function of this type, by its name.
    let Some(real) = (unsafe { std::mem::transmute::<*mut c_void, Option<Create>>(real) }) else {
        return NO_FUNCTION;
    };
    if !samples::are_wanted() {
        // SAFETY: the arguments are the caller's.
        return unsafe { real(thread, attributes, start, argument) };
    }
    let begin = Box::into_raw(Box::new(Begin { start, argument }));
    // SAFETY: as above; the new thread takes the box.
    let error = unsafe { real(thread, attributes, come_by, begin.cast()) };
    if error != 0 {
        // SAFETY: there is no thread that would have taken it.
        drop(unsafe { Box::from_raw(begin) });
    }
    error
}

unsafe extern "C-unwind" fn come_by(begin: *mut c_void) -> *mut c_void {
    // SAFETY: it came from a box above, for this thread alone.
    let Begin { start, argument } = *unsafe { Box::from_raw(begin.cast::<Begin>()) };
    // All that the program does in this thread lies below.
    let mark = 0u64;
    samples::start((&raw const mark).expose_provenance());
    // SAFETY: the program's own function and argument.
    unsafe { start(argument) }
}

type Unload = unsafe extern "C" fn(*mut c_void) -> c_int;

/// The program has no more use for a library.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dlclose(library: *mut c_void) -> c_int {
    const FAILED: c_int = -1;
    let real = sys::next_symbol(c"dlclose");
    // SAFETY: null or a function of this type, by its name.
    let Some(real) = (unsafe { std::mem::transmute::<*mut c_void, Option<Unload>>(real) }) else {
        return FAILED;
    };
    if samples::are_wanted() {
        samples::keep_maps();
    }
    // SAFETY: the argument is the caller's.
    unsafe { real(library) }
}
