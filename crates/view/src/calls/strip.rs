//! The strip at the foot: what each rank spent, or each place where there is one rank, stacked by module. The brush that every view follows.

use crosscut_scene::palette::slot;
use crosscut_scene::{Area, Brush, LegendItem, Mark, Plot, Rect, Scene};
use crosscut_workbench::{Drawn, Job, Look, Refusal};

use super::opened::Opened;
use super::{bins, styles};

/// Modules that have a layer of their own.
const LAYERS: usize = 6;
const SIDE: f32 = 8.0;
const FOOT: f32 = 18.0;

/// Draws a look.
pub fn draw(opened: &Opened, look: &Look, job: &Job<'_>) -> Result<Drawn, Refusal> {
    job.check()?;
    let size = look.size.sound();
    let rect =
        Rect { x: SIDE, y: 2.0, w: (size.w - 2.0 * SIDE).max(16.0), h: (size.h - FOOT - 4.0).max(8.0) };
    let mut scene = Scene { width: size.w, height: size.h, ..Scene::default() };
    let peers = opened.peers();
    let by: Vec<Vec<i64>> = opened.by_module().iter().map(|values| peers.sums(values)).collect();
    let places = peers.len().max(1);
    let x = bins::axis(peers, opened.calls.place_count(), rect);
    let title = format!("{}s", peers.each().word());
    scene.begin(Plot { rect, title, x: Some(x), brush: Brush::Places, ..Plot::default() });
    let cells = places.min(rect.w as usize).max(1);
    let whole: Vec<f64> = (0..places)
        .map(|place| by.iter().map(|row| row.get(place).copied().unwrap_or(0) as f64).sum())
        .collect();
    let most = whole.iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let mut below = vec![0.0f64; cells];
    let modules = opened.modules();
    let mut layers: Vec<(String, u16, Vec<i64>)> = (by.iter().zip(modules.all()).take(LAYERS))
        .map(|(row, (name, slot))| (name.to_owned(), slot, row.clone()))
        .collect();
    let mut rest = vec![0i64; places];
    for row in by.iter().skip(LAYERS) {
        rest.iter_mut().zip(row).for_each(|(sum, value)| *sum = sum.saturating_add(*value));
    }
    if by.len() > LAYERS {
        layers.push((format!("{} more", by.len() - LAYERS), slot::MUTED, rest));
    }
    let style = scene.styles.put(&styles::LAYER);
    let bottom = rect.y + rect.h;
    let height = |value: f64| bottom - (value / most) as f32 * rect.h;
    for (name, slot, row) in layers {
        let y0: Vec<f32> = below.iter().map(|&value| height(value)).collect();
        for (cell, sum) in below.iter_mut().enumerate() {
            let range = cell * places / cells..((cell + 1) * places / cells).max(cell * places / cells + 1);
            let of = row.get(range).unwrap_or_default();
            *sum += of.iter().map(|&value| value as f64).sum::<f64>() / of.len().max(1) as f64;
        }
        let y1 = below.iter().map(|&value| height(value)).collect();
        let mark = Mark::none().looks(style, slot);
        scene.legend.push(LegendItem::new(slot, name.clone()));
        scene.areas.push(Area { name, mark, x: rect.x, cell: rect.w / cells as f32, y0, y1 });
    }
    scene.end();
    bins::numbers(peers, rect, &mut scene);
    Ok(Drawn::scene(scene, cells))
}
