//! From what the user wrote to what the simulation uses: vectors, rotations, formulas, placements.
//!
//! Every function reports what is wrong and then returns something harmless, so that the next error
//! is found too.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::errors::Report;
use super::file::{Number, Rotation, SceneFile, Vector, VectorField};
use super::gallery;
use super::geometry::Geometry;
use super::input::Input;
use super::validate::join;
use crate::expression::Expression;
use crate::math::{DQuat, DVec3, Dimension, Pose};
use crate::motion::Scalar;
use crate::shapes::{ParticleFile, Shape};

/// Objects are at most this many spacings from the origin: beyond, the digits of a coordinate no
/// longer tell neighbours apart well.
const FARTHEST: f64 = 1e9;

/// What conversions need to know about the scene.
pub(crate) struct Converter<'r, 's> {
    pub dimension: Dimension,
    pub spacing: f64,
    pub duration: f64,
    pub directory: &'r Path,
    /// Files that the scene names, as it does.
    pub inputs: BTreeSet<String>,
    pub report: &'r mut Report<'s>,
    /// Whether spacing and dimension are as the user wrote them: what is too large, too small or
    /// too far depends on it.
    pub has_scale: bool,
    /// What reading a file may take, bytes.
    pub memory: u64,
    /// Shapes of generators by their keys.
    pub generated: HashMap<String, Geometry>,
    /// Meshes by their files and scales; or what is wrong with them.
    pub meshes: HashMap<(Input, u64), Result<Shape, String>>,
    /// Particles that have been read to be counted.
    pub particles: HashMap<Input, ParticleFile>,
}

/// A velocity as a function of position.
pub(crate) struct Field([Component; 3]);

enum Component {
    Constant(f64),
    Expression(Expression),
}

impl Field {
    /// The value at `p`.
    pub(super) fn at(&self, p: DVec3) -> DVec3 {
        let value = |component: &Component| match component {
            Component::Constant(value) => *value,
            Component::Expression(expression) => expression.evaluate(&p.to_array()),
        };
        DVec3::from_array([value(&self.0[0]), value(&self.0[1]), value(&self.0[2])])
    }
}

impl<'r, 's> Converter<'r, 's> {
    pub(super) fn new(file: &SceneFile, directory: &'r Path, report: &'r mut Report<'s>) -> Self {
        let simulation = &file.simulation;
        let dimension = if simulation.dimension == 2 { Dimension::Two } else { Dimension::Three };
        let has_scale =
            !["spacing", "dimension"].iter().any(|name| report.is_wrong(&join("simulation", name)));
        Converter {
            dimension,
            spacing: simulation.spacing,
            duration: simulation.duration,
            directory,
            inputs: BTreeSet::new(),
            report,
            has_scale,
            memory: u64::MAX,
            generated: HashMap::new(),
            meshes: HashMap::new(),
            particles: HashMap::new(),
        }
    }

    /// A position, not too far away.
    pub(super) fn position(&mut self, key: &str, vector: &Vector) -> DVec3 {
        let position = self.vector(key, vector);
        self.within_reach(key, position);
        position
    }

    /// Reports a position whose digits would not tell neighbouring particles apart.
    pub(super) fn within_reach(&mut self, key: &str, position: DVec3) {
        let farthest = FARTHEST * self.spacing;
        let is_far = position.abs().max_element() > farthest || !position.is_finite();
        if self.has_scale && is_far {
            let help = format!("at most {farthest:e} m for this spacing");
            self.report.key(key, "is too far from the origin", Some(help));
        }
    }

    /// A position, velocity or direction: three components, or in 2D two and perhaps a zero.
    pub(super) fn vector(&mut self, key: &str, vector: &Vector) -> DVec3 {
        self.check_components(key, vector.0.len());
        if self.dimension == Dimension::Two && vector.0.get(2).is_some_and(|z| *z != 0.0) {
            let help = "leave it out or write 0".to_string();
            self.report.key(key, "has a third component in a 2D scene", Some(help));
        }
        vector.to_dvec3()
    }

