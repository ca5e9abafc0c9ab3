//! Room for so many connections. When it is full, one that only waits makes place for who comes.

use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Connections that may be open at the same time; a browser uses six.
const PLACES: usize = 32;
/// Whoever does not take an answer for so long may be shown out.
const PATIENCE: Duration = Duration::from_secs(3);

/// The connections that are open.
#[derive(Debug, Default)]
pub(crate) struct Room(Mutex<Guests>);

#[derive(Debug, Default)]
struct Guests {
    /// The number of the next one.
    next: u64,
    present: Vec<Present>,
}

#[derive(Debug)]
struct Present {
    number: u64,
    stream: TcpStream,
    doing: Doing,
    since: Instant,
}

/// What goes on with a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    /// It has no request, or half of one.
    Waiting,
    /// Its answer is being made.
    Answering,
    /// Its answer is on the way.
    Sending,
}

/// A connection's place, free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Guest {
    number: u64,
    room: Arc<Room>,
}

impl Room {
    /// A place for a connection; if need be, that of the one that has been waiting longest. None if
    /// all others are being answered.
    pub(crate) fn enter(self: &Arc<Room>, stream: &TcpStream) -> Option<Guest> {
        let stream = stream.try_clone().ok()?;
        let mut guests = self.guests();
        if guests.present.len() >= PLACES {
            let k = dispensable(&guests.present)?;
            // Its thread finds the end of the connection and goes.
            let _ = guests.present.swap_remove(k).stream.shutdown(Shutdown::Both);
        }
        let number = guests.next;
        guests.next += 1;
        let (doing, since) = (Doing::Waiting, Instant::now());
        guests.present.push(Present { number, stream, doing, since });
        Some(Guest { number, room: Arc::clone(self) })
    }

    fn guests(&self) -> MutexGuard<'_, Guests> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Guest {
    /// Notes what goes on with the connection from now on.
    pub(crate) fn is(&self, doing: Doing) {
        let mut guests = self.room.guests();
        if let Some(own) = guests.present.iter_mut().find(|p| p.number == self.number) {
            (own.doing, own.since) = (doing, Instant::now());
        }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.room.guests().present.retain(|p| p.number != self.number);
    }
}

/// The connection that can be done without: the one that has been waiting longest, or not taking
/// its answer.
fn dispensable(present: &[Present]) -> Option<usize> {
    let oldest = |doing: Doing| {
        let those = present.iter().enumerate().filter(move |(_, p)| p.doing == doing);
        those.min_by_key(|(_, p)| p.since).map(|(k, _)| k)
    };
    let stalled = |k: &usize| present[*k].since.elapsed() > PATIENCE;
    oldest(Doing::Waiting).or_else(|| oldest(Doing::Sending).filter(stalled))
}
