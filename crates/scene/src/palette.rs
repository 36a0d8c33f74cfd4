//! Colours by slot, for a light and a dark surface. Marks carry slots, never colours: the page and the writers
//! resolve them at the last moment.
//!
//! The categories are those of Okabe and Ito and of Paul Tol, without their reds, evened out in lightness for each
//! surface. Red is no category: it is kept for problems and the critical path.

use serde::Serialize;

/// An opaque colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Colour(pub u32);

impl Colour {
    /// As "#rrggbb".
    pub fn hex(self) -> String {
        format!("#{:06x}", self.0 & 0xff_ffff)
    }

    /// Red, green and blue in linear light, 0…1.
    pub fn linear(self) -> [f64; 3] {
        [16, 8, 0].map(|shift| {
            let c = f64::from(self.0 >> shift & 255) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        })
    }

    /// Relative luminance as WCAG defines it, 0…1.
    pub fn luminance(self) -> f64 {
        let [r, g, b] = self.linear();
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// Contrast ratio as WCAG defines it, 1…21.
    pub fn contrast(self, other: Colour) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// A step towards another colour: 0 stays, 1 arrives.
    pub fn towards(self, other: Colour, share: f64) -> Colour {
        let mix = |shift: u32| {
            let (a, b) = (f64::from(self.0 >> shift & 255), f64::from(other.0 >> shift & 255));
            ((a + (b - a) * share).round() as u32) << shift
        };
        Colour(mix(16) | mix(8) | mix(0))
    }
}

/// Number of categories: workers, sources and cores take them in turn.
pub const CATEGORIES: usize = 24;

/// Number of slots with a colour of their own in each theme; the rest are made from those.
const OWN: usize = 49;

/// Number of slots.
pub const SLOTS: usize = 105;

// Cells of grids have a byte for their slot.
const _: () = assert!(SLOTS <= 256);

/// A row of slots for magnitudes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ramp {
    /// First slot.
    pub first: u16,
    /// How many.
    pub steps: u16,
}

impl Ramp {
    /// From little, near the surface, to much.
    pub const MORE: Ramp = Ramp { first: 58, steps: 16 };
    /// The same without a hue, for what is no category and no problem, such as waiting.
    pub const GREY: Ramp = Ramp { first: 74, steps: 16 };
    /// Less, equal in the middle, more.
    pub const DIFFERENCE: Ramp = Ramp { first: 90, steps: 15 };

