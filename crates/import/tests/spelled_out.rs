//! Small files that store something once and name it often, or say that there is much of everything: they are refused before they
//! fill memory or disk.

use crate::profile;

use std::fs;
use std::io::Write;

use crosscut_import::{Options, Quiet, import};
use profile::{fixture, refused};

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A field of a message of pprof.
fn field(number: u64, content: &[u8], out: &mut Vec<u8>) {
    varint(number << 3 | 2, out);
    varint(content.len() as u64, out);
    out.extend_from_slice(content);
}

#[test]
fn a_location_of_many_lines_on_many_levels() {
    let profile = |lines: usize, levels: usize| {
        let mut bytes = Vec::new();
        field(1, &[8, 1, 16, 2], &mut bytes);
        field(
            2,
            &[&[10, 0x80 | (levels & 0x7f) as u8, (levels >> 7) as u8][..], &vec![1; levels], &[16, 1]]
                .concat(),
            &mut bytes,
        );
        field(4, &[&[8, 1][..], &[34, 2, 8, 1].repeat(lines)].concat(), &mut bytes);
        field(5, &[8, 1, 16, 3], &mut bytes);
        for text in ["", "samples", "count", "f"] {
            field(6, text.as_bytes(), &mut bytes);
        }
        bytes
    };
    let (_work, calls) = profile::read_bytes(&profile(10, 200)).unwrap();
    assert_eq!(calls.summary().nodes, 2000);
    // A hundred million nodes in 50 kB.
    let bytes = profile(10_000, 10_000);
    assert!(bytes.len() < 60_000);
    assert!(refused(&bytes).contains("more nodes than a file of its size can have"));
}

#[test]
fn callers_that_all_functions_share() {
    let text = |text: &str| [&[b'z', text.len() as u8][..], text.as_bytes()].concat();
    let function =
        |line: u32| [&[b')', 3][..], &text("a.py"), b"i", &line.to_le_bytes(), &text("f")].concat();
    let whole = |number: u32| [&[b'i'][..], &number.to_le_bytes()].concat();
    let real = |number: f64| [&[b'g'][..], &number.to_le_bytes()].concat();
    let profile = |functions: u32| {
        let mut bytes = b"{".to_vec();
        for line in 0..functions {
            bytes.extend(function(line));
            bytes.extend([&[b')', 5][..], &whole(1), &whole(1), &real(1.0), &real(1.0)].concat());
            match line {
                0 => {
                    bytes.push(b'{' | 0x80);
                    (0..functions).for_each(|line| bytes.extend([function(line), whole(1)].concat()));
                    bytes.push(b'0');
                }
                // The one that was kept.
                _ => bytes.extend([b'r', 0, 0, 0, 0]),
            }
        }
        bytes.push(b'0');
        bytes
    };
    profile::read_bytes(&profile(20)).unwrap();
    let bytes = profile(3000);
    assert!(bytes.len() < 300_000);
    assert!(refused(&bytes).contains("more calls than a file of its size can have"));
}

/// Numbers in the files of HPCToolkit.
fn number(bytes: &[u8], at: usize, len: usize) -> usize {
    bytes[at..at + len].iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte))
}

