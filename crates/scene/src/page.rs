//! What the page must know by number or by name, as TypeScript and JSON. A test writes the files and fails when they
//! were not up to date, so neither side can be renumbered alone.

use std::fmt::Write as _;

use crate::format::{Unit, cases};
use crate::marks::NONE;
use crate::palette::{CATEGORIES, Ramp, SLOTS, slot};
use crate::plot::{Axis, Stop};
use crate::style::{Dash, HATCH_FROM, HATCH_TILE, Stroke, share};
use crate::text::Ink;
use crate::wire::{LAYOUT, columns_of};
use crate::{limits, rank};

/// `constants.ts` of the page's protocol.
pub fn constants() -> String {
    let mut out = String::from(
        "// Generated from crates/scene: do not edit. `cargo test -p crosscut-scene` writes it again.\n",
    );
    let _ = writeln!(out, "\n/** No node, no second end, no id. */\nexport const NONE = {NONE};");
    let _ =
        writeln!(out, "\n/** Number of palette slots, and how many of them, the first, are categories. */");
    let _ = writeln!(out, "export const SLOTS = {SLOTS};\nexport const CATEGORIES = {CATEGORIES};");
    record(
        &mut out,
        "Palette slots by name.",
        "SLOT",
        slot::ALL.iter().map(|&(name, at)| (name, at.to_string())),
    );
    let ramps = Ramp::ALL
        .iter()
        .map(|(name, ramp)| (*name, format!("{{ first: {}, steps: {} }}", ramp.first, ramp.steps)));
    record(&mut out, "Ramps: rows of slots.", "RAMP", ramps);
    let strokes = [("none", Stroke::None), ("own", Stroke::Own)];
    let strokes = strokes.into_iter().map(|(name, stroke)| (name, stroke.sent().to_string()));
    record(&mut out, "`stroke` of a style that is no slot.", "STROKE", strokes);
    let ink = [("on", Ink::On.sent().to_string())];
    record(
        &mut out,
        "`ink` of a text that is no slot: what can be read on its box.",
        "TEXT_INK",
        ink.into_iter(),
    );
    let dash = |dash: Dash| dash.lengths().map_or("[]".to_owned(), |(ink, gap)| format!("[{ink}, {gap}]"));
    let dashes = ["solid", "dashed", "fine", "dotted"].into_iter().zip(Dash::ALL.map(dash));
    record(&mut out, "Lengths of ink and gap in pixels.", "DASH", dashes);
    let shares = [
        ("tint", share::TINT),
        ("faint", share::FAINT),
        ("hatch", share::HATCH),
        ("flat", share::FLAT),
        ("border", share::BORDER),
        ("inner", share::INNER),
    ];
    let shares = shares.into_iter().map(|(name, share)| (name, share.to_string()));
    record(&mut out, "How far fills and borders go from one colour to another.", "SHARE", shares);
    let _ = writeln!(out, "\n/** Below this many pixels a hatch is flat; and the side of its tile. */");
    let _ = writeln!(out, "export const HATCH_FROM = {HATCH_FROM};\nexport const HATCH_TILE = {HATCH_TILE};");
    let ranks = [
        ("back", rank::BACK),
        ("band", rank::BAND),
        ("link", rank::LINK),
        ("mark", rank::MARK),
        ("part", rank::PART),
        ("rim", rank::RIM),
        ("sign", rank::SIGN),
    ];
    record(
        &mut out,
        "Drawing order.",
        "RANK",
        ranks.into_iter().map(|(name, rank)| (name, rank.to_string())),
    );
    let _ =
        writeln!(out, "\n/** Marks of a picture at most. */\nexport const MOST_MARKS = {};", limits::MARKS);
    let _ = writeln!(out, "\n/** Columns of each kind of mark, in the order in which they are sent. */");
    let _ = writeln!(out, "export const COLUMNS = {{");
    for (kind, _) in LAYOUT {
        let columns: Vec<String> =
            columns_of(kind).iter().map(|(name, of)| format!("[\"{name}\", \"{}\"]", of.word())).collect();
        let _ = writeln!(out, "  {kind}: [\n    {},\n  ],", columns.join(", "));
    }
    out.push_str("} as const;\n");
    out
}

fn record<'a>(out: &mut String, about: &str, name: &str, rows: impl Iterator<Item = (&'a str, String)>) {
    let _ = writeln!(out, "\n/** {about} */\nexport const {name} = {{");
    for (key, value) in rows {
        let _ = writeln!(out, "  {key}: {value},");
    }
    out.push_str("} as const;\n");
}

/// `formats.json` of the page's protocol: numbers and how they are written.
pub fn formats() -> String {
    let rows: Vec<String> =
        cases().iter().map(|case| serde_json::to_string(case).unwrap_or_default()).collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

/// `ticks.json` of the page's protocol: axes, the room between two ticks, and the ticks.
pub fn ticks() -> String {
    let stop = |value: f64, at: f32, folded: bool| Stop { value, at, folded };
    let linear = |from: f64, to: f64, unit: Unit| Axis::linear((from, to), 10.0, 400.0, unit, "");
    let log = |from: f64, to: f64, unit: Unit| Axis { log: true, ..linear(from, to, unit) };
    let folded = Axis {
        stops: vec![
            stop(0.0, 0.0, false),
            stop(1e8, 200.0, true),
            stop(9e8, 230.0, false),
            stop(1e9, 430.0, false),
        ],
        ..linear(0.0, 1.0, Unit::Ns)
    };
    let axes = [
        linear(0.0, 1e9, Unit::Ns),
        linear(0.0, 45_000.0, Unit::Ns),
        linear(1.5e9, 1.5e9 + 400.0, Unit::Ns),
        linear(0.0, 3.0, Unit::Ns),
        linear(4.0, 0.0, Unit::Count),
        linear(0.0, 4320.0, Unit::Number),
        linear(0.0, 64.0 * 1024.0 * 1024.0, Unit::Bytes),
        linear(0.0, 5e6, Unit::Ticks),
        linear(0.0, 1.0, Unit::Ratio),
        linear(-50.0, 50.0, Unit::Percent),
        log(10.0, 1e7, Unit::Ns),
        log(1.0, 1024.0 * 1024.0 * 1024.0, Unit::Bytes),
        log(1.0, 1e4, Unit::Count),
        folded,
        linear(1.0, 1.0, Unit::Ns),
    ];
    let rows = axes.into_iter().flat_map(|axis| {
        [24.0, 90.0].map(|room| {
            let ticks: Vec<(f32, String)> =
                crate::ticks::ticks(&axis, room).into_iter().map(|tick| (tick.at, tick.text)).collect();
            serde_json::json!({ "axis": axis, "room": room, "ticks": ticks }).to_string()
        })
    });
    format!("[\n{}\n]\n", rows.collect::<Vec<_>>().join(",\n"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_page_has_the_same_numbers() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/protocol");
        let mut stale = Vec::new();
        for (name, text) in
            [("constants.ts", constants()), ("formats.json", formats()), ("ticks.json", ticks())]
        {
            let path = folder.join(name);
            if std::fs::read_to_string(&path).unwrap_or_default() != text {
                std::fs::write(&path, text).unwrap();
                stale.push(name);
            }
        }
        assert!(stale.is_empty(), "ui/src/protocol: {stale:?} did not fit the code, and was written again");
    }
}
