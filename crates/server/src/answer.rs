//! From a request to the bytes of its answer.

use crosscut_scene::wire;
use serde::Serialize;

use crate::ops::grain_table::{Rows, grain_table};
use crate::protocol::{Failure, Op, Request};
use crate::socket::request_id;
use crate::{App, OpenRun, encode, ops};

/// What a request gets.
#[derive(Serialize)]
struct Answer<T: Serialize> {
    id: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    ok: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Failure>,
}

/// Why a request has no answer, in words for the person at the page.
pub type Refusal = String;

/// The answer to one request.
pub fn answer(app: &App, text: &str) -> Vec<u8> {
    let request: Request = match serde_json::from_str(text) {
        Ok(request) => request,
        Err(error) => return failure(request_id(text), &format!("this request cannot be read: {error}")),
    };
    let id = request.id;
    match request.op {
        Op::Hello => good(id, &ops::hello::hello(app)),
        Op::Overview { run } => over(app, id, run, |run| Ok(ops::overview::overview(&run.tasks))),
        Op::Node { run, node } => over(app, id, run, |run| ops::node::node(&run.tasks, node)),
        Op::Search { run, text, limit } => {
            over(app, id, run, |run| Ok(ops::search::search(run, &text, limit)))
        }
        Op::Table { run, cut, sort, descending, filter, offset, limit } => over(app, id, run, |run| {
            let cut = run.cut(&cut)?;
            let order = ops::table::Order { sort: &sort, descending };
            ops::table::table(&run.tasks, &cut, order, &filter, offset..offset.saturating_add(limit))
        }),
        Op::Grain { run, node, lens, of_task } => {
            over(app, id, run, |run| ops::grain::grain(run, node, lens.as_ref(), of_task))
        }
        Op::Problems { run, thresholds } => {
            over(app, id, run, |run| ops::problems::problems(run, &thresholds))
        }
        Op::GrainTable { run, cut, lens, alike, all, sort, descending, filter, offset, limit } => {
            over(app, id, run, |run| {
                let graph = run.grain_run();
                let known = graph.lens(lens.as_ref())?;
                let look = ops::grain_scene::look(run, known.as_deref(), alike);
                let cut = graph.cut(&cut)?;
                let rows = if all { Rows::All } else { Rows::Visible(&cut) };
                let order = ops::table::Order { sort: &sort, descending };
                grain_table(&look, rows, order, &filter, offset..offset.saturating_add(limit))
            })
        }
        Op::WhatIf { run, node, faster } => {
            over(app, id, run, |run| ops::whatif::whatif(run, node.map(|node| (node, faster))))
        }
        Op::Scene(request) => open_run(app, request.run)
            .and_then(|run| ops::scene::scene(run, &request))
            .map(|(answer, scene)| {
                let mut bytes = good(id, &answer);
                wire::columns(&mut bytes, &scene);
                bytes
            })
            .unwrap_or_else(|refusal| failure(id, &refusal)),
    }
}

fn over<T: Serialize>(
    app: &App,
    id: u32,
    run: usize,
    make: impl FnOnce(&OpenRun) -> Result<T, Refusal>,
) -> Vec<u8> {
    match open_run(app, run).and_then(make) {
        Ok(answer) => good(id, &answer),
        Err(refusal) => failure(id, &refusal),
    }
}

/// A run by its number.
pub fn open_run(app: &App, run: usize) -> Result<&OpenRun, Refusal> {
    app.runs.get(run).ok_or_else(|| match app.runs.len() {
        1 => format!("there is no run {run}: only run 0 is open"),
        n => format!("there is no run {run}: {n} are open, counted from 0"),
    })
}

fn good(id: u32, answer: &impl Serialize) -> Vec<u8> {
    encode::frame(&Answer { id, ok: Some(answer), error: None })
}

/// An answer that says what went wrong.
pub fn failure(id: u32, why: &str) -> Vec<u8> {
    encode::frame(&Answer::<()> { id, ok: None, error: Some(Failure { error: why.to_owned() }) })
}
