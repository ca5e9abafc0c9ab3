//! Plots as SVG.

use std::fmt::Write as _;

use splashdown_render::scale;

use super::html::escape;

const INKS: [&str; 6] = ["#2f7fc1", "#d9822b", "#3f9e63", "#b8518f", "#8a7bd1", "#9a8a2c"];
const KNOWN: &str = "#22303b";
const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 250.0;
/// Left, top, right and bottom of the axes.
const FRAME: [f64; 4] = [62.0, 30.0, 508.0, 212.0];
/// More points than this are drawn as least and largest of groups.
const ENOUGH: usize = 900;

/// What a line looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Measured values.
    Line,
    /// Measured values of which there are few.
    Dots,
    /// The known answer.
    Known,
}

/// A line of a plot.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// In the legend; empty for none.
    pub name: String,
    /// In order.
    pub points: Vec<[f64; 2]>,
    /// How it is drawn.
    pub look: Look,
}

/// A plot.
#[derive(Clone, Debug)]
pub(super) struct Plot {
    /// Above it.
    pub title: String,
    /// Below it; its values belong to the title.
    pub x: String,
    /// From back to front.
    pub lines: Vec<Line>,
}

impl Plot {
    /// As SVG; empty if there is nothing to show.
    pub(super) fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let sound = |p: &&[f64; 2]| p.iter().all(|x| x.is_finite());
        let Some([x_range, y_range]) = ranges(points().filter(sound)) else { return String::new() };
        let [left, top, right, bottom] = FRAME;
        let x = |v: f64| left + (v - x_range[0]) / (x_range[1] - x_range[0]) * (right - left);
        let y = |v: f64| bottom - (v - y_range[0]) / (y_range[1] - y_range[0]) * (bottom - top);
        let [x_axis, y_axis] = [x_range, y_range].map(scale::axis);
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" xmlns=\"http://www.w3.org/2000/svg\" \
             role=\"img\" \
             font-family=\"system-ui, sans-serif\" font-size=\"11\">\n\
             <text x=\"{left}\" y=\"17\" font-size=\"13\" font-weight=\"600\" \
             fill=\"{KNOWN}\">{}</text>\n",
            escape(&y_axis.title(&self.title))
        );
        for (value, label) in &y_axis.ticks {
            let at = y(*value);
            let _ = writeln!(
                svg,
                "<path d=\"M{left} {at:.1}H{right}\" stroke=\"#e3e9ee\"/><text x=\"{:.1}\" \
                 y=\"{:.1}\" \
                 text-anchor=\"end\" fill=\"#6b7a86\">{label}</text>",
                left - 6.0,
                at + 4.0
            );
        }
        for (value, label) in &x_axis.ticks {
            let at = x(*value);
            let _ = writeln!(
                svg,
                "<path d=\"M{at:.1} {bottom}v4\" stroke=\"#9aa8b3\"/><text x=\"{at:.1}\" \
                 y=\"{:.1}\" \
                 text-anchor=\"middle\" fill=\"#6b7a86\">{label}</text>",
                bottom + 16.0
            );
        }
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {bottom}H{right}\" stroke=\"#9aa8b3\"/><text x=\"{right}\" \
             y=\"{:.1}\" \
             text-anchor=\"end\" fill=\"#6b7a86\">{}</text>",
            bottom + 32.0,
            escape(&x_axis.title(&self.x))
        );
        let place = |[a, b]: [f64; 2]| [x(a), y(b)];
        let mut ink = 0;
        let mut legend = left;
        for line in &self.lines {
            let color = if line.look == Look::Known { KNOWN } else { INKS[ink % INKS.len()] };
            ink += usize::from(line.look != Look::Known);
            svg += &draw(line, color, place);
            if !line.name.is_empty() {
                let _ = writeln!(
                    svg,
                    "<rect x=\"{legend:.1}\" y=\"{:.1}\" width=\"10\" height=\"3\" \
                     fill=\"{color}\"/>\
                     <text x=\"{:.1}\" y=\"{:.1}\" fill=\"#6b7a86\">{}</text>",
                    bottom + 26.0,
                    legend + 14.0,
                    bottom + 32.0,
                    escape(&line.name)
                );
                legend += 24.0 + 6.3 * line.name.chars().count() as f64;
            }
        }
        svg + "</svg>\n"
    }

    /// The plot with its frame on the page; empty if there is nothing to show.
    pub(super) fn figure(&self, words: &str) -> String {
        let svg = self.svg();
        match (svg.is_empty(), words.is_empty()) {
            (true, _) => svg,
            (_, true) => format!("<figure>{svg}</figure>\n"),
            _ => format!("<figure>{svg}<figcaption>{}</figcaption></figure>\n", escape(words)),
        }
    }
}

