//! A measured curve over its known answer.

/// Points of a picture: a few measured curves, and what they should look like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// What is shown.
    pub name: String,
    /// What the axes mean, with units.
    pub axes: [&'static str; 2],
    /// What the simulation gave.
    pub measured: Vec<Series>,
    /// The known answer.
    pub reference: Vec<Series>,
    /// Where the known answer comes from.
    pub source: &'static str,
}

/// Points with a name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The variant of the case, like a resolution.
    pub name: String,
    /// Abscissa and ordinate.
    pub points: Vec<[f64; 2]>,
}

impl Series {
    /// Some points; at most a few hundred of them, evenly chosen, for more would not be seen.
    pub fn new(name: impl Into<String>, points: &[(f64, f64)]) -> Series {
        const ENOUGH: usize = 400;
        let stride = points.len() / ENOUGH + 1;
        let points = points.iter().step_by(stride).map(|&(x, y)| [x, y]).collect();
        Series { name: name.into(), points }
    }

    /// A function between two abscissas.
    pub fn of(name: impl Into<String>, [from, to]: [f64; 2], f: impl Fn(f64) -> f64) -> Series {
        const STEPS: usize = 100;
        let x = |k: usize| from + (to - from) * k as f64 / STEPS as f64;
        Series { name: name.into(), points: (0..=STEPS).map(|k| [x(k), f(x(k))]).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_series_are_thinned_and_functions_reach_both_ends() {
        let many: Vec<(f64, f64)> = (0..10_000).map(|k| (f64::from(k), 1.0)).collect();
        let series = Series::new("many", &many);
        assert!((300..=400).contains(&series.points.len()) && series.points[0] == [0.0, 1.0]);
        assert_eq!(Series::new("few", &many[..5]).points.len(), 5);
        let line = Series::of("line", [1.0, 3.0], |x| 2.0 * x);
        assert_eq!((line.points[0], line.points.last()), ([1.0, 2.0], Some(&[3.0, 6.0])));
    }
}
