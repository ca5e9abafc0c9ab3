//! Why a step could not be done.

use std::fmt;

use crate::math::DVec3;

/// Why a step could not be done. The world is as it was before.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// Somebody asked for it.
    #[error("stopped during the step from t = {time:.6} s")]
    Stopped {
        /// The beginning of the step, s.
        time: f64,
    },
    /// The world repeats after so short a way that a particle could see itself.
    #[error("a period of {length} m is shorter than three search radii, {shortest} m")]
    ShortPeriod {
        /// m
        length: f64,
        /// The shortest that there may be, m.
        shortest: f64,
    },
    /// A particle is nowhere, or too far from the others to be searched for.
    #[error("runaway position of {particle}, t = {time:.6} s")]
    Runaway {
        /// The first particle with such a velocity.
        particle: Box<ParticleAt>,
        /// s
        time: f64,
    },
    /// More particles in one place than lists of neighbours can hold.
    #[error("crowding around {particle}, t = {time:.6} s")]
    Crowded {
        /// In the middle of them.
        particle: Box<ParticleAt>,
        /// s
        time: f64,
    },
    /// A particle is, or would be, so fast that it jumps over its neighbours, or not a number.
    #[error("velocity {} of {particle}, {when}", if *is_finite { "out of control" } else { "not \
        finite" })]
    Velocity {
        /// The first particle with such a velocity.
        particle: Box<ParticleAt>,
        /// Whether it still is a number.
        is_finite: bool,
        /// Time and length of the step that failed.
        when: Moment,
    },
    /// Pressure could not undo the compression.
    #[error(
        "density error out of control{} ({phase} solve: {residual:.1e} on average), densest at \
         {particle}, {when}",
        around(body)
    )]
    Compressed {
        /// The densest fluid particle.
        particle: Box<ParticleAt>,
        /// The fastest body in the fluid, and how fast it is, m/s: mostly it is what the method
        /// cannot hold.
        body: Option<(String, f64)>,
        /// Which solve failed.
        phase: &'static str,
        /// The mean compression that it left.
        residual: f64,
        /// Time and length of the step that failed.
        when: Moment,
    },
    /// The linear system of the variational fluid was not solved.
    #[error("{iterations} iterations left {residual:.1e} of the residual of the fluid, {when}")]
    Unsolved {
        /// How long it was tried.
        iterations: u32,
        /// What is left, as a share.
        residual: f64,
        /// Time and length of the step that failed.
        when: Moment,
    },
    /// Contact forces could not keep two bodies apart.
    #[error("contact of {} with {} out of control, worst at {position:.6}, \
             {when}", bodies[0], bodies[1])]
    Contact {
        /// Names of the two solids.
        bodies: [String; 2],
        /// Where they are deepest in each other.
        position: DVec3,
        /// Time and length of the step that failed.
        when: Moment,
    },
    /// A body sinks into another, and the solve did not stop it.
    #[error(
        "{iterations} iterations did not stop {body} from sinking into {into} at {position:.6}, \
         {when}"
    )]
    Sinking {
        /// Name of the body.
        body: String,
        /// Name of the solid that it sinks into.
        into: String,
        /// How long it was tried.
        iterations: u32,
        /// The deepest place, m.
        position: DVec3,
        /// Time and length of the step that failed.
        when: Moment,
    },
    /// Elastic bodies could not be moved.
    #[error("elastic body {body}: {reason}, position {position:.6}, {when}")]
    Elastic {
        /// The one concerned.
        body: String,
        /// Why, as a phrase.
        reason: String,
        /// Its position, m.
        position: DVec3,
        /// Time and length of the step that failed.
        when: Moment,
    },
}

/// A particle in a message.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleAt {
    /// Name of the fluid or solid that it belongs to.
    pub object: String,
    /// Its number, as in tables and frames (`Particles::id`).
    pub id: u32,
    /// Its position, m.
    pub position: DVec3,
}

/// When a step failed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// The beginning of the step, s.
    pub time: f64,
    /// The shortest length that was tried, s.
    pub dt: f64,
}

impl StepError {
    /// Name of the fluid, solid or body that is concerned, if one is.
    pub fn object(&self) -> Option<&str> {
        match self {
            StepError::Stopped { .. }
            | StepError::ShortPeriod { .. }
            | StepError::Unsolved { .. } => None,
            StepError::Runaway { particle, .. }
            | StepError::Crowded { particle, .. }
            | StepError::Velocity { particle, .. }
            | StepError::Compressed { particle, .. } => Some(&particle.object),
            StepError::Contact { bodies: [body, _], .. }
            | StepError::Sinking { body, .. }
            | StepError::Elastic { body, .. } => Some(body),
        }
    }
}

impl fmt::Display for ParticleAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParticleAt { object, id, position } = self;
        write!(f, "{object} particle {id} at position {position:.6}")
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t = {:.6} s; smallest step tried: {:.3e} s", self.time, self.dt)
    }
}

fn around(body: &Option<(String, f64)>) -> String {
    let moving = |(name, speed): &(String, f64)| format!(" around body {name} ({speed:.1e} m/s)");
    body.as_ref().map(moving).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_read_well_for_particles_bodies_and_elastic_bodies() {
        let when = Moment { time: 0.25, dt: 1e-5 };
        let position = DVec3::new(1.0, 2.0, 3.0);
        let particle = Box::new(ParticleAt { object: "water".to_owned(), id: 7, position });
        let velocity = StepError::Velocity { particle: particle.clone(), is_finite: false, when };
        let body = Some(("duck".to_owned(), 12.0));
        let compressed =
            StepError::Compressed { particle, body, phase: "density", residual: 0.3, when };
        let (body, into) = ("duck".to_owned(), "floor".to_owned());
        let sinking = StepError::Sinking { body, into, iterations: 200, position, when };
        let (body, reason) = ("jelly".to_owned(), "no move lowers its energy".to_owned());
        let elastic = StepError::Elastic { body, reason, position, when };
        let place = "[1.000000, 2.000000, 3.000000]";
        let time = "t = 0.250000 s; smallest step tried: 1.000e-5 s";
        let expected = [
            (
                velocity,
                format!("velocity not finite of water particle 7 at position {place}, {time}"),
            ),
            (
                compressed,
                format!(
                    "density error out of control around body duck (1.2e1 m/s) (density solve: \
                     3.0e-1 on average), densest at water particle 7 at position {place}, {time}"
                ),
            ),
            (
                sinking,
                format!(
                    "200 iterations did not stop duck from sinking into floor at {place}, {time}"
                ),
            ),
            (
                elastic,
                format!("elastic body jelly: no move lowers its energy, position {place}, {time}"),
            ),
        ];
        for (error, message) in expected {
            assert_eq!(error.to_string(), message);
        }
    }
}
