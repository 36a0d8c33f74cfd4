//! A row of stages that all run, whatever happens to the ones before, and a table of them at the end: tests, time, and
//! processor time of all that a stage has started.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::tally::Tally;

/// A name to choose it by, and what it does.
pub type Stage = (&'static str, fn() -> Result<Tally>);

/// The stages that have run so far.
#[derive(Default)]
pub struct Stages {
    rows: Vec<Row>,
}

struct Row {
    name: &'static str,
    tally: Tally,
    time: Duration,
    processor: Duration,
    failure: Option<String>,
}

impl Stages {
    /// Runs a stage; what it returns, or its error, becomes a row of the table. A failed stage counts as at least
    /// one failure, so that a build error is never lost among the tests that passed.
    pub fn run(&mut self, name: &'static str, stage: impl FnOnce() -> Result<Tally>) {
        println!("\n── {name} ──");
        let start = Instant::now();
        let used = processor_time();
        let (tally, failure) = match stage() {
            Ok(tally) if tally.failed > 0 => (tally, Some(format!("{} failed", tally.failed))),
            Ok(tally) => (tally, None),
            Err(error) => {
                eprintln!("{name}: {error:#}");
                (Tally { failed: 1, ..Tally::default() }, Some(format!("{error:#}")))
            }
        };
        let processor = processor_time().saturating_sub(used);
        self.rows.push(Row { name, tally, time: start.elapsed(), processor, failure });
    }

    /// Runs the stages with these names, or all of `usual` when none is named; `others` run only by name.
    pub fn run_named(&mut self, usual: &[Stage], others: &[Stage], names: &[String]) -> Result<()> {
        let known = || usual.iter().chain(others).map(|(name, _)| *name);
        if let Some(unknown) = names.iter().find(|name| !known().any(|known| known == name.as_str())) {
            let known: Vec<&str> = known().collect();
            bail!("there is no stage \"{unknown}\"; there are: {}", known.join(", "));
        }
        let is_named = |name: &str| names.iter().any(|named| named == name);
        for (name, stage) in usual.iter().filter(|(name, _)| names.is_empty() || is_named(name)) {
            self.run(name, stage);
        }
        for (name, stage) in others.iter().filter(|(name, _)| is_named(name)) {
            self.run(name, stage);
        }
        Ok(())
    }

    /// Prints the table and the closing line; an error when any stage failed or none ran.
    pub fn finish(self) -> Result<()> {
        let width = self.rows.iter().map(|row| row.name.len()).max().unwrap_or(0).max("stage".len());
        let mut total = Tally::default();
        let (mut time, mut processor) = (Duration::ZERO, Duration::ZERO);
        println!("\n{:<width$}  passed  failed  skipped     time  processor", "stage");
        for row in &self.rows {
            let Tally { passed, failed, skipped } = row.tally;
            let [seconds, busy] = [row.time, row.processor].map(|time| time.as_secs_f64());
            let failure = row.failure.as_deref().and_then(|text| text.lines().next()).unwrap_or("");
            let line = format!(
                "{:<width$}  {passed:>6}  {failed:>6}  {skipped:>7}  {seconds:>6.1}s  {busy:>8.1}s  {failure}",
                row.name
            );
            println!("{}", line.trim_end());
            total += row.tally;
            time += row.time;
            processor += row.processor;
        }
        let [seconds, busy] = [time, processor].map(|time| time.as_secs_f64());
        println!("{:<width$}  {seconds:>31.1}s  {busy:>8.1}s", "all");
        println!("\n{} passed, {} failed", total.passed, total.failed);

        let failed: Vec<&str> =
            self.rows.iter().filter(|row| row.failure.is_some()).map(|row| row.name).collect();
        if !failed.is_empty() {
            bail!("failed: {}", failed.join(", "));
        }
        if self.rows.is_empty() {
            bail!("no stage has run");
        }
        Ok(())
    }
}

/// What this process and those that it started and has waited for used of the processors; nothing where Linux does not say.
fn processor_time() -> Duration {
    /// Clock ticks a second, in which Linux counts for programs whatever it counts in itself.
    const TICKS: u64 = 100;
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // A name in brackets comes first, and may hold anything: fields are counted behind it.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    // User and system time, its own and that of its children: fields 14 to 17 of proc(5).
    let ticks: u64 = fields.skip(11).take(4).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 1000 / TICKS)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{Stages, processor_time};
    use crate::tally::Tally;

    #[test]
    fn a_failed_stage_fails_the_whole_and_stops_no_other() {
        let mut stages = Stages::default();
        let mut reached = false;
        stages.run("first", || anyhow::bail!("broken"));
        stages.run("second", || {
            reached = true;
            Ok(Tally::PASSED)
        });
        assert!(reached);
        let error = stages.finish().map_err(|error| error.to_string());
        assert_eq!(error, Err("failed: first".into()));
    }

    #[test]
    fn stages_by_name() {
        const USUAL: &[super::Stage] = &[("a", || Ok(Tally::PASSED)), ("b", || Ok(Tally::PASSED))];
        const OTHERS: &[super::Stage] = &[("c", || anyhow::bail!("broken"))];
        let ran = |names: &[&str]| {
            let mut stages = Stages::default();
            let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
            stages.run_named(USUAL, OTHERS, &names).map_err(|error| error.to_string())?;
            Ok(stages.rows.iter().map(|row| row.name).collect::<Vec<_>>())
        };
        assert_eq!(ran(&[]), Ok(vec!["a", "b"]));
        assert_eq!(ran(&["c", "b"]), Ok(vec!["b", "c"]));
        assert_eq!(ran(&["d"]), Err("there is no stage \"d\"; there are: a, b, c".to_owned()));
    }

    #[test]
    fn failed_tests_fail_their_stage() {
        let mut stages = Stages::default();
        stages.run("tests", || Ok(Tally { passed: 5, failed: 1, skipped: 0 }));
        assert!(stages.finish().is_err());
        assert!(Stages::default().finish().is_err());
    }

    #[test]
    fn processor_time_of_children_counts() {
        let before = processor_time();
        let mut busy = Command::new("sh");
        busy.args(["-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"]);
        assert!(busy.status().unwrap().success());
        assert!(processor_time() > before);
    }
}
