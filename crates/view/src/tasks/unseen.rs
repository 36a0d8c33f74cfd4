//! What could not be looked for in a run, and why: a run without a finding is not a run without a loss.

use crosscut_tasks::schema::LockKind;
use crosscut_tasks::{Causes, Counters, Tasks};

use super::opened::Opened;
use super::words::share;

/// A sentence each, with what to do about it.
pub fn not_looked_for(opened: &Opened) -> Vec<String> {
    let (tasks, causes) = (&opened.tasks, opened.causes());
    let mut all = Vec::new();
    if opened.baseline.is_none() && tasks.summary().workers > 1 {
        const WORK: &str = "work that takes longer beside others";
        match tasks.compares_by_counters() {
            Counters::Comparable => {}
            Counters::None => all.push(format!(
                "{WORK}, without a run on one worker to compare with (--baseline) or counters (record --counters \
                 cycles,instructions; not every machine has them)."
            )),
            Counters::NotComparable => all.push(format!(
                "{WORK}: no line ran both alone and beside others, so its counters say nothing; compare with a run on one worker \
                 (--baseline)."
            )),
        }
    }
    if !(0..tasks.workers()).any(|worker| tasks.stretches(worker).len() > 0) {
        all.push("workers without a processor: the run has no processor times.".to_owned());
    }
    if !has_mutexes(tasks) {
        let slept = slept(causes, tasks.summary().work);
        all.push(format!("mutexes of the C library, of which none was recorded (record --locks){slept}."));
    }
    if let Some(why) = opened.gained().and_then(|gains| gains.not_replayed) {
        all.push(format!("what a replay gains without each finding: {why}, so there are bounds only."));
    }
    all
}

fn has_mutexes(tasks: &Tasks) -> bool {
    let locks = (0..tasks.lock_count() as u32).filter_map(|lock| tasks.lock(lock));
    locks
        .into_iter()
        .any(|lock| matches!(lock.kind, LockKind::Mutex | LockKind::ReadLock | LockKind::WriteLock))
}

/// Tasks that sleep wait for something that nobody watched.
fn slept(causes: &Causes, work: i64) -> String {
    match causes.blocked as f64 >= Causes::WORTH * causes.account.capacity as f64 && causes.blocked > 0 {
        true => {
            format!("; tasks slept {} of their time in the system", share(causes.blocked as f64, work as f64))
        }
        false => String::new(),
    }
}
