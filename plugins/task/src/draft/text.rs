//! A draft as a mapping file with comments.

use std::fmt::Write;

use bunraku_body::{Body, JointIndex, JointKind, Range};
use bunraku_document::yaml::text as yaml_text;
use nalgebra::UnitQuaternion;

use super::{HandDraft, RobotDraft};
use crate::designer::GRASP_DISTANCE;

/// Largest deviation of a displacement from a straight line over the width that is called linear, rad or m.
const STRAIGHT: f64 = 1e-6;

/// The text of a mapping file of `body`, whose model is the file `model`, relative to it.
pub fn mapping_text(body: &Body, model: &str, draft: &RobotDraft) -> String {
    let mut text = String::new();
    write(&mut text, body, model, draft).unwrap_or_default();
    text
}

fn write(text: &mut String, body: &Body, model: &str, draft: &RobotDraft) -> std::fmt::Result {
    let name = if body.name.is_empty() { "a robot".to_owned() } else { in_comment(&body.name) };
    writeln!(text, "# What the numbers and words of tasks mean on {name}. Drafted from its model: check it.")?;
    for note in &draft.notes {
        writeln!(text, "#\n# {note}")?;
    }
    writeln!(text, "format: BunrakuRobot\nformat_version: 1\nbody: {}", yaml_text(model))?;
    let [x, y, z] = draft.root.translation.vector.into();
    writeln!(text, "translation: {}", list([x, y, z]))?;
    writeln!(text, "rotation: {}", axis_angle(&draft.root.rotation))?;
    writeln!(
        text,
        "\n# armID of moveArm, and the target of attach: X points back into the arm, Y along the opening of the fingers;"
    )?;
    writeln!(text, "# what is gripped is {} m ahead of its origin.\ntools:", GRASP_DISTANCE)?;
    for (id, hand) in draft.hands.iter().enumerate() {
        writeln!(text, "  - id: {id}\n    link: {}", yaml_text(&body.link(hand.link).name))?;
        let [x, y, z] = hand.tool.translation.vector.into();
        writeln!(text, "    translation: {}", list([x, y, z]))?;
        writeln!(text, "    rotation: {}", axis_angle(&hand.tool.rotation))?;
    }
    writeln!(
        text,
        "\n# gripperID of moveGripper: displacements of the joints, rad or m, for distances between the fingers, m.\ngrippers:"
    )?;
    for (id, hand) in draft.hands.iter().enumerate() {
        write_gripper(text, body, id, hand)?;
    }
    writeln!(text, "\n# Where a run begins and goInitial leads: degrees, of slides m.\ninitial:")?;
    for (index, _) in body.indexed_joints() {
        let value = draft.initial.get(index.0).copied().unwrap_or(0.0);
        writeln!(text, "  {}: {}", yaml_text(body.joint_name(index)), in_file_units(body, index, value))?;
    }
    Ok(())
}

/// A name in a comment: a line end in it would begin another line of the file.
pub fn in_comment(name: &str) -> String {
    name.chars()
        .map(|letter| if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}') { ' ' } else { letter })
        .collect()
}

fn write_gripper(text: &mut String, body: &Body, id: usize, hand: &HandDraft) -> std::fmt::Result {
    let lines: Option<Vec<_>> =
        hand.fingers.iter().map(|(_, displacements)| straight(&hand.widths, displacements)).collect();
    let kind = if lines.is_some() { "linear" } else { "table" };
    writeln!(text, "  - id: {id}\n    type: {kind}\n    range: {}", list(hand.range()))?;
    if lines.is_none() {
        writeln!(text, "    widths: {}", list(hand.widths.iter().copied()))?;
    }
    writeln!(text, "    joints:")?;
    let name = |joint: &JointIndex| yaml_text(body.joint_name(*joint));
    match lines {
        Some(lines) => {
            for ((joint, _), line) in hand.fingers.iter().zip(lines) {
                let (name, [scale, offset]) = (name(joint), line.map(rounded));
                writeln!(text, "      - {{ name: {name}, scale: {scale}, offset: {offset} }}")?;
            }
        }
        None => {
            for (joint, displacements) in &hand.fingers {
                let displacements = displacements.iter().map(|value| within(body, *joint, *value));
                writeln!(text, "      - {{ name: {}, displacements: {} }}", name(joint), list(displacements))?;
            }
        }
    }
    Ok(())
}

/// Scale and offset of a displacement that is linear in the width.
fn straight(widths: &[f64], displacements: &[f64]) -> Option<[f64; 2]> {
    let ((first, from), (last, to)) =
        (widths.first().zip(displacements.first())?, widths.last().zip(displacements.last())?);
    let scale = (to - from) / (last - first);
    let offset = from - scale * first;
    let is_near = |(width, value): (&f64, &f64)| (scale * width + offset - value).abs() < STRAIGHT;
    widths.iter().zip(displacements).all(is_near).then_some([scale, offset])
}

/// A displacement that is within the range of its joint after rounding, too.
fn within(body: &Body, joint: JointIndex, value: f64) -> f64 {
    let range = body.joint(joint).map_or(Range::UNLIMITED, |joint| joint.displacement_range);
    let near = rounded(value);
    if near > range.upper {
        near - 1e-7
    } else if near < range.lower {
        near + 1e-7
    } else {
        near
    }
}

fn in_file_units(body: &Body, joint: JointIndex, value: f64) -> f64 {
    let slides = body.joint(joint).is_some_and(|joint| joint.kind == JointKind::Prismatic);
    if slides { rounded(value) } else { (value.to_degrees() * 1e4).round() / 1e4 + 0.0 }
}

/// Axis and angle in degrees.
fn axis_angle(rotation: &UnitQuaternion<f64>) -> String {
    let (axis, angle) =
        rotation.axis_angle().map_or(([0.0, 0.0, 1.0], 0.0), |(axis, angle)| (axis.into_inner().into(), angle));
    let [x, y, z] = axis;
    list([x, y, z, angle.to_degrees()])
}

fn list(values: impl IntoIterator<Item = f64>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| rounded(value).to_string()).collect();
    format!("[ {} ]", values.join(", "))
}

/// A tenth of a micrometre, or of a microradian.
fn rounded(value: f64) -> f64 {
    (value * 1e7).round() / 1e7 + 0.0
}
