//! `gmon.out`, which a program compiled with `-pg` leaves: how often each stretch of its code was seen by a clock, and how often
//! functions were called from where. Names are in the program, which is looked for among the files that were named, or beside
//! the one that was.

use std::path::{Path, PathBuf};

use crosscut_calls::{Frame, Given, Unit};
use crosscut_close::symbols;
use crosscut_run::RunWriter;
use foldhash::{HashMap, HashMapExt};

use super::builder;
use super::bytes::Bytes;
use super::code::unnamed;
use super::graph::{Graph, Roots};
use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::{FoundFile, Inputs};
use crate::reader::{Confidence, Options, Reader};

/// How it begins, in both byte orders of version 1.
const MAGIC: &[u8] = b"gmon";
/// Where records begin.
const HEADER: u64 = 20;
const HISTOGRAM: u8 = 0;
const ARC: u8 = 1;
const BLOCKS: u8 = 2;
/// The end of the code is rounded up to this.
const ROUNDED: u64 = 16;

/// The reader.
pub struct Gmon;

impl Reader for Gmon {
    fn name(&self) -> &'static str {
        "gmon"
    }

    fn title(&self) -> &'static str {
        "gmon.out of gcc -pg, with its program"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        Ok(if find(inputs)?.is_some() { Confidence::CERTAIN } else { Confidence::NONE })
    }

    fn gathers(&self, inputs: &Inputs<'_>) -> bool {
        inputs.files().len() == 2 && find(inputs).is_ok_and(|found| found.is_some())
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let Some(file) = find(inputs)? else {
            return Err(ImportError::Option("there is no gmon.out among the files".to_owned()));
        };
        let input = inputs.open(file)?;
        let profile = Profile::read(&input)?;
        let mut builder = builder(self.title());
        let time = builder.metric("time", Unit::Ns, Given::Own);
        let calls = builder.metric("calls", Unit::Count, Given::Own);
        let place = builder.place(0, 0);
        let program = profile.program(inputs, file);
        let names = profile.names(program.as_deref());
        match &program {
            Some(program) => builder.note(format!("names are those of {}", program.display())),
            None => builder.note(
                "no program beside it that this can be of: code has addresses instead of names. Name the program, too",
            ),
        }
        let mut graph = Graph::new(1, Roots::Said);
        let mut total = 0i64;
        for &(address, ns) in &profile.seen {
            let function = graph.function(&names.frame(address));
            total = total.checked_add(ns).ok_or_else(|| input.broken(0, "times that are too large"))?;
            graph.spent(function, 0, ns);
        }
        for &(from, to, count) in &profile.arcs {
            let (from, to) = (graph.function(&names.frame(from)), graph.function(&names.frame(to)));
            graph.call(from, to, count, &[0]);
        }
        if total == 0 {
            builder.note("no tick of the clock fell into the program's own code: there is no time to make a call tree of");
        }
        let told = graph.put(&mut builder, place, &[time], calls)?;
        told.note(&mut builder, total);
        Ok(builder.finish(run)?)
    }
}

