//! The report of a validation: every metric, and measured curves over the known answers.

use splashdown_validate::validate::{Case, Curve, Done, Metric, Verdict};

use super::html::{self, escape};
use super::plot::{Line, Look, Plot};

/// What a case gave.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Name of the case.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Where its known answer comes from.
    pub source: &'static str,
    /// What was measured.
    pub metrics: Vec<Metric>,
    /// Measured curves over known ones.
    pub curves: Vec<Curve>,
    /// How long it took, s.
    pub seconds: f64,
}

impl Outcome {
    /// Of a case that is done.
    pub fn of(case: &Case, done: Done) -> Outcome {
        let Case { name, summary, source, .. } = *case;
        let Done { metrics, curves, time } = done;
        Outcome { name, summary, source, metrics, curves, seconds: time.as_secs_f64() }
    }
}

/// The page.
pub fn report(outcomes: &[Outcome], version: &str) -> String {
    let all = || outcomes.iter().flat_map(|outcome| &outcome.metrics);
    let count = |verdict| all().filter(|metric| metric.verdict() == verdict).count();
    let [passed, failed, short, mended] =
        [Verdict::Pass, Verdict::Fail, Verdict::Short, Verdict::PassesNow].map(count);
    let mut body = format!(
        "<h1>Validation</h1>\n<p class=\"pale\">Splashdown {}: {} of {} metrics are within their \
         tolerance, {} are not ({short} of them known).</p>\n",
        escape(version),
        passed + mended,
        passed + mended + failed + short,
        failed + short
    );
    body += &shortfalls(all());
    for outcome in outcomes {
        body += &section(outcome);
    }
    html::page("Splashdown: validation", &body)
}

/// Metrics with a mark: those that are short as known, and those that no longer are.
fn shortfalls<'a>(metrics: impl Iterator<Item = &'a Metric>) -> String {
    let marked = metrics.filter_map(|metric| {
        let reason = metric.known.as_ref()?;
        let now = if metric.pass { " (passes now)" } else { "" };
        let [case, name, reason] = [metric.case, &metric.metric, reason].map(escape);
        Some(format!("<li>{case}: {name}{now}: {reason}</li>\n"))
    });
    let list: String = marked.collect();
    if list.is_empty() {
        return list;
    }
    format!("<h2>Known shortfalls</h2>\n<ul>\n{list}</ul>\n")
}

fn section(outcome: &Outcome) -> String {
    let mut html = format!(
        "<h2>{}</h2>\n<p>{}. Known answer: {}. <span class=\"pale\">{:.0} s.</span></p>\n",
        escape(outcome.name),
        escape(outcome.summary),
        escape(outcome.source),
        outcome.seconds
    );
    html += "<table class=\"metrics\">\n\
             <tr><th>metric</th><th>measured</th><th>expected</th><th>tolerance</th>\
             <th></th></tr>\n";
    for metric in &outcome.metrics {
        html += &row(metric);
    }
    html += "</table>\n";
    if !outcome.curves.is_empty() {
        let figures: String = outcome.curves.iter().map(figure).collect();
        html += &format!("<h3>Measured over known</h3>\n<div class=\"grid\">\n{figures}</div>\n");
    }
    html
}

fn row(metric: &Metric) -> String {
    let (class, verdict) = match metric.verdict() {
        Verdict::Reported => ("", "reported"),
        Verdict::Pass => ("pass", "pass"),
        Verdict::Fail => ("fail", "fail"),
        Verdict::Short => ("short", "short, known"),
        Verdict::PassesNow => ("pass", "known, but passes now"),
    };
    let demand = if metric.tolerance.is_finite() {
        [metric.expected, metric.tolerance].map(number)
    } else {
        [String::new(), String::new()]
    };
    let reason = match &metric.known {
        Some(reason) => format!("<br><span class=\"pale\">{}</span>", escape(reason)),
        None => String::new(),
    };
    format!(
        "<tr class=\"{class}\"><td>{}{reason}</td><td>{}</td><td>{}</td><td>{}</td>\
         <td>{verdict}</td></tr>\n",
        escape(&metric.metric),
        measured(metric.value),
        demand[0],
        demand[1]
    )
}

