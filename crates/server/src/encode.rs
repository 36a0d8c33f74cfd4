//! Answers as bytes: a length, JSON, and the columns of a scene (see `docs/api.md`).

use std::io::Write;

use crosscut_view::scene::Scene;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use crate::protocol::{AreaHead, SceneHead, StripHead};

/// The scene without its columns.
pub fn head(scene: &Scene) -> SceneHead {
    SceneHead {
        width: scene.width,
        height: scene.height,
        boxes: scene.boxes.len(),
        links: scene.links.len(),
        labels: scene.labels.clone(),
        strips: scene
            .strips
            .iter()
            .map(|s| StripHead { x: s.x, y: s.y, cell: s.cell, h: s.h, row: s.row, n: s.node.len() })
            .collect(),
        areas: scene
            .areas
            .iter()
            .map(|a| AreaHead { name: a.name.clone(), fill: a.fill, x: a.x, cell: a.cell, n: a.y0.len() })
            .collect(),
        x_axis: scene.x_axis.clone(),
        y_axis: scene.y_axis.clone(),
        legend: scene.legend.clone(),
        note: scene.note.clone(),
    }
}

/// JSON with its length before it, padded such that what follows is aligned.
pub fn frame(json: &impl Serialize) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    if let Err(error) = serde_json::to_writer(&mut bytes, json) {
        eprintln!("crosscut: an answer could not be written: {error}");
        bytes.truncate(4);
        bytes.extend_from_slice(b"{\"id\":0,\"error\":{\"error\":\"an answer could not be written\"}}");
    }
    while !bytes.len().is_multiple_of(4) {
        bytes.push(b' ');
    }
    let length = (bytes.len() - 4) as u32;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// Answers from this size on are compressed: a person may look at a cluster's run through a slow tunnel.
const LARGE: usize = 32 << 10;
/// Stands in place of the JSON's length before a compressed answer.
const COMPRESSED: [u8; 4] = [0xff; 4];

/// The answer as it is sent.
pub fn packed(bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() < LARGE {
        return bytes;
    }
    let mut encoder = GzEncoder::new(COMPRESSED.to_vec(), Compression::fast());
    match encoder.write_all(&bytes).and_then(|()| encoder.finish()) {
        Ok(packed) => packed,
        Err(_) => bytes,
    }
}

/// Appends the columns of a scene.
pub fn columns(bytes: &mut Vec<u8>, scene: &Scene) {
    let boxes = &scene.boxes;
    for column in [&boxes.x, &boxes.y, &boxes.w, &boxes.h] {
        floats(bytes, column);
    }
    numbers(bytes, &boxes.node);
    for fill in &boxes.fill {
        bytes.extend_from_slice(&fill.to_le_bytes());
    }
    pad(bytes);
    small(bytes, &boxes.shape);
    small(bytes, &boxes.flags);
    let links = &scene.links;
    for column in [&links.x0, &links.y0, &links.x1, &links.y1] {
        floats(bytes, column);
    }
    numbers(bytes, &links.from);
    numbers(bytes, &links.to);
    small(bytes, &links.kind);
    small(bytes, &links.flags);
    for strip in &scene.strips {
        numbers(bytes, &strip.node);
        small(bytes, &strip.full);
        small(bytes, &strip.fill);
    }
    for area in &scene.areas {
        floats(bytes, &area.y0);
        floats(bytes, &area.y1);
    }
}

fn floats(bytes: &mut Vec<u8>, column: &[f32]) {
    column.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
}

fn numbers(bytes: &mut Vec<u8>, column: &[u32]) {
    column.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
}

fn small(bytes: &mut Vec<u8>, column: &[u8]) {
    bytes.extend_from_slice(column);
    pad(bytes);
}

fn pad(bytes: &mut Vec<u8>) {
    while !bytes.len().is_multiple_of(4) {
        bytes.push(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosscut_view::scene::{Area, LinkKind, Shape, Strip};

    #[test]
    fn large_answers_are_compressed() {
        let small = vec![7; LARGE - 1];
        assert_eq!(packed(small.clone()), small);
        let large: Vec<u8> = (0..200_000u32).map(|i| (i / 100) as u8).collect();
        let sent = packed(large.clone());
        assert!(sent.len() < large.len() / 4);
        assert_eq!(sent[..4], COMPRESSED);
        let mut back = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&sent[4..]), &mut back).unwrap();
        assert_eq!(back, large);
    }

    #[test]
    fn the_layout_is_that_of_the_document() {
        let mut scene = Scene::default();
        scene.boxes.push(1.0, 2.0, 3.0, 4.0, 5, 6, Shape::Wait, 7);
        scene.links.push((1.5, 2.5), (3.5, 4.5), (8, 9), LinkKind::Sync, 2);
        scene.strips.push(Strip {
            full: vec![10, 11],
            fill: vec![12, 13],
            node: vec![14, 15],
            ..Strip::default()
        });
        scene.areas.push(Area { y0: vec![16.0], y1: vec![17.0], ..Area::default() });
        let mut bytes = frame(&serde_json::json!({"id": 1}));
        let n = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        assert_eq!(bytes.len(), 4 + n);
        assert_eq!(n % 4, 0);
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&bytes[4..]).unwrap()["id"], 1);
        let from = bytes.len();
        columns(&mut bytes, &scene);
        let word = |k: usize| <[u8; 4]>::try_from(&bytes[from + 4 * k..from + 4 * k + 4]).unwrap();
        let float = |k| f32::from_le_bytes(word(k));
        assert_eq!([float(0), float(1), float(2), float(3)], [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(u32::from_le_bytes(word(4)), 5);
        assert_eq!(word(5), [6, 0, 0, 0]);
        assert_eq!(word(6), [Shape::Wait as u8, 0, 0, 0]);
        assert_eq!(word(7), [7, 0, 0, 0]);
        assert_eq!([float(8), float(9), float(10), float(11)], [1.5, 2.5, 3.5, 4.5]);
        assert_eq!([u32::from_le_bytes(word(12)), u32::from_le_bytes(word(13))], [8, 9]);
        assert_eq!(word(14), [LinkKind::Sync as u8, 0, 0, 0]);
        assert_eq!(word(15), [2, 0, 0, 0]);
        assert_eq!([u32::from_le_bytes(word(16)), u32::from_le_bytes(word(17))], [14, 15]);
        assert_eq!(word(18), [10, 11, 0, 0]);
        assert_eq!(word(19), [12, 13, 0, 0]);
        assert_eq!([float(20), float(21)], [16.0, 17.0]);
        assert_eq!(bytes.len(), from + 22 * 4);
    }
}
