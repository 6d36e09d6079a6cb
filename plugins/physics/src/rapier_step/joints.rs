//! Joints of bodies as rapier's joints, with rapier's limits, and the velocities that bodies start with.

use bevy::prelude::*;
use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::{GenericJoint as RapierJoint, RigidBodySet};
use bunraku_body::dynamics::{Configuration, Twist};
use bunraku_body::{
    Body, BodyModel, BodyState, Drive, ExtraJoint, Joint, JointActuation, JointIndex, JointKind, JointSlot, LinkIndex,
    RigidParts,
};
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus, SimulationWarnings};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use crate::model::collision::SurfaceMaterials;
use crate::model::initial_twist::InitialTwist;
use crate::model::joint_limits::JointLimits;
use crate::model::joint_losses::JointLosses;
use crate::model::limitations::{
    BodyUse, Limitation, RapierFinding, ReportedLimitations, first_that_bounces, rapier_findings,
};
use crate::model::loops::geometry::axis_frames;
use crate::model::loops::rows_of_kind::asked;
use crate::model::simulated_body::{SimulatedBody, SimulatedJoint, SimulatedLoop};
use crate::model::velocity_limits::VelocityLimits;
use crate::world::convert::{to_pose, to_quat, to_vec3};

type NewBody<'a> = (
    (Entity, Option<&'a Name>, &'a BodyModel, &'a BodyState, &'a Drive, &'a JointActuation),
    (Option<&'a InitialTwist>, Option<&'a JointLosses>, Option<&'a VelocityLimits>, Option<&'a JointLimits>),
    &'a mut SimulatedBody,
);

/// Puts the joints of new bodies into rapier's world, in the order of spawning: rapier's results depend on it.
pub(crate) fn insert(
    mut bodies: Query<NewBody<'_>>,
    mut contexts: Query<(&mut RapierRigidBodySet, &mut RapierContextJoints)>,
    (clock, mut status): (Res<SimulationClock>, ResMut<SimulationStatus>),
    (mut warnings, mut reported): (ResMut<SimulationWarnings>, ResMut<ReportedLimitations>),
    materials: Res<SurfaceMaterials>,
) {
    let Ok((mut set, mut joints)) = contexts.single_mut() else { return };
    if !reported.0.contains(&Limitation::Impact) && bodies.iter().any(|(.., simulated)| !simulated.is_jointed) {
        let all: Vec<_> = bodies.iter().map(|((_, _, BodyModel(body), _, drive, _), ..)| (&**body, *drive)).collect();
        if let Some((index, link)) = first_that_bounces(&materials.0, &all)
            && let Some(((entity, name, BodyModel(body), ..), ..)) = bodies.iter().nth(index)
        {
            reported.0.insert(Limitation::Impact);
            let name = name.map_or(body.name.as_str(), Name::as_str);
            let message = Limitation::Impact.message(&format!("link `{link}` of `{name}`"));
            warnings.add_each(entity, "SurfaceMaterials", format!("{message}; {}", Limitation::Impact.help()));
        }
    }
    let mut new: Vec<_> = bodies.iter_mut().filter(|(.., simulated)| !simulated.is_jointed).collect();
    new.sort_by_key(|((entity, ..), ..)| entity.index_u32());
    for (
        (entity, name, BodyModel(body), state, drive, actuation),
        (twist, losses, velocities, limits),
        mut simulated,
    ) in new
    {
        simulated.is_jointed = true;
        let used = BodyUse {
            name: name.map_or(body.name.as_str(), Name::as_str),
            body,
            drive: *drive,
            displacements: &state.displacements,
            actuation: &actuation.0,
            losses,
            velocities: velocities.copied().unwrap_or_default(),
            limits: limits.copied().unwrap_or_default(),
        };
        for RapierFinding { limitation, message } in rapier_findings(&used) {
            if limitation.is_refused() {
                let message = format!("{message}; {}", limitation.help());
                *status = SimulationStatus::Failed(SimulationFault { time: clock.time(), message });
                return;
            }
            if reported.0.insert(limitation) {
                warnings.add_each(entity, "BodyModel", format!("{message}; {}", limitation.help()));
            }
        }
        if *drive == Drive::Physics {
            insert_tree(body, &mut simulated, &mut joints);
            insert_loops(body, &mut simulated, &mut joints);
            start_moving(body, &simulated, state, twist, &mut set.bodies);
        }
    }
}

/// Joints between the rigid parts of a body, in the order of the links.
fn insert_tree(body: &Body, simulated: &mut SimulatedBody, joints: &mut RapierContextJoints) {
    let links = body.indexed_links().filter(|(_, link)| link.joint.kind.has_displacement());
    let inserted: Vec<_> = links
        .filter_map(|(index, link)| {
            let parent = link.parent?;
            let (parent_part, pose) = simulated.rigid_body(parent);
            let (part, _) = simulated.rigid_body(index);
            let data = joint_data(&link.joint, &(pose * link.offset));
            let handle = joints.impulse_joints.insert(parent_part, part, data, true);
            let axis = link.joint.axis.try_normalize(0.0)?;
            let slot = body.joints().iter().position(|slot| *slot == JointSlot::Link(index))?;
            let joint =
                SimulatedJoint { index: JointIndex(slot), link: index, parent, kind: link.joint.kind, axis, handle };
            Some(joint)
        })
        .collect();
    simulated.joints = inserted;
    simulated.joints.sort_by_key(|joint| joint.index.0);
}

