//! Implausible states of bodies and extra joints after rapier's step.

use bevy::prelude::Entity;
use bevy_rapier3d::prelude::RapierContextJoints;
use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bunraku_body::{Body, JointKind, Link, LinkIndex};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::model::extra_joint::SimulatedExtraJoint;
use crate::model::loops::rows_of_kind::asked;
use crate::model::simulated_body::SimulatedBody;
use crate::readings::health::{FASTEST, LARGEST_TURN, Trouble, WIDEST_GAP, torn_apart};
use crate::readings::words::in_digits;
use crate::world::convert::from_pose;

/// The first implausible state of a body after a step with the link poses `poses`. Joints are checked before the root, which a joint may
/// have thrown. `see_gap` is called with the gap of each joint, m.
pub(crate) fn trouble(
    body: &Body,
    simulated: &SimulatedBody,
    set: &RigidBodySet,
    poses: &[Isometry3<f64>],
    time_step: f64,
    mut see_gap: impl FnMut(f64, LinkIndex),
) -> Option<Trouble> {
    let links = (1..body.links().len()).chain([0]).map(LinkIndex);
    links.filter(|link| simulated.links[*link].is_carrier).find_map(|link| {
        let what = trouble_of_link(body, simulated, set, poses, time_step, link, &mut see_gap)?;
        Some(Trouble { link, what })
    })
}

fn trouble_of_link(
    body: &Body,
    simulated: &SimulatedBody,
    set: &RigidBodySet,
    poses: &[Isometry3<f64>],
    time_step: f64,
    index: LinkIndex,
    see_gap: &mut impl FnMut(f64, LinkIndex),
) -> Option<String> {
    let link = body.link(index);
    let part = set.get(simulated.parts[simulated.links[index].part])?;
    let position = part.position();
    // A sum is not finite if any term is not.
    let sum = position.translation.element_sum() + part.linvel().element_sum() + part.angvel().element_sum();
    if !(sum.is_finite() && position.rotation.is_finite() && part.is_enabled()) {
        return Some("has a state that is not a number".to_owned());
    }
    let gap = match link.parent {
        Some(parent) if link.joint.kind.has_displacement() => gap(link, &poses[parent.0], &poses[index.0]),
        _ => 0.0,
    };
    see_gap(gap, index);
    if gap > WIDEST_GAP {
        return Some(format!("is torn off its parent by {} mm", in_digits(gap * 1e3, 0)));
    }
    // Squares, because this runs for every link in every step.
    if f64::from(part.linvel().length_squared()) > FASTEST * FASTEST {
        return Some(format!("moves at {} m/s", in_digits(f64::from(part.linvel().length()), 0)));
    }
    if f64::from(part.angvel().length_squared()) * time_step * time_step > LARGEST_TURN * LARGEST_TURN {
        let turn = in_digits(f64::from(part.angvel().length()), 0);
        return Some(format!("turns at {turn} rad/s, more than half a turn in a time step"));
    }
    None
}

/// Distance of the joint's two anchor points, across the axis for a prismatic joint.
fn gap(link: &Link, parent: &Isometry3<f64>, pose: &Isometry3<f64>) -> f64 {
    let anchor = parent * Point3::from(link.offset.translation.vector);
    let apart = pose.translation.vector - anchor.coords;
    let axis = if link.joint.kind == JointKind::Prismatic { link.joint.axis.try_normalize(0.0) } else { None };
    axis.map_or_else(|| apart.norm(), |axis| apart.cross(&(pose.rotation * axis)).norm())
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
