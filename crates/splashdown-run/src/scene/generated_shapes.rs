//! Generated shapes as written in a scene → `Shape`.

use super::convert::Converter;
use super::file::generated_shapes as written;
use super::file::shape::SolidShape;
use super::geometry::Geometry;
use super::validate::join;
use crate::math::Dimension;
use crate::mesh::TriangleMesh;
use crate::shapes::library::{self, ParameterError, Pin, Thread};
use crate::shapes::{MeshShape, Shape};

impl Converter<'_, '_> {
    /// A shape that a generator makes; none for the others. Sheets are of triangles about `edge`
    /// long.
    pub(super) fn generated_shape(
        &mut self,
        key: &str,
        shape: &SolidShape,
        edge: f64,
    ) -> Option<Geometry> {
        let (name, mesh) = match shape {
            SolidShape::Wedge(w) => {
                let size = self.size(&join(key, "wedge.size"), &w.size);
                ("wedge", Ok(library::wedge(size)))
            }
            SolidShape::Spike(s) => ("spike", library::spike(s.sides, s.radius, s.height)),
            SolidShape::HollowPrism(p) => {
                let depth = self.depth(&join(key, "hollow_prism"), p.depth);
                ("hollow_prism", library::hollow_prism(p.sides, p.radius, p.wall, depth))
            }
            SolidShape::Voussoir(v) => {
                let depth = self.depth(&join(key, "voussoir"), v.depth);
                ("voussoir", library::voussoir(v.inner, v.outer, v.angle.to_radians(), depth))
            }
            SolidShape::Gear(g) => {
                let depth = self.depth(&join(key, "gear"), g.depth);
                let pin =
                    Pin { radius: g.pin, at: g.pin_at, length: g.pin_length, head: g.pin_head };
                let pin = (g.pin > 0.0).then_some(&pin);
                ("gear", library::crank_gear(g.radius, g.teeth, g.bore, depth, pin))
            }
            SolidShape::Gate(g) => {
                let depth = self.depth(&join(key, "gate"), g.depth);
                ("gate", library::gate(g.width, g.height, g.hole, g.rim, depth))
            }
            SolidShape::Rack(r) => {
                let depth = self.depth(&join(key, "rack"), r.depth);
                ("rack", library::rack(r.module, r.length, r.back, depth))
            }
            SolidShape::WaterWheel(w) => {
                let depth = self.depth(&join(key, "water_wheel"), w.depth);
                let written::WaterWheel { radius, hub, paddles, thickness, bore, .. } = *w;
                ("water_wheel", library::water_wheel(radius, hub, paddles, thickness, bore, depth))
            }
            SolidShape::Propeller(p) => ("propeller", library::propeller(&propeller(p))),
            SolidShape::ChainLink(l) => {
                ("chain_link", library::chain_link(l.length, l.width, l.thickness))
            }
            SolidShape::Bolt(b) => {
                let thread = thread(b.radius, b.pitch, b.depth);
                let made = self.turns("length", b.length, b.pitch);
                ("bolt", made.and_then(|()| library::bolt(&thread, b.length, b.across, b.head)))
            }
            SolidShape::Nut(n) => {
                let thread = thread(n.radius, n.pitch, n.depth);
                let made = self.turns("height", n.height, n.pitch);
                ("nut", made.and_then(|()| library::nut(&thread, n.height, n.across, n.clearance)))
            }
            SolidShape::Funnel(f) => {
                let written::Funnel { radius, height, neck, neck_length, wall } = *f;
                ("funnel", library::funnel(radius, height, neck, neck_length, wall))
            }
            SolidShape::Letter(l) => {
                let depth = self.depth(&join(key, "letter"), l.depth);
                let mut letters = l.letter.chars();
                let letter = match (letters.next(), letters.next()) {
                    (Some(letter), None) => letter,
                    _ => '?', // not among the known ones
                };
                ("letter", library::letter(letter, l.height, l.stroke, depth))
            }
            SolidShape::Rabbit(r) => ("rabbit", Ok(library::rabbit(r.height))),
            SolidShape::Cow(c) => ("cow", Ok(library::cow(c.length))),
            SolidShape::Bowl(b) => ("bowl", library::bowl(b.radius, b.depth, b.wall)),
            SolidShape::Spoon(s) => ("spoon", Ok(library::spoon(s.length))),
            SolidShape::Tube(t) => ("tube", self.tube(&join(key, "tube"), t, edge)),
            SolidShape::Statue(s) => ("statue", Ok(library::statue(s.height))),
            SolidShape::Flower(f) => ("flower", library::flower(f.diameter, f.petals)),
            SolidShape::Duck(d) => ("duck", Ok(library::duck(d.length))),
            SolidShape::Elephant(e) => ("elephant", Ok(library::elephant(e.length))),
            SolidShape::SpaceCapsule(c) => {
                ("space_capsule", library::space_capsule(c.radius, c.height))
            }
            SolidShape::Creature(c) => ("creature", library::creature(c.size, c.lumps, c.seed)),
            _ => return None,
        };
        Some(self.finished(&join(key, name), mesh))
    }