#[test]
fn threads_that_share_their_values() {
    let work = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(fixture("hpctoolkit4")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, work.path().join(path.file_name().unwrap())).unwrap();
    }
    let path = work.path().join("profile.db");
    let mut bytes = fs::read(&path).unwrap();
    let end = bytes.split_off(bytes.len() - 8);
    let list = number(&bytes, 0x18, 8);
    let (entries, count, size) =
        (number(&bytes, list, 8), number(&bytes, list + 8, 4), number(&bytes, list + 12, 1));
    // One thread, five hundred times, each time with a name of its own.
    let named =
        (0..count).map(|number| entries + number * size).filter(|&at| number(&bytes, at + 0x20, 8) != 0);
    let most = named.max_by_key(|&at| number(&bytes, at, 8)).unwrap();
    let tuple = number(&bytes, most + 0x20, 8);
    let tuple = bytes[tuple..tuple + 8 + 16 * number(&bytes, tuple, 2)].to_vec();
    let mut entry = bytes[most..most + size].to_vec();
    let (values, index) = (number(&entry, 8, 8), number(&entry, 24, 8));
    let (value, first) = (bytes[values..values + 10].to_vec(), bytes[index..index + 12].to_vec());
    // A thousand of its values, all of one context.
    entry[..8].copy_from_slice(&1000u64.to_le_bytes());
    entry[8..16].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    bytes.extend(value.repeat(1000));
    entry[16..20].copy_from_slice(&1u32.to_le_bytes());
    entry[24..32].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    bytes.extend(first);
    let mut again = Vec::new();
    for number in 0..500u32 {
        let (at, mut tuple, mut entry) = (bytes.len() as u64, tuple.clone(), entry.clone());
        for part in tuple[8..].chunks_mut(16) {
            part[4..8].copy_from_slice(&(1000 + number).to_le_bytes());
        }
        bytes.extend(&tuple);
        entry[0x20..0x28].copy_from_slice(&at.to_le_bytes());
        again.extend(entry);
    }
    let at = bytes.len() as u64;
    bytes[list..list + 8].copy_from_slice(&at.to_le_bytes());
    bytes[list + 8..list + 12].copy_from_slice(&500u32.to_le_bytes());
    bytes.extend(again);
    bytes.extend(end);
    fs::write(&path, bytes).unwrap();
    let error =
        import(work.path(), &work.path().join("out.crosscut"), &Options::default(), &Quiet).unwrap_err();
    assert!(error.to_string().contains("profiles that share their values"), "{error}");
}

