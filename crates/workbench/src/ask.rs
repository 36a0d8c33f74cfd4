//! From the text of a question to the bytes of its answers. Who asks is a [`Client`]: it can give up what it asked. Slow
//! questions are recognised before they are answered, so that a server can keep them in lanes of their own.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use crosscut_scene::palette::{Colour, Theme};
use crosscut_scene::wire;
use serde::Serialize;

use crate::acts::{FIRST_ITEMS, Looked};
use crate::bench::{OpenRun, Workbench};
use crate::carry::carry;
use crate::declare::LensDecl;
use crate::domain::{Chosen, Domain, Drawn, Forest, Shown, TreeRef};
use crate::error::Refusal;
use crate::job::{Cancel, Host, Job};
use crate::light::{light, reach_of};
use crate::look::{LensSpec, Look, Options, Scope};
use crate::loss::Found;
use crate::overview::overview;
use crate::picture::{Pictured, picture};
use crate::question::{
    Ask, Hello, LensInfo, MetricInfo, Palettes, Progress, Question, Reply, RunInfo, SceneAnswer, ShownHead,
    TreeAnswer,
};
use crate::rows::table;
use crate::search::search;
use crate::selection::{Selection, TreeKey};
use crate::sheet::Sheet;

/// Where answers go. Messages of one question arrive in order; the last one has no `progress`.
pub trait Sink: Sync {
    /// Takes the bytes of one message.
    fn send(&self, message: Vec<u8>);

    /// Takes a message that only says how far a slow answer is; it may be dropped.
    fn progress(&self, message: Vec<u8>) {
        self.send(message);
    }

    /// Takes a picture that is not the last one; it may be dropped.
    fn draft(&self, message: Vec<u8>) {
        self.send(message);
    }
}

/// Which questions wait for which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Clicks: answered within a frame or a few.
    Quick,
    /// What takes longer than a click may.
    Slow,
}

/// One who asks: its questions under way can be given up.
#[derive(Debug, Default)]
pub struct Client {
    under_way: Mutex<HashMap<u32, Cancel>>,
}

impl Client {
    /// Notes a question that waits for its turn: it can be given up already.
    pub fn expect(&self, id: u32) {
        self.begin(id);
    }

    fn begin(&self, id: u32) -> Cancel {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner).entry(id).or_default().clone()
    }

    fn end(&self, id: u32) {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }

    /// Gives up one question.
    pub fn cancel(&self, id: u32) {
        if let Some(cancel) = self.under_way.lock().unwrap_or_else(PoisonError::into_inner).get(&id) {
            cancel.cancel();
        }
    }

    /// Gives up everything: nobody listens any more.
    pub fn cancel_all(&self) {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner).values().for_each(Cancel::cancel);
    }
}

/// A question that was read, with the lane that it belongs to.
#[derive(Debug)]
pub struct Asked {
    question: Question,
    /// The question without its id: what its answer is kept under.
    key: Option<String>,
    /// Its lane.
    pub lane: Lane,
}

impl Asked {
    /// Its id.
    pub fn id(&self) -> u32 {
        self.question.id
    }

    /// Whether it gives up another one.
    pub fn is_cancel(&self) -> bool {
        matches!(self.question.ask, Ask::Cancel { .. })
    }
}

/// An answer without its id.
struct Answer {
    json: String,
    columns: Vec<u8>,
}

impl Answer {
    fn new(answer: &impl Serialize) -> Result<Self, Refusal> {
        let json = serde_json::to_string(answer).map_err(|error| Refusal::new(error.to_string()))?;
        Ok(Answer { json, columns: Vec::new() })
    }

    /// With its id, as bytes.
    fn message(&self, id: u32) -> Vec<u8> {
        let mut bytes = frame(&format!("{{\"id\":{id},\"ok\":{}}}", self.json));
        bytes.extend_from_slice(&self.columns);
        bytes
    }
}

