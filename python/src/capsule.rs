//! Tables in the form in which other libraries take them: Arrow's C data and C stream interfaces. Whoever takes a table
//! gets pointers into its buffers, and keeps them alive until it calls `release`.
//!
//! Arrow's own crate can do the same behind a feature; with it all of Arrow and Parquet would be built a second time, for
//! these few structures.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use arrow_array::{Array, RecordBatch};
use arrow_buffer::{BooleanBuffer, Buffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};

/// A field may be null.
const NULLABLE: i64 = 2;
/// What a stream answers when it cannot.
const INVALID: c_int = 22;

/// Names and types: `struct ArrowSchema`.
#[repr(C)]
pub struct FfiSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut FfiSchema,
    dictionary: *mut FfiSchema,
    release: Option<unsafe extern "C" fn(*mut FfiSchema)>,
    private_data: *mut c_void,
}

/// Values: `struct ArrowArray`.
#[repr(C)]
struct FfiArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut FfiArray,
    dictionary: *mut FfiArray,
    release: Option<unsafe extern "C" fn(*mut FfiArray)>,
    private_data: *mut c_void,
}

/// Batches, one after the other: `struct ArrowArrayStream`.
#[repr(C)]
pub struct FfiStream {
    get_schema: Option<unsafe extern "C" fn(*mut FfiStream, *mut FfiSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut FfiStream, *mut FfiArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut FfiStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut FfiStream)>,
    private_data: *mut c_void,
}

// SAFETY: what the pointers lead to is theirs alone, never changes, and is freed by whichever thread calls `release`.
unsafe impl Send for FfiSchema {}
// SAFETY: as above; buffers of Arrow may be shared by threads.
unsafe impl Send for FfiStream {}

/// What a schema points to.
struct KeptSchema {
    format: CString,
    name: CString,
    children: Vec<*mut FfiSchema>,
    dictionary: *mut FfiSchema,
}

/// What an array points to.
struct KeptArray {
    /// Validity first.
    buffers: Vec<*const c_void>,
    children: Vec<*mut FfiArray>,
    dictionary: *mut FfiArray,
    /// Owners of the buffers.
    _data: Vec<ArrayData>,
    _validity: Option<Buffer>,
}

/// What a stream points to.
struct KeptStream {
    fields: Vec<Field>,
    /// What nobody has asked for yet.
    batch: Option<RecordBatch>,
    /// What went wrong last.
    error: CString,
}

impl Drop for FfiSchema {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: not released yet, so it is as it was made.
            unsafe { release(self) }
        }
    }
}

impl Drop for FfiArray {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: not released yet, so it is as it was made.
            unsafe { release(self) }
        }
    }
}

impl Drop for FfiStream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: not released yet, so it is as it was made.
            unsafe { release(self) }
        }
    }
}

unsafe extern "C" fn release_schema(schema: *mut FfiSchema) {
    // SAFETY: who calls this hands over a schema of ours that is not released; its parts came from boxes, and each is freed
    // once, since `release` is taken away. A child that somebody has moved has no `release` any more.
    unsafe {
        (*schema).release = None;
        let kept = Box::from_raw((*schema).private_data.cast::<KeptSchema>());
        free(&kept.children, kept.dictionary);
    }
}

unsafe extern "C" fn release_array(array: *mut FfiArray) {
    // SAFETY: as for schemas.
    unsafe {
        (*array).release = None;
        let kept = Box::from_raw((*array).private_data.cast::<KeptArray>());
        free(&kept.children, kept.dictionary);
    }
}

/// Frees what is below a schema or an array.
///
/// # Safety
/// All came from boxes, and nobody frees them again.
unsafe fn free<T>(children: &[*mut T], dictionary: *mut T) {
    for &child in children.iter().chain([&dictionary]) {
        if !child.is_null() {
            // SAFETY: the caller's word.
            drop(unsafe { Box::from_raw(child) });
        }
    }
}

/// The schema of a table.
pub fn schema(fields: &[Field]) -> Result<FfiSchema, String> {
    let children = fields.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    packed_schema("+s", "", children, None)
}

fn field(field: &Field) -> Result<FfiSchema, String> {
    let (kind, children, dictionary) = match field.data_type() {
        DataType::Dictionary(keys, values) => {
            let values = Field::new("", values.as_ref().clone(), true);
            (keys.as_ref(), Vec::new(), Some(self::field(&values)?))
        }
        DataType::List(item) => (field.data_type(), vec![self::field(item)?], None),
        other => (other, Vec::new(), None),
    };
    packed_schema(format(kind)?, field.name(), children, dictionary)
}

/// Types as the interface writes them.
fn format(kind: &DataType) -> Result<&'static str, String> {
    Ok(match kind {
        DataType::Boolean => "b",
        DataType::Int8 => "c",
        DataType::UInt8 => "C",
        DataType::Int16 => "s",
        DataType::UInt16 => "S",
        DataType::Int32 => "i",
        DataType::UInt32 => "I",
        DataType::Int64 => "l",
        DataType::UInt64 => "L",
        DataType::Float32 => "f",
        DataType::Float64 => "g",
        DataType::Utf8 => "u",
        DataType::LargeUtf8 => "U",
        DataType::List(_) => "+l",
        other => return Err(format!("a column of {other} does not go to Python")),
    })
}

