//! What costs time in a run, as text: the grain graph in numbers and its problems.

use crosscut_scene::format::{count, three};
use crosscut_tasks::grain::{Deviation, Grains, Problem, ProblemReport, SiteShare};
use crosscut_tasks::{Account, Tasks};
use crosscut_workbench::text::columns;
use crosscut_workbench::{Cell, Fact, Told};

use super::opened::Opened;
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
    /// Where the time of all workers went.
    pub account: &'a Account,
}

impl<'a> Report<'a> {
    /// Of an open run.
    pub fn of(opened: &'a Opened) -> Self {
        let (tasks, graph) = (&opened.tasks, opened.grains());
        let name = |tasks: &Tasks| tasks.run().name();
        let baseline = opened.baseline.as_ref().map(name).zip(graph.deviation.as_ref());
        let missing = Problem::ALL.into_iter().filter_map(|problem| Some((problem, graph.missing(problem)?)));
        let problems = &opened.found().problems;
        let account = &opened.causes().account;
        Report { tasks, grains: &graph.grains, baseline, problems, missing: missing.collect(), account }
    }

    /// What all workers could have done.
    pub fn capacity(&self) -> f64 {
        f64::from(self.grains.workers()) * self.tasks.summary().elapsed as f64
    }

    fn time(&self, value: i64) -> String {
        time_text(value, self.tasks.clock())
    }

    /// As text. Of problems that are not available, those are named that were asked for.
    pub fn told(&self, asked: &[Problem]) -> Told {
        let grains = self.grains;
        let theta = grains.theta(None);
        let number = |n: usize| count(n as i64);
        let line = format!(
            "{} in {}, {}",
            many(grains.grain_count(), "grain"),
            many(grains.fork_joins(), "fork-join"),
            many(grains.raw_nodes(), "node"),
        );
        let mut facts = Vec::new();
        let mut add = |name: &str, text: String| facts.push(Fact::new(name, Cell::text(text)));
        let summary = self.tasks.summary();
        let busy = self.account.work as f64 / summary.elapsed.max(1) as f64;
        add("busy", format!("{} of {}", three(busy), many(summary.workers as usize, "worker")));
        add("account", self.account_text());
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
        Told { line, facts, lines: self.problem_lines(asked) }
    }

    /// Where the time of all workers went, in one line.
    fn account_text(&self) -> String {
        let Account { capacity, work, lost, shared, unexplained } = *self.account;
        let part = |value: i64| share(value as f64, capacity as f64);
        let mut text = format!("of {}: work {}, lost {}", self.time(capacity), part(work), part(lost));
        if shared > 0 {
            text.push_str(&format!(", more workers than processors {}", part(shared)));
        }
        text.push_str(&format!(", not explained {}", part(unexplained)));
        text
    }

    fn problem_lines(&self, asked: &[Problem]) -> Vec<String> {
        let mut rows =
            vec![["problem", "grains", "time lost", "visible", "where"].map(str::to_owned).to_vec()];
        for report in self.problems {
            let set = &report.set;
            let sign = if set.problem.is_below() { "<" } else { ">" };
            let lost = match report.time_lost {
                0 => "–".to_owned(),
                lost => format!("{} ({})", self.time(lost), share(lost as f64, self.capacity())),
            };
            rows.push(vec![
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
}
