use bevy::prelude::*;
use bevy_rapier3d::prelude::{JointAxesMask, RapierContextJoints, RapierRigidBodySet};
use bevy_rapier3d::rapier::dynamics::{GenericJoint, RigidBodyBuilder, RigidBodyHandle, RigidBodySet};

use crate::model::guided_root::GuidedRoot;
use crate::model::joint_solver::JointSolver;
use crate::model::simulated_body::SimulatedBody;
use crate::world::convert::to_pose;

/// What leads a guided root in rapier's world.
///
/// With impulse joints it is the root itself. A multibody does not feel its root move unless the root moves by forces: it is
/// fixed to a body that is led.
pub(crate) fn guide(
    solver: JointSolver,
    root: RigidBodyHandle,
    set: &mut RigidBodySet,
    joints: &mut RapierContextJoints,
) -> RigidBodyHandle {
    if solver == JointSolver::Impulse {
        return root;
    }
    let pose = set.get(root).map(|root| *root.position()).unwrap_or_default();
    let guide = set.insert(RigidBodyBuilder::kinematic_position_based().pose(pose).can_sleep(false).build());
    let mut fixed = GenericJoint::new(JointAxesMask::LOCKED_FIXED_AXES);
    fixed.set_contacts_enabled(false);
    joints.impulse_joints.insert(guide, root, fixed, true);
    guide
}

/// Leads guided roots to where they shall be at the end of the step.
pub(crate) fn lead(
    bodies: Query<(&SimulatedBody, &GuidedRoot)>,
    mut contexts: Query<&mut RapierRigidBodySet>,
) -> Result {
    let set = &mut contexts.single_mut()?.bodies;
    for (simulated, root) in &bodies {
        if let (Some(guide), Some(pose)) = (simulated.root_guide.and_then(|guide| set.get_mut(guide)), root.0) {
            guide.set_next_kinematic_position(to_pose(&pose));
        }
    }
    Ok(())
}
