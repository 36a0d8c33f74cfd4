//! A machine that two users share: what the second one can see and do of the first one's `crosscut view`. It takes root to
//! be two users.

use crate::support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use support::fixture;

const FIRST: u32 = 61_001;
const SECOND: u32 = 61_002;

/// A command as a user.
fn as_user(user: u32, program: &str) -> Command {
    let mut command = Command::new("setpriv");
    command.args([&format!("--reuid={user}"), &format!("--regid={user}"), "--clear-groups", program]);
    command
}

/// What a script of a user prints; errors, too.
fn script(user: u32, text: &str) -> String {
    let output = as_user(user, "bash").args(["-c", text]).output().unwrap();
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The first line of what the server answers to a user.
fn get(user: u32, address: &str, path: &str) -> String {
    let (host, port) = address.split_once(':').unwrap();
    let request = format!("GET {path} HTTP/1.1\\r\\nHost: {address}\\r\\nConnection: close\\r\\n\\r\\n");
    let text = format!("exec 3<>/dev/tcp/{host}/{port}; printf '{request}' >&3; head -n 1 <&3");
    script(user, &text)
}

/// `crosscut view` of a foreign file as the first user, on a terminal, with a browser that does nothing but be there.
fn view(folder: &Path) -> (Child, String) {
    let place = |name: &str, mode: u32| {
        let path = folder.join(name);
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    let (tmp, bin) = (place("tmp", 0o1777), place("bin", 0o755));
    let put = |from: &Path, to: &Path, mode: u32| {
        fs::copy(from, to).unwrap();
        fs::set_permissions(to, fs::Permissions::from_mode(mode)).unwrap();
    };
    put(Path::new(env!("CARGO_BIN_EXE_crosscut")), &bin.join("crosscut"), 0o755);
    put(&fixture(), &folder.join("secret.dag"), 0o644);
    fs::write(bin.join("xdg-open"), "#!/bin/sh\nwhile kill -0 $PPID; do sleep 1; done\n").unwrap();
    fs::set_permissions(bin.join("xdg-open"), fs::Permissions::from_mode(0o755)).unwrap();
    let (mut master, mut slave) = (0, 0);
    let (name, how, size) = (std::ptr::null_mut(), std::ptr::null(), std::ptr::null());
    // SAFETY: two numbers are written; the rest is not asked for.
    assert_eq!(unsafe { libc::openpty(&mut master, &mut slave, name, how, size) }, 0);
    // SAFETY: both are new and owned by nobody else.
    let (master, slave) = unsafe { (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) };
    let child = as_user(FIRST, bin.join("crosscut").to_str().unwrap())
        .args(["view", "secret.dag"])
        .current_dir(folder)
        .env("TMPDIR", tmp)
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::from(slave))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut link = String::new();
    BufReader::new(fs::File::from(master)).read_line(&mut link).unwrap();
    assert!(link.contains("/?token="), "{link}");
    (child, link.trim().to_owned())
}

/// What stands in the command lines of all processes, as a user sees it.
fn command_lines(user: u32) -> String {
    script(user, "for p in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $p; echo; done 2>/dev/null")
}

/// Kills the server; its browser sees that and ends, too.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn another_user_sees_nothing_and_gets_nothing() {
    // SAFETY: takes nothing and cannot fail.
    let root = unsafe { libc::geteuid() } == 0;
    if !root || !as_user(SECOND, "true").status().is_ok_and(|status| status.success()) {
        println!("not tested: it takes root and setpriv to be two users");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (child, link) = view(folder.path());
    let child = Ended(child);
    let (address, token) = link.strip_prefix("http://").unwrap().split_once("/?token=").unwrap();
    // The browser is started beside the server.
    let code = (0..600).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        let lines = command_lines(SECOND);
        lines.split_once("/?once=").map(|(_, rest)| rest.split_whitespace().next().unwrap().to_owned())
    });
    let code = code.expect("the browser was started with a link");
    // The temporary run.
    let tmp = folder.path().join("tmp");
    let run = support::names(&tmp).pop().unwrap();
    assert!(
        script(FIRST, &format!("find {}", tmp.join(&run).display())).contains("manifest.json"),
        "the owner sees it"
    );
    let seen = script(
        SECOND,
        &format!("find {}; cat {}/*/*/manifest.json", tmp.display(), tmp.join(&run).display()),
    );
    assert!(seen.contains("Permission denied") && !seen.contains(".crosscut\n"), "{seen}");
    // The token: in no command line, and neither the environment nor the memory of the server can be read.
    assert!(command_lines(SECOND).contains("crosscut view"), "command lines can be seen here");
    assert!(!command_lines(SECOND).contains(token));
    let server = child.0.id();
    for of in ["environ", "mem", "fd/1", "maps"] {
        let seen = script(SECOND, &format!("head -c 100 /proc/{server}/{of}"));
        assert!(seen.contains("Permission denied"), "{of}: {seen}");
    }
    // The server: nothing without a token, and the code that everybody can read works for its user only, once.
    assert!(get(SECOND, address, "/").contains(" 403"));
    assert!(get(SECOND, address, "/api/socket").contains(" 403"));
    assert!(get(SECOND, address, &format!("/?once={code}")).contains(" 403"));
    assert!(get(FIRST, address, &format!("/?once={code}")).contains(" 303"));
    assert!(get(FIRST, address, &format!("/?once={code}")).contains(" 403"));
    // Connections of one user do not keep another one out.
    let (host, port) = address.split_once(':').unwrap();
    let flood =
        format!("for i in $(seq 10 109); do eval \"exec $i<>/dev/tcp/{host}/{port}\"; done; sleep 60");
    let mut flood = as_user(SECOND, "bash").args(["-c", &flood]).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    let answer = get(FIRST, address, &format!("/?token={token}"));
    let _ = flood.kill();
    let _ = flood.wait();
    assert!(answer.contains(" 200"), "{answer}");
}
