//! Checksums of blocks. A part that is larger than one block has, beside its own checksum, one for every block of
//! [`BLOCK`] bytes, so that a large run can be shown at once and checked piece by piece, what is looked at first.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::manifest::Part;
use crate::mapped;
use crate::read::{CHANGED, Damage, Run};

/// Bytes per block.
pub const BLOCK: u64 = 4 << 20;

/// Hexadecimal digits of a checksum.
const DIGITS: usize = 16;

/// The checksum of a file and those of its blocks, from one pass over its bytes.
pub struct Hashes {
    whole: Xxh3,
    block: Xxh3,
    /// Bytes in the present block.
    filled: u64,
    blocks: String,
}

impl Hashes {
    pub fn new() -> Self {
        Hashes { whole: Xxh3::new(), block: Xxh3::new(), filled: 0, blocks: String::new() }
    }

    pub fn update(&mut self, mut bytes: &[u8]) {
        self.whole.update(bytes);
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(bytes.len().min((BLOCK - self.filled) as usize));
            self.block.update(now);
            self.filled += now.len() as u64;
            if self.filled == BLOCK {
                self.end_block();
            }
            bytes = rest;
        }
    }

    fn end_block(&mut self) {
        self.blocks.push_str(&format!("{:016x}", self.block.digest()));
        self.block.reset();
        self.filled = 0;
    }

    /// The checksum of the whole, and those of the blocks unless it is but one.
    pub fn finish(mut self) -> (String, Option<String>) {
        if self.filled > 0 {
            self.end_block();
        }
        let blocks = Some(self.blocks).filter(|blocks| blocks.len() > DIGITS);
        (format!("{:016x}", self.whole.digest()), blocks)
    }
}

/// The checksums of a part's blocks, in order; that of the whole if it is but one. None of a part that was written before
/// there were any, or whose list does not fit its size.
fn listed(part: &Part) -> Option<Vec<&str>> {
    if part.bytes <= BLOCK {
        return Some(vec![&part.hash]);
    }
    let text = part.blocks.as_deref()?;
    let hashes: Vec<&str> =
        (0..text.len()).step_by(DIGITS).map_while(|at| text.get(at..at + DIGITS)).collect();
    (hashes.len() as u64 == part.bytes.div_ceil(BLOCK)).then_some(hashes)
}

/// A check of a large run that goes on while it is shown. [`BlockCheck::step`] looks at one block after the other, those
/// that somebody has looked at by now before all others.
#[derive(Debug)]
pub struct BlockCheck<'a> {
    run: &'a Run,
    /// Parts that are not through.
    parts: Vec<Open>,
    buffer: Vec<u8>,
    /// Steps until it is found out again what was looked at.
    until_look: usize,
    damages: Vec<Damage>,
}

#[derive(Debug)]
struct Open {
    name: String,
    file: File,
    bytes: u64,
    hashes: Vec<String>,
    /// Blocks that are left, the next one last.
    left: Vec<u64>,
}

/// Blocks that are checked before it is found out again what was looked at: 64 MiB take some ten milliseconds.
const STEPS: usize = 16;

impl<'a> BlockCheck<'a> {
    /// Begins. A part whose file cannot be opened or has another size is damaged already; one without checksums of blocks
    /// is checked whole.
    pub fn new(run: &'a Run) -> Self {
        let mut check =
            BlockCheck { run, parts: Vec::new(), buffer: Vec::new(), until_look: 0, damages: Vec::new() };
        for (name, part) in run.manifest().all_parts() {
            let Some(hashes) = listed(part) else {
                check.damages.extend(run.damage_of(&name, part));
                continue;
            };
            match run.open_sized(&name, part) {
                Err(why) => check.damages.push(Damage { file: part.file(&name), part: name, why }),
                Ok(file) => check.parts.push(Open {
                    left: (0..hashes.len() as u64).rev().collect(),
                    hashes: hashes.into_iter().map(str::to_owned).collect(),
                    bytes: part.bytes,
                    name,
                    file,
                }),
            }
        }
        check
    }

    /// What was found so far.
    pub fn damages(&self) -> &[Damage] {
        &self.damages
    }

    /// Checks one more block; false when all are through.
    pub fn step(&mut self) -> bool {
        if self.until_look == 0 {
            self.look();
            self.until_look = STEPS;
        }
        self.until_look -= 1;
        let Some(part) = self.parts.last_mut() else { return false };
        if let Some(block) = part.left.pop() {
            let at = block * BLOCK;
            self.buffer.resize((part.bytes - at).min(BLOCK) as usize, 0);
            let why = match part.file.read_exact_at(&mut self.buffer, at) {
                Err(error) => Some(unread(at, &error)),
                Ok(()) => (format!("{:016x}", xxh3_64(&self.buffer)) != part.hashes[block as usize])
                    .then(|| format!("{CHANGED} (from byte {at} on)")),
            };
            if let Some(why) = why {
                let file =
                    self.run.manifest().part(&part.name).map_or_else(String::new, |p| p.file(&part.name));
                self.damages.push(Damage { part: part.name.clone(), file, why });
                part.left.clear(); // one is enough to say that the part is damaged
            }
        }
        if part.left.is_empty() {
            self.parts.pop();
        }
        !self.parts.is_empty()
    }

    /// Puts what was looked at in front: of each part the blocks of which pages are mapped by now, then parts that have any.
    fn look(&mut self) {
        let path = self.run.path();
        for part in &mut self.parts {
            let Some(about) = self.run.manifest().part(&part.name) else { continue };
            let seen = mapped::seen(&path.join(about.file(&part.name)), BLOCK);
            let is_seen = |block: u64| seen.get(block as usize).copied().unwrap_or(false);
            part.left.sort_unstable_by_key(|&block| (is_seen(block), std::cmp::Reverse(block)));
        }
        let next_is_seen = |part: &Open| {
            let file = self.run.manifest().part(&part.name).map(|about| path.join(about.file(&part.name)));
            let seen = file.map(|file| mapped::seen(&file, BLOCK)).unwrap_or_default();
            part.left.last().is_some_and(|&block| seen.get(block as usize).copied().unwrap_or(false))
        };
        self.parts.sort_by_cached_key(next_is_seen);
    }

    /// The part and the block that come next, for tests.
    #[doc(hidden)]
    pub fn upcoming(&mut self) -> Option<(String, u64)> {
        self.look();
        self.parts.last().and_then(|part| Some((part.name.clone(), *part.left.last()?)))
    }
}

fn unread(at: u64, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => format!("it ends before byte {at}"),
        _ => error.to_string(),
    }
}
