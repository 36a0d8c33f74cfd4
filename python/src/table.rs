//! A table that speaks Arrow's capsule interface: whoever knows it (pyarrow, pandas, Polars, DuckDB) takes the columns as they
//! are, and keeps what they point into.

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::refused;

/// Columns of equal length.
#[pyclass(module = "crosscut", frozen)]
pub struct Table {
    batch: RecordBatch,
}

impl Table {
    pub fn new(batch: RecordBatch) -> Self {
        Table { batch }
    }
}

#[pymethods]
impl Table {
    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// Names of the columns with their Arrow types.
    #[getter]
    fn columns(&self) -> Vec<(String, String)> {
        let schema = self.batch.schema();
        schema.fields().iter().map(|field| (field.name().clone(), field.data_type().to_string())).collect()
    }

    /// Rows from one on, as many as there are up to a number: nothing is copied.
    fn slice(&self, first: usize, count: usize) -> Table {
        let first = first.min(self.batch.num_rows());
        Table::new(self.batch.slice(first, count.min(self.batch.num_rows() - first)))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = self.batch.schema();
        let schema = FFI_ArrowSchema::try_from(schema.as_ref()).map_err(refused)?;
        PyCapsule::new(py, schema, Some(c"arrow_schema".to_owned()))
    }

    /// Other types may be asked for, but need not be given: the columns go as they are.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new(py, stream, Some(c"arrow_array_stream".to_owned()))
    }
}