/// Length, then JSON, padded with spaces so that columns are aligned.
fn frame(json: &str) -> Vec<u8> {
    let length = json.len().next_multiple_of(4);
    let mut bytes = Vec::with_capacity(4 + length);
    bytes.extend_from_slice(&(length as u32).to_le_bytes());
    bytes.extend_from_slice(json.as_bytes());
    bytes.resize(4 + length, b' ');
    bytes
}

/// A message that says what went wrong.
pub fn failure(id: u32, why: &str) -> Vec<u8> {
    let reply: Reply<()> = Reply { id, ok: None, error: Some(why.to_owned()), progress: None };
    frame(&serde_json::to_string(&reply).unwrap_or_default())
}

/// Questions whose answers are kept are no longer than this.
const KEPT_KEY: usize = 4096;

impl Workbench {
    /// Reads a question, or says why it is none.
    pub fn read(&self, text: &str) -> Result<Asked, Vec<u8>> {
        let id = || {
            let value: Option<serde_json::Value> = serde_json::from_str(text).ok();
            value.and_then(|value| value.get("id")?.as_u64()).unwrap_or(0) as u32
        };
        let question: Question = serde_json::from_str(text)
            .map_err(|error| failure(id(), &format!("this question cannot be read: {error}")))?;
        let lane = self.lane(&question.ask);
        let keeps = matches!(
            question.ask,
            Ask::Hello | Ask::Scene { act: None, .. } | Ask::Tree { .. } | Ask::Overview { .. }
        );
        let key = (keeps && text.len() < KEPT_KEY).then(|| without_id(text)).flatten();
        Ok(Asked { question, key, lane })
    }

    /// Answers a question; drafts and progress go before the last answer.
    pub fn answer(&self, asked: &Asked, client: &Client, sink: &dyn Sink) {
        self.answer_unless(false, asked, client, sink);
    }

    /// Answers a question unless it has to wait for what costs time in its run, which takes long for a large one. Says whether
    /// it did; if not, a draft may have been sent, and it is to be answered in the slow lane.
    pub fn answer_quickly(&self, asked: &Asked, client: &Client, sink: &dyn Sink) -> bool {
        self.answer_unless(true, asked, client, sink)
    }

    fn answer_unless(&self, waits: bool, asked: &Asked, client: &Client, sink: &dyn Sink) -> bool {
        let Question { id, ask } = &asked.question;
        if let Ask::Cancel { question } = ask {
            client.cancel(*question);
            sink.send(frame(&format!("{{\"id\":{id},\"ok\":null}}")));
            return true;
        }
        let kept = asked.key.as_ref().and_then(|key| self.answers.peek(key));
        if let Some(kept) = kept {
            client.end(*id);
            sink.send(with_id(&kept, *id));
            return true;
        }
        let cancel = client.begin(*id);
        let (is_quick, waits) = (waits, Cell::new(false));
        let host = Watched { bench: self, run: run_of(ask), id: *id, sink, cancel: &cancel, is_quick, waits };
        let job = Job::new(run_of(ask), cancel.clone(), &host);
        let answer = job.check().and_then(|()| self.answer_to(ask, &job));
        if host.waits.get() && !cancel.is_cancelled() {
            return false;
        }
        client.end(*id);
        match answer {
            Ok(answer) => {
                sink.send(answer.message(*id));
                if let Some(key) = &asked.key {
                    let kept = Arc::new(answer.message(0));
                    let _ = self.answers.get(key, || Ok((kept.clone(), kept.len() + key.len())));
                }
            }
            Err(refusal) => sink.send(failure(*id, &refusal.0)),
        }
        true
    }

    /// The lane of a question: slow when its view is, or when a tree must be made that takes long.
    fn lane(&self, ask: &Ask) -> Lane {
        let slow = match ask {
            Ask::Scene { look, .. } | Ask::Light { look } => self.is_slow(look),
            Ask::Table(ask) => self.makes_slow_tree(ask.look.run, &ask.look, &ask.tree),
            Ask::About { selection, with, .. } => self.is_slow_to_make(selection.run, &selection.tree, with),
            Ask::Tree { run, tree, with, .. } => self.is_slow_to_make(*run, tree, with),
            Ask::Carry(ask) => {
                [&ask.was, &ask.with].into_iter().any(|with| self.is_slow_to_make(ask.run, &ask.tree, with))
            }
            _ => false,
        };
        if slow { Lane::Slow } else { Lane::Quick }
    }

