//! Labels of equations are unique in the whole project: (R1) is one law, wherever it is named.
//!
//! An equation is where its label stands apart from a formula, by two spaces or more: in front of
//! it or behind it. It may stand once in a file of code and once in a page of `docs/methods/`.

use std::collections::BTreeMap;
use std::path::Path;

use super::{files, read, root, sources};

#[test]
fn labels_of_equations_are_unique() {
    let mut twice = repeated(sources().iter().map(|path| path.as_path()));
    let pages = files(&root().join("docs/methods"), "md");
    twice.extend(repeated(pages.iter().map(|path| path.as_path())));
    assert!(twice.is_empty(), "\n{}\n", twice.join("\n"));
}

/// Labels that stand at equations of more than one of the files.
fn repeated<'a>(files: impl Iterator<Item = &'a Path>) -> Vec<String> {
    let mut homes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files {
        let name = path.strip_prefix(root()).unwrap_or(path).display().to_string();
        for label in equations(&read(path)) {
            let homes = homes.entry(label).or_default();
            if !homes.contains(&name) {
                homes.push(name.clone());
            }
        }
    }
    let twice = homes.into_iter().filter(|(_, homes)| homes.len() > 1);
    twice.map(|(label, homes)| format!("({label}): {}", homes.join(", "))).collect()
}

/// The labels of the equations in a text.
fn equations(text: &str) -> Vec<String> {
    text.lines().flat_map(labels_apart).collect()
}

fn labels_apart(line: &str) -> Vec<String> {
    let line = line.trim().trim_start_matches(['/', '!']).trim_start();
    let starts = line.match_indices('(').map(|(at, _)| at);
    let apart = starts.filter_map(|at| {
        let (before, rest) = line.split_at(at);
        let (inside, after) = rest[1..].split_once(')')?;
        let is_behind = before.ends_with("  ") && !before.trim().is_empty();
        let is_before = before.is_empty() && after.starts_with("  ");
        (is_behind || is_before).then_some(inside)
    });
    apart.flat_map(|inside| inside.split(", ")).filter(|l| is_label(l)).map(str::to_owned).collect()
}

/// One to three capitals and a number: T6, WF1. Papers have years of two digits: PT24.
fn is_label(text: &str) -> bool {
    let number = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = text.len() - number.len();
    let is_number = number.parse::<u32>().is_ok_and(|n| (1..13).contains(&n));
    (1..4).contains(&letters) && is_number
}

#[test]
fn labels_stand_before_or_behind_a_formula() {
    let text = "//! (XF1)  a = b\n    c = d   (X2)  PT23 eq. 3\n    e   (X3, X4)";
    assert_eq!(equations(text), ["XF1", "X2", "X3", "X4"]);
    assert!(equations("the force of (P1) is\n/// (P2), N\nas  (PT24) have it").is_empty());
}
