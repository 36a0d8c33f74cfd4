//! What the messages part of a run holds: the names of its columns, and what a row of each is.
//!
//! Calls stand rank by rank, in the order in which they were recorded; everything else points at them. Ranks are world ranks
//! everywhere, and so are places. A number that is not known is the largest one.

use serde::{Deserialize, Serialize};

/// Not known, or none: of ranks, requests, calls.
pub const NONE: u32 = u32::MAX;

/// What a call is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Class {
    /// Anything else.
    Other = 0,
    /// Sends, at once or begun.
    Send = 1,
    /// Receives, at once or begun.
    Receive = 2,
    /// Sends and receives.
    Both = 3,
    /// Waits for what was begun, or tests it.
    Complete = 4,
    /// Begins what was prepared.
    Start = 5,
    /// All ranks of a communicator take part, and data or time is exchanged.
    Collective = 6,
    /// Makes or frees communicators.
    Communicator = 7,
    /// Reaches into the memory of another rank.
    OneSided = 8,
    /// Reads or writes files.
    File = 9,
    /// Begins or ends the program's use of MPI.
    Setup = 10,
}

impl Class {
    const ALL: [Class; 11] = [
        Class::Other,
        Class::Send,
        Class::Receive,
        Class::Both,
        Class::Complete,
        Class::Start,
        Class::Collective,
        Class::Communicator,
        Class::OneSided,
        Class::File,
        Class::Setup,
    ];

    /// From its number; other when it is none.
    pub fn from_number(number: u8) -> Self {
        Self::ALL.get(usize::from(number)).copied().unwrap_or(Class::Other)
    }

    /// What a function of MPI is about, by its name.
    pub fn of(name: &str) -> Self {
        let Some(word) = name.strip_prefix("MPI_") else { return Class::Other };
        if Collective::of(name).is_some() || is_neighbourhood(name) {
            return Class::Collective;
        }
        match word {
            "Send" | "Bsend" | "Ssend" | "Rsend" | "Isend" | "Ibsend" | "Issend" | "Irsend" => Class::Send,
            "Recv" | "Irecv" | "Mrecv" | "Imrecv" => Class::Receive,
            "Sendrecv" | "Sendrecv_replace" | "Isendrecv" | "Isendrecv_replace" => Class::Both,
            "Wait" | "Waitall" | "Waitany" | "Waitsome" | "Test" | "Testall" | "Testany" | "Testsome"
            | "Request_get_status" => Class::Complete,
            "Start" | "Startall" => Class::Start,
            "Init" | "Init_thread" | "Finalize" | "Abort" => Class::Setup,
            "Put" | "Get" | "Accumulate" | "Get_accumulate" | "Fetch_and_op" | "Compare_and_swap"
            | "Rput" | "Rget" | "Raccumulate" | "Rget_accumulate" => Class::OneSided,
            _ if word.starts_with("Win_") => Class::OneSided,
            _ if word.starts_with("File_") => Class::File,
            _ if makes_communicator(word) => Class::Communicator,
            _ => Class::Other,
        }
    }
}

/// Whether a function is a collective in which each rank exchanges with its neighbours alone. Who these are no trace says.
pub fn is_neighbourhood(name: &str) -> bool {
    name.starts_with("MPI_Neighbor_") || name.starts_with("MPI_Ineighbor_")
}

fn makes_communicator(word: &str) -> bool {
    let words = ["Comm_dup", "Comm_split", "Comm_create", "Comm_free", "Comm_spawn", "Comm_idup"];
    let whole =
        ["Cart_create", "Cart_sub", "Graph_create", "Dist_graph_create", "Dist_graph_create_adjacent"];
    words.iter().any(|begin| word.starts_with(begin))
        || whole.contains(&word)
        || word.starts_with("Intercomm_")
        || ["Comm_accept", "Comm_connect", "Comm_disconnect", "Comm_join"].contains(&word)
}

/// How a send is told to behave: by its function, or by the one that prepared it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Mode {
    /// As MPI likes: it waits for its receive or not.
    #[default]
    Standard = 0,
    /// It is not over before its receive is posted.
    Synchronous = 1,
    /// Its data is copied: it waits for nobody.
    Buffered = 2,
}

impl Mode {
    /// What a function of MPI that sends, or prepares a send, says.
    pub fn of(name: &str) -> Self {
        let word = name.strip_prefix("MPI_").unwrap_or(name);
        match word.strip_suffix("_init").unwrap_or(word) {
            "Ssend" | "Issend" => Mode::Synchronous,
            "Bsend" | "Ibsend" => Mode::Buffered,
            _ => Mode::Standard,
        }
    }

    /// From its number; standard when it is none.
    pub fn from_number(number: u8) -> Self {
        [Mode::Standard, Mode::Synchronous, Mode::Buffered]
            .get(usize::from(number))
            .copied()
            .unwrap_or_default()
    }
}

