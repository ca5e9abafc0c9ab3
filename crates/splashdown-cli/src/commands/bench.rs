//! `splashdown bench`: how fast fixed scenes run, next to what the machine could do.

use std::fs::File;
use std::io::BufWriter;
use std::process::ExitCode;

use splashdown::bench::{self, Newton, Pile, Report};
use splashdown::diagnostics;
use splashdown::scene::Scene;
use splashdown::world::{NEWTON_PHASES, PHASES};

use crate::arguments::BenchArguments;
use crate::commands::run::use_threads;
use crate::failure::Failure;
use crate::terminal::{print, tell};

/// Runs the benchmark scenes.
pub(crate) fn run(arguments: &BenchArguments) -> Result<ExitCode, Failure> {
    use_threads(arguments.threads)?;
    for name in &arguments.scenes {
        let scene = Scene::open(name, &arguments.set)?;
        let mut world = scene.build_within(&arguments.memory.limit())?.world;
        if !arguments.json {
            tell(&format!("{name}: {} steps …", arguments.warm_up + arguments.steps));
        }
        if world.elastic.any() {
            let newton =
                bench::newton(&mut world, arguments.warm_up, arguments.steps, arguments.newton)
                    .map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
            print(&if arguments.json {
                newton_json(name, &newton)
            } else {
                newton_table(name, &newton)
            });
            if let Some(path) = &arguments.matrix {
                let write =
                    |file: File| diagnostics::write_elastic_matrix(&world, BufWriter::new(file));
                File::create(path).and_then(write).map_err(|error| {
                    Failure::Usage(format!("cannot write {}: {error}", path.display()))
                })?;
            }
            continue;
        }
        let failed = |error| Failure::Usage(format!("{name}: {error}"));
        if world.fluid_count() == 0 && world.emitters.is_empty() {
            let pile = bench::pile(&mut world, arguments.warm_up, arguments.steps);
            let pile = pile.map_err(failed)?;
            print(&if arguments.json { pile_json(name, &pile) } else { pile_table(name, &pile) });
            continue;
        }
        let report = bench::run(&mut world, arguments.warm_up, arguments.steps).map_err(failed)?;
        print(&if arguments.json { json(name, &report) } else { table(name, &report) });
    }
    Ok(ExitCode::SUCCESS)
}

fn table(name: &str, report: &Report) -> String {
    let threads = rayon::current_num_threads();
    let mut text = format!(
        "{name}: {} fluid and {} wall particles, {:.1} fluid neighbours each, {} steps, {threads} \
         threads\n\n",
        report.fluid, report.walls, report.neighbors, report.steps
    );
    text += &format!("  {:<20}{:>16}{:>12}\n", "phase", "ns per particle", "per pair");
    for (k, phase) in PHASES.iter().enumerate() {
        let (particle, pair) = (report.phases[k], report.per_pair(k));
        text += &format!("  {phase:<20}{particle:>16.1}{pair:>12.2}\n");
    }
    let total: f64 = report.phases.iter().sum();
    text += &format!("  {:<20}{total:>16.1}\n\n", "step");
    let mut line = |what: &str, value: String| text += &format!("  {what:<44}{value}\n");
    line("pressure iterations per step", format!("{:.1}", report.iterations));
    line("ns per particle and pressure iteration", format!("{:.1}", report.iteration_ns));
    line("the same without what a solve does once", format!("{:.1}", report.sweep_ns));
    if let Some(ratio) = report.over_no_tension {
        line("over an iteration without surface tension", format!("{ratio:.2}"));
    }
    line("machine: ns to fetch a neighbour's record", format!("{:.2}", report.machine.gather_ns));
    line("machine: GB/s read in order", format!("{:.1}", report.machine.bandwidth));
    line("iteration over the gather limit", format!("{:.2}", report.over_gather_limit()));
    line("share of the memory bandwidth", format!("{:.2}", report.bandwidth_share()));
    line("bytes of neighbour lists per particle", format!("{:.0}", report.list_bytes));
    if let Some(peak) = report.peak_bytes {
        let (megabytes, each) = (peak / 1048576.0, peak / report.fluid as f64);
        line("peak memory", format!("{megabytes:.0} MB, {each:.0} bytes per fluid particle"));
    }
    text + "\n"
}

