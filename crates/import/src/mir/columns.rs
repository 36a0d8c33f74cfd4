//! Which column of the table is what.

use foldhash::HashSet;

use super::csv::Csv;
use crate::error::ImportError;

/// Without these there is no tree.
pub const NEEDED: [&str; 4] = ["task", "parent", "joins_at", "exec_cycles"];

/// Known columns that are no counters: they say nothing that is not known otherwise, or nothing that is kept.
const READ_OVER: [&str; 26] = [
    "num_children",
    "queue_size",
    "lineage",
    "chunk_lineage",
    "leaf",
    "work_cycles",
    "work_cycles_left",
    "work_cycles_right",
    "work_deviation",
    "overhead_deviation",
    "mem_hier_util",
    "compute_int",
    "parent_ind",
    "parent_tag",
    "parent_joins_at",
    "parent_overhead_cycles",
    "sync_cycles_per_child",
    "parallel_benefit",
    "sibling_work_balance",
    "sibling_scatter",
    "chunk_work_balance",
    "chunk_work_cpu",
    "chunk_work_cpu_balance",
    "last_to_finish",
    "idle_join",
    "inst_par_median",
];

/// More counters than this are no counters.
const MAX_COUNTERS: usize = 64;

/// Columns by what they are; where each stands.
#[derive(Debug)]
pub struct Columns {
    pub count: usize,
    pub task: usize,
    pub parent: usize,
    pub joins_at: usize,
    pub exec_cycles: usize,
    pub cpu_id: Option<usize>,
    pub child_number: Option<usize>,
    pub creation_cycles: Option<usize>,
    pub overhead_cycles: Option<usize>,
    pub create_instant: Option<usize>,
    pub exec_end_instant: Option<usize>,
    pub wait_instants: Option<usize>,
    pub tag: Option<usize>,
    pub metadata: Option<usize>,
    pub outline_function: Option<usize>,
    pub source_line: Option<usize>,
    /// Columns of other names, which are counters if they hold whole numbers: the name in the run, the column.
    pub others: Vec<(String, usize)>,
}

impl Columns {
    /// How many of the needed columns are not there.
    pub fn missing(names: &[String]) -> usize {
        NEEDED.iter().filter(|needed| !names.iter().any(|name| name == *needed)).count()
    }

    /// From the header row, which `csv` stands on.
    pub fn find(csv: &Csv<'_, '_>) -> Result<Self, ImportError> {
        let names = csv.names();
        let find = |wanted: &str| names.iter().position(|name| name == wanted);
        let need = |wanted: &str| {
            find(wanted).ok_or_else(|| {
                let needed = NEEDED.join(", ");
                csv.broken(format!("no column `{wanted}` in the header row; needed are {needed}"))
            })
        };
        let mut columns = Columns {
            count: names.len(),
            task: need("task")?,
            parent: need("parent")?,
            joins_at: need("joins_at")?,
            exec_cycles: need("exec_cycles")?,
            cpu_id: find("cpu_id"),
            child_number: find("child_number"),
            creation_cycles: find("creation_cycles"),
            overhead_cycles: find("overhead_cycles"),
            create_instant: find("create_instant"),
            exec_end_instant: find("exec_end_instant").or(find("exec_end")),
            wait_instants: find("wait_instants"),
            tag: find("tag"),
            metadata: find("metadata"),
            outline_function: find("outline_function"),
            source_line: find("source_line"),
            others: Vec::new(),
        };
        columns.others = columns.find_others(&names);
        Ok(columns)
    }

    fn find_others(&self, names: &[String]) -> Vec<(String, usize)> {
        let known = [
            Some(self.task),
            Some(self.parent),
            Some(self.joins_at),
            Some(self.exec_cycles),
            self.cpu_id,
            self.child_number,
            self.creation_cycles,
            self.overhead_cycles,
            self.create_instant,
            self.exec_end_instant,
            self.wait_instants,
            self.tag,
            self.metadata,
            self.outline_function,
            self.source_line,
        ];
        let mut seen = HashSet::default();
        let unknown = names.iter().enumerate().filter(|(at, _)| !known.contains(&Some(*at)));
        let others = unknown.filter(|(_, name)| is_counter(name)).map(|(at, name)| (plain(name), at));
        others.filter(|(name, _)| seen.insert(name.clone())).take(MAX_COUNTERS).collect()
    }
}

/// Whether a column of such a name can be a counter. Means and deviations do not add up.
fn is_counter(name: &str) -> bool {
    let twice = NEEDED.contains(&name);
    !name.is_empty()
        && !twice
        && !READ_OVER.contains(&name)
        && !name.ends_with("_sd")
        && !name.ends_with("_mean")
}

/// The name as a run can have it: letters, digits, `_`.
fn plain(name: &str) -> String {
    name.chars().take(64).map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
