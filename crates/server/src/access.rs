//! Who may talk to the server: a browser on this machine that was given the launch link.
//!
//! The socket is bound to loopback. Questions need the token of the link, which the page keeps and sends by itself: a
//! browser never sends it on its own. A browser does send cookies, to every server on 127.0.0.1 whatever its port, so the
//! cookie that lets the page's files out is worth nothing else. Host and Origin must name the loopback address itself, so that a
//! name that an attacker lets point to 127.0.0.1 (DNS rebinding) or another page in the same browser gets nothing. What is
//! handed to a browser's command line, where every user of the machine can read it, is a code that works once, soon, and
//! for the user who runs the server.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HOST, HeaderMap,
    HeaderName, HeaderValue, LOCATION, ORIGIN, REFERRER_POLICY, SEC_WEBSOCKET_PROTOCOL, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::doors::Visitor;
use crate::{App, ServerError, owner};

/// Time in which a code must be used: a browser that is not running yet takes a while.
const CODE_TIME: Duration = Duration::from_secs(60);
/// What stands before the token among the protocols that a page offers for its socket.
const OFFERED: &str = "token.";
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
                      object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The token, the cookie, and the names under which the server may be called.
pub struct Access {
    token: String,
    /// Name and value. A browser keeps cookies by host without the port: the name has it.
    cookie: (String, String),
    codes: Mutex<Vec<(String, Instant)>>,
    hosts: [String; 3],
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The token stays out of logs.
        f.debug_struct("Access").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}

