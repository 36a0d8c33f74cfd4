//! Places: where something ran. The first `workers` places stand for the workers themselves, whatever their core;
//! the others for one worker on one core.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use foldhash::{HashMap, HashMapExt};

use crate::error::RunError;

/// Several workers ran it.
pub const SEVERAL: u32 = u32::MAX;

/// One place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Rank of the process.
    pub process: i64,
    /// Worker within the run.
    pub worker: i64,
    /// Core, or −1 when not known or several.
    pub core: i64,
}

/// All places of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    list: Vec<Place>,
    workers: usize,
    index: HashMap<Place, u32>,
}

impl Places {
    /// Workers 0…workers of one process, cores not known.
    pub fn workers(workers: usize) -> Result<Self, RunError> {
        let list = (0..workers).map(|w| Place { process: 0, worker: w as i64, core: -1 }).collect();
        Self::from_list(list, workers)
    }

    /// So many workers of each process, numbered through.
    pub fn processes(workers: &[usize]) -> Result<Self, RunError> {
        let list: Vec<Place> = workers
            .iter()
            .enumerate()
            .flat_map(|(process, &count)| std::iter::repeat_n(process as i64, count))
            .enumerate()
            .map(|(worker, process)| Place { process, worker: worker as i64, core: -1 })
            .collect();
        let count = list.len();
        Self::from_list(list, count)
    }

    /// One worker for each of these ranks, which may occur several times: its threads.
    pub fn of_processes(ranks: &[i64]) -> Result<Self, RunError> {
        let place = |(worker, &process): (usize, &i64)| Place { process, worker: worker as i64, core: -1 };
        Self::from_list(ranks.iter().enumerate().map(place).collect(), ranks.len())
    }

    fn from_list(list: Vec<Place>, workers: usize) -> Result<Self, RunError> {
        if list.len() >= SEVERAL as usize {
            return Err(RunError::TooMany { what: "places", limit: SEVERAL as usize });
        }
        let mut index = HashMap::with_capacity(list.len());
        for (i, place) in list.iter().enumerate() {
            index.entry(*place).or_insert(i as u32);
        }
        Ok(Places { list, workers, index })
    }

    /// The place of a worker on a core, added when it is new.
    pub fn intern(&mut self, worker: usize, core: i64) -> Result<u32, RunError> {
        let Some(&Place { process, .. }) = self.list.get(worker).filter(|_| worker < self.workers) else {
            return Err(RunError::NoWorker { worker, workers: self.workers });
        };
        let place = Place { process, worker: worker as i64, core };
        if let Some(&id) = self.index.get(&place) {
            return Ok(id);
        }
        if self.list.len() + 1 >= SEVERAL as usize {
            return Err(RunError::TooMany { what: "places", limit: SEVERAL as usize });
        }
        let id = self.list.len() as u32;
        self.list.push(place);
        self.index.insert(place, id);
        Ok(id)
    }

    /// Number of workers.
    pub fn worker_count(&self) -> usize {
        self.workers
    }

    /// Number of places.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The place with this id.
    pub fn get(&self, id: u32) -> Option<Place> {
        self.list.get(id as usize).copied()
    }

    /// The worker of a place; `None` when several workers are meant.
    #[inline]
    pub fn worker(&self, id: u32) -> Option<usize> {
        self.list.get(id as usize).map(|place| place.worker as usize)
    }

    /// What two places have in common: the place, the worker, or nothing.
    #[inline]
    pub fn common(&self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        match (self.worker(a), self.worker(b)) {
            (Some(x), Some(y)) if x == y => x as u32,
            _ => SEVERAL,
        }
    }

    /// As a table.
    pub fn to_table(&self) -> RecordBatch {
        let column = |value: fn(&Place) -> i64| {
            Arc::new(Int64Array::from_iter_values(self.list.iter().map(value))) as Arc<dyn arrow_array::Array>
        };
        let field = |name| Field::new(name, DataType::Int64, false);
        let schema = Schema::new(vec![field("process"), field("worker"), field("core")]);
        let columns = vec![column(|p| p.process), column(|p| p.worker), column(|p| p.core)];
        RecordBatch::try_new(Arc::new(schema.clone()), columns)
            .unwrap_or_else(|_| RecordBatch::new_empty(Arc::new(schema)))
    }

    /// From a table; `None` when it is not one of places.
    pub fn from_table(table: &RecordBatch) -> Option<Self> {
        let column = |name: &str| Some(table.column_by_name(name)?.as_primitive_opt::<Int64Type>()?.values());
        let (process, worker, core) = (column("process")?, column("worker")?, column("core")?);
        let list: Vec<Place> = (0..table.num_rows())
            .map(|i| Place { process: process[i], worker: worker[i], core: core[i] })
            .collect();
        // The workers stand first, each at its own number; a place that names another worker is not ours.
        let workers =
            list.iter().enumerate().take_while(|(i, p)| p.worker == *i as i64 && p.core == -1).count();
        if list.iter().any(|p| p.worker < 0 || p.worker >= workers as i64) {
            return None;
        }
        Self::from_list(list, workers).ok()
    }
}
