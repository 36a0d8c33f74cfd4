//! Whose question is answered next. A few places for quick answers and one for slow ones are shared by all connections, so
//! that nobody waits for more than a few answers of somebody else: a place goes to the connection that has the fewest, then
//! to the one that has used the least time, and to those who have not read their last answers after all others. Whose
//! answers are usually quick to make finds places that others do not get. And nobody fills the memory with answers that nobody reads: what was answered counts until
//! it is sent, per connection and in all.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crosscut_scene::limits;
use crosscut_workbench::Lane;
use tokio::sync::oneshot;

/// Bytes that an answer is counted with before it is known: the most that are sent.
const ANSWER: usize = limits::BYTES;
/// Bytes of one connection that are answered and not sent, beside its first answer.
pub const HELD_EACH: usize = 4 * ANSWER;
/// Bytes of all connections together, beside one answer for each.
pub const HELD_ALL: usize = 64 * ANSWER;

/// Whose answers usually take less time of a processor than this may use the places for quick ones.
const LIGHT: Duration = Duration::from_millis(20);

/// The places and who waits for them.
pub struct Desk {
    state: Mutex<State>,
    /// Places of one connection in a lane.
    each: [usize; 2],
    held_each: usize,
    held_all: usize,
}

struct State {
    free: [usize; 2],
    /// Free places in the quick lane for those whose answers are usually light.
    free_light: usize,
    /// Bytes that are answered, or may be soon, and not sent.
    held: usize,
    next: u64,
    /// Time used of who was served last: who comes back after a pause begins here, and has saved up nothing.
    clock: [u64; 2],
    accounts: HashMap<u64, Account>,
}

#[derive(Default)]
struct Account {
    waiting: [VecDeque<oneshot::Sender<Turn>>; 2],
    running: [usize; 2],
    /// Nanoseconds of a processor.
    used: [u64; 2],
    /// What a quick answer took of late.
    usual: u64,
    held: usize,
}

impl Account {
    /// Bytes that are answered and not sent.
    fn unread(&self) -> usize {
        self.held.saturating_sub(ANSWER * self.running.iter().sum::<usize>())
    }
}

/// One who asks.
pub struct Seat {
    desk: Arc<Desk>,
    number: u64,
}

/// A place for one answer. Given back when it is dropped.
pub struct Turn {
    desk: Arc<Desk>,
    number: u64,
    /// None when the place was given back.
    place: Option<Place>,
    /// Time of a processor that the answer took.
    took: Duration,
    held: usize,
}

#[derive(Clone, Copy)]
struct Place {
    lane: usize,
    is_light: bool,
}

/// Bytes of an answer that is not sent. Given back when it is dropped.
pub struct Held {
    desk: Arc<Desk>,
    number: u64,
    bytes: usize,
}

fn index(lane: Lane) -> usize {
    match lane {
        Lane::Quick => 0,
        Lane::Slow => 1,
    }
}

impl Desk {
    /// A desk for a machine with so many processors. There are two more places than processors, as many again for light
    /// answers, and no connection has all of them: a click begins at once, whatever somebody else asked for.
    pub fn new(processors: usize) -> Arc<Self> {
        let processors = processors.max(1);
        let free = [processors + 2, 1];
        Self::with(free, processors + 2, [processors, 1], (HELD_EACH, HELD_ALL))
    }

    fn with(free: [usize; 2], free_light: usize, each: [usize; 2], held: (usize, usize)) -> Arc<Self> {
        let state = State { free, free_light, held: 0, next: 0, clock: [0; 2], accounts: HashMap::new() };
        Arc::new(Desk { state: Mutex::new(state), each, held_each: held.0, held_all: held.1 })
    }

    /// A new connection.
    pub fn sit(self: &Arc<Self>) -> Seat {
        let mut state = self.lock();
        state.next += 1;
        let number = state.next;
        state.accounts.insert(number, Account::default());
        Seat { desk: self.clone(), number }
    }

