//! The soak: many viewers on one large run for minutes. Most look around, a few ask for predictions again and again, many
//! ask and never read. Measured from outside, over real sockets: how long a scene takes, and how much memory the server has
//! before, at most, and after everybody left.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use crosscut_chance::Chance;
use serde_json::{Value, json};

use crate::client::{Client, Door, Talk};
use crate::{Add, at, si, size};

/// Who is there.
pub struct Crowd {
    /// All viewers.
    pub viewers: usize,
    /// Those of them who ask for predictions.
    pub predicting: usize,
    /// Those of them who never read.
    pub deaf: usize,
    /// For how long.
    pub time: Duration,
}

/// What a viewer does between two pictures.
const LOOKS_AT: Duration = Duration::from_millis(1000);

/// What all viewers together have seen.
#[derive(Default)]
struct Seen {
    /// Milliseconds from asking for a scene to having it whole.
    scenes: Mutex<Vec<f64>>,
    /// The same by view: most and number.
    by_view: Mutex<HashMap<&'static str, (f64, usize)>>,
    predictions: AtomicUsize,
    refused: AtomicUsize,
    over: AtomicBool,
}

/// Runs it and adds its rows.
pub fn soak(crosscut: &Path, run: &Path, nodes: f64, crowd: &Crowd, add: Add<'_>) -> Result<()> {
    let mut client = Client::start(crosscut, run)?;
    let end = client.time()?.1;
    // What is made once per run belongs to the server, not to the crowd.
    client.ask(json!({"ask": "scene", "look": {"view": "tasks.whatif", "run": 0}}))?;
    for view in VIEWS {
        client.ask(json!({"ask": "scene", "look": {"view": view, "run": 0}}))?;
    }
    let before = client.private_memory()?;
    let seen = Seen::default();
    let most = AtomicUsize::new(0);
    let begin = Instant::now();
    std::thread::scope(|scope| -> Result<()> {
        for number in 0..crowd.viewers {
            let door = client.door();
            let (talk, seen, chance) = (door.connect()?, &seen, Chance::new(number as u64 + 1));
            if number < crowd.predicting {
                scope.spawn(move || predicting(talk, chance, seen));
            } else if number < crowd.predicting + crowd.deaf {
                scope.spawn(move || deaf(talk, door, chance, end, seen));
            } else {
                scope.spawn(move || looking(talk, chance, end, seen));
            }
        }
        while begin.elapsed() < crowd.time {
            std::thread::sleep(Duration::from_millis(200));
            most.fetch_max(client.private_memory().unwrap_or(0) as usize, Ordering::Relaxed);
        }
        seen.over.store(true, Ordering::Relaxed);
        Ok(())
    })?;
    client.leave();
    std::thread::sleep(Duration::from_secs(5));
    let after = client.private_memory()?;
    let mut scenes = seen.scenes.into_inner().unwrap_or_default();
    scenes.sort_by(f64::total_cmp);
    let nobody = "no scene was answered";
    let worst = seen.by_view.into_inner().unwrap_or_default();
    let mut by_view: Vec<String> =
        worst.iter().map(|(view, (most, n))| format!("{view} {most:.0} ms of {n}")).collect();
    by_view.sort();
    let share = |share| if scenes.is_empty() { f64::NAN } else { at(&scenes, share) };
    scenes.first().context(nobody)?;
    add(
        &format!("a scene while {} viewers look at {} nodes", crowd.viewers, si(nodes)),
        format!("p50 {:.1} ms, p99 {:.1} ms, worst {:.1} ms", share(0.5), share(0.99), share(1.0)),
        format!(
            "{} scenes in {:.0} s, {} predictions by {}, {} never read; load {}; worst by view: {}",
            scenes.len(),
            crowd.time.as_secs_f64(),
            seen.predictions.load(Ordering::Relaxed),
            crowd.predicting,
            crowd.deaf,
            load(),
            by_view.join(", ")
        ),
    );
    add(
        "its memory beyond mapped pages, before, at most and 5 s after",
        format!(
            "{}, {}, {}",
            size(before as f64),
            size(most.load(Ordering::Relaxed) as f64),
            size(after as f64)
        ),
        format!("{} questions were refused", seen.refused.load(Ordering::Relaxed)),
    );
    Ok(())
}

