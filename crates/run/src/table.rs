//! Tables: small or compressed things as Parquet (zstd), which every other engine reads as it is.

use std::fs::File;
use std::path::Path;

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::error::RunError;

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

/// Reads a whole table; for tables that are known to be small.
pub fn read_table(path: &Path, part: &str) -> Result<RecordBatch, RunError> {
    let file = File::open(path).map_err(RunError::io(path))?;
    let read = || -> Result<RecordBatch, String> {
        // The Arrow schema that Parquet files carry beside their own says nothing new here, and its decoder panics when it
        // is damaged.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let reader = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options)
            .map_err(|e| e.to_string())?;
        let schema = reader.schema().clone();
        let reader = reader.with_batch_size(1 << 16).build().map_err(|e| e.to_string())?;
        let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>().map_err(|e| e.to_string())?;
        match <[RecordBatch; 1]>::try_from(batches) {
            Ok([batch]) => Ok(batch),
            Err(batches) if batches.is_empty() => Ok(RecordBatch::new_empty(schema)),
            Err(batches) => {
                arrow_select::concat::concat_batches(&schema, &batches).map_err(|e| e.to_string())
            }
        }
    };
    read().map_err(|why| RunError::damaged(path, part, why))
}
