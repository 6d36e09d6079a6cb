//! A motion read frame by frame equals the motion read as a whole.

use std::io::Write;

use bunraku_document::{Reporter, SourceFile};
use bunraku_motion::{BodyMotion, ComponentKind, ComponentRole, MotionReader, Sequence, WriteError, write_seq_to};
use bunraku_test_support::allocations;
use nalgebra::{Isometry3, Vector3};

use crate::common::version_2;

const LINKS: &str = "  -
    type: MultiSE3Seq
    content: LinkPosition
    numParts: 2
    SE3Format: XYZRPY
    frames:
      - [ [ 0, 0, 1, 0, 0, 0 ], [ 1, 2, 3, 0, 0, 0.5 ] ]
      # note
      - [ [ 0, 0, 2, 0, 0, 0 ], [ 1, 2, 3, 0, 0, 1.5 ] ]
";
const JOINTS: &str = "  -
    type: MultiValueSeq
    content: JointDisplacement
    numParts: 2
    frameRate: 20
    offsetTime: 5
    partLabels: [ A, B ]
    frames:
      - [ 1, 2 ]
      - [ 3, 4 ] # 腕
      - [ 5, 6e-1 ]
";
const TIMED: &str = "  -
    type: Vector3Seq
    content: ZMP
    hasFrameTime: true
    frames:
      - [ 0, 1, 2, 3 ]
      - [ 0.5, 4, 5, 6 ]
      - [ 0.5, 7, 8, 9 ]
      - [ 0.5, 7, 8, 10 ]
      - [ 2, 7, 8, 11 ]
";
/// The second frame is YAML that depends on the whole file.
const UNUSUAL: &str = "  -
    type: MultiValueSeq
    content: Hand
    numParts: 1
    frames:
      - [ 1 ]
      - [ 2 ] # \u{85}
      - [ 3 ]
";

/// All frames of one component.
fn frames<T: Copy>(mut next: impl FnMut(&mut Vec<T>) -> Option<f64>, num_parts: usize) -> (Vec<f64>, Vec<T>) {
    let (mut times, mut values, mut frame) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(time) = next(&mut frame) {
        assert_eq!(frame.len(), num_parts);
        times.push(time);
        values.extend_from_slice(&frame);
    }
    assert!(frame.is_empty());
    (times, values)
}

fn parts<T: Copy>(sequence: &Sequence<T>) -> (Vec<f64>, Vec<T>) {
    ((0..sequence.num_frames()).map(|index| sequence.time(index)).collect(), sequence.values().to_vec())
}

/// Compares a file read both ways, findings included.
fn check(text: &[u8]) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let (whole, streamed) = (Reporter::new(), Reporter::new());
    let motion = BodyMotion::load(file.path(), &whole).unwrap();
    let reader = MotionReader::open(file.path(), &streamed).unwrap();
    for (index, header) in reader.components().iter().enumerate() {
        let parts_of = header.num_parts;
        match header.kind {
            ComponentKind::Values => {
                let mut stream = reader.frames::<f64>(index, &streamed).unwrap().unwrap();
                assert!(reader.frames::<Isometry3<f64>>(index, &streamed).unwrap().is_none());
                let found = frames(|frame| stream.next_frame(frame).unwrap(), parts_of);
                let expected = match header.role {
                    ComponentRole::JointDisplacements => motion.joint_displacements.as_ref().unwrap(),
                    _ => match &motion.others[0].frames {
                        bunraku_motion::OtherFrames::Values(frames) => frames,
                        _ => panic!("{header:?}"),
                    },
                };
                assert_eq!(found, parts(expected));
                assert_eq!(header.part_labels, expected.part_labels());
                assert_eq!(header.frame_rate, expected.frame_rate());
            }
            ComponentKind::Poses => {
                let mut stream = reader.frames::<Isometry3<f64>>(index, &streamed).unwrap().unwrap();
                let found = frames(|frame| stream.next_frame(frame).unwrap(), parts_of);
                assert_eq!(found, parts(motion.link_positions.as_ref().unwrap()));
            }
            ComponentKind::Vectors => {
                let mut stream = reader.frames::<Vector3<f64>>(index, &streamed).unwrap().unwrap();
                let found = frames(|frame| stream.next_frame(frame).unwrap(), parts_of);
                let zmp = motion.zmp.as_ref().unwrap();
                assert_eq!(header.role, ComponentRole::Zmp { root_relative: zmp.root_relative });
                assert_eq!(found, parts(&zmp.frames));
            }
        }
    }
    assert!(reader.frames::<f64>(reader.components().len(), &streamed).unwrap().is_none());
    let lines = |reporter: Reporter| reporter.into_diagnostics().iter().map(ToString::to_string).collect::<Vec<_>>();
    let (mut whole, mut streamed) = (lines(whole), lines(streamed));
    // Findings about several components together are only reported when they are loaded together.
    whole.retain(|finding| !finding.contains("[unequal-length]"));
    whole.sort();
    streamed.sort();
    assert_eq!(whole, streamed);
}

