//! Rows of closures: constrained directions of the motion of the second side relative to the first, and their errors.

use bunraku_body::ExtraJointKind;
use nalgebra::{Isometry3, Vector3};

use crate::dynamics::inverse_dynamics::Dynamics;
use crate::dynamics::kinematics::Kinematics;
use crate::math::spatial::{Twist, across, velocity_at};
use crate::model::closure::Closure;
use crate::model::index::PartIndex;
use crate::model::system::System;

/// The most rows of a closure.
pub const MAX_ROWS: usize = 6;

/// A direction in which nothing moves.
#[derive(Clone, Copy, Debug)]
pub struct ClosureRow {
    /// Unit vector, world axes.
    pub direction: Vector3<f64>,
    /// Whether it is turning that is held.
    pub is_angular: bool,
    /// Error of position, m or rad.
    pub error: f64,
    /// How that would accelerate by the present velocities alone, m/s² or rad/s².
    pub acceleration: f64,
}

impl ClosureRow {
    const NONE: Self =
        Self { direction: Vector3::new(0.0, 0.0, 0.0), is_angular: false, error: 0.0, acceleration: 0.0 };
}

/// The rows of a closure in one step.
#[derive(Clone, Copy, Debug)]
pub struct ClosureRows {
    /// Where forces act on both sides, m, in the world.
    pub point: Vector3<f64>,
    rows: [ClosureRow; MAX_ROWS],
    len: usize,
}

impl ClosureRows {
    /// Rows of a closure at the present poses, for the velocities of the dynamics.
    pub fn of(system: &System, kinematics: &Kinematics, dynamics: &Dynamics, closure: &Closure) -> Self {
        let [first, second] = closure.sides.map(|side| {
            let pose = side.part.map_or_else(Isometry3::identity, |part| kinematics.pose(part.0));
            pose * side.frame
        });
        let point = second.translation.vector;
        let [motion, other] = closure.sides.map(|side| Motion::of(system, kinematics, dynamics, side.part, &point));
        let gap = point - first.translation.vector;
        // In the frame of the first side, which turns.
        let sliding = other.velocity - motion.velocity;
        let drawn = other.acceleration - motion.acceleration - 2.0 * motion.spin.cross(&sliding);
        let turning = other.spin - motion.spin;
        let twisted = other.spin_rate - motion.spin_rate - motion.spin.cross(&turning);

        let mut rows = Self { point, rows: [ClosureRow::NONE; MAX_ROWS], len: 0 };
        let mut hold = |direction: Vector3<f64>| {
            let (error, acceleration) = (direction.dot(&gap), direction.dot(&drawn));
            rows.push(ClosureRow { direction, is_angular: false, error, acceleration });
        };
        let axis = closure.kind.axis().map(|axis| axis.into_inner());
        match closure.kind {
            ExtraJointKind::Fixed | ExtraJointKind::Ball | ExtraJointKind::Hinge { .. } => {
                (0..3).for_each(|axis| hold(Vector3::ith(axis, 1.0)));
            }
            ExtraJointKind::Piston { axis } | ExtraJointKind::PointOnLine { axis } => {
                across(&(first.rotation * axis.into_inner())).into_iter().for_each(hold);
            }
            ExtraJointKind::PointOnPlane { axis } => hold(first.rotation * axis.into_inner()),
        }
        match (closure.kind, axis) {
            (ExtraJointKind::Fixed, _) => {
                let error = (second.rotation * first.rotation.inverse()).scaled_axis();
                for axis in 0..3 {
                    let direction = Vector3::ith(axis, 1.0);
                    rows.push(ClosureRow {
                        direction,
                        is_angular: true,
                        error: error[axis],
                        acceleration: twisted[axis],
                    });
                }
            }
            (ExtraJointKind::Hinge { .. } | ExtraJointKind::Piston { .. }, Some(axis)) => {
                let (own, theirs) = (first.rotation * axis, second.rotation * axis);
                let bend = own.cross(&theirs);
                for direction in across(&own) {
                    let (error, acceleration) = (direction.dot(&bend), direction.dot(&twisted));
                    rows.push(ClosureRow { direction, is_angular: true, error, acceleration });
                }
            }
            _ => {}
        }
        rows
    }

    pub fn rows(&self) -> &[ClosureRow] {
        &self.rows[..self.len]
    }

    fn push(&mut self, row: ClosureRow) {
        if let Some(slot) = self.rows.get_mut(self.len) {
            *slot = row;
            self.len += 1;
        }
    }
}

/// How a part moves at a point, for the velocities of the dynamics and without any acceleration of a coordinate.
pub struct Motion {
    pub velocity: Vector3<f64>,
    /// Of the point of the part that is there, m/s².
    pub acceleration: Vector3<f64>,
    /// Spatial acceleration: of what passes the point, m/s².
    pub rate: Vector3<f64>,
    /// Angular velocity, rad/s.
    pub spin: Vector3<f64>,
    spin_rate: Vector3<f64>,
}

impl Motion {
    pub fn of(
        system: &System,
        kinematics: &Kinematics,
        dynamics: &Dynamics,
        part: Option<PartIndex>,
        point: &Vector3<f64>,
    ) -> Self {
        let (twist, rate, offset) = part.map_or((Twist::ZERO, Twist::ZERO, Vector3::zeros()), |PartIndex(part)| {
            let origin = kinematics.origins[system.parts[part].tree];
            (dynamics.twists[part], dynamics.accelerations[part], point - origin)
        });
        let velocity = velocity_at(&twist, &offset);
        // From the acceleration of what passes a point to that of what moves along.
        let spatial = velocity_at(&rate, &offset);
        let acceleration = spatial + twist.angular.cross(&velocity);
        Self { velocity, acceleration, rate: spatial, spin: twist.angular, spin_rate: rate.angular }
    }
}
