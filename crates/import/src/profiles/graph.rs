//! Call graphs that become trees. Some profilers write what was spent in each function, and in each call from one function to
//! another with all that it called, but not on which path. What is known stays exact: what was spent in a function is the
//! same over all its nodes, and with what it called too, outside of recursion. How much of a function belongs to which of its
//! call paths is estimated: by what each of its callers brings.
//!
//! Functions that call each other in a circle are one: below the one that was entered stand the others, each below the one that
//! brings it most, with what they called outside of the circle. Where nobody enters a circle it begins with the function that
//! has most that no caller brought. Values are shared out in whole numbers, and what is shared out is taken away, so that
//! nothing is lost or counted twice. The heaviest calls are followed first; the rest, where a graph has more paths than anybody wants to see,
//! stands as one node below its caller.

mod circles;
mod share;
mod unroll;

use std::collections::BinaryHeap;
use std::sync::Arc;

use crosscut_calls::{Builder, CallsError, Frame};
use foldhash::{HashMap, HashSet};

use circles::{Circles, circles};
use share::share;
use unroll::{Inner, unroll};

/// A tree has no more nodes than this, and those that it needs to say what was left together.
const MOST_NODES: usize = 1 << 17;
/// Each time that a circle is entered, all of it is gone through: so many functions and calls are, in all circles.
const MOST_STEPS: usize = 1 << 25;
/// So many steps it takes to put a call within a circle in its order: once for each function that is entered.
const UNROLLING: usize = 8;
/// What stands for calls that were not followed.
const REST: &str = "(rare call paths)";

/// A graph on its way into a profile: functions and calls of one place.
pub struct Graph {
    metrics: usize,
    functions: Vec<Function>,
    numbers: HashMap<Frame, u32>,
    calls: Vec<Call>,
    call_numbers: HashMap<(u32, u32), u32>,
    roots: Roots,
}

/// Where call paths begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Roots {
    /// In every function of which more was spent than its callers brought, by more than so much for each number that was
    /// rounded.
    Rest { rounded: i64 },
    /// In those that are said to: all that was spent in others was brought by their callers, and differences are rounding.
    Said,
}

struct Function {
    frame: Frame,
    own: Vec<i64>,
    /// Calls by itself.
    again: i64,
    /// All calls, where they are known.
    called: i64,
    is_root: bool,
}

struct Call {
    from: u32,
    to: u32,
    count: i64,
    /// With all that was called.
    cost: Vec<i64>,
}

/// How well a graph fits together, over several of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Whether there are calls at all.
    pub has_calls: bool,
    /// Functions that call each other in a circle.
    pub in_circles: usize,
    /// What was not followed, of the first metric.
    pub rest: i64,
    /// What callers brought more than was spent, of the first metric: they were cut down.
    pub too_much: i64,
}

impl Told {
    /// Of another graph.
    pub fn add(&mut self, other: Told) {
        self.has_calls |= other.has_calls;
        self.in_circles += other.in_circles;
        self.rest = self.rest.saturating_add(other.rest);
        self.too_much = self.too_much.saturating_add(other.too_much);
    }

    /// Says what is known and what is estimated. `all` is the total of the first metric.
    pub fn note(self, builder: &mut Builder, all: i64) {
        let per_cent = |value: i64| value as f64 * 100.0 / all.max(1) as f64;
        if self.has_calls {
            builder.note(
                "the file has calls between functions, not call paths: values of functions are exact, how they fall on \
                 call paths is estimated by what each caller has",
            );
        }
        if self.in_circles > 0 {
            builder.note(format!(
                "{} functions call each other in a circle: below the one that is entered stand the others, each below the \
                 one that brings it most",
                self.in_circles
            ));
        }
        if self.rest > 0 {
            builder.note(format!(
                "{:.2} % are on call paths that are too many and too small to be listed, shown as `{REST}`",
                per_cent(self.rest)
            ));
        }
        if self.too_much > 0 {
            builder.note(format!(
                "callers have {:.2} % more than was spent in what they called: their values were cut down to fit",
                per_cent(self.too_much)
            ));
        }
    }
}

impl Graph {
    /// Nothing, of so many metrics.
    pub fn new(metrics: usize, roots: Roots) -> Self {
        Graph {
            metrics,
            functions: Vec::new(),
            numbers: HashMap::default(),
            calls: Vec::new(),
            call_numbers: HashMap::default(),
            roots,
        }
    }

