//! Elastic bodies in a step: a linear model tells the pressure solves how they will yield, and what
//! fluid does to them pushes their own step in the end.

use splashdown_solids::parts::Parts;
use splashdown_solids::prediction::Prediction;
use splashdown_solids::step;

use super::resampling::resample;
use super::{Step, Workspace};
use crate::deforming::Samples;
use crate::elastic::{Elastic, ElasticMotion, Surroundings};
use crate::error::StepError;
use crate::math::{DVec3, Pose};
use crate::sph::variational::operator::Yielding;
use crate::world::World;

/// Elastic bodies during a step in which fluid touches them, or nothing.
#[derive(Default)]
pub(super) struct ElasticStep<'a> {
    wet: Option<Wet<'a>>,
}

struct Wet<'a> {
    samples: Samples<'a>,
    /// How vertices move, and how they yield.
    prediction: Prediction<'a>,
    /// What fluid has pushed each vertex with so far, N.
    force: Vec<DVec3>,
    /// Newtons that an impulse of the solvers is over the step.
    newton: f64,
    /// h
    spacing: f64,
}

impl ElasticStep<'_> {
    /// Whether fluid touches any.
    pub(super) fn is_wet(&self) -> bool {
        self.wet.is_some()
    }

    /// Forces of fluid on vertices, N; nothing if it touches none.
    pub(super) fn force(&self) -> &[DVec3] {
        self.wet.as_ref().map_or(&[], |wet| &wet.force)
    }

    /// The bodies as what yields to a fluid of potentials, if it touches any.
    pub(super) fn wet(&self) -> Option<&dyn Yielding> {
        self.wet.as_ref().map(|wet| wet as &dyn Yielding)
    }

    /// Moves of `count` vertices from those of the unknowns.
    pub(super) fn moves_of_vertices(&self, y: &[DVec3], count: usize) -> Vec<DVec3> {
        match &self.wet {
            Some(wet) if !y.is_empty() => wet.prediction.by_vertex(y),
            _ => vec![DVec3::ZERO; count],
        }
    }

    /// Forces on unknowns from those on vertices.
    pub(super) fn by_unknown(&self, by_vertex: &[DVec3]) -> Vec<DVec3> {
        self.wet.as_ref().map_or_else(Vec::new, |wet| wet.prediction.by_unknown(by_vertex))
    }

    /// Takes forces (N) on samples and on vertices for the bodies' own step.
    pub(super) fn take(&mut self, on_samples: &[DVec3], on_vertices: &[DVec3]) {
        let Some(wet) = &mut self.wet else { return };
        wet.samples.scatter(on_samples, &mut wet.force);
        wet.force.iter_mut().zip(on_vertices).for_each(|(sum, f)| *sum += *f);
    }

    /// Where vertices at `position` will be, as far as that is known; nothing if fluid touches
    /// none.
    pub(super) fn expected(&self, position: &[DVec3]) -> Option<Vec<DVec3>> {
        let wet = self.wet.as_ref()?;
        let yields = wet.prediction.answer(&wet.force).ok()?;
        let moves = wet.prediction.moves.iter().zip(yields);
        Some(position.iter().zip(moves).map(|(x, (u, more))| *x + *u + more).collect())
    }

    /// How samples move, in h, under impulses on them, in the units of the solvers.
    pub(super) fn answer(&self, impulses: &[DVec3]) -> Vec<DVec3> {
        let Some(wet) = &self.wet else { return Vec::new() };
        let mut force = vec![DVec3::ZERO; wet.force.len()];
        wet.samples.scatter(impulses, &mut force);
        force.iter_mut().for_each(|f| *f *= wet.newton);
        wet.yields(&force).into_iter().map(|u| u / wet.spacing).collect()
    }

    /// Takes forces (N) on samples, or nothing: they move farther from now on, and `velocity`, of
    /// all particles, shows it.
    pub(super) fn push(&mut self, forces: &[DVec3], velocity: &mut [DVec3], dt: f64) {
        let Some(wet) = self.wet.as_mut().filter(|_| !forces.is_empty()) else { return };
        let mut force = vec![DVec3::ZERO; wet.force.len()];
        wet.samples.scatter(forces, &mut force);
        let moves = wet.yields(&force);
        let velocity = &mut velocity[wet.samples.range.clone()];
        velocity.iter_mut().zip(moves).for_each(|(v, u)| *v += u / dt);
        wet.force.iter_mut().zip(force).for_each(|(sum, f)| *sum += f);
    }

    /// As `push`, with impulses in the units of the solvers.
    pub(super) fn push_by(&mut self, impulses: &[DVec3], velocity: &mut [DVec3], dt: f64) {
        let Some(wet) = &self.wet else { return };
        let newton = wet.newton;
        let forces: Vec<DVec3> = impulses.iter().map(|f| newton * *f).collect();
        self.push(&forces, velocity, dt);
    }

    /// Velocities of samples that lead to where they will be, as far as that is known, into
    /// `velocity`, of all particles.
    pub(super) fn write_velocities(&self, velocity: &mut [DVec3], dt: f64) {
        let Some(wet) = &self.wet else { return };
        let moves = wet.samples.gather(&wet.prediction.moves);
        let yields = wet.yields(&wet.force);
        let all = velocity[wet.samples.range.clone()].iter_mut().zip(moves).zip(yields);
        all.for_each(|((v, u), more)| *v = (u + more) / dt);
    }
}

