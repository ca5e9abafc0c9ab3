//! Everything of a World that changes while it runs, as named arrays and numbers.
//!
//! A snapshot is a `State` in a file. The rest of a World (names, settings, meshes, motions) comes
//! from the scene: `import_state` is applied to a World that was freshly built from the same scene.
//! Both functions name every field of every struct they look at, so that a new field does not
//! compile until somebody has decided whether it belongs into a snapshot.

use std::collections::BTreeMap;
use std::ops::Range;

mod elastic;

use crate::body::RigidBody;
use crate::math::{DQuat, DVec3, Pose};
use crate::particles::store::Particles;
use crate::rigid::memory::Stick;
use crate::world::{Clock, Emitter, Load, Sink, Solid, World};

/// Named arrays and numbers. All `f64` are kept bit by bit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// One entry per array.
    pub arrays: BTreeMap<String, Array>,
    /// Integers, and the bits of `f64`s.
    pub numbers: BTreeMap<String, u64>,
}

/// A named array of a state.
#[derive(Clone, Debug, PartialEq)]
pub enum Array {
    /// Vectors.
    Vectors(Vec<DVec3>),
    /// Double precision.
    F64(Vec<f64>),
    /// Single precision.
    F32(Vec<f32>),
    /// Identities and indices.
    U32(Vec<u32>),
}

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
            showers: _, // remember nothing
            sinks,
            pressure: _,
            coupling: _,
            friction_pairs: _,
            elastic,
            sticks,
            tension: _,
            time_step: _,
            clock,
            workspace: _,
            stop: _,
        } = self;
        let mut state = State::default();

        let Particles {
            position,
            velocity,
            id,
            weight,
            density,
            pressure,
            divergence_pressure,
            grip,
        } = particles.clone();
        state.put("particles.position", Array::Vectors(position));
        state.put("particles.velocity", Array::Vectors(velocity));
        state.put("particles.id", Array::U32(id));
        state.put("particles.weight", Array::F32(weight));
        state.put("particles.density", Array::F32(density));
        state.put("particles.pressure", Array::F32(pressure));
        state.put("particles.divergence_pressure", Array::F32(divergence_pressure));
        if !grip.is_empty() {
            state.put("particles.grip", Array::Vectors(grip));
        }

        state.put_number("lost", *lost);
        state.put_number("fluids", fluids.len() as u64);
        for (k, fluid) in fluids.iter().enumerate() {
            state.put_range(&format!("fluids.{k}"), &fluid.range);
        }
        state.put_number("solids", solids.len() as u64);
        for (k, solid) in solids.iter().enumerate() {
            state.put_solid(&format!("solids.{k}"), solid);
        }
        state.put_number("emitters", emitters.len() as u64);
        for (k, emitter) in emitters.iter().enumerate() {
            state.put_emitter(&format!("emitters.{k}"), emitter);
        }
        state.put_number("sinks", sinks.len() as u64);
        for (k, sink) in sinks.iter().enumerate() {
            state.put_sink(&format!("sinks.{k}"), sink);
        }

        state.put("sticks.particle", Array::U32(sticks.iter().map(|s| s.particle).collect()));
        state.put("sticks.other", Array::U32(sticks.iter().map(|s| s.other).collect()));
        state.put("sticks.slip", Array::Vectors(sticks.iter().map(|s| s.slip).collect()));
        state.put("sticks.load", Array::Vectors(sticks.iter().map(|s| s.load).collect()));

        if elastic.any() {
            state.put_elastic(elastic);
        }

        let Clock { time, step, dt, next_id } = *clock;
        state.put_f64("clock.time", time);
        state.put_number("clock.step", step);
        state.put_f64("clock.dt", dt);
        state.put_number("clock.next_id", u64::from(next_id));
        state
    }

    /// Makes this world, freshly built from the same scene, continue from `state`. A state that does
    /// not fit is refused and leaves the world as it was.
    pub fn import_state(&mut self, state: &State) -> Result<(), String> {
        let clock = Clock {
            time: state.finite("clock.time")?,
            step: state.number("clock.step")?,
            dt: state.finite("clock.dt")?,
            next_id: u32::try_from(state.number("clock.next_id")?)
                .map_err(|_| "clock.next_id is out of range".to_owned())?,
        };
        let lost = state.number("lost")?;
        let particles = state.particles()?;
        state.expect_count("fluids", self.fluids.len())?;
        state.expect_count("solids", self.solids.len())?;
        state.expect_count("emitters", self.emitters.len())?;
        state.expect_count("sinks", self.sinks.len())?;

        // Objects tile the particle arrays in order; anything else would make slices panic later.
        let mut next = 0;
        let mut tile = |key: String| -> Result<Range<usize>, String> {
            let range = state.range(&key)?;
            if range.start != next || range.end > particles.len() {
                return Err(format!("{key} has particles {range:?}, expected to start at {next}"));
            }
            next = range.end;
            Ok(range)
        };

        let mut fluids = self.fluids.clone();
        for (k, fluid) in fluids.iter_mut().enumerate() {
            fluid.range = tile(format!("fluids.{k}"))?;
        }
        let mut solids = Vec::with_capacity(self.solids.len());
        for k in 0..self.solids.len() {
            let key = format!("solids.{k}");
            let range = tile(key.clone())?;
            let displacing = state.displacing(&key, range.len())?;
            let momentum = state.momentum(&key, &self.solids[k])?;
            solids.push((state.solid(&key, range)?, displacing, momentum));
        }
        if next != particles.len() {
            return Err(format!("{} particles belong to no object", particles.len() - next));
        }
        let mut emitters = self.emitters.clone();
        for (k, emitter) in emitters.iter_mut().enumerate() {
            emitter.travelled = state.finite(&format!("emitters.{k}.travelled"))?;
            emitter.emitted = state.number(&format!("emitters.{k}.emitted"))?;
        }
        let mut sinks = self.sinks.clone();
        for (k, sink) in sinks.iter_mut().enumerate() {
            sink.removed = state.number(&format!("sinks.{k}.removed"))?;
        }

        let sticks = state.sticks()?;
        let elastic = state.elastic(&self.elastic)?;

        for (solid, (placed, displacing, body)) in self.solids.iter_mut().zip(solids) {
            (solid.range, solid.local, solid.pose, solid.load) = placed;
            solid.displacing = displacing;
            solid.body = body;
        }
        (self.particles, self.fluids, self.clock) = (particles, fluids, clock);
        (self.emitters, self.sinks, self.sticks) = (emitters, sinks, sticks);
        self.lost = lost;
        elastic.restore(&mut self.elastic);
        Ok(())
    }
}

