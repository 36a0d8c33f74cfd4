//! Which crate may depend on which: only on those to its left in the pipeline. Cargo refuses cycles, but not a shortcut
//! that makes one half of the program know the other.
//!
//! Tests may reach anywhere, so dev-dependencies do not count.

use serde_json::Value;

/// A crate, and those of ours that it may depend on. A crate stands below everything that it may use.
type Layer = (&'static str, &'static [&'static str]);

/// All crates, from left to right. A new crate needs a row here.
const LAYERS: &[Layer] = &[
    ("crosscut-tree", &[]),
    ("crosscut-run", &[]),
    ("crosscut-events", &[]),
    // Units are those of metrics.
    ("crosscut-scene", &["crosscut-tree"]),
    ("crosscut-chance", &[]),
    ("crosscut-rayon", &[]),
    ("crosscut-record", &["crosscut-events"]),
    ("crosscut-mpi", &["crosscut-events"]),
    ("crosscut-workbench", &["crosscut-tree", "crosscut-run", "crosscut-scene"]),
    ("crosscut-tasks", &["crosscut-tree", "crosscut-run"]),
    ("crosscut-messages", &["crosscut-tree", "crosscut-run"]),
    ("crosscut-calls", &["crosscut-tree", "crosscut-run"]),
    (
        "crosscut-close",
        &["crosscut-run", "crosscut-events", "crosscut-tasks", "crosscut-messages", "crosscut-calls"],
    ),
    (
        "crosscut-import",
        &[
            "crosscut-tree",
            "crosscut-run",
            "crosscut-tasks",
            "crosscut-messages",
            "crosscut-calls",
            // Events of a recorder are read like any other format.
            "crosscut-close",
        ],
    ),
    (
        "crosscut-synth",
        &[
            "crosscut-tree",
            "crosscut-run",
            "crosscut-chance",
            "crosscut-tasks",
            "crosscut-messages",
            "crosscut-calls",
        ],
    ),
    (
        "crosscut-view",
        &[
            "crosscut-tree",
            "crosscut-run",
            "crosscut-scene",
            "crosscut-workbench",
            "crosscut-tasks",
            "crosscut-messages",
            "crosscut-calls",
        ],
    ),
    (
        "crosscut-server",
        &["crosscut-tree", "crosscut-run", "crosscut-scene", "crosscut-workbench", "crosscut-view"],
    ),
    (
        "crosscut",
        &[
            "crosscut-tree",
            "crosscut-run",
            "crosscut-events",
            "crosscut-scene",
            "crosscut-workbench",
            "crosscut-import",
            "crosscut-close",
            "crosscut-synth",
            "crosscut-view",
            "crosscut-server",
        ],
    ),
    (
        "crosscut-python",
        &[
            "crosscut-tree",
            "crosscut-run",
            "crosscut-scene",
            "crosscut-workbench",
            "crosscut-calls",
            "crosscut-import",
            "crosscut-view",
        ],
    ),
    ("crosscut-engine", &["crosscut-run"]),
    (
        "crosscut-bench",
        &[
            "crosscut-tree",
            "crosscut-run",
            "crosscut-chance",
            "crosscut-scene",
            "crosscut-tasks",
            "crosscut-messages",
            "crosscut-calls",
            "crosscut-import",
            "crosscut-synth",
        ],
    ),
    ("crosscut-example-quicksort", &["crosscut-rayon"]),
    ("crosscut-example-planted", &["crosscut-rayon"]),
    ("xtask", &[]),
];

/// What is not in order yet. One that is not needed any more is an error too, so that this list only gets shorter.
const NOT_YET: &[(&str, &str)] = &[];

/// One crate needs another.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Dependency {
    from: String,
    to: String,
}

/// Everything that is wrong with the dependencies in what `cargo metadata --no-deps` printed, a line each.
pub fn check(metadata: &Value) -> Vec<String> {
    let packages: Vec<&str> = packages(metadata).filter_map(|package| package["name"].as_str()).collect();
    problems(&packages, &dependencies(metadata), LAYERS, NOT_YET)
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

/// What the crates need of each other when they are built for use.
fn dependencies(metadata: &Value) -> Vec<Dependency> {
    let mut found = Vec::new();
    for package in packages(metadata) {
        let all = package["dependencies"].as_array().into_iter().flatten();
        // Ours have a path; those from a registry have none.
        for needed in all.filter(|needed| needed["path"].is_string() && needed["kind"] != "dev") {
            if let (Some(from), Some(to)) = (package["name"].as_str(), needed["name"].as_str()) {
                found.push(Dependency { from: from.to_owned(), to: to.to_owned() });
            }
        }
    }
    found
}

fn problems(
    packages: &[&str],
    dependencies: &[Dependency],
    layers: &[Layer],
    not_yet: &[(&str, &str)],
) -> Vec<String> {
    let row = |name: &str| layers.iter().find(|(crate_name, _)| *crate_name == name);
    let mut problems: Vec<String> = packages
        .iter()
        .filter(|name| row(name).is_none())
        .map(|name| format!("{name} has no row in LAYERS (xtask/src/layers.rs)"))
        .collect();
    let is_excused = |from: &str, to: &str| not_yet.contains(&(from, to));
    for Dependency { from, to } in dependencies {
        let Some((_, allowed)) = row(from) else { continue };
        if !allowed.contains(&to.as_str()) && !is_excused(from, to) {
            let allowed = if allowed.is_empty() { "none of ours".to_owned() } else { allowed.join(", ") };
            problems.push(format!("{from} may not depend on {to}; allowed: {allowed}"));
        }
    }
    for (from, to) in not_yet {
        if !dependencies.iter().any(|needed| needed.from == *from && needed.to == *to) {
            problems.push(format!("{from} does not depend on {to} any more: take it out of NOT_YET"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn crates_stand_to_the_right_of_what_they_use() {
        for (at, (name, allowed)) in LAYERS.iter().enumerate() {
            for used in *allowed {
                let left = LAYERS[..at].iter().any(|(other, _)| other == used);
                assert!(left, "{name} may use {used}, which stands to its right or nowhere");
            }
        }
        let mut names: Vec<&str> = LAYERS.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), LAYERS.len(), "a crate has two rows");
    }

    #[test]
    fn the_workbench_knows_no_domain_and_the_server_neither() {
        for name in
            ["crosscut-workbench", "crosscut-server", "crosscut-scene", "crosscut-run", "crosscut-tree"]
        {
            let (_, allowed) = LAYERS.iter().find(|(layer, _)| *layer == name).expect("a row");
            for domain in ["crosscut-tasks", "crosscut-messages", "crosscut-calls"] {
                assert!(!allowed.contains(&domain), "{name} may use {domain}");
            }
        }
    }

    /// As `cargo metadata` prints it.
    fn package(name: &str, needs: &[(&str, Option<&str>)]) -> Value {
        let needs: Vec<Value> = needs
            .iter()
            .map(|(name, kind)| json!({"name": name, "kind": kind, "path": format!("/x/{name}")}))
            .chain([json!({"name": "serde", "kind": null, "source": "registry"})])
            .collect();
        json!({"name": name, "dependencies": needs})
    }

    fn check_all(packages: &[Value], not_yet: &[(&str, &str)]) -> Vec<String> {
        let metadata = json!({"packages": packages});
        let names: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
        problems(&names, &dependencies(&metadata), LAYERS, not_yet)
    }

    #[test]
    fn a_dependency_to_the_right_is_a_problem() {
        let tree = package("crosscut-tree", &[("crosscut-tasks", None)]);
        let workbench = package("crosscut-workbench", &[("crosscut-tree", None), ("crosscut-tasks", None)]);
        let found = check_all(&[tree, workbench], &[]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0], "crosscut-tree may not depend on crosscut-tasks; allowed: none of ours");
        assert!(
            found[1]
                .starts_with("crosscut-workbench may not depend on crosscut-tasks; allowed: crosscut-tree")
        );
    }

    #[test]
    fn building_counts_and_testing_does_not() {
        let run = package("crosscut-run", &[("crosscut-tree", Some("build"))]);
        let view = package("crosscut-view", &[("crosscut-import", Some("dev")), ("crosscut-tree", None)]);
        assert_eq!(check_all(&[run, view], &[]).len(), 1);
    }

    #[test]
    fn what_is_not_in_order_yet_is_named_until_it_is() {
        let server = package("crosscut-server", &[("crosscut-tasks", None)]);
        let excuse = [("crosscut-server", "crosscut-tasks")];
        assert_eq!(check_all(&[server], &excuse), [""; 0]);
        let server = package("crosscut-server", &[("crosscut-view", None)]);
        let found = check_all(&[server], &excuse);
        assert!(found.len() == 1 && found[0].contains("take it out of NOT_YET"), "{found:?}");
    }

    #[test]
    fn a_crate_without_a_row_is_a_problem() {
        let found = check_all(&[package("crosscut-new", &[("crosscut-tree", None)])], &[]);
        assert_eq!(found, ["crosscut-new has no row in LAYERS (xtask/src/layers.rs)"]);
    }
}
