//! `cargo xtask doctor`: what is on this machine, what is missing, and how it will be installed.

use anyhow::{Result, bail};

use crate::needs::{self, Importance, Need, Source, State};

pub fn run(args: &[String]) -> Result<()> {
    super::no_options(args)?;
    let mut blocked = Vec::new();
    for need in needs::ALL {
        let (mark, text, blocks) = diagnose(need);
        println!("{mark:<8} {:<14} {:<24} {text}", need.name, need.used_for);
        if blocks {
            blocked.push(need.name);
        }
    }
    if !blocked.is_empty() {
        bail!("`cargo xtask test` cannot run here yet: {}", blocked.join(", "));
    }
    println!("\nEverything for `cargo xtask test` is here, or is installed when a command first needs it.");
    Ok(())
}

/// A mark, what to say, and whether this stops the tests.
fn diagnose(need: &Need) -> (&'static str, String, bool) {
    let required = need.importance == Importance::Required;
    match need.look() {
        State::Found(version) => ("found", version, false),
        State::TooOld(version) if matches!(need.source, Source::PyPi(_)) => {
            ("too old", format!("{version}; will be installed: {}", need.source.describe()), false)
        }
        State::TooOld(version) => ("too old", version, required),
        State::Missing => match (need.importance, need.obstacle()) {
            (Importance::Optional(fallback), _) => {
                ("missing", format!("{fallback}; {}", need.source.describe()), false)
            }
            (Importance::Required, None) => {
                ("missing", format!("will be installed: {}", need.source.describe()), false)
            }
            (Importance::Required, Some(obstacle)) => ("missing", obstacle, true),
        },
    }
}
