//! From a look to a picture.

use crosscut_workbench::{Drawn, Job, Look, Refusal};

use super::account::account as own_account;
use super::judged::Judged;
use super::opened::Opened;
use super::{evidence, gram, matrix, ranks, sizes, views, volume};
use crate::account;

/// Draws a look.
pub fn draw(opened: &Opened, judged: &Judged, look: &Look, job: &Job<'_>) -> Result<Drawn, Refusal> {
    match look.view.as_str() {
        "messages.gram" => gram::draw(look, job),
        "messages.matrix" => matrix::draw(opened, look, job),
        "messages.ranks" => ranks::draw(look, job),
        "messages.volume" => volume::draw(look, job, false),
        "messages.strip" => volume::draw(look, job, true),
        "messages.evidence" => {
            let finding = evidence::meant(judged.causes(&opened.messages), look);
            let scene = evidence::draw(opened, finding, look.size.sound());
            Ok(Drawn::scene(scene, 0))
        }
        "messages.account" => {
            // Its losses are known with the overview that it stands on.
            let found = job.found()?;
            let spent = &judged.causes(&opened.messages).account;
            let scene = account::draw(&own_account(opened, spent), Some(&*found), look.size.sound());
            Ok(Drawn::scene(scene, 0))
        }
        "messages.sizes" => sizes::draw(opened, look, job),
        view => {
            let view: String = view.chars().take(40).collect();
            let names: Vec<&str> = views::VIEWS.iter().map(|view| view.name).collect();
            Err(Refusal::new(format!("there is no view `{view}`; there are {}", names.join(", "))))
        }
    }
}
