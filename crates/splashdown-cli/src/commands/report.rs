//! `splashdown report`: a run as one page.

use std::process::ExitCode;

use splashdown::output::made;
use splashdown_view::report;

use crate::arguments::ReportArguments;
use crate::failure::Failure;
use crate::terminal::print;

/// Writes the page and says where it is.
pub(crate) fn run(arguments: &ReportArguments) -> Result<ExitCode, Failure> {
    let directory = &arguments.directory;
    let path = arguments.out.clone().unwrap_or_else(|| directory.join("report.html"));
    made::check(&path, arguments.force)?;
    let page = report::run::report(directory)?;
    made::write(&path, page.into_bytes(), arguments.force)?;
    print(&format!("{}\n", path.display()));
    Ok(ExitCode::SUCCESS)
}
