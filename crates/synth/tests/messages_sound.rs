//! Runs of messages that fit together, and runs in which one value was changed.

use std::path::Path;
use std::sync::Arc;

use crosscut_messages::Messages;
use crosscut_run::Run;
use crosscut_synth::{MessageOptions, exchanges, messages};

fn made(folder: &Path) -> Run {
    let options = MessageOptions {
        exchanges: exchanges("halo,allreduce,barrier,master-worker").unwrap(),
        ranks: 9,
        steps: 8,
        ..MessageOptions::default()
    };
    messages(&folder.join("a.crosscut"), &options, &|_, _| {}).unwrap()
}

/// What is said of a run after a value of a column was changed in its file.
fn changed(column: &str, row: usize, by: i64) -> String {
    let folder = tempfile::tempdir().unwrap();
    let run = made(folder.path());
    let name = format!("messages/{column}");
    // All values, as they stand in the file.
    let (values, width): (Vec<u8>, usize) = if let Ok(column) = run.column::<i64>(&name) {
        (column.iter().flat_map(|value| value.to_le_bytes()).collect(), 8)
    } else if let Ok(column) = run.column::<u32>(&name) {
        (column.iter().flat_map(|value| value.to_le_bytes()).collect(), 4)
    } else {
        let column = run.column::<u16>(&name).unwrap();
        (column.iter().flat_map(|value| value.to_le_bytes()).collect(), 2)
    };
    drop(run);
    let file = folder.path().join(format!("a.crosscut/{name}.arrow"));
    let mut bytes = std::fs::read(&file).unwrap();
    let first = bytes.windows(values.len()).position(|window| window == values).unwrap();
    let place = first + row * width..first + row * width + width;
    let mut value = [0; 8];
    value[..width].copy_from_slice(&bytes[place.clone()]);
    let value = (i64::from_le_bytes(value) + by).to_le_bytes();
    bytes[place].copy_from_slice(&value[..width]);
    std::fs::write(&file, bytes).unwrap();
    let run = match Run::open(&folder.path().join("a.crosscut")) {
        Ok(run) => run,
        Err(error) => return error.to_string(),
    };
    match Messages::open(Arc::new(run)) {
        Ok(messages) => messages.unsound().unwrap_or_default(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_generated_run_fits_together() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(Messages::open(Arc::new(made(folder.path()))).unwrap().unsound(), None);
}

#[test]
fn one_value_that_is_wrong_is_found() {
    for (column, row, by, said) in [
        ("call_end", 4, -1_000_000_000, "call 4 is from"),
        ("call_start", 9, 1 << 40, "call 9 is from"),
        ("call_function", 2, 100, "call 2 is of function"),
        ("send_start", 3, 1 << 40, "message 4 was sent before"),
        ("receive_end", 5, 7, "message 5 has the time"),
        ("send_call", 6, 400, "message 6 names call"),
        ("receive_done", 1, -200, "names call"),
        ("bytes", 2, -100_000_000, "message 2 has"),
        ("bytes", 2, 100, "its totals say"),
        ("collective_start", 1, 3, "collective 1 is from"),
        ("collective_call", 0, 1, "collective"),
        ("call_first", 3, 5, ""),
    ] {
        let why = changed(column, row, by);
        assert!(!why.is_empty() && why.contains(said), "{column} {row}: {why}");
    }
}
