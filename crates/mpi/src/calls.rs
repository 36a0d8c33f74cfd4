//! A call of the program: what it says goes into events, before and after the real function.

use std::ffi::c_int;

use crosscut_events::EventKind::{MpiCall, MpiCallOn, MpiDone, MpiFrom, MpiHandle, MpiReturn};
use crosscut_events::mpi::{Counts, Data, Function, NOT, ROOT, Shape, UNKNOWN, with_peer};
use crosscut_events::with_tag;

use crate::arguments::Arguments;
use crate::kinds::{Handle, kind};
use crate::recorder::{self, Recorder};
use crate::{comms, complete, setup};

/// What worked.
pub const SUCCESS: c_int = 0;

/// A call on its way.
pub struct Call<'a> {
    pub recorder: Recorder,
    pub arguments: &'a mut Arguments,
    /// The real function.
    pub real: usize,
    /// Where it comes from and what it calls, as events have it.
    pub word: u64,
    pub name: &'static str,
}

/// Room for one status.
pub type Status = [u64; 4];

/// Calls the real function and tells of it.
#[inline]
pub fn call(
    number: usize,
    function: &Function,
    arguments: &mut Arguments,
    real: usize,
    caller: u64,
) -> c_int {
    let Some(recorder) = recorder::get() else { return arguments.call(real) };
    let word = with_tag(caller, number as u16);
    let mut call = Call { recorder, arguments, real, word, name: function.name };
    let result = call.shape(function.shape);
    if result.is_recorded {
        recorder.put(MpiReturn, []);
    }
    result.code
}

/// What the real function returned.
pub struct Returned {
    pub code: c_int,
    /// Whether the call has an event of its own, which has to be ended.
    pub is_recorded: bool,
}

