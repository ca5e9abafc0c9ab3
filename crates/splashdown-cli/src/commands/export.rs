//! `splashdown export`: meshes of a run for other programs.

use std::process::ExitCode;

use splashdown_render::export::Exporter;
use splashdown_render::run::Run;

use crate::arguments::ExportArguments;
use crate::failure::Failure;
use crate::progress::Counter;
use crate::terminal::print;

/// Writes meshes of one frame or of all.
pub(crate) fn run(arguments: &ExportArguments) -> Result<ExitCode, Failure> {
    let run = Run::open(&arguments.directory)?;
    let folder = arguments.out.clone().unwrap_or_else(|| arguments.directory.join("meshes"));
    let frames = match arguments.frame {
        Some(index) => vec![index],
        None => run.frames.clone(),
    };
    let exporter = Exporter::new(&run, &folder, arguments.format, arguments.force)?;
    let mut counter = Counter::new("frame", frames.len());
    for index in frames {
        exporter.frame(index, arguments.surface)?;
        counter.step();
    }
    counter.close();
    print(&format!("{}\n", folder.display()));
    Ok(ExitCode::SUCCESS)
}
