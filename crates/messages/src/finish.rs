//! From what all ranks did to the messages part of a run: matches, corrects clocks, writes.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, UInt8Array};
use crosscut_run::{Places, RunWriter, Value, texts};
use rayon::prelude::*;

use crate::build::{Builder, Calls, Done, Whole};
use crate::clocks::{self, Bound, Corrected};
use crate::collectives::{self, Collectives};
use crate::communicators::Comms;
use crate::error::MessagesError;
use crate::matching::{Matched, Pair, Sides, Why, match_all};
use crate::schema::{Collective, Function, Mode, NONE, Summary, is_neighbourhood};

pub(crate) fn finish(
    builder: Builder,
    run: &mut RunWriter,
    done: Vec<Done>,
    whole: Whole,
) -> Result<Option<String>, MessagesError> {
    let Builder { mut calls, first } = builder;
    let ranks = first.len() - 1;
    if done.len() != ranks || ranks == 0 {
        return Err(MessagesError::Broken(format!("{} of {ranks} ranks are there", done.len())));
    }
    let sides = Sides::new(&done);
    let most = sides.sends.len().max(sides.receives.len());
    if most >= NONE as usize {
        return Err(MessagesError::Broken(format!("{most} messages; a run holds fewer than {NONE}")));
    }
    let mut matched = match_all(&sides);
    let collectives = collectives::gather(&done, &whole.comms);
    let doubt = doubt(&collectives);
    let corrected = correct_clocks(&mut calls, &first, &matched, &sides, &collectives, &whole);
    if whole.places.is_empty() {
        start_at_zero(&mut calls);
    }
    let elapsed = calls.end.par_iter().copied().max().unwrap_or(0).max(0);
    let start = &calls.start;
    // Whose send it is takes a search: once for each, not for every comparison.
    let timed = |pair: &Pair| (start[sides.send(pair.send).1.call as usize], *pair);
    let mut by_start: Vec<(i64, Pair)> = matched.pairs.par_iter().map(timed).collect();
    by_start.par_sort_unstable();
    matched.pairs.par_iter_mut().zip(by_start).for_each(|(pair, (_, next))| *pair = next);
    let bytes = put_messages(run, &calls, &sides, &matched.pairs)?;
    put_modes(run, &calls, &sides, &matched.pairs, &whole.functions)?;
    let summary = Summary {
        ranks: ranks as u32,
        messages: matched.pairs.len() as u64,
        bytes,
        unmatched: matched.alone.len() as u64,
        why_unmatched: reasons(&matched.alone),
        collectives: done.iter().map(|done| done.collectives.len() as u64).sum(),
        collective_operations: collectives.len() as u64,
        calls: calls.start.len() as u64,
        communicators: whole.comms.list.len() as u64,
        elapsed,
        notes: notes(&whole, &collectives, &calls),
        ..Summary::default()
    };
    put_unmatched(run, matched.alone)?;
    put_collectives(run, &calls, collectives)?;
    put_calls(run, calls, &first)?;
    put_comms(run, &whole.comms)?;
    put_functions(run, &whole.functions)?;
    put_clocks(run, ranks, &corrected, &whole.clocks)?;
    put_summary(run, summary, corrected)?;
    run.manifest().cover(0, elapsed);
    match whole.places.is_empty() {
        true => run.put_places(&Places::processes(&vec![1; ranks])?)?,
        false => put_ids(run, "rank_place", &whole.places, |place| *place)?,
    }
    Ok(doubt)
}

fn reasons(alone: &[(u32, Why)]) -> Vec<(String, u64)> {
    let mut counts: std::collections::BTreeMap<Why, u64> = std::collections::BTreeMap::new();
    for (_, why) in alone {
        *counts.entry(*why).or_default() += 1;
    }
    counts.into_iter().map(|(why, count)| (why.text().to_owned(), count)).collect()
}

fn notes(whole: &Whole, collectives: &Collectives, calls: &Calls) -> Vec<String> {
    let mut notes = whole.notes.clone();
    notes.extend(odd(collectives));
    let is_one: Vec<bool> = whole.functions.iter().map(|function| is_neighbourhood(&function.name)).collect();
    let among = (calls.function.par_iter().zip(&calls.bytes[..]))
        .filter(|(function, _)| is_one.get(usize::from(**function)) == Some(&true))
        .map(|(_, &bytes)| (1u64, bytes))
        .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1.saturating_add(b.1)));
    if among.0 > 0 {
        notes.push(format!(
            "{} calls of collectives among neighbours, {} bytes: who the neighbours are is not known, so these are calls and no \
             messages",
            among.0, among.1
        ));
    }
    notes
}