impl Call<'_> {
    fn shape(&mut self, shape: Shape) -> Returned {
        let code = match shape {
            Shape::Send => {
                self.send();
                self.run()
            }
            Shape::BeginSend | Shape::PrepareSend | Shape::BeginReceive | Shape::PrepareReceive => {
                self.send();
                self.run_and_make(6, Handle::Request)
            }
            Shape::Receive => {
                self.send();
                self.run_and_receive(6)
            }
            Shape::Both { from, status } => {
                self.both(from);
                self.run_and_receive(status)
            }
            Shape::BeginBoth { from, request } => {
                self.both(from);
                self.run_and_make(request, Handle::Request)
            }
            Shape::Collective { data, root, comm } => {
                self.collective(data, root, comm);
                self.run()
            }
            Shape::BeginCollective { data, root, comm } => {
                self.collective(data, root, comm);
                self.run_and_make(comm + 1, Handle::Request)
            }
            Shape::PrepareCollective { data, root, comm } => {
                self.collective(data, root, comm);
                self.run_and_make(comm + 2, Handle::Request)
            }
            Shape::Wait => complete::wait(self),
            Shape::WaitAll => complete::wait_all(self),
            Shape::WaitAny => complete::wait_any(self),
            Shape::WaitSome => complete::wait_some(self),
            Shape::Test => return complete::test(self),
            Shape::TestAll => return complete::test_all(self),
            Shape::TestAny => return complete::test_any(self),
            Shape::TestSome => return complete::test_some(self),
            Shape::TryProbe => return complete::try_probe(self),
            Shape::TryTakeProbe => return complete::try_take_probe(self),
            other => self.rare(other),
        };
        Returned { code, is_recorded: true }
    }

    #[inline(never)]
    fn rare(&mut self, shape: Shape) -> c_int {
        match shape {
            Shape::Probe => {
                self.asks_for_message();
                self.run()
            }
            Shape::TakeProbe => {
                self.asks_for_message();
                self.run_and_take(3, 4)
            }
            Shape::ReceiveTaken => {
                self.begin();
                self.handle(3, Handle::Message);
                self.run_and_receive(4)
            }
            Shape::BeginReceiveTaken => {
                self.begin();
                self.handle(3, Handle::Message);
                self.run_and_make(4, Handle::Request)
            }
            Shape::Start | Shape::Free | Shape::Cancel => {
                self.begin();
                self.handle(0, Handle::Request);
                self.run()
            }
            Shape::StartAll => {
                self.begin();
                for index in 0..self.arguments.int(0).max(0) as usize {
                    let request = self.arguments.stored_handle_of(1, index, Handle::Request);
                    self.recorder.put(MpiHandle, [request]);
                }
                self.run()
            }
            Shape::Drop => {
                self.begin();
                self.handle(0, Handle::Comm);
                self.run()
            }
            Shape::Make { parent, new } => self.make(parent, new),
            Shape::Open { comm, new } => {
                let comm = self.arguments.handle(comm, Handle::Comm);
                self.begin_on(comm, with_peer(UNKNOWN, 0), 0);
                let is_file = self.name.starts_with("MPI_File");
                self.run_and_make(new, if is_file { Handle::File } else { Handle::Window })
            }
            Shape::Reach { data, rank, window } => {
                let window = self.arguments.handle(window, Handle::Window);
                let rank = rank.map_or(UNKNOWN, |rank| kind().rank(self.arguments.int(rank)));
                let bytes = data.map_or(0, |data| self.bytes(data, 0));
                self.begin_on(window, with_peer(rank, 0), bytes);
                self.run()
            }
            Shape::File { count } => {
                let file = self.arguments.handle(0, Handle::File);
                let bytes = count.map_or(0, |count| self.bytes(Data::one(NOT, count, count + 1), 0));
                self.begin_on(file, with_peer(UNKNOWN, 0), bytes);
                self.run()
            }
            Shape::Begin => {
                self.begin();
                let code = self.run();
                if code == SUCCESS {
                    setup::begin(self.recorder);
                }
                code
            }
            Shape::End => {
                self.begin();
                setup::end(self.recorder);
                self.run()
            }
            _ => {
                self.begin();
                self.run()
            }
        }
    }

    /// Calls the real function.
    #[inline(always)]
    pub fn run(&mut self) -> c_int {
        self.arguments.call(self.real)
    }

    /// The call begins.
    pub fn begin(&mut self) {
        self.recorder.put(MpiCall, [self.word]);
    }

    #[inline(always)]
    fn begin_on(&mut self, on: u64, peer: u64, bytes: i64) {
        self.recorder.put(MpiCallOn, [self.word, on, peer, bytes as u64]);
    }

    /// Tells a handle that the program passes behind a pointer.
    fn handle(&mut self, at: u8, what: Handle) {
        let handle = self.arguments.stored_handle(at, what);
        self.recorder.put(MpiHandle, [handle]);
    }

    /// Calls the real function, which makes something of a handle.
    fn run_and_make(&mut self, at: u8, what: Handle) -> c_int {
        let code = self.run();
        if code == SUCCESS {
            self.handle(at, what);
        }
        code
    }

    /// Calls the real function, which receives.
    fn run_and_receive(&mut self, status: u8) -> c_int {
        let mut own = Status::default();
        self.keep_status(status, &mut own);
        let code = self.run();
        if code == SUCCESS {
            self.done(0, status, 0);
        }
        code
    }

    /// Calls the real function, which takes a message out of those that wait.
    pub fn run_and_take(&mut self, message: u8, status: u8) -> c_int {
        let mut own = Status::default();
        self.keep_status(status, &mut own);
        let code = self.run();
        if code == SUCCESS {
            let message = self.arguments.stored_handle(message, Handle::Message);
            self.done(message, status, 0);
        }
        code
    }

    /// Lets the function store its status, even when the program does not want it.
    pub fn keep_status(&mut self, at: u8, own: &mut Status) {
        if self.arguments.is_ignored(at, false) {
            self.arguments.words[usize::from(at)] = own.as_mut_ptr().expose_provenance();
        }
    }

    /// What a status says of a request that is done; it is one of a list.
    pub fn done(&mut self, handle: u64, statuses: u8, index: usize) {
        let first: *const u64 =
            std::ptr::with_exposed_provenance(self.arguments.words[usize::from(statuses)]);
        let status = first.wrapping_byte_add(index * kind().status);
        let (source, tag, bytes, cancelled) = kind().status(status.cast());
        let bytes = bytes as u64 | if cancelled { crosscut_events::mpi::CANCELLED } else { 0 };
        self.recorder.put(MpiDone, [handle, with_peer(source, tag), bytes]);
    }

    /// Buffer, count, type, other rank, tag, communicator.
    #[inline(always)]
    fn send(&mut self) {
        let comm = self.arguments.handle(5, Handle::Comm);
        let bytes = self.bytes(Data::one(NOT, 1, 2), comm);
        let peer = with_peer(kind().rank(self.arguments.int(3)), self.arguments.int(4));
        self.begin_on(comm, peer, bytes);
    }

    /// A send, and a receive whose sender, tag and communicator follow each other.
    fn both(&mut self, from: u8) {
        let comm = self.arguments.handle(from + 2, Handle::Comm);
        let bytes = self.bytes(Data::one(NOT, 1, 2), comm);
        let to = with_peer(kind().rank(self.arguments.int(3)), self.arguments.int(4));
        let from = with_peer(kind().rank(self.arguments.int(from)), self.arguments.int(from + 1));
        self.begin_on(comm, to, bytes);
        self.recorder.put(MpiFrom, [from]);
    }

    /// Sender, tag, communicator.
    pub fn asks_for_message(&mut self) {
        let (peer, comm) = self.message();
        self.begin_on(comm, peer, 0);
    }

    /// The message that a probe asks for, and on which communicator.
    pub fn message(&self) -> (u64, u64) {
        let comm = self.arguments.handle(2, Handle::Comm);
        (with_peer(kind().rank(self.arguments.int(0)), self.arguments.int(1)), comm)
    }

    fn collective(&mut self, data: Option<Data>, root: Option<u8>, comm: u8) {
        let comm = self.arguments.handle(comm, Handle::Comm);
        let root = root.map_or(UNKNOWN, |root| kind().rank(self.arguments.int(root)));
        // On one between two groups, the side of the root gives nothing but from the root itself.
        let gives = root <= UNKNOWN || root == ROOT && self.name.contains("cast");
        let bytes = data.filter(|_| gives).map_or(0, |data| self.bytes(data, comm));
        self.begin_on(comm, with_peer(root, 0), bytes);
    }

    /// How much data a call moves.
    #[inline(always)]
    fn bytes(&self, data: Data, comm: u64) -> i64 {
        let arguments = &*self.arguments;
        let (count, of) = match data.buffer != NOT && arguments.is_in_place(data.buffer) {
            true if data.instead.0 == NOT => return 0,
            true => data.instead,
            false => (data.count, data.kind),
        };
        if data.how == Counts::Lists {
            let each = |index: usize| {
                let bytes = kind().bytes(arguments.stored_handle_of(of, index, Handle::Type));
                arguments.count_of(count, index).saturating_mul(bytes)
            };
            return (0..comms::peers(comm)).map(each).fold(0, i64::saturating_add);
        }
        let elements = match data.how {
            Counts::One if count == NOT => 1,
            Counts::One => arguments.count(count),
            Counts::Each => arguments.count(count).saturating_mul(comms::peers(comm) as i64),
            _ => (0..comms::peers(comm))
                .map(|index| arguments.count_of(count, index))
                .fold(0, i64::saturating_add),
        };
        let bytes = kind().bytes(arguments.handle(of, Handle::Type));
        elements.max(0).saturating_mul(bytes)
    }

    fn make(&mut self, parent: Option<u8>, new: u8) -> c_int {
        let parent = parent.map_or(0, |parent| self.arguments.handle(parent, Handle::Comm));
        match parent {
            0 => self.begin(),
            _ => self.begin_on(parent, with_peer(UNKNOWN, 0), 0),
        }
        let code = self.run();
        if code == SUCCESS {
            let new = self.arguments.stored_handle(new, Handle::Comm);
            if kind().is_comm(new) {
                // One that is not made yet has the members of its parent.
                let like = if self.name == "MPI_Comm_idup" { parent } else { new };
                comms::tell(self.recorder, new, parent, like);
            }
        }
        code
    }
}