fn pile_table(name: &str, pile: &Pile) -> String {
    let Pile { bodies, samples, contacts, iterations, milliseconds } = pile;
    let mut text = format!(
        "{name}: {bodies} bodies, {samples} samples, {contacts:.0} contacts, {iterations:.1} \
         iterations per step, {} \
         threads\n\n",
        rayon::current_num_threads()
    );
    text += &format!("  {:<24}{:>18}\n", "phase", "ms per step");
    for (phase, ms) in PHASES.iter().zip(milliseconds).filter(|(_, ms)| **ms > 0.0005) {
        text += &format!("  {phase:<24}{ms:>18.3}\n");
    }
    text + &format!("  {:<24}{:>18.3}\n\n", "step", milliseconds.iter().sum::<f64>())
}

fn pile_json(name: &str, pile: &Pile) -> String {
    let phases: serde_json::Map<String, serde_json::Value> =
        PHASES.iter().zip(pile.milliseconds).map(|(p, ms)| ((*p).to_owned(), ms.into())).collect();
    let value = serde_json::json!({
        "scene": name,
        "threads": rayon::current_num_threads(),
        "bodies": pile.bodies,
        "samples": pile.samples,
        "contacts": pile.contacts,
        "iterations": pile.iterations,
        "ms_per_step": phases,
    });
    format!("{value}\n")
}

fn newton_table(name: &str, newton: &Newton) -> String {
    let Newton { vertices, elements, contacts, iterations, peak_bytes, milliseconds } = newton;
    let mut text = format!(
        "{name}: {vertices} vertices, {elements} elements, {contacts:.0} contacts, {iterations:.1} \
         Newton \
         iterations per step, {} threads\n\n",
        rayon::current_num_threads()
    );
    text += &format!("  {:<24}{:>18}{:>9}\n", "phase", "ms per iteration", "share");
    let total: f64 = milliseconds.iter().sum();
    for (phase, ms) in NEWTON_PHASES.iter().zip(milliseconds) {
        text += &format!("  {phase:<24}{ms:>18.2}{:>8.0} %\n", 100.0 * ms / total);
    }
    text += &format!("  {:<24}{total:>18.2}\n", "iteration");
    if let Some(peak) = peak_bytes {
        text += &format!("  {:<24}{:>15.0} MB\n", "peak memory", peak / 1048576.0);
    }
    text + "\n"
}

fn newton_json(name: &str, newton: &Newton) -> String {
    let phases: serde_json::Map<String, serde_json::Value> = NEWTON_PHASES
        .iter()
        .zip(newton.milliseconds)
        .map(|(phase, ms)| ((*phase).to_owned(), ms.into()))
        .collect();
    let value = serde_json::json!({
        "scene": name,
        "threads": rayon::current_num_threads(),
        "vertices": newton.vertices,
        "elements": newton.elements,
        "contacts": newton.contacts,
        "newton_iterations": newton.iterations,
        "ms_per_iteration": phases,
        "peak_bytes": newton.peak_bytes,
    });
    format!("{value}\n")
}

fn json(name: &str, report: &Report) -> String {
    let phases: serde_json::Map<String, serde_json::Value> =
        PHASES.iter().zip(report.phases).map(|(p, ns)| ((*p).to_owned(), ns.into())).collect();
    let value = serde_json::json!({
        "scene": name,
        "threads": rayon::current_num_threads(),
        "fluid": report.fluid,
        "walls": report.walls,
        "steps": report.steps,
        "neighbors": report.neighbors,
        "ns_per_particle": phases,
        "iterations": report.iterations,
        "ns_per_particle_and_iteration": report.iteration_ns,
        "ns_per_particle_and_sweep": report.sweep_ns,
        "over_no_tension": report.over_no_tension,
        "gather_ns": report.machine.gather_ns,
        "bandwidth_gb_per_s": report.machine.bandwidth,
        "over_gather_limit": report.over_gather_limit(),
        "bandwidth_share": report.bandwidth_share(),
        "list_bytes_per_particle": report.list_bytes,
        "peak_mb": report.peak_bytes.map(|bytes| bytes / 1048576.0),
    });
    format!("{value}\n")
}
