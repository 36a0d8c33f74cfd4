//! From a builder to the columns of a run.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, UInt8Array, UInt32Array};
use crosscut_run::{Places, RunWriter, Source, SourcesBuilder, texts};
use foldhash::HashMap;

use crate::build::{Builder, Cell, Fill, Given};
use crate::error::CallsError;
use crate::samples;
use crate::schema::{NONE, Summary};

/// Own values that are so little below zero come from rounding.
const ROUNDED: i64 = 4;

pub(crate) fn finish(
    builder: Builder,
    run: &mut RunWriter,
    fill: Option<&mut Fill<'_>>,
) -> Result<(), CallsError> {
    let mut sources = SourcesBuilder::new();
    let places = finish_beside(builder, run, &mut sources, fill)?;
    run.put_sources(&sources.finish())?;
    let list: Vec<i64> = places.iter().map(|&(rank, _)| rank).collect();
    run.put_places(&Places::of_processes(&list)?)?;
    Ok(())
}

/// All but places and sources. Gives rank and thread of each place.
pub(crate) fn finish_beside(
    mut builder: Builder,
    run: &mut RunWriter,
    sources: &mut SourcesBuilder,
    fill: Option<&mut Fill<'_>>,
) -> Result<Vec<(i64, i64)>, CallsError> {
    if builder.metrics.is_empty() {
        return Err(CallsError::Broken("it has no metric".to_owned()));
    }
    builder.add_up();
    if builder.places.is_empty() {
        builder.place(0, 0);
    }
    let places = sort_places(&mut builder);
    check_room(run, &builder)?;
    let order = Order::new(&builder.parent);
    put_tree(run, &builder, &order)?;
    put_frames(run, &builder, sources)?;
    put_places(run, &builder, &places)?;
    let used = match fill {
        Some(fill) => put_filled(run, &builder, &order, fill)?,
        None => put_values(run, &mut builder, &order)?,
    };
    samples::put(run, &mut builder.samples, builder.metrics.len(), places.len(), &order.at)?;
    let summary = Summary {
        format: builder.format,
        nodes: builder.parent.len() as u64 - 1,
        frames: builder.frames.len() as u64,
        places: places.len() as u64,
        used_places: used,
        depth: order.depth,
        metrics: builder.metrics.into_iter().map(|(metric, _)| metric).collect(),
        notes: builder.notes,
    };
    let facts = serde_json::to_value(summary).map_err(|error| CallsError::Broken(error.to_string()))?;
    run.manifest().facts.insert("calls".to_owned(), facts);
    Ok(places)
}

/// Values are kept for each node at each place: a small file with many of both must not fill the disk.
pub(crate) fn check_room(run: &RunWriter, builder: &Builder) -> Result<(), CallsError> {
    let [nodes, places, metrics] = [builder.parent.len(), builder.places.len(), builder.metrics.len()];
    let Some(room) = run.room() else { return Ok(()) };
    let bytes =
        [nodes, places, metrics].iter().fold(8u128, |bytes, &count| bytes.saturating_mul(count as u128));
    match bytes > u128::from(room) {
        true => Err(CallsError::Broken(format!(
            "{nodes} nodes at {places} places with {metrics} metrics take {bytes} bytes of disk, more than the {room} that \
             files of this size may take"
        ))),
        false => Ok(()),
    }
}

/// Places by rank and thread, whatever order they came in.
fn sort_places(builder: &mut Builder) -> Vec<(i64, i64)> {
    let mut by_rank: Vec<u32> = (0..builder.places.len() as u32).collect();
    by_rank.sort_by_key(|&place| builder.places[place as usize]);
    let mut number = vec![0; by_rank.len()];
    for (new, &old) in by_rank.iter().enumerate() {
        number[old as usize] = new as u32;
    }
    for cell in &mut builder.cells {
        cell.place = number[cell.place as usize];
    }
    for sample in &mut builder.samples {
        sample.place = number[sample.place as usize];
    }
    builder.cells.sort_unstable();
    by_rank.iter().map(|&place| builder.places[place as usize]).collect()
}

