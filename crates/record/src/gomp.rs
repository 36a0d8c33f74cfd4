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
    #[allow(clippy::vec_box)] // libgomp keeps their addresses
    started: Vec<Box<Started>>,
    nests: Nests,
    /// When the last task was created here.
    created: u64,
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
    (# $inner:ident, $x86:literal, $arm:literal) => {{
        #[cfg(target_arch = "x86_64")]
        std::arch::naked_asm!(concat!("mov ", $x86, ", [rsp]"), "jmp {inner}", inner = sym $inner);
        #[cfg(target_arch = "aarch64")]
        std::arch::naked_asm!(concat!("mov ", $arm, ", x30"), "b {inner}", inner = sym $inner)
    }};
}
pub(crate) use with_caller;

/// Where the real function of a name is kept.
macro_rules! slot {
    ($name:ident) => {
        #[allow(non_upper_case_globals)]
        #[used]
        #[unsafe(link_section = "crosscut_slots")]
        static $name: $crate::gomp::find::Slot = {
            const NAME: &std::ffi::CStr =
                match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    // When it is compiled, never when it runs.
                    Err(_) => panic!("a name with a zero byte"),
                };
            $crate::gomp::find::Slot::new(NAME)
        };
    };
}
use slot;

/// Defines an entry point that has a slot: `name(2) => inner` has two arguments, and `inner` gets the return address as
/// a third; `name(=) => inner` passes on what it has. Where the real function reports on its own, the call goes there as
/// if we were not here: that function looks at its return address, too.
macro_rules! stub {
    ($name:ident(=) => $inner:ident) => { $crate::gomp::stub!(# $name $inner "", "") };
    ($name:ident(0) => $inner:ident) => { $crate::gomp::stub!(# $name $inner "mov rdi, [rsp]", "mov x0, x30") };
    ($name:ident(1) => $inner:ident) => { $crate::gomp::stub!(# $name $inner "mov rsi, [rsp]", "mov x1, x30") };
    ($name:ident(2) => $inner:ident) => { $crate::gomp::stub!(# $name $inner "mov rdx, [rsp]", "mov x2, x30") };
    ($name:ident(3) => $inner:ident) => { $crate::gomp::stub!(# $name $inner "mov rcx, [rsp]", "mov x3, x30") };
    ($name:ident(4) => $inner:ident) => { $crate::gomp::stub!(# $name $inner "mov r8, [rsp]", "mov x4, x30") };
    ($name:ident(5) => $inner:ident) => { $crate::gomp::stub!(# $name $inner "mov r9, [rsp]", "mov x5, x30") };
    // No register is left for the return address: it goes to the stack, behind what is there already.
    ($name:ident(6) => $inner:ident) => {
        $crate::gomp::stub!(@ $name $inner "mov x6, x30",
            "push [rsp]",
            ".cfi_adjust_cfa_offset 8",
            "call {inner}",
            "add rsp, 8",
            ".cfi_adjust_cfa_offset -8",
            "ret",
        )
    };
    ($name:ident(7) => $inner:ident) => {
        $crate::gomp::stub!(@ $name $inner "mov x7, x30",
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
        )
    };
    ($name:ident(8) => $inner:ident) => {
        // On Arm none is left either, and what is called there must come back here.
        $crate::gomp::stub!(@ $name $inner
            "stp x29, x30, [sp, #-16]!\nmov x29, sp\nstr x30, [sp, #-16]!\nbl {inner}\nadd sp, sp, #16\nldp x29, x30, [sp], #16\nret",
            "push [rsp]",
            ".cfi_adjust_cfa_offset 8",
            "push [rsp + 24]",
            ".cfi_adjust_cfa_offset 8",
            "push [rsp + 24]",
            ".cfi_adjust_cfa_offset 8",
            "call {inner}",
            "add rsp, 24",
            ".cfi_adjust_cfa_offset -24",
            "ret",
        )
    };
    (# $name:ident $inner:ident $x86:literal, $arm:literal) => {
        $crate::gomp::stub!(@ $name $inner $arm, $x86, "jmp {inner}",)
    };
    (@ $name:ident $inner:ident $arm:literal, $($x86:literal,)*) => {
        #[doc = concat!("See [`", stringify!($inner), "`].")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C-unwind" fn $name() {
            #[cfg(target_arch = "x86_64")]
            std::arch::naked_asm!(
                ".cfi_startproc",
                "mov rax, [rip + {slot}]",
                "test rax, rax",
                "js 2f",
                $($x86,)*
                "2:",
                "btr rax, 63",
                "jmp rax",
                ".cfi_endproc",
                inner = sym $inner,
                slot = sym self::$name,
            );
            #[cfg(target_arch = "aarch64")]
            std::arch::naked_asm!(
                "adrp x16, {slot}",
                "ldr x16, [x16, :lo12:{slot}]",
                "tbnz x16, #63, 2f",
                $arm,
                "b {inner}",
                "2:",
                "and x16, x16, #0x7fffffffffffffff",
                "br x16",
                inner = sym $inner,
                slot = sym self::$name,
            )
        }
    };
}
use stub;

/// Entry points with their slots.
macro_rules! entries {
    ($($name:ident($form:tt) => $inner:ident;)*) => {$(
        $crate::gomp::slot!($name);
        const _: () = {
            $crate::gomp::stub!($name($form) => $inner);
        };
    )*};
}
use entries;

/// The real function of a name that has a slot, for a call that comes from some code.
macro_rules! real {
    ($name:ident, $code:expr) => {
        self::$name.get(|| $code)
    };
}
use real;

/// The answer of a function without arguments, for a question that comes from some code.
macro_rules! ask {
    ($name:ident, $code:expr) => {{
        $crate::gomp::slot!($name);
        let real = $name.get(|| $code);
        // SAFETY: that is its type, and it only answers.
        unsafe { real.function::<unsafe extern "C-unwind" fn() -> std::ffi::c_int>()() }
    }};
}
use ask;

/// Looks at what there is when the program starts. See [`find::settle`].
pub fn settle() {
    find::settle();
}
