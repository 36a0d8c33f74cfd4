//! Calls as a domain.

use std::any::Any;
use std::sync::Arc;

use crosscut_calls::Calls;
use crosscut_run::Run;
use crosscut_tree::{Metric, NodeId, Rule};
use crosscut_workbench::sheet::Tone;
use crosscut_workbench::{
    ActCall, Block, Did, Domain, Drawn, Entry, Forest, Found, Frame, FrameDecl, Job, Look, Loss, Options,
    Reach, Refusal, Scope, Selection, Settings, Shared, SharedColumn, Span, Told, Topic, TreeDecl, TreeRef,
    View, text,
};
use serde_json::{Map, Value};

use super::callers::{self, CallerForest};
use super::forest::{self, CallForest};
use super::merged::{self, SuperForest};
use super::opened::Opened;
use super::{act, draw, frames, info, losses, modules, trees, views, within};
use crate::account::HEIGHT;

/// The domain's line in the registry.
pub const ENTRY: Entry = Entry { word: "calls", views: views::VIEWS, thresholds: &[], exports: &[], open };

/// Opens the calls of a run.
fn open(run: &Arc<Run>, _: &Settings) -> Result<Option<Arc<dyn Domain>>, Refusal> {
    if !Calls::is_in(run) {
        return Ok(None);
    }
    let calls = Calls::open(run.clone()).map_err(|error| Refusal::new(error.to_string()))?;
    let calls = Arc::new(calls);
    Ok(Some(Arc::new(CallsDomain { opened: Arc::new(Opened::new(calls.clone())), calls })))
}

/// The calls of one run.
#[derive(Clone, Debug)]
pub struct CallsDomain {
    calls: Arc<Calls>,
    opened: Arc<Opened>,
}

impl CallsDomain {
    /// The calls behind a domain, if it is this one.
    pub fn of(domain: &dyn Domain) -> Option<&CallsDomain> {
        domain.as_any().downcast_ref()
    }

    /// The calls.
    pub fn calls(&self) -> &Arc<Calls> {
        &self.calls
    }

    fn facts(&self) -> Block {
        Block::Facts { rows: info::facts(&self.calls) }
    }
}

