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
    /// The files it names.
    pub files: &'static [File],
}

/// A file that a built-in scene names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct File {
    /// As the scene writes it.
    pub name: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
}

/// The scene that runs when none is named.
pub const DEFAULT: &str = "dam-break";

macro_rules! builtin {
    ($name:literal, $summary:literal $(, $file:literal)*) => {
        Builtin {
            name: $name,
            summary: $summary,
            text: include_str!(concat!("../../scenes/", $name, ".toml")),
            files: &[$(File {
                name: $file,
                bytes: include_bytes!(concat!("../../scenes/", $file)),
            }),*],
        }
    };
}

const BUILTINS: &[Builtin] = &[
    builtin!("dam-break", "A column of water collapses onto a block (default)"),
    builtin!("dam-break-2d", "The same in the plane: Martin & Moyce's experiment"),
    builtin!("dam-break-10k", "A dam break of 10 thousand particles, for timing"),
    builtin!("dam-break-100k", "A dam break of 100 thousand particles, for timing"),
    builtin!("dam-break-1m", "A dam break of a million particles, for timing"),
    builtin!("grid-dam-break", "The dam break again, its liquid on a grid"),
    builtin!("grid-dam-break-2d", "A dam break in the plane, its liquid on a grid"),
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
    builtin!("dam-break-with-bodies", "A dam break onto boxes, balls and a duck"),
    builtin!("rising-sphere", "A ball ten times lighter than water rises (2D)"),
    builtin!("toy-boat", "A boat, read from a mesh file, rides a wave", "boat.obj"),
    builtin!("splashdown", "A capsule comes back from space and falls into the sea"),
    builtin!("propeller-pump", "A motor turns a propeller that lifts water through a tube"),
    builtin!("moored-buoys", "Ring buoys on chains, in oil above water"),
    builtin!("water-gate", "A water wheel lifts a gate through gears and a chain"),
    builtin!("drain", "Lumpy creatures fall through a funnel and are rinsed"),
    builtin!("nut-and-bolt", "A bolt turns down in its nut by its own weight"),
    builtin!("sliding-duck", "Ducks of different friction on a slope"),
    builtin!("card-house", "Three storeys of cards that lean on each other"),
    builtin!("dam", "A wall of blocks fails when the water behind it rises"),
    builtin!("tower", "A tower of bricks, and a ball that hits it"),
    builtin!("bulk", "Concave creatures fall into a net of rings"),
    builtin!("droplets-on-slopes", "Drops hold on to slopes by friction that fades"),
    builtin!("water-crown", "A drop falls into shallow water, and the splash forms a crown"),
    builtin!("sessile-droplet", "A large drop rests on a plate, for timing"),
    builtin!("sessile-droplet-268k", "The same with 268 thousand particles"),
    builtin!("water-chain", "Two jets meet at an angle and make a chain of sheets"),
    builtin!("water-bell", "Two jets meet head on and the water falls as a bell"),
    builtin!("stream-on-sphere", "Water runs around a ball; drops stick when it stops"),
    builtin!("rayleigh-taylor-2d", "Three fluids, the heaviest on top, change places (2D)"),
    builtin!("capillaries", "Water rises between plates, higher where they are closer (2D)"),
    builtin!("tumbling-boards", "Drops of four kinds of tension fall through pegs (2D)"),
    builtin!("wetting", "A drop on a floor whose contact angle changes in time"),
    builtin!("window-rain", "Drops stick to a pane, merge, run down and leave trails"),
    builtin!("lily", "Rain washes dirt from a flower that water does not wet"),
    builtin!("soap-bubbles", "Bubbles rise in soap and gather under films (2D)"),
    builtin!("statue-rain", "Rain on a statue: drops stick, merge and run down"),
    builtin!("inkjet", "Drops print letters on a wall, which run when friction fades"),
    builtin!("rain-on-tumbling-duck", "Drops ride on a toy duck that turns freely"),
    builtin!("water-strider", "A waxed pin denser than water rests on its surface (2D)"),
    builtin!("letter-chain", "Letters hang below each other on links of a chain"),
    builtin!("soft-pile", "Soft bodies fall onto a step and onto each other"),
    builtin!("twist-cylinder", "A rubber rod is twisted by two turns"),
    builtin!("bob", "A soft ring falls onto water and bobs"),
    builtin!("viscous-creature", "A creature as thick as honey falls and becomes a puddle"),
    builtin!("wet-cube-on-cloth", "Water and a soft cube fall onto a cloth held at its corners"),
    builtin!("shoot-creature", "A jet of water hits a soft creature"),
    builtin!("dam-break-proxy", "A dam break of the variational fluid"),
    builtin!("liquid-into-bowl", "A rabbit of water falls into a soft bowl"),
    builtin!("liquid-and-bowl-on-torus", "A rabbit of water and a very soft bowl fall onto a ring"),
    builtin!("buoyancy-elephants", "Soft elephants of different density float and sink"),
    builtin!("varying-friction", "Rabbits of honey stick to a slope, or slide down"),
    builtin!("wring-water", "A cylinder of cloth with four holes is wrung: water comes out"),
    builtin!("cream", "A spoon stirs cream, which bends it"),
    builtin!("angry-cow", "A slingshot throws a cow through a wall into water"),
    builtin!("kicking-water", "A figure in a skirt of two layers kicks in a pool"),
    builtin!("water-balloon", "A balloon full of water falls and bounces"),
    builtin!("jellyfish", "Soft bells swim in water"),
    builtin!("flag-in-rain", "A flag in the rain"),
    builtin!("cube-on-cloth", "A soft cube falls onto a cloth that hangs by its corners"),
    builtin!("wrung-cloth", "A cloth is wrung by two turns"),
    builtin!("slingshot", "A finger draws a rubber band and lets go: a ball is shot"),
    builtin!("elephant-drop", "A soft elephant falls onto stairs"),
    builtin!("springboard", "A ball falls onto a board of quadratic elements, which throws it off"),
    builtin!("ball-pit", "Rigid cubes and a balloon fall among loose balls"),
    builtin!("soft-stack", "A soft cube on another one, for benchmarks"),
    builtin!("lumpy-pile", "Hundreds of lumpy bodies fall into a box, for benchmarks"),
    builtin!("stone-arch", "An arch of rigid stones carries a ball that falls on it"),
    builtin!("card-house-ipc", "A ball rolls into a house of seven rigid cards"),
    builtin!("squeeze-out", "A press pushes a soft ball through a narrower ring"),
    builtin!("tight-pack", "A lid presses eight soft balls into a box"),
    builtin!("chain-net", "A net of linked rings catches a ball"),
    builtin!("high-speed", "A soft ball at 100 m/s is stopped by a thin sheet"),
    builtin!("rope-and-poles", "A rope sags, a slender pole buckles, a stout one stands"),
];

/// All built-in scenes.
pub fn list() -> &'static [Builtin] {
    BUILTINS
}

/// The built-in scene of this name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| builtin.name == name)
}

/// The file that the built-in scene of this name calls `file`.
pub fn file(scene: &str, file: &str) -> Option<File> {
    find(scene)?.files.iter().find(|known| known.name == file).copied()
}

/// A built-in scene that has a file of this name.
pub fn scene_with(file: &str) -> Option<&'static str> {
    let has = |builtin: &&Builtin| builtin.files.iter().any(|known| known.name == file);
    BUILTINS.iter().find(has).map(|builtin| builtin.name)
}