/// An archive of some files.
fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, bytes) in files {
        let mut header = [0u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
        header[156] = b'0';
        archive.extend(header);
        archive.extend_from_slice(bytes);
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.extend([0; 1024]);
    archive
}

fn said_of_anchor(document: &str) -> String {
    refused(&archive(&[("anchor.xml", document.as_bytes())]))
}

#[test]
fn metrics_of_one_number_and_texts_without_end() {
    let metric = "<metric id=\"7\" type=\"EXCLUSIVE\"><uniq_name>time</uniq_name></metric>";
    let said = said_of_anchor(&format!("<cube><metrics>{metric}{metric}</metrics></cube>"));
    assert!(said.contains("a second metric 7"), "{said}");
    let long = "a".repeat(17 << 20);
    for document in [
        format!("<cube>{long}</cube>"),
        format!("<cube a=\"{long}\"/>"),
        format!("<cube><!--{long}--></cube>"),
    ] {
        let said = said_of_anchor(&document);
        assert!(said.contains("a tag or a text of more than 16777216 bytes"), "{said}");
    }
}

/// A document with some call paths and threads, and a metric of this kind.
fn anchor(paths: usize, threads: usize, kind: &str) -> String {
    let mut document = format!(
        "<cube><metrics><metric id=\"0\" type=\"{kind}\"><uniq_name>visits</uniq_name><dtype>UINT64</dtype>\
         <uom>occ</uom></metric></metrics><program><region id=\"0\"><name>f</name></region>"
    );
    (0..paths).for_each(|_| document += "<cnode calleeId=\"0\"/>");
    document += "</program><system>";
    (0..threads).for_each(|id| document += &format!("<location Id=\"{id}\"><rank>{id}</rank></location>"));
    document + "</system></cube>"
}

/// A list of all call paths, and rows of which these are packed.
fn rows(paths: usize, threads: usize, packed: &[Vec<u8>]) -> (Vec<u8>, Vec<u8>) {
    let mut index =
        [&b"CUBEX.INDEX"[..], &1u32.to_le_bytes(), &[0, 0, 1], &(paths as u32).to_le_bytes()].concat();
    (0..paths as u32).for_each(|path| index.extend(path.to_le_bytes()));
    let mut data = [&b"ZCUBEX.DATA"[..], &(packed.len() as u64).to_le_bytes()].concat();
    for (row, bytes) in packed.iter().enumerate() {
        [row * threads * 8, 0, bytes.len()].iter().for_each(|&word| data.extend((word as u64).to_le_bytes()));
    }
    packed.iter().for_each(|bytes| data.extend(bytes));
    (index, data)
}

fn cube(paths: usize, threads: usize, kind: &str, packed: &[Vec<u8>]) -> Vec<u8> {
    let (index, data) = rows(paths, threads, packed);
    let anchor = anchor(paths, threads, kind);
    archive(&[("anchor.xml", anchor.as_bytes()), ("0.index", &index), ("0.data", &data)])
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Rows of Cube that are not stored are zero, and take four bytes each, whatever the number of threads.
#[test]
fn rows_of_zeros_times_threads() {
    for kind in ["EXCLUSIVE", "INCLUSIVE"] {
        let mut row = vec![0; 24];
        row[8] = 7;
        let (_work, calls) = profile::read_bytes(&cube(5, 3, kind, &[zlib(&row)])).unwrap();
        profile::check(&calls, 5, 3, 7);
        // Ten thousand million values in ten megabytes: known before any is looked at.
        let bytes = cube(100_000, 100_000, kind, &[]);
        assert!(bytes.len() < 10 << 20, "{}", bytes.len());
        let said = refused(&bytes);
        assert!(said.contains("100001 nodes at 100000 places") && said.contains("bytes of disk"), "{said}");
    }
}

#[test]
fn packed_rows_of_equal_values() {
    let (paths, threads) = (6000, 10_000);
    let row = zlib(&vec![0; 8 * threads]);
    let bytes = cube(paths, threads, "EXCLUSIVE", &vec![row; paths]);
    assert!(bytes.len() < 2 << 20, "{}", bytes.len());
    let said = refused(&bytes);
    assert!(said.contains("packed bytes become more than"), "{said}");
}

/// Records of perf that are packed by zstd, of which some kilobytes stand for gigabytes.
#[test]
fn packed_records_of_perf() {
    let record = |kind: u32, body: &[u8]| {
        [&kind.to_le_bytes()[..], &[0, 0], &(8 + body.len() as u16).to_le_bytes(), body].concat()
    };
    let packed = |pieces: usize| {
        // Ends of rounds, which say nothing.
        let piece = record(68, &[0; 65_520]);
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        (0..pieces).for_each(|_| encoder.write_all(&piece).unwrap());
        let packed = encoder.finish().unwrap();
        let mut bytes = [&b"PERFILE2"[..], &16u64.to_le_bytes()].concat();
        packed.chunks(60_000).for_each(|part| bytes.extend(record(81, part)));
        bytes
    };
    let said = refused(&packed(100));
    assert!(said.contains("it does not say what was measured"), "{said}");
    let bytes = packed(6000);
    assert!(bytes.len() < 1 << 20, "{}", bytes.len());
    let said = refused(&bytes);
    assert!(said.contains("packed bytes become more than"), "{said}");
}

#[test]
fn many_threads_times_many_call_paths() {
    let profile = |stack: &str| {
        format!(
            "{{\"type\":\"sampled\",\"name\":\"t\",\"unit\":\"none\",\"startValue\":0,\"endValue\":1,\
             \"samples\":[[{stack}]],\"weights\":[1]}}"
        )
    };
    let text = |threads: usize, levels: usize| {
        let deep = vec!["0"; levels].join(",");
        let threads = vec![profile("0"); threads].join(",");
        format!(
            "{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{{\"frames\":\
             [{{\"name\":\"f\"}}]}},\"profiles\":[{},{threads}]}}",
            profile(&deep)
        )
    };
    let (_work, calls) = profile::read_text(&text(3, 5)).unwrap();
    assert_eq!((calls.summary().nodes, calls.summary().places), (5, 4));
    // More than a gigabyte of zeros in less than a megabyte.
    let text = text(9400, 15_000);
    assert!(text.len() < 1 << 20, "{}", text.len());
    let said = refused(text.as_bytes());
    assert!(said.contains("15001 nodes at 9401 places") && said.contains("bytes of disk"), "{said}");
}

#[test]
fn times_that_cannot_be_subtracted() {
    let event = |phase: &str, ts: f64| {
        format!("{{\"ph\":\"{phase}\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":{ts:?},\"dur\":3.9e15}}")
    };
    let text = format!("{{\"traceEvents\":[{},{}]}}", event("B", -3.9e15), event("X", 3.9e15));
    assert!(refused(text.as_bytes()).contains("microseconds"));
}
