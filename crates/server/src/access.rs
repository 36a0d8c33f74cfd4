//! Who may talk to the server: a browser on this machine that was given the launch link.
//!
//! Three things keep others out. The socket is bound to loopback. The token in the link becomes a cookie that no script
//! can read and no other site can send. And Host and Origin must name the loopback address itself, so that a name that
//! an attacker lets point to 127.0.0.1 (DNS rebinding) or another page in the same browser gets nothing.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HOST, HeaderMap, HeaderName, HeaderValue,
    LOCATION, ORIGIN, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::{App, ServerError};

const COOKIE_NAME: &str = "crosscut";
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
                      object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The token and the names under which the server may be called.
pub struct Access {
    token: String,
    hosts: [String; 3],
    cookies: [String; 2],
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The token stays out of logs.
        f.debug_struct("Access").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}

impl Access {
    /// A new token for a server on this port.
    pub fn new(port: u16) -> Result<Access, ServerError> {
        let mut bytes = [0u8; 24];
        getrandom::fill(&mut bytes).map_err(|e| ServerError::Random(e.to_string()))?;
        Ok(Access {
            token: URL_SAFE_NO_PAD.encode(bytes),
            hosts: ["127.0.0.1", "localhost", "[::1]"].map(|host| format!("{host}:{port}")),
            // A browser keeps cookies by host without the port: the second one survives another workbench that is
            // opened on another port.
            cookies: [COOKIE_NAME.to_owned(), format!("{COOKIE_NAME}-{port}")],
        })
    }

    /// The token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Whether this is the token; takes as long for a wrong one as for the right one.
    fn is_token(&self, given: &str) -> bool {
        let (given, token) = (given.as_bytes(), self.token.as_bytes());
        let mut difference = usize::from(given.len() != token.len());
        for (i, byte) in token.iter().enumerate() {
            difference |= usize::from(byte ^ given.get(i).copied().unwrap_or(!byte));
        }
        std::hint::black_box(difference) == 0
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok()).any(|value| {
            value
                .split(';')
                .filter_map(|pair| pair.trim().split_once('='))
                .any(|(name, value)| self.cookies.iter().any(|known| known == name) && self.is_token(value))
        })
    }

    fn host_is_ours(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(HOST).iter();
        match (hosts.next().and_then(|host| host.to_str().ok()), hosts.next()) {
            (Some(host), None) => self.hosts.iter().any(|ours| ours.eq_ignore_ascii_case(host)),
            _ => false,
        }
    }

    fn origin_is_ours(&self, headers: &HeaderMap) -> bool {
        headers.get_all(ORIGIN).iter().all(|origin| {
            let host = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
            host.is_some_and(|host| self.hosts.iter().any(|ours| ours.eq_ignore_ascii_case(host)))
        })
    }
}

/// Lets a request through, turns the launch link into a cookie, or refuses; and sets the headers of every answer.
pub async fn check(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/api/");
    let mut response = match admit(&app.access, &request) {
        Verdict::In => next.run(request).await,
        Verdict::Login(response) | Verdict::Out(response) => response,
    };
    let headers = response.headers_mut();
    let fixed = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("x-frame-options"), "DENY"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if is_api || !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

enum Verdict {
    In,
    Login(Response),
    Out(Response),
}

fn admit(access: &Access, request: &Request) -> Verdict {
    let headers = request.headers();
    if !access.host_is_ours(headers) {
        return Verdict::Out(refuse(
            "This server answers only under its loopback address. Open the link that `crosscut view` printed.",
        ));
    }
    if !access.origin_is_ours(headers) {
        return Verdict::Out(refuse(
            "Another site may not use this server. Open the link that `crosscut view` printed.",
        ));
    }
    let uri = request.uri();
    if uri.path() == "/"
        && request.method() == Method::GET
        && let Some((token, rest)) = uri.query().and_then(split_token)
    {
        return if access.is_token(&token) {
            Verdict::Login(login(access, &rest))
        } else {
            Verdict::Out(refuse(
                "This link is from an earlier `crosscut view`. Use the link that the running one printed.",
            ))
        };
    }
    if access.has_cookie(headers) {
        Verdict::In
    } else {
        Verdict::Out(refuse("This browser was not let in. Open the link that `crosscut view` printed."))
    }
}

/// The token of a query and the query without it.
fn split_token(query: &str) -> Option<(String, String)> {
    let mut token = None;
    let rest: Vec<&str> = query
        .split('&')
        .filter(|pair| match pair.strip_prefix("token=") {
            Some(value) => {
                token.get_or_insert_with(|| value.to_owned());
                false
            }
            None => true,
        })
        .collect();
    token.map(|token| (token, rest.join("&")))
}

fn login(access: &Access, rest: &str) -> Response {
    let target = if rest.is_empty() { "/".to_owned() } else { format!("/?{rest}") };
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let headers = response.headers_mut();
    headers.insert(LOCATION, HeaderValue::from_str(&target).unwrap_or(HeaderValue::from_static("/")));
    for name in &access.cookies {
        let cookie = format!("{name}={}; HttpOnly; SameSite=Strict; Path=/", access.token);
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            headers.append(SET_COOKIE, cookie);
        }
    }
    response
}

fn refuse(why: &'static str) -> Response {
    let mut response = Response::new(Body::from(format!("{why}\n")));
    *response.status_mut() = StatusCode::FORBIDDEN;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_new() {
        let (a, b) = (Access::new(1).unwrap(), Access::new(1).unwrap());
        assert_eq!(a.token().len(), 32);
        assert_ne!(a.token(), b.token());
        assert!(a.is_token(a.token()));
        for wrong in ["", "x", b.token(), &a.token()[1..], &format!("{}x", a.token())] {
            assert!(!a.is_token(wrong));
        }
        assert!(!format!("{a:?}").contains(a.token()));
    }

    #[test]
    fn the_rest_of_a_query_is_kept() {
        assert_eq!(split_token("token=a"), Some(("a".into(), "".into())));
        assert_eq!(split_token("x=1&token=a&y=2"), Some(("a".into(), "x=1&y=2".into())));
        assert_eq!(split_token("x=1"), None);
    }
}
