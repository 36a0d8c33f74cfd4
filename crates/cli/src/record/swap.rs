//! Whether LLVM's OpenMP runtime can take the place of GCC's: it must have every function of the runtime that the program
//! and its libraries ask for, in the version that they ask for. What it lacks would still come from GCC's, and two runtimes
//! in one program that know nothing of each other change what it does.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use anyhow::{Context, Result, bail};
use object::Endianness;
use object::elf::{FileHeader64, SHN_UNDEF};
use object::read::ReadCache;
use object::read::elf::{FileHeader, Sym};

/// A function and its version, "" when it has none.
type Needed = (String, String);

/// Refuses when the runtime does not have what these files need.
pub fn check<'a>(libomp: &Path, files: impl Iterator<Item = &'a Path>) -> Result<()> {
    let served = symbols(libomp, false).with_context(|| libomp.display().to_string())?;
    let mut missing = BTreeSet::new();
    for file in files {
        // What cannot be read is the loader's affair.
        let needed = symbols(file, true).unwrap_or_default();
        missing.extend(needed.into_iter().filter(|needed| !serves(&served, needed)));
    }
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = missing
        .iter()
        .map(|(name, version)| if version.is_empty() { name.clone() } else { format!("{name}@{version}") })
        .collect();
    bail!(
        "LLVM's OpenMP runtime cannot take the place of GCC's here: {} does not have {}; leave out `--runtime llvm`, and \
         the program is recorded on its own runtime",
        libomp.display(),
        names.join(", ")
    )
}

/// As the loader decides it: the same version, or none on either side.
fn serves(served: &BTreeSet<Needed>, (name, version): &Needed) -> bool {
    let any = || served.range((name.clone(), String::new())..).next().is_some_and(|(found, _)| found == name);
    if version.is_empty() {
        return any();
    }
    [version.as_str(), ""].iter().any(|version| served.contains(&(name.clone(), (*version).to_owned())))
}

/// The functions of OpenMP runtimes that a file asks for, or has.
fn symbols(file: &Path, asks: bool) -> Result<BTreeSet<Needed>> {
    let data = &ReadCache::new(File::open(file)?);
    let header = FileHeader64::<Endianness>::parse(data)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, data)?;
    let table = sections.symbols(endian, data, object::elf::SHT_DYNSYM)?;
    let versions = sections.versions(endian, data)?;
    let mut found = BTreeSet::new();
    for (index, symbol) in table.enumerate() {
        let name = String::from_utf8_lossy(symbol.name(endian, table.strings())?).into_owned();
        let is_runtimes = name.starts_with("GOMP_") || name.starts_with("omp_");
        if !is_runtimes || (symbol.st_shndx(endian) == SHN_UNDEF) != asks {
            continue;
        }
        let version = versions.as_ref().and_then(|versions| {
            let index = versions.version_index(endian, index);
            Some(String::from_utf8_lossy(versions.version(index.index()).ok()??.name()).into_owned())
        });
        found.insert((name, version.unwrap_or_default()));
    }
    Ok(found)
}
