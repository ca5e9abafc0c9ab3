//! A server on a real socket, and requests that nobody should send.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use glam::Vec3;
use splashdown_geometry::math::DVec3;
use splashdown_render::export;
use splashdown_render::surface::LiquidSurface;
use splashdown_run::output::formats::vtk;
use splashdown_run::output::frame::Points;
use splashdown_view::routes::View;
use splashdown_view::server::Server;
use tempfile::TempDir;

const SCENE: &str = r#"
title = "Test"
[simulation]
spacing = 0.1
duration = 1
[[fluid]]
name = "water"
[[fluid.fill]]
shape.box = { min = [0, 0, 0], max = [1, 1, 1] }
"#;

const SECRET: &str = "the secret of another directory";

/// A run of three frames, with a secret beside it.
struct Place {
    parent: TempDir,
    server: Server,
}

impl Place {
    fn new(prepare: impl FnOnce(&Path)) -> Place {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("secret.csv"), SECRET).unwrap();
        let run = parent.path().join("run");
        fs::create_dir_all(run.join("vtk")).unwrap();
        fs::create_dir_all(run.join("probes")).unwrap();
        fs::write(run.join("scene.toml"), SCENE).unwrap();
        fs::write(run.join("log.csv"), "step,t\n1,0.5\n").unwrap();
        fs::write(run.join("probes/gauge.csv"), "t,level\n0,1\n").unwrap();
        for index in 0..3 {
            write_frame(&run, index);
        }
        prepare(&run);
        let server = Server::start(View::open(&run).unwrap(), Server::reserve(0).unwrap()).unwrap();
        Place { parent, server }
    }

    /// Sends bytes as they are and returns all that comes back.
    fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        // A server that has seen enough may hang up in the middle.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, target: &str) -> String {
        self.raw(
            format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                .as_bytes(),
        )
    }
}

fn write_frame(run: &Path, index: u64) {
    let n = 10;
    let points = Points {
        position: (0..n).map(|i| DVec3::splat(i as f64 * 0.1)).collect(),
        velocity: vec![[1.0, 0.0, 0.0]; n],
        pressure: vec![5.0; n],
        density: vec![1000.0; n],
        id: (0..n as u32).collect(),
        fluid: vec![0; n],
    };
    let mut bytes = Vec::new();
    vtk::write_points(&mut bytes, &points).unwrap();
    fs::write(run.join(format!("vtk/fluid_{index:06}.vtp")), bytes).unwrap();
}

fn status(answer: &str) -> u16 {
    let code = answer.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3));
    code.and_then(|code| code.parse().ok()).unwrap_or(0)
}

