//! Which code an input has reached, where the program was built with LLVM's inline 8-bit counters: the linker's start of each
//! module hands its counters over here.

use std::sync::Mutex;

/// Counters of each module: where they begin and how many there are.
static MODULES: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());
/// What was reached so far, by counter: a bit for each power of two.
static SEEN: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Called by what the compiler adds to each module.
///
/// # Safety
///
/// The range must be that of counters which live as long as the program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sanitizer_cov_8bit_counters_init(start: *mut u8, stop: *mut u8) {
    if let Ok(mut modules) = MODULES.lock() {
        let range = (start as usize, stop as usize - start as usize);
        if !modules.contains(&range) {
            modules.push(range);
        }
    }
}

/// Called beside it; places in the program are not used here.
#[unsafe(no_mangle)]
pub extern "C" fn __sanitizer_cov_pcs_init(_start: *const usize, _stop: *const usize) {}

/// Whether there are any counters.
pub fn is_there() -> bool {
    MODULES.lock().is_ok_and(|modules| !modules.is_empty())
}

fn each(mut counter: impl FnMut(usize, &mut u8)) {
    let Ok(modules) = MODULES.lock() else { return };
    let mut number = 0;
    for &(start, count) in modules.iter() {
        for at in 0..count {
            // SAFETY: the compiler's own counters; they are bytes, and a count that is lost does no harm.
            counter(number, unsafe { &mut *((start + at) as *mut u8) });
            number += 1;
        }
    }
}

/// Before an input.
pub fn clear() {
    each(|_, counter| *counter = 0);
}

/// Whether the input reached something, or reached it more often, than any before.
pub fn has_new() -> bool {
    let Ok(mut seen) = SEEN.lock() else { return false };
    let mut is_new = false;
    each(|number, counter| {
        if *counter == 0 {
            return;
        }
        if seen.len() <= number {
            seen.resize(number + 1, 0);
        }
        let bit = 1 << counter.ilog2();
        is_new |= seen[number] & bit == 0;
        seen[number] |= bit;
    });
    is_new
}