    /// All of them with their names.
    pub const ALL: [(&'static str, Ramp); 3] =
        [("more", Ramp::MORE), ("grey", Ramp::GREY), ("difference", Ramp::DIFFERENCE)];

    /// The slot of a share in 0…1; of [`Ramp::DIFFERENCE`] 0.5 is no difference.
    pub fn slot(self, share: f64) -> u16 {
        let last = f64::from(self.steps - 1);
        let at = if share.is_finite() { (share * last).round().clamp(0.0, last) } else { 0.0 };
        self.first + at as u16
    }
}

/// The step of a ramp for a level of 1…255: the first for 1, the last for 255.
pub fn step(level: u8, steps: u16) -> u16 {
    let steps = u32::from(steps.max(1));
    ((u32::from(level.max(1)) - 1) * steps / 255) as u16
}

/// The named slots, as `docs/api.md` lists them.
pub mod slot {
    /// Kinds of nodes: create, wait, other, end, section, task; the others have places of their own.
    pub const KIND: u16 = 24;
    /// Running intervals in the profile.
    pub const RUNNING: u16 = 30;
    /// Ready intervals in the profile: end, create, create-cont, wait-cont, other.
    pub const READY: u16 = 31;
    /// Several workers, several cores.
    pub const SEVERAL: u16 = 36;
    /// Outside of what is looked at, or not known.
    pub const MUTED: u16 = 37;
    /// An opened node.
    pub const ENVELOPE: u16 = 38;
    /// Folded siblings.
    pub const REPEAT: u16 = 39;
    /// Kinds of nodes: fork.
    pub const FORK: u16 = 40;
    /// Kinds of nodes: chunk.
    pub const CHUNK: u16 = 41;
    /// A problem: a little, clearly, and far beyond its threshold.
    pub const PROBLEM: u16 = 42;
    /// A problem is looked at, and this has nothing of it.
    pub const GOOD: u16 = 45;
    /// Lost time: nothing to run, the runtime's doing, held up by something else. Always with a pattern.
    pub const LOST: u16 = 46;
    /// The surface.
    pub const SURFACE: u16 = 49;
    /// A surface a little apart from it.
    pub const RAISED: u16 = 50;
    /// Lines of a grid.
    pub const GRID: u16 = 51;
    /// Borders.
    pub const LINE: u16 = 52;
    /// Edges between marks.
    pub const EDGE: u16 = 53;
    /// Text of less weight.
    pub const FAINT: u16 = 54;
    /// Text.
    pub const TEXT: u16 = 55;
    /// What is chosen.
    pub const ACCENT: u16 = 56;
    /// Problems and the critical path.
    pub const RED: u16 = 57;

    /// All of them with their names.
    pub const ALL: [(&str, u16); 21] = [
        ("kind", KIND),
        ("running", RUNNING),
        ("ready", READY),
        ("several", SEVERAL),
        ("muted", MUTED),
        ("envelope", ENVELOPE),
        ("repeat", REPEAT),
        ("fork", FORK),
        ("chunk", CHUNK),
        ("problem", PROBLEM),
        ("good", GOOD),
        ("lost", LOST),
        ("surface", SURFACE),
        ("raised", RAISED),
        ("grid", GRID),
        ("line", LINE),
        ("edge", EDGE),
        ("faint", FAINT),
        ("text", TEXT),
        ("accent", ACCENT),
        ("red", RED),
    ];
}

/// Everything that a writer needs to resolve colours.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    /// Background.
    pub surface: Colour,
    /// Text.
    pub text: Colour,
    /// Text of less weight, axes.
    pub faint: Colour,
    /// Borders and grid lines.
    pub line: Colour,
    /// Edges of the DAG.
    pub edge: Colour,
    /// Problems and the critical path.
    pub red: Colour,
    /// A surface a little apart.
    pub raised: Colour,
    /// What is chosen.
    pub accent: Colour,
    /// Colours of the first slots.
    own: [Colour; OWN],
    /// Stops of [`Ramp::MORE`], from little to much.
    more: [Colour; 5],
    /// Stops of [`Ramp::DIFFERENCE`].
    difference: [Colour; 5],
}

const fn slots(categories: [u32; CATEGORIES], named: [u32; OWN - CATEGORIES]) -> [Colour; OWN] {
    let mut all = [Colour(0); OWN];
    let mut i = 0;
    while i < OWN {
        all[i] = Colour(if i < CATEGORIES { categories[i] } else { named[i - CATEGORIES] });
        i += 1;
    }
    all
}

const fn colours(hex: [u32; 5]) -> [Colour; 5] {
    [Colour(hex[0]), Colour(hex[1]), Colour(hex[2]), Colour(hex[3]), Colour(hex[4])]
}

/// A colour between the stops: 0 is the first, 1 the last.
fn between(stops: &[Colour], share: f64) -> Colour {
    let at = share.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
    let from = (at as usize).min(stops.len() - 2);
    stops[from].towards(stops[from + 1], at - from as f64)
}

impl Theme {
    /// On a light surface.
    pub const LIGHT: Theme = Theme {
        surface: Colour(0xffffff),
        text: Colour(0x1c2127),
        faint: Colour(0x5a6470),
        line: Colour(0xc9ced6),
        edge: Colour(0x7d8793),
        red: Colour(0xc8102e),
        raised: Colour(0xf5f6f8),
        accent: Colour(0x0b62c4),
        more: colours([0xdce3ea, 0xa9bdd3, 0x6d8fb8, 0x34619a, 0x0a2a5e]),
        difference: colours([0x0b6a84, 0x7ab6c4, 0xd9dde1, 0xe9b176, 0xcf6d0c]),
        own: slots(
            [
                0x4c7fb2, 0xe29b00, 0x90d3bf, 0x23823e, 0x42379d, 0xe2d62d, 0x53b1e6, 0x45ab9a, 0xb34ca1,
                0xb4814f, 0xcd7aa8, 0x3b7a7a, 0xebadb9, 0xd4c36e, 0x7b5a88, 0xc2afdd, 0x9b9b35, 0x9271b7,
                0xb4c528, 0x81c5e6, 0x10a277, 0x61869c, 0xac7b25, 0x177bbc,
            ],
            [
                0x3f8fd0, 0xe0a030, 0x96a0ab, 0x2f9c86, 0xcfc3e8,
                0xb5cfe9, // create, wait, other, end, section, task
                0x2b6cb0, 0xe3d4ee, 0xf7deb5, 0xfaeec8, 0xcfe7f4,
                0xe1e5ea, // running, ready by edge: pale, as no category is
                0xa9b3be, 0xdfe3e8, 0xf4f6f9, 0xece6d6, // several, muted, envelope, repeat
                0x7d6fd0, 0x8fb53c, // fork, chunk
                0xe89aa0, 0xd9485a, 0xc8102e, 0x2e8540, // problems, none
                0x8a949f, 0xd08a1c, 0x8e63b5, // lost
            ],
        ),
    };