/// What of the collectives does not fit together, in words.
fn odd(collectives: &Collectives) -> impl Iterator<Item = String> {
    let counts = [
        (collectives.mixed, "collectives of which the ranks name different kinds"),
        (collectives.short, "collectives in which not all ranks of the communicator took part"),
        (collectives.lost, "calls of collectives on communicators that are not known"),
    ];
    counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"))
}

/// Why this may not be all of one run. All ranks of a communicator take part in its collectives, so where they did not, something is
/// missing or does not belong to it.
fn doubt(collectives: &Collectives) -> Option<String> {
    let first = odd(collectives).next()?;
    Some(format!("the ranks contradict each other: {first}; files may be missing, damaged or of another run"))
}

/// The clock of a rank.
fn clock_of(clocks: &[u32], rank: usize) -> u32 {
    clocks.get(rank).copied().unwrap_or(rank as u32)
}

/// Corrects the times of all calls where messages go back in time. Ranks of one host have one clock; where even such disagree, each rank
/// gets its own.
fn correct_clocks(
    calls: &mut Calls,
    first: &[usize],
    matched: &Matched,
    sides: &Sides<'_>,
    collectives: &Collectives,
    whole: &Whole,
) -> Option<Corrected> {
    let clocks = &whole.clocks[..];
    let shared = correct_by(calls, first, matched, sides, collectives, clocks)?;
    let (corrected, clocks) = match shared.after > 0 && !clocks.is_empty() {
        true => (correct_by(calls, first, matched, sides, collectives, &[])?, &[][..]),
        false => (shared, clocks),
    };
    let (start, end) = (&mut calls.start, &mut calls.end);
    let ranks = first.len() - 1;
    for rank in 0..ranks {
        let line = corrected.lines.get(clock_of(clocks, rank) as usize).copied().unwrap_or_default();
        for time in
            start[first[rank]..first[rank + 1]].iter_mut().chain(&mut end[first[rank]..first[rank + 1]])
        {
            *time = line.at(*time);
        }
    }
    let lines = (0..ranks).map(|rank| corrected.lines.get(clock_of(clocks, rank) as usize).copied());
    Some(Corrected { lines: lines.map(Option::unwrap_or_default).collect(), ..corrected })
}

fn correct_by(
    calls: &Calls,
    first: &[usize],
    matched: &Matched,
    sides: &Sides<'_>,
    collectives: &Collectives,
    clocks: &[u32],
) -> Option<Corrected> {
    let ranks = first.len() - 1;
    let clock = |rank: u32| clock_of(clocks, rank as usize);
    let count = (0..ranks as u32).map(|rank| clock(rank) as usize + 1).max().unwrap_or(0);
    let mut begins = vec![i64::MAX; count];
    for rank in 0..ranks {
        let begin = &mut begins[clock(rank as u32) as usize];
        let starts = &calls.start[first[rank]..first[rank + 1]];
        *begin = starts.iter().copied().min().unwrap_or(i64::MAX).min(*begin);
    }
    begins.iter_mut().filter(|begin| **begin == i64::MAX).for_each(|begin| *begin = 0);
    let rank_of = |call: u32| (first.partition_point(|&first| first <= call as usize) - 1) as u32;
    let each = |tell: &mut dyn FnMut(Bound)| {
        for pair in &matched.pairs {
            let ((from, send), (to, receive)) = (sides.send(pair.send), sides.receive(pair.receive));
            let (sent, received) = (calls.start[send.call as usize], calls.end[receive.done as usize]);
            tell(Bound { from: clock(from), sent, to: clock(to), received });
        }
        for number in 0..collectives.len() {
            if !Collective(collectives.kind[number]).is_synchronising() {
                continue;
            }
            // Nobody has completed it before everybody has begun it.
            let mut members = collectives.whole(number).map(|(call, done)| {
                (clock(rank_of(call)), calls.start[call as usize], calls.end[done as usize])
            });
            let Some((hub, begun, completed)) = members.next() else { continue };
            for (other, sent, received) in members {
                tell(Bound { from: hub, sent: begun, to: other, received });
                tell(Bound { from: other, sent, to: hub, received: completed });
            }
        }
    };
    clocks::correct(&begins, &each)
}

/// Shifts all times so that the first is zero.
fn start_at_zero(calls: &mut Calls) {
    let zero = calls.start.par_iter().copied().min().unwrap_or(0);
    let shift = |time: &mut i64| *time = time.saturating_sub(zero);
    calls.start.par_iter_mut().for_each(shift);
    calls.end.par_iter_mut().for_each(shift);
}

