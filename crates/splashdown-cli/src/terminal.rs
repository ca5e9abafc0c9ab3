//! Printing that survives a closed pipe and notices a full disk: `splashdown list | head -1` is no
//! error, `splashdown list > /full/disk/scenes.txt` is one.

use std::io::{self, ErrorKind, Write};
use std::sync::Mutex;

/// Why a result could not be printed, if one could not.
static FAILURE: Mutex<Option<io::Error>> = Mutex::new(None);

/// Prints a result to standard output. `lost_output` tells at the end whether it arrived.
pub(crate) fn print(text: &str) {
    let mut out = io::stdout().lock();
    remember(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// Takes note of what became of something printed to standard output.
pub(crate) fn remember(result: io::Result<()>) {
    match result {
        Ok(()) => {}
        // Whoever read this has seen enough; there is nobody left to tell.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        Err(error) => {
            let mut failure = FAILURE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            failure.get_or_insert(error);
        }
    }
}

/// A sentence about what was printed and did not arrive, if anything.
pub(crate) fn lost_output() -> Option<String> {
    let failure = FAILURE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    failure.as_ref().map(|error| format!("cannot write to standard output: {error}"))
}

/// Prints a line about what is going on to standard error.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
