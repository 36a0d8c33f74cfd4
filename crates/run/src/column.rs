//! Columns: fixed-width values in a file of their own, mapped. [`ColumnMut`] is filled before the run exists,
//! [`Column`] is read in place afterwards.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Float64Type, Int64Type, UInt8Type, UInt16Type, UInt32Type};
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;
use memmap2::{Advice, Mmap, MmapMut, MmapOptions};

use crate::arrow_file::{self, BODY};
use crate::blocks::Hashes;
use crate::error::RunError;
use crate::file;
use crate::manifest::{Part, PartKind};
use crate::mapped::Known;

/// A type that a column can hold.
pub trait Value: bytemuck::Pod + Send + Sync {
    /// Its Arrow type.
    const ARROW: DataType;

    /// An array of all that a buffer holds, but of nulls.
    fn array(buffer: Buffer, nulls: Option<NullBuffer>) -> ArrayRef;
}

/// Arrays of a type, by the name that Arrow has for it.
fn array<A: ArrowPrimitiveType>(buffer: Buffer, nulls: Option<NullBuffer>) -> ArrayRef {
    Arc::new(PrimitiveArray::<A>::new(ScalarBuffer::from(buffer), nulls))
}

impl Value for u8 {
    const ARROW: DataType = DataType::UInt8;

    fn array(buffer: Buffer, nulls: Option<NullBuffer>) -> ArrayRef {
        array::<UInt8Type>(buffer, nulls)
    }
}
impl Value for u16 {
    const ARROW: DataType = DataType::UInt16;

    fn array(buffer: Buffer, nulls: Option<NullBuffer>) -> ArrayRef {
        array::<UInt16Type>(buffer, nulls)
    }
}
impl Value for u32 {
    const ARROW: DataType = DataType::UInt32;

    fn array(buffer: Buffer, nulls: Option<NullBuffer>) -> ArrayRef {
        array::<UInt32Type>(buffer, nulls)
    }
}
impl Value for i64 {
    const ARROW: DataType = DataType::Int64;

    fn array(buffer: Buffer, nulls: Option<NullBuffer>) -> ArrayRef {
        array::<Int64Type>(buffer, nulls)
    }
}
impl Value for f64 {
    const ARROW: DataType = DataType::Float64;

    fn array(buffer: Buffer, nulls: Option<NullBuffer>) -> ArrayRef {
        array::<Float64Type>(buffer, nulls)
    }
}

/// Columns up to this size are filled in memory and written when they are sealed: a page of a mapped file costs several
/// times as much as writing it. Making a run of 10⁶ to 10⁷ nodes took 1.2 times the processor's time with all columns mapped
/// (1.0 to 1.3 times the wall's). Larger ones are filled in their file: the system can take that memory back.
const IN_MEMORY: usize = 256 << 20;

/// The most bytes behind the values.
const TAIL: usize = 4096;
const PAGE: usize = 4096;

/// Columns from this size on that were filled in memory go straight to the disk. They have to be there anyway before the run
/// gets its name: through the system's cache, runs of 3 × 10⁶ and 10⁷ nodes took 1.16 to 1.18 times as long to make.
const DIRECT: usize = 4 << 20;

/// A column that is being filled; it reads and writes like a slice and starts as zeros.
#[derive(Debug)]
pub struct ColumnMut<T> {
    name: String,
    path: PathBuf,
    file: File,
    map: MmapMut,
    in_memory: bool,
    rows: usize,
    value: PhantomData<T>,
}

