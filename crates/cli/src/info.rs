//! `crosscut info`: what is inside a run, for people in about ten lines, for scripts as JSON.

use std::path::PathBuf;

use anyhow::{Result, bail};
use crosscut_run::{Damage, Run};
use crosscut_scene::format::many;
use crosscut_workbench::{Cell, Fact, Settings, Workbench, size, text};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::runs::{self, refused};
use crate::{Listed, output};

/// Say what is inside a run.
#[derive(clap::Args)]
pub struct Args {
    /// The run.
    run: PathBuf,
    /// As JSON.
    #[arg(long)]
    json: bool,
    /// Read every byte and every value, and say what is damaged: content that changed, a tree that is none, totals that do
    /// not agree.
    #[arg(long)]
    check: bool,
}

/// A run of which parts are damaged, for scripts.
#[derive(Serialize)]
struct Damaged<'a> {
    crosscut: &'a str,
    damaged: Vec<DamagedPart<'a>>,
}

#[derive(Serialize)]
struct DamagedPart<'a> {
    part: &'a str,
    file: &'a str,
    why: &'a str,
}

impl<'a> DamagedPart<'a> {
    fn of(damage: &'a Damage) -> Self {
        DamagedPart { part: &damage.part, file: &damage.file, why: &damage.why }
    }
}

/// What a check adds for scripts where all is well.
#[derive(Serialize)]
struct Checked {
    #[serde(flatten)]
    info: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    damaged: Option<[(); 0]>,
}

/// Says it; a damaged run is an error.
pub fn run(args: Args) -> Result<()> {
    let run = runs::open(&args.run)?;
    if args.check {
        refuse_damaged(&args, &run)?;
    }
    let parts = run.manifest().all_parts().count();
    let has_own_sum = run.manifest().checksum.is_some();
    // What is wrong is listed below.
    let check = if args.check { "later" } else { "now" };
    let bench = bench(run, check)?;
    if args.check {
        refuse_unsound(&args, &bench)?;
    }
    if args.json {
        let info = bench.info_json(0).map_err(refused)?;
        return output::json(&Checked { info, damaged: args.check.then_some([]) });
    }
    let mut lines = bench.info(0).map_err(refused)?;
    if args.check {
        let mut checked = format!("all {} are as they were written, and fit together", many(parts, "part"));
        if !has_own_sum {
            checked.push_str("; the manifest has no checksum itself, as in runs of older versions");
        }
        lines.push(text::fact(&Fact::new("checked", Cell::text(checked)), text::WIDTH));
    }
    output::lines(&lines)
}

fn refuse_damaged(args: &Args, run: &Run) -> Result<()> {
    let damages = run.check();
    if damages.is_empty() {
        return Ok(());
    }
    if args.json {
        let damaged = damages.iter().map(DamagedPart::of).collect();
        output::json(&Damaged { crosscut: &run.manifest().crosscut, damaged })?;
    }
    let name = args.run.display();
    let what =
        format!("{name}: damaged; record or import it again. These parts are not as they were written:");
    let list = damages.iter().map(|d| format!("{} ({}): {}", d.part, d.file, d.why)).collect();
    Err(Listed { what, list }.into())
}

/// Refuses a run whose bytes are as they were written, but cannot be right.
fn refuse_unsound(args: &Args, bench: &Workbench) -> Result<()> {
    let unsound = bench.runs.iter().flat_map(|run| run.unsound()).collect::<Vec<_>>();
    if unsound.is_empty() {
        return Ok(());
    }
    if args.json {
        let damaged = unsound.iter().map(|(word, why)| DamagedPart { part: word, file: "", why }).collect();
        let crosscut = &bench.runs[0].run.manifest().crosscut;
        output::json(&Damaged { crosscut, damaged })?;
    }
    let list: Vec<String> = unsound.iter().map(|(word, why)| format!("\n  {word}: {why}")).collect();
    bail!(
        "{}: its parts do not fit together; record or import it again:{}",
        args.run.display(),
        list.concat()
    );
}

fn bench(run: Run, check: &str) -> Result<Workbench> {
    let settings = Settings::from([("check".to_owned(), check.to_owned())]);
    Ok(runs::bench(vec![runs::with_any(run, &settings)?]))
}

/// A new run in a line, for the commands that make one.
pub fn one_line(run: Run) -> Result<String> {
    bench(run, "now")?.line(0).map_err(refused)
}

/// A recorded run in a line: with what it takes on disk.
pub fn recorded_line(run: Run) -> Result<String> {
    let size = size(run.bytes());
    Ok(format!("{}, {size} on disk", one_line(run)?))
}
