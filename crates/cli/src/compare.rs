//! `crosscut compare`: how two runs of one program differ. Nothing is changed on disk.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use crosscut_tree::NodeId;
use crosscut_view::tasks::TasksDomain;
use crosscut_view::tasks::compare::groups;
use crosscut_view::tasks::words::parse_grain;
use crosscut_workbench::{Cell, Compared, Fact, OpenRun, Settings, text};

use crate::output;
use crate::runs::{self, refused};
use crate::settings::Limits;

/// Compare two runs of a program by their grains.
///
/// The first one is what the second is compared with, as a rule a run with one worker. `crosscut baseline` makes it that of
/// the second one for good.
#[derive(clap::Args)]
pub struct Args {
    /// The run to compare with, as a rule one with a single worker.
    baseline: PathBuf,
    /// The run.
    run: PathBuf,
    /// As JSON.
    #[arg(long)]
    json: bool,
    /// How alike two groups are: one of the first run, one of the second (which may be the same run), such as g12,g34.
    #[arg(long, value_name = "GROUP,GROUP", value_parser = pair, conflicts_with_all = ["threshold", "thresholds"])]
    groups: Option<(NodeId, NodeId)>,
    #[command(flatten)]
    limits: Limits,
}

/// Names of facts are a little longer here than elsewhere.
const WIDTH: usize = 15;

/// Compares them.
pub fn run(args: Args) -> Result<()> {
    let (baseline, run) = (&args.baseline, &args.run);
    let open = |path: &Path, settings: &Settings| runs::opened(runs::open(path)?, settings);
    let there = open(baseline, &Settings::new())?;
    let here = open(run, &args.limits.settings()?)?;
    if let Some((group, other)) = args.groups {
        return compare_groups((&there, group), (&here, other), args.json);
    }
    let title = format!("{} against {}", here.run.name(), there.run.name());
    let compared = runs::bench(vec![here, there]).compared(0, 1).map_err(refused)?;
    if args.json {
        return output::json(&compared.json);
    }
    output::lines(&lines(title, (baseline, run), compared))
}

fn pair(text: &str) -> Result<(NodeId, NodeId), String> {
    let ids = text.split_once(',').and_then(|(a, b)| Some((parse_grain(a)?, parse_grain(b)?)));
    ids.ok_or_else(|| format!("`{text}` is not two groups; write their ids like g12,g34 or 12,34"))
}

/// How alike they are, how to make the one the baseline of the other, how they differ.
fn lines(title: String, (baseline, run): (&Path, &Path), compared: Compared) -> Vec<String> {
    let same = matches!((run.canonicalize(), baseline.canonicalize()), (Ok(run), Ok(other)) if run == other);
    let set = match &compared.no_baseline {
        _ if same => "a run is no baseline of itself".to_owned(),
        Some(why) => format!("none: {why}"),
        None => {
            let set = format!("crosscut baseline {} {}", output::quoted(run), output::quoted(baseline));
            format!("`{set}` compares with it from now on")
        }
    };
    let set = Fact::new("baseline", Cell::text(set));
    let facts = compared.facts.iter().chain([&set]).chain(&compared.differences);
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
