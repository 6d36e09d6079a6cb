//! Motion of a model or a sensor during an interval.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// Motion from one pose to another: the origin moves along a line and the axes turn about a fixed axis by at most half a
/// turn, both uniformly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    start: Isometry3<f64>,
    end: Isometry3<f64>,
    /// Rotation vector from start to end in the frame of the start, rad.
    turn: Vector3<f64>,
}

impl Motion {
    /// From one pose to another.
    pub fn new(start: Isometry3<f64>, end: Isometry3<f64>) -> Self {
        let turn =
            if start == end { Vector3::zeros() } else { (start.rotation.inverse() * end.rotation).scaled_axis() };
        Self { start, end, turn }
    }

    /// At rest.
    pub fn still(pose: Isometry3<f64>) -> Self {
        Self { start: pose, end: pose, turn: Vector3::zeros() }
    }

    /// Whether start and end are equal.
    pub fn is_still(&self) -> bool {
        self.start == self.end
    }

    /// Pose at the start.
    pub(crate) fn start(&self) -> Isometry3<f64> {
        self.start
    }

    /// Rotation vector from start to end in the frame of the start, rad.
    pub(crate) fn turn(&self) -> Vector3<f64> {
        self.turn
    }

    /// Pose at the end.
    pub fn end(&self) -> Isometry3<f64> {
        self.end
    }

    /// Pose at a share of the interval: 0 is its start, 1 its end. Exactly the given poses at both, and at rest.
    pub fn at(&self, share: f64) -> Isometry3<f64> {
        if share >= 1.0 || self.is_still() {
            return self.end;
        }
        if share <= 0.0 {
            return self.start;
        }
        let [from, to] = [self.start.translation.vector, self.end.translation.vector];
        let rotation = self.start.rotation * UnitQuaternion::from_scaled_axis(self.turn * share);
        Isometry3::from_parts(Translation3::from(from + (to - from) * share), rotation)
    }

    /// The same uniform motion during an interval with the same end that is `factor` times as long.
    pub fn stretched(&self, factor: f64) -> Self {
        if self.is_still() {
            return *self;
        }
        let [from, to] = [self.start.translation.vector, self.end.translation.vector];
        let turn = self.turn * factor;
        let rotation = self.end.rotation * UnitQuaternion::from_scaled_axis(-turn);
        let start = Isometry3::from_parts(Translation3::from(to - (to - from) * factor), rotation);
        Self { start, end: self.end, turn }
    }

    /// Bound of the distance of a point at `radius` m from the origin from the line between its start and its end: the
    /// error of a linear interpolation of a circular arc, r·θ²/8.
    pub(crate) fn bulge(&self, radius: f64) -> f64 {
        radius * self.turn.norm_squared() / 8.0
    }
}