impl Yielding for Wet<'_> {
    fn count(&self) -> usize {
        self.prediction.unknown_count()
    }

    fn moves(&self, y: &[DVec3]) -> Vec<DVec3> {
        self.samples.gather(&self.prediction.by_vertex(y))
    }

    fn pulled(&self, forces: &[DVec3]) -> Vec<DVec3> {
        let mut by_vertex = vec![DVec3::ZERO; self.force.len()];
        self.samples.scatter(forces, &mut by_vertex);
        self.prediction.by_unknown(&by_vertex)
    }

    fn resistance(&self, y: &[DVec3], f: &mut [DVec3]) {
        self.prediction.resistance(y, f);
        f.iter_mut().for_each(|f| *f *= self.spacing / self.newton);
    }

    fn response(&self, f: &[DVec3]) -> Vec<DVec3> {
        // Where the model cannot tell, the step of the bodies will say why.
        let moves = self.prediction.response(f).unwrap_or_else(|_| vec![DVec3::ZERO; f.len()]);
        moves.into_iter().map(|u| self.newton / self.spacing * u).collect()
    }
}

impl Wet<'_> {
    /// How far samples give way to forces on vertices, m. Where the model cannot tell, not at all:
    /// the step of the bodies will say why.
    fn yields(&self, force: &[DVec3]) -> Vec<DVec3> {
        match self.prediction.answer(force) {
            Ok(moves) => self.samples.gather(&moves),
            Err(_) => vec![DVec3::ZERO; self.samples.range.len()],
        }
    }
}

impl<'w> Step<'w> {
    /// The samples of all elastic bodies.
    pub(super) fn samples(&self) -> Samples<'w> {
        self.world.samples()
    }

    /// Where fluid touches elastic bodies.
    pub(super) fn find_samples(&self, work: &mut Workspace) {
        let Samples { range, .. } = self.samples();
        if !range.is_empty() {
            work.sample_rows.find(&work.neighbors, range.start, range.len());
        }
    }

    /// The linear model of those `parts` of the elastic bodies' step, if fluid touches them or
    /// their samples.
    pub(super) fn predict_elastic<'a>(
        &self,
        work: &Workspace,
        memory: &'a mut step::Workspace,
        (parts, touches): (Parts<'_>, bool),
        (poses, dt): (&[Pose], f64),
    ) -> Result<ElasticStep<'a>, StepError>
    where
        'w: 'a,
    {
        let samples = self.samples();
        let is_wet = !samples.range.is_empty() && work.sample_rows.is_wet();
        if !(is_wet || (touches && self.elastic.any())) {
            return Ok(ElasticStep::default());
        }
        memory.stop = self.stop;
        let elastic: &'w Elastic = &self.world.elastic;
        let prediction = elastic
            .predict(memory, &self.surroundings(poses), (parts, dt))
            .map_err(|failure| self.elastic_error(&failure, dt))?;
        let force = vec![DVec3::ZERO; elastic.solids.position.len()];
        let (newton, spacing) = (self.units(dt).force(), self.spacing);
        Ok(ElasticStep { wet: Some(Wet { samples, prediction, force, newton, spacing }) })
    }

    pub(super) fn surroundings<'a>(&'a self, poses: &'a [Pose]) -> Surroundings<'a> {
        let (solids, gravity, time) = (&self.solids[..], self.gravity, self.clock.time);
        Surroundings { solids, poses, gravity, time }
    }

    pub(super) fn elastic_error(&self, failure: &step::Failure, dt: f64) -> StepError {
        let vertex = failure.vertex().unwrap_or_default();
        StepError::Elastic {
            body: self.elastic.name_of(vertex, &self.solids).to_owned(),
            reason: self.elastic.explain(failure, &self.solids),
            position: self.elastic.place_of(vertex),
            when: self.moment(dt),
        }
    }

    /// No sample may cross more than a spacing, or what it pushes is not there.
    pub(super) fn check_samples(&self, work: &Workspace, dt: f64) -> Result<(), StepError> {
        let range = self.samples().range;
        let longest = super::checks::MAX_MOVE * self.spacing / dt;
        let bad = |v: &DVec3| !v.is_finite() || v.length_squared() > longest * longest;
        match work.predicted[range.clone()].iter().position(bad) {
            None => Ok(()),
            Some(k) => {
                let i = range.start + k;
                Err(self.velocity_error(i, work.predicted[i].is_finite(), dt))
            }
        }
    }
}

/// Makes the result the state of the elastic bodies and of their samples.
pub(super) fn accept_elastic(world: &mut World, moved: ElasticMotion) {
    world.elastic.accept(moved);
    resample(world);
    world.carry_samples();
}
