//! `docs/format.md` names every part that a run with tasks has, with its type.

use crate::model;

use model::{Case, Folding, Manners};

#[test]
fn every_part_is_documented() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/format.md");
    let text = std::fs::read_to_string(path).expect("the document");
    let case = Case {
        seed: 1,
        size: 50,
        workers: 2,
        manners: Manners { longest: 9, pause: 3, stay: 5, cores: 1 },
        folding: Folding::OneWorker,
        wild: true,
    };
    let opened = case.record().open();
    let manifest = opened.tasks.run().manifest();
    assert!(manifest.all_parts().count() > 25 && manifest.part("tasks/tail").is_some());
    for (name, part) in manifest.all_parts() {
        let word = format!("`{}`", name.trim_start_matches("tasks/"));
        let row = text.lines().find(|line| {
            line.starts_with('|') && line.split('|').nth(1).is_some_and(|cell| cell.contains(&word))
        });
        let row = row.unwrap_or_else(|| panic!("{name} is not in docs/format.md"));
        if let Some(value) = &part.value {
            assert!(row.contains(&format!("| {value} |")), "{name} is {value}: {row}");
        }
    }
}
