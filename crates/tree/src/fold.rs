//! The one fold: what an open node shows of its children. Under a lens, children without what is looked for are folded
//! into "the rest"; children of one shape into "alike"; and of very many only the first, the last and a window are shown.
//! Gaps of wide nodes, separation of grain graphs and surrogates of call trees are all this. A fold is named by its first
//! member. Everything is decided from ranks and jumps, so that a node with a million children costs what it shows.

use std::ops::{AddAssign, Range, SubAssign};

use crate::cut::Cut;
use crate::set::NodeSet;
use crate::tree::{NodeId, Tree};

/// Leaves alike are folded when there are more than this.
const FEW_LEAVES: usize = 3;

/// What the fold must know of a tree. The least is the tree: then only gaps are folded.
pub trait Folds {
    /// The tree.
    fn tree(&self) -> Tree<'_>;
    /// Nodes that are looked for: what holds none of them is folded.
    fn chosen(&self) -> Option<&NodeSet> {
        None
    }
    /// Whether the children of a node stand beside one another: then what is folded need not be neighbours.
    fn is_parallel(&self, _node: NodeId) -> bool {
        false
    }
    /// Whether children of one shape are folded where they stand beside one another.
    fn gathers(&self) -> bool {
        false
    }
    /// Equal for nodes of equal structure; asked only of those that are gathered.
    fn shape(&self, _node: NodeId) -> u64 {
        0
    }
    /// Of a node with more children than this only some are shown.
    fn many(&self) -> usize {
        Cut::MANY
    }
    /// Children that are looked at one by one; wider nodes are separated as far as this.
    fn looked_at(&self) -> usize {
        2048
    }
}

/// A tree without anything else to fold by.
#[derive(Clone, Copy, Debug)]
pub struct Plain<'a>(pub Tree<'a>);

impl Folds for Plain<'_> {
    fn tree(&self) -> Tree<'_> {
        self.0
    }
}

/// Why siblings are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// They hold nothing of what is looked for.
    Rest,
    /// They have the same structure.
    Alike,
    /// There are too many.
    Gap,
}

/// Which siblings a part stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Members {
    /// One.
    One,
    /// All that lie in this range of nodes.
    Run(Range<usize>),
    /// These, in ascending order.
    These(Vec<NodeId>),
    /// All children of a node but some, which are in ascending order.
    Others {
        /// Whose children.
        of: NodeId,
        /// Which are not meant.
        but: Vec<NodeId>,
    },
}

impl Members {
    /// Whether a sibling is one of them; `first` is the node that they are named by.
    pub fn has(&self, first: NodeId, sibling: NodeId) -> bool {
        match self {
            Members::One => first == sibling,
            Members::Run(nodes) => nodes.contains(&sibling.index()),
            Members::These(members) => members.binary_search(&sibling).is_ok(),
            Members::Others { but, .. } => but.binary_search(&sibling).is_err(),
        }
    }
}

/// A visible thing, or an open node around visible things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The node, or the first of those that are folded.
    pub node: NodeId,
    /// Why they are folded, if they are.
    pub fold: Option<Fold>,
    /// How many siblings it stands for.
    pub count: u32,
    /// Which siblings.
    pub members: Members,
    /// Its children are the parts after it.
    pub open: bool,
    /// Number of open parts around it.
    pub depth: u32,
    /// Where the next part after its children stands.
    pub end: usize,
}

impl Part {
    /// A single node, alone.
    pub fn one(node: NodeId) -> Self {
        Part { node, fold: None, count: 1, members: Members::One, open: false, depth: 0, end: 0 }
    }

    /// Whether this sibling is one of its members.
    pub fn has(&self, sibling: NodeId) -> bool {
        self.members.has(self.node, sibling)
    }

    /// A sum over all nodes that it stands for: `of` sums over whole subtrees that follow one another. What an open part
    /// stands for includes the parts inside of it.
    pub fn sum<T: Default + AddAssign + SubAssign>(
        &self,
        tree: Tree<'_>,
        of: impl Fn(Range<usize>) -> T,
    ) -> T {
        let mut sum = T::default();
        match &self.members {
            Members::One => sum += of(tree.range(self.node)),
            Members::Run(nodes) => sum += of(nodes.clone()),
            Members::These(members) => members.iter().for_each(|&member| sum += of(tree.range(member))),
            Members::Others { of: group, but } => {
                let inside = tree.range(*group);
                sum += of((inside.start + 1).min(inside.end)..inside.end);
                but.iter().for_each(|&member| sum -= of(tree.range(member)));
            }
        }
        sum
    }

