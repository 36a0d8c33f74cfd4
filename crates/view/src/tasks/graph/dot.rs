//! DOT, as Graphviz draws it.

use std::io::{self, Write};

use super::{Edge, Graph, Raw, Writer, xml};
use crate::format::time;
use crate::tasks::colour::Painter;
use crosscut_scene::palette::Theme;
use crosscut_scene::printable::printable;

/// Writes it piece by piece.
pub struct Dot<'a, 'o> {
    pub graph: &'a Graph<'a>,
    pub paint: Painter<'a>,
    pub out: &'o mut dyn Write,
}

/// As a quoted string of DOT.
fn quoted(text: &str) -> String {
    format!("\"{}\"", printable(text).replace('\\', "\\\\").replace('"', "\\\""))
}

impl Writer for Dot<'_, '_> {
    fn begin(&mut self) -> io::Result<()> {
        writeln!(self.out, "digraph grains {{")?;
        writeln!(self.out, "  node [shape=box, style=filled, fontname=\"sans-serif\", fontsize=10];")?;
        writeln!(self.out, "  edge [arrowsize=0.6, color=\"{}\"];", xml::GREY)
    }

    fn node(&mut self, node: Raw) -> io::Result<()> {
        let Raw::Grain(grain) = node else {
            let shape = match node {
                Raw::Fork(_) => "triangle",
                Raw::Join(_) => "invtriangle",
                _ => "circle",
            };
            let style =
                format!("shape={shape}, label=\"\", width=0.2, height=0.2, fillcolor=\"{}\"", xml::GREY);
            return writeln!(self.out, "  {} [{style}];", node.id());
        };
        let (tasks, grains) = (self.graph.tasks, self.graph.grains);
        let source = tasks.source(grains.task(grain)).0;
        let (place, fill) = match source {
            Some(source) => {
                let slot = self.paint.slot(grains.task(grain));
                (source.short(), Theme::LIGHT.slot(slot).hex())
            }
            None => (format!("#{}", grains.task(grain).0), "#d0d7de".to_owned()),
        };
        let work = time(grains.work(grain) as f64, tasks.clock());
        let label = quoted(&format!("{place}\u{2002}{work}"));
        let problem = self.graph.problems_of(grain).next().is_some();
        let rim = if problem { format!(", color=\"{}\", penwidth=2", xml::RED) } else { String::new() };
        let data: String =
            self.graph.data(grain).iter().map(|(key, value)| format!(", {key}={}", quoted(value))).collect();
        writeln!(self.out, "  {} [label={label}, fillcolor=\"{fill}\"{rim}{data}];", node.id())
    }

    fn edge(&mut self, edge: Edge) -> io::Result<()> {
        let red = if edge.critical { format!(", color=\"{}\", penwidth=2", xml::RED) } else { String::new() };
        // A dependence pulls nothing into another rank than fork and join give it.
        let style = if edge.depend { ", style=dashed, constraint=false" } else { "" };
        let (from, to) = (edge.from.id(), edge.to.id());
        writeln!(self.out, "  {from} -> {to} [e_type={}{style}{red}];", edge.kind())
    }

    fn end(&mut self) -> io::Result<()> {
        writeln!(self.out, "}}")
    }
}
