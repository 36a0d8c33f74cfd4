//! One small tree from each domain, to show that the same core fits tasks, messages and calls.

use crate::naive;

use crosscut_tree::fold::{parts, visible};
use crosscut_tree::{
    Builder, Cut, Lens, Members, Metric, NodeId, Part, Plain, Rule, Sums, Tree, TreeBuf, Unit, block_sums,
    from_parents, open, propagate,
};
use naive::{Looked, Naive};

/// (a) Tasks: leaves are intervals that end in create, wait or end; inner nodes are tasks and sections.
mod tasks {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Kind {
        Task,
        Section,
        Create,
        Wait,
        End,
    }

    #[derive(Default)]
    struct Recording {
        builder: Builder,
        kind: Vec<Kind>,
        time: Vec<i64>,
    }

    impl Recording {
        fn interval(&mut self, kind: Kind, time: i64) {
            self.builder.leaf().unwrap();
            self.kind.push(kind);
            self.time.push(time);
        }

        fn enter(&mut self, kind: Kind) {
            self.builder.open().unwrap();
            self.kind.push(kind);
            self.time.push(0);
        }

        fn leave(&mut self) {
            self.builder.close().unwrap();
        }

        /// task fib(n): [ create fib(n − 1), fib(n − 2) by hand in a nested task, wait ] end
        fn fib(&mut self, n: i64) {
            self.enter(Kind::Task);
            if n >= 2 {
                self.enter(Kind::Section);
                for n in [n - 1, n - 2] {
                    self.interval(Kind::Create, 1);
                    self.fib(n);
                }
                self.interval(Kind::Wait, 2);
                self.leave();
            }
            self.interval(Kind::End, 3);
            self.leave();
        }
    }

    /// Work and T∞ of fib by its recurrence.
    fn fib(n: i64) -> (i64, i64) {
        if n < 2 {
            return (3, 3);
        }
        let ((work1, span1), (work2, span2)) = (fib(n - 1), fib(n - 2));
        (work1 + work2 + 1 + 1 + 2 + 3, (1 + span1).max(2 + span2).max(1 + 1 + 2) + 3)
    }

    #[test]
    fn work_is_the_sum_and_t_infinity_the_span() {
        let mut recording = Recording::default();
        recording.fib(7);
        let Recording { builder, kind, time } = recording;
        let built = builder.finish().unwrap();
        let tree = built.view();

        let metric = |name: &str, rule| Metric::new(name, Unit::Ns, rule);
        let column = |metric: &Metric| {
            let mut values = time.clone();
            // A created task runs beside what follows its create; the root has nothing beside it.
            propagate(tree, metric.rule, &mut values, |node| kind[node.index()] == Kind::Task);
            values
        };
        let work = column(&metric("work", Rule::Sum));
        let span = column(&metric("span", Rule::Span));
        assert_eq!((work[0], span[0]), fib(7));
        assert_eq!(kind.iter().filter(|&&k| k == Kind::Create).count(), tree_tasks(&kind) - 1);

        // The same read forwards along each spine.
        let parents: Vec<Option<u32>> =
            (0..tree.node_count()).map(|i| (i > 0).then_some(built.parent[i])).collect();
        let parallel: Vec<bool> = kind.iter().map(|&k| k == Kind::Task).collect();
        let (naive, _) = Naive::from_parents(&parents);
        assert!((0..naive.count()).all(|i| span[i] == naive.span(i, &time, &parallel)));

        // The same work at every depth of the cut.
        for depth in 0..=tree.max_depth() {
            let (cut, reached) = open::to_depth(&Plain(tree), depth, usize::MAX);
            assert_eq!(reached, depth);
            assert_eq!(visible(&Plain(tree), &cut).map(|part| work[part.node.index()]).sum::<i64>(), work[0]);
        }
    }

    fn tree_tasks(kind: &[Kind]) -> usize {
        kind.iter().filter(|&&k| k == Kind::Task).count()
    }
}

/// (b) Messages: a clustering in time is a tree whose inner nodes are merges.
mod messages {
    use super::*;

    /// A cluster: its time, its node, and the messages in it.
    #[derive(Clone, Debug)]
    struct Cluster {
        time: f64,
        node: usize,
        messages: Vec<usize>,
    }

