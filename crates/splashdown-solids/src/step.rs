//! One time step: the minimum of one energy, found by Newton's method without ever leaving the
//! states in which nothing intersects and nothing is inverted (Li et al. 2020, algorithm 1).
//!
//! ```text
//! (S1)  E(x) = ½ Σ m |x − x̂|² + ĥ² (Ψ(x) + κ d̂ Σ A b(x) + friction + drag + damping − Σ F·x)
//! (S2)  implicit Euler: x̂ = xⁿ + h vⁿ + h² g,   ĥ = h,   vⁿ⁺¹ = (xⁿ⁺¹ − xⁿ)/h
//! (S3)  BDF2, steps h after h₋, r = h/h₋, α = (1 + 2r)/(1 + r), ĥ = h/α:
//!       [x] = (1 + r) xⁿ − r²/(1 + r) xⁿ⁻¹, likewise [v];
//!       x̂ = [x]/α + ĥ [v]/α + ĥ² g,   vⁿ⁺¹ = (α xⁿ⁺¹ − [x])/h
//! ```
//!
//! Driven vertices are pulled to where they should be by springs that are stiffer than everything
//! around them by a factor of a million (inertia) and a thousand (elasticity).

use glam::DVec3;

use crate::crowd::Crowd;
use crate::damping::Damping;
use crate::element::Element;
use crate::guests::Guests;
use crate::objective::Objective;
use crate::parts::Parts;
use crate::solids::{Hold, Integrator, Past, Settings, Solids};
use crate::transit;
use crate::unknowns::Unknowns;
use crate::verify::{Violation, passage, violation};
use splashdown_solve::stop::Stop;

pub use crate::outcome::{Failure, Report};
pub use crate::workspace::Workspace;

/// Backward differences (S2), (S3).
pub(crate) struct Difference {
    alpha: f64,
    position: Vec<DVec3>,
    velocity: Vec<DVec3>,
    /// (MT2) of each vertex, m/s; or nothing.
    kicks: Vec<DVec3>,
}

impl Difference {
    fn new(solids: &Solids, dt: f64, integrator: Integrator) -> Difference {
        let Past { position, velocity, dt: last, .. } = &solids.past;
        if integrator == Integrator::ImplicitEuler || position.len() != solids.position.len() {
            let (position, velocity) = (solids.position.clone(), solids.velocity.clone());
            return Difference { alpha: 1.0, position, velocity, kicks: Vec::new() };
        }
        let r = dt / last;
        let [now, before] = [1.0 + r, r * r / (1.0 + r)];
        let back = |new: &[DVec3], old: &[DVec3]| {
            new.iter().zip(old).map(|(n, o)| now * *n - before * *o).collect()
        };
        let mut found = Difference {
            alpha: (1.0 + 2.0 * r) / (1.0 + r),
            position: back(&solids.position, position),
            velocity: back(&solids.velocity, velocity),
            kicks: transit::kicks(solids, dt),
        };
        let kicked = found.velocity.iter_mut().zip(&found.kicks);
        kicked.for_each(|(v, kick)| *v += found.alpha * *kick); // [1] = α
        found
    }

    /// Whether it looks back at the step before.
    fn looks_back(&self) -> bool {
        self.alpha > 1.0
    }
}

/// What acts on bodies from outside in a step.
#[derive(Clone, Copy, Debug)]
pub struct Outside<'a> {
    /// Length of the step, s.
    pub dt: f64,
    /// m/s²
    pub gravity: DVec3,
    /// Other forces on each vertex, N; or nothing.
    pub force: &'a [DVec3],
    /// What takes part besides the bodies.
    pub guests: Option<Guests<'a>>,
}

