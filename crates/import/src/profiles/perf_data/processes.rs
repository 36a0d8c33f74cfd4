//! Who mapped which file where, and when: forks inherit what was mapped, exec forgets it.

use std::time::SystemTime;

use foldhash::{HashMap, HashMapExt};

use super::MMAP2;
use super::attr::Attrs;
use super::file::{Record, build_id};
use super::sample::time_of;
use crate::error::ImportError;
use crate::input::Input;
use crate::profiles::code::Identity;

/// What the kernel maps is of this process.
pub const KERNEL: u32 = u32::MAX;
/// A record of mapping says which build of a file it was.
const HAS_BUILD_ID: u16 = 1 << 14;
/// A name that comes with the begin of a program.
const EXEC: u16 = 1 << 13;
/// Forks of forks: no more are followed.
const MOST_FORKS: usize = 64;

/// A file, or a part of it, in the memory of a process.
#[derive(Clone, Debug)]
struct Mapping {
    time: u64,
    start: u64,
    end: u64,
    offset: u64,
    path: String,
    identity: Identity,
}

/// A process.
#[derive(Clone, Debug, Default)]
struct Process {
    /// By time.
    mappings: Vec<Mapping>,
    /// When programs began in it, in order.
    execs: Vec<u64>,
    /// When it was made, and of which.
    fork: Option<(u64, u32)>,
}

impl Process {
    /// When the program that runs at a time began.
    fn began(&self, time: u64) -> u64 {
        let known = self.execs.partition_point(|&exec| exec <= time);
        known.checked_sub(1).and_then(|last| self.execs.get(last)).copied().unwrap_or(0)
    }
}

/// What is at an address.
pub struct Found<'a> {
    pub path: &'a str,
    pub identity: &'a Identity,
    pub offset: u64,
}

/// All processes.
#[derive(Default)]
pub struct Processes {
    all: HashMap<u32, Process>,
    build_ids: HashMap<String, Vec<u8>>,
    measured: Option<SystemTime>,
}

impl Processes {
    /// None yet.
    pub fn new(input: &Input<'_>) -> Self {
        let measured = input.path().metadata().and_then(|about| about.modified()).ok();
        Processes { all: HashMap::new(), build_ids: HashMap::new(), measured }
    }

    /// A file was mapped.
    pub fn map(&mut self, record: &Record<'_>, attrs: &Attrs) -> Result<(), ImportError> {
        let (pid, start, len) = (record.u32(0)?, record.u64(8)?, record.u64(16)?);
        let is_second = record.kind == MMAP2;
        let path = record.text(if is_second { 64 } else { 32 });
        let identity = match (is_second, record.misc & HAS_BUILD_ID != 0) {
            (true, true) => {
                let size = usize::from(record.slice(32, 1)?.first().copied().unwrap_or(0)).min(20);
                Identity::Build(record.slice(36, size)?.to_vec())
            }
            (true, false) => Identity::Inode(record.u64(40)?, self.measured),
            _ => Identity::Unknown,
        };
        let mapping = Mapping {
            time: time_of(record, attrs)?,
            start,
            end: start.saturating_add(len),
            offset: record.u64(24)?,
            path,
            identity,
        };
        self.all.entry(pid).or_default().mappings.push(mapping);
        Ok(())
    }

    /// A process got a name: with the mark, a program began.
    pub fn comm(&mut self, record: &Record<'_>, attrs: &Attrs) -> Result<(), ImportError> {
        if record.misc & EXEC != 0 {
            let time = time_of(record, attrs)?;
            self.all.entry(record.u32(0)?).or_default().execs.push(time);
        }
        Ok(())
    }

    /// A process or a thread was made.
    pub fn fork(&mut self, record: &Record<'_>) -> Result<(), ImportError> {
        let (pid, parent, time) = (record.u32(0)?, record.u32(4)?, record.u64(16)?);
        if pid != parent {
            self.all.entry(pid).or_default().fork = Some((time, parent));
        }
        Ok(())
    }

    /// The build id of a file, in a pipe.
    pub fn build_id(&mut self, record: &Record<'_>) -> Result<(), ImportError> {
        let (name, id) = build_id(record)?;
        self.build_ids.insert(name, id);
        Ok(())
    }

    /// The build ids of files.
    pub fn build_ids(&mut self, list: &[(String, Vec<u8>)]) {
        self.build_ids.extend(list.iter().cloned());
    }

    /// All records were seen.
    pub fn sort(&mut self) {
        for process in self.all.values_mut() {
            process.mappings.sort_by_key(|mapping| mapping.time);
            process.execs.sort_unstable();
            for mapping in &mut process.mappings {
                if let Some(id) = self.build_ids.get(&mapping.path) {
                    mapping.identity = Identity::Build(id.clone());
                }
            }
        }
    }

    /// Build id of the kernel, and where its code began.
    pub fn kernel(&self) -> Option<(&[u8], u64)> {
        let mapping =
            self.all.get(&KERNEL)?.mappings.iter().find(|m| m.path.starts_with("[kernel.kallsyms]"))?;
        let id = self.build_ids.get("[kernel.kallsyms]").map(Vec::as_slice);
        let id = id.or(match &mapping.identity {
            Identity::Build(id) => Some(id),
            _ => None,
        });
        Some((id?, mapping.start))
    }

    /// How much had been mapped in a process by a time: what was looked up stays true until that changes.
    pub fn epoch(&self, pid: u32, time: u64) -> usize {
        let Some(process) = self.all.get(&pid) else { return 0 };
        process.mappings.partition_point(|mapping| mapping.time <= time) + process.execs.len()
    }

    /// What was at an address of a process at a time.
    pub fn find(&self, pid: u32, time: u64, address: u64) -> Option<Found<'_>> {
        let (mut pid, mut time) = (pid, time);
        for _ in 0..MOST_FORKS {
            let process = self.all.get(&pid)?;
            let began = process.began(time);
            let known = process.mappings.partition_point(|mapping| mapping.time <= time);
            let found =
                process.mappings.get(..known)?.iter().rev().find(|mapping| {
                    mapping.time >= began && mapping.start <= address && address < mapping.end
                });
            if let Some(mapping) = found {
                return Some(Found {
                    path: &mapping.path,
                    identity: &mapping.identity,
                    offset: (address - mapping.start).saturating_add(mapping.offset),
                });
            }
            // What a program mapped before it was begun anew is not its own any more.
            let (forked, parent) = process.fork.filter(|_| began == 0)?;
            (pid, time) = (parent, time.min(forked));
        }
        None
    }
}
