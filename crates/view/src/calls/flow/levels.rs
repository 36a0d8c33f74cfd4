//! Levels of a flow: how many calls deep each bar stands, and what passes through a level on its way to a later one.

/// A flow from one bar to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// The bar that it leaves.
    pub from: usize,
    /// The bar that it enters.
    pub to: usize,
    /// How wide it is.
    pub weight: f64,
}

/// Bars and flows without cycles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// The height of each bar, in the unit of flows.
    pub weight: Vec<f64>,
    /// Flows between them.
    pub flows: Vec<Flow>,
}

/// By bar: the longest way to it from a bar that nothing enters. A cycle, which no super graph has, ends the count.
pub fn levels(graph: &Graph) -> Vec<usize> {
    let bars = graph.weight.len();
    let mut entering = vec![0usize; bars];
    for flow in &graph.flows {
        entering[flow.to] += 1;
    }
    let mut level = vec![0; bars];
    let mut ready: Vec<usize> = (0..bars).filter(|&bar| entering[bar] == 0).collect();
    while let Some(bar) = ready.pop() {
        for flow in graph.flows.iter().filter(|flow| flow.from == bar) {
            level[flow.to] = level[flow.to].max(level[bar] + 1);
            entering[flow.to] -= 1;
            if entering[flow.to] == 0 {
                ready.push(flow.to);
            }
        }
    }
    level
}

/// A bar, or the place where a flow passes a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Item {
    /// Its level.
    pub level: usize,
    /// Its height, in the unit of flows.
    pub weight: f64,
    /// The flow that passes here; none of a bar.
    pub passes: Option<usize>,
}

/// A piece of a flow from one level to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// Item on the left.
    pub from: usize,
    /// Item on the right.
    pub to: usize,
    /// Of which flow.
    pub flow: usize,
    /// How wide it is.
    pub weight: f64,
}

/// A graph in which flows go from level to level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Levelled {
    /// The bars, then where flows pass.
    pub items: Vec<Item>,
    /// Pieces of flows, those of a flow one after the other.
    pub pieces: Vec<Piece>,
    /// By item: the pieces that leave it, and those that enter it.
    pub out: Vec<Vec<usize>>,
    /// See `out`.
    pub into: Vec<Vec<usize>>,
    /// Number of levels.
    pub levels: usize,
}

impl Levelled {
    /// Puts every bar on its level, and an item on each level that a flow passes.
    pub fn new(graph: &Graph) -> Self {
        let level = levels(graph);
        let bar = |(&weight, &level): (&f64, &usize)| Item { level, weight, passes: None };
        let mut items: Vec<Item> = graph.weight.iter().zip(&level).map(bar).collect();
        let mut pieces = Vec::new();
        for (number, flow) in graph.flows.iter().enumerate() {
            let mut from = flow.from;
            for level in level[flow.from] + 1..level[flow.to] {
                items.push(Item { level, weight: flow.weight, passes: Some(number) });
                let to = items.len() - 1;
                pieces.push(Piece { from, to, flow: number, weight: flow.weight });
                from = to;
            }
            pieces.push(Piece { from, to: flow.to, flow: number, weight: flow.weight });
        }
        let (mut out, mut into) = (vec![Vec::new(); items.len()], vec![Vec::new(); items.len()]);
        for (number, piece) in pieces.iter().enumerate() {
            out[piece.from].push(number);
            into[piece.to].push(number);
        }
        let levels = items.iter().map(|item| item.level + 1).max().unwrap_or(0);
        Levelled { items, pieces, out, into, levels }
    }

    /// The items of each level, in the order of their numbers.
    pub fn by_level(&self) -> Vec<Vec<usize>> {
        let mut order = vec![Vec::new(); self.levels];
        for (number, item) in self.items.iter().enumerate() {
            order[item.level].push(number);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_stands_right_of_all_that_call_it() {
        let flow = |from, to| Flow { from, to, weight: 1.0 };
        let graph = Graph {
            weight: vec![1.0; 4],
            flows: vec![flow(0, 1), flow(1, 2), flow(0, 2), flow(2, 3), flow(0, 3)],
        };
        assert_eq!(levels(&graph), [0, 1, 2, 3]);
        let levelled = Levelled::new(&graph);
        assert_eq!(levelled.items.len(), 4 + 1 + 2);
        assert_eq!(levelled.pieces.len(), 5 + 1 + 2);
        assert!(
            levelled
                .pieces
                .iter()
                .all(|piece| { levelled.items[piece.from].level + 1 == levelled.items[piece.to].level })
        );
    }
}