/// With as many digits as the others of its column.
fn measured(value: f64) -> String {
    if (1e-3..100.0).contains(&value.abs()) { format!("{value:.5}") } else { number(value) }
}

fn number(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) {
        return format!("{value:.3e}");
    }
    let text = format!("{value:.5}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Measured curves in colour, known answers dashed or as dark dots over them.
fn figure(curve: &Curve) -> String {
    let known = curve.reference.iter().enumerate().map(|(k, series)| Line {
        // Profiles at several times share one entry in the legend.
        name: if k == 0 { "known".to_owned() } else { String::new() },
        points: series.points.clone(),
        look: Look::Known,
    });
    // Curves of one plot look alike.
    let all_tracks = curve.measured.iter().all(|series| is_track(&series.points));
    let look = if all_tracks { Look::Line } else { Look::Dots };
    let measured = curve.measured.iter().map(|series| Line {
        name: series.name.clone(),
        points: series.points.clone(),
        look,
    });
    let plot = Plot {
        title: format!("{}: {}", curve.name, curve.axes[1]),
        x: curve.axes[0].to_owned(),
        lines: measured.chain(known).collect(),
    };
    plot.figure(&format!("Known answer: {}", curve.source))
}

/// Whether points follow each other densely, as of a quantity over time, rather than being layers.
fn is_track(points: &[[f64; 2]]) -> bool {
    points.len() > 60 && points.windows(2).all(|pair| pair[0][0] < pair[1][0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use splashdown_validate::validate::Series;

    #[test]
    fn every_metric_and_curve_is_on_the_page_with_its_source() {
        let metric = |name: &str, value: f64, tolerance: f64| Metric {
            case: "dam-break",
            metric: name.to_owned(),
            value,
            expected: 1.0,
            tolerance,
            pass: (value - 1.0).abs() <= tolerance,
            known: None,
        };
        let short = Metric { known: Some("h < r".to_owned()), ..metric("coarse", 3.0, 0.1) };
        let mended = Metric { known: Some("h < r".to_owned()), ..metric("mended", 1.0, 0.1) };
        let curve = Curve {
            name: "front".to_owned(),
            axes: ["T", "front / a"],
            measured: vec![Series::of("a/h = 20", [0.0, 1.0], |x| x * x)],
            reference: vec![Series::new("experiment", &[(0.0, 0.0), (1.0, 1.0)])],
            source: "Martin & Moyce 1952",
        };
        let outcome = Outcome {
            name: "dam-break",
            metrics: vec![
                metric("good", 1.01, 0.1),
                metric("bad", 3.0, 0.1),
                metric("seen", 9.0, f64::INFINITY),
                short,
                mended,
            ],
            curves: vec![curve],
            ..Outcome::default()
        };
        let page = report(&[outcome], "0.1.0");
        for part in [
            "2 of 4 metrics are within their tolerance, 2 are not (1 of them known)",
            "<li>dam-break: coarse: h &lt; r</li>",
            "<li>dam-break: mended (passes now): h &lt; r</li>",
            "<tr class=\"short\"><td>coarse<br><span class=\"pale\">h &lt; r</span></td>",
            "<td>short, known</td>",
            "<td>known, but passes now</td>",
            "<tr class=\"pass\"><td>good</td><td>1.01000</td><td>1</td><td>0.1</td><td>pass</td>",
            "<tr class=\"fail\"><td>bad</td>",
            "<td>seen</td><td>9.00000</td><td></td><td></td><td>reported</td>",
            "Known answer: Martin &amp; Moyce 1952",
            "a/h = 20",
            "<circle",
            "<path",
        ] {
            assert!(page.contains(part), "{part} is missing from {page}");
        }
        assert!(!page.contains("src=\"http") && !page.contains("<script"));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.0, 0.25, 1e-5, 12_345.678, -2e9].map(number),
            ["0", "0.25", "1.000e-5", "12345.678", "-2.000e9"]
        );
    }
}
