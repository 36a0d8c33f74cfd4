//! How large a picture may be: more could neither be read nor drawn fast. Checked here and nowhere else.

use crate::scene::Scene;

/// Marks at most; strokes of edges and parts of other marks not counted.
pub const MARKS: usize = 20_000;
/// Bytes at most, as they are sent (compressed).
pub const BYTES: usize = 300 << 10;

/// A picture that is too large to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    /// Too many marks.
    #[error(
        "the picture would have {0} marks, which is more than 20,000: fold or close something, or look at a part"
    )]
    Marks(usize),
    /// Too many bytes.
    #[error(
        "the picture would take {0} bytes, which is more than 300 KiB: fold or close something, or look at a part"
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

/// Whether the picture may be sent; `sent` is its size in bytes as it would be.
pub fn check(scene: &Scene, sent: usize) -> Result<(), TooLarge> {
    let marks = marks(scene);
    if marks > MARKS {
        return Err(TooLarge::Marks(marks));
    }
    if sent > BYTES {
        return Err(TooLarge::Bytes(sent));
    }
    Ok(())
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
        assert_eq!(check(&scene, BYTES), Ok(()));
        assert_eq!(check(&scene, BYTES + 1), Err(TooLarge::Bytes(BYTES + 1)));
        scene.points.push([0.0; 3], Mark::of(0).looks(whole, 0));
        assert_eq!(check(&scene, 0), Err(TooLarge::Marks(MARKS + 1)));
    }
}
