//! Letters and digits: strokes of a round pen, with depth.

use glam::DVec2;

use super::contour::{area, contours};
use super::extrude::extrude;
use super::{ParameterError, require};
use crate::mesh::TriangleMesh;
use crate::shapes::primitives::segment;

/// Strokes on a grid four wide and six high: two digits for each point, strokes apart by spaces.
const STROKES: [(char, &str); 36] = [
    ('A', "002640 1232"),
    ('B', "00063645443303 3342413000"),
    ('C', "4536160501103041"),
    ('D', "00062645412000"),
    ('E', "46060040 0333"),
    ('F', "460600 0333"),
    ('G', "45361605011030414323"),
    ('H', "0006 4046 0343"),
    ('I', "2026"),
    ('J', "0110304146"),
    ('K', "0006 460340"),
    ('L', "060040"),
    ('M', "0006234640"),
    ('N', "00064046"),
    ('O', "103041453616050110"),
    ('P', "00063645443303"),
    ('Q', "103041453616050110 2240"),
    ('R', "00063645443303 2340"),
    ('S', "011030414233130405163645"),
    ('T', "2026 0646"),
    ('U', "060110304146"),
    ('V', "062046"),
    ('W', "0610233046"),
    ('X', "0046 0640"),
    ('Y', "062346 2320"),
    ('Z', "06460040"),
    ('0', "103041453616050110"),
    ('1', "152620 1030"),
    ('2', "05163645440040"),
    ('3', "05163645443313 334241301001"),
    ('4', "30360242"),
    ('5', "460603334241301001"),
    ('6', "4536160501103041423303"),
    ('7', "064610"),
    ('8', "130405163645443313 1302011030414233"),
    ('9', "0110304145361605041343"),
];

/// All that can be written.
pub fn letters() -> String {
    STROKES.iter().map(|(letter, _)| letter).collect()
}

fn strokes(text: &str) -> Vec<[DVec2; 2]> {
    let mut segments = Vec::new();
    for stroke in text.split(' ') {
        let digit = |c: char| f64::from(c.to_digit(10).unwrap_or(0));
        let digits: Vec<f64> = stroke.chars().map(digit).collect();
        let points: Vec<DVec2> = digits.chunks_exact(2).map(|p| DVec2::new(p[0], p[1])).collect();
        segments.extend(points.windows(2).map(|ends| [ends[0], ends[1]]));
    }
    segments
}

/// A letter in the plane z = 0 about its middle, `height` high, written with a pen `stroke` wide.
pub fn letter(
    name: char,
    height: f64,
    stroke: f64,
    depth: f64,
) -> Result<TriangleMesh, ParameterError> {
    let found = STROKES.iter().find(|(known, _)| *known == name.to_ascii_uppercase());
    let Some((_, text)) = found else {
        return Err(ParameterError {
            parameter: "letter",
            must: format!("must be one of {}", letters()),
        });
    };
    let thickest = height / 7.0;
    require(stroke <= thickest, "stroke", format!("must be at most {thickest} m"))?;
    let unit = (height - stroke) / 6.0;
    let segments: Vec<[DVec2; 2]> = strokes(text)
        .into_iter()
        .map(|ends| ends.map(|p| (p - DVec2::new(2.0, 3.0)) * unit))
        .collect();
    let pen = |p: DVec2| {
        let nearest = segments.iter().map(|&[a, b]| segment(p, a, b));
        nearest.fold(f64::INFINITY, f64::min) - stroke / 2.0
    };
    let reach = DVec2::new(2.0, 3.0) * unit + 0.9 * stroke;
    let cell = (stroke / 5.0).max(height / 120.0);
    let mut lines = contours(pen, [-reach, reach], cell);
    lines.sort_by(|a, b| area(b).total_cmp(&area(a)));
    lines.retain(|line| area(line).abs() > 0.02 * stroke * stroke);
    if lines.is_empty() || area(&lines[0]) <= 0.0 {
        return Err(ParameterError { parameter: "stroke", must: "must be thicker".to_string() });
    }
    let holes: Vec<Vec<DVec2>> = lines[1..].iter().filter(|l| area(l) < 0.0).cloned().collect();
    Ok(extrude(&lines[0], &holes, depth))
}