/// Where each node stands in pre-order: children in the order in which they were made.
struct Order {
    at: Vec<u32>,
    len: Vec<u32>,
    depth: u64,
}

impl Order {
    fn new(parent: &[u32]) -> Self {
        let n = parent.len();
        let mut len = vec![1u32; n];
        for node in (1..n).rev() {
            len[parent[node] as usize] += len[node];
        }
        let (mut at, mut next, mut level) = (vec![0u32; n], vec![1u32; n], vec![0u32; n]);
        for node in 1..n {
            let above = parent[node] as usize;
            at[node] = next[above];
            next[above] += len[node];
            next[node] = at[node] + 1;
            level[node] = level[above] + 1;
        }
        Order { at, len, depth: u64::from(level.into_iter().max().unwrap_or(0)) }
    }
}

fn put_tree(run: &mut RunWriter, builder: &Builder, order: &Order) -> Result<(), CallsError> {
    let n = builder.parent.len();
    let mut len = run.column::<u32>("calls/len", n)?;
    let mut parent = run.column::<u32>("calls/parent", n)?;
    let mut frame = run.column::<u32>("calls/frame", n)?;
    for node in 0..n {
        let at = order.at[node] as usize;
        len[at] = order.len[node];
        parent[at] = order.at[builder.parent[node] as usize];
        frame[at] = builder.frame[node];
    }
    run.put(len)?;
    run.put(parent)?;
    run.put(frame)?;
    Ok(())
}

/// The frames, and the source positions that they name.
fn put_frames(
    run: &mut RunWriter,
    builder: &Builder,
    sources: &mut SourcesBuilder,
) -> Result<(), CallsError> {
    let source = builder.frames.iter().map(|frame| match frame.file.is_empty() {
        true => NONE,
        false => sources.source(Source {
            file: frame.file.clone(),
            line: frame.line,
            function: frame.name.clone(),
        }),
    });
    let source = UInt32Array::from_iter_values(source);
    let frames = &builder.frames;
    let text = |of: fn(&crate::Frame) -> &str| texts::column(frames.iter().map(of));
    let kind = UInt8Array::from_iter_values(frames.iter().map(|frame| frame.kind as u8));
    let table = RecordBatch::try_from_iter([
        ("kind", Arc::new(kind) as ArrayRef),
        ("name", text(|frame| &frame.name)?),
        ("module", text(|frame| &frame.module)?),
        ("source", Arc::new(source) as ArrayRef),
    ])
    .map_err(|error| CallsError::Broken(error.to_string()))?;
    run.put_table("calls/frames", &table)?;
    Ok(())
}

/// Numbers and names of threads, where there is more to say than that they are the first, second and so on of their rank.
fn put_places(run: &mut RunWriter, builder: &Builder, places: &[(i64, i64)]) -> Result<(), CallsError> {
    let mut before = (-1, -1);
    let is_plain = |&(rank, thread): &(i64, i64)| {
        before = if before.0 == rank { (rank, before.1 + 1) } else { (rank, 0) };
        thread == before.1
    };
    if builder.place_names.is_empty() && places.iter().all(is_plain) {
        return Ok(());
    }
    let names: HashMap<(i64, i64), &str> = builder
        .place_names
        .iter()
        .map(|(&place, name)| (builder.places[place as usize], name.as_str()))
        .collect();
    let threads = Int64Array::from_iter_values(places.iter().map(|&(_, thread)| thread));
    let names: StringArray = places.iter().map(|place| names.get(place).copied()).collect();
    let table = RecordBatch::try_from_iter([
        ("thread", Arc::new(threads) as ArrayRef),
        ("name", Arc::new(names) as ArrayRef),
    ])
    .map_err(|error| CallsError::Broken(error.to_string()))?;
    run.put_table("calls/places", &table)?;
    Ok(())
}

