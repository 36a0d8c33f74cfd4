//! Who exchanges with whom in a step.

use std::fmt;
use std::str::FromStr;

/// What all ranks do in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exchange {
    /// With the eight neighbours on a grid that closes on itself.
    Halo,
    /// With one partner, twice as far away in each step, half as many bytes.
    Butterfly,
    /// With the others of a group of k, k times as far away in each step: radix-k compositing.
    Radix(u32),
    /// Everybody with everybody.
    AllToAll,
    /// Rank 0 gives work to all others and takes their results.
    MasterWorker,
    /// To the next rank, from the one before.
    Ring,
    /// From the one before; then the rank computes and sends to the next.
    Pipeline,
    /// To four ranks by chance.
    Random,
    /// A collective sum.
    Allreduce,
    /// A barrier.
    Barrier,
}

/// To how many ranks by chance.
const DEGREE: u64 = 4;

impl Exchange {
    /// All of them with what they are; the number of a radix may be another one.
    pub const ALL: [(Exchange, &'static str); 10] = [
        (Exchange::Halo, "with the eight neighbours on a grid"),
        (Exchange::Butterfly, "with one partner, twice as far away in each step"),
        (Exchange::Radix(4), "in groups of 4, as radix-k compositing; any number from 2 on"),
        (Exchange::AllToAll, "everybody with everybody"),
        (Exchange::MasterWorker, "rank 0 gives work to all others"),
        (Exchange::Ring, "to the next rank"),
        (Exchange::Pipeline, "from the rank before, through the work, to the next rank"),
        (Exchange::Random, "to four ranks by chance"),
        (Exchange::Allreduce, "a collective sum"),
        (Exchange::Barrier, "a barrier"),
    ];

    /// Whom a rank sends to and from whom it receives in a step, each with bytes. Empty for collectives, where rank 0
    /// gives work and where ranks pass it on.
    pub fn partners(self, rank: u32, ranks: u32, step: u32, bytes: i64, seed: u64) -> Partners {
        let mut both = Vec::new();
        match self {
            Exchange::Halo => halo(rank, ranks, &mut |other| both.push((other, bytes))),
            Exchange::Butterfly => {
                let stages = 32 - (ranks - 1).leading_zeros();
                let stage = step % stages.max(1);
                both.push((rank ^ 1 << stage, (bytes >> stage.min(62)).max(1)));
            }
            Exchange::Radix(radix) => {
                let (stride, stage) = stride(radix, ranks, step);
                let digit = rank / stride % radix;
                let size = (bytes / i64::from(radix).saturating_pow(stage)).max(1);
                let base = u64::from(rank) - u64::from(digit) * u64::from(stride);
                let others = (0..radix).filter(|other| *other != digit);
                let far = |other: u32| base + u64::from(other) * u64::from(stride);
                both.extend(others.map(far).filter(|&o| o < u64::from(ranks)).map(|o| (o as u32, size)));
            }
            Exchange::AllToAll => both.extend((1..ranks).map(|far| (wrapped(rank, far, ranks), bytes))),
            Exchange::Ring => {
                let (to, from) = (wrapped(rank, 1, ranks), wrapped(rank, ranks - 1, ranks));
                return Partners { to: vec![(to, bytes)], from: vec![(from, bytes)] };
            }
            Exchange::Random => {
                // A shift by chance, the same for all: everybody receives as many as it sends.
                let far = |nth: u64| {
                    let random =
                        crosscut_chance::mix(seed ^ crosscut_chance::mix(u64::from(step) * 16 + nth));
                    1 + crosscut_chance::scale(random, u64::from(ranks - 1)) as u32
                };
                let shifts: Vec<u32> = (0..DEGREE.min(u64::from(ranks - 1))).map(far).collect();
                let to = shifts.iter().map(|&far| (wrapped(rank, far, ranks), bytes));
                let from = shifts.iter().map(|&far| (wrapped(rank, ranks - far, ranks), bytes));
                return Partners { to: to.collect(), from: from.collect() };
            }
            Exchange::MasterWorker | Exchange::Pipeline | Exchange::Allreduce | Exchange::Barrier => {}
        }
        both.retain(|&(other, _)| other < ranks && other != rank);
        Partners { to: both.clone(), from: both }
    }
}

/// Whom a rank sends to and from whom it receives, with bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partners {
    pub to: Vec<(u32, i64)>,
    pub from: Vec<(u32, i64)>,
}

