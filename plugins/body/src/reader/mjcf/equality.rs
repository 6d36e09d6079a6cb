//! `<equality>`: joints that follow others, and loops.

use bunraku_document::Diagnostic;
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::super::joint_couplings;
use super::bodies::{PlacedBody, Tree};
use super::devices::site_frame;
use super::element::Element;
use super::findings::{short, suggest};
use super::joints::MjcfJoint;
use super::model::ModelFile;
use super::tendons::Tendons;
use super::view::View;
use crate::kinematics::link_poses;
use crate::{ExtraJoint, ExtraJointKind, JointCoupling, LinkIndex};

/// Reads all equalities. The joint vector of the body must be complete.
pub(super) fn read<'m>(tree: &mut Tree<'m>, tendons: &Tendons<'m>, file: &'m ModelFile<'m>) {
    let findings = file.findings;
    let initial = tree.body.initial_displacements();
    let poses = link_poses(&tree.body, &tree.body.root().offset, &initial);
    for element in file.root.section("equality") {
        let tag = element.tag.as_str();
        let view = file.view_as(element, "equality", None);
        if view.flag("active") == Some(false) {
            let note = Diagnostic::note("mjcf-inactive", "equalities that are not active are left out");
            findings.once("inactive", element, note);
            continue;
        }
        for name in ["solref", "solimp"] {
            if let Some((element, _)) = view.find(name) {
                let message = format!("`{name}` of equalities is not used: they are rigid here");
                let kind = format!("equality-{name}");
                findings.once_attribute(&kind, element, name, Diagnostic::note("mjcf-contact", message));
            }
        }
        match tag {
            "joint" => couple(&view, tree, file),
            "connect" | "weld" => {
                if let Some(extra) = loop_of(&view, tag == "weld", tree, &poses, file) {
                    tree.body.extra_joints.push(extra);
                }
            }
            "tendon" => couple_tendon(&view, tree, tendons, file),
            "flex" | "flexvert" | "flexstrain" => {
                let message = format!("equalities of a {tag} are not read");
                let warning = Diagnostic::warning("mjcf-unsupported", message);
                findings.once(&format!("equality-{tag}"), element, warning.help("couple the joints themselves"));
            }
            _ => {}
        }
    }
}

/// A joint that follows another one.
fn couple(view: &View<'_>, tree: &mut Tree<'_>, file: &ModelFile<'_>) {
    let findings = file.findings;
    let element = view.element;
    let find = |attribute: &str| {
        let name = view.text(attribute)?;
        let found = tree.joints.get(name).copied();
        if found.is_none() {
            let error = Diagnostic::error("unknown-joint", format!("there is no joint `{}`", short(name)));
            let mut known: Vec<&str> = tree.joints.keys().copied().collect();
            known.sort_unstable();
            findings.report_attribute(element, attribute, suggest(error, name, known));
        }
        found.map(|joint| (joint, reference(tree, joint.link)))
    };
    let Some((follower, start)) = find("joint1") else { return };
    if view.find("joint2").is_none() {
        let warning = Diagnostic::warning("mjcf-unsupported", "an equality of a single joint is left out: it moves");
        findings.once("equality-lock", element, warning.help("leave the joint out, so that its body is fixed"));
        return;
    }
    let Some((leader, of_leader)) = find("joint2") else { return };
    let has_angle = |kind| matches!(kind, MjcfJoint::Hinge | MjcfJoint::Slide);
    if !(has_angle(follower.kind) && has_angle(leader.kind)) {
        let warning = Diagnostic::warning("mjcf-unsupported", "equalities of ball and free joints are left out");
        findings.once("equality-ball", element, warning);
        return;
    }
    let numbers = view.numbers("polycoef", 1, 5).unwrap_or_else(|| vec![0.0, 1.0]);
    let mut coefficients = [0.0; 5];
    coefficients.iter_mut().zip(numbers).for_each(|(slot, number)| *slot = number);
    // The file counts both displacements from the pose of the file.
    let mut polynomial = shifted(&coefficients, of_leader);
    polynomial[0] += start;
    add(element, JointCoupling { follower: follower.link, leader: leader.link, polynomial }, tree, file);
}

fn add(element: &Element, coupling: JointCoupling, tree: &mut Tree<'_>, file: &ModelFile<'_>) {
    if let Err(error) = tree.body.couple(coupling) {
        let message = joint_couplings::message(error, &tree.body, &coupling);
        let warning = Diagnostic::warning(error.code(), format!("{message}: the joint moves independently"));
        file.findings.report(element, warning.help(joint_couplings::help(error)));
    }
}

