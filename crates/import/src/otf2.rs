//! OTF2 archives: an anchor file, global definitions, and a file of events for each location.
//!
//! Events are read chunk by chunk, several ranks at a time, and twice: first the call tree of each location is made and calls of MPI are
//! counted, then these go straight into the run. What is known and not used yet is counted and told.

mod anchor;
mod bytes;
mod calls;
mod chunks;
mod definitions;
mod events;
mod fill;
mod local;
mod packed;
mod ranks;

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crosscut_messages::{Builder, Class, Done, Function, NO_CALLS, Whole};
use crosscut_run::RunWriter;
use rayon::prelude::*;

use self::anchor::{Anchor, is_anchor};
use self::calls::{Odd, Profile, Tree};
use self::chunks::Ended;
use self::definitions::Definitions;
use self::events::Event;
use self::fill::{Counting, Filling, NOT_A_CALL, Shared, Unused};
use self::local::Local;
use self::ranks::Ranks;
use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::Inputs;
use crate::limits::Budget;
use crate::reader::{Confidence, Options, Reader};

/// Regions beyond this number are not calls that are kept: no archive has as many.
const MOST_REGIONS: u32 = 1 << 24;
/// Functions that are no regions.
const RESERVED: usize = 1 + NO_CALLS.len();
/// Kinds of unused events that are told by name.
const NAMED: usize = 12;

/// Decodes all events of an archive, one file after the other, and says how many there are: what reading costs before
/// anything is made of it.
pub fn decode(inputs: &Inputs<'_>) -> Result<u64, ImportError> {
    let found = anchors(inputs)?;
    let Some(anchor) = found.first() else { return Ok(0) };
    let archive = Archive::open(anchor, inputs)?;
    let mut count = 0;
    for &location in archive.ranks.locations.iter().flatten().chain(&archive.ranks.others) {
        let events = archive.anchor.of_location(location, "evt");
        if events.is_file() {
            let mut time = 0;
            // The event is looked at, or the compiler would leave its fields undecoded.
            let mut each = |time: u64, event: Event| {
                std::hint::black_box((time, event));
                count += 1;
            };
            chunks::walk(&Input::open(&events, inputs)?, archive.anchor.event_chunk, |bytes| {
                events::records(bytes, &mut time, &mut each)
            })?;
        }
    }
    Ok(count)
}

/// The reader.
pub struct Otf2;

impl Reader for Otf2 {
    fn name(&self) -> &'static str {
        "otf2"
    }

    fn title(&self) -> &'static str {
        "OTF2, the anchor file or its folder"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        Ok(if anchors(inputs)?.is_empty() { Confidence::NONE } else { Confidence::CERTAIN })
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let found = anchors(inputs)?;
        let [anchor] = &found[..] else {
            let names: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
            let what = match names.len() {
                0 => "there is no anchor file, such as traces.otf2".to_owned(),
                _ => format!("several archives: {}. Name the anchor file of one", names.join(", ")),
            };
            return Err(ImportError::Option(what));
        };
        Archive::open(anchor, inputs)?.read(run)
    }
}

/// The anchor files among the inputs.
fn anchors(inputs: &Inputs<'_>) -> Result<Vec<PathBuf>, ImportError> {
    let mut found = Vec::new();
    for file in inputs.files() {
        if file.path.extension().is_some_and(|ending| ending == "otf2") || inputs.files().len() == 1 {
            let head = inputs.open(file)?.head()?;
            if is_anchor(&head) {
                found.push(file.path.clone());
            }
        }
    }
    Ok(found)
}

/// An archive that is open.
struct Archive<'a> {
    inputs: &'a Inputs<'a>,
    anchor: Anchor,
    definitions: Definitions,
    ranks: Ranks,
    /// For the call paths of all locations: calling contexts are stored once for all.
    budget: Mutex<Budget>,
}

