//! The volume of fluid that elastic bodies take the place of.
//!
//! ```text
//! (IV1)  V = ½ ∮ r·n dA over what is wet of a closed surface, r and n without their parts along g
//! (IV2)  V = own volume × wet share of the surface, of sheets with a rim, rods and particles
//! ```
//!
//! (IV1) is Gauss' theorem: what closes the wet part is the surface of the fluid around the body,
//! whose normal is along g. So a hollow body takes the place of what it encloses, whether that is
//! air or not. Without gravity all three parts count, with a third instead of a half.
//!
//! A place on a surface is wet if there is fluid around the point half a spacing before it that
//! reaches as high as the place. Without gravity, if fluid fills half of what a flat wall leaves of
//! the space around that point.

use std::collections::HashMap;
use std::f64::consts::PI;

use splashdown_solids::element::Element;

use crate::math::{Aabb, DVec3};
use crate::world::World;

/// What is looked at around a point, in spacings.
const SUPPORT: f64 = 2.0;
/// ∫ (1 − q²)³ of the unit ball: what a lattice adds up to, over `SUPPORT`³.
const FULL: f64 = 64.0 * PI / 315.0;
/// Which share of that is beyond a wall a quarter of the radius away.
const AT_WALL: f64 = 0.783_38;
/// Less than this share is spray.
const LEAST: f64 = 0.05;
/// Sides of the pieces of a triangle, in spacings.
const PIECE: f64 = 0.5;
/// No triangle is cut into more pieces than the square of this.
const MOST_PIECES: f64 = 256.0;

/// Fluid near elastic bodies.
#[derive(Debug)]
pub struct Surrounding<'a> {
    world: &'a World,
    cells: HashMap<[i64; 3], Vec<u32>>,
}

