//! The O(n²) twin of the neighbour search: what the fast one has to find.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::math::{Aabb, DVec3, Dimension};
use crate::particles::cells::{CellGrid, sorting_order};
use crate::particles::kernel::{Kernel, KernelKind, KernelShape, SUPPORT};
use crate::particles::neighbors::{Neighbors, SearchInput};
use crate::particles::pair::unit;
use crate::particles::store::reorder;
use crate::particles::wall_density::WallDensity;
use crate::particles::wide::Stretch;
use crate::with_kernel;
use proptest::prelude::*;

/// Distances, in h, that differ by less than this may fall on either side of a radius: places
/// within cells are rounded to 2⁻²¹.
const EDGE: f64 = 4.0e-6;

/// Particles in metres with everything the search asks for.
struct Scene {
    dimension: Dimension,
    kernel: KernelKind,
    h: f64,
    position: Vec<DVec3>,
    fluids: Vec<Range<usize>>,
    solids: Vec<Range<usize>>,
    weight: Vec<f32>,
}

impl Scene {
    fn fluid_count(&self) -> usize {
        self.fluids.last().map_or(0, |range| range.end)
    }

    /// In h.
    fn distance(&self, i: usize, j: usize) -> f64 {
        (self.position[i] - self.position[j]).length() / self.h
    }

    /// Particles closer to `i` than `radius` h, without itself.
    fn within(&self, i: usize, among: Range<usize>, radius: f64) -> BTreeSet<usize> {
        among.filter(|&j| j != i && self.distance(i, j) < radius).collect()
    }

    /// Whether both sets are the same up to particles on the very edge of the radius.
    fn same(&self, i: usize, radius: f64, a: &BTreeSet<usize>, b: &BTreeSet<usize>) -> bool {
        a.symmetric_difference(b).all(|&j| (self.distance(i, j) - radius).abs() < EDGE)
    }

    /// Sorts every object along the curve and searches with cells of `cell` h.
    fn search(&mut self, cell: f64, wide: Option<f64>) -> Neighbors {
        let bounds = Aabb::around(self.position.iter().copied());
        let grid = CellGrid::around(bounds, cell * self.h, DVec3::ZERO).unwrap();
        let (mut keys, mut within): (Vec<_>, Vec<_>) =
            self.position.iter().map(|&p| grid.locate(p, self.h)).unzip();
        for range in self.fluids.iter().chain(&self.solids) {
            if let Some(order) = sorting_order(&keys[range.clone()], range.start) {
                reorder(&mut keys[range.clone()], range.start, &order);
                reorder(&mut within[range.clone()], range.start, &order);
                reorder(&mut self.position[range.clone()], range.start, &order);
                reorder(&mut self.weight[range.clone()], range.start, &order);
            }
        }
        let inverse_mass: Vec<f32> = (1..=self.fluids.len()).map(|k| 1.0 / k as f32).collect();
        let mut neighbors = Neighbors::default();
        let found = neighbors.rebuild(&SearchInput {
            keys: &keys,
            within: &within,
            fluids: &self.fluids,
            solids: &self.solids,
            inverse_mass: &inverse_mass,
            weight: &self.weight,
            wall_density: WallDensity::NONE,
            kernel: Kernel { kind: self.kernel, dimension: self.dimension },
            cells: grid.shape(self.h),
            wide,
        });
        assert!(found.is_ok());
        neighbors
    }
}

