//! Imports point one way, between crates and between the modules of this one. The rules of modules
//! are the table in `src/lib.rs`, where a new module writes its own.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Crates by layer: each may depend on those before its own layer.
const CRATES: [&[&str]; 8] = [
    &["splashdown-geometry", "splashdown-solve"],
    &["splashdown-grid", "splashdown-solids"],
    &["splashdown-physics"],
    &["splashdown-run"],
    &["splashdown-validate"],
    &["splashdown", "splashdown-render"],
    &["splashdown-view"],
    &["splashdown-cli"],
];

/// The last module of physics: it and all above it in the table are told what they need.
const COUPLING: &str = "coupling";

/// Crates below physics.
const BELOW: [&str; 4] =
    ["splashdown-geometry", "splashdown-solve", "splashdown-grid", "splashdown-solids"];

/// Laws in `splashdown-solids`: what elements resist, and what surfaces in contact do. They know
/// neither each other nor the state.
const ELASTIC_LAWS: &[&str] =
    &["hinge", "inversion", "material", "membrane", "pressure", "quadratic", "rod", "tetrahedron"];
const CONTACT_LAWS: &[&str] = &["barrier", "bvh", "ccd", "contact", "distance", "friction"];

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
    /// A file below `src` with what it contains, up to its tests.
    fn new(path: &str, whole: &str) -> Source {
        let tests = ["#[cfg(test)]\nmod tests {", "#[cfg(test)]\npub mod tests {"];
        let end = tests.iter().filter_map(|start| whole.find(start)).min();
        let module = path.split(['/', '.']).next().unwrap().to_owned();
        let text = whole[..end.unwrap_or(whole.len())].to_owned();
        Source { path: path.to_owned(), module, text }
    }

    /// Lines that are no comments.
    fn code(&self) -> impl Iterator<Item = &str> {
        self.text.lines().filter(|line| !line.trim_start().starts_with("//"))
    }

    /// Whether the code has this word.
    fn names(&self, word: &str) -> bool {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        self.code().any(|line| line.split(|c| !is_part(c)).any(|found| found == word))
    }

    /// Names that follow `path` in the code.
    fn names_after<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a str> {
        self.code().flat_map(move |line| line.split(path).skip(1)).map(|part| {
            let end = part.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(part.len());
            &part[..end]
        })
    }

    /// Top modules that the file names, of this crate and of those below.
    fn imports(&self) -> BTreeSet<&str> {
        // The macro `with_kernel!` lives at the root of the crate; its home is `particles`.
        let home = |name| if name == "with_kernel" { "particles" } else { name };
        let mut names: BTreeSet<&str> = self.names_after("crate::").map(home).collect();
        names.extend(self.names_after("splashdown_geometry::"));
        names.extend(["solve", "solids", "grid"].into_iter().filter(|name| {
            let whole_crate = format!("splashdown_{name}");
            self.names(&whole_crate)
        }));
        names
    }

    /// The words by which the file reaches the root of its crate without naming a module there.
    fn climbs(&self) -> Option<String> {
        let to_root = "super::".repeat(self.path.trim_end_matches("/mod.rs").split('/').count());
        let ways = ["crate::{".to_owned(), "crate::*".to_owned(), to_root];
        ways.into_iter().find(|way| self.code().any(|line| line.contains(way)))
    }

    /// What the file uses though its rule does not allow it.
    fn forbidden(&self, rules: &[Rule]) -> Option<String> {
        let Source { path, module, .. } = self;
        if let Some(way) = self.climbs() {
            return Some(format!("{path} climbs to the root of the crate by `{way}`"));
        }
        let Some(rule) = rules.iter().find(|rule| rule.module == *module) else {
            return Some(format!("`{module}` has no row in src/lib.rs"));
        };
        let mut imports = self.imports().into_iter().filter(|import| import != module);
        let wrong = imports.find(|import| !rule.allowed.contains(*import))?;
        Some(format!("{path} uses `{wrong}`"))
    }

    /// The word for the state or the memory of a whole step, if the file has one.
    fn whole_state(&self) -> Option<&'static str> {
        // The memory of the solver of elastic bodies is its own.
        let own = |word: &str| word == "Workspace" && self.path == "elastic.rs";
        ["World", "Workspace"].into_iter().find(|word| self.names(word) && !own(word))
    }
}

/// All files of this crate but `lib.rs`.
fn sources() -> Vec<Source> {
    let sources = sources_of("splashdown-physics");
    assert!(sources.len() > 50, "the sources have moved");
    sources
}

