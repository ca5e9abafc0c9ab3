//! Ctrl-C and SIGTERM: the first asks the run to stop, the second does not ask.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use splashdown::solve::Stop;

/// Remembers that somebody wants the run to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StopRequest(&'static AtomicUsize);

impl StopRequest {
    /// From now on, signals are remembered instead of ending the program.
    pub(crate) fn listen() -> io::Result<StopRequest> {
        let seen = Arc::new(AtomicUsize::new(0));
        let armed = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds it disarmed, arms it, and is remembered.
            flag::register_conditional_shutdown(signal, exit_code(signal).into(), armed.clone())?;
            flag::register(signal, armed.clone())?;
            flag::register_usize(signal, seen.clone(), signal as usize)?;
        }
        // For the rest of the program: one number.
        Ok(StopRequest(Box::leak(Box::new(seen))))
    }

    /// The request as steps look at it.
    pub(crate) fn inside_steps(self) -> Stop {
        Stop::at(self.0)
    }

    /// The exit code to end with, if somebody wants the run to stop.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(exit_code(signal as i32)),
        }
    }
}

/// By convention 128 plus the number of the signal: 130 and 143.
fn exit_code(signal: i32) -> u8 {
    128 + signal as u8
}
