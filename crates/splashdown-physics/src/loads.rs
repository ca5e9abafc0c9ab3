//! What fluids and other bodies do to solids and elastic bodies: of one step, or summed over many.
//!
//! A step's report has the loads of that step. A world keeps no sums: who wants a mean force over
//! some time adds up the reports of that time.
//!
//! ```
//! # use splashdown_geometry::math::Dimension;
//! # use splashdown_physics::{loads::Loads, world::World};
//! # let mut world = World::new(Dimension::Two, 0.1);
//! let mut loads = Loads::default();
//! while world.clock.time < 0.1 {
//!     loads.add(&world.step(0.1)?.loads);
//! }
//! let force = loads.mean(0).pressure;
//! # Ok::<(), splashdown_physics::world::StepError>(())
//! ```

use std::ops::AddAssign;

use crate::math::DVec3;
use crate::state::{Array, State};

/// Impulses on one solid and their moments about its origin, by cause. As a mean over time: forces,
/// in N, and torques, in N m.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// Impulse of pressure and surface tension, N·s.
    pub pressure: DVec3,
    /// Impulse of viscosity and of friction of fluids, N·s.
    pub viscous: DVec3,
    /// Angular impulse of pressure about the body's origin, N·m·s.
    pub pressure_moment: DVec3,
    /// Angular impulse of viscosity about the body's origin, N·m·s.
    pub viscous_moment: DVec3,
    /// Impulse of contact with other solids, N·s.
    pub contact: DVec3,
    /// Impulse of dry friction on other solids, N·s.
    pub friction: DVec3,
    /// Angular impulse of contact about the body's origin, N·m·s.
    pub contact_moment: DVec3,
    /// Angular impulse of dry friction about the body's origin, N·m·s.
    pub friction_moment: DVec3,
}

/// Loads on everything in a world, of one step or of several.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loads {
    /// In the order of `World::solids`; empty before the first step.
    pub solids: Vec<Load>,
    /// Impulse of contact and friction on each of `Elastic::solids.bodies`, N·s; empty where there
    /// are no elastic bodies.
    pub elastic: Vec<DVec3>,
    /// Impulse of the barrier against fluid, and of the fluid's friction, on each of
    /// `Elastic::solids.bodies`, N·s; empty where there is no barrier.
    pub barrier: Vec<DVec3>,
    /// How long, s.
    pub duration: f64,
}

impl Loads {
    /// Adds those of one more step.
    pub fn add(&mut self, step: &Loads) {
        let solids = self.solids.len().max(step.solids.len());
        self.solids.resize(solids, Load::default());
        self.solids.iter_mut().zip(&step.solids).for_each(|(sum, &load)| *sum += load);
        add_each(&mut self.elastic, &step.elastic);
        add_each(&mut self.barrier, &step.barrier);
        self.duration += step.duration;
    }

    /// Mean forces and torques on solid `k`; zero before the first step.
    pub fn mean(&self, k: usize) -> Load {
        let mut load = self.solids.get(k).copied().unwrap_or_default();
        load.parts_mut().into_iter().for_each(|part| *part = self.over_duration(*part));
        load
    }

    /// Mean force of contact and friction on body `k` of `Elastic::solids`, N; zero before the
    /// first step.
    pub fn mean_elastic(&self, k: usize) -> DVec3 {
        self.over_duration(self.elastic.get(k).copied().unwrap_or_default())
    }

    /// Mean force of the barrier against fluid and of its friction on body `k` of
    /// `Elastic::solids`, N; zero where there is none.
    pub fn mean_barrier(&self, k: usize) -> DVec3 {
        self.over_duration(self.barrier.get(k).copied().unwrap_or_default())
    }

    fn over_duration(&self, impulse: DVec3) -> DVec3 {
        if self.duration > 0.0 { impulse / self.duration } else { DVec3::ZERO }
    }
}

/// Adds the impulses of a step to sums that may not have begun.
fn add_each(sums: &mut Vec<DVec3>, impulses: &[DVec3]) {
    sums.resize(sums.len().max(impulses.len()), DVec3::ZERO);
    sums.iter_mut().zip(impulses).for_each(|(sum, &impulse)| *sum += impulse);
}

impl AddAssign for Load {
    fn add_assign(&mut self, mut other: Load) {
        let sums = self.parts_mut().into_iter();
        sums.zip(other.parts_mut()).for_each(|(sum, part)| *sum += *part);
    }
}

impl Load {
    /// In the order of snapshots.
    fn parts_mut(&mut self) -> [&mut DVec3; PARTS] {
        let Load {
            pressure,
            viscous,
            pressure_moment,
            viscous_moment,
            contact,
            friction,
            contact_moment,
            friction_moment,
        } = self;
        [
            pressure,
            viscous,
            pressure_moment,
            viscous_moment,
            contact,
            friction,
            contact_moment,
            friction_moment,
        ]
    }

    fn of_parts(parts: &[DVec3]) -> Load {
        let mut load = Load::default();
        load.parts_mut().into_iter().zip(parts).for_each(|(part, &stored)| *part = stored);
        load
    }
}

/// Vectors of a load.
const PARTS: usize = 8;

