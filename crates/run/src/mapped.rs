//! What is mapped, for the day when a file is cut short under it. Reading a page of a mapped file that is not there any more
//! (somebody cut the file, the disk failed, the network is gone) is a signal, SIGBUS, and a program that does not expect it
//! ends without a word. [`tell_when_cut`] makes it end with the name of the file.

use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, TryLockError};

/// What is mapped now.
static MAPPED: Mutex<Vec<Span>> = Mutex::new(Vec::new());

/// A mapped file: from, to, and its name.
struct Span {
    from: usize,
    to: usize,
    path: PathBuf,
    /// The name as it is told, made when there is still memory to be had.
    shown: String,
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
        let span = Span { from: start, to: start + map.len(), path: path.to_owned(), shown: shown(path) };
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
/// it was. For programs, in `main`; a library leaves signals alone.
pub fn tell_when_cut() {
    // SAFETY: the handler is a function with the signature that SA_SIGINFO asks for; it calls nothing that a handler may
    // not call.
    unsafe {
        let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
        action.sa_sigaction = on_bus as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut());
    }
}

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
        say(b"crosscut: ");
        say(span.shown.as_bytes());
        say(b": cut short or not readable any more while it was open; a run must not change while it is looked at\n");
        // SAFETY: ends the process and runs nothing of it.
        unsafe { libc::_exit(2) };
    }
    // Not ours: SA_RESETHAND has put the usual end back, which comes when the access is tried again.
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