    /// Whether one of its members begins in this range of nodes.
    fn meets(&self, nodes: &Range<usize>) -> bool {
        match &self.members {
            Members::These(members) => {
                let first = members.partition_point(|member| member.index() < nodes.start);
                members.get(first).is_some_and(|member| member.index() < nodes.end)
            }
            _ => nodes.contains(&self.node.index()),
        }
    }
}

/// The part that stands for a child.
pub fn holder(parts: &[Part], child: NodeId) -> Option<usize> {
    let others = |part: &Part| matches!(part.members, Members::Others { .. });
    let named = |part: &Part| !others(part) && part.has(child);
    parts.iter().position(named).or_else(|| parts.iter().position(|part| others(part) && part.has(child)))
}

/// The children of a node as they are shown when it is open.
pub fn shown<F: Folds + ?Sized>(folds: &F, cut: &Cut, group: NodeId) -> Vec<Part> {
    let tree = folds.tree();
    let count = tree.child_count(group);
    let inside = tree.range(group);
    let parallel = folds.is_parallel(group);
    let look = Group { folds, tree, cut, group, count, parallel };
    let separated = folds.chosen().filter(|chosen| chosen.count_in(inside.clone()) > 0);
    let alike = parallel && folds.gathers();
    match separated {
        None if !alike => look.plain(0..count, true),
        _ if count <= folds.looked_at() => look.all(separated, alike),
        None => look.wide_alike(),
        Some(chosen) if parallel => look.wide_join(chosen, alike),
        Some(chosen) => look.wide_line(chosen),
    }
}

/// What a cut shows in pre-order: a part for each visible thing and for each open node; none when there would be more than
/// `most`. Nothing recurses over depth.
pub fn parts<F: Folds + ?Sized>(folds: &F, cut: &Cut, most: usize) -> Option<Vec<Part>> {
    enum Step {
        Part(Part),
        Close(usize),
    }
    let tree = folds.tree();
    let mut parts: Vec<Part> = Vec::new();
    if tree.is_empty() {
        return Some(parts);
    }
    let mut stack = vec![Step::Part(Part::one(NodeId::ROOT))];
    while let Some(step) = stack.pop() {
        let mut part = match step {
            Step::Part(part) => part,
            Step::Close(open) => {
                parts[open].end = parts.len();
                continue;
            }
        };
        if parts.len() >= most {
            return None;
        }
        let at = parts.len();
        part.end = at + 1;
        part.open = opens(tree, cut, &part);
        if part.open {
            stack.push(Step::Close(at));
            let depth = part.depth + 1;
            let members = shown(folds, cut, part.node).into_iter().rev();
            stack.extend(members.map(|member| Step::Part(Part { depth, ..member })));
        }
        parts.push(part);
    }
    Some(parts)
}

/// Everything visible in tree order, open parts left out: an antichain that stands for the whole tree but for the open
/// nodes. Found as it is asked for.
pub fn visible<'a, F: Folds + ?Sized>(folds: &'a F, cut: &'a Cut) -> impl Iterator<Item = Part> + 'a {
    let root = (!folds.tree().is_empty()).then_some(Part::one(NodeId::ROOT));
    root.into_iter().flat_map(move |root| visible_below(folds, cut, root))
}

/// The same for one part, which is visible when it is closed.
pub fn visible_below<'a, F: Folds + ?Sized>(
    folds: &'a F,
    cut: &'a Cut,
    part: Part,
) -> impl Iterator<Item = Part> + 'a {
    let tree = folds.tree();
    let mut stack = vec![part];
    std::iter::from_fn(move || {
        loop {
            let part = stack.pop()?;
            if !opens(tree, cut, &part) {
                return Some(part);
            }
            stack.extend(shown(folds, cut, part.node).into_iter().rev());
        }
    })
}

/// The open nodes that can be seen (all their ancestors are open), ascending where nothing is gathered.
pub fn open_nodes<'a, F: Folds + ?Sized>(folds: &'a F, cut: &'a Cut) -> impl Iterator<Item = NodeId> + 'a {
    let tree = folds.tree();
    let mut stack = if tree.is_empty() { Vec::new() } else { vec![Part::one(NodeId::ROOT)] };
    std::iter::from_fn(move || {
        while let Some(part) = stack.pop() {
            if opens(tree, cut, &part) {
                stack.extend(shown(folds, cut, part.node).into_iter().rev());
                return Some(part.node);
            }
        }
        None
    })
}

/// Whether a part is open: its children are shown in its place.
fn opens(tree: Tree<'_>, cut: &Cut, part: &Part) -> bool {
    matches!(part.fold, None | Some(Fold::Alike)) && cut.is_open(part.node) && !tree.is_leaf(part.node)
}