/// Writes the messages, by the start of their sends; returns their bytes.
fn put_messages(
    run: &mut RunWriter,
    calls: &Calls,
    sides: &Sides<'_>,
    pairs: &[Pair],
) -> Result<i64, MessagesError> {
    let (start, end) = (&calls.start[..], &calls.end[..]);
    let at = |times: &[i64], call: u32| times.get(call as usize).copied().unwrap_or(0);
    let send = |pair: &Pair| *sides.send(pair.send).1;
    let receive = |pair: &Pair| *sides.receive(pair.receive).1;
    // What nothing completed was over when its call was.
    let sent = |pair: &Pair| match send(pair) {
        send if send.done == NONE => send.call,
        send => send.done,
    };
    put_ids(run, "source", pairs, |pair| sides.send(pair.send).0)?;
    put_ids(run, "destination", pairs, |pair| sides.receive(pair.receive).0)?;
    put(run, "bytes", pairs, |pair| send(pair).bytes)?;
    put(run, "tag", pairs, |pair| send(pair).tag as u32)?;
    put(run, "comm", pairs, |pair| send(pair).comm)?;
    put(run, "send_start", pairs, |pair| at(start, send(pair).call))?;
    put(run, "send_end", pairs, |pair| at(end, sent(pair)))?;
    put(run, "receive_start", pairs, |pair| at(start, receive(pair).call))?;
    put(run, "receive_end", pairs, |pair| at(end, receive(pair).done))?;
    put(run, "send_call", pairs, |pair| send(pair).call)?;
    put(run, "send_done", pairs, sent)?;
    put(run, "receive_call", pairs, |pair| receive(pair).call)?;
    put(run, "receive_done", pairs, |pair| receive(pair).done)?;
    Ok(pairs.par_iter().map(|pair| send(pair).bytes).reduce(|| 0, i64::saturating_add))
}

/// How sends behave, where any is told to.
fn put_modes(
    run: &mut RunWriter,
    calls: &Calls,
    sides: &Sides<'_>,
    pairs: &[Pair],
    functions: &[Function],
) -> Result<(), MessagesError> {
    let modes: Vec<Mode> = functions.iter().map(|function| Mode::of(&function.name)).collect();
    let mode = |pair: &Pair| {
        let send = sides.send(pair.send).1;
        let begun = calls.function.get(send.call as usize).and_then(|&f| modes.get(usize::from(f)));
        if send.mode == Mode::Standard { begun.copied().unwrap_or_default() } else { send.mode }
    };
    match pairs.par_iter().any(|pair| mode(pair) != Mode::Standard) {
        true => put(run, "send_mode", pairs, |pair| mode(pair) as u8),
        false => Ok(()),
    }
}

fn put<T: Value, R: Sync>(
    run: &mut RunWriter,
    name: &str,
    rows: &[R],
    value: impl Fn(&R) -> T + Sync,
) -> Result<(), MessagesError> {
    let mut column = run.column::<T>(&format!("messages/{name}"), rows.len())?;
    column.par_iter_mut().zip(rows).for_each(|(to, row)| *to = value(row));
    Ok(run.put(column)?)
}

fn put_ids<R: Sync>(
    run: &mut RunWriter,
    name: &str,
    rows: &[R],
    value: impl Fn(&R) -> u32 + Sync,
) -> Result<(), MessagesError> {
    let mut column = run.column::<u32>(&format!("messages/{name}"), rows.len())?;
    column.par_iter_mut().zip(rows).for_each(|(to, row)| *to = value(row));
    Ok(run.put_ids(column)?)
}

fn put_unmatched(run: &mut RunWriter, mut alone: Vec<(u32, Why)>) -> Result<(), MessagesError> {
    alone.sort_unstable();
    put(run, "unmatched_call", &alone, |(call, _)| *call)?;
    put(run, "unmatched_why", &alone, |(_, why)| *why as u8)
}

