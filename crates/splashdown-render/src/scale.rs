//! Ranges and round numbers for colour bars.

/// The range of most of the values: from the 1st to the 99th percentile, widened to round numbers.
/// None if no value is finite.
pub fn range(values: &[f32]) -> Option<[f64; 2]> {
    // Every so many values suffice, and more would cost more than drawing them.
    let stride = values.len() / 50_000 + 1;
    let mut sample: Vec<f32> =
        values.iter().step_by(stride).copied().filter(|v| v.is_finite()).collect();
    if sample.is_empty() {
        return None;
    }
    sample.sort_unstable_by(f32::total_cmp);
    let at = |share: f64| f64::from(sample[((sample.len() - 1) as f64 * share).round() as usize]);
    Some(rounded([at(0.01), at(0.99)]))
}

/// The range, widened to multiples of a quarter of its tick.
pub fn rounded([low, high]: [f64; 2]) -> [f64; 2] {
    let size = low.abs().max(high.abs());
    if size < 1e-12 {
        return [0.0, 1.0]; // all at rest
    }
    if high - low < 1e-3 * size {
        // Nearly constant: the noise in it is not worth a rainbow.
        return rounded([low - 0.01 * size, high + 0.01 * size]);
    }
    let unit = tick([low, high]) / 4.0;
    [(low / unit + 1e-6).floor() * unit, (high / unit - 1e-6).ceil() * unit]
}

/// A round distance between ticks: 1, 2 or 5 times a power of ten, for three to six ticks.
pub fn tick([low, high]: [f64; 2]) -> f64 {
    let rough = high / 4.0 - low / 4.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= rough * 0.999);
    step.unwrap_or(10.0) * power
}

/// Ticks of an axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Where they are and what stands beside them; no two labels are alike.
    pub ticks: Vec<(f64, String)>,
    /// What is to be added to every label, where values differ so little that only their ends would
    /// differ if they were written out.
    pub base: Option<String>,
}

impl Axis {
    /// A title that says what is to be added to the labels, if anything is.
    pub fn title(&self, title: &str) -> String {
        match &self.base {
            Some(base) => format!("{title} (labels + {base})"),
            None => title.to_owned(),
        }
    }
}

/// Labels of more digits than this are written as a difference from a round number.
const DIGITS: i32 = 6;
/// Ticks closer than this share of their values cannot be told apart by numbers of 53 bits.
const RESOLVED: f64 = 4e-15;

/// Where the ticks are and what stands beside them: values in full, no two alike.
pub fn ticks(range: [f64; 2]) -> Vec<(f64, String)> {
    match Grid::of(range) {
        Some(grid) => grid.all(|k| label(k * grid.step, grid.step)),
        None => lone_tick(range),
    }
}

/// The same for an axis that has room to say what is to be added to all of its labels.
pub fn axis(range: [f64; 2]) -> Axis {
    let Some(grid) = Grid::of(range) else {
        return Axis { ticks: lone_tick(range), base: None };
    };
    let size = range[0].abs().max(range[1].abs());
    if exponent(size) - exponent(grid.step) < DIGITS {
        return Axis { ticks: ticks(range), base: None };
    }
    // A power of ten above the range is a multiple of its step: differences are whole numbers of
    // steps.
    let round = 10f64.powi(exponent(range[1] - range[0]) + 1);
    let base = (range[0] / round).floor();
    let first = (base * (round / grid.step).round()).round();
    let ticks = grid.all(|k| label((k - first) * grid.step, grid.step));
    Axis { ticks, base: Some(label(base * round, round)) }
}

/// Multiples of a step.
struct Grid {
    step: f64,
    first: f64,
    last: f64,
}

impl Grid {
    /// Those in a range; none if it has no extent that numbers can resolve.
    fn of(range: [f64; 2]) -> Option<Grid> {
        let size = range[0].abs().max(range[1].abs());
        let mut step = tick(range);
        if !(step >= f64::MIN_POSITIVE && step.is_finite() && step >= RESOLVED * size) {
            return None;
        }
        let ends = |step: f64| [(range[0] / step - 1e-6).ceil(), (range[1] / step + 1e-6).floor()];
        if ends(step)[1] - ends(step)[0] < 1.0 && step / 5.0 >= RESOLVED * size {
            step /= 5.0; // one tick alone says nothing about the scale
        }
        let [first, last] = ends(step);
        Some(Grid { step, first, last: last.min(first + 12.0) })
    }

    fn all(&self, label: impl Fn(f64) -> String) -> Vec<(f64, String)> {
        let count = (self.last - self.first) as i32;
        let at = (0..=count).map(|k| self.first + f64::from(k));
        at.map(|k| (k * self.step, label(k))).collect()
    }
}

/// The one tick of a range without extent.
fn lone_tick([low, high]: [f64; 2]) -> Vec<(f64, String)> {
    match low.is_finite() && high.is_finite() {
        true => vec![(low, label(low, low.abs() * 1e-3))],
        false => Vec::new(),
    }
}

/// Below steps of 0.0001 labels are powers of ten; powers of ten are not always exact.
const FINE: f64 = 0.999e-4;

