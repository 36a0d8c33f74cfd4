//! The debug information of a module: in the module itself, in a file of its own that the build id or a link names, in
//! part in a file that several share (dwz), or beside the objects that the compiler made (split DWARF).
//!
//! Files are read, never mapped: a program may be built anew at any moment, and a map of a file that is cut short ends
//! the process that looks at it.

use std::borrow::Cow;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use addr2line::{Context, LookupContinuation, LookupResult, SplitDwarfLoad};
use crosscut_run::{plain, unpack};
use gimli::{AttributeValue, DebuggingInformationEntry, EndianSlice, Reader, RunTimeEndian, UnitRef};
use object::read::ReadCache;
use object::{Object, ObjectSection};
use typed_arena::Arena;

/// Where distributions put the debug information of their programs.
const DEBUG_FOLDER: &str = "/usr/lib/debug";

/// An ELF file whose parts are read when they are asked for.
pub type Elf<'a> = object::File<'a, &'a ReadCache<File>>;
type Slice<'a> = EndianSlice<'a, RunTimeEndian>;

/// What was read of a module and its debug files; everything else borrows from it.
#[derive(Default)]
pub struct Store {
    files: Arena<ReadCache<File>>,
    unpacked: Arena<Vec<u8>>,
}

impl Store {
    /// Opens an ELF file.
    pub fn open(&self, path: &Path) -> Result<Elf<'_>, String> {
        let file = plain::open(path).map_err(|error| error.to_string())?;
        let file: &ReadCache<File> = self.files.alloc(ReadCache::new(file));
        Elf::parse(file).map_err(|error| error.to_string())
    }

    /// A section, empty when it is not there or damaged.
    fn section<'a>(&'a self, elf: &Elf<'a>, name: Option<&str>) -> Slice<'a> {
        let section = name.and_then(|name| elf.section_by_name(name));
        let bytes = match section.and_then(unpacked) {
            Some(Cow::Borrowed(bytes)) => bytes,
            Some(Cow::Owned(bytes)) => self.unpacked.alloc(bytes),
            None => &[],
        };
        let endian = if elf.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        Slice::new(bytes, endian)
    }

    fn dwarf<'a>(&'a self, elf: &Elf<'a>) -> Option<gimli::Dwarf<Slice<'a>>> {
        gimli::Dwarf::load(|id| gimli::Result::Ok(self.section(elf, Some(id.name())))).ok()
    }
}

/// The bytes of a section, unpacked where it is packed; none of what becomes larger than any.
fn unpacked<'a>(section: impl ObjectSection<'a>) -> Option<Cow<'a, [u8]>> {
    let data = section.compressed_data().ok()?;
    let packed = data.data.len() as u64;
    (data.uncompressed_size <= unpack::most(packed)).then(|| data.decompress().ok())?
}

/// A function at an address.
#[derive(Debug, Default)]
pub struct Frame {
    /// The compiler's name for it.
    pub function: Option<String>,
    /// Its source file, "" when not known.
    pub file: String,
    /// The line, 0 when not known.
    pub line: u32,
    /// The line at which the function is declared, 0 when not known.
    pub declared: u32,
    /// The file of the function that is not inlined, as the unit numbers it.
    outermost_file: Option<u64>,
}

/// The debug information of a module.
pub struct Dwarf<'a> {
    store: &'a Store,
    context: Context<Slice<'a>>,
    package: Option<gimli::DwarfPackage<Slice<'a>>>,
}

impl<'a> Dwarf<'a> {
    /// Finds and loads the debug information of a module, and the file in which it is when that is another one.
    pub fn find(store: &'a Store, path: &Path, elf: &Elf<'a>) -> (Option<Elf<'a>>, Option<Self>) {
        if elf.section_by_name(".debug_info").is_some() {
            return (None, Self::load(store, path, elf));
        }
        let found = debug_files(path, elf).into_iter().find_map(|path| {
            let debug = store.open(&path).ok()?;
            // Of another build it would be worse than none.
            let same = elf.build_id().ok().flatten() == debug.build_id().ok().flatten();
            same.then_some((path, debug))
        });
        match found {
            None => (None, None),
            Some((path, debug)) => {
                let dwarf = Self::load(store, &path, &debug);
                (Some(debug), dwarf)
            }
        }
    }

