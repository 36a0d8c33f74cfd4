//! Loops that are cut into tasks. libgomp says nowhere how many tasks it makes, so the cut is computed here too; which of
//! the tasks one is follows from the iteration that it begins with.

use std::ffi::{c_int, c_long, c_uint, c_ulong, c_void};

use crosscut_events::{TaskId, WaitKind};

use super::task::{Copy, Header, Original, begin, end, flag, kind_of, layout, manner, with_block};
use super::{Body, ask, entry, real, slot, stub, with};
use crate::thread::{self, Thread};

/// How a loop is cut: first some larger tasks, then smaller ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cut {
    larger: u64,
    larger_count: u64,
    smaller: u64,
    count: u64,
}

impl Cut {
    /// Tasks of two sizes that differ by one.
    fn even(iterations: u64, count: u64) -> Self {
        let (size, rest) = (iterations / count, iterations % count);
        Cut { larger: size + 1, larger_count: rest, smaller: size, count }
    }

    /// So many iterations with this clause; `number` is a grain size, or a number of tasks.
    fn new(iterations: u64, bits: u32, number: u64, threads: u64) -> Self {
        let alike = |size: u64, count: u64| Cut { larger: size, larger_count: 0, smaller: size, count };
        if bits & flag::GRAINSIZE == 0 {
            let count = if number == 0 { threads.max(1) } else { number };
            return if count >= iterations { alike(1, iterations) } else { Cut::even(iterations, count) };
        }
        let size = number.max(1);
        let (count, rest) = (iterations / size, iterations % size);
        match () {
            () if bits & flag::STRICT != 0 && rest != 0 => {
                Cut { larger: size, larger_count: count, smaller: rest, count: count + 1 }
            }
            () if bits & flag::STRICT != 0 => alike(size, count),
            () if count <= 1 => alike(iterations, 1),
            () if count >= size => Cut { larger: size + 1, larger_count: rest, smaller: size, count },
            () => Cut::even(iterations, count),
        }
    }

    /// Which task begins with this iteration.
    fn index(&self, iteration: u64) -> u64 {
        let border = self.larger.saturating_mul(self.larger_count);
        let index = match iteration.checked_sub(border) {
            None => iteration / self.larger.max(1),
            Some(beyond) => self.larger_count + beyond / self.smaller.max(1),
        };
        index.min(self.count.saturating_sub(1))
    }
}

/// What stands in front of the program's block. The tasks are numbered from the one in the header on; none there when each
/// is created right before it runs.
#[repr(C)]
#[derive(Clone, Copy)]
struct LoopHeader {
    base: Header,
    cut: Cut,
    start: u64,
    step: u64,
    down: bool,
    /// How tasks are created that run at once.
    how: u16,
}

/// The range of a loop, in words whose sign the rest says.
#[derive(Clone, Copy)]
struct Range {
    start: u64,
    step: u64,
    down: bool,
    iterations: u64,
}

impl Range {
    fn new(start: u64, end: u64, step: u64, down: bool, is_empty: bool) -> Self {
        let step = if down { step.wrapping_neg() } else { step };
        let distance = if down { start.wrapping_sub(end) } else { end.wrapping_sub(start) };
        let iterations = if is_empty { 0 } else { distance.div_ceil(step.max(1)) };
        Range { start, step, down, iterations }
    }
}

/// The arguments that both forms share.
#[derive(Clone, Copy)]
struct Call {
    body: Body,
    data: *mut c_void,
    copy: Option<Copy>,
    size: c_long,
    align: c_long,
    bits: c_uint,
    number: c_ulong,
}