    /// A direction: a vector of any length but zero, made one long.
    pub(super) fn direction(&mut self, key: &str, vector: &Vector) -> DVec3 {
        let vector = self.vector(key, vector);
        vector.try_normalize().unwrap_or_else(|| {
            self.report.key(key, "must not be zero", None);
            DVec3::X
        })
    }

    /// Edge lengths, all positive. A 2D scene is one metre deep.
    pub(super) fn size(&mut self, key: &str, vector: &Vector) -> DVec3 {
        self.check_components(key, vector.0.len());
        let size = match self.dimension {
            Dimension::Two => vector.to_dvec3().with_z(1.0),
            Dimension::Three => vector.to_dvec3(),
        };
        if size.cmple(DVec3::ZERO).any() {
            let help = "every component must be above 0 m".to_string();
            self.report.key(key, format!("{size} is out of range"), Some(help));
            return DVec3::ONE;
        }
        size
    }

    fn check_components(&mut self, key: &str, count: usize) {
        if self.has_scale && self.dimension == Dimension::Three && count != 3 {
            let help = "write [x, y, z], or set simulation.dimension = 2".to_string();
            self.report.key(key, format!("has {count} components in a 3D scene"), Some(help));
        }
    }

    /// An angular velocity: from degrees to radians per second. In 2D only z turns.
    pub(super) fn spin(&mut self, key: &str, vector: &Vector) -> DVec3 {
        let spin = vector.to_dvec3();
        self.turns_in_plane(key, spin);
        DVec3::from_array(spin.to_array().map(f64::to_radians))
    }

    /// In 2D, rotations are about z.
    pub(super) fn turns_in_plane(&mut self, key: &str, axis: DVec3) {
        if self.dimension == Dimension::Two && (axis.x != 0.0 || axis.y != 0.0) {
            let help = "the axis must be [0, 0, 1]".to_string();
            self.report.key(key, "turns out of the plane of a 2D scene", Some(help));
        }
    }

    /// A rotation as a unit quaternion.
    pub(super) fn rotation(&mut self, key: &str, rotation: &Rotation) -> DQuat {
        match rotation.to_quaternion() {
            Ok(quaternion) => {
                self.turns_in_plane(key, quaternion.xyz());
                quaternion
            }
            Err((part, message)) => {
                self.report.key(&join(key, part), message, None);
                DQuat::IDENTITY
            }
        }
    }

    /// A formula of the given variables, tried out at the origin of all of them.
    fn formula(&mut self, key: &str, text: &str, variables: &[&str]) -> Option<Expression> {
        match Expression::compile(text, variables) {
            Ok(expression) => Some(expression),
            Err(error) => {
                self.report.within(key, error.span, error.message, error.help);
                None
            }
        }
    }

    /// A number or formula of `t`, finite during the whole simulation.
    pub(super) fn scalar(&mut self, key: &str, number: &Number) -> Scalar {
        let scalar = match number {
            Number::Constant(value) => Scalar::Constant(*value),
            Number::Expression(text) => match self.formula(key, text, &["t"]) {
                Some(expression) => Scalar::Expression(expression),
                None => return Scalar::Constant(0.0),
            },
        };
        if let Some(t) = scalar.first_bad_time(self.duration) {
            let message = format!("is {} at t = {t} s", scalar.at(t));
            self.report.key(key, message, Some("must be finite at all times".to_string()));
            return Scalar::Constant(0.0);
        }
        scalar
    }

    /// A vector of numbers or formulas of `t`.
    pub(super) fn scalars(&mut self, key: &str, field: &VectorField) -> [Scalar; 3] {
        self.check_field(key, field);
        [0, 1, 2].map(|k| match field.0.get(k) {
            Some(number) => self.scalar(&format!("{key}[{k}]"), number),
            None => Scalar::Constant(0.0),
        })
    }

    /// A vector of numbers or formulas of the position.
    pub(super) fn field(&mut self, key: &str, field: &VectorField) -> Field {
        self.check_field(key, field);
        Field([0, 1, 2].map(|k| match field.0.get(k) {
            None => Component::Constant(0.0),
            Some(Number::Constant(value)) => Component::Constant(*value),
            Some(Number::Expression(text)) => {
                match self.formula(&format!("{key}[{k}]"), text, &["x", "y", "z"]) {
                    Some(expression) => Component::Expression(expression),
                    None => Component::Constant(0.0),
                }
            }
        }))
    }

