//! The dependences of a task, as GCC writes them: an array of words.

use std::ffi::c_void;

use crate::thread::Thread;

/// Kinds of dependence as events have them (`ompt_dependence_type_t`).
const IN: u16 = 1;
const OUT: u16 = 2;
const MUTEX: u16 = 4;
const SET: u16 = 7;
const ALL_MEMORY: u16 = 34;

/// Stores the dependences of what was created, or is waited for.
///
/// # Safety
/// It is an array of dependences as GCC makes it.
pub unsafe fn store(thread: &mut Thread, list: *const *mut c_void) {
    // SAFETY: the array says itself how long it is.
    let word = |at: usize| unsafe { *list.add(at) };
    let count = |at: usize| word(at).addr();
    if count(0) != 0 {
        // How many, how many of them are outs; the outs come first.
        let (all, outs) = (count(0), count(1));
        for at in 0..all {
            put(thread, word(2 + at).addr() as u64, if at < outs { OUT } else { IN });
        }
        return;
    }
    // Outs, those that exclude each other, ins, and objects of the program's that stand for any of them.
    let (all, outs, mutexes, ins) = (count(1), count(2), count(3), count(4));
    for at in 0..all {
        let word = word(5 + at);
        match at {
            at if at < outs => put(thread, word.addr() as u64, OUT),
            at if at < outs + mutexes => put(thread, word.addr() as u64, MUTEX),
            at if at < outs + mutexes + ins => put(thread, word.addr() as u64, IN),
            _ => {
                // SAFETY: an object is its address and its kind.
                let [address, kind] = unsafe { *word.cast::<[usize; 2]>() };
                put(thread, address as u64, object(kind));
            }
        }
    }
}

/// An out without an address depends on all memory.
fn put(thread: &mut Thread, address: u64, kind: u16) {
    let kind = if address == 0 && kind == OUT { ALL_MEMORY } else { kind };
    thread.depend(address, kind);
}

/// The kind of an object: in, out, inout, mutexinoutset, inoutset.
fn object(kind: usize) -> u16 {
    match kind {
        1 => IN,
        4 => MUTEX,
        5 => SET,
        _ => OUT,
    }
}
