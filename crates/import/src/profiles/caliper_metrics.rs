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

/// Operators whose results add up, from the left: sums, also scaled ones, of ranks and of nodes.
const SUMS: [&str; 3] = ["sum", "scale", "scsum"];
/// The same with all that was called.
const INCLUSIVE_SUMS: [&str; 2] = ["inclusive", "iscale"];
/// Operators whose results do not.
const STATISTICS: [&str; 17] = [
    "min",
    "max",
    "avg",
    "variance",
    "percent_total",
    "ratio",
    "scratio",
    "any",
    "histogram",
    "imin",
    "imax",
    "iavg",
    "ivariance",
    "ipercent_total",
    "iratio",
    "avg.sum",
    "avg.count",
];

/// The operators of a column, from the left, and what they are applied to.
fn operators(name: &str) -> (impl Iterator<Item = &str>, &str) {
    let (before, base) = name.rsplit_once('#').unwrap_or(("", name));
    (before.split('#').filter(|operator| !operator.is_empty()), base)
}

pub fn role(name: &str) -> Role {
    match name {
        "mpi.rank" | "rank" => return Role::Rank,
        "Node order" => return Role::Order,
        // What Caliper's own configurations call their columns.
        "time" | "Time (E)" | "Total time (exc)" => return Role::Metric,
        "Total time" | "Time (I)" | "Total time (inc)" => return Role::Inclusive,
        _ => {}
    }
    let (mut all, base) = operators(name);
    if base == "aggregate.slot" {
        return Role::Order;
    }
    let is_titled =
        ["Min time", "Max time", "Avg time", "Time %"].iter().any(|begin| name.starts_with(begin));
    let is_summed = operators(name).0.next().is_some();
    let is_time = base.starts_with("time.duration") || base.starts_with("time.inclusive");
    let is_count = base == "count" || base == "rc.count" || base == "scount";
    let is_known = |operator: &str| SUMS.contains(&operator) || INCLUSIVE_SUMS.contains(&operator);
    match all.find(|operator| !is_known(operator)) {
        _ if is_titled => Role::Statistic,
        Some(other) if STATISTICS.contains(&other) => Role::Statistic,
        // A name that happens to have a `#` in it.
        Some(_) => Role::Label,
        None if !(is_summed || is_time || is_count) => Role::Label,
        None if base.contains("inclusive") || operators(name).0.any(|one| INCLUSIVE_SUMS.contains(&one)) => {
            Role::Inclusive
        }
        None => Role::Metric,
    }
}

/// What columns of inclusive and of exclusive values have in common.
fn base(name: &str) -> String {
    match name {
        "time" | "Time (E)" | "Time (I)" | "Total time" | "Total time (exc)" | "Total time (inc)" => {
            "time.duration".to_owned()
        }
        _ => {
            let base = operators(name).1.replace(".inclusive", "");
            base.strip_suffix(".ns").unwrap_or(&base).to_owned()
        }
    }
}

/// Where the values of a column go.
#[derive(Clone, Copy, Debug)]
pub enum Goes {
    /// To a metric, in its unit and so many of it for one in the file.
    Metric(u32, Unit, f64),
    /// To a list, until it is known whether they are needed.
    Inclusive(usize, Unit, f64),
    Nowhere,
}

/// A column of inclusive values.
#[derive(Debug)]
struct Inclusive {
    name: String,
    title: String,
    unit: Unit,
}

/// The metrics of a file, and what was left out.
#[derive(Debug, Default)]
pub struct Metrics {
    /// By name of the column.
    known: HashMap<String, Goes>,
    /// What columns of exclusive values are of.
    bases: HashSet<String>,
    /// Columns of inclusive values, and these: used where nothing else tells the same.
    inclusive: Vec<Inclusive>,
    inside: Vec<(usize, u32, u32, i64)>,
    statistics: HashSet<String>,
    /// Times without a unit.
    guessed: HashSet<String>,
}

impl Metrics {
    /// Where values of a column go: asked when it has its first. Of a column: name, alias, unit.
    pub fn column(
        &mut self,
        builder: &mut Builder,
        (name, alias, unit): (&str, Option<&str>, Option<&str>),
    ) -> Goes {
        if let Some(&known) = self.known.get(name) {
            return known;
        }
        let role = role(name);
        if role == Role::Statistic {
            self.statistics.insert(name.to_owned());
        }
        let (unit, one, is_known) = unit_of(name, unit);
        if !is_known && matches!(role, Role::Metric | Role::Inclusive) {
            self.guessed.insert(name.to_owned());
        }
        let goes = match role {
            Role::Metric => {
                self.bases.insert(base(name));
                Goes::Metric(builder.metric(title(name, alias), unit, Given::Own), unit, one)
            }
            Role::Inclusive => {
                let title = title(name, alias).to_owned();
                self.inclusive.push(Inclusive { name: name.to_owned(), title, unit });
                Goes::Inclusive(self.inclusive.len() - 1, unit, one)
            }
            _ => Goes::Nowhere,
        };
        self.known.insert(name.to_owned(), goes);
        goes
    }

    /// Adds a value.
    pub fn add(&mut self, builder: &mut Builder, goes: Goes, place: u32, node: u32, value: f64) {
        match goes {
            Goes::Metric(metric, unit, one) => builder.add(metric, place, node, unit.whole(value, one)),
            Goes::Inclusive(column, unit, one) => {
                self.inside.push((column, place, node, unit.whole(value, one)));
            }
            Goes::Nowhere => {}
        }
    }

    /// All values were added. Says whether there were any that add up.
    pub fn finish(mut self, builder: &mut Builder) -> bool {
        let has_own = !self.bases.is_empty();
        let (left_out, used): (Vec<_>, Vec<_>) = std::mem::take(&mut self.inclusive)
            .into_iter()
            .enumerate()
            .partition(|(_, column)| self.bases.contains(&base(&column.name)));
        for (at, column) in &used {
            let metric = builder.metric(&column.title, column.unit, Given::Inclusive);
            for &(_, place, node, value) in self.inside.iter().filter(|cell| cell.0 == *at) {
                builder.add(metric, place, node, value);
            }
        }
        builder.time_first();
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
            let names = list(&mut left_out.iter().map(|(_, column)| column.name.as_str()));
            builder.note(format!("computed instead of read: {names}"));
        }
        if !self.guessed.is_empty() {
            let names = list(&mut self.guessed.iter().map(String::as_str));
            builder.note(format!("without a unit in the file, taken as microseconds: {names}"));
        }
        has_own || !used.is_empty()
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
        // By how much is not said.
        _ if operators(name).0.any(|one| matches!(one, "scale" | "scsum" | "iscale")) => {
            (Unit::Micro, 1e6, true)
        }
        _ if name == "scount" => (Unit::Micro, 1e6, true),
        _ if name.ends_with("time.duration.ns") => (Unit::Ns, 1.0, true),
        // What Caliper's own configurations call so is in seconds.
        _ if name == "time" || name.starts_with("Time (") || name.starts_with("Total time (") => {
            (Unit::Ns, 1e9, true)
        }
        _ if is_time => (Unit::Ns, 1e3, false),
        _ if name.contains("count") => (Unit::Count, 1.0, true),
        _ => (Unit::Micro, 1e6, true),
    }
}
