//! Printing that survives a closed pipe: `splashdown list | head -1` is not an error.

use std::io::Write;

/// Prints a result to standard output.
pub fn print(text: &str) {
    // Whoever read this has seen enough; there is nobody left to tell.
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints a line about what is going on to standard error.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
