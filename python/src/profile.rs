//! Call paths as Python works with them: the profile of a run, or what an operation made of one. Every operation gives a new
//! profile or a table; nothing changes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crosscut_calls::graph::{Filter, Split};
use crosscut_calls::spread::{fit, imbalance};
use crosscut_calls::{
    Arithmetic, By, Callers, Calls, LeftOut, MOST_CALLERS, Making, Map, Paths, Profile as Made, Query,
    SuperGraph, Unit, combine, ensemble, flat, hot_path, prune, squash, subtree_sums,
};
use crosscut_run::Run;
use crosscut_tree::{NodeId, NodeSet};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::at::At;
use crate::rows;
use crate::table::Table;
use crate::{freely, refused};

/// Number of places, slope, start, r, r², error of the slope.
type Line = (usize, f64, f64, f64, f64, f64);

/// Where call paths are.
pub enum Held {
    /// In a run.
    Run(Calls),
    /// In memory.
    Made(Made),
    /// Some columns of others.
    At(At),
}

impl Held {
    pub fn paths(&self) -> &dyn Paths {
        match self {
            Held::Run(calls) => calls,
            Held::Made(made) => made,
            Held::At(at) => at,
        }
    }
}

/// Call paths with values, by place of a run or by run of an ensemble.
#[pyclass(module = "crosscut", frozen)]
pub struct Profile {
    held: Arc<Held>,
    /// What the columns are: places, or runs.
    columns: Vec<String>,
    /// What the metrics of the run count, by name.
    units: Arc<BTreeMap<String, Unit>>,
}

impl Profile {
    /// What an operation on this one made.
    fn made(&self, made: Made, columns: Vec<String>) -> Self {
        Profile { held: Arc::new(Held::Made(made)), columns, units: Arc::clone(&self.units) }
    }

    fn metric(&self, name: &str) -> PyResult<usize> {
        let names = self.held.paths().metric_names();
        let found = names.iter().position(|other| *other == name);
        found.ok_or_else(|| refused(format!("there is no metric `{name}`; there are {}", names.join(", "))))
    }

    /// One byte for each node: 0 where it is not chosen.
    fn chosen(&self, mask: &[u8]) -> PyResult<NodeSet> {
        let n = self.held.paths().node_count();
        if mask.len() != n {
            return Err(refused(format!(
                "there are {n} nodes, and {} were said to be in or out",
                mask.len()
            )));
        }
        Ok(NodeSet::from_fn(n, |node| mask.get(node.index()).is_some_and(|&byte| byte != 0)))
    }

    /// What was spent in some nodes, by place or run.
    fn at_columns(&self, metric: &str, mask: &[u8]) -> PyResult<Vec<f64>> {
        let (metric, chosen) = (self.metric(metric)?, self.chosen(mask)?);
        let paths = self.held.paths();
        let of =
            |column| chosen.iter().filter_map(move |node| paths.column(metric, column).get(node.index()));
        Ok((0..paths.column_count()).map(|at| of(at).map(|&value| value as f64).sum()).collect())
    }
}

/// One byte for each node: 1 where it is chosen.
fn mask<'py>(py: Python<'py>, nodes: usize, chosen: &NodeSet) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = (0..nodes as u32).map(|node| u8::from(chosen.contains(NodeId(node)))).collect();
    PyBytes::new(py, &bytes)
}

