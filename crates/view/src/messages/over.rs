//! What pictures over time share: the window, the axis, which messages are in it, bins of bytes.

use std::ops::Range;

use crosscut_messages::{Collective, Messages};
use crosscut_scene::{Area, Axis, Mark, Scene, Unit};
use crosscut_workbench::{Refusal, Span};

use super::opened::ClockKey;
use crate::format::{many, quantity};

/// Left of the plot, for names.
pub const LEFT: f32 = 92.0;
/// Right of the plot.
pub const RIGHT: f32 = 16.0;
/// Below the plot, for the axis.
pub const FOOT: f32 = 22.0;

/// The asked window within the run; at least one unit of time wide.
pub fn window(messages: &Messages, asked: Option<Span>) -> Result<(i64, i64), Refusal> {
    let end = messages.summary().elapsed.max(1);
    let Some(Span(from, to)) = asked else { return Ok((0, end)) };
    if !(from.is_finite() && to.is_finite() && from <= to) {
        return Err(Refusal::new("a window of time ends after it begins"));
    }
    let from = (from.floor() as i64).clamp(0, end - 1);
    Ok((from, (to.ceil() as i64).clamp(from + 1, end)))
}

/// The axis of time for a pane of this width.
pub fn axis((from, to): (i64, i64), width: f32, (left, right): (f32, f32)) -> Axis {
    let span = (from as f64, to.max(from.saturating_add(1)) as f64);
    Axis::linear(span, left, (width - left - right).max(1.0), Unit::Ns, "time")
}

/// Messages that were sent in a window: they are in the order of their sends.
pub fn sent_in(messages: &Messages, (from, to): (i64, i64)) -> Range<usize> {
    let sent = &messages.send_start;
    sent.partition_point(|&time| time < from)..sent.partition_point(|&time| time < to)
}

/// Messages of a window that are looked at, and that are there.
pub fn rows<'a>(
    messages: &'a Messages,
    key: &'a ClockKey,
    window: (i64, i64),
) -> impl Iterator<Item = usize> + 'a {
    let all = key.is_all();
    sent_in(messages, window).filter(move |&row| all || key.has(messages, row))
}

/// Collectives of a window that are looked at and exchange something, by when their first rank entered.
pub fn collectives<'a>(
    messages: &'a Messages,
    key: &'a ClockKey,
    window: (i64, i64),
) -> impl Iterator<Item = usize> + 'a {
    let all = &messages.collectives;
    let exchanges = move |number: &usize| Collective(all.kind[*number]) != Collective::BARRIER;
    let inside = move |number: &usize| (window.0..window.1).contains(&all.start[*number]);
    (0..all.kind.len())
        .filter(exchanges)
        .filter(inside)
        .filter(move |&number| key.has_collective(messages, number))
}

/// "3 collectives, 2 GiB, are not in this picture", where there are any.
pub fn left_out(messages: &Messages, key: &ClockKey, window: (i64, i64)) -> Option<String> {
    let (count, bytes) = collectives(messages, key, window).fold((0, 0i64), |(count, bytes), number| {
        (count + 1, bytes.saturating_add(messages.collectives.bytes[number]))
    });
    let (is, bytes) = (if count == 1 { "is" } else { "are" }, quantity(bytes as f64, Unit::Bytes));
    (count > 0).then(|| format!("{}, {bytes}, {is} not in this picture", many(count, "collective")))
}

/// Sums over equal cells of time.
pub struct Bins {
    from: f64,
    /// Cells in a unit of time.
    per_time: f64,
    /// Of what lies within a cell.
    own: Vec<f64>,
    /// Changes of the rate from a cell on.
    rate: Vec<f64>,
}

impl Bins {
    /// So many cells over a window.
    pub fn new((from, to): (i64, i64), count: usize) -> Self {
        let count = count.max(1);
        let cell = ((to - from).max(1) as f64 / count as f64).max(1e-9);
        Bins { from: from as f64, per_time: 1.0 / cell, own: vec![0.0; count], rate: vec![0.0; count + 1] }
    }

    /// Spreads something evenly over a stretch; what lies outside of the window is left out.
    pub fn add(&mut self, (from, to): (i64, i64), value: f64) {
        let count = self.own.len();
        let (a, b) = ((from as f64 - self.from) * self.per_time, (to as f64 - self.from) * self.per_time);
        if b < 0.0 || a >= count as f64 {
            return;
        }
        let at = |x: f64| (x.max(0.0) as usize).min(count - 1);
        let (first, last) = (at(a), at(b));
        if b - a < 1e-9 {
            self.own[first] += value;
            return;
        }
        let per = value / (b - a);
        if first == last {
            self.own[first] += per * (b.min(count as f64) - a.max(0.0)).max(0.0);
            return;
        }
        self.own[first] += per * (first as f64 + 1.0 - a.max(first as f64)).clamp(0.0, 1.0);
        self.own[last] += per * (b - last as f64).clamp(0.0, 1.0);
        self.rate[first + 1] += per;
        self.rate[last] -= per;
    }

    /// The sum of each cell.
    pub fn sums(self) -> Vec<f64> {
        let mut rate = 0.0;
        let whole = self.rate.iter().map(|change| {
            rate += change;
            rate
        });
        self.own.iter().zip(whole).map(|(own, whole)| (own + whole).max(0.0)).collect()
    }
}

/// A layer of a stack of areas: from what is below up.
pub fn layer(
    scene: &mut Scene,
    (name, mark): (String, Mark),
    values: &[f64],
    below: &mut [f64],
    (x, y): (&Axis, &Axis),
) {
    let cell = x.length() / values.len().max(1) as f32;
    let mut area = Area { name, mark, x: x.start(), cell, y0: Vec::new(), y1: Vec::new() };
    for (below, &value) in below.iter_mut().zip(values) {
        area.y0.push(y.pixel(*below));
        *below += value;
        area.y1.push(y.pixel(*below));
    }
    scene.areas.push(area);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosscut_chance::Chance;

    #[test]
    fn bins_hold_what_was_spread_over_them() {
        let mut chance = Chance::new(5);
        for _ in 0..200 {
            let count = 1 + chance.index(20);
            let mut bins = Bins::new((100, 1100), count);
            let mut naive = vec![0.0; count];
            for _ in 0..10 {
                let from = chance.below(1400) as i64 - 100;
                let to = from + chance.below(600) as i64;
                bins.add((from, to), 7.0);
                let cell = 1000.0 / count as f64;
                for (at, sum) in naive.iter_mut().enumerate() {
                    let (low, high) = (100.0 + at as f64 * cell, 100.0 + (at + 1) as f64 * cell);
                    let (from, to) = (from as f64, to as f64);
                    if to > from {
                        *sum += 7.0 * (high.min(to) - low.max(from)).max(0.0) / (to - from);
                    } else if (low..high).contains(&from) {
                        *sum += 7.0;
                    }
                }
            }
            for (sum, naive) in bins.sums().iter().zip(&naive) {
                assert!((sum - naive).abs() < 1e-6, "{sum} {naive}");
            }
        }
    }
}
