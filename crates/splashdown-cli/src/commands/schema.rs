//! `splashdown schema`: the JSON Schema of scene files.

use std::process::ExitCode;

use splashdown::scene;

use crate::failure::Failure;
use crate::terminal::print;

pub(crate) fn run() -> Result<ExitCode, Failure> {
    print(&scene::schema::json_schema());
    Ok(ExitCode::SUCCESS)
}
