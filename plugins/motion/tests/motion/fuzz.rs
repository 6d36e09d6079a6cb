//! Randomly damaged motions, and random bytes: none causes a panic, a hang or high memory consumption, each error is
//! located, and a stream agrees with reading as a whole. A limited number of files that are the same in every run.

use std::path::Path;

use bunraku_document::Reporter;
use bunraku_motion::{BodyMotion, ComponentKind, MotionReader};
use bunraku_test_support::{Random, allocations};
use nalgebra::{Isometry3, Vector3};

const ROUNDS: usize = 3000;

/// Maximum memory of reading, bytes: buffers, plus a multiple of the file.
const MOST_MEMORY: usize = 16 << 20;
const MOST_MEMORY_OF_A_BYTE: usize = 1000;

const SEEDS: [&str; 4] = [
    "type: CompositeSeq\ncontent: BodyMotion\nformatVersion: 2\nframeRate: 10\nnumFrames: 2\ncomponents:\n  -\n    type: MultiSE3Seq\n    content: LinkPosition\n    numParts: 1\n    SE3Format: XYZQWQXQYQZ\n    frames:\n      - [ [ 0, 0, 0.5, 1, 0, 0, 0 ] ]\n      # note\n      - [ [ 0, 0, 0.5, 0.5, 0.5, 0.5, 0.5 ] ]\n  -\n    type: MultiValueSeq\n    content: JointDisplacement\n    numParts: 2\n    hasFrameTime: true\n    frames:\n      - [ 0.0, 1, 2 ]\n      - [ 0.1, 3, -4e-3 ] # last\n",
    "{\n  \"type\": \"CompositeSeq\",\n  \"formatVersion\": 2,\n  \"frameRate\": 10,\n  \"more\": [ 1 ],\n  \"components\": [\n    {\n      \"type\": \"Vector3Seq\",\n      \"content\": \"ZMP\",\n      \"frames\": [\n        [ 1, 2, 3 ],\n        [ 1, 2, 3 ]\n      ]\n    },\n    { \"type\": \"Forces\", \"frames\": [\n      [ 1 ],\n      [ 2 ]\n    ] }\n  ]\n}\n",
    "type: BodyMotion\nauthor: &a { name: A }\ncomponents:\n- type: MultiAffine3Seq\n  purpose: LinkPosition\n  format: XYZRPY\n  numParts: 1\n  frameRate: 5\n  frames:\n  - [ [ 0, 0, 1, 0.1, 0.2, 0.3 ] ]\n- type: Forces\n  who: *a\n  frames:\n  - [ 1, 2 ]\n  - [ 3 ]\n- <<: { frameRate: 3, numParts: 1 }\n  type: MultiValueSeq\n  content: JointPosition\n  frames:\n  - [ 1 ]\n  -\n    - 2\n",
    "type: BunrakuRecording\nformatVersion: 1\nframeRate: 500\nnumLinks: 1\nnumJoints: 2\nSE3Format: XYZQWQXQYQZ\nframes:\n      - [ [ 0, 0, 0.7135, 1, 0, 0, 0 ] ]\n      - [ 0.1, 0.2 ]\n",
];

const WORDS: &[&str] = &[
    "frames:",
    "\"frames\": [",
    "frames: [",
    "- ",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "#",
    "# c\n",
    "&a",
    "*a",
    "<<: *a",
    "|",
    ">",
    "---",
    "...",
    "!!",
    "%",
    "'",
    "\"",
    "\\",
    "?",
    "numParts: 1000000000\n",
    "numFrames: 1e30\n",
    "hasFrameTime: true\n",
    "type:",
    "content:",
    "  ",
    "    ",
    "- [ 1, 2 ]\n",
    "- [ [ 1, 2, 3, 1, 0, 0, 0 ] ]\n",
    "nan",
    "-inf",
    "1e999",
    "0x10",
    "1e-320",
    "-",
    "999999999999999999999999",
    "0.",
    ".",
    "e",
    "\0",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "腕",
    "\u{1}",
];

fn broken(random: &mut Random) -> Vec<u8> {
    let mut bytes = SEEDS[random.below(SEEDS.len())].as_bytes().to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(60)).min(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = random.below(256) as u8;
                }
            }
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].repeat(1 + random.below(20));
                bytes.splice(at..at, piece);
            }
            4 => {
                let other = SEEDS[random.below(SEEDS.len())].as_bytes();
                let from = random.below(other.len());
                let piece = other[from..(from + random.below(200)).min(other.len())].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                let word = WORDS[random.below(WORDS.len())].repeat(1 + random.below(3));
                bytes.splice(at..at, word.into_bytes());
            }
        }
    }
    bytes
}

