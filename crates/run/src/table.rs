//! Tables: small or compressed things as Parquet (zstd), which every other engine reads as it is.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::ParquetMetaDataReader;
use parquet::file::properties::WriterProperties;

use crate::error::RunError;
use crate::pages::{self, allowance};

/// Rows that are decoded at once.
pub(crate) const BATCH: usize = 1 << 16;

/// Writes one table.
pub fn write_table(path: &Path, table: &RecordBatch) -> Result<(), RunError> {
    let file = File::create_new(path).map_err(RunError::io(path))?;
    let failed = |error: parquet::errors::ParquetError| RunError::Io {
        path: path.to_owned(),
        source: std::io::Error::other(error),
    };
    let mut writer = ArrowWriter::try_new(file, table.schema(), Some(properties())).map_err(failed)?;
    writer.write(table).map_err(failed)?;
    writer.close().map_err(failed)?;
    Ok(())
}

/// How all tables are written.
pub(crate) fn properties() -> WriterProperties {
    WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build()
}

/// Reads a whole table from the bytes of its file; for tables that are known to be small. Whatever the bytes are, it takes
/// no more memory than [`allowance`] says.
pub fn read_table(bytes: Bytes, path: &Path, part: &str) -> Result<RecordBatch, RunError> {
    decode(|| {
        pages::check_footer(&bytes)?;
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&bytes).map_err(|e| e.to_string())?;
        let metadata = readable(metadata)?;
        let groups = metadata.metadata().row_groups();
        let allowed = allowance(bytes.len() as u64);
        let mut all = pages::Pages::default();
        for group in groups {
            let pages = pages::check_group(group, &bytes, 0)?;
            all.largest = all.largest.max(pages.largest);
            all.total = all.total.saturating_add(pages.total);
            if all.total > allowed {
                return Err(format!("row groups that unpack to more than {allowed} bytes"));
            }
        }
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(bytes.clone(), metadata);
        let schema = reader.schema().clone();
        let reader = reader.with_batch_size(all.batch(allowed, BATCH)).build().map_err(|e| e.to_string())?;
        gather(reader, &schema, allowed)
    })
    .map_err(|why| RunError::damaged(path, part, why))
}

/// A file's metadata for a reader, if it is that of a table of ours. The Arrow schema that Parquet files carry beside their
/// own says nothing new here, and its decoder panics when it is damaged.
pub(crate) fn readable(
    metadata: parquet::file::metadata::ParquetMetaData,
) -> Result<ArrowReaderMetadata, String> {
    pages::check_schema(&metadata)?;
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    ArrowReaderMetadata::try_new(Arc::new(metadata), options).map_err(|e| e.to_string())
}

/// All batches of a reader as one, as long as they take no more than is allowed.
pub(crate) fn gather(
    reader: ParquetRecordBatchReader,
    schema: &SchemaRef,
    allowed: u64,
) -> Result<RecordBatch, String> {
    let mut batches: Vec<RecordBatch> = Vec::new();
    let mut taken = 0u64;
    for batch in reader {
        let batch = batch.map_err(|e| e.to_string())?;
        taken = taken.saturating_add(batch.get_array_memory_size() as u64);
        if taken > allowed.saturating_mul(2) {
            return Err(format!("it unpacks to more than {allowed} bytes"));
        }
        batches.push(batch);
    }
    match <[RecordBatch; 1]>::try_from(batches) {
        Ok([batch]) => Ok(batch),
        Err(batches) if batches.is_empty() => Ok(RecordBatch::new_empty(schema.clone())),
        Err(batches) => arrow_select::concat::concat_batches(schema, &batches).map_err(|e| e.to_string()),
    }
}

/// Runs what decodes Parquet, which is not ours and takes some damage for a fault of its own: a panic there is damage here.
pub(crate) fn decode<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("its content cannot be decoded".into()))
}
