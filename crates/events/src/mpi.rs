//! The functions of MPI that are recorded: their names, and where in their arguments stands what an event tells.
//!
//! The library that stands between a program and its MPI has an entry point for each of them; whoever reads the events
//! finds the name and the meaning of a call by its number in [`FUNCTIONS`].

/// Where a call says how much data it moves. Positions are those of arguments in C; [`NOT`] where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// The buffer. When it says that the data is in place, count and type stand at `instead`.
    pub buffer: u8,
    /// How many; one when there is no count.
    pub count: u8,
    /// Of which type.
    pub kind: u8,
    /// Count and type of data in place.
    pub instead: (u8, u8),
    /// How counts add up.
    pub how: Counts,
}

/// How counts add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// One count, once.
    One,
    /// One count, for each rank of the communicator.
    Each,
    /// A list with a count for each rank.
    List,
    /// A list of counts and one of types.
    Lists,
}

/// No such argument.
pub const NOT: u8 = u8::MAX;

impl Data {
    /// Count and type; nothing is known of data in place.
    pub const fn one(buffer: u8, count: u8, kind: u8) -> Data {
        Data { buffer, count, kind, instead: (NOT, NOT), how: Counts::One }
    }

    /// Count and type, or others when the data is in place.
    pub const fn or(buffer: u8, count: u8, kind: u8, other_count: u8, other_kind: u8) -> Data {
        Data { instead: (other_count, other_kind), ..Data::one(buffer, count, kind) }
    }

    /// For each rank.
    pub const fn each(self) -> Data {
        Data { how: Counts::Each, ..self }
    }

    /// The count is a list.
    pub const fn sum(self) -> Data {
        Data { how: Counts::List, ..self }
    }

    /// Count and type are lists.
    pub const fn sum_of_types(self) -> Data {
        Data { how: Counts::Lists, ..self }
    }
}

/// What a call is like. Numbers are positions of arguments in C.
#[allow(missing_docs)] // named as the arguments are
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Nothing is told but the call.
    Plain,
    /// Buffer, count, type, receiver, tag, communicator.
    Send,
    /// The same, and a request.
    BeginSend,
    /// The same; it is begun later, as often as wanted.
    PrepareSend,
    /// Buffer, count, type, sender, tag, communicator, status.
    Receive,
    /// The same with a request in place of the status.
    BeginReceive,
    /// The same; it is begun later.
    PrepareReceive,
    /// Buffer, count, type, receiver, tag; at `from` the sender, then tag and communicator.
    Both { from: u8, status: u8 },
    /// The same with a request.
    BeginBoth { from: u8, request: u8 },
    /// Sender, tag, communicator, status.
    Probe,
    /// Sender, tag, communicator, flag, status.
    TryProbe,
    /// Sender, tag, communicator, message, status.
    TakeProbe,
    /// Sender, tag, communicator, flag, message, status.
    TryTakeProbe,
    /// Buffer, count, type, message, status.
    ReceiveTaken,
    /// Buffer, count, type, message, request.
    BeginReceiveTaken,
    /// Request, status.
    Wait,
    /// Request, flag, status.
    Test,
    /// Count, requests, statuses.
    WaitAll,
    /// Count, requests, flag, statuses.
    TestAll,
    /// Count, requests, index, status.
    WaitAny,
    /// Count, requests, index, flag, status.
    TestAny,
    /// Count, requests, count of those that are done, indices, statuses.
    WaitSome,
    /// The same, at once.
    TestSome,
    /// A prepared request.
    Start,
    /// Count, prepared requests.
    StartAll,
    /// A request that nobody will wait for.
    Free,
    /// A request.
    Cancel,
    /// All ranks of a communicator.
    Collective { data: Option<Data>, root: Option<u8>, comm: u8 },
    /// The same; the request follows the communicator.
    BeginCollective { data: Option<Data>, root: Option<u8>, comm: u8 },
    /// The same; hints and the request follow the communicator, and it is begun later.
    PrepareCollective { data: Option<Data>, root: Option<u8>, comm: u8 },
    /// Makes a communicator of another.
    Make { parent: Option<u8>, new: u8 },
    /// Gives a communicator back.
    Drop,
    /// Opens a window or a file on a communicator.
    Open { comm: u8, new: u8 },
    /// Reaches into the memory of another rank, or waits until that is done.
    Reach { data: Option<Data>, rank: Option<u8>, window: u8 },
    /// Reads or writes a file, the first argument; the type follows the count.
    File { count: Option<u8> },
    /// Begins the program's use of MPI.
    Begin,
    /// Ends it.
    End,
}

/// A function that is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name in C.
    pub name: &'static str,
    /// Arguments in C. In Fortran one more follows, for the error.
    pub arguments: u8,
    /// What it is like.
    pub shape: Shape,
}

impl Function {
    /// Whether its counts have 64 bits.
    pub const fn is_wide(&self) -> bool {
        let name = self.name.as_bytes();
        name.len() > 2 && name[name.len() - 2] == b'_' && name[name.len() - 1] == b'c'
    }

    /// The name without the mark of wide counts.
    pub fn plain_name(&self) -> &'static str {
        if self.is_wide() { self.name.strip_suffix("_c").unwrap_or(self.name) } else { self.name }
    }
}

