//! `crosscut report`: the grain graph in numbers, its problems and all findings, worst first.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use crosscut_tasks::grain::{Grains, Problem, ProblemReport, SiteShare};
use crosscut_tasks::{Finding, Tasks};
use crosscut_tree::NodeId;
use crosscut_view::format::{THIN, count, three, time};
use serde_json::{Value, json};

use crate::grains::{Baseline, Limits, untold};
use crate::words::{grain_id, many, share};
use crate::{info, output, runs};

/// Say what costs time in a run, worst first.
#[derive(clap::Args)]
pub struct Args {
    /// The run.
    run: PathBuf,
    /// As JSON.
    #[arg(long)]
    json: bool,
    /// A run of the same program, as a rule with one worker, that work is compared with.
    #[arg(long, value_name = "RUN")]
    baseline: Option<PathBuf>,
    /// End with code 1 if a finding costs more than this many percent of the workers' time.
    #[arg(long, value_name = "PERCENT", value_parser = percents, allow_negative_numbers = true)]
    fail_over: Option<f64>,
    #[command(flatten)]
    limits: Limits,
}

fn percents(text: &str) -> Result<f64, String> {
    let right = text.parse().ok().filter(|percent: &f64| percent.is_finite() && *percent >= 0.0);
    right.ok_or_else(|| "write a number of percent from 0 on, such as 10".to_owned())
}

/// A finding costs more than is allowed.
const OVER: u8 = 1;

/// Says it.
pub fn run(args: Args) -> Result<ExitCode> {
    let thresholds = args.limits.thresholds()?;
    let tasks = Tasks::open(runs::open(&args.run)?)?;
    let grains = Grains::new(&tasks);
    let baseline = Baseline::find(args.baseline.as_deref(), &tasks, &grains)?;
    let deviation = baseline.as_ref().map(|baseline| &baseline.deviation);
    let problems = grains.problems(&tasks, &thresholds, deviation);
    let findings: Vec<Finding> = tasks.causes().worth().cloned().collect();
    let missing =
        Problem::ALL.into_iter().filter_map(|problem| Some((problem, untold(&grains, problem, deviation)?)));
    let missing: Vec<Missing> = missing
        .map(|(problem, why)| Missing {
            problem,
            why,
            asked: args.limits.asked().any(|asked| asked == problem),
        })
        .collect();
    let report = Report { tasks, grains, baseline, problems, missing, findings };
    if args.json {
        let mut json = info::json(&args.run)?;
        json["grain"] = report.grain_json();
        json["findings"] = report.findings_json();
        output::line(&format!("{json:#}"))?;
    } else {
        output::line(&report.lines().join("\n"))?;
    }
    let worst = report.findings.first().map_or(0, |finding| finding.cost);
    let over = args.fail_over.is_some_and(|limit| worst as f64 > limit / 100.0 * report.capacity());
    Ok(if over { ExitCode::from(OVER) } else { ExitCode::SUCCESS })
}

/// A problem that the run cannot tell.
struct Missing {
    problem: Problem,
    why: &'static str,
    /// Whether the command line sets a threshold for it.
    asked: bool,
}

struct Report {
    tasks: Tasks,
    grains: Grains,
    baseline: Option<Baseline>,
    problems: Vec<ProblemReport>,
    missing: Vec<Missing>,
    findings: Vec<Finding>,
}

impl Report {
    /// What all workers could have done.
    fn capacity(&self) -> f64 {
        f64::from(self.grains.workers()) * self.tasks.summary().elapsed as f64
    }

    fn time(&self, value: i64) -> String {
        time(value as f64, self.tasks.clock())
    }

    fn grain_json(&self) -> Value {
        let grains = &self.grains;
        let theta = grains.theta(None);
        let raw = grains.raw_nodes();
        let problem = |report: &ProblemReport| {
            let value = json!({
                "grains": report.set.grains,
                "theta_max": report.theta.most,
                "time_lost_ns": report.time_lost,
                "threshold": report.set.threshold,
                "savings": report.theta.savings(raw),
                "work_ns": report.work,
                "where": report.sites.iter().map(|site| self.place(site.node)).collect::<Vec<_>>(),
            });
            (report.set.problem.word().to_owned(), value)
        };
        let mut json = json!({
            "grains": grains.grain_count(),
            "fork_joins": grains.fork_joins(),
            "raw_nodes": raw,
            "groups": grains.group_count(),
            "depth": grains.tree().max_depth(),
            "theta_max": theta.most,
            "savings": theta.savings(raw),
            "work_ns": grains.work(NodeId::ROOT),
            "outside_ns": grains.outside(),
            "critical_path_ns": grains.critical_path(NodeId::ROOT),
            "problems": self.problems.iter().map(problem).collect::<serde_json::Map<_, _>>(),
        });
        let missing =
            self.missing.iter().map(|missing| (missing.problem.word().to_owned(), missing.why.into()));
        json["not_told"] = missing.collect::<serde_json::Map<_, _>>().into();
        if let Some(Baseline { name, deviation }) = &self.baseline {
            json["baseline"] = json!({
                "run": name,
                "matched": deviation.matched,
                "same_structure": deviation.same_structure,
                "work_ns": deviation.work.0,
                "baseline_work_ns": deviation.work.1,
            });
        }
        json
    }

    fn findings_json(&self) -> Value {
        let finding = |f: &Finding| {
            json!({
                "id": f.cause.id(),
                "severity": f.severity.word(),
                "cost_ns": f.cost,
                "where": self.line(f),
                "what": f.what,
                "evidence": f.evidence,
                "do": f.advice,
            })
        };
        self.findings.iter().map(finding).collect()
    }

