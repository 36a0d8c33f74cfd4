//! A table of hostile requests: what each of them gets. After every row the server must answer a friend as before.

mod support;

use serde_json::json;
use support::{Running, encoded, look, start};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Duration, timeout};

/// The statuses that will do; 0 is a connection that is closed without a word.
type Expect = &'static [u16];

/// No request at all, or one that is refused before anything is looked at.
const BAD: Expect = &[400, 403, 0];
/// Refused for want of a right.
const OUT: Expect = &[403];
/// There, but not so.
const NOT_SO: Expect = &[400, 404, 405];

/// Requests as bytes: `{host}`, `{cookie}` and `{bearer}` stand for those of a friend, `{in}` for all three as headers
/// of a last request, `{on}` for those of one that may be followed by others.
fn requests() -> Vec<(&'static str, Vec<u8>, Expect)> {
    let mut rows: Vec<(&'static str, Vec<u8>, Expect)> = Vec::new();
    let mut row = |what, request: &str, expect| rows.push((what, request.as_bytes().to_vec(), expect));
    // Methods.
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"] {
        row("another method", &format!("{method} / HTTP/1.1\r\n{{in}}Content-Length: 0\r\n\r\n"), NOT_SO);
    }
    row("TRACE", "TRACE /api/socket HTTP/1.1\r\n{in}\r\n", NOT_SO);
    row("CONNECT as a proxy would", "CONNECT example.com:443 HTTP/1.1\r\n{in}\r\n", &[400, 403, 404, 405]);
    row("a method of 70,000", &format!("{} / HTTP/1.1\r\n{{in}}\r\n", "A".repeat(70_000)), NOT_SO);
    row("a method in lower case", "get / HTTP/1.1\r\n{in}\r\n", NOT_SO);
    // Versions.
    row("HTTP/0.9", "GET /\r\n", BAD);
    row("HTTP/1.0 without a host", "GET / HTTP/1.0\r\n\r\n", OUT);
    row("HTTP/2 at once", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", BAD);
    row("HTTP/9", "GET / HTTP/9.9\r\n{in}\r\n", BAD);
    row(
        "an upgrade to h2c",
        "GET / HTTP/1.1\r\nHost: {host}\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
        OUT,
    );
    // Hosts: names that point here, and what could be taken for ours.
    for host in
        ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{port}"]
    {
        row("another host", &format!("GET / HTTP/1.1\r\nHost: {host}\r\nCookie: {{cookie}}\r\n\r\n"), OUT);
    }
    for host in
        ["127.1:{port}", "0.0.0.0:{port}", "[::]:{port}", "2130706433:{port}", "user@127.0.0.1:{port}"]
    {
        row(
            "a host that means us",
            &format!("GET / HTTP/1.1\r\nHost: {host}\r\nCookie: {{cookie}}\r\n\r\n"),
            BAD,
        );
    }
    row("no host", "GET / HTTP/1.1\r\nCookie: {cookie}\r\n\r\n", BAD);
    row("two hosts", "GET / HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\nCookie: {cookie}\r\n\r\n", OUT);
    row("an empty host", "GET / HTTP/1.1\r\nHost: \r\nCookie: {cookie}\r\n\r\n", BAD);
    row(
        "another host in the address",
        "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nCookie: {cookie}\r\n\r\n",
        OUT,
    );
    row(
        "a forwarded host",
        "GET / HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: {host}\r\nCookie: {cookie}\r\n\r\n",
        OUT,
    );
    // Origins and what a browser says of who asks.
    for origin in [
        "null",
        "http://evil.example",
        "https://{host}",
        "http://127.0.0.1:1",
        "http://{host}.evil.example",
        "file://",
    ] {
        row("another origin", &format!("GET /api/socket HTTP/1.1\r\n{{in}}Origin: {origin}\r\n\r\n"), OUT);
    }
    row(
        "two origins",
        "GET / HTTP/1.1\r\n{in}Origin: http://{host}\r\nOrigin: http://evil.example\r\n\r\n",
        OUT,
    );
    for site in ["same-site", "cross-site", "", "SAME-ORIGIN"] {
        row("another page", &format!("GET / HTTP/1.1\r\n{{in}}Sec-Fetch-Site: {site}\r\n\r\n"), OUT);
    }
    // Secrets in the wrong place, cut, doubled, written otherwise.
    row("the cookie as a token", "GET /?token={cookie} HTTP/1.1\r\nHost: {host}\r\n\r\n", OUT);
    row("the token as a code", "GET /?once={token} HTTP/1.1\r\nHost: {host}\r\n\r\n", OUT);
    row(
        "the token in the address of a picture",
        "GET /api/picture?look=1&token={token} HTTP/1.1\r\nHost: {host}\r\n\r\n",
        OUT,
    );
    row("the token for another path", "GET /index.html?token={token} HTTP/1.1\r\nHost: {host}\r\n\r\n", OUT);
    row("a token before the right one", "GET /?token=x&token={token} HTTP/1.1\r\nHost: {host}\r\n\r\n", OUT);
    row(
        "Basic",
        "GET /api/picture?look=1 HTTP/1.1\r\nHost: {host}\r\nAuthorization: Basic {token}\r\n\r\n",
        OUT,
    );
    row(
        "bearer with a tail",
        "GET /api/picture?look=1 HTTP/1.1\r\nHost: {host}\r\nAuthorization: {bearer}x\r\n\r\n",
        OUT,
    );
    row(
        "no bytes of text",
        "GET /api/picture?look=1 HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer \u{fffd}\r\n\r\n",
        OUT,
    );
    row(
        "a thousand cookies",
        &format!("GET / HTTP/1.1\r\nHost: {{host}}\r\nCookie: {}\r\n\r\n", "crosscut=1; ".repeat(1000)),
        OUT,
    );
    // Paths and encodings.
    for path in [
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/assets/..\\..\\x",
        "//etc/passwd",
        "/%00",
        "/%",
        "/%zz",
        "/assets/%ff%fe",
        "/.git/config",
        "/assets/",
        "/api",
        "/api/",
        "/api/../api/socket",
        "/API/SOCKET",
    ] {
        row("a path that leads out", &format!("GET {path} HTTP/1.1\r\n{{in}}\r\n"), NOT_SO);
    }
    row("a path of 60,000", &format!("GET /{} HTTP/1.1\r\n{{in}}\r\n", "a".repeat(60_000)), NOT_SO);
    row(
        "a path of 200,000",
        &format!("GET /{} HTTP/1.1\r\n{{in}}\r\n", "a".repeat(200_000)),
        &[400, 403, 414, 431, 0],
    );
    row("an address without a path", "GET  HTTP/1.1\r\n{in}\r\n", BAD);
    row("a star", "GET * HTTP/1.1\r\n{in}\r\n", &[400, 403, 404]);
    // Headers.
    row(
        "a header of 200,000",
        &format!("GET / HTTP/1.1\r\n{{in}}X: {}\r\n\r\n", "a".repeat(200_000)),
        &[400, 431, 0],
    );
    row(
        "10,000 headers",
        &format!("GET / HTTP/1.1\r\n{{in}}{}\r\n", "X: 1\r\n".repeat(10_000)),
        &[400, 431, 0],
    );
    row("a header without a colon", "GET / HTTP/1.1\r\n{in}nonsense\r\n\r\n", BAD);
    row("a folded header", "GET / HTTP/1.1\r\n{in}X: a\r\n b\r\n\r\n", &[400, 403, 200, 0]);
    row("a space before the colon", "GET / HTTP/1.1\r\nHost : {host}\r\n\r\n", BAD);
    row(
        "two lengths",
        "POST / HTTP/1.1\r\n{in}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        &[400, 403, 405],
    );
    row(
        "a length and chunks",
        "POST / HTTP/1.1\r\n{in}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n",
        &[400, 403, 405],
    );
    row("a length below zero", "POST / HTTP/1.1\r\n{in}Content-Length: -1\r\n\r\n", &[400, 403, 405]);
    row(
        "a length without an end",
        "POST / HTTP/1.1\r\n{in}Content-Length: 99999999999999999999\r\n\r\n",
        &[400, 403, 405],
    );
    row(
        "a chunk of 2⁶⁴",
        "POST / HTTP/1.1\r\n{in}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        &[400, 403, 405],
    );
    row(
        "a wait for a go-ahead",
        "POST / HTTP/1.1\r\n{in}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n",
        NOT_SO,
    );
    row("a range of everything", "GET / HTTP/1.1\r\n{in}Range: bytes=0-,0-,0-,0-\r\n\r\n", &[200]);
    row(
        "requests in one go",
        "GET /nothing HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\nGET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        NOT_SO,
    );
    // A socket that is none.
    let upgrade =
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    row(
        "a socket without a token",
        &format!(
            "GET /api/socket HTTP/1.1\r\nHost: {{host}}\r\nCookie: {{cookie}}\r\n{upgrade}Sec-WebSocket-Version: 13\r\n\r\n"
        ),
        OUT,
    );
    row(
        "a socket of version 8",
        &format!("GET /api/socket HTTP/1.1\r\n{{on}}{upgrade}Sec-WebSocket-Version: 8\r\n\r\n"),
        &[400, 426],
    );
    row(
        "a socket without a key",
        "GET /api/socket HTTP/1.1\r\n{on}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\r\n",
        &[400],
    );
    row(
        "a socket by POST",
        &format!("POST /api/socket HTTP/1.1\r\n{{on}}{upgrade}Sec-WebSocket-Version: 13\r\n\r\n"),
        NOT_SO,
    );
    row("no upgrade at all", "GET /api/socket HTTP/1.1\r\n{in}\r\n", &[400, 426]);
    // Looks of pictures.
    for (what, text) in [
        ("no JSON", "{".to_owned()),
        ("nested too deep", "[".repeat(20_000)),
        ("a number without an end", format!("{{\"view\":\"tasks.dag\",\"run\":{}}}", "9".repeat(400))),
        ("a run that is not open", json!({"view": "tasks.dag", "run": 99}).to_string()),
        ("a view that is none", json!({"view": "../../etc/passwd", "run": 0}).to_string()),
        ("a version to come", json!({"v": u64::MAX, "view": "tasks.dag", "run": 0}).to_string()),
        (
            "a broken cut",
            json!({"view": "tasks.dag", "run": 0, "trees": {"tasks": {"cut": "0~9999999999999-1"}}})
                .to_string(),
        ),
        (
            "time that runs back",
            json!({"view": "tasks.timeline", "run": 0, "scope": {"time": [5, 1]}}).to_string(),
        ),
        ("text as a picture", look("overview").to_string()),
    ] {
        row(what, &format!("GET /api/picture?look={} HTTP/1.1\r\n{{in}}\r\n", encoded(&text)), &[400, 414]);
    }
    row("a look twice", "GET /api/picture?look=1&look=2 HTTP/1.1\r\n{in}\r\n", &[400]);
    row(
        "a picture of 10⁹ pixels a pixel",
        &format!(
            "GET /api/picture?format=png&zoom=1e9&look={} HTTP/1.1\r\n{{in}}\r\n",
            encoded(&look("tasks.timeline").to_string())
        ),
        &[200, 400],
    );
    // No text.
    rows.push(("noise", (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect(), BAD));
    rows.push(("zeros", vec![0; 200_000], BAD));
    rows.push((
        "the first bytes of TLS",
        vec![0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, b'\r', b'\n', b'\r', b'\n'],
        BAD,
    ));
    rows
}

/// With what a friend has in place of the words in braces.
fn filled(server: &Running, request: &[u8]) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(request) else { return request.to_vec() };
    let friend = "Host: {host}\r\nCookie: {cookie}\r\nAuthorization: {bearer}\r\n";
    let words = [
        ("{in}", format!("{friend}Connection: close\r\n")),
        ("{on}", friend.to_owned()),
        ("{host}", server.host()),
        ("{port}", server.address.port().to_string()),
        ("{cookie}", server.cookie.clone()),
        ("{bearer}", server.bearer()),
        ("{token}", server.token.clone()),
    ];
    words.iter().fold(text.to_owned(), |text, (word, value)| text.replace(word, value)).into_bytes()
}

#[tokio::test]
async fn hostile_requests_get_what_they_are_due() {
    let server = start().await;
    let rows = requests();
    assert!(rows.len() >= 60, "{} rows", rows.len());
    let mut wrong = Vec::new();
    for (what, request, expected) in &rows {
        let bytes = filled(&server, request);
        // What keeps the connection open is ended by the server's own time-out.
        let Ok(answer) = timeout(Duration::from_secs(20), server.raw_bytes(&bytes)).await else {
            wrong.push(format!("{what}: no answer and no end"));
            continue;
        };
        let first = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
        if !expected.contains(&answer.status) {
            wrong.push(format!("{what}: {} instead of {expected:?} for {first:?}", answer.status));
        }
        let told = format!("{}{}", answer.head, String::from_utf8_lossy(&answer.body));
        if told.contains(&server.token) || told.contains("root:x:") {
            wrong.push(format!("{what}: a secret in the answer to {first:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    assert_eq!(server.get_in("/").await.status, 200);
}

/// A frame as bytes: the first byte, the length, a mask of zeros, what it holds.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    match payload.len() {
        n @ 0..126 => bytes.push(0x80 | n as u8),
        n @ 126..65_536 => {
            bytes.push(0x80 | 126);
            bytes.extend((n as u16).to_be_bytes());
        }
        n => {
            bytes.push(0x80 | 127);
            bytes.extend((n as u64).to_be_bytes());
        }
    }
    bytes.extend([0; 4]);
    bytes.extend(payload);
    bytes
}

async fn upgraded(server: &Running) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let request = format!(
        "GET /api/socket HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: {}\r\n\r\n",
        server.host(),
        server.protocols()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap();
    assert!(head.starts_with("HTTP/1.1 101"), "{head}");
    assert!(!head.contains(&server.token), "the token is not sent back");
    stream
}

#[tokio::test]
async fn broken_frames_end_their_socket_only() {
    let server = start().await;
    let rows: [(&str, Vec<u8>); 13] = [
        ("no mask", vec![0x81, 2, b'{', b'}']),
        ("bits that nobody asked for", frame(0xf1, b"{}")),
        ("a kind that is none", frame(0x83, b"{}")),
        ("a control frame in pieces", frame(0x09, b"")),
        ("a ping of 200 bytes", frame(0x89, &[0; 200])),
        ("the rest of nothing", frame(0x80, b"{}")),
        ("a beginning within another", [frame(0x01, b"{"), frame(0x01, b"}")].concat()),
        ("text that is none", frame(0x81, &[0xff, 0xfe, 0x80])),
        ("a length of 2⁶³", [&[0x81, 0xff][..], &[0xff; 8], &[0; 4]].concat()),
        ("a length of 2⁴⁰", [&[0x81, 0xff][..], &(1u64 << 40).to_be_bytes(), &[0; 4]].concat()),
        ("a close without a reason", frame(0x88, &[3])),
        ("a close for no known reason", frame(0x88, &[0xff, 0xff])),
        ("plain HTTP", b"GET / HTTP/1.1\r\n\r\n".to_vec()),
    ];
    for (what, bytes) in rows {
        let mut stream = upgraded(&server).await;
        let _ = stream.write_all(&bytes).await;
        let mut rest = Vec::new();
        let ended = timeout(Duration::from_secs(10), stream.read_to_end(&mut rest)).await;
        assert!(ended.is_ok(), "{what}: the socket stays open");
        assert!(rest.len() < 1000, "{what}: {} bytes back", rest.len());
    }
    server.socket().await.ok(json!({"ask": "hello"})).await;
}
