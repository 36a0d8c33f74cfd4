//! Binary recursion. A task with `n` leaf tasks below it splits them in the golden ratio; when `n` is a Fibonacci number
//! this is exactly the recursion of `fib`, and every other `n` is close to it.
//!
//! ```c
//!  5  long fib(int n) {
//!  6    if (n < 2) return n;
//!  7    long x, y;
//!  8    #pragma omp task shared(x)
//!  9    x = fib(n - 1);
//! 10    #pragma omp task shared(y)
//! 11    y = fib(n - 2);
//! 12    #pragma omp taskwait
//! 13    return x + y;
//! ```

use super::{Child, Code, Shape, code, nearest_count, step};

/// 2⁶⁴ / φ.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// `fib` with this many leaf tasks.
pub struct Fib {
    leaves: u32,
}

impl Fib {
    /// `n` leaves have n − 1 tasks of 6 nodes above them: 8 n − 6 in all.
    pub fn nearest(nodes: u64) -> Self {
        Fib { leaves: 1 + nearest_count(nodes, 2, 8) }
    }
}

/// A call with so many leaf tasks, or its section.
#[derive(Clone, Copy)]
pub enum Plan {
    Call(u32),
    Section(u32),
}

/// The larger share of `n`, rounded.
fn larger(n: u32) -> u32 {
    ((u128::from(n) * u128::from(GOLDEN) + (1 << 63)) >> 64) as u32
}

impl Shape for Fib {
    type Plan = Plan;
    const FILE: &'static str = "fib.c";
    const CODE: &'static [Code] =
        &[code("fib", 5, 6), code("fib", 5, 8), code("fib", 8, 10), code("fib", 10, 12), code("fib", 12, 13)];

    fn root(&self) -> Plan {
        Plan::Call(self.leaves)
    }

    fn is_task(&self, plan: Plan) -> bool {
        matches!(plan, Plan::Call(_))
    }

    fn size(&self, plan: Plan) -> u32 {
        match plan {
            Plan::Call(n) => 2 + (n - 1) * 8,
            Plan::Section(n) => (n - 1) * 8,
        }
    }

    fn child(&self, plan: Plan, number: u32, _left: u32) -> Child<Plan> {
        match (plan, number) {
            (Plan::Call(1), _) => Child::Close(step(100, 0)),
            (Plan::Call(n), 0) => Child::Section(Plan::Section(n)),
            (Plan::Call(_), _) => Child::Close(step(10, 4)),
            (Plan::Section(n), 0) => Child::Spawn(step(15, 1), Plan::Call(larger(n))),
            (Plan::Section(n), 1) => Child::Spawn(step(5, 2), Plan::Call(n - larger(n))),
            (Plan::Section(_), _) => Child::Close(step(5, 3)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fibonacci_numbers_split_into_fibonacci_numbers() {
        let (mut a, mut b) = (1u32, 1u32);
        while b < 2_971_215_073 {
            (a, b) = (b, a + b);
            assert_eq!(larger(b), a);
        }
    }
}
