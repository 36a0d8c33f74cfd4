//! Which of many ranges of addresses, numbered in the order in which they came, is the latest that holds an address. A process
//! may map some hundred thousand times, and each sample asks for some hundred addresses: going through all ranges each time would
//! take hours. This is a tree of segments: each range is noted at the few segments that it is made of, each address lies in the
//! few segments above it.

/// Ranges by the segments of the address space that they are made of.
#[derive(Clone, Debug, Default)]
pub struct Cover {
    /// Where ranges begin and end, in order.
    bounds: Vec<u64>,
    /// Numbers of the ranges of each segment, in order. The segments `2 n` and `2 n + 1` are the halves of segment `n`; the last ones,
    /// one for each bound, reach to the next bound.
    segments: Vec<Vec<u32>>,
}

impl Cover {
    /// Of ranges from a first address to the one behind the last.
    pub fn new(ranges: impl Iterator<Item = (u64, u64)> + Clone) -> Self {
        let is_some = |(start, end): &(u64, u64)| start < end;
        let mut bounds: Vec<u64> =
            ranges.clone().filter(is_some).flat_map(|(start, end)| [start, end]).collect();
        bounds.sort_unstable();
        bounds.dedup();
        let mut segments = vec![Vec::new(); 2 * bounds.len()];
        for (number, (start, end)) in ranges.enumerate().filter(|(_, range)| is_some(range)) {
            let slot = |bound| bounds.partition_point(|&other| other < bound) + bounds.len();
            let (mut from, mut to) = (slot(start), slot(end));
            while from < to {
                if from % 2 == 1 {
                    segments[from].push(number as u32);
                    from += 1;
                }
                if to % 2 == 1 {
                    to -= 1;
                    segments[to].push(number as u32);
                }
                (from, to) = (from / 2, to / 2);
            }
        }
        Cover { bounds, segments }
    }

    /// The latest of the first ranges that holds an address.
    pub fn latest(&self, first: usize, address: u64) -> Option<usize> {
        let at = self.bounds.partition_point(|&bound| bound <= address).checked_sub(1)?;
        let above = std::iter::successors(Some(at + self.bounds.len()), |&segment| Some(segment / 2));
        let latest_of = |segment: usize| {
            let numbers = &self.segments[segment];
            let known = numbers.partition_point(|&number| (number as usize) < first);
            known.checked_sub(1).map(|last| numbers[last] as usize)
        };
        above.take_while(|&segment| segment > 0).filter_map(latest_of).max()
    }
}

#[cfg(test)]
mod tests {
    use crosscut_chance::Chance;

    use super::*;

    #[test]
    fn the_same_as_going_through_all() {
        let mut chance = Chance::new(11);
        for count in 0..40 {
            let mut bound = || chance.below(30);
            let ranges: Vec<(u64, u64)> = (0..count).map(|_| (bound(), bound())).collect();
            let cover = Cover::new(ranges.iter().copied());
            for first in 0..=count {
                for address in 0..32 {
                    let slow =
                        ranges[..first].iter().rposition(|range| (range.0..range.1).contains(&address));
                    assert_eq!(cover.latest(first, address), slow, "{address} in {ranges:?}[..{first}]");
                }
            }
        }
    }

    /// No range is noted at more segments than the tree has levels, twice; no question looks at more than that.
    #[test]
    fn ranges_are_noted_at_few_segments() {
        const MANY: u64 = 100_000;
        // One within the other: each address lies in half of them.
        let ranges = (0..MANY).map(|number| (number, 2 * MANY - number));
        let cover = Cover::new(ranges);
        let noted: usize = cover.segments.iter().map(Vec::len).sum();
        let levels = 1 + cover.segments.len().ilog2() as usize;
        assert!(noted <= MANY as usize * 2 * levels, "{noted} with {levels} levels");
        for at in 0..MANY {
            assert_eq!(cover.latest(MANY as usize, at), Some(at as usize));
        }
        assert_eq!(cover.latest(MANY as usize, 3 * MANY), None);
    }
}