impl Domain for CallsDomain {
    fn word(&self) -> &'static str {
        ENTRY.word
    }

    fn time(&self) -> Option<Span> {
        None
    }

    fn places(&self) -> usize {
        self.calls.place_count()
    }

    fn trees(&self) -> &[TreeDecl] {
        trees::TREES
    }

    fn forest(&self, tree: &TreeRef, job: &Job<'_>) -> Result<Arc<dyn Forest>, Refusal> {
        match tree.key.name.as_str() {
            forest::TREE => Ok(Arc::new(CallForest::new(&self.opened, &tree.with)?)),
            callers::TREE => Ok(Arc::new(CallerForest::new(&self.calls, job)?)),
            merged::TREE => Ok(Arc::new(SuperForest::new(&self.opened, &tree.key, &tree.with, job)?)),
            _ => Err(Refusal::new(format!("calls have no tree {}", tree.key))),
        }
    }

    fn sound(&self) -> Result<(), Refusal> {
        self.calls.sound().map_err(|error| Refusal::new(error.to_string()))
    }

    fn views(&self) -> &[View] {
        ENTRY.views
    }

    fn draw(&self, look: &Look, with: &[&dyn Domain], job: &Job<'_>) -> Result<Drawn, Refusal> {
        draw::draw(&self.opened, look, with, job)
    }

    fn act(&self, call: &ActCall, look: &mut Look, job: &Job<'_>) -> Result<Did, Refusal> {
        act::act(&self.opened, call, look, job)
    }

    fn capacity(&self) -> Option<f64> {
        losses::capacity(&self.calls)
    }

    fn losses(&self, _: &Scope, job: &Job<'_>) -> Result<Vec<Loss>, Refusal> {
        job.progress(0.0, "which ranks take longer")?;
        Ok(losses::losses(&self.opened, job.run))
    }

    fn looks_for_losses(&self) -> bool {
        losses::capacity(&self.calls).is_some()
    }

    fn account(&self, found: Option<&Found>, job: &Job<'_>) -> Result<Vec<Block>, Refusal> {
        job.check()?;
        let look = Box::new(Look::of("calls.account", job.run));
        Ok(vec![
            Block::Text { text: info::headline(&self.opened, found), tone: Tone::Headline },
            Block::Show { title: String::new(), look, height: HEIGHT, slow: false },
        ])
    }

    fn overview(&self, _: Option<&Found>, job: &Job<'_>) -> Result<Vec<Block>, Refusal> {
        job.check()?;
        let mut blocks = vec![Block::Head { text: "Calls".to_owned() }, self.facts()];
        blocks.extend(info::hot(&self.calls).map(|text| Block::Text { text, tone: Tone::Plain }));
        let metric = self.calls.summary().metrics.first();
        if let Some(table) = metric.and_then(|metric| modules::table(&self.opened, metric)) {
            blocks.push(Block::Head { text: "Modules".to_owned() });
            blocks.push(table);
        }
        if let Some(top) = info::top(&self.opened, 0) {
            blocks.push(Block::Head { text: "Functions that take most".to_owned() });
            blocks.push(top);
        }
        Ok(blocks)
    }

    fn compare(&self, with: &dyn Domain, _: &Job<'_>) -> Result<Vec<Block>, Refusal> {
        let with = CallsDomain::of(with)
            .ok_or_else(|| Refusal::new("the other run holds no calls to compare with"))?;
        let head = |text: &str| Block::Head { text: text.to_owned() };
        Ok(vec![head("Calls here"), self.facts(), head("Calls there"), with.facts()])
    }

    fn columns(&self, of: Shared, sets: &[Vec<u32>], _: &Job<'_>) -> Vec<SharedColumn> {
        match of {
            Shared::Places => by_place(&self.calls, sets),
            Shared::Lines => by_line(&self.calls, sets),
        }
    }

    fn json(&self, _: Topic, job: &Job<'_>) -> Result<Map<String, Value>, Refusal> {
        job.check()?;
        info::json(&self.opened)
    }

    fn told(&self, topic: Topic, job: &Job<'_>) -> Result<Told, Refusal> {
        let told = text::told(self.word(), &self.overview(None, job)?, topic);
        Ok(Told { line: info::line(&self.opened), ..told })
    }

    fn frames(&self) -> &'static [FrameDecl] {
        frames::FRAMES
    }

    fn frame(&self, name: &str, frame: &mut Frame<'_>, _: &Job<'_>) -> Result<(), Refusal> {
        frames::put(&self.calls, name, frame)
    }

    fn ran(
        &self,
        selection: &Selection,
        with: &Options,
        reach: &Reach,
        job: &Job<'_>,
    ) -> Result<Vec<Block>, Refusal> {
        within::ran(&self.opened, selection, with, reach, job)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// What was spent at each place.
fn by_place(calls: &Calls, sets: &[Vec<u32>]) -> Vec<SharedColumn> {
    let all = 0..calls.node_count();
    let column = |(number, metric): (usize, &crosscut_calls::Measured)| {
        let values = calls.at_places(number, all.clone());
        let values: Vec<f64> = values.into_iter().map(|value| info::value(metric, value).0).collect();
        let metric = Metric::new(&metric.name, info::value(metric, 0).1, Rule::Sum)
            .about("What was spent here in all call paths.");
        SharedColumn::sums(metric, &values, sets)
    };
    calls.summary().metrics.iter().enumerate().map(column).collect()
}

/// What was spent at each source line.
fn by_line(calls: &Calls, sets: &[Vec<u32>]) -> Vec<SharedColumn> {
    let lines = calls.source_count();
    let column = |(number, metric): (usize, &crosscut_calls::Measured)| {
        let mut values = vec![0.0; lines];
        for node in (1..calls.node_count() as u32).map(NodeId) {
            let slot = calls.source(node).and_then(|source| values.get_mut(source as usize));
            if let Some(slot) = slot {
                *slot += info::value(metric, calls.own(number, node)).0;
            }
        }
        let metric = Metric::new(&metric.name, info::value(metric, 0).1, Rule::Sum)
            .about("What was spent in functions of this line, without what they called.");
        SharedColumn::sums(metric, &values, sets)
    };
    calls.summary().metrics.iter().enumerate().map(column).collect()
}