#[test]
fn frame_by_frame_is_the_same_as_whole() {
    for components in [
        format!("{LINKS}{JOINTS}"),
        format!("{JOINTS}{TIMED}{LINKS}"),
        format!("{LINKS}{UNUSUAL}{TIMED}"),
        format!("{TIMED}{UNUSUAL}"),
        LINKS.replace("      - [ [ 0, 0, 2,", "      - [ [ 0, 0,\n 2,"),
        JOINTS.replace("[ 3, 4 ] # 腕", "[ 3, 4rad ]"),
        JOINTS.replace("      - [ 5, 6e-1 ]\n", "      - [ 5, 6"),
    ] {
        let text = version_2("frameRate: 10\nnumFrames: 2\n", &components);
        check(text.as_bytes());
        check(text.replace('\n', "\r\n").as_bytes());
        check(format!("\u{feff}{text}").as_bytes());
        // 腕 in Shift_JIS, often enough to be detected.
        let arms = [b"# ".as_slice(), &b"\x98\x72\x82\xcc\x83\x82\x83\x66\x83\x8b".repeat(3), b"\n"].concat();
        let ascii = text.replace('腕', "arm").replace('\u{85}', "\\");
        check(&[&arms, ascii.as_bytes()].concat());
    }
}

#[test]
fn json_is_read_frame_by_frame() {
    check(
        br#"{
  "type": "CompositeSeq",
  "formatVersion": 2,
  "frameRate": 10,
  "components": [
    {
      "type": "MultiValueSeq",
      "content": "JointDisplacement",
      "numParts": 2,
      "frames": [
        [ 1, 2 ],
        [ 3, 4 ]
      ]
    },
    { "type": "Vector3Seq", "content": "ZMP", "isRootRelative": true, "frames": [ [ 1, 2, 3 ] ] }
  ]
}
"#,
    );
}

#[test]
fn headers_say_what_frames_there_are() {
    let text = version_2("frameRate: 10\n", &format!("{JOINTS}{TIMED}"));
    let reporter = Reporter::new();
    let reader = MotionReader::read(&SourceFile::from_text("m.seq", text), &reporter).unwrap();
    let [joints, zmp] = reader.components() else { panic!() };
    assert_eq!(
        (joints.content.as_str(), joints.num_parts, joints.num_frames, joints.frame_rate, joints.offset, joints.timed),
        ("JointDisplacement", 2, 3, 20.0, 5.0, false)
    );
    assert_eq!((joints.role, joints.kind), (ComponentRole::JointDisplacements, ComponentKind::Values));
    assert_eq!((zmp.content.as_str(), zmp.num_parts, zmp.num_frames, zmp.timed), ("ZMP", 1, 5, true));
    assert_eq!((zmp.role, zmp.kind), (ComponentRole::Zmp { root_relative: false }, ComponentKind::Vectors));
}

#[test]
fn poses_and_joints_come_together() {
    let text = version_2("frameRate: 10\n", &format!("{LINKS}{JOINTS}"));
    let reporter = Reporter::new();
    let reader = MotionReader::read(&SourceFile::from_text("m.seq", text), &reporter).unwrap();
    let mut states = reader.states(&reporter).unwrap();
    let (mut poses, mut joints) = (Vec::new(), vec![9.0]);
    assert_eq!(states.next_state(&mut poses, &mut joints).unwrap(), Some(0.0));
    assert_eq!((poses.len(), joints.as_slice()), (2, &[1.0, 2.0][..]));
    assert_eq!(states.next_state(&mut poses, &mut joints).unwrap(), Some(0.1));
    assert_eq!((poses[0].translation.z, joints.as_slice()), (2.0, &[3.0, 4.0][..]));
    // Joints alone, at their own time.
    assert_eq!(states.next_state(&mut poses, &mut joints).unwrap(), Some(5.1));
    assert!(poses.is_empty() && joints == [5.0, 0.6]);
    for _ in 0..2 {
        assert_eq!(states.next_state(&mut poses, &mut joints).unwrap(), None);
    }
}

