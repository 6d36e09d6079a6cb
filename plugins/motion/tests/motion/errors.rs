//! Every error in a file has a message and a location.

use crate::common::{JOINTS, LINKS, error, read, version_2};

/// A file of one component (from line 6 on) with one text replaced.
fn with(component: &str, good: &str, bad: &str) -> String {
    assert!(component.contains(good), "{good}");
    version_2("frameRate: 10\n", &component.replacen(good, bad, 1))
}

/// The error must begin with a location and code, and contain these words.
#[track_caller]
fn check(text: &str, place: &str, words: &str) {
    let found = error(text);
    assert!(found.starts_with(&format!("m.seq:{place}")) && found.contains(words), "{found}\n{text}");
}

/// As [`check`], for the only warning of a file that loads.
#[track_caller]
fn check_warning(text: &str, place: &str, words: &str) {
    let (motion, findings) = read(text);
    assert!(motion.is_ok(), "{motion:?}");
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].starts_with(&format!("m.seq:{place}")) && findings[0].contains(words), "{findings:?}");
}

#[test]
fn numbers() {
    check(&with(JOINTS, "[ 2, 3 ]", "[ 2, x ]"), "12:14: error[not-a-number]", "`x`");
    check(&with(JOINTS, "[ 2, 3 ]", "[ 2, nan ]"), "12:14: error[not-finite]", "nan");
    check(&with(JOINTS, "[ 2, 3 ]", "[ 2, .inf ]"), "12:14: error[not-a-number]", ".inf");
    check(&with(JOINTS, "[ 2, 3 ]", "[ 2, 1e999 ]"), "12:14: error[not-finite]", "1e999");
    check(&with(LINKS, "[ 0, 0, 0, 1, 0, 0, 0 ] ]", "[ 0, 0, 0, 1, 0, -inf, 0 ] ]"), "12:28: error[not-finite]", "inf");
    check_warning(&with(JOINTS, "[ 2, 3 ]", "[ 2rad, 3rad ]"), "12:11: warning[text-after-number]", "`rad`");
}

#[test]
fn frame_sizes() {
    let size = "frame 1 of component 1 (`JointDisplacement`) has";
    check(
        &with(JOINTS, "[ 2, 3 ]", "[ 2 ]"),
        "12:9: error[frame-size]",
        &format!("{size} 1 entries instead of 2 numbers"),
    );
    check(&with(JOINTS, "[ 2, 3 ]", "[ 2, 3, 4 ]"), "12:9: error[frame-size]", size);
    check(&with(JOINTS, "[ 2, 3 ]", "[]"), "12:9: error[frame-size]", size);
    check(&with(JOINTS, "- [ 2, 3 ]", "- 5"), "12:9: error[wrong-type]", "a frame, which is a list");
    check(&with(JOINTS, "[ 2, 3 ]", "[ 2, [ 3 ] ]"), "12:14: error[wrong-type]", "a number");
    check(&with(LINKS, "[ [ 0, 0, 0, 1, 0, 0, 0 ] ]", "[ 0, 0, 0, 1, 0, 0, 0 ]"), "12:9: error[frame-size]", "1 poses");
    check(
        &with(LINKS, "[ [ 0, 0, 0, 1, 0, 0, 0 ] ]", "[ 5 ]"),
        "12:11: error[wrong-type]",
        "a pose, a list of 7 numbers",
    );
    check(
        &with(LINKS, "[ [ 0, 0, 0, 1, 0, 0, 0 ] ]", "[ [ 0, 0, 0, 1, 0, 0 ] ]"),
        "12:11: error[pose-size]",
        "6 numbers",
    );
    check(&with(LINKS, "QWQXQYQZ", "RPY"), "12:11: error[pose-size]", "7 numbers instead of 6");
    let timed = version_2("frameRate: 10\nhasFrameTime: true\n", JOINTS);
    check(&timed, "12:9: error[frame-size]", "the time and 2 numbers");
}

#[test]
fn quaternions() {
    check(&with(LINKS, "1, 0, 0, 0 ]", "0, 0, 0, 0 ]"), "12:11: error[zero-quaternion]", "no rotation");
    let text = with(LINKS, "1, 0, 0, 0 ]", "2, 0, 0, 0 ]").replace("0, 0, 0, 1,", "0, 0, 0, 3,");
    check_warning(&text, "12:11: warning[quaternion-norm]", "norm 2.000000");
    assert!(read(&with(LINKS, "1, 0, 0, 0 ]", "0.9995, 0, 0, 0 ]")).1.is_empty());
}

