//! A body in a query: its state and its commands, by joint.

use bevy::ecs::query::QueryData;
use bevy::prelude::*;

use crate::{
    Actuation, BodyModel, BodyState, JointActuation, JointEfforts, JointIndex, JointTargets, LinkIndex, UnknownName,
};

/// Query data of a body, with its joints by name:
///
/// ```
/// use bevy::prelude::*;
/// use bunraku_body::Robot;
///
/// #[derive(Component)]
/// struct Arm;
///
/// /// Holds the elbow by a spring and a damper.
/// fn hold(mut arms: Query<Robot, With<Arm>>) -> Result {
///     for mut arm in &mut arms {
///         let elbow = arm.joint("ELBOW")?;
///         let effort = -20.0 * arm.displacement(elbow) - 2.0 * arm.velocity(elbow);
///         arm.set_effort(elbow, effort);
///     }
///     Ok(())
/// }
/// ```
///
/// `Query<RobotReadOnly>` reads only. Indices are those of the body: others panic.
#[derive(QueryData)]
#[query_data(mutable)]
pub struct Robot {
    /// The body entity.
    pub entity: Entity,
    /// The model.
    pub model: &'static BodyModel,
    /// Poses and velocities.
    pub state: &'static BodyState,
    /// Commanded efforts.
    pub efforts: &'static mut JointEfforts,
    /// Targets of servos and of prescribed joints.
    pub targets: &'static mut JointTargets,
    /// Command of each joint.
    pub actuation: &'static mut JointActuation,
}

macro_rules! reads {
    ($($item:ident),*) => {$(
        impl $item<'_, '_> {
            /// The joint with this name.
            ///
            /// # Errors
            /// If no such name exists: the message suggests a similar one, or lists all.
            pub fn joint(&self, name: &str) -> std::result::Result<JointIndex, UnknownName> {
                self.model.0.joint_named(name)
            }

            /// The link with this name.
            ///
            /// # Errors
            /// If no such name exists: the message suggests a similar one, or lists all.
            pub fn link(&self, name: &str) -> std::result::Result<LinkIndex, UnknownName> {
                self.model.0.link_named(name)
            }

            /// Displacement of a joint, rad or m.
            pub fn displacement(&self, joint: JointIndex) -> f64 {
                self.state.displacement(joint)
            }

            /// Velocity of a joint, rad/s or m/s.
            pub fn velocity(&self, joint: JointIndex) -> f64 {
                self.state.velocity(joint)
            }

            /// World pose of a link frame, m.
            pub fn link_pose(&self, link: LinkIndex) -> &nalgebra::Isometry3<f64> {
                self.state.link_pose(link)
            }
        }
    )*};
}

reads!(RobotItem, RobotReadOnlyItem);

#[expect(clippy::indexing_slicing, reason = "targets have an entry for each joint of their body")]
impl RobotItem<'_, '_> {
    /// Commands an effort, N·m or N: see [`JointEfforts`].
    pub fn set_effort(&mut self, joint: JointIndex, effort: f64) {
        self.efforts[joint] = effort;
    }

    /// Makes a joint a servo, or changes what else moves it.
    pub fn set_actuation(&mut self, joint: JointIndex, actuation: Actuation) {
        self.actuation[joint] = actuation;
    }

    /// Sets the target of a servo or of a prescribed joint, rad or m: see [`JointTargets::displacements`].
    pub fn set_target(&mut self, joint: JointIndex, displacement: f64) {
        self.targets.displacements[joint.0] = displacement;
    }

    /// Sets the target velocity, rad/s or m/s: see [`JointTargets::velocities`].
    pub fn set_target_velocity(&mut self, joint: JointIndex, velocity: f64) {
        self.targets.velocities[joint.0] = velocity;
    }
}
