//! The energy of a step (S1), its derivatives, and how far a move along a direction is allowed.

use glam::DVec3;
use rayon::prelude::*;

use crate::balance::{Forces, imbalance};
use crate::candidates::{candidates, gather};
use crate::contact::{self, Pair};
use crate::damping::Damping;
use crate::dense::Mat12;
use crate::element::Element;
use crate::friction::Slip;
use crate::matrix::Unsolvable;
use crate::solids::{Hold, Settings, Solids};
use crate::step::{Report, Workspace};
use crate::stop::Stop;
use crate::unknowns::Unknowns;
use crate::{ccd, inversion};

/// The energy of a step.
pub struct Objective<'a> {
    /// The state at the beginning of the step.
    pub solids: &'a Solids,
    /// How a step is solved.
    pub settings: &'a Settings,
    /// x̂; for driven vertices where they should be.
    pub goal: Vec<DVec3>,
    /// What holds a vertex to its goal: mass, or the spring of a driven one times ĥ².
    pub weight: Vec<f64>,
    /// Weight and other given forces on each vertex, N.
    pub load: Vec<f64>,
    /// Δt
    pub dt: f64,
    /// ĥ²
    pub scale: f64,
    /// κ
    pub stiffness: f64,
    /// Kelvin-Voigt damping of the elements that have it.
    pub damping: Vec<Damping>,
    /// Contacts as friction remembers them.
    pub slips: Vec<Slip>,
    /// How far vertices may go in one iteration, m.
    pub stride: f64,
    /// Whether the step is to end at once.
    pub stop: Stop,
    /// What is solved for.
    pub unknowns: Unknowns,
    /// Where the unknowns rest.
    pub places: Vec<DVec3>,
}

/// First derivatives of the energy of a step.
pub struct Slope {
    /// By the unknowns.
    pub gradient: Vec<DVec3>,
    /// The force that is left over on a body, over those that are there; the largest.
    pub imbalance: f64,
}