    fn is_slow(&self, look: &Look) -> bool {
        let Ok(view) = self.run(look.run).and_then(|run| run.view(&look.view)) else { return false };
        view.slow
            || crate::picture::trees_of(&view, look)
                .iter()
                .any(|tree| self.makes_slow_tree(look.run, look, tree))
    }

    fn makes_slow_tree(&self, run: usize, look: &Look, key: &TreeKey) -> bool {
        let with = look.trees.get(key).map(|state| state.with.clone()).unwrap_or_default();
        self.is_slow_to_make(run, key, &with)
    }

    fn is_slow_to_make(&self, run: usize, key: &TreeKey, with: &Options) -> bool {
        let slow = self.tree(run, key).is_ok_and(|tree| tree.slow);
        slow && !self.has_forest(run, &TreeRef { key: key.clone(), with: with.clone() })
    }

    fn answer_to(&self, ask: &Ask, job: &Job<'_>) -> Result<Answer, Refusal> {
        match ask {
            Ask::Hello => Answer::new(&self.hello()),
            Ask::Scene { look, act } => self.scene(look, act.as_ref(), job),
            Ask::Light { look } => Answer::new(&light(self, look, job)?),
            Ask::About { selection, with, lens, scope } => {
                let tree = TreeRef { key: selection.tree.clone(), with: with.clone() };
                let lens = lens.as_ref().map(|lens| self.lens(&tree, lens, job)).transpose()?;
                Answer::new(&self.sheet(&tree, selection, lens.as_deref(), scope, job)?)
            }
            Ask::Table(ask) => Answer::new(&table(self, ask, job)?),
            Ask::Search { run, words, limit } => Answer::new(&search(self, *run, words, *limit, job)?),
            Ask::Tree { run, tree, with, lenses } => {
                Answer::new(&self.tree_answer(*run, tree, with, lenses, job)?)
            }
            Ask::Carry(ask) => Answer::new(&carry(self, ask, job)?),
            Ask::Overview { run, against: None } => Answer::new(&overview(self, *run, job)?),
            Ask::Overview { run, against: Some(other) } => {
                Answer::new(&crate::overview::compare(self, *run, *other, job)?)
            }
            Ask::Cancel { .. } => Answer::new(&()),
        }
    }

    /// Everything about a selection: what its own tree says, and what other domains have to say of what ran in it.
    fn sheet(
        &self,
        tree: &TreeRef,
        selection: &Selection,
        lens: Option<&Chosen>,
        scope: &Scope,
        job: &Job<'_>,
    ) -> Result<Sheet, Refusal> {
        let forest = self.forest(tree, job)?;
        // Without a look nobody knows the options of the tree that `inside` is of.
        let scope = Scope { inside: None, ..scope.clone() };
        let scoped = forest.scoped(&scope, &BTreeMap::new(), job)?;
        let counts = scoped.as_deref().unwrap_or(&*forest);
        let mut sheet = counts.about(selection, lens, &scope, job)?;
        let reach = reach_of(self, &*forest, selection, job);
        let has_tree =
            |domain: &Arc<dyn Domain>| domain.trees().iter().any(|decl| decl.name == tree.key.name);
        for domain in self.runs[job.run].domains.iter().filter(|domain| !has_tree(domain)) {
            sheet.blocks.extend(domain.ran(selection, &tree.with, &reach, job)?);
        }
        Ok(sheet)
    }

    fn scene(
        &self,
        look: &Look,
        act: Option<&crate::question::ActCall>,
        job: &Job<'_>,
    ) -> Result<Answer, Refusal> {
        let Pictured { look, did, drawn, trees, ms } = picture(self, look, act, job)?;
        scene_answer(look, did, drawn, trees, ms)
    }