macro_rules! taskloop {
    ($name:ident, $type:ty, |$start:ident, $end:ident, $step:ident, $bits:ident| $range:expr) => {
        slot!($name);
        const _: () = {
    stub!($name(=) => inner);
            #[allow(clippy::too_many_arguments)]
            unsafe extern "C-unwind" fn inner(
                body: Body,
                data: *mut c_void,
                copy: Option<Copy>,
                size: c_long,
                align: c_long,
                $bits: c_uint,
                number: c_ulong,
                priority: c_int,
                $start: $type,
                $end: $type,
                $step: $type,
            ) {
                type Taskloop = unsafe extern "C-unwind" fn(
                    Body,
                    *mut c_void,
                    Option<Copy>,
                    c_long,
                    c_long,
                    c_uint,
                    c_ulong,
                    c_int,
                    $type,
                    $type,
                    $type,
                );
                let real = real!($name, body as usize);
                let call = |body, data, copy, size, align| {
                    // SAFETY: that is its type; the caller's own call.
                    unsafe {
                        real.function::<Taskloop>()(
                            body, data, copy, size, align, $bits, number, priority, $start, $end, $step,
                        )
                    }
                };
                if real.is_quiet() {
                    return call(body, data, copy, size, align);
                }
                let given = Call { body, data, copy, size, align, bits: $bits, number };
                // SAFETY: the caller's own call.
                unsafe { taskloop(given, $range, call) }
            }
        };
    };
}

taskloop!(GOMP_taskloop, c_long, |start, end, step, bits| {
    let is_empty = if step > 0 { start >= end } else { start <= end };
    Range::new(start as u64, end as u64, step as u64, step < 0, is_empty)
});

taskloop!(GOMP_taskloop_ull, u64, |start, end, step, bits| {
    let down = bits & flag::UP == 0;
    Range::new(start, end, step, down, if down { start <= end } else { start >= end })
});

/// Makes the call: groups, creates, waits.
unsafe fn taskloop(
    given: Call,
    range: Range,
    call: impl FnOnce(Body, *mut c_void, Option<Copy>, c_long, c_long),
) {
    let Call { body, data, copy, size, align, bits, .. } = given;
    let (offset, align_both) = layout::<LoopHeader>(align);
    let groups = bits & flag::NO_GROUP == 0;
    let header = with(|thread| {
        let header = header(thread, &given, range, offset);
        if groups && header.base.task != TaskId::NONE {
            thread.wait(WaitKind::Group, entry(body));
        }
        header
    });
    let Some(mut header) = header else { return call(body, data, copy, size, align) };
    if bits & flag::REDUCTION != 0 {
        // SAFETY: the flag says that the third word of the program's block is a pointer, which libgomp reads.
        header.base.words[2] = unsafe { data.cast::<usize>().add(2).read() };
    }
    let size_both = offset as c_long + size;
    match copy {
        Some(copy) => {
            let mut original = Original { header, copy, data };
            call(run, (&raw mut original).cast(), Some(copy_task), size_both, align_both as c_long);
        }
        None => {
            let call = |block: Option<*mut u8>| match block {
                Some(block) => call(run, block.cast(), None, size_both, align_both as c_long),
                None => call(body, data, None, size, align),
            };
            // SAFETY: the program's block has this size.
            unsafe { with_block(header, offset, align_both, data, size as usize, call) }
        }
    }
    if groups {
        thread::with(|thread| {
            if header.base.task == TaskId::NONE {
                thread.wait(WaitKind::Group, entry(body));
            }
            thread.wait_end();
        });
    }
}

/// Creates the tasks, unless they run at once whatever happens: then each is created when it begins.
fn header(thread: &mut Thread, given: &Call, range: Range, offset: usize) -> LoopHeader {
    let Call { body, bits, number, .. } = *given;
    let code = entry(body);
    let how = manner(thread, bits, bits & flag::IF != 0);
    let scope = thread.gomp.scope;
    let at_once = bits & flag::IF == 0 || scope.is_final || !scope.in_team;
    if bits & flag::NO_GROUP == 0 {
        thread.group(code);
    }
    let mut first = TaskId::NONE;
    let mut cut = Cut::even(0, 1);
    if !at_once {
        let threads = ask!(omp_get_num_threads, body as usize);
        cut = Cut::new(range.iterations, bits, number, threads.max(1) as u64);
        for at in 0..cut.count {
            let task = thread.create(code, how);
            first = if at == 0 { task } else { first };
        }
    }
    let kind = kind_of(thread, bits);
    let base = Header { words: [0; 3], body, task: first, offset: offset as u32, kind };
    LoopHeader { base, cut, start: range.start, step: range.step, down: range.down, how }
}

