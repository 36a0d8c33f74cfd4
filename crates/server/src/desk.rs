//! Whose question is answered next. A few places for quick answers and one for slow ones are shared by all connections, so
//! that nobody waits for more than a few answers of somebody else: a place goes to the connection that has the fewest, then
//! to the one that has used the least time. And nobody fills the memory with answers that nobody reads: what was answered
//! counts until it is sent, per connection and in all.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crosscut_scene::limits;
use crosscut_workbench::Lane;
use tokio::sync::oneshot;

/// Bytes that an answer is counted with before it is known: the most that are sent.
const ANSWER: usize = limits::BYTES;
/// Bytes of one connection that are answered and not sent, beside its first answer.
pub const HELD_EACH: usize = 4 * ANSWER;
/// Bytes of all connections together, beside one answer for each.
pub const HELD_ALL: usize = 64 * ANSWER;

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
    /// Nanoseconds.
    used: [u64; 2],
    held: usize,
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
    lane: Option<usize>,
    begin: Instant,
    held: usize,
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
    /// A desk for a machine with so many processors. There are two more places than processors, and no connection has all
    /// of them: a click begins at once, whatever somebody else asked for.
    pub fn new(processors: usize) -> Arc<Self> {
        let processors = processors.max(1);
        Self::with([processors + 2, 1], [processors, 1], HELD_EACH, HELD_ALL)
    }

    fn with(free: [usize; 2], each: [usize; 2], held_each: usize, held_all: usize) -> Arc<Self> {
        let state = State { free, held: 0, next: 0, clock: [0; 2], accounts: HashMap::new() };
        Arc::new(Desk { state: Mutex::new(state), each, held_each, held_all })
    }

    /// A new connection.
    pub fn sit(self: &Arc<Self>) -> Seat {
        let mut state = self.lock();
        state.next += 1;
        let number = state.next;
        state.accounts.insert(number, Account::default());
        Seat { desk: self.clone(), number }
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
                while let Some((number, sender)) = state.next(lane, self) {
                    granted.push((number, lane, sender));
                }
            }
            drop(state);
            if granted.is_empty() {
                return;
            }
            let mut gone = false;
            for (number, lane, sender) in granted {
                let lane = Some(lane);
                let turn = Turn { desk: self.clone(), number, lane, begin: Instant::now(), held: ANSWER };
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
    fn next(&mut self, lane: usize, desk: &Desk) -> Option<(u64, oneshot::Sender<Turn>)> {
        if self.free[lane] == 0 {
            return None;
        }
        let room = self.held + ANSWER <= desk.held_all;
        let may = |account: &Account| {
            !account.waiting[lane].is_empty()
                && account.running[lane] < desk.each[lane]
                && (account.held == 0 || room && account.held + ANSWER <= desk.held_each)
        };
        let ready = self.accounts.iter_mut().filter(|(_, account)| may(account));
        let (number, account) =
            ready.min_by_key(|(_, account)| (account.running[lane], account.used[lane]))?;
        let sender = account.waiting[lane].pop_front()?;
        account.running[lane] += 1;
        self.clock[lane] = self.clock[lane].max(account.used[lane]);
        self.free[lane] -= 1;
        let number = *number;
        self.hold(number, ANSWER);
        Some((number, sender))
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

    fn end(&mut self, number: u64, lane: usize, used: u64) {
        self.free[lane] += 1;
        if let Some(account) = self.accounts.get_mut(&number) {
            account.running[lane] -= 1;
            account.used[lane] += used;
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

impl Turn {
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
        let Some(lane) = self.lane.take() else { return false };
        let mut state = self.desk.lock();
        state.give_back(self.number, self.held);
        state.end(self.number, lane, u64::try_from(self.begin.elapsed().as_nanos()).unwrap_or(u64::MAX));
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
        Desk::with([3, 1], [2, 1], 3 * ANSWER, 5 * ANSWER)
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
        let desk = Desk::with([1, 1], [1, 1], HELD_EACH, HELD_ALL);
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
    async fn who_comes_back_has_saved_up_nothing() {
        let desk = Desk::with([1, 1], [1, 1], HELD_EACH, HELD_ALL);
        let (busy, idle) = (desk.sit(), desk.sit());
        for _ in 0..3 {
            let turn = busy.turn(Lane::Quick).await;
            tokio::time::sleep(Duration::from_millis(5)).await;
            drop(turn);
        }
        drop(busy.turn(Lane::Quick).await);
        drop(idle.turn(Lane::Quick).await);
        let used = |seat: &Seat| desk.lock().accounts[&seat.number].used[0];
        assert!(used(&idle) >= Duration::from_millis(15).as_nanos() as u64);
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
