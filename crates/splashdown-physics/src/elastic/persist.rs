//! The state of elastic bodies as named arrays.

use splashdown_solids::solids::{Past, Solids, Transit};

use super::Elastic;
use crate::math::DVec3;
use crate::state::{Array, Persist, State};

impl Persist for Elastic {
    fn save(&self, key: &str, state: &mut State) {
        if !self.is_stepped() {
            return;
        }
        let Elastic {
            solids:
                Solids {
                    bodies: _,
                    rest: _,
                    mass: _,
                    hold: _,
                    locked: _,
                    friction: _,
                    drag: _,
                    stiffness_estimate: _,
                    offset: _,
                    affine_frame: _,
                    damping: _,
                    elements: _,
                    surface: _,
                    position,
                    velocity,
                    past: Past { position: past_position, velocity: past_velocity, dt, transit },
                    stiffness,
                    close,
                },
            settings: _,
            guests: _,
            names: _,
            handles: _,
            obstacles: _,
        } = self;
        state.put(&format!("{key}.position"), Array::Vectors(position.clone()));
        state.put(&format!("{key}.velocity"), Array::Vectors(velocity.clone()));
        state.put(&format!("{key}.past.position"), Array::Vectors(past_position.clone()));
        state.put(&format!("{key}.past.velocity"), Array::Vectors(past_velocity.clone()));
        state.put_f64(&format!("{key}.past.dt"), *dt);
        let Transit { force, lag } = transit;
        if !force.is_empty() {
            state.put(&format!("{key}.transit.force"), Array::Vectors(force.clone()));
            state.put_f64(&format!("{key}.transit.lag"), *lag);
        }
        state.put_f64(&format!("{key}.stiffness"), *stiffness);
        if !close.is_empty() {
            let reaches = close.iter().map(|close| close.reach).collect();
            state.put(&format!("{key}.reaches"), Array::F64(reaches));
        }
    }

    fn load(&mut self, key: &str, state: &State) -> Result<(), String> {
        if !self.is_stepped() {
            return Ok(());
        }
        let vectors = |name: &str, expected: &[usize]| -> Result<Vec<DVec3>, String> {
            let found = state.vectors(&format!("{key}.{name}"))?;
            if expected.contains(&found.len()) {
                return Ok(found.clone());
            }
            let (entries, wanted) = (found.len(), expected[0]);
            Err(format!("{key}.{name} has {entries} entries, the scene has {wanted}"))
        };
        let finite = |name: &str| state.finite(&format!("{key}.{name}"));
        let n = self.solids.rest.len();
        let [position, velocity] = [vectors("position", &[n])?, vectors("velocity", &[n])?];
        let past = Past {
            position: vectors("past.position", &[n, 0])?,
            velocity: vectors("past.velocity", &[n, 0])?,
            dt: finite("past.dt")?,
            transit: match state.arrays.contains_key(&format!("{key}.transit.force")) {
                true => Transit {
                    force: vectors("transit.force", &[self.solids.bodies.len()])?,
                    lag: finite("transit.lag")?,
                },
                false => Transit::default(),
            },
        };
        let stiffness = finite("stiffness")?;
        let reaches = reaches(key, state, self.solids.close.len())?;

        let solids = &mut self.solids;
        (solids.position, solids.velocity) = (position, velocity);
        (solids.past, solids.stiffness) = (past, stiffness);
        for (close, reach) in solids.close.iter_mut().zip(reaches.into_iter().flatten()) {
            close.reach = reach;
        }
        Ok(())
    }
}

/// Those of bodies that began close together. Older snapshots have none, and the scene's are kept.
fn reaches(key: &str, state: &State, expected: usize) -> Result<Option<Vec<f64>>, String> {
    match state.arrays.get(&format!("{key}.reaches")) {
        None => Ok(None),
        Some(Array::F64(found))
            if found.len() == expected && found.iter().all(|r| r.is_finite() && *r > 0.0) =>
        {
            Ok(Some(found.clone()))
        }
        Some(_) => Err(format!("{key}.reaches are not {expected} lengths")),
    }
}
