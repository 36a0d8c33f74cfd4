//! `crosscut compare`: two runs of one program: whether they have the same structure, which grains and groups work longer.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use crosscut_tasks::Tasks;
use crosscut_tasks::grain::{Deviation, Grains, Growth, Kernel, Problem, ProblemReport, growth};
use crosscut_tree::NodeId;
use crosscut_view::format::{count, three, time};
use serde_json::{Value, json};

use crate::grains::{Limits, forget, note};
use crate::words::{grain_id, many, parse_grain, share};
use crate::{output, runs, words};

/// Compare two runs of a program by their grains.
///
/// The first one, as a rule with one worker, becomes the baseline of the second: `report` and `view` then know how much
/// longer each grain of the second one works.
#[derive(clap::Args)]
pub struct Args {
    /// The run to compare with, as a rule one with a single worker.
    #[arg(required_unless_present = "forget")]
    baseline: Option<PathBuf>,
    /// The run.
    #[arg(required_unless_present = "forget")]
    run: Option<PathBuf>,
    /// As JSON.
    #[arg(long)]
    json: bool,
    /// How alike two groups are: one of the first run, one of the second (which may be the same run), such as g12,g34.
    #[arg(long, value_name = "GROUP,GROUP", value_parser = pair, conflicts_with_all = ["threshold", "thresholds"])]
    groups: Option<(NodeId, NodeId)>,
    /// Do not note the baseline in the run.
    #[arg(long)]
    no_note: bool,
    /// Forget the baseline that was noted in a run, and compare nothing.
    #[arg(long, value_name = "RUN", exclusive = true)]
    forget: Option<PathBuf>,
    #[command(flatten)]
    limits: Limits,
}

/// Groups that are named.
const NAMED: usize = 8;

/// Compares them.
pub fn run(args: Args) -> Result<()> {
    if let Some(run) = &args.forget {
        return forget_baseline(run);
    }
    let thresholds = args.limits.thresholds()?;
    if let Some(other) = args.limits.asked().find(|&problem| problem != Problem::WorkDeviation) {
        bail!(
            "--threshold {other}: a comparison looks at work-deviation alone; `crosscut report` takes the others"
        );
    }
    let (Some(baseline), Some(run)) = (&args.baseline, &args.run) else { return Ok(()) };
    let open = |path: &PathBuf| -> Result<(Tasks, Grains)> {
        let tasks = Tasks::open(runs::open(path)?)?;
        let grains = Grains::new(&tasks);
        Ok((tasks, grains))
    };
    let (there, here) = (open(baseline)?, open(run)?);
    if there.0.clock() != here.0.clock() {
        bail!(
            "{} counts in {}, {} in {}: their times cannot be compared",
            baseline.display(),
            there.0.clock().unit(),
            run.display(),
            here.0.clock().unit()
        );
    }
    let (a, b) = ((&here.0, &here.1), (&there.0, &there.1));
    if let Some((group, other)) = args.groups {
        return compare_groups(b, group, a, other, args.json);
    }
    let deviation = Deviation::new(a, b);
    let threshold = thresholds.of(Problem::WorkDeviation, a.1);
    let set = a.1.problem(Problem::WorkDeviation, threshold, Some(&deviation));
    let lost = a.1.time_lost(a.0, &set, Some(&deviation));
    let mut comparison = Comparison {
        here: a,
        there: b,
        alike: Kernel::new(a.1, NodeId::ROOT).value(&Kernel::new(b.1, NodeId::ROOT)),
        grown: Growth::deepest(a.1, growth(a, b, usize::MAX), NAMED),
        problem: (set.grains, threshold, lost),
        deviation,
        noted: Noted::No("--no-note".to_owned()),
    };
    if !args.no_note {
        comparison.noted = comparison.note(run, baseline);
    }
    let text = if args.json { format!("{:#}", comparison.json()) } else { comparison.lines().join("\n") };
    output::line(&text)
}

fn forget_baseline(run: &Path) -> Result<()> {
    runs::open(run)?;
    let name = run.display();
    output::line(&match forget(run)? {
        true => format!("{name}: its baseline is forgotten"),
        false => format!("{name}: no baseline was noted in it"),
    })
}

fn pair(text: &str) -> Result<(NodeId, NodeId), String> {
    let ids = text.split_once(',').and_then(|(a, b)| Some((parse_grain(a)?, parse_grain(b)?)));
    ids.ok_or_else(|| format!("`{text}` is not two groups; write their ids like g12,g34 or 12,34"))
}

/// Whether the baseline is noted in the run now.
enum Noted {
    /// How to undo it.
    Yes(String),
    /// Why it is not.
    No(String),
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
            bail!("{name}: there is no group {}; groups and grains are g0 to g{}", grain_id(node), nodes - 1);
        }
    }
    let same = there.1.shape(group) == here.1.shape(other);
    let similarity = Kernel::new(there.1, group).value(&Kernel::new(here.1, other));
    if as_json {
        return output::line(&format!("{:#}", json!({ "same_structure": same, "similarity": similarity })));
    }
    let name = |(tasks, grains): (&Tasks, &Grains), node: NodeId| {
        let inside = many(grains.grain_range(node).len(), "grain");
        format!("{} {} of {} ({inside})", grains.kind(node).word(), grain_id(node), tasks.run().name())
    };
    let structure = if same { "the same structure" } else { "not the same structure" };
    output::line(&format!(
        "{} and {}: {structure}, similarity {}",
        name(there, group),
        name(here, other),
        words::similarity(same, similarity)
    ))
}