impl<T: Value> ColumnMut<T> {
    /// Makes the file and reserves its space, so that a full disk is an error here and not a signal later. Writing to space
    /// that is reserved also takes less time.
    pub(crate) fn create(path: PathBuf, name: &str, rows: usize) -> Result<Self, RunError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)
            .map_err(RunError::io(&path))?;
        let error =
            |code: i32| RunError::Io { path: path.clone(), source: std::io::Error::from_raw_os_error(code) };
        let bytes = rows.checked_mul(size_of::<T>()).and_then(|bytes| bytes.checked_add(BODY));
        let (Some(bytes), Some(Ok(length))) = (bytes, bytes.map(libc::off_t::try_from)) else {
            return Err(error(libc::EFBIG));
        };
        // SAFETY: a plain system call on a descriptor that we own.
        let failed = unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, length) };
        if failed != 0 {
            return Err(error(failed));
        }
        let in_memory = bytes <= IN_MEMORY;
        let map = if in_memory {
            let map = MmapOptions::new()
                .len((bytes + TAIL).next_multiple_of(PAGE))
                .map_anon()
                .map_err(RunError::io(&path))?;
            // Fewer and larger pages where the system has them; it is only a hint. Making a run of 10⁶ nodes took 1.06 times
            // the processor's time without: less than what else is kept here, for one line.
            let _ = map.advise(Advice::HugePage);
            map
        } else {
            // SAFETY: the file is new, inside a directory that only this process knows; nobody truncates it.
            unsafe { MmapOptions::new().len(bytes).map_mut(&file) }.map_err(RunError::io(&path))?
        };
        Ok(ColumnMut { name: name.to_owned(), path, file, map, in_memory, rows, value: PhantomData })
    }

    /// Keeps only the first `rows` values.
    pub fn truncate(&mut self, rows: usize) {
        self.rows = self.rows.min(rows);
    }

    /// The same bytes as values of another type, no wider: as many rows, those behind them are cut off.
    pub(crate) fn reinterpret<U: Value>(self) -> ColumnMut<U> {
        const { assert!(size_of::<U>() <= size_of::<T>()) };
        let ColumnMut { name, path, file, map, in_memory, rows, .. } = self;
        ColumnMut { name, path, file, map, in_memory, rows, value: PhantomData }
    }

    /// Writes header and footer; no value changes after that.
    pub fn seal(mut self) -> Result<SealedColumn, RunError> {
        let bytes = self.rows * size_of::<T>();
        let frame = arrow_file::frame(&self.name, T::ARROW, self.rows, bytes)
            .filter(|frame| frame.tail.len() <= TAIL)
            .ok_or_else(|| RunError::damaged(&self.path, &self.name, "name too long"))?;
        let whole = BODY + bytes + frame.tail.len();
        self.map[..BODY].copy_from_slice(&frame.head);
        let mut hash = Hashes::new();
        hash.update(&self.map[..BODY + bytes]);
        hash.update(&frame.tail);
        let written = if self.in_memory {
            self.map[BODY + bytes..whole].copy_from_slice(&frame.tail);
            write_whole(&mut self.file, &self.map, whole)
        } else {
            drop(self.map);
            write_tail(&mut self.file, BODY + bytes, &frame.tail)
        };
        written.map_err(RunError::io(&self.path))?;
        let (hash, blocks) = hash.finish();
        let part = Part {
            kind: PartKind::Column,
            rows: self.rows as u64,
            value: Some(arrow_file::type_name(&T::ARROW).to_owned()),
            places: None,
            keys: None,
            bytes: whole as u64,
            hash,
            blocks,
        };
        Ok(SealedColumn { name: self.name, part })
    }
}

/// Writes the first bytes of a map to a file, and ends it there: more space may have been reserved.
fn write_whole(file: &mut File, map: &[u8], bytes: usize) -> std::io::Result<()> {
    let is_written = bytes >= DIRECT && write_direct(file, &map[..bytes.next_multiple_of(PAGE)]);
    if !is_written {
        file.rewind()?;
        file.write_all(&map[..bytes])?;
    }
    file.set_len(bytes as u64)
}

/// Writes whole pages past the system's cache. Says whether it could: some file systems do not.
fn write_direct(file: &mut File, pages: &[u8]) -> bool {
    let set = |flags: libc::c_int| {
        // SAFETY: a plain system call on a descriptor that we own.
        unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags) == 0 }
    };
    if !set(libc::O_DIRECT) {
        return false;
    }
    let written = (&*file).write_all(pages).is_ok();
    set(0) && written
}

