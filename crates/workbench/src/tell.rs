//! What the command line says of runs, as text and for scripts: `info`, `report` and `compare`. What a run is stands here;
//! what is inside it the domains say.

use std::sync::Arc;

use crosscut_scene::format::{THIN, quantity, share, three};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::bench::{OpenRun, Workbench};
use crate::domain::{Compared, Topic};
use crate::error::Refusal;
use crate::loss::Found;
use crate::overview::capacity;
use crate::picture::same_domain;
use crate::sheet::{Cell, Fact, Finding};
use crate::text;

/// What `crosscut info --json` says of every run.
#[derive(Debug, Serialize)]
struct Basics<'a> {
    crosscut: &'a str,
    partial: bool,
    /// That a worker ran on several cores does not make it several places.
    places: usize,
    clock: &'static str,
}

/// A finding as scripts rely on it.
#[derive(Debug, Serialize)]
struct FindingJson<'a> {
    id: &'a str,
    severity: &'static str,
    cost_ns: i64,
    without_ns: Option<i64>,
    bound: bool,
    r#where: Option<String>,
    /// The positions between which the work lies, where only those are known; the second one is `where`.
    #[serde(skip_serializing_if = "Option::is_none")]
    between: Option<[String; 2]>,
    /// Who caused it.
    #[serde(skip_serializing_if = "<[u32]>::is_empty")]
    ranks: &'a [u32],
    what: &'a str,
    evidence: &'a str,
    r#do: &'a str,
}

impl Workbench {
    /// What is inside a run, as `crosscut info --json` says it.
    pub fn info_json(&self, run: usize) -> Result<Map<String, Value>, Refusal> {
        let open = self.run(run)?;
        let manifest = open.run.manifest();
        let mut json = object(&Basics {
            crosscut: &manifest.crosscut,
            partial: manifest.partial.is_some(),
            places: open.places.worker_count(),
            clock: manifest.clock.unit(),
        })?;
        self.add_json(run, Topic::Info, &mut json)?;
        Ok(json)
    }

    /// What costs time in a run, as `crosscut report --json` says it.
    pub fn report_json(&self, run: usize) -> Result<Map<String, Value>, Refusal> {
        let mut json = self.info_json(run)?;
        self.add_json(run, Topic::Report, &mut json)?;
        let found = self.found(run)?;
        if let Some(why) = &found.too_little {
            json.insert("too_little".to_owned(), Value::from(why.as_str()));
        }
        if !found.not_looked_for.is_empty() {
            json.insert("not_looked_for".to_owned(), Value::from(found.not_looked_for.clone()));
        }
        let found: Vec<FindingJson<'_>> = found.findings.iter().map(finding_json).collect();
        let value = serde_json::to_value(found).map_err(|error| Refusal::new(error.to_string()))?;
        json.insert("findings".to_owned(), value);
        Ok(json)
    }

    fn add_json(&self, run: usize, topic: Topic, json: &mut Map<String, Value>) -> Result<(), Refusal> {
        for domain in &self.run(run)?.domains {
            add(json, self.job(run, |job| domain.json(topic, job))?);
        }
        Ok(())
    }

    /// What costs time in a run, worst first; made once.
    pub fn found(&self, run: usize) -> Result<Arc<Found>, Refusal> {
        self.job(run, |job| job.found())
    }

    /// What all places of a run could have done, in its clock's unit.
    pub fn capacity(&self, run: usize) -> Result<f64, Refusal> {
        Ok(capacity(self.run(run)?))
    }

    /// A run in a line.
    pub fn line(&self, run: usize) -> Result<String, Refusal> {
        let open = self.run(run)?;
        let mut said = Vec::new();
        for domain in &open.domains {
            said.push(self.job(run, |job| domain.told(Topic::Info, job))?.line);
        }
        if said.is_empty() {
            said.push(format!("no {}", open.absent.join(", ")));
        }
        Ok(format!("{}: {}", open.run.path().display(), said.join("; ")))
    }

    /// What is inside a run, in about ten lines.
    pub fn info(&self, run: usize) -> Result<Vec<String>, Refusal> {
        let open = self.run(run)?;
        let manifest = open.run.manifest();
        let mut lines = vec![format!(
            "{}: {} on disk, run format {}, written by crosscut {}",
            open.run.path().display(),
            size(open.run.bytes()),
            manifest.format,
            manifest.crosscut
        )];
        let mut facts = origin(open);
        facts.extend(open.partial().map(|missing| said("partial", missing)));
        for domain in &open.domains {
            facts.extend(self.job(run, |job| domain.told(Topic::Info, job))?.facts);
        }
        if open.domains.is_empty() {
            facts.extend(open.absent.iter().map(|word| said(word, "none".to_owned())));
        }
        lines.extend(facts.iter().map(|fact| text::fact(fact, text::WIDTH)));
        Ok(lines)
    }