    /// On a dark surface.
    pub const DARK: Theme = Theme {
        surface: Colour(0x14171c),
        text: Colour(0xe6e9ee),
        faint: Colour(0x9aa4b1),
        line: Colour(0x3a424d),
        edge: Colour(0x76818f),
        red: Colour(0xff5c6c),
        raised: Colour(0x1c2025),
        accent: Colour(0x6cb2ff),
        more: colours([0x2c3440, 0x4f5866, 0x7d7f7e, 0xb5a878, 0xf7e27a]),
        difference: colours([0x4cc0d4, 0x2b7688, 0x3a424d, 0x9a6430, 0xf0a050]),
        own: slots(
            [
                0x6392c3, 0xe3a22e, 0x92d0bd, 0x489959, 0x605dbd, 0xdacf3f, 0x63b7e8, 0x5bb5a5, 0xc565b3,
                0xc09062, 0xd587b1, 0x589090, 0xe6aeb8, 0xd0c174, 0x9373a0, 0xc2b1db, 0xa6a64d, 0xa284c6,
                0xb5c540, 0x87c4e3, 0x3fb087, 0x7697ac, 0xba8d43, 0x4091ce,
            ],
            [
                0x5aa5e0, 0xe3ad4c, 0x848e9a, 0x45b39c, 0x6a5f8c,
                0x45617f, // create, wait, other, end, section, task
                0x4d94dd, 0x463853, 0x5a4522, 0x554c2c, 0x284a5c,
                0x3b434d, // running, ready by edge: dim, as no category is
                0x6b7683, 0x2c323b, 0x1c2129, 0x3d3a31, // several, muted, envelope, repeat
                0x9488e0, 0x9dbd55, // fork, chunk
                0xa65a63, 0xd9596a, 0xff5c6c, 0x4fae6a, // problems, none
                0x8b96a3, 0xd9a047, 0xa98acb, // lost
            ],
        ),
    };

    /// The colour of a slot; a slot that does not exist is drawn as not known.
    pub fn slot(&self, slot: u16) -> Colour {
        if let Some(&colour) = self.own.get(usize::from(slot)) {
            return colour;
        }
        let share = |ramp: Ramp| {
            (ramp.first..ramp.first + ramp.steps)
                .contains(&slot)
                .then(|| f64::from(slot - ramp.first) / f64::from(ramp.steps - 1))
        };
        match slot {
            slot::SURFACE => self.surface,
            slot::RAISED => self.raised,
            slot::GRID => self.grid(),
            slot::LINE => self.line,
            slot::EDGE => self.edge,
            slot::FAINT => self.faint,
            slot::TEXT => self.text,
            slot::ACCENT => self.accent,
            slot::RED => self.red,
            _ => match (share(Ramp::MORE), share(Ramp::GREY), share(Ramp::DIFFERENCE)) {
                (Some(share), _, _) => between(&self.more, share),
                (_, Some(share), _) => self.surface.towards(self.text, 0.1 + 0.75 * share),
                (_, _, Some(share)) => between(&self.difference, share),
                _ => self.own[usize::from(slot::MUTED)],
            },
        }
    }

    /// Colours of all slots.
    pub fn slots(&self) -> Vec<Colour> {
        (0..SLOTS as u16).map(|slot| self.slot(slot)).collect()
    }

    /// Lines of a grid.
    pub fn grid(&self) -> Colour {
        self.surface.towards(self.line, 0.6)
    }

