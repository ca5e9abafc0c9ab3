//! One step of a liquid on a grid.
//!
//! ```text
//! particles by cell; solids in cells; where liquid ends        prepare
//! particles ─► faces; gravity                                  advance
//! pressure: no divergence                                        project
//! density as it should be: displacements                         restore_volume
//! faces ─► particles; they move                                  gather
//! ```

use glam::DVec3;
use splashdown_geometry::math::{Dimension, Pose};
use splashdown_solve::Stop;

use crate::body::Body;
use crate::extrapolation::{extend, slide};
use crate::gather::{Fields, Gather};
use crate::lattice::{Lattice, NONE};
use crate::level_set::level_set;
pub use crate::liquid::{Error, Outcome, Report, World};
use crate::liquid::{Grid, lattice};
use crate::poisson::System;
use crate::projection::{Pressure, divergence, subtract};
use crate::records::{self, Particles, Record, Records};
use crate::settings::Volume;
use crate::transfer::{Faces, Node, to_faces};
use crate::volume::{Density, density};
use crate::walls::Walls;

/// What is left of the residual of the displacements, as a share.
const VOLUME_TOLERANCE: f64 = 1e-3;
/// A step whose residual is above this is not done.
const WORST: f64 = 1e-4;
/// A face has a velocity of its own if particles weigh at least this much there.
const LIGHTEST: f64 = 1e-9;

/// Memory of the steps of a liquid.
#[derive(Debug, Default)]
pub struct Workspace {
    grid: Option<Grid>,
    /// What stands still, in the box of the last step, with its places.
    fixed: Option<(Lattice, Vec<Pose>, Walls)>,
}

