//! Options of the MCAP file.

use bunraku::sensors::log::McapProfile;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

/// Whether an MCAP file is written, and its messages.
#[derive(Args, Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct McapArgs {
    /// Also write poses, joints and sensors as one file, run.mcap, for Foxglove
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mcap: bool,
    /// Also write that file, with messages of `foxglove` (the default) or `ros2`, which `ros2 bag` reads
    #[arg(long, value_name = "PROFILE", value_enum, hide_possible_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcap_profile: Option<Profile>,
}

/// Messages of an MCAP file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Foxglove's schemas.
    Foxglove,
    /// Standard messages of ROS 2.
    Ros2,
}

impl McapArgs {
    /// The messages to write; `None` for no file.
    pub fn profile(self) -> Option<McapProfile> {
        match (self.mcap_profile, self.mcap) {
            (Some(Profile::Ros2), _) => Some(McapProfile::Ros2),
            (Some(Profile::Foxglove), _) | (None, true) => Some(McapProfile::Foxglove),
            (None, false) => None,
        }
    }
}
