//! Messages as a domain.

use std::any::Any;
use std::sync::Arc;

use crosscut_messages::Messages;
use crosscut_messages::gram::Time;
use crosscut_run::Run;
use crosscut_tree::{Metric, Rule, Unit};
use crosscut_workbench::{
    ActCall, Block, Did, Domain, Drawn, Entry, Forest, Found, Frame, FrameDecl, Job, Look, Loss, Refusal,
    Scope, Selection, Settings, Shared, SharedColumn, Span, Told, Topic, TreeDecl, TreeKey, TreeRef, View,
};
use serde_json::{Map, Value};

use super::communities::{self, CommunityForest};
use super::judged::Judged;
use super::opened::{ClockKey, Opened};
use super::phases::{self, PhaseForest};
use super::report::{Asked, Report};
use super::{about, act, compare, draw, frames, info, losses, overview, views};

/// The domain's line in the registry.
pub const ENTRY: Entry = Entry { word: "messages", views: views::VIEWS, thresholds: &[], exports: &[], open };

/// Opens the messages of a run.
fn open(run: &Arc<Run>, settings: &Settings) -> Result<Option<Arc<dyn Domain>>, Refusal> {
    if !Messages::is_in(run) {
        return Ok(None);
    }
    let messages = Messages::open(run.clone()).map_err(|error| Refusal::new(error.to_string()))?;
    let messages = Arc::new(messages);
    let opened = Arc::new(Opened::new(messages.clone()));
    let asked = Asked::of(settings)?;
    Ok(Some(Arc::new(MessagesDomain {
        messages,
        judged: Arc::new(Judged::new(opened.clone())),
        opened,
        asked,
    })))
}

/// The messages of one run.
#[derive(Clone, Debug)]
pub struct MessagesDomain {
    messages: Arc<Messages>,
    opened: Arc<Opened>,
    judged: Arc<Judged>,
    asked: Asked,
}

impl MessagesDomain {
    /// The messages behind a domain, if it is this one.
    pub fn of(domain: &dyn Domain) -> Option<&MessagesDomain> {
        domain.as_any().downcast_ref()
    }

    /// The messages.
    pub fn messages(&self) -> &Arc<Messages> {
        &self.messages
    }
}

