//! Topics that only ROS 2 has.

use std::io::{Seek, Write};

use bunraku_body::dynamics::Twist;
use nalgebra::Isometry3;

use super::{LogError, McapLog, ros2, topic_name};

/// Topic of poses that never change.
pub(super) const TF_STATIC: &str = "/tf_static";

/// With other profiles nothing is written.
impl<W: Write + Seek> McapLog<W> {
    /// Writes the time of the simulation on `/clock`.
    ///
    /// # Errors
    /// As [`poses`](Self::poses).
    pub fn clock(&mut self, time: f64) -> Result<(), LogError> {
        if self.is_ros2() { self.add_ros2("/clock", time, ros2::clock(time)) } else { Ok(()) }
    }

    /// Writes poses that never change on `/tf_static`, as [`poses`](Self::poses) on `/tf`.
    ///
    /// # Errors
    /// As [`poses`](Self::poses).
    pub fn static_poses<'n>(
        &mut self,
        time: f64,
        poses: impl IntoIterator<Item = (&'n str, &'n str, Isometry3<f64>)>,
    ) -> Result<(), LogError> {
        if self.is_ros2() { self.add_ros2(TF_STATIC, time, ros2::poses(time, poses)) } else { Ok(()) }
    }

    /// Writes the pose of the frame `frame` in `parent`, and its twist in its own axes.
    ///
    /// # Errors
    /// As [`poses`](Self::poses).
    pub fn odometry(
        &mut self,
        topic: &str,
        time: f64,
        (parent, frame): (&str, &str),
        pose: &Isometry3<f64>,
        twist: &Twist,
    ) -> Result<(), LogError> {
        if self.is_ros2() {
            return self.add_ros2(topic, time, ros2::odometry(time, (parent, frame), pose, twist));
        }
        Ok(())
    }

    pub(super) fn add_ros2(
        &mut self,
        topic: &str,
        time: f64,
        (schema, message): ros2::Encoded,
    ) -> Result<(), LogError> {
        let topic = match self.topics.get(topic) {
            Some(known) => known.clone(),
            None => {
                let plain = topic_name(topic);
                // Names that differ only in forbidden characters.
                let numbered = (2_u64..).map(|number| format!("{plain}_{number}"));
                let mut names = std::iter::once(plain.clone()).chain(numbered);
                let is_free = |name: &String| !self.topics.values().any(|taken| taken == name);
                let name = names.find(is_free).unwrap_or_else(|| plain.clone());
                self.topics.insert(topic.to_owned(), name.clone());
                name
            }
        };
        self.add_bytes(&topic, schema, time, &message)
    }
}