    /// A picture or a sheet for those who draw themselves: the look after the act, and what it shows.
    pub fn draw(&self, look: &Look) -> Result<Drawn, Refusal> {
        self.draw_until(look, &Cancel::default())
    }

    /// The same, until it is given up.
    pub fn draw_until(&self, look: &Look, cancel: &Cancel) -> Result<Drawn, Refusal> {
        self.job_until(look.run, cancel, |job| Ok(picture(self, look, None, job)?.drawn))
    }

    /// The lane of a picture.
    pub fn lane_of(&self, look: &Look) -> Lane {
        if self.is_slow(look) { Lane::Slow } else { Lane::Quick }
    }

    /// Everything about a selection.
    pub fn about(&self, selection: &Selection) -> Result<Sheet, Refusal> {
        self.job(selection.run, |job| {
            let tree = TreeRef { key: selection.tree.clone(), with: Options::new() };
            self.sheet(&tree, selection, None, &Scope::default(), job)
        })
    }

    /// The overview of a run, or how it differs from another.
    pub fn overview(&self, run: usize, against: Option<usize>) -> Result<Sheet, Refusal> {
        self.job(run, |job| match against {
            None => overview(self, run, job),
            Some(other) => crate::overview::compare(self, run, other, job),
        })
    }

    /// What is open.
    pub fn hello(&self) -> Hello {
        let run = |run: &OpenRun| {
            let views = run.views();
            RunInfo {
                name: run.run.name(),
                partial: run.partial(),
                checking: run.checked.is_under_way(),
                damaged: run.checked.damage(),
                clock: run.clock(),
                time: run.time(),
                places: run.places.worker_count(),
                trees: run.trees(),
                strip: views
                    .iter()
                    .find(|view| view.name.ends_with(".strip"))
                    .map(|view| view.name.to_owned()),
                views,
            }
        };
        let hex = |colours: &[Colour]| colours.iter().map(|colour| colour.hex()).collect();
        Hello {
            crosscut: env!("CARGO_PKG_VERSION").to_owned(),
            build: self.build.clone(),
            runs: self.runs.iter().map(run).collect(),
            palettes: Palettes { light: hex(&Theme::LIGHT.slots()), dark: hex(&Theme::DARK.slots()) },
        }
    }

    fn tree_answer(
        &self,
        run: usize,
        key: &TreeKey,
        with: &Options,
        lenses: &[LensSpec],
        job: &Job<'_>,
    ) -> Result<TreeAnswer, Refusal> {
        let tree = TreeRef { key: key.clone(), with: with.clone() };
        let forest = self.forest(&tree, job)?;
        let metric = |metric: &crosscut_tree::Metric| MetricInfo {
            name: metric.name.clone(),
            title: metric.title.clone(),
            unit: metric.unit,
            about: metric.about.clone(),
        };
        let mut infos: Vec<(f64, LensInfo)> = Vec::new();
        for lens in forest.lenses() {
            job.check()?;
            infos.push(self.lens_info(run, &tree, lens, lenses, job)?);
        }
        infos.sort_by(|a, b| {
            let missing = |info: &LensInfo| info.lens.missing.is_some();
            missing(&a.1).cmp(&missing(&b.1)).then(b.0.total_cmp(&a.0))
        });
        Ok(TreeAnswer {
            tree: key.clone(),
            nodes: forest.tree().node_count(),
            depth: forest.tree().max_depth(),
            cut: forest.first_cut(FIRST_ITEMS).to_text(),
            metrics: forest.metrics().iter().map(metric).collect(),
            lenses: infos.into_iter().map(|(_, info)| info).collect(),
            facts: forest.facts(job),
            choices: forest.choices(job),
        })
    }

