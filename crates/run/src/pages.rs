//! What a Parquet file asks for before it is decoded. Its counts and sizes come from whoever wrote it, and what decodes it
//! believes them: a page of forty bytes can claim to hold gigabytes. So every page header is read here first, and a file is
//! decoded only if it has the form in which tables are written ([`crate::table`]) and unpacks to no more than
//! [`allowance`] of its size.

use parquet::basic::Type;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};

/// What any table may take when it is unpacked.
const FLOOR: u64 = 1 << 20;
/// How many times the size of its file a table may take. Those that are written take less than 60: a row has at least one
/// column, a position or a time, of which zstd leaves two bytes or more.
const FACTOR: u64 = 256;

/// PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY: what our tables are encoded in. Others unpack by rules of their own.
const ENCODINGS: [i64; 4] = [0, 2, 3, 8];

/// The most bytes that so many bytes on disk may unpack to.
pub fn allowance(bytes: u64) -> u64 {
    bytes.saturating_mul(FACTOR).saturating_add(FLOOR)
}

/// What is known of pages that may be decoded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pages {
    /// The largest one, unpacked: no value is longer.
    pub largest: u64,
    /// All of them.
    pub total: u64,
}

impl Pages {
    /// Rows that can be decoded at once within the allowance, however long their values are.
    pub fn batch(&self, allowance: u64, most: usize) -> usize {
        let rows = allowance / self.largest.max(1);
        usize::try_from(rows).unwrap_or(most).clamp(1, most)
    }
}

/// Checks the footer, the last thing in `bytes`: no list in it is longer than the bytes that are there for it. What reads it
/// reserves room for as many row groups as it claims.
pub fn check_footer(bytes: &[u8]) -> Result<(), String> {
    let footer = || {
        let (rest, end) = bytes.split_last_chunk::<8>()?;
        let length = u32::from_le_bytes([end[0], end[1], end[2], end[3]]) as usize;
        let footer = rest.get(rest.len().checked_sub(length)?..)?;
        Compact { bytes: footer }.structure(FOOTER, |_, _, _| Some(false))
    };
    footer().ok_or_else(|| "its footer is damaged".into())
}

/// Checks the schema: a flat list of columns of the types that our tables have.
pub fn check_schema(metadata: &ParquetMetaData) -> Result<(), String> {
    let schema = metadata.file_metadata().schema_descr();
    for column in schema.columns() {
        let is_flat = column.max_rep_level() == 0 && column.path().parts().len() == 1;
        let is_known = matches!(
            column.physical_type(),
            Type::BOOLEAN | Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE | Type::BYTE_ARRAY
        );
        if !is_flat || !is_known {
            return Err("its columns are not those of a table of Crosscut".into());
        }
    }
    Ok(())
}

/// Checks all pages of a row group, which lies in `bytes`, a piece of the file that begins at `offset`.
pub fn check_group(group: &RowGroupMetaData, bytes: &[u8], offset: u64) -> Result<Pages, String> {
    let allowed = allowance(bytes.len() as u64);
    let rows = u64::try_from(group.num_rows()).map_err(|_| "a row group with less than no rows")?;
    let columns = group.columns().len() as u64;
    if rows.saturating_mul(columns).saturating_mul(8) > allowed {
        return Err(format!("{rows} rows in {} bytes: more than a table can hold", bytes.len()));
    }
    let mut pages = Pages::default();
    for column in group.columns() {
        let (start, end) =
            span(column, bytes.len() as u64, offset).ok_or("a column that lies outside of the file")?;
        check_column(&bytes[start..end], rows, allowed, &mut pages)?;
    }
    Ok(pages)
}

/// Where a column lies in `bytes`.
fn span(column: &ColumnChunkMetaData, bytes: u64, offset: u64) -> Option<(usize, usize)> {
    let first = match column.dictionary_page_offset() {
        Some(dictionary) => dictionary.min(column.data_page_offset()),
        None => column.data_page_offset(),
    };
    let start = u64::try_from(first).ok()?.checked_sub(offset)?;
    let end = start.checked_add(u64::try_from(column.compressed_size()).ok()?)?;
    let inside = column.data_page_offset() >= first && end <= bytes;
    inside.then_some((usize::try_from(start).ok()?, usize::try_from(end).ok()?))
}

