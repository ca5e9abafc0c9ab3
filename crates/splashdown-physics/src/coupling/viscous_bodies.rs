//! Rigid bodies in the implicit solve: they move along with the fluid that drags them.
//!
//! A particle b of body K moves with v_b = V + Ω × x_bK = P_bᵀ U. With P_b k = (k, x_bK × k), what
//! an impulse k at b is to the body, its motion belongs to (V6) as one more equation:
//!
//!   M_K (U − U*) = Σ_ib P_b C_ib (xᵢ − v_b)   (V8)
//!
//! Viscosity acts between fluid and bodies, not between two bodies, so that each of them can be
//! eliminated by itself:
//!
//!   U = U* + R Σ_ib P_b C_ib (xᵢ − v_b*),   R = (M + B)⁻¹,   B = Σ_ib P_b C_ib P_bᵀ   (V9)
//!   (A x)ᵢ ← (A x)ᵢ − Σ_b C_ib P_bᵀ R Σ_jb P_b C_jb xⱼ   (V10)
//!
//! What remains is symmetric and positive definite in the fluid's velocities alone. A fluid
//! particle meets all particles of a body at once, in two matrices: its drag row. (V8) holds for
//! whatever x the iteration ends with, so that the impulse which the fluid reports is the one that
//! moves the body from U* to U.

use glam::{DMat3, DVec3, Vec4};
use rayon::prelude::*;

use crate::particles::neighbors::Chunk;
use crate::rigid::bodies::Body;
use crate::sph::system::FluidSystem;
use crate::sph::viscosity::DraggedWalls;
use crate::sph::viscosity::coefficients::{Coefficients, wall_line};
use crate::twist::Twist;

/// Rows per block of a parallel sum. Part of the result: another size rounds differently.
const BLOCK: usize = 2048;

/// One fluid particle at one body.
#[derive(Clone, Copy, Debug)]
struct DragRow {
    particle: u32,
    /// Place in `BodyDrag::bodies`.
    body: u32,
    /// Σ_b C_ib, and
    force: DMat3,
    /// Σ_b [x_bK]× C_ib, with lengths in h: impulse and angular impulse on the body per velocity.
    moment: DMat3,
}

/// A body that the fluid drags. Motions are velocities in m/s, spins times h.
#[derive(Clone, Debug)]
struct Dragged {
    solid: usize,
    /// U*.
    given: Twist,
    /// B U*.
    withheld: Twist,
    /// R.
    response: [[f64; 6]; 6],
}

/// All of them in one solve.
#[derive(Clone, Debug)]
pub struct BodyDrag<'a> {
    system: FluidSystem<'a>,
    rows: Vec<DragRow>,
    bodies: Vec<Dragged>,
}

/// What the particles of a chunk do to one body: their rows and their part of B.
struct ChunkDrag {
    solid: usize,
    rows: Vec<DragRow>,
    matrix: [[f64; 6]; 6],
}

impl<'a> BodyDrag<'a> {
    /// The rows of all fluid particles whose wall pairs have `coefficients`.
    pub fn find(
        system: FluidSystem<'a>,
        bodies: &[Body],
        chunks: &[Chunk],
        coefficients: &[Coefficients],
        dt: f64,
    ) -> BodyDrag<'a> {
        let mut all = BodyDrag { system, rows: Vec::new(), bodies: Vec::new() };
        if !bodies.iter().any(|body| body.is_dynamic) {
            return all;
        }
        let found: Vec<Vec<ChunkDrag>> = (chunks.par_iter().zip(coefficients))
            .map(|(chunk, coefficients)| of_chunk(&system, bodies, chunk, coefficients))
            .collect();
        let mut matrices: Vec<[[f64; 6]; 6]> = Vec::new();
        for found in found.into_iter().flatten() {
            let known = all.bodies.iter().position(|body| body.solid == found.solid);
            let number = known.unwrap_or_else(|| {
                let motion = bodies[found.solid].motion;
                let mut given = Twist::default();
                given.add(system.space.spacing / dt, &motion);
                let (withheld, response) = Default::default();
                all.bodies.push(Dragged { solid: found.solid, given, withheld, response });
                matrices.push(Default::default());
                all.bodies.len() - 1
            });
            add(&mut matrices[number], &found.matrix);
            let named = found.rows.into_iter().map(|row| DragRow { body: number as u32, ..row });
            all.rows.extend(named);
        }
        for (dragged, matrix) in all.bodies.iter_mut().zip(&matrices) {
            dragged.withheld = times(matrix, &dragged.given);
            dragged.response = response_with_drag(&bodies[dragged.solid], matrix);
        }
        all
    }

    /// Σ_ib P_b C_ib vᵢ of each body, in an order that does not depend on threads.
    fn impulses(&self, velocity: impl Fn(usize) -> DVec3 + Sync) -> Vec<Twist> {
        let of_block = |block: &[DragRow]| {
            let mut sums = vec![Twist::default(); self.bodies.len()];
            for row in block {
                let v = velocity(row.particle as usize);
                let impulse = Twist { linear: row.force * v, angular: row.moment * v };
                sums[row.body as usize].add(1.0, &impulse);
            }
            sums
        };
        let blocks: Vec<_> = self.rows.par_chunks(BLOCK).map(of_block).collect();
        let mut sums = vec![Twist::default(); self.bodies.len()];
        for block in blocks {
            sums.iter_mut().zip(&block).for_each(|(sum, part)| sum.add(1.0, part));
        }
        sums
    }
}