    /// A lens with what it chooses, and what that costs.
    fn lens_info(
        &self,
        run: usize,
        tree: &TreeRef,
        lens: LensDecl,
        asked: &[LensSpec],
        job: &Job<'_>,
    ) -> Result<(f64, LensInfo), Refusal> {
        let spec = asked.iter().find(|spec| spec.name == lens.name).cloned();
        let spec = spec.unwrap_or(LensSpec { name: lens.name.clone(), value: None });
        if lens.missing.is_some() {
            let value = lens.usual;
            let info =
                LensInfo { lens, value, count: 0, facts: Vec::new(), advice: String::new(), worst: None };
            return Ok((0.0, info));
        }
        let chosen = self.lens(tree, &spec, job)?;
        let selection = |node| Selection {
            run,
            tree: tree.key.clone(),
            nodes: crate::selection::Nodes::one(node),
            to: None,
            time: None,
        };
        let info = LensInfo {
            lens,
            value: chosen.value,
            count: chosen.lens.chosen().len(),
            facts: chosen.facts.clone(),
            advice: chosen.advice.clone(),
            worst: chosen.worst.map(selection),
        };
        Ok((chosen.cost, info))
    }

    /// Makes what the first questions will ask for: the trees of a run, and what their lenses choose.
    pub fn prepare(&self, run: usize) {
        let Ok(open) = self.run(run) else { return };
        for tree in open.trees().iter().filter(|tree| !tree.parameter) {
            let key = TreeKey::named(tree.name);
            // What cannot be made says so when it is asked for.
            let _ = self.job(run, |job| self.tree_answer(run, &key, &Options::new(), &[], job));
        }
        let _ = self.found(run);
    }

    /// Makes what later questions may ask for.
    pub fn prepare_more(&self, run: usize) {
        let Ok(open) = self.run(run) else { return };
        self.job(run, |job| open.domains.iter().for_each(|domain| domain.prepare(job)));
    }

    /// The rows of a tree.
    pub fn table(&self, ask: &crate::question::TableAsk) -> Result<crate::sheet::Table, Refusal> {
        self.job(ask.look.run, |job| table(self, ask, job))
    }

    /// The cut of a tree in a look, opened as far as at most so many items are visible.
    pub fn fit(&self, look: &mut Look, tree: &str, most: usize) -> Result<(), Refusal> {
        self.job(look.run, |job| {
            let key = TreeKey::named(tree);
            let looked = Looked::new(self, look, &key, job)?;
            let folds = looked.forest.folds(look, looked.lens.as_deref());
            let cut = crosscut_tree::open::fitting(&*folds, most);
            look.trees.entry(key).or_default().cut = cut.to_text();
            Ok(())
        })
    }

    /// Whether a tree in a look shows nothing that could be opened any further.
    pub fn opens_all(&self, look: &Look, tree: &str) -> Result<bool, Refusal> {
        self.job(look.run, |job| {
            let looked = Looked::new(self, look, &TreeKey::named(tree), job)?;
            let folds = looked.forest.folds(look, looked.lens.as_deref());
            let closed =
                |part: crosscut_tree::Part| part.fold.is_none() && !looked.forest.tree().is_leaf(part.node);
            Ok(!crosscut_tree::fold::visible(&*folds, &looked.cut).any(closed))
        })
    }

    /// The cut of a tree in a look, opened to a depth; says what depth was reached.
    pub fn to_depth(&self, look: &mut Look, tree: &str, depth: usize, most: usize) -> Result<usize, Refusal> {
        self.job(look.run, |job| {
            let key = TreeKey::named(tree);
            let looked = Looked::new(self, look, &key, job)?;
            let folds = looked.forest.folds(look, looked.lens.as_deref());
            let (cut, reached) = crosscut_tree::open::to_depth(&*folds, depth, most);
            look.trees.entry(key).or_default().cut = cut.to_text();
            Ok(reached)
        })
    }
}

fn scene_answer(
    look: Look,
    did: crate::domain::Did,
    drawn: Drawn,
    trees: Vec<TreeKey>,
    ms: f64,
) -> Result<Answer, Refusal> {
    let Drawn { shown, settled, visible, .. } = drawn;
    let mut columns = Vec::new();
    let shown = match shown {
        Shown::Scene(scene) => {
            wire::columns(&mut columns, &scene);
            let head =
                serde_json::to_value(wire::head(&scene)).map_err(|error| Refusal::new(error.to_string()))?;
            ShownHead::Scene { head }
        }
        Shown::Sheet(sheet) => ShownHead::Sheet { sheet: Box::new(sheet) },
    };
    let answer = SceneAnswer {
        look,
        settled,
        select: did.select,
        stopped: did.stopped,
        notice: did.notice,
        visible,
        trees,
        ms,
        shown,
    };
    Ok(Answer { columns, ..Answer::new(&answer)? })
}

