//! Tasks. The block that libgomp keeps for a task begins with a [`Header`]; the program's own block follows.

use std::ffi::{c_int, c_long, c_uint, c_void};
use std::mem::MaybeUninit;
use std::ptr;

use crosscut_events::{TaskId, flags};

use super::arena::Block;
use super::work::Lap;
use super::{Body, Scope, entries, entry, real, with};
use crate::thread::{self, Thread};

entries! {
    GOMP_task(=) => task;
}

/// Builds the block of a task from another.
pub(super) type Copy = unsafe extern "C-unwind" fn(*mut c_void, *mut c_void);

/// Flags of `GOMP_task` and `GOMP_taskloop`.
pub(super) mod flag {
    pub const UNTIED: u32 = 1;
    pub const FINAL: u32 = 2;
    pub const MERGEABLE: u32 = 4;
    pub const DEPEND: u32 = 8;
    pub const UP: u32 = 0x100;
    pub const GRAINSIZE: u32 = 0x200;
    pub const IF: u32 = 0x400;
    pub const NO_GROUP: u32 = 0x800;
    pub const REDUCTION: u32 = 0x1000;
    pub const DETACH: u32 = 0x2000;
    pub const STRICT: u32 = 0x4000;
}

/// What stands in front of the program's block.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Header {
    /// Words that libgomp writes or reads itself, in place of the first ones of the program's block.
    pub words: [usize; 3],
    pub body: Body,
    pub task: TaskId,
    /// Where the program's block begins.
    pub offset: u32,
    pub kind: u32,
}

/// Kinds of task.
pub(super) mod kind {
    pub const FINAL: u32 = 1;
    /// The program gets an event for it, in its first word.
    pub const DETACH: u32 = 2;
    pub const IN_TEAM: u32 = 4;
}

/// What a copy function is given: the header, and how the program wants its block to be copied.
#[repr(C)]
pub(super) struct Original<H> {
    pub header: H,
    pub copy: Copy,
    pub data: *mut c_void,
}

type Task = unsafe extern "C-unwind" fn(
    Body,
    *mut c_void,
    Option<Copy>,
    c_long,
    c_long,
    u8,
    c_uint,
    *mut *mut c_void,
    c_int,
    *mut c_void,
);

/// How a task that is created now will be run, for its event.
pub(super) fn manner(thread: &Thread, bits: u32, deferred: bool) -> u16 {
    let mut how = 0;
    // What runs at once for want of room in a queue could have run elsewhere, and is not meant here.
    how |= if !deferred || thread.gomp.scope.is_final { flags::UNDEFERRED } else { 0 };
    how |= if bits & flag::UNTIED != 0 { flags::UNTIED } else { 0 };
    how |= if bits & flag::FINAL != 0 { flags::FINAL } else { 0 };
    how |= if bits & flag::MERGEABLE != 0 { flags::MERGEABLE } else { 0 };
    how
}

/// What the header says of a task that is created now.
pub(super) fn kind_of(thread: &Thread, bits: u32) -> u32 {
    let scope = &thread.gomp.scope;
    let mut kind = 0;
    kind |= if scope.is_final || bits & flag::FINAL != 0 { kind::FINAL } else { 0 };
    kind |= if bits & flag::DETACH != 0 { kind::DETACH } else { 0 };
    kind |= if scope.in_team { kind::IN_TEAM } else { 0 };
    kind
}

/// Where the program's block begins behind a header, and how both are aligned.
#[inline(always)]
pub(super) fn layout<H>(align: c_long) -> (usize, usize) {
    let align = (align.max(16) as usize).next_power_of_two();
    (size_of::<H>().next_multiple_of(align), align)
}

/// A task is created. Old callers pass fewer arguments: the last ones are there when a flag says so, and are passed on
/// anyway.
unsafe extern "C-unwind" fn task(
    body: Body,
    data: *mut c_void,
    copy: Option<Copy>,
    size: c_long,
    align: c_long,
    deferred: u8,
    bits: c_uint,
    depend: *mut *mut c_void,
    priority: c_int,
    detach: *mut c_void,
) {
    let real = real!(GOMP_task, body as usize);
    // SAFETY: that is its type.
    let call: Task = unsafe { real.function() };
    let pass = || {
        // SAFETY: the caller's own call.
        unsafe { call(body, data, copy, size, align, deferred, bits, depend, priority, detach) }
    };
    if real.is_quiet() {
        return pass();
    }
    let (offset, align) = layout::<Header>(align);
    let header = with(|thread| {
        let task = thread.create(entry(body), manner(thread, bits, deferred != 0));
        if bits & flag::DEPEND != 0 && !depend.is_null() {
            // SAFETY: the flag says that it is an array of dependences.
            unsafe { super::depend::store(thread, depend) };
        }
        let mut kind = kind_of(thread, bits);
        if size <= 0 || data.is_null() {
            kind &= !kind::DETACH;
        }
        (Header { words: [0; 3], body, task, offset: offset as u32, kind }, thread.cursor)
    });
    let Some((header, mark)) = header else { return pass() };
    let call = |block: *mut u8, copy: Option<Copy>| {
        let size = offset as c_long + size.max(0);
        // SAFETY: the caller's own call, with a block that begins with a header.
        unsafe {
            call(run, block.cast(), copy, size, align as c_long, deferred, bits, depend, priority, detach)
        }
    };
    match copy {
        Some(copy) => {
            let mut original = Original { header, copy, data };
            call((&raw mut original).cast(), Some(copy_task));
        }
        None => {
            let call = |block: Option<*mut u8>| block.map_or_else(pass, |block| call(block, None));
            // SAFETY: the program's block has this size.
            unsafe { with_block(header, offset, align, data, size.max(0) as usize, call) }
        }
    }
    thread::with(|thread| {
        // Otherwise the task has run already.
        if thread.cursor == mark {
            thread.created();
        }
    });
}

