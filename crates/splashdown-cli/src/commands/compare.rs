//! `splashdown compare`: one scene in several ways, side by side.

mod ends;
mod plot;
mod sheet;
mod variations;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use splashdown::compare::choices::Choice;
use splashdown::compare::{Measured, measure};
use splashdown::output::atomic;
use splashdown::output::run_directory::{Existing, RunDirectory, is_free};
use splashdown::scene::Scene;

use crate::arguments::CompareArguments;
use crate::commands::run::{begin, stem, unused_directory, use_threads};
use crate::failure::Failure;
use crate::signals::StopRequest;
use crate::summary::Statistics;
use crate::terminal::{print, tell};
use crate::timing;

/// What makes a run write tables only.
const TABLES_ONLY: [&str; 3] =
    ["output.formats=[]", "output.surface=false", "output.snapshot_every=0"];

/// A variant that has been run.
pub(crate) struct Row {
    /// What is different in it.
    pub name: String,
    /// The same as overrides.
    pub overrides: Vec<String>,
    pub measured: Measured,
    /// Where its run is, if it was kept.
    pub kept: Option<PathBuf>,
}

impl Row {
    /// With the keys that make it so, unless it is called by them.
    pub(crate) fn in_full(&self) -> String {
        in_full(&self.name, &self.overrides)
    }
}

fn in_full(name: &str, overrides: &[String]) -> String {
    match overrides.is_empty() || name.contains('=') {
        true => name.to_owned(),
        false => format!("{name} ({})", overrides.join(", ")),
    }
}

/// Runs all variants and writes a table and a plot.
pub(crate) fn run(arguments: &CompareArguments) -> Result<ExitCode, Failure> {
    use_threads(arguments.threads)?;
    let mut set = arguments.set.clone();
    set.extend(arguments.until.map(|time| format!("simulation.duration={time:?}")));
    let scene = Scene::open(&arguments.scene, &set)?;
    let variations = variations::variations(arguments, &set, &scene)?;
    let place = Place::new(arguments, &scene, &variations)?;
    let stop = StopRequest::listen()
        .map_err(|e| Failure::Usage(format!("cannot listen for Ctrl-C: {e}")))?;
    let mut rows = Vec::new();
    for (k, choice) in variations.iter().enumerate() {
        let name = in_full(&choice.name, &choice.overrides);
        tell(&format!("{} of {}: {name} …", k + 1, variations.len()));
        let kept = place.kept.as_ref().map(|folders| folders[k].as_path());
        let measured = place.run(arguments, &set, choice, kept, &stop)?;
        if measured.trouble.is_some() {
            tell(&format!("  {}", measured.verdict()));
        }
        let kept = kept.filter(|folder| folder.exists()).map(Path::to_owned);
        let Choice { name, overrides } = choice.clone();
        rows.push(Row { name, overrides, measured, kept });
        if stop.exit_code().is_some() {
            break;
        }
    }
    sheet::leave_out_what_is_zero(&mut rows);
    let files =
        [("compare.csv", sheet::csv(&rows)), ("compare.svg", plot::svg(&scene.name, &rows))];
    for (file, text) in files {
        atomic::write_bytes(&place.directory.join(file), text.as_bytes())?;
    }
    print(&match arguments.json {
        true => sheet::json(&scene.name, &rows),
        false => sheet::table(&rows),
    });
    say_where(&place, &rows, arguments.json);
    Ok(stop.exit_code().map_or(ExitCode::SUCCESS, ExitCode::from))
}

/// Where everything is: on standard error where standard output is for machines.
fn say_where(place: &Place, rows: &[Row], json: bool) {
    let mut lines = vec![format!("Table and plot are in {}", place.directory.display())];
    let kept: Vec<&PathBuf> = rows.iter().filter_map(|row| row.kept.as_ref()).collect();
    if let Some(first) = kept.first() {
        lines.push("Runs to look at with view, render and report:".to_owned());
        lines.extend(kept.iter().map(|folder| format!("  {}", folder.display())));
        lines.push(format!("for example: splashdown view {}", first.display()));
    }
    let text = lines.join("\n");
    if json { tell(&text) } else { print(&format!("\n{text}\n")) }
}

/// Where a comparison writes.
struct Place {
    directory: PathBuf,
    /// One folder for each variant, if they are kept.
    kept: Option<Vec<PathBuf>>,
    /// A run that is there already is replaced.
    existing: Existing,
}

