//! Who is let in, and what hostile requests get.

mod support;

use support::start;

#[tokio::test]
async fn the_launch_link_becomes_a_cookie() {
    let server = start().await;
    let path = format!("/?token={}&x=1", server.token);
    let answer = server.get(&path, &[("Host", &server.host())]).await;
    assert_eq!(answer.status, 303);
    assert_eq!(answer.header("location"), Some("/?x=1"));
    let cookie = answer.header("set-cookie").unwrap();
    assert_eq!(cookie, format!("crosscut={}; HttpOnly; SameSite=Strict; Path=/", server.token));
    let page = server.get_in("/").await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
}

/// Path, headers, status.
type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], u16);

#[tokio::test]
async fn strangers_stay_out() {
    let server = start().await;
    let host = server.host();
    let cookie = server.cookie();
    let port = server.address.port();
    let wrong = format!("crosscut={}", "A".repeat(32));
    let local = format!("localhost:{port}");
    let evil = format!("evil.example:{port}");
    let evil_origin = format!("http://evil.example:{port}");
    let wrong_port = format!("http://127.0.0.1:{}", port ^ 1);
    let table: &[Case] = &[
        ("/", &[("Host", &host)], 403),
        ("/", &[("Host", &host), ("Cookie", &wrong)], 403),
        ("/", &[("Host", &host), ("Cookie", "crosscut=")], 403),
        ("/", &[("Host", &host), ("Cookie", &format!("other={}", server.token))], 403),
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
        ("/api/socket", &[("Host", &host), ("Origin", &evil_origin), ("Cookie", &cookie)], 403),
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
            server.cookie()
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
    let headers = [("Host", server.host()), ("Cookie", server.cookie()), ("Accept-Encoding", "gzip".into())];
    let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let packed =
        server.get("/api/picture?look=%7B%22view%22%3A%22tasks.dag%22%2C%22run%22%3A0%7D", &headers).await;
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
}
