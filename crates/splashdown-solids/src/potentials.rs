//! The potentials of a step as terms of one sum: elements with their damping, barriers between
//! surfaces, friction. Another one is one more type here and one more line in
//! `Objective::with_potentials`.

use std::borrow::Cow;
use std::sync::OnceLock;

use glam::DVec3;
use rayon::prelude::*;
use splashdown_solve::dense::Mat12;
use splashdown_solve::newton::Energy;
use splashdown_solve::stop::Stop;

use crate::assembly::Assembly;
use crate::barrier::Gap;
use crate::candidates::gather;
use crate::ccd;
use crate::contact::{self, Pair};
use crate::damping::Damping;
use crate::element::Element;
use crate::friction::Slip;
use crate::inversion;
use crate::medium::Medium;

/// A potential, J.
pub trait Potential: for<'a> Energy<Assembly<'a>> {
    /// Whether its forces are within bodies, but for those that `add_applied` tells.
    fn is_internal(&self) -> bool {
        false
    }

    /// Adds those of an internal potential that act on bodies from outside.
    fn add_applied(&self, _x: &[DVec3], _forces: &mut [DVec3]) {}
}

/// Elasticity, damping and pressure of all elements.
pub struct Elements<'a> {
    /// All of them.
    pub elements: &'a [Element],
    /// Of those that are damped, in their order.
    pub damping: &'a [Damping],
    /// Whether second derivatives lose their negative eigenvalues.
    pub projects: bool,
}

impl Elements<'_> {
    fn places(&self, damping: &Damping, x: &[DVec3]) -> [DVec3; 4] {
        self.elements[damping.element].gather(x)
    }
}

fn is_pressure(element: &Element) -> bool {
    matches!(element, Element::Pressure(_))
}

impl Energy<Assembly<'_>> for Elements<'_> {
    fn value(&self, x: &[DVec3]) -> f64 {
        let stored: Vec<f64> = self.elements.par_iter().map(|e| e.energy(&e.gather(x))).collect();
        let of_damping = |d: &Damping| d.energy(self.elements, &self.places(d, x));
        let lost: Vec<f64> = self.damping.par_iter().map(of_damping).collect();
        stored.iter().sum::<f64>() + lost.iter().sum::<f64>()
    }

    fn add_gradient(&self, x: &[DVec3], gradient: &mut [DVec3]) {
        let parts: Vec<[DVec3; 4]> =
            self.elements.par_iter().map(|e| e.gradient(&e.gather(x))).collect();
        for pressures in [true, false] {
            let all = self.elements.iter().zip(&parts);
            let some = all.filter(|(e, _)| is_pressure(e) == pressures);
            some.for_each(|(e, parts)| e.scatter(parts, gradient));
        }
        let resist = |d: &Damping| d.gradient(self.elements, &self.places(d, x));
        let damping: Vec<[DVec3; 4]> = self.damping.par_iter().map(resist).collect();
        for (damping, parts) in self.damping.iter().zip(&damping) {
            self.elements[damping.element].scatter(parts, gradient);
        }
    }

    fn add_hessian(&self, x: &[DVec3], hessian: &mut Assembly<'_>) {
        let scale = hessian.scale;
        hessian.add_elements(self.elements, |k| {
            let places = self.elements[k].gather(x);
            let mut h = self.elements[k].hessian(&places, self.projects);
            if let Ok(d) = self.damping.binary_search_by_key(&k, |d| d.element) {
                h += self.damping[d].hessian(self.elements, &places);
            }
            h * scale
        });
    }

    /// Nothing is inverted.
    fn safe_step(&self, x: &[DVec3], direction: &[DVec3], longest: f64) -> f64 {
        let of_element = |e: &Element| {
            e.upright()?;
            Some(inversion::safe_share(&e.gather(x), &e.gather(direction), longest))
        };
        let shares: Vec<f64> = self.elements.par_iter().filter_map(of_element).collect();
        shares.into_iter().fold(longest, f64::min)
    }
}

