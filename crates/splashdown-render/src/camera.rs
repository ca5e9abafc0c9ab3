//! Where a picture is taken from.
//!
//! View coordinates: x to the right, y up, z into the picture, in metres; pixels: x to the right, y
//! down, from the upper left corner.

use glam::{Vec2, Vec3};
use splashdown_geometry::math::{Aabb, DVec3};

/// Half of the picture's height at distance one, unless told otherwise: 34 degrees in all.
const DEFAULT_FOV: f64 = 34.0;

/// A camera for a picture of a certain size.
#[derive(Clone, Copy, Debug)]
pub struct Camera {
    /// Everything is drawn relative to this point, so that single precision suffices anywhere.
    pub origin: DVec3,
    /// Where the camera is, relative to `origin`.
    pub eye: Vec3,
    /// To the right.
    pub right: Vec3,
    /// Up.
    pub up: Vec3,
    /// Into the picture.
    pub forward: Vec3,
    /// Pixels per unit of x/z (perspective) or per metre (orthographic).
    pub scale: f32,
    /// Whether far things look as large as near ones.
    pub orthographic: bool,
    /// Pixel that shows what is straight ahead.
    pub center: Vec2,
    /// Nothing nearer than this is drawn, m.
    pub near: f32,
}

/// What a user may ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum View {
    /// From the front, the right and above; from the front in 2D.
    #[default]
    Usual,
    /// Along −z.
    Front,
    /// Along −x.
    Side,
    /// Downwards.
    Top,
    /// From the front, the right and above.
    ThreeQuarter,
    /// From one point to another.
    Free {
        /// Where the camera is, m.
        eye: DVec3,
        /// What is in the middle of the picture, m.
        target: DVec3,
        /// Angle of view from bottom to top, degrees.
        fov: f64,
    },
}

impl View {
    /// Reads `front`, `side`, `top`, `three-quarter` or `eye=x,y,z target=x,y,z fov=40`.
    pub fn parse(text: &str) -> Result<View, String> {
        match text.trim() {
            "front" => return Ok(View::Front),
            "side" => return Ok(View::Side),
            "top" => return Ok(View::Top),
            "three-quarter" => return Ok(View::ThreeQuarter),
            _ => {}
        }
        let form = "write front, side, top, three-quarter or \"eye=x,y,z target=x,y,z fov=40\"";
        let (mut eye, mut target, mut fov) = (None, None, DEFAULT_FOV);
        for part in text.split_whitespace() {
            let (key, value) = part.split_once('=').ok_or(form)?;
            let numbers: Vec<f64> = value
                .split(',')
                .map(|number| number.parse().ok().filter(|x: &f64| x.is_finite()))
                .collect::<Option<_>>()
                .ok_or_else(|| format!("{part}: not a number; {form}"))?;
            match (key, &numbers[..]) {
                ("eye", &[x, y, z]) => eye = Some(DVec3::new(x, y, z)),
                ("target", &[x, y, z]) => target = Some(DVec3::new(x, y, z)),
                ("fov", &[angle]) if (1.0..=150.0).contains(&angle) => fov = angle,
                ("fov", _) => return Err(format!("{part}: must be from 1 to 150 degrees")),
                _ => return Err(format!("{part}: {form}")),
            }
        }
        let (eye, target) = (eye.ok_or(form)?, target.ok_or(form)?);
        if eye == target {
            return Err("eye and target are the same point".to_owned());
        }
        Ok(View::Free { eye, target, fov })
    }
}

/// The part of a picture that the scene should fill, in pixels.
#[derive(Clone, Copy, Debug)]
pub struct Viewport {
    /// Of the whole picture.
    pub size: Vec2,
    /// Kept free at the left, top, right and bottom.
    pub margins: [f32; 4],
}

