//! The real functions behind the entry points that stand in for them here.
//!
//! Usually libgomp is in the global scope and comes right after us (`RTLD_NEXT`). A library that was opened with
//! `RTLD_LOCAL` brings a libgomp that only it can see: its calls still come to us, and the function is looked up from the
//! library that calls. LLVM's libomp has most of these entry points too and reports on its own what it does (OMPT): calls
//! that end there are passed on and not recorded.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::process;

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

/// The object that an address is in.
fn object(address: usize) -> Option<Info> {
    let mut info = Info { file: ptr::null(), base: 0, symbol: ptr::null(), address: 0 };
    // SAFETY: it fills in the struct that we own, for any address.
    let found = unsafe { dladdr(ptr::with_exposed_provenance(address), &mut info) };
    (found != 0 && !info.file.is_null()).then_some(info)
}

/// An entry point, and where the real one was found.
#[repr(C)]
pub struct Slot {
    /// The address, 0 when it is not known or not the same for all. The entry points read it.
    found: AtomicUsize,
    name: &'static CStr,
}

/// A real function.
#[derive(Clone, Copy)]
pub struct Real(usize);

/// In an address: what is called there reports on its own. No address of a program has this bit.
const QUIET: usize = 1 << 63;

impl Real {
    /// Whether the call is none of our business.
    #[inline(always)]
    pub fn is_quiet(self) -> bool {
        self.0 & QUIET != 0
    }

    /// Where it is.
    #[inline(always)]
    pub fn address(self) -> u64 {
        (self.0 & !QUIET) as u64
    }

    /// The function.
    ///
    /// # Safety
    /// `F` is a type of function pointers, and that of this function.
    #[inline(always)]
    pub unsafe fn function<F: Copy>(self) -> F {
        const { assert!(size_of::<F>() == size_of::<usize>()) };
        let address: *const c_void = ptr::with_exposed_provenance(self.0 & !QUIET);
        // SAFETY: the caller's promise; both have one size.
        unsafe { std::mem::transmute_copy(&address) }
    }
}

impl Slot {
    /// Not looked for yet.
    pub const fn new(name: &'static CStr) -> Self {
        Slot { found: AtomicUsize::new(0), name }
    }

    /// The real function, for a call that comes from some code, which is asked for when it matters.
    #[inline(always)]
    pub fn get(&self, code: impl FnOnce() -> usize) -> Real {
        match self.found.load(Ordering::Relaxed) {
            0 => self.look(code()),
            found => Real(found),
        }
    }

    #[cold]
    #[inline(never)]
    fn look(&self, code: usize) -> Real {
        let key = code ^ (ptr::from_ref(self).addr() << 20);
        let known = recall(key);
        if known != 0 {
            return Real(known);
        }
        if let Some(found) = self.look_next() {
            name_runtime(found);
            return found;
        }
        let found = self.look_from(code);
        remember(key, found);
        name_runtime(Real(found));
        Real(found)
    }

    /// In the global scope. It is not there yet when a library brings it along later.
    fn look_next(&self) -> Option<Real> {
        const NEXT: *mut c_void = ptr::without_provenance_mut(usize::MAX);
        // SAFETY: the name is a C string.
        let next = unsafe { dlsym(NEXT, self.name.as_ptr()) }.expose_provenance();
        if next == 0 {
            return None;
        }
        let found = judge(next);
        self.found.store(found, Ordering::Relaxed);
        Some(Real(found))
    }

    /// As the library with this code sees it, or any library that was seen before.
    fn look_from(&self, code: usize) -> usize {
        let mut handle = ptr::null_mut();
        if !is_own(code)
            && let Some(object) = object(code)
        {
            const LAZY: c_int = 1;
            const NO_LOAD: c_int = 4;
            // SAFETY: the name of an object that is loaded. It is never given back: what was found in it must stay.
            handle = unsafe { dlopen(object.file, LAZY | NO_LOAD) };
        }
        static LAST: AtomicUsize = AtomicUsize::new(0);
        for handle in [handle, ptr::with_exposed_provenance_mut(LAST.load(Ordering::Relaxed))] {
            if handle.is_null() {
                continue;
            }
            // SAFETY: the name is a C string, the handle came from `dlopen`.
            let address = unsafe { dlsym(handle, self.name.as_ptr()) }.expose_provenance();
            if address != 0 && !is_own(address) {
                LAST.store(handle.expose_provenance(), Ordering::Relaxed);
                return judge(address);
            }
        }
        self.give_up()
    }

    /// Nobody has it. Without us the loader would have ended the program with these words.
    fn give_up(&self) -> ! {
        for text in [b"symbol lookup error: undefined symbol: ", self.name.to_bytes(), b"\n"] {
            // SAFETY: the text is as long as it says.
            unsafe { write(2, text.as_ptr().cast(), text.len()) };
        }
        // SAFETY: it does not return.
        unsafe { _exit(127) }
    }
}

