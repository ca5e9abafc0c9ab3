//! A page that holds everything it shows.

use splashdown_run::output::made::MARK;

/// The beginning and end of every report.
pub(super) fn page(title: &str, body: &str) -> String {
    let style = include_str!("report.css");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"{MARK}\">\n\
         <title>{}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n{body}</main>\n\
         </body>\n</html>\n",
        escape(title)
    )
}

/// A table of two or more columns; cells are escaped.
pub(super) fn table<const N: usize>(header: Option<[&str; N]>, rows: &[[String; N]]) -> String {
    let line = |tag: &str, cells: Vec<String>| {
        let cells: String = cells.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let header = header.map(|names| line("th", names.iter().map(|name| escape(name)).collect()));
    let rows: String =
        rows.iter().map(|row| line("td", row.iter().map(|cell| escape(cell)).collect())).collect();
    format!("<table>\n{}{rows}</table>\n", header.unwrap_or_default())
}

/// Text as it stands in HTML.
pub(super) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// A picture inside the page.
pub(super) fn picture(png: &[u8], words: &str) -> String {
    let words = escape(words);
    let data = base64(png);
    format!(
        "<figure><img alt=\"{words}\" \
         src=\"data:image/png;base64,{data}\"><figcaption>{words}</figcaption></figure>\n"
    )
}

/// RFC 4648.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |k: usize| u32::from(chunk.get(k).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * k) & 63) as usize];
            text.push(if k <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_the_standard_says() {
        let examples =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (bytes, text) in examples {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn nothing_that_is_shown_becomes_a_tag() {
        let page = page("<a>", &table(Some(["\"x\""]), &[["<script>&".to_owned()]]));
        assert!(!page.contains("<script") && page.contains("&lt;script&gt;&amp;"), "{page}");
        assert!(page.contains("<title>&lt;a&gt;"));
    }
}