/// Calls with a block that lasts as long as the call: a header, and a copy of the program's block. Without memory for it
/// there is none.
///
/// # Safety
/// The program's block has this size; `offset` is not less than that of a header, a multiple of the alignment.
#[inline(always)]
pub(super) unsafe fn with_block<H>(
    header: H,
    offset: usize,
    align: usize,
    data: *const c_void,
    size: usize,
    call: impl FnOnce(Option<*mut u8>),
) {
    /// Small, as tasks that run at once stand on the stack one upon the other.
    const SMALL: usize = 256;
    #[repr(align(64))]
    struct Small(MaybeUninit<[u8; SMALL]>);

    let fill = |block: *mut u8| {
        // SAFETY: the block has room for both.
        unsafe {
            block.cast::<H>().write(header);
            if size > 0 && !data.is_null() {
                ptr::copy_nonoverlapping(data.cast::<u8>(), block.add(offset), size);
            }
        }
    };
    if offset + size <= SMALL && align <= 64 {
        let mut small = Small(MaybeUninit::uninit());
        let block = small.0.as_mut_ptr().cast();
        fill(block);
        call(Some(block));
        return;
    }
    let block: Option<Block> = large(offset + size, align);
    call(block.as_ref().map(|block| {
        fill(block.address);
        block.address
    }));
    if let Some(block) = block {
        thread::with(|thread| thread.gomp.arena.give(&block));
    }
}

/// A large block.
#[cold]
#[inline(never)]
fn large(size: usize, align: usize) -> Option<Block> {
    thread::with(|thread| thread.gomp.arena.take(size, align)).flatten()
}

/// Copies a block as the program wants it.
unsafe extern "C-unwind" fn copy_task(to: *mut c_void, from: *mut c_void) {
    let original: *mut Original<Header> = from.cast();
    // SAFETY: libgomp got this from `GOMP_task`, and made room for header and block.
    unsafe {
        let header = (*original).header;
        to.cast::<Header>().write(header);
        if header.kind & kind::DETACH != 0 {
            (*original).data.cast::<usize>().write(header.words[0]);
        }
        ((*original).copy)(to.byte_add(header.offset as usize), (*original).data);
    }
}

/// Runs a task.
unsafe extern "C-unwind" fn run(block: *mut c_void) {
    // SAFETY: libgomp got this block from `GOMP_task`, or made it by `copy_task`.
    let header = unsafe { block.cast::<Header>().read() };
    let data = block.wrapping_byte_add(header.offset as usize);
    if header.kind & kind::DETACH != 0 {
        // SAFETY: the program's block begins with the event, which libgomp wrote to the header.
        unsafe { data.cast::<usize>().write(header.words[0]) };
    }
    let outer = begin(header.task, header.body, header.kind);
    // SAFETY: the program's own body and block.
    unsafe { (header.body)(data) };
    end(outer);
}

/// A task begins; what ran before comes back.
#[inline(always)]
pub(super) fn begin(task: TaskId, body: Body, kind: u32) -> Option<(TaskId, Scope)> {
    thread::with(|thread| {
        let outer = (thread.current, thread.gomp.scope);
        thread.begin(task);
        thread.gomp.scope = Scope {
            code: entry(body),
            is_final: kind & kind::FINAL != 0,
            in_team: kind & kind::IN_TEAM != 0,
            lap: Lap::default(),
        };
        outer
    })
}

/// It has ended, and what ran before goes on.
#[inline(always)]
pub(super) fn end(outer: Option<(TaskId, Scope)>) {
    if let Some((task, scope)) = outer {
        thread::with(|thread| {
            thread.end(task);
            thread.gomp.scope = scope;
        });
    }
}
