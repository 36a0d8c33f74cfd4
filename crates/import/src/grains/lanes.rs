//! Chunks stand in a section of the task that ran the loop. In a task tree they are intervals of lanes, so each worker
//! that ran some of them becomes a lane of that section.

use super::families::section_end;
use super::{Families, Grain, GrainKind, Grains, Spots, UNKNOWN};

/// Puts the chunks of each section into lanes, one for each worker, in the order in which they ran. The creation cost of
/// a lane is that of its first chunk; those of the others lie before them.
pub fn put_chunks_into_lanes(grains: &mut Grains) {
    let list = &mut grains.list;
    if list.iter().all(|grain| grain.kind != GrainKind::Chunk) {
        return;
    }
    let families = Families::new(list);
    let mut chunks = Vec::new();
    for parent in 0..list.len() as u32 {
        let family = families.of(parent);
        let mut from = 0;
        while from < family.len() {
            let to = section_end(list, family, from);
            let members = family[from..to].iter().copied();
            chunks.clear();
            chunks.extend(members.filter(|&child| list[child as usize].kind == GrainKind::Chunk));
            make_lanes(list, &grains.spots, &mut chunks);
            from = to;
        }
    }
}

/// Makes the lanes of one section.
fn make_lanes(list: &mut Vec<Grain>, spots: &Spots, chunks: &mut [u32]) {
    chunks.sort_by_key(|&chunk| {
        let Grain { spot, start, order, .. } = list[chunk as usize];
        (spots.worker(spot), start, order)
    });
    let mut steps = 0;
    let mut worker = None;
    for &chunk in chunks.iter() {
        let grain = list[chunk as usize];
        if worker != Some(spots.worker(grain.spot)) {
            worker = Some(spots.worker(grain.spot));
            steps = 0;
            list.push(Grain { kind: GrainKind::Lane, work: 0, sync: 0, exec: UNKNOWN, ..grain });
            list[chunk as usize].creation = 0;
        }
        let number = list.len() - 1;
        let lane = &mut list[number];
        lane.sync += grain.sync;
        lane.order = lane.order.min(grain.order);
        let chunk = &mut list[chunk as usize];
        (chunk.kind, chunk.parent, chunk.section) = (GrainKind::LaneChunk, number as u32, steps);
        steps += 1;
    }
}
