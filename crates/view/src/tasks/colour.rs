//! What decides a mark's colour, and the legend of what was used.

use std::collections::BTreeMap;

use crosscut_run::{Source, Sources};
use crosscut_tasks::Tasks;
use crosscut_tasks::schema::Kind;
use crosscut_tree::NodeId;

use crate::format::{count, file_name};
use crosscut_scene::palette::{CATEGORIES, slot};
use crosscut_scene::scene::LegendItem;

/// What decides a mark's colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourBy {
    /// The worker that ran it.
    #[default]
    Worker,
    /// Create, wait, end, section, task and so on.
    Kind,
    /// The source position where it began.
    Source,
    /// The core it ran on.
    Core,
}

/// The slot of a worker.
pub fn worker_slot(worker: usize) -> u16 {
    (worker % CATEGORIES) as u16
}

/// The slot of a kind of node.
pub fn kind_slot(kind: Kind) -> u16 {
    match kind {
        Kind::Fork => slot::FORK,
        Kind::Chunk => slot::CHUNK,
        _ => slot::KIND + kind as u16,
    }
}

/// The slot that a source position would like to have: the same in every run and every view.
fn wish(source: &Source) -> usize {
    // FNV-1a over "file:line".
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in file_name(&source.file).bytes().chain([b':']).chain(source.line.to_string().bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    ((hash ^ hash >> 32) % CATEGORIES as u64) as usize
}

/// The slots of all source positions, by their id. Lines of one run have different colours as long as there are enough: a
/// line whose colour is taken gets the next free one, lines in the order of their names, so that runs of the same program
/// agree.
pub fn source_slots(sources: &Sources) -> Vec<u16> {
    let known = |id: u32| sources.get(id).map(|source| ((file_name(&source.file), source.line), id, source));
    let mut lines: Vec<_> = (0..sources.source_count() as u32).filter_map(known).collect();
    lines.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    let mut slots = vec![slot::MUTED; sources.source_count()];
    let mut taken = [false; CATEGORIES];
    for same in lines.chunk_by(|a, b| a.0 == b.0) {
        let wish = wish(same[0].2);
        let free = (0..CATEGORIES).map(|step| (wish + step) % CATEGORIES).find(|&slot| !taken[slot]);
        let slot = free.unwrap_or(wish);
        taken[slot] = true;
        same.iter().for_each(|&(_, id, _)| slots[id as usize] = slot as u16);
    }
    slots
}

/// Colours nodes and remembers what it used.
#[derive(Debug)]
pub struct Painter<'a> {
    tasks: &'a Tasks,
    by: ColourBy,
    /// By source, where that decides.
    slots: Vec<u16>,
    used: BTreeMap<Key, usize>,
}

/// What an entry of the legend stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Worker(usize),
    Core(i64),
    Kind(Kind),
    Site(u32),
    Several,
    Unknown,
}

impl<'a> Painter<'a> {
    /// Nothing used yet.
    pub fn new(tasks: &'a Tasks, by: ColourBy) -> Self {
        let slots = if by == ColourBy::Source { source_slots(tasks.sources()) } else { Vec::new() };
        Painter { tasks, by, slots, used: BTreeMap::new() }
    }

    fn key(&self, node: NodeId) -> Key {
        match self.by {
            ColourBy::Worker => self.tasks.worker(node).map_or(Key::Several, Key::Worker),
            ColourBy::Kind => Key::Kind(self.tasks.kind(node)),
            ColourBy::Source => {
                let site = self.tasks.site(node);
                self.tasks.sources().from(site).map_or(Key::Unknown, |_| Key::Site(site))
            }
            ColourBy::Core => match (self.tasks.core(node), self.tasks.worker(node)) {
                (Some(core), _) => Key::Core(core),
                (None, None) => Key::Several,
                (None, Some(_)) => Key::Unknown,
            },
        }
    }

    fn slot_of(&self, key: Key) -> u16 {
        match key {
            Key::Worker(worker) => worker_slot(worker),
            Key::Core(core) => worker_slot(core.max(0) as usize),
            Key::Kind(kind) => kind_slot(kind),
            Key::Site(site) => {
                let source = self.tasks.sources().site(site).map(|site| site.from as usize);
                source.and_then(|source| self.slots.get(source)).copied().unwrap_or(slot::MUTED)
            }
            Key::Several => slot::SEVERAL,
            Key::Unknown => slot::MUTED,
        }
    }

    /// The slot of a node, without a trace in the legend.
    pub fn slot(&self, node: NodeId) -> u16 {
        self.slot_of(self.key(node))
    }

    /// The slot of a node that is drawn `times` times.
    pub fn paint(&mut self, node: NodeId, times: usize) -> u16 {
        let key = self.key(node);
        *self.used.entry(key).or_default() += times;
        self.slot_of(key)
    }

    fn text_of(&self, key: Key) -> String {
        match (key, self.by) {
            (Key::Worker(worker), _) => format!("worker {worker}"),
            (Key::Core(core), _) => format!("core {core}"),
            (Key::Kind(kind), _) => kind.word().to_owned(),
            (Key::Site(site), _) => {
                self.tasks.sources().from(site).map_or_else(String::new, |source| source.short())
            }
            (Key::Several, ColourBy::Core) => "several cores".to_owned(),
            (Key::Several, _) => "several workers".to_owned(),
            (Key::Unknown, ColourBy::Core) => "core not known".to_owned(),
            (Key::Unknown, _) => "source not known".to_owned(),
        }
    }

    /// What was used, most frequent first; workers, cores and kinds that all fit are in their own order.
    pub fn legend(&self) -> Vec<LegendItem> {
        let mut entries: BTreeMap<(String, u16), (usize, Key)> = BTreeMap::new();
        for (&key, &times) in &self.used {
            let entry = entries.entry((self.text_of(key), self.slot_of(key))).or_insert((0, key));
            entry.0 += times;
        }
        let mut list: Vec<_> = entries.into_iter().collect();
        list.sort_by(|a, b| b.1.0.cmp(&a.1.0).then(a.1.1.cmp(&b.1.1)));
        let more = list.len().saturating_sub(CATEGORIES);
        list.truncate(CATEGORIES);
        if self.by != ColourBy::Source {
            list.sort_by_key(|entry| entry.1.1);
        }
        let mut legend: Vec<LegendItem> =
            list.into_iter().map(|((text, fill), _)| LegendItem::new(fill, text)).collect();
        if more > 0 {
            legend.push(LegendItem::new(slot::MUTED, format!("{} more", count(more as i64))));
        }
        legend
    }
}