    fn line(&self, finding: &Finding) -> Option<String> {
        let source = finding.source.and_then(|source| self.tasks.sources().get(source))?;
        Some(format!("{}:{}", source.file, source.line))
    }

    fn place(&self, grain: NodeId) -> String {
        match self.tasks.source(self.grains.task(grain)).0 {
            Some(source) => format!("{}:{}", source.file, source.line),
            None => format!("#{}", self.grains.task(grain).0),
        }
    }

    fn lines(&self) -> Vec<String> {
        let grains = &self.grains;
        let theta = grains.theta(None);
        let number = |n: usize| count(n as i64);
        let mut lines = vec![format!(
            "{}: {} in {}, {}",
            self.tasks.run().name(),
            many(grains.grain_count(), "grain"),
            many(grains.fork_joins(), "fork-join"),
            many(grains.raw_nodes(), "node"),
        )];
        let mut add = |name: &str, text: String| lines.push(format!("  {name:<14}{text}"));
        if let Some(missing) = runs::partial(self.tasks.run()) {
            add("partial", missing);
        }
        add(
            "groups",
            format!("{}, {} deep", number(grains.group_count()), many(grains.tree().max_depth(), "level")),
        );
        add(
            "visible",
            format!(
                "{} at most on the way to any grain, {} less than all",
                many(theta.most as usize, "node"),
                savings(theta.savings(grains.raw_nodes()))
            ),
        );
        let all = self.tasks.summary().work as f64;
        let outside = format!(
            "{}, {} of the work, is in no grain",
            self.time(grains.outside()),
            share(grains.outside() as f64, all)
        );
        add("outside", outside);
        if let Some(class) = grains.classes(1).first() {
            add(
                "alike",
                format!("{} have the structure of {}", many(class.count, "group"), grain_id(class.first)),
            );
        }
        if let Some(Baseline { name, deviation }) = &self.baseline {
            let same = if deviation.same_structure { "the same structure" } else { "another structure" };
            add(
                "baseline",
                format!(
                    "{name}: {same}, {} of {} matched, work × {}",
                    number(deviation.matched),
                    many(grains.grain_count(), "grain"),
                    three(deviation.work.0 as f64 / deviation.work.1.max(1) as f64)
                ),
            );
        }
        lines.push(String::new());
        lines.extend(self.problem_lines());
        lines.push(String::new());
        lines.extend(self.finding_lines());
        lines
    }

    fn problem_lines(&self) -> Vec<String> {
        let mut rows = vec![["problem", "grains", "time lost", "visible", "where"].map(str::to_owned)];
        for report in &self.problems {
            let set = &report.set;
            let sign = if set.problem.is_below() { "<" } else { ">" };
            let lost = match report.time_lost {
                0 => "–".to_owned(),
                lost => format!("{} ({})", self.time(lost), share(lost as f64, self.capacity())),
            };
            rows.push([
                format!("{} {sign} {}", set.problem.metric(), ProblemReport::threshold_text(set.threshold)),
                format!(
                    "{} ({})",
                    count(set.grains as i64),
                    share(set.grains as f64, self.grains.grain_count() as f64)
                ),
                lost,
                if set.grains == 0 { "–".to_owned() } else { count(report.theta.most as i64) },
                report.sites.iter().map(|site| self.site(site)).collect::<Vec<_>>().join(", "),
            ]);
        }
        let mut lines = table(&rows);
        let asked = self.missing.iter().filter(|missing| missing.asked);
        lines.extend(asked.map(|missing| format!("{} is not told: {}", missing.problem, missing.why)));
        lines
    }

    fn site(&self, share: &SiteShare) -> String {
        let place = match self.tasks.source(self.grains.task(share.node)).0 {
            Some(source) => source.short(),
            None => format!("#{}", self.grains.task(share.node).0),
        };
        format!("{place} × {}", count(share.grains as i64))
    }

    fn finding_lines(&self) -> Vec<String> {
        if self.findings.is_empty() {
            return vec!["no finding costs a hundredth of the workers' time".to_owned()];
        }
        let mut lines = Vec::new();
        for (i, finding) in self.findings.iter().enumerate() {
            lines.push(format!(
                "{:>2}. {} ({}, {}) {}: {}",
                i + 1,
                self.time(finding.cost),
                share(finding.cost as f64, self.capacity()),
                finding.severity.word(),
                finding.cause.id(),
                finding.evidence
            ));
            if let Some(line) = self.line(finding) {
                lines.push(format!("    at {line}"));
            }
            lines.push(format!("    {}", finding.advice));
        }
        lines
    }
}

/// What folding saves: what is not all is not said to be all.
fn savings(part: f64) -> String {
    let percents = 100.0 * part;
    format!("{:.2}{THIN}%", if part < 1.0 { percents.min(99.99) } else { percents })
}

/// Columns as wide as their widest cell.
fn table<const N: usize>(rows: &[[String; N]]) -> Vec<String> {
    let width = |c: usize| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::savings;

    #[test]
    fn not_all_is_not_said_to_be_all() {
        assert_eq!(savings(1.0 - 40.0 / 50.0), "20.00\u{2009}%");
        assert_eq!(savings(0.999_999), "99.99\u{2009}%");
        assert_eq!(savings(0.998_83), "99.88\u{2009}%");
    }
}
