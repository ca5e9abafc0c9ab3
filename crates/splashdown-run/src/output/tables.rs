//! The tables of a run: `log.csv` per step, `bodies.csv` and one file per probe per frame.

use std::path::Path;

use super::error::RunError;
use super::immersed::Surrounding;
use super::probe;
use super::settings::{OutputSettings, Probe};
use super::snapshot::Metadata;
use super::table::{Cell, Table};
use super::totals::Totals;
use crate::math::DVec3;
use crate::method::Method;
use crate::world::{GridReport, Loads, Solid, SolveKind, StepReport, World};

const LOG_COLUMNS: [&str; 35] = [
    "step",
    "t",
    "dt",
    "density_iterations",
    "divergence_iterations",
    "viscosity_iterations",
    "density_error",
    "max_compression",
    "contact_iterations",
    "contacts",
    "contact_error",
    "friction_error",
    "penetration",
    "retries",
    "particles",
    "kinetic_energy",
    "potential_energy",
    "momentum_x",
    "momentum_y",
    "momentum_z",
    "angular_momentum_x",
    "angular_momentum_y",
    "angular_momentum_z",
    "volume",
    "newton_iterations",
    "elastic_contacts",
    "lost",
    "guests",
    "guests_pushed",
    "guest_gap",
    "mean_volume_error",
    "max_volume_error",
    "volume_solves",
    "pushing",
    "friction_passes",
];

/// One row for each elastic body, then one for each solid it may meet.
const ELASTIC_COLUMNS: [&str; 13] = [
    "t",
    "body",
    "x",
    "y",
    "z",
    "velocity_x",
    "velocity_y",
    "velocity_z",
    "kinetic_energy",
    "elastic_energy",
    "contact_force_x",
    "contact_force_y",
    "contact_force_z",
];

const BODY_COLUMNS: [&str; 39] = [
    "t",
    "body",
    "pressure_force_x",
    "pressure_force_y",
    "pressure_force_z",
    "viscous_force_x",
    "viscous_force_y",
    "viscous_force_z",
    "pressure_torque_x",
    "pressure_torque_y",
    "pressure_torque_z",
    "viscous_torque_x",
    "viscous_torque_y",
    "viscous_torque_z",
    "x",
    "y",
    "z",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "rotation_w",
    "velocity_x",
    "velocity_y",
    "velocity_z",
    "angular_velocity_x",
    "angular_velocity_y",
    "angular_velocity_z",
    "contact_force_x",
    "contact_force_y",
    "contact_force_z",
    "friction_force_x",
    "friction_force_y",
    "friction_force_z",
    "contact_torque_x",
    "contact_torque_y",
    "contact_torque_z",
    "friction_torque_x",
    "friction_torque_y",
    "friction_torque_z",
];

/// What `elastic.csv` has besides where fluid meets elastic bodies.
const WET_COLUMNS: [&str; 10] = [
    "fluid_pressure_x",
    "fluid_pressure_y",
    "fluid_pressure_z",
    "fluid_viscous_x",
    "fluid_viscous_y",
    "fluid_viscous_z",
    "fluid_barrier_x",
    "fluid_barrier_y",
    "fluid_barrier_z",
    "immersed_volume",
];

/// What the table of elastic bodies tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElasticTable {
    /// Bodies without fluid.
    Dry,
    /// Also what fluid does to them.
    Wet,
}

impl ElasticTable {
    /// That of a world; none without elastic bodies.
    pub fn of(world: &World) -> Option<ElasticTable> {
        let is_wet = world.stiff_solids().len() < world.solids.len();
        let table = if is_wet { ElasticTable::Wet } else { ElasticTable::Dry };
        world.elastic.any().then_some(table)
    }

    fn columns(self) -> Vec<&'static str> {
        let wet = if self == ElasticTable::Wet { &WET_COLUMNS[..] } else { &[] };
        ELASTIC_COLUMNS.iter().chain(wet).copied().collect()
    }
}

