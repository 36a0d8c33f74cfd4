//! Several profiles over one tree: a call path is the same in all of them if the frames from the program down are alike, of
//! whatever build; paths of one profile that are alike become one. What can be said of two of them then is plain arithmetic; of
//! many, one column for each run.

use crosscut_tree::{TreeBuf, TreeError, from_parents};
use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

use crate::paths::Paths;
use crate::profile::Profile;
use crate::schema::{Frame, Likeness, NONE};

/// One tree for several profiles.
#[derive(Clone, Debug, Default)]
pub struct Union {
    /// The tree: call paths in the order in which the profiles have them, the first one's first.
    pub tree: TreeBuf,
    /// By node: its frame.
    pub frame: Vec<u32>,
    /// All frames.
    pub frames: Vec<Frame>,
    /// By profile and node of it: the node here.
    pub into: Vec<Vec<u32>>,
}

impl Union {
    /// Of some profiles.
    pub fn of(profiles: &[&dyn Paths]) -> Result<Self, TreeError> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut numbers: HashMap<Likeness<'_>, u32> = HashMap::new();
        let mut nodes: HashMap<u64, u32> = HashMap::new();
        let mut parent: Vec<Option<u32>> = vec![None];
        let mut frame = vec![NONE];
        let mut into = Vec::with_capacity(profiles.len());
        for profile in profiles {
            let number = |frame| {
                *numbers.entry(Frame::likeness(frame)).or_insert_with(|| {
                    frames.push(frame.clone());
                    frames.len() as u32 - 1
                })
            };
            let here: Vec<u32> = profile.frames().iter().map(number).collect();
            let mut to = vec![0u32; profile.node_count()];
            let all = profile.frame_numbers().iter().zip(profile.tree().parents());
            nodes.reserve(profile.node_count());
            for (node, (&of, &above)) in all.enumerate().skip(1) {
                let of = here.get(of as usize).copied().unwrap_or(NONE);
                let above = to[above as usize];
                to[node] = *nodes.entry(u64::from(above) << 32 | u64::from(of)).or_insert_with(|| {
                    parent.push(Some(above));
                    frame.push(of);
                    parent.len() as u32 - 1
                });
            }
            into.push(to);
        }
        let made = from_parents(&parent)?;
        let mut place = vec![0u32; parent.len()];
        for (new, &old) in made.order.iter().enumerate() {
            place[old as usize] = new as u32;
        }
        into.par_iter_mut().flatten().for_each(|node| *node = place[*node as usize]);
        let frame = made.order.iter().map(|&old| frame[old as usize]).collect();
        Ok(Union { tree: made.tree, frame, frames, into })
    }

    /// A column of one of the profiles over this tree: what was spent in each node itself.
    pub fn column(&self, profiles: &[&dyn Paths], of: usize, metric: usize, column: usize) -> Vec<i64> {
        let mut out = vec![0i64; self.frame.len()];
        let (Some(into), Some(profile)) = (self.into.get(of), profiles.get(of)) else { return out };
        for (&to, &value) in into.iter().zip(profile.column(metric, column)) {
            let slot = &mut out[to as usize];
            *slot = slot.wrapping_add(value);
        }
        out
    }

    /// The same for all columns of the profile together.
    fn whole(&self, profiles: &[&dyn Paths], of: usize, metric: usize) -> Vec<i64> {
        let mut out = vec![0i64; self.frame.len()];
        let (Some(into), Some(profile)) = (self.into.get(of), profiles.get(of)) else { return out };
        for (node, &to) in into.iter().enumerate() {
            let slot = &mut out[to as usize];
            *slot = slot.wrapping_add(profile.sum(metric, node..node + 1));
        }
        out
    }

    /// By node: whether a profile has it.
    pub fn has(&self, of: usize) -> Vec<bool> {
        let mut has = vec![false; self.frame.len()];
        for &node in self.into.get(of).into_iter().flatten() {
            has[node as usize] = true;
        }
        has
    }
}

/// Metrics that all profiles have, by name: the name, and the number in each.
fn shared(profiles: &[&dyn Paths]) -> Vec<(String, Vec<usize>)> {
    let Some(first) = profiles.first() else { return Vec::new() };
    let names: Vec<Vec<&str>> = profiles.iter().map(|profile| profile.metric_names()).collect();
    let all = |name: &str| {
        names
            .iter()
            .map(|names| names.iter().position(|other| *other == name))
            .collect::<Option<Vec<usize>>>()
    };
    first.metric_names().into_iter().filter_map(|name| Some((name.to_owned(), all(name)?))).collect()
}