/// What a call asks for without completing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Asks {
    /// Whether what was begun is done.
    Begun,
    /// Whether a message is there that nobody has begun to receive.
    Message,
}

impl Asks {
    /// What a function of MPI asks for, by its name; none where it does more.
    pub fn of(name: &str) -> Option<Self> {
        match name.strip_prefix("MPI_")? {
            "Test" | "Testall" | "Testany" | "Testsome" | "Request_get_status" => Some(Asks::Begun),
            "Probe" | "Iprobe" | "Mprobe" | "Improbe" => Some(Asks::Message),
            _ => None,
        }
    }
}

/// The kinds of collectives. Their numbers are those of OTF2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Collective(pub u8);

impl Collective {
    /// All wait for all.
    pub const BARRIER: Collective = Collective(0);
    const NAMES: [&'static str; 17] = [
        "barrier",
        "bcast",
        "gather",
        "gatherv",
        "scatter",
        "scatterv",
        "allgather",
        "allgatherv",
        "alltoall",
        "alltoallv",
        "alltoallw",
        "allreduce",
        "reduce",
        "reduce_scatter",
        "scan",
        "exscan",
        "reduce_scatter_block",
    ];

    /// The kind that a function of MPI stands for, begun or done at once.
    pub fn of(name: &str) -> Option<Self> {
        let word = name.strip_prefix("MPI_")?.to_ascii_lowercase();
        let known = |word: &str| Self::NAMES.iter().position(|name| *name == word);
        let at = known(&word).or_else(|| known(word.strip_prefix('i')?))?;
        Some(Collective(at as u8))
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        Self::NAMES.get(usize::from(self.0)).copied().unwrap_or("collective")
    }

    /// Everybody ends after everybody began.
    pub fn is_synchronising(self) -> bool {
        matches!(self.0, 0 | 6..=11 | 13 | 16)
    }

    /// Data flows from or to one rank.
    pub fn is_rooted(self) -> bool {
        self.gathers() || self.spreads()
    }

    /// Data flows to one rank: it ends after everybody began.
    pub fn gathers(self) -> bool {
        matches!(self.0, 2 | 3 | 12)
    }

    /// Data flows from one rank: nobody ends before it began.
    pub fn spreads(self) -> bool {
        matches!(self.0, 1 | 4 | 5)
    }

    /// Each rank ends after those before it began.
    pub fn is_scan(self) -> bool {
        matches!(self.0, 14 | 15)
    }
}

/// Names of what is no call of the program, nor work: its events are written to disk by whatever traces it, or tracing is switched
/// off.
pub const NO_CALLS: [&str; 2] = ["(trace is written)", "(not traced)"];

/// A function that was called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub class: Class,
}

impl Function {
    /// A function of this name.
    pub fn named(name: &str) -> Self {
        Function { name: name.to_owned(), class: Class::of(name) }
    }
}

/// A call of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Which function.
    pub function: u16,
    /// When it was entered.
    pub start: i64,
    /// When it was left.
    pub end: i64,
    /// What it sent, received, put into or got out of a collective, wrote or read; 0 where it moved nothing.
    pub bytes: i64,
    /// The other rank, or the root; [`NONE`].
    pub peer: u32,
    /// The communicator; [`NONE`].
    pub comm: u32,
    /// The request that it made or completed, by the rank's own numbers; [`NONE`].
    pub request: u32,
    /// The line that calls, by its number among the run's sources; [`NONE`].
    pub source: u32,
}

impl Call {
    /// A call that moves nothing.
    pub fn new(function: u16, start: i64, end: i64) -> Self {
        Call { function, start, end, bytes: 0, peer: NONE, comm: NONE, request: NONE, source: NONE }
    }
}

/// Totals, kept in the manifest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// Ranks of the world.
    pub ranks: u32,
    /// Messages: sends with their receives.
    pub messages: u64,
    /// Their bytes.
    pub bytes: i64,
    /// Sends and receives without the other side.
    pub unmatched: u64,
    /// Of those: why, with counts.
    pub why_unmatched: Vec<(String, u64)>,
    /// Calls of collectives, a call for each rank that takes part.
    pub collectives: u64,
    /// Collectives, once for all ranks.
    pub collective_operations: u64,
    /// Calls of all kinds.
    pub calls: u64,
    /// Communicators.
    pub communicators: u64,
    /// From the first start to the last end.
    pub elapsed: i64,
    /// Messages that ended before they began, by the clocks of their ranks.
    pub backwards: u64,
    /// The same after the clocks were corrected.
    pub backwards_left: u64,
    /// Ranks whose clocks were corrected.
    pub corrected: u32,
    /// The largest correction, in the run's clock.
    pub largest_correction: i64,
    /// What is to be known of this run: what was left out, what did not fit together.
    pub notes: Vec<String>,
}