/// Two joints that a fixed tendon of constant length couples, or two tendons of one joint each.
fn couple_tendon(view: &View<'_>, tree: &mut Tree<'_>, tendons: &Tendons<'_>, file: &ModelFile<'_>) {
    let element = view.element;
    let Some(first) = tendons.find(view, "tendon1", file) else { return };
    let second = match view.find("tendon2") {
        Some(_) => match tendons.find(view, "tendon2", file) {
            Some(second) => Some(second),
            None => return,
        },
        None => None,
    };
    let numbers = view.numbers("polycoef", 1, 5).unwrap_or_else(|| vec![0.0, 1.0]);
    let mut coefficients = [0.0; 5];
    coefficients.iter_mut().zip(numbers).for_each(|(slot, number)| *slot = number);
    let (follower, of_follower, leader, polynomial) = match (first, second) {
        // one·(q₁ − start₁) + other·(q₂ − start₂) = constant.
        (&[(leader, one), (follower, other)], None) if other != 0.0 => {
            (follower, other, leader, [coefficients[0], -one, 0.0, 0.0, 0.0])
        }
        (&[(follower, one)], Some(&[(leader, other)])) if one != 0.0 => {
            let mut power = 1.0;
            let scaled = coefficients.map(|coefficient| {
                let scaled = coefficient * power;
                power *= other;
                scaled
            });
            (follower, one, leader, scaled)
        }
        _ => {
            let message = "an equality of tendons is read if it couples two joints: another one is left out";
            let warning = Diagnostic::warning("mjcf-unsupported", message);
            file.findings.once("equality-tendon", element, warning.help("couple the joints themselves"));
            return;
        }
    };
    let mut polynomial = shifted(&polynomial.map(|part| part / of_follower), reference(tree, leader));
    polynomial[0] += reference(tree, follower);
    add(element, JointCoupling { follower, leader, polynomial }, tree, file);
}

/// Displacement of a joint in the pose of the file.
fn reference(tree: &Tree<'_>, link: LinkIndex) -> f64 {
    tree.body.link(link).joint.initial_displacement
}

/// Coefficients of the polynomial of q for one of q − `by`.
fn shifted(coefficients: &[f64; 5], by: f64) -> [f64; 5] {
    let mut sum = [0.0; 5];
    // Horner's scheme: sum·(q − by) + coefficient.
    for coefficient in coefficients.iter().rev() {
        let mut next = [0.0; 5];
        for (slot, value) in next.iter_mut().skip(1).zip(sum) {
            *slot += value;
        }
        for (slot, value) in next.iter_mut().zip(sum) {
            *slot -= by * value;
        }
        next[0] += coefficient;
        sum = next;
    }
    sum
}

/// A loop that is closed in the pose of the file.
fn loop_of(
    view: &View<'_>,
    is_weld: bool,
    tree: &Tree<'_>,
    poses: &[Isometry3<f64>],
    file: &ModelFile<'_>,
) -> Option<ExtraJoint> {
    let findings = file.findings;
    let element = view.element;
    let kind = if is_weld { ExtraJointKind::Fixed } else { ExtraJointKind::Ball };
    if view.find("site1").is_some() || view.find("site2").is_some() {
        let [first, second] = ["site1", "site2"].map(|name| site_frame(view.text(name)?, tree, file));
        let (Some(first), Some(second)) = (first, second) else {
            let error = Diagnostic::error("unknown-site", "`site1` and `site2` must be sites of the model");
            findings.report(element, error.help("write the names of two sites, or `body1`, `body2` and `anchor`"));
            return None;
        };
        return Some(ExtraJoint { kind, links: [first.0, second.0], frames: [first.1, second.1] });
    }
    let first = side(element, "body1", tree, file)?;
    let second = side(element, "body2", tree, file)?;
    let world = |side: &PlacedBody| poses.get(side.link.0).map(|pose| pose * side.frame);
    let (one, other) = (world(&first)?, world(&second)?);
    let anchor = view.array::<3>("anchor").map_or_else(Vector3::zeros, Vector3::from);
    let anchor = Isometry3::from_parts(Translation3::from(anchor), UnitQuaternion::identity());
    if !is_weld {
        if view.find("anchor").is_none() {
            let error = Diagnostic::error("missing-key", "`<connect>` needs the attribute `anchor`");
            findings.report(element, error.help("write a point of the first body"));
            return None;
        }
        let frames = [first.frame * anchor, second.frame * (other.inverse() * one * anchor)];
        return Some(ExtraJoint { kind, links: [first.link, second.link], frames });
    }
    // Pose of the second body in the first; without a rotation it is that of the file. The anchor is a point of the
    // second body.
    let relative = view.array::<7>("relpose").and_then(|[x, y, z, w, i, j, k]| {
        let turn = bunraku_mesh::unit_quaternion(Quaternion::new(w, i, j, k), 1e-12)?;
        Some(Isometry3::from_parts(Translation3::new(x, y, z), UnitQuaternion::new_unchecked(turn.into_inner())))
    });
    let relative = relative.unwrap_or_else(|| one.inverse() * other);
    let frames = [first.frame * relative * anchor, second.frame * anchor];
    Some(ExtraJoint { kind, links: [first.link, second.link], frames })
}

/// A body of an equality; the world if it is not named.
fn side(element: &Element, attribute: &str, tree: &Tree<'_>, file: &ModelFile<'_>) -> Option<PlacedBody> {
    let findings = file.findings;
    let named = element.attribute(attribute).filter(|name| *name != "world");
    let Some(name) = named else {
        let root = tree.body.root().offset;
        if tree.has_world || tree.body.is_fixed() {
            return Some(PlacedBody { link: LinkIndex::ROOT, frame: root.inverse() });
        }
        let warning =
            Diagnostic::warning("mjcf-unsupported", "equalities with the world are left out: the robot floats");
        findings.once("equality-world", element, warning.help("write it as one of the `extra_joints` of a scene"));
        return None;
    };
    let found = tree.bodies.get(name).copied();
    if found.is_none() {
        let error = Diagnostic::error("unknown-body", format!("there is no body `{}`", short(name)));
        let mut known: Vec<&str> = tree.bodies.keys().copied().collect();
        known.sort_unstable();
        findings.report_attribute(element, attribute, suggest(error, name, known));
    }
    found
}