/// What the first walk through a location found.
#[derive(Default)]
struct Counted {
    calls: usize,
    unused: Unused,
    local: Local,
    tree: Tree,
    /// What is missing of it.
    missing: Option<String>,
}

impl<'a> Archive<'a> {
    fn open(path: &std::path::Path, inputs: &'a Inputs<'a>) -> Result<Self, ImportError> {
        let anchor = Anchor::read(path, inputs)?;
        let file = anchor.definitions();
        let input = Input::open(&file, inputs)?;
        let definitions = Definitions::read(&input, anchor.definition_chunk)?;
        let ranks =
            Ranks::of(&definitions, Budget::of(input.size())).map_err(|what| input.broken(0, what))?;
        if ranks.locations.is_empty() {
            let what = "an archive without any location".to_owned();
            return Err(ImportError::Broken { path: file, offset: 0, record: None, what });
        }
        let budget = Mutex::new(Budget::of(input.size()));
        Ok(Archive { inputs, anchor, definitions, ranks, budget })
    }

    fn read(&self, run: &mut RunWriter) -> Result<(), ImportError> {
        let (functions, numbers) = self.functions();
        let outside = functions.len() as u16 - 1;
        let shared =
            Shared { definitions: &self.definitions, ranks: &self.ranks, functions: &numbers, outside };
        let of_rank = |locations: &Vec<u64>| -> Result<Vec<Counted>, ImportError> {
            locations.iter().map(|&location| self.count(location, &shared)).collect()
        };
        let counted: Vec<Vec<Counted>> =
            self.ranks.locations.par_iter().map(of_rank).collect::<Result<_, _>>()?;
        let others: Vec<Counted> = self
            .ranks
            .others
            .par_iter()
            .map(|&location| self.count(location, &shared))
            .collect::<Result<_, _>>()?;
        let calls: Vec<usize> =
            counted.iter().map(|rank| rank.iter().map(|location| location.calls).sum()).collect();
        let mut builder = Builder::new(run, &calls)?;
        let filled: Vec<(Done, usize)> = builder
            .ranks()
            .into_par_iter()
            .zip(&counted)
            .enumerate()
            .map(|(rank, (writer, counted))| self.fill(rank, writer, counted, &shared))
            .collect::<Result<_, _>>()?;
        let (done, open): (Vec<Done>, Vec<usize>) = filled.into_iter().unzip();
        let all: Vec<&Counted> = counted.iter().flatten().chain(&others).collect();
        let missing: Vec<String> = all.iter().filter_map(|one| one.missing.clone()).collect();
        run.manifest().partial = crate::partial::label(&missing, self.inputs);
        run.manifest().origin.tools.insert("otf2".into(), self.anchor.version.clone());
        let mut notes = missing;
        notes.extend(self.notes(&counted, &others));
        let open: usize = open.iter().sum();
        if open > 0 {
            notes.push(format!("{open} parts in collectives were begun and never completed"));
        }
        let notes = crate::partial::few(notes);
        let clocks = self.clocks();
        let places = self.put_calls(&counted, &others, run)?;
        let whole = Whole { comms: self.ranks.comms.clone(), functions, clocks, places, notes };
        let doubt = builder.finish(run, done, whole)?;
        crate::partial::doubted(doubt, run, self.inputs);
        Ok(())
    }

    /// Puts the call trees of all locations into the run, which then has a place for each. Returns the place of each rank; nothing when
    /// ranks are the places.
    fn put_calls(
        &self,
        counted: &[Vec<Counted>],
        others: &[Counted],
        run: &mut RunWriter,
    ) -> Result<Vec<u32>, ImportError> {
        if counted.iter().flatten().all(|location| location.tree.is_empty()) {
            return Ok(Vec::new());
        }
        let mut profile = Profile::new(&self.definitions);
        let (mut odd, mut places, mut next) = (Odd::default(), Vec::new(), 0);
        for (rank, locations) in counted.iter().enumerate() {
            places.push(next);
            for (thread, location) in locations.iter().enumerate() {
                profile.add(rank, thread, &location.tree)?;
                odd.add(location.tree.odd);
            }
            next += locations.len() as u32;
        }
        let mut notes = odd.notes();
        let without_rank = others.iter().filter(|location| !location.tree.is_empty()).count();
        if without_rank > 0 {
            notes.push(format!("{without_rank} locations belong to no process of the program; their functions are not used yet"));
        }
        let are_ranks = next as usize == counted.len();
        profile.finish(run, notes, are_ranks)?;
        Ok(if are_ranks { Vec::new() } else { places })
    }

