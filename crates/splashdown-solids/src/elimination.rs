//! Guests are eliminated before a linear system is solved: each couples to vertices, none to
//! another guest, so that the block of all guests is one of 3×3 blocks on a diagonal.
//!
//! ```text
//! (EL1)  ( H_s  Gᵀ  ) (y)   (r)         (H_s − Gᵀ H_f⁻¹ G) y = r − Gᵀ H_f⁻¹ f
//!        ( G    H_f ) (z) = (f)    ⟹    z = H_f⁻¹ (f − G y)
//! (EL2)  H_f = L Lᵀ,   W = L⁻¹ G,   u = L⁻¹ f:     H_s − Wᵀ W,   r − Wᵀ u,   z = L⁻ᵀ (u − W y)
//! ```

use std::collections::BTreeSet;

use glam::{DMat3, DVec3};
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use crate::unknowns::Unknowns;
use splashdown_solve::block_matrix::{BlockMatrix, Key, Unsolvable, key};
use splashdown_solve::dense::Mat12;

/// The rows of all guests.
#[derive(Clone, Debug, Default)]
pub struct Elimination {
    /// How many vertices come before them.
    first: u32,
    rows: Vec<Row>,
}

/// The row of one guest.
#[derive(Clone, Debug, Default)]
struct Row {
    /// Its block of H_f; L once it is factorised.
    own: Matrix3<f64>,
    /// The unknowns it couples to, sorted, and its blocks of G; later of W.
    others: Vec<(u32, Matrix3<f64>)>,
}

impl Elimination {
    /// Gets ready for `count` guests after `first` vertices, which take part in `couplings`.
    pub fn begin(
        &mut self,
        (first, count): (usize, usize),
        unknowns: &Unknowns,
        couplings: &[[u32; 4]],
    ) {
        self.first = first as u32;
        self.rows.clear();
        self.rows.resize(count, Row::default());
        for [guest, others @ ..] in couplings.iter().filter(|c| c[0] >= self.first) {
            let row = &mut self.rows[(guest - self.first) as usize];
            let of = others.iter().flat_map(|&v| unknowns.of(v));
            row.others.extend(of.map(|(u, _)| (u, Matrix3::zeros())));
        }
        self.rows.par_iter_mut().for_each(|row| {
            row.others.sort_unstable_by_key(|(u, _)| *u);
            row.others.dedup_by_key(|(u, _)| *u);
        });
    }

    /// Whether point `v` is eliminated.
    pub fn has(&self, v: u32) -> bool {
        v >= self.first && !self.rows.is_empty()
    }

    /// Blocks that unknowns of the bodies have in common because a guest couples them.
    pub fn keys(&self) -> Vec<Key> {
        let of_row = |row: &Row| {
            let mut keys = Vec::new();
            for (i, (a, _)) in row.others.iter().enumerate() {
                keys.extend(row.others[..i].iter().map(|(b, _)| key(*a, *b)));
            }
            keys
        };
        self.rows.par_iter().flat_map_iter(of_row).collect()
    }

    /// Adds `value` times the identity for guest `v`.
    pub fn add_own(&mut self, v: u32, value: f64) {
        self.rows[(v - self.first) as usize].own += Matrix3::identity() * value;
    }

    /// Adds the second derivatives `h` of a term of a guest and three vertices; what is between
    /// vertices alone goes to `matrix`.
    pub fn add(
        &mut self,
        matrix: &mut BlockMatrix,
        unknowns: &Unknowns,
        [guest, others @ ..]: &[u32; 4],
        h: &Mat12,
    ) {
        let row = &mut self.rows[(guest - self.first) as usize];
        row.own += h.fixed_view::<3, 3>(0, 0);
        for (k, &v) in others.iter().enumerate() {
            let block = h.fixed_view::<3, 3>(0, 3 * (k + 1));
            for (u, weight) in unknowns.of(v) {
                if let Ok(at) = row.others.binary_search_by_key(&u, |(other, _)| *other) {
                    row.others[at].1 += block * weight;
                }
            }
        }
        unknowns.add(matrix, others, &h.fixed_view::<9, 9>(3, 3).into_owned());
    }

