//! What is told of a run when something is missing or out of the ordinary.

use crate::inputs::Inputs;

/// So many notes are told one by one.
const FEW: usize = 8;

/// What the run is labelled with where something is missing.
pub fn label(missing: &[String], inputs: &Inputs<'_>) -> Option<String> {
    let first = missing.first()?;
    let text = match missing.len() {
        1 => first.clone(),
        count => format!("{first}; and {} more", count - 1),
    };
    inputs.progress().note(&format!("this run is partial: {text}"));
    Some(text)
}

/// The first of many notes, and how many more there are.
pub fn few(mut notes: Vec<String>) -> Vec<String> {
    let more = notes.len().saturating_sub(FEW);
    if more > 0 {
        notes.truncate(FEW);
        notes.push(format!("and {more} more notes of this kind"));
    }
    notes
}
