//! Where a thread finds what is recorded of it: one word of its own. The library is there before the program begins, so the
//! word has its place in the block of every thread, and is read without a call. The compiler would call the loader for it in
//! every event, because it does not know that.

use crate::thread::Thread;

/// The word of the thread that asks.
pub struct Slot;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod word {
    use std::arch::{asm, global_asm};

    global_asm!(
        ".pushsection .tbss.crosscut_thread, \"awT\", @nobits",
        ".balign 8",
        ".globl crosscut_thread",
        ".hidden crosscut_thread",
        ".type crosscut_thread, @object",
        ".size crosscut_thread, 8",
        "crosscut_thread:",
        ".zero 8",
        ".popsection",
    );

    #[inline(always)]
    pub fn get() -> usize {
        let word;
        // SAFETY: reads the word defined above, which every thread has.
        unsafe {
            asm!(
                "mov {word}, qword ptr [rip + crosscut_thread@GOTTPOFF]",
                "mov {word}, qword ptr fs:[{word}]",
                word = out(reg) word,
                options(nostack, preserves_flags, readonly),
            );
        }
        word
    }

    #[inline]
    pub fn set(value: usize) {
        // SAFETY: writes the word defined above.
        unsafe {
            asm!(
                "mov {at}, qword ptr [rip + crosscut_thread@GOTTPOFF]",
                "mov qword ptr fs:[{at}], {value}",
                at = out(reg) _,
                value = in(reg) value,
                options(nostack, preserves_flags),
            );
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod word {
    use std::cell::Cell;

    thread_local! {
        static WORD: Cell<usize> = const { Cell::new(0) };
    }

    pub fn get() -> usize {
        WORD.get()
    }

    pub fn set(value: usize) {
        WORD.set(value);
    }
}

impl Slot {
    #[inline(always)]
    pub fn get(&self) -> *mut Thread {
        word::get() as *mut Thread
    }

    #[inline]
    pub fn set(&self, thread: *mut Thread) {
        word::set(thread as usize);
    }

    #[inline]
    pub fn replace(&self, thread: *mut Thread) -> *mut Thread {
        let before = self.get();
        self.set(thread);
        before
    }
}
