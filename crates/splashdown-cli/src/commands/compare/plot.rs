//! Curves over time as one SVG: energy, iterations, time of computing, and what else there is in
//! the scene.

use std::fmt::Write;

use splashdown::compare::Point;
use splashdown_render::scale;

use super::Row;

/// Colours that stay apart for colour-blind eyes too (Okabe & Ito 2008).
const COLORS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#f0e442"];
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 240.0;
const MARGIN: [f64; 2] = [62.0, 34.0];

/// Values that reach so many times as far as nine tenths of them do are cut off.
const WILD: f64 = 3.0;

/// Heading, and which value of a point is drawn.
type Curve = (&'static str, fn(&Point) -> f64);

const ENERGY: Curve = ("energy, J", |p| p.energy);
const ITERATIONS: Curve = ("iterations per step", |p| p.iterations);
const SECONDS: Curve = ("time of computing, s", |p| p.seconds);
/// The first of these that is not zero everywhere is drawn, too.
const SPECIAL: [Curve; 3] = [
    ("penetration, spacings", |p| p.penetration),
    ("elastic energy, J", |p| p.elastic_energy),
    ("largest compression, share", |p| p.compression),
];

fn curves(rows: &[Row]) -> Vec<Curve> {
    let points = || rows.iter().flat_map(|row| &row.measured.curve);
    let special = SPECIAL.into_iter().find(|(_, value)| points().any(|p| value(p) != 0.0));
    [Some(ENERGY), Some(ITERATIONS), special, Some(SECONDS)].into_iter().flatten().collect()
}

/// Up to four diagrams with a legend.
pub(crate) fn svg(title: &str, rows: &[Row]) -> String {
    let legend = 18.0 * rows.len() as f64 + 40.0;
    let (width, height) = (2.0 * WIDTH + 20.0, 2.0 * HEIGHT + 30.0 + legend);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"14\" y=\"20\" font-size=\"15\">{}</text>\n",
        escaped(title)
    );
    for (k, curve) in curves(rows).iter().enumerate() {
        let at = [(k % 2) as f64 * WIDTH + 10.0, (k / 2) as f64 * HEIGHT + 30.0];
        diagram(&mut text, at, curve, rows);
    }
    for (k, row) in rows.iter().enumerate() {
        let y = 2.0 * HEIGHT + 50.0 + 18.0 * k as f64;
        let name = escaped(&format!("{}: {}", row.name, row.measured.verdict()));
        let _ = writeln!(
            text,
            "<line x1=\"24\" x2=\"54\" y1=\"{y}\" y2=\"{y}\" {} stroke-width=\"2\"/>\
             <text x=\"62\" y=\"{}\">{name}</text>",
            ink(k),
            y + 4.0
        );
    }
    text + "</svg>\n"
}

/// Colour and dashes of line `k`.
fn ink(k: usize) -> String {
    let dashes = ["", " stroke-dasharray=\"7 3\"", " stroke-dasharray=\"2 3\""];
    let dashes = dashes[k / COLORS.len() % dashes.len()];
    format!("stroke=\"{}\"{dashes}", COLORS[k % COLORS.len()])
}

