//! One executable or shared object: where its code stands in the file, its symbols, and the source positions of its code.

use std::cell::OnceCell;
use std::path::Path;

use crosscut_run::Source;
use object::{Architecture, Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolIndex, SymbolKind};

use super::Called;
use super::dwarf::{Dwarf, Elf, Frame, Store};
use super::names;

/// Files of our own that stand between the user's code and the recorder: a position in them says nothing.
const OWN_FILES: [&str; 2] = ["crosscut.h", "crosscut.hpp"];
const OWN_FOLDERS: [&str; 2] = ["crates/rayon/src", "crosscut-rayon-"];

/// An open module.
pub struct Module<'a> {
    elf: Elf<'a>,
    /// The file that debug information was split off to.
    debug_elf: Option<Elf<'a>>,
    dwarf: Option<Dwarf<'a>>,
    symbols: OnceCell<Vec<Symbol>>,
    variables: OnceCell<Vec<Symbol>>,
}

/// A function or variable in the symbol table.
struct Symbol {
    address: u64,
    size: u64,
    name: Name,
}

/// Where the name of a symbol is; most names are never read.
#[derive(Clone, Copy)]
enum Name {
    Own(SymbolIndex),
    OwnDynamic(SymbolIndex),
    Debug(SymbolIndex),
}

