//! A partition: which community each process belongs to. How far two of them are apart.

use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;

use crate::assignment::{Cell, heaviest};

/// Each process in one of several communities, which are numbered without gaps in the order in which they first appear.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Partition {
    of: Vec<u32>,
    communities: u32,
}

impl Partition {
    /// The partition in which processes with equal labels are together.
    pub fn new(labels: impl IntoIterator<Item = u32>) -> Partition {
        let mut numbers = foldhash::HashMap::default();
        let of: Vec<u32> = labels
            .into_iter()
            .map(|label| {
                let fresh = numbers.len() as u32;
                *numbers.entry(label).or_insert(fresh)
            })
            .collect();
        Partition { of, communities: numbers.len() as u32 }
    }

    /// The community of each process.
    pub fn of(&self) -> &[u32] {
        &self.of
    }

    /// How many communities there are.
    pub fn communities(&self) -> u32 {
        self.communities
    }

    /// The members of each community.
    pub fn groups(&self) -> Vec<Vec<u32>> {
        let mut groups = vec![Vec::new(); self.communities() as usize];
        for (member, &community) in (0u32..).zip(self.of()) {
            if let Some(group) = groups.get_mut(community as usize) {
                group.push(member);
            }
        }
        groups
    }

    /// The number of processes in each community.
    pub fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.communities as usize];
        self.of.iter().for_each(|&community| sizes[community as usize] += 1);
        sizes
    }

    /// The share of processes that would have to change their community to make one partition the other, under the best
    /// naming of the communities: 0 for the same clustering. A metric: symmetric, with the triangle inequality.
    ///
    /// Both must be of the same processes.
    pub fn distance(&self, other: &Partition) -> f64 {
        assert_eq!(self.of.len(), other.of.len(), "partitions of the same processes");
        if self.of.is_empty() {
            return 0.0;
        }
        let mut pairs: Vec<(u32, u32)> = self.of.iter().copied().zip(other.of.iter().copied()).collect();
        pairs.sort_unstable();
        let overlaps: Vec<Overlap> = pairs
            .chunk_by(|a, b| a == b)
            .map(|same| Overlap { a: same[0].0, b: same[0].1, shared: same.len() as i64 })
            .collect();
        let stay: i64 = stay(&overlaps).iter().map(|overlap| overlap.shared).sum();
        1.0 - stay as f64 / self.of.len() as f64
    }
}

/// How many processes the community `a` of one partition shares with `b` of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// Of the one.
    pub a: u32,
    /// Of the other.
    pub b: u32,
    /// Processes that are in both.
    pub shared: i64,
}

/// Those of the overlaps in which processes stay together when each community becomes at most one of the other side and as many
/// processes as possible stay.
pub fn stay(overlaps: &[Overlap]) -> Vec<Overlap> {
    islands(overlaps).iter().flat_map(|island| best_match(island)).collect()
}

/// Overlaps as islands: communities that overlap, directly or through others, are on one island, so that each can be
/// matched by itself. Equal partitions, or a partition of single processes, make only tiny islands.
fn islands(overlaps: &[Overlap]) -> Vec<Vec<Overlap>> {
    let behind = |name: fn(&Overlap) -> u32| overlaps.iter().map(name).max().map_or(0, |last| last + 1);
    let (one, other) = (behind(|overlap| overlap.a), behind(|overlap| overlap.b));
    let mut islands = Sets::new(one + other);
    overlaps.iter().for_each(|overlap| islands.join(overlap.a, one + overlap.b));
    let mut by_island: Vec<(u32, Overlap)> =
        overlaps.iter().map(|overlap| (islands.root(overlap.a), *overlap)).collect();
    by_island.sort_by_key(|(island, _)| *island);
    by_island
        .chunk_by(|a, b| a.0 == b.0)
        .map(|island| island.iter().map(|(_, overlap)| *overlap).collect())
        .collect()
}

