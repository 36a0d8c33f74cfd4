//! The recorder's memory: pages of its own, never the program's heap. What the program's `malloc` does stays as it is, it
//! may be anybody's, and a thread that allocates nothing gets no arena because of us. When the system gives no more, there
//! is a reserve for what is still to be said: a failed allocation would end the program.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::sys;

/// Blocks have a power of two of bytes, from the first of these to the second. What is larger gets pages.
const SMALLEST: usize = 32;
const LARGEST: usize = 16 << 10;
const CLASSES: usize = (LARGEST / SMALLEST).ilog2() as usize + 1;
/// Bytes that are taken from the system at once.
const SLAB: usize = 64 << 10;
/// Bytes for when there are no more.
const RESERVE: usize = 32 << 10;
const PAGE: usize = 4096;

#[repr(C, align(4096))]
struct Reserve([u8; RESERVE]);

struct Heap {
    /// Blocks that were given back, by their size; each begins with the address of the next.
    free: [*mut u8; CLASSES],
    /// What is left of the slab.
    from: *mut u8,
    left: usize,
    reserve: Reserve,
    reserve_is_taken: bool,
}

/// The allocator.
pub struct Pages {
    locked: AtomicBool,
    heap: UnsafeCell<Heap>,
}

// SAFETY: whoever touches the heap holds the lock.
unsafe impl Sync for Pages {}

#[cfg_attr(not(test), global_allocator)]
static PAGES: Pages = Pages::new();

/// In the child of a fork: whoever held the lock is not there.
pub fn in_forked_child() {
    PAGES.locked.store(false, Ordering::Release);
}

impl Pages {
    const fn new() -> Pages {
        let heap = Heap {
            free: [ptr::null_mut(); CLASSES],
            from: ptr::null_mut(),
            left: 0,
            reserve: Reserve([0; RESERVE]),
            reserve_is_taken: false,
        };
        Pages { locked: AtomicBool::new(false), heap: UnsafeCell::new(heap) }
    }

    fn with_heap<R>(&self, f: impl FnOnce(&mut Heap) -> R) -> R {
        while self.locked.swap(true, Ordering::Acquire) {
            std::thread::yield_now();
        }
        // SAFETY: the lock is held, and `f` does not come back here.
        let result = f(unsafe { &mut *self.heap.get() });
        self.locked.store(false, Ordering::Release);
        result
    }
}

/// The class of a layout and its bytes; `None` when it gets pages of its own.
fn class(layout: Layout) -> Option<(usize, usize)> {
    let size = layout.size().max(layout.align()).max(SMALLEST).checked_next_power_of_two()?;
    (size <= LARGEST).then(|| ((size / SMALLEST).ilog2() as usize, size))
}

impl Heap {
    fn take(&mut self, class: usize, size: usize) -> *mut u8 {
        let free = self.free[class];
        if !free.is_null() {
            // SAFETY: a block that was given back holds the address of the next.
            self.free[class] = unsafe { free.cast::<*mut u8>().read() };
            return free;
        }
        let align = size.min(PAGE);
        let skip = (self.from as usize).wrapping_neg() % align;
        if self.left < skip + size && !self.refill() {
            return ptr::null_mut();
        }
        let skip = (self.from as usize).wrapping_neg() % align;
        if self.left < skip + size {
            return ptr::null_mut();
        }
        let block = self.from.wrapping_add(skip);
        self.from = block.wrapping_add(size);
        self.left -= skip + size;
        block
    }

    /// A new slab; what is left of the old one is lost.
    fn refill(&mut self) -> bool {
        if let Ok(slab) = sys::map_anything(SLAB) {
            (self.from, self.left) = (slab.cast(), SLAB);
            return true;
        }
        if self.reserve_is_taken {
            return false;
        }
        self.reserve_is_taken = true;
        (self.from, self.left) = (self.reserve.0.as_mut_ptr(), RESERVE);
        true
    }
}

fn whole_pages(size: usize) -> usize {
    size.div_ceil(PAGE) * PAGE
}

// SAFETY: blocks do not overlap, and are aligned to their size, or to a page.
unsafe impl GlobalAlloc for Pages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match class(layout) {
            Some((class, size)) => self.with_heap(|heap| heap.take(class, size)),
            None if layout.align() > PAGE => ptr::null_mut(),
            None => sys::map_anything(whole_pages(layout.size())).map_or(ptr::null_mut(), <*mut u64>::cast),
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match class(layout) {
            Some((class, _)) => self.with_heap(|heap| {
                // SAFETY: it is given back, and large enough for an address.
                unsafe { block.cast::<*mut u8>().write(heap.free[class]) };
                heap.free[class] = block;
            }),
            // SAFETY: it came from there with this length.
            None => unsafe { sys::unmap(block.cast(), whole_pages(layout.size())) },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::alloc::{GlobalAlloc, Layout};

    use super::{LARGEST, Pages};

    #[test]
    fn blocks_do_not_overlap_and_come_back() {
        let pages = Pages::new();
        let sizes = [1usize, 8, 31, 32, 33, 100, 500, 4000, 4096, LARGEST, LARGEST + 1, 100_000];
        for _ in 0..3 {
            let mut blocks = Vec::new();
            for round in 0..40 {
                for &size in &sizes {
                    let align = 1 << (round % 7);
                    let layout = Layout::from_size_align(size, align).unwrap();
                    // SAFETY: the layout is not empty.
                    let block = unsafe { pages.alloc(layout) };
                    assert!(!block.is_null() && (block as usize).is_multiple_of(align));
                    // SAFETY: the block is as long as was asked for.
                    unsafe { block.write_bytes(round as u8, size) };
                    blocks.push((block, layout, round as u8));
                }
            }
            for &(block, layout, round) in &blocks {
                // SAFETY: as above.
                let bytes = unsafe { std::slice::from_raw_parts(block, layout.size()) };
                assert!(bytes.iter().all(|&byte| byte == round));
                // SAFETY: it came from there.
                unsafe { pages.dealloc(block, layout) };
            }
        }
    }
}
