//! Coulomb friction of fluids on walls: droplets that stick, and slide when they get too heavy.
//!
//! Paper: Probst & Teschner 2024 (PT24), section 3.3. A fluid particle is pressed against the walls
//! around it by its pressure alone, with |N| = κ |Gʷ| (P1), and friction acts across that
//! direction:
//!
//!   |p| ≤ μ |N|                                           (WF1)  PT24 eqs. 13, 14
//!   u_t = (1 − n nᵀ)(u_f − Σ_K c_K u_K(x_f))               (WF2)  PT24 eq. 16
//!   p* = proj(−α u_t),   p ← proj(p + ω p*)               (WF3)  PT24 eq. 18c
//!
//! p is an impulse, u are displacements over the step, c_K the share of solid K in the walls around
//! the particle. Two things differ from the paper. u_K is taken where the fluid particle is, not
//! where the wall particles are, and −c_K p acts on the solid there: then friction keeps angular
//! momentum. And α counts how bodies yield, each of the N particles that touch a body with friction
//! having a share of its mass (as in (M2)):
//!
//!   1/α = 1/μ_f + Σ_K N_K c_K² J M_K⁻¹ Jᵀ                  (WF4)
//!
//! On walls that do not yield nothing of this needs to be iterated. Such friction moves its own
//! particle and no other: if u is the displacement without it, the particle sticks with p = −μ_f
//! u_t where that is inside the cone, and slides with p on its rim elsewhere,
//!
//!   p = proj(−μ_f u_t)                                    (WF5)

use crate::math::DVec3;
use crate::particles::neighbors::{Chunk, Neighbors};
use crate::rigid::bodies::Body;
use crate::twist::Twist;

/// ω of (WF3), for α as in (WF4). PT24 relax by 1/2 and enlarge α by d/(d − 1).
const OMEGA: f64 = 0.75;

/// A solid near a fluid particle.
#[derive(Clone, Copy, Debug)]
struct NearbySolid {
    solid: usize,
    share: f64,
    /// Whether the solve moves it.
    is_dynamic: bool,
    /// From the centre of the solid to the fluid particle, in h.
    arm: DVec3,
}

/// A fluid particle at a wall.
#[derive(Clone, Debug)]
pub struct WallContact {
    /// Its index among all particles.
    pub particle: usize,
    normal: DVec3,
    mu: f64,
    /// μ |Gʷ|: the largest impulse per κ.
    strength: f64,
    inverse_mass: f64,
    /// α
    step: f64,
    /// Σ c_K u_K of the solids that move as told.
    given: DVec3,
    solids: Vec<NearbySolid>,
    /// (WF1) at the last pressures.
    limit: f64,
}

/// Where solids are and how they move.
pub struct Walls<'a> {
    /// Displacements of all particles over the step, in h.
    pub displacement: &'a [DVec3],
    /// The solid of each wall particle.
    pub solid_of: &'a (dyn Fn(usize) -> usize + Sync),
    /// From the centre of a solid to a particle, in h.
    pub arm: &'a (dyn Fn(usize, usize) -> DVec3 + Sync),
    /// All solids that pressure moves; none where bodies wait.
    pub bodies: &'a [Body],
}

/// All fluid particles that touch walls with friction. `mu` and `inverse_mass` are of each fluid.
pub fn wall_contacts(
    neighbors: &Neighbors,
    mu: &[f64],
    inverse_mass: &[f32],
    walls: &Walls,
) -> Vec<WallContact> {
    let mut contacts = Vec::new();
    let mut count = vec![0.0; walls.bodies.len()];
    for chunk in &neighbors.chunks {
        if mu[chunk.fluid] == 0.0 || chunk.wall_pair_count() == 0 {
            continue;
        }
        let inverse_mass = f64::from(inverse_mass[chunk.fluid]);
        for k in 0..chunk.particles.len() {
            let Some(contact) = wall_contact(chunk, k, mu[chunk.fluid], inverse_mass, walls) else {
                continue;
            };
            contact.dynamic_solids().for_each(|near| count[near.solid] += 1.0);
            contacts.push(contact);
        }
    }
    for contact in &mut contacts {
        let compliance_of = |near: &NearbySolid| {
            let axes = [DVec3::X, DVec3::Y, DVec3::Z]
                .map(|axis| walls.bodies[near.solid].mobility(&Twist::of_impulse(axis, near.arm)));
            count[near.solid] * near.share * near.share * axes.into_iter().fold(0.0, f64::max)
        };
        // (WF4)
        let compliance =
            contact.inverse_mass + contact.dynamic_solids().map(compliance_of).sum::<f64>();
        contact.step = 1.0 / compliance.max(1e-12);
    }
    contacts
}