    fn tube(
        &mut self,
        key: &str,
        written: &written::Tube,
        edge: f64,
    ) -> Result<TriangleMesh, ParameterError> {
        let holes = written.holes.iter().enumerate();
        let holes =
            holes.map(|(k, hole)| self.vector(&format!("{key}.holes[{k}]"), hole)).collect();
        let tube = library::Tube {
            bottom: written.radius,
            top: written.top.unwrap_or(written.radius),
            height: written.height,
            closed: written.closed,
            holes,
            hole: written.hole,
        };
        library::tube(&tube, edge)
    }

    fn finished(&mut self, key: &str, mesh: Result<TriangleMesh, ParameterError>) -> Geometry {
        let mesh = mesh.unwrap_or_else(|ParameterError { parameter, must }| {
            self.report.key(&join(key, parameter), "does not fit", Some(must));
            harmless()
        });
        let shape = MeshShape::new(mesh).or_else(|error| {
            // Sizes so extreme that their squares leave the numbers.
            self.report.key(key, error.to_string(), None);
            MeshShape::new(harmless())
        });
        match shape {
            Ok(mesh) => Geometry::Known(Shape::Mesh(mesh)),
            Err(_) => Geometry::Known(Shape::Sphere { radius: 1.0 }),
        }
    }

    /// Length along z of an extruded shape: required in 3D, without meaning in 2D.
    fn depth(&mut self, key: &str, depth: Option<f64>) -> f64 {
        match (self.dimension, depth) {
            (Dimension::Three, Some(depth)) => depth,
            (Dimension::Three, None) => {
                let help = "a number in m".to_string();
                self.report.key(&join(key, "depth"), "is missing", Some(help));
                1.0
            }
            (Dimension::Two, _) => 1.0,
        }
    }

    /// A thread of thousands of turns would be millions of triangles.
    fn turns(
        &self,
        parameter: &'static str,
        length: f64,
        pitch: f64,
    ) -> Result<(), ParameterError> {
        let most = 200.0 * pitch;
        match length <= most {
            true => Ok(()),
            false => Err(ParameterError { parameter, must: format!("must be at most {most} m") }),
        }
    }
}

/// Takes the place of a shape that could not be made, so that the next error is found too.
fn harmless() -> TriangleMesh {
    Shape::Box { half: crate::math::DVec3::ONE }.surface()
}

fn thread(radius: f64, pitch: f64, depth: Option<f64>) -> Thread {
    Thread { radius, pitch, depth: depth.unwrap_or(0.5 * pitch) }
}

fn propeller(p: &written::Propeller) -> library::Propeller {
    library::Propeller {
        radius: p.radius,
        hub: p.hub,
        blades: p.blades,
        chord: p.chord,
        thickness: p.thickness,
        angle: p.angle.to_radians(),
    }
}