impl Potential for Elements<'_> {
    fn is_internal(&self) -> bool {
        true
    }

    fn add_applied(&self, x: &[DVec3], forces: &mut [DVec3]) {
        for e in self.elements.iter().filter(|e| is_pressure(e)) {
            e.scatter(&e.gradient(&e.gather(x)), forces);
        }
    }
}

/// Barriers between surfaces.
pub struct Barriers<'a> {
    /// Features that may meet.
    pub pairs: &'a [Pair],
    /// How far apart they are kept.
    pub gap: Gap,
    /// κ
    pub stiffness: f64,
    /// Whether second derivatives lose their negative eigenvalues.
    pub projects: bool,
    /// Ends a search for the first touch at once.
    pub stop: Stop,
    /// The pairs that push, and where: whoever asks for couplings wants second derivatives next.
    pub(crate) pushing: OnceLock<(Vec<DVec3>, Vec<Pair>)>,
}

impl Barriers<'_> {
    /// κ d̂ A
    pub fn strength(&self, pair: &Pair) -> f64 {
        self.stiffness * pair.gap(self.gap).reach * pair.area
    }

    /// The pairs whose features push.
    fn pushing(&self, x: &[DVec3]) -> Vec<Pair> {
        let pushes = |pair: &&Pair| {
            let places = gather(x, &pair.vertices);
            pair.kind.closest(&places).squared(&places) < pair.gap(self.gap).squared_reach()
        };
        self.pairs.par_iter().filter(pushes).copied().collect()
    }

    /// Second derivatives of all pairs that push, times `scale`.
    pub fn hessians(&self, x: &[DVec3], scale: f64) -> Vec<([u32; 4], Mat12)> {
        let of_pair = |pair: &Pair| {
            let (places, gap) = (gather(x, &pair.vertices), pair.gap(self.gap));
            let stiffness = self.strength(pair) * scale;
            let h = match self.projects {
                true => contact::projected_hessian(pair.kind, &places, gap),
                false => contact::hessian(pair.kind, &places, gap),
            };
            (pair.vertices, h * stiffness)
        };
        let found = match self.pushing.get() {
            Some((place, found)) if place == x => Cow::Borrowed(found),
            _ => Cow::Owned(self.pushing(x)),
        };
        found.par_iter().map(of_pair).collect()
    }
}

impl Energy<Assembly<'_>> for Barriers<'_> {
    fn value(&self, x: &[DVec3]) -> f64 {
        let of_pair = |pair: &Pair| {
            let places = gather(x, &pair.vertices);
            self.strength(pair) * contact::energy(pair.kind, &places, pair.gap(self.gap))
        };
        let values: Vec<f64> = self.pairs.par_iter().map(of_pair).collect();
        values.iter().sum()
    }

    fn add_gradient(&self, x: &[DVec3], gradient: &mut [DVec3]) {
        let of_pair = |pair: &Pair| {
            let (strength, places) = (self.strength(pair), gather(x, &pair.vertices));
            contact::gradient(pair.kind, &places, pair.gap(self.gap)).map(|g| strength * g)
        };
        let parts: Vec<[DVec3; 4]> = self.pairs.par_iter().map(of_pair).collect();
        for (pair, parts) in self.pairs.iter().zip(&parts) {
            scatter(gradient, &pair.vertices, parts);
        }
    }

    fn couplings(&self, x: &[DVec3]) -> Vec<[u32; 4]> {
        let found = self.pushing(x);
        let vertices = found.iter().map(|pair| pair.vertices).collect();
        self.pushing.get_or_init(|| (x.to_vec(), found));
        vertices
    }

    fn add_hessian(&self, x: &[DVec3], hessian: &mut Assembly<'_>) {
        let terms = self.hessians(x, hessian.scale);
        hessian.add_terms(&terms);
    }

