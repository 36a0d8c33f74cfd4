//! Samples of stacks beside the spans: `stackFrames`, each with its parent, and `samples`, each with the frame it ended in.

use crosscut_calls::{Builder, Frame, Given, Unit};
use foldhash::{HashMap, HashSet};

use super::super::json::{Json, Kind};
use super::super::path_node;
use super::super::whose::Whose;
use crate::error::ImportError;

/// Frames by their names in the file, and how often each thread was seen in one.
#[derive(Default)]
pub struct Samples {
    frames: HashMap<String, (String, String, Option<String>)>,
    weights: HashMap<Seen, i64>,
    /// In the order in which they occur.
    order: Vec<Seen>,
}

/// A thread in a frame; its process where the file says so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Seen {
    pid: Option<String>,
    tid: String,
    frame: String,
}

impl Samples {
    /// `{"5": {"name": "f", "category": "lib", "parent": "3"}}`.
    pub fn frames(&mut self, json: &mut Json<'_, '_>) -> Result<(), ImportError> {
        let (mut id, mut key) = (String::new(), String::new());
        json.object()?;
        while json.key(&mut id)? {
            let (mut name, mut category, mut parent) = (String::new(), String::new(), None);
            if json.object()? {
                while json.key(&mut key)? {
                    match key.as_str() {
                        "name" => name = json.text()?.unwrap_or_default(),
                        "category" => category = json.text()?.unwrap_or_default(),
                        "parent" => parent = json.text()?,
                        _ => json.skip()?,
                    }
                }
            }
            self.frames.insert(id.clone(), (name, category, parent));
        }
        Ok(())
    }

    /// `[{"tid": 1, "ts": 1.5, "sf": 5, "weight": 1}]`.
    pub fn list(&mut self, json: &mut Json<'_, '_>) -> Result<(), ImportError> {
        let mut key = String::new();
        json.array()?;
        while json.item()? {
            let at = json.offset();
            let (mut seen, mut weight) = (Seen::default(), 1);
            if json.kind()? != Kind::Object {
                return Err(json.broken_at(at, "a sample is not an object"));
            }
            json.object()?;
            while json.key(&mut key)? {
                match key.as_str() {
                    "pid" => seen.pid = json.text()?,
                    "tid" => seen.tid = json.text()?.unwrap_or_default(),
                    "sf" => seen.frame = json.text()?.unwrap_or_default(),
                    "weight" => weight = json.whole()?.unwrap_or(1),
                    _ => json.skip()?,
                }
            }
            let order = &mut self.order;
            let sum = self.weights.entry(seen).or_insert_with_key(|seen| {
                order.push(seen.clone());
                0
            });
            *sum = sum.saturating_add(weight);
        }
        Ok(())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Puts them into the profile.
    pub fn put(self, builder: &mut Builder, whose: &mut Whose) -> Result<(), ImportError> {
        if self.order.is_empty() {
            return Ok(());
        }
        let metric = builder.metric("samples", Unit::Count, Given::Own);
        let mut lost = 0u64;
        for sample in &self.order {
            let (mut path, mut seen, mut next) = (Vec::new(), HashSet::default(), Some(&sample.frame));
            while let Some(id) = next.filter(|id| !id.is_empty()) {
                let Some((name, category, parent)) = self.frames.get(id).filter(|_| seen.insert(id)) else {
                    lost += 1;
                    break;
                };
                path.push(Frame { module: category.clone(), ..Frame::function(name) });
                next = parent.as_ref();
            }
            let node = path_node(builder, path.into_iter().rev())?;
            let place = match &sample.pid {
                Some(pid) => whose.place(builder, pid, &sample.tid),
                None => whose.thread(builder, &sample.tid),
            };
            let weight = self.weights.get(sample).copied().unwrap_or(0);
            builder.add(metric, place, node, weight);
        }
        if lost > 0 {
            builder.note(format!("{lost} stacks name a frame that is not in the file: they begin below it"));
        }
        Ok(())
    }
}
