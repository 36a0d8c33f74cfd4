//! Runs from strangers: any column with any values, opened as a large run is opened, is refused or answered. Nothing panics
//! and everything comes to an end.

use crate::stranger;

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;

use crosscut_chance::Chance;
use crosscut_run::Run;
use stranger::BODY;

/// Ways to spoil the values of a column.
const MANNERS: [&str; 7] = ["small", "near", "any", "zero", "largest", "extremes", "one"];

/// Spoils one value of so many bytes.
fn spoiled(manner: &str, width: usize, nodes: u64, chance: &mut Chance, old: &[u8]) -> Vec<u8> {
    let value = match manner {
        "small" => chance.below(2 * nodes),
        "near" => {
            let mut bytes = [0; 8];
            bytes[..width].copy_from_slice(old);
            u64::from_le_bytes(bytes).wrapping_add(chance.below(5)).wrapping_sub(2)
        }
        "zero" => 0,
        "largest" => {
            if width == 8 {
                i64::MAX as u64
            } else {
                u64::MAX
            }
        }
        "extremes" => match chance.below(4) {
            0 => i64::MIN as u64,
            1 => i64::MAX as u64,
            2 => u64::MAX,
            _ => chance.below(nodes),
        },
        _ => chance.any(),
    };
    value.to_le_bytes()[..width].to_vec()
}

/// Writes a column again with other values, as many as it had.
fn spoil(path: &Path, part: &str, manner: &str, seed: u64) {
    let run = Run::open(path).unwrap();
    let about = run.manifest().part(part).unwrap();
    let width = match about.value.as_deref() {
        Some("u8") => 1,
        Some("u16") => 2,
        Some("u32") => 4,
        _ => 8,
    };
    let file = path.join(about.file(part));
    let mut bytes = fs::read(&file).unwrap();
    let mut chance = Chance::new(seed);
    let rows = about.rows as usize;
    let nodes = run.manifest().all_parts().map(|(_, part)| part.rows).max().unwrap();
    let values = bytes[BODY..BODY + rows * width].chunks_exact_mut(width).enumerate();
    let one = chance.index(rows);
    for (_, value) in values.filter(|(row, _)| manner != "one" || *row == one) {
        let new = spoiled(manner, width, nodes, &mut chance, value);
        value.copy_from_slice(&new);
    }
    fs::write(&file, bytes).unwrap();
}

fn columns(path: &Path) -> Vec<String> {
    let run = Run::open(path).unwrap();
    let all = run.manifest().all_parts().filter(|(_, part)| part.value.is_some() && part.rows > 0);
    all.map(|(name, _)| name).collect()
}

/// Where it panicked last, by thread or by one that it waited for.
static PANICKED: Mutex<String> = Mutex::new(String::new());

#[test]
fn any_column_of_tasks_may_hold_anything() {
    let work = tempfile::tempdir().unwrap();
    let (columns, opened) = any_column(&stranger::whole(work.path()), work.path());
    assert!(columns >= 48 && opened > 200, "{columns} columns, {opened} opened");
}

#[test]
fn any_column_of_messages_may_hold_anything() {
    let work = tempfile::tempdir().unwrap();
    let (columns, opened) = any_column(&stranger::messages(work.path()), work.path());
    assert!(columns >= 30 && opened > 20, "{columns} columns, {opened} opened");
}

#[test]
fn any_column_of_calls_may_hold_anything() {
    let work = tempfile::tempdir().unwrap();
    let (columns, opened) = any_column(&stranger::calls(work.path()), work.path());
    assert!(columns >= 5 && opened > 10, "{columns} columns, {opened} opened");
}

/// Spoils each column in every manner and asks everything. Says how many columns there are, and how often the run was opened.
fn any_column(whole: &Path, work: &Path) -> (usize, usize) {
    let columns = columns(whole);
    std::panic::set_hook(Box::new(|info| {
        *PANICKED.lock().unwrap() = info.to_string();
    }));
    let mut panics: BTreeMap<String, String> = BTreeMap::new();
    let mut opened = 0;
    for (k, (column, manner)) in columns.iter().flat_map(|c| MANNERS.map(|m| (c, m))).enumerate() {
        let path = stranger::copy(whole, &work.join(format!("{k}.crosscut")));
        spoil(&path, column, manner, k as u64);
        match catch_unwind(AssertUnwindSafe(|| stranger::open(&path))) {
            Ok(Ok(bench)) => {
                opened += 1;
                stranger::ask_everything(&bench, &mut |what, ask| {
                    if catch_unwind(AssertUnwindSafe(ask)).is_err() {
                        let place = PANICKED.lock().unwrap().clone();
                        panics.entry(place).or_insert_with(|| format!("{column} {manner}: {what}"));
                    }
                });
            }
            Ok(Err(_)) => {}
            Err(_) => {
                let place = PANICKED.lock().unwrap().clone();
                panics.entry(place).or_insert_with(|| format!("{column} {manner}: open"));
            }
        }
        fs::remove_dir_all(&path).unwrap();
    }
    let _ = std::panic::take_hook();
    let list: Vec<String> = panics.iter().map(|(place, what)| format!("{place}\n    {what}")).collect();
    assert!(panics.is_empty(), "{} panics:\n{}", panics.len(), list.join("\n"));
    (columns.len(), opened)
}

/// The whole run is sound, and what is spoiled is found by the check.
#[test]
fn a_spoiled_column_is_found_by_the_check() {
    let work = tempfile::tempdir().unwrap();
    let whole = stranger::whole(work.path());
    let check = |path: &Path| -> Result<(), String> {
        let tasks =
            crosscut_tasks::Tasks::open_unchecked(Run::open(path).unwrap()).map_err(|e| e.to_string())?;
        tasks.check().map_err(|e| e.to_string())
    };
    assert_eq!(check(&whole), Ok(()));
    // Values beside the tree that any number is right for, and what is derived in more than one pass.
    let free = [
        "tasks/chunk_values",
        "tasks/joined_values",
        "tasks/lock_address",
        "tasks/lock_process",
        "tasks/lock_use_values",
        "tasks/lock_wait_times",
        "tasks/stretch_values",
    ];
    for (k, column) in columns(&whole).iter().filter(|column| !free.contains(&column.as_str())).enumerate() {
        let path = stranger::copy(&whole, &work.path().join(format!("{k}.crosscut")));
        spoil(&path, column, "any", k as u64);
        assert!(check(&path).is_err(), "{column}");
    }
}