impl Workspace {
    /// Finds what does not depend on the length of the step.
    pub fn prepare(
        &mut self,
        world: &World,
        particles: &Particles<'_>,
        bodies: &[Body<'_>],
    ) -> Result<(), Error> {
        self.grid = None;
        if particles.position.is_empty() {
            return Ok(());
        }
        let lattice = lattice(world, particles)?;
        let walls = self.walls(&lattice, bodies);
        let records = Records::new(&lattice, particles, world.density);
        let spacing = world.spacing / lattice.width;
        let phi = level_set(&lattice, &records, &walls, spacing);
        self.grid = Some(Grid { lattice, walls, records, phi });
        Ok(())
    }

    /// Solids in the box; what stands still is kept as long as the box is the same.
    fn walls(&mut self, lattice: &Lattice, bodies: &[Body<'_>]) -> Walls {
        let of = |moves: bool| (0u32..).zip(bodies).filter(move |(_, body)| body.moves == moves);
        let places: Vec<Pose> = of(false).map(|(_, body)| body.pose).collect();
        let mut walls = match &self.fixed {
            Some((known, at, walls)) if known == lattice && *at == places => walls.clone(),
            _ => {
                let mut walls = Walls::none(lattice);
                walls.add(lattice, of(false));
                walls.weigh(lattice);
                self.fixed = Some((lattice.clone(), places, walls.clone()));
                walls
            }
        };
        if of(true).next().is_some() {
            walls.add(lattice, of(true));
            walls.weigh(lattice);
        }
        walls
    }

    /// A step of length `dt`. `held` particles move as told, m/s.
    pub fn advance(
        &mut self,
        world: &World,
        bodies: &[Body<'_>],
        held: &[(usize, DVec3)],
        dt: f64,
        stop: Stop,
    ) -> Result<Outcome, Error> {
        let Some(grid) = &mut self.grid else { return Ok(Outcome::default()) };
        let held = hold(&mut grid.records, held);
        Step { world, grid, bodies, dt, stop }.run(&held)
    }
}

/// The order of particles by cell, as a step sorts them.
pub fn order(world: &World, position: &[DVec3]) -> Result<Vec<u32>, Error> {
    let particles = Particles { position, velocity: &[], affine: &[], density: &[] };
    match position.is_empty() {
        true => Ok(Vec::new()),
        false => Ok(records::order(&lattice(world, &particles)?, position)),
    }
}

/// Gives held particles their velocities; says which records are held.
fn hold(records: &mut Records, held: &[(usize, DVec3)]) -> Vec<bool> {
    let mut is_held = vec![false; records.all.len()];
    if held.is_empty() {
        return is_held;
    }
    let mut place = vec![0u32; records.order.len()];
    (0u32..).zip(&records.order).for_each(|(r, &i)| place[i as usize] = r);
    for &(i, velocity) in held {
        let r = place[i] as usize;
        records.all[r] = Record { velocity, affine: [DVec3::ZERO; 3], ..records.all[r] };
        is_held[r] = true;
    }
    is_held
}

/// A step of known length.
struct Step<'a> {
    world: &'a World,
    grid: &'a Grid,
    bodies: &'a [Body<'a>],
    dt: f64,
    stop: Stop,
}

impl Step<'_> {
    fn run(&self, held: &[bool]) -> Result<Outcome, Error> {
        let Grid { lattice, walls, records, phi } = self.grid;
        let settings = &self.world.settings;
        let mut report = Report::default();
        let nodes: [Vec<Node>; 3] = std::array::from_fn(|axis| match axis < lattice.axes() {
            true => to_faces(lattice, records, axis, settings.kernel),
            false => Vec::new(),
        });
        let beta = |axis: usize, face: usize| match &nodes[axis][face] {
            node if node.mass > LIGHTEST => node.filled / node.mass,
            _ => 1.0,
        };
        let system = System::new(lattice, walls, phi, beta);
        let before = self.velocities(&nodes);
        let mut after = before.clone();
        for (u, g) in after.iter_mut().zip(self.world.gravity.to_array()) {
            u.iter_mut().for_each(|u| *u += self.dt * g);
        }
        let pressure = self.project(&system, beta, &nodes, &mut after, &mut report)?;
        let per_cell = self.world.per_cell();
        let density = density(lattice, records, walls, &system, phi, per_cell);
        let displacement = self.restore_volume(&system, beta, &density, &mut report);
        if self.stop.asked() {
            return Err(Error::Stopped);
        }
        report.density_error = density.error;
        report.cells = lattice.len() as u64;
        report.unknowns = system.len() as u64;
        report.pockets = system.pockets.len() as u64;
        report.liquid = self.liquid();
        let fastest = after.iter().flatten().fold(0.0, |most: f64, u| most.max(u.abs()));
        let substeps = (fastest * self.dt / lattice.width).ceil().clamp(1.0, 50.0) as u32;
        let impulses = self.impulses(&system, &pressure);
        let fields = Fields { before, after, displacement, pressure, density, system, substeps };
        let Step { world, grid, bodies, dt, .. } = *self;
        Gather { world, grid, bodies, dt, fields }.run(held, impulses, report)
    }

    /// Velocities of particles on faces, and around them.
    fn velocities(&self, nodes: &[Vec<Node>; 3]) -> Faces {
        let lattice = &self.grid.lattice;
        std::array::from_fn(|axis| {
            let speed = |node: &Node| match node.mass > LIGHTEST {
                true => node.sum / node.mass,
                false => 0.0,
            };
            let mut u: Vec<f64> = nodes[axis].iter().map(speed).collect();
            let mut is_known: Vec<bool> =
                nodes[axis].iter().map(|node| node.mass > LIGHTEST).collect();
            if axis < lattice.axes() {
                extend(lattice, &mut u, &mut is_known, 1);
            }
            u
        })
    }

    /// Velocity of the solid of piece `k`, m/s.
    fn of_piece(&self, k: usize) -> DVec3 {
        let Grid { lattice, walls, .. } = self.grid;
        let piece = &walls.pieces[k];
        let body = &self.bodies[piece.body as usize];
        match body.moves {
            true => body.velocity_at(lattice.dimension.flatten(piece.at * lattice.width)),
            false => DVec3::ZERO,
        }
    }

