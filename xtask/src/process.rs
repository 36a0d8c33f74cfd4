//! Running other programs: say what runs, let its output through, and turn a bad exit into an error that names it.
//!
//! Nothing that xtask starts reads from standard input, so no command can wait for an answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use anyhow::{Context, Result, bail};

/// Runs a command with its output shown; an exit code other than 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    announce(command);
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("could not start `{}`", describe(command)))?;
    if !status.success() {
        bail!("`{}` ended with {status}", describe(command));
    }
    Ok(())
}

/// Runs a command with its output shown, and returns whether it succeeded together with all that it printed.
pub fn run_and_keep(command: &mut Command) -> Result<(bool, String)> {
    announce(command);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("could not start `{}`", describe(command)))?;

    let (sender, lines) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        forward(stdout, std::io::stdout(), sender.clone());
    }
    if let Some(stderr) = child.stderr.take() {
        forward(stderr, std::io::stderr(), sender);
    }
    // Ends when both pipes are closed and their threads have dropped the senders.
    let text: String = lines.into_iter().collect();
    Ok((child.wait()?.success(), text))
}

/// The standard output of a quiet command that succeeded, trimmed; nothing when it is missing or fails.
pub fn ask(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The command as one would type it: the program by its name, wherever it was found.
pub fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let mut words = vec![name.to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|arg| arg.to_string_lossy().into_owned()));
    words.join(" ")
}

fn announce(command: &Command) {
    println!("$ {}", describe(command));
    // The child writes to the same place; ours has to come first.
    let _ = std::io::stdout().flush();
}

fn forward(
    from: impl Read + Send + 'static,
    mut to: impl Write + Send + 'static,
    keep: mpsc::Sender<String>,
) {
    thread::spawn(move || {
        let mut reader = BufReader::new(from);
        let mut line = Vec::new();
        while matches!(reader.read_until(b'\n', &mut line), Ok(n) if n > 0) {
            // A closed terminal must not stop the child's pipe from being drained.
            let _ = to.write_all(&line);
            let _ = keep.send(String::from_utf8_lossy(&line).into_owned());
            line.clear();
        }
    });
}
