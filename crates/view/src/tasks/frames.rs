//! Tasks as a table for scripts.

use std::sync::Arc;

use arrow_array::types::UInt8Type;
use arrow_array::{DictionaryArray, StringArray, UInt8Array};
use crosscut_run::RunError;
use crosscut_tasks::Tasks;
use crosscut_tasks::schema::{Kind, Mark};
use crosscut_workbench::frame::lines;
use crosscut_workbench::{Frame, FrameDecl, Refusal};

/// All of them.
pub static FRAMES: &[FrameDecl] = &[FrameDecl {
    name: "tasks",
    about: "Every node of the task tree, in pre-order: the subtree of row i is the rows i .. i + len.",
}];

/// Puts the columns of the one table.
pub fn put(tasks: &Tasks, frame: &mut Frame<'_>) -> Result<(), Refusal> {
    put_columns(tasks, frame).map_err(|error| Refusal::new(error.to_string()))
}

fn put_columns(tasks: &Tasks, frame: &mut Frame<'_>) -> Result<(), RunError> {
    let run = tasks.run();
    let (parent, len) = (run.column::<u32>("tasks/parent")?, run.column::<u32>("tasks/len")?);
    let (mark, place) = (run.column::<u8>("tasks/mark")?, run.ids("tasks/place")?);
    let site = run.column::<u32>("tasks/site")?;
    let times = |name: &str| run.column::<i64>(&format!("tasks/{name}"));
    let (start, end, span) = (times("start")?, times("end")?, times("span")?);
    frame.put("parent", || parent.array_of_parents());
    frame.put("len", || len.array());
    frame.put("kind", || {
        let keys = UInt8Array::from_iter_values(mark.iter().map(|&mark| Mark(mark).kind() as u8));
        let words = StringArray::from_iter_values(Kind::ALL.iter().map(|kind| kind.word()));
        Arc::new(DictionaryArray::<UInt8Type>::new(keys, Arc::new(words)))
    });
    frame.put("place", || place.array());
    frame.put("start", || start.array());
    frame.put("end", || end.array());
    frame.put("span", || span.array());
    let sources = run.sources()?;
    frame.put("line", || lines(&sources, site.iter().map(|&site| sources.site(site).map(|site| site.from))));
    Ok(())
}
