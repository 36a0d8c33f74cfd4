//! `crosscut view` from its first line to Ctrl-C.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use support::{fails, fixture, folder, names, ok};

/// Starts it with temporary files in `folder/tmp`; gives the link.
fn view(folder: &Path, args: &[&str]) -> (Child, String) {
    std::fs::create_dir_all(folder.join("tmp")).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_crosscut"))
        .current_dir(folder)
        .env("TMPDIR", folder.join("tmp"))
        .arg("view")
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut link = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut link).unwrap();
    assert!(link.starts_with("http://127.0.0.1:") && link.contains("/?token="), "{link:?}");
    (child, link.trim().to_owned())
}

/// The first line of the answer to a GET.
fn get(link: &str) -> String {
    let rest = link.strip_prefix("http://").unwrap();
    let (address, path) = rest.split_once('/').unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.lines().next().unwrap_or_default().to_owned()
}

/// Sends the signal and expects a clean end; gives what was said on standard error.
fn stop(mut child: Child, signal: &str) -> String {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    let mut rest = String::new();
    child.stdout.take().unwrap().read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "more than one line on standard output");
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{errors}");
    errors
}

#[test]
fn a_run_is_served_until_ctrl_c() {
    let folder = folder();
    ok(folder.path(), &["synth", "fib", "--size", "1000", "-o", "a.crosscut"]);
    ok(folder.path(), &["synth", "wide", "--size", "1000", "-o", "b.crosscut"]);
    for signal in ["-INT", "-TERM"] {
        let (child, link) = view(folder.path(), &["a.crosscut", "b.crosscut"]);
        let status = get(&link);
        assert!(status.contains(" 30"), "the launch link redirects: {status}");
        assert!(get(link.split('?').next().unwrap()).contains(" 403"));
        assert_eq!(stop(child, signal), "");
    }
}

#[test]
fn a_foreign_file_is_imported_for_as_long_as_it_is_looked_at() {
    let folder = folder();
    let (child, link) = view(folder.path(), &[fixture().to_str().unwrap(), "--no-open"]);
    assert_eq!(names(&folder.path().join("tmp")).len(), 1);
    assert!(get(&link).contains(" 30"));
    let said = stop(child, "-INT");
    assert!(said.contains("sort_mth4.dag: imported to"), "{said}");
    assert!(names(&folder.path().join("tmp")).is_empty());
}

const LOOP: &str = "<graphml><graph edgedefault=\"directed\">\
    <node id=\"s\"><data key=\"v_kind\">start</data></node><node id=\"f\"><data key=\"v_kind\">fork</data></node>\
    <node id=\"c\"><data key=\"v_kind\">chunk</data><data key=\"v_work\">9</data>\
    <data key=\"v_chunk_first\">0</data><data key=\"v_chunk_count\">9</data></node>\
    <node id=\"j\"><data key=\"v_kind\">join</data></node><node id=\"e\"><data key=\"v_kind\">end</data></node>\
    <edge source=\"s\" target=\"f\"/><edge source=\"f\" target=\"c\"/><edge source=\"c\" target=\"j\"/>\
    <edge source=\"j\" target=\"e\"/></graph></graphml>";

#[test]
fn what_cannot_be_viewed() {
    let folder = folder();
    ok(folder.path(), &["synth", "fib", "--size", "1000", "-o", "a.crosscut"]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    std::fs::write(folder.path().join("text"), "text").unwrap();
    // A loop alone and a program of tasks have nothing in common.
    std::fs::write(folder.path().join("loop.graphml"), LOOP).unwrap();
    ok(folder.path(), &["import", "loop.graphml", "-o", "loop.crosscut"]);
    ok(folder.path(), &["import", fixture().to_str().unwrap(), "-o", "ticks.crosscut"]);
    for (args, says) in [
        (
            &["view", "ticks.crosscut", "--baseline", "loop.crosscut"][..],
            "not a single grain has a counterpart",
        ),
        (&["view", "a.crosscut", "--port", "-1"], "--port"),
        (&["view"], "RUN"),
        (&["view", "missing"], "missing: not a Crosscut run"),
        (&["view", "text"], "text: unknown content"),
        (&["view", "a.crosscut", "--port", "99999"], "--port"),
        (&["view", "a.crosscut", "--port", &port], "could not listen on"),
    ] {
        let error = fails(folder.path(), args);
        assert!(error.contains(says), "{args:?}: {error}");
    }
}
