//! Who mapped which file where, and when: forks inherit what was mapped, exec forgets it.

use std::time::SystemTime;

use crosscut_run::texts;
use foldhash::{HashMap, HashMapExt};

use super::MMAP2;
use super::attr::Attrs;
use super::cover::Cover;
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
    /// Where they are.
    cover: Cover,
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
        let mut path = record.text(if is_second { 64 } else { 32 });
        // It is looked at for each address.
        texts::kept(&mut path);
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
            process.cover = Cover::new(process.mappings.iter().map(|mapping| (mapping.start, mapping.end)));
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

    /// How much had been mapped and begun in a process by a time: what was looked up stays true until that changes.
    pub fn epoch(&self, pid: u32, time: u64) -> usize {
        let Some(process) = self.all.get(&pid) else { return 0 };
        let mapped = process.mappings.partition_point(|mapping| mapping.time <= time);
        mapped + process.execs.partition_point(|&exec| exec <= time)
    }

    /// What was at an address of a process at a time.
    pub fn find(&self, pid: u32, time: u64, address: u64) -> Option<Found<'_>> {
        let (mut pid, mut time) = (pid, time);
        for _ in 0..MOST_FORKS {
            let process = self.all.get(&pid)?;
            let began = process.began(time);
            let known = process.mappings.partition_point(|mapping| mapping.time <= time);
            let latest = process.cover.latest(known, address).and_then(|at| process.mappings.get(at));
            let found = latest.filter(|mapping| mapping.time >= began);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(time: u64, start: u64, end: u64, path: &str) -> Mapping {
        Mapping { time, start, end, offset: 0, path: path.to_owned(), identity: Identity::Unknown }
    }

    fn of(pid: u32, process: Process) -> Processes {
        let mut processes = Processes { all: HashMap::from_iter([(pid, process)]), ..Processes::default() };
        processes.sort();
        processes
    }

    fn path(processes: &Processes, pid: u32, time: u64, address: u64) -> Option<&str> {
        processes.find(pid, time, address).map(|found| found.path)
    }

    #[test]
    fn what_a_program_mapped_ends_with_it() {
        let mappings = vec![mapping(6, 0, 50, "new"), mapping(1, 0, 100, "old"), mapping(2, 20, 30, "over")];
        let mut processes = of(1, Process { mappings, execs: vec![5], ..Process::default() });
        processes.all.insert(2, Process { fork: Some((4, 1)), ..Process::default() });
        assert_eq!(path(&processes, 1, 1, 25), Some("old"));
        assert_eq!(path(&processes, 1, 4, 25), Some("over"));
        assert_eq!(path(&processes, 1, 4, 30), Some("old"));
        assert_eq!(path(&processes, 1, 7, 25), Some("new"));
        // The new program had not mapped it yet; its parent, which it was forked from, had mapped what it had.
        assert_eq!(path(&processes, 1, 5, 25), None);
        assert_eq!(path(&processes, 1, 7, 60), None);
        assert_eq!(path(&processes, 2, 7, 25), Some("over"));
        // What was looked up stays true while nothing is mapped and nothing begins.
        let epochs = [1, 2, 4, 5, 6, 7].map(|time| processes.epoch(1, time));
        assert_eq!(epochs, [1, 2, 2, 3, 4, 4]);
    }

    /// As many mappings as addresses, none of which the latest of them hold: going through them would be forty thousand million
    /// steps.
    #[test]
    fn many_mappings_are_not_gone_through() {
        const MANY: u64 = 200_000;
        let mappings = (0..MANY).map(|number| mapping(number, 2 * number, 2 * number + 1, "a")).collect();
        // And as many programs that began in it.
        let execs = vec![0; MANY as usize];
        let processes = of(1, Process { mappings, execs, ..Process::default() });
        let found = (0..MANY).filter(|&address| path(&processes, 1, MANY, address).is_some()).count();
        assert_eq!(found as u64, MANY / 2);
    }
}
