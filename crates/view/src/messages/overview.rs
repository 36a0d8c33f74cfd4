//! What the overview says about messages: how long ranks wait, what costs most, and figures.

use crosscut_messages::Summary;
use crosscut_messages::causes::{Account, Cause};
use crosscut_scene::format::{count, many, quantity, share};
use crosscut_tree::Unit;
use crosscut_workbench::sheet::Tone;
use crosscut_workbench::{Block, Cell, Fact, Found, Look};

use super::info;
use super::judged::Judged;
use super::opened::Opened;
use crate::account::HEIGHT;

/// The top of the overview. Without what was found it says what it can at once.
pub fn account(opened: &Opened, judged: &Judged, found: Option<&Found>, run: usize) -> Vec<Block> {
    let summary = opened.messages.summary();
    let text = |text: String, tone: Tone| Block::Text { text, tone };
    let Some(found) = found else {
        return vec![text(info::told(summary).line, Tone::Headline)];
    };
    let account = judged.causes(&opened.messages).account;
    let more = format!(
        "{} × {} elapsed = {} of ranks' time · {} between them, {}",
        many(summary.ranks as usize, "rank"),
        quantity(summary.elapsed as f64, Unit::Ns),
        quantity(account.capacity as f64, Unit::Ns),
        many(summary.messages as usize, "message"),
        quantity(summary.bytes as f64, Unit::Bytes),
    );
    vec![
        text(headline(summary, &account, found), Tone::Headline),
        text(more, Tone::Note),
        Block::Show {
            title: String::new(),
            look: Box::new(Look::of("messages.account", run)),
            height: HEIGHT,
            slow: false,
        },
    ]
}

/// What is below what costs most.
pub fn overview(opened: &Opened, judged: &Judged, found: Option<&Found>) -> Vec<Block> {
    let mut rows = info::facts(opened.messages.summary());
    if found.is_some() {
        rows.extend(parts(&judged.causes(&opened.messages).account));
    }
    vec![Block::Head { text: "Messages".to_owned() }, Block::Facts { rows }]
}

/// Where the time of all ranks went.
pub fn parts(account: &Account) -> Vec<Fact> {
    let part = |name: &str, value: i64, about: &str| Fact {
        name: name.to_owned(),
        value: Cell::text(format!(
            "{}, {}",
            quantity(value as f64, Unit::Ns),
            share(value as f64, account.capacity as f64)
        )),
        about: about.to_owned(),
    };
    let mut parts = vec![
        part("work", account.work, "Outside of calls of MPI."),
        part("waiting", account.waiting, "In calls, for another rank."),
        part("in calls", account.inside, "In calls, behind what they waited for: moving data."),
    ];
    if account.absent > 0 {
        let about =
            "Before a rank's first call, or after the last one of a rank that did not come to its end.";
        parts.push(part("not there", account.absent, about));
    }
    parts
}

/// "64 ranks wait 23 % of the time; what costs most: rank 7 is late in phase 9".
pub fn headline(summary: &Summary, account: &Account, found: &Found) -> String {
    let waits = format!(
        "{} wait {} of the time",
        match summary.ranks {
            1 => "1 rank".to_owned(),
            ranks => format!("{} ranks", count(ranks.into())),
        },
        share(account.waiting as f64, account.capacity as f64)
    );
    if let Some(why) = &found.too_little {
        return format!("{waits}; {why}: too little to judge");
    }
    let is_ours = |id: &str| CAUSES.iter().any(|cause| cause.id() == id);
    let Some(first) = found.findings.first().filter(|first| is_ours(&first.id)) else { return waits };
    let what = lower(&first.what);
    match &first.line {
        Some(line) => format!("{waits}; what costs most: {what}, {}", line.plain()),
        None => format!("{waits}; what costs most: {what}"),
    }
}

const CAUSES: [Cause; 8] = [
    Cause::LateSender,
    Cause::LateReceiver,
    Cause::LateRank,
    Cause::RankImbalance,
    Cause::CollectiveWait,
    Cause::BarrierWait,
    Cause::SmallMessages,
    Cause::Transfer,
];

/// A sentence's beginning, inside another sentence.
fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// Runs that are shorter are not judged.
const SHORT: i64 = 1_000_000;

/// What is too little in a run to judge it by.
pub fn too_little(summary: &Summary) -> Option<String> {
    let short = summary.elapsed < SHORT;
    let nothing = summary.messages == 0 && summary.collective_operations == 0;
    (short || nothing).then(|| {
        let what = match summary.messages {
            0 => "no message".to_owned(),
            messages => many(messages as usize, "message"),
        };
        format!("{what} in {}", quantity(summary.elapsed as f64, Unit::Ns))
    })
}
