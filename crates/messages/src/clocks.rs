//! Clocks that do not agree. A message that was received before it was sent shows that the clocks of two hosts differ; each clock is then
//! corrected by a straight line, so that no message goes back in time, as far as lines can do that.
//!
//! Every message says that its receive ended after its send began. Messages in both directions bound how far one clock is ahead of
//! another, from below and from above; the line is laid in the middle of the bounds, or left at zero where zero is within them.
//! The tightest pairs make a tree over all clocks, along which lines add up. What still goes backwards is repaired
//! by shifting the receiver.

use foldhash::{HashMap, HashMapExt};

/// Stretches of time in which bounds are kept: two are needed for a line, more make it steadier.
const BINS: usize = 8;
/// A clock that runs faster than this against another is no clock: bounds that say so are noise.
const MOST_DRIFT: f64 = 0.01;
/// Rounds of laying lines. Where clocks drift apart, the tightest bounds are only seen when most of the drift is gone.
const ESTIMATES: usize = 6;
/// Rounds of repair.
const ROUNDS: usize = 64;

/// What a message or a collective says: what happened at `to` was not over before what happened at `from` began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The clock of the sender.
    pub from: u32,
    /// When it began there.
    pub sent: i64,
    /// The clock of the receiver.
    pub to: u32,
    /// When it was over there.
    pub received: i64,
}

/// Calls its argument with every bound.
pub type Each<'a> = dyn Fn(&mut dyn FnMut(Bound)) + 'a;

/// How a clock is corrected: `t` becomes `t + offset + drift · (t − first)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Line {
    /// Shift at the first time.
    pub offset: i64,
    /// What is added per unit of time.
    pub drift: f64,
    /// The first time of this clock.
    pub first: i64,
}

impl Line {
    /// The corrected time.
    #[inline]
    pub fn at(&self, time: i64) -> i64 {
        time.saturating_add(self.shift(time))
    }

    /// How much a time is corrected.
    #[inline]
    pub fn shift(&self, time: i64) -> i64 {
        let elapsed = time.saturating_sub(self.first) as f64;
        self.offset.saturating_add((self.drift * elapsed).round() as i64)
    }

    /// Whether it changes nothing.
    pub fn is_nothing(&self) -> bool {
        self.offset == 0 && self.drift == 0.0
    }
}

/// How the clocks of a run are corrected.
#[derive(Clone, Debug, PartialEq)]
pub struct Corrected {
    /// For each clock.
    pub lines: Vec<Line>,
    /// What went backwards before, and after.
    pub before: u64,
    /// See there.
    pub after: u64,
}

/// Finds the correction of all clocks; `first` is the first time of each. `each` calls its argument with every bound; it is called
/// several times. None when nothing goes backwards.
pub fn correct(first: &[i64], each: &Each<'_>) -> Option<Corrected> {
    let plain: Vec<Line> = first.iter().map(|&first| Line { first, ..Line::default() }).collect();
    let before = count(&plain, each);
    if before == 0 {
        return None;
    }
    let (mut lines, mut left) = (plain, before);
    let mut best = (lines.clone(), left);
    for _ in 0..ESTIMATES {
        estimate(&mut lines, each);
        left = count(&lines, each);
        if left < best.1 {
            best = (lines.clone(), left);
        }
        if left == 0 {
            break;
        }
    }
    let steady = |line: &Line| Line { drift: 0.0, ..*line };
    let steady: Vec<Line> = best.0.iter().map(steady).collect();
    let (mut lines, mut after) = repair(best.0, each);
    // Lateness that comes and goes looks like drift in a short run. Where lines with a slope do not do, shifts alone may.
    if after > 0 {
        let shifted = repair(steady, each);
        if shifted.1 < after {
            (lines, after) = shifted;
        }
    }
    Some(Corrected { lines, before, after })
}

fn deficit(lines: &[Line], bound: &Bound) -> i64 {
    let (Some(from), Some(to)) = (lines.get(bound.from as usize), lines.get(bound.to as usize)) else {
        return 0;
    };
    from.at(bound.sent).saturating_sub(to.at(bound.received))
}

fn count(lines: &[Line], each: &Each<'_>) -> u64 {
    let mut backwards = 0;
    each(&mut |bound| backwards += u64::from(deficit(lines, &bound) > 0));
    backwards
}