/// A multiple of `step`, with as many digits as the step has.
fn label(value: f64, step: f64) -> String {
    if value == 0.0 && step < FINE {
        return "0".to_owned();
    }
    if value.abs() < 1e6 && step >= FINE {
        let decimals = (-exponent(step)).max(0) as usize;
        let text = format!("{value:.decimals$}");
        return text.strip_prefix("-").filter(|rest| is_zero(rest)).unwrap_or(&text).to_owned();
    }
    let decimals = (exponent(value) - exponent(step)).max(0) as usize;
    format!("{value:.decimals$e}")
}

fn is_zero(digits: &str) -> bool {
    digits.chars().all(|c| c == '0' || c == '.')
}

/// The power of ten of the first digit, also where the number is one bit below a power of ten.
fn exponent(value: f64) -> i32 {
    let text = format!("{value:.9e}");
    text.rsplit('e').next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_range_ignores_the_few_wild_values() {
        let mut values: Vec<f32> = (0..1000).map(|i| i as f32 / 1000.0).collect();
        values.extend([1e9, f32::NAN, f32::INFINITY]);
        let [low, high] = range(&values).unwrap();
        assert!((0.0..0.02).contains(&low) && (0.98..1.1).contains(&high), "{low} {high}");
        assert_eq!(range(&[f32::NAN]), None);
        assert_eq!(range(&[]), None);
    }

    #[test]
    fn ticks_are_round_and_few() {
        let text = |range| ticks(range).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(text([0.0, 3.1]), ["0", "1", "2", "3"]);
        assert_eq!(text([0.0, 0.4]), ["0.0", "0.1", "0.2", "0.3", "0.4"]);
        assert_eq!(text([-2000.0, 9000.0]), ["0", "5000"]);
        for range in [[0.0, 1e-9], [5.0, 5.0], [0.0, 0.0], [1e12, 1.1e12], [-3.0, -3.0]] {
            let range = rounded(range);
            assert!(range[1] > range[0], "{range:?}");
            assert!((1..=12).contains(&ticks(range).len()), "{range:?} {:?}", ticks(range));
        }
    }

    /// Numbers of all sizes and both signs.
    fn number() -> impl Strategy<Value = f64> {
        let size = (-290..290i32, -9.999..9.999f64).prop_map(|(power, m)| m * 10f64.powi(power));
        prop_oneof![size, -2000.0..2000.0f64, Just(0.0), Just(1e300), Just(-1e300)]
    }

    /// A number and how far the range reaches from there, as a share of it or on its own.
    fn range_of_any_kind() -> impl Strategy<Value = [f64; 2]> {
        let near = (number(), -17..3i32, 0.1..9.9f64)
            .prop_map(|(low, power, m)| [low, low + low.abs() * m * 10f64.powi(power)]);
        let apart = (number(), number()).prop_map(|(a, b)| [a.min(b), a.max(b)]);
        prop_oneof![near, apart, number().prop_map(|low| [low, low])]
            .prop_filter("finite", |range| range[1].is_finite())
    }

    fn read(text: &str) -> f64 {
        text.parse().unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn no_two_labels_are_alike_and_each_says_where_it_is(range in range_of_any_kind()) {
            let Axis { ticks: shown, base } = axis(range);
            let size = range[0].abs().max(range[1].abs());
            for (with_base, ticks) in [(true, shown), (false, ticks(range))] {
                prop_assert!((1..=13).contains(&ticks.len()), "{range:?} {ticks:?}");
                let base = base.as_deref().filter(|_| with_base).map_or(0.0, read);
                let step = if ticks.len() > 1 { ticks[1].0 - ticks[0].0 } else { size };
                for (k, (value, text)) in ticks.iter().enumerate() {
                    prop_assert!(ticks[..k].iter().all(|(_, other)| other != text), "{ticks:?}");
                    let off = (read(text) + base - value).abs();
                    prop_assert!(off <= 0.01 * step + 1e-15 * size, "{value:e}: {text} + {base}");
                    let slack = 1e-5 * step + 1e-15 * size;
                    let inside = range[0] - slack <= *value && *value <= range[1] + slack;
                    prop_assert!(inside, "{value:e} in {range:?}");
                }
                prop_assert!(
                    !with_base || ticks.iter().all(|(_, text)| text.len() <= 13), "{ticks:?}"
                );
            }
        }
    }

    #[test]
    fn values_that_hardly_differ_are_written_from_a_round_number() {
        let axis = axis([1.0, 1.00001]);
        let labels: Vec<&str> = axis.ticks.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(labels, ["0", "5e-6", "1.0e-5"]);
        assert_eq!(axis.base.as_deref(), Some("1.0000"));
        assert_eq!(axis.title("volume, m³"), "volume, m³ (labels + 1.0000)");
        let text = |range| ticks(range).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(text([1.21e6, 1.24e6]), ["1.21e6", "1.22e6", "1.23e6", "1.24e6"]);
        assert_eq!(text([2e-5, 6e-5]), ["2e-5", "3e-5", "4e-5", "5e-5", "6e-5"]);
        assert_eq!(text([7.0, 7.0]), ["7.000"]);
        assert_eq!(text([0.0, f64::INFINITY]), [""; 0]);
    }
}
