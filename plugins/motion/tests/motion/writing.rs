//! All features of a motion, in every version of `.seq` and in JSON: written motions read back to the same bits.

use bunraku_document::Reporter;
use bunraku_motion::{
    BodyMotion, KeptYaml, OtherFrames, SeqVersion, Sequence, WriteError, WriteOptions, write_json_to, write_seq_to,
    write_seq_to_with,
};
use nalgebra::Isometry3;

use crate::common;
use crate::common::motions::{bits, features, joints, other, poses, vectors};

const VERSIONS: [SeqVersion; 3] = [SeqVersion::One, SeqVersion::Two, SeqVersion::Four];

fn try_text(motion: &BodyMotion, version: SeqVersion) -> Result<String, WriteError> {
    let mut out = Vec::new();
    write_seq_to_with(motion, &WriteOptions { version }, &mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

fn text(motion: &BodyMotion, version: SeqVersion) -> String {
    try_text(motion, version).unwrap()
}

fn json(motion: &BodyMotion) -> String {
    let mut out = Vec::new();
    write_json_to(motion, &mut out, &Reporter::new()).unwrap();
    String::from_utf8(out).unwrap()
}

/// Reads a written text; the only findings may be those of the motion itself.
#[track_caller]
fn again(text: &str, name: &str) -> BodyMotion {
    let (motion, findings) = common::read(text);
    let odd = |finding: &&String| !finding.contains("unequal-length") && !finding.contains("no-motion");
    let findings: Vec<_> = findings.iter().filter(odd).collect();
    assert!(findings.is_empty(), "{name}: {findings:?}\n{text}");
    motion.unwrap_or_else(|error| panic!("{name}: {error}\n{text}"))
}

#[test]
fn every_feature_in_every_version_round_trips_bit_for_bit() {
    for (name, motion) in features() {
        for version in VERSIONS {
            if version == SeqVersion::One && motion.is_timed() {
                assert!(matches!(try_text(&motion, version), Err(WriteError::TimesInVersionOne(_))), "{name}");
                continue;
            }
            let text = text(&motion, version);
            let read = again(&text, name);
            assert_eq!(bits(&read), bits(&motion), "{name}, {version:?}\n{text}");
            assert_eq!(try_text(&read, version).unwrap(), text, "{name}, {version:?}");
        }
    }
}

#[test]
fn every_feature_in_json_round_trips_bit_for_bit() {
    for (name, motion) in features() {
        let text = json(&motion);
        assert_eq!(bits(&again(&text, name)), bits(&motion), "{name}\n{text}");
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["numFrames"].as_u64().map(|count| count > 0), Some(true), "{name}");
        assert_eq!(value["frameRate"].as_f64(), Some(motion.frame_rate), "{name}");
    }
}

fn small() -> BodyMotion {
    let mut motion = BodyMotion::new(500.0);
    motion.link_positions = Sequence::new(500.0, 1, vec![Isometry3::translation(0.0, 0.0, 0.7135); 2]).ok();
    let labels = vec!["LEG".to_owned(), "yes".to_owned()];
    let joints = Sequence::timed(vec![0.25, 0.5], 2, vec![0.0, -1.5, 1e-7, 1e20]).unwrap();
    motion.joint_displacements = Some(joints.with_part_labels(labels));
    motion.zmp = Some(bunraku_motion::Zmp {
        root_relative: true,
        frames: Sequence::new(500.0, 1, vec![nalgebra::Vector3::new(0.5, 0.0, 0.0)]).unwrap().with_offset(2.0).unwrap(),
    });
    motion
}

#[test]
fn version_2_has_the_keys_of_the_manual_in_the_order_of_the_original() {
    let expected = "\
type: CompositeSeq
content: BodyMotion
formatVersion: 2
frameRate: 500
numFrames: 2
components:
  -
    type: MultiSE3Seq
    content: LinkPosition
    frameRate: 500
    numFrames: 2
    numParts: 1
    SE3Format: XYZQWQXQYQZ
    frames:
      - [ [ 0, 0, 0.7135, 1, 0, 0, 0 ] ]
      - [ [ 0, 0, 0.7135, 1, 0, 0, 0 ] ]
  -
    type: MultiValueSeq
    content: JointDisplacement
    frameRate: 100
    numFrames: 2
    numParts: 2
    hasFrameTime: true
    partLabels: [ LEG, \"yes\" ]
    frames:
      - [ 0.25, 0, -1.5 ]
      - [ 0.5, 1.0e-7, 1.0e+20 ]
  -
    type: Vector3Seq
    content: ZMP
    frameRate: 500
    numFrames: 1
    offsetTime: 2
    isRootRelative: true
    frames:
      - [ 0.5, 0, 0 ]
";
    assert_eq!(text(&small(), SeqVersion::Two), expected);
    let snake = [
        ("formatVersion: 2", "format_version: 4"),
        ("frameRate", "frame_rate"),
        ("numFrames", "num_frames"),
        ("numParts", "num_parts"),
        ("hasFrameTime", "has_frame_time"),
        ("partLabels", "part_labels"),
        ("offsetTime", "offset_time"),
        ("isRootRelative", "is_root_relative"),
    ];
    let expected = snake.iter().fold(expected.to_owned(), |text, (from, to)| text.replace(from, to));
    assert_eq!(text(&small(), SeqVersion::Four), expected);
}

#[test]
fn version_1_has_the_oldest_words() {
    let mut motion = small();
    motion.joint_displacements = Sequence::new(500.0, 2, vec![0.0, -1.5, 1e-7, 1e20]).ok();
    let text = text(&motion, SeqVersion::One);
    for line in [
        "type: BodyMotion\ncontent: BodyMotion\nformatVersion: 1\n",
        "    content: JointPosition\n",
        "    content: RelativeZMP\n",
        "    format: XYZQWQXQYQZ\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    assert!(!text.contains("isRootRelative") && !text.contains("SE3Format"));
}

#[test]
fn json_is_laid_out_one_frame_a_line() {
    let mut motion = small();
    motion.zmp = None;
    motion.link_positions = None;
    let expected = r#"{
  "type": "CompositeSeq",
  "content": "BodyMotion",
  "formatVersion": 2,
  "frameRate": 500,
  "numFrames": 2,
  "components": [
    {
      "type": "MultiValueSeq",
      "content": "JointDisplacement",
      "frameRate": 100,
      "numFrames": 2,
      "numParts": 2,
      "hasFrameTime": true,
      "partLabels": [ "LEG", "yes" ],
      "frames": [
        [ 0.25, 0, -1.5 ],
        [ 0.5, 1.0e-7, 1.0e+20 ]
      ]
    }
  ]
}
"#;
    assert_eq!(json(&motion), expected);
}

#[test]
fn kept_content_is_written_back() {
    let mut motion = small();
    let kept_component = "type: MultiVector3Seq\ncontent: Forces\nframes:\n  - [ [ 1, 2, 3 ] ]\n";
    motion.kept = vec![
        KeptYaml::TopKey { text: "author: me\nnote: |\n  two\n\n  lines\n".to_owned() },
        KeptYaml::ComponentKey { content: "JointPosition".to_owned(), text: "gain: { p: 1 }".to_owned() },
        KeptYaml::ComponentKey { content: "Gone".to_owned(), text: "x: 1\n".to_owned() },
        KeptYaml::Component { text: kept_component.to_owned() },
    ];
    for version in [SeqVersion::Two, SeqVersion::Four] {
        let text = text(&motion, version);
        assert!(text.contains("\nauthor: me\nnote: |\n  two\n\n  lines\ncomponents:\n"), "{text}");
        assert!(text.contains("]\n    gain: { p: 1 }\n    frames:\n"), "{text}");
        let end = "  -\n    type: MultiVector3Seq\n    content: Forces\n    frames:\n      - [ [ 1, 2, 3 ] ]\n";
        assert!(text.ends_with(end), "{text}");
        assert!(!text.contains("x: 1"));
        assert_eq!(bits(&common::read(&text).0.unwrap()), bits(&motion));
    }
    let value: serde_json::Value = serde_json::from_str(&json(&motion)).unwrap();
    assert_eq!(value["note"], "two\n\nlines\n");
    assert_eq!(value["components"][1]["gain"]["p"], 1);
    assert_eq!(value["components"][3]["frames"][0][0][2], 3);
    assert_eq!(bits(&common::read(&json(&motion)).0.unwrap()), bits(&motion));
}

#[test]
fn kept_texts_that_would_damage_the_file_are_refused() {
    for text in [
        "",
        " a: 1",
        "a: [",
        "- a",
        "a",
        "{ a: 1 }",
        "a: 1\n---\nb: 2",
        "frameRate: 5",
        "%YAML 1.1\n---\na: 1",
        "a: 1\n\u{feff}b: 2",
        "a: 1\u{85}b: 2",
        "a: 1\rb: 2",
    ] {
        let mut motion = small();
        motion.kept.push(KeptYaml::TopKey { text: text.to_owned() });
        assert!(matches!(try_text(&motion, SeqVersion::Two), Err(WriteError::Kept(_))), "{text:?}");
    }
}

#[test]
fn a_motion_without_any_frame_is_refused() {
    let mut motion = BodyMotion::new(10.0);
    assert!(matches!(try_text(&motion, SeqVersion::Two), Err(WriteError::Empty)));
    motion.joint_displacements = Sequence::new(10.0, 1, vec![]).ok();
    assert!(matches!(try_text(&motion, SeqVersion::Two), Err(WriteError::Empty)));
    motion.others.push(other("Effort", OtherFrames::Values(joints(10.0))));
    assert!(text(&motion, SeqVersion::Two).contains("\nnumFrames: 2\ncomponents:\n  -\n    type: MultiValueSeq"));
}

#[test]
fn ambiguous_names_are_refused() {
    let refused = |frames: OtherFrames, content: &str, version| {
        let mut motion = BodyMotion::new(10.0);
        motion.others.push(other(content, frames));
        try_text(&motion, version).unwrap_err()
    };
    let values = || OtherFrames::Values(joints(10.0));
    let vectors = |count| OtherFrames::Vectors(Sequence::new(10.0, count, vectors(2)).unwrap());
    let poses = || OtherFrames::Poses(Sequence::new(10.0, 1, poses(2)).unwrap());
    let reserved = |error| matches!(error, WriteError::ReservedContent(_));
    assert!(reserved(refused(values(), "JointDisplacement", SeqVersion::Two)));
    assert!(reserved(refused(values(), "JointPosition", SeqVersion::One)));
    assert!(reserved(refused(vectors(1), "ZMPSeq", SeqVersion::Four)));
    assert!(reserved(refused(poses(), "LinkPosition", SeqVersion::Two)));
    assert!(matches!(refused(vectors(2), "Two", SeqVersion::Two), WriteError::VectorParts { num_parts: 2, .. }));

    let mut motion = BodyMotion::new(10.0);
    motion.joint_displacements = Sequence::timed(vec![-0.5, 1.0], 1, vec![0.0; 2]).ok();
    let error = try_text(&motion, SeqVersion::Two).unwrap_err();
    assert_eq!(
        error.to_string(),
        "frame 0 of `JointDisplacement` has the time -0.5 s, and the format has no times below 0"
    );
    assert!(error.to_diagnostic().to_string().contains("--rate HZ"));
}

#[test]
fn a_file_of_the_version_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.seq");
    bunraku_motion::write_seq_with(&small(), &WriteOptions { version: SeqVersion::Four }, &path).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text(&small(), SeqVersion::Four));
    bunraku_motion::write_seq(&small(), &path).unwrap();
    let mut plain = Vec::new();
    write_seq_to(&small(), &mut plain).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), plain);
    bunraku_motion::write_json(&small(), &path, &Reporter::new()).unwrap();
    assert_eq!(bits(&BodyMotion::load(&path, &Reporter::new()).unwrap()), bits(&small()));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn kept_content_round_trips_in_every_version() {
    let mut motion = small();
    motion.joint_displacements = Sequence::new(500.0, 2, vec![0.0; 4]).ok();
    motion.kept = vec![
        KeptYaml::TopKey { text: "note: |\n  two\n\n  lines\n".to_owned() },
        KeptYaml::TopKey { text: "\"list\": [\n  1\n]\n".to_owned() },
        KeptYaml::ComponentKey { content: "LinkPosition".to_owned(), text: "gain:\n  p: 1\n".to_owned() },
        KeptYaml::Component { text: "type: X\ncontent: Forces\nframes:\n  - [ [ 1, 2, 3 ] ]\n".to_owned() },
    ];
    for version in VERSIONS {
        let text = text(&motion, version);
        let read = common::read(&text).0.unwrap();
        // They are ordered by location.
        let sorted = |motion: &BodyMotion| {
            let mut kept: Vec<_> = motion.kept.iter().map(|kept| format!("{kept:?}")).collect();
            kept.sort();
            kept
        };
        assert_eq!(sorted(&read), sorted(&motion), "{text}");
        assert_eq!(self::text(&read, version), text);
    }
    // JSON keeps the values, in its own style.
    let read = common::read(&json(&motion)).0.unwrap();
    assert_eq!(read.kept.len(), motion.kept.len());
    assert_eq!(json(&read), json(&motion));
    for version in VERSIONS {
        let again = common::read(&text(&read, version)).0.unwrap();
        assert_eq!(json(&again), json(&motion));
    }
}
