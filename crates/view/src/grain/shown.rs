//! What an open group shows: its members, some of them folded. Under a lens, members without the problem are folded into
//! "others"; groups of one shape into "alike"; and of very many only some are shown. A fold is named by its first member.
//! Everything is decided from ranks and jumps, so that a group of a million members costs what it shows.

use std::ops::{AddAssign, Range, SubAssign};

use crosscut_tasks::grain::GrainKind;
use crosscut_tree::{Cut, NodeId, NodeSet, Tree};

/// Of a group with more members than this only some are shown.
pub const MANY: usize = 64;
/// Members that are looked at one by one; wider groups are separated as far as this.
pub const LOOKED_AT: usize = 2048;
/// Grains alike are folded when there are more than this.
const FEW_GRAINS: usize = 3;

/// What must be known of nodes, so that all this can be tested without a run.
pub trait Nodes {
    /// The aggregation tree.
    fn tree(&self) -> Tree<'_>;
    /// What a node is.
    fn kind(&self, node: NodeId) -> GrainKind;
    /// Equal for nodes of equal structure.
    fn shape(&self, node: NodeId) -> u64;
    /// Number of the first grain at or after a node.
    fn first_grain(&self, node: usize) -> usize;
    /// Work of some grains.
    fn work(&self, grains: Range<usize>) -> i64;
    /// Grains that have the problem that is looked at.
    fn chosen(&self) -> Option<&NodeSet>;
    /// Whether groups that are alike are folded.
    fn fold_alike(&self) -> bool;

    /// Sums over whole subtrees that follow one another.
    fn totals(&self, nodes: Range<usize>) -> Totals {
        let grains = self.first_grain(nodes.start)..self.first_grain(nodes.end);
        Totals {
            grains: grains.len() as i64,
            work: self.work(grains),
            problems: self.chosen().map_or(0, |chosen| chosen.count_in(nodes) as i64),
        }
    }
}

/// What a mark stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Grains.
    pub grains: i64,
    /// Their work.
    pub work: i64,
    /// Those of them that have the problem that is looked at.
    pub problems: i64,
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.grains += other.grains;
        self.work += other.work;
        self.problems += other.problems;
    }
}

impl SubAssign for Totals {
    fn sub_assign(&mut self, other: Totals) {
        self.grains -= other.grains;
        self.work -= other.work;
        self.problems -= other.problems;
    }
}

/// Why siblings are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// They do not have the problem that is looked at.
    Rest,
    /// They have the same structure.
    Alike,
    /// There are too many.
    Gap,
}

/// Which members an item stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holds {
    /// One.
    One,
    /// All that lie in this range of nodes.
    Run(Range<usize>),
    /// These.
    These(Vec<NodeId>),
    /// All that no other item of the group holds.
    Others,
}

/// A member, or folded members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The member, or the first of them.
    pub node: NodeId,
    /// Why they are folded, if they are.
    pub fold: Option<Fold>,
    /// How many members.
    pub count: u32,
    /// What it stands for.
    pub totals: Totals,
    /// Which members.
    pub holds: Holds,
}

impl Item {
    /// Whether this member is one of them; never of [`Holds::Others`], which only the other items can tell.
    pub fn has(&self, member: NodeId) -> bool {
        match &self.holds {
            Holds::One => self.node == member,
            Holds::Run(nodes) => nodes.contains(&member.index()),
            Holds::These(members) => members.binary_search(&member).is_ok(),
            Holds::Others => false,
        }
    }
}

impl Item {
    /// Whether one of its members begins in this range of nodes.
    fn meets(&self, nodes: &Range<usize>) -> bool {
        match &self.holds {
            Holds::These(members) => {
                let first = members.partition_point(|member| member.index() < nodes.start);
                members.get(first).is_some_and(|member| member.index() < nodes.end)
            }
            _ => nodes.contains(&self.node.index()),
        }
    }
}

/// The item that stands for a member.
pub fn holder(items: &[Item], member: NodeId) -> Option<usize> {
    let others = || items.iter().position(|item| item.holds == Holds::Others);
    items.iter().position(|item| item.has(member)).or_else(others)
}

/// The members of a group as they are shown when it is open.
pub fn shown<N: Nodes>(nodes: &N, cut: &Cut, group: NodeId) -> Vec<Item> {
    let tree = nodes.tree();
    let count = tree.child_count(group);
    let inside = tree.range(group);
    let parallel = nodes.kind(group) == GrainKind::ForkJoin;
    let look = Group { nodes, tree, cut, group, count, parallel };
    let separated = nodes.chosen().filter(|chosen| chosen.count_in(inside.clone()) > 0);
    let alike = parallel && nodes.fold_alike();
    match separated {
        None if !alike => look.plain(0..count, true),
        _ if count <= LOOKED_AT => look.all(separated, alike),
        None => look.wide_alike(),
        Some(chosen) if parallel => look.wide_join(chosen, alike),
        Some(chosen) => look.wide_line(chosen),
    }
}

