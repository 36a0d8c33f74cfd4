//! What is told of a run when something is missing or out of the ordinary.

use crosscut_run::RunWriter;

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

/// Labels a run with what was found out only when all ranks were put together, where nothing was told before.
pub fn doubted(doubt: Option<String>, run: &mut RunWriter, inputs: &Inputs<'_>) {
    if let Some(doubt) = doubt.filter(|_| run.manifest().partial.is_none()) {
        run.manifest().partial = label(&[doubt], inputs);
    }
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