/// Calls a macro with all functions: `NAME(ARGUMENTS) [NAME IN FORTRAN] SHAPE;`
#[macro_export]
macro_rules! mpi_functions {
    ($with:ident) => {
        $with! {
            MPI_Send(6) [mpi_send_] Shape::Send;
            MPI_Send_c(6) [] Shape::Send;
            MPI_Bsend(6) [mpi_bsend_] Shape::Send;
            MPI_Bsend_c(6) [] Shape::Send;
            MPI_Ssend(6) [mpi_ssend_] Shape::Send;
            MPI_Ssend_c(6) [] Shape::Send;
            MPI_Rsend(6) [mpi_rsend_] Shape::Send;
            MPI_Rsend_c(6) [] Shape::Send;
            MPI_Isend(7) [mpi_isend_] Shape::BeginSend;
            MPI_Isend_c(7) [] Shape::BeginSend;
            MPI_Ibsend(7) [mpi_ibsend_] Shape::BeginSend;
            MPI_Ibsend_c(7) [] Shape::BeginSend;
            MPI_Issend(7) [mpi_issend_] Shape::BeginSend;
            MPI_Issend_c(7) [] Shape::BeginSend;
            MPI_Irsend(7) [mpi_irsend_] Shape::BeginSend;
            MPI_Irsend_c(7) [] Shape::BeginSend;
            MPI_Send_init(7) [mpi_send_init_] Shape::PrepareSend;
            MPI_Send_init_c(7) [] Shape::PrepareSend;
            MPI_Bsend_init(7) [mpi_bsend_init_] Shape::PrepareSend;
            MPI_Bsend_init_c(7) [] Shape::PrepareSend;
            MPI_Ssend_init(7) [mpi_ssend_init_] Shape::PrepareSend;
            MPI_Ssend_init_c(7) [] Shape::PrepareSend;
            MPI_Rsend_init(7) [mpi_rsend_init_] Shape::PrepareSend;
            MPI_Rsend_init_c(7) [] Shape::PrepareSend;
            MPI_Recv(7) [mpi_recv_] Shape::Receive;
            MPI_Recv_c(7) [] Shape::Receive;
            MPI_Irecv(7) [mpi_irecv_] Shape::BeginReceive;
            MPI_Irecv_c(7) [] Shape::BeginReceive;
            MPI_Recv_init(7) [mpi_recv_init_] Shape::PrepareReceive;
            MPI_Recv_init_c(7) [] Shape::PrepareReceive;
            MPI_Sendrecv(12) [mpi_sendrecv_] Shape::Both { from: 8, status: 11 };
            MPI_Sendrecv_c(12) [] Shape::Both { from: 8, status: 11 };
            MPI_Sendrecv_replace(9) [mpi_sendrecv_replace_] Shape::Both { from: 5, status: 8 };
            MPI_Sendrecv_replace_c(9) [] Shape::Both { from: 5, status: 8 };
            MPI_Isendrecv(12) [] Shape::BeginBoth { from: 8, request: 11 };
            MPI_Isendrecv_replace(9) [] Shape::BeginBoth { from: 5, request: 8 };
            MPI_Probe(4) [mpi_probe_] Shape::Probe;
            MPI_Iprobe(5) [mpi_iprobe_] Shape::TryProbe;
            MPI_Mprobe(5) [mpi_mprobe_] Shape::TakeProbe;
            MPI_Improbe(6) [mpi_improbe_] Shape::TryTakeProbe;
            MPI_Mrecv(5) [mpi_mrecv_] Shape::ReceiveTaken;
            MPI_Mrecv_c(5) [] Shape::ReceiveTaken;
            MPI_Imrecv(5) [mpi_imrecv_] Shape::BeginReceiveTaken;
            MPI_Imrecv_c(5) [] Shape::BeginReceiveTaken;
            MPI_Wait(2) [mpi_wait_] Shape::Wait;
            MPI_Test(3) [mpi_test_] Shape::Test;
            MPI_Waitall(3) [mpi_waitall_] Shape::WaitAll;
            MPI_Testall(4) [mpi_testall_] Shape::TestAll;
            MPI_Waitany(4) [mpi_waitany_] Shape::WaitAny;
            MPI_Testany(5) [mpi_testany_] Shape::TestAny;
            MPI_Waitsome(5) [mpi_waitsome_] Shape::WaitSome;
            MPI_Testsome(5) [mpi_testsome_] Shape::TestSome;
            MPI_Start(1) [mpi_start_] Shape::Start;
            MPI_Startall(2) [mpi_startall_] Shape::StartAll;
            MPI_Request_free(1) [mpi_request_free_] Shape::Free;
            MPI_Cancel(1) [mpi_cancel_] Shape::Cancel;
            MPI_Barrier(1) [mpi_barrier_] Shape::Collective { data: None, root: None, comm: 0 };
            MPI_Bcast(5) [mpi_bcast_] Shape::Collective { data: Some(Data::one(0, 1, 2)), root: Some(3), comm: 4 };
            MPI_Bcast_c(5) [] Shape::Collective { data: Some(Data::one(0, 1, 2)), root: Some(3), comm: 4 };
            MPI_Gather(8) [mpi_gather_] Shape::Collective { data: Some(Data::or(0, 1, 2, 4, 5)), root: Some(6), comm: 7 };
            MPI_Gather_c(8) [] Shape::Collective { data: Some(Data::or(0, 1, 2, 4, 5)), root: Some(6), comm: 7 };
            MPI_Gatherv(9) [mpi_gatherv_] Shape::Collective { data: Some(Data::one(0, 1, 2)), root: Some(7), comm: 8 };
            MPI_Gatherv_c(9) [] Shape::Collective { data: Some(Data::one(0, 1, 2)), root: Some(7), comm: 8 };
            MPI_Scatter(8) [mpi_scatter_] Shape::Collective { data: Some(Data::or(3, 4, 5, 1, 2)), root: Some(6), comm: 7 };
            MPI_Scatter_c(8) [] Shape::Collective { data: Some(Data::or(3, 4, 5, 1, 2)), root: Some(6), comm: 7 };
            MPI_Scatterv(9) [mpi_scatterv_] Shape::Collective { data: Some(Data::one(4, 5, 6)), root: Some(7), comm: 8 };
            MPI_Scatterv_c(9) [] Shape::Collective { data: Some(Data::one(4, 5, 6)), root: Some(7), comm: 8 };
            MPI_Allgather(7) [mpi_allgather_] Shape::Collective { data: Some(Data::or(0, 1, 2, 4, 5)), root: None, comm: 6 };
            MPI_Allgather_c(7) [] Shape::Collective { data: Some(Data::or(0, 1, 2, 4, 5)), root: None, comm: 6 };
            MPI_Allgatherv(8) [mpi_allgatherv_] Shape::Collective { data: Some(Data::one(0, 1, 2)), root: None, comm: 7 };
            MPI_Allgatherv_c(8) [] Shape::Collective { data: Some(Data::one(0, 1, 2)), root: None, comm: 7 };
            MPI_Alltoall(7) [mpi_alltoall_] Shape::Collective { data: Some(Data::or(0, 1, 2, 4, 5).each()), root: None, comm: 6 };
            MPI_Alltoall_c(7) [] Shape::Collective { data: Some(Data::or(0, 1, 2, 4, 5).each()), root: None, comm: 6 };
            MPI_Alltoallv(9) [mpi_alltoallv_] Shape::Collective { data: Some(Data::or(0, 1, 3, 5, 7).sum()), root: None, comm: 8 };
            MPI_Alltoallv_c(9) [] Shape::Collective { data: Some(Data::or(0, 1, 3, 5, 7).sum()), root: None, comm: 8 };
            MPI_Alltoallw(9) [mpi_alltoallw_] Shape::Collective { data: Some(Data::or(0, 1, 3, 5, 7).sum_of_types()), root: None, comm: 8 };
            MPI_Alltoallw_c(9) [] Shape::Collective { data: Some(Data::or(0, 1, 3, 5, 7).sum_of_types()), root: None, comm: 8 };
            MPI_Reduce(7) [mpi_reduce_] Shape::Collective { data: Some(Data::one(NOT, 2, 3)), root: Some(5), comm: 6 };
            MPI_Reduce_c(7) [] Shape::Collective { data: Some(Data::one(NOT, 2, 3)), root: Some(5), comm: 6 };
            MPI_Allreduce(6) [mpi_allreduce_] Shape::Collective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Allreduce_c(6) [] Shape::Collective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Reduce_scatter(6) [mpi_reduce_scatter_] Shape::Collective { data: Some(Data::one(NOT, 2, 3).sum()), root: None, comm: 5 };
            MPI_Reduce_scatter_c(6) [] Shape::Collective { data: Some(Data::one(NOT, 2, 3).sum()), root: None, comm: 5 };
            MPI_Reduce_scatter_block(6) [mpi_reduce_scatter_block_] Shape::Collective { data: Some(Data::one(NOT, 2, 3).each()), root: None, comm: 5 };
            MPI_Reduce_scatter_block_c(6) [] Shape::Collective { data: Some(Data::one(NOT, 2, 3).each()), root: None, comm: 5 };
            MPI_Scan(6) [mpi_scan_] Shape::Collective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Scan_c(6) [] Shape::Collective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Exscan(6) [mpi_exscan_] Shape::Collective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Exscan_c(6) [] Shape::Collective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Neighbor_allgather(7) [mpi_neighbor_allgather_] Shape::Collective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 6 };
            MPI_Neighbor_allgather_c(7) [] Shape::Collective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 6 };
            MPI_Neighbor_allgatherv(8) [mpi_neighbor_allgatherv_] Shape::Collective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 7 };
            MPI_Neighbor_allgatherv_c(8) [] Shape::Collective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 7 };
            MPI_Neighbor_alltoall(7) [mpi_neighbor_alltoall_] Shape::Collective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 6 };
            MPI_Neighbor_alltoall_c(7) [] Shape::Collective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 6 };
            MPI_Neighbor_alltoallv(9) [mpi_neighbor_alltoallv_] Shape::Collective { data: None, root: None, comm: 8 };
            MPI_Neighbor_alltoallv_c(9) [] Shape::Collective { data: None, root: None, comm: 8 };
            MPI_Neighbor_alltoallw(9) [mpi_neighbor_alltoallw_] Shape::Collective { data: None, root: None, comm: 8 };
            MPI_Neighbor_alltoallw_c(9) [] Shape::Collective { data: None, root: None, comm: 8 };
            MPI_Ibarrier(2) [mpi_ibarrier_] Shape::BeginCollective { data: None, root: None, comm: 0 };
            MPI_Ibcast(6) [mpi_ibcast_] Shape::BeginCollective { data: Some(Data::one(0, 1, 2)), root: Some(3), comm: 4 };
            MPI_Ibcast_c(6) [] Shape::BeginCollective { data: Some(Data::one(0, 1, 2)), root: Some(3), comm: 4 };
            MPI_Igather(9) [mpi_igather_] Shape::BeginCollective { data: Some(Data::or(0, 1, 2, 4, 5)), root: Some(6), comm: 7 };
            MPI_Igather_c(9) [] Shape::BeginCollective { data: Some(Data::or(0, 1, 2, 4, 5)), root: Some(6), comm: 7 };
            MPI_Igatherv(10) [mpi_igatherv_] Shape::BeginCollective { data: Some(Data::one(0, 1, 2)), root: Some(7), comm: 8 };
            MPI_Igatherv_c(10) [] Shape::BeginCollective { data: Some(Data::one(0, 1, 2)), root: Some(7), comm: 8 };
            MPI_Iscatter(9) [mpi_iscatter_] Shape::BeginCollective { data: Some(Data::or(3, 4, 5, 1, 2)), root: Some(6), comm: 7 };
            MPI_Iscatter_c(9) [] Shape::BeginCollective { data: Some(Data::or(3, 4, 5, 1, 2)), root: Some(6), comm: 7 };
            MPI_Iscatterv(10) [mpi_iscatterv_] Shape::BeginCollective { data: Some(Data::one(4, 5, 6)), root: Some(7), comm: 8 };
            MPI_Iscatterv_c(10) [] Shape::BeginCollective { data: Some(Data::one(4, 5, 6)), root: Some(7), comm: 8 };
            MPI_Iallgather(8) [mpi_iallgather_] Shape::BeginCollective { data: Some(Data::or(0, 1, 2, 4, 5)), root: None, comm: 6 };
            MPI_Iallgather_c(8) [] Shape::BeginCollective { data: Some(Data::or(0, 1, 2, 4, 5)), root: None, comm: 6 };
            MPI_Iallgatherv(9) [mpi_iallgatherv_] Shape::BeginCollective { data: Some(Data::one(0, 1, 2)), root: None, comm: 7 };
            MPI_Iallgatherv_c(9) [] Shape::BeginCollective { data: Some(Data::one(0, 1, 2)), root: None, comm: 7 };
            MPI_Ialltoall(8) [mpi_ialltoall_] Shape::BeginCollective { data: Some(Data::or(0, 1, 2, 4, 5).each()), root: None, comm: 6 };
            MPI_Ialltoall_c(8) [] Shape::BeginCollective { data: Some(Data::or(0, 1, 2, 4, 5).each()), root: None, comm: 6 };
            MPI_Ialltoallv(10) [mpi_ialltoallv_] Shape::BeginCollective { data: Some(Data::or(0, 1, 3, 5, 7).sum()), root: None, comm: 8 };
            MPI_Ialltoallv_c(10) [] Shape::BeginCollective { data: Some(Data::or(0, 1, 3, 5, 7).sum()), root: None, comm: 8 };
            MPI_Ialltoallw(10) [mpi_ialltoallw_] Shape::BeginCollective { data: Some(Data::or(0, 1, 3, 5, 7).sum_of_types()), root: None, comm: 8 };
            MPI_Ialltoallw_c(10) [] Shape::BeginCollective { data: Some(Data::or(0, 1, 3, 5, 7).sum_of_types()), root: None, comm: 8 };
            MPI_Ireduce(8) [mpi_ireduce_] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3)), root: Some(5), comm: 6 };
            MPI_Ireduce_c(8) [] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3)), root: Some(5), comm: 6 };
            MPI_Iallreduce(7) [mpi_iallreduce_] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Iallreduce_c(7) [] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Ireduce_scatter(7) [mpi_ireduce_scatter_] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3).sum()), root: None, comm: 5 };
            MPI_Ireduce_scatter_c(7) [] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3).sum()), root: None, comm: 5 };
            MPI_Ireduce_scatter_block(7) [mpi_ireduce_scatter_block_] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3).each()), root: None, comm: 5 };
            MPI_Ireduce_scatter_block_c(7) [] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3).each()), root: None, comm: 5 };
            MPI_Iscan(7) [mpi_iscan_] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Iscan_c(7) [] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Iexscan(7) [mpi_iexscan_] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Iexscan_c(7) [] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Ineighbor_allgather(8) [mpi_ineighbor_allgather_] Shape::BeginCollective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 6 };
            MPI_Ineighbor_allgather_c(8) [] Shape::BeginCollective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 6 };
            MPI_Ineighbor_allgatherv(9) [mpi_ineighbor_allgatherv_] Shape::BeginCollective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 7 };
            MPI_Ineighbor_allgatherv_c(9) [] Shape::BeginCollective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 7 };
            MPI_Ineighbor_alltoall(8) [mpi_ineighbor_alltoall_] Shape::BeginCollective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 6 };
            MPI_Ineighbor_alltoall_c(8) [] Shape::BeginCollective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 6 };
            MPI_Ineighbor_alltoallv(10) [mpi_ineighbor_alltoallv_] Shape::BeginCollective { data: None, root: None, comm: 8 };
            MPI_Ineighbor_alltoallv_c(10) [] Shape::BeginCollective { data: None, root: None, comm: 8 };
            MPI_Ineighbor_alltoallw(10) [mpi_ineighbor_alltoallw_] Shape::BeginCollective { data: None, root: None, comm: 8 };
            MPI_Ineighbor_alltoallw_c(10) [] Shape::BeginCollective { data: None, root: None, comm: 8 };
            MPI_Barrier_init(3) [] Shape::PrepareCollective { data: None, root: None, comm: 0 };
            MPI_Bcast_init(7) [] Shape::PrepareCollective { data: Some(Data::one(0, 1, 2)), root: Some(3), comm: 4 };
            MPI_Gather_init(10) [] Shape::PrepareCollective { data: Some(Data::or(0, 1, 2, 4, 5)), root: Some(6), comm: 7 };
            MPI_Gatherv_init(11) [] Shape::PrepareCollective { data: Some(Data::one(0, 1, 2)), root: Some(7), comm: 8 };
            MPI_Scatter_init(10) [] Shape::PrepareCollective { data: Some(Data::or(3, 4, 5, 1, 2)), root: Some(6), comm: 7 };
            MPI_Scatterv_init(11) [] Shape::PrepareCollective { data: Some(Data::one(4, 5, 6)), root: Some(7), comm: 8 };
            MPI_Allgather_init(9) [] Shape::PrepareCollective { data: Some(Data::or(0, 1, 2, 4, 5)), root: None, comm: 6 };
            MPI_Allgatherv_init(10) [] Shape::PrepareCollective { data: Some(Data::one(0, 1, 2)), root: None, comm: 7 };
            MPI_Alltoall_init(9) [] Shape::PrepareCollective { data: Some(Data::or(0, 1, 2, 4, 5).each()), root: None, comm: 6 };
            MPI_Alltoallv_init(11) [] Shape::PrepareCollective { data: Some(Data::or(0, 1, 3, 5, 7).sum()), root: None, comm: 8 };
            MPI_Alltoallw_init(11) [] Shape::PrepareCollective { data: Some(Data::or(0, 1, 3, 5, 7).sum_of_types()), root: None, comm: 8 };
            MPI_Reduce_init(9) [] Shape::PrepareCollective { data: Some(Data::one(NOT, 2, 3)), root: Some(5), comm: 6 };
            MPI_Allreduce_init(8) [] Shape::PrepareCollective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Reduce_scatter_init(8) [] Shape::PrepareCollective { data: Some(Data::one(NOT, 2, 3).sum()), root: None, comm: 5 };
            MPI_Reduce_scatter_block_init(8) [] Shape::PrepareCollective { data: Some(Data::one(NOT, 2, 3).each()), root: None, comm: 5 };
            MPI_Scan_init(8) [] Shape::PrepareCollective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Exscan_init(8) [] Shape::PrepareCollective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Neighbor_allgather_init(9) [] Shape::PrepareCollective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 6 };
            MPI_Neighbor_allgatherv_init(10) [] Shape::PrepareCollective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 7 };
            MPI_Neighbor_alltoall_init(9) [] Shape::PrepareCollective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 6 };
            MPI_Neighbor_alltoallv_init(11) [] Shape::PrepareCollective { data: None, root: None, comm: 8 };
            MPI_Neighbor_alltoallw_init(11) [] Shape::PrepareCollective { data: None, root: None, comm: 8 };
            MPI_Comm_dup(2) [mpi_comm_dup_] Shape::Make { parent: Some(0), new: 1 };
            MPI_Comm_dup_with_info(3) [mpi_comm_dup_with_info_] Shape::Make { parent: Some(0), new: 2 };
            MPI_Comm_idup(3) [mpi_comm_idup_] Shape::Make { parent: Some(0), new: 1 };
            MPI_Comm_split(4) [mpi_comm_split_] Shape::Make { parent: Some(0), new: 3 };
            MPI_Comm_split_type(5) [mpi_comm_split_type_] Shape::Make { parent: Some(0), new: 4 };
            MPI_Comm_create(3) [mpi_comm_create_] Shape::Make { parent: Some(0), new: 2 };
            MPI_Comm_create_group(4) [mpi_comm_create_group_] Shape::Make { parent: Some(0), new: 3 };
            MPI_Cart_create(6) [mpi_cart_create_] Shape::Make { parent: Some(0), new: 5 };
            MPI_Cart_sub(3) [mpi_cart_sub_] Shape::Make { parent: Some(0), new: 2 };
            MPI_Graph_create(6) [mpi_graph_create_] Shape::Make { parent: Some(0), new: 5 };
            MPI_Dist_graph_create(9) [mpi_dist_graph_create_] Shape::Make { parent: Some(0), new: 8 };
            MPI_Dist_graph_create_adjacent(10) [mpi_dist_graph_create_adjacent_] Shape::Make { parent: Some(0), new: 9 };
            MPI_Intercomm_create(6) [mpi_intercomm_create_] Shape::Make { parent: Some(0), new: 5 };
            MPI_Intercomm_merge(3) [mpi_intercomm_merge_] Shape::Make { parent: Some(0), new: 2 };
            MPI_Comm_spawn(8) [] Shape::Make { parent: Some(5), new: 6 };
            MPI_Comm_spawn_multiple(9) [] Shape::Make { parent: Some(6), new: 7 };
            MPI_Comm_accept(5) [] Shape::Make { parent: Some(3), new: 4 };
            MPI_Comm_connect(5) [] Shape::Make { parent: Some(3), new: 4 };
            MPI_Comm_join(2) [mpi_comm_join_] Shape::Make { parent: None, new: 1 };
            MPI_Comm_get_parent(1) [mpi_comm_get_parent_] Shape::Make { parent: None, new: 0 };
            MPI_Comm_create_from_group(5) [] Shape::Make { parent: None, new: 4 };
            MPI_Comm_free(1) [mpi_comm_free_] Shape::Drop;
            MPI_Comm_disconnect(1) [mpi_comm_disconnect_] Shape::Drop;
            MPI_Put(8) [mpi_put_] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 7 };
            MPI_Put_c(8) [] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 7 };
            MPI_Get(8) [mpi_get_] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 7 };
            MPI_Get_c(8) [] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 7 };
            MPI_Accumulate(9) [mpi_accumulate_] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 8 };
            MPI_Accumulate_c(9) [] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 8 };
            MPI_Rput(9) [mpi_rput_] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 7 };
            MPI_Rput_c(9) [] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 7 };
            MPI_Rget(9) [mpi_rget_] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 7 };
            MPI_Rget_c(9) [] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 7 };
            MPI_Raccumulate(10) [mpi_raccumulate_] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 8 };
            MPI_Raccumulate_c(10) [] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 8 };
            MPI_Get_accumulate(12) [mpi_get_accumulate_] Shape::Reach { data: Some(Data::one(NOT, 4, 5)), rank: Some(6), window: 11 };
            MPI_Rget_accumulate(13) [mpi_rget_accumulate_] Shape::Reach { data: Some(Data::one(NOT, 4, 5)), rank: Some(6), window: 11 };
            MPI_Fetch_and_op(7) [mpi_fetch_and_op_] Shape::Reach { data: Some(Data::one(NOT, NOT, 2)), rank: Some(3), window: 6 };
            MPI_Compare_and_swap(7) [mpi_compare_and_swap_] Shape::Reach { data: Some(Data::one(NOT, NOT, 3)), rank: Some(4), window: 6 };
            MPI_Win_create(6) [mpi_win_create_] Shape::Open { comm: 4, new: 5 };
            MPI_Win_allocate(6) [mpi_win_allocate_] Shape::Open { comm: 3, new: 5 };
            MPI_Win_allocate_shared(6) [mpi_win_allocate_shared_] Shape::Open { comm: 3, new: 5 };
            MPI_Win_create_dynamic(3) [mpi_win_create_dynamic_] Shape::Open { comm: 1, new: 2 };
            MPI_Win_free(1) [mpi_win_free_] Shape::Plain;
            MPI_Win_fence(2) [mpi_win_fence_] Shape::Reach { data: None, rank: None, window: 1 };
            MPI_Win_start(3) [mpi_win_start_] Shape::Reach { data: None, rank: None, window: 2 };
            MPI_Win_complete(1) [mpi_win_complete_] Shape::Reach { data: None, rank: None, window: 0 };
            MPI_Win_post(3) [mpi_win_post_] Shape::Reach { data: None, rank: None, window: 2 };
            MPI_Win_wait(1) [mpi_win_wait_] Shape::Reach { data: None, rank: None, window: 0 };
            MPI_Win_test(2) [mpi_win_test_] Shape::Reach { data: None, rank: None, window: 0 };
            MPI_Win_lock(4) [mpi_win_lock_] Shape::Reach { data: None, rank: Some(1), window: 3 };
            MPI_Win_unlock(2) [mpi_win_unlock_] Shape::Reach { data: None, rank: Some(0), window: 1 };
            MPI_Win_lock_all(2) [mpi_win_lock_all_] Shape::Reach { data: None, rank: None, window: 1 };
            MPI_Win_unlock_all(1) [mpi_win_unlock_all_] Shape::Reach { data: None, rank: None, window: 0 };
            MPI_Win_flush(2) [mpi_win_flush_] Shape::Reach { data: None, rank: Some(0), window: 1 };
            MPI_Win_flush_all(1) [mpi_win_flush_all_] Shape::Reach { data: None, rank: None, window: 0 };
            MPI_Win_flush_local(2) [mpi_win_flush_local_] Shape::Reach { data: None, rank: Some(0), window: 1 };
            MPI_Win_flush_local_all(1) [mpi_win_flush_local_all_] Shape::Reach { data: None, rank: None, window: 0 };
            MPI_Win_sync(1) [mpi_win_sync_] Shape::Reach { data: None, rank: None, window: 0 };
            MPI_File_open(5) [] Shape::Open { comm: 0, new: 4 };
            MPI_File_close(1) [mpi_file_close_] Shape::Plain;
            MPI_File_sync(1) [mpi_file_sync_] Shape::File { count: None };
            MPI_File_set_size(2) [mpi_file_set_size_] Shape::File { count: None };
            MPI_File_preallocate(2) [mpi_file_preallocate_] Shape::File { count: None };
            MPI_File_seek(3) [mpi_file_seek_] Shape::File { count: None };
            MPI_File_seek_shared(3) [mpi_file_seek_shared_] Shape::File { count: None };
            MPI_File_set_view(6) [] Shape::File { count: None };
            MPI_File_read(5) [mpi_file_read_] Shape::File { count: Some(2) };
            MPI_File_read_c(5) [] Shape::File { count: Some(2) };
            MPI_File_write(5) [mpi_file_write_] Shape::File { count: Some(2) };
            MPI_File_write_c(5) [] Shape::File { count: Some(2) };
            MPI_File_read_all(5) [mpi_file_read_all_] Shape::File { count: Some(2) };
            MPI_File_read_all_c(5) [] Shape::File { count: Some(2) };
            MPI_File_write_all(5) [mpi_file_write_all_] Shape::File { count: Some(2) };
            MPI_File_write_all_c(5) [] Shape::File { count: Some(2) };
            MPI_File_read_shared(5) [mpi_file_read_shared_] Shape::File { count: Some(2) };
            MPI_File_read_shared_c(5) [] Shape::File { count: Some(2) };
            MPI_File_write_shared(5) [mpi_file_write_shared_] Shape::File { count: Some(2) };
            MPI_File_write_shared_c(5) [] Shape::File { count: Some(2) };
            MPI_File_read_ordered(5) [mpi_file_read_ordered_] Shape::File { count: Some(2) };
            MPI_File_read_ordered_c(5) [] Shape::File { count: Some(2) };
            MPI_File_write_ordered(5) [mpi_file_write_ordered_] Shape::File { count: Some(2) };
            MPI_File_write_ordered_c(5) [] Shape::File { count: Some(2) };
            MPI_File_iread(5) [mpi_file_iread_] Shape::File { count: Some(2) };
            MPI_File_iread_c(5) [] Shape::File { count: Some(2) };
            MPI_File_iwrite(5) [mpi_file_iwrite_] Shape::File { count: Some(2) };
            MPI_File_iwrite_c(5) [] Shape::File { count: Some(2) };
            MPI_File_iread_all(5) [mpi_file_iread_all_] Shape::File { count: Some(2) };
            MPI_File_iread_all_c(5) [] Shape::File { count: Some(2) };
            MPI_File_iwrite_all(5) [mpi_file_iwrite_all_] Shape::File { count: Some(2) };
            MPI_File_iwrite_all_c(5) [] Shape::File { count: Some(2) };
            MPI_File_iread_shared(5) [mpi_file_iread_shared_] Shape::File { count: Some(2) };
            MPI_File_iread_shared_c(5) [] Shape::File { count: Some(2) };
            MPI_File_iwrite_shared(5) [mpi_file_iwrite_shared_] Shape::File { count: Some(2) };
            MPI_File_iwrite_shared_c(5) [] Shape::File { count: Some(2) };
            MPI_File_read_at(6) [mpi_file_read_at_] Shape::File { count: Some(3) };
            MPI_File_read_at_c(6) [] Shape::File { count: Some(3) };
            MPI_File_write_at(6) [mpi_file_write_at_] Shape::File { count: Some(3) };
            MPI_File_write_at_c(6) [] Shape::File { count: Some(3) };
            MPI_File_read_at_all(6) [mpi_file_read_at_all_] Shape::File { count: Some(3) };
            MPI_File_read_at_all_c(6) [] Shape::File { count: Some(3) };
            MPI_File_write_at_all(6) [mpi_file_write_at_all_] Shape::File { count: Some(3) };
            MPI_File_write_at_all_c(6) [] Shape::File { count: Some(3) };
            MPI_File_iread_at(6) [mpi_file_iread_at_] Shape::File { count: Some(3) };
            MPI_File_iread_at_c(6) [] Shape::File { count: Some(3) };
            MPI_File_iwrite_at(6) [mpi_file_iwrite_at_] Shape::File { count: Some(3) };
            MPI_File_iwrite_at_c(6) [] Shape::File { count: Some(3) };
            MPI_File_iread_at_all(6) [mpi_file_iread_at_all_] Shape::File { count: Some(3) };
            MPI_File_iread_at_all_c(6) [] Shape::File { count: Some(3) };
            MPI_File_iwrite_at_all(6) [mpi_file_iwrite_at_all_] Shape::File { count: Some(3) };
            MPI_File_iwrite_at_all_c(6) [] Shape::File { count: Some(3) };
            MPI_File_read_all_begin(4) [mpi_file_read_all_begin_] Shape::File { count: Some(2) };
            MPI_File_read_all_end(3) [mpi_file_read_all_end_] Shape::File { count: None };
            MPI_File_write_all_begin(4) [mpi_file_write_all_begin_] Shape::File { count: Some(2) };
            MPI_File_write_all_end(3) [mpi_file_write_all_end_] Shape::File { count: None };
            MPI_File_read_ordered_begin(4) [mpi_file_read_ordered_begin_] Shape::File { count: Some(2) };
            MPI_File_read_ordered_end(3) [mpi_file_read_ordered_end_] Shape::File { count: None };
            MPI_File_write_ordered_begin(4) [mpi_file_write_ordered_begin_] Shape::File { count: Some(2) };
            MPI_File_write_ordered_end(3) [mpi_file_write_ordered_end_] Shape::File { count: None };
            MPI_File_read_at_all_begin(5) [mpi_file_read_at_all_begin_] Shape::File { count: Some(3) };
            MPI_File_read_at_all_end(3) [mpi_file_read_at_all_end_] Shape::File { count: None };
            MPI_File_write_at_all_begin(5) [mpi_file_write_at_all_begin_] Shape::File { count: Some(3) };
            MPI_File_write_at_all_end(3) [mpi_file_write_at_all_end_] Shape::File { count: None };
            MPI_Init(2) [mpi_init_] Shape::Begin;
            MPI_Init_thread(4) [mpi_init_thread_] Shape::Begin;
            MPI_Finalize(0) [mpi_finalize_] Shape::End;
            MPI_Abort(2) [mpi_abort_] Shape::Plain;
        }
    };
}

