//! Emitters: layers of particles that leave an opening.

use crate::math::{DVec3, Pose};
use crate::motion::Scalar;
use crate::state::{Persist, State};

/// A source of fluid: layers of particles leave an opening.
#[derive(Clone, Debug)]
pub struct Emitter {
    /// As in the scene.
    pub name: String,
    /// Index into `World::fluids`.
    pub fluid: usize,
    /// Lattice of one layer, in the emitter's frame (x is the direction of flow).
    pub layer: Vec<DVec3>,
    /// Placement.
    pub pose: Pose,
    /// Speed along the emitter's x axis, m/s, as a function of time.
    pub speed: Scalar,
    /// Active from here …
    pub start: f64,
    /// … to here, s.
    pub end: f64,
    /// State: distance the last layer has travelled from the opening, m. A scene starts with the
    /// spacing, so that the first layer leaves at once.
    pub travelled: f64,
    /// State: particles made so far.
    pub emitted: u64,
    /// No more than this many particles.
    pub limit: u64,
}

impl Emitter {
    /// How far the fluid in the mouth moves between `time` and `time + dt`, m.
    pub(crate) fn advance(&self, time: f64, dt: f64) -> f64 {
        let (from, to) = (time.max(self.start), (time + dt).min(self.end));
        if from >= to || self.emitted >= self.limit {
            return 0.0;
        }
        self.speed.at(0.5 * (from + to)).max(0.0) * (to - from)
    }

    /// Whether the emitter works at some time between `time` and `time + dt`.
    pub(crate) fn is_open(&self, time: f64, dt: f64) -> bool {
        self.start < time + dt && time < self.end && self.emitted < self.limit
    }

    /// Place of a point of the emitter's frame on the moving lattice of layers: whole numbers for
    /// particles that the emitter made and has driven since.
    pub(crate) fn on_lattice(&self, p: DVec3, spacing: f64) -> DVec3 {
        let origin = self.layer.first().copied().unwrap_or_default();
        (p - origin - DVec3::X * self.travelled) / spacing
    }
}

impl Persist for Emitter {
    fn save(&self, key: &str, state: &mut State) {
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
        } = self;
        state.put_f64(&format!("{key}.travelled"), *travelled);
        state.put_number(&format!("{key}.emitted"), *emitted);
    }

    fn load(&mut self, key: &str, state: &State) -> Result<(), String> {
        self.travelled = state.finite(&format!("{key}.travelled"))?;
        self.emitted = state.number(&format!("{key}.emitted"))?;
        Ok(())
    }
}
