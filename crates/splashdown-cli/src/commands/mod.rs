//! One file per subcommand.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod export;
pub(crate) mod forecast;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod render;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod show;
pub(crate) mod validate;
pub(crate) mod view;