    fn load(store: &'a Store, path: &Path, elf: &Elf<'a>) -> Option<Self> {
        let mut dwarf = store.dwarf(elf)?;
        if let Some(shared) = shared_file(store, path, elf).and_then(|shared| store.dwarf(&shared)) {
            dwarf.set_sup(shared);
        }
        dwarf.populate_abbreviations_cache(gimli::AbbreviationsCacheStrategy::Duplicates);
        let context = Context::from_dwarf(dwarf).ok()?;
        let mut package = path.as_os_str().to_owned();
        package.push(".dwp");
        let package = store.open(Path::new(&package)).ok().and_then(|elf| {
            let section = |id: gimli::SectionId| gimli::Result::Ok(store.section(&elf, id.dwo_name()));
            gimli::DwarfPackage::load(section, store.section(&elf, None)).ok()
        });
        Some(Dwarf { store, context, package })
    }

    /// The functions at an address, each inlined into the next. Damage ends the list.
    pub fn frames(&self, address: u64) -> Vec<Frame> {
        let mut frames = Vec::new();
        let Ok(mut found) = self.finish(self.context.find_frames(address)) else { return frames };
        let mut entries = Vec::new();
        while let Ok(Some(frame)) = found.next() {
            entries.push(frame.dw_die_offset);
            let function = frame.function.and_then(|name| Some(name.raw_name().ok()?.into_owned()));
            let location = frame.location.as_ref();
            frames.push(Frame {
                function,
                file: location.and_then(|l| l.file).unwrap_or_default().to_owned(),
                line: location.and_then(|l| l.line).unwrap_or(0),
                declared: 0,
                outermost_file: None,
            });
        }
        let Some(unit) = self.finish(self.context.find_dwarf_and_unit(address)) else { return frames };
        let outermost = entries.last().copied().flatten();
        let file = outermost
            .and_then(|entry| file_index(unit.entry(entry).ok()?.attr_value(gimli::DW_AT_decl_file)?));
        for (frame, entry) in frames.iter_mut().zip(entries) {
            frame.outermost_file = file;
            frame.declared = entry.and_then(|entry| declared(&unit, entry)).unwrap_or(0);
        }
        frames
    }

    /// The line of a function that begins at an address: that of its first row there. What was inlined at its very beginning
    /// has rows of its own at the same address, behind it.
    pub fn entry_line(&self, address: u64) -> Option<u32> {
        let unit = self.finish(self.context.find_dwarf_and_unit(address))?;
        let mut rows = unit.line_program.clone()?.rows();
        while let Ok(Some((_, row))) = rows.next_row() {
            if row.address() == address && row.is_stmt() && !row.end_sequence() {
                return u32::try_from(row.line()?.get()).ok();
            }
        }
        None
    }

