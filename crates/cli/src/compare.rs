//! `crosscut compare`: how two runs of one program differ. The first becomes the baseline of the second.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use crosscut_tree::NodeId;
use crosscut_view::tasks::TasksDomain;
use crosscut_view::tasks::compare::groups;
use crosscut_view::tasks::words::parse_grain;
use crosscut_workbench::{Cell, Compared, Fact, OpenRun, Settings, text};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::output;
use crate::runs::{self, refused};
use crate::settings::{Limits, forget, note};

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

/// Names of facts are a little longer here than elsewhere.
const WIDTH: usize = 15;

/// What scripts get.
#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    compared: Map<String, Value>,
    noted: bool,
}

/// Compares them.
pub fn run(args: Args) -> Result<()> {
    if let Some(run) = &args.forget {
        return forget_baseline(run);
    }
    let (Some(baseline), Some(run)) = (&args.baseline, &args.run) else { return Ok(()) };
    let open = |path: &Path, settings: &Settings| runs::opened(runs::open(path)?, settings);
    let there = open(baseline, &Settings::new())?;
    let here = open(run, &args.limits.settings()?)?;
    if let Some((group, other)) = args.groups {
        return compare_groups((&there, group), (&here, other), args.json);
    }
    let title = format!("{} against {}", here.run.name(), there.run.name());
    let names = (there.run.name(), here.run.name());
    let compared = runs::bench(vec![here, there]).compared(0, 1).map_err(refused)?;
    let noted = match &compared.no_baseline {
        _ if args.no_note => Noted::No("--no-note".to_owned()),
        Some(why) => Noted::No(why.clone()),
        None => note_baseline(run, baseline),
    };
    if args.json {
        let noted = matches!(noted, Noted::Yes(_));
        return output::json(&Answer { compared: compared.json, noted });
    }
    output::line(&lines(title, &names, &noted, compared).join("\n"))
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

/// Notes the baseline in the run, for the commands that look at it later.
fn note_baseline(run: &Path, baseline: &Path) -> Noted {
    if matches!((run.canonicalize(), baseline.canonicalize()), (Ok(run), Ok(other)) if run == other) {
        return Noted::No("a run is no baseline of itself".to_owned());
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

/// How alike they are, whether the baseline is noted, how they differ.
fn lines(title: String, names: &(String, String), noted: &Noted, compared: Compared) -> Vec<String> {
    let (baseline, run) = names;
    let noted = match noted {
        Noted::Yes(undo) => format!("{baseline} is now noted as that of {run}; `{undo}` undoes it"),
        Noted::No(why) => format!("not noted: {why}"),
    };
    let noted = Fact::new("baseline", Cell::text(noted));
    let facts = compared.facts.iter().chain([&noted]).chain(&compared.differences);
    let facts = facts.map(|fact| text::fact(fact, WIDTH));
    std::iter::once(title).chain(facts).chain(compared.lines).collect()
}

/// Says how alike two groups are.
fn compare_groups(one: (&OpenRun, NodeId), other: (&OpenRun, NodeId), as_json: bool) -> Result<()> {
    let opened = |run: &'_ OpenRun| -> Result<_> {
        let none = || format!("{}: this run has no tasks, and so no groups to compare", run.run.name());
        Ok(TasksDomain::in_run(run).with_context(none)?.opened().clone())
    };
    let (a, b) = (opened(one.0)?, opened(other.0)?);
    let alike = groups((&a, one.1), (&b, other.1)).map_err(refused)?;
    if as_json { output::json(&alike) } else { output::line(&alike.line()) }
}
