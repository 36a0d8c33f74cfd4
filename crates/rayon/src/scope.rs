//! `scope`: any number of tasks that may use what lives outside of it. Recorded as a section whose wait is for descendants
//! too, since tasks of a scope may spawn into it.

use crate::recorder::{Code, Recorder, Section, Task, here, recorder};

/// [`rayon::Scope`], recorded.
#[repr(transparent)]
pub struct Scope<'scope>(rayon::Scope<'scope>);

impl<'scope> Scope<'scope> {
    fn of<'a>(scope: &'a rayon::Scope<'scope>) -> &'a Self {
        // SAFETY: `Scope` is transparent.
        unsafe { &*std::ptr::from_ref(scope).cast::<Self>() }
    }

    /// [`rayon::Scope::spawn`], recorded.
    #[inline(always)]
    pub fn spawn<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&Scope<'scope>) + Send + 'scope,
    {
        match recorder() {
            None => self.0.spawn(|scope| body(Scope::of(scope))),
            Some(recorder) => {
                let task = Task::create(recorder, Code(here()));
                self.0.spawn(move |scope| task.run(recorder, || body(Scope::of(scope))));
            }
        }
    }
}

impl std::fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// [`rayon::scope`], recorded.
///
/// ```
/// let mut parts = [0; 4];
/// crosscut_rayon::scope(|s| {
///     for (i, part) in parts.iter_mut().enumerate() {
///         s.spawn(move |_| *part = i * i);
///     }
/// });
/// assert_eq!(parts, [0, 1, 4, 9]);
/// ```
#[inline(always)]
pub fn scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R + Send,
    R: Send,
{
    match recorder() {
        None => rayon::scope(|scope| op(Scope::of(scope))),
        Some(recorder) => recorded(recorder, Code(here()), op),
    }
}

#[inline(never)]
fn recorded<'scope, OP, R>(recorder: &'static Recorder, code: Code, op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R + Send,
    R: Send,
{
    let section = Section::open(recorder, code.0);
    rayon::scope(|scope| {
        let _waits_after = section.go_on(recorder.group_wait, code);
        op(Scope::of(scope))
    })
}
