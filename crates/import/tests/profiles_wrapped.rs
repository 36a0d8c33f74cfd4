//! What a profile may be wrapped in: gzip, byte order marks, UTF-16; JSON of any depth; and what is said of what is damaged.

use crate::profile;

use crosscut_tree::NodeId;
use profile::{fixture, gzip, read, read_bytes, refused};

const FOLDED: &str = "main;solve;dot 3\nmain;lösen 1\nmain;𝄞 2\n";

#[test]
fn gzip_is_undone_whatever_is_inside() {
    for name in ["a.cali", "a.json", "perf.script", "pyspy.folded", "pyinstrument.json", "timemory.json"] {
        let (_work, plain) = read(&fixture(name));
        let packed = gzip(&std::fs::read(fixture(name)).unwrap());
        let (_work, calls) = read_bytes(&packed).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(calls.summary(), plain.summary(), "{name}");
        assert_eq!(calls.inclusive(0, NodeId::ROOT), plain.inclusive(0, NodeId::ROOT), "{name}");
        // Cut short, it is never read as if it were whole.
        assert!(refused(&packed[..packed.len() - 9]).contains("cut short"), "{name}");
    }
}

#[test]
fn texts_as_windows_writes_them() {
    let little: Vec<u8> =
        "\u{feff}".encode_utf16().chain(FOLDED.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> =
        "\u{feff}".encode_utf16().chain(FOLDED.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    let marked = [b"\xef\xbb\xbf", FOLDED.as_bytes()].concat();
    for bytes in [FOLDED.as_bytes(), &marked, &little, &big, &gzip(&little)] {
        let (_work, calls) = read_bytes(bytes).unwrap();
        assert_eq!(calls.inclusive(0, NodeId::ROOT), 6);
        let names: Vec<&str> = calls.frames().iter().map(|frame| frame.name.as_str()).collect();
        assert_eq!(names, ["main", "solve", "dot", "lösen", "𝄞"]);
    }
    assert!(refused(&little[..little.len() - 1]).contains("ends within a letter"));
}

#[test]
fn json_in_utf16_and_with_a_mark() {
    let text = r#"{"root_frame": {"function": "m\u00e4in\ud834\udd1e", "time": 1.5, "children": []}}"#;
    let wide: Vec<u8> =
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for bytes in [[b"\xef\xbb\xbf", text.as_bytes()].concat(), wide] {
        let (_work, calls) = read_bytes(&bytes).unwrap();
        assert_eq!(calls.frames()[0].name, "mäin𝄞");
        assert_eq!(calls.inclusive(0, NodeId::ROOT), 1_500_000_000);
    }
}

/// A call path has no deepest level.
#[test]
fn deep_trees_are_read() {
    let depth = 100_000;
    let frame = r#"{"function": "f", "time": 1, "children": ["#;
    let text = format!(r#"{{"root_frame": {}{}}}"#, frame.repeat(depth), "]}".repeat(depth));
    let (_work, calls) = read_bytes(text.as_bytes()).unwrap();
    assert_eq!(calls.summary().depth, depth as u64);
    assert_eq!(calls.inclusive(0, NodeId::ROOT), 1_000_000_000);
    let node =
        r#"{"node": {"hash": 1, "prefix": "f", "exclusive": {"entry": {"repr_data": 1}}}, "children": ["#;
    let text = format!(
        r#"{{"timemory": {{"wall": {{"graph": [{}{}], "unit_repr": "sec"}}}}}}"#,
        node.repeat(depth),
        "]}".repeat(depth)
    );
    let (_work, calls) = read_bytes(text.as_bytes()).unwrap();
    assert_eq!(calls.inclusive(0, NodeId::ROOT), depth as i64 * 1_000_000_000);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let cases: [(&str, &str); 9] = [
        (
            r#"{"root_frame": {"function": "f", "time": 1, "children": ["#,
            "byte 57: not JSON: the file ends in the middle",
        ),
        (r#"{"root_frame": {"function": "f" "time": 1}}"#, "byte 32: not JSON: expected a comma, not `\"`"),
        (r#"{"root_frame": {"function": "f", "time": 1.2.3}}"#, "byte 41: not JSON: `1.2.3` is neither"),
        (r#"{"root_frame": {"function": "f", "time": tru}}"#, "byte 41: not JSON: `tru` is neither"),
        (r#"{"root_frame": {"function": "f}}"#, "byte 28: not JSON: a text has no end"),
        (r#"{"root_frame": {"function": "\q"}}"#, "a backslash before `q`"),
        (r#"{"root_frame": {"function": "f", "time": 1}} {"#, "`{` follows where it should end"),
        (r#"{"root_frame": {"function": "f", "time": NaN}}"#, "byte 15: frame `f` has no `time`"),
        (r#"{"root_frame": {"function": "f", "children": [1,]}}"#, "nothing follows a comma"),
    ];
    for (text, expected) in cases {
        let what = refused(text.as_bytes());
        assert!(what.contains(expected), "{text}\n{what}\n{expected}");
    }
    let what = refused(&gzip(br#"{"root_frame": {"function": "f" "time": 1}}"#));
    assert!(what.contains("byte 32") && what.contains("bytes counted after unpacking"), "{what}");
}

/// Records side by side, with commas between them, as Caliper's `split` writes them; and in an object.
#[test]
fn forms_of_caliper_json() {
    let records = [
        r#"{"path": "main/solve", "mpi.rank": 0, "sum#time.duration": 2.5}"#,
        r#"{"path": "main", "mpi.rank": "1", "sum#time.duration": "1.5"}"#,
        r#"{"mpi.rank": 1, "sum#time.duration": 0.25}"#,
    ];
    let side_by_side = records.join(",\n");
    let array = format!("[{side_by_side}]");
    let object =
        format!(r#"{{"records": {array}, "globals": {{"cali.version": "2.9"}}, "attributes": {{}}}}"#);
    for text in [side_by_side, array, object] {
        let (_work, calls) = read_bytes(text.as_bytes()).unwrap();
        assert_eq!(calls.inclusive(0, NodeId::ROOT), 4_250, "{text}");
        assert_eq!(calls.at_places(0, 0..calls.node_count()), [2_500, 1_750]);
        assert_eq!(calls.summary().nodes, 3);
    }
}
