//! The recorded program while it runs: it is started, gets the signals that are sent to us, and is waited for; in the end
//! we end as it did.
//!
//! Program and recorder are in one process group, so what the terminal sends (Ctrl-C, Ctrl-\, Ctrl-Z) reaches both:
//! Ctrl-Z stops both, and the shell's `fg` and `bg` continue both.

use std::ffi::{OsString, c_int, c_void};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ExitCode};
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use crosscut_close::Exit;

use crate::limits;

/// What is passed on. (SIGTSTP is not caught, so it stops us, as it should.)
const PASSED_ON: [c_int; 6] =
    [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGUSR1, libc::SIGUSR2];

/// The process number of the program while it runs.
static CHILD: AtomicI32 = AtomicI32::new(NOT_YET);
const NOT_YET: i32 = -1;
const NO_MORE: i32 = 0;
/// Signals that came before the program was there, a bit each.
static EARLY: AtomicU64 = AtomicU64::new(0);

/// What to start.
pub struct Command<'a> {
    /// The file.
    pub program: &'a Path,
    /// Its name as it was typed, and its arguments.
    pub words: &'a [OsString],
}

/// Runs the program, with some variables of the environment changed or removed; says how it ended.
pub fn run(command: &Command<'_>, variables: &[(&str, Option<OsString>)]) -> io::Result<Exit> {
    let mut starting = std::process::Command::new(command.program);
    starting.arg0(&command.words[0]).args(&command.words[1..]);
    for (name, value) in variables {
        match value {
            Some(value) => starting.env(name, value),
            None => starting.env_remove(name),
        };
    }
    PASSED_ON.iter().for_each(|&signal| pass_on(signal));
    // What the program leaves behind becomes ours, so that we know whether there is something to wait for.
    // SAFETY: a plain system call.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
    let spawned = limits::for_program(|| starting.spawn());
    let mut child = spawned?;
    CHILD.store(child.id() as i32, Ordering::SeqCst);
    let early = EARLY.swap(0, Ordering::SeqCst);
    PASSED_ON.into_iter().filter(|signal| early & 1 << signal != 0).for_each(|signal| send(&child, signal));
    wait_until_ended(&child);
    // Only now does the number become free for another process.
    CHILD.store(NO_MORE, Ordering::SeqCst);
    let status = child.wait()?;
    // Ctrl-\ ends us at once again; the other signals are either handled while the run is made or no reason to stop.
    by_default(libc::SIGQUIT);
    Ok(match status.signal() {
        Some(signal) => Exit::Signal(signal),
        None => Exit::Code(status.code().unwrap_or_default()),
    })
}

/// Ends this process by the signal that ended the program, so that a shell sees what it would have seen without us: a
/// loop of a script stops at Ctrl-C only when the command died of it. No second core file is written.
pub fn end_by(signal: c_int) -> ExitCode {
    by_default(signal);
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: plain system calls; the limit is a valid one.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        // A program that collects core files is not bound by the limit.
        libc::prctl(libc::PR_SET_DUMPABLE, 0);
        libc::raise(signal);
    }
    // It did not end us; say it as shells do.
    ExitCode::from(128u8.saturating_add(signal as u8))
}

/// Waits until the program has ended, and leaves it to be asked how.
fn wait_until_ended(child: &Child) {
    loop {
        // SAFETY: all zero is a valid value of this plain struct, which the kernel fills.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: the program is our child and has not been waited for.
        let done = unsafe { libc::waitid(libc::P_PID, child.id(), &mut info, libc::WEXITED | libc::WNOWAIT) };
        if done == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return;
        }
    }
}

fn send(child: &Child, signal: c_int) {
    // SAFETY: the program is our child and has not been waited for, so the number is still its own.
    unsafe { libc::kill(child.id() as i32, signal) };
}

/// From now on a signal to us goes to the program, unless it is ignored (`nohup`): then the program ignores it too.
fn pass_on(signal: c_int) {
    // SAFETY: all zero is a valid value of this plain struct: no flags, an empty mask.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = on_signal;
    action.sa_sigaction = handler as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
    // SAFETY: as above, for the action that was there before.
    let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: the handler does nothing but atomic operations and `kill`, which are safe in a handler.
    unsafe {
        if libc::sigaction(signal, &action, &mut before) == 0 && before.sa_sigaction == libc::SIG_IGN {
            libc::sigaction(signal, &before, std::ptr::null_mut());
        }
    }
}

/// Whether processes of the program are left. Those that have ended are not.
pub fn are_left() -> bool {
    loop {
        // SAFETY: a plain system call; nobody else waits for children any more.
        match unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) } {
            0 => return true,
            ended if ended > 0 => {}
            _ => return false,
        }
    }
}

/// From now on the signals that ask us to end do so.
pub fn end_at_signals() {
    [libc::SIGINT, libc::SIGTERM, libc::SIGHUP].into_iter().for_each(by_default);
}

fn by_default(signal: c_int) {
    // SAFETY: a plain system call; no handler is set.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, _context: *mut c_void) {
    // SAFETY: the kernel hands over a valid description; the sender is only asked for where there is one.
    let (code, sender) = unsafe {
        let code = (*info).si_code;
        (code, if code <= 0 { (*info).si_pid() } else { 0 })
    };
    // From the kernel, that is from the terminal: the program has got it as well.
    if code > 0 {
        return;
    }
    match CHILD.load(Ordering::SeqCst) {
        NOT_YET => {
            EARLY.fetch_or(1 << signal, Ordering::SeqCst);
        }
        NO_MORE => {}
        // It signals its own group: what comes from it does not go back to it.
        child if child == sender => {}
        child => {
            let errno = errno();
            // SAFETY: the program has not been waited for, so the number is still its own.
            unsafe {
                let before = *errno;
                libc::kill(child, signal);
                *errno = before;
            }
        }
    }
}

fn errno() -> *mut c_int {
    // SAFETY: always a valid place, of this thread alone.
    unsafe { libc::__errno_location() }
}
