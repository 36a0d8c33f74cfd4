//! Room for blocks of data that live as long as a call: the last that came goes first. Nothing is allocated but the room
//! itself, once, and only by threads that need it.

use std::ptr;

use crate::sys;

/// Bytes of an arena; the system gives pages when they are touched.
const ROOM: usize = 4 << 20;

/// The room of one thread.
pub struct Arena {
    begin: *mut u8,
    used: usize,
}

impl Default for Arena {
    fn default() -> Self {
        Arena { begin: ptr::null_mut(), used: 0 }
    }
}

/// A block, and how to give it back.
pub struct Block {
    /// Where it is.
    pub address: *mut u8,
    /// What was used before it.
    before: usize,
    /// Its own memory, when there was no room.
    own: Option<(*mut u64, usize)>,
}

impl Arena {
    /// A block; `None` when there is no memory.
    pub fn take(&mut self, size: usize, align: usize) -> Option<Block> {
        /// Fresh memory is aligned so.
        const PAGE: usize = 4096;
        if self.begin.is_null() {
            self.begin = sys::map_memory(ROOM).ok()?.cast();
        }
        let before = self.used;
        let from = before.checked_next_multiple_of(align)?;
        let end = from.checked_add(size)?;
        if end <= ROOM && align <= PAGE {
            self.used = end;
            return Some(Block { address: self.begin.wrapping_add(from), before, own: None });
        }
        let length = size.checked_add(align)?;
        let own = sys::map_memory(length).ok()?;
        let address = own.cast::<u8>();
        let address = address.wrapping_add(address.align_offset(align));
        Some(Block { address, before, own: Some((own, length)) })
    }

    /// Gives back the block that was taken last.
    pub fn give(&mut self, block: &Block) {
        self.used = block.before;
        if let Some((own, length)) = block.own {
            // SAFETY: it came from there, and the block was all that was in it.
            unsafe { sys::unmap(own, length) };
        }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if !self.begin.is_null() {
            // SAFETY: it came from `map_memory` with this length, and blocks do not outlive their thread.
            unsafe { sys::unmap(self.begin.cast(), ROOM) };
        }
    }
}
