//! `GET /api/picture?look=…`: what a look shows as SVG or PNG.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use crosscut_scene::palette::Theme;
use crosscut_scene::png::png;
use crosscut_scene::svg::svg;
use crosscut_workbench::{Look, Refusal, Shown};
use serde::Deserialize;

use crate::App;

/// The parameters.
#[derive(Debug, Deserialize)]
pub struct Parameters {
    /// The look as JSON.
    look: String,
    #[serde(default)]
    format: Format,
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

fn draw(app: &App, p: &Parameters) -> Result<Response, Refusal> {
    let look: Look = serde_json::from_str(&p.look).map_err(|error| Refusal::new(format!("look: {error}")))?;
    let Shown::Scene(scene) = app.bench.draw(&look)?.shown else {
        return Err(Refusal::new(format!("{} is text, not a picture", look.view)));
    };
    let theme = match p.theme {
        ThemeName::Light => Theme::LIGHT,
        ThemeName::Dark => Theme::DARK,
    };
    let (kind, ending, bytes) = match p.format {
        Format::Svg => ("image/svg+xml; charset=utf-8", "svg", svg(&scene, &theme).into_bytes()),
        Format::Png => {
            let bytes = png(&scene, &theme, p.zoom.unwrap_or(2.0))
                .map_err(|error| Refusal::new(error.to_string()))?;
            ("image/png", "png", bytes)
        }
    };
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let name = format!("{}-{}", app.bench.run(look.run)?.run.name(), look.view);
    let name: String = name.chars().map(plain).collect();
    let disposition = format!("inline; filename=\"{name}.{ending}\"");
    Ok(([(CONTENT_TYPE, kind.to_owned()), (CONTENT_DISPOSITION, disposition)], bytes).into_response())
}
