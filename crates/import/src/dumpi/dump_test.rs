//! Every field of every record of the sample traces, compared with the tracer's own text dump.

use std::collections::BTreeMap;

use super::decode::{Decoded, Time, Value};
use super::file::{About, Ended, walk};
use super::records::Record;
use crate::inputs::Inputs;
use crate::{Input, Quiet};

#[path = "../../tests/traces/mod.rs"]
mod traces;

/// A record as text: its function, its times and thread, its fields by name.
#[derive(Debug, Default, PartialEq)]
struct Text {
    function: String,
    wall: [String; 2],
    cpu: [String; 2],
    thread: String,
    fields: BTreeMap<String, String>,
}

/// Reads the dump: by file, its records.
fn dumped(text: &str) -> BTreeMap<String, Vec<Text>> {
    let mut files = BTreeMap::new();
    let (mut name, mut open) = (String::new(), Text::default());
    for line in text.lines() {
        if let Some(file) = line.strip_prefix("### ") {
            name = file.to_owned();
            files.insert(name.clone(), Vec::new());
        } else if let Some((function, rest)) = line.split_once(" entering at walltime ") {
            let (wall, cpu, thread) = times(rest);
            open = Text { function: function.to_owned(), thread, ..Text::default() };
            (open.wall[0], open.cpu[0]) = (wall, cpu);
        } else if let Some((function, rest)) = line.split_once(" returning at walltime ") {
            assert_eq!(function, open.function);
            (open.wall[1], open.cpu[1], _) = times(rest);
            files.get_mut(&name).unwrap().push(std::mem::take(&mut open));
        } else {
            let (field, value) = line.split_once('=').unwrap();
            let (_, field) = field.split_once(' ').unwrap();
            // The number of elements is that of the list; a name stands behind a handle.
            let field = field.split('[').next().unwrap().replace('.', "_");
            let value = value.split(" (").next().unwrap().to_owned();
            assert!(open.fields.insert(field, value).is_none(), "{line}");
        }
    }
    files
}

fn times(rest: &str) -> (String, String, String) {
    let (wall, rest) = rest.split_once(", cputime ").unwrap();
    let (cpu, rest) = rest.split_once(" seconds in thread ").unwrap();
    (wall.to_owned(), cpu.to_owned(), rest.trim_end_matches('.').to_owned())
}

fn decoded(record: &Record, decoded: &Decoded, wall: i32, cpu: i32) -> Text {
    let time = |time: Time, offset: i32| format!("{}.{:09}", i32::from(time.sec) + offset, time.nsec);
    let fields = record.fields.iter().enumerate().map(|(number, field)| {
        (field.name.to_owned(), shown(field.name, decoded.field(number), number, decoded))
    });
    Text {
        function: record.name.to_owned(),
        wall: decoded.wall.map(|t| time(t, wall)),
        cpu: decoded.cpu.map(|t| time(t, cpu)),
        thread: decoded.thread.to_string(),
        fields: fields.collect(),
    }
}

/// A value as the dump prints it.
fn shown(name: &str, value: Value, number: usize, decoded: &Decoded) -> String {
    let list = |parts: Vec<String>| format!("[{}]", parts.join(", "));
    match value {
        // The dump prints requests as a list of one.
        Value::Int(value) if name == "request" => format!("[{value}]"),
        Value::Int(value) => value.to_string(),
        Value::Ints(..) => list(decoded.ints(number).iter().map(i32::to_string).collect()),
        Value::Texts(..) => {
            let quoted = |text: &Vec<u8>| format!("\"{}\"", String::from_utf8_lossy(text));
            list(decoded.texts(number).iter().map(quoted).collect())
        }
        Value::Statuses(..) if decoded.statuses(number).is_empty() => "<IGNORED>".to_owned(),
        Value::Statuses(..) => {
            let status = |s: &super::decode::Status| {
                let (bytes, source, tag) = (s.bytes, s.source, s.tag);
                format!(
                    "{{bytes={bytes}, cancelled={}, source={source}, tag={tag}, error={}}}",
                    s.cancelled, s.error
                )
            };
            list(decoded.statuses(number).iter().map(status).collect())
        }
        // The dump has a value for what only the root has.
        Value::Absent => match name {
            "recvcounts" | "sendcounts" | "displs" => "<IGNORED>".to_owned(),
            _ => "0".to_owned(),
        },
    }
}

#[test]
fn every_field_of_every_record_is_that_of_the_text_dump() {
    for name in traces::present("dumpi", &traces::DUMPI) {
        let dump = dumped(&traces::text(&traces::path("dumpi", &format!("{name}.ascii.gz")).unwrap()));
        let folder = traces::unpacked("dumpi", name);
        let path = folder.path();
        let paths = [path];
        let inputs = Inputs::find(&paths, &Quiet).unwrap();
        let (mut files, mut records) = (0, 0);
        for file in inputs.files().iter().filter(|file| file.path.extension().is_some_and(|e| e == "bin")) {
            let input = Input::open(&file.path, &inputs).unwrap();
            let about = About::read(&input).unwrap();
            let expected = &dump[input.name()];
            let mut number = 0;
            let ended = walk(&input, &about, about.version.unwrap(), |record, one, offsets, at| {
                let found = decoded(record, one, offsets.wall, offsets.cpu);
                let expected = &expected[number];
                // Of a Gatherv, the dump calls the type of what only the root receives an error on the others.
                let mut found = found;
                if record.name == "MPI_Gatherv" && one.int(0) != one.int(4) {
                    found.fields.insert("recvtype".into(), "0".into());
                }
                assert_eq!(&found, expected, "{name}: {} at byte {at}, record {number}", input.name());
                number += 1;
                Ok(())
            });
            assert_eq!(ended.unwrap(), Ended::Whole);
            assert_eq!(number, expected.len(), "{name}: {}", input.name());
            (files, records) = (files + 1, records + number);
        }
        assert_eq!(files, dump.len(), "{name}");
        println!("{name}: {records} records in {files} files");
    }
}
