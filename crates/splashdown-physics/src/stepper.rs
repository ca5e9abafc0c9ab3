//! In which phases a step moves a variational fluid and the bodies in it (Xie 2023, chapter 5).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The time steppers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stepper {
    /// One minimum of everything (4.23): what the others come near to, and slow.
    Joint,
    /// The fluid first, past bodies that do not yield; what it did to them pushes them after it
    /// (algorithm 2). For comparison: light bodies rattle.
    Splitting,
    /// The fluid first, knowing how bodies will yield; then bodies and the fluid that touches them
    /// (algorithm 1).
    #[default]
    ContactProxy,
    /// The same, with elasticity and contact of the bodies apart (5.7), as printed: elements may
    /// turn inside out, so materials have to survive that.
    #[serde(rename = "contact_proxy_3")]
    ContactProxy3,
}

/// Something that the fluid's phase of `contact_proxy` can know of the bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Known {
    /// Contact between bodies, and the barrier between bodies and fluid.
    Contact,
    /// Elasticity.
    Elasticity,
    /// Friction of the fluid on bodies.
    Friction,
}

/// What the fluid's phase of `contact_proxy` knows by a model about the beginning of the step, in
/// full; the next phase takes it out again. What it does not know is as in the paper: half of
/// contact and friction with the fluid is in each phase, and nothing of the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prediction {
    /// `Known::Contact`
    pub contact: bool,
    /// `Known::Elasticity`
    pub elasticity: bool,
    /// `Known::Friction`
    pub friction: bool,
}

impl Prediction {
    /// Of these.
    pub fn of(known: &[Known]) -> Prediction {
        let [contact, elasticity, friction] =
            [Known::Contact, Known::Elasticity, Known::Friction].map(|one| known.contains(&one));
        Prediction { contact, elasticity, friction }
    }
}

/// How a variational fluid and the bodies in it are moved.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepperSettings {
    /// In which phases.
    pub stepper: Stepper,
    /// What the first knows of the second.
    pub predict: Prediction,
    /// Solves of the first phase where friction is predicted: each has the slip of the one before.
    pub friction_passes: u32,
    /// Whether models lose the negative eigenvalues of their second derivatives. As they are they
    /// are closer to the truth, and the first phase may have no minimum.
    pub projects: bool,
}

impl Default for StepperSettings {
    fn default() -> StepperSettings {
        StepperSettings {
            stepper: Stepper::default(),
            predict: Prediction::of(&[Known::Contact, Known::Elasticity, Known::Friction]),
            friction_passes: 2,
            projects: true,
        }
    }
}
