//! Forces of extra joints on the links of a body, after rapier's step.
//!
//! Rapier 0.35 keeps the impulses of an impulse joint for the last of the n substeps of a step only; the mean force is
//! n / dt times them. Between rigid bodies the rows of a joint are made orthogonal first (in the metric of the masses, in
//! the order rotations, translations), and the impulses are those of the new rows.

use bevy_rapier3d::prelude::RapierContextJoints;
use bevy_rapier3d::rapier::dynamics::{ImpulseJoint, IntegrationParameters, RigidBodyHandle, RigidBodySet};
use bunraku_body::dynamics::Wrench;
use bunraku_body::{BodyState, LinkIndex};
use nalgebra::{Isometry3, Matrix3, Vector3};
use typed_index_collections::TiSlice;

use crate::model::simulated_body::SimulatedBody;
use crate::world::convert::{from_pose, from_vec3};

/// A row of a joint constraint: how an impulse on it acts on the first body (force, torque about its centre of mass) and,
/// the other way, on the second.
#[derive(Clone, Copy, Debug)]
struct Row {
    force: Vector3<f64>,
    torques: [Vector3<f64>; 2],
}

impl Row {
    fn subtract(&mut self, other: &Self, factor: f64) {
        self.force -= other.force * factor;
        for (torque, other) in self.torques.iter_mut().zip(&other.torques) {
            *torque -= other * factor;
        }
    }
}

/// Inverse masses of the two sides.
struct Masses {
    linear: Vector3<f64>,
    angular: [Matrix3<f64>; 2],
}

impl Masses {
    fn dot(&self, first: &Row, second: &Row) -> f64 {
        let turns = (0..2).map(|side| first.torques[side].dot(&(self.angular[side] * second.torques[side])));
        first.force.dot(&self.linear.component_mul(&second.force)) + turns.sum::<f64>()
    }
}

/// Adds the mean wrenches of extra joints in the last step, about link origins, world axes.
pub(crate) fn loop_wrenches(
    simulated: &SimulatedBody,
    state: &BodyState,
    set: &RigidBodySet,
    joints: &RapierContextJoints,
    integration: &IntegrationParameters,
    wrenches: &mut TiSlice<LinkIndex, Wrench>,
) {
    for closure in &simulated.loops {
        let Some(joint) = joints.impulse_joints.get(closure.handle) else { continue };
        let (Some(rows), Some(centers)) = (rows(joint, set), centers(joint, set)) else { continue };
        let ends = [joint.body1(), joint.body2()];
        #[allow(clippy::cast_precision_loss)]
        let substeps_per_second = integration.num_solver_iterations as f64 / f64::from(integration.dt);
        let rows = orthogonal(rows, &masses(ends, set));
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let Some(link) = closure.links[side] else { continue };
            let (Some(pose), Some(wrench)) = (state.link_poses.get(link.0), wrenches.get_mut(link)) else { continue };
            let arm = centers[side] - pose.translation.vector;
            for (axis, row) in &rows {
                let scale = sign * substeps_per_second * f64::from(joint.impulses[*axis]);
                wrench.force += row.force * scale;
                wrench.torque += (row.torques[side] + arm.cross(&row.force)) * scale;
            }
        }
    }
}

fn centers(joint: &ImpulseJoint, set: &RigidBodySet) -> Option<[Vector3<f64>; 2]> {
    let center = |body| set.get(body).map(|body| from_vec3(body.center_of_mass()));
    Some([center(joint.body1())?, center(joint.body2())?])
}

/// The locked rows of a joint, each with its index among the impulses, in the order of the solver.
fn rows(joint: &ImpulseJoint, set: &RigidBodySet) -> Option<Vec<(usize, Row)>> {
    let frame = |body: RigidBodyHandle, local| set.get(body).map(|body| from_pose(body.position()) * from_pose(local));
    let frames: [Isometry3<f64>; 2] =
        [frame(joint.body1(), &joint.data.local_frame1)?, frame(joint.body2(), &joint.data.local_frame2)?];
    let centers = centers(joint, set)?;
    let basis = frames[0].rotation.to_rotation_matrix();
    let locked = joint.data.locked_axes.bits();
    let mut rows = Vec::new();
    // The error of a rotation is the vector part of the quaternion between the frames; this is its rate.
    let between = frames[0].rotation.inverse() * frames[1].rotation;
    let sign = if between.w < 0.0 { -0.5 } else { 0.5 };
    for axis in (3..6).filter(|axis| locked & (1 << axis) != 0) {
        let unit = Vector3::ith(axis - 3, 1.0);
        let turn = basis * ((unit * between.w + between.vector().cross(&unit)) * sign);
        rows.push((axis, Row { force: Vector3::zeros(), torques: [turn; 2] }));
    }
    // Along free axes the point at which forces act goes with the second body.
    let gap = frames[1].translation.vector - frames[0].translation.vector;
    let mut point = frames[1].translation.vector;
    for axis in (0..3).filter(|axis| locked & (1 << axis) != 0) {
        let direction = basis * Vector3::ith(axis, 1.0);
        point -= direction * gap.dot(&direction);
    }
    let points = [point, frames[1].translation.vector];
    for axis in (0..3).filter(|axis| locked & (1 << axis) != 0) {
        let force = basis * Vector3::ith(axis, 1.0);
        let torques = [0, 1].map(|side| (points[side] - centers[side]).cross(&force));
        rows.push((axis, Row { force, torques }));
    }
    Some(rows)
}

fn masses(ends: [RigidBodyHandle; 2], set: &RigidBodySet) -> Masses {
    let properties = ends.map(|body| set.get(body).map(|body| body.mass_properties()));
    let linear = properties.iter().flatten().map(|side| from_vec3(side.effective_inv_mass)).sum();
    let angular = properties.map(|side| {
        side.map_or_else(Matrix3::zeros, |side| {
            let inverse = side.effective_world_inv_inertia;
            let column = |axis| from_vec3(inverse * bevy::math::Vec3::AXES[axis]);
            Matrix3::from_columns(&[column(0), column(1), column(2)])
        })
    });
    Masses { linear, angular }
}

/// Rows of which none moves what an earlier one holds.
fn orthogonal(mut rows: Vec<(usize, Row)>, masses: &Masses) -> Vec<(usize, Row)> {
    for done in 0..rows.len() {
        let (_, base) = rows[done];
        let own = masses.dot(&base, &base);
        for (_, row) in &mut rows[done + 1..] {
            let factor = if own > 0.0 { masses.dot(row, &base) / own } else { 0.0 };
            row.subtract(&base, factor);
        }
    }
    rows
}