impl Objective<'_> {
    /// Pairs that may push while vertices move from `from` to `to`.
    pub fn near(&self, from: &[DVec3], to: &[DVec3]) -> Vec<Pair> {
        let gap = self.settings.gap;
        candidates(self.solids, from, to, gap.reach + gap.thickness)
    }

    /// κ d̂ A
    fn strength(&self, pair: &Pair) -> f64 {
        self.stiffness * self.settings.gap.reach * pair.area
    }

    /// The contacts at `x` as friction remembers them.
    pub fn lagged(&self, x: &[DVec3], pairs: &[Pair]) -> Vec<Slip> {
        let mu = &self.solids.friction;
        let slip = |pair: &Pair| {
            let [a, .., b] = pair.vertices.map(|v| mu[v as usize]);
            let friction = (a * b).sqrt();
            let places = gather(x, &pair.vertices);
            let (push, closest) = contact::push(pair.kind, &places, pair.gap(self.settings.gap))?;
            let limit = friction * self.strength(pair) * push;
            let normal = closest.separation(&places).try_normalize()?;
            let (vertices, weights) = (pair.vertices, closest.weights);
            (limit > 0.0).then_some(Slip { vertices, weights, normal, limit })
        };
        pairs.par_iter().filter_map(slip).collect()
    }

    /// (S1)
    pub fn energy(&self, x: &[DVec3], pairs: &[Pair]) -> f64 {
        let solids = self.solids;
        let to_goal: f64 = (0..x.len())
            .filter(|&v| self.unknowns.moves(v))
            .map(|v| {
                let drag = self.drag(v);
                let moved = (x[v] - solids.position[v]).length_squared();
                0.5 * self.weight[v] * (x[v] - self.goal[v]).length_squared() + 0.5 * drag * moved
            })
            .sum();
        let elements: Vec<f64> =
            solids.elements.par_iter().map(|e| e.energy(&e.gather(x))).collect();
        let barrier = |pair: &Pair| {
            self.strength(pair)
                * contact::energy(
                    pair.kind,
                    &gather(x, &pair.vertices),
                    pair.gap(self.settings.gap),
                )
        };
        let barriers: Vec<f64> = pairs.par_iter().map(barrier).collect();
        let epsilon = self.settings.friction_speed * self.dt;
        let slip = |slip: &Slip| slip.energy(&self.moved(x, &slip.vertices), epsilon);
        let slips: Vec<f64> = self.slips.par_iter().map(slip).collect();
        let lost = |d: &Damping| d.energy(&solids.elements, &solids.elements[d.element].gather(x));
        let damping: Vec<f64> = self.damping.par_iter().map(lost).collect();
        let sum = |values: &[f64]| values.iter().sum::<f64>();
        to_goal + self.scale * (sum(&elements) + sum(&damping) + sum(&barriers) + sum(&slips))
    }

    /// How far vertices have moved in this step.
    pub(crate) fn moved(&self, x: &[DVec3], vertices: &[u32; 4]) -> [DVec3; 4] {
        vertices.map(|v| x[v as usize] - self.solids.position[v as usize])
    }

    /// ĥ² c m / Δt of a vertex that is damped at the rate c.
    fn drag(&self, v: usize) -> f64 {
        self.scale * self.solids.drag[v] * self.solids.mass[v] / self.dt
    }

    /// First derivatives of (S1).
    pub fn slope(&self, x: &[DVec3], pairs: &[Pair]) -> Slope {
        let forces = self.forces(x, pairs);
        let of_vertex = |v: usize| {
            self.weight[v] * (x[v] - self.goal[v])
                + self.drag(v) * (x[v] - self.solids.position[v])
                + self.scale * forces.all[v]
        };
        let by_vertex: Vec<DVec3> = (0..x.len()).map(of_vertex).collect();
        let gradient = self.unknowns.gather(&by_vertex);
        Slope { imbalance: imbalance(self, x, &forces, &gradient), gradient }
    }

    /// Derivatives of elastic, damping, barrier and friction energies by all vertices.
    fn forces(&self, x: &[DVec3], pairs: &[Pair]) -> Forces {
        let elements = &self.solids.elements;
        let of_elements: Vec<[DVec3; 4]> =
            elements.par_iter().map(|e| e.gradient(&e.gather(x))).collect();
        let mut forces = Forces::new(self.contact_forces(x, pairs), elements, &of_elements);
        let resist = |d: &Damping| d.gradient(elements, &elements[d.element].gather(x));
        let damping: Vec<[DVec3; 4]> = self.damping.par_iter().map(resist).collect();
        for (damping, parts) in self.damping.iter().zip(&damping) {
            elements[damping.element].scatter(parts, &mut forces.all);
        }
        forces
    }

    /// Derivatives of barrier and friction energies by all vertices, N.
    fn contact_forces(&self, x: &[DVec3], pairs: &[Pair]) -> Vec<DVec3> {
        let mut all = vec![DVec3::ZERO; x.len()];
        let of_pair = |pair: &Pair| {
            let strength = self.strength(pair);
            contact::gradient(pair.kind, &gather(x, &pair.vertices), pair.gap(self.settings.gap))
                .map(|g| strength * g)
        };
        let barriers: Vec<[DVec3; 4]> = pairs.par_iter().map(of_pair).collect();
        for (pair, parts) in pairs.iter().zip(&barriers) {
            scatter(&mut all, &pair.vertices, parts);
        }
        let epsilon = self.settings.friction_speed * self.dt;
        let of_slip = |slip: &Slip| slip.gradient(&self.moved(x, &slip.vertices), epsilon);
        let slips: Vec<[DVec3; 4]> = self.slips.par_iter().map(of_slip).collect();
        for (slip, parts) in self.slips.iter().zip(&slips) {
            scatter(&mut all, &slip.vertices, parts);
        }
        all
    }

    /// Second derivatives of (S1), each energy's part without negative eigenvalues.
    pub fn assemble(
        &self,
        x: &[DVec3],
        pairs: &[Pair],
        workspace: &mut Workspace,
    ) -> Result<(), Unsolvable> {
        let epsilon = self.settings.friction_speed * self.dt;
        let of_pair = |pair: &Pair| {
            let (places, gap) = (gather(x, &pair.vertices), pair.gap(self.settings.gap));
            let near = pair.kind.closest(&places).squared(&places) < gap.squared_reach();
            let stiffness = self.strength(pair) * self.scale;
            near.then(|| {
                (pair.vertices, contact::projected_hessian(pair.kind, &places, gap) * stiffness)
            })
        };
        let of_slip = |slip: &Slip| {
            let h = slip.hessian(&self.moved(x, &slip.vertices), epsilon);
            (slip.vertices, h * self.scale)
        };
        let elements = &self.solids.elements;
        let of_element = |k: usize| {
            let places = elements[k].gather(x);
            let mut h = elements[k].hessian(&places, true);
            // In the order of the elements.
            if let Ok(d) = self.damping.binary_search_by_key(&k, |d| d.element) {
                h += self.damping[d].hessian(elements, &places);
            }
            h * self.scale
        };
        let contacts: Vec<([u32; 4], Mat12)> = pairs.par_iter().filter_map(of_pair).collect();
        let slips: Vec<([u32; 4], Mat12)> = self.slips.par_iter().map(of_slip).collect();
        let terms = || contacts.iter().chain(&slips);

        let Workspace { frame, matrix, stop: _ } = workspace;
        frame.fit(self.solids, &self.unknowns);
        let keys = frame.keys_with(terms().map(|(vertices, _)| vertices));
        matrix.begin(&self.places, keys)?;
        for v in 0..x.len() {
            self.unknowns.add_own(matrix, v as u32, self.weight[v] + self.drag(v));
        }
        frame.add(matrix, elements, of_element);
        terms().for_each(|(vertices, h)| self.unknowns.add(matrix, vertices, h));
        self.unknowns.lock(matrix);
        Ok(())
    }

    /// The largest share of a move on which nothing touches and nothing is inverted.
    pub fn safe_share(&self, x: &[DVec3], direction: &[DVec3], pairs: &[Pair]) -> f64 {
        let smallest = |shares: Vec<f64>| shares.into_iter().fold(1.0, f64::min);
        let of_element = |e: &Element| {
            e.tetrahedron()?;
            Some(inversion::safe_share(&e.gather(x), &e.gather(direction), 1.0))
        };
        let kept = smallest(self.solids.elements.par_iter().filter_map(of_element).collect());
        let of_pair = |pair: &Pair| {
            if self.stop.asked() {
                return 0.0;
            }
            let (places, moves) = (gather(x, &pair.vertices), gather(direction, &pair.vertices));
            let thickness = pair.gap(self.settings.gap).thickness;
            ccd::safe_share(pair.kind, &places, &moves, thickness, kept)
        };
        smallest(pairs.par_iter().map(of_pair).collect()).min(kept)
    }

    /// How far apart the features of a pair are, apart from their thickness, m.
    fn distance(&self, x: &[DVec3], pair: &Pair) -> f64 {
        let places = gather(x, &pair.vertices);
        let squared = pair.kind.closest(&places).squared(&places);
        squared.sqrt() - pair.gap(self.settings.gap).thickness
    }

    /// The smallest distance over the reach.
    pub fn smallest_share(&self, x: &[DVec3], pairs: &[Pair]) -> f64 {
        let distance = |pair: &Pair| self.distance(x, pair);
        let smallest = pairs.par_iter().map(distance).reduce(|| f64::INFINITY, f64::min);
        smallest / self.settings.gap.reach
    }

    /// What there is to say about the state that was found.
    pub fn finish(&self, x: &[DVec3], pairs: &[Pair], report: &mut Report) {
        for pair in pairs {
            let distance = self.distance(x, pair);
            if distance < self.settings.gap.reach {
                report.contacts += 1;
                report.smallest_gap = report.smallest_gap.min(distance);
            }
        }
        let forces = self.contact_forces(x, pairs);
        let bodies = self.solids.bodies.iter();
        report.forces = bodies
            .map(|body| forces[body.vertices.clone()].iter().map(|g| -*g).sum::<DVec3>())
            .collect();
        let driven = (0..x.len()).filter(|&v| self.solids.hold[v] == Hold::Driven);
        report.lag = driven.map(|v| x[v].distance(self.goal[v])).fold(0.0, f64::max);
    }
}

fn scatter(all: &mut [DVec3], vertices: &[u32; 4], parts: &[DVec3; 4]) {
    for (&v, part) in vertices.iter().zip(parts) {
        all[v as usize] += *part;
    }
}
