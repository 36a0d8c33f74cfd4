//! The arguments of a call as words, and how they are read: in C as they are, in Fortran through a reference.

use std::ffi::c_int;
use std::ptr;

use crate::kinds::{Handle, kind};

/// No function has more arguments.
pub const MOST: usize = 16;

/// Where a call comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Language {
    C = 0,
    /// `mpif.h` and the module `mpi`: everything is by reference.
    Fortran = 1,
    /// The module `mpi_f08`, likewise.
    Fortran08 = 2,
    /// The same where buffers are passed with a description.
    Described = 3,
}

impl Language {
    /// The language with this number.
    pub fn from_number(number: u32) -> Language {
        [Language::C, Language::Fortran, Language::Fortran08, Language::Described][number as usize & 3]
    }
}

/// The arguments of a call.
pub struct Arguments {
    /// As they came.
    pub words: [usize; MOST],
    /// How many there are.
    pub count: usize,
    /// Where they come from.
    pub language: Language,
    /// Counts have 64 bits.
    pub is_wide: bool,
}

type W = usize;

impl Arguments {
    /// These, as C passes them.
    #[inline]
    pub fn of(given: &[usize]) -> Arguments {
        let mut words = [0; MOST];
        words.iter_mut().zip(given).for_each(|(word, given)| *word = *given);
        Arguments { words, count: given.len(), language: Language::C, is_wide: false }
    }

    /// Calls a function with them.
    pub fn call(&self, real: usize) -> c_int {
        let w = &self.words;
        let address: *const () = ptr::with_exposed_provenance(real);
        // SAFETY: the real function has as many arguments; it does not look at more. Each is a word, or less of one.
        unsafe {
            match self.count {
                0..=6 => {
                    let f: extern "C" fn(W, W, W, W, W, W) -> c_int = std::mem::transmute(address);
                    f(w[0], w[1], w[2], w[3], w[4], w[5])
                }
                7..=8 => {
                    let f: extern "C" fn(W, W, W, W, W, W, W, W) -> c_int = std::mem::transmute(address);
                    f(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7])
                }
                9..=10 => {
                    let f: extern "C" fn(W, W, W, W, W, W, W, W, W, W) -> c_int =
                        std::mem::transmute(address);
                    f(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9])
                }
                _ => {
                    let f: extern "C" fn(W, W, W, W, W, W, W, W, W, W, W, W, W, W) -> c_int =
                        std::mem::transmute(address);
                    f(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13])
                }
            }
        }
    }

    /// Whether everything is by reference.
    pub fn is_fortran(&self) -> bool {
        self.language != Language::C
    }

    fn pointer<T>(&self, at: u8) -> *mut T {
        ptr::with_exposed_provenance_mut(self.words.get(usize::from(at)).copied().unwrap_or(0))
    }

    /// A number of 32 bits.
    pub fn int(&self, at: u8) -> c_int {
        match self.is_fortran() {
            // SAFETY: Fortran passes a reference to a number.
            true => unsafe { self.pointer::<c_int>(at).read() },
            false => self.words[usize::from(at)] as c_int,
        }
    }

    /// A count, which has 64 bits in some functions.
    pub fn count(&self, at: u8) -> i64 {
        match self.is_wide {
            true => self.words[usize::from(at)] as i64,
            false => self.int(at).into(),
        }
    }

    /// An entry of a list of counts.
    pub fn count_of(&self, at: u8, index: usize) -> i64 {
        // SAFETY: MPI wants so many of them.
        unsafe {
            match self.is_wide {
                true => self.pointer::<i64>(at).add(index).read(),
                false => self.pointer::<c_int>(at).add(index).read().into(),
            }
        }
    }

    /// A number that the call has stored, or will read, behind a pointer; in both languages.
    pub fn stored(&self, at: u8) -> c_int {
        self.stored_of(at, 0)
    }

    /// An entry of a list of such numbers.
    pub fn stored_of(&self, at: u8, index: usize) -> c_int {
        // SAFETY: the function stores numbers there, or has them from the program.
        unsafe { self.pointer::<c_int>(at).add(index).read() }
    }

    /// A handle that is passed by value.
    pub fn handle(&self, at: u8, what: Handle) -> u64 {
        match self.is_fortran() {
            true => kind().known_to_fortran_as(self.int(at), what),
            false => kind().handle(self.words[usize::from(at)], what),
        }
    }

    /// A handle behind a pointer, such as a new one.
    pub fn stored_handle(&self, at: u8, what: Handle) -> u64 {
        self.stored_handle_of(at, 0, what)
    }

    /// An entry of a list of handles.
    pub fn stored_handle_of(&self, at: u8, index: usize, what: Handle) -> u64 {
        if self.is_fortran() {
            return kind().known_to_fortran_as(self.stored_of(at, index), what);
        }
        // SAFETY: a list of handles, each of that size.
        unsafe {
            match kind().size(what) {
                4 => self.pointer::<u32>(at).add(index).read().into(),
                _ => self.pointer::<u64>(at).add(index).read(),
            }
        }
    }

    /// Whether a buffer says that the data is already where the result goes.
    pub fn is_in_place(&self, at: u8) -> bool {
        let Some(&buffer) = self.words.get(usize::from(at)) else { return false };
        match self.language {
            Language::C => buffer == kind().in_place,
            Language::Fortran | Language::Fortran08 => kind().is_fortran_in_place(buffer),
            Language::Described => {
                // SAFETY: a description begins with the address of what it describes.
                kind().is_fortran_in_place(unsafe { self.pointer::<usize>(at).read() })
            }
        }
    }

    /// Whether the program does not want the status, or the statuses.
    pub fn is_ignored(&self, at: u8, many: bool) -> bool {
        let status = self.words[usize::from(at)];
        match self.is_fortran() {
            true => kind().is_fortran_ignored(status, many),
            false => status == kind().ignore,
        }
    }
}
