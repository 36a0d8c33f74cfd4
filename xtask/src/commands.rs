//! The list of commands. A new command is a module here and one row in `COMMANDS`.

mod bench;
mod case_study;
mod demo;
mod doctor;
mod examples;
mod fuzz;
mod lint;
mod planted;
mod python;
mod screenshots;
mod soak;
mod test;
mod ui;

use anyhow::{Result, bail};

/// One developer command.
pub struct Command {
    pub name: &'static str,
    pub options: &'static str,
    pub what: &'static str,
    pub run: fn(&[String]) -> Result<()>,
}

/// All commands, in the order in which a newcomer meets them.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "doctor",
        options: "",
        what: "say what is missing on this machine and how it will be installed",
        run: doctor::run,
    },
    Command {
        name: "demo",
        options: "[--no-view] [--dev]",
        what: "build everything, make a few runs and open the workbench",
        run: demo::run,
    },
    Command {
        name: "test",
        options: "[STAGE…]",
        what: "all checks and tests, or only the named stages",
        run: test::run,
    },
    Command {
        name: "lint",
        options: "[CHECK…]",
        what: "formatting, clippy, layers, licences and the page's linter",
        run: lint::run,
    },
    Command { name: "ui", options: "", what: "install the page's packages and build ui/dist", run: ui::run },
    Command {
        name: "python",
        options: "[--dev]",
        what: "put the page and the programs into python/crosscut, for a wheel",
        run: python::run,
    },
    Command {
        name: "bench",
        options: "[ARGS…]",
        what: "measure, print the table and write docs/benchmarks.md",
        run: bench::run,
    },
    Command {
        name: "fuzz",
        options: "[--seconds N] [--seed N] [--plain] [TARGET…]",
        what: "random inputs for every reader, runs, events and questions",
        run: fuzz::run,
    },
    Command {
        name: "planted",
        options: "",
        what: "record programs with planted causes and test that they are found, on a quiet machine",
        run: planted::run,
    },
    Command {
        name: "soak",
        options: "[--seconds N] [--nodes N] [--dev]",
        what: "64 viewers on 10 million nodes, some of whom never read: times and memory",
        run: soak::run,
    },
    Command {
        name: "screenshots",
        options: "[--small]",
        what: "picture every view at two sizes, light and dark, in out/screenshots",
        run: screenshots::run,
    },
    Command {
        name: "case-study",
        options: "[--dev]",
        what: "record a program of 16 ranks with an imbalance, and take the pictures of docs/case-study-calls.md",
        run: case_study::run,
    },
    Command {
        name: "examples",
        options: "",
        what: "build the programs in examples/ with clang and with gcc, to out/examples",
        run: examples::run,
    },
];

/// Refuses options of a command that takes none.
fn no_options(args: &[String]) -> Result<()> {
    match args.first() {
        None => Ok(()),
        Some(arg) => bail!("unknown option \"{arg}\""),
    }
}
