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
    fn fstatvfs(fd: c_int, about: *mut [u64; 14]) -> c_int;
    fn getrusage(who: c_int, usage: *mut [c_long; 18]) -> c_int;
    fn getrlimit(resource: c_int, limit: *mut [u64; 2]) -> c_int;
    fn sigaction(signal: c_int, new: *const SignalAction, old: *mut SignalAction) -> c_int;
    fn __errno_location() -> *mut c_int;
    fn pthread_self() -> usize;
    fn pthread_getattr_np(thread: usize, attributes: *mut [u64; 16]) -> c_int;
    fn pthread_attr_getstack(attributes: *const [u64; 16], low: *mut usize, size: *mut usize) -> c_int;
    fn pthread_attr_destroy(attributes: *mut [u64; 16]) -> c_int;
}

/// `struct sigaction` of 64-bit Linux, as the C library has it.
#[repr(C)]
struct SignalAction {
    handler: usize,
    mask: [u64; 16],
    flags: c_int,
    restorer: usize,
}

/// What a signal says: the fields of `siginfo_t` that are used.
#[repr(C)]
pub struct SignalInfo {
    signal: c_int,
    error: c_int,
    /// Where it comes from.
    pub code: c_int,
    padding: c_int,
    timer: c_int,
    /// How many signals of the timer this one stands for, beside itself.
    pub overrun: c_int,
}

/// The signal comes from a timer.
pub const FROM_TIMER: c_int = -2;

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