    /// Makes velocities free of divergence, and continues them beyond the liquid.
    fn project(
        &self,
        system: &System,
        beta: impl Fn(usize, usize) -> f64 + Sync + Copy,
        nodes: &[Vec<Node>; 3],
        u: &mut Faces,
        report: &mut Report,
    ) -> Result<Pressure, Error> {
        let Grid { lattice, walls, phi, .. } = self.grid;
        let settings = &self.world.settings;
        let found = divergence(lattice, walls, system, u, |k| self.of_piece(k));
        let b: Vec<f64> = found.iter().map(|d| -d).collect();
        let (value, solved) =
            system.solve(&b, settings.tolerance, settings.max_iterations, self.stop);
        report.pressure = solved;
        if self.stop.asked() {
            return Err(Error::Stopped);
        }
        if solved.residual > WORST || solved.residual.is_nan() {
            return Err(Error::Unsolved(solved));
        }
        let parts = (walls, system, phi.as_slice());
        let known: Vec<Vec<bool>> = (0..lattice.axes())
            .map(|axis| subtract(lattice, parts, &value, axis, beta, &mut u[axis]))
            .collect();
        let left = divergence(lattice, walls, system, u, |k| self.of_piece(k));
        let largest = left.iter().fold(0.0, |most: f64, d| most.max(d.abs()));
        report.divergence = largest * self.dt / lattice.width;
        let known = self.continue_beyond(u, known, Some(nodes));
        slide(lattice, walls, &known, u, |body, at| self.grid.of_solid(self.bodies, body, at));
        Ok(Pressure::new(lattice, parts, value))
    }

    /// Continues values beyond the faces where they are known; farther out those of `nodes` stay.
    /// Says where there are values now.
    fn continue_beyond(
        &self,
        u: &mut Faces,
        mut known: Vec<Vec<bool>>,
        nodes: Option<&[Vec<Node>; 3]>,
    ) -> Vec<Vec<bool>> {
        let lattice = &self.grid.lattice;
        let layers = self.world.farthest.ceil() as usize + 2;
        for (axis, known) in known.iter_mut().enumerate() {
            extend(lattice, &mut u[axis], known, layers);
            if let Some(nodes) = nodes {
                for (known, node) in known.iter_mut().zip(&nodes[axis]) {
                    *known |= node.mass > LIGHTEST;
                }
            }
        }
        known
    }

    /// Displacements, in cells, that bring the density back.
    fn restore_volume(
        &self,
        system: &System,
        beta: impl Fn(usize, usize) -> f64 + Sync + Copy,
        density: &Density,
        report: &mut Report,
    ) -> Option<Faces> {
        let Grid { lattice, walls, phi, .. } = self.grid;
        let settings = &self.world.settings;
        if settings.volume == Volume::None || system.is_empty() {
            return None;
        }
        let most = settings.max_iterations;
        let (value, solved) = system.solve(&density.excess, VOLUME_TOLERANCE, most, self.stop);
        report.volume = solved;
        let parts = (walls, system, phi.as_slice());
        let mut d: Faces = std::array::from_fn(|axis| match axis < lattice.axes() {
            true => vec![0.0; lattice.len()],
            false => Vec::new(),
        });
        let known = (0..lattice.axes())
            .map(|axis| subtract(lattice, parts, &value, axis, beta, &mut d[axis]))
            .collect();
        let known = self.continue_beyond(&mut d, known, None);
        slide(lattice, walls, &known, &mut d, |_, _| DVec3::ZERO);
        Some(d)
    }

    /// Volume of the liquid by its level set, m³ (2D: m²).
    fn liquid(&self) -> f64 {
        let Grid { lattice, walls, phi, .. } = self.grid;
        let share = |cell: usize| {
            let wet = (0.5 - phi[cell]).clamp(0.0, 1.0);
            if wet == 0.0 {
                return 0.0;
            }
            wet * (0.5 + walls.of_cell(lattice, cell)).clamp(0.0, 1.0)
        };
        let cells = splashdown_solve::reduce::sum(lattice.len(), share);
        cells * lattice.dimension.volume(lattice.width)
    }