impl Domain for MessagesDomain {
    fn word(&self) -> &'static str {
        ENTRY.word
    }

    fn time(&self) -> Option<Span> {
        Some(Span(0.0, self.messages.summary().elapsed as f64))
    }

    fn places(&self) -> usize {
        self.messages.summary().ranks as usize
    }

    fn trees(&self) -> &[TreeDecl] {
        views::TREES
    }

    fn forest(&self, tree: &TreeRef, job: &Job<'_>) -> Result<Arc<dyn Forest>, Refusal> {
        match tree.key.name.as_str() {
            phases::TREE => Ok(Arc::new(PhaseForest::new(&self.opened, &tree.with, job)?)),
            communities::TREE => Ok(Arc::new(CommunityForest::new(&self.opened, &tree.key, job)?)),
            _ => Err(Refusal::new(format!("messages have no tree {}", tree.key))),
        }
    }

    fn views(&self) -> &[View] {
        ENTRY.views
    }

    fn draw(&self, look: &Look, _: &[&dyn Domain], job: &Job<'_>) -> Result<Drawn, Refusal> {
        draw::draw(&self.opened, &self.judged, look, job)
    }

    fn act(&self, call: &ActCall, look: &mut Look, job: &Job<'_>) -> Result<Did, Refusal> {
        act::act(call, look, job)
    }

    /// The phases by the other clock, whose first picture is a click away, and what other numbers of phases show.
    fn prepare(&self, job: &Job<'_>) {
        let mut look = Look::of("messages.gram", job.run);
        let with = &mut look.trees.entry(TreeKey::named(phases::TREE)).or_default().with;
        with.insert("clock".to_owned(), "logical".to_owned());
        // What cannot be made says so when it is asked for.
        let _ = draw::draw(&self.opened, &self.judged, &look, job);
        for time in [Time::Wall, Time::Logical] {
            let _ = self.opened.timed(ClockKey::all(time)).prepare(job);
        }
    }

    fn sound(&self) -> Result<(), Refusal> {
        self.messages.unsound().map_or(Ok(()), |why| Err(Refusal::new(why)))
    }

    fn losses(&self, _: &Scope, job: &Job<'_>) -> Result<Vec<Loss>, Refusal> {
        job.progress(0.0, "who waits for whom")?;
        let key = (self.asked.key(), self.asked.phases);
        Ok(losses::losses(&self.opened, &self.judged, key, job.run))
    }

    fn too_little(&self) -> Option<String> {
        overview::too_little(self.messages.summary())
    }

    fn account(&self, found: Option<&Found>, job: &Job<'_>) -> Result<Vec<Block>, Refusal> {
        Ok(overview::account(&self.opened, &self.judged, found, job.run))
    }

    fn overview(&self, found: Option<&Found>, _: &Job<'_>) -> Result<Vec<Block>, Refusal> {
        Ok(overview::overview(&self.opened, &self.judged, found))
    }

    fn compare(&self, with: &dyn Domain, job: &Job<'_>) -> Result<Vec<Block>, Refusal> {
        let with = MessagesDomain::of(with)
            .ok_or_else(|| Refusal::new("the other run holds no messages to compare with"))?;
        job.progress(0.0, "comparing phases")?;
        let sides = ((&*self.opened, &*self.judged), (&*with.opened, &*with.judged));
        Ok(compare::blocks(sides.0, sides.1, (self.asked.key(), self.asked.phases)))
    }

    fn columns(&self, of: Shared, sets: &[Vec<u32>], _: &Job<'_>) -> Vec<SharedColumn> {
        match of {
            Shared::Places => by_rank(&self.messages, &self.judged, sets),
            Shared::Lines => Vec::new(),
        }
    }

    fn about_places(&self, selection: &Selection, _: &Job<'_>) -> Vec<Block> {
        about::places(&self.opened, selection)
    }

    fn json(&self, topic: Topic, job: &Job<'_>) -> Result<Map<String, Value>, Refusal> {
        job.check()?;
        match topic {
            Topic::Info => info::json(self.messages.summary()),
            Topic::Report => Report::of(&self.opened, &self.judged, self.asked).json(),
        }
    }

    fn told(&self, topic: Topic, job: &Job<'_>) -> Result<Told, Refusal> {
        job.check()?;
        match topic {
            Topic::Info => Ok(info::told(self.messages.summary())),
            Topic::Report => Ok(Report::of(&self.opened, &self.judged, self.asked).told(&*job.found()?)),
        }
    }

    fn frames(&self) -> &'static [FrameDecl] {
        frames::FRAMES
    }

    fn frame(&self, name: &str, frame: &mut Frame<'_>, _: &Job<'_>) -> Result<(), Refusal> {
        frames::put(&self.messages, name, frame)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// What each rank sent and received, its time in calls, its waits and its lateness.
fn by_rank(messages: &Messages, judged: &Judged, sets: &[Vec<u32>]) -> Vec<SharedColumn> {
    let ranks = messages.summary().ranks as usize;
    let (mut sent, mut received, mut inside) = (vec![0.0; ranks], vec![0.0; ranks], vec![0.0; ranks]);
    for (row, &bytes) in messages.bytes.iter().enumerate() {
        let (from, to) = (messages.source.at(row) as usize, messages.destination.at(row) as usize);
        if let (Some(sent), Some(received)) = (sent.get_mut(from), received.get_mut(to)) {
            *sent += bytes as f64;
            *received += bytes as f64;
        }
    }
    let calls = &messages.calls;
    for (rank, inside) in inside.iter_mut().enumerate() {
        let of_rank = calls.of(rank as u32);
        *inside = of_rank.map(|call| calls.end[call].saturating_sub(calls.start[call]) as f64).sum();
    }
    let times = |times: Vec<i64>| times.into_iter().map(|time| time as f64).collect::<Vec<f64>>();
    let waited = judged.waits().by_rank(calls, i64::MIN..i64::MAX);
    let places = (0..ranks as u32).map(|rank| messages.place(rank) as usize + 1).max().unwrap_or(0);
    let column = |name: &str, unit: Unit, about: &str, of_ranks: Vec<f64>| {
        let mut values = vec![0.0; places];
        for (rank, value) in of_ranks.into_iter().enumerate() {
            values[messages.place(rank as u32) as usize] = value;
        }
        SharedColumn::sums(Metric::new(name, unit, Rule::Sum).about(about), &values, sets)
    };
    vec![
        column("sent", Unit::Bytes, "Bytes of messages that this rank sent.", sent),
        column("received", Unit::Bytes, "Bytes of messages that this rank received.", received),
        column("in MPI", Unit::Ns, "Time in calls of MPI.", inside),
        column("waited", Unit::Ns, "Time in calls of MPI for another rank.", times(waited)),
        column("late", Unit::Ns, LATE, times(judged.lateness().by_rank(calls))),
        column("critical", Unit::Ns, CRITICAL, times(judged.path().by_rank(messages.summary().ranks))),
    ]
}

const LATE: &str = "Work beyond what the quickest quarter of ranks needs for the same step, in sum.";
const CRITICAL: &str =
    "Time on the critical path: from the end of the run back along whom everybody waited for.";
