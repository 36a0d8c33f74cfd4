//! `join`: two closures, perhaps at the same time. Recorded as Cilk would: the second is a created task, the first goes on
//! in the task that calls.

use rayon::FnContext;

use crate::recorder::{Code, Recorder, Section, Task, here, recorder};

/// [`rayon::join`], recorded.
///
/// ```
/// let mut values = [1, 2, 3, 4];
/// let (left, right) = values.split_at_mut(2);
/// crosscut_rayon::join(|| left.reverse(), || right.reverse());
/// assert_eq!(values, [2, 1, 4, 3]);
/// ```
#[inline(always)]
pub fn join<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    match recorder() {
        None => rayon::join(oper_a, oper_b),
        Some(recorder) => recorded(recorder, Code(here()), |_| oper_a(), |_| oper_b()),
    }
}

/// [`rayon::join_context`], recorded.
///
/// ```
/// let (a, b) = crosscut_rayon::join_context(|_| 1, |context| if context.migrated() { 2 } else { 3 });
/// assert!(a == 1 && (b == 2 || b == 3));
/// ```
#[inline(always)]
pub fn join_context<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    match recorder() {
        None => rayon::join_context(oper_a, oper_b),
        Some(recorder) => recorded(recorder, Code(here()), oper_a, oper_b),
    }
}

#[inline(never)]
fn recorded<A, B, RA, RB>(recorder: &'static Recorder, code: Code, oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    let section = Section::open(recorder, code.0);
    let task = Task::create(recorder, code);
    rayon::join_context(
        |context| {
            let _waits_after = section.go_on(recorder.wait, code);
            oper_a(context)
        },
        |context| task.run(recorder, || oper_b(context)),
    )
}
