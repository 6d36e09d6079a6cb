//! Options of the MCAP file.

use bunraku::scene::Repeat;
use bunraku::sensors::log::McapProfile;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Whether an MCAP file is written, and its messages.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct McapArgs {
    /// Also write poses, joints and sensors as one file, run.mcap, for Foxglove
    #[arg(long)]
    pub mcap: bool,
    /// Also write that file, with messages of `foxglove` (the default) or `ros2`, which `ros2 bag` reads
    #[arg(long, value_name = "PROFILE", value_parser = profiles(), hide_possible_values = true)]
    pub mcap_profile: Option<McapProfile>,
}

fn profiles() -> impl TypedValueParser<Value = McapProfile> {
    PossibleValuesParser::new(["foxglove", "ros2"]).map(|name| match name.as_str() {
        "ros2" => McapProfile::Ros2,
        _ => McapProfile::Foxglove,
    })
}

impl McapArgs {
    /// The options of a run that is repeated.
    pub fn again(repeat: &Repeat) -> Self {
        Self { mcap: repeat.mcap, mcap_profile: repeat.mcap_profile }
    }

    /// The messages to write; `None` for no file.
    pub fn profile(self) -> Option<McapProfile> {
        self.mcap_profile.or_else(|| self.mcap.then(McapProfile::default))
    }
}
