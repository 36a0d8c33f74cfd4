//! What a runtime tells about a thread, in the words of the task model. Each call stores one event; when folding was asked
//! for, it also keeps the books of the open subgraphs.

use crosscut_events::{EventKind, Folded, TaskId, WaitKind, flags, with_tag};

use crate::thread::Thread;

impl Thread {
    /// The task that runs creates a task.
    #[inline(always)]
    pub fn create(&mut self, code: u64, how: u16) -> TaskId {
        self.create_at(self.now(), code, how)
    }

    /// The task that runs creates a task at this time.
    #[inline(always)]
    pub fn create_at(&mut self, now: u64, code: u64, how: u16) -> TaskId {
        self.part_chunk();
        let at = self.position();
        let task = self.number();
        self.put_at(now, EventKind::Create, [with_tag(code, how), task.0]);
        if let Some(fold) = &mut self.fold {
            fold.create(now, at, task, self.current, how & flags::UNDEFERRED != 0, code);
        }
        task
    }

    /// The task created last is in the runtime's hands, and its creator goes on.
    #[inline(always)]
    pub fn created(&mut self) {
        // The books of what is folded count the time between to the interval that follows.
        if self.fold.is_none() {
            self.put(EventKind::Created, []);
        }
    }

    /// A created task begins here.
    #[inline(always)]
    pub fn begin(&mut self, task: TaskId) {
        let now = self.now();
        let at = self.position();
        self.put_at(now, EventKind::Begin, [task.0]);
        let numbered = self.numbered();
        if let Some(fold) = &mut self.fold {
            fold.begin(now, at, task, self.current, numbered);
        }
        self.current = task;
    }

    /// The task that runs has ended; `next` goes on.
    #[inline(always)]
    pub fn end(&mut self, next: TaskId) {
        let now = self.now();
        self.position();
        self.put_at(now, EventKind::EndTo, [next.0]);
        let ended = std::mem::replace(&mut self.current, next);
        if self.fold.is_some() {
            self.fold_task(now, ended, next);
        }
    }

    /// The task that runs is suspended; `next` goes on.
    #[inline]
    pub fn switch(&mut self, next: TaskId) {
        let now = self.now();
        self.put_at(now, EventKind::Switch, [next.0]);
        if next != self.current {
            self.goes_on(now, next);
        }
    }

    /// The task that runs begins to wait.
    #[inline(always)]
    pub fn wait(&mut self, kind: WaitKind, code: u64) {
        let now = self.now();
        if matches!(kind, WaitKind::Barrier | WaitKind::LastBarrier) {
            self.lanes_meet(now);
        }
        self.put_at(now, EventKind::Wait, [with_tag(code, kind as u16)]);
        if let Some(fold) = &mut self.fold {
            fold.wait(now, kind);
        }
    }

    /// What is gathered in between is stored, and the processor time with the next event.
    #[cold]
    fn lanes_meet(&mut self, now: u64) {
        self.store_uses();
        self.sampling.border(now);
        self.sampling.meets = true;
    }

    /// It has waited.
    #[inline(always)]
    pub fn wait_end(&mut self) {
        let now = self.now();
        if std::mem::take(&mut self.sampling.meets) {
            self.sampling.border(now);
        }
        self.position();
        self.put_at(now, EventKind::WaitEnd, []);
        if self.fold.is_some() {
            self.fold_section(now);
        }
    }

    /// The task that runs opens a section.
    #[inline]
    pub fn group(&mut self, code: u64) {
        let now = self.now();
        self.part_chunk();
        let at = self.position();
        self.put_at(now, EventKind::Group, [code]);
        let numbered = self.numbered();
        if let Some(fold) = &mut self.fold {
            fold.group(at, numbered, code);
        }
    }

    /// The task that runs starts a team.
    #[inline]
    pub fn fork(&mut self, code: u64, lanes: u32) -> TaskId {
        self.position();
        let team = self.number();
        let now = self.now();
        self.sampling.border(now);
        self.put_at(now, EventKind::Fork, [with_tag(code, lanes.min(0x7fff) as u16), team.0]);
        if let Some(fold) = &mut self.fold {
            fold.spoil();
        }
        team
    }

    /// A lane of a team begins here.
    #[inline]
    pub fn lane(&mut self, team: TaskId, index: u32) -> TaskId {
        let now = self.now();
        self.sampling.border(now);
        self.put_at(now, EventKind::Lane, [team.0, u64::from(index)]);
        let lane = self.number();
        self.goes_on(now, lane);
        lane
    }

    /// The lane has ended.
    #[inline]
    pub fn lane_end(&mut self) {
        let now = self.now();
        self.lanes_meet(now);
        self.put_at(now, EventKind::LaneEnd, []);
        self.current = TaskId::NONE;
    }

    /// The team has ended; the task that started it goes on at this code, 0 where that is not known.
    #[inline]
    pub fn join(&mut self, task: TaskId, code: u64) {
        let now = self.now();
        self.sampling.border(now);
        self.put_at(now, EventKind::Join, [task.0]);
        if code != 0 {
            self.put_at(now, EventKind::GoesOn, [with_tag(code, 0)]);
        }
        self.goes_on(now, task);
    }

    /// The lane alone runs a construct of its team.
    #[inline]
    pub fn alone(&mut self, code: u64) {
        self.put(EventKind::GoesOn, [with_tag(code, 1)]);
        if let Some(fold) = &mut self.fold {
            fold.spoil();
        }
    }

    /// Another task runs here, and how it came here does not matter.
    #[inline]
    pub fn goes_on(&mut self, now: u64, task: TaskId) {
        self.current = task;
        let numbered = self.numbered();
        if let Some(fold) = &mut self.fold {
            fold.anew(now, task, numbered);
        }
    }

    /// The lane enters a loop.
    #[inline]
    pub fn enter_loop(&mut self, code: u64, schedule: u16, iterations: u64) {
        self.put(EventKind::Loop, [with_tag(code, schedule), iterations]);
        if let Some(fold) = &mut self.fold {
            fold.spoil();
        }
    }

    /// What was created or is waited for depends on an address.
    #[inline]
    pub fn depend(&mut self, address: u64, kind: u16) {
        self.put(EventKind::Depend, [with_tag(address, kind)]);
        if let Some(fold) = &mut self.fold {
            fold.spoil();
        }
    }

    #[inline(never)]
    fn fold_task(&mut self, now: u64, ended: TaskId, next: TaskId) {
        let numbered = self.numbered();
        let cursor = self.cursor;
        let Some(fold) = &mut self.fold else { return };
        if let Some((at, folded)) = fold.end(now, ended, next, numbered, cursor) {
            self.replace(at, now, EventKind::FoldedTask, &folded);
        }
    }

    #[inline(never)]
    fn fold_section(&mut self, now: u64) {
        let (numbered, current) = (self.numbered(), self.current);
        let cursor = self.cursor;
        let Some(fold) = &mut self.fold else { return };
        if let Some((at, folded)) = fold.wait_end(now, current, numbered, cursor) {
            self.replace(at, now, EventKind::FoldedSection, &folded);
        }
    }

    /// Puts one record in place of everything stored from `at` on, if that is shorter.
    fn replace(&mut self, at: *mut u64, ticks: u64, kind: EventKind, folded: &Folded) {
        self.rewrite(at, ticks << 8 | kind as u64, folded);
    }
}