    /// The number of a function.
    pub fn function(&mut self, frame: &Frame) -> u32 {
        if let Some(&number) = self.numbers.get(frame) {
            return number;
        }
        let number = self.functions.len() as u32;
        let own = vec![0; self.metrics];
        self.functions.push(Function { frame: frame.clone(), own, again: 0, called: 0, is_root: false });
        self.numbers.insert(frame.clone(), number);
        number
    }

    /// Call paths begin where nobody calls: times of callers are not known.
    pub fn callers_bring_all(&mut self) {
        self.roots = Roots::Said;
    }

    /// Something was spent in a function itself.
    pub fn spent(&mut self, function: u32, metric: usize, value: i64) {
        let own = self.functions.get_mut(function as usize).and_then(|function| function.own.get_mut(metric));
        if let Some(own) = own {
            *own = own.saturating_add(value);
        }
    }

    /// A function was called so many times, also by those that are not known.
    pub fn called(&mut self, function: u32, count: i64) {
        if let Some(function) = self.functions.get_mut(function as usize) {
            function.called = function.called.saturating_add(count);
        }
    }

    /// Call paths begin here.
    pub fn root(&mut self, function: u32) {
        if let Some(function) = self.functions.get_mut(function as usize) {
            function.is_root = true;
        }
    }

    /// A function called another so many times, which took so much of each metric with all that it called.
    pub fn call(&mut self, from: u32, to: u32, count: i64, cost: &[i64]) {
        if from == to {
            // What a function brings to itself is part of what it has already.
            if let Some(function) = self.functions.get_mut(from as usize) {
                function.again = function.again.saturating_add(count);
            }
            return;
        }
        let number = *self.call_numbers.entry((from, to)).or_insert_with(|| {
            self.calls.push(Call { from, to, count: 0, cost: vec![0; self.metrics] });
            self.calls.len() as u32 - 1
        });
        if let Some(call) = self.calls.get_mut(number as usize) {
            call.count = call.count.saturating_add(count);
            for (sum, value) in call.cost.iter_mut().zip(cost) {
                *sum = sum.saturating_add(*value);
            }
        }
    }

    /// Makes a tree of it. `metrics` are its metrics in the profile, `calls` is the one of calls.
    pub fn put(
        mut self,
        builder: &mut Builder,
        place: u32,
        metrics: &[u32],
        calls: u32,
    ) -> Result<Told, CallsError> {
        let links: Vec<(u32, u32)> = self.calls.iter().map(|call| (call.from, call.to)).collect();
        let circles = circles(self.functions.len(), &links);
        let has_calls = !self.calls.is_empty() || self.functions.iter().any(|function| function.again > 0);
        let mut told = Told { has_calls, ..Told::default() };
        let mut parts: Vec<Circle> = Vec::with_capacity(circles.members.len());
        let mut entering: Vec<Vec<usize>> = vec![Vec::new(); circles.members.len()];
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); circles.members.len()];
        let mut within: Vec<Vec<Inner>> = vec![Vec::new(); circles.members.len()];
        let mut inside = self.calls_of_nobody();
        let entry = self.entries(&circles);
        for (number, call) in self.calls.iter().enumerate() {
            let (from, to) = (circles.of[call.from as usize], circles.of[call.to as usize]);
            if from == to {
                let inside = &mut inside[call.to as usize];
                *inside = inside.saturating_add(call.count);
                within[from as usize].push(Inner::new(call.from, call.to, &call.cost, call.count));
            } else {
                leaving[from as usize].push(number);
                entering[to as usize].push(number);
            }
        }
        // Those that are called come first, so what leaves a circle is right before it is added up.
        for (number, members) in circles.members.iter().enumerate() {
            let mut circle = Circle::new(&mut self, members, &entering[number], &leaving[number], &mut told);
            circle.root.0 = entry[number];
            circle.within = std::mem::take(&mut within[number]);
            told.in_circles += if members.len() > 1 { members.len() } else { 0 };
            parts.push(circle);
        }
        let mut tree = Tree { builder, place, metrics, calls, graph: &self, parts, of: &circles.of, inside };
        told.rest = tree.grow()?;
        Ok(told)
    }

    /// Calls of each function by itself, and those that no caller has.
    fn calls_of_nobody(&self) -> Vec<i64> {
        let mut known: Vec<i64> = self.functions.iter().map(|function| function.again).collect();
        for call in &self.calls {
            let known = &mut known[call.to as usize];
            *known = known.saturating_add(call.count);
        }
        let rest = |(function, &known): (&Function, &i64)| {
            function.again.saturating_add(function.called.saturating_sub(known).max(0))
        };
        self.functions.iter().zip(&known).map(rest).collect()
    }

    /// The function of each circle with which it begins where no caller enters it: one that is said to, or the one that has most
    /// that no caller brought, of the first metric. What it has is its own and what it called; members of the circle are
    /// callers like others. Without any such difference the one with the smallest number.
    fn entries(&self, circles: &Circles) -> Vec<u32> {
        let first = |values: &[i64]| i128::from(values.first().copied().unwrap_or(0));
        let mut unbrought: Vec<i128> = self.functions.iter().map(|function| first(&function.own)).collect();
        for call in &self.calls {
            unbrought[call.from as usize] += first(&call.cost);
            unbrought[call.to as usize] -= first(&call.cost);
        }
        let most = |&member: &u32| {
            let is_root = self.functions[member as usize].is_root;
            (is_root, unbrought[member as usize], std::cmp::Reverse(member))
        };
        circles.members.iter().map(|members| members.iter().copied().max_by_key(most).unwrap_or(0)).collect()
    }
}