/// Own values by place, and running sums for all places. Says how many places have any.
fn put_values(run: &mut RunWriter, builder: &mut Builder, order: &Order) -> Result<u64, CallsError> {
    let (n, places) = (builder.parent.len(), builder.places.len());
    let mut used = vec![false; places];
    let cells = std::mem::take(&mut builder.cells);
    for (number, (metric, given)) in builder.metrics.iter_mut().enumerate() {
        let from = cells.partition_point(|cell| cell.metric < number as u32);
        let to = cells.partition_point(|cell| cell.metric <= number as u32);
        let mut values = run.by_place::<i64>(&format!("calls/own-{number}"), n, places)?;
        let mut sums = run.column::<i64>(&format!("calls/sum-{number}"), n + 1)?;
        for of_place in cells[from..to].chunk_by(|a, b| a.place == b.place) {
            let Some(place) = of_place.first().map(|cell| cell.place) else { continue };
            used[place as usize] = true;
            let own = match given {
                Given::Own => own(of_place, n),
                Given::Inclusive => own_of_inclusive(of_place, &builder.parent),
            };
            metric.negative += own.iter().filter(|&&value| value < -ROUNDED).count() as u64;
            put_place(&own, order, values.place_mut(place), &mut sums)?;
        }
        running(&mut sums)?;
        if metric.negative > 0 {
            builder.notes.push(format!(
                "{}: {} values of nodes are below zero: the file has more inside them than in them",
                metric.name, metric.negative
            ));
        }
        run.put_by_place(values)?;
        run.put(sums)?;
    }
    Ok(used.iter().filter(|&&used| used).count() as u64)
}

/// A total that is not the sum of its parts would be wrong in silence.
fn too_large() -> CallsError {
    CallsError::Broken("its values are too large to be added up".to_owned())
}

/// Values that are made place by place. Says how many places have any.
fn put_filled(
    run: &mut RunWriter,
    builder: &Builder,
    order: &Order,
    fill: &mut Fill<'_>,
) -> Result<u64, CallsError> {
    let (n, places) = (builder.parent.len(), builder.places.len());
    let mut used = vec![false; places];
    let mut own = vec![0i64; n];
    for number in 0..builder.metrics.len() {
        let mut values = run.by_place::<i64>(&format!("calls/own-{number}"), n, places)?;
        let mut sums = run.column::<i64>(&format!("calls/sum-{number}"), n + 1)?;
        for (place, used) in used.iter_mut().enumerate() {
            own.fill(0);
            fill(number, place as u32, &mut own);
            *used |= own.iter().any(|&value| value != 0);
            put_place(&own, order, values.place_mut(place as u32), &mut sums)?;
        }
        running(&mut sums)?;
        run.put_by_place(values)?;
        run.put(sums)?;
    }
    Ok(used.iter().filter(|&&used| used).count() as u64)
}

/// The values of one place, in the order of the tree, and added to what all places have.
fn put_place(own: &[i64], order: &Order, slots: &mut [i64], sums: &mut [i64]) -> Result<(), CallsError> {
    for (&value, &at) in own.iter().zip(&order.at) {
        let at = at as usize;
        slots[at] = value;
        sums[at + 1] = sums[at + 1].checked_add(value).ok_or_else(too_large)?;
    }
    Ok(())
}

/// Values become running sums.
fn running(sums: &mut [i64]) -> Result<(), CallsError> {
    for at in 1..sums.len() {
        sums[at] = sums[at].checked_add(sums[at - 1]).ok_or_else(too_large)?;
    }
    Ok(())
}

fn own(cells: &[Cell], n: usize) -> Vec<i64> {
    let mut own = vec![0; n];
    for cell in cells {
        own[cell.node as usize] = cell.value;
    }
    own
}

/// What is left of a node when all that it called is taken away. A node of which the file says nothing has nothing of its own.
fn own_of_inclusive(cells: &[Cell], parent: &[u32]) -> Vec<i64> {
    let n = parent.len();
    let mut inclusive: Vec<Option<i64>> = vec![None; n];
    for cell in cells {
        inclusive[cell.node as usize] = Some(cell.value);
    }
    let (mut inside, mut own) = (vec![0i64; n], vec![0i64; n]);
    for node in (0..n).rev() {
        let whole = inclusive[node].unwrap_or(inside[node]);
        own[node] = whole.saturating_sub(inside[node]);
        if node > 0 {
            let above = &mut inside[parent[node] as usize];
            *above = above.saturating_add(whole);
        }
    }
    own
}
