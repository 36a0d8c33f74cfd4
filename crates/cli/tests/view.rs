//! `crosscut view` from its first line to Ctrl-C.

use crate::support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::{fails, fixture, folder, names, ok, send, socket, view};

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
    for signal in ["-INT", "-TERM", "-HUP"] {
        let (child, link) = view(folder.path(), &["a.crosscut", "b.crosscut"]);
        let status = get(&link);
        assert!(status.contains(" 200"), "the launch link is the page: {status}");
        assert!(get(link.split('?').next().unwrap()).contains(" 403"));
        assert_eq!(stop(child, signal), "");
    }
}

#[test]
fn a_foreign_file_is_imported_for_as_long_as_it_is_looked_at() {
    let folder = folder();
    for signal in ["-INT", "-TERM", "-HUP"] {
        let (child, link) = view(folder.path(), &[fixture().to_str().unwrap(), "--no-open"]);
        let there = names(&folder.path().join("tmp"));
        assert_eq!(there.len(), 1, "{there:?}");
        let mode = std::fs::metadata(folder.path().join("tmp").join(&there[0])).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "others can look into it");
        assert!(get(&link).contains(" 200"));
        let said = stop(child, signal);
        assert!(said.contains("sort_mth4.dag: imported to"), "{said}");
        assert!(names(&folder.path().join("tmp")).is_empty(), "{signal} leaves it behind");
    }
}

#[test]
fn what_a_killed_one_left_goes_when_the_next_starts() {
    let folder = folder();
    let tmp = folder.path().join("tmp");
    let fixture = fixture();
    let file = fixture.to_str().unwrap();
    let (mut killed, _) = view(folder.path(), &[file]);
    let left = names(&tmp);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(names(&tmp), left, "nobody was there to remove it");
    let (first, _) = view(folder.path(), &[file]);
    let used = names(&tmp);
    assert_eq!(used.len(), 1);
    assert_ne!(used, left);
    // What another one uses stays.
    let (second, _) = view(folder.path(), &[file]);
    assert_eq!(names(&tmp).len(), 2);
    assert!(names(&tmp).contains(&used[0]));
    stop(second, "-TERM");
    assert_eq!(names(&tmp), used);
    stop(first, "-TERM");
    assert!(names(&tmp).is_empty());
}

/// Who was started with `nohup` outlives the terminal.
#[test]
fn nohup_is_kept() {
    let folder = folder();
    ok(folder.path(), &["synth", "fib", "--size", "1000", "-o", "a.crosscut"]);
    let mut child = Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$0\" view a.crosscut", env!("CARGO_BIN_EXE_crosscut")])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut link = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut link).unwrap();
    assert!(Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap().success());
    assert!(get(link.trim()).contains(" 200"));
    stop(child, "-TERM");
}

/// With questions that take long under way, and sockets that nobody reads.
#[test]
fn busy_or_not_it_ends() {
    let folder = folder();
    ok(folder.path(), &["synth", "fib", "--size", "400k", "-o", "a.crosscut"]);
    let (mut child, link) = view(folder.path(), &["a.crosscut"]);
    let sockets: Vec<TcpStream> = (0..4).map(|_| busy_socket(&link)).collect();
    std::thread::sleep(Duration::from_millis(300)); // so that they are under way
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(begin.elapsed() < Duration::from_secs(10), "it waits for what is under way");
        std::thread::sleep(Duration::from_millis(5));
    }
    println!("ended after {} ms", begin.elapsed().as_millis());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(sockets);
}

/// A socket that has asked for predictions and reads nothing.
fn busy_socket(link: &str) -> TcpStream {
    let mut stream = socket(link);
    for (id, view) in ["tasks.whatif", "tasks.dag", "tasks.grains", "tasks.whatif"].iter().enumerate() {
        send(&mut stream, &format!(r#"{{"id":{id},"ask":"scene","look":{{"view":"{view}","run":0}}}}"#))
            .unwrap();
    }
    stream
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