impl Camera {
    /// A camera that shows all points of `outline`, which are inside `bounds`.
    pub fn new(
        view: View,
        bounds: Aabb,
        outline: &[DVec3],
        up: DVec3,
        is_2d: bool,
        viewport: Viewport,
    ) -> Camera {
        let origin = (bounds.min + bounds.max) / 2.0;
        let up_axis = up.as_vec3();
        // The axis that is nearest to +z (+x) and horizontal.
        let front = (Vec3::Z - up_axis * up_axis.z).normalize_or(Vec3::X);
        let front = if up_axis.z.abs() > 0.9 { -Vec3::Y } else { front };
        let side = up_axis.cross(front).normalize_or(Vec3::X);
        let (azimuth, elevation) = (28f32.to_radians(), 20f32.to_radians());
        let (back, up, orthographic) = match view {
            View::Usual | View::Front if is_2d => (Vec3::Z, Vec3::Y, true),
            View::Front => (front, up_axis, false),
            View::Side => (side, up_axis, false),
            View::Top => (up_axis, -front, true),
            View::Usual | View::ThreeQuarter => {
                let level = front * azimuth.cos() + side * azimuth.sin();
                (level * elevation.cos() + up_axis * elevation.sin(), up_axis, false)
            }
            View::Free { eye, target, fov } => {
                let back = (eye - target).as_vec3().normalize_or(Vec3::Z);
                let mut camera = Camera::looking(-back, up_axis, origin, viewport);
                camera.eye = (eye - origin).as_vec3();
                camera.scale = viewport.size.y / 2.0 / (fov.to_radians() / 2.0).tan() as f32;
                camera.center = viewport.size / 2.0;
                camera.near = 1e-3 * (eye - target).length() as f32;
                return camera;
            }
        };
        let mut camera = Camera::looking(-back, up, origin, viewport);
        camera.orthographic = orthographic;
        camera.fit(outline, viewport);
        camera
    }

    /// An orthographic camera that sees the ball of `radius` about the origin in a square picture.
    pub fn of_light(toward_light: Vec3, origin: DVec3, radius: f32, pixels: usize) -> Camera {
        let size = Vec2::splat(pixels as f32);
        let viewport = Viewport { size, margins: [0.0; 4] };
        let mut camera = Camera::looking(-toward_light, Vec3::Y, origin, viewport);
        camera.orthographic = true;
        camera.eye = toward_light * radius * 2.0;
        camera.scale = size.x / (2.0 * radius);
        camera
    }

    fn looking(forward: Vec3, up: Vec3, origin: DVec3, viewport: Viewport) -> Camera {
        let right = forward.cross(up).normalize_or(forward.any_orthonormal_vector());
        let [left, top, right_margin, bottom] = viewport.margins;
        let center = Vec2::new(
            (left + viewport.size.x - right_margin) / 2.0,
            (top + viewport.size.y - bottom) / 2.0,
        );
        Camera {
            origin,
            eye: Vec3::ZERO,
            right,
            up: right.cross(forward),
            forward,
            scale: 1.0,
            orthographic: false,
            center,
            near: 1e-6,
        }
    }

    /// Moves the camera along its axis and sideways until the outline fills the viewport.
    fn fit(&mut self, outline: &[DVec3], viewport: Viewport) {
        let [left, top, right, bottom] = viewport.margins;
        let half = Vec2::new(viewport.size.x - left - right, viewport.size.y - top - bottom) / 2.0;
        let half = half.max(Vec2::splat(8.0));
        let corners: Vec<Vec3> = outline
            .iter()
            .map(|&p| self.local(p))
            .map(|p| Vec3::new(p.dot(self.right), p.dot(self.up), p.dot(self.forward)))
            .collect();
        let radius = corners.iter().map(|c| c.length()).fold(1e-9, f32::max);
        let nearest = corners.iter().map(|c| c.z).fold(0.0, f32::min);
        if self.orthographic {
            let x = corners.iter().map(|c| c.x.abs()).fold(1e-9, f32::max);
            let y = corners.iter().map(|c| c.y.abs()).fold(1e-9, f32::max);
            self.scale = (half.x / x).min(half.y / y);
            self.eye = -self.forward * radius * 3.0;
            return;
        }
        self.scale = viewport.size.y / 2.0 / (DEFAULT_FOV.to_radians() / 2.0).tan() as f32;
        let tangent = half / self.scale;
        // Far enough away for every point to be inside.
        let distance_for = |shift: Vec2| {
            let needed = |c: &Vec3| ((c.truncate() - shift).abs() / tangent).max_element() - c.z;
            corners.iter().map(needed).fold(radius * 1e-3 - nearest, f32::max)
        };
        let mut shift = Vec2::ZERO;
        for _ in 0..8 {
            let distance = distance_for(shift);
            let seen = corners.iter().map(|c| (c.truncate() - shift) / (c.z + distance));
            let (low, high) =
                seen.fold((Vec2::MAX, Vec2::MIN), |(low, high), p| (low.min(p), high.max(p)));
            shift += (low + high) / 2.0 * distance;
        }
        let distance = distance_for(shift);
        self.eye = self.right * shift.x + self.up * shift.y - self.forward * distance;
        self.near = 1e-3 * distance;
    }

