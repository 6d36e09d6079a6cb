//! Files that are not motions.

use crate::messages::{JOINTS, file, shows};

#[test]
fn the_top_of_the_file() {
    shows(&file("", JOINTS).replace("CompositeSeq", "Body"), "wrong_type");
    shows(&file("", JOINTS).replace("formatVersion: 2\n", ""), "missing_version");
    shows(&file("", JOINTS).replace("Version: 2", "Version: 5"), "unknown_version");
    shows(&file("", JOINTS).replace("Version: 2", "Version: two"), "version_word");
    shows("type: BodyMotion\nformatVersion: 2\ncomponents: []\n", "type_of_version_1");
    shows("formatVersion: 2\ncomponents: []\n", "missing_top_type");
    shows("type: CompositeSeq\nformatVersion: 2\n", "missing_components");
    shows("type: CompositeSeq\nformatVersion: 2\ncomponents: []\n", "no_components");
    shows(
        "type: BodyMotion\nhasFrameTime: true\nframeRate: 1\ncomponents:\n  - { type: MultiValueSeq, content: JointPosition, numParts: 1, frames: [ [ 1 ] ] }\n",
        "times_in_version_1",
    );
    shows("[ 1, 2 ]\n", "list");
    shows("", "empty");
    shows("a: [\n", "bracket_that_is_not_closed");
}
