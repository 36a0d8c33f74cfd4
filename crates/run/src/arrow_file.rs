//! A column as an Arrow IPC file: one record batch with one column, whose values begin at a fixed offset. The header is
//! padded to that offset, so a column can be filled through a memory map before its length is known, be read as a plain
//! slice afterwards, and still be opened by every Arrow tool.

use arrow_ipc as ipc;
use arrow_schema::{DataType, Field, Schema};
use flatbuffers::FlatBufferBuilder;

/// Where the values begin.
pub const BODY: usize = 1024;
const MAGIC: &[u8; 8] = b"ARROW1\0\0";
const CONTINUES: [u8; 4] = [0xff; 4];

/// The bytes before and after the values of a column.
pub struct Frame {
    /// [`BODY`] bytes.
    pub head: Vec<u8>,
    /// What follows the values, padding included.
    pub tail: Vec<u8>,
}

/// Frames a column of `rows` values that take `bytes` bytes in all. `None` if the name is too long for the header.
pub fn frame(name: &str, data_type: DataType, rows: usize, bytes: usize) -> Option<Frame> {
    let schema = Schema::new(vec![Field::new(name, data_type, false)]);
    let padding = bytes.next_multiple_of(64) - bytes;
    let body_bytes = (bytes + padding) as i64;

    let mut head = Vec::with_capacity(BODY);
    head.extend_from_slice(MAGIC);
    push_message(&mut head, &schema_message(&schema), None)?;
    let batch_at = head.len();
    push_message(&mut head, &batch_message(rows as i64, bytes as i64, body_bytes), Some(BODY))?;

    let mut tail = vec![0; padding];
    tail.extend_from_slice(&CONTINUES);
    tail.extend_from_slice(&[0; 4]);
    let block = ipc::Block::new(batch_at as i64, (BODY - batch_at) as i32, body_bytes);
    let footer = footer(&schema, block);
    tail.extend_from_slice(&footer);
    tail.extend_from_slice(&(footer.len() as i32).to_le_bytes());
    tail.extend_from_slice(&MAGIC[..6]);
    Some(Frame { head, tail })
}

/// Appends one encapsulated message, padded to 8 bytes, or up to the absolute offset `until`.
fn push_message(out: &mut Vec<u8>, message: &[u8], until: Option<usize>) -> Option<()> {
    let start = out.len() + 8;
    let end = until.unwrap_or((start + message.len()).next_multiple_of(8));
    if start + message.len() > end {
        return None;
    }
    out.extend_from_slice(&CONTINUES);
    out.extend_from_slice(&((end - start) as i32).to_le_bytes());
    out.extend_from_slice(message);
    out.resize(end, 0);
    Some(())
}

fn schema_message(schema: &Schema) -> Vec<u8> {
    let mut fbb = FlatBufferBuilder::new();
    let offset = ipc::convert::IpcSchemaEncoder::new().schema_to_fb_offset(&mut fbb, schema);
    message(fbb, ipc::MessageHeader::Schema, offset.as_union_value(), 0)
}

fn batch_message(rows: i64, bytes: i64, body_bytes: i64) -> Vec<u8> {
    let mut fbb = FlatBufferBuilder::new();
    // An empty validity buffer (no nulls), then the values.
    let buffers = fbb.create_vector(&[ipc::Buffer::new(0, 0), ipc::Buffer::new(0, bytes)]);
    let nodes = fbb.create_vector(&[ipc::FieldNode::new(rows, 0)]);
    let mut batch = ipc::RecordBatchBuilder::new(&mut fbb);
    batch.add_length(rows);
    batch.add_nodes(nodes);
    batch.add_buffers(buffers);
    let batch = batch.finish();
    message(fbb, ipc::MessageHeader::RecordBatch, batch.as_union_value(), body_bytes)
}

fn message(
    mut fbb: FlatBufferBuilder<'_>,
    kind: ipc::MessageHeader,
    header: flatbuffers::WIPOffset<flatbuffers::UnionWIPOffset>,
    body_bytes: i64,
) -> Vec<u8> {
    let mut message = ipc::MessageBuilder::new(&mut fbb);
    message.add_version(ipc::MetadataVersion::V5);
    message.add_header_type(kind);
    message.add_bodyLength(body_bytes);
    message.add_header(header);
    let root = message.finish();
    fbb.finish(root, None);
    fbb.finished_data().to_vec()
}

fn footer(schema: &Schema, block: ipc::Block) -> Vec<u8> {
    let mut fbb = FlatBufferBuilder::new();
    let dictionaries = fbb.create_vector::<ipc::Block>(&[]);
    let batches = fbb.create_vector(&[block]);
    let schema = ipc::convert::IpcSchemaEncoder::new().schema_to_fb_offset(&mut fbb, schema);
    let mut footer = ipc::FooterBuilder::new(&mut fbb);
    footer.add_version(ipc::MetadataVersion::V5);
    footer.add_schema(schema);
    footer.add_dictionaries(dictionaries);
    footer.add_recordBatches(batches);
    let root = footer.finish();
    fbb.finish(root, None);
    fbb.finished_data().to_vec()
}

/// The names of the value types in the manifest.
pub fn type_name(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::UInt8 => "u8",
        DataType::UInt16 => "u16",
        DataType::UInt32 => "u32",
        DataType::Int64 => "i64",
        DataType::Float64 => "f64",
        _ => "?",
    }
}
