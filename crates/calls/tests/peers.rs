//! Who is compared: ranks with all their threads, or single places; those without any value are left out.

use crate::made;

use crosscut_calls::{Calls, Each, Frame, Given, Peers, Unit};
use made::written;

/// Values of two nodes by rank and thread; `None` is a thread that has none.
fn profile(places: &[(i64, i64, Option<[i64; 2]>)]) -> (tempfile::TempDir, Calls) {
    written(|builder| {
        let metric = builder.metric("time", Unit::Ns, Given::Own);
        let [main, work] = ["main", "work"].map(|name| builder.frame(Frame::function(name)));
        let main = builder.node(0, main).unwrap();
        let work = builder.node(main, work).unwrap();
        for &(rank, thread, values) in places {
            let place = builder.place(rank, thread);
            for (node, value) in [main, work].into_iter().zip(values.into_iter().flatten()) {
                builder.add(metric, place, node, value);
            }
        }
    })
}

#[test]
fn threads_of_a_rank_are_added_up_and_idle_ranks_left_out() {
    let (_work, calls) = profile(&[
        (0, 0, Some([1, 10])),
        (0, 1, Some([0, 20])),
        (0, 2, None),
        (1, 0, Some([2, 0])),
        (2, 0, None),
        (7, 0, Some([5, 30])),
    ]);
    let work = calls.at_places(0, 2..3);
    let ranks = Peers::of(&calls, 0, None);
    assert_eq!((ranks.each(), ranks.len(), ranks.left_out()), (Each::Rank, 3, 1));
    assert_eq!(ranks.sums(&work), [30, 0, 30], "rank 1 has a value, if not here");
    assert_eq!((0..3).map(|at| ranks.number(at)).collect::<Vec<_>>(), [0, 1, 7]);
    assert_eq!((ranks.title(2), ranks.places(0)), ("rank 7", &[0, 1, 2][..]));
    let spread = ranks.imbalance(&work).unwrap();
    assert_eq!((spread.mean, spread.most, spread.at, spread.ratio), (20.0, 30.0, 0, 1.5));
    assert_eq!((ranks.count_in(&[2]), ranks.count_in(&[1, 3]), ranks.count_in(&[4])), (1, 2, 0));

    let places = Peers::of(&calls, 0, Some(Each::Place));
    assert_eq!((places.len(), places.left_out()), (4, 2));
    assert_eq!(places.sums(&work), [10, 20, 0, 30]);
    assert_eq!(places.title(1), "rank 0, thread 1");
}

#[test]
fn threads_of_one_rank_are_compared_and_a_launcher_is_no_rank() {
    let (_work, one) = profile(&[(0, 0, Some([1, 10])), (0, 1, Some([1, 30]))]);
    let threads = Peers::of(&one, 0, None);
    assert_eq!((threads.each(), threads.len()), (Each::Place, 2));

    let (_work, launched) = profile(&[(0, 0, Some([1, 0])), (1, 0, Some([50, 50])), (2, 0, Some([60, 40]))]);
    let ranks = Peers::of(&launched, 0, None);
    assert_eq!((ranks.len(), ranks.clone().from_share(0.05).len()), (3, 2));

    let (_work, nothing) = profile(&[(0, 0, None), (1, 0, None)]);
    let ranks = Peers::of(&nothing, 0, None);
    assert_eq!((ranks.len(), ranks.left_out()), (2, 0), "where nobody has a value nobody is left out");
    assert!(ranks.imbalance(&[0, 0]).is_some_and(|spread| spread.ratio == 1.0));
}
