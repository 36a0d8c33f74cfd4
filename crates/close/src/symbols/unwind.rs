//! Stacks of code without frame pointers: the call frame information of each module says where a function keeps the address
//! that it returns to. What comes in are registers and a copy of the inner end of the stack, as a sample has them; what comes out
//! are return addresses. Where the copy ends, those that frame pointers led to go on. x86-64 only.

use std::path::Path;

use foldhash::HashMap;
use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, Encoding, EndianSlice, Format, LittleEndian, Operation,
    RegisterRule, UnwindContext, UnwindExpression, UnwindSection, X86_64,
};
use object::{Architecture, Object, ObjectSection, ObjectSegment};

use super::dwarf::Store;

/// No stack is followed further.
const DEEPEST: usize = 512;

/// A stack as a sample has it.
#[derive(Clone, Copy, Debug)]
pub struct Stack<'s> {
    /// The instruction that was next.
    pub code: u64,
    /// The stack pointer and the frame pointer.
    pub pointer: u64,
    /// See `pointer`.
    pub frame: u64,
    /// What the stack holds from its pointer on: 0 where that is no address.
    pub words: &'s [u64],
    /// Return addresses by frame pointers, innermost first.
    pub returns: &'s [u64],
}

impl Stack<'_> {
    fn word(&self, address: u64) -> Option<u64> {
        let bytes = address.checked_sub(self.pointer).filter(|bytes| bytes % 8 == 0)?;
        self.words.get(usize::try_from(bytes / 8).ok()?).copied()
    }
}

/// What the end of a frame is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    /// The stack pointer.
    Pointer,
    /// The frame pointer.
    Frame,
    /// The word that lies so far from the frame pointer: of functions that align their stack.
    BesideFrame(i64),
}

/// Where a function at some instruction keeps things: offsets from where its frame ends, which is counted from a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rule {
    from: From,
    end: i64,
    /// The address that it returns to; none at the outermost function.
    returns: Option<i64>,
    /// Where the frame pointer of its caller is, when it has put that away.
    frame: Kept,
}

/// Where a function has put the frame pointer of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    /// It still is the frame pointer.
    Nowhere,
    /// So far from where its frame ends.
    FromEnd(i64),
    /// So far from the frame pointer.
    FromFrame(i64),
}

/// The call frame information of a module.
struct Module {
    /// Offset in the file, size and address of what is loaded.
    segments: Vec<(u64, u64, u64)>,
    frames: (u64, Vec<u8>),
    index: (u64, Vec<u8>),
}

impl Module {
    fn open(path: &str) -> Option<Self> {
        let store = Store::default();
        let elf = store.open(Path::new(path)).ok()?;
        if elf.architecture() != Architecture::X86_64 {
            return None;
        }
        let section = |name: &str| {
            let section = elf.section_by_name(name)?;
            Some((section.address(), section.uncompressed_data().ok()?.into_owned()))
        };
        let segments = elf.segments().filter(|segment| segment.permissions().executable());
        let segments = segments.map(|segment| {
            let (offset, size) = segment.file_range();
            (offset, size, segment.address())
        });
        let segments = segments.collect();
        Some(Module { segments, frames: section(".eh_frame")?, index: section(".eh_frame_hdr")? })
    }

    fn rule(&self, file_offset: u64) -> Option<Rule> {
        let address = self.segments.iter().find_map(|&(offset, size, address)| {
            let inside = file_offset.checked_sub(offset).filter(|&inside| inside < size)?;
            address.checked_add(inside)
        })?;
        let bases = BaseAddresses::default().set_eh_frame(self.frames.0).set_eh_frame_hdr(self.index.0);
        let index = EhFrameHdr::new(&self.index.1, LittleEndian).parse(&bases, 8).ok()?;
        let frames = EhFrame::new(&self.frames.1, LittleEndian);
        let mut context = UnwindContext::new();
        let row = index
            .table()?
            .unwind_info_for_address(&frames, &bases, &mut context, address, EhFrame::cie_from_offset)
            .ok()?;
        let (from, end) = match row.cfa() {
            &CfaRule::RegisterAndOffset { register: X86_64::RSP, offset } => (From::Pointer, offset),
            &CfaRule::RegisterAndOffset { register: X86_64::RBP, offset } => (From::Frame, offset),
            CfaRule::RegisterAndOffset { .. } => return None,
            CfaRule::Expression(expression) => expressed(&operations(expression, &frames)?, address)?,
        };
        let returns = match row.register(X86_64::RA) {
            None | Some(RegisterRule::Undefined | RegisterRule::SameValue) => None,
            Some(RegisterRule::Offset(offset)) => Some(offset),
            Some(_) => return None,
        };
        let frame = match row.register(X86_64::RBP) {
            None | Some(RegisterRule::Undefined | RegisterRule::SameValue) => Kept::Nowhere,
            Some(RegisterRule::Offset(offset)) => Kept::FromEnd(offset),
            Some(RegisterRule::Expression(expression)) => match operations(&expression, &frames)?[..] {
                [Operation::RegisterOffset { register: X86_64::RBP, offset, .. }] => Kept::FromFrame(offset),
                _ => return None,
            },
            Some(_) => return None,
        };
        Some(Rule { from, end, returns, frame })
    }
}

