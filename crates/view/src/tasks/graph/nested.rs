//! GraphML with nested groups, as yEd writes it: groups open folded, with a red border where they hold problems and a
//! green one where they do not. The problem that is looked at is separated: what does not have it is in a group of its
//! own.

use std::io::{self, Write};

use crosscut_tasks::grain::{GrainKind, GrainPath, ProblemSet};
use crosscut_tree::fold::{self, Part};
use crosscut_tree::{Cut, Folds, NodeId, NodeSet, Tree};

use super::{Graph, xml};
use crate::format::{count, time};
use crate::tasks::colour::{ColourBy, Painter};
use crosscut_scene::palette::Theme;
use crosscut_scene::svg::escape;

/// Something that a group shows: a member, or members put aside.
enum Member {
    Node(NodeId),
    Aside(Aside),
}

/// Members put aside.
struct Aside {
    nodes: Vec<NodeId>,
    /// They follow each other.
    linear: bool,
    /// Which of them the critical path takes.
    path: Option<GrainPath>,
}

/// A group that is being written.
struct Level {
    /// Its id, of which those of its fork and join are made.
    id: String,
    members: Members,
    critical: bool,
    path: Option<GrainPath>,
    /// What is still to be written, the next one last.
    rest: Vec<Member>,
    /// The member before, in a linear group.
    before: Option<(String, bool)>,
}

/// How the members of a group stand to each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Members {
    /// Between a fork and a join.
    Parallel,
    /// One after the other.
    Linear,
    /// Put aside from a fork-join, whose edges lead to and from all of them at once.
    Beside,
}

/// A group as a problem separates it, all members looked at.
struct Separated<'a> {
    graph: &'a Graph<'a>,
    lens: Option<&'a ProblemSet>,
    parallel: bool,
}

impl Folds for Separated<'_> {
    fn tree(&self) -> Tree<'_> {
        self.graph.grains.tree()
    }

    fn chosen(&self) -> Option<&NodeSet> {
        self.lens.map(|set| set.lens.chosen())
    }

    fn is_parallel(&self, _: NodeId) -> bool {
        self.parallel
    }

    fn many(&self) -> usize {
        usize::MAX
    }

    fn looked_at(&self) -> usize {
        usize::MAX
    }
}

struct Nested<'a, 'o> {
    graph: &'a Graph<'a>,
    paint: Painter<'a>,
    out: &'o mut dyn Write,
    edges: u64,
}

const YFILES: &str = r#" xmlns:y="http://www.yworks.com/xml/graphml""#;
const KEYS: &str = "<key id=\"d_node\" for=\"node\" yfiles.type=\"nodegraphics\"/>\n\
                    <key id=\"d_edge\" for=\"edge\" yfiles.type=\"edgegraphics\"/>\n";

/// Writes the whole graph.
pub fn write(graph: &Graph<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut nested = Nested { graph, paint: Painter::new(graph.tasks, ColourBy::Source), out, edges: 0 };
    xml::begin(nested.out, graph, KEYS, YFILES)?;
    let mut levels: Vec<Level> = Vec::new();
    let mut now = Some((Member::Node(NodeId::ROOT), true));
    loop {
        if let Some((member, critical)) = now.take() {
            match nested.open(member, critical)? {
                Opened::Group(level) => levels.push(level),
                Opened::Leaf(id) => nested.link(levels.last_mut(), id, critical)?,
            }
        }
        let Some(level) = levels.last_mut() else { break };
        match level.rest.pop() {
            Some(mut member) => {
                let takes = |node: NodeId| level.path.as_ref().is_none_or(|path| path.takes(node));
                let takes = match &mut member {
                    Member::Node(node) => takes(*node),
                    Member::Aside(aside) => {
                        aside.path.clone_from(&level.path);
                        aside.nodes.iter().any(|&node| takes(node))
                    }
                };
                now = Some((member, level.critical && takes));
            }
            None => {
                writeln!(nested.out, "</graph></node>")?;
                if let Some(Level { id, critical, .. }) = levels.pop() {
                    nested.link(levels.last_mut(), id, critical)?;
                }
            }
        }
    }
    writeln!(nested.out, "</graph>\n</graphml>")
}

