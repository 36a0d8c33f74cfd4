//! How large a picture and its answer may be: more could neither be read nor drawn fast. Checked here and nowhere else.

use crate::scene::Scene;

/// Marks at most; strokes of edges and parts of other marks not counted.
pub const MARKS: usize = 20_000;
/// Bytes of an answer at most, as they are sent (compressed): a picture of [`MARKS`] marks with all its edges and texts takes
/// 1.6 MB. What a page opens by itself stays below 300 KiB.
pub const BYTES: usize = 2 << 20;

/// A picture or an answer that is too large to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    /// Too many marks.
    #[error(
        "the picture would have {0} marks, which is more than 20,000: fold or close something, or look at a part"
    )]
    Marks(usize),
    /// Too many bytes.
    #[error(
        "the answer would take {0} bytes, which is more than 2 MiB: fold or close something, or look at a part"
    )]
    Bytes(usize),
}

/// Number of marks that count.
pub fn marks(scene: &Scene) -> usize {
    let whole: Vec<bool> = scene.styles.all().iter().map(|style| !style.moves).collect();
    let counts = |styles: &[u16]| {
        styles.iter().filter(|&&at| whole.get(usize::from(at)).copied().unwrap_or(true)).count()
    };
    counts(&scene.boxes.style)
        + counts(&scene.points.style)
        + counts(&scene.ribbons.style)
        + counts(&scene.polygons.style)
        + scene.areas.len()
        + scene.grids.len()
}

/// Whether the picture may be shown.
pub fn check(scene: &Scene) -> Result<(), TooLarge> {
    match marks(scene) {
        marks if marks > MARKS => Err(TooLarge::Marks(marks)),
        _ => Ok(()),
    }
}

/// Whether an answer of this many bytes, as they would be sent, may be.
pub fn check_sent(bytes: usize) -> Result<(), TooLarge> {
    if bytes > BYTES { Err(TooLarge::Bytes(bytes)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mark, Style};

    #[test]
    fn parts_and_strokes_do_not_count() {
        let mut scene = Scene::default();
        let (whole, part) = (scene.styles.put(&Style::BOX), scene.styles.put(&Style::PART));
        for node in 0..MARKS as u32 {
            scene.boxes.push([0.0; 4], Mark::of(node).looks(whole, 0));
            scene.boxes.push([0.0; 4], Mark::of(node).looks(part, 0));
            scene.links.push([0.0; 4], Mark::pair(node, 0).looks(whole, 0));
        }
        assert_eq!(check(&scene), Ok(()));
        scene.points.push([0.0; 3], Mark::of(0).looks(whole, 0));
        assert_eq!(check(&scene), Err(TooLarge::Marks(MARKS + 1)));
    }

    #[test]
    fn answers_have_a_limit() {
        assert_eq!(check_sent(BYTES), Ok(()));
        assert_eq!(check_sent(BYTES + 1), Err(TooLarge::Bytes(BYTES + 1)));
    }
}
