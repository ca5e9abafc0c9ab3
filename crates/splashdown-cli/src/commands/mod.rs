//! One file per subcommand.

pub mod check;
pub mod list;
pub mod run;
pub mod schema;
pub mod show;
