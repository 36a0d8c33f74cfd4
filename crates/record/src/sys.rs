//! The system calls of the recorder, declared by hand: the library has no dependencies. Everything here is for Linux.

use std::ffi::{c_char, c_int, c_long, c_void};

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
    fn fallocate(fd: c_int, mode: c_int, offset: i64, length: i64) -> c_int;
    fn sched_getcpu() -> c_int;
    fn syscall(number: c_long, ...) -> c_long;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    pub fn atexit(function: extern "C" fn()) -> c_int;
    pub fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
    pub fn pthread_key_create(key: *mut u32, destructor: Option<extern "C" fn(*mut c_void)>) -> c_int;
    pub fn pthread_setspecific(key: u32, value: *const c_void) -> c_int;
    fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
    fn read(fd: c_int, buffer: *mut c_void, count: usize) -> isize;
    fn close(fd: c_int) -> c_int;
    fn pwrite(fd: c_int, buffer: *const c_void, count: usize, offset: i64) -> isize;
    fn ioctl(fd: c_int, request: u64, ...) -> c_int;
    fn fcntl(fd: c_int, command: c_int, ...) -> c_int;
    fn getrusage(who: c_int, usage: *mut [c_long; 18]) -> c_int;
    fn getrlimit(resource: c_int, limit: *mut [u64; 2]) -> c_int;
}

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanos: i64,
}

const PROT_READ: c_int = 1;
const PROT_WRITE: c_int = 2;
const MAP_SHARED: c_int = 1;
const MAP_PRIVATE: c_int = 2;
const MAP_ANONYMOUS: c_int = 0x20;
const MAP_NORESERVE: c_int = 0x4000;
const MAP_POPULATE: c_int = 0x8000;
const CLOCK_MONOTONIC: c_int = 1;
const EOPNOTSUPP: i32 = 95;
const ENOSYS: i32 = 38;
const EFBIG: u32 = 27;
const EINTR: i32 = 4;
const ENOSPC: u32 = 28;

#[cfg(target_arch = "x86_64")]
mod number {
    pub const GETTID: std::ffi::c_long = 186;
    pub const PERF_EVENT_OPEN: std::ffi::c_long = 298;
}
#[cfg(target_arch = "aarch64")]
mod number {
    pub const GETTID: std::ffi::c_long = 178;
    pub const PERF_EVENT_OPEN: std::ffi::c_long = 241;
}

/// The error of the last call that failed.
pub fn last_error() -> u32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0) as u32
}

/// The function of this name that comes behind this library; null when there is none.
pub fn next_symbol(name: &std::ffi::CStr) -> *mut c_void {
    const NEXT: *mut c_void = std::ptr::without_provenance_mut(usize::MAX);
    // SAFETY: the name is a C string.
    unsafe { dlsym(NEXT, name.as_ptr()) }
}

/// Nanoseconds of `CLOCK_MONOTONIC`.
pub fn nanos() -> u64 {
    let mut time = Timespec { seconds: 0, nanos: 0 };
    // SAFETY: it fills in the struct that we own.
    unsafe { clock_gettime(CLOCK_MONOTONIC, &mut time) };
    time.seconds as u64 * 1_000_000_000 + time.nanos as u64
}

/// Nanoseconds that this thread was on a processor.
pub fn processor_nanos() -> u64 {
    const THREAD_CPUTIME: c_int = 3;
    let mut time = Timespec { seconds: 0, nanos: 0 };
    // SAFETY: it fills in the struct that we own.
    unsafe { clock_gettime(THREAD_CPUTIME, &mut time) };
    time.seconds as u64 * 1_000_000_000 + time.nanos as u64
}

/// How often this thread left its core to wait, and how often because another was to run there.
pub fn switches() -> (u64, u64) {
    const THREAD: c_int = 1;
    // `struct rusage`: two times of two words each, then fourteen counts, these two last.
    let mut usage = [0; 18];
    // SAFETY: it fills in the words that we own, on 64-bit Linux that many.
    unsafe { getrusage(THREAD, &mut usage) };
    (usage[16] as u64, usage[17] as u64)
}

