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
