//! `splashdown completions`: a script that lets a shell complete commands, options and scenes.

use std::process::ExitCode;

use clap::{Arg, Command};
use clap_complete::{Shell, generate};
use splashdown::scene::gallery;

use crate::failure::Failure;
use crate::terminal::print;

/// Prints the script for `shell`.
pub(crate) fn run(shell: Shell, command: Command) -> Result<ExitCode, Failure> {
    print(&script(shell, command));
    Ok(ExitCode::SUCCESS)
}

/// What clap generates, and what it leaves out for values without a name, such as scenes.
fn script(shell: Shell, mut command: Command) -> String {
    let mut bytes = Vec::new();
    generate(shell, &mut command, "splashdown", &mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    match shell {
        Shell::Fish => text + &fish_values(&command),
        Shell::Zsh => with_files(&text),
        _ => text,
    }
}

/// For fish clap generates options alone.
fn fish_values(command: &Command) -> String {
    let mut lines = String::new();
    for subcommand in command.get_subcommands() {
        for argument in subcommand.get_positionals() {
            let values = names(argument);
            if !values.is_empty() {
                lines += &format!(
                    "complete -c splashdown -n \"__fish_splashdown_using_subcommand {}\" -a \
                     \"{}\"\n",
                    subcommand.get_name(),
                    values.join(" ")
                );
            }
        }
    }
    lines
}

fn names(argument: &Arg) -> Vec<String> {
    argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect()
}

/// Zsh would complete the names of built-in scenes only, where a file is meant as often.
fn with_files(text: &str) -> String {
    let scenes: Vec<&str> = gallery::list().iter().map(|scene| scene.name).collect();
    let scenes = format!("({})", scenes.join(" "));
    let helper = format!(
        "\n_splashdown_scenes() {{\n    _alternative 'scenes:built-in scene:{scenes}' \
         'files:scene file:_files -g \"*.toml(-.)\"'\n}}\n"
    );
    let text = text.replace(&format!(":{scenes}'"), ":_splashdown_scenes'");
    match text.split_once('\n') {
        // The first line must stay first: it says whom the script is for.
        Some((first, rest)) => format!("{first}\n{helper}{rest}"),
        None => text,
    }
}