/// Copies a block as the program wants it.
unsafe extern "C-unwind" fn copy_task(to: *mut c_void, from: *mut c_void) {
    let original: *mut Original<LoopHeader> = from.cast();
    // SAFETY: libgomp got this from `taskloop`, and made room for header and block.
    unsafe {
        let header = (*original).header;
        to.cast::<LoopHeader>().write(header);
        ((*original).copy)(to.byte_add(header.base.offset as usize), (*original).data);
    }
}

/// Runs a task. libgomp wrote the range of the task to the header, where the program's block would begin.
unsafe extern "C-unwind" fn run(block: *mut c_void) {
    // SAFETY: libgomp got this block from `taskloop`, or made it by `copy_task`.
    let header = unsafe { block.cast::<LoopHeader>().read() };
    let Header { words, body, task: first, offset, kind } = header.base;
    let data = block.wrapping_byte_add(offset as usize);
    // SAFETY: the program's block begins with the range.
    unsafe { data.cast::<[usize; 2]>().write([words[0], words[1]]) };
    let task = if first == TaskId::NONE {
        with(|thread| thread.create(entry(body), header.how)).unwrap_or(TaskId::NONE)
    } else {
        let from = words[0] as u64;
        let distance =
            if header.down { header.start.wrapping_sub(from) } else { from.wrapping_sub(header.start) };
        TaskId(first.0 + header.cut.index(distance / header.step.max(1)))
    };
    let outer = begin(task, body, kind);
    // SAFETY: the program's own body and block.
    unsafe { body(data) };
    end(outer);
}

#[cfg(test)]
mod tests {
    use super::{Cut, flag};

    /// The sizes of the tasks, in order.
    fn sizes(iterations: u64, bits: u32, number: u64) -> Vec<u64> {
        let cut = Cut::new(iterations, bits, number, 4);
        let sizes: Vec<u64> =
            (0..cut.count).map(|at| if at < cut.larger_count { cut.larger } else { cut.smaller }).collect();
        let mut begin = 0;
        for (at, size) in sizes.iter().enumerate() {
            assert_eq!(cut.index(begin), at as u64, "{iterations} {bits:#x} {number}");
            begin += size;
        }
        assert_eq!(begin, iterations, "{iterations} {bits:#x} {number}");
        sizes
    }

    #[test]
    fn loops_are_cut_as_libgomp_cuts_them() {
        assert_eq!(sizes(10, 0, 0), [3, 3, 2, 2]);
        assert_eq!(sizes(10, 0, 3), [4, 3, 3]);
        assert_eq!(sizes(3, 0, 10), [1, 1, 1]);
        assert_eq!(sizes(10, flag::GRAINSIZE, 3), [4, 3, 3]);
        assert_eq!(sizes(10, flag::GRAINSIZE, 4), [5, 5]);
        assert_eq!(sizes(10, flag::GRAINSIZE, 20), [10]);
        assert_eq!(sizes(11, flag::GRAINSIZE, 2), [3, 2, 2, 2, 2]);
        assert_eq!(sizes(11, flag::GRAINSIZE | flag::STRICT, 4), [4, 4, 3]);
        assert_eq!(sizes(8, flag::GRAINSIZE | flag::STRICT, 4), [4, 4]);
        assert_eq!(sizes(3, flag::GRAINSIZE | flag::STRICT, 4), [3]);
        for iterations in 1..60 {
            for number in 1..70 {
                for bits in [0, flag::GRAINSIZE, flag::GRAINSIZE | flag::STRICT] {
                    sizes(iterations, bits, number);
                }
            }
        }
    }
}
