//! What `docs/extending` says about files: that they are there, what they contain, how many.

use super::{files, quoted, read, root};

/// A row of a page: path, whether the file is to be made, what is done to it.
type Row = (String, bool, String);

fn rows(text: &str) -> Vec<Row> {
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect();
    let row = |cells: Vec<String>| match &cells[..] {
        [_, path, new, what, _] => {
            Some((path.trim_matches('`').to_owned(), new == "new", what.clone()))
        }
        _ => None,
    };
    text.lines().filter(|line| line.starts_with("| `")).filter_map(|l| row(cells(l))).collect()
}

/// The number that a page begins its table with: `4 files`.
fn announced(text: &str) -> Option<usize> {
    text.lines().find_map(|line| line.split_once(" files")?.0.parse().ok())
}

/// What is wrong with a row.
fn stale((path, is_new, what): &Row) -> Option<String> {
    let place = root().join(path);
    if *is_new {
        let has_folder = place.parent().is_some_and(|folder| folder.is_dir());
        return (place.exists() || !has_folder).then(|| format!("{path} cannot be made"));
    }
    if !place.is_file() {
        return Some(format!("there is no {path}"));
    }
    let text = read(&place);
    let is_name = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || c == '_');
    let missing = quoted(what).filter(is_name).find(|name| !text.contains(name));
    missing.map(|name| format!("{path} has no `{name}`"))
}

#[test]
fn what_pages_about_extensions_name_exists_and_is_counted() {
    let index = read(&root().join("docs/extending/README.md"));
    let mut wrong = Vec::new();
    let pages = files(&root().join("docs/extending"), "md");
    let pages: Vec<_> = pages.iter().filter(|page| !page.ends_with("README.md")).collect();
    for page in &pages {
        let (text, name) = (read(page), page.file_name().unwrap().to_string_lossy());
        let rows = rows(&text);
        let stale = rows.iter().filter_map(stale);
        wrong.extend(stale.map(|what| format!("{name}: {what}")));
        let count = rows.len();
        if announced(&text) != Some(count) || !index.contains(&format!("({name}) | {count} |")) {
            wrong.push(format!("{name}: its table has {count} files"));
        }
    }
    assert!(pages.len() > 4 && wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}
