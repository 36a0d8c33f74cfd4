//! What differs between implementations of MPI: how large a handle is, where a status has its fields, and the constants. One
//! of three, found when MPI begins: Open MPI, the interface of MPI 5 that all can have (ABI), or MPICH and what came of it.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use crosscut_events::mpi::{ANY, NOBODY, ROOT, UNKNOWN};

use crate::real::{ask, file_of, known, symbol};

/// What a handle stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Handle {
    Comm,
    Type,
    Request,
    Message,
    Window,
    File,
}

/// An implementation.
pub struct Kind {
    /// What to call it.
    pub name: &'static str,
    /// Bytes of a handle, but of a file, which is a pointer everywhere.
    handle: usize,
    /// The communicators of all, and of the rank with itself.
    pub world: usize,
    pub itself: usize,
    no_comm: u64,
    no_request: u64,
    no_type: u64,
    /// The type that has one byte.
    pub byte: usize,
    any_source: c_int,
    proc_null: c_int,
    root: c_int,
    /// In place of a status, and of a list of them.
    pub ignore: usize,
    pub in_place: usize,
    /// Bytes of a status.
    pub status: usize,
    /// Where it has the source, and behind it the tag, in numbers of 32 bits.
    source: usize,
    counts: Count,
}

/// Where a status has the bytes that came.
enum Count {
    /// `int cancelled; size_t bytes` behind source, tag and error.
    OpenMpi,
    /// In front: the lower and the upper half, with the lowest bit of that for cancelled.
    Mpich,
    /// Only MPI itself knows.
    Ask,
}

static KIND: OnceLock<Kind> = OnceLock::new();

/// The implementation that the program uses.
#[inline(always)]
pub fn kind() -> &'static Kind {
    match KIND.get() {
        Some(kind) => kind,
        None => find(),
    }
}

#[cold]
fn find() -> &'static Kind {
    KIND.get_or_init(|| {
        let world = symbol(c"ompi_mpi_comm_world");
        // Open MPI can have both, in libraries of their own.
        let abi = symbol(c"PMPI_Abi_get_version");
        let is_abi = file_of(abi).is_some_and(|file| is_part(file.to_bytes(), b"mpi_abi"));
        match () {
            () if is_abi => Kind::abi(),
            () if world != 0 => Kind::open_mpi(world),
            () if abi != 0 && abi_version() > 0 => Kind::abi(),
            () => Kind::mpich(),
        }
    })
}