    /// What pressure does to each solid in the step, N·s, and its moment.
    fn impulses(&self, system: &System, pressure: &Pressure) -> Vec<[DVec3; 2]> {
        let Grid { lattice, walls, .. } = self.grid;
        let unit = self.world.density * lattice.width * lattice.dimension.area(lattice.width);
        let mut impulses = vec![[DVec3::ZERO; 2]; self.bodies.len()];
        for (&cell, piece) in walls.cells.iter().zip(&walls.pieces) {
            let n = system.number[cell];
            if n == NONE {
                continue;
            }
            let mut at = piece.at - lattice.corner();
            if lattice.dimension == Dimension::Two {
                at.z = 0.5;
            }
            let value = pressure.near(lattice, system, n, at);
            let impulse = -unit * value * lattice.dimension.flatten(piece.area);
            let origin = self.bodies[piece.body as usize].pose.translation;
            let arm = lattice.to_world(at) - origin;
            let [sum, moment] = &mut impulses[piece.body as usize];
            *sum += impulse;
            *moment += arm.cross(impulse);
        }
        impulses
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Outline;
    use crate::settings::Settings;
    use glam::DMat3;
    use splashdown_geometry::math::DQuat;
    use splashdown_geometry::shapes::{Face, Shape, WetSide, wall_of};

    /// Water in a tank.
    struct Tank {
        world: World,
        outline: Outline,
        pose: Pose,
        position: Vec<DVec3>,
        velocity: Vec<DVec3>,
        affine: Vec<DMat3>,
        work: Workspace,
    }

    impl Tank {
        /// A column of so many spacings in a tank that is turned by an angle, with gravity.
        fn new(dimension: Dimension, count: [usize; 3], room: [usize; 3], angle: f64) -> Tank {
            let h = 0.5;
            let turn = DQuat::from_rotation_z(angle);
            let world = World {
                dimension,
                spacing: h,
                gravity: turn * DVec3::new(0.0, -1.0, 0.0),
                density: 2.0,
                farthest: 1.0,
                settings: Settings::default(),
            };
            let half = 0.5 * h * DVec3::from_array(room.map(|n| n as f64));
            let shape = Shape::Tank { half, open: vec![Face::Top] };
            let mesh = wall_of(&shape, WetSide::Inside, 3.0 * world.width()).unwrap();
            let outline = Outline::new(&mesh, dimension).unwrap();
            let pose = Pose { translation: DVec3::new(0.13, 0.07, 0.0), rotation: turn };
            let mut position = Vec::new();
            for k in 0..if dimension == Dimension::Two { 1 } else { count[2] } {
                for j in 0..count[1] {
                    for i in 0..count[0] {
                        let at = DVec3::new(i as f64, j as f64, k as f64) + 0.5;
                        position.push(dimension.flatten(pose.apply(h * at - half)));
                    }
                }
            }
            let n = position.len();
            let (velocity, affine) = (vec![DVec3::ZERO; n], vec![DMat3::ZERO; n]);
            Tank { world, outline, pose, position, velocity, affine, work: Workspace::default() }
        }

        fn step(&mut self, dt: f64) -> Outcome {
            let Tank { world, outline, pose, position, velocity, affine, work } = self;
            let body = Body {
                outline: Some(outline),
                pose: *pose,
                velocity: DVec3::ZERO,
                spin: DVec3::ZERO,
                moves: false,
            };
            let density = vec![world.density; position.len()];
            let particles = Particles { position, velocity, affine, density: &density };
            let bodies = [body];
            work.prepare(world, &particles, &bodies).unwrap();
            let found = work.advance(world, &bodies, &[], dt, Stop::default()).unwrap();
            *position = found.position.clone();
            *velocity = found.velocity.clone();
            *affine = found.affine.clone();
            found
        }
    }

    /// What is known of a column after some time at rest.
    struct Rest {
        /// RMS speed over √(g H).
        speed: f64,
        /// Force on the tank over the weight.
        force: f64,
        /// Slope of the pressure over depth, over ρ g.
        slope: f64,
    }

    fn at_rest(mut tank: Tank, steps: u32, volume: Volume) -> Rest {
        tank.world.settings.volume = volume;
        let (down, rho) = (tank.world.gravity, tank.world.density);
        let mut found = Outcome::default();
        for _ in 0..steps {
            found = tank.step(0.25);
        }
        let n = found.position.len() as f64;
        let (mut sum, mut square) = ([0.0; 2], [0.0; 2]);
        let deep = found
            .position
            .iter()
            .zip(&found.pressure)
            .map(|(x, &p)| ((*x - tank.pose.translation).dot(down), f64::from(p) / rho));
        let deep: Vec<(f64, f64)> = deep.filter(|(depth, _)| (-3.0..8.0).contains(depth)).collect();
        for (depth, p) in &deep {
            sum = [sum[0] + depth, sum[1] + p];
            square = [square[0] + depth * depth, square[1] + depth * p];
        }
        let count = deep.len() as f64;
        let slope = (square[1] - sum[0] * sum[1] / count) / (square[0] - sum[0] * sum[0] / count);
        let squares: f64 = found.velocity.iter().map(|v| v.length_squared()).sum();
        let weight = n * tank.world.dimension.volume(0.5) * rho;
        Rest {
            speed: (squares / n / 16.0).sqrt(),
            force: found.impulses[0][0].dot(down) / 0.25 / weight,
            slope,
        }
    }

    #[test]
    fn water_at_rest_stays_and_its_tank_carries_its_weight() {
        let (count, room) = ([16, 32, 8], [16, 40, 8]);
        for dimension in [Dimension::Two, Dimension::Three] {
            let still = at_rest(Tank::new(dimension, count, room, 0.0), 10, Volume::None);
            assert!(still.speed < 1e-5, "{dimension:?}: {}", still.speed);
            assert!((still.force - 1.0).abs() < 2e-3, "{dimension:?}: {}", still.force);
            assert!((still.slope - 1.0).abs() < 1e-4, "{dimension:?}: {}", still.slope);
        }
        for angle in [0.0, 0.5] {
            let tank = Tank::new(Dimension::Two, count, room, angle);
            let Rest { speed, force, slope } = at_rest(tank, 60, Volume::Density);
            assert!(speed < 5e-3, "{angle}: {speed}");
            assert!((force - 1.0).abs() < 0.015, "{angle}: {force}");
            assert!((slope - 1.0).abs() < 2e-3, "{angle}: {slope}");
        }
    }

    #[test]
    fn water_that_fills_a_closed_box_presses_on_all_walls_alike() {
        let mut tank = Tank::new(Dimension::Two, [16, 16, 1], [16, 16, 1], 0.3);
        let half = DVec3::new(4.0, 4.0, 1.0);
        let shape = Shape::Tank { half, open: vec![] };
        let mesh = wall_of(&shape, WetSide::Inside, 3.0).unwrap();
        tank.outline = Outline::new(&mesh, Dimension::Two).unwrap();
        let mut found = Outcome::default();
        for _ in 0..20 {
            found = tank.step(0.25);
        }
        assert_eq!(found.report.pockets, 1);
        assert!(found.report.divergence < 1e-5, "{:?}", found.report);
        let fastest = found.velocity.iter().map(|v| v.length()).fold(0.0, f64::max);
        assert!(fastest < 0.05, "{fastest}");
        let force = found.impulses[0][0].length() / 0.25;
        assert!((force / (64.0 * 2.0) - 1.0).abs() < 0.02, "{force}");
    }

    #[test]
    fn steps_have_the_same_bits_on_any_number_of_threads() {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut tank = Tank::new(Dimension::Three, [10, 12, 9], [20, 24, 9], 0.2);
                (0..4).for_each(|_| drop(tank.step(0.3)));
                (tank.position, tank.velocity, tank.affine)
            })
        };
        let one = run(1);
        assert!(one == run(2) && one == run(3) && one == run(8));
    }

    #[test]
    fn what_flies_freely_falls_as_told_and_what_is_nowhere_is_refused() {
        let mut tank = Tank::new(Dimension::Three, [1, 1, 1], [20, 40, 20], 0.0);
        tank.position = vec![tank.pose.translation];
        for _ in 0..8 {
            tank.step(0.25);
        }
        let fallen = tank.position[0].y - tank.pose.translation.y;
        assert!((fallen + 0.5 * 4.0 * 9.0 / 8.0).abs() < 1e-9, "{fallen}");
        tank.position[0].x = f64::NAN;
        let Tank { world, position, velocity, affine, .. } = &tank;
        let particles = Particles { position, velocity, affine, density: &[2.0] };
        let found = Workspace::default().prepare(world, &particles, &[]);
        assert_eq!(found, Err(Error::Nowhere(0)));
    }
}