/// Many runs as one profile, with a column for each of them: over it a super graph has the distribution over runs in each node.
/// Metrics are those that all runs have.
pub fn ensemble(profiles: &[&dyn Paths]) -> Result<Profile, TreeError> {
    let union = Union::of(profiles)?;
    let metrics = shared(profiles);
    let cells = metrics.iter().flat_map(|(_, numbers)| numbers.iter().copied().enumerate());
    let cells: Vec<(usize, usize)> = cells.collect();
    let own = cells.into_par_iter().map(|(of, metric)| union.whole(profiles, of, metric)).collect();
    let names = metrics.into_iter().map(|(name, _)| name).collect();
    Ok(Profile::new(union.tree, (union.frame, union.frames), names, (profiles.len(), own)))
}

/// What is done with the values of two profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// a + b.
    Plus,
    /// a − b.
    Minus,
    /// a × b.
    Times,
    /// a ÷ b; not a number where b is 0.
    Divided,
}

/// Two profiles, value by value. Columns are those that both have, by their number.
#[derive(Clone, Debug, Default)]
pub struct Combined {
    /// Over one tree.
    pub union: Union,
    /// Names of the metrics that both have.
    pub metrics: Vec<String>,
    /// Number of columns.
    pub columns: usize,
    /// By metric, column and node: itself.
    pub own: Vec<Vec<f64>>,
    /// By metric, column and node: with callees.
    pub inclusive: Vec<Vec<f64>>,
}

/// Combines two profiles, a node that one of them has not counts as 0 there.
pub fn combine(a: &dyn Paths, b: &dyn Paths, how: Arithmetic) -> Result<Combined, TreeError> {
    let profiles = [a, b];
    let union = Union::of(&profiles)?;
    let columns = a.column_count().min(b.column_count());
    let metrics = shared(&profiles);
    let cells = metrics.iter().flat_map(|(_, numbers)| (0..columns).map(|column| (numbers.clone(), column)));
    let cells: Vec<(Vec<usize>, usize)> = cells.collect();
    let tree = union.tree.view();
    let values = |(numbers, column): &(Vec<usize>, usize)| {
        let of = |side: usize| union.column(&profiles, side, numbers[side], *column);
        let (a, b) = (of(0), of(1));
        let sums = |values: &[i64]| crate::profile::subtree_sums(tree, values);
        (each(&a, &b, how), each(&sums(&a), &sums(&b), how))
    };
    let (own, inclusive) = cells.par_iter().map(values).unzip();
    let metrics = metrics.into_iter().map(|(name, _)| name).collect();
    Ok(Combined { union, metrics, columns, own, inclusive })
}

/// Differences and sums of whole numbers are exact.
fn each(a: &[i64], b: &[i64], how: Arithmetic) -> Vec<f64> {
    let value = |(&a, &b): (&i64, &i64)| match how {
        Arithmetic::Plus => a.wrapping_add(b) as f64,
        Arithmetic::Minus => a.wrapping_sub(b) as f64,
        Arithmetic::Times => a as f64 * b as f64,
        Arithmetic::Divided if b == 0 => f64::NAN,
        Arithmetic::Divided => a as f64 / b as f64,
    };
    a.iter().zip(b).map(value).collect()
}

/// a + b or a − b as a profile, which can be analysed like any other. Columns are those of both where they have as many; else
/// there is one, for all of them together.
pub fn join(a: &dyn Paths, b: &dyn Paths, minus: bool) -> Result<Profile, TreeError> {
    let profiles = [a, b];
    let union = Union::of(&profiles)?;
    let columns = if a.column_count() == b.column_count() { a.column_count() } else { 1 };
    let metrics = shared(&profiles);
    let cells = metrics.iter().flat_map(|(_, numbers)| (0..columns).map(move |column| (numbers, column)));
    let cells: Vec<(&Vec<usize>, usize)> = cells.collect();
    let values = |(numbers, column): (&Vec<usize>, usize)| {
        let of = |side: usize| match a.column_count() == b.column_count() {
            true => union.column(&profiles, side, numbers[side], column),
            false => union.whole(&profiles, side, numbers[side]),
        };
        let both = |(a, b): (&i64, &i64)| if minus { a.wrapping_sub(*b) } else { a.wrapping_add(*b) };
        of(0).iter().zip(&of(1)).map(both).collect()
    };
    let own = cells.into_par_iter().map(values).collect();
    let names = metrics.iter().map(|(name, _)| name.clone()).collect();
    Ok(Profile::new(union.tree, (union.frame, union.frames), names, (columns, own)))
}
