//! `GET /api/picture`: a view as SVG or PNG, with the parameters of a scene request.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use crosscut_view::palette::Theme;
use crosscut_view::png::png;
use crosscut_view::svg::svg;
use serde::Deserialize;

use crate::App;
use crate::answer::{Refusal, open_run};
use crate::ops;
use crate::protocol::{ColourBy, LensRequest, Scale, SceneRequest, ViewName};

/// The parameters.
#[derive(Debug, Deserialize)]
pub struct Parameters {
    #[serde(default)]
    run: usize,
    view: ViewName,
    #[serde(default)]
    format: Format,
    #[serde(default)]
    cut: String,
    colour: Option<ColourBy>,
    scale: Option<Scale>,
    from: Option<f64>,
    to: Option<f64>,
    width: Option<f32>,
    height: Option<f32>,
    /// "1" or "true".
    #[serde(default)]
    critical: String,
    focus: Option<u32>,
    /// The problem that the grain view looks at, and where it begins.
    lens: Option<String>,
    threshold: Option<f64>,
    /// "1" or "true".
    #[serde(default)]
    alike: String,
    path_of: Option<u32>,
    #[serde(default)]
    theme: ThemeName,
    /// Pixels of a PNG per CSS pixel.
    zoom: Option<f32>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Svg,
    Png,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ThemeName {
    #[default]
    Light,
    Dark,
}

/// Draws it.
pub async fn picture(
    State(app): State<Arc<App>>,
    parameters: Result<Query<Parameters>, axum::extract::rejection::QueryRejection>,
) -> Response {
    let parameters = match parameters {
        Ok(Query(parameters)) => parameters,
        Err(error) => return (StatusCode::BAD_REQUEST, format!("{error}\n")).into_response(),
    };
    match tokio::task::spawn_blocking(move || draw(&app, &parameters)).await {
        Ok(Ok(response)) => response,
        Ok(Err(refusal)) => (StatusCode::BAD_REQUEST, format!("{refusal}\n")).into_response(),
        Err(error) => {
            eprintln!("crosscut: a picture failed: {error}");
            (StatusCode::INTERNAL_SERVER_ERROR, "this picture met a bug in crosscut\n").into_response()
        }
    }
}

fn is_on(switch: &str) -> bool {
    matches!(switch, "1" | "true")
}

fn draw(app: &App, p: &Parameters) -> Result<Response, Refusal> {
    let run = open_run(app, p.run)?;
    let end = run.tasks.summary().elapsed as f64;
    let window = (p.from.is_some() || p.to.is_some()).then(|| (p.from.unwrap_or(0.0), p.to.unwrap_or(end)));
    let request = SceneRequest {
        run: p.run,
        view: p.view,
        cut: p.cut.clone(),
        action: None,
        colour: p.colour.unwrap_or(if p.view == ViewName::Grain {
            ColourBy::Source
        } else {
            ColourBy::Worker
        }),
        scale: p.scale.unwrap_or(Scale::Even),
        window,
        width: p.width.unwrap_or(1200.0),
        height: p.height.unwrap_or(600.0),
        critical: is_on(&p.critical),
        focus: p.focus,
        lens: p.lens.clone().map(|problem| LensRequest { problem, threshold: p.threshold }),
        alike: is_on(&p.alike),
        path_of: p.path_of,
    };
    let (_, scene) = ops::scene::scene(run, &request)?;
    let theme = match p.theme {
        ThemeName::Light => Theme::LIGHT,
        ThemeName::Dark => Theme::DARK,
    };
    let (kind, ending, bytes) = match p.format {
        Format::Svg => ("image/svg+xml; charset=utf-8", "svg", svg(&scene, &theme).into_bytes()),
        Format::Png => {
            let bytes = png(&scene, &theme, p.zoom.unwrap_or(2.0)).map_err(|error| error.to_string())?;
            ("image/png", "png", bytes)
        }
    };
    let view = match p.view {
        ViewName::Dag => "dag",
        ViewName::Timeline => "timeline",
        ViewName::Profile => "profile",
        ViewName::Grain => "grain",
    };
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let name: String = run.tasks.run().name().chars().map(plain).collect();
    let disposition = format!("inline; filename=\"{name}-{view}.{ending}\"");
    Ok(([(CONTENT_TYPE, kind.to_owned()), (CONTENT_DISPOSITION, disposition)], bytes).into_response())
}
