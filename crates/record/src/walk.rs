//! A thread's stack from inside a signal, by frame pointers: each frame begins with the address of the next one, and the
//! address that the function returns to. Nothing outside of the stack is read. Functions that keep no frame pointer are
//! passed over, or end the walk.

use std::ffi::c_void;

/// Return addresses that are kept of a stack.
pub const DEEPEST: usize = 252;

/// The registers that a walk begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// The next instruction.
    pub code: u64,
    pub stack: u64,
    pub frame: u64,
}

impl Registers {
    /// Those of the code that a signal interrupted.
    ///
    /// # Safety
    /// `context` must be what the kernel gave to the handler.
    #[cfg(target_arch = "x86_64")]
    pub unsafe fn of(context: *const c_void) -> Self {
        /// `ucontext_t`: flags, link and stack take five words, then come r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip.
        const FIRST: usize = 5;
        // SAFETY: the caller's promise.
        let register = |at: usize| unsafe { *context.cast::<u64>().add(FIRST + at) };
        Registers { code: register(16), stack: register(15), frame: register(10) }
    }

    /// Those of the code that a signal interrupted.
    ///
    /// # Safety
    /// `context` must be what the kernel gave to the handler.
    #[cfg(target_arch = "aarch64")]
    pub unsafe fn of(context: *const c_void) -> Self {
        /// `ucontext_t`: 176 bytes, the address of a fault, then x0 to x30, sp, pc.
        const FIRST: usize = 23;
        // SAFETY: the caller's promise.
        let register = |at: usize| unsafe { *context.cast::<u64>().add(FIRST + at) };
        Registers { code: register(32), stack: register(31), frame: register(29) }
    }
}

/// Fills in the return addresses, innermost first; says how many.
///
/// # Safety
/// From the stack pointer to `end` there must be readable memory.
pub unsafe fn walk(registers: Registers, end: u64, found: &mut [u64; DEEPEST]) -> usize {
    /// No code is in the first page.
    const FIRST_CODE: u64 = 4096;
    let mut least = registers.stack;
    let mut frame = registers.frame;
    let mut count = 0;
    for slot in found.iter_mut() {
        let is_inside = frame >= least
            && frame.is_multiple_of(8)
            && frame.checked_add(16).is_some_and(|past| past <= end);
        if !is_inside {
            break;
        }
        // SAFETY: within the stack, the caller's promise.
        let [next, code] =
            unsafe { std::ptr::with_exposed_provenance::<[u64; 2]>(frame as usize).read_volatile() };
        if code < FIRST_CODE {
            break;
        }
        *slot = code;
        count += 1;
        // Frames never lie below the one that was called.
        least = frame + 16;
        frame = next;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stack of words at some address; frames are given by the words at which they begin.
    fn walked(words: &[u64], frame: usize, stack: usize, end: usize) -> Vec<u64> {
        let base = words.as_ptr().expose_provenance() as u64;
        let at = |word: usize| base + 8 * word as u64;
        let registers = Registers { code: 1 << 20, stack: at(stack), frame: at(frame) };
        let mut found = [0; DEEPEST];
        // SAFETY: the words are there.
        let count = unsafe { walk(registers, at(end), &mut found) };
        found[..count].to_vec()
    }

    #[test]
    fn frames_lead_outwards() {
        let mut words = [0u64; 16];
        let base = words.as_ptr().expose_provenance() as u64;
        (words[2], words[3]) = (base + 8 * 6, 0x10_001);
        (words[6], words[7]) = (base + 8 * 12, 0x10_002);
        (words[12], words[13]) = (0, 0x10_003);
        assert_eq!(walked(&words, 2, 0, 16), [0x10_001, 0x10_002, 0x10_003]);
        // The last does not fit below the end.
        assert_eq!(walked(&words, 2, 0, 13), [0x10_001, 0x10_002]);
        // The first lies below the stack pointer: the register holds something else.
        assert_eq!(walked(&words, 2, 4, 16), [] as [u64; 0]);
        // A frame that leads inwards, as a loop would, ends the walk.
        words[6] = base + 8 * 2;
        assert_eq!(walked(&words, 2, 0, 16), [0x10_001, 0x10_002]);
        // So does what is no code.
        words[7] = 8;
        assert_eq!(walked(&words, 2, 0, 16), [0x10_001]);
    }
}
