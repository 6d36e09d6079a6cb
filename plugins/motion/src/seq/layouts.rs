//! Random valid files: whatever the layout, reading by lines, by tree and by stream give the original data.

use bunraku_test_support::Random;
use std::sync::Arc;

use bunraku_document::{Reporter, SourceFile};
use nalgebra::{Isometry3, Vector3};

use super::read::{by_tree, read};
use crate::{BodyMotion, MotionReader, OtherFrames, Sequence};

const ROUNDS: u64 = 4000;

const NUMBERS: [&str; 12] = [
    "0",
    "-0.0",
    "1",
    "-1.5",
    ".25",
    "3.",
    "+7",
    "1e-7",
    "-2.5E+3",
    "0.1234567890123456789",
    "9007199254740993",
    "5e-324",
];

/// Expected frames, and their text: a time and parts.
struct Frames {
    kind: &'static str,
    num_parts: usize,
    /// Time and parts of each frame, as written.
    rows: Vec<(Option<String>, Vec<String>)>,
    times: Vec<f64>,
    numbers: Vec<f64>,
}

fn frames(random: &mut Random, kind: &'static str, timed: bool) -> Frames {
    let num_parts = if kind == "Vector3Seq" { 1 } else { 1 + random.below(3) };
    let (mut rows, mut times, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for index in 0..1 + random.below(5) {
        let time = timed.then(|| format!("{index}.{}", random.below(10)));
        times.extend(time.as_ref().map(|time| time.parse::<f64>().unwrap()));
        let width = match kind {
            "MultiSE3Seq" => 3,
            "Vector3Seq" => 3,
            _ => 1,
        };
        let mut parts = Vec::new();
        for _ in 0..num_parts {
            let part: Vec<_> = (0..width).map(|_| random.of(&NUMBERS)).collect();
            numbers.extend(part.iter().map(|number| number.parse::<f64>().unwrap()));
            match kind {
                "MultiSE3Seq" => parts.push(format!("[ {}, 1, 0, 0, 0 ]", part.join(", "))),
                _ => parts.extend(part.iter().map(|&number| number.to_owned())),
            }
        }
        rows.push((time, parts));
    }
    Frames { kind, num_parts, rows, times, numbers }
}

/// One frame in flow style, on one line or sometimes several.
fn flow(random: &mut Random, (time, parts): &(Option<String>, Vec<String>), may_break: bool) -> String {
    let blanks = ["", " ", "  "];
    let mut text = format!("[{}", random.of(&blanks));
    for (index, item) in time.iter().chain(parts).enumerate() {
        if index > 0 {
            let separator = if may_break && random.chance(40) { ",\n          " } else { ", " };
            text.push_str(random.of(&blanks));
            text.push_str(separator);
        }
        text.push_str(item);
    }
    text + random.of(&blanks) + "]"
}

fn noise(random: &mut Random, out: &mut String, indent: usize) {
    while random.chance(6) {
        match random.below(4) {
            0 => out.push('\n'),
            1 => out.push_str(&format!("{}# note: [ 1 ]\n", " ".repeat(random.below(9)))),
            2 => out.push_str(&format!("{}# 腕の動き\n", " ".repeat(indent))),
            _ => out.push_str("   \n"),
        }
    }
}

/// `frames` and its value, in one of the possible layouts.
fn frames_text(random: &mut Random, frames: &Frames, key: &str, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    match random.below(6) {
        // All frames on one line.
        0 => {
            let rows: Vec<_> = frames.rows.iter().map(|row| flow(random, row, false)).collect();
            out.push_str(&format!("{pad}{key}: [ {} ]\n", rows.join(", ")));
        }
        // JSON layout.
        1 => {
            out.push_str(&format!("{pad}{key}: [\n"));
            for (index, row) in frames.rows.iter().enumerate() {
                noise(random, out, indent);
                let comma = if index + 1 < frames.rows.len() || random.chance(5) { "," } else { "" };
                let row = flow(random, row, true);
                let after = random.of(&["", "", " ", " # row"]);
                out.push_str(&format!("{pad}  {row}{comma}{after}\n"));
            }
            out.push_str(&format!("{pad}]\n"));
        }
        // Block style throughout.
        2 if !frames.kind.starts_with("MultiSE3") => {
            out.push_str(&format!("{pad}{key}:\n"));
            for (time, parts) in &frames.rows {
                out.push_str(&format!("{pad}-\n"));
                for item in time.iter().chain(parts) {
                    out.push_str(&format!("{pad}  - {item}\n"));
                }
            }
        }
        // The usual layout.
        _ => {
            let after = random.of(&["", "", "", " ", " # frames"]);
            out.push_str(&format!("{pad}{key}:{after}\n"));
            let deeper = " ".repeat(random.below(4));
            for row in &frames.rows {
                noise(random, out, indent);
                let row = flow(random, row, true);
                let (dash, after) = (random.of(&["- ", "-  "]), random.of(&["", "", "", "  ", " # row", " # 列"]));
                out.push_str(&format!("{pad}{deeper}{dash}{row}{after}\n"));
            }
        }
    }
}

/// A file and its motion.
fn file(random: &mut Random) -> (String, BodyMotion) {
    let timed = random.chance(3);
    let timed_at_top = timed && random.chance(2);
    let mut text = String::new();
    noise(random, &mut text, 0);
    text.push_str("type: CompositeSeq\ncontent: BodyMotion\n");
    text.push_str(random.of(&[
        "formatVersion: 2\n",
        "format_version: 2\n",
        "\"formatVersion\": 4\n",
        "formatVersion: 2.0\n",
    ]));
    text.push_str(random.of(&["frameRate: 10\n", "frame_rate: 10\n", "frameRate: 10.0 # Hz\n", "frameRate: 1e1\n"]));
    if timed_at_top {
        text.push_str(random.of(&["hasFrameTime: true\n", "has_frame_time: yes\n"]));
    }
    noise(random, &mut text, 0);
    text.push_str("components:\n");
    let mut motion = BodyMotion::new(10.0);
    for (kind, content) in [
        ("MultiSE3Seq", "LinkPosition"),
        ("MultiValueSeq", "JointDisplacement"),
        ("MultiValueSeq", "A"),
        ("Vector3Seq", "B"),
    ] {
        if content != "JointDisplacement" && random.chance(2) {
            continue;
        }
        let frames = frames(random, kind, timed);
        let mut keys = vec![format!("type: {kind}"), format!("content: {content}")];
        if kind != "Vector3Seq" {
            keys.push(format!("{}: {}", random.of(&["numParts", "num_parts", "\"numParts\""]), frames.num_parts));
        }
        if kind == "MultiSE3Seq" {
            keys.push("SE3Format: XYZQWQXQYQZ".to_owned());
        }
        if timed && !timed_at_top {
            keys.push(random.of(&["hasFrameTime: true", "has_frame_time: on"]).to_owned());
        }
        for index in (1..keys.len()).rev() {
            keys.swap(index, random.below(index + 1));
        }
        let (deep, key) = (2 + random.below(3), random.of(&["frames", "frames", "\"frames\"", "'frames'"]));
        let frames_at = random.below(keys.len() + 1);
        text.push_str(random.of(&["  -\n", "  - \n", "  - # next\n"]));
        for index in 0..=keys.len() {
            if index == frames_at {
                noise(random, &mut text, deep + 2);
                frames_text(random, &frames, key, deep + 2, &mut text);
            }
            if let Some(key) = keys.get(index) {
                text.push_str(&format!("{}{key}\n", " ".repeat(deep + 2)));
            }
        }
        add(&mut motion, content, frames);
    }
    noise(random, &mut text, 0);
    match random.below(4) {
        0 => text.truncate(text.trim_end_matches('\n').len()),
        1 => text = text.replace('\n', "\r\n"),
        _ => {}
    }
    (text, motion)
}

fn sequence<T>(frames: &Frames, values: Vec<T>) -> Sequence<T> {
    if frames.times.is_empty() {
        return Sequence::new(10.0, frames.num_parts, values).unwrap();
    }
    Sequence::timed(frames.times.clone(), frames.num_parts, values).unwrap().with_frame_rate(10.0).unwrap()
}

fn add(motion: &mut BodyMotion, content: &str, frames: Frames) {
    let vectors = || frames.numbers.chunks(3).map(|n| Vector3::new(n[0], n[1], n[2])).collect::<Vec<_>>();
    let frames = match frames.kind {
        "MultiSE3Seq" => {
            let poses =
                vectors().into_iter().map(|vector| Isometry3::translation(vector.x, vector.y, vector.z)).collect();
            motion.link_positions = Some(sequence(&frames, poses));
            return;
        }
        "Vector3Seq" => OtherFrames::Vectors(sequence(&frames, vectors())),
        _ if content == "JointDisplacement" => {
            motion.joint_displacements = Some(sequence(&frames, frames.numbers.clone()));
            return;
        }
        _ => OtherFrames::Values(sequence(&frames, frames.numbers.clone())),
    };
    motion.others.push(crate::OtherSequence { content: content.to_owned(), frames });
}

fn streamed(source: &Arc<SourceFile>) -> (Vec<Isometry3<f64>>, Vec<f64>) {
    let reporter = Reporter::new();
    let motion = MotionReader::read(source, &reporter).unwrap();
    let (mut states, mut poses, mut joints) = (motion.states(&reporter).unwrap(), Vec::new(), Vec::new());
    let (mut all_poses, mut all_joints) = (Vec::new(), Vec::new());
    while states.next_state(&mut poses, &mut joints).unwrap().is_some() {
        all_poses.extend_from_slice(&poses);
        all_joints.extend_from_slice(&joints);
    }
    (all_poses, all_joints)
}

#[test]
fn every_valid_layout_is_read() {
    let mut by_lines = 0;
    for round in 0..ROUNDS {
        let (text, expected) = file(&mut Random::new(round));
        let source = SourceFile::from_text("m.seq", text.as_str());
        let check = |motion: bunraku_document::Result<BodyMotion>, reporter: Reporter| {
            let findings = reporter.into_diagnostics();
            let motion = motion.unwrap_or_else(|error| panic!("{error} {round}\n{text}"));
            assert!(motion == expected, "{round}: {motion:?}\n{expected:?}\n{text}");
            assert!(findings.iter().all(|finding| finding.code == "unequal-length"), "{round}: {findings:?}\n{text}");
        };
        for read in [read, by_tree] {
            let reporter = Reporter::new();
            check(read(&source, &reporter), reporter);
        }
        by_lines += u32::from(super::read::open_lines(&super::lines::Origin::Text(Arc::clone(&source))).is_ok());
        let values = |motion: &BodyMotion| {
            let poses = motion.link_positions.as_ref().map(|links| links.values().to_vec());
            (poses.unwrap_or_default(), motion.joint_displacements.as_ref().unwrap().values().to_vec())
        };
        assert_eq!(streamed(&source), values(&expected), "{round}\n{text}");
    }
    // Both ways of reading must have been used.
    assert!((1000..3500).contains(&by_lines), "{by_lines}");
}