fn check_column(mut bytes: &[u8], rows: u64, allowed: u64, pages: &mut Pages) -> Result<(), String> {
    let mut values = 0u64;
    while !bytes.is_empty() {
        let mut reader = Compact { bytes };
        let page = reader.page().ok_or("a page header that is none")?;
        let rest = reader.bytes;
        if page.packed > rest.len() as u64 {
            return Err("a page that ends behind its column".into());
        }
        pages.total = pages.total.saturating_add(page.unpacked);
        pages.largest = pages.largest.max(page.unpacked);
        if pages.total > allowed {
            return Err(format!("pages that unpack to more than {allowed} bytes"));
        }
        if !ENCODINGS.contains(&page.encoding) {
            return Err(format!("encoding {} is none that tables are written in", page.encoding));
        }
        if page.is_dictionary {
            // Each value takes at least a bit.
            if page.values > page.unpacked.saturating_mul(8) {
                return Err("a dictionary with more values than bits".into());
            }
        } else {
            values = values.saturating_add(page.values);
        }
        bytes = &rest[page.packed as usize..];
    }
    match values == rows {
        true => Ok(()),
        false => Err(format!("pages with {values} values for {rows} rows")),
    }
}

/// What a page header says.
#[derive(Default)]
struct Page {
    unpacked: u64,
    packed: u64,
    values: u64,
    encoding: i64,
    is_dictionary: bool,
}

/// A reader of Thrift's compact protocol, for page headers alone.
struct Compact<'a> {
    bytes: &'a [u8],
}

/// Structures in structures, at most: of a page header, and of a footer.
const DEEPEST: usize = 8;
const FOOTER: usize = 16;

impl Compact<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(first)
    }

    fn skip_bytes(&mut self, count: u64) -> Option<()> {
        self.bytes = self.bytes.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn number(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The fields of a structure: what `field` does not take, by number and type, is skipped.
    fn structure(
        &mut self,
        depth: usize,
        mut field: impl FnMut(&mut Self, i64, u8) -> Option<bool>,
    ) -> Option<()> {
        let mut number = 0i64;
        loop {
            let head = self.byte()?;
            let kind = head & 15;
            if kind == 0 {
                return Some(());
            }
            number = match head >> 4 {
                0 => self.number()?,
                delta => number.checked_add(i64::from(delta))?,
            };
            if !field(self, number, kind)? {
                self.skip(kind, depth)?;
            }
        }
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        let deeper = depth.checked_sub(1)?;
        match kind {
            1 | 2 => Some(()),
            3 => self.byte().map(drop),
            4..=6 => self.varint().map(drop),
            7 => self.skip_bytes(8),
            8 => {
                let length = self.varint()?;
                self.skip_bytes(length)
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                // Each takes a byte at least, truth values in lists too.
                let of = if matches!(head & 15, 1 | 2) { 3 } else { head & 15 };
                (count <= self.bytes.len() as u64).then_some(())?;
                (0..count).try_for_each(|_| self.skip(of, deeper))
            }
            12 => self.structure(deeper, |_, _, _| Some(false)),
            _ => None,
        }
    }

    /// A page header: sizes, and of the header of its kind the number of values and their encoding.
    fn page(&mut self) -> Option<Page> {
        const NUMBER: u8 = 5;
        const STRUCTURE: u8 = 12;
        let mut page = Page::default();
        let mut kinds = 0;
        self.structure(DEEPEST, |reader, field, kind| {
            match (field, kind) {
                (2, NUMBER) => page.unpacked = u64::try_from(reader.number()?).ok()?,
                (3, NUMBER) => page.packed = u64::try_from(reader.number()?).ok()?,
                (5 | 7 | 8, STRUCTURE) => {
                    kinds += 1;
                    page.is_dictionary = field == 7;
                    let encoding = if field == 8 { 4 } else { 2 };
                    reader.structure(DEEPEST, |reader, inner, kind| {
                        match (inner, kind) {
                            (1, NUMBER) => page.values = u64::try_from(reader.number()?).ok()?,
                            (inner, NUMBER) if inner == encoding => page.encoding = reader.number()?,
                            _ => return Some(false),
                        }
                        Some(true)
                    })?;
                }
                _ => return Some(false),
            }
            Some(true)
        })?;
        // One header of one kind: a page of any other is not among those that are written.
        (kinds == 1).then_some(page)
    }
}
