! The same in Fortran, through the module mpi_f08: `mpirun -n 4 fortran08`, an even number of ranks.
program main
  use mpi_f08
  implicit none
  integer, parameter :: n = 50
  integer :: error, rank, ranks, left, right, step, own, others
  type(MPI_Comm) :: half
  type(MPI_Request) :: requests(4)
  type(MPI_Status) :: status
  logical :: flag
  integer(8) :: counted(2), all(2)
  double precision :: outside(n), inside(n), more(n)

  counted = 0
  outside = 1
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)

  do step = 1, 3
    if (mod(rank, 2) == 0) call MPI_Send(outside, n, MPI_DOUBLE_PRECISION, right, step, MPI_COMM_WORLD, error)
    call MPI_Recv(inside, n, MPI_DOUBLE_PRECISION, left, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    if (mod(rank, 2) == 1) call MPI_Send(outside, n, MPI_DOUBLE_PRECISION, right, step, MPI_COMM_WORLD, error)
    counted = counted + (/ 1, 8 * n /)
  end do

  call MPI_Irecv(inside, n, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, requests(1), error)
  call MPI_Irecv(more, n, MPI_INTEGER, right, 12, MPI_COMM_WORLD, requests(2), error)
  call MPI_Isend(outside, 10, MPI_DOUBLE_PRECISION, right, 11, MPI_COMM_WORLD, requests(3), error)
  call MPI_Isend(outside, 20, MPI_INTEGER, left, 12, MPI_COMM_WORLD, requests(4), error)
  counted = counted + (/ 2, 8 * 10 + 4 * 20 /)
  call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, error)

  call MPI_Recv_init(inside, n, MPI_DOUBLE_PRECISION, left, 13, MPI_COMM_WORLD, requests(1), error)
  call MPI_Send_init(outside, 7, MPI_DOUBLE_PRECISION, right, 13, MPI_COMM_WORLD, requests(2), error)
  do step = 1, 2
    call MPI_Startall(2, requests, error)
    counted = counted + (/ 1, 8 * 7 /)
    call MPI_Wait(requests(1), status, error)
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
  end do
  call MPI_Request_free(requests(1), error)
  call MPI_Request_free(requests(2), error)

  ! Each half sends around itself.
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, error)
  call MPI_Comm_rank(half, own, error)
  call MPI_Comm_size(half, others, error)
  call MPI_Irecv(inside, n, MPI_DOUBLE_PRECISION, mod(own + others - 1, others), 14, half, requests(1), error)
  call MPI_Send(outside, 3, MPI_DOUBLE_PRECISION, mod(own + 1, others), 14, half, error)
  counted = counted + (/ 1, 8 * 3 /)
  flag = .false.
  do while (.not. flag)
    call MPI_Test(requests(1), flag, status, error)
  end do
  call MPI_Comm_free(half, error)

  call MPI_Allreduce(MPI_IN_PLACE, outside, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Allgather(outside(1), 1, MPI_DOUBLE_PRECISION, inside, 1, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
  call MPI_Reduce(counted, all, 2, MPI_INTEGER8, MPI_SUM, 0, MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
  if (rank == 0) print '(a, i0, a, i0, a)', 'fortran08: ', all(1), ' messages, ', all(2), ' bytes'
end program
