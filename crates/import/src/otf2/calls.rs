//! Entering and leaving functions becomes a call tree: what each location spent in each call path, and how often it came there.
//!
//! Time passes between two events of a location and belongs to the function that was entered last. Where tasks are switched,
//! each task has open functions of its own, and what is suspended spends nothing.

use crosscut_calls::{Builder, CallsError, Frame, Given, Unit};
use crosscut_run::{RunWriter, SourcesBuilder};
use foldhash::{HashMap, HashMapExt};

use super::definitions::{Definitions, UNDEFINED};
use super::events::{Event, Task};
use super::local::{CONTEXT, Local, REGION};

/// A function that is open: its node and its region, or its calling context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Open {
    node: u32,
    what: What,
}

/// What a node stands for, by its global number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum What {
    Region(u32),
    Context(u32),
}

/// What is open, the innermost last. As long as everything is left in the order in which it was entered, nothing is looked for;
/// from the first time on that it is not, how often each is open is kept, so that what was never entered is not looked for
/// among all that is open, again and again.
#[derive(Clone, Debug, Default)]
struct Stack {
    open: Vec<Open>,
    times: Option<HashMap<What, u32>>,
}

impl Stack {
    #[inline]
    fn last(&self) -> Option<&Open> {
        self.open.last()
    }

    #[inline]
    fn push(&mut self, open: Open) {
        if let Some(times) = &mut self.times {
            *times.entry(open.what).or_default() += 1;
        }
        self.open.push(open);
    }

    fn pop(&mut self) -> Option<What> {
        let what = self.open.pop()?.what;
        if let Some(time) = self.times.as_mut().and_then(|times| times.get_mut(&what)) {
            *time -= 1;
        }
        Some(what)
    }

    /// Closes the innermost of these and all inside it: how many were inside, or none where it is not open.
    #[inline]
    fn leave(&mut self, what: What) -> Option<u64> {
        if self.last().is_some_and(|open| open.what == what) {
            self.pop();
            return Some(0);
        }
        let open = &self.open;
        let times = self.times.get_or_insert_with(|| {
            let mut times = HashMap::new();
            open.iter().for_each(|open| *times.entry(open.what).or_default() += 1);
            times
        });
        if times.get(&what).is_none_or(|&times| times == 0) {
            return None;
        }
        let mut inside = 0;
        while self.pop().is_some_and(|closed| closed != what) {
            inside += 1;
        }
        Some(inside)
    }
}

/// What was spent in a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Spent {
    time: i64,
    visits: i64,
    samples: i64,
}

/// The call tree of a location. Node 0 is the program.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<(u32, What, Spent)>,
    children: HashMap<(u32, What), u32>,
    /// Nodes of calling contexts.
    contexts: HashMap<u32, u32>,
    open: Stack,
    /// What is open in tasks that are suspended.
    suspended: HashMap<Task, Stack>,
    task: Option<Task>,
    last: i64,
    /// What did not fit.
    pub odd: Odd,
}

/// What did not fit together, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Odd {
    /// Functions that were left and never entered.
    pub not_entered: u64,
    /// Functions that were left while others inside them were open, which were closed with them.
    pub crossed: u64,
    /// Functions that were still open at the end.
    pub not_left: u64,
    /// Events with a time before the one before them.
    pub backwards: u64,
}

impl Odd {
    /// Adds those of another location.
    pub fn add(&mut self, other: Odd) {
        self.not_entered += other.not_entered;
        self.crossed += other.crossed;
        self.not_left += other.not_left;
        self.backwards += other.backwards;
    }

