//! Gradients and Hessians of all energies against finite differences.

use splashdown_solids::barrier::Gap;
use splashdown_solids::contact::{self, Kind};
use splashdown_solids::damping::Damping;
use splashdown_solids::distance::Closest;
use splashdown_solids::element::Element;
use splashdown_solids::friction::Slip;
use splashdown_solids::hinge::Hinge;
use splashdown_solids::material::{Material, Model};
use splashdown_solids::membrane::{Membrane, Sheet};
use splashdown_solids::pressure::Pressure;
use splashdown_solids::quadratic::{Mat30, Sample};
use splashdown_solids::rod::{Bend, Stretch};
use splashdown_solids::tetrahedron::Tetrahedron;
use splashdown_solve::dense::{Mat12, stacked};
use splashdown_solve::differences::{Random, difference_gradient, difference_hessian, mismatch};

use super::super::{Case, Cost, Report};
use crate::math::DVec3;

pub(crate) const CASE: Case = Case {
    name: "derivatives",
    summary: "gradient and Hessian of elements of solids, shells and rods, distances, barrier and \
              friction against finite differences",
    source: "central differences of sixth order",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

type Points = [DVec3; 4];

/// The worst relative errors of a gradient and a Hessian over some configurations.
#[derive(Default)]
struct Worst([f64; 2]);

impl Worst {
    fn add(
        &mut self,
        x: &Points,
        step: f64,
        energy: impl Fn(&Points) -> f64,
        gradient: impl Fn(&Points) -> Points,
        hessian: Mat12,
    ) {
        let found = [
            mismatch(&stacked(gradient(x)), &difference_gradient(x, step, energy)),
            mismatch(&hessian, &difference_hessian(x, step, gradient)),
        ];
        for (worst, found) in self.0.iter_mut().zip(found) {
            *worst = worst.max(found);
        }
    }

    fn tell(&self, report: &mut Report, what: &str, limit: f64) {
        report.at_most(format!("{what}: gradient, relative error"), self.0[0], limit);
        report.at_most(format!("{what}: Hessian, relative error"), self.0[1], 10.0 * limit);
    }
}

fn run(report: &mut Report) -> Result<(), String> {
    let mut random = Random::new(1);
    elements(report, &mut random)?;
    quadratic(report, &mut Random::new(2))?;
    thin(report, &mut random)?;
    contacts(report, &mut random);
    friction(report, &mut random);
    Ok(())
}

fn elements(report: &mut Report, random: &mut Random) -> Result<(), String> {
    let models = [
        ("neo-Hookean", Model::NeoHookean),
        ("stable neo-Hookean", Model::StableNeoHookean),
        ("fixed corotated", Model::FixedCorotated),
        ("St Venant-Kirchhoff", Model::StVenantKirchhoff),
    ];
    for (name, model) in models {
        let mut worst = [Worst::default(), Worst::default(), Worst::default()];
        for _ in 0..100 {
            let rest =
                [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|p| p + 0.1 * random.vector());
            let material = Material::new(model, 1.0, 0.45 * random.unit());
            let element = Tetrahedron::new([0, 1, 2, 3], rest, material).ok_or("a flat element")?;
            let flat = DVec3::new(1.0, 0.05, 1.0);
            let states = [
                rest.map(|p| 1.2 * p + 0.15 * random.vector()),
                rest.map(|p| 1.5 * p), // repeated principal stretches
                rest.map(|p| p * flat),
            ];
            for (x, worst) in states.iter().zip(&mut worst) {
                let height = element.deformation(x).determinant();
                if height <= 0.01 {
                    continue;
                }
                let step = 2e-3 * height.min(1.0);
                let hessian = element.hessian(x, false);
                worst.add(x, step, |x| element.energy(x), |x| element.gradient(x), hessian);
            }
        }
        for (state, worst) in ["random", "stretched evenly", "nearly flat"].iter().zip(&worst) {
            worst.tell(report, &format!("{name}, {state}"), 1e-8);
        }
    }
    Ok(())
}

/// A quadratic element with curved edges, by four of its ten vertices at a time.
fn quadratic(report: &mut Report, random: &mut Random) -> Result<(), String> {
    let mut worst = Worst::default();
    for _ in 0..30 {
        let corners =
            [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|p| p + 0.1 * random.vector());
        let [a, b, c, d] = corners;
        let middles = [[a, b], [b, c], [a, c], [a, d], [b, d], [c, d]]
            .map(|[p, q]| 0.5 * (p + q) + 0.02 * random.vector());
        let [e, f, g, h, i, j] = middles;
        let rest = [a, b, c, d, e, f, g, h, i, j];
        let material = Material::new(Model::NeoHookean, 1.0, 0.45 * random.unit());
        let samples = Sample::all([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], rest, material)
            .ok_or("a flat element")?
            .map(Element::Sample);
        let x = rest.map(|p| 1.1 * p + 0.04 * random.vector());
        let mut all = Mat30::zeros();
        for sample in &samples {
            if let Element::Sample(s) = sample {
                s.spread(&sample.hessian(&sample.gather(&x), false), &mut all);
            }
        }
        for some in [[0, 1, 2, 3], [4, 5, 6, 7], [1, 7, 8, 9]] {
            let with = |four: &Points| {
                let mut x = x;
                some.iter().zip(four).for_each(|(&v, p)| x[v] = *p);
                x
            };
            let energy = |four: &Points| {
                let x = with(four);
                samples.iter().map(|s| s.energy(&s.gather(&x))).sum()
            };
            let gradient = |four: &Points| {
                let (x, mut sum) = (with(four), [DVec3::ZERO; 10]);
                samples.iter().for_each(|s| s.scatter(&s.gradient(&s.gather(&x)), &mut sum));
                some.map(|v| sum[v])
            };
            let at = |i: usize| 3 * some[i / 3] + i % 3;
            let hessian = Mat12::from_fn(|i, j| all[(at(i), at(j))]);
            worst.add(&some.map(|v| x[v]), 1e-3, energy, gradient, hessian);
        }
    }
    worst.tell(report, "quadratic element", 1e-8);
    Ok(())
}

/// Shells and rods at random, where they rest, and sharply bent; pressure; damping.
fn thin(report: &mut Report, random: &mut Random) -> Result<(), String> {
    let names = [
        "membrane, neo-Hookean",
        "membrane, St Venant-Kirchhoff",
        "hinge",
        "stretch",
        "bend",
        "pressure",
    ];
    let mut worst: [Worst; 6] = Default::default();
    let mut damping = Worst::default();
    for k in 0..100 {
        let material = Material::new(Model::NeoHookean, 1.0, 0.45 * random.unit());
        let rest = [DVec3::ZERO, DVec3::X, DVec3::new(0.4, 0.9, 0.0), DVec3::new(0.5, -0.8, 0.0)]
            .map(|p| p + 0.1 * random.vector());
        let [a, b, c, _] = rest;
        let line = [0.0, 1.0, 2.1, 2.1].map(|x| DVec3::new(x, 0.0, 0.0) + 0.3 * random.vector());
        let flat = "a flat element";
        let membrane = |sheet: Sheet| Membrane::new([0, 1, 2], [a, b, c], material, sheet, 0.1);
        let elements = [
            Element::Membrane(membrane(Sheet::NeoHookean).ok_or(flat)?),
            Element::Membrane(membrane(Sheet::StVenantKirchhoff).ok_or(flat)?),
            Element::Hinge(Hinge::new([0, 1, 2, 3], rest, 1.0).ok_or(flat)?),
            Element::Stretch(Stretch::new([0, 1], [a, b], 1.0).ok_or(flat)?),
            Element::Bend(Bend::new([0, 1, 2], [line[0], line[1], line[2]], 1.0).ok_or(flat)?),
            Element::Pressure(Pressure { vertices: [0, 1, 2], pressure: 1.0, origin: DVec3::ONE }),
        ];
        // At random, stretched evenly, folded.
        let fold = DVec3::new(0.0, 0.0, [0.0, 0.0, 2.0][k % 3]);
        let lift = [DVec3::ZERO, DVec3::ZERO, fold, 0.9 * fold];
        let size = [0.2, 0.0, 0.05][k % 3];
        let grown = if k % 3 == 1 { 1.3 } else { 1.0 };
        for (element, worst) in elements.iter().zip(&mut worst) {
            let from = if matches!(element, Element::Bend(_)) { line } else { rest };
            // Size alone bends nothing.
            let bends = matches!(element, Element::Hinge(_) | Element::Bend(_));
            let size = if bends { f64::max(size, 0.05) } else { size };
            let x = [0, 1, 2, 3].map(|k| grown * from[k] + lift[k] + size * random.vector());
            let hessian = element.hessian(&x, false);
            worst.add(&x, 1e-3, |x| element.energy(x), |x| element.gradient(x), hessian);
        }
        for (k, element) in elements.iter().enumerate() {
            if let Some(loss) = Damping::new(element, k, &rest, 2.0) {
                // Its Hessian is exact where nothing has moved.
                let gradient = |x: &Points| loss.gradient(&elements, x);
                let at_rest = loss.hessian(&elements, &rest);
                let x = rest.map(|p| p + 0.1 * random.vector());
                let slope = difference_gradient(&x, 1e-3, |x| loss.energy(&elements, x));
                let found = [
                    mismatch(&stacked(gradient(&x)), &slope),
                    mismatch(&at_rest, &difference_hessian(&rest, 1e-3, gradient)),
                ];
                (0..2).for_each(|i| damping.0[i] = damping.0[i].max(found[i]));
            }
        }
    }
    for (name, worst) in names.iter().zip(&worst) {
        worst.tell(report, name, 1e-8);
    }
    damping.tell(report, "Kelvin-Voigt damping", 1e-8);
    Ok(())
}

fn contacts(report: &mut Report, random: &mut Random) {
    let gap = Gap { reach: 0.3, thickness: 0.01 };
    let mut distances = Worst::default();
    let mut all = [Worst::default(), Worst::default(), Worst::default(), Worst::default()];
    for _ in 0..100 {
        let height = 0.03 + 0.2 * random.unit();
        let over = DVec3::new(0.2 + 0.2 * random.unit(), 0.2 + 0.2 * random.unit(), height);
        let beside = DVec3::new(0.4, -0.7 * height, 0.7 * height);
        let points = [over, beside];
        for (p, worst) in points.into_iter().zip(&mut all) {
            let x = [p, 0.05 * random.vector(), DVec3::X, DVec3::Y];
            check_pair(worst, Kind::PointTriangle, &x, gap, 2e-4 * height);
            let hessian = Closest::point_triangle(&x).hessian(&x);
            let squared = |x: &Points| Closest::point_triangle(x).squared(x);
            let gradient = |x: &Points| Closest::point_triangle(x).gradient(x);
            distances.add(&x, 1e-3 * height, squared, gradient, hessian);
        }
        for (nearly_parallel, worst) in [false, true].into_iter().zip(&mut all[2..]) {
            let angle: f64 = match nearly_parallel {
                true => 0.003 + 0.02 * random.unit(),
                false => 0.3 + random.unit(),
            };
            let along = DVec3::new(angle.cos(), angle.sin(), 0.02 * random.signed());
            let middle = DVec3::new(0.05 * random.signed(), 0.0, height);
            let x = [-DVec3::X, DVec3::X, middle - along, middle + along];
            let kind = Kind::edges(2.0 * DVec3::X, 2.0 * along);
            let step = if nearly_parallel { 2e-5 } else { 2e-4 } * height;
            check_pair(worst, kind, &x, gap, step);
        }
    }
    distances.tell(report, "squared distance", 1e-10);
    let names = ["over a triangle", "beside a triangle", "two edges", "nearly parallel edges"];
    for (name, worst) in names.iter().zip(&all) {
        worst.tell(report, &format!("barrier, {name}"), 1e-8);
    }
}

fn check_pair(worst: &mut Worst, kind: Kind, x: &Points, gap: Gap, step: f64) {
    let energy = |x: &Points| contact::energy(kind, x, gap);
    let gradient = |x: &Points| contact::gradient(kind, x, gap);
    worst.add(x, step, energy, gradient, contact::hessian(kind, x, gap));
}

fn friction(report: &mut Report, random: &mut Random) {
    let epsilon = 1e-2;
    for (name, size) in [("sticking", 1e-3), ("sliding", 0.2)] {
        let mut worst = Worst::default();
        for _ in 0..100 {
            let normal = random.vector().normalize_or(DVec3::Y);
            let weights = [1.0, -0.2, -0.5, -0.3];
            let slip = Slip { vertices: [0, 1, 2, 3], weights, normal, limit: 3.0 };
            let u = random.points().map(|p| size * p);
            // It varies over the length of the slip, and its third derivative jumps where sticking
            // ends.
            let slipped = slip.slipped(&u).length();
            let smooth = slipped.min((slipped - epsilon).abs());
            if smooth < 1e-3 * size {
                continue; // on the jump
            }
            let hessian = slip.hessian(&u, epsilon);
            let energy = |u: &Points| slip.energy(u, epsilon);
            worst.add(&u, 0.01 * smooth, energy, |u| slip.gradient(u, epsilon), hessian);
        }
        worst.tell(report, &format!("friction, {name}"), 1e-8);
    }
}
