//! The workbench over some runs, as Python asks it: questions as text, tables, pictures.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crosscut_import::{Options, Progress};
use crosscut_run::Run;
use crosscut_scene::Scene;
use crosscut_scene::marks::NONE;
use crosscut_scene::palette::Theme;
use crosscut_scene::png::png;
use crosscut_scene::printable::printable;
use crosscut_scene::svg::svg;
use crosscut_tree::NodeId;
use crosscut_view::REGISTRY;
use crosscut_workbench::{
    Client, LensSpec, Look, OpenRun, Scope, Settings, Shown, Sink, TreeKey, TreeLook, TreeRef, Which,
    Workbench, failure,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Deserialize;

use crate::table::Table;
use crate::{freely, refused};

/// Which data counts in a table.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Over {
    scope: Scope,
    trees: BTreeMap<TreeKey, TreeLook>,
}

/// Runs that are open together.
#[pyclass(module = "crosscut", frozen)]
pub struct Bench {
    bench: Workbench,
    client: Client,
}

/// One who asks: its questions have numbers of their own, and it can give them up.
#[pyclass(module = "crosscut", frozen)]
pub struct Asker {
    bench: Py<Bench>,
    client: Client,
}

#[pymethods]
impl Asker {
    /// Answers a question of the page: every message goes to `send`, the last one without progress.
    fn answer(&self, py: Python<'_>, question: &str, send: Py<PyAny>) -> PyResult<()> {
        self.bench.get().told(py, question, &self.client, &send)
    }

    /// Gives up everything that was asked.
    fn cancel(&self) {
        self.client.cancel_all();
    }
}

/// Hands every message to Python.
struct Told<'a> {
    send: &'a Py<PyAny>,
    /// The first error that Python raised.
    raised: Mutex<Option<PyErr>>,
}

impl Sink for Told<'_> {
    fn send(&self, message: Vec<u8>) {
        let told = Python::with_gil(|py| self.send.call1(py, (PyBytes::new(py, &message),)).map(drop));
        if let Err(error) = told {
            self.raised.lock().unwrap_or_else(|broken| broken.into_inner()).get_or_insert(error);
        }
    }
}

#[pymethods]
impl Bench {
    /// Opens runs.
    #[new]
    fn new(py: Python<'_>, paths: Vec<PathBuf>) -> PyResult<Self> {
        freely(py, || {
            let open = |path: &PathBuf| -> Result<OpenRun, PyErr> {
                let run = Run::open(path).map_err(refused)?;
                OpenRun::open(run, REGISTRY, &Settings::new()).map_err(|refusal| refused(refusal.0))
            };
            let runs = paths.iter().map(open).collect::<Result<Vec<_>, _>>()?;
            Ok(Bench { bench: Workbench::new(runs, env!("CARGO_PKG_VERSION")), client: Client::default() })
        })
    }

    /// Answers a question of the page: every message goes to `send`, the last one without progress.
    fn answer(&self, py: Python<'_>, question: &str, send: Py<PyAny>) -> PyResult<()> {
        self.told(py, question, &self.client, &send)
    }

    /// Another one who asks.
    fn asker(slf: Py<Self>) -> Asker {
        Asker { bench: slf, client: Client::default() }
    }

