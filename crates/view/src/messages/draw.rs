//! From a look to a picture.

use crosscut_workbench::{Drawn, Job, Look, Refusal};

use super::opened::Opened;
use super::{gram, matrix, ranks, sizes, views, volume};

/// Draws a look.
pub fn draw(opened: &Opened, look: &Look, job: &Job<'_>) -> Result<Drawn, Refusal> {
    match look.view.as_str() {
        "messages.gram" => gram::draw(look, job),
        "messages.matrix" => matrix::draw(opened, look, job),
        "messages.ranks" => ranks::draw(look, job),
        "messages.volume" => volume::draw(look, job, false),
        "messages.strip" => volume::draw(look, job, true),
        "messages.sizes" => sizes::draw(opened, look, job),
        view => {
            let view: String = view.chars().take(40).collect();
            let names: Vec<&str> = views::VIEWS.iter().map(|view| view.name).collect();
            Err(Refusal::new(format!("there is no view `{view}`; there are {}", names.join(", "))))
        }
    }
}