/// Functions that call each other in a circle, or one that does not, and what has not been shared out yet.
struct Circle {
    /// Each with what is left of its own values.
    members: Vec<(u32, Vec<i64>)>,
    /// Calls that leave it, each with what is left of it and of its count.
    leaving: Vec<(u32, Vec<i64>, i64)>,
    /// What is left of all.
    left: Vec<i64>,
    /// What no caller brought, and the member that it belongs to.
    root: (u32, Vec<i64>),
    /// Whether nobody calls it from outside.
    is_root: bool,
    /// Calls between its members.
    within: Vec<Inner>,
    /// By the member that is entered: the others with those that they stand below.
    unrolled: HashMap<u32, Arc<[(u32, u32)]>>,
}

impl Circle {
    fn new(
        graph: &mut Graph,
        members: &[u32],
        entering: &[usize],
        leaving: &[usize],
        told: &mut Told,
    ) -> Self {
        let mut root = vec![0; graph.metrics];
        let mut left = vec![0i64; graph.metrics];
        let is_said = members.iter().copied().find(|&member| graph.functions[member as usize].is_root);
        for (metric, left) in left.iter_mut().enumerate() {
            let own = members.iter().map(|&member| graph.functions[member as usize].own[metric]);
            let out = leaving.iter().map(|&call| graph.calls[call].cost[metric]);
            let total = own.chain(out).fold(0i64, i64::saturating_add);
            let mut brought: Vec<i64> = entering.iter().map(|&call| graph.calls[call].cost[metric]).collect();
            let sum = brought.iter().copied().fold(0i64, i64::saturating_add);
            let numbers = (members.len() + entering.len() + leaving.len()) as i64;
            let slack = match graph.roots {
                Roots::Rest { rounded } => rounded.saturating_mul(numbers),
                Roots::Said => i64::MAX,
            };
            let is_root = total.saturating_sub(sum) > slack || is_said.is_some() || entering.is_empty();
            if sum > total || (!is_root && sum < total) {
                if metric == 0 && sum.saturating_sub(total) > slack {
                    told.too_much = told.too_much.saturating_add(sum - total);
                }
                if sum == 0 {
                    brought = entering.iter().map(|&call| graph.calls[call].count.max(1)).collect();
                }
                for (&call, cost) in entering.iter().zip(share(total, &brought)) {
                    graph.calls[call].cost[metric] = cost;
                }
                root[metric] = 0;
            } else {
                root[metric] = total - sum;
            }
            *left = total;
        }
        let functions = &graph.functions;
        Circle {
            members: members.iter().map(|&member| (member, functions[member as usize].own.clone())).collect(),
            leaving: leaving
                .iter()
                .map(|&call| (call as u32, graph.calls[call].cost.clone(), graph.calls[call].count))
                .collect(),
            left,
            root: (0, root),
            is_root: entering.is_empty(),
            within: Vec::new(),
            unrolled: HashMap::default(),
        }
    }

