//! Communicators of programs whose members are known.

use crosscut_messages::communicators::{
    GroupSource, GroupStep, How, NO_COMM, Resolved, SELF, Step, WORLD, resolve,
};

fn make(parent: u32, how: How) -> Step {
    Step::Make { parent, how, member: true }
}

fn members(resolved: &Resolved, rank: usize, local: u32) -> &[u32] {
    &resolved.comms.list[resolved.comm(rank, local) as usize].members
}

#[test]
fn parts_are_ordered_by_key_and_then_by_rank() {
    let steps = |rank: i64| {
        let split = How::Split { color: rank % 2, key: -(rank / 4) };
        vec![make(WORLD, split), make(2, How::Dup), make(2, How::Split { color: 0, key: 0 })]
    };
    let resolved = resolve(&(0..8).map(steps).collect::<Vec<_>>());
    assert_eq!(resolved.notes, Vec::<String>::new());
    for rank in 0..8 {
        let expected: [u32; 4] = if rank % 2 == 0 { [4, 6, 0, 2] } else { [5, 7, 1, 3] };
        for local in 2..5 {
            assert_eq!(members(&resolved, rank, local), expected);
        }
        let numbers: Vec<u32> = (2..5).map(|local| resolved.comm(rank, local)).collect();
        assert!(numbers.windows(2).all(|pair| pair[0] != pair[1]), "each is one of its own");
        assert_eq!(numbers, (2..5).map(|local| resolved.comm(rank % 2, local)).collect::<Vec<_>>());
    }
}

#[test]
fn a_grid_is_cut_into_rows_and_columns() {
    let steps = |_| {
        vec![
            make(WORLD, How::Cart { dims: vec![2, 3] }),
            make(2, How::CartSub { remain: vec![false, true] }),
            make(2, How::CartSub { remain: vec![true, false] }),
        ]
    };
    let resolved = resolve(&(0..6).map(steps).collect::<Vec<_>>());
    for rank in 0..6u32 {
        let row: Vec<u32> = (0..3).map(|i| rank / 3 * 3 + i).collect();
        assert_eq!(members(&resolved, rank as usize, 3), row);
        assert_eq!(members(&resolved, rank as usize, 4), [rank % 3, rank % 3 + 3]);
    }
}

#[test]
fn a_grid_that_was_reordered_goes_by_what_ranks_say() {
    let steps =
        |rank: u32| vec![make(WORLD, How::Cart { dims: vec![4] }), Step::Rank { comm: 2, rank: 3 - rank }];
    let resolved = resolve(&(0..4).map(steps).collect::<Vec<_>>());
    assert_eq!(members(&resolved, 0, 2), [3, 2, 1, 0]);
}

#[test]
fn groups_are_put_together() {
    let group = |step| Step::Group(step);
    let steps = |rank: u32| {
        vec![
            group(GroupStep::Of(GroupSource::Comm(WORLD))),
            group(GroupStep::Include(0, vec![4, 2, 0])),
            group(GroupStep::Exclude(0, vec![0, 1])),
            group(GroupStep::Union(1, 2)),
            group(GroupStep::Intersection(1, 2)),
            group(GroupStep::Difference(0, 3)),
            Step::Make { parent: WORLD, how: How::Create { group: 4 }, member: [2, 4].contains(&rank) },
            Step::Make { parent: WORLD, how: How::Create { group: 3 }, member: rank != 1 },
            Step::Make { parent: WORLD, how: How::Create { group: 5 }, member: rank == 1 },
        ]
    };
    let resolved = resolve(&(0..6).map(steps).collect::<Vec<_>>());
    assert_eq!(members(&resolved, 2, 2), [4, 2]);
    assert_eq!(resolved.comm(0, 2), NO_COMM);
    assert_eq!(members(&resolved, 0, 3), [4, 2, 0, 3, 5]);
    assert_eq!(members(&resolved, 1, 4), [1]);
}

#[test]
fn two_groups_talk_to_each_other() {
    // Even and odd ranks, joined by their first ranks, then merged with the odd ones first.
    let steps = |rank: u32| {
        let (color, other) = (i64::from(rank % 2), 1 - rank % 2);
        vec![
            make(WORLD, How::Split { color, key: 0 }),
            make(2, How::Inter { leader: 0, peer: WORLD, remote: other }),
            make(3, How::Merge { high: rank.is_multiple_of(2) }),
        ]
    };
    let resolved = resolve(&(0..6).map(steps).collect::<Vec<_>>());
    assert_eq!(resolved.notes, Vec::<String>::new());
    let comm = resolved.comm(0, 3);
    assert_eq!(comm, resolved.comm(5, 3));
    // A rank names those of the other side.
    assert_eq!(resolved.comms.world_rank(comm, 1, 0), Some(3));
    assert_eq!(resolved.comms.world_rank(comm, 1, 5), Some(2));
    assert_eq!(members(&resolved, 0, 4), [1, 3, 5, 0, 2, 4]);
}

#[test]
fn a_rank_that_is_missing_is_told() {
    let steps = |rank: u32| match rank {
        2 => Vec::new(),
        _ => vec![make(WORLD, How::Dup), make(2, How::Split { color: 0, key: 0 })],
    };
    let resolved = resolve(&(0..3).map(steps).collect::<Vec<_>>());
    assert_eq!(members(&resolved, 0, 2), [0, 1]);
    assert_eq!(resolved.notes.len(), 1);
    assert!(resolved.notes[0].contains("2 of 3 ranks"), "{:?}", resolved.notes);
}

#[test]
fn processes_outside_have_no_rank() {
    let resolved = resolve(&[vec![make(WORLD, How::Outside)], vec![make(WORLD, How::Outside)]]);
    let comm = resolved.comm(0, 2);
    assert!(resolved.comms.list[comm as usize].outside);
    assert_eq!(resolved.comms.world_rank(comm, 0, 0), None);
    assert_eq!(resolved.comms.world_rank(SELF, 0, 1), Some(1));
}