fn wall_contact(
    chunk: &Chunk,
    k: usize,
    mu: f64,
    inverse_mass: f64,
    walls: &Walls,
) -> Option<WallContact> {
    let gradient = chunk.sums[k].wall_gradient.truncate().as_dvec3();
    let normal = gradient.try_normalize()?;
    let particle = chunk.particles.start + k;
    let weight = |gradient: [f32; 3]| DVec3::from(gradient.map(f64::from)).length();
    let total: f64 = chunk.wall_pairs(k).iter().map(|pair| weight(pair.gradient)).sum();
    let (mut given, mut near) = (DVec3::ZERO, Vec::<NearbySolid>::new());
    for pair in chunk.wall_pairs(k) {
        let share = weight(pair.gradient) / total;
        let b = pair.index as usize;
        let solid = (walls.solid_of)(b);
        let is_dynamic = walls.bodies.get(solid).is_some_and(|body| body.is_dynamic);
        if !is_dynamic {
            given += share * walls.displacement[b];
        }
        match near.iter_mut().find(|near| near.solid == solid) {
            Some(near) => near.share += share,
            None => near.push(NearbySolid {
                solid,
                share,
                is_dynamic,
                arm: (walls.arm)(particle, solid),
            }),
        }
    }
    let strength = mu * gradient.length();
    Some(WallContact {
        particle,
        normal,
        mu,
        strength,
        inverse_mass,
        step: 0.0,
        given,
        solids: near,
        limit: 0.0,
    })
}

/// p inside the cone of (WF1).
fn project(p: DVec3, limit: f64) -> DVec3 {
    p.clamp_length_max(limit)
}

impl WallContact {
    fn dynamic_solids(&self) -> impl Iterator<Item = &NearbySolid> {
        self.solids.iter().filter(|near| near.is_dynamic)
    }

    /// Whether the solve moves any of the solids around it.
    pub fn has_dynamic_solid(&self) -> bool {
        self.dynamic_solids().next().is_some()
    }

    /// (WF5) on walls that do not yield, for the displacement `u` without friction.
    pub fn direct_friction(&self, u: DVec3) -> Option<DVec3> {
        let across = |u: DVec3| u - u.dot(self.normal) * self.normal;
        (!self.has_dynamic_solid())
            .then(|| project(-self.step * across(u - self.given), self.limit))
    }

    /// (WF1) from the pressure of the particle.
    pub fn set_pressure(&mut self, kappa: f32) {
        self.limit = self.strength * f64::from(kappa).max(0.0);
    }

    /// By how much the pressure `kappa` would change that.
    pub fn change(&self, kappa: f32) -> f64 {
        (self.strength * f64::from(kappa).max(0.0) - self.limit).abs()
    }

    /// The largest impulse.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// |N|
    pub fn normal_impulse(&self) -> f64 {
        self.limit / self.mu
    }

    /// α⁻¹
    pub fn compliance(&self) -> f64 {
        1.0 / self.step
    }

    /// `p` as far as the pressure allows, and across the normal.
    pub fn project(&self, p: DVec3) -> DVec3 {
        project(p - p.dot(self.normal) * self.normal, self.limit)
    }

    /// Adds the reaction of `p` to the impulses on solids, as far as there are any.
    pub fn add_reaction(&self, p: DVec3, impulse: &mut [Twist]) {
        for near in &self.solids {
            if let Some(sum) = impulse.get_mut(near.solid) {
                sum.add(-near.share, &Twist::of_impulse(p, near.arm));
            }
        }
    }

    /// (WF3): the next p, and by how much a whole step would change the present one.
    pub fn update(&self, p: DVec3, u: DVec3, bodies: &[Body]) -> (DVec3, f64) {
        let moving = |near: &NearbySolid| near.share * bodies[near.solid].motion.at(near.arm);
        let relative = u - self.given - self.dynamic_solids().map(moving).sum::<DVec3>();
        let slip = relative - relative.dot(self.normal) * self.normal; // (WF2)
        let target = project(-self.step * slip, self.limit);
        (project(p + OMEGA * target, self.limit), (p - project(p + target, self.limit)).length())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A particle of twice the unit mass on a floor that moves by 0.1 along x.
    fn on_floor(limit: f64) -> WallContact {
        WallContact {
            particle: 0,
            normal: DVec3::Y,
            mu: 0.5,
            strength: 0.5,
            inverse_mass: 0.5,
            step: 2.0,
            given: DVec3::new(0.1, 0.0, 0.0),
            solids: vec![NearbySolid { solid: 0, share: 1.0, is_dynamic: false, arm: DVec3::ZERO }],
            limit,
        }
    }

    #[test]
    fn friction_on_a_wall_that_stands_stops_a_particle_or_lies_on_the_rim_of_the_cone() {
        let u = DVec3::new(0.3, -0.7, 0.4);
        let sticks = on_floor(10.0);
        let p = sticks.direct_friction(u).unwrap();
        let after = u + sticks.inverse_mass * p;
        assert!((after - DVec3::new(0.1, -0.7, 0.0)).length() < 1e-15, "{after}");
        let slides = on_floor(0.2).direct_friction(u).unwrap();
        assert!((slides.length() - 0.2).abs() < 1e-15 && slides.dot(p) > 0.0);
        // Nothing is left to do for the sweeps of (WF3).
        let (next, rest) = sticks.update(p, after, &[]);
        assert!((next - p).length() < 1e-15 && rest < 1e-15);
    }
}
