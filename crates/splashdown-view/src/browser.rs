//! Opens a page in the user's browser.

use std::process::{Command, Stdio};

/// Asks the desktop to show a page. False if there is no desktop or nobody to ask.
pub fn open(address: &str) -> bool {
    let has_screen = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        let mut command = Command::new("cmd");
        command.args(["/C", "start", ""]);
        command
    } else {
        // Without a screen, xdg-open would start a browser in the terminal.
        if !has_screen("DISPLAY") && !has_screen("WAYLAND_DISPLAY") {
            return false;
        }
        Command::new("xdg-open")
    };
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.spawn() {
        Ok(mut child) => {
            // Some browsers stay in the foreground; nobody should have to wait for them.
            std::thread::spawn(move || child.wait());
            true
        }
        Err(_) => false,
    }
}
