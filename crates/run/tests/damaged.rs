//! Damage on disk: every part in turn is lost, cut short, made longer or changed, and every time that part is named.

mod made;

use std::path::Path;

use crosscut_run::{Run, RunError};
use made::fresh_dir;

/// What happens to a file.
type Harm = (&'static str, fn(&Path, &[u8]));

const HARMS: [Harm; 6] = [
    ("missing", |path, _| std::fs::remove_file(path).expect("removed")),
    ("empty", |path, _| std::fs::write(path, b"").expect("written")),
    ("truncated", |path, bytes| std::fs::write(path, &bytes[..bytes.len() - 1]).expect("written")),
    ("appended", |path, bytes| std::fs::write(path, [bytes, b"!"].concat()).expect("written")),
    ("flipped", |path, bytes| {
        let mut bytes = bytes.to_vec();
        let at = bytes.len() * 2 / 3;
        bytes[at] ^= 1;
        std::fs::write(path, bytes).expect("written");
    }),
    ("a directory", |path, _| {
        std::fs::remove_file(path).expect("removed");
        std::fs::create_dir(path).expect("made");
    }),
];

fn read_part(run: &Run, name: &str) -> Result<(), RunError> {
    match run.manifest().part(name).expect("a part").value.as_deref() {
        Some("u8") => run.column::<u8>(name).map(drop),
        Some("u16") => run.column::<u16>(name).map(drop),
        Some("u32") => run.column::<u32>(name).map(drop),
        Some("f64") => run.column::<f64>(name).map(drop),
        Some(_) => run.column::<i64>(name).map(drop),
        None => run.table(name).map(drop),
    }
}

#[test]
fn the_damaged_part_is_named() {
    let dir = fresh_dir();
    let run = made::write(&dir.path().join("d.crosscut"));
    assert_eq!(run.check(), []);
    let parts: Vec<String> = run.manifest().all_parts().map(|(name, _)| name).collect();
    assert_eq!(parts.len(), 13);
    for name in &parts {
        let file = run.manifest().part(name).expect("a part").file(name);
        let path = run.path().join(&file);
        let bytes = std::fs::read(&path).expect("a part");
        for (harm, apply) in HARMS {
            apply(&path, &bytes);
            let damages = run.check();
            assert_eq!(damages.len(), 1, "{name} {harm}: {damages:?}");
            assert_eq!((&damages[0].part, &damages[0].file), (name, &file), "{harm}");
            assert!(!damages[0].why.is_empty());
            // The others can still be read, and this one says so itself; but the content of a column is not looked at.
            for other in &parts {
                let read = read_part(&run, other);
                if other != name {
                    assert!(read.is_ok(), "{other} while {name} {harm}");
                } else if harm != "flipped" || file.ends_with(".parquet") {
                    let text = read.expect_err(harm).to_string();
                    assert!(text.contains(&file), "{text}");
                    assert!(harm == "a directory" || text.contains(&format!("`{name}`")), "{text}");
                }
            }
            let _ = std::fs::remove_dir(&path);
            std::fs::write(&path, &bytes).expect("written");
        }
    }
    assert_eq!(run.check(), []);
}

/// Every single byte of a small column and of a table.
#[test]
fn no_changed_byte_goes_unnoticed() {
    let dir = fresh_dir();
    let run = made::write(&dir.path().join("b.crosscut"));
    for name in ["tree/mark", "places", "tree/rows-groups"] {
        let path = run.path().join(run.manifest().part(name).expect("a part").file(name));
        let bytes = std::fs::read(&path).expect("a part");
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            std::fs::write(&path, &changed).expect("written");
            let damages = run.check();
            assert!(damages.len() == 1 && damages[0].part == name, "byte {at} of {name}: {damages:?}");
            // Reading it may fail or not, but must not panic.
            let _ = read_part(&run, name);
        }
        std::fs::write(&path, &bytes).expect("written");
    }
}
