//! Calls as DUMPI files: one for each rank, and a description. Everything is big-endian; the reader of this format is in
//! `crosscut-import`, which must make of these files the same run.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::MessageOptions;
use super::simulate::{self, Op, Sink, host};
use crate::error::SynthError;

const MAGIC: [u8; 8] = [0xff, 0xaa, 0xdd, 0x44, 0x55, 0x4d, 0x50, 0x49];
const FOOTER_MAGIC: u64 = 0xf007_fee7;
/// Functions that the footer counts.
const COUNTED: usize = 291;
/// The end of all records.
const END: u16 = 293;
/// The version whose files these are.
const VERSION: [u8; 3] = [0, 7, 0];
/// Only wall times stand in the records.
const WALL: u8 = 0x08;
/// A byte, as a type.
const BYTE: i16 = 5;
/// The communicator of all ranks.
const WORLD: i16 = 2;
/// A sum, as an operation.
const SUM: u8 = 3;
/// Sizes of types, by handle, of which only one is used.
const SIZES: [i32; 28] =
    [0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20];
/// A file is written on when so many bytes of it are there: so few are open at once, and little is in memory.
const CHUNK: usize = 64 << 10;
/// Seconds after which the clock of a file begins again.
const WRAP: i64 = 1 << 16;

/// Writes all files.
pub fn write(folder: &Path, options: &MessageOptions, progress: &dyn Fn(u64, u64)) -> Result<(), SynthError> {
    fs::create_dir_all(folder).map_err(|why| failed(folder, why))?;
    let mut files = Files { folder, ranks: Vec::new() };
    for rank in 0..options.ranks {
        let path = files.path(rank);
        File::create_new(&path).map_err(|why| failed(&path, why))?;
        let mut file = RankFile { bytes: MAGIC.to_vec(), before: 0, counts: vec![0; COUNTED] };
        file.bytes.extend([0; 8]);
        files.ranks.push(file);
    }
    simulate::simulate(options, &mut files, progress)?;
    for rank in 0..options.ranks {
        files.close(rank, &format!("node{:05}", host(options, rank)))?;
    }
    let meta = folder.join("synth.meta");
    let text = format!(
        "hostname=node00000\nnumprocs={}\nusername=synth\nstartime=0\nfileprefix=synth\nversion={}\nsubversion={}\n\
         subsubversion={}\n",
        options.ranks, VERSION[0], VERSION[1], VERSION[2]
    );
    fs::write(&meta, text).map_err(|why| failed(&meta, why))
}

fn failed(path: &Path, source: std::io::Error) -> SynthError {
    SynthError::File { path: path.to_owned(), source }
}

struct Files<'a> {
    folder: &'a Path,
    ranks: Vec<RankFile>,
}

/// A file in the making: what is not written yet, and how much is.
struct RankFile {
    bytes: Vec<u8>,
    before: u64,
    counts: Vec<u32>,
}

impl RankFile {
    fn at(&self) -> u64 {
        self.before + self.bytes.len() as u64
    }

    fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn i32(&mut self, number: i64) -> Result<(), SynthError> {
        let number = i32::try_from(number)
            .map_err(|_| SynthError::Number { asked: number, limit: i32::MAX.into() })?;
        self.put(&number.to_be_bytes());
        Ok(())
    }

    fn time(&mut self, time: i64) {
        let seconds = time / 1_000_000_000 % WRAP;
        self.put(&(seconds as u16).to_be_bytes());
        self.put(&((time % 1_000_000_000) as u32).to_be_bytes());
    }

    /// What begins the record of a message: bytes, other rank, tag, communicator.
    fn message(&mut self, bytes: i64, other: u32, tag: i32) -> Result<(), SynthError> {
        self.i32(bytes)?;
        self.put(&BYTE.to_be_bytes());
        self.i32(other.into())?;
        self.i32(tag.into())?;
        self.put(&WORLD.to_be_bytes());
        Ok(())
    }