/// One row for each step of a fluid on a grid.
const GRID_COLUMNS: [&str; 13] = [
    "step",
    "t",
    "pressure_iterations",
    "pressure_residual",
    "divergence",
    "volume_iterations",
    "volume_residual",
    "density_error",
    "liquid_volume",
    "cells",
    "unknowns",
    "pockets",
    "pushed_out",
];

/// The table of a fluid on a grid.
const GRID: &str = "grid.csv";

/// Whether a world has a fluid on a grid.
fn has_grid(world: &World) -> bool {
    matches!(world.method, Method::Grid(_))
}

/// The table of elastic bodies.
const ELASTIC: &str = "elastic.csv";

/// All tables of a run. Nothing in them depends on the machine or the clock on the wall.
#[derive(Debug)]
pub struct Tables {
    log: Table,
    bodies: Table,
    probes: Vec<(Probe, Table)>,
    /// Where there are elastic bodies.
    elastic: Option<Table>,
    /// Where a fluid is on a grid.
    grid: Option<Table>,
}

impl Tables {
    /// Starts all tables in the run directory.
    pub fn create(
        directory: &Path,
        settings: &OutputSettings,
        world: &World,
    ) -> Result<Tables, RunError> {
        let create_probe = |(probe, file): (Probe, String)| {
            let mut columns = vec!["t"];
            columns.extend(probe::columns(probe.quantity));
            Ok((probe, Table::create(&directory.join(file), &columns)?))
        };
        Ok(Tables {
            log: Table::create(&directory.join("log.csv"), &LOG_COLUMNS)?,
            bodies: Table::create(&directory.join("bodies.csv"), &BODY_COLUMNS)?,
            probes: probe_files(settings)
                .into_iter()
                .map(create_probe)
                .collect::<Result<_, _>>()?,
            elastic: ElasticTable::of(world)
                .map(|table| Table::create(&directory.join(ELASTIC), &table.columns()))
                .transpose()?,
            grid: has_grid(world)
                .then(|| Table::create(&directory.join(GRID), &GRID_COLUMNS))
                .transpose()?,
        })
    }

    /// Opens the tables of an earlier run and cuts them to the extents its snapshot remembers.
    pub fn reopen(
        directory: &Path,
        settings: &OutputSettings,
        world: &World,
        remembered: &Metadata,
    ) -> Result<Tables, RunError> {
        let reopen = |file: &str| {
            let extent = remembered.extent(directory, file)?.ok_or_else(|| {
                RunError::Directory(format!(
                    "{} cannot be resumed: its snapshot does not mention {file}",
                    directory.display()
                ))
            })?;
            Table::reopen(&directory.join(file), extent)
        };
        let reopen_probe = |(probe, file): (Probe, String)| Ok((probe, reopen(&file)?));
        Ok(Tables {
            log: reopen("log.csv")?,
            bodies: reopen("bodies.csv")?,
            probes: probe_files(settings)
                .into_iter()
                .map(reopen_probe)
                .collect::<Result<_, _>>()?,
            elastic: world.elastic.any().then(|| reopen(ELASTIC)).transpose()?,
            grid: has_grid(world).then(|| reopen(GRID)).transpose()?,
        })
    }