/// Before the program starts: where LLVM's runtime answers, all calls go there at once, so that it sees where even the first
/// of them comes from.
pub fn settle() {
    unsafe extern "C" {
        // The linker's names for the begin and end of the section.
        static __start_crosscut_slots: u8;
        static __stop_crosscut_slots: u8;
    }
    super::slot!(GOMP_parallel);
    super::slot!(omp_set_lock);
    let is_quiet = |slot: &Slot| slot.look_next().is_some_and(Real::is_quiet);
    if !is_quiet(&GOMP_parallel) && !is_quiet(&omp_set_lock) {
        return;
    }
    let begin = (&raw const __start_crosscut_slots).cast::<Slot>();
    let end = (&raw const __stop_crosscut_slots).cast::<Slot>();
    // SAFETY: the section holds nothing but slots.
    let slots = unsafe { std::slice::from_raw_parts(begin, end.offset_from_unsigned(begin)) };
    for slot in slots {
        slot.look_next();
    }
}

/// Whether a function that was found reports on its own: LLVM's runtime has this name, whatever its file is called.
fn judge(address: usize) -> usize {
    // Where no tasks are recorded, all of them are passed on.
    if process::shared().is_some_and(|process| process.options.no_tasks) {
        return address | QUIET;
    }
    let Some(home) = object(address) else { return address };
    const LAZY: c_int = 1;
    const NO_LOAD: c_int = 4;
    // SAFETY: names of an object that is loaded, and of a function.
    let fork = unsafe {
        let handle = dlopen(home.file, LAZY | NO_LOAD);
        if handle.is_null() { ptr::null_mut() } else { dlsym(handle, c"__kmpc_fork_call".as_ptr()) }
    };
    if !fork.is_null() && object(fork.addr()).is_some_and(|of_fork| of_fork.base == home.base) {
        return address | QUIET;
    }
    address
}

/// Says once in whose place we are called.
fn name_runtime(real: Real) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if real.is_quiet() || SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    if let Some(process) = process::shared()
        && process.folder().is_some()
        && let Some(home) = object(real.address() as usize)
    {
        // SAFETY: the loader's own text.
        let file = unsafe { CStr::from_ptr(home.file) }.to_string_lossy();
        let file = std::fs::canonicalize(&*file).unwrap_or_else(|_| file.as_ref().into());
        process.note("openmp", &format!("GCC's libgomp ({})", file.display()));
    }
}

/// What was found for calls from some code, when it is not the same for all.
const KNOWN: usize = 1 << 12;
static KEYS: [AtomicUsize; KNOWN] = [const { AtomicUsize::new(0) }; KNOWN];
static VALUES: [AtomicUsize; KNOWN] = [const { AtomicUsize::new(0) }; KNOWN];
/// Entries that are looked through from the first possible one.
const PROBES: usize = 8;

fn entries(key: usize) -> impl Iterator<Item = usize> {
    let first = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    (0..PROBES).map(move |probe| (first + probe) % KNOWN)
}

fn recall(key: usize) -> usize {
    let at = entries(key).find(|&at| KEYS[at].load(Ordering::Acquire) == key);
    at.map_or(0, |at| VALUES[at].load(Ordering::Acquire))
}

fn remember(key: usize, value: usize) {
    for at in entries(key) {
        if KEYS[at].compare_exchange(0, key, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            VALUES[at].store(value, Ordering::Release);
            return;
        }
    }
}

static OWN_BEGIN: AtomicUsize = AtomicUsize::new(0);
static OWN_END: AtomicUsize = AtomicUsize::new(0);

/// Whether an address is in this library: a call that the compiler made the last act of a function comes from whoever
/// called that function, and that is us.
#[inline(always)]
pub fn is_own(address: usize) -> bool {
    let end = match OWN_END.load(Ordering::Relaxed) {
        0 => find_self(),
        end => end,
    };
    OWN_BEGIN.load(Ordering::Relaxed) <= address && address < end
}

/// Reads off our own program headers where we are; they are at the beginning of the library.
#[cold]
fn find_self() -> usize {
    let Some(own) = object(find_self as *const () as usize) else { return 0 };
    let word = |at: usize| -> usize {
        // SAFETY: within the first page of this library, which is mapped and aligned.
        unsafe { ptr::with_exposed_provenance::<usize>(own.base + at).read_unaligned() }
    };
    // Where an ELF file says where its program headers are and how many (`e_phoff`, `e_phnum`), and where one of them says
    // which memory it is about (`p_vaddr`, `p_memsz`).
    const TABLE: usize = 32;
    const COUNT: usize = 56;
    const SIZE: usize = 56;
    const ADDRESS: usize = 16;
    const LENGTH: usize = 40;
    const LOAD: u32 = 1;
    let headers = (0..word(COUNT) & 0xffff).map(|at| word(TABLE) + at * SIZE);
    let loaded = headers.filter(|&header| word(header) as u32 == LOAD);
    let ends = loaded.map(|header| word(header + ADDRESS) + word(header + LENGTH));
    let end = own.base + ends.max().unwrap_or(0);
    OWN_BEGIN.store(own.base, Ordering::Relaxed);
    OWN_END.store(end, Ordering::Relaxed);
    end
}