/// Writing.
impl State {
    fn put(&mut self, key: &str, array: Array) {
        self.arrays.insert(key.to_owned(), array);
    }

    fn put_number(&mut self, key: &str, value: u64) {
        self.numbers.insert(key.to_owned(), value);
    }

    fn put_f64(&mut self, key: &str, value: f64) {
        self.put_number(key, value.to_bits());
    }

    fn put_range(&mut self, key: &str, range: &Range<usize>) {
        self.put_number(&format!("{key}.start"), range.start as u64);
        self.put_number(&format!("{key}.end"), range.end as u64);
    }

    fn put_solid(&mut self, key: &str, solid: &Solid) {
        let Solid {
            name: _,
            range,
            local,
            pose: Pose { translation, rotation },
            placement: _,
            motion: _,
            body,
            friction: _,
            inset: _,
            skin: _,
            displacing,
            load:
                Load {
                    pressure,
                    viscous,
                    pressure_moment,
                    viscous_moment,
                    contact,
                    friction,
                    contact_moment,
                    friction_moment,
                    duration,
                },
            surface: _,
        } = solid;
        self.put_range(key, range);
        self.put(&format!("{key}.local"), Array::Vectors(local.clone()));
        self.put(&format!("{key}.displacing"), Array::F32(displacing.clone()));
        let pose = [translation.to_array().as_slice(), &rotation.to_array()].concat();
        self.put(&format!("{key}.pose"), Array::F64(pose));
        let impulses = [
            [pressure, viscous, pressure_moment, viscous_moment],
            [contact, friction, contact_moment, friction_moment],
        ];
        let impulses = impulses.into_iter().flatten().copied().collect();
        self.put(&format!("{key}.load"), Array::Vectors(impulses));
        self.put_f64(&format!("{key}.load.duration"), *duration);
        if let Some(body) = body {
            let RigidBody {
                mass: _,
                inertia: _,
                velocity,
                angular_momentum,
                locks: _,
                force: _,
                torque: _,
                motor: _,
                left,
            } = body;
            let momentum = vec![*velocity, *angular_momentum];
            self.put(&format!("{key}.momentum"), Array::Vectors(momentum));
            self.put_number(&format!("{key}.left"), u64::from(*left));
        }
    }