    /// Its members but the one that is entered, callers first, each with the one that it stands below.
    fn below(&mut self, entered: u32) -> Arc<[(u32, u32)]> {
        let (members, within) = (&self.members, &self.within);
        let unrolled = self.unrolled.entry(entered).or_insert_with(|| {
            let members: Vec<u32> = members.iter().map(|(member, _)| *member).collect();
            unroll(&members, within, entered).into()
        });
        Arc::clone(unrolled)
    }

    /// Takes so much of it: what falls to each member, and to each call with its count.
    fn take(&mut self, amount: &[i64]) -> Taken {
        let mut own = vec![vec![0; amount.len()]; self.members.len()];
        let mut out = vec![(vec![0; amount.len()], 0); self.leaving.len()];
        let before = (amount.first().copied().unwrap_or(0), self.left.first().copied().unwrap_or(0));
        for (call, (_, taken)) in self.leaving.iter_mut().zip(&mut out) {
            // As many calls as there is of the first metric, and all that are left when that is used up.
            let whole = before.0 >= before.1;
            let part = i128::from(call.2) * i128::from(before.0) / i128::from(before.1.max(1));
            *taken = if whole { call.2 } else { i64::try_from(part).unwrap_or(call.2).min(call.2) };
            call.2 -= *taken;
        }
        for (metric, &amount) in amount.iter().enumerate() {
            let left = self.members.iter().map(|(_, own)| own[metric]);
            let left: Vec<i64> = left.chain(self.leaving.iter().map(|(_, cost, _)| cost[metric])).collect();
            let taken = share(amount, &left);
            let (of_members, of_calls) = taken.split_at(self.members.len());
            for ((member, own), &taken) in self.members.iter_mut().zip(&mut own).zip(of_members) {
                member.1[metric] -= taken;
                own[metric] = taken;
            }
            for ((call, out), &taken) in self.leaving.iter_mut().zip(&mut out).zip(of_calls) {
                call.1[metric] -= taken;
                out.0[metric] = taken;
            }
            self.left[metric] -= amount;
        }
        Taken { own, out }
    }
}

struct Taken {
    own: Vec<Vec<i64>>,
    out: Vec<(Vec<i64>, i64)>,
}

/// Whether there is something of any metric.
fn is_some(values: &[i64]) -> bool {
    values.iter().any(|&value| value > 0)
}

/// A call that is to be followed. The heaviest comes first, of equal ones the first that was found.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Pending {
    weight: i64,
    order: std::cmp::Reverse<u32>,
    parent: u32,
    function: u32,
    amount: Vec<i64>,
    count: i64,
}

struct Tree<'t> {
    builder: &'t mut Builder,
    place: u32,
    metrics: &'t [u32],
    calls: u32,
    graph: &'t Graph,
    parts: Vec<Circle>,
    /// The circle of each function.
    of: &'t [u32],
    /// Calls of each function from within its circle or by nobody, until they are counted.
    inside: Vec<i64>,
}