struct Comparison<'a> {
    here: (&'a Tasks, &'a Grains),
    there: (&'a Tasks, &'a Grains),
    alike: f64,
    deviation: Deviation,
    grown: Vec<Growth>,
    problem: (usize, f64, i64),
    noted: Noted,
}

impl Comparison<'_> {
    /// A run of another program is no baseline: in one of the same, most grains have a counterpart.
    fn is_one_program(&self) -> bool {
        2 * self.deviation.matched > self.here.1.grain_count()
    }

    /// Notes the baseline in the run, for the commands that look at it later, if it is one.
    fn note(&self, run: &Path, baseline: &Path) -> Noted {
        let (workers, others) = (self.here.1.workers(), self.there.1.workers());
        if !self.is_one_program() {
            return Noted::No("most grains have no counterpart; is it the same program?".to_owned());
        }
        if matches!((run.canonicalize(), baseline.canonicalize()), (Ok(run), Ok(other)) if run == other) {
            return Noted::No("a run is no baseline of itself".to_owned());
        }
        if others > workers {
            return Noted::No(format!(
                "it has more workers than the run ({} against {}), so that work deviation would mean little; \
                 --baseline takes it all the same",
                count(others.into()),
                count(workers.into())
            ));
        }
        match note(run, baseline) {
            Ok(()) => Noted::Yes(format!("crosscut compare --forget {}", output::quoted(run))),
            Err(error) => {
                output::say(&format!(
                    "the baseline could not be noted in {}: {error:#}; give it to other commands by --baseline",
                    run.display()
                ));
                Noted::No(format!("{error:#}"))
            }
        }
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
            "noted": matches!(self.noted, Noted::Yes(_)),
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
        for side in [self.here.0, self.there.0] {
            if let Some(missing) = runs::partial(side.run()) {
                add("partial", format!("{}: {missing}", side.run().name()));
            }
        }
        let elapsed = |tasks: &Tasks| tasks.summary().elapsed;
        add(
            "elapsed",
            format!(
                "{} on {}, {} on {}: {}",
                time(elapsed(tasks) as f64, clock),
                many(grains.workers() as usize, "worker"),
                time(elapsed(self.there.0) as f64, clock),
                count(self.there.1.workers().into()),
                words::speed(elapsed(self.there.0) as f64 / elapsed(tasks).max(1) as f64)
            ),
        );
        let structure = if self.deviation.same_structure { "the same" } else { "not the same" };
        add(
            "structure",
            format!(
                "{structure}; similarity {}",
                words::similarity(self.deviation.same_structure, self.alike)
            ),
        );
        add(
            "matched",
            format!("{} of {}", count(self.deviation.matched as i64), many(grains.grain_count(), "grain")),
        );
        add(
            "baseline",
            match &self.noted {
                Noted::Yes(undo) => {
                    let (baseline, run) = (self.there.0.run().name(), tasks.run().name());
                    format!("{baseline} is now noted as that of {run}; `{undo}` undoes it")
                }
                Noted::No(why) => format!("not noted: {why}"),
            },
        );
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
        let (over, threshold, lost) = self.problem;
        add(
            "work deviation",
            format!(
                "{} ({}) {} more than {} times as long, and {} {}",
                many(over, "grain"),
                share(over as f64, grains.grain_count() as f64),
                if over == 1 { "works" } else { "work" },
                ProblemReport::threshold_text(threshold),
                if over == 1 { "loses" } else { "lose" },
                time(lost as f64, clock)
            ),
        );
        lines.extend(self.grown_lines());
        lines
    }

    /// What grew, as a tree: what stands in a group that is told of stands below it, further in.
    fn grown_lines(&self) -> Vec<String> {
        let (tasks, grains) = self.here;
        let time = |value: i64| time(value as f64, tasks.clock());
        let mut grown: Vec<&Growth> = self.grown.iter().collect();
        grown.sort_unstable_by_key(|growth| growth.node);
        let mut around: Vec<NodeId> = Vec::new();
        let mut lines = Vec::new();
        for growth in grown {
            let node = growth.node;
            while around.pop_if(|above| grains.tree().range(*above).end <= node.index()).is_some() {}
            let place = self.place(node).unwrap_or_else(|| format!("#{}", grains.task(node).0));
            lines.push(format!(
                "  + {:<14}{}{} {} at {place}: {} → {}",
                time(growth.by()),
                "  ".repeat(around.len()),
                grains.kind(node).word(),
                grain_id(node),
                time(growth.work.1),
                time(growth.work.0),
            ));
            around.push(node);
        }
        lines
    }
}