    fn put_emitter(&mut self, key: &str, emitter: &Emitter) {
        let Emitter {
            name: _,
            fluid: _,
            layer: _,
            pose: _,
            speed: _,
            start: _,
            end: _,
            travelled,
            emitted,
            limit: _,
        } = emitter;
        self.put_f64(&format!("{key}.travelled"), *travelled);
        self.put_number(&format!("{key}.emitted"), *emitted);
    }

    fn put_sink(&mut self, key: &str, sink: &Sink) {
        let Sink { name: _, pose: _, half_size: _, outside: _, start: _, end: _, removed } = sink;
        self.put_number(&format!("{key}.removed"), *removed);
    }
}

/// Reading. Nothing is trusted: a snapshot may come from another scene or be made by hand.
impl State {
    fn number(&self, key: &str) -> Result<u64, String> {
        self.numbers.get(key).copied().ok_or_else(|| format!("{key} is missing"))
    }

    fn finite(&self, key: &str) -> Result<f64, String> {
        let value = f64::from_bits(self.number(key)?);
        if value.is_finite() { Ok(value) } else { Err(format!("{key} is {value}")) }
    }

    fn expect_count(&self, key: &str, expected: usize) -> Result<(), String> {
        let stored = self.number(key)?;
        if stored == expected as u64 {
            return Ok(());
        }
        Err(format!("it has {stored} {key}, the scene has {expected}"))
    }

    fn range(&self, key: &str) -> Result<Range<usize>, String> {
        let index = |key: String| -> Result<usize, String> {
            usize::try_from(self.number(&key)?).map_err(|_| format!("{key} is too large"))
        };
        let range = index(format!("{key}.start"))?..index(format!("{key}.end"))?;
        if range.start > range.end {
            return Err(format!("{key} ends before it starts"));
        }
        Ok(range)
    }

    fn vectors(&self, key: &str) -> Result<&Vec<DVec3>, String> {
        match self.arrays.get(key) {
            Some(Array::Vectors(values)) if values.iter().all(|v| v.is_finite()) => Ok(values),
            Some(Array::Vectors(_)) => Err(format!("{key} holds values that are not finite")),
            Some(_) => Err(format!("{key} does not hold vectors")),
            None => Err(format!("{key} is missing")),
        }
    }

    fn singles(&self, key: &str) -> Result<&Vec<f32>, String> {
        match self.arrays.get(key) {
            Some(Array::F32(values)) if values.iter().all(|v| v.is_finite()) => Ok(values),
            Some(Array::F32(_)) => Err(format!("{key} holds values that are not finite")),
            Some(_) => Err(format!("{key} does not hold single-precision numbers")),
            None => Err(format!("{key} is missing")),
        }
    }

    fn integers(&self, key: &str) -> Result<&Vec<u32>, String> {
        match self.arrays.get(key) {
            Some(Array::U32(values)) => Ok(values),
            _ => Err(format!("{key} is missing")),
        }
    }

    fn sticks(&self) -> Result<Vec<Stick>, String> {
        let particle = self.integers("sticks.particle")?;
        let other = self.integers("sticks.other")?;
        let slip = self.vectors("sticks.slip")?;
        let load = self.vectors("sticks.load")?;
        if [other.len(), slip.len(), load.len()] != [particle.len(); 3] {
            return Err("its arrays of sticks differ in length".to_owned());
        }
        let all = particle.iter().zip(other).zip(slip.iter().zip(load));
        let stick = |((&particle, &other), (&slip, &load))| Stick { particle, other, slip, load };
        let sticks: Vec<Stick> = all.map(stick).collect();
        if sticks.is_sorted_by_key(|stick| (stick.particle, stick.other)) {
            Ok(sticks)
        } else {
            Err("sticks are not sorted".to_owned())
        }
    }

