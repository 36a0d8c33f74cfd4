//! What `perf record` writes: what was measured, then records of what the processes mapped and did, and a record for each
//! sample. Read twice: first who mapped what and when, then the samples, whose addresses are looked up as of their time; so
//! records need not be in order.

mod attr;
mod counters;
mod cover;
mod file;
mod kernel;
mod processes;
mod sample;

use std::cell::RefCell;

use crosscut_calls::{Frame, Given};
use crosscut_close::symbols::{self, Unwinder};
use crosscut_run::RunWriter;
use foldhash::{HashMap, HashMapExt};

use super::builder;
use super::code::{Code, Identity, Module, Stacks, Step};
use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::Inputs;
use crate::reader::{Confidence, Options, Reader};

use attr::Attrs;
use counters::Counters;
use file::{File, Record};
use kernel::Kernel;
use processes::Processes;
use sample::{Copied, Mode, Sample};

/// How a file begins, in both byte orders.
const MAGIC: &[u8] = b"PERFILE2";
const SWAPPED: &[u8] = b"2ELIFREP";

/// Kinds of records.
const MMAP: u32 = 1;
const LOST: u32 = 2;
const COMM: u32 = 3;
const FORK: u32 = 7;
const SAMPLE: u32 = 9;
const MMAP2: u32 = 10;
const LOST_SAMPLES: u32 = 13;
const BUILD_ID: u32 = 67;

/// The reader.
pub struct PerfData;

impl Reader for PerfData {
    fn name(&self) -> &'static str {
        "perf-data"
    }

    fn title(&self) -> &'static str {
        "perf.data"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        inputs.detect_one(|head| match head.bytes.get(..8) {
            Some(begin) if begin == MAGIC || begin == SWAPPED => Confidence::CERTAIN,
            _ => Confidence::NONE,
        })
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let input = &inputs.one()?;
        let file = File::open(input)?;
        let mut attrs = Attrs::of_file(&file)?;
        let mut first = First { processes: Processes::new(input), ..First::default() };
        file.walk(|record| first.record(record, &mut attrs))?;
        first.processes.build_ids(&file.build_ids()?);
        first.processes.sort();
        if attrs.list.is_empty() {
            return Err(input.broken(0, "it does not say what was measured"));
        }
        let ranks = first.ranks();
        let mut builder = builder(self.title());
        let metrics: Vec<u32> =
            attrs.list.iter().map(|attr| builder.metric(&attr.name, attr.unit(), Given::Own)).collect();
        let kernel = Kernel::here(first.processes.kernel());
        let mut second = Second {
            input,
            stacks: Stacks::default(),
            known: HashMap::new(),
            processes: &first.processes,
            kernel,
            unwinder: Unwinder::default(),
            same: RefCell::default(),
            copied: 0,
            cut: 0,
            read: 0,
        };
        let mut counters = Counters::default();
        file.walk(|record| {
            if record.kind != SAMPLE {
                return Ok(());
            }
            let sample = Sample::read(&record, &attrs)?;
            let rank = ranks.get(&sample.pid).copied().unwrap_or(0);
            // Who is gone already is -1.
            let place = builder.place(rank, i64::from(sample.tid.cast_signed()));
            let weights = counters.weights(&record, &sample, &attrs)?;
            let metric = |attr: usize| metrics.get(attr).copied().unwrap_or(0);
            let weights: Vec<(u32, i64)> =
                weights.into_iter().map(|(attr, weight)| (metric(attr), weight)).collect();
            second.sample(&record, &sample, &weights, place)
        })?;
        if second.read == 0 {
            return Err(input.broken(0, "there is no sample in it"));
        }
        if second.cut > 0 {
            builder.note(format!(
                "{} of {} samples with a copy of their stack have callers that are not known: the program or a library is not \
                 here as it was measured, has no call frame information, or is not for x86-64, or the copy ends before",
                second.cut, second.copied
            ));
        }
        if counters.unknown > 0 {
            builder.note(format!(
                "{} counters that were read with samples are of events that are not described",
                counters.unknown
            ));
        }
        if first.lost > 0 {
            builder.note(format!("{} samples or other records were lost while recording", first.lost));
        }
        if first.unknown > 0 {
            builder.note(format!("{} records are of kinds that are not known", first.unknown));
        }
        second.stacks.put(&mut builder)?;
        Ok(builder.finish(run)?)
    }
}

/// What the first walk finds.
#[derive(Default)]
struct First {
    processes: Processes,
    /// When each process was first seen in a sample, and in which place among all.
    seen: HashMap<u32, (u64, u64)>,
    lost: u64,
    unknown: u64,
}

impl First {
    fn record(&mut self, record: Record<'_>, attrs: &mut Attrs) -> Result<(), ImportError> {
        match record.kind {
            SAMPLE => {
                let sample = Sample::read(&record, attrs)?;
                let order = (sample.time, record.at);
                let first = self.seen.entry(sample.pid).or_insert(order);
                *first = order.min(*first);
            }
            MMAP | MMAP2 => self.processes.map(&record, attrs)?,
            COMM => self.processes.comm(&record, attrs)?,
            FORK => self.processes.fork(&record)?,
            LOST => self.lost = self.lost.saturating_add(record.u64(8)?),
            LOST_SAMPLES => self.lost = self.lost.saturating_add(record.u64(0)?),
            BUILD_ID => self.processes.build_id(&record)?,
            file::ATTR => attrs.add_record(&record)?,
            // Ends, switches, and what perf keeps for itself.
            4..=6 | 8 | 11 | 12 | 14..=21 | 65..=83 => {}
            _ => self.unknown += 1,
        }
        Ok(())
    }

