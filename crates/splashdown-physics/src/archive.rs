//! The state of a whole world.
//!
//! A world that is freshly built from the same scene continues from it: names, settings, meshes and
//! motions come from the scene.

use std::ops::Range;

use crate::particles::store::Particles;
use crate::state::{Persist, State};
use crate::world::{Carrier, World};

impl World {
    /// A copy of everything that changes while the world runs.
    pub fn export_state(&self) -> State {
        let World {
            dimension: _,
            spacing: _,
            gravity: _,
            period: _,
            bounds: _,
            lost,
            kernel: _,
            particles,
            fluids,
            solids,
            emitters,
            drop_emitters: _, // remember nothing
            sinks,
            method: _,
            friction_pairs: _,
            elastic,
            contact_history,
            tension: _,
            time_step: _,
            clock,
            scratch: _,
            stop: _,
        } = self;
        let mut state = State::default();
        particles.save("particles", &mut state);
        state.put_number("lost", *lost);
        state.put_all("fluids", fluids);
        state.put_all("solids", solids);
        state.put_all("emitters", emitters);
        state.put_all("sinks", sinks);
        contact_history.save("sticks", &mut state);
        elastic.save("elastic", &mut state);
        clock.save("clock", &mut state);
        state
    }

    /// Makes this world, freshly built from the same scene, continue from `state`. A state that
    /// does not fit is refused and leaves the world as it was.
    pub fn import_state(&mut self, state: &State) -> Result<(), String> {
        let mut clock = self.clock;
        clock.load("clock", state)?;
        let lost = state.number("lost")?;
        let mut particles = Particles::default();
        particles.load("particles", state)?;
        let (mut fluids, mut solids) = (self.fluids.clone(), self.solids.clone());
        state.load_all("fluids", &mut fluids)?;
        state.load_all("solids", &mut solids)?;
        for (k, solid) in solids.iter_mut().enumerate() {
            let count = solid.range.len();
            if let Carrier::Deforming(samples) = &mut solid.carrier {
                let complete = samples.complete(&self.elastic.solids, count);
                complete.map_err(|reason| format!("solids.{k}: {reason}"))?;
            }
        }
        let fluid_ranges = fluids.iter().map(|fluid| &fluid.range);
        check_tiles(fluid_ranges.chain(solids.iter().map(|solid| &solid.range)), particles.len())?;
        let (mut emitters, mut sinks) = (self.emitters.clone(), self.sinks.clone());
        state.load_all("emitters", &mut emitters)?;
        state.load_all("sinks", &mut sinks)?;
        let mut contact_history = Vec::new();
        contact_history.load("sticks", state)?;
        self.elastic.load("elastic", state)?; // last: it changes all or nothing

        (self.particles, self.fluids, self.solids, self.clock) = (particles, fluids, solids, clock);
        (self.emitters, self.sinks, self.contact_history) = (emitters, sinks, contact_history);
        self.lost = lost;
        Ok(())
    }
}

/// Objects tile the particle arrays in order; anything else would make slices panic later.
fn check_tiles<'a>(
    ranges: impl Iterator<Item = &'a Range<usize>>,
    particles: usize,
) -> Result<(), String> {
    let mut next = 0;
    for range in ranges {
        if range.start != next || range.end > particles {
            return Err(format!("an object has particles {range:?}, expected to start at {next}"));
        }
        next = range.end;
    }
    match particles - next {
        0 => Ok(()),
        left => Err(format!("{left} particles belong to no object")),
    }
}

#[cfg(test)]
mod tests {
    use crate::math::{DQuat, DVec3};
    use crate::state::Array;
    use crate::testing::small_world;
    use crate::world::Clock;
    use proptest::prelude::*;

    #[test]
    fn a_world_continues_from_its_own_state() {
        let mut world = small_world();
        let fresh = world.clone();
        world.particles.position[1].x = 0.1 + 0.2;
        world.particles.velocity[0] = DVec3::new(-0.0, 1e-310, 3.0);
        world.solids[1].pose.rotation = DQuat::from_rotation_z(0.3);
        world.lost = 5;
        world.clock = Clock { time: 0.7, step: 9, dt: 1e-3, next_id: 3 };
        let state = world.export_state();

        let mut resumed = fresh;
        resumed.import_state(&state).unwrap();
        assert_eq!(resumed.export_state(), state);
        assert_eq!(resumed.particles.velocity[0].x.to_bits(), (-0.0f64).to_bits());
    }

    #[test]
    fn a_state_of_another_scene_is_refused() {
        let mut world = small_world();
        let state = world.export_state();
        world.solids.pop();
        let before = world.export_state();
        let message = world.import_state(&state).unwrap_err();
        assert!(message.contains("2 solids, the scene has 1"), "{message}");
        assert_eq!(world.export_state(), before);
    }

    proptest! {
        /// Whatever one number or array is replaced by, the answer is Ok or Err, and a world that
        /// was accepted has ranges inside its arrays.
        #[test]
        fn hostile_states_never_panic(which in 0usize..1000, value in prop_oneof![
            any::<u64>(), 0u64..40, Just(u64::MAX)], cut in 0usize..30) {
            let mut world = small_world();
            let mut state = world.export_state();
            let numbers = state.numbers.len();
            if which % 2 == 0 {
                let key = state.numbers.keys().nth(which / 2 % numbers).unwrap().clone();
                state.numbers.insert(key, value);
            } else {
                let arrays = state.arrays.len();
                match state.arrays.values_mut().nth(which / 2 % arrays).unwrap() {
                    Array::Vectors(v) => v.resize(cut, DVec3::ZERO),
                    Array::F64(v) => v.resize(cut, 0.0),
                    Array::F32(v) => v.resize(cut, 0.0),
                    Array::U32(v) => v.resize(cut, 0),
                }
            }
            if world.import_state(&state).is_ok() {
                for solid in &world.solids {
                    prop_assert!(solid.range.end <= world.particles.len());
                    prop_assert_eq!(solid.range.len(), solid.local.len());
                }
                for fluid in &world.fluids {
                    prop_assert!(world.particles.position.get(fluid.range.clone()).is_some());
                }
            }
        }
    }
}