/// What viewers look at.
const VIEWS: [&str; 4] = ["tasks.timeline", "tasks.profile", "tasks.dag", "tasks.grains"];

/// How busy the machine is with everything, in the words of the system.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().unwrap_or("unknown").to_owned()
}

/// Another picture each time: a window of time, or a tree opened somewhere.
fn question(chance: &mut Chance, end: f64) -> (&'static str, Value) {
    let view = VIEWS[chance.index(VIEWS.len())];
    let mut look = json!({"view": view, "run": 0, "size": {"w": 1280.0, "h": 600 + chance.index(200)}});
    if matches!(view, "tasks.timeline" | "tasks.profile") {
        let share = |chance: &mut Chance| chance.index(1 << 20) as f64 / f64::from(1 << 20);
        let (from, width) = (share(chance) * end, end / f64::from(1 << chance.index(16)));
        look["scope"] = json!({"time": [from, (from + width).min(end).max(from + 1.0)]});
        return (view, json!({"ask": "scene", "look": look}));
    }
    let tree = if view == "tasks.dag" { "tasks" } else { "grains" };
    let on = json!({"run": 0, "tree": tree, "nodes": "0"});
    let act = json!({"name": "below", "on": on, "numbers": [200 + chance.index(1500)]});
    (view, json!({"ask": "scene", "look": look, "act": act}))
}

fn looking(mut talk: Talk, mut chance: Chance, end: f64, seen: &Seen) {
    while !seen.over.load(Ordering::Relaxed) {
        // Not all at the same time.
        std::thread::sleep(LOOKS_AT.mul_f64(0.5 + chance.index(1000) as f64 / 1000.0));
        let (view, question) = question(&mut chance, end);
        let begin = Instant::now();
        match talk.ask(question) {
            Ok(_) => {
                let ms = begin.elapsed().as_secs_f64() * 1e3;
                if let (Ok(mut scenes), Ok(mut views)) = (seen.scenes.lock(), seen.by_view.lock()) {
                    scenes.push(ms);
                    let (most, n) = views.entry(view).or_default();
                    *most = most.max(ms);
                    *n += 1;
                }
            }
            Err(_) => drop(seen.refused.fetch_add(1, Ordering::Relaxed)),
        }
    }
}

/// Predictions of another part that is faster each time, so that none is answered from memory.
fn predicting(mut talk: Talk, mut chance: Chance, seen: &Seen) {
    while !seen.over.load(Ordering::Relaxed) {
        let faster = format!("{:.3}", 1.5 + chance.index(2000) as f64 / 1000.0);
        let options = json!({"nodes": (1 + chance.index(1000)).to_string(), "faster": faster});
        let look = json!({"view": "tasks.whatif", "run": 0, "options": options});
        match talk.ask(json!({"ask": "scene", "look": look})) {
            Ok(_) => seen.predictions.fetch_add(1, Ordering::Relaxed),
            Err(_) => seen.refused.fetch_add(1, Ordering::Relaxed),
        };
    }
}

/// Different questions of a viewer who never reads: too many for the cache of answers.
const PREPARED: usize = 1000;

/// Asks for large pictures as fast as it is listened to, and reads none; comes back when it is hung up on. What it asks is
/// made before, so that it takes little of the processors that all share here.
fn deaf(talk: Talk, door: &Door, mut chance: Chance, end: f64, seen: &Seen) {
    let prepared: Vec<String> = (1..=PREPARED)
        .map(|id| {
            let (_, mut question) = question(&mut chance, end);
            question["id"] = id.into();
            question.to_string()
        })
        .collect();
    let patient = |talk: Talk| talk.with_patience(Duration::from_millis(500)).ok();
    let (mut talk, mut next) = (patient(talk), prepared.iter().cycle());
    while !seen.over.load(Ordering::Relaxed) {
        let sent = talk.as_mut().zip(next.next()).is_some_and(|(talk, question)| talk.send(question).is_ok());
        if !sent {
            std::thread::sleep(Duration::from_millis(500));
            talk = door.connect().ok().and_then(patient);
        }
    }
}
