//! The manifest: what a run holds, where it came from, and how to tell whether a part is whole.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::rows::Keys;

/// The version of the run format that this program writes. Raise it with a step in `upgrade.rs`, a fixture of the
/// old version, and a line in `docs/format.md`.
pub const FORMAT: u32 = 2;

/// In place of a checksum while it is found.
const ZEROS: &str = "0000000000000000";

/// What stands in `manifest.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// XXH3-64 of the manifest's own text, with zeros in place of these digits; stands first. Runs that were written before
    /// there was one have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
    /// Version of the run format.
    pub format: u32,
    /// Version of the program that wrote it.
    pub crosscut: String,
    /// Where the run came from.
    pub origin: Origin,
    /// What is missing, when the run is partial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// The clock of all times.
    pub clock: Clock,
    /// When the first thing in it began and the last one ended; none when nothing in it has a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
    /// The parts that all domains share, by name.
    pub parts: BTreeMap<String, Part>,
    /// The parts of each domain, by name: what the run calls `domain/part`.
    #[serde(default)]
    pub domains: BTreeMap<String, BTreeMap<String, Part>>,
    /// Small results: of a whole domain under its name, and what concerns all of them.
    #[serde(default)]
    pub facts: BTreeMap<String, serde_json::Value>,
}

impl Manifest {
    /// The part of this name: `places`, or `domain/part`.
    pub fn part(&self, name: &str) -> Option<&Part> {
        match name.split_once('/') {
            Some((domain, part)) => self.domains.get(domain)?.get(part),
            None => self.parts.get(name),
        }
    }

    /// All parts with their names, the shared ones first.
    pub fn all_parts(&self) -> impl Iterator<Item = (String, &Part)> {
        let shared = self.parts.iter().map(|(name, part)| (name.clone(), part));
        let own = self.domains.iter().flat_map(|(domain, parts)| {
            parts.iter().map(move |(name, part)| (format!("{domain}/{name}"), part))
        });
        shared.chain(own)
    }

    /// As text that holds its own checksum.
    pub(crate) fn to_text(&self) -> Result<String, serde_json::Error> {
        let zero = Manifest { checksum: Some(ZEROS.to_owned()), ..self.clone() };
        let text = serde_json::to_string_pretty(&zero)?;
        let sum = format!("{:016x}", xxh3_64(text.as_bytes()));
        Ok(text.replacen(ZEROS, &sum, 1))
    }

    /// Whether the text that it was read from is as it was written, as far as it says so.
    pub(crate) fn fits(&self, text: &[u8]) -> bool {
        let Some(sum) = &self.checksum else { return true };
        // The first field: whatever else stands in the text stands behind it.
        let head = &text[..text.len().min(64)];
        let at = head.windows(sum.len().max(1)).position(|window| window == sum.as_bytes());
        let Some(at) = at.filter(|_| sum.len() == ZEROS.len()) else { return false };
        let mut zero = text.to_vec();
        zero[at..at + ZEROS.len()].copy_from_slice(ZEROS.as_bytes());
        format!("{:016x}", xxh3_64(&zero)) == *sum
    }

    pub(crate) fn insert(&mut self, name: String, part: Part) {
        match name.split_once('/') {
            Some((domain, own)) => {
                self.domains.entry(domain.to_owned()).or_default().insert(own.to_owned(), part);
            }
            None => {
                self.parts.insert(name, part);
            }
        }
    }

    /// Something happened from `first` to `last`: the run's time covers it.
    pub fn cover(&mut self, first: i64, last: i64) {
        let time = self.time.get_or_insert(Time { first, last });
        *time = Time { first: time.first.min(first), last: time.last.max(last) };
    }
}

/// A stretch of time, in the run's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Time {
    /// Its begin.
    pub first: i64,
    /// Its end.
    pub last: i64,
}

/// Provenance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The command that made the run.
    pub command: Vec<String>,
    /// The machine it was made on.
    pub host: String,
    /// When, in seconds since 1970-01-01 UTC.
    pub time: u64,
    /// Versions of the tools involved, by name.
    #[serde(default)]
    pub tools: BTreeMap<String, String>,
    /// The files it was imported from, with their sizes.
    #[serde(default)]
    pub inputs: Vec<(String, u64)>,
}

impl Origin {
    /// This process, now.
    pub fn here() -> Self {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned();
        let time = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |since| since.as_secs());
        Origin {
            command: std::env::args().collect(),
            host,
            time,
            tools: BTreeMap::from([("crosscut".to_owned(), env!("CARGO_PKG_VERSION").to_owned())]),
            inputs: Vec::new(),
        }
    }
}

/// What times are counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// Nanoseconds.
    #[default]
    Ns,
    /// Ticks of unknown frequency.
    Ticks,
}

impl Clock {
    /// The word for it.
    pub fn unit(self) -> &'static str {
        match self {
            Clock::Ns => "ns",
            Clock::Ticks => "ticks",
        }
    }
}

/// What kind of file a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PartKind {
    /// An Arrow IPC file with one column.
    Column,
    /// A Parquet file.
    Table,
}

/// One file of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Kind of file.
    pub kind: PartKind,
    /// Number of rows.
    pub rows: u64,
    /// Type of the values of a column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Of a column by node and place: the number of places, which its rows are a multiple of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<u64>,
    /// Of a table of row groups: which columns say where and when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<Keys>,
    /// Size of the file.
    pub bytes: u64,
    /// XXH3-64 of the whole file, in hexadecimal.
    pub hash: String,
    /// The same of each block of 4 MiB, one behind the other, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<String>,
}

impl Part {
    /// The part's file, relative to the run.
    pub fn file(&self, name: &str) -> String {
        match self.kind {
            PartKind::Column => format!("{name}.arrow"),
            PartKind::Table => format!("{name}.parquet"),
        }
    }
}
