use nalgebra::{Isometry3, Vector3};

use super::configuration::value_at;
use super::{Configuration, Twist, Wrench};
use crate::Body;

/// Pose, velocities and accelerations of a body.
#[derive(Clone, Copy, Debug)]
pub struct BodyMotionState<'v> {
    /// Pose of the root in the world.
    pub root_pose: Isometry3<f64>,
    /// Twist of the root, world axes. Also used if the root is fixed.
    pub root_twist: Twist,
    /// Derivative of the twist: acceleration of the root origin (m/s², without gravity) and angular acceleration
    /// (rad/s²), world axes. It is not Featherstone's spatial acceleration, which differs by −ω × v.
    pub root_acceleration: Twist,
    /// Joint displacements, rad or m, joint order.
    pub displacements: &'v [f64],
    /// Joint velocities, rad/s or m/s.
    pub velocities: &'v [f64],
    /// Joint accelerations, rad/s² or m/s².
    pub accelerations: &'v [f64],
}

impl Default for BodyMotionState<'_> {
    /// State of rest at the world origin with all joints at 0.
    fn default() -> Self {
        Self {
            root_pose: Isometry3::identity(),
            root_twist: Twist::ZERO,
            root_acceleration: Twist::ZERO,
            displacements: &[],
            velocities: &[],
            accelerations: &[],
        }
    }
}

/// Forces required for a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct InverseDynamics {
    /// Wrench that must act on the root from outside, besides gravity and the given external wrenches, at the root
    /// origin, world axes. It is the reaction of the ground for a fixed root, and zero for a floating body that moves
    /// by itself.
    pub root_wrench: Wrench,
    /// Effort of each joint, N·m or N, joint order: positive pushes the link along positive displacement (and its
    /// parent in the opposite direction).
    pub efforts: Vec<f64>,
}

impl InverseDynamics {
    /// Root wrench and joint efforts of a motion; see [`Configuration::inverse_dynamics`].
    pub fn of(body: &Body, state: &BodyMotionState<'_>, gravity: &Vector3<f64>, external: &[Wrench]) -> Self {
        Configuration::new(body, &state.root_pose, state.displacements).inverse_dynamics(
            &state.root_twist,
            &state.root_acceleration,
            state.velocities,
            state.accelerations,
            gravity,
            external,
        )
    }
}

impl Configuration<'_> {
    /// Root wrench and joint efforts of a motion, by the recursive Newton–Euler algorithm (Featherstone §5.3, table
    /// 5.1; here in world axes and with classical accelerations).
    ///
    /// - `root_twist`, `root_acceleration`: as in [`BodyMotionState`];
    /// - `velocities`, `accelerations`: of the joints, rad/s or m/s and rad/s² or m/s², joint order;
    /// - `gravity`: acceleration of free fall, m/s², world axes, such as (0, 0, −9.80665);
    /// - `external`: external wrench on each link besides gravity (contacts); missing entries count as zero.
    ///
    /// The result satisfies M·v̇ + c = (root wrench, efforts) + Σ Jᵀ·external with M of
    /// [`mass_matrix`](Self::mass_matrix).
    pub fn inverse_dynamics(
        &self,
        root_twist: &Twist,
        root_acceleration: &Twist,
        velocities: &[f64],
        accelerations: &[f64],
        gravity: &Vector3<f64>,
        external: &[Wrench],
    ) -> InverseDynamics {
        let twists = self.link_twists(root_twist, velocities);
        // Gravity is equivalent to an upward acceleration of the root.
        let root = Twist { linear: root_acceleration.linear - gravity, angular: root_acceleration.angular };
        let motions = self.link_accelerations(&root, &twists, velocities, accelerations);

        let mut wrenches: Vec<Wrench> = Vec::with_capacity(twists.len());
        for (index, link) in self.body.indexed_links() {
            let outside = external.get(index.0).copied().unwrap_or_default();
            let lever = self.lever(index, link);
            let inertia = self.inertia(index, link);
            let (spin, motion) = (twists[index.0].angular, &motions[index.0]);
            let force = link.mass.mass * (motion.velocity_at(&lever) + spin.cross(&spin.cross(&lever)));
            let torque = inertia * motion.angular + spin.cross(&(inertia * spin)) + lever.cross(&force);
            wrenches.push(Wrench { force: force - outside.force, torque: torque - outside.torque });
        }

        let mut efforts = vec![0.0; self.body.num_joints()];
        for (index, link) in self.body.indexed_links().rev() {
            let Wrench { force, torque } = wrenches[index.0];
            if let Some(joint) = &self.joints[index.0]
                && let Some(effort) = efforts.get_mut(joint.index.0)
            {
                *effort = joint.direction.linear.dot(&force)
                    + joint.direction.angular.dot(&torque)
                    + joint.rotor_inertia * value_at(accelerations, joint.index);
            }
            if let Some(parent) = link.parent {
                let offset = self.offset(parent, index);
                wrenches[parent.0].force += force;
                wrenches[parent.0].torque += torque + offset.cross(&force);
            }
        }
        InverseDynamics { root_wrench: wrenches[0], efforts }
    }

    /// Derivatives of the twists of all links.
    fn link_accelerations(&self, root: &Twist, twists: &[Twist], velocities: &[f64], rates: &[f64]) -> Vec<Twist> {
        let mut motions: Vec<Twist> = Vec::with_capacity(twists.len());
        for (index, link) in self.body.indexed_links() {
            let motion = match link.parent {
                None => *root,
                Some(parent) => {
                    let (spin, above) = (twists[parent.0].angular, &motions[parent.0]);
                    let offset = self.offset(parent, index);
                    let mut motion = Twist {
                        linear: above.velocity_at(&offset) + spin.cross(&spin.cross(&offset)),
                        angular: above.angular,
                    };
                    if let Some(joint) = &self.joints[index.0] {
                        let (velocity, rate) = (value_at(velocities, joint.index), value_at(rates, joint.index));
                        let Twist { linear, angular } = joint.direction;
                        // The parent rotates the joint axis; the lever of a sliding link also changes (Coriolis: factor
                        // two).
                        motion.linear += linear * rate + 2.0 * spin.cross(&(linear * velocity));
                        motion.angular += angular * rate + spin.cross(&(angular * velocity));
                    }
                    motion
                }
            };
            motions.push(motion);
        }
        motions
    }
}