    /// A failure as a message, for a question that nobody can answer.
    #[staticmethod]
    fn failure<'py>(py: Python<'py>, id: u32, why: &str) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &failure(id, why))
    }

    /// What is inside a run, as JSON: what `crosscut info --json` says.
    fn info(&self, py: Python<'_>, run: usize) -> PyResult<String> {
        freely(py, || text(self.bench.info_json(run)))
    }

    /// What costs time in a run, as JSON: what `crosscut report --json` says.
    fn report(&self, py: Python<'_>, run: usize) -> PyResult<String> {
        freely(py, || text(self.bench.report_json(run)))
    }

    /// One line about a run.
    fn line(&self, py: Python<'_>, run: usize) -> PyResult<String> {
        let line = freely(py, || self.bench.line(run).map_err(|refusal| refused(refusal.0)))?;
        Ok(printable(&line).into_owned())
    }

    /// Tables of a run: name, and what a row is.
    fn frames(&self, py: Python<'_>, run: usize) -> PyResult<Vec<(String, String)>> {
        freely(py, || {
            let frames = self.bench.frames(run).map_err(|refusal| refused(refusal.0))?;
            Ok(frames.iter().map(|frame| (frame.name.to_owned(), frame.about.to_owned())).collect())
        })
    }

    /// A table by its name.
    #[pyo3(signature = (run, name, columns = None))]
    fn frame(&self, py: Python<'_>, run: usize, name: &str, columns: Option<Vec<String>>) -> PyResult<Table> {
        freely(py, || {
            let made = self.bench.frame(run, name, columns.as_deref());
            made.map(Table::new).map_err(|refusal| refused(refusal.0))
        })
    }

    /// The nodes of a tree as a table; `over` is the scope of a look as JSON, with the trees of that look.
    #[pyo3(signature = (run, tree, options, lens = None, nodes = None, columns = None, over = None))]
    #[allow(clippy::too_many_arguments, reason = "each has a name in Python")]
    fn tree_frame(
        &self,
        py: Python<'_>,
        run: usize,
        tree: String,
        options: BTreeMap<String, String>,
        lens: Option<(String, Option<f64>)>,
        nodes: Option<Vec<u32>>,
        columns: Option<Vec<String>>,
        over: Option<&str>,
    ) -> PyResult<Table> {
        let over: Over = over.map_or(Ok(Over::default()), serde_json::from_str).map_err(refused)?;
        let tree = TreeRef { key: TreeKey::from(tree), with: options.into_iter().collect() };
        let which = match (lens, nodes) {
            (_, Some(nodes)) => Which::These(nodes.into_iter().map(NodeId).collect()),
            (Some((name, value)), None) => Which::Lens(LensSpec { name, value }),
            (None, None) => Which::All,
        };
        freely(py, || {
            let part = (&over.scope, &over.trees);
            let made = self.bench.tree_frame_of(run, &tree, &which, part, columns.as_deref());
            made.map(Table::new).map_err(|refusal| refused(refusal.0))
        })
    }

    /// The nodes of the view's first tree that a picture has marks for, in order.
    fn shown(&self, py: Python<'_>, look: &str) -> PyResult<Vec<u32>> {
        let look: Look = serde_json::from_str(look).map_err(refused)?;
        freely(py, || {
            let drawn = self.bench.draw(&look).map_err(|refusal| refused(refusal.0))?;
            let Shown::Scene(Scene { boxes, points, polygons, .. }) = drawn.shown else {
                return Err(refused(format!("{} is a sheet of words and has no picture", look.view)));
            };
            let marks =
                [(&boxes.tree, &boxes.node), (&points.tree, &points.node), (&polygons.tree, &polygons.node)];
            let of = |(trees, nodes): (&Vec<u8>, &Vec<u32>)| -> Vec<u32> {
                let both = trees.iter().zip(nodes);
                both.filter(|&(&tree, &node)| tree == 0 && node != NONE).map(|(_, &node)| node).collect()
            };
            let nodes: BTreeSet<u32> = marks.into_iter().flat_map(of).collect();
            Ok(nodes.into_iter().collect())
        })
    }

    /// A look as a picture: "png" or "svg".
    fn picture<'py>(
        &self,
        py: Python<'py>,
        look: &str,
        form: &str,
        dark: bool,
        scale: f32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let look: Look = serde_json::from_str(look).map_err(refused)?;
        let theme = if dark { Theme::DARK } else { Theme::LIGHT };
        let bytes = freely(py, || {
            let drawn = self.bench.draw(&look).map_err(|refusal| refused(refusal.0))?;
            let Shown::Scene(scene) = drawn.shown else {
                return Err(refused(format!("{} is a sheet of words and has no picture", look.view)));
            };
            match form {
                "svg" => Ok(svg(&scene, &theme).into_bytes()),
                "png" => png(&scene, &theme, scale).map_err(refused),
                _ => Err(refused(format!("a picture is \"png\" or \"svg\", not \"{form}\""))),
            }
        })?;
        Ok(PyBytes::new(py, &bytes))
    }
}

impl Bench {
    fn told(&self, py: Python<'_>, question: &str, client: &Client, send: &Py<PyAny>) -> PyResult<()> {
        let told = Told { send, raised: Mutex::default() };
        freely(py, || {
            match self.bench.read(question) {
                Ok(asked) => self.bench.answer(&asked, client, &told),
                Err(message) => told.send(message),
            }
            Ok(())
        })?;
        match told.raised.into_inner().unwrap_or_else(|broken| broken.into_inner()) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

fn text<T: serde::Serialize>(made: Result<T, crosscut_workbench::Refusal>) -> PyResult<String> {
    let made = made.map_err(|refusal| refused(refusal.0))?;
    serde_json::to_string(&made).map_err(refused)
}

/// Keeps what a reader has to say.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Progress for Notes {
    fn advance(&self, _done: u64, _total: u64) {}

    fn note(&self, note: &str) {
        self.0.lock().unwrap_or_else(|broken| broken.into_inner()).push(note.to_owned());
    }
}

/// Makes a run of foreign files; returns what the reader has to say.
#[pyfunction]
#[pyo3(signature = (inputs, target, format = None, clock_hz = None))]
pub fn import_files(
    py: Python<'_>,
    inputs: Vec<PathBuf>,
    target: PathBuf,
    format: Option<String>,
    clock_hz: Option<f64>,
) -> PyResult<Vec<String>> {
    freely(py, || {
        let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
        let notes = Notes::default();
        crosscut_import::import_set(&inputs, &target, &Options { format, clock_hz }, &notes)
            .map_err(refused)?;
        let notes = notes.0.into_inner().unwrap_or_else(|broken| broken.into_inner());
        Ok(notes.iter().map(|note| printable(note).into_owned()).collect())
    })
}