/// The kernel's number of this thread.
pub fn thread_number() -> u32 {
    // SAFETY: it has no arguments and cannot fail.
    unsafe { syscall(number::GETTID) as u32 }
}

/// Whether files may grow so far. Beyond the limit (`ulimit -f`) the kernel would end the program with a signal.
fn within_limit(offset: u64, length: usize) -> Result<(), u32> {
    const FILE_SIZE: c_int = 1;
    let mut limit = [u64::MAX; 2];
    // SAFETY: it fills in the two words that we own.
    unsafe { getrlimit(FILE_SIZE, &mut limit) };
    if offset + length as u64 > limit[0] { Err(EFBIG) } else { Ok(()) }
}

/// Moves a descriptor to a high number, out of the way of programs that count on low ones being free or that close all of
/// them. Where that cannot be, it stays.
pub fn move_up(fd: i32) -> i32 {
    const DUPLICATE_CLOSE_ON_EXEC: c_int = 1030;
    for least in [900, 200] {
        // SAFETY: a plain system call.
        let moved = unsafe { fcntl(fd, DUPLICATE_CLOSE_ON_EXEC, least as c_int) };
        if moved >= 0 {
            close_descriptor(fd);
            return moved;
        }
    }
    fd
}

/// Which file a descriptor stands for, as device and number; `None` when for none.
pub fn identity(fd: i32) -> Option<(u64, u64)> {
    use std::os::fd::FromRawFd;
    use std::os::unix::fs::MetadataExt;
    // SAFETY: the descriptor stays as it is: the file is never dropped.
    let file = std::mem::ManuallyDrop::new(unsafe { std::fs::File::from_raw_fd(fd) });
    file.metadata().ok().map(|data| (data.dev(), data.ino()))
}

/// Makes sure that a part of a file has its room on the disk, so that storing to it through a map does not fail later (on
/// a file system that writes every page to a new spot it still may). One that cannot reserve is asked to write zeros.
pub fn reserve(fd: i32, offset: u64, length: usize) -> Result<(), u32> {
    within_limit(offset, length)?;
    loop {
        // SAFETY: a plain system call.
        if unsafe { fallocate(fd, 0, offset as i64, length as i64) } == 0 {
            return Ok(());
        }
        match last_error() as i32 {
            EINTR => {}
            EOPNOTSUPP | ENOSYS => return write_zeros(fd, offset, length),
            error => return Err(error as u32),
        }
    }
}

fn write_zeros(fd: i32, offset: u64, length: usize) -> Result<(), u32> {
    let zeros = [0; 512];
    let mut done = 0;
    while done < length {
        let piece = &zeros[..zeros.len().min((length - done) / 8)];
        write_words(fd, offset + done as u64, piece)?;
        done += size_of_val(piece);
    }
    Ok(())
}

/// Writes all words at an offset of a file.
pub fn write_words(fd: i32, offset: u64, words: &[u64]) -> Result<(), u32> {
    let (bytes, length) = (words.as_ptr().cast::<u8>(), size_of_val(words));
    within_limit(offset, length)?;
    let mut done = 0;
    while done < length {
        // SAFETY: the rest of the words is as long as it says.
        let wrote =
            unsafe { pwrite(fd, bytes.add(done).cast(), length - done, (offset + done as u64) as i64) };
        match wrote {
            0 => return Err(ENOSPC),
            wrote if wrote > 0 => done += wrote as usize,
            _ if last_error() as i32 == EINTR => {}
            _ => return Err(last_error()),
        }
    }
    Ok(())
}

/// Maps a part of a file, shared, with its pages present.
pub fn map_file(fd: i32, offset: u64, length: usize) -> Result<*mut u64, u32> {
    // SAFETY: a new mapping; nothing that exists is touched.
    let address = unsafe {
        mmap(
            std::ptr::null_mut(),
            length,
            PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_POPULATE,
            fd,
            offset as i64,
        )
    };
    if address as isize == -1 { Err(last_error()) } else { Ok(address.cast()) }
}

