//! The report of a run.

use std::fs;
use std::path::Path;

use serde_json::Value;
use splashdown_render::error::RenderError;
use splashdown_render::run::Run;
use splashdown_render::stage::{Look as PictureLook, Stage};

use super::csv::Csv;
use super::html::{self, escape, picture, table};
use super::plot::{Line, Look, Plot};
use crate::folder::Folder;
use crate::manifest;
use crate::tables;

/// Above this many particles, the report shows no liquid surface: it would take minutes.
const SURFACE_UP_TO: usize = 300_000;
/// Pixels of the pictures.
const SIZE: [usize; 2] = [960, 540];

/// Makes the report of the run in `directory`.
pub fn report(directory: &Path) -> Result<String, RenderError> {
    let run = Run::begun(directory)?;
    let folder = Folder::new(directory)
        .map_err(|e| RenderError::Request(format!("{}: {e}", directory.display())))?;
    let log = read(&folder, "log.csv");
    let mut body = format!("<h1>{}</h1>\n", escape(&run.title));
    if !run.scene.description.is_empty() {
        body += &format!("<p class=\"pale\">{}</p>\n", escape(&run.scene.description));
    }
    body += &table(None, &facts(&folder, &run, &log));
    body += &pictures(&run)?;
    body += &plots(&folder, &log);
    body += &timing(&folder);
    body += "<h2>Parameters</h2>\n<p class=\"pale\">Every key of the scene, defaults included; SI \
             units.</p>\n";
    let rows: Vec<[String; 2]> =
        manifest::parameters(&run.scene).into_iter().map(|(key, value)| [key, value]).collect();
    body += &table(None, &rows);
    body += &format!("<h2>Scene</h2>\n<pre>{}</pre>\n", escape(&run.text));
    Ok(html::page(&format!("{}: report of a run", run.title), &body))
}

fn read(folder: &Folder, name: &str) -> Csv {
    let text = folder.file(name).and_then(|path| fs::read_to_string(path).ok());
    Csv::parse(&text.unwrap_or_default())
}

fn facts(folder: &Folder, run: &Run, log: &Csv) -> Vec<[String; 2]> {
    let info = manifest::run_info(folder);
    let text = |key: &str| info.get(key).and_then(Value::as_str).unwrap_or("unknown").to_owned();
    let last = |name: &str| log.numbers(name).last().copied();
    let number = |value: Option<f64>| value.map_or("none".to_owned(), |v| format!("{v}"));
    let steps = log.numbers("dt");
    let mean = steps.iter().sum::<f64>() / steps.len().max(1) as f64;
    let iterations = log.numbers("density_iterations");
    let per_step = iterations.iter().sum::<f64>() / iterations.len().max(1) as f64;
    let retries: f64 = log.numbers("retries").iter().sum();
    [
        ("scene", text("scene")),
        ("program", format!("{} {}", text("program"), text("version"))),
        ("seed", "none: nothing in a run is random, and equal scenes give equal bytes".to_owned()),
        ("space", format!("{}D, {} m between particles", run.scene.dimension, run.spacing)),
        ("fluid particles", number(last("particles"))),
        ("simulated", format!("{} s of {} s", number(last("t")), run.scene.duration)),
        ("frames", format!("{}, {} per second", run.frames.len(), run.frames_per_second)),
        ("steps", format!("{}, {mean:.3e} s on average, {retries} retried", number(last("step")))),
        ("density iterations", format!("{per_step:.1} per step")),
    ]
    .map(|(name, value)| [name.to_owned(), value])
    .to_vec()
}

/// The first frame, the last, two between, and the surface of one of them.
fn pictures(run: &Run) -> Result<String, RenderError> {
    let (Some(&first), Some(&last)) = (run.frames.first(), run.frames.last()) else {
        return Ok("<p>The run wrote no frames.</p>\n".to_owned());
    };
    let [width, height] = SIZE;
    let look = PictureLook { width, height, ..PictureLook::default() };
    let at = |share: f64| run.frames[((run.frames.len() - 1) as f64 * share).round() as usize];
    let mut shown: Vec<u64> = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(at).to_vec();
    shown.dedup();
    let mut html = "<h2>Pictures</h2>\n<div class=\"grid\">\n".to_owned();
    let stage = Stage::new(run, look.clone(), first, last)?;
    let mut add = |stage: &Stage<'_>, index: u64, words: &str| -> Result<(), RenderError> {
        let png = stage.picture(&run.load(index)?)?.png();
        let png = png.map_err(|e| RenderError::Request(format!("no picture: {e}")))?;
        html += &picture(&png, &format!("frame {index}, t = {:.3} s{words}", run.time(index)));
        Ok(())
    };
    for index in shown {
        add(&stage, index, "")?;
    }
    let middle = at(1.0 / 3.0);
    if !run.is_2d && run.load_points(middle)?.len() <= SURFACE_UP_TO {
        let stage = Stage::new(run, PictureLook { surface: true, ..look }, first, last)?;
        add(&stage, middle, ", surface of the liquid")?;
    }
    Ok(html + "</div>\n")
}