fn sources_of(name: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src");
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
                let path = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
                sources.push(Source::new(&path, &whole));
            }
        }
    }
    sources.retain(|source| source.module != "lib");
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
    let wrong: Vec<_> = sources().iter().filter_map(|source| source.forbidden(&rules)).collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn imports_against_a_rule_are_found_however_they_are_written() {
    let rules = rules();
    let is_allowed = |path, text| Source::new(path, text).forbidden(&rules).is_none();
    assert!(is_allowed("sph/new.rs", "//! As [`crate::world`].\nuse crate::boundary::Solid;"));
    assert!(is_allowed("sph/deep/new.rs", "use super::super::fluid::Fluid;"));
    assert!(is_allowed("sph/new.rs", "\n#[cfg(test)]\nmod tests {\n    use crate::world;\n}"));
    for (path, text) in [
        ("sph/new.rs", "use crate::world::World;"),
        ("sph/new.rs", "let body: crate::rigid::bodies::Body;"),
        ("sph/new.rs", "use crate::{math::DVec3, rigid::bodies::Body};"),
        ("sph/new.rs", "use super::super::rigid;"),
        ("sph/deep/mod.rs", "use super::super::rigid;"),
        ("sph/new.rs", "use splashdown_solids::step;"),
        ("rigid/new.rs", "use splashdown_geometry::shapes::Shape;"),
        ("coupling/new.rs", "use crate::methods::particles;"),
        ("twist.rs", "use super::world;"),
        ("granular.rs", ""),
    ] {
        assert!(!is_allowed(path, text), "{path}: {text}");
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

/// Top modules in a circle of imports, and those that use one of these: none if imports form a
/// tree.
fn entangled(sources: &[Source]) -> BTreeSet<&str> {
    let mut open: BTreeSet<&str> = sources.iter().map(|source| source.module.as_str()).collect();
    let is_free = |module: &str, open: &BTreeSet<&str>| {
        let own = sources.iter().filter(|source| source.module == module);
        let mut used = own.flat_map(Source::imports).filter(|import| *import != module);
        !used.any(|import| open.contains(import))
    };
    while let Some(free) = open.iter().copied().find(|module| is_free(module, &open)) {
        open.remove(free);
    }
    open
}

/// The crates below need no table: no module uses one that uses it.
#[test]
fn modules_of_solvers_geometry_and_elastic_bodies_form_trees() {
    for name in BELOW {
        let sources = sources_of(name);
        assert!(sources.len() > 4, "the sources of {name} have moved");
        let climbing = sources.iter().find_map(|source| Some((&source.path, source.climbs()?)));
        assert_eq!(climbing, None, "of {name}");
        let open = entangled(&sources);
        assert!(open.is_empty(), "of {name} these use each other: {open:?}");
    }
}

#[test]
fn modules_that_use_each_other_are_found() {
    let of = |files: [(&str, &str); 3]| {
        let sources = files.map(|(path, text)| Source::new(path, text));
        entangled(&sources).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let tests = "\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}";
    assert!(
        of([("a.rs", "use crate::b::B;"), ("b.rs", "use crate::c;"), ("c.rs", tests)]).is_empty()
    );
    let found = of([("a.rs", "use crate::b::B;"), ("b/d.rs", "f(crate::a::A)"), ("c.rs", "")]);
    assert_eq!(found, ["a", "b"]);
    for text in ["use crate::{a, b};", "use super::a;", "use crate::*;"] {
        assert!(Source::new("c.rs", text).climbs().is_some(), "{text}");
    }
}

#[test]
fn laws_of_elasticity_and_of_contact_know_neither_each_other_nor_the_state() {
    let sources = sources_of("splashdown-solids");
    for laws in [ELASTIC_LAWS, CONTACT_LAWS] {
        for module in laws {
            let mut own = sources.iter().filter(|source| source.module == *module).peekable();
            assert!(own.peek().is_some(), "`{module}` has moved");
            let wrong: Vec<_> = own
                .flat_map(Source::imports)
                .filter(|import| *import != "solve" && !laws.contains(import))
                .collect();
            assert!(wrong.is_empty(), "`{module}` uses {wrong:?}");
        }
    }
}

/// Physics, and the coupling of physics, are told what they need.
#[test]
fn nothing_up_to_coupling_names_the_world() {
    let rules = rules();
    let end = rules.iter().position(|rule| rule.module == COUPLING).unwrap();
    let told = above(&rules[..=end]);
    for source in sources().iter().filter(|source| told.contains(&source.module)) {
        let named = source.whole_state();
        assert!(named.is_none(), "{} names `{named:?}`", source.path);
    }
    let of = |path, text| Source::new(path, text).whole_state();
    assert_eq!(of("coupling/new.rs", "fn f(world: &World) {}"), Some("World"));
    assert_eq!(of("sph/new.rs", "fn f(work: &mut Workspace) {}"), Some("Workspace"));
    assert_eq!(of("elastic.rs", "fn f(own: &mut Workspace) {}"), None);
    assert_eq!(of("elastic.rs", "fn f(own: &mut Workspace, all: &World) {}"), Some("World"));
    assert_eq!(of("rigid/new.rs", "/// Part of a `World`.\nfn f(worlds: &Worldly) {}"), None);
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
        let is_unsafe = source.names("unsafe");
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
