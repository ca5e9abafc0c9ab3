//! The state of elastic bodies as named arrays.

use splashdown_solids::solids::{Past, Solids};

use super::{Array, State};
use crate::elastic::Elastic;
use crate::math::DVec3;

/// What a snapshot says about elastic bodies.
#[derive(Default)]
pub(super) struct StoredElastic(Option<Stored>);

struct Stored {
    position: Vec<DVec3>,
    velocity: Vec<DVec3>,
    past: Past,
    stiffness: f64,
    impulse: Vec<DVec3>,
    duration: f64,
}

impl State {
    pub(super) fn put_elastic(&mut self, elastic: &Elastic) {
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
                    firmness: _,
                    offset: _,
                    carrier: _,
                    damping: _,
                    elements: _,
                    surface: _,
                    position,
                    velocity,
                    past: Past { position: past_position, velocity: past_velocity, dt },
                    stiffness,
                },
            settings: _,
            names: _,
            handles: _,
            obstacles: _,
            impulse,
            duration,
        } = elastic;
        self.put("elastic.position", Array::Vectors(position.clone()));
        self.put("elastic.velocity", Array::Vectors(velocity.clone()));
        self.put("elastic.past.position", Array::Vectors(past_position.clone()));
        self.put("elastic.past.velocity", Array::Vectors(past_velocity.clone()));
        self.put("elastic.impulse", Array::Vectors(impulse.clone()));
        self.put_f64("elastic.past.dt", *dt);
        self.put_f64("elastic.stiffness", *stiffness);
        self.put_f64("elastic.duration", *duration);
    }

    /// What is stored for `elastic`, if it fits.
    pub(super) fn elastic(&self, elastic: &Elastic) -> Result<StoredElastic, String> {
        if !elastic.any() {
            return Ok(StoredElastic(None));
        }
        let vectors = |key: &str, expected: &[usize]| {
            let found = self.vectors(key)?;
            if expected.contains(&found.len()) {
                return Ok(found.clone());
            }
            Err(format!("{key} has {} entries, the scene has {}", found.len(), expected[0]))
        };
        let (n, bodies) = (elastic.solids.rest.len(), elastic.solids.bodies.len());
        let past = Past {
            position: vectors("elastic.past.position", &[n, 0])?,
            velocity: vectors("elastic.past.velocity", &[n, 0])?,
            dt: self.finite("elastic.past.dt")?,
        };
        Ok(StoredElastic(Some(Stored {
            position: vectors("elastic.position", &[n])?,
            velocity: vectors("elastic.velocity", &[n])?,
            past,
            stiffness: self.finite("elastic.stiffness")?,
            impulse: vectors("elastic.impulse", &[bodies, 0])?,
            duration: self.finite("elastic.duration")?,
        })))
    }
}

impl StoredElastic {
    pub(super) fn restore(self, elastic: &mut Elastic) {
        let Some(stored) = self.0 else { return };
        let solids = &mut elastic.solids;
        (solids.position, solids.velocity) = (stored.position, stored.velocity);
        (solids.past, solids.stiffness) = (stored.past, stored.stiffness);
        (elastic.impulse, elastic.duration) = (stored.impulse, stored.duration);
    }
}
