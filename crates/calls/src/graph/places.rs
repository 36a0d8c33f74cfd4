//! What was spent in super nodes and through edges at each place: one pass over the values of each place.

use rayon::prelude::*;

use super::SuperGraph;
use crate::by_call::ByCall;
use crate::paths::Paths;
use crate::schema::NONE;

/// Values of super nodes and edges by place (or by run, in an ensemble).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    places: usize,
    own: Vec<i64>,
    inclusive: Vec<i64>,
    flow: Vec<i64>,
}

impl Columns {
    /// Number of places.
    pub fn place_count(&self) -> usize {
        self.places
    }

    /// What was spent in a super node itself, by place.
    pub fn own(&self, node: u32) -> &[i64] {
        row(&self.own, node, self.places)
    }

    /// What was spent in a super node with all that it called, by place.
    pub fn inclusive(&self, node: u32) -> &[i64] {
        row(&self.inclusive, node, self.places)
    }

    /// What was spent in what is called through an edge, by place.
    pub fn flow(&self, edge: u32) -> &[i64] {
        row(&self.flow, edge, self.places)
    }
}

fn row(values: &[i64], at: u32, places: usize) -> &[i64] {
    let from = at as usize * places;
    values.get(from..from + places).unwrap_or_default()
}

/// The values of one place: own and inclusive by super node, flow by edge.
type OfPlace = (Vec<i64>, Vec<i64>, Vec<i64>);

impl SuperGraph {
    /// The values of a metric by place.
    pub fn columns(&self, paths: &impl Paths, metric: usize) -> Columns {
        let places = paths.column_count();
        let ends: Vec<u32> = (self.heads.iter())
            .map(|head| paths.tree().range(crosscut_tree::NodeId(head.node)).end as u32)
            .collect();
        let all: Vec<OfPlace> = (0..places)
            .into_par_iter()
            .map(|place| self.of_place(paths.column(metric, place), &ends))
            .collect();
        Columns {
            places,
            own: turned(&all, self.nodes.len(), |values| &values.0),
            inclusive: turned(&all, self.nodes.len(), |values| &values.1),
            flow: turned(&all, self.edges.len(), |values| &values.2),
        }
    }

    /// What was spent in each super node itself at each place: by super node, then place. A call all of whose call paths are in one
    /// super node is taken as a whole; only those of others (copies, splits, calls between filtered functions) are looked at one by one.
    pub fn own_by_place(&self, paths: &impl Paths, metric: usize, by_call: &ByCall) -> Vec<i64> {
        const SEVERAL: u32 = NONE - 1;
        let mut to = vec![NONE; by_call.frames().len()];
        for (&call, &head) in by_call.numbers().iter().zip(&self.head_of) {
            let (Some(to), Some(head)) = (to.get_mut(call as usize), self.heads.get(head as usize)) else {
                continue;
            };
            *to = if *to == NONE || *to == head.to { head.to } else { SEVERAL };
        }
        let single = |call: u32| to.get(call as usize).is_some_and(|&to| to != SEVERAL);
        let numbers = by_call.numbers().iter().zip(&self.head_of).enumerate();
        let apart: Vec<(u32, u32)> = numbers
            .filter(|(_, (call, _))| !single(**call))
            .filter_map(|(node, (_, &head))| Some((node as u32, self.heads.get(head as usize)?.to)))
            .collect();
        let (nodes, places) = (self.nodes.len(), paths.column_count());
        let at_place = |place: usize| {
            let mut own = vec![0i64; nodes];
            let whole = to.iter().zip(by_call.place(place)).map(|(&to, &value)| (to, value));
            let values = paths.column(metric, place);
            let parts = apart.iter().map(|&(node, to)| (to, values.get(node as usize).copied().unwrap_or(0)));
            for (to, value) in whole.chain(parts) {
                if let Some(sum) = own.get_mut(to as usize) {
                    *sum = sum.wrapping_add(value);
                }
            }
            own
        };
        let all: Vec<Vec<i64>> = (0..places).into_par_iter().map(at_place).collect();
        turned(&all, nodes, |values| values)
    }

    /// What was spent at some places: itself and with callees, by super node. `paths` are call paths of these places.
    pub fn at(&self, paths: &impl Paths, metric: usize) -> (Vec<i64>, Vec<i64>) {
        let (own, inclusive, _) = self.values(paths, metric);
        (own, inclusive)
    }

    /// Nodes are in pre-order, so the heads that are open at a node are a stack.
    fn of_place(&self, values: &[i64], ends: &[u32]) -> OfPlace {
        let (nodes, edges) = (self.nodes.len(), self.edges.len());
        let (mut own, mut inclusive, mut flow) = (vec![0i64; nodes], vec![0i64; nodes], vec![0i64; edges]);
        if values.len() != self.head_of.len() {
            return (own, inclusive, flow);
        }
        let mut open: Vec<(usize, i64)> = Vec::new();
        let mut sum = 0i64;
        let mut close = |head: usize, value: i64| {
            let head = &self.heads[head];
            let to = head.to as usize;
            own[to] = own[to].wrapping_add(value);
            inclusive[to] = inclusive[to].wrapping_add(value);
            if let Some(edge) = self.edges.get(head.edge as usize) {
                flow[head.edge as usize] = flow[head.edge as usize].wrapping_add(value);
                own[edge.from as usize] = own[edge.from as usize].wrapping_sub(value);
            }
        };
        let mut at = 0usize;
        for (number, head) in self.heads.iter().enumerate() {
            let start = head.node as usize;
            while let Some(&(last, before)) = open.last().filter(|(last, _)| ends[*last] as usize <= start) {
                let end = ends[last] as usize;
                sum = sum.wrapping_add(total(&values[at..end]));
                at = end;
                close(last, sum.wrapping_sub(before));
                open.pop();
            }
            sum = sum.wrapping_add(total(&values[at..start]));
            at = start;
            open.push((number, sum));
        }
        while let Some((last, before)) = open.pop() {
            let end = ends[last] as usize;
            sum = sum.wrapping_add(total(&values[at..end]));
            at = end;
            close(last, sum.wrapping_sub(before));
        }
        (own, inclusive, flow)
    }
}

/// From values by place to values by row, then place.
fn turned<T>(all: &[T], rows: usize, of: impl Fn(&T) -> &[i64]) -> Vec<i64> {
    let mut out = vec![0i64; rows * all.len()];
    for (place, values) in all.iter().enumerate() {
        for (at, &value) in of(values).iter().enumerate().take(rows) {
            out[at * all.len() + place] = value;
        }
    }
    out
}

fn total(values: &[i64]) -> i64 {
    values.iter().fold(0, |sum, &value| sum.wrapping_add(value))
}
