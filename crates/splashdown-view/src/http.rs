//! As much of HTTP/1.1 as a page on this machine needs: GET and HEAD, no bodies, strict limits.
//!
//! Written here because the limits are the point: a request that is too long, too slow or odd in
//! any way gets an error before anything looks at what it asks for.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Longest head of a request, bytes.
const MAX_HEAD: usize = 8192;
/// Longest target in it, bytes.
const MAX_TARGET: usize = 1024;
/// Most header lines.
const MAX_HEADERS: usize = 64;
/// How long a connection may wait for its next request; less where others want in: `server`.
const IDLE: Duration = Duration::from_secs(15);
/// How long a request may take to arrive once it has begun.
const ARRIVAL: Duration = Duration::from_secs(5);
/// How long a browser may leave an answer lying around.
const DEPARTURE: Duration = Duration::from_secs(30);

/// A request that is well formed; who sent it is for `guard` to judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// GET; otherwise HEAD, which wants no body.
    pub wants_body: bool,
    /// Decoded, without the query.
    pub path: String,
    /// Decoded pairs of the query.
    pub query: Vec<(String, String)>,
    /// Lower-case names and values.
    pub headers: Vec<(String, String)>,
    /// Whether the connection stays open afterwards.
    pub keep_alive: bool,
}

impl Request {
    /// The value of a key of the query.
    pub fn query(&self, key: &str) -> Option<&str> {
        self.query.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// All values of a header.
    pub fn header<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Like 200.
    pub status: u16,
    /// Media type.
    pub kind: &'static str,
    /// Headers besides the usual ones.
    pub headers: Vec<(&'static str, String)>,
    /// What was asked for.
    pub body: Vec<u8>,
}

impl Response {
    /// What was asked for.
    pub fn ok(kind: &'static str, body: impl Into<Vec<u8>>) -> Response {
        Response { status: 200, kind, headers: Vec::new(), body: body.into() }
    }

    /// An error with a sentence about it.
    pub fn error(status: u16, message: &str) -> Response {
        let body = format!("{message}\n").into_bytes();
        let headers = if status == 405 { vec![("Allow", "GET, HEAD".to_owned())] } else { vec![] };
        Response { status, kind: "text/plain; charset=utf-8", headers, body }
    }
}

/// A connection and what was read from it beyond the last request.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    /// Takes over a stream.
    pub fn new(stream: TcpStream) -> io::Result<Connection> {
        stream.set_write_timeout(Some(DEPARTURE))?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, buffer: Vec::new() })
    }

    /// The next request. None when the other side is gone or silent; an error is to be answered,
    /// and the connection closed.
    pub fn request(&mut self) -> Option<Result<Request, Response>> {
        let mut deadline = Instant::now() + IDLE;
        let mut chunk = [0u8; 2048];
        loop {
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                let head: Vec<u8> = self.buffer.drain(..end + 4).collect();
                return Some(parse(&head[..end]));
            }
            if self.buffer.len() > MAX_HEAD {
                return Some(Err(Response::error(431, "the head of the request is too long")));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || self.stream.set_read_timeout(Some(left)).is_err() {
                return self.timed_out();
            }
            match self.stream.read(&mut chunk) {
                Ok(0) => return None,
                Ok(n) => {
                    if self.buffer.is_empty() {
                        deadline = Instant::now() + ARRIVAL;
                    }
                    self.buffer.extend_from_slice(&chunk[..n]);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return self.timed_out(),
            }
        }
    }

    fn timed_out(&self) -> Option<Result<Request, Response>> {
        let begun = !self.buffer.is_empty();
        begun.then(|| Err(Response::error(408, "the request did not arrive in time")))
    }

    /// Sends an answer.
    pub fn send(&mut self, response: &Response, body: bool, keep_alive: bool) -> io::Result<()> {
        let mut head = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: {}\r\n",
            response.status,
            reason(response.status),
            response.kind,
            response.body.len(),
            if keep_alive { "keep-alive" } else { "close" },
        );
        // Nothing but this page may use what it is given, and the page may load nothing from
        // elsewhere.
        head += "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
                 X-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\n\
                 Referrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'; \
                 script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                 base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n";
        for (name, value) in &response.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += "\r\n";
        self.stream.write_all(head.as_bytes())?;
        if body {
            self.stream.write_all(&response.body)?;
        }
        self.stream.flush()
    }

    /// Ends the connection so that the other side still gets the answer: closing with unread bytes
    /// would make the system throw it away.
    pub fn close(mut self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Write);
        let _ = self.stream.set_read_timeout(Some(Duration::from_millis(100)));
        let mut chunk = [0u8; 4096];
        let mut rounds = 0;
        while rounds < 64 && matches!(self.stream.read(&mut chunk), Ok(n) if n > 0) {
            rounds += 1;
        }
    }
}

