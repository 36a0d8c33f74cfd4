//! From a look to a picture.

use crosscut_workbench::{Drawn, Job, Look, Refusal};

use super::{gram, views};

/// Draws a look.
pub fn draw(look: &Look, job: &Job<'_>) -> Result<Drawn, Refusal> {
    match look.view.as_str() {
        "messages.gram" => gram::draw(look, job),
        view => {
            let view: String = view.chars().take(40).collect();
            let names: Vec<&str> = views::VIEWS.iter().map(|view| view.name).collect();
            Err(Refusal::new(format!("there is no view `{view}`; there are {}", names.join(", "))))
        }
    }
}