    /// Adds what one step did.
    pub fn log_step(&mut self, world: &World, report: &StepReport) -> Result<(), RunError> {
        let totals = Totals::of(world);
        let volume = report.volume.unwrap_or_default();
        let particles: usize = world.fluids.iter().map(|f| f.range.len()).sum();
        let [px, py, pz] = vector(totals.momentum);
        let [lx, ly, lz] = vector(totals.angular_momentum);
        self.log.row(&[
            Cell::Integer(world.clock.step),
            Cell::Real(world.clock.time),
            Cell::Real(report.dt),
            Cell::Integer(report.solve(SolveKind::Density).iterations.into()),
            Cell::Integer(report.solve(SolveKind::Divergence).iterations.into()),
            Cell::Integer(report.solve(SolveKind::Viscosity).iterations.into()),
            Cell::Real(report.solve(SolveKind::Density).error),
            Cell::Real(report.max_compression),
            Cell::Integer(report.solve(SolveKind::Contact).iterations.into()),
            Cell::Integer(report.solve(SolveKind::Contact).active.into()),
            Cell::Real(report.solve(SolveKind::Contact).error),
            Cell::Real(report.solve(SolveKind::Friction).error),
            Cell::Real(report.penetration),
            Cell::Integer(report.retries.into()),
            Cell::Integer(particles as u64),
            Cell::Real(totals.kinetic_energy),
            Cell::Real(totals.potential_energy),
            px,
            py,
            pz,
            lx,
            ly,
            lz,
            Cell::Real(totals.volume),
            Cell::Integer(report.solve(SolveKind::Elastic).iterations.into()),
            Cell::Integer(report.solve(SolveKind::Elastic).active.into()),
            Cell::Integer(world.lost),
            Cell::Integer(report.guests.count.into()),
            Cell::Integer(report.guests.pushed.into()),
            Cell::Real(report.guests.gap),
            Cell::Real(volume.mean_error),
            Cell::Real(volume.max_error),
            Cell::Integer(volume.solves.into()),
            Cell::Integer(volume.pushing.into()),
            Cell::Integer(volume.passes.into()),
        ])?;
        match (&mut self.grid, &report.grid) {
            (Some(table), Some(grid)) => log_grid(table, world, report, grid),
            _ => Ok(()),
        }
    }

    /// Adds what bodies and probes see at a frame. Forces are means of the `loads` since the
    /// previous frame.
    pub fn log_frame(&mut self, world: &World, loads: &Loads) -> Result<(), RunError> {
        let time = Cell::Real(world.clock.time);
        for (k, solid) in world.stiff_solids().iter().enumerate() {
            let mean = loads.mean(k);
            let mut cells = vec![time, Cell::Text(&solid.name)];
            cells.extend(vector(mean.pressure));
            cells.extend(vector(mean.viscous));
            cells.extend(vector(mean.pressure_moment));
            cells.extend(vector(mean.viscous_moment));
            cells.extend(vector(solid.pose.translation));
            cells.extend(solid.pose.rotation.to_array().map(Cell::Real));
            for velocity in solid.velocity(world.clock.time) {
                cells.extend(vector(velocity));
            }
            cells.extend(vector(mean.contact));
            cells.extend(vector(mean.friction));
            cells.extend(vector(mean.contact_moment));
            cells.extend(vector(mean.friction_moment));
            self.bodies.row(&cells)?;
        }
        if let Some(table) = &mut self.elastic {
            log_elastic(table, time, world, loads)?;
        }
        for (probe, table) in &mut self.probes {
            let mut cells = vec![time];
            cells.extend(probe::measure(world, probe).into_iter().map(Cell::Real));
            table.row(&cells)?;
        }
        Ok(())
    }

    /// Hands all rows to the system.
    pub fn flush(&mut self) -> Result<(), RunError> {
        self.each().try_for_each(Table::flush)
    }

    /// Makes all rows survive a power cut, and notes how far every table goes.
    pub fn sync(&mut self, directory: &Path, memory: &mut Metadata) -> Result<(), RunError> {
        for table in self.each() {
            let extent = table.sync()?;
            let file = table.path().strip_prefix(directory).unwrap_or(table.path());
            memory.remember(&file.to_string_lossy().replace('\\', "/"), extent);
        }
        Ok(())
    }

    fn each(&mut self) -> impl Iterator<Item = &mut Table> {
        let probes = self.probes.iter_mut().map(|(_, table)| table);
        let own = [&mut self.log, &mut self.bodies].into_iter();
        own.chain(&mut self.elastic).chain(&mut self.grid).chain(probes)
    }
}

