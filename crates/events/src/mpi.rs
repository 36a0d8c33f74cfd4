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

/// Calls a macro with all functions: `NAME(ARGUMENTS) [NAMES IN FORTRAN] SHAPE;` In Fortran there are three: for `mpif.h` and
/// the module `mpi`, for `mpi_f08`, and for that where buffers are passed with a description.
#[macro_export]
macro_rules! mpi_functions {
    ($with:ident) => {
        $with! {
            MPI_Send(6) [mpi_send_ mpi_send_f08_ mpi_send_f08ts_] Shape::Send;
            MPI_Send_c(6) [] Shape::Send;
            MPI_Bsend(6) [mpi_bsend_ mpi_bsend_f08_ mpi_bsend_f08ts_] Shape::Send;
            MPI_Bsend_c(6) [] Shape::Send;
            MPI_Ssend(6) [mpi_ssend_ mpi_ssend_f08_ mpi_ssend_f08ts_] Shape::Send;
            MPI_Ssend_c(6) [] Shape::Send;
            MPI_Rsend(6) [mpi_rsend_ mpi_rsend_f08_ mpi_rsend_f08ts_] Shape::Send;
            MPI_Rsend_c(6) [] Shape::Send;
            MPI_Isend(7) [mpi_isend_ mpi_isend_f08_ mpi_isend_f08ts_] Shape::BeginSend;
            MPI_Isend_c(7) [] Shape::BeginSend;
            MPI_Ibsend(7) [mpi_ibsend_ mpi_ibsend_f08_ mpi_ibsend_f08ts_] Shape::BeginSend;
            MPI_Ibsend_c(7) [] Shape::BeginSend;
            MPI_Issend(7) [mpi_issend_ mpi_issend_f08_ mpi_issend_f08ts_] Shape::BeginSend;
            MPI_Issend_c(7) [] Shape::BeginSend;
            MPI_Irsend(7) [mpi_irsend_ mpi_irsend_f08_ mpi_irsend_f08ts_] Shape::BeginSend;
            MPI_Irsend_c(7) [] Shape::BeginSend;
            MPI_Send_init(7) [mpi_send_init_ mpi_send_init_f08_ mpi_send_init_f08ts_] Shape::PrepareSend;
            MPI_Send_init_c(7) [] Shape::PrepareSend;
            MPI_Bsend_init(7) [mpi_bsend_init_ mpi_bsend_init_f08_ mpi_bsend_init_f08ts_] Shape::PrepareSend;
            MPI_Bsend_init_c(7) [] Shape::PrepareSend;
            MPI_Ssend_init(7) [mpi_ssend_init_ mpi_ssend_init_f08_ mpi_ssend_init_f08ts_] Shape::PrepareSend;
            MPI_Ssend_init_c(7) [] Shape::PrepareSend;
            MPI_Rsend_init(7) [mpi_rsend_init_ mpi_rsend_init_f08_ mpi_rsend_init_f08ts_] Shape::PrepareSend;
            MPI_Rsend_init_c(7) [] Shape::PrepareSend;
            MPI_Recv(7) [mpi_recv_ mpi_recv_f08_ mpi_recv_f08ts_] Shape::Receive;
            MPI_Recv_c(7) [] Shape::Receive;
            MPI_Irecv(7) [mpi_irecv_ mpi_irecv_f08_ mpi_irecv_f08ts_] Shape::BeginReceive;
            MPI_Irecv_c(7) [] Shape::BeginReceive;
            MPI_Recv_init(7) [mpi_recv_init_ mpi_recv_init_f08_ mpi_recv_init_f08ts_] Shape::PrepareReceive;
            MPI_Recv_init_c(7) [] Shape::PrepareReceive;
            MPI_Sendrecv(12) [mpi_sendrecv_ mpi_sendrecv_f08_ mpi_sendrecv_f08ts_] Shape::Both { from: 8, status: 11 };
            MPI_Sendrecv_c(12) [] Shape::Both { from: 8, status: 11 };
            MPI_Sendrecv_replace(9) [mpi_sendrecv_replace_ mpi_sendrecv_replace_f08_ mpi_sendrecv_replace_f08ts_] Shape::Both { from: 5, status: 8 };
            MPI_Sendrecv_replace_c(9) [] Shape::Both { from: 5, status: 8 };
            MPI_Isendrecv(12) [] Shape::BeginBoth { from: 8, request: 11 };
            MPI_Isendrecv_replace(9) [] Shape::BeginBoth { from: 5, request: 8 };
            MPI_Probe(4) [mpi_probe_ mpi_probe_f08_ mpi_probe_f08ts_] Shape::Probe;
            MPI_Iprobe(5) [mpi_iprobe_ mpi_iprobe_f08_ mpi_iprobe_f08ts_] Shape::TryProbe;
            MPI_Mprobe(5) [mpi_mprobe_ mpi_mprobe_f08_ mpi_mprobe_f08ts_] Shape::TakeProbe;
            MPI_Improbe(6) [mpi_improbe_ mpi_improbe_f08_ mpi_improbe_f08ts_] Shape::TryTakeProbe;
            MPI_Mrecv(5) [mpi_mrecv_ mpi_mrecv_f08_ mpi_mrecv_f08ts_] Shape::ReceiveTaken;
            MPI_Mrecv_c(5) [] Shape::ReceiveTaken;
            MPI_Imrecv(5) [mpi_imrecv_ mpi_imrecv_f08_ mpi_imrecv_f08ts_] Shape::BeginReceiveTaken;
            MPI_Imrecv_c(5) [] Shape::BeginReceiveTaken;
            MPI_Wait(2) [mpi_wait_ mpi_wait_f08_ mpi_wait_f08ts_] Shape::Wait;
            MPI_Test(3) [mpi_test_ mpi_test_f08_ mpi_test_f08ts_] Shape::Test;
            MPI_Waitall(3) [mpi_waitall_ mpi_waitall_f08_ mpi_waitall_f08ts_] Shape::WaitAll;
            MPI_Testall(4) [mpi_testall_ mpi_testall_f08_ mpi_testall_f08ts_] Shape::TestAll;
            MPI_Waitany(4) [mpi_waitany_ mpi_waitany_f08_ mpi_waitany_f08ts_] Shape::WaitAny;
            MPI_Testany(5) [mpi_testany_ mpi_testany_f08_ mpi_testany_f08ts_] Shape::TestAny;
            MPI_Waitsome(5) [mpi_waitsome_ mpi_waitsome_f08_ mpi_waitsome_f08ts_] Shape::WaitSome;
            MPI_Testsome(5) [mpi_testsome_ mpi_testsome_f08_ mpi_testsome_f08ts_] Shape::TestSome;
            MPI_Start(1) [mpi_start_ mpi_start_f08_ mpi_start_f08ts_] Shape::Start;
            MPI_Startall(2) [mpi_startall_ mpi_startall_f08_ mpi_startall_f08ts_] Shape::StartAll;
            MPI_Request_free(1) [mpi_request_free_ mpi_request_free_f08_ mpi_request_free_f08ts_] Shape::Free;
            MPI_Cancel(1) [mpi_cancel_ mpi_cancel_f08_ mpi_cancel_f08ts_] Shape::Cancel;
            MPI_Barrier(1) [mpi_barrier_ mpi_barrier_f08_ mpi_barrier_f08ts_] Shape::Collective { data: None, root: None, comm: 0 };
            MPI_Bcast(5) [mpi_bcast_ mpi_bcast_f08_ mpi_bcast_f08ts_] Shape::Collective { data: Some(Data::one(0, 1, 2)), root: Some(3), comm: 4 };
            MPI_Bcast_c(5) [] Shape::Collective { data: Some(Data::one(0, 1, 2)), root: Some(3), comm: 4 };
            MPI_Gather(8) [mpi_gather_ mpi_gather_f08_ mpi_gather_f08ts_] Shape::Collective { data: Some(Data::or(0, 1, 2, 4, 5)), root: Some(6), comm: 7 };
            MPI_Gather_c(8) [] Shape::Collective { data: Some(Data::or(0, 1, 2, 4, 5)), root: Some(6), comm: 7 };
            MPI_Gatherv(9) [mpi_gatherv_ mpi_gatherv_f08_ mpi_gatherv_f08ts_] Shape::Collective { data: Some(Data::one(0, 1, 2)), root: Some(7), comm: 8 };
            MPI_Gatherv_c(9) [] Shape::Collective { data: Some(Data::one(0, 1, 2)), root: Some(7), comm: 8 };
            MPI_Scatter(8) [mpi_scatter_ mpi_scatter_f08_ mpi_scatter_f08ts_] Shape::Collective { data: Some(Data::or(3, 4, 5, 1, 2)), root: Some(6), comm: 7 };
            MPI_Scatter_c(8) [] Shape::Collective { data: Some(Data::or(3, 4, 5, 1, 2)), root: Some(6), comm: 7 };
            MPI_Scatterv(9) [mpi_scatterv_ mpi_scatterv_f08_ mpi_scatterv_f08ts_] Shape::Collective { data: Some(Data::one(4, 5, 6)), root: Some(7), comm: 8 };
            MPI_Scatterv_c(9) [] Shape::Collective { data: Some(Data::one(4, 5, 6)), root: Some(7), comm: 8 };
            MPI_Allgather(7) [mpi_allgather_ mpi_allgather_f08_ mpi_allgather_f08ts_] Shape::Collective { data: Some(Data::or(0, 1, 2, 4, 5)), root: None, comm: 6 };
            MPI_Allgather_c(7) [] Shape::Collective { data: Some(Data::or(0, 1, 2, 4, 5)), root: None, comm: 6 };
            MPI_Allgatherv(8) [mpi_allgatherv_ mpi_allgatherv_f08_ mpi_allgatherv_f08ts_] Shape::Collective { data: Some(Data::one(0, 1, 2)), root: None, comm: 7 };
            MPI_Allgatherv_c(8) [] Shape::Collective { data: Some(Data::one(0, 1, 2)), root: None, comm: 7 };
            MPI_Alltoall(7) [mpi_alltoall_ mpi_alltoall_f08_ mpi_alltoall_f08ts_] Shape::Collective { data: Some(Data::or(0, 1, 2, 4, 5).each()), root: None, comm: 6 };
            MPI_Alltoall_c(7) [] Shape::Collective { data: Some(Data::or(0, 1, 2, 4, 5).each()), root: None, comm: 6 };
            MPI_Alltoallv(9) [mpi_alltoallv_ mpi_alltoallv_f08_ mpi_alltoallv_f08ts_] Shape::Collective { data: Some(Data::or(0, 1, 3, 5, 7).sum()), root: None, comm: 8 };
            MPI_Alltoallv_c(9) [] Shape::Collective { data: Some(Data::or(0, 1, 3, 5, 7).sum()), root: None, comm: 8 };
            MPI_Alltoallw(9) [mpi_alltoallw_ mpi_alltoallw_f08_ mpi_alltoallw_f08ts_] Shape::Collective { data: Some(Data::or(0, 1, 3, 5, 7).sum_of_types()), root: None, comm: 8 };
            MPI_Alltoallw_c(9) [] Shape::Collective { data: Some(Data::or(0, 1, 3, 5, 7).sum_of_types()), root: None, comm: 8 };
            MPI_Reduce(7) [mpi_reduce_ mpi_reduce_f08_ mpi_reduce_f08ts_] Shape::Collective { data: Some(Data::one(NOT, 2, 3)), root: Some(5), comm: 6 };
            MPI_Reduce_c(7) [] Shape::Collective { data: Some(Data::one(NOT, 2, 3)), root: Some(5), comm: 6 };
            MPI_Allreduce(6) [mpi_allreduce_ mpi_allreduce_f08_ mpi_allreduce_f08ts_] Shape::Collective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Allreduce_c(6) [] Shape::Collective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Reduce_scatter(6) [mpi_reduce_scatter_ mpi_reduce_scatter_f08_ mpi_reduce_scatter_f08ts_] Shape::Collective { data: Some(Data::one(NOT, 2, 3).sum()), root: None, comm: 5 };
            MPI_Reduce_scatter_c(6) [] Shape::Collective { data: Some(Data::one(NOT, 2, 3).sum()), root: None, comm: 5 };
            MPI_Reduce_scatter_block(6) [mpi_reduce_scatter_block_ mpi_reduce_scatter_block_f08_ mpi_reduce_scatter_block_f08ts_] Shape::Collective { data: Some(Data::one(NOT, 2, 3).each()), root: None, comm: 5 };
            MPI_Reduce_scatter_block_c(6) [] Shape::Collective { data: Some(Data::one(NOT, 2, 3).each()), root: None, comm: 5 };
            MPI_Scan(6) [mpi_scan_ mpi_scan_f08_ mpi_scan_f08ts_] Shape::Collective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Scan_c(6) [] Shape::Collective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Exscan(6) [mpi_exscan_ mpi_exscan_f08_ mpi_exscan_f08ts_] Shape::Collective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Exscan_c(6) [] Shape::Collective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Neighbor_allgather(7) [mpi_neighbor_allgather_ mpi_neighbor_allgather_f08_ mpi_neighbor_allgather_f08ts_] Shape::Collective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 6 };
            MPI_Neighbor_allgather_c(7) [] Shape::Collective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 6 };
            MPI_Neighbor_allgatherv(8) [mpi_neighbor_allgatherv_ mpi_neighbor_allgatherv_f08_ mpi_neighbor_allgatherv_f08ts_] Shape::Collective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 7 };
            MPI_Neighbor_allgatherv_c(8) [] Shape::Collective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 7 };
            MPI_Neighbor_alltoall(7) [mpi_neighbor_alltoall_ mpi_neighbor_alltoall_f08_ mpi_neighbor_alltoall_f08ts_] Shape::Collective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 6 };
            MPI_Neighbor_alltoall_c(7) [] Shape::Collective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 6 };
            MPI_Neighbor_alltoallv(9) [mpi_neighbor_alltoallv_ mpi_neighbor_alltoallv_f08_ mpi_neighbor_alltoallv_f08ts_] Shape::Collective { data: None, root: None, comm: 8 };
            MPI_Neighbor_alltoallv_c(9) [] Shape::Collective { data: None, root: None, comm: 8 };
            MPI_Neighbor_alltoallw(9) [mpi_neighbor_alltoallw_ mpi_neighbor_alltoallw_f08_ mpi_neighbor_alltoallw_f08ts_] Shape::Collective { data: None, root: None, comm: 8 };
            MPI_Neighbor_alltoallw_c(9) [] Shape::Collective { data: None, root: None, comm: 8 };
            MPI_Ibarrier(2) [mpi_ibarrier_ mpi_ibarrier_f08_ mpi_ibarrier_f08ts_] Shape::BeginCollective { data: None, root: None, comm: 0 };
            MPI_Ibcast(6) [mpi_ibcast_ mpi_ibcast_f08_ mpi_ibcast_f08ts_] Shape::BeginCollective { data: Some(Data::one(0, 1, 2)), root: Some(3), comm: 4 };
            MPI_Ibcast_c(6) [] Shape::BeginCollective { data: Some(Data::one(0, 1, 2)), root: Some(3), comm: 4 };
            MPI_Igather(9) [mpi_igather_ mpi_igather_f08_ mpi_igather_f08ts_] Shape::BeginCollective { data: Some(Data::or(0, 1, 2, 4, 5)), root: Some(6), comm: 7 };
            MPI_Igather_c(9) [] Shape::BeginCollective { data: Some(Data::or(0, 1, 2, 4, 5)), root: Some(6), comm: 7 };
            MPI_Igatherv(10) [mpi_igatherv_ mpi_igatherv_f08_ mpi_igatherv_f08ts_] Shape::BeginCollective { data: Some(Data::one(0, 1, 2)), root: Some(7), comm: 8 };
            MPI_Igatherv_c(10) [] Shape::BeginCollective { data: Some(Data::one(0, 1, 2)), root: Some(7), comm: 8 };
            MPI_Iscatter(9) [mpi_iscatter_ mpi_iscatter_f08_ mpi_iscatter_f08ts_] Shape::BeginCollective { data: Some(Data::or(3, 4, 5, 1, 2)), root: Some(6), comm: 7 };
            MPI_Iscatter_c(9) [] Shape::BeginCollective { data: Some(Data::or(3, 4, 5, 1, 2)), root: Some(6), comm: 7 };
            MPI_Iscatterv(10) [mpi_iscatterv_ mpi_iscatterv_f08_ mpi_iscatterv_f08ts_] Shape::BeginCollective { data: Some(Data::one(4, 5, 6)), root: Some(7), comm: 8 };
            MPI_Iscatterv_c(10) [] Shape::BeginCollective { data: Some(Data::one(4, 5, 6)), root: Some(7), comm: 8 };
            MPI_Iallgather(8) [mpi_iallgather_ mpi_iallgather_f08_ mpi_iallgather_f08ts_] Shape::BeginCollective { data: Some(Data::or(0, 1, 2, 4, 5)), root: None, comm: 6 };
            MPI_Iallgather_c(8) [] Shape::BeginCollective { data: Some(Data::or(0, 1, 2, 4, 5)), root: None, comm: 6 };
            MPI_Iallgatherv(9) [mpi_iallgatherv_ mpi_iallgatherv_f08_ mpi_iallgatherv_f08ts_] Shape::BeginCollective { data: Some(Data::one(0, 1, 2)), root: None, comm: 7 };
            MPI_Iallgatherv_c(9) [] Shape::BeginCollective { data: Some(Data::one(0, 1, 2)), root: None, comm: 7 };
            MPI_Ialltoall(8) [mpi_ialltoall_ mpi_ialltoall_f08_ mpi_ialltoall_f08ts_] Shape::BeginCollective { data: Some(Data::or(0, 1, 2, 4, 5).each()), root: None, comm: 6 };
            MPI_Ialltoall_c(8) [] Shape::BeginCollective { data: Some(Data::or(0, 1, 2, 4, 5).each()), root: None, comm: 6 };
            MPI_Ialltoallv(10) [mpi_ialltoallv_ mpi_ialltoallv_f08_ mpi_ialltoallv_f08ts_] Shape::BeginCollective { data: Some(Data::or(0, 1, 3, 5, 7).sum()), root: None, comm: 8 };
            MPI_Ialltoallv_c(10) [] Shape::BeginCollective { data: Some(Data::or(0, 1, 3, 5, 7).sum()), root: None, comm: 8 };
            MPI_Ialltoallw(10) [mpi_ialltoallw_ mpi_ialltoallw_f08_ mpi_ialltoallw_f08ts_] Shape::BeginCollective { data: Some(Data::or(0, 1, 3, 5, 7).sum_of_types()), root: None, comm: 8 };
            MPI_Ialltoallw_c(10) [] Shape::BeginCollective { data: Some(Data::or(0, 1, 3, 5, 7).sum_of_types()), root: None, comm: 8 };
            MPI_Ireduce(8) [mpi_ireduce_ mpi_ireduce_f08_ mpi_ireduce_f08ts_] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3)), root: Some(5), comm: 6 };
            MPI_Ireduce_c(8) [] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3)), root: Some(5), comm: 6 };
            MPI_Iallreduce(7) [mpi_iallreduce_ mpi_iallreduce_f08_ mpi_iallreduce_f08ts_] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Iallreduce_c(7) [] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Ireduce_scatter(7) [mpi_ireduce_scatter_ mpi_ireduce_scatter_f08_ mpi_ireduce_scatter_f08ts_] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3).sum()), root: None, comm: 5 };
            MPI_Ireduce_scatter_c(7) [] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3).sum()), root: None, comm: 5 };
            MPI_Ireduce_scatter_block(7) [mpi_ireduce_scatter_block_ mpi_ireduce_scatter_block_f08_ mpi_ireduce_scatter_block_f08ts_] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3).each()), root: None, comm: 5 };
            MPI_Ireduce_scatter_block_c(7) [] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3).each()), root: None, comm: 5 };
            MPI_Iscan(7) [mpi_iscan_ mpi_iscan_f08_ mpi_iscan_f08ts_] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Iscan_c(7) [] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Iexscan(7) [mpi_iexscan_ mpi_iexscan_f08_ mpi_iexscan_f08ts_] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Iexscan_c(7) [] Shape::BeginCollective { data: Some(Data::one(NOT, 2, 3)), root: None, comm: 5 };
            MPI_Ineighbor_allgather(8) [mpi_ineighbor_allgather_ mpi_ineighbor_allgather_f08_ mpi_ineighbor_allgather_f08ts_] Shape::BeginCollective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 6 };
            MPI_Ineighbor_allgather_c(8) [] Shape::BeginCollective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 6 };
            MPI_Ineighbor_allgatherv(9) [mpi_ineighbor_allgatherv_ mpi_ineighbor_allgatherv_f08_ mpi_ineighbor_allgatherv_f08ts_] Shape::BeginCollective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 7 };
            MPI_Ineighbor_allgatherv_c(9) [] Shape::BeginCollective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 7 };
            MPI_Ineighbor_alltoall(8) [mpi_ineighbor_alltoall_ mpi_ineighbor_alltoall_f08_ mpi_ineighbor_alltoall_f08ts_] Shape::BeginCollective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 6 };
            MPI_Ineighbor_alltoall_c(8) [] Shape::BeginCollective { data: Some(Data::one(NOT, 1, 2)), root: None, comm: 6 };
            MPI_Ineighbor_alltoallv(10) [mpi_ineighbor_alltoallv_ mpi_ineighbor_alltoallv_f08_ mpi_ineighbor_alltoallv_f08ts_] Shape::BeginCollective { data: None, root: None, comm: 8 };
            MPI_Ineighbor_alltoallv_c(10) [] Shape::BeginCollective { data: None, root: None, comm: 8 };
            MPI_Ineighbor_alltoallw(10) [mpi_ineighbor_alltoallw_ mpi_ineighbor_alltoallw_f08_ mpi_ineighbor_alltoallw_f08ts_] Shape::BeginCollective { data: None, root: None, comm: 8 };
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
            MPI_Comm_dup(2) [mpi_comm_dup_ mpi_comm_dup_f08_ mpi_comm_dup_f08ts_] Shape::Make { parent: Some(0), new: 1 };
            MPI_Comm_dup_with_info(3) [mpi_comm_dup_with_info_ mpi_comm_dup_with_info_f08_ mpi_comm_dup_with_info_f08ts_] Shape::Make { parent: Some(0), new: 2 };
            MPI_Comm_idup(3) [mpi_comm_idup_ mpi_comm_idup_f08_ mpi_comm_idup_f08ts_] Shape::Make { parent: Some(0), new: 1 };
            MPI_Comm_split(4) [mpi_comm_split_ mpi_comm_split_f08_ mpi_comm_split_f08ts_] Shape::Make { parent: Some(0), new: 3 };
            MPI_Comm_split_type(5) [mpi_comm_split_type_ mpi_comm_split_type_f08_ mpi_comm_split_type_f08ts_] Shape::Make { parent: Some(0), new: 4 };
            MPI_Comm_create(3) [mpi_comm_create_ mpi_comm_create_f08_ mpi_comm_create_f08ts_] Shape::Make { parent: Some(0), new: 2 };
            MPI_Comm_create_group(4) [mpi_comm_create_group_ mpi_comm_create_group_f08_ mpi_comm_create_group_f08ts_] Shape::Make { parent: Some(0), new: 3 };
            MPI_Cart_create(6) [mpi_cart_create_ mpi_cart_create_f08_ mpi_cart_create_f08ts_] Shape::Make { parent: Some(0), new: 5 };
            MPI_Cart_sub(3) [mpi_cart_sub_ mpi_cart_sub_f08_ mpi_cart_sub_f08ts_] Shape::Make { parent: Some(0), new: 2 };
            MPI_Graph_create(6) [mpi_graph_create_ mpi_graph_create_f08_ mpi_graph_create_f08ts_] Shape::Make { parent: Some(0), new: 5 };
            MPI_Dist_graph_create(9) [mpi_dist_graph_create_ mpi_dist_graph_create_f08_ mpi_dist_graph_create_f08ts_] Shape::Make { parent: Some(0), new: 8 };
            MPI_Dist_graph_create_adjacent(10) [mpi_dist_graph_create_adjacent_ mpi_dist_graph_create_adjacent_f08_ mpi_dist_graph_create_adjacent_f08ts_] Shape::Make { parent: Some(0), new: 9 };
            MPI_Intercomm_create(6) [mpi_intercomm_create_ mpi_intercomm_create_f08_ mpi_intercomm_create_f08ts_] Shape::Make { parent: Some(0), new: 5 };
            MPI_Intercomm_merge(3) [mpi_intercomm_merge_ mpi_intercomm_merge_f08_ mpi_intercomm_merge_f08ts_] Shape::Make { parent: Some(0), new: 2 };
            MPI_Comm_spawn(8) [] Shape::Make { parent: Some(5), new: 6 };
            MPI_Comm_spawn_multiple(9) [] Shape::Make { parent: Some(6), new: 7 };
            MPI_Comm_accept(5) [] Shape::Make { parent: Some(3), new: 4 };
            MPI_Comm_connect(5) [] Shape::Make { parent: Some(3), new: 4 };
            MPI_Comm_join(2) [mpi_comm_join_ mpi_comm_join_f08_ mpi_comm_join_f08ts_] Shape::Make { parent: None, new: 1 };
            MPI_Comm_get_parent(1) [mpi_comm_get_parent_ mpi_comm_get_parent_f08_ mpi_comm_get_parent_f08ts_] Shape::Make { parent: None, new: 0 };
            MPI_Comm_create_from_group(5) [] Shape::Make { parent: None, new: 4 };
            MPI_Comm_free(1) [mpi_comm_free_ mpi_comm_free_f08_ mpi_comm_free_f08ts_] Shape::Drop;
            MPI_Comm_disconnect(1) [mpi_comm_disconnect_ mpi_comm_disconnect_f08_ mpi_comm_disconnect_f08ts_] Shape::Drop;
            MPI_Put(8) [mpi_put_ mpi_put_f08_ mpi_put_f08ts_] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 7 };
            MPI_Put_c(8) [] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 7 };
            MPI_Get(8) [mpi_get_ mpi_get_f08_ mpi_get_f08ts_] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 7 };
            MPI_Get_c(8) [] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 7 };
            MPI_Accumulate(9) [mpi_accumulate_ mpi_accumulate_f08_ mpi_accumulate_f08ts_] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 8 };
            MPI_Accumulate_c(9) [] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 8 };
            MPI_Rput(9) [mpi_rput_ mpi_rput_f08_ mpi_rput_f08ts_] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 7 };
            MPI_Rput_c(9) [] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 7 };
            MPI_Rget(9) [mpi_rget_ mpi_rget_f08_ mpi_rget_f08ts_] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 7 };
            MPI_Rget_c(9) [] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 7 };
            MPI_Raccumulate(10) [mpi_raccumulate_ mpi_raccumulate_f08_ mpi_raccumulate_f08ts_] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 8 };
            MPI_Raccumulate_c(10) [] Shape::Reach { data: Some(Data::one(NOT, 1, 2)), rank: Some(3), window: 8 };
            MPI_Get_accumulate(12) [mpi_get_accumulate_ mpi_get_accumulate_f08_ mpi_get_accumulate_f08ts_] Shape::Reach { data: Some(Data::one(NOT, 4, 5)), rank: Some(6), window: 11 };
            MPI_Rget_accumulate(13) [mpi_rget_accumulate_ mpi_rget_accumulate_f08_ mpi_rget_accumulate_f08ts_] Shape::Reach { data: Some(Data::one(NOT, 4, 5)), rank: Some(6), window: 11 };
            MPI_Fetch_and_op(7) [mpi_fetch_and_op_ mpi_fetch_and_op_f08_ mpi_fetch_and_op_f08ts_] Shape::Reach { data: Some(Data::one(NOT, NOT, 2)), rank: Some(3), window: 6 };
            MPI_Compare_and_swap(7) [mpi_compare_and_swap_ mpi_compare_and_swap_f08_ mpi_compare_and_swap_f08ts_] Shape::Reach { data: Some(Data::one(NOT, NOT, 3)), rank: Some(4), window: 6 };
            MPI_Win_create(6) [mpi_win_create_ mpi_win_create_f08_ mpi_win_create_f08ts_] Shape::Open { comm: 4, new: 5 };
            MPI_Win_allocate(6) [mpi_win_allocate_ mpi_win_allocate_f08_ mpi_win_allocate_f08ts_] Shape::Open { comm: 3, new: 5 };
            MPI_Win_allocate_shared(6) [mpi_win_allocate_shared_ mpi_win_allocate_shared_f08_ mpi_win_allocate_shared_f08ts_] Shape::Open { comm: 3, new: 5 };
            MPI_Win_create_dynamic(3) [mpi_win_create_dynamic_ mpi_win_create_dynamic_f08_ mpi_win_create_dynamic_f08ts_] Shape::Open { comm: 1, new: 2 };
            MPI_Win_free(1) [mpi_win_free_ mpi_win_free_f08_ mpi_win_free_f08ts_] Shape::Plain;
            MPI_Win_fence(2) [mpi_win_fence_ mpi_win_fence_f08_ mpi_win_fence_f08ts_] Shape::Reach { data: None, rank: None, window: 1 };
            MPI_Win_start(3) [mpi_win_start_ mpi_win_start_f08_ mpi_win_start_f08ts_] Shape::Reach { data: None, rank: None, window: 2 };
            MPI_Win_complete(1) [mpi_win_complete_ mpi_win_complete_f08_ mpi_win_complete_f08ts_] Shape::Reach { data: None, rank: None, window: 0 };
            MPI_Win_post(3) [mpi_win_post_ mpi_win_post_f08_ mpi_win_post_f08ts_] Shape::Reach { data: None, rank: None, window: 2 };
            MPI_Win_wait(1) [mpi_win_wait_ mpi_win_wait_f08_ mpi_win_wait_f08ts_] Shape::Reach { data: None, rank: None, window: 0 };
            MPI_Win_test(2) [mpi_win_test_ mpi_win_test_f08_ mpi_win_test_f08ts_] Shape::Reach { data: None, rank: None, window: 0 };
            MPI_Win_lock(4) [mpi_win_lock_ mpi_win_lock_f08_ mpi_win_lock_f08ts_] Shape::Reach { data: None, rank: Some(1), window: 3 };
            MPI_Win_unlock(2) [mpi_win_unlock_ mpi_win_unlock_f08_ mpi_win_unlock_f08ts_] Shape::Reach { data: None, rank: Some(0), window: 1 };
            MPI_Win_lock_all(2) [mpi_win_lock_all_ mpi_win_lock_all_f08_ mpi_win_lock_all_f08ts_] Shape::Reach { data: None, rank: None, window: 1 };
            MPI_Win_unlock_all(1) [mpi_win_unlock_all_ mpi_win_unlock_all_f08_ mpi_win_unlock_all_f08ts_] Shape::Reach { data: None, rank: None, window: 0 };
            MPI_Win_flush(2) [mpi_win_flush_ mpi_win_flush_f08_ mpi_win_flush_f08ts_] Shape::Reach { data: None, rank: Some(0), window: 1 };
            MPI_Win_flush_all(1) [mpi_win_flush_all_ mpi_win_flush_all_f08_ mpi_win_flush_all_f08ts_] Shape::Reach { data: None, rank: None, window: 0 };
            MPI_Win_flush_local(2) [mpi_win_flush_local_ mpi_win_flush_local_f08_ mpi_win_flush_local_f08ts_] Shape::Reach { data: None, rank: Some(0), window: 1 };
            MPI_Win_flush_local_all(1) [mpi_win_flush_local_all_ mpi_win_flush_local_all_f08_ mpi_win_flush_local_all_f08ts_] Shape::Reach { data: None, rank: None, window: 0 };
            MPI_Win_sync(1) [mpi_win_sync_ mpi_win_sync_f08_ mpi_win_sync_f08ts_] Shape::Reach { data: None, rank: None, window: 0 };
            MPI_File_open(5) [] Shape::Open { comm: 0, new: 4 };
            MPI_File_close(1) [mpi_file_close_ mpi_file_close_f08_ mpi_file_close_f08ts_] Shape::Plain;
            MPI_File_sync(1) [mpi_file_sync_ mpi_file_sync_f08_ mpi_file_sync_f08ts_] Shape::File { count: None };
            MPI_File_set_size(2) [mpi_file_set_size_ mpi_file_set_size_f08_ mpi_file_set_size_f08ts_] Shape::File { count: None };
            MPI_File_preallocate(2) [mpi_file_preallocate_ mpi_file_preallocate_f08_ mpi_file_preallocate_f08ts_] Shape::File { count: None };
            MPI_File_seek(3) [mpi_file_seek_ mpi_file_seek_f08_ mpi_file_seek_f08ts_] Shape::File { count: None };
            MPI_File_seek_shared(3) [mpi_file_seek_shared_ mpi_file_seek_shared_f08_ mpi_file_seek_shared_f08ts_] Shape::File { count: None };
            MPI_File_set_view(6) [] Shape::File { count: None };
            MPI_File_read(5) [mpi_file_read_ mpi_file_read_f08_ mpi_file_read_f08ts_] Shape::File { count: Some(2) };
            MPI_File_read_c(5) [] Shape::File { count: Some(2) };
            MPI_File_write(5) [mpi_file_write_ mpi_file_write_f08_ mpi_file_write_f08ts_] Shape::File { count: Some(2) };
            MPI_File_write_c(5) [] Shape::File { count: Some(2) };
            MPI_File_read_all(5) [mpi_file_read_all_ mpi_file_read_all_f08_ mpi_file_read_all_f08ts_] Shape::File { count: Some(2) };
            MPI_File_read_all_c(5) [] Shape::File { count: Some(2) };
            MPI_File_write_all(5) [mpi_file_write_all_ mpi_file_write_all_f08_ mpi_file_write_all_f08ts_] Shape::File { count: Some(2) };
            MPI_File_write_all_c(5) [] Shape::File { count: Some(2) };
            MPI_File_read_shared(5) [mpi_file_read_shared_ mpi_file_read_shared_f08_ mpi_file_read_shared_f08ts_] Shape::File { count: Some(2) };
            MPI_File_read_shared_c(5) [] Shape::File { count: Some(2) };
            MPI_File_write_shared(5) [mpi_file_write_shared_ mpi_file_write_shared_f08_ mpi_file_write_shared_f08ts_] Shape::File { count: Some(2) };
            MPI_File_write_shared_c(5) [] Shape::File { count: Some(2) };
            MPI_File_read_ordered(5) [mpi_file_read_ordered_ mpi_file_read_ordered_f08_ mpi_file_read_ordered_f08ts_] Shape::File { count: Some(2) };
            MPI_File_read_ordered_c(5) [] Shape::File { count: Some(2) };
            MPI_File_write_ordered(5) [mpi_file_write_ordered_ mpi_file_write_ordered_f08_ mpi_file_write_ordered_f08ts_] Shape::File { count: Some(2) };
            MPI_File_write_ordered_c(5) [] Shape::File { count: Some(2) };
            MPI_File_iread(5) [mpi_file_iread_ mpi_file_iread_f08_ mpi_file_iread_f08ts_] Shape::File { count: Some(2) };
            MPI_File_iread_c(5) [] Shape::File { count: Some(2) };
            MPI_File_iwrite(5) [mpi_file_iwrite_ mpi_file_iwrite_f08_ mpi_file_iwrite_f08ts_] Shape::File { count: Some(2) };
            MPI_File_iwrite_c(5) [] Shape::File { count: Some(2) };
            MPI_File_iread_all(5) [mpi_file_iread_all_ mpi_file_iread_all_f08_ mpi_file_iread_all_f08ts_] Shape::File { count: Some(2) };
            MPI_File_iread_all_c(5) [] Shape::File { count: Some(2) };
            MPI_File_iwrite_all(5) [mpi_file_iwrite_all_ mpi_file_iwrite_all_f08_ mpi_file_iwrite_all_f08ts_] Shape::File { count: Some(2) };
            MPI_File_iwrite_all_c(5) [] Shape::File { count: Some(2) };
            MPI_File_iread_shared(5) [mpi_file_iread_shared_ mpi_file_iread_shared_f08_ mpi_file_iread_shared_f08ts_] Shape::File { count: Some(2) };
            MPI_File_iread_shared_c(5) [] Shape::File { count: Some(2) };
            MPI_File_iwrite_shared(5) [mpi_file_iwrite_shared_ mpi_file_iwrite_shared_f08_ mpi_file_iwrite_shared_f08ts_] Shape::File { count: Some(2) };
            MPI_File_iwrite_shared_c(5) [] Shape::File { count: Some(2) };
            MPI_File_read_at(6) [mpi_file_read_at_ mpi_file_read_at_f08_ mpi_file_read_at_f08ts_] Shape::File { count: Some(3) };
            MPI_File_read_at_c(6) [] Shape::File { count: Some(3) };
            MPI_File_write_at(6) [mpi_file_write_at_ mpi_file_write_at_f08_ mpi_file_write_at_f08ts_] Shape::File { count: Some(3) };
            MPI_File_write_at_c(6) [] Shape::File { count: Some(3) };
            MPI_File_read_at_all(6) [mpi_file_read_at_all_ mpi_file_read_at_all_f08_ mpi_file_read_at_all_f08ts_] Shape::File { count: Some(3) };
            MPI_File_read_at_all_c(6) [] Shape::File { count: Some(3) };
            MPI_File_write_at_all(6) [mpi_file_write_at_all_ mpi_file_write_at_all_f08_ mpi_file_write_at_all_f08ts_] Shape::File { count: Some(3) };
            MPI_File_write_at_all_c(6) [] Shape::File { count: Some(3) };
            MPI_File_iread_at(6) [mpi_file_iread_at_ mpi_file_iread_at_f08_ mpi_file_iread_at_f08ts_] Shape::File { count: Some(3) };
            MPI_File_iread_at_c(6) [] Shape::File { count: Some(3) };
            MPI_File_iwrite_at(6) [mpi_file_iwrite_at_ mpi_file_iwrite_at_f08_ mpi_file_iwrite_at_f08ts_] Shape::File { count: Some(3) };
            MPI_File_iwrite_at_c(6) [] Shape::File { count: Some(3) };
            MPI_File_iread_at_all(6) [mpi_file_iread_at_all_ mpi_file_iread_at_all_f08_ mpi_file_iread_at_all_f08ts_] Shape::File { count: Some(3) };
            MPI_File_iread_at_all_c(6) [] Shape::File { count: Some(3) };
            MPI_File_iwrite_at_all(6) [mpi_file_iwrite_at_all_ mpi_file_iwrite_at_all_f08_ mpi_file_iwrite_at_all_f08ts_] Shape::File { count: Some(3) };
            MPI_File_iwrite_at_all_c(6) [] Shape::File { count: Some(3) };
            MPI_File_read_all_begin(4) [mpi_file_read_all_begin_ mpi_file_read_all_begin_f08_ mpi_file_read_all_begin_f08ts_] Shape::File { count: Some(2) };
            MPI_File_read_all_end(3) [mpi_file_read_all_end_ mpi_file_read_all_end_f08_ mpi_file_read_all_end_f08ts_] Shape::File { count: None };
            MPI_File_write_all_begin(4) [mpi_file_write_all_begin_ mpi_file_write_all_begin_f08_ mpi_file_write_all_begin_f08ts_] Shape::File { count: Some(2) };
            MPI_File_write_all_end(3) [mpi_file_write_all_end_ mpi_file_write_all_end_f08_ mpi_file_write_all_end_f08ts_] Shape::File { count: None };
            MPI_File_read_ordered_begin(4) [mpi_file_read_ordered_begin_ mpi_file_read_ordered_begin_f08_ mpi_file_read_ordered_begin_f08ts_] Shape::File { count: Some(2) };
            MPI_File_read_ordered_end(3) [mpi_file_read_ordered_end_ mpi_file_read_ordered_end_f08_ mpi_file_read_ordered_end_f08ts_] Shape::File { count: None };
            MPI_File_write_ordered_begin(4) [mpi_file_write_ordered_begin_ mpi_file_write_ordered_begin_f08_ mpi_file_write_ordered_begin_f08ts_] Shape::File { count: Some(2) };
            MPI_File_write_ordered_end(3) [mpi_file_write_ordered_end_ mpi_file_write_ordered_end_f08_ mpi_file_write_ordered_end_f08ts_] Shape::File { count: None };
            MPI_File_read_at_all_begin(5) [mpi_file_read_at_all_begin_ mpi_file_read_at_all_begin_f08_ mpi_file_read_at_all_begin_f08ts_] Shape::File { count: Some(3) };
            MPI_File_read_at_all_end(3) [mpi_file_read_at_all_end_ mpi_file_read_at_all_end_f08_ mpi_file_read_at_all_end_f08ts_] Shape::File { count: None };
            MPI_File_write_at_all_begin(5) [mpi_file_write_at_all_begin_ mpi_file_write_at_all_begin_f08_ mpi_file_write_at_all_begin_f08ts_] Shape::File { count: Some(3) };
            MPI_File_write_at_all_end(3) [mpi_file_write_at_all_end_ mpi_file_write_at_all_end_f08_ mpi_file_write_at_all_end_f08ts_] Shape::File { count: None };
            MPI_Init(2) [mpi_init_ mpi_init_f08_ mpi_init_f08ts_] Shape::Begin;
            MPI_Init_thread(4) [mpi_init_thread_ mpi_init_thread_f08_ mpi_init_thread_f08ts_] Shape::Begin;
            MPI_Finalize(0) [mpi_finalize_ mpi_finalize_f08_ mpi_finalize_f08ts_] Shape::End;
            MPI_Abort(2) [mpi_abort_ mpi_abort_f08_ mpi_abort_f08ts_] Shape::Plain;
        }
    };
}

macro_rules! table {
    ($($name:ident($arguments:literal) [$($plain:ident $f08:ident $with_descriptors:ident)?] $shape:expr;)*) => {
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