    /// The same camera for a picture with `factor` times as many pixels each way.
    pub fn magnified(mut self, factor: f32) -> Camera {
        self.scale *= factor;
        self.center *= factor;
        self
    }

    /// From the world to the coordinates everything is drawn in.
    pub fn local(&self, world: DVec3) -> Vec3 {
        (world - self.origin).as_vec3()
    }

    /// View coordinates of a point.
    pub fn view(&self, p: Vec3) -> Vec3 {
        let p = p - self.eye;
        Vec3::new(p.dot(self.right), p.dot(self.up), p.dot(self.forward))
    }

    /// Pixels per metre at depth `z`.
    pub fn pixels_per_metre(&self, z: f32) -> f32 {
        if self.orthographic { self.scale } else { self.scale / z }
    }

    /// The pixel that shows the point at view coordinates `v`.
    pub fn project(&self, v: Vec3) -> Vec2 {
        let s = self.pixels_per_metre(v.z);
        Vec2::new(self.center.x + v.x * s, self.center.y - v.y * s)
    }

    /// Start and direction (with one unit of depth) of the ray through a pixel.
    pub fn ray(&self, pixel: Vec2) -> (Vec3, Vec3) {
        let x = (pixel.x - self.center.x) / self.scale;
        let y = (self.center.y - pixel.y) / self.scale;
        if self.orthographic {
            (self.eye + self.right * x + self.up * y, self.forward)
        } else {
            (self.eye, self.forward + self.right * x + self.up * y)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_view_shows_the_whole_box() {
        let bounds = Aabb { min: DVec3::new(1e6, 0.0, -1.0), max: DVec3::new(1e6 + 3.0, 1.0, 0.5) };
        let viewport =
            Viewport { size: Vec2::new(640.0, 360.0), margins: [10.0, 20.0, 30.0, 40.0] };
        let corners: Vec<DVec3> = (0..8)
            .map(|k| {
                let pick = |a: usize| if k >> a & 1 == 1 { bounds.max[a] } else { bounds.min[a] };
                DVec3::new(pick(0), pick(1), pick(2))
            })
            .collect();
        for view in [View::Usual, View::Front, View::Side, View::Top, View::ThreeQuarter] {
            let camera = Camera::new(view, bounds, &corners, DVec3::Y, false, viewport);
            let mut low = Vec2::MAX;
            let mut high = Vec2::MIN;
            for &corner in &corners {
                let v = camera.view(camera.local(corner));
                let p = camera.project(v);
                let (start, direction) = camera.ray(p);
                let back = start + direction * v.z;
                assert!((camera.view(back) - v).length() < 1e-3 * v.length(), "{view:?}");
                (low, high) = (low.min(p), high.max(p));
            }
            assert!(low.x > 9.0 && low.y > 19.0, "{view:?}: {low}");
            assert!(high.x < 611.0 && high.y < 321.0, "{view:?}: {high}");
            let fill = ((high - low) / Vec2::new(600.0, 300.0)).max_element();
            assert!(fill > 0.95, "{view:?}: {fill}");
        }
    }

    #[test]
    fn cameras_are_read_from_text_or_refused_with_the_form() {
        let free = View::parse("eye=1,2,3 target=0,0,0 fov=40").unwrap();
        let (eye, target) = (DVec3::new(1.0, 2.0, 3.0), DVec3::ZERO);
        assert_eq!(free, View::Free { eye, target, fov: 40.0 });
        assert_eq!(View::parse("top"), Ok(View::Top));
        for bad in ["", "below", "eye=1,2,3", "eye=1,2 target=0,0,0", "eye=a,b,c target=0,0,0"] {
            assert!(View::parse(bad).unwrap_err().contains("three-quarter"), "{bad}");
        }
        assert!(View::parse("eye=1,1,1 target=1,1,1").is_err());
        assert!(View::parse("eye=1,1,1 target=1,1,nan").is_err());
    }
}
