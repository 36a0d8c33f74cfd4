//! Programs that a launcher starts many times (`mpirun -n 8 crosscut record -- program`): each has a rank. Without messages its
//! run is named by it, so that none stands in the way of another; with MPI all of them write to one folder, and the last one
//! makes the run.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Where launchers say which rank a process is.
const RANKS: [&str; 5] =
    ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"];

/// Where launchers say how many ranks there are.
const SIZES: [&str; 4] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS"];

/// Where they say which job this is: the same for all of its ranks.
const JOBS: [&str; 5] =
    ["PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"];

/// How many ranks this job has, where the launcher says so.
pub fn size() -> Option<u32> {
    SIZES.into_iter().find_map(|name| std::env::var(name).ok()?.parse().ok())
}

/// A word for this job. Where nobody has one, all ranks of one host have one parent.
pub fn job() -> String {
    let named = JOBS.into_iter().find_map(|name| std::env::var(name).ok().filter(|job| !job.is_empty()));
    let step = std::env::var("SLURM_STEP_ID").map(|step| format!("-{step}")).unwrap_or_default();
    let job = named.unwrap_or_else(|| std::os::unix::process::parent_id().to_string()) + &step;
    job.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect()
}

/// The rank of this process; none when no launcher started it, or just this one.
pub fn rank() -> Option<u32> {
    find(|name| std::env::var(name).ok())
}

fn find(variable: impl Fn(&str) -> Option<String>) -> Option<u32> {
    RANKS.into_iter().find_map(|name| {
        // Slurm numbers the only process of a job, too.
        let is_one = name == "SLURM_PROCID" && variable("SLURM_NTASKS").is_none_or(|count| count == "1");
        if is_one { None } else { variable(name)?.parse().ok() }
    })
}

/// The name of a run with the rank in it: `fib.crosscut` becomes `fib-rank-3.crosscut`.
pub fn named(target: &Path, rank: Option<u32>) -> PathBuf {
    let Some(rank) = rank else { return target.to_owned() };
    let is_run = target.extension() == Some(OsStr::new("crosscut"));
    let mut name: OsString = if is_run { target.with_extension("") } else { target.to_owned() }.into();
    name.push(format!("-rank-{rank}"));
    if is_run {
        name.push(".crosscut");
    }
    name.into()
}

#[cfg(test)]
mod tests {
    use super::{find, named};
    use std::path::Path;

    #[test]
    fn ranks_of_launchers() {
        let of = |pairs: &'static [(&str, &str)]| {
            find(|name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("OMPI_COMM_WORLD_RANK", "3")]), Some(3));
        assert_eq!(of(&[("PMI_RANK", "0")]), Some(0));
        assert_eq!(of(&[("PMI_RANK", "x")]), None);
        assert_eq!(of(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "1")]), None);
        assert_eq!(of(&[("SLURM_PROCID", "1"), ("SLURM_NTASKS", "2")]), Some(1));
    }

    #[test]
    fn runs_have_their_rank_in_the_name() {
        assert_eq!(named(Path::new("a/fib.crosscut"), None), Path::new("a/fib.crosscut"));
        assert_eq!(named(Path::new("a/fib.crosscut"), Some(2)), Path::new("a/fib-rank-2.crosscut"));
        assert_eq!(named(Path::new("fib"), Some(0)), Path::new("fib-rank-0"));
    }
}
