//! What a shape looks like in a plane: profiles of bodies of revolution, and the outlines of 2D
//! cuts.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::DVec2;

use super::Shape;
use super::profile::{Chain, Piece};

/// A body of revolution about y, moved outward by some offset (edges stay sharp). An inward offset
/// larger than the body is thick stops in the middle.
#[derive(Clone, Copy, Debug)]
pub(super) enum Round {
    /// A ball.
    Sphere { radius: f64 },
    /// A cylinder about the origin.
    Cylinder { radius: f64, half_height: f64 },
    /// A cone with its base at the height `base`.
    Cone { radius: f64, base: f64, apex: f64 },
    /// A ring about the origin.
    Torus { major: f64, minor: f64 },
    /// A cylinder with half balls on both ends.
    Capsule { radius: f64, half_height: f64 },
}

impl Round {
    /// The shape, grown by `offset`, if it is one of the bodies of revolution.
    pub(super) fn grown(shape: &Shape, offset: f64) -> Option<Round> {
        let grow = |size: f64| (size + offset).max(0.0);
        Some(match *shape {
            Shape::Sphere { radius } => Round::Sphere { radius: grow(radius) },
            Shape::Cylinder { radius, half_height } => {
                Round::Cylinder { radius: grow(radius), half_height: grow(half_height) }
            }
            Shape::Cone { radius, height } => {
                // Every line of the profile moves by the offset if the cone is scaled about the
                // centre of its largest inscribed ball.
                let inscribed = radius * height / (radius + radius.hypot(height));
                let scale = grow(inscribed) / inscribed;
                let y = |y: f64| inscribed + scale * (y - inscribed);
                Round::Cone { radius: scale * radius, base: y(0.0), apex: y(height) }
            }
            Shape::Torus { major, minor } => Round::Torus { major, minor: grow(minor) },
            Shape::Capsule { radius, half_height } => {
                Round::Capsule { radius: grow(radius), half_height }
            }
            _ => return None,
        })
    }

    /// The half of the outline with r ≥ 0, from below to above.
    pub(super) fn profile(&self) -> Vec<Chain> {
        match *self {
            Round::Sphere { radius } => vec![arcs(&[(0.0, -FRAC_PI_2, FRAC_PI_2)], radius)],
            Round::Cylinder { radius, half_height } => corners(&[
                DVec2::new(0.0, -half_height),
                DVec2::new(radius, -half_height),
                DVec2::new(radius, half_height),
                DVec2::new(0.0, half_height),
            ]),
            Round::Cone { radius, base, apex } => {
                corners(&[DVec2::new(0.0, base), DVec2::new(radius, base), DVec2::new(0.0, apex)])
            }
            Round::Torus { major, minor } if minor <= major => {
                vec![Chain::circle(DVec2::new(major, 0.0), minor)]
            }
            Round::Torus { major, minor } => {
                // A fat ring without a hole: the part of the tube on this side of the axis.
                let reach = PI - (major / minor).acos();
                let centre = DVec2::new(major, 0.0);
                let piece = Piece::Arc { centre, radius: minor, from: -reach, to: reach };
                vec![Chain { pieces: vec![piece], closed: false }]
            }
            Round::Capsule { radius, half_height } => {
                vec![arcs(
                    &[(-half_height, -FRAC_PI_2, 0.0), (half_height, 0.0, FRAC_PI_2)],
                    radius,
                )]
            }
        }
    }

    /// The whole outline of the cut z = 0.
    pub(super) fn outline(&self) -> Vec<Chain> {
        match *self {
            Round::Sphere { radius } => vec![Chain::circle(DVec2::ZERO, radius)],
            Round::Cylinder { radius, half_height } => rectangle(DVec2::new(radius, half_height)),
            Round::Cone { radius, base, apex } => {
                let [a, b] = [DVec2::new(-radius, base), DVec2::new(radius, base)];
                corners(&[a, b, DVec2::new(0.0, apex), a])
            }
            Round::Torus { major, minor } if minor <= major => {
                [-major, major].map(|x| Chain::circle(DVec2::new(x, 0.0), minor)).to_vec()
            }
            Round::Torus { .. } => {
                let right = self.profile();
                let left = right.iter().map(mirrored).collect::<Vec<_>>();
                [right, left].concat()
            }
            Round::Capsule { radius, half_height } => {
                let ends = [(half_height, 0.0, PI), (-half_height, PI, TAU)];
                let mut chain = arcs(&ends, radius);
                let [bottom, top] = [-half_height, half_height].map(|y| DVec2::new(radius, y));
                chain.pieces.push(Piece::Line(bottom, top));
                chain.closed = true;
                vec![chain]
            }
        }
    }
}

/// The outline of a rectangle about the origin.
fn rectangle(half: DVec2) -> Vec<Chain> {
    let flipped = DVec2::new(half.x, -half.y);
    corners(&[-half, flipped, half, -flipped, -half])
}

/// Straight lines from corner to corner.
fn corners(points: &[DVec2]) -> Vec<Chain> {
    points.windows(2).map(|ends| Chain::line(ends[0], ends[1])).collect()
}

/// Arcs about points of the y axis (height, from, to), joined by straight lines.
fn arcs(parts: &[(f64, f64, f64)], radius: f64) -> Chain {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut last: Option<DVec2> = None;
    for &(height, from, to) in parts {
        let centre = DVec2::new(0.0, height);
        let begin = centre + radius * DVec2::from_angle(from);
        pieces.extend(last.map(|end| Piece::Line(end, begin)));
        pieces.push(Piece::Arc { centre, radius, from, to });
        last = Some(centre + radius * DVec2::from_angle(to));
    }
    Chain { pieces, closed: false }
}

fn mirrored(chain: &Chain) -> Chain {
    let flip = |p: DVec2| DVec2::new(-p.x, p.y);
    let pieces = chain.pieces.iter().map(|piece| match *piece {
        Piece::Line(a, b) => Piece::Line(flip(a), flip(b)),
        Piece::Arc { centre, radius, from, to } => {
            Piece::Arc { centre: flip(centre), radius, from: PI - from, to: PI - to }
        }
    });
    Chain { pieces: pieces.collect(), closed: chain.closed }
}