/// The free axis of a joint in rapier's joint frame.
pub(super) fn axis(kind: JointKind) -> JointAxis {
    match kind {
        JointKind::Prismatic => JointAxis::LinX,
        _ => JointAxis::AngX,
    }
}

/// The joint of a part against its parent's; `frame` is that of the joint at zero displacement in the parent's frame.
fn joint_data(joint: &Joint, frame: &Isometry3<f64>) -> RapierJoint {
    // Rapier's free axis is X of the joint frame on both sides. Half a turn about any axis across turns X round.
    let turn = UnitQuaternion::rotation_between(&Vector3::x(), &joint.axis)
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI));
    let locked = match joint.kind {
        JointKind::Prismatic => JointAxesMask::LOCKED_PRISMATIC_AXES,
        _ => JointAxesMask::LOCKED_REVOLUTE_AXES,
    };
    let mut data = GenericJointBuilder::new(locked)
        .local_basis1(to_quat(&(frame.rotation * turn)))
        .local_anchor1(to_vec3(&frame.translation.vector))
        .local_basis2(to_quat(&turn))
        .local_anchor2(Vec3::ZERO)
        .build();
    data.set_contacts_enabled(false);
    data.into_rapier()
}

/// Extra joints of a body, with all rows of their kinds.
fn insert_loops(body: &Body, simulated: &mut SimulatedBody, joints: &mut RapierContextJoints) {
    for extra in &body.extra_joints {
        let [(first, one), (second, other)] = extra.links.map(|link| simulated.rigid_body(link));
        if first != second {
            let data = extra_joint_data(extra, [one, other]);
            let handle = joints.impulse_joints.insert(first, second, data, true);
            simulated.loops.push(SimulatedLoop { handle, links: extra.links.map(Some) });
        }
    }
}

/// An extra joint between links whose poses in their rigid bodies are `poses`.
pub(super) fn extra_joint_data(extra: &ExtraJoint, poses: [Isometry3<f64>; 2]) -> RapierJoint {
    let frames = axis_frames(extra);
    let mut data = RapierJoint::new(asked(extra.kind));
    data.local_frame1 = to_pose(&(poses[0] * frames[0]));
    data.local_frame2 = to_pose(&(poses[1] * frames[1]));
    data.set_contacts_enabled(false);
    data
}

/// Gives all parts of a body the velocities that it starts with. A part that moves freely inside it starts as if it were fixed to
/// its parent.
fn start_moving(
    body: &Body,
    simulated: &SimulatedBody,
    state: &BodyState,
    root: Option<&InitialTwist>,
    set: &mut RigidBodySet,
) {
    let root = root.filter(|_| !body.is_fixed() || simulated.terms.is_root_kinematic);
    let root = root.map_or(Twist::ZERO, |twist| twist.0);
    if root == Twist::ZERO && state.velocities.iter().all(|velocity| *velocity == 0.0) {
        return;
    }
    let configuration = Configuration::new(body, state.link_pose(LinkIndex::ROOT), &state.displacements);
    let twists = configuration.link_twists(&root, &state.velocities);
    let parts = RigidParts::of(body).parts;
    for (part, &handle) in parts.iter().zip(&simulated.parts) {
        let twist = twists[part.carrier.0];
        let center = state.link_pose(part.carrier).rotation * part.mass.center_of_mass.coords;
        if let Some(part) = set.get_mut(handle).filter(|part| part.is_dynamic()) {
            part.set_linvel(to_vec3(&twist.velocity_at(&center)), true);
            part.set_angvel(to_vec3(&twist.angular), true);
        }
    }
}

type Limited<'a> = (&'a BodyModel, &'a SimulatedBody, Option<&'a JointLimits>);
type Affected = Or<(Changed<JointLimits>, Changed<SimulatedBody>)>;

/// Gives rapier the displacement ranges of the joints of bodies that are new or whose rule has changed.
pub(crate) fn limit(bodies: Query<Limited<'_>, Affected>, mut contexts: Query<&mut RapierContextJoints>) -> Result {
    let mut joints = contexts.single_mut()?;
    for (BodyModel(body), simulated, limits) in &bodies {
        for joint in &simulated.joints {
            let range = limits.copied().unwrap_or_default().enforced(&body.link(joint.link).joint.displacement_range);
            let Some(joint_of_rapier) = joints.impulse_joints.get_mut(joint.handle, false) else { continue };
            if range.lower.is_finite() || range.upper.is_finite() {
                #[allow(clippy::cast_possible_truncation)]
                joint_of_rapier.data.set_limits(axis(joint.kind), [range.lower as f32, range.upper as f32]);
            } else {
                joint_of_rapier.data.limit_axes.remove(axis(joint.kind).into());
            }
        }
    }
    Ok(())
}
