//! Crosscut for Python: runs are opened by the same workbench that the page and the command line ask. Tables leave as Arrow
//! capsules, over the mapped columns themselves. Everything that takes long runs without Python's lock.

mod at;
mod bench;
mod profile;
mod rows;
mod table;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use crosscut_scene::printable::printable_lines;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyDict;

pyo3::create_exception!(crosscut, CrosscutError, PyException, "What Crosscut could not do, in a sentence.");

/// A refusal, as Python hears it: names in it come from files, and it is printed to a terminal.
fn refused(why: impl std::fmt::Display) -> PyErr {
    CrosscutError::new_err(printable_lines(&why.to_string()))
}

/// What is said of a panic, which has printed where it was.
const BUG: &str = "this met a bug in crosscut; please report it with what you did";

/// Something was asked: threads may wait for work that a child of this process does not have.
static USED: AtomicBool = AtomicBool::new(false);
/// This process is the child of one in which something was asked.
static FORKED: AtomicBool = AtomicBool::new(false);

/// What is said in a process that was forked.
const FORK: &str = "forked after crosscut was used: take multiprocessing.get_context(\"spawn\")";

/// Python calls it in every child that is forked.
#[pyfunction]
fn forked() {
    if USED.load(Ordering::Relaxed) {
        FORKED.store(true, Ordering::Relaxed);
    }
}

/// Works without Python's lock. A panic becomes an error like any other: Python's own for it passes by every `except Exception`, and
/// whoever waits for an answer would wait forever. And so does a file that was cut while its run is open: what is made of that
/// run cannot be used.
fn freely<T: Send>(py: Python<'_>, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    if FORKED.load(Ordering::Relaxed) {
        return Err(refused(FORK));
    }
    USED.store(true, Ordering::Relaxed);
    let done = py.allow_threads(|| crosscut_run::noticed(|| catch_unwind(AssertUnwindSafe(work))));
    let done = done.map_err(|cut| refused(format!("{cut}; close it, and open it again when it is whole")))?;
    done.unwrap_or_else(|_| Err(refused(BUG)))
}

/// A bug of ours, for tests of what Python hears of one.
#[cfg(debug_assertions)]
#[pyfunction]
fn panics(py: Python<'_>) -> PyResult<()> {
    freely(py, || panic!("as a test wants it"))
}

#[pymodule]
fn _crosscut(module: &Bound<'_, PyModule>) -> PyResult<()> {
    crosscut_run::notice_when_cut();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("CrosscutError", module.py().get_type::<CrosscutError>())?;
    module.add_class::<bench::Bench>()?;
    module.add_class::<bench::Asker>()?;
    module.add_class::<profile::Profile>()?;
    module.add_class::<table::Table>()?;
    module.add_function(wrap_pyfunction!(bench::import_files, module)?)?;
    let child = PyDict::new(module.py());
    child.set_item("after_in_child", wrap_pyfunction!(forked, module)?)?;
    module.py().import("os")?.getattr("register_at_fork")?.call((), Some(&child))?;
    #[cfg(debug_assertions)]
    module.setattr("_panics", wrap_pyfunction!(panics, module)?)?;
    Ok(())
}
