//! A thread of a Firefox profile: who it is, its tables, and how much falls on each of its stacks.

use std::collections::BTreeMap;

use super::super::json::{Json, Kind};
use super::tables::Tables;
use crate::error::ImportError;

/// A thread.
#[derive(Default)]
pub struct Thread {
    pub name: String,
    pub pid: String,
    pub tid: String,
    pub tables: Tables,
    /// Of each stack; none is no stack at all.
    pub weights: Vec<(Option<u32>, f64)>,
    pub weight_type: String,
    /// Where it begins in the file.
    pub offset: u64,
}

impl Thread {
    pub fn read(json: &mut Json<'_, '_>) -> Result<Self, ImportError> {
        let (mut thread, mut key) = (Thread { offset: json.offset(), ..Thread::default() }, String::new());
        if !json.object()? {
            return Err(json.broken_at(thread.offset, "a thread is not an object"));
        }
        while json.key(&mut key)? {
            match (key.as_str(), json.kind()?) {
                ("name", _) => thread.name = json.text()?.unwrap_or_default(),
                ("pid", _) => thread.pid = json.text()?.unwrap_or_default(),
                ("tid", _) => thread.tid = json.text()?.unwrap_or_default(),
                ("samples", Kind::Object) => thread.samples(json)?,
                _ => {
                    if !thread.tables.read(json, &key)? {
                        json.skip()?;
                    }
                }
            }
        }
        Ok(thread)
    }

    fn samples(&mut self, json: &mut Json<'_, '_>) -> Result<(), ImportError> {
        let begin = json.offset();
        let (mut stacks, mut weights): (Vec<i64>, Option<Vec<f64>>) = (Vec::new(), None);
        let (mut key, mut stack_at) = (String::new(), None);
        json.object()?;
        while json.key(&mut key)? {
            match (key.as_str(), json.kind()?) {
                ("stack", Kind::Array) => {
                    json.array()?;
                    while json.item()? {
                        stacks.push(stack(json)?);
                    }
                }
                ("weight", Kind::Array) => {
                    let mut list = Vec::new();
                    json.array()?;
                    while json.item()? {
                        let at = json.offset();
                        list.push(json.number()?.ok_or_else(|| json.broken_at(at, "a weight is no number"))?);
                    }
                    weights = Some(list);
                }
                ("weightType", _) => self.weight_type = json.text()?.unwrap_or_default(),
                ("schema", Kind::Object) => {
                    json.object()?;
                    while json.key(&mut key)? {
                        let place = json.whole()?;
                        if key == "stack" {
                            stack_at = place;
                        }
                    }
                }
                ("data", Kind::Array) => {
                    let at = stack_at
                        .ok_or_else(|| json.broken("samples before the schema that names their columns"))?;
                    rows(json, at, &mut stacks)?;
                }
                _ => json.skip()?,
            }
        }
        let count = weights.as_ref().map_or(stacks.len(), Vec::len);
        if count != stacks.len() {
            let what = format!("{} samples have {count} weights", stacks.len());
            return Err(json.broken_at(begin, what));
        }
        let mut sums: BTreeMap<Option<u32>, f64> = BTreeMap::new();
        let weights = weights.unwrap_or_default();
        for (at, stack) in stacks.into_iter().enumerate() {
            let stack = match stack {
                -1 => None,
                stack => Some(
                    u32::try_from(stack)
                        .map_err(|_| json.broken_at(begin, format!("a sample of stack {stack}")))?,
                ),
            };
            *sums.entry(stack).or_insert(0.0) += weights.get(at).copied().unwrap_or(1.0);
        }
        self.weights = sums.into_iter().collect();
        Ok(())
    }
}

/// The number of a stack: −1 for none.
fn stack(json: &mut Json<'_, '_>) -> Result<i64, ImportError> {
    if json.kind()? != Kind::Number {
        json.skip()?;
        return Ok(-1);
    }
    let at = json.offset();
    json.whole()?.filter(|&stack| stack >= 0).ok_or_else(|| json.broken_at(at, "a stack is no whole number"))
}

fn rows(json: &mut Json<'_, '_>, at: i64, stacks: &mut Vec<i64>) -> Result<(), ImportError> {
    json.array()?;
    while json.item()? {
        let (mut cell, mut found) = (0, -1);
        if json.array()? {
            while json.item()? {
                match cell == at {
                    true => found = stack(json)?,
                    false => json.skip()?,
                }
                cell += 1;
            }
        }
        stacks.push(found);
    }
    Ok(())
}
