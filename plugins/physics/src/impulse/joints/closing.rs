//! Extra joints that are open at the start close slowly.
//!
//! Rapier closes a joint within a step or two, however far it is open: 50 mm in a millisecond leave a box with 20 m/s. So a joint
//! starts with its first frame where the second one is, and the frame moves to its own pose along a path that begins and ends at
//! rest. Where it is depends on nothing but the time.

use std::collections::BTreeSet;
use std::f64::consts::PI;

use bevy::prelude::*;
use bevy_rapier3d::prelude::{JointAxesMask, RapierContextJoints, RapierRigidBodySet};
use bevy_rapier3d::rapier::dynamics::{ImpulseJoint, ImpulseJointHandle, RigidBodySet};
use bunraku_simulation::SimulationClock;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use crate::model::extra_joint::SimulatedExtraJoint;
use crate::model::simulated_body::SimulatedBody;
use crate::world::convert::{from_pose, to_pose};

/// A joint that is open by less than this, m and rad, is closed: single precision at some metres from the origin, and what
/// models with four digits leave open.
const CLOSED: f64 = 1e-4;
/// Mean speed at which ends approach each other, m/s, and at which frames turn towards each other, rad/s: slow enough that
/// nothing is flung, fast enough that a mechanism is closed before much else has happened.
const SPEED: (f64, f64) = (0.1, 1.0);
/// The shortest time in which a joint closes, s: a gap of a tenth of a millimetre with no more than 0.01 m/s.
const SHORTEST: f64 = 0.01;

/// The extra joints that were open when they were taken in.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct ClosingJoints {
    closing: Vec<ClosingJoint>,
    /// All extra joints that were looked at, open or not, by handle.
    seen: BTreeSet<(u32, u32)>,
}

#[derive(Clone, Debug)]
struct ClosingJoint {
    handle: ImpulseJointHandle,
    /// The first frame of the joint when it is closed, in its rigid body.
    closed: Isometry3<f64>,
    /// Where the second frame was, as seen from the first; along directions that the joint leaves free it does not matter.
    opening: Isometry3<f64>,
    /// When it began to close and how long that takes, s.
    start: f64,
    duration: f64,
}

impl ClosingJoints {
    pub fn is_empty(&self) -> bool {
        self.closing.is_empty()
    }

    /// Forgets joints that are there no more.
    pub fn keep(&mut self, is_there: impl Fn(ImpulseJointHandle) -> bool) {
        self.closing.retain(|closing| is_there(closing.handle));
        self.seen.retain(|&(index, generation)| is_there(ImpulseJointHandle::from_raw_parts(index, generation)));
    }
}

impl ClosingJoint {
    /// The first frame at some time, s.
    fn frame(&self, time: f64) -> Isometry3<f64> {
        let share = ((time - self.start) / self.duration).clamp(0.0, 1.0);
        // Half a cosine: at rest at both ends.
        let left = (1.0 + (PI * share).cos()) / 2.0;
        let turn = UnitQuaternion::from_scaled_axis(self.opening.rotation.scaled_axis() * left);
        self.closed * Isometry3::from_parts(Translation3::from(self.opening.translation.vector * left), turn)
    }
}

/// Opens the joints that were just taken in as far as their ends are apart.
pub(crate) fn begin(
    bodies: Query<&SimulatedBody>,
    extra_joints: Query<&SimulatedExtraJoint>,
    mut contexts: Query<(&RapierRigidBodySet, &mut RapierContextJoints)>,
    clock: Res<SimulationClock>,
    mut closing: ResMut<ClosingJoints>,
) {
    let Ok((set, mut joints)) = contexts.single_mut() else { return };
    let within = bodies.iter().flat_map(|body| body.loops.iter().map(|closure| closure.handle));
    for handle in within.chain(extra_joints.iter().filter_map(|joint| joint.handle)) {
        // A joint between links of one body is known to the body as well.
        if !closing.seen.insert(handle.into_raw_parts()) {
            continue;
        }
        let Some(joint) = joints.impulse_joints.get_mut(handle, false) else { continue };
        let Some((opening, duration)) = opening(joint, &set.bodies) else { continue };
        let closed = from_pose(&joint.data.local_frame1);
        let new = ClosingJoint { handle, closed, opening, start: clock.time(), duration };
        joint.data.local_frame1 = to_pose(&new.frame(clock.time()));
        closing.closing.push(new);
    }
}

/// Moves the frames of closing joints to where they are at the end of the coming step.
pub(crate) fn close(
    mut contexts: Query<&mut RapierContextJoints>,
    clock: Res<SimulationClock>,
    closing: Res<ClosingJoints>,
) -> Result {
    if closing.closing.is_empty() {
        return Ok(());
    }
    let mut joints = contexts.single_mut()?;
    for closing in &closing.closing {
        // One more step than it takes, so that the last one leaves it closed.
        if clock.time() < closing.start + closing.duration + clock.time_step()
            && let Some(joint) = joints.impulse_joints.get_mut(closing.handle, false)
        {
            joint.data.local_frame1 = to_pose(&closing.frame(clock.time() + clock.time_step()));
        }
    }
    Ok(())
}

/// Where the second frame of a joint is as seen from the first, and how long the joint takes to close, s; `None` if it is closed.
fn opening(joint: &ImpulseJoint, set: &RigidBodySet) -> Option<(Isometry3<f64>, f64)> {
    let frame = |body, local| set.get(body).map(|body| from_pose(body.position()) * from_pose(local));
    let first = frame(joint.body1(), &joint.data.local_frame1)?;
    let second = frame(joint.body2(), &joint.data.local_frame2)?;
    let apart = first.inverse() * second;
    let locked = joint.data.locked_axes;
    let turn = held_turn(locked, &apart.rotation);
    let held = Vector3::from_fn(|axis, _| if locked.bits() & (1 << axis) == 0 { 0.0 } else { 1.0 });
    let gap = apart.translation.vector.component_mul(&held).norm();
    let angle = turn.angle();
    let duration = (gap / SPEED.0).max(angle / SPEED.1).max(SHORTEST);
    (gap > CLOSED || angle > CLOSED).then(|| (Isometry3::from_parts(apart.translation, turn), duration))
}

/// The part of a turn between the frames of a joint that its rows undo; X is the axis of a joint that has one.
fn held_turn(locked: JointAxesMask, turn: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    let all = JointAxesMask::ANG_X | JointAxesMask::ANG_Y | JointAxesMask::ANG_Z;
    let held = locked & all;
    if held == all {
        *turn
    } else if held == JointAxesMask::ANG_Y | JointAxesMask::ANG_Z {
        // How X leans, whatever the angle about it; axes against each other have no nearest way.
        UnitQuaternion::rotation_between(&Vector3::x(), &(turn * Vector3::x())).unwrap_or(*turn)
    } else {
        let axis = turn.scaled_axis();
        let part = |row: usize| if held.bits() & (8 << row) == 0 { 0.0 } else { axis[row] };
        UnitQuaternion::from_scaled_axis(Vector3::new(part(0), part(1), part(2)))
    }
}
