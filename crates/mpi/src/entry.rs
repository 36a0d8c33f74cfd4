//! The entry points, in C and in Fortran. All of them come to one function, with the number of the function that was called,
//! its arguments as words, and the address that the call returns to.

use std::cell::Cell;
use std::ffi::c_int;

use crosscut_events::mpi::{FUNCTIONS, Shape};
use crosscut_events::mpi_functions;

use crate::arguments::{Arguments, Language, MOST};
use crate::{calls, real};

/// In the number of a function: the language that it was called from.
const LANGUAGE: u32 = 16;

thread_local! {
    /// Calls of MPI that this thread is in. What MPI calls itself, or one entry point another, is not the program's call.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Numbers of the functions, in the order of the table.
macro_rules! numbers {
    ($($name:ident($arguments:literal) [$($plain:ident $f08:ident $described:ident)?] $shape:expr;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u32)]
        enum Number { $($name),* }
        $(
            stub!($name, Number::$name as u32);
            $(
                stub!($plain, Number::$name as u32 | (Language::Fortran as u32) << LANGUAGE);
                stub!($f08, Number::$name as u32 | (Language::Fortran08 as u32) << LANGUAGE);
                stub!($described, Number::$name as u32 | (Language::Described as u32) << LANGUAGE);
            )?
        )*
    };
}

macro_rules! stub {
    ($name:ident, $number:expr) => {
        /// An entry point.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            #[cfg(target_arch = "x86_64")]
            std::arch::naked_asm!(
                "mov eax, {number}",
                "jmp {entered}",
                number = const $number,
                entered = sym entered,
            );
            #[cfg(target_arch = "aarch64")]
            std::arch::naked_asm!(
                "movz w9, #{low}",
                "movk w9, #{high}, lsl #16",
                "b {entered}",
                low = const $number & 0xffff,
                high = const $number >> 16,
                entered = sym entered,
            )
        }
    };
}
mpi_functions!(numbers);

/// Keeps the arguments that are in registers, and calls [`called`].
#[unsafe(naked)]
unsafe extern "C" fn entered() {
    #[cfg(target_arch = "x86_64")]
    std::arch::naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "sub rsp, 48",
        "mov [rsp], rdi",
        "mov [rsp + 8], rsi",
        "mov [rsp + 16], rdx",
        "mov [rsp + 24], rcx",
        "mov [rsp + 32], r8",
        "mov [rsp + 40], r9",
        "mov edi, eax",
        "mov rsi, rsp",
        "lea rdx, [rbp + 16]",
        "mov rcx, [rbp + 8]",
        "call {called}",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
        called = sym called,
    );
    #[cfg(target_arch = "aarch64")]
    std::arch::naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-80]!",
        ".cfi_def_cfa_offset 80",
        ".cfi_offset x29, -80",
        ".cfi_offset x30, -72",
        "mov x29, sp",
        "stp x0, x1, [sp, #16]",
        "stp x2, x3, [sp, #32]",
        "stp x4, x5, [sp, #48]",
        "stp x6, x7, [sp, #64]",
        "mov w0, w9",
        "add x1, sp, #16",
        "add x2, sp, #80",
        "mov x3, x30",
        "bl {called}",
        "ldp x29, x30, [sp], #80",
        "ret",
        ".cfi_endproc",
        called = sym called,
    )
}

/// Arguments that come in registers; the others are on the stack, a word each.
#[cfg(target_arch = "x86_64")]
const IN_REGISTERS: usize = 6;
#[cfg(target_arch = "aarch64")]
const IN_REGISTERS: usize = 8;

/// # Safety
/// Called by [`entered`] alone: there are as many arguments as the function has.
unsafe extern "C" fn called(
    number: u32,
    registers: *const usize,
    stack: *const usize,
    caller: usize,
) -> c_int {
    let language = Language::from_number(number >> LANGUAGE);
    let number = (number & ((1 << LANGUAGE) - 1)) as usize;
    let function = &FUNCTIONS[number];
    let count = count(function.arguments, function.shape, language != Language::C);
    let mut words = [0usize; MOST];
    for (at, word) in words.iter_mut().enumerate().take(count) {
        // SAFETY: the caller passed so many.
        *word = unsafe {
            if at < IN_REGISTERS { registers.add(at).read() } else { stack.add(at - IN_REGISTERS).read() }
        };
    }
    let real = real::find(number, language, caller);
    let mut arguments = Arguments { words, count, language, is_wide: function.is_wide() };
    let depth = DEPTH.get();
    DEPTH.set(depth + 1);
    let result = match depth {
        0 => calls::call(number, function, &mut arguments, real, caller as u64),
        _ => arguments.call(real),
    };
    DEPTH.set(depth);
    result
}

/// Arguments that a function has. In Fortran the error comes last, and the program's arguments are not passed.
fn count(in_c: u8, shape: Shape, is_fortran: bool) -> usize {
    let in_c = usize::from(in_c);
    match (is_fortran, shape) {
        (false, _) => in_c,
        (true, Shape::Begin) => in_c - 2 + 1,
        (true, _) => in_c + 1,
    }
}