/// The members of an open part, as indices.
pub fn members(parts: &[Part], open: usize) -> impl Iterator<Item = usize> + '_ {
    let end = parts[open].end;
    let mut next = open + 1;
    std::iter::from_fn(move || {
        let at = next;
        (at < end).then(|| {
            next = parts[at].end;
            at
        })
    })
}

struct Group<'a, F: ?Sized> {
    folds: &'a F,
    tree: Tree<'a>,
    cut: &'a Cut,
    group: NodeId,
    count: usize,
    parallel: bool,
}

impl<F: Folds + ?Sized> Group<'_, F> {
    /// Neighbours as one part; one alone is itself.
    fn run(&self, fold: Fold, nodes: Range<usize>, count: usize) -> Part {
        let one = Part::one(NodeId(nodes.start as u32));
        if count == 1 {
            return one;
        }
        Part { fold: Some(fold), count: count as u32, members: Members::Run(nodes), ..one }
    }

    /// Children anywhere in the group as one part, in ascending order.
    fn these(&self, fold: Fold, members: Vec<NodeId>) -> Part {
        let one = Part::one(members.first().copied().unwrap_or(self.group));
        Part { fold: Some(fold), count: members.len() as u32, members: Members::These(members), ..one }
    }

    /// All children but some, which are in ascending order, if there are any others.
    fn others(&self, fold: Fold, but: Vec<NodeId>) -> Option<Part> {
        let count = self.count.saturating_sub(but.len());
        let mut known = but.iter().peekable();
        let first =
            self.tree.children(self.group).find(|child| known.next_if(|known| *known == child).is_none());
        let one = Part::one(first.filter(|_| count > 0)?);
        if count == 1 {
            return Some(one);
        }
        let members = Members::Others { of: self.group, but };
        Some(Part { fold: Some(fold), count: count as u32, members, ..one })
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
    fn plain(&self, numbers: Range<usize>, tail: bool) -> Vec<Part> {
        if numbers.len() <= self.folds.many() {
            let members = self.tree.children_from(self.group, numbers.start).take(numbers.len());
            return members.map(Part::one).collect();
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
            let to = self.at(part.start);
            // A damaged index could lead back to a child that was shown already.
            if to < at {
                break;
            }
            if part.start > next {
                items.push(self.run(Fold::Gap, at..to, part.start - next));
                at = to;
            }
            if !part.is_empty() {
                for member in self.tree.children_from(self.group, part.start).take(part.len()) {
                    items.push(Part::one(member));
                    at = self.tree.range(member).end;
                }
            }
            next = part.end;
        }
        items
    }

    /// A group whose members can all be looked at.
    fn all(&self, separated: Option<&NodeSet>, alike: bool) -> Vec<Part> {
        let members: Vec<NodeId> = self.tree.children(self.group).collect();
        let keeps =
            |member: &NodeId| separated.is_none_or(|chosen| chosen.count_in(self.tree.range(*member)) > 0);
        let mut items: Vec<Part> = Vec::new();
        let mut rest = None;
        if self.parallel {
            let others: Vec<NodeId> = members.iter().copied().filter(|member| !keeps(member)).collect();
            let folds = others.len() > 1 && !self.cut.is_spread(others[0]);
            let kept: Vec<NodeId> = members.into_iter().filter(|member| !folds || keeps(member)).collect();
            rest = folds.then(|| self.these(Fold::Rest, others));
            items = if alike { self.fold_alike(&kept) } else { kept.iter().map(|&m| Part::one(m)).collect() };
        } else {
            for run in members.chunk_by(|a, b| keeps(a) == keeps(b)) {
                let folds = run.len() > 1 && !keeps(&run[0]) && !self.cut.is_spread(run[0]);
                if folds {
                    let to = run.last().map_or(0, |&last| self.tree.range(last).end);
                    items.push(self.run(Fold::Rest, run[0].index()..to, run.len()));
                } else {
                    items.extend(run.iter().map(|&member| Part::one(member)));
                }
            }
        }
        let mut items = self.windowed(items);
        items.extend(rest);
        items
    }

    /// Members of one shape that agree in whether they hold what is looked for, as one; in the place of the first.
    fn fold_alike(&self, members: &[NodeId]) -> Vec<Part> {
        let has = |member: NodeId| {
            self.folds.chosen().is_some_and(|chosen| chosen.count_in(self.tree.range(member)) > 0)
        };
        let mut keys: Vec<(u64, bool, NodeId)> =
            members.iter().map(|&member| (self.folds.shape(member), has(member), member)).collect();
        keys.sort_unstable();
        let mut items: Vec<Part> = Vec::new();
        for same in keys.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let first = same[0].2;
            let least = if !self.tree.is_leaf(first) { 1 } else { FEW_LEAVES };
            if same.len() > least && !self.cut.is_spread(first) {
                items.push(self.these(Fold::Alike, same.iter().map(|key| key.2).collect()));
            } else {
                items.extend(same.iter().map(|key| Part::one(key.2)));
            }
        }
        items.sort_by_key(|item| item.node);
        items
    }

    /// Of many items the first and last ones and those in the window; the others as gaps.
    fn windowed(&self, items: Vec<Part>) -> Vec<Part> {
        let len = items.len();
        if len <= self.folds.many() {
            return items;
        }
        let window = self.window_nodes();
        let mut out: Vec<Part> = Vec::new();
        let mut gap: Vec<Part> = Vec::new();
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
    fn merged(&self, mut items: Vec<Part>) -> Option<Part> {
        if items.len() < 2 {
            return items.pop();
        }
        let first = Part::one(items[0].node);
        let mut gap = Part { fold: Some(Fold::Gap), count: 0, ..first };
        let mut members: Vec<NodeId> = Vec::new();
        let mut to = 0;
        for item in items {
            gap.count += item.count;
            match item.members {
                Members::One | Members::Others { .. } => {
                    to = self.tree.range(item.node).end;
                    members.push(item.node);
                }
                Members::Run(nodes) => to = nodes.end,
                Members::These(some) => members.extend(some),
            }
        }
        members.sort_unstable();
        gap.members =
            if self.parallel { Members::These(members) } else { Members::Run(gap.node.index()..to) };
        Some(gap)
    }

    /// A very wide group of siblings beside one another without a lens: shapes of its first members are compared; all of them when they are leaves.
    fn wide_alike(&self) -> Vec<Part> {
        let inside = self.tree.range(self.group);
        let members = inside.start + 1..inside.end;
        let first = NodeId(members.start as u32);
        if members.len() == self.count {
            if self.cut.is_spread(first) {
                return self.plain(0..self.count, true);
            }
            return vec![self.run(Fold::Alike, members, self.count)];
        }
        let near: Vec<NodeId> = self.tree.children(self.group).take(self.folds.looked_at()).collect();
        let mut items = self.windowed(self.fold_alike(&near));
        items.extend(self.plain(self.folds.looked_at()..self.count, true));
        items
    }

    /// The members that are looked for, the first [`Folds::looked_at`] of them; says whether that is all.
    fn kept(&self, chosen: &NodeSet) -> (Vec<NodeId>, bool) {
        let end = self.end();
        let mut kept = Vec::new();
        let mut at = self.group.index() + 1;
        while let Some(found) = next_in(chosen, at..end) {
            if kept.len() == self.folds.looked_at() {
                return (kept, false);
            }
            let member = self.member(found);
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

    /// The same under a lens.
    fn wide_join(&self, chosen: &NodeSet, alike: bool) -> Vec<Part> {
        let (kept, all) = self.kept(chosen);
        let inside = self.tree.range(self.group);
        let members = inside.start + 1..inside.end;
        if alike && members.len() == self.count && chosen.count_in(members.clone()) == self.count {
            return self.wide_alike();
        }
        if !all {
            // Too many to tell apart: the first ones, the window, and all others as they come.
            let mut items: Vec<Part> = kept.iter().take(Cut::HEAD).map(|&member| Part::one(member)).collect();
            let window = self.window();
            if !window.is_empty() {
                for member in self.tree.children_from(self.group, window.start).take(window.len()) {
                    if !items.iter().any(|item| item.has(member)) {
                        items.push(Part::one(member));
                    }
                }
            }
            items.sort_by_key(|item| item.node);
            items.extend(self.others(Fold::Gap, items.iter().map(|item| item.node).collect()));
            return items;
        }
        let ones = || kept.iter().map(|&member| Part::one(member)).collect();
        let rest = self.others(Fold::Rest, kept.clone());
        if rest.as_ref().is_some_and(|rest| rest.count > 1 && self.cut.is_spread(rest.node)) {
            return self.plain(0..self.count, true);
        }
        let mut items = self.windowed(if alike { self.fold_alike(&kept) } else { ones() });
        items.extend(rest);
        items
    }

    /// A very wide group of siblings one after the other under a lens: runs between the members that are looked for.
    fn wide_line(&self, chosen: &NodeSet) -> Vec<Part> {
        let (kept, all) = self.kept(chosen);
        let mut items: Vec<Part> = Vec::new();
        let (mut number, mut at) = (0, self.group.index() + 1);
        for member in kept {
            let k = self.tree.child_index(member);
            self.between(number..k, at..member.index(), &mut items);
            items.push(Part::one(member));
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

    /// A run of members without what is looked for.
    fn between(&self, numbers: Range<usize>, nodes: Range<usize>, items: &mut Vec<Part>) {
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