/// Reads the head of a request, without its closing empty line.
fn parse(head: &[u8]) -> Result<Request, Response> {
    let bad = |message: &str| Response::error(400, message);
    let text = std::str::from_utf8(head).map_err(|_| bad("the request is no text"))?;
    if head.len() > MAX_HEAD {
        return Err(Response::error(431, "the head of the request is too long"));
    }
    let mut lines = text.split("\r\n");
    let first: Vec<&str> = lines.next().unwrap_or("").split(' ').collect();
    let [method, target, version] = first[..] else {
        return Err(bad("the first line is not METHOD TARGET VERSION"));
    };
    if !is_token(method) {
        return Err(bad("the method is no word"));
    }
    let keep_alive = match version {
        "HTTP/1.1" => true,
        "HTTP/1.0" => false,
        _ if version.starts_with("HTTP/") => {
            return Err(Response::error(505, "HTTP/1.1 is spoken here"));
        }
        _ => return Err(bad("the first line does not end with HTTP/1.1")),
    };
    if target.len() > MAX_TARGET {
        return Err(Response::error(414, "the target is too long"));
    }
    let mut headers = Vec::new();
    for line in lines {
        let (name, value) = line.split_once(':').ok_or_else(|| bad("a header has no colon"))?;
        let value = value.trim_matches([' ', '\t']);
        if !is_token(name) || value.bytes().any(|b| b < b' ' && b != b'\t' || b == 0x7f) {
            return Err(bad("a header is malformed"));
        }
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
        if headers.len() > MAX_HEADERS {
            return Err(Response::error(431, "there are too many headers"));
        }
    }
    let wants_body = match method {
        "GET" => true,
        "HEAD" => false,
        _ => return Err(Response::error(405, "only GET and HEAD are answered")),
    };
    if !target.starts_with('/') || target.bytes().any(|b| !(b'!'..=b'~').contains(&b)) {
        return Err(bad("the target is not a path"));
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let decode = |part: &str| decode(part).ok_or_else(|| bad("the target is badly encoded"));
    let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        Ok((decode(key)?, decode(value)?))
    });
    let mut request = Request {
        wants_body,
        path: decode(path)?,
        query: pairs.collect::<Result<_, Response>>()?,
        headers,
        keep_alive,
    };
    if request.header("content-length").any(|length| length != "0") {
        return Err(Response::error(413, "a request has no body here"));
    }
    if request.header("transfer-encoding").next().is_some() {
        return Err(bad("a request has no body here"));
    }
    let closes = request.header("connection").any(|value| value.eq_ignore_ascii_case("close"));
    request.keep_alive &= !closes;
    Ok(request)
}

fn is_token(word: &str) -> bool {
    !word.is_empty()
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.!#$%&'*+^`|~".contains(&b))
}

/// Undoes percent-encoding, once. None if it is wrong or hides control characters.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(b) = rest.next() {
        if b != b'%' {
            bytes.push(b);
            continue;
        }
        let digit = |b: Option<u8>| char::from(b?).to_digit(16);
        let (high, low) = (digit(rest.next())?, digit(rest.next())?);
        bytes.push((16 * high + low) as u8);
    }
    let text = String::from_utf8(bytes).ok()?;
    (!text.chars().any(char::is_control)).then_some(text)
}

fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes.windows(pattern.len()).position(|window| window == pattern)
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        413 => "Content Too Large",
        414 => "URI Too Long",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        _ => "Internal Server Error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_taken_apart() {
        let head =
            b"GET /api/table/a%20b?from=7&x HTTP/1.1\r\nHost: localhost:1\r\nConnection: close";
        let request = parse(head).unwrap();
        assert_eq!(request.path, "/api/table/a b");
        assert_eq!((request.query("from"), request.query("x")), (Some("7"), Some("")));
        assert_eq!(request.header("host").collect::<Vec<_>>(), ["localhost:1"]);
        assert!(request.wants_body && !request.keep_alive);
    }

    #[test]
    fn encoding_is_undone_once_and_hides_nothing() {
        assert_eq!(decode("%C3%A9%2e").as_deref(), Some("é."));
        assert_eq!(decode("%252e").as_deref(), Some("%2e"));
        for bad in ["%", "%2", "%zz", "%00", "a%0d%0ab", "%ff", "%c0%ae"] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_not_a_plain_request_gets_its_own_error() {
        let status = |head: &str| parse(head.as_bytes()).map(|_| 200).unwrap_or_else(|e| e.status);
        assert_eq!(status("GET / HTTP/1.1"), 200);
        assert_eq!(status("POST / HTTP/1.1"), 405);
        assert_eq!(status("G@T / HTTP/1.1"), 400);
        assert_eq!(status("GET /"), 400);
        assert_eq!(status("GET http://x/ HTTP/1.1"), 400);
        assert_eq!(status("GET / HTTP/2.0"), 505);
        assert_eq!(status("GET / HTTP/1.1\r\nContent-Length: 5"), 413);
        assert_eq!(status("GET / HTTP/1.1\r\nTransfer-Encoding: chunked"), 400);
        assert_eq!(status("GET / HTTP/1.1\r\nHost"), 400);
        assert_eq!(status("GET / HTTP/1.1\r\n folded: x"), 400);
        assert_eq!(status(&format!("GET /{} HTTP/1.1", "a".repeat(2000))), 414);
        assert_eq!(status(&format!("GET / HTTP/1.1{}", "\r\na: b".repeat(100))), 431);
        assert_eq!(parse(b"GET /\xff HTTP/1.1").unwrap_err().status, 400);
    }
}