impl DraggedWalls for BodyDrag<'_> {
    fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// (V9): the velocities in `walls`, of all particles of solids, that belong to those of the
    /// fluid.
    fn drag(&self, fluid: &[DVec3], walls: &mut [DVec3]) {
        let impulses = self.impulses(|i| fluid[i]);
        let system = &self.system;
        let first = system.fluid_count();
        for (dragged, mut impulse) in self.bodies.iter().zip(impulses) {
            impulse.add(-1.0, &dragged.withheld);
            let mut motion = times(&dragged.response, &impulse);
            motion.add(1.0, &dragged.given);
            let solid = &system.solids[dragged.solid];
            let range = solid.range.clone();
            let places = &system.particles.position[range.clone()];
            let walls = &mut walls[range.start - first..range.end - first];
            walls.par_iter_mut().zip(places).with_min_len(1024).for_each(|(v, &x)| {
                *v = motion.at((x - solid.pose.translation) / system.space.spacing);
            });
        }
    }

    /// (V10): takes what bodies give way to the direction p from q = A p; returns how much p · q
    /// shrinks.
    fn give_way(&self, p: &[Vec4], q: &mut [Vec4]) -> f64 {
        let impulses = self.impulses(|i| p[i].truncate().as_dvec3());
        let motions: Vec<Twist> = (self.bodies.iter().zip(&impulses))
            .map(|(dragged, impulse)| times(&dragged.response, impulse))
            .collect();
        for row in &self.rows {
            let motion = &motions[row.body as usize];
            let pull = row.force * motion.linear + row.moment.transpose() * motion.angular;
            q[row.particle as usize] -= pull.as_vec3().extend(0.0);
        }
        impulses.iter().zip(&motions).map(|(impulse, motion)| impulse.dot(motion)).sum()
    }
}

/// Rows and parts of B of the particles of one chunk, by body.
fn of_chunk(
    system: &FluidSystem,
    bodies: &[Body],
    chunk: &Chunk,
    coefficients: &Coefficients,
) -> Vec<ChunkDrag> {
    let mut found: Vec<ChunkDrag> = Vec::new(); // of the few bodies near this chunk
    if coefficients.wall.is_empty() {
        return found;
    }
    for k in 0..chunk.particles.len() {
        let particle = (chunk.particles.start + k) as u32;
        let wall = &coefficients.wall[chunk.wall_pair_range(k)];
        for (pair, &c) in chunk.wall_pairs(k).iter().zip(wall) {
            let b = pair.index as usize;
            let Some(solid) = system.solid_of(b).filter(|&solid| bodies[solid].is_dynamic) else {
                continue;
            };
            let at = found.iter().position(|found| found.solid == solid).unwrap_or_else(|| {
                found.push(ChunkDrag { solid, rows: Vec::new(), matrix: Default::default() });
                found.len() - 1
            });
            let ChunkDrag { rows, matrix, .. } = &mut found[at];
            if rows.last().is_none_or(|row| row.particle != particle) {
                let (force, moment) = (DMat3::ZERO, DMat3::ZERO);
                rows.push(DragRow { particle, body: 0, force, moment });
            }
            let arm = (system.particles.position[b] - bodies[solid].centre) / system.space.spacing;
            let lever = cross_matrix(arm);
            let line = wall_line(system, particle as usize, pair);
            let force = coefficients.wall_matrix(c, line);
            let moment = lever * force;
            if let Some(row) = rows.last_mut() {
                row.force += force;
                row.moment += moment;
            }
            add_blocks(matrix, force, moment, moment * lever.transpose());
        }
    }
    found
}

/// R = (1 + M⁻¹ B)⁻¹ M⁻¹, which is (M + B)⁻¹ where no axis is locked, and zero along those that
/// are.
fn response_with_drag(body: &Body, matrix: &[[f64; 6]; 6]) -> [[f64; 6]; 6] {
    let mut mobility = [[0.0; 6]; 6];
    let linear = DMat3::from_diagonal(body.inverse_mass);
    add_blocks(&mut mobility, linear, DMat3::ZERO, body.inverse_inertia);
    let mut matrix = product(&mobility, matrix);
    (0..6).for_each(|i| matrix[i][i] += 1.0);
    let solved = solve(matrix, mobility);
    // Symmetric and zero along locked axes but for rounding; conjugate gradients count on the one,
    // locks on the other.
    let locked = mobility.map(|row| row.iter().all(|&m| m == 0.0));
    let entry = |i: usize, j: usize| 0.5 * (solved[i][j] + solved[j][i]);
    std::array::from_fn(|i| {
        std::array::from_fn(|j| if locked[i] || locked[j] { 0.0 } else { entry(i, j) })
    })
}

