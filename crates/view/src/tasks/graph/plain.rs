//! Plain GraphML: grains, forks, joins, start and end.

use std::io::{self, Write};

use super::{Edge, Graph, Raw, Writer, xml};

/// Writes it piece by piece.
pub struct GraphMl<'a, 'o> {
    pub graph: &'a Graph<'a>,
    pub out: &'o mut dyn Write,
    pub edges: u64,
}

impl Writer for GraphMl<'_, '_> {
    fn begin(&mut self) -> io::Result<()> {
        xml::begin(self.out, self.graph, "", "")
    }

    fn node(&mut self, node: Raw) -> io::Result<()> {
        let data = match node {
            Raw::Grain(grain) => self.graph.data(grain),
            Raw::Start => vec![("v_kind", "start".to_owned())],
            Raw::End => vec![("v_kind", "end".to_owned())],
            Raw::Fork(_) => vec![("v_kind", "fork".to_owned())],
            Raw::Join(_) => vec![("v_kind", "join".to_owned())],
        };
        write!(self.out, r#"<node id="{}">"#, node.id())?;
        xml::data(self.out, &data)?;
        writeln!(self.out, "</node>")
    }

    fn edge(&mut self, edge: Edge) -> io::Result<()> {
        let (from, to) = (edge.from.id(), edge.to.id());
        write!(self.out, r#"<edge id="e{}" source="{from}" target="{to}">"#, self.edges)?;
        self.edges += 1;
        xml::data(self.out, &xml::edge_data(edge.kind(), edge.critical))?;
        writeln!(self.out, "</edge>")
    }

    fn end(&mut self) -> io::Result<()> {
        writeln!(self.out, "</graph>\n</graphml>")
    }
}