/// A word that nobody can guess.
fn secret() -> Result<String, ServerError> {
    let mut bytes = [0u8; 24];
    getrandom::fill(&mut bytes).map_err(|e| ServerError::Random(e.to_string()))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Whether the words are the same; takes as long for a wrong one as for the right one.
fn same(given: &str, right: &str) -> bool {
    let (given, right) = (given.as_bytes(), right.as_bytes());
    let mut difference = usize::from(given.len() != right.len());
    for (i, byte) in right.iter().enumerate() {
        difference |= usize::from(byte ^ given.get(i).copied().unwrap_or(!byte));
    }
    std::hint::black_box(difference) == 0
}

impl Access {
    /// New secrets for a server on this port.
    pub fn new(port: u16) -> Result<Access, ServerError> {
        Ok(Access {
            token: secret()?,
            cookie: (format!("crosscut-{port}"), secret()?),
            codes: Mutex::default(),
            hosts: ["127.0.0.1", "localhost", "[::1]"].map(|host| format!("{host}:{port}")),
        })
    }

    /// The token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// A new code that stands for the token once, within a minute, for the user who runs the server.
    pub fn code(&self) -> Result<String, ServerError> {
        let code = secret()?;
        self.codes.lock().unwrap_or_else(PoisonError::into_inner).push((code.clone(), Instant::now()));
        Ok(code)
    }

    /// Uses up a code, if it is one and this user may.
    fn takes_code(&self, given: &str, user: Option<u32>) -> bool {
        if user != Some(owner::own()) {
            return false;
        }
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        codes.retain(|(_, made)| made.elapsed() < CODE_TIME);
        let found = codes.iter().position(|(code, _)| same(given, code));
        found.map(|at| codes.swap_remove(at)).is_some()
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let (name, right) = &self.cookie;
        headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok()).any(|value| {
            let mut pairs = value.split(';').filter_map(|pair| pair.trim().split_once('='));
            pairs.any(|(other, given)| other == name && same(given, right))
        })
    }

    /// Whether the token comes in a header that only a page or a program writes: `Authorization: Bearer TOKEN`, or among
    /// the protocols of a socket, for which a page can set no other header.
    fn has_token(&self, headers: &HeaderMap) -> bool {
        let text = |name| headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
        text(AUTHORIZATION)
            .any(|value| value.strip_prefix("Bearer ").is_some_and(|given| same(given, &self.token)))
            || text(SEC_WEBSOCKET_PROTOCOL).flat_map(|value| value.split(',')).any(|offered| {
                offered.trim().strip_prefix(OFFERED).is_some_and(|given| same(given, &self.token))
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

/// Whether a browser says that another page asks for this, be it one of another port.
fn another_page_asks(headers: &HeaderMap) -> bool {
    headers.get_all("sec-fetch-site").iter().any(|site| site != "same-origin" && site != "none")
}

/// Lets a request through, turns the launch link into a cookie, or refuses; and sets the headers of every answer.
pub async fn check(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let is_api = is_api(&request);
    let visitor = request.extensions().get::<Arc<Visitor>>().cloned();
    let user = visitor.as_ref().and_then(|visitor| visitor.user);
    let let_in = || visitor.as_ref().is_none_or(|visitor| visitor.is_let_in());
    let mut response = match admit(&app.access, &request, user) {
        Verdict::Out(why) => refuse(StatusCode::FORBIDDEN, why),
        Verdict::Code => redirect(&app.access),
        Verdict::In | Verdict::Login if !let_in() => {
            let why = "Too many connections are open. Close other windows of this workbench and try again.";
            refuse(StatusCode::SERVICE_UNAVAILABLE, why)
        }
        Verdict::In => next.run(request).await,
        Verdict::Login => login(&app.access, next.run(request).await),
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
    /// As it is.
    In,
    /// The page, with a cookie for its other files.
    Login,
    /// To the launch link.
    Code,
    /// Not at all, in these words.
    Out(&'static str),
}

fn is_api(request: &Request) -> bool {
    request.uri().path().starts_with("/api/")
}

fn admit(access: &Access, request: &Request, user: Option<u32>) -> Verdict {
    let headers = request.headers();
    if !access.host_is_ours(headers) {
        return Verdict::Out(
            "This server answers only under its loopback address. Open the link that `crosscut view` printed.",
        );
    }
    if !access.origin_is_ours(headers) {
        return Verdict::Out(
            "Another site may not use this server. Open the link that `crosscut view` printed.",
        );
    }
    let uri = request.uri();
    if uri.path() == "/" && request.method() == Method::GET {
        let given = |name| uri.query().and_then(|query| parameter(query, name));
        if let Some(token) = given("token=") {
            let old =
                "This link is from an earlier `crosscut view`. Use the link that the running one printed.";
            return if same(token, &access.token) { Verdict::Login } else { Verdict::Out(old) };
        }
        if let Some(code) = given("once=") {
            let used = "This link worked once and for one user. Open the link that `crosscut view` printed.";
            return if access.takes_code(code, user) { Verdict::Code } else { Verdict::Out(used) };
        }
    }
    let may = if is_api(request) {
        access.has_token(headers) && !another_page_asks(headers)
    } else {
        access.has_cookie(headers) && !another_page_asks(headers)
    };
    if may {
        return Verdict::In;
    }
    Verdict::Out("This browser was not let in. Open the link that `crosscut view` printed.")
}

/// The first value of a parameter, given with its equals sign.
fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query.split('&').find_map(|pair| pair.strip_prefix(name))
}

/// The page as an answer to the launch link: the page itself takes the token out of its address.
fn login(access: &Access, mut page: Response) -> Response {
    let (name, value) = &access.cookie;
    let headers = page.headers_mut();
    if let Ok(cookie) = HeaderValue::from_str(&format!("{name}={value}; HttpOnly; SameSite=Strict; Path=/")) {
        headers.append(SET_COOKIE, cookie);
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    page
}

/// From a code to the launch link. The connection ends: it has not shown the token.
fn redirect(access: &Access) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let headers = response.headers_mut();
    let target = format!("/?token={}", access.token);
    headers.insert(LOCATION, HeaderValue::from_str(&target).unwrap_or(HeaderValue::from_static("/")));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Says no, and ends the connection.
fn refuse(status: StatusCode, why: &'static str) -> Response {
    let mut response = Response::new(Body::from(format!("{why}\n")));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
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
        assert_ne!(a.cookie.1, a.token());
        assert!(same(a.token(), a.token()));
        for wrong in ["", "x", b.token(), &a.token()[1..], &format!("{}x", a.token())] {
            assert!(!same(wrong, a.token()));
        }
        assert!(!format!("{a:?}").contains(a.token()));
    }

    #[test]
    fn a_code_works_once_and_for_the_owner() {
        let access = Access::new(1).unwrap();
        let (first, second) = (access.code().unwrap(), access.code().unwrap());
        let own = Some(owner::own());
        assert!(!access.takes_code(&first, Some(owner::own() ^ 1)), "somebody else");
        assert!(!access.takes_code(&first, None), "nobody knows who");
        assert!(!access.takes_code("", own) && !access.takes_code(access.token(), own));
        assert!(access.takes_code(&first, own), "who else tried did not use it up");
        assert!(!access.takes_code(&first, own));
        let Some(hour) = Instant::now().checked_sub(Duration::from_secs(3600)) else { return };
        access.codes.lock().unwrap()[0].1 = hour;
        assert!(!access.takes_code(&second, own), "too late");
    }

    #[test]
    fn parameters_of_a_query() {
        assert_eq!(parameter("token=a", "token="), Some("a"));
        assert_eq!(parameter("x=1&token=a&token=b", "token="), Some("a"));
        assert_eq!(parameter("x=1&atoken=a", "token="), None);
    }
}
