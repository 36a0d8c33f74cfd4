//! GraphML: keys, and the data of nodes and edges.

use std::io::{self, Write};

use super::Graph;
use crosscut_scene::svg::escape;

/// Keys of node data, with their types.
pub const NODE_KEYS: [(&str, &str); 18] = [
    ("v_kind", "string"),
    ("v_work", "long"),
    ("v_critical_path", "long"),
    ("v_creation", "long"),
    ("v_sync", "long"),
    ("v_parallel_benefit", "double"),
    ("v_balance", "double"),
    ("v_scatter", "double"),
    ("v_parallelism", "double"),
    ("v_deviation", "double"),
    ("v_grains", "long"),
    ("v_core", "long"),
    ("v_worker", "long"),
    ("v_start", "long"),
    ("v_chunk_first", "long"),
    ("v_chunk_count", "long"),
    ("v_source", "string"),
    ("v_problems", "string"),
];

/// Keys of edge data, with their types.
pub const EDGE_KEYS: [(&str, &str); 4] =
    [("e_type", "string"), ("e_color", "string"), ("e_weight", "double"), ("e_on_crit_path", "boolean")];

/// Keys of graph data, with their types.
const GRAPH_KEYS: [(&str, &str); 2] = [("g_clock", "string"), ("g_workers", "long")];

/// The opening of a file: keys, and the graph itself.
pub fn begin(out: &mut dyn Write, graph: &Graph<'_>, extra: &str, attributes: &str) -> io::Result<()> {
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<graphml xmlns="http://graphml.graphdrawing.org/xmlns"{attributes}>"#)?;
    for (key, kind) in NODE_KEYS {
        writeln!(out, r#"<key id="{key}" for="node" attr.name="{key}" attr.type="{kind}"/>"#)?;
    }
    for (key, kind) in GRAPH_KEYS {
        writeln!(out, r#"<key id="{key}" for="graph" attr.name="{key}" attr.type="{kind}"/>"#)?;
    }
    for (key, kind) in EDGE_KEYS {
        writeln!(out, r#"<key id="{key}" for="edge" attr.name="{key}" attr.type="{kind}"/>"#)?;
    }
    out.write_all(extra.as_bytes())?;
    writeln!(out, r#"<graph id="grains" edgedefault="directed">"#)?;
    let (clock, workers) = (graph.tasks.clock().unit(), graph.grains.workers().to_string());
    data(out, &[("g_clock", clock.to_owned()), ("g_workers", workers)])?;
    writeln!(out)
}

/// The data of a node or an edge.
pub fn data(out: &mut dyn Write, data: &[(&'static str, String)]) -> io::Result<()> {
    for (key, value) in data {
        write!(out, r#"<data key="{key}">{}</data>"#, escape(value))?;
    }
    Ok(())
}

/// Colours of edges: of the critical path, of others.
pub const RED: &str = "#c8102e";
pub const GREY: &str = "#6e7781";
/// The border of a group without problems.
pub const GREEN: &str = "#1a7f37";

/// The data of an edge.
pub fn edge_data(kind: &str, critical: bool) -> [(&'static str, String); 4] {
    let colour = if critical { RED } else { GREY };
    [
        ("e_type", kind.to_owned()),
        ("e_color", colour.to_owned()),
        ("e_weight", "1".to_owned()),
        ("e_on_crit_path", critical.to_string()),
    ]
}