    /// A sentence for each.
    pub fn notes(self) -> Vec<String> {
        let of = |count: u64, what: &str| (count > 0).then(|| format!("{count} {what}"));
        [
            of(self.not_entered, "functions are left that were never entered; these events were passed over"),
            of(self.crossed, "functions were closed because one around them was left"),
            of(self.not_left, "functions were never left: they end with the last event of their thread"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

impl Default for Tree {
    fn default() -> Self {
        Tree {
            nodes: vec![(0, What::Region(UNDEFINED), Spent::default())],
            children: HashMap::new(),
            contexts: HashMap::new(),
            open: Stack::default(),
            suspended: HashMap::new(),
            task: None,
            last: i64::MIN,
            odd: Odd::default(),
        }
    }
}

impl Tree {
    /// Takes an event at a time in nanoseconds.
    #[inline]
    pub fn event(&mut self, now: i64, event: Event, local: &Local, definitions: &Definitions) {
        match event {
            Event::Enter(region) => {
                self.pass(now);
                let above = self.open.last().map_or(0, |open| open.node);
                let what = What::Region(local.global(REGION, region));
                let node = self.node(above, what);
                self.enter(Open { node, what });
            }
            Event::Leave(region) => {
                self.pass(now);
                self.leave(What::Region(local.global(REGION, region)));
            }
            Event::ContextEnter(context) => {
                self.pass(now);
                let context = local.global(CONTEXT, context);
                let node = self.context(context, definitions);
                self.enter(Open { node, what: What::Context(context) });
            }
            Event::ContextLeave(context) => {
                self.pass(now);
                self.leave(What::Context(local.global(CONTEXT, context)));
            }
            Event::Sample(context) => {
                let node = self.context(local.global(CONTEXT, context), definitions);
                self.spent(node).samples += 1;
            }
            Event::Switch(task) => {
                self.pass(now);
                let open = self.suspended.remove(&task).unwrap_or_default();
                let before = std::mem::replace(&mut self.open, open);
                // Before the first switch, it is the task that every thread begins with.
                let suspended = self.task.replace(task).unwrap_or_default();
                if before.last().is_some() {
                    self.suspended.insert(suspended, before);
                }
            }
            _ => {}
        }
    }

    /// No more events come.
    pub fn end(&mut self, now: i64) {
        self.pass(now);
        let suspended: usize = self.suspended.values().map(|stack| stack.open.len()).sum();
        self.odd.not_left += (self.open.open.len() + suspended) as u64;
        self.open = Stack::default();
        self.suspended.clear();
        self.children = HashMap::new();
        self.contexts = HashMap::new();
    }

    /// Time passes in what is open.
    #[inline]
    fn pass(&mut self, now: i64) {
        if now < self.last {
            self.odd.backwards += 1;
            return;
        }
        if let Some(open) = self.open.last() {
            let node = open.node;
            let spent = now.saturating_sub(self.last);
            let own = &mut self.spent(node).time;
            *own = own.saturating_add(spent);
        }
        self.last = now;
    }

    #[inline]
    fn spent(&mut self, node: u32) -> &mut Spent {
        &mut self.nodes[node as usize].2
    }

    #[inline]
    fn enter(&mut self, open: Open) {
        self.spent(open.node).visits += 1;
        self.open.push(open);
    }

    #[inline]
    fn leave(&mut self, what: What) {
        match self.open.leave(what) {
            Some(inside) => self.odd.crossed += inside,
            None => self.odd.not_entered += 1,
        }
    }

    #[inline]
    fn node(&mut self, parent: u32, what: What) -> u32 {
        let nodes = &mut self.nodes;
        *self.children.entry((parent, what)).or_insert_with(|| {
            nodes.push((parent, what, Spent::default()));
            nodes.len() as u32 - 1
        })
    }

    /// The node of a calling context, below those that it is in. Contexts that lead in a circle end.
    fn context(&mut self, context: u32, definitions: &Definitions) -> u32 {
        let (mut path, mut next) = (Vec::new(), context);
        // Of contexts that were met before, all that they are in were too.
        while let (None, Some(&(region, parent))) =
            (self.contexts.get(&next), definitions.contexts.get(&next))
        {
            path.push((next, region));
            next = parent;
            if path.len() > definitions.contexts.len() {
                break;
            }
        }
        let mut node = self.contexts.get(&next).copied().unwrap_or(0);
        if path.is_empty() && node == 0 {
            path.push((context, UNDEFINED));
        }
        for (context, region) in path.into_iter().rev() {
            node = self.node(node, What::Region(region));
            self.contexts.insert(context, node);
        }
        node
    }

    /// How many call paths there are.
    pub fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Whether anything was entered or seen.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The trees of all locations, put into one profile.
pub struct Profile<'a> {
    definitions: &'a Definitions,
    builder: Builder,
    frames: HashMap<u32, u32>,
    has_samples: bool,
}

impl<'a> Profile<'a> {
    /// Of an archive.
    pub fn new(definitions: &'a Definitions) -> Self {
        let mut builder = crate::profiles::builder("OTF2");
        builder.metric("time", Unit::Ns, Given::Own);
        builder.metric("visits", Unit::Count, Given::Own);
        Profile { definitions, builder, frames: HashMap::new(), has_samples: false }
    }

    /// The tree of a thread of a rank; one without events is a place, too.
    pub fn add(&mut self, rank: usize, thread: usize, tree: &Tree) -> Result<(), CallsError> {
        let place = self.builder.place(rank as i64, thread as i64);
        let mut nodes = vec![0u32];
        for &(parent, what, spent) in tree.nodes.iter().skip(1) {
            let What::Region(region) = what else { continue };
            let frame = self.frame(region);
            let parent = nodes.get(parent as usize).copied().unwrap_or(0);
            let node = self.builder.node(parent, frame)?;
            nodes.push(node);
            self.builder.add(0, place, node, spent.time);
            self.builder.add(1, place, node, spent.visits);
            if spent.samples > 0 {
                if !self.has_samples {
                    self.builder.metric("samples", Unit::Count, Given::Own);
                    self.has_samples = true;
                }
                self.builder.add(2, place, node, spent.samples);
            }
        }
        Ok(())
    }

    fn frame(&mut self, region: u32) -> u32 {
        let (definitions, builder) = (self.definitions, &mut self.builder);
        *self.frames.entry(region).or_insert_with(|| {
            let Some(region) = definitions.regions.get(&region) else {
                return builder.frame(Frame::function("(unknown)"));
            };
            builder.frame(Frame {
                name: definitions.text(region.name).to_owned(),
                module: String::new(),
                file: definitions.text(region.file).to_owned(),
                line: region.line,
                kind: region.kind(),
            })
        })
    }

    /// Puts it into the run, with its places unless they are the ranks.
    pub fn finish(
        mut self,
        run: &mut RunWriter,
        notes: Vec<String>,
        are_ranks: bool,
    ) -> Result<(), CallsError> {
        notes.into_iter().for_each(|note| self.builder.note(note));
        match are_ranks {
            true => {
                let mut sources = SourcesBuilder::new();
                self.builder.finish_beside(run, &mut sources)?;
                Ok(run.put_sources(&sources.finish())?)
            }
            false => self.builder.finish(run),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(events: &[(i64, Event)]) -> Tree {
        let (local, definitions) = (Local::default(), Definitions::default());
        let mut tree = Tree::default();
        for &(now, event) in events {
            tree.event(now, event, &local, &definitions);
        }
        tree.end(events.last().map_or(0, |(now, _)| *now));
        tree
    }

    fn spent(tree: &Tree) -> Vec<(u32, i64, i64)> {
        tree.nodes.iter().skip(1).map(|(parent, _, spent)| (*parent, spent.time, spent.visits)).collect()
    }

    #[test]
    fn time_belongs_to_what_was_entered_last() {
        use Event::{Enter, Leave};
        let tree = walk(&[
            (0, Enter(1)),
            (3, Enter(2)),
            (8, Leave(2)),
            (9, Enter(2)),
            (10, Leave(2)),
            (14, Leave(1)),
        ]);
        assert_eq!(spent(&tree), [(0, 8, 1), (1, 6, 2)]);
        assert_eq!(tree.odd, Odd::default());
        // Left without being entered, left around another, never left, back in time.
        let tree =
            walk(&[(0, Leave(7)), (1, Enter(1)), (2, Enter(2)), (4, Leave(1)), (3, Enter(5)), (6, Enter(5))]);
        assert_eq!(spent(&tree), [(0, 1, 1), (1, 2, 1), (0, 2, 1), (3, 0, 1)]);
        assert_eq!(tree.odd, Odd { not_entered: 1, crossed: 1, not_left: 2, backwards: 1 });
    }

    #[test]
    fn tasks_have_functions_of_their_own() {
        use Event::{Enter, Leave, Switch};
        let task = |number| Task { first: number, second: 0 };
        let events = [
            (0, Enter(1)),
            (2, Switch(task(5))),
            (2, Enter(2)),
            (5, Switch(task(6))),
            (5, Enter(3)),
            (6, Leave(3)),
            (6, Switch(task(5))),
            (9, Leave(2)),
            (9, Switch(Task::default())),
            (10, Leave(1)),
        ];
        let tree = walk(&events);
        // 2 and 1 in the first function, 3 and 3 in the task, 1 in the other task.
        assert_eq!(spent(&tree), [(0, 3, 1), (0, 6, 1), (0, 1, 1)]);
        assert_eq!(tree.odd, Odd::default());
    }

    /// As long a stack as a file has events, and as often something left that is not in it: were it looked for each time, that
    /// would be a hundred thousand million steps.
    #[test]
    fn what_was_never_entered_is_not_looked_for() {
        use Event::{Enter, Leave, Switch};
        const MANY: u64 = 300_000;
        let mut events = vec![(0, Enter(1)), (0, Leave(7))];
        events.extend((0..MANY).map(|_| (1, Enter(2))));
        events.extend((0..MANY).map(|_| (2, Leave(7))));
        // In and out, and by way of another task.
        for _ in 0..MANY {
            events.extend([(3, Enter(7)), (3, Leave(7)), (3, Leave(7))]);
        }
        events.extend([
            (4, Switch(Task { first: 1, second: 0 })),
            (4, Leave(2)),
            (4, Switch(Task::default())),
        ]);
        events.extend((0..MANY).map(|_| (5, Leave(8))));
        events.push((6, Leave(1)));
        let tree = walk(&events);
        assert_eq!(tree.odd, Odd { not_entered: 3 * MANY + 2, crossed: MANY, not_left: 0, backwards: 0 });
    }

    /// The same as looking for it among all that is open.
    #[test]
    fn what_is_left_is_the_innermost_of_its_kind() {
        let mut chance = crosscut_chance::Chance::new(4);
        let (mut stack, mut plain): (Stack, Vec<Open>) = Default::default();
        for _ in 0..20_000 {
            let what = What::Region(chance.below(12) as u32);
            match chance.below(2) {
                0 => {
                    stack.push(Open { node: 0, what });
                    plain.push(Open { node: 0, what });
                }
                _ => {
                    let at = plain.iter().rposition(|open| open.what == what);
                    let inside = at.map(|at| (plain.len() - at - 1) as u64);
                    plain.truncate(at.unwrap_or(plain.len()));
                    assert_eq!(stack.leave(what), inside);
                }
            }
            assert_eq!(stack.open, plain);
        }
    }
}
