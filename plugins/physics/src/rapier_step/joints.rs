//! Joints of bodies as rapier's joints, with rapier's limits, and the velocities that bodies start with.

use bevy::prelude::*;
use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::{GenericJoint as RapierJointData, ImpulseJointHandle, RigidBodySet};
use bunraku_body::dynamics::{Configuration, Twist};
use bunraku_body::{
    Body, BodyModel, BodyState, Drive, Joint, JointActuation, JointIndex, JointKind, JointSlot, LinkIndex, RigidParts,
};
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus};
use nalgebra::{Isometry3, Vector3};

use super::extra_joints;
use super::reports::Reports;
use crate::model::collision::SurfaceMaterials;
use crate::model::initial_twist::InitialTwist;
use crate::model::joint_limits::JointLimits;
use crate::model::joint_losses::JointLosses;
use crate::model::joint_springs::JointSprings;
use crate::model::limitations::{BodyUse, Limitation, RapierFinding, first_that_bounces, rapier_findings};
use crate::model::loops::geometry::axis_turn;
use crate::model::simulated_body::SimulatedBody;
use crate::model::velocity_limits::VelocityLimits;
use crate::world::convert::{to_quat, to_vec3};

/// Rapier's joints of a body's tree, in joint order.
#[derive(Component, Debug, Default)]
pub(crate) struct RapierJoints(pub Vec<RapierJoint>);

/// A joint with one displacement between two rigid parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RapierJoint {
    pub index: JointIndex,
    /// The link it moves; the carrier of its part.
    pub link: LinkIndex,
    /// The link it moves against.
    pub parent: LinkIndex,
    pub kind: JointKind,
    /// Unit vector in the link frame.
    pub axis: Vector3<f64>,
    pub handle: ImpulseJointHandle,
}

type NewBody<'a> = (
    (Entity, Option<&'a Name>, &'a BodyModel, &'a BodyState, &'a Drive, &'a JointActuation),
    (Option<&'a InitialTwist>, RapierLosses<'a>, Option<&'a VelocityLimits>, Option<&'a JointLimits>),
    &'a SimulatedBody,
);
type RapierLosses<'a> = (Option<&'a JointLosses>, Option<&'a JointSprings>);

/// Puts the joints of new bodies into rapier's world, in the order of spawning: rapier's results depend on it.
pub(crate) fn insert(
    mut commands: Commands,
    bodies: Query<NewBody<'_>, Without<RapierJoints>>,
    mut contexts: Query<(&mut RapierRigidBodySet, &mut RapierContextJoints)>,
    (clock, mut status): (Res<SimulationClock>, ResMut<SimulationStatus>),
    mut reports: Reports,
) {
    let Ok((mut set, mut joints)) = contexts.single_mut() else { return };
    let mut new: Vec<_> = bodies.iter().collect();
    new.sort_by_key(|((entity, ..), ..)| entity.index_u32());
    for (
        (entity, name, BodyModel(body), state, drive, actuation),
        (twist, (losses, springs), velocities, limits),
        simulated,
    ) in new
    {
        let used = BodyUse {
            name: name.map_or(body.name.as_str(), Name::as_str),
            body,
            drive: *drive,
            displacements: &state.displacements,
            actuation: &actuation.0,
            losses,
            springs,
            velocities: velocities.copied().unwrap_or_default(),
            limits: limits.copied().unwrap_or_default(),
        };
        for RapierFinding { limitation, message } in rapier_findings(&used) {
            if let Err(message) = reports.add((entity, "BodyModel"), limitation, &message) {
                *status = SimulationStatus::Failed(SimulationFault { time: clock.time(), message });
                return;
            }
        }
        let mut own = RapierJoints::default();
        if *drive == Drive::Physics {
            own.0 = insert_tree(body, simulated, &mut joints);
            insert_loops(body, simulated, &mut joints);
            start_moving(body, simulated, state, twist, &mut set.bodies);
        }
        commands.entity(entity).insert(own);
    }
}

/// Warns of restitution, when bodies come.
pub(crate) fn warn_of_restitution(
    bodies: Query<(Entity, Option<&Name>, &BodyModel, &Drive)>,
    materials: Res<SurfaceMaterials>,
    mut reports: Reports,
) -> Result {
    if reports.has(Limitation::Impact) {
        return Ok(());
    }
    let all: Vec<_> = bodies.iter().map(|(_, _, BodyModel(body), drive)| (&**body, *drive)).collect();
    if let Some((index, link)) = first_that_bounces(&materials.0, &all)
        && let Some((entity, name, BodyModel(body), _)) = bodies.iter().nth(index)
    {
        let name = name.map_or(body.name.as_str(), Name::as_str);
        let message = Limitation::Impact.message(&format!("link `{link}` of `{name}`"));
        reports.add((entity, "SurfaceMaterials"), Limitation::Impact, &message)?;
    }
    Ok(())
}

/// Joints between the rigid parts of a body, in joint order.
fn insert_tree(body: &Body, simulated: &SimulatedBody, joints: &mut RapierContextJoints) -> Vec<RapierJoint> {
    let links = body.indexed_links().filter(|(_, link)| link.joint.kind.has_displacement());
    let inserted = links.filter_map(|(index, link)| {
        let parent = link.parent?;
        let (parent_part, pose) = simulated.rigid_body(parent);
        let (part, _) = simulated.rigid_body(index);
        let data = joint_data(&link.joint, &(pose * link.offset));
        let handle = joints.impulse_joints.insert(parent_part, part, data, true);
        let axis = link.joint.axis.try_normalize(0.0)?;
        let slot = body.joints().iter().position(|slot| *slot == JointSlot::Link(index))?;
        Some(RapierJoint { index: JointIndex(slot), link: index, parent, kind: link.joint.kind, axis, handle })
    });
    let mut inserted: Vec<_> = inserted.collect();
    inserted.sort_by_key(|joint| joint.index.0);
    inserted
}

/// The free axis of a joint in rapier's joint frame.
pub(super) fn axis(kind: JointKind) -> JointAxis {
    match kind {
        JointKind::Prismatic => JointAxis::LinX,
        _ => JointAxis::AngX,
    }
}

/// The joint of a part against its parent's; `frame` is that of the joint at zero displacement in the parent's frame.
fn joint_data(joint: &Joint, frame: &Isometry3<f64>) -> RapierJointData {
    // Rapier's free axis is X of the joint frame on both sides.
    let turn = axis_turn(Some(&joint.axis));
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
fn insert_loops(body: &Body, simulated: &SimulatedBody, joints: &mut RapierContextJoints) {
    for extra in &body.extra_joints {
        let [(first, one), (second, other)] = extra.links.map(|link| simulated.rigid_body(link));
        if first != second {
            let data = extra_joints::joint_data(extra.kind, [one * extra.frames[0], other * extra.frames[1]]);
            joints.impulse_joints.insert(first, second, data, true);
        }
    }
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

type Limited<'a> = (&'a BodyModel, &'a RapierJoints, Option<&'a JointLimits>);
type Affected = Or<(Changed<JointLimits>, Changed<RapierJoints>)>;

/// Gives rapier the displacement ranges of the joints of bodies that are new or whose rule has changed.
pub(crate) fn limit(bodies: Query<Limited<'_>, Affected>, mut contexts: Query<&mut RapierContextJoints>) -> Result {
    let mut joints = contexts.single_mut()?;
    for (BodyModel(body), own, limits) in &bodies {
        for joint in &own.0 {
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
