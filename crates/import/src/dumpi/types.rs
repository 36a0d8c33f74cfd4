//! Sizes of types: those of the language, those that the file lists, and those that the program made of others.

use foldhash::{HashMap, HashMapExt};

use super::decode::Decoded;

/// Sizes of the types of the language, by handle, where a file does not list them: for a machine with pointers of 64 bits.
const USUAL: [i64; 28] =
    [0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20];

/// Types of a rank.
pub struct Types {
    listed: Vec<i32>,
    made: HashMap<i64, i64>,
}

impl Types {
    /// With the sizes that the file lists.
    pub fn new(listed: &[i32]) -> Self {
        Types { listed: listed.to_vec(), made: HashMap::new() }
    }

    /// The size of a type; 0 where nobody knows it.
    #[inline]
    pub fn size(&self, handle: i64) -> i64 {
        let at = usize::try_from(handle).unwrap_or(usize::MAX);
        if at >= USUAL.len()
            && let Some(&size) = self.made.get(&handle)
        {
            return size;
        }
        let listed = self.listed.get(at).map_or(0, |&size| i64::from(size));
        if listed > 0 { listed } else { USUAL.get(at).copied().unwrap_or(0) }
    }

    /// So many of a type.
    #[inline]
    pub fn bytes(&self, count: i64, handle: i64) -> i64 {
        count.max(0).saturating_mul(self.size(handle))
    }

    /// Notes the type that a record makes, if it makes one.
    pub fn note(&mut self, record: &Decoded) {
        let int = |field: usize| record.int(field);
        let sum =
            |field: usize| record.ints(field).iter().map(|&n| i64::from(n)).fold(0, i64::saturating_add);
        let of = |count: i64, handle: i64| self.bytes(count, handle);
        let (new, size) = match record.id {
            35 => (int(2), of(int(0), int(1))),
            36 | 37 | 219 => (int(4), of(int(0).saturating_mul(int(1)), int(3))),
            38 | 39 | 218 => (int(4), of(sum(1), int(3))),
            40 | 222 => {
                let parts = record.ints(1).iter().zip(record.ints(3));
                let size = parts.map(|(&count, &handle)| of(count.into(), handle.into()));
                (int(4), size.fold(0, i64::saturating_add))
            }
            178 => (int(1), self.size(int(0))),
            220 => (int(4), of(int(0).saturating_mul(int(1)), int(3))),
            221 => (int(3), self.size(int(0))),
            223 => {
                let cells = record.ints(2).iter().map(|&n| i64::from(n)).fold(1, i64::saturating_mul);
                (int(6), of(cells, int(5)))
            }
            _ => return,
        };
        self.made.insert(new, size);
    }
}