/// The bytes of a section.
type Bytes<'b> = EndianSlice<'b, LittleEndian>;

fn operations<'b>(
    expression: &UnwindExpression<usize>,
    frames: &EhFrame<Bytes<'b>>,
) -> Option<Vec<Operation<Bytes<'b>>>> {
    let expression = expression.get(frames).ok()?;
    let mut operations =
        expression.operations(Encoding { address_size: 8, format: Format::Dwarf32, version: 5 });
    let mut all = Vec::new();
    while let Some(operation) = operations.next().ok()? {
        all.push(operation);
    }
    Some(all)
}

/// The two expressions that compilers and linkers write: of functions that align their stack, and of the table of calls into
/// libraries, whose entries of 16 bytes push a word at their 11th.
fn expressed(operations: &[Operation<Bytes<'_>>], address: u64) -> Option<(From, i64)> {
    use Operation::{Deref, RegisterOffset};
    match operations {
        &[RegisterOffset { register: X86_64::RBP, offset, .. }, Deref { size: 8, .. }] => {
            Some((From::BesideFrame(offset), 0))
        }
        [
            RegisterOffset { register: X86_64::RSP, offset: 8, .. },
            RegisterOffset { register: X86_64::RA, offset: 0, .. },
            Operation::UnsignedConstant { value: 15 },
            Operation::And,
            Operation::UnsignedConstant { value: 11 },
            Operation::Ge,
            Operation::UnsignedConstant { value: 3 },
            Operation::Shl,
            Operation::Plus,
        ] => Some((From::Pointer, if address % 16 >= 11 { 16 } else { 8 })),
        _ => None,
    }
}

/// Says which file the code at an address is of, and where in it.
pub type Locate<'m> = dyn Fn(u64) -> Option<(&'m str, u64)> + 'm;

/// Follows stacks. Modules and what they say of code are looked at once.
#[derive(Default)]
pub struct Unwinder {
    numbers: HashMap<String, usize>,
    modules: Vec<Option<Module>>,
    rules: HashMap<(usize, u64), Option<Rule>>,
}

impl Unwinder {
    /// Where a stack returns to, innermost first, and whether that leads to where the thread began.
    pub fn returns(&mut self, stack: &Stack<'_>, locate: &Locate<'_>) -> (Vec<u64>, bool) {
        let (mut found, mut is_whole) = self.follow(stack, locate);
        if !is_whole {
            // Frame pointers lead on from the outermost that both know; where they know none together, from nowhere.
            let on = match found.last() {
                None => Some(0),
                Some(last) => stack.returns.iter().position(|code| code == last).map(|at| at + 1),
            };
            found.extend(on.and_then(|on| stack.returns.get(on..)).unwrap_or_default());
            is_whole = found.last().is_some_and(|&last| self.is_first(last.wrapping_sub(1), locate));
        }
        (found, is_whole)
    }

    /// Whether a thread begins in the function at this address: by what it says of itself, or as ours.
    fn is_first(&mut self, code: u64, locate: &Locate<'_>) -> bool {
        self.rule(code, locate).is_some_and(|rule| rule.returns.is_none())
            || locate(code).is_some_and(|(path, _)| super::is_own(path))
    }

    /// The return addresses as far as the copy reaches, and whether the outermost is among them.
    fn follow(&mut self, stack: &Stack<'_>, locate: &Locate<'_>) -> (Vec<u64>, bool) {
        let mut found = Vec::new();
        let (mut code, mut pointer, mut frame) = (stack.code, stack.pointer, stack.frame);
        while found.len() < DEEPEST {
            let Some(rule) = self.rule(code, locate) else { return (found, false) };
            let Some(returns) = rule.returns else { return (found, true) };
            let from = match rule.from {
                From::Pointer => Some(pointer),
                From::Frame => Some(frame),
                From::BesideFrame(offset) => stack.word(frame.wrapping_add_signed(offset)),
            };
            // A stack leads outwards.
            let end = from.map(|from| from.wrapping_add_signed(rule.end)).filter(|&end| end > pointer);
            let Some(end) = end else { return (found, false) };
            let next = stack.word(end.wrapping_add_signed(returns));
            let Some(next) = next.filter(|&next| next != 0) else { return (found, false) };
            let kept = match rule.frame {
                Kept::Nowhere => Some(frame),
                Kept::FromEnd(offset) => stack.word(end.wrapping_add_signed(offset)),
                Kept::FromFrame(offset) => stack.word(frame.wrapping_add_signed(offset)),
            };
            let Some(kept) = kept else { return (found, false) };
            frame = kept;
            found.push(next);
            // The call is the instruction before it.
            (code, pointer) = (next - 1, end);
        }
        (found, true)
    }

    fn rule(&mut self, code: u64, locate: &Locate<'_>) -> Option<Rule> {
        let (path, offset) = locate(code)?;
        let number = match self.numbers.get(path) {
            Some(&number) => number,
            None => {
                self.modules.push(Module::open(path));
                self.numbers.insert(path.to_owned(), self.modules.len() - 1);
                self.modules.len() - 1
            }
        };
        let module = self.modules.get(number)?;
        *self.rules.entry((number, offset)).or_insert_with(|| module.as_ref()?.rule(offset))
    }
}
