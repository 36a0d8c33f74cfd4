//! Room for lists of requests and statuses while a call runs: on the stack when they are short, else pages of our own.

use std::ffi::{c_int, c_void};
use std::ptr;

unsafe extern "C" {
    fn mmap(
        address: *mut c_void,
        length: usize,
        protection: c_int,
        flags: c_int,
        fd: c_int,
        offset: i64,
    ) -> *mut c_void;
    fn munmap(address: *mut c_void, length: usize) -> c_int;
}

/// Words that are kept on the stack.
const FEW: usize = 64;

/// Room for words.
pub struct Room {
    few: [u64; FEW],
    pages: *mut u64,
    words: usize,
}

impl Room {
    /// Nothing yet.
    pub const fn new() -> Room {
        Room { few: [0; FEW], pages: ptr::null_mut(), words: 0 }
    }

    /// Makes room for so many words, all zero; once. None when the system gives no memory. The room must not move while
    /// somebody has the address of its words.
    #[inline]
    pub fn take(&mut self, words: usize) -> Option<&mut [u64]> {
        if words > FEW && self.pages.is_null() {
            self.pages = pages(words)?;
        }
        self.words = words;
        Some(self.words())
    }

    /// The words.
    pub fn words(&mut self) -> &mut [u64] {
        match self.pages.is_null() {
            true => &mut self.few[..self.words.min(FEW)],
            // SAFETY: so many words were mapped for us alone.
            false => unsafe { std::slice::from_raw_parts_mut(self.pages, self.words) },
        }
    }
}

fn pages(words: usize) -> Option<*mut u64> {
    const READ_AND_WRITE: c_int = 3;
    const PRIVATE_AND_ANONYMOUS: c_int = 0x22;
    let length = words.checked_mul(8)?;
    // SAFETY: fresh pages, nothing is replaced.
    let pages = unsafe { mmap(ptr::null_mut(), length, READ_AND_WRITE, PRIVATE_AND_ANONYMOUS, -1, 0) };
    (pages.addr() != usize::MAX).then_some(pages.cast())
}

impl Drop for Room {
    fn drop(&mut self) {
        if !self.pages.is_null() {
            // SAFETY: mapped by us with this length, and nobody uses it any more.
            unsafe { munmap(self.pages.cast(), self.words * 8) };
        }
    }
}
