//! How long each interval of a grain is, so that together they are its work.

use super::families::section_end;
use super::{Grain, Grains, UNKNOWN};

/// When the wait of a section was passed: the first entry of the list stands for the start of the grain.
pub fn wait_instant(grains: &Grains, grain: u32, section: u32) -> Option<i64> {
    grains.waits_of(grain).get(section as usize + 1).copied()
}

/// How the work of a grain is spread over its intervals. Where it is known when a grain created and waited, an interval
/// lasts from one such moment to the next, less what creating and waiting cost; what does not add up is scaled. Else all
/// work comes before the first create, as a grain graph has it.
pub struct Shares {
    work: i64,
    laid: i64,
    weights: Weights,
    sum: i128,
    total: i128,
}

impl Shares {
    /// For a grain with these children.
    pub fn new(grains: &Grains, family: &[u32], grain: u32) -> Self {
        let Grain { work, exec, .. } = grains.list[grain as usize];
        let mut shares = Shares {
            work,
            laid: 0,
            weights: Weights { known: exec != UNKNOWN, before: 0 },
            sum: 0,
            total: 1,
        };
        if exec == UNKNOWN {
            return shares;
        }
        let mut weights = Weights { known: true, before: 0 };
        let mut total = 0i128;
        let mut from = 0;
        while from < family.len() {
            let to = section_end(&grains.list, family, from);
            let mut sync = 0;
            for &child in &family[from..to] {
                let child = &grains.list[child as usize];
                total += i128::from(weights.create(child));
                sync += child.sync;
            }
            let section = grains.list[family[from] as usize].section;
            total += i128::from(weights.wait(wait_instant(grains, grain, section), sync));
            from = to;
        }
        total += i128::from((exec - weights.before).max(0));
        shares.total = total.max(1);
        shares
    }

    /// The length of the interval that creates a child.
    pub fn create(&mut self, child: &Grain) -> i64 {
        let weight = match self.weights.known {
            true => self.weights.create(child),
            false => i64::from(self.sum == 0),
        };
        self.take(weight)
    }

    /// The length of the interval that ends in a wait.
    pub fn wait(&mut self, instant: Option<i64>, sync: i64) -> i64 {
        let weight = if self.weights.known { self.weights.wait(instant, sync) } else { 0 };
        self.take(weight)
    }

    fn take(&mut self, weight: i64) -> i64 {
        self.sum += i128::from(weight);
        // Weights lie between moments, so their sum is below 2⁶⁴ and this product below 2¹²⁷.
        let upto = (i128::from(self.work) * self.sum / self.total) as i64;
        let length = upto - self.laid;
        self.laid = upto;
        length
    }

    /// The length of the last interval.
    pub fn rest(&mut self) -> i64 {
        std::mem::replace(&mut self.work, self.laid) - self.laid
    }
}

/// The lengths of intervals as the moments of a file have them.
struct Weights {
    known: bool,
    before: i64,
}

impl Weights {
    /// A create is over at its moment; making the task is the last part of it.
    fn create(&mut self, child: &Grain) -> i64 {
        if child.created == UNKNOWN {
            return 0;
        }
        self.until(child.created, child.creation)
    }

    fn wait(&mut self, instant: Option<i64>, sync: i64) -> i64 {
        instant.map_or(0, |instant| self.until(instant, sync))
    }

    fn until(&mut self, moment: i64, cost: i64) -> i64 {
        let length = moment.saturating_sub(self.before).saturating_sub(cost).max(0);
        self.before = self.before.max(moment);
        length
    }
}
