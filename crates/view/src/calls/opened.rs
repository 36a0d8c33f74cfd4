//! Calls of a run with what pictures need of them again and again: which module each function is part of, and its colour.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crosscut_calls::causes::{Cause, causes};
use crosscut_calls::graph::totals;
use crosscut_calls::{By, ByCall, Calls, Map, Peers, Row as FlatRow, Stretch, flat};
use crosscut_scene::palette::{CATEGORIES, slot};
use crosscut_tree::NodeId;
use crosscut_workbench::{Refusal, place_nodes};

use super::modules;
use super::scoped::Scoped;

/// The calls of one run.
#[derive(Debug)]
pub struct Opened {
    /// What was read.
    pub calls: Arc<Calls>,
    /// Which part of the run this is, in words; "" for all of it.
    pub part: String,
    modules: OnceLock<Arc<Modules>>,
    by_call: Vec<OnceLock<ByCall>>,
    totals: Vec<OnceLock<Vec<i64>>>,
    by_module: OnceLock<Vec<Vec<i64>>>,
    /// Sums over places that were chosen last.
    scoped: Mutex<Vec<Arc<Scoped>>>,
    flat: OnceLock<Vec<FlatRow>>,
    telling: OnceLock<Option<usize>>,
    place_nodes: OnceLock<Vec<u32>>,
    peers: OnceLock<Peers>,
    causes: OnceLock<Vec<Cause>>,
    /// Parts of it that were looked at last.
    parts: Mutex<Vec<(Vec<Stretch>, Arc<Opened>)>>,
}

/// Parts that are kept: those of some panes.
const PARTS: usize = 4;

impl Opened {
    /// Of an open run.
    pub fn new(calls: Arc<Calls>) -> Self {
        Opened {
            by_call: calls.summary().metrics.iter().map(|_| OnceLock::new()).collect(),
            totals: calls.summary().metrics.iter().map(|_| OnceLock::new()).collect(),
            scoped: Mutex::default(),
            calls,
            part: String::new(),
            modules: OnceLock::new(),
            by_module: OnceLock::new(),
            flat: OnceLock::new(),
            telling: OnceLock::new(),
            place_nodes: OnceLock::new(),
            peers: OnceLock::new(),
            causes: OnceLock::new(),
            parts: Mutex::default(),
        }
    }

    /// The same with what was spent in some stretches alone, in the same colours.
    pub fn within(&self, stretches: &[Stretch], part: String) -> Result<Arc<Opened>, Refusal> {
        let known = |parts: &Vec<(Vec<Stretch>, Arc<Opened>)>| {
            let same = |(of, opened): &&(Vec<Stretch>, Arc<Opened>)| of == stretches && opened.part == part;
            parts.iter().find(same).map(|(_, opened)| opened.clone())
        };
        if let Some(opened) = self.parts.lock().ok().and_then(|parts| known(&parts)) {
            return Ok(opened);
        }
        let calls = self.calls.within(stretches).map_err(|error| Refusal::new(error.to_string()))?;
        let calls = calls.ok_or_else(|| Refusal::new("nobody knows when something was spent here"))?;
        let mut opened = Opened::new(Arc::new(calls));
        opened.part = part;
        opened.modules =
            OnceLock::from(self.modules.get_or_init(|| Arc::new(Modules::of(&self.calls))).clone());
        let opened = Arc::new(opened);
        if let Ok(mut parts) = self.parts.lock() {
            parts.truncate(PARTS - 1);
            parts.insert(0, (stretches.to_vec(), opened.clone()));
        }
        Ok(opened)
    }

    /// Modules and their colours, found once.
    pub fn modules(&self) -> &Modules {
        self.modules.get_or_init(|| Arc::new(Modules::of(&self.calls)))
    }

    /// What was spent in each frame itself at each place, by who called it; found once.
    pub fn by_call(&self, metric: usize) -> Option<&ByCall> {
        self.by_call.get(metric).map(|slot| slot.get_or_init(|| ByCall::of(&*self.calls, metric)))
    }

    /// By frame: what was spent in its function, with callees; found once.
    pub fn totals(&self, metric: usize) -> &[i64] {
        let totals = self.totals.get(metric).map(|slot| slot.get_or_init(|| totals(&*self.calls, metric)));
        totals.map_or(&[], Vec::as_slice)
    }