/// The energy of a step that begins at the state of `solids`, and the differences that made its
/// goals.
pub(crate) fn begin<'a>(
    solids: &'a Solids,
    settings: &'a Settings,
    outside: Outside<'a>,
    target: impl Fn(u32) -> DVec3,
    (parts, stop): (Parts<'a>, Stop),
) -> (Objective<'a>, Difference) {
    let Outside { dt, gravity, force, guests } = outside;
    let difference = Difference::new(solids, dt, settings.integrator);
    let (alpha, n) = (difference.alpha, solids.position.len());
    let step = dt / alpha;
    let mut goal = solids.position.clone();
    let mut weight = solids.mass.clone();
    let mut load = vec![0.0; n];
    for v in 0..n {
        match solids.hold[v] {
            Hold::Fixed => continue,
            Hold::Driven => {
                goal[v] = target(v as u32);
                let mass = solids.mass[v].max(1e-3); // obstacles have none, and need none
                weight[v] = 1e6 * mass + 1e3 * step * step * solids.stiffness_estimate[v];
            }
            Hold::Free => {
                load[v] = solids.mass[v] * gravity.length();
                goal[v] = (difference.position[v] + step * difference.velocity[v]) / alpha
                    + step * step * gravity;
            }
        }
    }
    let mut unknowns = Unknowns::new(solids);
    let mut places: Vec<DVec3> =
        unknowns.vertices().iter().map(|&v| solids.rest[v as usize]).collect();
    if let Some(guests) = guests {
        unknowns = unknowns.with_guests(guests.all.len());
        goal.extend(guests.all.iter().map(|guest| guest.goal));
        weight.extend(guests.all.iter().map(|guest| guest.mass * (step / dt).powi(2))); // (GU1)
        load.extend(guests.all.iter().map(|guest| guest.mass * gravity.length()));
        places.extend(guests.all.iter().map(|guest| guest.position));
    }
    let objective = Objective {
        solids,
        settings,
        goal,
        weight,
        load,
        force,
        dt,
        scale: step * step,
        // Friction begins with the pushes of the last step, and so with its κ.
        stiffness: if solids.stiffness > 0.0 { solids.stiffness } else { settings.stiffness },
        damping: damped(solids, dt),
        pairs: Vec::new(),
        slips: Vec::new(),
        stride: stride(solids),
        stop,
        places,
        unknowns,
        crowd: guests.map(|guests| Crowd::new(solids, guests, parts.barrier)),
        parts,
    };
    (objective, difference)
}

/// Advances `solids` by a step. `target` says where driven vertices are at its end.
pub fn step(
    solids: &mut Solids,
    workspace: &mut Workspace,
    settings: &Settings,
    outside: Outside,
    target: impl Fn(u32) -> DVec3,
) -> Result<Report, Failure> {
    phase(solids, workspace, settings, (outside, Parts::default()), target)
}

