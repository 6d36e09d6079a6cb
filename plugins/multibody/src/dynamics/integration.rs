//! Positions out of velocities.

use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};

use crate::dynamics::inverse_dynamics::Dynamics;
use crate::dynamics::kinematics::Kinematics;
use crate::math::spatial::{SpatialInertia, Twist};
use crate::model::state::{State, twist_at};
use crate::model::system::System;

/// Moves a pose for a time: position and orientation apart, not along a screw.
pub fn moved(pose: &Isometry3<f64>, twist: &Twist, time: f64) -> Isometry3<f64> {
    if *twist == Twist::ZERO {
        return *pose;
    }
    let mut rotation = UnitQuaternion::from_scaled_axis(twist.angular * time) * pose.rotation;
    // Rounding adds up over millions of steps.
    rotation.renormalize_fast();
    Isometry3::from_parts((pose.translation.vector + twist.linear * time).into(), rotation)
}

/// Moves a tree for a time with velocities that do not change.
pub fn drift(system: &System, tree: usize, velocities: &[f64], time: f64, state: &mut State) {
    let data = &system.trees[tree];
    if data.is_free {
        let twist = twist_at(velocities, data.coordinates.start);
        state.root_poses[tree] = moved(&state.root_poses[tree], &twist, time);
    }
    let moves = state.displacements[data.joints()].iter_mut().zip(&velocities[data.joints()]);
    for (displacement, velocity) in moves {
        *displacement += velocity * time;
    }
}

/// Linear momentum, and angular momentum about the centre of mass, of a tree, and where that is.
#[derive(Clone, Copy, Debug)]
pub struct Momentum {
    pub linear: Vector3<f64>,
    pub angular: Vector3<f64>,
    /// kg
    pub mass: f64,
    /// m, in the world.
    pub center: Vector3<f64>,
}

impl Momentum {
    /// Of a tree whose inertias and twists are known.
    pub fn of(system: &System, kinematics: &Kinematics, dynamics: &Dynamics, twists: &[Twist], tree: usize) -> Self {
        let (mut mass, mut moment) = (0.0, Vector3::zeros());
        let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
        for index in system.trees[tree].parts.clone() {
            let inertia = &dynamics.inertias[index];
            let momentum = inertia.momentum(&twists[index]);
            mass += inertia.mass;
            moment += inertia.moment;
            linear += momentum.force;
            angular += momentum.torque;
        }
        let center = if mass > 0.0 { moment / mass } else { moment };
        Self { linear, angular: angular - center.cross(&linear), mass, center: center + kinematics.origins[tree] }
    }

    /// Adds what a force through the centre of mass and a torque do in a time, s.
    pub fn push(&mut self, force: &Vector3<f64>, torque: &Vector3<f64>, time: f64) {
        if self.mass > 0.0 {
            self.center += (self.linear + 0.5 * time * force) * (time / self.mass);
        }
        self.linear += force * time;
        self.angular += torque * time;
    }
}

/// Gives the root of a free tree the twist with which the tree's momentum is this exactly, and with `moves` the position with which its
/// centre of mass is.
///
/// Between the middles of two steps the mass matrix changes, so that the scheme keeps them to second order only.
pub fn set_momentum(
    system: &System,
    kinematics: &mut Kinematics,
    dynamics: &mut Dynamics,
    twists: &mut [Twist],
    tree: usize,
    (target, moves): (&Momentum, bool),
    state: &mut State,
) {
    let data = &system.trees[tree];
    kinematics.direct(system, tree);
    dynamics.weigh(system, kinematics, tree);
    kinematics.twists(system, tree, &state.velocities, twists);
    let now = Momentum::of(system, kinematics, dynamics, twists, tree);
    if now.mass <= 0.0 {
        return;
    }
    if moves {
        let shift = target.center - now.center;
        state.root_poses[tree].translation.vector += shift;
        for index in data.parts.clone() {
            kinematics.positions[index] += shift;
        }
    }
    let mut whole = SpatialInertia::default();
    for index in data.parts.clone() {
        whole.add(&dynamics.inertias[index]);
    }
    let center = whole.moment / whole.mass;
    // About the centre of mass.
    let steiner = Matrix3::from_diagonal_element(center.norm_squared()) - center * center.transpose();
    let inertia = whole.matrix() - steiner * whole.mass;
    // A tree without extent across some axis turns about it with any momentum.
    if inertia.determinant() <= 1e-12 * inertia.trace().powi(3) {
        return;
    }
    let Some(inverse) = inertia.try_inverse() else { return };
    let angular = inverse * (target.angular - now.angular);
    let linear = (target.linear - now.linear) / whole.mass - angular.cross(&center);
    let first = data.coordinates.start;
    for axis in 0..3 {
        state.velocities[first + axis] += linear[axis];
        state.velocities[first + 3 + axis] += angular[axis];
    }
}