fn packed_schema(
    format: &str,
    name: &str,
    children: Vec<FfiSchema>,
    dictionary: Option<FfiSchema>,
) -> Result<FfiSchema, String> {
    let text = |text: &str| {
        CString::new(text).map_err(|_| format!("the column {text:?} has a zero byte in its name"))
    };
    let mut kept = Box::new(KeptSchema {
        format: text(format)?,
        name: text(name)?,
        children: children.into_iter().map(boxed).collect(),
        dictionary: dictionary.map_or(ptr::null_mut(), boxed),
    });
    Ok(FfiSchema {
        format: kept.format.as_ptr(),
        name: kept.name.as_ptr(),
        metadata: ptr::null(),
        flags: NULLABLE,
        n_children: kept.children.len() as i64,
        children: kept.children.as_mut_ptr(),
        dictionary: kept.dictionary,
        release: Some(release_schema),
        private_data: Box::into_raw(kept).cast(),
    })
}

fn boxed<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// The columns of a table.
fn table(batch: &RecordBatch) -> FfiArray {
    let children = batch.columns().iter().map(|column| array(column.to_data())).collect();
    let kept = KeptArray {
        // A table has no rows that are null.
        buffers: vec![ptr::null()],
        children,
        dictionary: ptr::null_mut(),
        _data: Vec::new(),
        _validity: None,
    };
    packed_array(kept, (batch.num_rows(), 0, 0))
}

fn array(data: ArrayData) -> *mut FfiArray {
    let validity = validity(&data);
    let first = validity.as_ref().map_or(ptr::null(), Buffer::as_ptr);
    let buffers = [first].into_iter().chain(data.buffers().iter().map(Buffer::as_ptr));
    let buffers: Vec<*const c_void> = buffers.map(|buffer| buffer.cast()).collect();
    let mut children: Vec<*mut FfiArray> = data.child_data().iter().cloned().map(array).collect();
    let is_named = matches!(data.data_type(), DataType::Dictionary(..));
    let dictionary = is_named.then(|| children.pop()).flatten().unwrap_or(ptr::null_mut());
    let size = (data.len(), data.null_count(), data.offset());
    boxed(packed_array(
        KeptArray { buffers, children, dictionary, _data: vec![data], _validity: validity },
        size,
    ))
}

fn packed_array(kept: KeptArray, (length, nulls, offset): (usize, usize, usize)) -> FfiArray {
    let mut kept = Box::new(kept);
    FfiArray {
        length: length as i64,
        null_count: nulls as i64,
        offset: offset as i64,
        n_buffers: kept.buffers.len() as i64,
        n_children: kept.children.len() as i64,
        buffers: kept.buffers.as_mut_ptr(),
        children: kept.children.as_mut_ptr(),
        dictionary: kept.dictionary,
        release: Some(release_array),
        private_data: Box::into_raw(kept).cast(),
    }
}

/// Which values are there, in bits that begin where the values do; nothing where all are.
fn validity(data: &ArrayData) -> Option<Buffer> {
    let nulls = data.nulls()?;
    let from = data.offset();
    Some(if nulls.offset() == from {
        nulls.buffer().clone()
    } else if from == 0 {
        nulls.inner().sliced()
    } else {
        let bits =
            BooleanBuffer::collect_bool(from + data.len(), |at| at >= from && nulls.is_valid(at - from));
        bits.into_inner()
    })
}

/// One table as a stream.
pub fn stream(batch: &RecordBatch) -> FfiStream {
    let fields = batch.schema().fields().iter().map(|field| field.as_ref().clone()).collect();
    let kept = KeptStream { fields, batch: Some(batch.clone()), error: CString::default() };
    FfiStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release_stream),
        private_data: boxed(kept).cast(),
    }
}

unsafe extern "C" fn get_schema(stream: *mut FfiStream, out: *mut FfiSchema) -> c_int {
    // SAFETY: who calls this has a stream of ours that is not released, and room for a schema.
    let kept = unsafe { &mut *(*stream).private_data.cast::<KeptStream>() };
    match schema(&kept.fields) {
        Ok(schema) => {
            // SAFETY: as above; the room may hold anything, so it is not dropped.
            unsafe { ptr::write(out, schema) };
            0
        }
        Err(why) => {
            kept.error = CString::new(why).unwrap_or_default();
            INVALID
        }
    }
}

unsafe extern "C" fn get_next(stream: *mut FfiStream, out: *mut FfiArray) -> c_int {
    // SAFETY: who calls this has a stream of ours that is not released, and room for an array.
    let kept = unsafe { &mut *(*stream).private_data.cast::<KeptStream>() };
    let next = match kept.batch.take() {
        Some(batch) => table(&batch),
        None => end(),
    };
    // SAFETY: as above.
    unsafe { ptr::write(out, next) };
    0
}

/// An array that is released: there are no more.
fn end() -> FfiArray {
    FfiArray {
        length: 0,
        null_count: 0,
        offset: 0,
        n_buffers: 0,
        n_children: 0,
        buffers: ptr::null_mut(),
        children: ptr::null_mut(),
        dictionary: ptr::null_mut(),
        release: None,
        private_data: ptr::null_mut(),
    }
}

unsafe extern "C" fn get_last_error(stream: *mut FfiStream) -> *const c_char {
    // SAFETY: who calls this has a stream of ours that is not released.
    unsafe { (*(*stream).private_data.cast::<KeptStream>()).error.as_ptr() }
}

unsafe extern "C" fn release_stream(stream: *mut FfiStream) {
    // SAFETY: as for schemas.
    unsafe {
        (*stream).release = None;
        drop(Box::from_raw((*stream).private_data.cast::<KeptStream>()));
    }
}
