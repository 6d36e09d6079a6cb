//! Extra joints that are torn apart.

use bevy::prelude::Entity;
use bevy_rapier3d::prelude::RapierContextJoints;
use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use nalgebra::Vector3;

use crate::model::extra_joint::SimulatedExtraJoint;
use crate::model::loops::rows_of_kind::asked;
use crate::readings::health::WIDEST_GAP;
use crate::readings::words::in_digits;
use crate::world::convert::from_pose;

/// Message about a joint with this gap, m.
pub(crate) fn torn_apart(name: &str, gap: f64) -> String {
    format!("the simulation diverged: {name} is torn apart by {} mm", in_digits(gap * 1e3, 0))
}

/// Message about the first extra joint that is torn apart after a step of rapier. `see_gap` is called with the gap of each joint beyond that at
/// its start, m.
pub(crate) fn torn_joint<'a>(
    extra_joints: impl Iterator<Item = (Entity, &'a SimulatedExtraJoint)>,
    set: &RigidBodySet,
    joints: &RapierContextJoints,
    mut see_gap: impl FnMut(f64, Entity),
) -> Option<String> {
    extra_joints.into_iter().find_map(|(entity, extra)| {
        let joint = joints.impulse_joints.get(extra.handle?)?;
        let frame = |body, local| set.get(body).map(|body| from_pose(body.position()) * from_pose(local));
        let first = frame(joint.body1(), &joint.data.local_frame1)?;
        let second = frame(joint.body2(), &joint.data.local_frame2)?;
        // X of rapier's frames is the axis.
        let apart = first.rotation.inverse() * (second.translation.vector - first.translation.vector);
        let held = asked(extra.kind).bits();
        let gap = Vector3::from_fn(|axis, _| if held & (1 << axis) == 0 { 0.0 } else { apart[axis] }).norm();
        see_gap(gap - extra.start_gap, entity);
        (gap > WIDEST_GAP + extra.start_gap).then(|| torn_apart(&extra.name, gap))
    })
}
