//! One file per subcommand.

pub mod bench;
pub mod check;
pub mod compare;
pub mod completions;
pub mod export;
pub mod forecast;
pub mod list;
pub mod man;
pub mod render;
pub mod report;
pub mod run;
pub mod schema;
pub mod show;
pub mod validate;
pub mod view;
