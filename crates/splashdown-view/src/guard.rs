//! Who may ask: only a browser that means this server.
//!
//! A hostile page can make its own name resolve to 127.0.0.1 (DNS rebinding) and then read what a
//! local server answers. Its requests carry that name in `Host`, so only names of this machine are
//! answered. Any port will do: the viewer may be reached through a tunnel. Pages of other servers
//! on this machine have the name, too, but another port, and say so in `Origin` or
//! `Sec-Fetch-Site`.

use crate::http::{Request, Response};

const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Refuses requests that were not meant for this server.
pub fn check(request: &Request) -> Result<(), Response> {
    let hosts: Vec<&str> = request.header("host").collect();
    let [host] = hosts[..] else {
        return Err(Response::error(400, "a request has one Host"));
    };
    if !is_local(host) {
        return Err(Response::error(403, "this server answers to localhost only"));
    }
    for origin in request.header("origin") {
        if !origin.strip_prefix("http://").is_some_and(|own| own.eq_ignore_ascii_case(host)) {
            return Err(Response::error(403, "other pages may not ask"));
        }
    }
    let own = |site: &str| ["same-origin", "none"].contains(&site);
    if !request.header("sec-fetch-site").all(own) && !opens_the_page(request) {
        return Err(Response::error(403, "other pages may not ask"));
    }
    Ok(())
}

/// Other pages may have a link to the viewer, which opens it in place of them.
fn opens_the_page(request: &Request) -> bool {
    let says = |header: &str, word: &str| request.header(header).eq([word]);
    request.path == "/" && says("sec-fetch-mode", "navigate") && says("sec-fetch-dest", "document")
}

fn is_local(host: &str) -> bool {
    let rest = NAMES.iter().find_map(|name| {
        let (start, rest) = host.split_at_checked(name.len())?;
        start.eq_ignore_ascii_case(name).then_some(rest)
    });
    match rest {
        Some("") => true,
        Some(rest) => rest.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok()),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_local() {
        for host in ["localhost", "LocalHost:80", "127.0.0.1:65535", "[::1]:8080", "[::1]"] {
            assert!(is_local(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost:",
            "localhost:x",
            "localhost:99999",
            "localhost80",
            "127.0.0.10",
            "evil.example:127.0.0.1",
            "user@localhost",
        ] {
            assert!(!is_local(host), "{host}");
        }
    }
}
