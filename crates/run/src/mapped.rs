//! What is mapped, for the day when a file is cut short under it. Reading a page of a mapped file that is not there any more
//! (somebody cut the file, the disk failed, the network is gone) is a signal, SIGBUS, and a program that does not expect it
//! ends without a word. [`tell_when_cut`] makes it end with the name of the file. A library inside another program, which must not
//! end that, asks for [`notice_when_cut`] and works within [`noticed`]: what is not there any more reads as zeros then, and the
//! work is refused when it is done.

use std::fmt;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError, TryLockError};

/// What is mapped now.
static MAPPED: Mutex<Vec<Span>> = Mutex::new(Vec::new());
/// How much work is under way that is refused when something is cut.
static NOTICING: AtomicUsize = AtomicUsize::new(0);
/// Something was cut at some time.
static WAS_CUT: AtomicBool = AtomicBool::new(false);
/// What the program did with the signal before.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

/// A mapped file: from, to, and its name.
struct Span {
    from: usize,
    to: usize,
    path: PathBuf,
    /// The name as it is told, made when there is still memory to be had.
    shown: String,
    /// A page of it was not there.
    is_cut: AtomicBool,
}

impl Span {
    /// From the page of an address on, all of it reads as zeros.
    fn blank(&self, at: usize) -> bool {
        // SAFETY: asks for a number; a handler may do that.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let from = at / page * page;
        let len = self.to.next_multiple_of(page) - from;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
        // SAFETY: these pages are of a map that is only read; it cannot be given back meanwhile, because it is in the list, which
        // is locked. It is a system call and nothing else.
        let made = unsafe { libc::mmap(from as *mut libc::c_void, len, libc::PROT_READ, flags, -1, 0) };
        made != libc::MAP_FAILED
    }
}

/// A path as it may be printed: a terminal obeys some characters, and others turn the direction of what follows. (As
/// `crosscut_scene::printable`, which is above this crate.)
fn shown(path: &Path) -> String {
    let mut text = String::new();
    for c in path.to_string_lossy().chars() {
        match c {
            '\'' | '"' | '\\' => text.push(c),
            c => text.extend(c.escape_debug()),
        }
    }
    text
}

/// A map that is known for as long as this is kept.
#[derive(Debug)]
pub struct Known {
    start: usize,
}

impl Known {
    /// Notes what is mapped from where.
    pub fn new(map: &[u8], path: &Path) -> Self {
        let start = map.as_ptr() as usize;
        let span = Span {
            from: start,
            to: start + map.len(),
            path: path.to_owned(),
            shown: shown(path),
            is_cut: AtomicBool::new(false),
        };
        let mut mapped = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
        mapped.push(span);
        Known { start }
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        let mut mapped = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = mapped.iter().position(|span| span.from == self.start) {
            mapped.swap_remove(at);
        }
    }
}

/// From now on, when a column's file is cut short while it is read, the program ends with exit code 2 and says which file
/// it was. For programs, in `main`; a library leaves signals alone, or asks for [`notice_when_cut`].
pub fn tell_when_cut() {
    take_signal(libc::SA_RESETHAND, std::ptr::null_mut());
}

/// From now on, when a column's file is cut short while it is read, that is said on standard error. Within [`noticed`] the
/// program goes on, elsewhere it ends as it would have. For libraries in a program of somebody else.
pub fn notice_when_cut() {
    if BEFORE.get().is_none() {
        let mut before = MaybeUninit::zeroed();
        take_signal(0, before.as_mut_ptr());
        // SAFETY: zeroed, and written by the kernel.
        let _ = BEFORE.set(unsafe { before.assume_init() });
    }
}

fn take_signal(flags: libc::c_int, before: *mut libc::sigaction) {
    // SAFETY: the handler is a function with the signature that SA_SIGINFO asks for; it calls nothing that a handler may
    // not call.
    unsafe {
        let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
        action.sa_sigaction = on_bus as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | flags;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(libc::SIGBUS, &action, before);
    }
}

/// A file that is open was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut(String);

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0, String::from_utf8_lossy(CUT).trim_end())
    }
}

impl std::error::Error for Cut {}