#[test]
fn the_page_its_data_and_its_headers_are_there() {
    let place = Place::new(|_| ());
    assert!(place.server.address().ip().is_loopback());
    let page = place.get("/");
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("<canvas"), "{page}");
    for header in ["Content-Security-Policy: default-src 'none'", "nosniff", "same-origin"] {
        assert!(page.contains(header), "{header}");
    }
    assert!(place.get("/api/run").contains(r#""title":"Test""#));
    let state = place.get("/api/state");
    assert!(
        state.contains(r#""frames":[0,1,2]"#) && state.contains(r#""running":false"#),
        "{state}"
    );
    assert!(place.get("/api/frame/2?color=pressure").contains("\r\n\r\nSPDF"));
    assert!(place.get("/api/surface/0").contains("\r\n\r\nSPDM"));
    assert!(place.get("/api/bodies").contains("\r\n\r\nSPDM"));
    assert!(place.get("/api/bodies/1").contains("\r\n\r\nSPDM"));
    assert!(place.get("/api/range?color=density").contains("\r\n\r\n[9"));
    assert!(place.get("/api/table/log").ends_with("\r\n\r\nstep,t\n1,0.5\n"));
    assert!(place.get("/api/table/log?from=7").ends_with("\r\n\r\n1,0.5\n"));
    assert!(place.get("/api/table/probe/gauge").ends_with("\r\n\r\nt,level\n0,1\n"));
    let head = place.raw(b"HEAD / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    assert!(status(&head) == 200 && head.ends_with("\r\n\r\n"), "{head}");
}

#[test]
fn new_frames_and_rows_appear_by_themselves() {
    let place = Place::new(|_| ());
    let run = place.parent.path().join("run");
    assert_eq!(status(&place.get("/api/frame/3")), 404);
    write_frame(&run, 3);
    fs::write(run.join("log.csv"), "step,t\n1,0.5\n2,0.6\n").unwrap();
    assert!(place.get("/api/state").contains(r#""frames":[0,1,2,3]"#));
    assert_eq!(status(&place.get("/api/frame/3")), 200);
    assert!(place.get("/api/table/log?from=13").ends_with("\r\n\r\n2,0.6\n"));
}

/// One triangle as the surface of the water in frame `index`.
fn write_surface(path: &Path) {
    let surface = LiquidSurface {
        vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
        normals: vec![Vec3::Z; 3],
        velocity: vec![Vec3::ZERO; 3],
        triangles: vec![[0, 1, 2]],
        ..LiquidSurface::default()
    };
    let mut bytes = Vec::new();
    export::write_liquid(&mut bytes, &surface).unwrap();
    fs::write(path, bytes).unwrap();
}

#[test]
fn surfaces_that_the_run_wrote_are_not_made_again() {
    let place = Place::new(|run| {
        fs::create_dir(run.join("surface")).unwrap();
        write_surface(&run.join("surface/water_000000.ply"));
        fs::write(run.join("surface/water_000001.ply"), "ply\n").unwrap();
        // A link that leads out of the run is not followed.
        write_surface(&run.join("../surface.ply"));
        #[cfg(unix)]
        std::os::unix::fs::symlink("../../surface.ply", run.join("surface/water_000002.ply"))
            .unwrap();
    });
    // Head, part, and for three corners: place, normal, value, filled up; then the triangle.
    let length = 64 + 32 + 3 * (12 + 4) + 8 + 12;
    let one_triangle = format!("Content-Length: {length}\r\n");
    for color in ["speed", "pressure", "id"] {
        let answer = place.get(&format!("/api/surface/0?color={color}"));
        assert!(answer.contains(&one_triangle), "{color}: {answer}");
    }
    for index in [1, 2] {
        let answer = place.get(&format!("/api/surface/{index}"));
        assert!(answer.contains("SPDM") && !answer.contains(&one_triangle), "{answer}");
    }
}

#[test]
fn a_run_without_frames_can_be_waited_for() {
    let place = Place::new(|run| fs::remove_dir_all(run.join("vtk")).unwrap());
    assert!(place.get("/api/state").contains(r#""frames":[]"#));
    assert_eq!(status(&place.get("/api/run")), 200);
    assert_eq!(status(&place.get("/api/frame/0")), 404);
}

#[test]
fn no_path_leads_out_of_the_run() {
    let place = Place::new(|_| ());
    let absolute = place.parent.path().join("secret.csv").display().to_string();
    let mut targets: Vec<String> = [
        "/../secret.csv",
        "/../../../../etc/passwd",
        "/api/table/../secret",
        "/api/table/../../secret.csv",
        "/api/table/probe/../../../secret",
        "/api/table/probe/..%2f..%2fsecret",
        "/api/table/%2e%2e/%2e%2e/secret.csv",
        "/api/table/%252e%252e%252fsecret.csv",
        "/api/table/..%5csecret.csv",
        "/api/table/..\\secret.csv",
        "/api/table/log.csv",
        "/api/table/log/",
        "/api/table/",
        "/api/table/.",
        "/api/frame/..%2f..%2fsecret.csv",
        "/api/frame/0/../../../secret.csv",
        "/api/bodies/../secret.csv",
        "/scene.toml",
        "/run.json",
        "/log.csv",
        "/vtk/fluid_000000.vtp",
        "/.lock",
        "//etc/passwd",
        "/page/index.html",
        "/main.js/",
    ]
    .map(str::to_owned)
    .to_vec();
    targets.push(absolute.clone());
    targets.push(format!("/api/table{absolute}"));
    targets.push(format!("/api/table/{absolute}"));
    for target in targets {
        let answer = place.get(&target);
        assert!((400..500).contains(&status(&answer)), "{target}: {answer}");
        assert!(!answer.contains(SECRET) && !answer.contains("root:"), "{target}: {answer}");
    }
}

#[cfg(unix)]
#[test]
fn symbolic_links_out_of_the_run_are_not_followed() {
    use std::os::unix::fs::symlink;
    let place = Place::new(|run| {
        let secret = run.parent().unwrap().join("secret.csv");
        symlink(&secret, run.join("probes/link.csv")).unwrap();
        symlink(&secret, run.join("bodies.csv")).unwrap();
        symlink(&secret, run.join("run.json")).unwrap();
        symlink(&secret, run.join("vtk/fixed.vtp")).unwrap();
        // A frame of another run is as little our business.
        let other = run.parent().unwrap().join("other");
        fs::create_dir_all(other.join("vtk")).unwrap();
        write_frame(&other, 0);
        symlink(other.join("vtk/fluid_000000.vtp"), run.join("vtk/fluid_000009.vtp")).unwrap();
        symlink(other.join("vtk"), run.join("probes/folder.csv")).unwrap();
    });
    for target in [
        "/api/table/probe/link",
        "/api/table/probe/folder",
        "/api/table/bodies",
        "/api/bodies",
        "/api/bodies/0",
        "/api/frame/9",
        "/api/surface/9",
        "/api/range",
        "/api/run",
    ] {
        let answer = place.get(target);
        assert_eq!(status(&answer), 404, "{target}: {answer}");
        assert!(!answer.contains(SECRET), "{target}");
    }
    assert!(!place.get("/api/state").contains("link"));
    // A run whose scene is elsewhere is not opened at all.
    let odd = place.parent.path().join("odd");
    fs::create_dir(&odd).unwrap();
    symlink(place.parent.path().join("run/scene.toml"), odd.join("scene.toml")).unwrap();
    assert!(View::open(&odd).is_err());
}

#[test]
fn malformed_and_huge_requests_get_errors() {
    let place = Place::new(|_| ());
    let host = "Host: localhost\r\n";
    let long = "a".repeat(100_000);
    for (request, expected) in [
        ("\r\n\r\n".to_owned(), 400),
        ("hello\r\n\r\n".to_owned(), 400),
        (format!("GET / \r\n{host}\r\n"), 400),
        (format!("GET  / HTTP/1.1\r\n{host}\r\n"), 400),
        (format!("GET / HTTP/9.9\r\n{host}\r\n"), 505),
        (format!("GET http://localhost/ HTTP/1.1\r\n{host}\r\n"), 400),
        (format!("GET * HTTP/1.1\r\n{host}\r\n"), 400),
        (format!("GET /%zz HTTP/1.1\r\n{host}\r\n"), 400),
        (format!("GET /%00 HTTP/1.1\r\n{host}\r\n"), 400),
        (format!("GET /%0d%0aX:%20y HTTP/1.1\r\n{host}\r\n"), 400),
        (format!("GET / HTTP/1.1\r\n{host}no colon\r\n\r\n"), 400),
        (format!("GET / HTTP/1.1\r\n{host} folded\r\n\r\n"), 400),
        (format!("GET / HTTP/1.1\r\n{host}Content-Length: 10\r\n\r\n0123456789"), 413),
        (format!("GET / HTTP/1.1\r\n{host}Content-Length: -1\r\n\r\n"), 413),
        (format!("GET / HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400),
        (format!("GET /{} HTTP/1.1\r\n{host}\r\n", "a".repeat(5000)), 414),
        (format!("GET /{long} HTTP/1.1\r\n{host}\r\n"), 431),
        (format!("GET / HTTP/1.1\r\n{host}X: {long}\r\n\r\n"), 431),
        (format!("GET / HTTP/1.1\r\n{host}{}\r\n", "a: b\r\n".repeat(200)), 431),
        (format!("POST / HTTP/1.1\r\n{host}\r\n"), 405),
        (format!("PUT /api/table/log HTTP/1.1\r\n{host}\r\n"), 405),
        (format!("DELETE /log.csv HTTP/1.1\r\n{host}\r\n"), 405),
        (format!("OPTIONS / HTTP/1.1\r\n{host}\r\n"), 405),
        (format!("TRACE / HTTP/1.1\r\n{host}\r\n"), 405),
        (format!("CONNECT example:80 HTTP/1.1\r\n{host}\r\n"), 405),
        (format!("GET /api/frame/x HTTP/1.1\r\n{host}Connection: close\r\n\r\n"), 400),
        (format!("GET /api/frame/-1 HTTP/1.1\r\n{host}Connection: close\r\n\r\n"), 400),
        (
            format!(
                "GET /api/frame/{} HTTP/1.1\r\n{host}Connection: close\r\n\r\n",
                "9".repeat(40)
            ),
            400,
        ),
        (format!("GET /api/frame/999 HTTP/1.1\r\n{host}Connection: close\r\n\r\n"), 404),
        (format!("GET /api/frame/0?color=../x HTTP/1.1\r\n{host}Connection: close\r\n\r\n"), 404),
        (format!("GET /api/table/log?from=-5 HTTP/1.1\r\n{host}Connection: close\r\n\r\n"), 400),
    ] {
        let answer = place.raw(request.as_bytes());
        let start = &request[..request.len().min(60)];
        assert_eq!(status(&answer), expected, "{start:?}: {answer}");
    }
    assert_eq!(status(&place.raw(&[0xff; 20_000])), 431);
    assert_eq!(status(&place.raw(b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n")), 400);
    assert_eq!(status(&place.get("/")), 200, "the server is still there");
}

#[test]
fn pages_of_other_names_get_nothing() {
    let place = Place::new(|_| ());
    let port = place.server.address().port();
    for (headers, expected) in [
        (format!("Host: 127.0.0.1:{port}"), 200),
        ("Host: localhost:8080".to_owned(), 200),
        (format!("Host: localhost:{port}\r\nOrigin: http://localhost:{port}"), 200),
        ("Host: evil.example".to_owned(), 403),
        (format!("Host: evil.example:{port}"), 403),
        ("Host: localhost.evil.example".to_owned(), 403),
        ("Host: 127.0.0.1.evil.example".to_owned(), 403),
        ("Host: ".to_owned(), 403),
        ("X: y".to_owned(), 400),
        ("Host: localhost\r\nHost: evil.example".to_owned(), 400),
        ("Host: localhost\r\nOrigin: http://evil.example".to_owned(), 403),
        ("Host: localhost\r\nOrigin: null".to_owned(), 403),
        ("Host: localhost\r\nSec-Fetch-Site: cross-site".to_owned(), 403),
        // Another server on this machine: its pages are of another origin.
        (format!("Host: localhost:{port}\r\nOrigin: http://localhost:1"), 403),
        (format!("Host: localhost:{port}\r\nOrigin: http://127.0.0.1:{port}"), 403),
        (format!("Host: localhost:{port}\r\nOrigin: https://localhost:{port}"), 403),
        ("Host: localhost\r\nSec-Fetch-Site: same-site".to_owned(), 403),
        ("Host: localhost\r\nSec-Fetch-Site: same-origin".to_owned(), 200),
        ("Host: localhost\r\nSec-Fetch-Site: none".to_owned(), 200),
    ] {
        let request = format!("GET /api/state HTTP/1.1\r\n{headers}\r\nConnection: close\r\n\r\n");
        let answer = place.raw(request.as_bytes());
        assert_eq!(status(&answer), expected, "{headers}: {answer}");
        assert!(!answer.to_lowercase().contains("access-control"), "{headers}");
    }
    // A link elsewhere may open the page, and nothing but open it.
    let linked = |target: &str, mode: &str, dest: &str| {
        let fetch = format!("Sec-Fetch-Mode: {mode}\r\nSec-Fetch-Dest: {dest}");
        place.raw(
            format!(
                "GET {target} HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n\
                 {fetch}\r\n\
                 Connection: close\r\n\r\n"
            )
            .as_bytes(),
        )
    };
    assert_eq!(status(&linked("/", "navigate", "document")), 200);
    assert_eq!(status(&linked("/", "navigate", "iframe")), 403);
    assert_eq!(status(&linked("/", "no-cors", "script")), 403);
    assert_eq!(status(&linked("/api/run", "navigate", "document")), 403);
}

#[test]
fn slow_and_many_connections_do_not_stop_the_server() {
    let place = Place::new(|_| ());
    // Half a request each, never finished.
    let mut slow: Vec<TcpStream> =
        (0..20).map(|_| TcpStream::connect(place.server.address()).unwrap()).collect();
    slow.iter_mut().for_each(|stream| stream.write_all(b"GET / HT").unwrap());
    assert_eq!(status(&place.get("/")), 200);
    let mut answer = String::new();
    slow[0].set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    slow[0].read_to_string(&mut answer).unwrap();
    assert_eq!(status(&answer), 408, "{answer}");
    // More than there is room for, which say nothing at all: whoever comes gets in at once.
    slow.extend((0..60).map(|_| TcpStream::connect(place.server.address()).unwrap()));
    let start = Instant::now();
    for _ in 0..10 {
        assert_eq!(status(&place.get("/")), 200);
    }
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn who_does_not_take_the_answer_keeps_nobody_out() {
    let place = Place::new(|_| ());
    let one = "GET /main.js HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let many = one.repeat(2000);
    let ask = || {
        let mut stream = TcpStream::connect(place.server.address()).unwrap();
        stream.set_nonblocking(true).unwrap();
        // As much as fits: the server stops reading once its answers are not taken.
        let _ = stream.write(many.as_bytes());
        stream
    };
    let deaf: Vec<TcpStream> = (0..40).map(|_| ask()).collect();
    let start = Instant::now();
    let free = (0..60).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        status(&place.get("/")) == 200
    });
    assert!(free && start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    drop(deaf);
}

#[test]
fn a_connection_can_ask_many_times() {
    let place = Place::new(|_| ());
    let mut stream = TcpStream::connect(place.server.address()).unwrap();
    let one = "GET /api/state HTTP/1.1\r\nHost: localhost\r\n\r\n";
    stream.write_all(format!("{one}{one}").as_bytes()).unwrap();
    stream.write_all(one.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert_eq!(answer.matches("HTTP/1.1 200 OK").count(), 3);
    assert_eq!(answer.matches("Connection: keep-alive").count(), 2);
}
