use super::*;
use crate::math::{DVec2, Dimension};
use crate::particles::kernel::{Kernel, KernelKind};
use splashdown_solids::bodies::Substance;
use splashdown_solids::material::{Material, Model};
use splashdown_solids::membrane::Sheet;
use splashdown_solids::meshing::sheet;

/// h
const H: f64 = 0.1;
/// Of the sheet, in h.
const SIZE: f64 = 16.0;

/// A square lattice on the sheet.
fn lattice(apart: f64) -> Option<Vec<DVec3>> {
    let count = (SIZE * H / apart).ceil();
    let at = |k: f64| SIZE * H * ((k + 0.5) / count - 0.5);
    let along = 0..count as i32;
    let row = |y: i32| along.clone().map(move |x| DVec3::new(at(x.into()), at(y.into()), 0.0));
    Some(along.clone().flat_map(row).collect())
}

/// A sheet, its samples, and β and factor of each, in their order.
struct Stretched {
    solids: Solids,
    samples: Deforming,
    weights: Vec<[f32; 2]>,
}

impl Stretched {
    fn new() -> Stretched {
        let material = Material::new(Model::NeoHookean, 1e5, 0.3);
        let rubber = Substance { material, density: 1e3, friction: 0.0, drag: 0.0, damping: 0.0 };
        let mut solids = Solids::default();
        let flat = sheet(DVec2::splat(SIZE * H), 1.5 * H);
        let parts = (&flat.vertices[..], &flat.triangles[..]);
        let still = |_| DVec3::ZERO;
        solids.add_shell(parts, &rubber, (Sheet::NeoHookean, 1e-3), still).unwrap();
        let places = lattice(APART * H).unwrap();
        let embedding = Embedding::new(&solids, 0, &places);
        let sampler = Sampler::new(APART * H, lattice);
        let samples = Deforming::new(0, embedding).refined_by(sampler);
        let weights = vec![[(APART * APART) as f32 / 0.5, 0.5]; places.len()];
        Stretched { solids, samples, weights }
    }

    /// Where the sheet is `stretch` times as long as at rest in x and in y.
    fn pull(&mut self, stretch: [f64; 2]) {
        let to = |p: &DVec3| DVec3::new(p.x * stretch[0], p.y * stretch[1], p.z);
        self.solids.position = self.solids.rest.iter().map(to).collect();
    }

    fn resample(&mut self) -> bool {
        let weights = &self.weights;
        let Some(change) = self.samples.resample(&self.solids, |k| weights[k]) else {
            return false;
        };
        let kept = self.weights.iter().zip(change.keep).filter(|(_, stays)| *stays);
        self.weights = kept.map(|(w, _)| *w).collect();
        self.weights.extend(change.new.iter().map(|new| new.weight));
        assert_eq!(self.weights.len(), self.samples.points.len());
        true
    }

    /// What counts of all samples at rest.
    fn total(&self) -> f64 {
        self.weights.iter().map(|[w, f]| f64::from(*w) * f64::from(*f)).sum()
    }

    /// Mean, least and largest of what the sheet counts a spacing above places in its middle.
    fn counted(&self) -> [f64; 3] {
        let kernel = Kernel { kind: KernelKind::Cubic, dimension: Dimension::Three };
        let places: Vec<DVec3> = self.samples.gather(&self.solids.position).collect();
        let weights = self.weights.iter().map(|[w, f]| f64::from(*w) * f64::from(*f));
        let stretch = self.samples.stretch(&self.solids.position);
        let weights: Vec<f64> = weights.zip(stretch).map(|(w, s)| w * s).collect();
        let at = |k: i32| DVec3::new(0.137 * f64::from(k % 20), 0.091 * f64::from(k / 20), 1.0) * H;
        let lattice = kernel.lattice_sum();
        let counts = (0..400).map(|k| -> f64 {
            let near = |b: &DVec3| kernel.w((at(k) - *b).length() / H) / lattice;
            places.iter().zip(&weights).map(|(b, w)| w * near(b)).sum()
        });
        let counts: Vec<f64> = counts.collect();
        let mean = counts.iter().sum::<f64>() / 400.0;
        [
            mean,
            counts.iter().copied().fold(f64::INFINITY, f64::min),
            counts.iter().copied().fold(0.0, f64::max),
        ]
    }
}

#[test]
fn a_stretched_sheet_counts_as_much_and_as_evenly_as_at_rest() {
    let rest = Stretched::new().counted();
    // Without finer samples their mean is right, too, but some places count far more.
    let mut coarse = Stretched::new();
    coarse.pull([2.5, 2.5]);
    let [_, least, most] = coarse.counted();
    assert!(most - least > 0.5 * rest[0], "{least} {most}");
    for stretch in [[1.6, 1.6], [2.5, 2.5], [2.9, 1.0], [3.5, 2.0], [6.0, 5.0]] {
        let mut sheet = Stretched::new();
        sheet.pull(stretch);
        assert!(sheet.resample());
        assert!(!sheet.resample(), "once is enough");
        let [mean, least, most] = sheet.counted();
        assert!((mean / rest[0] - 1.0).abs() < 0.01, "{stretch:?}: {mean} of {rest:?}");
        assert!(least > 0.9 * rest[0] && most < 1.1 * rest[0], "{stretch:?}: {least} {most}");
    }
}

