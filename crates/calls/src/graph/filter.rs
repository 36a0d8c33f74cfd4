//! Functions that are too small to be shown: their time stays in their callers.

use foldhash::HashSet;

use crate::flat::by_function;
use crate::functions::Functions;
use crate::paths::Paths;

/// The share of the program below which a function is small, when nobody says otherwise.
pub const USUAL_SHARE: f64 = 0.001;

/// Which functions are left in their callers.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// Those in all call paths of which less than this share of the program was spent, with callees.
    pub share: f64,
    /// Names of functions that are shown however small they are.
    pub back: Vec<String>,
}

impl Default for Filter {
    fn default() -> Self {
        Filter { share: USUAL_SHARE, back: Vec::new() }
    }
}

impl Filter {
    /// Nothing is left out.
    pub fn none() -> Self {
        Filter { share: 0.0, back: Vec::new() }
    }

    /// By frame: whether it is left in its callers. `totals` are those of the metric.
    pub fn filtered(&self, paths: &impl Paths, metric: usize, totals: &[i64]) -> Vec<bool> {
        let mut filtered = functions_under(paths, metric, self.share, totals);
        let back: HashSet<&str> = self.back.iter().map(String::as_str).collect();
        for (filtered, frame) in filtered.iter_mut().zip(paths.frames()) {
            *filtered &= !back.contains(frame.name.as_str());
        }
        filtered
    }
}

/// By frame: what was spent in all call paths of its function, with callees; the most there is where it belongs to none.
pub fn totals(paths: &impl Paths, metric: usize) -> Vec<i64> {
    let functions = Functions::of(paths.frames());
    let rows = by_function(paths, metric, &functions);
    let total = |&function: &u32| rows.get(function as usize).map_or(i64::MAX, |row| row.inclusive);
    functions.of.iter().map(total).collect()
}

/// By frame: whether less than a share of the program was spent in all call paths of its function, with callees.
pub fn functions_under(paths: &impl Paths, metric: usize, share: f64, totals: &[i64]) -> Vec<bool> {
    let whole = paths.sum(metric, 0..paths.node_count()) as f64;
    totals.iter().map(|&total| share > 0.0 && (total as f64) < share * whole).collect()
}
