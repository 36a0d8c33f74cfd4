//! What the page can ask, one module per question. Each takes an open run and gives the answer type of the protocol.

pub mod grain;
pub mod grain_scene;
pub mod grain_table;
pub mod hello;
pub mod node;
pub mod overview;
pub mod problems;
pub mod scene;
pub mod search;
pub mod table;
pub mod whatif;

use crosscut_run::Source;
use crosscut_tasks::Tasks;
use crosscut_tree::{Cut, NodeId, Plain, fold};
use crosscut_view::format::count;

use crate::OpenRun;
use crate::answer::Refusal;

/// Visible items of a cut at most: more cannot be drawn or read.
pub const MOST_ITEMS: usize = 20_000;

impl OpenRun {
    /// A cut from its text; the empty text is the cut that the run opens with.
    pub fn cut(&self, text: &str) -> Result<Cut, Refusal> {
        if text.is_empty() {
            return Ok(self.first_cut.clone());
        }
        Cut::from_text(self.tasks.tree(), text).map_err(|error| error.to_string())
    }
}

/// How many items are visible; an error when they are too many.
pub fn visible(tasks: &Tasks, cut: &Cut) -> Result<usize, Refusal> {
    let visible = fold::visible(&Plain(tasks.tree()), cut).take(MOST_ITEMS + 1).count();
    if visible > MOST_ITEMS { Err(too_many()) } else { Ok(visible) }
}

/// Why a cut is not drawn.
pub fn too_many() -> Refusal {
    format!("more than {} things would be visible: close some first", count(MOST_ITEMS as i64))
}

/// A node that exists.
pub fn existing(tasks: &Tasks, node: u32) -> Result<NodeId, Refusal> {
    let id = NodeId(node);
    if tasks.tree().contains(id) {
        Ok(id)
    } else {
        Err(format!("there is no node {node}: the run has {} nodes", count(tasks.tree().node_count() as i64)))
    }
}

/// "worker 3", or "several".
pub fn worker_name(tasks: &Tasks, node: NodeId) -> String {
    tasks.worker(node).map_or_else(|| "several".to_owned(), |worker| format!("worker {worker}"))
}

/// "src/sort.c:120"; the function, or the file, where the line is not known.
pub fn long_source(source: &Source) -> String {
    if source.file.is_empty() || source.line == 0 {
        return source.short();
    }
    format!("{}:{}", source.file, source.line)
}

/// "sort.c:120" of where a node began, "" when it is not known.
pub fn short_source(tasks: &Tasks, node: NodeId) -> String {
    tasks.sources().from(tasks.site(node)).map_or_else(String::new, |source| source.short())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_without_a_line_is_its_function() {
        let source = |file: &str, line: i64, function: &str| Source {
            file: file.to_owned(),
            line,
            function: function.to_owned(),
        };
        assert_eq!(long_source(&source("/a/sort.c", 12, "sort")), "/a/sort.c:12");
        assert_eq!(long_source(&source("", 0, "sort")), "sort");
        assert_eq!(long_source(&source("/a/sort.c", 0, "sort")), "sort");
        assert_eq!(long_source(&source("/a/sort.c", 0, "")), "sort.c");
    }
}
