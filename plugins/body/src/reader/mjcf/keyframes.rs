//! `<keyframe>`: poses of the robot.

use bunraku_document::Diagnostic;
use nalgebra::{Isometry3, Quaternion, Translation3, Unit, UnitQuaternion};

use super::bodies::Tree;
use super::element::Element;
use super::findings::short;
use super::joints::MjcfJoint;
use super::model::ModelFile;
use super::view::read_numbers;
use crate::{JointIndex, LinkIndex};

/// Name of the keyframe that is the standard pose; otherwise the first one is.
const HOME: &str = "home";

/// Sets the standard pose, and with a keyframe that is asked for also the initial one.
pub(super) fn read<'m>(tree: &mut Tree<'m>, file: &'m ModelFile<'m>, wanted: Option<&str>) {
    let keys: Vec<&Element> = file.root.section("keyframe").filter(|element| element.tag == "key").collect();
    let named = |name: &str| keys.iter().copied().find(|key| key.attribute("name") == Some(name));
    if let Some(name) = wanted {
        let Some(key) = named(name) else {
            let names: Vec<&str> = keys.iter().filter_map(|key| key.attribute("name")).collect();
            let error = Diagnostic::error("unknown-keyframe", format!("the model has no keyframe `{}`", short(name)));
            let help = if names.is_empty() {
                "it has none with a name".to_owned()
            } else {
                format!("it has {}", names.join(", "))
            };
            file.findings.report(file.root, error.help(help));
            return;
        };
        if let Some(displacements) = apply(key, tree, file, true) {
            tree.body.standard_pose = Some(displacements);
        }
        return;
    }
    let Some(key) = named(HOME).or_else(|| keys.first().copied()) else { return };
    tree.body.standard_pose = apply(key, tree, file, false);
}

/// Displacements of a keyframe in joint order. `starts`: the model starts there, with its root.
fn apply<'m>(key: &'m Element, tree: &mut Tree<'m>, file: &'m ModelFile<'m>, starts: bool) -> Option<Vec<f64>> {
    let text = key.attribute("qpos")?;
    let count = tree.order.iter().map(|(joint, _)| width(joint.kind)).sum::<usize>();
    let numbers = read_numbers(file.findings, key, "qpos", text, 1, usize::MAX)?;
    if numbers.len() != count {
        let message = format!("`qpos` has {} numbers, and the model's configuration has {count}", numbers.len());
        let warning = Diagnostic::warning("wrong-length", message);
        file.findings.report_attribute(key, "qpos", warning.help("the keyframe is ignored"));
        return None;
    }
    let mut displacements = tree.body.initial_displacements();
    let mut rest = numbers.as_slice();
    for (joint, link) in &tree.order {
        let (own, after) = rest.split_at(width(joint.kind));
        rest = after;
        match (joint.kind, own) {
            (MjcfJoint::Free, &[x, y, z, w, i, j, k]) => {
                let turn = bunraku_mesh::unit_quaternion(Quaternion::new(w, i, j, k), 1e-12);
                if let (true, Some(turn)) = (starts, turn) {
                    let turn = UnitQuaternion::new_unchecked(turn.into_inner());
                    let pose = Isometry3::from_parts(Translation3::new(x, y, z), turn);
                    tree.body.link_mut(*link).offset = pose;
                }
            }
            (MjcfJoint::Ball, &[w, i, j, k]) => {
                let turn = bunraku_mesh::unit_quaternion(Quaternion::new(w, i, j, k), 1e-12).map(Unit::into_inner);
                let turn = UnitQuaternion::new_unchecked(turn.unwrap_or_else(Quaternion::identity));
                // Turns about X, Y and Z, each in the frame of the one before.
                let matrix = turn.to_rotation_matrix();
                let y = libm::asin(matrix[(0, 2)].clamp(-1.0, 1.0));
                let x = libm::atan2(-matrix[(1, 2)], matrix[(2, 2)]);
                let z = libm::atan2(-matrix[(0, 1)], matrix[(0, 0)]);
                for (part, angle) in [x, y, z].into_iter().enumerate() {
                    set(tree, &mut displacements, LinkIndex(link.0 + part), angle);
                }
            }
            (_, &[value]) => set(tree, &mut displacements, *link, value),
            _ => {}
        }
    }
    if starts {
        for (joint, &value) in displacements.iter().enumerate() {
            if let Some(link) = tree.body.joint_link(JointIndex(joint)) {
                tree.body.link_mut(link).joint.initial_displacement = value;
            }
        }
    }
    Some(displacements)
}

fn set(tree: &Tree<'_>, displacements: &mut [f64], link: LinkIndex, value: f64) {
    if let Some(slot) = tree.body.joint_of(link).and_then(|JointIndex(joint)| displacements.get_mut(joint)) {
        *slot = value;
    }
}

/// Numbers of a joint in a configuration.
fn width(kind: MjcfJoint) -> usize {
    match kind {
        MjcfJoint::Free => 7,
        MjcfJoint::Ball => 4,
        MjcfJoint::Slide | MjcfJoint::Hinge => 1,
    }
}