fn diagram(text: &mut String, [left, top]: [f64; 2], (heading, value): &Curve, rows: &[Row]) {
    let points = || rows.iter().flat_map(|row| &row.measured.curve);
    let times = range(points().map(|p| p.time).chain([0.0]));
    // A run that explodes would flatten the others: then nine tenths of all points are shown in
    // full.
    let mut values: Vec<f64> = points().map(value).filter(|v| v.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    let cut = values.len() / 20;
    let usual = range(values.iter().copied().skip(cut).take(values.len() - 2 * cut));
    let all = range(values.iter().copied());
    let values = if all[1] - all[0] > WILD * (usual[1] - usual[0]) { usual } else { all };
    let (w, h) = (WIDTH - MARGIN[0] - 14.0, HEIGHT - 2.0 * MARGIN[1]);
    let x = |t: f64| left + MARGIN[0] + w * (t - times[0]) / (times[1] - times[0]);
    let y = |v: f64| {
        let share = ((v - values[0]) / (values[1] - values[0])).clamp(-0.05, 1.05);
        top + MARGIN[1] + h * (1.0 - share)
    };
    let [x0, x1, y0, y1] = [x(times[0]), x(times[1]), y(values[0]), y(values[1])];
    let [below, beside] = [times, values].map(scale::axis);
    let _ = writeln!(
        text,
        "<rect x=\"{x0:.1}\" y=\"{y1:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" fill=\"none\" \
         stroke=\"#999\"/>\
         <text x=\"{x0:.1}\" y=\"{:.1}\">{}</text>\
         <text x=\"{x1:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
        y1 - 7.0,
        escaped(&beside.title(heading)),
        y0 + 29.0,
        escaped(&below.title("t, s")),
    );
    for (value, label) in &beside.ticks {
        let at = y(*value);
        let _ = writeln!(
            text,
            "<path d=\"M{x0:.1} {at:.1}H{x1:.1}\" stroke=\"#e5e5e5\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            x0 - 5.0,
            at + 4.0,
        );
    }
    for (value, label) in &below.ticks {
        let at = x(*value);
        let _ = writeln!(
            text,
            "<path d=\"M{at:.1} {y0:.1}v4\" stroke=\"#999\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            y0 + 16.0,
        );
    }
    for (k, row) in rows.iter().enumerate() {
        let drawn = row.measured.curve.iter().filter(|p| value(p).is_finite());
        let line: Vec<String> =
            drawn.map(|p| format!("{:.1},{:.1}", x(p.time), y(value(p)))).collect();
        let _ = writeln!(
            text,
            "<polyline fill=\"none\" {} stroke-width=\"1.5\" points=\"{}\"/>",
            ink(k),
            line.join(" ")
        );
    }
}

/// Smallest and largest, never the same.
fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let [low, high] =
        values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)]);
    match (low.is_finite(), high > low) {
        (false, _) => [0.0, 1.0],
        (true, true) => [low, high],
        (true, false) => [low, low + low.abs().max(1e-9)],
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use splashdown::compare::Measured;

    fn row(name: &str, curve: Vec<Point>) -> Row {
        let measured = Measured { curve, ..Measured::default() };
        Row { name: name.to_owned(), overrides: Vec::new(), measured, kept: None }
    }

    #[test]
    fn ticks_of_energies_that_hardly_differ_have_different_labels() {
        let at = |k: u32| Point {
            time: f64::from(k),
            energy: 5000.0 + 1e-5 * f64::from(k),
            compression: 1e-3,
            ..Point::default()
        };
        let text = svg("calm", &[row("one", (0..50).map(at).collect())]);
        assert!(
            text.contains("energy, J (labels + 5000.000") && text.contains("compression"),
            "{text}"
        );
        for diagram in text.split("<rect").skip(2) {
            for anchor in ["end", "middle"] {
                let mark = format!("text-anchor=\"{anchor}\">");
                let labels = diagram.split(&mark).skip(1).filter_map(|rest| rest.split('<').next());
                let labels: Vec<&str> = labels.collect();
                for (k, label) in labels.iter().enumerate() {
                    assert!(!labels[..k].contains(label), "{labels:?}");
                }
                assert!(labels.len() > 1, "{diagram}");
            }
        }
    }

    #[test]
    fn every_variant_has_a_line_in_every_diagram() {
        let curve = |e: f64| {
            (0..50)
                .map(|k| Point { time: f64::from(k) * 0.1, energy: e, ..Point::default() })
                .collect()
        };
        let text = svg(
            "a < b",
            &[row("one", curve(1.0)), row("two", curve(f64::NAN)), row("three", curve(1e9))],
        );
        assert_eq!(text.matches("<polyline").count(), 3 * 3);
        assert!(
            text.contains("a &lt; b") && !text.contains("NaN") && !text.contains("inf"),
            "{text}"
        );
        assert!(svg("empty", &[]).ends_with("</svg>\n"));
    }
}