impl<'a> Surrounding<'a> {
    /// What is around the elastic bodies of `world`.
    pub fn of(world: &'a World) -> Surrounding<'a> {
        let solids = &world.elastic.solids;
        let bodies = solids.bodies[..world.elastic.names.len()].iter();
        let vertices = bodies.flat_map(|body| &solids.position[body.vertices.clone()]);
        let mut surrounding = Surrounding { world, cells: HashMap::new() };
        if world.elastic.any() {
            let thickness = solids.offset.iter().copied().fold(0.0, f64::max);
            let reach = (SUPPORT + 0.5) * world.spacing + thickness;
            let near = Aabb::around(vertices.copied()).grown(reach);
            for (i, &x) in world.particles.position[..world.fluid_count()].iter().enumerate() {
                if near.contains(x) {
                    surrounding.cells.entry(surrounding.cell(x)).or_default().push(i as u32);
                }
            }
        }
        surrounding
    }

    fn cell(&self, x: DVec3) -> [i64; 3] {
        (x / (SUPPORT * self.world.spacing)).to_array().map(|x| x.floor() as i64)
    }

    /// Whether a surface with a normal to its outside is wet at `x`; of what is thin, whether `x`
    /// is, without a normal.
    fn wets(&self, x: DVec3, normal: DVec3) -> bool {
        let (spacing, up) = (self.world.spacing, -self.world.gravity.normalize_or_zero());
        let (before, reach) = (x + 0.5 * spacing * normal, SUPPORT * spacing);
        let [a, b, c] = self.cell(before);
        let (mut share, mut top) = (0.0, f64::NEG_INFINITY);
        for k in 0..27 {
            let cell = [a - 1 + k / 9, b - 1 + k / 3 % 3, c - 1 + k % 3];
            for &i in self.cells.get(&cell).into_iter().flatten() {
                let place = self.world.particles.position[i as usize];
                let near = 1.0 - (place.distance(before) / reach).powi(2);
                if near > 0.0 {
                    share += near.powi(3) / (FULL * SUPPORT.powi(3));
                    top = top.max(place.dot(up));
                }
            }
        }
        match up == DVec3::ZERO {
            true => share > 0.5 * AT_WALL,
            false => share > LEAST && top + 0.5 * spacing >= x.dot(up),
        }
    }

    /// The volume of fluid that elastic body `body` takes the place of, m³.
    pub fn immersed_volume(&self, body: usize) -> f64 {
        if self.cells.is_empty() {
            return 0.0;
        }
        let solids = &self.world.elastic.solids;
        let triangles = &solids.surface.triangles[solids.bodies[body].triangles.clone()];
        let corners: Vec<[u32; 3]> = triangles.iter().map(|(corners, _)| *corners).collect();
        match corners.is_empty() {
            true => self.of_thin(body),
            false if is_closed(&corners) => self.of_closed(body, &corners),
            false => self.of_sheet(&corners),
        }
    }

    /// (IV1)
    fn of_closed(&self, body: usize, triangles: &[[u32; 3]]) -> f64 {
        let solids = &self.world.elastic.solids;
        let range = solids.bodies[body].vertices.clone();
        let count = range.len().max(1) as f64;
        let centre = solids.position[range].iter().sum::<DVec3>() / count;
        let (along, share) = match self.world.gravity.try_normalize() {
            Some(down) => (down, 0.5),
            None => (DVec3::ZERO, 1.0 / 3.0),
        };
        // A shell may be written inside out.
        let out = if volume(triangles, &solids.position) < 0.0 { -1.0 } else { 1.0 };
        let mut wet = 0.0;
        for &corners in triangles {
            self.each_piece(corners, |x, normal, area, offset| {
                let normal = out * normal;
                let x = x + offset * normal;
                if self.wets(x, normal) {
                    let r = x - centre;
                    wet += share * area * (r.dot(normal) - r.dot(along) * normal.dot(along));
                }
            });
        }
        wet.max(0.0)
    }

    /// (IV2) of triangles with a thickness.
    fn of_sheet(&self, triangles: &[[u32; 3]]) -> f64 {
        let mut sum = 0.0;
        for &corners in triangles {
            self.each_piece(corners, |x, normal, area, offset| {
                let sides = [normal, -normal].map(|n| self.wets(x + offset * n, n));
                sum += sides.into_iter().filter(|wet| *wet).count() as f64 * offset * area;
            });
        }
        sum
    }

    /// (IV2) of rods and particles.
    fn of_thin(&self, body: usize) -> f64 {
        let solids = &self.world.elastic.solids;
        let (x, radius) = (&solids.position, &solids.offset);
        let body = &solids.bodies[body];
        let mut sum = 0.0;
        let mut is_rod = false;
        for element in &solids.elements[body.elements.clone()] {
            let Element::Stretch(segment) = element else { continue };
            is_rod = true;
            let [a, b] = segment.vertices.map(|v| v as usize);
            let length = x[a].distance(x[b]);
            let pieces = (length / (PIECE * self.world.spacing)).ceil().clamp(1.0, MOST_PIECES);
            let volume = PI * radius[a].powi(2) * length / pieces;
            let places = (0..pieces as u32).map(|k| x[a].lerp(x[b], (f64::from(k) + 0.5) / pieces));
            sum += places.filter(|x| self.wets(*x, DVec3::ZERO)).count() as f64 * volume;
        }
        if !is_rod {
            let all = body.vertices.clone().filter(|&v| self.wets(x[v], DVec3::ZERO));
            sum = all.map(|v| 4.0 / 3.0 * PI * radius[v].powi(3)).sum();
        }
        sum
    }

    /// Cuts a triangle into pieces: centre, normal, area and half the thickness of each.
    fn each_piece(&self, corners: [u32; 3], mut look: impl FnMut(DVec3, DVec3, f64, f64)) {
        let solids = &self.world.elastic.solids;
        let [a, b, c] = corners.map(|v| solids.position[v as usize]);
        let twice = (b - a).cross(c - a);
        let Some(normal) = twice.try_normalize() else { return };
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let sides = (longest / (PIECE * self.world.spacing)).ceil().clamp(1.0, MOST_PIECES);
        let area = 0.5 * twice.length() / (sides * sides);
        let offset = solids.offset[corners[0] as usize];
        let n = sides as u32;
        for i in 0..n {
            for j in 0..n - i {
                let mut piece = |i: f64, j: f64| {
                    let place = a + (i * (b - a) + j * (c - a)) / sides;
                    look(place, normal, area, offset);
                };
                let (i, j) = (f64::from(i), f64::from(j));
                piece(i + 1.0 / 3.0, j + 1.0 / 3.0);
                if i + j + 1.5 < sides {
                    piece(i + 2.0 / 3.0, j + 2.0 / 3.0);
                }
            }
        }
    }
}

/// What closed triangles enclose, m³; negative if they are seen from inside.
fn volume(triangles: &[[u32; 3]], x: &[DVec3]) -> f64 {
    let corners = triangles.iter().map(|t| t.map(|v| x[v as usize]));
    corners.map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
}

/// Whether triangles have no rim.
fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let edges = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut edges: Vec<[u32; 2]> = edges.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.chunk_by(|a, b| a == b).all(|shared| shared.len() == 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    /// A body in a basin that is filled up to y = 0.
    fn share(body: &str, volume: f64) -> f64 {
        let text = format!(
            r#"
            simulation = {{ spacing = 0.02, duration = 1 }}
            [[fluid]]
            name = "water"
            fill = [{{ shape.box = {{ min = [-0.3, -0.3, -0.3], max = [0.3, 0, 0.3] }} }}]
            [[elastic]]
            name = "body"
            youngs_modulus = 1e5
            {body}
            "#
        );
        let scene = Scene::parse("test.toml", &text, "", &[]).unwrap();
        let world = scene.build().unwrap().world;
        Surrounding::of(&world).immersed_volume(0) / volume
    }

    #[test]
    fn a_cube_half_under_water_takes_the_place_of_half_its_volume() {
        let cube = "shape.box = { size = [0.2, 0.2, 0.2] }";
        for (height, expected) in [(0.0, 0.5), (-0.05, 0.75), (0.04, 0.3), (-0.15, 1.0), (0.3, 0.0)]
        {
            let found = share(&format!("{cube}\nat = [0, {height}, 0]"), 0.008);
            assert!((found - expected).abs() < 0.015, "{height}: {found}");
        }
    }

    #[test]
    fn what_is_hollow_takes_the_place_of_what_it_encloses() {
        let ball = "kind = \"shell\"\nthickness = 0.002\nshape.sphere = { radius = 0.1 }\n\
                    element_size = 0.02";
        let volume = 4.0 / 3.0 * PI * 1e-3;
        let found = share(ball, volume);
        assert!((found - 0.5).abs() < 0.025, "{found}");
        let turned = "shape.box = { size = [0.2, 0.2, 0.2] }\nrotate = { axis = [1, 0, 1], \
                      angle = 40 }";
        let found = share(turned, 0.008);
        assert!((found - 0.5).abs() < 0.015, "{found}");
    }

    #[test]
    fn what_encloses_nothing_has_its_own_volume() {
        let rod = "kind = \"rod\"\nthickness = 0.01\npoints = [[0, -0.2, 0], [0, 0.2, 0]]\n\
                   element_size = 0.02";
        let found = share(rod, PI * 0.005_f64.powi(2) * 0.4);
        assert!((found - 0.5).abs() < 0.05, "{found}");
    }
}
