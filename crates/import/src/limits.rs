//! What no file needs, and what a run could not hold.

/// No machine has more: each worker is a row of the timeline, and each pair of workers is counted.
pub const MAX_WORKERS: i64 = 4096;
/// Larger times and counts cannot be added up in 64 bits.
pub const MAX_VALUE: u64 = 1 << 62;

/// How much memory may be taken for what a file stores once and names often: a few kilobytes could stand for more than any memory
/// holds.
#[derive(Debug)]
pub struct Budget {
    left: u64,
}

impl Budget {
    const FREE: u64 = 64 << 20;
    const TIMES: u64 = 1024;

    /// For so many bytes of a file.
    pub fn of(bytes: u64) -> Self {
        let mut budget = Budget { left: Self::FREE };
        budget.more(bytes);
        budget
    }

    /// So many bytes of another file were read.
    pub fn more(&mut self, bytes: u64) {
        self.left = self.left.saturating_add(Self::TIMES.saturating_mul(bytes));
    }

    /// So many more are made, which take so many bytes each; what is wrong when that is too much.
    pub fn take(&mut self, count: usize, each: u64, what: &str) -> Result<(), String> {
        let left = self.left.checked_sub((count as u64).saturating_mul(each));
        self.left = left.ok_or_else(|| {
            format!("it names what it stores so often that it becomes more {what} than a file of its size can have")
        })?;
        Ok(())
    }
}