/// x with a x = b, by elimination with the largest pivot of each column.
fn solve(mut a: [[f64; 6]; 6], mut b: [[f64; 6]; 6]) -> [[f64; 6]; 6] {
    for column in 0..6 {
        let largest = |i: &usize, j: &usize| a[*i][column].abs().total_cmp(&a[*j][column].abs());
        let pivot = (column..6).max_by(largest).unwrap_or(column);
        a.swap(column, pivot);
        b.swap(column, pivot);
        let (own, own_right) = (a[column], b[column]);
        for row in (0..6).filter(|&row| row != column) {
            let factor = a[row][column] / own[column];
            for k in 0..6 {
                a[row][k] -= factor * own[k];
                b[row][k] -= factor * own_right[k];
            }
        }
    }
    std::array::from_fn(|i| b[i].map(|value| value / a[i][i]))
}

fn product(a: &[[f64; 6]; 6], b: &[[f64; 6]; 6]) -> [[f64; 6]; 6] {
    let entry = |i: usize, j: usize| (0..6).map(|k| a[i][k] * b[k][j]).sum();
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
}

fn add(sum: &mut [[f64; 6]; 6], part: &[[f64; 6]; 6]) {
    for (sum, part) in sum.iter_mut().flatten().zip(part.iter().flatten()) {
        *sum += part;
    }
}

/// Adds the symmetric matrix [[linear, mixedᵀ], [mixed, angular]].
fn add_blocks(sum: &mut [[f64; 6]; 6], linear: DMat3, mixed: DMat3, angular: DMat3) {
    for i in 0..3 {
        for j in 0..3 {
            sum[i][j] += linear.col(j)[i];
            sum[i + 3][j] += mixed.col(j)[i];
            sum[j][i + 3] += mixed.col(j)[i];
            sum[i + 3][j + 3] += angular.col(j)[i];
        }
    }
}

fn times(matrix: &[[f64; 6]; 6], twist: &Twist) -> Twist {
    let [a, b, c] = twist.linear.to_array();
    let [d, e, f] = twist.angular.to_array();
    let vector = [a, b, c, d, e, f];
    let row = |i: usize| matrix[i].iter().zip(vector).map(|(m, x)| m * x).sum::<f64>();
    Twist {
        linear: DVec3::new(row(0), row(1), row(2)),
        angular: DVec3::new(row(3), row(4), row(5)),
    }
}

/// [a]×, with [a]× b = a × b.
fn cross_matrix(a: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, a.z, -a.y),
        DVec3::new(-a.z, 0.0, a.x),
        DVec3::new(a.y, -a.x, 0.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_body_answers_with_mass_and_hold_together_and_not_along_locked_axes() {
        let mut body = Body {
            is_dynamic: true,
            centre: DVec3::ZERO,
            inverse_mass: DVec3::new(0.5, 0.25, 0.0),
            inverse_inertia: DMat3::from_diagonal(DVec3::new(0.2, 0.0, 0.1)),
            motion: Twist::default(),
        };
        let force = DMat3::from_cols(
            DVec3::new(3.0, 1.0, 0.0),
            DVec3::new(1.0, 2.0, 0.5),
            DVec3::new(0.0, 0.5, 4.0),
        );
        let lever = cross_matrix(DVec3::new(0.3, -2.0, 1.0));
        assert_eq!(lever * DVec3::X, DVec3::new(0.3, -2.0, 1.0).cross(DVec3::X));
        let mut matrix = [[0.0; 6]; 6];
        add_blocks(&mut matrix, force, lever * force, lever * force * lever.transpose());

        let locked = response_with_drag(&body, &matrix);
        for axis in [2, 4] {
            assert!(locked[axis].iter().all(|&r| r == 0.0), "{:?}", locked[axis]);
        }
        body.inverse_mass.z = 2.0;
        body.inverse_inertia = DMat3::from_diagonal(DVec3::new(0.2, 5.0, 0.1));
        let free = response_with_drag(&body, &matrix);
        let masses = [2.0, 4.0, 0.5, 5.0, 0.2, 10.0];
        (0..6).for_each(|i| matrix[i][i] += masses[i]);
        let one = product(&matrix, &free);
        for (i, row) in one.iter().enumerate() {
            for (j, &value) in row.iter().enumerate() {
                let expected = if i == j { 1.0 } else { 0.0 };
                assert!((value - expected).abs() < 1e-13, "{i} {j}: {value}");
            }
        }
    }
}