fn put_collectives(run: &mut RunWriter, calls: &Calls, all: Collectives) -> Result<(), MessagesError> {
    let numbers: Vec<usize> = (0..all.len()).collect();
    let of = |number: &usize, times: &[i64]| -> Vec<i64> {
        all.calls(*number).filter_map(|call| times.get(call as usize).copied()).collect()
    };
    put(run, "collective_kind", &all.kind, |kind| *kind)?;
    put(run, "collective_comm", &all.comm, |comm| *comm)?;
    put(run, "collective_root", &all.root, |root| *root)?;
    put(run, "collective_bytes", &numbers, |n| of(n, &calls.bytes).into_iter().fold(0, i64::saturating_add))?;
    put(run, "collective_start", &numbers, |n| of(n, &calls.start).into_iter().min().unwrap_or(0))?;
    put(run, "collective_end", &numbers, |n| {
        all.ends(*n).filter_map(|call| calls.end.get(call as usize).copied()).max().unwrap_or(0)
    })?;
    put(run, "collective_first", &all.first, |first| *first)?;
    if all.calls != all.done {
        put(run, "collective_done", &all.done, |call| *call)?;
    }
    put(run, "collective_call", &all.calls, |call| *call)
}

fn put_calls(run: &mut RunWriter, calls: Calls, first: &[usize]) -> Result<(), MessagesError> {
    run.put(calls.function)?;
    run.put(calls.start)?;
    run.put(calls.end)?;
    run.put(calls.bytes)?;
    run.put_ids(calls.peer)?;
    run.put_ids(calls.comm)?;
    run.put(calls.request)?;
    if let Some(source) = calls.source {
        run.put_ids(source)?;
    }
    put(run, "call_first", first, |first| *first as i64)
}

fn put_comms(run: &mut RunWriter, comms: &Comms) -> Result<(), MessagesError> {
    let list = &comms.list;
    let names = texts::column(list.iter().map(|comm| comm.name.as_str()))?;
    let parents = list.iter().map(|comm| comm.parent.map_or(-1, i64::from));
    let parents: ArrayRef = Arc::new(Int64Array::from_iter_values(parents));
    let sides: ArrayRef = Arc::new(Int64Array::from_iter_values(list.iter().map(|c| c.members.len() as i64)));
    let outside: ArrayRef = Arc::new(UInt8Array::from_iter_values(list.iter().map(|c| u8::from(c.outside))));
    put_table(
        run,
        "comms",
        vec![("name", names), ("parent", parents), ("side", sides), ("outside", outside)],
    )?;
    let members: Vec<u32> = list.iter().flat_map(|c| c.members.iter().chain(&c.others)).copied().collect();
    let mut first = vec![0i64];
    let mut sum = 0;
    for comm in list {
        sum += (comm.members.len() + comm.others.len()) as i64;
        first.push(sum);
    }
    put_ids(run, "comm_member", &members, |member| *member)?;
    put(run, "comm_first", &first, |first| *first)
}

fn put_functions(run: &mut RunWriter, functions: &[Function]) -> Result<(), MessagesError> {
    let names = texts::column(functions.iter().map(|f| f.name.as_str()))?;
    let classes: ArrayRef = Arc::new(UInt8Array::from_iter_values(functions.iter().map(|f| f.class as u8)));
    put_table(run, "functions", vec![("name", names), ("class", classes)])
}

fn put_table(run: &mut RunWriter, name: &str, columns: Vec<(&str, ArrayRef)>) -> Result<(), MessagesError> {
    let table = RecordBatch::try_from_iter(columns).map_err(|e| MessagesError::Broken(e.to_string()))?;
    Ok(run.put_table(&format!("messages/{name}"), &table)?)
}

/// How the clock of each rank was corrected, where any was.
fn put_clocks(
    run: &mut RunWriter,
    ranks: usize,
    corrected: &Option<Corrected>,
    clocks: &[u32],
) -> Result<(), MessagesError> {
    let all: Vec<usize> = (0..ranks).collect();
    put(run, "clock", &all, |&rank| clock_of(clocks, rank))?;
    let Some(corrected) = corrected else { return Ok(()) };
    put(run, "clock_offset", &corrected.lines, |line| line.offset)?;
    put(run, "clock_drift", &corrected.lines, |line| line.drift)
}

fn put_summary(
    run: &mut RunWriter,
    mut summary: Summary,
    corrected: Option<Corrected>,
) -> Result<(), MessagesError> {
    if let Some(corrected) = corrected {
        let changed = corrected.lines.iter().filter(|line| !line.is_nothing());
        summary.backwards = corrected.before;
        summary.backwards_left = corrected.after;
        summary.corrected = changed.count() as u32;
        let largest = |line: &clocks::Line| {
            let there = line.first.saturating_add(summary.elapsed);
            line.offset.saturating_abs().max(line.shift(there).saturating_abs())
        };
        summary.largest_correction = corrected.lines.iter().map(largest).max().unwrap_or(0);
    }
    let json = serde_json::to_value(&summary).map_err(|e| MessagesError::Broken(e.to_string()))?;
    run.manifest().facts.insert("messages".into(), json);
    Ok(())
}
