//! The page, part of the program: it works without a network.

/// Path, media type and text of every file of the page.
pub const FILES: [(&str, &str, &str); 11] = [
    ("/", HTML, include_str!("page/index.html")),
    ("/style.css", "text/css; charset=utf-8", include_str!("page/style.css")),
    ("/main.js", SCRIPT, include_str!("page/main.js")),
    ("/scene.js", SCRIPT, include_str!("page/scene.js")),
    ("/shaders.js", SCRIPT, include_str!("page/shaders.js")),
    ("/camera.js", SCRIPT, include_str!("page/camera.js")),
    ("/frames.js", SCRIPT, include_str!("page/frames.js")),
    ("/loader.js", SCRIPT, include_str!("page/loader.js")),
    ("/decode.js", SCRIPT, include_str!("page/decode.js")),
    ("/plots.js", SCRIPT, include_str!("page/plots.js")),
    ("/scale.js", SCRIPT, include_str!("page/scale.js")),
];

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_needs_nothing_from_elsewhere() {
        for (path, _, text) in FILES {
            assert!(!text.contains("http://") && !text.contains("https://"), "{path}");
            for part in text.split("from \"./").skip(1) {
                let name = format!("/{}", part.split('"').next().unwrap());
                assert!(FILES.iter().any(|(path, _, _)| *path == name), "{path} imports {name}");
            }
        }
    }
}
