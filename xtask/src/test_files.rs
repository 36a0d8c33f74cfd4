//! Where all tests of a crate are one program, `tests/all.rs` lists its files: one that is not listed would not be run, and nobody
//! would notice.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Files of tests that no program has, of all crates in a folder.
pub fn unlisted(crates: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for package in sorted(crates)? {
        let tests = crates.join(&package).join("tests");
        let Ok(all) = fs::read_to_string(tests.join("all.rs")) else { continue };
        let manifest = crates.join(&package).join("Cargo.toml");
        let manifest = fs::read_to_string(&manifest)
            .with_context(|| format!("could not read {}", manifest.display()))?;
        for file in sorted(&tests)? {
            let Some(name) = file.strip_suffix(".rs").filter(|name| *name != "all") else { continue };
            let is_listed = all.lines().any(|line| line == format!("mod {name};"));
            let is_own = manifest.lines().any(|line| line == format!("name = \"{name}\""));
            if !is_listed && !is_own {
                found.push(format!("{package}/tests/{file} is in no program: add `mod {name};` to all.rs"));
            }
        }
    }
    Ok(found)
}

/// Names in a folder, in order.
fn sorted(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("could not list {}", folder.display()))?;
    let mut names = entries
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::unlisted;

    #[test]
    fn a_file_that_nobody_lists_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let tests = folder.path().join("one/tests");
        fs::create_dir_all(tests.join("helper")).unwrap();
        fs::create_dir_all(folder.path().join("two")).unwrap();
        fs::write(
            folder.path().join("one/Cargo.toml"),
            "[[test]]\nname = \"all\"\n[[test]]\nname = \"own\"\n",
        )
        .unwrap();
        fs::write(tests.join("all.rs"), "mod helper;\nmod listed;\n").unwrap();
        for name in ["listed", "own", "forgotten"] {
            fs::write(tests.join(format!("{name}.rs")), "").unwrap();
        }
        let found = unlisted(folder.path()).unwrap();
        assert_eq!(found, ["one/tests/forgotten.rs is in no program: add `mod forgotten;` to all.rs"]);
    }
}