/// A step that has only some `parts` of a whole one.
pub fn phase(
    solids: &mut Solids,
    workspace: &mut Workspace,
    settings: &Settings,
    (outside, parts): (Outside, Parts<'_>),
    target: impl Fn(u32) -> DVec3,
) -> Result<Report, Failure> {
    workspace.matrix.most = settings.direct_limit;
    workspace.matrix.stop = workspace.stop;
    let dt = outside.dt;
    let stop = workspace.stop;
    let (mut objective, difference) = begin(solids, settings, outside, target, (parts, stop));
    let alpha = difference.alpha;
    let mut report = Report::default();
    let mut x = solids.position.clone();
    x.extend(objective.crowd.iter().flat_map(|crowd| crowd.guests.all).map(|g| g.position));
    objective.look(&x, &x);
    if let Some(found) = objective.crowd.as_ref().and_then(|crowd| crowd.stuck(&x)) {
        return Err(Failure::Violation(Violation::Passage(found)));
    }
    let mut slips = objective.lagged(&x);
    let mut of_guests = objective.crowd.as_ref().map(|crowd| crowd.lagged(&x));
    objective.approach_expected(&mut x);
    for _ in 0..settings.friction_updates.max(1) {
        objective.slips = slips;
        objective.stiffness = settings.stiffness;
        if let Some((crowd, slips)) = objective.crowd.as_mut().zip(of_guests) {
            crowd.slips = slips;
            crowd.stiffness = crowd.first_stiffness();
        }
        let done = objective.minimise(&mut x, workspace, &mut report);
        done.map_err(|failure| objective.among_vertices(failure))?;
        slips = objective.lagged(&x);
        of_guests = objective.crowd.as_ref().map(|crowd| crowd.lagged(&x));
        let of_guests = of_guests.as_deref().unwrap_or_default();
        if objective.friction_agrees(&x, &slips) && objective.guests_agree(&x, of_guests) {
            break;
        }
    }
    apply_affine_frames(solids, &mut x);
    objective.finish(&x, &mut report);
    report.guests = x[solids.position.len()..].to_vec();
    if settings.verify
        && parts.contact > 0.0
        && let Some(found) = violation(solids, &x).or_else(|| passed(solids, &x, outside.guests))
    {
        return Err(Failure::Violation(found));
    }
    let stiffness = objective.stiffness;
    let pushed = objective.outer_forces(&x, &report);
    let close = solids.grown(&x, &objective.pairs, settings.gap.reach);
    x.truncate(solids.position.len());
    let velocity: Vec<DVec3> =
        x.iter().zip(&difference.position).map(|(x, past)| (alpha * *x - *past) / dt).collect();
    (solids.stiffness, solids.close) = (stiffness, close);
    let transit = transit::after(solids, &pushed, dt, difference.looks_back());
    let position = std::mem::replace(&mut solids.position, x);
    let mut before = std::mem::replace(&mut solids.velocity, velocity);
    before.iter_mut().zip(&difference.kicks).for_each(|(v, kick)| *v += *kick);
    solids.past = Past { position, velocity: before, dt, transit };
    let held = solids.hold.iter().zip(&mut solids.velocity);
    held.filter(|(hold, _)| **hold == Hold::Fixed).for_each(|(_, v)| *v = DVec3::ZERO);
    Ok(report)
}

/// The first guest that is on the wrong side at `x`.
fn passed(solids: &Solids, x: &[DVec3], guests: Option<Guests<'_>>) -> Option<Violation> {
    let before: Vec<DVec3> = guests?.all.iter().map(|guest| guest.position).collect();
    let (vertices, after) = x.split_at(solids.position.len());
    let (guest, vertex) = passage(solids, &solids.position, vertices, &before, after)?;
    Some(Violation::Passage([guest as u32, vertex]))
}

/// The elements that are damped, as they are now.
fn damped(solids: &Solids, dt: f64) -> Vec<Damping> {
    let some = solids.elements.iter().zip(&solids.damping).enumerate();
    some.filter(|(_, (_, tau))| **tau > 0.0)
        .filter_map(|(k, (element, tau))| {
            let x = element.gather(&solids.position);
            Damping::new(element, k, &x, tau / dt)
        })
        .collect()
}

/// Elements that a vertex may pass in one iteration.
const STRIDES: f64 = 4.0;

/// How far vertices may go in one iteration, m. Farther they do not go by physics but because a
/// model of the energy is far from it; and everything that lies on the ways is looked at.
fn stride(solids: &Solids) -> f64 {
    let length = |e: &Element| {
        let [a, b, ..] = e.gather(&solids.rest);
        a.distance(b)
    };
    let elements = solids.elements.iter().map(length).fold(0.0, f64::max);
    let particles = solids.surface.particles.iter().map(|&(v, _)| 2.0 * solids.offset[v as usize]);
    let longest = particles.fold(elements, f64::max);
    if longest > 0.0 { STRIDES * longest } else { f64::INFINITY }
}

/// Puts the vertices of rigid bodies where their affine frames are, so that rounding never adds up.
fn apply_affine_frames(solids: &Solids, x: &mut [DVec3]) {
    for (v, frame) in solids.affine_frame.iter().enumerate() {
        if let Some(frame) = frame {
            let corner = |k: usize| frame.weights[k] * x[frame.corners[k] as usize];
            x[v] = corner(0) + corner(1) + corner(2) + corner(3);
        }
    }
}