/// Does something that may read what is mapped. When any file that is open was cut, now or before, its result is
/// refused. After [`notice_when_cut`].
pub fn noticed<T>(work: impl FnOnce() -> T) -> Result<T, Cut> {
    struct Noticing;
    impl Drop for Noticing {
        fn drop(&mut self) {
            NOTICING.fetch_sub(1, Ordering::SeqCst);
        }
    }
    check_whole()?;
    NOTICING.fetch_add(1, Ordering::SeqCst);
    let noticing = Noticing;
    let done = work();
    drop(noticing);
    check_whole()?;
    Ok(done)
}

fn check_whole() -> Result<(), Cut> {
    if !WAS_CUT.load(Ordering::SeqCst) {
        return Ok(());
    }
    let mapped = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
    match mapped.iter().find(|span| span.is_cut.load(Ordering::SeqCst)) {
        Some(span) => Err(Cut(span.shown.clone())),
        None => Ok(()),
    }
}

/// What is said behind the name of a file.
const CUT: &[u8] =
    b": cut short or not readable any more while it was open; a run must not change while it is looked at\n";
/// Tries so often to see the list while another thread changes it.
const TRIES: usize = 1000;

extern "C" fn on_bus(_signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: with SA_SIGINFO the kernel hands over a valid structure.
    let at = unsafe { (*info).si_addr() } as usize;
    for _ in 0..TRIES {
        // Who reads a column does not hold this lock: it is another thread, and soon done.
        let mapped = match MAPPED.try_lock() {
            Ok(mapped) => mapped,
            Err(TryLockError::Poisoned(mapped)) => mapped.into_inner(),
            Err(TryLockError::WouldBlock) => continue,
        };
        let Some(span) = mapped.iter().find(|span| (span.from..span.to).contains(&at)) else { break };
        WAS_CUT.store(true, Ordering::SeqCst);
        if !span.is_cut.swap(true, Ordering::SeqCst) {
            say(b"crosscut: ");
            say(span.shown.as_bytes());
            say(CUT);
        }
        if NOTICING.load(Ordering::SeqCst) > 0 && span.blank(at) {
            return;
        }
        if BEFORE.get().is_some() {
            break;
        }
        // SAFETY: ends the process and runs nothing of it.
        unsafe { libc::_exit(2) };
    }
    // Not ours, or the program has to end: the handler from before takes over when the access is tried again. (With SA_RESETHAND it is back
    // already.)
    if let Some(before) = BEFORE.get() {
        // SAFETY: as the kernel gave it.
        unsafe { libc::sigaction(libc::SIGBUS, before, std::ptr::null_mut()) };
    }
}

fn say(text: &[u8]) {
    // SAFETY: writes bytes that live long enough; what cannot be written is lost.
    unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
}

/// Which blocks of a mapped file this process has looked at: those of which the kernel has mapped a page in. Empty where the
/// file is not mapped, or the kernel does not say.
pub fn seen(path: &Path, block: u64) -> Vec<bool> {
    let span = {
        let mapped = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
        mapped.iter().find(|span| span.path == path).map(|span| (span.from, span.to))
    };
    let Some((from, to)) = span else { return Vec::new() };
    pages_in(from, to, block).unwrap_or_default()
}

/// Bit of an entry of `/proc/self/pagemap`: the page is in memory and mapped.
const PRESENT: u64 = 1 << 63;
const PAGE: u64 = 4096;

fn pages_in(from: usize, to: usize, block: u64) -> std::io::Result<Vec<bool>> {
    use std::os::unix::fs::FileExt;
    let pagemap = std::fs::File::open("/proc/self/pagemap")?;
    let pages = (to - from).div_ceil(PAGE as usize);
    let mut entries = vec![0; pages * size_of::<u64>()];
    pagemap.read_exact_at(&mut entries, from as u64 / PAGE * size_of::<u64>() as u64)?;
    let is_in = |entry: &[u8; 8]| u64::from_ne_bytes(*entry) & PRESENT != 0;
    let per_block = (block / PAGE) as usize;
    Ok(entries.as_chunks::<8>().0.chunks(per_block).map(|pages| pages.iter().any(is_in)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_as_they_may_be_printed() {
        let told = shown(Path::new("a\u{9b}31m\u{202e}b\x1b[2J\n\u{200b}\u{2028}'\"\\ µ→ä"));
        assert_eq!(told, "a\\u{9b}31m\\u{202e}b\\u{1b}[2J\\n\\u{200b}\\u{2028}'\"\\ µ→ä");
    }
}
