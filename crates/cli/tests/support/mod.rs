//! The built command and a folder to use it in.
#![allow(dead_code)] // not every test file uses all of it

pub mod grain;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// Runs it.
pub fn crosscut(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crosscut")).current_dir(folder).args(args).output().unwrap()
}

/// Runs it and expects that all is well and nobody complains.
pub fn ok(folder: &Path, args: &[&str]) -> String {
    let output = crosscut(folder, args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {errors}");
    assert_eq!(errors, "", "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs it and expects an error in the one form; returns it.
pub fn fails(folder: &Path, args: &[&str]) -> String {
    let output = crosscut(folder, args);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {errors}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{args:?}");
    assert!(errors.starts_with("crosscut: "), "{args:?}: {errors}");
    assert!(!errors.contains("panicked") && !errors.contains("backtrace"), "{args:?}: {errors}");
    errors
}

/// A folder that goes when it is dropped.
pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// What is in a folder.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A recorded DAG.
pub fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/dag/sort_mth4.dag")
}

/// Starts `crosscut view` with temporary files in `folder/tmp`; gives the link.
pub fn view(folder: &Path, args: &[&str]) -> (Child, String) {
    fs::create_dir_all(folder.join("tmp")).unwrap();
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

/// A socket to it, without anything that would read or write on its own.
pub fn socket(link: &str) -> TcpStream {
    let (address, token) = link.strip_prefix("http://").unwrap().split_once("/?token=").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "GET /api/socket HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Sec-WebSocket-Protocol: crosscut, token.{token}\r\n\r\n"
    )
    .unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 101");
    stream
}

/// Sends a text as one frame with a mask of zeros.
pub fn send(stream: &mut TcpStream, text: &str) -> std::io::Result<()> {
    let length = u16::try_from(text.len()).unwrap();
    let mut frame = vec![0x81, 0x80 | 126];
    frame.extend(length.to_be_bytes());
    frame.extend([0; 4]);
    frame.extend(text.as_bytes());
    stream.write_all(&frame)
}