fn is_part(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// MPICH has the function in every library, and says −1 where it is not built that way.
fn abi_version() -> c_int {
    let (mut major, mut minor): (c_int, c_int) = (-1, -1);
    let asked = ask!(c"PMPI_Abi_get_version"(&raw mut major, &raw mut minor));
    if asked == Some(0) { major } else { -1 }
}

/// The address that a variable holds.
fn held(variable: usize) -> usize {
    let variable: *const usize = ptr::with_exposed_provenance(variable);
    // SAFETY: a variable of MPI, of the size of an address.
    if variable.is_null() { 0 } else { unsafe { variable.read() } }
}

impl Kind {
    fn open_mpi(world: usize) -> Kind {
        let at = |name: &std::ffi::CStr| symbol(name);
        Kind {
            name: "Open MPI",
            handle: 8,
            world,
            itself: at(c"ompi_mpi_comm_self"),
            no_comm: at(c"ompi_mpi_comm_null") as u64,
            no_request: at(c"ompi_request_null") as u64,
            no_type: at(c"ompi_mpi_datatype_null") as u64,
            byte: at(c"ompi_mpi_byte"),
            any_source: -1,
            proc_null: -2,
            root: -4,
            ignore: 0,
            in_place: 1,
            status: 24,
            source: 0,
            counts: Count::OpenMpi,
        }
    }

    fn mpich() -> Kind {
        Kind {
            name: "MPICH",
            handle: 4,
            world: 0x4400_0000,
            itself: 0x4400_0001,
            no_comm: 0x0400_0000,
            no_request: 0x2c00_0000,
            no_type: 0x0c00_0000,
            byte: 0x4c00_010d,
            any_source: -2,
            proc_null: -1,
            root: -3,
            ignore: 1,
            in_place: usize::MAX,
            status: 20,
            source: 2,
            counts: Count::Mpich,
        }
    }

    fn abi() -> Kind {
        Kind {
            name: "MPI-5 ABI",
            handle: 8,
            world: 0x101,
            itself: 0x102,
            no_comm: 0x100,
            no_request: 0x180,
            no_type: 0x200,
            byte: 0x247,
            any_source: -1,
            proc_null: -3,
            root: -4,
            ignore: 0,
            in_place: 1,
            status: 32,
            source: 0,
            counts: Count::Ask,
        }
    }

    /// Bytes of a handle.
    pub fn size(&self, what: Handle) -> usize {
        if what == Handle::File { 8 } else { self.handle }
    }

    /// The handle in a word, which may have anything above it.
    #[inline]
    pub fn handle(&self, word: usize, what: Handle) -> u64 {
        match self.size(what) {
            4 => u64::from(word as u32),
            _ => word as u64,
        }
    }

    /// The handle that Fortran knows by a number.
    pub fn known_to_fortran_as(&self, number: c_int, what: Handle) -> u64 {
        if self.size(what) == 4 {
            return u64::from(number as u32);
        }
        let convert_by = match what {
            Handle::Comm => known!(c"PMPI_Comm_f2c"),
            Handle::Type => known!(c"PMPI_Type_f2c"),
            Handle::Request => known!(c"PMPI_Request_f2c"),
            Handle::Message => known!(c"PMPI_Message_f2c"),
            Handle::Window => known!(c"PMPI_Win_f2c"),
            Handle::File => known!(c"PMPI_File_f2c"),
        };
        convert(convert_by, number) as u64
    }

    /// Whether there is a communicator.
    pub fn is_comm(&self, handle: u64) -> bool {
        handle != self.no_comm && handle != 0
    }

    /// Whether there is a request.
    pub fn is_request(&self, handle: u64) -> bool {
        handle != self.no_request && handle != 0
    }

    /// Bytes of a type; 0 when there is none.
    #[inline]
    pub fn bytes(&self, of: u64) -> i64 {
        /// MPICH keeps the size of its own types in the handle.
        const MASK: u64 = 0xffff_0000;
        const OWN: u64 = 0x4c00_0000;
        if self.handle == 4 && of & MASK == OWN {
            return (of >> 8 & 0xff) as i64;
        }
        if of == self.no_type || of == 0 {
            return 0;
        }
        let mut size: c_int = 0;
        match ask!(c"PMPI_Type_size"(of, &raw mut size)) {
            Some(0) => i64::from(size).max(0),
            _ => 0,
        }
    }

    /// A rank of a communicator as events have it.
    #[inline]
    pub fn rank(&self, rank: c_int) -> u32 {
        match rank {
            rank if rank >= 0 => rank as u32,
            rank if rank == self.any_source => ANY,
            rank if rank == self.proc_null => NOBODY,
            rank if rank == self.root => ROOT,
            _ => UNKNOWN,
        }
    }

    /// Source and tag of a status, its bytes, and whether it was cancelled.
    pub fn status(&self, status: *const c_void) -> (u32, c_int, i64, bool) {
        let int = |at: usize| -> c_int {
            // SAFETY: a status of this implementation has these fields.
            unsafe { status.cast::<c_int>().add(at).read() }
        };
        let (source, tag) = (self.rank(int(self.source)), int(self.source + 1));
        let whole = |low: c_int, high: c_int| i64::from(high) << 32 | i64::from(low as u32);
        let (bytes, cancelled) = match self.counts {
            Count::OpenMpi => (whole(int(4), int(5)), int(3) != 0),
            Count::Mpich => (whole(int(0), int(1) >> 1 & 0x7fff_ffff), int(1) & 1 != 0),
            Count::Ask => {
                let (mut count, mut flag): (c_int, c_int) = (0, 0);
                ask!(c"PMPI_Get_count"(status, self.byte, &raw mut count));
                ask!(c"PMPI_Test_cancelled"(status, &raw mut flag));
                (count.max(0).into(), flag != 0)
            }
        };
        (source, tag, bytes.max(0), cancelled)
    }

    /// Whether this is what Fortran passes in place of a status, or of a list of them.
    pub fn is_fortran_ignored(&self, status: usize, many: bool) -> bool {
        let places = match many {
            true => [held(known!(c"MPI_F_STATUSES_IGNORE")), known!(c"MPIR_F08_MPI_STATUSES_IGNORE_OBJ")],
            false => [held(known!(c"MPI_F_STATUS_IGNORE")), known!(c"MPIR_F08_MPI_STATUS_IGNORE_OBJ")],
        };
        status != 0 && places.contains(&status)
    }

    /// Whether this is what Fortran passes in place of a buffer whose data is in place.
    pub fn is_fortran_in_place(&self, buffer: usize) -> bool {
        let places = [
            known!(c"mpi_fortran_in_place_"),
            held(known!(c"MPIR_F_MPI_IN_PLACE")),
            known!(c"MPIR_F08_MPI_IN_PLACE"),
        ];
        buffer != 0 && places.contains(&buffer)
    }
}

/// Calls a function that makes a handle of Fortran's number.
fn convert(function: usize, number: c_int) -> usize {
    let address: *const () = ptr::with_exposed_provenance(function);
    if address.is_null() {
        return 0;
    }
    // SAFETY: that is the type of these functions.
    let function: extern "C" fn(c_int) -> usize = unsafe { std::mem::transmute(address) };
    function(number)
}