    /// Nothing touches.
    fn safe_step(&self, x: &[DVec3], direction: &[DVec3], longest: f64) -> f64 {
        let of_pair = |pair: &Pair| {
            if self.stop.asked() {
                return 0.0;
            }
            let (places, moves) = (gather(x, &pair.vertices), gather(direction, &pair.vertices));
            ccd::safe_share(pair.kind, &places, &moves, pair.gap(self.gap).thickness, longest)
        };
        let shares: Vec<f64> = self.pairs.par_iter().map(of_pair).collect();
        shares.into_iter().fold(longest, f64::min)
    }
}

impl Potential for Barriers<'_> {}

/// Friction with the pushes of earlier.
pub struct Frictions<'a> {
    /// Contacts as friction remembers them.
    pub slips: &'a [Slip],
    /// Places at the beginning of the step, m.
    pub start: &'a [DVec3],
    /// How far contacts slip in a step before friction is all there, m.
    pub epsilon: f64,
}

impl Frictions<'_> {
    /// How far vertices have moved in this step.
    pub fn moved(&self, x: &[DVec3], slip: &Slip) -> [DVec3; 4] {
        slip.vertices.map(|v| x[v as usize] - self.start[v as usize])
    }
}

impl Energy<Assembly<'_>> for Frictions<'_> {
    fn value(&self, x: &[DVec3]) -> f64 {
        let of_slip = |slip: &Slip| slip.energy(&self.moved(x, slip), self.epsilon);
        let values: Vec<f64> = self.slips.par_iter().map(of_slip).collect();
        values.iter().sum()
    }

    fn add_gradient(&self, x: &[DVec3], gradient: &mut [DVec3]) {
        let of_slip = |slip: &Slip| slip.gradient(&self.moved(x, slip), self.epsilon);
        let parts: Vec<[DVec3; 4]> = self.slips.par_iter().map(of_slip).collect();
        for (slip, parts) in self.slips.iter().zip(&parts) {
            scatter(gradient, &slip.vertices, parts);
        }
    }

    fn couplings(&self, _x: &[DVec3]) -> Vec<[u32; 4]> {
        self.slips.iter().map(|slip| slip.vertices).collect()
    }

    fn add_hessian(&self, x: &[DVec3], hessian: &mut Assembly<'_>) {
        let scale = hessian.scale;
        let of_slip =
            |slip: &Slip| (slip.vertices, slip.hessian(&self.moved(x, slip), self.epsilon) * scale);
        let terms: Vec<([u32; 4], Mat12)> = self.slips.par_iter().map(of_slip).collect();
        hessian.add_terms(&terms);
    }
}

impl Potential for Frictions<'_> {}

/// What guests have in common. Its second derivatives are never in a matrix.
pub struct InMedium<'a>(pub &'a dyn Medium);

impl Energy<Assembly<'_>> for InMedium<'_> {
    fn value(&self, x: &[DVec3]) -> f64 {
        self.0.value(x)
    }

    fn add_gradient(&self, x: &[DVec3], gradient: &mut [DVec3]) {
        self.0.add_gradient(x, gradient);
    }

    fn add_hessian(&self, _x: &[DVec3], _hessian: &mut Assembly<'_>) {}
}

impl Potential for InMedium<'_> {}

/// Forces that depend on nothing: −Σ F·x.
pub struct Given<'a>(pub &'a [DVec3]);

impl Energy<Assembly<'_>> for Given<'_> {
    fn value(&self, x: &[DVec3]) -> f64 {
        -self.0.iter().zip(x).map(|(force, x)| force.dot(*x)).sum::<f64>()
    }

    fn add_gradient(&self, _x: &[DVec3], gradient: &mut [DVec3]) {
        gradient.iter_mut().zip(self.0).for_each(|(g, force)| *g -= *force);
    }

    fn add_hessian(&self, _x: &[DVec3], _hessian: &mut Assembly<'_>) {}
}

impl Potential for Given<'_> {}

pub(crate) fn scatter(all: &mut [DVec3], vertices: &[u32; 4], parts: &[DVec3; 4]) {
    for (&v, part) in vertices.iter().zip(parts) {
        all[v as usize] += *part;
    }
}
