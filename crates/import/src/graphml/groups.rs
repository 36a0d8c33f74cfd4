//! Nested graphs whose edges join groups, as `crosscut export --to graphml` writes them and yEd draws them: an edge that leads
//! to a group leads to what comes first inside, one that leads from it comes from what is last there. Members that are put
//! aside together come first and last all at once.

use crate::error::ImportError;
use crate::input::Input;

use super::node::NodeKind;
use super::xml::Graph;

/// In no group.
pub const OUTSIDE: u32 = u32::MAX;

/// Replaces edges from and to groups by those between what stands in them. `parents` has the group of each node, `closed`
/// the groups with those inside before those around.
pub fn resolve(
    input: &Input<'_>,
    graph: &mut Graph,
    parents: &[u32],
    closed: &[u32],
) -> Result<(), ImportError> {
    let is_group = |node: u32| graph.nodes[node as usize].kind == Some(NodeKind::Group);
    if !graph.edges.iter().any(|&(from, to)| is_group(from) || is_group(to)) {
        return Ok(());
    }
    let count = graph.nodes.len();
    let parent = |node: u32| parents.get(node as usize).copied().unwrap_or(OUTSIDE);
    let (mut follows, mut precedes) = (vec![false; count], vec![false; count]);
    for &(from, to) in graph.edges.iter().filter(|&&(from, to)| parent(from) == parent(to)) {
        (precedes[from as usize], follows[to as usize]) = (true, true);
    }
    let mut inside: Vec<Vec<u32>> = vec![Vec::new(); count];
    for node in (0..count as u32).filter(|&node| parent(node) != OUTSIDE) {
        inside[parent(node) as usize].push(node);
    }
    // Of groups that hold groups, what comes first would be listed again and again: a few times is all that makes sense.
    let mut room = 8 * count;
    let mut ends = [vec![Vec::new(); count], vec![Vec::new(); count]];
    for &group in closed {
        for (ends, has) in ends.iter_mut().zip([&follows, &precedes]) {
            let mut found: Vec<u32> = Vec::new();
            for &member in inside[group as usize].iter().filter(|&&member| !has[member as usize]) {
                match is_group(member) {
                    true => found.extend(&ends[member as usize]),
                    false => found.push(member),
                }
            }
            room = room
                .checked_sub(found.len())
                .ok_or_else(|| graph.broken(input, group, "groups in groups without order"))?;
            ends[group as usize] = found;
        }
    }
    let [firsts, lasts] = ends;
    let mut edges = Vec::with_capacity(graph.edges.len());
    for &(from, to) in &graph.edges {
        let one = |node: u32| std::slice::from_ref(&node).to_vec();
        let starts = if is_group(from) { lasts[from as usize].clone() } else { one(from) };
        let targets = if is_group(to) { firsts[to as usize].clone() } else { one(to) };
        if starts.is_empty() || targets.is_empty() {
            return Err(graph.broken(
                input,
                if starts.is_empty() { from } else { to },
                "an edge joins a group without a first or a last node",
            ));
        }
        if starts.len() > 1 && targets.len() > 1 {
            return Err(graph.broken(input, from, "an edge joins two groups of several members each"));
        }
        room = room
            .checked_sub(starts.len().max(targets.len()))
            .ok_or_else(|| graph.broken(input, from, "edges of groups without order"))?;
        edges.extend(starts.iter().flat_map(|&start| targets.iter().map(move |&target| (start, target))));
    }
    graph.edges = edges;
    Ok(())
}