#[test]
fn keys() {
    check(&with(JOINTS, "    numParts: 2\n", ""), "7:5: error[missing-key]", "`numParts`");
    check(&with(JOINTS, "    type: MultiValueSeq\n", ""), "7:5: error[missing-key]", "`type`");
    check(&with(JOINTS, "    content: JointDisplacement\n", ""), "7:5: error[missing-key]", "`content`");
    check(&with(LINKS, "    SE3Format: XYZQWQXQYQZ\n", ""), "7:5: error[missing-key]", "XYZRPY");
    check(&with(LINKS, "XYZQWQXQYQZ", "XYZQWQXQYZ"), "10:16: error[unknown-format]", "did you mean `XYZQWQXQYQZ`?");
    check(&with(LINKS, "XYZQWQXQYQZ", "MATRIX"), "10:16: error[unknown-format]", "one of XYZQWQXQYQZ");
    check(&with(JOINTS, "numParts: 2", "numParts: 0"), "9:15: error[num-parts]", "1 or more");
    check(&with(JOINTS, "numParts: 2", "numParts: -2"), "9:15: error[num-parts]", "1 or more");
    check(&with(JOINTS, "numParts: 2", "numParts: two"), "9:15: error[not-a-number]", "`two`");
    check(&version_2("", JOINTS), "6:5: error[missing-key]", "`frameRate`");
    check(&version_2("frameRate: 0\n", JOINTS), "4:12: error[frame-rate]", "positive");
    check(&version_2("frameRate: -5\n", JOINTS), "4:12: error[frame-rate]", "positive");
    check(&version_2("frameRate: .inf\n", JOINTS), "4:12: error[", ".inf");
    check_warning(
        &with(JOINTS, "numParts: 2", "numParts: 2\n    frameRte: 5"),
        "10:5: warning[unknown-key]",
        "`frameRate`",
    );
    check_warning(&version_2("frameRate: 10\nnumFrmes: 5\n", JOINTS), "5:1: warning[unknown-key]", "`numFrames`");
}

#[test]
fn frames() {
    check(
        &with(JOINTS, "    frames:\n      - [ 0, 1 ]\n      - [ 2, 3 ]\n", ""),
        "7:5: error[missing-key]",
        "`frames`",
    );
    check(&with(JOINTS, "      - [ 0, 1 ]\n      - [ 2, 3 ]\n", ""), "10:12: error[missing-value]", "a list of frames");
    check(
        &with(JOINTS, "    frames:\n      - [ 0, 1 ]\n      - [ 2, 3 ]\n", "    frames: []\n"),
        "10:5: error[no-frames]",
        "no frames",
    );
    check(&with(JOINTS, "[ 2, 3 ]", "[ 2, 3"), "12:9: error[yaml-syntax]", "");
}

#[test]
fn number_of_frames_is_only_informative() {
    check_warning(&version_2("frameRate: 10\nnumFrames: 7\n", JOINTS), "5:12: note[num-frames]", "has 2 frames");
    check_warning(
        &with(JOINTS, "numParts: 2", "numParts: 2\n    numFrames: 7"),
        "10:16: warning[num-frames]",
        "2 frames",
    );
    check_warning(
        &version_2("frameRate: 10\nnumFrames: 1e12\n", &format!("{JOINTS}{LINKS}")),
        "5:12: note[num-frames]",
        "1e12",
    );
    check_warning(&version_2("frameRate: 10\nnumFrames: many\n", JOINTS), "5:12: warning[num-frames]", "many");
    assert!(read(&version_2("frameRate: 10\nnumFrames: 2\n", JOINTS)).1.is_empty());
}

#[test]
fn claimed_frame_counts_allocate_nothing() {
    check(&with(JOINTS, "numParts: 2", "numParts: 1e9"), "11:9: error[frame-size]", "instead of 1000000000 numbers");
    check(&with(JOINTS, "numParts: 2", "numParts: 1e12"), "9:15: error[out-of-range]", "");
    check(&with(LINKS, "numParts: 1", "numParts: 2000000000"), "12:9: error[frame-size]", "2000000000 poses");
}

#[test]
fn times() {
    let timed = |frames: &str| {
        let header = "  -\n    type: MultiValueSeq\n    content: JointDisplacement\n    numParts: 1\n    frames:\n";
        version_2("frameRate: 10\nhasFrameTime: true\n", &format!("{header}{frames}"))
    };
    check(&timed("      - [ 1, 0 ]\n      - [ 0.5, 0 ]\n"), "13:11: error[time-backward]", "0.5 s comes after 1 s");
    check(&timed("      - [ -1, 0 ]\n"), "12:11: error[negative-time]", "-1 s");
    check(&timed("      - [ x, 0 ]\n"), "12:11: error[not-a-number]", "`x`");
    check(&version_2("frameRate: 10\nhasFrameTime: maybe\n", JOINTS), "5:15: error[not-a-bool]", "maybe");
}

