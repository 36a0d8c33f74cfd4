//! The workbench's own views: the overview of a run, the comparison of two, the table of any tree. Findings of all domains
//! are charged, numbered and weighed here, and nowhere else.

use std::sync::Arc;

use crosscut_scene::format::{exact, quantity, share};
use crosscut_tree::Unit;

use crate::bench::{OpenRun, Workbench};
use crate::declare::{Compares, Opt, OptKind, Pane, View};
use crate::domain::Drawn;
use crate::error::Refusal;
use crate::job::Job;
use crate::look::{Look, Scope};
use crate::loss::{Found, How, Loss, Lost, charged};
use crate::picture::same_domain;
use crate::sheet::{Block, Cell, Finding, Severity, Sheet, Tone};

/// The first sheet of a run.
pub const OVERVIEW: View = View {
    name: "overview",
    title: "Overview",
    section: "Run",
    icon: "M2 3h12v3H2zM2 8h7v5H2zM11 8h3v5h-3z",
    about: "How good was this run, what costs most, and where is that in the program.",
    trees: &["lines"],
    pane: Pane::Sheet,
    options: &[],
    acts: &[],
    compares: Compares::No,
    slow: false,
    hidden: false,
    follows: false,
    without: &[],
};

/// Two runs.
pub const COMPARE: View = View {
    name: "compare",
    title: "Compare",
    section: "Run",
    icon: "M2 3h5v10H2zM9 3h5v10H9z",
    about: "How two runs differ, worst first.",
    trees: &["lines"],
    pane: Pane::Sheet,
    options: &[],
    acts: &[],
    compares: Compares::Two,
    slow: false,
    hidden: false,
    follows: false,
    without: &[],
};

/// The rows of any tree.
pub const TABLE: View = View {
    name: "table",
    title: "Table",
    section: "Run",
    icon: "M2 3h12v2H2zM2 7h12v2H2zM2 11h12v2H2z",
    about: "What a view shows, as rows that can be sorted and filtered.",
    trees: &[],
    pane: Pane::Table,
    options: &[Opt::new("tree", "Tree", OptKind::Choice { values: &[] }, "")],
    acts: &[],
    compares: Compares::No,
    slow: false,
    hidden: false,
    follows: false,
    without: &[],
};

/// Below this share of the time that all places could have had a loss is no finding.
const WORTH: f64 = 0.01;

/// Draws one of the workbench's own views.
pub fn draw(bench: &Workbench, look: &Look, with: &[usize], job: &Job<'_>) -> Result<Drawn, Refusal> {
    match (look.view.as_str(), with) {
        ("compare", &[other]) => Ok(Drawn::sheet(compare(bench, look.run, other, job)?)),
        ("compare", _) => Ok(Drawn::sheet(nothing_to_compare())),
        ("table", _) => Err(Refusal::new("a table is asked for by its rows, not as a picture")),
        _ => Ok(Drawn::sheet(overview(bench, look.run, job)?)),
    }
}

fn nothing_to_compare() -> Sheet {
    let text = "Open two runs to compare them: crosscut view RUN_A RUN_B.".to_owned();
    Sheet {
        title: "Compare".to_owned(),
        blocks: vec![Block::Text { text, tone: Tone::Plain }],
        ..Sheet::default()
    }
}

/// What all places of a run could have done: their number times the time of the run.
pub fn capacity(run: &OpenRun) -> f64 {
    let of = |domain: &Arc<dyn crate::domain::Domain>| domain.capacity();
    run.domains.iter().find_map(of).unwrap_or(0.0).max(1.0)
}

/// What costs time in a run, worst first, numbered from 1.
pub(crate) fn found(open: &OpenRun, job: &Job<'_>) -> Result<Found, Refusal> {
    let mut losses: Vec<Loss> = Vec::new();
    for domain in &open.domains {
        losses.extend(domain.losses(&Scope::default(), job)?);
        job.check()?;
    }
    let capacity = capacity(open);
    let beyond: f64 = open.domains.iter().map(|domain| domain.beyond(job)).sum();
    let had = (capacity - beyond).max(0.0);
    let least = WORTH * had;
    let elapsed = open.time().map_or(0.0, |time| time.1 - time.0);
    let too_little = open.domains.iter().find_map(|domain| domain.too_little());
    let not_looked_for = open.domains.iter().flat_map(|domain| domain.not_looked_for()).collect();
    let mut found = Found { too_little, not_looked_for, ..Found::default() };
    for mut loss in charged(losses, (elapsed, capacity / elapsed.max(1.0))) {
        let worth = loss.cost >= least && found.too_little.is_none();
        let number = worth.then_some(found.findings.len() as u32 + 1);
        found.lost.push(Lost {
            number,
            cause: loss.cause,
            what: loss.what.clone(),
            line: loss.line.clone(),
            cost: loss.cost,
            spent: loss.how == How::Spent,
            hatch: loss.hatch,
            stretches: std::mem::take(&mut loss.stretches),
        });
        let severity = Severity::of(loss.cost, had);
        let told = |number| finding(loss, number, severity, (elapsed, capacity), open.clock());
        found.findings.extend(number.map(told));
    }
    Ok(found)
}