    /// Merges the two closest neighbours, ties to the left, until `k` clusters are left; the new time is the plain
    /// average (1-D median linkage). Gives the clusters and the merges as (left node, right node).
    fn cluster(times: &[f64], k: usize) -> (Vec<Cluster>, Vec<(usize, usize)>) {
        let one = |i: usize| Cluster { time: times[i], node: i, messages: vec![i] };
        let mut clusters: Vec<Cluster> = (0..times.len()).map(one).collect();
        clusters.sort_by(|a, b| a.time.total_cmp(&b.time));
        let mut merges = Vec::new();
        while clusters.len() > k {
            let gap = |i: usize| clusters[i + 1].time - clusters[i].time;
            let at =
                (0..clusters.len() - 1).reduce(|best, i| if gap(i) < gap(best) { i } else { best }).unwrap();
            let right = clusters.remove(at + 1);
            let left = &mut clusters[at];
            merges.push((left.node, right.node));
            left.time = (left.time + right.time) / 2.0;
            left.node = times.len() + merges.len() - 1;
            left.messages.extend(right.messages);
        }
        (clusters, merges)
    }

    /// The tree of the merges, siblings in the order of time. `order` names a message, or a merge after all messages.
    fn merge_tree(times: &[f64], merges: &[(usize, usize)]) -> (TreeBuf, Vec<usize>) {
        let n = times.len() + merges.len();
        let mut parent = vec![None; n];
        let mut first = times.to_vec(); // time of the earliest message of each node
        for (m, &(left, right)) in merges.iter().enumerate() {
            parent[left] = Some(times.len() + m);
            parent[right] = Some(times.len() + m);
            first.push(first[left]);
        }
        // Siblings keep the order of the input, so put that in the order of time; parents may stand anywhere. Among
        // equal times, the left of a merge comes first.
        let mut rank = vec![0; n];
        for &(left, right) in merges.iter().rev() {
            rank[right] = rank[left].max(rank[right]) + 1;
        }
        let mut input: Vec<usize> = (0..n).collect();
        input.sort_by(|&a, &b| first[a].total_cmp(&first[b]).then(rank[a].cmp(&rank[b])));
        let mut place = vec![0; n];
        input.iter().enumerate().for_each(|(at, &node)| place[node] = at as u32);
        let parents: Vec<Option<u32>> = input.iter().map(|&node| parent[node].map(|p| place[p])).collect();
        let reordered = from_parents(&parents).unwrap();
        (reordered.tree, reordered.order.into_iter().map(|old| input[old as usize]).collect())
    }

    fn messages_in(tree: Tree<'_>, item: &Part, order: &[usize], count: usize) -> Vec<usize> {
        tree.range(item.node).map(|i| order[i]).filter(|&node| node < count).collect()
    }

    #[test]
    fn phases_are_cuts_of_the_merge_tree() {
        // Three bursts, recorded out of order, with equal times and equal gaps in between.
        let times = [10.0, 52.0, 11.0, 90.0, 50.0, 12.0, 10.0, 91.0, 54.0, 13.0, 50.0];
        let bytes = [5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41];
        let (_, merges) = cluster(&times, 1);
        let (built, order) = merge_tree(&times, &merges);
        let tree = built.view();
        assert_eq!(tree.check(), Ok(()));
        assert_eq!(tree.node_count(), 2 * times.len() - 1);

        let own: Vec<i64> = order.iter().map(|&node| bytes.get(node).copied().unwrap_or(0)).collect();
        let mut total = own.clone();
        propagate(tree, Rule::Sum, &mut total, |_| false);
        assert_eq!(total[0], bytes.iter().sum::<i64>());

        let mut cut = Cut::closed();
        for k in 1..=times.len() {
            let phases: Vec<Part> = visible(&Plain(tree), &cut).collect();
            let (expected, _) = cluster(&times, k);
            let members: Vec<Vec<usize>> =
                phases.iter().map(|phase| messages_in(tree, phase, &order, times.len())).collect();
            assert_eq!(
                members,
                expected.iter().map(|c| c.messages.clone()).collect::<Vec<_>>(),
                "{k} phases"
            );
            let sum = |messages: &Vec<usize>| messages.iter().map(|&m| bytes[m]).sum::<i64>();
            let of_phase = |phase: &Part| total[phase.node.index()];
            assert!(phases.iter().map(of_phase).eq(members.iter().map(sum)));

            // One phase more: open the highest merge, which was made last.
            let highest = phases.iter().map(|phase| phase.node.index()).max_by_key(|&i| order[i]).unwrap();
            cut.open(tree, NodeId(highest as u32));
        }
        assert_eq!(visible(&Plain(tree), &cut).count(), times.len());
    }

