//! Every Rust file that a document names exists.

use std::path::PathBuf;

use super::{files, quoted, read, root, sources};

/// Documents, but for the worked examples, which name files that are not there yet.
fn documents() -> Vec<PathBuf> {
    let mut pages = files(&root().join("docs"), "md");
    pages.retain(|page| !page.parent().is_some_and(|folder| folder.ends_with("extending")));
    pages.extend(["README.md", "CONTRIBUTING.md"].map(|name| root().join(name)));
    pages
}

#[test]
fn rust_files_that_documents_name_exist() {
    let (sources, mut missing) = (sources(), Vec::new());
    let pages = documents();
    for page in &pages {
        let text = read(page);
        let named = quoted(&text).filter(|name| name.ends_with(".rs") && !name.contains(' '));
        let lost = named.filter(|name| !sources.iter().any(|path| path.ends_with(name)));
        missing.extend(lost.map(|name| format!("{}: no `{name}`", page.display())));
    }
    assert!(pages.len() > 15 && missing.is_empty(), "\n{}\n", missing.join("\n"));
}
