//! The recorder, which lends its files and its clock.

use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crosscut_events::EventKind;
use crosscut_events::mpi::{LENDER, Loan};

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// In place of a loan: nobody lends.
const NOBODY: *mut Loan = ptr::without_provenance_mut(8);

static LOAN: AtomicPtr<Loan> = AtomicPtr::new(ptr::null_mut());

/// The recorder of this process.
#[derive(Clone, Copy)]
pub struct Recorder(&'static Loan);

/// The recorder, when the process is recorded.
#[inline(always)]
pub fn get() -> Option<Recorder> {
    let mut loan = LOAN.load(Ordering::Acquire);
    if loan.is_null() {
        loan = look();
    }
    // SAFETY: a loan is never given back.
    (loan != NOBODY).then(|| Recorder(unsafe { &*loan }))
}

#[cold]
fn look() -> *mut Loan {
    // SAFETY: the name is a C string; without a handle all libraries of the program are looked through.
    let lender = unsafe { dlsym(ptr::null_mut(), LENDER.as_ptr()) };
    let mut loan = ptr::null_mut();
    if !lender.is_null() {
        // SAFETY: that is the type of a function of this name.
        loan = unsafe { std::mem::transmute::<*mut c_void, extern "C" fn() -> *mut Loan>(lender) }();
    }
    if loan.is_null() {
        loan = NOBODY;
    }
    LOAN.store(loan, Ordering::Release);
    loan
}

impl Recorder {
    /// The time, in ticks; 0 when this thread is not recorded.
    #[inline(always)]
    pub fn now(self) -> u64 {
        (self.0.now)()
    }

    /// Stores an event that happens now.
    #[inline(always)]
    pub fn put<const N: usize>(self, kind: EventKind, words: [u64; N]) {
        self.put_at(self.now(), kind, words);
    }

    /// Stores an event.
    #[inline(always)]
    pub fn put_at<const N: usize>(self, ticks: u64, kind: EventKind, words: [u64; N]) {
        debug_assert_eq!(kind.payload(0), N);
        if ticks != 0 {
            // SAFETY: there are as many words as the kind has.
            unsafe { (self.0.put)(kind as u8, ticks, words.as_ptr()) };
        }
    }

    /// A call asked in vain from a time until now.
    pub fn polled(self, word: u64, start: u64) {
        if start != 0 {
            (self.0.polled)(word, start);
        }
    }

    /// Says something of the process.
    pub fn note(self, key: &str, value: &[u8]) {
        // SAFETY: both are as long as they say.
        unsafe { (self.0.note)(key.as_ptr(), key.len(), value.as_ptr(), value.len()) };
    }

    /// Nanoseconds of the machine.
    pub fn nanos(self) -> u64 {
        (self.0.nanos)()
    }
}
