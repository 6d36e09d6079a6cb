//! Versions for writing, and the spelling of their keys.

/// Version of `.seq` to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SeqVersion {
    /// The oldest version, for old programs; it has no timed frames.
    One,
    /// The version of the manual, which every program reads.
    #[default]
    Two,
    /// The version that Choreonoid writes today, with keys in snake case.
    Four,
}

/// Spelling of keys in a version.
#[derive(Debug)]
pub(crate) struct Keys {
    pub(super) format_version: &'static str,
    pub(super) frame_rate: &'static str,
    pub(super) num_frames: &'static str,
    pub(super) num_parts: &'static str,
    pub(super) has_frame_time: &'static str,
    pub(super) offset_time: &'static str,
    pub(super) part_labels: &'static str,
    pub(super) pose_format: &'static str,
    pub(super) is_root_relative: &'static str,
}

const CAMEL: Keys = Keys {
    format_version: "formatVersion",
    frame_rate: "frameRate",
    num_frames: "numFrames",
    num_parts: "numParts",
    has_frame_time: "hasFrameTime",
    offset_time: "offsetTime",
    part_labels: "partLabels",
    pose_format: "SE3Format",
    is_root_relative: "isRootRelative",
};

const SNAKE: Keys = Keys {
    format_version: "format_version",
    frame_rate: "frame_rate",
    num_frames: "num_frames",
    num_parts: "num_parts",
    has_frame_time: "has_frame_time",
    offset_time: "offset_time",
    part_labels: "part_labels",
    pose_format: "SE3Format",
    is_root_relative: "is_root_relative",
};

const OLD: Keys = Keys { pose_format: "format", ..CAMEL };

impl Keys {
    /// All keys that are written automatically, at the top level or in a component.
    pub(crate) fn all(&self) -> [&'static str; 13] {
        [
            "type",
            "content",
            "components",
            "frames",
            self.format_version,
            self.frame_rate,
            self.num_frames,
            self.num_parts,
            self.has_frame_time,
            self.offset_time,
            self.part_labels,
            self.pose_format,
            self.is_root_relative,
        ]
    }
}

impl SeqVersion {
    /// Number in the file.
    pub(super) fn number(self) -> usize {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Four => 4,
        }
    }

    /// Keys of the version.
    pub(crate) fn keys(self) -> &'static Keys {
        match self {
            Self::One => &OLD,
            Self::Two => &CAMEL,
            Self::Four => &SNAKE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_every_key() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/motion-format.md");
        let page = std::fs::read_to_string(path).unwrap();
        let rows: Vec<_> = page.lines().filter(|line| line.starts_with("| `")).collect();
        for version in [SeqVersion::One, SeqVersion::Two, SeqVersion::Four] {
            for key in version.keys().all() {
                let word = format!("`{key}`");
                assert!(rows.iter().any(|row| row.split('|').take(3).any(|cell| cell.contains(&word))), "{key}");
            }
        }
    }
}
