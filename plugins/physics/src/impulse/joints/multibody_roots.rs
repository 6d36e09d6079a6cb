//! Where free roots of multibodies are after a step.

use bevy_rapier3d::prelude::RapierContextJoints;
use bevy_rapier3d::rapier::dynamics::{RigidBodyHandle, RigidBodySet};
use bevy_rapier3d::rapier::math::{Rotation, Vector};

/// The roots that move freely, and how they were turned before the step.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreeRoots(Vec<(RigidBodyHandle, Rotation)>);

/// Coordinates of a joint that holds nothing.
const FREE: usize = 6;

impl FreeRoots {
    /// Looks at all roots before a step.
    pub fn remember(&mut self, joints: &RapierContextJoints, set: &RigidBodySet) {
        self.0.clear();
        let roots = joints.multibody_joints.multibodies().map(|multibody| multibody.root());
        let free = roots.filter(|root| root.joint().ndofs() == FREE).map(|root| root.rigid_body_handle());
        self.0.extend(free.filter_map(|root| Some((root, *set.get(root)?.rotation()))));
    }

    /// Moves each multibody to where its root's centre of mass has gone.
    ///
    /// Rapier 0.35 moves the origin of a root with the velocity of its centre of mass. The way of the one is that of the other
    /// less the way that the centre goes round the origin, so a body that floats and turns would creep away, a centimetre for
    /// each centimetre of the centre's offset in a sixth of a turn.
    pub fn correct(&self, joints: &RapierContextJoints, set: &mut RigidBodySet) {
        for &(handle, before) in &self.0 {
            let Some(root) = set.get(handle) else { continue };
            let center = root.mass_properties().local_mprops.local_com;
            let shift = before * center - *root.rotation() * center;
            let link = joints.multibody_joints.rigid_body_link(handle);
            let multibody = link.and_then(|link| joints.multibody_joints.get_multibody(link.multibody));
            let Some(multibody) = multibody.filter(|_| shift != Vector::ZERO) else { continue };
            for link in multibody.links() {
                if let Some(body) = set.get_mut(link.rigid_body_handle()) {
                    let mut pose = *body.position();
                    pose.translation += shift;
                    body.set_position(pose, false);
                }
            }
        }
    }
}
