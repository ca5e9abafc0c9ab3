//! `splashdown view`: a run in the browser.

use std::net::TcpListener;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use splashdown_view::browser;
use splashdown_view::routes::View;
use splashdown_view::server::Server;

use crate::arguments::{ViewArguments, ViewerArguments};
use crate::failure::Failure;
use crate::signals::StopRequest;
use crate::terminal::tell;

/// Serves the page until somebody stops it.
pub(crate) fn run(arguments: &ViewArguments) -> Result<ExitCode, Failure> {
    let stop = StopRequest::listen()
        .map_err(|e| Failure::Usage(format!("cannot listen for Ctrl-C: {e}")))?;
    let port = reserve(&arguments.viewer)?;
    let _server = start(&arguments.directory, port, &arguments.viewer)?;
    wait(&stop);
    Ok(ExitCode::SUCCESS)
}

/// Takes the port before anything else is done: it may be in use.
pub(crate) fn reserve(arguments: &ViewerArguments) -> Result<TcpListener, Failure> {
    Server::reserve(arguments.port).map_err(|e| {
        Failure::Usage(format!("cannot listen on port {} of 127.0.0.1: {e}", arguments.port))
    })
}

/// Starts the server in the background, says where it is, and opens the browser.
pub(crate) fn start(
    directory: &Path,
    port: TcpListener,
    arguments: &ViewerArguments,
) -> Result<Server, Failure> {
    let view = View::open(directory)?;
    let server = Server::start(view, port)
        .map_err(|e| Failure::Usage(format!("cannot start the viewer: {e}")))?;
    let url = server.url();
    let opened = !arguments.no_open && browser::open(&url);
    let advice = if opened { "" } else { ", open it in a browser" };
    tell(&format!("viewer: {url}{advice}; Ctrl-C ends it"));
    Ok(server)
}

/// Sleeps until Ctrl-C.
pub(crate) fn wait(stop: &StopRequest) {
    while stop.exit_code().is_none() {
        std::thread::sleep(Duration::from_millis(100));
    }
}
