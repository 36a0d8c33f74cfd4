//! What costs time in a run, as text: the grain graph in numbers, its problems and all findings, worst first.

use crosscut_scene::format::{count, three};
use crosscut_tasks::grain::{Deviation, Grains, Problem, ProblemReport, SiteShare};
use crosscut_tasks::{Account, Causes, Finding, Tasks};
use crosscut_workbench::Refusal;

use super::opened::{Found, Opened};
use super::words::{grain_id, many, savings, share, time_text};

/// Everything that a report says.
#[derive(Debug)]
pub struct Report<'a> {
    /// The run.
    pub tasks: &'a Tasks,
    /// Its grain graph.
    pub grains: &'a Grains,
    /// The run that work is compared with, by name.
    pub baseline: Option<(String, &'a Deviation)>,
    /// Problems that are available, most costly first.
    pub problems: &'a [ProblemReport],
    /// Problems that are not, and why.
    pub missing: Vec<(Problem, &'static str)>,
    /// What cost time, worst first.
    pub causes: &'a Causes,
}

impl<'a> Report<'a> {
    /// Of an open run; refused where it has a baseline that has nothing in common with it.
    pub fn of(opened: &'a Opened) -> Result<Self, Refusal> {
        let (tasks, graph) = (&opened.tasks, opened.grains());
        let deviation = graph.deviation.as_ref();
        let name = |tasks: &Tasks| tasks.run().name();
        let baseline = opened.baseline.as_ref().map(name).zip(deviation);
        if let Some((name, deviation)) = &baseline
            && deviation.matched == 0
        {
            let why = "not a single grain has a counterpart there; is it the same program?";
            return Err(Refusal::new(format!("{name}: {why}")));
        }
        let Found { problems, causes } = opened.found();
        let missing = Problem::ALL.into_iter().filter_map(|problem| Some((problem, graph.missing(problem)?)));
        Ok(Report { tasks, grains: &graph.grains, baseline, problems, missing: missing.collect(), causes })
    }

    /// What all workers could have done.
    pub fn capacity(&self) -> f64 {
        f64::from(self.grains.workers()) * self.tasks.summary().elapsed as f64
    }

    fn time(&self, value: i64) -> String {
        time_text(value, self.tasks.clock())
    }

    /// As text. Of problems that are not available, those are told of that were asked for.
    pub fn lines(&self, asked: &[Problem]) -> Vec<String> {
        let grains = self.grains;
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
        if let Some(missing) = &self.tasks.run().manifest().partial {
            add("partial", format!("{missing}; all numbers are those of what was recorded"));
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
        if let Some((name, deviation)) = &self.baseline {
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
        lines.extend(self.problem_lines(asked));
        lines.push(String::new());
        lines.extend(self.finding_lines());
        lines
    }

    fn problem_lines(&self, asked: &[Problem]) -> Vec<String> {
        let mut rows = vec![["problem", "grains", "time lost", "visible", "where"].map(str::to_owned)];
        for report in self.problems {
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
        let mut lines = columns(&rows);
        let asked = self.missing.iter().filter(|(problem, _)| asked.contains(problem));
        lines.extend(asked.map(|(problem, why)| format!("{problem} is not available: {why}")));
        lines
    }

    fn site(&self, share: &SiteShare) -> String {
        let place = match self.tasks.source(self.grains.task(share.node)).0 {
            Some(source) => source.short(),
            None => format!("#{}", self.grains.task(share.node).0),
        };
        format!("{place} × {}", count(share.grains as i64))
    }

    /// "3.6 of 8 workers busy; imbalance at solve.c:26 costs most".
    pub fn headline(&self) -> String {
        let summary = self.tasks.summary();
        let busy = self.causes.account.work as f64 / summary.elapsed.max(1) as f64;
        let workers = many(summary.workers as usize, "worker");
        let first = self.causes.worth().next();
        let most = first.map_or_else(String::new, |finding| {
            let place = self.line(finding).map_or_else(String::new, |place| format!(" at {place}"));
            format!("; {}{place} costs most", finding.cause.id().replace('-', " "))
        });
        format!("{} of {workers} busy{most}", three(busy))
    }

    fn line(&self, finding: &Finding) -> Option<String> {
        finding.source.and_then(|source| self.tasks.sources().get(source)).map(|source| source.short())
    }

    /// Where the time of all workers went, in one line.
    fn account(&self) -> String {
        let Account { capacity, work, lost, shared, unexplained } = self.causes.account;
        let part = |value: i64| share(value as f64, capacity as f64);
        let mut text = format!("of {}: work {}, lost {}", self.time(capacity), part(work), part(lost));
        if shared > 0 {
            text.push_str(&format!(", more workers than processors {}", part(shared)));
        }
        text.push_str(&format!(", not explained {}", part(unexplained)));
        text
    }

    fn finding_lines(&self) -> Vec<String> {
        let mut lines = vec![self.headline(), format!("  {}", self.account()), String::new()];
        for (i, finding) in self.causes.worth().enumerate() {
            lines.push(format!(
                "{:>2}. {} ({}, {}) {}: {}",
                i + 1,
                self.time(finding.cost),
                share(finding.cost as f64, self.capacity()),
                finding.severity.word(),
                finding.cause.id(),
                finding.what
            ));
            if let Some(place) = self.line(finding) {
                lines.push(format!("    at {place}"));
            }
            lines.push(format!("    {}", finding.evidence));
            lines.push(format!("    {}", finding.advice));
        }
        if self.causes.worth().next().is_none() {
            lines.push("no cause costs a hundredth of the workers' time; the largest is".to_owned());
            let largest = self.causes.findings.first();
            lines.push(largest.map_or_else(
                || "    nothing at all".to_owned(),
                |finding| format!("    {}, {}: {}", self.time(finding.cost), finding.cause.id(), finding.evidence),
            ));
        }
        lines
    }
}

/// Columns as wide as their widest cell.
fn columns<const N: usize>(rows: &[[String; N]]) -> Vec<String> {
    let width = |c: usize| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}
