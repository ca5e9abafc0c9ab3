//! What a case has measured: metrics with their demands, and curves over known answers.

use serde::Serialize;

use super::Curve;

/// One measured number and what it should be.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Metric {
    /// The case that measured it.
    pub case: &'static str,
    /// What was measured, with the variant of the case.
    pub metric: String,
    /// The measured value.
    pub value: f64,
    /// The known answer; 0 for errors and other numbers that should vanish.
    pub expected: f64,
    /// How far apart the two may be. Infinite for a number that is only reported.
    #[serde(serialize_with = "finite_or_null")]
    pub tolerance: f64,
    /// Whether they are that close.
    pub pass: bool,
    /// Why they are not, if that is known and nothing that this version promises to do better.
    pub known: Option<String>,
}

/// JSON has no infinity: a number that is only reported has the tolerance null.
fn finite_or_null<S: serde::Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() { to.serialize_some(value) } else { to.serialize_none() }
}

/// What to think of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing is demanded of it.
    Reported,
    /// It is within its tolerance.
    Pass,
    /// It is not, and nobody has said why.
    Fail,
    /// It is not, for a reason that is known.
    Short,
    /// It is, though it is marked as known to be short: the mark can go.
    PassesNow,
}

impl Verdict {
    /// Whether it is within its tolerance, if it has one.
    pub fn is_met(self) -> bool {
        !matches!(self, Verdict::Fail | Verdict::Short)
    }
}

impl Metric {
    /// What to think of it.
    pub fn verdict(&self) -> Verdict {
        match (self.pass, &self.known) {
            _ if self.tolerance.is_infinite() => Verdict::Reported,
            (true, None) => Verdict::Pass,
            (false, None) => Verdict::Fail,
            (false, Some(_)) => Verdict::Short,
            (true, Some(_)) => Verdict::PassesNow,
        }
    }
}

/// What a case has measured so far.
pub struct Report {
    case: &'static str,
    /// Metrics in the order of measurement.
    pub metrics: Vec<Metric>,
    /// Curves over the known answers, for a picture.
    pub curves: Vec<Curve>,
    on_metric: Box<dyn FnMut(&Metric)>,
}

impl Report {
    /// Of a case that has measured nothing yet; `on_metric` sees every metric as soon as it is
    /// known.
    pub fn new(case: &'static str, on_metric: impl FnMut(&Metric) + 'static) -> Report {
        Report { case, metrics: Vec::new(), curves: Vec::new(), on_metric: Box::new(on_metric) }
    }

    /// Records that `metric` is `value` and should be within `tolerance` of `expected`.
    pub fn close(&mut self, metric: impl Into<String>, value: f64, expected: f64, tolerance: f64) {
        self.record(metric.into(), value, expected, tolerance, None);
    }

    /// Records that the magnitude of `value` should be at most `limit`.
    pub fn at_most(&mut self, metric: impl Into<String>, value: f64, limit: f64) {
        self.close(metric, value, 0.0, limit);
    }

    /// Records a number that nothing is demanded of.
    pub fn note(&mut self, metric: impl Into<String>, value: f64, expected: f64) {
        self.close(metric, value, expected, f64::INFINITY);
    }

    /// A demand that is known not to be met: `report.known("why").close(…)`.
    pub fn known(&mut self, why: impl Into<String>) -> Known<'_> {
        Known { report: self, why: why.into() }
    }

    /// Records a curve over its known answer.
    pub fn curve(&mut self, curve: Curve) {
        self.curves.push(curve);
    }

    fn record(
        &mut self,
        metric: String,
        value: f64,
        expected: f64,
        tolerance: f64,
        known: Option<String>,
    ) {
        let pass = (value - expected).abs() <= tolerance;
        let metric = Metric { case: self.case, metric, value, expected, tolerance, pass, known };
        (self.on_metric)(&metric);
        self.metrics.push(metric);
    }
}

/// Records one metric whose shortfall is known; see `Report::known`.
#[must_use = "it is the demand that is recorded: `report.known(\"why\").close(…)`"]
pub struct Known<'a> {
    report: &'a mut Report,
    why: String,
}

impl Known<'_> {
    /// As `Report::close`.
    pub fn close(self, metric: impl Into<String>, value: f64, expected: f64, tolerance: f64) {
        self.report.record(metric.into(), value, expected, tolerance, Some(self.why));
    }

    /// As `Report::at_most`.
    pub fn at_most(self, metric: impl Into<String>, value: f64, limit: f64) {
        self.close(metric, value, 0.0, limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_shortfall_is_short_and_one_that_passes_is_told() {
        let mut report = Report::new("case", |_| ());
        report.close("good", 1.0, 1.0, 0.1);
        report.close("bad", 2.0, 1.0, 0.1);
        report.known("coarse").close("short", 2.0, 1.0, 0.1);
        report.known("coarse").at_most("mended", 0.0, 0.1);
        report.note("seen", 2.0, 1.0);
        report.close("lost", f64::NAN, 1.0, 0.1);
        let verdicts: Vec<Verdict> = report.metrics.iter().map(Metric::verdict).collect();
        use Verdict::{Fail, Pass, PassesNow, Reported, Short};
        assert_eq!(verdicts, [Pass, Fail, Short, PassesNow, Reported, Fail]);
        assert_eq!(verdicts.iter().filter(|verdict| !verdict.is_met()).count(), 3);
    }

    #[test]
    fn json_has_the_reason_or_null_and_no_infinity() {
        let mut report = Report::new("case", |_| ());
        report.known("coarse").close("a", 2.0, 1.0, 0.1);
        report.note("b", 2.0, 1.0);
        let lines = report.metrics.iter().map(|metric| serde_json::to_string(metric).unwrap());
        let lines: Vec<String> = lines.collect();
        assert!(lines[0].ends_with(r#""tolerance":0.1,"pass":false,"known":"coarse"}"#));
        assert!(lines[1].ends_with(r#""tolerance":null,"pass":true,"known":null}"#));
    }
}
