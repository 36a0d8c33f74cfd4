//! Words about predictions: the run on other numbers of workers, or with a part of it faster.

use serde::Serialize;
use ts_rs::TS;

/// Answer to [`Op::WhatIf`]; `docs/whatif.md` has the definitions.
#[derive(Clone, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct WhatIfAnswer {
    /// Workers of the run.
    pub workers: u32,
    /// How long it took.
    pub observed: f64,
    /// What a task cost beside its intervals.
    pub overhead: WhatIfOverhead,
    /// As it is: 1 to 256 workers, and those of the run; fewest first.
    pub before: Vec<WhatIfPoint>,
    /// What limits it as it is.
    pub limits: WhatIfLimits,
    /// With the part that is faster; of a large run only on the workers that it had.
    pub after: Option<Vec<WhatIfPoint>>,
    /// What limits it then.
    pub after_limits: Option<WhatIfLimits>,
}

/// Overhead of one task in the clock's unit, measured in the run.
#[derive(Clone, Copy, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct WhatIfOverhead {
    /// To create it.
    pub create: f64,
    /// To wait for it.
    pub sync: f64,
}

/// What no schedule can beat. Their ratio is the largest speed-up.
#[derive(Clone, Copy, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct WhatIfLimits {
    /// All work, overhead included.
    pub work: f64,
    /// The critical path, overhead included.
    pub span: f64,
}

/// How long the run would take on some number of workers under a greedy scheduler.
#[derive(Clone, Copy, Debug, Serialize, TS)]
#[ts(export, export_to = "../../../ui/src/protocol/")]
pub struct WhatIfPoint {
    /// Number of workers.
    pub workers: u32,
    /// The prediction.
    pub elapsed: f64,
    /// No schedule is shorter.
    pub low: f64,
    /// No greedy schedule is longer.
    pub high: f64,
    /// Every interval was replayed; otherwise it is an estimate between the bounds.
    pub exact: bool,
}