/// Compares the search with the O(n²) loop.
fn check(scene: &Scene, neighbors: &Neighbors, wide: Option<f64>) -> Result<(), TestCaseError> {
    if let Some(support) = wide {
        check_wide(scene, neighbors, support)?;
    }
    let n = scene.fluid_count();
    let kernel = Kernel { kind: scene.kernel, dimension: scene.dimension };
    let sigma = kernel.lattice_sigma() / kernel.sigma();
    let steepest = kernel.lattice_sigma() * with_kernel!(scene.kernel, S => S::STEEPEST as f64);
    // Half a step of the fixed-point numbers, and what rounded places do to the slope.
    let step = 0.5 * f64::from(unit(steepest as f32));
    let tolerance = |q: f64| steepest * (4.0e-6 + 1.0e-6 / q);
    let gradient = |i: usize, j: usize| {
        let d = (scene.position[i] - scene.position[j]) / scene.h;
        let q = d.length();
        if q < 1e-5 { DVec3::ZERO } else { d * (sigma * kernel.dw(q) / q) }
    };
    let mut seen = 0;
    for chunk in &neighbors.chunks {
        prop_assert_eq!(chunk.particles.start, seen);
        seen = chunk.particles.end;
        for (k, i) in chunk.particles.clone().enumerate() {
            let found: BTreeSet<usize> = chunk.neighbors(k).map(|(j, _)| j).collect();
            prop_assert_eq!(found.len(), chunk.pairs(k).len(), "a neighbour twice");
            let expected = scene.within(i, 0..n, SUPPORT);
            prop_assert!(scene.same(i, SUPPORT, &found, &expected), "{found:?} {expected:?}");
            let walls: BTreeSet<usize> =
                chunk.wall_pairs(k).iter().map(|pair| pair.index as usize).collect();
            let expected_walls = scene.within(i, n..scene.position.len(), SUPPORT);
            prop_assert!(scene.same(i, SUPPORT, &walls, &expected_walls));

            let mut density = sigma * kernel.w(0.0);
            for (j, g) in chunk.neighbors(k) {
                density += sigma * kernel.w(scene.distance(i, j));
                if scene.distance(i, j) > 1e-3 {
                    let error = (g.as_dvec3() - gradient(i, j)).abs().max_element();
                    prop_assert!(
                        error < step + tolerance(scene.distance(i, j)),
                        "gradient {g} off by {error:e}"
                    );
                }
            }
            for pair in chunk.wall_pairs(k) {
                let j = pair.index as usize;
                let beta = f64::from(scene.weight[j]);
                density += beta * sigma * kernel.w(scene.distance(i, j));
                if scene.distance(i, j) > 1e-3 {
                    let g = DVec3::from(pair.gradient.map(f64::from));
                    let error = (g - beta * gradient(i, j)).abs().max_element();
                    prop_assert!(
                        error < beta * tolerance(scene.distance(i, j)),
                        "wall gradient off by {error:e}"
                    );
                }
            }
            let error = (f64::from(chunk.sums[k].number_density) - density).abs();
            prop_assert!(error < 2.0e-6 * density, "density {density} off by {error:e}");
        }
    }
    prop_assert_eq!(seen, n);
    Ok(())
}

/// The same for the lists with the wide kernel.
fn check_wide(scene: &Scene, neighbors: &Neighbors, support: f64) -> Result<(), TestCaseError> {
    let n = scene.fluid_count();
    let kernel = Kernel { kind: scene.kernel, dimension: scene.dimension };
    let stretched = Stretch::new(kernel, support);
    let squeeze = SUPPORT / support;
    let w = |q: f64| squeeze.powi(scene.dimension.count() as i32) * kernel.w(squeeze * q);
    prop_assert!((stretched.w(scene.kernel, 1.3) - w(1.3)).abs() < 1e-12);
    prop_assert_eq!(neighbors.wide.len(), neighbors.chunks.len());
    for list in &neighbors.wide {
        let own = scene.fluids[list.fluid].clone();
        for (k, i) in list.particles.clone().enumerate() {
            let fluid = |kind| list.pairs(k, kind).iter().map(|pair| list.index(pair));
            let walls = list.walls(k).iter().map(|pair| pair.index as usize);
            let found: [BTreeSet<usize>; 3] =
                [fluid(0).collect(), fluid(1).collect(), walls.collect()];
            let others: Vec<usize> = (0..n).filter(|j| !own.contains(j)).collect();
            let groups = [own.clone().collect(), others, (n..scene.position.len()).collect()];
            for (kind, (found, group)) in found.iter().zip(&groups).enumerate() {
                let near = |j: &&usize| **j != i && scene.distance(i, **j) < support;
                let expected: BTreeSet<usize> = group.iter().filter(near).copied().collect();
                prop_assert!(scene.same(i, support, found, &expected), "{found:?} {expected:?}");
                let weigh = |j: &usize| {
                    let beta = if kind == 2 { f64::from(scene.weight[*j]) } else { 1.0 };
                    beta * w(scene.distance(i, *j))
                };
                let own = if kind == 0 { w(0.0) } else { 0.0 };
                let density = own + expected.iter().map(weigh).sum::<f64>();
                let error = (f64::from(list.sums[k].density[kind]) - density).abs();
                prop_assert!(error <= 2.0e-6 * density.max(1.0), "{density} off by {error:e}");
            }
        }
    }
    Ok(())
}

