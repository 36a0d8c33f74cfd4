//! `crosscut compare`: two runs of one program: whether they have the same structure, which grains and groups work longer.

use std::path::PathBuf;

use anyhow::{Result, bail};
use crosscut_run::Run;
use crosscut_tasks::Tasks;
use crosscut_tasks::grain::{Deviation, Grains, Growth, Kernel, Problem, growth};
use crosscut_tree::NodeId;
use crosscut_view::format::{count, percent, three, time};
use serde_json::{Value, json};

use crate::grains::{Limits, note};
use crate::output;

/// Compare two runs of a program by their grains.
///
/// The first one, as a rule with one worker, becomes the baseline of the second: `report` and `view` then know how much
/// longer each grain of the second one works.
#[derive(clap::Args)]
pub struct Args {
    /// The run to compare with, as a rule one with a single worker.
    baseline: PathBuf,
    /// The run.
    run: PathBuf,
    /// As JSON.
    #[arg(long)]
    json: bool,
    /// How alike two groups are: one of the first run, one of the second (which may be the same run).
    #[arg(long, value_name = "GROUP,GROUP", value_parser = pair)]
    groups: Option<(u32, u32)>,
    /// Do not note the baseline in the run.
    #[arg(long)]
    no_note: bool,
    #[command(flatten)]
    limits: Limits,
}

/// Groups that are named.
const NAMED: usize = 8;

/// Compares them.
pub fn run(args: Args) -> Result<()> {
    let thresholds = args.limits.thresholds()?;
    let open = |path: &PathBuf| -> Result<(Tasks, Grains)> {
        let tasks = Tasks::open(Run::open(path)?)?;
        let grains = Grains::new(&tasks);
        Ok((tasks, grains))
    };
    let (there, here) = (open(&args.baseline)?, open(&args.run)?);
    if there.0.clock() != here.0.clock() {
        bail!(
            "{} counts in {}, {} in {}: their times cannot be compared",
            args.baseline.display(),
            there.0.clock().unit(),
            args.run.display(),
            here.0.clock().unit()
        );
    }
    let (a, b) = ((&here.0, &here.1), (&there.0, &there.1));
    if let Some((group, other)) = args.groups {
        return compare_groups(b, NodeId(group), a, NodeId(other), args.json);
    }
    let deviation = Deviation::new(a, b);
    let threshold = thresholds.of(Problem::WorkDeviation, a.1);
    let set = a.1.problem(Problem::WorkDeviation, threshold, Some(&deviation));
    let lost = a.1.time_lost(a.0, &set, Some(&deviation));
    let comparison = Comparison {
        here: a,
        there: b,
        alike: Kernel::new(a.1, NodeId::ROOT).value(&Kernel::new(b.1, NodeId::ROOT)),
        grown: growth(a, b, NAMED),
        problem: (set.grains, threshold, lost),
        deviation,
    };
    if comparison.is_one_program()
        && !args.no_note
        && let Err(error) = note(&args.run, &args.baseline)
    {
        output::say(&format!(
            "the baseline could not be noted in {}: {error:#}; give it to other commands by --baseline",
            args.run.display()
        ));
    }
    let text = if args.json { format!("{:#}", comparison.json()) } else { comparison.lines().join("\n") };
    output::line(&text)
}

fn pair(text: &str) -> Result<(u32, u32), String> {
    let numbers = text.split_once(',').map(|(a, b)| (a.trim().parse(), b.trim().parse()));
    match numbers {
        Some((Ok(a), Ok(b))) => Ok((a, b)),
        _ => Err(format!("`{text}` is not two groups; write their numbers like 12,34")),
    }
}

/// Says how alike two groups are.
fn compare_groups(
    there: (&Tasks, &Grains),
    group: NodeId,
    here: (&Tasks, &Grains),
    other: NodeId,
    as_json: bool,
) -> Result<()> {
    for ((tasks, grains), node) in [(there, group), (here, other)] {
        let nodes = grains.tree().node_count();
        if node.index() >= nodes {
            let name = tasks.run().name();
            bail!("{name}: there is no group {}; groups and grains are 0 to {}", node.0, nodes - 1);
        }
    }
    let same = there.1.shape(group) == here.1.shape(other);
    let similarity = Kernel::new(there.1, group).value(&Kernel::new(here.1, other));
    if as_json {
        return output::line(&format!("{:#}", json!({ "same_structure": same, "similarity": similarity })));
    }
    let name = |(tasks, grains): (&Tasks, &Grains), node: NodeId| {
        let inside = count(grains.grain_range(node).len() as i64);
        format!("{} {} of {} ({inside} grains)", grains.kind(node).word(), node.0, tasks.run().name())
    };
    let structure = if same { "the same structure" } else { "not the same structure" };
    output::line(&format!(
        "{} and {}: {structure}, similarity {}",
        name(there, group),
        name(here, other),
        three(similarity)
    ))
}

