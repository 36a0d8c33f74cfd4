//! Every developer command of Crosscut: `cargo xtask NAME`.
//!
//! Each command lives in its own module under `commands`; what several of them need (running a process,
//! finding the workspace, installing what is missing, counting test results) has a module of its own here.

mod commands;
mod layers;
mod loopback;
mod needs;
mod process;
mod python;
mod stages;
mod tally;
mod test_files;
mod words;
mod workspace;

use std::process::ExitCode;

use commands::COMMANDS;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_else(|| "help".into());
    let rest: Vec<String> = args.collect();

    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print_help();
        return ExitCode::SUCCESS;
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        eprintln!("xtask: there is no command \"{name}\"\n");
        print_help();
        return ExitCode::from(2);
    };
    match (command.run)(&rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask {name}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn print_help() {
    println!("cargo xtask COMMAND [OPTIONS]\n");
    for command in COMMANDS {
        println!("  {:<30} {}", format!("{} {}", command.name, command.options), command.what);
    }
}