    /// Text on a solid fill: black or white, one of which has a contrast of at least 4.58 on any colour.
    pub fn text_on(&self, fill: Colour) -> Colour {
        let (black, white) = (Colour(0), Colour(0xffffff));
        if fill.contrast(black) >= fill.contrast(white) { black } else { white }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How a colour is seen by a person without green cones or without red cones (Machado et al. 2009), in OKLab.
    fn seen(colour: Colour, matrix: [[f64; 3]; 3]) -> [f64; 3] {
        let rgb = colour.linear();
        let [r, g, b] =
            matrix.map(|row| row.iter().zip(rgb).map(|(m, c)| m * c).sum::<f64>().clamp(0.0, 1.0));
        let l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b).cbrt();
        let m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b).cbrt();
        let s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b).cbrt();
        [
            0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
        ]
    }

    const NORMAL: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    const DEUTERANOPIA: [[f64; 3]; 3] =
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]];
    const PROTANOPIA: [[f64; 3]; 3] =
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]];

    #[test]
    fn the_first_workers_can_be_told_apart_by_everybody() {
        for theme in [Theme::LIGHT, Theme::DARK] {
            for matrix in [NORMAL, DEUTERANOPIA, PROTANOPIA] {
                for i in 0..8 {
                    for j in 0..i {
                        let (a, b) = (seen(theme.own[i], matrix), seen(theme.own[j], matrix));
                        let distance: f64 = a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
                        assert!(distance > 0.06, "slots {i} and {j}: {distance}");
                    }
                }
            }
        }
    }

    #[test]
    fn all_categories_differ() {
        for theme in [Theme::LIGHT, Theme::DARK] {
            for i in 0..CATEGORIES {
                for j in 0..i {
                    let (a, b) = (seen(theme.own[i], NORMAL), seen(theme.own[j], NORMAL));
                    let distance: f64 = a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
                    assert!(distance > 0.025, "slots {i} and {j}: {distance}");
                }
            }
        }
    }

    /// What is ready never looks like a worker or a line.
    #[test]
    fn ready_is_no_category() {
        for theme in [Theme::LIGHT, Theme::DARK] {
            for ready in slot::READY..slot::READY + 5 {
                for i in 0..CATEGORIES {
                    let (a, b) = (seen(theme.slot(ready), NORMAL), seen(theme.own[i], NORMAL));
                    let distance: f64 = a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
                    assert!(distance > 0.05, "slots {ready} and {i}: {distance}");
                }
            }
        }
    }

    #[test]
    fn text_can_be_read_on_every_fill() {
        for theme in [Theme::LIGHT, Theme::DARK] {
            assert!(theme.text.contrast(theme.surface) >= 7.0);
            assert!(theme.faint.contrast(theme.surface) >= 4.5);
            assert!(theme.red.contrast(theme.surface) >= 4.5);
            for (i, fill) in theme.slots().into_iter().enumerate() {
                let ratio = theme.text_on(fill).contrast(fill);
                assert!(ratio >= 4.5, "slot {i}: {ratio}");
            }
        }
    }

    /// More is further from the surface at every step, for everybody; a difference is told by its hue.
    #[test]
    fn ramps_can_be_read() {
        for theme in [Theme::LIGHT, Theme::DARK] {
            for ramp in [Ramp::MORE, Ramp::GREY] {
                for matrix in [NORMAL, DEUTERANOPIA, PROTANOPIA] {
                    let far = |slot: u16| {
                        (seen(theme.slot(slot), matrix)[0] - seen(theme.surface, matrix)[0]).abs()
                    };
                    for slot in ramp.first + 1..ramp.first + ramp.steps {
                        assert!(far(slot) > far(slot - 1), "slot {slot}");
                    }
                }
            }
            let ends = [Ramp::DIFFERENCE.slot(0.0), Ramp::DIFFERENCE.slot(0.5), Ramp::DIFFERENCE.slot(1.0)];
            for matrix in [NORMAL, DEUTERANOPIA, PROTANOPIA] {
                for (i, j) in [(0, 1), (1, 2), (0, 2)] {
                    let (a, b) = (seen(theme.slot(ends[i]), matrix), seen(theme.slot(ends[j]), matrix));
                    let distance: f64 = a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
                    assert!(distance > 0.12, "{i} and {j}: {distance}");
                }
            }
        }
    }

    #[test]
    fn slots_do_not_overlap() {
        let mut used: Vec<u16> = slot::ALL.iter().map(|&(_, slot)| slot).collect();
        used.extend(Ramp::ALL.iter().flat_map(|&(_, ramp)| ramp.first..ramp.first + ramp.steps));
        let count = used.len();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len(), count);
        assert_eq!(usize::from(used[count - 1]), SLOTS - 1);
    }

    #[test]
    fn levels_fill_a_ramp() {
        assert_eq!((step(0, 16), step(1, 16), step(255, 16)), (0, 0, 15));
        assert_eq!((step(127, 2), step(129, 2), step(255, 1)), (0, 1, 0));
        assert_eq!(Ramp::DIFFERENCE.slot(0.5), Ramp::DIFFERENCE.first + 7);
        assert_eq!(Ramp::MORE.slot(f64::NAN), Ramp::MORE.first);
    }

    #[test]
    fn hex() {
        assert_eq!(Colour(0x00ff10).hex(), "#00ff10");
        assert_eq!(Colour(0).towards(Colour(0xffffff), 0.5), Colour(0x808080));
    }
}