impl Tree<'_> {
    /// Follows calls from all roots. Says how much of the first metric was not followed.
    fn grow(&mut self) -> Result<i64, CallsError> {
        let mut heap = BinaryHeap::new();
        let mut order = 0u32;
        let mut push = |heap: &mut BinaryHeap<Pending>, parent, function, amount: Vec<i64>, count| {
            let weight = amount.first().copied().unwrap_or(0);
            let order_here = std::cmp::Reverse(order);
            order = order.saturating_add(1);
            heap.push(Pending { weight, order: order_here, parent, function, amount, count });
        };
        // Callers before those they call: in the order of the file where that does not matter.
        for circle in self.parts.iter().rev() {
            // Where nobody enters it and nothing was spent below it, what it called was called all the same.
            let calls = circle.is_root && circle.leaving.iter().any(|call| call.2 > 0);
            if calls || is_some(&circle.root.1) {
                push(&mut heap, 0, circle.root.0, circle.root.1.clone(), 0);
            }
        }
        let (mut nodes, mut steps, mut rest, mut is_cut) = (0, 0, 0i64, false);
        while let Some(next) = heap.pop() {
            if nodes >= MOST_NODES || steps >= MOST_STEPS {
                is_cut = true;
                rest = rest.saturating_add(next.weight);
                let frame = self.builder.frame(Frame::region(REST));
                let node = self.builder.node(next.parent, frame)?;
                self.add(node, &next.amount, next.count);
                continue;
            }
            let circle = self.of[next.function as usize] as usize;
            steps += self.parts[circle].members.len() + self.parts[circle].leaving.len();
            let taken = self.parts[circle].take(&next.amount);
            let entered = self.node(next.parent, next.function)?;
            self.add(entered, &[], next.count);
            if !self.parts[circle].unrolled.contains_key(&next.function) {
                steps += UNROLLING * self.parts[circle].within.len();
            }
            let below = self.parts[circle].below(next.function);
            let needed = self.needed(circle, &taken, &below);
            let mut member_nodes = HashMap::with_capacity_and_hasher(needed.len(), Default::default());
            member_nodes.insert(next.function, entered);
            for &(member, above) in below.iter().filter(|(member, _)| needed.contains(member)) {
                let above = member_nodes.get(&above).copied().unwrap_or(entered);
                member_nodes.insert(member, self.node(above, member)?);
            }
            nodes += member_nodes.len();
            for (at, own) in taken.own.iter().enumerate() {
                if let Some(&node) = member_nodes.get(&self.parts[circle].members[at].0) {
                    self.add(node, own, 0);
                }
            }
            for (at, (amount, count)) in taken.out.into_iter().enumerate() {
                let call = &self.graph.calls[self.parts[circle].leaving[at].0 as usize];
                if let Some(&node) = member_nodes.get(&call.from).filter(|_| count > 0 || is_some(&amount)) {
                    push(&mut heap, node, call.to, amount, count);
                }
            }
        }
        self.uncounted(is_cut)?;
        Ok(rest)
    }

    /// Calls of functions that no path led to: of those that took nothing and have no caller, or that were not followed.
    fn uncounted(&mut self, is_cut: bool) -> Result<(), CallsError> {
        for part in &self.parts {
            for call in &part.leaving {
                let inside = &mut self.inside[self.graph.calls[call.0 as usize].to as usize];
                *inside = inside.saturating_add(call.2);
            }
        }
        for function in 0..self.inside.len() {
            let count = std::mem::take(&mut self.inside[function]);
            if count > 0 {
                let frame = match is_cut {
                    true => Frame::region(REST),
                    false => self.graph.functions[function].frame.clone(),
                };
                let frame = self.builder.frame(frame);
                let node = self.builder.node(0, frame)?;
                self.add(node, &[], count);
            }
        }
        Ok(())
    }

    /// The members of a circle that get a node: something is spent in them, they call others, were called, or stand above such.
    fn needed(&self, circle: usize, taken: &Taken, below: &[(u32, u32)]) -> HashSet<u32> {
        let part = &self.parts[circle];
        let spent = part.members.iter().zip(&taken.own);
        let spent = spent.filter(|(member, own)| is_some(own) || self.inside[member.0 as usize] > 0);
        let calling = part.leaving.iter().zip(&taken.out).filter(|(_, out)| out.1 > 0 || is_some(&out.0));
        let mut needed: HashSet<u32> = spent.map(|(member, _)| member.0).collect();
        needed.extend(calling.map(|(call, _)| self.graph.calls[call.0 as usize].from));
        // Callers come first: from the last to the first, all above one that is needed are.
        for (member, above) in below.iter().rev() {
            if needed.contains(member) {
                needed.insert(*above);
            }
        }
        needed
    }

    /// The node of a function below another. Calls within its circle and by nobody are counted at its first, which is its heaviest.
    fn node(&mut self, parent: u32, function: u32) -> Result<u32, CallsError> {
        let frame = self.builder.frame(self.graph.functions[function as usize].frame.clone());
        let node = self.builder.node(parent, frame)?;
        let inside = std::mem::take(&mut self.inside[function as usize]);
        self.add(node, &[], inside);
        Ok(node)
    }

    fn add(&mut self, node: u32, own: &[i64], count: i64) {
        for (&metric, &value) in self.metrics.iter().zip(own) {
            self.builder.add(metric, self.place, node, value);
        }
        self.builder.add(self.calls, self.place, node, count);
    }
}
