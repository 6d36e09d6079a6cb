//! Helpers shared by the tests.

pub mod motions;
pub mod recorded;

pub use bunraku_test_support::{read_clean_motion as read_clean, read_motion as read};

/// The only error of a text.
#[track_caller]
pub fn error(text: &str) -> String {
    read(text).0.expect_err(text).to_string()
}

/// Two joints, two frames.
pub const JOINTS: &str = "  -
    type: MultiValueSeq
    content: JointDisplacement
    numParts: 2
    frames:
      - [ 0, 1 ]
      - [ 2, 3 ]
";

/// One link, two frames.
pub const LINKS: &str = "  -
    type: MultiSE3Seq
    content: LinkPosition
    numParts: 1
    SE3Format: XYZQWQXQYQZ
    frames:
      - [ [ 0, 0, 0, 1, 0, 0, 0 ] ]
      - [ [ 0, 0, 0, 1, 0, 0, 0 ] ]
";

/// A file of version 2 with these components.
pub fn version_2(top: &str, components: &str) -> String {
    format!("type: CompositeSeq\ncontent: BodyMotion\nformatVersion: 2\n{top}components:\n{components}")
}
