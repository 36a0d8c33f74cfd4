//! How long a run would take on other numbers of workers, or if a part of it were faster.

use crosscut_tasks::{Bounds, Point};
use crosscut_tree::NodeId;

use crate::OpenRun;
use crate::answer::Refusal;
use crate::protocol::{WhatIfAnswer, WhatIfLimits, WhatIfOverhead, WhatIfPoint};

/// Answers [`crate::protocol::Op::WhatIf`]; `faster` is a node of the task tree and how many times as fast it is.
pub fn whatif(run: &OpenRun, faster: Option<(u32, f64)>) -> Result<WhatIfAnswer, Refusal> {
    let (tasks, known) = (&run.tasks, &run.predictions);
    let after = faster
        .map(|(node, k)| known.after(tasks, NodeId(node), k))
        .transpose()
        .map_err(|error| error.to_string())?;
    let before = known.before(tasks);
    let overhead = known.overhead(tasks);
    Ok(WhatIfAnswer {
        workers: tasks.workers() as u32,
        observed: tasks.summary().elapsed as f64,
        overhead: WhatIfOverhead { create: overhead.create as f64, sync: overhead.sync as f64 },
        before: points(&before.points),
        limits: limits(before.bounds),
        after: after.as_ref().map(|after| points(&after.curve.points)),
        after_limits: after.as_ref().map(|after| limits(after.curve.bounds)),
    })
}

fn points(points: &[Point]) -> Vec<WhatIfPoint> {
    let point = |point: &Point| WhatIfPoint {
        workers: point.workers,
        elapsed: point.elapsed as f64,
        low: point.low as f64,
        high: point.high as f64,
        exact: point.exact,
    };
    points.iter().map(point).collect()
}

fn limits(bounds: Bounds) -> WhatIfLimits {
    WhatIfLimits { work: bounds.work as f64, span: bounds.span as f64 }
}
