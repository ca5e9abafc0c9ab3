//! `splashdown man`: manual pages, one for each command.

use std::path::Path;
use std::process::ExitCode;

use clap::Command;
use clap_mangen::Man;
use splashdown::output::atomic;

use crate::arguments::ManArguments;
use crate::failure::Failure;
use crate::terminal::print;

/// First line of every page: by it a page of ours is known from a file of somebody else.
const MARK: &str = ".\\\" Made by `splashdown man`.\n";

/// A manual page and the name of its file.
struct Page {
    file: String,
    text: String,
}

/// Prints one page, or writes all of them into a folder.
pub(crate) fn run(arguments: &ManArguments, command: Command) -> Result<ExitCode, Failure> {
    let Some(folder) = &arguments.out else {
        print(&wanted(arguments.command.as_deref(), command)?.text);
        return Ok(ExitCode::SUCCESS);
    };
    let pages = all(command)?;
    for page in &pages {
        refuse_foreign(&folder.join(&page.file))?;
    }
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::Usage(format!("cannot create {}: {e}", folder.display())))?;
    for page in &pages {
        atomic::write_bytes(&folder.join(&page.file), page.text.as_bytes())?;
    }
    print(&format!("{} pages are in {}\n", pages.len(), folder.display()));
    Ok(ExitCode::SUCCESS)
}

/// The page of a command, or of the whole program.
fn wanted(name: Option<&str>, command: Command) -> Result<Page, Failure> {
    let Some(name) = name else { return page(command) };
    let file = format!("splashdown-{name}.1");
    let names: Vec<String> = command.get_subcommands().map(|c| c.get_name().to_owned()).collect();
    all(command)?.into_iter().find(|page| page.file == file).ok_or_else(|| {
        Failure::Usage(format!("there is no command `{name}`: there are {}", names.join(", ")))
    })
}

/// The program's page first, then one for each command.
fn all(command: Command) -> Result<Vec<Page>, Failure> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let parts: Vec<Command> = command.get_subcommands().cloned().collect();
    std::iter::once(command).chain(parts).map(page).collect()
}

fn page(command: Command) -> Result<Page, Failure> {
    let command = command.disable_help_subcommand(true);
    let man = Man::new(command).source(concat!("splashdown ", env!("CARGO_PKG_VERSION")));
    let mut bytes = MARK.as_bytes().to_vec();
    man.render(&mut bytes)
        .map_err(|e| Failure::Usage(format!("cannot write a manual page: {e}")))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(Page { file: man.get_filename(), text })
}

/// Pages of an earlier version are replaced; what somebody else wrote is not.
fn refuse_foreign(path: &Path) -> Result<(), Failure> {
    match std::fs::read(path) {
        Ok(bytes) if !bytes.starts_with(MARK.as_bytes()) => Err(Failure::Usage(format!(
            "{} is there already and was not made by `splashdown man`: remove it, or choose \
             another folder",
            path.display()
        ))),
        _ => Ok(()),
    }
}