#[cfg(target_arch = "x86_64")]
mod number {
    pub const GETTID: std::ffi::c_long = 186;
    pub const PERF_EVENT_OPEN: std::ffi::c_long = 298;
    pub const TIMER_CREATE: std::ffi::c_long = 222;
    pub const TIMER_SETTIME: std::ffi::c_long = 223;
    pub const TIMER_DELETE: std::ffi::c_long = 226;
    pub const PROCESS_VM_READV: std::ffi::c_long = 310;
}
#[cfg(target_arch = "aarch64")]
mod number {
    pub const GETTID: std::ffi::c_long = 178;
    pub const PERF_EVENT_OPEN: std::ffi::c_long = 241;
    pub const TIMER_CREATE: std::ffi::c_long = 107;
    pub const TIMER_SETTIME: std::ffi::c_long = 110;
    pub const TIMER_DELETE: std::ffi::c_long = 111;
    pub const PROCESS_VM_READV: std::ffi::c_long = 270;
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

/// The first value of a limit of this process.
fn limit(resource: c_int) -> u64 {
    let mut limit = [u64::MAX; 2];
    // SAFETY: it fills in the two words that we own.
    unsafe { getrlimit(resource, &mut limit) };
    limit[0]
}

/// How large files may become (`ulimit -f`).
pub fn file_limit() -> u64 {
    const FILE_SIZE: c_int = 1;
    limit(FILE_SIZE)
}

/// Whether so many bytes more leave the program room to breathe: under a limit (`ulimit -v`) an eighth of it is not for us.
fn within_address_space(length: usize) -> Result<(), u32> {
    const ADDRESS_SPACE: c_int = 9;
    const ENOMEM: u32 = 12;
    let limit = limit(ADDRESS_SPACE);
    if limit == u64::MAX {
        return Ok(());
    }
    let Some(used) = address_space() else { return Ok(()) };
    let wanted = used.saturating_add(length as u64).saturating_add(limit / 8);
    if wanted > limit { Err(ENOMEM) } else { Ok(()) }
}

/// Bytes of address space in use, as far as it can be known. Allocates nothing.
fn address_space() -> Option<u64> {
    use std::io::Read;
    const PAGE: u64 = 4096;
    let mut text = [0; 32];
    let length = std::fs::File::open("/proc/self/statm").ok()?.read(&mut text).ok()?;
    let digits = text[..length].split(|byte| !byte.is_ascii_digit()).next()?;
    let pages = digits.iter().fold(0u64, |sum, digit| sum.wrapping_mul(10) + u64::from(digit - b'0'));
    Some(pages.saturating_mul(PAGE))
}

/// Moves a descriptor to a high number, out of the way of programs that count on low ones being free or that close all of
/// them. Where that cannot be, it stays.
pub fn move_up(fd: i32) -> i32 {
    match duplicate(fd, FAR_UP).or_else(|| duplicate(fd, 200)) {
        Some(moved) => {
            close_descriptor(fd);
            moved
        }
        None => fd,
    }
}

/// Numbers that few programs come to.
const FAR_UP: c_int = 900;

fn duplicate(fd: i32, least: c_int) -> Option<i32> {
    const DUPLICATE_CLOSE_ON_EXEC: c_int = 1030;
    // SAFETY: a plain system call.
    let moved = unsafe { fcntl(fd, DUPLICATE_CLOSE_ON_EXEC, least) };
    (moved >= 0).then_some(moved)
}

/// Moves a descriptor where a program that has few will not notice it; closes it where there are not as many numbers.
pub fn move_far_up(fd: i32) -> Option<i32> {
    let moved = duplicate(fd, FAR_UP);
    close_descriptor(fd);
    moved
}

/// Reserves room for a part of a file.
pub fn allocate(fd: i32, offset: u64, length: usize) -> Result<(), u32> {
    // SAFETY: a plain system call.
    if unsafe { fallocate(fd, 0, offset as i64, length as i64) } == 0 { Ok(()) } else { Err(last_error()) }
}

/// Bytes that are free where a file is, if that is known.
pub fn free_bytes(fd: i32) -> Option<u64> {
    // `struct statvfs` of 64-bit Linux, 112 bytes: sizes of a block and of a fragment; all fragments, free ones, those free
    // for everybody; …
    let mut about = [0; 14];
    // SAFETY: it fills in the words that we own.
    if unsafe { fstatvfs(fd, &mut about) } != 0 {
        return None;
    }
    let (fragment, all, free) = (about[1], about[2], about[4]);
    // Some file systems have no size.
    (all > 0).then(|| free.saturating_mul(fragment))
}

/// Writes bytes at an offset of a file; says how many.
pub fn write_at(fd: i32, offset: u64, bytes: &[u8]) -> Result<usize, u32> {
    // SAFETY: the bytes are as long as they say.
    let wrote = unsafe { pwrite(fd, bytes.as_ptr().cast(), bytes.len(), offset as i64) };
    usize::try_from(wrote).map_err(|_| last_error())
}

/// Maps the beginning of a file, shared, with its pages present.
pub fn map_file(fd: i32, length: usize) -> Result<*mut u64, u32> {
    within_address_space(length)?;
    map(length, MAP_SHARED | MAP_POPULATE, fd)
}

/// Fresh memory, zeroed, whose pages appear when they are touched; not what the program will need.
pub fn map_memory(length: usize) -> Result<*mut u64, u32> {
    within_address_space(length)?;
    map_anything(length)
}

/// Fresh memory, whatever is left then.
pub fn map_anything(length: usize) -> Result<*mut u64, u32> {
    map(length, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1)
}

fn map(length: usize, flags: c_int, fd: c_int) -> Result<*mut u64, u32> {
    // SAFETY: a new mapping; nothing that exists is touched.
    let address = unsafe { mmap(std::ptr::null_mut(), length, PROT_READ | PROT_WRITE, flags, fd, 0) };
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

/// Whether a descriptor stands for a counter. The program may have closed it and opened something else, which must not be
/// read from.
pub fn is_counter(fd: i32) -> bool {
    const NUMBER: u64 = 0x8008_2407;
    let mut number = 0u64;
    // SAFETY: it fills in the word that we own; what is no counter refuses.
    unsafe { ioctl(fd, NUMBER, &raw mut number) == 0 }
}

/// Starts a group of counters.
pub fn enable_counters(fd: i32) {
    const ENABLE: u64 = 0x2400;
    const WHOLE_GROUP: c_int = 1;
    // SAFETY: a plain system call.
    unsafe { ioctl(fd, ENABLE, WHOLE_GROUP) };
}

/// Handles a signal by this function from now on; not when the program does already.
pub fn handle_signal(
    signal: c_int,
    handler: extern "C" fn(c_int, *const SignalInfo, *const c_void),
) -> Result<(), u32> {
    const WITH_INFO: c_int = 4;
    const RESTART: c_int = 0x1000_0000;
    const ON_STACK: c_int = 0x0800_0000;
    const EBUSY: u32 = 16;
    let ours = handler as *const () as usize;
    let action =
        SignalAction { handler: ours, mask: [0; 16], flags: WITH_INFO | RESTART | ON_STACK, restorer: 0 };
    let mut old = SignalAction { handler: 0, mask: [0; 16], flags: 0, restorer: 0 };
    // SAFETY: it reads and fills structs that we own; the handler lives as long as the process.
    unsafe {
        if sigaction(signal, std::ptr::null(), &mut old) != 0 {
            return Err(last_error());
        }
        if old.handler != 0 && old.handler != ours {
            return Err(EBUSY);
        }
        if sigaction(signal, &action, std::ptr::null_mut()) != 0 {
            return Err(last_error());
        }
    }
    Ok(())
}

/// Does something that may change the C library's number of the last error, and puts that back.
pub fn keeping_error(work: impl FnOnce()) {
    // SAFETY: the C library's own variable of this thread.
    unsafe {
        let error = *__errno_location();
        work();
        *__errno_location() = error;
    }
}

/// Sends this thread a signal after every so many nanoseconds that it was on a processor.
pub fn start_timer(signal: c_int, nanos: u64) -> Result<i32, u32> {
    const THREAD_CPUTIME: c_long = 3;
    const TO_THREAD: c_int = 4;
    /// `struct sigevent`.
    #[repr(C)]
    struct Event {
        value: usize,
        signal: c_int,
        notify: c_int,
        thread: u32,
        rest: [c_int; 11],
    }
    let event = Event { value: 0, signal, notify: TO_THREAD, thread: thread_number(), rest: [0; 11] };
    let mut timer: c_int = 0;
    let (seconds, nanos) = ((nanos / 1_000_000_000) as i64, (nanos % 1_000_000_000) as i64);
    // `struct itimerspec`: the time between two, the time until the first.
    let times = [Timespec { seconds, nanos }, Timespec { seconds, nanos }];
    // SAFETY: the kernel reads what we own, and fills in the number.
    unsafe {
        if syscall(number::TIMER_CREATE, THREAD_CPUTIME, &raw const event, &raw mut timer) != 0 {
            return Err(last_error());
        }
        let none: *const c_void = std::ptr::null();
        if syscall(number::TIMER_SETTIME, c_long::from(timer), 0 as c_long, times.as_ptr(), none) != 0 {
            let error = last_error();
            stop_timer(timer);
            return Err(error);
        }
    }
    Ok(timer)
}

/// Ends a timer.
pub fn stop_timer(timer: i32) {
    // SAFETY: a plain system call.
    unsafe { syscall(number::TIMER_DELETE, c_long::from(timer)) };
}

/// Lets an event of this thread send it a signal each time that it happens.
pub fn signal_of_event(fd: i32, signal: c_int) -> Result<(), u32> {
    const SET_FLAGS: c_int = 4;
    const ASYNC: c_int = 0x2000;
    const SET_SIGNAL: c_int = 10;
    const SET_OWNER: c_int = 15;
    const IS_THREAD: c_int = 0;
    // `struct f_owner_ex`.
    let owner = [IS_THREAD, thread_number() as c_int];
    // SAFETY: plain system calls; the last reads what we own.
    let failed = unsafe {
        fcntl(fd, SET_OWNER, owner.as_ptr()) != 0
            || fcntl(fd, SET_SIGNAL, signal) != 0
            || fcntl(fd, SET_FLAGS, ASYNC) != 0
    };
    if failed { Err(last_error()) } else { Ok(()) }
}

/// Lets an event happen so many times more.
pub fn refresh_event(fd: i32, times: u32) {
    const REFRESH: u64 = 0x2402;
    // SAFETY: a plain system call; what is no event refuses.
    unsafe { ioctl(fd, REFRESH, times) };
}

/// Reads memory of this process that may not be there; says how many words could be read. Nothing else may change them.
pub fn read_memory(address: u64, words: &mut [u64]) -> usize {
    let bytes = size_of_val(words);
    // `struct iovec`.
    let (to, from) = ((words.as_mut_ptr(), bytes), (address, bytes));
    let process = c_long::from(std::process::id());
    // SAFETY: the kernel fills in what we own, and looks at the other side itself.
    let read = unsafe {
        syscall(
            number::PROCESS_VM_READV,
            process,
            &raw const to,
            1 as c_long,
            &raw const from,
            1 as c_long,
            0 as c_long,
        )
    };
    usize::try_from(read).unwrap_or(0) / 8
}

/// Where the stack of this thread begins at the lowest; 0 when it is not known.
pub fn stack_low() -> usize {
    let mut attributes = [0u64; 16];
    let (mut low, mut size) = (0usize, 0usize);
    // SAFETY: it fills in what we own; `pthread_attr_t` is 56 bytes on x86-64, 64 on others.
    unsafe {
        if pthread_getattr_np(pthread_self(), &mut attributes) == 0 {
            pthread_attr_getstack(&attributes, &mut low, &mut size);
            pthread_attr_destroy(&mut attributes);
        }
    }
    low
}

/// The far end of the main thread's stack, where the C library says it.
pub fn main_stack_end() -> usize {
    // SAFETY: the name is a C string; the symbol, where it exists, is a pointer.
    unsafe {
        let symbol = dlsym(std::ptr::null_mut(), c"__libc_stack_end".as_ptr());
        if symbol.is_null() { 0 } else { *symbol.cast::<usize>() }
    }
}