/// What a step of a fluid on a grid did.
fn log_grid(
    table: &mut Table,
    world: &World,
    report: &StepReport,
    grid: &GridReport,
) -> Result<(), RunError> {
    let [pressure, volume] =
        [SolveKind::Divergence, SolveKind::Density].map(|kind| report.solve(kind));
    table.row(&[
        Cell::Integer(world.clock.step),
        Cell::Real(world.clock.time),
        Cell::Integer(pressure.iterations.into()),
        Cell::Real(pressure.error),
        Cell::Real(grid.divergence),
        Cell::Integer(volume.iterations.into()),
        Cell::Real(volume.error),
        Cell::Real(grid.density_error),
        Cell::Real(grid.liquid),
        Cell::Integer(grid.cells),
        Cell::Integer(grid.unknowns),
        Cell::Integer(grid.pockets),
        Cell::Integer(grid.pushed),
    ])
}

/// Elastic bodies, then the solids that they may meet: for these, only the force counts.
fn log_elastic(
    table: &mut Table,
    time: Cell<'_>,
    world: &World,
    loads: &Loads,
) -> Result<(), RunError> {
    let elastic = &world.elastic;
    let is_wet = ElasticTable::of(world) == Some(ElasticTable::Wet);
    let surrounding = is_wet.then(|| Surrounding::of(world));
    for (k, name) in elastic.names.iter().enumerate() {
        let (mass, centre) = elastic.solids.centre(k);
        let mut cells = vec![time, Cell::Text(name)];
        cells.extend(vector(centre));
        cells.extend(vector(elastic.solids.momentum(k) / mass));
        cells.push(Cell::Real(elastic.solids.kinetic_energy(k)));
        cells.push(Cell::Real(elastic.solids.elastic_energy(k)));
        cells.extend(vector(loads.mean_elastic(k)));
        let of_body = |solid: &Solid| solid.deforming().is_some_and(|samples| samples.body == k);
        if let Some(surrounding) = &surrounding {
            let load = world.solids.iter().position(of_body).map(|solid| loads.mean(solid));
            let load = load.unwrap_or_default();
            cells.extend(vector(load.pressure));
            cells.extend(vector(load.viscous));
            cells.extend(vector(loads.mean_barrier(k)));
            cells.push(Cell::Real(surrounding.immersed_volume(k)));
        }
        table.row(&cells)?;
    }
    for (solid, &body) in world.solids.iter().zip(&elastic.obstacles) {
        let mut cells = vec![time, Cell::Text(&solid.name)];
        cells.extend(vector(solid.pose.translation));
        cells.extend(vector(solid.velocity(world.clock.time)[0]));
        cells.extend([Cell::Real(0.0); 2]);
        cells.extend(vector(loads.mean_elastic(body)));
        if is_wet {
            cells.extend([Cell::Real(0.0); 6]);
            cells.extend(vector(loads.mean_barrier(body)));
            cells.push(Cell::Real(0.0));
        }
        table.row(&cells)?;
    }
    Ok(())
}

fn vector(v: DVec3) -> [Cell<'static>; 3] {
    v.to_array().map(Cell::Real)
}

