//! Letters made of strokes, drawn by us: they scale to any size and need no font file.
//!
//! A glyph is a list of strokes, a stroke a list of points `xy` on a grid of 5 × 9 with the
//! baseline at y = 2, small letters up to 6, capitals and digits up to 8. A stroke that starts with
//! `~` is an open curve and one that starts with `o` a closed one: the points are then the corners
//! of the curve's control polygon, rounded off by Chaikin's corner cutting.

use glam::Vec2;

/// Height of a capital letter, in units of the grid.
const CAPITAL: f32 = 6.0;
const BASELINE: f32 = 2.0;
const GAP: f32 = 1.6;
const SPACE: f32 = 2.4;

/// A line of text as strokes, in pixels.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// Polylines; y down, the baseline at 0.
    pub strokes: Vec<Vec<Vec2>>,
    /// Width of the whole line.
    pub width: f32,
}

/// Lays out `text` with capitals of `height` pixels.
pub fn layout(text: &str, height: f32) -> Text {
    let unit = height / CAPITAL;
    let mut line = Text::default();
    let mut x = 0.0;
    for character in text.chars() {
        if character == ' ' {
            x += SPACE + GAP;
            continue;
        }
        let strokes = strokes(glyph(character));
        let points = || strokes.iter().flatten();
        let left = points().map(|p| p.x).fold(f32::MAX, f32::min);
        let right = points().map(|p| p.x).fold(0.0, f32::max);
        let place = |p: &Vec2| Vec2::new(x + p.x - left, BASELINE - p.y) * unit;
        line.strokes.extend(strokes.iter().map(|s| s.iter().map(place).collect::<Vec<_>>()));
        // Digits are all equally wide, so that a running clock does not tremble.
        x += if character.is_ascii_digit() { 4.0 } else { right - left } + GAP;
    }
    line.width = (x - GAP).max(0.0) * unit;
    line
}

fn strokes(glyph: &str) -> Vec<Vec<Vec2>> {
    glyph
        .split(' ')
        .map(|stroke| {
            let points = |digits: &str| {
                let digits: Vec<f32> = digits.bytes().map(|b| f32::from(b - b'0')).collect();
                digits.chunks_exact(2).map(|p| Vec2::new(p[0], p[1])).collect::<Vec<_>>()
            };
            match stroke.as_bytes().first() {
                Some(b'~') => (0..3).fold(points(&stroke[1..]), |p, _| cut_open(&p)),
                Some(b'o') => {
                    let mut loop_ = (0..3).fold(points(&stroke[1..]), |p, _| cut_closed(&p));
                    loop_.extend(loop_.first().copied());
                    loop_
                }
                _ => points(stroke),
            }
        })
        .collect()
}

fn cut_open(points: &[Vec2]) -> Vec<Vec2> {
    let last = points.len() - 1;
    let mut cut = vec![points[0]];
    for (k, pair) in points.windows(2).enumerate() {
        if k > 0 {
            cut.push(pair[0].lerp(pair[1], 0.25));
        }
        if k + 1 < last {
            cut.push(pair[0].lerp(pair[1], 0.75));
        }
    }
    cut.push(points[last]);
    cut
}

fn cut_closed(points: &[Vec2]) -> Vec<Vec2> {
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).flat_map(|(a, b)| [a.lerp(*b, 0.25), a.lerp(*b, 0.75)]).collect()
}

fn glyph(character: char) -> &'static str {
    match character {
        '0' => "o02424808",
        '1' => "072822",
        '2' => "~0708484502 0242",
        '3' => "~0708484525 ~2545420203",
        '4' => "32380444",
        '5' => "480805 ~052646420203",
        '6' => "~48280604 o02424606",
        '7' => "084812",
        '8' => "o05454808 o02424505",
        '9' => "o04444808 ~464212",
        'A' => "022842 1434",
        'B' => "0208 ~08484505 ~05454202",
        'C' => "~474808024243",
        'D' => "0208 ~08484202",
        'E' => "48080242 0535",
        'F' => "480802 0535",
        'G' => "~474808024245 4525",
        'H' => "0208 4248 0545",
        'I' => "0208",
        'J' => "~38320203",
        'K' => "0208 480542",
        'L' => "080242",
        'M' => "0208254842",
        'N' => "02084248",
        'O' => "o02424808",
        'P' => "0208 ~08484505",
        'Q' => "o02424808 2442",
        'R' => "0208 ~08484505 2542",
        'S' => "~4748080545420203",
        'T' => "0848 2822",
        'U' => "~08024248",
        'V' => "082248",
        'W' => "0812263248",
        'X' => "0842 0248",
        'Y' => "082548 2522",
        'Z' => "08480242",
        'a' => "o02323606 3632",
        'b' => "0802 o02323606",
        'c' => "~353606023233",
        'd' => "3832 o02323606",
        'e' => "0434 ~343606023233",
        'f' => "~28181612 0626",
        'g' => "o02323606 ~36300001",
        'h' => "0802 ~04063632",
        'i' => "0602 0808",
        'j' => "~161000 1818",
        'k' => "0802 360432",
        'l' => "0802",
        'm' => "0602 ~04062622 ~24264642",
        'n' => "0602 ~04063632",
        'o' => "o02323606",
        'p' => "0600 o02323606",
        'q' => "3630 o02323606",
        'r' => "0602 ~040626",
        's' => "~3536060434320203",
        't' => "~18131222 0626",
        'u' => "~06023236 3632",
        'v' => "062246",
        'w' => "0612253246",
        'x' => "0632 0236",
        'y' => "0622 4610",
        'z' => "06360232",
        '.' => "0202",
        ',' => "1201",
        ':' => "0202 0505",
        '-' | '−' | '–' => "0535",
        '+' => "0545 2327",
        '=' => "0434 0636",
        '/' => "0138",
        '(' => "~28070322",
        ')' => "~08272302",
        '[' => "18080212",
        ']' => "08181202",
        '%' => "0248 o06161808 o32424434",
        '_' => "0141",
        '\'' => "0806",
        '!' => "0804 0202",
        '·' => "0505",
        '°' => "o06262808",
        '²' => "~08282705 0525",
        '³' => "082817 ~17272505",
        '×' => "0336 0633",
        'µ' => "0600 ~06023236 3632",
        _ => "~0708484524 2222",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_glyph_stays_on_its_grid() {
        for character in (' '..='~').chain("−·°²³×µü".chars()) {
            for p in layout(&character.to_string(), CAPITAL).strokes.iter().flatten() {
                assert!((0.0..=4.0).contains(&p.x), "{character}: {p}");
                assert!((-6.0..=2.0).contains(&p.y), "{character}: {p}");
            }
        }
    }

    #[test]
    fn numbers_of_equal_length_are_equally_wide() {
        assert_eq!(layout("0.111", 12.0).width, layout("8.888", 12.0).width);
        assert_eq!(layout("", 12.0).width, 0.0);
    }
}
