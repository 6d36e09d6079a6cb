//! A motion prepared for many instants.

use nalgebra::{Isometry3, Matrix3, Unit, Vector3};

use crate::bvh::WIDTH;
use crate::motion::Motion;
use crate::scene::Ray;

/// Frame of a model or a sensor at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Axes {
    /// Origin in the world, m.
    origin: Vector3<f64>,
    /// Rotation from world axes to those of the frame.
    turn: Matrix3<f64>,
    /// Whether there is no rotation.
    is_aligned: bool,
}

/// A [`Motion`] with data that make its poses cheap: by Rodrigues' formula the axes after the angle θ about the unit
/// vector k are turn − sin θ · (k × turn) + (1 − cos θ) · (k × (k × turn)).
#[derive(Clone, Debug)]
pub struct Sweep {
    motion: Motion,
    start: Axes,
    end: Axes,
    /// Displacement of the body that carries the frame, m.
    travel: Vector3<f64>,
    angle: f64,
    across: Matrix3<f64>,
    inwards: Matrix3<f64>,
    /// Parts of the displacement by the rotation, for a frame that is not at the origin of the body.
    lever: Option<[Vector3<f64>; 2]>,
}

impl Axes {
    /// Axes of a pose.
    pub fn new(pose: &Isometry3<f64>) -> Self {
        let turn = pose.rotation.to_rotation_matrix().into_inner().transpose();
        Self { origin: pose.translation.vector, turn, is_aligned: turn == Matrix3::identity() }
    }

    /// Axes of something that is mounted with these axes on a body with those of `self`.
    pub fn carrying(&self, mounting: &Self) -> Self {
        let turn = mounting.turn * self.turn;
        Self { origin: self.origin + self.out(&mounting.origin), turn, is_aligned: turn == Matrix3::identity() }
    }

    /// A ray from the origin in a direction, a unit vector in the frame.
    pub fn ray(&self, direction: &Vector3<f64>) -> Ray {
        Ray::new(self.origin.into(), Unit::new_unchecked(self.out(direction)))
    }

    /// Origin in the world, m.
    pub fn origin(&self) -> Vector3<f64> {
        self.origin
    }

    /// Rotation from the axes of the frame to those of the world.
    pub fn rotation(&self) -> Matrix3<f64> {
        self.turn.transpose()
    }

    /// Whether its axes are those of the world.
    pub(crate) fn is_aligned(&self) -> bool {
        self.is_aligned
    }

    /// A point in the frame.
    pub(crate) fn local_origin(&self, point: Vector3<f64>) -> Vector3<f64> {
        self.turn * (point - self.origin)
    }

    /// A direction in the axes of the frame. Written out, so that rounding is the same everywhere.
    pub(crate) fn turned(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let turn = &self.turn;
        [0, 1, 2].map(|row| turn[(row, 0)] * x + turn[(row, 1)] * y + turn[(row, 2)] * z)
    }

    /// As [`turned`](Self::turned) for all rays of a packet.
    pub(crate) fn all_turned(&self, [x, y, z]: &[[f64; WIDTH]; 3]) -> [[f64; WIDTH]; 3] {
        let turn = &self.turn;
        [0, 1, 2].map(|row| {
            let [a, b, c] = [turn[(row, 0)], turn[(row, 1)], turn[(row, 2)]];
            std::array::from_fn(|lane| a * x[lane] + b * y[lane] + c * z[lane])
        })
    }

    /// A vector of the frame in world axes.
    pub(crate) fn out(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        self.turn.tr_mul(vector)
    }
}

impl Sweep {
    /// Prepares a motion.
    pub fn new(motion: Motion) -> Self {
        let [start, end] = [motion.start(), motion.end()].map(|pose| Axes::new(&pose));
        Self::between(motion, start, end)
    }