/// Opens a module, does something with it, and forgets it.
pub fn with<T>(path: &Path, work: impl FnOnce(&Module<'_>) -> T) -> Result<T, String> {
    let store = Store::default();
    let elf = store.open(path)?;
    let (debug_elf, dwarf) = Dwarf::find(&store, path, &elf);
    Ok(work(&Module { elf, debug_elf, dwarf, symbols: OnceCell::new(), variables: OnceCell::new() }))
}

impl Module<'_> {
    /// The address that the linker gave to the byte at this offset in the file. Neighbouring segments may share a page
    /// of the file, so executable ones come first.
    pub fn address(&self, file_offset: u64) -> Option<u64> {
        let within = |executable: bool| {
            self.elf.segments().filter(|s| s.permissions().executable() == executable).find_map(|segment| {
                let (offset, size) = segment.file_range();
                let inside = file_offset.checked_sub(offset).filter(|&inside| inside < size)?;
                segment.address().checked_add(inside)
            })
        };
        within(true).or_else(|| within(false))
    }

    /// The offset in the file of a function of this name.
    pub fn function_offset(&self, name: &str) -> Option<u64> {
        let symbols = self.symbols.get_or_init(|| self.symbols());
        let function = symbols.iter().find(|symbol| self.name(symbol.name).as_deref() == Some(name))?;
        self.elf.segments().find_map(|segment| {
            let (offset, size) = segment.file_range();
            let inside = function.address.checked_sub(segment.address()).filter(|&inside| inside < size)?;
            offset.checked_add(inside)
        })
    }

    /// The position of an address; `name` is that of the module.
    pub fn source(&self, address: u64, name: &str) -> Source {
        let frames = self.dwarf.as_ref().map(|dwarf| dwarf.frames(address)).unwrap_or_default();
        // The innermost frame that is the user's; all that is known where everything is ours.
        let chosen = frames.iter().position(|frame| !is_own(&frame.file)).or(frames.len().checked_sub(1));
        let Some(chosen) = chosen else {
            return Source { file: name.to_owned(), line: 0, function: self.symbol(address) };
        };
        let function = self.function(&frames[chosen..], address);
        let dwarf = self.dwarf.as_ref().filter(|_| frames.len() == 1);
        let left_over = dwarf.and_then(|dwarf| Some((dwarf, dwarf.left_over(address, &frames[0])?)));
        if let Some(next) =
            left_over.and_then(|(dwarf, before)| own_statement(dwarf, address, &frames[0], &before))
        {
            return Source { file: next.file, line: i64::from(next.line), function };
        }
        let Frame { file, line, .. } = &frames[chosen];
        match file.is_empty() {
            true => Source { file: name.to_owned(), line: 0, function },
            false => Source { file: file.clone(), line: i64::from(*line), function },
        }
    }

    /// The statement with which the code goes on behind a call: the next line of the function that calls. What that line calls
    /// may be inlined there; it is the call of it that is meant. The call itself where nothing follows nearby.
    /// `may_lack_line`: it is a call without arguments, to which GCC gives no line.
    pub fn source_after(&self, call: u64, name: &str, may_lack_line: bool) -> Source {
        let here = if may_lack_line { self.source_of_barrier(call, name) } else { self.source(call, name) };
        let Some(dwarf) = &self.dwarf else { return here };
        let calling = dwarf.frames(call);
        let at = if may_lack_line { self.caller_of_barrier(call, &calling) } else { innermost(&calling) };
        let Some(caller) = calling.get(at) else { return here };
        // Where the line of the call is left over, what was found in its place is the next statement.
        if here.file != caller.file {
            return here;
        }
        let depth = calling.len() - at;
        for address in dwarf.statements_from(call + 1) {
            let frames = dwarf.frames(address);
            let next = frames.len().checked_sub(depth).and_then(|at| frames.get(at));
            let next = next.filter(|next| (&next.function, &next.file) == (&caller.function, &caller.file));
            let Some(next) = next.filter(|next| next.line != 0 && next.line != caller.line) else { continue };
            // A function that is inlined there may have its line here already, behind that of its call. What stands above the
            // function that calls is not of it.
            let is_own = |line: &u32| *line >= caller.declared && *line != caller.line;
            let lines = if frames.len() == depth { dwarf.lines_at(address, call) } else { Vec::new() };
            let Some(line) = lines.into_iter().chain([next.line]).find(is_own) else { continue };
            let back = (line < caller.line).then(|| self.line_behind(call, next, line)).flatten();
            let back = back.filter(|&line| line < caller.line);
            return Source { line: i64::from(back.unwrap_or(line)), ..here };
        }
        here
    }

    /// The position of a call of a barrier.
    pub fn source_of_barrier(&self, call: u64, name: &str) -> Source {
        let frames = self.dwarf.as_ref().map(|dwarf| dwarf.frames(call)).unwrap_or_default();
        let at = self.caller_of_barrier(call, &frames);
        match frames.get(at) {
            Some(frame) if at > 0 && !frame.file.is_empty() => {
                let function = self.function(&frames[at..], call);
                Source { file: frame.file.clone(), line: i64::from(frame.line), function }
            }
            _ => self.source(call, name),
        }
    }

    /// The position of a call without arguments that begins a construct.
    pub fn source_of_begin(&self, call: u64, name: &str) -> Source {
        if self.has_line(call) { self.source(call, name) } else { self.source_after(call, name, false) }
    }

    /// Which of these frames calls a barrier: the innermost, or, where what is inlined there began before the call and only left
    /// its line behind, the function itself.
    fn caller_of_barrier(&self, call: u64, frames: &[Frame]) -> usize {
        if self.has_line(call) { innermost(frames) } else { frames.len().saturating_sub(1) }
    }

    /// Whether a call without arguments has a line of its own: then a statement begins with it. What other compilers than GCC make always
    /// has one.
    fn has_line(&self, call: u64) -> bool {
        /// Bytes of a call by way of a table, the longest there is.
        const CALL: u64 = 6;
        let by_gcc = self.dwarf.as_ref().filter(|dwarf| dwarf.is_by_gcc(call));
        by_gcc.is_none_or(|dwarf| dwarf.has_statement(call.saturating_sub(CALL - 1)..=call))
    }

    /// The first line of a function behind one of its lines. At the end of a loop a program goes back to the line that the loop
    /// begins with, and on from there.
    fn line_behind(&self, address: u64, frame: &Frame, line: u32) -> Option<u32> {
        let symbols = self.symbols.get_or_init(|| self.symbols());
        let after = symbols.partition_point(|symbol| symbol.address <= address);
        let symbol = symbols[..after].last().filter(|symbol| address - symbol.address < symbol.size)?;
        let code = symbol.address..symbol.address.checked_add(symbol.size)?;
        self.dwarf.as_ref()?.line_behind(code, frame, line)
    }

    /// What runs if the result of a call says so: the statement to which the program goes then, or the next one where what comes
    /// behind the call is not understood.
    pub fn source_of_body(&self, call: u64, name: &str) -> Source {
        let chosen = self.code(call + 1).and_then(|code| chosen(code, call + 1));
        // Something may stand between test and jump. Nearly always what is chosen comes next then.
        let Some(body) = chosen else { return self.source_after(call, name, false) };
        let here = self.source(call, name);
        let Some(dwarf) = &self.dwarf else { return here };
        let calling = dwarf.frames(call).pop().unwrap_or_default();
        let is_own = |frame: &Frame| frame.function == calling.function && frame.line != 0;
        let at = |address: u64| {
            let mut frames = dwarf.frames(address);
            let is_left_over = frames.len() == 1 && dwarf.left_over(address, &frames[0]).is_some();
            frames.pop().filter(|frame| is_own(frame) && !is_left_over)
        };
        match dwarf.statements_from(body).into_iter().find_map(at) {
            Some(frame) => Source { file: frame.file, line: i64::from(frame.line), ..here },
            None => here,
        }
    }

    /// The first bytes of code at an address.
    fn code(&self, address: u64) -> Option<&[u8]> {
        if self.elf.architecture() != Architecture::X86_64 {
            return None;
        }
        // A test and a jump.
        const MOST: u64 = 9;
        self.elf.sections().find_map(|section| section.data_range(address, MOST).ok()?)
    }

    /// The functions at an address, outermost first, each with the next inlined into it.
    pub fn called(&self, address: u64, path: &str) -> Vec<Called> {
        let frames = self.dwarf.as_ref().map(|dwarf| dwarf.frames(address)).unwrap_or_default();
        let module = || path.to_owned();
        if frames.is_empty() {
            return vec![Called { function: self.symbol(address), module: module(), ..Called::default() }];
        }
        let called = |at: usize| Called {
            function: with_lambda(self.function(&frames[at..], address), &frames[at]),
            file: frames[at].file.clone(),
            line: i64::from(frames[at].line),
            declared: i64::from(frames[at].declared),
            module: module(),
        };
        (0..frames.len()).rev().map(called).collect()
    }

    /// The function that an address lies in, whatever is inlined there: by its symbol, else as debug information has it.
    pub fn outermost(&self, address: u64) -> String {
        let symbol = self.symbol(address);
        if !symbol.is_empty() {
            return symbol;
        }
        let frames = self.dwarf.as_ref().map(|dwarf| dwarf.frames(address)).unwrap_or_default();
        frames.last().map(|frame| self.function(std::slice::from_ref(frame), address)).unwrap_or_default()
    }

    /// The position of a function that begins at an address.
    pub fn entry_source(&self, address: u64, name: &str) -> Source {
        let Some(dwarf) = &self.dwarf else { return self.source(address, name) };
        let mut frames = dwarf.frames(address);
        // The function itself, not what is inlined at its beginning.
        let Some(mut frame) = frames.pop().filter(|frame| !frame.file.is_empty()) else {
            return self.source(address, name);
        };
        frame.line = dwarf.entry_line(address).unwrap_or(frame.line);
        let (file, line) = (frame.file.clone(), i64::from(frame.line));
        Source { file, line, function: self.function(&[frame], address) }
    }

    /// The user's function of the first of these frames, each inlined into the next. What a compiler made of a task, and
    /// a lambda, may have no name of their own: then it is the function that is around the line.
    fn function(&self, frames: &[Frame], address: u64) -> String {
        let Some(name) = frames[0].function.as_deref() else { return self.symbol(address) };
        // Short debug information has `work<i32>` where the symbol says `sample::Thing::work`.
        let stem = name.split('<').next().unwrap_or(name);
        let symbol = Some(self.symbol(address))
            .filter(|symbol| frames.len() == 1 && (stem == names::LAMBDA || symbol.contains(stem)));
        let around = || Some(names::readable(&self.dwarf.as_ref()?.function_around(address, &frames[0])?));
        symbol
            .and_then(|symbol| names::users(&symbol))
            .or_else(|| names::users(name))
            .or_else(around)
            .unwrap_or_else(|| names::readable(name))
    }

    /// The function in the symbol tables, "" when there is none.
    fn symbol(&self, address: u64) -> String {
        let symbols = self.symbols.get_or_init(|| self.symbols());
        let after = symbols.partition_point(|symbol| symbol.address <= address);
        let Some(symbol) = symbols[..after].last() else { return String::new() };
        if symbol.size != 0 && address - symbol.address >= symbol.size {
            return String::new();
        }
        let name = self.name(symbol.name).unwrap_or_default();
        names::users(&name).unwrap_or_else(|| names::readable(&name))
    }

    /// The variable that an address lies in, "" when there is none.
    pub fn variable(&self, address: u64) -> String {
        let variables = self.variables.get_or_init(|| self.definitions(SymbolKind::Data));
        let after = variables.partition_point(|symbol| symbol.address <= address);
        let found = variables[..after].last().filter(|symbol| address - symbol.address < symbol.size);
        found.and_then(|symbol| self.name(symbol.name)).unwrap_or_default()
    }

    /// All functions with an address, by address.
    fn symbols(&self) -> Vec<Symbol> {
        self.definitions(SymbolKind::Text)
    }

    /// All symbols of a kind with an address, by address.
    fn definitions(&self, kind: SymbolKind) -> Vec<Symbol> {
        let debug = self.debug_elf.iter().flat_map(|elf| elf.symbols().map(|s| (Name::Debug(s.index()), s)));
        let own = self.elf.symbols().map(|s| (Name::Own(s.index()), s));
        let dynamic = self.elf.dynamic_symbols().map(|s| (Name::OwnDynamic(s.index()), s));
        let mut symbols: Vec<Symbol> = own
            .chain(dynamic)
            .chain(debug)
            .filter(|(_, symbol)| symbol.is_definition() && symbol.kind() == kind)
            .map(|(name, symbol)| Symbol { address: symbol.address(), size: symbol.size(), name })
            .collect();
        // The last of those at an address is found: one that has a size.
        symbols.sort_by_key(|symbol| (symbol.address, symbol.size));
        symbols
    }

    fn name(&self, name: Name) -> Option<String> {
        let text = match name {
            Name::Own(index) => self.elf.symbol_by_index(index).ok()?.name_bytes().ok()?,
            Name::OwnDynamic(index) => {
                use object::ObjectSymbolTable;
                self.elf.dynamic_symbol_table()?.symbol_by_index(index).ok()?.name_bytes().ok()?
            }
            Name::Debug(index) => self.debug_elf.as_ref()?.symbol_by_index(index).ok()?.name_bytes().ok()?,
        };
        Some(String::from_utf8_lossy(text).into_owned())
    }
}