/// Ends a file behind so many bytes: it may have become shorter than the space that was reserved.
fn write_tail(file: &mut File, bytes: usize, tail: &[u8]) -> std::io::Result<()> {
    file.set_len(bytes as u64)?;
    file.seek(SeekFrom::End(0))?;
    file.write_all(tail)
}

/// A column that is whole on its own, for the manifest.
#[derive(Debug)]
pub struct SealedColumn {
    pub(crate) name: String,
    pub(crate) part: Part,
}

impl<T: Value> Deref for ColumnMut<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(&self.map[BODY..BODY + self.rows * size_of::<T>()])
    }
}

impl<T: Value> DerefMut for ColumnMut<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(&mut self.map[BODY..BODY + self.rows * size_of::<T>()])
    }
}

/// The bytes of a column of an existing run; columns and the arrays made of them keep it mapped.
#[derive(Debug)]
struct Bytes {
    /// Before the map: it is forgotten before it is unmapped.
    _known: Known,
    map: Mmap,
}

/// A column of an existing run, mapped and read like a slice.
#[derive(Debug)]
pub struct Column<T> {
    bytes: Arc<Bytes>,
    rows: usize,
    value: PhantomData<T>,
}

impl<T: Value> Column<T> {
    pub(crate) fn open(run: &Path, name: &str, part: &Part) -> Result<Self, RunError> {
        let path = &run.join(part.file(name));
        let damaged = |why: String| RunError::damaged(path, name, why);
        let expected = arrow_file::type_name(&T::ARROW);
        if part.kind != PartKind::Column || part.value.as_deref() != Some(expected) {
            return Err(damaged(format!("expected a column of {expected}")));
        }
        let file = file::open(run, &part.file(name), name)?;
        let found = file.metadata().map_err(RunError::io(path))?.len();
        if found != part.bytes {
            return Err(damaged(format!("{found} bytes, but the manifest says {}", part.bytes)));
        }
        let end = usize::try_from(part.rows)
            .ok()
            .and_then(|rows| rows.checked_mul(size_of::<T>()))
            .and_then(|bytes| bytes.checked_add(BODY))
            .filter(|&end| end as u64 <= part.bytes)
            .ok_or_else(|| damaged(format!("{} rows do not fit into {} bytes", part.rows, part.bytes)))?;
        // SAFETY: runs are immutable once they have their name; the file's size was checked just now. Who cuts it
        // nevertheless ends the program, which says so: see `mapped`.
        let map = unsafe { MmapOptions::new().len(end).map(&file) }.map_err(RunError::io(path))?;
        let bytes = Arc::new(Bytes { _known: Known::new(&map, path), map });
        Ok(Column { bytes, rows: part.rows as usize, value: PhantomData })
    }
}

impl<T: Value> Column<T> {
    /// The same values as an Arrow array. Nothing is copied: the array keeps the file mapped.
    pub fn array(&self) -> ArrayRef {
        self.with_nulls(None)
    }

    /// The same, with nulls where the value is the one that stands for none.
    pub fn array_without(&self, none: T) -> ArrayRef
    where
        T: PartialEq,
    {
        let has_none = self.contains(&none);
        self.with_nulls(has_none.then(|| self.iter().map(|value| *value != none).collect()))
    }

    /// The same of the parents of a tree: its root, the first row, has none.
    pub fn array_of_parents(&self) -> ArrayRef {
        self.with_nulls(Some((0..self.rows).map(|row| row > 0).collect()))
    }

    fn with_nulls(&self, nulls: Option<NullBuffer>) -> ArrayRef {
        let values: &[u8] = bytemuck::cast_slice(self);
        let start = NonNull::from(values).cast();
        // SAFETY: the array keeps the map, which never moves and never changes.
        let buffer =
            unsafe { Buffer::from_custom_allocation(start, values.len(), Arc::clone(&self.bytes) as _) };
        T::array(buffer, nulls)
    }
}

impl<T: Value> Deref for Column<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(&self.bytes.map[BODY..BODY + self.rows * size_of::<T>()])
    }
}
