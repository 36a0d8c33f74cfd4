//! Programs built by GCC, on their own runtime. libgomp has no interface for tools, so the entry points that GCC's code
//! calls are defined here too: the preloaded library comes first, notes what happens, and calls the real one.
//!
//! libgomp calls itself by other names, so what comes here was called by compiled code. Bodies of regions and tasks are
//! handed over as a function and a block of data: libgomp gets a function of ours (a *trampoline*) and a block with a
//! header in front, and the trampoline calls the body. A task never moves nor gives way once it has begun, so events nest
//! on each thread.

mod arena;
mod depend;
mod find;
mod locks;
mod parallel;
mod started;
mod task;
mod taskloop;
mod wait;
mod work;

use std::ffi::c_void;

use crosscut_events::{ENTRY, TaskId};

use crate::thread::{self, Thread};
use arena::Arena;
use locks::Nests;
use started::Started;
use work::Lap;

/// The body of a region or task.
type Body = unsafe extern "C-unwind" fn(*mut c_void);

/// What runs on a thread, beside its number.
#[derive(Clone, Copy, Default)]
pub struct Scope {
    /// The body, as [`entry`] writes it.
    code: u64,
    /// Tasks created in it run at once.
    is_final: bool,
    /// It is in a team.
    in_team: bool,
    /// The loop that it is in.
    lap: Lap,
}

/// What this part of the recorder knows of a thread.
#[derive(Default)]
pub struct State {
    scope: Scope,
    /// The lane that has come to the barrier at its team's end. Tasks still run here, in its place.
    ended: TaskId,
    /// Regions that were started by old calls and have not ended, the inmost last.
    started: Vec<Box<Started>>,
    nests: Nests,
    /// Room for large blocks of tasks.
    arena: Arena,
}

impl State {
    /// Whether a thread that runs this has come to the end of its lane and runs nothing else.
    pub fn is_done(&self, current: TaskId) -> bool {
        current != TaskId::NONE && current == self.ended
    }
}

/// The lane that has come to the end of its team ends, if there is one.
pub fn leave(thread: &mut Thread) {
    if thread.gomp.is_done(thread.current) {
        thread.lane_end();
        thread.gomp.ended = TaskId::NONE;
    }
}

/// The address of a body as events have it.
#[inline(always)]
fn entry(body: Body) -> u64 {
    body as usize as u64 | ENTRY
}

/// An address in this library: the code of the body that runs stands for it.
fn here() -> usize {
    here as *const () as usize
}

/// With the thread, which runs a task: its root if nothing else.
#[inline(always)]
fn with<R>(f: impl FnOnce(&mut Thread) -> R) -> Option<R> {
    thread::with(|thread| {
        if thread.current == TaskId::NONE {
            thread.root(true);
        }
        f(thread)
    })
}

/// The code that a call comes from, as events have it.
#[inline(always)]
fn place(thread: &Thread, caller: usize) -> u64 {
    if find::is_own(caller) { thread.gomp.scope.code } else { caller as u64 }
}

/// The code that a call comes from, for [`find`]: by its return address, or that of the body that runs.
#[inline(always)]
fn origin(caller: usize) -> usize {
    if !find::is_own(caller) {
        return caller;
    }
    thread::with(|thread| (thread.gomp.scope.code & !ENTRY) as usize).unwrap_or(0)
}

/// Defines entry points that pass their return address on, behind their arguments: `name(2) => inner` has two, and
/// `inner` gets three.
macro_rules! with_caller {
    ($($name:ident($count:tt) => $inner:ident;)*) => {$(
        #[doc = concat!("See [`", stringify!($inner), "`].")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C-unwind" fn $name() {
            $crate::gomp::with_caller!(@$count $inner)
        }
    )*};
    (@0 $inner:ident) => { $crate::gomp::with_caller!(# $inner, "rdi", "x0") };
    (@1 $inner:ident) => { $crate::gomp::with_caller!(# $inner, "rsi", "x1") };
    (@2 $inner:ident) => { $crate::gomp::with_caller!(# $inner, "rdx", "x2") };
    (@3 $inner:ident) => { $crate::gomp::with_caller!(# $inner, "rcx", "x3") };
    (@4 $inner:ident) => { $crate::gomp::with_caller!(# $inner, "r8", "x4") };
    (@5 $inner:ident) => { $crate::gomp::with_caller!(# $inner, "r9", "x5") };
    (@6 $inner:ident) => {{
        #[cfg(target_arch = "x86_64")]
        std::arch::naked_asm!(
            ".cfi_startproc",
            "push [rsp]",
            ".cfi_adjust_cfa_offset 8",
            "call {inner}",
            "add rsp, 8",
            ".cfi_adjust_cfa_offset -8",
            "ret",
            ".cfi_endproc",
            inner = sym $inner
        );
        #[cfg(target_arch = "aarch64")]
        std::arch::naked_asm!("mov x6, x30", "b {inner}", inner = sym $inner)
    }};
    (@7 $inner:ident) => {{
        // The seventh argument comes on the stack already; the return address goes behind it.
        #[cfg(target_arch = "x86_64")]
        std::arch::naked_asm!(
            ".cfi_startproc",
            "sub rsp, 8",
            ".cfi_adjust_cfa_offset 8",
            "push [rsp + 8]",
            ".cfi_adjust_cfa_offset 8",
            "push [rsp + 24]",
            ".cfi_adjust_cfa_offset 8",
            "call {inner}",
            "add rsp, 24",
            ".cfi_adjust_cfa_offset -24",
            "ret",
            ".cfi_endproc",
            inner = sym $inner
        );
        #[cfg(target_arch = "aarch64")]
        std::arch::naked_asm!("mov x7, x30", "b {inner}", inner = sym $inner)
    }};
    (# $inner:ident, $x86:literal, $arm:literal) => {{
        #[cfg(target_arch = "x86_64")]
        std::arch::naked_asm!(concat!("mov ", $x86, ", [rsp]"), "jmp {inner}", inner = sym $inner);
        #[cfg(target_arch = "aarch64")]
        std::arch::naked_asm!(concat!("mov ", $arm, ", x30"), "b {inner}", inner = sym $inner)
    }};
}
pub(crate) use with_caller;

/// The real function of a name, for a call that comes from some code.
macro_rules! real {
    ($name:ident, $code:expr) => {{
        static SLOT: $crate::gomp::find::Slot = {
            const NAME: &std::ffi::CStr =
                match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!(),
                };
            $crate::gomp::find::Slot::new(NAME)
        };
        SLOT.get(|| $code)
    }};
}
use real;
