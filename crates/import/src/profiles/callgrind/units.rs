//! What the events of a file are counted in. Callgrind counts; other programs write times and sizes, and say so in the name of the
//! event (`Time_(10ns)`, `cpu(ms)`, `us`) or in the line that describes it (`event: sysTime : sysTime (elapsed ns)`).

use crosscut_calls::Unit;
use foldhash::HashMap;

/// An event as a metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    /// What it is called.
    pub name: String,
    pub unit: Unit,
    /// How many of its unit one in the file is.
    pub one: i64,
}

/// What a file says of its events.
#[derive(Default)]
pub struct Units {
    described: HashMap<String, String>,
}

impl Units {
    /// A line `event: NAME : what it is`, or `event: NAME = formula : what it is`.
    pub fn describe(&mut self, line: &str) {
        if let Some((name, what)) = line.split_once(':') {
            let name = name.split('=').next().unwrap_or(name).trim();
            self.described.insert(name.to_owned(), what.trim().to_owned());
        }
    }

    /// An event by its name, else by how it was described.
    pub fn measure(&self, event: &str) -> Measure {
        let named = |name: &str, (unit, one)| Measure { name: name.to_owned(), unit, one };
        if let Some((name, unit)) = in_brackets(event) {
            let name = name.strip_suffix('_').unwrap_or(name).trim_end();
            return unit_of(unit).map_or_else(|| plain(event), |unit| named(name, unit));
        }
        let time = |unit: &(Unit, i64)| unit.0 == Unit::Ns;
        if let Some(unit) = unit_of(event).filter(time) {
            return named("time", unit);
        }
        let what = self.described.get(event).map_or("", String::as_str);
        let unit = in_brackets(what).map_or(what, |(_, inside)| inside.rsplit(' ').next().unwrap_or(inside));
        unit_of(unit).map_or_else(|| plain(event), |unit| named(event, unit))
    }
}

/// `name(inside)`.
fn in_brackets(text: &str) -> Option<(&str, &str)> {
    text.strip_suffix(')')?.rsplit_once('(').filter(|(name, _)| !name.is_empty())
}

/// An event of which nothing is said but its name.
fn plain(event: &str) -> Measure {
    let is_bytes = event.to_lowercase().contains("byte");
    Measure { name: event.to_owned(), unit: if is_bytes { Unit::Bytes } else { Unit::Count }, one: 1 }
}

/// A unit, also with a number before it: `10ns`.
fn unit_of(text: &str) -> Option<(Unit, i64)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (factor, unit) = text.split_at(digits);
    let factor: i64 = factor.parse().unwrap_or(1);
    let (unit, one) = match unit.to_lowercase().as_str() {
        "ns" | "nsec" | "nanosecond" | "nanoseconds" => (Unit::Ns, 1),
        "us" | "µs" | "μs" | "usec" | "microsecond" | "microseconds" => (Unit::Ns, 1_000),
        "ms" | "msec" | "millisecond" | "milliseconds" => (Unit::Ns, 1_000_000),
        "sec" | "second" | "seconds" => (Unit::Ns, 1_000_000_000),
        "bytes" => (Unit::Bytes, 1),
        _ => return None,
    };
    Some((unit, factor.max(1).saturating_mul(one)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_events_are_counted_in() {
        let mut units = Units::default();
        units.describe(" sysTime : sysTime (elapsed ns)");
        units.describe("usphit :microseconds/hit");
        units.describe("ns : Nanoseconds");
        units.describe("Cycle = Ir + 10 Bm : Estimate");
        units.describe("Wait : Milliseconds");
        for (event, name, unit, one) in [
            ("Ir", "Ir", Unit::Count, 1),
            ("sysCount", "sysCount", Unit::Count, 1),
            ("sysTime", "sysTime", Unit::Ns, 1),
            ("usphit", "usphit", Unit::Count, 1),
            ("ns", "time", Unit::Ns, 1),
            ("microseconds", "time", Unit::Ns, 1_000),
            ("Cycle", "Cycle", Unit::Count, 1),
            ("Wait", "Wait", Unit::Ns, 1_000_000),
            ("cpu(ms)", "cpu", Unit::Ns, 1_000_000),
            ("samples(count)", "samples(count)", Unit::Count, 1),
            ("Time_(10ns)", "Time", Unit::Ns, 10),
            ("Memory_(bytes)", "Memory", Unit::Bytes, 1),
            ("AllocatedBytes", "AllocatedBytes", Unit::Bytes, 1),
        ] {
            assert_eq!(units.measure(event), Measure { name: name.to_owned(), unit, one }, "{event}");
        }
    }
}
