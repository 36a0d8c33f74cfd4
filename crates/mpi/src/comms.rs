//! Who is in a communicator: its members as ranks of the world, told when a rank first knows it. Nothing is sent for that; each
//! rank asks its own MPI.

use std::ffi::c_int;

use crosscut_events::EventKind::{MpiComm, MpiMembers};

use crate::kinds::kind;
use crate::real::ask;
use crate::recorder::Recorder;
use crate::room::Room;

/// Ranks that a rank exchanges data with in a collective: those of the communicator, or of its other side.
pub fn peers(comm: u64) -> usize {
    let mut size: c_int = 0;
    match is_between(comm) {
        true => ask!(c"PMPI_Comm_remote_size"(comm, &raw mut size)),
        false => ask!(c"PMPI_Comm_size"(comm, &raw mut size)),
    };
    size.max(0) as usize
}

/// Whether a communicator stands between two groups.
fn is_between(comm: u64) -> bool {
    let mut flag: c_int = 0;
    ask!(c"PMPI_Comm_test_inter"(comm, &raw mut flag));
    flag != 0
}

/// Tells of a communicator that has the members of another one, or its own.
pub fn tell(recorder: Recorder, comm: u64, parent: u64, like: u64) {
    recorder.put(MpiComm, [comm, parent]);
    let mut group = 0usize;
    ask!(c"PMPI_Comm_group"(like, &raw mut group));
    members(recorder, group, false);
    if is_between(like) {
        let mut group = 0usize;
        ask!(c"PMPI_Comm_remote_group"(like, &raw mut group));
        members(recorder, group, true);
    }
}

/// Tells the members of a group, and gives it back.
fn members(recorder: Recorder, mut group: usize, is_other: bool) {
    let mut size: c_int = 0;
    ask!(c"PMPI_Group_size"(group, &raw mut size));
    let count = size.max(0) as usize;
    let (mut own, mut world) = (Room::new(), Room::new());
    // Two numbers of 32 bits in a word.
    if let (Some(own), Some(ranks)) = (own.take(count.div_ceil(2)), world.take(count.div_ceil(2))) {
        let own: *mut c_int = own.as_mut_ptr().cast();
        let ranks: *mut c_int = ranks.as_mut_ptr().cast();
        for rank in 0..count {
            // SAFETY: there is room for so many.
            unsafe { own.add(rank).write(rank as c_int) };
        }
        let mut all = 0usize;
        ask!(c"PMPI_Comm_group"(kind().world, &raw mut all));
        ask!(c"PMPI_Group_translate_ranks"(group, count, own, all, ranks));
        ask!(c"PMPI_Group_free"(&raw mut all));
        // SAFETY: filled in just now, or zero.
        let ranks = unsafe { std::slice::from_raw_parts(ranks, count) };
        tell_ranks(ranks, |first, count, distance| {
            let run = u64::from(kind().rank(first)) << 32 | count as u64;
            recorder.put(MpiMembers, [run, (i64::from(distance) << 1) as u64 | u64::from(is_other)]);
        });
    }
    ask!(c"PMPI_Group_free"(&raw mut group));
}

/// A list of ranks as runs: the first, how many, and the distance from one to the next.
fn tell_ranks(mut ranks: &[c_int], mut tell: impl FnMut(c_int, usize, c_int)) {
    while let Some((&first, rest)) = ranks.split_first() {
        let distance = rest.first().map_or(0, |second| second.wrapping_sub(first));
        let fits = |pair: &[c_int]| first >= 0 && pair[0] >= 0 && pair[1].wrapping_sub(pair[0]) == distance;
        let count = 1 + ranks.windows(2).take_while(|pair| fits(pair)).count();
        tell(first, count, distance);
        ranks = &ranks[count..];
    }
}

#[cfg(test)]
mod tests {
    use super::tell_ranks;

    #[test]
    fn lists_come_back_from_their_runs() {
        let lists: [&[i32]; 7] = [
            &[],
            &[5],
            &[0, 1, 2, 3, 4, 5, 6, 7],
            &[1, 5, 9, 13],
            &[3, 2, 1, 0, 7, 9, 11],
            &[-32766, 4, -32766, -32766, 5],
            &[2, 2, 2, 3],
        ];
        for list in lists {
            let mut again = Vec::new();
            tell_ranks(list, |first, count, distance| {
                again.extend((0..count as i32).map(|nth| first + nth * distance));
            });
            assert_eq!(again, list);
        }
        let mut runs = 0;
        tell_ranks(&[0, 1, 2, 3], |_, _, _| runs += 1);
        assert_eq!(runs, 1);
    }
}
