//! PNG from the same Scene, by way of its SVG. Text needs a font of the system.

use std::sync::{Arc, OnceLock};

use resvg::{tiny_skia, usvg};

use crate::palette::Theme;
use crate::scene::Scene;
use crate::svg::svg;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The system has no font.
    #[error(
        "no font was found on this system, so the labels cannot be drawn: install one (for example the Debian package fonts-dejavu-core) or ask for SVG"
    )]
    NoFont,
    /// The picture has no extent, or is too large at any scale.
    #[error("a picture of {width} × {height} pixels cannot be made")]
    Size {
        /// Width in pixels.
        width: f32,
        /// Height in pixels.
        height: f32,
    },
    /// The SVG could not be read.
    #[error("the picture could not be drawn: {0}")]
    Draw(String),
}

/// Longest side in pixels; larger pictures are scaled down.
const SIDE: f32 = 12_000.0;
/// Largest area in pixels.
const AREA: f32 = 48.0e6;

/// The fonts of the system, read once.
fn fonts() -> Arc<usvg::fontdb::Database> {
    static FONTS: OnceLock<Arc<usvg::fontdb::Database>> = OnceLock::new();
    let load = || {
        let mut fonts = usvg::fontdb::Database::new();
        fonts.load_system_fonts();
        let liked = ["Noto Sans", "DejaVu Sans", "Liberation Sans", "Arial", "Helvetica"];
        let has =
            |name: &str| fonts.faces().any(|face| face.families.iter().any(|(family, _)| family == name));
        let family = liked.into_iter().find(|name| has(name)).map(str::to_owned);
        let any = || fonts.faces().find_map(|face| face.families.first().map(|(family, _)| family.clone()));
        if let Some(family) = family.or_else(any) {
            fonts.set_sans_serif_family(family);
        }
        Arc::new(fonts)
    };
    FONTS.get_or_init(load).clone()
}

/// The picture at `scale` pixels per CSS pixel, or less when it would be too large.
pub fn png(scene: &Scene, theme: &Theme, scale: f32) -> Result<Vec<u8>, PngError> {
    let fonts = fonts();
    if fonts.is_empty() {
        return Err(PngError::NoFont);
    }
    let options =
        usvg::Options { fontdb: fonts, font_family: "sans-serif".to_owned(), ..usvg::Options::default() };
    let tree =
        usvg::Tree::from_str(&svg(scene, theme), &options).map_err(|e| PngError::Draw(e.to_string()))?;
    let (w, h) = (tree.size().width(), tree.size().height());
    let scale = if scale.is_finite() && scale > 0.0 { scale.min(8.0) } else { 1.0 };
    let scale = scale.min(SIDE / w.max(h)).min((AREA / (w * h)).sqrt());
    let (width, height) = ((w * scale).ceil(), (h * scale).ceil());
    let wrong = || PngError::Size { width, height };
    let mut pixels = tiny_skia::Pixmap::new(width as u32, height as u32).ok_or_else(wrong)?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|e| PngError::Draw(e.to_string()))
}