enum Opened {
    Leaf(String),
    Group(Level),
}

impl Nested<'_, '_> {
    fn lens(&self) -> Option<&ProblemSet> {
        self.graph.problems.first()
    }

    /// Writes a member: a grain whole, a group up to its own graph.
    fn open(&mut self, member: Member, critical: bool) -> io::Result<Opened> {
        let grains = self.graph.grains;
        let node = match member {
            Member::Aside(aside) => return self.open_aside(aside, critical),
            Member::Node(node) => node,
        };
        if !grains.kind(node).is_group() {
            self.grain(node)?;
            return Ok(Opened::Leaf(format!("g{}", node.0)));
        }
        let id = format!("n{}", node.0);
        let parallel = grains.kind(node) == GrainKind::ForkJoin;
        let problem = self.graph.problems_of(node).next().is_some();
        let inside = grains.grain_range(node).len() as i64;
        let s = if inside == 1 { "" } else { "s" };
        let title = format!("{} · {} grain{s} · {}", self.place(node), count(inside), self.work(node));
        self.group(&id, &title, problem, &self.graph.data(node))?;
        if parallel {
            self.dot(&format!("{id}:f"), "fork")?;
            self.dot(&format!("{id}:j"), "join")?;
        }
        let path = (critical && parallel).then(|| grains.path(self.graph.tasks, node));
        let rest = self.members(node, parallel);
        let members = if parallel { Members::Parallel } else { Members::Linear };
        Ok(Opened::Group(Level { id, members, critical, path, rest, before: None }))
    }

    /// Members without the problem, in a group of their own.
    fn open_aside(&mut self, aside: Aside, critical: bool) -> io::Result<Opened> {
        let Aside { nodes: members, linear, path } = aside;
        let id = format!("r{}", members[0].0);
        let grains: usize = members.iter().map(|&node| self.graph.grains.grain_range(node).len()).sum();
        let data = [("v_kind", "aside".to_owned()), ("v_grains", grains.to_string())];
        let s = if members.len() == 1 { "" } else { "s" };
        self.group(&id, &format!("{} other{s}", count(members.len() as i64)), false, &data)?;
        let rest = members.into_iter().rev().map(Member::Node).collect();
        let members = if linear { Members::Linear } else { Members::Beside };
        Ok(Opened::Group(Level { id, members, critical, path, rest, before: None }))
    }

    /// What a group shows, the next one last.
    fn members(&self, group: NodeId, parallel: bool) -> Vec<Member> {
        let separated = Separated { graph: self.graph, lens: self.lens(), parallel };
        let member = |part: Part| match part.members {
            fold::Members::These(nodes) => Member::Aside(Aside { nodes, linear: !parallel, path: None }),
            fold::Members::Run(range) => {
                let tree = self.graph.grains.tree();
                let next = |node: &NodeId| tree.next_sibling(*node).filter(|next| next.index() < range.end);
                let nodes = std::iter::successors(Some(part.node), next).collect();
                Member::Aside(Aside { nodes, linear: !parallel, path: None })
            }
            _ => Member::Node(part.node),
        };
        let shown = fold::shown(&separated, &Cut::closed(), group);
        let mut members: Vec<Member> = shown.into_iter().map(member).collect();
        members.reverse();
        members
    }

    /// Edges of a member that is complete to its group's fork and join, or from the member before.
    fn link(&mut self, level: Option<&mut Level>, id: String, critical: bool) -> io::Result<()> {
        let Some(level) = level else { return Ok(()) };
        if level.members == Members::Beside {
            return Ok(());
        }
        if level.members == Members::Parallel {
            let (fork, join) = (format!("{}:f", level.id), format!("{}:j", level.id));
            self.edge(&fork, &id, "create", critical)?;
            return self.edge(&id, &join, "sync", critical);
        }
        if let Some((before, was_critical)) = level.before.take() {
            self.edge(&before, &id, "continue", critical && was_critical)?;
        }
        level.before = Some((id, critical));
        Ok(())
    }

    fn place(&self, node: NodeId) -> String {
        match self.graph.tasks.source(self.graph.grains.task(node)).0 {
            Some(source) => source.short(),
            None => format!("#{}", self.graph.grains.task(node).0),
        }
    }