fn finding(
    loss: Loss,
    number: u32,
    severity: Severity,
    (elapsed, capacity): (f64, f64),
    clock: Unit,
) -> Finding {
    Finding {
        number,
        id: loss.cause.to_owned(),
        severity,
        cost: Cell::Number {
            value: loss.cost,
            text: quantity(loss.cost, clock),
            exact: exact(loss.cost, clock),
            share: Some((loss.cost / capacity) as f32),
        },
        without: loss.without.map(|time| Cell::Difference {
            here: time,
            there: elapsed,
            text: format!("{} → {}", quantity(elapsed, clock), quantity(time, clock)),
        }),
        bound: loss.how == How::Bound,
        spent: loss.how == How::Spent,
        line: loss.line,
        ranks: loss.ranks,
        what: loss.what,
        evidence: loss.evidence,
        advice: loss.advice,
        picture: loss.picture.map(Box::new),
        show: Box::new(loss.show),
    }
}

/// Answers [`crate::question::Ask::Overview`]. While what costs most is not known, all the rest is shown.
pub fn overview(bench: &Workbench, run: usize, job: &Job<'_>) -> Result<Sheet, Refusal> {
    let open = bench.run(run)?;
    if job.found_already().is_none() {
        job.draft(Drawn::sheet(first_sheet(open, None, job)?));
    }
    first_sheet(open, Some(&*job.found()?), job)
}

fn first_sheet(open: &OpenRun, found: Option<&Found>, job: &Job<'_>) -> Result<Sheet, Refusal> {
    let mut blocks = Vec::new();
    if let Some(missing) = open.partial() {
        blocks.push(Block::Text { text: format!("This run is partial: {missing}"), tone: Tone::Warning });
    }
    // Where the time went, by the first domain that knows; below it what costs most, then the details of all.
    for domain in &open.domains {
        let account = domain.account(found, job)?;
        if !account.is_empty() {
            blocks.extend(account);
            break;
        }
    }
    if open.domains.iter().any(|domain| domain.looks_for_losses()) {
        if found.is_none_or(|found| found.too_little.is_none()) {
            blocks.push(Block::Head { text: "What costs most".to_owned() });
        }
        blocks.extend(costs(found, capacity(open)));
    }
    for domain in &open.domains {
        blocks.extend(domain.overview(found, job)?);
    }
    Ok(Sheet {
        title: open.run.name(),
        kind: "run".to_owned(),
        time: open.time(),
        blocks,
        ..Sheet::default()
    })
}

fn costs(found: Option<&Found>, capacity: f64) -> Vec<Block> {
    let text = |text: &str| Block::Text { text: text.to_owned(), tone: Tone::Plain };
    let Some(found) = found else { return vec![text("Looking for what costs most…")] };
    if let Some(why) = &found.too_little {
        return vec![text(&format!(
            "{why} is too little to judge: starting and ending takes most of it, and chance decides the rest. So nothing is \
             called a finding. Let the program repeat its work some hundred times, or give it more, and record that."
        ))];
    }
    let mut blocks = Vec::new();
    if found.findings.is_empty() {
        blocks.push(text(
            "No finding: no cause that is looked for costs a hundredth of the time of all workers.",
        ));
    }
    blocks.extend(found.findings.iter().cloned().map(|finding| Block::Finding(Box::new(finding))));
    blocks.extend(small(found, capacity));
    blocks.extend(not_looked_for(found).map(|text| Block::Text { text, tone: Tone::Note }));
    blocks
}

/// What was not looked for, in one paragraph.
pub(crate) fn not_looked_for(found: &Found) -> Option<String> {
    (!found.not_looked_for.is_empty()).then(|| format!("Not looked for: {}", found.not_looked_for.join(" ")))
}

/// What is no finding: it costs too little.
fn small(found: &Found, capacity: f64) -> Option<Block> {
    let small: Vec<&Lost> = found.lost.iter().filter(|lost| lost.number.is_none()).collect();
    let all: f64 = small.iter().map(|lost| lost.cost).sum();
    let first = small.first()?;
    let what = match small.len() {
        1 => first.what.to_lowercase(),
        n => format!("{} and {} more", first.what.to_lowercase(), n - 1),
    };
    let text = format!("Nothing else costs a hundredth: {what}, {} in all.", share(all, capacity));
    Some(Block::Text { text, tone: Tone::Note })
}

/// How two runs differ, by all domains that both have.
pub fn compare(bench: &Workbench, run: usize, other: usize, job: &Job<'_>) -> Result<Sheet, Refusal> {
    let (here, there) = (bench.run(run)?, bench.run(other)?);
    let mut blocks = Vec::new();
    for domain in &here.domains {
        match same_domain(bench, other, &**domain) {
            Some(with) => blocks.extend(domain.compare(with, &job.with(other))?),
            None => {
                let text = format!("{} has no {}: not compared", there.run.name(), domain.word());
                blocks.push(Block::Text { text, tone: Tone::Note });
            }
        }
    }
    let title = format!("{} against {}", here.run.name(), there.run.name());
    Ok(Sheet { title, kind: "comparison".to_owned(), blocks, ..Sheet::default() })
}