/// Ranges of both axes, with room above and below.
fn ranges<'a>(points: impl Iterator<Item = &'a [f64; 2]>) -> Option<[[f64; 2]; 2]> {
    let mut ranges = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
    for p in points {
        for (range, v) in ranges.iter_mut().zip(p) {
            *range = [range[0].min(*v), range[1].max(*v)];
        }
    }
    let [[x0, x1], [y0, y1]] = ranges;
    if !(x0 <= x1 && y0 <= y1) {
        return None;
    }
    let widened = |[low, high]: [f64; 2]| {
        let size = low.abs().max(high.abs());
        let is_flat = high - low <= 1e-9 * size;
        let room = if is_flat { 0.1 * size } else { 0.0 } + if size == 0.0 { 1.0 } else { 0.0 };
        [low - room, high + room]
    };
    let y = widened([y0, y1]);
    let room = 0.05 * (y[1] - y[0]);
    let floor = if y[0] == 0.0 { 0.0 } else { y[0] - room };
    Some([widened([x0, x1]), [floor, y[1] + room]])
}

fn draw(line: &Line, color: &str, place: impl Fn([f64; 2]) -> [f64; 2]) -> String {
    let points = thinned(&line.points);
    let few = points.len() <= 40;
    let mut svg = String::new();
    if line.look == Look::Dots || line.look == Look::Known && few {
        for [x, y] in points.into_iter().filter(|p| p.iter().all(|v| v.is_finite())).map(&place) {
            let _ = write!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.3\" fill=\"{color}\" \
                 fill-opacity=\"0.85\"/>"
            );
        }
        return svg + "\n";
    }
    let mut path = String::new();
    let mut pen = 'M';
    for p in points {
        if p.iter().any(|v| !v.is_finite()) {
            pen = 'M'; // a gap
            continue;
        }
        let [x, y] = place(p);
        let _ = write!(path, "{pen}{x:.1} {y:.1}");
        pen = 'L';
    }
    let dashes = if line.look == Look::Known { " stroke-dasharray=\"5 3\"" } else { "" };
    let _ = writeln!(
        svg,
        "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\" \
         stroke-linejoin=\"round\"{dashes}/>"
    );
    svg
}

/// Few enough points to draw; peaks stay.
fn thinned(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    if points.len() <= ENOUGH {
        return points.to_vec();
    }
    let group = points.len().div_ceil(ENOUGH / 2);
    let mut kept = Vec::new();
    for part in points.chunks(group) {
        let extreme = |sign: f64| {
            (0..part.len()).max_by(|&a, &b| (sign * part[a][1]).total_cmp(&(sign * part[b][1])))
        };
        let mut pair: Vec<usize> = [extreme(-1.0), extreme(1.0)].into_iter().flatten().collect();
        pair.sort_unstable();
        pair.dedup();
        kept.extend(pair.into_iter().map(|k| part[k]));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(points: Vec<[f64; 2]>) -> Plot {
        let line = Line { name: "a<b".to_owned(), points, look: Look::Line };
        Plot { title: "x & y".to_owned(), x: "t".to_owned(), lines: vec![line] }
    }

    #[test]
    fn thousands_of_points_keep_their_peaks() {
        let mut points: Vec<[f64; 2]> = (0..100_000).map(|k| [f64::from(k), 0.0]).collect();
        points[54_321][1] = 7.0;
        points[54_322][1] = -7.0;
        let few = thinned(&points);
        assert!(few.len() <= ENOUGH);
        assert!(few.contains(&[54_321.0, 7.0]) && few.contains(&[54_322.0, -7.0]));
        assert!(few.is_sorted_by(|a, b| a[0] <= b[0]));
    }

    #[test]
    fn gaps_constants_and_nothing_are_survived() {
        let svg = plot(vec![[0.0, 1.0], [1.0, f64::NAN], [2.0, 1.0]]).svg();
        assert_eq!(svg.matches('M').count() - svg.matches("<path d=\"M").count(), 1, "{svg}");
        assert!(svg.contains("x &amp; y") && svg.contains("a&lt;b"));
        assert_eq!(plot(vec![[f64::NAN, 1.0]]).svg(), "");
        assert_eq!(plot(Vec::new()).svg(), "");
        for value in [0.0, -3.0, 1e-300, 1e300] {
            assert!(!plot(vec![[0.0, value]]).svg().contains("NaN"), "{value}");
        }
    }

    #[test]
    fn ticks_of_values_that_hardly_differ_have_different_labels() {
        let ranges = [[1.0, 1.00001], [101_325.0, 101_325.01], [1.21e6, 1.23e6], [-3e-9, 1e-9]];
        for [low, high] in ranges {
            let svg = plot(vec![[0.0, low], [1.0, high]]).svg();
            let labels = svg.split("text-anchor=\"end\" fill=\"#6b7a86\">").skip(1);
            let labels: Vec<&str> = labels.filter_map(|rest| rest.split('<').next()).collect();
            assert!(labels.len() >= 3, "{labels:?}"); // two ticks and the name of the other axis
            for (k, label) in labels.iter().enumerate() {
                assert!(!labels[..k].contains(label), "{labels:?} of {low} to {high}");
            }
        }
        assert!(plot(vec![[0.0, 1.0], [1.0, 1.00001]]).svg().contains("(labels + "));
    }
}
