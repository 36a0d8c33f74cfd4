//! What Caliper's columns mean, by their names: which of them add up, and in which unit.

use crosscut_calls::{Builder, Given, Unit};
use foldhash::{HashMap, HashSet};

/// What a column is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// What was spent, and adds up.
    Metric,
    /// With all that was called: follows from the metric.
    Inclusive,
    /// Least, most or mean of several: does not add up.
    Statistic,
    Rank,
    /// The order in which regions were seen first.
    Order,
    Label,
}

pub fn role(name: &str) -> Role {
    let is_time = name.contains("time.duration") || name.contains("time.inclusive") || name == "time";
    let is_count = name == "count" || name.ends_with("#count") || name.ends_with("rc.count");
    if name == "mpi.rank" || name == "rank" {
        return Role::Rank;
    }
    if name.contains("aggregate.slot") || name == "Node order" {
        return Role::Order;
    }
    let begins = |begin: &str| name.starts_with(begin);
    if ["min#", "max#", "avg#", "scale#", "scsum#", "avg.", "Min time", "Max time", "Avg time"]
        .iter()
        .any(|b| begins(b))
    {
        return Role::Statistic;
    }
    if name.contains("inclusive") || name == "Total time" {
        return Role::Inclusive;
    }
    if is_time || is_count || begins("sum#") { Role::Metric } else { Role::Label }
}

/// The metrics of a file, and what was left out.
#[derive(Debug, Default)]
pub struct Metrics {
    numbers: HashMap<String, (u32, Unit, f64)>,
    /// Columns of inclusive values, and these: used where nothing else tells the time.
    inclusive: Vec<(String, String, Unit, f64)>,
    inside: Vec<(usize, u32, u32, i64)>,
    statistics: HashSet<String>,
    /// Times without a unit.
    guessed: HashSet<String>,
}

impl Metrics {
    /// Adds a value, if its column is one that adds up. Of a column: name, alias, unit.
    pub fn add(
        &mut self,
        builder: &mut Builder,
        (name, alias, unit): (&str, Option<&str>, Option<&str>),
        place: u32,
        node: u32,
        value: f64,
    ) {
        // Nearly all values are of a column that is known.
        if let Some(&(metric, unit, one)) = self.numbers.get(name) {
            builder.add(metric, place, node, unit.whole(value, one));
            return;
        }
        match role(name) {
            Role::Metric => {}
            Role::Inclusive => return self.add_inclusive((name, alias, unit), place, node, value),
            Role::Statistic => {
                self.statistics.insert(name.to_owned());
                return;
            }
            Role::Rank | Role::Order | Role::Label => return,
        }
        let (kind, one, known) = unit_of(name, unit);
        if !known {
            self.guessed.insert(name.to_owned());
        }
        let metric = builder.metric(title(name, alias), kind, Given::Own);
        self.numbers.insert(name.to_owned(), (metric, kind, one));
        builder.add(metric, place, node, kind.whole(value, one));
    }

    fn add_inclusive(
        &mut self,
        (name, alias, unit): (&str, Option<&str>, Option<&str>),
        place: u32,
        node: u32,
        value: f64,
    ) {
        let known = self.inclusive.iter().position(|(other, ..)| other == name);
        let column = known.unwrap_or_else(|| {
            let (unit, one, is_known) = unit_of(name, unit);
            if !is_known {
                self.guessed.insert(name.to_owned());
            }
            self.inclusive.push((name.to_owned(), title(name, alias).to_owned(), unit, one));
            self.inclusive.len() - 1
        });
        if let Some((_, _, unit, one)) = self.inclusive.get(column) {
            self.inside.push((column, place, node, unit.whole(value, *one)));
        }
    }

    /// All values were added. Says whether there were any that add up.
    pub fn finish(mut self, builder: &mut Builder) -> bool {
        let left_out = match self.numbers.is_empty() {
            true => {
                for (column, (_, title, unit, _)) in self.inclusive.iter().enumerate() {
                    let metric = builder.metric(title, *unit, Given::Inclusive);
                    for &(_, place, node, value) in self.inside.iter().filter(|cell| cell.0 == column) {
                        builder.add(metric, place, node, value);
                    }
                }
                Vec::new()
            }
            false => std::mem::take(&mut self.inclusive),
        };
        let list = |names: &mut dyn Iterator<Item = &str>| {
            let mut names: Vec<&str> = names.collect();
            names.sort_unstable();
            names.join(", ")
        };
        if !self.statistics.is_empty() {
            let names = list(&mut self.statistics.iter().map(String::as_str));
            builder.note(format!("left out, since they do not add up: {names}"));
        }
        if !left_out.is_empty() {
            let names = list(&mut left_out.iter().map(|(name, ..)| name.as_str()));
            builder.note(format!("computed instead of read: {names}"));
        }
        if !self.guessed.is_empty() {
            let names = list(&mut self.guessed.iter().map(String::as_str));
            builder.note(format!("without a unit in the file, taken as microseconds: {names}"));
        }
        !self.numbers.is_empty() || !self.inclusive.is_empty()
    }
}

/// What people call a column.
fn title<'a>(name: &'a str, alias: Option<&'a str>) -> &'a str {
    let is_time = name.ends_with("time.duration") || name.ends_with("time.duration.ns");
    alias.unwrap_or(if is_time { "time" } else { name })
}

/// Unit, how many of it one of the file's is, and whether the file says so.
fn unit_of(name: &str, unit: Option<&str>) -> (Unit, f64, bool) {
    let is_time = name.contains("time") && !name.contains("count");
    match unit {
        Some("sec" | "s") => (Unit::Ns, 1e9, true),
        Some("msec" | "ms") => (Unit::Ns, 1e6, true),
        Some("usec" | "us") => (Unit::Ns, 1e3, true),
        Some("nsec" | "ns") => (Unit::Ns, 1.0, true),
        _ if name.ends_with("time.duration.ns") => (Unit::Ns, 1.0, true),
        // What Caliper's own configurations call so is in seconds.
        _ if name == "time" => (Unit::Ns, 1e9, true),
        _ if is_time => (Unit::Ns, 1e3, false),
        _ if name.contains("count") => (Unit::Count, 1.0, true),
        _ => (Unit::Micro, 1e6, true),
    }
}
