//! One page over plain HTTP from a server on this machine, the way a browser opens the launch link.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// What a server answered.
pub struct Answer {
    pub status: u16,
    pub body: String,
}

/// Opens a link such as `http://127.0.0.1:4000/?token=…`.
pub fn open(link: &str) -> Result<Answer> {
    let (address, path) = split(link)?;
    let mut stream = TcpStream::connect(address).with_context(|| format!("no server at {address}"))?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    parse(&String::from_utf8_lossy(&bytes))
}

fn parse(text: &str) -> Result<Answer> {
    let (head, body) =
        text.split_once("\r\n\r\n").context("the server closed before the end of the headers")?;
    let first = head.lines().next().unwrap_or_default();
    let status = first.split(' ').nth(1).and_then(|code| code.parse().ok());
    let status = status.context("the server answered with something that is not HTTP")?;
    Ok(Answer { status, body: body.to_owned() })
}

fn split(link: &str) -> Result<(&str, &str)> {
    let Some(rest) = link.strip_prefix("http://") else { bail!("\"{link}\" is no http:// link") };
    let slash = rest.find('/').unwrap_or(rest.len());
    let (address, path) = rest.split_at(slash);
    Ok((address, if path.is_empty() { "/" } else { path }))
}

#[cfg(test)]
mod tests {
    use super::{parse, split};

    #[test]
    fn a_link_is_an_address_and_a_path() {
        let parts = split("http://127.0.0.1:4000/?token=a").ok();
        assert_eq!(parts, Some(("127.0.0.1:4000", "/?token=a")));
        assert!(split("file:///tmp").is_err());
    }

    #[test]
    fn status_and_body() {
        let answer = parse("HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\n\r\nbody");
        let answer = answer.expect("a whole answer");
        assert_eq!((answer.status, answer.body.as_str()), (403, "body"));
        assert!(parse("HTTP/1.1 200 OK\r\n").is_err());
    }
}