    #[test]
    fn equal_times_make_a_chain() {
        let times = [1.0; 40];
        let (_, merges) = cluster(&times, 1);
        let (built, order) = merge_tree(&times, &merges);
        assert_eq!(built.view().max_depth(), times.len() - 1);
        let leaves: Vec<usize> = order.into_iter().filter(|&node| node < times.len()).collect();
        assert!(leaves.into_iter().eq(0..times.len()));
    }
}

/// (c) Calls: exclusive time per (node, rank); the rank is a dimension of the column, not of the tree.
mod calls {
    use super::*;

    const RANKS: usize = 2;

    /// What the pruned picture shows: a kept node with its own time, or a surrogate with all that is hidden in it.
    #[derive(Debug, PartialEq)]
    enum Drawn {
        Kept(NodeId),
        Surrogate(Vec<NodeId>),
    }

    fn prune(tree: Tree<'_>, lens: &Lens) -> Vec<Drawn> {
        let looked = Looked { tree, lens, parallel: true };
        let mut cut = Cut::closed();
        (0..tree.node_count()).map(|i| NodeId(i as u32)).filter(|&n| lens.keeps(tree, n)).for_each(|n| {
            cut.open(tree, n);
        });
        let drawn = |part: &Part| match &part.members {
            Members::These(nodes) => Drawn::Surrogate(nodes.clone()),
            _ if lens.keeps(tree, part.node) => Drawn::Kept(part.node),
            _ => Drawn::Surrogate(vec![part.node]),
        };
        parts(&looked, &cut, usize::MAX).unwrap().iter().map(drawn).collect()
    }

    #[test]
    fn pruning_by_outliers_keeps_the_totals() {
        // main(0) calls init(1) → read(2), parse(3); solve(4) → halo(5) → send(6), recv(7); axpy(8), dot(9); done(10)
        let parents =
            [None, Some(0), Some(1), Some(1), Some(0), Some(4), Some(5), Some(5), Some(4), Some(4), Some(0)];
        let built = from_parents(&parents).unwrap().tree;
        let tree = built.view();
        let exclusive: [[i64; RANKS]; 11] =
            [[0, 0], [1, 1], [4, 2], [3, 3], [2, 2], [1, 1], [90, 10], [5, 5], [3, 4], [2, 3], [0, 1]];
        let flat: Vec<i64> = exclusive.concat();

        // Inclusive time of one rank by rule, and of all ranks by prefix sums over (node, rank).
        let by_rank: Vec<Vec<i64>> = (0..RANKS)
            .map(|rank| {
                let mut values: Vec<i64> = exclusive.iter().map(|ranks| ranks[rank]).collect();
                propagate(tree, Rule::Sum, &mut values, |_| false);
                values
            })
            .collect();
        assert_eq!(by_rank.iter().map(|values| values[0]).collect::<Vec<_>>(), [111, 32]);
        let totals = block_sums(flat.len(), |i| flat[i]);
        let inclusive = |node: NodeId| {
            let range = tree.range(node);
            Sums::new(&totals).over(range.start * RANKS..range.end * RANKS, |i| flat[i])
        };
        for i in 0..tree.node_count() {
            assert_eq!(inclusive(NodeId(i as u32)), by_rank.iter().map(|values| values[i]).sum::<i64>());
        }

        // On rank 0 only send stands out: Q1 = 2, Q3 = 4, so from 7 up or −1 down.
        let first: Vec<f64> = exclusive.iter().map(|ranks| ranks[0] as f64).collect();
        let lens = Lens::outliers(&first, 1.5);
        assert_eq!(lens.chosen().iter().collect::<Vec<_>>(), [NodeId(6)]);
        let drawn = prune(tree, &lens);
        let surrogate = |nodes: &[u32]| Drawn::Surrogate(nodes.iter().map(|&n| NodeId(n)).collect());
        let kept = |node| Drawn::Kept(NodeId(node));
        assert_eq!(
            drawn,
            [kept(0), kept(4), kept(5), kept(6), surrogate(&[7]), surrogate(&[8, 9]), surrogate(&[1, 10])]
        );

        for (rank, values) in by_rank.iter().enumerate() {
            let time = |drawn: &Drawn| match drawn {
                Drawn::Kept(node) => exclusive[node.index()][rank],
                Drawn::Surrogate(nodes) => nodes.iter().map(|node| values[node.index()]).sum(),
            };
            assert_eq!(drawn.iter().map(time).sum::<i64>(), values[0], "rank {rank}");
        }
    }
}
