//! Code addresses to source positions: the memory map of a process and addresses in its code come in, a file, a line and
//! a function for each come out. Every module (executable or shared object) that an address lies in is opened once, the
//! others never; a module that cannot be read leaves its positions coarse and a note, and is never an error.

mod dwarf;
mod maps;
mod module;
mod names;
mod unwind;

use std::collections::BTreeMap;
use std::path::Path;

use crosscut_events::ENTRY;
use crosscut_run::Source;

pub use maps::{Mapping, Maps};
use module::Module;
pub use names::demangled;
pub use unwind::{Locate, Stack, Unwinder};

/// Names of the recorder's own libraries: what they do is none of the program's.
const OWN: [&str; 2] = ["libcrosscut_record", "libcrosscut_mpi"];

/// Marks an address that a call returns to as the place where the program goes on: what is wanted is the next statement, not
/// the call.
pub const AFTER: u64 = 1 << 62;

/// Marks an address that a call returns to as one whose result says who runs a construct, as that of `single` is: what is wanted
/// is where that begins.
pub const BODY: u64 = 1 << 61;

/// Marks an address that a call of a barrier returns to, with [`AFTER`] or alone. GCC gives such calls no line of their own: they
/// have that of whatever stands before them, often inlined code.
pub const BARRIER: u64 = 1 << 60;

/// Marks an address that a call without arguments returns to which begins a construct. Where GCC gives it no line of its own, what is
/// wanted is the first statement of the construct.
pub const BEGIN: u64 = 1 << 59;

/// Marks an address that a call returns to; what is none, or the entry of a function, stays as it is.
pub fn marked(code: u64, mark: u64) -> u64 {
    if code == 0 || code & ENTRY != 0 { code } else { code | mark }
}

/// Whether a module is part of the recorder.
pub fn is_own(module: &str) -> bool {
    let name = module.rsplit('/').next().unwrap_or_default();
    OWN.iter().any(|own| name.starts_with(own))
}

/// What stands for a file that nobody knows.
const UNKNOWN: &str = "unknown";

/// Where a code address is in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The source position. Without debug information the file is the name of the module, and the line 0.
    pub source: Source,
    /// Path of the executable or shared object, `[vdso]` for the kernel's code, "" when no module is there.
    pub module: String,
}

/// The positions of some addresses.
#[derive(Clone, Debug, Default)]
pub struct Positions {
    /// One for each address, in the order of the addresses.
    pub positions: Vec<Position>,
    /// The modules that could not be read, a sentence each.
    pub notes: Vec<String>,
}

/// Finds the positions of code addresses in a process with this memory map (the text of `/proc/PID/maps`).
///
/// An address is one that a call returns to: that of the instruction after the call, which may belong to the next line or
/// even to the next function, so what is looked up is the byte before it. With the mark [`ENTRY`] it is the entry of a
/// function, and is looked up as it is; with the mark [`AFTER`] what is looked up is the statement that follows the call, with
/// [`BODY`] what is run if the call says so, with [`BARRIER`] the call is one of a barrier, and with
/// [`BEGIN`] one that begins something.
pub fn resolve(maps: &str, addresses: &[u64]) -> Positions {
    let mut found = Positions { positions: vec![nowhere(""); addresses.len()], notes: Vec::new() };
    each_module(&Maps::parse(maps), addresses, |path, wanted| resolve_in(path, wanted, &mut found));
    found
}

