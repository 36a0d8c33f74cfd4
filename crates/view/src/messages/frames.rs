//! Messages and calls of MPI as tables for scripts.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt16Type;
use arrow_array::{ArrayRef, DictionaryArray, StringArray, UInt32Array};
use crosscut_messages::{Messages, NONE};
use crosscut_run::RunError;
use crosscut_workbench::frame::{lines, named};
use crosscut_workbench::{Frame, FrameDecl, Refusal};

/// All of them.
pub static FRAMES: &[FrameDecl] = &[
    FrameDecl { name: "messages", about: "Every message, in the order in which sends began." },
    FrameDecl { name: "mpi", about: "Every call of MPI, rank by rank." },
];

/// Puts the columns of a table.
pub fn put(messages: &Messages, name: &str, frame: &mut Frame<'_>) -> Result<(), Refusal> {
    match name {
        "messages" => put_messages(messages, frame),
        _ => put_calls(messages, frame).map_err(|error| Refusal::new(error.to_string()))?,
    }
    Ok(())
}

fn put_messages(messages: &Messages, frame: &mut Frame<'_>) {
    frame.put("source", || messages.source.array());
    frame.put("destination", || messages.destination.array());
    frame.put("bytes", || messages.bytes.array());
    frame.put("tag", || messages.tag.array_without(NONE));
    frame.put("comm", || messages.comm.array_without(NONE));
    frame.put("send_start", || messages.send_start.array());
    frame.put("send_end", || messages.send_end.array());
    frame.put("receive_start", || messages.receive_start.array());
    frame.put("receive_end", || messages.receive_end.array());
    frame.put("send_call", || messages.send_call.array_without(NONE));
    frame.put("send_done", || messages.send_done.array_without(NONE));
    frame.put("receive_call", || messages.receive_call.array_without(NONE));
    frame.put("receive_done", || messages.receive_done.array_without(NONE));
}

fn put_calls(messages: &Messages, frame: &mut Frame<'_>) -> Result<(), RunError> {
    let calls = &messages.calls;
    frame.put("rank", || {
        let ranks = messages.summary().ranks;
        let all = (0..ranks).flat_map(|rank| std::iter::repeat_n(rank, calls.of(rank).len()));
        Arc::new(UInt32Array::from_iter_values(all))
    });
    frame.put("function", || functions(messages));
    frame.put("start", || calls.start.array());
    frame.put("end", || calls.end.array());
    frame.put("bytes", || calls.bytes.array());
    frame.put("peer", || calls.peer.array());
    frame.put("comm", || calls.comm.array());
    frame.put("request", || calls.request.array_without(NONE));
    let sources = messages.run().sources()?;
    let line = |call: usize| Some(calls.source(call)).filter(|&line| line != NONE);
    frame.put("line", || lines(&sources, (0..calls.start.len()).map(line)));
    Ok(())
}

/// The functions that were called. Recorders may name one twice: with numbers of their own, then, since words of a column are
/// there once.
fn functions(messages: &Messages) -> ArrayRef {
    let names = || messages.functions().iter().map(|function| function.name.as_str());
    let keys = messages.calls.function.array();
    let keys = keys.as_primitive::<UInt16Type>();
    let numbered = keys.iter().map(|key| key.map(u32::from));
    if names().collect::<HashSet<_>>().len() < names().count() {
        return named(names(), numbered);
    }
    let words = Arc::new(StringArray::from_iter_values(names()));
    match DictionaryArray::<UInt16Type>::try_new(keys.clone(), words) {
        Ok(column) => Arc::new(column),
        // A number without a name: no word, rather than none for all.
        Err(_) => named(names(), numbered),
    }
}
