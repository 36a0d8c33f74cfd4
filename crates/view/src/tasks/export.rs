//! The grain graph of a run for other tools.

use crosscut_tasks::grain::{Problem, ProblemSet};
use crosscut_workbench::{Export, Exported, LensSpec, Refusal};

use super::graph::{Form, Graph};
use super::opened::Opened;

/// The forms, as the command line lists them.
pub const EXPORTS: &[Export] = &[
    Export { word: "graphml", about: "GraphML with nested groups, which yEd opens folded" },
    Export { word: "plain-graphml", about: "GraphML of grains, forks and joins" },
    Export { word: "dot", about: "DOT of grains, forks and joins, for Graphviz" },
];

/// Makes the graph ready to be written. The problem of the lens is set apart from the rest in nested groups; in the other
/// forms it is the only one that is marked.
pub fn export<'a>(opened: &'a Opened, form: &str, lens: Option<&LensSpec>) -> Result<Exported<'a>, Refusal> {
    let form = match form {
        "graphml" => Form::Nested,
        "plain-graphml" => Form::Plain,
        "dot" => Form::Dot,
        _ => return Err(Refusal::new(format!("grain graphs cannot be written as {form}"))),
    };
    let graph = opened.grains();
    let asked = graph.lens_of(lens)?;
    let asked = asked.as_ref().map(|known| &known.set);
    let why = |&problem: &Problem| Some((problem, graph.missing(problem)?));
    let note = |(problem, why): (Problem, &str)| format!("{problem} is not marked: {why}");
    let notes = opened.asked.iter().filter_map(why).map(note).collect();
    let is_marked = |problem: &Problem| match asked {
        Some(only) if form != Form::Nested => *problem == only.problem,
        _ => true,
    };
    let mut problems: Vec<ProblemSet> = graph
        .available()
        .filter(is_marked)
        .map(|problem| match asked {
            Some(set) if set.problem == problem => set.clone(),
            _ => graph.known(problem, graph.threshold(problem)).set.clone(),
        })
        .collect();
    // The one that was asked for separates; without one that is the first.
    problems.sort_by_key(|set| asked.is_some_and(|asked| set.problem != asked.problem));
    let write = move |out: &mut dyn std::io::Write| {
        let deviation = graph.deviation.as_ref();
        Graph { tasks: &opened.tasks, grains: &graph.grains, problems: &problems, deviation }.write(form, out)
    };
    Ok(Exported { notes, write: Box::new(write) })
}