    /// Processes are numbered in the order in which they were first seen.
    fn ranks(&self) -> HashMap<u32, i64> {
        let mut order: Vec<(&u32, &(u64, u64))> = self.seen.iter().collect();
        order.sort_unstable_by_key(|(_, first)| **first);
        order.into_iter().enumerate().map(|(rank, (&pid, _))| (pid, rank as i64)).collect()
    }
}

/// What the second walk makes.
struct Second<'a> {
    input: &'a Input<'a>,
    stacks: Stacks,
    /// Addresses that were looked up already, of processes as they were mapped at a time.
    known: HashMap<(u32, usize, u64, bool), Step>,
    processes: &'a Processes,
    kernel: Option<Kernel>,
    unwinder: Unwinder,
    /// Whether files are those that were measured.
    same: RefCell<HashMap<String, bool>>,
    copied: u64,
    cut: u64,
    read: u64,
}

impl Second<'_> {
    fn sample(
        &mut self,
        record: &Record<'_>,
        sample: &Sample,
        weights: &[(u32, i64)],
        place: u32,
    ) -> Result<(), ImportError> {
        self.read += 1;
        let mut stack = sample.stack.clone();
        if let Some(copy) = &sample.copy {
            self.copied += 1;
            self.follow(record, sample, copy, &mut stack)?;
        }
        let mut node = 0;
        for &(address, mode, is_return) in stack.iter().rev() {
            let step = self.step(sample, address, mode, is_return);
            node = self.stacks.node(node, step);
        }
        if stack.is_empty() {
            node = self.stacks.node(0, Step::Frame(Frame::function("[no stack]")));
        }
        for &(metric, weight) in weights {
            let added = self.stacks.add(metric, place, node, weight);
            added.map_err(|what| self.input.broken(record.at, what))?;
        }
        Ok(())
    }

    /// Adds the callers that a copy of the stack leads to.
    fn follow(
        &mut self,
        record: &Record<'_>,
        sample: &Sample,
        copy: &Copied,
        stack: &mut Vec<(u64, Mode, bool)>,
    ) -> Result<(), ImportError> {
        let words = copy.words(record)?;
        let Copied { code, pointer, frame, .. } = *copy;
        let (processes, same) = (self.processes, &self.same);
        let locate = move |code: u64| {
            let found = processes.find(sample.pid, sample.time, code)?;
            let mut same = same.borrow_mut();
            let is_same = same.entry(found.path.to_owned()).or_insert_with(|| {
                let module = Module { path: found.path.to_owned(), identity: found.identity.clone() };
                module.refused().is_none()
            });
            is_same.then_some((found.path, found.offset))
        };
        // What the kernel did for the program was called where the program stands.
        if stack.iter().all(|(_, mode, _)| *mode != Mode::User) {
            stack.push((code, Mode::User, true));
        }
        let copied = symbols::Stack { code, pointer, frame, words: &words, returns: &[] };
        let (returns, is_whole) = self.unwinder.returns(&copied, &locate);
        self.cut += u64::from(!is_whole);
        stack.extend(returns.into_iter().map(|address| (address, Mode::User, true)));
        Ok(())
    }

    fn step(&mut self, sample: &Sample, address: u64, mode: Mode, is_return: bool) -> Step {
        let pid = if mode == Mode::Kernel { processes::KERNEL } else { sample.pid };
        let epoch = self.processes.epoch(pid, sample.time);
        if let Some(step) = self.known.get(&(pid, epoch, address, is_return)) {
            return step.clone();
        }
        let step = self.look_up(pid, sample.time, address, mode, is_return);
        self.known.insert((pid, epoch, address, is_return), step.clone());
        step
    }

    fn look_up(&mut self, pid: u32, time: u64, address: u64, mode: Mode, is_return: bool) -> Step {
        if mode == Mode::Kernel
            && let Some(frame) = self.kernel.as_ref().and_then(|kernel| kernel.frame(address, is_return))
        {
            return Step::Frame(frame);
        }
        let of_mode = match mode {
            Mode::Kernel => "[kernel]",
            Mode::User => "",
            Mode::Other => "[hypervisor or guest]",
        };
        let nowhere = |stacks: &mut Stacks| {
            let module = stacks.module(of_mode, Identity::default);
            Step::Code(Code { module, offset: address, is_return })
        };
        let processes = self.processes;
        let Some(found) = processes.find(pid, time, address) else { return nowhere(&mut self.stacks) };
        let module = self.stacks.module(found.path, || found.identity.clone());
        // Code of the kernel is known by its address.
        let offset = if mode == Mode::Kernel { address } else { found.offset };
        Step::Code(Code { module, offset, is_return })
    }
}
