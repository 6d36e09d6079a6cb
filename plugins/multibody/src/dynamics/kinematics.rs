//! Where the parts are and how they move.

use nalgebra::{Isometry3, Matrix3, Quaternion, Translation3, UnitQuaternion, Vector3};

use crate::math::spatial::{Twist, cross_motion};
use crate::model::state::twist_at;
use crate::model::system::{JointMotion, System};

/// Poses of all parts and directions of all coordinates for some displacements.
#[derive(Clone, Debug, Default)]
pub struct Kinematics {
    /// By part, world axes.
    pub rotations: Vec<UnitQuaternion<f64>>,
    pub matrices: Vec<Matrix3<f64>>,
    /// Of the origins of the parts' frames, m, in the world.
    pub positions: Vec<Vector3<f64>>,
    /// By tree: reference point of twists and wrenches, the origin of the root, m, in the world.
    pub origins: Vec<Vector3<f64>>,
    /// By coordinate: twist at unit velocity ("motion subspace").
    pub directions: Vec<Twist>,
}

impl Kinematics {
    pub fn fit(&mut self, system: &System) {
        self.rotations.resize(system.num_parts(), UnitQuaternion::identity());
        self.matrices.resize(system.num_parts(), Matrix3::identity());
        self.positions.resize(system.num_parts(), Vector3::zeros());
        self.origins.resize(system.num_trees(), Vector3::zeros());
        self.directions.resize(system.num_coordinates(), Twist::ZERO);
    }

    /// The pose of a part's frame in the world.
    #[inline]
    pub fn pose(&self, part: usize) -> Isometry3<f64> {
        Isometry3::from_parts(Translation3::from(self.positions[part]), self.rotations[part])
    }

    /// Poses of a tree's parts; `origins` and `directions` stay as they are.
    pub fn place(&mut self, system: &System, tree: usize, root: &Isometry3<f64>, displacements: &[f64]) {
        for index in system.trees[tree].parts.clone() {
            let part = &system.parts[index];
            let (rotation, position, slide) = match (part.parent, part.motion) {
                (None, _) | (_, JointMotion::Fixed | JointMotion::Free) => {
                    (root.rotation, root.translation.vector, None)
                }
                (Some(parent), motion) => {
                    let position = self.positions[parent] + self.matrices[parent] * part.translation;
                    let above = self.rotations[parent].quaternion();
                    let displacement = displacements[part.first_coordinate];
                    match motion {
                        JointMotion::Revolute(_) => {
                            let (sine, cosine) = libm::sincos(0.5 * displacement);
                            let joint: Quaternion<f64> =
                                part.rotation.quaternion() * cosine + part.rotation_axis * sine;
                            (UnitQuaternion::new_unchecked(above * joint), position, None)
                        }
                        JointMotion::Prismatic(axis) => {
                            (self.rotations[parent] * part.rotation, position, Some(axis * displacement))
                        }
                        JointMotion::Fixed | JointMotion::Free => (self.rotations[parent], position, None),
                    }
                }
            };
            self.rotations[index] = rotation;
            self.matrices[index] = rotation.to_rotation_matrix().into_inner();
            self.positions[index] = match slide {
                Some(slide) => position + self.matrices[index] * slide,
                None => position,
            };
        }
    }

    /// Directions of a tree's coordinates, after [`Self::place`].
    pub fn direct(&mut self, system: &System, tree: usize) {
        let parts = system.trees[tree].parts.clone();
        let origin = self.positions[parts.start];
        self.origins[tree] = origin;
        for index in parts {
            let part = &system.parts[index];
            let first = part.first_coordinate;
            match part.motion {
                JointMotion::Fixed => {}
                JointMotion::Free => {
                    for axis in 0..3 {
                        let unit = Vector3::ith(axis, 1.0);
                        self.directions[first + axis] = Twist { linear: unit, angular: Vector3::zeros() };
                        self.directions[first + 3 + axis] = Twist { linear: Vector3::zeros(), angular: unit };
                    }
                }
                JointMotion::Revolute(axis) => {
                    let angular = self.matrices[index] * axis;
                    self.directions[first] =
                        Twist { linear: (self.positions[index] - origin).cross(&angular), angular };
                }
                JointMotion::Prismatic(axis) => {
                    self.directions[first] = Twist { linear: self.matrices[index] * axis, angular: Vector3::zeros() };
                }
            }
        }
    }

    /// Twists of a tree's parts about its origin for some velocities.
    pub fn twists(&self, system: &System, tree: usize, velocities: &[f64], twists: &mut [Twist]) {
        for index in system.trees[tree].parts.clone() {
            let part = &system.parts[index];
            let mut twist = part.parent.map_or(Twist::ZERO, |parent| twists[parent]);
            match part.motion {
                JointMotion::Fixed => {}
                JointMotion::Free => twist = twist_at(velocities, part.first_coordinate),
                JointMotion::Revolute(_) | JointMotion::Prismatic(_) => {
                    let (direction, velocity) =
                        (&self.directions[part.first_coordinate], velocities[part.first_coordinate]);
                    twist.linear += direction.linear * velocity;
                    twist.angular += direction.angular * velocity;
                }
            }
            twists[index] = twist;
        }
    }

    /// Twists, and how they change while no velocity of a coordinate does: spatial accelerations (Featherstone §2.11).
    /// Gives the largest square of an angular velocity.
    pub fn twists_and_accelerations(
        &self,
        system: &System,
        tree: usize,
        velocities: &[f64],
        twists: &mut [Twist],
        accelerations: &mut [Twist],
    ) -> f64 {
        let mut fastest = 0.0_f64;
        for index in system.trees[tree].parts.clone() {
            let part = &system.parts[index];
            let (mut twist, mut acceleration) =
                part.parent.map_or((Twist::ZERO, Twist::ZERO), |parent| (twists[parent], accelerations[parent]));
            match part.motion {
                JointMotion::Fixed => {}
                JointMotion::Free => {
                    twist = twist_at(velocities, part.first_coordinate);
                    // The coordinate is the velocity of a point that moves along.
                    acceleration.linear = -twist.angular.cross(&twist.linear);
                }
                JointMotion::Revolute(_) | JointMotion::Prismatic(_) => {
                    let (direction, velocity) =
                        (&self.directions[part.first_coordinate], velocities[part.first_coordinate]);
                    let motion = Twist { linear: direction.linear * velocity, angular: direction.angular * velocity };
                    let turned = cross_motion(&twist, &motion);
                    acceleration.linear += turned.linear;
                    acceleration.angular += turned.angular;
                    twist.linear += motion.linear;
                    twist.angular += motion.angular;
                }
            }
            fastest = fastest.max(twist.angular.norm_squared());
            twists[index] = twist;
            accelerations[index] = acceleration;
        }
        fastest
    }
}
