use nalgebra::{Isometry3, Matrix3, Vector3};

use super::{Coordinate, Twist, num_coordinates};
use crate::kinematics::link_poses;
use crate::{Body, JointIndex, JointKind, JointSlot, Link, LinkIndex};

/// A body with a root pose and joint displacements.
///
/// It is built once for each instant. Jacobian, mass matrix and the other algorithms share its link poses.
#[derive(Clone, Debug)]
pub struct Configuration<'b> {
    pub(super) body: &'b Body,
    pub(super) poses: Vec<Isometry3<f64>>,
    /// Joint of each link that moves by a displacement.
    pub(super) joints: Vec<Option<MovingJoint>>,
}

/// A joint with a displacement.
#[derive(Clone, Copy, Debug)]
pub(super) struct MovingJoint {
    /// Index in the joint vector.
    pub(super) index: JointIndex,
    /// Twist of the link against its parent at unit velocity ("motion subspace", Featherstone §3.5), at the link
    /// origin and in world axes.
    pub(super) direction: Twist,
    /// Equivalent rotor inertia, kg·m² or kg.
    pub(super) rotor_inertia: f64,
}

impl<'b> Configuration<'b> {
    /// A configuration with the root pose `root` in the world and these joint displacements (rad or m, joint order).
    pub fn new(body: &'b Body, root: &Isometry3<f64>, displacements: &[f64]) -> Self {
        let poses = link_poses(body, root, displacements);
        let mut joints = vec![None; poses.len()];
        for (joint, slot) in body.indexed_joints() {
            // The joint of the root is ignored, even if the file gives it a type and an ID.
            if let JointSlot::Link(index) = slot
                && index != LinkIndex::ROOT
                && let Some(direction) = direction(body.link(index), &poses[index.0])
            {
                let rotor_inertia = body.link(index).joint.equivalent_rotor_inertia;
                joints[index.0] = Some(MovingJoint { index: joint, direction, rotor_inertia });
            }
        }
        Self { body, poses, joints }
    }

    /// The body.
    pub fn body(&self) -> &'b Body {
        self.body
    }

    /// World poses of the link frames, by link.
    pub fn link_poses(&self) -> &[Isometry3<f64>] {
        &self.poses
    }

    /// Number of velocities, see [`num_coordinates`].
    pub fn num_coordinates(&self) -> usize {
        num_coordinates(self.body)
    }

    /// Twists of all links, by link, for the twist of the root and joint velocities (rad/s or m/s, joint order).
    ///
    /// The root's twist is also used if the root is fixed: it may be fixed to a moving object.
    pub fn link_twists(&self, root: &Twist, velocities: &[f64]) -> Vec<Twist> {
        let mut twists = Vec::with_capacity(self.poses.len());
        for (index, link) in self.body.indexed_links() {
            let twist = match link.parent {
                None => *root,
                Some(parent) => {
                    let above: &Twist = &twists[parent.0];
                    let mut twist =
                        Twist { linear: above.velocity_at(&self.offset(parent, index)), angular: above.angular };
                    if let Some(joint) = &self.joints[index.0] {
                        let velocity = value_at(velocities, joint.index);
                        twist.linear += joint.direction.linear * velocity;
                        twist.angular += joint.direction.angular * velocity;
                    }
                    twist
                }
            };
            twists.push(twist);
        }
        twists
    }

    /// Vector from one link origin to another, m, world axes.
    pub(super) fn offset(&self, from: LinkIndex, to: LinkIndex) -> Vector3<f64> {
        self.poses[to.0].translation.vector - self.poses[from.0].translation.vector
    }

    /// Vector from the link origin to the centre of mass, m, world axes.
    pub(super) fn lever(&self, index: LinkIndex, link: &Link) -> Vector3<f64> {
        self.poses[index.0].rotation * link.mass.center_of_mass.coords
    }

    /// Inertia about the centre of mass, kg·m², world axes.
    pub(super) fn inertia(&self, index: LinkIndex, link: &Link) -> Matrix3<f64> {
        let rotation = self.poses[index.0].rotation.to_rotation_matrix();
        let inertia = rotation * link.mass.inertia * rotation.transpose();
        (inertia + inertia.transpose()) * 0.5
    }

    /// Coordinate of a joint.
    pub(super) fn coordinate(&self, joint: &MovingJoint) -> Coordinate {
        Coordinate::of(self.body, joint.index)
    }

    /// The link and its ancestors up to the root.
    pub(super) fn up_from(&self, link: LinkIndex) -> impl Iterator<Item = LinkIndex> + '_ {
        std::iter::successors(Some(link), |&index| self.body.link(index).parent)
    }
}

/// Twist of a link relative to its parent at unit velocity; `None` if its joint does not move.
fn direction(link: &Link, pose: &Isometry3<f64>) -> Option<Twist> {
    match link.joint.kind {
        // As in `joint_motion`: an angle does not depend on the length of the axis, a translation does.
        JointKind::Revolute => {
            let axis = link.joint.axis.try_normalize(0.0).unwrap_or_else(Vector3::z);
            Some(Twist { linear: Vector3::zeros(), angular: pose.rotation * axis })
        }
        JointKind::Prismatic => Some(Twist { linear: pose.rotation * link.joint.axis, angular: Vector3::zeros() }),
        JointKind::Fixed | JointKind::Free | JointKind::PseudoContinuousTrack => None,
    }
}

/// Entry of a joint vector; 0 if it is missing.
pub(super) fn value_at(values: &[f64], joint: JointIndex) -> f64 {
    values.get(joint.0).copied().unwrap_or(0.0)
}
