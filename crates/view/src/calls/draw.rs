//! From a look to a picture.

use crosscut_workbench::{Domain, Drawn, Job, Look, Refusal};

use super::account::account as own_account;
use super::opened::Opened;
use super::{evidence, flow, icicle, ranks, scatter, strip, tree, views, within};
use crate::account;

/// Draws a look; `with` are the calls of other runs.
pub fn draw(opened: &Opened, look: &Look, with: &[&dyn Domain], job: &Job<'_>) -> Result<Drawn, Refusal> {
    let part = within::part(opened, &look.scope, &look.trees, job)?;
    let whole = opened;
    let opened = part.as_deref().unwrap_or(opened);
    match look.view.as_str() {
        "calls.flow" => flow::draw(whole, part.as_deref(), look, with, job),
        "calls.icicle" => icicle::draw(opened, look, with, job),
        "calls.places" => ranks::draw(opened, look, job),
        "calls.scatter" => scatter::draw(opened, look, job),
        "calls.tree" => tree::draw(opened, look, job),
        "calls.account" => {
            let found = job.found()?;
            let scene = account::draw(&own_account(whole), Some(&*found), look.size.sound());
            Ok(Drawn::scene(scene, 0))
        }
        "calls.evidence" => {
            let scene = evidence::draw(whole, evidence::meant(whole.causes(), look), look.size.sound());
            Ok(Drawn::scene(scene, 0))
        }
        "calls.strip" => strip::draw(whole, look, job),
        view => {
            let view: String = view.chars().take(40).collect();
            let names: Vec<&str> = views::VIEWS.iter().map(|view| view.name).collect();
            Err(Refusal::new(format!("there is no view `{view}`; there are {}", names.join(", "))))
        }
    }
}