/// Fresh memory, zeroed, whose pages appear when they are touched.
pub fn map_memory(length: usize) -> Result<*mut u64, u32> {
    // SAFETY: as above.
    let address = unsafe {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        mmap(std::ptr::null_mut(), length, PROT_READ | PROT_WRITE, flags, -1, 0)
    };
    if address as isize == -1 { Err(last_error()) } else { Ok(address.cast()) }
}

/// Takes a mapping away.
///
/// # Safety
/// It must have come from here with this length, and nobody may use it afterwards.
pub unsafe fn unmap(address: *mut u64, length: usize) {
    // SAFETY: the caller's promise.
    unsafe { munmap(address.cast(), length) };
}

/// Closes a descriptor.
pub fn close_descriptor(fd: i32) {
    // SAFETY: a plain system call.
    unsafe { close(fd) };
}

/// Where the C library keeps the number of the core that the thread runs on, when it has registered the thread with the
/// kernel for that (restartable sequences, glibc 2.35 and later).
pub fn core_word() -> Option<*const i32> {
    // SAFETY: the name is a C string; the symbol, where it exists, is a `const ptrdiff_t`.
    let offset = unsafe {
        let symbol = dlsym(std::ptr::null_mut(), c"__rseq_offset".as_ptr());
        if symbol.is_null() {
            return None;
        }
        *symbol.cast::<isize>()
    };
    let area = thread_pointer()?.wrapping_offset(offset);
    // `struct rseq` begins with cpu_id_start, cpu_id; the latter is negative while the thread is not registered.
    let core = area.wrapping_add(4).cast::<i32>();
    // SAFETY: the C library reserves the area in every thread's static block when the symbol exists.
    if unsafe { core.read_volatile() } >= 0 { Some(core) } else { None }
}

#[cfg(target_arch = "x86_64")]
fn thread_pointer() -> Option<*const u8> {
    let pointer: *const u8;
    // SAFETY: the first word of the thread control block points to itself.
    unsafe { std::arch::asm!("mov {}, fs:0", out(reg) pointer, options(nostack, readonly, preserves_flags)) };
    Some(pointer)
}

#[cfg(target_arch = "aarch64")]
fn thread_pointer() -> Option<*const u8> {
    let pointer: *const u8;
    // SAFETY: reading a register.
    unsafe {
        std::arch::asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nostack, nomem, preserves_flags))
    };
    Some(pointer)
}

/// The core by a call, −1 when not known.
pub fn core_by_call() -> i32 {
    // SAFETY: it has no arguments.
    unsafe { sched_getcpu() }
}

/// `perf_event_open` for this thread, on any core; `group` is the descriptor of the group's first event or −1.
pub fn perf_event_open(attributes: &[u64; 16], group: i32) -> Result<i32, u32> {
    const CLOSE_ON_EXEC: u64 = 8;
    // SAFETY: the attributes say their own size (128 bytes).
    let fd = unsafe {
        syscall(
            number::PERF_EVENT_OPEN,
            attributes.as_ptr(),
            0 as c_long,
            -1 as c_long,
            c_long::from(group),
            CLOSE_ON_EXEC,
        )
    };
    if fd < 0 { Err(last_error()) } else { Ok(fd as i32) }
}

/// Reads whole words; `false` when fewer came.
pub fn read_words(fd: i32, words: &mut [u64]) -> bool {
    let bytes = size_of_val(words);
    // SAFETY: the buffer is as long as it says.
    unsafe { read(fd, words.as_mut_ptr().cast(), bytes) == bytes as isize }
}

/// Starts a group of counters.
pub fn enable_counters(fd: i32) {
    const ENABLE: u64 = 0x2400;
    const WHOLE_GROUP: c_int = 1;
    // SAFETY: a plain system call.
    unsafe { ioctl(fd, ENABLE, WHOLE_GROUP) };
}