/// Joints and poses read by streams; `None` if the file is invalid. Other components are read, too.
fn streamed(path: &Path) -> Option<(Vec<f64>, Vec<Isometry3<f64>>)> {
    let reporter = Reporter::new();
    let motion = MotionReader::open(path, &reporter).ok()?;
    let (mut values, mut vectors, mut poses) = (Vec::new(), Vec::new(), Vec::new());
    for (index, component) in motion.components().iter().enumerate() {
        assert_eq!(
            motion.frames::<Vector3<f64>>(index, &reporter).ok()?.is_some(),
            component.kind == ComponentKind::Vectors
        );
        if let Some(mut stream) = motion.frames::<f64>(index, &reporter).ok()? {
            while stream.next_frame(&mut values).ok()?.is_some() {}
        }
        if let Some(mut stream) = motion.frames::<Vector3<f64>>(index, &reporter).ok()? {
            while stream.next_frame(&mut vectors).ok()?.is_some() {}
        }
    }
    let (mut states, mut joints) = (motion.states(&reporter).ok()?, Vec::new());
    let (mut all_poses, mut all_joints) = (Vec::new(), Vec::new());
    while states.next_state(&mut poses, &mut joints).ok()?.is_some() {
        all_poses.extend_from_slice(&poses);
        all_joints.extend_from_slice(&joints);
    }
    Some((all_joints, all_poses))
}

/// Reads a file as a whole and as a stream; returns whether it is a motion.
fn check(path: &Path, bytes: &[u8], what: &str) -> bool {
    std::fs::write(path, bytes).unwrap();
    let (cost, (motion, stream)) = allocations(|| (BodyMotion::load(path, &Reporter::new()), streamed(path)));
    let text = String::from_utf8_lossy(bytes);
    assert!(cost.peak < MOST_MEMORY + MOST_MEMORY_OF_A_BYTE * bytes.len(), "{what}: {} MB\n{text}", cost.peak >> 20);
    match motion {
        Ok(motion) if text.contains("type: BunrakuRecording") => drop(motion),
        Ok(motion) => {
            let joints = motion.joint_displacements.as_ref().map_or(&[][..], |joints| joints.values());
            let poses = motion.link_positions.as_ref().map_or(&[][..], |links| links.values());
            let stream = stream.unwrap_or_else(|| panic!("{what}: only the stream is at fault\n{text}"));
            assert_eq!((stream.0.as_slice(), stream.1.as_slice()), (joints, poses), "{what}\n{text}");
            return true;
        }
        Err(error) => {
            assert!(error.place.is_some(), "{what}: {error}\n{text}");
            // A stream may succeed: frames of an unknown type are not streamed.
        }
    }
    false
}

#[test]
fn randomly_damaged_motions() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut random = Random::new(1);
    let mut good = 0;
    for round in 0..ROUNDS {
        let bytes = broken(&mut random);
        good += usize::from(check(file.path(), &bytes, &format!("round {round}")));
    }
    // Some damage is harmless.
    assert!(good > ROUNDS / 50 && good < ROUNDS, "{good}");
}

#[test]
fn arbitrary_bytes() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut random = Random::new(2);
    for round in 0..ROUNDS / 4 {
        let mut bytes = Vec::new();
        for _ in 0..random.below(60) {
            match random.below(3) {
                0 => bytes.push(random.below(256) as u8),
                _ => bytes.extend_from_slice(WORDS[random.below(WORDS.len())].as_bytes()),
            }
        }
        check(file.path(), &bytes, &format!("round {round}"));
    }
}

#[test]
fn brackets_without_end_and_lines_without_end() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let frames = SEEDS[0].find("frames:\n").unwrap() + "frames:\n".len();
    for piece in ["[", "- ", "- [", "0", "- [ 1,", "# ", " ", "\n", "frames:\n", "{ a: ", "\"", "&a "] {
        for ahead in ["", &SEEDS[0][..frames], &format!("{}      - ", &SEEDS[0][..frames])] {
            let bytes = [ahead.as_bytes(), &piece.repeat(20_000).into_bytes()].concat();
            check(file.path(), &bytes, &format!("{piece:?}"));
        }
    }
}

#[test]
fn very_many_components_and_keys() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let top = "type: CompositeSeq\nformatVersion: 2\nframeRate: 1\nnumParts: 1\nnumFrames: 9\n";
    let component = |index: usize| {
        format!("- type: MultiValueSeq\n  content: C{index}\n  numFrames: 8\n  key{index}: 1\n  frames:\n  - [ 1 ]\n")
    };
    let many: String = (0..20_000).map(component).collect();
    assert!(check(file.path(), format!("{top}components:\n{many}").as_bytes(), "components"));
    let keys: String = (0..50_000).map(|index| format!("key{index}: {index}\n")).collect();
    assert!(check(file.path(), format!("{top}{keys}components:\n{}", component(0)).as_bytes(), "keys"));
    // Content merged into many components must not be stored for each of them.
    let base = format!("base: &base\n  unknown: {}\n", "x".repeat(100_000));
    let merged: String = (0..2000).map(|index| component(index).replace("  numF", "  <<: *base\n  numF")).collect();
    assert!(check(file.path(), format!("{top}{base}components:\n{merged}").as_bytes(), "merged"));
}
