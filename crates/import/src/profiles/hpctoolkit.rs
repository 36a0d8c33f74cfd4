//! Databases of HPCToolkit: a folder with `experiment.xml` and a file of values for each thread (version 3), or with `meta.db`
//! and `profile.db` (version 4).
//!
//! Both give what was spent with all that was called, which is what is read: their exclusive values stand on several levels at
//! once. All of it is in the innermost nodes, the lines and instructions; these have the name of the function around them.

mod v3;
mod v4;
mod xml;

use super::builder;
use crosscut_run::RunWriter;

use crate::error::ImportError;
use crate::inputs::{FoundFile, Inputs};
use crate::reader::{Confidence, Options, Reader};

use super::holds;

/// What the root element of version 3 is called.
const ELEMENT: &[u8] = b"<HPCToolkitExperiment";
/// The document type, which stands before it.
const DOCTYPE: &[u8] = b"<!DOCTYPE HPCToolkitExperiment";
/// How all files of version 4 begin.
const MAGIC: &[u8] = b"HPCTOOLKIT";

/// The reader.
pub struct Hpctoolkit;

/// Which version a database is of, and the file that says what is in it.
enum Database<'a> {
    Three(&'a FoundFile),
    Four(&'a FoundFile),
}

impl Reader for Hpctoolkit {
    fn name(&self) -> &'static str {
        "hpctoolkit"
    }

    fn title(&self) -> &'static str {
        "HPCToolkit, the folder of a database"
    }

    fn detect(&self, inputs: &Inputs<'_>) -> Result<Confidence, ImportError> {
        let found = find(inputs)?;
        Ok(if found.is_some() { Confidence::CERTAIN } else { Confidence::NONE })
    }

    fn gathers(&self, inputs: &Inputs<'_>) -> bool {
        let names: Vec<_> = inputs.files().iter().filter_map(name).collect();
        let of_three = |name: &&str| *name == "experiment.xml" || name.ends_with(".metric-db");
        let of_four = |name: &&str| name.ends_with(".db");
        names.len() > 1 && (names.iter().all(of_three) || names.iter().all(of_four))
    }

    fn read(&self, inputs: &Inputs<'_>, _: &Options, run: &mut RunWriter) -> Result<(), ImportError> {
        let mut builder = builder("HPCToolkit");
        match find(inputs)? {
            Some(Database::Three(file)) => v3::read(inputs, file, &mut builder)?,
            Some(Database::Four(file)) => v4::read(inputs, file, &mut builder)?,
            None => {
                let what = "a database of HPCToolkit has a file experiment.xml or meta.db: there is none";
                return Err(ImportError::Option(what.to_owned()));
            }
        }
        Ok(builder.finish(run)?)
    }
}

fn name(file: &FoundFile) -> Option<&str> {
    file.path.file_name()?.to_str()
}

fn find<'a>(inputs: &'a Inputs<'_>) -> Result<Option<Database<'a>>, ImportError> {
    for file in inputs.files() {
        let is_single = inputs.files().len() == 1;
        if !is_single && !matches!(name(file), Some("experiment.xml" | "meta.db")) {
            continue;
        }
        let head = inputs.open(file)?.head()?;
        if head.starts_with(MAGIC) && head.get(10..14) == Some(b"meta") {
            return Ok(Some(Database::Four(file)));
        }
        if holds(&head, ELEMENT) || holds(&head, DOCTYPE) {
            return Ok(Some(Database::Three(file)));
        }
    }
    Ok(None)
}