#[pymethods]
impl Profile {
    /// The call profile of a run.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        freely(py, || {
            let run = Arc::new(Run::open(&path).map_err(refused)?);
            let calls = Calls::open(run).map_err(refused)?;
            let columns = (0..calls.place_count()).map(|place| calls.place_title(place).to_owned()).collect();
            let units =
                calls.summary().metrics.iter().map(|metric| (metric.name.clone(), metric.unit)).collect();
            Ok(Profile { held: Arc::new(Held::Run(calls)), columns, units: Arc::new(units) })
        })
    }

    fn __len__(&self) -> usize {
        self.held.paths().node_count()
    }

    #[getter]
    fn metrics(&self) -> Vec<String> {
        self.held.paths().metric_names().into_iter().map(str::to_owned).collect()
    }

    /// What a metric counts: "ns", "count", "bytes", or "micro" for millionths of something that the file does not name.
    fn unit(&self, metric: &str) -> PyResult<&'static str> {
        self.metric(metric)?;
        Ok(match self.units.get(metric).copied().unwrap_or_default() {
            Unit::Ns => "ns",
            Unit::Count => "count",
            Unit::Bytes => "bytes",
            Unit::Micro => "micro",
        })
    }

    #[getter]
    fn columns(&self) -> Vec<String> {
        self.columns.clone()
    }

    /// Every call path, in pre-order.
    #[pyo3(signature = (columns = None))]
    fn frame(&self, py: Python<'_>, columns: Option<Vec<String>>) -> PyResult<Table> {
        freely(py, || {
            let made = rows::paths(self.held.paths(), columns.as_deref());
            made.map(Table::new).map_err(|refusal| refused(refusal.0))
        })
    }

    /// Every call path with a column for each place or run.
    fn spread(&self, py: Python<'_>, metric: &str, inclusive: bool) -> PyResult<Table> {
        let metric = self.metric(metric)?;
        freely(py, || {
            let made = rows::spread(self.held.paths(), metric, inclusive, &self.columns);
            made.map(Table::new).map_err(refused)
        })
    }

    /// The nodes that a path query finds, a byte for each node.
    fn query<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyBytes>> {
        let found = freely(py, || {
            Query::parse(text).and_then(|query| query.nodes(self.held.paths())).map_err(refused)
        })?;
        Ok(mask(py, self.__len__(), &found))
    }

    /// What is wrong with a path query, if anything is.
    #[staticmethod]
    fn wrong_with(text: &str) -> Option<String> {
        Query::parse(text).err().map(|error| error.to_string())
    }

    /// The same call paths, with values at some places (or in some runs) alone.
    fn at(&self, py: Python<'_>, columns: Vec<usize>) -> PyResult<Profile> {
        let all = self.held.paths().column_count();
        if let Some(wrong) = columns.iter().find(|&&column| column >= all) {
            return Err(refused(format!("there is no place {wrong}: there are {all}, from 0 on")));
        }
        let names = columns.iter().filter_map(|&column| self.columns.get(column).cloned()).collect();
        let at = freely(py, || Ok(At::new(Arc::clone(&self.held), columns)))?;
        Ok(Profile { held: Arc::new(Held::At(at)), columns: names, units: Arc::clone(&self.units) })
    }

    /// Only some nodes, each below its nearest caller that is kept; what is left out stays in that caller, or goes.
    fn squash(&self, py: Python<'_>, keep: &[u8], stays: bool) -> PyResult<Profile> {
        let keep = self.chosen(keep)?;
        let left_out = if stays { LeftOut::Stays } else { LeftOut::Goes };
        let made = freely(py, || Ok(squash(self.held.paths(), &keep, left_out)))?;
        Ok(self.made(made, self.columns.clone()))
    }

    /// What stands out, with its callers: both a byte for each node; whether nothing does and the hot path is kept; surrogates.
    fn prune<'py>(
        &self,
        py: Python<'py>,
        metric: &str,
        k: f64,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, bool, Table)> {
        let metric = self.metric(metric)?;
        let paths = self.held.paths();
        let n = paths.node_count();
        let pruned = freely(py, || {
            let own: Vec<f64> = (0..n).map(|node| paths.sum(metric, node..node + 1) as f64).collect();
            let inclusive: Vec<f64> =
                (0..n as u32).map(|node| paths.with_callees(metric, NodeId(node)) as f64).collect();
            Ok(prune(paths.tree(), &own, &inclusive, k, || hot_path(paths, metric, NodeId::ROOT)))
        })?;
        let kept = NodeSet::from_nodes(n, pruned.kept.iter().copied());
        let surrogates = rows::surrogates(&pruned.surrogates).map_err(refused)?;
        Ok((mask(py, n, &pruned.outliers), mask(py, n, &kept), pruned.by_hot_path, Table::new(surrogates)))
    }

    /// Functions, whoever called them.
    fn flat(&self, py: Python<'_>, metric: &str) -> PyResult<Table> {
        let metric = self.metric(metric)?;
        freely(py, || {
            let mut rows = flat(self.held.paths(), metric);
            // Frames of a run of which no call path is left.
            rows.retain(|row| row.paths > 0);
            rows::flat(self.held.paths(), &rows).map(Table::new).map_err(refused)
        })
    }

    /// Functions, and below them those that called them.
    fn callers(&self, py: Python<'_>) -> PyResult<Table> {
        let made = freely(py, || {
            let callers = Callers::of(self.held.paths(), MOST_CALLERS).map_err(refused)?;
            rows::callers(self.held.paths(), &callers).map_err(refused)
        })?;
        Ok(Table::new(made))
    }

    /// From the program down while one child has at least half of its parent: the nodes.
    fn hot_path(&self, py: Python<'_>, metric: &str) -> PyResult<Vec<u32>> {
        let metric = self.metric(metric)?;
        freely(py, || {
            let path = hot_path(self.held.paths(), metric, NodeId::ROOT);
            Ok(path.into_iter().map(|node| node.0).collect())
        })
    }

    /// Super nodes and the calls between them.
    #[allow(clippy::too_many_arguments, reason = "each has a name in Python")]
    fn graph(
        &self,
        py: Python<'_>,
        metric: &str,
        map: &str,
        rules: &str,
        filter: f64,
        back: Vec<String>,
        split: &str,
    ) -> PyResult<(Table, Table)> {
        let by = By::from_word(map).ok_or_else(|| {
            refused(format!("there is no map `{map}`; there are module, library, file, function"))
        })?;
        let splits = Split::list_from_text(split).map_err(|wrong| {
            refused(format!(
                "split: write `caller NAME`, `entry NAME` or `entry NAME > FUNCTION`, not `{wrong}`"
            ))
        })?;
        let making = Making {
            metric: self.metric(metric)?,
            map: Map::with_rules(by, rules).map_err(refused)?,
            filter: Filter { share: filter, back },
            splits,
        };
        let (nodes, edges) = freely(py, || {
            let graph = match &*self.held {
                Held::Run(calls) => SuperGraph::of(calls, &making),
                Held::Made(made) => SuperGraph::of(made, &making),
                Held::At(at) => SuperGraph::of(at, &making),
            };
            rows::graph(&graph, &self.metrics()).map_err(refused)
        })?;
        Ok((Table::new(nodes), Table::new(edges)))
    }

    /// How uneven each node is over places or runs.
    fn imbalance(&self, py: Python<'_>, metric: &str, inclusive: bool) -> PyResult<Table> {
        let metric = self.metric(metric)?;
        freely(py, || {
            let spread = rows::by_column(self.held.paths(), metric, inclusive);
            let n = self.held.paths().node_count();
            let uneven = (0..n).map(|node| {
                let values: Vec<i64> =
                    spread.iter().map(|column| column.get(node).copied().unwrap_or(0)).collect();
                imbalance(&values).unwrap_or_default()
            });
            let made = rows::imbalance(self.held.paths(), &uneven.collect::<Vec<_>>(), &self.columns);
            made.map(Table::new).map_err(refused)
        })
    }

    /// Values of some nodes over places beside those of others.
    fn correlation(
        &self,
        py: Python<'_>,
        metrics: (String, String),
        x: &[u8],
        y: &[u8],
    ) -> PyResult<Option<Line>> {
        freely(py, || {
            let found = fit(&self.at_columns(&metrics.0, x)?, &self.at_columns(&metrics.1, y)?);
            Ok(found.map(|fit| (fit.n, fit.slope, fit.start, fit.r, fit.r2, fit.error)))
        })
    }

    /// Values of two profiles over one tree: "+" and "-" give a profile.
    fn join(&self, py: Python<'_>, other: &Profile, minus: bool) -> PyResult<Profile> {
        let (a, b) = (self.held.paths(), other.held.paths());
        let made = freely(py, || crosscut_calls::join(a, b, minus).map_err(refused))?;
        let columns = if made.column_count() == 1 { vec!["all".to_owned()] } else { self.columns.clone() };
        Ok(self.made(made, columns))
    }

    /// The same for products and quotients, which are a table.
    fn combine(&self, py: Python<'_>, other: &Profile, divided: bool) -> PyResult<Table> {
        let how = if divided { Arithmetic::Divided } else { Arithmetic::Times };
        let (a, b) = (self.held.paths(), other.held.paths());
        let made = freely(py, || {
            // Of all places together.
            let (a, b) = (ensemble(&[a]).map_err(refused)?, ensemble(&[b]).map_err(refused)?);
            let combined = combine(&a, &b, how).map_err(refused)?;
            rows::combined(&combined).map_err(refused)
        })?;
        Ok(Table::new(made))
    }

    /// By node: the sum over its subtree, of any whole numbers, 8 bytes each.
    fn subtree_sums<'py>(&self, py: Python<'py>, values: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let (words, rest) = values.as_chunks::<8>();
        let values: Vec<i64> = words.iter().map(|word| i64::from_ne_bytes(*word)).collect();
        if !rest.is_empty() || values.len() != self.__len__() {
            return Err(refused(format!("there are {} nodes, and {} values", self.__len__(), values.len())));
        }
        let sums = freely(py, || Ok(subtree_sums(self.held.paths().tree(), &values)))?;
        let bytes: Vec<u8> = sums.into_iter().flat_map(i64::to_ne_bytes).collect();
        Ok(PyBytes::new(py, &bytes))
    }

    /// Many runs as one profile, with a column for each.
    #[staticmethod]
    fn ensemble(py: Python<'_>, profiles: Vec<Py<Profile>>, names: Vec<String>) -> PyResult<Profile> {
        let held: Vec<Arc<Held>> = profiles.iter().map(|profile| Arc::clone(&profile.get().held)).collect();
        let made = freely(py, || {
            let paths: Vec<&dyn Paths> = held.iter().map(|held| held.paths()).collect();
            ensemble(&paths).map_err(refused)
        })?;
        let first = profiles.first().ok_or_else(|| refused("an ensemble needs at least one run"))?;
        Ok(first.get().made(made, names))
    }
}
