//! The page, embedded from `ui/dist`. A debug build reads it from there at each request.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
#[allow_missing = true]
struct Dist;

const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Crosscut</title>\
<body style=\"font: 14px system-ui; max-width: 40em; margin: 4em auto; padding: 0 1em\">\
<h1>The page was not built</h1><p>Run <code>cargo xtask ui</code> in the checkout, then build and start \
<code>crosscut view</code> again.</p></body></html>";

/// Changes with every build of the page: one that meets another build loads itself again.
pub fn build() -> String {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
    // The names of all other files carry a hash of their content and stand in this one.
    let index = Dist::get("index.html").map(|file| file.data.into_owned()).unwrap_or_default();
    let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(&index);
    format!("{}-{hash:016x}", env!("CARGO_PKG_VERSION"))
}

/// Any file of the page; `/` is its `index.html`.
pub async fn file(uri: Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    // Names in the page are plain; anything else can only be somebody trying doors.
    let plain =
        path.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-/".contains(&b)) && !path.contains("..");
    match Dist::get(path).filter(|_| plain) {
        Some(file) => {
            let mut response = Response::new(Body::from(file.data.into_owned()));
            let headers = response.headers_mut();
            let kind = HeaderValue::from_str(file.metadata.mimetype());
            headers
                .insert(CONTENT_TYPE, kind.unwrap_or(HeaderValue::from_static("application/octet-stream")));
            // Names of assets carry a hash of their content; everything else must be asked for again.
            let cache =
                if path.starts_with("assets/") { "private, max-age=31536000, immutable" } else { "no-cache" };
            headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
            response
        }
        None if path == "index.html" => {
            ([(CONTENT_TYPE, "text/html; charset=utf-8")], NOT_BUILT).into_response()
        }
        None => (StatusCode::NOT_FOUND, "There is no such file.\n").into_response(),
    }
}