    /// How many guests couple to unknowns of bodies, and to how many.
    pub fn coupled(&self) -> [usize; 2] {
        let rows = self.rows.iter().filter(|row| !row.others.is_empty());
        let met: BTreeSet<u32> =
            rows.clone().flat_map(|row| &row.others).map(|(u, _)| *u).collect();
        [rows.count(), met.len()]
    }

    /// H_f as it was assembled, guest by guest.
    pub fn own_blocks(&self) -> Vec<DMat3> {
        let block = |row: &Row| DMat3::from_cols_slice(row.own.as_slice());
        self.rows.iter().map(block).collect()
    }

    /// Adds what H_f, G and Gᵀ as they were assembled do to `p`: unknowns of bodies, then guests.
    pub fn add_product(&self, p: &[DVec3], out: &mut [DVec3]) {
        let bodies = p.len() - self.rows.len();
        let vector = |p: DVec3| Vector3::new(p.x, p.y, p.z);
        let to = |f: Vector3<f64>| DVec3::new(f.x, f.y, f.z);
        for (k, row) in self.rows.iter().enumerate() {
            let z = vector(p[bodies + k]);
            let mut own = row.own * z;
            for (other, block) in &row.others {
                own += block * vector(p[*other as usize]);
                out[*other as usize] += to(block.transpose() * z);
            }
            out[bodies + k] += to(own);
        }
    }

    /// Makes `matrix` the complement (EL2). Threads compute, one subtracts in a fixed order.
    pub fn complete(
        &mut self,
        matrix: &mut BlockMatrix,
        unknowns: &Unknowns,
    ) -> Result<(), Unsolvable> {
        self.rows.par_iter_mut().try_for_each(|row| row.factorise(unknowns))?;
        for row in &self.rows {
            for (i, (a, left)) in row.others.iter().enumerate() {
                for (b, right) in &row.others[..=i] {
                    let product = left.transpose() * right;
                    let block = matrix.block_of(*a, *b);
                    for (k, entry) in block.iter_mut().enumerate() {
                        *entry -= product[(k / 3, k % 3)];
                    }
                }
            }
        }
        Ok(())
    }

    /// The right side of the complement, from that of everything; and u.
    pub fn reduce(&self, right: &[DVec3]) -> (Vec<DVec3>, Vec<Vector3<f64>>) {
        let (own, of_guests) = right.split_at(right.len() - self.rows.len());
        let down = |(row, f): (&Row, &DVec3)| row.down(Vector3::new(f.x, f.y, f.z));
        let u: Vec<Vector3<f64>> = self.rows.par_iter().zip(of_guests).map(down).collect();
        let mut reduced = own.to_vec();
        for (row, u) in self.rows.iter().zip(&u) {
            for (other, w) in &row.others {
                let part = w.transpose() * u;
                reduced[*other as usize] -= DVec3::new(part.x, part.y, part.z);
            }
        }
        (reduced, u)
    }

    /// z of (EL2), after the unknowns of the bodies.
    pub fn expand(&self, mut y: Vec<DVec3>, u: &[Vector3<f64>]) -> Vec<DVec3> {
        let up = |(row, u): (&Row, &Vector3<f64>)| {
            let minus = |left: Vector3<f64>, (other, w): &(u32, Matrix3<f64>)| {
                let y = y[*other as usize];
                left - w * Vector3::new(y.x, y.y, y.z)
            };
            row.up(row.others.iter().fold(*u, minus))
        };
        let z: Vec<DVec3> = self.rows.par_iter().zip(u).map(up).collect();
        y.extend(z);
        y
    }
}

impl Row {
    fn factorise(&mut self, unknowns: &Unknowns) -> Result<(), Unsolvable> {
        self.own = self.own.cholesky().ok_or(Unsolvable::Indefinite)?.unpack();
        for (u, block) in &mut self.others {
            let axes = unknowns.locked_axes(*u);
            (0..3).filter(|&k| axes[k]).for_each(|k| block.column_mut(k).fill(0.0));
            if !self.own.solve_lower_triangular_mut(block) {
                return Err(Unsolvable::Indefinite);
            }
        }
        Ok(())
    }

    /// L⁻¹ f
    fn down(&self, mut f: Vector3<f64>) -> Vector3<f64> {
        self.own.solve_lower_triangular_mut(&mut f);
        f
    }

