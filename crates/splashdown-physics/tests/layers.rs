//! Imports point one way, between crates and between the modules of this one. The rules of modules
//! are the table in `src/lib.rs`, where a new module writes its own.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Crates by layer: each may depend on those before its own layer.
const CRATES: [&[&str]; 8] = [
    &["splashdown-geometry", "splashdown-solve"],
    &["splashdown-solids"],
    &["splashdown-physics"],
    &["splashdown-run"],
    &["splashdown-validate"],
    &["splashdown", "splashdown-render"],
    &["splashdown-view"],
    &["splashdown-cli"],
];

/// The last module of physics: it and all above it in the table are told what they need.
const COUPLING: &str = "coupling";

/// Files that a test build alone contains, besides those in folders called `tests`.
const TEST_FILES: [&str; 3] = ["brute.rs", "testing.rs", "tests.rs"];

/// Files with `unsafe` code: vector instructions, each with its reason.
const UNSAFE_FILES: [&str; 3] =
    ["particles/pair.rs", "particles/simd.rs", "particles/simd/avx2.rs"];

/// A source file without its tests: path below `src`, top module, text.
struct Source {
    path: String,
    module: String,
    text: String,
}

impl Source {
    /// Top modules that the file names after `crate::`.
    fn imports(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for part in self.text.split("crate::").skip(1) {
            let end = part.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(part.len());
            // The macro `with_kernel!` lives at the root of the crate; its home is `particles`.
            names.insert(part[..end].replace("with_kernel", "particles"));
        }
        names
    }
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut open = vec![root.clone()];
    let mut sources = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "tests" {
                open.push(path);
            } else if name.ends_with(".rs") && !TEST_FILES.contains(&name.as_str()) {
                let whole = fs::read_to_string(&path).unwrap();
                let tests = ["#[cfg(test)]\nmod tests {", "#[cfg(test)]\npub mod tests {"];
                let end = tests.iter().filter_map(|start| whole.find(start)).min();
                let path = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
                let module = path.split(['/', '.']).next().unwrap().to_owned();
                if module != "lib" {
                    let text = whole[..end.unwrap_or(whole.len())].to_owned();
                    sources.push(Source { path, module, text });
                }
            }
        }
    }
    assert!(sources.len() > 50, "the sources have moved");
    sources
}

/// What a module may use besides itself.
struct Rule {
    module: String,
    allowed: BTreeSet<String>,
}

/// The table in `src/lib.rs`, from top to bottom.
fn rules() -> Vec<Rule> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let text = fs::read_to_string(path).unwrap();
    let mut rules: Vec<Rule> = Vec::new();
    for row in text.lines().filter_map(|line| line.strip_prefix("//! | ")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let module = cells[0].trim_matches(['[', ']', '`']).to_owned();
        if module != "module" {
            assert_eq!(cells.len(), 4, "`{module}` has no third column in src/lib.rs");
            let set = |names: &str| names.split(", ").map(str::to_owned).collect();
            let allowed = match cells[2].strip_prefix("all above but ") {
                Some(names) => above(&rules).difference(&set(names)).cloned().collect(),
                None if cells[2].is_empty() => BTreeSet::new(),
                None => set(cells[2]),
            };
            rules.push(Rule { module, allowed });
        }
    }
    rules
}

/// Modules that have a rule so far.
fn above(rules: &[Rule]) -> BTreeSet<String> {
    rules.iter().map(|rule| rule.module.clone()).collect()
}

#[test]
fn every_module_uses_what_its_rule_allows() {
    let rules = rules();
    for source in &sources() {
        let Source { path, module, .. } = source;
        let rule = rules.iter().find(|rule| rule.module == *module);
        let rule = rule.unwrap_or_else(|| panic!("`{module}` has no row in src/lib.rs"));
        for import in source.imports().iter().filter(|import| *import != module) {
            assert!(rule.allowed.contains(import), "{path} uses `{import}`");
        }
    }
}

#[test]
fn rules_form_a_tree() {
    let rules = rules();
    for (k, Rule { module, allowed }) in rules.iter().enumerate() {
        let above = above(&rules[..k]);
        let wrong: Vec<_> = allowed.difference(&above).collect();
        assert!(wrong.is_empty(), "`{module}` may use {wrong:?}, which stand not above it");
    }
}

/// Physics, and the coupling of physics, are told what they need.
#[test]
fn nothing_up_to_coupling_names_the_world() {
    let rules = rules();
    let end = rules.iter().position(|rule| rule.module == COUPLING).unwrap();
    let below = above(&rules[..=end]);
    for source in sources() {
        let is_below = below.contains(&source.module);
        let code = source.text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let mut words =
            code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
        let named = words.find(|word| ["World", "Workspace"].contains(word));
        // The memory of the solver of elastic bodies is its own.
        let own = source.path == "elastic.rs" && named == Some("Workspace");
        assert!(!is_below || own || named.is_none(), "{} names `{named:?}`", source.path);
    }
}

/// A running simulation knows particles only.
#[test]
fn shapes_are_gone_when_a_simulation_runs() {
    for source in sources() {
        let uses = source.text.contains("splashdown_geometry::shapes");
        assert!(!uses, "{} uses `shapes`", source.path);
    }
}

/// What each crate of the workspace is built from.
fn dependencies(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("Cargo.toml");
    let manifest = fs::read_to_string(path).unwrap();
    let names = manifest.lines().filter_map(|line| line.split([' ', '.', '=']).next());
    names.filter(|name| name.starts_with("splashdown")).map(str::to_owned).collect()
}

#[test]
fn no_crate_depends_on_one_above_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let layer = |name: &str| {
            let place = CRATES.iter().position(|layer| layer.contains(&name));
            place.unwrap_or_else(|| panic!("`{name}` has no layer yet: see tests/layers.rs"))
        };
        for used in dependencies(&name) {
            assert!(layer(&used) < layer(&name), "{name} depends on {used}");
        }
    }
}

#[test]
fn unsafe_code_stays_in_the_files_for_vector_instructions() {
    for source in sources() {
        let code = source.text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let is_unsafe = code.flat_map(|line| line.split_whitespace()).any(|word| word == "unsafe");
        assert!(!is_unsafe || UNSAFE_FILES.contains(&source.path.as_str()), "{}", source.path);
    }
}

/// Loops over pairs look up values without a check for each: nobody else may make pairs, or lists
/// of them.
#[test]
fn of_particles_only_arrays_and_kernels_are_public() {
    let sources = sources();
    let home = sources.iter().find(|source| source.path == "particles/mod.rs").unwrap();
    let public = home.text.lines().filter(|line| line.starts_with("pub ")).collect::<Vec<_>>();
    assert_eq!(public, ["pub mod kernel;", "pub mod store;"]);
    // Nor are they made public by another name.
    for source in &sources {
        let exports = source.text.lines().filter(|line| line.trim_start().starts_with("pub use "));
        for export in exports.filter(|_| !source.path.starts_with("particles/")) {
            assert!(!export.contains("particles::"), "{}: {export}", source.path);
        }
    }
    let world = sources.iter().find(|source| source.path == "world.rs").unwrap();
    assert!(world.text.contains("    pub(crate) scratch: Scratch,\n"), "lists are private");
    let home = sources.iter().find(|source| source.path == "methods/mod.rs").unwrap();
    assert!(home.text.contains("pub(crate) mod particles;\n"), "lists are private");
}