fn plots(folder: &Folder, log: &Csv) -> String {
    let mut html = "<h2>Over time</h2>\n<div class=\"grid\">\n".to_owned();
    let t = log.numbers("t");
    let line = |name: &str, t: &[f64], values: &[f64]| Line {
        name: name.to_owned(),
        points: t.iter().zip(values).map(|(t, v)| [*t, *v]).collect(),
        look: Look::Line,
    };
    let mut add = |title: &str, lines: Vec<Line>| {
        html += &Plot { title: title.to_owned(), x: "t, s".to_owned(), lines }.figure("");
    };
    let of_log = |name: &str, label: &str| line(label, &t, &log.numbers(name));
    let [kinetic, potential] = ["kinetic_energy", "potential_energy"].map(|name| log.numbers(name));
    let sum: Vec<f64> = kinetic.iter().zip(&potential).map(|(a, b)| a + b).collect();
    add(
        "energy, J",
        vec![
            line("kinetic", &t, &kinetic),
            line("potential", &t, &potential),
            line("sum", &t, &sum),
        ],
    );
    let solves = ["density", "divergence", "viscosity"];
    let used = |line: &Line| line.points.iter().any(|p| p[1] != 0.0);
    let iterations = solves.map(|name| of_log(&format!("{name}_iterations"), name));
    add("iterations per step", iterations.into_iter().filter(used).collect());
    add("time step, s", vec![of_log("dt", "")]);
    add(
        "residual of the density solve, share of the rest density",
        vec![of_log("density_error", "")],
    );
    add("largest compression, share of the rest density", vec![of_log("max_compression", "")]);
    add("volume, m³", vec![of_log("volume", "")]);

    let bodies = read(folder, "bodies.csv");
    let (times, owners) = (bodies.numbers("t"), bodies.texts("body"));
    let mut names: Vec<&str> = Vec::new();
    owners.iter().for_each(|name| {
        if !names.contains(name) {
            names.push(name)
        }
    });
    for name in names {
        let own = |values: Vec<f64>| -> Vec<f64> {
            values.into_iter().zip(&owners).filter(|(_, o)| **o == name).map(|(v, _)| v).collect()
        };
        let force = |axis: &str| {
            let [p, v] = ["pressure", "viscous"]
                .map(|kind| own(bodies.numbers(&format!("{kind}_force_{axis}"))));
            let sum: Vec<f64> = p.iter().zip(&v).map(|(p, v)| p + v).collect();
            line(axis, &own(times.clone()), &sum)
        };
        add(
            &format!("force on {name}, N"),
            ["x", "y", "z"].map(force).into_iter().filter(used).collect(),
        );
    }
    for probe in tables::list(folder) {
        let Some(name) = probe.name.strip_prefix("probe/") else { continue };
        let values = read(folder, &probe.file);
        let columns = values.names().iter().filter(|column| *column != "t");
        let lines = columns.map(|c| line(c, &values.numbers("t"), &values.numbers(c))).collect();
        add(&format!("probe {name}"), lines);
    }
    html + "</div>\n"
}

/// Seconds per phase, as the command that ran the scene noted them.
fn timing(folder: &Folder) -> String {
    let text = folder.file("timing.json").and_then(|path| fs::read_to_string(path).ok());
    let value = text.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let sessions = value.as_ref().and_then(|value| value.get("sessions")).and_then(Value::as_array);
    let mut html = "<h2>Time per phase</h2>\n".to_owned();
    let Some(sessions) = sessions.filter(|sessions| !sessions.is_empty()) else {
        return html + "<p>Not noted: the run was a quiet one, or is not over yet.</p>\n";
    };
    let mut phases: Vec<(String, f64)> = Vec::new();
    let mut total = 0.0;
    for session in sessions {
        total += session.get("seconds").and_then(Value::as_f64).unwrap_or(0.0);
        for phase in session.get("phases").and_then(Value::as_array).into_iter().flatten() {
            let name = phase.get(0).and_then(Value::as_str).unwrap_or("?");
            let seconds = phase.get(1).and_then(Value::as_f64).unwrap_or(0.0);
            match phases.iter_mut().find(|(known, _)| known == name) {
                Some((_, sum)) => *sum += seconds,
                None => phases.push((name.to_owned(), seconds)),
            }
        }
    }
    let known: f64 = phases.iter().map(|(_, seconds)| seconds).sum();
    phases.push(("output and the rest".to_owned(), (total - known).max(0.0)));
    phases.push(("total".to_owned(), total));
    let row = |(name, seconds): &(String, f64)| {
        [
            name.clone(),
            format!("{seconds:.2} s"),
            format!("{:.1} %", 100.0 * seconds / total.max(1e-9)),
        ]
    };
    let rows: Vec<[String; 3]> = phases.iter().map(row).collect();
    let threads: Vec<String> = sessions
        .iter()
        .filter_map(|session| session.get("threads").and_then(Value::as_u64))
        .map(|n| n.to_string())
        .collect();
    html += &table(Some(["phase", "seconds", "share"]), &rows);
    html + &format!("<p class=\"pale\">Threads: {}.</p>\n", threads.join(", then "))
}
