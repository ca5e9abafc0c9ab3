//! What the fluid's phase of a step knows of bodies: how vertices behind wet samples yield, and
//! models of what surfaces and the particles near them do to each other.

use splashdown_solids::guests::{Guest, GuestSettings, Guests};
use splashdown_solids::proxy::{Proxy, Rubbing, Touching};

use super::elastic::ElasticStep;
use super::{Step, Workspace};
use crate::math::{DMat3, DVec3, Pose};
use crate::sph::variational::operator::Yielding;
use crate::stepper::Stepper;

/// A model, and what becomes of it.
pub(super) struct Model {
    proxy: Proxy,
    /// Whether the next phase has all of what the model stands for, so that the model is taken out
    /// again; else it has what is left of it.
    taken_out: bool,
}

/// How much of contact and friction with the fluid is in its own phase, by model, unless all of it
/// is foreseen.
pub(super) fn split_share(stepper: Stepper) -> f64 {
    if stepper == Stepper::ContactProxy3 { 1.0 / 3.0 } else { 0.5 }
}

/// Particles that touch surfaces at the beginning of a step.
pub(super) struct Touched {
    settings: GuestSettings,
    /// Particles, in their order.
    pub particles: Vec<usize>,
    all: Vec<Guest>,
}

/// All of it, in the units of the fluid.
pub(super) struct Foresight<'a> {
    elastic: &'a ElasticStep<'a>,
    models: &'a [Model],
    touched: &'a [usize],
    /// Moves of vertices without fluid, m.
    base: Vec<DVec3>,
    /// One unit of force, N.
    newton: f64,
    /// h
    spacing: f64,
}

impl Step<'_> {
    /// Particles that touch surfaces now, if the stepper has models of that.
    pub(super) fn touched(&self, work: &Workspace, dt: f64) -> Option<Touched> {
        let settings = self.elastic.guests?;
        let splits = matches!(self.stepper.stepper, Stepper::ContactProxy | Stepper::ContactProxy3);
        if !splits {
            return None;
        }
        let now = &self.elastic.solids.position;
        let particles = self.particles_near(work, now, settings.farthest(), 0.0);
        let all = particles.iter().map(|&i| self.guest(i, 0.0, dt)).collect();
        Some(Touched { settings, particles, all })
    }

    /// Moves of all vertices without fluid, m.
    pub(super) fn base_moves(
        &self,
        elastic: &ElasticStep<'_>,
        poses: &[Pose],
        dt: f64,
    ) -> Vec<DVec3> {
        let now = &self.elastic.solids.position;
        let ends = self.expected_ends(poses, elastic.expected(now).as_deref(), dt);
        ends.iter().zip(now).map(|(end, x)| *end - *x).collect()
    }

    /// The models of a pass, in which particles are expected to slip as by `moves` of vertices and
    /// of those that touch something (m).
    pub(super) fn models(
        &self,
        touched: &Touched,
        (press, moves): (&[f64], &[DVec3]),
        dt: f64,
    ) -> Vec<Model> {
        let settings = self.stepper;
        let (solids, foreseen) = (&self.elastic.solids, self.predicts());
        let guests = Guests { all: &touched.all, settings: touched.settings, start: None };
        let mut touching = Touching::new(solids, guests);
        let share = |whole: bool| if whole { 1.0 } else { split_share(settings.stepper) };
        let barrier = touching.barrier(share(foreseen.contact), settings.projects);
        let rubbing = if foreseen.friction { Rubbing::Secant(moves) } else { Rubbing::Tangent };
        let friction = (share(foreseen.friction), rubbing, dt);
        let friction = touching.friction(press, &self.elastic.settings, friction);
        vec![
            Model { proxy: barrier, taken_out: foreseen.contact },
            Model { proxy: friction, taken_out: foreseen.friction },
        ]
    }

    /// Moves of vertices and of the particles that touch something by which friction begins: those
    /// of the last step, m.
    pub(super) fn last_moves(&self, touched: &Touched, dt: f64) -> Vec<DVec3> {
        let of_vertices = self.elastic.solids.velocity.iter().copied();
        let of_particles = touched.particles.iter().map(|&i| self.particles.velocity[i]);
        of_vertices.chain(of_particles).map(|v| dt * v).collect()
    }
}

/// Whether friction is held back by a model that depends on the slip.
pub(super) fn rubs(models: &[Model]) -> bool {
    models.iter().any(|model| model.taken_out && !model.proxy.is_empty())
        && models.last().is_some_and(|friction| !friction.proxy.is_empty())
}