    /// The functions of the run, and by number of a region which of them it is. The last ones are for what is no call.
    fn functions(&self) -> (Vec<Function>, Vec<u16>) {
        let mut known: Vec<_> =
            self.definitions.regions.iter().filter(|(id, _)| **id < MOST_REGIONS).collect();
        known.sort_unstable_by_key(|(id, _)| **id);
        let last = known.last().map_or(0, |(id, _)| **id as usize + 1);
        let (mut functions, mut numbers) = (Vec::new(), vec![NOT_A_CALL; last]);
        for (&id, region) in known {
            let text = self.definitions.text(region.name);
            let name = definitions::mpi_name(text).or_else(|| region.is_file().then_some(text));
            if let Some(name) = name.filter(|_| functions.len() < usize::from(NOT_A_CALL) - RESERVED) {
                let mut function = Function::named(name);
                if function.class == Class::Other && region.is_file() {
                    function.class = Class::File;
                }
                numbers[id as usize] = functions.len() as u16;
                functions.push(function);
            }
        }
        let none = |name: &str| Function { name: name.into(), class: Class::Other };
        functions.extend(NO_CALLS.map(none));
        functions.push(none("(no call)"));
        (functions, numbers)
    }

    fn count(&self, location: u64, shared: &Shared<'_>) -> Result<Counted, ImportError> {
        let definitions = self.anchor.of_location(location, "def");
        let local = match definitions.is_file() {
            true => Local::read(&Input::open(&definitions, self.inputs)?, self.anchor.definition_chunk)?,
            false => Local::default(),
        };
        let events = self.anchor.of_location(location, "evt");
        if !events.is_file() {
            let missing = Some(format!("no file {}", events.display()));
            return Ok(Counted { local, missing, ..Counted::default() });
        }
        let mut counting = Counting::new(shared, &local);
        let input = Input::open(&events, self.inputs)?;
        let (mut time, mut tree, mut last) = (0, Tree::default(), i64::MIN);
        let ended = chunks::walk(&input, self.anchor.event_chunk, |bytes| {
            events::records(bytes, &mut time, |time, event| {
                counting.event(time, event);
                last = shared.nanoseconds(local.time(time));
                tree.event(last, event, &local, &self.definitions);
            })
        })?;
        tree.end(last);
        {
            let mut budget = self.budget.lock().unwrap_or_else(PoisonError::into_inner);
            budget.more(input.size());
            budget.take(tree.len(), 64, "call paths").map_err(|what| input.broken(0, what))?;
        }
        let missing = match ended {
            Ended::Whole if tree.odd.backwards > 0 => Some(format!(
                "{}: {} events have a time before the one before them",
                events.display(),
                tree.odd.backwards
            )),
            Ended::Whole => None,
            Ended::Cut(at) => {
                Some(format!("{} ends at byte {at}: what follows is missing", events.display()))
            }
        };
        let (calls, unused) = (counting.calls, counting.unused);
        Ok(Counted { calls, unused, local, tree, missing })
    }

