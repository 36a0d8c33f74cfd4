//! The `crosscut` command. Each subcommand is a module that reads its arguments, calls the crate that does the work and
//! prints what came of it; errors come here and are printed in one form.

mod baseline;
mod compare;
mod export;
mod import;
mod info;
mod interrupt;
mod limits;
mod output;
mod progress;
mod record;
mod render;
mod report;
mod runs;
mod settings;
mod size;
mod synth;
mod temporary;
mod view;
mod whatif;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
use crosscut_scene::printable::printable;

/// A performance workbench for parallel programs.
#[derive(Parser)]
#[command(name = "crosscut", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Baseline(baseline::Args),
    Compare(compare::Args),
    Export(export::Args),
    Import(import::Args),
    Info(info::Args),
    Record(record::Args),
    Render(render::Args),
    Report(report::Args),
    Synth(synth::Args),
    View(view::Args),
    #[command(name = "whatif")]
    WhatIf(whatif::Args),
}

/// Could not do it.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    limits::ignore_signal();
    crosscut_run::tell_when_cut();
    std::panic::set_hook(Box::new(|info| output::say_lines(&panicked(info))));
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let done = match cli.command {
        Command::Baseline(args) => baseline::run(args).map(|()| ExitCode::SUCCESS),
        Command::Compare(args) => compare::run(args).map(|()| ExitCode::SUCCESS),
        Command::Export(args) => export::run(args).map(|()| ExitCode::SUCCESS),
        Command::Import(args) => import::run(args).map(|()| ExitCode::SUCCESS),
        Command::Info(args) => info::run(args).map(|()| ExitCode::SUCCESS),
        Command::Record(args) => record::run(args),
        Command::Render(args) => render::run(args).map(|()| ExitCode::SUCCESS),
        Command::Report(args) => report::run(args),
        Command::Synth(args) => synth::run(args).map(|()| ExitCode::SUCCESS),
        Command::View(args) => view::run(args).map(|()| ExitCode::SUCCESS),
        Command::WhatIf(args) => whatif::run(args).map(|()| ExitCode::SUCCESS),
    };
    match done {
        Ok(code) => code,
        Err(error) => match error.downcast_ref::<Listed>() {
            Some(listed) => fail_in_lines(&listed.to_string()),
            None => fail(&message(&error)),
        },
    }
}

/// What went wrong here and should not have. The words may hold names from files, so they leave like everything else.
fn panicked(info: &std::panic::PanicHookInfo<'_>) -> String {
    let thread = std::thread::current();
    let backtrace = std::backtrace::Backtrace::capture();
    let at = info.location().map(ToString::to_string).unwrap_or_default();
    let what = info.payload_as_str().unwrap_or("?");
    let mut text =
        format!("a bug: thread `{}` panicked at {at}: {}", thread.name().unwrap_or("?"), printable(what));
    if backtrace.status() == std::backtrace::BacktraceStatus::Captured {
        text += &format!("\n{backtrace}");
    }
    text
}

/// An error with a list, a line for each.
#[derive(Debug)]
struct Listed {
    what: String,
    list: Vec<String>,
}

impl std::error::Error for Listed {}

impl std::fmt::Display for Listed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", printable(&self.what))?;
        self.list.iter().try_for_each(|line| write!(f, "\n  {}", printable(line)))
    }
}

/// Help and versions go where they were asked for, wrong usage is an error like any other.
fn usage(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // Nobody is left to hear that this cannot be printed.
            let _ = error.print();
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            fail_in_lines(&format!("which command?\n\n{}", error.render()))
        }
        _ => {
            let text = error.render().to_string();
            fail_in_lines(text.strip_prefix("error: ").unwrap_or(&text))
        }
    }
}

fn fail(message: &str) -> ExitCode {
    output::say(message.trim_end());
    ExitCode::from(FAILED)
}

fn fail_in_lines(message: &str) -> ExitCode {
    output::say_lines(message.trim_end());
    ExitCode::from(FAILED)
}

/// The error and its causes in one line, without those that the text above them quotes already.
fn message(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    #[test]
    fn a_panic_is_told_in_one_line_that_a_terminal_does_not_obey() {
        static TOLD: Mutex<String> = Mutex::new(String::new());
        std::panic::set_hook(Box::new(|info| *TOLD.lock().unwrap() = super::panicked(info)));
        let name = "sort\x1b[2J\u{9b}\u{202e}\ncrosscut: all is well";
        let ended = std::thread::spawn(move || panic!("no {name}")).join();
        drop(std::panic::take_hook());
        assert!(ended.is_err());
        let told = TOLD.lock().unwrap().clone();
        let first = told.lines().next().unwrap();
        assert!(first.contains("panicked at"), "{told}");
        assert!(first.ends_with("no sort\\x1b[2J\\u{9b}\\u{202e}\\ncrosscut: all is well"), "{told}");
    }
}
