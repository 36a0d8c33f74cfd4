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

/// Counters of a module. There are a million and more, of which an input reaches a few thousand: they are looked at many at once.
fn counters(&(start, count): &(usize, usize)) -> &'static mut [u8] {
    // SAFETY: the compiler's own counters; they are bytes, and a count that is lost does no harm.
    unsafe { std::slice::from_raw_parts_mut(start as *mut u8, count) }
}

/// Before an input.
pub fn clear() {
    let Ok(modules) = MODULES.lock() else { return };
    modules.iter().for_each(|module| counters(module).fill(0));
}

/// Whether the input reached something, or reached it more often, than any before.
pub fn has_new() -> bool {
    const PIECE: usize = 64;
    let (Ok(modules), Ok(mut seen)) = (MODULES.lock(), SEEN.lock()) else { return false };
    seen.resize(modules.iter().map(|module| module.1).sum(), 0);
    let (mut is_new, mut rest) = (false, &mut seen[..]);
    for module in modules.iter() {
        let (of_module, behind) = rest.split_at_mut(module.1);
        rest = behind;
        for (counters, seen) in counters(module).chunks(PIECE).zip(of_module.chunks_mut(PIECE)) {
            if counters.iter().fold(0, |any, counter| any | counter) == 0 {
                continue;
            }
            for (counter, seen) in counters.iter().zip(seen).filter(|(counter, _)| **counter > 0) {
                let bit = 1 << counter.ilog2();
                is_new |= *seen & bit == 0;
                *seen |= bit;
            }
        }
    }
    is_new
}
