//! Columns of ids, such as places: 32 bits wherever they are used, 16 on disk where a run has so few that they fit.
//!
//! Most runs have fewer than 65,535 places. Two bytes a node are a twentieth of a large tree on disk, so such a column is
//! narrowed when it is taken into the run; whoever reads it does not see the difference.

use arrow_array::ArrayRef;

use crate::column::{Column, ColumnMut, SealedColumn};
use crate::error::RunError;

/// The largest id has a meaning of its own, such as "several": it stays the largest when a column is narrowed.
const NONE: u16 = u16::MAX;

/// A column of ids of an existing run.
#[derive(Debug)]
pub enum Ids {
    /// As 16 bits; 65,535 stands for the largest id.
    Narrow(Column<u16>),
    /// As they are.
    Wide(Column<u32>),
}

impl Ids {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Ids::Narrow(ids) => ids.len(),
            Ids::Wide(ids) => ids.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of a row; the largest one where there is no such row.
    #[inline]
    pub fn at(&self, row: usize) -> u32 {
        match self {
            Ids::Narrow(ids) => ids.get(row).map_or(u32::MAX, |&id| widen(id)),
            Ids::Wide(ids) => ids.get(row).copied().unwrap_or(u32::MAX),
        }
    }

    /// The same as an Arrow array, as wide as they are on disk, with nulls for the largest id: no id is copied.
    pub fn array(&self) -> ArrayRef {
        match self {
            Ids::Narrow(ids) => ids.array_without(NONE),
            Ids::Wide(ids) => ids.array_without(u32::MAX),
        }
    }
}

#[inline]
fn widen(id: u16) -> u32 {
    if id == NONE { u32::MAX } else { u32::from(id) }
}

impl ColumnMut<u32> {
    /// Seals a column of ids, in 16 bits if all fit.
    pub(crate) fn seal_ids(mut self) -> Result<SealedColumn, RunError> {
        let fits = |&id: &u32| id < u32::from(NONE) || id == u32::MAX;
        if !self.iter().all(fits) {
            return self.seal();
        }
        // In place, from the front: the low half of each value, which is also right for the largest one.
        let rows = self.len();
        let halves: &mut [u16] = bytemuck::cast_slice_mut(&mut self);
        let low = if cfg!(target_endian = "little") { 0 } else { 1 };
        for row in 0..rows {
            halves[row] = halves[2 * row + low];
        }
        self.reinterpret::<u16>().seal()
    }
}