    /// L⁻ᵀ u
    fn up(&self, mut u: Vector3<f64>) -> DVec3 {
        self.own.tr_solve_lower_triangular_mut(&mut u);
        DVec3::new(u.x, u.y, u.z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::Substance;
    use crate::guests::{Guest, GuestSettings, Guests, Linear};
    use crate::material::{Material, Model};
    use crate::meshing::block;
    use crate::parts::Parts;
    use crate::solids::{Hold, Integrator, Settings, Solids};
    use crate::step::{Outside, Workspace, begin};
    use splashdown_solve::differences::Random;
    use splashdown_solve::stop::Stop;

    /// A soft block with locked vertices, a rigid one beside it and a fixed floor below them.
    fn bodies() -> Solids {
        let material = Material::new(Model::NeoHookean, 1e5, 0.3);
        let matter = Substance { material, density: 1e3, friction: 0.5, drag: 0.0, damping: 0.0 };
        let mut solids = Solids::default();
        let mut mesh = block(DVec3::ONE, [2, 2, 2]);
        solids.add_body(&mesh, &matter, |_| DVec3::ZERO).unwrap();
        mesh.vertices.iter_mut().for_each(|v| *v += 1.5 * DVec3::X);
        solids.add_rigid(&mesh, None, &matter, |_| DVec3::ZERO).unwrap();
        solids.locked[..9].fill([false, true, false]);
        let corner = |x: f64, y: f64| DVec3::new(x, y, -1.0);
        let floor = [corner(-4.0, -4.0), corner(4.0, -4.0), corner(0.0, 6.0)];
        solids.add_obstacle(&floor, &[[0, 1, 2]], Hold::Fixed, 0.5);
        solids
    }

    #[test]
    fn eliminated_guests_go_where_they_go_as_unknowns_of_the_whole_system() {
        let (solids, mut random) = (bodies(), Random::new(45));
        let settings = Settings {
            gap: crate::barrier::Gap { reach: 0.1, thickness: 0.0 },
            stiffness: 1e4,
            friction_speed: 1e-3,
            friction_updates: 1,
            tolerance: 1e-4,
            force_tolerance: 1e-4,
            max_iterations: 50,
            cut_short: None,
            integrator: Integrator::Bdf2,
            direct_limit: usize::MAX,
            verify: false,
        };
        let guest = |_| {
            let mut position = 1.2 * random.vector() + 0.75 * DVec3::X;
            position.z = -0.45 + 1.2 * random.unit();
            if position.z < 0.5 {
                position = DVec3::new(0.75 + 0.2 * random.signed(), position.y, position.z);
            }
            let goal = position + 0.1 * random.vector();
            Guest { position, goal, mass: 2.0, area: 0.1, friction: 0.3, press: 1.0 }
        };
        let all: Vec<Guest> = (0..80).map(guest).collect();
        let direction = |linear: Linear| {
            let of_guests =
                GuestSettings { reach: 0.2, stiffness: 1e4, linear, ..GuestSettings::default() };
            let guests = Some(Guests { all: &all, settings: of_guests, start: None });
            let outside = Outside { dt: 1e-2, gravity: -10.0 * DVec3::Z, force: &[], guests };
            let still = |_| DVec3::ZERO;
            let parts = (Parts::default(), Stop::default());
            let (mut objective, _) = begin(&solids, &settings, outside, still, parts);
            let mut x = solids.position.clone();
            x.extend(all.iter().map(|guest| guest.position));
            objective.look(&x, &x);
            let crowd = objective.crowd.as_mut().unwrap();
            assert!(crowd.stuck(&x).is_none());
            crowd.slips = crowd.lagged(&x);
            assert!(crowd.slips.len() > 20, "{}", crowd.slips.len());
            let mut workspace = Workspace::default();
            objective.assemble(&x, &mut workspace).unwrap();
            let down: Vec<DVec3> = objective.slope(&x).0.iter().map(|g| -*g).collect();
            objective.solve(&mut workspace, &down).unwrap()
        };
        let [schur, whole] = [Linear::Schur, Linear::Whole].map(direction);
        let size = whole.iter().map(|p| p.length()).fold(0.0, f64::max);
        let apart = schur.iter().zip(&whole).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(schur.len() == whole.len() && apart < 1e-11 * size, "{apart} of {size}");
    }
}
