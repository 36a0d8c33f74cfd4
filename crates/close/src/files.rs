//! The files that recorders left in a folder: for each process what it said about itself, where its code was, and the
//! words of its threads' events.

use std::fs;
use std::path::{Path, PathBuf};

use crosscut_events::{Events, HeaderError, MAPS, PROCESS};
use crosscut_run::plain::{self, Mapped};

use crate::error::CloseError;

/// The most bytes of what a process says about itself, and of its memory map: some hundred for each of a million maps.
const PROCESS_BYTES: u64 = 16 << 20;
const MAPS_BYTES: u64 = 256 << 20;

/// A recorded process.
#[derive(Debug)]
pub struct Process {
    /// Its folder.
    pub folder: PathBuf,
    /// What it said about itself, in order.
    pub lines: Vec<(String, String)>,
    /// The text of its memory map.
    pub maps: String,
    /// Its threads that wrote something, by number.
    pub threads: Vec<Thread>,
    /// Samples of the stacks of some of them, by number.
    pub samples: Vec<Thread>,
    /// Threads that were stopped before they wrote anything.
    pub empty: usize,
}

/// The events of a thread.
#[derive(Debug)]
pub struct Thread {
    /// Its file.
    pub path: PathBuf,
    /// Its number within the process.
    pub number: u32,
    map: Mapped,
}

impl Thread {
    /// Its events.
    pub fn events(&self) -> Result<Events<'_>, CloseError> {
        let words = words(&self.map);
        Events::new(words).map_err(|why| CloseError::Events { path: self.path.clone(), why: why.to_string() })
    }
}

/// The whole words of a map, which begins at a page.
fn words(map: &[u8]) -> &[u64] {
    let whole = map.len() / 8 * 8;
    bytemuck::cast_slice(&map[..whole])
}

impl Process {
    /// The first value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.all(key).next()
    }

    /// All values of a key.
    pub fn all<'s>(&'s self, key: &str) -> impl Iterator<Item = &'s str> + use<'s> {
        let values = self.lines.iter().filter(|(name, _)| name == key);
        values.map(|(_, value)| value.as_str()).collect::<Vec<_>>().into_iter()
    }
}

/// All processes that left events in the folder, in the order in which they began.
pub fn read(folder: &Path) -> Result<Vec<Process>, CloseError> {
    let mut processes = Vec::new();
    for entry in fs::read_dir(folder).map_err(CloseError::io(folder))? {
        let path = entry.map_err(CloseError::io(folder))?.path();
        if path.join(PROCESS).is_file() {
            processes.push(read_process(path)?);
        }
    }
    // "clock KIND TICKS NANOS"
    let began = |process: &Process| -> Option<u64> { process.get("clock")?.split(' ').nth(2)?.parse().ok() };
    processes.sort_by_key(|process| (began(process), process.folder.clone()));
    Ok(processes)
}

fn read_process(folder: PathBuf) -> Result<Process, CloseError> {
    let path = folder.join(PROCESS);
    let text = plain::read(&path, PROCESS_BYTES).map_err(CloseError::io(&path))?;
    let lines = String::from_utf8_lossy(&text)
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    let maps = plain::read(&folder.join(MAPS), MAPS_BYTES).unwrap_or_default();
    let mut process = Process {
        lines,
        maps: String::from_utf8_lossy(&maps).into_owned(),
        threads: Vec::new(),
        samples: Vec::new(),
        empty: 0,
        folder,
    };
    for entry in fs::read_dir(&process.folder).map_err(CloseError::io(&process.folder))? {
        let path = entry.map_err(CloseError::io(&process.folder))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let number = |prefix: &str| name.strip_prefix(prefix).and_then(|number| number.parse().ok());
        if let Some(number) = number("thread-") {
            match read_thread(path, number)? {
                Some(thread) => process.threads.push(thread),
                None => process.empty += 1,
            }
        } else if let Some(number) = number("samples-") {
            process.samples.extend(read_thread(path, number)?);
        }
    }
    process.threads.sort_by_key(|thread| thread.number);
    process.samples.sort_by_key(|thread| thread.number);
    Ok(process)
}

/// The events of a thread; none when it was stopped before it wrote anything.
fn read_thread(path: PathBuf, number: u32) -> Result<Option<Thread>, CloseError> {
    // A recorder only ever lets these files grow, and its process has ended.
    let Some(map) = Mapped::open(&path).map_err(CloseError::io(&path))? else { return Ok(None) };
    match Events::new(words(&map)) {
        Ok(events) if events.header.thread == number => Ok(Some(Thread { path, number, map })),
        Ok(_) => Err(CloseError::Events { path, why: "it belongs to another thread".into() }),
        Err(HeaderError::Empty) => Ok(None),
        Err(why) => Err(CloseError::Events { path, why: why.to_string() }),
    }
}