/// g_ij = −g_ji to the last bit, and every pair is known to both sides.
fn check_antisymmetry(neighbors: &Neighbors) -> Result<(), TestCaseError> {
    let mut gradients = std::collections::BTreeMap::new();
    for chunk in &neighbors.chunks {
        for (k, i) in chunk.particles.clone().enumerate() {
            gradients.extend(chunk.neighbors(k).map(|(j, g)| ((i, j), g)));
        }
    }
    for (&(i, j), &g) in &gradients {
        let back = gradients.get(&(j, i));
        prop_assert_eq!(back.copied(), Some(-g), "{} and {}", i, j);
    }
    Ok(())
}

/// How points of [0, 1)³ are spread out, in h.
#[derive(Clone, Copy, Debug)]
enum Spread {
    Even,
    Sparse,
    Clustered,
    Jittered,
    Coincident,
}

fn scenes() -> impl Strategy<Value = Scene> {
    let points = prop::collection::vec(prop::array::uniform3(0.0..1.0f64), 1..400);
    let spread = prop::sample::select(vec![
        Spread::Even,
        Spread::Sparse,
        Spread::Clustered,
        Spread::Jittered,
        Spread::Coincident,
    ]);
    let kernel =
        prop::sample::select(vec![KernelKind::Cubic, KernelKind::Wendland, KernelKind::Spiky]);
    let dimension = prop::sample::select(vec![Dimension::Two, Dimension::Three]);
    let origin = prop::sample::select(vec![0.0, 1000.0, -1000.0]);
    let cuts = prop::collection::vec(0.0..1.0f64, 4);
    (points, spread, kernel, dimension, origin, cuts, 0.001..0.5f64).prop_map(
        |(points, spread, kernel, dimension, origin, mut cuts, h)| {
            let n = points.len();
            let place = |(k, p): (usize, &[f64; 3])| {
                let p = DVec3::from(*p);
                let side = (n as f64).powf(1.0 / dimension.count() as f64).ceil();
                let lattice = DVec3::new(
                    k as f64 % side,
                    (k as f64 / side).floor() % side,
                    (k as f64 / (side * side)).floor(),
                );
                let q = match spread {
                    Spread::Even => p * side,
                    Spread::Sparse => p * (6.0 * side),
                    Spread::Clustered => p * p * p * side,
                    Spread::Jittered => lattice + 0.3 * p,
                    Spread::Coincident => (p * 0.7 * side).round(),
                };
                dimension.flatten(q * h + DVec3::new(origin, -0.3 * origin, 0.7 * origin))
            };
            let position: Vec<DVec3> = points.iter().enumerate().map(place).collect();
            cuts.sort_by(f64::total_cmp);
            let ends: Vec<usize> = cuts.iter().map(|c| (c * n as f64) as usize).collect();
            let weight = points.iter().map(|p| 0.5 + p[0] as f32).collect();
            Scene {
                dimension,
                kernel,
                h,
                position,
                fluids: vec![0..ends[0], ends[0]..ends[1], ends[1]..ends[2]],
                solids: vec![ends[2]..ends[3], ends[3]..n],
                weight,
            }
        },
    )
}

impl std::fmt::Debug for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {:?} h = {}", self.dimension, self.kernel, self.h)?;
        write!(f, " {:?} {:?} {:?}", self.fluids, self.solids, self.position)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_search_finds_what_the_quadratic_loop_finds(mut scene in scenes()) {
        let neighbors = scene.search(SUPPORT, None);
        check(&scene, &neighbors, None)?;
        check_antisymmetry(&neighbors)?;
    }

    #[test]
    fn one_search_serves_two_radii(mut scene in scenes()) {
        for support in [3.0, 4.0] {
            let neighbors = scene.search(support, Some(support));
            check(&scene, &neighbors, Some(support))?;
            check_antisymmetry(&neighbors)?;
        }
    }
}

#[test]
fn a_large_block_has_the_same_neighbours_across_chunks() {
    let h = 0.01;
    let mut state = 1u32;
    let mut jitter = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24) - 0.5
    };
    let mut position = Vec::new();
    for k in 0..3000 {
        let p = DVec3::new((k % 15) as f64, (k / 15 % 15) as f64, (k / 225) as f64);
        position.push((p + 0.2 * DVec3::new(jitter(), jitter(), jitter())) * h);
    }
    let n = position.len();
    let mut scene = Scene {
        dimension: Dimension::Three,
        kernel: KernelKind::Cubic,
        h,
        position,
        fluids: vec![0..n / 2, n / 2..n],
        solids: vec![],
        weight: vec![1.0; n],
    };
    let neighbors = scene.search(SUPPORT, None);
    assert!(neighbors.chunks.len() > 3);
    check(&scene, &neighbors, None).unwrap();
    check_antisymmetry(&neighbors).unwrap();
}