impl<'a> Foresight<'a> {
    /// Of a step in which vertices move by `base` (m) where nothing is wet.
    pub(super) fn new(
        elastic: &'a ElasticStep<'a>,
        (models, touched): (&'a [Model], &'a [usize]),
        base: Vec<DVec3>,
        [newton, spacing]: [f64; 2],
    ) -> Foresight<'a> {
        Foresight { elastic, models, touched, base, newton, spacing }
    }

    /// Moves of vertices and touched particles, m; without `base` of directions.
    fn moves(&self, u: &[DVec3], y: &[DVec3], base: Option<&[DVec3]>) -> Vec<DVec3> {
        let mut moves = self.elastic.moves_of_vertices(y, self.base.len());
        moves.iter_mut().for_each(|m| *m *= self.spacing);
        if let Some(base) = base {
            moves.iter_mut().zip(base).for_each(|(m, base)| *m += *base);
        }
        moves.extend(self.touched.iter().map(|&i| self.spacing * u[i]));
        moves
    }

    /// Derivatives of the models by all points at (u, y), N: of those that are taken out again, and
    /// of the others.
    pub(super) fn slopes(&self, u: &[DVec3], y: &[DVec3]) -> [Vec<DVec3>; 2] {
        let moves = self.moves(u, y, Some(&self.base));
        [true, false].map(|taken_out| {
            let mut sum = vec![DVec3::ZERO; moves.len()];
            let models = self.models.iter().filter(|model| model.taken_out == taken_out);
            models.for_each(|model| model.proxy.add_slope(&moves, &mut sum));
            sum
        })
    }

    /// Where vertices and touched particles move at (u, y), m.
    pub(super) fn ends(&self, u: &[DVec3], y: &[DVec3]) -> Vec<DVec3> {
        self.moves(u, y, Some(&self.base))
    }

    /// Adds forces on all points (N) as derivatives by the unknowns.
    fn add(&self, by_point: &[DVec3], [of_fluid, of_carriers]: [&mut [DVec3]; 2]) {
        let (by_vertex, of_touched) = by_point.split_at(self.base.len());
        for (&i, f) in self.touched.iter().zip(of_touched) {
            of_fluid[i] += *f / self.newton;
        }
        let by_unknown = self.elastic.by_unknown(by_vertex);
        of_carriers.iter_mut().zip(by_unknown).for_each(|(sum, f)| *sum += f / self.newton);
    }
}

impl Yielding for Foresight<'_> {
    fn count(&self) -> usize {
        self.elastic.wet().map_or(0, Yielding::count)
    }

    fn moves(&self, y: &[DVec3]) -> Vec<DVec3> {
        self.elastic.wet().map_or_else(Vec::new, |wet| wet.moves(y))
    }

    fn pulled(&self, forces: &[DVec3]) -> Vec<DVec3> {
        self.elastic.wet().map_or_else(Vec::new, |wet| wet.pulled(forces))
    }

    fn resistance(&self, y: &[DVec3], f: &mut [DVec3]) {
        if let Some(wet) = self.elastic.wet() {
            wet.resistance(y, f);
        }
    }

    fn response(&self, f: &[DVec3]) -> Vec<DVec3> {
        self.elastic.wet().map_or_else(Vec::new, |wet| wet.response(f))
    }

    fn add_shared_slope(&self, u: &[DVec3], y: &[DVec3], slope: [&mut [DVec3]; 2]) {
        let [mut sum, others] = self.slopes(u, y);
        sum.iter_mut().zip(others).for_each(|(sum, f)| *sum += f);
        self.add(&sum, slope);
    }

    fn add_shared_product(&self, u: &[DVec3], y: &[DVec3], product: [&mut [DVec3]; 2]) {
        let moves = Foresight::moves(self, u, y, None);
        let mut sum = vec![DVec3::ZERO; moves.len()];
        self.models.iter().for_each(|model| model.proxy.add_product(&moves, &mut sum));
        self.add(&sum, product);
    }

    fn shared_blocks(&self) -> Vec<(usize, DMat3)> {
        let unit = self.spacing / self.newton;
        let blocks = self.models.iter().flat_map(|model| model.proxy.own_blocks());
        blocks.map(|(k, block)| (self.touched[k], unit * block)).collect()
    }
}