/// Bounds of how much more the second clock of a pair is shifted than the first, with the time since the beginning at which each
/// was found.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    low: [(i64, i64); BINS],
    high: [(i64, i64); BINS],
}

const NO_LOW: i64 = i64::MIN;
const NO_HIGH: i64 = i64::MAX;

/// How much more the second clock of a pair is shifted, and how sure that is.
#[derive(Clone, Copy, Debug)]
struct Edge {
    pair: (u32, u32),
    offset: i64,
    drift: f64,
    /// How far the bounds are apart; the largest number where there is only one.
    width: i64,
}

/// Adds to the lines what the bounds say that is missing.
fn estimate(lines: &mut [Line], each: &Each<'_>) {
    let first: Vec<i64> = lines.iter().map(|line| line.first).collect();
    let mut edges: Vec<Edge> = gather(lines, each).into_iter().map(|(pair, b)| fit(pair, &b)).collect();
    edges.sort_unstable_by_key(|edge| (edge.width, edge.pair));
    let mut tree: Vec<Vec<Edge>> = vec![Vec::new(); first.len()];
    let mut part: Vec<u32> = (0..first.len() as u32).collect();
    for edge in edges {
        let (a, b) = (root(&mut part, edge.pair.0), root(&mut part, edge.pair.1));
        if a != b {
            part[a as usize] = b;
            tree[edge.pair.0 as usize].push(edge);
            let pair = (edge.pair.1, edge.pair.0);
            let back = Edge { pair, offset: edge.offset.saturating_neg(), drift: -edge.drift, ..edge };
            tree[edge.pair.1 as usize].push(back);
        }
    }
    let mut found_lines: Vec<Option<Line>> = vec![None; first.len()];
    for start in 0..first.len() {
        if found_lines[start].is_some() {
            continue;
        }
        found_lines[start] = Some(Line { first: first[start], ..Line::default() });
        let (mut todo, mut seen) = (vec![start], vec![start]);
        while let Some(at) = todo.pop() {
            let Some(line) = found_lines[at] else { continue };
            for edge in &tree[at] {
                let next = edge.pair.1 as usize;
                if found_lines[next].is_none() {
                    let (offset, drift) = (line.offset.saturating_add(edge.offset), line.drift + edge.drift);
                    found_lines[next] = Some(Line { offset, drift, first: first[next] });
                    todo.push(next);
                    seen.push(next);
                }
            }
        }
        let found: Vec<Line> = seen.iter().filter_map(|&clock| found_lines[clock]).collect();
        let usual = most_usual(&found);
        for clock in seen {
            if let Some(line) = &mut found_lines[clock] {
                line.offset = line.offset.saturating_sub(usual.offset);
                line.drift -= usual.drift;
            }
        }
    }
    for (line, more) in lines.iter_mut().zip(found_lines) {
        let more = more.unwrap_or_default();
        line.offset = line.offset.saturating_add(more.offset);
        line.drift = (line.drift + more.drift).clamp(-MOST_DRIFT, MOST_DRIFT);
    }
}

fn root(part: &mut [u32], of: u32) -> u32 {
    let mut at = of;
    while part[at as usize] != at {
        part[at as usize] = part[part[at as usize] as usize];
        at = part[at as usize];
    }
    at
}

/// The correction that most clocks of those that know each other have: those stay as they are.
fn most_usual(lines: &[Line]) -> Line {
    let mut counts: HashMap<(i64, u64), usize> = HashMap::new();
    for line in lines {
        *counts.entry((line.offset, line.drift.to_bits())).or_default() += 1;
    }
    let most = counts
        .into_iter()
        .max_by_key(|&((offset, drift), count)| (count, std::cmp::Reverse((offset, drift))));
    most.map_or_else(Line::default, |((offset, drift), _)| Line {
        offset,
        drift: f64::from_bits(drift),
        first: 0,
    })
}