    /// Where statements begin near an address, from there on, and the address itself. What a region leaves to do, such as
    /// adding up what its members found, takes a few instructions.
    pub fn statements_from(&self, address: u64) -> Vec<u64> {
        const NEAR: u64 = 128;
        let mut found = vec![address];
        let program = self.finish(self.context.find_dwarf_and_unit(address));
        let Some(program) = program.and_then(|unit| unit.line_program.clone()) else { return found };
        let mut rows = program.rows();
        while let Ok(Some((_, row))) = rows.next_row() {
            let is_near = (address..address.saturating_add(NEAR)).contains(&row.address());
            if is_near && row.is_stmt() && !row.end_sequence() {
                found.push(row.address());
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Lines whose statements begin at an address, in the file of the code at another one, in their order. Where a function is inlined,
    /// GCC first has the line that calls it, and then its own, before what is inlined begins.
    pub fn lines_at(&self, address: u64, like: u64) -> Vec<u32> {
        let unit = self.finish(self.context.find_dwarf_and_unit(address));
        let Some(program) = unit.and_then(|unit| unit.line_program.clone()) else { return Vec::new() };
        let mut found: Vec<(u64, u32)> = Vec::new();
        let mut file = (0, None);
        let mut rows = program.rows();
        while let Ok(Some((_, row))) = rows.next_row() {
            if (file.0..=like).contains(&row.address()) && !row.end_sequence() {
                file = (row.address(), Some(row.file_index()));
            }
            if row.address() == address && row.is_stmt() && !row.end_sequence() {
                let line = row.line().and_then(|line| u32::try_from(line.get()).ok());
                found.extend(line.map(|line| (row.file_index(), line)));
            }
        }
        found.into_iter().filter(|found| Some(found.0) == file.1).map(|found| found.1).collect()
    }

    /// The first line behind another one of a frame's file of which there is a statement in a stretch of code.
    pub fn line_behind(&self, code: std::ops::Range<u64>, frame: &Frame, before: u32) -> Option<u32> {
        let unit = self.finish(self.context.find_dwarf_and_unit(code.start))?;
        let mut found: Vec<(u32, u64)> = Vec::new();
        let mut rows = unit.line_program.clone()?.rows();
        while let Ok(Some((_, row))) = rows.next_row() {
            let line = row.line().and_then(|line| u32::try_from(line.get()).ok());
            if code.contains(&row.address())
                && row.is_stmt()
                && !row.end_sequence()
                && let Some(line) = line.filter(|&line| line > before)
            {
                found.push((line, row.address()));
            }
        }
        found.sort_unstable();
        let is_there = |address: u64| {
            let innermost = self.frames(address).into_iter().next();
            innermost.is_some_and(|at| (at.file, at.function) == (frame.file.clone(), frame.function.clone()))
        };
        found.into_iter().find(|&(_, address)| is_there(address)).map(|(line, _)| line)
    }

    /// What is inlined right before an address that no inlined function is at, where the line there is that of it: compilers give no
    /// line to some calls of runtimes, and leave that of whatever stands before them.
    pub fn left_over(&self, address: u64, frame: &Frame) -> Option<Frame> {
        let mut inlined = self.frames(self.row_of(address)?.checked_sub(1)?);
        let is_left = inlined.len() > 1 && inlined.first().is_some_and(|inner| inner.file == frame.file);
        is_left.then(|| inlined.swap_remove(0))
    }

    /// Whether a statement begins in a stretch of code.
    pub fn has_statement(&self, code: std::ops::RangeInclusive<u64>) -> bool {
        let unit = self.finish(self.context.find_dwarf_and_unit(*code.end()));
        let Some(program) = unit.and_then(|unit| unit.line_program.clone()) else { return false };
        let mut rows = program.rows();
        while let Ok(Some((_, row))) = rows.next_row() {
            if code.contains(&row.address()) && row.is_stmt() && !row.end_sequence() {
                return true;
            }
        }
        false
    }

    /// Whether the code at an address was made by GCC.
    pub fn is_by_gcc(&self, address: u64) -> bool {
        let producer = || {
            let unit = self.finish(self.context.find_dwarf_and_unit(address))?;
            let mut entries = unit.entries();
            let root = entries.next_dfs().ok()??;
            let name = unit.attr_string(root.attr_value(gimli::DW_AT_producer)?).ok()?;
            Some(name.to_string_lossy().starts_with("GNU"))
        };
        producer().unwrap_or(false)
    }

    /// Where the row of an address begins.
    fn row_of(&self, address: u64) -> Option<u64> {
        let unit = self.finish(self.context.find_dwarf_and_unit(address))?;
        let mut rows = unit.line_program.clone()?.rows();
        let mut last = None;
        while let Ok(Some((_, row))) = rows.next_row() {
            if row.address() <= address && !row.end_sequence() {
                last = last.max(Some(row.address()));
            }
        }
        last
    }

    /// The compiler's name of the function whose text a line is in: the last that begins before it in the same file.
    /// The function is in the unit of `address`, as all that was made of its tasks is.
    pub fn function_around(&self, address: u64, frame: &Frame) -> Option<String> {
        let unit = self.finish(self.context.find_dwarf_and_unit(address))?;
        let mut entries = unit.entries();
        let mut best: Option<(u64, String)> = None;
        while let Ok(Some(entry)) = entries.next_dfs() {
            let made_or_elsewhere = [gimli::DW_AT_artificial, gimli::DW_AT_declaration]
                .iter()
                .any(|&attr| entry.attr(attr).is_some());
            if entry.tag() != gimli::DW_TAG_subprogram || made_or_elsewhere {
                continue;
            }
            let Some((begins, name)) = function_entry(&unit, entry, frame) else { continue };
            if begins <= u64::from(frame.line) && best.as_ref().is_none_or(|&(last, _)| last <= begins) {
                best = Some((begins, name));
            }
        }
        best.map(|(_, name)| name)
    }

    /// Brings in split DWARF for as long as a question needs it.
    fn finish<L>(&self, mut question: LookupResult<L>) -> L::Output
    where
        L: LookupContinuation<Buf = Slice<'a>>,
    {
        loop {
            question = match question {
                LookupResult::Output(answer) => return answer,
                LookupResult::Load { load, continuation } => continuation.resume(self.split(&load)),
            };
        }
    }

    fn split(&self, load: &SplitDwarfLoad<Slice<'a>>) -> Option<Arc<gimli::Dwarf<Slice<'a>>>> {
        let packed = |package: &gimli::DwarfPackage<_>| package.find_cu(load.dwo_id, &load.parent).ok()?;
        if let Some(unit) = self.package.as_ref().and_then(packed) {
            return Some(Arc::new(unit));
        }
        let path = |part: &Slice<'a>| PathBuf::from(std::ffi::OsStr::from_bytes(part.slice()));
        let path = load.comp_dir.as_ref().map(path).unwrap_or_default().join(path(load.path.as_ref()?));
        let elf = self.store.open(&path).ok()?;
        let section = |id: gimli::SectionId| gimli::Result::Ok(self.store.section(&elf, id.dwo_name()));
        let mut dwarf = gimli::Dwarf::load(section).ok()?;
        let header = dwarf.units().next().ok()??;
        if dwarf.unit(header).ok()?.dwo_id != Some(load.dwo_id) {
            return None;
        }
        dwarf.make_dwo(&load.parent);
        Some(Arc::new(dwarf))
    }
}

/// The files that may hold the debug information of a module, as gdb looks for them.
fn debug_files(path: &Path, elf: &Elf<'_>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    if let Ok(Some([first, rest @ ..])) = elf.build_id() {
        let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
        files.push(Path::new(DEBUG_FOLDER).join(format!(".build-id/{first:02x}/{rest}.debug")));
    }
    if let (Ok(Some((name, _))), Some(folder)) = (elf.gnu_debuglink(), path.parent()) {
        let name = Path::new(std::ffi::OsStr::from_bytes(name));
        let below = folder.strip_prefix("/").unwrap_or(folder);
        files.extend([
            folder.join(name),
            folder.join(".debug").join(name),
            Path::new(DEBUG_FOLDER).join(below).join(name),
        ]);
    }
    files
}

/// The file with what several files of debug information have in common.
fn shared_file<'a>(store: &'a Store, path: &Path, elf: &Elf<'a>) -> Option<Elf<'a>> {
    let (name, build_id) = elf.gnu_debugaltlink().ok()??;
    let path = path.parent()?.join(std::ffi::OsStr::from_bytes(name));
    let shared = store.open(&path).ok()?;
    (shared.build_id().ok()? == Some(build_id)).then_some(shared)
}

/// The line at which a function is declared. A copy of it leaves that to the one that it was made of, and that perhaps to its
/// declaration.
fn declared<R: Reader<Offset = usize>>(
    unit: &UnitRef<'_, R>,
    mut at: gimli::UnitOffset<usize>,
) -> Option<u32> {
    const LINKS: usize = 4;
    for _ in 0..LINKS {
        let entry = unit.entry(at).ok()?;
        if let Some(line) = entry.attr_value(gimli::DW_AT_decl_line) {
            return u32::try_from(line.udata_value()?).ok();
        }
        let origin = entry
            .attr_value(gimli::DW_AT_abstract_origin)
            .or_else(|| entry.attr_value(gimli::DW_AT_specification))?;
        let AttributeValue::UnitRef(origin) = origin else { return None };
        at = origin;
    }
    None
}

fn file_index<R: Reader>(value: AttributeValue<R>) -> Option<u64> {
    match value {
        AttributeValue::FileIndex(index) => Some(index),
        value => value.udata_value(),
    }
}

/// The line at which a function begins and its name, if it is in the frame's file. An entry may leave both to the one
/// that it completes.
fn function_entry<R: Reader<Offset = usize>>(
    unit: &UnitRef<'_, R>,
    entry: &DebuggingInformationEntry<R>,
    frame: &Frame,
) -> Option<(u64, String)> {
    let declared = match entry.attr_value(gimli::DW_AT_specification) {
        Some(AttributeValue::UnitRef(offset)) => unit.entry(offset).ok(),
        _ => None,
    };
    let value = |attr| entry.attr_value(attr).or_else(|| declared.as_ref()?.attr_value(attr));
    let line = value(gimli::DW_AT_decl_line)?.udata_value()?;
    let index = file_index(value(gimli::DW_AT_decl_file)?)?;
    let same = match &unit.line_program {
        Some(program) => {
            let file = unit.attr_string(program.header().file(index)?.path_name()).ok()?;
            Path::new(&frame.file).ends_with(file.to_string_lossy().ok()?.as_ref())
        }
        // Split DWARF: the names of files are elsewhere.
        None => frame.outermost_file == Some(index),
    };
    let name = value(gimli::DW_AT_linkage_name).or_else(|| value(gimli::DW_AT_name)).filter(|_| same)?;
    let name = unit.attr_string(name).ok()?.to_string_lossy().ok()?.into_owned();
    (name != super::names::LAMBDA).then_some((line, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF file for x86-64 with a section `.debug_str` that is packed by zlib and says how large it becomes.
    fn elf(size: u64, packed: &[u8]) -> Vec<u8> {
        const HEADER: u64 = 64;
        let names = b"\0.debug_str\0.shstrtab\0";
        let body = [&1u64.to_le_bytes()[..], &size.to_le_bytes(), &1u64.to_le_bytes(), packed].concat();
        let at_names = HEADER + body.len() as u64;
        let at_sections = at_names + names.len() as u64;
        let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
        let halves = |bytes: &mut Vec<u8>, values: &[u16]| {
            values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        };
        // An object for x86-64, version 1; no entry, no segments; then where the sections are, and of what sizes.
        halves(&mut bytes, &[1, 62, 1, 0]);
        [0, 0, at_sections].iter().for_each(|value| bytes.extend(u64::to_le_bytes(*value)));
        halves(&mut bytes, &[0, 0, 64, 0, 0, 64, 3, 2]);
        bytes.extend(body.iter().chain(names));
        let mut section = |name: u32, kind: u32, flags: u64, at: u64, len: usize| {
            bytes.extend([name.to_le_bytes(), kind.to_le_bytes()].concat());
            [flags, 0, at, len as u64, 0, 1, 0]
                .iter()
                .for_each(|value| bytes.extend(u64::to_le_bytes(*value)));
        };
        section(0, 0, 0, 0, 0);
        section(1, 1, 0x800, HEADER, body.len());
        section(12, 3, 0, at_names, names.len());
        bytes
    }

    /// What zlib makes of a few bytes that it cannot make smaller.
    fn stored(bytes: &[u8]) -> Vec<u8> {
        let (a, b) = bytes.iter().fold((1u32, 0u32), |(a, b), &byte| {
            let a = (a + u32::from(byte)) % 65_521;
            (a, (b + a) % 65_521)
        });
        let len = bytes.len() as u16;
        let parts: [&[u8]; 5] =
            [&[0x78, 1, 1], &len.to_le_bytes(), &(!len).to_le_bytes(), bytes, &(b << 16 | a).to_be_bytes()];
        parts.concat()
    }

    #[test]
    fn a_section_that_becomes_far_larger_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        let section = |size: u64, packed: &[u8]| {
            std::fs::write(&path, elf(size, packed)).unwrap();
            let store = Store::default();
            let elf = store.open(&path).unwrap();
            store.section(&elf, Some(".debug_str")).slice().to_vec()
        };
        let packed = stored(b"names");
        assert_eq!(section(5, &packed), b"names");
        // Memory is taken for what it says.
        let most = unpack::most(packed.len() as u64);
        assert_eq!(section(most + 1, &packed), b"");
        assert_eq!(section(1 << 60, &packed), b"");
        // And no more than it says.
        assert_eq!(section(4, &packed), b"name");
    }
}