/// The overlaps of an island in which most processes keep their community when each of one side becomes at most one of the other.
fn best_match(island: &[Overlap]) -> Vec<Overlap> {
    let named = |name: fn(&Overlap) -> u32| {
        let mut names: Vec<u32> = island.iter().map(name).collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    let (rows, columns) = (named(|overlap| overlap.a), named(|overlap| overlap.b));
    if rows.len() == 1 || columns.len() == 1 {
        return island.iter().copied().max_by_key(|overlap| overlap.shared).into_iter().collect();
    }
    let place = |names: &[u32], name: u32| names.partition_point(|&other| other < name);
    let cells: Vec<Cell> = island
        .iter()
        .map(|overlap| Cell {
            row: place(&rows, overlap.a),
            column: place(&columns, overlap.b),
            gain: overlap.shared,
        })
        .collect();
    if rows.len() * columns.len() <= SMALL {
        return of_table(rows.len(), columns.len(), &cells).into_iter().map(|at| island[at]).collect();
    }
    heaviest(rows.len(), columns.len(), &cells).into_iter().map(|at| island[at]).collect()
}

/// Tables of so many cells are matched whole: most are a few groups by a few groups, and full.
const SMALL: usize = 1024;

/// The cells to take, by their numbers, of a small table.
fn of_table(rows: usize, columns: usize, cells: &[Cell]) -> Vec<usize> {
    // The library wants no more rows than columns.
    let at = |cell: &Cell| if rows <= columns { (cell.row, cell.column) } else { (cell.column, cell.row) };
    let mut table = Matrix::new(rows.min(columns), rows.max(columns), 0i64);
    cells.iter().for_each(|cell| table[at(cell)] = cell.gain);
    let (_, partner) = kuhn_munkres(&table);
    let is_taken = |cell: &Cell| {
        let (short, long) = at(cell);
        partner.get(short) == Some(&long)
    };
    (0..cells.len()).filter(|&number| is_taken(&cells[number])).collect()
}

/// Which things were joined, directly or through others.
pub(crate) struct Sets(Vec<u32>);

impl Sets {
    pub(crate) fn new(things: u32) -> Sets {
        Sets((0..things).collect())
    }

    /// The one that stands for all that were joined with it.
    pub(crate) fn root(&mut self, mut thing: u32) -> u32 {
        while self.0[thing as usize] != thing {
            let above = self.0[thing as usize];
            self.0[thing as usize] = self.0[above as usize];
            thing = above;
        }
        thing
    }

    /// From now on the root of `kept` stands for both.
    pub(crate) fn join(&mut self, kept: u32, gone: u32) {
        let (kept, gone) = (self.root(kept), self.root(gone));
        self.0[gone as usize] = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosscut_chance::Chance;

    /// Every way to name the communities of one side by those of the other is tried.
    fn naive(one: &Partition, other: &Partition) -> f64 {
        fn most(row: u32, rows: u32, taken: &mut [bool], shared: &[Vec<i64>]) -> i64 {
            if row == rows {
                return 0;
            }
            let mut best = most(row + 1, rows, taken, shared);
            for column in 0..taken.len() {
                if !taken[column] {
                    taken[column] = true;
                    best = best.max(shared[row as usize][column] + most(row + 1, rows, taken, shared));
                    taken[column] = false;
                }
            }
            best
        }
        let mut shared = vec![vec![0; other.communities as usize]; one.communities as usize];
        one.of.iter().zip(&other.of).for_each(|(&a, &b)| shared[a as usize][b as usize] += 1);
        let stay = most(0, one.communities, &mut vec![false; other.communities as usize], &shared);
        1.0 - stay as f64 / one.of.len() as f64
    }

    fn any(chance: &mut Chance, processes: usize, communities: usize) -> Partition {
        Partition::new((0..processes).map(|_| chance.index(communities) as u32))
    }

    #[test]
    fn the_distance_is_that_of_the_best_naming() {
        let mut chance = Chance::new(21);
        for _ in 0..500 {
            let processes = 1 + chance.index(12);
            let (a, b) = (1 + chance.index(5), 1 + chance.index(5));
            let (one, other) = (any(&mut chance, processes, a), any(&mut chance, processes, b));
            let distance = one.distance(&other);
            assert!((distance - naive(&one, &other)).abs() < 1e-12, "{one:?} {other:?} {distance}");
            assert!((distance - other.distance(&one)).abs() < 1e-12);
        }
    }

    #[test]
    fn more_stay_than_by_taking_the_largest_overlap_first() {
        let overlap = |a, b, shared| Overlap { a, b, shared };
        // The largest first would keep 5 and then 1, and a third island stays whatever the others do.
        let all = [overlap(0, 0, 5), overlap(0, 1, 4), overlap(1, 0, 4), overlap(1, 1, 1), overlap(7, 9, 2)];
        let mut found = stay(&all);
        found.sort_by_key(|overlap| overlap.a);
        assert_eq!(found, [overlap(0, 1, 4), overlap(1, 0, 4), overlap(7, 9, 2)]);
        assert_eq!(stay(&[]), []);
    }

    #[test]
    fn it_is_a_metric() {
        let mut chance = Chance::new(22);
        for _ in 0..200 {
            let [a, b, c] = std::array::from_fn(|_| any(&mut chance, 30, 6));
            assert_eq!(a.distance(&a), 0.0);
            assert!(a.distance(&c) <= a.distance(&b) + b.distance(&c) + 1e-12);
        }
    }

    #[test]
    fn names_do_not_matter_and_many_single_processes_are_quick() {
        let halves = Partition::new([7, 7, 3, 3]);
        assert_eq!((halves.of(), halves.communities(), halves.sizes()), (&[0, 0, 1, 1][..], 2, vec![2, 2]));
        assert_eq!(halves.distance(&Partition::new([1, 1, 9, 9])), 0.0);
        assert_eq!(halves.distance(&Partition::new([0, 1, 0, 1])), 0.5);
        let single = Partition::new(0..100_000);
        let one = Partition::new([0; 100_000]);
        assert!((single.distance(&one) - 0.99999).abs() < 1e-9);
        assert_eq!(single.distance(&single), 0.0);
        assert_eq!(Partition::new([]).distance(&Partition::new([])), 0.0);
    }
}