    /// Call paths at some places, of one metric; the last few are kept.
    pub fn scoped(&self, metric: usize, places: &[u32]) -> Arc<Scoped> {
        const KEPT: usize = 4;
        let mut kept = self.scoped.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|known| known.is_of(metric, places));
        let scoped = match at {
            Some(at) => kept.remove(at),
            None => Arc::new(Scoped::new(&self.calls, metric, places, &kept)),
        };
        kept.insert(0, scoped.clone());
        kept.truncate(KEPT);
        scoped
    }

    /// What was spent in each module itself at each place, of the first metric; found once.
    pub fn by_module(&self) -> &[Vec<i64>] {
        self.by_module.get_or_init(|| {
            let modules = self.modules();
            let Some(by_call) = self.by_call(0) else { return Vec::new() };
            let places = self.calls.place_count();
            let mut rows = vec![vec![0i64; places]; modules.names.len()];
            for place in 0..places {
                for (&frame, &value) in by_call.frames().iter().zip(by_call.place(place)) {
                    let row = modules.number(frame).and_then(|module| rows.get_mut(module));
                    if let Some(sum) = row.and_then(|row| row.get_mut(place)) {
                        *sum = sum.saturating_add(value);
                    }
                }
            }
            rows
        })
    }

    /// The functions by what they take, of the first metric; found once.
    pub fn flat(&self) -> &[FlatRow] {
        self.flat.get_or_init(|| flat(&*self.calls, 0))
    }

    /// The module to begin with where places are compared, found once.
    pub fn telling(&self) -> Option<usize> {
        *self.telling.get_or_init(|| modules::telling(self))
    }

    /// The node of each place in the tree of places.
    pub fn place_nodes(&self) -> &[u32] {
        self.place_nodes
            .get_or_init(|| self.calls.run().places().map(|places| place_nodes(&places)).unwrap_or_default())
    }

    /// The node of a rank, or of a place, in the tree of places.
    pub fn peer_node(&self, peers: &Peers, peer: usize) -> Option<u32> {
        let nodes = self.place_nodes();
        let places = peers.places(peer);
        let first = places.iter().filter_map(|&place| nodes.get(place as usize)).min().copied()?;
        // A process stands right before its first thread.
        if places.len() > 1 { first.checked_sub(1) } else { Some(first) }
    }

    /// What costs time, found once.
    pub fn causes(&self) -> &[Cause] {
        self.causes.get_or_init(|| causes(&self.calls))
    }

    /// Who is compared by the first metric when nobody says otherwise; found once.
    pub fn peers(&self) -> &Peers {
        self.peers.get_or_init(|| Peers::of(&self.calls, 0, None))
    }
}

/// The modules of a profile: programs and libraries, or source files where those are not known.
#[derive(Debug, Default)]
pub struct Modules {
    /// The one with most of its own first.
    pub names: Vec<String>,
    /// Of each frame.
    of_frame: Vec<u32>,
    slots: Vec<u16>,
}

impl Modules {
    fn of(calls: &Calls) -> Self {
        // The same names as those of super nodes.
        let map = Map::from(By::Module);
        let mut number: HashMap<String, u32> = HashMap::new();
        let first: Vec<u32> = (calls.frames().iter())
            .map(|frame| {
                let next = number.len() as u32;
                *number.entry(map.label(frame)).or_insert(next)
            })
            .collect();
        let mut own = vec![0i64; number.len()];
        for node in (1..calls.node_count() as u32).map(NodeId) {
            let module = first.get(calls.frame_number(node) as usize).map(|&module| module as usize);
            if let Some(own) = module.and_then(|module| own.get_mut(module)) {
                *own = own.saturating_add(calls.own(0, node));
            }
        }
        let mut order: Vec<(String, u32)> = number.into_iter().collect();
        order.sort_by(|a, b| own[b.1 as usize].cmp(&own[a.1 as usize]).then(a.0.cmp(&b.0)));
        let mut place = vec![0; order.len()];
        for (new, (_, old)) in order.iter().enumerate() {
            place[*old as usize] = new as u32;
        }
        let names: Vec<String> = order.into_iter().map(|(name, _)| name).collect();
        let of_frame = first.into_iter().map(|module| place[module as usize]).collect();
        Modules { slots: colours(&names), names, of_frame }
    }

    /// The module of a frame.
    pub fn number(&self, frame: u32) -> Option<usize> {
        self.of_frame.get(frame as usize).map(|&module| module as usize)
    }

    /// Its colour; grey where there is no frame.
    pub fn slot(&self, frame: u32) -> u16 {
        self.number(frame).and_then(|module| self.slots.get(module).copied()).unwrap_or(slot::SEVERAL)
    }

    /// The colour of a module by its name.
    pub fn slot_of(&self, name: &str) -> u16 {
        let at = self.names.iter().position(|known| known == name);
        at.and_then(|at| self.slots.get(at).copied()).unwrap_or_else(|| wanted(name))
    }

    /// Modules with their colours.
    pub fn all(&self) -> impl Iterator<Item = (&str, u16)> {
        self.names.iter().map(String::as_str).zip(self.slots.iter().copied())
    }
}

/// A colour by name alone, so that a module looks the same in every run.
fn wanted(name: &str) -> u16 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    ((hash >> 32) % CATEGORIES as u64) as u16
}

/// The colour of each name, that with most first: its own where that is free, else the next one. Beyond the number of colours
/// names share them.
fn colours(names: &[String]) -> Vec<u16> {
    let mut taken = [false; CATEGORIES];
    let colour = |name: &String| {
        let own = usize::from(wanted(name));
        let free = (own..own + CATEGORIES).map(|at| at % CATEGORIES).find(|&at| !taken[at]);
        let at = free.unwrap_or(own);
        taken[at] = true;
        at as u16
    };
    names.iter().map(colour).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_have_colours_of_their_own_while_there_are_any() {
        let names: Vec<String> = (0..30).map(|n| format!("lib{n}.so")).collect();
        let mut first = colours(&names)[..CATEGORIES].to_vec();
        first.sort_unstable();
        assert_eq!(first, (0..CATEGORIES as u16).collect::<Vec<_>>());
        assert_eq!(colours(&names)[0], wanted(&names[0]));
    }
}
