use std::sync::Arc;

use bevy::prelude::Entity;
use bunraku_body::JointIndex;

use crate::Spawner;

/// How a simulation takes part in ROS 2.
#[derive(Clone, Debug)]
pub struct Ros2Settings {
    /// The domain of DDS, from 0 to 232.
    pub domain: u16,
    /// Namespace of topics and services; empty: that of the root.
    pub namespace: String,
    /// Whether all networks of the machine are used; otherwise the loopback device alone.
    pub all_networks: bool,
    /// Steps from one message of clock, poses and joints to the next, at least 1.
    pub steps_per_message: u64,
    /// Progress at the start.
    pub progress: Progress,
    /// The body of `/joint_states`, `/robot_joint_states` and `/robot_joint_command`.
    pub robot: Option<Entity>,
    /// The base that `/cmd_vel` drives.
    pub base: Option<BaseDrive>,
    /// Spawns bodies for clients; without it none are spawned.
    pub spawner: Option<Arc<dyn Spawner>>,
}

/// Progress of a simulation with ROS 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// By the wall clock: simulated seconds per second, positive.
    Clock(f64),
    /// Paused until services step or resume it, in real time.
    Paused,
}

/// A base with wheels or tracks on its left and right.
#[derive(Clone, Debug, PartialEq)]
pub struct BaseDrive {
    /// The body.
    pub body: Entity,
    /// Its joints on the left, positive forwards.
    pub left: Vec<JointIndex>,
    /// Its joints on the right, positive forwards.
    pub right: Vec<JointIndex>,
    /// Radius of the wheels, m; tracks have none.
    pub wheel_radius: f64,
    /// Distance between left and right, m.
    pub track_width: f64,
}

/// Why a simulation cannot take part in ROS 2.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ros2Error {
    /// A namespace that ROS 2 does not allow.
    #[error("`{0}` is no namespace of ROS 2: letters, digits and single `_`, in names that begin with a letter")]
    Namespace(String),
    /// A domain that has no ports.
    #[error("there is no domain {0}: it is a number from 0 to 232")]
    Domain(u16),
    /// DDS fails.
    #[error("ROS 2 cannot be reached: {0}")]
    Network(String),
    /// Wheels that cannot follow velocities.
    #[error(
        "`/cmd_vel` cannot drive the joint `{joint}` of `{body}`, which follows no velocities: give the body `controller: {{ type: velocity, kd: … }}`"
    )]
    Wheel {
        /// Name of the body.
        body: String,
        /// Name of its joint.
        joint: String,
    },
}
