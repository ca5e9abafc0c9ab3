//! Smooth curves in a plane, put together from lines and arcs, and divided evenly.
//!
//! The same curves serve twice: as profiles (r, y) that turn about the y axis, and as outlines
//! (x, y) of 2D shapes.

use glam::DVec2;

use super::lattice::{ring_count, steps};

/// A piece of a curve.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece {
    /// From one point straight to another.
    Line(DVec2, DVec2),
    /// Part of a circle, between two angles (radians, from the first axis).
    Arc {
        /// Centre of the circle.
        centre: DVec2,
        /// Radius of the circle.
        radius: f64,
        /// Angle of the first point.
        from: f64,
        /// Angle of the last point.
        to: f64,
    },
}

impl Piece {
    fn length(&self) -> f64 {
        match *self {
            Piece::Line(a, b) => a.distance(b),
            Piece::Arc { radius, from, to, .. } => radius * (to - from).abs(),
        }
    }

    /// The point at a share `t` of the way.
    fn at(&self, t: f64) -> DVec2 {
        match *self {
            Piece::Line(a, b) => a.lerp(b, t),
            Piece::Arc { centre, radius, from, to } => {
                centre + radius * DVec2::from_angle(from + t * (to - from))
            }
        }
    }
}

/// Pieces that join without a corner. Corners are only at the two ends, and a closed chain has
/// none.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    /// In order; each begins where the last one ended.
    pub pieces: Vec<Piece>,
    /// Whether the end is the beginning.
    pub closed: bool,
}

impl Chain {
    /// A straight line.
    pub(super) fn line(a: DVec2, b: DVec2) -> Chain {
        Chain { pieces: vec![Piece::Line(a, b)], closed: false }
    }

    /// A full circle, beginning at its lowest point.
    pub(super) fn circle(centre: DVec2, radius: f64) -> Chain {
        let from = -std::f64::consts::FRAC_PI_2;
        let to = from + std::f64::consts::TAU;
        Chain { pieces: vec![Piece::Arc { centre, radius, from, to }], closed: true }
    }

    /// Whether it is one straight line.
    pub(super) fn is_straight(&self) -> bool {
        matches!(self.pieces[..], [Piece::Line(..)])
    }

    /// Length of all pieces.
    pub(super) fn length(&self) -> f64 {
        self.pieces.iter().map(Piece::length).sum()
    }

    /// The point after a way of `s` along the chain.
    pub(super) fn at(&self, s: f64) -> DVec2 {
        let mut rest = s;
        for (k, piece) in self.pieces.iter().enumerate() {
            let length = piece.length();
            if rest <= length || k + 1 == self.pieces.len() {
                return piece.at(if length > 0.0 { (rest / length).min(1.0) } else { 0.0 });
            }
            rest -= length;
        }
        DVec2::ZERO
    }

    /// Points at even steps of about `spacing`, both ends included.
    pub(super) fn divide(&self, spacing: f64) -> Vec<DVec2> {
        let length = self.length();
        if self.closed {
            let n = self.closed_count(spacing, length);
            return (0..n).map(|k| self.at(length * k as f64 / n as f64)).collect();
        }
        match steps(length, spacing) {
            0 => vec![self.at(length / 2.0)],
            n => (0..=n).map(|k| self.at(length * k as f64 / n as f64)).collect(),
        }
    }

    fn closed_count(&self, spacing: f64, length: f64) -> usize {
        match self.pieces[..] {
            [Piece::Arc { radius, .. }] => ring_count(radius, spacing),
            _ => steps(length, spacing).max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_divided_evenly_across_its_pieces() {
        let pieces = vec![
            Piece::Line(DVec2::new(0.0, 0.0), DVec2::new(1.25, 0.0)),
            Piece::Line(DVec2::new(1.25, 0.0), DVec2::new(4.0, 0.0)),
        ];
        let points = Chain { pieces, closed: false }.divide(1.0);
        assert_eq!(points.len(), 5);
        for (k, p) in points.iter().enumerate() {
            assert!((p.x - k as f64).abs() < 1e-12);
        }
    }

    #[test]
    fn a_circle_does_not_repeat_its_first_point() {
        let points = Chain::circle(DVec2::ZERO, 1.0).divide(0.5);
        assert_eq!(points.len(), 13);
        assert!(points[0].distance(points[12]) > 0.4);
    }
}