#[test]
fn the_top_of_the_file() {
    check("type: Body\nformatVersion: 2\ncomponents: []\n", "1:7: error[not-a-motion]", "`Body`, not `CompositeSeq`");
    check("type: CompositeSeq\ncomponents: []\n", "1:7: error[not-a-motion]", "formatVersion: 2");
    check("type: BodyMotion\nformatVersion: 2\ncomponents: []\n", "1:7: error[not-a-motion]", "version 1");
    check("formatVersion: 2\ncomponents: []\n", "1:1: error[not-a-motion]", "type: CompositeSeq");
    check("type: CompositeSeq\nformatVersion: 2\n", "1:1: error[missing-key]", "`components`");
    check("type: CompositeSeq\nformatVersion: 2\ncomponents: 5\n", "3:13: error[wrong-type]", "a list of components");
    check("type: CompositeSeq\nformatVersion: two\n", "2:16: error[not-a-number]", "`two`");
    check("[ 1, 2 ]\n", "1:1: error[wrong-type]", "a mapping");
    assert!(error("").contains("error[yaml-empty]"));
    check("a: [\n", "2:1: error[yaml-syntax]", "");
}

#[test]
fn neither_links_nor_joints() {
    let zmp = "  -\n    type: Vector3Seq\n    content: ZMP\n    frames:\n      - [ 0, 0, 0 ]\n";
    let text = version_2("frameRate: 10\n", zmp);
    let (motion, findings) = read(&text);
    let motion = motion.unwrap();
    assert_eq!((motion.zmp.unwrap().frames.num_frames(), motion.frame_rate, findings.len()), (1, 10.0, 0));
    check(&version_2("", "  []\n"), "5:3: error[no-motion]", "expected `LinkPosition`");
    let old = with(JOINTS, "JointDisplacement", "JointPosition");
    check_warning(&old, "6:3: warning[no-motion]", "found `JointPosition`");
}

#[test]
fn components() {
    let unknown = format!("{JOINTS}  -\n    type: MultiVector3Seq\n    content: Forces\n    whatever: 1\n");
    check_warning(&version_2("frameRate: 10\n", &unknown), "14:11: warning[unknown-component]", "`MultiVector3Seq`");
    let misspelt = unknown.replace("MultiVector3Seq", "MultiSE3Sequ");
    check_warning(
        &version_2("frameRate: 10\n", &misspelt),
        "14:11: warning[unknown-component]",
        "did you mean `MultiSE3Seq`",
    );
    check(&version_2("frameRate: 10\n", &format!("{JOINTS}  - 5\n")), "13:5: error[wrong-type]", "component 2");
    let twice = format!("{JOINTS}{}", JOINTS.replace('3', "4"));
    check_warning(&version_2("frameRate: 10\n", &twice), "14:5: warning[same-component]", "`JointDisplacement`");
    let unequal = format!("{JOINTS}{}", LINKS.replacen("      - [ [ 0, 0, 0, 1, 0, 0, 0 ] ]\n", "", 1));
    check_warning(&version_2("frameRate: 10\n", &unequal), "6:3: warning[unequal-length]", "1 frames at 10 Hz");
}

#[test]
fn a_file_that_is_not_there() {
    let reporter = bunraku_document::Reporter::new();
    for path in ["/nowhere/at/all.seq", "/"] {
        let error = bunraku_motion::BodyMotion::load(path.as_ref(), &reporter).unwrap_err();
        assert!(error.code.starts_with("file-"), "{error}");
    }
}

#[test]
fn the_first_error_is_returned_and_others_reported() {
    let text = with(JOINTS, "    numParts: 2\n", "").replace("components:\n", "components:\n  - 7\n");
    let (motion, findings) = read(&text);
    assert!(motion.unwrap_err().to_string().starts_with("m.seq:6:5: error[wrong-type]"));
    assert!(findings.len() == 1 && findings[0].contains("`numParts`"), "{findings:?}");
}

/// The manual specifies `content: BodyMotion`.
#[test]
fn the_content_of_the_file_is_checked() {
    let text = version_2("frameRate: 10\n", JOINTS);
    assert!(text.contains("content: BodyMotion\n"));
    let other = text.replacen("content: BodyMotion", "content: ArmMotion", 1);
    check_warning(&other, "2:10: warning[top-content]", "`ArmMotion`");
    check_warning(&text.replacen("content: BodyMotion\n", "", 1), "1:1: note[top-content]", "no `content: BodyMotion`");
}