    fn particles(&self) -> Result<Particles, String> {
        let id = match self.arrays.get("particles.id") {
            Some(Array::U32(id)) => id.clone(),
            _ => return Err("particles.id is missing".to_owned()),
        };
        let particles = Particles {
            position: self.vectors("particles.position")?.clone(),
            velocity: self.vectors("particles.velocity")?.clone(),
            id,
            weight: self.singles("particles.weight")?.clone(),
            density: self.singles("particles.density")?.clone(),
            pressure: self.singles("particles.pressure")?.clone(),
            divergence_pressure: self.singles("particles.divergence_pressure")?.clone(),
            grip: match self.arrays.contains_key("particles.grip") {
                true => self.vectors("particles.grip")?.clone(),
                false => Vec::new(),
            },
        };
        let n = particles.position.len();
        let same_length = particles.velocity.len() == n
            && particles.id.len() == n
            && particles.weight.len() == n
            && particles.density.len() == n
            && particles.pressure.len() == n
            && particles.divergence_pressure.len() == n
            && [0, n].contains(&particles.grip.len());
        if same_length {
            Ok(particles)
        } else {
            Err("its particle arrays differ in length".to_owned())
        }
    }

    fn displacing(&self, key: &str, particles: usize) -> Result<Vec<f32>, String> {
        let displacing = self.singles(&format!("{key}.displacing"))?.clone();
        if displacing.is_empty() || displacing.len() == particles {
            return Ok(displacing);
        }
        Err(format!("{key} has {particles} particles but displaces with {}", displacing.len()))
    }

    fn solid(
        &self,
        key: &str,
        range: Range<usize>,
    ) -> Result<(Range<usize>, Vec<DVec3>, Pose, Load), String> {
        let local = self.vectors(&format!("{key}.local"))?.clone();
        if local.len() != range.len() {
            return Err(format!("{key} has {} particles but {} places", range.len(), local.len()));
        }
        let pose = match self.arrays.get(&format!("{key}.pose")) {
            Some(Array::F64(p)) if p.len() == 7 && p.iter().all(|x| x.is_finite()) => Pose {
                translation: DVec3::from_slice(&p[..3]),
                rotation: DQuat::from_slice(&p[3..]),
            },
            _ => return Err(format!("{key}.pose is missing or unusable")),
        };
        let load = match self.vectors(&format!("{key}.load"))?.as_slice() {
            &[
                pressure,
                viscous,
                pressure_moment,
                viscous_moment,
                contact,
                friction,
                contact_moment,
                friction_moment,
            ] => Load {
                pressure,
                viscous,
                pressure_moment,
                viscous_moment,
                contact,
                friction,
                contact_moment,
                friction_moment,
                duration: self.finite(&format!("{key}.load.duration"))?,
            },
            _ => return Err(format!("{key}.load is unusable")),
        };
        Ok((range, local, pose, load))
    }

    /// The rigid body of `solid`, if it is one, with the momentum stored under `key`.
    fn momentum(&self, key: &str, solid: &Solid) -> Result<Option<RigidBody>, String> {
        let Some(body) = &solid.body else { return Ok(None) };
        let left = match self.number(&format!("{key}.left"))? {
            flag @ (0 | 1) => flag == 1,
            other => return Err(format!("{key}.left is {other}")),
        };
        match self.vectors(&format!("{key}.momentum"))?.as_slice() {
            &[velocity, angular_momentum] => {
                Ok(Some(RigidBody { velocity, angular_momentum, left, ..body.clone() }))
            }
            _ => Err(format!("{key}.momentum is unusable")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::small_world;
    use proptest::prelude::*;

    #[test]
    fn a_world_continues_from_its_own_state() {
        let mut world = small_world();
        let fresh = world.clone();
        world.particles.position[1].x = 0.1 + 0.2;
        world.particles.velocity[0] = DVec3::new(-0.0, 1e-310, 3.0);
        world.solids[0].load.duration = 1.0 / 3.0;
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
