//! Stacks of code addresses on their way into a profile. Addresses are collected as places in modules; when all are there, each
//! module that is here and is the one that was measured is opened once, and its functions get their names. Code of other
//! modules is named by module and offset: names of another build would be wrong ones.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crosscut_calls::{Builder, Frame};
use crosscut_close::symbols;
use foldhash::{HashMap, HashSet};

use crate::error::ImportError;

/// What is known of a module, to see whether the file of this name is still the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Identity {
    /// Nothing: the file is not looked at.
    #[default]
    Unknown,
    /// The build id that the linker made.
    Build(Vec<u8>),
    /// The number of the file in its file system, and when it was measured: a file that was changed later is another one.
    Inode(u64, Option<std::time::SystemTime>),
}

/// A program or library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// Its file, a name in brackets, or "".
    pub path: String,
    pub identity: Identity,
}

impl Module {
    /// Why its symbols are not to be taken; none when they are.
    pub fn refused(&self) -> Option<String> {
        // Not a file: the kernel, a heap, memory that a compiler filled at run time.
        if !self.path.starts_with('/') || self.path.starts_with("//") {
            return Some(String::new());
        }
        let path = Path::new(&self.path);
        let wrong = match &self.identity {
            Identity::Unknown => "what was measured is not known",
            _ if !path.is_file() => "not here",
            Identity::Build(id) => match symbols::build_id(path) {
                Some(found) if found == *id => return None,
                _ => "another build",
            },
            Identity::Inode(inode, measured) => match path.metadata() {
                Ok(about) if about.ino() == *inode && about.modified().ok() <= *measured => return None,
                _ => "another file than the one that was measured",
            },
        };
        Some(wrong.to_owned())
    }

    /// Its name without folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// A place in a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code {
    pub module: u32,
    /// In the file of the module; an address where there is none.
    pub offset: u64,
    /// Where a call returns to: the call itself stands before it.
    pub is_return: bool,
}

/// Stacks and values: a tree by address.
#[derive(Default)]
pub struct Stacks {
    modules: Vec<Module>,
    module_numbers: HashMap<String, u32>,
    /// Frames with known names, and code that is to be looked up.
    steps: Vec<Step>,
    step_numbers: HashMap<Step, u32>,
    parent: Vec<u32>,
    step: Vec<u32>,
    children: HashMap<(u32, u32), u32>,
    values: HashMap<(u32, u32, u32), i64>,
}

/// What a node of the tree is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    Code(Code),
    Frame(Frame),
}

impl Stacks {
    /// The number of a module. Which file it was is said when it first occurs.
    pub fn module(&mut self, path: &str, identity: impl FnOnce() -> Identity) -> u32 {
        if let Some(&number) = self.module_numbers.get(path) {
            return number;
        }
        let number = self.modules.len() as u32;
        self.modules.push(Module { path: path.to_owned(), identity: identity() });
        self.module_numbers.insert(path.to_owned(), number);
        number
    }

    /// The node of a step below another node; 0 is the program.
    pub fn node(&mut self, parent: u32, step: Step) -> u32 {
        let steps = &mut self.steps;
        let number = *self.step_numbers.entry(step).or_insert_with_key(|step| {
            steps.push(step.clone());
            steps.len() as u32 - 1
        });
        if self.parent.is_empty() {
            (self.parent, self.step) = (vec![0], vec![u32::MAX]);
        }
        let (all, of) = (&mut self.parent, &mut self.step);
        *self.children.entry((parent, number)).or_insert_with(|| {
            all.push(parent);
            of.push(number);
            all.len() as u32 - 1
        })
    }

    /// Adds to a value of a node.
    pub fn add(&mut self, metric: u32, place: u32, node: u32, value: i64) -> Result<(), String> {
        let sum = self.values.entry((metric, place, node)).or_default();
        *sum = sum.checked_add(value).ok_or("values that are too large to be added up")?;
        Ok(())
    }

