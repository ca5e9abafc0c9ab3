//! `splashdown report`: a run as one page.

use std::process::ExitCode;

use splashdown::output::atomic;
use splashdown_view::report;

use crate::arguments::ReportArguments;
use crate::failure::Failure;
use crate::terminal::print;

/// Writes the page and says where it is.
pub fn run(arguments: &ReportArguments) -> Result<ExitCode, Failure> {
    let directory = &arguments.directory;
    let path = arguments.out.clone().unwrap_or_else(|| directory.join("report.html"));
    let page = report::run::report(directory)?;
    atomic::write_bytes(&path, page.as_bytes())?;
    print(&format!("{}\n", path.display()));
    Ok(ExitCode::SUCCESS)
}
