//! The built-in scenes, by name.

/// A built-in scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// What `splashdown run` calls it.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Its TOML.
    pub text: &'static str,
}

/// The scene that runs when none is named.
pub const DEFAULT: &str = "dam-break";

macro_rules! builtin {
    ($name:literal, $summary:literal) => {
        Builtin {
            name: $name,
            summary: $summary,
            text: include_str!(concat!("../../scenes/", $name, ".toml")),
        }
    };
}

const BUILTINS: &[Builtin] = &[
    builtin!("dam-break", "A column of water collapses onto a block (default)"),
    builtin!("dam-break-2d", "The same in the plane: Martin & Moyce's experiment"),
    builtin!("dam-break-100k", "A dam break of 100 thousand particles, for timing"),
    builtin!("dam-break-1m", "A dam break of a million particles, for timing"),
    builtin!("still-water", "Water at rest in an open tank"),
    builtin!("hydrostatic-2d", "The pressure in a column of water grows with depth"),
    builtin!("sloshing-tank", "Water in a tank that is shaken at its own frequency"),
    builtin!("fountain", "A jet rises, falls back into a basin and drains away"),
    builtin!("two-fluids", "Oil that starts below water rises to the top"),
    builtin!("honey", "A thread of honey buckles and coils on a plate"),
    builtin!("stirrer", "A paddle turns in a round vessel of water"),
    builtin!("sphere-bowl", "A ball of water falls into a hollow sphere"),
    builtin!(
        "spheric2",
        "SPHERIC test 2: a dam break against a box, with level and pressure probes"
    ),
];

/// All built-in scenes.
pub fn list() -> &'static [Builtin] {
    BUILTINS
}

/// The built-in scene of this name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| builtin.name == name)
}