    /// Puts all of it into the profile, with names.
    pub fn put(self, builder: &mut Builder) -> Result<(), ImportError> {
        let frames = self.frames(builder);
        let mut nodes: Vec<u32> = vec![0];
        for (&parent, &step) in self.parent.iter().zip(&self.step).skip(1) {
            let mut node = nodes.get(parent as usize).copied().unwrap_or(0);
            for frame in frames.get(step as usize).into_iter().flatten() {
                let frame = builder.frame(frame.clone());
                node = builder.node(node, frame)?;
            }
            nodes.push(node);
        }
        // In order, so that the run is the same each time.
        let mut values: Vec<_> = self.values.into_iter().collect();
        values.sort_unstable();
        let outside = builder.frame(Frame::outside());
        for ((metric, place, node), value) in values {
            let node = match nodes.get(node as usize) {
                Some(&node) if node > 0 => node,
                _ => builder.node(0, outside)?,
            };
            builder.add(metric, place, node, value);
        }
        Ok(())
    }

    /// The frames of each step, outermost first: code may be that of functions that are inlined into one another.
    fn frames(&self, builder: &mut Builder) -> Vec<Vec<Frame>> {
        let mut why: Vec<Option<String>> = self.modules.iter().map(Module::refused).collect();
        let codes = self.steps.iter().enumerate().filter_map(|(at, step)| match step {
            Step::Code(code) if why.get(code.module as usize) == Some(&None) => Some((at, *code)),
            _ => None,
        });
        let codes: Vec<(usize, Code)> = codes.filter(|(_, code)| code.offset < SPACE).collect();
        let addresses: Vec<u64> = codes
            .iter()
            // What is looked up is the byte before an address.
            .map(|(_, code)| base(code.module) + code.offset + u64::from(!code.is_return))
            .collect();
        let found = symbols::called(&self.maps(), &addresses);
        for note in found.notes {
            builder.note(note);
        }
        let mut frames: Vec<Vec<Frame>> = self.steps.iter().map(|step| vec![self.unnamed(step)]).collect();
        for ((at, code), called) in codes.into_iter().zip(found.called) {
            let module = self.modules.get(code.module as usize).map_or("", |module| &module.path);
            let named = called.into_iter().filter(|called| !called.function.is_empty());
            let named: Vec<Frame> = named
                .map(|called| Frame {
                    module: module.to_owned(),
                    file: called.file,
                    ..Frame::function(called.function)
                })
                .collect();
            if let Some(frames) = frames.get_mut(at).filter(|_| !named.is_empty()) {
                *frames = named;
            }
        }
        let used: HashSet<u32> = self.steps.iter().filter_map(Step::module).collect();
        for (number, (module, why)) in self.modules.iter().zip(&mut why).enumerate() {
            if let Some(why) = why.take().filter(|why| !why.is_empty() && used.contains(&(number as u32))) {
                builder.note(format!("{}: {why}; its functions have no names", module.path));
            }
        }
        frames
    }

    /// What is known of a step without symbols.
    fn unnamed(&self, step: &Step) -> Frame {
        match step {
            Step::Frame(frame) => frame.clone(),
            Step::Code(code) => {
                let module = self.modules.get(code.module as usize).cloned().unwrap_or_default();
                Frame { name: unnamed(module.name(), code.offset), module: module.path, ..Frame::default() }
            }
        }
    }

    /// A memory in which each module has a place of its own.
    fn maps(&self) -> String {
        let line = |(number, module): (usize, &Module)| {
            let from = base(number as u32);
            let path = module.path.replace('\n', "\\012");
            format!("{from:x}-{:x} r-xp 0 00:00 0 {path}\n", from + SPACE)
        };
        self.modules.iter().enumerate().filter(|(number, _)| *number < MOST_MODULES).map(line).collect()
    }
}

impl Step {
    fn module(&self) -> Option<u32> {
        match self {
            Step::Code(code) => Some(code.module),
            Step::Frame(_) => None,
        }
    }
}

/// So much memory each module has for itself: no file is larger.
const SPACE: u64 = 1 << 40;
/// So many modules have their place below the marks of addresses.
const MOST_MODULES: usize = 1 << 22;

fn base(module: u32) -> u64 {
    (u64::from(module) % MOST_MODULES as u64 + 1) * SPACE
}

/// What code without a name is called.
pub fn unnamed(module: &str, offset: u64) -> String {
    if module.is_empty() { format!("0x{offset:x}") } else { format!("0x{offset:x} [{module}]") }
}
