//! What shells, manual pages and editors get from the real program.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use common::*;

/// Whether a program is there to ask.
fn has(program: &str) -> bool {
    let version = Command::new(program).arg("--version").stdout(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

/// What a shell says to a script, which must succeed.
fn ask(shell: &str, script: &str, place: &Place) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_splashdown"));
    let folders = [binary.parent().unwrap().display().to_string(), std::env::var("PATH").unwrap()];
    let output = Command::new(shell)
        .args(["-c", script])
        .env("PATH", folders.join(":"))
        .current_dir(place.path(""))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success() && stderr(&output).is_empty(), "{shell}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_shell_gets_a_script() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = place.succeed(&format!("completions {shell}"));
        for command in ["compare", "render", "completions"] {
            assert!(script.contains(command), "{shell} does not know {command}");
        }
    }
    let output = place.run("completions csh");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("bash, elvish, fish"), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn bash_completes_commands_options_and_scenes() {
    if !has("bash") {
        return;
    }
    let place = Place::new();
    let complete = |line: &str| {
        let words = line.split(' ').map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        let last = line.split(' ').count() - 1;
        let [word, before] = [last, last - 1].map(|k| line.split(' ').nth(k).unwrap());
        let script = format!(
            "source <(splashdown completions bash); COMP_WORDS=({words}); COMP_CWORD={last}; \
             _splashdown splashdown '{word}' '{before}'; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        ask("bash", &script, &place)
    };
    assert!(complete("splashdown comp").lines().any(|word| word == "compare"));
    assert!(complete("splashdown run dam-break-w").lines().eq(["dam-break-with-bodies"]));
    assert!(complete("splashdown show fount").lines().eq(["fountain"]));
    assert!(complete("splashdown run --thr").lines().eq(["--threads"]));
    assert!(complete("splashdown render run --color pha").lines().eq(["phase"]));
    // Not a scene that there is: bash goes on with files.
    assert_eq!(complete("splashdown run my-own").trim(), "");
}

#[cfg(unix)]
#[test]
fn zsh_and_fish_read_their_scripts_where_they_are_installed() {
    let place = Place::new();
    if has("zsh") {
        let script = "autoload -U compinit; compinit -u -D; source <(splashdown completions zsh); \
                      whence -w _splashdown _splashdown_scenes";
        let text = ask("zsh", script, &place);
        assert_eq!(text.matches("function").count(), 2, "{text}");
    }
    if has("fish") {
        let script =
            "splashdown completions fish | source; complete -C 'splashdown run dam-break-w'";
        assert!(ask("fish", script, &place).contains("dam-break-with-bodies"));
        let script = "splashdown completions fish | source; complete -C 'splashdown comp'";
        assert!(ask("fish", script, &place).contains("compare"));
    }
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let place = Place::new();
    let text = place.succeed("man --out pages");
    assert!(text.contains("pages are in pages"), "{text}");
    let help = place.succeed("--help");
    let commands = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let names = commands.lines().filter_map(|line| line.strip_prefix("  "));
    let names: Vec<&str> = names.filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains(&"run") && names.contains(&"man"), "{names:?}");
    for name in names.into_iter().filter(|name| !name.is_empty() && *name != "help") {
        let page = fs::read_to_string(place.path(&format!("pages/splashdown-{name}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{name}");
        assert_eq!(place.succeed(&format!("man {name}")), page, "{name}");
        #[cfg(unix)]
        if has("groff") {
            let script = format!("groff -man -Tascii -P-cbu pages/splashdown-{name}.1 2>/dev/null");
            let drawn = ask("sh", &script, &place);
            let has = |part: &str| drawn.contains(part);
            assert!(has("OPTIONS") && has("splashdown 0."), "{name}: {drawn}");
        }
    }
    assert!(place.succeed("man").contains(".TH splashdown 1"));
    let output = place.run("man fly");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("there are run, view"), "{}", stderr(&output));
}

#[test]
fn manual_pages_of_others_are_not_replaced() {
    let place = Place::new();
    place.succeed("man --out pages");
    place.succeed("man --out pages"); // a newer version
    let mine = place.path("pages/splashdown-view.1");
    fs::write(&mine, "mine").unwrap();
    let output = place.run("man --out pages");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("splashdown-view.1"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(mine).unwrap(), "mine");
}

#[test]
fn a_shown_scene_names_the_schema_next_to_it_and_can_be_run() {
    let place = Place::new();
    let text = place.succeed("show dam-break-2d");
    assert_eq!(text.lines().next(), Some("#:schema ./splashdown.schema.json"));
    fs::write(place.path("mine.toml"), &text).unwrap();
    place.succeed("check mine.toml");
    assert_eq!(place.succeed("show ./mine.toml"), text, "one such line is enough");
    let schema: serde_json::Value = serde_json::from_str(&place.succeed("schema")).unwrap();
    assert_eq!(schema["$id"], "tag:splashdown,2026:scene.schema.json");
    assert!(schema["properties"]["simulation"].is_object());
}
