//! What the page must know by number or by name, as TypeScript and JSON. A test writes the files and fails when they
//! were not up to date, so neither side can be renumbered alone.

use std::fmt::Write as _;

use crate::format::cases;
use crate::marks::NONE;
use crate::palette::{CATEGORIES, Ramp, SLOTS, slot};
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_page_has_the_same_numbers() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/protocol");
        let mut stale = Vec::new();
        for (name, text) in [("constants.ts", constants()), ("formats.json", formats())] {
            let path = folder.join(name);
            if std::fs::read_to_string(&path).unwrap_or_default() != text {
                std::fs::write(&path, text).unwrap();
                stale.push(name);
            }
        }
        assert!(stale.is_empty(), "ui/src/protocol: {stale:?} did not fit the code, and was written again");
    }
}