    /// As [`new`](Self::new), with the axes of the poses at start and end.
    pub(crate) fn between(motion: Motion, start: Axes, end: Axes) -> Self {
        let angle = motion.turn().norm();
        let axis = if angle > 0.0 { motion.turn() / angle } else { Vector3::zeros() };
        let across = axis.cross_matrix() * start.turn;
        let inwards = axis.cross_matrix() * across;
        Self { motion, start, end, travel: end.origin - start.origin, angle, across, inwards, lever: None }
    }

    /// Prepares the motion of something that is mounted on a moving body.
    pub fn carried(body: Motion, mounting: &Axes) -> Self {
        let sweep = Self::new(body);
        Self {
            start: sweep.start.carrying(mounting),
            end: sweep.end.carrying(mounting),
            across: mounting.turn * sweep.across,
            inwards: mounting.turn * sweep.inwards,
            lever: Some([&sweep.across, &sweep.inwards].map(|part| part.tr_mul(&mounting.origin))),
            ..sweep
        }
    }

    /// The motion; for something mounted, that of its body.
    pub fn motion(&self) -> Motion {
        self.motion
    }

    /// Frame at a share of the interval, as [`Motion::at`] to rounding; exactly the given poses at both ends.
    pub fn at(&self, share: f64) -> Axes {
        if share >= 1.0 {
            return self.end;
        }
        if share <= 0.0 {
            return self.start;
        }
        let (sin, rest) = sine_and_rest(self.angle * share);
        let mut origin = self.start.origin + self.travel * share;
        if let Some([across, inwards]) = &self.lever {
            origin += inwards * rest - across * sin;
        }
        Axes { origin, turn: self.start.turn - self.across * sin + self.inwards * rest, is_aligned: false }
    }
}

/// sin θ and 1 − cos θ, to rounding also for small angles.
fn sine_and_rest(angle: f64) -> (f64, f64) {
    /// Angle up to which the next term of the series, θ⁸/9!, is below the rounding; those of a time step are smaller.
    const SMALL: f64 = 0.05;
    if angle > SMALL {
        let (sin, cos) = libm::sincos(angle / 2.0);
        return (2.0 * sin * cos, 2.0 * sin * sin);
    }
    let squared = angle * angle;
    let sine = angle * (1.0 - squared / 6.0 * (1.0 - squared / 20.0 * (1.0 - squared / 42.0)));
    let rest = squared / 2.0 * (1.0 - squared / 12.0 * (1.0 - squared / 30.0 * (1.0 - squared / 56.0)));
    (sine, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(axes: &Axes, pose: &Isometry3<f64>) -> f64 {
        let exact = Axes::new(pose);
        (axes.origin - exact.origin).norm() + (axes.turn - exact.turn).norm()
    }

    #[test]
    fn a_prepared_motion_has_the_poses_of_the_motion() {
        let mounting = Isometry3::new(Vector3::new(0.2, -0.4, 0.7), Vector3::new(0.9, -1.1, 0.4));
        let start = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.3, 0.2, -0.5));
        for angle in [0.0, 1e-9, 1e-3, 0.049, 0.051, 1.0, 3.1] {
            let turn = Vector3::new(0.6, 0.0, 0.8) * angle;
            let end = start * Isometry3::new(Vector3::new(0.1, -0.3, 0.2), turn);
            let motion = Motion::new(start, end);
            let (own, carried) = (Sweep::new(motion), Sweep::carried(motion, &Axes::new(&mounting)));
            for share in [-1.0, 0.0, 1e-6, 0.3, 0.7, 1.0, 2.0] {
                let pose = motion.at(share);
                // Motions find the axis of a small turn to a relative 1e-8 only.
                let allowed = 1e-14 + 1e-15 * angle;
                assert!(difference(&own.at(share), &pose) < allowed, "{angle} {share}");
                assert!(difference(&carried.at(share), &(pose * mounting)) < 2.0 * allowed, "{angle} {share}");
            }
        }
    }
}
