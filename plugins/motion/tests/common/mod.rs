//! What the tests share.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "helpers of tests are tests too")]

use bunraku_document::{Diagnostic, Reporter, SourceFile};
use bunraku_motion::BodyMotion;

/// Reads a text; the findings as lines.
pub fn read(text: &str) -> (Result<BodyMotion, Box<Diagnostic>>, Vec<String>) {
    let reporter = Reporter::new();
    let motion = BodyMotion::read(&SourceFile::from_text("m.seq", text), &reporter);
    (motion, reporter.into_diagnostics().iter().map(ToString::to_string).collect())
}

/// Reads a text that has nothing wrong with it.
#[track_caller]
pub fn read_clean(text: &str) -> BodyMotion {
    let (motion, findings) = read(text);
    assert!(findings.is_empty(), "{findings:?}");
    motion.unwrap()
}

/// The one error of a text.
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

/// Version 2 with components in place.
pub fn version_2(top: &str, components: &str) -> String {
    format!("type: CompositeSeq\ncontent: BodyMotion\nformatVersion: 2\n{top}components:\n{components}")
}