    /// Whether nobody is connected.
    pub fn is_empty(&self) -> bool {
        self.lock().accounts.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the free places to those who are next.
    fn serve(self: &Arc<Self>) {
        loop {
            let mut granted = Vec::new();
            let mut state = self.lock();
            for lane in 0..2 {
                while let Some(next) = state.next(lane, self) {
                    granted.push(next);
                }
            }
            drop(state);
            if granted.is_empty() {
                return;
            }
            let mut gone = false;
            for (number, place, sender) in granted {
                let (desk, took) = (self.clone(), Duration::ZERO);
                let turn = Turn { desk, number, place: Some(place), took, held: ANSWER };
                // Who does not wait any more gives the place back at once; the loop serves the next one.
                gone |= sender.send(turn).map_err(Turn::leave).is_err();
            }
            if !gone {
                return;
            }
        }
    }
}

impl State {
    /// Takes a place in a lane for who is next, if there is one.
    fn next(&mut self, lane: usize, desk: &Desk) -> Option<(u64, Place, oneshot::Sender<Turn>)> {
        let is_light = self.free[lane] == 0;
        if is_light && (lane != index(Lane::Quick) || self.free_light == 0) {
            return None;
        }
        let room = self.held + ANSWER <= desk.held_all;
        let may = |account: &Account| {
            !account.waiting[lane].is_empty()
                && account.running[lane] < if is_light { 1 } else { desk.each[lane] }
                && !(is_light && account.usual >= LIGHT.as_nanos() as u64)
                && (account.held == 0 || room && account.held + ANSWER <= desk.held_each)
        };
        let ready = self.accounts.iter_mut().filter(|(_, account)| may(account));
        let key = |account: &Account| (account.unread() > 0, account.running[lane], account.used[lane]);
        let (number, account) = ready.min_by_key(|(_, account)| key(account))?;
        let sender = account.waiting[lane].pop_front()?;
        account.running[lane] += 1;
        self.clock[lane] = self.clock[lane].max(account.used[lane]);
        if is_light {
            self.free_light -= 1;
        } else {
            self.free[lane] -= 1;
        }
        let number = *number;
        self.hold(number, ANSWER);
        Some((number, Place { lane, is_light }, sender))
    }

    fn hold(&mut self, number: u64, bytes: usize) {
        self.held += bytes;
        if let Some(account) = self.accounts.get_mut(&number) {
            account.held += bytes;
        }
    }

    fn give_back(&mut self, number: u64, bytes: usize) {
        self.held -= bytes;
        if let Some(account) = self.accounts.get_mut(&number) {
            account.held -= bytes;
        }
    }

    fn end(&mut self, number: u64, Place { lane, is_light }: Place, took: Duration) {
        if is_light {
            self.free_light += 1;
        } else {
            self.free[lane] += 1;
        }
        if let Some(account) = self.accounts.get_mut(&number) {
            // Never nothing: those who ask for little take turns, too.
            let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX).max(1000);
            account.running[lane] -= 1;
            account.used[lane] = account.used[lane].saturating_add(took);
            if lane == index(Lane::Quick) {
                account.usual = account.usual / 4 * 3 + took / 4;
            }
        }
    }
}

impl Seat {
    /// Waits for a place.
    pub async fn turn(&self, lane: Lane) -> Option<Turn> {
        let (sender, granted) = oneshot::channel();
        let lane = index(lane);
        {
            let mut state = self.desk.lock();
            let clock = state.clock[lane];
            let account = state.accounts.get_mut(&self.number)?;
            if account.running[lane] == 0 && account.waiting[lane].is_empty() {
                account.used[lane] = account.used[lane].max(clock);
            }
            account.waiting[lane].push_back(sender);
        }
        self.desk.serve();
        granted.await.ok()
    }

    /// Gives up what waits; what is under way is given back as it ends.
    pub fn leave(&self) {
        let left = self.desk.lock().accounts.remove(&self.number);
        if left.is_some() {
            self.desk.serve();
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Time of a processor that this thread has used.
fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the one value that it is given.
    let done = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    let (seconds, nanos) =
        (u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0));
    if done == 0 { Duration::new(seconds, nanos) } else { Duration::ZERO }
}

impl Turn {
    /// Does the work of a lane, and notes how long it took. A quick answer is made on this thread: what counts is its share
    /// of a processor, because waiting for one is nobody's fault. A slow one has threads of its own.
    pub fn work<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (begin, processor) = (Instant::now(), thread_time());
        let done = work();
        self.took += match self.place {
            Some(Place { lane: 1, .. }) => begin.elapsed(),
            _ => thread_time().saturating_sub(processor),
        };
        done
    }