/// The profile among the files: of several, one that begins so and one that is its program.
fn find<'a>(inputs: &'a Inputs<'_>) -> Result<Option<&'a FoundFile>, ImportError> {
    if inputs.files().len() > 2 {
        return Ok(None);
    }
    for file in inputs.files() {
        let head = inputs.open(file)?.head()?;
        let version = head.get(4..8);
        if head.starts_with(MAGIC) && matches!(version, Some([1, 0, 0, 0] | [0, 0, 0, 1])) {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

/// What the file says.
#[derive(Debug, Default)]
struct Profile {
    /// Addresses with the time that was seen there, in nanoseconds.
    seen: Vec<(u64, i64)>,
    /// From, to, how often.
    arcs: Vec<(u64, u64, i64)>,
    /// Where the code ends.
    end: u64,
}

impl Profile {
    /// Sizes of addresses are not stated: those count with which the records end where the file does.
    fn read(input: &Input<'_>) -> Result<Self, ImportError> {
        let mut first = None;
        for (pointer, big) in [(8, false), (4, false), (8, true), (4, true)] {
            match Self::read_as(input, pointer, big) {
                Ok(profile) => return Ok(profile),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or_else(|| input.broken(0, "not a gmon.out")))
    }

    fn read_as(input: &Input<'_>, pointer: u64, big: bool) -> Result<Self, ImportError> {
        let bytes = Bytes::whole(input)?.big_endian(big);
        let address = |at: u64| if pointer == 8 { bytes.u64(at) } else { Ok(u64::from(bytes.u32(at)?)) };
        let (mut profile, mut at) = (Profile::default(), HEADER);
        if bytes.u32(4)? != 1 {
            return Err(input.broken(4, "another version than 1"));
        }
        while at < input.size() {
            let tag = bytes.u8(at)?;
            at += 1;
            match tag {
                HISTOGRAM => {
                    let (low, high) = (address(at)?, address(at + pointer)?);
                    at += 2 * pointer;
                    let (bins, rate) = (u64::from(bytes.u32(at)?), u64::from(bytes.u32(at + 4)?));
                    at += 24;
                    if low > high || rate == 0 || bins == 0 {
                        let what = format!(
                            "a histogram of {bins} bins from 0x{low:x} to 0x{high:x}, {rate} a second"
                        );
                        return Err(input.broken(at - 24, what));
                    }
                    bytes.slice(at, 2 * bins)?;
                    for bin in 0..bins {
                        let count = i64::from(bytes.u16(at + 2 * bin)?);
                        // The middle of what it covers.
                        let inside =
                            u128::from(high - low) * (2 * u128::from(bin) + 1) / (2 * u128::from(bins));
                        if count > 0 {
                            profile.seen.push((low + inside as u64, count * 1_000_000_000 / rate as i64));
                        }
                    }
                    profile.end = high;
                    at += 2 * bins;
                }
                ARC => {
                    let count = i64::from(bytes.u32(at + 2 * pointer)?);
                    profile.arcs.push((address(at)?, address(at + pointer)?, count));
                    at += 2 * pointer + 4;
                }
                BLOCKS => {
                    let count = u64::from(bytes.u32(at)?);
                    bytes.slice(at + 4, count * 2 * pointer)?;
                    at += 4 + count * 2 * pointer;
                }
                other => return Err(input.broken(at - 1, format!("a record of the unknown kind {other}"))),
            }
        }
        Ok(profile)
    }

    /// The program that it is of: the only one among the files, or in the folder, whose code ends where it should.
    fn program(&self, inputs: &Inputs<'_>, file: &FoundFile) -> Option<PathBuf> {
        let beside = || -> Vec<PathBuf> {
            let folder = file.path.parent().unwrap_or(Path::new(""));
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).collect()
        };
        let files = match inputs.files() {
            [_] => beside(),
            several => several.iter().map(|other| other.path.clone()).collect(),
        };
        let is_its = |path: &PathBuf| {
            let end = symbols::end_of_code(path);
            end.is_some_and(|end| end <= self.end && self.end - end < ROUNDED)
        };
        let mut fitting = files.into_iter().filter(|path| *path != file.path).filter(is_its);
        fitting.next().filter(|_| fitting.next().is_none())
    }

    fn names(&self, program: Option<&Path>) -> Names {
        let mut addresses: Vec<u64> = self.seen.iter().map(|(at, _)| *at).collect();
        addresses.extend(self.arcs.iter().flat_map(|(from, to, _)| [*from, *to]));
        addresses.sort_unstable();
        addresses.dedup();
        let mut names = Names { known: HashMap::new(), module: String::new() };
        let Some(program) = program else { return names };
        names.module = program.to_string_lossy().into_owned();
        if let Ok(found) = symbols::linked(program, &addresses) {
            let named = addresses.into_iter().zip(found).filter(|(_, function)| !function.is_empty());
            names.known = named.collect();
        }
        names
    }
}

/// Functions by addresses in them.
struct Names {
    known: HashMap<u64, String>,
    module: String,
}

impl Names {
    fn frame(&self, address: u64) -> Frame {
        let name = self.known.get(&address).cloned();
        let name = name.unwrap_or_else(|| unnamed("", address));
        Frame { name, module: self.module.clone(), ..Frame::default() }
    }
}
