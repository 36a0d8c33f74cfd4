//! Files as other versions and other options of known tools write them: totals that are known by construction.

mod profile;

use std::sync::Arc;

use crosscut_calls::{Calls, Unit};
use crosscut_import::{ImportError, Options, Quiet, import};
use crosscut_tree::NodeId;
use profile::{check, children, fixture, gzip, named, read_bytes, read_text, refused, top};

/// Name, unit and total of each metric.
fn totals(calls: &Calls) -> Vec<(&str, Unit, i64)> {
    let metrics = calls.summary().metrics.iter().enumerate();
    metrics.map(|(at, metric)| (&*metric.name, metric.unit, calls.inclusive(at, NodeId::ROOT))).collect()
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Go begins with the time (9), or with the type (11) and the length (12) of a period; texts come last.
#[test]
fn profiles_of_go_are_known_by_their_fields() {
    let number = |field: u64, value: u64| {
        let mut bytes = Vec::new();
        varint(field << 3, &mut bytes);
        varint(value, &mut bytes);
        bytes
    };
    let content = |field: u64, content: &[u8]| {
        let mut bytes = Vec::new();
        varint(field << 3 | 2, &mut bytes);
        varint(content.len() as u64, &mut bytes);
        [&bytes, content].concat()
    };
    let types = [content(1, &[8, 1, 16, 2]), content(1, &[8, 3, 16, 4])].concat();
    let period = [content(11, &[8, 3, 16, 4]), number(12, 10_000_000)].concat();
    let time = [number(9, 1_700_000_000_123_456_789), types.clone(), number(10, 5), period.clone()].concat();
    let heap = [period, types, number(14, 3)].concat();
    let mut rest = content(4, &[8, 1, 34, 2, 8, 1]);
    rest.extend(content(5, &[8, 1, 16, 5, 24, 5]));
    rest.extend(content(2, &[10, 1, 1, 18, 5, 2, 0x80, 0xda, 0xc4, 9]));
    for text in ["", "samples", "count", "cpu", "nanoseconds", "main.main"] {
        rest.extend(content(6, text.as_bytes()));
    }
    for begin in [time, heap] {
        let bytes = [begin, rest.clone()].concat();
        for bytes in [gzip(&bytes), bytes] {
            let (_work, calls) = read_bytes(&bytes).unwrap();
            assert_eq!(totals(&calls), [("cpu", Unit::Ns, 20_000_000), ("samples", Unit::Count, 2)]);
            assert_eq!(top(&calls, 1), named(&[("main.main", 20_000_000)]));
        }
    }
    // Texts and numbers that could be fields, and never say what samples are.
    for other in [&b"H\x01P\x02"[..], b"Zebra", b"`a`b`c`d", &[0x48, 1].repeat(9000)] {
        assert!(refused(other).contains("unknown content"), "{other:?}");
    }
}

/// Words of eight bytes.
fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// What perf writes into a pipe, with one record behind the other: kind and content.
fn perf_pipe(records: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = [b"PERFILE2".to_vec(), words(&[16])].concat();
    for (kind, body) in records {
        bytes.extend(kind.to_le_bytes());
        bytes.extend(2u16.to_le_bytes());
        bytes.extend((8 + body.len() as u16).to_le_bytes());
        bytes.extend(body);
    }
    bytes
}

/// `-e '{cpu-clock,task-clock}:S'`: the first is sampled, and both are read. Each sample stands for what was counted since the
/// sample before it, by number.
#[test]
fn counters_of_a_group_are_read() {
    const IP_TID_READ_PERIOD_IDENTIFIER: u64 = 1 | 1 << 1 | 1 << 4 | 1 << 8 | 1 << 16;
    let attr = |config: u64, flags: u64, ids: &[u64]| {
        let (id, group) = (1 << 2, 1 << 3);
        let about =
            words(&[1 | 64 << 32, config, 1000, IP_TID_READ_PERIOD_IDENTIFIER, id | group, flags, 0, 0]);
        (64, [about, words(ids)].concat())
    };
    let sample = |code: u64, tid: u64, counters: [(u64, u64); 2]| {
        let [(a, first), (b, second)] = counters;
        (9, words(&[a, code, 7 | tid << 32, 1000, 2, first, a, second, b]))
    };
    let records = [
        sample(0x10, 7, [(1, 900), (3, 1000)]),
        sample(0x10, 7, [(1, 1900), (3, 1990)]),
        // Another processor has its own.
        sample(0x20, 7, [(2, 400), (4, 410)]),
        sample(0x20, 8, [(1, 2000), (3, 1995)]),
    ];
    let read = |flags: u64| {
        let attrs = [attr(0, flags, &[1, 2]), attr(1, flags, &[3, 4])];
        read_bytes(&perf_pipe(&[&attrs[..], &records].concat())).unwrap()
    };
    let (_work, calls) = read(0);
    assert_eq!(totals(&calls), [("cpu-clock", Unit::Ns, 2400), ("task-clock", Unit::Ns, 2405)]);
    assert_eq!(top(&calls, 2), named(&[("0x10", 1900), ("0x20", 500)]));
    // Threads that are made later count for themselves, under the same numbers.
    let (_work, calls) = read(1 << 1);
    assert_eq!(totals(&calls), [("cpu-clock", Unit::Ns, 4300), ("task-clock", Unit::Ns, 4395)]);
}