    /// The answer is there: gives the place back, and counts its bytes until they are sent.
    pub fn done(mut self, bytes: usize) -> Held {
        {
            let mut state = self.desk.lock();
            state.give_back(self.number, self.held);
            state.hold(self.number, bytes);
        }
        self.held = 0;
        Held { desk: self.desk.clone(), number: self.number, bytes }
    }

    /// Gives the place back without telling the others.
    fn leave(mut self) {
        self.end();
    }

    fn end(&mut self) -> bool {
        let Some(place) = self.place.take() else { return false };
        let mut state = self.desk.lock();
        state.give_back(self.number, self.held);
        state.end(self.number, place, self.took);
        true
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.end() {
            self.desk.serve();
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.desk.lock().give_back(self.number, self.bytes);
        self.desk.serve();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Three places, two for each; three answers held by one, five by all.
    fn desk() -> Arc<Desk> {
        Desk::with([3, 1], 0, [2, 1], (3 * ANSWER, 5 * ANSWER))
    }

    /// The turn if there is one at once.
    async fn now(seat: &Seat, lane: Lane) -> Option<Turn> {
        tokio::time::timeout(Duration::from_millis(20), seat.turn(lane)).await.ok().flatten()
    }

    fn held(seat: &Seat) -> usize {
        seat.desk.lock().accounts[&seat.number].held
    }

    #[tokio::test]
    async fn nobody_has_all_places() {
        let desk = desk();
        let (greedy, other) = (desk.sit(), desk.sit());
        let first = now(&greedy, Lane::Quick).await.unwrap();
        let _second = now(&greedy, Lane::Quick).await.unwrap();
        assert!(now(&greedy, Lane::Quick).await.is_none());
        let _third = now(&other, Lane::Quick).await.unwrap();
        assert!(now(&other, Lane::Quick).await.is_none(), "all are taken");
        assert!(now(&other, Lane::Slow).await.is_some(), "the slow lane has a place of its own");
        drop(first);
        assert!(now(&other, Lane::Quick).await.is_some());
    }

    #[tokio::test]
    async fn who_has_used_least_is_next() {
        let desk = Desk::with([1, 1], 0, [1, 1], (HELD_EACH, HELD_ALL));
        let (greedy, other) = (Arc::new(desk.sit()), Arc::new(desk.sit()));
        let turn = greedy.turn(Lane::Quick).await.unwrap();
        let (told, mut order) = tokio::sync::mpsc::unbounded_channel();
        // Ten are queued by one, then one by another.
        let wait = |seat: &Arc<Seat>, who: &'static str| {
            let (seat, told) = (seat.clone(), told.clone());
            tokio::spawn(async move {
                let turn = seat.turn(Lane::Quick).await;
                let _ = told.send(who);
                drop(turn);
            })
        };
        for _ in 0..10 {
            wait(&greedy, "greedy");
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        wait(&other, "other");
        tokio::time::sleep(Duration::from_millis(20)).await;
        drop(turn);
        assert_eq!(order.recv().await, Some("other"));
        assert_eq!(order.recv().await, Some("greedy"));
    }

    #[tokio::test]
    async fn who_does_not_read_is_last() {
        let desk = Desk::with([1, 1], 0, [1, 1], (HELD_EACH, HELD_ALL));
        let (deaf, other) = (desk.sit(), desk.sit());
        let _unread = deaf.turn(Lane::Quick).await.unwrap().done(10);
        let mut busy = other.turn(Lane::Quick).await.unwrap();
        busy.took = Duration::from_secs(1); // it has used more than the deaf one
        let order = Mutex::new(Vec::new());
        let wait = async |seat: &Seat, who| {
            let turn = seat.turn(Lane::Quick).await;
            order.lock().unwrap().push(who);
            drop(turn);
        };
        tokio::join!(wait(&deaf, "deaf"), wait(&other, "other"), async { drop(busy) });
        assert_eq!(*order.lock().unwrap(), ["other", "deaf"]);
    }

    #[tokio::test]
    async fn who_comes_back_has_saved_up_nothing() {
        let desk = Desk::with([1, 1], 0, [1, 1], (HELD_EACH, HELD_ALL));
        let (busy, idle) = (desk.sit(), desk.sit());
        for _ in 0..3 {
            let mut turn = busy.turn(Lane::Quick).await.unwrap();
            turn.took = Duration::from_millis(5);
        }
        drop(busy.turn(Lane::Quick).await);
        drop(idle.turn(Lane::Quick).await);
        let used = |seat: &Seat| desk.lock().accounts[&seat.number].used[0];
        assert!(used(&idle) >= Duration::from_millis(15).as_nanos() as u64);
    }

    #[tokio::test]
    async fn light_answers_find_a_place_beside_heavy_ones() {
        let desk = Desk::with([1, 1], 1, [1, 1], (HELD_EACH, HELD_ALL));
        let heavy = [desk.sit(), desk.sit()];
        for seat in &heavy {
            let mut turn = seat.turn(Lane::Quick).await.unwrap();
            turn.took = 8 * LIGHT;
        }
        let _first = now(&heavy[0], Lane::Quick).await.unwrap();
        assert!(now(&heavy[1], Lane::Quick).await.is_none(), "only light ones get the other place");
        let light = desk.sit();
        let turn = now(&light, Lane::Quick).await.unwrap();
        assert!(now(&light, Lane::Quick).await.is_none(), "one of them at a time");
        drop(turn);
        assert!(now(&light, Lane::Quick).await.is_some());
    }

    #[test]
    fn work_is_measured_by_what_the_processor_did() {
        let desk = desk();
        let mut turn = Turn { desk: desk.clone(), number: 0, place: None, took: Duration::ZERO, held: 0 };
        turn.work(|| std::thread::sleep(Duration::from_millis(30)));
        assert!(turn.took < Duration::from_millis(30), "sleeping is no work: {:?}", turn.took);
        let before = turn.took;
        turn.work(|| (0..2_000_000u64).fold(0, |a, b| std::hint::black_box(a ^ b)));
        assert!(turn.took > before);
    }

    #[tokio::test]
    async fn unread_answers_hold_up_only_who_does_not_read() {
        let desk = desk();
        let (deaf, other) = (desk.sit(), desk.sit());
        let mut unread = Vec::new();
        for _ in 0..3 {
            unread.push(now(&deaf, Lane::Quick).await.unwrap().done(ANSWER));
        }
        assert!(now(&deaf, Lane::Quick).await.is_none(), "three are enough");
        assert_eq!(held(&deaf), 3 * ANSWER);
        let small = now(&other, Lane::Quick).await.unwrap().done(10);
        assert_eq!(held(&other), 10);
        unread.push(now(&other, Lane::Quick).await.unwrap().done(2 * ANSWER));
        drop(small);
        // All are full, and one who has read everything is answered all the same.
        let third = desk.sit();
        assert!(now(&other, Lane::Quick).await.is_none());
        assert!(now(&third, Lane::Quick).await.is_some());
        unread.clear();
        assert!(now(&deaf, Lane::Quick).await.is_some());
        assert_eq!(desk.lock().held, 0);
    }

    #[tokio::test]
    async fn who_leaves_gives_everything_back() {
        let desk = desk();
        let seat = desk.sit();
        let (turn, held) =
            (now(&seat, Lane::Quick).await.unwrap(), now(&seat, Lane::Quick).await.unwrap().done(7));
        // One that waits and is given up before it is granted, and one that leaves while it waits.
        assert!(now(&seat, Lane::Slow).await.is_some());
        let slow = now(&seat, Lane::Slow).await.unwrap();
        let waits = seat.turn(Lane::Slow);
        drop(waits);
        drop(seat);
        drop((turn, held, slow));
        let state = desk.lock();
        assert_eq!((state.free, state.held, state.accounts.len()), ([3, 1], 0, 0));
    }
}
