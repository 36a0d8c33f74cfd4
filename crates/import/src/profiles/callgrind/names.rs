//! Names in callgrind's files: `(7) solve` says what 7 stands for, `(7)` is that name again. Objects, files and functions
//! have numbers of their own.

use crosscut_calls::Frame;
use foldhash::HashMap;

/// What stands where a name is not known.
const UNKNOWN: &str = "???";

/// The names so far, and those that are current.
#[derive(Default)]
pub struct Names {
    objects: HashMap<u64, String>,
    files: HashMap<u64, String>,
    functions: HashMap<u64, String>,
    object: String,
    /// The file that a function begins in, and the one that its lines are from just now.
    file: String,
    inlined: String,
    function: String,
    called_object: Option<String>,
    called_file: Option<String>,
    called: String,
}

impl Names {
    /// A line `key=value`.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let known = match key {
            "ob" | "cob" => &mut self.objects,
            "fl" | "fi" | "fe" | "cfi" | "cfl" | "jfi" => &mut self.files,
            "fn" | "cfn" | "jfn" => &mut self.functions,
            _ => return Err(format!("a line that is none of callgrind's: {key:.40}=")),
        };
        let name = resolved(known, value)?;
        match key {
            "ob" => self.object = name,
            "cob" => self.called_object = Some(name),
            "fl" => (self.file, self.inlined) = (name.clone(), name),
            "fi" | "fe" => self.inlined = name,
            "cfi" | "cfl" => self.called_file = Some(name),
            "fn" => {
                self.function = name;
                self.inlined.clone_from(&self.file);
            }
            "cfn" => self.called = name,
            _ => {}
        }
        Ok(())
    }

    /// The function that lines belong to.
    pub fn function(&self) -> Frame {
        frame(&self.function, &self.object, &self.file)
    }

    /// The function that is called: in the same object, and in the file of the line that calls it, if nothing else is said.
    pub fn called(&self) -> Frame {
        let object = self.called_object.as_ref().unwrap_or(&self.object);
        let file = self.called_file.as_ref().unwrap_or(&self.inlined);
        frame(&self.called, object, file)
    }

    /// What is called next is said anew.
    pub fn forget_called(&mut self) {
        (self.called_object, self.called_file) = (None, None);
    }
}

fn frame(name: &str, object: &str, file: &str) -> Frame {
    let known = |text: &str| if text == UNKNOWN { String::new() } else { text.to_owned() };
    Frame { module: known(object), file: known(file), ..Frame::function(name) }
}

/// The name that a value stands for.
fn resolved(known: &mut HashMap<u64, String>, value: &str) -> Result<String, String> {
    let numbered = value.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let Some((number, name)) = numbered else { return Ok(value.to_owned()) };
    // A name may begin with a bracket itself, as `(below main)` does.
    let Ok(number) = number.parse() else { return Ok(value.to_owned()) };
    match name.trim() {
        "" => {
            known.get(&number).cloned().ok_or_else(|| format!("nothing is named ({number}) before this line"))
        }
        name => {
            known.insert(number, name.to_owned());
            Ok(name.to_owned())
        }
    }
}