/// Sums in snapshots, beside the state of a world.
impl Loads {
    /// Puts them beside the state of the world that they were measured in.
    pub fn save(&self, state: &mut State) {
        let Loads { solids, elastic, barrier, duration } = self;
        let parts = solids.iter().flat_map(|&(mut load)| load.parts_mut().map(|part| *part));
        state.put("loads.solids", Array::Vectors(parts.collect()));
        state.put("loads.elastic", Array::Vectors(elastic.clone()));
        state.put("loads.barrier", Array::Vectors(barrier.clone()));
        state.put_f64("loads.duration", *duration);
    }

    /// Those that were saved beside a state.
    pub fn restored(state: &State) -> Result<Loads, String> {
        if !state.numbers.contains_key("loads.duration") {
            return Loads::of_earlier_version(state);
        }
        let parts = state.vectors("loads.solids")?;
        if parts.len() % PARTS != 0 {
            return Err("loads.solids is unusable".to_owned());
        }
        Ok(Loads {
            solids: parts.chunks(PARTS).map(Load::of_parts).collect(),
            elastic: state.vectors("loads.elastic")?.clone(),
            barrier: state.vectors("loads.barrier")?.clone(),
            duration: state.finite("loads.duration")?,
        })
    }

    /// Up to version 0.1.0 every solid had its own sums, and the elastic bodies had theirs.
    fn of_earlier_version(state: &State) -> Result<Loads, String> {
        let mut loads = Loads::default();
        for k in 0..state.number("solids")? {
            let key = format!("solids.{k}.load");
            let parts = state.vectors(&key)?;
            if parts.len() != PARTS {
                return Err(format!("{key} is unusable"));
            }
            loads.solids.push(Load::of_parts(parts));
            loads.duration = state.finite(&format!("{key}.duration"))?;
        }
        if state.numbers.contains_key("elastic.duration") {
            loads.elastic = state.vectors("elastic.impulse")?.clone();
            loads.duration = state.finite("elastic.duration")?;
        }
        Ok(loads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Different in every part.
    fn some() -> Loads {
        let load = |k: usize| {
            let part = |j: usize| DVec3::new(0.1 * k as f64, 1.0 / (j + 3) as f64, -0.0);
            Load::of_parts(&std::array::from_fn::<_, PARTS, _>(part))
        };
        Loads {
            solids: vec![load(0), load(1)],
            elastic: vec![DVec3::Y, DVec3::X],
            barrier: vec![DVec3::Z, DVec3::Y],
            duration: 0.3,
        }
    }

    #[test]
    fn sums_are_of_every_part_and_means_are_sums_over_the_duration() {
        let mut sum = Loads::default();
        assert_eq!((sum.mean(0), sum.mean_elastic(0)), (Load::default(), DVec3::ZERO));
        sum.add(&some());
        assert_eq!(sum, some());
        sum.add(&some());
        assert_eq!(sum.duration, 0.6);
        let (mut twice, mut once) = (sum.solids[1], some().solids[1]);
        for (twice, once) in twice.parts_mut().into_iter().zip(once.parts_mut()) {
            assert_eq!(*twice, 2.0 * *once);
        }
        assert_eq!(sum.mean(1).friction_moment, sum.solids[1].friction_moment / 0.6);
        assert_eq!(sum.mean_elastic(1), DVec3::X * 2.0 / 0.6);
        assert_eq!(sum.mean_barrier(0), DVec3::Z * 2.0 / 0.6);
        assert_eq!((sum.mean(2), sum.mean_elastic(2)), (Load::default(), DVec3::ZERO));
    }

    #[test]
    fn sums_come_back_bit_by_bit_and_damaged_ones_are_refused() {
        let mut state = State::default();
        some().save(&mut state);
        let found = Loads::restored(&state).unwrap();
        assert_eq!(format!("{found:?}"), format!("{:?}", some()), "-0.0 too");
        for key in ["loads.solids", "loads.elastic", "loads.barrier"] {
            let mut damaged = state.clone();
            damaged.arrays.insert(key.to_owned(), Array::Vectors(vec![DVec3::NAN; PARTS]));
            assert!(Loads::restored(&damaged).unwrap_err().contains(key));
        }
        state.arrays.insert("loads.solids".to_owned(), Array::Vectors(vec![DVec3::X; 3]));
        assert!(Loads::restored(&state).unwrap_err().contains("unusable"));
    }

    #[test]
    fn sums_of_earlier_snapshots_are_read() {
        let expected = Loads { barrier: Vec::new(), ..some() };
        let mut state = State::default();
        state.put_number("solids", 2);
        for (k, &(mut load)) in expected.solids.iter().enumerate() {
            let parts = load.parts_mut().map(|part| *part).to_vec();
            state.put(&format!("solids.{k}.load"), Array::Vectors(parts));
            state.put_f64(&format!("solids.{k}.load.duration"), 0.3);
        }
        state.put("elastic.impulse", Array::Vectors(expected.elastic.clone()));
        state.put_f64("elastic.duration", 0.3);
        assert_eq!(Loads::restored(&state).unwrap(), expected);
        state.put_number("solids", 3);
        assert!(Loads::restored(&state).unwrap_err().contains("solids.2.load is missing"));
    }
}
