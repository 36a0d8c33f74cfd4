//! Where grains ran: pairs of a worker and a core, as the file numbers them, and the places of the run that they become.

use crosscut_run::Places;
use foldhash::HashMap;

use crate::error::ImportError;
use crate::input::Input;
use crate::limits::MAX_WORKERS;

/// The pairs of worker and core that occur.
#[derive(Debug, Default)]
pub struct Spots {
    list: Vec<(i64, i64)>,
    numbers: HashMap<(i64, i64), u32>,
}

/// What a spot becomes.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    pub place: u32,
    /// Worker of the run.
    pub worker: u32,
}

impl Spots {
    /// The number of a pair; −1 is a worker or a core that is not known.
    pub fn number(&mut self, worker: i64, core: i64) -> u32 {
        let list = &mut self.list;
        *self.numbers.entry((worker, core)).or_insert_with(|| {
            list.push((worker, core));
            list.len() as u32 - 1
        })
    }

    /// The file's number of the worker.
    pub fn worker(&self, spot: u32) -> i64 {
        self.list.get(spot as usize).map_or(-1, |&(worker, _)| worker)
    }

    /// Adds workers that ran nothing, with the lowest free numbers, until there are so many.
    pub fn fill_up(&mut self, workers: i64) {
        let mut taken: Vec<i64> = self.list.iter().map(|&(worker, _)| worker).collect();
        taken.sort_unstable();
        taken.dedup();
        let missing = workers.saturating_sub(taken.len() as i64).max(0);
        let free = (0..workers).filter(|worker| taken.binary_search(worker).is_err());
        for worker in free.take(missing as usize) {
            self.number(worker, -1);
        }
    }

    /// The places of the run. Its workers are those that occur, in the order of their numbers in the file.
    pub fn places(&self, input: &Input<'_>) -> Result<(Places, Vec<Spot>), ImportError> {
        let mut workers: Vec<i64> = self.list.iter().map(|&(worker, _)| worker).collect();
        workers.sort_unstable();
        workers.dedup();
        if workers.is_empty() {
            workers.push(-1);
        }
        if workers.len() as i64 > MAX_WORKERS {
            let what = format!("{} workers; a run holds at most {MAX_WORKERS}", workers.len());
            return Err(input.broken(0, what));
        }
        let mut places = Places::workers(workers.len())?;
        let mut spots = Vec::with_capacity(self.list.len());
        for (worker, core) in &self.list {
            let worker = workers.binary_search(worker).unwrap_or(0);
            let place = places
                .intern(worker, (*core).max(-1))
                .map_err(|error| input.broken(0, format!("too many pairs of worker and core: {error}")))?;
            spots.push(Spot { place, worker: worker as u32 });
        }
        if spots.is_empty() {
            spots.push(Spot { place: 0, worker: 0 });
        }
        Ok((places, spots))
    }
}