/// The text of a question without its id; the order of its fields does not matter.
fn without_id(text: &str) -> Option<String> {
    let mut value: serde_json::Value = serde_json::from_str(text).ok()?;
    value.as_object_mut()?.remove("id");
    Some(value.to_string())
}

/// A kept message, which has the id 0, with another id.
fn with_id(message: &[u8], id: u32) -> Vec<u8> {
    let length =
        message.get(..4).map_or(0, |bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    let (json, columns) = message[4..].split_at((length as usize).min(message.len() - 4));
    let json = String::from_utf8_lossy(json);
    let rest = json.trim_end().strip_prefix("{\"id\":0").unwrap_or("}");
    let mut bytes = frame(&format!("{{\"id\":{id}{rest}"));
    bytes.extend_from_slice(columns);
    bytes
}

/// The run that a question is about.
fn run_of(ask: &Ask) -> usize {
    match ask {
        Ask::Hello | Ask::Cancel { .. } => 0,
        Ask::Scene { look, .. } | Ask::Light { look } => look.run,
        Ask::About { selection, .. } => selection.run,
        Ask::Table(ask) => ask.look.run,
        Ask::Carry(ask) => ask.run,
        Ask::Search { run, .. } | Ask::Tree { run, .. } | Ask::Overview { run, .. } => *run,
    }
}

/// A host that sends progress and drafts to who asked.
struct Watched<'a> {
    bench: &'a Workbench,
    run: usize,
    id: u32,
    sink: &'a dyn Sink,
    cancel: &'a Cancel,
    /// Whether the answer must not wait for what costs time, and whether it would have to.
    is_quick: bool,
    waits: Cell<bool>,
}

impl Host for Watched<'_> {
    fn progress(&self, share: f32, what: &str) {
        let progress = Some(Progress { share, what: what.to_owned() });
        let reply: Reply<()> = Reply { id: self.id, ok: None, error: None, progress };
        self.sink.progress(frame(&serde_json::to_string(&reply).unwrap_or_default()));
    }

    fn draft(&self, drawn: Drawn) {
        let answer = scene_answer(Look::default(), Default::default(), drawn, Vec::new(), 0.0);
        if let Ok(Answer { json, columns }) = answer {
            let progress = "{\"share\":0,\"what\":\"draft\"}";
            let mut bytes = frame(&format!("{{\"id\":{},\"ok\":{json},\"progress\":{progress}}}", self.id));
            bytes.extend_from_slice(&columns);
            self.sink.draft(bytes);
        }
    }

    fn forest(&self, tree: &TreeRef) -> Result<Arc<dyn Forest>, Refusal> {
        self.bench.forest(tree, &Job::new(self.run, self.cancel.clone(), self))
    }

    fn lens(&self, tree: &TreeRef, lens: &LensSpec) -> Result<Arc<Chosen>, Refusal> {
        self.bench.lens(tree, lens, &Job::new(self.run, self.cancel.clone(), self))
    }

    fn run(&self) -> Result<&OpenRun, Refusal> {
        self.bench.run(self.run)
    }

    fn found(&self, wait: bool) -> Result<Option<Arc<Found>>, Refusal> {
        let job = Job::new(self.run, self.cancel.clone(), self);
        if !(wait && self.is_quick) {
            return self.bench.found_in(wait, &job);
        }
        let found = self.bench.found_in(false, &job)?;
        self.waits.set(self.waits.get() || found.is_none());
        match found {
            Some(found) => Ok(Some(found)),
            None => Err(Refusal::new("what costs time is not known yet")),
        }
    }
}
