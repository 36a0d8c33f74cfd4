//! The real functions behind the entry points: under their second names, `PMPI_Send` and `pmpi_send_`, in the MPI of the
//! program.
//!
//! Usually that is in the global scope. A library that was opened with `RTLD_LOCAL` (a module of Python) brings an MPI that
//! only it can see: then the function is looked for from the library that calls.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use crosscut_events::mpi::FUNCTIONS;

use crate::arguments::Language;

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dladdr(address: *const c_void, info: *mut Info) -> c_int;
    fn write(fd: c_int, bytes: *const c_void, count: usize) -> isize;
    fn _exit(code: c_int) -> !;
}

/// `Dl_info`.
#[repr(C)]
struct Info {
    file: *const c_char,
    base: usize,
    symbol: *const c_char,
    address: usize,
}

/// The addresses that were found, by language.
static FOUND: [[AtomicUsize; FUNCTIONS.len()]; 4] =
    [const { [const { AtomicUsize::new(0) }; FUNCTIONS.len()] }; 4];

/// The library that brought its own MPI, as `dlopen` knows it.
static HOME: AtomicUsize = AtomicUsize::new(0);

/// The real function, for a call that comes from some code.
#[inline(always)]
pub fn find(number: usize, language: Language, caller: usize) -> usize {
    match FOUND[language as usize][number].load(Ordering::Relaxed) {
        0 => look(number, language, caller),
        found => found,
    }
}

#[cold]
#[inline(never)]
fn look(number: usize, language: Language, caller: usize) -> usize {
    let mut name = Name::second(FUNCTIONS[number].name, language, "");
    let mut found = symbol_from(name.text(), caller);
    if found == 0 {
        // MPICH has other names for the module mpi_f08.
        found = symbol_from(Name::second(FUNCTIONS[number].name, language, "r").text(), caller);
    }
    if found == 0 {
        give_up(name.text());
    }
    FOUND[language as usize][number].store(found, Ordering::Relaxed);
    found
}

/// What has this name in the program's MPI; 0 when nothing has.
pub fn symbol(name: &CStr) -> usize {
    symbol_from(name, 0)
}

fn symbol_from(name: &CStr, caller: usize) -> usize {
    // Not what comes behind us: a variable of MPI may stand in the program itself (a copy relocation), which comes first.
    // SAFETY: the name is a C string.
    let global = unsafe { dlsym(ptr::null_mut(), name.as_ptr()) };
    if !global.is_null() {
        return global.expose_provenance();
    }
    for handle in [home_of(caller), ptr::with_exposed_provenance_mut(HOME.load(Ordering::Relaxed))] {
        if handle.is_null() {
            continue;
        }
        // SAFETY: as above; the handle came from `dlopen`.
        let found = unsafe { dlsym(handle, name.as_ptr()) };
        if !found.is_null() {
            HOME.store(handle.expose_provenance(), Ordering::Relaxed);
            return found.expose_provenance();
        }
    }
    0
}

/// The library that an address is in. It is never given back: what was found in it must stay.
fn home_of(address: usize) -> *mut c_void {
    const LAZY: c_int = 1;
    const NO_LOAD: c_int = 4;
    match file_of(address) {
        // SAFETY: the name of an object that is loaded.
        Some(file) => unsafe { dlopen(file.as_ptr(), LAZY | NO_LOAD) },
        None => ptr::null_mut(),
    }
}

/// The file of the library that an address is in.
pub fn file_of(address: usize) -> Option<&'static CStr> {
    let mut info = Info { file: ptr::null(), base: 0, symbol: ptr::null(), address: 0 };
    // SAFETY: it fills in the struct that we own, for any address; the name belongs to the loader and stays.
    unsafe {
        let found = dladdr(ptr::with_exposed_provenance(address), &mut info);
        (address != 0 && found != 0 && !info.file.is_null()).then(|| CStr::from_ptr(info.file))
    }
}

/// Nobody has it. Without us the loader would have ended the program with these words.
fn give_up(name: &CStr) -> ! {
    for text in [b"symbol lookup error: undefined symbol: ", name.to_bytes(), b"\n"] {
        // SAFETY: the text is as long as it says.
        unsafe { write(2, text.as_ptr().cast(), text.len()) };
    }
    // SAFETY: it does not return.
    unsafe { _exit(127) }
}

/// The name of a function, as C writes it.
struct Name {
    bytes: [u8; 64],
}

impl Name {
    /// The second name: `PMPI_Send`, in Fortran `pmpi_send_` and so on, with something behind `pmpi`.
    fn second(name: &str, language: Language, behind: &str) -> Name {
        let mut bytes = [0; 64];
        let mut end = 0;
        // The last byte stays zero.
        let mut add = |text: &str| {
            for byte in text.bytes().take(63 - end) {
                bytes[end] = if language == Language::C { byte } else { byte.to_ascii_lowercase() };
                end += 1;
            }
        };
        let (first, rest) = name.split_at("MPI".len());
        ["P", first, behind, rest].into_iter().for_each(&mut add);
        add(match language {
            Language::C => "",
            Language::Fortran => "_",
            Language::Fortran08 => "_f08_",
            Language::Described => "_f08ts_",
        });
        Name { bytes }
    }

    fn text(&mut self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or_default()
    }
}

/// What has this name in the program's MPI; it is looked for once.
macro_rules! known {
    ($name:literal) => {{
        use std::sync::atomic::{AtomicUsize, Ordering};
        /// 0 when it was not looked for, 1 when there is none.
        static FOUND: AtomicUsize = AtomicUsize::new(0);
        let mut found = FOUND.load(Ordering::Relaxed);
        if found == 0 {
            found = $crate::real::symbol($name).max(1);
            FOUND.store(found, Ordering::Relaxed);
        }
        if found == 1 { 0 } else { found }
    }};
}
pub(crate) use known;

/// Calls a function of MPI ourselves, by its second name; none where the MPI does not have it.
macro_rules! ask {
    ($name:literal($($argument:expr),* $(,)?)) => {{
        let function = $crate::real::known!($name);
        (function != 0).then(|| $crate::arguments::Arguments::of(&[$($argument as usize),*]).call(function))
    }};
}
pub(crate) use ask;

#[cfg(test)]
mod tests {
    use super::{Language, Name};

    #[test]
    fn second_names() {
        let name = |language, behind| Name::second("MPI_Send", language, behind);
        assert_eq!(name(Language::C, "").text(), c"PMPI_Send");
        assert_eq!(name(Language::Fortran, "").text(), c"pmpi_send_");
        assert_eq!(name(Language::Fortran08, "").text(), c"pmpi_send_f08_");
        assert_eq!(name(Language::Described, "r").text(), c"pmpir_send_f08ts_");
    }
}
