//! Programs with MPI and one planted cause each, recorded and reported: the cause is the first finding, with the rank that
//! caused it and where: the stretch between two calls that holds the planted line, the line of the tasks that took too long, or
//! the call itself.
//!
//! As with the planted tasks, what is looked for is time: these tests are run by `cargo xtask planted`, on a machine that has
//! nothing else to do, and of three recordings one must show what was planted.

use crate::common;

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
    place: Place,
}

/// Where the line with the word "planted" is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Between the two calls that are named.
    Between,
    /// It is the line that is named.
    Here,
}

use Place::{Between, Here};

const PLANTED: [Planted; 8] = [
    Planted { name: "late_sender", ranks: 2, cause: "late-sender", culprit: 1, place: Between },
    Planted { name: "late_sender_test", ranks: 2, cause: "late-sender", culprit: 1, place: Between },
    Planted { name: "late_sender_probe", ranks: 2, cause: "late-sender", culprit: 1, place: Between },
    Planted { name: "late_receiver", ranks: 2, cause: "late-receiver", culprit: 1, place: Between },
    Planted { name: "late_rank", ranks: 2, cause: "late-rank", culprit: 1, place: Between },
    Planted { name: "imbalance", ranks: 4, cause: "rank-imbalance", culprit: 3, place: Between },
    Planted { name: "late_tasks", ranks: 2, cause: "late-rank", culprit: 1, place: Here },
    Planted { name: "small_messages", ranks: 2, cause: "small-messages", culprit: 0, place: Here },
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
        let planted = text.lines().position(|line| line.contains("// planted:")).unwrap() + 1;
        let file = format!("{}.c:", self.name);
        let line = |place: &Value| place.as_str()?.rsplit_once(&file)?.1.parse::<usize>().ok();
        let is_there = match self.place {
            Here => line(&first["where"]) == Some(planted),
            Between => {
                line(&first["between"][0]).zip(line(&first["between"][1])).is_some_and(|(from, to)| {
                    from < planted && planted < to && line(&first["where"]) == Some(to)
                })
            }
        };
        (!is_there).then(|| format!("{}: not at line {planted}:{}", self.name, told()))
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
