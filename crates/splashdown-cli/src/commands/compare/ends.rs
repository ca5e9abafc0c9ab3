//! Where a run ended: what its tables say of probes, bodies and elastic bodies.

use std::fs;
use std::path::Path;

use splashdown::compare::{Figure, Style};
use splashdown::output::settings::{OutputSettings, ProbeQuantity};
use splashdown::world::World;
use splashdown_view::report::csv::Csv;

/// Of so many objects of a kind; the tables of a kept run have all.
const MOST: usize = 6;
const AXES: [&str; 3] = ["x", "y", "z"];

/// Figures of the run in `directory`, as far as it wrote frames.
pub(super) fn figures(directory: &Path, world: &World, settings: &OutputSettings) -> Vec<Figure> {
    let read =
        |name: &str| Csv::parse(&fs::read_to_string(directory.join(name)).unwrap_or_default());
    let mut figures = Vec::new();
    for probe in settings.probes.iter().take(MOST) {
        let table = read(&format!("probes/{}.csv", probe.name));
        let unit = match probe.quantity {
            ProbeQuantity::Pressure => "pa",
            ProbeQuantity::Level | ProbeQuantity::Displacement => "m",
            ProbeQuantity::Velocity => "m_s",
        };
        for column in table.names().iter().filter(|name| *name != "t") {
            let name = format!("{}_{column}_{unit}", probe.name);
            figures.push(figure(name, table.numbers(column).last().copied()));
        }
    }
    let bodies = read("bodies.csv");
    let moving = world.solids.iter().filter(|solid| solid.body().is_some()).take(MOST);
    for solid in moving {
        figures.extend(place(&bodies, &solid.name));
    }
    if world.fluid_count() > 0 {
        for solid in world.solids.iter().take(MOST) {
            let parts = ["pressure_force", "viscous_force"];
            figures.extend(mean_force(&bodies, &solid.name, "force", &parts));
        }
    }
    let elastic = read("elastic.csv");
    for name in world.elastic.names.iter().take(MOST) {
        figures.extend(place(&elastic, name));
    }
    if world.elastic.any() {
        for solid in world.solids.iter().take(MOST) {
            figures.extend(mean_force(&elastic, &solid.name, "contact_force", &["contact_force"]));
        }
    }
    figures
}

fn figure(name: String, value: Option<f64>) -> Figure {
    Figure::new(name, value.unwrap_or(f64::NAN), Style::Digits(5))
}

/// The values of a column in the rows of one body.
fn of_body(table: &Csv, body: &str, column: &str) -> Vec<f64> {
    let names = table.texts("body");
    let rows = names.iter().zip(table.numbers(column));
    rows.filter(|(name, _)| **name == body).map(|(_, value)| value).collect()
}

/// Where a body is in the last frame.
fn place(table: &Csv, body: &str) -> Vec<Figure> {
    let at = |axis: &&str| {
        figure(format!("{body}_{axis}_m"), of_body(table, body, axis).last().copied())
    };
    AXES.iter().map(at).collect()
}

/// The mean force on a body over all frames; that of the first frame is of no time.
fn mean_force(table: &Csv, body: &str, called: &str, parts: &[&str]) -> Vec<Figure> {
    let mean = |axis: &&str| {
        let sum = |part: &&str| {
            let values = of_body(table, body, &format!("{part}_{axis}"));
            let later = values.get(1..).unwrap_or_default();
            later.iter().sum::<f64>() / later.len() as f64
        };
        figure(format!("{body}_mean_{called}_{axis}_n"), Some(parts.iter().map(sum).sum()))
    };
    AXES.iter().map(mean).collect()
}