/// The rank so many places further, round and round.
fn wrapped(rank: u32, far: u32, ranks: u32) -> u32 {
    ((u64::from(rank) + u64::from(far)) % u64::from(ranks)) as u32
}

/// How far partners of a radix are away in a step, and which stage that is.
fn stride(radix: u32, ranks: u32, step: u32) -> (u32, u32) {
    let mut strides = Vec::new();
    let mut stride = 1u64;
    while stride < u64::from(ranks) {
        strides.push(stride as u32);
        stride *= u64::from(radix.max(2));
    }
    let stage = step as usize % strides.len().max(1);
    (strides.get(stage).copied().unwrap_or(1), stage as u32)
}

/// The sides of a grid that holds all ranks, as square as can be.
fn grid(ranks: u32) -> (u32, u32) {
    let mut high = (f64::from(ranks).sqrt() as u32).max(1);
    while !ranks.is_multiple_of(high) {
        high -= 1;
    }
    (ranks / high, high)
}

fn halo(rank: u32, ranks: u32, tell: &mut dyn FnMut(u32)) {
    let (wide, high) = grid(ranks);
    let (x, y) = (rank % wide, rank / wide);
    let mut seen = Vec::with_capacity(8);
    for dy in [high - 1, 0, 1] {
        for dx in [wide - 1, 0, 1] {
            let other = wrapped(x, dx, wide) + wrapped(y, dy, high) * wide;
            if other != rank && !seen.contains(&other) {
                seen.push(other);
                tell(other);
            }
        }
    }
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exchange::Halo => f.write_str("halo"),
            Exchange::Butterfly => f.write_str("butterfly"),
            Exchange::Radix(radix) => write!(f, "radix-{radix}"),
            Exchange::AllToAll => f.write_str("all-to-all"),
            Exchange::MasterWorker => f.write_str("master-worker"),
            Exchange::Ring => f.write_str("ring"),
            Exchange::Pipeline => f.write_str("pipeline"),
            Exchange::Random => f.write_str("random"),
            Exchange::Allreduce => f.write_str("allreduce"),
            Exchange::Barrier => f.write_str("barrier"),
        }
    }
}

impl FromStr for Exchange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(radix) = text.strip_prefix("radix-") {
            let radix = if radix == "k" { Some(4) } else { radix.parse().ok() };
            let radix = radix.filter(|radix| (2..=1 << 16).contains(radix));
            return radix
                .map(Exchange::Radix)
                .ok_or_else(|| format!("`{text}` is not radix-k, such as radix-4"));
        }
        let all = Exchange::ALL.map(|(exchange, _)| exchange);
        all.into_iter().find(|exchange| exchange.to_string() == text).ok_or_else(|| {
            format!("no exchange `{text}`; there are {}", all.map(|exchange| exchange.to_string()).join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_sent_is_received() {
        for ranks in [2, 3, 5, 8, 12, 27, 60] {
            for (exchange, _) in Exchange::ALL {
                for step in 0..7 {
                    let (mut sent, mut received) = (Vec::new(), Vec::new());
                    for rank in 0..ranks {
                        let partners = exchange.partners(rank, ranks, step, 4096, 9);
                        sent.extend(partners.to.iter().map(|&(to, bytes)| (rank, to, bytes)));
                        received.extend(partners.from.iter().map(|&(from, bytes)| (from, rank, bytes)));
                        assert!(partners.to.iter().all(|partner| partner.0 != rank && partner.0 < ranks));
                    }
                    sent.sort_unstable();
                    received.sort_unstable();
                    assert_eq!(sent, received, "{exchange} of {ranks} in step {step}");
                }
            }
        }
    }

    #[test]
    fn exchanges_are_written_as_they_are_read() {
        for (exchange, _) in Exchange::ALL {
            assert_eq!(exchange.to_string().parse(), Ok(exchange));
        }
        assert_eq!("radix-8".parse(), Ok(Exchange::Radix(8)));
        assert_eq!("radix-k".parse(), Ok(Exchange::Radix(4)));
        for wrong in ["", "radix-1", "radix-x", "circle"] {
            assert!(wrong.parse::<Exchange>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_halo_has_eight_neighbours_on_a_grid() {
        let mut neighbours = Vec::new();
        halo(0, 72 * 60, &mut |other| neighbours.push(other));
        neighbours.sort_unstable();
        assert_eq!(neighbours, [1, 71, 72, 73, 143, 4248, 4249, 4319]);
    }
}