    fn check_field(&mut self, key: &str, field: &VectorField) {
        self.check_components(key, field.0.len());
        let third_is_zero = match field.0.get(2) {
            None => true,
            Some(Number::Constant(value)) => *value == 0.0,
            Some(Number::Expression(text)) => text.trim() == "0",
        };
        if self.dimension == Dimension::Two && !third_is_zero {
            let help = "leave it out or write 0".to_string();
            self.report.key(key, "has a third component in a 2D scene", Some(help));
        }
    }

    /// Half the edge lengths of a block, and its centre if a corner says where it is.
    pub(super) fn block(
        &mut self,
        key: &str,
        [size, min, max]: [&Option<Vector>; 3],
    ) -> (DVec3, Option<DVec3>) {
        let half = size.as_ref().map(|size| self.size(&join(key, "size"), size) / 2.0);
        let low = min.as_ref().map(|min| self.vector(&join(key, "min"), min));
        let high = max.as_ref().map(|max| self.vector(&join(key, "max"), max));
        let (half, centre) = match (half, low, high) {
            (Some(half), None, None) => return (half, None),
            (None, Some(low), Some(mut high)) => {
                if self.dimension == Dimension::Two {
                    high.z = low.z + 1.0;
                }
                if high.cmple(low).any() {
                    let help = "every component must be above that of min".to_string();
                    self.report.key(&join(key, "max"), format!("{high} is too low"), Some(help));
                    return (DVec3::ONE, None);
                }
                ((high - low) / 2.0, (low + high) / 2.0)
            }
            (Some(half), Some(low), None) => (half, low + half),
            (Some(half), None, Some(high)) => (half, high - half),
            (size, low, high) => {
                let message = match (size, low, high) {
                    (Some(_), ..) => "has more than it needs",
                    (_, Some(_), _) => "has min, but neither max nor size",
                    (.., Some(_)) => "has max, but neither min nor size",
                    _ => "has no size",
                };
                let help = "write size, or min and max, or size and one of them".to_string();
                // A part that is wrong has been left out.
                if !self.report.is_wrong(key) {
                    self.report.key(key, message, Some(help));
                }
                return (DVec3::ONE, None);
            }
        };
        (half, Some(self.dimension.flatten(centre)))
    }

    /// Where an object is: at `at`, or at `centre` if its shape says so.
    pub(super) fn placement(
        &mut self,
        key: &str,
        at: Option<&Vector>,
        centre: Option<DVec3>,
        rotate: &Rotation,
    ) -> Pose {
        let rotation = self.rotation(&join(key, "rotate"), rotate);
        let at_key = join(key, "at");
        let given = at.map(|at| self.vector(&at_key, at));
        if given.is_some() && centre.is_some() {
            let help = "leave it out, or give the shape only a size".to_string();
            self.report.key(&at_key, "is already fixed by a corner, min or max", Some(help));
        }
        let translation = given.or(centre).unwrap_or(DVec3::ZERO);
        // A key that is there: corners are part of the shape.
        let own_key = if at.is_none() && centre.is_some() { join(key, "shape") } else { at_key };
        self.within_reach(&own_key, translation);
        Pose { translation, rotation }
    }

    /// A file that exists, relative to the scene.
    pub(super) fn existing_file(&mut self, key: &str, file: &str, endings: &[&str]) -> PathBuf {
        self.inputs.insert(file.to_string());
        let path = self.directory.join(file);
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
        if !path.is_file() {
            let mut help = format!("looked for {}", path.display());
            if let Some(scene) = gallery::scene_with(file) {
                help +=
                    &format!("; `splashdown show {scene} --out DIR` writes a file of this name");
            }
            self.report.key(key, "there is no such file", Some(help));
        } else if !endings.contains(&ending.as_str()) {
            let help = format!("one of .{}", endings.join(", ."));
            self.report.key(key, format!("cannot read files that end in .{ending}"), Some(help));
        }
        path
    }
}