impl Place {
    /// Finds out before anything is run whether there is room for it.
    fn new(
        arguments: &CompareArguments,
        scene: &Scene,
        variations: &[Choice],
    ) -> Result<Place, Failure> {
        let usual = Path::new("out").join(format!("{}-compare", stem(&scene.name)));
        let directory = match &arguments.out {
            Some(path) => path.clone(),
            None if arguments.force => usual,
            None => unused_directory(usual, tell)?,
        };
        let existing = if arguments.force { Existing::Replace } else { Existing::Refuse };
        let taken = |path: &Path| {
            Failure::Usage(format!(
                "{} is there already: choose another directory, or replace it with --force",
                path.display()
            ))
        };
        for file in ["compare.csv", "compare.svg"] {
            let path = directory.join(file);
            if existing == Existing::Refuse && path.exists() {
                return Err(taken(&path));
            }
        }
        let kept = arguments.keep.as_ref().map(|root| {
            let root = root.as_ref().unwrap_or(&directory);
            folder_names(variations).into_iter().map(|name| root.join(name)).collect::<Vec<_>>()
        });
        for folder in kept.iter().flatten() {
            if existing == Existing::Refuse && !is_free(folder)? {
                return Err(taken(folder));
            }
        }
        fs::create_dir_all(&directory)
            .map_err(|e| Failure::Usage(format!("cannot create {}: {e}", directory.display())))?;
        Ok(Place { directory, kept, existing })
    }

    /// Runs a variant: in a folder that stays, or in one that goes.
    fn run(
        &self,
        arguments: &CompareArguments,
        set: &[String],
        choice: &Choice,
        kept: Option<&Path>,
        stop: &StopRequest,
    ) -> Result<Measured, Failure> {
        let mut overrides = [set, &choice.overrides[..]].concat();
        if kept.is_none() {
            overrides.extend(TABLES_ONLY.map(str::to_owned));
        }
        let built = Scene::open(&arguments.scene, &overrides).and_then(|scene| {
            scene.build_within(&arguments.memory.limit()).map(|built| (scene, built))
        });
        let (scene, built) = match built {
            Ok(both) => both,
            Err(errors) => return Ok(Measured::refused(errors.to_string().replace('\n', "; "))),
        };
        let passing = self.directory.join(format!(".unkept-{}", std::process::id()));
        let folder = kept.unwrap_or(&passing);
        let existing = if kept.is_some() { self.existing } else { Existing::Replace };
        let mut simulation = begin(&scene, built, RunDirectory::create(folder, existing)?)?;
        let began = Instant::now();
        let mut statistics = Statistics::default();
        let asked = || stop.exit_code().is_some();
        let look = |report: &_| statistics.add(report);
        let mut measured = measure(&mut simulation, arguments.patience, &asked, look);
        let (world, settings) = (simulation.world().clone(), simulation.settings().clone());
        if kept.is_some() {
            simulation.finish()?;
            timing::write(folder, &statistics, began.elapsed())?;
        } else {
            drop(simulation);
        }
        measured.figures.extend(ends::figures(folder, &world, &settings));
        if kept.is_none() {
            // Ours alone, made above; what cannot be removed does no harm.
            let _ = fs::remove_dir_all(&passing);
        }
        Ok(measured)
    }
}

/// Names of folders that tell what is different in them, no two alike.
fn folder_names(variations: &[Choice]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let usable = |c: char| c.is_alphanumeric() || "._=-".contains(c);
    let mut names = Vec::new();
    for choice in variations {
        let name: String =
            choice.name.chars().map(|c| if usable(c) { c } else { '-' }).take(80).collect();
        let parts: Vec<&str> = name.split('-').filter(|part| !part.is_empty()).collect();
        // No name may be hidden, or lead elsewhere.
        let name = parts.join("-").trim_start_matches(['.', '-']).to_owned();
        let name = if name.is_empty() { "variant".to_owned() } else { name };
        let mut unique = name.clone();
        let mut number = 2;
        while !taken.insert(unique.to_lowercase()) {
            unique = format!("{name}-{number}");
            number += 1;
        }
        names.push(unique);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_named_by_what_is_different_and_stay_apart() {
        let choice = |name: &str| Choice { name: name.to_owned(), overrides: Vec::new() };
        let all = ["weak 2 ms", "simulation.gravity=[0, -1]", "../../a", "a", "A", "/"].map(choice);
        assert_eq!(
            folder_names(&all),
            ["weak-2-ms", "simulation.gravity=-0-1", "a", "a-2", "A-3", "variant"]
        );
    }
}
