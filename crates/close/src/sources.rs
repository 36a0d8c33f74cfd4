//! Source positions of all code addresses of a run, and the numbers of the sites between them.

use std::cell::Cell;

use crosscut_run::{NO_SITE, Sources, SourcesBuilder};
use crosscut_tasks::schema::NO_SOURCE;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use crate::symbols;

/// Pairs of addresses whose site was asked for lately.
const RECENT: usize = 256;

/// Names of runtimes: an address in one of them is not the user's.
const RUNTIMES: &[&str] = &["libomp", "libiomp", "libgomp", "libcrosscut_record", "libcrosscut_mpi"];

/// The sites of a run in the making.
pub struct Sites {
    builder: SourcesBuilder,
    /// The source of each address, for each process.
    sources: Vec<HashMap<u64, u32>>,
    /// Addresses inside of runtimes.
    runtime: Vec<HashSet<u64>>,
    /// Addresses that were found to be in none lately.
    recent_user: Vec<Cell<(u32, u64)>>,
    recent: Vec<((u32, u64, u64), u32)>,
}

impl Sites {
    /// No process yet.
    pub fn new() -> Self {
        Sites {
            builder: SourcesBuilder::new(),
            sources: Vec::new(),
            runtime: Vec::new(),
            recent_user: vec![Cell::new((0, 0)); RECENT],
            recent: vec![((0, 0, 0), NO_SITE); RECENT],
        }
    }

    /// Finds the positions of the addresses of the next process. Returns what the user should know.
    pub fn add_process(&mut self, maps: &str, codes: &[u64]) -> Vec<String> {
        let found = symbols::resolve(maps, codes);
        let mut sources = HashMap::new();
        let mut runtime = HashSet::new();
        for (&code, position) in codes.iter().zip(found.positions) {
            let module = position.module.rsplit('/').next().unwrap_or_default();
            if code == 0 {
                continue;
            }
            if RUNTIMES.iter().any(|name| module.starts_with(name)) {
                runtime.insert(code);
            }
            sources.insert(code, self.builder.source(position.source));
        }
        self.sources.push(sources);
        self.runtime.push(runtime);
        found.notes
    }

    /// Whether the address lies in a runtime, or is none.
    #[inline]
    pub fn is_runtime(&self, process: u32, code: u64) -> bool {
        let recent = &self.recent_user[code.wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> 56];
        if code == 0 || recent.get() == (process, code) {
            return code == 0;
        }
        let found = self.runtime.get(process as usize).is_some_and(|set| set.contains(&code));
        if !found {
            recent.set((process, code));
        }
        found
    }

    /// The site between two addresses; 0 is an address that is not known.
    #[inline]
    pub fn site(&mut self, process: u32, from: u64, to: u64) -> u32 {
        let key = (process, from, to);
        // A multiplicative hash: its high bits depend on all bits.
        let hash = from.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ to.wrapping_mul(0xd6e8_feb8_6659_fd93);
        let slot = (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize;
        match self.recent.get(slot) {
            Some((recent, site)) if *recent == key => *site,
            _ => self.look_up(slot, key),
        }
    }

    #[cold]
    fn look_up(&mut self, slot: usize, key: (u32, u64, u64)) -> u32 {
        let (process, from, to) = key;
        let source =
            |code: u64| self.sources.get(process as usize).and_then(|sources| sources.get(&code)).copied();
        let site = match (source(from), source(to)) {
            (Some(from), Some(to)) => self.builder.site(from, to),
            (Some(one), None) | (None, Some(one)) => self.builder.site(one, one),
            (None, None) => NO_SITE,
        };
        if let Some(recent) = self.recent.get_mut(slot) {
            *recent = (key, site);
        }
        site
    }

    /// The source of an address, or [`NO_SOURCE`].
    pub fn source(&self, process: u32, code: u64) -> u32 {
        let source = self.sources.get(process as usize).and_then(|sources| sources.get(&code));
        source.copied().unwrap_or(NO_SOURCE)
    }

    /// The sources of all addresses of each process.
    pub fn by_process(&self) -> &[HashMap<u64, u32>] {
        &self.sources
    }

    /// Where others put theirs beside them.
    pub fn builder(&mut self) -> &mut SourcesBuilder {
        &mut self.builder
    }

    /// All of them.
    pub fn finish(self) -> Sources {
        self.builder.finish()
    }
}