macro_rules! table {
    ($($name:ident($arguments:literal) [$($fortran:ident)?] $shape:expr;)*) => {
        /// All of them, by the number that events have.
        pub const FUNCTIONS: &[Function] =
            &[$(Function { name: stringify!($name), arguments: $arguments, shape: $shape }),*];
    };
}
mpi_functions!(table);

/// In place of a rank: any.
pub const ANY: u32 = u32::MAX;
/// In place of a rank: none, nothing is sent or received.
pub const NOBODY: u32 = u32::MAX - 1;
/// In place of a rank: this one, of the other side of a communicator between two groups.
pub const ROOT: u32 = u32::MAX - 2;
/// In place of a rank: nothing is known.
pub const UNKNOWN: u32 = u32::MAX - 3;

/// In the bytes of [`crate::EventKind::MpiDone`]: it was cancelled.
pub const CANCELLED: u64 = 1 << 63;

/// Rank and tag as one word.
#[inline]
pub fn with_peer(peer: u32, tag: i32) -> u64 {
    u64::from(peer) << 32 | u64::from(tag as u32)
}

/// Rank and tag of such a word.
#[inline]
pub fn peer_of(word: u64) -> (u32, i32) {
    ((word >> 32) as u32, word as u32 as i32)
}

/// What the recorder lends to the library that stands before MPI: both write to the same files, by one clock. It is found
/// by the name of [`LENDER`].
#[repr(C)]
pub struct Loan {
    /// The time, in ticks from the base; 0 when the thread is not recorded.
    pub now: extern "C" fn() -> u64,
    /// Stores an event of a kind at a time: as many words as the kind has.
    pub put: unsafe extern "C" fn(kind: u8, ticks: u64, words: *const u64),
    /// A call that asked and got no answer, from a time until now: neighbouring ones are one event.
    pub polled: extern "C" fn(word: u64, start: u64),
    /// A line of the text about the process: key and value, with their lengths.
    pub note: unsafe extern "C" fn(key: *const u8, key_length: usize, value: *const u8, length: usize),
    /// Nanoseconds of `CLOCK_MONOTONIC`.
    pub nanos: extern "C" fn() -> u64,
}

/// The function that lends: `extern "C" fn() -> *const Loan`, null when the process is not recorded.
pub const LENDER: &std::ffi::CStr = c"crosscut_lend_1";

#[cfg(test)]
mod tests {
    use super::{FUNCTIONS, peer_of, with_peer};

    #[test]
    fn numbers_fit_and_names_are_known_once() {
        let mut names: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FUNCTIONS.len());
        // The tag of a code address has 15 bits.
        assert!(FUNCTIONS.len() < 1 << 15);
    }

    #[test]
    fn ranks_and_tags() {
        for (peer, tag) in [(0, 0), (7, 99), (super::ANY, -1), (super::NOBODY, i32::MAX)] {
            assert_eq!(peer_of(with_peer(peer, tag)), (peer, tag));
        }
    }

    #[test]
    fn wide_counts() {
        let of = |name: &str| FUNCTIONS.iter().find(|function| function.name == name).unwrap();
        assert!(of("MPI_Send_c").is_wide() && !of("MPI_Send").is_wide());
        assert_eq!(of("MPI_Send_c").plain_name(), "MPI_Send");
        assert_eq!(of("MPI_Comm_spawn").plain_name(), "MPI_Comm_spawn");
    }
}
