//! The splashdown command.
fn main() {}