/// The innermost frame that is the user's.
fn innermost(frames: &[Frame]) -> usize {
    frames.iter().position(|frame| !is_own(&frame.file)).unwrap_or(0)
}

/// The next statement of the function itself behind a call, with what it calls inlined or not, where the frame of the call has only
/// the line of what was inlined before: one in another file, or in the same file one at another line than that.
fn own_statement(dwarf: &Dwarf<'_>, call: u64, than: &Frame, before: &Frame) -> Option<Frame> {
    let statements = dwarf.statements_from(call + 1);
    let next = |is_another: &dyn Fn(&Frame) -> bool| {
        let outermost = statements.iter().filter_map(|&address| dwarf.frames(address).pop());
        let mut own = outermost.filter(|frame| frame.function == than.function && frame.line != 0);
        own.find(is_another)
    };
    let is_same = before.line == than.line;
    next(&|frame| frame.file != than.file).or_else(|| next(&|frame| is_same && frame.line != than.line))
}

/// Where a program goes behind a call of libgomp that chose it to run a construct: `GOMP_single_start` says so by what is not
/// 0, `GOMP_single_copy_start` by 0. What compilers make of that is a test of the result and a jump.
fn chosen(code: &[u8], at: u64) -> Option<u64> {
    let (by_zero, jump) = match code {
        [0x84, 0xc0, jump @ ..] => (false, jump),
        [0x48, 0x85, 0xc0, jump @ ..] => (true, jump),
        // Compared with 1.
        [0x3c, 0x01, jump @ ..] => (true, jump),
        _ => return None,
    };
    let from = at + (code.len() - jump.len()) as u64;
    let (if_zero, length, distance) = match *jump {
        [0x74, near, ..] => (true, 2, i64::from(near as i8)),
        [0x75, near, ..] => (false, 2, i64::from(near as i8)),
        [0x0f, 0x84, a, b, c, d, ..] => (true, 6, i64::from(i32::from_le_bytes([a, b, c, d]))),
        [0x0f, 0x85, a, b, c, d, ..] => (false, 6, i64::from(i32::from_le_bytes([a, b, c, d]))),
        _ => return None,
    };
    let next = from + length;
    if if_zero == by_zero { next.checked_add_signed(distance) } else { Some(next) }
}

/// Whether a file belongs to Crosscut.
fn is_own(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    OWN_FILES.contains(&name) || OWN_FOLDERS.iter().any(|folder| file.contains(folder))
}

/// The body of a lambda that has only the name of the function around it is not called as that function is.
fn with_lambda(function: String, frame: &Frame) -> String {
    let is_lambda = frame.function.as_deref() == Some(names::LAMBDA);
    if !is_lambda || function == names::LAMBDA || function.contains("lambda") {
        return function;
    }
    format!("{function}::{{lambda}}")
}