/// Every probe with its file, relative to the run directory.
fn probe_files(settings: &OutputSettings) -> Vec<(Probe, String)> {
    let mut files: Vec<(Probe, String)> = Vec::new();
    for probe in &settings.probes {
        let safe: String = probe
            .name
            .chars()
            .map(|c| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '_' })
            .collect();
        // Different names may look the same once made safe for the file system.
        let mut file = format!("probes/{safe}.csv");
        let mut copy = 2;
        while files.iter().any(|(_, taken)| *taken == file) {
            file = format!("probes/{safe}-{copy}.csv");
            copy += 1;
        }
        files.push((probe.clone(), file));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::RigidBody;
    use crate::math::DMat3;
    use crate::motion::{ConstantMotion, Motion};
    use crate::output::settings::ProbeQuantity;
    use crate::output::testing::{small_settings, small_world};
    use crate::world::{Carrier, Load};

    #[test]
    fn every_row_has_as_many_cells_as_the_header() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("probes")).unwrap();
        let (world, settings) = (small_world(), small_settings());
        let load = Load { pressure: DVec3::new(0.0, -3.0, 0.0), ..Load::default() };
        let loads = Loads { solids: vec![load], duration: 0.5, ..Loads::default() };
        let mut tables = Tables::create(dir.path(), &settings, &world).unwrap();
        tables.log_step(&world, &StepReport::default()).unwrap();
        tables.log_frame(&world, &loads).unwrap();
        let mut memory = Metadata::default();
        tables.sync(dir.path(), &mut memory).unwrap();
        assert_eq!(memory.files.len(), 2 + settings.probes.len());
        for (file, bytes) in memory.files {
            let text = std::fs::read_to_string(dir.path().join(&file)).unwrap();
            assert_eq!(text.len() as u64, bytes);
            let cells: Vec<usize> = text.lines().map(|line| line.split(',').count()).collect();
            assert!(cells.len() > 1 && cells.iter().all(|&n| n == cells[0]), "{file}: {cells:?}");
        }
        let bodies = std::fs::read_to_string(dir.path().join("bodies.csv")).unwrap();
        assert!(bodies.lines().nth(1).unwrap().starts_with("0.0,floor,0.0,-6.0,0.0,"), "{bodies}");
    }

    #[test]
    fn bodies_are_written_with_their_velocities_and_contact_forces() {
        let dir = tempfile::tempdir().unwrap();
        let mut world = small_world();
        let solid = &mut world.solids[0];
        let mut body = RigidBody::at_rest(2.0, DMat3::from_diagonal(DVec3::splat(4.0)));
        (body.velocity, body.angular_momentum) = (DVec3::X * 3.0, DVec3::Z * 8.0);
        solid.carrier = Carrier::from(body);
        let load = Load {
            contact: DVec3::Y,
            friction: DVec3::X,
            contact_moment: DVec3::X,
            friction_moment: DVec3::Z,
            ..Load::default()
        };
        let loads = Loads { solids: vec![load], duration: 0.5, ..Loads::default() };
        let settings = OutputSettings { probes: Vec::new(), ..small_settings() };
        let mut tables = Tables::create(dir.path(), &settings, &world).unwrap();
        tables.log_frame(&world, &loads).unwrap();
        tables.flush().unwrap();
        let text = std::fs::read_to_string(dir.path().join("bodies.csv")).unwrap();
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let value = |name: &str| {
            let column = rows[0].iter().position(|column| *column == name).unwrap();
            rows[1][column].parse::<f64>().unwrap()
        };
        let found = ["velocity_x", "angular_velocity_z", "contact_force_y", "friction_force_x"];
        assert_eq!(found.map(value), [3.0, 2.0, 2.0, 2.0]);
        assert_eq!(["contact_torque_x", "friction_torque_z"].map(value), [2.0, 2.0]);
    }

    #[test]
    fn a_prescribed_motion_has_its_velocity_too() {
        let mut world = small_world();
        let spin = ConstantMotion {
            velocity: DVec3::Y,
            angular_velocity: DVec3::Z * 2.0,
            about: DVec3::X,
            start: 0.0,
            end: f64::INFINITY,
        };
        world.solids[0].placement.translation = DVec3::ZERO;
        world.solids[0].carrier = Carrier::from(Motion::Constant(spin));
        let [velocity, turn] = world.solids[0].velocity(0.3);
        assert!((turn - DVec3::Z * 2.0).length() < 1e-6, "{turn}");
        // The origin goes around x = 1 with ω r = 2 m/s while all of it rises with 1 m/s.
        assert!(((velocity - DVec3::Y).length() - 2.0).abs() < 1e-6, "{velocity}");
    }

    #[test]
    fn probe_files_stay_inside_their_directory_and_apart() {
        let mut settings = small_settings();
        settings.probes = ["../a b", "___a_b", "é"]
            .map(|name| Probe {
                name: name.to_owned(),
                position: DVec3::ZERO,
                quantity: ProbeQuantity::Level,
            })
            .to_vec();
        let files: Vec<String> = probe_files(&settings).into_iter().map(|(_, f)| f).collect();
        assert_eq!(files, ["probes/___a_b.csv", "probes/___a_b-2.csv", "probes/é.csv"]);
    }
}
