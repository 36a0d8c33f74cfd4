//! What recording calls of MPI costs: inside the library, by calls that do nothing, and how long a message takes there and back.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::Add;

/// Pairs of runs. Of each kind the best counts: others on the machine only ever add.
const TURNS: usize = 15;

/// Adds the rows about MPI.
pub fn mpi(examples: &Path, dir: &Path, add: Add<'_>) -> Result<()> {
    let crosscut = std::env::current_exe()?.with_file_name("crosscut");
    for (mpi, name) in [("openmpi", "Open MPI"), ("mpich", "MPICH")] {
        let best = |ranks: &str, program: &str, arguments: &[&str], is_recorded: bool| -> Result<Vec<f64>> {
            let mut best: Option<Vec<f64>> = None;
            for _ in 0..TURNS {
                let mut command = Command::new(format!("mpirun.{mpi}"));
                command.args(["-n", ranks]).arg(examples.join(mpi).join(program)).args(arguments);
                if is_recorded {
                    record(&mut command, &crosscut, dir)?;
                }
                let found = numbers(&mut command)?;
                best = Some(match best {
                    Some(best) => best.iter().zip(&found).map(|(a, b)| a.min(*b)).collect(),
                    None => found,
                });
            }
            best.context("no turn")
        };
        let nobody = ["1000000"];
        let (plain, recorded) = (best("1", "nobody", &nobody, false)?, best("1", "nobody", &nobody, true)?);
        let (&[send, receive], &[send_plain, receive_plain]) = (&recorded[..], &plain[..]) else {
            bail!("nobody printed something else");
        };
        add(
            &format!("record a call of MPI ({name}), inside the program"),
            format!("{:.0} ns a send, {:.0} ns a receive", send - send_plain, receive - receive_plain),
            format!("{send_plain:.0} and {receive_plain:.0} ns without, to and from nobody"),
        );
        let rounds = ["5000", "8"];
        let (plain, recorded) =
            (best("2", "pingpong", &rounds, false)?, best("2", "pingpong", &rounds, true)?);
        let (&[recorded], &[plain]) = (&recorded[..], &plain[..]) else {
            bail!("pingpong printed something else");
        };
        add(
            &format!("ping-pong of 8 bytes ({name}), recorded"),
            format!("{:.2} µs there and back", recorded / 1000.0),
            format!("{:.2} µs without; four calls on the way", plain / 1000.0),
        );
    }
    Ok(())
}

/// Preloads the recorder into the ranks.
fn record(command: &mut Command, crosscut: &Path, dir: &Path) -> Result<()> {
    let events = dir.join("bench.events");
    if events.exists() {
        std::fs::remove_dir_all(&events)?;
    }
    std::fs::create_dir(&events)?;
    let libraries = ["libcrosscut_record.so", "libcrosscut_mpi.so"].map(|name| crosscut.with_file_name(name));
    command.env("LD_PRELOAD", format!("{}:{}", libraries[0].display(), libraries[1].display()));
    command.env("CROSSCUT_EVENTS", events);
    Ok(())
}

/// The numbers that a program prints.
fn numbers(command: &mut Command) -> Result<Vec<f64>> {
    let roots = ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"];
    let output = command.envs(roots.map(|name| (name, "1"))).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        bail!("{command:?} ended with {}", output.status);
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.split_whitespace().filter_map(|word| word.parse().ok()).collect())
}