#[test]
fn a_damaged_frame_is_a_located_error_and_ends_the_stream() {
    for (bad, place) in [("[ 3, nan ] # x", "m.seq:15:14: error[not-finite]"), ("[ 3, ] ]", "m.seq:15:16: error[yaml-")]
    {
        let text = version_2("frameRate: 10\n", &JOINTS.replace("[ 3, 4 ] # 腕", bad));
        let reporter = Reporter::new();
        let reader = MotionReader::read(&SourceFile::from_text("m.seq", text), &reporter).unwrap();
        let mut stream = reader.frames::<f64>(0, &reporter).unwrap().unwrap();
        let mut frame = Vec::new();
        assert_eq!(stream.next_frame(&mut frame).unwrap(), Some(5.0));
        let error = stream.next_frame(&mut frame).unwrap_err().to_string();
        assert!(error.starts_with(place), "{error}");
        assert_eq!(stream.next_frame(&mut frame).unwrap(), None);
    }
}

#[test]
fn a_file_that_shrinks_is_an_error() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let text = version_2("frameRate: 10\n", JOINTS);
    std::fs::write(file.path(), &text).unwrap();
    let reporter = Reporter::new();
    let reader = MotionReader::open(file.path(), &reporter).unwrap();
    std::fs::write(file.path(), &text[..text.len() - 20]).unwrap();
    let mut stream = reader.frames::<f64>(0, &reporter).unwrap().unwrap();
    let mut frame = Vec::new();
    let error = std::iter::from_fn(|| stream.next_frame(&mut frame).transpose()).find_map(Result::err).unwrap();
    assert_eq!(error.code, "file-unreadable");
}

/// Two million numbers, 40 MB as text.
fn long_motion(path: &std::path::Path) -> Result<u64, WriteError> {
    let frames = 60_000;
    let numbers = (0..frames * 30).map(|index| (f64::from(index) * 0.777).sin() / 3.0).collect();
    let mut motion = BodyMotion::new(500.0);
    let poses = (0..frames).map(|index| Isometry3::rotation(Vector3::new(0.1, 0.2, f64::from(index)))).collect();
    motion.link_positions = Sequence::new(500.0, 1, poses).ok();
    motion.joint_displacements = Sequence::new(500.0, 30, numbers).ok();
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    write_seq_to(&motion, &mut file)?;
    file.flush().unwrap();
    Ok(path.metadata().unwrap().len())
}

#[test]
fn a_long_motion_costs_little_more_than_its_values_and_streaming_nothing() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let size = usize::try_from(long_motion(file.path()).unwrap()).unwrap();
    let reporter = Reporter::new();
    let (cost, motion) = allocations(|| BodyMotion::load(file.path(), &reporter).unwrap());
    let values = 60_000 * (30 * 8 + size_of::<Isometry3<f64>>());
    let cost = cost.peak;
    assert!(cost < values + (4 << 20), "{} MB for {} MB of values in {} MB", cost >> 20, values >> 20, size >> 20);
    assert!(cost * 10 < size * 12);

    let (cost, count) = allocations(|| {
        let reader = MotionReader::open(file.path(), &reporter).unwrap();
        let mut states = reader.states(&reporter).unwrap();
        let (mut poses, mut joints) = (Vec::new(), Vec::new());
        let mut count = 0;
        while let Some(time) = states.next_state(&mut poses, &mut joints).unwrap() {
            let index = count;
            count += 1;
            assert_eq!(time, index as f64 / 500.0);
            assert_eq!(poses.as_slice(), motion.link_positions.as_ref().unwrap().frame(index));
            assert_eq!(joints.as_slice(), motion.joint_displacements.as_ref().unwrap().frame(index));
        }
        count
    });
    assert_eq!(count, 60_000);
    assert!(cost.peak < 4 << 20, "{cost:?}");
}
