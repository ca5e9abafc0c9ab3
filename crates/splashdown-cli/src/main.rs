//! The `splashdown` command: runs scenes, checks them, shows what there is.

mod arguments;
mod commands;
mod failure;
mod pages;
mod progress;
mod signals;
mod summary;
mod terminal;
mod timing;

use std::io::Write;
use std::process::ExitCode;

use arguments::{Arguments, Command};
use clap::{CommandFactory, Parser};
use pages::{LargePages, keep_memory};

#[global_allocator]
static MEMORY: LargePages = LargePages;

fn main() -> ExitCode {
    keep_memory();
    let code = match Arguments::try_parse() {
        Ok(arguments) => obey(arguments),
        Err(answer) => show_help_or_mistake(&answer),
    };
    match terminal::lost_output() {
        Some(sentence) => {
            terminal::tell(&format!("error: {sentence}"));
            ExitCode::FAILURE
        }
        None => code,
    }
}

fn obey(arguments: Arguments) -> ExitCode {
    let result = match arguments.command {
        None => commands::run::default_scene(),
        Some(Command::Run(arguments)) => commands::run::run(&arguments),
        Some(Command::View(arguments)) => commands::view::run(&arguments),
        Some(Command::Render(arguments)) => commands::render::run(&arguments),
        Some(Command::Report(arguments)) => commands::report::run(&arguments),
        Some(Command::Export(arguments)) => commands::export::run(&arguments),
        Some(Command::List) => commands::list::run(),
        Some(Command::Show { name, out }) => commands::show::run(&name, out.as_deref()),
        Some(Command::Check { scene, set, memory, time, threads }) => {
            commands::run::use_threads(threads)
                .and_then(|()| commands::check::run(&scene, &set, &memory.limit(), time))
        }
        Some(Command::Schema) => commands::schema::run(),
        Some(Command::Validate(arguments)) => commands::validate::run(&arguments),
        Some(Command::Bench(arguments)) => commands::bench::run(&arguments),
        Some(Command::Compare(arguments)) => commands::compare::run(&arguments),
        Some(Command::Completions { shell }) => {
            commands::completions::run(shell, Arguments::command())
        }
        Some(Command::Man(arguments)) => commands::man::run(&arguments, Arguments::command()),
    };
    match result {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

/// Prints what clap has to say: help, the version, or what is wrong with the command line.
fn show_help_or_mistake(answer: &clap::Error) -> ExitCode {
    let printed = answer.print().and_then(|()| std::io::stdout().flush());
    if !answer.use_stderr() {
        terminal::remember(printed);
    }
    ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(2))
}
