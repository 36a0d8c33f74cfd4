//! Who is let in, and what hostile requests get.

mod support;

use support::{encoded, look, start};

#[tokio::test]
async fn the_launch_link_is_the_page_and_a_cookie_for_its_files() {
    let server = start().await;
    let path = format!("/?x=1&token={}", server.token);
    let page = server.get(&path, &[("Host", &server.host())]).await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
    assert_eq!(page.header("cache-control"), Some("no-store"));
    let cookie = page.header("set-cookie").unwrap();
    let port = server.address.port();
    assert!(cookie.starts_with(&format!("crosscut-{port}=")), "{cookie}");
    assert!(cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/"), "{cookie}");
    assert!(!cookie.contains(&server.token), "the cookie is not the token");
    let page = server.get("/", &[("Host", &server.host()), ("Cookie", &server.cookie)]).await;
    assert_eq!(page.status, 200);
}

/// A browser sends the cookies of 127.0.0.1 to every server there, whatever its port. What such a server received and sends
/// on, with all other headers as it likes, is the page's files and nothing else.
#[tokio::test]
async fn a_cookie_that_another_port_received_is_worth_nothing() {
    let server = start().await;
    let (host, origin) = (server.host(), format!("http://{}", server.host()));
    let forged: &[(&str, &str)] = &[
        ("Host", &host),
        ("Origin", &origin),
        ("Cookie", &server.cookie),
        ("Sec-Fetch-Site", "same-origin"),
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    let value = server.cookie.split_once('=').unwrap().1;
    for offered in [String::new(), "crosscut".to_owned(), format!("crosscut, token.{value}")] {
        let headers = [forged, &[("Sec-WebSocket-Protocol", offered.as_str())]].concat();
        assert_eq!(server.get("/api/socket", &headers).await.status, 403, "{offered}");
    }
    let picture = format!("/api/picture?look={}", encoded(&look("tasks.dag").to_string()));
    let bearer = format!("Bearer {value}");
    for more in [&[][..], &[("Authorization", bearer.as_str())]] {
        assert_eq!(server.get(&picture, &[&forged[..4], more].concat()).await.status, 403);
    }
    assert_eq!(server.get(&format!("/?token={value}"), &forged[..4]).await.status, 403);
    assert_eq!(server.get(&format!("/?once={value}"), &forged[..4]).await.status, 403);
}

/// Path, headers, status.
type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], u16);

#[tokio::test]
async fn strangers_stay_out() {
    let server = start().await;
    let host = server.host();
    let cookie = server.cookie.clone();
    let bearer = server.bearer();
    let port = server.address.port();
    let name = server.cookie.split_once('=').unwrap().0;
    let wrong = format!("{name}={}", "A".repeat(32));
    let local = format!("localhost:{port}");
    let evil = format!("evil.example:{port}");
    let evil_origin = format!("http://evil.example:{port}");
    let wrong_port = format!("http://127.0.0.1:{}", port ^ 1);
    let table: &[Case] = &[
        ("/", &[("Host", &host)], 403),
        ("/", &[("Host", &host), ("Cookie", &wrong)], 403),
        ("/", &[("Host", &host), ("Cookie", &format!("{name}="))], 403),
        ("/", &[("Host", &host), ("Cookie", &format!("{name}={}", server.token))], 403),
        ("/?token=", &[("Host", &host), ("Cookie", &cookie)], 403),
        ("/?token=wrong", &[("Host", &host)], 403),
        (&format!("/?token={}", &server.token[..31]), &[("Host", &host)], 403),
        ("/", &[("Host", &evil), ("Cookie", &cookie)], 403),
        ("/", &[("Host", "127.0.0.1"), ("Cookie", &cookie)], 403),
        ("/", &[("Cookie", &cookie)], 400),
        ("/", &[("Host", &host), ("Host", &evil), ("Cookie", &cookie)], 403),
        ("/", &[("Host", &host), ("Origin", &evil_origin), ("Cookie", &cookie)], 403),
        ("/", &[("Host", &host), ("Origin", "null"), ("Cookie", &cookie)], 403),
        ("/", &[("Host", &host), ("Origin", &wrong_port), ("Cookie", &cookie)], 403),
        ("/api/picture?look=%7B%22view%22%3A%22tasks.dag%22%2C%22run%22%3A0%7D", &[("Host", &host)], 403),
        ("/api/socket", &[("Host", &host)], 403),
        ("/api/socket", &[("Host", &host), ("Origin", &evil_origin), ("Authorization", &bearer)], 403),
        ("/api/picture?look=1", &[("Host", &host), ("Cookie", &cookie)], 403),
        (
            "/api/picture?look=1",
            &[("Host", &host), ("Authorization", &bearer), ("Sec-Fetch-Site", "same-site")],
            403,
        ),
        ("/", &[("Host", &host), ("Cookie", &cookie), ("Sec-Fetch-Site", "cross-site")], 403),
        ("/assets/x.js", &[("Host", &host)], 403),
        ("/", &[("Host", &host), ("Cookie", &format!("a=b; {cookie}; c=d"))], 200),
        ("/", &[("Host", &local), ("Origin", &format!("http://{local}")), ("Cookie", &cookie)], 200),
    ];
    for (path, headers, status) in table {
        let answer = server.get(path, headers).await;
        // Without a Host there is no request that we could check: any refusal will do.
        let refused = answer.status == *status || (*status == 400 && answer.status == 403);
        assert!(refused, "{path} {headers:?}: {}", answer.head);
        assert!(!String::from_utf8_lossy(&answer.body).contains(&server.token));
    }
}

#[tokio::test]
async fn no_path_leads_out_of_the_page() {
    let server = start().await;
    for path in [
        "/../Cargo.toml",
        "/assets/../../Cargo.toml",
        "/..%2f..%2fCargo.toml",
        "/%2e%2e/%2e%2e/Cargo.toml",
        "//etc/passwd",
        "/etc/passwd",
        "/assets/..\\..\\Cargo.toml",
        "/assets/%00",
        "/api/",
        "/api/nothing",
    ] {
        let answer = server.get_in(path).await;
        assert!(matches!(answer.status, 400 | 404), "{path}: {}", answer.head);
    }
    let posted = server
        .raw(&format!(
            "POST / HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            server.host(),
            server.cookie
        ))
        .await;
    assert_eq!(posted.status, 405);
}

#[tokio::test]
async fn every_answer_is_locked_down() {
    let server = start().await;
    for path in ["/", "/api/picture?look=%7B%22view%22%3A%22tasks.dag%22%2C%22run%22%3A0%7D", "/nothing"] {
        let answer = server.get_in(path).await;
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'self'") && policy.contains("frame-ancestors 'none'"));
        assert!(!policy.contains("unsafe-eval") && !policy.contains("script-src"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    assert_eq!(
        server
            .get_in("/api/picture?look=%7B%22view%22%3A%22tasks.dag%22%2C%22run%22%3A0%7D")
            .await
            .header("cache-control"),
        Some("no-store")
    );
    let refused = server.get("/", &[("Host", &server.host())]).await;
    assert!(refused.header("content-security-policy").is_some());
    assert!(String::from_utf8_lossy(&refused.body).contains("crosscut view"));
}

#[tokio::test]
async fn text_is_packed_for_those_who_can_unpack_it() {
    let server = start().await;
    let headers =
        [("Host", server.host()), ("Authorization", server.bearer()), ("Accept-Encoding", "gzip".into())];
    let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let packed =
        server.get("/api/picture?look=%7B%22view%22%3A%22tasks.dag%22%2C%22run%22%3A0%7D", &headers).await;
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
}
