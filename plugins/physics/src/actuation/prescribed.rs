//! Joints whose motion is dictated.
//!
//! At the beginning of a step the joint is given the one velocity that leads to its target, and it keeps that velocity
//! throughout the step, whatever acts on it. The body feels the change of velocity: everything that is free to move, the
//! root above all, is given the velocity that keeps its momentum, M·Δv = 0 in all its rows, with the mass matrix M of our own f64
//! model. Between such changes the joint must not yield:
//! the effort that it takes not to accelerate acts on it, see [`super::implicit`]; what that does not foresee, a new contact,
//! lets the joint yield for the one step: dictated joints of SR1 stray by 0.6 mrad in its walk. Rapier's motors do not
//! help: their rows are solved before those that hold the joint together, not with them, and in one pass they hold next to
//! nothing of a weight beside the joint.
//!
//! Limits of a prescribed joint are off. A part that moves freely inside the body is not given any velocity.

use bevy_rapier3d::prelude::RapierContextJoints;
use bevy_rapier3d::rapier::dynamics::{ImpulseJoint, JointAxesMask};
use bunraku_body::dynamics::{Configuration, Twist, num_root_coordinates};
use bunraku_body::{Body, BodyState, LinkIndex};
use nalgebra::{Cholesky, DVector, Vector3};
use serde::{Deserialize, Serialize};
use typed_index_collections::{TiSlice, TiVec};

use super::demand::Demand;
use super::demand::Prescription;
use super::implicit::StartVelocities;
use super::implicit::prescribe;
use crate::impulse::joints::axis;
use crate::model::index::SimulatedJointIndex;
use crate::model::simulated_body::{SimulatedBody, SimulatedJoint};

/// The prescribed joints of a body.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Prescribed {
    /// Empty before there is any.
    joints: TiVec<SimulatedJointIndex, Option<Prescription>>,
    /// What changes at the beginning of this step; empty if nothing does.
    pub change: Change,
}

/// A change of velocities.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Change {
    pub root: Twist,
    /// rad/s or m/s, joint order.
    pub joints: Vec<f64>,
}

impl Prescribed {
    /// Where the step before was to lead a simulated joint, rad or m, if it was prescribed.
    pub fn reference(&self, joint: SimulatedJointIndex) -> Option<f64> {
        self.joints.get(joint).copied().flatten().map(|joint| joint.destination)
    }

    /// Finds out what velocities this step begins with.
    pub fn plan(
        &mut self,
        body: &Body,
        simulated: &SimulatedBody,
        state: &BodyState,
        demands: &TiSlice<SimulatedJointIndex, Demand>,
    ) {
        if demands.iter().all(|demand| demand.prescribed.is_none()) {
            self.change = Change::default();
        } else {
            self.change = change(body, simulated, state, demands);
        }
    }

    /// The velocities that this step begins with, where the step before has ended with `root` and `joints`.
    pub fn start(&self, root: &Twist, joints: &[f64], start: &mut StartVelocities) {
        let change = &self.change;
        start.root = Twist { linear: root.linear + change.root.linear, angular: root.angular + change.root.angular };
        start.joints.clear();
        start.joints.raw.extend_from_slice(joints);
        for (velocity, change) in start.joints.iter_mut().zip(&change.joints) {
            *velocity += change;
        }
    }

    /// Makes rapier hold the joints that are prescribed in this step and let go those that are not any more. Gives whether
    /// there were others before.
    pub fn hold(
        &mut self,
        joints: &TiSlice<SimulatedJointIndex, SimulatedJoint>,
        demands: &TiSlice<SimulatedJointIndex, Demand>,
        context: &mut RapierContextJoints,
    ) -> bool {
        if self.joints.is_empty() && self.change.joints.is_empty() {
            return false;
        }
        self.joints.resize(joints.len(), None);
        let mut has_changed = false;
        for ((joint, demand), held) in joints.iter().zip(demands).zip(&mut self.joints) {
            has_changed |= demand.prescribed.is_some() != held.is_some();
            if demand.prescribed.is_some() {
                hide_limits(joint, context);
            }
            *held = demand.prescribed;
        }
        has_changed
    }
}

/// Takes the limits of a joint off, if rapier is shown any; once it is let go they are shown again where they are near.
fn hide_limits(joint: &SimulatedJoint, context: &mut RapierContextJoints) {
    let free = JointAxesMask::from(axis(joint.kind));
    let is_shown = |joint: &ImpulseJoint| joint.data.limit_axes.intersects(free);
    if context.impulse_joints.get(joint.handle).is_some_and(is_shown)
        && let Some(impulse) = context.impulse_joints.get_mut(joint.handle, false)
    {
        impulse.data.limit_axes.remove(free);
    }
}

/// By how much the twist of the root and the velocities of the joints change.
fn change(
    body: &Body,
    simulated: &SimulatedBody,
    state: &BodyState,
    demands: &TiSlice<SimulatedJointIndex, Demand>,
) -> Change {
    let configuration = Configuration::new(body, state.link_pose(LinkIndex::ROOT), &state.displacements);
    let mut mass = configuration.mass_matrix();
    let mut changes = DVector::zeros(mass.nrows());
    let root = num_root_coordinates(body);
    if simulated.terms.is_guided {
        (0..root).for_each(|column| prescribe(column, 0.0, &mut mass, &mut changes));
    }
    for (joint, demand) in simulated.joints.iter().zip(demands) {
        if let Some(Prescription { velocity, .. }) = demand.prescribed {
            let change = velocity - state.velocity(joint.index);
            prescribe(root + joint.index.0, change, &mut mass, &mut changes);
        }
    }
    for column in 0..mass.nrows() {
        // Coordinates that move nothing.
        if mass[(column, column)] <= 0.0 {
            prescribe(column, 0.0, &mut mass, &mut changes);
        }
    }
    match Cholesky::new(mass) {
        Some(cholesky) => cholesky.solve_mut(&mut changes),
        // Something that has to move weighs nothing; it will be dragged along.
        None => {
            changes.fill(0.0);
            for (joint, demand) in simulated.joints.iter().zip(demands) {
                if let Some(Prescription { velocity, .. }) = demand.prescribed {
                    changes[root + joint.index.0] = velocity - state.velocity(joint.index);
                }
            }
        }
    }
    let vector = |first: usize| Vector3::from_fn(|row, _| if root > 0 { changes[first + row] } else { 0.0 });
    Change {
        root: Twist { linear: vector(0), angular: vector(3) },
        joints: changes.rows(root, body.num_joints()).iter().copied().collect(),
    }
}
