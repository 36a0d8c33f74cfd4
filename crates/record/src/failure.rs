//! The end of the recording while the program goes on: no room, no descriptor, no memory. The first failure ends it for
//! all threads, each when it has used up what it has; `crosscut record` finds the reason on a page that is mapped since the
//! library was loaded.

use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use crosscut_events::{FAILURES, FAILURES_BYTES, Failure};

use crate::{files, sys};

/// The page, when there is one.
static PAGE: AtomicPtr<Failure> = AtomicPtr::new(ptr::null_mut());
/// Ours on it.
static OWN: AtomicPtr<Failure> = AtomicPtr::new(ptr::null_mut());
/// The error that ended the recording.
static ENDED: AtomicU32 = AtomicU32::new(0);

/// Finds the page in the folder of events.
pub fn find(folder: &Path) {
    if let Ok(page) = files::map_existing(&folder.join(FAILURES), FAILURES_BYTES) {
        PAGE.store(page.cast(), Ordering::Release);
    }
}

/// Makes the page if nobody has.
pub fn make(folder: &Path) {
    if !PAGE.load(Ordering::Acquire).is_null() {
        return;
    }
    match files::EventFile::create(folder.join(FAILURES), FAILURES_BYTES) {
        Ok((_, page)) => PAGE.store(page.cast(), Ordering::Release),
        // Another process was first.
        Err(_) => find(folder),
    }
}

/// The error that ended the recording, if one has.
pub fn ended() -> Option<u32> {
    match ENDED.load(Ordering::Acquire) {
        0 => None,
        error => Some(error),
    }
}

/// Ends the recording. The first error is the one that is told.
#[cold]
pub fn end(error: u32) {
    let error = error.max(1);
    if ENDED.compare_exchange(0, error, Ordering::AcqRel, Ordering::Acquire).is_err() {
        return;
    }
    let Some(slot) = claim() else { return };
    // SAFETY: the page stays mapped, and the slot is ours; the error comes last.
    unsafe {
        (&raw mut (*slot).nanos).write(sys::nanos());
        AtomicU32::from_ptr(&raw mut (*slot).error).store(error, Ordering::Release);
    }
    OWN.store(slot, Ordering::Release);
}

/// A thread is not recorded because of it.
#[cold]
pub fn miss_thread() {
    let slot = OWN.load(Ordering::Acquire);
    if !slot.is_null() {
        // SAFETY: as above.
        unsafe { AtomicU64::from_ptr(&raw mut (*slot).threads) }.fetch_add(1, Ordering::Relaxed);
    }
}

/// A slot that nobody has. When all are taken, others have said that there is no room.
fn claim() -> Option<*mut Failure> {
    let page = PAGE.load(Ordering::Acquire);
    if page.is_null() {
        return None;
    }
    let process = u64::from(std::process::id());
    (0..Failure::SLOTS).map(|slot| page.wrapping_add(slot)).find(|&slot| {
        // SAFETY: within the page, which stays mapped.
        let number = unsafe { AtomicU64::from_ptr(&raw mut (*slot).process) };
        number.compare_exchange(0, process, Ordering::AcqRel, Ordering::Acquire).is_ok()
    })
}