    fn text(&mut self, text: &str) {
        self.put(&(text.len() as u16).to_be_bytes());
        self.put(text.as_bytes());
    }
}

impl Files<'_> {
    fn path(&self, rank: u32) -> PathBuf {
        self.folder.join(format!("synth-{rank:04}.bin"))
    }

    fn flush(&mut self, rank: u32) -> Result<(), SynthError> {
        let path = self.path(rank);
        let file = &mut self.ranks[rank as usize];
        let written =
            OpenOptions::new().append(true).open(&path).and_then(|mut to| to.write_all(&file.bytes));
        written.map_err(|why| failed(&path, why))?;
        file.before += file.bytes.len() as u64;
        file.bytes.clear();
        Ok(())
    }

    /// What stands behind the records of a rank.
    fn close(&mut self, rank: u32, host: &str) -> Result<(), SynthError> {
        let file = &mut self.ranks[rank as usize];
        file.put(&END.to_be_bytes());
        let header = file.at();
        file.put(&VERSION);
        file.put(&0u64.to_be_bytes());
        file.text(host);
        file.text("synth");
        file.put(&[0; 8]); // no mesh: neither where nor how large
        let footer = file.at();
        file.put(&FOOTER_MAGIC.to_be_bytes());
        let counts: Vec<u8> = file.counts.iter().flat_map(|count| count.to_be_bytes()).collect();
        file.put(&counts);
        file.put(&vec![0; 4 * COUNTED]);
        let keys = file.at();
        file.put(&0u32.to_be_bytes());
        let labels = file.at();
        file.put(&0u32.to_be_bytes());
        let sizes = file.at();
        file.put(&(SIZES.len() as u32).to_be_bytes());
        SIZES.iter().for_each(|size| file.put(&size.to_be_bytes()));
        let addresses = file.at();
        file.put(&0u32.to_be_bytes());
        file.put(&MAGIC);
        for offset in [sizes, addresses, labels, header, MAGIC.len() as u64, footer, keys] {
            file.put(&offset.to_be_bytes());
        }
        self.flush(rank)
    }
}

impl Sink for Files<'_> {
    fn call(&mut self, rank: u32, op: Op, start: i64, end: i64) -> Result<(), SynthError> {
        let file = &mut self.ranks[rank as usize];
        let id: u16 = match op {
            Op::Send { .. } => 0,
            Op::Recv { .. } => 1,
            Op::Isend { .. } => 8,
            Op::Irecv { .. } => 12,
            Op::Waitall { .. } => 18,
            Op::Barrier => 52,
            Op::Allreduce { .. } => 65,
            Op::Init => 124,
            Op::Finalize => 125,
        };
        file.counts[usize::from(id)] += 1;
        file.put(&id.to_be_bytes());
        file.put(&[WALL]);
        file.time(start);
        file.time(end);
        match op {
            Op::Send { to, tag, bytes } => file.message(bytes, to, tag)?,
            Op::Recv { from, tag, bytes } => file.message(bytes, from, tag)?,
            Op::Isend { to: other, tag, bytes, request } | Op::Irecv { from: other, tag, bytes, request } => {
                file.message(bytes, other, tag)?;
                file.i32(request.into())?;
            }
            Op::Waitall { requests, last } => {
                file.i32(requests.into())?;
                file.i32(requests.into())?;
                for request in last + 1 - requests..=last {
                    file.i32(request.into())?;
                }
            }
            Op::Barrier => file.put(&WORLD.to_be_bytes()),
            Op::Allreduce { bytes } => {
                file.i32(bytes)?;
                file.put(&BYTE.to_be_bytes());
                file.put(&[SUM]);
                file.put(&WORLD.to_be_bytes());
            }
            Op::Init => file.i32(0)?,
            Op::Finalize => {}
        }
        if file.bytes.len() >= CHUNK {
            self.flush(rank)?;
        }
        Ok(())
    }
}