fn gather(lines: &[Line], each: &Each<'_>) -> HashMap<(u32, u32), Bounds> {
    let elapsed = |clock: u32, time: i64| {
        let first = lines.get(clock as usize).map_or(0, |line| line.first);
        time.saturating_sub(first).max(0)
    };
    let mut longest = 1;
    each(&mut |bound| longest = longest.max(elapsed(bound.from, bound.sent)));
    let mut all: HashMap<(u32, u32), Bounds> = HashMap::new();
    each(&mut |bound| {
        if bound.from == bound.to {
            return;
        }
        let none = Bounds { low: [(NO_LOW, 0); BINS], high: [(NO_HIGH, 0); BINS] };
        let since = elapsed(bound.from, bound.sent);
        let bin = ((since as f64 / longest as f64 * BINS as f64) as usize).min(BINS - 1);
        let gap = deficit(lines, &bound);
        if bound.from < bound.to {
            let bounds = all.entry((bound.from, bound.to)).or_insert(none);
            if gap > bounds.low[bin].0 {
                bounds.low[bin] = (gap, since);
            }
        } else {
            let bounds = all.entry((bound.to, bound.from)).or_insert(none);
            let gap = gap.saturating_neg();
            if gap < bounds.high[bin].0 {
                bounds.high[bin] = (gap, since);
            }
        }
    });
    all
}

/// Lays a line between the bounds of a pair.
fn fit(pair: (u32, u32), bounds: &Bounds) -> Edge {
    let (low, high) = limits(bounds, 0.0);
    let width = |low: i64, high: i64| match low == NO_LOW || high == NO_HIGH {
        true => i64::MAX,
        false => high.saturating_sub(low).max(0),
    };
    if low <= 0 && high >= 0 {
        return Edge { pair, offset: 0, drift: 0.0, width: width(low, high) };
    }
    let drift = drift(bounds);
    let (low, high) = limits(bounds, drift);
    let offset = match (low == NO_LOW, high == NO_HIGH) {
        (false, false) => low / 2 + high / 2 + (low % 2 + high % 2) / 2,
        (false, true) => low.max(0),
        (true, false) => high.min(0),
        (true, true) => 0,
    };
    Edge { pair, offset, drift, width: width(low, high) }
}

/// The tightest bounds at the beginning, for clocks that drift apart by so much.
fn limits(bounds: &Bounds, drift: f64) -> (i64, i64) {
    let back = |(gap, since): &(i64, i64)| gap.saturating_sub((drift * *since as f64).round() as i64);
    let low = bounds.low.iter().filter(|(gap, _)| *gap != NO_LOW).map(back).max();
    let high = bounds.high.iter().filter(|(gap, _)| *gap != NO_HIGH).map(back).min();
    (low.unwrap_or(NO_LOW), high.unwrap_or(NO_HIGH))
}

/// The slope through the middles of the bounds, by least squares.
fn drift(bounds: &Bounds) -> f64 {
    let middles: Vec<(f64, f64)> = bounds
        .low
        .iter()
        .zip(&bounds.high)
        .filter(|(low, high)| low.0 != NO_LOW && high.0 != NO_HIGH)
        .map(|(low, high)| ((low.1 as f64 + high.1 as f64) / 2.0, (low.0 as f64 + high.0 as f64) / 2.0))
        .collect();
    let n = middles.len() as f64;
    if middles.len() < 2 {
        return 0.0;
    }
    let (x, y) = middles.iter().fold((0.0, 0.0), |(x, y), m| (x + m.0 / n, y + m.1 / n));
    let (over, under) =
        middles.iter().fold((0.0, 0.0), |(o, u), m| (o + (m.0 - x) * (m.1 - y), u + (m.0 - x) * (m.0 - x)));
    let slope = if under > 0.0 { over / under } else { 0.0 };
    if slope.abs() <= MOST_DRIFT { slope } else { 0.0 }
}

/// Shifts receivers until nothing goes backwards, or gives up; keeps the best.
fn repair(mut lines: Vec<Line>, each: &Each<'_>) -> (Vec<Line>, u64) {
    let mut best = (lines.clone(), count(&lines, each));
    for _ in 0..ROUNDS {
        if best.1 == 0 {
            break;
        }
        let mut late = vec![0i64; lines.len()];
        each(&mut |bound| {
            let missing = deficit(&lines, &bound);
            if let Some(late) = late.get_mut(bound.to as usize) {
                *late = (*late).max(missing);
            }
        });
        for (line, late) in lines.iter_mut().zip(late) {
            line.offset = line.offset.saturating_add(late);
        }
        let left = count(&lines, each);
        if left < best.1 {
            best = (lines.clone(), left);
        }
    }
    best
}