    fn work(&self, node: NodeId) -> String {
        time(self.graph.grains.work(node) as f64, self.graph.tasks.clock())
    }

    fn grain(&mut self, node: NodeId) -> io::Result<()> {
        let (tasks, grains) = (self.graph.tasks, self.graph.grains);
        let fill = match tasks.source(grains.task(node)).0 {
            Some(_) => Theme::LIGHT.slot(self.paint.slot(grains.task(node))).hex(),
            None => "#d0d7de".to_owned(),
        };
        let problem = self.graph.problems_of(node).next().is_some();
        let (border, width) = if problem { (xml::RED, 3.0) } else { (xml::GREY, 1.0) };
        // Length by execution time, on a scale that keeps nanoseconds and seconds on one screen.
        let height = (16.0 + 12.0 * (1.0 + grains.work(node).max(0) as f64).log10()).round();
        write!(self.out, r#"<node id="g{}">"#, node.0)?;
        xml::data(self.out, &self.graph.data(node))?;
        let title = escape(&format!("{} · {}", self.place(node), self.work(node)));
        writeln!(
            self.out,
            r#"<data key="d_node"><y:ShapeNode><y:Geometry width="96" height="{height}"/><y:Fill color="{fill}"/><y:BorderStyle color="{border}" type="line" width="{width}"/><y:NodeLabel fontSize="10">{title}</y:NodeLabel><y:Shape type="rectangle"/></y:ShapeNode></data></node>"#
        )
    }

    /// A fork or a join.
    fn dot(&mut self, id: &str, kind: &str) -> io::Result<()> {
        write!(self.out, r#"<node id="{id}">"#)?;
        xml::data(self.out, &[("v_kind", kind.to_owned())])?;
        let grey = xml::GREY;
        writeln!(
            self.out,
            r#"<data key="d_node"><y:ShapeNode><y:Geometry width="14" height="14"/><y:Fill color="{grey}"/><y:BorderStyle color="{grey}" type="line" width="1"/><y:Shape type="ellipse"/></y:ShapeNode></data></node>"#
        )
    }

    /// A group, folded; its own graph is left open.
    fn group(
        &mut self,
        id: &str,
        title: &str,
        problem: bool,
        data: &[(&'static str, String)],
    ) -> io::Result<()> {
        let marked = !self.graph.problems.is_empty();
        let border = match (marked, problem) {
            (false, _) => xml::GREY,
            (true, true) => xml::RED,
            (true, false) => xml::GREEN,
        };
        let title = escape(title);
        let shape = |closed: bool| {
            format!(
                r#"<y:GroupNode><y:Geometry width="160" height="50"/><y:Fill hasColor="false"/><y:BorderStyle color="{border}" type="line" width="2"/><y:NodeLabel autoSizePolicy="node_width" modelName="internal" modelPosition="t">{title}</y:NodeLabel><y:Shape type="roundrectangle"/><y:State closed="{closed}" closedHeight="50" closedWidth="160" innerGraphDisplayEnabled="false"/></y:GroupNode>"#
            )
        };
        write!(self.out, r#"<node id="{id}" yfiles.foldertype="folder">"#)?;
        xml::data(self.out, data)?;
        write!(
            self.out,
            r#"<data key="d_node"><y:ProxyAutoBoundsNode><y:Realizers active="1">{}{}</y:Realizers></y:ProxyAutoBoundsNode></data>"#,
            shape(false),
            shape(true)
        )?;
        writeln!(self.out, r#"<graph id="{id}:" edgedefault="directed">"#)
    }

    fn edge(&mut self, from: &str, to: &str, kind: &str, critical: bool) -> io::Result<()> {
        write!(self.out, r#"<edge id="e{}" source="{from}" target="{to}">"#, self.edges)?;
        self.edges += 1;
        xml::data(self.out, &xml::edge_data(kind, critical))?;
        let (colour, width) = if critical { (xml::RED, 2.0) } else { (xml::GREY, 1.0) };
        writeln!(
            self.out,
            r#"<data key="d_edge"><y:PolyLineEdge><y:LineStyle color="{colour}" type="line" width="{width}"/><y:Arrows source="none" target="standard"/></y:PolyLineEdge></data></edge>"#
        )
    }
}