    fn fill(
        &self,
        rank: usize,
        writer: crosscut_messages::RankWriter<'_>,
        counted: &[Counted],
        shared: &Shared<'_>,
    ) -> Result<(Done, usize), ImportError> {
        let locals: Vec<&Local> = counted.iter().map(|one| &one.local).collect();
        let mut filling = Filling::new(shared, &locals, rank as u32, writer);
        // What has no calls was counted already.
        let calling: Vec<usize> = (0..counted.len()).filter(|&at| counted[at].calls > 0).collect();
        let several = calling.len() > 1;
        let mut kept: Vec<(i64, usize, u64, Event)> = Vec::new();
        for at in calling {
            let events = self.anchor.of_location(self.ranks.locations[rank][at], "evt");
            let input = Input::open(&events, self.inputs)?;
            // A location keeps its order, whatever its times.
            let (mut time, mut last) = (0, i64::MIN);
            chunks::walk(&input, self.anchor.event_chunk, |bytes| {
                events::records(bytes, &mut time, |time, event| match several {
                    false => filling.event(at, time, event),
                    true if filling.is_of_calls(at, event) => {
                        last = last.max(shared.nanoseconds(counted[at].local.time(time)));
                        kept.push((last, at, time, event));
                    }
                    true => {}
                })
            })?;
        }
        // Threads that call MPI at the same time: as it happened, and as each has it.
        kept.sort_by_key(|&(now, ..)| now);
        kept.into_iter().for_each(|(_, at, time, event)| filling.event(at, time, event));
        Ok(filling.finish()?)
    }

    /// Ranks of one node have one clock; where nodes are not known, each has its own.
    fn clocks(&self) -> Vec<u32> {
        let mut nodes = self.ranks.nodes.clone();
        nodes.sort_unstable();
        nodes.dedup();
        if nodes.contains(&definitions::UNDEFINED) {
            return Vec::new();
        }
        self.ranks.nodes.iter().map(|node| nodes.partition_point(|other| other < node) as u32).collect()
    }

    /// What is not used yet, and what is out of the ordinary.
    fn notes(&self, counted: &[Vec<Counted>], others: &[Counted]) -> Vec<String> {
        let mut sum = Unused::default();
        counted.iter().flatten().chain(others).for_each(|one| sum.add(&one.unused));
        let mut notes = Vec::new();
        let mut kinds: Vec<(u64, &str)> = Vec::new();
        for (code, &count) in sum.events.iter().enumerate().filter(|(_, count)| **count > 0) {
            kinds.push((count, events::name(code as u8)));
        }
        kinds.sort_unstable_by(|a, b| b.cmp(a));
        if !kinds.is_empty() {
            let all: u64 = kinds.iter().map(|(count, _)| count).sum();
            let mut named: Vec<String> =
                kinds.iter().take(NAMED).map(|(count, name)| format!("{count} {name}")).collect();
            if kinds.len() > NAMED {
                named.push(format!("and {} other kinds", kinds.len() - NAMED));
            }
            notes.push(format!("{all} of {} events are not used yet: {}", sum.all, named.join(", ")));
        }
        if sum.outside > 0 {
            notes.push(format!(
                "{} events of messages are in no call: they have calls without a length",
                sum.outside
            ));
        }
        if self.definitions.unknown > 0 {
            notes
                .push(format!("{} definitions are not known and were passed over", self.definitions.unknown));
        }
        if self.definitions.meters > 0 {
            notes.push(format!("{} locations of measured values are not used", self.definitions.meters));
        }
        for (rank, locations) in counted.iter().enumerate() {
            let (count, time) = locations.iter().fold((0, 0i64), |(count, time), one| {
                (count + one.unused.flushes.0, time.saturating_add(one.unused.flushes.1))
            });
            if count > 0 {
                let times = if count == 1 { "once" } else { "times" };
                let count = if count == 1 { String::new() } else { format!("{count} ") };
                let seconds = time as f64 / 1e9;
                notes.push(format!("rank {rank}: its trace was written to disk {count}{times}, {seconds:.3} s: that is no work"));
            }
        }
        let threads =
            counted.iter().filter(|rank| rank.iter().filter(|one| one.calls > 0).count() > 1).count();
        if threads > 0 {
            notes.push(format!("{threads} ranks call MPI from several threads; their calls stand by time"));
        }
        notes
    }
}
