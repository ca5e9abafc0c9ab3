//! `splashdown compare`: one scene by several methods, side by side.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use splashdown::compare::{Measured, measure};
use splashdown::scene::Scene;

use crate::arguments::{CompareArguments, Variant};
use crate::commands::run::use_threads;
use crate::failure::Failure;
use crate::plot;
use crate::terminal::{print, tell};

/// A variant that has been run.
pub struct Row {
    /// Methods and time step.
    pub name: String,
    pub measured: Measured,
}

/// Runs all variants and writes a table and a plot.
pub fn run(arguments: &CompareArguments) -> Result<ExitCode, Failure> {
    use_threads(arguments.threads)?;
    if arguments.dt.iter().any(|dt| !(*dt > 0.0 && dt.is_finite())) {
        return Err(Failure::Usage("--dt: must be above 0 s".to_owned()));
    }
    let steps: Vec<Option<f64>> = match arguments.dt.as_slice() {
        [] => vec![None],
        dt => dt.iter().copied().map(Some).collect(),
    };
    let mut rows = Vec::new();
    for variant in &arguments.methods {
        for dt in &steps {
            rows.push(run_variant(arguments, variant, *dt)?);
        }
    }
    let directory = arguments.out.clone().unwrap_or_else(|| default_directory(&arguments.scene));
    write(&directory, "compare.csv", &csv(&rows))?;
    write(&directory, "compare.svg", &plot::svg(&arguments.scene, &rows))?;
    print(&table(&rows));
    print(&format!("\nTable and plot are in {}\n", directory.display()));
    Ok(ExitCode::SUCCESS)
}

fn run_variant(
    arguments: &CompareArguments,
    variant: &Variant,
    dt: Option<f64>,
) -> Result<Row, Failure> {
    let mut overrides = arguments.set.clone();
    overrides.extend(variant.methods.iter().map(|method| method.as_override()));
    let mut name = variant.name.clone();
    if let Some(dt) = dt {
        overrides.push(format!("time_step={{ fixed = {dt:?} }}"));
        name += &format!(" {} ms", dt * 1e3);
    }
    let scene = Scene::open(&arguments.scene, &overrides)?;
    let mut built = scene.build()?;
    let until = arguments.until.unwrap_or(built.output.duration);
    tell(&format!("{name} …"));
    let measured = measure(&mut built.world, until, arguments.patience);
    Ok(Row { name, measured })
}

fn default_directory(scene: &str) -> PathBuf {
    let stem = Path::new(scene).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Path::new("out").join(format!("{stem}-compare"))
}

fn write(directory: &Path, file: &str, text: &str) -> Result<(), Failure> {
    let path = directory.join(file);
    std::fs::create_dir_all(directory)
        .and_then(|()| std::fs::write(&path, text))
        .map_err(|error| Failure::Usage(format!("cannot write {}: {error}", path.display())))
}

/// Heading, and what stands below it.
type Column = (&'static str, fn(&Measured) -> String);

const COLUMNS: [Column; 14] = [
    ("reached_s", |m| format!("{:.4}", m.reached)),
    ("mean_dt_s", |m| format!("{:.3e}", m.mean_dt)),
    ("min_dt_s", |m| format!("{:.3e}", m.min_dt)),
    ("retries", |m| m.retries.to_string()),
    ("pressure_iterations", |m| format!("{:.1}", m.pressure_iterations)),
    ("contact_iterations", |m| format!("{:.1}", m.contact_iterations)),
    ("seconds_per_second", |m| format!("{:.3}", m.seconds_per_second)),
    ("energy_gain", |m| format!("{:+.3}", m.energy_gain)),
    ("penetration_h", |m| format!("{:.3}", m.penetration)),
    ("density_error", |m| format!("{:.1e}", m.density_error)),
    ("contact_error", |m| format!("{:.1e}", m.contact_error)),
    ("flips", |m| format!("{:.3}", m.flips)),
    ("max_acceleration", |m| format!("{:.1}", m.max_acceleration)),
    ("max_speed", |m| format!("{:.2}", m.max_speed)),
];

fn csv(rows: &[Row]) -> String {
    let headings: Vec<&str> = COLUMNS.iter().map(|(heading, _)| *heading).collect();
    let mut text = format!("method,{},verdict\n", headings.join(","));
    for Row { name, measured } in rows {
        let cells: Vec<String> = COLUMNS.iter().map(|(_, cell)| cell(measured)).collect();
        let verdict = measured.verdict().replace('"', "'");
        let _ = writeln!(text, "{name},{},\"{verdict}\"", cells.join(","));
    }
    text
}

/// The same for people: one column for each variant, because there are more figures than variants.
fn table(rows: &[Row]) -> String {
    let mut lines: Vec<Vec<String>> = vec![vec![String::new()]];
    lines[0].extend(rows.iter().map(|row| row.name.clone()));
    for (heading, cell) in COLUMNS {
        let mut line = vec![heading.replace('_', " ")];
        line.extend(rows.iter().map(|row| cell(&row.measured)));
        lines.push(line);
    }
    let width = |k: usize| lines.iter().map(|line| line[k].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=rows.len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let _ = write!(text, "  {:<1$}", line[0], widths[0]);
        for (cell, width) in line.iter().zip(&widths).skip(1) {
            let _ = write!(text, "  {cell:>width$}");
        }
        text.push('\n');
    }
    for row in rows {
        let _ = writeln!(text, "  {}: {}", row.name, row.measured.verdict());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let calm = Measured { reached: 1.0, mean_dt: 2e-3, ..Measured::default() };
        let trouble = Some("exploded at 0.5 s".to_owned());
        vec![
            Row { name: "monolithic".to_owned(), measured: calm.clone() },
            Row { name: "weak 2 ms".to_owned(), measured: Measured { trouble, ..calm } },
        ]
    }

    #[test]
    fn every_row_of_the_table_has_all_columns() {
        let text = csv(&rows());
        let counts: Vec<usize> = text.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(counts, [COLUMNS.len() + 2; 3]);
        assert!(
            text.contains("weak 2 ms,1.0000,2.000e-3") && text.contains("\"exploded"),
            "{text}"
        );
        let table = table(&rows());
        assert!(table.contains("monolithic: stable") && table.contains("weak 2 ms: exploded"));
    }
}
