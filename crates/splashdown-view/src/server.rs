//! Listens on the loopback interface and gives every connection a thread.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

use crate::guard;
use crate::http::{Connection, Response};
use crate::room::{Doing, Guest, Room};
use crate::routes::View;

/// A server that answers until the program ends.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
}

impl Server {
    /// Takes a port of the loopback interface, for a server that starts later. Port 0 takes any
    /// that is free.
    pub fn reserve(port: u16) -> io::Result<TcpListener> {
        TcpListener::bind((Ipv4Addr::LOCALHOST, port))
    }

    /// Starts to answer in the background, on a port from `reserve`.
    pub fn start(view: View, listener: TcpListener) -> io::Result<Server> {
        let address = listener.local_addr()?;
        let view = Arc::new(view);
        std::thread::Builder::new()
            .name("viewer".to_owned())
            .spawn(move || accept(&listener, &view))?;
        Ok(Server { address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address for a browser.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }
}

fn accept(listener: &TcpListener, view: &Arc<View>) {
    let room = Arc::new(Room::default());
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Out of file handles, most likely: others will be closed soon.
            std::thread::sleep(std::time::Duration::from_millis(20));
            continue;
        };
        let guest = room.enter(&stream);
        let view = Arc::clone(view);
        // A thread that cannot be started closes the connection, which is an answer too.
        let _ = std::thread::Builder::new().name("viewer".to_owned()).spawn(move || {
            // Whoever hangs up early has got what they wanted.
            let _ = serve(stream, &view, guest.as_ref());
        });
    }
}

fn serve(stream: TcpStream, view: &View, guest: Option<&Guest>) -> io::Result<()> {
    let mut connection = Connection::new(stream)?;
    let Some(guest) = guest else {
        let busy = Response::error(503, "too many connections");
        connection.send(&busy, true, false)?;
        connection.close();
        return Ok(());
    };
    while let Some(request) = connection.request() {
        guest.is(Doing::Answering);
        let (response, body, keep_alive) = match request {
            Err(error) => (error, true, false),
            Ok(request) => match guard::check(&request) {
                Err(error) => (error, request.wants_body, false),
                Ok(()) => (view.answer(&request), request.wants_body, request.keep_alive),
            },
        };
        guest.is(Doing::Sending);
        connection.send(&response, body, keep_alive)?;
        if !keep_alive {
            connection.close();
            break;
        }
        guest.is(Doing::Waiting);
    }
    Ok(())
}
