//! Crosscut for Python: runs are opened by the same workbench that the page and the command line ask. Tables leave as Arrow
//! capsules, over the mapped columns themselves. Everything that takes long runs without Python's lock.

mod bench;
mod profile;
mod rows;
mod table;

use crosscut_scene::printable::printable_lines;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

pyo3::create_exception!(crosscut, CrosscutError, PyException, "What Crosscut could not do, in a sentence.");

/// A refusal, as Python hears it: names in it come from files, and it is printed to a terminal.
fn refused(why: impl std::fmt::Display) -> PyErr {
    CrosscutError::new_err(printable_lines(&why.to_string()))
}

#[pymodule]
fn _crosscut(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("CrosscutError", module.py().get_type::<CrosscutError>())?;
    module.add_class::<bench::Bench>()?;
    module.add_class::<bench::Asker>()?;
    module.add_class::<profile::Profile>()?;
    module.add_class::<table::Table>()?;
    module.add_function(wrap_pyfunction!(bench::import_files, module)?)?;
    Ok(())
}
