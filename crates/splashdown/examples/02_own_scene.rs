//! Tutorial 2: a scene of your own as text, run with all its outputs.
//!
//!     cargo run --release --example 02_own_scene
//!
//! What to expect: a paddle pushes water to and fro. Frames for ParaView and tables are in
//! `out/own-scene`; `splashdown run --resume --out out/own-scene --until 2` would go on from there.

use std::path::Path;

use splashdown::output::driver::Simulation;
use splashdown::output::run_directory::{Existing, RunDirectory, SceneSource};
use splashdown::scene::Scene;
use splashdown::world::SolveKind;

/// Everything a scene can say is in docs/scene.md. What is not said has a default.
const SCENE: &str = r#"
[simulation]
dimension = 2
spacing = 0.02
duration = 1

[[fluid]]
name = "water"

[[fluid.fill]]
shape.box = { min = [0.2, 0], max = [1.4, 0.2] }

[[solid]]
name = "tank"
shape.tank = { min = [0, 0], max = [1.4, 0.6], open = ["top"] }

[[solid]]
name = "paddle"
shape.box = { size = [0.04, 0.3] }
at = [0.12, 0.19]
motion.expressions.position = ["0.06 * sin(2 * pi * t)", 0]

[[probe]]
name = "far-end"
quantity = "level"
at = [1.3, 0.0]
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Overrides are what `--set` gives on the command line. Errors name line, column and key.
    let overrides = ["output.frames_per_second=20".to_owned()];
    let scene = Scene::parse("own-scene", SCENE, ".", &overrides)?;
    let built = scene.build()?;
    built.notes.iter().for_each(|note| println!("note: {note}"));

    // `Existing::Refuse` would stop here if there were results already.
    let directory = RunDirectory::create(Path::new("out/own-scene"), Existing::Replace)?;
    let source = SceneSource {
        name: scene.name.clone(),
        text: scene.text.clone(),
        directory: scene.directory.clone(),
        inputs: built.inputs.clone(),
    };
    let mut run = Simulation::create(source, built.world, built.output, directory)?;
    while !run.is_finished() {
        let progress = run.advance()?;
        if let Some(frame) = progress.frame.filter(|frame| frame % 5 == 0) {
            let iterations = progress.report.solve(SolveKind::Density).iterations;
            println!("frame {frame:3}  t = {:.2} s  {iterations} iterations", progress.report.time);
        }
    }
    println!("saved {}", run.finish()?.display());
    Ok(())
}