#[test]
fn a_sheet_weighs_the_same_at_every_level_and_has_its_own_samples_again_in_the_end() {
    let mut sheet = Stretched::new();
    let (whole, count) = (sheet.total(), sheet.weights.len());
    let mut first = sheet.samples.points.clone();
    for stretch in [1.49, 1.6, 3.5, 7.0, 1.6, 1.3] {
        sheet.pull([stretch; 2]);
        sheet.resample();
        assert!((sheet.total() / whole - 1.0).abs() < 1e-5, "{stretch}: {}", sheet.total());
    }
    // A piece at level 1 comes back where its samples are closer than half a spacing.
    assert!(sheet.weights.len() > 3 * count);
    sheet.pull([1.24; 2]);
    assert!(sheet.resample());
    let mut points = sheet.samples.points.clone();
    points.sort_unstable();
    first.sort_unstable();
    assert_eq!(points, first);
    assert!(sheet.weights.iter().all(|w| *w == [(APART * APART) as f32 / 0.5, 0.5]));
    let mut state = State::default();
    sheet.samples.save("s", &mut state);
    assert_eq!(state.arrays.len(), 1, "nothing but the order");
}

#[test]
fn levels_do_not_flicker() {
    for level in 0..=FINEST {
        for stretch in (1..120).map(|k| 0.1 * f64::from(k)) {
            let next = wanted(stretch, level, FINEST);
            assert_eq!(wanted(stretch, next, FINEST), next);
            for nearly in [0.85, 1.15].map(|share| share * stretch) {
                let moved = next != level;
                assert!(!moved || wanted(nearly, next, FINEST) != level, "{stretch} {level}");
            }
        }
    }
    assert_eq!(wanted(f64::NAN, 1, FINEST), 1);
    assert_eq!(wanted(5.0, 0, 1), 1, "as fine as can be");
}

/// A sheet of which a part is stretched, and its state.
fn partly_stretched() -> (Stretched, State) {
    let mut sheet = Stretched::new();
    let pull = |p: &DVec3| DVec3::new(if p.x > 0.2 { 2.0 * p.x - 0.2 } else { p.x }, p.y, 0.0);
    sheet.solids.position = sheet.solids.rest.iter().map(pull).collect();
    assert!(sheet.resample());
    let mut state = State::default();
    sheet.samples.save("s", &mut state);
    (sheet, state)
}

fn load(state: &State, count: usize) -> Result<Deforming, String> {
    let mut fresh = Stretched::new();
    fresh.samples.load("s", state)?;
    fresh.samples.complete(&fresh.solids, count)?;
    Ok(fresh.samples)
}

#[test]
fn refined_samples_come_back_bit_by_bit() {
    let (mut sheet, state) = partly_stretched();
    let count = sheet.samples.points.len();
    let mut back = load(&state, count).unwrap();
    assert_eq!(back.points, sheet.samples.points);
    assert_eq!(*back.embedding, *sheet.samples.embedding);
    // And have the same weights when they are wanted.
    sheet.pull([1.8, 1.0]);
    let weights = sheet.weights.clone();
    let [a, b] = [&mut sheet.samples, &mut back]
        .map(|samples| samples.resample(&sheet.solids, |k| weights[k]).unwrap());
    assert_eq!(a.keep, b.keep);
    let bits = |all: &Resampled| -> Vec<[u32; 2]> {
        all.new.iter().map(|new| new.weight.map(f32::to_bits)).collect()
    };
    assert_eq!(bits(&a), bits(&b));
}

#[test]
fn wrong_levels_are_refused_with_a_message() {
    let (sheet, state) = partly_stretched();
    let count = sheet.samples.points.len();
    assert!(load(&state, count + 1).unwrap_err().contains("points are not the samples"));
    let damaged = |key: &str, array: Array| {
        let mut state = state.clone();
        state.arrays.insert(key.to_owned(), array);
        load(&state, count).unwrap_err()
    };
    let stored = state.integers("s.levels").unwrap().clone();
    let pieces = stored.len();
    for wrong in [vec![], vec![4; pieces], vec![u32::MAX; pieces], vec![1; pieces - 1]] {
        assert!(damaged("s.levels", Array::U32(wrong)).contains("not levels up to 3"));
    }
    for wrong in [vec![0; pieces], vec![1; pieces], vec![3; pieces]] {
        let message = damaged("s.levels", Array::U32(wrong));
        assert!(message.contains("at the levels of its triangles"), "{message}");
    }
    let rest = state.singles("s.at_rest").unwrap().clone();
    for wrong in [vec![], rest[1..].to_vec(), vec![0.0; rest.len()], vec![-1.0; rest.len()]] {
        assert!(damaged("s.at_rest", Array::F32(wrong)).contains("not the weights"));
    }
    let endless = vec![f32::INFINITY; rest.len()];
    assert!(damaged("s.at_rest", Array::F32(endless)).contains("not finite"));
    let mut points = sheet.samples.points.clone();
    points[0] = points[1];
    assert!(damaged("s.points", Array::U32(points)).contains("points are not the samples"));
    let mut without = state.clone();
    without.arrays.remove("s.at_rest");
    assert!(load(&without, count).unwrap_err().contains("at_rest is missing"));
}
