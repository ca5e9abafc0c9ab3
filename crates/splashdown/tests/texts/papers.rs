//! Every file, function, test and scene that `docs/papers.md` names exists.

use std::path::PathBuf;

use super::{files, quoted, read, root, sources};

/// What paths in the table are relative to.
const HOME: &str = "crates";

/// Words before the name of something that a row may name.
const ITEMS: [&str; 7] = ["fn", "struct", "enum", "trait", "const", "type", "macro_rules!"];

#[test]
fn what_papers_md_names_exists() {
    let text = read(&root().join("docs/papers.md"));
    let rows = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| paper"));
    let project = Project::read();
    let stale: Vec<String> = rows.flat_map(|row| project.stale(row)).collect();
    assert!(text.lines().count() > 20 && stale.is_empty(), "\n{}\n", stale.join("\n"));
}

/// What rows are compared with.
struct Project {
    code: String,
    scenes: Vec<String>,
}

impl Project {
    fn read() -> Project {
        let code = sources().iter().map(|path| read(path)).collect();
        let in_scenes = |path: &PathBuf| path.parent().is_some_and(|p| p.ends_with("scenes"));
        let scenes = files(&root().join("crates"), "toml").into_iter().filter(in_scenes);
        let scenes = scenes.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned());
        Project { code, scenes: scenes.collect() }
    }

    /// What a row names and nobody has.
    fn stale(&self, row: &str) -> Vec<String> {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let &[_, paper, _, paths, items, tests, scenes, _] = &cells[..] else {
            return vec![format!("not six columns: {row}")];
        };
        let code: String = quoted(paths)
            .flat_map(|path| files(&place(path), "rs"))
            .map(|path| read(&path))
            .collect();
        let no_path = quoted(paths).filter(|path| !place(path).exists());
        let no_item = quoted(items).filter(|item| !defines(&code, item));
        let no_test = quoted(tests).filter(|test| !self.has_test(test));
        let no_scene = quoted(scenes).filter(|scene| !self.has_scene(scene));
        let missing = no_path.chain(no_item).chain(no_test).chain(no_scene);
        missing.map(|name| format!("{paper}: there is no `{name}`")).collect()
    }

    /// A test file, a case (`validate NAME`, or its name alone) or a function.
    fn has_test(&self, test: &str) -> bool {
        let case = test.strip_prefix("validate ").unwrap_or(test);
        let named = format!("name: \"{case}\",");
        place(test).exists() || self.code.contains(&named) || defines(&self.code, test)
    }

    /// A built-in scene, with or without options; or options alone.
    fn has_scene(&self, scene: &str) -> bool {
        let name = scene.split(' ').next().unwrap_or_default();
        name.starts_with("--") || self.scenes.iter().any(|known| known == name)
    }
}

/// Where a path of the table is.
fn place(path: &str) -> PathBuf {
    root().join(HOME).join(path)
}

/// Whether `code` defines the item, or the method `Type::method`.
fn defines(code: &str, item: &str) -> bool {
    let name = item.rsplit("::").next().unwrap_or(item);
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    // An argument of a macro that defines it, on a line of its own.
    let by_macro = format!("{name}, ");
    code.lines().any(|line| line.trim_start().starts_with(&by_macro))
        || ITEMS.iter().any(|kind| {
            let definition = format!("{kind} {name}");
            code.match_indices(&definition).any(|(at, text)| ends(&code[at + text.len()..]))
        })
}
