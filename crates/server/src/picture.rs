//! `GET /api/picture?look=…`: what a look shows as SVG or PNG.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use crosscut_scene::palette::Theme;
use crosscut_scene::png::png;
use crosscut_scene::printable::printable;
use crosscut_scene::svg::svg;
use crosscut_workbench::{Cancel, Look, Refusal, Shown};
use hyper::body::{Frame, SizeHint};
use serde::Deserialize;

use crate::App;
use crate::desk::{Held, Seat};

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

/// Draws it when its turn has come.
pub async fn picture(
    State(app): State<Arc<App>>,
    parameters: Result<Query<Parameters>, axum::extract::rejection::QueryRejection>,
) -> Response {
    let refused = |why: String| (StatusCode::BAD_REQUEST, format!("{why}\n")).into_response();
    let parameters = match parameters {
        Ok(Query(parameters)) => parameters,
        Err(error) => return refused(error.to_string()),
    };
    let look: Look = match serde_json::from_str(&parameters.look) {
        Ok(look) => look,
        Err(error) => return refused(format!("look: {error}")),
    };
    let lane = app.bench.lane_of(&look);
    let seat = app.desk.sit();
    let asking = Asking(Cancel::default());
    let cancel = asking.0.clone();
    let Some(mut turn) = seat.turn(lane).await else { return refused("cancelled".to_owned()) };
    let drawn = tokio::task::spawn_blocking(move || {
        let drawn = turn.work(|| app.on_lane(lane, || draw(&app, &look, &parameters, &cancel)));
        let held = turn.done(drawn.as_ref().map_or(0, |picture| picture.bytes.len()));
        (drawn, held)
    })
    .await;
    match drawn {
        Ok((Ok(picture), held)) => picture.sent(held, seat),
        Ok((Err(refusal), _)) => refused(refusal.0),
        Err(error) => {
            eprintln!("crosscut: a picture failed: {}", printable(&error.to_string()));
            (StatusCode::INTERNAL_SERVER_ERROR, "this picture met a bug in crosscut\n").into_response()
        }
    }
}

/// Gives up the picture when nobody waits for it any more.
struct Asking(Cancel);

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// A picture as a file.
struct Picture {
    kind: &'static str,
    disposition: String,
    bytes: Bytes,
}

impl Picture {
    /// As an answer that counts until it is sent.
    fn sent(self, held: Held, seat: Seat) -> Response {
        let body = Body::new(Counted { rest: self.bytes, held: Some((held, seat)) });
        ([(CONTENT_TYPE, self.kind.to_owned()), (CONTENT_DISPOSITION, self.disposition)], body)
            .into_response()
    }
}

/// Bytes that are handed out piece by piece, as the other end takes them.
struct Counted {
    rest: Bytes,
    held: Option<(Held, Seat)>,
}

/// Bytes of a piece.
const PIECE: usize = 64 << 10;

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest.is_empty() {
            self.held = None;
            return Poll::Ready(None);
        }
        let length = self.rest.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

fn draw(app: &App, look: &Look, p: &Parameters, cancel: &Cancel) -> Result<Picture, Refusal> {
    let Shown::Scene(scene) = app.bench.draw_until(look, cancel)?.shown else {
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
    Ok(Picture { kind, disposition, bytes: bytes.into() })
}
