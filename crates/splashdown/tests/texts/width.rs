//! Lines of code end where a reader with two files side by side still sees them.

use super::{read, root, sources};

/// As `max_width` in rustfmt.toml, which does not look at comments and strings.
const MOST: usize = 100;

/// Rows of tables and addresses cannot be broken.
fn may_be_longer(line: &str) -> bool {
    line.trim_start().starts_with("//! |") || line.contains("http")
}

#[test]
fn no_line_of_code_has_more_than_a_hundred_characters() {
    let mut long = Vec::new();
    for path in sources() {
        let name = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
        for (k, line) in read(&path).lines().enumerate() {
            let count = line.chars().count();
            if count > MOST && !may_be_longer(line) {
                long.push(format!("{name}:{}: {count} characters", k + 1));
            }
        }
    }
    assert!(long.is_empty(), "\n{}\n", long.join("\n"));
}