/// The entry of `main` in the program that a process runs, where its line is known: programs of other languages have one that
/// nobody wrote.
pub fn main_of(maps: &str) -> Option<u64> {
    let parsed = Maps::parse(maps);
    let path = parsed.program()?;
    let offset =
        module::with(Path::new(path), |module: &Module<'_>| module.function_offset("main")).ok()??;
    let entry = parsed.address(path, offset)? | ENTRY;
    let found = resolve(maps, &[entry]);
    found.positions.first().filter(|position| position.source.line > 0).map(|_| entry)
}

/// Does something with the addresses of each module that there are any in.
fn each_module(maps: &Maps, addresses: &[u64], mut work: impl FnMut(&str, &[Wanted<'_>])) {
    let mut modules: BTreeMap<&str, Vec<Wanted<'_>>> = BTreeMap::new();
    for (number, address) in addresses.iter().enumerate() {
        let mark = address & (ENTRY | AFTER | BODY | BARRIER | BEGIN);
        let Some(address) = (address ^ mark).checked_sub(u64::from(mark & ENTRY == 0)) else { continue };
        let Some(mapping) = maps.at(address) else { continue };
        modules.entry(&mapping.path).or_default().push(Wanted { number, address, mark, mapping });
    }
    for (path, wanted) in modules {
        work(path, &wanted);
    }
}

/// An address whose position is wanted.
struct Wanted<'a> {
    /// Its place among all.
    number: usize,
    address: u64,
    /// What is wanted of it, one or two of [`ENTRY`], [`AFTER`], [`BODY`], [`BARRIER`], [`BEGIN`], or none of them.
    mark: u64,
    mapping: &'a Mapping,
}

fn resolve_in(path: &str, addresses: &[Wanted<'_>], found: &mut Positions) {
    for wanted in addresses {
        found.positions[wanted.number] = nowhere(path);
    }
    // Not a file: the kernel's code, a heap, memory that a compiler filled at run time.
    if !path.starts_with('/') {
        return;
    }
    if addresses.iter().any(|wanted| wanted.mapping.deleted) {
        // What has this name now is another file, and its lines would be wrong ones.
        found
            .notes
            .push(format!("{path}: replaced or removed while the program ran; its code has no source lines"));
        return;
    }
    let done = module::with(Path::new(path), |module: &Module<'_>| {
        for wanted in addresses {
            let offset = wanted.mapping.file_offset(wanted.address);
            let Some(address) = module.address(offset) else { continue };
            let source = &mut found.positions[wanted.number].source;
            *source = match wanted.mark {
                ENTRY => module.entry_source(address, &source.file),
                AFTER => module.source_after(address, &source.file, false),
                BARRIER => module.source_of_barrier(address, &source.file),
                BEGIN => module.source_of_begin(address, &source.file),
                mark if mark == AFTER | BARRIER => module.source_after(address, &source.file, true),
                BODY => module.source_of_body(address, &source.file),
                _ => module.source(address, &source.file),
            };
        }
    });
    if let Err(why) = done {
        found.notes.push(format!("{path}: {why}; its code has no source lines"));
    }
}

/// The functions that addresses as the linker gave them lie in, in one executable or shared object: those of its symbols, with
/// all that was inlined into them. "" where nothing is known.
pub fn linked(path: &Path, addresses: &[u64]) -> Result<Vec<String>, String> {
    module::with(path, |module: &Module<'_>| {
        addresses.iter().map(|&address| module.outermost(address)).collect()
    })
}

/// Where the code of a program ends, as the linker says.
pub fn end_of_code(path: &Path) -> Option<u64> {
    use object::{Object, ObjectSymbol};
    let store = dwarf::Store::default();
    let elf = store.open(path).ok()?;
    let is_end = |name: &[u8]| matches!(name, b"etext" | b"_etext" | b"__etext");
    elf.symbols().find(|symbol| symbol.name_bytes().is_ok_and(is_end)).map(|symbol| symbol.address())
}

/// The build id of an executable or shared object: what tells one build of it from another.
pub fn build_id(path: &Path) -> Option<Vec<u8>> {
    use object::Object;
    let store = dwarf::Store::default();
    let elf = store.open(path).ok()?;
    elf.build_id().ok().flatten().map(<[u8]>::to_vec)
}

/// A function at a code address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Called {
    /// Its name, "" when not known.
    pub function: String,
    /// Its source file, "" when not known.
    pub file: String,
    /// The line that was called from or ran, 0 when not known.
    pub line: i64,
    /// The line at which the function is declared, 0 when not known.
    pub declared: i64,
    /// Path of the executable or shared object.
    pub module: String,
}

/// The functions at some addresses.
#[derive(Clone, Debug, Default)]
pub struct CalledAt {
    /// For each address, in their order: those that are inlined into one another, outermost first. Nothing where no code is.
    pub called: Vec<Vec<Called>>,
    /// The modules that could not be read, a sentence each.
    pub notes: Vec<String>,
}

/// Finds the functions at code addresses, those that were inlined there too. With the mark [`ENTRY`] an address is that of an
/// instruction, else one that a call returns to.
pub fn called(maps: &str, addresses: &[u64]) -> CalledAt {
    let mut found = CalledAt { called: vec![Vec::new(); addresses.len()], notes: Vec::new() };
    each_module(&Maps::parse(maps), addresses, |path, wanted| {
        for one in wanted {
            let module = path.to_owned();
            found.called[one.number] = vec![Called { module, ..Called::default() }];
        }
        if !path.starts_with('/') || wanted.iter().any(|one| one.mapping.deleted) {
            return;
        }
        let done = module::with(Path::new(path), |module: &Module<'_>| {
            for one in wanted {
                let Some(address) = module.address(one.mapping.file_offset(one.address)) else { continue };
                found.called[one.number] = module.called(address, path);
            }
        });
        if let Err(why) = done {
            found.notes.push(format!("{path}: {why}; its functions have no names"));
        }
    });
    found
}

/// Finds the variables that addresses of data lie in, each with a code address that uses it: the variable is looked for in the
/// module of that code. "" stands for none, such as for memory that was allocated.
pub fn variables(maps: &str, wanted: &[(u64, u64)]) -> Vec<String> {
    let maps = Maps::parse(maps);
    let mut found = vec![String::new(); wanted.len()];
    let mut modules: BTreeMap<&str, Vec<(usize, &Mapping)>> = BTreeMap::new();
    for (number, &(code, _)) in wanted.iter().enumerate() {
        if let Some(mapping) = maps.at(code & !ENTRY).filter(|m| m.path.starts_with('/') && !m.deleted) {
            modules.entry(&mapping.path).or_default().push((number, mapping));
        }
    }
    for (path, numbers) in modules {
        // Who cannot read it has said so when the code was looked up.
        let _ = module::with(Path::new(path), |module: &Module<'_>| {
            for (number, mapping) in numbers {
                let (code, data) = (wanted[number].0 & !ENTRY, wanted[number].1);
                let Some(linked) = module.address(mapping.file_offset(code)) else { continue };
                // Code and data of a module move together.
                found[number] = module.variable(data.wrapping_sub(code).wrapping_add(linked));
            }
        });
    }
    found
}

/// All that is known is the module.
fn nowhere(module: &str) -> Position {
    let name = module.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(UNKNOWN);
    Position {
        source: Source { file: name.to_owned(), line: 0, function: String::new() },
        module: module.to_owned(),
    }
}
