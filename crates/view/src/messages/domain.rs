//! Messages as a domain.

use std::any::Any;
use std::sync::Arc;

use crosscut_messages::Messages;
use crosscut_run::Run;
use crosscut_tree::{Metric, Rule, Unit};
use crosscut_workbench::sheet::Tone;
use crosscut_workbench::{
    ActCall, Block, Did, Domain, Drawn, Entry, Forest, Found, Job, Look, Loss, Refusal, Scope, Selection,
    Settings, Shared, SharedColumn, Span, Told, Topic, TreeDecl, TreeRef, View,
};
use serde_json::{Map, Value};

use super::communities::{self, CommunityForest};
use super::opened::Opened;
use super::phases::{self, PhaseForest};
use super::{about, act, draw, info, views};

/// The domain's line in the registry.
pub const ENTRY: Entry = Entry { word: "messages", views: views::VIEWS, thresholds: &[], exports: &[], open };

/// Opens the messages of a run.
fn open(run: &Arc<Run>, _: &Settings) -> Result<Option<Arc<dyn Domain>>, Refusal> {
    if !Messages::is_in(run) {
        return Ok(None);
    }
    let messages = Messages::open(run.clone()).map_err(|error| Refusal::new(error.to_string()))?;
    let messages = Arc::new(messages);
    let opened = Arc::new(Opened::new(messages.clone()));
    Ok(Some(Arc::new(MessagesDomain { messages, opened })))
}

/// The messages of one run.
#[derive(Clone, Debug)]
pub struct MessagesDomain {
    messages: Arc<Messages>,
    opened: Arc<Opened>,
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

    fn facts(&self) -> Block {
        Block::Facts { rows: info::facts(self.messages.summary()) }
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
        draw::draw(&self.opened, look, job)
    }

    fn act(&self, call: &ActCall, look: &mut Look, job: &Job<'_>) -> Result<Did, Refusal> {
        act::act(call, look, job)
    }

    fn losses(&self, _: &Scope, _: &Job<'_>) -> Result<Vec<Loss>, Refusal> {
        Ok(Vec::new())
    }

    fn looks_for_losses(&self) -> bool {
        false
    }

    fn overview(&self, _: Option<&Found>, _: &Job<'_>) -> Result<Vec<Block>, Refusal> {
        let text = info::told(self.messages.summary()).line;
        Ok(vec![Block::Text { text, tone: Tone::Headline }, self.facts()])
    }

    fn compare(&self, with: &dyn Domain, _: &Job<'_>) -> Result<Vec<Block>, Refusal> {
        let with = MessagesDomain::of(with)
            .ok_or_else(|| Refusal::new("the other run holds no messages to compare with"))?;
        let head = |text: &str| Block::Head { text: text.to_owned() };
        Ok(vec![head("Messages here"), self.facts(), head("Messages there"), with.facts()])
    }

    fn columns(&self, of: Shared, _: &Job<'_>) -> Vec<SharedColumn> {
        match of {
            Shared::Places => by_rank(&self.messages),
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
            Topic::Report => Ok(Map::new()),
        }
    }

    fn told(&self, _: Topic, job: &Job<'_>) -> Result<Told, Refusal> {
        job.check()?;
        Ok(info::told(self.messages.summary()))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// What each rank sent and received, and its time in calls.
fn by_rank(messages: &Messages) -> Vec<SharedColumn> {
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
    let places = (0..ranks as u32).map(|rank| messages.place(rank) as usize + 1).max().unwrap_or(0);
    let column = |name: &str, unit: Unit, about: &str, of_ranks: Vec<f64>| {
        let mut values = vec![0.0; places];
        for (rank, value) in of_ranks.into_iter().enumerate() {
            values[messages.place(rank as u32) as usize] = value;
        }
        SharedColumn { metric: Metric::new(name, unit, Rule::Sum).about(about), values }
    };
    vec![
        column("sent", Unit::Bytes, "Bytes of messages that this rank sent.", sent),
        column("received", Unit::Bytes, "Bytes of messages that this rank received.", received),
        column("in MPI", Unit::Ns, "Time in calls of MPI.", inside),
    ]
}
