//! The question "scene": an act if there is one, then a picture or a sheet.

use std::time::Instant;

use crate::acts;
use crate::bench::Workbench;
use crate::declare::View;
use crate::domain::{Did, Domain, Drawn};
use crate::error::Refusal;
use crate::job::Job;
use crate::look::{Against, Look, VERSION};
use crate::overview;
use crate::question::ActCall;
use crate::selection::TreeKey;

/// The trees of a view in a look: first those without a parameter, then of those with one all that the look has.
pub fn trees_of(view: &View, look: &Look) -> Vec<TreeKey> {
    let mut trees = fixed_trees(view);
    for name in view.trees {
        let Some(name) = name.strip_suffix("/*") else { continue };
        trees.extend(look.trees.keys().filter(|key| key.name == name && key.parameter.is_some()).cloned());
    }
    trees
}

/// The trees of a view that have no parameter.
fn fixed_trees(view: &View) -> Vec<TreeKey> {
    let fixed = view.trees.iter().filter(|name| !name.ends_with("/*"));
    fixed.map(|name| TreeKey::named(name)).collect()
}

/// A look after an act, and what it shows.
pub struct Pictured {
    /// The look after the act.
    pub look: Look,
    /// What the act did.
    pub did: Did,
    /// What is shown.
    pub drawn: Drawn,
    /// The trees whose nodes its marks name.
    pub trees: Vec<TreeKey>,
    /// How long it took, in milliseconds.
    pub ms: f64,
}

/// Answers [`crate::question::Ask::Scene`].
pub fn picture(
    bench: &Workbench,
    look: &Look,
    call: Option<&ActCall>,
    job: &Job<'_>,
) -> Result<Pictured, Refusal> {
    let began = Instant::now();
    let run = bench.run(look.run)?;
    let view = run.view(&look.view)?;
    let mut look = sound(look, &view)?;
    let did = match call {
        Some(call) => act(bench, call, &view, &mut look, job)?,
        None => Did::default(),
    };
    let with = compared(bench, &look, &view)?;
    let drawn = match run.domain_of_view(view.name) {
        Some(domain) => {
            let others: Vec<&dyn Domain> =
                with.iter().filter_map(|&other| same_domain(bench, other, &**domain)).collect();
            domain.draw(&look, &others, job)?
        }
        None => overview::draw(bench, &look, &with, job)?,
    };
    if let crate::domain::Shown::Scene(scene) = &drawn.shown {
        crosscut_scene::limits::check(scene).map_err(|error| Refusal::new(error.to_string()))?;
    }
    let trees = match drawn.trees.is_empty() {
        true => trees_of(&view, &look),
        false => fixed_trees(&view).into_iter().chain(drawn.trees.iter().cloned()).collect(),
    };
    Ok(Pictured { look, did, drawn, trees, ms: began.elapsed().as_secs_f64() * 1e3 })
}

/// A look that can be drawn: of this version, with a size and a window that exist, without options that nobody declared.
fn sound(look: &Look, view: &View) -> Result<Look, Refusal> {
    if look.v > VERSION {
        return Err(Refusal::new("this look was made by a newer crosscut"));
    }
    let mut look = Look { v: VERSION, view: view.name.to_owned(), size: look.size.sound(), ..look.clone() };
    if look.scope.time.is_some_and(|time| !time.is_sound()) {
        return Err(Refusal::new("a window of time ends after it begins"));
    }
    for (name, value) in &look.options {
        let Some(opt) = view.options.iter().find(|opt| opt.name == name) else {
            let names: Vec<&str> = view.options.iter().map(|opt| opt.name).collect();
            let short: String = name.chars().take(40).collect();
            return Err(Refusal::new(format!(
                "{} has no option `{short}`; it has {}",
                view.name,
                names.join(", ")
            )));
        };
        opt.check(value)?;
    }
    let usual =
        |name: &String, value: &String| view.options.iter().any(|opt| opt.name == name && opt.usual == value);
    look.options.retain(|name, value| !usual(name, value));
    Ok(look)
}

fn act(
    bench: &Workbench,
    call: &ActCall,
    view: &View,
    look: &mut Look,
    job: &Job<'_>,
) -> Result<Did, Refusal> {
    if acts::is_shared(&call.name) {
        // A tree with a parameter is in the look from the first act on.
        if let Some(on) = call.on.as_ref().filter(|on| view.has_each(&on.tree)) {
            look.trees.entry(on.tree.clone()).or_default();
        }
        return acts::act(bench, call, &trees_of(view, look), look, job);
    }
    let declared = view.acts.iter().any(|act| act.name == call.name);
    match bench.run(look.run)?.domain_of_view(view.name).filter(|_| declared) {
        Some(domain) => domain.act(call, look, job),
        None => {
            let short: String = call.name.chars().take(40).collect();
            Err(Refusal::new(format!("{} cannot do `{short}`", view.name)))
        }
    }
}

/// The runs that a look is compared with.
fn compared(bench: &Workbench, look: &Look, view: &View) -> Result<Vec<usize>, Refusal> {
    let runs = match &look.against {
        None | Some(Against::Rest) => return Ok(Vec::new()),
        Some(Against::Runs(runs)) => runs,
    };
    use crate::declare::Compares;
    let most = match view.compares {
        Compares::No => 0,
        Compares::Two => 1,
        Compares::Many => usize::MAX,
    };
    if runs.len() > most {
        return Err(Refusal::new(format!("{} is compared with {most} other runs at most", view.name)));
    }
    runs.iter().map(|&run| bench.run(run).map(|_| run)).collect()
}

/// The same domain of another run.
pub fn same_domain<'a>(bench: &'a Workbench, run: usize, domain: &dyn Domain) -> Option<&'a dyn Domain> {
    let other = bench.runs.get(run)?.domains.iter().find(|other| other.word() == domain.word())?;
    Some(&**other)
}