struct Group<'a, N> {
    nodes: &'a N,
    tree: Tree<'a>,
    cut: &'a Cut,
    group: NodeId,
    count: usize,
    parallel: bool,
}

impl<N: Nodes> Group<'_, N> {
    fn one(&self, node: NodeId) -> Item {
        let totals = self.nodes.totals(self.tree.range(node));
        Item { node, fold: None, count: 1, totals, holds: Holds::One }
    }

    /// Neighbours as one item; one alone is itself.
    fn run(&self, fold: Fold, nodes: Range<usize>, count: usize) -> Item {
        let node = NodeId(nodes.start as u32);
        if count == 1 {
            return self.one(node);
        }
        let totals = self.nodes.totals(nodes.clone());
        Item { node, fold: Some(fold), count: count as u32, totals, holds: Holds::Run(nodes) }
    }

    /// Members anywhere in the group as one item, in ascending order.
    fn these(&self, fold: Fold, members: Vec<NodeId>) -> Item {
        let mut totals = Totals::default();
        for &member in &members {
            totals += self.nodes.totals(self.tree.range(member));
        }
        Item {
            node: members.first().copied().unwrap_or(self.group),
            fold: Some(fold),
            count: members.len() as u32,
            totals,
            holds: Holds::These(members),
        }
    }

    /// All members but those of the items, if there are any.
    fn others(&self, fold: Fold, items: &[Item]) -> Option<Item> {
        let count = self.count - items.iter().map(|item| item.count as usize).sum::<usize>();
        let free = |member: &NodeId| !items.iter().any(|item| item.has(*member));
        let node = self.tree.children(self.group).find(free).filter(|_| count > 0)?;
        if count == 1 {
            return Some(self.one(node));
        }
        let mut totals = self.nodes.totals(self.tree.range(self.group));
        for item in items {
            totals -= item.totals;
        }
        Some(Item { node, fold: Some(fold), count: count as u32, totals, holds: Holds::Others })
    }

    /// Numbers of the members in the window.
    fn window(&self) -> Range<usize> {
        let window = self.cut.window(self.group);
        let first = (window.first as usize).min(self.count);
        first..first.saturating_add((window.count as usize).min(Cut::WINDOW)).min(self.count)
    }

    /// The nodes of the members in the window.
    fn window_nodes(&self) -> Range<usize> {
        let window = self.window();
        if window.is_empty() { 0..0 } else { self.at(window.start)..self.at(window.end) }
    }

    /// Where the k-th member begins, or the last one ends.
    fn at(&self, k: usize) -> usize {
        let member = if k < self.count { self.tree.child(self.group, k) } else { None };
        member.map_or(self.end(), NodeId::index)
    }

    fn end(&self) -> usize {
        self.tree.range(self.group).end
    }

    /// Neighbours by number, one by one; of many only the first and last ones and those in the window.
    fn plain(&self, numbers: Range<usize>, tail: bool) -> Vec<Item> {
        if numbers.len() <= MANY {
            let members = self.tree.children_from(self.group, numbers.start).take(numbers.len());
            return members.map(|member| self.one(member)).collect();
        }
        let head = numbers.start + Cut::HEAD;
        let tail = numbers.end - if tail { Cut::TAIL } else { 0 };
        let window = self.window();
        let window = window.start.clamp(head, tail)..window.end.clamp(head, tail);
        let mut items = Vec::new();
        let mut next = numbers.start;
        let mut at = self.at(next);
        for part in [numbers.start..head, window, tail..numbers.end, numbers.end..numbers.end] {
            if part.is_empty() && part.start < numbers.end {
                continue;
            }
            if part.start > next {
                let to = self.at(part.start);
                items.push(self.run(Fold::Gap, at..to, part.start - next));
                at = to;
            }
            if !part.is_empty() {
                for member in self.tree.children_from(self.group, part.start).take(part.len()) {
                    items.push(self.one(member));
                    at = self.tree.range(member).end;
                }
            }
            next = part.end;
        }
        items
    }

    /// A group whose members can all be looked at.
    fn all(&self, separated: Option<&NodeSet>, alike: bool) -> Vec<Item> {
        let members: Vec<NodeId> = self.tree.children(self.group).collect();
        let keeps =
            |member: &NodeId| separated.is_none_or(|chosen| chosen.count_in(self.tree.range(*member)) > 0);
        let mut items: Vec<Item> = Vec::new();
        let mut rest = None;
        if self.parallel {
            let others: Vec<NodeId> = members.iter().copied().filter(|member| !keeps(member)).collect();
            let folds = others.len() > 1 && !self.cut.is_spread(others[0]);
            let kept: Vec<NodeId> = members.into_iter().filter(|member| !folds || keeps(member)).collect();
            rest = folds.then(|| self.these(Fold::Rest, others));
            items = if alike { self.fold_alike(&kept) } else { kept.iter().map(|&m| self.one(m)).collect() };
        } else {
            for run in members.chunk_by(|a, b| keeps(a) == keeps(b)) {
                let folds = run.len() > 1 && !keeps(&run[0]) && !self.cut.is_spread(run[0]);
                if folds {
                    let to = run.last().map_or(0, |&last| self.tree.range(last).end);
                    items.push(self.run(Fold::Rest, run[0].index()..to, run.len()));
                } else {
                    items.extend(run.iter().map(|&member| self.one(member)));
                }
            }
        }
        let mut items = self.windowed(items);
        items.extend(rest);
        items
    }

    /// Members of one shape that agree in whether they have the problem, as one; in the place of the first.
    fn fold_alike(&self, members: &[NodeId]) -> Vec<Item> {
        let has = |member: NodeId| {
            self.nodes.chosen().is_some_and(|chosen| chosen.count_in(self.tree.range(member)) > 0)
        };
        let mut keys: Vec<(u64, bool, NodeId)> =
            members.iter().map(|&member| (self.nodes.shape(member), has(member), member)).collect();
        keys.sort_unstable();
        let mut items: Vec<Item> = Vec::new();
        for same in keys.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let first = same[0].2;
            let least = if self.nodes.kind(first).is_group() { 1 } else { FEW_GRAINS };
            if same.len() > least && !self.cut.is_spread(first) {
                items.push(self.these(Fold::Alike, same.iter().map(|key| key.2).collect()));
            } else {
                items.extend(same.iter().map(|key| self.one(key.2)));
            }
        }
        items.sort_by_key(|item| item.node);
        items
    }

    /// Of many items the first and last ones and those in the window; the others as gaps.
    fn windowed(&self, items: Vec<Item>) -> Vec<Item> {
        let len = items.len();
        if len <= MANY {
            return items;
        }
        let window = self.window_nodes();
        let mut out: Vec<Item> = Vec::new();
        let mut gap: Vec<Item> = Vec::new();
        for (i, item) in items.into_iter().enumerate() {
            let shows = i < Cut::HEAD || i >= len - Cut::TAIL || item.meets(&window);
            if !shows {
                gap.push(item);
                continue;
            }
            out.extend(self.merged(std::mem::take(&mut gap)));
            out.push(item);
        }
        out.extend(self.merged(gap));
        out
    }

    /// Items that follow one another as one gap.
    fn merged(&self, mut items: Vec<Item>) -> Option<Item> {
        if items.len() < 2 {
            return items.pop();
        }
        let mut gap = Item { fold: Some(Fold::Gap), count: 0, totals: Totals::default(), ..items[0].clone() };
        let mut members: Vec<NodeId> = Vec::new();
        let mut to = 0;
        for item in items {
            gap.count += item.count;
            gap.totals += item.totals;
            match item.holds {
                Holds::One | Holds::Others => {
                    to = self.tree.range(item.node).end;
                    members.push(item.node);
                }
                Holds::Run(nodes) => to = nodes.end,
                Holds::These(some) => members.extend(some),
            }
        }
        members.sort_unstable();
        gap.holds = if self.parallel { Holds::These(members) } else { Holds::Run(gap.node.index()..to) };
        Some(gap)
    }

    /// A very wide fork-join without a lens: shapes of its first members are compared; all of them when they are grains.
    fn wide_alike(&self) -> Vec<Item> {
        let inside = self.tree.range(self.group);
        let members = inside.start + 1..inside.end;
        let first = NodeId(members.start as u32);
        if members.len() == self.count {
            if self.cut.is_spread(first) {
                return self.plain(0..self.count, true);
            }
            return vec![self.run(Fold::Alike, members, self.count)];
        }
        let near: Vec<NodeId> = self.tree.children(self.group).take(LOOKED_AT).collect();
        let mut items = self.windowed(self.fold_alike(&near));
        items.extend(self.plain(LOOKED_AT..self.count, true));
        items
    }

    /// The members with the problem, the first [`LOOKED_AT`] of them; says whether that is all.
    fn kept(&self, chosen: &NodeSet) -> (Vec<NodeId>, bool) {
        let end = self.end();
        let mut kept = Vec::new();
        let mut at = self.group.index() + 1;
        while let Some(grain) = next_in(chosen, at..end) {
            if kept.len() == LOOKED_AT {
                return (kept, false);
            }
            let member = self.member(grain);
            at = self.tree.range(member).end;
            kept.push(member);
        }
        (kept, true)
    }

    /// The member that a node lies in: as a rule a few levels above, else found by halving.
    fn member(&self, node: usize) -> NodeId {
        let mut at = NodeId(node as u32);
        for _ in 0..32 {
            match self.tree.parent(at) {
                Some(parent) if parent != self.group => at = parent,
                _ => return at,
            }
        }
        let (mut low, mut high) = (0, self.count);
        while high - low > 1 {
            let middle = low.midpoint(high);
            let before = self.tree.child(self.group, middle).is_some_and(|m| m.index() <= node);
            if before { low = middle } else { high = middle }
        }
        self.tree.child(self.group, low).unwrap_or(at)
    }

    /// A very wide fork-join under a lens.
    fn wide_join(&self, chosen: &NodeSet, alike: bool) -> Vec<Item> {
        let (kept, all) = self.kept(chosen);
        let inside = self.tree.range(self.group);
        let members = inside.start + 1..inside.end;
        if alike && members.len() == self.count && chosen.count_in(members.clone()) == self.count {
            return self.wide_alike();
        }
        if !all {
            // Too many to tell apart: the first ones, the window, and all others as they come.
            let mut items: Vec<Item> = kept.iter().take(Cut::HEAD).map(|&member| self.one(member)).collect();
            let window = self.window();
            if !window.is_empty() {
                for member in self.tree.children_from(self.group, window.start).take(window.len()) {
                    if !items.iter().any(|item| item.has(member)) {
                        items.push(self.one(member));
                    }
                }
            }
            items.sort_by_key(|item| item.node);
            items.extend(self.others(Fold::Gap, &items));
            return items;
        }
        let ones: Vec<Item> = kept.iter().map(|&member| self.one(member)).collect();
        let rest = self.others_of(&kept, &ones);
        if rest.as_ref().is_some_and(|rest| rest.count > 1 && self.cut.is_spread(rest.node)) {
            return self.plain(0..self.count, true);
        }
        let mut items = self.windowed(if alike { self.fold_alike(&kept) } else { ones });
        items.extend(rest);
        items
    }

    /// Like [`Group::others`] for many members, which are in order.
    fn others_of(&self, kept: &[NodeId], ones: &[Item]) -> Option<Item> {
        let count = self.count - kept.len();
        let mut kept = kept.iter();
        let node = self.tree.children(self.group).find(|member| {
            kept.as_slice().first() != Some(member) || {
                kept.next();
                false
            }
        })?;
        if count == 1 {
            return Some(self.one(node));
        }
        let mut totals = self.nodes.totals(self.tree.range(self.group));
        for item in ones {
            totals -= item.totals;
        }
        (count > 0).then_some(Item {
            node,
            fold: Some(Fold::Rest),
            count: count as u32,
            totals,
            holds: Holds::Others,
        })
    }

    /// A very wide linear group under a lens: runs between the members that have the problem.
    fn wide_line(&self, chosen: &NodeSet) -> Vec<Item> {
        let (kept, all) = self.kept(chosen);
        let mut items: Vec<Item> = Vec::new();
        let (mut number, mut at) = (0, self.group.index() + 1);
        for member in kept {
            let k = self.tree.child_index(member);
            self.between(number..k, at..member.index(), &mut items);
            items.push(self.one(member));
            (number, at) = (k + 1, self.tree.range(member).end);
        }
        if all {
            self.between(number..self.count, at..self.end(), &mut items);
            return self.windowed(items);
        }
        let mut items = self.windowed(items);
        items.extend(self.plain(number..self.count, true));
        items
    }

    /// A run of members without the problem.
    fn between(&self, numbers: Range<usize>, nodes: Range<usize>, items: &mut Vec<Item>) {
        if numbers.is_empty() {
            return;
        }
        if self.cut.is_spread(NodeId(nodes.start as u32)) {
            items.extend(self.plain(numbers, true));
        } else {
            items.push(self.run(Fold::Rest, nodes, numbers.len()));
        }
    }
}

/// The first member of the set in a range, by halving its ranks.
fn next_in(set: &NodeSet, range: Range<usize>) -> Option<usize> {
    let start = range.start;
    if set.count_in(range.clone()) == 0 {
        return None;
    }
    let mut step = 1;
    while start + step < range.end && set.count_in(start..start + step) == 0 {
        step *= 2;
    }
    // It is in the last stretch that was added.
    let (mut low, mut high) = (start + step / 2, (start + step).min(range.end));
    while high - low > 1 {
        let middle = low.midpoint(high);
        if set.count_in(low..middle) > 0 { high = middle } else { low = middle }
    }
    Some(low)
}
