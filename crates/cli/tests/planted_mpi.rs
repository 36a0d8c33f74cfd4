//! Programs with MPI and one planted cause each, recorded and reported: the cause is the first finding, with the rank that
//! caused it and the line of the call that ends the work that was late.
//!
//! As with the planted tasks, what is looked for is time: these tests are run by `cargo xtask planted`, on a machine that has
//! nothing else to do, and of three recordings one must show what was planted.

mod common;

use common::{crosscut, example, source};
use serde_json::Value;

/// Recordings of which one must show what was planted.
const TRIES: usize = 3;

/// A program, and what is planted in it.
struct Planted {
    name: &'static str,
    ranks: u32,
    cause: &'static str,
    culprit: u32,
    /// The line with this text ends the work that is late, or is the call itself.
    at: &'static str,
}

const PLANTED: [Planted; 5] = [
    Planted { name: "late_sender", ranks: 2, cause: "late-sender", culprit: 1, at: "MPI_Send(" },
    Planted { name: "late_receiver", ranks: 2, cause: "late-receiver", culprit: 1, at: "MPI_Recv(" },
    Planted { name: "late_rank", ranks: 2, cause: "late-rank", culprit: 1, at: "MPI_Barrier(" },
    Planted { name: "imbalance", ranks: 4, cause: "rank-imbalance", culprit: 3, at: "MPI_Allreduce(" },
    Planted { name: "small_messages", ranks: 2, cause: "small-messages", culprit: 0, at: "MPI_Send(" },
];

fn findings(mpi: &str, name: &str, ranks: u32) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let mut record = crosscut(folder.path());
    record.args(["record", "-o", "run.crosscut", "--"]).arg(format!("mpirun.{mpi}"));
    record.args(["-n", &ranks.to_string()]).arg(example(mpi, name));
    record.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    record.env("OMPI_MCA_rmaps_base_oversubscribe", "1");
    let output = record.output().unwrap();
    assert!(output.status.success(), "{mpi} {name}: {}", String::from_utf8_lossy(&output.stderr));
    let output = crosscut(folder.path()).args(["report", "--json", "run.crosscut"]).output().unwrap();
    let mut json: Value = serde_json::from_slice(&output.stdout).unwrap();
    json["findings"].take().as_array().cloned().unwrap()
}

impl Planted {
    /// What is wrong with what was found, if anything is.
    fn fault(&self, findings: &[Value]) -> Option<String> {
        let told = || findings.iter().map(|f| format!("\n  {f}")).collect::<String>();
        let Some(first) = findings.first() else { return Some(format!("{}: no finding", self.name)) };
        let ranks = first["ranks"].as_array().cloned().unwrap_or_default();
        if first["id"] != self.cause || !ranks.contains(&self.culprit.into()) {
            return Some(format!(
                "{}: not {} by rank {} first:{}",
                self.name,
                self.cause,
                self.culprit,
                told()
            ));
        }
        let text = source(&format!("mpi/{}.c", self.name));
        let line = text.lines().position(|line| line.contains(self.at)).unwrap() + 1;
        let place = first["where"].as_str().unwrap_or_default();
        let expected = format!("{}.c:{line}", self.name);
        (!place.ends_with(&expected)).then(|| format!("{}: at {place}, not {expected}", self.name))
    }
}

fn first_of_three(what: &str, mut fault: impl FnMut() -> Option<String>) -> Option<String> {
    let mut last = None;
    for _ in 0..TRIES {
        last = Some(fault()?);
    }
    last.map(|fault| format!("{what}: {fault}"))
}

fn check(mpi: &str) {
    let faults = PLANTED.iter().filter_map(|planted| {
        first_of_three(mpi, || planted.fault(&findings(mpi, planted.name, planted.ranks)))
    });
    let faults: Vec<String> = faults.collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let healthy = first_of_three(mpi, || {
        let found = findings(mpi, "healthy", 2);
        found.iter().find(|finding| finding["severity"] != "low").map(|finding| format!("healthy: {finding}"))
    });
    assert_eq!(healthy, None);
}

#[test]
#[ignore = "needs a machine with nothing else to do: cargo xtask planted"]
fn causes_are_found_with_open_mpi() {
    check("openmpi");
}

#[test]
#[ignore = "needs a machine with nothing else to do: cargo xtask planted"]
fn causes_are_found_with_mpich() {
    check("mpich");
}