struct Comparison<'a> {
    here: (&'a Tasks, &'a Grains),
    there: (&'a Tasks, &'a Grains),
    alike: f64,
    deviation: Deviation,
    grown: Vec<Growth>,
    problem: (usize, f64, i64),
}

impl Comparison<'_> {
    /// A run of another program is no baseline: in one of the same, most grains have a counterpart.
    fn is_one_program(&self) -> bool {
        2 * self.deviation.matched > self.here.1.grain_count()
    }

    fn ratio(&self) -> f64 {
        self.deviation.work.0 as f64 / self.deviation.work.1.max(1) as f64
    }

    fn json(&self) -> Value {
        let grown = |growth: &Growth| {
            json!({
                "group": growth.node.0,
                "where": self.place(growth.node),
                "work_ns": growth.work.0,
                "baseline_work_ns": growth.work.1,
            })
        };
        let side = |(tasks, grains): (&Tasks, &Grains)| {
            json!({
                "run": tasks.run().name(),
                "workers": grains.workers(),
                "grains": grains.grain_count(),
                "elapsed_ns": tasks.summary().elapsed,
                "work_ns": tasks.summary().work,
                "span_ns": tasks.summary().span,
            })
        };
        json!({
            "baseline": side(self.there),
            "run": side(self.here),
            "same_structure": self.deviation.same_structure,
            "similarity": self.alike,
            "matched": self.deviation.matched,
            "work_ratio": self.ratio(),
            "work_deviation": {
                "threshold": self.problem.1,
                "grains": self.problem.0,
                "time_lost_ns": self.problem.2,
            },
            "grown": self.grown.iter().map(grown).collect::<Vec<_>>(),
        })
    }

    fn place(&self, node: NodeId) -> Option<String> {
        let (tasks, grains) = self.here;
        tasks.source(grains.task(node)).0.map(ToString::to_string)
    }

    fn lines(&self) -> Vec<String> {
        let (tasks, grains) = self.here;
        let clock = tasks.clock();
        let mut lines = vec![format!("{} against {}", tasks.run().name(), self.there.0.run().name())];
        let mut add = |name: &str, text: String| lines.push(format!("  {name:<16}{text}"));
        let elapsed = |tasks: &Tasks| tasks.summary().elapsed;
        add(
            "elapsed",
            format!(
                "{} on {} workers, {} on {}: {} times as fast",
                time(elapsed(tasks) as f64, clock),
                grains.workers(),
                time(elapsed(self.there.0) as f64, clock),
                self.there.1.workers(),
                three(elapsed(self.there.0) as f64 / elapsed(tasks).max(1) as f64)
            ),
        );
        let structure = if self.deviation.same_structure { "the same" } else { "not the same" };
        add("structure", format!("{structure}; similarity {}", three(self.alike)));
        add(
            "matched",
            format!(
                "{} of {} grains",
                count(self.deviation.matched as i64),
                count(grains.grain_count() as i64)
            ),
        );
        if !self.is_one_program() {
            add("baseline", "not noted: most grains have no counterpart; is it the same program?".to_owned());
        }
        if self.deviation.matched == 0 {
            return lines;
        }
        add(
            "work",
            format!(
                "{} against {}: × {}",
                time(self.deviation.work.0 as f64, clock),
                time(self.deviation.work.1 as f64, clock),
                three(self.ratio())
            ),
        );
        let (count_over, threshold, lost) = self.problem;
        add(
            "work deviation",
            format!(
                "{} grains ({}) work more than {threshold} times as long, and lose {}",
                count(count_over as i64),
                percent(count_over as f64, grains.grain_count() as f64),
                time(lost as f64, clock)
            ),
        );
        for growth in &self.grown {
            let place = self.place(growth.node).unwrap_or_else(|| format!("#{}", grains.task(growth.node).0));
            lines.push(format!(
                "  + {:<14}{} {} at {place}: {} → {}",
                time((growth.work.0 - growth.work.1) as f64, clock),
                grains.kind(growth.node).word(),
                growth.node.0,
                time(growth.work.1 as f64, clock),
                time(growth.work.0 as f64, clock),
            ));
        }
        lines
    }
}