    /// What costs time in a run: what each domain says, then all findings, worst first.
    pub fn report(&self, run: usize) -> Result<Vec<String>, Refusal> {
        let open = self.run(run)?;
        let mut lines = Vec::new();
        for domain in &open.domains {
            let told = self.job(run, |job| domain.told(Topic::Report, job))?;
            lines.push(format!("{}: {}", open.run.name(), told.line));
            let facts = partial_note(open).map(|missing| said("partial", missing)).into_iter();
            lines.extend(facts.chain(told.facts).map(|fact| text::fact(&fact, text::WIDTH)));
            lines.push(String::new());
            if !told.lines.is_empty() {
                lines.extend(told.lines);
                lines.push(String::new());
            }
        }
        let found = self.found(run)?;
        let capacity = capacity(open);
        if let Some(why) = &found.too_little {
            lines.push(format!("too little to judge, nothing is called a finding: {why}"));
        } else if !open.domains.iter().any(|domain| domain.looks_for_losses()) {
            lines.push("lost time is not looked for in such a run".to_owned());
        } else if found.findings.is_empty() {
            lines.push("no finding costs a hundredth of the workers' time".to_owned());
            lines.extend(found.lost.first().map(|lost| {
                let cost = quantity(lost.cost, open.clock());
                format!("    the largest: {cost} ({}), {}", share(lost.cost, capacity), lost.what)
            }));
        }
        lines.extend(found.findings.iter().flat_map(|found| text::finding(found, Some(capacity))));
        if found.too_little.is_none() {
            lines.extend(found.not_looked_for.iter().map(|text| format!("not looked for: {text}")));
        }
        Ok(lines)
    }

    /// How a run differs from another one, by all domains that both have.
    pub fn compared(&self, run: usize, other: usize) -> Result<Compared, Refusal> {
        let (here, there) = (self.run(run)?, self.run(other)?);
        let mut all = Compared::default();
        for open in [here, there] {
            let note = partial_note(open).map(|missing| format!("{}: {missing}", open.run.name()));
            all.facts.extend(note.map(|note| said("partial", note)));
        }
        let (mut is_baseline, mut why_not) = (false, None);
        for domain in &here.domains {
            let Some(with) = same_domain(self, other, &**domain) else {
                let text = format!("{} has none: not compared", there.run.name());
                all.facts.push(said(domain.word(), text));
                continue;
            };
            let compared = self.job(run, |job| domain.compared(with, job))?;
            all.facts.extend(compared.facts);
            all.differences.extend(compared.differences);
            all.lines.extend(compared.lines);
            add(&mut all.json, compared.json);
            is_baseline |= compared.no_baseline.is_none();
            why_not = why_not.or(compared.no_baseline);
        }
        let nothing = || "the runs have nothing in common".to_owned();
        all.no_baseline = (!is_baseline).then(|| why_not.unwrap_or_else(nothing));
        Ok(all)
    }
}

fn said(name: &str, text: String) -> Fact {
    Fact::new(name, Cell::Text { text })
}

/// What a run that is not whole lacks, before any numbers.
fn partial_note(open: &OpenRun) -> Option<String> {
    Some(format!("{}; all numbers are those of what was recorded", open.partial()?))
}

/// When, where and of what a run was made.
fn origin(open: &OpenRun) -> Vec<Fact> {
    let origin = &open.run.manifest().origin;
    let made = format!("{} on {}: {}", date(origin.time), origin.host, origin.command.join(" "));
    let from = origin.inputs.iter().map(|(file, bytes)| said("from", format!("{file}, {}", size(*bytes))));
    std::iter::once(said("made", made)).chain(from).collect()
}

/// For scripts: the keys of a typed answer.
pub fn object(json: &impl Serialize) -> Result<Map<String, Value>, Refusal> {
    match serde_json::to_value(json) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(Refusal::new("this is no object")),
        Err(error) => Err(Refusal::new(error.to_string())),
    }
}

/// Adds keys; below a key that both have, what is new is added there.
fn add(json: &mut Map<String, Value>, more: Map<String, Value>) {
    for (key, value) in more {
        match (json.get_mut(&key), value) {
            (Some(Value::Object(old)), Value::Object(new)) => old.extend(new),
            (_, value) => {
                json.insert(key, value);
            }
        }
    }
}

fn finding_json(finding: &Finding) -> FindingJson<'_> {
    FindingJson {
        id: &finding.id,
        severity: finding.severity.word(),
        cost_ns: text::cost(finding) as i64,
        without_ns: finding.without.as_ref().and_then(Cell::number).map(|time| time as i64),
        bound: finding.bound,
        r#where: finding.line.as_ref().map(Cell::position),
        between: finding.line.as_ref().and_then(Cell::between),
        ranks: &finding.ranks,
        what: &finding.what,
        evidence: &finding.evidence,
        r#do: &finding.advice,
    }
}

/// Bytes on disk, as disks are sold: 12.3 MB.
pub fn size(bytes: u64) -> String {
    let bytes = bytes as f64;
    match bytes {
        s if s >= 1e9 => format!("{}{THIN}GB", three(s / 1e9)),
        s if s >= 1e6 => format!("{}{THIN}MB", three(s / 1e6)),
        s if s >= 1e3 => format!("{}{THIN}kB", three(s / 1e3)),
        s => format!("{s}{THIN}bytes"),
    }
}

/// A day and time in UTC from seconds since 1970 (Howard Hinnant's `civil_from_days`).
fn date(seconds: u64) -> String {
    let days = (seconds / 86_400) as i64 + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute) = (seconds % 86_400 / 3_600, seconds % 3_600 / 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(date(1_763_194_440), "2025-11-15 08:14 UTC");
    }

    #[test]
    fn what_a_report_adds_stands_beside_what_info_says() {
        let map = |value: Value| value.as_object().cloned().unwrap_or_default();
        let mut all = map(json!({ "a": { "x": 1 }, "b": 2 }));
        add(&mut all, map(json!({ "a": { "y": 3 }, "b": 4, "c": 5 })));
        assert_eq!(Value::Object(all), json!({ "a": { "x": 1, "y": 3 }, "b": 4, "c": 5 }));
    }
}
